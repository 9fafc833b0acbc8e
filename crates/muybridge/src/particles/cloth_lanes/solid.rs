//! What a cloth in lanes is kept out of: half-spaces, spheres and capsules, which may move.

use glam::DVec3;

/// A solid that keeps the cloth outside, with Coulomb friction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClothCollider {
    /// Everything with `normal · x < offset`.
    HalfSpace {
        /// Unit normal, out of the solid.
        normal: DVec3,
        /// Metres along the normal.
        offset: f64,
    },
    /// A ball.
    Sphere {
        /// Metres.
        center: DVec3,
        /// Metres.
        radius: f64,
    },
    /// A rounded segment.
    Capsule {
        /// Ends of the segment, metres.
        ends: [DVec3; 2],
        /// Metres.
        radius: f64,
    },
}

/// A solid during one substep, against the origin of the cloth, grown by half its thickness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Now {
    /// Normal and offset, and how far the surface has moved along the normal since the substep before.
    HalfSpace { normal: [f32; 3], offset: f32 },
    /// One end, the way to the other, 1 / its length² (0 for a ball), radius, and how far both ends have moved.
    Capsule { from: [f32; 3], along: [f32; 3], inverse_square: f32, radius: f32, moved: [[f32; 3]; 2] },
}

impl ClothCollider {
    /// This, a share of the way from `self` to `next`; `next` itself if they are of different kinds.
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

    /// In the numbers of the lanes.
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
