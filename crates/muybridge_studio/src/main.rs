//! `muybridge-studio [FILE…]`: opens the window with these files; in a web page, starts the studio there.

// Windows opens no console beside the window.
#![cfg_attr(windows, windows_subsystem = "windows")]

#[cfg(not(target_arch = "wasm32"))]
use std::process::ExitCode;

#[cfg(not(target_arch = "wasm32"))]
use muybridge_files::formats::{self, FileFormat, SCENE};

#[cfg(not(target_arch = "wasm32"))]
fn usage() -> String {
    let motions = formats::dotted(FileFormat::holds_motion).join(" ");
    let scene = SCENE.extension();
    format!(
        "Usage: muybridge-studio [FILE…]

See a motion, what is wrong with it, and put it right; build scenes and let them run.
FILE is a motion ({motions}), a scene (.{scene}) or the log of a run (.{scene}), which is done again.

  -h, --help       Print this
  -V, --version    Print the version"
    )
}

#[cfg(not(target_arch = "wasm32"))]
fn main() -> ExitCode {
    let files: Vec<std::path::PathBuf> = std::env::args_os().skip(1).map(Into::into).collect();
    if let Some(option) = files.iter().map(|file| file.to_string_lossy()).find(|file| file.starts_with('-')) {
        return match &*option {
            "-h" | "--help" => print_and_exit(&usage()),
            "-V" | "--version" => print_and_exit(concat!("muybridge-studio ", env!("CARGO_PKG_VERSION"))),
            _ => failed(&format!("there is no option {option}\n\n{}", usage())),
        };
    }
    let options =
        muybridge_studio::StudioOptions { files, folder: muybridge_studio::preferences::folder(), at_once: false };
    match muybridge_studio::run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => failed(&sentence),
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn print_and_exit(text: &str) -> ExitCode {
    println!("{text}");
    ExitCode::SUCCESS
}

#[cfg(not(target_arch = "wasm32"))]
fn failed(text: &str) -> ExitCode {
    eprintln!("muybridge-studio: {text}");
    ExitCode::from(2)
}

#[cfg(target_arch = "wasm32")]
fn main() {
    muybridge_studio::web::run();
}
