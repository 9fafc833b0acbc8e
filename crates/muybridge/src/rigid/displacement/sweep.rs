//! Displaces the bodies of joints, masks and one-sided rows beyond the tolerance; all other bodies keep their bits.

use glam::DVec3;

use super::pair::{self, End};
use super::rows::{Mobility, Moved, Screw, Solution, solve};
use super::skeleton::JointSkeleton;
use super::{Constraints, Displacement, OneSided, Outcome, Settings};
use crate::math::lane_rotation::LaneVector;
use crate::rigid::joint::{JointJacobian, JointSide, MOST_ROWS};
use crate::rigid::motion::vector;
use crate::rigid::{Joint, Kind, Momentum, Pose};

/// State of the passes of one call.
pub struct Sweep<'a> {
    constraints: &'a Constraints<'a>,
    moved: Moved<'a>,
    multipliers: &'a mut [[f64; MOST_ROWS]],
    settings: &'a Settings,
    h: f64,
    /// Poses that give row directions and inertia; `None`: the present poses.
    pub start: Option<&'a [Pose<f64>]>,
    /// Greatest error seen in this pass, in units of the tolerance.
    pub worst: f64,
}

/// Cosine of half the rotation (0.5 rad) beyond which directions at the start of a step are not used.
const NEAR: f64 = 0.968_912_421_710_644_8;

/// Greatest rotation by one block that closes a gap, radians; beyond it the linearized equations are invalid.
const MOST_TURN: f64 = 0.5;

/// Remaining errors, meters and radians.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    gap: f64,
    angle: f64,
}

impl<'a> Sweep<'a> {
    /// Sweep over `moved` bodies; `multipliers` are those of the joint rows.
    pub fn new(
        constraints: &'a Constraints<'a>,
        (moved, multipliers): (Moved<'a>, &'a mut [[f64; MOST_ROWS]]),
        (h, settings): (f64, &'a Settings),
    ) -> Self {
        Self { constraints, moved, multipliers, settings, h, start: None, worst: 0.0 }
    }

    /// Resets bodies to the poses `free` and clears the pseudo-impulses.
    pub fn begin_again(&mut self, free: &[Pose<f64>]) {
        self.moved.poses.copy_from_slice(free);
        self.moved.impulses.fill(Momentum::ZERO);
        self.worst = 0.0;
    }

    /// Greatest number of passes.
    pub fn most_passes(&self) -> u32 {
        self.settings.passes
    }

    /// Whether all joints are within the tolerance.
    pub fn joints_hold(&self) -> bool {
        let joints = self.constraints.mechanism.joints.iter().enumerate();
        let mut errors = joints.map(|(index, joint)| errors(&self.equations(index).0, joint.point_rows()));
        errors.all(|errors| errors.are_within(self.settings))
    }

    /// Whether no body has turned far since `start`.
    pub fn is_near(&self, start: &[Pose<f64>]) -> bool {
        self.moved.poses.iter().zip(start).all(|(now, then)| now.rotation.dot(then.rotation).abs() > NEAR)
    }

    /// Displaces joint by joint. Returns whether a body moved, as do all functions here (Z23; the source calls the
    /// value "satisfied", Z-E5).
    pub fn joints(&mut self) -> bool {
        (0..self.constraints.mechanism.joints.len()).fold(false, |moved, joint| self.joint(joint) | moved)
    }

    /// Displaces masks, then one-sided rows.
    pub fn beside(&mut self) -> bool {
        let masks = (0..self.constraints.masks.len()).fold(false, |moved, mask| self.mask(mask) | moved);
        (0..self.constraints.bounds).fold(masks, |moved, bound| self.bound(bound) | moved)
    }

    /// Displaces all joints by one Newton step. A factorization at the start of a step serves all of its passes.
    pub fn at_once(&mut self, skeleton: &mut JointSkeleton, is_first: bool) -> bool {
        let (mechanism, settings) = (self.constraints.mechanism, self.settings);
        let (mut worst, mut is_done) = (0.0_f64, true);
        for index in 0..mechanism.joints.len() {
            let (rows, _) = self.equations(index);
            is_done &= errors(&rows, mechanism.joints[index].point_rows()).are_within(settings);
            worst = rows.error.iter().fold(worst, |worst, error| worst.max(error.abs()));
        }
        if is_done {
            return false;
        }
        if is_first || self.start.is_none() {
            skeleton.factor(mechanism, self.start.unwrap_or(self.moved.poses));
        }
        skeleton.pass(mechanism, (&mut *self.moved.poses, &mut *self.moved.impulses), worst)
    }

    /// Measures the remaining errors.
    pub fn look(&self) -> Outcome {
        let mut outcome = Outcome::default();
        let mut note = |errors: Errors| {
            outcome.gap = outcome.gap.max(errors.gap);
            outcome.angle = outcome.angle.max(errors.angle);
            outcome.unsatisfied += usize::from(!errors.are_within(self.settings));
        };
        for (index, joint) in self.constraints.mechanism.joints.iter().enumerate() {
            note(errors(&self.equations(index).0, joint.point_rows()));
        }
        for mask in self.constraints.masks {
            if let Some((rows, shifts, _)) = mask.rows(self.moved.bodies, self.moved.poses) {
                note(errors(&rows, shifts));
            }
        }
        for bound in 0..self.constraints.bounds {
            if let Some(row) = (self.constraints.bound)(bound, self.moved.poses) {
                note(beyond(&row));
            }
        }
        outcome
    }

    /// Poses that give row directions and inertia.
    fn origin(&self) -> &[Pose<f64>] {
        self.start.unwrap_or(self.moved.poses)
    }

    /// Mobility of both ends of a joint.
    fn mobility(&self, ends: [Option<usize>; 2]) -> [Mobility; 2] {
        let of = |body: usize| Mobility::of(&self.moved.bodies[body], &self.origin()[body]);
        ends.map(|body| body.map_or(Mobility::NONE, of))
    }

    /// Replaces the directions of a joint's rows by those at `start`; errors stay those of the present poses.
    fn directed(
        &self,
        index: usize,
        mut rows: JointJacobian<f64>,
        sides: &[JointSide<f64>; 2],
    ) -> (JointJacobian<f64>, [JointSide<f64>; 2]) {
        let Some(start) = self.start else { return (rows, *sides) };
        let (then, sides) = at(&self.constraints.mechanism.joints[index], start);
        (rows.linear, rows.angular) = (then.linear, then.angular);
        (rows, sides)
    }

    /// Rows of a joint; errors of compliant rows include the compliance term α̃ λ.
    fn equations(&self, index: usize) -> (JointJacobian<f64>, [JointSide<f64>; 2]) {
        let joint = &self.constraints.mechanism.joints[index];
        let (mut rows, sides) = at(joint, self.moved.poses);
        let softness = self.softness(joint);
        if softness > 0.0 {
            for row in 0..rows.count {
                rows.error[row] += softness * self.multipliers[index][row];
            }
        }
        (rows, sides)
    }

    /// Compliance per pseudo-impulse instead of per force: α/h².
    fn softness(&self, joint: &Joint) -> f64 {
        if joint.compliance > 0.0 { joint.compliance / (self.h * self.h) } else { 0.0 }
    }

    fn joint(&mut self, index: usize) -> bool {
        let joint = &self.constraints.mechanism.joints[index];
        let (rows, sides) = self.equations(index);
        let is_finite = rows.error.iter().all(|error| error.is_finite());
        let errors = errors(&rows, joint.point_rows());
        if !is_finite || errors.are_within(self.settings) {
            return false;
        }
        self.worst = self.worst.max(errors.gap / self.settings.gap).max(errors.angle / self.settings.angle);
        let is_point = rows.count == joint.point_rows() && joint.compliance <= 0.0;
        if self.settings.method == Displacement::Lamouret && is_point {
            return self.lamouret(index);
        }
        let ends = [joint.parent, Some(joint.child)];
        let mobility = self.mobility(ends);
        let gap = vector(sides[1].anchor.minus(sides[0].anchor));
        let (rows, sides) = self.directed(index, rows, &sides);
        let solution = if joint.kind == Kind::Ball && joint.compliance <= 0.0 {
            ball(gap, &sides, &mobility)
        } else {
            solve(&rows, 0..rows.count, &mobility, self.softness(joint))
        };
        let Some(solution) = solution.filter(is_a_move) else { return false };
        let share = self.moved.apply(ends, &solution, MOST_TURN);
        for (sum, new) in self.multipliers[index].iter_mut().zip(solution.multipliers) {
            *sum += new * share;
        }
        true
    }

    /// Displaces a joint as in the source: rotations for the gap, then a translation for the rest (Z-E6, Z-E10).
    ///
    /// Momenta take the impulse of the translation for both. The impulse of the rotation differs if the gap is not an
    /// eigenvector of K.
    fn lamouret(&mut self, index: usize) -> bool {
        let joint = &self.constraints.mechanism.joints[index];
        let ends = [joint.parent, Some(joint.child)];
        let pulled = |sweep: &Self| {
            let (rows, sides) = sweep.equations(index);
            let (mobility, arms) = (sweep.mobility(ends), arms(joint, &sides));
            (gap(&rows), [0, 1].map(|side| End { mobility: mobility[side], arm: arms[side] }))
        };
        let (before, attached) = pulled(self);
        let turns = turned(&attached, pair::lamouret(&attached, before));
        let has_turned = turns.is_some_and(|turns| self.moved.apply(ends, &turns, MOST_TURN) > 0.0);
        let (after, attached) = pulled(self);
        let shifts = shifted(&attached, after * pair::reduced_mass(&attached));
        has_turned | shifts.is_some_and(|shifts| self.moved.apply(ends, &shifts, f64::INFINITY) > 0.0)
    }

    fn mask(&mut self, index: usize) -> bool {
        let mask = &self.constraints.masks[index];
        let Some((mut rows, shifts, mut mobility)) = mask.rows(self.moved.bodies, self.moved.poses) else {
            return false;
        };
        if errors(&rows, shifts).are_within(self.settings) {
            return false;
        }
        if let Some((then, _, before)) = self.start.and_then(|start| mask.rows(self.moved.bodies, start)) {
            (rows.linear, rows.angular, mobility) = (then.linear, then.angular, before);
        }
        let Some(mut solution) = solve(&rows, 0..rows.count, &mobility, 0.0) else { return false };
        let ends = [mask.parent, Some(mask.child)];
        for side in 0..2 {
            // A locked axis reacts with a constraint force: the impulse follows from the displacement.
            let Some(body) = ends[side].filter(|_| mask.movable[side].contains(&false)) else { continue };
            let free = Mobility::of(&self.moved.bodies[body], &self.moved.poses[body]);
            let Screw { linear, angular } = solution.moves[side];
            let mass = self.moved.bodies[body].mass;
            solution.impulses[side] = Screw { linear: linear * mass, angular: free.angular.inverse() * angular };
        }
        let most = if shifts > 0 { MOST_TURN } else { f64::INFINITY };
        is_a_move(&solution) && self.moved.apply(ends, &solution, most) > 0.0
    }

    fn bound(&mut self, index: usize) -> bool {
        let Some(row) = (self.constraints.bound)(index, self.moved.poses) else { return false };
        if beyond(&row).are_within(self.settings) {
            return false;
        }
        let mobility = row.bodies.map(|body| self.moved.mobility(body));
        let by = row.by.map(|[a, b, c, d, e, f]| Screw { linear: DVec3::new(a, b, c), angular: DVec3::new(d, e, f) });
        let response = [0, 1].map(|side| mobility[side].response(by[side]));
        let whole: f64 = (0..2).map(|side| by[side].dot(response[side])).sum();
        let multiplier = -row.room / whole;
        if !(whole > 0.0 && multiplier.is_finite()) {
            return false;
        }
        let scaled = |screw: Screw| Screw::default().plus(screw, multiplier);
        let solution =
            Solution { multipliers: [0.0; MOST_ROWS], impulses: by.map(scaled), moves: response.map(scaled) };
        self.moved.apply(row.bodies, &solution, MOST_TURN) > 0.0
    }
}

impl Errors {
    /// Whether both errors are below the tolerance; false for NaN.
    fn are_within(self, settings: &Settings) -> bool {
        self.gap < settings.gap && self.angle < settings.angle
    }
}

/// Length of the first `points` rows as gap, and of the others as angle.
fn errors(rows: &JointJacobian<f64>, points: usize) -> Errors {
    let length = |errors: &[f64]| libm::sqrt(errors.iter().map(|error| error * error).sum());
    let points = points.min(rows.count);
    Errors { gap: length(&rows.error[..points]), angle: length(&rows.error[points..rows.count]) }
}

fn beyond(row: &OneSided) -> Errors {
    let excess = if row.room >= 0.0 { 0.0 } else { -row.room };
    if row.is_angle { Errors { gap: 0.0, angle: excess } } else { Errors { gap: excess, angle: 0.0 } }
}

/// Rows and sides of a joint at given poses.
fn at(joint: &Joint, poses: &[Pose<f64>]) -> (JointJacobian<f64>, [JointSide<f64>; 2]) {
    let sides = joint.sides_at(poses);
    (joint.equations(&sides, joint.guide(&sides).as_ref()), sides)
}

/// Exact pseudo-impulse of a ball joint, applied midway between its anchors.
fn ball(gap: DVec3, sides: &[JointSide<f64>; 2], mobility: &[Mobility; 2]) -> Option<Solution> {
    let middle = vector(sides[0].anchor.plus(sides[1].anchor)) * 0.5;
    let ends = [0, 1].map(|side: usize| End { mobility: mobility[side], arm: middle - vector(sides[side].center) });
    let impulses = opposite(&ends, pair::block(&ends, gap));
    let moves = [0, 1].map(|side: usize| ends[side].mobility.response(impulses[side]));
    Some(Solution { multipliers: [0.0; MOST_ROWS], impulses, moves })
}

/// Gap vector of a joint, meters, assembled from its rows.
fn gap(rows: &JointJacobian<f64>) -> DVec3 {
    let along = |row: usize| {
        let direction = vector(rows.linear[row]);
        let squared = direction.length_squared();
        if squared > 0.0 { direction * (rows.error[row] / squared) } else { DVec3::ZERO }
    };
    (0..rows.count).map(along).sum()
}

/// Vectors from the centers of mass to the points at which the joint pushes.
fn arms(joint: &Joint, sides: &[JointSide<f64>; 2]) -> [DVec3; 2] {
    let from = |side: usize, anchor: LaneVector<f64>| vector(anchor.minus(sides[side].center));
    match joint.kind {
        Kind::Curve(_) => [from(0, sides[1].anchor), from(1, sides[1].anchor)],
        _ => [from(0, sides[0].anchor), from(1, sides[1].anchor)],
    }
}

/// Pseudo-impulse on the first end and the opposite one on the second.
fn opposite(ends: &[End; 2], impulse: DVec3) -> [Screw; 2] {
    [0, 1].map(|side| {
        let on_it = if side == 0 { impulse } else { -impulse };
        Screw { linear: on_it, angular: ends[side].arm.cross(on_it) }
    })
}

/// Rotations of the source's method; they add no momentum yet. `None` if nothing turns.
fn turned(ends: &[End; 2], impulse: DVec3) -> Option<Solution> {
    let pushes = opposite(ends, impulse);
    let turn = |side: usize| ends[side].mobility.angular * pushes[side].angular;
    let moves = [0, 1].map(|side| Screw { linear: DVec3::ZERO, angular: turn(side) });
    let solution = Solution { multipliers: [0.0; MOST_ROWS], impulses: [Screw::default(); 2], moves };
    is_a_move(&solution).then_some(solution)
}

/// Translations of the source's method, with the momentum of both parts. `None` if nothing moves.
fn shifted(ends: &[End; 2], impulse: DVec3) -> Option<Solution> {
    let impulses = opposite(ends, impulse);
    let shift = |side: usize| ends[side].mobility.linear * impulses[side].linear;
    let moves = [0, 1].map(|side| Screw { linear: shift(side), angular: DVec3::ZERO });
    let solution = Solution { multipliers: [0.0; MOST_ROWS], impulses, moves };
    is_a_move(&solution).then_some(solution)
}

/// Whether a solution moves a body and is finite.
fn is_a_move(solution: &Solution) -> bool {
    let is_finite = solution.moves.iter().chain(&solution.impulses).all(|screw| screw.is_finite());
    is_finite && solution.moves.iter().any(|&screw| screw != Screw::default())
}
