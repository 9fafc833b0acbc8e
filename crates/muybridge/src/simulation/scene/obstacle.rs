//! Obstacles: fixed, or moved along given paths (kinematic).

use glam::DVec3;

use super::check::{Names, WrongKey};
use super::slot::NumberRange::{Any, HeightOrHole, NotNegative, Positive, Share, Speed};
use super::slot::{Waypoint, choice};
use super::thing::thing;

choice! {
    /// Shape of an obstacle, with the keys it uses.
    ObstacleKind {
        /// Everything below a plane through `position`; `normal` points out of it.
        #[default]
        HalfSpace = "half_space",
        /// A sphere of `radius`.
        Sphere = "sphere",
        /// A capsule of `radius` and `length`, along y.
        Capsule = "capsule",
        /// A box of `size`.
        Box = "box",
        /// The inside of a box of `size`, which things cannot leave.
        Room = "room",
        /// The convex hull of `points`.
        Hull = "hull",
        /// The triangles of `mesh`.
        Mesh = "mesh",
        /// A height field with `heights`, `columns` heights per row, and total `size` along x and z. It holds what is above it;
        /// what comes from below passes.
        HeightField = "height_field",
        /// Stairs with `steps` steps up along x; `size` is depth, height and width of one step.
        Stairs = "stairs",
    }
}

thing! {
    /// A fixed or kinematic collider: impacts do not move it.
    Obstacle "obstacle" required ["name", "kind"] checked by check_obstacle {
        /// Name of the obstacle in reports and pictures.
        name: String = String::new() => Name,
        /// Shape of the obstacle.
        kind: ObstacleKind = ObstacleKind::HalfSpace => Choice,
        /// Position of the center, meters; of stairs, of the foot of the first step at half its width.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Rotation, axis times angle, radians.
        rotation: DVec3 = DVec3::ZERO => Turn,
        /// Normal out of a half-space.
        normal: DVec3 = DVec3::Y => Vector(Any),
        /// Radius, meters.
        radius: f64 = 0.5 => Number(Positive),
        /// Distance between the centers of a capsule's caps, meters.
        length: f64 = 1.0 => Number(Positive),
        /// Size along x, y and z, meters.
        size: DVec3 = DVec3::ONE => Vector(Positive),
        /// Number of steps of stairs.
        steps: u32 = 10 => Count([1, 10_000]),
        /// Corners of a hull, meters.
        points: Vec<DVec3> = Vec::new() => Vectors,
        /// OBJ, glTF or GLB file with the triangles, relative to the scene.
        mesh: String = String::new() => Text,
        /// Heights of a height field, meters, row after row along z; `nan` or `-inf` makes the triangles around it a hole.
        heights: Vec<f64> = Vec::new() => Numbers(HeightOrHole),
        /// Number of heights in a row.
        columns: u32 = 2 => Count([2, 4096]),
        /// Velocity, meters per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Angular velocity about the center, radians per second.
        spin: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Path of the center, `[seconds, x, y, z]`, instead of a velocity: linear between its points, at rest before and after.
        path: Vec<Waypoint> = Vec::new() => Path,
        /// Coulomb friction.
        friction: f64 = 0.6 => Number(NotNegative),
        /// Restitution: share of the normal speed that an impact returns.
        restitution: f64 = 0.0 => Number(Share),
    }
}

impl Obstacle {
    /// Whether it ever moves.
    pub(in crate::simulation) fn moves(&self) -> bool {
        self.velocity != DVec3::ZERO || self.spin != DVec3::ZERO || !self.path.is_empty()
    }

    /// Keys that are set and have no effect on an obstacle of this kind.
    pub(super) fn idle_keys(&self) -> impl Iterator<Item = &'static str> {
        use ObstacleKind::{Box, Capsule, HalfSpace, HeightField, Hull, Mesh, Room, Sphere, Stairs};
        let (usual, kind) = (Self::default(), self.kind);
        let keys: [(_, bool, &[ObstacleKind]); 9] = [
            ("normal", self.normal != usual.normal, &[HalfSpace]),
            ("radius", self.radius != usual.radius, &[Sphere, Capsule]),
            ("length", self.length != usual.length, &[Capsule]),
            ("size", self.size != usual.size, &[Box, Room, HeightField, Stairs]),
            ("steps", self.steps != usual.steps, &[Stairs]),
            ("points", !self.points.is_empty(), &[Hull]),
            ("mesh", !self.mesh.is_empty(), &[Mesh]),
            ("heights", !self.heights.is_empty(), &[HeightField]),
            ("columns", self.columns != usual.columns, &[HeightField]),
        ];
        keys.into_iter().filter(move |(_, is_set, kinds)| *is_set && !kinds.contains(&kind)).map(|(key, ..)| key)
    }
}

fn check_obstacle(obstacle: &Obstacle, _: usize, _: &Names<'_>) -> Result<(), WrongKey> {
    let moves = obstacle.velocity != DVec3::ZERO || obstacle.spin != DVec3::ZERO;
    if moves && !obstacle.path.is_empty() {
        return Err(("path", "cannot be combined with velocity or spin; remove one of them".into()));
    }
    let rows = |columns: u32| obstacle.heights.len() / columns as usize;
    match obstacle.kind {
        ObstacleKind::HalfSpace if obstacle.normal.length() < 1e-9 => {
            Err(("normal", "must not be the zero vector".into()))
        }
        ObstacleKind::Hull if obstacle.points.len() < 4 => {
            Err(("points", format!("must be four or more corners of a hull, not {}", obstacle.points.len())))
        }
        ObstacleKind::Mesh if obstacle.mesh.is_empty() => Err(("mesh", "must name a file".into())),
        ObstacleKind::HeightField
            if rows(obstacle.columns) < 2
                || rows(obstacle.columns) * obstacle.columns as usize != obstacle.heights.len() =>
        {
            let (count, columns) = (obstacle.heights.len(), obstacle.columns);
            Err(("heights", format!("must be two or more rows of {columns} numbers, not {count} numbers")))
        }
        _ => Ok(()),
    }
}
