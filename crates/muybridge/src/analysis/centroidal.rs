//! Linear and angular momentum of a whole character: summed over its bodies, split into the root's and the joints' contribution, and halfway
//! between frames.
//!
//! ```text
//! P = Σ m_i v_i,   H = Σ (x_i − c) × m_i (v_i − v_c) + I_i ω_i                              about the center of mass
//! T_i = T_0 G_i,   h_0 = Ĵ v_0 + a,   Ĵ = Σ Ad_{G_i⁻¹}ᵀ J_i Ad_{G_i⁻¹},   a = Σ Ad_{G_i⁻¹}ᵀ J_i u_i    in the root frame
//! h_w = Ad_{T_0⁻¹}ᵀ h_0,   H = k_w − c × l_w
//! ```
//! Specification: mathematics 6.2 (S2, S3), 6.3 (S15), 6.4; Shapiro, Lee 2011, equations 2 and 3. Ĵ and a depend on the joints alone: if only
//! the root moves, the momentum needs one product more.

use glam::{DMat3, DQuat, DVec3};

use crate::math::rotation::{exp, log};
use crate::math::spatial::{Momentum, SpatialInertia, Transform, Twist};

/// Mass properties and world pose of one body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Mass, kg.
    pub mass: f64,
    /// Inertia about the body's center of mass, in the body's axes, kg m².
    pub inertia: DMat3,
    /// Center of mass in the world, meters.
    pub center: DVec3,
    /// Orientation of the body in the world.
    pub rotation: DQuat,
}

/// Pose and velocities of one body, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MovingBody {
    /// Mass properties and world pose.
    pub pose: BodyPose,
    /// Velocity of the center of mass, m/s.
    pub velocity: DVec3,
    /// Angular velocity, rad/s.
    pub angular_velocity: DVec3,
}

/// One body as seen from the root of the character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BodyInRoot {
    /// G_i: transform from the body's frame to the root's frame.
    pub placement: Transform,
    /// J_i: spatial inertia in the body's frame.
    pub inertia: SpatialInertia,
    /// u_i: velocity relative to the root, in the body's frame.
    pub motion: Twist,
}

/// Total mass, center of mass and momenta of a character.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct CentroidalMomentum {
    /// Total mass, kg.
    pub mass: f64,
    /// Center of mass, meters.
    pub center: DVec3,
    /// P: linear momentum, kg m/s.
    pub linear: DVec3,
    /// H: angular momentum about the center of mass, kg m²/s.
    pub angular: DVec3,
}

/// Momentum as a function of the root's velocity: `Ĵ v_0 + a`, in the root's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CentroidalSplit {
    /// Ĵ: composite inertia of the character frozen in its pose.
    pub inertia: SpatialInertia,
    /// a: momentum of the joint motion alone, with the root at rest.
    pub joints: Momentum,
}

impl CentroidalSplit {
    /// Computes the split for a character made of these bodies.
    pub(crate) fn new(bodies: &[BodyInRoot]) -> Self {
        let none = Self { inertia: SpatialInertia::ZERO, joints: Momentum::default() };
        bodies.iter().fold(none, |split, body| Self {
            inertia: split.inertia + body.placement.inertia(body.inertia),
            joints: split.joints + body.placement.momentum(body.inertia.momentum(body.motion)),
        })
    }

    /// Returns h_0, the momentum in the root's frame, for the root velocity `root_velocity` (also in the root's frame).
    pub(crate) fn momentum(&self, root_velocity: Twist) -> Momentum {
        self.inertia.momentum(root_velocity) + self.joints
    }

    /// Momentum in world axes for a root whose pose is `world_from_root` and whose velocity is `root_velocity` (in the root's frame).
    #[cfg_attr(not(test), expect(dead_code, reason = "S15: no report shows the split between root and joints yet"))]
    pub(crate) fn in_world(&self, world_from_root: Transform, root_velocity: Twist) -> CentroidalMomentum {
        let world = world_from_root.momentum(self.momentum(root_velocity));
        let center = world_from_root.point(self.inertia.center());
        let Momentum { angular, linear } = world.about(center);
        CentroidalMomentum { mass: self.inertia.mass, center, linear, angular }
    }
}

/// Sums the momentum body by body. Without mass, the momentum and the center of mass are zero.
pub(crate) fn centroidal_momentum(bodies: &[MovingBody]) -> CentroidalMomentum {
    let mass: f64 = bodies.iter().map(|body| body.pose.mass).sum();
    if mass.is_nan() || mass <= 0.0 {
        return CentroidalMomentum::default();
    }
    let center = bodies.iter().map(|body| body.pose.mass * body.pose.center).sum::<DVec3>() / mass;
    let linear: DVec3 = bodies.iter().map(|body| body.pose.mass * body.velocity).sum();
    let velocity = linear / mass;
    let angular = bodies.iter().map(|body| {
        let MovingBody { pose, velocity: own, angular_velocity } = *body;
        (pose.center - center).cross(pose.mass * (own - velocity)) + spin(&pose, angular_velocity)
    });
    CentroidalMomentum { mass, center, linear, angular: angular.sum() }
}

/// Momentum halfway between two frames `step` seconds apart. Each body is at the middle of its way and its rotation, and moves with the steady
/// velocities that take it from one frame to the next.
///
/// The slices hold the same bodies in the same order. Differences of neighboring results over `step` are dH/dt at the frame between them.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "S3: the sum over bodies, which the whole-clip form is tested against")
)]
pub(crate) fn half_step_momentum(before: &[BodyPose], after: &[BodyPose], step: f64) -> CentroidalMomentum {
    let between = |(from, to): (&BodyPose, &BodyPose)| {
        let turn = log(to.rotation * from.rotation.conjugate());
        let pose =
            BodyPose { center: 0.5 * (from.center + to.center), rotation: exp(0.5 * turn) * from.rotation, ..*from };
        MovingBody { pose, velocity: (to.center - from.center) / step, angular_velocity: turn / step }
    };
    centroidal_momentum(&before.iter().zip(after).map(between).collect::<Vec<_>>())
}

/// I ω of one body about its center of mass, world axes, kg m²/s.
fn spin(pose: &BodyPose, angular_velocity: DVec3) -> DVec3 {
    pose.rotation * (pose.inertia * (pose.rotation.conjugate() * angular_velocity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::difference::rates_from_half_steps;
    use crate::math::random::Random;

    fn transform(random: &mut Random) -> Transform {
        Transform { rotation: random.rotation(), position: random.vector() }
    }

    fn twist(random: &mut Random) -> Twist {
        Twist { angular: 3.0 * random.vector(), linear: 2.0 * random.vector() }
    }

    fn inertia_tensor(random: &mut Random) -> DMat3 {
        let axes = DMat3::from_quat(random.rotation());
        axes * DMat3::from_diagonal(0.2 * (DVec3::ONE + 0.3 * random.vector())) * axes.transpose()
    }

    #[test]
    fn s15_the_split_of_random_characters_is_the_sum_over_their_bodies() {
        let mut random = Random::new(15);
        for _ in 0..100 {
            let (root, root_velocity) = (transform(&mut random), twist(&mut random));
            let (mut in_root, mut in_world) = (Vec::new(), Vec::new());
            for _ in 0..12 {
                let (placement, motion) = (transform(&mut random), twist(&mut random));
                let (mass, center, tensor) = (0.5 + random.unit(), random.vector(), inertia_tensor(&mut random));
                in_root.push(BodyInRoot { placement, inertia: SpatialInertia::new(mass, center, tensor), motion });
                let frame = root * placement;
                let body = placement.inverse().twist(root_velocity) + motion;
                let pose = BodyPose { mass, inertia: tensor, center: frame.point(center), rotation: frame.rotation };
                let velocity = frame.rotation * (body.linear + body.angular.cross(center));
                in_world.push(MovingBody { pose, velocity, angular_velocity: frame.rotation * body.angular });
            }
            let split = CentroidalSplit::new(&in_root).in_world(root, root_velocity);
            let sum = centroidal_momentum(&in_world);
            let close = |a: DVec3, b: DVec3| (a - b).length() <= 1e-12 * b.length().max(1.0);
            assert!((split.mass - sum.mass).abs() < 1e-12 && close(split.center, sum.center));
            assert!(close(split.linear, sum.linear) && close(split.angular, sum.angular), "{split:?} {sum:?}");
        }
    }

    #[test]
    fn s2_linear_momentum_is_mass_times_the_velocity_of_the_mass_center() {
        let (mut random, step) = (Random::new(2), 1.0 / 30.0);
        let before: Vec<BodyPose> = (0..9)
            .map(|_| BodyPose {
                mass: 0.1 + random.unit(),
                inertia: DMat3::ZERO,
                center: random.vector(),
                rotation: random.rotation(),
            })
            .collect();
        let after: Vec<BodyPose> =
            before.iter().map(|pose| BodyPose { center: pose.center + 0.1 * random.vector(), ..*pose }).collect();
        let center = |poses: &[BodyPose]| half_step_momentum(poses, poses, step).center;
        let found = half_step_momentum(&before, &after, step);
        let truth = (center(&after) - center(&before)) / step * found.mass;
        assert!((found.linear - truth).length() < 1e-12);
    }

    #[test]
    fn s3_a_spinning_box_has_i_omega_whatever_else_the_world_does() {
        let inertia = DMat3::from_diagonal(DVec3::new(0.3, 0.2, 0.1));
        let (rotation, omega) = (exp(DVec3::new(0.3, 1.0, -0.4)), DVec3::new(1.0, -2.0, 4.0));
        let axes = DMat3::from_quat(rotation);
        for (place, boost) in [(DVec3::ZERO, DVec3::ZERO), (DVec3::new(50.0, 2.0, -9.0), DVec3::new(7.0, -3.0, 2.0))] {
            let pose = BodyPose { mass: 2.0, inertia, center: place, rotation };
            let found = centroidal_momentum(&[MovingBody { pose, velocity: boost, angular_velocity: omega }]);
            assert!((found.angular - axes * inertia * axes.transpose() * omega).length() < 1e-12);
            assert!((found.linear - 2.0 * boost).length() < 1e-12);
        }
    }

    #[test]
    fn s3_translation_and_boost_of_the_world_leave_the_angular_momentum() {
        let mut random = Random::new(3);
        let bodies: Vec<MovingBody> = (0..8)
            .map(|_| MovingBody {
                pose: BodyPose {
                    mass: 1.0 + random.unit(),
                    inertia: inertia_tensor(&mut random),
                    center: random.vector(),
                    rotation: random.rotation(),
                },
                velocity: random.vector(),
                angular_velocity: random.vector(),
            })
            .collect();
        let mut moved = bodies.clone();
        for body in &mut moved {
            body.pose.center += DVec3::new(3.0, -1.0, 2.0);
            body.velocity += DVec3::new(-2.0, 4.0, 1.0);
        }
        let difference = centroidal_momentum(&moved).angular - centroidal_momentum(&bodies).angular;
        assert!(difference.length() < 1e-12);
    }

    #[test]
    fn the_rate_between_half_steps_is_the_moment_that_turns_a_rod_ever_faster() {
        // Two balls on a weightless rod, turning about z by φ = ½ α t²: H = 2 m r² α t, dH/dt = 2 m r² α.
        let (mass, radius, alpha, step) = (1.5, 0.4, 2.0, 1.0 / 120.0);
        let frame = |n: usize| {
            let t = n as f64 * step;
            let rotation = exp(DVec3::Z * (0.5 * alpha * t * t));
            [1.0, -1.0].map(|side| BodyPose {
                mass,
                inertia: DMat3::ZERO,
                center: rotation * (DVec3::X * side * radius) + DVec3::new(t, 1.0 - t * t, 0.0),
                rotation,
            })
        };
        let half: Vec<DVec3> = (0..60).map(|n| half_step_momentum(&frame(n), &frame(n + 1), step).angular).collect();
        for rate in rates_from_half_steps(&half, step) {
            assert!((rate - DVec3::Z * (2.0 * mass * radius * radius * alpha)).length() < 2e-3, "{rate}");
        }
    }

    #[test]
    fn x14_no_bodies_and_no_mass_have_no_momentum() {
        assert_eq!(centroidal_momentum(&[]), CentroidalMomentum::default());
        let pose = BodyPose { mass: 0.0, inertia: DMat3::ZERO, center: DVec3::ONE, rotation: DQuat::IDENTITY };
        let body = MovingBody { pose, velocity: DVec3::ONE, angular_velocity: DVec3::ONE };
        assert_eq!(centroidal_momentum(&[body]), CentroidalMomentum::default());
        assert_eq!(half_step_momentum(&[pose], &[pose], 0.1), CentroidalMomentum::default());
        assert_eq!(CentroidalSplit::new(&[]).in_world(Transform::IDENTITY, Twist::default()).mass, 0.0);
    }
}
