//! The table of file formats: the name of each in messages, its extensions, its mark, its readers and its writers.
//!
//! Help texts, sentences that list formats, walks through folders, `convert`, scenes and the studio ask this table. A new
//! format is a module and one row here; where a changed motion goes back into its files, also a variant of
//! [`crate::open::SourceDocument`]. Files that are refused with a sentence have a table of their own in
//! [`crate::sniff`].

use std::path::Path;

use muybridge::character::Character;

use crate::convert::{self, MotionWriter};
use crate::mesh::{self, ReadMesh};
use crate::open::{self, OpenOptions, SourceDocument};
use crate::prepare::BodyContent;
use crate::recording_gltf::{self, RecordingOptions};
use crate::recording_obj;
use crate::rewrite::{self, MotionRewriter};
use crate::sniff::{self, FileHead};
use crate::{AllowedFiles, Error, Imported, Location, body_csv, character_toml, mjcf, urdf};

/// Reads skeleton and clips from the bytes of a file; the path is where the files are that it names.
type MotionReader = fn(&Path, &[u8], &OpenOptions) -> Result<(Imported, SourceDocument), Error>;
/// Reads masses from the bytes of a file; the path is where the files are that it includes.
type BodyReader = fn(&Path, &[u8], &AllowedFiles) -> Result<BodyContent, Error>;
/// Reads a character without clips from the bytes of a file.
type CharacterReader = fn(&[u8]) -> Result<Character, Error>;
/// Reads triangles from the bytes of a file; the function returns the bytes of a file beside it.
type MeshReader = fn(&[u8], &mut dyn FnMut(&str) -> Option<Vec<u8>>) -> Result<ReadMesh, Error>;

/// A file format: a row of [`FORMATS`].
pub struct FileFormat {
    /// Name of the format in help and messages.
    pub name: &'static str,
    /// Extensions of its files, in lower case and without the dot. New files get the first one; the others belong to
    /// several formats.
    pub extensions: &'static [&'static str],
    /// Whether clips in its files have names.
    pub names_clips: bool,
    /// Whether the first bytes of a file are those of this format.
    pub(crate) recognizes: fn(&FileHead<'_>) -> bool,
    /// Reads skeleton and clips; where the format holds none, a sentence that says how its files are used.
    pub(crate) motion: Result<MotionReader, &'static str>,
    /// Reads masses for the bones of a clip; `None` where the format holds none.
    pub(crate) body: Option<BodyReader>,
    /// Reads a character without clips; `None` where the format holds none.
    pub(crate) character: Option<CharacterReader>,
    /// Reads triangles; `None` where the format holds none.
    pub(crate) mesh: Option<MeshReader>,
    /// Writes clips into new files; where the format is not written, a sentence that says what to write instead.
    pub(crate) writer: Result<MotionWriter, &'static str>,
    /// Puts a changed motion back into its file; `None` where the motion goes into a new GLB instead.
    pub(crate) rewriter: Option<MotionRewriter>,
}

/// A row without readers and writers, from which the others say what is different.
const EMPTY: FileFormat = FileFormat {
    name: "",
    extensions: &[],
    names_clips: false,
    recognizes: |_| false,
    motion: Err(""),
    body: None,
    character: None,
    mesh: None,
    writer: Err("files of this format hold no motion"),
    rewriter: None,
};

/// Declares each row as a static and lists all rows in [`FORMATS`].
macro_rules! rows {
    ($($(#[$about:meta])* $row:ident { $($fields:tt)* })*) => {
        $($(#[$about])* pub static $row: FileFormat = FileFormat { $($fields)*, ..EMPTY };)*

        /// Every format that is read or written, in the order in which sentences list them. The marks of two rows
        /// exclude each other.
        pub static FORMATS: &[&FileFormat] = &[$(&$row),*];
    };
}

rows! {
    /// Text of motion capture: one skeleton, one clip.
    BVH {
        name: "BVH",
        extensions: &["bvh"],
        recognizes: |head| head.begins("HIERARCHY"),
        motion: Ok(open::bvh_motion),
        writer: Ok(MotionWriter {
            new_files: convert::new_bvh,
            kept: convert::kept_bvh,
            run: None,
            has_own_unit: true,
        }),
        rewriter: Some(rewrite::bvh::REWRITER)
    }

    /// glTF 2.0 as JSON text, with its numbers in files beside it or in the text.
    GLTF {
        name: "glTF",
        extensions: &["gltf"],
        names_clips: true,
        recognizes: |head| head.is_json() && (head.is_plain_gltf() || head.is_gltf_without_asset()),
        motion: Ok(open::gltf_motion),
        mesh: Some(mesh::of_gltf),
        writer: Ok(MotionWriter {
            new_files: |motion, _, _| convert::new_gltf(motion, false),
            kept: |opened, chosen, how| convert::kept_gltf(opened, chosen, false, how),
            run: Some(|run, skins| {
                recording_gltf::export(run, skins, &RecordingOptions { binary: false, ..RecordingOptions::default() })
            }),
            has_own_unit: false,
        }),
        rewriter: Some(rewrite::gltf::REWRITER)
    }

    /// glTF 2.0 in one binary file.
    GLB {
        name: "GLB",
        extensions: &["glb"],
        names_clips: true,
        recognizes: |head| !head.is_json() && head.is_plain_gltf(),
        motion: Ok(open::gltf_motion),
        mesh: Some(mesh::of_gltf),
        writer: Ok(MotionWriter {
            new_files: |motion, _, _| convert::new_gltf(motion, true),
            kept: |opened, chosen, how| convert::kept_gltf(opened, chosen, true, how),
            run: Some(|run, skins| recording_gltf::export(run, skins, &RecordingOptions::default())),
            has_own_unit: false,
        }),
        rewriter: Some(rewrite::gltf::REWRITER)
    }

    /// Avatar of VRM 0.x or 1.0: a glTF that names the bones of a humanoid.
    VRM {
        name: "VRM",
        extensions: &["vrm", "glb"],
        recognizes: |head| head.is_vrm(),
        motion: Ok(open::gltf_motion),
        mesh: Some(mesh::of_gltf),
        writer: Err("a VRM is an avatar with its mesh, which is not made here; a motion for it is .vrma"),
        rewriter: Some(rewrite::gltf::REWRITER)
    }

    /// Animation for any VRM avatar: one clip of a humanoid.
    VRMA {
        name: "VRMA",
        extensions: &["vrma", "glb"],
        recognizes: |head| head.is_vrma(),
        motion: Ok(open::gltf_motion),
        writer: Ok(MotionWriter {
            new_files: |motion, _, _| convert::new_vrma(motion),
            kept: convert::kept_vrma,
            run: None,
            has_own_unit: false,
        }),
        rewriter: Some(rewrite::gltf::REWRITER)
    }

    /// Autodesk FBX, binary or text.
    FBX {
        name: "FBX",
        extensions: &["fbx"],
        recognizes: |head| {
            head.starts(b"Kaydara FBX Binary") || head.begins("; FBX") || head.begins("FBXHeaderExtension")
        },
        motion: Ok(open::fbx_motion),
        writer: Err("FBX is read, not written; write .glb, which every tool that reads FBX reads")
    }

    /// Model of MuJoCo: bodies, joints, masses.
    MJCF {
        name: "MJCF",
        extensions: &["mjcf", "xml"],
        recognizes: |head| head.has_root("mujoco") || head.has_root("mujocoinclude"),
        motion: Err("this is a model without motion; give it with --body, beside a clip"),
        body: Some(|path, bytes, allowed| mjcf::read(bytes, &mut mjcf::include_reader(path, allowed)).map(BodyContent::Model))
    }

    /// Robot model: links, joints, masses.
    URDF {
        name: "URDF",
        extensions: &["urdf", "xml"],
        recognizes: |head| head.has_root("robot") && head.extension != "xacro",
        motion: Err("this is a model without motion; give it with --body, beside a clip"),
        body: Some(|_, bytes, _| urdf::read(bytes).map(BodyContent::Model))
    }

    /// Table of masses by bone.
    BODY_CSV {
        name: "CSV",
        extensions: &["csv", "tsv"],
        recognizes: |head| head.has_columns(&["joint", "mass_kg"]),
        motion: Err("this is a table of masses; give it with --body, beside a clip"),
        body: Some(|_, bytes, _| body_csv::parse(bytes).map(BodyContent::Table))
    }

    /// The project's own character file.
    CHARACTER {
        name: "character.toml",
        extensions: &["toml"],
        recognizes: |head| head.is_character(),
        motion: Err("this is a character without motion; give it with --body, beside a clip"),
        body: Some(|_, bytes, _| character_toml::read(bytes).map(BodyContent::Character)),
        character: Some(|bytes| character_toml::read(bytes)?.character())
    }

    /// Table of contact points or contact shapes by bone.
    CONTACTS_CSV {
        name: "CSV",
        extensions: &["csv", "tsv"],
        recognizes: |head| {
            let is_placed = head.has_columns(&["ax", "radius"]) || head.has_columns(&["x", "y", "z"]);
            is_placed && head.has_columns(&["joint"]) && !head.has_columns(&["mass_kg"])
        },
        motion: Err("this is a table of contact shapes; give it with --contacts, beside a clip")
    }

    /// Wavefront OBJ: triangles alone, of one frame.
    OBJ {
        name: "OBJ",
        extensions: &["obj"],
        motion: Err(sniff::MESH),
        mesh: Some(|bytes, _| mesh::of_obj(bytes)),
        writer: Ok(MotionWriter {
            new_files: convert::new_obj,
            kept: |_, _, _| None,
            run: Some(recording_obj::export),
            has_own_unit: false,
        })
    }

    /// Scene, or the log of a run. It has no mark: `simulate` and the studio take every TOML that is no character for one.
    SCENE {
        name: "TOML",
        extensions: &["toml"],
        motion: Err("this is a scene; run it with muybridge simulate")
    }
}

impl FileFormat {
    /// The extension of new files, without the dot.
    pub fn extension(&self) -> &'static str {
        self.extensions[0]
    }

    /// Whether clips are read from its files.
    pub fn holds_motion(&self) -> bool {
        self.motion.is_ok()
    }

    /// Whether masses are read from its files.
    pub fn holds_masses(&self) -> bool {
        self.body.is_some()
    }

    /// Whether a character for a scene is read from its files.
    pub fn holds_character(&self) -> bool {
        self.holds_motion() || self.character.is_some()
    }

    /// Whether triangles are read from its files.
    pub fn holds_mesh(&self) -> bool {
        self.mesh.is_some()
    }

    /// Whether clips are written into new files of it.
    pub fn is_written(&self) -> bool {
        self.writer.is_ok()
    }

    /// Whether a changed motion goes back into its files; otherwise into a new GLB.
    pub fn is_rewritten(&self) -> bool {
        self.rewriter.is_some()
    }

    /// Whether one of its new files holds a whole simulated run, with all clips.
    pub fn holds_runs(&self) -> bool {
        self.writer.is_ok_and(|writer| writer.run.is_some())
    }

    /// Whether one of its new files holds one clip of one character.
    pub fn holds_one_clip(&self) -> bool {
        self.writer.is_ok_and(|writer| writer.run.is_none())
    }

    /// Whether its new files have lengths in a unit that a person may choose.
    pub fn has_own_unit(&self) -> bool {
        self.writer.is_ok_and(|writer| writer.has_own_unit)
    }

    /// The writer of the format.
    ///
    /// # Errors
    /// A sentence that says what to write instead.
    pub fn writable(&self) -> Result<(), Error> {
        self.writer().map(drop)
    }

    pub(crate) fn writer(&self) -> Result<&MotionWriter, Error> {
        self.writer.as_ref().map_err(|sentence| Error::new(Location::File, *sentence))
    }
}

impl PartialEq for FileFormat {
    /// Whether both are the same row.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl std::fmt::Debug for FileFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The formats whose files may have the extension of `path`.
pub fn of_path(path: &Path) -> impl Iterator<Item = &'static FileFormat> {
    let extension = extension_of(path);
    FORMATS.iter().copied().filter(move |format| format.extensions.contains(&extension.as_str()))
}

/// The format that an extension (without the dot, in any case) means by itself; `None` where several formats have it or
/// none does.
pub fn by_extension(extension: &str) -> Option<&'static FileFormat> {
    let mut found = FORMATS.iter().copied().filter(|format| format.extension().eq_ignore_ascii_case(extension));
    found.next().filter(|_| found.next().is_none())
}

/// The extension of a path in lower case; empty where it has none. A file called `.bvh` and nothing else has one too, so that
/// a walk through a folder does not pass it over.
pub fn extension_of(path: &Path) -> String {
    let hidden = || path.file_name()?.to_str()?.strip_prefix('.').map(str::to_ascii_lowercase);
    path.extension()
        .map(|extension| extension.to_string_lossy().to_ascii_lowercase())
        .or_else(hidden)
        .unwrap_or_default()
}

/// Names of the formats for which `is_meant` is true, in the order of the table.
pub fn names(is_meant: impl Fn(&FileFormat) -> bool) -> Vec<&'static str> {
    FORMATS.iter().filter(|format| is_meant(format)).map(|format| format.name).collect()
}

/// Extensions, without the dot, of the formats for which `is_meant` is true, in the order of the table, each once.
pub fn extensions(is_meant: impl Fn(&FileFormat) -> bool) -> Vec<&'static str> {
    let mut found = Vec::new();
    for extension in FORMATS.iter().filter(|format| is_meant(format)).flat_map(|format| format.extensions) {
        if !found.contains(extension) {
            found.push(extension);
        }
    }
    found
}

/// Extensions of new files, with the dot, of the formats for which `is_meant` is true.
pub fn dotted(is_meant: impl Fn(&FileFormat) -> bool) -> Vec<String> {
    FORMATS.iter().filter(|format| is_meant(format)).map(|format| format!(".{}", format.extension())).collect()
}

/// Words as a sentence lists them, `last` before the last one: "BVH, glTF or GLB".
pub fn listed<W: AsRef<str>>(words: &[W], last: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        Some((end, begin)) if !begin.is_empty() => format!("{} {last} {end}", begin.join(", ")),
        _ => words.concat(),
    }
}

#[cfg(test)]
mod tests;
