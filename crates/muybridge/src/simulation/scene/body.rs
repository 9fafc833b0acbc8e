//! Rigid bodies, joints between things, and points wired by hand.

use core::f64::consts::PI;

use glam::DVec3;

use super::slot::NumberRange::{Any, NotNegative, Positive, PositiveOrInfinite, Share, Speed};
use super::slot::{PartPath, choice};
use super::thing::thing;

/// A rigid body: its own keys, then those that all have.
macro_rules! rigid {
    ($(#[doc = $about:literal])* $name:ident $kind:literal required [$($required:literal),*]
     { $($(#[doc = $doc:literal])* $field:ident: $type:ty = $default:expr => $slot:ident $(($($argument:expr),+))?,)+ }) => {
        thing! {
            $(#[doc = $about])*
            $name $kind required [$($required),*] {
                /// By which others speak of it.
                name: String = String::new() => Name,
                $($(#[doc = $doc])* $field: $type = $default => $slot $(($($argument),+))?,)+
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
                /// Each in an orientation of chance.
                tumble: bool = false => Flag,
                /// Coulomb friction.
                friction: f64 = 0.5 => Number(NotNegative),
                /// Share of the normal speed that comes back at a hit.
                restitution: f64 = 0.2 => Number(Share),
                /// Rate at which velocities decay, per second.
                drag: f64 = 0.0 => Number(NotNegative),
                /// Rolling resistance against obstacles, metres.
                rolling: f64 = 0.0 => Number(NotNegative),
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
    Tetrahedron "tetrahedron" required ["name"] {
        /// Length of its edges, metres.
        size: f64 = 0.3 => Number(Positive),
        /// Four corners about its middle, metres; left out: a regular one of that size.
        corners: Vec<DVec3> = Vec::new() => Vectors,
    }
}

rigid! {
    /// A body of any triangle mesh: every connected piece of it touches as its convex hull.
    MeshBody "body" required ["name", "mesh"] {
        /// `skittle`, `stool`, or an OBJ, glTF or GLB with the mesh, relative to the scene.
        mesh: String = String::from("skittle") => Text,
        /// Every length of the mesh times this.
        scale: f64 = 1.0 => Number(Positive),
        /// Whether it weighs as the hulls of its pieces, not as the inside of the mesh: for meshes that are not closed.
        weighs_as_hull: bool = false => Flag,
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
    Joint "joint" required ["name", "of", "at"] {
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
        range: [f64; 2] = [-PI, PI] => Angles,
        /// Greatest swing of the axis of a ball, radians.
        swing: f64 = PI => Angle(NotNegative),
        /// Radians per newton metre beyond the range; 0 is rigid.
        compliance: f64 = 0.0 => Number(NotNegative),
        /// Natural frequency of a spring that turns it to `target`, hertz; 0: none.
        frequency: f64 = 0.0 => Number(NotNegative),
        /// Damping ratio of that spring, 1 is critical.
        damping_ratio: f64 = 1.0 => Number(NotNegative),
        /// Where the spring turns it, against the start: axis times angle, radians; of a hinge, what of it is along the axis.
        target: DVec3 = DVec3::ZERO => Turn,
        /// Rate at which the two take on `speed` against each other, per second; 0: not at all.
        drag: f64 = 0.0 => Number(NotNegative),
        /// How fast `drag` turns it, radians per second; of a hinge, what of it is along the axis.
        speed: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Greatest moment of spring and drag about each axis, newton metres; left out: any.
        most: Option<f64> = None => Optional(Positive),
        /// Moment of dry friction, newton metres; of particles, none.
        friction: f64 = 0.0 => Number(NotNegative),
    }
}

impl Joint {
    /// Whether something turns or brakes it.
    pub fn is_driven(&self) -> bool {
        self.frequency > 0.0 || self.drag > 0.0 || self.friction > 0.0
    }
}

thing! {
    /// Points, sticks and triangles by hand.
    Points "points" required ["name", "positions"] {
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
        drag: f64 = 0.0 => Number(NotNegative),
        /// Whether it touches itself.
        touches_itself: bool = false => Flag,
    }
}

thing! {
    /// Two triangles made by hand whose relative orientation stays near that of the start.
    Limit "limit" required ["name", "of", "first", "second"] {
        /// By which reports speak of it.
        name: String = String::new() => Name,
        /// The points they belong to.
        of: PartPath = PartPath::default() => Part,
        /// Index of one triangle.
        first: u32 = 0 => Count([0, u32::MAX]),
        /// Index of the other.
        second: u32 = 1 => Count([0, u32::MAX]),
        /// Greatest angle away from the start, radians.
        most: f64 = PI / 3.0 => Angle(NotNegative),
        /// Radians per newton metre; 0 is rigid.
        compliance: f64 = 0.0 => Number(NotNegative),
        /// Rate at which relative rotation decays, per second.
        friction: f64 = 0.0 => Number(NotNegative),
        /// Relative angular speed below which it sticks, radians per second.
        stick: f64 = 0.0 => Number(NotNegative),
    }
}
