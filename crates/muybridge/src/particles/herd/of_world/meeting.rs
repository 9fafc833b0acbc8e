//! A step of ragdolls of a group that may touch each other.

use glam::DVec3;

use super::{BatchMember, TouchInLanes, WorldBatch, WorldContact};
use crate::collision::segment;
use crate::particles::herd::HerdSettings;
use crate::particles::herd::block::HerdObstacle as PlacedPlane;
use crate::particles::herd::encounter::Encounters;
use crate::particles::herd::neighbors::{Kept, NearRagdolls, Neighbors};
use crate::particles::herd::packs::pace;
use crate::particles::herd::plan::BatchModel;
use crate::particles::herd::rows::{LANES, Sixteen};
use crate::particles::state::State;

/// Contacts between ragdolls of a group in a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Meeting {
    neighbors: Neighbors,
    encounters: Encounters,
    /// Those that held at the end.
    pub contacts: Vec<TouchInLanes>,
}

impl WorldBatch<Sixteen> {
    /// Steps the chosen ragdolls, some of which may touch each other, and returns the sum of their substeps.
    pub(super) fn step_meeting(
        &mut self,
        (plan, settings, placed): (&BatchModel, &HerdSettings, &[PlacedPlane]),
        members: &mut [BatchMember],
        of_state: (&[f64], &State),
        meeting: &mut Meeting,
    ) -> u64 {
        let filled = self.fill((plan, settings), members, of_state);
        let Self { blocks, packs } = self;
        let blocks = &mut blocks[..filled];
        let Meeting { neighbors, encounters, contacts } = meeting;
        neighbors.find(plan, settings, blocks);
        // Sleepers are woken before the step.
        for member in members.iter().filter(|member| member.meets && !member.is_in) {
            blocks[member.place / LANES].lay_to_sleep(member.place % LANES);
        }
        encounters.restore(&kept(members));
        encounters.set(plan, neighbors, blocks);
        let of_meeting = pace(plan, settings, settings.meeting_substeps);
        encounters.alternate(plan, settings, &of_meeting, blocks, |part, blocks| {
            packs.step(part, (plan, settings, placed), blocks);
        });
        let member_of: Vec<usize> =
            (0..members.len()).filter(|&member| members[member].is_in || members[member].meets).collect();
        members.iter_mut().for_each(|member| member.memory.contacts.clear());
        for Kept { near, slipped, parts } in encounters.kept() {
            let [(one, capsule), (other, of_other)] = near.sides;
            let [one, other] = [one, other].map(|slot| member_of[slot]);
            let other = members[other].memory.object;
            if !parts {
                let own = &mut members[one].memory.contacts;
                own.push(WorldContact { other, capsules: [capsule, of_other], slipped: *slipped });
            }
            let axes = near.sides.map(|(slot, capsule)| blocks[slot / LANES].axis(plan, slot % LANES, capsule));
            let [s, t] = segment::parameters(axes[0], axes[1]);
            let places = [segment::at(axes[0], s), segment::at(axes[1], t)];
            let radii = near.sides.map(|(_, capsule)| f64::from(plan.capsules[capsule].radius));
            let normal = (places[0] - places[1]).try_normalize().unwrap_or(DVec3::Y);
            let depth = radii[0] + radii[1] - places[0].distance(places[1]);
            let particle = members[one].particle_of(plan, plan.capsules[capsule].body);
            let point = places[0] - normal * radii[0];
            contacts.push(TouchInLanes { particle, depth, point, normal, pushes: true });
        }
        self.recall(members)
    }
}

/// The contacts that ragdolls remember, by their places.
fn kept(members: &[BatchMember]) -> Vec<Kept> {
    let place = |object: usize| {
        let member = &members[members.binary_search_by_key(&object, |member| member.memory.object).ok()?];
        (member.is_in || member.meets).then_some(member.place)
    };
    let mut all = Vec::new();
    for member in members.iter().filter(|member| member.meets) {
        for WorldContact { other, capsules: [own, of_other], slipped } in &member.memory.contacts {
            let Some(other) = place(*other) else { continue };
            let near = NearRagdolls { sides: [(member.place, *own), (other, *of_other)] };
            all.push(Kept { near, slipped: *slipped, parts: false });
        }
    }
    all.sort_unstable_by_key(|kept| kept.near);
    all
}
