//! Jolt through the C functions of `shim.cpp`. All that is unsafe is here.

use core::ffi::c_void;
use core::ptr::{NonNull, null};

/// A shape; `rotation` is x, y, z, w.
#[repr(C)]
pub struct Shape {
    kind: i32,
    size: [f32; 3],
    position: [f32; 3],
    rotation: [f32; 4],
    points: *const f32,
    point_count: i32,
}

/// Kind and size of a shape, meters.
pub enum Kind<'a> {
    Sphere(f32),
    /// Along y.
    Capsule { radius: f32, half_length: f32 },
    Box([f32; 3]),
    Hull(&'a [[f32; 3]]),
}

/// A body whose frame is that of its principal axes; a mass of 0 stands still.
#[derive(Default)]
pub struct Body {
    pub mass: f32,
    pub moments: [f32; 3],
    pub position: [f32; 3],
    pub rotation: [f32; 4],
    pub velocity: [f32; 3],
    pub spin: [f32; 3],
    pub friction: f32,
    pub restitution: f32,
    /// Filter, and place within it; `None` touches all.
    pub filter: Option<(i32, i32)>,
}

#[repr(C)]
struct RawBody {
    mass: f32,
    moments: [f32; 3],
    position: [f32; 3],
    rotation: [f32; 4],
    velocity: [f32; 3],
    spin: [f32; 3],
    friction: f32,
    restitution: f32,
    shapes: *const Shape,
    shape_count: i32,
    filter: i32,
    place: i32,
}

/// A joint; `parent` is −1 for the world.
#[repr(C)]
pub struct Joint {
    pub kind: JointKind,
    pub parent: i32,
    pub child: i32,
    pub anchors: [[f32; 3]; 2],
    pub axes: [[f32; 4]; 2],
    /// Swing about y and z, radians.
    pub swing: [f32; 2],
    /// Range of twist or of a hinge, radians.
    pub range: [f32; 2],
}

#[repr(i32)]
#[derive(Clone, Copy, PartialEq)]
pub enum JointKind {
    Point,
    SwingTwist,
    Hinge,
    Fixed,
}

/// A cloth; `iterations` 0 is Jolt's default.
pub struct Cloth {
    pub points: Vec<[f32; 3]>,
    pub triangles: Vec<[i32; 3]>,
    pub pinned: Vec<i32>,
    pub mass: f32,
    pub radius: f32,
    pub friction: f32,
    pub damping: f32,
    pub iterations: i32,
}

#[repr(C)]
struct RawCloth {
    points: *const f32,
    point_count: i32,
    triangles: *const i32,
    triangle_count: i32,
    pinned: *const i32,
    pinned_count: i32,
    mass: f32,
    radius: f32,
    friction: f32,
    damping: f32,
    iterations: i32,
}

unsafe extern "C" {
    fn jolt_new(gravity: *const f32, bodies: i32) -> *mut c_void;
    fn jolt_free(world: *mut c_void);
    fn jolt_filter(world: *mut c_void, places: i32, pairs: *const i32, pair_count: i32) -> i32;
    fn jolt_body(world: *mut c_void, body: *const RawBody) -> i32;
    fn jolt_joint(world: *mut c_void, joint: *const Joint);
    fn jolt_cloth(world: *mut c_void, cloth: *const RawCloth);
    fn jolt_ready(world: *mut c_void);
    fn jolt_step(world: *mut c_void, time_step: f32) -> i32;
    fn jolt_pose(world: *const c_void, body: i32, pose: *mut f32);
    fn jolt_cloth_points(world: *const c_void, points: *mut f32);
}

impl Shape {
    /// A shape at a place; a hull's points must outlive the call that takes the shape.
    pub fn new(kind: &Kind, position: [f32; 3], rotation: [f32; 4]) -> Self {
        let (kind, size, points): (i32, [f32; 3], &[[f32; 3]]) = match kind {
            Kind::Sphere(radius) => (0, [*radius, 0.0, 0.0], &[]),
            Kind::Capsule { radius, half_length } => (1, [*radius, *half_length, 0.0], &[]),
            Kind::Box(half) => (2, *half, &[]),
            Kind::Hull(points) => (3, [0.0; 3], points),
        };
        let point_count = points.len() as i32;
        Self { kind, size, position, rotation, points: points.as_ptr().cast(), point_count }
    }
}

/// A world on one thread.
pub struct World {
    raw: NonNull<c_void>,
    bodies: i32,
    places: Vec<i32>,
    points: usize,
}

impl World {
    pub fn new(gravity: [f32; 3], bodies: usize) -> Self {
        let raw = NonNull::new(unsafe { jolt_new(gravity.as_ptr(), bodies as i32) }).expect("a world of Jolt");
        Self { raw, bodies: 0, places: Vec::new(), points: 0 }
    }

    /// Adds a filter of as many bodies, of which pairs do not touch.
    pub fn filter(&mut self, places: usize, pairs: &[[i32; 2]]) -> i32 {
        assert!(pairs.iter().flatten().all(|&place| (0..places as i32).contains(&place)), "a place of the filter");
        assert!(pairs.iter().all(|[a, b]| a != b), "two places of the filter");
        self.places.push(places as i32);
        unsafe { jolt_filter(self.raw.as_ptr(), places as i32, pairs.as_ptr().cast(), pairs.len() as i32) }
    }

    /// Adds a body and returns its number; `None` if Jolt does not take a shape.
    pub fn body(&mut self, body: &Body, shapes: &[(Kind, [f32; 3], [f32; 4])]) -> Option<i32> {
        let shapes: Vec<Shape> = shapes.iter().map(|(kind, at, turn)| Shape::new(kind, *at, *turn)).collect();
        let (filter, place) = body.filter.unwrap_or((-1, 0));
        assert!(!shapes.is_empty(), "a body has a shape");
        assert!(filter < self.places.len() as i32, "a filter of the world");
        assert!(filter < 0 || (0..self.places[filter as usize]).contains(&place), "a place of the filter");
        let &Body { mass, moments, position, rotation, velocity, spin, friction, restitution, .. } = body;
        let (shapes, shape_count) = (shapes.as_slice(), shapes.len() as i32);
        let shapes = shapes.as_ptr();
        let raw = RawBody {
            mass, moments, position, rotation, velocity, spin, friction, restitution, shapes, shape_count, filter, place,
        };
        let number = unsafe { jolt_body(self.raw.as_ptr(), &raw) };
        self.bodies += i32::from(number >= 0);
        (number >= 0).then_some(number)
    }

    pub fn joint(&mut self, joint: &Joint) {
        assert!((0..self.bodies).contains(&joint.child) && (-1..self.bodies).contains(&joint.parent), "bodies");
        unsafe { jolt_joint(self.raw.as_ptr(), joint) };
    }

    /// Adds the cloth of the world.
    pub fn cloth(&mut self, cloth: &Cloth) {
        let has = |&point: &i32| (0..cloth.points.len() as i32).contains(&point);
        assert!(self.points == 0, "one cloth");
        assert!(cloth.triangles.iter().flatten().all(has) && cloth.pinned.iter().all(has), "points of the cloth");
        let &Cloth { mass, radius, friction, damping, iterations, .. } = cloth;
        let raw = RawCloth {
            points: cloth.points.as_ptr().cast(),
            point_count: cloth.points.len() as i32,
            triangles: cloth.triangles.as_ptr().cast(),
            triangle_count: cloth.triangles.len() as i32,
            pinned: if cloth.pinned.is_empty() { null() } else { cloth.pinned.as_ptr() },
            pinned_count: cloth.pinned.len() as i32,
            mass,
            radius,
            friction,
            damping,
            iterations,
        };
        unsafe { jolt_cloth(self.raw.as_ptr(), &raw) };
        self.points = cloth.points.len();
    }

    /// Puts the broad phase in order, before the first step.
    pub fn ready(&mut self) {
        unsafe { jolt_ready(self.raw.as_ptr()) };
    }

    /// Advances the world.
    pub fn step(&mut self, time_step: f32) {
        let error = unsafe { jolt_step(self.raw.as_ptr(), time_step) };
        assert!(error == 0, "Jolt steps: its buffers are full ({error})");
    }

    /// Position and rotation of a body.
    pub fn pose(&self, body: i32) -> ([f32; 3], [f32; 4]) {
        assert!((0..self.bodies).contains(&body), "a body of the world");
        let mut pose = [0.0; 7];
        unsafe { jolt_pose(self.raw.as_ptr(), body, pose.as_mut_ptr()) };
        let [x, y, z, rotation @ ..] = pose;
        ([x, y, z], rotation)
    }

    /// Points of the cloth.
    pub fn cloth_points(&self) -> Vec<[f32; 3]> {
        assert!(self.points > 0, "the world has a cloth");
        let mut points = vec![[0.0; 3]; self.points];
        unsafe { jolt_cloth_points(self.raw.as_ptr(), points.as_mut_ptr().cast()) };
        points
    }
}

impl Drop for World {
    fn drop(&mut self) {
        unsafe { jolt_free(self.raw.as_ptr()) };
    }
}
