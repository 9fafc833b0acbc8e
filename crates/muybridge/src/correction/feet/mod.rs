//! Feet (and hands) that stand where they touch: skating, floating and penetration taken out of the contacts.
//!
//! For every limb and every span of frames in which its end touches, the end keeps its orientation and is shifted so that
//! the point it stands on does not slip against the ground and its lowest point is on the floor (`track`). Beside the
//! spans the shift fades out. Limbs reach their shifted ends by inverse kinematics; where a leg is too short for that the
//! hips come down a little (`hips`). Nothing else moves, so the path of the body stays what it was.

mod hips;
mod soles;
mod track;

use glam::DVec3;

use super::blend::may_turn;
use super::compare_findings::compare;
use super::planted_limbs::below;
use super::{RootBone, Scope};
use crate::analysis::check::{ClipContacts, standing};
use crate::analysis::report::Feet;
use crate::analysis::{Analysis, FindingId, FindingSection, Settings, analyze};
use crate::character::{Character, Role, Skeleton};
use crate::math::rotation::log;
use crate::motion::ik::{self, Goal, Limb};
use crate::motion::{Clip, world_of};
use track::LimbTrack;

/// How feet are cleaned.
#[derive(Clone, Debug, PartialEq)]
pub struct FeetSettings {
    /// Time over which a shift fades in before and out after a contact, seconds.
    pub fade: f64,
    /// A contact that slips by no more than this, m/s, and is no farther from the floor than `height` stays as it is.
    pub slip: f64,
    /// Metres.
    pub height: f64,
    /// How far the hips may come down so that legs reach, metres per metre of leg.
    pub hips: f64,
    /// Take back what makes another finding worse: first without lowering the hips, then altogether.
    pub careful: bool,
}

impl Default for FeetSettings {
    fn default() -> Self {
        Self { fade: 0.1, slip: 0.02, height: 0.002, hips: 0.04, careful: true }
    }
}

/// What was done to one limb.
#[derive(Clone, Debug, PartialEq)]
pub struct LimbChange {
    /// The bone that was placed.
    pub end: usize,
    /// Spans of contact, first and last frame.
    pub contacts: Vec<(usize, usize)>,
    /// Largest shift of the end, metres.
    pub shift: f64,
    /// How far at most the end stays from where it should be, metres: what the limb cannot reach.
    pub residual: f64,
    /// Largest turn of every joint of the limb and of its end against its parent, radians.
    pub turns: Vec<(usize, f64)>,
}

/// What [`clean_feet`] did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeetReport {
    /// Skating, floating and penetration before.
    pub before: Feet,
    /// The same after.
    pub after: Feet,
    /// Limbs that were changed; empty where nothing was to be done.
    pub limbs: Vec<LimbChange>,
    /// How far at most the hips came down, metres.
    pub hips: f64,
    /// Ends that touch and are as they were: a bone of their limb is protected, or no limb carries them.
    pub left: Vec<usize>,
    /// The finding that cleaning would have made worse (`flight`: the body would have lifted off), where that is why the clip
    /// is as it was.
    pub refused: Option<&'static str>,
}

/// Cleans the contacts of `clip`, found with `settings`.
///
/// Rotations of limbs change, and the translation of the bone that carries the body where the hips come down; frames outside
/// the scope and limbs with a protected bone keep their bits, as does a clip whose contacts are clean or that has no floor.
/// What is planted may be found elsewhere, or longer, once it stands still, so it is looked for again as long as that helps;
/// what does not help is taken back: a clip cleaned once is not changed again.
/// Panics if the clip has another number of bones than the character.
pub fn clean_feet(
    character: &Character,
    clip: &mut Clip,
    (settings, feet): (&Settings, &FeetSettings),
    scope: &Scope,
) -> FeetReport {
    let untouched = clip.clone();
    let report = clean(character, clip, (settings, feet), scope);
    if !feet.careful || report.limbs.is_empty() {
        return report;
    }
    let before = analyze(character, &untouched, settings);
    let Some(finding) = brought(&before, &analyze(character, clip, settings)) else { return report };
    clip.clone_from(&untouched);
    if report.hips > 0.0 {
        return clean_feet(character, clip, (settings, &FeetSettings { hips: 0.0, ..feet.clone() }), scope);
    }
    FeetReport { after: report.before, limbs: Vec::new(), refused: Some(finding), ..report }
}

/// Name of a finding other than those of feet that is worse than before; `flight` where a body that stood lifts off.
fn brought(before: &Analysis, after: &Analysis) -> Option<&'static str> {
    if after.flights.len() > before.flights.len() {
        return Some("flight");
    }
    let worse = compare(&before.findings, &after.findings).worse;
    worse.into_iter().find(|id| id.section() != FindingSection::Feet).map(FindingId::name)
}

/// Cleans the contacts, whatever else that may bring.
fn clean(
    character: &Character,
    clip: &mut Clip,
    (settings, feet): (&Settings, &FeetSettings),
    scope: &Scope,
) -> FeetReport {
    let mut found = standing(character, clip, settings);
    let mut report = FeetReport { before: found.feet(), after: found.feet(), ..FeetReport::default() };
    let (limbs, left) = limbs(character, &found, scope);
    report.left = left;
    let before = clip.clone();
    let mut faults = faults(character, &found, &limbs, feet, scope);
    // A part of a correction, done twice, would be more than that part.
    let passes = if scope.strength < 1.0 { 1 } else { PASSES };
    for _ in 0..passes {
        if faults == 0.0 {
            break;
        }
        let mut trial = clip.clone();
        let changes = pass(character, &mut trial, &found, (&limbs, feet), scope);
        let seen = standing(character, &trial, settings);
        let rest = self::faults(character, &seen, &limbs, feet, scope);
        let helps = rest < (1.0 - GAIN * scope.strength) * faults && !is_worse(&found, &seen, feet);
        if changes.is_empty() || !helps {
            break;
        }
        report.after = seen.feet();
        (*clip, found, faults) = (trial, seen, rest);
        for change in changes {
            match report.limbs.iter_mut().find(|earlier| earlier.end == change.end) {
                Some(earlier) => earlier.residual = change.residual,
                None => report.limbs.push(change),
            }
        }
    }
    report.measure(character, &before, clip);
    report
}

/// Most passes over a clip.
const PASSES: usize = 16;
/// A pass helps if it takes this part off what is wrong.
const GAIN: f64 = 0.2;

/// Whether something is worse than before and more than is allowed.
fn is_worse(before: &ClipContacts, after: &ClipContacts, feet: &FeetSettings) -> bool {
    let (old, new) = (before.feet(), after.feet());
    let over = |old: f64, new: f64, allowed: f64| new > allowed.max(old) + 1e-4;
    over(old.skate, new.skate, feet.slip)
        || over(old.float, new.float, feet.height)
        || over(old.penetration, new.penetration, feet.height)
}

fn faults(character: &Character, found: &ClipContacts, limbs: &[Limb], feet: &FeetSettings, scope: &Scope) -> f64 {
    let lies = soles::lying(character, found, feet.height);
    soles::faults(character, found, (limbs, &lies), feet, &scope.within(found.range.0..found.range.1))
}

/// Shifts every limb once.
fn pass(
    character: &Character,
    clip: &mut Clip,
    found: &ClipContacts,
    (limbs, feet): (&[Limb], &FeetSettings),
    scope: &Scope,
) -> Vec<LimbChange> {
    let scope = scope.within(found.range.0..found.range.1);
    let lies = soles::lying(character, found, feet.height);
    let shares = track::shares(found, feet, &scope);
    let tracks: Vec<LimbTrack> =
        limbs.iter().filter_map(|limb| LimbTrack::new(character, found, (limb, &lies), feet, &shares)).collect();
    if tracks.iter().all(|track| !track.moves) {
        return Vec::new();
    }
    let bends: Vec<Option<DVec3>> =
        tracks.iter().map(|track| ik::bend_of(&character.skeleton, clip, &track.limb)).collect();
    let sinks = lower(character, clip, &hips::lowering(&tracks, found, feet, &shares), &scope);
    let place_one = |(track, bend): (&LimbTrack, Option<DVec3>)| {
        let limb = Limb { bend, ..track.limb.clone() };
        LimbChange::new(track, place_limb_ends(&character.skeleton, clip, found, (&limb, &track.shifts), sinks))
    };
    tracks.iter().zip(bends).filter(|(track, _)| track.moves || sinks).map(place_one).collect()
}

/// The limbs that may move, and the ends of those that touch and may not: because of a protected bone, or because feet
/// and hands hang on no limb that could place them.
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
    /// Takes the largest changes from the clip before and after.
    fn measure(&mut self, character: &Character, before: &Clip, clip: &Clip) {
        let Some(carrier) = RootBone::of(character, before).filter(|_| !self.limbs.is_empty()) else { return };
        let skeleton = &character.skeleton;
        for frame in 0..clip.frames() {
            let moved = |bone: usize| {
                let [old, new] = [before, clip].map(|clip| world_of(skeleton, clip, bone, frame).0);
                new.distance(old)
            };
            self.hips = self.hips.max(moved(carrier.bones()[0]));
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

/// Lowers the body; whether it did: not where the bone that carries it may not move.
fn lower(character: &Character, clip: &mut Clip, lowering: &[f64], scope: &Scope) -> bool {
    let carrier = RootBone::of(character, clip).filter(|c| c.bones().iter().all(|&bone| scope.allows(bone)));
    let Some(carrier) = carrier.filter(|_| lowering.iter().any(|&by| by > 0.0)) else { return false };
    for (frame, &by) in lowering.iter().enumerate().filter(|(_, by)| **by > 0.0) {
        carrier.translate(&character.skeleton, clip, frame, DVec3::new(0.0, -by, 0.0));
    }
    true
}

/// Brings the end of a limb to its shifted place in every frame in which it is shifted, or in which the hips may have come
/// down. How far at most it stays away, metres.
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
