//! Rigid bodies, and joints between things.

use core::f64::consts::{PI, TAU};

use glam::{DMat3, DQuat, DVec3};

use super::check::{Names, WrongKey};
use super::slot::NumberRange::{Any, NotNegative, Positive, Share, Speed};
use super::slot::{Choice, PartPath, choice};
use super::thing::{AttachPoint, thing};
use crate::rigid::joint::Curve;

/// Defines a rigid thing: its own keys, then the keys that all rigid things share.
macro_rules! rigid {
    ($(#[doc = $about:literal])* $name:ident $kind:literal required [$($required:literal),*] $(checked by $check:path)?
     { $($(#[doc = $doc:literal])* $field:ident $(($old:literal))?: $type:ty = $default:expr => $slot:ident $(($($argument:expr),+))?,)+ }) => {
        thing! {
            $(#[doc = $about])*
            $name $kind of Bodies required [$($required),*] checked by Self::check_rigid {
                /// Name of the thing.
                name: String = String::new() => Name,
                $($(#[doc = $doc])* $field $(($old))?: $type = $default => $slot $(($($argument),+))?,)+
                /// Mass, kilograms.
                mass: f64 = 1.0 => Number(Positive),
                /// Principal moments in the body's own axes, kg m²; left out: computed from the shape.
                inertia: Vec<f64> = Vec::new() => Numbers(NotNegative),
                /// Position of the center, meters; of a mesh, of its origin.
                position: DVec3 = DVec3::ZERO => Vector(Any),
                /// Rotation, axis times angle, radians.
                rotation: DVec3 = DVec3::ZERO => Turn,
                /// Velocity of the center of mass, meters per second.
                velocity: DVec3 = DVec3::ZERO => Vector(Speed),
                /// Angular velocity, radians per second.
                spin: DVec3 = DVec3::ZERO => Vector(Speed),
                /// Number of copies along x, y and z.
                grid: [u32; 3] = [1; 3] => Grid,
                /// Distance between copies, meters.
                spacing: DVec3 = DVec3::ONE => Vector(Any),
                /// Gives each a random orientation.
                random_orientation ("tumble"): bool = false => Flag,
                /// Coulomb friction.
                friction: f64 = 0.5 => Number(NotNegative),
                /// Restitution: share of the normal speed that an impact returns.
                restitution: f64 = 0.2 => Number(Share),
                /// Damping: rate at which velocities decay, per second.
                damping ("drag"): f64 = 0.0 => Number(NotNegative),
                /// Rolling resistance against obstacles, meters.
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
        /// Side lengths, meters.
        size: DVec3 = DVec3::splat(0.3) => Vector(Positive),
    }
}

rigid! {
    /// A ball.
    Ball "ball" required ["name"] {
        /// Radius, meters.
        radius: f64 = 0.15 => Number(Positive),
    }
}

rigid! {
    /// A capsule along its y axis.
    Capsule "capsule" required ["name"] {
        /// Radius, meters.
        radius: f64 = 0.1 => Number(Positive),
        /// Distance between the centers of the caps, meters.
        length: f64 = 0.4 => Number(Positive),
    }
}

rigid! {
    /// A regular tetrahedron, or one with given corners.
    Tetrahedron "tetrahedron" required ["name"] checked by check_corners {
        /// Length of its edges, meters.
        size: f64 = 0.3 => Number(Positive),
        /// Four corners about the center, meters; left out: a regular tetrahedron of `size`.
        corners: Vec<DVec3> = Vec::new() => Vectors,
    }
}

rigid! {
    /// A body of any triangle mesh; each connected piece of the mesh collides as its convex hull.
    MeshBody "body" required ["name", "mesh"] checked by check_mesh {
        /// Mesh: `skittle`, `stool`, or an OBJ, glTF or GLB file, relative to the scene.
        mesh: String = String::from("skittle") => Text,
        /// Scale of the mesh.
        scale: f64 = 1.0 => Number(Positive),
        /// Whether mass properties are those of the convex hulls, not of the inside: for meshes that are not closed.
        mass_from_hull ("weighs_as_hull"): bool = false => Flag,
    }
}

choice! {
    /// Kind of a joint.
    JointKind {
        /// Ball joint, with swing and twist limits.
        #[default]
        Ball = "ball",
        /// Hinge about the axis, with angle limits.
        Hinge = "hinge",
        /// Fixed joint.
        Fixed = "fixed",
        /// Universal joint: turns about `axis` of what it is held to and about `second_axis` of the thing; rigid methods.
        Universal = "universal",
        /// Slider along the axis, without turning, with travel limits; rigid methods.
        Slider = "slider",
        /// Distance between `at` on the thing and `to_at`, with length limits; rigid methods.
        Distance = "distance",
        /// Bead on a curve, or on the circle round `to_at` about `axis`; rigid methods.
        Curve = "curve",
        /// Generic joint: what `locked` names is locked, along `axis`, `second_axis` and the third across them; rigid methods.
        Generic = "generic",
    }
}

choice! {
    /// Degree of freedom that a generic joint locks.
    JointLock {
        /// Translation along the axis.
        #[default]
        X = "x",
        /// Translation along the second axis.
        Y = "y",
        /// Translation along the third axis.
        Z = "z",
        /// Rotation about the axis.
        TurnX = "turn_x",
        /// Rotation about the second axis.
        TurnY = "turn_y",
        /// Rotation about the third axis.
        TurnZ = "turn_z",
    }
}

impl JointLock {
    /// All of them, in order.
    pub const ALL: [Self; 6] = [Self::X, Self::Y, Self::Z, Self::TurnX, Self::TurnY, Self::TurnZ];
}

thing! {
    /// A joint between two things, or between a thing and the world. Its frame is that of the start of the run.
    Joint "joint" required ["name", "of", "at"] checked by check_joint {
        /// Name of the limit in reports.
        name: String = String::new() => Name,
        /// Kind of the joint.
        kind: JointKind = JointKind::Ball => Choice,
        /// The thing or bone that the joint holds.
        of: PartPath = PartPath::default() => Part,
        /// The thing or bone it is held to; left out: the world.
        to: PartPath = PartPath::default() => Part,
        /// Position of the joint, meters in the world at the start.
        at: DVec3 = DVec3::ZERO => Vector(Any),
        /// Axis of a hinge or slider, twist axis of a ball, in the world at the start.
        axis: DVec3 = DVec3::X => Vector(Any),
        /// Second axis of a universal or generic joint, across the first; left out: any.
        second_axis: DVec3 = DVec3::ZERO => Vector(Any),
        /// Position of the other end of a distance on what it is held to, or center of a bead's circle, meters in the world at the start; left out: `at`.
        to_at: Option<DVec3> = None => Place,
        /// Degrees of freedom that a generic joint locks.
        locked: Vec<JointLock> = Vec::new() => Choices,
        /// Points of the curve of a bead, meters in the world at the start; it goes through all of them, and on straight behind the last.
        curve: Vec<DVec3> = Vec::new() => Vectors,
        /// Whether the curve leads back to its first point.
        closed: bool = false => Flag,
        /// Limits of a hinge's angle (together at most a whole turn), or a ball's twist, relative to the start: radians.
        angle_limits ("range"): [f64; 2] = [-PI, PI] => Angles,
        /// Limit of a ball's swing, radians.
        swing_limit ("swing"): f64 = PI => Angle(NotNegative),
        /// Least travel of a slider along the axis from its start, meters; left out: any.
        min_travel: Option<f64> = None => Optional(Any),
        /// Greatest travel of a slider along the axis from its start, meters; left out: any.
        max_travel: Option<f64> = None => Optional(Any),
        /// Least length of a distance, meters; with neither length it is that at the start.
        min_length: Option<f64> = None => Optional(NotNegative),
        /// Greatest length of a distance, meters.
        max_length: Option<f64> = None => Optional(Positive),
        /// Radians per newton meter beyond the limits; 0 is rigid.
        compliance: f64 = 0.0 => Number(NotNegative),
        /// Natural frequency of a spring towards `target`, hertz, in the pose of the start with all other joints locked, or free for a slider; 0: no spring.
        frequency: f64 = 0.0 => Number(NotNegative),
        /// Damping ratio of that spring, 1 is critical.
        damping_ratio: f64 = 1.0 => Number(NotNegative),
        /// Rest orientation of the spring, relative to the start: axis times angle, radians; a hinge takes the part along its axis.
        target: DVec3 = DVec3::ZERO => Turn,
        /// Travel to which that spring pulls a slider, meters.
        target_travel: f64 = 0.0 => Number(Any),
        /// Rate at which the two take on `motor_speed` against each other, per second; 0: not at all.
        motor_damping ("drag"): f64 = 0.0 => Number(NotNegative),
        /// Angular velocity to which `motor_damping` brings it, radians per second; of a hinge, what of it is along the axis; of a slider, its velocity, meters per second.
        motor_speed ("speed"): DVec3 = DVec3::ZERO => Vector(Speed),
        /// Greatest moment of spring and motor about each axis, newton meters (of a slider: force, newtons); left out: any.
        max_torque ("most"): Option<f64> = None => Optional(Positive),
        /// Moment of dry friction, newton meters (of a slider: force, newtons); ignored under particles.
        friction: f64 = 0.0 => Number(NotNegative),
    }
}

impl Joint {
    /// Orientation of the joint's frame at the start: x along the axis, y along the second.
    pub(crate) fn frame(&self) -> DQuat {
        let has_axis = !matches!(self.kind, JointKind::Fixed | JointKind::Distance);
        let x = self.axis.try_normalize().filter(|_| has_axis).unwrap_or(DVec3::X);
        match self.second_axis.reject_from(x).try_normalize() {
            Some(y) if matches!(self.kind, JointKind::Universal | JointKind::Generic) => {
                DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
            }
            _ => DQuat::from_rotation_arc(DVec3::X, x),
        }
    }

    /// Place of the joint on what it is held to, meters in the world at the start.
    pub(crate) fn other_end(&self) -> DVec3 {
        let has_end = self.kind == JointKind::Distance || self.kind == JointKind::Curve && self.curve.is_empty();
        self.to_at.filter(|_| has_end).unwrap_or(self.at)
    }

    /// The wire of a bead, in the frame of the joint.
    pub(crate) fn wire(&self) -> Curve {
        if self.curve.is_empty() {
            return Curve::Circle { radius: self.at.distance(self.other_end()) };
        }
        let turn = self.frame();
        let points = self.curve.iter().map(|point| turn.conjugate() * (*point - self.at)).collect();
        Curve::Spline { points, is_closed: self.closed }
    }

    /// Least and greatest length of a distance, meters.
    pub(crate) fn lengths(&self) -> [f64; 2] {
        match (self.min_length, self.max_length) {
            (None, None) => [self.at.distance(self.other_end()); 2],
            (least, most) => [least.unwrap_or(0.0), most.unwrap_or(f64::INFINITY)],
        }
    }

    /// Keys that are set and have no effect on a joint of this kind, or without another key: which, and why.
    pub(crate) fn idle_keys(&self) -> impl Iterator<Item = (&'static str, String)> {
        use JointKind::{Ball, Curve, Distance, Generic, Hinge, Slider, Universal};
        let usual = Self::default();
        let turns_about_axis = self.kind == Curve && self.curve.is_empty();
        let keys: [(_, bool, &[JointKind]); 12] = [
            ("axis", self.axis != usual.axis && !turns_about_axis, &[Ball, Hinge, Universal, Slider, Generic]),
            ("second_axis", self.second_axis != usual.second_axis, &[Universal, Generic]),
            ("locked", !self.locked.is_empty(), &[Generic]),
            ("to_at", self.to_at.is_some() && !turns_about_axis, &[Distance]),
            ("curve", !self.curve.is_empty(), &[Curve]),
            ("closed", self.closed, &[Curve]),
            ("angle_limits", self.angle_limits != usual.angle_limits, &[Ball, Hinge]),
            ("swing_limit", self.swing_limit != usual.swing_limit, &[Ball]),
            ("travel limits", self.min_travel.is_some() || self.max_travel.is_some(), &[Slider]),
            ("length limits", self.min_length.is_some() || self.max_length.is_some(), &[Distance]),
            ("target", self.target != usual.target, &[Ball, Hinge]),
            ("target_travel", self.target_travel != usual.target_travel, &[Slider]),
        ];
        let kind = self.kind;
        let word = Choice::word(&kind);
        let of_kind = keys.into_iter().filter(move |(_, is_set, kinds)| *is_set && !kinds.contains(&kind));
        let limits = match kind {
            Ball => self.is_limited() || self.swing_limit < PI,
            Hinge => self.is_limited(),
            _ => false,
        };
        let (has_spring, has_motor) = (self.frequency > 0.0, self.motor_damping > 0.0);
        let can_turn_to = matches!(kind, Ball | Hinge);
        let alone = [
            ("compliance", self.compliance > 0.0 && !limits, "without limits of angles"),
            (
                "max_torque",
                self.max_torque.is_some() && !has_spring && !has_motor,
                "without frequency or motor_damping",
            ),
            ("damping_ratio", self.damping_ratio != usual.damping_ratio && !has_spring, "without frequency"),
            ("target", can_turn_to && self.target != usual.target && !has_spring, "without frequency"),
            (
                "target_travel",
                kind == Slider && self.target_travel != usual.target_travel && !has_spring,
                "without frequency",
            ),
        ];
        let alone = alone.into_iter().filter(|(_, is_idle, _)| *is_idle).map(|(key, _, why)| (key, why.to_owned()));
        of_kind.map(move |(key, ..)| (key, format!("on a joint of kind {word}"))).chain(alone)
    }

    /// Whether the joint has a spring, motor or friction.
    pub fn is_driven(&self) -> bool {
        self.frequency > 0.0 || self.motor_damping > 0.0 || self.friction > 0.0
    }

    /// Whether the angle of a hinge, or the twist of a ball, is limited.
    pub fn is_limited(&self) -> bool {
        self.angle_limits[1] - self.angle_limits[0] < TAU * (1.0 - 1e-12)
    }

    /// Angle halfway between the limits of a hinge that reach beyond half a turn, radians: its joint counts from there,
    /// since it knows angles within half a turn alone. 0 for other joints.
    pub(crate) fn middle(&self) -> f64 {
        let [least, most] = self.angle_limits;
        let reaches_beyond = least < -PI || most > PI;
        if reaches_beyond && self.is_limited() { 0.5 * (least + most) } else { 0.0 }
    }
}

/// Why these are no principal moments.
fn inertia_fault(moments: &[f64]) -> Option<String> {
    match *moments {
        [] => None,
        [a, b, c] if a > 0.0 && b > 0.0 && c > 0.0 => None,
        _ => Some("must be three principal moments above 0".into()),
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
        return if body.corners.is_empty() {
            Ok(())
        } else {
            Err(("corners", "must be four points, each [x, y, z]".into()))
        };
    };
    let (edges, size) = ([b - a, c - a, d - a], (b - a).length().max((c - a).length()));
    if edges[0].cross(edges[1]).dot(edges[2]).abs() > 1e-6 * size * size * size {
        return Ok(());
    }
    Err(("corners", "lie in one plane; move one out of it, for a body needs a volume".into()))
}

fn check_joint(joint: &Joint, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    names.attaches(&joint.of, AttachPoint::Bodies).map_err(|message| ("of", message))?;
    if !joint.to.is_none() {
        names.attaches(&joint.to, AttachPoint::Bodies).map_err(|message| ("to", message))?;
        if joint.to == joint.of {
            return Err(("to", "joins the thing to itself; name another thing, or leave it out".into()));
        }
    }
    let has_axis = !matches!(joint.kind, JointKind::Fixed | JointKind::Distance | JointKind::Curve);
    if has_axis && joint.axis.length() < 1e-9 {
        return Err(("axis", "must not be the zero vector".into()));
    }
    if joint.kind == JointKind::Ball && joint.angle_limits.iter().any(|angle| angle.abs() > PI) {
        return Err(("angle_limits", "of a ball must be from -180 to 180 degrees; only a hinge turns farther".into()));
    }
    let can_be_driven = matches!(joint.kind, JointKind::Ball | JointKind::Hinge | JointKind::Slider);
    if !can_be_driven && joint.is_driven() {
        let message = format!(
            "is {} and cannot be driven; remove frequency, motor_damping and friction, or make it a ball, hinge or slider",
            Choice::word(&joint.kind)
        );
        return Err(("kind", message));
    }
    check_kind(joint)?;
    if joint.motor_speed != DVec3::ZERO && joint.frequency > 0.0 {
        let message = "cannot be combined with frequency: a spring holds a target, a motor a speed; remove one of them";
        return Err(("motor_speed", message.into()));
    }
    if joint.motor_speed != DVec3::ZERO && joint.motor_damping == 0.0 {
        return Err(("motor_speed", "needs motor_damping, the rate in 1/s at which the speed is reached".into()));
    }
    Ok(())
}

/// Checks the keys that belong to the kind of a joint.
fn check_kind(joint: &Joint) -> Result<(), WrongKey> {
    match joint.kind {
        JointKind::Universal | JointKind::Generic => {
            let is_across = joint.second_axis == DVec3::ZERO || joint.second_axis.cross(joint.axis).length() > 1e-9;
            if !is_across {
                return Err(("second_axis", "is along the first; turn it across, or leave it out".into()));
            }
            if joint.kind == JointKind::Generic && joint.locked.is_empty() {
                let message = "names nothing; name what the joint locks, such as [\"x\", \"turn_z\"]";
                return Err(("locked", message.into()));
            }
        }
        JointKind::Slider => {
            if let (Some(least), Some(most)) = (joint.min_travel, joint.max_travel)
                && least > most
            {
                return Err(("min_travel", format!("is {least} m, above max_travel of {most} m; swap them")));
            }
        }
        JointKind::Distance => {
            let [least, most] = joint.lengths();
            if least > most {
                return Err(("min_length", format!("is {least} m, above max_length of {most} m; swap them")));
            }
            if most < 1e-9 {
                let message = "is where `at` is; set it to the other end, or set max_length, or use a ball joint";
                return Err(("to_at", message.into()));
            }
        }
        JointKind::Curve => {
            if joint.curve.is_empty() && joint.to_at.is_some() {
                return check_circle(joint);
            }
            if joint.curve.len() < 2 {
                let message = "needs at least two points; or leave it out for a circle, whose center is to_at";
                return Err(("curve", message.into()));
            }
            if joint.curve.windows(2).any(|two| two[0].distance(two[1]) < 1e-9) {
                return Err(("curve", "has the same point twice in a row; remove one".into()));
            }
            let curve = Curve::Spline { points: joint.curve.clone(), is_closed: joint.closed };
            let apart = curve.at(curve.nearest(joint.at))[0].distance(joint.at);
            if apart > 1e-3 {
                return Err((
                    "at",
                    format!("is {apart:.3} m beside the curve; it is where the bead begins, on the curve"),
                ));
            }
        }
        JointKind::Ball | JointKind::Hinge | JointKind::Fixed => {}
    }
    Ok(())
}

/// Checks the circle of a bead.
fn check_circle(joint: &Joint) -> Result<(), WrongKey> {
    let (arm, axis) = (joint.at - joint.other_end(), joint.axis.normalize_or_zero());
    if arm.length() < 1e-9 {
        return Err(("to_at", "is where `at` is; it is the center of the circle".into()));
    }
    if axis == DVec3::ZERO || arm.dot(axis).abs() > 1e-3 {
        return Err(("axis", "is not across the radius; the circle lies across it, and `at` on the circle".into()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_moments_are_three_above_0() {
        assert_eq!((inertia_fault(&[]), inertia_fault(&[1.0, 1.0, 5.0])), (None, None));
        assert!(inertia_fault(&[1.0, 1.0]).is_some() && inertia_fault(&[1.0, 1.0, 0.0]).is_some());
    }
}
