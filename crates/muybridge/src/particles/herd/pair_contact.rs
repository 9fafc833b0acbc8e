//! Contacts between capsules of one ragdoll, lane by lane.
//!
//! ```text
//! nearest points of the two segments at parameters s, t;   n from the second to the first
//! gap = distance − r_1 − r_2 < 0:   λ = −gap / (n·K n),  K of both bodies without their joints
//! friction: removes the sliding of the skins up to μ λ
//! ```
//! The impulse changes the displacements before the tree solve, which spreads it over the joints.
//! Specification: mathematics 3.9.3, 3.11 (J21, J31).

use super::algebra::{SymmetricFactors, three};
use super::kernel::{KernelPace, inertia};
use super::plan::{BatchModel, Capsule};
use super::rows::{BlockWidth, BodyRows, LaneValues, Lanes, Sixteen};
use crate::math::lane_rotation::LaneVector;
use crate::math::single_lanes::{SingleKernel, SingleLanes};

struct LaneContactSide<V> {
    axes: [LaneVector<V>; 3],
    turned: [LaneVector<V>; 3],
    center: LaneVector<V>,
    moved: LaneVector<V>,
    ends: [LaneVector<V>; 2],
}

#[inline(always)]
fn side<V: SingleLanes, W: BlockWidth>(lanes: Lanes<V>, capsule: &Capsule, rows: &BodyRows<W>) -> LaneContactSide<V> {
    let (axes, turned) = (lanes.vectors(&rows.axes), lanes.vectors(&rows.turned));
    let (center, moved) = (lanes.vector(&rows.center), lanes.vector(&rows.moved));
    let now = three!(|axis| axes[axis].plus(turned[axis]));
    let predicted = center.plus(moved);
    let ends = [
        predicted.plus(lanes.combined(&now, &capsule.ends[0])),
        predicted.plus(lanes.combined(&now, &capsule.ends[1])),
    ];
    LaneContactSide { axes, turned, center, moved, ends }
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
    let (aa, bb) = (along.dot(along).greatest(tiny), other.dot(other).greatest(tiny));
    let (ab, ac, bc) = (along.dot(other), along.dot(between), other.dot(between));
    let parallel = aa * bb - ab * ab;
    let first = ((ab * bc - ac * bb) / parallel.greatest(aa * bb * lanes.same(1e-4))).greatest(zero).least(one);
    let second = ((ab * first + bc) / bb).greatest(zero).least(one);
    let first = ((ab * second - ac) / aa).greatest(zero).least(one);
    (first, second, between.plus(along.scaled(first)).minus(other.scaled(second)))
}

/// A capsule pair of the plan that may touch, and the lanes in which it may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPair<W: BlockWidth = Sixteen> {
    /// Index into the pairs of the plan.
    pub pair: usize,
    /// 1 in lanes in which the pair may touch, else 0.
    pub lanes: LaneValues<W>,
}

/// SIMD kernel: finds the capsule pairs within a ragdoll that may touch in a step.
pub struct FindPairs<'a, W: BlockWidth = Sixteen> {
    /// Constants of the topology.
    pub plan: &'a BatchModel,
    /// State of the ragdolls.
    pub bodies: &'a [BodyRows<W>],
    /// Substeps of the step of each ragdoll.
    pub substeps: LaneValues<W>,
    /// 1 in lanes with an awake ragdoll; in empty lanes all bodies are at one place.
    pub awake: LaneValues<W>,
    /// Lanes from the first to the last that is awake.
    pub filled: usize,
    /// Output: the pairs found.
    pub found: &'a mut Vec<NearPair<W>>,
}

/// Detection margin between two capsules in addition to their motion, meters.
const NEAR: f32 = 0.04;

impl<W: BlockWidth> SingleKernel for FindPairs<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<V: SingleLanes>(self, token: V::Token) {
        self.found.clear();
        // A clone of a block has only the capacity of its contents.
        self.found.reserve(self.plan.pairs.len());
        for (pair, ends) in self.plan.pairs.iter().enumerate() {
            let (first, second) =
                (&self.plan.capsules[usize::from(ends[0])], &self.plan.capsules[usize::from(ends[1])]);
            let (mut near, mut is_any) = (LaneValues::ZERO, false);
            for first_lane in (0..self.filled).step_by(V::WIDTH) {
                let lanes = Lanes::<V> { token, first: first_lane };
                let is_near = self.near(lanes, [first, second]);
                is_any |= V::any(lanes.same(0.0).is_below(is_near));
                lanes.store(is_near, &mut near);
            }
            if is_any {
                self.found.push(NearPair { pair, lanes: near });
            }
        }
    }
}

impl<W: BlockWidth> FindPairs<'_, W> {
    /// 1 in awake lanes in which two capsules may touch in the step. Most pairs are told apart by the balls around their bodies.
    #[inline(always)]
    fn near<V: SingleLanes>(&self, lanes: Lanes<V>, [first, second]: [&Capsule; 2]) -> V {
        let zero = lanes.same(0.0);
        let [one, other] = [&self.bodies[first.body], &self.bodies[second.body]];
        let moved = lanes.vector(&one.moved).minus(lanes.vector(&other.moved));
        let reach =
            moved.dot(moved).sqrt() * lanes.load(&self.substeps) + lanes.same(first.radius + second.radius + NEAR);
        let between = lanes.vector(&one.center).minus(lanes.vector(&other.center)).plus(moved);
        let balls = self.plan.bodies[first.body].reach + self.plan.bodies[second.body].reach;
        let far = reach + lanes.same(STRETCHED * balls);
        let is_around = between.dot(between).is_below(far * far);
        if !V::any(is_around) {
            return zero;
        }
        let (a, b) = (side(lanes, first, one), side(lanes, second, other));
        let (_, _, between) = nearest(lanes, a.ends, b.ends);
        let is_near = V::both(is_around, between.dot(between).is_below(reach * reach));
        V::select(is_near, lanes.load(&self.awake), zero)
    }
}

/// Greatest length of an arm as a share of that of the undeformed body: a substep stretches a body by less.
const STRETCHED: f32 = 1.1;

/// One body of a contact: lever, inertia and motion at the contact.
struct TouchingPair<V> {
    lever: LaneVector<V>,
    tensor: SymmetricFactors<V>,
    /// Displacement of the contact point on this body in the substep, meters.
    way: LaneVector<V>,
}

#[inline(always)]
fn touching<V: SingleLanes>(
    lanes: Lanes<V>,
    moments: &[f32; 3],
    side: &LaneContactSide<V>,
    lever: LaneVector<V>,
) -> TouchingPair<V> {
    let [p, q, r] = three!(|axis| side.axes[axis].cross(side.turned[axis]));
    let way = side.moved.plus(lanes.times(p.plus(q).plus(r), 0.5).cross(lever));
    TouchingPair { lever, tensor: SymmetricFactors::new(lanes, &inertia(lanes, moments, &side.axes)), way }
}

/// Rotations of both bodies by a unit impulse, and the relative displacement of the contact, 1/kg.
#[inline(always)]
fn response<V: SingleLanes>(
    [a, b]: [&TouchingPair<V>; 2],
    direction: LaneVector<V>,
    inverse_mass: V,
) -> ([LaneVector<V>; 2], V) {
    let (about_a, about_b) = (a.lever.cross(direction), b.lever.cross(direction));
    let turns = [a.tensor.solve(about_a), b.tensor.solve(about_b)];
    let weight = about_a.dot(turns[0]) + about_b.dot(turns[1]) + inverse_mass;
    (turns, weight)
}

/// Pushes one overlapping pair apart.
#[inline(always)]
pub fn separate<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    plan: &BatchModel,
    pace: &KernelPace,
    near: &NearPair<W>,
    bodies: &mut [BodyRows<W>],
) {
    let [first, second] = plan.pairs[near.pair];
    let (first, second) = (&plan.capsules[usize::from(first)], &plan.capsules[usize::from(second)]);
    let (a, b) = (side(lanes, first, &bodies[first.body]), side(lanes, second, &bodies[second.body]));
    let (s, t, between) = nearest(lanes, a.ends, b.ends);
    let squared = between.dot(between);
    let reach = first.radius + second.radius;
    let is_looked_at = lanes.same(0.5).is_below(lanes.load(&near.lanes));
    let is_near = V::both(is_looked_at, squared.is_below(lanes.same(reach * reach)));
    if !V::any(is_near) {
        return;
    }
    let (zero, one) = (lanes.same(0.0), lanes.same(1.0));
    let distance = squared.sqrt().greatest(lanes.same(1e-6));
    let normal = between.scaled(one / distance);
    let on_a = a.ends[0].plus(a.ends[1].minus(a.ends[0]).scaled(s)).minus(lanes.times(normal, first.radius));
    let on_b = b.ends[0].plus(b.ends[1].minus(b.ends[0]).scaled(t)).plus(lanes.times(normal, second.radius));
    let (body_a, body_b) = (&plan.bodies[first.body], &plan.bodies[second.body]);
    // One point and one displacement for both, so that the impulse and its opposite have no moment together: a momentum is
    // taken about the places of the start.
    let at = lanes.times(on_a.plus(on_b).minus(a.moved).minus(b.moved), 0.5);
    let touch_a = touching(lanes, &body_a.moments, &a, at.minus(a.center));
    let touch_b = touching(lanes, &body_b.moments, &b, at.minus(b.center));
    let (inverse_a, inverse_b) = (1.0 / body_a.mass, 1.0 / body_b.mass);
    let inverse = lanes.same(inverse_a + inverse_b);
    let (turns, weight) = response([&touch_a, &touch_b], normal, inverse);
    let slip = touch_a.way.minus(touch_b.way);
    let approach = slip.dot(normal);
    // Stops the approach in this substep and corrects a share of an older overlap.
    let overlap = lanes.same(reach) - distance;
    let stop = (overlap * lanes.same(1.0 - pace.patience) - approach).least(overlap).greatest(zero);
    let normal_impulse = V::select(is_near, stop / weight, zero);
    let slide = slip.minus(normal.scaled(approach));
    let speed = slide.dot(slide).sqrt().greatest(lanes.same(1e-9));
    let tangent = slide.scaled(one / speed);
    let (friction_turns, friction_weight) = response([&touch_a, &touch_b], tangent, inverse);
    let friction = -((speed / friction_weight).least(normal_impulse * lanes.same(pace.friction)));
    let impulse = normal.scaled(normal_impulse).plus(tangent.scaled(friction));
    let turn = turns[0].scaled(normal_impulse).plus(friction_turns[0].scaled(friction));
    give(lanes, &mut bodies[first.body], &a, lanes.times(impulse, inverse_a), turn);
    let turn = turns[1].scaled(normal_impulse).plus(friction_turns[1].scaled(friction));
    give(lanes, &mut bodies[second.body], &b, lanes.times(impulse, -inverse_b), -turn);
}

#[inline(always)]
fn give<V: SingleLanes, W: BlockWidth>(
    lanes: Lanes<V>,
    rows: &mut BodyRows<W>,
    side: &LaneContactSide<V>,
    shift: LaneVector<V>,
    turn: LaneVector<V>,
) {
    lanes.store_vector(side.moved.plus(shift), &mut rows.moved);
    for axis in 0..3 {
        let turned = side.turned[axis].plus(turn.cross(side.axes[axis]));
        lanes.store_vector(turned, &mut rows.turned[axis]);
    }
}
