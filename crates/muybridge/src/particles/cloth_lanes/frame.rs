//! One frame of a sheet: from the state into lanes, all substeps there, and back.
//!
//! ```text
//! D' = k D + g h²,   k = e^{−c h}       the origin falls by D, from the mean motion of the sheet
//! d' = k d + w F h²                      and a particle relative to it, so that f32 numbers stay small
//! ```
//! Displacements of the state are those of its own substep h*; (3.1.2) converts them. What it reads as velocity is
//! ```text
//! v(t) = d/h + ā (t − t_d)     at the middles of h* and of its span; t_d the middle of the last h of the sheet
//! ```
//! with the mean acceleration ā of the particle in the frame, so that what hangs at rest has none. It is 0 where the sheet
//! could touch something: bodies take its whole impulse at once. What is read keeps the spin. [`State::rounding`] leads from there to (3.1.2).

use glam::DVec3;

use super::contact::{self, Now, Particles, Push, RECOVERY_SPEED};
use super::fine::{self, FacePoint, FineSolid};
use super::kernel::{self, X_TO_Z};
use super::layout::{BLOCK, NUMBERS};
use super::meeting::{Around, Solid, TouchedBody};
use super::sheet::{Pin, PinnedTo, Sheet};
use super::solid::narrow;
use super::strain::strain;
use crate::math::single_lanes::{SingleKernel, SingleLanes};
use crate::particles::spin::{LaneMoments, Moments, Spin};
use crate::particles::state::State;
use crate::particles::verlet::Stride;

/// Times and accelerations of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    /// Duration of the frame, seconds, and of a substep of the sheet.
    pub seconds: f64,
    pub substep: f64,
    pub substeps: u32,
    /// Substep in parts of that of the frame before; 1 if it is hardly shorter.
    pub shortening: f64,
    /// Greatest speed of a particle at the start, m/s.
    pub speed: f64,
    /// Whether nothing is near that the sheet may touch in the frame.
    pub is_apart: bool,
    /// Substep of the state before the frame, and the one that its velocities have after it, seconds.
    pub last_substep: f64,
    pub next_substep: f64,
    pub gravity: DVec3,
    /// Inverse masses of the model, 1/kg.
    pub inverse_masses: &'a [f64],
    /// Positions at the start of the frame, meters.
    pub starts: &'a [DVec3],
}

/// A sheet while it is stepped.
pub(super) struct Run<'a> {
    pub sheet: &'a mut Sheet,
    pub frame: Frame<'a>,
    /// Solids that the sheet may meet, and pairs of a block and a solid.
    pub solids: &'a [Solid],
    pub near: &'a [[u32; 2]],
    /// Solids that touch points of faces, and these points.
    pub fine: &'a [FineSolid],
    pub points: &'a [FacePoint],
    pub now: &'a mut Vec<Now>,
    pub pushes: &'a mut Vec<Push>,
    pub bodies: &'a mut [TouchedBody],
    pub around: Around<'a>,
    pub loaded: Loaded,
    /// Sum of mass times displacement of the sheet in the last substep by its impulses, kg m.
    pub momentum: DVec3,
    pub deepest: f64,
    /// Depth of the deepest point at the start of the frame, meters.
    pub overlap: f64,
    /// Greatest strain at the end; 0 of a sheet that is fine, so slow and apart.
    pub strain: f64,
}

/// A sheet in lanes at the start of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loaded {
    /// Position of the origin, and its displacement in a substep: the mean of the sheet, meters.
    pub origin: DVec3,
    pub displacement: DVec3,
    /// Sum of the forces on particles that move, newtons; `None` if no particle feels one.
    pub force: Option<DVec3>,
    /// Whether nothing is near that it may touch in the frame.
    pub is_alone: bool,
    /// Angular momentum that it should have; `None` if more than gravity, drag and bodies act on it.
    pub spin: Option<Spin>,
    /// Rotation about its center of mass that is added to the displacements, and that center relative to the origin.
    pub turn: [DVec3; 2],
}

/// Loads a sheet from the state.
pub(super) fn load(sheet: &mut Sheet, frame: &Frame, state: &State) -> Loaded {
    let range = sheet.particles.clone();
    let (starts, inverse_masses) = (&frame.starts[range.clone()], &frame.inverse_masses[range.clone()]);
    let [previous, rounding, forces] = [&state.previous, &state.rounding, &state.forces].map(|all| &all[range.clone()]);
    let (stride, square) = (Stride::new(frame.substep, frame.last_substep), frame.substep * frame.substep);
    let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (mut mean, mut force, mut has_forces) = (DVec3::ZERO, DVec3::ZERO, false);
    for (particle, &mass) in sheet.masses_of.iter().enumerate() {
        let start = starts[particle];
        (least, most) = (least.min(start), most.max(start));
        mean += (start - previous[particle] + rounding[particle]) * mass;
        has_forces |= forces[particle] != DVec3::ZERO;
        force += if mass > 0.0 { forces[particle] } else { DVec3::ZERO };
    }
    let origin = (0.5 * (least + most)).round();
    let own = stride.square - square;
    if sheet.mass > 0.0 {
        mean = mean * (stride.ratio / sheet.mass) + (frame.gravity + force / sheet.mass) * own;
    }
    for pin in &mut sheet.pins {
        pin.velocity = (frame.starts[pin.particle] - state.previous[pin.particle]) / frame.last_substep;
    }
    let fall = frame.gravity * own - mean;
    let was_fine = sheet.is_fine;
    let is_slow = FINER * frame.speed * frame.seconds <= (most - least).max_element();
    sheet.is_fine = frame.is_apart && !sheet.pins.is_empty() && !sheet.hangs_on_body() && is_slow;
    if was_fine && !sheet.is_fine {
        sheet.bases.fill(0.0);
        sheet.pin_bases.fill([0.0; 3]);
    }
    let (now, before, pushed) = (&mut sheet.now[..], &mut sheet.before[..], &mut sheet.pushed[..]);
    let mut moments = Moments::NONE;
    for (particle, &at) in sheet.offsets.iter().enumerate() {
        let start = starts[particle];
        let mut d = (start - previous[particle] + rounding[particle]) * stride.ratio + fall;
        if has_forces {
            let acceleration = forces[particle] * inverse_masses[particle];
            d += acceleration * own;
            set(pushed, at, narrow(acceleration * square));
        }
        moments.add(sheet.masses_of[particle], start - origin, d);
        let mut place = start - origin;
        if sheet.is_fine {
            set(&mut sheet.bases, at, narrow(place));
            place -= read(&sheet.bases, at);
        }
        let (x, d) = (narrow(place), narrow(d));
        set(now, at, x);
        set(before, at, [x[0] - d[0], x[1] - d[1], x[2] - d[2]]);
    }
    if sheet.is_fine {
        for (pin, base) in sheet.pins.iter().zip(&mut sheet.pin_bases) {
            *base = narrow(read(&sheet.bases, pin.at));
        }
    }
    sheet.pulled.fill([0.0; NUMBERS]);
    sheet.hung_sticks.iter_mut().for_each(|stick| stick.moved = DVec3::ZERO);
    let is_free = sheet.pins.is_empty() && !has_forces && sheet.mass > 0.0;
    let spin = is_free.then(|| moments.spin(origin));
    let turn = [DVec3::ZERO; 2];
    Loaded { origin, displacement: mean, force: has_forces.then_some(force), is_alone: false, spin, turn }
}

fn set(numbers: &mut [f32], at: usize, to: [f32; 3]) {
    if let Some(place) = numbers.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<X_TO_Z>()) {
        (place[0], place[BLOCK], place[2 * BLOCK]) = (to[0], to[1], to[2]);
    }
}

impl SingleKernel for &mut Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: SingleLanes>(self, token: V::Token) {
        let Frame { substep: h, substeps, shortening, gravity, .. } = self.frame;
        let keep = libm::exp(-self.sheet.drag * h);
        let greatest = [RECOVERY_SPEED * h, 2.0 * gravity.length() * h * h];
        let most = greatest.map(|way| way as f32);
        let pushed = (gravity * self.sheet.mass + self.loaded.force.unwrap_or_default()) * (h * h);
        self.momentum = self.loaded.displacement * self.sheet.mass;
        self.now.clear();
        for solid in self.solids {
            let margin = self.sheet.radius + solid.margin;
            self.now.push(Now::new(&solid.placed(0.0, &self.around), self.loaded.origin, margin, solid));
        }
        for substep in 1..=substeps {
            let done = f64::from(substep) / f64::from(substeps);
            let before = self.loaded.origin;
            self.loaded.displacement = self.loaded.displacement * keep + gravity * (h * h);
            self.loaded.origin += self.loaded.displacement;
            self.momentum = self.momentum * keep + pushed;
            self.loaded.spin.iter_mut().for_each(|spin| spin.sum *= keep);
            self.bodies.iter_mut().for_each(|body| body.advance(h));
            self.place([f64::from(substep - 1) / f64::from(substeps), done], before);
            let sheet = &mut *self.sheet;
            let lanes = sheet.program.lanes;
            kernel::fall::<V>(token, &mut sheet.now, &mut sheet.before, lanes, (keep as f32, [0.0; 3]));
            if self.loaded.force.is_some() {
                kernel::push::<V>(token, &mut sheet.now, &sheet.pushed, lanes);
            }
            hold(sheet);
            let releases = f64::from(substep) * shortening < 1.0 && !sheet.hangs_on_body();
            if releases {
                sheet.unheld.copy_from_slice(&sheet.now);
            }
            hung_sticks(sheet);
            if sheet.is_fine {
                hold_lengths::<V, true>(token, sheet);
            } else {
                hold_lengths::<V, false>(token, sheet);
            }
            if releases {
                release(sheet, (1.0 - shortening) as f32);
            }
            let (all, all_before) = (&mut sheet.now[..], &mut sheet.before[..]);
            for &[block, solid] in self.near {
                let at = block as usize * NUMBERS;
                let (now, before) = (&mut all[at..], &mut all_before[at..]);
                let masses = &sheet.masses[block as usize * BLOCK..];
                let (Some(now), Some(before), Some(masses)) =
                    (now.first_chunk_mut(), before.first_chunk_mut(), masses.first_chunk())
                else {
                    continue;
                };
                let (solid, push) = (&self.now[solid as usize], &mut self.pushes[solid as usize]);
                contact::keep_out::<V>(token, &mut Particles { now, before, masses, lanes }, solid, most, push);
            }
            let shares = [f64::from(substep - 1) / f64::from(substeps), done];
            let around =
                fine::Substep { around: &self.around, shares, origins: [before, self.loaded.origin], most: greatest };
            let deepest = fine::keep_out(sheet, self.points, self.fine, &around);
            hold(sheet);
            self.deepest = deepest;
            self.note(done);
            if substep == 1 {
                self.overlap = self.deepest;
            }
        }
        let sheet = &*self.sheet;
        self.strain = if sheet.is_fine { 0.0 } else { strain::<V>(token, &sheet.now, &sheet.program) };
    }
}

impl Run<'_> {
    /// Places pins and solids at the end of a substep; `before` is the origin at its start.
    fn place(&mut self, [was, done]: [f64; 2], before: DVec3) {
        let (around, origin) = (&self.around, self.loaded.origin);
        let Sheet { pins, pins_now, pin_bases, .. } = &mut *self.sheet;
        for ((pin, now), base) in pins.iter().zip(pins_now).zip(pin_bases) {
            let [from, to] = pin.places(around.starts, around.positions, around.pins);
            *now = narrow(from + (to - from) * done - origin - DVec3::from_array(base.map(f64::from)));
        }
        self.pushes.clear();
        self.pushes.resize(self.solids.len(), Push::NONE);
        for (solid, now) in self.solids.iter().zip(self.now.iter_mut()) {
            let drift = solid.drift([done, done - was], around, self.bodies);
            let margin = self.sheet.radius + solid.margin;
            now.advance(&solid.placed_among(done, around, self.bodies), &drift, [before, origin], margin);
        }
    }

    /// Adds the pushes of a substep to the bodies that were touched.
    fn note(&mut self, done: f64) {
        for (solid, push) in self.solids.iter().zip(self.pushes.iter()).filter(|(_, push)| push.touches) {
            self.deepest = self.deepest.max(push.deepest() - solid.margin);
            let total = push.total();
            self.momentum += total[0];
            let placed = solid.placed_among(done, &self.around, self.bodies);
            if let Some(spin) = &mut self.loaded.spin {
                spin.take(total, placed.reference());
            }
            let Some(body) = solid.body.map(|body| &mut self.bodies[body]) else { continue };
            let arm = placed.reference() - body.center(done);
            body.take(total.map(|sum| -sum / self.frame.substep), arm, 1.0 - done);
        }
        if let Some(spin) = &mut self.loaded.spin {
            spin.center += self.momentum / self.sheet.mass;
        }
    }
}

impl Run<'_> {
    /// Gives back the momentum that the rounding of f32 numbers took, and the angular momentum that sticks took too. Only a
    /// sheet without pins, whose every impulse is counted, gets it.
    pub fn keep_momentum(&mut self) {
        let sheet = &*self.sheet;
        if !sheet.pins.is_empty() || !self.points.is_empty() || sheet.mass <= 0.0 {
            return;
        }
        let moments = moments(sheet);
        self.loaded.displacement = (self.momentum - moments.momentum()) / sheet.mass;
        if let Some(spin) = self.loaded.spin {
            let missing = spin.sum - moments.spin(self.loaded.origin).sum;
            self.loaded.turn = [moments.turn(missing), moments.center()];
        }
    }
}

/// Moments of a sheet in lanes, relative to its origin.
fn moments(sheet: &Sheet) -> Moments {
    let mut all = LaneMoments::<BLOCK>::NONE;
    let (nows, befores) = (sheet.now.as_chunks::<BLOCK>().0, sheet.before.as_chunks::<BLOCK>().0);
    let blocks = nows.as_chunks::<3>().0.iter().zip(befores.as_chunks::<3>().0);
    for ((now, before), masses) in blocks.zip(sheet.masses.as_chunks::<BLOCK>().0) {
        all.add(masses, now.each_ref(), before.each_ref());
    }
    all.total()
}

fn read(numbers: &[f32], at: usize) -> DVec3 {
    let Some(place) = numbers.get(at..).and_then(|rest| rest.first_chunk::<X_TO_Z>()) else { return DVec3::ZERO };
    DVec3::new(f64::from(place[0]), f64::from(place[BLOCK]), f64::from(place[2 * BLOCK]))
}

fn hold(sheet: &mut Sheet) {
    for (pin, place) in sheet.pins.iter().zip(&sheet.pins_now) {
        for axis in 0..3 {
            sheet.now[pin.at + axis * BLOCK] = place[axis];
        }
    }
}

/// Projects ribs, sticks and tethers.
#[inline(always)]
fn hold_lengths<V: SingleLanes, const FINE: bool>(token: V::Token, sheet: &mut Sheet) {
    let pulls = sheet.hangs_on_body();
    let Sheet { now, bases, ribs, program, tethers, pins_now, pin_bases, pulled, .. } = sheet;
    kernel::project_sticks::<V, 1, FINE>(token, now, bases, ribs);
    kernel::project_sticks::<V, 0, FINE>(token, now, bases, program);
    let pulled = if pulls { &mut pulled[..] } else { &mut [] };
    kernel::pull_tethers::<V, FINE>(token, (now, bases), (tethers, pins_now, pin_bases), pulled, program.lanes);
}

/// Takes a share of the speed that sticks gave. The strain that longer substeps left is no more energy to shorter ones.
fn release(sheet: &mut Sheet, share: f32) {
    let moves = sheet.now.iter().zip(sheet.unheld.iter());
    sheet.before.iter_mut().zip(moves).for_each(|(before, (now, unheld))| *before += (now - unheld) * share);
}

/// Projects the sticks to pins on bodies, and sums the moves.
#[inline(always)]
fn hung_sticks(sheet: &mut Sheet) {
    for stick in &mut sheet.hung_sticks {
        let pin = sheet.pins_now[stick.pin];
        let x = [0, 1, 2].map(|axis| sheet.now[stick.at + axis * BLOCK]);
        let d = [0, 1, 2].map(|axis| pin[axis] - x[axis]);
        let q = ((d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) * stick.inverse_square).min(2.0) - 1.0;
        let s = q * (q * -0.207 + 0.5) * stick.share;
        for axis in 0..3 {
            let to = x[axis] + d[axis] * s;
            stick.moved[axis] += f64::from(to - x[axis]);
            sheet.now[stick.at + axis * BLOCK] = to;
        }
    }
}

impl Pin {
    /// Places at the start and at the end of the frame, meters.
    pub fn places(&self, starts: &[DVec3], positions: &[DVec3], pins: &[Option<DVec3>]) -> [DVec3; 2] {
        match self.on {
            PinnedTo::Itself => {
                let start = starts[self.particle];
                [start, pins[self.particle].unwrap_or(start)]
            }
            PinnedTo::Place(place) => [place; 2],
            PinnedTo::Body { point, .. } => [point.position(starts), point.position(positions)],
        }
    }
}

/// Writes a sheet back to the state, and gives bodies the pull of pins. Returns whether all numbers are finite; otherwise
/// the particles stop where they were.
pub(super) fn store(
    sheet: &Sheet,
    frame: &Frame,
    &Loaded { origin, displacement, force, is_alone, spin, turn: [turn, center] }: &Loaded,
    state: &mut State,
    bodies: &mut [TouchedBody],
) -> bool {
    let (h, next) = (frame.substep, frame.next_substep);
    let (ratio, square) = (next / h, 0.5 * h * (next - h));
    let (now, before, range) = (&sheet.now[..], &sheet.before[..], sheet.particles.clone());
    let is_sound = is_sound(now, before, (FASTEST * h) as f32);
    let (stride, span) = (Stride::new(h, frame.last_substep), state.span);
    let (starts, inverse_masses) = (&frame.starts[range.clone()], &frame.inverse_masses[range.clone()]);
    let State { positions, previous, earlier, rounding, forces, .. } = state;
    let [positions, previous, earlier, rounding] =
        [positions, previous, earlier, rounding].map(|all| &mut all[range.clone()]);
    let forces = &forces[range];
    let states = positions.iter_mut().zip(&mut *previous).zip(earlier).zip(&mut *rounding);
    let given = starts.iter().zip(forces).zip(inverse_masses);
    let of_span = (span / h, 0.5 * h * (span - h));
    for ((&at, (((position, previous), earlier), rounding)), ((&start, &own_force), &inverse_mass)) in
        sheet.offsets.iter().zip(states).zip(given)
    {
        if !is_sound {
            [*position, *previous, *earlier] = [start; 3];
            *rounding = DVec3::ZERO;
            continue;
        }
        let (own, mut free, mut mean) = (read(now, at), frame.gravity, DVec3::ZERO);
        let place = if sheet.is_fine { own + read(&sheet.bases, at) } else { own };
        if force.is_some() {
            free += own_force * inverse_mass;
        }
        let moved = own - read(before, at) + displacement + turn.cross(place - center);
        if is_alone {
            let last = start - *previous + *rounding;
            let first = last * stride.ratio + free * (stride.square - h * h);
            mean = (moved - first) / (h * frame.seconds);
        }
        *position = origin + place;
        *previous = *position - (moved - mean * square) * ratio;
        *earlier = *position - (moved - mean * of_span.1) * of_span.0;
        *rounding = (mean - free) * (square * ratio);
    }
    if let Some(spin) = spin.filter(|_| is_alone && is_sound) {
        let mut moments = Moments::NONE;
        let masses = || sheet.masses_of.iter().enumerate();
        masses().for_each(|(it, &mass)| moments.add(mass, positions[it] - origin, positions[it] - previous[it]));
        let (turn, center) = (moments.turn(spin.sum * ratio - moments.spin(origin).sum), origin + moments.center());
        for (it, _) in masses() {
            let more = turn.cross(positions[it] - center);
            previous[it] -= more;
            rounding[it] -= more;
        }
    }
    for (index, pin) in sheet.pins.iter().enumerate() {
        let [from, to] = pin.places(frame.starts, &state.positions, &state.pins);
        let speed = (to - from) / frame.seconds;
        let (before, earlier) = match pin.on {
            PinnedTo::Body { point, .. } => (point.position(&state.previous), point.position(&state.earlier)),
            PinnedTo::Itself | PinnedTo::Place(_) => (to - speed * next, to - speed * state.span),
        };
        let particle = pin.particle;
        (state.positions[particle], state.previous[particle], state.earlier[particle]) = (to, before, earlier);
        state.rounding[particle] = DVec3::ZERO;
        let PinnedTo::Body { body, .. } = pin.on else { continue };
        let mass = 1.0 / frame.inverse_masses[particle];
        let falls = (frame.gravity * mass + state.forces[particle]) * frame.seconds;
        let gained = ((to - before) / next - pin.velocity) * mass;
        let pull = falls - gained - sheet.pulled_by(index) / h;
        if let Some(body) = bodies.iter_mut().find(|it| it.body == body).filter(|_| is_sound) {
            body.take([pull, DVec3::ZERO], to - body.center(1.0), 0.5);
        }
    }
    is_sound
}

impl Run<'_> {
    /// Takes the energy that a sheet in a solid got in the frame beyond what its weight and the speed of solids give, of which
    /// obstacles have `fastest` (m/s): sticks pull it back as often as it is pushed out. Bodies keep their momentum with it.
    pub fn keep_energy_below(&mut self, state: &State, before: &[TouchedBody], fastest: f64) {
        let moved = self.bodies.iter().filter(|body| !body.answers());
        let fastest = moved.map(|body| body.speed(self.frame.seconds)).fold(fastest, f64::max);
        let pin = |pin: &Pin| {
            let [from, to] = pin.places(self.around.starts, self.around.positions, self.around.pins);
            from.distance(to) / self.frame.seconds
        };
        let fastest = self.sheet.pins.iter().map(pin).fold(fastest, f64::max);
        let (sheet, h) = (&mut *self.sheet, self.frame.substep);
        let range = sheet.particles.clone();
        let (starts, previous) = (&self.frame.starts[range.clone()], &state.previous[range]);
        let (mut most, mut now) = (2.0 * fastest * fastest * sheet.mass, 0.0);
        let (mut momentum, mut earlier) = (DVec3::ZERO, DVec3::ZERO);
        for (particle, (&mass, &at)) in sheet.masses_of.iter().zip(&sheet.offsets).enumerate() {
            let v = (starts[particle] - previous[particle]) / self.frame.last_substep;
            let fallen = self.loaded.origin + read(&sheet.now, at) - starts[particle];
            earlier += mass * v;
            most += mass * (0.5 * v.length_squared() + self.frame.gravity.dot(fallen));
            let v = (read(&sheet.now, at) - read(&sheet.before, at) + self.loaded.displacement) / h;
            now += 0.5 * mass * v.length_squared();
            momentum += mass * v;
        }
        if sheet.mass <= 0.0 {
            return;
        }
        let mean = momentum / sheet.mass;
        let alone = earlier / sheet.mass + self.frame.gravity * self.frame.seconds;
        let (mut kept, mut answers) = (mean, false);
        for (body, before) in self.bodies.iter_mut().zip(before).filter(|(body, _)| body.answers()) {
            kept += body.keep_share(before, (sheet.mass, alone), self.frame.seconds) / sheet.mass;
            answers = true;
        }
        let [whole, left] = if answers { [mean, kept] } else { [DVec3::ZERO; 2] };
        let [of_whole, of_left] = [whole, left].map(|v| 0.5 * sheet.mass * v.length_squared());
        let share = ((most - of_left).max(0.0) / (now - of_whole)).sqrt().min(1.0);
        if !(share < 1.0 || left != whole) {
            return;
        }
        for &at in &sheet.offsets {
            let d = read(&sheet.now, at) - read(&sheet.before, at) + self.loaded.displacement;
            let slowed = (d - whole * h) * (1.0 - share) + (whole - left) * h;
            let before = narrow(read(&sheet.before, at) + slowed);
            set(&mut sheet.before, at, before);
        }
    }
}

/// Whether no particle moved farther than `most`, meters, in the last substep.
fn is_sound(now: &[f32], before: &[f32], most: f32) -> bool {
    let mut all = true;
    for (now, before) in now.chunks_exact(NUMBERS).zip(before.chunks_exact(NUMBERS)) {
        for lane in 0..BLOCK {
            let d = [0, 1, 2].map(|axis| now[axis * BLOCK + lane] - before[axis * BLOCK + lane]);
            // NaN compares false.
            all &= d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= most * most;
        }
    }
    all
}

impl Sheet {
    /// Mass times displacement that sticks and tethers to a pin gave the sheet in the frame, kg m.
    fn pulled_by(&self, pin: usize) -> DVec3 {
        let sticks = self.hung_sticks.iter().filter(|stick| stick.pin == pin);
        let mut sum = sticks.fold(DVec3::ZERO, |sum, stick| sum + stick.moved * stick.mass);
        for (tether, pulled) in self.tethers.iter().zip(&self.pulled) {
            for lane in (0..BLOCK).filter(|&lane| tether.pins[lane] as usize == pin) {
                let mass = f64::from(self.masses[tether.block as usize * BLOCK + lane]);
                sum += DVec3::from_array([0, 1, 2].map(|axis| f64::from(pulled[axis * BLOCK + lane]))) * mass;
            }
        }
        sum
    }
}

/// Size of a sheet in displacements of a frame from which on its numbers are relative to the start of the frame: numbers of the
/// size of the sheet are rounded by 6e-8 of it in every projection, which would let it tremble by millimeters a second.
const FINER: f64 = 256.0;

/// Greatest speed of a particle relative to its sheet, m/s; a greater one is no result.
const FASTEST: f64 = 1e4;
