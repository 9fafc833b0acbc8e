//! Corrects a faulty clip in steps until no tool finds anything left to do.

use core::convert::Infallible;
use std::sync::Arc;

use super::apply::{self, Given};
use super::bounds::{Baseline, turns};
use super::plan::{CorrectionPlan, CorrectionStage, Task, Unfixed, retimed_settings};
use super::settings::FixSettings;
use crate::analysis::{Analysis, FrozenContacts, Settings, Tool, analyze};
use crate::character::{Character, Skeleton};
use crate::motion::sample::translation_at;
use crate::motion::{Clip, TimeMap};

/// Maximal number of correction steps: paths, spins and feet, and further steps for the faults that each of them causes.
const MOST_STEPS: usize = 8;

/// A corrected clip, with the steps that led to it.
#[derive(Clone, Debug)]
pub struct CorrectedClip {
    /// Character of the clip, as given or as returned by the last retiming.
    pub character: Character,
    /// The clip as corrected so far.
    pub clip: Clip,
    /// Map from frames of the corrected clip to frames of the original clip.
    pub map: TimeMap,
    /// Settings of the analysis; frames that the user named are those of the corrected clip. Its contacts are those of the original clip: a
    /// correction must not pass because contacts vanish.
    pub settings: Settings,
    /// Settings of the correction; the allowed frames are those of the corrected clip.
    pub fix: FixSettings,
    /// Correction steps so far; frames are those of the clip before the step.
    pub steps: Vec<FixStep>,
    /// Flights and feet that could not be corrected as asked, or that no tool improves.
    pub left: Vec<Unfixed>,
    /// Analysis of the original clip.
    pub before: Analysis,
    /// Analysis of the corrected clip, by the contacts of the original clip.
    pub after: Analysis,
    /// The clip that changes are measured from.
    baseline: Baseline,
}

/// A plan and the changes made by applying it.
#[derive(Clone, Debug)]
pub struct FixStep {
    /// The plan of the step.
    pub plan: CorrectionPlan,
    /// Changes made to the clip.
    pub applied: apply::Applied,
}

/// Corrects a clip in memory; poses of retimed flights are sampled by splines.
pub fn fix(character: &Character, clip: &Clip, settings: &Settings, fix: &FixSettings) -> CorrectedClip {
    let retimer = |clip: &Clip, map: &TimeMap| Ok::<_, Infallible>((character.clone(), map.apply(clip)));
    match fix_with((character.clone(), clip.clone()), settings, fix, retimer) {
        Ok(fixed) => fixed,
        Err(never) => match never {},
    }
}

/// Corrects a clip whose frames the callback `retimed` moves in time, for clips of a file with keys of its own. The callback gets the current clip
/// and the time map of the step and returns character and retimed clip. Errors are those of the callback.
pub fn fix_with<E>(
    (character, clip): (Character, Clip),
    settings: &Settings,
    fix: &FixSettings,
    mut retimed: impl FnMut(&Clip, &TimeMap) -> Result<(Character, Clip), E>,
) -> Result<CorrectedClip, E> {
    let before = analyze(&character, &clip, settings);
    let mut state = CorrectedClip::begin((character, clip), before, settings, fix);
    if fix.strength < 1.0 {
        state.carry_out_once(&mut retimed)?;
    } else {
        state.run_until_done(&mut retimed)?;
    }
    Ok(state)
}

/// Applies only the requested ends, height, duration and spin of flights, once: a quick preview while the user drags a handle. `before` is the
/// analysis of the clip. All other corrections and refusals follow in the complete [`fix()`].
pub fn sketch(
    character: &Character,
    clip: &Clip,
    before: &Analysis,
    settings: &Settings,
    fix: &FixSettings,
) -> CorrectedClip {
    let mut state = CorrectedClip::begin((character.clone(), clip.clone()), before.clone(), settings, fix);
    let mut retimer = |clip: &Clip, map: &TimeMap| Ok::<_, Infallible>((character.clone(), map.apply(clip)));
    for stage in [CorrectionStage::Ends, CorrectionStage::ForcedArcs, CorrectionStage::ForcedSpins] {
        let mut left = Vec::new();
        let plan = state.task().stage(stage, &mut left);
        state.left.append(&mut left);
        match state.carry_out(stage, plan, &mut retimer) {
            Ok(()) => {}
            Err(never) => match never {},
        }
    }
    state
}

impl CorrectedClip {
    /// Initial state without any correction.
    fn begin((character, clip): (Character, Clip), before: Analysis, settings: &Settings, fix: &FixSettings) -> Self {
        let map = TimeMap::identity(clip.frames());
        let baseline = Baseline::new(&character, &clip);
        let contacts = settings.contacts.clone();
        let contacts = contacts.unwrap_or_else(|| Arc::new(FrozenContacts::of(&character, &clip, settings)));
        Self {
            character,
            clip,
            map,
            settings: Settings { contacts: Some(contacts), ..settings.clone() },
            fix: fix.clone(),
            steps: Vec::new(),
            left: Vec::new(),
            after: before.clone(),
            before,
            baseline,
        }
    }

    /// Records a reason why the clip stays as it is.
    pub fn add_unfixed(&mut self, why: String) {
        self.left.push(Unfixed { first: self.after.range.0, last: self.after.range.1 - 1, why });
    }

    fn task(&self) -> Task<'_> {
        let (character, clip, analysis) = (&self.character, &self.clip, &self.after);
        Task { character, clip, analysis, settings: &self.settings, fix: &self.fix, baseline: &self.baseline }
    }

    /// Runs every stage once: with a strength below 1, repetition would correct more than the requested share.
    fn carry_out_once<E>(
        &mut self,
        retimed: &mut impl FnMut(&Clip, &TimeMap) -> Result<(Character, Clip), E>,
    ) -> Result<(), E> {
        for stage in CorrectionStage::ALL {
            let mut left = Vec::new();
            let plan = self.task().stage(stage, &mut left);
            self.left.append(&mut left);
            self.carry_out(stage, plan, retimed)?;
        }
        Ok(())
    }

    /// Plans and applies steps until nothing is left to do.
    fn run_until_done<E>(
        &mut self,
        retimed: &mut impl FnMut(&Clip, &TimeMap) -> Result<(Character, Clip), E>,
    ) -> Result<(), E> {
        loop {
            let (stage, plan, left) = self.task().plan();
            self.left = left;
            if plan.is_empty() {
                return Ok(());
            }
            if self.steps.len() == MOST_STEPS {
                self.add_unfixed(format!(
                    "after {MOST_STEPS} steps there is still something to do; correct the result again"
                ));
                return Ok(());
            }
            self.carry_out(stage, plan, retimed)?;
        }
    }

    fn carry_out<E>(
        &mut self,
        stage: CorrectionStage,
        plan: CorrectionPlan,
        retimed: &mut impl FnMut(&Clip, &TimeMap) -> Result<(Character, Clip), E>,
    ) -> Result<(), E> {
        if plan.is_empty() {
            return Ok(());
        }
        let map = plan.time_map(self.clip.frames());
        if !map.is_identity() {
            (self.character, self.clip) = retimed(&self.clip, &map)?;
            self.settings = retimed_settings(&self.settings, &map);
            self.fix = self.fix.retimed(&map);
            self.map = self.map.then(&map);
            self.baseline.retime(&map);
            self.left.iter_mut().for_each(|left| left.retime(&map));
        }
        let (character, analysis) = (&self.character, &self.after);
        let given = Given { character, analysis, map: &map, settings: &self.settings, fix: &self.fix };
        let applied = apply::apply(&given, &plan, &mut self.clip);
        if stage == CorrectionStage::Ends {
            // The ground is where the user moves the ends to.
            let found = Settings { contacts: None, ..self.settings.clone() };
            let contacts = FrozenContacts::of(&self.character, &self.clip, &found);
            self.settings.contacts = Some(Arc::new(contacts));
        }
        if stage.is_asked_for() {
            self.baseline = Baseline::new(&self.character, &self.clip);
        }
        self.after = analyze(&self.character, &self.clip, &self.settings);
        if plan.flights.iter().any(|flight| flight.tool == Tool::Place) {
            // The shift of the ends is applied only once; absolute targets can be checked again.
            self.fix.ends = None;
        }
        self.steps.push(FixStep { plan, applied });
        Ok(())
    }
}

/// Difference of angles that is rounding, radians.
const ROUNDING: f64 = 1e-9;

/// Largest differences between a corrected clip and its original, over the frames of the corrected clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Largest {
    /// Largest rotation of a bone against the root, radians.
    pub joint: f64,
    /// Bone and frame of the largest rotation against the root.
    pub joint_at: (usize, usize),
    /// Largest displacement of the root relative to its parent, meters, and its frame.
    pub root_moved: (f64, usize),
    /// Largest rotation of the root, radians, and its frame.
    pub root_turned: (f64, usize),
}

/// Computes the largest changes; `root` lists the bones that move the whole body.
pub fn largest_changes(
    skeleton: &Skeleton,
    (original, corrected): (&Clip, &Clip),
    map: &TimeMap,
    root: &[usize],
) -> Largest {
    let mut largest = Largest::default();
    for frame in 0..corrected.frames() {
        let at = map.source(frame);
        let turns = turns(skeleton, (original, at), (corrected, frame), root);
        for (bone, turn) in turns.into_iter().enumerate() {
            if !root.contains(&bone) {
                // Of bones that turn alike, the first is the one whose joint bends.
                if turn > largest.joint + ROUNDING {
                    (largest.joint, largest.joint_at) = (turn, (bone, frame));
                }
                continue;
            }
            let way = (corrected.translation(bone, frame) - translation_at(original, bone, at)).length();
            if way > largest.root_moved.0 {
                largest.root_moved = (way, frame);
            }
            if turn > largest.root_turned.0 {
                largest.root_turned = (turn, frame);
            }
        }
    }
    largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Limits;
    use crate::correction::Bounds;
    use crate::samples;

    #[test]
    fn s19_a_sketch_lasts_and_falls_as_the_correction_does_and_leaves_the_rest() {
        let (character, clip, settings) = (samples::humanoid(), samples::jump(), Settings::default());
        let before = analyze(&character, &clip, &settings);
        let span = before.flights[0].span;
        let asked =
            FixSettings { duration: Some(0.6), frames: Some((span.first, span.last + 1)), ..FixSettings::default() };
        let sketched = sketch(&character, &clip, &before, &settings, &asked);
        let whole = fix(&character, &clip, &settings, &asked);
        assert_eq!(sketched.steps.len(), 1);
        assert_eq!(sketched.clip.frames(), whole.clip.frames());
        let [one, other] = [&sketched.after, &whole.after].map(|found| &found.flights[0]);
        assert!((one.gravity - 1.0).abs() < 0.01, "{} g", one.gravity);
        assert!(
            (one.span.end - one.span.start - 0.6).abs() < 0.04 && one.span == other.span,
            "{:?} {:?}",
            one.span,
            other.span
        );
        let untouched = sketch(&character, &clip, &before, &settings, &FixSettings { duration: None, ..asked });
        assert!(untouched.steps.is_empty() && untouched.clip == clip);
    }

    #[test]
    fn a_flight_below_half_of_gravity_is_left_unless_it_is_asked_for() {
        let character = samples::humanoid();
        let slow = TimeMap::stretched(151, 66, 91, 40).unwrap().apply(&samples::jump());
        let plain = FixSettings::default();
        let left = fix(&character, &slow, &Settings::default(), &plain);
        assert!(left.clip == slow && left.left[0].why.contains("so something may carry the body"), "{:?}", left.left);
        let bounds = Bounds { least_gravity: 0.2, ..plain.bounds };
        let made = fix(&character, &slow, &Settings::default(), &FixSettings { bounds, ..plain.clone() });
        assert!((made.after.flights[0].gravity - 1.0).abs() < 0.01);
        let span = made.before.flights[0].span;
        let marked = Settings { flights: vec![(span.first, span.last)], ..Settings::default() };
        let made = fix(&character, &slow, &marked, &plain);
        assert!((made.after.flights[0].gravity - 1.0).abs() < 0.01, "{:?}", made.left);
    }

    #[test]
    fn a_correction_is_judged_by_the_contacts_of_before() {
        let character = samples::humanoid();
        let fast = TimeMap::stretched(151, 66, 91, 17).unwrap().apply(&samples::jump());
        let fixed = fix(&character, &fast, &Settings::default(), &FixSettings::default());
        let contacts = FrozenContacts::of(&character, &fast, &Settings::default()).retimed(&fixed.map);
        assert_eq!(fixed.settings.contacts.as_deref(), Some(&contacts));
        assert_eq!(fixed.after, analyze(&character, &fixed.clip, &fixed.settings));
    }

    #[test]
    fn a_clip_whose_root_never_moves_is_left_with_the_reason() {
        let character = samples::humanoid();
        let mut nailed = samples::walk();
        for frame in 0..nailed.frames() {
            nailed.set_translation(0, frame, nailed.translation(0, 0));
        }
        let limits =
            Limits { float_m: [1e-4, 1.0], penetration_m: [1e-4, 1.0], skate_mps: [1e-4, 1.0], ..Limits::default() };
        let settings = Settings { limits, ..Settings::default() };
        let fixed = fix(&character, &nailed, &settings, &FixSettings::default());
        assert!(fixed.clip == nailed && fixed.left[0].why.starts_with("the root never moves"), "{:?}", fixed.left);
    }
}
