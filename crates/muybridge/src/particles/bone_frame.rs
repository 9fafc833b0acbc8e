//! Frames of bones that are only two points each: the points give the axis, and the twist is estimated.
//!
//! ```text
//! y = unit(end − start),  origin in the middle
//! from a forward axis f:     z = unit(f − (f·y) y),  x = y × z
//! at a hinge (knee, elbow):  x = unit(upper × lower) as far as the joint is bent enough to show it, else as it was;  z = x × y
//! as it was:                 carried along by the shortest turn of the bone; up to a bend of 5° nothing else counts
//! ```
//! A nearly straight joint shows only noise, so its hinge axis is blended in between 5° and 25°. A switch at one angle
//! would make the frame jump by the twist that built up while the joint was straight. The hinge axis never flips: a
//! joint bent the wrong way keeps its axis, so that a knee bends only in one half of the sagittal plane ([`knee`] puts
//! it there). Twist is not simulated; a third particle would give it a state.
//! Specification: mathematics 3.12 (R29, J30).

use glam::{DMat3, DQuat, DVec3};

/// Frame of a bone that consists of two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneFrame {
    /// Middle of the bone in the world, meters.
    pub origin: DVec3,
    /// Axes from the bone to the world: x is the side (hinge axis), y runs along the bone, z points forward.
    pub axes: DMat3,
}

/// Range of the joint bend over which the hinge axis is blended in, radians: 5° (not at all) to 25° (fully).
pub const BENT: [f64; 2] = [5.0 * DEGREE, 25.0 * DEGREE];

const DEGREE: f64 = core::f64::consts::PI / 180.0;

impl BoneFrame {
    /// Frame of a bone from `start` to `end` whose z axis is as near to `forward` as possible. If `forward` is parallel
    /// to the bone, the twist is carried over from `last`. A bone of zero length keeps all axes of `last`.
    pub fn facing(start: DVec3, end: DVec3, forward: DVec3, last: &DMat3) -> Self {
        let along = (end - start).try_normalize().unwrap_or(last.y_axis);
        Self { origin: 0.5 * (start + end), axes: axes(along, along.cross(forward), last) }
    }

    /// Frame of a bone from `start` to `end` whose x axis is as near to the hinge axis `side` as possible.
    pub fn hinged(start: DVec3, end: DVec3, side: DVec3, last: &DMat3) -> Self {
        let along = (end - start).try_normalize().unwrap_or(last.y_axis);
        Self { origin: 0.5 * (start + end), axes: axes(along, side, last) }
    }
}

/// Frames of the two bones of a limb with the hinge between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbFrames {
    /// Frame of the upper bone: hip to knee, or shoulder to elbow.
    pub upper: BoneFrame,
    /// Frame of the lower bone: knee to ankle, or elbow to wrist.
    pub lower: BoneFrame,
}

impl LimbFrames {
    /// Starting frames of a limb without history. `side` is the bending axis by the right-hand rule.
    pub fn start(points: [DVec3; 3], side: DVec3) -> Self {
        let upper = (points[1] - points[0]).try_normalize().unwrap_or(DVec3::NEG_Y);
        let guess = axes(upper, side, &any_axes(upper));
        let last = BoneFrame { origin: points[0], axes: guess };
        Self { upper: last, lower: last }.follow(points)
    }

    /// Frames of the limb one step later, at new `points`.
    pub fn follow(&self, points: [DVec3; 3]) -> Self {
        let (upper, lower) = (points[1] - points[0], points[2] - points[1]);
        let along = upper.try_normalize().unwrap_or(self.upper.axes.y_axis);
        let carried = carry(&self.upper.axes, along).x_axis;
        let side = hinge_axis(upper, lower, carried);
        Self {
            upper: BoneFrame::hinged(points[0], points[1], side, &self.upper.axes),
            lower: BoneFrame::hinged(points[1], points[2], side, &self.lower.axes),
        }
    }
}

/// Hinge axis about which `lower` is bent relative to `upper`. Returns `last` for a bend of at most 5° or against
/// `last`, the measured axis for a bend from 25° on and within 60° of `last`, and a blend in between.
pub fn hinge_axis(upper: DVec3, lower: DVec3, last: DVec3) -> DVec3 {
    let normal = upper.cross(lower);
    let Some(shown) = normal.try_normalize() else { return last };
    let bend = libm::atan2(normal.length(), upper.dot(lower));
    let trust = smooth_step(bend, BENT) * smooth_step(shown.dot(last), [0.0, 0.5]);
    if trust < 1.0 { last.lerp(shown, trust).normalize() } else { shown }
}

/// Smooth step: 0 at the start of the range, 1 at its end.
fn smooth_step(value: f64, range: [f64; 2]) -> f64 {
    let share = ((value - range[0]) / (range[1] - range[0])).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Position of the knee between `hip` and `ankle`, in the plane across `side`. The knee bends such that the lower bone
/// turns about `side` by the right-hand rule. If the bones (`lengths`) cannot span the distance, the knee lies on the
/// line.
pub fn knee(hip: DVec3, ankle: DVec3, lengths: [f64; 2], side: DVec3) -> DVec3 {
    let [upper, lower] = lengths;
    let span = ankle - hip;
    let distance = span.length().clamp((upper - lower).abs(), upper + lower);
    let along = span.try_normalize().unwrap_or(DVec3::NEG_Y);
    let outwards = axes(along, side, &any_axes(along)).z_axis * -1.0;
    let share = if distance > 0.0 { 0.5 * (distance + (upper * upper - lower * lower) / distance) } else { 0.0 };
    hip + along * share + outwards * libm::sqrt((upper * upper - share * share).max(0.0))
}

/// Axes with `y` along the bone and `x` as near to `side` as possible. If `side` is parallel to the bone, `last` is
/// carried over.
fn axes(along: DVec3, side: DVec3, last: &DMat3) -> DMat3 {
    const NO_SIDE: f64 = 1e-6;
    let across = |side: DVec3| side - along * along.dot(side);
    let raw = across(side);
    let known = raw.length() > NO_SIDE * side.length();
    let x = if known { raw } else { carry(last, along).x_axis };
    // A second pass: the remainder of a nearly parallel vector is not orthogonal to rounding.
    let x = across(x.normalize()).normalize();
    DMat3::from_cols(x, along, x.cross(along))
}

/// Rotates `last` by the shortest arc that turns its `y` to `along`.
fn carry(last: &DMat3, along: DVec3) -> DMat3 {
    DMat3::from_quat(DQuat::from_rotation_arc(last.y_axis, along)) * *last
}

fn any_axes(along: DVec3) -> DMat3 {
    let x = along.any_orthonormal_vector();
    DMat3::from_cols(x, along, x.cross(along))
}

#[cfg(test)]
#[path = "bone_frame_tests.rs"]
mod tests;
