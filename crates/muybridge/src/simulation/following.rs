//! How well ragdolls of a run followed their clips, and where the clips cannot be followed because no floor could give what they ask for.
//!
//! ```text
//! place, angle    root mean squares over bones with mass or joints, and frames: all of them, and those in which the clip is possible
//! possible        contacts of the clip could give the ragdoll's own bodies the force and moment it needs:  `analysis::feasibility`
//! hand            force of the hand that leads, by the weight
//! ```

use super::direction::{self, Direction};
use super::recording::{Exertion, Recording};
use super::scene::Scene;
use crate::analysis::Settings;
use crate::analysis::feasibility::{Feasibility, Floor, feasibility};
use crate::behavior::Posture;
use crate::behavior::track::Track;
use crate::behavior::tracking::apart;
use crate::character::Character;

/// How a ragdoll followed a clip.
#[derive(Clone, Debug, PartialEq)]
pub struct Following {
    /// The ragdoll.
    pub of: String,
    /// The clip; empty where it held the pose it started in.
    pub clip: String,
    /// From when to when it is measured, seconds of the run: while the clip lasts and is followed.
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

/// What is told of a ragdoll that followed clips, in a recording that began at a time of the run, seconds.
pub(super) fn of(
    recording: &Recording,
    began: f64,
    scene: &Scene,
    name: &str,
    direction: &Direction,
) -> Vec<Following> {
    if recording.frames < 2 {
        return Vec::new();
    }
    let follow = |(track, span)| one(recording, began, (scene, name), (direction, track, span));
    direction.followed().filter_map(follow).collect()
}

fn one(
    recording: &Recording,
    began: f64,
    (scene, name): (&Scene, &str),
    (direction, track, span): (&Direction, &Track, [f64; 2]),
) -> Option<Following> {
    let (_, character, clip) = recording.characters.iter().find(|(own, ..)| own == name)?;
    let lasts = if track.clip.frames() > 1 { track.clip.duration() } else { f64::INFINITY };
    let last = began + (recording.frames - 1) as f64 * recording.frame_time;
    let span = [track.begins.max(span[0]).max(began), (track.begins + lasts).min(span[1]).min(last)];
    let feasibility = feasibility_of(scene, name, character, track);
    let possible_at = feasibility.as_ref().map(Feasibility::possible).unwrap_or_default();
    let within = |frame: &usize| {
        let time = began + *frame as f64 * recording.frame_time;
        time >= span[0] - NEAR * recording.frame_time && time <= span[1] + NEAR * recording.frame_time
    };
    let frames: Vec<usize> = (0..recording.frames).filter(within).collect();
    let (mut all, mut possible) = (Off::default(), Off::default());
    for &frame in &frames {
        let time = began + frame as f64 * recording.frame_time;
        let pose = Posture::of_clip(clip, frame as f64 * clip.frame_time).world(&direction.figure.skeleton);
        let apart = apart(&direction.figure, &pose, &track.posture(time));
        all.add(apart.place, apart.angle);
        if feasibility.as_ref().is_some_and(|own| possible_at[own.frame(time - track.begins)]) {
            possible.add(apart.place, apart.angle);
        }
    }
    let weight = character.mass() * scene.setting.gravity.length();
    Some(Following {
        of: name.to_owned(),
        clip: track.clip.name.clone(),
        span,
        feasibility,
        all: all.root(),
        possible: (possible.frames > 0).then(|| possible.root()),
        hand: hand(recording.exertions.iter().find(|own| own.is_hand_of(name)), &frames, weight),
    })
}

/// What the clip of a track asks of the floor of a scene beyond what that can give a ragdoll; `None` where nothing weighs down along y.
pub(super) fn feasibility_of(scene: &Scene, name: &str, character: &Character, track: &Track) -> Option<Feasibility> {
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

fn hand(exertion: Option<&Exertion>, frames: &[usize], weight: f64) -> Hand {
    let mut hand = Hand::default();
    let Some(exertion) = exertion.filter(|_| weight > 0.0) else { return hand };
    // What is noted at a frame was done during the step before it.
    let mut given = 0;
    for (force, moment) in frames.iter().skip(1).filter_map(|&frame| exertion.efforts.get(frame)) {
        given += 1;
        hand.mean += force.length() / weight;
        hand.most = hand.most.max(force.length() / weight);
        hand.most_moment = hand.most_moment.max(moment.length());
    }
    Hand { mean: hand.mean / f64::from(given.max(1)), ..hand }
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
