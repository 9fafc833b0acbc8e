//! Room for kernels in builds without optimisation.

/// Does `work` on a stack that has room for a kernel however it is built.
///
/// A kernel is inlined into one function per instruction set. Without optimisation each of its values has a place of its own on the
/// stack, 10 MB for a step of a herd in vectors of 16, where a thread has 2 MB: such builds take a thread with more for each run.
#[cfg(all(unoptimized, not(target_family = "wasm")))]
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work);
        let thread = thread.expect("the system starts a thread");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Does `work`; see the builds without optimisation.
#[cfg(not(all(unoptimized, not(target_family = "wasm"))))]
#[inline(always)]
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    work()
}
