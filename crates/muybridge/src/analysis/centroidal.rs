//! Momentum of a whole character split into the contributions of its root and of its joints.
//!
//! ```text
//! T_i = T_0 G_i,   h_0 = Ĵ v_0 + a,   Ĵ = Σ J_i',   a = Σ J_i' Ad_{G_i} u_i,   J_i' = Ad_{G_i⁻¹}ᵀ J_i Ad_{G_i⁻¹}      in the root frame
//! ```
//! Specification: mathematics 6.3 (S15); Shapiro, Lee 2011, equation 2, whose `a = Σ Ad_{G_i⁻¹}ᵀ J_i u_i` is the same. Ĵ and a depend on the joints
//! alone: if only the root moves, the momentum needs one product more.

use glam::{DMat3, DQuat, DVec3};

use crate::math::spatial::{SpatialInertia, SpatialMomentum, Transform, Twist};

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

/// Momentum as a function of the root's velocity: `Ĵ v_0 + a`, in the root's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CentroidalSplit {
    /// Ĵ: composite inertia of the character frozen in its pose.
    pub inertia: SpatialInertia,
    /// a: momentum of the joint motion alone, with the root at rest.
    pub joints: SpatialMomentum,
}

impl CentroidalSplit {
    /// Computes the split for a character made of these bodies.
    pub(crate) fn new(bodies: &[BodyInRoot]) -> Self {
        let none = Self { inertia: SpatialInertia::ZERO, joints: SpatialMomentum::default() };
        bodies.iter().fold(none, |split, body| {
            let inertia = body.placement.inertia(body.inertia);
            let joints = inertia.momentum(body.placement.twist(body.motion));
            Self { inertia: split.inertia + inertia, joints: split.joints + joints }
        })
    }

    /// Returns h_0, the momentum in the root's frame, for the root velocity `root_velocity` (also in the root's frame).
    pub(crate) fn momentum(&self, root_velocity: Twist) -> SpatialMomentum {
        self.inertia.momentum(root_velocity) + self.joints
    }
}
