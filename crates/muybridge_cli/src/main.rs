//! The program `muybridge`: one file per verb. Messages go to standard error, results to standard output.

mod check;
mod clip_report;
mod clips;
mod convert;
mod explain;
mod failure;
mod file_limit;
mod fix;
mod forces;
mod input_files;
mod options;
mod progress;
mod renamed_options;
mod simulate;
mod studio;
mod survey;
mod targets;
mod verb_output;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Physics for character animation: check a motion against Newton.
#[derive(Parser)]
#[command(name = "muybridge", version, about, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Tell whether a body of that mass could move like that
    ///
    /// Without a clip, a built-in jump is checked. Exit code: 0 plausible, 1 findings (errors or warnings), 2 a file
    /// could not be read.
    Check(Box<check::Check>),
    /// Write a motion in another format
    ///
    /// What the format cannot hold is said on standard error. glTF to glTF keeps meshes and all else, BVH to BVH keeps
    /// units, names, channel orders and End Sites; a new BVH is in centimetres, all else in metres, y up. Exit code: 0,
    /// or 2 if a file could not be converted.
    Convert(Box<convert::Convert>),
    /// Say what a finding means, how it is computed and how to mend it
    ///
    /// Findings are named as `check` names them: flight.gravity. Without a name, all are listed. Exit code: 0, 2 if there is no
    /// finding of that name.
    Explain(explain::Explain),
    /// Put right what no body could do, with the least change
    ///
    /// Flights get the path, the frames and the spin that physics asks for, feet stay where they stand; of the tools that
    /// mend a finding the one that changes least is taken, and the reason is printed. The file keeps its format and
    /// everything else that is in it (FBX becomes GLB). --frames names the frames that may change. Exit code: 0 if nothing is left to find, 1 with findings, 2 if a
    /// file could not be corrected.
    Fix(Box<fix::Fix>),
    /// Let bodies fall: run a scene and record it
    ///
    /// A scene is a TOML file that says what things are: ragdolls, ropes, cloth, plants, boxes, obstacles, hits and bombs.
    /// Without one, a built-in person is dropped; --scenes lists what else is built in. Exit code: 0, 1 if a run that
    /// was done again is another one, 2 if the scene could not be run or a result not be written.
    Simulate(Box<simulate::Simulate>),
    /// Open the desktop program: see a motion, touch it, fix it
    ///
    /// It is built apart: cargo build --release -p muybridge_studio. Exit code: that of the program, 2 if it is not there.
    Studio(studio::Studio),
    /// Check every clip of a library and write tables
    ///
    /// One row per clip and one per flight, as Parquet, CSV or JSON Lines; statistics on standard output and, with
    /// --html, as a page. A clip that cannot be read is a row with its reason. What is done is kept in OUT.parts until
    /// the tables are written: --resume goes on from there. Exit code: 0, or 2 if the tables could not be written.
    Survey(Box<survey::Survey>),
}

fn main() -> ExitCode {
    file_limit::make_it_an_error();
    let renewed = renamed_options::renewed(std::env::args_os());
    renewed.notes.iter().for_each(|note| eprintln!("muybridge: {note}"));
    let outcome = match Cli::parse_from(renewed.arguments).verb {
        Verb::Check(check) => check.run(),
        Verb::Convert(convert) => convert.run(),
        Verb::Explain(explain) => explain.run(),
        Verb::Fix(fix) => fix.run(),
        Verb::Simulate(simulate) => simulate.run(),
        Verb::Studio(studio) => studio.run(),
        Verb::Survey(survey) => survey.run(),
    };
    match outcome {
        Ok(code) => ExitCode::from(code),
        Err(failure::Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(2),
        Err(failure) => {
            eprintln!("muybridge: {failure}");
            ExitCode::from(2)
        }
    }
}
