//! A body as one shaded figure: the solids of its bones blend into each other like modeled clay.
//!
//! Every pixel is sampled by four parallel rays, traced through the distance field of the solids (sphere tracing:
//! J. C. Hart, *Sphere tracing*, The Visual Computer 12, 1996): a step as long as the distance to the nearest surface
//! cannot pass through a surface. A ray that misses covers its pixel by its smallest distance, which smooths the
//! outline.

use muybridge::character::{Character, Role};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::motion::WorldMotion;

use super::canvas::Canvas;
use super::palette::Ink;
use super::solid::{CameraSolid, blended, capsule_between};
use super::view::OrthographicView;

/// A body in one pose, in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Solids of the bones.
    pub solids: Vec<PlacedShape>,
}

/// Style of a figure: colors, rim, height and opacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FigureStyle {
    /// Color in full light.
    pub light: Ink,
    /// Color in shadow and along the outline.
    pub dark: Ink,
    /// Color of the background: the far side of the body fades toward it, and a rim of it sets the figure off.
    pub ground: Ink,
    /// Width of the rim, pixels.
    pub rim: f64,
    /// Height of the body at rest, meters; scales blending and shadows.
    pub height: f64,
    /// Opacity, 0 to 1; 1 is opaque.
    pub opacity: f64,
}

impl Figure {
    /// The figure of `character` at a frame: the shapes of its bodies, or capsules along the bones if it has no shapes.
    pub fn of(character: &Character, world: &WorldMotion, frame: usize) -> Self {
        let bones = 0..character.skeleton.len();
        let poses: Vec<_> = bones.map(|bone| (world.position(bone, frame), world.rotation(bone, frame))).collect();
        Self::posed(character, &poses)
    }

    /// The figure of `character` with each bone at a world position (m) and rotation: the shapes of its bodies, or
    /// capsules along the bones if it has no shapes. Panics if there are fewer poses than bones.
    pub fn posed(character: &Character, poses: &[(DVec3, DQuat)]) -> Self {
        let bones = 0..character.skeleton.len();
        let shaped = character.bodies.iter().any(|body| !body.shapes.is_empty());
        let solids = if shaped {
            bones
                .flat_map(|bone| character.bodies[bone].shapes.iter().map(move |placed| (poses[bone], placed)))
                .map(|((position, rotation), placed)| PlacedShape {
                    shape: placed.shape.clone(),
                    position: position + rotation * placed.position,
                    rotation: rotation * placed.rotation,
                })
                .collect()
        } else {
            let height = height_at_rest(character);
            bones.flat_map(|bone| bone_capsules(character, poses, (bone, height))).collect()
        };
        Self { solids }
    }

    /// A person for scale, `height` meters tall, standing on `foot`, broadside along `right`.
    pub fn standing(foot: DVec3, right: DVec3, height: f64) -> Self {
        let at = |x: f64, y: f64| foot + (right * x + DVec3::Y * y) * height;
        let mut solids = vec![
            capsule_between(at(0.0, 0.915), at(0.0, 0.952), 0.048 * height),
            capsule_between(at(0.0, 0.80), at(0.0, 0.90), 0.030 * height),
            capsule_between(at(-0.075, 0.785), at(0.075, 0.785), 0.042 * height),
            capsule_between(at(-0.05, 0.70), at(0.05, 0.70), 0.050 * height),
            capsule_between(at(-0.03, 0.62), at(0.03, 0.62), 0.052 * height),
            capsule_between(at(-0.04, 0.53), at(0.04, 0.53), 0.052 * height),
        ];
        for side in [-1.0, 1.0] {
            solids.push(capsule_between(at(side * 0.112, 0.79), at(side * 0.140, 0.62), 0.026 * height));
            solids.push(capsule_between(at(side * 0.140, 0.62), at(side * 0.160, 0.475), 0.020 * height));
            solids.push(capsule_between(at(side * 0.160, 0.475), at(side * 0.164, 0.41), 0.018 * height));
            solids.push(capsule_between(at(side * 0.052, 0.50), at(side * 0.054, 0.40), 0.041 * height));
            solids.push(capsule_between(at(side * 0.053, 0.42), at(side * 0.055, 0.28), 0.034 * height));
            solids.push(capsule_between(at(side * 0.056, 0.24), at(side * 0.056, 0.18), 0.030 * height));
            solids.push(capsule_between(at(side * 0.055, 0.28), at(side * 0.054, 0.03), 0.022 * height));
            solids.push(capsule_between(at(side * 0.056, 0.016), at(side * 0.080, 0.016), 0.016 * height));
        }
        Self { solids }
    }

    /// Lowest and highest corner of the figure's bounding box in the camera frame, meters.
    pub fn bounds(&self, view: &OrthographicView) -> (DVec3, DVec3) {
        let camera = camera_from_world(view);
        let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        self.solids
            .iter()
            .map(|solid| CameraSolid::new(solid, camera))
            .fold(empty, |(low, high), solid| (low.min(solid.center - solid.half), high.max(solid.center + solid.half)))
    }

    /// Draws the figure as `view` sees it.
    pub fn draw(&self, canvas: &mut Canvas, view: &OrthographicView, look: &FigureStyle) {
        let camera = camera_from_world(view);
        let solids: Vec<CameraSolid> = self.solids.iter().map(|solid| CameraSolid::new(solid, camera)).collect();
        let (low, high) = self.bounds(view);
        if !(low.is_finite() && high.is_finite() && look.height > 0.0) {
            return;
        }
        let reach = OCCLUSION * look.height + (look.rim + 1.0) / view.scale;
        let column = |x: f64, edge: f64| view.pixel_x(x).clamp(0.0, edge) as u32;
        let row = |y: f64, edge: f64| view.pixel_y(y).clamp(0.0, edge) as u32;
        let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
        let columns = column(low.x - reach, width)..column(high.x + reach, width);
        let rows = row(high.y + reach, height)..row(low.y - reach, height);
        let rays = if columns.len() * rows.len() > MOST_PIXELS { &RAYS[..1] } else { &RAYS[..] };
        for top in rows.clone().step_by(TILE as usize) {
            for left in columns.clone().step_by(TILE as usize) {
                let pixels = (left..(left + TILE).min(columns.end), top..(top + TILE).min(rows.end));
                let tile = Tile { front: high.z, ..Tile::new(&solids, view, look, reach, (left, top)) };
                tile.draw(canvas, pixels, rays);
            }
        }
    }
}

/// Places of the rays in a pixel, each as a share of its side.
const RAYS: [(f64, f64); 4] = [(0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)];

/// Area of a figure beyond which a pixel gets one ray instead of four: more than any body on a plate covers.
const MOST_PIXELS: usize = 1_500_000;

/// Side of the square tiles in which a figure is drawn, pixels.
const TILE: u32 = 12;

/// Distance over which neighboring solids blend into each other, as a share of the body's height.
const BLEND: f64 = 0.02;

/// Reach of ambient occlusion, as a share of the body's height.
const OCCLUSION: f64 = 0.04;

/// Capsules from a bone to its children and ends. Bones without mass have none, unless no bone has mass.
fn bone_capsules(character: &Character, poses: &[(DVec3, DQuat)], (bone, height): (usize, f64)) -> Vec<PlacedShape> {
    let weighted = character.bodies.iter().any(|body| body.mass > 0.0);
    if weighted && character.bodies[bone].mass <= 0.0 {
        return Vec::new();
    }
    let (from, rotation) = poses[bone];
    let children = character.skeleton.children(bone).map(|child| poses[child].0);
    let ends = character.skeleton.bones()[bone].ends.iter().map(|&end| from + rotation * end);
    let thickness = character.roles.get(bone).copied().flatten().map(|role| thickness(role) * height);
    let capsule = |to: DVec3| {
        let length = from.distance(to);
        capsule_between(from, to, thickness.unwrap_or((0.14 * length).min(0.025 * height)))
    };
    let solids: Vec<PlacedShape> = children.chain(ends).map(capsule).collect();
    if !solids.is_empty() || character.skeleton.len() > 1 {
        return solids;
    }
    let ball = Shape::Sphere { radius: 0.1 };
    let position = from + rotation * character.bodies[bone].center;
    vec![PlacedShape { shape: ball, position, rotation: DQuat::IDENTITY }]
}

/// Capsule radius of a bone without shape, by its role, as a share of the body's height.
fn thickness(role: Role) -> f64 {
    match role {
        Role::Hips | Role::Spine | Role::Chest | Role::UpperChest => 0.06,
        Role::Head => 0.05,
        Role::UpperLeg(_) => 0.04,
        Role::Neck | Role::LowerLeg(_) | Role::Shoulder(_) => 0.03,
        Role::UpperArm(_) => 0.026,
        Role::LowerArm(_) | Role::Foot(_) => 0.021,
        Role::Hand(_) | Role::Toes(_) => 0.017,
    }
}

/// Largest extent of the rest pose, meters; only bones with roles count, if there are any.
pub(crate) fn height_at_rest(character: &Character) -> f64 {
    let humanoid = character.roles.iter().any(Option::is_some);
    let rest = character.skeleton.rest_pose();
    let places = rest.iter().zip(&character.roles).filter(|(_, role)| !humanoid || role.is_some());
    let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = places.fold(empty, |(low, high), (place, _)| (low.min(place.0), high.max(place.0)));
    (high - low).max_element().max(0.0)
}

fn camera_from_world(view: &OrthographicView) -> DMat3 {
    DMat3::from_cols(view.right, DVec3::Y, view.right.cross(DVec3::Y)).transpose()
}

/// Tile of pixels with the solids near it.
struct Tile<'a> {
    near: Vec<&'a CameraSolid>,
    view: &'a OrthographicView,
    look: &'a FigureStyle,
    front: f64,
    top: f64,
    bottom: f64,
}

/// Closest approach of a ray: distance to the surface and the point where it occurs.
struct RayHit {
    distance: f64,
    point: DVec3,
}

impl<'a> Tile<'a> {
    fn new(
        solids: &'a [CameraSolid],
        view: &'a OrthographicView,
        look: &'a FigureStyle,
        reach: f64,
        corner: (u32, u32),
    ) -> Self {
        let side = f64::from(TILE) / view.scale;
        let left = view.left + (f64::from(corner.0) - view.origin.0) / view.scale;
        let top = view.floor + (view.origin.1 - f64::from(corner.1)) / view.scale;
        let touches = |solid: &&CameraSolid| {
            let (center, half) = (solid.center, solid.half + reach);
            center.x + half.x > left
                && center.x - half.x < left + side
                && center.y + half.y > top - side
                && center.y - half.y < top
        };
        let near: Vec<&CameraSolid> = solids.iter().filter(touches).collect();
        let fold = |sign: f64| {
            near.iter().fold(f64::NEG_INFINITY, |most, solid| most.max(sign * solid.center.z + solid.half.z))
        };
        let (top, bottom) = (fold(1.0), -fold(-1.0));
        Self { near, view, look, front: top, top, bottom }
    }

    fn draw(
        &self,
        canvas: &mut Canvas,
        (columns, rows): (std::ops::Range<u32>, std::ops::Range<u32>),
        rays: &[(f64, f64)],
    ) {
        let middle = |pixels: &std::ops::Range<u32>| 0.5 * f64::from(pixels.start + pixels.end);
        let beyond = 0.71 * f64::from(TILE) + self.look.rim + 3.0;
        let empty = || self.trace(middle(&columns), middle(&rows)).distance * self.view.scale > beyond;
        if self.near.is_empty() || empty() {
            return;
        }
        for y in rows {
            for x in columns.clone() {
                self.draw_pixel(canvas, (x, y), rays);
            }
        }
    }

    fn draw_pixel(&self, canvas: &mut Canvas, (x, y): (u32, u32), rays: &[(f64, f64)]) {
        let (mut tone, mut covered, mut rim) = ([0.0; 3], 0.0, 0.0);
        let share = 1.0 / rays.len() as f64;
        for (dx, dy) in rays {
            let meeting = self.trace(f64::from(x) + dx, f64::from(y) + dy);
            let away = meeting.distance * self.view.scale;
            if away > self.look.rim + 3.0 {
                return;
            }
            let coverage = share * (1.0 - away).clamp(0.0, 1.0);
            rim += share * (self.look.rim + 1.0 - away).clamp(0.0, 1.0);
            if coverage > 0.0 {
                let shade = self.shade(meeting.point);
                covered += coverage;
                tone = [0, 1, 2].map(|channel| tone[channel] + coverage * shade[channel]);
            }
        }
        if self.look.rim > 0.0 && rim > 0.0 {
            canvas.blend(x, y, self.look.ground, rim * self.look.opacity);
        }
        if covered > 0.0 {
            let [red, green, blue] = tone.map(|sum| (sum / covered + 0.5).clamp(0.0, 255.0) as u8);
            canvas.blend(x, y, Ink { red, green, blue, alpha: 255 }, covered * self.look.opacity);
        }
    }

    fn trace(&self, x: f64, y: f64) -> RayHit {
        let across = self.view.left + (x - self.view.origin.0) / self.view.scale;
        let up = self.view.floor + (self.view.origin.1 - y) / self.view.scale;
        let near_enough = 0.1 / self.view.scale;
        let mut depth = self.top + near_enough;
        let mut nearest = RayHit { distance: f64::INFINITY, point: DVec3::ZERO };
        for _ in 0..64 {
            let point = DVec3::new(across, up, depth);
            let distance = self.distance(point);
            if distance < nearest.distance {
                nearest = RayHit { distance, point };
            }
            if distance < near_enough {
                return RayHit { distance: 0.0, point };
            }
            if depth < self.bottom {
                break;
            }
            depth -= distance.max(2.0 * near_enough);
        }
        nearest
    }

    fn distance(&self, point: DVec3) -> f64 {
        let width = BLEND * self.look.height;
        self.near.iter().fold(f64::INFINITY, |least, solid| blended(least, solid.distance(point), width))
    }

    /// Color of the surface at a point: soft light from the upper left, darker in creases and along the outline.
    fn shade(&self, point: DVec3) -> [f64; 3] {
        let step = 0.002 * self.look.height;
        let corners =
            [DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0), DVec3::new(-1.0, 1.0, -1.0), DVec3::ONE];
        let normal = corners.iter().map(|&corner| corner * self.distance(point + corner * step)).sum::<DVec3>();
        let normal = normal.normalize_or_zero();
        let light = DVec3::new(-0.52, 0.68, 0.52);
        let facing = 0.5 + 0.5 * normal.dot(light);
        let reach = OCCLUSION * self.look.height;
        let open = (self.distance(point + normal * reach) / reach).clamp(0.0, 1.0);
        let outline = (normal.z.max(0.0) / 0.55).min(1.0);
        let outline = outline * outline * (3.0 - 2.0 * outline);
        let sheen = (normal.dot(DVec3::new(-0.3, 0.45, 0.84)).max(0.0) - 0.9).max(0.0) * 1.2;
        let tone = facing * facing.sqrt() * (0.5 + 0.5 * open) * (0.42 + 0.58 * outline) + sheen;
        let depth = (self.front - point.z) / self.look.height;
        let far = (0.55 * (depth - 0.12)).clamp(0.0, 0.32);
        let channel = |dark: u8, light: u8, ground: u8| {
            let lit = f64::from(dark) + (f64::from(light) - f64::from(dark)) * tone.min(1.15);
            lit + (f64::from(ground) - lit) * far
        };
        let FigureStyle { light, dark, ground, .. } = self.look;
        [
            channel(dark.red, light.red, ground.red),
            channel(dark.green, light.green, ground.green),
            channel(dark.blue, light.blue, ground.blue),
        ]
    }
}
