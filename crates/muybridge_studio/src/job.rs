//! Long work in the background: on a thread if the platform has threads, otherwise at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use eframe::egui;

/// Whether background work runs on a thread or at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobMode {
    /// On a thread; on the web at once.
    Beside,
    /// At once, before [`Job::start`] returns; used in tests.
    AtOnce,
}

/// Progress of background work, and whether it was canceled; shared by the work and the interface.
#[derive(Debug, Default)]
pub struct JobProgress {
    parts: AtomicU32,
    cancelled: AtomicBool,
}

/// Resolution of [`JobProgress`]: number of steps from 0 to 1.
const WHOLE: f64 = 10_000.0;

impl JobProgress {
    /// Sets the fraction that is done, 0 to 1.
    pub fn set(&self, done: f64) {
        self.parts.store((done.clamp(0.0, 1.0) * WHOLE) as u32, Ordering::Relaxed);
    }

    /// Fraction that is done, 0 to 1; 0 also if the work reports no progress.
    pub fn done(&self) -> f64 {
        f64::from(self.parts.load(Ordering::Relaxed)) / WHOLE
    }

    /// Whether the work was canceled; long work checks this now and then and stops.
    pub fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

/// Background work that results in a `T` or an error message.
#[derive(Debug)]
pub struct Job<T> {
    /// Name of the work for the status line: "Opening jump.bvh".
    pub name: String,
    /// Progress of the work.
    pub progress: Arc<JobProgress>,
    answer: Receiver<Result<T, String>>,
}

impl<T: Send + 'static> Job<T> {
    /// Starts `work` and repaints the interface when it is done.
    pub fn start(
        running: JobMode,
        ctx: &egui::Context,
        name: impl Into<String>,
        work: impl FnOnce(&JobProgress) -> Result<T, String> + Send + 'static,
    ) -> Self {
        let (progress, (sender, answer)) = (Arc::new(JobProgress::default()), channel());
        let (shared, ctx) = (progress.clone(), ctx.clone());
        let run = move || {
            // Sending fails only if the job was dropped, and then nobody waits for the result.
            let _ = sender.send(work(&shared));
            ctx.request_repaint();
        };
        let name = name.into();
        start(running, &name, run);
        Self { name, progress, answer }
    }

    /// Result of the work, returned once it is there; `None` before. A panic in the work becomes an error message.
    pub fn poll(&self) -> Option<Result<T, String>> {
        match self.answer.try_recv() {
            Ok(answer) => Some(answer),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err(format!("{} stopped because of a bug in Muybridge; please report it", self.name)))
            }
        }
    }

    /// Asks the work to stop; its result is ignored.
    pub fn cancel(&self) {
        self.progress.cancelled.store(true, Ordering::Relaxed);
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn start(running: JobMode, name: &str, run: impl FnOnce() + Send + 'static) {
    match running {
        JobMode::AtOnce => run(),
        // If no thread can be started, `run` drops the sender, and `poll` returns an error.
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
