//! A running world into a recording, frame by frame.

use glam::{DQuat, DVec3};

use super::build::Shown;
use super::herds::Running;
use super::obstacles::{self, Standing};
use super::recording::{Drawn, Measures, Recording, Track};
use super::scene::{Obstacle, ObstacleKind};
use super::world::World;
use crate::collision::obstacle::ObstacleShape;
use crate::collision::shape::{PlacedShape, Shape};
use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;
use crate::motion::Clip;
use crate::particles::axes::Axes;
use crate::particles::swing_twist::{AngleRange, Cone};
use crate::particles::{Direction, Point};

/// Frames as they come.
pub(super) struct Recorder {
    clips: Vec<Option<Clip>>,
    tracks: Vec<Track>,
    measures: Vec<Measures>,
}

impl Recorder {
    /// For `frames` frames.
    pub fn new(world: &World, frames: usize) -> Self {
        let clip = |name: &str, bones: usize| {
            let mut clip = Clip::new(bones, frames, world.particles.settings.time_step).ok()?;
            clip.name = name.to_owned();
            Some(clip)
        };
        let clips = world.actors.iter().map(|actor| clip(&actor.name, actor.character.skeleton.len())).collect();
        let solids = world.solids.iter().map(|solid| {
            let drawn = match &solid.mesh {
                None => Drawn::Body { shapes: solid.shapes.clone(), poses: Vec::new() },
                Some((_, triangles)) => Drawn::Mesh { triangles: triangles.clone(), points: Vec::new() },
            };
            Track { name: solid.name.clone(), obstacle: false, drawn }
        });
        let tracks = solids.chain(world.shown.iter().map(shown)).chain(world.obstacles.iter().flat_map(obstacle));
        let tracks = tracks.chain(world.herds.iter().flat_map(herd));
        Self { clips, tracks: tracks.collect(), measures: Vec::with_capacity(frames) }
    }

    /// Adds the world as it is.
    pub fn frame(&mut self, world: &World) {
        let (frame, positions) = (self.measures.len(), &world.particles.state.positions);
        for (clip, actor) in self.clips.iter_mut().zip(&world.actors) {
            if let Some(clip) = clip {
                actor.ragdoll.write_frame(positions, clip, frame);
            }
        }
        let (solids, rest) = self.tracks.split_at_mut(world.solids.len());
        for (track, solid) in solids.iter_mut().zip(&world.solids) {
            match (&mut track.drawn, &solid.mesh) {
                (Drawn::Body { poses, .. }, _) => {
                    poses.push(solid.body.frame(&[0, 1, 2, 3].map(|k| positions[solid.first + k])));
                }
                (Drawn::Mesh { points, .. }, Some((corners, _))) => {
                    points.push(corners.iter().map(|corner: &Point| corner.position(positions)).collect());
                }
                _ => {}
            }
        }
        let (soft, standing) = rest.split_at_mut(world.shown.len());
        for (track, shown) in soft.iter_mut().zip(&world.shown) {
            match (&mut track.drawn, shown) {
                (Drawn::Lines { points, .. }, Shown::Lines { particles, .. })
                | (Drawn::Mesh { points, .. }, Shown::Mesh { particles, .. }) => {
                    points.push(positions[particles.clone()].to_vec());
                }
                (Drawn::Body { poses, .. }, Shown::Ball { particle, .. }) => {
                    poses.push((positions[*particle], DQuat::IDENTITY));
                }
                _ => {}
            }
        }
        for (track, all) in standing.iter_mut().zip(world.obstacles.iter().filter(|all| is_drawn(all))) {
            pose_obstacle(track, all, world.time());
        }
        let herds = standing.iter_mut().skip(world.obstacles.iter().filter(|all| is_drawn(all)).count());
        for (track, pose) in herds.zip(world.herds.iter().flat_map(Running::poses)) {
            if let Drawn::Body { poses, .. } = &mut track.drawn {
                poses.push(pose);
            }
        }
        self.measures.push(measures(world));
    }

    /// The recording.
    pub fn finish(self, world: &World) -> Recording {
        let named = |(clip, actor): (Option<Clip>, &super::build::Actor)| {
            Some((actor.name.clone(), actor.character.clone(), clip?))
        };
        Recording {
            name: world.scene.setting.name.clone(),
            frame_time: world.particles.settings.time_step,
            frames: self.measures.len(),
            characters: self.clips.into_iter().zip(&world.actors).filter_map(named).collect(),
            tracks: self.tracks,
            measures: self.measures,
            ground: world.scene.setting.ground,
        }
    }
}

/// A track for each body of each ragdoll.
fn herd(running: &Running) -> impl Iterator<Item = Track> {
    let body = |shapes: &Vec<PlacedShape>| Track {
        name: running.name.clone(),
        obstacle: false,
        drawn: Drawn::Body { shapes: shapes.clone(), poses: Vec::new() },
    };
    running.slots.iter().flat_map(move |_| running.shapes.iter().map(body))
}

fn shown(shown: &Shown) -> Track {
    let (name, drawn) = match shown {
        Shown::Lines { name, segments, radius, .. } => {
            (name, Drawn::Lines { segments: segments.clone(), radius: *radius, points: Vec::new() })
        }
        Shown::Mesh { name, triangles, .. } => (name, Drawn::Mesh { triangles: triangles.clone(), points: Vec::new() }),
        Shown::Ball { name, radius, .. } => {
            (name, Drawn::Body { shapes: centered(Shape::Sphere { radius: *radius }), poses: Vec::new() })
        }
    };
    Track { name: name.clone(), obstacle: false, drawn }
}

fn centered(shape: Shape) -> Vec<PlacedShape> {
    vec![PlacedShape { shape, position: DVec3::ZERO, rotation: DQuat::IDENTITY }]
}

/// Whether an obstacle is drawn as a track: the ground is drawn as ground, a room is empty.
fn is_drawn(standing: &Standing) -> bool {
    standing.said.as_ref().is_some_and(|said| !matches!(said.kind, ObstacleKind::HalfSpace | ObstacleKind::Room))
}

fn obstacle(standing: &Standing) -> Option<Track> {
    let said = standing.said.as_ref().filter(|_| is_drawn(standing))?;
    let half_length = 0.5 * said.length;
    let body = |shape| Drawn::Body { shapes: centered(shape), poses: Vec::new() };
    let drawn = match said.kind {
        ObstacleKind::Sphere => body(Shape::Sphere { radius: said.radius }),
        ObstacleKind::Capsule => body(Shape::Capsule { radius: said.radius, half_length }),
        _ => match &standing.obstacle.shape {
            ObstacleShape::Box { half_extents } => body(Shape::Box { half_extents: *half_extents }),
            shape => {
                let (points, triangles) = skin(shape, said);
                Drawn::Mesh { triangles, points: vec![points] }
            }
        },
    };
    Some(Track { name: said.name.clone(), obstacle: true, drawn })
}

/// The triangles of a shape that is no simple solid, in its own frame.
fn skin(shape: &ObstacleShape, said: &Obstacle) -> (Vec<DVec3>, Vec<[usize; 3]>) {
    let flat = |corners: Vec<[DVec3; 3]>| {
        let triangles = (0..corners.len()).map(|index| [3 * index, 3 * index + 1, 3 * index + 2]).collect();
        (corners.concat(), triangles)
    };
    match shape {
        ObstacleShape::Mesh(mesh) => flat(mesh.triangles().iter().map(|triangle| triangle.corners).collect()),
        ObstacleShape::Hull(hull) => flat(hull.faces().iter().map(|face| face.corners).collect()),
        _ => field(said),
    }
}

/// The triangles of a height field from its first corner, as they are collided with.
fn field(said: &Obstacle) -> (Vec<DVec3>, Vec<[usize; 3]>) {
    let columns = said.columns as usize;
    let (rows, spacing) = (said.heights.len() / columns, said.size.x / (columns - 1) as f64);
    let point = |(index, &height): (usize, &f64)| {
        DVec3::new((index % columns) as f64 * spacing, height, (index / columns) as f64 * spacing)
    };
    let cells = (1..rows).flat_map(|row| (1..columns).map(move |column| row * columns + column));
    let halves = cells.flat_map(|d| {
        let [a, b, c] = [d - columns - 1, d - columns, d - 1];
        [[a, d, b], [a, c, d]]
    });
    (said.heights.iter().enumerate().map(point).collect(), halves.collect())
}

/// Adds where an obstacle is; what never moves has one frame.
fn pose_obstacle(track: &mut Track, standing: &Standing, time: f64) {
    let Some(said) = &standing.said else { return };
    let (position, rotation) = obstacles::frame(said, &standing.obstacle, time);
    let moves = obstacles::moves(said);
    match &mut track.drawn {
        Drawn::Body { poses, .. } if moves || poses.is_empty() => poses.push((position, rotation)),
        Drawn::Mesh { points, .. } if moves || time == 0.0 => {
            // The first frame holds the shape as it was made.
            let turn = |points: &[DVec3], position: DVec3, rotation: DQuat| -> Vec<DVec3> {
                points.iter().map(|&point| position + rotation * point).collect()
            };
            if time == 0.0 {
                let made = points.pop().unwrap_or_default();
                points.push(turn(&made, position, rotation));
            } else if let Some(first) = points.first() {
                let (start, turned) = obstacles::frame(said, &standing.obstacle, 0.0);
                let back = turned.conjugate();
                let made: Vec<DVec3> = first.iter().map(|&point| back * (point - start)).collect();
                points.push(turn(&made, position, rotation));
            }
        }
        _ => {}
    }
}

/// What the present frame measures: of herds energy, momentum and sleep.
fn measures(world: &World) -> Measures {
    let particles = &world.particles;
    let (model, gravity) = (particles.model(), particles.settings.acceleration());
    let movable = || model.masses.iter().copied().enumerate().filter(|(_, mass)| mass.is_finite());
    let mass: f64 = movable().map(|(_, mass)| mass).sum();
    let center = movable().map(|(p, m)| particles.state.previous[p] * m).sum::<DVec3>() / mass.max(f64::MIN_POSITIVE);
    let momentum = particles.momentum();
    let kinetic_energy = movable().map(|(p, m)| 0.5 * m * particles.central_velocity(p).length_squared()).sum();
    let potential_energy = movable().map(|(p, m)| -m * gravity.dot(particles.state.previous[p])).sum();
    let mut asleep = (0..model.masses.len()).filter(|&p| particles.is_asleep(p)).count();
    let mut measures = Measures {
        kinetic_energy,
        potential_energy,
        momentum,
        angular_momentum: particles.angular_momentum() - center.cross(momentum),
        worst_stretch: particles.worst_stretch().max(particles.worst_deformation()),
        worst_gap: particles.worst_gap(),
        worst_limit: worst_limit(world),
        worst_penetration: particles.worst_penetration(),
        asleep: 0.0,
    };
    let mut count = model.masses.len();
    for running in &world.herds {
        count += running.measure(&mut measures, &mut asleep);
    }
    measures.asleep = asleep as f64 / count.max(1) as f64;
    measures
}

/// Greatest excess over the limit of a joint, radians.
fn worst_limit(world: &World) -> f64 {
    let (model, positions) = (world.particles.model(), &world.particles.state.positions);
    let axes = |a: &[Direction; 3], b: &[Direction; 3]| -> Axes<f64> {
        [a, b].map(|side| side.map(|direction| lane(direction.vector(positions))))
    };
    let cones = model.swing_twists.iter().map(|limit| {
        let axes = axes(&limit.a, &limit.b);
        excess(Cone::new(limit.swing).excess(&axes).angle).max(excess(AngleRange::new(limit.twist).excess(&axes).angle))
    });
    let hinges =
        model.hinges.iter().map(|limit| excess(AngleRange::new(limit.range).excess(&axes(&limit.a, &limit.b)).angle));
    cones.chain(hinges).fold(0.0, f64::max)
}

fn excess(angle: f64) -> f64 {
    angle.max(0.0)
}

fn lane<V: Arithmetic + From<f64>>(v: DVec3) -> LaneVector<V> {
    LaneVector { x: v.x.into(), y: v.y.into(), z: v.z.into() }
}
