//! A studio window without a display, and its pictures, compared with those in `tests/pictures`.
//!
//! If `MUYBRIDGE_PICTURES` names a folder, pictures are saved there as well. With `MUYBRIDGE_RENEW` set, the pictures
//! in `tests/pictures` are renewed (look at them before you keep them). Without a graphics adapter (a software one
//! will do: the Debian package `mesa-vulkan-drivers`) the build marks the tests as ignored.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui::vec2;
use egui_kittest::Harness;
use egui_kittest::wgpu::WgpuTestRenderer;
use image::RgbaImage;
use image::imageops::thumbnail;
use muybridge_studio::{StudioApp, StudioOptions};

/// The interface, clicked through by the names that a screen reader would read.
pub type Window = Harness<'static, StudioApp>;

/// Opens a window, size in points.
pub fn window(width: f32, height: f32) -> Window {
    opened((width, height), StudioOptions { at_once: true, ..StudioOptions::default() })
}

/// Opens a window of 1280 by 800 points, with preferences and recovery backups in `folder`.
pub fn window_in(folder: &std::path::Path) -> Window {
    opened(
        (1280.0, 800.0),
        StudioOptions { at_once: true, folder: Some(folder.to_owned()), ..StudioOptions::default() },
    )
}

/// Opens a window with long work and the simulation on threads, as on the desktop; tests must wait for their results.
pub fn window_with_threads(width: f32, height: f32) -> Window {
    opened((width, height), StudioOptions::default())
}

/// Steps the window until a condition holds, for a minute at most.
pub fn wait_until(window: &mut Window, what: &str, mut holds: impl FnMut(&Window) -> bool) {
    let start = Instant::now();
    while !holds(window) {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain: {what}");
        window.step();
        std::thread::sleep(Duration::from_millis(4));
    }
}

fn opened((width, height): (f32, f32), options: StudioOptions) -> Window {
    let renderer = std::panic::catch_unwind(WgpuTestRenderer::new)
        .unwrap_or_else(|_| panic!("there is no graphics adapter: install mesa-vulkan-drivers or the like"));
    let builder = Harness::builder().with_size(vec2(width, height)).with_step_dt(1.0 / 60.0).renderer(renderer);
    let mut window = builder.build_eframe(|creation| StudioApp::new(creation, options));
    window.run_steps(3);
    window
}

/// Reduction of a reference picture: points of the window per pixel, in each direction.
const SMALLER: u32 = 6;

/// Fraction of a picture's pixels that may differ, because of displayed timings and differences between rasterizers.
const MAY_DIFFER: f64 = 0.02;

/// Smallest visible difference of a color channel, of 255.
const SEEN: u8 = 24;

/// Renders the window and compares it with the small reference picture of this name.
pub fn picture(window: &mut Window, name: &str) -> RgbaImage {
    let picture = drawn(window, name);
    compare(&picture, name);
    picture
}

/// Renders the window, and saves the picture.
pub fn drawn(window: &mut Window, name: &str) -> RgbaImage {
    let picture = window.render().expect("a picture");
    save(&picture, name);
    picture
}

/// Saves a picture if `MUYBRIDGE_PICTURES` names a folder.
pub fn save(picture: &RgbaImage, name: &str) {
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES").map(PathBuf::from) {
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        picture.save(folder.join(name).with_extension("png")).expect("a picture on disk");
    }
}

/// Fails if the window looks different from its reference picture.
fn compare(picture: &RgbaImage, name: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(name).with_extension("png");
    let small = thumbnail(picture, picture.width() / SMALLER, picture.height() / SMALLER);
    if std::env::var_os("MUYBRIDGE_RENEW").is_some() {
        return small.save(&path).expect("a picture on disk");
    }
    let kept = image::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).to_rgba8();
    assert_eq!(kept.dimensions(), small.dimensions(), "{name} has another size");
    let differs = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| (0..3).any(|c| a[c].abs_diff(b[c]) > SEEN);
    let differing = kept.pixels().zip(small.pixels()).filter(differs).count();
    let share = differing as f64 / (small.width() * small.height()) as f64;
    assert!(share <= MAY_DIFFER, "{name} differs from {} in {:.1} % of its points", path.display(), 100.0 * share);
}
