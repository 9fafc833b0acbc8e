//! Joints: constraint equations between the poses of two bodies, or of a body and the world.
//!
//! ```text
//! C(x) = 0,   Ċ = J u,   C̈ = J u̇ + γ          u = (v, ω) of the parent and of the child, world axes
//! row k:  child (l, a1),  parent (−l, a0)        every joint pushes its two bodies with opposite forces
//! ```
//! The frame of a joint is fixed in either body; both frames agree in the reference pose. x is the axis of a hinge, of
//! a slider and of twist. A constraint force acts on both bodies at one common point (the middle of the anchors, or the
//! child's anchor). A pair of impulses thus lies on one line, and total angular momentum is kept to rounding even with
//! a gap.
//!
//! One file per kind, all in the same order: measured values, derivation, rows, bias, drawing. Specification:
//! mathematics 4.3, 4.5.1 (H5–H8); Hennix et al., equations 21–24, with errata H-E4 to H-E6.

pub mod ball;
pub mod curve;
pub mod distance;
pub mod fixed;
pub mod generic;
pub mod hinge;
pub mod slider;
pub mod universal;

use glam::{DMat3, DQuat, DVec3};

use super::motion::Pose;
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;
pub use curve::{Curve, Guide};
pub use generic::Locks;

/// Greatest number of equations of a joint.
pub const MOST_ROWS: usize = 6;

/// Joint between two bodies, or between a body and the world.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// Index of the parent body; `None` is the world.
    pub parent: Option<usize>,
    /// Index of the child body.
    pub child: usize,
    /// Frame of the joint in the parent (or the world), and in the child.
    pub frames: [Frame; 2],
    /// Kind of the joint: its free degrees of freedom.
    pub kind: Kind,
    /// Compliance, meters per newton (radians per newton meter); 0 is rigid.
    pub compliance: f64,
}

/// Joint frame fixed in a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Frame {
    /// Anchor: offset from the center of mass along principal axes, meters.
    pub position: DVec3,
    /// Orientation relative to the principal axes.
    pub rotation: DQuat,
}

/// Kind of a joint: degrees of freedom that it locks and leaves free.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// Ball joint: the anchors coincide (three rows). With the world as parent it fixes a point in space.
    Ball,
    /// Hinge: the anchors and the x axes coincide (five rows).
    Hinge,
    /// Universal joint: the anchors coincide; the parent's x axis and the child's y axis stay perpendicular (four
    /// rows).
    Universal,
    /// Slider: the child moves along the parent's x axis without turning (five rows).
    Slider,
    /// Fixed joint: the frames coincide (six rows).
    Fixed,
    /// Distance joint: the anchors keep a distance (one row).
    Distance {
        /// Length, meters, above 0.
        length: f64,
    },
    /// Bead on a curve: the child's anchor stays on a curve in the parent's frame (two rows).
    Curve(Curve),
    /// Generic joint: any of three translations and three rotations is locked, one row each. With none, only limits bind
    /// the two, as a rope that may be slack.
    Generic(Locks),
}

/// World frame of a joint on one of its two bodies.
#[derive(Clone, Copy, Debug)]
pub struct JointSide<V> {
    /// Center of mass of the body, meters; the origin for the world.
    pub center: LaneVector<V>,
    /// Anchor in the world, meters.
    pub anchor: LaneVector<V>,
    /// Axes of the joint frame in the world.
    pub axes: [LaneVector<V>; 3],
}

/// Constraint rows of a joint: Jacobian and errors.
#[derive(Clone, Copy, Debug)]
pub struct JointJacobian<V> {
    /// Number of rows in use, at most six.
    pub count: usize,
    /// Derivative by the child's velocity; the parent's has the opposite sign.
    pub linear: [LaneVector<V>; MOST_ROWS],
    /// Derivatives by the angular velocities of parent and child.
    pub angular: [[LaneVector<V>; MOST_ROWS]; 2],
    /// Constraint error C, meters or radians.
    pub error: [V; MOST_ROWS],
    /// Indices of child and parent.
    pub ends: (usize, Option<usize>),
}

/// Velocities of the two bodies of a joint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Velocities {
    /// Velocities of the centers of mass of parent and child, meters per second.
    pub linear: [DVec3; 2],
    /// Angular velocities, radians per second, world axes.
    pub angular: [DVec3; 2],
}

/// Line segments that draw a joint: pairs of points, meters.
pub type Lines = Vec<[DVec3; 2]>;

impl Frame {
    /// Frame at a point, along the principal axes.
    pub fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }
}

impl Joint {
    /// Rigid joint of `kind` with its frame at `at` (meters), turned by `turn`, in the reference pose. `parent` and
    /// `child` are indices of bodies with their reference positions and orientations.
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

    /// Number of constraint rows.
    pub fn rows(&self) -> usize {
        match self.kind {
            Kind::Ball => 3,
            Kind::Hinge | Kind::Slider => 5,
            Kind::Universal => 4,
            Kind::Fixed => 6,
            Kind::Distance { .. } => 1,
            Kind::Curve(_) => 2,
            Kind::Generic(locked) => locked.iter().filter(|&&lock| lock).count(),
        }
    }

    /// Number of translational rows, which come first. Their errors are meters, those of the other rows radians.
    pub fn point_rows(&self) -> usize {
        match self.kind {
            Kind::Ball | Kind::Hinge | Kind::Universal | Kind::Fixed => 3,
            Kind::Slider | Kind::Curve(_) => 2,
            Kind::Distance { .. } => 1,
            Kind::Generic(locked) => locked[..3].iter().filter(|&&lock| lock).count(),
        }
    }

    /// World frames of both sides, from the poses of the two bodies (of the child alone for a joint to the world).
    #[inline(always)]
    pub fn sides<V: Lanes>(&self, parent: Option<&Pose<V>>, child: &Pose<V>) -> [JointSide<V>; 2] {
        let above = match parent {
            Some(pose) => JointSide::new(&self.frames[0], pose),
            None => JointSide::of_world(&self.frames[0], child.position.x),
        };
        [above, JointSide::new(&self.frames[1], child)]
    }

    /// World frames of both sides, for bodies at `poses`.
    #[inline(always)]
    pub fn sides_at<V: Lanes>(&self, poses: &[Pose<V>]) -> [JointSide<V>; 2] {
        self.sides(self.parent.map(|parent| &poses[parent]), &poses[self.child])
    }

    /// World frames as in [`Self::sides`], from given rotation matrices. For ball and distance joints the axes are
    /// those of the bodies.
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

    /// Constraint errors C only.
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

    /// Jacobian J and errors C. `guide` is the nearest point on the curve, for a bead; see [`Self::guide`].
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
            Kind::Generic(locked) => generic::rows(sides, locked, &mut rows),
        }
        rows
    }

    /// Bias γ = J̇ u: acceleration of the rows if no body accelerates.
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
            Kind::Generic(locked) => generic::bias(sides, velocities, locked, &mut bias),
        }
        bias.values
    }

    /// Point of the curve nearest to the child's anchor; `None` for other kinds.
    pub fn guide(&self, sides: &[JointSide<f64>; 2]) -> Option<Guide> {
        match &self.kind {
            Kind::Curve(curve) => Some(curve.guide(sides)),
            _ => None,
        }
    }

    /// Line segments that draw the joint, about `size` meters large.
    pub fn lines(&self, sides: &[JointSide<f64>; 2], size: f64) -> Lines {
        let mut lines = Lines::new();
        match &self.kind {
            Kind::Ball => ball::draw(sides, size, &mut lines),
            Kind::Hinge => hinge::draw(sides, size, &mut lines),
            Kind::Universal => universal::draw(sides, size, &mut lines),
            Kind::Slider => slider::draw(sides, size, &mut lines),
            Kind::Fixed => fixed::draw(sides, size, &mut lines),
            Kind::Distance { .. } => distance::draw(sides, &mut lines),
            Kind::Generic(locked) => generic::draw(sides, locked, size, &mut lines),
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

/// Broadcasts a constant vector to every lane.
#[inline(always)]
pub(super) fn like<V: Lanes>(any: V, v: DVec3) -> LaneVector<V> {
    LaneVector { x: any.like(v.x), y: any.like(v.y), z: any.like(v.z) }
}

impl<V: Lanes> JointJacobian<V> {
    /// Empty set of rows.
    #[inline(always)]
    pub fn none(zero: V) -> Self {
        let nothing = LaneVector { x: zero, y: zero, z: zero };
        let six = [nothing; MOST_ROWS];
        Self { count: 0, linear: six, angular: [six; 2], error: [zero; MOST_ROWS], ends: (0, None) }
    }

    /// Jacobian of one row for child and parent, linear part first.
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

    /// Adds a row: a force along `linear` at a point common to both bodies.
    #[inline(always)]
    fn push_at(&mut self, sides: &[JointSide<V>; 2], point: LaneVector<V>, linear: LaneVector<V>, error: V) {
        let arms = [point.minus(sides[0].center), point.minus(sides[1].center)];
        self.push(linear, [linear.cross(arms[0]), arms[1].cross(linear)], error);
    }

    /// Adds a row: a moment along `axis` on the child, and the opposite on the parent.
    #[inline(always)]
    pub(in crate::rigid) fn push_turn(&mut self, axis: LaneVector<V>, error: V) {
        let zero = axis.x.like(0.0);
        self.push(LaneVector { x: zero, y: zero, z: zero }, [-axis, axis], error);
    }
}

impl JointJacobian<f64> {
    /// Rate of change J u of the rows.
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

    /// Force (newtons) and moment about the center of mass (newton meters) on the child, from multipliers in these
    /// units.
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

/// Bias γ, filled row by row.
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
