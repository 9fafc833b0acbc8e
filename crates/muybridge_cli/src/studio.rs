//! `muybridge studio`: starts the desktop program, a separate binary, so that the other subcommands need no GUI.

use std::path::PathBuf;
use std::process::Command;

use clap::Args;
use muybridge_files::formats::SCENE;

use crate::failure::Failure;
use crate::input_files::motion_formats;

/// Arguments of `muybridge studio`.
#[derive(Args)]
pub struct Studio {
    #[arg(help = format!("Motions ({}) or scenes ({}) to open", motion_formats(), SCENE.name))]
    files: Vec<PathBuf>,
}

/// File name of the desktop program.
const PROGRAM: &str = "muybridge-studio";

impl Studio {
    /// Starts the program beside this one, else the one on the PATH, and waits for it. Returns its exit code.
    pub fn run(&self) -> Result<u8, Failure> {
        let own = std::env::current_exe().ok();
        let beside = own.map(|own| own.with_file_name(PROGRAM).with_extension(std::env::consts::EXE_EXTENSION));
        let program = beside.filter(|program| program.is_file()).unwrap_or_else(|| PROGRAM.into());
        match Command::new(&program).args(&self.files).status() {
            Ok(status) => Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(2)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Failure::Usage(
                "the program muybridge-studio was not found; the Python package has none. In a clone, build it with: \
                 cargo build --release -p muybridge_studio"
                    .into(),
            )),
            Err(error) => Err(Failure::Usage(format!("{} cannot be started: {error}", program.display()))),
        }
    }
}
