//! Rigid bodies, joints between things, and points wired by hand.

use core::f64::consts::PI;

use glam::DVec3;

use super::check::{Names, WrongKey};
use super::slot::NumberRange::{Any, NotNegative, Positive, PositiveOrInfinite, Share, Speed};
use super::slot::{PartPath, choice};
use super::thing::{AttachPoint, thing};

/// A rigid body: its own keys, then those that all have.
macro_rules! rigid {
    ($(#[doc = $about:literal])* $name:ident $kind:literal required [$($required:literal),*] $(checked by $check:path)?
     { $($(#[doc = $doc:literal])* $field:ident $(($old:literal))?: $type:ty = $default:expr => $slot:ident $(($($argument:expr),+))?,)+ }) => {
        thing! {
            $(#[doc = $about])*
            $name $kind of Bodies required [$($required),*] checked by Self::check_rigid {
                /// By which others speak of it.
                name: String = String::new() => Name,
                $($(#[doc = $doc])* $field $(($old))?: $type = $default => $slot $(($($argument),+))?,)+
                /// Kilograms.
                mass: f64 = 1.0 => Number(Positive),
                /// Principal moments in its own axes, kg m²; left out: those of the solid.
                inertia: Vec<f64> = Vec::new() => Numbers(NotNegative),
                /// Where its middle is, metres; of a mesh, its origin.
                position: DVec3 = DVec3::ZERO => Vector(Any),
                /// Axis times angle, radians.
                rotation: DVec3 = DVec3::ZERO => Turn,
                /// Of its center of mass, metres per second.
                velocity: DVec3 = DVec3::ZERO => Vector(Speed),
                /// Radians per second.
                spin: DVec3 = DVec3::ZERO => Vector(Speed),
                /// How many along x, y and z.
                grid: [u32; 3] = [1; 3] => Grid,
                /// Metres between those of a grid.
                spacing: DVec3 = DVec3::ONE => Vector(Any),
                /// Gives each a random orientation.
                random_orientation ("tumble"): bool = false => Flag,
                /// Coulomb friction.
                friction: f64 = 0.5 => Number(NotNegative),
                /// Share of the normal speed that comes back at a hit.
                restitution: f64 = 0.2 => Number(Share),
                /// Rate at which velocities decay, per second.
                damping ("drag"): f64 = 0.0 => Number(NotNegative),
                /// Rolling resistance against obstacles, metres.
                rolling_resistance ("rolling"): f64 = 0.0 => Number(NotNegative),
            }
        }

        impl $name {
            fn check_rigid(&self, _: usize, _: &Names<'_>) -> Result<(), WrongKey> {
                inertia_fault(&self.inertia).map_or(Ok(()), |message| Err(("inertia", message)))?;
                $($check(self)?;)?
                Ok(())
            }
        }
    };
}

rigid! {
    /// A box.
    Block "box" required ["name"] {
        /// Its sides, metres.
        size: DVec3 = DVec3::splat(0.3) => Vector(Positive),
    }
}

rigid! {
    /// A ball.
    Ball "ball" required ["name"] {
        /// Metres.
        radius: f64 = 0.15 => Number(Positive),
    }
}

rigid! {
    /// A capsule along its y axis.
    Capsule "capsule" required ["name"] {
        /// Metres.
        radius: f64 = 0.1 => Number(Positive),
        /// Between the middles of its caps, metres.
        length: f64 = 0.4 => Number(Positive),
    }
}

rigid! {
    /// A regular tetrahedron, or one with given corners.
    Tetrahedron "tetrahedron" required ["name"] checked by check_corners {
        /// Length of its edges, metres.
        size: f64 = 0.3 => Number(Positive),
        /// Four corners about its middle, metres; left out: a regular one of that size.
        corners: Vec<DVec3> = Vec::new() => Vectors,
    }
}

rigid! {
    /// A body of any triangle mesh: every connected piece of it touches as its convex hull.
    MeshBody "body" required ["name", "mesh"] checked by check_mesh {
        /// `skittle`, `stool`, or an OBJ, glTF or GLB with the mesh, relative to the scene.
        mesh: String = String::from("skittle") => Text,
        /// Every length of the mesh times this.
        scale: f64 = 1.0 => Number(Positive),
        /// Whether it weighs as the hulls of its pieces, not as the inside of the mesh: for meshes that are not closed.
        mass_from_hull ("weighs_as_hull"): bool = false => Flag,
    }
}

choice! {
    /// What a joint leaves free.
    JointKind {
        /// Turns every way, within swing and twist.
        #[default]
        Ball = "ball",
        /// Turns about the axis, within range.
        Hinge = "hinge",
        /// Turns no way.
        Fixed = "fixed",
    }
}

thing! {
    /// A joint between two things, or between one and a place. Its frame is that of the start of the run.
    Joint "joint" required ["name", "of", "at"] checked by check_joint {
        /// By which reports speak of it.
        name: String = String::new() => Name,
        /// What it leaves free.
        kind: JointKind = JointKind::Ball => Choice,
        /// The thing or bone that is held.
        of: PartPath = PartPath::default() => Part,
        /// What it is held to; left out: the place.
        to: PartPath = PartPath::default() => Part,
        /// Where the joint is at the start, metres in the world.
        at: DVec3 = DVec3::ZERO => Vector(Any),
        /// Axis of a hinge, twist axis of a ball, in the world at the start.
        axis: DVec3 = DVec3::X => Vector(Any),
        /// Angle of a hinge, twist of a ball, against the start: radians.
        angle_limits ("range"): [f64; 2] = [-PI, PI] => Angles,
        /// Greatest swing of the axis of a ball, radians.
        swing_limit ("swing"): f64 = PI => Angle(NotNegative),
        /// Radians per newton metre beyond the limits; 0 is rigid.
        compliance: f64 = 0.0 => Number(NotNegative),
        /// Natural frequency of a spring that turns it to `target`, hertz; 0: none.
        frequency: f64 = 0.0 => Number(NotNegative),
        /// Damping ratio of that spring, 1 is critical.
        damping_ratio: f64 = 1.0 => Number(NotNegative),
        /// Where the spring turns it, against the start: axis times angle, radians; of a hinge, what of it is along the axis.
        target: DVec3 = DVec3::ZERO => Turn,
        /// Rate at which the two take on `motor_speed` against each other, per second; 0: not at all.
        motor_damping ("drag"): f64 = 0.0 => Number(NotNegative),
        /// Angular velocity to which `motor_damping` brings it, radians per second; of a hinge, what of it is along the axis.
        motor_speed ("speed"): DVec3 = DVec3::ZERO => Vector(Speed),
        /// Greatest moment of spring and motor about each axis, newton metres; left out: any.
        max_torque ("most"): Option<f64> = None => Optional(Positive),
        /// Moment of dry friction, newton metres; of particles, none.
        friction: f64 = 0.0 => Number(NotNegative),
    }
}

impl Joint {
    /// Whether something turns or brakes it.
    pub fn is_driven(&self) -> bool {
        self.frequency > 0.0 || self.motor_damping > 0.0 || self.friction > 0.0
    }
}

thing! {
    /// Points, sticks and triangles by hand.
    Points "points" of Points required ["name", "positions"] checked by check_points {
        /// By which others speak of it.
        name: String = String::new() => Name,
        /// Metres.
        positions: Vec<DVec3> = Vec::new() => Vectors,
        /// Metres per second, one per point; left out: at rest.
        velocities: Vec<DVec3> = Vec::new() => Vectors,
        /// Kilograms, one per point or one for all; inf stays where it is.
        masses: Vec<f64> = vec![1.0] => Numbers(PositiveOrInfinite),
        /// Points that stay where they are.
        fixed: Vec<u32> = Vec::new() => Indices,
        /// Pairs of points that keep their distance.
        sticks: Vec<[u32; 2]> = Vec::new() => Pairs,
        /// Pairs of points that keep at least `slack` times and at most their distance.
        strings: Vec<[u32; 2]> = Vec::new() => Pairs,
        /// Least length of a string, as a share of its length.
        slack: f64 = 0.0 => Number(Share),
        /// Triples of points: triangles, whose sides are sticks.
        triangles: Vec<[u32; 3]> = Vec::new() => Triples,
        /// Metres per newton of sticks and strings; 0 is rigid.
        compliance: f64 = 0.0 => Number(NotNegative),
        /// Thickness of sticks and triangles: metres from the middle to the skin.
        radius: f64 = 0.01 => Number(Positive),
        /// Coulomb friction.
        friction: f64 = 0.5 => Number(NotNegative),
        /// Share of the normal speed that comes back at a hit.
        restitution: f64 = 0.0 => Number(Share),
        /// Rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.0 => Number(NotNegative),
        /// Whether it touches itself.
        self_collision ("touches_itself"): bool = false => Flag,
    }
}

thing! {
    /// Two triangles made by hand whose relative orientation stays near that of the start.
    Limit "limit" required ["name", "of", "first", "second"] checked by check_limit {
        /// By which reports speak of it.
        name: String = String::new() => Name,
        /// The points they belong to.
        of: PartPath = PartPath::default() => Part,
        /// Index of one triangle.
        first: u32 = 0 => Count([0, u32::MAX]),
        /// Index of the other.
        second: u32 = 1 => Count([0, u32::MAX]),
        /// Greatest angle away from the start, radians.
        max_angle ("most"): f64 = PI / 3.0 => Angle(NotNegative),
        /// Radians per newton metre; 0 is rigid.
        compliance: f64 = 0.0 => Number(NotNegative),
        /// Rate at which relative rotation decays, per second.
        friction: f64 = 0.0 => Number(NotNegative),
        /// Relative angular speed below which it sticks, radians per second.
        stick: f64 = 0.0 => Number(NotNegative),
    }
}

/// Why no body has these principal moments, if none has: each is at most the sum of the others.
fn inertia_fault(moments: &[f64]) -> Option<String> {
    match *moments {
        [] => None,
        [a, b, c] if a > 0.0 && b > 0.0 && c > 0.0 => {
            let slack = 1.0 + 1e-9;
            let good = a <= (b + c) * slack && b <= (a + c) * slack && c <= (a + b) * slack;
            (!good).then(|| {
                format!("of {a}, {b}, {c} belongs to no body: no moment is greater than the other two together")
            })
        }
        _ => Some("must be three moments above 0".into()),
    }
}

fn check_mesh(body: &MeshBody) -> Result<(), WrongKey> {
    if body.mesh.is_empty() {
        return Err(("mesh", "must name a mesh: “skittle”, “stool” or a file".into()));
    }
    Ok(())
}

fn check_corners(body: &Tetrahedron) -> Result<(), WrongKey> {
    let [a, b, c, d] = body.corners[..] else {
        return if body.corners.is_empty() { Ok(()) } else { Err(("corners", "must be four points".into())) };
    };
    let (edges, size) = ([b - a, c - a, d - a], (b - a).length().max((c - a).length()));
    if edges[0].cross(edges[1]).dot(edges[2]).abs() > 1e-6 * size * size * size {
        return Ok(());
    }
    Err(("corners", "lie in one plane; a body needs a volume".into()))
}

fn check_points(points: &Points, _: usize, _: &Names<'_>) -> Result<(), WrongKey> {
    let count = points.positions.len();
    if count == 0 {
        return Err(("positions", "must hold a point".into()));
    }
    if !points.velocities.is_empty() && points.velocities.len() != count {
        let message = format!("must be one for each of the {count} points, not {}", points.velocities.len());
        return Err(("velocities", message));
    }
    if let Some(message) = points.velocities.iter().flat_map(|v| v.to_array()).find_map(|v| Speed.fault(v)) {
        return Err(("velocities", message));
    }
    if points.masses.len() != 1 && points.masses.len() != count {
        let message = format!("must be one for all or one for each of the {count} points, not {}", points.masses.len());
        return Err(("masses", message));
    }
    let lists: [(&'static str, Vec<u32>); 4] = [
        ("fixed", points.fixed.clone()),
        ("sticks", points.sticks.concat()),
        ("strings", points.strings.concat()),
        ("triangles", points.triangles.concat()),
    ];
    for (key, indices) in lists {
        if let Some(index) = indices.iter().find(|&&index| index as usize >= count) {
            return Err((key, format!("speaks of point {index}, but there are {count}, counted from 0")));
        }
    }
    let place = |index: u32| points.positions[index as usize];
    let short = points.sticks.iter().chain(&points.strings).find(|[a, b]| place(*a) == place(*b));
    short.map_or(Ok(()), |[a, b]| {
        Err(("sticks", format!("has one without length: points {a} and {b} are at one place")))
    })
}

fn check_limit(limit: &Limit, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    names.is_a::<Points>(&limit.of).map_err(|message| ("of", message))?;
    let of = names.scene.points.iter().find(|points| points.name == limit.of.thing());
    let triangles = of.map_or(0, |points| points.triangles.len());
    for (key, triangle) in [("first", limit.first), ("second", limit.second)] {
        if triangle as usize >= triangles {
            return Err((key, format!("is triangle {triangle}, but “{}” has {triangles}, from 0", limit.of.0)));
        }
    }
    if limit.first == limit.second { Err(("second", "is the first triangle again".into())) } else { Ok(()) }
}

fn check_joint(joint: &Joint, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    names.attaches(&joint.of, AttachPoint::Bodies).map_err(|message| ("of", message))?;
    if !joint.to.is_none() {
        names.attaches(&joint.to, AttachPoint::Bodies).map_err(|message| ("to", message))?;
        if joint.to == joint.of {
            return Err(("to", "joins the thing to itself".into()));
        }
    }
    if joint.kind != JointKind::Fixed && joint.axis.length() < 1e-9 {
        return Err(("axis", "must have a length".into()));
    }
    if joint.kind == JointKind::Fixed && joint.is_driven() {
        return Err(("kind", "is fixed and cannot be driven; leave frequency, motor_damping and friction out".into()));
    }
    if joint.motor_speed != DVec3::ZERO && joint.frequency > 0.0 {
        let message = "and a frequency do not go together: a spring holds a target, a motor a speed";
        return Err(("motor_speed", message.into()));
    }
    if joint.motor_speed != DVec3::ZERO && joint.motor_damping == 0.0 {
        return Err(("motor_speed", "needs a motor_damping: the rate at which it is reached, per second".into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_moment_of_a_body_is_greater_than_the_other_two_together() {
        assert_eq!(inertia_fault(&[1.0, 1.0, 2.0]), None);
        assert!(inertia_fault(&[1.0, 1.0, 2.1]).is_some());
        assert!(inertia_fault(&[1.0, 1.0]).is_some() && inertia_fault(&[1.0, 1.0, 0.0]).is_some());
    }
}
