//! Joints: equations between the placements of two bodies, or of one and the world.
//!
//! ```text
//! C(x) = 0,   Ċ = J u,   C̈ = J u̇ + γ          u = (v, ω) of the parent and of the child, world axes
//! row k:  child (l, a1),  parent (−l, a0)        every joint pushes its two bodies with opposite forces
//! ```
//! The frame of a joint is fixed in either body; both agree in the reference pose. x is the axis of a hinge, a slider and a
//! twist. The arms of a force go to one point common to both bodies (the middle of the two anchors, or the child's), so that a pair of
//! impulses lies on one line and the angular momentum of the whole is kept to rounding even while there is a gap.
//!
//! One file per kind, all in the same order: what one may ask of it, derivation, rows, bias, how it is drawn.
//! Specification: mathematics 4.3, 4.5.1 (H5–H8); Hennix et al., equations 21–24, with errata H-E4 to H-E6.

pub mod ball;
pub mod curve;
pub mod distance;
pub mod fixed;
pub mod hinge;
pub mod slider;
pub mod universal;

use glam::{DMat3, DQuat, DVec3};

use super::motion::Pose;
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;
pub use curve::{Curve, Guide};

/// No joint has more equations.
pub const MOST_ROWS: usize = 6;

/// A joint.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// The body that is held to; `None`: the world.
    pub parent: Option<usize>,
    /// The body that is held.
    pub child: usize,
    /// The joint's frame in the parent, and in the child; in the world for a joint to the world.
    pub frames: [Frame; 2],
    /// What is left free.
    pub kind: Kind,
    /// How far it gives, metres per newton (radians per newton metre): 0 is rigid.
    pub compliance: f64,
}

/// A frame fixed in a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Frame {
    /// The anchor, metres from the center of mass, principal axes.
    pub position: DVec3,
    /// Orientation against the principal axes.
    pub rotation: DQuat,
}

/// What a joint holds and what it leaves free.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// The anchors coincide: three rows. With the world as parent, a point fixed in space.
    Ball,
    /// The anchors and the x axes coincide: five rows.
    Hinge,
    /// The anchors coincide; the parent's x axis and the child's y axis stay at right angles: four rows.
    Universal,
    /// The child moves along the parent's x axis without turning: five rows.
    Slider,
    /// The frames coincide: six rows.
    Fixed,
    /// The anchors keep a distance: one row.
    Distance {
        /// Metres, above 0.
        length: f64,
    },
    /// The child's anchor stays on a curve in the parent's frame: two rows.
    Curve(Curve),
}

/// One side of a joint in the world.
#[derive(Clone, Copy, Debug)]
pub struct JointSide<V> {
    /// Center of mass of the body; the origin for the world.
    pub center: LaneVector<V>,
    /// The anchor, metres.
    pub anchor: LaneVector<V>,
    /// Axes of the frame.
    pub axes: [LaneVector<V>; 3],
}

/// The equations of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointJacobian<V> {
    /// How many of the six there are.
    pub count: usize,
    /// By the child's velocity; the parent's has the opposite sign.
    pub linear: [LaneVector<V>; MOST_ROWS],
    /// By the angular velocities of parent and child.
    pub angular: [[LaneVector<V>; MOST_ROWS]; 2],
    /// C: metres and radians.
    pub error: [V; MOST_ROWS],
    /// Child and parent.
    pub ends: (usize, Option<usize>),
}

/// Velocities of the two bodies of a joint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Velocities {
    /// Metres per second, of the centers of mass of parent and child.
    pub linear: [DVec3; 2],
    /// Radians per second, world axes.
    pub angular: [DVec3; 2],
}

/// Lines that show a joint: pairs of places, metres.
pub type Lines = Vec<[DVec3; 2]>;

impl Frame {
    /// At a point, along the principal axes.
    pub fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }
}

impl Joint {
    /// A rigid joint of `kind` whose frame stands at `at` (metres), turned by `turn`, in the reference pose: `parent` and `child`
    /// are indices of bodies with their places and orientations there.
    pub fn between(
        parent: Option<(usize, DVec3, DQuat)>,
        child: (usize, DVec3, DQuat),
        (at, turn): (DVec3, DQuat),
        kind: Kind,
    ) -> Self {
        let inside = |position: DVec3, rotation: DQuat| {
            let back = rotation.conjugate();
            Frame { position: back * (at - position), rotation: (back * turn).normalize() }
        };
        let above = parent.map_or(Frame { position: at, rotation: turn }, |(_, p, q)| inside(p, q));
        let frames = [above, inside(child.1, child.2)];
        Self { parent: parent.map(|(body, ..)| body), child: child.0, frames, kind, compliance: 0.0 }
    }

    /// Number of its equations.
    pub fn rows(&self) -> usize {
        match self.kind {
            Kind::Ball => 3,
            Kind::Hinge | Kind::Slider => 5,
            Kind::Universal => 4,
            Kind::Fixed => 6,
            Kind::Distance { .. } => 1,
            Kind::Curve(_) => 2,
        }
    }

    /// How many of them, the first, are about points: their errors are metres, those of the others radians.
    pub fn point_rows(&self) -> usize {
        match self.kind {
            Kind::Ball | Kind::Hinge | Kind::Universal | Kind::Fixed => 3,
            Kind::Slider | Kind::Curve(_) => 2,
            Kind::Distance { .. } => 1,
        }
    }

    /// Both sides, from the poses of the two bodies (of the child alone for a joint to the world).
    #[inline(always)]
    pub fn sides<V: Lanes>(&self, parent: Option<&Pose<V>>, child: &Pose<V>) -> [JointSide<V>; 2] {
        let above = match parent {
            Some(pose) => JointSide::new(&self.frames[0], pose),
            None => JointSide::of_world(&self.frames[0], child.position.x),
        };
        [above, JointSide::new(&self.frames[1], child)]
    }

    /// Both sides where bodies have these poses.
    #[inline(always)]
    pub fn sides_at<V: Lanes>(&self, poses: &[Pose<V>]) -> [JointSide<V>; 2] {
        self.sides(self.parent.map(|parent| &poses[parent]), &poses[self.child])
    }

    /// As [`Self::sides`], with the rotation matrices of the bodies at hand. Of kinds that ask for places only the axes are the bodies'.
    #[inline(always)]
    pub fn sides_of<V: Lanes>(
        &self,
        parent: Option<(&Pose<V>, &LaneMatrix<V>)>,
        child: (&Pose<V>, &LaneMatrix<V>),
    ) -> [JointSide<V>; 2] {
        let has_axes = !matches!(self.kind, Kind::Ball | Kind::Distance { .. });
        let above = match parent {
            Some((pose, turn)) => JointSide::turned(&self.frames[0], pose, turn, has_axes),
            None => JointSide::of_world(&self.frames[0], child.0.position.x),
        };
        [above, JointSide::turned(&self.frames[1], child.0, child.1, has_axes)]
    }

    /// C alone.
    #[inline(always)]
    pub fn errors<V: Lanes>(&self, sides: &[JointSide<V>; 2], guide: Option<&Guide>) -> [V; MOST_ROWS] {
        let gap = sides[1].anchor.minus(sides[0].anchor);
        let zero = gap.x.like(0.0);
        match self.kind {
            Kind::Ball => [gap.x, gap.y, gap.z, zero, zero, zero],
            Kind::Hinge => {
                let (axis, [_, y, z]) = (sides[0].axes[0], sides[1].axes);
                [gap.x, gap.y, gap.z, axis.dot(y), axis.dot(z), zero]
            }
            _ => self.equations(sides, guide).error,
        }
    }

    /// J and C. `guide` is the place on the curve, for joints of that kind; see [`Self::guide`].
    #[inline(always)]
    pub fn equations<V: Lanes>(&self, sides: &[JointSide<V>; 2], guide: Option<&Guide>) -> JointJacobian<V> {
        let mut rows = JointJacobian::none(sides[1].anchor.x.like(0.0));
        rows.ends = (self.child, self.parent);
        match &self.kind {
            Kind::Ball => ball::rows(sides, &mut rows),
            Kind::Hinge => hinge::rows(sides, &mut rows),
            Kind::Universal => universal::rows(sides, &mut rows),
            Kind::Slider => slider::rows(sides, &mut rows),
            Kind::Fixed => fixed::rows(sides, &mut rows),
            Kind::Distance { length } => distance::rows(sides, *length, &mut rows),
            Kind::Curve(_) => {
                if let Some(guide) = guide {
                    curve::rows(sides, guide, &mut rows);
                }
            }
        }
        rows
    }

    /// γ = J̇ u: what the rows' accelerations are while nothing accelerates.
    pub fn bias(
        &self,
        sides: &[JointSide<f64>; 2],
        velocities: &Velocities,
        guide: Option<&Guide>,
    ) -> [f64; MOST_ROWS] {
        let mut bias = Bias { values: [0.0; MOST_ROWS], count: 0 };
        match &self.kind {
            Kind::Ball => ball::bias(sides, velocities, &mut bias),
            Kind::Hinge => hinge::bias(sides, velocities, &mut bias),
            Kind::Universal => universal::bias(sides, velocities, &mut bias),
            Kind::Slider => slider::bias(sides, velocities, &mut bias),
            Kind::Fixed => fixed::bias(sides, velocities, &mut bias),
            Kind::Distance { length } => distance::bias(sides, velocities, *length, &mut bias),
            Kind::Curve(_) => {
                if let Some(guide) = guide {
                    curve::bias(sides, velocities, guide, &mut bias);
                }
            }
        }
        bias.values
    }

    /// The place on the curve nearest to the child's anchor; `None` for other kinds.
    pub fn guide(&self, sides: &[JointSide<f64>; 2]) -> Option<Guide> {
        match &self.kind {
            Kind::Curve(curve) => Some(curve.guide(sides)),
            _ => None,
        }
    }

    /// Lines that show it, about as large as `size` (metres).
    pub fn lines(&self, sides: &[JointSide<f64>; 2], size: f64) -> Lines {
        let mut lines = Lines::new();
        match &self.kind {
            Kind::Ball => ball::draw(sides, size, &mut lines),
            Kind::Hinge => hinge::draw(sides, size, &mut lines),
            Kind::Universal => universal::draw(sides, size, &mut lines),
            Kind::Slider => slider::draw(sides, size, &mut lines),
            Kind::Fixed => fixed::draw(sides, size, &mut lines),
            Kind::Distance { .. } => distance::draw(sides, &mut lines),
            Kind::Curve(curve) => curve::draw(sides, curve, &mut lines),
        }
        lines
    }
}

impl<V: Lanes> JointSide<V> {
    #[inline(always)]
    fn new(frame: &Frame, pose: &Pose<V>) -> Self {
        Self::turned(frame, pose, &pose.rotation.matrix(), true)
    }

    #[inline(always)]
    fn turned(frame: &Frame, pose: &Pose<V>, turn: &LaneMatrix<V>, has_axes: bool) -> Self {
        let constant = |v: DVec3| like(pose.position.x, v);
        let axes = if has_axes {
            let axes = DMat3::from_quat(frame.rotation);
            [turn.rotate(constant(axes.x_axis)), turn.rotate(constant(axes.y_axis)), turn.rotate(constant(axes.z_axis))]
        } else {
            turn.columns
        };
        Self { center: pose.position, anchor: pose.position.plus(turn.rotate(constant(frame.position))), axes }
    }

    #[inline(always)]
    fn of_world(frame: &Frame, any: V) -> Self {
        let axes = DMat3::from_quat(frame.rotation);
        Self {
            center: like(any, DVec3::ZERO),
            anchor: like(any, frame.position),
            axes: [like(any, axes.x_axis), like(any, axes.y_axis), like(any, axes.z_axis)],
        }
    }
}

/// A constant in every lane.
#[inline(always)]
pub(super) fn like<V: Lanes>(any: V, v: DVec3) -> LaneVector<V> {
    LaneVector { x: any.like(v.x), y: any.like(v.y), z: any.like(v.z) }
}

impl<V: Lanes> JointJacobian<V> {
    /// No rows.
    #[inline(always)]
    pub fn none(zero: V) -> Self {
        let nothing = LaneVector { x: zero, y: zero, z: zero };
        let six = [nothing; MOST_ROWS];
        Self { count: 0, linear: six, angular: [six; 2], error: [zero; MOST_ROWS], ends: (0, None) }
    }

    /// A row by the velocities of child and parent, the linear first.
    #[inline(always)]
    pub fn six(&self, row: usize) -> [[V; 6]; 2] {
        let (l, a0, a1) = (self.linear[row], self.angular[0][row], self.angular[1][row]);
        [[l.x, l.y, l.z, a1.x, a1.y, a1.z], [-l.x, -l.y, -l.z, a0.x, a0.y, a0.z]]
    }

    #[inline(always)]
    fn push(&mut self, linear: LaneVector<V>, angular: [LaneVector<V>; 2], error: V) {
        let row = self.count;
        self.linear[row] = linear;
        [self.angular[0][row], self.angular[1][row]] = angular;
        self.error[row] = error;
        self.count += 1;
    }

    /// A force along `linear` at a point common to both bodies.
    #[inline(always)]
    fn push_at(&mut self, sides: &[JointSide<V>; 2], point: LaneVector<V>, linear: LaneVector<V>, error: V) {
        let arms = [point.minus(sides[0].center), point.minus(sides[1].center)];
        self.push(linear, [linear.cross(arms[0]), arms[1].cross(linear)], error);
    }

    /// A moment along `axis`, on the child; the opposite on the parent.
    #[inline(always)]
    pub(in crate::rigid) fn push_turn(&mut self, axis: LaneVector<V>, error: V) {
        let zero = axis.x.like(0.0);
        self.push(LaneVector { x: zero, y: zero, z: zero }, [-axis, axis], error);
    }
}

impl JointJacobian<f64> {
    /// J u.
    pub fn rate(&self, velocities: &Velocities) -> [f64; MOST_ROWS] {
        use super::motion::vector;
        let mut rate = [0.0; MOST_ROWS];
        for (row, value) in rate.iter_mut().enumerate().take(self.count) {
            *value = vector(self.linear[row]).dot(velocities.linear[1] - velocities.linear[0])
                + vector(self.angular[0][row]).dot(velocities.angular[0])
                + vector(self.angular[1][row]).dot(velocities.angular[1]);
        }
        rate
    }

    /// Force on the child (newtons) and moment on it about its center (newton metres) from multipliers in those units.
    pub fn wrench(&self, multipliers: &[f64]) -> (DVec3, DVec3) {
        use super::motion::vector;
        let mut sum = (DVec3::ZERO, DVec3::ZERO);
        for (row, &multiplier) in multipliers.iter().enumerate().take(self.count) {
            sum.0 += vector(self.linear[row]) * multiplier;
            sum.1 += vector(self.angular[1][row]) * multiplier;
        }
        sum
    }
}

/// γ, filled row by row.
pub struct Bias {
    values: [f64; MOST_ROWS],
    count: usize,
}

impl Bias {
    fn push(&mut self, value: f64) {
        self.values[self.count] = value;
        self.count += 1;
    }
}

#[cfg(test)]
mod tests;
