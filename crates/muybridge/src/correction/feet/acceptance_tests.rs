//! Tests that foot skating, penetration and float of known size are removed, and correct contacts are kept.

use crate::analysis::clip_contacts::standing;
use crate::analysis::{Analysis, Feet, FrozenContacts, Settings, Severity, analyze};
use crate::character::{Character, Role, Side};
use crate::correction::{FeetReport, FeetSettings, RootBone, Scope, clean_feet};
use crate::motion::ik::{Goal, LimbPose, limbs, solve};
use crate::motion::{Clip, WorldMotion};
use crate::samples;
use glam::DVec3;
use std::sync::Arc;

/// First and last frame of a stance of the left foot in the sample walk.
const STANCE: (usize, usize) = (86, 138);

fn clean(character: &Character, clip: &mut Clip, scope: &Scope) -> FeetReport {
    clean_feet(character, clip, (&Settings::default(), &FeetSettings::default()), scope)
}

fn check(character: &Character, clip: &Clip) -> Analysis {
    analyze(character, clip, &Settings::default())
}

fn foot(character: &Character, side: Side) -> usize {
    character.bone_of(Role::Foot(side)).unwrap()
}

/// Moves the left foot by `offset` in every frame.
fn drag(character: &Character, clip: &mut Clip, offset: impl Fn(usize) -> DVec3) {
    let limb = &limbs(character)[0];
    for frame in 0..clip.frames() {
        let end = LimbPose::new(&character.skeleton, clip, limb, frame).end();
        let goal = Goal { position: end.position + offset(frame), ..end };
        solve(&character.skeleton, clip, frame, limb, &goal).write(clip, frame);
    }
}

/// Moves the whole body by `offset` in every frame.
fn carry(character: &Character, clip: &mut Clip, offset: impl Fn(usize) -> DVec3) {
    let carrier = RootBone::of(character, clip).unwrap();
    for frame in 0..clip.frames() {
        carrier.translate(&character.skeleton, clip, frame, offset(frame));
    }
}

/// A weight of 1 between `from` and `to` that fades over twelve frames on either side.
fn hump(frame: usize, from: usize, to: usize) -> f64 {
    let apart = if frame < from { from - frame } else { frame.saturating_sub(to) };
    let x = 1.0 - (apart as f64 / 12.0).min(1.0);
    x * x * x * (10.0 - x * (15.0 - 6.0 * x))
}

/// Largest distance of a bone between two clips in the frames `from..=to`, meters.
fn apart(character: &Character, clips: [&Clip; 2], bone: usize, (from, to): (usize, usize)) -> f64 {
    let [a, b] = clips.map(|clip| WorldMotion::new(&character.skeleton, clip));
    (from..=to).map(|frame| a.position(bone, frame).distance(b.position(bone, frame))).fold(0.0, f64::max)
}

fn assert_no_other_finding(before: &Analysis, after: &Analysis) {
    for finding in after.findings.iter().filter(|f| f.severity != Severity::Note) {
        let known = before.findings.iter().any(|old| old.id == finding.id && finding.value <= 1.02 * old.value);
        assert!(known, "{finding:?}");
    }
}

#[test]
fn feet_in_order_keep_every_bit() {
    let character = samples::humanoid();
    for sample in [samples::walk(), samples::jump()] {
        let mut clip = sample.clone();
        let report = clean(&character, &mut clip, &Scope::all(0..sample.frames()));
        assert_eq!(clip, sample);
        assert!(report.limbs.is_empty() && report.before == report.after && report.left.is_empty(), "{report:?}");
    }
}

#[test]
fn a_foot_that_slides_at_0_3_meters_per_second_is_put_back_where_it_stood() {
    let (character, truth) = (samples::humanoid(), samples::walk());
    let mut clip = truth.clone();
    // The foot slides ten frames forward and ten back at 5 mm per frame.
    let slid = |frame: usize| 0.005 * (10.0 - (frame as f64 - 110.0).abs()).max(0.0);
    drag(&character, &mut clip, |frame| DVec3::new(0.6, 0.0, 0.8) * slid(frame));
    let sliding = clip.clone();
    let left = foot(&character, Side::Left);
    assert!((apart(&character, [&truth, &sliding], left, STANCE) - 0.05).abs() < 1e-9);
    let found = standing(&character, &sliding, &Settings::default());
    let toes: Vec<usize> = (0..found.points.len()).filter(|&p| found.points.bones[p] == left).collect();
    let speed = found.points.velocity(toes[0], 105, (0, clip.frames())).length();
    assert!((speed - 0.3).abs() < 1e-6, "{speed}");

    let before = check(&character, &sliding);
    let report = clean(&character, &mut clip, &Scope::all(0..sliding.frames()));
    let after = check(&character, &clip);
    assert!(report.before.skate > 0.015 && report.after.skate < 1e-3, "{report:?}");
    assert_eq!(after.feet, report.after);
    assert_no_other_finding(&before, &after);
    let rest = apart(&character, [&truth, &clip], left, STANCE);
    assert!(rest < 0.001, "{rest} m from where it stood");
    assert_eq!(apart(&character, [&sliding, &clip], foot(&character, Side::Right), (0, 290)), 0.0);
    assert!(report.limbs.len() == 1 && (report.limbs[0].shift - 0.05).abs() < 1e-3 && report.hips == 0.0);
    assert!(report.limbs[0].residual < 1e-9);

    let once = clip.clone();
    let again = clean(&character, &mut clip, &Scope::all(0..once.frames()));
    assert_eq!(clip, once);
    assert!(again.limbs.is_empty());
}

#[test]
fn a_body_that_sinks_by_5_cm_stands_on_the_floor_again() {
    let (character, truth) = (samples::humanoid(), samples::walk());
    let mut clip = truth.clone();
    carry(&character, &mut clip, |frame| DVec3::Y * (-0.05 * hump(frame, 105, 112)));
    let sunk = clip.clone();
    let before = check(&character, &sunk);
    assert!((before.feet.penetration - 0.05).abs() < 1e-3, "{:?}", before.feet);
    let report = clean(&character, &mut clip, &Scope::all(0..sunk.frames()));
    let after = check(&character, &clip);
    assert!(after.feet.penetration < 1e-6 && after.feet.skate < 0.002, "{:?}", after.feet);
    assert_no_other_finding(&before, &after);
    let rest = apart(&character, [&truth, &clip], foot(&character, Side::Left), STANCE);
    assert!(rest < 0.001, "{rest} m from where it stood");
    // Planting feet does not change the path of the body.
    assert_eq!(apart(&character, [&sunk, &clip], 0, (0, 290)), 0.0);
    assert!(report.hips == 0.0 && report.limbs.iter().all(|limb| limb.residual < 1e-9), "{report:?}");
    let once = clip.clone();
    clean(&character, &mut clip, &Scope::all(0..once.frames()));
    assert_eq!(clip, once);
}

#[test]
fn a_body_that_floats_by_5_cm_reaches_down_and_its_hips_come_down_where_legs_are_too_short() {
    let (character, truth) = (samples::humanoid(), samples::walk());
    let mut clip = truth.clone();
    carry(&character, &mut clip, |frame| DVec3::Y * (0.05 * hump(frame, 100, 124)));
    let floating = clip.clone();
    let before = check(&character, &floating);
    assert!((before.feet.float - 0.05).abs() < 5e-3, "{:?}", before.feet);
    let report = clean(&character, &mut clip, &Scope::all(0..floating.frames()));
    let after = check(&character, &clip);
    assert!(after.feet.float < 0.002 && after.feet.penetration < 0.002 && after.feet.skate < 0.01, "{:?}", after.feet);
    assert_no_other_finding(&before, &after);
    let rest = apart(&character, [&truth, &clip], foot(&character, Side::Left), STANCE);
    assert!(rest < 0.002, "{rest} m from where it stood");
    assert!(report.hips == 0.0, "{report:?}");
    let once = clip.clone();
    clean(&character, &mut clip, &Scope::all(0..once.frames()));
    assert_eq!(clip, once);

    let mut clip = truth.clone();
    carry(&character, &mut clip, |frame| DVec3::Y * (0.075 * hump(frame, 100, 124)));
    let floating = clip.clone();
    let report = clean(&character, &mut clip, &Scope::all(0..floating.frames()));
    assert!(report.before.float > 0.07 && report.after.float < 0.002, "{report:?}");
    assert!(report.hips > 0.001 && report.hips < 0.06, "{report:?}");
    let lowered = apart(&character, [&floating, &clip], 0, (0, 290));
    assert!((lowered - report.hips).abs() < 1e-12);
}

#[test]
fn a_whole_walk_that_drifts_at_0_1_meters_per_second_stands_on_its_feet_again() {
    let (character, truth) = (samples::humanoid(), samples::walk());
    let mut clip = truth.clone();
    carry(&character, &mut clip, |frame| DVec3::X * (0.1 / 60.0 * frame as f64));
    let before = check(&character, &clip);
    assert!(before.feet.skate > 0.08, "{:?}", before.feet);
    let report = clean(&character, &mut clip, &Scope::all(0..truth.frames()));
    assert!(report.after.skate < 0.02 && report.after.penetration < 0.002, "{report:?}");
}

#[test]
fn on_a_treadmill_feet_go_with_the_ground() {
    let (character, walk) = (samples::humanoid(), samples::walk());
    // The clip is played twice as fast: a treadmill at half a meter per second.
    let mut truth = walk.cut(99, 180);
    truth.frame_time *= 0.5;
    let seconds = truth.duration();
    let world = WorldMotion::new(&character.skeleton, &truth);
    let speed = (world.position(0, 80) - world.position(0, 0)).z / seconds;
    carry(&character, &mut truth, |frame| DVec3::Z * (-speed * frame as f64 / 120.0));
    let ground = check(&character, &truth);
    assert!((ground.treadmill - DVec3::Z * -speed).length() < 0.02 * speed, "{} {}", ground.treadmill, speed);
    let mut clip = truth.clone();
    drag(&character, &mut clip, |frame| DVec3::new(0.02, -0.05, 0.0) * hump(frame, 12, 14));
    let before = check(&character, &clip);
    assert!(before.feet.penetration > 0.045, "{:?}", before.feet);
    let report = clean(&character, &mut clip, &Scope::all(0..truth.frames()));
    assert!(report.after.penetration < 0.002 && report.after.skate < 0.02, "{report:?}");
    let rest = apart(&character, [&truth, &clip], foot(&character, Side::Left), (2, 30));
    assert!(rest < 0.01, "{rest} m from where it stood");
}

#[test]
fn a_landing_that_sinks_in_is_put_on_the_floor_and_the_flight_stays_a_flight() {
    let (character, truth) = (samples::humanoid(), samples::jump());
    let mut clip = truth.clone();
    carry(&character, &mut clip, |frame| DVec3::Y * (-0.03 * hump(frame, 103, 106)));
    let before = check(&character, &clip);
    assert!(before.feet.penetration > 0.025);
    clean(&character, &mut clip, &Scope::all(0..truth.frames()));
    let after = check(&character, &clip);
    // The sample rolls over the edges of its feet when it lands, by this depth.
    let own = check(&character, &truth).feet;
    let rounding = 1e-9;
    assert!(after.feet.penetration < 1e-6, "{:?}", after.feet);
    assert!(after.feet.float <= own.float + rounding && after.feet.skate <= own.skate + rounding, "{:?}", after.feet);
    assert_eq!(after.flights[0].span, before.flights[0].span);
    let gravities = [&before, &after].map(|analysis| analysis.flights[0].gravity);
    assert!((gravities[1] - gravities[0]).abs() < 5e-3, "{gravities:?}");
    assert_no_other_finding(&before, &after);
}

#[test]
fn frames_strength_and_protected_bones_are_respected() {
    let (character, truth) = (samples::humanoid(), samples::walk());
    let mut sunk = truth.clone();
    carry(&character, &mut sunk, |frame| DVec3::Y * (-0.05 * hump(frame, 105, 112)));
    let frames = sunk.frames();

    let mut clip = sunk.clone();
    clean(&character, &mut clip, &Scope::all(100..110));
    assert_eq!(clip.cut(0, 100), sunk.cut(0, 100));
    assert_eq!(clip.cut(110, frames), sunk.cut(110, frames));
    assert!(clip.cut(100, 110) != sunk.cut(100, 110));

    let mut clip = sunk.clone();
    let half = clean(&character, &mut clip, &Scope { strength: 0.5, ..Scope::all(0..frames) });
    assert!((half.limbs[0].shift - 0.025).abs() < 0.014 && half.after.penetration < 0.03, "{half:?}");
    let mut clip = sunk.clone();
    clean(&character, &mut clip, &Scope { strength: 0.0, ..Scope::all(0..frames) });
    assert_eq!(clip, sunk);

    let knee = character.bone_of(Role::LowerLeg(Side::Left)).unwrap();
    let mut protected = vec![false; clip.bones()];
    protected[knee] = true;
    let mut clip = sunk.clone();
    let report = clean(&character, &mut clip, &Scope { protected, ..Scope::all(0..frames) });
    assert_eq!(report.left, [foot(&character, Side::Left)]);
    for bone in [knee, foot(&character, Side::Left), character.bone_of(Role::UpperLeg(Side::Left)).unwrap()] {
        assert!((0..frames).all(|frame| clip.rotation(bone, frame) == sunk.rotation(bone, frame)));
    }
}

#[test]
fn a_dog_that_sinks_by_3_cm_stands_on_its_four_paws_again() {
    let dog = samples::quadruped();
    let mut truth = Clip::new(dog.skeleton.len(), 120, 1.0 / 60.0).unwrap();
    for (bone, rest) in dog.skeleton.bones().iter().enumerate() {
        for frame in 0..120 {
            truth.set_translation(bone, frame, rest.translation);
            truth.set_rotation(bone, frame, rest.rotation);
        }
    }
    let mut clip = truth.clone();
    carry(&dog, &mut clip, |frame| DVec3::Y * (-0.03 * hump(frame, 55, 60)));
    let report = clean(&dog, &mut clip, &Scope::all(0..120));
    assert!((report.before.penetration - 0.03).abs() < 1e-3, "{report:?}");
    assert!(report.after.penetration < 1e-6 && report.after.float < 1e-6 && report.after.skate < 1e-6, "{report:?}");
    assert_eq!(report.limbs.len(), 4);
    for limb in &report.limbs {
        // As built, its fore paws hang two centimeters above the floor.
        let hangs = if dog.skeleton.bones()[limb.end].name.contains("Fore") { 0.02 } else { 0.0 };
        let rest = apart(&dog, [&truth, &clip], limb.end, (0, 119));
        assert!((rest - hangs).abs() < 0.002 && limb.residual < 1e-9, "{rest} m from where it stood: {limb:?}");
    }
}

#[test]
fn a_landing_that_is_7_cm_too_high_is_put_right_by_moving_the_body() {
    let (character, truth) = (samples::humanoid(), samples::jump());
    let mut clip = truth.clone();
    // The flight is from frame 66 to 90; a line adds no acceleration.
    carry(&character, &mut clip, |frame| DVec3::Y * (0.07 * ((frame as f64 - 65.0) / 26.0).clamp(0.0, 1.0)));
    let settings = Settings::default();
    let before = check(&character, &clip);
    let gravity = before.flights[0].gravity;
    let off = |feet: Feet| feet.float.max(feet.penetration);
    assert!(off(before.feet) > 0.06, "{:?}", before.feet);
    let mut mended = clip.clone();
    let feet = FeetSettings { raise: true, height: 0.01, slip: f64::INFINITY, ..FeetSettings::default() };
    let report = clean_feet(&character, &mut mended, (&settings, &feet), &Scope::all(0..truth.frames()));
    assert!((report.raised - 0.07).abs() < 0.01 && report.limbs.is_empty(), "{report:?}");
    for bone in 0..clip.bones() {
        assert!((0..clip.frames()).all(|frame| mended.rotation(bone, frame) == clip.rotation(bone, frame)));
    }
    let after = check(&character, &mended);
    assert!(off(after.feet) < 0.02 && (after.flights[0].gravity - gravity).abs() < 0.05, "{:?}", after.feet);
}

#[test]
fn a_landing_on_nothing_that_is_7_cm_too_high_is_put_on_the_floor_if_what_rests_in_the_air_counts() {
    let (character, truth) = (samples::humanoid(), samples::jump());
    // The flight is from frame 66 to 90. Contacts are those of a landing 30 cm up, where nothing touches.
    let raised = |height: f64| {
        let mut clip = truth.clone();
        carry(&character, &mut clip, |frame| DVec3::Y * (height * ((frame as f64 - 65.0) / 26.0).clamp(0.0, 1.0)));
        clip
    };
    let contacts = FrozenContacts::of(&character, &raised(0.3), &Settings::default());
    let settings = Settings { contacts: Some(Arc::new(contacts)), ..Settings::default() };
    let high = raised(0.07);
    let feet =
        FeetSettings { raise: true, height: 0.01, slip: f64::INFINITY, careful: false, ..FeetSettings::default() };
    let cleaned = |floats: bool| {
        let (mut clip, feet) = (high.clone(), FeetSettings { floats, ..feet.clone() });
        let report = clean_feet(&character, &mut clip, (&settings, &feet), &Scope::all(0..truth.frames()));
        (clip, report)
    };
    let (mended, report) = cleaned(true);
    assert!((report.raised - 0.07).abs() < 0.01 && report.limbs.is_empty(), "{report:?}");
    let off = apart(&character, [&truth, &mended], foot(&character, Side::Left), (110, 150));
    assert!(off < 0.01, "{off} m from the floor");
    assert_eq!(cleaned(false).0, high, "a box may be there");
}

#[test]
fn a_step_within_a_stance_is_not_pinned() {
    let (character, truth) = (samples::humanoid(), samples::walk());
    let contacts = FrozenContacts::of(&character, &truth, &Settings::default());
    let settings = Settings { contacts: Some(Arc::new(contacts)), ..Settings::default() };
    let mut clip = truth.clone();
    drag(&character, &mut clip, |frame| {
        DVec3::X * (0.14 * ((frame as f64 - 108.0) / 8.0).clamp(0.0, 1.0) * hump(frame, 0, 150))
    });
    let stepped = clip.clone();
    let feet = FeetSettings { height: f64::INFINITY, ..FeetSettings::default() };
    let report = clean_feet(&character, &mut clip, (&settings, &feet), &Scope::all(0..truth.frames()));
    let left = foot(&character, Side::Left);
    assert!(apart(&character, [&stepped, &clip], left, STANCE) < 0.01, "{report:?}");
}
