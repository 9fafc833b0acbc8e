//! A film of an analyzed motion: the body with everything that the analysis found at each frame (S31).
//!
//! After figure 8 of A. Shapiro, S.-H. Lee, *Practical character physics for animators* (IEEE CG&A 31(4), 2011): the
//! center of mass with its path and its place on the floor, the path that free fall asks for, both momenta as arrows,
//! the support polygon and the zero-moment point. Several motions stand side by side, seen by one camera at one time.

use muybridge::correction::CurveFamily;
use muybridge::simulation::Recording;
use muybridge::simulation::recording::{Drawn, Track};

use crate::ClipReport;
use crate::draw::{Canvas, Ink, Pen, height_at_rest};

use super::analysis_caption;
use super::animated_gif::Reel;
use super::camera::Lens;
use super::caption;
use super::frame::{Framing, spread};
use super::ink::{Color, Inks};
use super::overlay::{ArrowScale, Overlay};
use super::picture::{PictureRenderer, Scenery};
use super::scene_objects::{SceneObject, StagePart, things};
use super::shadow::Shadow;
use super::{FilmError, FilmStyle, MOST_PIXELS, casting, check, put};

/// A motion of a film, with the words over it.
#[derive(Clone, Copy, Debug)]
pub struct FilmedMotion<'a> {
    /// Words over the motion: "before", or the name of the file.
    pub title: &'a str,
    /// The motion, its character and its analysis.
    pub report: ClipReport<'a>,
    /// Ballistic paths between two of its frames; `None` for no such paths.
    pub curves: Option<&'a CurveFamily>,
}

/// Number of frames from which the camera is found.
const FRAMED: usize = 32;

/// Width of the line between two motions, pixels.
const RULE: f64 = 1.6;

/// Largest number of pictures of a film: half an hour at 25 frames per second.
const MOST_PICTURES: usize = 45_000;

/// Motions side by side with all that their analyses found, as an endless GIF film in real time. Each begins with its
/// first analyzed frame; one that is shorter waits at its last. `rate` and `progress` are those of [`super::gif`].
pub fn analysis_gif(
    motions: &[FilmedMotion<'_>],
    look: &FilmStyle,
    rate: f64,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<u8>, FilmError> {
    let film = AnalysisFilm::new(motions, look)?;
    let reel = Reel::new(film.seconds(), rate, MOST_PICTURES)?;
    reel.encode(&|index| film.draw(reel.time(index)), progress)
}

/// The picture of such a film at a time since its start, seconds, as PNG.
pub fn analysis_png(motions: &[FilmedMotion<'_>], look: &FilmStyle, time: f64) -> Result<Vec<u8>, FilmError> {
    Ok(AnalysisFilm::new(motions, look)?.draw(time)?.png()?)
}

/// Motions, camera, inks and scales that all pictures share.
struct AnalysisFilm<'a> {
    sides: Vec<FilmSide<'a>>,
    framing: Framing,
    inks: Inks,
    arrows: ArrowScale,
    /// Width of each motion and height of the film, pixels.
    size: (u32, u32),
    look: FilmStyle,
}

/// A motion of the film as a recording of its one character.
struct FilmSide<'a> {
    title: &'a str,
    report: ClipReport<'a>,
    curves: Option<&'a CurveFamily>,
    recording: Recording,
}

impl<'a> FilmSide<'a> {
    fn new(motion: &FilmedMotion<'a>) -> Self {
        let ClipReport { analysis, character, clip, ground, .. } = motion.report;
        let uneven = ground.map(|terrain| Track {
            name: String::new(),
            obstacle: true,
            drawn: Drawn::Mesh {
                triangles: (0..terrain.triangles().len()).map(|at| [3 * at, 3 * at + 1, 3 * at + 2]).collect(),
                points: vec![terrain.triangles().as_flattened().to_vec()],
            },
        });
        let recording = Recording {
            frame_time: clip.frame_time,
            frames: clip.frames(),
            ground: analysis.floor.filter(|_| ground.is_none()),
            tracks: uneven.into_iter().collect(),
            characters: vec![(String::new(), character.clone(), clip.clone())],
            ..Recording::default()
        };
        Self { title: motion.title, report: motion.report, curves: motion.curves, recording }
    }

    /// First and last frame that are shown.
    fn shown(&self) -> (usize, usize) {
        let (first, end) = self.report.analysis.range;
        let last = end.min(self.recording.frames).max(1) - 1;
        (first.min(last), last)
    }

    fn seconds(&self) -> f64 {
        let (first, last) = self.shown();
        (last - first) as f64 * self.recording.frame_time
    }

    /// Frame of a time since the start of the film, seconds.
    fn frame(&self, time: f64) -> usize {
        let (first, last) = self.shown();
        first + libm::round(time / self.recording.frame_time).min((last - first) as f64) as usize
    }
}

impl<'a> AnalysisFilm<'a> {
    fn new(motions: &[FilmedMotion<'a>], look: &FilmStyle) -> Result<Self, FilmError> {
        let sides: Vec<FilmSide<'_>> = motions.iter().map(FilmSide::new).collect();
        let Some(first) = sides.first() else { return Err(FilmError::NoFrame { frame: 0, frames: 0 }) };
        sides.iter().try_for_each(|side| check(&side.recording, look))?;
        let size = (look.width / sides.len() as u32, look.height);
        // One camera sees all motions.
        let mut all = first.recording.clone();
        for side in &sides[1..] {
            all.characters.extend(side.recording.characters.iter().cloned());
            all.frames = all.frames.max(side.recording.frames);
        }
        let from = sides.iter().map(|side| side.shown().0).min().unwrap_or(0);
        let to = sides.iter().map(|side| side.shown().1).max().unwrap_or(0);
        let frames: Vec<usize> = spread(to - from + 1, FRAMED).into_iter().map(|frame| from + frame).collect();
        let aspect = f64::from(size.0) / f64::from(size.1);
        let framing = Framing::new(&all, &frames, aspect, caption::share(look.height));
        let arrows = ArrowScale::new(
            motions.iter().map(|motion| (motion.report.analysis, height_at_rest(motion.report.character))),
        );
        Ok(Self { sides, framing, inks: Inks::of(look.dark), arrows, size, look: *look })
    }

    fn seconds(&self) -> f64 {
        self.sides.iter().map(FilmSide::seconds).fold(0.0, f64::max)
    }

    /// Draws the picture of a time since the start, seconds.
    fn draw(&self, time: f64) -> Result<Canvas, FilmError> {
        let mut canvas = self.canvas(self.look.width, self.look.height)?;
        let rule = Pen::new(self.inks.palette.quiet, RULE);
        for (index, side) in self.sides.iter().enumerate() {
            let left = index as u32 * self.size.0;
            canvas.paste(&self.side(side, side.frame(time))?, (left, 0));
            if index > 0 {
                canvas.line((f64::from(left), 0.0), (f64::from(left), f64::from(self.size.1)), rule);
            }
        }
        Ok(canvas)
    }

    /// Draws one motion: floor, marks on the floor, body, marks over the body, words.
    fn side(&self, side: &FilmSide<'_>, frame: usize) -> Result<Canvas, FilmError> {
        let (width, height) = self.size;
        let mut canvas = self.canvas(width, height)?;
        let middle = 0.5 * (1.0 - caption::share(height)) * f64::from(height);
        let lens = self.framing.camera.lens(self.size, (0.5 * f64::from(width), middle));
        let mut all = things(&side.recording, frame, StagePart::Moving);
        let moving = all.len();
        all.extend_from_slice(&self.framing.still);
        let shadow = Shadow::new(&casting(&all), self.framing.right);
        let scenery = Scenery { shadow: &shadow, ground: self.framing.ground, inks: &self.inks };
        let picture = |things: &[SceneObject], draw: &mut dyn FnMut(&PictureRenderer<'_>)| {
            draw(&PictureRenderer::new(things, lens, (width as usize, height as usize), &scenery));
        };
        picture(&self.framing.still, &mut |picture| {
            picture.each(|x, y, color, _| put(&mut canvas, (x, y), color));
        });
        let marks = self.marks(side, frame, lens);
        marks.on_the_floor(&mut canvas);
        picture(&all, &mut |picture| {
            picture.each_moving(moving, |x, y, color, covered| cover(&mut canvas, (x, y), (color, covered)));
        });
        marks.over_the_body(&mut canvas);
        analysis_caption::draw(
            &mut canvas,
            (side.title, side.report.analysis),
            frame,
            &self.inks,
            self.framing.ground.as_ref(),
        );
        Ok(canvas)
    }

    fn marks<'b>(&'b self, side: &FilmSide<'b>, frame: usize, lens: Lens) -> Overlay<'b> {
        let window = libm::round(PATH_SECONDS / side.recording.frame_time).clamp(1.0, 1e6) as usize;
        let (first, last) = side.shown();
        let path = (frame.saturating_sub(window).max(first), (frame + window).min(last));
        Overlay {
            report: side.report,
            curves: side.curves,
            frame,
            path,
            lens,
            palette: self.inks.palette,
            arrows: &self.arrows,
            unit: caption::size(self.size.1) / 13.0,
        }
    }

    fn canvas(&self, width: u32, height: u32) -> Result<Canvas, FilmError> {
        let canvas = Canvas::new(width, height, self.inks.palette.paper);
        canvas.ok_or(FilmError::Size { width, height, most: MOST_PIXELS })
    }
}

/// The path of the center of mass is drawn this long before and after the frame, seconds.
const PATH_SECONDS: f64 = 1.0;

/// Covers a share of a pixel with a color.
fn cover(canvas: &mut Canvas, (x, y): (usize, usize), (color, covered): (Color, f64)) {
    let [red, green, blue] = color.map(|channel| (channel + 0.5).clamp(0.0, 255.0) as u8);
    canvas.blend(x as u32, y as u32, Ink { red, green, blue, alpha: 255 }, covered);
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::analysis::{Settings, Terrain, analyze};
    use muybridge::glam::DVec3;
    use muybridge::samples;

    use super::super::scene_objects::InkTone;

    /// Draws the sample jump at a time and tells the share of pixels between the words that are near an ink.
    fn share_of(ink: Ink, time: f64) -> f64 {
        share_on(None, ink, time)
    }

    /// The same on uneven ground.
    fn share_on(ground: Option<&Terrain>, ink: Ink, time: f64) -> f64 {
        let (character, clip) = (samples::humanoid(), samples::jump());
        let analysis = analyze(&character, &clip, &Settings::default());
        let report = ClipReport {
            file: "jump.bvh",
            meters_per_unit: 1.0,
            unit_source: "",
            up: "y",
            analysis: &analysis,
            ignored: &[],
            character_name: "",
            has_companions: false,
            character: &character,
            clip: &clip,
            ground,
        };
        let film =
            AnalysisFilm::new(&[FilmedMotion { title: "jump", report, curves: None }], &FilmStyle::default()).unwrap();
        let canvas = film.draw(time).unwrap();
        let rgb = canvas.rgb();
        let near = |pixel: &&[u8]| {
            let apart = [(pixel[0], ink.red), (pixel[1], ink.green), (pixel[2], ink.blue)];
            apart.iter().all(|(a, b)| a.abs_diff(*b) < 24)
        };
        // Without the words at the top and at the bottom.
        let middle = 3 * 640 * 40..rgb.len() - 3 * 640 * 60;
        rgb[middle].chunks_exact(3).filter(near).count() as f64 / (640.0 * 260.0)
    }

    #[test]
    fn a_jumper_stands_on_a_support_and_flies_beside_the_path_of_free_fall() {
        let palette = Inks::of(false).palette;
        let analysis = analyze(&samples::humanoid(), &samples::jump(), &Settings::default());
        let span = analysis.flights[0].span;
        let air = 0.5 * (span.start + span.end);
        assert!(share_of(palette.contact, 0.1) > 1e-4 && share_of(palette.contact, air) == 0.0);
        assert!(share_of(palette.zero_moment_point, 0.1) > 1e-4 && share_of(palette.zero_moment_point, air) == 0.0);
        assert!(share_of(palette.mass_center, 0.1) > 1e-5 && share_of(palette.mass_center, air) > 1e-4);
        assert!(share_of(palette.ballistic, air) > 1e-5);
    }

    #[test]
    fn uneven_ground_takes_the_place_of_the_floor() {
        let inks = Inks::of(false);
        let [red, green, blue] = inks.ramp(InkTone::Obstacle).1.map(|channel| channel as u8);
        let obstacle = Ink { red, green, blue, alpha: 255 };
        let corner = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
        let square = |y: f64, at: f64, half: f64| {
            let points =
                [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]].map(|[x, z]| corner(at + half * x, y, half * z));
            Terrain::new(&points, &[[0, 1, 2], [0, 2, 3]]).unwrap()
        };
        let level = square(0.0, 0.0, 20.0);
        // Of a ground as small as a hand there is nothing but air; of a level one as much as of a floor.
        let [wide, small] = [&level, &square(0.0, 0.4, 0.05)].map(|ground| share_on(Some(ground), obstacle, 0.1));
        assert!(wide > 0.2 && small < 0.25 * wide, "{wide} and {small}");
        let center = inks.palette.mass_center;
        assert!(share_on(Some(&level), center, 0.1) > 1e-5);
    }

    #[test]
    fn momentum_arrows_have_one_scale_for_all_motions() {
        let analysis = analyze(&samples::humanoid(), &samples::jump(), &Settings::default());
        let scale = ArrowScale::new([(&analysis, 1.7), (&analysis, 1.7)].into_iter());
        let greatest = analysis.per_frame.linear_momentum.iter().flatten().map(|p| p.length()).fold(0.0, f64::max);
        assert!((scale.linear * greatest - 0.4 * 1.7).abs() < 1e-9);
        assert_eq!(scale.arc, 0.07 * 1.7);
    }
}
