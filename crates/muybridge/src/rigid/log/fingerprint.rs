//! Fingerprints: 64 bits that differ where two worlds do.
//!
//! ```text
//! f ← 14695981039346656037,   f ← (f ⊕ byte) · 1099511628211  for every byte      FNV-1a (Fowler, Noll, Vo)
//! ```
//! Numbers enter by their bits, so that 0 and −0 differ. One that differs proves that two worlds differ; two that agree prove
//! nothing against somebody who wants them to.

use core::fmt::{self, Write};
use core::str::FromStr;

use crate::rigid::World;
use crate::rigid::motion::{Momentum, Pose};
use crate::rigid::state::State;

/// A sum over bits. As text, sixteen hexadecimal digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint(pub u64);

impl Fingerprint {
    /// Of nothing.
    pub(crate) const EMPTY: Self = Self(14_695_981_039_346_656_037);

    /// Of what a world is made of and what it keeps beside its state: its model as it is now, who never touches whom.
    pub fn of_model(world: &World) -> Self {
        let mut sum = Self::EMPTY;
        // A fingerprint is text that never ends: writing to it cannot fail.
        let _ = write!(sum, "{:?} {:?}", world.model, world.never_touch());
        sum
    }

    /// Of where things are and how they move: the state of a world, and what was pushed since the last step.
    pub fn of_state(world: &World) -> Self {
        let State { poses, momenta, multipliers, impulses, trees, rest, asleep, steps } = &world.state;
        let mut sum = Self::EMPTY;
        poses.iter().for_each(|pose| sum.pose(pose));
        momenta.iter().for_each(|momentum| sum.momentum(momentum));
        multipliers.iter().flatten().for_each(|rows| sum.numbers(rows));
        for &(key, impulse) in impulses {
            sum.word(key);
            sum.numbers(&[impulse]);
        }
        trees.iter().for_each(|&tree| sum.word(tree as u64));
        rest.iter().for_each(|&frames| sum.word(u64::from(frames)));
        asleep.iter().for_each(|group| sum.word(group.map_or(u64::MAX, |group| group as u64)));
        sum.word(*steps);
        world.pushed().iter().for_each(|wrench| sum.numbers(wrench));
        sum
    }

    pub(crate) fn pose(&mut self, Pose { position, rotation }: &Pose<f64>) {
        let axis = rotation.axis;
        self.numbers(&[position.x, position.y, position.z, axis.x, axis.y, axis.z, rotation.w]);
    }

    pub(crate) fn momentum(&mut self, Momentum { linear, angular }: &Momentum<f64>) {
        self.numbers(&[linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]);
    }

    pub(crate) fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.word(number.to_bits()));
    }

    pub(crate) fn word(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(1_099_511_628_211);
        }
    }
}

impl Write for Fingerprint {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
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
    fn the_sum_is_that_of_its_authors() {
        // From the authors' table of test vectors.
        for (text, expected) in [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")] {
            let mut sum = Fingerprint::EMPTY;
            sum.bytes(text.as_bytes());
            assert_eq!(sum.to_string(), expected);
            assert_eq!(expected.parse(), Ok(sum));
        }
    }
}
