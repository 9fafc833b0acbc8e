//! Goals of the ragdolls of a scene: clips to follow, limbs gone limp, people who stand and walk.
//!
//! ```text
//! [[follow]] of = "man"             all joints along a clip, or to the pose it started in
//! [[follow]] of = "man/LeftArm"     strength of that joint and all joints below it, while the entry lasts
//! [[follow]] own_feet = true        along the clip, as far as ground contact forces allow (whole-body control)
//! [[stand]]  of = "man"             stands, steps, walks
//! [[look]]   of = "man"             turns the face to a place
//! [[reach]]  of = "man/LeftHand"    brings a hand or foot to a place
//! ```
//! Later entries win over earlier ones; standing wins over following. Specification: mathematics 8.1, 8.2.

use glam::{DQuat, DVec2, DVec3};

use super::actions::along;
use super::assets::{Assets, clip_named};
use super::following;
use super::scene::slot::{PartPath, Waypoint};
use super::scene::{self, Follow, Look, Ragdoll, Scene, SceneError, Stand, Thing};
use crate::behavior::action::Ease;
use crate::behavior::biped::Biped;
use crate::behavior::clip_tracker::{ClipTracker, Helped};
use crate::behavior::look_at::LookAt;
use crate::behavior::pose_target::RootAssist;
use crate::behavior::reach::Reach;
use crate::behavior::tracking_error::hand;
use crate::behavior::whole_body::OwnFeet;
use crate::behavior::{PoseTarget, Posture, RagdollModel, Sensed};
use crate::character::{Character, Role};
use crate::motion::Clip;
use crate::motion::ik;
use crate::ragdoll::{RagdollStart, RigidRagdoll};

/// Goals of one ragdoll.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Goals {
    /// Index of the ragdoll among the actors of the world.
    pub actor: usize,
    pub figure: RagdollModel,
    tracks: Vec<Along>,
    limbs: Vec<Limb>,
    stands: Vec<StandGoal>,
    looks: Vec<Looking>,
    reaches: Vec<Reaching>,
}

#[derive(Clone, Debug, PartialEq)]
struct Along {
    span: [f64; 2],
    track: ClipTracker,
    /// Whole-body control on the ground; `None` if joints alone follow the clip.
    own_feet: Option<Box<OwnFeet>>,
    /// Seconds in which the ragdoll gets up from the ground to the clip.
    rise: f64,
    has_begun: bool,
}

#[derive(Clone, Debug, PartialEq)]
struct Limb {
    span: [f64; 2],
    bone: usize,
    strength: f64,
}

#[derive(Clone, Debug, PartialEq)]
struct StandGoal {
    span: [f64; 2],
    biped: Biped,
    ease: Posture,
}

#[derive(Clone, Debug, PartialEq)]
struct Looking {
    timing: Timing,
    look: LookAt,
}

#[derive(Clone, Debug, PartialEq)]
struct Reaching {
    timing: Timing,
    reach: Reach,
}

/// Path of a goal, with its time span.
#[derive(Clone, Debug, PartialEq)]
struct Timing {
    path: Vec<Waypoint>,
    span: [f64; 2],
    /// Seconds of easing in and out.
    ease: f64,
}

impl Timing {
    /// Weight of the goal at a time, 0 to 1.
    fn share(&self, time: f64) -> f64 {
        let within = (time - self.span[0]).min(self.span[1] - time);
        if within < 0.0 { 0.0 } else { Ease::Quintic.of(if self.ease > 0.0 { within / self.ease } else { 1.0 }) }
    }
}

/// Progress of the goals of all ragdolls, with the last sensor reading of ragdolls of particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct GoalState(pub Vec<(Goals, Option<Sensed>)>);

impl GoalState {
    /// Whether this state fits these ragdolls: the same ragdolls, each with as many goals.
    pub(super) fn fits<'a>(&self, directions: impl ExactSizeIterator<Item = &'a Goals>) -> bool {
        let size =
            |of: &Goals| (of.actor, of.tracks.len(), of.limbs.len(), of.stands.len(), of.looks.len(), of.reaches.len());
        self.0.len() == directions.len()
            && self.0.iter().zip(directions).all(|((own, _), other)| size(own) == size(other))
    }
}

/// A ragdoll as built, for which goals are read.
pub(super) struct Player<'a> {
    pub index: usize,
    pub name: &'a str,
    /// The herd it belongs to; `None` for a single ragdoll.
    pub herd: Option<&'a HerdPlace>,
    pub character: &'a Character,
    pub figure: RagdollModel,
    /// World pose of its bones at the start.
    pub pose: Vec<(DVec3, DQuat)>,
    /// Its rigid bodies; `None` for particles.
    pub rigid: Option<&'a RigidRagdoll>,
}

/// Membership in a herd: the ragdoll has the goals of the herd, with its own delay.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HerdPlace {
    /// Name of the herd.
    pub herd: String,
    /// Delay before it begins a clip, seconds.
    pub delay: f64,
}

/// Whether the scene has a goal for the ragdoll of that name.
pub(super) fn is_directed(scene: &Scene, name: &str, herd: Option<&HerdPlace>) -> bool {
    let told = herd.map_or(name, |herded| &herded.herd);
    scene.follows.iter().any(|follow| follow.of.thing() == told) || stands(scene, name)
}

/// Whether the ragdoll of that name shall stand.
pub(super) fn stands(scene: &Scene, name: &str) -> bool {
    scene.stands.iter().any(|stand| stand.of.thing() == name)
}

/// Whether the ragdoll of that name shall follow a clip with whole-body control (`own_feet`).
pub(super) fn keeps_to_its_feet(scene: &Scene, name: &str) -> bool {
    scene.follows.iter().any(|follow| follow.own_feet && follow.of.0 == name)
}

/// Reads the goals of a ragdoll. Errors name the entry and the key.
pub(super) fn direction(scene: &Scene, assets: &Assets, player: Player<'_>) -> Result<Goals, SceneError> {
    let Player { index, name, herd, character, figure, pose, rigid } = player;
    let (told, delay) = herd.map_or((name, 0.0), |herded| (&herded.herd, herded.delay));
    let mut direction = Goals {
        actor: index,
        tracks: Vec::new(),
        limbs: Vec::new(),
        stands: Vec::new(),
        looks: Vec::new(),
        reaches: Vec::new(),
        figure,
    };
    let figure = &direction.figure;
    for (number, follow) in scene.follows.iter().enumerate().filter(|(_, follow)| follow.of.thing() == told) {
        let fault = |key, message| SceneError { kind: Follow::KIND, index: number, key, message };
        let span = [follow.begins, follow.ends.unwrap_or(f64::INFINITY)];
        if let Some(bone) = follow.of.bone() {
            let found = figure.skeleton.find(bone);
            let bone = found.ok_or_else(|| fault("of", format!("“{}” has no bone “{bone}”", follow.of.thing())))?;
            direction.limbs.push(Limb { span, bone, strength: follow.strength });
            continue;
        }
        let posed = Posture::of_pose(&figure.skeleton, &pose);
        let clip = clip(scene, assets, follow, &posed).map_err(|message| fault("clip", message))?;
        let mut track = ClipTracker::new(figure, clip, follow.begins + delay, follow.strength, follow.frequency);
        for aim in &mut track.drive.aims {
            aim.damping_ratio = follow.damping;
            aim.most = follow.max_torque.unwrap_or(f64::INFINITY);
        }
        track.lead = leading(follow, figure.mass * scene.solver.gravity(&scene.setting).length());
        // Places the clip so that it begins at the ragdoll.
        let first = Posture::of_clip(&track.clip, 0.0);
        let turn = (posed.rotations[0] * first.rotations[0].conjugate()).normalize();
        track.moved = (posed.translations[0] - turn * first.translations[0], turn);
        if let (Some(times), Some(lead)) = (follow.max_missing_assist, &track.lead) {
            let besides = if follow.max_assist.is_some() { [lead.most_force, lead.most_moment] } else { [0.0; 2] };
            let found = following::feasibility_of(scene, name, character, &track);
            track.helped = found.map(|found| Helped::new(&found, times, besides));
        }
        let own_feet = rigid.filter(|_| follow.own_feet).map(|ragdoll| {
            let ground = scene.setting.ground.unwrap_or(f64::NEG_INFINITY);
            let mut own = OwnFeet::new(character, ragdoll, track.clone(), ground);
            own.friction = friction(scene, name);
            own.most = follow.max_torque.unwrap_or(own.most);
            Box::new(own)
        });
        direction.tracks.push(Along { span, track, own_feet, rise: follow.get_up_time, has_begun: false });
    }
    // Parents come before children: the strength of a lower arm counts beyond that of the arm.
    direction.limbs.sort_by_key(|limb| limb.bone);
    for (number, stand) in scene.stands.iter().enumerate().filter(|(_, stand)| stand.of.thing() == name) {
        let made = Biped::new(character, figure);
        let mut biped = made.map_err(|error| SceneError {
            kind: Stand::KIND,
            index: number,
            key: "of",
            message: format!("“{name}” cannot stand: {error}"),
        })?;
        let forward = pose[0].1 * figure.skeleton.rest_pose()[0].1.conjugate() * DVec3::Z;
        biped.gait.facing = DVec2::new(forward.x, forward.z).normalize_or(DVec2::Y);
        biped.gait.velocity = DVec2::new(stand.velocity.x, stand.velocity.z);
        biped.may_step = stand.steps;
        let span = [stand.begins, stand.ends.unwrap_or(f64::INFINITY)];
        let ease = Posture::of_pose(&figure.skeleton, &biped.standing());
        direction.stands.push(StandGoal { span, biped, ease });
    }
    for (number, look) in scene.looks.iter().enumerate().filter(|(_, look)| look.of.thing() == name) {
        if figure.bone_of(Role::Head).is_none() {
            let message = format!("“{name}” cannot look, because no bone has the role head");
            return Err(SceneError { kind: Look::KIND, index: number, key: "of", message });
        }
        let timing = Timing {
            path: look.path.clone(),
            span: [look.begins, look.ends.unwrap_or(f64::INFINITY)],
            ease: look.ease,
        };
        let look = LookAt { place: DVec3::ZERO, forward: DVec3::Z, most: look.swing_limit };
        direction.looks.push(Looking { timing, look });
    }
    for (number, reach) in scene.reaches.iter().enumerate().filter(|(_, reach)| reach.of.thing() == name) {
        let limb = limb(figure, &reach.of).map_err(|message| SceneError {
            kind: scene::Reach::KIND,
            index: number,
            key: "of",
            message,
        })?;
        let timing = Timing {
            path: reach.path.clone(),
            span: [reach.begins, reach.ends.unwrap_or(f64::INFINITY)],
            ease: reach.ease,
        };
        let reach = Reach { limb, in_end: DVec3::ZERO, goal: DVec3::ZERO, turn: None };
        direction.reaches.push(Reaching { timing, reach });
    }
    Ok(direction)
}

/// Root assist of an entry, for a ragdoll of that weight, newtons; `None` if the entry has none.
pub(super) fn leading(follow: &Follow, weight: f64) -> Option<RootAssist> {
    let most = follow.max_assist.map_or(f64::INFINITY, |share| share * weight);
    let lead = RootAssist { most_force: most, most_moment: most * HAND_ARM, ..hand(follow.assist_time) };
    (follow.assist_time > 0.0).then_some(lead)
}

/// Greatest moment of a root assist by its greatest force, meters.
const HAND_ARM: f64 = 0.5;

/// Coulomb friction between a ragdoll and the ground.
pub(super) fn friction(scene: &Scene, name: &str) -> f64 {
    let stem = Scene::numbered(name).map_or(name, |(stem, _)| stem);
    let herd = || scene.herds.iter().find(|herd| herd.name == stem).map(|herd| herd.friction);
    let own = ragdoll_of(scene, name).map(|ragdoll| ragdoll.friction).or_else(herd);
    libm::sqrt(own.unwrap_or(0.0) * scene.setting.ground_friction)
}

/// The scene entry of a ragdoll, or of the grid it belongs to.
fn ragdoll_of<'a>(scene: &'a Scene, name: &str) -> Option<&'a Ragdoll> {
    let stem = Scene::numbered(name).map_or(name, |(stem, _)| stem);
    scene.ragdolls.iter().find(|ragdoll| ragdoll.name == name || ragdoll.name == stem)
}

/// The limb that ends in a bone.
fn limb(figure: &RagdollModel, of: &PartPath) -> Result<ik::Limb, String> {
    let name = of.bone().unwrap_or_default();
    let found = figure.skeleton.find(name);
    let bone = found.ok_or_else(|| format!("“{}” has no bone “{name}”", of.thing()))?;
    let limb = figure.limb_to(bone).cloned();
    limb.ok_or_else(|| format!("“{name}” is not the end of an arm or a leg; name a hand or a foot"))
}

/// A standing pose with bent legs, at rest, for a ragdoll that would start upright with straight legs. `None` if it is no
/// person or starts in motion.
pub(super) fn on_foot(character: &Character, figure: &RagdollModel, start: &RagdollStart) -> Option<RagdollStart> {
    let rest = character.skeleton.rest_pose();
    let turn = start.pose[0].1 * rest[0].1.conjugate();
    if start.motion.is_some() || (turn * DVec3::Y).y < UPRIGHT {
        return None;
    }
    let mut biped = Biped::new(character, figure).ok()?;
    let forward = turn * DVec3::Z;
    biped.gait.facing = DVec2::new(forward.x, forward.z);
    let offset = start.pose[0].0 - turn * rest[0].0;
    let pose = biped.standing().into_iter().map(|(place, turn)| (place + offset, turn)).collect();
    Some(RagdollStart { pose, unplaced: None, ..start.clone() })
}

/// Cosine of the least lean that is not upright.
const UPRIGHT: f64 = 0.99;

/// The clip that an entry follows: the named one, or the ragdoll's, or its starting pose. A herd has no clip of its own.
fn clip(scene: &Scene, assets: &Assets, follow: &Follow, posed: &Posture) -> Result<Clip, String> {
    let thing = follow.of.thing();
    let herd = || scene.herds.iter().find(|herd| herd.name == thing).map(|herd| (herd.character.clone(), ""));
    let ragdoll = ragdoll_of(scene, thing).map(|ragdoll| (ragdoll.source().word(), ragdoll.clip.as_str()));
    let Some((character, own)) = ragdoll.or_else(herd) else { return Err(format!("“{thing}” is not a ragdoll")) };
    let name = if follow.clip.is_empty() { own } else { &follow.clip };
    if name.is_empty() {
        return posed.as_clip().map_err(|error| error.to_string());
    }
    let clips = assets.characters.get(&character).map_or(&[][..], |cast| &cast.clips);
    clip_named(clips, name, &character).cloned()
}

impl Goals {
    /// Clips that the whole ragdoll follows, with their time spans, seconds; only those that have begun.
    pub fn followed(&self) -> impl Iterator<Item = (&ClipTracker, [f64; 2])> {
        self.tracks.iter().filter(|along| along.has_begun).map(|along| (&along.track, along.span))
    }

    /// Whether the ragdoll has a root assist at some time.
    pub fn may_be_led(&self) -> bool {
        self.tracks.iter().any(|along| along.track.lead.is_some())
    }

    /// Time at which the ragdoll last lost a clip that it followed on its own feet, seconds.
    pub fn lost(&self) -> Option<f64> {
        self.tracks.iter().filter_map(|along| along.own_feet.as_ref()?.lost()).next_back()
    }

    /// Joint targets of the coming step; `None` while no goal is active.
    pub fn decide(&mut self, sensed: &Sensed) -> Option<PoseTarget> {
        let now = sensed.time + 0.5 * sensed.step;
        let lasts = |span: [f64; 2]| now >= span[0] && now < span[1];
        let mut wanted = None;
        let mut ease = None;
        for along in self.tracks.iter_mut().filter(|along| lasts(along.span)) {
            if !along.has_begun && along.rise > 0.0 {
                along.track.get_up(&self.figure, sensed, along.rise);
            }
            along.has_begun = true;
            wanted = Some(match &mut along.own_feet {
                Some(own) => own.decide(sensed),
                None => along.track.decide(&self.figure, sensed),
            });
            ease = Some(along.track.posture(sensed.time + sensed.step));
        }
        for standing in self.stands.iter_mut().filter(|standing| lasts(standing.span)) {
            wanted = Some(standing.biped.decide(sensed));
            ease = Some(standing.ease.clone());
        }
        let mut wanted = wanted?;
        if let Some(ease) = ease {
            self.look_and_reach(now, &ease, sensed, &mut wanted);
        }
        for limb in self.limbs.iter().filter(|limb| lasts(limb.span)) {
            wanted.set_strength_below(&self.figure, limb.bone, limb.strength);
        }
        Some(wanted)
    }

    /// Turns the face and moves limbs to their goals, starting from the posture `ease`.
    fn look_and_reach(&self, now: f64, ease: &Posture, sensed: &Sensed, wanted: &mut PoseTarget) {
        let figure = &self.figure;
        for Looking { timing, look } in &self.looks {
            let share = timing.share(now);
            if share > 0.0 {
                let look = LookAt { place: along(&timing.path, now), most: look.most * share, ..*look };
                // The angle left over has no effect.
                let _ = look.decide(figure, ease, sensed, wanted);
            }
        }
        for Reaching { timing, reach } in &self.reaches {
            let share = timing.share(now);
            if share > 0.0 {
                let from = reach.at_ease(figure, ease, sensed);
                let goal = from.lerp(along(&timing.path, now), share);
                Reach { goal, ..reach.clone() }.decide(figure, ease, sensed, wanted);
            }
        }
    }
}
