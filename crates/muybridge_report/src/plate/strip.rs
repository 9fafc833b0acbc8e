//! A row of exposures, each on its own piece of the wall, with frame number and time.

use muybridge::glam::DVec3;

use crate::draw::{Canvas, FigureStyle, OrthographicView, Palette, Pen, TextAnchor, Type};

use super::grid::{self, SheetRect};
use super::marks;
use super::subject::PlateSubject;

/// Gap between exposures, pixels.
pub(super) const GAP: f64 = 8.0;

/// Height of the floor below the feet, pixels.
const GROUND: f64 = 30.0;

/// Position and scale of a row of exposures.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strip {
    /// Unit vector to the right of the picture, in the world.
    pub right: DVec3,
    /// Left edge and width of the whole row, pixels.
    pub left: f64,
    pub width: f64,
    pub top: f64,
    /// Scale, pixels per meter.
    pub scale: f64,
}

/// Scale, pixels per meter, at which `count` figures fit side by side and below `height` pixels.
pub(super) fn scale(subject: &PlateSubject, right: DVec3, (width, height): (f64, f64), count: usize) -> f64 {
    let cell = (width - GAP * (count as f64 - 1.0)) / count as f64;
    let tall = subject.heights.1 - subject.heights.0;
    ((cell - 22.0) / subject.widest(right)).min(height / tall)
}

impl Strip {
    /// Height of the exposures in pixels, without their labels.
    pub(super) fn height(&self, subject: &PlateSubject) -> f64 {
        let below = (subject.floor - subject.heights.0) * self.scale;
        let above = (subject.heights.1 - subject.floor) * self.scale;
        libm::ceil(above + 26.0) + libm::ceil(below) + GROUND
    }

    /// Draws the row without its labels.
    pub(super) fn draw(&self, canvas: &mut Canvas, subject: &PlateSubject, palette: &Palette) {
        let count = subject.frames.len();
        let cell = (self.width - GAP * (count as f64 - 1.0)) / count as f64;
        for exposure in 0..count {
            let left = libm::round(self.left + exposure as f64 * (cell + GAP));
            let right = libm::round(self.left + exposure as f64 * (cell + GAP) + cell);
            let frame = SheetRect { left, top: self.top, width: right - left, height: self.height(subject) };
            self.draw_exposure(canvas, subject, palette, (exposure, frame));
        }
        self.draw_heights(canvas, subject, palette);
    }

    fn view(&self, subject: &PlateSubject, exposure: usize, frame: SheetRect) -> OrthographicView {
        let (low, high) = subject.edges(exposure, self.right);
        let carried = self.right.dot(subject.ground_offset(subject.frames[exposure]));
        let below = libm::ceil((subject.floor - subject.heights.0) * self.scale);
        OrthographicView {
            right: self.right,
            scale: self.scale,
            origin: (frame.left + 0.5 * frame.width, frame.bottom() - GROUND - below),
            left: 0.5 * (low + high) + carried,
            floor: subject.floor,
        }
    }

    fn draw_exposure(
        &self,
        canvas: &mut Canvas,
        subject: &PlateSubject,
        palette: &Palette,
        (exposure, frame): (usize, SheetRect),
    ) {
        let number = subject.frames[exposure];
        let ground = self.view(subject, exposure, frame);
        grid::draw(canvas, frame, &ground, subject.ground(palette));
        let view = ground.shifted(self.right.dot(subject.ground_offset(number)));
        let look = FigureStyle {
            light: palette.body_light,
            dark: palette.body_dark,
            ground: palette.backdrop,
            rim: 1.0,
            height: subject.size,
            opacity: 1.0,
        };
        subject.figures[exposure].draw(canvas, &view, &look);
        marks::contacts(canvas, subject, &view, (number, palette.contact));
        if let Some(center) = subject.mass_center(number) {
            marks::mass_center(canvas, view.pixel(center), 5.5, palette);
        }
    }

    /// Frame number and time under each exposure.
    pub(super) fn draw_labels(&self, canvas: &mut Canvas, subject: &PlateSubject, palette: &Palette) {
        let count = subject.frames.len();
        let cell = (self.width - GAP * (count as f64 - 1.0)) / count as f64;
        let bottom = self.top + self.height(subject);
        for (exposure, &number) in subject.frames.iter().enumerate() {
            let middle = self.left + exposure as f64 * (cell + GAP) + 0.5 * cell;
            let name = Type { size: 27.0, weight: 0.022, ink: palette.text, align: TextAnchor::Middle };
            canvas.text(&number.to_string(), (middle, bottom + 34.0), name);
            let time = subject.analysis.per_frame.time.get(number).copied().unwrap_or(0.0);
            let quiet = Type { size: 21.0, weight: 0.012, ink: palette.quiet, align: TextAnchor::Middle };
            canvas.text(&format!("{time:.2} s"), (middle, bottom + 61.0), quiet);
            let airborne = subject.analysis.flights.iter().any(|f| (f.span.first..=f.span.last).contains(&number));
            if airborne {
                let x = self.left + exposure as f64 * (cell + GAP);
                canvas.line((x, bottom + 4.0), (x + cell, bottom + 4.0), Pen::new(palette.mass_center, 4.0));
            }
        }
    }

    /// Draws heights at the left edge: every meter, or every bold line for a small subject.
    fn draw_heights(&self, canvas: &mut Canvas, subject: &PlateSubject, palette: &Palette) {
        let first = SheetRect { left: self.left, top: self.top, width: 1.0, height: self.height(subject) };
        marks::heights(canvas, &self.view(subject, 0, first), first, palette);
    }
}
