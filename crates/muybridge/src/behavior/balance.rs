//! Static balance pose: the least change of a posture that brings the center of mass over its support while the feet stay.
//!
//! ```text
//! minimize ‖x − x_0‖²_W   subject to  feet as they are,  (c_x, c_z) = the nearest point of the support
//! dx = (x_0 − x) + W⁻¹ Jᵀ μ,   (J W⁻¹ Jᵀ + λ) μ = e − J (x_0 − x)          Newton step on the constraints, minimal at each
//! rotation of bone b about a:   ∂c = a × (S_b − M_b x_b)/M,   S_b = Σ m_i c_i,  M_b = Σ m_i of all bodies below b
//! ```
//! A support of two corners is the line between the feet. Hinges turn only about their axes; joint limits are ignored.
//! Specification: mathematics 8.2 (R21).

use glam::{DQuat, DVec2, DVec3};

use super::posture::WorldPose;
use super::support::{above, nearest};
use super::{Posture, RagdollModel};
use crate::character::{Role, Side};
use crate::math::cholesky;
use crate::math::hull::ConvexPolygon;
use crate::math::rotation::{exp, log};

/// Result of [`balanced`]: a posture in static balance and its remaining errors.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Balanced {
    /// Posture in balance.
    pub posture: Posture,
    /// Horizontal distance of the center of mass from the support, meters.
    pub off_support: f64,
    /// Largest displacement of a bone that should stay, meters.
    pub moved: f64,
}

/// Weights of changes of a posture; a radian of a joint costs 1.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cost {
    /// Cost of a meter of root translation, relative to a radian of a joint (both squared).
    place: f64,
    /// Cost of a radian of root rotation, relative to a radian of a joint (both squared).
    turn: f64,
}

impl Default for Cost {
    fn default() -> Self {
        Self { place: 1.0, turn: 10.0 }
    }
}

/// Finds the balance pose of a person nearest to `pose` (position in meters and orientation of every bone): the feet stay, and the center of
/// mass comes over the line between them. `None` if the character lacks a bone with the role of either foot.
pub(crate) fn over_its_feet(figure: &RagdollModel, pose: &[(DVec3, DQuat)]) -> Option<Balanced> {
    let [left, right] = [Side::Left, Side::Right].map(|side| figure.bone_of(Role::Foot(side)));
    let feet = [left?, right?];
    let line = ConvexPolygon::new(&feet.map(|bone| above(pose[bone].0)));
    let posture = Posture::of_pose(&figure.skeleton, pose);
    Some(balanced(figure, &posture, &feet, &line, Cost::default()))
}

/// Finds the balance pose nearest to `posture`: the bones `kept` stay where they are, and the center of mass moves over `support` (x and z,
/// meters).
/// If this is impossible, the posture comes as near as possible; the result contains the remaining errors.
fn balanced(figure: &RagdollModel, posture: &Posture, kept: &[usize], support: &ConvexPolygon, cost: Cost) -> Balanced {
    let start = posture.world(&figure.skeleton);
    let mut problem = Problem::new(figure, posture, kept, cost);
    let mut now = posture.clone();
    for _ in 0..STEPS {
        let pose = now.world(&figure.skeleton);
        let center = above(figure.mass_center(&pose));
        let to = nearest(support, center);
        let step = problem.step(&now, &pose, (&start, to - center));
        problem.apply(&mut now, &step);
        if step.iter().fold(0.0_f64, |most, value| most.max(value.abs())) < 1e-13 {
            break;
        }
    }
    let pose = now.world(&figure.skeleton);
    let center = above(figure.mass_center(&pose));
    let moved = kept.iter().map(|&bone| pose[bone].0.distance(start[bone].0)).fold(0.0, f64::max);
    Balanced { posture: now, off_support: (nearest(support, center) - center).length(), moved }
}

const STEPS: usize = 60;
/// λ: regularization of the constraints; a constraint that cannot be met bends no joint further than this term undoes.
const DAMPING: f64 = 1e-9;
/// Largest joint rotation in one Newton step, radians.
const MOST: f64 = 0.3;

/// Degree of freedom of a posture: rotation of a bone about an axis of its parent's frame, or translation of the root.
#[derive(Clone, Copy, Debug)]
struct Freedom {
    bone: usize,
    axis: DVec3,
    is_turn: bool,
    /// Inverse of the weight: 1/W.
    ease: f64,
}

struct Problem<'a> {
    figure: &'a RagdollModel,
    kept: &'a [usize],
    from: &'a Posture,
    freedoms: Vec<Freedom>,
    rows: usize,
    jacobian: Vec<f64>,
}

impl<'a> Problem<'a> {
    fn new(figure: &'a RagdollModel, from: &'a Posture, kept: &'a [usize], cost: Cost) -> Self {
        let mut freedoms = Vec::new();
        let root = figure.skeleton.roots().next().unwrap_or(0);
        for (is_turn, weight) in [(false, cost.place), (true, cost.turn)] {
            freedoms.extend(DVec3::AXES.map(|axis| Freedom {
                bone: root,
                axis,
                is_turn,
                ease: 1.0 / weight.max(1e-9),
            }));
        }
        for link in &figure.links {
            let bone = link.bone;
            let free = |axis: DVec3| Freedom { bone, axis, is_turn: true, ease: 1.0 };
            match figure.hinges[bone] {
                // Multiplied by the bone's rest orientation, an axis of the bone becomes an axis of the parent's frame, about which the bone turns.
                Some(axis) => freedoms.push(free(figure.skeleton.bones()[bone].rotation * axis)),
                None => freedoms.extend(DVec3::AXES.map(free)),
            }
        }
        let rows = 6 * kept.len() + 2;
        let jacobian = vec![0.0; rows * freedoms.len()];
        Self { figure, kept, from, freedoms, rows, jacobian }
    }

    /// World orientation of the frame in which the axis of a degree of freedom is given.
    fn above(&self, bone: usize, pose: &WorldPose) -> DQuat {
        self.figure.skeleton.bones()[bone].parent.map_or(DQuat::IDENTITY, |parent| pose[parent].1)
    }

    fn step(&mut self, now: &Posture, pose: &WorldPose, (start, center_error): (&WorldPose, DVec2)) -> Vec<f64> {
        let (rows, count) = (self.rows, self.freedoms.len());
        let mut error = vec![0.0; rows];
        for (index, &bone) in self.kept.iter().enumerate() {
            let (place, turn) = (start[bone].0 - pose[bone].0, log(start[bone].1 * pose[bone].1.conjugate()));
            error[6 * index..6 * index + 3].copy_from_slice(&place.to_array());
            error[6 * index + 3..6 * index + 6].copy_from_slice(&turn.to_array());
        }
        error[rows - 2..].copy_from_slice(&center_error.to_array());
        let mut back = vec![0.0; count];
        for column in 0..count {
            let freedom = self.freedoms[column];
            self.fill(column, &freedom, pose);
            back[column] = if freedom.is_turn {
                let turned = log(self.from.rotations[freedom.bone] * now.rotations[freedom.bone].conjugate());
                turned.dot(freedom.axis)
            } else {
                (self.from.translations[freedom.bone] - now.translations[freedom.bone]).dot(freedom.axis)
            };
        }
        let row = |index: usize| &self.jacobian[index * count..(index + 1) * count];
        for index in 0..rows {
            error[index] -= row(index).iter().zip(&back).map(|(j, x)| j * x).sum::<f64>();
        }
        let mut matrix = vec![0.0; rows * rows];
        for a in 0..rows {
            for b in 0..rows {
                let all = row(a).iter().zip(row(b)).zip(&self.freedoms);
                matrix[a * rows + b] = all.map(|((x, y), freedom)| x * y * freedom.ease).sum();
            }
            matrix[a * rows + a] += DAMPING;
        }
        cholesky::factor(&mut matrix, rows, 1e-300);
        cholesky::solve(&matrix, &mut error);
        let mut step = back;
        for (column, value) in step.iter_mut().enumerate() {
            let pull: f64 = (0..rows).map(|index| self.jacobian[index * count + column] * error[index]).sum();
            *value += pull * self.freedoms[column].ease;
        }
        let most = step.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        if most > MOST {
            step.iter_mut().for_each(|value| *value *= MOST / most);
        }
        step
    }

    fn fill(&mut self, column: usize, freedom: &Freedom, pose: &WorldPose) {
        let (rows, count) = (self.rows, self.freedoms.len());
        let axis = self.above(freedom.bone, pose) * freedom.axis;
        let pivot = pose[freedom.bone].0;
        let mut values = vec![DVec3::ZERO; 2 * self.kept.len()];
        for (index, &bone) in self.kept.iter().enumerate() {
            if self.figure.is_below(bone, freedom.bone) {
                values[2 * index] = if freedom.is_turn { axis.cross(pose[bone].0 - pivot) } else { axis };
                values[2 * index + 1] = if freedom.is_turn { axis } else { DVec3::ZERO };
            }
        }
        let mut center = DVec3::ZERO;
        for part in self.figure.bodies.iter().filter(|part| self.figure.is_below(part.bone, freedom.bone)) {
            let place = pose[part.bone].0 + pose[part.bone].1 * part.center;
            center += if freedom.is_turn { axis.cross(place - pivot) } else { axis } * (part.mass / self.figure.mass);
        }
        let all = values.iter().flat_map(|value| value.to_array()).chain([center.x, center.z]);
        for (index, value) in all.enumerate().take(rows) {
            self.jacobian[index * count + column] = value;
        }
    }

    fn apply(&self, posture: &mut Posture, step: &[f64]) {
        let mut turns = vec![DVec3::ZERO; posture.rotations.len()];
        for (freedom, by) in self.freedoms.iter().zip(step) {
            if freedom.is_turn {
                turns[freedom.bone] += freedom.axis * *by;
            } else {
                posture.translations[freedom.bone] += freedom.axis * *by;
            }
        }
        for (rotation, turn) in posture.rotations.iter_mut().zip(turns).filter(|(_, turn)| *turn != DVec3::ZERO) {
            *rotation = (exp(turn) * *rotation).normalize();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::ragdoll::{RagdollSettings, RagdollStart, rigid};
    use crate::samples;

    fn figure() -> RagdollModel {
        let character = samples::humanoid();
        let start = RagdollStart::at_rest(&character.skeleton);
        RagdollModel::of_rigid(&character, &rigid(&character, &start, &RagdollSettings::default()).unwrap())
    }

    /// Random posture around the rest pose, with knees bent the natural way.
    fn any(figure: &RagdollModel, random: &mut Random, size: f64) -> Posture {
        let mut posture = Posture::at_rest(&figure.skeleton);
        for bone in 0..posture.rotations.len() {
            let turn = match figure.hinges[bone] {
                Some(axis) => axis * (random.unit() * size),
                None => random.vector() * (0.5 * size),
            };
            posture.rotations[bone] = (posture.rotations[bone] * exp(turn)).normalize();
        }
        posture
    }

    fn feet(figure: &RagdollModel) -> [usize; 2] {
        [Side::Left, Side::Right].map(|side| figure.bone_of(Role::Foot(side)).unwrap())
    }

    #[test]
    fn r21_the_mass_center_comes_within_a_millimetre_of_the_line_between_the_feet() {
        let (figure, mut random) = (figure(), Random::new(21));
        let kept = feet(&figure);
        let mut moved_most = 0.0_f64;
        for _ in 0..30 {
            let posture = any(&figure, &mut random, 0.5);
            let pose = posture.world(&figure.skeleton);
            let line = ConvexPolygon::new(&kept.map(|bone| above(pose[bone].0)));
            let found = balanced(&figure, &posture, &kept, &line, Cost::default());
            let center = above(figure.mass_center(&found.posture.world(&figure.skeleton)));
            let [a, b] = kept.map(|bone| above(pose[bone].0));
            let before = crate::math::hull::distance_to_segment(above(figure.mass_center(&pose)), a, b);
            let after = crate::math::hull::distance_to_segment(center, a, b);
            assert!(after < 1e-6 && found.moved < 1e-6, "{before} {after} {}", found.moved);
            moved_most = moved_most.max(before);
        }
        assert!(moved_most > 0.05, "{moved_most}");
    }

    #[test]
    fn r21_no_other_way_back_over_the_support_is_shorter() {
        // Along the constraints the cost is stationary: its gradient is a combination of the constraint gradients, so no change that keeps them
        // lowers it.
        let (figure, mut random) = (figure(), Random::new(5));
        let kept = feet(&figure);
        let posture = any(&figure, &mut random, 0.3);
        let pose = posture.world(&figure.skeleton);
        let line = ConvexPolygon::new(&kept.map(|bone| above(pose[bone].0)));
        let cost = Cost { place: 1.0, turn: 1.0 };
        let found = balanced(&figure, &posture, &kept, &line, cost).posture;
        let spent = |other: &Posture| {
            let turns =
                other.rotations.iter().zip(&posture.rotations).map(|(a, b)| log(*a * b.conjugate()).length_squared());
            turns.sum::<f64>() + (other.translations[0] - posture.translations[0]).length_squared()
        };
        let least = spent(&found);
        for _ in 0..20 {
            let mut other = found.clone();
            for link in figure.links.iter().filter(|link| figure.hinges[link.bone].is_none()) {
                let rotation = &mut other.rotations[link.bone];
                *rotation = (exp(random.vector() * 0.05) * *rotation).normalize();
            }
            // Return to the constraints by the least change, with the feet where they were.
            let mut target = pose.clone();
            for &bone in &kept {
                target[bone] = pose[bone];
            }
            let mut problem = Problem::new(&figure, &other, &kept, cost);
            let mut back = other.clone();
            for _ in 0..60 {
                let at = back.world(&figure.skeleton);
                let center = above(figure.mass_center(&at));
                let step = problem.step(&back, &at, (&target, nearest(&line, center) - center));
                problem.apply(&mut back, &step);
            }
            assert!(spent(&back) > least * (1.0 + 1e-6), "{} {least}", spent(&back));
        }
    }

    #[test]
    fn a_posture_in_balance_stays_as_it_is() {
        let figure = figure();
        let posture = Posture::at_rest(&figure.skeleton);
        let center = above(figure.mass_center(&posture.world(&figure.skeleton)));
        let around = [[-0.1, -0.1], [0.1, -0.1], [0.0, 0.2]].map(|offset| center + DVec2::from(offset));
        let found = balanced(&figure, &posture, &feet(&figure), &ConvexPolygon::new(&around), Cost::default());
        for (a, b) in found.posture.rotations.iter().zip(&posture.rotations) {
            assert!(a.angle_between(*b) < 1e-7);
        }
        assert_eq!(found.off_support, 0.0);
    }
}
