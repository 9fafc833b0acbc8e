//! The marks of an analysis in perspective: mass center, paths, momenta, support polygon and zero-moment point.

use muybridge::analysis::Analysis;
use muybridge::correction::CurveFamily;
use muybridge::glam::DVec3;

use crate::ClipReport;
use crate::draw::{Canvas, Ink, Palette, Pen};

use super::camera::Lens;

/// Lengths of the arrows of momentum.
pub(super) struct ArrowScale {
    /// Meters per kg m/s.
    pub linear: f64,
    /// Meters per kg m²/s.
    pub angular: f64,
    /// Radius of the turning arc, meters.
    pub arc: f64,
}

/// Length of the longest arrow over the height of the body.
const LONGEST: f64 = 0.4;

/// Momenta that get no longer arrows if all are smaller: shares of `M √(g L)` and `M L √(g L)`, so that the noise of
/// a body at rest stays small.
const LEAST: [f64; 2] = [0.1, 0.02];

impl ArrowScale {
    /// The scale for some analyses, each with the height of its body, meters.
    pub(super) fn new<'a>(motions: impl Iterator<Item = (&'a Analysis, f64)>) -> Self {
        let (mut linear, mut angular, mut height) = (0.0_f64, 0.0_f64, 0.0_f64);
        let most = |list: &[Option<DVec3>]| list.iter().flatten().map(|value| value.length()).fold(0.0, f64::max);
        for (analysis, tall) in motions {
            let unit = analysis.mass * (analysis.gravity * tall).sqrt();
            linear = linear.max(most(&analysis.per_frame.linear_momentum)).max(LEAST[0] * unit);
            angular = angular.max(most(&analysis.per_frame.angular_momentum)).max(LEAST[1] * unit * tall);
            height = height.max(tall);
        }
        let scale = |greatest: f64| if greatest > 0.0 { LONGEST * height / greatest } else { 0.0 };
        Self { linear: scale(linear), angular: scale(angular), arc: 0.07 * height }
    }
}

/// The marks of one frame as a camera sees them.
pub(super) struct Overlay<'a> {
    pub report: ClipReport<'a>,
    pub curves: Option<&'a CurveFamily>,
    pub frame: usize,
    /// First and last frame of the paths.
    pub path: (usize, usize),
    pub lens: Lens,
    pub palette: &'a Palette,
    pub arrows: &'a ArrowScale,
    /// Width of a thin line, pixels.
    pub unit: f64,
}

/// Distance between the hatches of a support polygon, meters.
const HATCH: f64 = 0.04;

/// Horizontal direction of the hatches.
const HATCH_ALONG: DVec3 = DVec3::new(core::f64::consts::FRAC_1_SQRT_2, 0.0, core::f64::consts::FRAC_1_SQRT_2);

/// Points of a drawn ballistic path.
const CURVE_POINTS: usize = 32;

impl Overlay<'_> {
    /// Draws support polygon and the place of the mass center on the floor, which the body hides.
    pub(super) fn on_the_floor(&self, canvas: &mut Canvas) {
        self.support(canvas);
        let center = self.mass_center(self.frame);
        if let Some((center, ground)) = center.and_then(|center| Some((center, self.report.ground_under(center)?))) {
            let foot = DVec3::new(center.x, ground, center.z);
            if let Some(at) = self.lens.pixel(foot) {
                canvas.ring(at, 4.5 * self.unit, Pen::new(self.palette.paper.faded(0.7), 3.4 * self.unit));
                canvas.ring(at, 4.5 * self.unit, Pen::new(self.palette.mass_center, 1.8 * self.unit));
            }
        }
    }

    /// Draws zero-moment point, paths, momenta and mass center, which nothing hides.
    pub(super) fn over_the_body(&self, canvas: &mut Canvas) {
        self.zero_moment_point(canvas);
        let Some(center) = self.mass_center(self.frame) else { return };
        self.drop_line(canvas, center);
        self.family(canvas);
        self.own_path(canvas);
        self.asked_paths(canvas, center);
        let linear = self.now(&self.report.analysis.per_frame.linear_momentum).map(|p| p * self.arrows.linear);
        if let Some(way) = linear {
            self.arrow(canvas, (center, center + way), self.palette.linear_momentum);
        }
        let angular = self.now(&self.report.analysis.per_frame.angular_momentum).map(|h| h * self.arrows.angular);
        if let Some(way) = angular {
            self.turning_arc(canvas, center, way);
            self.arrow(canvas, (center, center + way), self.palette.angular_momentum);
        }
        if let Some(at) = self.lens.pixel(center) {
            mass_center(canvas, at, 4.2 * self.unit, self.palette);
        }
    }

    /// Draws the zero-moment point, larger and with a warning where it is outside the support.
    fn zero_moment_point(&self, canvas: &mut Canvas) {
        if let Some(at) =
            self.now(&self.report.analysis.per_frame.zero_moment_point).and_then(|point| self.lens.pixel(point))
        {
            let outside = self.report.analysis.per_frame.support_margin.get(self.frame).copied().flatten();
            let outside = outside.is_some_and(|margin| margin < 0.0);
            diamond(canvas, at, if outside { 7.5 } else { 6.0 } * self.unit, self.palette);
            if outside {
                let beside = (at.0 + 14.0 * self.unit, at.1);
                warning(canvas, beside, 5.5 * self.unit, (self.palette.ballistic, self.palette.paper));
            }
        }
    }

    fn mass_center(&self, frame: usize) -> Option<DVec3> {
        self.report.analysis.per_frame.mass_center.get(frame).copied().flatten()
    }

    fn now(&self, list: &[Option<DVec3>]) -> Option<DVec3> {
        list.get(self.frame).copied().flatten().filter(|value| value.is_finite())
    }

    /// Draws the polygon with its outline and hatches.
    fn support(&self, canvas: &mut Canvas) {
        let Some(corners) = self.report.analysis.per_frame.support_polygon.get(self.frame) else { return };
        let pixels: Option<Vec<(f64, f64)>> = corners.iter().map(|&corner| self.lens.pixel(corner)).collect();
        let Some(mut pixels) = pixels.filter(|pixels| !pixels.is_empty()) else { return };
        let ink = self.palette.contact;
        canvas.polygon(&pixels, ink.faded(0.22));
        for ends in hatches(corners) {
            if let [Some(from), Some(to)] = ends.map(|end| self.lens.pixel(end)) {
                canvas.line(from, to, Pen::new(ink.faded(0.7), 0.9 * self.unit));
            }
        }
        pixels.push(pixels[0]);
        canvas.polyline(&pixels, Pen::new(ink, 1.9 * self.unit));
    }

    /// Draws the thin line from the mass center down to the floor.
    fn drop_line(&self, canvas: &mut Canvas, center: DVec3) {
        let Some(ground) = self.report.ground_under(center) else { return };
        let foot = DVec3::new(center.x, ground, center.z);
        if let [Some(from), Some(to)] = [center, foot].map(|end| self.lens.pixel(end)) {
            canvas.line(from, to, Pen::new(self.palette.mass_center.faded(0.7), 1.0 * self.unit));
        }
    }

    /// Draws the path of the mass center: past frames strong, those to come faint.
    fn own_path(&self, canvas: &mut Canvas) {
        let ink = self.palette.mass_center;
        let parts = [(self.frame..=self.path.1, ink.faded(0.45), 1.5), (self.path.0..=self.frame, ink, 2.2)];
        for (frames, ink, width) in parts {
            for path in self.pieces(frames.map(|frame| self.mass_center(frame))) {
                canvas.polyline(&path, Pen::new(self.palette.paper.faded(0.5), (width + 2.0) * self.unit));
                canvas.polyline(&path, Pen::new(ink, width * self.unit));
            }
        }
    }

    /// Draws the ballistic paths of the flights near the frame, and a tie to where free fall asks the center to be now.
    fn asked_paths(&self, canvas: &mut Canvas, center: DVec3) {
        let (ink, paper) = (self.palette.ballistic, self.palette.paper);
        let flights = self.report.analysis.flights.iter();
        for flight in flights.filter(|flight| flight.span.first <= self.path.1 && flight.span.last >= self.path.0) {
            for path in self.pieces(flight.ballistic_path.iter().map(|&point| Some(point))) {
                canvas.polyline(&path, Pen::new(paper.faded(0.6), 3.6 * self.unit));
                let dash = Pen::new(ink, 1.8 * self.unit).dashed(6.0 * self.unit, 5.0 * self.unit);
                canvas.polyline(&path, dash);
                let length: f64 =
                    path.windows(2).map(|ends| libm::hypot(ends[1].0 - ends[0].0, ends[1].1 - ends[0].1)).sum();
                let every = libm::ceil(13.0 * self.unit * path.len() as f64 / length.max(1.0)).clamp(1.0, 1e6);
                path.iter().step_by(every as usize).for_each(|&at| self.asked(canvas, at, 2.2));
            }
            let asked = self.frame.checked_sub(flight.span.first).and_then(|index| flight.ballistic_path.get(index));
            let Some(&asked) = asked else { continue };
            if let [Some(from), Some(to)] = [center, asked].map(|end| self.lens.pixel(end)) {
                canvas.line(from, to, Pen::new(ink, 1.6 * self.unit));
                self.asked(canvas, to, 4.0);
            }
        }
    }

    /// Draws a family of ballistic paths, thin and faint.
    fn family(&self, canvas: &mut Canvas) {
        for path in self.curves.iter().flat_map(|family| &family.paths) {
            for path in self.pieces(path.frames(CURVE_POINTS).into_iter().map(Some)) {
                let dash = Pen::new(self.palette.ballistic.faded(0.5), 1.3 * self.unit);
                canvas.polyline(&path, dash.dashed(5.0 * self.unit, 4.0 * self.unit));
            }
        }
    }

    fn asked(&self, canvas: &mut Canvas, at: (f64, f64), radius: f64) {
        canvas.disc(at, radius * self.unit, self.palette.paper);
        canvas.ring(at, radius * self.unit, Pen::new(self.palette.ballistic, 1.4 * self.unit));
    }

    /// Pixels of a path, in pieces without unknown points.
    fn pieces(&self, points: impl Iterator<Item = Option<DVec3>>) -> Vec<Vec<(f64, f64)>> {
        let mut pieces = vec![Vec::new()];
        for point in points {
            match point.and_then(|point| self.lens.pixel(point)) {
                Some(pixel) => pieces.last_mut().expect("never empty").push(pixel),
                None => pieces.push(Vec::new()),
            }
        }
        pieces.retain(|piece| piece.len() > 1);
        pieces
    }

    /// Draws an arrow with a filled head.
    fn arrow(&self, canvas: &mut Canvas, ends: (DVec3, DVec3), ink: Ink) {
        let (Some(from), Some(to)) = (self.lens.pixel(ends.0), self.lens.pixel(ends.1)) else { return };
        arrow(canvas, &[from, to], (ink, self.palette.paper), self.unit);
    }

    /// Draws the arc that turns around an angular momentum by the right-hand rule.
    fn turning_arc(&self, canvas: &mut Canvas, center: DVec3, way: DVec3) {
        let Some(axis) = way.try_normalize().filter(|_| way.length() > 0.4 * self.arrows.arc) else { return };
        let level = self.lens.world(DVec3::X);
        let Some(first) = (level - axis * axis.dot(level)).try_normalize() else { return };
        let second = axis.cross(first);
        let points = (0..=18).map(|step| {
            let angle = core::f64::consts::PI / 12.0 * f64::from(step);
            let around = first * libm::cos(angle) + second * libm::sin(angle);
            self.lens.pixel(center + 0.2 * way + around * self.arrows.arc)
        });
        let Some(points) = points.collect::<Option<Vec<_>>>() else { return };
        arrow(canvas, &points, (self.palette.angular_momentum, self.palette.paper), 0.8 * self.unit);
    }
}

/// Draws a line that ends in a filled head, with a rim of paper.
pub(super) fn arrow(canvas: &mut Canvas, points: &[(f64, f64)], (ink, paper): (Ink, Ink), unit: f64) {
    let (&[.., before, tip], head) = (points, 7.5 * unit) else { return };
    let length = libm::hypot(tip.0 - before.0, tip.1 - before.1);
    let whole: f64 = points.windows(2).map(|ends| libm::hypot(ends[1].0 - ends[0].0, ends[1].1 - ends[0].1)).sum();
    if whole < 2.0 * unit || length <= 0.0 {
        return;
    }
    let along = ((tip.0 - before.0) / length, (tip.1 - before.1) / length);
    let place =
        |back: f64, side: f64| (tip.0 - back * along.0 - side * along.1, tip.1 - back * along.1 + side * along.0);
    let head = head.min(whole);
    let triangle = [tip, place(head, 0.45 * head), place(head, -0.45 * head)];
    let mut shaft = points.to_vec();
    if length > head {
        let last = shaft.len() - 1;
        shaft[last] = place(0.8 * head, 0.0);
    }
    canvas.polyline(&shaft, Pen::new(paper.faded(0.7), 4.4 * unit));
    canvas.polyline(&[triangle[0], triangle[1], triangle[2], triangle[0]], Pen::new(paper.faded(0.7), 2.4 * unit));
    canvas.polyline(&shaft, Pen::new(ink, 2.4 * unit));
    canvas.polygon(&triangle, ink);
}

/// Draws a center of mass: a dot with a rim of paper.
pub(super) fn mass_center(canvas: &mut Canvas, at: (f64, f64), radius: f64, palette: &Palette) {
    canvas.disc(at, 1.35 * radius, palette.paper);
    canvas.disc(at, radius, palette.mass_center);
}

/// Draws a zero-moment point: a filled diamond.
pub(super) fn diamond(canvas: &mut Canvas, (x, y): (f64, f64), half: f64, palette: &Palette) {
    let corners = |half: f64| [(x - half, y), (x, y - half), (x + half, y), (x, y + half)];
    canvas.polygon(&corners(1.35 * half), palette.paper);
    canvas.polygon(&corners(half), palette.zero_moment_point);
}

/// Draws a warning triangle.
pub(super) fn warning(canvas: &mut Canvas, (x, y): (f64, f64), half: f64, (ink, paper): (Ink, Ink)) {
    canvas.polygon(&[(x, y - half), (x + half, y + 0.8 * half), (x - half, y + 0.8 * half)], ink);
    canvas.line((x, y - 0.25 * half), (x, y + 0.2 * half), Pen::new(paper, 0.28 * half));
    canvas.disc((x, y + 0.52 * half), 0.14 * half, paper);
}

/// Ends of the hatches of a convex polygon on the floor, [`HATCH`] apart.
fn hatches(corners: &[DVec3]) -> Vec<[DVec3; 2]> {
    let across = HATCH_ALONG.cross(DVec3::Y);
    let bounds = corners.iter().map(|corner| corner.dot(across));
    let (low, high) = bounds.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    if !(high - low).is_finite() {
        return Vec::new();
    }
    let first = libm::ceil(low / HATCH);
    let count = (libm::floor(high / HATCH) - first).clamp(-1.0, 500.0) + 1.0;
    (0..count as usize).filter_map(|index| hatch(corners, across, (first + index as f64) * HATCH)).collect()
}

/// Where the line of points at `at` along `across` enters and leaves a polygon.
fn hatch(corners: &[DVec3], across: DVec3, at: f64) -> Option<[DVec3; 2]> {
    let edges = corners.iter().zip(corners.iter().cycle().skip(1));
    let crossings = edges.filter_map(|(&from, &to)| {
        let (a, b) = (from.dot(across) - at, to.dot(across) - at);
        (a < 0.0 && b >= 0.0 || b < 0.0 && a >= 0.0).then(|| from.lerp(to, a / (a - b)))
    });
    let crossings: Vec<DVec3> = crossings.collect();
    match crossings[..] {
        [from, to] => Some([from, to]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hatches_of_a_square_end_on_its_edges_and_lie_four_centimeters_apart() {
        let square = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)].map(|(x, z)| DVec3::new(x, 0.0, z));
        let hatches = hatches(&square);
        // The diagonal is √2 long: 35 hatches fit across it.
        assert!((34..=36).contains(&hatches.len()), "{}", hatches.len());
        for [from, to] in hatches {
            for end in [from, to] {
                let on_edge = [end.x, end.z, 1.0 - end.x, 1.0 - end.z].iter().any(|edge| edge.abs() < 1e-12);
                assert!(on_edge, "{end}");
            }
            assert!((to - from).cross(HATCH_ALONG).length() < 1e-9);
        }
        assert!(super::hatches(&[]).is_empty());
    }
}
