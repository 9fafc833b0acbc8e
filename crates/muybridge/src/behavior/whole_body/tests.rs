//! Tests of whole-body control against the Newton–Euler equations.

use glam::DVec3;

use super::*;
use crate::behavior::pose_target::RootAssist;
use crate::behavior::tracking_error::{Push, TrackingSettings, run_tracking};
use crate::math::random::Random;
use crate::ragdoll::{Inherited, RagdollSettings, RagdollStart, rigid};
use crate::rigid::{Settings, World};
use crate::samples;

/// The person in a frame of the walk, one step later, so that its velocities are consistent with the joints.
fn somewhere(frame: usize) -> (OwnFeet, Sensed) {
    let (character, clip) = (samples::humanoid(), samples::walk());
    let start = RagdollStart::from_clip(&character.skeleton, &clip, frame, Inherited::Central).unwrap();
    let ragdoll = rigid(&character, &start, &RagdollSettings::default()).unwrap();
    let mut world = World::new(ragdoll.model.clone(), &ragdoll.starts, Settings::default()).unwrap();
    world.step();
    let figure = RagdollModel::of_rigid(&character, &ragdoll);
    let own = OwnFeet::new(&character, &ragdoll, ClipTracker::new(&figure, clip, 0.0, 1.0, 10.0), 0.0);
    (own, Sensed::of_rigid(&ragdoll, &world))
}

#[test]
fn rates_of_momentum_are_those_of_bodies_moved_a_little_on() {
    // Independent check: move all bodies by h with u + h u̇ and compute the momenta from their velocities.
    let mut random = Random::new(3);
    for frame in [10, 40, 70] {
        let (own, sensed) = somewhere(frame);
        let mechanism = WholeBodyTree::new(&own.figure, &sensed, &own.weights, None);
        let count = mechanism.unknowns();
        let faster: Vec<f64> = (0..count).map(|_| random.unit() - 0.5).collect();
        let (rows, bias) = &mechanism.momentum;
        let rate: Vec<f64> =
            (0..6).map(|row| bias[row] + (0..count).map(|k| rows[row * count + k] * faster[k]).sum::<f64>()).collect();
        let momenta = |h: f64| moved(&own, &sensed, &mechanism, &faster, h);
        let h = 1e-5;
        let (before, after) = (momenta(-h), momenta(h));
        for row in 0..6 {
            let found = (after[row] - before[row]) / (2.0 * h);
            assert!((found - rate[row]).abs() < 1e-4 * (1.0 + rate[row].abs()), "{frame} {row}: {found} {}", rate[row]);
        }
    }
}

/// Momentum, and angular momentum about the center of mass, of the tree `h` seconds later.
fn moved(own: &OwnFeet, sensed: &Sensed, mechanism: &WholeBodyTree<'_>, faster: &[f64], h: f64) -> [f64; 6] {
    use crate::math::rotation::exp;
    let vector = |column: usize| DVec3::from_slice(&faster[column..]);
    let root = sensed.motions[0];
    let mut motions = sensed.motions.clone();
    let mut turned = vec![glam::DQuat::IDENTITY; motions.len()];
    let turn = |w: DVec3, a: DVec3| exp(w * h + a * (0.5 * h * h));
    motions[0].center += root.velocity * h + vector(0) * (0.5 * h * h);
    motions[0].velocity += vector(0) * h;
    motions[0].angular_velocity += vector(3) * h;
    turned[0] = turn(root.angular_velocity, vector(3));
    // Angular velocities add in the world, so each body turns by its own.
    for (index, link) in own.figure.links.iter().enumerate() {
        let [parent, child] = link.bodies;
        let (old, above) = (sensed.motions[child], motions[parent]);
        let rate = mechanism.rates[index] + vector(6 + 3 * index) * h;
        let spin = above.angular_velocity + rate;
        turned[child] = turn(old.angular_velocity, (spin - old.angular_velocity) / h);
        let joint = above.center + turned[parent] * (mechanism.joint(index) - sensed.motions[parent].center);
        let arm = turned[child] * (old.center - mechanism.joint(index));
        motions[child].center = joint + arm;
        motions[child].angular_velocity = spin;
        motions[child].velocity = above.velocity + above.angular_velocity.cross(joint - above.center) + spin.cross(arm);
    }
    let masses = &own.weights.masses;
    let mean = |of: &dyn Fn(usize) -> DVec3| {
        (0..motions.len()).map(|body| of(body) * masses[body]).sum::<DVec3>() / sensed.mass
    };
    let (center, velocity) = (mean(&|body| motions[body].center), mean(&|body| motions[body].velocity));
    let spin = (0..motions.len())
        .map(|body| {
            let turn = DMat3::from_quat(turned[body]);
            let inertia = turn * mechanism.inertia[body] * turn.transpose();
            let arm = motions[body].center - center;
            arm.cross(motions[body].velocity) * masses[body] + inertia * motions[body].angular_velocity
        })
        .sum::<DVec3>();
    let [momentum, spin] = [velocity * sensed.mass, spin].map(|v| v.to_array());
    core::array::from_fn(|row| if row < 3 { momentum[row] } else { spin[row - 3] })
}

#[test]
fn forces_lie_in_their_cones_and_leave_nothing_at_the_root() {
    for frame in [0, 30, 60, 90] {
        let (own, sensed) = somewhere(frame);
        let wished = wished(&own.figure, &own.track, sensed.time);
        let bones = |body: usize| own.figure.bodies[body].bone;
        let bearings = bearings((&sensed, &bones), &wished, (&own.soles, 0.0));
        let mechanism = WholeBodyTree::new(&own.figure, &sensed, &own.weights, None);
        let mut tasks = Tasks::new(mechanism.unknowns());
        own.wish_posture(&mechanism, &wished, &mut tasks);
        own.wish_center(&mechanism, &wished, &mut tasks);
        let rays = rays(&sensed, &bearings, own.friction);
        assert!(rays.len() >= 4, "{frame}: it stands");
        let (faster, forces) = tasks.solve(&mechanism, &rays);
        assert!(forces.iter().all(|force| *force >= 0.0));
        // The ground and gravity are the only external forces: A u̇ + b = Σ wrenches + (M g, 0).
        let (rows, bias) = &mechanism.momentum;
        let count = faster.len();
        for row in 0..6 {
            let rate = bias[row] + (0..count).map(|k| rows[row * count + k] * faster[k]).sum::<f64>();
            let given: f64 = rays.iter().zip(&forces).map(|(ray, force)| ray.wrench[row] * force).sum();
            let weight = if row < 3 { sensed.gravity[row] * sensed.mass } else { 0.0 };
            assert!((rate - given - weight).abs() < 1e-6 * sensed.mass, "{frame} {row}: {rate} {given} {weight}");
        }
    }
}

fn trial() -> TrackingSettings {
    TrackingSettings {
        time_step: 1.0 / 240.0,
        substeps: 2,
        frequency: 30.0,
        lead: None,
        missing: None,
        on_own_feet: true,
        ground: Some(0.0),
        push: None,
    }
}

#[test]
fn a_walk_and_a_jump_are_followed_to_their_ends_without_a_hand() {
    // 5 cm root mean square of all bones in the world, to the end: a joint drive alone is lost within a second and a half.
    for (clip, most) in [(samples::walk(), 0.05), (samples::jump(), 0.03)] {
        let followed = run_tracking(&samples::humanoid(), &clip, &trial()).unwrap();
        assert!(followed.lost.is_none() && followed.force == 0.0, "{followed:?}");
        assert!(followed.place < most && followed.angle < 0.2, "{followed:?}");
        let alone =
            run_tracking(&samples::humanoid(), &clip, &TrackingSettings { on_own_feet: false, ..trial() }).unwrap();
        assert!(alone.lost.is_some(), "{alone:?}");
    }
}

#[test]
fn pushed_as_it_stands_it_comes_back_on_its_own_feet() {
    let character = samples::humanoid();
    let mut clip = crate::motion::Clip::new(character.skeleton.len(), 361, 1.0 / 120.0).unwrap();
    let first = Posture::of_clip(&samples::walk(), 0.0);
    for frame in 0..361 {
        for (bone, (&rotation, &translation)) in first.rotations.iter().zip(&first.translations).enumerate() {
            clip.set_rotation(bone, frame, rotation);
            clip.set_translation(bone, frame, translation);
        }
    }
    let bone = character.bone_of(Role::Chest).unwrap();
    // Impulse that a foot's length of support absorbs without a step: m ω₀ b, ω₀ = √(g/h); b of 5 cm and a height of 1 m give 11 N s.
    let push = Push { time: 0.5, impulse: DVec3::Z * 10.0, bone };
    let followed = run_tracking(&character, &clip, &TrackingSettings { push: Some(push), ..trial() }).unwrap();
    assert!(followed.lost.is_none() && followed.returned.is_some_and(|seconds| seconds < 1.5), "{followed:?}");
}

#[test]
fn helped_where_nobody_could_do_without_a_walk_and_a_jump_are_followed_within_2_cm_and_a_push_is_survived() {
    let character = samples::humanoid();
    let weight = character.mass() * 9.81;
    for clip in [samples::walk(), samples::jump()] {
        let lead = |reserve: f64| RootAssist {
            most_force: reserve * weight,
            most_moment: 0.5 * reserve * weight,
            ..crate::behavior::tracking_error::hand(0.1)
        };
        let helped = TrackingSettings { lead: Some(lead(0.0)), missing: Some(1.5), ..trial() };
        let followed = run_tracking(&character, &clip, &helped).unwrap();
        let possible = followed.possible.unwrap();
        // The clips obey Newton's laws, so they ask for almost nothing that a floor could not give.
        assert!(possible.share > 0.95 && possible.place < 0.02 && possible.angle < 0.02, "{followed:?}");
        assert!(followed.most_force < 0.15 && followed.lost.is_none(), "{followed:?}");
        // 50 N s move the capture point by J/(m √(g/h)) = 0.21 m, more than half a foot is wide.
        let bone = character.bone_of(Role::Chest).unwrap();
        let push = Push { time: 0.75, impulse: DVec3::X * 50.0, bone };
        let pushed = TrackingSettings { lead: Some(lead(0.3)), push: Some(push), ..helped };
        let followed = run_tracking(&character, &clip, &pushed).unwrap();
        assert!(followed.lost.is_none() && followed.returned.is_some_and(|seconds| seconds < 1.5), "{followed:?}");
    }
}
