//! Trees of a rigid world, each in a lane of its own.
//!
//! ```text
//! choose   a tree that can touch nothing but itself and fixed planes in this step, and that nothing pushes or drives
//! step     state of the world ─► one lane of f64 ─► strides of the batch ─► state of the world
//! ```
//! All other trees are stepped by the general method. The state of the world has the motion and the impulses of both, so a
//! tree may change from one to the other in every step. Beside what a batch has, a tree has contacts with itself, damping
//! in its joints and rolling resistance. A tree whose joints do not close goes back to the general method.

mod member;
mod own;

use self::member::Member;
use crate::rigid::forest::Forest;
use crate::rigid::model::Model;
use crate::rigid::row::Contact;
use crate::rigid::settings::{Method, Settings};
use crate::rigid::state::State;
use crate::rigid::touch::ContactDetector;
use crate::rigid::world::Report;

/// All trees of a world that lanes can step.
#[derive(Clone, Debug, Default)]
pub(in crate::rigid) struct TreeLanes {
    members: Vec<Member>,
    /// Member of each tree; `None` for trees that lanes cannot step.
    of_tree: Vec<Option<usize>>,
    /// Index of each collider among those of its tree.
    of_solid: Vec<usize>,
}

/// Trees up to which threads cost more than they save.
#[cfg(feature = "parallel")]
const FEW: usize = 4;

impl TreeLanes {
    /// Finds the trees of a model that lanes can step.
    pub fn of(model: &Model, forest: &Forest) -> Self {
        let mut lanes =
            Self { of_tree: vec![None; forest.trees], of_solid: vec![0; model.solids.len()], ..Self::default() };
        for tree in 0..forest.trees {
            if let Some(member) = Member::of(model, forest, tree) {
                for (number, &solid) in member.solids().iter().enumerate() {
                    lanes.of_solid[solid] = number;
                }
                lanes.of_tree[tree] = Some(lanes.members.len());
                lanes.members.push(member);
            }
        }
        lanes
    }

    /// Whether lanes stepped a tree in this step.
    pub fn has(&self, tree: usize) -> bool {
        self.of_tree[tree].is_some_and(|member| self.members[member].is_in)
    }

    /// Chooses trees among those that are awake, and steps them. Returns what that took; `None` if there are none.
    pub fn step(
        &mut self,
        (model, settings): (&Model, &Settings),
        state: &mut State,
        (forest, awake): (&Forest, &Forest),
        (detector, wrenches): (&ContactDetector, &[[f64; 6]]),
    ) -> Option<Report> {
        state.strides.iter_mut().zip(&self.of_tree).for_each(|(stride, of)| {
            if of.is_none() {
                *stride = 1.0;
            }
        });
        let is_wanted = settings.lanes && settings.method == Method::Multipliers;
        for member in &mut self.members {
            member.is_in = is_wanted && awake.has(member.first()) && member.is_free((model, settings), state, wrenches);
            member.begin();
        }
        if self.members.iter().any(|member| member.is_in) {
            self.find_near(model, forest, detector);
            for member in self.members.iter_mut().filter(|member| member.is_in) {
                member.find_planes(model, detector, settings.time_step);
            }
            let shared: &State = state;
            let step = |member: &mut Member| {
                if member.is_in {
                    member.is_in = member.step(settings, shared);
                }
            };
            #[cfg(feature = "parallel")]
            if self.members.iter().filter(|member| member.is_in).count() > FEW {
                use rayon::prelude::*;
                self.members.par_iter_mut().for_each(step);
            } else {
                self.members.iter_mut().for_each(step);
            }
            #[cfg(not(feature = "parallel"))]
            self.members.iter_mut().for_each(step);
        }
        let mut work: Option<Report> = None;
        for member in &self.members {
            if member.is_in {
                member.store(state);
                member.add_to(work.get_or_insert_default());
            } else {
                state.strides[member.tree] = 1.0;
            }
        }
        work
    }

    /// Adds the contacts and impulses of the trees in lanes to those of the last substep.
    pub fn tell(&self, state: &mut State, contacts: &mut Vec<Contact>) {
        for member in self.members.iter().filter(|member| member.is_in) {
            contacts.extend_from_slice(member.contacts());
            state.impulses.extend_from_slice(member.impulses());
        }
        state.impulses.sort_unstable_by_key(|&(key, _)| key);
    }

    /// Tells each tree what it is near. Trees that are near others leave.
    fn find_near(&mut self, model: &Model, forest: &Forest, detector: &ContactDetector) {
        let Self { members, of_tree, of_solid } = self;
        let tree = |solid: u32| forest.tree[model.solids[solid as usize].body];
        for &[a, b] in detector.near_solids() {
            let [own, other] = [a, b].map(tree);
            if own == other {
                if let Some(member) = of_tree[own] {
                    members[member].near(of_solid[a as usize], of_solid[b as usize]);
                }
                continue;
            }
            for member in [own, other].into_iter().filter_map(|tree| of_tree[tree]) {
                members[member].is_in = false;
            }
        }
        for &[solid, obstacle] in detector.near_obstacles() {
            if let Some(member) = of_tree[tree(solid)] {
                members[member].near_obstacle(obstacle as usize);
            }
        }
    }
}
