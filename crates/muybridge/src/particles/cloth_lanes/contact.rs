//! Contact of a sheet with half-spaces, spheres, capsules and rounded triangles that move within a frame.
//!
//! ```text
//! depth      d = r − |x − c|,  d° the same at the start of the substep, e = max(d°, 0) an earlier overlap
//! push       p = max(d − e + s, 0) along the normal,  s = min(e/5, 2 m/s h) of it without speed: x° moves too
//! friction   slip across the normal − that of the surface,  at most μ (p − s)
//! bounce     x° −= e a n,  a the approach in the substep, where it exceeds 2 g h²
//! ```
//! The vertices of a sheet are kept a little farther than its thickness from round solids, so that its faces, which are
//! chords, do not cut into them:
//! ```text
//! (R + δ)² = R² + ρ²                        R = radius + thickness,  ρ the coarseness of the sheet
//! ```

use glam::DVec3;

use super::kernel::{StickBlock, dot, minus, plus, read, times, wide, write};
use super::layout::{BLOCK, NUMBERS, end_of};
use super::meeting::Solid;
use super::solid::narrow;
use crate::collision::simplex::Simplex;
use crate::math::single_lanes::SingleLanes;

/// A solid at one time, meters in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Placed {
    HalfSpace {
        normal: DVec3,
        offset: f64,
    },
    Capsule {
        ends: [DVec3; 2],
        radius: f64,
    },
    /// All points within `radius` of a triangle.
    Triangle {
        corners: [DVec3; 3],
        radius: f64,
    },
}

/// Displacement of a solid in a substep: of its reference point, and its rotation about that.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Drift {
    pub reference: DVec3,
    pub shift: DVec3,
    pub turn: DVec3,
}

/// A solid in a substep, relative to the origin of the sheet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Now {
    shape: Shape,
    /// The shape at the start of the substep, relative to the origin then.
    was: Shape,
    /// Displacement of the surface at the origin relative to the origin, and its rotation, in the substep.
    drift: [f32; 3],
    turn: [f32; 3],
    friction: f32,
    restitution: f32,
    /// Whether a body carries it, which takes the pushes.
    is_carried: bool,
}

#[derive(Clone, Copy, Debug)]
enum Shape {
    HalfSpace { normal: [f32; 3], offset: f32 },
    Capsule { axis: Segment, radius: f32 },
    Triangle { sides: [Segment; 3], inward: [[f32; 3]; 3], normal: [f32; 3], radius: f32 },
}

/// One end of a segment, the vector to the other, and 1 / its squared length; 0 for a point.
#[derive(Clone, Copy, Debug)]
struct Segment {
    from: [f32; 3],
    along: [f32; 3],
    inverse_square: f32,
}

impl Segment {
    fn new([a, b]: [DVec3; 2], origin: DVec3) -> Self {
        let square = (b - a).length_squared();
        let inverse_square = if square > 1e-12 { (1.0 / square) as f32 } else { 0.0 };
        Self { from: narrow(a - origin), along: narrow(b - a), inverse_square }
    }
}

/// Results of the contacts with one solid in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Push {
    /// Mass times displacement of the sheet by lane, kg m, and its moment about the solid's first end, kg m².
    sums: [[f32; NUMBERS]; 2],
    pub touches: bool,
    /// Deepest overlap at the start of the substep by lane, meters.
    deepest: [f32; BLOCK],
}

impl Push {
    pub const NONE: Self = Self { sums: [[0.0; NUMBERS]; 2], touches: false, deepest: [0.0; BLOCK] };

    /// Deepest overlap at the start of the substep, meters.
    pub fn deepest(&self) -> f64 {
        f64::from(self.deepest.iter().fold(0.0, |most: f32, &depth| most.max(depth)))
    }

    /// Sums of the lanes: mass times displacement, and its moment.
    pub fn total(&self) -> [DVec3; 2] {
        self.sums.map(|lanes| {
            let sum = |axis: usize| lanes[axis * BLOCK..(axis + 1) * BLOCK].iter().map(|&x| f64::from(x)).sum();
            DVec3::new(sum(0), sum(1), sum(2))
        })
    }
}

impl Placed {
    /// The solid relative to `origin`, its surface farther out by `margin`.
    fn shape(&self, origin: DVec3, margin: f64) -> Shape {
        match *self {
            Self::HalfSpace { normal, offset } => {
                Shape::HalfSpace { normal: narrow(normal), offset: (offset - normal.dot(origin) + margin) as f32 }
            }
            Self::Capsule { ends, radius } => {
                Shape::Capsule { axis: Segment::new(ends, origin), radius: (radius + margin) as f32 }
            }
            Self::Triangle { corners: [a, b, c], radius } => {
                let normal = (b - a).cross(c - a).normalize_or_zero();
                let sides = [[a, b], [b, c], [c, a]];
                Shape::Triangle {
                    sides: sides.map(|side| Segment::new(side, origin)),
                    inward: sides.map(|[from, to]| narrow(normal.cross(to - from))),
                    normal: narrow(normal),
                    radius: (radius + margin) as f32,
                }
            }
        }
    }

    /// Distance of a point from the surface, meters, and the normal there.
    pub fn nearest(&self, place: DVec3) -> (f64, DVec3) {
        match *self {
            Self::HalfSpace { normal, offset } => (normal.dot(place) - offset, normal),
            Self::Capsule { ends, radius } => from_core(&Simplex::segment(ends), radius, place),
            Self::Triangle { corners, radius } => from_core(&Simplex::triangle(corners), radius, place),
        }
    }

    /// Point about which [`Push`] counts moments.
    pub fn reference(&self) -> DVec3 {
        match *self {
            Self::HalfSpace { normal, offset } => normal * offset,
            Self::Capsule { ends, .. } => ends[0],
            Self::Triangle { corners, .. } => corners[0],
        }
    }
}

/// Distance from the surface of a rounded simplex, meters, and the normal there.
fn from_core(core: &Simplex, radius: f64, place: DVec3) -> (f64, DVec3) {
    let apart = place - core.at(core.closest_to(place));
    (apart.length() - radius, apart.normalize_or(DVec3::Y))
}

impl Now {
    /// The solid at the start of a frame, at rest.
    pub fn new(place: &Placed, origin: DVec3, margin: f64, solid: &Solid) -> Self {
        let (shape, [friction, restitution]) = (place.shape(origin, margin), solid.material);
        let (drift, turn, is_carried) = ([0.0; 3], [0.0; 3], solid.body.is_some());
        Self { shape, was: shape, drift, turn, friction, restitution, is_carried }
    }

    /// Moves the solid to its place at the end of the next substep; `origins` are those of the sheet at its start and end.
    pub fn advance(&mut self, place: &Placed, drift: &Drift, origins: [DVec3; 2], margin: f64) {
        let at_origin = drift.shift + drift.turn.cross(origins[1] - drift.reference) - (origins[1] - origins[0]);
        self.was = self.shape;
        self.shape = place.shape(origins[1], margin);
        (self.drift, self.turn) = (narrow(at_origin), narrow(drift.turn));
    }
}

/// Greatest share of an earlier overlap removed per substep, and the greatest speed of removal, m/s.
pub(super) const RECOVERY: f64 = 0.2;
pub(super) const RECOVERY_SPEED: f64 = 2.0;

/// A block of particles.
pub(super) struct Particles<'a> {
    pub now: &'a mut StickBlock,
    pub before: &'a mut StickBlock,
    pub masses: &'a [f32; BLOCK],
    /// Number of lanes in use.
    pub lanes: usize,
}

/// Pushes the particles of a block out of a solid. `most` are the greatest recovery of a substep and the greatest approach
/// without a bounce, meters.
#[inline(always)]
pub(super) fn keep_out<V: SingleLanes>(
    token: V::Token,
    block: &mut Particles<'_>,
    solid: &Now,
    [most, slow]: [f32; 2],
    push: &mut Push,
) {
    for lane in (0..end_of::<V>(block.lanes)).step_by(V::WIDTH) {
        let x = read::<V>(token, block.now, lane);
        let is_inside = is_inside(token, &solid.shape, x);
        if !V::any(is_inside) {
            continue;
        }
        let zero = V::splat(token, 0.0);
        let (normal, depth) = depth(token, &solid.shape, x);
        let depth = V::select(is_inside, depth, zero);
        let mut old = read::<V>(token, block.before, lane);
        let was_inside = is_deep(token, &solid.was, old);
        let (mut out, mut recovered) = (depth.greatest(zero), zero);
        if V::any(was_inside) {
            let earlier = V::select(was_inside, self::depth(token, &solid.was, old).1, zero).greatest(zero);
            recovered = (earlier * RECOVERY).least(V::splat(token, most));
            out = (depth - earlier + recovered).greatest(zero);
            recovered = recovered.least(out);
            old = select(was_inside, plus(old, times(normal, recovered)), old);
            let mass = V::load(token, &block.masses[lane..]);
            let deepest = V::select(zero.is_below(mass), earlier, zero);
            V::load(token, &push.deepest[lane..]).greatest(deepest).store(&mut push.deepest[lane..]);
        }
        let mut moved = plus(x, times(normal, out));
        let turn = wide::<V>(token, &solid.turn);
        let surface = plus(wide(token, &solid.drift), cross(turn, moved));
        let slip = minus(minus(moved, old), surface);
        let along = dot(slip, normal);
        let slip = minus(slip, times(normal, along));
        let (held, square) = ((out - recovered) * V::splat(token, solid.friction), dot(slip, slip));
        let slides = V::both(is_inside, (held * held).is_below(square));
        let mut stopped = V::select(is_inside, V::splat(token, 1.0), zero);
        if V::any(slides) {
            stopped = V::select(slides, held / square.sqrt(), stopped);
        }
        moved = minus(moved, times(slip, stopped));
        let mut bounce = recovered;
        if solid.restitution > 0.0 {
            let approach = out - recovered - along;
            let is_hit = V::both(zero.is_below(out), V::splat(token, slow).is_below(approach));
            let back = V::select(is_hit, approach * V::splat(token, solid.restitution), zero);
            old = minus(old, times(normal, back));
            bounce = bounce - back;
        }
        write(moved, block.now, lane);
        write(old, block.before, lane);
        push.touches = true;
        let given = minus(minus(moved, x), times(normal, bounce));
        let given = times(given, V::load(token, &block.masses[lane..]));
        write(plus(read::<V>(token, &push.sums[0], lane), given), &mut push.sums[0], lane);
        if solid.is_carried {
            let arm = minus(moved, reference(token, &solid.shape));
            write(plus(read::<V>(token, &push.sums[1], lane), cross(arm, given)), &mut push.sums[1], lane);
        }
    }
}

/// Lanes whose point is inside a solid: without the root that the depth takes.
#[inline(always)]
fn is_inside<V: SingleLanes>(token: V::Token, shape: &Shape, x: [V; 3]) -> V::Mask {
    match shape {
        Shape::HalfSpace { normal, offset } => dot(wide(token, normal), x).is_below(V::splat(token, *offset)),
        Shape::Capsule { radius, .. } | Shape::Triangle { radius, .. } => {
            let d = apart(token, shape, x);
            dot(d, d).is_below(V::splat(token, radius * radius))
        }
    }
}

/// Lanes whose point is inside a solid by more than the rounding of a point that was pushed to its surface.
#[inline(always)]
fn is_deep<V: SingleLanes>(token: V::Token, shape: &Shape, x: [V; 3]) -> V::Mask {
    match shape {
        Shape::HalfSpace { normal, offset } => dot(wide(token, normal), x).is_below(V::splat(token, offset - ROUNDING)),
        Shape::Capsule { radius, .. } | Shape::Triangle { radius, .. } => {
            let (d, inner) = (apart(token, shape, x), (radius - ROUNDING).max(0.0));
            dot(d, d).is_below(V::splat(token, inner * inner))
        }
    }
}

/// Depth that counts as rounding, meters.
const ROUNDING: f32 = 1e-6;

/// Outward normal of a solid at a point, and the depth of the point, meters; of a point outside, any normal, and a depth that
/// is not positive.
#[inline(always)]
fn depth<V: SingleLanes>(token: V::Token, shape: &Shape, x: [V; 3]) -> ([V; 3], V) {
    match shape {
        Shape::HalfSpace { normal, offset } => {
            let normal = wide(token, normal);
            (normal, V::splat(token, *offset) - dot(normal, x))
        }
        Shape::Capsule { radius, .. } | Shape::Triangle { radius, .. } => {
            let d = apart(token, shape, x);
            let (square, zero, one) = (dot(d, d), V::splat(token, 0.0), V::splat(token, 1.0));
            let t = one - square * V::splat(token, 1.0 / (radius * radius));
            let is_deep = V::splat(token, SERIES).is_below(t);
            let t = V::select(zero.is_below(t), t, zero).least(V::splat(token, SERIES));
            let mut inverse = (t * (t * (t * 0.3125 + 0.375) + 0.5) + 1.0) * V::splat(token, 1.0 / radius);
            let mut depth = t * (t * (t * 0.0625 + 0.125) + 0.5) * V::splat(token, *radius);
            if V::any(is_deep) {
                let length = square.sqrt().greatest(V::splat(token, 1e-9));
                inverse = V::select(is_deep, one / length, inverse);
                depth = V::select(is_deep, V::splat(token, *radius) - length, depth);
            }
            (times(d, inverse), depth)
        }
    }
}

/// Greatest `t = 1 − (r/R)²` for which four terms of the series of `√(1 − t)` and of its inverse are as exact as f32 numbers.
const SERIES: f32 = 0.02;

/// Vector to a point from the nearest point of the axis of a capsule or of a triangle; zero for a half-space.
#[inline(always)]
fn apart<V: SingleLanes>(token: V::Token, shape: &Shape, x: [V; 3]) -> [V; 3] {
    match shape {
        Shape::HalfSpace { .. } => [V::splat(token, 0.0); 3],
        Shape::Capsule { axis, .. } => from_segment(token, axis, x),
        Shape::Triangle { sides, inward, normal, .. } => {
            let mut nearest = from_segment(token, &sides[0], x);
            let mut square = dot(nearest, nearest);
            for side in &sides[1..] {
                let d = from_segment(token, side, x);
                let own = dot(d, d);
                let is_nearer = own.is_below(square);
                nearest = select(is_nearer, d, nearest);
                square = V::select(is_nearer, own, square);
            }
            let normal = wide::<V>(token, normal);
            let mut is_above = is_beyond(token, &sides[0].from, &inward[0], x);
            for (side, inward) in sides.iter().zip(inward).skip(1) {
                is_above = V::both(is_above, is_beyond(token, &side.from, inward, x));
            }
            let height = dot(normal, minus(x, wide(token, &sides[0].from)));
            select(is_above, times(normal, height), nearest)
        }
    }
}

#[inline(always)]
fn select<V: SingleLanes>(mask: V::Mask, yes: [V; 3], no: [V; 3]) -> [V; 3] {
    [V::select(mask, yes[0], no[0]), V::select(mask, yes[1], no[1]), V::select(mask, yes[2], no[2])]
}

/// Lanes whose point is on the side of a plane to which `normal` points.
#[inline(always)]
fn is_beyond<V: SingleLanes>(token: V::Token, from: &[f32; 3], normal: &[f32; 3], x: [V; 3]) -> V::Mask {
    V::splat(token, 0.0).is_below(dot(wide(token, normal), minus(x, wide(token, from))))
}

/// Vector to a point from the nearest point of a segment.
#[inline(always)]
fn from_segment<V: SingleLanes>(token: V::Token, segment: &Segment, x: [V; 3]) -> [V; 3] {
    let out = minus(x, wide(token, &segment.from));
    if segment.inverse_square == 0.0 {
        return out;
    }
    let along = wide(token, &segment.along);
    let share = dot(out, along) * V::splat(token, segment.inverse_square);
    minus(out, times(along, share.greatest(V::splat(token, 0.0)).least(V::splat(token, 1.0))))
}

#[inline(always)]
fn reference<V: SingleLanes>(token: V::Token, shape: &Shape) -> [V; 3] {
    match shape {
        Shape::HalfSpace { .. } => [V::splat(token, 0.0); 3],
        Shape::Capsule { axis, .. } => wide(token, &axis.from),
        Shape::Triangle { sides, .. } => wide(token, &sides[0].from),
    }
}

#[inline(always)]
fn cross<V: SingleLanes>(a: [V; 3], b: [V; 3]) -> [V; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
