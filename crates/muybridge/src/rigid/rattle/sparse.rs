//! Many loops: the sparse matrix of all joints of the trees with loops, instead of the dense one of the loops.
//!
//! ```text
//! A = S_cc − S_ct S_tt⁻¹ S_tc       c: joints that close loops, t: joints of the trees;  A as in `dense`
//! A λ_c = v       ⇔        S (λ_t, λ_c) = (0, v)
//! ```
//! Whichever row of a loop is left out as redundant, the trees answer with the same motion. Specification: mathematics
//! 4.4 (H10, H-E7).

use super::{Guides, Mechanism, equations};
use crate::math::lane_rotation::LaneMatrix;
use crate::math::lanes::Lanes;
use crate::rigid::joint::{JointJacobian, MOST_ROWS};
use crate::rigid::joint_matrix::JointMatrix;
use crate::rigid::motion::{Momentum, Pose};

/// Matrix of the joints of all trees with loops.
#[derive(Clone, Debug)]
pub(super) struct SparseLoops<V> {
    matrix: JointMatrix<V>,
    /// Line of each loop-closing row, and the other way round.
    lines: Vec<usize>,
    closing: Vec<Option<usize>>,
    /// Greatest pivot of a row left out.
    pub left_out: Option<V>,
}

/// What the rows of tree joints have beside their equations: soft rows, softness and damping.
pub(super) struct JointExtras<'a, V> {
    /// Adds soft rows of a joint.
    pub soft: &'a dyn Fn(usize, &mut JointJacobian<V>),
    /// Softness Γ of the rows of a joint.
    pub softness: &'a dyn Fn(usize) -> [V; MOST_ROWS],
    /// Rotational damping C of each body, kg m²; empty for none.
    pub brakes: &'a [V],
}

impl<V: Lanes> SparseLoops<V> {
    /// Lays out the matrix of a mechanism; with `has_soft_rows`, joints of trees may have further rows. `None` if a
    /// dense matrix of the loops takes less time.
    pub fn new(zero: V, mechanism: Mechanism<'_>, has_soft_rows: bool) -> Option<Self> {
        let Mechanism { joints, forest, bodies } = mechanism;
        let closed: usize = forest.closing.iter().map(|&joint| joints[joint].rows()).sum();
        if closed <= FEW {
            return None;
        }
        let mut is_closed = vec![false; forest.trees];
        let mut is_closing = vec![false; joints.len()];
        for &joint in &forest.closing {
            is_closed[forest.tree[joints[joint].child]] = true;
            is_closing[joint] = true;
        }
        let most_rows = |joint: usize| match joints[joint].rows() {
            rows if has_soft_rows && !is_closing[joint] => MOST_ROWS.min(rows + 3),
            rows => rows,
        };
        let is_wanted = |joint: usize| is_closed[forest.tree[joints[joint].child]];
        let most = closed * (2 * closed * closed + A_SWEEP * bodies.len());
        let matrix = JointMatrix::new(zero, (joints, bodies.len()), is_wanted, most_rows, most)?;
        if matrix.work + matrix.work / 2 + A_LINE * matrix.lines() >= most {
            return None;
        }
        let mut places = vec![0; joints.len()];
        matrix.joints.iter().enumerate().for_each(|(place, &joint)| places[joint] = place);
        let rows = |&joint: &usize| (0..joints[joint].rows()).map(move |row| (joint, row));
        let lines: Vec<usize> =
            forest.closing.iter().flat_map(rows).map(|(joint, row)| matrix.line(places[joint], row)).collect();
        let mut closing = vec![None; matrix.lines()];
        lines.iter().enumerate().for_each(|(place, &line)| closing[line] = Some(place));
        Some(Self { matrix, lines, closing, left_out: None })
    }

    /// Evaluates and factors the matrix at `poses`; trees that were left out have no rows. Rows with a pivot not above
    /// `least` get no impulse.
    pub fn factor(
        &mut self,
        Mechanism { bodies, joints, forest }: Mechanism<'_>,
        (poses, axes): (&[Pose<V>], &[LaneMatrix<V>]),
        guide: Guides<'_, V>,
        extras: &JointExtras<'_, V>,
        (zero, least): (V, f64),
    ) {
        let response = |body: usize, impulse: [V; 6]| {
            let brake = extras.brakes.get(body).copied().unwrap_or(zero);
            Momentum::of_six(impulse).braked_velocity(&bodies[body], &axes[body], brake)
        };
        for place in 0..self.matrix.joints.len() {
            let joint = self.matrix.joints[place];
            if !forest.has(joints[joint].child) {
                self.matrix.set(place, (&JointJacobian::none(zero), &[]), response);
                continue;
            }
            let mut rows = equations(&joints[joint], (poses, axes), guide);
            (extras.soft)(joint, &mut rows);
            self.matrix.set(place, (&rows, &(extras.softness)(joint)), response);
        }
        self.left_out = self.matrix.factor(least);
    }

    /// Solves for the impulses of the loop-closing rows, from their right-hand sides in `values`.
    pub fn solve(&mut self, values: &mut [V]) {
        let zero = values[0].like(0.0);
        let Self { matrix, lines, closing, .. } = self;
        matrix.solve(|line| closing[line].map_or(zero, |place| values[place]));
        for (value, &line) in values.iter_mut().zip(&*lines) {
            *value = matrix.impulse(line);
        }
    }
}

/// Greatest number of loop-closing rows that are always solved by the dense matrix, which finds redundant rows best.
const FEW: usize = 24;

/// Multiplications for each body of a sweep over the trees, and for each line of a sparse matrix beside its factor.
const A_SWEEP: usize = 200;
const A_LINE: usize = 600;

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::super::closing::rate_of;
    use super::*;
    use crate::math::random::Random;
    use crate::rigid::Body;
    use crate::rigid::Forest;
    use crate::rigid::joint::{Joint, Kind};
    use crate::rigid::rattle::Rattle;
    use crate::rigid::rattle::closing::LoopMatrix;

    /// A net of `across` by `across` bodies with joints halfway between neighbors; heights vary by up to `rough`.
    fn net(across: usize, rough: f64, random: &mut Random) -> (Vec<Body>, Vec<Joint>, Vec<Pose<f64>>) {
        let place = |row: usize, column: usize| DVec3::new(column as f64, 0.0, row as f64);
        let mut poses = Vec::new();
        let mut bodies = Vec::new();
        for row in 0..across {
            for column in 0..across {
                let turn = DQuat::from_rotation_y(random.unit());
                poses.push((place(row, column) + DVec3::Y * rough * random.unit(), turn));
                bodies.push(Body::new(0.5 + random.unit(), DVec3::new(0.1, 0.2, 0.15)).unwrap());
            }
        }
        let mut joints = Vec::new();
        let mut join = |parent: usize, child: usize, kind: Kind| {
            let at = (poses[parent].0 + poses[child].0) * 0.5;
            let of = |body: usize| (body, poses[body].0, poses[body].1);
            joints.push(Joint::between(Some(of(parent)), of(child), (at, DQuat::IDENTITY), kind));
        };
        for row in 0..across {
            for column in 0..across {
                let body = row * across + column;
                let kind = if (row + column) % 5 == 3 { Kind::Hinge } else { Kind::Ball };
                if row > 0 {
                    join(body - across, body, kind.clone());
                }
                if column > 0 {
                    join(body - 1, body, kind);
                }
            }
        }
        let poses = poses.iter().map(|&(place, turn)| Pose::new(place, turn)).collect();
        (bodies, joints, poses)
    }

    #[test]
    fn a_net_is_solved_by_its_equations_rough_flat_and_soft() {
        let mut random = Random::new(7);
        for case in 0..6 {
            let rough = if case % 2 == 0 { 0.4 } else { 0.0 };
            let (bodies, joints, poses) = net(6 + case, rough, &mut random);
            let forest = Forest::new(bodies.len(), &joints);
            let mechanism = Mechanism { bodies: &bodies, joints: &joints, forest: &forest };
            let mut rattle = Rattle::new(0.0, mechanism);
            assert!(matches!(rattle.closing.matrix, LoopMatrix::Sparse(_)), "{case}");
            let gamma = if case >= 4 { 0.3 } else { 0.0 };
            rattle.factor_soft(mechanism, &poses, &Joint::guide, &|_| gamma);
            let rows: Vec<_> =
                joints.iter().map(|joint| equations(joint, (&poses, &rattle.axes), &Joint::guide)).collect();
            let unit = |random: &mut Random| core::array::from_fn(|_| random.unit() - 0.5);
            let pushes: Vec<[f64; 6]> = bodies.iter().map(|_| unit(&mut random)).collect();
            let moves: Vec<[f64; 6]> = bodies.iter().map(|_| unit(&mut random)).collect();
            let mut asked = vec![[0.0; MOST_ROWS]; joints.len()];
            for (index, joint) in joints.iter().enumerate() {
                for row in 0..joint.rows() {
                    asked[index][row] = rate_of(&rows[index], row, joint, &moves);
                }
            }
            rattle.solve_for(mechanism, |body| pushes[body], |joint| asked[joint]);
            let mut multipliers = vec![[0.0; MOST_ROWS]; joints.len()];
            rattle.multipliers(&forest, &mut multipliers);
            let velocities: Vec<[f64; 6]> = rattle.factors.nodes.iter().map(|node| node.velocity).collect();
            // J u + Γ λ = c, and M u = z + Jᵀ λ.
            let mut impulses = pushes.clone();
            for (index, joint) in joints.iter().enumerate() {
                for row in 0..joint.rows() {
                    let rate = rate_of(&rows[index], row, joint, &velocities) + gamma * multipliers[index][row];
                    assert!((rate - asked[index][row]).abs() < 1e-7, "{case}: joint {index}, row {row}");
                    let (child, parent) = rows[index].ends;
                    let sides = [Some(child), parent].into_iter().zip(rows[index].six(row));
                    for (body, by) in sides.filter_map(|(body, by)| Some((body?, by))) {
                        (0..6).for_each(|i| impulses[body][i] += by[i] * multipliers[index][row]);
                    }
                }
            }
            for body in 0..bodies.len() {
                let velocity: [f64; 6] = Momentum::of_six(impulses[body]).velocity(&bodies[body], &rattle.axes[body]);
                for (a, b) in velocity.iter().zip(&velocities[body]) {
                    assert!((a - b).abs() < 1e-7, "{case}: body {body}, {a} {b}");
                }
            }
        }
    }
}
