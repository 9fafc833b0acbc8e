//! A clip with a value that is not a number is refused before analysis; the error names bone and frame (X14).

use muybridge::glam::{DQuat, DVec3};
use muybridge::samples;
use muybridge_files::Imported;
use muybridge_files::prepare::{Preparation, prepare};

fn imported() -> Imported {
    Imported {
        format: "made up".into(),
        skeleton: samples::humanoid().skeleton,
        clips: vec![samples::jump()],
        meters_per_unit: Some(1.0),
        ..Imported::default()
    }
}

#[test]
fn x14_values_that_are_no_numbers_are_refused_with_bone_and_frame() {
    assert!(prepare(&imported(), 0, &Preparation::default()).is_ok());
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut moved = imported();
        moved.clips[0].set_translation(3, 17, DVec3::new(0.0, value, 0.0));
        let mut turned = imported();
        turned.clips[0].set_rotation(3, 17, DQuat::from_xyzw(0.0, 0.0, 0.0, value));
        for broken in [moved, turned] {
            let message = prepare(&broken, 0, &Preparation::default()).unwrap_err().to_string();
            for word in ["bone 3", "frame 17", "not a finite number"] {
                assert!(message.contains(word), "{message}");
            }
        }
    }
}
