//! Narrow phase: contact points of the candidate pairs, as constraints ready to be solved.
//!
//! Obstacles are queried in their own frame, at the start and end of the substep, so that their motion counts.
//! Colliders so fast that their cores could pass through each other are swept. Crossed cores are pushed to the sides
//! where their limbs begin.
//! Specification: mathematics 3.16, 4.9 (J31, J37, R28).

use glam::DVec3;

use super::cores::{Core, CoreForm};
use super::kept::PairMemory;
use super::law::ContactConstraint;
use super::pairs::Pairs;
use super::response::{Bodies, ContactSide};
use super::surfaces::Surfaces;
use super::{Other, ParticleMotion, solids};
use crate::collision::simplex::{Simplex, closest, corner};
use crate::collision::simplex_contact::{self, ALIKE, ContactPlane, MovingSimplex, SWEPT, TOUCHING};
use crate::collision::sweep::first_touch;
use crate::collision::{Obstacle, ObstacleShape};

/// Input of the narrow phase.
pub(super) struct ContactScene<'a> {
    pub surfaces: &'a Surfaces,
    /// One core per collider; used for pairs of colliders.
    pub cores: &'a [Core],
    pub obstacles: &'a [Obstacle],
    pub motion: ParticleMotion<'a>,
    /// Duration of the substep, seconds.
    pub seconds: f64,
}

/// Least distance kept from a thin mesh, meters: a core on the mesh itself has no side.
const THIN: f64 = 0.001;
/// Speculative margin: contacts are created this far ahead of touching, meters, so that the next pass sees the effect
/// of other constraints.
pub(super) const AHEAD: f64 = 1e-4;

/// Upper bound of the rounding error of a core distance, meters.
pub(super) const ROUNDING: f64 = 1e-9;

/// Appends the contacts of all candidate pairs.
pub(super) fn find(
    contacts: &mut Vec<ContactConstraint>,
    bodies: &mut Bodies,
    pairs: &mut Pairs,
    scene: &ContactScene,
) {
    let Pairs { surfaces, memory, obstacles, met, kept, .. } = pairs;
    let mut solids = 0;
    for of_one in obstacles.chunk_by(|one, other| one[0] == other[0]) {
        if let Some(solid) = scene.surfaces.solid(of_one[0][0] as usize) {
            solids::with_obstacles(contacts, bodies, (&mut *met, &mut *kept, solids), (of_one, solid), scene);
            solids += 1;
            continue;
        }
        for &[surface, obstacle] in of_one {
            if let Some(target) = scene.obstacles.get(obstacle as usize) {
                with_obstacle(contacts, bodies, [surface as usize, obstacle as usize], target, scene);
            }
        }
    }
    for (&pair, memory) in surfaces.iter().zip(memory) {
        let pair = pair.map(|surface| surface as usize);
        if pair.iter().any(|&surface| scene.surfaces.solid(surface).is_some()) {
            solids::between(contacts, bodies, pair, (memory, &mut *kept), scene);
        } else {
            between_surfaces(contacts, bodies, pair, memory, scene);
        }
    }
}

fn with_obstacle(
    contacts: &mut Vec<ContactConstraint>,
    bodies: &mut Bodies,
    [surface, index]: [usize; 2],
    obstacle: &Obstacle,
    scene: &ContactScene,
) {
    let (skin, motion) = (&scene.surfaces.list[surface], &scene.motion);
    let (now, before) = (obstacle.pose(), obstacle.pose_after(-scene.seconds));
    let core = MovingSimplex {
        before: skin.simplex(motion.previous).map(|p| before.to_local(p)),
        now: skin.simplex(motion.positions).map(|p| now.to_local(p)),
        home: now.to_local(skin.home.position(motion.positions)),
    };
    if !is_sound(&core.now) || !is_sound(&core.before) {
        return;
    }
    let thin = matches!(obstacle.shape, ObstacleShape::Mesh(_));
    let radius = if thin { skin.radius.max(THIN) } else { skin.radius };
    let material = &scene.surfaces.materials[skin.object];
    let reach = radius + AHEAD + 0.25 * core.now.greatest_move(&core.before);
    simplex_contact::touches(&obstacle.shape, &core, reach, &mut |touch: ContactPlane| {
        let point = now.to_world(touch.point);
        let normal = now.rotation * touch.normal;
        let sides = [bodies.side((skin, touch.weights, normal * radius), scene.surfaces, motion), ContactSide::NOTHING];
        let mut contact =
            ContactConstraint::new(surface, Other::Obstacle(index), sides, normal, normal.dot(point) + radius);
        contact.drift = point - before.to_world(touch.point);
        (contact.friction, contact.restitution) = material.with((obstacle.friction, obstacle.restitution));
        contact.rolling = if skin.rolls { material.rolling } else { 0.0 };
        contact.gap_before = touch.before - radius;
        contact.depth = radius - touch.apart;
        contacts.push(contact);
    });
}

/// A contact point between two colliders, as weights of their corners.
struct PairMeeting {
    first: [f64; 3],
    second: [f64; 3],
    /// Unit normal from the second to the first.
    normal: DVec3,
    /// Distance of the two points at the start of the substep, meters.
    before: f64,
}

/// Appends the contacts of two colliders. `memory` has a lower bound of their distance, kept between substeps, so that
/// most pairs need no measurement. After a hit in the substep, they meet where they are at its end.
fn between_surfaces(
    contacts: &mut Vec<ContactConstraint>,
    bodies: &mut Bodies,
    [a, b]: [usize; 2],
    memory: &mut PairMemory,
    scene: &ContactScene,
) {
    let PairMemory { apart, has_hit, .. } = memory;
    let (skins, motion) = ([&scene.surfaces.list[a], &scene.surfaces.list[b]], &scene.motion);
    let cores = [&scene.cores[a], &scene.cores[b]];
    let thickness = skins[0].radius + skins[1].radius;
    if !(cores[0].is_sound && cores[1].is_sound) {
        return;
    }
    let moved = cores[0].moved + cores[1].moved;
    let far = reach(thickness, moved).max(2.0 * moved);
    *apart -= cores[0].closer_by(cores[1]) + ROUNDING;
    if *apart > far || cores[0].at_least_apart(cores[1]) > far {
        return;
    }
    let [CoreForm::Simplex { now: one, before: one_before }, CoreForm::Simplex { now: other, before: other_before }] =
        cores.map(|core| core.form)
    else {
        return;
    };
    let (one_before, other_before, moved) =
        if *has_hit { (one, other, 0.0) } else { (one_before, other_before, moved) };
    let homes = skins.map(|skin| skin.home.position(motion.positions));
    let surfaces = scene.surfaces;
    let material = surfaces.between(skins);
    *apart =
        meetings(([one, other], [one_before, other_before]), moved, homes, thickness, &mut |meeting: PairMeeting| {
            // One contact point for both sides, or friction would rotate them together: between the skins if they overlap.
            let between = one.at(meeting.first) - other.at(meeting.second);
            let share = (meeting.normal.dot(between) / thickness).clamp(0.0, 1.0);
            let sides = [
                bodies.side((skins[0], meeting.first, meeting.normal * (skins[0].radius * share)), surfaces, motion),
                bodies.side((skins[1], meeting.second, meeting.normal * (-skins[1].radius * share)), surfaces, motion),
            ];
            let mut contact = ContactConstraint::new(a, Other::Surface(b), sides, meeting.normal, thickness);
            (contact.friction, contact.restitution) = material;
            contact.gap_before = meeting.before - thickness;
            contacts.push(contact);
        });
}

/// Distance below which two cores are in contact, meters.
pub(super) fn reach(thickness: f64, moved: f64) -> f64 {
    thickness + AHEAD + 0.25 * moved
}

/// Finds the contact points of two cores that moved by at most `greatest_move`; returns their distance, meters.
fn meetings(
    (now, before): ([Simplex; 2], [Simplex; 2]),
    greatest_move: f64,
    homes: [DVec3; 2],
    thickness: f64,
    found: &mut dyn FnMut(PairMeeting),
) -> f64 {
    let (now, before) = (now.each_ref(), before.each_ref());
    let reach = reach(thickness, greatest_move);
    let nearest = closest(now[0], now[1]);
    let distance = nearest.distance();
    // Cores farther apart than they could have moved cannot have passed each other.
    if distance <= 2.0 * greatest_move {
        let was = closest(before[0], before[1]).distance();
        // Where the skins touch, because cores that meet have no normal.
        let touching = if was > thickness { thickness } else { 0.5 * was };
        if was > TOUCHING && greatest_move >= (was - touching).max(0.5 * was) {
            let there = |t: f64| [0, 1].map(|side| before[side].mixed(now[side], t));
            let apart = |[one, other]: [Simplex; 2]| closest(&one, &other);
            if let Some(t) = first_touch(|t| apart(there(t)).distance() - touching, greatest_move, SWEPT) {
                swept((now, before, &there(t)), reach, found);
                return distance;
            }
        }
    }
    if distance >= reach {
        return distance;
    }
    if distance == 0.0 {
        let (first, second) = (nearest.first, nearest.second);
        let normal = if now[1].count == 3 { now[1].normal() } else { now[0].normal() };
        let side = 1.0_f64.copysign(normal.dot(homes[0] - homes[1]));
        found(PairMeeting { first, second, normal: normal * side, before: 0.0 });
        return distance;
    }
    let mut least = f64::INFINITY;
    let mut offer = |first: [f64; 3], second: [f64; 3], closer: f64| {
        let apart = now[0].at(first) - now[1].at(second);
        let length = apart.length();
        let counts = length < least - closer;
        least = least.min(length);
        if counts && length < reach && length > 0.0 {
            let was = before[0].at(first) - before[1].at(second);
            // The point is on the far side of another contact, which holds it. This contact must not pull it through.
            if was.dot(apart) >= 0.0 {
                found(PairMeeting { first, second, normal: apart / length, before: was.length() });
            }
        }
    };
    for i in (0..now[0].count).filter(|_| now[0].count > 1) {
        offer(corner(i), now[1].closest_to(now[0].corners[i]), f64::NEG_INFINITY);
    }
    for i in (0..now[1].count).filter(|_| now[1].count > 1) {
        offer(now[0].closest_to(now[1].corners[i]), corner(i), f64::NEG_INFINITY);
    }
    offer(nearest.first, nearest.second, simplex_contact::FLAT);
    distance
}

/// Holds the nearest points of two cores at their first contact, and corners that come from the same side, by the plane of that
/// contact.
fn swept(
    (now, before, there): ([&Simplex; 2], [&Simplex; 2], &[Simplex; 2]),
    reach: f64,
    found: &mut dyn FnMut(PairMeeting),
) {
    let hit = closest(&there[0], &there[1]);
    let normal = hit.apart.normalize_or_zero();
    let mut hold = |first: [f64; 3], second: [f64; 3]| {
        let apart = |of: [&Simplex; 2]| of[0].at(first) - of[1].at(second);
        let then = apart([&there[0], &there[1]]);
        if normal.dot(apart(now)) < reach && normal.dot(then) > ALIKE * then.length() {
            found(PairMeeting { first, second, normal, before: normal.dot(apart(before)) });
        }
    };
    hold(hit.first, hit.second);
    for i in (0..there[0].count).filter(|&i| there[0].count > 1 && corner(i) != hit.first) {
        hold(corner(i), there[1].closest_to(there[0].corners[i]));
    }
    for i in (0..there[1].count).filter(|&i| there[1].count > 1 && corner(i) != hit.second) {
        hold(there[0].closest_to(there[1].corners[i]), corner(i));
    }
}

fn is_sound(core: &Simplex) -> bool {
    core.corners.iter().all(|p| p.is_finite())
}
