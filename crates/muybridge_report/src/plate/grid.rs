//! The grid wall behind the figures: squares of 5 cm, every tenth line bold, and the floor.

use crate::draw::{Canvas, OrthographicView, Palette, Pen};

/// A rectangle of the plate, pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct SheetRect {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl SheetRect {
    pub(super) fn right(&self) -> f64 {
        self.left + self.width
    }

    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// Side of a grid square in meters: 5 cm if drawn 5 to 40 pixels large, else the nearest fitting 1, 2 or 5 × 10ⁿ m.
pub(super) fn square(scale: f64) -> f64 {
    if (5.0..=40.0).contains(&(0.05 * scale)) {
        return 0.05;
    }
    let mut side = 1e-6;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(40) {
        if side * scale >= 6.5 {
            break;
        }
        side *= factor;
    }
    side
}

/// Distance between labels in meters: a multiple of the bold lines that is at least `pixels` long.
pub(super) fn label_step(scale: f64, pixels: f64) -> f64 {
    let bold = 10.0 * square(scale);
    let step = [1.0, 2.0, 4.0, 10.0, 20.0].into_iter().find(|factor| factor * bold * scale >= pixels);
    bold * step.unwrap_or(40.0)
}

/// Label of a coordinate: "0.5 m", "−1 m"; small walls use centimeters or less.
pub(super) fn mark(meters: f64, step: f64) -> String {
    let sign = if meters < 0.0 { "−" } else { "" };
    let value = libm::round(meters.abs() * 1e6) / 1e6;
    match value {
        0.0 => "0".to_owned(),
        _ if step >= 0.1 => format!("{sign}{value} m"),
        _ => format!("{sign}{}", length(value)),
    }
}

/// Formats a measured length to the centimeter or, below 10 cm, to the millimeter: "32 cm", "4.7 cm".
pub(super) fn rounded_length(meters: f64) -> String {
    let unit = if meters >= 0.1 { 0.01 } else { 0.001 };
    length(libm::round(meters / unit) * unit)
}

/// Formats a length: "5 cm", "2 m".
pub(super) fn length(meters: f64) -> String {
    let (value, unit) = match meters {
        m if m >= 1.0 => (m, "m"),
        m if m >= 0.01 => (m * 100.0, "cm"),
        m => (m * 1000.0, "mm"),
    };
    let rounded = libm::round(value * 100.0) / 100.0;
    format!("{rounded} {unit}")
}

/// Draws wall, grid and floor. The grid is fixed in the world.
pub(super) fn draw(canvas: &mut Canvas, frame: SheetRect, view: &OrthographicView, palette: Palette) {
    let floor = view.pixel_y(view.floor).clamp(frame.top, frame.bottom());
    let wall = floor - frame.top;
    canvas.gradient((frame.left, frame.top), (frame.width, wall), (palette.backdrop, palette.backdrop_low));
    canvas.gradient(
        (frame.left, floor),
        (frame.width, frame.bottom() - floor),
        (palette.ground, palette.ground.toward(palette.backdrop_low, 0.35)),
    );
    let side = square(view.scale);
    for bold in [false, true] {
        let (ink, width) = if bold { (palette.grid_bold, 2.0) } else { (palette.grid, 1.0) };
        for (index, x) in lines(view.left + (frame.left - view.origin.0) / view.scale, frame.width / view.scale, side) {
            if (index % 10 == 0) == bold {
                let column = libm::round(view.pixel_x(x) - 0.5 * width);
                let inside = column >= frame.left && column + width <= frame.right();
                if inside {
                    canvas.rectangle((column, frame.top), (width, wall), ink);
                }
            }
        }
        for (index, y) in lines(0.0, wall / view.scale, side) {
            if (index % 10 == 0) == bold && index > 0 {
                let row = libm::round(view.pixel_y(view.floor + y) - 0.5 * width);
                canvas.rectangle((frame.left, row.max(frame.top)), (frame.width, width), ink);
            }
        }
    }
    canvas.line((frame.left, floor), (frame.right(), floor), Pen::new(palette.text.toward(palette.ground, 0.35), 1.5));
}

/// Multiples of `side` between `start` and `start + length`, with their index.
fn lines(start: f64, length: f64, side: f64) -> impl Iterator<Item = (i64, f64)> {
    let first = libm::ceil(start / side) as i64;
    let last = libm::floor((start + length) / side) as i64;
    (first..=last.min(first.saturating_add(4000))).map(move |index| (index, index as f64 * side))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_are_five_centimeters_for_a_person_and_readable_for_anything() {
        assert_eq!(square(180.0), 0.05);
        for scale in [0.01, 1.0, 30.0, 5000.0, 1e5] {
            let pixels = square(scale) * scale;
            assert!((5.0..=40.0).contains(&pixels), "{scale}: {pixels}");
        }
        assert_eq!(
            (length(0.05), length(0.5), length(2.0), length(0.002)),
            ("5 cm".into(), "50 cm".into(), "2 m".into(), "2 mm".into())
        );
    }
}
