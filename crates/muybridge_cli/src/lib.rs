//! The program `muybridge`: one file per subcommand. Messages go to standard error, results to standard output.

/// Writes a line to standard error, hidden characters as escapes: a name must not steer the terminal. Unlike `eprintln!`, it
/// does not panic if that is closed or full: results still count.
macro_rules! say {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let text = format!($($text)*);
        let _ = writeln!(std::io::stderr(), "{}", muybridge_report::terminal::visible(&text));
    }};
}

mod check;
mod clip_report;
mod clips;
mod convert;
mod explain;
mod failure;
mod film;
mod fix;
mod forces;
#[cfg(fuzzing)]
pub mod fuzzing;
mod input_files;
mod internal_error;
mod named_files;
mod options;
mod progress;
mod renamed_options;
mod signals;
mod simulate;
mod studio;
mod survey;
mod targets;
mod threads;
mod verb_output;

pub use signals::end_on_signals;

use std::ffi::OsString;
use std::io::Write;

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
    /// Check whether a body of that mass could move like that
    ///
    /// Without a clip, a built-in jump is checked. Exit code: 0 plausible, 1 findings (errors or warnings), 2 a file
    /// could not be read.
    Check(Box<check::Check>),
    /// Write a motion in another format
    ///
    /// Losses of the format are reported on standard error. glTF to glTF keeps meshes and all else, BVH to BVH keeps
    /// units, names, channel orders and End Sites; a new BVH is in centimeters, all else in meters, y up. Exit code: 0,
    /// or 2 if a file could not be converted.
    Convert(Box<convert::Convert>),
    /// Say what a finding means, how it is computed and how to mend it
    ///
    /// Findings are named as `check` names them: flight.gravity. Without a name, all are listed. Exit code: 0, 2 if there is no
    /// finding of that name.
    Explain(explain::Explain),
    /// Correct implausible motion with the least change
    ///
    /// Flights get their ballistic path, duration and angular momentum, and planted feet stay in place. Of the tools
    /// that remove a finding the one that changes least is chosen, and the reason is printed. The file keeps its format
    /// and all its other content (FBX becomes GLB). --frames names the frames that may change. Exit code: 0 without
    /// remaining findings, 1 with findings, 2 if a file could not be corrected.
    Fix(Box<fix::Fix>),
    /// Simulate a scene and record it
    ///
    /// A scene is a TOML file of ragdolls, ropes, cloth, plants, boxes, obstacles, hits and bombs. Without one, a
    /// built-in person is dropped; --scenes lists the built-in scenes. Exit code: 0, 1 if a replay differs from its
    /// log, 2 if the scene could not be run or a result could not be written.
    Simulate(Box<simulate::Simulate>),
    /// Open the desktop program: view, edit and fix motions
    ///
    /// Built separately: cargo build --release -p muybridge_studio. Exit code: that of the program, 2 if it is missing.
    Studio(studio::Studio),
    /// Check every clip of a library and write tables
    ///
    /// One row per clip and one per flight, as Parquet, CSV or JSON Lines; statistics on standard output and, with
    /// --html, as a page. A clip that cannot be read is a row with its reason. Finished work is kept in OUT.parts until
    /// the tables are written: --resume continues from there. Exit code: 0, or 2 if the tables could not be written.
    Survey(Box<survey::Survey>),
}

/// Runs the program with its arguments, its name first, and returns its exit code when all output is written.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    internal_error::keep_quiet();
    internal_error::caught(|| run_verb(arguments)).unwrap_or_else(|sentence| {
        say!("muybridge: {sentence}");
        2
    })
}

fn run_verb(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    signals::catch_file_limit();
    let renewed = renamed_options::renewed(arguments);
    renewed.notes.iter().for_each(|note| say!("muybridge: {note}"));
    let cli = match Cli::try_parse_from(renewed.arguments) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && hides_something(&error) => {
            error.render().to_string().lines().for_each(|line| say!("{line}"));
            return 2;
        }
        Err(help_or_error) => {
            let printed = help_or_error.print();
            return printed.map_or(2, |()| u8::try_from(help_or_error.exit_code()).unwrap_or(2));
        }
    };
    let outcome = match cli.verb {
        Verb::Check(check) => check.run(),
        Verb::Convert(convert) => convert.run(),
        Verb::Explain(explain) => explain.run(),
        Verb::Fix(fix) => fix.run(),
        Verb::Simulate(simulate) => simulate.run(),
        Verb::Studio(studio) => studio.run(),
        Verb::Survey(survey) => survey.run(),
    };
    match outcome.and_then(|code| Ok(std::io::stdout().flush().map(|()| code)?)) {
        Ok(code) => code,
        Err(failure::Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => 2,
        Err(failure) => {
            say!("muybridge: {failure}");
            2
        }
    }
}

/// Whether a message about the options repeats hidden characters of an argument.
fn hides_something(error: &clap::Error) -> bool {
    error.render().to_string().lines().any(|line| muybridge_report::terminal::visible(line) != line)
}
