//! Acceptance of degenerate motions: every degenerate character and clip has a documented result (X14).

use crate::thrown;

use muybridge::analysis::{
    Analysis, Cutoff, FindingId, FindingSection, Settings, VelocityDifference, Verdict, analyze,
};
use muybridge::character::{BodySettings, Bone, Character, CharacterEvidence, ContactPoint, Skeleton, assemble};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::motion::Clip;
use muybridge::samples;
use thrown::{body, character, throw};

/// Runs every analysis of a clip: none may panic, and every list has one entry per frame.
fn every_way(character: &Character, clip: &Clip) -> Vec<Analysis> {
    let last = clip.frames().saturating_sub(1);
    let ranges = [None, Some((0, 1)), Some((0, 2)), Some((last, last + 1)), Some((5, 3)), Some((1000, 2000))];
    let mut found = Vec::new();
    for cutoff in [Cutoff::Auto, Cutoff::Off, Cutoff::Hertz(6.0), Cutoff::Hertz(1e6)] {
        for velocity in [VelocityDifference::Central, VelocityDifference::Backward] {
            for frames in ranges {
                let settings = Settings { cutoff, velocity, frames, looped: true, ..Settings::default() };
                let marked = Settings { flights: vec![(0, 999)], supports: vec![(2, 1)], ..settings.clone() };
                for analysis in [analyze(character, clip, &settings), analyze(character, clip, &marked)] {
                    assert_eq!(analysis.per_frame.mass_center.len(), clip.frames());
                    assert_eq!(analysis.per_frame.contacts.len(), clip.frames());
                    assert_eq!(analysis.balance.normalized_distance.len(), clip.frames());
                    found.push(analysis);
                }
            }
        }
    }
    found
}

fn assert_finite(analysis: &Analysis) {
    let rows = &analysis.per_frame;
    for list in [&rows.mass_center, &rows.linear_momentum, &rows.angular_momentum, &rows.ground_force] {
        assert!(list.iter().flatten().all(|row| row.is_finite()));
    }
    assert!(analysis.floor.is_none_or(f64::is_finite) && analysis.treadmill.is_finite());
    assert!(analysis.feet.skate.is_finite() && analysis.feet.float.is_finite());
}

#[test]
fn x14_without_contact_points_there_is_no_floor_and_all_is_flight() {
    let mut person = samples::humanoid();
    person.contacts.clear();
    for analysis in every_way(&person, &samples::jump()) {
        assert_eq!(analysis.floor, None);
        assert!(analysis.per_frame.contacts.iter().all(Vec::is_empty));
        assert!(analysis.per_frame.support_margin.iter().all(Option::is_none));
        assert_finite(&analysis);
    }
}

#[test]
fn x14_without_mass_there_is_no_mass_center_and_no_verdict() {
    let mut person = samples::humanoid();
    person.bodies.iter_mut().for_each(|body| body.mass = 0.0);
    for analysis in every_way(&person, &samples::jump()) {
        assert_eq!((analysis.mass, analysis.segments.len()), (0.0, 0));
        assert!(analysis.per_frame.mass_center.iter().all(Option::is_none));
        assert!(analysis.per_frame.ground_force.iter().all(Option::is_none));
        assert!(analysis.balance.inside_fraction.is_none());
        assert!(
            !analysis
                .findings
                .iter()
                .any(|f| f.id.section() == FindingSection::Flight || f.id == FindingId::BalanceZmp)
        );
        assert_ne!(analysis.verdict, Verdict::Plausible, "nothing was weighed");
    }
}

#[test]
fn x14_masses_without_inertia_are_points() {
    let mut person = samples::humanoid();
    person.bodies.iter_mut().for_each(|body| body.inertia = DMat3::ZERO);
    for analysis in every_way(&person, &samples::walk()) {
        assert_finite(&analysis);
        assert!((analysis.mass - 70.0).abs() < 1e-12);
    }
    let point = character(vec![body(1.0, DMat3::ZERO)], vec![]);
    let clip = throw(30, 60.0, 9.81, DVec3::new(1.0, 2.0, 0.0), DVec3::new(5.0, 1.0, -2.0));
    for analysis in every_way(&point, &clip) {
        assert!(analysis.per_frame.angular_momentum.iter().flatten().all(|h| *h == DVec3::ZERO), "a point has no spin");
    }
}

#[test]
fn x14_one_two_and_three_frames_are_undecided() {
    let person = samples::humanoid();
    for frames in 1..4 {
        for start in [0, 75] {
            let clip = samples::jump().cut(start, start + frames);
            for analysis in every_way(&person, &clip) {
                assert_eq!(analysis.verdict, Verdict::Undecided, "{frames} frames: {:?}", analysis.findings);
                assert_finite(&analysis);
            }
        }
    }
    let found = analyze(&person, &samples::jump().cut(0, 1), &Settings::default());
    assert_eq!(found.per_frame.linear_momentum, [None], "one frame has no velocity");
    let center = found.per_frame.mass_center[0].unwrap();
    let point = found.per_frame.zero_moment_point[0].unwrap();
    assert!((point - DVec3::new(center.x, found.floor.unwrap(), center.z)).length() < 1e-12, "it stands still");
}

#[test]
fn x14_bones_and_points_that_all_coincide_are_a_point() {
    let contact = ContactPoint { bone: 0, position: DVec3::ZERO, radius: 0.0 };
    let heap = character(vec![body(1.0, DMat3::ZERO); 6], vec![contact; 9]);
    let still = Clip::new(6, 40, 1.0 / 30.0).unwrap();
    for analysis in every_way(&heap, &still) {
        assert_finite(&analysis);
        for frame in analysis.range.0..analysis.range.1 {
            assert_eq!(analysis.per_frame.mass_center[frame], Some(DVec3::ZERO));
            assert!(analysis.per_frame.support_polygon[frame].len() <= 1);
        }
    }
}

#[test]
fn x14_a_skeleton_of_four_bones_is_weighed_and_judged() {
    let bone = |index: usize| Bone {
        name: format!("b{index}"),
        parent: index.checked_sub(1),
        translation: DVec3::new(0.0, if index == 0 { 0.0 } else { 0.2 }, 0.0),
        rotation: DQuat::IDENTITY,
        ends: vec![],
    };
    let skeleton = Skeleton::new((0..4).map(bone).collect()).unwrap();
    let whip = assemble(&skeleton, &CharacterEvidence::default(), &BodySettings::default()).unwrap().character;
    assert!(whip.mass() > 0.0);
    let mut clip = Clip::new(4, 30, 1.0 / 30.0).unwrap();
    for bone in 1..4 {
        (0..30).for_each(|frame| clip.set_translation(bone, frame, DVec3::Y * 0.2));
    }
    for analysis in every_way(&whip, &clip) {
        assert_finite(&analysis);
    }
    let collapsed = Clip::new(4, 30, 1.0 / 30.0).unwrap();
    for analysis in every_way(&whip, &collapsed) {
        assert_finite(&analysis);
    }
}

#[test]
fn x14_huge_and_tiny_motions_do_not_panic() {
    let person = samples::humanoid();
    for factor in [1e-12, 1e9, 1e150] {
        let mut clip = samples::jump();
        for bone in 0..clip.bones() {
            for frame in 0..clip.frames() {
                clip.set_translation(bone, frame, clip.translation(bone, frame) * factor);
            }
        }
        analyze(&person, &clip, &Settings::default());
    }
}
