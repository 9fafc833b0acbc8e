//! The files that a file names: buffers of a glTF, includes and meshes of a model, characters of a scene.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use muybridge_files::formats::extension_of;
use muybridge_files::open::regular_file;

/// Largest text that is looked through, bytes.
const LARGEST: u64 = 64 << 20;

/// Longest path that is looked for, bytes.
const LONGEST: usize = 4096;

/// The files that exist and that a file names, or a file named by it, in quotes. It finds each file that the readers open,
/// perhaps more.
pub fn files_named_in(path: &Path) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(path) = open.pop() {
        let folder = path.parent().unwrap_or(Path::new(""));
        let text = text_of(&path).unwrap_or_default();
        for name in quoted(&text) {
            let file = folder.join(name);
            if file.is_file() && found.insert(file.clone()) {
                open.push(file);
            }
        }
    }
    found.into_iter().collect()
}

/// The text of a file that may name others: the whole, or the first part of a binary glTF.
fn text_of(path: &Path) -> Option<String> {
    let is_binary = match extension_of(path).as_str() {
        "gltf" | "xml" | "mjcf" | "urdf" | "toml" => false,
        "glb" | "vrm" | "vrma" => true,
        _ => return None,
    };
    let mut file = regular_file(path).ok()?;
    let mut length = LARGEST;
    if is_binary {
        let mut head = [0; 20];
        file.read_exact(&mut head).ok()?;
        length = length.min(u64::from(u32::from_le_bytes(head[12..16].try_into().ok()?)));
    }
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The texts in quotes, as they are and with the escapes of a URI replaced.
fn quoted(text: &str) -> BTreeSet<PathBuf> {
    let mut names = BTreeSet::new();
    for quote in ['"', '\''] {
        // Whichever quotes belong together: each text between two of them is tried.
        for name in text.split(quote) {
            let is_name = !name.is_empty() && name.len() <= LONGEST && !name.contains(['\n', '\0']);
            if is_name && !name.starts_with("data:") {
                names.insert(PathBuf::from(name));
                names.extend(decoded(name).map(PathBuf::from));
            }
        }
    }
    names
}

/// A URI with its escapes replaced; `None` where it has none.
fn decoded(uri: &str) -> Option<String> {
    let bytes = uri.as_bytes();
    let mut decoded = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let escaped = uri.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped.filter(|_| bytes[at] == b'%') {
            Some(byte) => {
                decoded.push(byte);
                at += 3;
            }
            None => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok().filter(|name| name != uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_through_others() {
        let folder = std::env::temp_dir().join(format!("muybridge_named_{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write("a b.bin", "");
        write("walk.gltf", r#"{"buffers": [{"uri": "a%20b.bin"}, {"uri": "data:,x"}, {"uri": "none.bin"}]}"#);
        write("part.xml", "<a/>");
        write("body.xml", "<mujoco><include file='part.xml'/></mujoco>");
        write("scene.toml", "[[ragdoll]]\ncharacter = \"walk.gltf\"\nbody = 'body.xml'\n");
        let found = files_named_in(&folder.join("scene.toml"));
        let names: Vec<_> = found.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!(names, ["a b.bin", "body.xml", "part.xml", "walk.gltf"]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
