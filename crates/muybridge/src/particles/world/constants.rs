//! What follows from a model once and for all.

use crate::particles::coloring::Coloring;
use crate::particles::model::{Core, Model, Surface};
use crate::particles::sleep::Islands;

/// What a world computes once.
#[derive(Clone, Debug)]
pub(crate) struct Constants {
    /// Per kilogram; 0 for what nothing moves.
    pub inverse_masses: Vec<f64>,
    /// Distances, those of one color one after the other.
    pub distances: Vec<usize>,
    /// Passes over the constraints of a particle (J38), 0 for those of the settings.
    pub passes: Vec<u32>,
    /// The most of them.
    pub most_passes: u32,
    /// A particle of each surface that something moves, if there is one.
    pub of_surfaces: Vec<Option<usize>>,
    /// What hangs together.
    pub islands: Islands,
}

impl Constants {
    pub fn of(model: &Model) -> Self {
        let sticks: Vec<[usize; 2]> = model.distances.iter().map(|distance| distance.particles).collect();
        let mut passes = vec![0; model.positions.len()];
        for object in &model.objects {
            passes[object.particles.clone()].fill(object.iterations.map_or(0, |iterations| iterations.max(1)));
        }
        Self {
            inverse_masses: model.masses.iter().map(|mass| 1.0 / mass).collect(),
            distances: Coloring::of(&sticks, model.positions.len()).order,
            most_passes: passes.iter().copied().max().unwrap_or(0),
            passes,
            of_surfaces: model.surfaces.iter().map(|surface| movable(surface, model)).collect(),
            islands: Islands::of(model),
        }
    }
}

fn movable(surface: &Surface, model: &Model) -> Option<usize> {
    let points = match &surface.core {
        Core::Ball(point) => core::slice::from_ref(point),
        Core::Segment(points) => points,
        Core::Triangle(points) => points,
    };
    let used = points.iter().flat_map(|point| point.particles.iter().zip(&point.weights));
    used.filter(|(_, weight)| **weight != 0.0).map(|(particle, _)| *particle).find(|&i| model.masses[i].is_finite())
}
