//! Acceptance of the center of mass and its momenta through the whole analysis (S1–S3, S37).

use crate::thrown;

use muybridge::analysis::{Analysis, VelocityDifference};
use muybridge::character::Character;
use muybridge::glam::{DMat3, DVec3};
use muybridge::math::rotation::exp;
use muybridge::motion::{Clip, WorldMotion};
use muybridge::samples;
use thrown::{GRAVITY, analysis, body, character, clip, throw};

fn central(character: &Character, clip: &Clip) -> Analysis {
    analysis(character, clip, VelocityDifference::Central)
}

/// Natural scale of a momentum of the person: mass times the speed of a fall over a leg length.
fn natural_momentum(character: &Character) -> f64 {
    character.mass() * (GRAVITY * 0.847_f64).sqrt()
}

#[test]
fn s1_two_bodies_balance_where_the_lever_says() {
    let pair = character(vec![body(12.0, DMat3::IDENTITY), body(24.0, DMat3::IDENTITY)], vec![]);
    let mut clip = Clip::new(2, 5, 0.1).unwrap();
    for frame in 0..5 {
        clip.set_translation(0, frame, DVec3::new(0.0, 1.0, frame as f64));
        clip.set_translation(1, frame, DVec3::X * 3.0);
    }
    let found = central(&pair, &clip);
    assert_eq!(found.mass, 36.0);
    for frame in 0..5 {
        assert_eq!(found.per_frame.mass_center[frame], Some(DVec3::new(2.0, 1.0, frame as f64)));
    }
}

#[test]
fn s1_the_mass_center_of_a_t_pose_stays_on_the_plane_of_symmetry() {
    let person = samples::humanoid();
    let turn = exp(DVec3::new(0.0, 0.7, 0.0));
    for (rotation, place) in [(exp(DVec3::ZERO), DVec3::ZERO), (turn, DVec3::new(0.4, 0.1, -0.9))] {
        let mut clip = rest(&person, 12, 30.0);
        for frame in 0..12 {
            let hips = clip.translation(0, frame);
            clip.set_rotation(0, frame, rotation);
            clip.set_translation(0, frame, rotation * hips + place + DVec3::Y * (0.01 * frame as f64));
        }
        let across = rotation * DVec3::X;
        for center in central(&person, &clip).per_frame.mass_center {
            assert!((center.unwrap() - place).dot(across).abs() <= 1e-12, "{center:?}");
        }
    }
}

#[test]
fn s2_linear_momentum_is_mass_times_the_rate_of_the_mass_center_and_the_sum_over_bodies() {
    let person = samples::humanoid();
    for clip in [samples::jump(), samples::walk()] {
        let found = central(&person, &clip);
        let world = WorldMotion::new(&person.skeleton, &clip);
        let (rows, h) = (&found.per_frame, clip.frame_time);
        for frame in 1..clip.frames() - 1 {
            let momentum = rows.linear_momentum[frame].unwrap();
            let center = |n: usize| rows.mass_center[n].unwrap();
            let rate = (center(frame + 1) - center(frame - 1)) / (2.0 * h);
            assert!((momentum - found.mass * rate).length() <= 1e-12 * natural_momentum(&person), "frame {frame}");
            assert!((momentum - found.mass * rows.mass_center_velocity[frame].unwrap()).length() <= 1e-12);
            let bodies = person.bodies.iter().enumerate();
            let sum: DVec3 = bodies
                .map(|(bone, own)| {
                    let at = |n: usize| world.point(bone, n, own.center);
                    own.mass / (2.0 * h) * (at(frame + 1) - at(frame - 1))
                })
                .sum();
            assert!((momentum - sum).length() <= 1e-12 * natural_momentum(&person), "frame {frame}: {momentum} {sum}");
        }
    }
}

#[test]
fn s3_a_box_that_spins_about_a_principal_axis_has_i_omega_in_every_frame() {
    let cube = character(vec![body(12.0, DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)))], vec![]);
    for (spin, truth) in
        [(2.5, 2.5), (-3.0, -6.0), (1.5, 4.5)].into_iter().zip(DVec3::AXES).map(|((s, h), axis)| (axis * s, axis * h))
    {
        for boost in [DVec3::ZERO, DVec3::new(30.0, -4.0, 7.0)] {
            let found = central(&cube, &throw(40, 60.0, GRAVITY, boost, spin));
            for row in found.per_frame.angular_momentum {
                assert!((row.unwrap() - truth).length() <= 1e-12, "{row:?}, not {truth}");
            }
        }
    }
}

#[test]
fn s3_a_box_that_turns_about_any_axis_has_r_i_rt_omega() {
    let inertia = DMat3::from_diagonal(DVec3::new(0.3, 0.2, 0.1));
    let (cube, spin) = (character(vec![body(2.0, inertia)], vec![]), DVec3::new(1.0, -2.0, 4.0));
    let start = exp(DVec3::new(0.3, 1.0, -0.4));
    let clip = clip(30, 60.0, |t| (DVec3::new(7.0 * t, 2.0, -3.0 * t), exp(spin * t) * start));
    let found = central(&cube, &clip);
    for frame in 1..29 {
        let axes = DMat3::from_quat(clip.rotation(0, frame));
        let truth = axes * inertia * axes.transpose() * spin;
        assert!((found.per_frame.angular_momentum[frame].unwrap() - truth).length() <= 1e-12, "frame {frame}");
    }
}

#[test]
fn s3_moving_and_boosting_the_world_leaves_the_angular_momentum_of_a_person() {
    let person = samples::humanoid();
    let clip = samples::jump();
    let mut moved = clip.clone();
    for frame in 0..clip.frames() {
        let shift = DVec3::new(5.0, -1.0, 3.0) + DVec3::new(2.0, 0.5, -1.0) * clip.time(frame);
        moved.set_translation(0, frame, clip.translation(0, frame) + shift);
    }
    let (here, there) = (central(&person, &clip), central(&person, &moved));
    for frame in 0..clip.frames() {
        let at = |found: &Analysis| found.per_frame.angular_momentum[frame].unwrap();
        let difference = (at(&here) - at(&there)).length();
        assert!(difference <= 1e-12 * natural_momentum(&person), "frame {frame}: {difference}");
    }
}

#[test]
fn s37_backward_velocities_of_a_fall_are_off_by_half_g_h_and_central_ones_exact() {
    let (ball, rate) = (character(vec![body(0.5, DMat3::IDENTITY)], vec![]), 60.0);
    let velocity = DVec3::new(1.5, 3.0, -0.5);
    let clip = throw(25, rate, GRAVITY, velocity, DVec3::ZERO);
    let truth = |frame: usize| velocity - DVec3::Y * (GRAVITY * clip.time(frame));
    let exact = central(&ball, &clip);
    let late = analysis(&ball, &clip, VelocityDifference::Backward);
    for frame in 0..25 {
        let found = |analysis: &Analysis| analysis.per_frame.mass_center_velocity[frame].unwrap() - truth(frame);
        assert!(found(&exact).length() <= 1e-10, "frame {frame}: {}", found(&exact));
        if frame > 0 {
            let lag = DVec3::Y * (0.5 * GRAVITY / rate);
            assert!((found(&late) - lag).length() <= 1e-10, "frame {frame}: {}", found(&late));
        }
    }
}

/// The person standing on y = 0 in its rest pose.
fn rest(person: &Character, frames: usize, rate: f64) -> Clip {
    let mut clip = Clip::new(person.skeleton.len(), frames, 1.0 / rate).unwrap();
    for (bone, own) in person.skeleton.bones().iter().enumerate() {
        for frame in 0..frames {
            clip.set_translation(bone, frame, own.translation);
            clip.set_rotation(bone, frame, own.rotation);
        }
    }
    clip
}
