//! Depth buffer: the nearest thing and its depth for every sample of a picture.

use muybridge::glam::DVec3;

use super::camera::Lens;
use super::ray_cast::RayTarget;
use super::scene_objects::SceneObject;

/// Offsets of the samples in a pixel: a rotated square, which also smooths lines near the axes of the picture.
pub(super) const SAMPLES: [(f64, f64); 4] = [(0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)];

/// One sample in the middle of each pixel, for the shadow map.
pub(super) const MIDDLE: [(f64, f64); 1] = [(0.5, 0.5)];

/// Index that means no thing.
pub(super) const NOTHING: u32 = u32::MAX;

/// Depth buffer: depth and thing of each sample, pixel by pixel.
pub(super) struct DepthSheet {
    pub lens: Lens,
    pub width: usize,
    pub height: usize,
    offsets: &'static [(f64, f64)],
    /// Depth per sample; infinite if no thing is there.
    pub depths: Vec<f32>,
    /// Per sample an index into the casts; [`NOTHING`] if no thing is there.
    pub nearest: Vec<u32>,
    /// The things, prepared for ray casts.
    pub casts: Vec<RayTarget>,
}

impl DepthSheet {
    /// Renders `things` into a depth buffer of `width` by `height` pixels.
    pub(super) fn new(
        things: &[SceneObject],
        lens: Lens,
        (width, height): (usize, usize),
        offsets: &'static [(f64, f64)],
    ) -> Self {
        let samples = width * height * offsets.len();
        let casts = things.iter().map(|thing| RayTarget::new(thing, &lens)).collect();
        let (depths, nearest) = (vec![f32::INFINITY; samples], vec![NOTHING; samples]);
        let mut sheet = Self { lens, width, height, offsets, depths, nearest, casts };
        for index in 0..sheet.casts.len() {
            sheet.cast(index);
        }
        sheet
    }

    /// The ray of a sample in camera axes.
    pub(super) fn ray(&self, x: usize, y: usize, sample: usize) -> DVec3 {
        let (dx, dy) = self.offsets[sample];
        self.lens.ray(x as f64 + dx, y as f64 + dy)
    }

    /// Removes samples farther than `depth` returns for their ray.
    pub(super) fn hide(&mut self, depth: impl Fn(DVec3) -> Option<f64>) {
        let count = self.offsets.len();
        for at in 0..self.nearest.len() {
            if self.nearest[at] == NOTHING {
                continue;
            }
            let ray = self.ray(at / count % self.width, at / count / self.width, at % count);
            if depth(ray).is_some_and(|depth| f64::from(self.depths[at]) > depth) {
                (self.nearest[at], self.depths[at]) = (NOTHING, f32::INFINITY);
            }
        }
    }

    fn cast(&mut self, index: usize) {
        let Self { lens, width, height, offsets, depths, nearest, casts } = self;
        let cast = &casts[index];
        let Some([left, top, right, bottom]) = cast.bounds(lens) else { return };
        let clip = |value: f64, most: usize| value.clamp(0.0, most as f64) as usize;
        let columns = clip(left - 1.0, *width)..clip(right + 2.0, *width);
        for y in clip(top - 1.0, *height)..clip(bottom + 2.0, *height) {
            for x in columns.clone() {
                let pixel = (y * *width + x) * offsets.len();
                for (sample, (dx, dy)) in offsets.iter().enumerate() {
                    let ray = lens.ray(x as f64 + dx, y as f64 + dy);
                    let Some(depth) = cast.depth(ray).map(|depth| depth as f32) else { continue };
                    if depth < depths[pixel + sample] {
                        (depths[pixel + sample], nearest[pixel + sample]) = (depth, index as u32);
                    }
                }
            }
        }
    }
}
