//! Cloth, plants and points beside rigid bodies: a world of particles, in which every body has a proxy.
//!
//! ```text
//! trial       bodies take the frame without what the particles give them
//! particles   take it among proxies on the paths of the trial                impulses on the proxies
//! again       bodies that were given something take the frame again, with it as a constant force; one without joints,
//!             with a force that grows or falls evenly, so that it is where the particles have it
//! ```
//! So joints, contacts and limits of the bodies answer the particles within the frame, and each side pushes the other with the
//! same impulse. A body sleeps while particles touch it only if these move neither; what hangs on it keeps it awake while it
//! moves itself.

use glam::{DMat3, DQuat, DVec3};

use super::build::RigidBuild;
use crate::collision::shape::{PlacedShape, Shape};
use crate::collision::{MassProperties, ObstacleShape};
use crate::particles::objects::Traits;
use crate::particles::proxies::ProxyPath;
use crate::particles::{Anchor, BallJoint, Core, Model, Placement, RigidBody, Solid, Surface};
use crate::ragdoll;
use crate::rigid::forest::Forest;
use crate::rigid::model::Collider;
use crate::rigid::{self, rest};
use crate::simulation::assets::Assets;
use crate::simulation::build::{self, ProxyBuild, fault};
use crate::simulation::by_particles;
use crate::simulation::scene::slot::PartPath;
use crate::simulation::scene::{Scene, SceneError, Setting};

/// The particles of a scene of rigid bodies.
#[derive(Clone, Debug)]
pub(in crate::simulation) struct SoftThings {
    pub world: Box<by_particles::World>,
    /// Particles of the proxy of each body.
    proxies: Vec<RigidBody>,
    /// Particles that hang on a body, that body, and the place in its principal frame (m).
    hung: Vec<(usize, usize, DVec3)>,
}

/// The cloth, plants and points of a scene, and what acts on them but hits.
fn soft_half(scene: &Scene) -> Scene {
    Scene {
        setting: scene.setting.clone(),
        solver: scene.solver.clone(),
        cloths: scene.cloths.clone(),
        plants: scene.plants.clone(),
        points: scene.points.clone(),
        limits: scene.limits.clone(),
        obstacles: scene.obstacles.clone(),
        winds: scene.winds.clone(),
        explosions: scene.explosions.clone(),
        ..Scene::default()
    }
}

impl SoftThings {
    /// The soft things of a scene among the bodies of a build; `None` if it has none.
    pub(super) fn of(scene: &Scene, assets: &Assets, built: &RigidBuild) -> Result<Option<Self>, SceneError> {
        if scene.cloths.is_empty() && scene.plants.is_empty() && scene.points.is_empty() {
            return Ok(None);
        }
        let count = built.model.bodies.len() - built.carriers.iter().flatten().count();
        let placed = |body: usize| {
            let start = &built.starts[body];
            let made = proxy(&built.model.bodies[body]).map_err(|error| {
                let message = format!("cannot be simulated: body {body} beside particles: {error}");
                fault::<Setting>(0, "name", message)
            });
            let rotation = start.rotation.normalize();
            let (velocity, angular_velocity) = (start.velocity, start.angular_velocity);
            made.map(|made| (made, Placement { position: start.position, rotation, velocity, angular_velocity }))
        };
        let proxies = (0..count).map(placed).collect::<Result<Vec<_>, _>>()?;
        let held = |part: &PartPath, place: DVec3| built.held(part, place);
        let beside = ProxyBuild { model: model(&built.model, &proxies), proxies: &proxies, held: &held };
        let mut half = soft_half(scene);
        let things = build::build_beside(&half, assets, Some(&beside))?;
        half.hits.extend(scene.hits.iter().filter(|hit| things.names.contains_key(hit.of.thing())).cloned());
        let hangs = |joint: &BallJoint| match &joint.b {
            Anchor::Point(b) if b.particles[0] < 4 * count => {
                let (body, place) = (b.particles[0] / 4, b.position(&things.model.positions));
                let at = &proxies[body].1;
                Some((joint.a.particles[0], body, at.rotation.conjugate() * (place - at.position)))
            }
            _ => None,
        };
        let hung = things.model.attachments.iter().filter_map(hangs).collect();
        let world = Box::new(by_particles::World::of(half, assets, things)?);
        let proxies = proxies.into_iter().map(|(proxy, _)| proxy).collect();
        Ok(Some(Self { world, proxies, hung }))
    }

    /// Gaps between particles that hang on bodies and their places there, meters.
    pub fn gaps<'a>(&'a self, bodies: &'a rigid::World) -> impl Iterator<Item = f64> + 'a {
        self.hung.iter().map(|&(particle, body, place)| {
            let pose = &bodies.state.poses[body];
            self.world.particles.state.positions[particle].distance(pose.place() + pose.turn() * place)
        })
    }

    /// Advances bodies and particles by one frame. The inputs of the bodies are applied, and their obstacles placed.
    pub fn step(&mut self, bodies: &mut rigid::World) {
        let Self { world, proxies, hung } = self;
        world.begin_step();
        for &(particle, body, _) in hung.iter() {
            if !world.particles.is_asleep(particle) {
                bodies.wake_tree(body);
            }
        }
        let before = bodies.state.clone();
        let pushes = bodies.pushed().to_vec();
        let obstacles: Vec<(DVec3, DQuat)> =
            bodies.model.obstacles.iter().map(|it| (it.position, it.rotation)).collect();
        bodies.step();
        for (body, proxy) in proxies.iter().enumerate() {
            let (to, velocities) = proxy.placed(&placement(bodies, body));
            let is_awake = before.asleep[bodies.forest().tree[body]].is_none();
            world.particles.lead_proxy(body, &ProxyPath { to, velocities, is_awake });
        }
        world.end_step();
        let given = |body: usize| world.particles.given_to_proxy(body);
        if (0..proxies.len()).any(|body| given(body).is_some()) {
            bodies.state = before;
            for (obstacle, (position, rotation)) in bodies.model.obstacles.iter_mut().zip(obstacles) {
                (obstacle.position, obstacle.rotation) = (position, rotation);
            }
            for (body, [x, y, z, u, v, w]) in pushes.into_iter().enumerate().filter(|(_, push)| *push != [0.0; 6]) {
                bodies.add_wrench(body, DVec3::new(x, y, z), DVec3::new(u, v, w));
            }
            for body in 0..proxies.len() {
                let Some(own) = given(body) else { continue };
                if is_alone(bodies, body) {
                    bodies.add_spread(body, own.sum, own.early);
                } else {
                    let [force, moment] = own.sum.map(|sum| sum / bodies.settings.time_step);
                    bodies.add_wrench(body, force, moment);
                }
            }
            bodies.step();
            for (body, proxy) in proxies.iter().enumerate().filter(|(body, _)| is_alone(bodies, *body)) {
                world.particles.place_proxy(body, proxy.placed(&placement(bodies, body)));
            }
        }
        for body in 0..proxies.len() {
            let tree = bodies.forest().tree[body];
            if bodies.state.asleep[tree].is_some() && !world.particles.is_asleep(4 * body) {
                rest::wake(&mut bodies.state, tree);
            }
        }
    }
}

/// Whether no joint connects a body to others.
fn is_alone(bodies: &rigid::World, body: usize) -> bool {
    let forest = bodies.forest();
    forest.of_tree(forest.tree[body]).len() == 1
}

/// Pose and velocities of a body.
fn placement(bodies: &rigid::World, body: usize) -> Placement {
    let (pose, momentum) = (&bodies.state.poses[body], &bodies.state.momenta[body]);
    let rotation = pose.turn();
    let (velocity, angular_velocity) = momentum.velocities(&bodies.model.bodies[body], rotation);
    Placement { position: pose.place(), rotation, velocity, angular_velocity }
}

/// Four particles with the mass properties of a body, in its principal frame.
fn proxy(body: &rigid::Body) -> Result<RigidBody, crate::particles::BodyError> {
    let inertia = DMat3::from_diagonal(body.moments);
    RigidBody::new(&MassProperties { mass: body.mass, center: DVec3::ZERO, inertia })
}

/// The proxies of the first bodies of a model, with their colliders.
fn model(bodies: &rigid::Model, proxies: &[(RigidBody, Placement)]) -> Model {
    let mut made = Model::default();
    let own = &bodies.bodies[..proxies.len()];
    let inner: Vec<rigid::Joint> = bodies.joints.iter().filter(|joint| joint.child < own.len()).cloned().collect();
    let forest = Forest::new(own.len(), &inner);
    let mut masses = vec![0.0; forest.trees];
    own.iter().zip(&forest.tree).for_each(|(body, &tree)| masses[tree] += body.mass);
    for (body, (proxy, placement)) in proxies.iter().enumerate() {
        let tree = forest.tree[body];
        let first = proxy.add_to(&mut made, placement);
        made.proxies.push(masses[tree]);
        let object = made.objects.len();
        let mut traits = Traits { friction: 0.0, drag: 0.0, ..Traits::default() };
        let is_alone = forest.of_tree(tree).len() == 1;
        for solid in bodies.solids.iter().filter(|solid| solid.body == body) {
            let of = &bodies.objects[solid.object];
            (traits.friction, traits.restitution) = (of.friction, of.restitution);
            let (cores, radius) = cores(solid, (proxy, first), is_alone, &mut made);
            made.surfaces.extend(cores.into_iter().map(|core| Surface { core, radius, object, part: 0 }));
        }
        traits.close(&mut made, first);
    }
    made
}

/// Cores of a collider, and their radius (m). Limbs of a linkage are rounded, as those of a ragdoll of particles.
fn cores(solid: &Collider, (proxy, first): (&RigidBody, usize), is_alone: bool, model: &mut Model) -> (Vec<Core>, f64) {
    let point = |in_body: DVec3| proxy.point(first, in_body);
    let rounded = |shape: Shape| {
        let placed = PlacedShape { shape, position: solid.position, rotation: solid.rotation };
        ragdoll::cores(&placed, point)
    };
    let made = match &solid.shape {
        &ObstacleShape::Sphere { radius } => return rounded(Shape::Sphere { radius }),
        &ObstacleShape::Capsule { radius, half_length } => return rounded(Shape::Capsule { radius, half_length }),
        &ObstacleShape::Cylinder { radius, half_length } => return rounded(Shape::Cylinder { radius, half_length }),
        &ObstacleShape::Box { half_extents } if !is_alone => return rounded(Shape::Box { half_extents }),
        &ObstacleShape::Box { half_extents } => Solid::Box { half_extents },
        ObstacleShape::Hull(hull) => Solid::Hull { points: hull.corners().to_vec() },
        // The check of a rigid model allows no collider without an inside.
        ObstacleShape::HalfSpace
        | ObstacleShape::Room { .. }
        | ObstacleShape::Mesh(_)
        | ObstacleShape::HeightField(_) => {
            return (Vec::new(), 0.0);
        }
    };
    let frame = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let frame = frame.map(|at| point(solid.position + solid.rotation * at));
    model.solids.push(made);
    (vec![Core::Solid { solid: model.solids.len() - 1, frame }], 0.0)
}
