//! The fingerprint of a running scene: 64 bits that differ where two runs do.
//!
//! ```text
//! f ← 14695981039346656037,   f ← (f ⊕ byte) · 1099511628211  for every byte      FNV-1a (Fowler, Noll, Vo)
//! ```
//! Numbers enter by their bits, so that 0 and −0 differ. Two fingerprints that differ prove that two runs differ; two that agree
//! are no defense against somebody who forges them.

use core::fmt;
use core::str::FromStr;

use crate::particles;
use crate::rigid;
use crate::rigid::crowd::Crowd;
use crate::rigid::motion::{Momentum, Pose};
use crate::simulation::herds::Running;
use crate::simulation::world::World;

/// A hash of the bits of a running scene. As text it is sixteen hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

impl World {
    /// The hash of all positions, velocities and contact impulses and of the number of the step. Plans, and what ragdolls are told,
    /// show in it with the next step.
    pub fn fingerprint(&self) -> Fingerprint {
        let mut sum = Fingerprint::EMPTY;
        self.0.fingerprint(&mut sum);
        sum
    }
}

impl Fingerprint {
    /// The hash of no bytes.
    const EMPTY: Self = Self(14_695_981_039_346_656_037);

    /// Adds the state of a rigid world and the pushes that wait for its next step.
    pub(in crate::simulation) fn rigid(&mut self, world: &rigid::World) {
        let rigid::State {
            poses, momenta, multipliers, impulses, trees, rest, resting, asleep, strides, steps, ..
        } = &world.state;
        poses.iter().chain(resting).for_each(|pose| self.pose(pose));
        momenta.iter().for_each(|momentum| self.momentum(momentum));
        multipliers.iter().flatten().for_each(|rows| self.numbers(rows));
        for &(key, impulse) in impulses {
            self.word(key);
            self.numbers(&[impulse]);
        }
        trees.iter().for_each(|&tree| self.word(tree as u64));
        rest.iter().for_each(|&frames| self.word(u64::from(frames)));
        asleep.iter().for_each(|group| self.word(group.map_or(u64::MAX, |group| group as u64)));
        for (tree, stride) in strides.iter().enumerate().filter(|(_, stride)| **stride != 1.0) {
            self.word(tree as u64);
            self.numbers(&[*stride]);
        }
        self.word(*steps);
        world.pushed().iter().for_each(|wrench| self.numbers(wrench));
    }

    pub(in crate::simulation) fn crowd(&mut self, crowd: &Crowd) {
        for instance in 0..crowd.len() {
            for body in 0..crowd.bodies() {
                let (pose, momentum) = crowd.body(instance, body);
                self.pose(&pose);
                self.momentum(&momentum);
            }
        }
    }

    pub(in crate::simulation) fn particles(&mut self, state: &particles::State) {
        for (now, before) in state.positions.iter().zip(&state.previous) {
            self.numbers(&now.to_array());
            self.numbers(&before.to_array());
        }
        self.word(state.steps);
    }

    pub(in crate::simulation) fn herd(&mut self, running: &Running) {
        for slot in &running.slots {
            for body in 0..running.herd.bodies() {
                let (position, rotation) = running.herd.pose(*slot, body);
                self.numbers(&position.to_array());
                self.numbers(&rotation.to_array());
            }
        }
    }

    fn pose(&mut self, Pose { position, rotation }: &Pose<f64>) {
        let axis = rotation.axis;
        self.numbers(&[position.x, position.y, position.z, axis.x, axis.y, axis.z, rotation.w]);
    }

    fn momentum(&mut self, Momentum { linear, angular }: &Momentum<f64>) {
        self.numbers(&[linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]);
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.word(number.to_bits()));
    }

    fn word(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(1_099_511_628_211);
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Fingerprint {
    type Err = core::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_its_authors() {
        // Test vectors published by the authors of FNV.
        for (text, expected) in [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")] {
            let mut sum = Fingerprint::EMPTY;
            sum.bytes(text.as_bytes());
            assert_eq!(sum.to_string(), expected);
            assert_eq!(expected.parse(), Ok(sum));
        }
    }
}
