//! Scenes in TOML through the public world under both methods, and their bodies and cloths as JSON for the peers.

use std::path::Path;

use muybridge::collision::{Manifold, Obstacle, ObstacleShape, Pose as Placed, manifold};
use muybridge::glam::DVec3;
use muybridge::rigid::model::{Collider, JointLimit};
use muybridge::rigid::{Joint, Kind, World as Rigid};
use muybridge::simulation::{Drawn, Method, Recording, Scene, World};
use muybridge_files::scene::{built_in, load, read};
use workloads::door::{
    self, BodySetup, ClothSetup, DoorWorld, JointKind, JointSetup, Limit, Seen, Setup, ShapeKind, ShapeSetup,
};

/// Built-in scenes that are measured, besides the files of the folder `scenes`.
const BUILT_IN: [&str; 6] = ["drop", "heap", "skittles", "flail", "cloth_on_sphere", "cloth_on_ragdoll"];

/// Writes the setups of all scenes into `folder`, and runs the scenes.
pub fn run(folder: &Path, is_wanted: impl Fn(&str) -> bool) {
    std::fs::create_dir_all(folder).expect("a folder for the setups");
    let mut scenes: Vec<(String, String)> =
        BUILT_IN.iter().map(|&name| (name.to_owned(), built_in::text(name).expect("a scene").to_owned())).collect();
    let files = std::fs::read_dir("scenes").expect("the folder bench/peers/scenes");
    let mut files: Vec<_> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    for path in files {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        scenes.push((name, std::fs::read_to_string(&path).expect("a scene")));
    }
    for (name, text) in scenes {
        let scene = read(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let setup = setup(&name, &scene);
        let json = serde_json::to_vec(&setup).expect("a setup");
        std::fs::write(folder.join(format!("{name}.json")), json).expect("a setup is written");
        if !door::is_wanted(&name) {
            continue;
        }
        for (word, peer, method) in [
            ("particles", "Muybridge particles", Method::Particles),
            ("rigid", "Muybridge multipliers", Method::Multipliers),
        ] {
            if is_wanted(word) {
                door::run(&setup, peer, &|| Ok(Box::new(Ours { world: world(&scene, method)?, seen: None })));
            }
        }
    }
}

struct Ours {
    world: World,
    seen: Option<Recording>,
}

impl DoorWorld for Ours {
    fn step(&mut self) {
        self.world.step();
    }
    fn look(&mut self) -> Seen {
        let seen = self.seen.get_or_insert_with(|| self.world.snapshot());
        self.world.snapshot_into(seen);
        let measures = seen.measures[0];
        Seen {
            gap: measures.worst_gap,
            limit: measures.worst_limit,
            depth: measures.worst_penetration,
            stretch: measures.worst_stretch,
            is_finite: seen.diverged_at().is_none(),
        }
    }
}

/// The world of a scene in which nothing sleeps.
fn world(scene: &Scene, method: Method) -> Result<World, String> {
    let mut scene = scene.clone();
    scene.solver.method = method;
    scene.solver.frames_before_sleep = 0;
    let (assets, _) = load(&scene, Path::new("scenes")).map_err(|error| error.to_string())?;
    World::new(scene, &assets).map_err(|error| error.to_string())
}

/// Bodies of a scene, or its cloth if it has no bodies.
fn setup(name: &str, scene: &Scene) -> Setup {
    let gravity = scene.setting.gravity.to_array();
    let mut setup = Setup { name: name.to_owned(), frames: scene.steps(), gravity, ..Setup::default() };
    let without_cloth = Scene { cloths: Vec::new(), ..scene.clone() };
    match world(&without_cloth, Method::Multipliers) {
        Ok(world) if world.count().bodies > 0 => bodies(&mut setup, world.bodies().expect("a world of bodies")),
        _ => cloth(&mut setup, &world(scene, Method::Particles).expect("a world of particles"), scene),
    }
    setup.is_without_cloth = !(setup.bodies.is_empty() || scene.cloths.is_empty());
    setup
}

fn bodies(setup: &mut Setup, world: &Rigid) {
    let Rigid { model, state, .. } = world;
    for (index, body) in model.bodies.iter().enumerate() {
        let (pose, momentum) = (&state.poses[index], &state.momenta[index]);
        let (velocity, spin) = momentum.velocities(body, pose.turn());
        setup.bodies.push(BodySetup {
            mass: body.mass,
            moments: body.moments.to_array(),
            position: pose.place().to_array(),
            rotation: pose.turn().to_array(),
            velocity: velocity.to_array(),
            spin: spin.to_array(),
            shapes: Vec::new(),
            group: None,
        });
    }
    for solid in &model.solids {
        let object = &model.objects[solid.object];
        let body = &mut setup.bodies[solid.body];
        body.group = (!object.touches_itself).then_some(solid.object as u32);
        match kind(&solid.shape) {
            Ok(kind) => body.shapes.push(ShapeSetup {
                kind,
                position: solid.position.to_array(),
                rotation: solid.rotation.to_array(),
                friction: object.friction,
                restitution: object.restitution,
            }),
            Err(what) => setup.lacks.push(what),
        }
    }
    for (index, joint) in model.joints.iter().enumerate() {
        let limit = model.ranges.iter().find(|range| range.joint == index).map(|range| range.bounds);
        match held(joint, limit) {
            Ok(joint) => setup.joints.push(joint),
            Err(what) => setup.lacks.push(what),
        }
    }
    setup.apart = overlapping(world);
    obstacles(setup, &model.obstacles);
}

/// Bodies of one object that overlap at the start; these never touch.
fn overlapping(world: &Rigid) -> Vec<[usize; 2]> {
    let Rigid { model, state, .. } = world;
    let placed = |solid: &Collider| {
        let pose = &state.poses[solid.body];
        let turn = pose.turn();
        Placed { position: pose.place() + turn * solid.position, rotation: (turn * solid.rotation).normalize() }
    };
    let (mut found, mut found_there) = (Vec::new(), Manifold::NONE);
    for (index, a) in model.solids.iter().enumerate() {
        for b in model.solids[index + 1..].iter().filter(|b| b.object == a.object && b.body != a.body) {
            let is_overlap = manifold(&a.shape, &placed(a), &b.shape, &placed(b), 0.0, &mut found_there);
            if model.objects[a.object].touches_itself && is_overlap {
                found.push([a.body.min(b.body), a.body.max(b.body)]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn held(joint: &Joint, limit: Option<JointLimit>) -> Result<JointSetup, String> {
    let kind = match joint.kind {
        Kind::Ball => JointKind::Ball,
        Kind::Hinge => JointKind::Hinge,
        Kind::Fixed => JointKind::Fixed,
        _ => return Err("a joint that is no ball, hinge or fixed joint".into()),
    };
    let limit = match limit {
        None => None,
        Some(JointLimit::Hinge(range)) => Some(Limit::Hinge(range)),
        Some(JointLimit::SwingTwist { swing, twist }) => Some(Limit::SwingTwist { swing, twist }),
        Some(_) => return Err("a limit that is no hinge's or ball's".into()),
    };
    let anchors = [0, 1].map(|side: usize| joint.frames[side].position.to_array());
    let axes = [0, 1].map(|side: usize| joint.frames[side].rotation.to_array());
    Ok(JointSetup { parent: joint.parent, child: joint.child, kind, anchors, axes, limit })
}

fn obstacles(setup: &mut Setup, obstacles: &[Obstacle]) {
    for obstacle in obstacles {
        match kind(&obstacle.shape) {
            Ok(kind) => setup.obstacles.push(ShapeSetup {
                kind,
                position: obstacle.position.to_array(),
                rotation: obstacle.rotation.to_array(),
                friction: obstacle.friction,
                restitution: obstacle.restitution,
            }),
            Err(what) => setup.lacks.push(what),
        }
        if obstacle.velocity != DVec3::ZERO || obstacle.spin != DVec3::ZERO {
            setup.lacks.push("an obstacle that moves".into());
        }
    }
}

fn kind(shape: &ObstacleShape) -> Result<ShapeKind, String> {
    Ok(match shape {
        ObstacleShape::HalfSpace => ShapeKind::HalfSpace,
        ObstacleShape::Sphere { radius } => ShapeKind::Sphere(*radius),
        ObstacleShape::Capsule { radius, half_length } => {
            ShapeKind::Capsule { radius: *radius, half_length: *half_length }
        }
        ObstacleShape::Box { half_extents } => ShapeKind::Box(half_extents.to_array()),
        ObstacleShape::Hull(hull) => ShapeKind::Hull(hull.corners().iter().map(|corner| corner.to_array()).collect()),
        _ => return Err("a shape that is no half-space, ball, capsule, box or hull".into()),
    })
}

fn cloth(setup: &mut Setup, world: &World, scene: &Scene) {
    let particles = world.particles().expect("a world of particles");
    obstacles(setup, &particles.obstacles);
    let seen = world.snapshot();
    let mesh = seen.tracks.iter().find_map(|track| match &track.drawn {
        Drawn::Mesh { triangles, points } if !track.obstacle => Some((triangles, &points[0])),
        _ => None,
    });
    let ([said], Some((triangles, points))) = (&scene.cloths[..], mesh) else {
        return setup.lacks.push("several cloths, or none".into());
    };
    let is_held =
        |particle: usize| particles.state.pins[particle].is_some() || particles.model().masses[particle].is_infinite();
    let held: Vec<DVec3> = particles
        .state
        .positions
        .iter()
        .enumerate()
        .filter(|(particle, _)| is_held(*particle))
        .map(|(_, place)| *place)
        .collect();
    setup.cloth = Some(ClothSetup {
        points: points.iter().map(|point| point.to_array()).collect(),
        triangles: triangles.clone(),
        pinned: (0..points.len()).filter(|&point| held.contains(&points[point])).collect(),
        mass: said.mass,
        radius: 0.5 * said.thickness,
        friction: said.friction,
        damping: said.damping,
    });
}
