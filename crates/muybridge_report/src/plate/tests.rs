//! Tests of the plate, on made-up motions.

use super::*;
use crate::draw::Ink;
use crate::leap;

const FIRST_AIRBORNE: usize = 27;
const LAST_AIRBORNE: usize = 41;

/// Writes a picture to the folder that `MUYBRIDGE_PICTURES` names, if set.
fn keep(name: &str, canvas: &Canvas) {
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join(name), canvas.png().unwrap()).unwrap();
    }
}

/// Largest difference between two colors in one channel.
fn distance(a: Ink, b: Ink) -> u8 {
    a.red.abs_diff(b.red).max(a.green.abs_diff(b.green)).max(a.blue.abs_diff(b.blue))
}

fn pixel(canvas: &Canvas, (x, y): (f64, f64)) -> Ink {
    canvas.pixel(libm::round(x) as u32, libm::round(y) as u32).unwrap()
}

/// FNV-1a hash, 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn the_center_of_mass_is_a_blue_dot_where_it_was() {
    let (character, clip, analysis) = leap::leap(2.2, 1.9);
    let labels = leap::labels("jump.bvh");
    let canvas = draw(&character, &clip, &analysis, &labels).unwrap();
    keep("long.png", &canvas);
    let mut subject = PlateSubject::new(&character, &clip, &analysis, &labels);
    let panel = PlateLayout::new(&mut subject).panel;
    assert_eq!(panel.spread, 0.0, "a leap of 1.9 m stands where it happened");
    for &frame in &subject.frames {
        let center = analysis.per_frame.mass_center[frame].unwrap();
        let at = (panel.view.pixel_x(center.z), panel.view.pixel_y(center.y));
        let ink = pixel(&canvas, at);
        assert!(distance(ink, Palette::LIGHT.mass_center) <= 24, "frame {frame}: {ink:?}");
    }
}

#[test]
fn the_asked_path_rises_g_t_squared_over_8_above_its_chord() {
    let (character, clip, analysis) = leap::leap(2.2, 1.9);
    let labels = leap::labels("jump.bvh");
    let canvas = draw(&character, &clip, &analysis, &labels).unwrap();
    let mut subject = PlateSubject::new(&character, &clip, &analysis, &labels);
    let panel = PlateLayout::new(&mut subject).panel;
    let at = |frame: usize| analysis.per_frame.mass_center[frame].unwrap();
    let seconds = (LAST_AIRBORNE - FIRST_AIRBORNE) as f64 / 30.0;
    let chord = 0.5 * (at(FIRST_AIRBORNE) + at(LAST_AIRBORNE));
    let apex = (panel.view.pixel_x(chord.z), panel.view.pixel_y(chord.y + 9.81 * seconds * seconds / 8.0));
    assert!(distance(pixel(&canvas, apex), Palette::LIGHT.paper) <= 12, "the circle is open");
    for (dx, dy) in [(5.5, 0.0), (-5.5, 0.0), (0.0, 5.5)] {
        let ink = pixel(&canvas, (apex.0 + dx, apex.1 + dy));
        assert!(distance(ink, Palette::LIGHT.ballistic) <= 60, "{dx} {dy}: {ink:?}");
    }
}

#[test]
fn a_jump_on_the_spot_is_set_apart_evenly_in_time() {
    let (character, clip, analysis) = leap::leap(1.0, 0.0);
    let labels = Labels { dark: true, ..leap::labels("on the spot.bvh") };
    keep("place.png", &draw(&character, &clip, &analysis, &labels).unwrap());
    let mut subject = PlateSubject::new(&character, &clip, &analysis, &labels);
    let panel = PlateLayout::new(&mut subject).panel;
    assert!(panel.spread > 0.0);
    // The root of the standing figures does not move, so their positions differ only by the spacing.
    let first = panel.view_of(&subject, subject.frames[0]).pixel_x(0.0);
    let places: Vec<f64> = subject.frames.iter().map(|&frame| panel.view_of(&subject, frame).pixel_x(0.0)).collect();
    let step = (places[places.len() - 1] - first) / (places.len() - 1) as f64;
    assert!(step > 60.0, "{step}");
    assert!(places.windows(2).all(|pair| (pair[1] - pair[0] - step).abs() < 1e-6), "{places:?}");
}

#[test]
fn a_plate_is_the_same_on_every_machine() {
    let (character, clip, analysis) = leap::leap(2.2, 1.9);
    let labels = Labels { dark: true, ..leap::labels("jump.bvh") };
    let canvas = draw(&character, &clip, &analysis, &labels).unwrap();
    keep("dark.png", &canvas);
    let hash = hash(&canvas.rgb());
    assert_eq!(hash, GOLDEN, "the plate of the leap has the hash {hash:#018x}");
}

/// Hash of the pixels of the dark plate of a leap of 1.9 m at 2.2 g.
const GOLDEN: u64 = 0xa242_2eed_30c3_9830;

/// A ball on the path of the center of mass of a leap, its coordinates times `scale`.
fn ball(scale: f64) -> (Character, Clip, Analysis) {
    use muybridge::character::{Bone, Skeleton};
    let (mut character, clip, analysis) = leap::leap(1.0, 0.5);
    let bone = Bone {
        name: "ball".into(),
        parent: None,
        translation: DVec3::ZERO,
        rotation: muybridge::glam::DQuat::IDENTITY,
        ends: vec![],
    };
    character.skeleton = Skeleton::new(vec![bone]).unwrap();
    character.bodies.truncate(1);
    character.bodies[0].shapes.clear();
    character.roles.truncate(1);
    character.contacts.clear();
    let mut ball = Clip::new(1, clip.frames(), clip.frame_time).unwrap();
    for frame in 0..clip.frames() {
        ball.set_translation(0, frame, scale * analysis.per_frame.mass_center[frame].unwrap());
    }
    (character, ball, analysis)
}

#[test]
fn absurd_numbers_give_a_plate_or_an_error_and_never_a_panic() {
    for scale in [f64::NAN, 1e300, 1e-9] {
        let (character, clip, mut analysis) = ball(scale);
        for center in analysis.per_frame.mass_center.iter_mut().flatten() {
            *center *= scale;
        }
        analysis.floor = Some(scale);
        let _ = draw(&character, &clip, &analysis, &leap::labels("absurd.bvh"));
    }
}

#[test]
fn a_ball_of_one_bone_and_a_clip_of_one_frame_have_plates() {
    let (character, ball, mut analysis) = ball(1.0);
    keep("ball.png", &draw(&character, &ball, &analysis, &leap::labels("ball.bvh")).unwrap());
    let still = ball.cut(0, 1);
    analysis.frames = 1;
    analysis.range = (0, 1);
    analysis.floor = None;
    analysis.flights.clear();
    analysis.per_frame = Default::default();
    assert!(plate(&character, &still, &analysis, &leap::labels("")).is_ok());
}

#[test]
fn a_plate_of_another_clip_is_refused() {
    let (character, clip, analysis) = leap::leap(1.0, 0.5);
    let error = plate(&character, &clip.cut(0, 9), &analysis, &leap::labels("jump.bvh")).unwrap_err();
    assert!(error.to_string().contains("9 frames") && error.to_string().contains("58"), "{error}");
}
