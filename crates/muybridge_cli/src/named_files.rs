//! The files that a file names: buffers of a glTF, includes and meshes of a model, characters of a scene.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use muybridge_files::formats::extension_of;
use muybridge_files::gltf::files_named;
use muybridge_files::open::regular_file;

/// Largest text that is looked through, bytes.
const LARGEST: u64 = 64 << 20;

/// Longest path that is looked for, bytes.
const LONGEST: usize = 4096;

/// The files that exist and that a file names, or a file named by it: each file that the readers open, perhaps more.
pub fn files_named_in(path: &Path) -> Vec<PathBuf> {
    let mut found = BTreeSet::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(path) = open.pop() {
        let folder = path.parent().unwrap_or(Path::new(""));
        for name in names_in(&path).unwrap_or_default() {
            let file = folder.join(name);
            if file.is_file() && found.insert(file.clone()) {
                open.push(file);
            }
        }
    }
    found.into_iter().collect()
}

/// The names of files in a file that may name others. The JSON of a binary glTF is its first part.
fn names_in(path: &Path) -> Option<BTreeSet<String>> {
    let extension = extension_of(path);
    let is_binary = matches!(extension.as_str(), "glb" | "vrm" | "vrma");
    let is_gltf = is_binary || extension == "gltf";
    if !is_gltf && !matches!(extension.as_str(), "xml" | "mjcf" | "urdf" | "toml") {
        return None;
    }
    let mut file = regular_file(path).ok()?;
    let mut length = LARGEST;
    if is_binary {
        let mut head = [0; 20];
        file.read_exact(&mut head).ok()?;
        length = length.min(u64::from(u32::from_le_bytes(head[12..16].try_into().ok()?)));
    }
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(if is_gltf { files_named(&text).into_iter().collect() } else { quoted(&text) })
}

/// The texts in quotes.
fn quoted(text: &str) -> BTreeSet<String> {
    // Whichever quotes belong together: each text between two of them is tried.
    let parts = ['"', '\''].into_iter().flat_map(|quote| text.split(quote));
    let may_name = |part: &&str| !part.is_empty() && part.len() <= LONGEST && !part.contains(['\n', '\0']);
    parts.filter(may_name).map(str::to_owned).collect()
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
