//! What a herd is told: clips that it follows, and limbs let go.
//!
//! ```text
//! [[follow]] of = "crowd"            all joints of all of them, each where it was put down and after a delay of its own
//! [[follow]] of = "crowd/LeftArm"    the strength of that joint and all below it, while it lasts
//! ```
//! As for a single ragdoll, later entries win over earlier ones. Specification: mathematics 8.1.

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
use crate::simulation::following::{Herded, Member};
use crate::simulation::scene::{self, Follow, Scene, SceneError, Thing};

/// What a herd is told.
#[derive(Clone, Debug)]
pub(super) struct BatchGoals {
    figure: RagdollModel,
    tracks: Vec<Along>,
    limbs: Vec<Limb>,
    /// Where each of them was put down, and its delay, seconds.
    places: Vec<(DVec3, DQuat, f64)>,
    /// The clip of the last step, and what the hand of each of them did in it.
    led: (usize, Vec<Option<RigidAcceleration>>),
}

#[derive(Clone, Debug)]
struct Along {
    span: [f64; 2],
    clip: Clip,
    said: Follow,
    track: HerdTrack,
    /// What all joints are driven with, before limbs are let go.
    aims: Vec<JointTarget>,
}

#[derive(Clone, Debug)]
struct Limb {
    span: [f64; 2],
    /// Indices of joints.
    joints: Vec<usize>,
    strength: f64,
}

/// What a scene wants of a herd, with the numbers of the entries.
fn follows<'a>(scene: &'a Scene, herd: &'a str) -> impl Iterator<Item = (usize, &'a Follow)> {
    scene.follows.iter().enumerate().filter(move |(_, follow)| follow.of.thing() == herd)
}

/// The clip of an entry; `None` where the pose is held.
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

/// How the ragdolls of a herd begin: in the first pose of a clip that they follow from the start, moving with it where nobody waits; or at
/// rest.
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
    /// What the scene wants of a herd; `None` where that is nothing. `step` in seconds.
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
            tracks.push(Along { span, clip, said: follow.clone(), aims: track.aims.clone(), track });
        }
        let led = (0, vec![None; places.len()]);
        Ok((!tracks.is_empty()).then_some(Self { figure, tracks, limbs, places, led }))
    }

    /// What they follow that has begun by a time of the run, seconds, by the names of the herd and of each of them.
    pub fn herded<'a>(&'a self, name: &'a str, names: &'a [String], time: f64) -> Vec<Herded<'a>> {
        let begun = self.tracks.iter().filter(|along| along.span[0] < time);
        let of_clip = |along: &'a Along| {
            let one = move |(name, place): (&'a String, &(DVec3, DQuat, f64))| -> Member<'a> {
                let &(offset, turn, delay) = place;
                let (begins, said) = (along.span[0] + delay, &along.said);
                let mut track =
                    ClipTracker::new(&self.figure, along.clip.clone(), begins, said.strength, said.frequency);
                track.moved = (offset, turn);
                (name, Cow::Owned(track), along.span)
            };
            let all = names.iter().zip(&self.places).map(one);
            (name, &self.figure, Box::new(all) as Box<dyn Iterator<Item = Member<'a>>>)
        };
        begun.map(of_clip).collect()
    }

    /// Goes on in steps of another length, seconds.
    pub fn tune(&mut self, ragdoll: &Ragdoll, step: f64) {
        for along in &mut self.tracks {
            along.track = track(&self.figure, ragdoll, &along.clip, (step, &along.said));
        }
    }

    /// Tells all of them what is wanted during the step that begins `time` seconds after the start.
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
            *led = along.track.want(at, (offset, turn), herd, slot).unwrap_or(None);
        }
    }

    /// Whether a hand leads them at some time.
    pub fn may_be_led(&self) -> bool {
        self.tracks.iter().any(|along| along.track.lead.is_some())
    }

    /// What the hand of each of them did in the last step.
    pub fn led<'a>(&'a self, herd: &'a Herd, slots: &'a [InstanceId]) -> impl Iterator<Item = Led> + 'a {
        let (index, fields) = &self.led;
        let led = |field: &RigidAcceleration, slot: InstanceId| self.tracks[*index].track.led(field, herd, slot);
        slots
            .iter()
            .zip(fields)
            .map(move |(&slot, field)| field.as_ref().map_or_else(Led::default, |own| led(own, slot)))
    }
}

/// A clip as an entry says it is followed.
fn track(figure: &RagdollModel, ragdoll: &Ragdoll, clip: &Clip, (step, said): (f64, &Follow)) -> HerdTrack {
    let mut track = HerdTrack::new(figure, ragdoll, clip, (step, said.strength, said.frequency));
    for aim in &mut track.aims {
        aim.damping_ratio = said.damping;
        aim.most = said.max_torque.unwrap_or(f64::INFINITY);
    }
    track.lead = (said.assist_time > 0.0).then(|| hand(said.assist_time));
    track
}

/// The pose that the ragdoll was made in.
fn held(figure: &RagdollModel, ragdoll: &Ragdoll, number: usize) -> Result<Clip, SceneError> {
    let held = Posture::of_pose(&figure.skeleton, &ragdoll.pose(&ragdoll.model.positions)).held();
    held.map_err(|error| SceneError { kind: Follow::KIND, index: number, key: "of", message: error.to_string() })
}

#[cfg(test)]
mod tests;
