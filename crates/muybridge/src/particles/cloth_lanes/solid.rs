//! Colliders of a cloth in lanes: half-spaces, spheres and capsules, which may move.

use glam::DVec3;

/// A collider that keeps the cloth outside, with Coulomb friction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClothCollider {
    /// A half-space: the collider fills all points with `normal · x < offset`.
    HalfSpace {
        /// Unit normal, out of the collider.
        normal: DVec3,
        /// Offset of the plane along the normal, meters.
        offset: f64,
    },
    /// A sphere.
    Sphere {
        /// Center in the world, meters.
        center: DVec3,
        /// Radius, meters.
        radius: f64,
    },
    /// A capsule: all points within `radius` of a segment.
    Capsule {
        /// Ends of the segment in the world, meters.
        ends: [DVec3; 2],
        /// Radius, meters.
        radius: f64,
    },
}

/// A collider during one substep, relative to the origin of the cloth, inflated by the skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Now {
    /// Unit normal and offset of the plane, meters.
    HalfSpace { normal: [f32; 3], offset: f32 },
    /// One end, the vector to the other end, 1 / its squared length (0 for a sphere), radius, and displacement of both
    /// ends in the substep.
    Capsule { from: [f32; 3], along: [f32; 3], inverse_square: f32, radius: f32, moved: [[f32; 3]; 2] },
}

impl ClothCollider {
    /// Interpolates from `self` to `next` by `share`. Returns `next` if the kinds differ.
    pub(super) fn towards(&self, next: &Self, share: f64) -> Self {
        match (*self, *next) {
            (Self::Sphere { center: a, .. }, Self::Sphere { center: b, radius }) => {
                Self::Sphere { center: a.lerp(b, share), radius }
            }
            (Self::Capsule { ends: a, .. }, Self::Capsule { ends: b, radius }) => {
                Self::Capsule { ends: [a[0].lerp(b[0], share), a[1].lerp(b[1], share)], radius }
            }
            (Self::HalfSpace { offset: a, .. }, Self::HalfSpace { normal, offset: b }) => {
                Self::HalfSpace { normal, offset: a + (b - a) * share }
            }
            _ => *next,
        }
    }

    /// Converts to f32 relative to `origin`, inflated by `skin`; `before` is the collider one substep earlier.
    pub(super) fn now(&self, before: &Self, origin: DVec3, skin: f64) -> Now {
        let ends = |solid: &Self| match *solid {
            Self::Sphere { center, .. } => [center; 2],
            Self::Capsule { ends, .. } => ends,
            Self::HalfSpace { .. } => [DVec3::ZERO; 2],
        };
        let radius = match *self {
            Self::HalfSpace { normal, offset } => {
                let offset = offset - normal.dot(origin) + skin;
                return Now::HalfSpace { normal: narrow(normal), offset: offset as f32 };
            }
            Self::Sphere { radius, .. } | Self::Capsule { radius, .. } => radius,
        };
        let ([a, b], [a0, b0]) = (ends(self), ends(before));
        let square = (b - a).length_squared();
        let inverse_square = if square > 1e-12 { (1.0 / square) as f32 } else { 0.0 };
        Now::Capsule {
            from: narrow(a - origin),
            along: narrow(b - a),
            inverse_square,
            radius: (radius + skin) as f32,
            moved: [narrow(a - a0), narrow(b - b0)],
        }
    }
}

pub(super) fn narrow(vector: DVec3) -> [f32; 3] {
    vector.to_array().map(|number| number as f32)
}
