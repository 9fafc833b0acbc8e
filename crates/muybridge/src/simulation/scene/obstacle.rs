//! What stands, or moves as it is told, and pushes without being pushed.

use glam::DVec3;

use super::check::{Names, WrongKey};
use super::slot::NumberRange::{Any, NotNegative, Positive, Share, Speed};
use super::slot::{Waypoint, choice};
use super::thing::thing;

choice! {
    /// The shape of an obstacle, and the keys it has.
    ObstacleKind {
        /// Everything below a plane through `position`; `normal` points out of it.
        #[default]
        HalfSpace = "half_space",
        /// `radius`.
        Sphere = "sphere",
        /// `radius` and `length`, along y.
        Capsule = "capsule",
        /// `size`.
        Box = "box",
        /// The inside of a box of `size`: things stay in it.
        Room = "room",
        /// The hull of `points`.
        Hull = "hull",
        /// The triangles of `mesh`.
        Mesh = "mesh",
        /// `heights`, `columns` to a row, `size` in all.
        HeightField = "height_field",
        /// `steps` that go up along x; `size` is depth, height and width of one.
        Stairs = "stairs",
    }
}

thing! {
    /// Something that is not moved by what hits it.
    Obstacle "obstacle" required ["name", "kind"] checked by check_obstacle {
        /// By which reports and pictures speak of it.
        name: String = String::new() => Name,
        /// Its shape.
        kind: ObstacleKind = ObstacleKind::HalfSpace => Choice,
        /// Where its middle is (stairs: the foot of the first step, in the middle of its width), metres.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Axis times angle, radians.
        rotation: DVec3 = DVec3::ZERO => Turn,
        /// Out of a half-space.
        normal: DVec3 = DVec3::Y => Vector(Any),
        /// Metres.
        radius: f64 = 0.5 => Number(Positive),
        /// Of a capsule between the middles of its caps, metres.
        length: f64 = 1.0 => Number(Positive),
        /// Metres along x, y and z.
        size: DVec3 = DVec3::ONE => Vector(Positive),
        /// How many.
        steps: u32 = 10 => Count([1, 10_000]),
        /// Corners of a hull, metres.
        points: Vec<DVec3> = Vec::new() => Vectors,
        /// OBJ, glTF or GLB with the triangles, relative to the scene.
        mesh: String = String::new() => Text,
        /// Heights of a field, metres, rows along z, one after the other.
        heights: Vec<f64> = Vec::new() => Numbers(Any),
        /// Heights in a row.
        columns: u32 = 2 => Count([2, 4096]),
        /// Metres per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Radians per second about its middle.
        spin: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Where its middle is when, `[seconds, x, y, z]`: straight between, at rest before and after. Instead of a velocity.
        path: Vec<Waypoint> = Vec::new() => Path,
        /// Coulomb friction.
        friction: f64 = 0.6 => Number(NotNegative),
        /// Share of the normal speed that comes back at a hit.
        restitution: f64 = 0.0 => Number(Share),
    }
}

fn check_obstacle(obstacle: &Obstacle, _: usize, _: &Names<'_>) -> Result<(), WrongKey> {
    let moves = obstacle.velocity != DVec3::ZERO || obstacle.spin != DVec3::ZERO;
    if moves && !obstacle.path.is_empty() {
        return Err(("path", "and a velocity or spin do not go together; give one of them".into()));
    }
    let rows = |columns: u32| obstacle.heights.len() / columns as usize;
    match obstacle.kind {
        ObstacleKind::HalfSpace if obstacle.normal.length() < 1e-9 => Err(("normal", "must have a length".into())),
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
