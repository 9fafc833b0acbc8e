//! Continuity of the sample motions, as they are and with each kind of break.

use glam::{DQuat, DVec3};

use super::*;
use crate::analysis::clip_contacts::standing;
use crate::analysis::{FindingId, Settings, Severity, analyze};
use crate::character::Role::{Foot, LowerLeg, Toes, UpperLeg};
use crate::math::random::Random;
use crate::math::rotation;
use crate::motion::{Clip, resample};
use crate::samples;

/// A frame in the middle of the second swing of the walk, where the body moves fastest.
const SWING: usize = 112;

/// What `measure` says of a clip of the sample person.
fn measured<T>(clip: &Clip, measure: impl Fn(&Examined<'_>) -> T) -> T {
    let character = samples::humanoid();
    let contacts = standing(&character, clip, &Settings::default());
    measure(&Examined {
        character: &character,
        world: &contacts.world,
        mass_centers: &contacts.raw.mass_center,
        frame_time: clip.frame_time,
        scale: &contacts.scale,
        range: contacts.range,
    })
}

fn continuity(clip: &Clip) -> Continuity {
    standing(&samples::humanoid(), clip, &Settings::default()).continuity
}

/// The frames of a clip in another order: frame k is frame `frames[k]`.
fn of_frames(clip: &Clip, frames: impl IntoIterator<Item = usize>) -> Clip {
    let frames: Vec<usize> = frames.into_iter().collect();
    let mut other = Clip::new(clip.bones(), frames.len(), clip.frame_time).unwrap();
    for (to, from) in frames.into_iter().enumerate() {
        for bone in 0..clip.bones() {
            other.set_rotation(bone, to, clip.rotation(bone, from));
            other.set_translation(bone, to, clip.translation(bone, from));
        }
    }
    other
}

fn without(clip: &Clip, lost: core::ops::Range<usize>) -> Clip {
    of_frames(clip, (0..clip.frames()).filter(|frame| !lost.contains(frame)))
}

/// The only jump of a clip.
fn only_jump(clip: &Clip) -> Jump {
    let jumps = continuity(clip).jumps;
    assert_eq!(jumps.len(), 1, "{jumps:?}");
    jumps[0]
}

fn shift(clip: &mut Clip, frames: core::ops::Range<usize>, by: DVec3) {
    for frame in frames {
        clip.set_translation(0, frame, clip.translation(0, frame) + by);
    }
}

#[test]
fn a_walk_and_a_jump_are_continuous_at_every_rate() {
    for clip in [samples::walk(), samples::jump()] {
        for rate in [24.0, 30.0, 60.0, 120.0] {
            let sampled = resample(&clip, rate);
            assert_eq!(continuity(&sampled), Continuity::default(), "{} at {rate}", clip.name);
            let tremble = measured(&sampled, jitter);
            assert!(tremble < 0.0005, "{} at {rate}: {tremble}", clip.name);
        }
    }
}

#[test]
fn a_teleport_of_30_cm_is_a_jump_of_30_cm_that_no_body_could_make() {
    for rate in [24.0, 30.0, 60.0, 120.0] {
        let mut clip = resample(&samples::walk(), rate);
        let (at, end) = (clip.frames() / 2, clip.frames());
        shift(&mut clip, at..end, DVec3::X * 0.3);
        let jump = only_jump(&clip);
        assert_eq!((jump.before, jump.after, jump.impossible), (at - 1, at, true), "{rate}");
        assert!((jump.distance - 0.3).abs() < 0.01, "{}", jump.distance);
        assert!(matches!(jump.look, JumpLook::Moves(distance) if (distance - 0.3).abs() < 0.01), "{:?}", jump.look);
        let found = continuity(&clip);
        assert!(found.jumps_in(at, at + 5) && found.jumps_in(at - 9, at - 1));
        assert!(!found.jumps_in(at + 1, at + 5) && !found.jumps_in(at - 9, at - 2));
    }
}

#[test]
fn a_heading_that_flips_for_three_frames_comes_back() {
    let mut clip = samples::walk();
    for frame in SWING..SWING + 3 {
        clip.set_rotation(0, frame, rotation::about(DVec3::Y, core::f64::consts::PI) * clip.rotation(0, frame));
    }
    let jump = only_jump(&clip);
    assert!(
        jump.comes_back && matches!(jump.look, JumpLook::Turns(angle) if (angle - core::f64::consts::PI).abs() < 0.05),
        "{jump:?}"
    );
    assert_eq!((jump.before, jump.after), (SWING - 1, SWING + 3));
}

#[test]
fn legs_that_change_places_for_two_frames_come_back() {
    let (character, mut clip) = (samples::humanoid(), samples::walk());
    for role in [UpperLeg, LowerLeg, Foot, Toes] {
        let [left, right] = [Side::Left, Side::Right].map(|side| character.bone_of(role(side)).unwrap());
        for frame in SWING..SWING + 2 {
            let turns: [DQuat; 2] = [clip.rotation(left, frame), clip.rotation(right, frame)];
            clip.set_rotation(left, frame, turns[1]);
            clip.set_rotation(right, frame, turns[0]);
        }
    }
    let jump = only_jump(&clip);
    assert!(jump.comes_back && jump.look == JumpLook::Pose && !jump.impossible, "{jump:?}");
    assert_eq!((jump.before, jump.after), (SWING - 1, SWING + 2));
}

#[test]
fn a_limb_that_is_elsewhere_for_two_frames_comes_back_and_one_that_is_quick_does_not_jump() {
    // Too little for a jump of all joints.
    let (character, walk) = (samples::humanoid(), resample(&samples::walk(), 30.0));
    let at = SWING * 30 / 60;
    let thigh = character.bone_of(UpperLeg(Side::Left)).unwrap();
    let turned = |shares: &[f64]| {
        let mut clip = walk.clone();
        for (frame, share) in (at..).zip(shares) {
            let turn = rotation::about(DVec3::X, 0.15 * share);
            clip.set_rotation(thigh, frame, turn * clip.rotation(thigh, frame));
        }
        clip
    };
    let jump = only_jump(&turned(&[1.0, 1.0]));
    assert!(jump.comes_back && jump.look == JumpLook::Pose && !jump.impossible, "{jump:?}");
    assert_eq!((jump.before, jump.after), (at - 1, at + 2));
    assert_eq!(continuity(&turned(&[0.25, 0.75, 1.0, 1.0, 0.75, 0.25])).jumps, []);
}

#[test]
fn lost_frames_are_counted() {
    for (rate, most) in [(30.0, 2), (60.0, 3)] {
        let walk = resample(&samples::walk(), rate);
        let at = (SWING as f64 * rate / 60.0) as usize;
        for lost in 1..=most {
            let jump = only_jump(&without(&walk, at..at + lost));
            assert_eq!((jump.before, jump.after), (at - 1, at), "{lost} at {rate}");
            assert!(matches!(jump.look, JumpLook::LostFrames(n) if n.round() == lost as f64), "{lost}: {jump:?}");
        }
    }
    let jump = only_jump(&without(&samples::walk(), SWING..SWING + 12));
    assert_eq!(jump.before, SWING - 1, "{jump:?}");
}

#[test]
fn a_quick_dodge_whose_steps_grow_and_shrink_is_no_jump() {
    let mut clip = resample(&samples::walk(), 30.0);
    let (at, end) = (clip.frames() / 2, clip.frames());
    for (k, share) in [0.1, 0.5, 1.0, 0.5, 0.1].into_iter().enumerate() {
        shift(&mut clip, at + k..end, DVec3::X * 0.15 * share);
    }
    assert_eq!(continuity(&clip).jumps, []);
}

#[test]
fn a_held_frame_is_a_hold_and_no_jump() {
    let walk = samples::walk();
    for held in [1, 4] {
        let clip =
            of_frames(&walk, (0..SWING).chain([SWING - 1; 4].into_iter().take(held)).chain(SWING..walk.frames()));
        let found = continuity(&clip);
        assert_eq!(found.holds, [HeldPose { first: SWING, last: SWING + held - 1 }]);
        assert_eq!((found.jumps, found.padding), (vec![], None));
    }
}

#[test]
fn a_clip_padded_from_24_to_30_repeats_every_fifth_frame() {
    let walk = resample(&samples::walk(), 24.0);
    let mut clip =
        of_frames(&walk, (0..walk.frames()).flat_map(|frame| vec![frame; if frame % 4 == 3 { 2 } else { 1 }]));
    clip.frame_time = 1.0 / 30.0;
    let found = continuity(&clip);
    assert_eq!((found.padding, found.jumps), (Some(Padding { every: 5, repeated: 1 }), vec![]));
    let analysis = analyze(&samples::humanoid(), &clip, &Settings::default());
    let clock = analysis.findings.iter().find(|finding| finding.id == FindingId::ClipTimeBase).unwrap();
    assert_eq!(clock.message, "The clip repeats every fifth frame: 24 fps padded to 30.");
    assert_eq!(analysis.findings.iter().filter(|finding| finding.id == FindingId::ClipHeld).count(), 1);
}

#[test]
fn a_body_that_halts_at_the_apex_of_its_jump_hovers() {
    let jump = samples::jump();
    let apex = (samples::jump::TAKE_OFF + samples::jump::LANDING) / 2 + 2;
    let clip = of_frames(&jump, (0..apex).chain([apex - 1; 15]).chain(apex..jump.frames()));
    let analysis = analyze(&samples::humanoid(), &clip, &Settings::default());
    let hover = analysis.findings.iter().find(|finding| finding.id == FindingId::FlightHover).unwrap();
    assert_eq!((hover.severity, hover.span.first, hover.span.last), (Severity::Error, apex, apex + 14));
    assert!((hover.value - 0.25).abs() < 1e-9 && analysis.findings.iter().all(|f| f.id != FindingId::ClipHeld));
}

#[test]
fn a_pose_at_either_end_is_a_first_frame_and_no_jump() {
    let walk = samples::walk().cut(60, 200);
    for at in [0, walk.frames() - 1] {
        let mut clip = walk.clone();
        shift(&mut clip, at..at + 1, DVec3::new(0.04, 0.0, -0.05));
        let jump = only_jump(&clip);
        assert_eq!(jump.look, if at == 0 { JumpLook::FirstFrames } else { JumpLook::LastFrames });
        assert!(!jump.impossible && (jump.distance - 0.064).abs() < 0.005, "{jump:?}");
    }
}

#[test]
fn hips_nailed_to_a_point_are_no_motion_of_the_root() {
    let mut clip = samples::walk();
    for frame in 0..clip.frames() {
        clip.set_translation(0, frame, clip.translation(0, 0));
    }
    assert!(continuity(&clip).root_never_moves);
}

#[test]
fn noise_of_root_and_joints_is_found_at_every_rate() {
    let mut random = Random::new(5);
    for rate in [24.0, 30.0, 60.0, 120.0] {
        let walk = resample(&samples::walk(), rate);
        let mut clip = walk.clone();
        for frame in 0..clip.frames() {
            let noise = DVec3::new(random.normal(), random.normal(), random.normal());
            clip.set_translation(0, frame, clip.translation(0, frame) + 0.005 * noise);
        }
        let tremble = measured(&clip, jitter);
        assert!((tremble / 0.005 - 1.0).abs() < 0.25, "{rate}: {tremble}");
        let mut clip = walk;
        for bone in 0..clip.bones() {
            for frame in 0..clip.frames() {
                let noise = DVec3::new(random.normal(), random.normal(), random.normal());
                clip.set_rotation(bone, frame, clip.rotation(bone, frame) * rotation::exp(noise.map(f64::to_radians)));
            }
        }
        assert!(measured(&clip, jitter) > 0.004, "{rate}");
    }
}

#[test]
fn a_stray_frame_at_the_end_of_a_loop_makes_a_seam() {
    // One stride: both swings of 40 frames, as a loop that travels.
    let walk = samples::walk().cut(85, 166);
    let settings = Settings { looped: true, ..Settings::default() };
    let seams = |clip: &Clip| {
        let analysis = analyze(&samples::humanoid(), clip, &settings);
        analysis.findings.iter().filter(|finding| finding.id == FindingId::ClipLoopSeam).count()
    };
    assert_eq!(seams(&walk), 0);
    let mut ghost = of_frames(&walk, (0..walk.frames()).chain([walk.frames() - 1]));
    let last = ghost.frames() - 1;
    for bone in 1..ghost.bones() {
        ghost.set_rotation(bone, last, DQuat::IDENTITY);
    }
    assert_eq!(seams(&ghost), 1);
}
