//! What is simulated: particles and everything that holds them together. Constant while the world steps.

use core::f64::consts::PI;
use core::ops::Range;

use glam::{DMat3, DQuat, DVec3};

use super::point::{Direction, Point};

/// Particles and constraints. Build it with plain pushes, or add ready objects (`rope`, `cloth`, `ragdoll` …);
/// `World::new` checks every index and number once.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Model {
    /// Where each particle starts, metres.
    pub positions: Vec<DVec3>,
    /// How fast each particle starts, metres per second; as many as positions.
    pub velocities: Vec<DVec3>,
    /// Kilograms, one per particle; infinite for one that nothing moves.
    pub masses: Vec<f64>,
    /// Distances between two particles: sticks, ropes, tethers.
    pub distances: Vec<Distance>,
    /// Rigid bodies of four particles.
    pub tetrahedra: Vec<Tetrahedron>,
    /// Ball joints: two points that coincide.
    pub attachments: Vec<BallJoint>,
    /// Limits of ball joints by swing and twist.
    pub swing_twists: Vec<SwingTwist>,
    /// Limits of the angle about a shared axis.
    pub hinges: Vec<Hinge>,
    /// Rosen's relative orientation of two triangles.
    pub orientations: Vec<Orientation>,
    /// What drives bodies against each other; may change between steps of a world.
    pub drives: Vec<Drive>,
    /// Angles at a particle between two others.
    pub angles: Vec<Angle>,
    /// Angles between two triangles with a common edge.
    pub bends: Vec<Bend>,
    /// Signed volumes of four particles.
    pub volumes: Vec<Volume>,
    /// Particles kept on one side of a plane.
    pub planes: Vec<Plane>,
    /// What of this may touch something.
    pub surfaces: Vec<Surface>,
    /// Parts that belong together, in order, each with a range of particles of its own.
    pub objects: Vec<Object>,
}

/// A part of a model: a rope, a cloth, a ragdoll, a body.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Object {
    /// Its particles.
    pub particles: Range<usize>,
    /// Passes over its constraints per substep (J38); `None`: as [`super::Settings::iterations`].
    pub iterations: Option<u32>,
    /// Whether its own surfaces touch each other (pairs that share a particle or a joint never do).
    pub touches_itself: bool,
    /// Coulomb friction of its surfaces.
    pub friction: f64,
    /// Share of the normal speed that comes back at a hit: 0 to 1.
    pub restitution: f64,
    /// Rate at which its velocities decay, per second.
    pub drag: f64,
    /// Rolling resistance of its bodies against obstacles, metres: a moment of at most this times the normal force brakes what rolls.
    /// Bodies that joints hold do not roll: friction acts on their cores.
    pub rolling: f64,
}

impl Object {
    /// One without friction, bounce, drag and rolling resistance, that does not touch itself and takes the passes of the settings.
    pub fn smooth(particles: Range<usize>) -> Self {
        Self {
            particles,
            iterations: None,
            touches_itself: false,
            friction: 0.0,
            restitution: 0.0,
            drag: 0.0,
            rolling: 0.0,
        }
    }
}

/// A distance between two particles: bilateral if `least == most`, else free between the two.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Distance {
    /// The two ends.
    pub particles: [usize; 2],
    /// Least length, metres.
    pub least: f64,
    /// Greatest length, metres; may be infinite.
    pub most: f64,
    /// Metres per newton; 0 is rigid.
    pub compliance: f64,
    /// Damping along the distance, N s/m; acts only on compliant distances.
    pub damping: f64,
    /// Share of the error taken away per pass (J39); 1 but for the looks of the source.
    pub share: f64,
}

/// A rigid body of four particles: its six edges keep the lengths they have at rest. (J17, J23)
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tetrahedron {
    /// The four particles; not in one plane.
    pub particles: [usize; 4],
    /// Where they stand at rest in the frame of the body, metres.
    pub rest: [DVec3; 4],
}

/// Two points of bodies that coincide, or one that stays at a place. Linear in the particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BallJoint {
    /// One point.
    pub a: Point,
    /// What it coincides with.
    pub b: Anchor,
    /// Metres per newton; 0 is rigid.
    pub compliance: f64,
}

/// The other end of an attachment.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Anchor {
    /// A point of another body.
    Point(Point),
    /// A place in the world, metres.
    Place(DVec3),
}

/// Swing of an axis of `b` inside an elliptic cone about the same axis of `a`, and twist about it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SwingTwist {
    /// Axes of the parent: the twist axis first, right-handed.
    pub a: [Direction; 3],
    /// The same axes of the child; equal to the parent's in the middle of the range.
    pub b: [Direction; 3],
    /// Greatest swing about the second and about the third axis, radians (0 to π); where these and the twist are all that there is, the
    /// joint has only friction.
    pub swing: [f64; 2],
    /// Least and greatest twist about the first axis, radians (−π to π).
    pub twist: [f64; 2],
    /// Radians per newton metre; 0 is rigid.
    pub compliance: f64,
    /// Rate at which the two bodies by themselves stop turning against each other, per second; 0 for none. Dry friction takes 0.05 of it (rad/s²)
    /// from the angular speed of the limb that hangs on them, so that it comes to rest.
    pub friction: f64,
}

impl Model {
    /// The swing-twists that limit something.
    pub(crate) fn swing_twist_limits(&self) -> impl Iterator<Item = &SwingTwist> {
        self.swing_twists.iter().filter(|joint| !joint.is_open())
    }

    /// The hinges that limit something.
    pub(crate) fn hinge_limits(&self) -> impl Iterator<Item = &Hinge> {
        self.hinges.iter().filter(|joint| !joint.is_open())
    }
}

impl SwingTwist {
    /// Whether it limits nothing.
    pub fn is_open(&self) -> bool {
        self.swing.iter().all(|&most| most >= PI) && is_a_whole_turn(self.twist)
    }
}

/// Limits of the angle of `b` against `a` about a common axis. That the axes agree is for attachments or shared
/// particles to say.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hinge {
    /// Axes of the parent: the hinge axis first, right-handed.
    pub a: [Direction; 3],
    /// The same axes of the child, equal to the parent's at angle 0.
    pub b: [Direction; 3],
    /// Least and greatest angle, radians (−π to π); where they are all that there is, the joint has only friction.
    pub range: [f64; 2],
    /// Radians per newton metre; 0 is rigid.
    pub compliance: f64,
    /// Rate at which the two bodies by themselves stop turning against each other, per second; 0 for none. Dry friction takes 0.05 of it (rad/s²)
    /// from the angular speed of the limb that hangs on them, so that it comes to rest.
    pub friction: f64,
}

impl Hinge {
    /// Whether it limits nothing.
    pub fn is_open(&self) -> bool {
        is_a_whole_turn(self.range)
    }
}

fn is_a_whole_turn([least, greatest]: [f64; 2]) -> bool {
    least <= -PI && greatest >= PI
}

/// A spring and damper that turn one body of four particles against another.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Drive {
    /// Axes of the parent, right-handed.
    pub a: [Direction; 3],
    /// Axes of the child.
    pub b: [Direction; 3],
    /// The child's axes in the parent's where it drives to.
    pub target: DQuat,
    /// Rate of that turn, radians per second, the parent's axes.
    pub rate: DVec3,
    /// Inertia that a turn of the joint feels, kg m², world axes: by it frequency and damping become stiffness and damper. Symmetric; one
    /// that has no inverse drives nothing.
    pub inertia: DMat3,
    /// Natural frequency, hertz; 0: no spring.
    pub frequency: f64,
    /// 1 is critical.
    pub damping_ratio: f64,
    /// Rate at which the two bodies take on `rate` against each other, per second; 0: none.
    pub drag: f64,
    /// Greatest moment, newton metres; may be infinite.
    pub most: f64,
}

/// Two triangles whose relative orientation stays within an angle of a stored one (R9–R14), with angular friction
/// (R15, R16).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Orientation {
    /// The first triangle.
    pub first: [usize; 3],
    /// The second.
    pub second: [usize; 3],
    /// The stored relative orientation `R2ᵀ R1`.
    pub middle: DQuat,
    /// Greatest angle away from it, radians; the source has 60°.
    pub most: f64,
    /// Radians per newton metre; 0 is rigid.
    pub compliance: f64,
    /// Rate at which relative rotation decays, per second (dynamic friction); 0 for none.
    pub friction: f64,
    /// Relative angular speed below which the joint sticks, radians per second (static friction); 0 for none.
    pub stick: f64,
}

/// The angle at `particles[0]` between the directions to the other two stays in a range (J28).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Angle {
    /// Apex, then the two ends.
    pub particles: [usize; 3],
    /// Least and greatest angle, radians (0 to π).
    pub range: [f64; 2],
    /// Radians per newton metre; 0 is rigid.
    pub compliance: f64,
}

/// The signed angle between triangles (a, b, c) and (b, a, d) over their common edge a–b keeps its value at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Bend {
    /// The edge, then the two opposite corners.
    pub particles: [usize; 4],
    /// Radians, 0 for flat.
    pub rest: f64,
    /// Radians per newton metre; 0 is rigid.
    pub compliance: f64,
}

/// The signed volume of four particles keeps its value.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Volume {
    /// The four particles.
    pub particles: [usize; 4],
    /// Cubic metres; positive for right-handed corners.
    pub rest: f64,
    /// m³ per (N/m²): 0 is rigid.
    pub compliance: f64,
}

/// `normal · x ≥ offset` for one particle, or equality (J29).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plane {
    /// The particle.
    pub particle: usize,
    /// Unit normal.
    pub normal: DVec3,
    /// Metres along the normal.
    pub offset: f64,
    /// Keep it in the plane instead of above.
    pub both_sides: bool,
}

/// What may touch something: a rounded point, segment or triangle fixed to particles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Surface {
    /// The rounded simplex.
    pub core: Core,
    /// Its thickness: metres from the core to the skin.
    pub radius: f64,
    /// Index into [`Model::objects`].
    pub object: usize,
    /// Surfaces of one object with the same part never touch each other (two capsules of one body).
    pub part: usize,
}

/// The inner simplex of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Core {
    /// A ball.
    Ball(Point),
    /// A capsule.
    Segment([Point; 2]),
    /// A rounded triangle.
    Triangle([Point; 3]),
}
