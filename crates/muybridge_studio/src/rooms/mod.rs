//! The rooms of the studio. Each has its own folder, panels, view and keys, and no room depends on another.
//!
//! A room holds view state (camera, toggles, selection) and functions over the [`Workspace`]. Documents live in the
//! workspace, so they outlive a visit. A room makes requests to the program with `Workspace::request`.

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
    /// Draws panels and view into the remaining space and handles input. Called while the room is shown.
    fn ui(&mut self, workspace: &mut Workspace, ui: &mut egui::Ui);

    /// Keys of the room besides the global ones, in named groups for the list of shortcuts.
    fn shortcuts(&self) -> &'static [(&'static str, &'static [Shortcut])] {
        &[]
    }

    /// Whether [`Room::open`] accepts this file, judged by name or content.
    fn takes(&self, _source: &FileToOpen) -> bool {
        false
    }

    /// Opens a file into the workspace; errors become messages.
    fn open(&mut self, _workspace: &mut Workspace, _source: FileToOpen, _ctx: &egui::Context) {}

    /// Documents that the File and Edit menus act on while the room is shown; `None` if the room has none.
    fn documents<'a>(&self, _workspace: &'a mut Workspace) -> Option<&'a mut dyn Documents> {
        None
    }

    /// Adds the room's own exports to the File menu.
    fn file_menu(&self, _workspace: &mut Workspace, _ui: &mut egui::Ui) {}
}

/// Names a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomName {
    /// Start page with samples and recent files.
    Start,
    /// Shows, edits and corrects a motion.
    Motion,
    /// Builds a scene and runs it.
    Simulate,
    /// Edits actions and plans of the scene.
    Behavior,
}

impl RoomName {
    /// All rooms, in the order of the menu bar.
    pub const ALL: [Self; 4] = [Self::Start, Self::Motion, Self::Simulate, Self::Behavior];

    /// Label in the menu bar.
    pub fn label(self) -> &'static str {
        match self {
            Self::Start => "Start",
            Self::Motion => "Motion",
            Self::Simulate => "Build & simulate",
            Self::Behavior => "Behavior",
        }
    }

    /// Tooltip that says what the room is for.
    pub fn about(self) -> &'static str {
        match self {
            Self::Start => "Samples, recent files, and unsaved work",
            Self::Motion => "See a motion and its errors, and fix them",
            Self::Simulate => "Build a scene and let it run",
            Self::Behavior => "Actions and plans of the things in the scene",
        }
    }
}

/// All rooms of the studio.
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
    /// Returns a room by its name.
    pub fn get(&mut self, name: RoomName) -> &mut dyn Room {
        match name {
            RoomName::Start => &mut self.start,
            RoomName::Motion => &mut self.motion,
            RoomName::Simulate => &mut self.simulate,
            RoomName::Behavior => &mut self.behavior,
        }
    }
}
