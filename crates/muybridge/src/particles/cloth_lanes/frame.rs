//! One frame of a sheet: from the state into lanes, all substeps there, and back.
//!
//! ```text
//! D' = k D + g h²,   k = e^{−c h}       the origin falls by D, from the mean motion of the sheet
//! d' = k d + w F h²                      and a particle relative to it, so that f32 numbers stay small
//! ```
//! Displacements of the state are those of its own substep h*; (3.1.2) converts them, and its inverse back.

use glam::DVec3;

use super::contact::{self, Now, Particles, Push, RECOVERY_SPEED};
use super::fine::{self, FacePoint, FineSolid};
use super::kernel;
use super::layout::{BLOCK, NUMBERS};
use super::meeting::{Around, Solid, TouchedBody};
use super::sheet::{Pin, PinnedTo, Sheet};
use super::solid::narrow;
use crate::math::single_lanes::{SingleKernel, SingleLanes};
use crate::particles::state::State;
use crate::particles::verlet::Stride;

/// Times and accelerations of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<'a> {
    /// Duration of the frame, seconds, and of a substep of the sheet.
    pub seconds: f64,
    pub substep: f64,
    pub substeps: u32,
    /// Substep of the state before the frame, and the one that its velocities have after it, seconds.
    pub last_substep: f64,
    pub next_substep: f64,
    pub gravity: DVec3,
    /// Inverse masses of the model, 1/kg.
    pub inverse_masses: &'a [f64],
    /// Positions at the start of the frame, meters.
    pub starts: &'a [DVec3],
}

/// Place of empty lanes, far from everything, meters.
const NOWHERE: f32 = 1e4;

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
}

/// A sheet in lanes at the start of a frame.
pub(super) struct Loaded {
    /// Position of the origin, and its displacement in a substep: the mean of the sheet, meters.
    pub origin: DVec3,
    pub displacement: DVec3,
    /// Sum of the forces on particles that move, newtons; `None` if no particle feels one.
    pub force: Option<DVec3>,
}

/// Loads a sheet from the state.
pub(super) fn load(sheet: &mut Sheet, frame: &Frame, state: &State) -> Loaded {
    let range = sheet.particles.clone();
    let (mut least, mut most) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for &start in &frame.starts[range.clone()] {
        (least, most) = (least.min(start), most.max(start));
    }
    let origin = (0.5 * (least + most)).round();
    let has_forces = state.forces[range.clone()].iter().any(|&force| force != DVec3::ZERO);
    let (stride, square) = (Stride::new(frame.substep, frame.last_substep), frame.substep * frame.substep);
    let displacement = |particle: usize| {
        let acceleration = frame.gravity + state.forces[particle] * frame.inverse_masses[particle];
        let last = frame.starts[particle] - state.previous[particle] + state.rounding[particle];
        last * stride.ratio + acceleration * (stride.square - square)
    };
    let (mut mean, mut force) = (DVec3::ZERO, DVec3::ZERO);
    for (particle, &at) in range.clone().zip(&sheet.offsets) {
        let mass = sheet.mass_at(at);
        if mass > 0.0 {
            mean += displacement(particle) * mass;
            force += state.forces[particle];
        }
    }
    if sheet.mass > 0.0 {
        mean /= sheet.mass;
    }
    for pin in &mut sheet.pins {
        pin.velocity = (frame.starts[pin.particle] - state.previous[pin.particle]) / frame.last_substep;
    }
    sheet.now.fill(NOWHERE);
    sheet.before.fill(NOWHERE);
    for (particle, &at) in range.zip(&sheet.offsets) {
        let (x, d) = (narrow(frame.starts[particle] - origin), narrow(displacement(particle) - mean));
        let force = narrow(state.forces[particle] * (frame.inverse_masses[particle] * square));
        for axis in 0..3 {
            let place = at + axis * BLOCK;
            sheet.now[place] = x[axis];
            sheet.before[place] = x[axis] - d[axis];
            if has_forces {
                sheet.pushed[place] = force[axis];
            }
        }
    }
    sheet.pulled.fill([0.0; NUMBERS]);
    sheet.hung_sticks.iter_mut().for_each(|stick| stick.moved = DVec3::ZERO);
    Loaded { origin, displacement: mean, force: has_forces.then_some(force) }
}

impl SingleKernel for &mut Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: SingleLanes>(self, token: V::Token) {
        let Frame { substep: h, substeps, gravity, .. } = self.frame;
        let keep = libm::exp(-self.sheet.drag * h);
        let greatest = [RECOVERY_SPEED * h, 2.0 * gravity.length() * h * h];
        let most = greatest.map(|way| way as f32);
        let pushed = (gravity * self.sheet.mass + self.loaded.force.unwrap_or_default()) * (h * h);
        self.momentum = self.loaded.displacement * self.sheet.mass;
        self.now.clear();
        for solid in self.solids {
            let margin = self.sheet.radius + solid.margin;
            self.now.push(Now::new(&solid.placed(0.0, &self.around), self.loaded.origin, margin, solid.material));
        }
        for substep in 1..=substeps {
            let done = f64::from(substep) / f64::from(substeps);
            let before = self.loaded.origin;
            self.loaded.displacement = self.loaded.displacement * keep + gravity * (h * h);
            self.loaded.origin += self.loaded.displacement;
            self.momentum = self.momentum * keep + pushed;
            self.place([f64::from(substep - 1) / f64::from(substeps), done], before);
            let sheet = &mut *self.sheet;
            kernel::fall::<V>(token, &mut sheet.now, &mut sheet.before, keep as f32, [0.0; 3]);
            if self.loaded.force.is_some() {
                kernel::push::<V>(token, &mut sheet.now, &sheet.pushed);
            }
            hold(sheet);
            hung_sticks(sheet);
            kernel::project_sticks::<V>(token, &mut sheet.now, &sheet.program);
            let pulled = if sheet.hangs_on_body() { &mut sheet.pulled[..] } else { &mut [] };
            kernel::pull_tethers::<V>(token, &mut sheet.now, &sheet.tethers, &sheet.pins_now, pulled);
            for &[block, solid] in self.near {
                let at = block as usize * NUMBERS;
                let (now, before) = (&mut sheet.now[at..], &mut sheet.before[at..]);
                let masses = &sheet.masses[block as usize * BLOCK..];
                let (Some(now), Some(before), Some(masses)) =
                    (now.first_chunk_mut(), before.first_chunk_mut(), masses.first_chunk())
                else {
                    continue;
                };
                let (solid, push) = (&self.now[solid as usize], &mut self.pushes[solid as usize]);
                contact::keep_out::<V>(token, &mut Particles { now, before, masses }, solid, most, push);
            }
            let shares = [f64::from(substep - 1) / f64::from(substeps), done];
            let around =
                fine::Substep { around: &self.around, shares, origins: [before, self.loaded.origin], most: greatest };
            let deepest = fine::keep_out(sheet, self.points, self.fine, &around);
            hold(sheet);
            self.deepest = deepest;
            self.note(done);
        }
    }
}

impl Run<'_> {
    /// Places pins and solids at the end of a substep; `before` is the origin at its start.
    fn place(&mut self, [was, done]: [f64; 2], before: DVec3) {
        let (around, origin) = (&self.around, self.loaded.origin);
        for (pin, now) in self.sheet.pins.iter().zip(&mut self.sheet.pins_now) {
            let [from, to] = pin.places(around.starts, around.positions, around.pins);
            *now = narrow(from + (to - from) * done - origin);
        }
        self.pushes.clear();
        self.pushes.resize(self.solids.len(), Push::NONE);
        for (solid, now) in self.solids.iter().zip(self.now.iter_mut()) {
            let drift = solid.drift([done, done - was], around, self.bodies);
            let margin = self.sheet.radius + solid.margin;
            now.advance(&solid.placed(done, around), &drift, [before, origin], margin);
        }
    }

    /// Adds the pushes of a substep to the bodies that were touched.
    fn note(&mut self, done: f64) {
        for (solid, push) in self.solids.iter().zip(self.pushes.iter()).filter(|(_, push)| push.touches) {
            self.deepest = self.deepest.max(f64::from(push.deepest) - solid.margin);
            let total = push.total();
            self.momentum += total[0];
            let Some(body) = solid.body.map(|body| &mut self.bodies[body]) else { continue };
            let arm = solid.placed(done, &self.around).reference() - body.center(done);
            body.take(total.map(|sum| -sum / self.frame.substep), arm);
        }
    }
}

impl Run<'_> {
    /// Gives back the momentum that the rounding of f32 numbers took. Only a sheet without pins, whose every impulse is
    /// counted, gets it.
    pub fn keep_momentum(&mut self) {
        let sheet = &*self.sheet;
        if !sheet.pins.is_empty() || !self.points.is_empty() || sheet.mass <= 0.0 {
            return;
        }
        let moved = |at: usize| read(&sheet.now, at) - read(&sheet.before, at);
        let own = sheet.offsets.iter().fold(DVec3::ZERO, |sum, &at| sum + moved(at) * sheet.mass_at(at));
        self.loaded.displacement = (self.momentum - own) / sheet.mass;
    }
}

fn read(numbers: &[f32], at: usize) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|axis| f64::from(numbers[at + axis * BLOCK])))
}

fn hold(sheet: &mut Sheet) {
    for (pin, place) in sheet.pins.iter().zip(&sheet.pins_now) {
        for axis in 0..3 {
            sheet.now[pin.at + axis * BLOCK] = place[axis];
        }
    }
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
    [origin, displacement]: [DVec3; 2],
    state: &mut State,
    bodies: &mut [TouchedBody],
) -> bool {
    let (h, next) = (frame.substep, frame.next_substep);
    let (ratio, square) = (next / h, 0.5 * h * (next - h));
    let moved = |at: usize| read(&sheet.now, at) - read(&sheet.before, at);
    // NaN compares false.
    let is_sound = sheet.offsets.iter().all(|&at| moved(at).length_squared() <= FASTEST * FASTEST * h * h);
    for (particle, &at) in sheet.particles.clone().zip(&sheet.offsets) {
        let (position, last) = if is_sound {
            let acceleration = frame.gravity + state.forces[particle] * frame.inverse_masses[particle];
            let last = (moved(at) + displacement - acceleration * square) * ratio;
            (origin + read(&sheet.now, at), last)
        } else {
            (frame.starts[particle], DVec3::ZERO)
        };
        state.positions[particle] = position;
        state.previous[particle] = position - last;
        state.earlier[particle] = position - last * (state.span / next);
        state.rounding[particle] = DVec3::ZERO;
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
        let PinnedTo::Body { body, .. } = pin.on else { continue };
        let mass = 1.0 / frame.inverse_masses[particle];
        let falls = (frame.gravity * mass + state.forces[particle]) * frame.seconds;
        let gained = ((to - before) / next - pin.velocity) * mass;
        let pull = falls - gained - sheet.pulled_by(index) / h;
        if let Some(body) = bodies.iter_mut().find(|it| it.body == body).filter(|_| is_sound) {
            body.take([pull, DVec3::ZERO], to - body.center(1.0));
        }
    }
    is_sound
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

/// Greatest speed of a particle relative to its sheet, m/s; a greater one is no result.
const FASTEST: f64 = 1e4;
