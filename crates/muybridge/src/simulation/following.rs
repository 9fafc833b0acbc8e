//! How well ragdolls of a run followed their clips, and where the clips cannot be followed because no floor could give what they ask for.
//!
//! ```text
//! place, angle    root mean squares over bones with mass or joints, and frames: all of them, and those in which the clip is possible
//! possible        contacts of the clip could give the ragdoll's own bodies the force and moment it needs:  `analysis::feasibility`
//! hand            force of the hand that leads, by the weight
//! ```
//! Of a herd one is told for all: sums are over all of its ragdolls, each after its own delay and where it was put down; what the clip asks for is
//! the same for all of them and is that of the first.

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

/// How a ragdoll followed a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// The ragdoll, or the herd.
    pub of: String,
    /// How many ragdolls that is.
    pub ragdolls: usize,
    /// The clip; empty where it held the pose it started in.
    pub clip: String,
    /// From when to when it is measured, seconds of the run: while the clip lasts and is followed. Of a herd from the first to the last of it.
    pub span: [f64; 2],
    /// What the clip asks for beyond what the floor can give, from its first frame on; `None` where nothing weighs down along y.
    pub feasibility: Option<Feasibility>,
    /// Over all of its time.
    pub all: Off,
    /// Over the times at which the clip is possible; `None` where that is never or not known.
    pub possible: Option<Off>,
    /// What a hand gave meanwhile.
    pub hand: Hand,
}

/// How far it was from the clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Off {
    /// Frames of the run that count.
    pub frames: usize,
    /// Root mean square distance of bones with mass from the clip's, metres.
    pub place: f64,
    /// Root mean square angle of joints from the clip's, radians.
    pub angle: f64,
}

/// What a hand gave, by the weight of the ragdoll; all 0 where there was none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hand {
    /// Mean of its force.
    pub mean: f64,
    /// Greatest force.
    pub most: f64,
    /// Greatest moment, newton metres.
    pub most_moment: f64,
}

/// A ragdoll that follows a clip: its name, the clip, from when to when, seconds.
pub(super) type Member<'a> = (&'a str, Cow<'a, ClipTracker>, [f64; 2]);

/// A herd that follows a clip: its name, what all of them are, and each of them.
pub(super) type Herded<'a> = (&'a str, &'a RagdollModel, Box<dyn Iterator<Item = Member<'a>> + 'a>);

/// What is told of a ragdoll that followed clips, in a recording that began at a time of the run, seconds.
pub(super) fn of(recording: &Recording, began: f64, scene: &Scene, name: &str, direction: &Goals) -> Vec<Following> {
    let follow = |(track, span)| {
        let mut only = core::iter::once((name, Cow::Borrowed(track), span));
        all_of(recording, began, (scene, name), (&direction.figure, &mut only))
    };
    direction.followed().filter_map(follow).collect()
}

/// The same of a herd, or of one ragdoll, that followed one clip; `None` where nothing was recorded of it.
pub(super) fn all_of<'a>(
    recording: &Recording,
    began: f64,
    (scene, of): (&Scene, &str),
    (figure, members): (&RagdollModel, &mut dyn Iterator<Item = Member<'a>>),
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
            possible_at = feasibility.as_ref().map(Feasibility::possible).unwrap_or_default();
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
        let weight = character.mass() * scene.setting.gravity.length();
        hands.add(recording.exertions.iter().find(|own| own.is_hand_of(name)), &frames, weight);
    }
    let possible = (possible.frames > 0).then(|| possible.root());
    told.map(|told| Following { all: all.root(), possible, hand: hands.all(), ..told })
}

/// What the clip of a track asks of the floor of a scene beyond what that can give a ragdoll; `None` where nothing weighs down along y.
pub(super) fn feasibility_of(
    scene: &Scene,
    name: &str,
    character: &Character,
    track: &ClipTracker,
) -> Option<Feasibility> {
    let settings = Settings { gravity: scene.setting.falls_at()?, ..Settings::default() };
    let floor = Floor { height: height(scene), friction: direction::friction(scene, name) };
    Some(feasibility(character, &track.in_world(), &settings, floor))
}

/// Share of a frame by which times are rounded.
const NEAR: f64 = 1e-6;

/// Height of the floor; `None`: as the clip has it, because things stand around that it may be made for. Without anything there is none.
fn height(scene: &Scene) -> Option<f64> {
    scene.obstacles.is_empty().then(|| scene.setting.ground.unwrap_or(f64::NEG_INFINITY))
}

/// Hands while they are summed.
#[derive(Default)]
struct Hands {
    /// Its mean is the sum so far.
    sum: Hand,
    frames: u32,
}

impl Hands {
    /// Adds what a hand did to a ragdoll of that weight, newtons.
    fn add(&mut self, exertion: Option<&ExternalForce>, frames: &[usize], weight: f64) {
        let Some(exertion) = exertion.filter(|_| weight > 0.0) else { return };
        // What is noted at a frame was done during the step before it.
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
