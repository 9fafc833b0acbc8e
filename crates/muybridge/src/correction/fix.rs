//! Step by step from a faulty clip to one in which no tool finds anything left to do.

use core::convert::Infallible;

use super::apply::{self, Given};
use super::plan::{CorrectionPlan, CorrectionStage, Task, Unfixed, retimed_settings};
use super::settings::FixSettings;
use crate::analysis::{Analysis, Settings, Tool, analyze};
use crate::character::Character;
use crate::math::rotation::log;
use crate::motion::sample::{rotation_at, translation_at};
use crate::motion::{Clip, TimeMap};

/// Steps after which a correction ends: paths, spins and feet, and once more for what each leaves to the next.
const MOST_STEPS: usize = 8;

/// A corrected clip.
#[derive(Clone, Debug)]
pub struct CorrectedClip {
    /// Who moves; as given, or as the last retiming gave it.
    pub character: Character,
    /// How, now.
    pub clip: Clip,
    /// Where its frames come from.
    pub map: TimeMap,
    /// How it is analysed: frames that the user named, where they are now.
    pub settings: Settings,
    /// What may be done to it: the frames allowed, where they are now.
    pub fix: FixSettings,
    /// What was done, step by step; frames are those of the clip before the step.
    pub steps: Vec<FixStep>,
    /// What was asked for and cannot be, and what no tool makes better.
    pub left: Vec<Unfixed>,
    /// What was found before.
    pub before: Analysis,
    /// What is found now.
    pub after: Analysis,
}

/// A plan and what came of it.
#[derive(Clone, Debug)]
pub struct FixStep {
    /// What was to be done.
    pub plan: CorrectionPlan,
    /// What was done.
    pub applied: apply::Applied,
}

/// Corrects a clip in memory, poses of retimed flights sampled along splines.
pub fn fix(character: &Character, clip: &Clip, settings: &Settings, fix: &FixSettings) -> CorrectedClip {
    let retimer = |clip: &Clip, map: &TimeMap| Ok::<_, Infallible>((character.clone(), map.apply(clip)));
    match fix_with((character.clone(), clip.clone()), settings, fix, retimer) {
        Ok(fixed) => fixed,
        Err(never) => match never {},
    }
}

/// Corrects a clip whose frames are moved in time by `retimed`: from the clip as it is and the map of the step to the
/// retimed clip and its character, where the clip is one of a file that has keys of its own. Errors are the retimer's.
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
        state.settle(&mut retimed)?;
    }
    Ok(state)
}

/// What is asked for of flights (ends, height, duration, spin), once and no more: what a correction comes to while somebody still drags
/// at it. `before` is what was found about the clip; what else a correction does, or refuses to do, comes when the flight is let go.
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
        match state.carry_out(plan, &mut retimer) {
            Ok(()) => {}
            Err(never) => match never {},
        }
    }
    state
}

impl CorrectedClip {
    /// Nothing done yet.
    fn begin((character, clip): (Character, Clip), before: Analysis, settings: &Settings, fix: &FixSettings) -> Self {
        let map = TimeMap::identity(clip.frames());
        Self {
            character,
            clip,
            map,
            settings: settings.clone(),
            fix: fix.clone(),
            steps: Vec::new(),
            left: Vec::new(),
            after: before.clone(),
            before,
        }
    }

    /// Leaves the clip as it is, for a reason.
    pub fn leave(&mut self, why: String) {
        self.left.push(Unfixed { first: self.after.range.0, last: self.after.range.1 - 1, why });
    }

    fn task(&self) -> Task<'_> {
        let (character, clip, analysis) = (&self.character, &self.clip, &self.after);
        Task { character, clip, analysis, settings: &self.settings, fix: &self.fix }
    }

    /// Every stage once: a part of a correction, repeated, would be more than that part.
    fn carry_out_once<E>(
        &mut self,
        retimed: &mut impl FnMut(&Clip, &TimeMap) -> Result<(Character, Clip), E>,
    ) -> Result<(), E> {
        for stage in CorrectionStage::ALL {
            let mut left = Vec::new();
            let plan = self.task().stage(stage, &mut left);
            self.left.append(&mut left);
            self.carry_out(plan, retimed)?;
        }
        Ok(())
    }

    /// Step after step until nothing is left to do.
    fn settle<E>(
        &mut self,
        retimed: &mut impl FnMut(&Clip, &TimeMap) -> Result<(Character, Clip), E>,
    ) -> Result<(), E> {
        loop {
            let (plan, left) = self.task().plan();
            self.left = left;
            if plan.is_empty() {
                return Ok(());
            }
            if self.steps.len() == MOST_STEPS {
                self.leave(format!(
                    "after {MOST_STEPS} steps there is still something to do; correct the result again"
                ));
                return Ok(());
            }
            self.carry_out(plan, retimed)?;
        }
    }

    fn carry_out<E>(
        &mut self,
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
            self.left.iter_mut().for_each(|left| left.retime(&map));
        }
        let (character, analysis) = (&self.character, &self.after);
        let given = Given { character, analysis, map: &map, settings: &self.settings, fix: &self.fix };
        let applied = apply::apply(&given, &plan, &mut self.clip);
        self.after = analyze(&self.character, &self.clip, &self.settings);
        if plan.flights.iter().any(|flight| flight.tool == Tool::Place) {
            // Ways are gone once; what is asked for absolutely can be looked at again.
            self.fix.ends = None;
        }
        self.steps.push(FixStep { plan, applied });
        Ok(())
    }
}

/// How far a corrected clip is from the clip it was made from, frame by frame of the corrected one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Largest {
    /// Largest turn of a joint against its parent but for the root, radians.
    pub joint: f64,
    /// The bone that makes it, and the frame.
    pub joint_at: (usize, usize),
    /// Longest way of the root against its parent, metres, and its frame.
    pub root_moved: (f64, usize),
    /// Largest turn of the root, radians, and its frame.
    pub root_turned: (f64, usize),
}

/// The largest changes; `root` lists the bones that carry the body.
pub fn largest_changes(original: &Clip, corrected: &Clip, map: &TimeMap, root: &[usize]) -> Largest {
    let mut largest = Largest::default();
    for frame in 0..corrected.frames() {
        let at = map.source(frame);
        for bone in 0..corrected.bones() {
            let turn = log(corrected.rotation(bone, frame) * rotation_at(original, bone, at).conjugate()).length();
            if !root.contains(&bone) {
                if turn > largest.joint {
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
}
