//! Contact solver of the batch: contacts with friction and joint limits, solved by traversals of the trees, one
//! instance per lane.
//!
//! ```text
//! near      rows that may act within the step; farther ones have no impulse        w ≥ −gap/h,  w ≥ −room/h,  ‖λ_t‖ ≤ μ λ_n
//! walk      meet: rows of a body by Gauss–Seidel, u += W Δ      W of `tree::Answer`
//!           up:   impulses on a body pass to its parent, u_p += W_p Δ_p
//!           down: the body follows its parent, u += T Δu_p;  then the limits of its joint
//! ```
//! In a traversal every row sees the velocity due to all impulses so far, through all joints, at the cost of visiting
//! neighbors only. Impulses are warm-started. A lane whose velocities no longer change is frozen while others go on. A
//! row that no lane needs is left out. Neither changes the bits of another lane. Specification: mathematics 4.5.1, 4.7,
//! 4.10 (H17, H24).

use super::bounds::LaneLimit;
use super::pace::{Pace, Unrest};
use super::pair::LanePair;
use super::plan::{BatchColliders, Move};
use super::rows::{BEYOND, LaneContact, LaneLimitRow, TURN, add, add_times, turn_by, turns, wrench};
use super::{LanesOf, Settings};
use crate::math::lane_rotation::LaneVector;
use crate::math::lanes::Lanes;
use crate::rigid::motion::{Momentum, Pose};
use crate::rigid::rattle::{Mechanism, Rattle};
use crate::rigid::tree::{Answer, LEAST};

/// Stopping rule of the iterations.
#[derive(Clone, Copy)]
pub(super) struct Until {
    /// Greatest number of iterations.
    pub most: f64,
    /// Iterations end once they change velocities by less than this share of the first change.
    pub share: f64,
    /// Growth of the tolerance per iteration. Late iterations only redistribute load among a few rows; the next step
    /// continues that from the warm start.
    pub growth: f64,
}

/// Stopping rule of the velocity solver: contacts are less exact if much changes at once.
const ACT: Until = Until { most: 0.0, share: 0.03, growth: 1.2 };

/// Stopping rule where bodies of a tree touch each other.
const PAIRED: Until = Until { most: 60.0, share: 0.003, growth: 1.1 };

/// Rounds over the contacts of a body that touches another, per visit. A light body between a heavy one and the ground
/// passes on no more than its own momentum in a round.
const ROUNDS: u32 = 4;

/// Contact solver with buffers for one vector of instances.
#[derive(Clone, Debug)]
pub(super) struct LaneContactSolver<V> {
    pub(super) contacts: Vec<LaneContact<V>>,
    pub(super) rows: Vec<LaneLimitRow<V>>,
    /// Contacts between two bodies.
    pub pairs: Vec<LanePair<V>>,
    /// Ranges of each body's contacts and of its limit rows.
    pub(super) of_body: Vec<[core::ops::Range<usize>; 2]>,
    /// Whether a contact or limit is near on a body or below it in the tree.
    pub(super) is_busy: Vec<bool>,
    walks: [Vec<Move>; 2],
    answers: Vec<Answer<V>>,
    pub(super) velocities: Vec<[V; 6]>,
    /// Impulse on each body that its parent has not received yet.
    pub(super) pending: Vec<[V; 6]>,
    /// Velocity of the parent that each body has already followed.
    pub(super) seen: Vec<[V; 6]>,
    pub(super) sums: Vec<[V; 6]>,
    pub(super) kept: Vec<Momentum<V>>,
    pub(super) places: Vec<Pose<V>>,
    /// Joint limits at the measured poses, by body.
    pub(super) found: Vec<[LaneLimit<V>; 2]>,
    pub(super) zero: V,
    /// Activity of the lanes.
    pub(super) unrest: Unrest<V>,
    /// 1 in lanes with a point near a plane.
    pub touched: V,
    /// 1 in lanes in which a joint limit was corrected since [`Self::look`].
    pub held: V,
    /// 1 in lanes in which two bodies overlap.
    pub paired: V,
    /// Tolerance of the present iteration.
    enough: V,
    /// Greatest joint error after the drifts, meters or radians.
    pub worst: V,
    /// What each lane took.
    pub work: LaneWork<V>,
}

/// What the strides of a step took, by lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneWork<V> {
    pub strides: V,
    /// Trees factored, and solved for right-hand sides of all their bodies.
    pub factorizations: V,
    pub tree_solves: V,
    /// Iterations over contacts and limits, and corrections of single ones.
    pub passes: V,
    pub corrections: V,
}

impl<V: Lanes> LaneWork<V> {
    pub fn none(zero: V) -> Self {
        Self { strides: zero, factorizations: zero, tree_solves: zero, passes: zero, corrections: zero }
    }

    /// Counts factorizations and solutions in lanes where `lanes` is 1.
    #[inline(always)]
    pub fn count(&mut self, lanes: V, [factorizations, tree_solves]: [f64; 2]) {
        self.factorizations = self.factorizations + lanes * factorizations;
        self.tree_solves = self.tree_solves + lanes * tree_solves;
    }
}

impl Until {
    /// Numbers of the rule in all lanes.
    #[inline(always)]
    pub(super) fn like<V: Lanes>(self, zero: V) -> [V; 3] {
        [zero.like(self.most), zero.like(self.share), zero.like(self.growth)]
    }
}

impl<V: Lanes> LaneContactSolver<V> {
    pub fn new(zero: V, bodies: usize) -> Self {
        let six = vec![[zero; 6]; bodies];
        let none = LaneVector { x: zero, y: zero, z: zero };
        Self {
            places: vec![Pose::like(zero); bodies],
            found: vec![[LaneLimit { room: zero, turn: none }; 2]; bodies],
            kept: vec![Momentum { linear: none, angular: none }; bodies],
            contacts: Vec::new(),
            rows: Vec::new(),
            pairs: Vec::new(),
            of_body: vec![[0..0, 0..0]; bodies],
            is_busy: vec![false; bodies],
            walks: [Vec::new(), Vec::new()],
            answers: vec![Answer::none(zero); bodies],
            velocities: six.clone(),
            pending: six.clone(),
            seen: six.clone(),
            sums: six,
            unrest: Unrest::none(zero),
            zero,
            touched: zero,
            held: zero,
            paired: zero,
            enough: zero,
            worst: zero,
            work: LaneWork::none(zero),
        }
    }

    /// Solves contacts and limits and applies their impulses to the momenta. Forces have acted before; call
    /// [`Self::look`] at these poses first.
    pub fn act(
        &mut self,
        (rattle, mechanism): (&mut Rattle<V>, Mechanism<'_>),
        (plan, lanes, settings): (&BatchColliders, &mut LanesOf<V>, &Settings),
        pace: &Pace<V>,
    ) {
        lanes.touching.fill([self.zero; 3]);
        lanes.bounding.fill([self.zero; 2]);
        if self.contacts.is_empty() && self.rows.is_empty() && self.pairs.is_empty() {
            return;
        }
        let zero = self.zero;
        let (mut near, mut paired) = (zero, zero);
        zero.within(
            #[inline(always)]
            || {
                self.pairs.iter().for_each(|pair| paired = paired.greatest(pair.near));
                near = paired;
                self.contacts.iter().for_each(|contact| near = near.greatest(contact.near));
                self.rows.iter().for_each(|row| near = near.greatest(row.near));
            },
        );
        let live = near * pace.live;
        self.work.count(live, [0.0, 2.0]);
        self.give((rattle, mechanism), (plan, lanes), live);
        self.start((rattle, mechanism), lanes);
        self.prepare((rattle, mechanism), plan);
        let alone = Until { most: f64::from(settings.iterations), ..ACT }.like(zero);
        let is_paired = zero.like(0.5).is_below(paired);
        let mut until = PAIRED.like(zero);
        for i in 0..3 {
            until[i] = V::select(is_paired, until[i], alone[i]);
        }
        self.walk((rattle, mechanism), plan, (until, pace.stride * settings.tolerance), live);
        self.give((rattle, mechanism), (plan, lanes), live);
    }

    /// Applies impulses of rows that the momenta have not received yet, in lanes with rows.
    fn give(
        &mut self,
        (rattle, mechanism): (&mut Rattle<V>, Mechanism<'_>),
        (plan, lanes): (&BatchColliders, &mut LanesOf<V>),
        rows: V,
    ) {
        let zero = self.zero;
        zero.within(
            #[inline(always)]
            || {
                self.sums.fill([zero; 6]);
                for contact in &self.contacts {
                    let feeler = &plan.feelers[contact.feeler];
                    let had = &mut lanes.touching[contact.feeler];
                    let mut more = contact.impulse;
                    for i in 0..3 {
                        more[i] = more[i] - had[i];
                    }
                    *had = contact.impulse;
                    add(&mut self.sums[feeler.body], &wrench(feeler, contact.arm, &more));
                }
                for row in &self.rows {
                    let had = &mut lanes.bounding[row.body][row.bound];
                    let moment = row.turn.scaled(row.impulse - *had);
                    *had = row.impulse;
                    turn_by(&mut self.sums[row.body], moment);
                    if let Some(parent) = mechanism.forest.parent[row.body] {
                        turn_by(&mut self.sums[parent], -moment);
                    }
                }
                for pair in &mut self.pairs {
                    let given = pair.not_given();
                    add(&mut self.sums[pair.bodies[0]], &pair.wrench(0, &given));
                    add(&mut self.sums[pair.bodies[1]], &pair.wrench(1, &given));
                    pair.given = pair.impulse;
                }
                let has_rows = zero.like(0.5).is_below(rows);
                self.kept.copy_from_slice(&lanes.momenta);
                rattle.absorb(mechanism, &mut self.kept, &self.sums);
                for (momentum, kept) in lanes.momenta.iter_mut().zip(&self.kept) {
                    momentum.linear = LaneVector::select(has_rows, kept.linear, momentum.linear);
                    momentum.angular = LaneVector::select(has_rows, kept.angular, momentum.angular);
                }
            },
        );
    }

    /// Initializes the velocities that the iterations start from.
    fn start(&mut self, (rattle, mechanism): (&Rattle<V>, Mechanism<'_>), lanes: &LanesOf<V>) {
        let (zero, forest) = (self.zero, mechanism.forest);
        zero.within(
            #[inline(always)]
            || {
                for &body in &forest.order {
                    let velocity = lanes.momenta[body].velocity(&mechanism.bodies[body], &rattle.axes[body]);
                    self.velocities[body] = velocity;
                    self.pending[body] = [zero; 6];
                }
                for &body in &forest.order {
                    if let Some(parent) = forest.parent[body] {
                        self.seen[body] = self.velocities[parent];
                    }
                }
            },
        );
    }

    /// Computes responses of bodies and rows to impulses, and the traversal over busy bodies.
    pub(super) fn prepare(&mut self, (rattle, mechanism): (&Rattle<V>, Mechanism<'_>), plan: &BatchColliders) {
        let (zero, forest) = (self.zero, mechanism.forest);
        rattle.factors.answers(forest, &mut self.answers);
        for &body in &forest.order {
            if let Some(parent) = forest.parent[body] {
                self.is_busy[parent] |= self.is_busy[body];
            }
        }
        zero.within(
            #[inline(always)]
            || {
                for contact in &mut self.contacts {
                    let feeler = &plan.feelers[contact.feeler];
                    contact.answer(feeler, &self.answers[feeler.body]);
                }
                for row in &mut self.rows {
                    let Some(parent) = forest.parent[row.body] else { continue };
                    let LaneVector { x, y, z } = row.turn;
                    let (mut push, alone) = rattle.factors.passed_on(row.body, &[zero, zero, zero, x, y, z]);
                    turn_by(&mut push, -row.turn);
                    row.push = push;
                    row.above = self.answers[parent].by(&push);
                    row.own = rattle.factors.follows(row.body, &row.above);
                    add(&mut row.own, &alone);
                    let response = row.turn.dot(turns(&row.own).minus(turns(&row.above)));
                    row.response = [response, zero.like(1.0) / response.greatest(zero.like(LEAST))];
                }
                for pair in &mut self.pairs {
                    let [a, b] = pair.bodies;
                    pair.answer([&self.answers[a], &self.answers[b]]);
                }
            },
        );
        let Self { walks, pairs, of_body, .. } = self;
        for (list, walk) in walks.iter_mut().zip(&plan.walks) {
            list.clear();
            let is_busy = |&step: &Move| match step {
                Move::Meet(body) => {
                    !of_body[body][0].is_empty() || pairs.iter().any(|pair| pair.bodies.contains(&body))
                }
                Move::Down(body) | Move::Up(body) => self.is_busy[body],
            };
            list.extend(walk.iter().copied().filter(is_busy));
        }
    }

    /// Iterates until no velocity changes by more than the tolerance in any lane.
    pub(super) fn walk(
        &mut self,
        (rattle, mechanism): (&Rattle<V>, Mechanism<'_>),
        plan: &BatchColliders,
        ([most, share, growth], mut tolerance): ([V; 3], V),
        mut live: V,
    ) {
        let zero = self.zero;
        let walks = core::mem::take(&mut self.walks);
        zero.within(
            #[inline(always)]
            || {
                let mut rows = zero;
                self.contacts.iter().for_each(|contact| rows = rows + contact.near);
                self.rows.iter().for_each(|row| rows = rows + row.near);
                self.pairs.iter().for_each(|pair| rows = rows + pair.near);
                let mut pass = 0;
                live = V::select(zero.is_below(most), live, zero);
                while V::any(zero.is_below(live)) {
                    self.unrest.walks = self.unrest.walks + live;
                    self.work.passes = self.work.passes + live;
                    self.work.corrections = self.work.corrections + live * rows;
                    let mut change = zero;
                    let beyond = if pass == 0 { 1.0 } else { BEYOND };
                    self.enough = tolerance;
                    for &step in &walks[pass % 2] {
                        match step {
                            Move::Meet(body) => change = change.greatest(self.meet(plan, body, (live, beyond))),
                            Move::Up(body) => self.up(rattle, mechanism, body),
                            Move::Down(body) => {
                                change = change.greatest(self.down(rattle, mechanism, (body, live, beyond)));
                            }
                        }
                    }
                    if pass == 0 {
                        tolerance = tolerance.greatest(change * share);
                    }
                    pass += 1;
                    let goes_on = V::both(tolerance.is_below(change), zero.like(pass as f64).is_below(most));
                    tolerance = tolerance * growth;
                    live = V::select(goes_on, live, zero);
                }
            },
        );
        self.walks = walks;
    }

    /// Solves the contacts of a body. Returns the greatest velocity change.
    #[inline(always)]
    fn meet(&mut self, plan: &BatchColliders, body: usize, live: (V, f64)) -> V {
        let mut change = self.meet_planes(plan, body, live);
        if !self.pairs.iter().any(|pair| pair.bodies.contains(&body)) {
            return change;
        }
        let zero = self.zero;
        let mut held = zero;
        for contact in &self.contacts[self.of_body[body][0].clone()] {
            held = held.greatest(contact.near);
        }
        let mut going = live.0;
        for _ in 0..ROUNDS {
            let mut round = zero;
            for index in 0..self.pairs.len() {
                if self.pairs[index].bodies.contains(&body) {
                    round = round.greatest(self.meet_pair(index, (going, live.1)));
                }
            }
            change = change.greatest(round);
            let goes_on = V::both(self.enough.is_below(round), zero.like(0.5).is_below(held));
            going = V::select(goes_on, going, zero);
            if !V::any(zero.is_below(going)) {
                break;
            }
            self.meet_planes(plan, body, (going, BEYOND));
        }
        change
    }

    /// Solves the contacts of a body with planes. Returns the greatest velocity change.
    #[inline(always)]
    fn meet_planes(&mut self, plan: &BatchColliders, body: usize, live: (V, f64)) -> V {
        let mut change = self.zero;
        let mut velocity = self.velocities[body];
        for contact in &mut self.contacts[self.of_body[body][0].clone()] {
            let feeler = &plan.feelers[contact.feeler];
            let (given, changed) = contact.solve(feeler, &velocity, live);
            add(&mut velocity, &self.answers[body].by(&given));
            add(&mut self.pending[body], &given);
            change = change.greatest(changed);
        }
        self.velocities[body] = velocity;
        change
    }

    /// Solves a contact between two bodies. The velocity of the one that the traversal is not at lacks what has not come
    /// to it through the tree yet. Returns the velocity change.
    #[inline(always)]
    fn meet_pair(&mut self, index: usize, live: (V, f64)) -> V {
        let pair = &mut self.pairs[index];
        let [a, b] = pair.bodies;
        let (given, change) = pair.solve([&self.velocities[a], &self.velocities[b]], live);
        for (side, body) in [a, b].into_iter().enumerate() {
            let impulse = pair.wrench(side, &given);
            add(&mut self.velocities[body], &self.answers[body].by(&impulse));
            add(&mut self.pending[body], &impulse);
        }
        change
    }

    #[inline(always)]
    fn up(&mut self, rattle: &Rattle<V>, mechanism: Mechanism<'_>, body: usize) {
        let Some(parent) = mechanism.forest.parent[body] else { return };
        let (given, _) = rattle.factors.passed_on(body, &self.pending[body]);
        self.pending[body] = [self.zero; 6];
        let felt = self.answers[parent].by(&given);
        add(&mut self.velocities[parent], &felt);
        add(&mut self.pending[parent], &given);
        // What the parent got from elsewhere meanwhile comes to the body on the next way down.
        add(&mut self.seen[body], &felt);
    }

    /// Moves a body along with its parent, then solves the joint limit between them. Returns the greatest velocity
    /// change.
    #[inline(always)]
    fn down(&mut self, rattle: &Rattle<V>, mechanism: Mechanism<'_>, (body, live, beyond): (usize, V, f64)) -> V {
        let mut change = self.zero;
        let Some(parent) = mechanism.forest.parent[body] else { return change };
        let mut above = self.velocities[parent];
        let mut moved = above;
        for i in 0..6 {
            moved[i] = above[i] - self.seen[body][i];
        }
        let mut own = self.velocities[body];
        add(&mut own, &rattle.factors.follows(body, &moved));
        for row in &mut self.rows[self.of_body[body][1].clone()] {
            let rate = row.turn.dot(turns(&own).minus(turns(&above)));
            let wanted = row.impulse + (row.target - rate) * (row.response[1] * beyond);
            let given = (wanted.greatest(self.zero) - row.impulse) * (row.near * live);
            row.impulse = row.impulse + given;
            add_times(&mut above, &row.above, given);
            add_times(&mut own, &row.own, given);
            add_times(&mut self.pending[parent], &row.push, given);
            change = change.greatest((given * row.response[0]).abs() * (1.0 / TURN));
        }
        self.velocities[parent] = above;
        self.velocities[body] = own;
        self.seen[body] = above;
        change
    }
}
