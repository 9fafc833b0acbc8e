//! Cloth on any triangle mesh: sticks along edges and across cells, tethers to the pins, and bending constraints.
//! (3.10, J11)

use glam::DVec3;

use super::error::{ObjectError, not_negative, positive};
use super::geodesic::Surroundings;
use super::{ObjectRange, Traits, mesh, particle, stick, tether};
use crate::particles::bend::fold;
use crate::particles::distance::lanes;
use crate::particles::model::{Bend, Core, Model, Surface};
use crate::particles::point::Point;

/// Bending constraints of a cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bending {
    /// No bending resistance.
    Free,
    /// Sticks between opposite corners with this compliance, m/N. They are weak if the cloth is flat.
    Sticks(f64),
    /// Angles between neighboring triangles with this compliance, radians per newton meter.
    Angles(f64),
}

/// A cloth. Its particles are the points of the mesh, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Points of the mesh, meters.
    pub points: Vec<DVec3>,
    /// Corners of the triangles, as indices of points.
    pub triangles: Vec<[usize; 3]>,
    /// Points that stay in place.
    pub pinned: Vec<usize>,
    /// Points that the caller attaches to something else; tethers lead to them as to pins.
    pub hung: Vec<usize>,
    /// Total mass, kilograms.
    pub mass: f64,
    /// Whether a particle has the mass of the area around it; otherwise all have equal masses, as in the source.
    pub mass_by_area: bool,
    /// Thickness from side to side, meters.
    pub thickness: f64,
    /// Compliance along the edges, meters per newton; 0 is rigid.
    pub stretch: f64,
    /// Compliance along the second diagonals of cells, meters per newton; 0 is rigid.
    pub shear: f64,
    /// Bending constraints.
    pub bending: Bending,
    /// Number of tethers of each particle to its nearest pins. A tether limits the distance to the length over the
    /// cloth.
    pub tethers: usize,
    /// Initial velocity, meters per second.
    pub velocity: DVec3,
    /// Friction and other properties.
    pub traits: Traits,
}

impl Cloth {
    /// A cloth that is rigid along the threads and free to fold, with 0.2 kg/m², 1 cm thick, two tethers.
    pub fn new(points: Vec<DVec3>, triangles: Vec<[usize; 3]>) -> Self {
        let corner = |corner: usize| points.get(corner).copied().unwrap_or(DVec3::ZERO);
        let area = |&[a, b, c]: &[usize; 3]| 0.5 * (corner(b) - corner(a)).cross(corner(c) - corner(a)).length();
        let mass = 0.2 * triangles.iter().map(area).sum::<f64>();
        Self {
            points,
            triangles,
            pinned: Vec::new(),
            hung: Vec::new(),
            mass,
            mass_by_area: false,
            thickness: 0.01,
            stretch: 0.0,
            shear: 0.0,
            bending: Bending::Free,
            tethers: 2,
            velocity: DVec3::ZERO,
            traits: Traits { friction: 0.4, drag: 0.2, ..Traits::default() },
        }
    }

    /// Pushes the cloth into a model.
    ///
    /// # Errors
    /// An [`ObjectError`] that names the invalid triangle, point or number.
    pub fn add_to(&self, model: &mut Model) -> Result<ObjectRange, ObjectError> {
        let masses = self.checked_masses()?;
        let first = model.positions.len();
        for (point, mass) in self.points.iter().zip(masses) {
            let velocity = if mass.is_finite() { self.velocity } else { DVec3::ZERO };
            particle(model, *point, velocity, mass);
        }
        self.tie(model, first);
        self.hang(model, first);
        let built = self.traits.close(model, first);
        for (part, corners) in self.triangles.iter().enumerate() {
            let core = Core::Triangle(corners.map(|corner| Point::at(first + corner)));
            model.surfaces.push(Surface { core, radius: 0.5 * self.thickness, object: built.object, part });
        }
        Ok(built)
    }

    fn checked_masses(&self) -> Result<Vec<f64>, ObjectError> {
        mesh::check(&self.points, &self.triangles)?;
        self.traits.check()?;
        positive("the mass of a cloth", self.mass)?;
        not_negative("the thickness of a cloth", self.thickness)?;
        not_negative("the stretch of a cloth", self.stretch)?;
        not_negative("the shear of a cloth", self.shear)?;
        if let Bending::Sticks(compliance) | Bending::Angles(compliance) = self.bending {
            not_negative("the bending compliance of a cloth", compliance)?;
        }
        let areas = mesh::areas(&self.points, &self.triangles);
        let total: f64 = areas.iter().sum();
        let share = |area: f64| {
            if self.mass_by_area { area / total } else { f64::from(u8::from(area > 0.0)) / areas.len() as f64 }
        };
        let mut masses: Vec<f64> = areas.iter().map(|&area| self.mass * share(area)).collect();
        for (index, &point) in self.pinned.iter().enumerate() {
            let points = self.points.len();
            let mass = masses.get_mut(point).ok_or(ObjectError::NoSuchPoint { what: "pin", index, point, points })?;
            *mass = f64::INFINITY;
        }
        if let Some(index) = self.hung.iter().position(|&point| point >= masses.len()) {
            let (point, points) = (self.hung[index], masses.len());
            return Err(ObjectError::NoSuchPoint { what: "hung point", index, point, points });
        }
        // NaN (all areas are 0) counts as no mass.
        let massless = |mass: &f64| mass.is_nan() || *mass <= 0.0;
        masses.iter().position(massless).map_or(Ok(masses), |point| Err(ObjectError::Loose { point }))
    }

    /// Pushes sticks along the edges and across the cells, and the bending constraints.
    fn tie(&self, model: &mut Model, first: usize) {
        let edges = mesh::edges(&self.triangles);
        let shifted = |ends: [usize; 2]| ends.map(|end| first + end);
        edges.iter().for_each(|edge| stick(model, shifted(edge.ends), self.stretch));
        for edge in &edges {
            let Some(wings) = edge.wings() else { continue };
            let diagonal = edge.is_diagonal(&self.points);
            if diagonal {
                stick(model, shifted(wings), self.shear);
            }
            match self.bending {
                Bending::Sticks(compliance) if !diagonal => stick(model, shifted(wings), compliance),
                Bending::Angles(compliance) => model.bends.push(self.bend(edge, wings, first, compliance)),
                _ => {}
            }
        }
    }

    fn bend(&self, edge: &mesh::Edge, wings: [usize; 2], first: usize, compliance: f64) -> Bend {
        let [a, b, c, d] = [edge.ends[0], edge.ends[1], wings[0], wings[1]];
        let rest = fold([a, b, c, d].map(|corner| lanes(self.points[corner])), 0.0).value;
        Bend { particles: [a, b, c, d].map(|corner| first + corner), rest, compliance }
    }

    /// Pushes tethers to the nearest pins and hung points. A cloth that stretches has none: they do not.
    fn hang(&self, model: &mut Model, first: usize) {
        let mut pins = [&self.pinned[..], &self.hung].concat();
        if self.tethers == 0 || self.stretch > 0.0 || pins.is_empty() {
            return;
        }
        pins.sort_unstable();
        pins.dedup();
        let ways = Surroundings::new(&self.points, &self.triangles).ways_from(&pins);
        for particle in 0..self.points.len() {
            if pins.binary_search(&particle).is_ok() {
                continue;
            }
            for (pin, way) in ways.nearest(particle, self.tethers) {
                tether(model, [first + pins[pin], first + particle], way);
            }
        }
    }
}
