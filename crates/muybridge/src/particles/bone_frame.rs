//! Frames of bones that are only two points each: the axis is theirs, the twist is guessed.
//!
//! ```text
//! y = unit(end − start),  origin in the middle
//! from a forward axis f:     z = unit(f − (f·y) y),  x = y × z
//! at a hinge (knee, elbow):  x = unit(upper × lower) as far as the joint is bent enough to show it, else as it was;  z = x × y
//! as it was:                 carried along by the shortest turn of the bone; up to a bend of 5° nothing else counts
//! ```
//! What a hardly bent joint shows is noise, so its axis is blended in from 5° to 25°: a frame that jumped at one angle would
//! turn by whatever twist the bones took while they were straight. The hinge axis never flips: a joint that is bent the wrong
//! way keeps the axis it had, so that a knee bends in one half of the sagittal plane only ([`knee`] puts it there). Twist is not simulated; a third particle gives it a state.
//! Specification: mathematics 3.12 (R29, J30).

use glam::{DMat3, DQuat, DVec3};

/// A bone of two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneFrame {
    /// Middle of the bone, metres.
    pub origin: DVec3,
    /// Side (the hinge axis), along the bone, forward; from the bone to the world.
    pub axes: DMat3,
}

/// The bend of a joint, radians, up to which it shows nothing of its hinge axis, and from which it shows all: 5° and 25°.
pub const BENT: [f64; 2] = [5.0 * DEGREE, 25.0 * DEGREE];

const DEGREE: f64 = core::f64::consts::PI / 180.0;

impl BoneFrame {
    /// The frame of a bone from `start` to `end` that looks along `forward` as far as it can. Where that is along the bone, the
    /// twist is carried over from `last`; a bone of no length keeps all axes.
    pub fn facing(start: DVec3, end: DVec3, forward: DVec3, last: &DMat3) -> Self {
        let along = (end - start).try_normalize().unwrap_or(last.y_axis);
        Self { origin: 0.5 * (start + end), axes: axes(along, along.cross(forward), last) }
    }

    /// The frame of a bone whose side is the hinge axis `side`, as far as it can be.
    pub fn hinged(start: DVec3, end: DVec3, side: DVec3, last: &DMat3) -> Self {
        let along = (end - start).try_normalize().unwrap_or(last.y_axis);
        Self { origin: 0.5 * (start + end), axes: axes(along, side, last) }
    }
}

/// Two bones and the hinge between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbFrames {
    /// Hip to knee, shoulder to elbow.
    pub upper: BoneFrame,
    /// Knee to ankle, elbow to wrist.
    pub lower: BoneFrame,
}

impl LimbFrames {
    /// The frames of a limb that has no past: `side` is the axis about which it bends, by the right hand.
    pub fn start(points: [DVec3; 3], side: DVec3) -> Self {
        let upper = (points[1] - points[0]).try_normalize().unwrap_or(DVec3::NEG_Y);
        let guess = axes(upper, side, &any_axes(upper));
        let last = BoneFrame { origin: points[0], axes: guess };
        Self { upper: last, lower: last }.follow(points)
    }

    /// The frames of the same limb a moment later.
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

/// The axis about which `lower` is bent against `upper`: `last` where they are bent by no more than 5° or against it, what
/// they show from 25° on and within 60° of `last`, and between them in between.
pub fn hinge_axis(upper: DVec3, lower: DVec3, last: DVec3) -> DVec3 {
    let normal = upper.cross(lower);
    let Some(shown) = normal.try_normalize() else { return last };
    let bend = libm::atan2(normal.length(), upper.dot(lower));
    let trust = smooth_step(bend, BENT) * smooth_step(shown.dot(last), [0.0, 0.5]);
    if trust < 1.0 { last.lerp(shown, trust).normalize() } else { shown }
}

/// From 0 at the start of the range to 1 at its end.
fn smooth_step(value: f64, range: [f64; 2]) -> f64 {
    let share = ((value - range[0]) / (range[1] - range[0])).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Where a knee is between `hip` and `ankle`: in the plane across `side`, in the half that the limb bends to when the lower bone
/// turns about `side` by the right hand. A distance the bones (`lengths`) cannot span gives the nearest they can, along the line.
pub fn knee(hip: DVec3, ankle: DVec3, lengths: [f64; 2], side: DVec3) -> DVec3 {
    let [upper, lower] = lengths;
    let span = ankle - hip;
    let distance = span.length().clamp((upper - lower).abs(), upper + lower);
    let along = span.try_normalize().unwrap_or(DVec3::NEG_Y);
    let outwards = axes(along, side, &any_axes(along)).z_axis * -1.0;
    let share = if distance > 0.0 { 0.5 * (distance + (upper * upper - lower * lower) / distance) } else { 0.0 };
    hip + along * share + outwards * libm::sqrt((upper * upper - share * share).max(0.0))
}

/// Axes with `y` along and `x` as near to `side` as can be; where that is along the bone, `last` carried over.
fn axes(along: DVec3, side: DVec3, last: &DMat3) -> DMat3 {
    const NO_SIDE: f64 = 1e-6;
    let across = |side: DVec3| side - along * along.dot(side);
    let raw = across(side);
    let known = raw.length() > NO_SIDE * side.length();
    let x = if known { raw } else { carry(last, along).x_axis };
    // Once more: what is left of a nearly parallel vector is not orthogonal to rounding.
    let x = across(x.normalize()).normalize();
    DMat3::from_cols(x, along, x.cross(along))
}

/// `last` turned by the shortest way that puts its `y` along.
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
