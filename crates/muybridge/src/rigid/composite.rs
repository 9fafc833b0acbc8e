//! Inertia that a joint rotation feels while all other joints are locked: the reference of a motor's frequency.
//!
//! ```text
//! two rigid pieces, m_i, c_i, I_i, pinned at x;  r_i = x − c_i
//! A = I₁⁻¹ + I₂⁻¹,   B = −[r₁]× I₁⁻¹ − [r₂]× I₂⁻¹,   K = Σ 1/m_i − [r_i]× I_i⁻¹ [r_i]×
//! S = A − Bᵀ K⁻¹ B          relative rotation per unit moment, 1/(kg m²);    a piece fixed to the world has 1/m = 0, I⁻¹ = 0
//! ```
//! The pieces are the bodies on either side of the joint in their present poses: a wrist moves the hand, the spine half
//! of the body. Specification: mathematics 8.1 (composite inertia), 2.2.

use glam::{DMat3, DVec3};

use super::body::Body;
use super::forest::Forest;
use super::joint::Joint;
use super::motion::Pose;
use super::rattle::Mechanism;
use crate::math::lane_rotation::{LaneMatrix, LaneVector};
use crate::math::lanes::Lanes;

/// Mass (kg), first moment (kg m) and inertia (kg m²) of bodies that move as one, about an origin.
#[derive(Clone, Copy, Debug)]
pub struct Piece<V = f64> {
    /// Mass, kilograms.
    pub mass: f64,
    /// Mass times position, kg m.
    moment: LaneVector<V>,
    /// Inertia about the origin, world axes, kg m².
    inertia: LaneMatrix<V>,
}

/// Locked inertia of each body with all bodies below it, about the first body of its tree. Buffers are reused.
#[derive(Clone, Debug)]
pub struct Composites<V = f64> {
    pieces: Vec<Piece<V>>,
}

impl<V> Default for Composites<V> {
    fn default() -> Self {
        Self { pieces: Vec::new() }
    }
}

impl<V: Lanes> Composites<V> {
    /// Computes the locked inertias of awake bodies at `poses`.
    #[inline(always)]
    pub fn measure(&mut self, zero: V, mechanism: Mechanism<'_>, poses: &[Pose<V>]) {
        let Mechanism { bodies, forest, .. } = mechanism;
        self.pieces.clear();
        self.pieces.resize(bodies.len(), Piece::like(zero));
        for &body in &forest.order {
            self.pieces[body].add(&Piece::of_body(&bodies[body], &poses[body], origin(forest, body, poses)));
            if let Some(parent) = forest.parent[body] {
                let piece = self.pieces[body];
                self.pieces[parent].add(&piece);
            }
        }
    }

    /// Matrix S of a joint of the trees, world axes; `None` if the joint closes a loop or its bodies sleep. It may be
    /// unsound, see [`is_sound`]. Call [`Self::measure`] first, for these poses or for poses shortly before.
    #[inline(always)]
    pub fn of_joint(&self, mechanism: Mechanism<'_>, joint: usize, poses: &[Pose<V>]) -> Option<LaneMatrix<V>> {
        let Mechanism { joints, forest, .. } = mechanism;
        let Joint { parent, child, frames, .. } = &joints[joint];
        let below = [Some(*child), *parent].into_iter().flatten().find(|&body| forest.hangs_by[body] == Some(joint))?;
        if !forest.has(*child) {
            return None;
        }
        let anchor = poses[*child].point_in_lanes(frames[1].position).minus(origin(forest, below, poses));
        let root = root(forest, below);
        let own = self.pieces[below];
        let other = forest.hangs_by[root].is_none().then(|| self.pieces[root].less(&own));
        Some(compliance_in_lanes([Some(own), other], anchor))
    }
}

/// Matrix S of a joint's two bodies alone, world axes: what is attached to them only resists more. `None` as for
/// [`compliance`].
pub fn of_bodies_alone(bodies: &[Body], joint: &Joint, poses: &[Pose<f64>]) -> Option<DMat3> {
    let anchor = poses[joint.child].point_in_lanes(joint.frames[1].position);
    let piece = |body: usize| Piece::of_body(&bodies[body], &poses[body], anchor);
    compliance([Some(piece(joint.child)), joint.parent.map(piece)], DVec3::ZERO)
}

/// Matrix S of two pieces pinned to each other at a point (meters from their origin), world axes. A piece of `None` is
/// held by the world. Returns `None` if S is not finite and positive.
pub fn compliance(pieces: [Option<Piece>; 2], at: DVec3) -> Option<DMat3> {
    let felt = compliance_in_lanes(pieces, LaneVector::splat((), at));
    is_sound(&felt).then(|| felt.single())
}

/// The lanes in which a matrix S, or a root of its inverse, is finite and has a positive diagonal.
#[inline(always)]
pub fn is_sound<V: Lanes>(felt: &LaneMatrix<V>) -> V::Mask {
    let [a, b, c] = felt.columns;
    let zero = a.x.like(0.0);
    let size = (a.x.abs() + a.y.abs() + a.z.abs()) + (b.x.abs() + b.y.abs() + b.z.abs());
    let size = size + (c.x.abs() + c.y.abs() + c.z.abs());
    let least = a.x.least(b.y).least(c.z);
    V::both(size.is_below(zero.like(f64::INFINITY)), zero.is_below(least))
}

#[inline(always)]
fn compliance_in_lanes<V: Lanes>(pieces: [Option<Piece<V>>; 2], at: LaneVector<V>) -> LaneMatrix<V> {
    let nothing = LaneMatrix::diagonal([at.x.like(0.0); 3]);
    let (mut turn, mut cross, mut give) = (nothing, nothing, nothing);
    for piece in pieces.iter().flatten() {
        let [a, b, k] = piece.pinned(at);
        (turn, cross, give) = (turn.plus(a), cross.plus(b), give.plus(k));
    }
    turn.minus(cross.transposed().times(give.inverse()).times(cross))
}

impl Piece {
    /// Empty piece without mass.
    pub const NONE: Self = {
        let zero = LaneVector { x: 0.0, y: 0.0, z: 0.0 };
        Self { mass: 0.0, moment: zero, inertia: LaneMatrix { columns: [zero; 3] } }
    };

    /// Point mass (kg) at a position (meters from the origin).
    pub fn of_point(mass: f64, at: DVec3) -> Self {
        Self::at(mass, LaneVector::splat((), at))
    }
}

impl<V: Lanes> Piece<V> {
    #[inline(always)]
    fn like(zero: V) -> Self {
        Self { mass: 0.0, moment: LaneVector { x: zero, y: zero, z: zero }, inertia: LaneMatrix::diagonal([zero; 3]) }
    }

    /// A body about `origin`.
    #[inline(always)]
    fn of_body(body: &Body, pose: &Pose<V>, origin: LaneVector<V>) -> Self {
        let mut piece = Self::at(body.mass, pose.position.minus(origin));
        let moments = LaneVector::like(pose.position.x.like(0.0), body.moments);
        piece.inertia = piece.inertia.plus(pose.rotation.matrix().around(moments));
        piece
    }

    #[inline(always)]
    fn at(mass: f64, place: LaneVector<V>) -> Self {
        Self { mass, moment: place.times(mass), inertia: LaneMatrix::of_point(mass, place) }
    }

    /// Adds another piece.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.moment = self.moment.plus(other.moment);
        self.inertia = self.inertia.plus(other.inertia);
    }

    /// This piece without a piece that was added before.
    #[inline(always)]
    pub fn less(&self, other: &Self) -> Self {
        let (mass, moment) = (self.mass - other.mass, self.moment.minus(other.moment));
        Self { mass, moment, inertia: self.inertia.minus(other.inertia) }
    }

    /// Matrices A, B and K of the piece; not finite without mass or inertia.
    #[inline(always)]
    fn pinned(&self, anchor: LaneVector<V>) -> [LaneMatrix<V>; 3] {
        let (moment, mass) = (self.moment, self.moment.x.like(self.mass));
        let center = LaneVector { x: moment.x / mass, y: moment.y / mass, z: moment.z / mass };
        let turn = self.inertia.minus(LaneMatrix::of_point(self.mass, center)).inverse();
        let across = LaneMatrix::cross(anchor.minus(center));
        let cross = across.times(turn).negated();
        let own = center.x.like(1.0 / self.mass);
        [turn, cross, LaneMatrix::diagonal([own; 3]).plus(cross.times(across))]
    }
}

/// Root body of a tree: the last body of its span.
#[inline(always)]
fn root(forest: &Forest, body: usize) -> usize {
    let span = &forest.spans[forest.tree[body]];
    if span.is_empty() { body } else { forest.order[span.end - 1] }
}

#[inline(always)]
fn origin<V: Copy>(forest: &Forest, body: usize, poses: &[Pose<V>]) -> LaneVector<V> {
    poses[root(forest, body)].position
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::rigid::motion::vector;
    use crate::rigid::rattle::Rattle;
    use crate::rigid::specimens::Specimen;
    use crate::rigid::{Joint, Kind};

    /// S by a second algorithm: all other joints fixed, a unit moment on either side of a ball joint, solved along the
    /// tree.
    fn by_the_tree(specimen: &Specimen, joint: usize, axis: DVec3) -> DVec3 {
        let locked = |(index, of): (usize, &Joint)| {
            let kind = if index == joint { Kind::Ball } else { Kind::Fixed };
            Joint { kind, ..of.clone() }
        };
        let joints = specimen.joints.iter().enumerate().map(locked).collect();
        let locked = Specimen::new(specimen.bodies.clone(), joints, specimen.poses.clone());
        let mechanism = locked.mechanism();
        let mut rattle = Rattle::new(0.0, mechanism);
        rattle.factor(mechanism, &locked.poses, &Joint::guide, 1.0);
        let Joint { parent, child, .. } = locked.joints[joint];
        let moment = |v: DVec3| [0.0, 0.0, 0.0, v.x, v.y, v.z];
        let impulses = [Some((child, moment(axis))), parent.map(|parent| (parent, moment(-axis)))];
        rattle.respond(mechanism, locked.forest.tree[child], impulses);
        let turn = |body: usize| {
            let [.., a, b, c] = rattle.factors.nodes[body].velocity;
            DVec3::new(a, b, c)
        };
        turn(child) - parent.map_or(DVec3::ZERO, turn)
    }

    #[test]
    fn r20_the_inertia_a_joint_feels_is_that_of_two_pinned_pieces() {
        let mut random = Random::new(5);
        for specimen in [Specimen::chain(4, &Kind::Ball), Specimen::random_tree(9, &mut random)] {
            let mechanism = specimen.mechanism();
            let mut composites = Composites::default();
            composites.measure(0.0, mechanism, &specimen.poses);
            for body in 0..specimen.bodies.len() {
                let Some(joint) = specimen.forest.hangs_by[body] else { continue };
                let Joint { child, frames, .. } = &specimen.joints[joint];
                let (pose, anchor) = (&specimen.poses[*child], frames[1].position);
                assert_eq!(vector(pose.point_in_lanes(anchor)), pose.point(anchor));
                let felt = composites.of_joint(mechanism, joint, &specimen.poses).unwrap();
                assert!(is_sound(&felt));
                let felt = felt.single();
                for axis in DVec3::AXES {
                    let (found, expected) = (felt * axis, by_the_tree(&specimen, joint, axis));
                    assert!((found - expected).length() < 1e-9 * expected.length(), "{joint}: {found} {expected}");
                }
            }
        }
    }
}
