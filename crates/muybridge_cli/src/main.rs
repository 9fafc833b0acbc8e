//! The binary `muybridge`: the library of this crate, run with the arguments of the shell.

fn main() -> std::process::ExitCode {
    muybridge_cli::run(std::env::args_os()).into()
}
