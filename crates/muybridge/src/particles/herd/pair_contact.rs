//! Two capsules of one ragdoll kept apart, lane by lane.
//!
//! ```text
//! nearest points of the two segments at parameters s, t;   n from the second to the first
//! gap = distance − r_1 − r_2 < 0:   λ = −gap / (n·K n),  K of both bodies by themselves
//! friction: the sliding of the skins is taken away up to μ λ
//! ```
//! The impulse goes into the displacements before the tree is solved, which spreads it over the joints.
//! Specification: mathematics 3.9.3, 3.11 (J21, J31).

use super::algebra::Factors;
use super::kernel::{Pace, inertia};
use super::plan::{Capsule, Plan};
use super::rows::{BodyRows, Lanes};
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::SingleLanes;

struct Side<V> {
    axes: [LaneVector<V>; 3],
    turned: [LaneVector<V>; 3],
    center: LaneVector<V>,
    moved: LaneVector<V>,
    ends: [LaneVector<V>; 2],
}

#[inline(always)]
fn side<V: SingleLanes>(lanes: Lanes<V>, capsule: &Capsule, rows: &BodyRows) -> Side<V> {
    let (axes, turned) = (lanes.vectors(&rows.axes), lanes.vectors(&rows.turned));
    let (center, moved) = (lanes.vector(&rows.center), lanes.vector(&rows.moved));
    let now = [0, 1, 2].map(|axis| axes[axis].plus(turned[axis]));
    let ends = [0, 1].map(|end| center.plus(moved).plus(lanes.combined(&now, &capsule.ends[end])));
    Side { axes, turned, center, moved, ends }
}

/// Distance between the axes of two capsules: parameters of the nearest points and the vector from the second to the first.
#[inline(always)]
pub fn nearest<V: SingleLanes>(
    lanes: Lanes<V>,
    [a, b]: [LaneVector<V>; 2],
    [c, d]: [LaneVector<V>; 2],
) -> (V, V, LaneVector<V>) {
    let (along, other, between) = (b.minus(a), d.minus(c), a.minus(c));
    let (zero, one, tiny) = (lanes.same(0.0), lanes.same(1.0), lanes.same(1e-8));
    let clamp = |value: V| value.greatest(zero).least(one);
    let (aa, bb) = (along.dot(along).greatest(tiny), other.dot(other).greatest(tiny));
    let (ab, ac, bc) = (along.dot(other), along.dot(between), other.dot(between));
    let parallel = aa * bb - ab * ab;
    let first = clamp((ab * bc - ac * bb) / parallel.greatest(aa * bb * lanes.same(1e-4)));
    let second = clamp((ab * first + bc) / bb);
    let first = clamp((ab * second - ac) / aa);
    (first, second, between.plus(along.scaled(first)).minus(other.scaled(second)))
}

/// Takes the overlap of one pair away.
#[inline(always)]
pub fn separate<V: SingleLanes>(lanes: Lanes<V>, plan: &Plan, pace: &Pace, pair: usize, bodies: &mut [BodyRows]) {
    let capsules = plan.pairs[pair].map(|index| &plan.capsules[usize::from(index)]);
    let [a, b] = [0, 1].map(|end| side(lanes, capsules[end], &bodies[capsules[end].body]));
    let (s, t, between) = nearest(lanes, a.ends, b.ends);
    let squared = between.dot(between);
    let reach = capsules[0].radius + capsules[1].radius;
    let is_near = squared.is_below(lanes.same(reach * reach));
    if !V::any(is_near) {
        return;
    }
    let (zero, one) = (lanes.same(0.0), lanes.same(1.0));
    let distance = squared.sqrt().greatest(lanes.same(1e-6));
    let normal = between.scaled(one / distance);
    let arm = |side: &Side<V>, parameter: V, radius: f32, sign: f32| {
        let point = side.ends[0].plus(side.ends[1].minus(side.ends[0]).scaled(parameter));
        point.minus(side.center.plus(side.moved)).plus(lanes.times(normal, sign * radius))
    };
    let arms = [arm(&a, s, capsules[0].radius, -1.0), arm(&b, t, capsules[1].radius, 1.0)];
    let masses = capsules.map(|capsule| &plan.bodies[capsule.body]);
    let tensors =
        [(&a, 0), (&b, 1)].map(|(side, end)| Factors::new(lanes, &inertia(lanes, &masses[end].moments, &side.axes)));
    let inverse = [0, 1].map(|end: usize| 1.0 / masses[end].mass);
    let respond = |direction: LaneVector<V>| {
        let turns = [0, 1].map(|end: usize| tensors[end].solve(arms[end].cross(direction)));
        let weight = [0, 1].map(|end: usize| arms[end].cross(direction).dot(turns[end]));
        (turns, weight[0] + weight[1] + lanes.same(inverse[0] + inverse[1]))
    };
    let (turns, weight) = respond(normal);
    let push = V::select(is_near, (lanes.same(reach) - distance) * lanes.same(1.0 - pace.patience), zero);
    let way = |side: &Side<V>, arm: LaneVector<V>| {
        let [p, q, r] = [0, 1, 2].map(|axis| side.axes[axis].cross(side.turned[axis]));
        side.moved.plus(lanes.times(p.plus(q).plus(r), 0.5).cross(arm))
    };
    let slip = way(&a, arms[0]).minus(way(&b, arms[1]));
    let approach = slip.dot(normal);
    // Stops the approach of this substep and takes a share of what is left of an old overlap.
    let stop = V::select(is_near, (push - approach).greatest(zero), zero).least(lanes.same(reach) - distance + push);
    let stop = V::select(is_near, stop.greatest(zero), zero);
    let normal_impulse = stop / weight;
    let slide = slip.minus(normal.scaled(approach));
    let speed = slide.dot(slide).sqrt().greatest(lanes.same(1e-9));
    let tangent = slide.scaled(one / speed);
    let (friction_turns, friction_weight) = respond(tangent);
    let friction = -(speed / friction_weight).least(normal_impulse * lanes.same(pace.friction));
    let impulse = normal.scaled(normal_impulse).plus(tangent.scaled(friction));
    for (end, sign) in [(0, 1.0), (1, -1.0)] {
        let (side, rows) = (if end == 0 { &a } else { &b }, &mut bodies[capsules[end].body]);
        let turn = turns[end].scaled(normal_impulse).plus(friction_turns[end].scaled(friction));
        let turn = lanes.times(turn, sign);
        lanes.store_vector(side.moved.plus(lanes.times(impulse, sign * inverse[end])), &mut rows.moved);
        for axis in 0..3 {
            let turned = side.turned[axis].plus(turn.cross(side.axes[axis]));
            lanes.store_vector(turned, &mut rows.turned[axis]);
        }
    }
}
