//! Correction in place, clicked through by names: the sample is diagnosed and fixed, dragged, undone, and comes out as a file.

use eframe::egui::{Key, Modifiers, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;
use egui_kittest::wgpu::WgpuTestRenderer;
use muybridge::analysis::{Severity, Verdict};
use muybridge::motion::TimeMap;
use muybridge::samples;
use muybridge_files::Imported;
use muybridge_files::convert::{self, Conversion, Format};
use muybridge_studio::rooms::motion::MotionDocument;
use muybridge_studio::workspace::{Request, Source};
use muybridge_studio::{Options, Studio};

/// A window without a display; `None`, and a line that says so, where there is no adapter.
fn window() -> Option<Harness<'static, Studio>> {
    let Ok(renderer) = std::panic::catch_unwind(WgpuTestRenderer::new) else {
        eprintln!("SKIPPED: there is no graphics adapter; install mesa-vulkan-drivers or the like");
        return None;
    };
    let options = Options { at_once: true, ..Options::default() };
    let builder = Harness::builder().with_size(vec2(1280.0, 800.0)).with_step_dt(1.0 / 60.0).renderer(renderer);
    Some(builder.build_eframe(|creation| Studio::new(creation, options)))
}

fn picture(window: &mut Harness<'_, Studio>, name: &str) {
    let picture = window.render().expect("a picture");
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES").map(std::path::PathBuf::from) {
        std::fs::create_dir_all(&folder).expect("a folder for pictures");
        picture.save(folder.join(name).with_extension("png")).expect("a picture on disk");
    }
}

fn document<'a>(window: &'a Harness<'_, Studio>) -> &'a MotionDocument {
    window.state().workspace.motions.current().expect("an open motion")
}

fn worst(document: &MotionDocument) -> Option<Severity> {
    document.motion.analysis.findings.iter().map(|finding| finding.severity).min()
}

#[test]
fn s35_the_sample_is_diagnosed_and_fixed_in_two_clicks_and_undone_with_one_key() {
    let Some(mut window) = window() else { return };
    window.run_steps(3);
    window.get_by_label("Sample: a floating jump").click();
    window.run_steps(4);
    let found = &document(&window).motion.analysis;
    assert_eq!(found.verdict, Verdict::Implausible);
    let faults: Vec<&str> = found.findings.iter().filter(|f| f.severity < Severity::Note).map(|f| f.id).collect();
    assert_eq!(faults, ["flight.gravity"]);
    window.get_by_label("Fix all").click();
    window.run_steps(6);
    assert_eq!(document(&window).motion.analysis.verdict, Verdict::Plausible);
    assert!(worst(document(&window)).is_none_or(|worst| worst == Severity::Note));
    assert!(document(&window).is_changed());
    window.get_by_label("Original").click();
    window.run_steps(3);
    picture(&mut window, "studio_fixed");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(3);
    assert_eq!(document(&window).motion.analysis.verdict, Verdict::Implausible);
}

#[test]
fn s19_the_duration_of_a_flight_follows_its_slider_from_the_motion_before_the_drag() {
    let Some(mut window) = window() else { return };
    window.run_steps(3);
    window.get_by_label("Sample: a floating jump").click();
    window.run_steps(4);
    let flight = document(&window).motion.analysis.flights[0].span;
    window.state_mut().workspace.motions.current_mut().expect("an open motion").timeline.go_to(flight.first + 3);
    window.run_steps(3);
    let frames = document(&window).motion.prepared.clip.frames();
    let rails = window.get_all_by_label("s in the air").map(|node| node.rect());
    let rail = rails.min_by(|a, b| a.left().total_cmp(&b.left())).expect("a slider");
    let (from, to) = (rail.left_center() + vec2(28.0, 0.0), rail.left_center() + vec2(16.0, 0.0));
    window.hover_at(from);
    window.run_steps(2);
    window.drag_at(from);
    window.run_steps(2);
    for part in 1..=5 {
        window.hover_at(from + (to - from) * (part as f32 / 5.0));
        window.run_steps(2);
    }
    window.drop_at(to);
    window.run_steps(4);
    picture(&mut window, "studio_duration");
    let now = &document(&window).motion;
    assert_ne!(now.prepared.clip.frames(), frames, "the flight has another length");
    window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    window.run_steps(3);
    assert_eq!(document(&window).motion.prepared.clip.frames(), frames, "a drag is one step");
}

#[test]
fn a_file_is_corrected_in_the_file_and_comes_out_in_its_format() {
    let Some(mut window) = window() else { return };
    window.run_steps(2);
    let jump = samples::jump();
    let floating = TimeMap::stretched(jump.frames(), 66, 91, 36).expect("a map").apply(&jump);
    let imported = Imported {
        format: "BVH".into(),
        skeleton: samples::humanoid().skeleton,
        clips: vec![floating],
        meters_per_unit: Some(1.0),
        up: None,
        roles: Vec::new(),
        shapes: Vec::new(),
        skin_points: Vec::new(),
        ignored: Vec::new(),
    };
    let written = convert::write(&imported, Format::Bvh, &Conversion::default()).expect("a BVH");
    let source = Source { path: "slow_fall.bvh".into(), bytes: Some(written.files[0].file.clone()) };
    window.state_mut().workspace.ask(Request::Open(source));
    window.run_steps(4);
    assert_eq!(document(&window).motion.analysis.verdict, Verdict::Implausible);
    window.get_by_label("Fix all").click();
    window.run_steps(6);
    let document = document(&window);
    assert!(document.is_changed());
    assert_eq!(document.file_name(), "slow_fall_fixed.bvh");
    let bytes = document.bytes().expect("a file");
    assert!(bytes.starts_with(b"HIERARCHY"), "it is a BVH again");
    let again = muybridge_files::open::decode(std::path::Path::new("again.bvh"), bytes, &Default::default()).unwrap();
    assert_eq!(again.imported.clips[0].frames(), document.motion.prepared.clip.frames());
}
