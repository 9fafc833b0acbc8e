//! Trees of a rigid world, each in a lane of its own.
//!
//! ```text
//! choose   a tree that can touch nothing but itself and fixed planes in this step, and that nothing pushes or drives
//! pack     trees that are alike and near the same planes, those of one pace side by side
//! step     state of the world ─► one lane of f64 each ─► strides of the batch ─► state of the world
//! ```
//! All other trees are stepped by the general method. The state of the world has the motion and the impulses of both, so a
//! tree may change from one to the other in every step. Beside what a batch has, a tree has contacts with itself, damping
//! in its joints and rolling resistance. A tree whose joints do not close goes back to the general method.

mod damping;
mod member;
mod own;
mod pack;
mod rig;

use std::sync::Arc;

use self::member::{Member, TreePieces};
use self::pack::KeptBuffers;
use self::rig::{Plane, Rig};
use super::SHARE;
use crate::math::blocks::each;
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
    /// Rigs of the members.
    rigs: Vec<Arc<Rig>>,
    /// Member of each tree; `None` for trees that lanes cannot step.
    of_tree: Vec<Option<usize>>,
    /// Index of each collider among those of its tree.
    of_solid: Vec<usize>,
    buffers: Vec<KeptBuffers>,
}

/// Rigs without trees that are kept, beside two per tree: a tree may come back to the planes that it left.
const SPARE: usize = 8;

/// Number of trees or packs from which threads share them.
const MANY: usize = 5;

impl TreeLanes {
    /// Finds the trees of a model that lanes can step.
    pub fn of(model: &Model, forest: &Forest) -> Self {
        let mut lanes =
            Self { of_tree: vec![None; forest.trees], of_solid: vec![0; model.solids.len()], ..Self::default() };
        for (tree, pieces) in TreePieces::of(model, forest).into_iter().enumerate() {
            if let Some(mut member) = Member::of(model, forest, tree, pieces) {
                lanes.share_rig(&mut member);
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
            self.find_planes(model, detector, settings.time_step);
            self.step_packs(settings, state);
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

    /// Finds the planes near each tree.
    fn find_planes(&mut self, model: &Model, detector: &ContactDetector, seconds: f64) {
        let Self { members, rigs, of_tree, .. } = self;
        for member in members.iter_mut().filter(|member| member.is_in) {
            if member.find_planes(model, detector, seconds) && member.is_in {
                if let Some(known) = known(rigs, &member.rig.model, &member.planes) {
                    member.take(known);
                } else if let Some(new) = Rig::of(member.rig.model.clone(), member.planes.clone()) {
                    let new = Arc::new(new);
                    if rigs.len() > 2 * of_tree.len() + SPARE {
                        rigs.retain(|rig| Arc::strong_count(rig) > 1);
                    }
                    rigs.push(new.clone());
                    member.take(new);
                } else {
                    member.is_in = false;
                }
            }
        }
    }

    /// Steps the chosen trees, as many of one rig at once as there are lanes.
    fn step_packs(&mut self, settings: &Settings, state: &State) {
        let mut chosen: Vec<&mut Member> = self.members.iter_mut().filter(|member| member.is_in).collect();
        each(&mut chosen, MANY, |member| member.begin_step(settings, state));
        let pace = |member: &&mut Member| (member.lanes.pace[0], member.walks);
        // How trees are packed changes no bit.
        chosen.sort_by(|a, b| {
            let rig = Arc::as_ptr(&a.rig).cmp(&Arc::as_ptr(&b.rig));
            let (one, other) = (pace(a), pace(b));
            rig.then(other.0.total_cmp(&one.0)).then(one.1.total_cmp(&other.1))
        });
        let alike = chosen.chunk_by_mut(|a, b| Arc::ptr_eq(&a.rig, &b.rig));
        let packs: Vec<&mut [&mut Member]> = alike.flat_map(|alike| alike.chunks_mut(SHARE * pack::most())).collect();
        self.buffers.resize_with(packs.len().max(self.buffers.len()), KeptBuffers::default);
        let mut packs: Vec<_> = packs.into_iter().zip(&mut self.buffers).collect();
        each(&mut packs, MANY, |(members, kept)| pack::step(members, settings, state, kept));
        let h = settings.time_step / f64::from(settings.substeps.max(1));
        each(&mut chosen, MANY, |member| member.is_in = member.end_step(h));
    }

    /// Gives a member the rig of one that is alike.
    fn share_rig(&mut self, member: &mut Member) {
        match known(&self.rigs, &member.rig.model, &member.rig.planes) {
            Some(rig) => member.rig = rig,
            None => self.rigs.push(member.rig.clone()),
        }
    }

    /// Tells each tree what it is near. Trees that are near others leave.
    fn find_near(&mut self, model: &Model, forest: &Forest, detector: &ContactDetector) {
        let Self { members, of_tree, of_solid, .. } = self;
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

/// The rig of a model like this near these planes.
fn known(rigs: &[Arc<Rig>], model: &Model, planes: &[Plane]) -> Option<Arc<Rig>> {
    rigs.iter().find(|rig| rig.planes == planes && rig.is_alike(model)).cloned()
}
