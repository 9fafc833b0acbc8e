//! Foot cleanup (for feet and hands): removes foot skating, floating and penetration from contacts.
//!
//! A stretch that stands too high or too low as a whole is put on the floor by moving the body (`raise`). A toe or a heel that dips is lifted by
//! turning the foot about its ankle (`ankles`).
//!
//! For every limb and every span of frames in which its end touches, the end keeps its orientation and is shifted. The shift stops the slip of the
//! standing point and puts the lowest point on the floor (`track`). Beside the spans the shift fades out. Limbs reach their shifted ends by inverse
//! kinematics; if a leg is too short for that, the hips are lowered a little (`hips`). A limb that would be harmed stays as it is (`harm`).

mod ankles;
mod harm;
mod hips;
mod raise;
mod soles;
mod track;

use glam::DVec3;

use super::blend::may_turn;
use super::compare_findings::{compare, jumps_more};
use super::planted_limbs::below;
use super::{RootBone, Scope};
use crate::analysis::clip_contacts::{ClipContacts, standing};
use crate::analysis::report::Feet;
use crate::analysis::{Analysis, FindingId, FindingSection, Settings, analyze};
use crate::character::{Character, Role, Skeleton};
use crate::math::rotation::log;
use crate::motion::ik::{self, Goal, Limb};
use crate::motion::{Clip, world_of};
use harm::Harm;
use track::LimbTrack;

/// Settings of the foot cleanup.
#[derive(Clone, Debug, PartialEq)]
pub struct FeetSettings {
    /// Time over which a shift fades in before and out after a contact, seconds.
    pub fade: f64,
    /// Allowed slip, m/s: a contact that slips no faster and is within `height` of the floor is not changed.
    pub slip: f64,
    /// Allowed distance of a contact from the floor, meters.
    pub height: f64,
    /// Greatest lowering of the hips so that legs reach, meters per meter of leg.
    pub hips: f64,
    /// Greatest displacement of an end, and of the body as a whole, meters.
    pub most_shift: f64,
    /// Whether a body that stands too high or too low as a whole is moved up or down.
    pub raise: bool,
    /// Whether an end that rests above the floor, where nothing is seen to carry the body, counts as standing when the body is moved.
    pub floats: bool,
    /// Time to either side over which the vertical shift of an end is averaged, seconds. It grows as far as needed where an end would snap.
    pub ease: f64,
    /// Whether to undo changes that make another finding worse: first without lowering the hips, then altogether.
    pub careful: bool,
}

impl Default for FeetSettings {
    fn default() -> Self {
        Self {
            fade: 0.1,
            slip: 0.02,
            height: 0.002,
            hips: 0.04,
            most_shift: 0.10,
            raise: false,
            floats: false,
            ease: 0.0,
            careful: true,
        }
    }
}

/// Changes made to one limb.
#[derive(Clone, Debug, PartialEq)]
pub struct LimbChange {
    /// End bone that was placed.
    pub end: usize,
    /// Spans of contact, first and last frame.
    pub contacts: Vec<(usize, usize)>,
    /// Largest shift of the end, meters.
    pub shift: f64,
    /// Greatest remaining distance of the end from its target, meters, because the limb cannot reach it.
    pub residual: f64,
    /// Largest rotation of each joint of the limb and of its end relative to its parent, radians.
    pub turns: Vec<(usize, f64)>,
}

/// Report of [`clean_feet`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeetReport {
    /// Skating, floating and penetration before the cleanup.
    pub before: Feet,
    /// Skating, floating and penetration after the cleanup.
    pub after: Feet,
    /// Limbs that were changed; empty if nothing had to be done.
    pub limbs: Vec<LimbChange>,
    /// Greatest lowering of the hips, meters.
    pub hips: f64,
    /// End bones that were turned about their joint to lift a toe or a heel out of the floor, each with its largest rotation, radians.
    pub ankles: Vec<(usize, f64)>,
    /// Greatest vertical shift of the whole body, meters: a stretch that stood too high or too low as a whole.
    pub raised: f64,
    /// End bones that touch but are unchanged: a bone of their limb is protected, or they belong to no limb.
    pub left: Vec<usize>,
    /// End bones that stay as they are because the cleanup would harm them, each with the harm in words: "makes it snap".
    pub spared: Vec<(usize, &'static str)>,
    /// Id of the finding that the cleanup would have made worse (`flight`: the body would have lifted off), if the clip is unchanged for that
    /// reason.
    pub refused: Option<&'static str>,
}

/// Cleans the contacts of `clip`, which are found with `settings`.
///
/// Changes the rotations of limbs, and the translation of the bone that moves the body if the hips are lowered. Frames outside the scope and limbs
/// with a protected bone keep their bits, as does a clip with clean contacts or without a floor.
/// Contacts may be found elsewhere, or for longer, once they stand still, so the search is repeated as long as that helps. A pass that does not
/// help is undone: a clip that was cleaned once is not changed again.
/// Panics if the clip has another number of bones than the character.
pub fn clean_feet(
    character: &Character,
    clip: &mut Clip,
    (settings, feet): (&Settings, &FeetSettings),
    scope: &Scope,
) -> FeetReport {
    let untouched = clip.clone();
    let report = clean(character, clip, (settings, feet), scope);
    if !feet.careful || report.is_unchanged() {
        return report;
    }
    let before = analyze(character, &untouched, settings);
    let Some(finding) = brought(&before, &analyze(character, clip, settings)) else { return report };
    clip.clone_from(&untouched);
    if report.hips > 0.0 {
        return clean_feet(character, clip, (settings, &FeetSettings { hips: 0.0, ..feet.clone() }), scope);
    }
    let (limbs, ankles) = (Vec::new(), Vec::new());
    FeetReport { after: report.before, limbs, ankles, raised: 0.0, refused: Some(finding), ..report }
}

/// Name of a finding other than those of feet that is worse than before; `flight` where a body that stood lifts off.
fn brought(before: &Analysis, after: &Analysis) -> Option<&'static str> {
    if after.flights.len() > before.flights.len() {
        return Some("flight");
    }
    if jumps_more(&before.findings, &after.findings) {
        return Some(FindingId::ClipJump.name());
    }
    let worse = compare(&before.findings, &after.findings).worse;
    worse.into_iter().find(|id| id.section() != FindingSection::Feet).map(FindingId::name)
}

/// Cleans the contacts without regard to other findings: first the body as a whole, then feet about their ankles, then the ends. A step that harms
/// is left out; so is a limb whose end would be harmed.
fn clean(
    character: &Character,
    clip: &mut Clip,
    (settings, feet): (&Settings, &FeetSettings),
    scope: &Scope,
) -> FeetReport {
    let old = standing(character, clip, settings);
    let before = clip.clone();
    let lies = soles::lying(character, &old, feet.height);
    let (mut limbs, left) = limbs(character, &old, scope);
    let measured = old.feet(character, clip, settings);
    let mut report = FeetReport { before: measured, after: measured, left, ..FeetReport::default() };
    let harm = |seen: &ClipContacts, limb: &Limb| harm::harm_to_end(character, [&old, seen], (limb, &lies), feet);
    let mut moved: Option<ClipContacts> = None;
    for step in [CleaningStep::Body, CleaningStep::Ankles] {
        let start = moved.as_ref().unwrap_or(&old);
        let mut trial = clip.clone();
        let made = carry_out(step, character, (&mut trial, start), (&limbs, feet), (settings, scope));
        let Some((seen, changes)) = made else { continue };
        if !harm::harms_body([&old, &seen]) && limbs.iter().all(|limb| harm(&seen, limb).is_none()) {
            *clip = trial;
            moved = Some(seen);
            report.add(changes);
        }
    }
    let start = moved.as_ref().unwrap_or(&old);
    let (mut feet, ease) = (feet.clone(), feet.ease);
    loop {
        let mut trial = clip.clone();
        let made = carry_out(CleaningStep::Ends, character, (&mut trial, start), (&limbs, &feet), (settings, scope));
        let Some((seen, changes)) = made else {
            report.after = start.feet(character, clip, settings);
            break;
        };
        let harmed = limbs.iter().enumerate().find_map(|(index, limb)| Some((index, harm(&seen, limb)?)));
        let longer = EASES.into_iter().find(|&ease| ease > feet.ease);
        match (harmed, longer) {
            (Some((_, Harm::Snaps)), Some(ease)) => feet.ease = ease,
            (Some((index, why)), _) => {
                report.spared.push((limbs.remove(index).end, why.words()));
                feet.ease = ease;
            }
            (None, _) if feet.hips > 0.0 && harm::harms_body([&old, &seen]) => feet.hips = 0.0,
            (None, _) => {
                report.after = seen.feet(character, &trial, settings);
                *clip = trial;
                report.add(changes);
                break;
            }
        }
    }
    report.measure(character, &before, clip);
    report
}

/// Carries out a step as often as it helps, from the contacts `start` of the clip on. Returns the contacts after it and its changes; `None` if it
/// changes nothing.
fn carry_out(
    step: CleaningStep,
    character: &Character,
    (clip, start): (&mut Clip, &ClipContacts),
    (limbs, feet): (&[Limb], &FeetSettings),
    (settings, scope): (&Settings, &Scope),
) -> Option<(ClipContacts, Changes)> {
    let mut made: Option<(ClipContacts, Changes)> = None;
    let mut faults = step.faults(character, start, (limbs, feet), scope);
    // With a strength below 1, a second pass would correct more than the requested share.
    let passes = if scope.strength < 1.0 || step != CleaningStep::Ends { 1 } else { PASSES };
    for _ in 0..passes {
        if faults == 0.0 {
            break;
        }
        let found = made.as_ref().map_or(start, |(found, _)| found);
        let mut trial = clip.clone();
        let changes = step.carry_out(character, &mut trial, found, (limbs, feet), scope);
        if changes.is_empty() {
            break;
        }
        let seen = standing(character, &trial, settings);
        let rest = step.faults(character, &seen, (limbs, feet), scope);
        if rest >= (1.0 - step.gain() * scope.strength) * faults || is_worse(found, &seen, feet) {
            break;
        }
        (*clip, faults) = (trial, rest);
        let mut all = made.map_or_else(Changes::default, |(_, all)| all);
        all.add(changes);
        made = Some((seen, all));
    }
    made
}

/// The steps of a cleanup in their order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CleaningStep {
    /// Moves the body up or down.
    Body,
    /// Turns feet about their ankles.
    Ankles,
    /// Shifts the ends of limbs.
    Ends,
}

/// Changes that a step made.
#[derive(Default)]
struct Changes {
    /// Greatest vertical shift of the body, meters.
    raised: f64,
    /// Ends turned about their joint, with the largest rotation, radians.
    ankles: Vec<(usize, f64)>,
    limbs: Vec<LimbChange>,
}

impl Changes {
    fn add(&mut self, later: Self) {
        self.raised = self.raised.max(later.raised);
        self.ankles.extend(later.ankles);
        for change in later.limbs {
            match self.limbs.iter_mut().find(|earlier| earlier.end == change.end) {
                Some(earlier) => earlier.residual = change.residual,
                None => self.limbs.push(change),
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.raised == 0.0 && self.ankles.is_empty() && self.limbs.is_empty()
    }
}

impl CleaningStep {
    /// Share of the faults that the step must remove to count as a help.
    fn gain(self) -> f64 {
        match self {
            // If most faults stay, it is not the body that is off.
            Self::Body => 0.5,
            Self::Ankles | Self::Ends => GAIN,
        }
    }

    /// Faults of the contacts that the step mends.
    fn faults(
        self,
        character: &Character,
        found: &ClipContacts,
        (limbs, feet): (&[Limb], &FeetSettings),
        scope: &Scope,
    ) -> f64 {
        let lies = soles::lying(character, found, feet.height);
        let inside = scope.within(found.range.0..found.range.1);
        let of_ends = soles::faults(character, found, (limbs, &lies), feet, &inside);
        let floats = self == Self::Body && feet.raise && feet.floats;
        of_ends + if floats { raise::floating_fault(character, found, (limbs, &lies), feet, &inside) } else { 0.0 }
    }

    /// Carries out the step once.
    fn carry_out(
        self,
        character: &Character,
        clip: &mut Clip,
        found: &ClipContacts,
        (limbs, feet): (&[Limb], &FeetSettings),
        scope: &Scope,
    ) -> Changes {
        let inside = scope.within(found.range.0..found.range.1);
        let lies = soles::lying(character, found, feet.height);
        let shares = track::shares(found, feet, &inside);
        match self {
            Self::Body if !feet.raise => Changes::default(),
            Self::Body => {
                let shifts = raise::raising(character, found, (limbs, &lies), (feet, &shares));
                let most = shifts.iter().flatten().map(|shift| shift.abs()).fold(0.0, f64::max);
                let Some(shifts) = shifts.filter(|_| most <= feet.most_shift) else { return Changes::default() };
                let raised = if shift_body(character, clip, &shifts, &inside) { most } else { 0.0 };
                Changes { raised, ..Changes::default() }
            }
            Self::Ankles => {
                let ankles = ankles::turn_dips(character, clip, found, (limbs, &lies), (feet, &shares));
                Changes { ankles, ..Changes::default() }
            }
            Self::Ends => {
                let track = |limb: &Limb| LimbTrack::new(character, found, (limb, &lies), feet, &shares);
                let tracks: Vec<LimbTrack> = limbs.iter().filter_map(track).collect();
                let lowering = hips::lowering(&tracks, found, feet, &shares);
                Changes { limbs: place(character, clip, found, (&tracks, &lowering), &inside), ..Changes::default() }
            }
        }
    }
}

/// Times over which shifts are averaged if shorter ones make an end snap, seconds.
const EASES: [f64; 3] = [0.04, 0.08, 0.12];
/// Displacements below this are rounding errors, meters.
const ROUNDING: f64 = 1e-9;
/// Maximal number of passes over a clip.
const PASSES: usize = 16;
/// Share of the faults that a pass must remove to count as a help.
const GAIN: f64 = 0.2;

/// Slip (m/s) and distance from the floor (meters) that a correction may always bring.
const LEAST_SLIP: f64 = 0.05;
const LEAST_HEIGHT: f64 = 0.01;

/// True if skating, floating or penetration is worse than before and above the allowed value.
fn is_worse(before: &ClipContacts, after: &ClipContacts, feet: &FeetSettings) -> bool {
    let (old, new) = (before.feet_by_points(), after.feet_by_points());
    let over = |old: f64, new: f64, allowed: f64| new > allowed.max(old) + 1e-4;
    // What is not to be corrected may be off by any value, but must not become worse.
    let (slip, height) = (feet.slip.min(LEAST_SLIP), feet.height.min(LEAST_HEIGHT));
    over(old.skate, new.skate, slip)
        || over(old.float, new.float, height)
        || over(old.penetration, new.penetration, height)
}

/// Shifts the end of every limb once, after the hips are lowered as far as its tracks ask.
fn place(
    character: &Character,
    clip: &mut Clip,
    found: &ClipContacts,
    (tracks, lowering): (&[LimbTrack], &[f64]),
    scope: &Scope,
) -> Vec<LimbChange> {
    if tracks.iter().all(|track| !track.moves) {
        return Vec::new();
    }
    let bends: Vec<Option<DVec3>> =
        tracks.iter().map(|track| ik::bend_of(&character.skeleton, clip, &track.limb)).collect();
    let sinks = lower(character, clip, lowering, scope);
    let place_one = |(track, bend): (&LimbTrack, Option<DVec3>)| {
        let limb = Limb { bend, ..track.limb.clone() };
        LimbChange::new(track, place_limb_ends(&character.skeleton, clip, found, (&limb, &track.shifts), sinks))
    };
    tracks.iter().zip(bends).filter(|(track, _)| track.moves || sinks).map(place_one).collect()
}

/// Returns the limbs that may move, and the touching ends that may not: because of a protected bone, or because a foot or hand belongs to no limb.
fn limbs(character: &Character, found: &ClipContacts, scope: &Scope) -> (Vec<Limb>, Vec<usize>) {
    let (limbs, protected): (Vec<Limb>, Vec<Limb>) =
        ik::limbs(character).into_iter().partition(|limb| may_turn(limb, scope));
    let end = |bone: usize| limbs.iter().chain(&protected).any(|limb| limb.end == bone);
    let roles = character.roles.iter().enumerate();
    let apart = roles.filter(|&(bone, role)| matches!(role, Some(Role::Foot(_) | Role::Hand(_))) && !end(bone));
    let mut left: Vec<usize> = protected.iter().map(|limb| limb.end).chain(apart.map(|(bone, _)| bone)).collect();
    left.retain(|&bone| {
        let carried = below(&character.skeleton, bone);
        (0..found.points.len()).any(|p| carried[found.points.bones[p]] && found.touching[p].contains(&true))
    });
    (limbs, left)
}

impl LimbChange {
    fn new(track: &LimbTrack, residual: f64) -> Self {
        let bones = track.limb.joints.iter().chain([&track.limb.end]);
        Self {
            end: track.limb.end,
            contacts: track.contacts.clone(),
            shift: 0.0,
            residual,
            turns: bones.map(|&bone| (bone, 0.0)).collect(),
        }
    }
}

impl FeetReport {
    /// Adds the changes of a step.
    fn add(&mut self, changes: Changes) {
        self.raised = self.raised.max(changes.raised);
        self.ankles.extend(changes.ankles);
        self.limbs.extend(changes.limbs);
    }

    /// Whether nothing was changed.
    fn is_unchanged(&self) -> bool {
        self.limbs.is_empty() && self.ankles.is_empty() && self.raised == 0.0
    }

    /// Measures the largest changes between the clip before and after.
    fn measure(&mut self, character: &Character, before: &Clip, clip: &Clip) {
        let Some(carrier) = RootBone::of(character, before).filter(|_| !self.limbs.is_empty()) else { return };
        let raised = self.raised;
        let skeleton = &character.skeleton;
        for frame in 0..clip.frames() {
            let moved = |bone: usize| {
                let [old, new] = [before, clip].map(|clip| world_of(skeleton, clip, bone, frame).0);
                new.distance(old)
            };
            let lowered = moved(carrier.bones()[0]) - raised;
            self.hips = self.hips.max(if lowered > ROUNDING { lowered } else { 0.0 });
            for change in &mut self.limbs {
                change.shift = change.shift.max(moved(change.end));
                for (bone, largest) in &mut change.turns {
                    let turn = clip.rotation(*bone, frame) * before.rotation(*bone, frame).conjugate();
                    *largest = largest.max(log(turn.normalize()).length());
                }
            }
        }
    }
}

/// Lowers the body; returns false if the bone that moves the body is protected or no lowering is needed.
fn lower(character: &Character, clip: &mut Clip, lowering: &[f64], scope: &Scope) -> bool {
    let shifts: Vec<f64> = lowering.iter().map(|by| -by).collect();
    shift_body(character, clip, &shifts, scope)
}

/// Moves the body up by `shifts` (meters, one per frame); returns false if the bone that moves the body is protected or nothing is shifted.
fn shift_body(character: &Character, clip: &mut Clip, shifts: &[f64], scope: &Scope) -> bool {
    let carrier = RootBone::of(character, clip).filter(|c| c.bones().iter().all(|&bone| scope.allows(bone)));
    let Some(carrier) = carrier.filter(|_| shifts.iter().any(|&by| by != 0.0)) else { return false };
    for (frame, &by) in shifts.iter().enumerate().filter(|(_, by)| **by != 0.0) {
        carrier.translate(&character.skeleton, clip, frame, by * DVec3::Y);
    }
    true
}

/// Brings the end of a limb to its shifted place, in every frame with a shift or in which the hips may be lowered. Returns the greatest remaining
/// distance, meters.
fn place_limb_ends(
    skeleton: &Skeleton,
    clip: &mut Clip,
    found: &ClipContacts,
    (limb, shifts): (&Limb, &[DVec3]),
    sinks: bool,
) -> f64 {
    let mut residual: f64 = 0.0;
    for frame in found.range.0..found.range.1 {
        if shifts[frame] == DVec3::ZERO && !sinks {
            continue;
        }
        let position = found.world.position(limb.end, frame) + shifts[frame];
        let goal = Goal { position, rotation: found.world.rotation(limb.end, frame) };
        let solution = ik::solve(skeleton, clip, frame, limb, &goal);
        solution.write(clip, frame);
        residual = residual.max(solution.residual);
    }
    residual
}

#[cfg(test)]
mod acceptance_tests;
