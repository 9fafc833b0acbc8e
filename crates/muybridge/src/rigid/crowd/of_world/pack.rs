//! A step of trees that are alike, one per lane.

use std::any::Any;
use std::sync::Arc;

use super::damping::LaneDamping;
use super::member::Member;
use super::own::{OwnExtras, PairBuffers};
use super::rig::Rig;
use crate::math::lanes::{Kernel, Lanes, Width};
use crate::rigid::crowd;
use crate::rigid::crowd::BatchScratch;
use crate::rigid::crowd::block::WIDE;
use crate::rigid::rattle::Rattle;
use crate::rigid::settings::Settings;
use crate::rigid::state::State;

/// Buffers and solvers for trees of one rig.
#[derive(Clone, Debug)]
pub(super) struct LaneBuffers<V> {
    scratch: BatchScratch<V>,
    /// Factorization with the damping of joints.
    driven: Rattle<V>,
    damping: LaneDamping<V>,
    pairs: PairBuffers,
}

/// Buffers of the last step of a pack, for its rig and width; they carry no state.
#[derive(Debug, Default)]
pub(super) struct KeptBuffers(Option<(Arc<Rig>, Box<dyn Any + Send + Sync>)>);

impl Clone for KeptBuffers {
    fn clone(&self) -> Self {
        Self(None)
    }
}

impl KeptBuffers {
    /// Takes the buffers for trees of a rig.
    fn take<V: Lanes>(&mut self, rig: &Arc<Rig>, zero: V) -> Box<LaneBuffers<V>> {
        let kept = self.0.take().filter(|(of, _)| Arc::ptr_eq(of, rig));
        kept.and_then(|(_, kept)| kept.downcast().ok()).unwrap_or_else(|| Box::new(LaneBuffers::new(zero, rig)))
    }
}

/// A step of trees of one rig, as many at a time as a vector has lanes.
struct StepTrees<'a, 'b, 'c> {
    rig: Arc<Rig>,
    members: &'a mut [&'b mut Member],
    settings: &'c Settings,
    state: &'c State,
    kept: &'a mut KeptBuffers,
}

impl Kernel for StepTrees<'_, '_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self, token: V::Token) {
        let Self { rig, members, settings, state, kept } = self;
        let mut buffers = kept.take(&rig, V::splat(token, 0.0));
        for members in members.chunks_mut(V::WIDTH) {
            buffers.step(token, &rig, members, (settings, state));
        }
        kept.0 = Some((rig, buffers));
    }
}

/// Steps trees of one rig.
pub(super) fn step(members: &mut [&mut Member], settings: &Settings, state: &State, kept: &mut KeptBuffers) {
    let Some(first) = members.first() else { return };
    let count = members.len();
    let work = StepTrees { rig: first.rig.clone(), members, settings, state, kept };
    if count == 1 {
        work.run::<f64>(());
    } else {
        Width::widest().for_singles(2 * count).run(work);
    }
}

/// Number of trees that are stepped side by side.
pub(super) fn most() -> usize {
    Width::widest().lanes()
}

impl<V: Lanes> LaneBuffers<V> {
    fn new(zero: V, rig: &Rig) -> Self {
        let mechanism = rig.mechanism();
        Self {
            scratch: BatchScratch::new(zero, mechanism, &rig.plan),
            driven: Rattle::new(zero, mechanism),
            damping: LaneDamping::new(zero, &rig.model),
            pairs: PairBuffers::default(),
        }
    }

    /// Steps as many trees as there are lanes, or fewer.
    #[inline(always)]
    fn step(
        &mut self,
        token: V::Token,
        rig: &Rig,
        members: &mut [&mut Member],
        (settings, state): (&Settings, &State),
    ) {
        let substeps = settings.substeps.max(1);
        let of_batch = crowd::Settings {
            time_step: settings.time_step / f64::from(substeps),
            gravity: settings.gravity,
            longest_step: settings.longest_joined(),
            slop: settings.slop,
            bounce: settings.bounce,
            ..crowd::Settings::default()
        };
        let present: [f64; WIDE] = core::array::from_fn(|lane| if lane < members.len() { 1.0 } else { 0.0 });
        let (mut lanes, mut trees, mut drags) = (Vec::new(), Vec::new(), Vec::new());
        for member in &mut *members {
            lanes.push(&mut member.lanes);
            trees.push(&mut member.own);
            drags.push(&member.drags[..]);
        }
        let Self { scratch, driven, damping, pairs } = self;
        scratch.lanes.gather(token, &lanes);
        let sound = damping.gather(token, &drags, (rig.mechanism(), &rig.model, &scratch.lanes.poses));
        pairs.gather(&trees, rig);
        let present = V::load(token, &present);
        scratch.touch.worst = V::select(sound, present.like(0.0), present.like(f64::INFINITY));
        let mut extras = OwnExtras { token, trees: &mut trees, rig, driven, damping, state, pairs };
        scratch.walk_on((rig.mechanism(), &of_batch, &rig.plan), (present, substeps), &mut extras);
        scratch.lanes.scatter(&mut lanes);
        let work = &scratch.touch.work;
        let numbers = [
            work.strides,
            work.factorizations,
            work.tree_solves,
            work.passes,
            work.corrections,
            scratch.touch.worst,
            scratch.lanes.pace[1],
        ];
        let mut rows = [[0.0; WIDE]; 7];
        for (row, number) in rows.iter_mut().zip(numbers) {
            number.store(row);
        }
        for (lane, member) in members.iter_mut().enumerate() {
            let [a, b, c, d, e, worst, walks] = rows.map(|row| row[lane]);
            (member.work, member.worst, member.walks) = ([a, b, c, d, e], worst, walks);
        }
    }
}
