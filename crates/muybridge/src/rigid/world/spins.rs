//! Conservation of angular momentum of trees about their centers of mass while penetration is removed.
//!
//! ```text
//! L = Σ (xᵢ − c) × mᵢ vᵢ + Lᵢ        a drift with joints keeps it; bodies shifted by δᵢ change it by Σ δᵢ × mᵢ vᵢ
//! δω = I⁻¹ (L before − L after)      rigid rotation added to the tree: joints stay closed, momentum stays
//! ```
//! Specification: mathematics 4.10 (X4).

use glam::{DMat3, DVec3};

use crate::collision::tensor;
use crate::rigid::motion::{Momentum, vector};
use crate::rigid::rattle::Mechanism;
use crate::rigid::state::State;

/// Angular momentum of each tree, kg m²/s; `None` for trees attached to the world.
#[derive(Clone, Debug, Default)]
pub(super) struct Spins(Vec<Option<DVec3>>);

impl Spins {
    /// Stores the present angular momenta.
    pub fn measure(&mut self, mechanism: Mechanism<'_>, state: &State) {
        let forest = mechanism.forest;
        self.0.clear();
        self.0.resize(forest.trees, Some(DVec3::ZERO));
        for joint in mechanism.joints {
            if joint.parent.is_none() {
                self.0[forest.tree[joint.child]] = None;
            }
        }
        for tree in 0..forest.trees {
            if let Some(spin) = &mut self.0[tree] {
                *spin = spin_of(mechanism, state, tree).1;
            }
        }
    }

    /// Adds rigid rotations to trees that restore the stored angular momenta. Sleeping trees have none and get none.
    pub fn restore(&self, mechanism: Mechanism<'_>, state: &mut State) {
        let forest = mechanism.forest;
        for (tree, spin) in self.0.iter().enumerate() {
            let Some(spin) = *spin else { continue };
            let (center, now) = spin_of(mechanism, state, tree);
            let missing = spin - now;
            if missing == DVec3::ZERO || !missing.is_finite() {
                continue;
            }
            let bodies = forest.of_tree(tree);
            let of = |&body: &usize| {
                let (pose, of) = (&state.poses[body], &mechanism.bodies[body]);
                tensor::from_principal(of.moments, pose.turn()) + tensor::of_point(of.mass, pose.place() - center)
            };
            let inertia: DMat3 = bodies.iter().map(of).sum();
            let turn = inertia.inverse() * missing;
            if !turn.is_finite() {
                continue;
            }
            for &body in bodies {
                let (pose, of) = (&state.poses[body], &mechanism.bodies[body]);
                let more = Momentum::of(of, pose.turn(), turn.cross(pose.place() - center), turn);
                state.momenta[body] = state.momenta[body].plus(more);
            }
        }
    }
}

/// Center of mass of a tree (meters) and angular momentum about it.
fn spin_of(mechanism: Mechanism<'_>, state: &State, tree: usize) -> (DVec3, DVec3) {
    let bodies = || mechanism.forest.of_tree(tree).iter().copied();
    let mass: f64 = bodies().map(|body| mechanism.bodies[body].mass).sum();
    let center = bodies().map(|body| state.poses[body].place() * mechanism.bodies[body].mass).sum::<DVec3>() / mass;
    let of = |body: usize| {
        let momentum = &state.momenta[body];
        (state.poses[body].place() - center).cross(vector(momentum.linear)) + vector(momentum.angular)
    };
    (center, bodies().map(of).sum())
}
