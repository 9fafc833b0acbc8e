//! The model of a particle world: particles and constraints. It is constant while the world steps.

use core::f64::consts::PI;
use core::ops::Range;

use glam::{DMat3, DQuat, DVec3};

use super::point::{Direction, Point};
use crate::collision::{Obstacle, ObstacleError, ObstacleShape};

/// Particles and constraints. Build it by pushing to the lists, or add ready objects (`rope`, `cloth`, `ragdoll` …);
/// `World::new` checks every index and number once.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Model {
    /// Initial position of each particle, meters.
    pub positions: Vec<DVec3>,
    /// Initial velocity of each particle, meters per second; as many as positions.
    pub velocities: Vec<DVec3>,
    /// Mass of each particle, kilograms; infinite for an immovable particle.
    pub masses: Vec<f64>,
    /// Distance constraints between two particles: sticks, ropes, tethers.
    pub distances: Vec<Distance>,
    /// Rigid bodies of four particles.
    pub tetrahedra: Vec<Tetrahedron>,
    /// Ball joints: pairs of points that coincide.
    pub attachments: Vec<BallJoint>,
    /// Swing-twist limits of ball joints.
    pub swing_twists: Vec<SwingTwist>,
    /// Angle limits of hinges.
    pub hinges: Vec<Hinge>,
    /// Relative orientations of two triangles (Rosen).
    pub orientations: Vec<Orientation>,
    /// Joint drives between bodies; may change between steps of a world.
    pub drives: Vec<Drive>,
    /// Angle limits at a particle between two others.
    pub angles: Vec<Angle>,
    /// Bending constraints between two triangles with a common edge.
    pub bends: Vec<Bend>,
    /// Volume constraints of four particles.
    pub volumes: Vec<Volume>,
    /// Plane constraints of single particles.
    pub planes: Vec<Plane>,
    /// Colliders of the model.
    pub surfaces: Vec<Surface>,
    /// Shapes of the colliders that are solids.
    pub solids: Vec<Solid>,
    /// Objects in order, each with a range of particles of its own.
    pub objects: Vec<Object>,
    /// Bodies that stand for those of another world: mass that joints connect to each, itself included, kilograms. They are
    /// the first tetrahedra, of the first particles, and touch neither obstacles nor each other.
    #[cfg_attr(feature = "serde", serde(default))]
    pub proxies: Vec<f64>,
}

/// An object of a model: a rope, a cloth, a ragdoll, a body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Object {
    /// Range of the object's particles.
    pub particles: Range<usize>,
    /// Passes over the object's constraints per substep (J38); `None`: [`super::Settings::iterations`].
    pub iterations: Option<u32>,
    /// Least passes in modes with multipliers, where `iterations` says nothing.
    pub least_iterations: u32,
    /// Whether colliders of the object touch each other (pairs that share a particle or a joint never do).
    pub touches_itself: bool,
    /// Coulomb friction coefficient of the object's colliders.
    pub friction: f64,
    /// Restitution: share of the normal speed that comes back at a hit, 0 to 1.
    pub restitution: f64,
    /// Damping rate of the object's velocities, 1/s.
    pub drag: f64,
    /// Rolling resistance of the object's bodies against obstacles, meters: the braking torque is at most this times
    /// the normal force. Bodies with joints do not roll: friction acts on their cores.
    pub rolling: f64,
}

impl Object {
    /// An object without friction, restitution, damping and rolling resistance, that does not touch itself and takes
    /// the passes of the settings.
    pub fn smooth(particles: Range<usize>) -> Self {
        Self {
            particles,
            iterations: None,
            least_iterations: 1,
            touches_itself: false,
            friction: 0.0,
            restitution: 0.0,
            drag: 0.0,
            rolling: 0.0,
        }
    }
}

/// A distance constraint between two particles: bilateral if `least == most`, otherwise free within the range.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distance {
    /// Indices of the two end particles.
    pub particles: [usize; 2],
    /// Least length, meters.
    pub least: f64,
    /// Greatest length, meters; may be infinite.
    pub most: f64,
    /// Compliance, meters per newton; 0 is rigid.
    pub compliance: f64,
    /// Damping along the distance, N s/m; acts only on compliant distances.
    pub damping: f64,
    /// Share of the error removed per pass (J39): 1, or less to reproduce the look of the source.
    pub share: f64,
}

/// A rigid body of four particles: its six edges keep their rest lengths. (J17, J23)
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tetrahedron {
    /// Indices of the four particles; they must not be coplanar.
    pub particles: [usize; 4],
    /// Rest positions in the body frame, meters.
    pub rest: [DVec3; 4],
}

/// A ball joint: two points of bodies coincide, or a point stays at a fixed place. Linear in the particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BallJoint {
    /// The first point.
    pub a: Point,
    /// The point or place that `a` coincides with.
    pub b: Anchor,
    /// Compliance, meters per newton; 0 is rigid.
    pub compliance: f64,
}

/// The other end of an attachment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Anchor {
    /// A point of another body.
    Point(Point),
    /// A fixed place in the world, meters.
    Place(DVec3),
}

/// Swing-twist limit: an axis of `b` swings inside an elliptic cone about the same axis of `a`, and its twist has a
/// range.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SwingTwist {
    /// Axes of the parent: the twist axis first, right-handed.
    pub a: [Direction; 3],
    /// Axes of the child in the same order; equal to the parent's in the middle of the range.
    pub b: [Direction; 3],
    /// Greatest swing about the second and about the third axis, radians (0 to π). If swing and twist are both full,
    /// the joint has only friction.
    pub swing: [f64; 2],
    /// Least and greatest twist about the first axis, radians (−π to π).
    pub twist: [f64; 2],
    /// Compliance, radians per newton meter; 0 is rigid.
    pub compliance: f64,
    /// Viscous friction: rate at which the relative rotation of the two bodies alone decays, 1/s; 0 for none. Dry
    /// friction decelerates the attached limb by 0.05 of it (rad/s²), so that the limb comes to rest.
    pub friction: f64,
}

impl Model {
    /// Number of particles of proxies, the first of the model.
    pub(crate) fn proxy_particles(&self) -> usize {
        4 * self.proxies.len()
    }

    /// The swing-twists with an effective limit.
    pub(crate) fn swing_twist_limits(&self) -> impl Iterator<Item = &SwingTwist> {
        self.swing_twists.iter().filter(|joint| !joint.is_open())
    }

    /// The hinges with an effective limit.
    pub(crate) fn hinge_limits(&self) -> impl Iterator<Item = &Hinge> {
        self.hinges.iter().filter(|joint| !joint.is_open())
    }
}

impl SwingTwist {
    /// Whether the joint has no limit: full swing and full twist.
    pub fn is_open(&self) -> bool {
        self.swing.iter().all(|&most| most >= PI) && is_a_whole_turn(self.twist)
    }
}

/// Hinge limit: range of the angle of `b` relative to `a` about a common axis. Attachments or shared particles must
/// keep the axes aligned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hinge {
    /// Axes of the parent: the hinge axis first, right-handed.
    pub a: [Direction; 3],
    /// Axes of the child in the same order, equal to the parent's at angle 0.
    pub b: [Direction; 3],
    /// Least and greatest angle, radians (−π to π). With a full turn, the joint has only friction.
    pub range: [f64; 2],
    /// Compliance, radians per newton meter; 0 is rigid.
    pub compliance: f64,
    /// Viscous friction: rate at which the relative rotation of the two bodies alone decays, 1/s; 0 for none. Dry
    /// friction decelerates the attached limb by 0.05 of it (rad/s²), so that the limb comes to rest.
    pub friction: f64,
}

impl Hinge {
    /// Whether the hinge has no limit: its range is a full turn.
    pub fn is_open(&self) -> bool {
        is_a_whole_turn(self.range)
    }
}

fn is_a_whole_turn([least, greatest]: [f64; 2]) -> bool {
    least <= -PI && greatest >= PI
}

/// A joint drive: a spring and damper that rotates one body of four particles relative to another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Drive {
    /// Axes of the parent, right-handed.
    pub a: [Direction; 3],
    /// Axes of the child, right-handed.
    pub b: [Direction; 3],
    /// Target orientation of the child in the parent's axes.
    pub target: DQuat,
    /// Angular velocity of the target, radians per second, parent axes.
    pub rate: DVec3,
    /// Inertia that the joint moves, kg m², parent axes: it converts frequency and damping ratio to stiffness and
    /// damping. Symmetric; a singular one turns the drive off.
    pub inertia: DMat3,
    /// Natural frequency, hertz; 0 for no spring.
    pub frequency: f64,
    /// Damping ratio; 1 is critical.
    pub damping_ratio: f64,
    /// Rate at which the relative rotation of the two bodies approaches `rate`, 1/s; 0 for none.
    pub drag: f64,
    /// Greatest torque, newton meters; may be infinite.
    pub most: f64,
    /// Target angle about the first axes of a hinge that turns to it through angle 0, also where the way through half a
    /// turn is shorter, because its limits lie there; radians. `None`: the shortest way.
    pub angle: Option<f64>,
}

/// Two triangles whose relative orientation stays within an angle of a stored one (R9–R14), with angular friction
/// (R15, R16).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Orientation {
    /// Particles of the first triangle.
    pub first: [usize; 3],
    /// Particles of the second triangle.
    pub second: [usize; 3],
    /// The stored relative orientation `R2ᵀ R1`.
    pub middle: DQuat,
    /// Greatest angle from `middle`, radians; the source has 60°.
    pub most: f64,
    /// Compliance, radians per newton meter; 0 is rigid.
    pub compliance: f64,
    /// Share of the excess that a pass removes without compliance: 1, or less to reproduce the look of the source (R12).
    pub share: f64,
    /// Rate at which relative rotation decays, per second (dynamic friction); 0 for none.
    pub friction: f64,
    /// Relative angular speed below which the joint sticks, radians per second (static friction); 0 for none.
    pub stick: f64,
}

/// Angle limit at `particles[0]` between the directions to the other two (J28).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Angle {
    /// Indices of the apex, then of the two ends.
    pub particles: [usize; 3],
    /// Least and greatest angle, radians (0 to π).
    pub range: [f64; 2],
    /// Compliance, radians per newton meter; 0 is rigid.
    pub compliance: f64,
    /// Share of the excess that a pass removes without compliance: 1, or less to reproduce the look of the source.
    pub share: f64,
}

/// Bending constraint: the signed angle between triangles (a, b, c) and (b, a, d) over their edge a–b keeps its rest
/// value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bend {
    /// Indices of the edge's particles, then of the two opposite corners.
    pub particles: [usize; 4],
    /// Rest angle, radians; 0 for flat.
    pub rest: f64,
    /// Compliance, radians per newton meter; 0 is rigid.
    pub compliance: f64,
}

/// Volume constraint: the signed volume of four particles keeps its rest value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Volume {
    /// Indices of the four particles.
    pub particles: [usize; 4],
    /// Rest volume, cubic meters; positive for right-handed corners.
    pub rest: f64,
    /// Compliance, m³ per (N/m²); 0 is rigid.
    pub compliance: f64,
}

/// Plane constraint: `normal · x ≥ offset` for one particle, or equality (J29).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plane {
    /// Index of the particle.
    pub particle: usize,
    /// Unit normal of the plane.
    pub normal: DVec3,
    /// Offset of the plane along the normal, meters.
    pub offset: f64,
    /// Whether the particle stays in the plane instead of on its positive side.
    pub both_sides: bool,
}

/// A collider: a rounded point, segment, triangle or solid fixed to particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Surface {
    /// The inner simplex or solid.
    pub core: Core,
    /// Rounding radius: distance from the core to the skin, meters.
    pub radius: f64,
    /// Index into [`Model::objects`].
    pub object: usize,
    /// Part number; colliders of one object with the same part never touch each other (two capsules of one body).
    pub part: usize,
}

/// The inner simplex or solid of a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Core {
    /// One point: a sphere.
    Ball(Point),
    /// A segment: a capsule.
    Segment([Point; 2]),
    /// A triangle: a rounded triangle.
    Triangle([Point; 3]),
    /// A solid of a rigid body.
    Solid {
        /// Index into [`Model::solids`].
        solid: usize,
        /// Frame of the solid, as points of one body: the origin, and the ends of its unit axes x, y and z.
        frame: [Point; 4],
    },
}

/// A convex solid in a frame of its own.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Solid {
    /// A box around the origin.
    Box {
        /// Half the sides, meters.
        half_extents: DVec3,
    },
    /// The convex hull of points.
    Hull {
        /// The points, meters; not all in one plane.
        points: Vec<DVec3>,
    },
}

impl Core {
    /// The points that fix it to particles.
    pub fn points(&self) -> &[Point] {
        match self {
            Self::Ball(point) => core::slice::from_ref(point),
            Self::Segment(ends) => ends,
            Self::Triangle(corners) => corners,
            Self::Solid { frame, .. } => frame,
        }
    }

    /// The points that fix it to particles.
    pub fn points_mut(&mut self) -> &mut [Point] {
        match self {
            Self::Ball(point) => core::slice::from_mut(point),
            Self::Segment(ends) => ends,
            Self::Triangle(corners) => corners,
            Self::Solid { frame, .. } => frame,
        }
    }
}

impl Solid {
    /// The shape for contact detection.
    pub(crate) fn shape(&self) -> Result<ObstacleShape, ObstacleError> {
        let obstacle = match self {
            &Self::Box { half_extents } => Obstacle::cuboid(DVec3::ZERO, DQuat::IDENTITY, half_extents),
            Self::Hull { points } => Obstacle::hull(points),
        };
        obstacle.map(|obstacle| obstacle.shape)
    }
}
