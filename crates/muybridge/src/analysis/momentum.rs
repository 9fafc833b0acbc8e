//! Center of mass, linear momentum and angular momentum about the center of mass, frame by frame.
//!
//! ```text
//! c = Σ m x / M      P = Σ m v      H = Σ ( (x − c) × m (v − v_c) + R I Rᵀ ω )            mathematics 6.2, S1–S3
//! central:   v_n = (x_{n+1} − x_{n−1}) / 2h,   ω_n = log(R_{n+1} R_{n−1}ᵀ) / 2h           6.1, S37
//! half step: H_{n+½} = Σ m ρ_n × ρ_{n+1} / h + R_½ I R_½ᵀ log(R_{n+1} R_nᵀ) / h,   Ḣ_n = (H_{n+½} − H_{n−½}) / h   6.4
//! ```
//! This file computes frame by frame; `momentum_rows` computes the same in SIMD lanes over the whole motion.
//! The half-step grid makes `Ḣ` as local as the second difference that gives the force, so force and `Ḣ` see an impact in the same frame.

use std::borrow::Cow;

use glam::{DMat3, DQuat, DVec3};

use crate::character::Character;
use crate::math::difference::{self, VelocityDifference};
use crate::math::{blocks, rotation};
use crate::motion::WorldMotion;

/// World tracks of the bodies that have mass: centers of mass and orientations over the frames of a clip.
/// Numbers lie body by body, component by component, frame by frame, as in [`crate::motion::Clip`]: 56 bytes per body and frame.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyMotion {
    frames: usize,
    /// Mass of each body, kg.
    pub masses: Vec<f64>,
    /// Inertia of each body about its center of mass, in the body's axes, kg m².
    pub inertias: Vec<DMat3>,
    pub(super) positions: Vec<f64>,
    pub(super) rotations: Vec<f64>,
}

/// Finite differences by which velocities are computed (6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Differences {
    /// Central differences between the frame before and the frame after: second order, at the time of the frame.
    Central,
    /// Backward differences between the frame before and the frame itself: first order, half a step late. The first frame takes the step after it.
    Backward,
}

impl BodyMotion {
    /// Computes the tracks of the bodies of `character` through `world`.
    pub fn new(character: &Character, world: &WorldMotion) -> Self {
        let frames = world.frames();
        let carried: Vec<usize> = (0..character.bodies.len()).filter(|&b| character.bodies[b].mass > 0.0).collect();
        let mut motion = Self {
            frames,
            masses: carried.iter().map(|&b| character.bodies[b].mass).collect(),
            inertias: carried.iter().map(|&b| character.bodies[b].inertia).collect(),
            positions: vec![0.0; carried.len() * 3 * frames],
            rotations: Vec::with_capacity(carried.len() * 4 * frames),
        };
        for &bone in &carried {
            for component in 0..4 {
                motion.rotations.extend_from_slice(world.rotation_track(bone, component));
            }
        }
        let tracks = carried.iter().zip(motion.positions.chunks_exact_mut(3 * frames)).collect();
        let follow = |bone: usize, tracks: &mut [f64]| world.point_track(bone, character.bodies[bone].center, tracks);
        blocks::for_each(tracks, || (), |(), (&bone, tracks): (&usize, &mut [f64])| follow(bone, tracks));
        motion
    }

    /// Returns the frames `first..end` alone; borrows the motion if the range covers all frames. Panics if the range is out of bounds.
    pub(crate) fn cut(&self, (first, end): (usize, usize)) -> Cow<'_, Self> {
        if (first, end) == (0, self.frames) {
            return Cow::Borrowed(self);
        }
        let pick =
            |values: &[f64]| values.chunks_exact(self.frames).flat_map(|track| &track[first..end]).copied().collect();
        Cow::Owned(Self {
            frames: end - first,
            masses: self.masses.clone(),
            inertias: self.inertias.clone(),
            positions: pick(&self.positions),
            rotations: pick(&self.rotations),
        })
    }

    /// Number of frames.
    pub(crate) fn frames(&self) -> usize {
        self.frames
    }

    /// Number of bodies.
    pub(crate) fn bodies(&self) -> usize {
        self.masses.len()
    }

    /// World position of the center of mass of a body in a frame, meters.
    pub(crate) fn position(&self, body: usize, frame: usize) -> DVec3 {
        let at = |component: usize| self.positions[(body * 3 + component) * self.frames + frame];
        DVec3::new(at(0), at(1), at(2))
    }

    /// World orientation of a body in a frame.
    pub(crate) fn rotation(&self, body: usize, frame: usize) -> DQuat {
        let at = |component: usize| self.rotations[(body * 4 + component) * self.frames + frame];
        DQuat::from_xyzw(at(0), at(1), at(2), at(3))
    }

    /// All position tracks: one slice of `frames` numbers per body and component.
    pub(crate) fn position_tracks_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.positions.chunks_exact_mut(self.frames)
    }

    /// All orientation tracks: one slice of four times `frames` numbers (x…, y…, z…, w…) per body.
    pub(crate) fn rotation_tracks_mut(&mut self) -> impl Iterator<Item = &mut [f64]> {
        self.rotations.chunks_exact_mut(4 * self.frames)
    }

    /// Center of mass of all bodies in a frame, meters.
    pub fn mass_center(&self, frame: usize) -> DVec3 {
        let mut moment = DVec3::ZERO;
        let mut mass = 0.0;
        for body in 0..self.bodies() {
            moment += self.masses[body] * self.position(body, frame);
            mass += self.masses[body];
        }
        moment / mass
    }

    /// Angular momentum about the center of mass over the step from `frame` to `frame + 1`, on the half-step grid.
    #[cfg(test)]
    pub(crate) fn half_step_angular_momentum(&self, frame: usize, frame_time: f64) -> DVec3 {
        let (center, next_center) = (self.mass_center(frame), self.mass_center(frame + 1));
        let mut total = DVec3::ZERO;
        for body in 0..self.bodies() {
            let arm = self.position(body, frame) - center;
            let next_arm = self.position(body, frame + 1) - next_center;
            total += self.masses[body] / frame_time * arm.cross(next_arm);
            let turn = rotation::log(self.rotation(body, frame + 1) * self.rotation(body, frame).conjugate());
            let halfway = rotation::exp(0.5 * turn) * self.rotation(body, frame);
            total += spin(halfway, self.inertias[body], turn / frame_time);
        }
        total
    }

    /// Angular momentum about the center of mass at `frame`, from the frames `before` and `after` it (central
    /// difference: `frame ∓ 1`; backward: `frame − 1` and `frame`).
    pub fn angular_momentum(&self, before: usize, frame: usize, after: usize, frame_time: f64) -> DVec3 {
        let seconds = (after - before) as f64 * frame_time;
        let center = self.mass_center(frame);
        let center_step = self.mass_center(after) - self.mass_center(before);
        let mut total = DVec3::ZERO;
        for body in 0..self.bodies() {
            let step = self.position(body, after) - self.position(body, before) - center_step;
            total += self.masses[body] / seconds * (self.position(body, frame) - center).cross(step);
            total += spin(
                self.rotation(body, frame),
                self.inertias[body],
                self.angular_velocity(body, before, frame, after, frame_time),
            );
        }
        total
    }

    /// Angular momentum about the centers of mass `centers` (m) in every frame, by velocities of any scheme.
    pub(crate) fn angular_momenta(
        &self,
        centers: &[DVec3],
        frame_time: f64,
        velocity: VelocityDifference,
    ) -> Vec<DVec3> {
        let center_velocities = difference::velocities(centers, frame_time, velocity);
        let mut total = vec![DVec3::ZERO; self.frames];
        for body in 0..self.bodies() {
            let positions: Vec<DVec3> = (0..self.frames).map(|frame| self.position(body, frame)).collect();
            let rotations: Vec<DQuat> = (0..self.frames).map(|frame| self.rotation(body, frame)).collect();
            let velocities = difference::velocities(&positions, frame_time, velocity);
            let spins = difference::angular_velocities(&rotations, frame_time, velocity);
            for (frame, sum) in total.iter_mut().enumerate() {
                let (arm, own) = (positions[frame] - centers[frame], velocities[frame] - center_velocities[frame]);
                *sum += self.masses[body] * arm.cross(own) + spin(rotations[frame], self.inertias[body], spins[frame]);
            }
        }
        total
    }

    /// Angular velocity of a body, rad/s, world axes: the central difference if the rotations from `before` to `frame` and from there to `after`
    /// add up to less than 0.9 of half a turn, else the mean over both steps.
    fn angular_velocity(&self, body: usize, before: usize, frame: usize, after: usize, frame_time: f64) -> DVec3 {
        let seconds = (after - before) as f64 * frame_time;
        let (first, middle, last) =
            (self.rotation(body, before), self.rotation(body, frame), self.rotation(body, after));
        if before == frame || frame == after {
            return rotation::log(last * first.conjugate()) / seconds;
        }
        let (left, right) = (rotation::log(middle * first.conjugate()), rotation::log(last * middle.conjugate()));
        if left.length() + right.length() < 0.9 * core::f64::consts::PI {
            rotation::log(last * first.conjugate()) / seconds
        } else {
            (left + right) / seconds
        }
    }
}

/// `R I Rᵀ ω`: angular momentum of a body about its own center of mass.
fn spin(orientation: DQuat, inertia: DMat3, angular_velocity: DVec3) -> DVec3 {
    orientation * (inertia * (orientation.conjugate() * angular_velocity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::{Body, Bone, JointRange, Skeleton};
    use crate::motion::Clip;

    /// A free box that turns about its own z axis at `rate` while it moves at `velocity`.
    fn spinning_box(rate: f64, velocity: DVec3) -> (Character, Clip) {
        let bone = Bone {
            name: "box".into(),
            parent: None,
            translation: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            ends: vec![],
        };
        let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
        let body = Body { mass: 12.0, center: DVec3::ZERO, inertia, shapes: vec![] };
        let character = Character {
            skeleton: Skeleton::new(vec![bone]).unwrap(),
            bodies: vec![body],
            ranges: vec![JointRange::Free],
            roles: vec![None],
            contacts: vec![],
            body_source: "box".into(),
            measured_contacts: true,
        };
        let mut clip = Clip::new(1, 9, 1.0 / 60.0).unwrap();
        for frame in 0..9 {
            let time = clip.time(frame);
            clip.set_rotation(0, frame, rotation::about(DVec3::Z, rate * time));
            clip.set_translation(0, frame, DVec3::new(5.0, 1.0, 2.0) + velocity * time);
        }
        (character, clip)
    }

    #[test]
    fn s3_a_spinning_box_has_i_omega_wherever_it_flies() {
        for velocity in [DVec3::ZERO, DVec3::new(30.0, -4.0, 7.0)] {
            let (character, clip) = spinning_box(2.5, velocity);
            let bodies = BodyMotion::new(&character, &WorldMotion::new(&character.skeleton, &clip));
            let expected = DVec3::new(0.0, 0.0, 3.0 * 2.5);
            for frame in 1..8 {
                let central = bodies.angular_momentum(frame - 1, frame, frame + 1, clip.frame_time);
                assert!((central - expected).length() < 1e-12, "{central}");
                let half = bodies.half_step_angular_momentum(frame, clip.frame_time);
                assert!((half - expected).length() < 1e-12, "{half}");
            }
        }
    }

    #[test]
    fn s1_two_bodies_balance_where_their_masses_say() {
        let (mut character, _) = spinning_box(0.0, DVec3::ZERO);
        let mut bones = character.skeleton.bones().to_vec();
        bones.push(Bone { name: "second".into(), parent: Some(0), translation: DVec3::X * 3.0, ..bones[0].clone() });
        character.skeleton = Skeleton::new(bones).unwrap();
        character.bodies.push(Body { mass: 24.0, ..character.bodies[0].clone() });
        let mut clip = Clip::new(2, 1, 0.1).unwrap();
        clip.set_translation(1, 0, DVec3::X * 3.0);
        let bodies = BodyMotion::new(&character, &WorldMotion::new(&character.skeleton, &clip));
        assert_eq!(bodies.mass_center(0), DVec3::X * 2.0);
    }
}
