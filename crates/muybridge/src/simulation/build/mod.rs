//! Builds particles and constraints from the things of a scene.
//!
//! ```text
//! scene ──► figures, bodies, soft things, points ──► joints and attachments ──► model, and particles by name
//! ```

mod append;
pub(super) mod bodies;
pub(super) mod figures;
mod joints;
mod points;
mod soft;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::assets::Assets;
use super::scene::slot::PartPath;
use super::scene::{Scene, SceneError, Thing, nearest};
use super::shell::Shell;
use crate::character::Character;
use crate::collision::shape::PlacedShape;
use crate::math::random::Random;
use crate::math::rotation::exp;
use crate::motion::Clip;
use crate::particles::{Direction, Model, Placement, Point, RigidBody};
use crate::ragdoll::Ragdoll;

/// A model, and the things its particles belong to.
pub(super) struct ParticleBuild {
    pub model: Model,
    pub actors: Vec<Actor>,
    pub solids: Vec<ParticleSceneBody>,
    pub shown: Vec<Shown>,
    pub names: BTreeMap<String, Holder>,
    pub sails: Vec<Sail>,
    /// Notes on what was changed or left out, one sentence each.
    pub notes: Vec<String>,
}

/// A ragdoll, and the clip it plays until it is released.
#[derive(Clone, Debug)]
pub(super) struct Actor {
    pub name: String,
    pub character: Character,
    pub ragdoll: Ragdoll,
    /// World pose of its bones at the start.
    pub pose: Vec<(DVec3, DQuat)>,
    pub plays: Option<Playing>,
    /// Positions (m) and velocities (m/s) of its particles at its release.
    pub released: (Vec<DVec3>, Vec<DVec3>),
}

/// A clip that is played before a ragdoll falls.
#[derive(Clone, Debug)]
pub(super) struct Playing {
    pub clip: Clip,
    /// Time of the clip at the start of the run, seconds.
    pub start: f64,
    /// Time of the run at which the ragdoll falls, seconds.
    pub until: f64,
    /// Placement of the clip in the world.
    pub position: DVec3,
    pub rotation: DQuat,
}

impl Playing {
    /// Whether the clip still plays during the step that begins at `time`; both in seconds.
    pub fn goes_on(&self, time: f64, step: f64) -> bool {
        time + 0.5 * step < self.until
    }

    /// Whether the pose at `time`, after a step, is that of the clip, which no solver moves; both in seconds.
    pub fn holds(&self, time: f64, step: f64) -> bool {
        time < self.until + 0.5 * step
    }
}

/// A rigid body that is no bone.
#[derive(Clone, Debug)]
pub(super) struct ParticleSceneBody {
    pub name: String,
    pub body: RigidBody,
    pub first: usize,
    pub shapes: Vec<PlacedShape>,
    /// Mesh drawn instead of its shapes; `None` if the shapes are drawn.
    pub shell: Option<Arc<Shell>>,
    pub position: DVec3,
    pub rotation: DQuat,
}

/// Particles drawn without a rigid shape.
#[derive(Clone, Debug)]
pub(super) enum Shown {
    Lines { name: String, particles: Range<usize>, segments: Vec<[usize; 2]>, radius: f64 },
    Mesh { name: String, particles: Range<usize>, triangles: Vec<[usize; 3]> },
    Ball { name: String, particle: usize, radius: f64 },
}

/// A cloth triangle that wind presses on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sail {
    pub corners: [usize; 3],
    /// Mass of the cloth in the triangle, kilograms.
    pub mass: f64,
    /// Aerodynamic coefficients of drag and of lift.
    pub drag: f64,
    pub lift: f64,
}

/// Things or particles that a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Holder {
    Actor(usize),
    Solid(usize),
    Particles(Range<usize>),
}

/// State of a build.
struct Builder<'a> {
    scene: &'a Scene,
    assets: &'a Assets,
    built: ParticleBuild,
    chance: Random,
    /// Bodies of another world that the things of this one may hang on.
    beside: Option<&'a ProxyBuild<'a>>,
}

/// Bodies of another world beside the things of a build.
pub(super) struct ProxyBuild<'a> {
    /// The bodies as proxies, and nothing else.
    pub model: Model,
    /// Particles and pose of each.
    pub proxies: &'a [(RigidBody, Placement)],
    /// The body of a thing or bone, near a place.
    pub held: &'a dyn Fn(&PartPath, DVec3) -> Result<usize, String>,
}

/// Builds all things of a scene as particles. Errors name the thing and the key.
pub(super) fn build(scene: &Scene, assets: &Assets) -> Result<ParticleBuild, SceneError> {
    scene.check()?;
    build_beside(scene, assets, None)
}

/// Builds all things of a scene that has been checked, some of which may hang on bodies of another world.
pub(super) fn build_beside(
    scene: &Scene,
    assets: &Assets,
    beside: Option<&ProxyBuild<'_>>,
) -> Result<ParticleBuild, SceneError> {
    let built = ParticleBuild {
        model: beside.map_or_else(Model::default, |beside| beside.model.clone()),
        actors: Vec::new(),
        solids: Vec::new(),
        shown: Vec::new(),
        names: BTreeMap::new(),
        sails: Vec::new(),
        notes: Vec::new(),
    };
    let mut builder = Builder { scene, assets, built, chance: Random::new(u64::from(scene.setting.seed)), beside };
    builder.figures()?;
    builder.bodies()?;
    builder.points();
    builder.joints()?;
    builder.soft()?;
    Ok(builder.built)
}

/// An error in a key of a thing.
pub(super) fn fault<T: Thing>(index: usize, key: &'static str, message: impl Into<String>) -> SceneError {
    SceneError { kind: T::KIND, index, key, message: message.into() }
}

/// Name and place of one instance of a grid.
pub(super) struct Instance {
    pub name: String,
    pub offset: DVec3,
    pub turn: DQuat,
}

/// Instances of a grid, x first, then z, then y. They are centered at the origin in x and z; their height starts at 0.
pub(super) fn instances(
    chance: &mut Random,
    name: &str,
    (grid, spacing, tumble): ([u32; 3], DVec3, bool),
) -> Vec<Instance> {
    let [nx, ny, nz] = grid;
    let several = nx * ny * nz > 1;
    let mut instances = Vec::new();
    for (y, z, x) in (0..ny).flat_map(|y| (0..nz).flat_map(move |z| (0..nx).map(move |x| (y, z, x)))) {
        let name = if several { format!("{name} {}", instances.len() + 1) } else { name.to_owned() };
        let middle = |n: u32, i: u32| f64::from(i) - 0.5 * f64::from(n - 1);
        let offset = spacing * DVec3::new(middle(nx, x), f64::from(y), middle(nz, z));
        let turn = if tumble { chance.rotation() } else { DQuat::IDENTITY };
        instances.push(Instance { name, offset, turn });
    }
    instances
}

impl Builder<'_> {
    /// The point of a thing or bone that is at a world place at the start.
    fn point(&self, part: &PartPath, place: DVec3) -> Result<Point, String> {
        if let Some(beside) = self.beside {
            let body = (beside.held)(part, place)?;
            let (proxy, at) = &beside.proxies[body];
            return Ok(proxy.point(4 * body, at.rotation.conjugate() * (place - at.position)));
        }
        match self.holder(part)? {
            Holder::Actor(actor) => {
                let actor = &self.built.actors[*actor];
                let bone = actor.bone(part)?;
                let (position, rotation) = actor.pose[bone];
                let point = actor.ragdoll.point(bone, rotation.conjugate() * (place - position));
                point.ok_or_else(|| format!("names “{}”, which has no mass, so nothing can be attached to it", part.0))
            }
            Holder::Solid(solid) => {
                let solid = &self.built.solids[*solid];
                Ok(solid.body.point(solid.first, solid.rotation.conjugate() * (place - solid.position)))
            }
            Holder::Particles(particles) => {
                let near = nearest_point(&self.built.model.positions[particles.clone()], place).unwrap_or(0);
                Ok(Point::at(particles.start + near))
            }
        }
    }

    /// An axis of a thing or bone, given in world axes at the start.
    fn direction(&self, part: &PartPath, axis: DVec3) -> Result<Direction, String> {
        match self.holder(part)? {
            Holder::Actor(actor) => {
                let actor = &self.built.actors[*actor];
                let bone = actor.bone(part)?;
                let direction = actor.ragdoll.direction(bone, actor.pose[bone].1.conjugate() * axis);
                direction
                    .ok_or_else(|| format!("names “{}”, which has no mass, so nothing can be attached to it", part.0))
            }
            Holder::Solid(solid) => {
                let solid = &self.built.solids[*solid];
                Ok(solid.body.direction(solid.first, solid.rotation.conjugate() * axis))
            }
            Holder::Particles(_) => Err(format!("names “{}”, which is not a rigid body", part.0)),
        }
    }

    fn holder(&self, part: &PartPath) -> Result<&Holder, String> {
        self.built
            .names
            .get(part.thing())
            .ok_or_else(|| format!("names “{}”, but the scene has no thing of that name", part.thing()))
    }
}

impl Actor {
    /// The bone that a part names; without one, the bone of the first body.
    pub(super) fn bone(&self, part: &PartPath) -> Result<usize, String> {
        bone(part, &self.character, self.ragdoll.bodies.first().map_or(0, |body| body.bone))
    }
}

/// The bone of a character that a part names; `first` if it names none.
pub(super) fn bone(part: &PartPath, character: &Character, first: usize) -> Result<usize, String> {
    let Some(name) = part.bone() else { return Ok(first) };
    character.skeleton.find(name).ok_or_else(|| {
        let bones = character.skeleton.bones().iter().map(|bone| bone.name.as_str());
        let hint = nearest(name, bones.clone());
        let hint = hint.map_or_else(
            || format!("it has {}", bones.take(8).collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean “{near}”?"),
        );
        format!("names the bone “{name}”, which “{}” does not have; {hint}", part.thing())
    })
}

/// Index of the point nearest to a place, the first if several are.
fn nearest_point(points: &[DVec3], place: DVec3) -> Option<usize> {
    let apart = |point: &usize| points[*point].distance_squared(place);
    (0..points.len()).min_by(|a, b| apart(a).total_cmp(&apart(b)))
}

/// Passes that a thing has of its own; `None` for 0.
fn own_passes(iterations: u32) -> Option<u32> {
    (iterations > 0).then_some(iterations)
}

/// Converts a rotation vector, axis times angle, to a quaternion.
pub(super) fn turn(rotation: DVec3) -> DQuat {
    exp(rotation)
}
