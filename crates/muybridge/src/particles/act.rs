//! Actions on a world from outside: forces, impulses, blasts, pins and dragging.
//!
//! Every action wakes the island it acts on. A particle that does not exist and a number that is not finite are refused.
//! Specification: mathematics 3.16 (J32, J34, J35).

use glam::DVec3;

use super::distance::direction_of_coincident;
use super::point::Point;
use super::state::Drag;
use super::verlet;
use super::world::World;
use crate::math::input_error::InputError;

/// Least distance between a blast and a particle, meters. A nearer blast acts as from this distance.
const NEAREST_BOMB: f64 = 1e-3;

impl World {
    /// Adds a force (newtons) to a particle during the coming step.
    ///
    /// # Errors
    /// If there is no such particle, or the force is not finite.
    pub fn push(&mut self, particle: usize, force: DVec3) -> Result<(), InputError> {
        self.check_particle(particle)?;
        InputError::check_finite("the force", force)?;
        self.add_force(particle, force);
        Ok(())
    }

    /// [`World::push`] without its checks, for forces that a step computes.
    pub(crate) fn add_force(&mut self, particle: usize, force: DVec3) {
        self.state.forces[particle] += force;
        self.wake_island(particle);
    }

    /// Changes the velocity of a particle by `impulse` (N s) over its mass (J32).
    ///
    /// # Errors
    /// If there is no such particle, or the impulse is not finite.
    pub fn hit(&mut self, particle: usize, impulse: DVec3) -> Result<(), InputError> {
        self.check_particle(particle)?;
        InputError::check_finite("the impulse", impulse)?;
        self.add_impulse(particle, impulse);
        Ok(())
    }

    /// [`World::hit`] without its checks, for impulses that a step computes.
    pub(crate) fn add_impulse(&mut self, particle: usize, impulse: DVec3) {
        let change = impulse * self.constants.inverse_masses[particle];
        self.state.previous[particle] -= change * self.state.last_substep;
        self.state.earlier[particle] -= change * self.state.span;
        self.wake_island(particle);
    }

    /// A blast: every particle gets the impulse `strength / r²` (N s; `strength` in N s m²) away from `center` (J34).
    ///
    /// # Errors
    /// If the center or the strength is not finite.
    pub fn bomb(&mut self, center: DVec3, strength: f64) -> Result<(), InputError> {
        InputError::check_finite("the center of a blast", center)?;
        InputError::check_finite("the strength of a blast", DVec3::splat(strength))?;
        for particle in 0..self.state.positions.len() {
            let away = self.state.positions[particle] - center;
            let distance = away.length();
            let direction = if distance > 0.0 { away / distance } else { direction_of_coincident([particle; 2]) };
            let square = distance.max(NEAREST_BOMB) * distance.max(NEAREST_BOMB);
            self.add_impulse(particle, direction * (strength / square));
        }
        Ok(())
    }

    /// Gives a particle a velocity (m/s). A particle of infinite mass stays at rest.
    ///
    /// # Errors
    /// If there is no such particle, or the velocity is not finite.
    pub fn set_velocity(&mut self, particle: usize, velocity: DVec3) -> Result<(), InputError> {
        self.check_particle(particle)?;
        InputError::check_finite("the velocity", velocity)?;
        let state = &mut self.state;
        if self.constants.inverse_masses[particle] > 0.0 {
            let (position, acceleration) = (state.positions[particle], self.settings.acceleration());
            state.previous[particle] = verlet::start(position, velocity, acceleration, state.last_substep);
            state.earlier[particle] = verlet::start(position, velocity, acceleration, state.span);
            state.rounding[particle] = DVec3::ZERO;
            self.wake_island(particle);
        }
        Ok(())
    }

    /// Holds a particle at a place (m); the particle goes there during the next step (J10, J35).
    ///
    /// # Errors
    /// If there is no such particle, or the place is not finite.
    pub fn pin(&mut self, particle: usize, place: DVec3) -> Result<(), InputError> {
        self.check_particle(particle)?;
        InputError::check_finite("the place of a pin", place)?;
        self.state.pins[particle] = Some(place);
        self.wake_island(particle);
        Ok(())
    }

    /// Lets a pinned particle go, with the velocity it was moved at.
    ///
    /// # Errors
    /// If there is no such particle.
    pub fn unpin(&mut self, particle: usize) -> Result<(), InputError> {
        self.check_particle(particle)?;
        self.state.pins[particle] = None;
        self.wake_island(particle);
        Ok(())
    }

    /// Pulls a point to a place (m) with at most `most_force` newtons (J35); the point gets there during the next step if it
    /// can. Another call for the same point changes place and force. A single particle can be held exactly: [`World::pin`].
    ///
    /// # Errors
    /// If the point names a particle that does not exist, a number is not finite, or the force is NaN.
    pub fn drag(&mut self, point: Point, to: DVec3, most_force: f64) -> Result<(), InputError> {
        self.check_point(&point)?;
        InputError::check_finite("the place to pull to", to)?;
        if most_force.is_nan() {
            return Err(InputError::NotFinite { what: "the greatest force", value: most_force });
        }
        let drag = Drag { point, to, most_force };
        match self.state.drags.iter_mut().find(|drag| drag.point == point) {
            Some(same) => *same = drag,
            None => self.state.drags.push(drag),
        }
        self.scratch.reserve_drags(self.state.drags.len());
        point.particles.into_iter().for_each(|particle| self.wake_island(particle));
        Ok(())
    }

    /// Mean dragging force on a point over the last step, newtons; zero if the point is not dragged.
    pub fn pull_on(&self, point: &Point) -> DVec3 {
        let at = self.state.drags.iter().position(|drag| drag.point == *point);
        let pulled = at.and_then(|index| self.scratch.drags.get(index));
        let seconds = self.settings.substep() * self.settings.time_step;
        pulled.map_or(DVec3::ZERO, |[_, last, before]| (*last + *before) / seconds)
    }

    /// Lets go of a point that is pulled; a point that is not pulled is only woken.
    ///
    /// # Errors
    /// If the point names a particle that does not exist.
    pub fn release(&mut self, point: &Point) -> Result<(), InputError> {
        self.check_point(point)?;
        self.state.drags.retain(|drag| drag.point != *point);
        self.scratch.reserve_drags(self.state.drags.len());
        point.particles.into_iter().for_each(|particle| self.wake_island(particle));
        Ok(())
    }

    /// The drives of the model. Targets, rates and strengths may change between steps; a change wakes no sleeping
    /// particle.
    pub fn drives(&mut self) -> &mut [super::Drive] {
        &mut self.model.drives
    }

    /// Whether a particle sleeps. Immovable particles fall asleep like any other particle at rest.
    pub fn is_asleep(&self, particle: usize) -> bool {
        self.state.rested.get(particle).is_some_and(|&rested| super::sleep::is_asleep(rested, &self.settings))
    }

    /// Wakes the island of a particle.
    ///
    /// # Errors
    /// If there is no such particle.
    pub fn wake(&mut self, particle: usize) -> Result<(), InputError> {
        self.check_particle(particle)?;
        self.wake_island(particle);
        Ok(())
    }

    /// [`World::wake`] without its check.
    pub(crate) fn wake_island(&mut self, particle: usize) {
        if self.state.rested[particle] == 0 {
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

    /// Wakes all particles, as is needed after a change of gravity.
    pub fn wake_all(&mut self) {
        self.state.rested.fill(0);
    }

    fn check_particle(&self, particle: usize) -> Result<(), InputError> {
        InputError::check_index("particle", particle, self.state.positions.len())
    }

    fn check_point(&self, point: &Point) -> Result<(), InputError> {
        point.particles.iter().try_for_each(|&particle| self.check_particle(particle))?;
        let value = point.weights.into_iter().find(|weight| !weight.is_finite());
        value.map_or(Ok(()), |value| Err(InputError::NotFinite { what: "the weight of a particle", value }))
    }
}
