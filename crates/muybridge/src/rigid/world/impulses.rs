//! Velocity solver of a substep: contacts, joint limits and motors.
//!
//! ```text
//! drive ── rows of contacts, near limits and motors ── solve ── a limit without a row is passed: add its row, solve its island again
//!   └──────────────── a motor exceeds its torque limit: it becomes a row, all again ────────────────────┘
//! ```
//! Specification: mathematics 4.7, 4.10 (H17, H18, H24).

use glam::DVec3;

use super::{Scratch, motors, rules};
use crate::rigid::forest::Forest;
use crate::rigid::model::Model;
use crate::rigid::motion::{Momentum, halves};
use crate::rigid::rattle::Mechanism;
use crate::rigid::row::{self, Contact, Falls, Rules};
use crate::rigid::settings::Settings;
use crate::rigid::solver::length_of_unit;
use crate::rigid::state::State;

/// Greatest number of solver runs per substep, each with more motors and limits as bounded rows.
const ATTEMPTS: u32 = 3;

impl Scratch {
    /// Solves contacts, joint limits and motors for velocities. Returns `true` if there is penetration to remove, with
    /// its impulses in `sums`.
    pub(super) fn touch(
        &mut self,
        mechanism: Mechanism<'_>,
        (model, settings): (&Model, &Settings),
        state: &mut State,
        (h, elapsed): (f64, f64),
    ) -> bool {
        let Self { drives, is_touched, .. } = &mut *self;
        drives.begin((model, h), &state.momenta, |body| is_touched[mechanism.forest.tree[body]]);
        self.drives.brake(mechanism, state, &self.contacts, h);
        self.mark_near();
        let mut is_afresh = true;
        for attempt in 1..=ATTEMPTS {
            if is_afresh {
                state.momenta.copy_from_slice(self.drives.before());
                self.drive(mechanism, (model, settings), state, (h, elapsed));
                self.unhindered.copy_from_slice(&state.momenta);
                self.measure(mechanism, &state.momenta);
                self.solver.begin(mechanism.forest);
                self.add_contacts(mechanism, state, &rules(settings, h));
                self.add_ranges();
                self.drives.add_rows(mechanism, (model, &state.poses), (h, elapsed), &mut self.solver.rows);
            }
            if !self.solver.rows.is_empty() {
                self.solve(mechanism, (model, settings), state, h);
            }
            if attempt == ATTEMPTS {
                break;
            }
            let passes = self.add_passed(mechanism, state, h);
            is_afresh = self.drives.bound(model, h);
            if !(passes || is_afresh) {
                break;
            }
        }
        state.impulses.clear();
        state.impulses.extend(self.solver.sorted().map(|row| (row.key, row.impulse / h)));
        self.find_bounces(mechanism, model, &rules(settings, h));
        let closes = self.find_closing(mechanism, &rules(settings, h));
        self.sums.copy_from_slice(&self.closing);
        if closes {
            self.measure_closing(mechanism);
        }
        let Self { solver, velocities, sums, .. } = self;
        let closing = closes.then_some(|body: usize| velocities[body]);
        let recovers = solver.recover(closing, (settings.iterations, settings.tolerance));
        if recovers {
            solver.impulses(sums, |_| true);
        }
        recovers || closes
    }

    /// Computes the velocities that the impulses in `sums` give to bodies at rest into `velocities`.
    fn measure_closing(&mut self, mechanism: Mechanism<'_>) {
        let mut momenta = core::mem::take(&mut self.kept);
        momenta.fill(Momentum::ZERO);
        self.absorb(mechanism, &mut momenta);
        self.measure(mechanism, &momenta);
        self.kept = momenta;
    }

    /// Computes the velocities of bodies with `momenta` into `velocities`.
    fn measure(&mut self, mechanism: Mechanism<'_>, momenta: &[Momentum<f64>]) {
        for &body in &mechanism.forest.order {
            self.velocities[body] = momenta[body].velocity(&mechanism.bodies[body], &self.rattle.axes[body]);
        }
    }

    /// Solves the rows and applies their impulses: all rows, or those of trees with new ones.
    fn solve(&mut self, mechanism: Mechanism<'_>, (model, settings): (&Model, &Settings), state: &mut State, h: f64) {
        let Self { rattle, driven, drives, solver, velocities, again, contacts, report, unhindered, .. } = &mut *self;
        let rattle = if drives.any() { driven } else { rattle };
        let first = solver.solved();
        solver.couple(mechanism, rattle, |body| velocities[body]);
        motors::stiffen(solver, drives, model, h);
        let mut rows = solver.rows[first..].iter_mut();
        while let Some(row) = rows.next() {
            let known = state.forces_from(row.key);
            let tangents = length_of_unit(row.of) - 1;
            for (row, place) in core::iter::once(row).chain(rows.by_ref().take(tangents)).zip(0..) {
                let force = known.get(place).filter(|force| force.0 == row.key).map_or(0.0, |force| force.1);
                row.impulse = (force * h).clamp(row.least, row.most);
            }
        }
        // Loops are solved together, so all trees are solved again.
        let is_all = first == 0 || !mechanism.forest.closing.is_empty();
        again.leave_out(mechanism.forest, |tree| !is_all && !solver.is_open(tree));
        report.passes += solver.solve(|contact| contacts[contact].friction, settings.iterations, settings.tolerance);
        if first > 0 {
            for &body in &again.order {
                state.momenta[body] = unhindered[body];
            }
        }
        self.sums.fill([0.0; 6]);
        self.solver.impulses(&mut self.sums, |body| self.again.has(body));
        let forest = core::mem::take(&mut self.again);
        let again = Mechanism { forest: &forest, ..mechanism };
        self.absorb(again, &mut state.momenta);
        if self.drives.any() {
            self.drives.take(again, model, &self.driven.factors.multipliers);
        }
        self.again = forest;
    }

    /// Applies the impulses in `sums` to trees, with motors and rolling resistance.
    pub(super) fn absorb(&mut self, mechanism: Mechanism<'_>, momenta: &mut [Momentum<f64>]) {
        if self.drives.any() {
            self.driven.absorb_driven(mechanism, (momenta, &self.sums), self.drives.brakes());
        } else {
            self.rattle.absorb(mechanism, momenta, &self.sums);
        }
    }

    fn add_contacts(&mut self, mechanism: Mechanism<'_>, state: &State, rules: &Rules) {
        let Self { rattle, contacts, velocities, solver, speeds, before, lifts, kept, meetings, .. } = self;
        let center = |contact: &Contact, side: usize| {
            contact.bodies[side].map_or_else(|| contact.point_on(side), |body| state.poses[body].place())
        };
        let speed = |contact: &Contact| {
            let [first, second] = [0, 1].map(|side: usize| {
                contact.bodies[side].filter(|&body| mechanism.forest.has(body)).map_or(0.0, |body| {
                    let (v, w) = halves(&velocities[body]);
                    (v + w.cross(contact.point_on(side) - center(contact, side))).dot(contact.normal)
                })
            });
            first - second
        };
        speeds.clear();
        speeds.extend(contacts.iter().map(speed));
        meetings.find((contacts, speeds), mechanism.forest, rules);
        lifts.clear();
        let mut is_unforced = false;
        let mut index = 0;
        for face in faces(contacts) {
            let own = &speeds[index..][..face.len()];
            let closes = |(contact, speed): (&Contact, &f64)| {
                contact.gap <= (contact.velocity.dot(contact.normal) - speed) * rules.step
            };
            let beside = if face.iter().zip(own).any(closes) { row::BESIDE } else { 0.0 };
            for (contact, &speed) in face.iter().zip(own) {
                let centers = [center(contact, 0), center(contact, 1)];
                let carries = |number: usize, tree: &[usize]| {
                    if lifts.is_empty() {
                        find_lifts(contacts, mechanism, state, rules, lifts);
                    }
                    lifts[number].carried(tree, (mechanism, &before.1), rules)
                };
                // Separation speed that the forces of the substep have given a body with joints.
                let jointed = |side: usize, body: usize| {
                    if !core::mem::replace(&mut is_unforced, true) {
                        mechanism.forest.order.iter().for_each(|&body| kept[body] = before.1[body]);
                        rattle.project(mechanism, kept);
                    }
                    let now = halves(&velocities[body]);
                    let was = kept[body].velocities(&mechanism.bodies[body], state.poses[body].turn());
                    let arm = contact.point_on(side) - centers[side];
                    ((now.0 - was.0) + (now.1 - was.1).cross(arm)).dot(contact.normal)
                };
                let falls = |is_fast| falls(contact, mechanism.forest, (rules, is_fast), carries, jointed);
                let speeds = (speed, beside, meetings.is_later(index));
                row::add_contact(&mut solver.rows, (index, contact), centers, speeds, (rules, falls));
                index += 1;
            }
        }
    }
}

/// Contacts of the same bodies along one normal.
pub(super) fn faces(contacts: &[Contact]) -> impl Iterator<Item = &[Contact]> {
    contacts.chunk_by(|one, next| one.bodies == next.bodies && one.normal == next.normal)
}

/// What gravity has added to the approach of a contact: nothing as far as something carries its bodies. `carries` gives
/// the share of a tree by its number and bodies; `jointed` what a body with joints has got at something fixed, by side.
fn falls(
    contact: &Contact,
    forest: &Forest,
    (rules, is_fast): (&Rules, bool),
    mut carries: impl FnMut(usize, &[usize]) -> f64,
    mut jointed: impl FnMut(usize, usize) -> f64,
) -> Falls {
    let whole = rules.kick.dot(contact.normal);
    let (mut falls, mut late) = ([0.0; 2], 0.0);
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let Some(body) = contact.bodies[side].filter(|&body| forest.has(body)) else { continue };
        let number = forest.tree[body];
        let tree = forest.of_tree(number);
        falls[side] = if forest.has_joints(number) {
            let may_bounce = is_fast && contact.bodies[1 - side].is_none() && rules.kick != DVec3::ZERO;
            if may_bounce { jointed(side, body) } else { 0.0 }
        } else if is_fast && contact.bodies[1 - side].is_some() {
            let carried = carries(number, tree);
            late += sign * carried * whole;
            (1.0 - carried) * whole
        } else {
            whole
        };
    }
    Falls { kick: falls[1] - falls[0], late: late.max(0.0) }
}

/// What contacts do to a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lift {
    /// Force upward in the last substep, newtons.
    force: f64,
    /// Whether it can lie on one of them.
    lies: bool,
}

/// Finds what contacts do to each tree.
fn find_lifts(contacts: &[Contact], mechanism: Mechanism<'_>, state: &State, rules: &Rules, lifts: &mut Vec<Lift>) {
    let forest = mechanism.forest;
    lifts.resize(forest.trees, Lift::default());
    let down = rules.kick.normalize_or_zero();
    for contact in contacts {
        let force = state.force(row::normal_key(contact)).unwrap_or_default();
        for (body, sign) in contact.bodies.into_iter().zip([1.0, -1.0]) {
            let Some(body) = body.filter(|&body| forest.has(body)) else { continue };
            let (lift, up) = (&mut lifts[forest.tree[body]], -sign * contact.normal.dot(down));
            lift.force += force * up;
            lift.lies |= up > STEEP && contact.gap <= rules.slop;
        }
    }
}

impl Lift {
    /// Share of the weight of its tree that contacts carried in the last substep. What has just woken lies on them.
    fn carried(self, tree: &[usize], (mechanism, before): (Mechanism<'_>, &[Momentum<f64>]), rules: &Rules) -> f64 {
        if self.lies && tree.iter().all(|&body| before[body] == Momentum::ZERO) {
            return 1.0;
        }
        let mass = tree.iter().map(|&body| mechanism.bodies[body].mass).sum::<f64>();
        let weight = mass * rules.kick.length() / rules.step;
        if weight > 0.0 { (self.force / weight).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Cosine to the vertical of a normal above which a body can lie on a contact.
pub(super) const STEEP: f64 = 0.7;
