//! Lane packing: ragdolls with equal substeps are stepped together, whatever block they are in.
//!
//! ```text
//! may touch no other, a whole step at once:
//!   calm lanes of all blocks → packs of sixteen → calm substeps ──► back to their blocks
//!   moving lanes ─────────────────────────────────► substeps ───┘   │ if a limit is violated or something penetrates
//!                                                   twice as many ◄─┘ again from the start of the step
//! may touch others, from one contact solve to the next:
//!   all of them ──────────────────────────────────► one substep ──► back
//!                                                   two, four … ◄─┘ again, and so many at once until the step ends
//! ```
//! A block whose lanes all have equal substeps is a pack already. Lanes are independent, so a ragdoll has the same bits
//! in any pack. Only ragdolls with errors take short substeps: a light hand that whips round as it hits the ground, in
//! a few steps of hundreds.

use super::HerdSettings;
use super::block::{HerdObstacle, LaneBlock, Place, obstacle_rows};
use super::contact::Obstacles;
use super::drive::DriveRows;
use super::encounter::StepPart;
use super::kernel::{KernelPace, Scratch};
use super::pair_contact::NearPair;
use super::plan::BatchModel;
use super::push;
use super::rows::{BlockWidth, LANES, LaneValues, Sixteen, copy_lanes, copy_row};
use crate::particles::contact::make_room;

/// Work areas of all threads: one, and more from the first step that takes more threads on.
#[derive(Clone, Debug)]
pub struct Packs<W: BlockWidth = Sixteen> {
    areas: Vec<WorkArea<W>>,
}

/// Blocks below which threads cost more than they save.
#[cfg(feature = "parallel")]
const FEW: usize = 4;

impl<W: BlockWidth> Packs<W> {
    /// Creates the work area for ragdolls of this plan.
    pub fn new(plan: &BatchModel, obstacles: &[HerdObstacle]) -> Self {
        Self { areas: vec![WorkArea::new(plan, obstacles)] }
    }

    /// Takes other obstacles.
    pub fn set_obstacles(&mut self, obstacles: &Obstacles<W>) {
        self.areas.iter_mut().for_each(|area| area.obstacles.clone_from(obstacles));
    }

    /// Reserves memory for a step, because a clone has only the capacity of its contents.
    pub fn reserve(&mut self, plan: &BatchModel) {
        self.areas.iter_mut().for_each(|area| area.reserve(plan));
    }

    /// A part of a step of all ragdolls that it is of. Many blocks are spread over the threads of the current pool.
    pub fn step(&mut self, part: StepPart, constants: PackConstants<'_>, blocks: &mut [LaneBlock<W>]) {
        #[cfg(feature = "parallel")]
        if blocks.len() >= FEW && rayon::current_num_threads() > 1 {
            use rayon::prelude::*;
            let share = blocks.len().div_ceil(rayon::current_num_threads());
            while self.areas.len() < blocks.len().div_ceil(share) {
                self.areas.push(self.areas[0].clone());
            }
            let shares = blocks.par_chunks_mut(share).zip(&mut self.areas);
            shares.for_each(|(blocks, area)| area.step(part, constants, blocks));
            return;
        }
        self.areas[0].step(part, constants, blocks);
    }
}

/// Work area of one thread.
#[derive(Clone, Debug)]
struct WorkArea<W: BlockWidth = Sixteen> {
    /// Obstacles, to be placed for each pack.
    obstacles: Obstacles<W>,
    scratch: Scratch<W>,
    pack: LaneBlock<W>,
    lent: Vec<Lent>,
}

/// A ragdoll that was copied into the pack.
#[derive(Clone, Copy, Debug)]
struct Lent {
    /// Index of the block of the ragdoll.
    block: usize,
    /// Lane of the ragdoll in its block.
    lane: usize,
    /// Lane of the ragdoll in the pack.
    place: usize,
}

/// Selects the ragdolls with equal substeps, and says how to step them.
struct Stage {
    /// Constants of the step.
    pace: KernelPace,
    /// Substeps of a whole step.
    count: u32,
    /// Substeps of the repeated step if the check fails; `None` if steps are not checked.
    next: Option<u32>,
    /// Whether to take ragdolls that may touch others.
    meets: bool,
}

/// Plan, settings and obstacles: constant within a step.
type PackConstants<'a> = (&'a BatchModel, &'a HerdSettings, &'a [HerdObstacle]);

impl<W: BlockWidth> WorkArea<W> {
    fn new(plan: &BatchModel, obstacles: &[HerdObstacle]) -> Self {
        Self {
            obstacles: obstacle_rows(obstacles, plan.friction),
            scratch: Scratch::new(plan),
            pack: LaneBlock::new(plan),
            lent: Vec::with_capacity(LANES),
        }
    }

    fn reserve(&mut self, plan: &BatchModel) {
        make_room(&mut self.lent, LANES);
        make_room(&mut self.pack.pairs, plan.pairs.len());
    }

    fn step(&mut self, part: StepPart, constants: PackConstants<'_>, blocks: &mut [LaneBlock<W>]) {
        match part {
            StepPart::Alone => self.step_alone(constants, blocks),
            StepPart::Meeting => self.step_meeting(constants, blocks),
        }
    }

    /// A whole step of all ragdolls that may touch no other.
    fn step_alone(&mut self, constants: PackConstants<'_>, blocks: &mut [LaneBlock<W>]) {
        let (plan, settings, _) = constants;
        let mut paces = substeps(settings).peekable();
        while let Some(count) = paces.next() {
            let next = paces.peek().copied();
            let pace = KernelPace { is_judged: next.is_some(), ..pace(plan, settings, count) };
            self.advance_all(constants, &Stage { pace, count, next, meets: false }, blocks);
        }
    }

    /// The interval between two contact solves of all ragdolls that may touch others.
    fn step_meeting(&mut self, constants: PackConstants<'_>, blocks: &mut [LaneBlock<W>]) {
        let (plan, settings, _) = constants;
        let looks = settings.meeting_substeps;
        blocks.iter_mut().for_each(|block| block.shorten_substeps(plan, settings));
        let mut parts = 1;
        loop {
            let count = looks * parts;
            let next = count.checked_mul(2).filter(|&next| next <= settings.most_substeps);
            let pace =
                KernelPace { substeps: parts as usize, is_judged: next.is_some(), ..pace(plan, settings, count) };
            self.advance_all(constants, &Stage { pace, count, next, meets: true }, blocks);
            if next.is_none() {
                break;
            }
            parts *= 2;
        }
        blocks.iter_mut().for_each(|block| block.lengthen_substeps(plan, settings));
    }

    /// Steps all ragdolls of one stage.
    fn advance_all(&mut self, constants: PackConstants<'_>, stage: &Stage, blocks: &mut [LaneBlock<W>]) {
        let is_packed = saves(blocks, stage);
        for index in 0..blocks.len() {
            match blocks[index].count(stage) {
                0 => {}
                count if is_packed && count < W::LANES => self.add(index, (constants, stage), blocks),
                _ if is_packed => {}
                _ => self.advance_block(index, (constants, stage), blocks),
            }
        }
        if !self.lent.is_empty() {
            self.advance(constants, stage, blocks);
        }
        for index in 0..blocks.len() {
            if is_packed && blocks[index].count(stage) == W::LANES {
                self.advance_block(index, (constants, stage), blocks);
            }
        }
    }

    /// Steps the ragdolls of a block that belong to the stage, in a pack of their own.
    fn advance_block(
        &mut self,
        index: usize,
        (constants, stage): (PackConstants<'_>, &Stage),
        blocks: &mut [LaneBlock<W>],
    ) {
        let block = &blocks[index];
        self.pack.lend_all(block);
        let chosen = (0..W::LANES).filter(|&lane| block.takes(lane, stage));
        self.lent.extend(chosen.map(|lane| Lent { block: index, lane, place: lane }));
        self.advance(constants, stage, blocks);
    }

    /// Copies the ragdolls of a block that belong to the stage into the pack, and steps the pack whenever it is full.
    fn add(&mut self, index: usize, (constants, stage): (PackConstants<'_>, &Stage), blocks: &mut [LaneBlock<W>]) {
        let mut next = 0;
        while next < W::LANES {
            let (mut lanes, mut count) = ([(0, 0); LANES], 0);
            while next < W::LANES && self.lent.len() < W::LANES {
                if blocks[index].takes(next, stage) {
                    lanes[count] = (self.lent.len(), next);
                    count += 1;
                    self.lent.push(Lent { block: index, lane: next, place: self.lent.len() });
                }
                next += 1;
            }
            self.pack.lend(constants.0, &blocks[index], &lanes[..count]);
            if self.lent.len() == W::LANES {
                self.advance(constants, stage, blocks);
            }
        }
    }

    /// Steps the pack and copies results back. Ragdolls that fail the check keep their old state and get more substeps.
    fn advance(&mut self, (plan, settings, obstacles): PackConstants<'_>, stage: &Stage, blocks: &mut [LaneBlock<W>]) {
        let Self { pack, scratch, lent, .. } = self;
        pack.places = [Place::Empty; LANES];
        lent.iter().for_each(|one| pack.places[one.place] = blocks[one.block].places[one.lane]);
        if stage.meets {
            collect_pairs(&mut pack.pairs, plan, lent, blocks);
        } else {
            pack.find_pairs(plan, settings);
        }
        pack.advance((plan, settings), &stage.pace, (obstacles, &mut self.obstacles), scratch);
        for of_block in lent.chunk_by(|one, other| one.block == other.block) {
            let block = &mut blocks[of_block[0].block];
            let (mut lanes, mut count) = ([(0, 0); LANES], 0);
            for one in of_block {
                match stage.next {
                    Some(more) if scratch.is_wrong.0[one.place] > 0.5 => {
                        block.take_substeps(plan, settings, one.lane, more);
                    }
                    _ => {
                        lanes[count] = (one.lane, one.place);
                        count += 1;
                    }
                }
            }
            if count == W::LANES {
                block.exchange(pack);
            } else {
                block.take_back(pack, &lanes[..count]);
            }
        }
        lent.clear();
    }
}

/// Possible numbers of substeps per step, ascending: for calm ragdolls, for moving ones, and for repeated steps.
fn substeps(settings: &HerdSettings) -> impl Iterator<Item = u32> + use<> {
    let (moving, most) = (settings.substeps, settings.most_substeps);
    core::iter::successors(Some(settings.calm_substeps.min(moving)), move |&last| match last {
        last if last < moving => Some(moving),
        last if last < most => Some(last.saturating_mul(2).min(most)),
        _ => None,
    })
}

/// Constants of a step of so many substeps.
pub(super) fn pace(plan: &BatchModel, settings: &HerdSettings, substeps: u32) -> KernelPace {
    let substep = settings.time_step / f64::from(substeps);
    KernelPace {
        substeps: substeps as usize,
        fall: (settings.gravity * substep * substep).to_array().map(|value| value as f32),
        kept: libm::exp(-f64::from(plan.drag) * substep) as f32,
        patience: libm::pow(settings.patience, substep * 1440.0) as f32,
        substep: substep as f32,
        recovery: [RECOVERY[0], RECOVERY[1]].map(|speed| (speed * substep) as f32),
        hold: plan.mass * HOLD,
        friction: plan.friction,
        rounding: settings.rounding,
        is_judged: false,
    }
}

/// Effective mass that holds a contact point, in masses of the ragdoll. Less lets a hit penetrate, more costs digits of
/// the lightest body.
const HOLD: f32 = 20.0;

/// Greatest speeds at which an old penetration (m/s) and an old violation of a joint limit (rad/s) are corrected.
const RECOVERY: [f64; 2] = [0.5, 5.0];

/// Collects the capsule pairs of the ragdolls in a pack from those found for their blocks in this step.
fn collect_pairs<W: BlockWidth>(
    pairs: &mut Vec<NearPair<W>>,
    plan: &BatchModel,
    lent: &[Lent],
    blocks: &[LaneBlock<W>],
) {
    pairs.clear();
    if lent.len() == W::LANES && lent[0].block == lent[W::LANES - 1].block {
        pairs.extend_from_slice(&blocks[lent[0].block].pairs);
        return;
    }
    for pair in 0..plan.pairs.len() {
        let mut lanes = LaneValues::<W>::ZERO;
        let mut is_any = false;
        for one in lent {
            let of_block = &blocks[one.block].pairs;
            if let Ok(place) = of_block.binary_search_by_key(&pair, |near| near.pair) {
                lanes.0[one.place] = of_block[place].lanes.0[one.lane];
                is_any |= lanes.0[one.place] > 0.5;
            }
        }
        if is_any {
            pairs.push(NearPair { pair, lanes });
        }
    }
}

/// Whether packing lanes of different blocks is worth the copies: it must leave a fifth fewer packs than blocks.
fn saves<W: BlockWidth>(blocks: &[LaneBlock<W>], stage: &Stage) -> bool {
    let counts = || blocks.iter().map(|block| block.count(stage)).filter(|&count| count > 0);
    let packs = counts().sum::<usize>().div_ceil(W::LANES);
    5 * packs <= 4 * counts().count()
}

impl<W: BlockWidth> LaneBlock<W> {
    /// Whether the ragdoll of a lane belongs to the stage.
    fn takes(&self, lane: usize, stage: &Stage) -> bool {
        self.meets[lane] == stage.meets && self.is_awake(lane) && self.substeps(lane) == stage.count
    }

    /// Number of ragdolls of this block that belong to the stage.
    fn count(&self, stage: &Stage) -> usize {
        (0..W::LANES).filter(|&lane| self.takes(lane, stage)).count()
    }

    /// Converts displacements of ragdolls that failed a check earlier in this step to their shorter substeps.
    fn shorten_substeps(&mut self, plan: &BatchModel, settings: &HerdSettings) {
        for lane in 0..W::LANES {
            if self.meets[lane] && self.is_awake(lane) && self.taken_again[lane] > 0 {
                self.take_substeps(plan, settings, lane, self.taken_again[lane]);
            }
        }
    }

    /// Converts all displacements to the common substeps again, as contact impulses expect.
    fn lengthen_substeps(&mut self, plan: &BatchModel, settings: &HerdSettings) {
        let looks = settings.meeting_substeps;
        for lane in 0..W::LANES {
            if self.meets[lane] && self.is_awake(lane) && self.substeps[lane] != looks {
                self.taken_again[lane] = self.substeps[lane];
                self.take_substeps(plan, settings, lane, looks);
            }
        }
    }

    /// Copies everything that a step reads from a block, which stays unchanged.
    fn lend_all(&mut self, from: &Self) {
        self.bodies.copy_from_slice(&from.bodies);
        self.touches.copy_from_slice(&from.touches);
        self.pulled.copy_from_slice(&from.pulled);
        self.drives.clone_from(&from.drives);
        self.push.clone_from(&from.push);
        (self.origins, self.substeps) = (from.origins, from.substeps);
        (self.ceiling, self.elapsed) = (from.ceiling, from.elapsed);
    }

    /// Copies everything that a step reads of ragdolls; each pair of lanes is target and source. Lanes are filled from
    /// the first.
    fn lend(&mut self, plan: &BatchModel, from: &Self, lanes: &[(usize, usize)]) {
        if lanes.first().is_some_and(|&(lane, _)| lane == 0) {
            self.drives.clear();
            self.push.clear();
        }
        self.take_back(from, lanes);
        if self.drives.is_empty() && !from.drives.is_empty() {
            self.drives.resize(plan.bodies.len(), DriveRows::NONE);
        }
        for &(lane, from_lane) in lanes {
            self.origins[lane] = from.origins[from_lane];
            self.substeps[lane] = from.substeps[from_lane];
            for (index, rows) in self.drives.iter_mut().enumerate() {
                match from.drives.get(index) {
                    Some(from) => rows.copy_lane(lane, (from, from_lane)),
                    None => rows.release(lane),
                }
            }
            push::copy_lane(&mut self.push, lane, (&from.push, from_lane));
        }
    }

    /// Copies everything that a step changes of ragdolls; each pair of lanes is target and source.
    fn take_back(&mut self, from: &Self, lanes: &[(usize, usize)]) {
        copy_lanes(&mut self.bodies, &from.bodies, lanes);
        let to = self
            .touches
            .iter_mut()
            .chain(self.pulled.iter_mut().flatten())
            .chain([&mut self.ceiling, &mut self.elapsed]);
        let from = from.touches.iter().chain(from.pulled.iter().flatten()).chain([&from.ceiling, &from.elapsed]);
        to.zip(from).for_each(|(to, from)| copy_row(to, from, lanes));
    }

    /// Swaps everything that a step changes with a pack that held the whole block.
    fn exchange(&mut self, pack: &mut Self) {
        core::mem::swap(&mut self.bodies, &mut pack.bodies);
        core::mem::swap(&mut self.touches, &mut pack.touches);
        core::mem::swap(&mut self.pulled, &mut pack.pulled);
        (self.ceiling, self.elapsed) = (pack.ceiling, pack.elapsed);
    }
}
