//! Feet (and hands) that stand where they touch: skating, floating and penetration taken out of the contacts.
//!
//! For every limb and every span of frames in which its end touches, the end keeps its orientation and is shifted so that
//! the point it stands on does not slip against the ground and its lowest point is on the floor ([`track`]). Beside the
//! spans the shift fades out. Limbs reach their shifted ends by inverse kinematics; where a leg is too short for that the
//! hips come down a little ([`hips`]). Nothing else moves, so the path of the body stays what it was.

mod hips;
mod track;

use glam::DVec3;

use super::blend::may_turn;
use super::carrier::world_of;
use super::{Carrier, Scope};
use crate::analysis::Settings;
use crate::analysis::check::{Standing, standing};
use crate::analysis::report::Feet;
use crate::character::{Character, Skeleton};
use crate::math::rotation::log;
use crate::motion::Clip;
use crate::motion::ik::{self, Goal, Limb};
use track::Track;

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
}

impl Default for FeetSettings {
    fn default() -> Self {
        Self { fade: 0.1, slip: 0.02, height: 0.002, hips: 0.04 }
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
    /// Ends of limbs that touch but have a protected bone: they are as they were.
    pub left: Vec<usize>,
}

/// Cleans the contacts of `clip`, found with `settings`.
///
/// Rotations of limbs change, and the translation of the bone that carries the body where the hips come down; frames outside
/// the scope and limbs with a protected bone keep their bits. What is planted may be found elsewhere, or longer, once it
/// stands still, so it is looked for again as long as that helps; what does not help is taken back, so a clip cleaned
/// once is not changed again. A clip whose contacts are clean keeps its bits, as does one without a floor.
/// Panics if the clip has another number of bones than the character.
pub fn clean_feet(
    character: &Character,
    clip: &mut Clip,
    (settings, feet): (&Settings, &FeetSettings),
    scope: &Scope,
) -> FeetReport {
    let mut found = standing(character, clip, settings);
    let mut report = FeetReport { before: found.feet(), after: found.feet(), ..FeetReport::default() };
    let before = clip.clone();
    for _ in 0..PASSES {
        if excess(&report.after, feet) == [0.0; 3] {
            break;
        }
        let mut trial = clip.clone();
        let limbs = pass(character, &mut trial, &found, feet, (scope, &mut report.left));
        let seen = standing(character, &trial, settings);
        if limbs.is_empty() || !helps(excess(&report.after, feet), excess(&seen.feet(), feet)) {
            break;
        }
        report.after = seen.feet();
        (*clip, found) = (trial, seen);
        for change in limbs {
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
/// A pass helps if it takes this part off what is too much of something, and adds nothing to the rest.
const GAIN: f64 = 0.2;

/// How far skating, floating and penetration are over what is allowed: 0 where they are not.
fn excess(found: &Feet, feet: &FeetSettings) -> [f64; 3] {
    [found.skate - feet.slip, found.float - feet.height, found.penetration - feet.height].map(|over| over.max(0.0))
}

fn helps(before: [f64; 3], after: [f64; 3]) -> bool {
    let pairs = || before.into_iter().zip(after);
    pairs().any(|(old, new)| new < (1.0 - GAIN) * old) && pairs().all(|(old, new)| new <= old + 1e-4)
}

/// Shifts every limb once.
fn pass(
    character: &Character,
    clip: &mut Clip,
    found: &Standing,
    feet: &FeetSettings,
    (scope, left): (&Scope, &mut Vec<usize>),
) -> Vec<LimbChange> {
    let scope = scope.within(found.range.0..found.range.1);
    let shares = track::shares(found, feet, &scope);
    let tracks = tracks(character, found, feet, (&scope, &shares), left);
    let bends: Vec<Option<DVec3>> =
        tracks.iter().map(|track| ik::bend_of(&character.skeleton, clip, &track.limb)).collect();
    let sinks = lower(character, clip, &hips::lowering(&tracks, found, feet, &shares), &scope);
    let place_one = |(track, bend): (&Track, Option<DVec3>)| {
        let limb = Limb { bend, ..track.limb.clone() };
        LimbChange::new(track, place(&character.skeleton, clip, found, (&limb, &track.shifts), sinks))
    };
    tracks.iter().zip(bends).map(place_one).collect()
}

/// What is to be done to the limbs that may move; the ends of those that may not go to `left`.
fn tracks(
    character: &Character,
    found: &Standing,
    feet: &FeetSettings,
    (scope, shares): (&Scope, &[f64]),
    left: &mut Vec<usize>,
) -> Vec<Track> {
    let limbs = ik::limbs(character);
    let lies = track::lying(character, found, &limbs, feet.height);
    let mut tracks = Vec::new();
    for limb in limbs {
        let Some(track) = Track::new(character, found, (limb, &lies), feet, shares) else { continue };
        if may_turn(&track.limb, scope) {
            tracks.push(track);
        } else if !left.contains(&track.limb.end) {
            left.push(track.limb.end);
        }
    }
    tracks
}

impl LimbChange {
    fn new(track: &Track, residual: f64) -> Self {
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
        let Some(carrier) = Carrier::of(character, before).filter(|_| !self.limbs.is_empty()) else { return };
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
    let carrier = Carrier::of(character, clip).filter(|c| c.bones().iter().all(|&bone| scope.allows(bone)));
    let Some(carrier) = carrier.filter(|_| lowering.iter().any(|&by| by > 0.0)) else { return false };
    for (frame, &by) in lowering.iter().enumerate().filter(|(_, by)| **by > 0.0) {
        carrier.translate(&character.skeleton, clip, frame, DVec3::new(0.0, -by, 0.0));
    }
    true
}

/// Brings the end of a limb to its shifted place in every frame in which it is shifted, or in which the hips may have come
/// down. How far at most it stays away, metres.
fn place(
    skeleton: &Skeleton,
    clip: &mut Clip,
    found: &Standing,
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
