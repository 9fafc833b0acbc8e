//! Colliders of a model as simplices and solids, the rigid bodies that carry them, and pairs that never touch.
//!
//! Two colliders never touch if they share a particle, if an attachment joins their bodies, or if they belong to the
//! same part of an object, or to one object that does not touch itself. Two colliders of one object that overlap in the
//! initial model do not touch either, because nothing could part them: capsules of a character's trunk, or rope
//! segments shorter than the rope is thick. Between overlapping bodies all colliders are excluded. A limb that passes
//! through something goes to the side of its joint towards the heavier part of its object.
//! Specification: mathematics 3.7 (R28), 3.11, 3.16 (J37).

use std::collections::BTreeSet;

use glam::{DMat3, DQuat, DVec3};

use crate::collision::broad_phase::{Aabb, BoundsTree};
use crate::collision::simplex::{Simplex, closest};
use crate::collision::simplex_contact::{self, MovingSimplex};
use crate::collision::swept;
use crate::collision::{Manifold, ObstacleShape, Pose, manifold};
use crate::particles::model::{Anchor, Core, Model};
use crate::particles::point::Point;

/// The colliders of a model, prepared for contact detection.
#[derive(Clone, Debug, Default)]
pub(super) struct Surfaces {
    pub list: Vec<Skin>,
    /// The first particle of each collider.
    pub firsts: Vec<u32>,
    pub materials: Vec<Material>,
    /// Shapes of the solids.
    pub solids: Vec<SolidShape>,
    /// Shape of each collider that is convex and of one rigid body.
    pub convex: Vec<Option<ObstacleShape>>,
    /// Particles of every rigid body.
    pub bodies: Vec<[usize; 4]>,
    /// Pairs of groups joined by an attachment, both ways round, sorted.
    links: Vec<[usize; 2]>,
    /// Group of each particle: the index of its rigid body, or a number of its own.
    groups: Vec<usize>,
    /// Pairs of colliders, not both on rigid bodies, that overlap in the initial model; lesser index first, sorted.
    overlaps: Vec<[usize; 2]>,
    /// Upper bound of the number of pairs that may touch: pairs of different objects, and pairs within objects that
    /// touch themselves.
    pub most_pairs: usize,
}

/// A convex solid, with the box around it in its own frame.
#[derive(Clone, Debug)]
pub(super) struct SolidShape {
    pub shape: ObstacleShape,
    local: Aabb,
    /// Middle of the box, meters.
    pub middle: DVec3,
    /// Distance of the corners of the box from its middle, meters.
    pub size: f64,
}

/// A collider of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Skin {
    /// Corners of the core, or the frame of a solid. Entries past `count` repeat the last.
    pub points: [Point; 4],
    pub count: usize,
    /// Index into [`Surfaces::solids`]; `None` for a simplex.
    pub solid: Option<usize>,
    pub radius: f64,
    pub object: usize,
    part: usize,
    /// Whether its body stands for one of another world.
    pub is_proxy: bool,
    /// The rigid body that carries all points; `None` if there is none.
    pub body: Option<usize>,
    /// Whether that body has no joint. A jointed body would be much less mobile at its skin than the free body:
    /// friction there would act as a spring, not as a brake.
    pub rolls: bool,
    /// The group of all carrying particles; `None` if they are of several groups.
    group: Option<usize>,
    /// Point where the limb begins.
    pub home: Point,
}

/// Contact material of an object.
#[derive(Clone, Copy, Debug)]
pub(super) struct Material {
    pub friction: f64,
    pub restitution: f64,
    pub rolling: f64,
    touches_itself: bool,
}

impl Material {
    /// Friction and restitution where it touches something with these.
    pub fn with(&self, (friction, restitution): (f64, f64)) -> (f64, f64) {
        ((self.friction * friction).sqrt(), self.restitution.max(restitution))
    }
}

impl Surfaces {
    pub fn new(model: &Model) -> Self {
        let bodies: Vec<[usize; 4]> = model.tetrahedra.iter().map(|t| t.particles).collect();
        let mut groups: Vec<usize> = (0..model.positions.len()).map(|particle| bodies.len() + particle).collect();
        for (body, particles) in bodies.iter().enumerate().rev() {
            particles.iter().for_each(|&particle| groups[particle] = body);
        }
        let homes = homes(model, &bodies, &groups);
        let mut is_joined = vec![false; bodies.len()];
        for attachment in &model.attachments {
            let other = if let Anchor::Point(other) = &attachment.b { other } else { &attachment.a };
            for body in used(&attachment.a).chain(used(other)).map(|particle| groups[particle]) {
                if let Some(is_joined) = is_joined.get_mut(body) {
                    *is_joined = true;
                }
            }
        }
        let list = model.surfaces.iter().map(|surface| {
            let own = surface.core.points();
            let (points, count) = (core::array::from_fn(|i| own[i.min(own.len() - 1)]), own.len());
            let solid = if let Core::Solid { solid, .. } = surface.core { Some(solid) } else { None };
            let used = own.iter().flat_map(used);
            let body =
                used.clone().next().map(|particle| groups[particle]).filter(|&body| {
                    body < bodies.len() && used.clone().all(|particle| bodies[body].contains(&particle))
                });
            let mut stands_on = used.map(|particle| groups[particle]);
            let first = stands_on.next();
            let group = first.filter(|&group| stands_on.all(|other| other == group));
            let home = body.map_or(points[0], |body| homes[body]);
            let (radius, object, part) = (surface.radius, surface.object, surface.part);
            let rolls = body.is_some_and(|body| !is_joined[body]);
            let is_proxy = body.is_some_and(|body| body < model.proxies.len());
            Skin { points, count, solid, radius, object, part, is_proxy, body, rolls, group, home }
        });
        let materials = model.objects.iter().map(|object| Material {
            friction: object.friction,
            restitution: object.restitution,
            rolling: object.rolling,
            touches_itself: object.touches_itself,
        });
        let links = links(model, &groups);
        let (list, materials): (Vec<Skin>, Vec<Material>) = (list.collect(), materials.collect());
        let most_pairs = most_pairs(&list, &materials);
        let solids: Vec<SolidShape> =
            model.solids.iter().filter_map(|solid| SolidShape::new(solid.shape().ok()?)).collect();
        let convex = list.iter().map(|skin| skin.convex(&solids, &model.positions)).collect();
        let firsts = list.iter().map(|skin| skin.points[0].particles[0] as u32).collect();
        let mut surfaces =
            Self { list, firsts, materials, solids, convex, links, bodies, groups, overlaps: Vec::new(), most_pairs };
        surfaces.leave_out_overlaps(&model.positions);
        surfaces
    }

    /// Excludes pairs that overlap in the initial model: links rigid bodies, and lists other colliders in `overlaps`.
    fn leave_out_overlaps(&mut self, positions: &[DVec3]) {
        let boxes: Vec<Aabb> = self.list.iter().map(|skin| self.bounds(skin, positions).grown(skin.radius)).collect();
        let mut tree = BoundsTree::default();
        tree.build(&boxes);
        let (mut found, mut overlaps) = (BTreeSet::new(), Vec::new());
        for a in (0..boxes.len()).filter(|&a| self.materials[self.list[a].object].touches_itself) {
            tree.overlapping(&boxes, &boxes[a], |b| {
                let (one, other) = (&self.list[a], &self.list[b]);
                let is_pair = b > a && one.object == other.object && self.may_touch(a, b);
                if !is_pair || !self.overlap([one, other], positions) {
                    return;
                }
                if one.body.is_none() || other.body.is_none() {
                    overlaps.push([a, b]);
                } else {
                    for i in one.particles().map(|particle| self.groups[particle]) {
                        found.extend(
                            other.particles().map(|particle| self.groups[particle]).flat_map(|j| [[i, j], [j, i]]),
                        );
                    }
                }
            });
        }
        overlaps.sort_unstable();
        self.overlaps = overlaps;
        self.links.extend(found);
        self.links.sort_unstable();
        self.links.dedup();
    }

    /// Shape of a collider that is a solid.
    pub fn solid(&self, surface: usize) -> Option<&SolidShape> {
        self.list[surface].solid.map(|solid| &self.solids[solid])
    }

    /// Box around the core of a collider.
    pub fn bounds(&self, skin: &Skin, positions: &[DVec3]) -> Aabb {
        match skin.solid {
            Some(solid) => self.solids[solid].local.placed(&skin.pose(positions)),
            None => Aabb::around(skin.simplex(positions).corners),
        }
    }

    /// Upper bound of the displacement of a point of a core, meters.
    pub fn greatest_move(&self, skin: &Skin, now: &[DVec3], before: &[DVec3]) -> f64 {
        match skin.solid {
            Some(solid) => self.solids[solid].greatest_move(&skin.pose(now), &skin.pose(before)),
            None => skin.simplex(now).greatest_move(&skin.simplex(before)),
        }
    }

    /// Whether two colliders overlap.
    fn overlap(&self, skins: [&Skin; 2], positions: &[DVec3]) -> bool {
        let reach = skins[0].radius + skins[1].radius;
        let [one, other] = skins;
        match [one.solid, other.solid] {
            [None, None] => closest(&one.simplex(positions), &other.simplex(positions)).distance() < reach,
            [Some(a), Some(b)] => {
                let [a, b] = [a, b].map(|solid| &self.solids[solid].shape);
                let (first, second) = (one.pose(positions), other.pose(positions));
                manifold(a, &first, b, &second, reach, &mut Manifold::NONE.clone())
            }
            [None, Some(solid)] => self.solids[solid].overlaps(&other.pose(positions), &one.simplex(positions), reach),
            [Some(solid), None] => self.solids[solid].overlaps(&one.pose(positions), &other.simplex(positions), reach),
        }
    }

    /// Whether two colliders may ever touch.
    pub fn may_touch(&self, a: usize, b: usize) -> bool {
        let pair = [a.min(b), a.max(b)];
        let (a, b) = (&self.list[a], &self.list[b]);
        if a.is_proxy && b.is_proxy {
            return false;
        }
        if a.object == b.object && (a.part == b.part || !self.materials[a.object].touches_itself) {
            return false;
        }
        if a.object == b.object && self.overlaps.binary_search(&pair).is_ok() {
            return false;
        }
        if a.body.is_some() && b.body.is_some() && a.body == b.body {
            return false;
        }
        // Different groups share no particle.
        if let (Some(one), Some(other)) = (a.group, b.group)
            && one != other
        {
            return !self.linked(one, other);
        }
        a.particles().all(|i| b.particles().all(|j| i != j && !self.linked(self.groups[i], self.groups[j])))
    }

    /// Friction and restitution of two colliders.
    pub fn between(&self, skins: [&Skin; 2]) -> (f64, f64) {
        let [one, other] = skins.map(|skin| &self.materials[skin.object]);
        one.with((other.friction, other.restitution))
    }

    fn linked(&self, a: usize, b: usize) -> bool {
        !self.links.is_empty() && self.links.binary_search(&[a, b]).is_ok()
    }
}

impl Skin {
    pub fn simplex(&self, positions: &[DVec3]) -> Simplex {
        let [a, b, c, _] = &self.points;
        Simplex { corners: [a, b, c].map(|point| point.position(positions)), count: self.count.min(3) }
    }

    /// Its shape if it is a ball, a capsule or a convex solid of one body. That of a solid is its core.
    fn convex(&self, solids: &[SolidShape], positions: &[DVec3]) -> Option<ObstacleShape> {
        self.body?;
        let radius = self.radius;
        match (self.solid, self.count) {
            (Some(solid), _) => Some(solids[solid].shape.clone()).filter(swept::is_convex),
            (None, 1) => Some(ObstacleShape::Sphere { radius }),
            (None, 2) => {
                let [a, b, _] = self.simplex(positions).corners;
                Some(ObstacleShape::Capsule { radius, half_length: 0.5 * a.distance(b) })
            }
            _ => None,
        }
    }

    /// Pose of the frame of a solid.
    pub fn pose(&self, positions: &[DVec3]) -> Pose {
        let (origin, axes) = self.frame(positions);
        Pose { position: origin, rotation: DQuat::from_mat3(&axes).normalize() }
    }

    /// Origin and axes of the frame of a solid, which its body bends a little while it is being solved.
    pub fn frame(&self, positions: &[DVec3]) -> (DVec3, DMat3) {
        let [origin, x, y, z] = self.points.map(|point| point.position(positions));
        (origin, DMat3::from_cols(x - origin, y - origin, z - origin))
    }

    /// Shares of the points of the frame of a solid in a point at `place` (meters).
    pub fn shares(&self, place: DVec3, positions: &[DVec3]) -> [f64; 4] {
        let (origin, axes) = self.frame(positions);
        let DVec3 { x, y, z } = axes.inverse() * (place - origin);
        [1.0 - x - y - z, x, y, z]
    }

    /// Particles that carry the collider; one may come more than once.
    pub fn particles(&self) -> impl Iterator<Item = usize> + '_ {
        self.points[..self.count].iter().flat_map(used)
    }

    /// Whether a carrying particle can move; `inverse_masses` are 0 for immovable particles.
    pub fn is_free(&self, inverse_masses: &[f64]) -> bool {
        self.particles().any(|particle| inverse_masses[particle] > 0.0)
    }
}

impl SolidShape {
    fn new(shape: ObstacleShape) -> Option<Self> {
        let local = simplex_contact::bounds(&shape)?;
        let (middle, half) = local.middle_and_half();
        Some(Self { shape, local, middle, size: half.length() })
    }

    /// Upper bound of the displacement of its points between two poses, meters.
    pub fn greatest_move(&self, now: &Pose, before: &Pose) -> f64 {
        now.to_world(self.middle).distance(before.to_world(self.middle)) + self.bend(now, before)
    }

    /// Upper bound of the displacement of its points by the rotation about its middle, meters.
    pub fn bend(&self, now: &Pose, before: &Pose) -> f64 {
        let turn = before.rotation.inverse() * now.rotation;
        2.0 * DVec3::new(turn.x, turn.y, turn.z).length() * self.size
    }

    fn overlaps(&self, pose: &Pose, core: &Simplex, reach: f64) -> bool {
        let local = core.map(|p| pose.to_local(p));
        let still = MovingSimplex { before: local, now: local, home: local.corners[0] };
        let mut overlaps = false;
        simplex_contact::touches(&self.shape, &still, reach, &mut |_| overlaps = true);
        overlaps
    }
}

fn most_pairs(list: &[Skin], materials: &[Material]) -> usize {
    let mut counts = vec![0_usize; materials.len()];
    list.iter().filter(|skin| !skin.is_proxy).for_each(|skin| counts[skin.object] += 1);
    let own: usize = counts.iter().sum();
    let of_one = |(count, material): (&usize, &Material)| {
        if material.touches_itself { 0 } else { count * count.saturating_sub(1) / 2 }
    };
    let all = own * own.saturating_sub(1) / 2 + own * (list.len() - own);
    all - counts.iter().zip(materials).map(of_one).sum::<usize>()
}

/// Particles of a point with a non-zero weight.
fn used(point: &Point) -> impl Iterator<Item = usize> + Clone + '_ {
    (0..4).filter(|&i| point.weights[i] != 0.0).map(|i| point.particles[i])
}

/// Pairs of groups joined by attachments, both ways round.
fn links(model: &Model, groups: &[usize]) -> Vec<[usize; 2]> {
    let mut links = BTreeSet::new();
    for attachment in &model.attachments {
        let Anchor::Point(other) = attachment.b else { continue };
        for a in used(&attachment.a).map(|particle| groups[particle]) {
            for b in used(&other).map(|particle| groups[particle]) {
                links.extend([[a, b], [b, a]]);
            }
        }
    }
    links.into_iter().collect()
}

/// Home point of each body: the joint towards the heaviest body of its linkage; the center of mass for the heaviest
/// body itself.
fn homes(model: &Model, bodies: &[[usize; 4]], groups: &[usize]) -> Vec<Point> {
    let mass = |body: usize| bodies[body].iter().map(|&particle| model.masses[particle]).sum::<f64>();
    let mut heaviest_first: Vec<usize> = (0..bodies.len()).collect();
    heaviest_first.sort_by(|&a, &b| mass(b).total_cmp(&mass(a)).then(a.cmp(&b)));
    let mut homes: Vec<Option<Point>> = vec![None; bodies.len()];
    let joints = joints(model, bodies.len(), groups);
    for root in heaviest_first {
        if homes[root].is_some() {
            continue;
        }
        homes[root] = Some(center(model, &bodies[root]));
        let mut reached = vec![root];
        while let Some(body) = reached.pop() {
            for &(other, point) in &joints[body] {
                if homes[other].is_none() {
                    homes[other] = Some(point);
                    reached.push(other);
                }
            }
        }
    }
    homes.into_iter().zip(bodies).map(|(home, body)| home.unwrap_or_else(|| center(model, body))).collect()
}

/// Bodies joined to each body by an attachment, with the attachment as a point of the other body.
fn joints(model: &Model, count: usize, groups: &[usize]) -> Vec<Vec<(usize, Point)>> {
    let mut joints = vec![Vec::new(); count];
    for attachment in &model.attachments {
        let Anchor::Point(b) = attachment.b else { continue };
        let on = |point: &Point| used(point).next().map(|particle| groups[particle]).filter(|&body| body < count);
        if let (Some(first), Some(second)) = (on(&attachment.a), on(&b)) {
            joints[first].push((second, b));
            joints[second].push((first, attachment.a));
        }
    }
    joints
}

/// Center of mass of a body; the mean of its particles if a particle has infinite mass.
fn center(model: &Model, body: &[usize; 4]) -> Point {
    let masses = body.map(|particle| model.masses[particle]);
    let total: f64 = masses.iter().sum();
    let weights = if total.is_finite() && total > 0.0 { masses.map(|mass| mass / total) } else { [0.25; 4] };
    Point { particles: *body, weights }
}
