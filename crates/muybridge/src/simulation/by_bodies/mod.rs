//! A scene simulated as rigid bodies with joints.
//!
//! ```text
//! scene ──► figures, solids, chains ──► joints between them ──► model, starts, and bodies by name
//! step      clips played ─► hits, bombs, drags, wind ─► actions and plans ─► obstacles ─► bodies by one frame
//! ```
//! A rope or a flail is a chain of capsules, and a herd is many ragdolls. Cloth, plants and points are particles beside them
//! ([`soft`]).

mod actions;
mod backend;
mod behavior;
mod build;
mod chains;
pub(super) mod herds;
mod joints;
pub(super) mod likeness;
mod recorded;
pub(super) mod soft;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use self::herds::InLanes;
use self::soft::SoftThings;
use super::assets::Assets;
use super::build::Playing;
use super::by_particles;
use super::direction::{self, Goals, HerdPlace, Player};
use super::obstacles::{self, PlacedObstacle};
use super::recorder::Touched;
use super::scene::slot::PartPath;
use super::scene::{Scene, SceneError, Setting, Solver, Thing};
use super::shell::Shell;
use crate::behavior::RagdollModel;
use crate::behavior::action::Controller;
use crate::behavior::drive::{Led, RigidDrives};
use crate::character::Character;
use crate::collision::shape::PlacedShape;
use crate::ragdoll::RigidRagdoll;
use crate::rigid::body::PrincipalFrame;
use crate::rigid::{self, rest};

/// A running scene of rigid bodies.
#[derive(Clone, Debug)]
pub struct World {
    pub(super) scene: Scene,
    pub(super) bodies: rigid::World,
    pub(super) actors: Vec<RigidActor>,
    /// Indices of the actors in the order in which they are shown.
    pub(super) order: Vec<usize>,
    pub(super) notes: Vec<String>,
    solids: Vec<RigidSceneBody>,
    chains: Vec<RopeChain>,
    names: BTreeMap<String, RigidHolder>,
    obstacles: Vec<PlacedObstacle>,
    /// Bodies with drag, and mass times drag rate of each: the wind carries these.
    carried: Vec<(usize, f64)>,
    /// Mouse anchors, one for each drag of the scene; `None` for chains.
    carriers: Vec<Option<Carrier>>,
    /// Herds that run in lanes, outside of `bodies`.
    pub(super) in_lanes: Vec<InLanes>,
    /// Cloth, plants and points; `None` if the scene has none.
    pub(super) soft: Option<Box<SoftThings>>,
    /// Executes actions and plans.
    pub(super) controller: Controller,
    /// Number of bodies that are things of the scene; mouse anchors follow them.
    pub(super) own: usize,
    /// Goals and joint drives of each ragdoll that is driven.
    pub(super) directions: Vec<DirectedBodies>,
    /// Forces of the user, of the last step or for the coming one.
    pub(super) touched: Vec<Touched>,
}

/// A ragdoll that is driven by the scene's goals.
#[derive(Clone, Debug)]
pub(super) struct DirectedBodies {
    pub direction: Goals,
    drives: RigidDrives,
    /// Wrench of the root assist in the last step.
    led: Led,
}

/// A ragdoll, and the clip it plays until it is released.
#[derive(Clone, Debug)]
pub(super) struct RigidActor {
    pub name: String,
    pub character: Character,
    pub ragdoll: RigidRagdoll,
    plays: Option<Playing>,
    /// The herd it belongs to; `None` for a single ragdoll.
    herd: Option<HerdPlace>,
}

/// A rigid body that is no bone.
#[derive(Clone, Debug)]
struct RigidSceneBody {
    name: String,
    body: usize,
    frame: PrincipalFrame,
    shapes: Vec<PlacedShape>,
    /// Mesh drawn instead of its shapes, in its own frame; `None` if the shapes are drawn.
    shell: Option<Arc<Shell>>,
}

/// A rope or flail chain of capsules.
#[derive(Clone, Debug)]
struct RopeChain {
    name: String,
    links: Range<usize>,
    frame: PrincipalFrame,
    /// Half the length of a link, meters.
    half: f64,
    radius: f64,
}

/// A mouse anchor: a body without a shape, jointed to the center of the dragged body.
#[derive(Clone, Copy, Debug)]
struct Carrier {
    body: usize,
    of: usize,
    /// Place from which the path counts, meters.
    origin: DVec3,
    /// Velocity set for the last step, m/s; `None` if it did not drag.
    given: Option<DVec3>,
}

/// Body of a mouse anchor of that mass (kg).
fn carrier_of(mass: f64) -> rigid::Body {
    rigid::Body { mass, moments: DVec3::splat(mass) }
}

/// Things or bodies that a name stands for.
#[derive(Clone, Debug)]
enum RigidHolder {
    Actor(usize),
    Solid(usize),
    /// Bodies of a chain and of the ball at its end.
    Bodies(Range<usize>),
}

impl World {
    /// Builds the world of a scene. Its characters and meshes come from `assets`.
    ///
    /// # Errors
    /// Names the thing and the key that are wrong, or the thing that only particles can simulate.
    pub fn new(scene: Scene, assets: &Assets) -> Result<Self, SceneError> {
        // Checked before anything is built: obstacles are known to be valid from here on.
        scene.check()?;
        let obstacles = obstacles::standing(&scene, assets)?;
        let built = build::build(&scene, assets, &obstacles)?;
        let soft = SoftThings::of(&scene, assets, &built)?.map(Box::new);
        let build::RigidBuild {
            mut model, starts, actors, solids, chains, names, carriers, in_lanes, mut notes, ..
        } = built;
        notes.extend(soft.iter().flat_map(|soft| soft.world.notes.iter().cloned()));
        let own = model.bodies.len() - carriers.iter().flatten().count();
        model.obstacles = obstacles.iter().map(|standing| standing.obstacle.clone()).collect();
        let carried = carried(&model);
        let wrong = |error: rigid::ModelError| {
            let message = format!("cannot be simulated: {error}");
            SceneError { kind: Setting::KIND, index: 0, key: "name", message }
        };
        let settings = scene.solver.rigid_settings(&scene.setting);
        if let (rigid::Method::Hennix(_), Some(message)) = (settings.method, too_many_rows(&model)) {
            return Err(SceneError { kind: Solver::KIND, index: 0, key: "method", message });
        }
        let directions = directions(&scene, assets, &actors, &mut model)?;
        let mut bodies = rigid::World::new(model, &starts, settings).map_err(wrong)?;
        bodies.keep_stiffness();
        let controller = Controller::default();
        let mut world = Self {
            scene,
            bodies,
            order: (0..actors.len()).collect(),
            actors,
            notes,
            solids,
            chains,
            names,
            obstacles,
            carried,
            carriers,
            in_lanes,
            soft,
            controller,
            own,
            directions,
            touched: Vec::new(),
        };
        actions::begin(&mut world)?;
        world.controller = behavior::controller(&world)?;
        Ok(world)
    }

    /// The world of particles that has a part; `None` if the part is rigid.
    pub(super) fn world_of_soft(&self, part: &PartPath) -> Option<&by_particles::World> {
        let world = &self.soft.as_ref()?.world;
        world.names.contains_key(part.thing()).then_some(world)
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.bodies.time()
    }
}

impl RigidActor {
    /// The bone that a part names; without one, the bone of the first body.
    fn bone(&self, part: &PartPath) -> Result<usize, String> {
        super::build::bone(part, &self.character, self.ragdoll.bodies.first().map_or(0, |body| body.bone))
    }

    /// The body that moves with the bone a part names.
    fn body(&self, part: &PartPath) -> Result<usize, String> {
        let body = self.ragdoll.body(self.bone(part)?);
        body.ok_or_else(|| format!("names “{}”, which has no mass, so nothing can be attached to it", part.0))
    }
}

/// Goals of each driven ragdoll; adds motors to the ragdoll's joints.
fn directions(
    scene: &Scene,
    assets: &Assets,
    actors: &[RigidActor],
    model: &mut rigid::Model,
) -> Result<Vec<DirectedBodies>, SceneError> {
    let mut directions = Vec::new();
    let is_directed = |actor: &RigidActor| direction::is_directed(scene, &actor.name, actor.herd.as_ref());
    for (index, actor) in actors.iter().enumerate().filter(|(_, actor)| is_directed(actor)) {
        let RigidActor { name, character, ragdoll, .. } = actor;
        let figure = RagdollModel::of_rigid(character, ragdoll);
        let bodies = ragdoll.first..ragdoll.first + ragdoll.bodies.len();
        let first_joint = model.joints.iter().position(|joint| bodies.contains(&joint.child)).unwrap_or(0);
        let drives = RigidDrives::add(&figure, ragdoll, model, first_joint);
        let frames: Vec<(DVec3, glam::DQuat)> = (ragdoll.bodies.iter().zip(&ragdoll.starts))
            .map(|(body, start)| body.frame.origin_of(start.position, start.rotation))
            .collect();
        let pose = ragdoll.bones.pose(&frames);
        let player = Player { index, name, herd: actor.herd.as_ref(), character, pose, figure, rigid: Some(ragdoll) };
        let direction = direction::direction(scene, assets, player)?;
        directions.push(DirectedBodies { direction, drives, led: Led::default() });
    }
    Ok(directions)
}

/// Most joint rows of the one matrix of hennix: without zeros half a gigabyte, and half a minute per step.
const MOST_ROWS: usize = 8000;

/// Error sentence if the joints of a model have too many rows for one matrix.
fn too_many_rows(model: &rigid::Model) -> Option<String> {
    let rows: usize = model.joints.iter().map(rigid::Joint::rows).sum();
    let message = || {
        format!(
            "is “hennix”, which factors one matrix of all {rows} joint rows, of at most {MOST_ROWS}; use “multipliers” instead"
        )
    };
    (rows > MOST_ROWS).then(message)
}

fn carried(model: &rigid::Model) -> Vec<(usize, f64)> {
    let mut rates = vec![0.0_f64; model.bodies.len()];
    for solid in &model.solids {
        rates[solid.body] = rates[solid.body].max(model.objects[solid.object].drag);
    }
    let weighed = rates.into_iter().zip(&model.bodies).map(|(rate, body)| rate * body.mass);
    weighed.enumerate().filter(|(_, rate)| *rate > 0.0).collect()
}

#[cfg(test)]
mod tests;
