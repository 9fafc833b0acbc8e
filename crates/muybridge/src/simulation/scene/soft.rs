//! Soft things: ropes, flails, cloth, plants.

use glam::DVec3;

use super::check::{Names, WrongKey};
use super::slot::NumberRange::{Any, NotNegative, Positive, Share, Speed};
use super::slot::{PartPath, choice};
use super::thing::{AttachPoint, thing};
pub use crate::particles::objects::CellShape;

choice! {
    /// An end of a rope.
    End {
        /// The start of the rope.
        #[default]
        Start = "start",
        /// The end of the rope.
        Finish = "end",
    }
}

choice! {
    /// A corner or edge of a cloth made of a grid; x is along its width, z along its depth.
    Pin {
        /// x least, z least.
        #[default]
        LeftBack = "left_back",
        /// x greatest, z least.
        RightBack = "right_back",
        /// x least, z greatest.
        LeftFront = "left_front",
        /// x greatest, z greatest.
        RightFront = "right_front",
        /// The whole edge of least x.
        Left = "left",
        /// The whole edge of greatest x.
        Right = "right",
        /// The whole edge of least z.
        Back = "back",
        /// The whole edge of greatest z.
        Front = "front",
    }
}

choice! {
    impl CellShape {
        Squares = "squares",
        Hexagons = "hexagons",
    }
}

thing! {
    /// A rope between two places.
    Rope "rope" of Line required ["name", "from", "to"] checked by check_rope {
        /// Name of the rope.
        name: String = String::new() => Name,
        /// Position of the start, meters.
        from: DVec3 = DVec3::ZERO => Vector(Any),
        /// Position of the end, meters.
        to: DVec3 = DVec3::ZERO => Vector(Any),
        /// Number of segments.
        segments: u32 = 20 => Count([1, 100_000]),
        /// Total mass, kilograms.
        mass: f64 = 1.0 => Number(Positive),
        /// Radius, meters.
        radius: f64 = 0.01 => Number(Positive),
        /// Ends that are fixed in the world.
        fixed: Vec<End> = Vec::new() => Choices,
        /// Thing or bone that its beginning is attached to.
        from_attached_to ("from_on"): PartPath = PartPath::default() => Part,
        /// Thing or bone that its end is attached to.
        to_attached_to ("to_on"): PartPath = PartPath::default() => Part,
        /// Bending stiffness, N m²; 0: bends freely.
        stiffness: f64 = 0.0 => Number(NotNegative),
        /// Coulomb friction.
        friction: f64 = 0.5 => Number(NotNegative),
        /// Restitution: share of the normal speed that an impact returns.
        restitution: f64 = 0.0 => Number(Share),
        /// Damping: rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.1 => Number(NotNegative),
        /// Whether the rope collides with itself.
        self_collision ("touches_itself"): bool = false => Flag,
    }
}

thing! {
    /// A chain with a ball at its end.
    Flail "flail" of Line required ["name", "from", "to"] checked by check_flail {
        /// Name of the flail.
        name: String = String::new() => Name,
        /// Position of the chain's start, meters.
        from: DVec3 = DVec3::ZERO => Vector(Any),
        /// Position of the ball, meters.
        to: DVec3 = DVec3::ZERO => Vector(Any),
        /// Number of segments of the chain.
        segments: u32 = 8 => Count([1, 100_000]),
        /// Mass of the chain, kilograms.
        mass: f64 = 1.0 => Number(Positive),
        /// Radius of the chain, meters.
        radius: f64 = 0.015 => Number(Positive),
        /// Mass of the ball, kilograms.
        ball_mass: f64 = 8.0 => Number(Positive),
        /// Radius of the ball, meters.
        ball_radius: f64 = 0.12 => Number(Positive),
        /// Thing or bone that its beginning is attached to; left out: its place.
        from_attached_to ("from_on"): PartPath = PartPath::default() => Part,
        /// Velocity of the ball, meters per second; the chain follows in proportion.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Coulomb friction.
        friction: f64 = 0.5 => Number(NotNegative),
        /// Restitution: share of the normal speed that an impact returns.
        restitution: f64 = 0.0 => Number(Share),
        /// Damping: rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.0 => Number(NotNegative),
    }
}

thing! {
    /// A cloth: a grid in the plane y = 0 about its center, or a triangle mesh of a file.
    Cloth "cloth" of Points required ["name"] checked by check_cloth {
        /// Name of the cloth.
        name: String = String::new() => Name,
        /// OBJ, glTF or GLB file with the mesh, relative to the scene; empty: a grid.
        mesh: String = String::new() => Text,
        /// Width of a grid along x, meters.
        width: f64 = 1.0 => Number(Positive),
        /// Depth of a grid along z, meters.
        depth: f64 = 1.0 => Number(Positive),
        /// Number of cells along the width.
        columns: u32 = 20 => Count([1, 4096]),
        /// Number of cells along the depth.
        rows: u32 = 20 => Count([1, 4096]),
        /// Mesh of a grid: squares with both diagonals, or six neighbors around each point. These are regular where a row is √¾ as deep as a column is wide.
        cells: CellShape = CellShape::Squares => Choice,
        /// Position of the center, meters.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Rotation, axis times angle, radians.
        rotation: DVec3 = DVec3::ZERO => Turn,
        /// Velocity, meters per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Total mass, kilograms.
        mass: f64 = 0.3 => Number(Positive),
        /// Thickness, meters.
        thickness: f64 = 0.01 => Number(Positive),
        /// Compliance along the threads, meters per newton; 0 is rigid.
        stretch_compliance ("stretch"): f64 = 0.0 => Number(NotNegative),
        /// Share of their error that a pass removes from threads and folds without compliance.
        share: f64 = 1.0 => Number(Share),
        /// Iterations over the cloth's constraints per substep; 0: `constraint_iterations` of the solver.
        iterations: u32 = 0 => Count([0, 1000]),
        /// Compliance of folds, meters per newton; left out: folds have no resistance.
        bend_compliance ("bend"): Option<f64> = None => Optional(NotNegative),
        /// Corners and edges of a grid that are pinned.
        pins: Vec<Pin> = Vec::new() => Choices,
        /// Places whose nearest points are pinned, meters in the world.
        pin_points: Vec<DVec3> = Vec::new() => Vectors,
        /// Thing or bone that the held points are attached to; left out: their places.
        attached_to ("on"): PartPath = PartPath::default() => Part,
        /// Coulomb friction.
        friction: f64 = 0.4 => Number(NotNegative),
        /// Damping: rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.2 => Number(NotNegative),
        /// Drag coefficient of a triangle that faces the wind, by ½ ρ A v²; a square plate has 1.17 (Hoerner 1965).
        air_drag: f64 = 1.17 => Number(NotNegative),
        /// Lift coefficient of a triangle at an angle to the wind, by ½ ρ A v².
        air_lift: f64 = 1.17 => Number(NotNegative),
        /// Whether the cloth collides with itself.
        self_collision ("touches_itself"): bool = false => Flag,
    }
}

thing! {
    /// A plant: a stalk that stands on its root, with branches.
    Plant "plant" of Points required ["name"] {
        /// Name of the plant.
        name: String = String::new() => Name,
        /// Position of the root, meters.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Height of the stalk, meters.
        height: f64 = 1.5 => Number(Positive),
        /// Number of segments of the stalk.
        segments: u32 = 10 => Count([2, 10_000]),
        /// Number of branches.
        branches: u32 = 8 => Count([0, 10_000]),
        /// Length of a branch, meters.
        branch: f64 = 0.4 => Number(Positive),
        /// Total mass, kilograms.
        mass: f64 = 0.5 => Number(Positive),
        /// Radius at the root, meters.
        radius: f64 = 0.02 => Number(Positive),
        /// Greatest span of its support sticks, in segments: 1 for none. Less than 3 let it turn freely.
        support: u32 = 3 => Count([1, 100]),
        /// Compliance of a joint of the stalk, radians per newton meter, with a support of 3; more support is stiffer.
        bend_compliance ("bend"): f64 = 0.005 => Number(NotNegative),
        /// Share of their error that a pass removes from sticks without compliance.
        share: f64 = 1.0 => Number(Share),
        /// Iterations over the plant's constraints per substep; 0: `constraint_iterations` of the solver, but at least 8 in modes shake
        /// and xpbd.
        iterations: u32 = 0 => Count([0, 1000]),
        /// Damping: rate at which velocities decay, per second; wind carries the plant along at this rate.
        damping ("drag"): f64 = 1.0 => Number(NotNegative),
    }
}

/// Message where two ends of a line are one.
const NO_LENGTH: &str = "is the place where it begins; move one end, for it needs a length";

/// Checks what an end of a line is attached to.
fn check_attached(key: &'static str, part: &PartPath, names: &Names<'_>) -> Result<(), WrongKey> {
    if part.is_none() {
        return Ok(());
    }
    names.attaches(part, AttachPoint::Bodies).map_err(|message| (key, message))
}

fn check_rope(rope: &Rope, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    check_attached("from_attached_to", &rope.from_attached_to, names)?;
    check_attached("to_attached_to", &rope.to_attached_to, names)?;
    if rope.from == rope.to { Err(("to", NO_LENGTH.into())) } else { Ok(()) }
}

fn check_flail(flail: &Flail, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    check_attached("from_attached_to", &flail.from_attached_to, names)?;
    if flail.from == flail.to { Err(("to", NO_LENGTH.into())) } else { Ok(()) }
}

fn check_cloth(cloth: &Cloth, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    check_attached("attached_to", &cloth.attached_to, names)?;
    if !cloth.mesh.is_empty() && !cloth.pins.is_empty() {
        return Err(("pins", "name corners of a grid; to hold points of a mesh, use pin_points".into()));
    }
    if !cloth.attached_to.is_none() && cloth.pins.is_empty() && cloth.pin_points.is_empty() {
        return Err(("attached_to", "needs points of the cloth that hang from it; give pins or pin_points".into()));
    }
    Ok(())
}
