//! Ball joints and hinges eliminated by their free rotations instead of their constraint rows (articulated-body order).
//!
//! ```text
//! about the joint, with a and p the vectors to it from the centers of body and parent:
//!     v_a = v + ω × a,  H' = H − M a×,  J' = J about the point        inertia M, H, J of the body and its subtree
//! ball     U = J'⁻¹ H',    M_a = M − H'ᵀ U                           seen by the parent: an anisotropic mass at the point
//! hinge    d = sᵀ J' s,    (M, H', J')_a = (M, H', J') − U Uᵀ/d      U = (H'ᵀ s, J' s), s the axis
//! up       β = F − U (…) − I_a ĉ,    F_p += β moved to the parent's center
//! down     R = I_a u_p − β,    then the free rotation               R: impulse of the joint, λ along its rows
//! ```
//! These are the equations of the rows, solved in Featherstone's order. A ball joint costs the elimination of three
//! numbers instead of six and three, a hinge one instead of six and five, with a fifth of the memory. Rows r₁ and r₂ of
//! a hinge need their dual vectors: `rᵢ · dⱼ = δᵢⱼ`, perpendicular to `s = r₁ × r₂`. Soft rows: see [`super::soft`].
//! Bodies of tiny inertia for their arm stay with rows. Specification: mathematics 4.4, 4.6 (H9, H10, H12); Featherstone
//! 2008, *Rigid Body Dynamics Algorithms*, 7.3.

use super::soft::SoftPivot;
use super::{LEAST, at, elements, six};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;
use crate::rigid::joint::{Joint, JointSide, Kind, MOST_ROWS};
use crate::rigid::{Body, Momentum};

/// Pivot of a body, and the articulated inertia that its parent sees there.
#[derive(Clone, Debug)]
pub(super) struct Pivot<V> {
    /// Free rotations of the joint, or [`Left::Rows`].
    pub left: Left,
    /// Vector from the center of the body to the pivot.
    pub(super) own: LaneVector<V>,
    /// Vector from the center of the parent to the pivot.
    pub(super) above: LaneVector<V>,
    /// Sign: 1, or −1 if the body is the joint's parent.
    pub(super) sign: f64,
    /// Matrix M_a by rows.
    mass: [V; 6],
    /// Matrix U of a ball joint, row by row of ω; H'_a of a hinge.
    pub(super) turn: [LaneVector<V>; 3],
    /// Factors L and D of J' of a ball joint, with reciprocals of D on the diagonal; J'_a of a hinge.
    pub(super) inertia: [V; 6],
    /// Bias β; for a ball joint the force, and J'⁻¹ times the moment.
    carried: [LaneVector<V>; 2],
    /// Requested velocity jump ĉ.
    asked: [LaneVector<V>; 2],
    /// Axis of a hinge.
    pub(super) axis: PivotAxis<V>,
    /// Soft rows; `None` before the first.
    pub(super) soft: Option<Box<SoftPivot<V>>>,
}

/// Free rotations of a joint, or elimination by its rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Left {
    Rows,
    Ball,
    Hinge,
}

/// Axis of a hinge, with its rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct PivotAxis<V> {
    /// Axis s about which the hinge turns freely, world axes, unit length.
    pub(super) free: LaneVector<V>,
    /// Constraint rows r₁ and r₂.
    held: [LaneVector<V>; 2],
    /// Dual vectors d₁ and d₂.
    dual: [LaneVector<V>; 2],
    /// Response U.
    pub(super) response: [LaneVector<V>; 2],
    /// Reciprocal 1/d.
    pub(super) factor: V,
    /// Right-hand side s · F.
    wanted: V,
}

/// Least moment of inertia of a body as a share of that about its joint: below it, J' is a difference of nearly equal
/// numbers.
const LEAST_MOMENT: f64 = 1e-6;

/// Whether a rigid joint can be eliminated as a pivot: a ball joint or hinge above a body with enough inertia.
/// `is_turned` if the body is the joint's parent.
pub fn is_pivot(joint: &Joint, body: &Body, is_turned: bool) -> bool {
    let arm = joint.frames[usize::from(!is_turned)].position;
    matches!(joint.kind, Kind::Ball | Kind::Hinge)
        && joint.compliance == 0.0
        && body.moments.min_element() >= LEAST_MOMENT * body.mass * arm.length_squared()
}

impl<V: Lanes> Pivot<V> {
    /// Placeholder for a body that is eliminated by rows.
    pub fn none(zero: V) -> Self {
        let none = LaneVector { x: zero, y: zero, z: zero };
        let axis =
            PivotAxis { free: none, held: [none; 2], dual: [none; 2], response: [none; 2], factor: zero, wanted: zero };
        Self {
            left: Left::Rows,
            own: none,
            above: none,
            sign: 1.0,
            mass: [zero; 6],
            turn: [none; 3],
            inertia: [zero; 6],
            carried: [none; 2],
            asked: [none; 2],
            axis,
            soft: None,
        }
    }

    /// Sets the pivot from a joint at a pose.
    #[inline(always)]
    pub fn place(&mut self, joint: &Joint, sides: &[JointSide<V>; 2], is_turned: bool) {
        let middle = sides[0].anchor.plus(sides[1].anchor.minus(sides[0].anchor).times(0.5));
        let (parent, child) = (middle.minus(sides[0].center), middle.minus(sides[1].center));
        (self.own, self.above, self.sign) = if is_turned { (parent, child, -1.0) } else { (child, parent, 1.0) };
        self.left = if matches!(joint.kind, Kind::Hinge) { Left::Hinge } else { Left::Ball };
        if self.left == Left::Hinge {
            self.axis.place(sides);
        }
        if let Some(soft) = &mut self.soft {
            soft.is_used = false;
        }
    }

    /// Number of rigid rows.
    #[inline(always)]
    fn rigid(&self) -> usize {
        if self.left == Left::Hinge { 5 } else { 3 }
    }

    /// Eliminates a body of inertia `d`; returns the articulated inertia for the parent.
    #[inline(always)]
    pub fn eliminate(&mut self, d: &[V; 21]) -> ArticulatedInertia<V> {
        let mut inertia = ArticulatedInertia::unpacked(d);
        inertia.shift(self.own);
        if self.left == Left::Ball { self.eliminate_ball(inertia) } else { self.eliminate_hinge(inertia) }
    }

    #[inline(always)]
    fn eliminate_ball(&mut self, mut inertia: ArticulatedInertia<V>) -> ArticulatedInertia<V> {
        let bare = inertia.turn;
        if let Some(soft) = self.softness() {
            for place in 0..6 {
                inertia.turn[place] = inertia.turn[place] + soft.damping[place];
            }
        }
        let [j00, j10, j11, j20, j21, j22] = inertia.turn;
        let d0 = reciprocal(j00);
        let (l10, l20) = (j10 * d0, j20 * d0);
        let d1 = reciprocal(j11 - j10 * l10);
        let rest = j21 - j20 * l10;
        let l21 = rest * d1;
        let d2 = reciprocal(j22 - j20 * l20 - rest * l21);
        self.inertia = [d0, l10, d1, l20, l21, d2];
        let [h0, h1, h2] = inertia.both;
        let h1 = h1.minus(h0.scaled(l10));
        let h2 = h2.minus(h0.scaled(l20)).minus(h1.scaled(l21));
        let (s0, s1, s2) = (h0.scaled(d0), h1.scaled(d1), h2.scaled(d2));
        let (a, b, c) = (elements(h0), elements(h1), elements(h2));
        let (x, y, z) = (elements(s0), elements(s1), elements(s2));
        for i in 0..3 {
            for j in 0..=i {
                let taken = a[i] * x[j] + b[i] * y[j] + c[i] * z[j];
                self.mass[at(i, j)] = inertia.mass[at(i, j)] - taken;
            }
        }
        let u1 = s1.minus(s2.scaled(l21));
        self.turn = [s0.minus(u1.scaled(l10)).minus(s2.scaled(l20)), u1, s2];
        let factors = self.inertia;
        let (mass, turn, above) = (self.mass, self.turn, self.above);
        if let Some(soft) = self.softness_mut() {
            let mut inertia = soft.eliminate((&mass, &turn), &bare, |m| solved(&factors, m));
            inertia.shift(-above);
            return inertia;
        }
        ArticulatedInertia::of_mass(self.mass, -self.above)
    }

    #[inline(always)]
    fn eliminate_hinge(&mut self, mut inertia: ArticulatedInertia<V>) -> ArticulatedInertia<V> {
        let damping = self.softness().map(|soft| soft.damping[0]);
        let axis = &mut self.axis;
        let (v, w) = (inertia.push_of(axis.free), symmetric(&inertia.turn, axis.free));
        axis.response = [v, w];
        let bare = axis.free.dot(w);
        axis.factor = reciprocal(damping.map_or(bare, |damping| bare + damping));
        let scaled = v.scaled(axis.factor);
        let (a, x) = (elements(v), elements(scaled));
        let (b, y) = (elements(w), elements(w.scaled(axis.factor)));
        for i in 0..3 {
            for j in 0..=i {
                inertia.mass[at(i, j)] = inertia.mass[at(i, j)] - a[i] * x[j];
                inertia.turn[at(i, j)] = inertia.turn[at(i, j)] - b[i] * y[j];
            }
            inertia.both[i] = inertia.both[i].minus(scaled.scaled(b[i]));
        }
        (self.mass, self.turn, self.inertia) = (inertia.mass, inertia.both, inertia.turn);
        inertia.shift(-self.above);
        inertia
    }

    /// Resets to the state after [`Self::rise`] with a zero right-hand side.
    #[inline(always)]
    pub fn rest(&mut self) {
        let none = self.own.times(0.0);
        (self.carried, self.asked, self.axis.wanted) = ([none; 2], [none; 2], none.x);
        if let Some(soft) = self.softness_mut() {
            soft.rest();
        }
    }

    /// Processes the right-hand side `z` of the body and `asked` of the rows; returns the part for the parent.
    #[inline(always)]
    pub fn rise(&mut self, z: &[V; 6], asked: &[V; MOST_ROWS]) -> [V; 6] {
        let (force, moment) = halves(z);
        let moment = moment.plus(force.cross(self.own));
        let slip = LaneVector { x: asked[0], y: asked[1], z: asked[2] }.times(self.sign);
        self.asked[0] = slip;
        let (rigid, sign) = (self.rigid(), self.sign);
        let pushed = self.softness_mut().map(|soft| soft.ask(asked, (rigid, sign)));
        if let (Left::Ball, Some(pushed)) = (self.left, pushed) {
            return self.rise_softly(force, (moment.plus(pushed), pushed), slip);
        }
        if self.left == Left::Ball {
            let force = force.minus(self.push_of(moment)).minus(symmetric(&self.mass, slip));
            self.carried = [force, self.solved(moment)];
            return six(force, self.above.cross(force));
        }
        let [d1, d2] = self.axis.dual;
        let turned = d1.scaled(asked[3]).plus(d2.scaled(asked[4])).times(self.sign);
        self.asked[1] = turned;
        self.axis.wanted = self.axis.free.dot(pushed.map_or(moment, |pushed| moment.plus(pushed)));
        let [v, w] = self.axis.response;
        let share = self.axis.wanted * self.axis.factor;
        let (push, turn) = self.felt(slip, turned);
        let force = force.minus(v.scaled(share)).minus(push);
        let moment = moment.minus(w.scaled(share)).minus(turn);
        self.carried = [force, moment];
        six(force, moment.plus(self.above.cross(force)))
    }

    /// Ends [`Self::rise`] of a ball joint with soft rows: force and moment about the pivot, of which `pushed` is the
    /// part of the rows, and the requested velocity jump.
    #[inline(always)]
    fn rise_softly(
        &mut self,
        force: LaneVector<V>,
        (moment, pushed): (LaneVector<V>, LaneVector<V>),
        slip: LaneVector<V>,
    ) -> [V; 6] {
        let force = force.minus(self.push_of(moment)).minus(symmetric(&self.mass, slip));
        self.carried = [force, self.solved(moment)];
        let turn = match self.softness() {
            Some(soft) => soft.pass(moment).minus(pushed).minus(soft.turn_of(slip)),
            None => pushed.times(0.0),
        };
        six(force, turn.plus(self.above.cross(force)))
    }

    /// Velocity of the body and λ along the rows, from the velocity of the parent.
    #[inline(always)]
    pub fn descend(&self, above: &[V; 6]) -> ([V; 6], [V; MOST_ROWS]) {
        let (v, w) = halves(above);
        let v = v.plus(w.cross(self.above));
        let zero = self.own.x.like(0.0);
        if self.left == Left::Ball {
            let mut push = symmetric(&self.mass, v).minus(self.carried[0]);
            let v = v.plus(self.asked[0]);
            let mut turned = self.carried[1].minus(self.turned_by(v));
            if let Some(soft) = self.softness() {
                push = push.plus(soft.push_of(w));
                turned = turned.plus(soft.follow(w));
            }
            let push = push.times(self.sign);
            let mut multipliers = [push.x, push.y, push.z, zero, zero, zero];
            if let Some(soft) = self.softness() {
                soft.answer(turned.minus(w), (3, self.sign), &mut multipliers);
            }
            return (self.moved(v, turned), multipliers);
        }
        let axis = &self.axis;
        let (force, moment) = self.felt(v, w);
        let push = force.minus(self.carried[0]).times(self.sign);
        let turn = moment.minus(self.carried[1]).times(self.sign);
        let (v, w) = (v.plus(self.asked[0]), w.plus(self.asked[1]));
        let rate = (axis.wanted - axis.response[0].dot(v) - axis.response[1].dot(w)) * axis.factor;
        let velocity = self.moved(v, w.plus(axis.free.scaled(rate)));
        let mut multipliers = [push.x, push.y, push.z, axis.dual[0].dot(turn), axis.dual[1].dot(turn), zero];
        if let Some(soft) = self.softness() {
            soft.answer(axis.free.scaled(rate), (5, self.sign), &mut multipliers);
        }
        (velocity, multipliers)
    }

    /// Impulses on the body and on its parent due to λ.
    #[inline(always)]
    pub fn impulses(&self, multipliers: &[V; MOST_ROWS]) -> [Momentum<V>; 2] {
        let [x, y, z, a, b, _] = *multipliers;
        let push = LaneVector { x, y, z }.times(self.sign);
        let (mut own, mut above) = (self.own.cross(push), push.cross(self.above));
        if self.left == Left::Hinge {
            let [r1, r2] = self.axis.held;
            let turn = r1.scaled(a).plus(r2.scaled(b)).times(self.sign);
            (own, above) = (own.plus(turn), above.minus(turn));
        }
        if let Some(soft) = self.softness() {
            let turn = soft.moment(multipliers, self.rigid()).times(self.sign);
            (own, above) = (own.plus(turn), above.minus(turn));
        }
        [Momentum { linear: push, angular: own }, Momentum { linear: -push, angular: above }]
    }

    /// Rate J u of the rows.
    #[inline(always)]
    pub fn rate(&self, own: &[V; 6], above: Option<&[V; 6]>) -> [V; MOST_ROWS] {
        let (mut v, mut w) = halves(own);
        v = v.plus(w.cross(self.own));
        if let Some(above) = above {
            let (v0, w0) = halves(above);
            (v, w) = (v.minus(v0.plus(w0.cross(self.above))), w.minus(w0));
        }
        (v, w) = (v.times(self.sign), w.times(self.sign));
        let zero = v.x.like(0.0);
        let is_hinge = self.left == Left::Hinge;
        let (a, b) = if is_hinge { (self.axis.held[0].dot(w), self.axis.held[1].dot(w)) } else { (zero, zero) };
        let mut rates = [v.x, v.y, v.z, a, b, zero];
        if let Some(soft) = self.softness() {
            soft.rate(w, self.rigid(), &mut rates);
        }
        rates
    }

    /// Impulse on the parent due to an impulse on the body, and the velocity of the body if the parent does not move.
    #[inline(always)]
    pub fn passed_on(&self, z: &[V; 6]) -> ([V; 6], [V; 6]) {
        let (force, moment) = halves(z);
        let moment = moment.plus(force.cross(self.own));
        let still = self.own.times(0.0);
        if self.left == Left::Ball {
            let force = force.minus(self.push_of(moment));
            let turn = self.above.cross(force);
            let turn = self.softness().map_or(turn, |soft| turn.plus(soft.pass(moment)));
            return (six(force, turn), self.moved(still, self.solved(moment)));
        }
        let axis = &self.axis;
        let rate = axis.free.dot(moment) * axis.factor;
        let [v, w] = axis.response;
        let (force, moment) = (force.minus(v.scaled(rate)), moment.minus(w.scaled(rate)));
        (six(force, moment.plus(self.above.cross(force))), self.moved(still, axis.free.scaled(rate)))
    }

    /// Velocity T u of the body that follows its parent, with no impulse on the body.
    #[inline(always)]
    pub fn carried(&self, above: &[V; 6]) -> [V; 6] {
        let (v, w) = halves(above);
        let v = v.plus(w.cross(self.above));
        if self.left == Left::Ball {
            let turned = -self.turned_by(v);
            return self.moved(v, self.softness().map_or(turned, |soft| turned.plus(soft.follow(w))));
        }
        let axis = &self.axis;
        let rate = -(axis.response[0].dot(v) + axis.response[1].dot(w)) * axis.factor;
        self.moved(v, w.plus(axis.free.scaled(rate)))
    }

    /// Calls `found` with the columns of N: N Nᵀ is the response of the body if the parent does not move.
    #[inline(always)]
    pub fn each_alone(&self, mut found: impl FnMut([V; 6])) {
        let still = self.own.times(0.0);
        if self.left == Left::Hinge {
            return found(self.moved(still, self.axis.free.scaled(self.axis.factor.sqrt())));
        }
        let [d0, l10, d1, l20, l21, d2] = self.inertia;
        let (zero, one) = (still.x, still.x.like(1.0));
        let columns = [
            (LaneVector { x: one, y: zero, z: zero }, d0),
            (LaneVector { x: -l10, y: one, z: zero }, d1),
            (LaneVector { x: l10 * l21 - l20, y: -l21, z: one }, d2),
        ];
        for (column, d) in columns {
            found(self.moved(still, column.scaled(d.sqrt())));
        }
    }

    /// Velocity of the center of mass and ω, from the velocity of the pivot and ω.
    #[inline(always)]
    fn moved(&self, v: LaneVector<V>, w: LaneVector<V>) -> [V; 6] {
        six(v.plus(self.own.cross(w)), w)
    }

    /// Product Uᵀ m of a ball joint.
    #[inline(always)]
    fn push_of(&self, moment: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = self.turn;
        a.scaled(moment.x).plus(b.scaled(moment.y)).plus(c.scaled(moment.z))
    }

    /// Product U v of a ball joint.
    #[inline(always)]
    fn turned_by(&self, v: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = self.turn;
        LaneVector { x: a.dot(v), y: b.dot(v), z: c.dot(v) }
    }

    /// Product J'⁻¹ m of a ball joint.
    #[inline(always)]
    fn solved(&self, m: LaneVector<V>) -> LaneVector<V> {
        solved(&self.inertia, m)
    }

    /// Product I_a u of a hinge.
    #[inline(always)]
    fn felt(&self, v: LaneVector<V>, w: LaneVector<V>) -> (LaneVector<V>, LaneVector<V>) {
        (symmetric(&self.mass, v).plus(self.push_of(w)), self.turned_by(v).plus(symmetric(&self.inertia, w)))
    }
}

impl<V: Lanes> PivotAxis<V> {
    #[inline(always)]
    fn place(&mut self, sides: &[JointSide<V>; 2]) {
        let x0 = sides[0].axes[0];
        let (r1, r2) = (sides[1].axes[1].cross(x0), sides[1].axes[2].cross(x0));
        let free = r1.cross(r2);
        let factor = reciprocal(free.dot(free));
        (self.free, self.held) = (free, [r1, r2]);
        self.dual = [r2.cross(free).scaled(factor), free.cross(r1).scaled(factor)];
    }
}

/// Spatial inertia for a point velocity v and an angular velocity ω: ½ vᵀ M v + ωᵀ K v + ½ ωᵀ J ω.
#[derive(Clone, Copy)]
pub(super) struct ArticulatedInertia<V> {
    /// Block M by rows.
    pub(super) mass: [V; 6],
    /// Block K = Hᵀ by rows.
    pub(super) both: [LaneVector<V>; 3],
    /// Block J by rows.
    pub(super) turn: [V; 6],
}

impl<V: Lanes> ArticulatedInertia<V> {
    #[inline(always)]
    fn unpacked(d: &[V; 21]) -> Self {
        Self {
            mass: [d[0], d[1], d[2], d[3], d[4], d[5]],
            both: [
                LaneVector { x: d[at(3, 0)], y: d[at(3, 1)], z: d[at(3, 2)] },
                LaneVector { x: d[at(4, 0)], y: d[at(4, 1)], z: d[at(4, 2)] },
                LaneVector { x: d[at(5, 0)], y: d[at(5, 1)], z: d[at(5, 2)] },
            ],
            turn: [d[at(3, 3)], d[at(4, 3)], d[at(4, 4)], d[at(5, 3)], d[at(5, 4)], d[at(5, 5)]],
        }
    }

    /// Inertia of a pure mass, written for the velocity of another point at `arm`.
    #[inline(always)]
    fn of_mass(mass: [V; 6], arm: LaneVector<V>) -> Self {
        let [a, b, c] = columns(&mass);
        let (a, b, c) = (arm.cross(a), arm.cross(b), arm.cross(c));
        let (x, y, z) = (
            LaneVector { x: -a.x, y: -b.x, z: -c.x },
            LaneVector { x: -a.y, y: -b.y, z: -c.y },
            LaneVector { x: -a.z, y: -b.z, z: -c.z },
        );
        let (a, b, c) = (arm.cross(x), arm.cross(y), arm.cross(z));
        Self { mass, both: [x, y, z], turn: [-a.x, -a.y, -b.y, -a.z, -b.z, -c.z] }
    }

    /// Rewrites the inertia for the velocity of another point at `arm`.
    #[inline(always)]
    fn shift(&mut self, arm: LaneVector<V>) {
        let [x, y, z] = self.both;
        let (k, l, m) = (arm.cross(x), arm.cross(y), arm.cross(z));
        let [a, b, c] = columns(&self.mass);
        let (a, b, c) = (arm.cross(a), arm.cross(b), arm.cross(c));
        let (x, y, z) = (
            LaneVector { x: x.x - a.x, y: x.y - b.x, z: x.z - c.x },
            LaneVector { x: y.x - a.y, y: y.y - b.y, z: y.z - c.y },
            LaneVector { x: z.x - a.z, y: z.y - b.z, z: z.z - c.z },
        );
        self.both = [x, y, z];
        let (a, b, c) = (arm.cross(x), arm.cross(y), arm.cross(z));
        let taken = [a.x + k.x, a.y + l.x, b.y + l.y, a.z + m.x, b.z + m.y, c.z + m.z];
        for place in 0..6 {
            self.turn[place] = self.turn[place] - taken[place];
        }
    }

    #[inline(always)]
    pub fn add_to(&self, d: &mut [V; 21]) {
        for place in 0..6 {
            d[place] = d[place] + self.mass[place];
        }
        for i in 0..3 {
            let row = elements(self.both[i]);
            for j in 0..3 {
                d[at(3 + i, j)] = d[at(3 + i, j)] + row[j];
            }
            for j in 0..=i {
                d[at(3 + i, 3 + j)] = d[at(3 + i, 3 + j)] + self.turn[at(i, j)];
            }
        }
    }

    /// Product Kᵀ ω.
    #[inline(always)]
    fn push_of(&self, w: LaneVector<V>) -> LaneVector<V> {
        let [a, b, c] = self.both;
        a.scaled(w.x).plus(b.scaled(w.y)).plus(c.scaled(w.z))
    }
}

/// Product of the inverse of a matrix with its factors L and D, and a vector.
#[inline(always)]
fn solved<V: Lanes>(factors: &[V; 6], m: LaneVector<V>) -> LaneVector<V> {
    let [d0, l10, d1, l20, l21, d2] = *factors;
    let y = m.y - m.x * l10;
    let z = (m.z - m.x * l20 - y * l21) * d2;
    let y = y * d1 - z * l21;
    LaneVector { x: m.x * d0 - y * l10 - z * l20, y, z }
}

#[inline(always)]
fn reciprocal<V: Lanes>(value: V) -> V {
    value.like(1.0) / value.greatest(value.like(LEAST))
}

#[inline(always)]
pub(super) fn columns<V: Lanes>(m: &[V; 6]) -> [LaneVector<V>; 3] {
    [
        LaneVector { x: m[0], y: m[1], z: m[3] },
        LaneVector { x: m[1], y: m[2], z: m[4] },
        LaneVector { x: m[3], y: m[4], z: m[5] },
    ]
}

/// Product of a symmetric matrix and a vector.
#[inline(always)]
pub(super) fn symmetric<V: Lanes>(m: &[V; 6], v: LaneVector<V>) -> LaneVector<V> {
    let [a, b, c] = columns(m);
    LaneVector { x: a.dot(v), y: b.dot(v), z: c.dot(v) }
}

#[inline(always)]
pub(super) fn halves<V: Copy>(six: &[V; 6]) -> (LaneVector<V>, LaneVector<V>) {
    let [x, y, z, a, b, c] = *six;
    (LaneVector { x, y, z }, LaneVector { x: a, y: b, z: c })
}
