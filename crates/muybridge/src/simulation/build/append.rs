//! Appends a model to a larger one: its indices are shifted by the number of items before it.

use crate::particles::{Anchor, BallJoint, Core, Direction, Drive, Hinge, Model, Point, SwingTwist, Tetrahedron};

/// Appends a ragdoll's particles, bodies, joints, limits, surfaces and objects. Returns its first particle.
pub(super) fn append(model: &mut Model, part: &Model) -> usize {
    let (first, objects, solids) = (model.positions.len(), model.objects.len(), model.solids.len());
    let by = |particles: [usize; 4]| particles.map(|particle| particle + first);
    let point = |p: Point| Point { particles: by(p.particles), ..p };
    let direction = |d: Direction| Direction { particles: by(d.particles), ..d };
    model.positions.extend(&part.positions);
    model.velocities.extend(&part.velocities);
    model.masses.extend(&part.masses);
    model.tetrahedra.extend(part.tetrahedra.iter().map(|t| Tetrahedron { particles: by(t.particles), ..*t }));
    model.attachments.extend(part.attachments.iter().map(|attachment| {
        let b = match attachment.b {
            Anchor::Point(other) => Anchor::Point(point(other)),
            place @ Anchor::Place(_) => place,
        };
        BallJoint { a: point(attachment.a), b, ..*attachment }
    }));
    model.swing_twists.extend(part.swing_twists.iter().map(|l| SwingTwist {
        a: l.a.map(direction),
        b: l.b.map(direction),
        ..*l
    }));
    model.hinges.extend(part.hinges.iter().map(|l| Hinge { a: l.a.map(direction), b: l.b.map(direction), ..*l }));
    model.drives.extend(part.drives.iter().map(|d| Drive { a: d.a.map(direction), b: d.b.map(direction), ..*d }));
    model.surfaces.extend(part.surfaces.iter().map(|surface| {
        let mut core = surface.core;
        core.points_mut().iter_mut().for_each(|own| *own = point(*own));
        if let Core::Solid { solid, .. } = &mut core {
            *solid += solids;
        }
        crate::particles::Surface { core, object: surface.object + objects, ..*surface }
    }));
    model.solids.extend(part.solids.iter().cloned());
    model.objects.extend(part.objects.iter().cloned().map(|mut object| {
        object.particles = object.particles.start + first..object.particles.end + first;
        object
    }));
    first
}
