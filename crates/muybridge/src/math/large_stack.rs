//! Large stacks for kernels in unoptimized builds.

/// Runs `work` on a stack that is large enough for a kernel in every build.
///
/// A kernel is inlined into one function per instruction set. Without optimization each of its values has its own stack
/// slot: 10 MB for a herd step in vectors of 16, while a thread has 2 MB. Such builds run kernels on threads with
/// larger stacks, if the crate has threads at all (`parallel`).
#[cfg(all(unoptimized, feature = "parallel", not(target_family = "wasm")))]
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    use std::sync::LazyLock;

    use rayon::{ThreadPool, ThreadPoolBuilder};

    static POOL: LazyLock<Option<ThreadPool>> =
        LazyLock::new(|| ThreadPoolBuilder::new().stack_size(64 << 20).build().ok());
    match &*POOL {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Runs `work` directly, because optimized kernels need little stack.
#[cfg(not(all(unoptimized, feature = "parallel", not(target_family = "wasm"))))]
#[inline(always)]
pub(crate) fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    work()
}
