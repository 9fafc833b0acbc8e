//! Inverse kinematics of two long bones and an end, in closed form.
//!
//! The middle joint rotates about one axis n by δ until the distance fits, then the whole limb takes the shortest arc
//! to the goal's direction; no smaller rotation of the upper joint reaches it (law of cosines, with the parts across
//! n):
//!
//! ```text
//! r² = a² + b² + 2 (a·n)(b·n) + 2 a⊥ b⊥ cos(φ + δ)      a⊥, b⊥: lengths across n,  φ: angle from a⊥ to b⊥ about n
//! G_upper = arc(a + R(n, δ) b → goal),   G_lower = G_upper R(n, δ)
//! ```
//!
//! n is the normal of the limb's plane, so that the plane is kept. A nearly straight limb has no reliable plane: within
//! 10° of straight, n blends to the joint axis when the limb is shortened. A slightly overextended joint (a knee with
//! noise) returns through straight and never folds the wrong way. Meanwhile it misses the goal by at most 3 times the
//! shortening that the overextension caused.

use glam::{DQuat, DVec3};

use crate::math::rotation::about;

/// Share of the reach, at its end, that is approached world_of_soft.
pub(crate) const SOFTNESS: f64 = 0.005;
/// Sine of the bend below which the joint axis counts beside the limb's plane: 10°.
const NEARLY_STRAIGHT: f64 = 0.173_648_177_666_930_36;

/// Rotations of upper and lower bone (world) that bring `upper + lower` to `to`, or as near as possible.
///
/// `hinge` is the unit axis of the middle joint; positive angles bend the natural way. A straight limb without hinge
/// bends about some perpendicular axis.
pub(crate) fn solve(upper: DVec3, lower: DVec3, to: DVec3, hinge: Option<DVec3>) -> [DQuat; 2] {
    let (a, b, reach) = (upper.length(), lower.length(), (upper + lower).length());
    let wanted = within_reach(to.length(), reach, a + b).max((a - b).abs());
    let own = upper.cross(lower) / (a * b).max(f64::MIN_POSITIVE);
    let bend = if wanted > reach {
        own.try_normalize().map_or(DQuat::IDENTITY, |n| about(n, bend_by(upper, lower, n, wanted, false)))
    } else {
        let (n, straight) = axis(own, upper + lower, hinge);
        about(n, bend_by(upper, lower, n, wanted, straight))
    };
    let arc = shortest_arc(upper + bend * lower, to, own);
    [arc, (arc * bend).normalize()]
}

/// Distance to which the end is brought for a goal at `distance`, meters. Equal to `distance` up to `start`; beyond, it
/// approaches the full `length`, with equal slopes at `start`.
///
/// ```text
/// r = L − s exp(−(d − start)/s),   start = max(L (1 − SOFTNESS), reach now),   s = L − start
/// ```
pub(crate) fn within_reach(distance: f64, reach: f64, length: f64) -> f64 {
    let start = reach.max(length * (1.0 - SOFTNESS)).min(length);
    let soft = length - start;
    if distance <= start {
        distance
    } else if soft <= 0.0 {
        length
    } else {
        length - soft * libm::exp(-(distance - start) / soft)
    }
}

/// Axis about which the limb is shortened, and whether the limb is nearly straight with a known joint axis.
fn axis(own: DVec3, along: DVec3, hinge: Option<DVec3>) -> (DVec3, bool) {
    let across =
        |v: DVec3| (v - along * (v.dot(along) / along.length_squared().max(f64::MIN_POSITIVE))).try_normalize();
    let Some(hinge) = hinge.and_then(across) else {
        return (own.try_normalize().unwrap_or_else(|| any_across(along)), false);
    };
    let bent = (own.length() / NEARLY_STRAIGHT).min(1.0);
    if bent >= 1.0 {
        return (own.normalize(), false);
    }
    let share = bent * bent * (3.0 - 2.0 * bent);
    let plane = own.normalize_or_zero() * if own.dot(hinge) < 0.0 { -share } else { share };
    ((plane + hinge * (1.0 - share)).try_normalize().unwrap_or(hinge), true)
}

/// Angle by which the lower bone rotates about `n` so that the end is at the distance `wanted`, radians.
fn bend_by(upper: DVec3, lower: DVec3, n: DVec3, wanted: f64, natural: bool) -> f64 {
    let (along_a, along_b) = (upper.dot(n), lower.dot(n));
    let (across_a, across_b) = (upper - n * along_a, lower - n * along_b);
    let most = across_a.length() * across_b.length();
    if most <= f64::EPSILON * (upper.length_squared() + lower.length_squared()) {
        return 0.0;
    }
    let now = libm::atan2(n.dot(across_a.cross(across_b)), across_a.dot(across_b));
    let asked = 0.5 * (wanted * wanted - upper.length_squared() - lower.length_squared()) - along_a * along_b;
    let cosine = (asked / most).clamp(-1.0, 1.0);
    let angle = libm::atan2(libm::sqrt((1.0 - cosine) * (1.0 + cosine)), cosine);
    if now >= 0.0 {
        angle - now
    } else if !natural {
        -angle - now
    } else {
        // Overextended by |now|: return through straight at twice the rate of the distance, until the joint is bent
        // enough.
        (now + 2.0 * (angle + now).max(0.0)).min(angle) - now
    }
}

/// Smallest rotation from the direction `from` to that of `to`. For opposite directions it is about a perpendicular
/// axis, `normal` if suitable. Exact for small angles.
pub(crate) fn shortest_arc(from: DVec3, to: DVec3, normal: DVec3) -> DQuat {
    let (Some(u), Some(v)) = (from.try_normalize(), to.try_normalize()) else { return DQuat::IDENTITY };
    let (axis, w) = (u.cross(v), 1.0 + u.dot(v));
    if w < 1e-14 {
        let across = (normal - u * normal.dot(u)).try_normalize().unwrap_or_else(|| any_across(u));
        return DQuat::from_xyzw(across.x, across.y, across.z, 0.0);
    }
    DQuat::from_xyzw(axis.x, axis.y, axis.z, w).normalize()
}

/// A deterministic unit vector perpendicular to `v`.
pub(super) fn any_across(v: DVec3) -> DVec3 {
    v.try_normalize().map_or(DVec3::X, |v| v.any_orthonormal_vector())
}
