//! Worker threads over a range of indices, with results in order.
//!
//! Each thread has its own thread pool, so that one thread computes a clip and no more clips are in memory than there
//! are threads. A thread may be at most [`WINDOW`] indices ahead of the last taken result, which bounds the waiting
//! results.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;
use crate::threads;

/// Largest number of indices that work may be ahead of the taken results.
const WINDOW: usize = 1024;

struct QueueState<T> {
    next: usize,
    end: usize,
    taken: usize,
    waiting: BTreeMap<usize, T>,
}

struct WorkQueue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
}

/// Calls `work` for every index on `threads` threads, and `take` with the results in index order on the calling thread.
/// The first error of `take` ends the work.
pub fn in_order<T: Send>(
    indices: Range<usize>,
    threads: usize,
    work: &(dyn Fn(usize) -> T + Sync),
    take: &mut dyn FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let state = QueueState { next: indices.start, end: indices.end, taken: indices.start, waiting: BTreeMap::new() };
    let shared = &WorkQueue { state: Mutex::new(state), changed: Condvar::new() };
    std::thread::scope(|scope| {
        let run = || {
            move || {
                let alone = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
                while let Some(index) = shared.next() {
                    let result = work(index);
                    shared.lock().waiting.insert(index, result);
                    shared.changed.notify_all();
                }
                drop(alone);
            }
        };
        let start = |_| std::thread::Builder::new().spawn_scoped(scope, run()).map(drop);
        let started = (0..threads.min(indices.len())).try_for_each(start).map_err(|error| threads::refused(&error));
        let outcome = started.and_then(|()| indices.clone().try_for_each(|index| take(shared.result(index))));
        shared.lock().end = 0;
        shared.changed.notify_all();
        outcome
    })
}

impl<T> WorkQueue<T> {
    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the next index to work on; `None` if there is none.
    fn next(&self) -> Option<usize> {
        let far_ahead = |state: &mut QueueState<T>| state.next < state.end && state.next >= state.taken + WINDOW;
        let mut state = self.changed.wait_while(self.lock(), far_ahead).unwrap_or_else(PoisonError::into_inner);
        let index = state.next;
        state.next += 1;
        (index < state.end).then_some(index)
    }

    /// Waits for the result of `index`.
    fn result(&self, index: usize) -> T {
        let mut state = self.lock();
        loop {
            if let Some(result) = state.waiting.remove(&index) {
                state.taken = index + 1;
                self.changed.notify_all();
                return result;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_however_long_each_takes() {
        for threads in [1, 3, 8] {
            let mut taken = Vec::new();
            let work = |index: usize| {
                std::thread::sleep(std::time::Duration::from_micros((index * 7919 % 13) as u64 * 20));
                index
            };
            in_order(5..3000, threads, &work, &mut |index| {
                taken.push(index);
                Ok(())
            })
            .unwrap();
            assert_eq!(taken, (5..3000).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let mut count = 0;
        let outcome = in_order(0..100_000, 4, &|index| index, &mut |_| {
            count += 1;
            if count == 10 { Err(Failure::Usage("full".into())) } else { Ok(()) }
        });
        assert!(outcome.is_err());
        assert_eq!(count, 10);
    }

    #[test]
    fn nothing_to_do_is_done() {
        in_order(0..0, 4, &|index| index, &mut |_| Ok(())).unwrap();
    }
}
