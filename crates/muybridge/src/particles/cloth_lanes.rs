//! Cloth in f32 lanes: 16 sticks at a time, many small substeps, tethers to the pins.
//!
//! ```text
//! for each substep of h = time_step / substeps          (Macklin et al. 2019: many small steps, one pass each)
//!     pins move ─► particles fall ─► sticks, color by color ─► tethers ─► solids ─► pins
//! ```
//! Positions are stored relative to an origin near the cloth, so that f32 is accurate far from the world origin. Every
//! operation is rounded once, so the bits do not depend on the vector width of the processor. The cost of f32: the
//! displacement that a substep adds is only some twenty times the last bit of a position. Free fall is accurate to 0.2
//! %.
//!
//! Alternatives measured on the 2 m × 2 m cloth of 64 × 64 and rejected: sweeps row by row from the pins (gain energy
//! and tear the cloth), over-relaxation (1.1: no change, 1.2: 6.6 % stretch instead of 1.9 %, 1.4: explodes), an exact
//! square root (same stretch, an eighth slower), tethers in every second substep (same stretch, a tenth faster).
//! Measured on cloths that fall over a ball and rejected: coarse cloths of the mass centers of 4 × 4 particles (less mean stretch,
//! the same greatest), the last correction as a first guess (gains energy), several levels of ribs (as one).
//! Without tethers 30 substeps leave 11 % instead of 1.2 %. Masses by area instead of equal ones: the same stretch,
//! more batches with individual numbers.

use glam::DVec3;

use super::objects::ObjectError;
use super::objects::error::{not_negative, positive};
use super::objects::geodesic::Surroundings;
use super::objects::mesh;
use crate::math::input_error::InputError;
use crate::math::lanes::Width;
use crate::math::single_lanes::{SingleKernel, SingleLanes};
use aligned::Aligned;
use layout::{BLOCK, Layout, NUMBERS, offset};
use program::{Program, Stick};
use solid::{Now, narrow};
use tethers::Tether;

mod aligned;
mod contact;
mod fine;
mod frame;
mod kernel;
mod layout;
mod meeting;
mod program;
mod ribs;
mod sheet;
mod sheets;
mod solid;
mod strain;
mod tethers;

pub(crate) use sheets::Sheets;

pub use solid::ClothCollider;

/// Material and time stepping of a cloth in lanes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClothSettings {
    /// Duration of a step (a frame), seconds.
    pub time_step: f64,
    /// Number of substeps per step.
    pub substeps: u32,
    /// Gravity, meters per second squared.
    pub gravity: DVec3,
    /// Air damping, 1/s: rate at which velocities approach the velocity of the air. The default is 1. Real air resists
    /// a cloth of 0.2 kg/m² that moves flat at 1 m/s three times as much.
    pub drag: f64,
    /// Mass per area, kilograms per square meter. It matters only with a compliance above 0.
    pub density: f64,
    /// Compliance of the edges, m/N; 0 is rigid.
    pub stretch_compliance: f64,
    /// Compliance of the second diagonals of cells, m/N; 0 is rigid.
    pub shear_compliance: f64,
    /// Compliance of the sticks between other opposite corners, which resist bending, m/N. `None`: no such sticks.
    pub bend_compliance: Option<f64>,
    /// Number of tethers per particle, to its nearest pins; 0 for none.
    pub tethers: u32,
    /// Length of a tether relative to the distance over the cloth at rest; 1 or more.
    pub tether_slack: f64,
    /// Distance kept from colliders, meters.
    pub skin: f64,
    /// Coulomb friction coefficient against colliders.
    pub friction: f64,
}

impl Default for ClothSettings {
    fn default() -> Self {
        Self {
            time_step: 1.0 / 60.0,
            substeps: 24,
            gravity: DVec3::new(0.0, -9.81, 0.0),
            drag: 1.0,
            density: 0.2,
            stretch_compliance: 0.0,
            shear_compliance: 0.0,
            bend_compliance: None,
            tethers: 2,
            tether_slack: 1.0,
            skin: 0.005,
            friction: 0.4,
        }
    }
}

/// A cloth on a triangle mesh, hung on pins.
#[derive(Clone, Debug)]
pub struct ClothLanes {
    settings: ClothSettings,
    /// Offset of the x of each particle in `now` and `before`.
    offsets: Vec<usize>,
    program: Program,
    tethers: Vec<Tether>,
    pins: Vec<usize>,
    width: Width,
    origin: DVec3,
    now: Aligned,
    before: Aligned,
    /// Place of each pin now and after the coming step, meters.
    places: Vec<[DVec3; 2]>,
    wind: DVec3,
    solids: Vec<[ClothCollider; 2]>,
    /// Scratch of a substep: colliders and pins at its end.
    solids_now: Vec<Now>,
    pins_now: Vec<[f32; 3]>,
}

/// State of a cloth, enough to continue bit for bit. Colliders and wind are not part of it: the caller sets them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClothState {
    /// Origin of the stored positions in the world, meters.
    origin: DVec3,
    /// Positions relative to `origin`, in blocks of 16 x, 16 y, 16 z, meters.
    positions: Vec<f32>,
    /// Positions one substep before, in the same layout, meters.
    previous: Vec<f32>,
    /// Place of each pin now and after the coming step, meters.
    pins: Vec<[DVec3; 2]>,
}

impl ClothLanes {
    /// Creates a cloth at rest in the shape of the mesh. Points of `pinned` stay in place until [`Self::move_pin`].
    ///
    /// The numbering affects only speed: grids numbered row by row run without gathers.
    ///
    /// # Errors
    /// An [`ObjectError`] if the mesh or a setting is not usable.
    pub fn new(
        points: &[DVec3],
        triangles: &[[usize; 3]],
        pinned: &[usize],
        settings: ClothSettings,
    ) -> Result<Self, ObjectError> {
        mesh::check(points, triangles)?;
        check(&settings)?;
        let pins = checked_pins(pinned, points.len())?;
        let edges = mesh::edges(triangles);
        let ends: Vec<[usize; 2]> = edges.iter().map(|edge| edge.ends).collect();
        let layout = Layout::new(points.len(), &ends);
        let sticks = sticks(points, triangles, &pins, &settings)?;
        let ways = Surroundings::new(points, triangles);
        let state = ClothState::new(points, &pins, &layout);
        Ok(Self {
            program: Program::new(&sticks, &layout),
            tethers: tethers::tethers(&ways, &pins, settings.tethers as usize, settings.tether_slack, &layout),
            offsets: layout.slots.iter().map(|&slot| offset(slot)).collect(),
            pins_now: vec![[0.0; 3]; pins.len()],
            pins,
            width: Width::widest(),
            origin: state.origin,
            now: Aligned::new(&state.positions),
            before: Aligned::new(&state.previous),
            places: state.pins,
            wind: DVec3::ZERO,
            solids: Vec::new(),
            solids_now: Vec::new(),
            settings,
        })
    }

    /// Advances the cloth by one step of [`ClothSettings::time_step`] seconds. Allocates nothing.
    pub fn step(&mut self) {
        self.width.for_singles(self.program.lanes).run_single(Step { cloth: self });
        for [now, next] in &mut self.places {
            *now = *next;
        }
        for [now, next] in &mut self.solids {
            *now = *next;
        }
    }

    /// Positions of the particles, meters, in the order of the points.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        (0..self.offsets.len()).map(|particle| self.position(particle))
    }

    /// Position of one particle, meters. Panics if the index is out of range.
    pub fn position(&self, particle: usize) -> DVec3 {
        let at = self.offsets[particle];
        self.origin + read(&self.now, at)
    }

    /// Velocities of the particles, meters per second, in the order of the points.
    pub fn velocities(&self) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        let rate = f64::from(self.settings.substeps) / self.settings.time_step;
        self.offsets.iter().map(move |&at| (read(&self.now, at) - read(&self.before, at)) * rate)
    }

    /// Moves a pinned particle evenly to a place (m) during the coming step.
    ///
    /// # Errors
    /// If the particle is not pinned, or the place is not finite.
    pub fn move_pin(&mut self, particle: usize, place: DVec3) -> Result<(), InputError> {
        let count = self.pins.len();
        let unknown = |_| InputError::NoSuch { what: "pinned particle", index: particle, count };
        let pin = self.pins.binary_search(&particle).map_err(unknown)?;
        InputError::check_finite("the place of a pin", place)?;
        self.places[pin][1] = place;
        Ok(())
    }

    /// Sets the velocity of the air, meters per second. It acts through [`ClothSettings::drag`].
    ///
    /// # Errors
    /// If the velocity is not finite.
    pub fn set_wind(&mut self, wind: DVec3) -> Result<(), InputError> {
        InputError::check_finite("the velocity of the air", wind)?;
        self.wind = wind;
        Ok(())
    }

    /// Sets the colliders at the end of the coming step. A collider with the same list index as one of the previous
    /// step moves from that place at constant speed, and drags the cloth by friction.
    pub fn set_solids(&mut self, solids: &[ClothCollider]) {
        self.solids.truncate(solids.len());
        let known = self.solids.len();
        for (old, new) in self.solids.iter_mut().zip(solids) {
            old[1] = *new;
        }
        self.solids.extend(solids[known..].iter().map(|&solid| [solid; 2]));
        self.solids_now.reserve(solids.len());
    }

    /// Selects the instruction set instead of the widest available. The bits do not depend on it.
    pub fn set_width(&mut self, width: Width) {
        self.width = width;
    }

    /// The settings that the cloth was created with.
    pub fn settings(&self) -> &ClothSettings {
        &self.settings
    }

    /// Saves the state that [`Self::restore`] continues from.
    pub fn save(&self) -> ClothState {
        ClothState {
            origin: self.origin,
            positions: self.now.to_vec(),
            previous: self.before.to_vec(),
            pins: self.places.clone(),
        }
    }

    /// Continues from a saved state of the same cloth, bit for bit.
    ///
    /// # Errors
    /// [`ObjectError::OtherState`] if the state is of another cloth.
    pub fn restore(&mut self, state: &ClothState) -> Result<(), ObjectError> {
        let lengths = [state.positions.len(), state.previous.len()];
        if lengths != [self.now.len(); 2] || state.pins.len() != self.places.len() {
            let places = |numbers: usize| numbers.saturating_sub(BLOCK) / 3;
            return Err(ObjectError::OtherState { found: places(lengths[0]), expected: places(self.now.len()) });
        }
        self.origin = state.origin;
        self.now.copy_from_slice(&state.positions);
        self.before.copy_from_slice(&state.previous);
        self.places.copy_from_slice(&state.pins);
        Ok(())
    }

    /// Number of batches of 16 sticks per substep: contiguous with equal sticks, contiguous with individual sticks,
    /// gathered.
    pub fn batches(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for batch in &self.program.batches {
            counts[match batch {
                program::Batch::Alike { .. } => 0,
                program::Batch::Own { .. } => 1,
                program::Batch::Scattered { .. } => 2,
            }] += 1;
        }
        counts
    }

    /// Moves the origin near the cloth if its first particle is more than 16 m from it along an axis.
    fn follow(&mut self) {
        const FAR: f64 = 16.0;
        let Some(&first) = self.offsets.first() else { return };
        let away = read(&self.now, first);
        if !(away.is_finite() && away.abs().max_element() > FAR) {
            return;
        }
        let shift = away.round();
        self.origin += shift;
        let shift = narrow(shift);
        for numbers in [&mut self.now, &mut self.before] {
            for block in numbers.chunks_exact_mut(NUMBERS) {
                for (at, number) in block.iter_mut().enumerate() {
                    *number -= shift[at / BLOCK];
                }
            }
        }
    }

    fn place_pins(&mut self, share: f64) {
        for (pin, [from, to]) in self.places.iter().enumerate() {
            self.pins_now[pin] = narrow(from.lerp(*to, share) - self.origin);
        }
    }

    fn hold_pins(&mut self) {
        for (place, &particle) in self.pins_now.iter().zip(&self.pins) {
            let at = self.offsets[particle];
            for axis in 0..3 {
                self.now[at + axis * BLOCK] = place[axis];
            }
        }
    }

    fn place_solids(&mut self, before: f64, share: f64) {
        self.solids_now.clear();
        for [from, to] in &self.solids {
            let (was, is) = (from.towards(to, before), from.towards(to, share));
            self.solids_now.push(is.now(&was, self.origin, self.settings.skin));
        }
    }
}

/// SIMD kernel that runs all substeps of a step.
struct Step<'a> {
    cloth: &'a mut ClothLanes,
}

impl SingleKernel for Step<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: SingleLanes>(self, token: V::Token) {
        let cloth = self.cloth;
        let (substeps, lanes) = (cloth.settings.substeps, cloth.program.lanes);
        let time = cloth.settings.time_step / f64::from(substeps);
        let keep = libm::exp(-cloth.settings.drag * time);
        let add = narrow(cloth.settings.gravity * (time * time) + cloth.wind * ((1.0 - keep) * time));
        cloth.follow();
        for substep in 1..=substeps {
            let [before, share] = [substep - 1, substep].map(|done| f64::from(done) / f64::from(substeps));
            cloth.place_pins(share);
            cloth.place_solids(before, share);
            kernel::fall::<V>(token, &mut cloth.now, &mut cloth.before, lanes, (keep as f32, add));
            cloth.hold_pins();
            kernel::project_sticks::<V, 0, false>(token, &mut cloth.now, &[], &cloth.program);
            let tethers = (&cloth.tethers[..], &cloth.pins_now[..], &[][..]);
            kernel::pull_tethers::<V, false>(token, (&mut cloth.now, &[]), tethers, &mut [], lanes);
            let friction = cloth.settings.friction as f32;
            kernel::keep_out::<V>(token, &mut cloth.now, &cloth.before, &cloth.solids_now, (friction, lanes));
            cloth.hold_pins();
        }
    }
}

impl ClothState {
    fn new(points: &[DVec3], pins: &[usize], layout: &Layout) -> Self {
        let origin = points[0].round();
        let mut positions = vec![0.0; layout.blocks * NUMBERS + BLOCK];
        for (point, &slot) in points.iter().zip(&layout.slots) {
            for (axis, number) in narrow(*point - origin).into_iter().enumerate() {
                positions[offset(slot) + axis * BLOCK] = number;
            }
        }
        let pins = pins.iter().map(|&pin| [points[pin]; 2]).collect();
        Self { origin, previous: positions.clone(), positions, pins }
    }
}

fn read(numbers: &[f32], at: usize) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|axis| f64::from(numbers[at + axis * BLOCK])))
}

fn check(settings: &ClothSettings) -> Result<(), ObjectError> {
    positive("the time step", settings.time_step)?;
    positive("the number of substeps", f64::from(settings.substeps))?;
    positive("the density", settings.density)?;
    not_negative("the drag", settings.drag)?;
    not_negative("the stretch compliance", settings.stretch_compliance)?;
    not_negative("the shear compliance", settings.shear_compliance)?;
    not_negative("the bend compliance", settings.bend_compliance.unwrap_or(0.0))?;
    not_negative("the skin", settings.skin)?;
    not_negative("the friction", settings.friction)?;
    if !settings.gravity.is_finite() {
        return Err(ObjectError::NotFinite { what: "gravity in the settings of cloth", index: 0 });
    }
    if !(settings.tether_slack >= 1.0 && settings.tether_slack.is_finite()) {
        let wanted = "1 or greater";
        return Err(ObjectError::OutOfRange { what: "the slack of the tethers", value: settings.tether_slack, wanted });
    }
    Ok(())
}

/// Returns the pinned particles sorted, each once.
fn checked_pins(pinned: &[usize], points: usize) -> Result<Vec<usize>, ObjectError> {
    if let Some((index, &point)) = pinned.iter().enumerate().find(|&(_, &pin)| pin >= points) {
        return Err(ObjectError::NoSuchPoint { what: "pin", index, point, points });
    }
    let mut pins = pinned.to_vec();
    pins.sort_unstable();
    pins.dedup();
    Ok(pins)
}

/// Sticks along edges and second diagonals of cells and, if requested, against bending.
fn sticks(
    points: &[DVec3],
    triangles: &[[usize; 3]],
    pins: &[usize],
    settings: &ClothSettings,
) -> Result<Vec<Stick>, ObjectError> {
    let areas = mesh::areas(points, triangles);
    if let Some(point) = areas.iter().position(|&area| area.is_nan() || area <= 0.0) {
        return Err(ObjectError::Loose { point });
    }
    // Every particle has the same mass. A quarter of the mass at the corners would make them four times as hard to
    // hold.
    let mass = settings.density * areas.iter().sum::<f64>() / points.len() as f64;
    let mut inverse_masses = vec![1.0 / mass; points.len()];
    pins.iter().for_each(|&pin| inverse_masses[pin] = 0.0);
    let time = settings.time_step / f64::from(settings.substeps);
    let mut sticks = Vec::new();
    let mut add = |ends: [usize; 2], compliance: f64| {
        let [v, w] = ends.map(|end| inverse_masses[end]);
        let softened = v + w + compliance / (time * time);
        let rest = points[ends[0]].distance(points[ends[1]]);
        if v + w > 0.0 && rest > 0.0 {
            sticks.push(Stick { ends, rest, shares: [v / softened, w / softened] });
        }
    };
    for edge in mesh::edges(triangles) {
        add(edge.ends, settings.stretch_compliance);
        let Some(wings) = edge.wings() else { continue };
        if edge.is_diagonal(points) {
            add(wings, settings.shear_compliance);
        } else if let Some(compliance) = settings.bend_compliance {
            add(wings, compliance);
        }
    }
    Ok(sticks)
}

#[cfg(test)]
mod tests;
