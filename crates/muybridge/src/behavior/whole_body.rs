//! Whole-body control: follows a clip with ground contact forces alone. Finds the accelerations nearest to the clip's that the ground can give, and
//! the joint moments that make them.
//!
//! ```text
//! tasks     joints   ω̇ = ω̇_clip + k log(turn_clip turn⁻¹) + d (ω_clip − ω)            also the first body's and the feet's rotations
//!           center of mass, free feet                                                 c̈ = c̈_clip + k (c_clip − c) + d (ċ_clip − ċ)
//!           standing points   p̈ = −d ṗ − k gap n
//! ground    forces within friction cones at soles and contacts, as the clip has them:  `own_feet::ground`
//! all       least squares under  ṗ = Σ f + M g,  L̇ = Σ (x − c) × f:                    `own_feet::tasks`
//! moments   inverse dynamics with these forces (recursive Newton–Euler, from the ends to the root), so that no force pulls at the root
//! step      a free foot is offset by  0.8 (ξ − ξ_clip)  from its place in the clip, ξ = c + ċ √(h/g), after Hof 2008; feet that stand
//!           elsewhere than in the clip take the center of mass along
//! helped    (`Helped`) free feet and the center of mass go to their places in the clip; offset only by  0.8 (|ξ − ξ_clip| − 0.1 m)
//! ```
//! If the ground cannot give all accelerations, the task weights decide how the error is shared: in flight the angular momentum is fixed, and limbs
//! turn against each other. Frequencies are of critical damping. Specification: mathematics 4.6, 8.1, 8.2.

mod ground;
mod mechanism;
mod reference;
mod tasks;

use glam::{DMat3, DVec3};

use super::clip_tracker::ClipTracker;
use super::pose_target::PoseTarget;
use super::posture::Posture;
use super::root_assist::{AssistedMass, field};
use super::support::Sole;
use super::{RagdollModel, Sensed};
use crate::character::{Character, Role, Side};
use crate::math::rotation::log;
use crate::ragdoll::RigidRagdoll;
use ground::{BearingPoint, bearings, planted, rays};
use mechanism::WholeBodyTree;
use reference::{Wished, wished};
use tasks::Tasks;

/// Whole-body controller that follows a clip without a root assist.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OwnFeet {
    /// Clip and the settings of its tracking.
    pub track: ClipTracker,
    /// Height of the ground, meters.
    pub ground: f64,
    /// Friction coefficient between ground and soles.
    pub friction: f64,
    /// Moment limit of a joint, newton meters.
    pub most: f64,
    figure: RagdollModel,
    weights: Weights,
    soles: Vec<Sole>,
    /// Body indices of the feet.
    feet: Vec<usize>,
    /// Horizontal offset of the standing feet from their places in the clip, meters.
    drift: DVec3,
    /// Time at which the figure lost its clip, seconds; from then on its joints are limp.
    lost: Option<f64>,
}

/// Constant mass properties and joint paths of the bodies.
#[derive(Clone, Debug, PartialEq)]
struct Weights {
    /// Mass of each body, kilograms.
    masses: Vec<f64>,
    /// Inertia of each body about its center of mass, in the axes of its bone, kg m².
    inertia: Vec<DMat3>,
    /// Joints between the first body and each body.
    paths: Vec<Vec<usize>>,
}

/// Controller settings that differ with and without help (a wrench where the clip needs more than its floor can give).
struct Habit {
    /// Frequency of joint tasks, hertz.
    joints: f64,
    /// Weight of the orientation tasks of the feet.
    foot_turn: f64,
    /// Frequency of springs toward the clip in the joints of a free foot, hertz. The foot is so light that an unplanned stub would turn it over.
    stub: f64,
    /// Deviation of the capture point below which a free foot takes no corrective step, meters.
    free: f64,
    /// Shares of the offset of the standing feet that a free foot keeps, and that the center of mass follows.
    keep: [f64; 2],
}

/// Settings without help: the figure stays where its feet stand.
const ALONE: Habit = Habit { joints: 4.0, foot_turn: 5.0, stub: 10.0, free: 0.0, keep: [0.7, 1.0] };
/// Settings with help: the figure returns to the places of the clip, and the help gives the wrench that the floor cannot.
const HELPED: Habit = Habit { joints: 4.5, foot_turn: 20.0, stub: 20.0, free: 0.1, keep: [0.0, 0.0] };

/// Weight of joint tasks; then frequency (hertz) and weight of the tasks of the first body's orientation, the center of mass, and free feet.
const JOINTS: f64 = 1.0;
const ROOT: [f64; 2] = [4.0, 10.0];
const CENTER: [f64; 2] = [2.0, 100.0];
const FEET: [f64; 2] = [5.0, 200.0];
/// Damping rate of standing points (1/s), stiffness with which they descend (1/s²), and task weight.
const STANDING: [f64; 3] = [60.0, 2000.0, 200.0];
/// Share of the capture point's deviation by which a free foot steps aside, and the limit of the deviation, meters.
const STEP: [f64; 2] = [0.8, 0.3];
/// Clearance of a sole that swings past the other foot, meters, and the foot speed at which the full clearance applies, m/s.
const CLEARANCE: [f64; 2] = [0.04, 2.0];
/// Time constant with which the offset of the standing feet is tracked, seconds.
const NOTICED: f64 = 0.1;
/// Spring frequency of joints that are driven by moments alone, hertz.
const COAST: f64 = 1e-3;
/// Distance of the first body from its place in the clip beside the standing feet from which the clip is lost, meters. The plan is not valid there: the
/// contacts of a figure on the ground are not those that it counts on, so its moments only add energy.
const LOST: f64 = 0.5;

impl OwnFeet {
    /// Creates the controller for a ragdoll of rigid bodies along a track, on ground at a height (meters). Without soles ([`Sole::put_under`]) the
    /// figure stands on its contacts.
    pub(crate) fn new(character: &Character, ragdoll: &RigidRagdoll, track: ClipTracker, ground: f64) -> Self {
        let figure = RagdollModel::of_rigid(character, ragdoll);
        let path = |body: usize| {
            let mut path = Vec::new();
            let mut at = body;
            while let Some(link) = figure.link_of(at) {
                path.push(link);
                at = figure.links[link].bodies[0];
            }
            path
        };
        let inertia = |(bone, body): (&crate::ragdoll::BodyOfBone, &crate::rigid::Body)| {
            let axes = DMat3::from_quat(bone.frame.axes);
            axes * DMat3::from_diagonal(body.moments) * axes.transpose()
        };
        let weights = Weights {
            masses: figure.bodies.iter().map(|part| part.mass).collect(),
            inertia: ragdoll.bodies.iter().zip(&ragdoll.model.bodies).map(inertia).collect(),
            paths: (0..figure.bodies.len()).map(path).collect(),
        };
        let sides = [Side::Left, Side::Right];
        let foot = |side: Side| figure.body_of[figure.bone_of(Role::Foot(side))?];
        Self {
            soles: sides.into_iter().filter_map(|side| Sole::of(character, &figure, side)).collect(),
            feet: sides.into_iter().filter_map(foot).collect(),
            track,
            ground,
            friction: 0.9,
            most: 400.0,
            weights,
            figure,
            drift: DVec3::ZERO,
            lost: None,
        }
    }

    /// Soles of the feet.
    pub(crate) fn soles(&self) -> &[Sole] {
        &self.soles
    }

    /// Time at which the figure lost its clip and let go, seconds.
    pub(crate) fn lost(&self) -> Option<f64> {
        self.lost
    }

    /// Computes joint targets for the next step. Steps must be 1/240 s, or the controller reacts too late. If the track has a root assist, the
    /// controller takes its acceleration into account. A figure that has lost its clip lets go.
    pub(crate) fn decide(&mut self, sensed: &Sensed) -> PoseTarget {
        let wished = wished(&self.figure, &self.track, sensed.time);
        let off = sensed.motions[0].center - wished[0].center - self.drift;
        self.lost = self.lost.or((off.length() > LOST).then_some(sensed.time));
        if self.lost.is_some() {
            return PoseTarget::nothing(&self.figure);
        }
        let clip = self.track.decide(&self.figure, sensed);
        let bones = |body: usize| self.figure.bodies[body].bone;
        let bearings = bearings((sensed, &bones), &wished, (&self.soles, self.ground));
        let planted: Vec<f64> = self.feet.iter().map(|&foot| planted(&bearings, foot)).collect();
        self.notice(sensed, &wished, &planted);
        let led = clip.lead.as_ref().map(|hand| field(hand, sensed, &AssistedMass::all_bodies(sensed)));
        let mechanism = WholeBodyTree::new(&self.figure, sensed, &self.weights, led);
        let mut tasks = Tasks::new(mechanism.unknowns());
        self.wish_posture(&mechanism, &wished, &mut tasks);
        let capture = self.wish_center(&mechanism, &wished, &mut tasks);
        self.wish_feet(&mechanism, &wished, (capture, &planted), &mut tasks);
        stand(&mechanism, &bearings, &mut tasks);
        let rays = rays(sensed, &bearings, self.friction);
        let (accelerations, forces) = tasks.solve(&mechanism, &rays);
        let pushed = rays.iter().zip(&forces).map(|(ray, force)| (ray.body, ray.place, ray.along * *force));
        let moments = mechanism.moments(&accelerations, pushed);
        let mut wanted = PoseTarget { lead: clip.lead, ..PoseTarget::stiff(&self.figure, 1.0, COAST) };
        Posture::of_pose(&self.figure.skeleton, &sensed.pose).aim(&self.figure, None, &mut wanted);
        for (aim, moment) in wanted.aims.iter_mut().zip(moments) {
            aim.moment = moment.clamp_length_max(self.most);
        }
        self.steady(&clip, &planted, &mut wanted);
        wanted
    }

    fn habit(&self) -> &'static Habit {
        if self.track.helped.is_some() { &HELPED } else { &ALONE }
    }

    /// Adds springs in the joints of free feet.
    fn steady(&self, clip: &PoseTarget, planted: &[f64], wanted: &mut PoseTarget) {
        for (index, link) in self.figure.links.iter().enumerate() {
            let is_of = |&(&foot, _): &(&usize, &f64)| {
                self.figure.is_below(self.figure.bodies[link.bodies[1]].bone, self.figure.bodies[foot].bone)
            };
            let Some((_, stands)) = self.feet.iter().zip(planted).find(is_of) else { continue };
            let (aim, of_clip) = (&mut wanted.aims[index], &clip.aims[index]);
            // Stiffness falls with the share of the foot that stands.
            aim.frequency = (self.habit().stub * libm::sqrt(1.0 - stands)).max(COAST);
            (aim.turn, aim.rate) = (of_clip.turn, of_clip.rate);
        }
    }

    /// Updates the offset of the standing feet from their places in the clip.
    fn notice(&mut self, sensed: &Sensed, wished: &[Wished], planted: &[f64]) {
        let sum: f64 = planted.iter().sum();
        if sum > 0.1 {
            let off =
                |(&foot, share): (&usize, &f64)| level(sensed.motions[foot].center - wished[foot].center) * *share;
            let mean = self.feet.iter().zip(planted).map(off).sum::<DVec3>() / sum;
            self.drift += (mean - self.drift) * (sensed.step / NOTICED).min(1.0);
        }
    }

    /// Adds tasks that turn the joints and the first body as in the clip.
    fn wish_posture(&self, mechanism: &WholeBodyTree<'_>, wished: &[Wished], tasks: &mut Tasks) {
        let pose = &mechanism.sensed.pose;
        let [stiff, damping] = gains(self.habit().joints);
        for (index, link) in self.figure.links.iter().enumerate() {
            let [parent, child] = link.bodies;
            let [above, below] = link.bodies.map(|body| pose[self.figure.bodies[body].bone].1);
            let [wish_above, wish_below] = link.bodies.map(|body| wished[body].turn);
            let turn = wish_above.conjugate() * wish_below * below.conjugate() * above;
            let over = above * wish_above.conjugate();
            let rate = over * (wished[child].spin - wished[parent].spin) - mechanism.rates[index];
            let faster = over * (wished[child].spinning_up - wished[parent].spinning_up);
            let wanted = faster + above * log(turn.normalize()) * stiff + rate * damping;
            tasks.add(core::iter::once((6 + 3 * index, DMat3::IDENTITY)), wanted, JOINTS);
        }
        tasks.add(mechanism.turns(0), self.turned(mechanism, wished, 0, ROOT[0]), ROOT[1]);
    }

    /// Angular acceleration of a body toward its orientation in the clip, rad/s², world axes.
    fn turned(&self, mechanism: &WholeBodyTree<'_>, wished: &[Wished], body: usize, hertz: f64) -> DVec3 {
        let [stiff, damping] = gains(hertz);
        let turn = mechanism.sensed.pose[self.figure.bodies[body].bone].1;
        let missing = log((wished[body].turn * turn.conjugate()).normalize());
        let slower = wished[body].spin - mechanism.sensed.motions[body].angular_velocity;
        wished[body].spinning_up + missing * stiff + slower * damping
    }

    /// Adds the task that moves the center of mass as in the clip. Returns the horizontal offset of the capture point from the clip's, meters.
    fn wish_center(&self, mechanism: &WholeBodyTree<'_>, wished: &[Wished], tasks: &mut Tasks) -> DVec3 {
        let sensed = mechanism.sensed;
        let mean = |of: fn(&Wished) -> DVec3| {
            let all = wished.iter().zip(&self.weights.masses);
            all.map(|(wished, mass)| of(wished) * *mass).sum::<DVec3>() / sensed.mass
        };
        let place = mean(|wished| wished.center) - sensed.mass_center;
        let velocity = mean(|wished| wished.velocity) - sensed.velocity;
        let [stiff, damping] = gains(CENTER[0]);
        let wanted = mean(|wished| wished.acceleration)
            + (place + self.drift * self.habit().keep[1]) * stiff
            + velocity * damping;
        let (rows, bias) = &mechanism.momentum;
        let count = mechanism.unknowns();
        let part = |column: usize| {
            let of = |axis: usize| {
                DVec3::new(rows[column + axis], rows[count + column + axis], rows[2 * count + column + axis])
            };
            (column, DMat3::from_cols(of(0), of(1), of(2)) * (1.0 / sensed.mass))
        };
        let bias = DVec3::from_slice(bias) / sensed.mass;
        tasks.add((0..count / 3).map(|block| part(3 * block)), wanted - bias, CENTER[1]);
        let height = (sensed.mass_center.y - self.ground).clamp(0.3, 3.0);
        level(-place - velocity * libm::sqrt(height / sensed.gravity.length().max(0.1)))
    }

    /// Adds tasks that move free feet to their places in the clip, or aside, and that turn all feet as in the clip.
    fn wish_feet(
        &self,
        mechanism: &WholeBodyTree<'_>,
        wished: &[Wished],
        (capture, planted): (DVec3, &[f64]),
        tasks: &mut Tasks,
    ) {
        let [stiff, damping] = gains(FEET[0]);
        let habit = self.habit();
        let off = beyond(capture - self.drift, habit.free);
        let aside = self.drift * habit.keep[0] + off.clamp_length_max(STEP[1]) * STEP[0];
        let other = planted.iter().copied().fold(0.0, f64::max);
        for (&foot, stands) in self.feet.iter().zip(planted) {
            let (motion, wish, free) = (&mechanism.sensed.motions[foot], &wished[foot], 1.0 - stands);
            let aside = aside + DVec3::Y * (self.lift(foot, wish) * other);
            let place = wish.center + aside * free - motion.center;
            let wanted = wish.acceleration + place * stiff + (wish.velocity - motion.velocity) * damping;
            tasks.add(mechanism.moves(foot, motion.center), wanted - mechanism.bias[foot], FEET[1] * free);
            tasks.add(mechanism.turns(foot), self.turned(mechanism, wished, foot, FEET[0]), habit.foot_turn);
        }
    }

    /// Lift of a foot that swings past a standing one, meters: a stiff sole would stub where the clip bends the toes.
    fn lift(&self, foot: usize, wish: &Wished) -> f64 {
        let Some(sole) = self.soles.iter().find(|sole| sole.body == foot) else { return 0.0 };
        let bone = (wish.center - wish.turn * self.figure.bodies[foot].center, wish.turn);
        let lowest = sole.corners(bone, 0.0).into_iter().map(|corner| corner.y).fold(f64::INFINITY, f64::min);
        let swings = (level(wish.velocity).length() / CLEARANCE[1]).min(1.0);
        (CLEARANCE[0] - (lowest - self.ground)).max(0.0) * swings * swings
    }
}

/// Adds tasks that lower planted points and hold them.
fn stand(mechanism: &WholeBodyTree<'_>, bearings: &[BearingPoint], tasks: &mut Tasks) {
    let [rate, stiff, weight] = STANDING;
    for bearing in bearings {
        let motion = &mechanism.sensed.motions[bearing.body];
        let (spin, arm) = (motion.angular_velocity, bearing.place - motion.center);
        let velocity = motion.velocity + spin.cross(arm);
        let bias = mechanism.bias[bearing.body] + spin.cross(spin.cross(arm));
        let wanted = -velocity * rate - bearing.normal * (bearing.gap.max(0.0) * stiff);
        tasks.add(mechanism.moves(bearing.body, bearing.place), wanted - bias, weight * bearing.share);
    }
}

/// Stiffness (1/s²) and damping (1/s) of a frequency in hertz, critically damped.
fn gains(hertz: f64) -> [f64; 2] {
    let rate = core::f64::consts::TAU * hertz;
    [rate * rate, 2.0 * rate]
}

/// Part of a vector beyond the length `free`.
fn beyond(v: DVec3, free: f64) -> DVec3 {
    let length = v.length();
    if length <= free { DVec3::ZERO } else { v * (1.0 - free / length) }
}

/// Horizontal part of a vector.
fn level(v: DVec3) -> DVec3 {
    DVec3::new(v.x, 0.0, v.z)
}

#[cfg(test)]
mod tests;
