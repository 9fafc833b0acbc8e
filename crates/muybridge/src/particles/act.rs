//! Acting on a world from outside: forces, impulses, bombs, pins, pulling.
//!
//! Every action wakes the island it acts on, does nothing if there is no such particle, and never fails. Specification:
//! mathematics 3.16 (J32, J34, J35).

use glam::DVec3;

use super::distance::direction_of_coincident;
use super::point::Point;
use super::state::Drag;
use super::verlet;
use super::world::World;

/// A bomb nearer than this to a particle acts as from this distance, metres.
const NEAREST_BOMB: f64 = 1e-3;

impl World {
    /// Adds to the force on a particle during the coming step, newtons.
    pub fn push(&mut self, particle: usize, force: DVec3) {
        if let Some(sum) = self.state.forces.get_mut(particle) {
            *sum += force;
            self.wake(particle);
        }
    }

    /// Changes the velocity of a particle by `impulse` (N s) over its mass (J32).
    pub fn hit(&mut self, particle: usize, impulse: DVec3) {
        if particle < self.state.positions.len() {
            let change = impulse * self.constants.inverse_masses[particle];
            self.state.previous[particle] -= change * self.state.last_substep;
            self.state.earlier[particle] -= change * self.state.span;
            self.wake(particle);
        }
    }

    /// A blast: every particle gets the impulse `strength / r²` (N s; `strength` in N s m²) away from `center` (J34).
    pub fn bomb(&mut self, center: DVec3, strength: f64) {
        for particle in 0..self.state.positions.len() {
            let away = self.state.positions[particle] - center;
            let distance = away.length();
            let direction = if distance > 0.0 { away / distance } else { direction_of_coincident([particle; 2]) };
            let square = distance.max(NEAREST_BOMB) * distance.max(NEAREST_BOMB);
            self.hit(particle, direction * (strength / square));
        }
    }

    /// Gives a particle a velocity, metres per second.
    pub fn set_velocity(&mut self, particle: usize, velocity: DVec3) {
        let state = &mut self.state;
        if particle < state.positions.len() && self.constants.inverse_masses[particle] > 0.0 {
            let (position, acceleration) = (state.positions[particle], self.settings.acceleration());
            state.previous[particle] = verlet::start(position, velocity, acceleration, state.last_substep);
            state.earlier[particle] = verlet::start(position, velocity, acceleration, state.span);
            state.rounding[particle] = DVec3::ZERO;
            self.wake(particle);
        }
    }

    /// Holds a particle at a place; it goes there during the next step (J10, J35).
    pub fn pin(&mut self, particle: usize, place: DVec3) {
        if let Some(pin) = self.state.pins.get_mut(particle) {
            *pin = Some(place);
            self.wake(particle);
        }
    }

    /// Lets a particle go, with the velocity it was moved at.
    pub fn unpin(&mut self, particle: usize) {
        if let Some(pin) = self.state.pins.get_mut(particle) {
            *pin = None;
            self.wake(particle);
        }
    }

    /// Pulls a point to a place with at most `most_force` newtons (J35); it gets there during the next step if it can. Pulling
    /// it again changes place and force. A single particle can be held exactly: [`World::pin`].
    pub fn drag(&mut self, point: Point, to: DVec3, most_force: f64) {
        if point.particles.iter().any(|&particle| particle >= self.state.positions.len()) {
            return;
        }
        let drag = Drag { point, to, most_force };
        match self.state.drags.iter_mut().find(|drag| drag.point == point) {
            Some(same) => *same = drag,
            None => self.state.drags.push(drag),
        }
        self.scratch.reserve_drags(self.state.drags.len());
        point.particles.into_iter().for_each(|particle| self.wake(particle));
    }

    /// The force on a point that is pulled, mean over the last step, newtons; zero of one that is not.
    pub fn pull_on(&self, point: &Point) -> DVec3 {
        let at = self.state.drags.iter().position(|drag| drag.point == *point);
        let pulled = at.and_then(|index| self.scratch.drags.get(index));
        let seconds = self.settings.substep() * self.settings.time_step;
        pulled.map_or(DVec3::ZERO, |[_, last, before]| (*last + *before) / seconds)
    }

    /// Lets go of a point that is pulled.
    pub fn release(&mut self, point: &Point) {
        self.state.drags.retain(|drag| drag.point != *point);
        self.scratch.reserve_drags(self.state.drags.len());
        let known = |particle: &usize| *particle < self.state.positions.len();
        point.particles.into_iter().filter(known).collect::<Vec<_>>().into_iter().for_each(|p| self.wake(p));
    }

    /// The drives of the model, whose targets, rates and strengths may change between steps; what sleeps is not woken by that.
    pub fn drives(&mut self) -> &mut [super::Drive] {
        &mut self.model.drives
    }

    /// Whether a particle sleeps. What nothing moves sleeps like anything else that is at rest.
    pub fn is_asleep(&self, particle: usize) -> bool {
        self.state.rested.get(particle).is_some_and(|&rested| super::sleep::is_asleep(rested, &self.settings))
    }

    /// Wakes the island of a particle.
    pub fn wake(&mut self, particle: usize) {
        if self.state.rested.get(particle).is_none_or(|&rested| rested == 0) {
            return;
        }
        let islands = &self.constants.islands;
        let island = islands.island(particle);
        for (other, rested) in self.state.rested.iter_mut().enumerate() {
            if islands.island(other) == island {
                *rested = 0;
            }
        }
    }

    /// Wakes everything, as is needed after a change of gravity.
    pub fn wake_all(&mut self) {
        self.state.rested.fill(0);
    }
}
