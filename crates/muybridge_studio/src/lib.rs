//! The studio of Muybridge: a desktop program and a web page. It shows, edits and corrects motions, and builds and
//! runs scenes.
//!
//! It holds no physics: it calls what `muybridge check`, `fix` and `simulate` call. See [`app::StudioApp`] for the frame around
//! the rooms, [`rooms`] for how a room plugs in, [`motions`] and [`stage`] for what rooms share, and [`view`] for the 3D view.

pub mod app;
pub mod bar;
pub mod documents;
pub mod files;
pub mod history;
pub mod icon;
pub mod job;
pub mod messages;
pub mod motions;
pub mod preferences;
pub mod recovery;
pub mod rooms;
pub mod shortcuts;
pub mod stage;
pub mod status;
#[cfg(test)]
#[path = "../../../tests/test_files.rs"]
mod test_files;
pub mod theme;
pub mod timeline;
pub mod unsaved;
pub mod view;
#[cfg(target_arch = "wasm32")]
pub mod web;
pub mod workspace;

pub use app::{StudioApp, StudioOptions};

/// Opens the studio window and runs until it is closed.
///
/// # Errors
/// Returns a message if no window can be opened, for example without a display or a graphics driver.
#[cfg(not(target_arch = "wasm32"))]
pub fn run(options: StudioOptions) -> Result<(), String> {
    let viewport = eframe::egui::ViewportBuilder::default()
        .with_title("Muybridge studio")
        .with_app_id("muybridge-studio")
        .with_inner_size([1280.0, 800.0])
        .with_min_inner_size([720.0, 480.0])
        .with_drag_and_drop(true);
    let native = eframe::NativeOptions { viewport, ..Default::default() };
    let start: eframe::AppCreator<'_> = Box::new(|creation| Ok(Box::new(StudioApp::new(creation, options))));
    eframe::run_native("muybridge-studio", native, start).map_err(|error| format!("no window could be opened: {error}"))
}
