//! Bodies of another world among the particles: that world says how they move, and takes what the particles give them.
//!
//! ```text
//! path      a₀ = 6 (x₁ − x₀)/T² − (4 v₀ + 2 v₁)/T,   a₁ = −6 (x₁ − x₀)/T² + (2 v₀ + 4 v₁)/T,   a linear between them
//!           from the place x₀ and velocity v₀ of the proxy to those of the body after the frame T, x₁ and v₁
//! near      meets a particle that moves: takes the substeps with its mass, driven by m (a − g)
//! far       takes no substeps: it is where it was, then where the body will be
//! given     Σ m (Δx − Δx*)/h over the substeps, Δx* predicted        impulse, N s, and its moment, N m s
//! ```
//! A proxy that particles push leaves its path; its body takes the frame again with the impulse. Where that leaves the two apart,
//! the next path brings them together: a jump would be a blow to what touches the proxy or hangs on it.

use glam::DVec3;

use super::model::{Anchor, Model};
use super::sleep;
use super::step::Fixed;
use super::verlet;
use super::world::World;
use crate::particles::state::State;

/// Motion of the body of a proxy in the coming step, by particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProxyPath {
    /// Positions at the end, meters.
    pub to: [DVec3; 4],
    /// Velocities at the end, m/s.
    pub velocities: [DVec3; 4],
    /// Whether the body is awake in its world.
    pub is_awake: bool,
}

/// What a body was given in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Given {
    /// Impulse (N s) and moment about the center (N m s).
    pub sum: [DVec3; 2],
    /// The same, each times the share of the step that was left.
    pub early: [DVec3; 2],
}

impl Given {
    /// Adds an impulse and a moment when the share `left` of the step is to come.
    pub fn add(&mut self, given: [DVec3; 2], left: f64) {
        self.sum.iter_mut().zip(given).for_each(|(sum, own)| *sum += own);
        self.early.iter_mut().zip(given).for_each(|(sum, own)| *sum += own * left);
    }

    /// Adds what another has.
    pub fn add_all(&mut self, other: &Self) {
        self.sum.iter_mut().zip(other.sum).for_each(|(sum, own)| *sum += own);
        self.early.iter_mut().zip(other.early).for_each(|(sum, own)| *sum += own);
    }
}

/// Path of a particle of a proxy in a step.
#[derive(Clone, Copy, Debug, Default)]
struct ParticlePath {
    /// Position (m) and velocity (m/s) at the end.
    end: [DVec3; 2],
    /// Accelerations at the start and at the end, m/s².
    accelerations: [DVec3; 2],
}

/// The proxies of a world in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies {
    /// Path of each particle.
    paths: Vec<ParticlePath>,
    /// Whether each takes the substeps.
    is_near: Vec<bool>,
    /// Whether something hangs on each, and whether each takes the substep and feels something in it: without, its path and its
    /// shape alone would push what turns far in a step.
    is_hung: Vec<bool>,
    feels: Vec<bool>,
    /// Positions and previous positions after the prediction of a substep, meters.
    predicted: Vec<[DVec3; 2]>,
    /// What each was given in the step.
    pub given: Vec<Given>,
}

impl Proxies {
    pub fn of(model: &Model) -> Self {
        let (bodies, particles) = (model.proxies.len(), model.proxy_particles());
        let mut is_hung = vec![false; bodies];
        for it in hung(model).flatten().filter(|&it| it < particles) {
            is_hung[it / 4] = true;
        }
        Self {
            paths: vec![ParticlePath::default(); particles],
            is_near: vec![false; bodies],
            is_hung,
            feels: vec![false; bodies],
            predicted: vec![[DVec3::ZERO; 2]; particles],
            given: vec![Given::default(); bodies],
        }
    }

    /// Leaves proxies that meet nothing that moves out of the substeps. `pairs` are particles that may meet. Returns whether
    /// there are such proxies.
    pub fn choose(
        &mut self,
        model: &Model,
        inverse_masses: &[f64],
        pairs: impl Iterator<Item = [usize; 2]>,
        in_lanes: &mut [bool],
    ) -> bool {
        let particles = model.proxy_particles();
        let moves = |particle: usize| inverse_masses[particle] > 0.0;
        self.is_near.fill(false);
        for pair in pairs.chain(hung(model)).filter(|pair| pair.iter().all(|&it| moves(it))) {
            pair.into_iter().filter(|&it| it < particles).for_each(|it| self.is_near[it / 4] = true);
        }
        for (body, _) in self.is_near.iter().enumerate().filter(|(_, is_near)| !**is_near) {
            in_lanes[4 * body..4 * body + 4].fill(true);
        }
        self.is_near.contains(&false)
    }

    /// Sets the forces of the substep that ends when the share `done` of the step is over, and which is the share `part`.
    pub fn push(&self, Fixed { model, settings, .. }: Fixed, state: &mut State, [part, done]: [f64; 2]) {
        for (it, path) in self.paths.iter().enumerate().filter(|(it, _)| self.is_near[it / 4]) {
            let [first, last] = path.accelerations;
            state.forces[it] = (first.lerp(last, done - 0.5 * part) - settings.acceleration()) * model.masses[it];
        }
    }

    /// Notes the predicted positions of a substep.
    pub fn predicted(&mut self, state: &State) {
        let now = state.positions.iter().zip(&state.previous);
        self.predicted.iter_mut().zip(now).for_each(|(own, (now, before))| *own = [*now, *before]);
    }

    /// Notes which proxies feel something in the substep; `touched` are the particles with contacts.
    pub fn mark_felt(&mut self, touched: &[bool]) {
        for (body, touched) in touched.chunks_exact(4).take(self.feels.len()).enumerate() {
            self.feels[body] = self.is_near[body] && (self.is_hung[body] || touched.contains(&true));
        }
    }

    /// Adds the impulses of a substep of `h` seconds, at whose start the share `left` of the step was to come.
    pub fn count(&mut self, model: &Model, state: &State, (h, left): (f64, f64)) {
        for (body, given) in self.given.iter_mut().enumerate().filter(|(body, _)| self.feels[*body]) {
            let own = 4 * body..4 * body + 4;
            let mass = |particle: usize| model.masses[particle];
            let total: f64 = own.clone().map(mass).sum();
            let center = own.clone().map(|it| state.positions[it] * mass(it)).sum::<DVec3>() / total;
            for it in own {
                let impulse = shifted(state, it, self.predicted[it]) * (mass(it) / h);
                given.add([impulse, (state.positions[it] - center).cross(impulse)], left);
            }
        }
    }

    /// Sum of mass times place × displacement that a substep gave a proxy, as [`Self::count`] counts it: where its center was at
    /// the start of the substep, kg m².
    pub fn turned(&self, model: &Model, state: &State, body: usize) -> DVec3 {
        if !self.feels[body] {
            return DVec3::ZERO;
        }
        let own = || 4 * body..4 * body + 4;
        let total: f64 = own().map(|it| model.masses[it]).sum();
        let moved = |it: usize| state.positions[it] - self.predicted[it][1];
        let way = own().map(|it| moved(it) * model.masses[it]).sum::<DVec3>() / total;
        own()
            .map(|it| (state.positions[it] - way).cross(shifted(state, it, self.predicted[it])) * model.masses[it])
            .sum()
    }

    /// Brings the proxies that took no substeps to the ends of their paths.
    pub fn arrive(&self, state: &mut State) {
        let (h, span) = (state.last_substep, state.span);
        for (it, path) in self.paths.iter().enumerate().filter(|(it, _)| !self.is_near[it / 4]) {
            let ([to, velocity], [_, acceleration]) = (path.end, path.accelerations);
            let ago = |seconds: f64| verlet::start(to, velocity, acceleration, seconds);
            (state.positions[it], state.rounding[it]) = (to, DVec3::ZERO);
            (state.previous[it], state.earlier[it]) = (ago(h), ago(span));
        }
    }
}

/// First particles of what attachments join.
fn hung(model: &Model) -> impl Iterator<Item = [usize; 2]> {
    model.attachments.iter().filter_map(|joint| match &joint.b {
        Anchor::Point(b) => Some([joint.a.particles[0], b.particles[0]]),
        Anchor::Place(_) => None,
    })
}

/// Displacement that a substep gave a particle beyond its predicted positions, meters.
fn shifted(state: &State, it: usize, [predicted, before]: [DVec3; 2]) -> DVec3 {
    (state.positions[it] - predicted) - (state.previous[it] - before)
}

impl World {
    /// Sets the path of a proxy in the coming step, and forgets what it was given in the last.
    pub(crate) fn lead_proxy(&mut self, body: usize, path: &ProxyPath) {
        let (seconds, steps, h) = (self.settings.time_step, self.settings.steps_to_rest(), self.state.last_substep);
        let state = &mut self.state;
        self.scratch.proxies.given[body] = Given::default();
        let mut fastest = 0.0_f64;
        for corner in 0..4 {
            let (it, to, velocity) = (4 * body + corner, path.to[corner], path.velocities[corner]);
            if !path.is_awake {
                (state.positions[it], state.previous[it], state.earlier[it]) = (to, to, to);
            }
            let way = (to - state.positions[it]) / seconds;
            let before = (state.positions[it] - state.previous[it]) / h;
            // The velocity at the start is half a substep after that of the last displacement.
            let first = (way * 6.0 - before * 4.0 - velocity * 2.0) / (seconds + 2.0 * h);
            let start = before + first * (0.5 * h);
            let last = (start * 2.0 + velocity * 4.0 - way * 6.0) / seconds;
            self.scratch.proxies.paths[it] = ParticlePath { end: [to, velocity], accelerations: [first, last] };
            fastest = fastest.max(way.length());
            if steps > 0 {
                let rested = &mut state.rested[it];
                *rested = if path.is_awake { (*rested).min(steps.saturating_sub(2)) } else { steps };
            }
        }
        if path.is_awake && fastest > self.settings.rest_speed {
            self.wake_island(4 * body);
        }
    }

    /// What a proxy was given in the last step; `None` if nothing touched it.
    pub(crate) fn given_to_proxy(&self, body: usize) -> Option<Given> {
        let given = self.scratch.proxies.given[body];
        let is_finite = given.sum.iter().chain(&given.early).all(|it| it.is_finite());
        (given != Given::default() && is_finite).then_some(given)
    }

    /// Puts a proxy that took no substeps where its body is after all.
    pub(crate) fn place_proxy(&mut self, body: usize, (to, velocities): ([DVec3; 4], [DVec3; 4])) {
        if self.scratch.proxies.is_near[body] {
            return;
        }
        let state = &mut self.state;
        for (it, (place, velocity)) in (4 * body..).zip(to.into_iter().zip(velocities)) {
            state.positions[it] = place;
            state.previous[it] = place - velocity * state.last_substep;
            state.earlier[it] = place - velocity * state.span;
        }
    }
}

/// Whether a proxy sleeps.
pub(crate) fn is_asleep(fixed: Fixed, state: &State, body: usize) -> bool {
    sleep::is_asleep(state.rested[4 * body], fixed.settings)
}
