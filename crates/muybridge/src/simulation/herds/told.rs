//! Goals of a herd: clips to follow, and limbs gone limp.
//!
//! ```text
//! [[follow]] of = "crowd"            all joints of all ragdolls, each from its own place and after its own delay
//! [[follow]] of = "crowd/LeftArm"    strength of that joint and all joints below it, while the entry lasts
//! ```
//! Later entries win over earlier ones, as for a single ragdoll. Specification: mathematics 8.1.

use std::borrow::Cow;

use glam::{DQuat, DVec3};

use crate::behavior::clip_tracker::ClipTracker;
use crate::behavior::drive::Led;
use crate::behavior::drive_herd::HerdTrack;
use crate::behavior::root_assist::RigidAcceleration;
use crate::behavior::tracking_error::hand;
use crate::behavior::{JointTarget, Posture, RagdollModel};
use crate::character::Character;
use crate::motion::Clip;
use crate::particles::herd::{Herd, InstanceId};
use crate::ragdoll::{Inherited, Ragdoll, RagdollStart};
use crate::simulation::assets::clip_named;
use crate::simulation::following::{Follower, Herded};
use crate::simulation::scene::{self, Follow, Scene, SceneError, Thing};

/// Goals of a herd.
#[derive(Clone, Debug)]
pub(super) struct BatchGoals {
    figure: RagdollModel,
    tracks: Vec<FollowedClip>,
    limbs: Vec<Limb>,
    /// Starting offset (m), rotation and delay (s) of each ragdoll.
    places: Vec<(DVec3, DQuat, f64)>,
    /// Index of the clip of the last step, and the root assist's acceleration field of each ragdoll.
    led: (usize, Vec<Option<RigidAcceleration>>),
}

#[derive(Clone, Debug)]
struct FollowedClip {
    span: [f64; 2],
    clip: Clip,
    said: Follow,
    track: HerdTrack,
    /// Joint targets of the clip, before limbs go limp.
    aims: Vec<JointTarget>,
}

#[derive(Clone, Debug)]
struct Limb {
    span: [f64; 2],
    /// Indices of the joints of the limb.
    joints: Vec<usize>,
    strength: f64,
}

/// The `[[follow]]` entries of a herd, with their indices.
fn follows<'a>(scene: &'a Scene, herd: &'a str) -> impl Iterator<Item = (usize, &'a Follow)> {
    scene.follows.iter().enumerate().filter(move |(_, follow)| follow.of.thing() == herd)
}

/// The clip of an entry; `None` if it holds the starting pose.
fn clip<'a>(
    follow: &Follow,
    number: usize,
    said: &scene::Herd,
    clips: &'a [Clip],
) -> Result<Option<&'a Clip>, SceneError> {
    if follow.clip.is_empty() {
        return Ok(None);
    }
    let fault = |message| SceneError { kind: Follow::KIND, index: number, key: "clip", message };
    clip_named(clips, &follow.clip, &said.character).map(Some).map_err(fault)
}

/// Start of the ragdolls of a herd: in the first pose of a clip that they follow from time 0, moving with it unless delays
/// are drawn; otherwise at rest.
pub(in crate::simulation) fn start(
    scene: &Scene,
    said: &scene::Herd,
    character: &Character,
    clips: &[Clip],
) -> Result<RagdollStart, SceneError> {
    for (number, follow) in follows(scene, &said.name) {
        let Some(clip) = clip(follow, number, said, clips)? else { continue };
        if follow.of.bone().is_none() && follow.begins == 0.0 {
            let inherited = if said.max_start_delay > 0.0 { Inherited::Nothing } else { Inherited::Central };
            let fault = |message| SceneError { kind: Follow::KIND, index: number, key: "clip", message };
            return RagdollStart::from_clip(&character.skeleton, clip, 0, inherited)
                .map_err(|error| fault(error.to_string()));
        }
    }
    Ok(RagdollStart::at_rest(&character.skeleton))
}

impl BatchGoals {
    /// Reads the goals of a herd; `None` if the scene has none for it. `step` in seconds.
    pub fn new(
        scene: &Scene,
        said: &scene::Herd,
        (character, clips): (&Character, &[Clip]),
        (ragdoll, step): (&Ragdoll, f64),
        places: Vec<(DVec3, DQuat, f64)>,
    ) -> Result<Option<Self>, SceneError> {
        let figure = RagdollModel::of_particles(character, ragdoll);
        let (mut tracks, mut limbs) = (Vec::new(), Vec::new());
        for (number, follow) in follows(scene, &said.name) {
            let span = [follow.begins, follow.ends.unwrap_or(f64::INFINITY)];
            if let Some(name) = follow.of.bone() {
                let message = || format!("“{}” has no bone “{name}”", said.name);
                let fault = || SceneError { kind: Follow::KIND, index: number, key: "of", message: message() };
                let bone = figure.skeleton.find(name).ok_or_else(fault)?;
                let is_below = |joint: &usize| figure.is_below(figure.links[*joint].bone, bone);
                let joints = (0..figure.links.len()).filter(is_below).collect();
                limbs.push(Limb { span, joints, strength: follow.strength });
                continue;
            }
            let clip = match clip(follow, number, said, clips)? {
                Some(clip) => clip.clone(),
                None => held(&figure, ragdoll, number)?,
            };
            let track = track(&figure, ragdoll, &clip, (step, follow));
            tracks.push(FollowedClip { span, clip, said: follow.clone(), aims: track.aims.clone(), track });
        }
        let led = (0, vec![None; places.len()]);
        Ok((!tracks.is_empty()).then_some(Self { figure, tracks, limbs, places, led }))
    }

    /// Clips of the herd that have begun by `time`, seconds of the run, with the names of the herd and its ragdolls.
    pub fn herded<'a>(&'a self, name: &'a str, names: &'a [String], time: f64) -> Vec<Herded<'a>> {
        let begun = self.tracks.iter().filter(|along| along.span[0] < time);
        let of_clip = |along: &'a FollowedClip| {
            let one = move |(name, place): (&'a String, &(DVec3, DQuat, f64))| -> Follower<'a> {
                let &(offset, turn, delay) = place;
                let (begins, said) = (along.span[0] + delay, &along.said);
                let mut track =
                    ClipTracker::new(&self.figure, along.clip.clone(), begins, said.strength, said.frequency);
                track.moved = (offset, turn);
                (name, Cow::Owned(track), along.span)
            };
            let all = names.iter().zip(&self.places).map(one);
            (name, &self.figure, Box::new(all) as Box<dyn Iterator<Item = Follower<'a>>>)
        };
        begun.map(of_clip).collect()
    }

    /// Changes the length of a step, seconds.
    pub fn tune(&mut self, ragdoll: &Ragdoll, step: f64) {
        for along in &mut self.tracks {
            along.track = track(&self.figure, ragdoll, &along.clip, (step, &along.said));
        }
    }

    /// Sets the joint targets of all ragdolls for the step that begins `time` seconds after the start.
    pub fn want(&mut self, time: f64, herd: &mut Herd, slots: &[InstanceId]) {
        let step = herd.settings().time_step;
        let now = time + 0.5 * step;
        let lasts = |span: [f64; 2]| now >= span[0] && now < span[1];
        let Some((index, along)) = self.tracks.iter_mut().enumerate().rfind(|(_, along)| lasts(along.span)) else {
            self.led.1.fill(None);
            // The slots are the herd's own, so that none is refused.
            slots.iter().for_each(|&slot| drop(herd.release(slot)));
            return;
        };
        along.track.aims.copy_from_slice(&along.aims);
        for limb in self.limbs.iter().filter(|limb| lasts(limb.span)) {
            limb.joints.iter().for_each(|&joint| along.track.aims[joint].strength = limb.strength);
        }
        self.led.0 = index;
        for ((&slot, &(offset, turn, delay)), led) in slots.iter().zip(&self.places).zip(&mut self.led.1) {
            let at = libm::round((time - along.span[0] - delay) / step) as i64;
            // A ragdoll whose state is not finite has no hand that leads it.
            *led = along.track.apply_pose_target(at, (offset, turn), herd, slot).unwrap_or(None);
        }
    }

    /// Whether the ragdolls have a root assist at some time.
    pub fn may_be_led(&self) -> bool {
        self.tracks.iter().any(|along| along.track.lead.is_some())
    }

    /// Wrench of the root assist on each ragdoll in the last step.
    pub fn led<'a>(&'a self, herd: &'a Herd, slots: &'a [InstanceId]) -> impl Iterator<Item = Led> + 'a {
        let (index, fields) = &self.led;
        let led = |field: &RigidAcceleration, slot: InstanceId| {
            self.tracks[*index].track.root_assist_wrench(field, herd, slot)
        };
        slots
            .iter()
            .zip(fields)
            .map(move |(&slot, field)| field.as_ref().map_or_else(Led::default, |own| led(own, slot)))
    }
}

/// Prepares a clip with the gains and limits of its entry.
fn track(figure: &RagdollModel, ragdoll: &Ragdoll, clip: &Clip, (step, said): (f64, &Follow)) -> HerdTrack {
    let mut track = HerdTrack::new(figure, ragdoll, clip, (step, said.strength, said.frequency));
    for aim in &mut track.aims {
        aim.damping_ratio = said.damping;
        aim.most = said.max_torque.unwrap_or(f64::INFINITY);
    }
    track.lead = (said.assist_time > 0.0).then(|| hand(said.assist_time));
    track
}

/// A clip that holds the pose in which the ragdoll was built.
fn held(figure: &RagdollModel, ragdoll: &Ragdoll, number: usize) -> Result<Clip, SceneError> {
    let held = Posture::of_pose(&figure.skeleton, &ragdoll.pose(&ragdoll.model.positions)).as_clip();
    held.map_err(|error| SceneError { kind: Follow::KIND, index: number, key: "of", message: error.to_string() })
}

#[cfg(test)]
mod tests;
