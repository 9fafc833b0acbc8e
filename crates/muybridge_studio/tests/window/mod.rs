//! A window of the studio without a display, and its pictures.
//!
//! Pictures go to the folder `MUYBRIDGE_PICTURES` names. Without a graphics adapter (a software one will do: the Debian package
//! `mesa-vulkan-drivers`) each test says that it is skipped.

use std::path::PathBuf;

use eframe::egui::vec2;
use egui_kittest::Harness;
use egui_kittest::wgpu::WgpuTestRenderer;
use image::RgbaImage;
use muybridge_studio::{Options, Studio};

/// The real interface, clicked through by the names that a screen reader would read.
pub type Window = Harness<'static, Studio>;

/// A window of so many points; `None`, and a line that says so, where there is no adapter.
pub fn window(width: f32, height: f32) -> Option<Window> {
    let Ok(renderer) = std::panic::catch_unwind(WgpuTestRenderer::new) else {
        eprintln!("SKIPPED: there is no graphics adapter; install mesa-vulkan-drivers or the like");
        return None;
    };
    let options = Options { at_once: true, ..Options::default() };
    let builder = Harness::builder().with_size(vec2(width, height)).with_step_dt(1.0 / 60.0).renderer(renderer);
    let mut window = builder.build_eframe(|creation| Studio::new(creation, options));
    window.run_steps(3);
    Some(window)
}

/// The window as it is, kept where pictures are wanted.
pub fn picture(window: &mut Window, name: &str) -> RgbaImage {
    let picture = window.render().expect("a picture");
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES").map(PathBuf::from) {
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        picture.save(folder.join(name).with_extension("png")).expect("a picture on disk");
    }
    picture
}
