//! `<joint>`: joint limits of a body against its parent.
//!
//! MuJoCo stacks hinges; a character has a hinge, or swing and twist. Two or three hinges become swing and twist: the axis
//! nearest to the bone's own direction is the twist, the others are the swings, each with its hinge's limits. This is exact for one
//! hinge, and for several perpendicular hinges of which one moves at a time.

use muybridge::character::JointRange;
use muybridge::glam::{DMat3, DQuat, DVec3};

use super::compiler::{Compiler, choice, unit};
use super::default_classes::DefaultClasses;
use crate::Error;

/// A joint in its body's frame.
pub(super) enum MjcfJoint {
    Hinge(MjcfHinge),
    Ball {
        /// Greatest angle, radians; `None` if unlimited.
        most: Option<f64>,
    },
    Slide,
    Free,
}

/// A hinge joint: rotation about one axis.
pub(super) struct MjcfHinge {
    pub axis: DVec3,
    pub lower: f64,
    pub upper: f64,
}

/// Reads a joint in a frame that is turned by `rotation` in its body.
pub(super) fn read(settings: &DefaultClasses<'_>, compiler: &Compiler, rotation: DQuat) -> Result<MjcfJoint, Error> {
    let kinds = [("hinge", 0), ("ball", 1), ("slide", 2), ("free", 3)];
    let kind = settings.find("type").map_or(Ok(0), |attribute| choice(attribute, &kinds))?;
    let range = limits(settings, compiler)?;
    Ok(match kind {
        0 => {
            let axis = match settings.find("axis") {
                Some(attribute) => unit(attribute, attribute.vector()?)?,
                None => DVec3::Z,
            };
            let zero = compiler.radians(settings.number("ref")?.unwrap_or(0.0));
            let [lower, upper] = range.unwrap_or([-std::f64::consts::PI, std::f64::consts::PI]);
            MjcfJoint::Hinge(MjcfHinge { axis: rotation * axis, lower: lower - zero, upper: upper - zero })
        }
        1 => MjcfJoint::Ball { most: range.map(|[_, upper]| upper) },
        2 => MjcfJoint::Slide,
        _ => MjcfJoint::Free,
    })
}

/// Limits in radians; `None` if the joint is unlimited.
fn limits(settings: &DefaultClasses<'_>, compiler: &Compiler) -> Result<Option<[f64; 2]>, Error> {
    let Some(range) = settings.find("range") else { return Ok(None) };
    let words = [("true", true), ("false", false), ("auto", compiler.auto_limits)];
    let limited = settings.find("limited").map_or(Ok(compiler.auto_limits), |attribute| choice(attribute, &words))?;
    let [lower, upper] = range.array()?;
    if lower > upper {
        return Err(range.at.error("the range ends before it begins; give the smaller number first"));
    }
    Ok(limited.then(|| [compiler.radians(lower), compiler.radians(upper)]))
}

/// Joint limits of a body with these joints; `along` is the direction of the body in its own frame. The sentence, if any, names
/// a motion that the limits cannot hold.
pub(super) fn range(joints: &[MjcfJoint], is_root: bool, along: DVec3) -> (JointRange, Option<&'static str>) {
    if joints.iter().any(|joint| matches!(joint, MjcfJoint::Free)) || (is_root && joints.is_empty()) {
        return (JointRange::Free, None);
    }
    let slides = joints.iter().any(|joint| matches!(joint, MjcfJoint::Slide));
    let slide_note = slides.then_some("it also slides, which a joint range does not hold");
    if let Some(MjcfJoint::Ball { most }) = joints.iter().find(|joint| matches!(joint, MjcfJoint::Ball { .. })) {
        let range = most.map_or(JointRange::Free, |most| JointRange::SwingTwist {
            frame: DQuat::IDENTITY,
            swing_x: [-most, most],
            swing_z: [-most, most],
            twist: [-most, most],
        });
        return (range, slide_note);
    }
    let hinges: Vec<&MjcfHinge> =
        joints.iter().filter_map(|j| if let MjcfJoint::Hinge(h) = j { Some(h) } else { None }).collect();
    match hinges[..] {
        [] => (JointRange::Fixed, slide_note),
        [&MjcfHinge { axis, lower, upper }] => (JointRange::Hinge { axis, lower, upper }, slide_note),
        [_, _] | [_, _, _] => stacked(&hinges, along),
        _ => (JointRange::Free, Some("it has more than three hinges; its range is taken as free")),
    }
}

/// Converts two or three stacked hinges to swing and twist.
fn stacked(hinges: &[&MjcfHinge], along: DVec3) -> (JointRange, Option<&'static str>) {
    let no_turn = MjcfHinge { axis: hinges[0].axis.cross(hinges[1].axis).normalize_or_zero(), lower: 0.0, upper: 0.0 };
    let mut axes = hinges.to_vec();
    if axes.len() == 2 {
        axes.push(&no_turn);
    }
    let nearest = |a: &&MjcfHinge, b: &&MjcfHinge| a.axis.dot(along).abs().total_cmp(&b.axis.dot(along).abs());
    let last = axes.iter().enumerate().rev().max_by(|(_, a), (_, b)| nearest(a, b)).map_or(0, |(index, _)| index);
    let twist = axes.remove(last);
    let y = twist.axis;
    let x = (axes[0].axis - y * y.dot(axes[0].axis)).normalize_or_zero();
    let z = x.cross(y);
    if y == DVec3::ZERO || x == DVec3::ZERO || z.dot(axes[1].axis).abs() < 0.5 {
        return (JointRange::Free, Some("its hinges do not stand across each other; its range is taken as free"));
    }
    let tilted = (1.0 - x.dot(axes[0].axis)).max(1.0 - z.dot(axes[1].axis).abs()) > 1e-6;
    let swing_z =
        if z.dot(axes[1].axis) > 0.0 { [axes[1].lower, axes[1].upper] } else { [-axes[1].upper, -axes[1].lower] };
    let range = JointRange::SwingTwist {
        frame: DQuat::from_mat3(&DMat3::from_cols(x, y, z)).normalize(),
        swing_x: [axes[0].lower, axes[0].upper],
        swing_z,
        twist: [twist.lower, twist.upper],
    };
    (range, tilted.then_some("its hinges are not perpendicular; its range is that of the nearest perpendicular axes"))
}
