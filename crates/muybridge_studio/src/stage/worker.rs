//! A run on a thread of its own: commands go there in their order, the last finished frame comes back.
//!
//! ```text
//! window   command 1, 2, 3 …  ──►  channel  ──►  thread: all that came, then a step if one is due
//! window   the frame that is there  ◄──  slot  ◄──  thread: a frame where the last was taken, or nothing is due
//! ```
//! Three frames go round (the thread's, the slot's, the window's) and are swapped: neither waits for the other to look or draw.

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

/// What goes from the thread to the window.
#[derive(Debug)]
struct FrameMailbox {
    frame: RunFrame,
    /// Whether the window has not taken it yet.
    is_new: bool,
    /// The last command that was done before it.
    heard: u64,
    told: Vec<RunMessage>,
}

/// Seconds of the world that are made up for at most: what a window that draws slowly lets go by between two of its frames.
const MOST_BEHIND: f64 = 0.25;

impl Worker {
    /// Starts the thread; the interface is drawn again for each frame. `None` where no thread can be had, and the run is lost with it.
    pub fn start(engine: Engine, ctx: &egui::Context) -> Option<Self> {
        let (commands, receiver) = channel();
        let slot = FrameMailbox { frame: engine.frame(), is_new: false, heard: 0, told: Vec::new() };
        let slot = Arc::new(Mutex::new(slot));
        let (shared, ctx) = (slot.clone(), ctx.clone());
        let work = move || RunThread { engine, commands: receiver, slot: shared, heard: 0 }.run(&ctx);
        let thread = std::thread::Builder::new().name("simulation".into()).spawn(work).ok()?;
        Some(Self { commands, slot, thread })
    }

    /// Sends a command and its number; false where the thread has ended.
    pub fn send(&self, number: u64, command: RunCommand) -> bool {
        self.commands.send((number, command)).is_ok()
    }

    /// Swaps the window's frame for the last finished one, if there is one since; the number of the last command done before it, and
    /// what is told.
    pub fn take(&self, frame: &mut RunFrame) -> (Option<u64>, Vec<RunMessage>) {
        let mut slot = locked(&self.slot);
        let is_new = std::mem::take(&mut slot.is_new);
        if is_new {
            std::mem::swap(&mut slot.frame, frame);
        }
        (is_new.then_some(slot.heard), std::mem::take(&mut slot.told))
    }

    /// Whether the thread has ended, which it does only by a fault.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }
}

/// The thread's end.
struct RunThread {
    engine: Engine,
    commands: Receiver<(u64, RunCommand)>,
    slot: Arc<Mutex<FrameMailbox>>,
    heard: u64,
}

impl RunThread {
    /// Works until the window's end is dropped.
    fn run(mut self, ctx: &egui::Context) {
        let mut frame = self.engine.frame();
        let mut is_shown = true;
        while let Ok(heard) = self.listen() {
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

    /// Does all that came, and waits for something to come where no step is due; whether there was anything that can be seen.
    fn listen(&mut self) -> Result<bool, RecvError> {
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
        slot.told.extend(self.engine.told());
    }
}

/// The slot; what a thread that broke off left in it is whole, for nothing happens to it but swaps.
fn locked(slot: &Mutex<FrameMailbox>) -> MutexGuard<'_, FrameMailbox> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
