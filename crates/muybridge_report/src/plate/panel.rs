//! The wide panel: all exposures at their places in the world, the path of the center of mass, and the ballistic path.

use muybridge::glam::DVec3;

use crate::draw::{Canvas, Figure, FigureStyle, OrthographicView, Palette, Pen, TextAnchor, Type};

use super::grid::{self, SheetRect};
use super::marks;
use super::subject::PlateSubject;

/// Height of the floor below the feet, pixels.
const GROUND: f64 = 44.0;

/// Height of the wall above the highest point, pixels.
const AIR: f64 = 46.0;

/// Height of the person for scale, meters.
const PERSON: f64 = 1.75;

/// Position and scale of the wide panel, and the spacing of its figures.
#[derive(Clone, Copy, Debug)]
pub(super) struct WidePanel {
    pub frame: SheetRect,
    pub view: OrthographicView,
    /// Velocity along the view that spaces the exposures, m/s; 0 draws them at their places in the world.
    pub spread: f64,
    person: Option<f64>,
}

impl WidePanel {
    /// Fits the motion into a panel `width` wide and at most `height` high.
    pub(super) fn new(subject: &PlateSubject, (left, top): (f64, f64), (width, height): (f64, f64)) -> Self {
        let tall = subject.heights.1 - subject.heights.0;
        let room = height - GROUND - AIR;
        let (low, high) = extent(subject, 0.0);
        let person = (0.25 * PERSON..4.0 * PERSON).contains(&subject.size);
        let beside = if person { 0.62 * PERSON } else { 0.0 };
        let usable = width - 60.0;
        let scale = (room / tall.max(if person { PERSON } else { 0.0 })).min(usable / (high - low + beside));
        let spread = spread(subject, usable / scale - beside);
        let (low, high) = extent(subject, spread);
        let below = libm::ceil((subject.floor - subject.heights.0) * scale);
        let above = libm::ceil((subject.heights.1 - subject.floor).max(if person { PERSON } else { 0.0 }) * scale);
        let frame = SheetRect { left, top, width, height: above + below + GROUND + AIR };
        let slack = (usable / scale - beside - (high - low)).max(0.0);
        let start = low - beside - 0.5 * slack - 30.0 / scale;
        let view = OrthographicView {
            right: subject.forward,
            scale,
            origin: (left, top + AIR + above),
            left: start,
            floor: subject.floor,
        };
        let person = person.then_some(start + 30.0 / scale + 0.2 * PERSON);
        Self { frame, view, spread, person }
    }

    /// The view in which the body of `frame` is at its place in the panel.
    pub(super) fn view_of(&self, subject: &PlateSubject, frame: usize) -> OrthographicView {
        self.view.shifted(shift(subject, frame, self.spread))
    }

    /// Draws everything in the panel.
    pub(super) fn draw(&self, canvas: &mut Canvas, subject: &PlateSubject, palette: &Palette) {
        grid::draw(canvas, self.frame, &self.view, subject.ground(palette));
        marks::heights(canvas, &self.view, self.frame, palette);
        self.draw_distances(canvas, palette);
        self.draw_person(canvas, subject, palette);
        let look = FigureStyle {
            light: palette.body_light.toward(palette.backdrop, 0.16),
            dark: palette.body_dark.toward(palette.backdrop, 0.22),
            ground: palette.backdrop_low,
            rim: 2.5,
            height: subject.size,
            opacity: 1.0,
        };
        let faint = FigureStyle {
            light: palette.body_light.toward(palette.backdrop, 0.55),
            dark: palette.body_dark.toward(palette.backdrop, 0.62),
            rim: 1.5,
            ..look
        };
        let clear = self.standing_clear(subject);
        for (look, wanted) in [(&faint, false), (&look, true)] {
            for (exposure, &frame) in
                subject.frames.iter().enumerate().filter(|(exposure, _)| clear[*exposure] == wanted)
            {
                subject.figures[exposure].draw(canvas, &self.view_of(subject, frame), look);
            }
        }
        for &frame in &subject.frames {
            marks::contacts(canvas, subject, &self.view_of(subject, frame), (frame, palette.contact));
        }
        self.draw_ties(canvas, subject, palette);
        self.draw_paths(canvas, subject, palette);
        self.draw_greatest_tie(canvas, subject, palette);
    }

    /// Per exposure: whether its figure is drawn in full, because it hardly overlaps another such figure. Higher
    /// figures take precedence, so the highest is always drawn in full.
    fn standing_clear(&self, subject: &PlateSubject) -> Vec<bool> {
        let place = |exposure: usize| {
            let frame = subject.frames[exposure];
            let (low, high) = subject.edges(exposure, subject.forward);
            (0.5 * (low + high) + shift(subject, frame, self.spread), high - low)
        };
        let count = subject.frames.len();
        let height = |exposure: usize| subject.mass_center(subject.frames[exposure]).map_or(0.0, |center| center.y);
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| height(b).total_cmp(&height(a)).then(a.cmp(&b)));
        let mut clear = vec![false; count];
        for exposure in order {
            let (middle, width) = place(exposure);
            let apart = |other: usize| {
                let (there, breadth) = place(other);
                let sideways = (middle - there).abs() / (0.5 * (width + breadth));
                let upward = (height(exposure) - height(other)).abs() / subject.size;
                sideways + upward >= if self.spread != 0.0 { 0.25 } else { 0.42 }
            };
            clear[exposure] = (0..count).filter(|&other| clear[other]).all(apart);
        }
        clear
    }

    /// Draws distances along the floor in meters, at every bold line.
    fn draw_distances(&self, canvas: &mut Canvas, palette: &Palette) {
        if self.spread != 0.0 {
            return;
        }
        let step = grid::label_step(self.view.scale, 110.0);
        let start = self.view.left;
        let first = libm::ceil(start / step) as i64;
        let last = libm::floor((start + self.frame.width / self.view.scale) / step) as i64;
        let style = Type {
            size: 20.0,
            weight: 0.016,
            ink: palette.text.toward(palette.ground, 0.25),
            align: TextAnchor::Middle,
        };
        for index in first..=last.min(first.saturating_add(100)) {
            let x = self.view.pixel_x(index as f64 * step);
            let label = grid::mark(index as f64 * step, step);
            if x - 40.0 > self.frame.left && x + 40.0 < self.frame.right() {
                canvas.text(&label, (x, self.frame.bottom() - 9.0), style);
            }
        }
    }

    /// Draws a person of known height as a flat silhouette, for scale.
    fn draw_person(&self, canvas: &mut Canvas, subject: &PlateSubject, palette: &Palette) {
        let Some(along) = self.person else { return };
        let tint = palette.backdrop_low.toward(palette.ground, 0.6);
        let look = FigureStyle { light: tint, dark: tint, ground: tint, rim: 0.0, height: PERSON, opacity: 1.0 };
        let foot = self.view.right * along + DVec3::Y * subject.floor;
        Figure::standing(foot, self.view.right, PERSON).draw(canvas, &self.view, &look);
        let (x, foot) = self.view.pixel(foot);
        let head = foot - PERSON * self.view.scale;
        let pen = Pen::new(palette.quiet, 1.6);
        let side = x - 0.23 * PERSON * self.view.scale;
        canvas.line((side, foot), (side, head), pen);
        for y in [foot, head] {
            canvas.line((side - 7.0, y), (side + 7.0, y), pen);
        }
        let style = Type { size: 20.0, weight: 0.014, ink: palette.quiet, align: TextAnchor::Middle };
        canvas.text("1.75 m", (x, head - 12.0), style);
    }

    /// Draws the path of the center of mass with a dot at every exposure, and the ballistic path of every flight,
    /// dashed, with open circles at its frames, or at every second, third … frame if they are close.
    fn draw_paths(&self, canvas: &mut Canvas, subject: &PlateSubject, palette: &Palette) {
        let animated = self.mass_center_pixels(subject);
        let asked: Vec<Vec<(f64, f64)>> = (0..subject.analysis.flights.len())
            .map(|flight| self.asked_pixels(subject, flight).into_iter().map(|(_, point)| point).collect())
            .collect();
        for path in animated.iter().chain(&asked) {
            canvas.polyline(path, Pen::new(palette.paper.faded(0.7), 8.0));
        }
        for path in &animated {
            canvas.polyline(path, Pen::new(palette.mass_center, 4.0));
        }
        for path in asked.iter().filter(|path| path.len() > 1) {
            canvas.polyline(path, Pen::new(palette.ballistic, 3.2).dashed(13.0, 11.0));
        }
        for &frame in &subject.frames {
            if let Some(center) = subject.mass_center(frame) {
                marks::mass_center(canvas, self.view_of(subject, frame).pixel(center), 7.0, palette);
            }
        }
        for path in &asked {
            let length: f64 =
                path.windows(2).map(|pair| libm::hypot(pair[1].0 - pair[0].0, pair[1].1 - pair[0].1)).sum();
            let every = libm::ceil(18.0 * path.len() as f64 / length.max(1.0)).clamp(1.0, 1e6) as usize;
            for &point in path.iter().step_by(every) {
                marks::asked(canvas, point, 5.5, palette);
            }
        }
    }

    /// Pixels of the animated center of mass at the shown frames, in pieces without unknown frames.
    pub(super) fn mass_center_pixels(&self, subject: &PlateSubject) -> Vec<Vec<(f64, f64)>> {
        let (first, last) = subject.shown();
        let mut pieces = vec![Vec::new()];
        for frame in first..=last {
            match subject.mass_center(frame) {
                Some(center) => {
                    pieces.last_mut().expect("never empty").push(self.view_of(subject, frame).pixel(center))
                }
                None => pieces.push(Vec::new()),
            }
        }
        pieces
    }

    /// Draws short lines between the animated and the ballistic path at the frames of a flight.
    fn draw_ties(&self, canvas: &mut Canvas, subject: &PlateSubject, palette: &Palette) {
        for flight in 0..subject.analysis.flights.len() {
            let mut last = f64::NEG_INFINITY;
            for (frame, asked) in self.asked_pixels(subject, flight) {
                let Some(center) = subject.mass_center(frame) else { continue };
                let animated = self.view_of(subject, frame).pixel(center);
                if (asked.0 - last).abs() >= 7.0 && libm::hypot(animated.0 - asked.0, animated.1 - asked.1) > 3.0 {
                    canvas.line(animated, asked, Pen::new(palette.ballistic, 2.0));
                    last = asked.0;
                }
            }
        }
    }

    /// Writes the longest distance between the two paths of each flight.
    fn draw_greatest_tie(&self, canvas: &mut Canvas, subject: &PlateSubject, palette: &Palette) {
        for (index, flight) in subject.analysis.flights.iter().enumerate() {
            let ties = self.asked_pixels(subject, index).into_iter().filter_map(|(frame, point)| {
                let asked = flight.ballistic_path.get(frame - flight.span.first)?;
                let center = subject.mass_center(frame)?;
                Some((center.distance(*asked), self.view_of(subject, frame).pixel(center), point))
            });
            let Some((meters, animated, asked)) = ties.fold(None, |most: Option<(f64, _, _)>, tie| match most {
                Some(most) if most.0 >= tie.0 => Some(most),
                _ => Some(tie),
            }) else {
                continue;
            };
            if meters * self.view.scale < 10.0 {
                continue;
            }
            let label = grid::rounded_length(meters);
            let above = animated.1.min(asked.1) - 20.0;
            let style = Type { size: 25.0, weight: 0.03, ink: palette.ballistic, align: TextAnchor::Middle };
            let halo = Type { weight: 0.26, ink: palette.backdrop, ..style };
            canvas.text(&label, (0.5 * (animated.0 + asked.0), above), halo);
            canvas.text(&label, (0.5 * (animated.0 + asked.0), above), style);
        }
    }

    /// Frames and pixels of the shown part of a flight's ballistic path.
    pub(super) fn asked_pixels(&self, subject: &PlateSubject, flight: usize) -> Vec<(usize, (f64, f64))> {
        let flight = &subject.analysis.flights[flight];
        let (first, last) = subject.shown();
        let frames = flight.span.first..=flight.span.last;
        frames
            .zip(&flight.ballistic_path)
            .filter(|(frame, _)| (first..=last).contains(frame))
            .map(|(frame, &point)| (frame, self.view_of(subject, frame).pixel(point)))
            .collect()
    }
}

/// Shift of the body of `frame` to the right of its world position, meters.
fn shift(subject: &PlateSubject, frame: usize, spread: f64) -> f64 {
    subject.forward.dot(subject.ground_offset(frame)) + spread * subject.seconds(frame)
}

/// Left and right edge of all figures at their places in the panel, meters.
fn extent(subject: &PlateSubject, spread: f64) -> (f64, f64) {
    let edges = subject.frames.iter().enumerate().map(|(exposure, &frame)| {
        let (low, high) = subject.edges(exposure, subject.forward);
        let shift = shift(subject, frame, spread);
        (low + shift, high + shift)
    });
    edges.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), edge| (low.min(edge.0), high.max(edge.1)))
}

/// Velocity that spaces the figures of an in-place clip over `room` meters, m/s; 0 for a clip that travels.
fn spread(subject: &PlateSubject, room: f64) -> f64 {
    let (first, last) = subject.shown();
    let seconds = (last - first) as f64 * subject.frame_time;
    if seconds <= 0.0 {
        return 0.0;
    }
    let place = |frame| subject.forward.dot(subject.place(frame));
    if (place(last) - place(first)).abs() >= 0.6 * subject.size {
        return 0.0;
    }
    let mut velocity = 0.0;
    for _ in 0..8 {
        let (low, high) = extent(subject, velocity);
        velocity += (room - (high - low)) / seconds;
    }
    f64::max(velocity, 0.0)
}
