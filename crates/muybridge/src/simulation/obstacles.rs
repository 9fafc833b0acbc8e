//! Obstacles of a scene: their shapes, and their poses over time.

use glam::{DQuat, DVec3};

use super::actions::along;
use super::assets::Assets;
use super::scene::{self, ObstacleKind, Scene, SceneError, Setting, Thing};
use crate::collision::obstacle::{Obstacle, ObstacleError};
use crate::math::rotation::exp;

/// An obstacle in its starting pose, and the entry it comes from.
#[derive(Clone, Debug)]
pub(super) struct PlacedObstacle {
    pub obstacle: Obstacle,
    /// Entry of the scene; `None` for the ground.
    pub said: Option<scene::Obstacle>,
}

impl PlacedObstacle {
    /// Name of the obstacle, or “the ground”.
    pub fn name(&self) -> &str {
        self.said.as_ref().map_or("the ground", |said| &said.name)
    }

    /// Whether the obstacle ever moves.
    pub fn moves(&self) -> bool {
        self.said.as_ref().is_some_and(scene::Obstacle::moves)
    }
}

/// All obstacles of a scene, the ground first.
pub(super) fn standing(scene: &Scene, assets: &Assets) -> Result<Vec<PlacedObstacle>, SceneError> {
    let mut all = Vec::new();
    if let Some(height) = scene.setting.ground {
        let fault = |error: ObstacleError| SceneError {
            kind: Setting::KIND,
            index: 0,
            key: "ground",
            message: format!("is invalid: {error}"),
        };
        let obstacle = Obstacle::ground(height).map_err(fault)?.with_friction(scene.setting.ground_friction);
        all.push(PlacedObstacle { obstacle, said: None });
    }
    for (index, said) in scene.obstacles.iter().enumerate() {
        let fault = |key, message| SceneError { kind: scene::Obstacle::KIND, index, key, message };
        if said.kind == ObstacleKind::Mesh && !assets.meshes.contains_key(&said.mesh) {
            return Err(fault("mesh", format!("names “{}”, which has not been loaded", said.mesh)));
        }
        let shapes =
            shapes(said, assets).map_err(|error| fault("kind", format!("gives no valid obstacle: {error}")))?;
        for obstacle in shapes {
            let rotation = (turn(said) * obstacle.rotation).normalize();
            let position = said.position + turn(said) * obstacle.position;
            let obstacle =
                Obstacle { position, rotation, friction: said.friction, restitution: said.restitution, ..obstacle };
            all.push(PlacedObstacle { obstacle, said: Some(said.clone()) });
        }
    }
    Ok(all)
}

/// Sets the obstacles to their poses at a time, with their velocities during the step that follows. Returns whether one moves.
pub(super) fn place(now: &mut [Obstacle], all: &[PlacedObstacle], time: f64, step: f64) -> bool {
    let mut any_moves = false;
    for (obstacle, standing) in now.iter_mut().zip(all) {
        let Some(said) = standing.said.as_ref().filter(|said| said.moves()) else { continue };
        let (position, rotation) = frame(said, &standing.obstacle, time);
        let (later, _) = frame(said, &standing.obstacle, time + step);
        (obstacle.position, obstacle.rotation) = (position, rotation);
        (obstacle.velocity, obstacle.spin) = ((later - position) / step, said.spin);
        any_moves |= later != position || said.spin != DVec3::ZERO;
    }
    any_moves
}

/// Pose of an obstacle at a time: on its path, or moved by its velocity and spin.
pub(super) fn frame(said: &scene::Obstacle, start: &Obstacle, time: f64) -> (DVec3, DQuat) {
    let spun = exp(said.spin * time);
    let middle = if said.path.is_empty() { said.position + said.velocity * time } else { along(&said.path, time) };
    (middle + spun * (start.position - said.position), (spun * start.rotation).normalize())
}

fn turn(said: &scene::Obstacle) -> DQuat {
    exp(said.rotation)
}

/// Shapes of an obstacle about its center.
fn shapes(said: &scene::Obstacle, assets: &Assets) -> Result<Vec<Obstacle>, ObstacleError> {
    let half = 0.5 * said.size;
    let one = match said.kind {
        ObstacleKind::HalfSpace => Obstacle::half_space(DVec3::ZERO, said.normal)?,
        ObstacleKind::Sphere => Obstacle::sphere(DVec3::ZERO, said.radius)?,
        ObstacleKind::Capsule => {
            let end = DVec3::Y * (0.5 * said.length);
            Obstacle::capsule([-end, end], said.radius)?
        }
        ObstacleKind::Box => Obstacle::cuboid(DVec3::ZERO, DQuat::IDENTITY, half)?,
        ObstacleKind::Room => Obstacle::room(-half, half)?,
        ObstacleKind::Hull => Obstacle::hull(&said.points)?,
        ObstacleKind::Mesh => {
            let mesh = assets.meshes.get(&said.mesh).cloned().unwrap_or_default();
            Obstacle::mesh(&mesh.points, &mesh.triangles)?
        }
        ObstacleKind::HeightField => {
            let columns = said.columns as usize;
            let cells = [columns, said.heights.len() / columns].map(|count| (count - 1) as f64);
            let spacing = [said.size.x / cells[0], said.size.z / cells[1]];
            let corner = -half * DVec3::new(1.0, 0.0, 1.0);
            Obstacle::height_field(corner, &said.heights, columns, spacing)?
        }
        ObstacleKind::Stairs => return (1..=said.steps).map(|step| stair(said, step)).collect(),
    };
    Ok(vec![one])
}

/// A step of stairs: a box from the floor up to its tread.
fn stair(said: &scene::Obstacle, step: u32) -> Result<Obstacle, ObstacleError> {
    let (depth, height) = (said.size.x, said.size.y * f64::from(step));
    let center = DVec3::new(depth * (f64::from(step) - 0.5), 0.5 * height, 0.0);
    Obstacle::cuboid(center, DQuat::IDENTITY, 0.5 * DVec3::new(depth, height, said.size.z))
}
