//! Tells the format of a file: by its content, and only where the content does not tell, by its name.

use std::path::Path;

use crate::formats::{self, FORMATS, FileFormat, listed};

/// Bytes at the beginning of a file that are examined; a caller may pass more, or fewer if the file is shorter.
pub const ENOUGH: usize = 64 * 1024;

/// The beginning of a file and its extension, as the marks of formats ask for them.
pub(crate) struct FileHead<'a> {
    /// The first bytes, at most [`ENOUGH`].
    first: &'a [u8],
    /// The first bytes behind a byte order mark and blanks.
    text: &'a [u8],
    /// Extension in lower case, without the dot; empty where there is none.
    pub extension: String,
}

/// A kind of file that is not read.
struct RefusedFile {
    /// Extensions in lower case that tell such a file where its content does not.
    extensions: &'static [&'static str],
    /// Whether the first bytes of a file are those of this kind.
    recognizes: fn(&FileHead<'_>) -> bool,
    /// Says what the file is and what is needed instead.
    sentence: &'static str,
}

const EMPTY: &str = "the file is empty; export or download it again";
const BUFFER: &str = "this is a buffer of numbers that belongs to a .gltf file; give the .gltf";
const XML: &str = "this is XML, but neither MJCF (<mujoco>) nor URDF (<robot>)";
pub(crate) const MESH: &str = "this is a bare mesh without skeleton or motion; a motion as BVH, glTF or FBX is needed";
const NUMBERS: &str =
    "this is a table of numbers without bone names, a force record perhaps; a motion as BVH, glTF or FBX is needed";

/// Kinds of files that are refused, in the order in which their marks are looked for.
static REFUSED: [RefusedFile; 29] = [
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.starts(b"\0\x05\x16\x07"),
        sentence: "this is what macOS leaves beside a file on other disks (AppleDouble), not the file itself; give the one without ._ in its name",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.starts(b"version https://git-lfs"),
        sentence: "this is a git-LFS pointer, not the file itself; run git lfs pull",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| {
            let marks: [&[u8]; 7] = [b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"BM", b"II*\0", b"MM\0*", b"8BPS"];
            marks.into_iter().any(|mark| head.starts(mark)) || head.has_root("svg")
        },
        sentence: "this is a picture; a motion as BVH, glTF or FBX is needed",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| {
            let marks: [&[u8]; 3] = [b"RIFF", b"\x1aE\xdf\xa3", b"OggS"];
            marks.into_iter().any(|mark| head.starts(mark)) || head.first.len() > 8 && &head.first[4..8] == b"ftyp"
        },
        sentence: "this is a video or sound; a motion as BVH, glTF or FBX is needed",
    },
    RefusedFile {
        extensions: &["c3d"],
        recognizes: |head| matches!(head.first, [1..b'\t', 0x50, ..]),
        sentence: "a .c3d file holds marker positions and force plates; solve it to a skeleton first and give the motion as BVH, glTF or FBX",
    },
    RefusedFile {
        extensions: &["npy", "npz", "pkl"],
        recognizes: |head| head.starts(b"\x93NUMPY") || head.is_archive() && head.extension == "npz",
        sentence: "this is a NumPy file (AMASS and SMPL data come so); convert the motion to BVH or glTF",
    },
    RefusedFile {
        extensions: &["blend"],
        recognizes: |head| head.starts(b"BLENDER") || head.is_archive() && head.extension == "blend",
        sentence: "this is a Blender file; export glTF, FBX or BVH from it",
    },
    RefusedFile {
        extensions: &["usd", "usda", "usdc", "usdz"],
        recognizes: |head| {
            head.starts(b"PXR-USDC") || head.begins("#USDA") || head.is_archive() && head.extension == "usdz"
        },
        sentence: "this is a USD scene; open it in Blender and export glTF or FBX",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.is_archive(),
        sentence: "this is a compressed archive; unpack it and give the motion file inside",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.starts(b"%PDF"),
        sentence: "this is a PDF document; a motion as BVH, glTF or FBX is needed",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.starts(b"\xff\xfe") || head.starts(b"\xfe\xff"),
        sentence: "this is UTF-16 text; save it as UTF-8",
    },
    RefusedFile {
        extensions: &["osim"],
        recognizes: |head| head.has_root("opensimdocument") && head.holds("<Model "),
        sentence: "an .osim file is an OpenSim model; for masses give a table with the columns of a body CSV, or MJCF or URDF",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.has_root("opensimdocument"),
        sentence: "this is an OpenSim set-up file; a motion as BVH, glTF or FBX is needed",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.has_root("robot") && head.extension == "xacro",
        sentence: "this is a xacro template; run xacro on it and give the URDF it makes",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| ["html", "!doctype", "head", "body"].into_iter().any(|root| head.has_root(root)),
        sentence: "this is a web page, not the file behind it; download the file itself (on GitHub: Raw)",
    },
    RefusedFile {
        extensions: &["dae"],
        recognizes: |head| head.has_root("collada"),
        sentence: "this is a COLLADA scene; open it in Blender and export glTF or FBX",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.has_root("sdf"),
        sentence: "this is an SDF model; convert it to URDF or MJCF",
    },
    RefusedFile { extensions: &[], recognizes: |head| head.root().is_some(), sentence: XML },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.is_json() && head.holds("\"Frames\""),
        sentence: "this is a DeepMimic motion, which has no skeleton of its own; convert it with its character file to BVH",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.is_json() && head.holds("\"Skeleton\""),
        sentence: "this is a DeepMimic character; for masses give MJCF, URDF, a body CSV or a character.toml",
    },
    RefusedFile {
        extensions: &[],
        recognizes: |head| head.is_json(),
        sentence: "this is JSON, but not glTF: it has no \"asset\"",
    },
    RefusedFile {
        extensions: &["trc"],
        recognizes: |head| head.begins("PathFileType"),
        sentence: "a .trc file holds marker positions; solve them to a skeleton first and give the motion as BVH, glTF or FBX",
    },
    RefusedFile {
        extensions: &["asf"],
        recognizes: |head| {
            head.begins(":version") || head.begins(":units") || head.begins("#!OML:ASF") && head.extension == "asf"
        },
        sentence: "an .asf file is a skeleton without motion; convert it and its .amc to BVH",
    },
    RefusedFile {
        extensions: &["amc"],
        recognizes: |head| head.begins(":FULLY-SPECIFIED") || head.begins("#!OML:ASF"),
        sentence: "an .amc file holds joint angles that need their .asf skeleton; convert the pair to BVH",
    },
    RefusedFile {
        extensions: &["stl", "ply", "off"],
        recognizes: |head| head.begins("ply\n") || head.begins("ply\r") || head.begins("solid "),
        sentence: MESH,
    },
    RefusedFile {
        extensions: &["mot"],
        recognizes: |head| head.extension == "mot" && head.has_line("endheader"),
        sentence: "a .mot file holds joint angles or forces of OpenSim; joint angles need their model, so export the motion as BVH",
    },
    RefusedFile {
        extensions: &["sto"],
        recognizes: |head| head.has_line("endheader"),
        sentence: "a .sto file holds a table of OpenSim results, forces for example; a motion as BVH, glTF or FBX is needed",
    },
    RefusedFile {
        extensions: &["csv", "tsv"],
        recognizes: |_| false,
        sentence: "this is a table whose columns are not known: masses need the columns joint and mass_kg, contacts joint and x,y,z or ax,ay,az",
    },
    RefusedFile {
        extensions: &["toml"],
        recognizes: |_| false,
        sentence: "this is TOML, but not a character: it does not begin with format = \"muybridge character\"",
    },
];

/// Tells the format of a file from its name and its first [`ENOUGH`] bytes (all of them, if it is shorter).
///
/// # Errors
/// A sentence that says what the file is, and what is needed instead.
pub fn sniff(path: &Path, first: &[u8]) -> Result<&'static FileFormat, String> {
    let head = FileHead::new(path, first);
    let blank = head.first.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0);
    if head.first.is_empty() || (blank && head.extension != "bin") {
        return Err(EMPTY.into());
    }
    if head.extension == "bin" && !head.is_glb() {
        return Err(BUFFER.into());
    }
    // A file whose content is of no format is broken: the reader that its name means says where.
    let by_content = FORMATS.iter().copied().find(|format| (format.recognizes)(&head));
    let by_content = by_content.map(Ok).or_else(|| refused(|kind| (kind.recognizes)(&head)));
    let by_name = || formats::by_extension(&head.extension).map(Ok);
    let refused_by_name = || refused(|kind| kind.extensions.contains(&head.extension.as_str()));
    by_content.or_else(by_name).or_else(refused_by_name).unwrap_or_else(|| Err(unknown(&head)))
}

fn refused(is_meant: impl Fn(&RefusedFile) -> bool) -> Option<Result<&'static FileFormat, String>> {
    REFUSED.iter().find(|kind| is_meant(kind)).map(|kind| Err(kind.sentence.to_owned()))
}

/// The sentence for a file that is of no format by its content and its name.
fn unknown(head: &FileHead<'_>) -> String {
    if head.text.starts_with(b"<") {
        return XML.into();
    }
    if head.is_numbers() {
        return NUMBERS.into();
    }
    let motions = listed(&formats::names(FileFormat::holds_motion), "and");
    let bodies = listed(&formats::names(FileFormat::holds_masses), "and");
    format!("this is no known format; motions are read from {motions}, bodies from {bodies}")
}

impl<'a> FileHead<'a> {
    pub fn new(path: &Path, bytes: &'a [u8]) -> Self {
        let first = &bytes[..bytes.len().min(ENOUGH)];
        let text = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
        Self { first, text, extension: formats::extension_of(path) }
    }

    /// Whether the file begins with these bytes.
    pub fn starts(&self, mark: &[u8]) -> bool {
        self.first.starts_with(mark)
    }

    /// Whether the text begins with a word, in any case.
    pub fn begins(&self, word: &str) -> bool {
        self.text.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()))
    }

    /// Whether a word stands anywhere.
    pub fn holds(&self, word: &str) -> bool {
        find(self.first, word.as_bytes()).is_some()
    }

    /// Whether the file is a JSON object.
    pub fn is_json(&self) -> bool {
        self.text.starts_with(b"{")
    }

    fn is_glb(&self) -> bool {
        self.starts(b"glTF")
    }

    /// Whether the file is a glTF of any kind, text or binary.
    fn is_gltf(&self) -> bool {
        let is_named = ["gltf", "vrm", "vrma"].contains(&self.extension.as_str());
        self.is_glb() || self.is_json() && (is_named || self.holds("\"asset\""))
    }

    /// Whether the file is a glTF, and neither VRM nor VRMA.
    pub fn is_plain_gltf(&self) -> bool {
        self.is_gltf() && !self.is_vrm() && !self.is_vrma()
    }

    /// Whether the file is JSON with arrays of a glTF whose "asset" is missing or far behind.
    pub fn is_gltf_without_asset(&self) -> bool {
        let is_deepmimic = self.holds("\"Frames\"") || self.holds("\"Skeleton\"");
        !self.is_gltf() && !is_deepmimic && (self.holds("\"accessors\"") || self.holds("\"bufferViews\""))
    }

    fn names_an_avatar(&self) -> bool {
        self.holds("\"VRMC_vrm\"") || self.holds("\"VRM\"")
    }

    fn names_an_animation(&self) -> bool {
        self.holds("\"VRMC_vrm_animation\"")
    }

    /// Whether the file is a glTF with the extension of a VRM avatar, or called so.
    pub fn is_vrm(&self) -> bool {
        self.is_gltf() && !self.names_an_animation() && (self.names_an_avatar() || self.extension == "vrm")
    }

    /// Whether the file is a glTF with the extension of a VRM animation, or called so.
    pub fn is_vrma(&self) -> bool {
        let is_called_so = self.extension == "vrma" && !self.names_an_avatar();
        self.is_gltf() && (self.names_an_animation() || is_called_so)
    }

    /// Whether the file begins as a character file of this project.
    pub fn is_character(&self) -> bool {
        let line = &self.text[..self.text.len().min(120)];
        line.starts_with(b"format") && find(line, b"muybridge character").is_some()
    }

    fn is_archive(&self) -> bool {
        let marks: [&[u8]; 5] = [b"PK\x03\x04", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd"];
        marks.into_iter().any(|mark| self.starts(mark))
    }

    /// Whether the first element of an XML file has this name, in any case.
    pub fn has_root(&self, name: &str) -> bool {
        self.root().is_some_and(|root| root.eq_ignore_ascii_case(name.as_bytes()))
    }

    /// The name of the first element of an XML file, or `!doctype` of a web page.
    fn root(&self) -> Option<&'a [u8]> {
        let mut rest = self.text.starts_with(b"<").then_some(self.text)?;
        loop {
            rest = &rest[rest.iter().position(|&byte| byte == b'<')? + 1..];
            if rest.starts_with(b"!--") {
                rest = &rest[find(rest, b"-->")?..];
            } else if rest.len() > 13 && rest[..13].eq_ignore_ascii_case(b"!doctype html") {
                return Some(&rest[..8]);
            } else if rest.starts_with(b"?") || rest.starts_with(b"!") {
                rest = &rest[find(rest, b">")?..];
            } else {
                let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte))?;
                return rest[..end].rsplit(|&byte| byte == b':').next();
            }
        }
    }

    /// Whether the first line names all these columns, in any case.
    pub fn has_columns(&self, names: &[&str]) -> bool {
        let line = self.text.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line).to_ascii_lowercase();
        let columns: Vec<&str> = line.split([',', ';', '\t']).map(|column| column.trim().trim_matches('"')).collect();
        names.iter().all(|name| columns.contains(name))
    }

    /// Whether one of the first lines is this one, in any case.
    fn has_line(&self, line: &str) -> bool {
        let mut lines = self.text.split(|&byte| byte == b'\n').take(200);
        lines.any(|found| found.trim_ascii().eq_ignore_ascii_case(line.as_bytes()))
    }

    /// Whether nine of ten words are numbers.
    fn is_numbers(&self) -> bool {
        let text = String::from_utf8_lossy(&self.first[..self.first.len().min(2000)]);
        let words: Vec<&str> = text.split([' ', '\t', ',', ';', '\n', '\r']).filter(|word| !word.is_empty()).collect();
        words.iter().filter(|word| word.parse::<f64>().is_ok()).count() * 10 >= words.len() * 9
    }
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}

#[cfg(test)]
mod tests;
