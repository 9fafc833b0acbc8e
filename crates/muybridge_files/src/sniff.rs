//! Which kind of file this is: by what it holds, and only where that does not tell by how it is named.

use std::path::Path;

/// Bytes from the beginning that are looked at. More may be given, fewer if the file is shorter.
pub const ENOUGH: usize = 64 * 1024;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// BVH motion.
    Bvh,
    /// glTF as JSON text.
    Gltf,
    /// glTF in one binary file.
    Glb,
    /// VRM avatar, 0.x or 1.0.
    Vrm,
    /// VRM animation.
    Vrma,
    /// FBX, binary or text.
    Fbx,
    /// MuJoCo model.
    Mjcf,
    /// Robot model.
    Urdf,
    /// Table of masses by bone.
    BodyCsv,
    /// Table of contact points or shapes by bone.
    ContactsCsv,
    /// The project's own character file.
    CharacterToml,
    /// Something that is not read; the sentence says what it is and what is needed instead.
    Refused(&'static str),
}

const EMPTY: &str = "the file is empty; export or download it again";
const LFS: &str = "this is a git-LFS pointer, not the file itself; run git lfs pull";
const TRC: &str =
    "a .trc file holds marker positions; solve them to a skeleton first and give the motion as BVH, glTF or FBX";
const MOT: &str =
    "a .mot file holds joint angles or forces of OpenSim; joint angles need their model, so export the motion as BVH";
const STO: &str =
    "a .sto file holds a table of OpenSim results, forces for example; a motion as BVH, glTF or FBX is needed";
const C3D: &str = "a .c3d file holds marker positions and force plates; solve it to a skeleton first and give the motion as BVH, glTF or FBX";
const OSIM: &str =
    "an .osim file is an OpenSim model; for masses give a table with the columns of a body CSV, or MJCF or URDF";
const OPENSIM_SETUP: &str = "this is an OpenSim set-up file; a motion as BVH, glTF or FBX is needed";
const AMC: &str = "an .amc file holds joint angles that need their .asf skeleton; convert the pair to BVH";
const ASF: &str = "an .asf file is a skeleton without motion; convert it and its .amc to BVH";
const DEEPMIMIC_MOTION: &str =
    "this is a DeepMimic motion, which has no skeleton of its own; convert it with its character file to BVH";
const DEEPMIMIC_CHARACTER: &str =
    "this is a DeepMimic character; for masses give MJCF, URDF, a body CSV or a character.toml";
const MESH: &str = "this is a bare mesh without skeleton or motion; a motion as BVH, glTF or FBX is needed";
const COLLADA: &str = "this is a COLLADA scene; open it in Blender and export glTF or FBX";
const USD: &str = "this is a USD scene; open it in Blender and export glTF or FBX";
const BLEND: &str = "this is a Blender file; export glTF, FBX or BVH from it";
const NUMPY: &str = "this is a NumPy file (AMASS and SMPL data come so); convert the motion to BVH or glTF";
const XACRO: &str = "this is a xacro template; run xacro on it and give the URDF it makes";
const SDF: &str = "this is an SDF model; convert it to URDF or MJCF";
const XML: &str = "this is XML, but neither MJCF (<mujoco>) nor URDF (<robot>)";
const JSON: &str = "this is JSON, but not glTF: it has no \"asset\"";
const HTML: &str = "this is a web page, not the file behind it; download the file itself (on GitHub: Raw)";
const ARCHIVE: &str = "this is a compressed archive; unpack it and give the motion file inside";
const PICTURE: &str = "this is a picture; a motion as BVH, glTF or FBX is needed";
const VIDEO: &str = "this is a video or sound; a motion as BVH, glTF or FBX is needed";
const PDF: &str = "this is a PDF document; a motion as BVH, glTF or FBX is needed";
const BUFFER: &str = "this is a buffer of numbers that belongs to a .gltf file; give the .gltf";
const UTF16: &str = "this is UTF-16 text; save it as UTF-8";
const TABLE: &str = "this is a table whose columns are not known: masses need the columns joint and mass_kg, contacts joint and x,y,z or ax,ay,az";
const NUMBERS: &str =
    "this is a table of numbers without bone names, a force record perhaps; a motion as BVH, glTF or FBX is needed";
const TOML: &str = "this is TOML, but not a character: it does not begin with format = \"muybridge character\"";
const UNKNOWN: &str = "this is no known format; motions are read from BVH, glTF, GLB, VRM, VRMA and FBX, bodies from MJCF, URDF, CSV and character.toml";

/// Tells the kind of a file from its name and its first [`ENOUGH`] bytes (all of them, if it is shorter).
pub fn sniff(path: &Path, first: &[u8]) -> FileKind {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let first = &first[..first.len().min(ENOUGH)];
    let blank = first.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0);
    if first.is_empty() || (blank && extension != "bin") {
        return FileKind::Refused(EMPTY);
    }
    if extension == "bin" && !first.starts_with(b"glTF") {
        return FileKind::Refused(BUFFER);
    }
    by_magic(first, &extension)
        .or_else(|| by_text(first, &extension))
        .or_else(|| by_extension(&extension))
        .unwrap_or(FileKind::Refused(if is_numbers(first) { NUMBERS } else { UNKNOWN }))
}

/// Formats that begin with fixed bytes.
fn by_magic(first: &[u8], extension: &str) -> Option<FileKind> {
    const MAGIC: [(&[u8], &str); 22] = [
        (b"version https://git-lfs", LFS),
        (b"\x89PNG", PICTURE),
        (b"\xff\xd8\xff", PICTURE),
        (b"GIF8", PICTURE),
        (b"BM", PICTURE),
        (b"II*\0", PICTURE),
        (b"MM\0*", PICTURE),
        (b"8BPS", PICTURE),
        (b"RIFF", VIDEO),
        (b"\x1aE\xdf\xa3", VIDEO),
        (b"OggS", VIDEO),
        (b"PK\x03\x04", ARCHIVE),
        (b"\x1f\x8b", ARCHIVE),
        (b"7z\xbc\xaf", ARCHIVE),
        (b"Rar!", ARCHIVE),
        (b"BLENDER", BLEND),
        (b"\x28\xb5\x2f\xfd", ARCHIVE),
        (b"%PDF", PDF),
        (b"PXR-USDC", USD),
        (b"\x93NUMPY", NUMPY),
        (b"\xff\xfe", UTF16),
        (b"\xfe\xff", UTF16),
    ];
    if first.starts_with(b"glTF") {
        return Some(gltf_kind(first, extension, FileKind::Glb));
    }
    if first.starts_with(b"Kaydara FBX Binary") {
        return Some(FileKind::Fbx);
    }
    if first.len() > 8 && &first[4..8] == b"ftyp" {
        return Some(FileKind::Refused(VIDEO));
    }
    let is_c3d = first.len() > 1 && first[0] < b'\t' && first[0] > 0 && first[1] == 0x50;
    if is_c3d {
        return Some(FileKind::Refused(C3D));
    }
    let (_, sentence) = MAGIC.into_iter().find(|(magic, _)| first.starts_with(magic))?;
    Some(FileKind::Refused(match (sentence, extension) {
        (ARCHIVE, "npz") => NUMPY,
        (ARCHIVE, "blend") => BLEND,
        (ARCHIVE, "usdz") => USD,
        _ => sentence,
    }))
}

/// Formats that are text.
fn by_text(first: &[u8], extension: &str) -> Option<FileKind> {
    let first = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
    let begins = |word: &str| first.len() >= word.len() && first[..word.len()].eq_ignore_ascii_case(word.as_bytes());
    match first.first()? {
        b'<' => return Some(xml_kind(first, extension)),
        b'{' => return json_kind(first, extension),
        _ => {}
    }
    if begins("HIERARCHY") {
        return Some(FileKind::Bvh);
    }
    if begins("; FBX") || begins("FBXHeaderExtension") {
        return Some(FileKind::Fbx);
    }
    if begins("#USDA") {
        return Some(FileKind::Refused(USD));
    }
    if begins("PathFileType") {
        return Some(FileKind::Refused(TRC));
    }
    if begins(":version") || begins(":units") || begins("#!OML:ASF") && extension == "asf" {
        return Some(FileKind::Refused(ASF));
    }
    if begins(":FULLY-SPECIFIED") || begins("#!OML:ASF") {
        return Some(FileKind::Refused(AMC));
    }
    if begins("ply\n") || begins("ply\r") || begins("solid ") {
        return Some(FileKind::Refused(MESH));
    }
    if has_line(first, "endheader") {
        return Some(FileKind::Refused(if extension == "mot" { MOT } else { STO }));
    }
    if first.starts_with(b"format") && holds(&first[..first.len().min(120)], "muybridge character") {
        return Some(FileKind::CharacterToml);
    }
    table_kind(first, extension)
}

/// By the extension alone: a broken file goes to its reader, which says where it is broken.
fn by_extension(extension: &str) -> Option<FileKind> {
    Some(match extension {
        "bvh" => FileKind::Bvh,
        "gltf" => FileKind::Gltf,
        "glb" => FileKind::Glb,
        "vrm" => FileKind::Vrm,
        "vrma" => FileKind::Vrma,
        "fbx" => FileKind::Fbx,
        "mjcf" => FileKind::Mjcf,
        "urdf" => FileKind::Urdf,
        "trc" => FileKind::Refused(TRC),
        "mot" => FileKind::Refused(MOT),
        "sto" => FileKind::Refused(STO),
        "c3d" => FileKind::Refused(C3D),
        "osim" => FileKind::Refused(OSIM),
        "amc" => FileKind::Refused(AMC),
        "asf" => FileKind::Refused(ASF),
        "obj" | "stl" | "ply" | "off" => FileKind::Refused(MESH),
        "dae" => FileKind::Refused(COLLADA),
        "usd" | "usda" | "usdc" | "usdz" => FileKind::Refused(USD),
        "blend" => FileKind::Refused(BLEND),
        "npy" | "npz" | "pkl" => FileKind::Refused(NUMPY),
        "toml" => FileKind::Refused(TOML),
        _ => return None,
    })
}

fn gltf_kind(json: &[u8], extension: &str, plain: FileKind) -> FileKind {
    if holds(json, "\"VRMC_vrm_animation\"") {
        FileKind::Vrma
    } else if holds(json, "\"VRMC_vrm\"") || holds(json, "\"VRM\"") {
        FileKind::Vrm
    } else {
        match extension {
            "vrm" => FileKind::Vrm,
            "vrma" => FileKind::Vrma,
            _ => plain,
        }
    }
}

fn json_kind(first: &[u8], extension: &str) -> Option<FileKind> {
    if holds(first, "\"asset\"") || ["gltf", "vrm", "vrma"].contains(&extension) {
        return Some(gltf_kind(first, extension, FileKind::Gltf));
    }
    Some(FileKind::Refused(if holds(first, "\"Frames\"") {
        DEEPMIMIC_MOTION
    } else if holds(first, "\"Skeleton\"") {
        DEEPMIMIC_CHARACTER
    } else if holds(first, "\"accessors\"") || holds(first, "\"bufferViews\"") {
        return Some(FileKind::Gltf);
    } else {
        JSON
    }))
}

fn xml_kind(first: &[u8], extension: &str) -> FileKind {
    let Some(root) = root_tag(first) else {
        return by_extension(extension).unwrap_or(FileKind::Refused(XML));
    };
    match root.to_ascii_lowercase().as_slice() {
        b"mujoco" | b"mujocoinclude" => FileKind::Mjcf,
        b"robot" if extension == "xacro" => FileKind::Refused(XACRO),
        b"robot" => FileKind::Urdf,
        b"opensimdocument" if holds(first, "<Model ") => FileKind::Refused(OSIM),
        b"opensimdocument" => FileKind::Refused(OPENSIM_SETUP),
        b"html" | b"!doctype" | b"head" | b"body" => FileKind::Refused(HTML),
        b"collada" => FileKind::Refused(COLLADA),
        b"svg" => FileKind::Refused(PICTURE),
        b"sdf" => FileKind::Refused(SDF),
        _ => FileKind::Refused(XML),
    }
}

/// The name of the first element, or `!doctype` where that is HTML's.
fn root_tag(mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        rest = &rest[rest.iter().position(|&byte| byte == b'<')? + 1..];
        if rest.starts_with(b"!--") {
            rest = &rest[find(rest, b"-->")?..];
        } else if rest.len() > 13 && rest[..13].eq_ignore_ascii_case(b"!doctype html") {
            return Some(b"!doctype");
        } else if rest.starts_with(b"?") || rest.starts_with(b"!") {
            rest = &rest[find(rest, b">")?..];
        } else {
            let end = rest.iter().position(|byte| byte.is_ascii_whitespace() || b"/>".contains(byte))?;
            let name = &rest[..end];
            return name.rsplit(|&byte| byte == b':').next();
        }
    }
}

/// A table with a header line, by its columns.
fn table_kind(first: &[u8], extension: &str) -> Option<FileKind> {
    let line = String::from_utf8_lossy(first.split(|&byte| byte == b'\n').next()?).to_ascii_lowercase();
    let columns: Vec<&str> = line.split([',', ';', '\t']).map(|column| column.trim().trim_matches('"')).collect();
    let has = |name: &str| columns.contains(&name);
    if has("joint") && has("mass_kg") {
        Some(FileKind::BodyCsv)
    } else if has("joint") && (has("ax") && has("radius") || has("x") && has("y") && has("z")) {
        Some(FileKind::ContactsCsv)
    } else if extension == "csv" || extension == "tsv" {
        Some(FileKind::Refused(TABLE))
    } else {
        None
    }
}

/// Mostly numbers, line by line.
fn is_numbers(first: &[u8]) -> bool {
    let text = String::from_utf8_lossy(&first[..first.len().min(2000)]);
    let words: Vec<&str> = text.split([' ', '\t', ',', ';', '\n', '\r']).filter(|word| !word.is_empty()).collect();
    words.iter().filter(|word| word.parse::<f64>().is_ok()).count() * 10 >= words.len() * 9
}

fn has_line(text: &[u8], line: &str) -> bool {
    text.split(|&byte| byte == b'\n').take(200).any(|found| found.trim_ascii().eq_ignore_ascii_case(line.as_bytes()))
}

fn holds(text: &[u8], word: &str) -> bool {
    find(text, word.as_bytes()).is_some()
}

fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    text.windows(word.len()).position(|window| window == word)
}

#[cfg(test)]
mod tests;
