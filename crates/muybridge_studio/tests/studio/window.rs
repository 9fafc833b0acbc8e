//! A window of the studio without a display, and its pictures, compared with those of `tests/pictures`.
//!
//! Pictures go to the folder `MUYBRIDGE_PICTURES` names as well; with `MUYBRIDGE_RENEW` set, those of `tests/pictures` are made anew
//! (look at them before they are kept). Without a graphics adapter (a software one will do: the Debian package
//! `mesa-vulkan-drivers`) each test says that it is skipped.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use eframe::egui::vec2;
use egui_kittest::Harness;
use egui_kittest::wgpu::WgpuTestRenderer;
use image::RgbaImage;
use image::imageops::thumbnail;
use muybridge_studio::{StudioApp, StudioOptions};

/// The real interface, clicked through by the names that a screen reader would read.
pub type Window = Harness<'static, StudioApp>;

/// A window of so many points; `None`, and a line that says so, where there is no adapter.
pub fn window(width: f32, height: f32) -> Option<Window> {
    opened((width, height), StudioOptions { at_once: true, ..StudioOptions::default() })
}

/// The same, 1280 by 800, of a program that keeps what is not saved in a folder.
pub fn window_in(folder: &std::path::Path) -> Option<Window> {
    opened(
        (1280.0, 800.0),
        StudioOptions { at_once: true, folder: Some(folder.to_owned()), ..StudioOptions::default() },
    )
}

/// The same with long work and the simulation on threads, as on the desktop: what comes of them is to be waited for.
pub fn window_with_threads(width: f32, height: f32) -> Option<Window> {
    opened((width, height), StudioOptions::default())
}

/// Steps the window until something holds, for a minute at most.
pub fn wait_until(window: &mut Window, what: &str, mut holds: impl FnMut(&Window) -> bool) {
    let start = Instant::now();
    while !holds(window) {
        assert!(start.elapsed() < Duration::from_secs(60), "waited in vain: {what}");
        window.step();
        std::thread::sleep(Duration::from_millis(4));
    }
}

fn opened((width, height): (f32, f32), options: StudioOptions) -> Option<Window> {
    let Ok(renderer) = std::panic::catch_unwind(WgpuTestRenderer::new) else {
        eprintln!("SKIPPED: there is no graphics adapter; install mesa-vulkan-drivers or the like");
        return None;
    };
    let builder = Harness::builder().with_size(vec2(width, height)).with_step_dt(1.0 / 60.0).renderer(renderer);
    let mut window = builder.build_eframe(|creation| StudioApp::new(creation, options));
    window.run_steps(3);
    Some(window)
}

/// How many points of a window are one of a kept picture, in each direction.
const SMALLER: u32 = 6;

/// Share of a picture's points that may differ: numbers of measured time, and what another rasteriser makes of an edge.
const MAY_DIFFER: f64 = 0.02;

/// Difference of a color, of 255, that can be seen.
const SEEN: u8 = 24;

/// The window as it is, compared with the small picture of this name.
pub fn picture(window: &mut Window, name: &str) -> RgbaImage {
    let picture = drawn(window, name);
    compare(&picture, name);
    picture
}

/// The window as it is, kept where pictures are wanted.
pub fn drawn(window: &mut Window, name: &str) -> RgbaImage {
    let picture = window.render().expect("a picture");
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES").map(PathBuf::from) {
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        picture.save(folder.join(name).with_extension("png")).expect("a picture on disk");
    }
    picture
}

/// Fails where the window does not look as it did.
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
