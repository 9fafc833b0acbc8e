//! Shading: from the nearest things to colors, with light, shadow, creases, outlines, floor and air.
//!
//! Soft light from the sun's side, darker toward the outline, as on the plates. An outline separates a thing from
//! things behind it. A pixel whose samples all see one thing is shaded once.

use muybridge::glam::DVec3;

use super::camera::Lens;
use super::depth_buffer::{DepthSheet, NOTHING, SAMPLES};
use super::ground::FloorGrid;
use super::ink::{Color, Inks, mix};
use super::scene_objects::{InkTone, SceneObject};
use super::shadow::Shadow;

/// Shadow map, floor and inks that shading needs beside the things.
pub(super) struct Scenery<'a> {
    pub shadow: &'a Shadow,
    pub ground: Option<FloorGrid>,
    pub inks: &'a Inks,
}

/// A picture being shaded.
pub(super) struct PictureRenderer<'a> {
    things: &'a [SceneObject],
    scenery: &'a Scenery<'a>,
    sheet: DepthSheet,
}

/// Things less than this below the floor stay visible, because resting things touch it, meters.
const SUNK: f64 = 0.004;

impl<'a> PictureRenderer<'a> {
    pub(super) fn new(things: &'a [SceneObject], lens: Lens, size: (usize, usize), scenery: &'a Scenery<'a>) -> Self {
        let mut sheet = DepthSheet::new(things, lens, size, &SAMPLES);
        if let Some(ground) = scenery.ground {
            sheet.hide(|ray| ground.depth(&lens, ray).map(|depth| depth + SUNK));
        }
        Self { things, scenery, sheet }
    }

    /// Calls `put` with every pixel's color and the share of the pixel that things cover.
    pub(super) fn each(&self, mut put: impl FnMut(usize, usize, Color, f64)) {
        for y in 0..self.sheet.height {
            for x in 0..self.sheet.width {
                let (color, covered) = self.pixel(x, y);
                put(x, y, color, covered);
            }
        }
    }

    /// Calls `put` for each pixel that the first `count` things cover, with their color and covered share.
    pub(super) fn each_moving(&self, count: usize, mut put: impl FnMut(usize, usize, Color, f64)) {
        for (pixel, seen) in self.sheet.nearest.chunks_exact(SAMPLES.len()).enumerate() {
            let wanted = seen.iter().filter(|&&thing| (thing as usize) < count).count();
            if wanted == 0 {
                continue;
            }
            let (x, y) = (pixel % self.sheet.width, pixel / self.sheet.width);
            let mut sum = [0.0; 3];
            for (sample, _) in seen.iter().enumerate().filter(|(_, thing)| (**thing as usize) < count) {
                let color = self.sample(x, y, sample);
                sum = [0, 1, 2].map(|channel| sum[channel] + color[channel] / wanted as f64);
            }
            let color = mix(sum, self.scenery.inks.outline, self.outline(x, y));
            put(x, y, color, wanted as f64 / SAMPLES.len() as f64);
        }
    }

    fn pixel(&self, x: usize, y: usize) -> (Color, f64) {
        let at = (y * self.sheet.width + x) * SAMPLES.len();
        let seen = &self.sheet.nearest[at..at + SAMPLES.len()];
        if seen.iter().all(|&thing| thing == seen[0]) {
            if seen[0] == NOTHING {
                return (self.behind(x, y), 0.0);
            }
            let color = self.sample(x, y, 0);
            return (mix(color, self.scenery.inks.outline, self.outline(x, y)), 1.0);
        }
        let (mut sum, mut covered) = ([0.0; 3], 0.0);
        let mut behind = None;
        for (sample, &thing) in seen.iter().enumerate() {
            let color = if thing == NOTHING {
                *behind.get_or_insert_with(|| self.behind(x, y))
            } else {
                covered += 1.0 / SAMPLES.len() as f64;
                self.sample(x, y, sample)
            };
            sum = [0, 1, 2].map(|channel| sum[channel] + color[channel] / SAMPLES.len() as f64);
        }
        (mix(sum, self.scenery.inks.outline, self.outline(x, y)), covered)
    }

    /// Color of floor and air behind the things at a pixel.
    fn behind(&self, x: usize, y: usize) -> Color {
        let Scenery { shadow, ground, inks } = self.scenery;
        let share = y as f64 / self.sheet.height as f64;
        let air = mix(inks.air[0], inks.air[1], share.min(1.0));
        let middle = (x as f64 + 0.5, y as f64 + 0.5);
        let ground = ground.as_ref().and_then(|ground| ground.color((&self.sheet.lens, shadow, inks), middle, air));
        ground.unwrap_or(air)
    }

    fn sample(&self, x: usize, y: usize, sample: usize) -> Color {
        let at = (y * self.sheet.width + x) * SAMPLES.len() + sample;
        let (thing, depth) = (self.sheet.nearest[at] as usize, f64::from(self.sheet.depths[at]));
        let ray = self.sheet.ray(x, y, sample);
        let seen = self.sheet.casts[thing].normal(ray, depth);
        let facing_viewer = -seen.dot(ray) / ray.length();
        let normal = self.sheet.lens.world(seen);
        let tone = self.things[thing].tone;
        let (dark, light) = self.scenery.inks.ramp(tone);
        if tone == InkTone::Person {
            return light;
        }
        let point = self.sheet.lens.eye + self.sheet.lens.world(ray) * depth;
        mix(dark, light, self.tone(point, normal, facing_viewer).min(1.12))
    }

    /// Brightness of a surface point: 0 is dark, 1 is light.
    fn tone(&self, point: DVec3, normal: DVec3, facing_viewer: f64) -> f64 {
        let sun = self.scenery.shadow.toward_sun;
        let facing = normal.dot(sun);
        let lit = if facing > 0.0 { self.scenery.shadow.light(point, normal) } else { 0.0 };
        let sky = 0.5 + 0.5 * normal.y;
        let direct = (0.5 + 0.5 * facing).max(0.0);
        let rim = (facing_viewer / 0.6).clamp(0.0, 1.0);
        let rim = rim * rim * (3.0 - 2.0 * rim);
        let tone = 0.17 + 0.25 * sky + 0.26 * direct * direct + 0.42 * lit * facing.max(0.0);
        tone * (0.62 + 0.38 * rim)
    }

    /// Strength of the outline at a pixel: drawn where a neighbor has another owner or is much farther away.
    fn outline(&self, x: usize, y: usize) -> f64 {
        let DepthSheet { width, height, .. } = self.sheet;
        let here = self.front(x, y);
        let Some((owner, depth, tone)) = here else { return 0.0 };
        if tone == InkTone::Person {
            return 0.0;
        }
        let foot = depth / self.sheet.lens.focal;
        let strength = (0.06 / foot - 1.0).clamp(0.0, 1.0) * if tone == InkTone::Obstacle { 0.5 } else { 0.6 };
        let mut most: f64 = 0.0;
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let (nx, ny) = (x as isize + dx, y as isize + dy);
            if nx < 0 || ny < 0 || nx >= width as isize || ny >= height as isize {
                continue;
            }
            let edge = match self.front(nx as usize, ny as usize) {
                None => true,
                Some((other, far, _)) if other != owner => far > depth,
                Some((_, far, _)) => far - depth > (8.0 * foot).max(0.03),
            };
            if edge {
                most = most.max(strength);
            }
        }
        most
    }

    /// Owner, depth and tone of the nearest sample of a pixel; `None` if no thing is there.
    fn front(&self, x: usize, y: usize) -> Option<(u32, f64, InkTone)> {
        let at = (y * self.sheet.width + x) * SAMPLES.len();
        let samples = at..at + SAMPLES.len();
        let nearest = samples.min_by(|&a, &b| self.sheet.depths[a].total_cmp(&self.sheet.depths[b]))?;
        let thing = self.things.get(self.sheet.nearest[nearest] as usize)?;
        Some((thing.owner, f64::from(self.sheet.depths[nearest]), thing.tone))
    }
}
