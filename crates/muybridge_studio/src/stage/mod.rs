//! The open scene, its document and its run, and what the rooms that show it share: picture, hand, handles, outline, keys and controls.
//!
//! Rooms build on this module and know nothing of one another.

pub mod controls;
mod document;
pub mod edits;
mod engine;
pub mod gizmo;
pub mod inspector;
mod lists;
mod mouse_drag;
pub mod outline;
mod pick;
mod playback;
pub mod properties;
mod ragdoll_from_motion;
mod recording;
mod run;
pub mod settings;
mod steps;
mod trace;
#[cfg(not(target_arch = "wasm32"))]
mod worker;
mod world_drawing;

use eframe::egui::Key;

pub use document::{BuiltScene, Keep, OpenScene, Opening, SceneDocument, SceneEdit};
pub use engine::{Engine, RunFrame, RunMessage, Status};
pub use mouse_drag::{MouseDrag, pressed_ray};
pub use ragdoll_from_motion::{Begins, of_motion};
pub use run::RunHandle;
pub use trace::{Sample, Trace};
pub use world_drawing::{PickPoint, Under, WorldDrawing, contacts, picture};

use crate::shortcuts::{Shortcut, key};

/// Plays or pauses the run.
pub const PLAY: Shortcut = key(Key::Space, "Play or pause");
/// Takes one step of the run.
pub const STEP: Shortcut = key(Key::ArrowRight, "A step");
/// Puts the run back to its start.
pub const RESET: Shortcut = key(Key::Home, "Back to the start");
