//! Points wired by hand, and limits between them.

use core::f64::consts::PI;

use glam::DVec3;

use super::check::{Names, WrongKey};
use super::slot::NumberRange::{Any, NotNegative, Positive, PositiveOrInfinite, Share, Speed};
use super::slot::{PartPath, choice};
use super::thing::thing;

thing! {
    /// Points, sticks and triangles by hand.
    Points "points" of Points required ["name", "positions"] checked by check_points {
        /// Name of the points.
        name: String = String::new() => Name,
        /// Positions, meters.
        positions: Vec<DVec3> = Vec::new() => Vectors,
        /// Velocities, meters per second, one per point; left out: at rest.
        velocities: Vec<DVec3> = Vec::new() => Vectors,
        /// Masses, kilograms, one per point or one for all; a point with inf is fixed.
        masses: Vec<f64> = vec![1.0] => Numbers(PositiveOrInfinite),
        /// Points that are fixed.
        fixed: Vec<u32> = Vec::new() => Indices,
        /// Sticks: pairs of points at constant distance.
        sticks: Vec<[u32; 2]> = Vec::new() => Pairs,
        /// Strings: pairs of points at most their initial distance apart, and at least `slack` times it.
        strings: Vec<[u32; 2]> = Vec::new() => Pairs,
        /// Least length of a string, as a share of its length.
        slack: f64 = 0.0 => Number(Share),
        /// Pairs of points that keep at least a share of their initial distance.
        apart: Vec<[u32; 2]> = Vec::new() => Pairs,
        /// Those shares, one per pair or one for all.
        apart_shares: Vec<f64> = vec![1.0] => Numbers(Positive),
        /// Triangles: triples of points; their sides are sticks.
        triangles: Vec<[u32; 3]> = Vec::new() => Triples,
        /// Limbs of two bones: hip, knee and ankle, or shoulder, elbow and wrist. The JSON has the frames of both bones.
        limbs: Vec<[u32; 3]> = Vec::new() => Triples,
        /// Axes about which the lower bones bend by the right-hand rule, in the world at the start, one per limb or one for all.
        limb_axes: Vec<DVec3> = vec![DVec3::X] => Vectors,
        /// Compliance of sticks and strings, meters per newton; 0 is rigid. In one pass, those in a row give way by about h² / 2 α m more,
        /// where the points have the mass m and a substep takes h: two of 10 mm/N under 1 kg each by 1.4 % in mode jakobsen. Three times
        /// that share in mode rosen. A second pass leaves a thousandth of it, in rosen a fifteenth; four passes less than 1e-4.
        compliance: f64 = 0.0 => Number(NotNegative),
        /// Share of their error that a pass removes from sticks and strings without compliance.
        share: f64 = 1.0 => Number(Share),
        /// Iterations over these points' constraints per substep; 0: `constraint_iterations` of the solver.
        iterations: u32 = 0 => Count([0, 1000]),
        /// Half the thickness of sticks and triangles, meters.
        radius: f64 = 0.01 => Number(Positive),
        /// Coulomb friction.
        friction: f64 = 0.5 => Number(NotNegative),
        /// Restitution: share of the normal speed that an impact returns.
        restitution: f64 = 0.0 => Number(Share),
        /// Damping: rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.0 => Number(NotNegative),
        /// Whether the points collide with each other.
        self_collision ("touches_itself"): bool = false => Flag,
    }
}

choice! {
    /// Kind of a limit.
    LimitKind {
        /// Relative orientation of two triangles.
        #[default]
        Triangles = "triangles",
        /// Angle at a point between two others.
        Angle = "angle",
        /// Plane on one side of which points stay.
        Plane = "plane",
    }
}

thing! {
    /// A limit on points made by hand: on the relative orientation of two triangles, on an angle, or by a plane.
    Limit "limit" required ["name", "of"] checked by check_limit {
        /// Name of the limit.
        name: String = String::new() => Name,
        /// Kind of the limit.
        kind: LimitKind = LimitKind::Triangles => Choice,
        /// The points that it limits.
        of: PartPath = PartPath::default() => Part,
        /// Index of one triangle.
        first: u32 = 0 => Count([0, u32::MAX]),
        /// Index of the other triangle.
        second: u32 = 1 => Count([0, u32::MAX]),
        /// Points of an angle: the one at its corner and the two in its directions. Of a plane: those that stay on its side.
        points: Vec<u32> = Vec::new() => Indices,
        /// Greatest angle of two triangles from their relative orientation at the start, radians.
        max_angle ("most"): f64 = PI / 3.0 => Angle(NotNegative),
        /// Least and greatest angle at the corner, radians from 0 to π.
        angle_limits: [f64; 2] = [0.0, PI] => Angles,
        /// Normal of a plane, towards the side of the points; of any length.
        normal: DVec3 = DVec3::Y => Vector(Any),
        /// Distance of the plane from the origin along its normal, meters.
        offset: f64 = 0.0 => Number(Any),
        /// Whether the points stay in the plane.
        both_sides: bool = false => Flag,
        /// Compliance of an angle or of triangles, radians per newton meter; 0 is rigid.
        compliance: f64 = 0.0 => Number(NotNegative),
        /// Share of the excess of an angle or of triangles that a pass removes without compliance.
        share: f64 = 1.0 => Number(Share),
        /// Damping: rate at which the relative rotation of triangles decays, per second.
        friction: f64 = 0.0 => Number(NotNegative),
        /// Relative angular speed below which triangles stick, radians per second.
        stick: f64 = 0.0 => Number(NotNegative),
    }
}

impl Points {
    /// Keys that are set and have no effect.
    pub(super) fn idle_keys(&self) -> impl Iterator<Item = &'static str> {
        let usual = Self::default();
        let keys = [
            ("slack", self.slack != usual.slack && self.strings.is_empty()),
            ("apart_shares", self.apart_shares != usual.apart_shares && self.apart.is_empty()),
            ("limb_axes", self.limb_axes != usual.limb_axes && self.limbs.is_empty()),
            ("share", self.share != usual.share && self.compliance > 0.0),
        ];
        keys.into_iter().filter(|(_, is_idle)| *is_idle).map(|(key, _)| key)
    }
}

impl Limit {
    /// Keys that are set and have no effect on a limit of this kind.
    pub(super) fn idle_keys(&self) -> impl Iterator<Item = &'static str> {
        use LimitKind::{Angle, Plane, Triangles};
        let (usual, kind) = (Self::default(), self.kind);
        let keys: [(_, bool, &[LimitKind]); 12] = [
            ("first", self.first != usual.first, &[Triangles]),
            ("second", self.second != usual.second, &[Triangles]),
            ("points", !self.points.is_empty(), &[Angle, Plane]),
            ("max_angle", self.max_angle != usual.max_angle, &[Triangles]),
            ("angle_limits", self.angle_limits != usual.angle_limits, &[Angle]),
            ("normal", self.normal != usual.normal, &[Plane]),
            ("offset", self.offset != usual.offset, &[Plane]),
            ("both_sides", self.both_sides, &[Plane]),
            ("compliance", self.compliance > 0.0, &[Triangles, Angle]),
            ("share", self.share != usual.share, if self.compliance > 0.0 { &[] } else { &[Triangles, Angle] }),
            ("friction", self.friction > 0.0, &[Triangles]),
            ("stick", self.stick > 0.0, &[Triangles]),
        ];
        keys.into_iter().filter(move |(_, is_set, kinds)| *is_set && !kinds.contains(&kind)).map(|(key, ..)| key)
    }
}

fn check_points(points: &Points, _: usize, _: &Names<'_>) -> Result<(), WrongKey> {
    let count = points.positions.len();
    if count == 0 {
        return Err(("positions", "must hold at least one point: [[x, y, z]]".into()));
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
    if points.apart_shares.len() != 1 && points.apart_shares.len() != points.apart.len() {
        let (pairs, shares) = (points.apart.len(), points.apart_shares.len());
        return Err((
            "apart_shares",
            format!("must be one for all or one for each of the {pairs} pairs, not {shares}"),
        ));
    }
    check_limb_axes(points)?;
    let lists: [(&'static str, Vec<u32>); 6] = [
        ("fixed", points.fixed.clone()),
        ("sticks", points.sticks.concat()),
        ("strings", points.strings.concat()),
        ("apart", points.apart.concat()),
        ("triangles", points.triangles.concat()),
        ("limbs", points.limbs.concat()),
    ];
    for (key, indices) in lists {
        if let Some(index) = indices.iter().find(|&&index| index as usize >= count) {
            return Err((key, format!("names point {index}, but there are {count} points, counted from 0")));
        }
    }
    let place = |index: u32| points.positions[index as usize];
    let short = points.sticks.iter().chain(&points.strings).find(|[a, b]| place(*a) == place(*b));
    short.map_or(Ok(()), |[a, b]| {
        Err(("sticks", format!("has one of length zero: points {a} and {b} are at the same place")))
    })
}

fn check_limb_axes(points: &Points) -> Result<(), WrongKey> {
    let (limbs, axes) = (points.limbs.len(), points.limb_axes.len());
    if axes != 1 && axes != limbs {
        return Err(("limb_axes", format!("must be one for all or one for each of the {limbs} limbs, not {axes}")));
    }
    if points.limb_axes.iter().any(|axis| axis.length() < 1e-9) {
        return Err(("limb_axes", "must not hold the zero vector".into()));
    }
    Ok(())
}

fn check_limit(limit: &Limit, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    names.is_a::<Points>(&limit.of).map_err(|message| ("of", message))?;
    let of = names.scene.points.iter().find(|points| points.name == limit.of.thing());
    of.map_or(Ok(()), |of| match limit.kind {
        LimitKind::Triangles => check_triangles(limit, of),
        LimitKind::Angle => check_angle(limit, of),
        LimitKind::Plane => check_plane(limit, of),
    })
}

fn check_triangles(limit: &Limit, of: &Points) -> Result<(), WrongKey> {
    let count = of.triangles.len();
    for (key, triangle) in [("first", limit.first), ("second", limit.second)] {
        if triangle as usize >= count {
            let message =
                format!("names triangle {triangle}, but “{}” has {count} triangles, counted from 0", limit.of.0);
            return Err((key, message));
        }
    }
    if limit.first == limit.second {
        Err(("second", "is the same triangle as in the key first; name another".into()))
    } else {
        Ok(())
    }
}

fn check_angle(limit: &Limit, of: &Points) -> Result<(), WrongKey> {
    let [corner, a, b] = limit.points[..] else {
        let message = format!("must be three of an angle, the corner first, not {}", limit.points.len());
        return Err(("points", message));
    };
    if corner == a || a == b || b == corner {
        return Err(("points", format!("uses a point twice: [{corner}, {a}, {b}]")));
    }
    check_indices(limit, of)?;
    let places = [corner, a, b].map(|index| of.positions[index as usize]);
    if places[1] == places[0] || places[2] == places[0] {
        return Err(("points", "has two at the same place, so that the angle has no direction".into()));
    }
    let [least, most] = limit.angle_limits;
    if least < 0.0 || most > PI {
        return Err(("angle_limits", "must be from 0 to 180 degrees: the angle between two directions".into()));
    }
    Ok(())
}

fn check_plane(limit: &Limit, of: &Points) -> Result<(), WrongKey> {
    if limit.points.is_empty() {
        return Err(("points", "names none; name those that stay on the side of the plane".into()));
    }
    if limit.normal.length() < 1e-9 {
        return Err(("normal", "must not be the zero vector".into()));
    }
    check_indices(limit, of)
}

fn check_indices(limit: &Limit, of: &Points) -> Result<(), WrongKey> {
    let count = of.positions.len();
    let wrong = limit.points.iter().find(|&&index| index as usize >= count);
    wrong.map_or(Ok(()), |index| {
        Err(("points", format!("names point {index}, but “{}” has {count} points, counted from 0", limit.of.0)))
    })
}
