//! The cloths of a model that can be stepped in lanes, prepared from its constraints.
//!
//! A sheet is an object of triangles whose particles have no constraints but distances: rigid or soft sticks among
//! themselves, and tethers to pins. Pins are immovable or pinned particles, and particles that hang on a body.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use glam::DVec3;

use super::aligned::Aligned;
use super::layout::{BLOCK, Layout, NUMBERS, offset};
use super::program::{Program, Stick};
use super::ribs::ribs;
use super::tethers::{Tether, in_blocks};
use crate::particles::model::{Anchor, Core, Model};
use crate::particles::objects::mesh;
use crate::particles::point::Point;

/// A cloth in lanes: constants, and the buffers of a step.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    /// Range of its particles.
    pub particles: Range<usize>,
    /// Offset of the x of each particle in the buffers.
    pub offsets: Vec<usize>,
    pub program: Program,
    /// Sticks across two cells, which hold only what is longer.
    pub ribs: Program,
    /// Shortest stick, meters; infinite without sticks.
    pub shortest: f64,
    /// Cells along the longer side of a grid.
    pub cells: f64,
    pub tethers: Vec<Tether>,
    pub pins: Vec<Pin>,
    /// Sticks to pins that hang on a body: their impulses act on it.
    pub hung_sticks: Vec<HungStick>,
    /// Mass of each lane, kilograms; 0 for pins and empty lanes.
    pub masses: Vec<f32>,
    /// Mass of each particle, kilograms; 0 for pins.
    pub masses_of: Vec<f64>,
    /// Total mass, kilograms.
    pub mass: f64,
    pub faces: Vec<Face>,
    /// Longest side of a triangle, meters.
    pub longest: f64,
    /// Distance of the skin from the triangles, meters.
    pub radius: f64,
    /// Greatest distance of a point of a triangle from its nearest corner, meters.
    pub coarseness: f64,
    pub friction: f64,
    pub restitution: f64,
    pub drag: f64,
    /// Positions now and a substep before, relative to `bases`, meters.
    pub now: Aligned,
    pub before: Aligned,
    /// Places of the particles at the start of the frame if the sheet is fine, otherwise 0; relative to the origin, meters.
    pub bases: Aligned,
    /// Whether it moves so little in the frame that numbers relative to its start are finer.
    pub is_fine: bool,
    /// Positions before sticks hold them, meters.
    pub unheld: Aligned,
    /// Displacement per substep by forces, meters.
    pub pushed: Aligned,
    /// Sum of the moves by each tether, meters.
    pub pulled: Vec<[f32; NUMBERS]>,
    /// Pins relative to their bases, and these relative to the origin of the substep, meters.
    pub pins_now: Vec<[f32; 3]>,
    pub pin_bases: Vec<[f32; 3]>,
}

/// A triangle of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Face {
    /// Its corners, as indices of particles of the sheet.
    pub corners: [u32; 3],
    /// Whether it is the first triangle with the side opposite to each corner.
    pub owns: [bool; 3],
}

/// A particle of a sheet whose position is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pin {
    /// Index of the particle in the model.
    pub particle: usize,
    /// Offset of its x in the buffers.
    pub at: usize,
    pub on: PinnedTo,
    /// Velocity at the start of the frame, m/s.
    pub velocity: DVec3,
}

/// Holder of a pin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PinnedTo {
    /// The particle is immovable or pinned.
    Itself,
    /// A fixed place, meters.
    Place(DVec3),
    /// A point of a body: the index of its tetrahedron.
    Body { point: Point, body: usize },
}

/// A stick from a pin on a body to a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HungStick {
    /// Index of the pin in the sheet.
    pub pin: usize,
    /// Offset of the x of the particle.
    pub at: usize,
    /// Inverse squared rest length, 1/m².
    pub inverse_square: f32,
    /// Share of the length error that moves the particle.
    pub share: f32,
    /// Mass of the particle, kilograms.
    pub mass: f64,
    /// Sum of the moves of the particle in this frame, meters.
    pub moved: DVec3,
}

/// Finds the sheets of a model. Particles of `pins` are pinned; `substep` is the duration of a substep, seconds.
pub(super) fn sheets(model: &Model, pins: &[Option<DVec3>], substep: f64) -> Vec<Sheet> {
    let tied = Ties::of(model);
    let sheet = |object: usize| sheet(model, object, &tied, pins, substep);
    (0..model.objects.len()).filter_map(sheet).collect()
}

/// Constraints by particle.
struct Ties {
    /// Whether a particle has a constraint that a sheet cannot have.
    is_other: Vec<bool>,
    hung: BTreeMap<usize, PinnedTo>,
    /// Distances and colliders of each object.
    distances: Vec<Vec<usize>>,
    surfaces: Vec<Vec<usize>>,
}

impl Ties {
    fn of(model: &Model) -> Self {
        let count = model.positions.len();
        let mut objects = vec![usize::MAX; count];
        for (index, object) in model.objects.iter().enumerate() {
            objects[object.particles.clone()].fill(index);
        }
        let mut ties = Self {
            is_other: vec![false; count],
            hung: BTreeMap::new(),
            distances: vec![Vec::new(); model.objects.len()],
            surfaces: vec![Vec::new(); model.objects.len()],
        };
        let mut body_of = vec![usize::MAX; count];
        for (index, body) in model.tetrahedra.iter().enumerate() {
            body.particles.iter().for_each(|&particle| body_of[particle] = index);
        }
        let mut other = |particles: &[usize]| particles.iter().for_each(|&particle| ties.is_other[particle] = true);
        model.tetrahedra.iter().for_each(|it| other(&it.particles));
        model.orientations.iter().for_each(|it| other(&it.particles()));
        model.angles.iter().for_each(|it| other(&it.particles));
        model.bends.iter().for_each(|it| other(&it.particles));
        model.volumes.iter().for_each(|it| other(&it.particles));
        model.planes.iter().for_each(|it| other(&[it.particle]));
        for axes in model.swing_twists.iter().flat_map(|it| [&it.a, &it.b]) {
            axes.iter().for_each(|axis| other(&axis.particles));
        }
        for axes in model.hinges.iter().flat_map(|it| [&it.a, &it.b]) {
            axes.iter().for_each(|axis| other(&axis.particles));
        }
        for axes in model.drives.iter().flat_map(|it| [&it.a, &it.b]) {
            axes.iter().for_each(|axis| other(&axis.particles));
        }
        for it in &model.attachments {
            let single = (it.compliance == 0.0 && it.a.weights == [1.0, 0.0, 0.0, 0.0]).then_some(it.a.particles[0]);
            let on = match it.b {
                Anchor::Place(place) => Some(PinnedTo::Place(place)),
                Anchor::Point(point) => {
                    let body = body_of[point.particles[0]];
                    let is_one = body != usize::MAX && point.particles.iter().all(|&corner| body_of[corner] == body);
                    is_one.then_some(PinnedTo::Body { point, body })
                }
            };
            match (single, on) {
                (Some(particle), Some(on)) if !ties.hung.contains_key(&particle) => {
                    ties.hung.insert(particle, on);
                }
                _ => {
                    it.a.particles.iter().for_each(|&particle| ties.is_other[particle] = true);
                    if let Anchor::Point(point) = it.b {
                        point.particles.iter().for_each(|&particle| ties.is_other[particle] = true);
                    }
                }
            }
        }
        for (index, distance) in model.distances.iter().enumerate() {
            match distance.particles.map(|particle| objects[particle]) {
                [a, b] if a == b && a != usize::MAX => ties.distances[a].push(index),
                _ => distance.particles.iter().for_each(|&particle| ties.is_other[particle] = true),
            }
        }
        for (index, surface) in model.surfaces.iter().enumerate() {
            ties.surfaces[surface.object].push(index);
        }
        ties
    }
}

/// Least number of particles of a sheet. Fewer take so little time that the exact sticks of the world are better.
const LEAST: usize = 64;

/// Builds the sheet of an object; `None` if lanes cannot step it.
fn sheet(model: &Model, index: usize, ties: &Ties, pinned: &[Option<DVec3>], substep: f64) -> Option<Sheet> {
    let object = &model.objects[index];
    let (first, count) = (object.particles.start, object.particles.len());
    if count < LEAST {
        return None;
    }
    let is_plain = !object.touches_itself && object.iterations.is_none();
    if !is_plain || ties.surfaces[index].is_empty() || object.particles.clone().any(|it| ties.is_other[it]) {
        return None;
    }
    let radius = model.surfaces[ties.surfaces[index][0]].radius;
    let local = |point: &Point| {
        let inside = point.weights == [1.0, 0.0, 0.0, 0.0] && object.particles.contains(&point.particles[0]);
        inside.then(|| point.particles[0] - first)
    };
    let mut triangles = Vec::with_capacity(ties.surfaces[index].len());
    for surface in ties.surfaces[index].iter().map(|&surface| &model.surfaces[surface]) {
        let Core::Triangle([a, b, c]) = &surface.core else { return None };
        triangles.push([local(a)?, local(b)?, local(c)?]);
        if surface.radius != radius {
            return None;
        }
    }
    let ends: Vec<[usize; 2]> = mesh::edges(&triangles).iter().map(|edge| edge.ends).collect();
    let layout = Layout::new(count, &ends);
    let on = |particle: usize| {
        let own = model.masses[particle].is_infinite() || pinned[particle].is_some();
        if own { Some(PinnedTo::Itself) } else { ties.hung.get(&particle).copied() }
    };
    let pin = |local: usize| {
        let on = on(first + local)?;
        Some(Pin { particle: first + local, at: offset(layout.slots[local]), on, velocity: DVec3::ZERO })
    };
    let pins: Vec<Pin> = (0..count).filter_map(pin).collect();
    let mut place = vec![usize::MAX; count];
    pins.iter().enumerate().for_each(|(index, pin)| place[pin.particle - first] = index);
    let weights: Vec<f64> = (0..count)
        .map(|local| if place[local] == usize::MAX { 1.0 / model.masses[first + local] } else { 0.0 })
        .collect();
    let mut masses = vec![0.0; layout.blocks * BLOCK];
    for (local, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        masses[layout.slots[local]] = (1.0 / weight) as f32;
    }
    let (mut sticks, mut hung_sticks, mut ropes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut coarseness, mut is_rigid) = (0.0_f64, true);
    for distance in ties.distances[index].iter().map(|&distance| &model.distances[distance]) {
        if distance.share != 1.0 || (distance.compliance > 0.0 && distance.damping > 0.0) {
            return None;
        }
        let [a, b] = distance.particles.map(|particle| particle - first);
        let [v, w] = [weights[a], weights[b]];
        if distance.is_bilateral() {
            let softened = v + w + distance.compliance / (substep * substep);
            is_rigid &= distance.compliance == 0.0;
            if distance.most <= 0.0 {
                return None;
            }
            let hung = [a, b].into_iter().position(|end| place[end] != usize::MAX && is_on_body(&pins[place[end]]));
            match hung {
                Some(_) if v + w == 0.0 => {}
                Some(end) => {
                    let (pin, free) = if end == 0 { (a, b) } else { (b, a) };
                    hung_sticks.push(HungStick {
                        pin: place[pin],
                        at: offset(layout.slots[free]),
                        inverse_square: (1.0 / (distance.most * distance.most)) as f32,
                        share: (weights[free] / softened) as f32,
                        mass: 1.0 / weights[free],
                        moved: DVec3::ZERO,
                    });
                }
                None if v + w > 0.0 => {
                    sticks.push(Stick { ends: [a, b], rest: distance.most, shares: [v / softened, w / softened] });
                }
                None => {}
            }
        } else {
            let (pin, free) = if v == 0.0 { (a, b) } else { (b, a) };
            if distance.least > 0.0 || distance.compliance > 0.0 || weights[pin] != 0.0 || distance.most <= 0.0 {
                return None;
            }
            if weights[free] > 0.0 && distance.most.is_finite() {
                ropes.push((free, place[pin], distance.most));
            }
        }
    }
    for triangle in &triangles {
        coarseness = coarseness.max(covering_radius(triangle.map(|corner| model.positions[first + corner])));
    }
    let length = |&[a, b]: &[usize; 2]| model.positions[first + a].distance(model.positions[first + b]);
    let longest = ends.iter().map(length).fold(0.0, f64::max);
    let tethers = in_blocks(&ropes, &layout);
    let room = vec![NOWHERE; layout.blocks * NUMBERS + BLOCK];
    let ribs = if is_rigid { ribs(&sticks, &weights, &layout) } else { Vec::new() };
    Some(Sheet {
        particles: object.particles.clone(),
        offsets: layout.slots.iter().map(|&slot| offset(slot)).collect(),
        program: Program::new(&sticks, &layout),
        ribs: Program::new(&ribs, &layout),
        cells: layout.columns.map_or(0, |columns| columns.max(count.div_ceil(columns)) - 1) as f64,
        shortest: sticks.iter().map(|stick| stick.rest).fold(f64::INFINITY, f64::min),
        pulled: vec![[0.0; NUMBERS]; tethers.len()],
        tethers,
        pins_now: vec![[0.0; 3]; pins.len()],
        pin_bases: vec![[0.0; 3]; pins.len()],
        pins,
        hung_sticks,
        mass: masses.iter().map(|&mass| f64::from(mass)).sum(),
        masses_of: layout.slots.iter().map(|&slot| f64::from(masses[slot])).collect(),
        masses,
        faces: faces(&triangles),
        longest,
        radius,
        coarseness,
        friction: object.friction,
        restitution: object.restitution,
        drag: object.drag,
        now: Aligned::new(&room),
        before: Aligned::new(&room),
        bases: Aligned::new(&vec![0.0; room.len()]),
        is_fine: false,
        unheld: Aligned::new(&room),
        pushed: Aligned::new(&vec![0.0; room.len()]),
    })
}

/// Place of empty lanes, far from everything, meters.
pub(super) const NOWHERE: f32 = 1e4;

fn faces(triangles: &[[usize; 3]]) -> Vec<Face> {
    let mut known = BTreeSet::new();
    let face = |&[a, b, c]: &[usize; 3]| {
        let owns = [[b, c], [c, a], [a, b]].map(|[p, q]| known.insert([p.min(q), p.max(q)]));
        Face { corners: [a, b, c].map(|corner| corner as u32), owns }
    };
    triangles.iter().map(face).collect()
}

/// Greatest distance of a point of a triangle from its nearest corner, meters.
fn covering_radius([a, b, c]: [DVec3; 3]) -> f64 {
    let mut sides = [a.distance_squared(b), b.distance_squared(c), c.distance_squared(a)];
    sides.sort_by(f64::total_cmp);
    let [p, q, r] = sides;
    let area = (b - a).cross(c - a).length();
    // The circumcenter of an obtuse triangle lies outside of it.
    if r >= p + q || area <= 0.0 { 0.5 * r.sqrt() } else { 0.5 * (p * q * r).sqrt() / area }
}

fn is_on_body(pin: &Pin) -> bool {
    matches!(pin.on, PinnedTo::Body { .. })
}

impl Sheet {
    /// Mass of the particle with this offset, kilograms; 0 for a pin.
    pub fn mass_at(&self, at: usize) -> f64 {
        f64::from(self.masses[at / NUMBERS * BLOCK + at % NUMBERS])
    }

    /// Whether it has ribs: then its sticks are rigid, and so the same for every number of substeps.
    pub fn has_ribs(&self) -> bool {
        !self.ribs.batches.is_empty()
    }

    /// Whether the sheet is held in the world.
    pub fn is_held(&self) -> bool {
        self.pins.iter().any(|pin| !is_on_body(pin))
    }

    /// Whether the sheet hangs on a body.
    pub fn hangs_on_body(&self) -> bool {
        self.pins.iter().any(is_on_body)
    }
}
