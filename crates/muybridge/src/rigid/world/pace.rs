//! Number of substeps in a step: more for fast rotation, fewer while the world is calm.

use glam::DVec3;

use super::World;
use crate::collision::sweep::{MOST_WAY, way_at_thin};
use crate::rigid::integrator::{Integrator, StepControl};
use crate::rigid::joint::Joint;
use crate::rigid::model::{Model, Motor};
use crate::rigid::motion::vector;
use crate::rigid::settings::{Method, NarrowPhase, Settings};
use crate::rigid::state::State;

/// Greatest way of a body in joined substeps, meters.
const CALM_WAY: f64 = 0.008;

/// Greatest number of substeps for one that is asked for, however fast bodies rotate.
const MOST_FOR_TURNS: u32 = 16;

/// Greatest number of pieces of a substep that thin obstacles ask for.
const MOST_AT_THIN: f64 = 256.0;

/// Greatest rotation of a body in joined substeps, radians.
const CALM_TURN: f64 = 0.05;

/// Share of the error of a longer substep above which a shorter one is no better: a displaced body moves the same way in
/// any time.
const NO_LESS: f64 = 0.8;

/// Share of a substep that is rounding.
const ROUNDING: f64 = 1e-6;

/// Substep whose error is above the tolerance.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLong {
    /// Length, seconds.
    h: f64,
    /// Error, meters and radians.
    error: f64,
}

impl World {
    /// Number of substeps: as many as the fastest rotation requires, and a half or a quarter of the usual number while
    /// everything is calm, see [`Self::joined`].
    pub(super) fn substeps(&mut self) -> u32 {
        let Self { model, state, awake, scratch, .. } = self;
        scratch.is_near.fill(false);
        scratch.touch.mark_near(model, awake, &mut scratch.is_near);
        let (mut speed, mut turn) = (0.0_f64, 0.0_f64);
        for tree in 0..awake.trees {
            let bodies = awake.of_tree(tree);
            // With nothing else near, only the motion of bodies against each other matters.
            let mean = if scratch.is_near[tree] { DVec3::ZERO } else { mean_velocity(model, state, bodies) };
            for &body in bodies {
                let (v, w) = state.momenta[body].velocities(&model.bodies[body], state.poses[body].turn());
                (speed, turn) = (speed.max((v - mean).length()), turn.max(w.length()));
            }
        }
        let seconds = self.settings.time_step;
        let least = self.settings.substeps.max(1);
        // What turns farther within a substep is displaced along the directions of its end, which costs energy.
        let share = if self.settings.method.is_displaced() { 0.5 } else { 1.0 };
        let wanted = libm::ceil(turn * seconds / (share * self.settings.most_turn));
        if !wanted.is_finite() {
            return least;
        }
        let joined = self.joined([speed, turn].map(|rate| rate * seconds / f64::from(least)), least);
        (wanted as u32).clamp(least / joined, least.saturating_mul(MOST_FOR_TURNS))
    }

    /// Length of the first substep of a step with variable ones, which would be `h` seconds: no longer than the tolerance
    /// allows for the weight.
    pub(super) fn first_substep(&self, h: f64) -> f64 {
        let (whole, weight) = (self.settings.time_step, self.settings.gravity.length());
        let tolerance = self.settings.step_tolerance.unwrap_or(f64::INFINITY);
        let most = if weight > 0.0 { 0.9 * libm::sqrt(2.0 * tolerance / weight) } else { f64::INFINITY };
        let [shortest, longest] = StepControl::BOUNDS;
        whole / libm::ceil(whole / h.min(most.clamp(shortest, longest)))
    }

    /// Length of the substep after one of `h` seconds, where `left` seconds remain of the step: as long as the tolerance
    /// and the fastest rotation allow, and such that equal ones would end the step. `shortened` is the last substep in
    /// this step that was too long. `None` where substeps are equal.
    pub(super) fn next_substep(&self, h: f64, left: f64, shortened: &mut Option<TooLong>) -> Option<f64> {
        let control = StepControl { tolerance: self.settings.step_tolerance? };
        let (mut error, mut turn) = (0.0_f64, 0.0_f64);
        for &body in &self.awake.order {
            let of = &self.model.bodies[body];
            let (v, w) = self.state.momenta[body].velocities(of, self.state.poses[body].turn());
            let (pose, momentum) = (&self.scratch.before.0[body], &self.scratch.before.1[body]);
            let before = momentum.velocities(of, pose.turn());
            // The two methods differ by ½ h² |a|.
            error = error.max(0.5 * h * (v - before.0).length().max((w - before.1).length()));
            turn = turn.max(w.length());
        }
        let is_in_vain = |before: TooLong| h < before.h && error > control.tolerance.max(NO_LESS * before.error);
        let next = if shortened.is_some_and(is_in_vain) {
            h
        } else {
            *shortened = (error > control.tolerance).then_some(TooLong { h, error });
            control.next(h, error)
        };
        let asked = self.settings.time_step / f64::from(self.settings.substeps.max(1));
        let least = StepControl::BOUNDS[0].max(asked / f64::from(MOST_FOR_TURNS));
        let most = if turn > 0.0 { (self.settings.most_turn / turn).max(least) } else { f64::INFINITY };
        // Rounding must not add one that makes all others shorter.
        Some(left / libm::ceil(left / next.min(most) - ROUNDING).max(1.0))
    }

    /// Takes a substep in as many pieces as the tension of joints and thin obstacles ask for. They are equal, but where joint
    /// forces come from accelerations each is as long as those before it allow: tension grows fast as a light limb whips round.
    /// Returns their number.
    pub(super) fn substep_in_pieces(&mut self, h: f64, elapsed: f64) -> u32 {
        self.detect_contacts(h, elapsed);
        let mut at_thin = self.pieces_at_thin(h);
        let mut left = self.pieces_by_tension([h, h]).max(at_thin);
        // Soft rows are factored for a length of the substep.
        self.scratch.is_factored &= left == 1;
        let is_alone = self.scratch.contacts.is_empty();
        let (mut start, mut piece, mut index, mut taken) = (0.0, h / f64::from(left), 0, 0);
        while left > 0 {
            let done = start + piece * f64::from(index);
            // The margin of the first search covers the whole substep.
            if taken > 0 && !is_alone {
                self.detect_contacts(piece, elapsed + done);
            }
            self.substep(piece, elapsed + done);
            self.scratch.last_substep = piece;
            (index, taken, left, at_thin) = (index + 1, taken + 1, left - 1, at_thin.saturating_sub(1));
            if left > 0 && matches!(self.settings.method, Method::Hennix(_)) {
                (start, index) = (done + piece, 0);
                // What may be hit in all that is left says how long the next piece may be.
                if !is_alone {
                    self.detect_contacts(h - start, elapsed + start);
                }
                left = self.pieces_by_tension([h - start, h]).max(at_thin);
                let next = (h - start) / f64::from(left);
                self.scratch.is_factored &= next == piece;
                piece = next;
            }
        }
        self.scratch.is_factored &= taken == 1;
        taken
    }

    /// Number of pieces of a substep of `h` seconds that bodies ask for which may meet a thin obstacle.
    fn pieces_at_thin(&self, h: f64) -> u32 {
        let Self { model, settings, state, scratch, .. } = self;
        let margin = settings.slop + settings.gravity.length() * h * h;
        let ways = scratch.touch.near_obstacles().iter().map(|&[solid, index]| {
            let solid = &model.solids[solid as usize];
            let pose = &state.poses[solid.body];
            let (velocity, _) = state.momenta[solid.body].velocities(&model.bodies[solid.body], pose.turn());
            let obstacle = &model.obstacles[index as usize];
            way_at_thin(obstacle, (pose.place(), velocity), (solid.reach(), margin), h)
        });
        let wanted = libm::ceil(ways.fold(0.0, f64::max) / MOST_WAY);
        wanted.clamp(1.0, MOST_AT_THIN) as u32
    }

    /// Number of substeps that are joined to one: 4 or 2 while bodies move and turn little in them, otherwise 1. Only of
    /// the default number: another is meant as it is. `moved` are the greatest way (meters) and rotation (radians) of a
    /// body in a substep. A mechanism that swings from the world keeps its energy only with equal substeps, springs
    /// their stiffness, and what pushes its accuracy; contacts that are not whole faces would let boxes tremble.
    fn joined(&self, moved: [f64; 2], least: u32) -> u32 {
        let awake = |joint: &Joint| self.awake.has(joint.child);
        let is_spring = |motor: &Motor| motor.has_target() && awake(&self.model.joints[motor.joint]);
        let swings = |joint: &Joint| (joint.parent.is_none() || joint.compliance > 0.0) && awake(joint);
        let is_plain = self.settings.method == Method::Multipliers
            && self.settings.substeps == Settings::default().substeps
            && self.settings.integrator == Integrator::Splitting
            && self.settings.narrow_phase == NarrowPhase::Manifolds
            && self.forest.closing.is_empty()
            && !self.model.joints.iter().any(swings)
            && !self.model.motors.iter().any(is_spring)
            && self.awake.order.iter().all(|&body| self.scratch.wrenches[body] == [0.0; 6]);
        let is_calm = |&joined: &u32| {
            let [way, turn] = moved.map(|moved| moved * f64::from(joined));
            let length = self.settings.time_step * f64::from(joined) / f64::from(least);
            let is_short = length <= self.settings.longest_joined() * (1.0 + ROUNDING);
            least.is_multiple_of(joined) && is_short && way < CALM_WAY && turn < CALM_TURN
        };
        [4, 2].into_iter().find(|joined| is_plain && is_calm(joined)).unwrap_or(1)
    }
}

/// Velocity of the center of mass of some bodies, m/s; zero without bodies.
fn mean_velocity(model: &Model, state: &State, bodies: &[usize]) -> DVec3 {
    let mass: f64 = bodies.iter().map(|&body| model.bodies[body].mass).sum();
    let momentum: DVec3 = bodies.iter().map(|&body| vector(state.momenta[body].linear)).sum();
    if mass > 0.0 { momentum / mass } else { DVec3::ZERO }
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use crate::collision::{Obstacle, ObstacleShape};
    use crate::rigid::model::{Collider, Model, Object, Start};
    use crate::rigid::world::tests::chain;
    use crate::rigid::{Body, Kind, Settings, World};

    /// A box of 20 cm above a floor at y = 0, with its center at `height`.
    fn above_floor(height: f64) -> World {
        let object = Object::default();
        let shape = ObstacleShape::Box { half_extents: DVec3::splat(0.1) };
        let collider = Collider { body: 0, object: 0, shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY };
        let model = Model {
            bodies: vec![Body::new(1.0, DVec3::splat(0.04 / 6.0)).unwrap()],
            objects: vec![object],
            solids: vec![collider],
            obstacles: vec![Obstacle::ground(0.0).unwrap()],
            ..Model::default()
        };
        let settings = Settings { rest_steps: 0, ..Settings::default() };
        World::new(model, &[Start::at(DVec3::Y * height, DQuat::IDENTITY)], settings).unwrap()
    }

    #[test]
    fn a_box_falls_by_half_g_t_squared_in_few_substeps_and_lands_in_all() {
        let mut world = above_floor(2.0);
        let fall = |steps: u64| 0.5 * 9.81 * (steps as f64 / 60.0) * (steps as f64 / 60.0);
        for steps in 1..=30 {
            world.step();
            assert_eq!(world.report().substeps, 1, "{steps}");
            assert!((2.0 - world.state.poses[0].place().y - fall(steps)).abs() < 1e-12, "{steps}");
        }
        let mut most = 0;
        for _ in 0..60 {
            world.step();
            most = most.max(world.report().substeps);
        }
        assert_eq!(most, world.settings.substeps);
        // At rest on the floor, within the slop.
        assert_eq!(world.report().substeps, 1);
        assert!((world.state.poses[0].place().y - 0.1).abs() < 1.1e-3, "{}", world.state.poses[0].place().y);
    }

    #[test]
    fn a_fast_spin_takes_at_most_sixteen_substeps_for_one_with_equal_and_with_variable_ones() {
        for step_tolerance in [None, Some(0.1)] {
            let mut world = above_floor(2.0);
            world.settings = Settings { substeps: 2, step_tolerance, ..world.settings };
            world.state.momenta[0].angular.y = 1e5 * world.model.bodies[0].moments.y;
            (0..2).for_each(|_| world.step());
            // Of variable ones the first goes by the weight alone.
            assert!((32..=33).contains(&world.report().substeps), "{step_tolerance:?}: {}", world.report().substeps);
        }
    }

    #[test]
    fn what_a_long_step_brings_near_only_at_its_end_is_no_pair_before() {
        let mut world = above_floor(8.0);
        world.settings = Settings { time_step: 1.0, substeps: 64, ..world.settings };
        world.step();
        assert!((world.state.poses[0].place().y - (8.0 - 0.5 * 9.81)).abs() < 1e-9);
        assert_eq!(world.report().pairs, 0);
        (0..2).for_each(|_| world.step());
        // At rest on the floor, within the slop.
        assert!((world.state.poses[0].place().y - 0.1).abs() < 1.1e-3, "{}", world.state.poses[0].place().y);
        assert!(world.report().pairs > 0);
    }

    #[test]
    fn a_pendulum_keeps_its_substeps_however_slowly_it_swings() {
        let (model, starts) = chain(2, Kind::Ball);
        let mut world = World::new(model, &starts, Settings { rest_steps: 0, ..Settings::default() }).unwrap();
        world.step();
        assert_eq!(world.report().substeps, world.settings.substeps);
    }
}
