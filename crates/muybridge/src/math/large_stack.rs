//! Room for kernels in builds without optimisation.

/// Does `work` on a stack that has room for a kernel however it is built.
///
/// A kernel is inlined into one function per instruction set. Without optimisation each of its values has a place of its own on the
/// stack, 10 MB for a step of a herd in vectors of 16, where a thread has 2 MB: such builds have threads with more, where the crate has
/// threads at all (`parallel`).
#[cfg(all(unoptimized, feature = "parallel", not(target_family = "wasm")))]
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    use std::sync::LazyLock;

    use rayon::{ThreadPool, ThreadPoolBuilder};

    static POOL: LazyLock<Option<ThreadPool>> =
        LazyLock::new(|| ThreadPoolBuilder::new().stack_size(64 << 20).build().ok());
    match &*POOL {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// Does `work`; see the builds without optimisation.
#[cfg(not(all(unoptimized, feature = "parallel", not(target_family = "wasm"))))]
#[inline(always)]
pub fn on_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    work()
}
