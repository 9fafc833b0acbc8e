//! A run on its own thread: commands are sent to it in order, and the last finished frame comes back.
//!
//! ```text
//! window   command 1, 2, 3 …  ──►  channel  ──►  thread: executes pending commands, then a step if one is due
//! window   newest frame  ◄──  slot  ◄──  thread: publishes if the last frame was taken, or no step is due
//! ```
//! Three frames (of the thread, the slot and the window) are swapped, so neither side waits for the other to compute
//! or draw.

use std::sync::mpsc::{Receiver, RecvError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use eframe::egui;

use super::engine::{Engine, RunCommand, RunFrame, RunMessage};

/// The window's end of a run on a thread.
#[derive(Debug)]
pub struct Worker {
    commands: Sender<(u64, RunCommand)>,
    slot: Arc<Mutex<FrameMailbox>>,
    thread: JoinHandle<()>,
}

/// Data shared by the thread and the window.
#[derive(Debug)]
struct FrameMailbox {
    frame: RunFrame,
    /// Whether the window has not taken the frame yet.
    is_new: bool,
    /// Number of the last command executed before the frame.
    heard: u64,
    told: Vec<RunMessage>,
}

/// Greatest lag that is made up for, in simulated seconds: covers the time between two frames of a slow window.
const MOST_BEHIND: f64 = 0.25;

impl Worker {
    /// Starts the thread, which repaints the interface for each frame. `None` if no thread can be started; the run is
    /// then lost.
    pub fn start(engine: Engine, ctx: &egui::Context) -> Option<Self> {
        let (commands, receiver) = channel();
        let slot = FrameMailbox { frame: engine.frame(), is_new: false, heard: 0, told: Vec::new() };
        let slot = Arc::new(Mutex::new(slot));
        let (shared, ctx) = (slot.clone(), ctx.clone());
        let work = move || RunThread { engine, commands: receiver, slot: shared, heard: 0 }.run(&ctx);
        let thread = std::thread::Builder::new().name("simulation".into()).spawn(work).ok()?;
        Some(Self { commands, slot, thread })
    }

    /// Sends a command with its number; returns false if the thread has ended.
    pub fn send(&self, number: u64, command: RunCommand) -> bool {
        self.commands.send((number, command)).is_ok()
    }

    /// Swaps the window's frame for a newer one, if there is one. Returns the number of the last command executed
    /// before the new frame, and the run's events.
    pub fn take(&self, frame: &mut RunFrame) -> (Option<u64>, Vec<RunMessage>) {
        let mut slot = locked(&self.slot);
        let is_new = std::mem::take(&mut slot.is_new);
        if is_new {
            std::mem::swap(&mut slot.frame, frame);
        }
        (is_new.then_some(slot.heard), std::mem::take(&mut slot.told))
    }

    /// Whether the thread has ended, which happens only if it panics.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }
}

/// The thread's end of a run.
struct RunThread {
    engine: Engine,
    commands: Receiver<(u64, RunCommand)>,
    slot: Arc<Mutex<FrameMailbox>>,
    heard: u64,
}

impl RunThread {
    /// Runs until the window's end is dropped.
    fn run(mut self, ctx: &egui::Context) {
        let mut frame = self.engine.frame();
        let mut is_shown = true;
        while let Ok(heard) = self.receive_commands() {
            is_shown &= !heard;
            if self.engine.is_due() {
                self.engine.step_due();
                is_shown = false;
            }
            if !is_shown && (!self.engine.is_due() || !locked(&self.slot).is_new) {
                self.publish(&mut frame);
                is_shown = true;
                ctx.request_repaint();
            }
        }
    }

    /// Executes pending commands; waits for one if no step is due. Returns whether any may have changed what is shown.
    fn receive_commands(&mut self) -> Result<bool, RecvError> {
        let mut next = if self.engine.is_due() { None } else { Some(self.commands.recv()?) };
        let mut heard = false;
        loop {
            if let Some((number, command)) = next {
                heard |= !matches!(command, RunCommand::Pass(_) | RunCommand::Ask(_));
                self.engine.obey(command);
                self.engine.forgive(MOST_BEHIND);
                self.heard = number;
            }
            next = match self.commands.try_recv() {
                Ok(next) => Some(next),
                Err(TryRecvError::Empty) => return Ok(heard),
                Err(TryRecvError::Disconnected) => return Err(RecvError),
            }
        }
    }

    fn publish(&mut self, frame: &mut RunFrame) {
        self.engine.show(frame);
        let mut slot = locked(&self.slot);
        std::mem::swap(&mut slot.frame, frame);
        (slot.is_new, slot.heard) = (true, self.heard);
        slot.told.extend(self.engine.drain_messages());
    }
}

/// Locks the slot. Its content is valid even after a panic of the thread, as it is only ever swapped.
fn locked(slot: &Mutex<FrameMailbox>) -> MutexGuard<'_, FrameMailbox> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
