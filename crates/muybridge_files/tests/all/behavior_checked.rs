//! Recorded runs of actions and plans, checked: without the reported actuator forces, the floor gives only forces that a floor can.

use std::path::Path;

use muybridge::analysis::BodyMotion;
use muybridge::analysis::{Actuated, Analysis, Cutoff, FindingId, Settings, Severity, analyze};
use muybridge::glam::DVec3;
use muybridge::motion::WorldMotion;
use muybridge::simulation::scene::Method;
use muybridge::simulation::{Recording, Scene, World};
use muybridge_files::scene::{built_in, load, read};

fn record(scene: &Scene) -> Recording {
    let (assets, _) = load(scene, Path::new("")).unwrap();
    World::new(scene.clone(), &assets).unwrap_or_else(|fault| panic!("{fault}")).record()
}

fn built_in(name: &str) -> Recording {
    record(&read(built_in::text(name).expect(name).as_bytes()).unwrap())
}

fn reported(recording: &Recording) -> Vec<Actuated> {
    let (name, character, clip) = &recording.characters[0];
    let motion = BodyMotion::new(character, &WorldMotion::new(&character.skeleton, clip));
    let centers: Vec<DVec3> = (0..clip.frames()).map(|frame| motion.mass_center(frame)).collect();
    recording.actuated(name, &centers).into_iter().map(|(force, moment)| Actuated { force, moment }).collect()
}

fn checked(recording: &Recording, actuated: Vec<Actuated>) -> Analysis {
    let (_, character, clip) = &recording.characters[0];
    analyze(character, clip, &Settings { actuated, cutoff: Cutoff::Off, ..Settings::default() })
}

#[test]
fn what_an_action_reports_is_all_that_carries_a_ragdoll_in_the_air() {
    let text = r#"
        [scene]
        seconds = 1.5
        [[ragdoll]]
        name = "man"
        position = [0, 1, 0]
        [[action]]
        name = "lift"
        kind = "align"
        on = "man/Chest"
        to = [0.3, 2.6, 0.2]
        turn = [0, "40 deg", 0]
        seconds = 1.0
        ease = "quintic"
        until = "cancelled"
    "#;
    for method in [Method::Multipliers, Method::Displacement] {
        let mut scene = read(text.as_bytes()).unwrap();
        scene.solver.method = method;
        let recording = record(&scene);
        let bare = checked(&recording, Vec::new());
        let actuated = reported(&recording);
        let rest = checked(&recording, actuated.clone());
        let weight = rest.mass * rest.gravity;
        let most = |of: &dyn Fn(usize) -> DVec3| (2..rest.frames - 2).map(|at| of(at).length()).fold(0.0, f64::max);
        let force = most(&|at| bare.per_frame.ground_force[at].unwrap());
        let left = most(&|at| rest.per_frame.ground_force[at].unwrap());
        // Steps equal frames, so a second difference of positions is the mean force of two steps. The rest is the joint gap by the square
        // of the step: 2 · 10⁻⁶ m · 60² Hz² of any one body.
        let gap = if method == Method::Multipliers { 1e-8 } else { 2e-6 };
        assert!(force > 0.9 * weight && left < rest.mass * gap * 3600.0, "{method:?}: {left} of {force}");
        // Rotations are differences of finite angles: second order in the step.
        let turned = |at: usize| bare.per_frame.angular_momentum_rate[at].unwrap();
        let (moment, missing) = (most(&turned), most(&|at| turned(at) - actuated[at].moment));
        assert!(missing < 0.03 * moment, "{method:?}: {missing} of {moment}");
    }
}

/// Mean ground forces over `frames` frames each, with their times: means of forces in a friction cone lie in the cone.
fn means(recording: &Recording, analysis: &Analysis, frames: usize) -> Vec<(f64, DVec3)> {
    let force = |at: usize| analysis.per_frame.ground_force[at].unwrap();
    let mean = |first: usize| (first..first + frames).map(force).sum::<DVec3>() / frames as f64;
    (2..analysis.frames - frames - 2)
        .step_by(frames)
        .map(|first| ((first as f64 + 0.5 * frames as f64) * recording.frame_time, mean(first)))
        .collect()
}

#[test]
fn what_stands_reaches_walks_and_is_pushed_asks_of_the_floor_what_a_floor_can_give() {
    for (name, hits) in [("stands", &[][..]), ("reaches", &[]), ("walks", &[]), ("pushed", &[2.0, 5.5])] {
        let recording = built_in(name);
        let analysis = checked(&recording, reported(&recording));
        let errors = analysis.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let errors: Vec<&str> = errors.map(|finding| finding.id.name()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let weight = analysis.mass * analysis.gravity;
        for (time, force) in means(&recording, &analysis, 12) {
            // A hit of the scene is no actuator force.
            if hits.iter().any(|hit| (time - hit).abs() < 0.1) {
                continue;
            }
            let along = DVec3::new(force.x, 0.0, force.z).length();
            // The ground pushes up, and its friction is at most Coulomb's 0.8 of that: both to a hundredth of the weight.
            assert!(force.y > -0.01 * weight, "{name} {time}: {force}");
            assert!(along < 0.8 * force.y + 0.01 * weight, "{name} {time}: {force}");
        }
        // Contacts penetrate by at most the solver's slop, and dry friction holds loaded feet. After a push a foot turns on its edge.
        let slop = muybridge::rigid::Settings::default().slop;
        let feet = analysis.feet;
        let skate = if hits.is_empty() { 0.002 } else { 0.02 };
        assert!(feet.penetration < slop && feet.skate < skate, "{name}: {feet:?}");
    }
}

#[test]
fn who_follows_a_clip_on_own_feet_is_carried_by_the_floor_alone() {
    let recording = built_in("own_feet");
    assert!(recording.exertions.is_empty(), "nobody helps");
    for (name, character, clip) in recording.characters.iter().take(2) {
        let analysis = analyze(character, clip, &Settings { cutoff: Cutoff::Off, ..Settings::default() });
        let errors = analysis.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let errors: Vec<&str> = errors.map(|finding| finding.id.name()).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        let weight = analysis.mass * analysis.gravity;
        for (time, force) in means(&recording, &analysis, 12) {
            let along = DVec3::new(force.x, 0.0, force.z).length();
            // Coulomb's 0.9; a landing foot slides for less than the frames of a mean.
            assert!(force.y > -0.01 * weight && along < 0.9 * force.y + 0.02 * weight, "{name} {time}: {force}");
        }
        let slop = muybridge::rigid::Settings::default().slop;
        assert!(analysis.feet.penetration < slop && analysis.feet.skate < 0.01, "{name}: {:?}", analysis.feet);
    }
    // The person with stiff joints alone lies on the ground.
    let (_, other, clip) = &recording.characters[2];
    let hips = WorldMotion::new(&other.skeleton, clip).position(0, clip.frames() - 1);
    assert!(hips.y < 0.5, "{hips}");
}

#[test]
fn a_hand_that_leads_is_taken_from_the_floor_and_what_is_left_is_possible() {
    let recording = built_in("gets_up");
    let (bare, rest) = (checked(&recording, Vec::new()), checked(&recording, reported(&recording)));
    assert!(bare.findings.iter().any(|finding| finding.id == FindingId::BalanceZmp));
    // Limp, the person lands on the belly, which has no contact points, so some ground forces are not seen. Then root assist begins.
    let begins = 2.0;
    let led = rest.findings.iter().filter(|finding| finding.span.end > begins);
    let errors: Vec<_> = led.filter(|finding| finding.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let weight = rest.mass * rest.gravity;
    for (time, force) in means(&recording, &rest, 6) {
        assert!(force.y > -0.01 * weight, "{time}: {force}");
    }
}
