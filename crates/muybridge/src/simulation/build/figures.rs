//! Builds the characters of a scene as ragdolls.

use glam::{DQuat, DVec3};

use super::append::append;
use super::{Actor, Builder, Holder, Instance, Playing, fault, instances, own_passes, turn};
use crate::behavior::RagdollModel;
use crate::behavior::balance::over_its_feet;
use crate::character::{Character, Skeleton};
use crate::math::random::Random;
use crate::motion::Clip;
use crate::motion::sample::{rotation_at, translation_at};
use crate::particles::Placement;
use crate::ragdoll::{PosePair, RagdollSettings, RagdollStart, particles, rigid};
use crate::simulation::assets::{Assets, Cast, clip_named};
use crate::simulation::scene::{Ragdoll, Scene, SceneError};

impl Builder<'_> {
    pub(super) fn figures(&mut self) -> Result<(), SceneError> {
        for troupe in troupes(self.scene, self.assets, &mut self.chance)? {
            let index = troupe.index;
            if troupe.ragdoll.rolling_resistance != Ragdoll::default().rolling_resistance {
                let name = &troupe.ragdoll.name;
                self.built
                    .notes
                    .push(format!("{name}: limbs of particles do not roll; rolling_resistance does nothing"));
            }
            for instance in &troupe.instances {
                let made = self.figure(&troupe, instance);
                made.map_err(|message| fault::<Ragdoll>(index, "character", message))?;
            }
        }
        Ok(())
    }

    fn figure(&mut self, troupe: &Troupe<'_>, instance: &Instance) -> Result<(), String> {
        let Cue { start, plays } = troupe.cue(self.scene, instance)?;
        let (name, character) = (instance.name.clone(), &troupe.character);
        let figure = particles(character, &start, &troupe.settings());
        let mut figure = figure.map_err(|error| format!("cannot become a ragdoll: {error}"))?;
        let released = match plays {
            Some(_) => (figure.model.positions.clone(), figure.model.velocities.clone()),
            None => (Vec::new(), Vec::new()),
        };
        if self.built.actors.iter().all(|actor| actor.character != *character) {
            let named = |note: &String| format!("{name}: {note}");
            self.built.notes.extend(figure.notes.iter().map(named));
        }
        figure.first = append(&mut self.built.model, &figure.model);
        self.built.names.insert(name.clone(), Holder::Actor(self.built.actors.len()));
        let (character, pose) = (character.clone(), start.pose);
        self.built.actors.push(Actor { name, character, ragdoll: figure, pose, plays, released });
        Ok(())
    }
}

/// Greatest distance of the center of mass from the line between the feet, and of a foot from its place, of a pose in balance, meters.
const BALANCED: f64 = 1e-3;

/// All instances of one ragdoll entry of a scene.
pub(in crate::simulation) struct Troupe<'a> {
    /// Index of the ragdoll entry in the scene.
    pub index: usize,
    ragdoll: &'a Ragdoll,
    clip: Option<&'a Clip>,
    pub character: Character,
    pub instances: Vec<Instance>,
}

/// Start of a ragdoll's fall, and the clip it plays before.
pub(in crate::simulation) struct Cue {
    pub start: RagdollStart,
    pub plays: Option<Playing>,
}

/// The ragdoll entries of a scene, in order.
pub(in crate::simulation) fn troupes<'a>(
    scene: &'a Scene,
    assets: &'a Assets,
    chance: &mut Random,
) -> Result<Vec<Troupe<'a>>, SceneError> {
    let mut troupes = Vec::new();
    for (index, ragdoll) in scene.ragdolls.iter().enumerate() {
        let cast = assets.cast(&ragdoll.source().word());
        let cast = cast.map_err(|message| fault::<Ragdoll>(index, "character", message))?;
        let clip = clip_of(cast, ragdoll).map_err(|message| fault::<Ragdoll>(index, "clip", message))?;
        let character = weighed(&cast.character, ragdoll.mass);
        let instances = instances(chance, &ragdoll.name, (ragdoll.grid, ragdoll.spacing, ragdoll.random_orientation));
        troupes.push(Troupe { index, ragdoll, clip, character, instances });
    }
    Ok(troupes)
}

impl Troupe<'_> {
    /// Start of an instance, and the clip it plays before it falls.
    ///
    /// # Errors
    /// Why it cannot start in balance, where it should.
    pub fn cue(&self, scene: &Scene, instance: &Instance) -> Result<Cue, String> {
        let Self { ragdoll, clip, ref character, .. } = *self;
        let release = released(scene, &instance.name);
        let placed = PlacedFigure::new(character, clip, ragdoll, instance);
        let mut start = placed.start_at(ragdoll.time + release.unwrap_or(0.0));
        if ragdoll.balanced {
            start = self.balanced(start)?;
        }
        let plays = clip.zip(release).map(|(clip, until)| Playing {
            clip: clip.clone(),
            start: ragdoll.time,
            until,
            position: placed.position,
            rotation: placed.rotation,
        });
        Ok(Cue { start: start.with_velocity(ragdoll.velocity, ragdoll.spin), plays })
    }

    /// Start at rest in the balance pose nearest to that of `start`.
    fn balanced(&self, start: RagdollStart) -> Result<RagdollStart, String> {
        let made = rigid(&self.character, &start, &self.settings());
        let figure = made.map_err(|error| format!("cannot become a ragdoll: {error}"))?;
        let model = RagdollModel::of_rigid(&self.character, &figure);
        let found = over_its_feet(&model, &start.pose).ok_or(
            "cannot start in balance: it has no bones with the roles of both feet; name them, or leave balanced out",
        )?;
        let off = found.off_support.max(found.moved);
        if off > BALANCED {
            return Err(format!(
                "cannot start in balance: its feet and the place of its center of mass miss by {off:.3} m; change its pose, or leave \
                 balanced out"
            ));
        }
        Ok(RagdollStart::resting(found.posture.world(&self.character.skeleton)))
    }

    /// Whether its ragdolls start in balance.
    pub fn is_balanced(&self) -> bool {
        self.ragdoll.balanced
    }

    /// Ragdoll settings of the entry: friction, drag, joint friction and limits.
    pub fn settings(&self) -> RagdollSettings {
        RagdollSettings {
            friction: self.ragdoll.friction,
            restitution: self.ragdoll.restitution,
            drag: self.ragdoll.damping,
            touches_itself: self.ragdoll.self_collision,
            joint_friction: self.ragdoll.joint_friction,
            rolling: self.ragdoll.rolling_resistance,
            limits: self.ragdoll.joint_limits,
            hinges: self.ragdoll.hinges,
            iterations: own_passes(self.ragdoll.iterations),
        }
    }
}

fn clip_of<'a>(cast: &'a Cast, ragdoll: &Ragdoll) -> Result<Option<&'a Clip>, String> {
    if ragdoll.clip.is_empty() {
        return Ok(None);
    }
    clip_named(&cast.clips, &ragdoll.clip, &ragdoll.character).map(Some)
}

/// Time at which a ragdoll is released, seconds; `None` if no `[[release]]` names it.
fn released(scene: &Scene, name: &str) -> Option<f64> {
    scene.releases.iter().find(|release| release.of.0 == name).map(|release| release.time)
}

/// The character scaled to another total mass.
fn weighed(character: &Character, mass: Option<f64>) -> Character {
    let mut weighed = character.clone();
    let total = character.mass();
    if let Some(mass) = mass.filter(|_| total > 0.0) {
        for body in &mut weighed.bodies {
            body.mass *= mass / total;
            body.inertia *= mass / total;
        }
    }
    weighed
}

/// A skeleton and its clip, placed in the world.
struct PlacedFigure<'a> {
    skeleton: &'a Skeleton,
    clip: Option<&'a Clip>,
    position: DVec3,
    rotation: DQuat,
}

impl<'a> PlacedFigure<'a> {
    fn new(character: &'a Character, clip: Option<&'a Clip>, ragdoll: &Ragdoll, instance: &Instance) -> Self {
        let skeleton = &character.skeleton;
        let rotation = (turn(ragdoll.rotation) * instance.turn).normalize();
        let root =
            Self::unplaced(skeleton, clip).pose(ragdoll.time).first().map_or(DVec3::ZERO, |(position, _)| *position);
        // Rotated about its root, then moved.
        let position = ragdoll.position + instance.offset + root - rotation * root;
        Self { skeleton, clip, position, rotation }
    }

    fn unplaced(skeleton: &'a Skeleton, clip: Option<&'a Clip>) -> Self {
        Self { skeleton, clip, position: DVec3::ZERO, rotation: DQuat::IDENTITY }
    }

    fn pose(&self, seconds: f64) -> Vec<(DVec3, DQuat)> {
        match self.clip {
            Some(clip) => pose_at(self.skeleton, clip, seconds, (self.position, self.rotation)),
            None => RagdollStart::at_rest(self.skeleton).moved(self.position, self.rotation).pose,
        }
    }

    /// Pose and velocity at a time of the clip, seconds.
    fn start_at(&self, seconds: f64) -> RagdollStart {
        let unplaced = Some(Self::unplaced(self.skeleton, self.clip).pose(seconds));
        let resting = RagdollStart { unplaced, ..RagdollStart::resting(self.pose(seconds)) };
        let Some(clip) = self.clip else { return resting };
        let (before, after) = ((seconds - clip.frame_time).max(0.0), (seconds + clip.frame_time).min(clip.duration()));
        if after <= before {
            return resting;
        }
        let motion = PosePair { before: self.pose(before), after: self.pose(after), seconds: after - before };
        RagdollStart { motion: Some(motion), ..resting }
    }
}

/// World pose of every bone at a time of a clip, placed in the world.
pub(in crate::simulation) fn pose_at(
    skeleton: &Skeleton,
    clip: &Clip,
    seconds: f64,
    (position, rotation): (DVec3, DQuat),
) -> Vec<(DVec3, DQuat)> {
    let at = seconds.clamp(0.0, clip.duration()) / clip.frame_time;
    let mut pose: Vec<(DVec3, DQuat)> = Vec::with_capacity(skeleton.len());
    for (bone, own) in skeleton.bones().iter().enumerate() {
        let (offset, turned) = (translation_at(clip, bone, at), rotation_at(clip, bone, at));
        let (above, frame) = own.parent.map_or((position, rotation), |parent| pose[parent]);
        pose.push((above + frame * offset, (frame * turned).normalize()));
    }
    pose
}

/// Writes the positions of an actor's particles in a pose of its bones.
pub(in crate::simulation) fn particles_in(actor: &Actor, pose: &[(DVec3, DQuat)], places: &mut Vec<DVec3>) {
    places.clear();
    for body in &actor.ragdoll.bodies {
        let (position, rotation) = pose[body.bone];
        places.extend(body.body.placed(&Placement::at(position, rotation)).0);
    }
}
