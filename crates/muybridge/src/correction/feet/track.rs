//! Target track of the end of one limb: the shift in every frame.
//!
//! In a contact the shift undoes, frame by frame, the slip of the standing point. The standing point is the one that moves least against the ground
//! among those that touch in both frames, so that a foot may roll from heel to toes. The shift of a contact has a free constant, chosen so that the
//! median shift is zero: the end stays where it was for most of the time. Vertically the lowest point is put on the floor.
//!
//! ```text
//! s_{k+1} = s_k − (p_{k+1} − p_k − v h)_horizontal,   median s = 0;      s_y = floor − lowest height
//! ```
//!
//! v is the velocity of the ground (a treadmill). Between contacts a shift fades as `1 − 10 x³ + 15 x⁴ − 6 x⁵`, at the speed of a walk at most.
//! Over 0.03 s at either end of a contact a running mean smooths the shift: a foot that stopped dead or left at once would jerk more than one that
//! slides a little. An end that would still snap gets a vertical shift that is averaged, and may be a centimeter off.

use glam::DVec3;

use super::FeetSettings;
use super::raise::MISSES;
use super::soles::Soles;
use crate::analysis::clip_contacts::ClipContacts;
use crate::analysis::contacts::runs;
use crate::character::Character;
use crate::correction::Scope;
use crate::motion::ik::Limb;

/// Largest speed at which a shift fades, m/s.
const FADE_SPEED: f64 = 0.75;
/// Ratio of the largest to the mean rate of the fade.
const FADE: f64 = 1.875;
/// Depth under the floor that an averaged shift may leave, meters: soles are not known better.
const EASED_DEPTH: f64 = 0.01;
/// Share of the allowed height that an averaged shift may leave.
const NO_FAULT: f64 = 0.8;
/// Shifts below this are rounding errors, meters.
const ROUNDING: f64 = 1e-9;

/// A limb with the contacts and shifts of its end.
pub(super) struct LimbTrack {
    pub(super) limb: Limb,
    /// Contacts as first and last frame.
    pub(super) contacts: Vec<(usize, usize)>,
    /// Flags the frames in which the end is held in place.
    pub(super) held: Vec<bool>,
    /// Shift of the end, meters, one per frame of the clip.
    pub(super) shifts: Vec<DVec3>,
    /// Whether any frame is shifted.
    pub(super) moves: bool,
}

impl LimbTrack {
    /// Computes contacts and shifts of `limb`; `None` if its end never stands and need not move, or there is no floor.
    pub(super) fn new(
        character: &Character,
        found: &ClipContacts,
        (limb, lies): (&Limb, &[bool]),
        feet: &FeetSettings,
        shares: &[f64],
    ) -> Option<Self> {
        let soles = Soles::new(character, found, limb, lies)?;
        let frames = soles.stands.len();
        let contacts = soles.contacts();
        if soles.is_elsewhere(&contacts) {
            return None;
        }
        let (level, upright) = soles.wanted(&contacts, feet);
        let window = |shift: DVec3| {
            libm::round(feet.fade.max(FADE * shift.length() / FADE_SPEED) / soles.frame_time).max(2.0) as usize
        };
        let level = soles.eased(&filled(&level, &window), &contacts);
        let upright = soles.averaged(filled(&upright, &window), feet.ease);
        // What an average leaves is no fault: a clip that was cleaned once is not changed again.
        let depth = if feet.ease > 0.0 { EASED_DEPTH.min(NO_FAULT * feet.height) } else { 0.0 };
        let above = MISSES.min(NO_FAULT * feet.height);
        let mut held = vec![false; frames];
        contacts.iter().for_each(|&(first, end)| held[first..end].fill(true));
        let lifts = soles.lifts(feet);
        let shift = |frame: usize| {
            // A vertical shift must not put the end under the floor.
            let moves = upright[frame].y != 0.0 && !soles.lies[frame];
            let needed = -soles.clearance(frame);
            let least = if needed > 0.0 { (needed - depth).max(0.0) } else { needed };
            let least = if moves { least } else { f64::NEG_INFINITY };
            let lift = if lifts[frame] > 0.0 { lifts[frame] } else { f64::NEG_INFINITY };
            // Nor may an average lift an end that stands off the floor.
            let most = if feet.ease > 0.0 && held[frame] { needed.max(0.0) + above } else { f64::INFINITY };
            shares[frame] * (level[frame] + upright[frame].y.max(least).max(lift).min(most) * DVec3::Y)
        };
        let shifts: Vec<DVec3> = (0..frames).map(shift).collect();
        let contacts: Vec<_> = contacts.into_iter().map(|(first, end)| (first, end - 1)).collect();
        let moves = shifts.iter().any(|shift| shift.length() > ROUNDING);
        (moves || !contacts.is_empty()).then(|| Self { limb: limb.clone(), contacts, held, shifts, moves })
    }
}

/// Fills the gaps between given values with fades. Each value fades over a number of frames that depends on the value; if two fades do not fit into
/// a gap, one value blends into the next.
fn filled(given: &[Option<DVec3>], window: &dyn Fn(DVec3) -> usize) -> Vec<DVec3> {
    let mut values: Vec<DVec3> = given.iter().map(|value| value.unwrap_or(DVec3::ZERO)).collect();
    for (first, end) in runs(given.iter().map(Option::is_none)) {
        let before = first.checked_sub(1).and_then(|frame| given[frame]);
        let after = given.get(end).copied().flatten();
        let (out, back) = (before.map_or(0, window), after.map_or(0, window));
        let gap = end - first;
        let close = before.is_some() && after.is_some() && gap < out + back;
        for frame in first..end {
            let (past, left) = (frame + 1 - first, end - frame);
            let (out, back) = if close { (gap, gap) } else { (out, back) };
            let share = |value: Option<DVec3>, step: usize, length: usize| {
                value.map_or(DVec3::ZERO, |value| value * fade_weight(step as f64 / (length + 1) as f64))
            };
            values[frame] = share(before, past, out) + share(after, left, back);
        }
    }
    values
}

/// Share of the shifts that every frame of the clip gets: the strength inside the scope, fading to 0 toward its borders if the clip continues
/// beyond them.
pub(super) fn shares(found: &ClipContacts, feet: &FeetSettings, scope: &Scope) -> Vec<f64> {
    let frames = found.world.frames();
    let window = libm::round(feet.fade * found.points.frames_per_second()).max(2.0);
    let ease = |steps: usize| 1.0 - fade_weight(steps as f64 / (window + 1.0));
    let share = |frame: usize| {
        if !scope.frames.contains(&frame) {
            return 0.0;
        }
        let goes_on = [scope.frames.start > usize::from(found.foreign), scope.frames.end < frames];
        let start = if goes_on[0] { ease(frame + 1 - scope.frames.start) } else { 1.0 };
        let end = if goes_on[1] { ease(scope.frames.end - frame) } else { 1.0 };
        scope.strength * start * end
    };
    (0..frames).map(share).collect()
}

/// Remaining share of a fade at its part `x` (0…1).
pub(super) fn fade_weight(x: f64) -> f64 {
    let x = x.min(1.0);
    1.0 - x * x * x * (10.0 - x * (15.0 - 6.0 * x))
}
