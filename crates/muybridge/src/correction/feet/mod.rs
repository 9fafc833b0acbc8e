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
use crate::analysis::check::{Standing, standing};
use crate::analysis::report::Feet;
use crate::analysis::{Analysis, Settings};
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

/// Cleans the contacts of `clip`; `analysis` is that of the clip with the same `settings`.
///
/// Rotations of limbs change, and the translation of the bone that carries the body where the hips come down; frames outside
/// the scope and limbs with a protected bone keep their bits, as does a clip whose contacts are clean. A clip without a
/// floor has no contacts. Panics if the clip has another number of bones than the character.
pub fn clean_feet(
    character: &Character,
    clip: &mut Clip,
    analysis: &Analysis,
    (settings, feet): (&Settings, &FeetSettings),
    scope: &Scope,
) -> FeetReport {
    let mut found = standing(character, clip, settings);
    let mut report = FeetReport { before: found.feet(), ..FeetReport::default() };
    report.after = report.before;
    let before = clip.clone();
    for pass in 0..PASSES {
        if in_order(&report.after, feet) {
            break;
        }
        let scope = scope.within(found.range.0..found.range.1);
        let tracks = tracks(character, &found, feet, &scope, &mut report.left);
        if tracks.is_empty() {
            break;
        }
        if pass == 0 {
            let lowered = hips::lowering(&tracks, &found, analysis, feet, &scope);
            report.hips = lower(character, clip, &lowered, &scope);
        }
        for track in &tracks {
            let residual = place(&character.skeleton, &before, clip, &found, (track, report.hips > 0.0));
            match report.limbs.iter_mut().find(|change| change.end == track.limb.end) {
                Some(change) => change.residual = residual,
                None => report.limbs.push(LimbChange::new(track, residual)),
            }
        }
        found = standing(character, clip, settings);
        report.after = found.feet();
    }
    for change in &mut report.limbs {
        change.measure(&character.skeleton, &before, clip);
    }
    report
}

/// What is planted may be found elsewhere, or longer, once it stands still: so often it is looked for again.
const PASSES: usize = 4;

fn in_order(found: &Feet, feet: &FeetSettings) -> bool {
    found.skate <= feet.slip && found.float <= feet.height && found.penetration <= feet.height
}

/// What is to be done to the limbs that may move; the ends of those that may not go to `left`.
fn tracks(
    character: &Character,
    found: &Standing,
    feet: &FeetSettings,
    scope: &Scope,
    left: &mut Vec<usize>,
) -> Vec<Track> {
    let limbs = ik::limbs(character);
    let lies = track::lying(character, found, &limbs, feet.height);
    let mut tracks = Vec::new();
    for limb in limbs {
        let Some(track) = Track::new(character, found, (limb, &lies), feet, scope) else { continue };
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

    /// Takes the largest changes from the clip before and after.
    fn measure(&mut self, skeleton: &Skeleton, before: &Clip, clip: &Clip) {
        for frame in 0..clip.frames() {
            let [old, new] = [before, clip].map(|clip| world_of(skeleton, clip, self.end, frame).0);
            self.shift = self.shift.max(new.distance(old));
            for (bone, largest) in &mut self.turns {
                let turn = clip.rotation(*bone, frame) * before.rotation(*bone, frame).conjugate();
                *largest = largest.max(log(turn.normalize()).length());
            }
        }
    }
}

/// Lowers the body; the largest way, metres: 0 where the bone that carries it may not move.
fn lower(character: &Character, clip: &mut Clip, lowered: &[f64], scope: &Scope) -> f64 {
    let carrier = Carrier::of(character, clip).filter(|c| c.bones().iter().all(|&bone| scope.allows(bone)));
    let Some(carrier) = carrier else { return 0.0 };
    for (frame, &by) in lowered.iter().enumerate().filter(|(_, by)| **by > 0.0) {
        carrier.translate(&character.skeleton, clip, frame, DVec3::new(0.0, -by, 0.0));
    }
    lowered.iter().copied().fold(0.0, f64::max)
}

/// Brings the end of a limb to its shifted place in every frame in which it is shifted, or the hips came down. How far at
/// most it stays away, metres.
fn place(skeleton: &Skeleton, before: &Clip, clip: &mut Clip, found: &Standing, (track, sinks): (&Track, bool)) -> f64 {
    let limb = Limb { bend: ik::bend_of(skeleton, before, &track.limb), ..track.limb.clone() };
    let mut residual: f64 = 0.0;
    for frame in found.range.0..found.range.1 {
        if track.shifts[frame] == DVec3::ZERO && !sinks {
            continue;
        }
        let position = found.world.position(limb.end, frame) + track.shifts[frame];
        let goal = Goal { position, rotation: found.world.rotation(limb.end, frame) };
        let solution = ik::solve(skeleton, clip, frame, &limb, &goal);
        solution.write(clip, frame);
        residual = residual.max(solution.residual);
    }
    residual
}
