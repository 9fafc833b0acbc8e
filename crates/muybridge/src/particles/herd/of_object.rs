//! The ragdoll of one object of a model, as a model of its own.

use super::Model;
use crate::particles::model::{Anchor, Core};
use crate::particles::{BallJoint, Direction, Object, Point};

/// Greatest distance of a core's points from their nearest particle in the pose of the model, meters.
pub(super) fn reach(model: &Model, core: &Core) -> f64 {
    let of = |point: &Point| {
        let at = point.position(&model.positions);
        let used = (0..4).filter(|&corner| point.weights[corner] != 0.0);
        used.map(|corner| model.positions[point.particles[corner]].distance(at)).fold(f64::INFINITY, f64::min)
    };
    core.points().iter().map(of).fold(0.0, f64::max)
}

/// The model of one object alone: rigid bodies and joints without compliance that nothing connects to other objects.
pub(super) fn alone(model: &Model, object: usize) -> Option<Model> {
    let own = model.objects[object].particles.clone();
    let is_in = |particle: usize| own.contains(&particle);
    let inside = |particles: &[usize]| particles.iter().all(|&particle| is_in(particle));
    let outside = |particles: &[usize]| !particles.iter().any(|&particle| is_in(particle));
    let mut is_whole = true;
    let mut takes = |particles: &[usize]| {
        let is_inside = inside(particles);
        is_whole &= is_inside || outside(particles);
        is_inside
    };
    let unknown = model.distances.iter().filter(|it| takes(&it.particles)).count()
        + model.orientations.iter().filter(|it| takes(&[it.first, it.second].concat())).count()
        + model.angles.iter().filter(|it| takes(&it.particles)).count()
        + model.bends.iter().filter(|it| takes(&it.particles)).count()
        + model.volumes.iter().filter(|it| takes(&it.particles)).count()
        + model.planes.iter().filter(|it| takes(&[it.particle])).count();
    let mut alone = Model {
        positions: model.positions[own.clone()].to_vec(),
        masses: model.masses[own.clone()].to_vec(),
        objects: vec![Object { particles: 0..own.len(), ..model.objects[object].clone() }],
        ..Model::default()
    };
    alone.tetrahedra.extend(model.tetrahedra.iter().filter(|it| takes(&it.particles)));
    alone.swing_twists.extend(model.swing_twists.iter().filter(|it| takes(&both(&it.a, &it.b))));
    alone.hinges.extend(model.hinges.iter().filter(|it| takes(&both(&it.a, &it.b))));
    alone.attachments.extend(model.attachments.iter().filter(|it| {
        // What hangs on it by its own particles is no part of it.
        let b = if let Anchor::Point(b) = &it.b { b.particles } else { it.a.particles };
        inside(&it.a.particles) && inside(&b)
    }));
    alone.surfaces.extend(model.surfaces.iter().filter(|surface| surface.object == object));
    let is_soft = alone.attachments.iter().any(|it| it.compliance > 0.0)
        || alone.swing_twists.iter().any(|it| it.compliance > 0.0)
        || alone.hinges.iter().any(|it| it.compliance > 0.0);
    if unknown > 0 || !is_whole || is_soft || alone.tetrahedra.len() < 2 {
        return None;
    }
    renumber(&mut alone, own.start);
    Some(alone)
}

/// Particles of other objects that hang on the particles of a ragdoll.
pub(super) fn hung(model: &Model, own: &core::ops::Range<usize>) -> Vec<usize> {
    let ends = |it: &BallJoint| match &it.b {
        Anchor::Point(b) => [it.a.particles[0], b.particles[0]],
        Anchor::Place(_) => [it.a.particles[0]; 2],
    };
    let hangs = |[a, b]: [usize; 2]| match (own.contains(&a), own.contains(&b)) {
        (true, false) => Some(b),
        (false, true) => Some(a),
        _ => None,
    };
    model.attachments.iter().filter_map(|it| hangs(ends(it))).collect()
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
