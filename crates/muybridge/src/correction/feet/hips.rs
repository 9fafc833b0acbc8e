//! Lowering of the hips so that the legs reach the planted feet.
//!
//! A leg whose end must be at q relative to its hip joint, but reaches no farther than r, needs a lowering of
//!
//! ```text
//! y = −q_y − √(r² − q_x² − q_z²)
//! ```
//!
//! The largest lowering around a frame is smoothed (Hann), so that every frame gets at least its own. In flight the hips are not moved.

use super::FeetSettings;
use super::soles::{hann_mean, largest_near};
use super::track::{LimbTrack, fade_weight};
use crate::analysis::clip_contacts::ClipContacts;
use crate::analysis::contacts::runs;
use crate::analysis::phases::LEAST_FLIGHT;
use crate::motion::ik::two_bone::SOFTNESS;

/// Time over which the hips descend and rise again, seconds.
const EASE: f64 = 0.2;
/// Lowering below this is ignored, meters.
const LEAST: f64 = 5e-4;

/// Lowering of the hips, meters, one per frame of the clip; all 0 if every leg reaches.
pub(super) fn lowering(tracks: &[LimbTrack], found: &ClipContacts, feet: &FeetSettings, shares: &[f64]) -> Vec<f64> {
    let frames = found.world.frames();
    let most = feet.hips * found.scale.length;
    let ask = |frame: usize| {
        let asked = tracks.iter().map(|track| asked(track, found, frame)).fold(0.0, f64::max);
        asked.min(most)
    };
    let asked: Vec<f64> = (0..frames).map(|f| if shares[f] > 0.0 { ask(f) } else { 0.0 }).collect();
    if asked.iter().all(|&by| by < LEAST) {
        return vec![0.0; frames];
    }
    let window = libm::round(EASE * found.points.frames_per_second()).max(2.0) as usize;
    let smooth = hann_mean(&largest_near(&asked, window), window);
    let flights = flights(found, |_| false);
    let share = |frame: usize| shares[frame].min(1.0) * on_the_ground(frame, &flights, window);
    (0..frames).map(|frame| share(frame) * smooth[frame]).collect()
}

/// Runs of frames without contact that are long enough for a flight, `first..end`. In the frames that `rests` names, the body stands although
/// nothing touches.
pub(super) fn flights(found: &ClipContacts, rests: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
    let touched = |frame: usize| rests(frame) || found.touching.iter().any(|point| point[frame]);
    let airborne = (0..found.world.frames()).map(|f| (found.range.0..found.range.1).contains(&f) && !touched(f));
    runs(airborne).into_iter().filter(|(first, end)| end - first >= LEAST_FLIGHT).collect()
}

/// Lowering that one limb needs in a frame, meters.
fn asked(track: &LimbTrack, found: &ClipContacts, frame: usize) -> f64 {
    if !track.held[frame] {
        return 0.0;
    }
    let joints: Vec<_> =
        track.limb.joints.iter().chain([&track.limb.end]).map(|&bone| found.world.position(bone, frame)).collect();
    let length: f64 = joints.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let (hip, end) = (joints[0], joints[joints.len() - 1]);
    let reach = (length * (1.0 - SOFTNESS)).max(end.distance(hip));
    let q = end + track.shifts[frame] - hip;
    if q.length() <= reach || q.y >= 0.0 {
        return 0.0;
    }
    let level = reach * reach - q.x * q.x - q.z * q.z;
    // If the target is out of reach horizontally, lowering does not help.
    if level <= 0.0 { 0.0 } else { -q.y - libm::sqrt(level) }
}

/// Weight of a frame: 1 on the ground, fading to 0 toward flights.
fn on_the_ground(frame: usize, flights: &[(usize, usize)], window: usize) -> f64 {
    let outside =
        |&(first, end): &(usize, usize)| if frame < first { first - frame } else { (frame + 1).saturating_sub(end) };
    let apart = flights.iter().map(outside).min();
    apart.map_or(1.0, |apart| 1.0 - fade_weight(apart as f64 / (window + 1) as f64))
}
