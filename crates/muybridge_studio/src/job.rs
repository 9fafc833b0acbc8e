//! Long work beside the interface: on a thread where there are threads, at once where there are none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use eframe::egui;

/// How work is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobMode {
    /// On a thread of its own; on the web at once.
    Beside,
    /// At once, before [`Job::start`] returns: in tests.
    AtOnce,
}

/// What work and interface share: how far it is, and whether it is still wanted.
#[derive(Debug, Default)]
pub struct JobProgress {
    parts: AtomicU32,
    cancelled: AtomicBool,
}

/// Parts of the whole that [`JobProgress`] counts.
const WHOLE: f64 = 10_000.0;

impl JobProgress {
    /// Says how much is done, 0 to 1.
    pub fn set(&self, done: f64) {
        self.parts.store((done.clamp(0.0, 1.0) * WHOLE) as u32, Ordering::Relaxed);
    }

    /// How much is done, 0 to 1; 0 also where the work does not say.
    pub fn done(&self) -> f64 {
        f64::from(self.parts.load(Ordering::Relaxed)) / WHOLE
    }

    /// Whether nobody waits any more: work asks now and then, and ends.
    pub fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Work that gives a `T`, or a sentence about why not.
#[derive(Debug)]
pub struct Job<T> {
    /// What is done, in words: "Opening jump.bvh".
    pub name: String,
    /// How far it is.
    pub progress: Arc<JobProgress>,
    answer: Receiver<Result<T, String>>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts `work`; the interface is drawn again when it is done.
    pub fn start(
        running: JobMode,
        ctx: &egui::Context,
        name: impl Into<String>,
        work: impl FnOnce(&JobProgress) -> Result<T, String> + Send + 'static,
    ) -> Self {
        let (progress, (sender, answer)) = (Arc::new(JobProgress::default()), channel());
        let (shared, ctx) = (progress.clone(), ctx.clone());
        let run = move || {
            // The receiver is gone where the job was dropped: nobody wants the answer.
            let _ = sender.send(work(&shared));
            ctx.request_repaint();
        };
        let name = name.into();
        start(running, &name, run);
        Self { name, progress, answer }
    }

    /// The answer, once, when there is one. Work that broke off in a panic is an error like any other.
    pub fn poll(&self) -> Option<Result<T, String>> {
        match self.answer.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(format!("{} broke off; this is a fault of ours", self.name))),
        }
    }

    /// Asks the work to end; what it still answers is not waited for.
    pub fn cancel(&self) {
        self.progress.cancelled.store(true, Ordering::Relaxed);
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn start(running: JobMode, name: &str, run: impl FnOnce() + Send + 'static) {
    match running {
        JobMode::AtOnce => run(),
        // Where no thread can be had the answer never comes, and `poll` says so: the sender is dropped with `run`.
        JobMode::Beside => drop(std::thread::Builder::new().name(name.into()).spawn(run)),
    }
}

#[cfg(target_arch = "wasm32")]
fn start(_running: JobMode, _name: &str, run: impl FnOnce() + Send + 'static) {
    run();
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.progress.cancelled.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_answers_once_and_reports_how_far_it_is() {
        let job = Job::start(JobMode::AtOnce, &egui::Context::default(), "Adding", |progress| {
            progress.set(0.5);
            Ok(1 + 1)
        });
        assert_eq!(job.progress.done(), 0.5);
        assert_eq!(job.poll(), Some(Ok(2)));
    }

    #[test]
    fn a_dropped_job_is_told_that_nobody_waits() {
        let (sender, seen) = channel();
        let job = Job::start(JobMode::Beside, &egui::Context::default(), "Waiting", move |progress: &JobProgress| {
            while !progress.cancelled() {
                std::thread::yield_now();
            }
            let _ = sender.send(());
            Ok(())
        });
        drop(job);
        assert!(seen.recv_timeout(std::time::Duration::from_secs(20)).is_ok());
    }
}
