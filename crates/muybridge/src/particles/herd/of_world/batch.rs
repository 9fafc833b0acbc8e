//! Ragdolls of a group in blocks: from the state of the world, a step, and back.

use core::ops::Range;

use glam::DVec3;

use super::{BatchMember, Group, LaneMemory, TouchInLanes, WorldBatch};
use crate::particles::herd::HerdSettings;
use crate::particles::herd::block::{HerdObstacle as PlacedPlane, LaneBlock, Place, get, obstacle_rows};
use crate::particles::herd::encounter::StepPart;
use crate::particles::herd::packs::Packs;
use crate::particles::herd::plan::BatchModel;
use crate::particles::herd::rows::BlockWidth;
use crate::particles::state::State;
use crate::particles::verlet;

impl<W: BlockWidth> WorldBatch<W> {
    pub(super) fn new(plan: &BatchModel) -> Self {
        Self { blocks: Vec::new(), packs: Packs::new(plan, &[]) }
    }

    /// Takes other obstacles, with their friction.
    pub(super) fn place(&mut self, placed: &[PlacedPlane], planes: &[(PlacedPlane, f32)]) {
        let mut obstacles = obstacle_rows(placed, 0.0);
        for (rows, (_, friction)) in obstacles.planes.iter_mut().zip(planes) {
            rows.friction = *friction;
        }
        self.packs.set_obstacles(&obstacles);
    }

    /// Steps the chosen ragdolls, and returns the sum of their substeps.
    pub(super) fn step(
        &mut self,
        (plan, settings, placed): (&BatchModel, &HerdSettings, &[PlacedPlane]),
        members: &mut [BatchMember],
        of_state: (&[f64], &State),
    ) -> u64 {
        let filled = self.fill((plan, settings), members, of_state);
        let blocks = &mut self.blocks[..filled];
        blocks.iter_mut().for_each(|block| block.begin(plan, settings));
        self.packs.step(StepPart::Alone, (plan, settings, placed), blocks);
        self.recall(members)
    }

    /// Fills the blocks with the chosen ragdolls and the sleepers that they may touch. Returns how many blocks that takes.
    pub(super) fn fill(
        &mut self,
        (plan, settings): (&BatchModel, &HerdSettings),
        members: &mut [BatchMember],
        (masses, state): (&[f64], &State),
    ) -> usize {
        let blocks = &mut self.blocks;
        blocks.iter_mut().for_each(|block| block.places.fill(Place::Empty));
        let mut count = 0;
        for member in members.iter_mut().filter(|member| member.is_in || member.meets) {
            (member.place, count) = (count, count + 1);
            if blocks.len() * W::LANES < count {
                blocks.push(LaneBlock::new(plan));
            }
            let (block, lane) = (&mut blocks[member.place / W::LANES], member.place % W::LANES);
            if member.memory.substeps == 0 {
                member.memory.substeps = settings.substeps;
                member.memory.impulses.fill(0.0);
            }
            (block.flies[lane], block.meets[lane]) = (member.flies, false);
            block.remember(lane, &member.memory);
            block.load(plan, lane, settings, state, member.particles.start);
            if !member.is_in {
                block.lay_to_sleep(lane);
                member.memory.substeps = 0;
            }
            member.flight = (member.flies && member.is_in && plan.drag == 0.0)
                .then(|| mass_center(masses, state, settings.gravity, &member.particles));
        }
        count.div_ceil(W::LANES)
    }

    /// Remembers what the next step starts from, and returns the sum of the substeps.
    pub(super) fn recall(&self, members: &mut [BatchMember]) -> u64 {
        let mut substeps = 0;
        for member in members.iter_mut().filter(|member| member.is_in) {
            self.blocks[member.place / W::LANES].recall(member.place % W::LANES, &mut member.memory);
            substeps += u64::from(member.memory.substeps);
        }
        substeps
    }

    /// Writes the motion of the stepped ragdolls of the group into the state, whose substep is `h`.
    pub(super) fn store(&self, group: &Group, (gravity, h): (DVec3, f64), state: &mut State, seconds: f64) {
        for member in group.members.iter().filter(|member| member.is_in) {
            let (block, lane) = (&self.blocks[member.place / W::LANES], member.place % W::LANES);
            block.motion(&group.plan, lane, (seconds, gravity), |particle, at, v| {
                let particle = member.particles.start + particle;
                state.positions[particle] = at;
                state.previous[particle] = verlet::start(at, v, gravity, h);
                state.earlier[particle] = verlet::start(at, v, gravity, 2.0 * h);
                state.rounding[particle] = DVec3::ZERO;
            });
        }
    }

    pub(super) fn contacts(
        &self,
        plan: &BatchModel,
        placed: &[PlacedPlane],
        member: &BatchMember,
    ) -> Vec<TouchInLanes> {
        let (block, lane) = (&self.blocks[member.place / W::LANES], member.place % W::LANES);
        let of_end = |(index, end): (usize, usize)| {
            let (capsule, at) = (&plan.capsules[index], block.axis(plan, lane, index)[end]);
            let radius = f64::from(capsule.radius);
            let gap = |plane: &PlacedPlane| match *plane {
                PlacedPlane::HalfSpace { normal, offset } => Some((normal.dot(at) - offset - radius, normal)),
                _ => None,
            };
            let (gap, normal) = placed.iter().filter_map(gap).min_by(|a, b| a.0.total_cmp(&b.0))?;
            let pushes = block.touches[2 * index + end].0[lane] > 0.0;
            let particle = member.particle_of(plan, capsule.body);
            Some(TouchInLanes { particle, depth: -gap, point: at - normal * radius, normal, pushes })
        };
        let ends = (0..plan.capsules.len()).flat_map(|index| [(index, 0), (index, 1)]);
        ends.filter_map(of_end).collect()
    }
}

impl<W: BlockWidth> LaneBlock<W> {
    /// Ends of the axis of a capsule, meters.
    pub(super) fn axis(&self, plan: &BatchModel, lane: usize, capsule: usize) -> [DVec3; 2] {
        let capsule = &plan.capsules[capsule];
        let rows = &self.bodies[capsule.body];
        capsule.ends.map(|end| {
            let [x, y, z] = end.map(f64::from);
            let arm = get(&rows.axes[0], lane) * x + get(&rows.axes[1], lane) * y + get(&rows.axes[2], lane) * z;
            self.origin(lane) + get(&rows.center, lane) + arm
        })
    }

    /// Sets the impulses of the last substep of a lane.
    fn remember(&mut self, lane: usize, memory: &LaneMemory) {
        self.substeps[lane] = memory.substeps;
        let rows = self.touches.iter_mut().chain(self.pulled.iter_mut().flatten());
        rows.zip(&memory.impulses).for_each(|(row, impulse)| row.0[lane] = *impulse);
    }

    /// Reads the impulses of the last substep of a lane.
    fn recall(&self, lane: usize, memory: &mut LaneMemory) {
        memory.substeps = self.substeps[lane];
        let rows = self.touches.iter().chain(self.pulled.iter().flatten());
        rows.zip(&mut memory.impulses).for_each(|(row, impulse)| *impulse = row.0[lane]);
    }

    /// Fills a lane with the motion of the particles from `first` on.
    fn load(&mut self, plan: &BatchModel, lane: usize, settings: &HerdSettings, state: &State, first: usize) {
        let (gravity, last) = (settings.gravity, state.last_substep);
        let root = plan.bodies[0].particles[0];
        let origin = state.positions[first + root].round();
        self.origins[lane] = origin.to_array().map(|value| value as i32);
        let substep = settings.time_step / f64::from(self.substeps[lane]);
        self.set_motion(plan, lane, (substep, gravity), |particle| {
            let particle = first + particle;
            let moved = state.positions[particle] - state.previous[particle] + state.rounding[particle];
            (state.positions[particle] - origin, moved / last + 0.5 * gravity * last)
        });
        self.places[lane] = Place::Awake { rested: 0 };
    }

    /// Calls `is` with the index, position (m) and velocity (m/s) of each particle of a lane.
    fn motion(
        &self,
        plan: &BatchModel,
        lane: usize,
        (seconds, gravity): (f64, DVec3),
        mut is: impl FnMut(usize, DVec3, DVec3),
    ) {
        let substep = seconds / f64::from(self.substeps[lane]);
        for (body, rows) in plan.bodies.iter().zip(&self.bodies) {
            let center = self.origin(lane) + get(&rows.center, lane);
            let velocity = get(&rows.moved, lane) / substep + 0.5 * gravity * substep;
            let axes = [0, 1, 2].map(|axis| (get(&rows.axes[axis], lane), get(&rows.turned[axis], lane) / substep));
            for (&particle, &corner) in body.particles.iter().zip(&body.corners) {
                let [x, y, z] = corner.to_array();
                let at = axes[0].0 * x + axes[1].0 * y + axes[2].0 * z;
                let turning = axes[0].1 * x + axes[1].1 * y + axes[2].1 * z;
                is(particle, center + at, velocity + turning);
            }
        }
    }
}

/// Mass center (m) of some particles and its velocity (m/s).
pub(super) fn mass_center(masses: &[f64], state: &State, gravity: DVec3, particles: &Range<usize>) -> [DVec3; 2] {
    let (mut mass, mut center, mut moved) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for particle in particles.clone() {
        let (own, position) = (masses[particle], state.positions[particle]);
        mass += own;
        center += position * own;
        moved += (position - state.previous[particle] + state.rounding[particle]) * own;
    }
    [center / mass, moved / (mass * state.last_substep) + 0.5 * gravity * state.last_substep]
}
