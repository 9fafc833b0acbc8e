//! A body at rest at once, with nothing waiting to push it.

use super::World;
use crate::rigid::motion::Momentum;
use crate::rigid::rest;

impl World {
    /// Takes velocity and angular velocity of a body away, and all forces and moments that wait for the next step. A joint gives back what
    /// the bodies it joins still have.
    pub fn halt(&mut self, body: usize) {
        let Some(momentum) = self.state.momenta.get_mut(body) else { return };
        *momentum = Momentum::ZERO;
        self.scratch.wrenches[body] = [0.0; 6];
        rest::wake(&mut self.state, self.forest.tree[body]);
    }
}
