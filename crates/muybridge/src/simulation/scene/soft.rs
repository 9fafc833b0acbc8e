//! What bends: ropes, flails, cloth, plants.

use glam::DVec3;

use super::check::{Names, WrongKey};
use super::slot::NumberRange::{Any, NotNegative, Positive, Share, Speed};
use super::slot::{PartPath, choice};
use super::thing::{AttachPoint, thing};

choice! {
    /// An end of a rope.
    End {
        /// Where it begins.
        #[default]
        Start = "start",
        /// Where it ends.
        Finish = "end",
    }
}

choice! {
    /// A place of a cloth made of a grid; x is its width, z its depth.
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

thing! {
    /// A rope between two places.
    Rope "rope" of Line required ["name", "from", "to"] checked by check_rope {
        /// By which others speak of it.
        name: String = String::new() => Name,
        /// Where it begins, metres.
        from: DVec3 = DVec3::ZERO => Vector(Any),
        /// Where it ends, metres.
        to: DVec3 = DVec3::ZERO => Vector(Any),
        /// Sticks it is made of.
        segments: u32 = 20 => Count([1, 100_000]),
        /// Kilograms in all.
        mass: f64 = 1.0 => Number(Positive),
        /// Metres.
        radius: f64 = 0.01 => Number(Positive),
        /// Ends that stay where they are.
        fixed: Vec<End> = Vec::new() => Choices,
        /// Thing or bone that its beginning is attached to.
        from_attached_to ("from_on"): PartPath = PartPath::default() => Part,
        /// Thing or bone that its end is attached to.
        to_attached_to ("to_on"): PartPath = PartPath::default() => Part,
        /// Resistance to bending, N m²; 0: it bends freely.
        stiffness: f64 = 0.0 => Number(NotNegative),
        /// Coulomb friction.
        friction: f64 = 0.5 => Number(NotNegative),
        /// Share of the normal speed that comes back at a hit.
        restitution: f64 = 0.0 => Number(Share),
        /// Rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.1 => Number(NotNegative),
        /// Whether it touches itself.
        self_collision ("touches_itself"): bool = false => Flag,
    }
}

thing! {
    /// A chain with a ball at its end.
    Flail "flail" of Line required ["name", "from", "to"] checked by check_flail {
        /// By which others speak of it.
        name: String = String::new() => Name,
        /// Where it hangs, metres.
        from: DVec3 = DVec3::ZERO => Vector(Any),
        /// Where the ball is, metres.
        to: DVec3 = DVec3::ZERO => Vector(Any),
        /// Sticks of the chain.
        segments: u32 = 8 => Count([1, 100_000]),
        /// Kilograms of the chain.
        mass: f64 = 1.0 => Number(Positive),
        /// Metres of the chain.
        radius: f64 = 0.015 => Number(Positive),
        /// Kilograms of the ball.
        ball_mass: f64 = 8.0 => Number(Positive),
        /// Metres of the ball.
        ball_radius: f64 = 0.12 => Number(Positive),
        /// Thing or bone that its beginning is attached to; left out: its place.
        from_attached_to ("from_on"): PartPath = PartPath::default() => Part,
        /// Velocity of the ball, metres per second; the chain follows in proportion.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Coulomb friction.
        friction: f64 = 0.5 => Number(NotNegative),
        /// Share of the normal speed that comes back at a hit.
        restitution: f64 = 0.0 => Number(Share),
        /// Rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.0 => Number(NotNegative),
    }
}

thing! {
    /// A cloth: a grid in the plane y = 0 about its middle, or a triangle mesh of a file.
    Cloth "cloth" of Points required ["name"] checked by check_cloth {
        /// By which others speak of it.
        name: String = String::new() => Name,
        /// OBJ, glTF or GLB with the mesh, relative to the scene; empty: a grid.
        mesh: String = String::new() => Text,
        /// Width and depth of a grid, metres.
        width: f64 = 1.0 => Number(Positive),
        /// Along z, metres.
        depth: f64 = 1.0 => Number(Positive),
        /// Cells along the width.
        columns: u32 = 20 => Count([1, 4096]),
        /// Cells along the depth.
        rows: u32 = 20 => Count([1, 4096]),
        /// Where its middle is, metres.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Axis times angle, radians.
        rotation: DVec3 = DVec3::ZERO => Turn,
        /// Metres per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Kilograms in all.
        mass: f64 = 0.3 => Number(Positive),
        /// Metres from side to side.
        thickness: f64 = 0.01 => Number(Positive),
        /// Metres per newton along the threads; 0 is rigid.
        stretch_compliance ("stretch"): f64 = 0.0 => Number(NotNegative),
        /// Metres per newton across a fold; left out: nothing resists folds.
        bend_compliance ("bend"): Option<f64> = None => Optional(NotNegative),
        /// Corners and edges of a grid that are held.
        pins: Vec<Pin> = Vec::new() => Choices,
        /// The points nearest to these places are held, metres in the world.
        pin_points: Vec<DVec3> = Vec::new() => Vectors,
        /// Thing or bone that the held points are attached to; left out: their places.
        attached_to ("on"): PartPath = PartPath::default() => Part,
        /// Coulomb friction.
        friction: f64 = 0.4 => Number(NotNegative),
        /// Rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.2 => Number(NotNegative),
        /// Drag of a triangle that faces the wind, against ½ ρ A v²; a square plate has 1.17 (Hoerner 1965).
        air_drag: f64 = 1.17 => Number(NotNegative),
        /// Lift of a triangle that slants in the wind, likewise.
        air_lift: f64 = 1.17 => Number(NotNegative),
        /// Whether it touches itself.
        self_collision ("touches_itself"): bool = false => Flag,
    }
}

thing! {
    /// A plant: a stalk that stands on its root, with branches.
    Plant "plant" of Points required ["name"] {
        /// By which others speak of it.
        name: String = String::new() => Name,
        /// Where the root is, metres.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Metres.
        height: f64 = 1.5 => Number(Positive),
        /// Sticks of the stalk.
        segments: u32 = 10 => Count([2, 10_000]),
        /// Branches.
        branches: u32 = 8 => Count([0, 10_000]),
        /// Length of a branch, metres.
        branch: f64 = 0.4 => Number(Positive),
        /// Kilograms in all.
        mass: f64 = 0.5 => Number(Positive),
        /// Metres at the root.
        radius: f64 = 0.02 => Number(Positive),
        /// Radians per newton metre of a joint of the stalk.
        bend_compliance ("bend"): f64 = 0.005 => Number(NotNegative),
        /// Rate at which velocities decay, per second; wind carries it along at this rate.
        damping ("drag"): f64 = 1.0 => Number(NotNegative),
    }
}

/// Message where two ends of a line are one.
const NO_LENGTH: &str = "is where it begins; it needs a length";

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
        return Err(("pins", "are corners of a grid; hold points of a mesh with pin_points".into()));
    }
    if !cloth.attached_to.is_none() && cloth.pins.is_empty() && cloth.pin_points.is_empty() {
        return Err(("attached_to", "needs points to hang by: give pins or pin_points".into()));
    }
    Ok(())
}
