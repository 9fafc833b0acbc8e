//! Solids that a sheet may meet in a frame, and whether lanes can step it among them.
//!
//! Lanes know half-spaces, rooms, spheres and capsules of obstacles, and colliders of rigid bodies. Obstacles with edges, and
//! round ones finer than the triangles of the sheet, touch points of its faces ([`super::fine`]). Among anything else a
//! sheet takes the substeps of the world for a frame: near meshes, height fields, bodies with sharp edges, bodies that are
//! not much heavier than it, and, if it is held, bodies that could rest on it. Within a frame the motion of a body is given,
//! and it takes the impulses of the sheet at the end. In a blow a body without joints leaves that motion by the
//! impulses at once, so that one that hits a held sheet is stopped by it.

use glam::DVec3;

use super::contact::{Drift, Placed};
use super::fine::FineSolid;
use super::sheet::Sheet;
use crate::collision::broad_phase::Aabb;
use crate::collision::{Obstacle, ObstacleShape, simplex_contact};
use crate::particles::contact::{TetrahedronInertia, in_world, may_leave};
use crate::particles::model::{Core, Model, Surface};
use crate::particles::point::Point;
use crate::particles::proxies::Given;
use crate::particles::sleep::Islands;

/// A solid that a sheet may meet in this frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid {
    pub form: Form,
    /// Friction and restitution.
    pub material: [f32; 2],
    /// Distance kept beyond the thickness of the sheet because it is made of chords, meters.
    pub margin: f64,
    /// Index of the touched body that takes its impulses.
    pub body: Option<usize>,
    /// Whether the body answers the sheet within the frame.
    pub is_single: bool,
    /// Corners of a collider at the start and at the end of the frame, meters.
    swept: [[DVec3; 3]; 2],
    /// Box of the solid during the frame; `None` for a half-space.
    bounds: Option<Aabb>,
}

/// Geometry of a solid, and the obstacle or body that carries it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Half-space of an obstacle: a point and the normal of its plane, in the frame of the obstacle.
    HalfSpace { obstacle: usize, point: DVec3, normal: DVec3 },
    /// Capsule along y of an obstacle; a sphere has no length.
    Capsule { obstacle: usize, half_length: f64, radius: f64 },
    /// Collider of a body: a sphere, capsule or rounded triangle by the `count` of its corners, which repeat the last.
    Collider { surface: usize, corners: [Point; 3], count: usize, radius: f64, body: usize },
}

/// The solids that a sheet may meet in this frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Met {
    pub solids: Vec<Solid>,
    pub fine: Vec<FineSolid>,
}

/// A collider of the model as sheets see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collider {
    /// `None` if no single rigid body carries it, and for a solid.
    form: Option<Form>,
    friction: f64,
    restitution: f64,
    /// Mass of all bodies that joints connect to it, kilograms.
    linkage: f64,
    /// Whether joints connect none.
    is_single: bool,
}

/// A rigid body near a sheet: its motion in the frame, and what the sheet gave it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TouchedBody {
    /// Index of its tetrahedron.
    pub body: usize,
    centers: [DVec3; 2],
    /// Rotation in the frame, radians.
    turn: DVec3,
    /// What the sheets gave it.
    pub given: Given,
    /// Mass properties, if it leaves the given motion by what the sheet gives it within the frame.
    inertia: Option<TetrahedronInertia>,
    /// Velocities and displacements beyond the given motion.
    speeds: [DVec3; 2],
    moved: [DVec3; 2],
}

/// Positions during a frame, meters.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    /// Obstacles at the end of the frame.
    pub obstacles: &'a [Obstacle],
    pub starts: &'a [DVec3],
    pub positions: &'a [DVec3],
    pub pins: &'a [Option<DVec3>],
    /// Duration of the frame, seconds.
    pub seconds: f64,
}

/// When lanes can step a sheet near a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LanesCan {
    Always,
    /// In frames in which it hits the sheet.
    Blows,
    Not,
}

/// Greatest mass of a sheet relative to a linkage that it may touch, and to a body that it may hang on.
const HEAVIEST: f64 = 0.5;
const HEAVIEST_HUNG: f64 = 0.1;

impl Collider {
    /// The colliders of a model.
    pub fn all(model: &Model, islands: &Islands) -> Vec<Self> {
        let mut body_of = vec![usize::MAX; model.positions.len()];
        let mut linkages = vec![0.0_f64; model.positions.len()];
        for (index, body) in model.tetrahedra.iter().enumerate() {
            for particle in body.particles {
                body_of[particle] = index;
                let linkage = &mut linkages[islands.island(particle)];
                match model.proxies.get(index) {
                    Some(&proxy) => *linkage = linkage.max(proxy),
                    None => *linkage += model.masses[particle],
                }
            }
        }
        let body = |point: &Point| {
            let body = body_of[point.particles[0]];
            (body != usize::MAX && point.particles.iter().all(|&particle| body_of[particle] == body)).then_some(body)
        };
        let collider = |(index, surface): (usize, &Surface)| {
            let points = surface.core.points();
            let carrier = body(&points[0]).filter(|&it| points.iter().all(|point| body(point) == Some(it)));
            let rounded = match surface.core {
                Core::Ball(center) => Some(([center; 3], 1)),
                Core::Segment([a, b]) => Some(([a, b, b], 2)),
                Core::Triangle(corners) => Some((corners, 3)),
                Core::Solid { .. } => None,
            };
            let radius = surface.radius;
            let form = carrier.zip(rounded).map(|(body, (corners, count))| Form::Collider {
                surface: index,
                corners,
                count,
                radius,
                body,
            });
            let linkage = match carrier {
                Some(body) => linkages[islands.island(model.tetrahedra[body].particles[0])],
                None => 0.0,
            };
            let own = |body: usize| model.tetrahedra[body].particles.iter().map(|&it| model.masses[it]).sum::<f64>();
            let is_single = carrier.is_some_and(|body| linkage <= own(body) * (1.0 + 1e-6));
            let object = &model.objects[surface.object];
            Self { form, friction: object.friction, restitution: object.restitution, linkage, is_single }
        };
        model.surfaces.iter().enumerate().map(collider).collect()
    }
}

impl Sheet {
    /// Whether its mass is small beside that of the bodies that it hangs on.
    pub fn hangs_lightly(&self, model: &Model) -> bool {
        let mass = |body: usize| model.tetrahedra[body].particles.iter().map(|&it| model.masses[it]).sum::<f64>();
        self.bodies().all(|body| self.mass <= HEAVIEST_HUNG * mass(body))
    }

    /// Adds an obstacle to `met` if the sheet may meet it. `reach` is the box of the sheet in the frame; the obstacle is at
    /// its start. Returns whether lanes can do it.
    pub fn may_meet(&self, (index, it): (usize, &Obstacle), reach: &Aabb, seconds: f64, met: &mut Met) -> bool {
        let local = match &it.shape {
            ObstacleShape::HeightField(field) => Some(field.bounds()),
            shape => simplex_contact::bounds(shape),
        };
        let bounds = local.map(|local| in_world(it, local, seconds));
        let far = match &bounds {
            Some(bounds) => !bounds.overlaps(reach),
            None => it.spin == DVec3::ZERO && !may_leave(it, &reach.grown(it.velocity.length() * seconds)),
        };
        if far {
            return true;
        }
        let material = self.material([it.friction, it.restitution]);
        let mut add = |form: Form, margin: f64| {
            met.solids.push(Solid {
                form,
                material,
                margin,
                body: None,
                is_single: false,
                swept: Default::default(),
                bounds,
            });
            true
        };
        let (half_length, radius) = match it.shape {
            ObstacleShape::HalfSpace => {
                return add(Form::HalfSpace { obstacle: index, point: DVec3::ZERO, normal: DVec3::Y }, 0.0);
            }
            ObstacleShape::Room { least, most } => {
                return DVec3::AXES.into_iter().all(|axis| {
                    add(Form::HalfSpace { obstacle: index, point: least, normal: axis }, 0.0)
                        && add(Form::HalfSpace { obstacle: index, point: most, normal: -axis }, 0.0)
                });
            }
            ObstacleShape::Sphere { radius } => (0.0, radius),
            ObstacleShape::Capsule { radius, half_length } => (half_length, radius),
            ObstacleShape::Box { .. } | ObstacleShape::Cylinder { .. } | ObstacleShape::Hull(_) => {
                let parts = libm::ceil(self.longest / SPACING).max(1.0);
                let half = local.map_or(DVec3::ZERO, |local| 0.5 * (local.most - local.least));
                return met.add_fine((index, false), parts, (0.0, half.min_element()), (material, bounds));
            }
            ObstacleShape::Mesh(_) | ObstacleShape::HeightField(_) => return false,
        };
        if let Some(margin) = self.margin(radius, 1.0) {
            return add(Form::Capsule { obstacle: index, half_length, radius }, margin);
        }
        let parts = libm::ceil(self.coarseness / (radius + self.radius));
        let margin = self.margin(radius, parts).unwrap_or(0.0);
        met.add_fine((index, true), parts, (margin, radius), (material, bounds))
    }

    /// Friction and restitution of a contact with another surface.
    fn material(&self, [friction, restitution]: [f64; 2]) -> [f32; 2] {
        [(self.friction * friction).sqrt() as f32, self.restitution.max(restitution) as f32]
    }

    /// Adds a collider to `solids`. Returns whether lanes can do it.
    pub fn may_touch(&self, it: &Collider, bounds: &Aabb, met: &mut Met) -> LanesCan {
        let Some(form @ Form::Collider { radius, .. }) = it.form else { return LanesCan::Not };
        let Some(margin) = self.margin(radius, 1.0) else { return LanesCan::Not };
        let material = self.material([it.friction, it.restitution]);
        let (swept, bounds) = (Default::default(), Some(*bounds));
        let is_single = it.is_single;
        met.solids.push(Solid { form, material, margin, body: None, is_single, swept, bounds });
        // What a held sheet carries pushes it with all its weight, whatever the masses.
        let may_rest = it.linkage.is_finite() && self.is_held();
        match self.mass <= HEAVIEST * it.linkage {
            true if !may_rest => LanesCan::Always,
            true if it.is_single => LanesCan::Blows,
            _ => LanesCan::Not,
        }
    }

    /// Margin around a solid of this radius where the sides of triangles have `parts`, meters; `None` if they are too
    /// coarse for it.
    fn margin(&self, radius: f64, parts: f64) -> Option<f64> {
        let (distance, coarseness) = (radius + self.radius, self.coarseness / parts);
        (coarseness <= distance).then(|| (distance * distance + coarseness * coarseness).sqrt() - distance)
    }
}

/// Greatest distance of two points of a face near an edge of a solid, meters.
const SPACING: f64 = 0.02;

/// Greatest number of parts of the side of a triangle. With more, the world steps the sheet.
const MOST_PARTS: f64 = 6.0;

impl Met {
    /// Removes all solids.
    pub fn clear(&mut self) {
        self.solids.clear();
        self.fine.clear();
    }

    /// Indices of the obstacles; one may come more than once.
    pub fn obstacles(&self) -> impl Iterator<Item = usize> + '_ {
        self.solids.iter().filter_map(Solid::obstacle).chain(self.fine.iter().map(|solid| solid.obstacle))
    }

    /// Half the least thickness of the solids, meters.
    pub fn least_radius(&self) -> f64 {
        let solids = self.solids.iter().map(Solid::radius);
        solids.chain(self.fine.iter().map(|solid| solid.half_thickness)).fold(f64::INFINITY, f64::min)
    }

    /// Adds an obstacle that touches points of faces. Returns whether the faces are not too coarse for it.
    fn add_fine(
        &mut self,
        (obstacle, is_round): (usize, bool),
        parts: f64,
        (margin, half_thickness): (f64, f64),
        (material, bounds): ([f32; 2], Option<Aabb>),
    ) -> bool {
        // NaN compares false.
        let (true, Some(bounds)) = (parts <= MOST_PARTS, bounds) else { return false };
        let parts = parts as u32;
        let points = 0..0;
        self.fine.push(FineSolid {
            obstacle,
            material,
            margin,
            parts,
            has_flat_sides: !is_round,
            half_thickness,
            bounds,
            points,
        });
        true
    }
}

impl Solid {
    /// Index of the collider; `None` for an obstacle.
    pub fn collider(&self) -> Option<usize> {
        if let Form::Collider { surface, .. } = self.form { Some(surface) } else { None }
    }

    /// Index of the obstacle; `None` for a collider.
    pub fn obstacle(&self) -> Option<usize> {
        match self.form {
            Form::HalfSpace { obstacle, .. } | Form::Capsule { obstacle, .. } => Some(obstacle),
            Form::Collider { .. } => None,
        }
    }

    /// Radius, meters; infinite for a half-space.
    pub fn radius(&self) -> f64 {
        match self.form {
            Form::HalfSpace { .. } => f64::INFINITY,
            Form::Capsule { radius, .. } | Form::Collider { radius, .. } => radius,
        }
    }

    /// Finds where a collider is at the start and at the end of the frame, before [`Self::placed`].
    pub fn sweep(&mut self, around: &Around) {
        if let Form::Collider { corners, .. } = &self.form {
            self.swept =
                [around.starts, around.positions].map(|places| (*corners).map(|corner| corner.position(places)));
        }
    }

    /// The solid when a `share` of the frame is over.
    pub fn placed(&self, share: f64, around: &Around) -> Placed {
        self.placed_beyond(share, around, None)
    }

    /// The same where its body has left the given motion.
    pub fn placed_among(&self, share: f64, around: &Around, bodies: &[TouchedBody]) -> Placed {
        self.placed_beyond(share, around, self.body.map(|body| &bodies[body]))
    }

    fn placed_beyond(&self, share: f64, around: &Around, body: Option<&TouchedBody>) -> Placed {
        let pose = |obstacle: usize| around.obstacles[obstacle].pose_after((share - 1.0) * around.seconds);
        match self.form {
            Form::HalfSpace { obstacle, point, normal } => {
                let pose = pose(obstacle);
                let normal = pose.rotation * normal;
                Placed::HalfSpace { normal, offset: normal.dot(pose.to_world(point)) }
            }
            Form::Capsule { obstacle, half_length, radius } => {
                let pose = pose(obstacle);
                let axis = pose.rotation * (DVec3::Y * half_length);
                Placed::Capsule { ends: [pose.position - axis, pose.position + axis], radius }
            }
            Form::Collider { count, radius, .. } => {
                let [from, to] = &self.swept;
                let corners = [0, 1, 2].map(|corner| {
                    let place = from[corner].lerp(to[corner], share);
                    body.map_or(place, |body| body.beyond(share, place))
                });
                match count {
                    3 => Placed::Triangle { corners, radius },
                    _ => Placed::Capsule { ends: [corners[0], corners[1]], radius },
                }
            }
        }
    }

    /// Displacement in the last `part` of the first `share` of the frame.
    pub fn drift(&self, [share, part]: [f64; 2], around: &Around, bodies: &[TouchedBody]) -> Drift {
        match self.form {
            Form::HalfSpace { obstacle, .. } | Form::Capsule { obstacle, .. } => {
                let it = &around.obstacles[obstacle];
                let seconds = part * around.seconds;
                let reference = it.position + it.velocity * ((share - 1.0) * around.seconds);
                Drift { reference, shift: it.velocity * seconds, turn: it.spin * seconds }
            }
            Form::Collider { .. } => self.body.map_or_else(Drift::default, |body| {
                let body = &bodies[body];
                let shift = (body.centers[1] - body.centers[0]) * part;
                let [shift, turn] = [shift, body.turn * part];
                let [more, spin] = body.speeds.map(|speed| speed * (part * around.seconds));
                Drift { reference: body.center(share), shift: shift + more, turn: turn + spin }
            }),
        }
    }

    /// Region that the solid may come into during the frame.
    pub fn reach(&self, around: &Around) -> SweptRegion {
        let Form::HalfSpace { obstacle, .. } = self.form else {
            return self.bounds.map_or(SweptRegion::Everywhere, SweptRegion::Box);
        };
        if around.obstacles[obstacle].spin != DVec3::ZERO {
            return SweptRegion::Everywhere;
        }
        // Both planes have one normal.
        match [0.0, 1.0].map(|share| self.placed(share, around)) {
            [Placed::HalfSpace { normal, offset }, Placed::HalfSpace { offset: other, .. }] => {
                SweptRegion::Below { normal, offset: offset.max(other) }
            }
            _ => SweptRegion::Everywhere,
        }
    }
}

/// Region that a solid may come into during a frame.
#[derive(Clone, Copy, Debug)]
pub(super) enum SweptRegion {
    Everywhere,
    Box(Aabb),
    /// Points with `normal · x < offset`.
    Below {
        normal: DVec3,
        offset: f64,
    },
}

impl SweptRegion {
    /// Whether a box is partly inside.
    pub fn overlaps(&self, bounds: &Aabb) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Box(own) => own.overlaps(bounds),
            Self::Below { normal, offset } => {
                let (middle, half) = bounds.middle_and_half();
                normal.dot(middle) - normal.abs().dot(half) < *offset
            }
        }
    }
}

impl TouchedBody {
    /// Motion of a body in the frame. Inertia follows from the masses of the model.
    pub fn new(model: &Model, (body, answers): (usize, bool), inverse_masses: &[f64], around: &Around) -> Self {
        let particles = model.tetrahedra[body].particles;
        let inertia = TetrahedronInertia::of(particles, around.positions, inverse_masses);
        let center = |positions: &[DVec3]| match &inertia {
            Some(inertia) => inertia.center(positions),
            None => particles.iter().map(|&particle| positions[particle]).sum::<DVec3>() * 0.25,
        };
        let turn = inertia.as_ref().map_or(DVec3::ZERO, |it| it.turned(around.positions, around.starts));
        let (given, none) = (Given::default(), [DVec3::ZERO; 2]);
        let centers = [center(around.starts), center(around.positions)];
        Self { body, centers, turn, given, inertia: inertia.filter(|_| answers), speeds: none, moved: none }
    }

    /// Whether it leaves the given motion within the frame.
    pub fn answers(&self) -> bool {
        self.inertia.is_some()
    }

    /// Puts the body back on the given motion, for the next sheet.
    pub fn begin(&mut self) {
        (self.speeds, self.moved) = ([DVec3::ZERO; 2], [DVec3::ZERO; 2]);
    }

    /// Moves it by what it was given, in a substep of `seconds`.
    pub fn advance(&mut self, seconds: f64) {
        self.moved.iter_mut().zip(self.speeds).for_each(|(moved, speed)| *moved += speed * seconds);
    }

    /// Speed of the given motion in a frame of `seconds`, m/s, and what its rotation adds a meter from its center.
    pub fn speed(&self, seconds: f64) -> f64 {
        (self.centers[0].distance(self.centers[1]) + self.turn.length()) / seconds
    }

    /// Keeps the share of what it was given since `before` with which it and a sheet of a `mass` and a mean `velocity` without it
    /// have no more energy. Returns the impulse that it gives up, N s.
    ///
    /// ```text
    /// ΔT(σ) = σ (G·U − P·V) + ½ σ² (G·ΔU + P²/M) ≤ 0        G = (P, L) given, U its velocities
    /// ```
    pub fn keep_share(&mut self, before: &Self, (mass, velocity): (f64, DVec3), seconds: f64) -> DVec3 {
        let Some(inertia) = &self.inertia else { return DVec3::ZERO };
        let own = [0, 1].map(|i| self.given.sum[i] - before.given.sum[i]);
        let velocities = [self.centers[1] - self.centers[0], self.turn].map(|moved| moved / seconds);
        let work = |of: [DVec3; 2]| own[0].dot(of[0]) + own[1].dot(of[1]);
        let (first, second) =
            (work(velocities) - own[0].dot(velocity), work(inertia.velocities(own)) + own[0].length_squared() / mass);
        let share = if second > 0.0 { (-2.0 * first / second).clamp(0.0, 1.0) } else { 1.0 };
        for i in 0..2 {
            self.given.sum[i] -= own[i] * (1.0 - share);
            let early = self.given.early[i] - before.given.early[i];
            self.given.early[i] -= early * (1.0 - share);
        }
        own[0] * (1.0 - share)
    }

    /// Center of mass when a `share` of the frame is over, meters.
    pub fn center(&self, share: f64) -> DVec3 {
        self.centers[0].lerp(self.centers[1], share) + self.moved[0]
    }

    /// Place of a point of the body that is at `place` by the given motion.
    fn beyond(&self, share: f64, place: DVec3) -> DVec3 {
        let arm = place - self.centers[0].lerp(self.centers[1], share);
        place + self.moved[0] + self.moved[1].cross(arm)
    }

    /// Takes an impulse and a moment about a point that is `arm` from the center, when the share `left` of the frame is to
    /// come.
    pub fn take(&mut self, [impulse, moment]: [DVec3; 2], arm: DVec3, left: f64) {
        let given = [impulse, moment + arm.cross(impulse)];
        self.given.add(given, left);
        if let Some(inertia) = &self.inertia {
            self.speeds.iter_mut().zip(inertia.velocities(given)).for_each(|(speed, more)| *speed += more);
        }
    }
}
