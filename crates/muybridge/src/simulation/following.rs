//! Tracking error of ragdolls that follow clips, and the frames in which no contact forces could produce the clip.
//!
//! ```text
//! place, angle    root mean squares over frames and bones with mass or joints: over all, and over frames where the clip is feasible
//! possible        contacts of the clip could give the ragdoll's bodies the force and moment they need:  `analysis::feasibility`
//! hand            force of the root assist, by the weight
//! ```
//! A herd gets one report: sums over all of its ragdolls, each with its own delay and placement. The feasibility of the
//! clip is the same for all ragdolls and is computed for the first.

use std::borrow::Cow;

use super::direction::{self, Goals};
use super::recording::{ExternalForce, Recording};
use super::scene::Scene;
use crate::analysis::Settings;
use crate::analysis::feasibility::{Feasibility, Floor, feasibility};
use crate::behavior::clip_tracker::ClipTracker;
use crate::behavior::tracking_error::pose_distance;
use crate::behavior::{Posture, RagdollModel};
use crate::character::Character;

/// Tracking error of a ragdoll, or a herd, along one clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// Name of the ragdoll or the herd.
    pub of: String,
    /// Number of ragdolls: 1, or the size of the herd.
    pub ragdolls: usize,
    /// Name of the clip; empty if the starting pose was held.
    pub clip: String,
    /// Measured time span, seconds of the run: while the clip lasts and is followed. For a herd, from its first ragdoll to its last.
    pub span: [f64; 2],
    /// Forces the clip needs beyond what the floor can give, from its first frame on; `None` unless gravity points down y.
    pub feasibility: Option<Feasibility>,
    /// Tracking error over the whole span.
    pub all: Off,
    /// Tracking error over the frames where the clip is feasible; `None` if there are none or feasibility is unknown.
    pub possible: Option<Off>,
    /// Forces of the root assist during the span.
    pub hand: Hand,
}

/// Distance of a ragdoll from the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Off {
    /// Number of frames of the run that count.
    pub frames: usize,
    /// Root mean square distance of bones with mass from those of the clip, meters.
    pub place: f64,
    /// Root mean square angle between joints and those of the clip, radians.
    pub angle: f64,
}

/// Root assist of a ragdoll, as a multiple of its weight; all 0 if it had none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hand {
    /// Mean force, by the weight.
    pub mean: f64,
    /// Greatest force, by the weight.
    pub most: f64,
    /// Greatest moment, newton meters.
    pub most_moment: f64,
}

/// A ragdoll that follows a clip: its name, the clip, and the time span, seconds.
pub(super) type Follower<'a> = (&'a str, Cow<'a, ClipTracker>, [f64; 2]);

/// A herd that follows a clip: its name, the model of its ragdolls, and each ragdoll.
pub(super) type Herded<'a> = (&'a str, &'a RagdollModel, Box<dyn Iterator<Item = Follower<'a>> + 'a>);

/// Reports on a ragdoll's clips, from a recording that began at `began`, seconds of the run.
pub(super) fn of(recording: &Recording, began: f64, scene: &Scene, name: &str, direction: &Goals) -> Vec<Following> {
    let follow = |(track, span)| {
        let mut only = core::iter::once((name, Cow::Borrowed(track), span));
        all_of(recording, began, (scene, name), (&direction.figure, &mut only))
    };
    direction.followed().filter_map(follow).collect()
}

/// Reports on a herd, or one ragdoll, that followed one clip; `None` if no frame of it was recorded.
pub(super) fn all_of<'a>(
    recording: &Recording,
    began: f64,
    (scene, of): (&Scene, &str),
    (figure, members): (&RagdollModel, &mut dyn Iterator<Item = Follower<'a>>),
) -> Option<Following> {
    if recording.frames < 2 {
        return None;
    }
    let mut told: Option<Following> = None;
    let (mut all, mut possible, mut hands) = (Off::default(), Off::default(), Hands::default());
    let mut possible_at = Vec::new();
    for (name, track, span) in members {
        let (_, character, clip) = recording.characters.iter().find(|(own, ..)| own == name)?;
        let lasts = if track.clip.frames() > 1 { track.clip.duration() } else { f64::INFINITY };
        let last = began + (recording.frames - 1) as f64 * recording.frame_time;
        let span = [track.begins.max(span[0]).max(began), (track.begins + lasts).min(span[1]).min(last)];
        let told = told.get_or_insert_with(|| {
            let feasibility = feasibility_of(scene, name, character, &track);
            possible_at = feasibility.as_ref().map(Feasibility::feasible_frames).unwrap_or_default();
            let (of, clip) = (of.to_owned(), track.clip.name.clone());
            let (all, hand) = (Off::default(), Hand::default());
            Following { of, ragdolls: 0, clip, span, feasibility, all, possible: None, hand }
        });
        told.ragdolls += 1;
        told.span = [told.span[0].min(span[0]), told.span[1].max(span[1])];
        let within = |frame: &usize| {
            let time = began + *frame as f64 * recording.frame_time;
            time >= span[0] - NEAR * recording.frame_time && time <= span[1] + NEAR * recording.frame_time
        };
        let frames: Vec<usize> = (0..recording.frames).filter(within).collect();
        for &frame in &frames {
            let time = began + frame as f64 * recording.frame_time;
            let pose = Posture::of_clip(clip, frame as f64 * clip.frame_time).world(&figure.skeleton);
            let apart = pose_distance(figure, &pose, &track.posture(time));
            all.add(apart.place, apart.angle);
            if told.feasibility.as_ref().is_some_and(|own| possible_at[own.frame(time - track.begins)]) {
                possible.add(apart.place, apart.angle);
            }
        }
        let weight = character.mass() * scene.solver.gravity(&scene.setting).length();
        hands.add(recording.exertions.iter().find(|own| own.is_hand_of(name)), &frames, weight);
    }
    let possible = (possible.frames > 0).then(|| possible.root());
    told.map(|told| Following { all: all.root(), possible, hand: hands.all(), ..told })
}

/// Forces that a track's clip needs beyond what the floor of the scene can give the ragdoll; `None` unless gravity points
/// down y.
pub(super) fn feasibility_of(
    scene: &Scene,
    name: &str,
    character: &Character,
    track: &ClipTracker,
) -> Option<Feasibility> {
    let settings = Settings { gravity: scene.falls_at()?, ..Settings::default() };
    let floor = Floor { height: height(scene), friction: direction::friction(scene, name) };
    Some(feasibility(character, &track.in_world(), &settings, floor))
}

/// Rounding of times, as a share of a frame.
const NEAR: f64 = 1e-6;

/// Height of the floor. `None` takes the clip's own floor, since the clip may be made for the scene's obstacles. Without
/// obstacles and ground there is no floor.
fn height(scene: &Scene) -> Option<f64> {
    scene.obstacles.is_empty().then(|| scene.setting.ground.unwrap_or(f64::NEG_INFINITY))
}

/// Running sums of the root assist.
#[derive(Default)]
struct Hands {
    /// Sums so far; `mean` holds the sum of forces until [`Self::all`] divides it.
    sum: Hand,
    frames: u32,
}

impl Hands {
    /// Adds the root assist of a ragdoll with that weight, newtons.
    fn add(&mut self, exertion: Option<&ExternalForce>, frames: &[usize], weight: f64) {
        let Some(exertion) = exertion.filter(|_| weight > 0.0) else { return };
        // A frame's wrench acted during the step before it.
        for (force, moment) in frames.iter().skip(1).filter_map(|&frame| exertion.efforts.get(frame)) {
            self.frames += 1;
            self.sum.mean += force.length() / weight;
            self.sum.most = self.sum.most.max(force.length() / weight);
            self.sum.most_moment = self.sum.most_moment.max(moment.length());
        }
    }

    fn all(self) -> Hand {
        Hand { mean: self.sum.mean / f64::from(self.frames.max(1)), ..self.sum }
    }
}

impl Off {
    fn add(&mut self, place: f64, angle: f64) {
        self.frames += 1;
        self.place += place;
        self.angle += angle;
    }

    fn root(self) -> Self {
        let mean = |sum: f64| libm::sqrt(sum / self.frames.max(1) as f64);
        Self { frames: self.frames, place: mean(self.place), angle: mean(self.angle) }
    }
}
