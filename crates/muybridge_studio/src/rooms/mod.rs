//! The rooms: each has a folder, its panels, its view and its keys, and none knows another.
//!
//! A room is state of looking (camera, toggles, selection) and functions over the [`Workspace`]; documents live in the
//! workspace, so that they outlive a visit. What a room wants from outside it asks for by [`Workspace::ask`].

pub mod behavior;
pub mod motion;
pub mod simulate;
pub mod start;

use eframe::egui;

use crate::documents::Documents;
use crate::shortcuts::Shortcut;
use crate::workspace::{FileToOpen, Workspace};

/// A room of the studio.
pub trait Room {
    /// Draws panels and view into what the frame leaves, and does what was clicked. Called while the room is shown.
    fn ui(&mut self, workspace: &mut Workspace, ui: &mut egui::Ui);

    /// Keys of the room besides those everywhere, in groups for the sheet.
    fn shortcuts(&self) -> &'static [(&'static str, &'static [Shortcut])] {
        &[]
    }

    /// Whether [`Room::open`] takes such a file, by its name or content.
    fn takes(&self, _source: &FileToOpen) -> bool {
        false
    }

    /// Opens a file into the workspace; errors become messages.
    fn open(&mut self, _workspace: &mut Workspace, _source: FileToOpen, _ctx: &egui::Context) {}

    /// The documents that File and Edit act on while the room is shown.
    fn documents<'a>(&self, _workspace: &'a mut Workspace) -> Option<&'a mut dyn Documents> {
        None
    }

    /// Adds what the room exports besides to the File menu.
    fn file_menu(&self, _workspace: &mut Workspace, _ui: &mut egui::Ui) {}
}

/// Which room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomName {
    /// Samples and recent files.
    Start,
    /// See a motion, touch it, fix it.
    Motion,
    /// Build a scene and let it run.
    Simulate,
    /// Actions and plans of the scene.
    Behavior,
}

impl RoomName {
    /// All of them, in the order of the bar.
    pub const ALL: [Self; 4] = [Self::Start, Self::Motion, Self::Simulate, Self::Behavior];

    /// As the bar names it.
    pub fn label(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::Motion => "Motion",
            Self::Simulate => "Build & simulate",
            Self::Behavior => "Behavior",
        }
    }

    /// What it is for.
    pub fn about(self) -> &'static str {
        match self {
            Self::Start => "Samples, recent files, and what was left unsaved",
            Self::Motion => "See a motion, what is wrong with it, and put it right",
            Self::Simulate => "Build a scene and let it run",
            Self::Behavior => "Actions and plans of what is in the scene",
        }
    }
}

/// All rooms.
pub struct Rooms {
    start: start::StartPage,
    motion: motion::MotionRoom,
    simulate: simulate::SimulateRoom,
    behavior: behavior::BehaviorRoom,
}

impl Default for Rooms {
    fn default() -> Self {
        Self {
            start: start::StartPage,
            motion: motion::MotionRoom::new(1),
            simulate: simulate::SimulateRoom::new(2),
            behavior: behavior::BehaviorRoom::new(3),
        }
    }
}

impl Rooms {
    /// A room by its name.
    pub fn get(&mut self, name: RoomName) -> &mut dyn Room {
        match name {
            RoomName::Start => &mut self.start,
            RoomName::Motion => &mut self.motion,
            RoomName::Simulate => &mut self.simulate,
            RoomName::Behavior => &mut self.behavior,
        }
    }
}
