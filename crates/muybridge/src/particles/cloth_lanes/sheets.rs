//! The sheets of a world in a frame: which are stepped in lanes, and the step.
//!
//! ```text
//! begin    sheets near nothing but obstacles and bodies that lanes know go into lanes; their particles rest in the world
//! step     after the substeps of the world: each sheet by a whole frame, among bodies whose motion is known by then
//! end      bodies take the impulses of the sheets, in the order of the sheets and their solids
//! ```

use glam::DVec3;

use super::contact::{Now, Push};
use super::fine::{self, FacePoint};
use super::frame::{self, Frame, Run};
use super::layout::{BLOCK, NUMBERS};
use super::meeting::{Around, Collider, Form, LanesCan, Met, TouchedBody};
use super::sheet::{NOWHERE, PinnedTo, Sheet, sheets};
use super::strain::Tries;
use crate::collision::Obstacle;
use crate::collision::broad_phase::Aabb;
use crate::math::lanes::Width;
use crate::particles::blows::Asked;
use crate::particles::contact::{Contacts, TetrahedronInertia};
use crate::particles::measures::Report;
use crate::particles::proxies::{self, Given};
use crate::particles::settings::{Mode, Settings, Solve};
use crate::particles::sleep;
use crate::particles::state::{State, Taut};
use crate::particles::step::Fixed;
use crate::particles::world::Constants;

/// Sheets of a world, and the buffers of a frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sheets {
    list: Vec<Candidate>,
    colliders: Vec<Collider>,
    /// Substep (as bits) and pins for which the sheets were prepared; `None` before the first step.
    prepared: Option<u64>,
    pinned: Vec<bool>,
    bodies: Vec<TouchedBody>,
    /// The bodies before the frame of a sheet.
    kept: Vec<TouchedBody>,
    now: Vec<Now>,
    pushes: Vec<Push>,
    near: Vec<[u32; 2]>,
    boxes: Vec<Aabb>,
    /// Instruction set; `None` for the widest. The bits do not depend on it.
    width: Option<Width>,
    /// Colliders that sheets in lanes touched in the last substep.
    pub touched: Vec<usize>,
}

/// A sheet in a frame.
#[derive(Clone, Debug)]
struct Candidate {
    sheet: Sheet,
    /// A movable particle, if there is one.
    first: Option<usize>,
    state: Stepped,
    /// Box that the sheet can reach, meters.
    reach: Aabb,
    /// Distance that its particles may come in the frame beyond where they are, meters.
    margin: f64,
    /// Greatest speed of a particle, m/s.
    speed: f64,
    /// Substeps of the frame that weight, speed and blows need, and those with which it begins.
    needed: u32,
    substeps: u32,
    /// Depth of the deepest overlap at the start of the last substep, meters.
    deepest: f64,
    met: Met,
    /// Points of its faces that may touch the fine solids.
    points: Vec<FacePoint>,
    /// Colliders that it may touch.
    colliders: Vec<usize>,
}

/// Way in which a sheet is stepped in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stepped {
    /// With the rest of the world.
    #[default]
    ByWorld,
    /// In lanes.
    InLanes,
    /// Not at all: it sleeps, and nothing is near.
    Asleep,
}

/// Margin for motion beyond the present speed, meters.
const SLACK: f64 = 0.01;

/// Greatest extent of a sheet in lanes, meters, and greatest speed, m/s: beyond them f32 numbers are coarse.
const WIDEST: f64 = 200.0;
const FASTEST: f64 = 200.0;

/// Greatest displacement of a sheet in a substep, in radii of the solids that it may meet.
const FARTHEST: f64 = 0.5;

/// Distance beyond the one kept at which a vertex still touches, meters.
pub(super) const TOUCHING: f64 = 1e-4;

impl Sheets {
    /// Whether any sheet is stepped in lanes, or might be.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Proposes the sheets that lanes can step among the obstacles, and marks their particles.
    pub fn offer(&mut self, fixed: Fixed, obstacles: &[Obstacle], state: &State, in_lanes: &mut [bool], seconds: f64) {
        in_lanes.fill(false);
        self.touched.clear();
        if !may_use_lanes(fixed.settings) {
            self.list.clear();
            self.prepared = None;
            return;
        }
        self.prepare(fixed, state, seconds);
        let steps = fixed.settings.steps_to_rest();
        let fall = fixed.settings.acceleration().length() * seconds * seconds;
        for it in &mut self.list {
            it.met.clear();
            it.colliders.clear();
            it.reach = Aabb::NOTHING;
            let sheet = &it.sheet;
            it.state = Stepped::ByWorld;
            let Some(first) = it.first else { continue };
            let is_dragged =
                |drag: &crate::particles::Drag| drag.point.particles.iter().any(|it| sheet.particles.contains(it));
            if state.drags.iter().any(is_dragged) || !sheet.hangs_lightly(fixed.model) {
                continue;
            }
            (it.reach, it.speed) = reach(sheet, state, seconds);
            let size = (it.reach.most - it.reach.least).max_element();
            // NaN compares false.
            if !(size <= WIDEST && it.speed <= FASTEST) {
                continue;
            }
            let margin = it.speed * seconds + fall + SLACK + sheet.radius + sheet.coarseness;
            (it.reach, it.margin) = (it.reach.grown(margin), margin);
            let can = |obstacle: (usize, &Obstacle)| sheet.may_meet(obstacle, &it.reach, seconds, &mut it.met);
            if !obstacles.iter().enumerate().all(can) {
                continue;
            }
            let places = (obstacles, &state.positions[..]);
            if !fine::find(&mut it.points, sheet, &mut it.met.fine, places, margin) {
                continue;
            }
            it.state = if sleep::is_long(state.rested[first], steps) { Stepped::Asleep } else { Stepped::InLanes };
        }
        for a in 0..self.list.len() {
            for b in 0..a {
                if self.list[a].reach.overlaps(&self.list[b].reach) {
                    (self.list[a].state, self.list[b].state) = (Stepped::ByWorld, Stepped::ByWorld);
                }
            }
        }
        self.mark(in_lanes);
    }

    /// Takes back sheets that may meet colliders that lanes do not know. Returns whether there are such.
    pub fn settle(
        &mut self,
        fixed: Fixed,
        (contacts, obstacles): (&Contacts, &[Obstacle]),
        (state, inverse_masses): (&State, &[f64]),
        (in_lanes, asked): (&mut [bool], &mut [Asked]),
        seconds: f64,
    ) -> bool {
        let mut any = false;
        for it in self.list.iter_mut().filter(|it| it.state != Stepped::ByWorld) {
            let (sheet, mut can, mut is_blow) = (&it.sheet, true, false);
            // Those of an earlier call.
            it.colliders.clear();
            it.met.solids.retain(|solid| solid.collider().is_none());
            contacts.near(&it.reach, &mut |surface: usize, bounds: &Aabb| {
                let particle = fixed.constants.of_surfaces[surface];
                let is_awake = particle.is_some_and(|particle| inverse_masses[particle] > 0.0);
                if !is_awake && it.state == Stepped::Asleep {
                    return;
                }
                it.colliders.push(surface);
                let lanes = sheet.may_touch(&self.colliders[surface], bounds, &mut it.met);
                can &= it.state != Stepped::Asleep && lanes != LanesCan::Not;
                is_blow |= lanes == LanesCan::Blows;
            });
            it.needed = it.by_need(fixed, obstacles, (state, asked), seconds);
            it.substeps = it.needed.max(it.by_strain(fixed, state, seconds));
            can &= !is_blow || it.needed > substeps(fixed.settings);
            can &= it.speed * seconds <= f64::from(it.substeps) * FARTHEST * it.met.least_radius();
            if !can {
                it.state = Stepped::ByWorld;
                any = true;
            }
        }
        if any {
            in_lanes.fill(false);
            self.mark(in_lanes);
        }
        any
    }

    /// Pairs of movable particles of a sheet in lanes and of a collider that may meet.
    pub fn may_meet<'a>(&'a self, constants: &'a Constants) -> impl Iterator<Item = [usize; 2]> + 'a {
        let in_lanes = self.list.iter().filter(|it| it.state == Stepped::InLanes);
        in_lanes.flat_map(|it| {
            it.colliders.iter().filter_map(|&surface| Some([it.first?, constants.of_surfaces[surface]?]))
        })
    }

    /// The deepest overlap of each sheet in lanes at the start of the last substep, meters, with its first particle.
    pub fn overlaps(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let in_lanes = self.list.iter().filter(|it| it.state == Stepped::InLanes && it.deepest > 0.0);
        in_lanes.map(|it| (it.sheet.particles.start, it.deepest))
    }

    /// Contact points of the sheets in lanes, meters, and the normals there, towards the sheet: vertices that are no
    /// farther from a solid than they are kept.
    pub fn touches(&self, obstacles: &[Obstacle], positions: &[DVec3]) -> Vec<(DVec3, DVec3)> {
        let around = Around { obstacles, starts: positions, positions, pins: &[], seconds: 0.0 };
        let mut found = Vec::new();
        for it in self.list.iter().filter(|it| it.state == Stepped::InLanes) {
            let places = || it.sheet.particles.clone().map(|particle| positions[particle]);
            let is_there = |obstacle: Option<usize>| obstacle.is_none_or(|obstacle| obstacle < obstacles.len());
            for mut solid in it.met.solids.iter().copied().filter(|solid| is_there(solid.obstacle())) {
                solid.sweep(&around);
                let (placed, radius) = (solid.placed(1.0, &around), it.sheet.radius + solid.margin + TOUCHING);
                let near = places().map(|place| (place, placed.nearest(place)));
                let touching = near.filter(|(_, (distance, _))| *distance <= radius);
                found.extend(touching.map(|(place, (distance, normal))| (place - normal * distance, normal)));
            }
            for solid in it.met.fine.iter().filter(|solid| is_there(Some(solid.obstacle))) {
                let obstacle = &obstacles[solid.obstacle];
                found.extend(places().filter_map(|place| fine::touch(&it.sheet, solid, obstacle, place)));
            }
        }
        found
    }

    /// Unmarks the particles of sheets in lanes that have nothing near.
    pub fn unmark_apart(&self, touched: &mut [bool]) {
        for it in self.list.iter().filter(|it| it.state == Stepped::InLanes && it.is_apart()) {
            touched[it.sheet.particles.clone()].fill(false);
        }
    }

    fn mark(&self, in_lanes: &mut [bool]) {
        for it in self.list.iter().filter(|it| it.state != Stepped::ByWorld) {
            in_lanes[it.sheet.particles.clone()].fill(true);
        }
    }

    fn prepare(&mut self, fixed: Fixed, state: &State, seconds: f64) {
        let Fixed { model, constants, settings } = fixed;
        let substep = seconds / f64::from(substeps(settings));
        let is_same = self.prepared == Some(substep.to_bits())
            && state.pins.iter().zip(&self.pinned).all(|(pin, pinned)| pin.is_some() == *pinned);
        if is_same {
            return;
        }
        self.prepared = Some(substep.to_bits());
        self.pinned = state.pins.iter().map(Option::is_some).collect();
        self.colliders = Collider::all(model, &constants.islands);
        let placed = |sheet: Sheet| {
            let is_free = |&particle: &usize| model.masses[particle].is_finite();
            let first = sheet.particles.clone().find(is_free);
            let reach = Aabb::NOTHING;
            let (met, points, colliders) = (Met::default(), Vec::new(), Vec::new());
            let state = Stepped::ByWorld;
            Candidate {
                sheet,
                first,
                state,
                reach,
                margin: 0.0,
                speed: 0.0,
                needed: 1,
                substeps: 1,
                deepest: 0.0,
                met,
                points,
                colliders,
            }
        };
        self.list = sheets(model, &state.pins, substep).into_iter().map(placed).collect();
    }

    /// Steps the sheets in lanes by a frame, and counts their work. `last_substep` is that of the state before the frame.
    pub fn step(
        &mut self,
        fixed: Fixed,
        obstacles: &[Obstacle],
        state: &mut State,
        (starts, inverse_masses, proxies): (&[DVec3], &[f64], &mut [Given]),
        [seconds, last_substep]: [f64; 2],
        report: &mut Report,
    ) {
        let Self { list, bodies, kept, now, pushes, near, boxes, touched, width, .. } = self;
        let (width, usual) = (width.unwrap_or_else(Width::widest), substeps(fixed.settings));
        bodies.clear();
        for it in list.iter_mut().filter(|it| it.state == Stepped::InLanes) {
            let around = Around { obstacles, starts, positions: &state.positions, pins: &state.pins, seconds };
            find_bodies(it, bodies, (fixed, state, inverse_masses), &around);
            kept.clone_from(bodies);
            let cloth = fixed.constants.cloths.index(it.sheet.particles.start);
            let before = cloth.map_or(Taut::default(), |cloth| state.taut[cloth]);
            let looseness = (USUAL_SUBSTEPS / f64::from(usual)).max(1.0);
            let mut tries = Tries::new(before, [it.needed, most_substeps(fixed.settings, seconds)], looseness);
            let (mut substeps, mut taken) = (it.substeps, 0);
            let (frame, ended, strain) = loop {
                let frame = Frame {
                    seconds,
                    substep: seconds / f64::from(substeps),
                    substeps,
                    shortening: before.shortening(seconds / f64::from(substeps)),
                    speed: it.speed,
                    is_apart: it.is_apart(),
                    last_substep,
                    next_substep: state.last_substep,
                    gravity: fixed.settings.acceleration(),
                    inverse_masses: &fixed.constants.inverse_masses,
                    starts,
                };
                let mut loaded = frame::load(&mut it.sheet, &frame, state);
                find_near(it, near, boxes, (loaded.origin, &around));
                loaded.is_alone = near.is_empty() && it.points.is_empty() && !it.sheet.hangs_on_body();
                let is_known = near.iter().all(|&[_, solid]| it.met.solids[solid as usize].body.is_some());
                loaded.spin = loaded.spin.filter(|_| is_known && it.points.is_empty());
                let mut run = Run {
                    sheet: &mut it.sheet,
                    frame,
                    around,
                    solids: &it.met.solids,
                    near,
                    fine: &it.met.fine,
                    points: &it.points,
                    now,
                    pushes,
                    bodies,
                    loaded,
                    momentum: DVec3::ZERO,
                    deepest: 0.0,
                    overlap: 0.0,
                    strain: 0.0,
                };
                width.for_singles(run.sheet.program.lanes).run_single(&mut run);
                run.keep_momentum();
                let (ended, strain) = (run.loaded, run.strain);
                it.deepest = run.deepest;
                taken += substeps;
                // Out of a solid in which it lies, shorter substeps only throw it.
                let overlaps = run.overlap > OVERLAP;
                let again = if overlaps { None } else { tries.again(substeps, strain) };
                let Some(more) = again else {
                    if (overlaps || before.lasting > 0.0) && ended.force.is_none() {
                        let speeds =
                            it.met.obstacles().map(|index| obstacles[index].velocity_at(ended.origin).length());
                        run.keep_energy_below(state, kept, speeds.fold(0.0, f64::max));
                    }
                    break (frame, ended, strain);
                };
                bodies.clone_from(kept);
                substeps = more;
            };
            if let Some(cloth) = cloth {
                state.taut[cloth] = tries.end(substeps, strain, seconds);
            }
            let pushed = it.met.solids.iter().zip(pushes.iter()).filter(|(_, push)| push.touches);
            touched.extend(pushed.filter_map(|(solid, _)| solid.collider()));
            let sticks = it.sheet.program.sticks + it.sheet.ribs.sticks;
            report.substeps = report.substeps.max(taken);
            report.pairs += u64::from(taken) * near.len() as u64;
            report.corrections += u64::from(taken) * sticks;
            report.put_back += u32::from(!frame::store(&it.sheet, &frame, &ended, state, bodies));
        }
        give((fixed, seconds), state, bodies, inverse_masses, proxies);
    }
}

/// Depth from which on a sheet lies in a solid, meters.
const OVERLAP: f64 = 5e-3;

/// Stretch that the weight of a cloth may leave, and the greatest motion in a substep, in shortest sticks.
const STRETCH: f64 = 0.09;
const MOTION: f64 = 0.25;

impl Candidate {
    /// Whether nothing is near that it may touch.
    fn is_apart(&self) -> bool {
        self.met.solids.is_empty() && self.met.fine.is_empty()
    }

    /// Substeps that the strain of the last frame asks for.
    fn by_strain(&self, fixed: Fixed, state: &State, seconds: f64) -> u32 {
        let cloth = fixed.constants.cloths.index(self.sheet.particles.start);
        let asked = cloth.map_or(0.0, |cloth| state.taut[cloth].rate * seconds);
        (libm::ceil(asked) as u32).min(most_substeps(fixed.settings, seconds))
    }

    /// Substeps of a frame: as many as leave little stretch, at most those of the settings. A pass over the sticks holds the
    /// weight of a strip of `n` of length `e` by a stretch of
    /// ```text
    /// ε = 2 g h² n / e
    /// ```
    /// and ribs leave a quarter of it. What it falls over, of radius r, turns its speed v: g + v²/r; in the air it has no weight.
    /// A free cloth on which nothing but gravity and still obstacles act needs no more; one that hangs would sag by
    /// percents. Settings with more or fewer than [`USUAL_SUBSTEPS`] scale what is needed.
    fn by_need(
        &self,
        fixed: Fixed,
        obstacles: &[Obstacle],
        (state, asked): (&State, &mut [Asked]),
        seconds: f64,
    ) -> u32 {
        let Fixed { constants, settings, .. } = fixed;
        let (sheet, most) = (&self.sheet, substeps(settings));
        let share = f64::from(most) / USUAL_SUBSTEPS;
        let is_still = |it: &Obstacle| it.velocity == DVec3::ZERO && it.spin == DVec3::ZERO;
        let is_calm = sheet.has_ribs()
            && self.colliders.is_empty()
            && sheet.pins.is_empty()
            && self.met.obstacles().all(|obstacle| is_still(&obstacles[obstacle]))
            && state.forces[sheet.particles.clone()].iter().all(|&force| force == DVec3::ZERO);
        if !is_calm {
            let blows = seconds * constants.cloths.ask_for(sheet.particles.start, state, &self.colliders, asked);
            return most.max((libm::ceil(share * blows) as u32).min(most_substeps(settings, seconds)));
        }
        let radius = self.met.least_radius();
        let pull = match self.is_apart() {
            true => 0.0,
            false => settings.acceleration().length() + self.speed * self.speed / radius,
        };
        let weight = (2.0 * pull * sheet.cells / (STRETCH * sheet.shortest)).sqrt();
        let step = MOTION * sheet.shortest.min(FARTHEST / MOTION * radius);
        let needed = libm::ceil(share * seconds * weight.max(self.speed / step));
        // NaN counts as many.
        if needed < f64::from(most) { (needed as u32).max(LEAST_SUBSTEPS).min(most) } else { most }
    }
}

/// Greatest number of substeps for which [`STRETCH`] and [`MOTION`] hold.
const USUAL_SUBSTEPS: f64 = 24.0;

/// Greatest number of substeps of a blow or under strain, in those of the settings.
const MOST_TIMES: f64 = 320.0;

/// Shortest substep of a blow, seconds: in less, f32 numbers round velocities by more than 40 mm/s.
const SHORTEST: f64 = 1.5e-6;

/// Least number of substeps of a sheet: with fewer, a frame damps what it cannot see.
const LEAST_SUBSTEPS: u32 = 8;

/// Greatest number of substeps of sheets per step.
fn substeps(settings: &Settings) -> u32 {
    settings.cloth_substeps.max(1)
}

/// Greatest number in a blow or under strain.
fn most_substeps(settings: &Settings, seconds: f64) -> u32 {
    (MOST_TIMES * f64::from(substeps(settings))).min(seconds / SHORTEST) as u32
}

/// Whether the settings allow lanes.
fn may_use_lanes(settings: &Settings) -> bool {
    settings.cloth_substeps > 0
        && settings.mode == Mode::Shake
        && settings.iterations <= 1
        && settings.over_relaxation == 1.0
        && settings.solve == Solve::OneByOne
}

/// Box around the particles of a sheet, and their greatest speed, m/s, that of pins in the frame included.
fn reach(sheet: &Sheet, state: &State, seconds: f64) -> (Aabb, f64) {
    let (mut least, mut most, mut square) = (DVec3::INFINITY, DVec3::NEG_INFINITY, 0.0_f64);
    let mut sum = DVec3::ZERO;
    for particle in sheet.particles.clone() {
        let (now, before) = (state.positions[particle], state.previous[particle]);
        (least, most) = (least.min(now), most.max(now));
        square = square.max((now - before).length_squared());
        sum += now - before;
    }
    for pin in &sheet.pins {
        if let Some(place) = state.pins[pin.particle] {
            (least, most) = (least.min(place), most.max(place));
            let moved = (place - state.positions[pin.particle]) * (state.last_substep / seconds);
            square = square.max(moved.length_squared());
        }
    }
    let speed = if sum.is_finite() { square.sqrt() / state.last_substep } else { f64::NAN };
    (Aabb { least, most }, speed)
}

/// Lists the bodies of the solids of a sheet, and of its pins, and finds where the solids are in the frame.
fn find_bodies(
    it: &mut Candidate,
    bodies: &mut Vec<TouchedBody>,
    (fixed, state, inverse_masses): (Fixed, &State, &[f64]),
    around: &Around,
) {
    bodies.iter_mut().for_each(TouchedBody::begin);
    let is_blow = it.needed > substeps(fixed.settings);
    let is_awake = |body: usize| match body < fixed.model.proxies.len() {
        true => !proxies::is_asleep(fixed, state, body),
        false => inverse_masses[fixed.model.tetrahedra[body].particles[0]] > 0.0,
    };
    let mut place = |body: usize, is_single: bool| {
        bodies.iter().position(|it| it.body == body).unwrap_or_else(|| {
            let answers = is_blow && is_single && is_awake(body);
            bodies.push(TouchedBody::new(fixed.model, (body, answers), &fixed.constants.inverse_masses, around));
            bodies.len() - 1
        })
    };
    for solid in &mut it.met.solids {
        solid.sweep(around);
        if let Form::Collider { body, .. } = solid.form {
            solid.body = Some(place(body, solid.is_single));
        }
    }
    it.sheet.bodies().for_each(|body| _ = place(body, false));
}

/// Lists the pairs of blocks and solids that may meet in the frame, solid by solid. The sheet is in lanes at the
/// start of the frame, relative to `origin`.
fn find_near(it: &Candidate, near: &mut Vec<[u32; 2]>, boxes: &mut Vec<Aabb>, (origin, around): (DVec3, &Around)) {
    boxes.clear();
    boxes.extend(it.sheet.now.chunks_exact(NUMBERS).map(|block| {
        let [least, most] = bounds(block);
        let [least, most] = [least, most].map(|corner| origin + DVec3::from_array(corner.map(f64::from)));
        Aabb { least, most }.grown(it.margin)
    }));
    near.clear();
    for (index, solid) in it.met.solids.iter().enumerate() {
        let reach = solid.reach(around);
        let reached = boxes.iter().enumerate().filter(|(_, bounds)| reach.overlaps(bounds));
        near.extend(reached.map(|(block, _)| [block as u32, index as u32]));
    }
}

/// Least and greatest corner of the particles of a block. The comparisons are those that compilers make vectors of.
fn bounds(block: &[f32]) -> [[f32; 3]; 2] {
    const PARTS: usize = 4;
    let (mut lower, mut upper) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for (axis, numbers) in block.as_chunks::<BLOCK>().0.iter().take(3).enumerate() {
        let (mut least, mut most) = ([f32::INFINITY; PARTS], [f32::NEG_INFINITY; PARTS]);
        for part in numbers.as_chunks::<PARTS>().0 {
            for i in 0..PARTS {
                let high = if part[i] < NOWHERE { part[i] } else { f32::NEG_INFINITY };
                least[i] = if part[i] < least[i] { part[i] } else { least[i] };
                most[i] = if high > most[i] { high } else { most[i] };
            }
        }
        lower[axis] = least.into_iter().fold(lower[axis], f32::min);
        upper[axis] = most.into_iter().fold(upper[axis], f32::max);
    }
    [lower, upper]
}

/// Gives the bodies the impulses of the sheets as velocities, and adds those of `proxies` that are awake to what these were
/// given.
fn give(
    (fixed, seconds): (Fixed, f64),
    state: &mut State,
    bodies: &[TouchedBody],
    inverse_masses: &[f64],
    proxies: &mut [Given],
) {
    for body in bodies.iter().filter(|body| body.given != Given::default()) {
        if let Some(own) = proxies.get_mut(body.body) {
            if !proxies::is_asleep(fixed, state, body.body) {
                own.add_all(&body.given);
            }
            continue;
        }
        let particles = fixed.model.tetrahedra[body.body].particles;
        let Some(inertia) = TetrahedronInertia::of(particles, &state.positions, inverse_masses) else { continue };
        let [velocity, spin] = inertia.velocities(body.given.sum);
        if body.answers() {
            let [moved, turned] = inertia.velocities(body.given.early).map(|speed| speed * seconds);
            for places in [&mut state.positions, &mut state.previous, &mut state.earlier] {
                inertia.displace(moved, turned, places);
            }
        }
        inertia.displace(-velocity * state.last_substep, -spin * state.last_substep, &mut state.previous);
        inertia.displace(-velocity * state.span, -spin * state.span, &mut state.earlier);
    }
}

impl Sheet {
    /// Tetrahedra of the bodies that it hangs on; one may come more than once.
    pub fn bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.pins.iter().filter_map(|pin| match pin.on {
            PinnedTo::Body { body, .. } => Some(body),
            PinnedTo::Itself | PinnedTo::Place(_) => None,
        })
    }
}

#[cfg(test)]
#[path = "sheets_tests.rs"]
mod tests;
