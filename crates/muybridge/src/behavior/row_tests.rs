//! Rows R18 to R20 for ragdolls of rigid bodies and of particles alike.

use glam::{DMat3, DQuat, DVec3};

use super::clip_tracker::ClipTracker;
use super::drive::RigidDrives;
use super::drive_particles::ParticleDrives;
use super::look_at::LookAt;
use super::pose_target::RootAssist;
use super::posture::Posture;
use super::reach::Reach;
use super::tracking_error::hand;
use super::virtual_model::moments;
use super::{PoseTarget, RagdollModel, Sensed};
use crate::character::{Body, Bone, Character, JointRange, Role, Side, Skeleton};
use crate::math::random::Random;
use crate::math::rotation::{exp, log};
use crate::particles;
use crate::ragdoll::{
    Ragdoll, RagdollSettings, RagdollStart, RigidRagdoll, particles as of_particles, rigid as of_bodies,
};
use crate::rigid::joint::Frame;
use crate::rigid::{self, Joint, Kind};
use crate::samples;

/// A ragdoll of rigid bodies or of particles in its world.
enum Doll {
    Rigid { doll: Box<RigidRagdoll>, drives: RigidDrives, world: Box<rigid::World> },
    Soft { doll: Box<Ragdoll>, drives: ParticleDrives, world: Box<particles::World>, before: Option<Box<Sensed>> },
}

/// Settings of a test with a ragdoll.
#[derive(Clone, Copy)]
struct Trial {
    time_step: f64,
    gravity: DVec3,
    is_pinned: bool,
    joint_friction: f64,
}

const EARTH: DVec3 = DVec3::new(0.0, -9.81, 0.0);

impl Doll {
    /// Ragdolls of both kinds, starting from the rest pose.
    fn both(character: &Character, trial: Trial) -> [(RagdollModel, Self); 2] {
        let start = RagdollStart::at_rest(&character.skeleton);
        let settings = RagdollSettings {
            joint_friction: trial.joint_friction,
            touches_itself: false,
            limits: false,
            ..RagdollSettings::default()
        };
        let doll = of_bodies(character, &start, &settings).unwrap();
        let figure = RagdollModel::of_rigid(character, &doll);
        let mut model = doll.model.clone();
        let drives = RigidDrives::add(&figure, &doll, &mut model, 0);
        if trial.is_pinned {
            let at = &doll.starts[0];
            let frames = [Frame { position: at.position, rotation: at.rotation }, Frame::at(DVec3::ZERO)];
            model.joints.push(Joint { parent: None, child: 0, frames, kind: Kind::Fixed, compliance: 0.0 });
        }
        let own = rigid::Settings {
            time_step: trial.time_step,
            gravity: trial.gravity,
            substeps: 8,
            rest_steps: 0,
            ..rigid::Settings::default()
        };
        let world = Box::new(rigid::World::new(model, &doll.starts, own).unwrap());
        let hard = (figure, Self::Rigid { doll: Box::new(doll), drives, world });
        let doll = of_particles(character, &start, &settings).unwrap();
        let figure = RagdollModel::of_particles(character, &doll);
        let mut model = doll.model.clone();
        let drives = ParticleDrives::add(&figure, &doll, &mut model);
        let own = particles::Settings {
            time_step: trial.time_step,
            gravity: trial.gravity,
            substeps: 64,
            rest_steps: 0,
            ..particles::Settings::default()
        };
        let mut world = Box::new(particles::World::new(model, own).unwrap());
        if trial.is_pinned {
            for particle in 0..4 {
                let place = world.state.positions[particle];
                world.pin(particle, place).unwrap();
            }
        }
        [hard, (figure, Self::Soft { doll: Box::new(doll), drives, world, before: None })]
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Rigid { .. } => "rigid",
            Self::Soft { .. } => "particles",
        }
    }

    fn sensed(&mut self) -> Sensed {
        match self {
            Self::Rigid { doll, world, .. } => Sensed::of_rigid(doll, world),
            Self::Soft { doll, world, before, .. } => {
                let sensed = Sensed::of_particles(doll, world, before.as_deref());
                *before = Some(Box::new(sensed.clone()));
                sensed
            }
        }
    }

    fn step(&mut self, figure: &RagdollModel, sensed: &Sensed, wanted: &PoseTarget) {
        match self {
            Self::Rigid { drives, world, .. } => {
                drives.apply_pose_target(wanted, sensed, world);
                world.step();
            }
            Self::Soft { drives, world, .. } => {
                drives.apply_pose_target(figure, wanted, sensed, world);
                world.step();
            }
        }
    }

    /// Steps for `seconds` with the targets that `decide` returns; returns the sensed state at the end.
    fn run(&mut self, figure: &RagdollModel, seconds: f64, mut decide: impl FnMut(&Sensed) -> PoseTarget) -> Sensed {
        let mut sensed = self.sensed();
        for _ in 0..libm::round(seconds / sensed.step) as usize {
            let wanted = decide(&sensed);
            self.step(figure, &sensed, &wanted);
            sensed = self.sensed();
        }
        sensed
    }
}

/// A heavy upper arm along +x that is held, and a horizontal forearm of 1.5 kg with its center 0.15 m from the elbow.
fn arm() -> Character {
    let bone = |name: &str, parent, x: f64| Bone {
        name: name.into(),
        parent,
        translation: DVec3::X * x,
        rotation: DQuat::IDENTITY,
        ends: vec![DVec3::X * 0.3],
    };
    let rod = |mass: f64| Body {
        mass,
        center: DVec3::X * 0.15,
        inertia: DMat3::from_diagonal(DVec3::new(0.0005, 0.0075, 0.0075) * mass),
        shapes: Vec::new(),
    };
    Character {
        skeleton: Skeleton::new(vec![bone("upper", None, 0.0), bone("fore", Some(0), 0.3)]).unwrap(),
        bodies: vec![rod(3.0), rod(1.5)],
        ranges: vec![JointRange::Free, JointRange::Hinge { axis: DVec3::Z, lower: -2.5, upper: 2.5 }],
        roles: vec![None; 2],
        contacts: Vec::new(),
        body_source: "two rods".into(),
        measured_contacts: true,
    }
}

/// Greatest downward angle of the forearm within two seconds, degrees.
fn greatest_angle((figure, mut doll): (RagdollModel, Doll), wanted: &PoseTarget) -> f64 {
    let mut most = 0.0_f64;
    doll.run(&figure, 2.0, |sensed| {
        most = most.max(log(sensed.pose[0].1.conjugate() * sensed.pose[1].1).length().to_degrees());
        wanted.clone()
    });
    most
}

#[test]
fn r18_a_forearm_that_needs_2_207_newton_metres_is_held_by_2_3_and_falls_with_2_1() {
    // A falling forearm swings about cos θ = 2.1/2.207, 17.9° down.
    for (most, holds) in [(2.3, true), (2.1, false)] {
        let trial = Trial { time_step: 1.0 / 60.0, gravity: EARTH, is_pinned: true, joint_friction: 0.0 };
        for doll in Doll::both(&arm(), trial) {
            let mut wanted = PoseTarget::stiff(&doll.0, 1.0, 20.0);
            wanted.aims[0].most = most;
            let kind = doll.1.kind();
            let angle = greatest_angle(doll, &wanted);
            assert!(if holds { angle < 1.0 } else { angle > 17.0 }, "{kind}, {most} N m: {angle}°");
        }
    }
}

#[test]
fn r18_half_the_strength_is_half_the_moment() {
    for (strength, holds) in [(0.52, true), (0.46, false)] {
        let trial = Trial { time_step: 1.0 / 120.0, gravity: EARTH, is_pinned: true, joint_friction: 0.0 };
        for doll in Doll::both(&arm(), trial) {
            let mut wanted = PoseTarget::stiff(&doll.0, strength, 25.0);
            wanted.aims[0].most = 4.5;
            let kind = doll.1.kind();
            let angle = greatest_angle(doll, &wanted);
            assert!(if holds { angle < 1.0 } else { angle > 17.0 }, "{kind}, {strength}: {angle}°");
        }
    }
}

#[test]
fn r18_a_joint_that_goes_limp_while_it_moves_comes_to_rest_and_hangs() {
    for gravity in [DVec3::ZERO, EARTH] {
        let trial = Trial { time_step: 1.0 / 120.0, gravity, is_pinned: true, joint_friction: 10.0 };
        // Joints of particles without a range have no friction.
        let [(figure, mut doll), _] = Doll::both(&arm(), trial);
        let mut wanted = PoseTarget::stiff(&figure, 1.0, 20.0);
        let raised = |sensed: &Sensed| (sensed.pose[0].1.conjugate() * sensed.pose[1].1 * DVec3::X).y;
        doll.run(&figure, 0.25, |sensed| {
            let turned = sensed.time + sensed.step;
            (wanted.aims[0].turn, wanted.aims[0].rate) = (exp(DVec3::Z * turned), DVec3::Z);
            wanted.clone()
        });
        wanted.aims[0].strength = 0.0;
        let before = raised(&doll.run(&figure, 1.0, |_| wanted.clone()));
        let after = raised(&doll.run(&figure, 4.0, |_| wanted.clone()));
        if gravity == DVec3::ZERO {
            // sin 0.25, and 0.1 s of a radian per second.
            assert!((before - 0.34).abs() < 0.05 && (after - before).abs() < 1e-3, "{before} {after}");
        } else {
            assert!(after < -0.99, "{before} {after}");
        }
    }
}

fn arm_of(figure: &RagdollModel, goal: DVec3) -> Reach {
    let hand = figure.bone_of(Role::Hand(Side::Left)).unwrap();
    Reach { limb: figure.limb_to(hand).unwrap().clone(), in_end: DVec3::ZERO, goal, turn: None }
}

/// Lets the arm reach for two seconds with fixed hips. Returns the final positions of wrist and shoulder.
fn reached(goal_from_shoulder: DVec3) -> Vec<(DVec3, DVec3, DVec3, f64, &'static str)> {
    let character = samples::humanoid();
    let trial = Trial { time_step: 1.0 / 120.0, gravity: EARTH, is_pinned: true, joint_friction: 0.0 };
    let run = |(figure, mut doll): (RagdollModel, Doll)| {
        let ease = super::biped::at_ease(&figure);
        let bones = [Role::UpperArm(Side::Left), Role::LowerArm(Side::Left), Role::Hand(Side::Left)];
        let [shoulder, elbow, hand] = bones.map(|role| figure.bone_of(role).unwrap());
        let goal = character.skeleton.rest_pose()[shoulder].0 + goal_from_shoulder;
        let reach = arm_of(&figure, goal);
        let end = doll.run(&figure, 2.0, |sensed| {
            let mut wanted = PoseTarget::stiff(&figure, 1.0, 12.0);
            ease.aim(&figure, None, &mut wanted);
            for (aim, moment) in wanted.aims.iter_mut().zip(moments(&figure, sensed, &[])) {
                aim.moment = moment;
            }
            reach.decide(&figure, &ease, sensed, &mut wanted);
            wanted
        });
        let pose = &end.pose;
        let length = pose[shoulder].0.distance(pose[elbow].0) + pose[elbow].0.distance(pose[hand].0);
        (pose[hand].0, goal, pose[shoulder].0, length, doll.kind())
    };
    Doll::both(&character, trial).into_iter().map(run).collect()
}

#[test]
fn r19_a_hand_is_within_a_millimetre_of_what_it_can_reach_after_two_seconds() {
    for goal in [DVec3::new(0.1, -0.2, 0.35), DVec3::new(-0.1, 0.1, 0.3)] {
        for (hand, goal, _, _, kind) in reached(goal) {
            assert!(hand.distance(goal) < 1e-3, "{kind}: {} mm", hand.distance(goal) * 1e3);
        }
    }
}

#[test]
fn r19_toward_what_is_out_of_reach_the_arm_is_stretched_within_a_percent() {
    for (hand, goal, shoulder, length, kind) in reached(DVec3::new(0.1, -0.4, 1.0)) {
        let (line, arm) = ((goal - shoulder).normalize(), hand - shoulder);
        assert!((arm - line * arm.dot(line)).length() < 0.01 * length, "{kind}: {arm} {line} of {length}");
        assert!((arm.length() / length - 1.0).abs() < 0.01, "{} of {length}", arm.length());
    }
}

/// A random posture within the joint limits of the person.
fn other_posture(character: &Character, figure: &RagdollModel, random: &mut Random) -> Posture {
    let mut posture = super::biped::at_ease(figure);
    for link in &figure.links {
        let turn = match character.ranges[link.bone] {
            JointRange::Hinge { axis, lower, upper } => axis * ((lower + upper) * (0.1 + 0.3 * random.unit())),
            _ => random.vector() * 0.15,
        };
        posture.rotations[link.bone] = (posture.rotations[link.bone] * exp(turn)).normalize();
    }
    posture
}

/// Greatest angle by which a joint misses its aim, degrees, and the name of its bone.
fn worst<'a>(figure: &'a RagdollModel, sensed: &Sensed, wanted: &PoseTarget) -> (f64, &'a str) {
    let mut found = PoseTarget::nothing(figure);
    Posture::of_pose(&figure.skeleton, &sensed.pose).aim(figure, None, &mut found);
    let all = found.aims.iter().zip(&wanted.aims).zip(&figure.links);
    let off = all.map(|((a, b), link)| {
        let angle = log(a.turn * b.turn.conjugate()).length().to_degrees();
        (angle, figure.skeleton.bones()[link.bone].name.as_str())
    });
    off.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

/// Damping ratio of joints of a figure that moves as a whole.
const DAMPED: f64 = 1.5;

#[test]
fn r20_without_gravity_every_joint_is_within_a_tenth_of_a_degree_of_a_stored_pose_after_5_over_f() {
    let character = samples::humanoid();
    for (time_step, frequency) in [(1.0 / 60.0, 4.0), (1.0 / 240.0, 4.0), (1.0 / 60.0, 10.0)] {
        let trial = Trial { time_step, gravity: DVec3::ZERO, is_pinned: false, joint_friction: 0.0 };
        for (figure, mut doll) in Doll::both(&character, trial) {
            let kind = doll.kind();
            let mut random = Random::new(20);
            let mut wanted = PoseTarget::stiff(&figure, 1.0, frequency);
            // Frequency and damping are defined for one joint with the others locked; joints together are slower and less damped.
            wanted.aims.iter_mut().for_each(|aim| aim.damping_ratio = DAMPED);
            for round in 0..2 {
                other_posture(&character, &figure, &mut random).aim(&figure, None, &mut wanted);
                let sensed = doll.sensed();
                assert!(worst(&figure, &sensed, &wanted).0 > 5.0);
                let end = doll.run(&figure, 5.0 / frequency, |_| wanted.clone());
                let (off, joint) = worst(&figure, &end, &wanted);
                assert!(off < 0.1, "{kind}, {frequency} Hz at {time_step} s, pose {round}: {joint} {off}°");
            }
        }
    }
}

#[test]
fn r20_stiffness_beyond_all_measure_is_as_stable_and_limp_joints_do_nothing() {
    let character = samples::humanoid();
    let trial = Trial { time_step: 1.0 / 60.0, gravity: DVec3::ZERO, is_pinned: false, joint_friction: 0.0 };
    for (figure, mut doll) in Doll::both(&character, trial) {
        let mut random = Random::new(3);
        let mut wanted = PoseTarget::stiff(&figure, 1.0, 1e4);
        other_posture(&character, &figure, &mut random).aim(&figure, None, &mut wanted);
        let end = doll.run(&figure, 3.0, |_| wanted.clone());
        let (off, joint) = worst(&figure, &end, &wanted);
        assert!(off < 2.0, "{joint} {off}°");
    }
    for (figure, mut doll) in Doll::both(&character, trial) {
        let wanted = PoseTarget::stiff(&figure, 0.0, 10.0);
        let (start, end) = (doll.sensed(), doll.run(&figure, 0.5, |_| wanted.clone()));
        let moved = start.pose.iter().zip(&end.pose).map(|(a, b)| a.0.distance(b.0)).fold(0.0, f64::max);
        assert!(moved < 1e-6, "{moved}");
    }
}

#[test]
fn a_led_figure_walks_along_its_clip_without_lag() {
    let character = samples::humanoid();
    let clip = samples::walk();
    let trial = Trial { time_step: 1.0 / 60.0, gravity: DVec3::ZERO, is_pinned: false, joint_friction: 0.0 };
    for (figure, mut doll) in Doll::both(&character, trial) {
        let kind = doll.kind();
        let mut track = ClipTracker::new(&figure, clip.clone(), 0.0, 1.0, 20.0);
        track.lead = Some(RootAssist {
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            time_constant: 0.03,
            most_force: 1e5,
            most_moment: 1e5,
        });
        let end = doll.run(&figure, 1.0, |sensed| track.decide(&figure, sensed));
        let expected = track.posture(end.time).world(&figure.skeleton);
        let off = expected.iter().zip(&end.pose).map(|(a, b)| a.0.distance(b.0)).fold(0.0, f64::max);
        assert!(off < 0.03, "{kind}: {off} m");
    }
}

#[test]
fn a_limp_arm_of_a_led_figure_hangs_and_the_rest_stays_where_it_is_led() {
    // An arm without strength is a pendulum: at rest it hangs straight down from the shoulder. In particles, dry friction holds the arm
    // where its weight turns it by less. The root assist carries all of the weight, 4.8 mm below its target.
    let character = samples::humanoid();
    let constant = 0.02;
    let trial = Trial { time_step: 1.0 / 240.0, gravity: EARTH, is_pinned: false, joint_friction: 8.0 };
    for (figure, mut doll) in Doll::both(&character, trial) {
        let kind = doll.kind();
        let bones = [Role::UpperArm(Side::Left), Role::LowerArm(Side::Left), Role::Hand(Side::Left)];
        let [shoulder, elbow, wrist] = bones.map(|role| figure.bone_of(role).unwrap());
        let held = Posture::at_rest(&figure.skeleton).as_clip().unwrap();
        let mut track = ClipTracker::new(&figure, held, 0.0, 1.0, 20.0);
        track.lead = Some(hand(constant));
        let end = doll.run(&figure, 6.0, |sensed| {
            let mut wanted = track.decide(&figure, sensed);
            wanted.set_strength_below(&figure, shoulder, 0.0);
            wanted
        });
        for [above, below] in [[shoulder, elbow], [elbow, wrist]] {
            let down = (end.pose[below].0 - end.pose[above].0).angle_between(DVec3::NEG_Y).to_degrees();
            assert!(down < if kind == "rigid" { 6.0 } else { 35.0 }, "{kind}: {down}° from straight down");
        }
        let expected = track.posture(end.time).world(&figure.skeleton);
        let sag = expected[0].0.y - end.pose[0].0.y;
        let theory = sag_of(constant, trial.time_step, 1.1);
        assert!((sag / theory - 1.0).abs() < 0.1, "{kind}: {sag} m, {theory} m");
        let on_its_own = |bone: &usize| !figure.is_below(*bone, shoulder);
        let all = (0..expected.len()).filter(on_its_own);
        let off = all.map(|bone| expected[bone].0.distance(end.pose[bone].0)).fold(0.0, f64::max);
        assert!(off < 0.02, "{kind}: {off} m");
    }
}

/// Sag of a root assist that holds a weight, meters: s α 2/h² x = g M/m, s = min(M/m, ¾/β), with `load` = M/m.
fn sag_of(constant: f64, h: f64, load: f64) -> f64 {
    let r = if constant > 0.0 { libm::exp(-h / constant) } else { 0.0 };
    let (alpha, beta) = (0.5 * (1.0 - r) * (1.0 - r), 0.25 * (1.0 - r) * (3.0 + r));
    let counted = load.min(0.75 / beta);
    9.81 * load / counted * h * h / (2.0 * alpha)
}

#[test]
fn a_figure_that_is_limp_but_for_its_first_body_hangs_from_a_hand_of_any_time_constant() {
    // The root assist accounts for the load as far as its gains allow: the figure neither swings up nor falls.
    let character = samples::humanoid();
    for (step, constant) in [(1.0 / 60.0, 0.0), (1.0 / 60.0, 0.02), (1.0 / 240.0, 0.02), (1.0 / 60.0, 0.1)] {
        let trial = Trial { time_step: step, gravity: EARTH, is_pinned: false, joint_friction: 8.0 };
        for (figure, mut doll) in Doll::both(&character, trial) {
            let kind = doll.kind();
            let held = Posture::at_rest(&figure.skeleton).as_clip().unwrap();
            let mut track = ClipTracker::new(&figure, held, 0.0, 0.0, 20.0);
            track.lead = Some(hand(constant));
            let mut hips = Vec::new();
            doll.run(&figure, 6.0, |sensed| {
                hips.push(sensed.pose[0].0);
                track.decide(&figure, sensed)
            });
            let late = &hips[hips.len() * 5 / 6..];
            let moved = late.iter().map(|place| place.distance(late[0])).fold(0.0, f64::max);
            let sag = hips[0].y - late[0].y;
            let theory = sag_of(constant, step, figure.mass / figure.bodies[0].mass);
            let said = format!("{kind}, {constant} s at {step} s: {moved} m, {sag} m, {theory} m");
            // Limbs still swing where the assist is weak.
            assert!(moved < 0.05 && (sag / theory - 1.0).abs() < 0.15, "{said}");
        }
    }
}

#[test]
fn a_face_turns_to_a_place_by_chest_neck_and_head_in_their_shares() {
    let character = samples::humanoid();
    let trial = Trial { time_step: 1.0 / 120.0, gravity: DVec3::ZERO, is_pinned: true, joint_friction: 0.0 };
    for (figure, mut doll) in Doll::both(&character, trial) {
        let ease = Posture::at_rest(&figure.skeleton);
        let [head, chest] = [Role::Head, Role::Chest].map(|role| figure.bone_of(role).unwrap());
        let start = doll.sensed().pose[head];
        let ahead = start.1.conjugate() * DVec3::Z;
        for (way, most) in [(DVec3::new(1.0, 0.3, 2.0), 1.2), (DVec3::new(-3.0, 0.0, 0.5), 0.4)] {
            let look = LookAt { place: start.0 + way, forward: DVec3::Z, most };
            let mut missed = 0.0;
            let end = doll.run(&figure, 1.5, |sensed| {
                let mut wanted = PoseTarget::stiff(&figure, 1.0, 8.0);
                ease.aim(&figure, None, &mut wanted);
                missed = look.decide(&figure, &ease, sensed, &mut wanted).unwrap();
                wanted
            });
            let (at, turn) = end.pose[head];
            let (face, wanted) = (turn * ahead, (look.place - at).normalize());
            let angle = face.angle_between(wanted);
            let needed = wanted.angle_between(DVec3::Z);
            let kind = doll.kind();
            assert!((angle - missed).abs() < 0.01, "{kind}: it says {missed} and misses by {angle}");
            // The head turns by the shortest rotation, and no more than the limit.
            assert!((angle - (needed - most).max(0.0)).abs() < 0.01, "{kind}: {angle} of {needed}");
            let whole = log(turn * start.1.conjugate());
            let of_chest = log(end.pose[chest].1 * figure.skeleton.rest_pose()[chest].1.conjugate());
            // A neck without a joint of its own leaves its share to the other bones.
            let neck = figure.bone_of(Role::Neck);
            let share = if figure.links.iter().any(|link| Some(link.bone) == neck) { 0.2 } else { 0.2 / 0.7 };
            assert!((of_chest - whole * share).length() < 0.01, "{kind}: {of_chest} of {whole}");
        }
    }
}

#[test]
fn a_figure_that_gets_up_goes_smoothly_from_where_it_lies_to_the_clip_above_that_place() {
    let character = samples::humanoid();
    let trial = Trial { time_step: 1.0 / 60.0, gravity: DVec3::ZERO, is_pinned: false, joint_friction: 0.0 };
    let [(figure, mut doll), _] = Doll::both(&character, trial);
    let mut sensed = doll.sensed();
    // The figure lies on its back, turned to +x, at some place.
    let lies = exp(DVec3::Y * core::f64::consts::FRAC_PI_2) * exp(DVec3::X * -1.2);
    let away = DVec3::new(2.0, -0.8, -3.0);
    let hips = sensed.pose[0].0;
    for (place, turn) in &mut sensed.pose {
        (*place, *turn) = (hips + away + lies * (*place - hips), lies * *turn);
    }
    let mut track = ClipTracker::new(&figure, samples::walk(), 0.0, 1.0, 5.0);
    let seconds = 1.5;
    track.get_up(&figure, &sensed, seconds);
    let far = |a: &Posture, b: &Posture| {
        let turns = a.rotations.iter().zip(&b.rotations).map(|(a, b)| log(*a * b.conjugate()).length());
        turns.fold(a.translations[0].distance(b.translations[0]), f64::max)
    };
    let at = |share: f64| track.posture(sensed.time + share * seconds);
    let lying = Posture::of_pose(&figure.skeleton, &sensed.pose);
    assert!(far(&at(0.0), &lying) < 1e-9);
    let clip = Posture::of_clip(&track.clip, 0.0);
    let up = at(1.0);
    let above = DVec3::new(hips.x + away.x, clip.translations[0].y, hips.z + away.z);
    assert!(up.translations[0].distance(above) < 1e-9, "{} {above}", up.translations[0]);
    // The figure faces the direction in which it lay, toward +x, as upright as in the clip.
    let (forward, own) = (up.rotations[0] * DVec3::Z, clip.rotations[0] * DVec3::Z);
    assert!(
        (forward - exp(DVec3::Y * core::f64::consts::FRAC_PI_2) * own.with_x(0.0)).with_y(0.0).length() < 0.1,
        "{forward}"
    );
    assert!(
        (0..clip.rotations.len())
            .skip(1)
            .all(|bone| log(up.rotations[bone] * clip.rotations[bone].conjugate()).length() < 1e-9)
    );
    // Position, rate and acceleration are continuous at both ends: 6u⁵ − 15u⁴ + 10u³ is 10u³ near both.
    for (share, end) in [(0.01, &lying), (0.99, &up)] {
        let whole = far(&lying, &up);
        assert!(far(&at(share), end) < 1.2e-5 * whole, "{share}");
    }
    assert!(far(&at(0.5), &lying) > 0.1 && far(&at(0.5), &up) > 0.1);
}
