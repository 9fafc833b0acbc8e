//! Contacts of solids: with obstacles, with each other, and with points, segments and triangles.
//!
//! Two solids, or a solid and an obstacle, meet in the manifold of their shapes at the start of the substep, with a
//! margin for its motion. The points of the manifold then move with the bodies. At the start solids hardly overlap, so
//! the normal is that of the face that was in the way, however fast they are. A simplex is swept against a solid in
//! the solid's frame, as against an obstacle.
//! Specification: mathematics 3.16, 4.9 (H16, J31, J37).

use glam::DVec3;

use super::Other;
use super::cores::CoreForm;
use super::kept::{KeptManifolds, LOOK, PairMemory};
use super::law::ContactConstraint;
use super::narrow::{AHEAD, ContactScene, ROUNDING, reach};
use super::response::{Bodies, ContactSide};
use super::surfaces::SolidShape;
use crate::collision::manifold::seams::SeamFilter;
use crate::collision::simplex_contact::{self, ContactPlane, MovingSimplex};
use crate::collision::{Obstacle, each_manifold};

/// Appends the contacts of a solid with obstacles, given as pairs of its surface and an obstacle. `index` counts the solids
/// that may meet obstacles.
pub(super) fn with_obstacles(
    contacts: &mut Vec<ContactConstraint>,
    bodies: &mut Bodies,
    (met, kept, index): (&mut SeamFilter, &mut KeptManifolds, usize),
    (pairs, solid): (&[[u32; 2]], &SolidShape),
    scene: &ContactScene,
) {
    let surface = pairs[0][0] as usize;
    let (skin, motion) = (&scene.surfaces.list[surface], &scene.motion);
    let [before, now] = [motion.previous, motion.positions].map(|positions| skin.pose(positions));
    let (moved, center) = (solid.greatest_move(&now, &before), before.to_world(solid.middle));
    let material = &scene.surfaces.materials[skin.object];
    let poses = |obstacle: &Obstacle| [-scene.seconds, 0.0].map(|seconds| obstacle.pose_after(seconds));
    let reach = skin.radius + AHEAD + moved;
    let reach_of = |obstacle: &Obstacle| {
        let away = center.distance(obstacle.pose_after(-scene.seconds).position) + solid.size;
        reach + (obstacle.velocity.length() + obstacle.spin.length() * away) * scene.seconds
    };
    let known = |pair: &[u32; 2]| scene.obstacles.get(pair[1] as usize).map(|obstacle| (pair[1], obstacle));
    let is_still = |obstacle: &Obstacle| obstacle.velocity == DVec3::ZERO && obstacle.spin == DVec3::ZERO;
    let is_kept = pairs.iter().filter_map(known).all(|(_, obstacle)| is_still(obstacle))
        && kept.holds(index, solid, &before, reach);
    if !is_kept {
        met.clear();
        for (index, obstacle) in pairs.iter().filter_map(known) {
            let (shape, pose, margin) = (&obstacle.shape, &poses(obstacle)[0], reach_of(obstacle) + LOOK);
            each_manifold(&solid.shape, &before, shape, pose, margin, &mut |manifold| {
                met.add(index, manifold);
            });
        }
        kept.keep(index, &before, reach + LOOK, |list| {
            let placed = |index: u32| {
                let obstacle = &scene.obstacles[index as usize];
                (&obstacle.shape, poses(obstacle)[0])
            };
            met.each(placed, |index, manifold| list.push((index, manifold.local([&before, &placed(index).1]))));
        });
    }
    for &(index, manifold) in kept.of_solid(index) {
        let index = index as usize;
        let obstacle = &scene.obstacles[index];
        let [obstacle_before, obstacle_now] = poses(obstacle);
        let far = reach_of(obstacle);
        let manifold = manifold.at([&before, &obstacle_before]);
        let normal = manifold.normal;
        for point in manifold.points().iter().filter(|point| point.gap < far) {
            let drift = obstacle_now.to_world(obstacle_before.to_local(point.on_b)) - point.on_b;
            let side = bodies.side_of_solid(
                (skin, point.on_a, normal * -skin.radius),
                motion.previous,
                scene.surfaces,
                motion,
            );
            let offset = normal.dot(point.on_b + drift) + skin.radius;
            let sides = [side, ContactSide::NOTHING];
            let mut contact = ContactConstraint::new(surface, Other::Obstacle(index), sides, normal, offset);
            contact.drift = drift;
            (contact.friction, contact.restitution) = material.with((obstacle.friction, obstacle.restitution));
            contact.rolling = if skin.rolls { material.rolling } else { 0.0 };
            contact.gap_before = point.gap - skin.radius;
            contacts.push(contact);
        }
    }
}

/// Appends the contacts of two colliders, one or both of them solids. `apart` is as in the narrow phase of simplices.
pub(super) fn between(
    contacts: &mut Vec<ContactConstraint>,
    bodies: &mut Bodies,
    pair: [usize; 2],
    (memory, kept): (&mut PairMemory, &mut KeptManifolds),
    scene: &ContactScene,
) {
    let (skins, cores) = (pair.map(|it| &scene.surfaces.list[it]), pair.map(|it| &scene.cores[it]));
    if !(cores[0].is_sound && cores[1].is_sound) {
        return;
    }
    let (thickness, moved) = (skins[0].radius + skins[1].radius, cores[0].moved + cores[1].moved);
    let far = thickness + AHEAD + moved;
    memory.apart -= cores[0].closer_by(cores[1]) + ROUNDING;
    if memory.apart > far || cores[0].at_least_apart(cores[1]) > far {
        return;
    }
    let (motion, surfaces) = (&scene.motion, scene.surfaces);
    let material = surfaces.between(skins);
    let mut meet = |sides: [ContactSide; 2], normal: DVec3, before: f64| {
        let mut contact = ContactConstraint::new(pair[0], Other::Surface(pair[1]), sides, normal, thickness);
        (contact.friction, contact.restitution) = material;
        contact.gap_before = before - thickness;
        contacts.push(contact);
    };
    let shapes = skins.map(|skin| skin.solid.map(|solid| &surfaces.solids[solid]));
    // After a hit in the substep, they meet where they are at its end.
    let start = if memory.has_hit { motion.positions } else { motion.previous };
    let forms = cores.map(|core| if memory.has_hit { core.form.at_end() } else { core.form });
    memory.apart = match (forms, shapes) {
        ([CoreForm::Solid { before: one, .. }, CoreForm::Solid { before: other, .. }], [Some(a), Some(b)]) => {
            let (manifold, least) = kept.between(memory, [a, b], [&one, &other], far);
            for point in manifold.points().iter().filter(|point| point.gap < far) {
                // One point for both sides, or friction would rotate them together.
                let middle = 0.5 * (point.on_a + point.on_b);
                let places = [point.on_a, point.on_b];
                let sides = [0, 1]
                    .map(|i| bodies.side_of_solid((skins[i], places[i], middle - places[i]), start, surfaces, motion));
                meet(sides, manifold.normal, point.gap);
            }
            // The manifold is of the start of the substep, and the cores have moved since.
            least - moved
        }
        (
            [CoreForm::Simplex { now, before }, CoreForm::Solid { now: pose, before: pose_before }],
            [None, Some(solid)],
        )
        | (
            [CoreForm::Solid { now: pose, before: pose_before }, CoreForm::Simplex { now, before }],
            [Some(solid), None],
        ) => {
            let is_second = skins[0].solid.is_some();
            let [skin, carrier] = if is_second { [skins[1], skins[0]] } else { skins };
            let local = now.map(|p| pose.to_local(p));
            let center = (local.corners[0] + local.corners[1] + local.corners[2]) / 3.0;
            let size = local.corners.iter().fold(0.0_f64, |most, corner| most.max(corner.distance(center)));
            let least = simplex_contact::signed(&solid.shape, center, f64::INFINITY).distance - size;
            if least <= far.max(2.0 * moved) {
                let core = MovingSimplex {
                    before: before.map(|p| pose_before.to_local(p)),
                    now: local,
                    home: pose.to_local(skin.home.position(motion.positions)),
                };
                simplex_contact::touches(&solid.shape, &core, reach(thickness, moved), &mut |touch: ContactPlane| {
                    let (on, normal) = (pose.to_world(touch.point), pose.rotation * touch.normal);
                    let place = now.at(touch.weights);
                    // One point for both sides, between the skins.
                    let middle = 0.5 * (place - normal * skin.radius + on + normal * carrier.radius);
                    let own = bodies.side((skin, touch.weights, place - middle), surfaces, motion);
                    let other = bodies.side_of_solid((carrier, on, middle - on), motion.positions, surfaces, motion);
                    let (sides, normal) = if is_second { ([other, own], -normal) } else { ([own, other], normal) };
                    meet(sides, normal, touch.before);
                });
            }
            least
        }
        _ => f64::NEG_INFINITY,
    };
}
