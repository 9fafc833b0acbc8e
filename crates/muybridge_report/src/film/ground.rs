//! The floor: grid lines, ticks at a tenth of their distance, and a fade into the air.
//!
//! A line is as dark as the share of the pixel it covers: the footprint of a pixel on the floor comes from the rays of its
//! neighbors, and lines fade where a footprint is a good part of their distance, so that nothing shimmers far away.

use muybridge::glam::DVec3;

use super::camera::Lens;
use super::ink::{Inks, mix};
use super::shadow::Shadow;

/// Floor grid of a picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct FloorGrid {
    /// Height of the floor, meters.
    pub height: f64,
    /// Distance between grid lines, meters.
    pub square: f64,
    /// Center of the scene, meters. The floor fades with the distance from it.
    pub focus: DVec3,
    pub size: f64,
}

impl FloorGrid {
    /// Distance of grid lines for a scene of `size` meters: 1 m, or a power of ten that suits it, meters.
    pub(super) fn square(size: f64) -> f64 {
        let mut square = 1.0;
        for _ in 0..6 {
            if size < 0.6 * square {
                square *= 0.1;
            } else if size > 50.0 * square {
                square *= 10.0;
            }
        }
        square
    }

    /// Depth at which a ray meets the floor; `None` if it does not.
    pub(super) fn depth(&self, lens: &Lens, ray: DVec3) -> Option<f64> {
        let depth = (self.height - lens.eye.y) / lens.world(ray).y;
        (depth > 0.0 && depth.is_finite()).then_some(depth)
    }

    /// Color of the floor at a pixel, blended into the `air` behind it; `None` if the pixel's ray misses the floor.
    pub(super) fn color(
        &self,
        (lens, shadow, inks): (&Lens, &Shadow, &Inks),
        (x, y): (f64, f64),
        air: [f64; 3],
    ) -> Option<[f64; 3]> {
        let ray = lens.ray(x, y);
        let point = |ray: DVec3| self.depth(lens, ray).map(|depth| lens.eye + lens.world(ray) * depth);
        let here = point(ray)?;
        let away = here.distance(self.focus) / (2.6 * self.size);
        let visible = 1.0 / (1.0 + away * away * away);
        let (Some(right), Some(below)) = (point(lens.ray(x + 1.0, y)), point(lens.ray(x, y + 1.0))) else {
            return Some(mix(air, inks.ground, visible));
        };
        let foot = (right - here).abs() + (below - here).abs();
        let line = self.lines(here.x, foot.x, here.z, foot.z).max(self.lines(here.z, foot.z, here.x, foot.x));
        let color = mix(inks.ground, inks.grid, line);
        let lit = shadow.light(here, DVec3::Y);
        let color = mix(inks.shadow, color, 0.25 + 0.75 * lit);
        Some(mix(air, color, visible))
    }

    /// Darkness of the grid lines across one axis and of their ticks at a point, 0 to 1.
    fn lines(&self, across: f64, foot: f64, along: f64, foot_along: f64) -> f64 {
        let line = stripe(across, self.square, foot, 0.55 * foot);
        let tick = 0.1 * self.square;
        let on_line = (across / self.square - libm::round(across / self.square)).abs() * self.square < 0.3 * tick;
        if !on_line {
            return line;
        }
        line.max(0.8 * stripe(along, tick, foot_along, 0.5 * foot_along) * fade(foot, 0.5 * tick))
    }
}

/// Share of a pixel's footprint covered by stripes of half width `half` around multiples of `distance`.
fn stripe(at: f64, distance: f64, foot: f64, half: f64) -> f64 {
    let away = (at / distance - libm::round(at / distance)).abs() * distance;
    ((half - away) / foot + 0.5).clamp(0.0, 1.0) * fade(foot, 0.22 * distance)
}

fn fade(foot: f64, limit: f64) -> f64 {
    (1.0 - foot / limit).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_a_meter_for_people_and_powers_of_ten_for_the_rest() {
        assert_eq!(FloorGrid::square(2.0), 1.0);
        assert_eq!(FloorGrid::square(20.0), 1.0);
        assert!((FloorGrid::square(0.3) - 0.1).abs() < 1e-12);
        assert_eq!(FloorGrid::square(120.0), 10.0);
    }

    #[test]
    fn a_line_covers_the_pixel_it_runs_through_and_no_other() {
        let ground = FloorGrid { height: 0.0, square: 1.0, focus: DVec3::ZERO, size: 2.0 };
        assert!(ground.lines(2.0, 0.005, 0.55, 0.005) > 0.9);
        assert_eq!(ground.lines(2.02, 0.005, 0.55, 0.005), 0.0);
        assert!(ground.lines(2.02, 0.005, 0.5, 0.005) > 0.5, "a tick at every tenth");
        assert_eq!(ground.lines(2.05, 0.005, 0.5, 0.005), 0.0);
        assert_eq!(ground.lines(2.0, 0.5, 0.5, 0.5), 0.0, "far away");
    }
}
