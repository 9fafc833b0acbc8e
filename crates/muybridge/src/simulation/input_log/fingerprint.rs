//! The fingerprint of a running scene: of where everything is and how it moves.

use crate::particles;
use crate::rigid::crowd::Crowd;
use crate::rigid::log::Fingerprint;
use crate::simulation::herds::Running;
use crate::simulation::world::{Inner, World};

impl World {
    /// A sum over the bits of where everything is and how it moves, and of the number of the step. Plans, and what ragdolls are told, show
    /// in it with the next step.
    pub fn fingerprint(&self) -> Fingerprint {
        match &self.0 {
            Inner::Bodies(world) => {
                let mut sum = Fingerprint::of_state(&world.bodies);
                world.in_lanes.iter().for_each(|herd| of_crowd(&mut sum, &herd.crowd));
                sum
            }
            Inner::Particles(world) => {
                let mut sum = Fingerprint::EMPTY;
                of_particles(&mut sum, &world.particles.state);
                world.herds.iter().for_each(|running| of_herd(&mut sum, running));
                sum
            }
        }
    }
}

fn of_particles(sum: &mut Fingerprint, state: &particles::State) {
    for [now, before] in state.positions.iter().zip(&state.previous).map(|(now, before)| [now, before]) {
        sum.numbers(&now.to_array());
        sum.numbers(&before.to_array());
    }
    sum.word(state.steps);
}

fn of_herd(sum: &mut Fingerprint, running: &Running) {
    for slot in &running.slots {
        for body in 0..running.herd.bodies() {
            let (position, rotation) = running.herd.pose(*slot, body);
            sum.numbers(&position.to_array());
            sum.numbers(&rotation.to_array());
        }
    }
}

fn of_crowd(sum: &mut Fingerprint, crowd: &Crowd) {
    for instance in 0..crowd.len() {
        for body in 0..crowd.bodies() {
            let (pose, momentum) = crowd.body(instance, body);
            sum.pose(&pose);
            sum.momentum(&momentum);
        }
    }
}
