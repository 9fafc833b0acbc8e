//! Tests of pipes, sockets, devices and links to them in the place of files: refused in a sentence, never waited for.
#![cfg(unix)]

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use crate::program::{Folder, Said, muybridge};
use crate::test_files::path as shared;

/// Links to devices lead out of the folder.
const OUTSIDE: &str = "--allow-outside";
const WHY: &str = "this is a pipe, a socket or a device; give a regular file";

/// A folder with a pipe, a link to a pipe, a socket and a link to an endless device, each as `pipe.EXTENSION` and so on.
fn special(extension: &str) -> (Folder, Vec<String>) {
    let folder = Folder::new();
    let [pipe, link, socket, device] =
        ["pipe", "link", "socket", "device"].map(|name| folder.path(&format!("{name}.{extension}")));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::os::unix::fs::symlink(&pipe, &link).unwrap();
    drop(UnixListener::bind(&socket).unwrap());
    std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
    let names = [pipe, link, socket, device].iter().map(|path| path.display().to_string()).collect();
    (folder, names)
}

fn assert_refused(said: &Said, named: &str) {
    let name = Path::new(named).file_name().unwrap().to_str().unwrap();
    assert_eq!(said.code, Some(2), "{named}: {}", said.err);
    assert!(said.err.contains(WHY) && said.err.contains(name), "{named}: {}", said.err);
}

/// Runs the program with each of the special files as the last argument.
fn refuses(extension: &str, before: &[&str]) {
    let (_folder, files) = special(extension);
    for file in &files {
        let last = [file.as_str()];
        assert_refused(&muybridge(before.iter().chain(&last)), file);
    }
}

#[test]
fn special_files_as_clips_are_refused() {
    refuses("bvh", &["check"]);
    refuses("bvh", &["fix", "--dry-run"]);
    for extension in ["gltf", "glb", "fbx"] {
        refuses(extension, &["check"]);
    }
    let (folder, files) = special("bvh");
    let out = folder.path("out.glb").display().to_string();
    for file in &files {
        assert_refused(&muybridge(["convert", file, &out]), file);
    }
}

#[test]
fn special_files_beside_a_clip_are_refused() {
    let clip = shared("truth/mj_jump_30.bvh").display().to_string();
    for (option, extension) in [
        ("--body", "xml"),
        ("--body", "csv"),
        ("--contacts", "csv"),
        ("--roles", "toml"),
        ("--limits", "toml"),
        ("--forces", "csv"),
    ] {
        refuses(extension, &["check", &clip, option]);
    }
}

#[test]
fn special_files_as_scenes_logs_and_characters_are_refused() {
    for extension in ["toml", "bvh", "glb", "xml"] {
        refuses(extension, &["simulate"]);
    }
    refuses("toml", &["simulate", "--replay"]);
    refuses("xml", &["simulate", "--body"]);
}

#[test]
fn special_files_that_a_scene_or_model_names_are_refused() {
    let thing = |extension: &str, scene: &dyn Fn(&str) -> String| {
        let (folder, files) = special(extension);
        for file in files {
            let name = Path::new(&file).file_name().unwrap().to_str().unwrap();
            let scene = folder.file("scene.toml", &scene(name));
            assert_refused(&muybridge(["simulate".as_ref(), scene.as_os_str(), OUTSIDE.as_ref()]), &file);
        }
    };
    thing("obj", &|name| format!("[scene]\nseconds = 0.1\n[[cloth]]\nname = \"a\"\nmesh = \"{name}\"\n"));
    thing("bvh", &|name| format!("[scene]\nseconds = 0.1\n[[ragdoll]]\nname = \"a\"\ncharacter = \"{name}\"\n"));
    thing("xml", &|name| format!("[scene]\nseconds = 0.1\n[[ragdoll]]\nname = \"a\"\nbody = \"{name}\"\n"));

    let (folder, files) = special("xml");
    let clip = shared("truth/mj_jump_30.bvh");
    for file in files {
        let name = Path::new(&file).file_name().unwrap().to_str().unwrap();
        let model = folder.file("model.xml", &format!("<mujoco><include file=\"{name}\"/></mujoco>"));
        assert_refused(
            &muybridge(["check".as_ref(), clip.as_os_str(), "--body".as_ref(), model.as_os_str(), OUTSIDE.as_ref()]),
            &file,
        );
    }
}

#[test]
fn a_glb_buffer_that_is_a_pipe_is_not_waited_for() {
    let (folder, _files) = special("bin");
    let text = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"pipe.bin","byteLength":4}],"bufferViews":[{"buffer":0,"byteLength":4}],"accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"SCALAR"}],"nodes":[{"name":"a"}],"scenes":[{"nodes":[0]}],"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],"samplers":[{"input":0,"output":0}]}]}"#;
    let clip = folder.file("a.gltf", text);
    let said = muybridge(["check".as_ref(), clip.as_os_str()]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.err.contains("pipe.bin"), "{}", said.err);
}
