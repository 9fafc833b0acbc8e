//! Tests of files that another file names: those outside its folder are refused, and the content of none is shown.

use std::path::Path;

use crate::program::{Folder, muybridge};
use crate::test_files::path as shared;

const SECRET: &str = "root:x:0:0:hunter2\nv hunter2 1 2\n";

/// A folder with a secret and a folder `inside`.
fn folder() -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("inside")).unwrap();
    for name in ["secret.obj", "secret.bvh", "secret.xml", "secret.csv", "secret.toml"] {
        folder.file(name, SECRET);
    }
    folder
}

fn scene(thing: &str) -> String {
    format!("[scene]\nseconds = 0.1\n{thing}")
}

/// Scenes that name a file, by the file's extension.
fn scenes(file: &str) -> Vec<String> {
    let cloth = format!("[[cloth]]\nname = \"a\"\nmesh = \"{file}.obj\"\n");
    let obstacle =
        format!("[[obstacle]]\nname = \"a\"\nkind = \"mesh\"\nmesh = \"{file}.obj\"\n[[ball]]\nname = \"b\"\n");
    let carved = format!("[[body]]\nname = \"a\"\nmesh = \"{file}.obj\"\n");
    let person = |key: &str, kind: &str| format!("[[ragdoll]]\nname = \"a\"\n{key} = \"{file}.{kind}\"\n");
    let herd = format!("[[herd]]\nname = \"a\"\ncharacter = \"{file}.bvh\"\n");
    let people = [
        person("character", "bvh"),
        person("character", "xml"),
        person("character", "toml"),
        person("body", "csv"),
        person("body", "xml"),
    ];
    [cloth, obstacle, carved, herd].into_iter().chain(people).map(|thing| scene(&thing)).collect()
}

fn simulate(folder: &Folder, text: &str, more: &[&str]) -> String {
    let file = folder.file("inside/scene.toml", text);
    let said = muybridge([&["simulate", file.to_str().unwrap()], more].concat());
    assert_eq!(said.code, Some(2), "{text}\n{}", said.err);
    assert!(!format!("{}{}", said.out, said.err).contains("hunter2"), "{}", said.err);
    assert!(said.err.contains("scene.toml"), "{}", said.err);
    said.err
}

#[test]
fn scenes_name_no_file_outside_their_folder_unless_it_is_allowed() {
    let folder = folder();
    let absolute = folder.path("secret");
    for file in ["../secret", absolute.to_str().unwrap()] {
        for text in scenes(file) {
            let refused = simulate(&folder, &text, &[]);
            assert!(refused.contains("--allow-outside") && refused.contains("secret."), "{refused}");
            let unread = simulate(&folder, &text, &["--allow-outside"]);
            assert!(!unread.contains("--allow-outside") && unread.contains("secret."), "{unread}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_link_that_leads_outside_is_outside() {
    let folder = folder();
    for kind in ["obj", "bvh", "xml", "csv", "toml"] {
        std::os::unix::fs::symlink(folder.path(&format!("secret.{kind}")), folder.path(&format!("inside/link.{kind}")))
            .unwrap();
    }
    for text in scenes("link") {
        let refused = simulate(&folder, &text, &[]);
        assert!(refused.contains("--allow-outside") && refused.contains("link."), "{refused}");
    }
}

#[test]
fn files_below_the_scene_and_files_named_by_the_user_are_read() {
    let folder = folder();
    std::fs::create_dir(folder.path("inside/below")).unwrap();
    let clip = std::fs::read(shared("truth/mj_jump_30.bvh")).unwrap();
    std::fs::write(folder.path("inside/below/a.bvh"), &clip).unwrap();
    let text = scene("[[ragdoll]]\nname = \"a\"\ncharacter = \"below/../below/a.bvh\"\n");
    let file = folder.file("inside/scene.toml", &text);
    let body = shared("truth/mj_jump_30_body.csv");
    let said = muybridge(["simulate".as_ref(), file.as_os_str(), "--body".as_ref(), body.as_os_str()]);
    assert_eq!(said.code, Some(0), "{}", said.err);
}

#[test]
fn a_model_includes_no_file_outside_its_folder_unless_it_is_allowed() {
    let folder = folder();
    folder.file("part.xml", "<mujocoinclude><worldbody><body name=\"hunter2\"/></worldbody></mujocoinclude>");
    let clip = shared("truth/mj_jump_30.bvh");
    let check = |model: &Path, more: &[&str]| {
        let said = muybridge(
            ["check".as_ref(), clip.as_os_str(), "--body".as_ref(), model.as_os_str()]
                .into_iter()
                .chain(more.iter().map(AsRef::as_ref)),
        );
        assert_eq!(said.code, Some(2), "{}", said.err);
        said.err
    };
    for name in ["../secret.xml", "../part.xml"] {
        let model = folder.file("inside/model.xml", &format!("<mujoco><include file=\"{name}\"/></mujoco>"));
        let refused = check(&model, &[]);
        assert!(refused.contains("--allow-outside") && refused.contains(name), "{refused}");
        let read = check(&model, &["--allow-outside"]);
        assert!(!read.contains("--allow-outside") && !read.contains("hunter2"), "{read}");
    }
}
