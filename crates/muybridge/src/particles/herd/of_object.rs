//! The ragdolls of a model, each as a model of its own.

use super::Model;
use crate::particles::model::{Anchor, Core};
use crate::particles::{Direction, Object, Point};

/// Greatest distance of a core's points from their nearest particle in the pose of the model, meters.
pub(super) fn reach(model: &Model, core: &Core) -> f64 {
    let of = |point: &Point| {
        let at = point.position(&model.positions);
        let used = (0..4).filter(|&corner| point.weights[corner] != 0.0);
        used.map(|corner| model.positions[point.particles[corner]].distance(at)).fold(f64::INFINITY, f64::min)
    };
    core.points().iter().map(of).fold(0.0, f64::max)
}

/// What a model has of one object, as indices into its lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces {
    /// Whether a constraint that lanes do not know, or one other than an attachment to another object, is on it.
    is_bound: bool,
    tetrahedra: Vec<usize>,
    swing_twists: Vec<usize>,
    hinges: Vec<usize>,
    attachments: Vec<usize>,
    /// Its colliders.
    pub surfaces: Vec<usize>,
    /// Its drives.
    pub drives: Vec<usize>,
    /// Particles of other objects that hang on it.
    pub hung: Vec<usize>,
}

impl Pieces {
    /// The pieces of each object.
    pub fn of(model: &Model) -> Vec<Self> {
        let mut all = vec![Self::default(); model.objects.len()];
        let mut objects = vec![None; model.positions.len()];
        for (object, it) in model.objects.iter().enumerate() {
            objects[it.particles.clone()].fill(Some(object));
        }
        let owner = |particle: &usize| objects[*particle];
        let unknown = model.distances.iter().flat_map(|it| it.particles);
        let unknown = unknown.chain(model.orientations.iter().flat_map(|it| it.first.into_iter().chain(it.second)));
        let unknown = unknown.chain(model.angles.iter().flat_map(|it| it.particles));
        let unknown = unknown.chain(model.bends.iter().flat_map(|it| it.particles));
        let unknown = unknown.chain(model.volumes.iter().flat_map(|it| it.particles));
        let unknown = unknown.chain(model.planes.iter().map(|it| it.particle));
        for object in unknown.filter_map(|particle| owner(&particle)) {
            all[object].is_bound = true;
        }
        let mut give = |particles: &[usize], list: fn(&mut Self) -> &mut Vec<usize>, index: usize| {
            let first = particles.first().and_then(owner);
            if let Some(object) = first.filter(|_| particles.iter().all(|particle| owner(particle) == first)) {
                list(&mut all[object]).push(index);
            } else {
                particles.iter().filter_map(owner).for_each(|object| all[object].is_bound = true);
            }
        };
        let tetrahedra = model.tetrahedra.iter().enumerate();
        tetrahedra.for_each(|(index, it)| give(&it.particles, |own| &mut own.tetrahedra, index));
        let balls = model.swing_twists.iter().enumerate();
        balls.for_each(|(index, it)| give(&both(&it.a, &it.b), |own| &mut own.swing_twists, index));
        let hinges = model.hinges.iter().enumerate();
        hinges.for_each(|(index, it)| give(&both(&it.a, &it.b), |own| &mut own.hinges, index));
        for (index, it) in model.attachments.iter().enumerate() {
            // What hangs on an object by its own particles is no part of it.
            let b = if let Anchor::Point(b) = &it.b { b.particles } else { it.a.particles };
            let of = owner(&it.a.particles[0]);
            if it.a.particles.iter().chain(&b).all(|particle| owner(particle) == of) {
                of.into_iter().for_each(|object| all[object].attachments.push(index));
            } else if of != owner(&b[0]) {
                of.into_iter().for_each(|object| all[object].hung.push(b[0]));
                owner(&b[0]).into_iter().for_each(|object| all[object].hung.push(it.a.particles[0]));
            }
        }
        for (index, drive) in model.drives.iter().enumerate() {
            owner(&drive.a[0].particles[0]).into_iter().for_each(|object| all[object].drives.push(index));
        }
        for (index, surface) in model.surfaces.iter().enumerate() {
            all[surface.object].surfaces.push(index);
        }
        all
    }

    /// The model of the object alone: rigid bodies and joints without compliance that nothing connects to other objects.
    pub fn alone(&self, model: &Model, object: usize) -> Option<Model> {
        if self.is_bound || self.tetrahedra.len() < 2 {
            return None;
        }
        let own = model.objects[object].particles.clone();
        let mut alone = Model {
            positions: model.positions[own.clone()].to_vec(),
            masses: model.masses[own.clone()].to_vec(),
            objects: vec![Object { particles: 0..own.len(), ..model.objects[object].clone() }],
            tetrahedra: self.tetrahedra.iter().map(|&index| model.tetrahedra[index]).collect(),
            swing_twists: self.swing_twists.iter().map(|&index| model.swing_twists[index]).collect(),
            hinges: self.hinges.iter().map(|&index| model.hinges[index]).collect(),
            attachments: self.attachments.iter().map(|&index| model.attachments[index]).collect(),
            surfaces: self.surfaces.iter().map(|&index| model.surfaces[index]).collect(),
            ..Model::default()
        };
        let is_soft = alone.attachments.iter().any(|it| it.compliance > 0.0)
            || alone.swing_twists.iter().any(|it| it.compliance > 0.0)
            || alone.hinges.iter().any(|it| it.compliance > 0.0);
        if is_soft {
            return None;
        }
        renumber(&mut alone, own.start);
        Some(alone)
    }
}

fn both(a: &[Direction; 3], b: &[Direction; 3]) -> Vec<usize> {
    a.iter().chain(b).flat_map(|axis| axis.particles).collect()
}

/// Counts particles from `first`, and colliders to one object.
fn renumber(model: &mut Model, first: usize) {
    let number = |particles: &mut [usize; 4]| particles.iter_mut().for_each(|particle| *particle -= first);
    model.tetrahedra.iter_mut().for_each(|it| number(&mut it.particles));
    for it in &mut model.attachments {
        number(&mut it.a.particles);
        if let Anchor::Point(b) = &mut it.b {
            number(&mut b.particles);
        }
    }
    model
        .swing_twists
        .iter_mut()
        .flat_map(|it| it.a.iter_mut().chain(&mut it.b))
        .for_each(|it| number(&mut it.particles));
    model.hinges.iter_mut().flat_map(|it| it.a.iter_mut().chain(&mut it.b)).for_each(|it| number(&mut it.particles));
    for surface in &mut model.surfaces {
        surface.object = 0;
        surface.core.points_mut().iter_mut().for_each(|point| number(&mut point.particles));
    }
}
