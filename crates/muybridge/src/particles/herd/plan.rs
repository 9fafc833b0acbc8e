//! Constants of a batch topology: bodies in principal axes, a tree of joints, limits, capsules.
//!
//! ```text
//! x_k = c + Σ_a q_ka f_a             the four particles of a body in terms of its center and principal axes f
//! Σ_k m_k q_ka q_kb = s_a δ_ab        so the axes act as particles of mass s_a, and rigidity means f_a·f_b = δ_ab
//! I_1 = s_2 + s_3                     and so on
//! ```
//! Four particles and (c, f) are equivalent, twelve numbers each. In (c, f) the matrix of the six rigidity constraints
//! along the previous directions is diagonal. Specification: mathematics 2.4, J24.

use glam::{DMat3, DVec3};

use super::HerdError;
use super::joint_friction::{self, JointFriction};
use crate::collision::tensor;
use crate::particles::{Anchor, Core, Direction, Hinge, Model, Point, SwingTwist};

/// Constants of a ragdoll, prepared for stepping.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchModel {
    /// Bodies in tree order, parents before children.
    pub bodies: Vec<BatchBody>,
    /// Index in `bodies` of each tetrahedron of the model.
    pub places: Vec<usize>,
    /// Capsules, in the order of their bodies.
    pub capsules: Vec<Capsule>,
    /// Pairs of capsules that may touch, of bodies that no joint connects.
    pub pairs: Vec<[u16; 2]>,
    /// Mass of all bodies, kilograms.
    pub mass: f32,
    /// Coulomb friction coefficient of the skin.
    pub friction: f32,
    /// Damping rate of velocities, 1/s.
    pub drag: f32,
    /// Number of particles of the model.
    pub particles: usize,
}

/// A rigid body of a ragdoll, in its principal axes.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchBody {
    /// Index into the tetrahedra of the model.
    pub tetrahedron: usize,
    /// Indices of the particles in the model.
    pub particles: [usize; 4],
    /// `q`: offsets of the particles from the center of mass in principal axes, meters.
    pub corners: [DVec3; 4],
    /// Share of each corner in each axis: `f_a = Σ_k share_ka (x_k − c)`, per meter.
    pub shares: [DVec3; 4],
    /// Share of each particle in the mass.
    pub weights: [f64; 4],
    /// Principal axes in the frame of the tetrahedron, as columns.
    pub principal: DMat3,
    /// Center of mass in the frame of the tetrahedron, meters.
    pub center: DVec3,
    /// Mass, kilograms.
    pub mass: f32,
    /// Principal moments, kg m².
    pub moments: [f32; 3],
    /// Share of each axis pair in a rigidity correction: `w_a/(w_a + w_b)` with `w = 1/s` for the pairs 01, 02, 12.
    pub yields: [f32; 3],
    /// Joint to the parent; `None` for the root.
    pub joint: Option<PlanJoint>,
    /// Whether the body has no children.
    pub is_leaf: bool,
    /// Range of the body's capsules in [`BatchModel::capsules`].
    pub capsules: core::ops::Range<usize>,
    /// Greatest distance of a capsule end from the center of mass, meters.
    pub reach: f32,
}

/// Joint of a body to its parent: a ball joint or a hinge.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanJoint {
    /// Index of the parent in [`BatchModel::bodies`].
    pub parent: usize,
    /// Joint position in the principal axes of parent and child, meters from their centers of mass.
    pub anchors: [[f32; 3]; 2],
    /// Half of the distances of the joint from the two centers of mass, meters.
    pub half_levers: [f32; 2],
    /// Whether the joint has a single axis.
    pub is_hinge: bool,
    /// Whether the model defines the limits with the child as parent.
    pub is_turned: bool,
    /// Joint axes of parent and child in their principal axes: the twist or hinge axis first.
    pub axes: [[[f32; 3]; 3]; 2],
    /// Swing limit about the second and third axis; `None` if the swing is free.
    pub swing: Option<PlanSwing>,
    /// Limit of the angle about the first axis; `None` if the angle is free.
    pub range: Option<PlanRange>,
    /// Friction of the joint.
    pub friction: JointFriction,
}

/// Swing limit of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanSwing {
    /// Greatest swing about the second and the third axis, radians.
    pub most: [f32; 2],
    /// Cosine of the smaller of the two.
    pub cosine: f32,
}

/// Angle limit of a twist or a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanRange {
    /// Sine and cosine of the middle of the range.
    pub middle: [f32; 2],
    /// Cosine of half the range.
    pub cosine: f32,
}

/// A capsule fixed to a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Capsule {
    /// Index in [`BatchModel::bodies`].
    pub body: usize,
    /// Ends of the axis in principal axes, meters from the center of mass; equal for a sphere.
    pub ends: [[f32; 3]; 2],
    /// Radius, meters.
    pub radius: f32,
    /// Whether both ends coincide, so that one end is enough for obstacles.
    pub is_ball: bool,
    /// Part number; capsules of the same part of a ragdoll never touch.
    pub part: usize,
}

impl BatchModel {
    /// Child body of the joint between two tetrahedra of the model, and whether the first tetrahedron is the child.
    /// `None` if no joint connects them.
    pub fn joint_between(&self, tetrahedra: [usize; 2]) -> Option<(usize, bool)> {
        let [first, second] = [self.places.get(tetrahedra[0]).copied()?, self.places.get(tetrahedra[1]).copied()?];
        let hangs =
            |child: usize, parent: usize| self.bodies[child].joint.as_ref().is_some_and(|joint| joint.parent == parent);
        if hangs(second, first) {
            return Some((second, false));
        }
        hangs(first, second).then_some((first, true))
    }

    /// Checks the model and sorts its bodies into tree order; `friction` says how its joints are braked.
    pub fn new(model: &Model, friction: joint_friction::Source) -> Result<Self, HerdError> {
        check_lists(model)?;
        let mut of_particle = vec![None; model.positions.len()];
        for (index, tetrahedron) in model.tetrahedra.iter().enumerate() {
            for &particle in &tetrahedron.particles {
                match of_particle.get_mut(particle) {
                    Some(place @ None) => *place = Some(index),
                    Some(Some(_)) => return Err(HerdError::SharedParticle { particle }),
                    None => return Err(HerdError::NoSuchParticle { particle }),
                }
            }
        }
        let owner = RowOwner { of_particle };
        let loose = (0..model.tetrahedra.len()).map(|index| body(model, index)).collect::<Result<Vec<_>, _>>()?;
        let edges = edges(model, &owner, &loose)?;
        let (mut bodies, places) = ordered(loose, edges)?;
        for swing_twist in model.swing_twist_limits() {
            add_swing_twist(&mut bodies, &places, &owner, swing_twist)?;
        }
        for hinge in model.hinge_limits() {
            add_hinge(&mut bodies, &places, &owner, hinge)?;
        }
        joint_friction::set(model, &mut bodies, friction);
        let capsules = capsules(model, &owner, &mut bodies, &places)?;
        let object = model.objects.first();
        let touches_itself = object.is_some_and(|object| object.touches_itself);
        let pairs = if touches_itself { pairs(&bodies, &capsules) } else { Vec::new() };
        Ok(Self {
            mass: bodies.iter().map(|body| body.mass).sum(),
            friction: object.map_or(0.0, |object| object.friction) as f32,
            drag: object.map_or(0.0, |object| object.drag) as f32,
            particles: model.positions.len(),
            bodies,
            places,
            capsules,
            pairs,
        })
    }
}

fn check_lists(model: &Model) -> Result<(), HerdError> {
    let particles = model.positions.len();
    if model.tetrahedra.is_empty() || particles != model.tetrahedra.len() * 4 || model.masses.len() != particles {
        return Err(HerdError::NotTetrahedra { particles, tetrahedra: model.tetrahedra.len() });
    }
    let others = [
        ("distances", model.distances.len()),
        ("orientations", model.orientations.len()),
        ("angles", model.angles.len()),
        ("bends", model.bends.len()),
        ("volumes", model.volumes.len()),
        ("planes", model.planes.len()),
    ];
    match others.into_iter().find(|&(_, count)| count > 0) {
        Some((kind, _)) => Err(HerdError::NotInAHerd { kind }),
        None => Ok(()),
    }
}

struct RowOwner {
    of_particle: Vec<Option<usize>>,
}

impl RowOwner {
    /// Tetrahedron to which all particles with a weight belong.
    fn of(&self, particles: &[usize; 4], weights: &[f64; 4]) -> Result<usize, HerdError> {
        let mut found = None;
        for (&particle, &weight) in particles.iter().zip(weights) {
            let owner = self.of_particle.get(particle).copied().flatten();
            let Some(owner) = owner else { return Err(HerdError::NoSuchParticle { particle }) };
            if weight != 0.0 && *found.get_or_insert(owner) != owner {
                return Err(HerdError::AcrossBodies { particle });
            }
        }
        found.ok_or(HerdError::NoSuchParticle { particle: particles[0] })
    }
}

fn body(model: &Model, index: usize) -> Result<BatchBody, HerdError> {
    let tetrahedron = &model.tetrahedra[index];
    let masses = tetrahedron.particles.map(|particle| model.masses[particle]);
    let mass: f64 = masses.iter().sum();
    let center = tetrahedron.rest.iter().zip(masses).map(|(rest, mass)| *rest * mass).sum::<DVec3>() / mass;
    let mut second = DMat3::ZERO;
    for (rest, mass) in tetrahedron.rest.iter().zip(masses) {
        let arm = *rest - center;
        second += DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z) * mass;
    }
    let (spread, principal) = tensor::principal(second);
    let least = spread.min_element();
    let is_solid = mass.is_finite() && mass > 0.0 && least > 1e-9 * spread.max_element() && principal.is_finite();
    if !is_solid {
        return Err(HerdError::Flat { body: index });
    }
    let principal = if principal.determinant() < 0.0 { principal * -1.0 } else { principal };
    let corners = tetrahedron.rest.map(|rest| principal.transpose() * (rest - center));
    let inverse = [1.0 / spread.x, 1.0 / spread.y, 1.0 / spread.z];
    let yields = [[0, 1], [0, 2], [1, 2]].map(|[a, b]: [usize; 2]| (inverse[a] / (inverse[a] + inverse[b])) as f32);
    Ok(BatchBody {
        tetrahedron: index,
        particles: tetrahedron.particles,
        corners,
        shares: core::array::from_fn(|k| corners[k] * masses[k] / spread),
        weights: masses.map(|of_corner| of_corner / mass),
        principal,
        center,
        mass: mass as f32,
        moments: [spread.y + spread.z, spread.x + spread.z, spread.x + spread.y].map(|moment| moment as f32),
        yields,
        joint: None,
        is_leaf: true,
        capsules: 0..0,
        reach: 0.0,
    })
}

impl BatchBody {
    fn sum(&self, particles: &[usize; 4], weights: &[f64; 4]) -> DVec3 {
        let corner = |particle: usize| self.particles.iter().position(|&own| own == particle).map(|k| self.corners[k]);
        particles.iter().zip(weights).filter_map(|(&particle, &weight)| Some(corner(particle)? * weight)).sum()
    }

    fn point(&self, point: &Point) -> [f32; 3] {
        cleaned(self.sum(&point.particles, &point.weights))
    }

    fn direction(&self, direction: &Direction) -> [f32; 3] {
        cleaned(self.sum(&direction.particles, &direction.weights).normalize_or_zero())
    }
}

/// Rounds coordinates near 0 to 0, so that products with them are skipped.
fn cleaned(v: DVec3) -> [f32; 3] {
    v.to_array().map(|value| if value.abs() < 1e-9 { 0.0 } else { value as f32 })
}

struct Edge {
    bodies: [usize; 2],
    points: Vec<[[f32; 3]; 2]>,
}

/// Attached pairs of bodies with their attachment points.
fn edges(model: &Model, owner: &RowOwner, bodies: &[BatchBody]) -> Result<Vec<Edge>, HerdError> {
    let mut edges: Vec<Edge> = Vec::new();
    for attachment in &model.attachments {
        let Anchor::Point(b) = &attachment.b else {
            return Err(HerdError::NotInAHerd { kind: "attachments to a fixed place" });
        };
        let (a, mut ends) = (&attachment.a, [0; 2]);
        for (end, point) in ends.iter_mut().zip([a, b]) {
            *end = owner.of(&point.particles, &point.weights)?;
        }
        let mut points = [bodies[ends[0]].point(a), bodies[ends[1]].point(b)];
        if let Some(edge) = edges.iter_mut().find(|edge| edge.bodies == ends || edge.bodies == [ends[1], ends[0]]) {
            if edge.bodies != ends {
                points.swap(0, 1);
            }
            edge.points.push(points);
        } else {
            edges.push(Edge { bodies: ends, points: vec![points] });
        }
    }
    Ok(edges)
}

/// Sorts bodies from the root outward (the heaviest is the root); also returns the place of each tetrahedron.
fn ordered(mut loose: Vec<BatchBody>, edges: Vec<Edge>) -> Result<(Vec<BatchBody>, Vec<usize>), HerdError> {
    let heaviest = (0..loose.len()).max_by(|&a, &b| loose[a].mass.total_cmp(&loose[b].mass).then(b.cmp(&a)));
    let mut order = vec![heaviest.unwrap_or(0)];
    let mut places = vec![usize::MAX; loose.len()];
    places[order[0]] = 0;
    let mut next = 0;
    while next < order.len() {
        let parent = order[next];
        for edge in &edges {
            let Some(side) = edge.bodies.iter().position(|&end| end == parent) else { continue };
            let child = edge.bodies[1 - side];
            if loose[parent].joint.as_ref().is_some_and(|joint| order[joint.parent] == child) {
                continue;
            }
            if places[child] != usize::MAX {
                return Err(HerdError::Loop { body: child });
            }
            places[child] = order.len();
            order.push(child);
            loose[parent].is_leaf = false;
            loose[child].joint = Some(joint(next, side, edge, child)?);
        }
        next += 1;
    }
    if let Some(body) = places.iter().position(|&place| place == usize::MAX) {
        return Err(HerdError::Apart { body });
    }
    let bodies = order.iter().map(|&index| loose[index].clone()).collect();
    Ok((bodies, places))
}

fn joint(parent: usize, side: usize, edge: &Edge, child: usize) -> Result<PlanJoint, HerdError> {
    let points: Vec<[DVec3; 2]> = edge.points.iter().map(|pair| [pair[side], pair[1 - side]].map(wide)).collect();
    let count = points.len() as f64;
    let anchors = [0, 1].map(|end| points.iter().map(|pair| pair[end]).sum::<DVec3>() / count);
    let is_hinge = points.len() > 1;
    let line = [0, 1].map(|end| {
        points.iter().map(|pair| pair[end] - points[0][end]).max_by(|a, b| a.length().total_cmp(&b.length()))
    });
    let axes = line.map(|line| {
        let along = line.unwrap_or(DVec3::X).normalize_or(DVec3::X);
        let across = along.any_orthonormal_vector();
        [along, across, along.cross(across)].map(cleaned)
    });
    let is_straight = points.iter().all(|pair| {
        let from_line = |end: usize| (pair[end] - anchors[end]).cross(wide(axes[end][0])).length();
        from_line(0) < 1e-6 && from_line(1) < 1e-6
    });
    if is_hinge && !is_straight {
        return Err(HerdError::Welded { body: child });
    }
    Ok(PlanJoint {
        parent,
        anchors: anchors.map(cleaned),
        half_levers: anchors.map(|anchor| (0.5 * anchor.length()) as f32),
        is_hinge,
        is_turned: false,
        axes,
        swing: None,
        range: None,
        friction: JointFriction::default(),
    })
}

fn wide(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

type AxesOfSides<'a> = [&'a [Direction; 3]; 2];

/// Child whose joint connects the bodies of two sets of axes, and whether the sides are parent and child in this order.
fn find_joint(
    bodies: &[BatchBody],
    places: &[usize],
    owner: &RowOwner,
    sides: AxesOfSides,
) -> Result<(usize, bool), HerdError> {
    let mut ends = [0; 2];
    for (end, side) in ends.iter_mut().zip(sides) {
        *end = places[owner.of(&side[0].particles, &side[0].weights)?];
    }
    let hangs = |child: usize, parent: usize| bodies[child].joint.as_ref().is_some_and(|joint| joint.parent == parent);
    match ends {
        [a, b] if hangs(b, a) => Ok((b, true)),
        [a, b] if hangs(a, b) => Ok((a, false)),
        [a, _] => Err(HerdError::LimitWithoutJoint { body: bodies[a].tetrahedron }),
    }
}

/// Sets the axes of a joint. If the tree reverses parent and child of the model, the axes are swapped too: an ellipse
/// stays with the parent of the model, and angles about the first axis change sign.
fn set_axes<'a>(
    bodies: &'a mut [BatchBody],
    child: usize,
    sides: AxesOfSides,
    is_forward: bool,
) -> Option<&'a mut PlanJoint> {
    let parent = bodies[child].joint.as_ref()?.parent;
    let [a, b] = if is_forward { sides } else { [sides[1], sides[0]] };
    let axes = [a.map(|axis| bodies[parent].direction(&axis)), b.map(|axis| bodies[child].direction(&axis))];
    let joint = bodies[child].joint.as_mut()?;
    (joint.axes, joint.is_turned) = (axes, !is_forward);
    Some(joint)
}

fn add_swing_twist(
    bodies: &mut [BatchBody],
    places: &[usize],
    owner: &RowOwner,
    limit: &SwingTwist,
) -> Result<(), HerdError> {
    let sides = [&limit.a, &limit.b];
    let (child, is_forward) = find_joint(bodies, places, owner, sides)?;
    let Some(joint) = set_axes(bodies, child, sides, is_forward) else { return Ok(()) };
    let most = limit.swing.map(|swing| swing.clamp(1e-3, core::f64::consts::PI));
    let least = most[0].min(most[1]);
    if least < core::f64::consts::PI {
        joint.swing = Some(PlanSwing { most: most.map(|swing| swing as f32), cosine: libm::cos(least) as f32 });
    }
    joint.range = range(limit.twist, is_forward);
    Ok(())
}

fn add_hinge(bodies: &mut [BatchBody], places: &[usize], owner: &RowOwner, hinge: &Hinge) -> Result<(), HerdError> {
    let sides = [&hinge.a, &hinge.b];
    let (child, is_forward) = find_joint(bodies, places, owner, sides)?;
    if let Some(joint) = set_axes(bodies, child, sides, is_forward) {
        joint.range = range(hinge.range, is_forward);
    }
    Ok(())
}

fn range([least, most]: [f64; 2], is_forward: bool) -> Option<PlanRange> {
    let [least, most] = if is_forward { [least, most] } else { [-most, -least] };
    let (middle, half) = (0.5 * (least + most), 0.5 * (most - least).max(0.0));
    (half < core::f64::consts::PI).then(|| PlanRange {
        middle: [libm::sin(middle) as f32, libm::cos(middle) as f32],
        cosine: libm::cos(half) as f32,
    })
}

/// Converts colliders to capsules, grouped by body.
fn capsules(
    model: &Model,
    owner: &RowOwner,
    bodies: &mut [BatchBody],
    places: &[usize],
) -> Result<Vec<Capsule>, HerdError> {
    let mut found = Vec::new();
    for surface in &model.surfaces {
        let points = match &surface.core {
            Core::Ball(point) => [*point; 2],
            Core::Segment(points) => *points,
            Core::Triangle(_) => return Err(HerdError::NotInAHerd { kind: "surfaces with triangles" }),
            Core::Solid { .. } => return Err(HerdError::NotInAHerd { kind: "surfaces with edges" }),
        };
        let body = places[owner.of(&points[0].particles, &points[0].weights)?];
        if places[owner.of(&points[1].particles, &points[1].weights)?] != body {
            return Err(HerdError::AcrossBodies { particle: points[1].particles[0] });
        }
        let ends = points.map(|point| bodies[body].point(&point));
        let (radius, part) = (surface.radius as f32, surface.part);
        found.push(Capsule { body, ends, radius, is_ball: ends[0] == ends[1], part });
    }
    found.sort_by_key(|capsule| capsule.body);
    for (index, body) in bodies.iter_mut().enumerate() {
        let first = found.partition_point(|capsule| capsule.body < index);
        body.capsules = first..found.partition_point(|capsule| capsule.body <= index);
        let ends = found[body.capsules.clone()].iter().flat_map(|capsule| capsule.ends);
        body.reach = ends.map(|end| wide(end).length() as f32).fold(0.0, f32::max);
    }
    Ok(found)
}

fn pairs(bodies: &[BatchBody], capsules: &[Capsule]) -> Vec<[u16; 2]> {
    let joined = |a: usize, b: usize| bodies[b].joint.as_ref().is_some_and(|joint| joint.parent == a);
    let mut pairs = Vec::new();
    for (i, a) in capsules.iter().enumerate() {
        for (j, b) in capsules.iter().enumerate().skip(i + 1) {
            if a.body != b.body && a.part != b.part && !joined(a.body, b.body) && !joined(b.body, a.body) {
                pairs.push([i as u16, j as u16]);
            }
        }
    }
    pairs
}
