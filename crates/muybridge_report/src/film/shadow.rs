//! Shadows of the sun: a shadow map rendered from a lamp far above.
//!
//! The shadow at a point is the share of a 4 × 4 neighborhood of the shadow map that lies nearer to the lamp than
//! the point, weighted so that edges are smooth (percentage closer filtering: W. Reeves, D. Salesin, R. Cook,
//! *Rendering antialiased shadows with depth maps*, SIGGRAPH 1987).

use muybridge::glam::DVec3;

use super::camera::{PerspectiveCamera, axes};
use super::depth_buffer::{DepthSheet, MIDDLE, NOTHING};
use super::scene_objects::{SceneObject, extent};

/// Direction of sunlight in picture axes: right, up, away from the viewer.
const SUN: DVec3 = DVec3::new(0.42, -1.0, 0.30);

/// Side of the shadow map, pixels.
const SIDE: usize = 768;

/// Distance of the lamp divided by the size of the lit scene: nearly parallel light.
const FAR: f64 = 30.0;

/// Shadow map: depth of things as seen from the sun.
pub(super) struct Shadow {
    sheet: Option<DepthSheet>,
    /// Direction to the sun, unit vector.
    pub toward_sun: DVec3,
    /// Size of a pixel of the shadow map, meters.
    texel: f64,
    /// Per block of [`BLOCK`] pixels: whether it or a neighbor holds anything.
    busy: Vec<bool>,
}

/// Side of the blocks in which empty parts of the map are skipped, pixels.
const BLOCK: usize = 16;

impl Shadow {
    /// Renders the shadow map of `things`. The sun shines over the shoulder of a viewer with `right` on the right.
    pub(super) fn new(things: &[SceneObject], right: DVec3) -> Self {
        let away = DVec3::Y.cross(right);
        let down = (right * SUN.x + DVec3::Y * SUN.y + away * SUN.z).normalize();
        let turn = axes(down);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for thing in things {
            let (center, half) = extent(thing, turn);
            if (center + half).is_finite() {
                (low, high) = (low.min(center - half), high.max(center + half));
            }
        }
        let size = (high - low).truncate().max_element();
        if !(size.is_finite() && size > 0.0) {
            return Self { sheet: None, toward_sun: -down, texel: 1.0, busy: Vec::new() };
        }
        let middle = turn.transpose() * (0.5 * (low + high));
        let distance = FAR * size + 0.5 * (high.z - low.z);
        let eye = middle - down * distance;
        let field_of_view = 2.0 * libm::atan(0.53 * size / (distance - 0.5 * (high.z - low.z)));
        let camera = PerspectiveCamera { eye, target: middle, field_of_view };
        let half = 0.5 * SIDE as f64;
        let lens = camera.lens((SIDE as u32, SIDE as u32), (half, half));
        let sheet = DepthSheet::new(things, lens, (SIDE, SIDE), &MIDDLE);
        let busy = busy_blocks(&sheet);
        Self { texel: distance / sheet.lens.focal, sheet: Some(sheet), toward_sun: -down, busy }
    }

    /// Share of sunlight that reaches a surface point with that normal, 0 to 1.
    pub(super) fn light(&self, point: DVec3, normal: DVec3) -> f64 {
        let Some(sheet) = &self.sheet else { return 1.0 };
        let seen = sheet.lens.see(point + normal * (1.6 * self.texel));
        let x = sheet.lens.center.0 + sheet.lens.focal * seen.x / seen.z - 0.5;
        let y = sheet.lens.center.1 - sheet.lens.focal * seen.y / seen.z - 0.5;
        let edge = SIDE as f64 - 3.0;
        if !(x >= 1.0 && y >= 1.0 && x < edge && y < edge) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        if !self.busy[row / BLOCK * (SIDE / BLOCK) + column / BLOCK] {
            return 1.0;
        }
        let (fx, fy) = (x - column as f64, y - row as f64);
        let (wx, wy) = ([1.0 - fx, 1.0, 1.0, fx], [1.0 - fy, 1.0, 1.0, fy]);
        let limit = (seen.z - 1.2 * self.texel) as f32;
        let mut dark = 0.0;
        for (j, wy) in wy.iter().enumerate() {
            let from = (row + j - 1) * SIDE + column - 1;
            for (depth, wx) in sheet.depths[from..from + 4].iter().zip(&wx) {
                if *depth < limit {
                    dark += wx * wy;
                }
            }
        }
        1.0 - dark / 9.0
    }
}

fn busy_blocks(sheet: &DepthSheet) -> Vec<bool> {
    let blocks = SIDE / BLOCK;
    let mut busy = vec![false; blocks * blocks];
    for (index, _) in sheet.nearest.iter().enumerate().filter(|(_, thing)| **thing != NOTHING) {
        let (column, row) = (index % SIDE / BLOCK, index / SIDE / BLOCK);
        busy[row * blocks + column] = true;
    }
    let near = |row: usize, column: usize| {
        let rows = row.saturating_sub(1)..(row + 2).min(blocks);
        rows.flat_map(|r| (column.saturating_sub(1)..(column + 2).min(blocks)).map(move |c| r * blocks + c))
            .any(|at| busy[at])
    };
    (0..blocks * blocks).map(|at| near(at / blocks, at % blocks)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::capsule_between;
    use crate::film::scene_objects::{DrawnForm, InkTone};

    #[test]
    fn the_ground_is_dark_where_the_line_to_the_sun_passes_through_a_ball() {
        let center = DVec3::new(0.2, 1.0, -0.3);
        let ball = capsule_between(center, center, 0.25);
        let things = [SceneObject { tone: InkTone::Body, owner: 1, form: DrawnForm::Solid(ball) }];
        let shadow = Shadow::new(&things, DVec3::X);
        let foot = center - shadow.toward_sun * (center.y / shadow.toward_sun.y);
        assert!(shadow.light(foot, DVec3::Y) < 1e-9, "under the ball");
        assert_eq!(shadow.light(foot + DVec3::X * 0.4, DVec3::Y), 1.0);
        assert_eq!(shadow.light(center + shadow.toward_sun * 0.25, shadow.toward_sun), 1.0, "its own lit side");
        assert_eq!(Shadow::new(&[], DVec3::X).light(foot, DVec3::Y), 1.0);
    }
}
