//! The binary `muybridge`: the library of this crate, run with the arguments of the shell.

/// Allocates memory where the system's own functions are slow.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    muybridge_cli::end_on_signals();
    muybridge_cli::run(std::env::args_os()).into()
}
