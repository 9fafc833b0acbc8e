//! A plate of a run: exposures evenly spaced in time, one wide panel with all of them, and charts of energy and
//! momentum on the same time axis.
//!
//! After E. Muybridge, *Animal Locomotion* (1887). The camera of the exposures follows the subject at one scale. The
//! camera of the panel stands still, and earlier exposures are printed fainter.

use muybridge::glam::{DMat3, DVec3};
use muybridge::simulation::Recording;

use crate::draw::{Canvas, Pen, TextAnchor, Type};

use super::camera::{Lens, PerspectiveCamera};
use super::caption::squares;
use super::chart::{self, Area};
use super::frame::{Framing, spread};
use super::ink::{Inks, mix};
use super::picture::{PictureRenderer, Scenery};
use super::scene_objects::{SceneObject, StagePart, extent, mass_center, things};
use super::shadow::Shadow;
use super::{FilmError, FilmStyle, MOST_PIXELS, casting, check, put};

/// Width of a plate, pixels.
const WIDTH: u32 = 2400;

/// Margins at the sides and the gap between the pictures, pixels.
const MARGIN: f64 = 108.0;
const GAP: f64 = 18.0;

/// Heights of the title, the panel, a chart and the space between charts, pixels.
const TITLE: f64 = 190.0;
const PANEL: f64 = 860.0;
const CHART: f64 = 110.0;
const BETWEEN: f64 = 66.0;

/// The plate of a run as a PNG picture 2400 pixels wide. Of `look` only the theme counts: the plate has its own size.
pub fn plate(recording: &Recording, look: &FilmStyle) -> Result<Vec<u8>, FilmError> {
    check(recording, look)?;
    Ok(draw(recording, look)?.png()?)
}

fn draw(recording: &Recording, look: &FilmStyle) -> Result<Canvas, FilmError> {
    let inks = Inks::of(look.dark);
    let frames = spread(recording.frames, exposures(recording));
    let seen: Vec<Vec<SceneObject>> = frames.iter().map(|&frame| things(recording, frame, StagePart::Moving)).collect();
    let width = f64::from(WIDTH) - 2.0 * MARGIN;
    let (columns, rows) = if frames.len() > 8 { (frames.len().div_ceil(2), 2) } else { (frames.len(), 1) };
    let exposure_width = (width - GAP * (columns - 1) as f64) / columns as f64;
    let exposure_height = (0.8 * exposure_width).min(360.0);
    let strip = rows as f64 * (exposure_height + 44.0 + GAP);
    let panel = Area { left: MARGIN, top: TITLE + strip + 20.0, width, height: PANEL };
    let charts = if recording.measures.is_empty() { Vec::new() } else { chart::charts(inks.palette) };
    let charts_top = panel.bottom() + 84.0;
    let height = (charts_top + charts.len() as f64 * (CHART + BETWEEN) + 40.0) as u32;
    let canvas = Canvas::new(WIDTH, height, inks.palette.paper);
    let mut canvas = canvas.ok_or(FilmError::Size { width: WIDTH, height, most: MOST_PIXELS })?;
    let framing = Framing::new(recording, &frames, panel.width / panel.height, 0.0);
    title(&mut canvas, recording, &frames, (&inks, &framing));
    let follow = ExposureCamera::new(&seen, &framing, exposure_width / exposure_height);
    for (index, &frame) in frames.iter().enumerate() {
        let (column, row) = ((index % columns) as f64, (index / columns) as f64);
        let left = MARGIN + column * (exposure_width + GAP);
        let top = TITLE + row * (exposure_height + 44.0 + GAP);
        let area = Area { left, top, width: exposure_width, height: exposure_height };
        expose(&mut canvas, &seen[index], (&follow.camera(&seen[index]), area), (&framing, &inks));
        let style = Type { size: 22.0, weight: 0.016, ink: inks.palette.quiet, align: TextAnchor::Middle };
        let time = format!("{:.2} s [{frame}]", frame as f64 * recording.frame_time);
        canvas.text(&time, (left + 0.5 * exposure_width, area.bottom() + 29.0), style);
    }
    all_together(&mut canvas, &seen, (&framing, panel), &inks);
    mass_center_paths(&mut canvas, recording, &frames, (&framing, panel), &inks);
    let room = 190.0;
    for (index, chart) in charts.iter().enumerate() {
        let top = charts_top + index as f64 * (CHART + BETWEEN);
        let area = Area { left: MARGIN + room, top, width: width - room, height: CHART };
        chart.draw(&mut canvas, area, recording, &frames, inks.palette);
        if index + 1 == charts.len() {
            chart::time_axis(&mut canvas, area, recording, inks.palette);
        }
    }
    Ok(canvas)
}

/// Number of exposures, 6 to 12 (at most one per frame): more for a longer run.
fn exposures(recording: &Recording) -> usize {
    let seconds = recording.frames as f64 * recording.frame_time;
    (libm::round(4.0 * seconds).clamp(6.0, 12.0) as usize).min(recording.frames)
}

/// Camera of the exposures: same view direction as the panel's camera, centered on the moving things.
struct ExposureCamera {
    forward: DVec3,
    turn: DMat3,
    distance: f64,
    field_of_view: f64,
}

impl ExposureCamera {
    fn new(seen: &[Vec<SceneObject>], framing: &Framing, aspect: f64) -> Self {
        let forward = (framing.camera.target - framing.camera.eye).normalize_or(-DVec3::Z);
        let turn = super::camera::axes(forward);
        let field_of_view = framing.camera.field_of_view;
        let half = libm::tan(0.5 * field_of_view) * 0.86;
        let away = |things: &Vec<SceneObject>| {
            let (_, size) = bounds(things, turn);
            (0.5 * size.y / half).max(0.5 * size.x / (half * aspect)) + 0.5 * size.z
        };
        let largest = seen.iter().map(away).filter(|distance| distance.is_finite()).fold(0.05, f64::max);
        // Keep the camera far enough for a small subject to show its surroundings.
        let distance = largest.max(0.36 * framing.camera.target.distance(framing.camera.eye));
        Self { forward, turn, distance, field_of_view }
    }

    fn camera(&self, things: &[SceneObject]) -> PerspectiveCamera {
        let (middle, _) = bounds(things, self.turn);
        let middle = self.turn.transpose() * middle;
        let middle = if middle.is_finite() { middle } else { DVec3::ZERO };
        PerspectiveCamera {
            eye: middle - self.forward * self.distance,
            target: middle,
            field_of_view: self.field_of_view,
        }
    }
}

/// Center and size of the bounding box of things along the axes of a camera.
fn bounds(things: &[SceneObject], turn: DMat3) -> (DVec3, DVec3) {
    let extents = things.iter().map(|thing| extent(thing, turn)).filter(|(center, half)| (*center + *half).is_finite());
    let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) =
        extents.fold(empty, |(low, high), (center, half)| (low.min(center - half), high.max(center + half)));
    (0.5 * (low + high), (high - low).max(DVec3::ZERO))
}

/// Draws one exposure into its area.
fn expose(
    canvas: &mut Canvas,
    moving: &[SceneObject],
    (camera, area): (&PerspectiveCamera, Area),
    (framing, inks): (&Framing, &Inks),
) {
    let mut all = moving.to_vec();
    let still = framing.still.iter().filter(|thing| thing.tone != super::InkTone::Person);
    all.extend(still.cloned());
    let shadow = Shadow::new(&casting(&all), framing.right);
    let scenery = Scenery { shadow: &shadow, ground: framing.ground, inks };
    let (size, lens) = lens_of(camera, area);
    let picture = PictureRenderer::new(&all, lens, size, &scenery);
    picture.each(|x, y, color, _| put(canvas, (x + area.left as usize, y + area.top as usize), color));
    outline(canvas, area, inks);
}

/// Draws all exposures into one panel over the obstacles, earlier ones fainter.
fn all_together(canvas: &mut Canvas, seen: &[Vec<SceneObject>], (framing, area): (&Framing, Area), inks: &Inks) {
    let everything: Vec<SceneObject> = seen.iter().flatten().chain(&framing.still).cloned().collect();
    let shadow = Shadow::new(&casting(&everything), framing.right);
    let (size, lens) = lens_of(&framing.camera, area);
    let scenery = Scenery { shadow: &shadow, ground: framing.ground, inks };
    let mut panel = vec![[0.0; 3]; size.0 * size.1];
    PictureRenderer::new(&framing.still, lens, size, &scenery).each(|x, y, color, _| panel[y * size.0 + x] = color);
    for (index, moving) in seen.iter().enumerate() {
        let age = (index + 1) as f64 / seen.len() as f64;
        let opacity = if index + 1 == seen.len() { 1.0 } else { 0.28 + 0.5 * age };
        let shadow = Shadow::new(&casting(moving), framing.right);
        let scenery = Scenery { shadow: &shadow, ground: framing.ground, inks };
        let all = in_order(moving, framing);
        let picture = PictureRenderer::new(&all, lens, size, &scenery);
        picture.each_moving(moving.len(), |x, y, color, covered| {
            let under = &mut panel[y * size.0 + x];
            *under = mix(*under, color, covered * opacity);
        });
    }
    for (at, &color) in panel.iter().enumerate() {
        put(canvas, (at % size.0 + area.left as usize, at / size.0 + area.top as usize), color);
    }
    outline(canvas, area, inks);
}

/// Largest number of characters whose paths are drawn; more would be a tangle.
const MOST_PATHS: usize = 4;

/// Draws the path of each character's center of mass with a dot at every exposure.
fn mass_center_paths(
    canvas: &mut Canvas,
    recording: &Recording,
    frames: &[usize],
    (framing, area): (&Framing, Area),
    inks: &Inks,
) {
    if recording.characters.len() > MOST_PATHS {
        return;
    }
    let (_, lens) = lens_of(&framing.camera, area);
    for (_, character, clip) in &recording.characters {
        let pixel = |frame: usize| {
            let (x, y) = lens.pixel(mass_center(character, clip, frame)?)?;
            let inside = (0.0..area.width).contains(&x) && (0.0..area.height).contains(&y);
            inside.then_some((x + area.left, y + area.top))
        };
        let path: Vec<(f64, f64)> = (0..recording.frames).filter_map(pixel).collect();
        canvas.polyline(&path, Pen::new(inks.palette.paper.faded(0.6), 7.0));
        canvas.polyline(&path, Pen::new(inks.palette.mass_center, 3.4));
        for at in frames.iter().filter_map(|&frame| pixel(frame)) {
            canvas.disc(at, 8.0, inks.palette.paper);
            canvas.disc(at, 6.5, inks.palette.mass_center);
        }
    }
}

/// Moving things first, then still things that may occlude them.
fn in_order(moving: &[SceneObject], framing: &Framing) -> Vec<SceneObject> {
    moving.iter().chain(&framing.still).cloned().collect()
}

fn lens_of(camera: &PerspectiveCamera, area: Area) -> ((usize, usize), Lens) {
    let (width, height) = (area.width as u32, area.height as u32);
    let lens = camera.lens((width, height), (0.5 * f64::from(width), 0.5 * f64::from(height)));
    ((width as usize, height as usize), lens)
}

fn outline(canvas: &mut Canvas, area: Area, inks: &Inks) {
    let pen = Pen::new(inks.palette.quiet.toward(inks.palette.paper, 0.45), 1.6);
    let (left, top) = (libm::floor(area.left), libm::floor(area.top));
    let (right, bottom) = (left + libm::floor(area.width), top + libm::floor(area.height));
    for (from, to) in [((left, top), (right, top)), ((left, bottom), (right, bottom))] {
        canvas.line(from, to, pen);
    }
    for (from, to) in [((left, top), (left, bottom)), ((right, top), (right, bottom))] {
        canvas.line(from, to, pen);
    }
}

/// Draws the title: name, length and contents of the run.
fn title(canvas: &mut Canvas, recording: &Recording, frames: &[usize], (inks, framing): (&Inks, &Framing)) {
    let heading = Type { size: 60.0, weight: 0.006, ink: inks.palette.text, align: TextAnchor::Left };
    let name: String = recording.name.chars().filter(|character| !character.is_control()).collect();
    let name = canvas.lettering.fit(&name, heading.size, f64::from(WIDTH) - 2.0 * MARGIN);
    canvas.text(&name, (MARGIN - 3.0, 112.0), heading);
    let quiet = Type { size: 25.0, weight: 0.012, ink: inks.palette.quiet, align: TextAnchor::Left };
    let spacing = frames.get(1).map_or(0.0, |&second| second as f64 * recording.frame_time);
    let mut facts = vec![
        format!("{:.2} s", recording.frames.saturating_sub(1) as f64 * recording.frame_time),
        format!("{} frames, {} fps", recording.frames, libm::round(100.0 / recording.frame_time) / 100.0),
        format!("exposures every {spacing:.2} s"),
    ];
    facts.extend(contents(recording));
    facts.extend(framing.ground.map(|ground| squares(ground.square)));
    let facts = canvas.lettering.fit(&facts.join("   ·   "), quiet.size, f64::from(WIDTH) - 2.0 * MARGIN);
    canvas.text(&facts, (MARGIN, 158.0), quiet);
}

/// Describes the contents of a recording: "64 characters", "3 rigid bodies", "4225 points of meshes".
fn contents(recording: &Recording) -> Vec<String> {
    use muybridge::simulation::recording::Drawn;
    let moving = || recording.tracks.iter().filter(|track| !track.obstacle).map(|track| &track.drawn);
    let bodies = moving().filter(|drawn| matches!(drawn, Drawn::Body { .. })).count();
    let points = |points: &[Vec<DVec3>]| points.first().map_or(0, Vec::len);
    let of_lines = moving().map(|drawn| if let Drawn::Lines { points: p, .. } = drawn { points(p) } else { 0 }).sum();
    let of_meshes = moving().map(|drawn| if let Drawn::Mesh { points: p, .. } = drawn { points(p) } else { 0 }).sum();
    let obstacles = recording.tracks.iter().filter(|track| track.obstacle).count();
    let counts: [(usize, &str, &str); 5] = [
        (recording.characters.len(), "character", "characters"),
        (bodies, "rigid body", "rigid bodies"),
        (of_lines, "point of lines", "points of lines"),
        (of_meshes, "point of meshes", "points of meshes"),
        (obstacles, "obstacle", "obstacles"),
    ];
    let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
    counts.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many })).collect()
}
