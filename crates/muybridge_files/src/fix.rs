//! Corrects a clip within its file: [`muybridge::correction`] on the clip as read, written back and read again.
//!
//! ```text
//! file ── prepare ──► character, clip ── plan, apply ──► clip ── rewrite ──► file
//! ▲                     │ a flight gets other frames: its keys move in the file, which is read again
//!   └─────────────────────┘
//! ```
//! The correction ends when the file as written needs no more correction, so that correcting the file again changes nothing.
//! Every version is judged twice: by the contacts of the original, so that nothing passes because contacts vanish, and by those
//! that `check` finds in it. A version that is worse by either is not written.

use std::sync::Arc;

use muybridge::analysis::{Analysis, Finding, FindingId, FindingSection, FrozenContacts, Settings, Severity};
use muybridge::character::Character;
use muybridge::correction::{
    CorrectedClip, FixSettings, FixStep, Largest, RootBone, Unfixed, compare, fix_with, largest_changes,
    retimed_settings,
};
use muybridge::motion::{Clip, TimeMap};

use crate::open::Opened;
use crate::prepare::{Preparation, Prepared, analyze, prepare};
use crate::{Error, rewrite};

/// Greatest number of passes over the written file; rounding to 32-bit floats can bring a flight back over a limit.
const MOST_PASSES: usize = 4;

/// Factor by which a finding of feet may grow: contacts are found anew.
const GROWTH: f64 = 1.05;

/// Factor by which the change in the written file may exceed its bounds: rounding.
const FURTHER: f64 = 1.001;

/// A corrected clip of a file.
pub struct FixedClip {
    /// Clip and character before the correction.
    pub before: Prepared,
    /// Clip and character as read from the corrected file.
    pub after: Prepared,
    /// Analysis before the correction.
    pub found_before: Analysis,
    /// Analysis of the corrected file by the contacts before the correction; by its own where the ends of flights were moved.
    pub found_after: Analysis,
    /// Corrections applied, step by step.
    pub steps: Vec<FixStep>,
    /// Requests that cannot be met, and findings that no tool improves, each with the reason.
    pub left: Vec<Unfixed>,
    /// Maps frames of the corrected clip to original frames.
    pub map: TimeMap,
    /// Greatest changes from the original clip.
    pub largest: Largest,
}

/// Corrects clip `index` in the file and reports the changes. The file must be writable ([`rewrite::writable`]). After an error
/// the file is unchanged.
pub fn fix_clip(
    opened: &mut Opened,
    index: usize,
    preparation: &Preparation,
    settings: &Settings,
    fix: &FixSettings,
) -> Result<FixedClip, Error> {
    let before = prepare(&opened.imported, index, preparation)?;
    let (mut settings, mut fix) = (settings.clone(), fix.clone());
    fix.protect(&rewrite::fixed_bones(opened));
    let mut map = TimeMap::identity(before.clip.frames());
    let (mut steps, mut left) = (Vec::new(), Vec::new());
    let found_before = analyze(&before, &settings);
    let contacts = FrozenContacts::of(&before.character, &before.clip, &settings);
    let frozen = Settings { contacts: Some(Arc::new(contacts)), ..settings.clone() };
    let places_ends = fix.places_ends();
    // What is written has the right clock.
    let mut after = Prepared { misread_clock: None, ..before.clone() };
    let is_misread = before.misread_clock.is_some();
    let mut found_after = if is_misread { analyze(&after, &settings) } else { found_before.clone() };
    let mut judged_after = found_after.clone();
    let mut corrected: Option<Opened> = None;
    let root = RootBone::of(&before.character, &before.clip);
    let root = root.as_ref().map_or(&[][..], RootBone::bones);
    for pass in 0..MOST_PASSES {
        let source = corrected.as_ref().unwrap_or(opened);
        let mut file = FileCorrection { source, written: None, index, preparation, prepared: after.clone() };
        let mut fixed = file.pass(&settings, &fix)?;
        let Some(file) = file.written else {
            left = fixed.left;
            break;
        };
        let now = prepare(&file.imported, index, preparation)?;
        let map_now = map.then(&fixed.map);
        let found = Settings { contacts: None, ..fixed.settings.clone() };
        let found_now = analyze(&now, &found);
        let judged_now = match places_ends {
            true => found_now.clone(),
            false => analyze(&with_character_of(&before, &now), &retimed_settings(&frozen, &map_now)),
        };
        let shows = worse(&judged_after.findings, &judged_now.findings)
            .or_else(|| worse(&found_after.findings, &found_now.findings))
            .or_else(|| grown(&found_after.findings, &found_now.findings))
            .map(|names| format!("what was corrected shows {names} once it is written"));
        let largest = largest_changes(&before.character.skeleton, (&before.clip, &now.clip), &map_now, root);
        let ankles = fixed.steps.iter().chain(&steps).filter_map(|step| step.applied.feet.as_ref());
        let ankles = ankles.flat_map(|feet| &feet.ankles).map(|&(_, turn)| turn).fold(0.0, f64::max);
        let far = largest.root_moved.0 > FURTHER * fix.bounds.shift
            || largest.root_turned.0.max(largest.joint) > FURTHER * fix.bounds.turn.max(ankles);
        let beyond = || far.then(|| "correcting it further goes beyond the bounds".to_owned());
        if let Some(why) = shows.or_else(beyond).filter(|_| !fix.asks()) {
            // Soles, floor and masses are detected anew in the written file.
            fixed.add_unfixed(format!("{why}, so it is as it was"));
            left = fixed.left;
            break;
        }
        if pass + 1 == MOST_PASSES {
            fixed.add_unfixed("it has not settled; correct the result again".into());
        }
        (corrected, after, found_after, judged_after) = (Some(file), now, found_now, judged_now);
        (settings, fix, left) = (found, fixed.fix, fixed.left);
        steps.extend(fixed.steps);
        map = map_now;
        if fix.strength < 1.0 {
            break;
        }
    }
    if let Some(corrected) = corrected {
        *opened = corrected;
    }
    let largest = largest_changes(&before.character.skeleton, (&before.clip, &after.clip), &map, root);
    Ok(FixedClip { before, after, found_before, found_after: judged_after, steps, left, map, largest })
}

/// Names of the findings that are worse than before; `None` if none is.
fn worse(before: &[Finding], now: &[Finding]) -> Option<String> {
    let worse = compare(before, now).worse;
    (!worse.is_empty()).then(|| FindingId::joined(&worse))
}

/// Names of the findings of feet whose values are farther outside their limits than before; `None` if none is. Nothing is corrected after the file
/// is written, so what a comparison of steps lets pass is not let pass here.
fn grown(before: &[Finding], now: &[Finding]) -> Option<String> {
    let of_feet =
        |finding: &&Finding| finding.severity < Severity::Note && finding.id.section() == FindingSection::Feet;
    let largest = |id: FindingId| before.iter().filter(|old| old.id == id).map(|old| old.value).fold(0.0, f64::max);
    let is_grown = |finding: &&Finding| {
        let most = largest(finding.id).max(finding.limit[1].unwrap_or(0.0));
        finding.value > GROWTH * most
    };
    let grown: Vec<FindingId> = now.iter().filter(of_feet).filter(is_grown).map(|finding| finding.id).collect();
    (!grown.is_empty()).then(|| FindingId::joined(&grown))
}

/// The clip as written with the body and the soles from before the correction; with its own if the skeleton or the unit differs.
fn with_character_of(before: &Prepared, now: &Prepared) -> Prepared {
    let same = before.character.skeleton == now.character.skeleton
        && before.units.meters_per_unit == now.units.meters_per_unit;
    let character = if same { &before.character } else { &now.character };
    Prepared { character: character.clone(), ..now.clone() }
}

/// A file, with its latest corrected version.
struct FileCorrection<'a> {
    source: &'a Opened,
    written: Option<Opened>,
    index: usize,
    preparation: &'a Preparation,
    prepared: Prepared,
}

impl FileCorrection<'_> {
    /// Corrects the clip until no step is left, and writes it. `written` stays `None` if nothing changes.
    fn pass(&mut self, settings: &Settings, fix: &FixSettings) -> Result<CorrectedClip, Error> {
        let start = (self.prepared.character.clone(), self.prepared.clip.clone());
        let fixed = fix_with(start, settings, fix, |clip, map| self.retime(clip, map))?;
        self.correct(&fixed.clip)?;
        Ok(fixed)
    }

    fn now(&self) -> &Opened {
        self.written.as_ref().unwrap_or(self.source)
    }

    /// Writes the poses of `clip` to the file and reads the file again.
    fn correct(&mut self, clip: &Clip) -> Result<(), Error> {
        if *clip == self.prepared.clip {
            return Ok(());
        }
        let opened = rewrite::corrected(self.now(), self.index, &self.prepared.units, &self.prepared.clip, clip)?;
        self.reopen(opened)
    }

    fn retime(&mut self, clip: &Clip, map: &TimeMap) -> Result<(Character, Clip), Error> {
        self.correct(clip)?;
        let opened = rewrite::retimed(self.now(), self.index, map)?;
        self.reopen(opened)?;
        Ok((self.prepared.character.clone(), self.prepared.clip.clone()))
    }

    fn reopen(&mut self, opened: Opened) -> Result<(), Error> {
        self.prepared = prepare(&opened.imported, self.index, self.preparation)?;
        self.written = Some(opened);
        Ok(())
    }
}
