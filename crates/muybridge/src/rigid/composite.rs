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

use super::forest::Forest;
use super::joint::Joint;
use super::motion::Pose;
use super::rattle::Mechanism;
use crate::collision::tensor;
use crate::math::rotation::cross_matrix;

/// Mass (kg), first moment (kg m) and inertia (kg m²) of bodies that move as one, about an origin.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// Mass, kilograms.
    pub mass: f64,
    /// Mass times position, kg m.
    pub moment: DVec3,
    /// Inertia about the origin, world axes, kg m².
    pub inertia: DMat3,
}

/// Locked inertia of each body with all bodies below it, about the first body of its tree. Buffers are reused.
#[derive(Clone, Debug, Default)]
pub struct Composites {
    pieces: Vec<Piece>,
}

impl Composites {
    /// Computes the locked inertias of awake bodies at `poses`.
    pub fn measure(&mut self, mechanism: Mechanism<'_>, poses: &[Pose<f64>]) {
        let Mechanism { bodies, forest, .. } = mechanism;
        self.pieces.clear();
        self.pieces.resize(bodies.len(), Piece::NONE);
        for &body in &forest.order {
            let arm = poses[body].place() - origin(forest, body, poses);
            let own = tensor::from_principal(bodies[body].moments, poses[body].turn());
            let mass = bodies[body].mass;
            let inertia = own + tensor::of_point(mass, arm);
            self.pieces[body].add(&Piece { mass, moment: arm * mass, inertia });
            if let Some(parent) = forest.parent[body] {
                let piece = self.pieces[body];
                self.pieces[parent].add(&piece);
            }
        }
    }

    /// Matrix S of a joint of the trees, world axes, as [`Self::compliance`]; `None` also if the joint closes a loop or its
    /// bodies sleep.
    pub fn of_joint(&self, mechanism: Mechanism<'_>, joint: usize, poses: &[Pose<f64>]) -> Option<DMat3> {
        let Mechanism { joints, forest, .. } = mechanism;
        let Joint { parent, child, frames, .. } = &joints[joint];
        let below = [Some(*child), *parent].into_iter().flatten().find(|&body| forest.hangs_by[body] == Some(joint))?;
        let anchor = poses[*child].point(frames[1].position);
        self.compliance(forest, below, poses, anchor).filter(|_| forest.has(*child))
    }

    /// Matrix S of the joint above `body`, about an anchor (meters), in world axes. `None` if S is not finite and
    /// positive. Call [`Self::measure`] first, for these poses or for poses shortly before.
    pub fn compliance(&self, forest: &Forest, body: usize, poses: &[Pose<f64>], anchor: DVec3) -> Option<DMat3> {
        let anchor = anchor - origin(forest, body, poses);
        let root = root(forest, body);
        let own = self.pieces[body];
        let other = forest.hangs_by[root].is_none().then(|| self.pieces[root].less(&own));
        compliance([Some(own), other], anchor)
    }
}

/// Matrix S of two pieces pinned to each other at a point (meters from their origin), world axes. A piece of `None` is
/// held by the world. Returns `None` if S is not finite and positive.
pub fn compliance(pieces: [Option<Piece>; 2], at: DVec3) -> Option<DMat3> {
    let (mut turn, mut cross, mut give) = (DMat3::ZERO, DMat3::ZERO, DMat3::ZERO);
    for piece in pieces.into_iter().flatten() {
        let pinned = piece.pinned(at)?;
        turn += pinned.turn;
        cross += pinned.cross;
        give += pinned.give;
    }
    let felt = turn - cross.transpose() * give.inverse() * cross;
    let is_sound = felt.is_finite() && felt.x_axis.x > 0.0 && felt.y_axis.y > 0.0 && felt.z_axis.z > 0.0;
    is_sound.then_some(felt)
}

/// Matrices A, B and K of one piece.
#[derive(Clone, Copy, Debug)]
struct Pinned {
    turn: DMat3,
    cross: DMat3,
    give: DMat3,
}

impl Piece {
    /// Empty piece without mass.
    pub const NONE: Self = Self { mass: 0.0, moment: DVec3::ZERO, inertia: DMat3::ZERO };

    /// Point mass (kg) at a position (meters from the origin).
    pub fn of_point(mass: f64, at: DVec3) -> Self {
        Self { mass, moment: at * mass, inertia: tensor::of_point(mass, at) }
    }

    /// Adds another piece.
    pub fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.moment += other.moment;
        self.inertia += other.inertia;
    }

    /// This piece without a piece that was added before.
    pub fn less(&self, other: &Self) -> Self {
        let (mass, moment) = (self.mass - other.mass, self.moment - other.moment);
        Self { mass, moment, inertia: self.inertia - other.inertia }
    }

    fn pinned(&self, anchor: DVec3) -> Option<Pinned> {
        let center = self.moment / self.mass;
        let turn = (self.inertia - tensor::of_point(self.mass, center)).inverse();
        let across = cross_matrix(anchor - center);
        let cross = -(across * turn);
        let give = DMat3::from_diagonal(DVec3::splat(1.0 / self.mass)) + cross * across;
        (self.mass > 0.0 && turn.is_finite() && give.is_finite()).then_some(Pinned { turn, cross, give })
    }
}

/// Root body of a tree: the last body of its span.
fn root(forest: &Forest, body: usize) -> usize {
    let span = &forest.spans[forest.tree[body]];
    if span.is_empty() { body } else { forest.order[span.end - 1] }
}

fn origin(forest: &Forest, body: usize, poses: &[Pose<f64>]) -> DVec3 {
    poses[root(forest, body)].place()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
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
            composites.measure(mechanism, &specimen.poses);
            for body in 0..specimen.bodies.len() {
                let Some(joint) = specimen.forest.hangs_by[body] else { continue };
                let of = &specimen.joints[joint];
                let anchor = specimen.poses[of.child].point(of.frames[1].position);
                let felt = composites.compliance(&specimen.forest, body, &specimen.poses, anchor).unwrap();
                for axis in DVec3::AXES {
                    let (found, expected) = (felt * axis, by_the_tree(&specimen, joint, axis));
                    assert!((found - expected).length() < 1e-9 * expected.length(), "{joint}: {found} {expected}");
                }
            }
        }
    }
}
