//! Pictures of a simulated run: single frames, films and plates, drawn on the CPU with the same bytes on every machine.
//!
//! Every sample of a pixel is a ray from the eye of a perspective camera against solids and triangles; the camera stands 30°
//! off the side of the run with the floor in view, unless one is given. Bodies are gray, obstacles another calm tone, and the
//! floor has lines of 1 m with ticks of 10 cm (a power of ten of that for very small and very large scenes).

mod animated_gif;
mod camera;
mod caption;
mod chart;
mod colors;
mod depth_buffer;
mod frame;
mod ground;
mod ink;
mod picture;
mod plate;
mod ray_cast;
#[cfg(test)]
mod sample;
mod scene_objects;
mod shadow;

use muybridge::simulation::Recording;
use thiserror::Error;

use crate::draw::{Canvas, Ink};

pub use animated_gif::gif;
pub use camera::PerspectiveCamera;
pub use plate::plate;

use frame::Framing;
use ink::{Color, Inks};
use picture::{PictureRenderer, Scenery};
use scene_objects::{InkTone, SceneObject, StagePart, things};
use shadow::Shadow;

/// How a run is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmStyle {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// On slate, else on paper.
    pub dark: bool,
    /// Where the picture is taken from; found from the run where `None`.
    pub camera: Option<PerspectiveCamera>,
    /// Whether name, time and measures are written at the foot.
    pub show_measures: bool,
}

impl Default for FilmStyle {
    /// 640 × 360 pixels on paper with measures, from a camera that sees everything.
    fn default() -> Self {
        Self { width: 640, height: 360, dark: false, camera: None, show_measures: true }
    }
}

/// Why there is no picture.
#[derive(Debug, Error)]
pub enum FilmError {
    /// No such frame.
    #[error("frame {frame} is not in the run, which has {frames} frames counted from 0")]
    NoFrame {
        /// As asked for.
        frame: usize,
        /// Of the run.
        frames: usize,
    },
    /// Nothing to draw on.
    #[error("a picture of {width} × {height} pixels cannot be drawn; each side has to be 16 to {most} pixels")]
    Size {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
        /// Pixels.
        most: u32,
    },
    /// A film of no time.
    #[error("a film needs more than 0 and at most {most} frames per second, not {rate}")]
    Rate {
        /// As asked for.
        rate: f64,
        /// Frames per second.
        most: f64,
    },
    /// Frames without time between them.
    #[error("the run says {seconds} s from frame to frame; that must be a positive number")]
    FrameTime {
        /// As recorded.
        seconds: f64,
    },
    /// The picture could not be written.
    #[error("the picture could not be encoded: {0}")]
    Png(#[from] png::EncodingError),
    /// The film could not be written.
    #[error("the film could not be encoded: {0}")]
    Gif(#[from] gif::EncodingError),
}

/// Longest side of a picture, pixels.
const MOST_PIXELS: u32 = 8192;

/// One frame of a run (counted from 0) as a PNG picture. An error names the frame, or the size, that cannot be drawn.
pub fn png(recording: &Recording, frame: usize, look: &FilmStyle) -> Result<Vec<u8>, FilmError> {
    let studio = FilmRenderer::new(recording, look)?;
    Ok(studio.draw(frame)?.png()?)
}

/// Everything the frames of a run share.
struct FilmRenderer<'a> {
    recording: &'a Recording,
    look: FilmStyle,
    framing: Framing,
    inks: Inks,
}

impl<'a> FilmRenderer<'a> {
    fn new(recording: &'a Recording, look: &FilmStyle) -> Result<Self, FilmError> {
        check(recording, look)?;
        let aspect = f64::from(look.width) / f64::from(look.height);
        let under = if look.show_measures { caption::share(look.height) } else { 0.0 };
        let framing = Framing::new(recording, &frame::looks(recording), aspect, under);
        Ok(Self { recording, look: *look, framing, inks: Inks::of(look.dark) })
    }

    /// A frame, finished.
    fn draw(&self, frame: usize) -> Result<Canvas, FilmError> {
        let frames = self.recording.frames;
        if frame >= frames {
            return Err(FilmError::NoFrame { frame, frames });
        }
        let FilmStyle { width, height, .. } = self.look;
        let paper = self.inks.palette.paper;
        let canvas = Canvas::new(width, height, paper);
        let mut canvas = canvas.ok_or(FilmError::Size { width, height, most: MOST_PIXELS })?;
        let mut all = things(self.recording, frame, StagePart::Moving);
        all.extend_from_slice(&self.framing.still);
        let camera = self.look.camera.unwrap_or(self.framing.camera);
        let words = if self.look.show_measures { caption::share(height) } else { 0.0 };
        let center = if self.look.camera.is_some() { 0.5 } else { 0.5 * (1.0 - words) };
        let lens = camera.lens((width, height), (0.5 * f64::from(width), center * f64::from(height)));
        let shadow = Shadow::new(&casting(&all), self.framing.right);
        let scenery = Scenery { shadow: &shadow, ground: self.framing.ground, inks: &self.inks };
        let size = (width as usize, height as usize);
        PictureRenderer::new(&all, lens, size, &scenery).each(|x, y, color, _| put(&mut canvas, (x, y), color));
        if self.look.show_measures {
            caption::draw(&mut canvas, self.recording, frame, &self.inks, self.framing.ground.as_ref());
        }
        Ok(canvas)
    }
}

/// The things that throw a shadow: all but the person to compare sizes with, and what is so large that the rest would be
/// a few pixels of the lamp's picture.
fn casting(things: &[SceneObject]) -> Vec<SceneObject> {
    let half = |thing: &SceneObject| scene_objects::extent(thing, muybridge::glam::DMat3::IDENTITY).1.max_element();
    let mut sizes: Vec<f64> = things.iter().map(half).filter(|half| half.is_finite()).collect();
    sizes.sort_by(f64::total_cmp);
    let usual = sizes.get(sizes.len() / 2).copied().unwrap_or(1.0);
    let most = (200.0 * usual).max(3.0);
    let throws = |thing: &&SceneObject| thing.tone != InkTone::Person && half(thing) <= most;
    things.iter().filter(throws).cloned().collect()
}

fn put(canvas: &mut Canvas, (x, y): (usize, usize), color: Color) {
    let [red, green, blue] = color.map(|channel| (channel + 0.5).clamp(0.0, 255.0) as u8);
    canvas.blend(x as u32, y as u32, Ink { red, green, blue, alpha: 255 }, 1.0);
}

fn check(recording: &Recording, look: &FilmStyle) -> Result<(), FilmError> {
    let fits = |side: u32| (16..=MOST_PIXELS).contains(&side);
    if !(fits(look.width) && fits(look.height)) {
        return Err(FilmError::Size { width: look.width, height: look.height, most: MOST_PIXELS });
    }
    let seconds = recording.frame_time;
    if !(seconds.is_finite() && seconds > 0.0) {
        return Err(FilmError::FrameTime { seconds });
    }
    if recording.frames == 0 {
        return Err(FilmError::NoFrame { frame: 0, frames: 0 });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
