//! Pictures of a simulated run: single frames, films and plates, drawn on the CPU with the same bytes on every machine.
//!
//! Every sample of a pixel is a ray from the eye of a perspective camera against solids and triangles. By default the
//! camera is 30° off the side of the run with the floor in view. Bodies are gray, obstacles another calm tone, and the
//! floor has lines of 1 m with ticks of 10 cm (a power of ten of that for very small and very large scenes).

mod analysis_caption;
mod analysis_film;
mod animated_gif;
mod camera;
mod caption;
mod chart;
mod colors;
mod depth_buffer;
mod frame;
mod ground;
mod ink;
mod overlay;
mod picture;
mod plate;
mod ray_cast;
#[cfg(test)]
mod sample;
mod scene_objects;
mod shadow;

use std::ops::RangeInclusive;

use muybridge::simulation::Recording;
use thiserror::Error;

use crate::draw::{Canvas, Ink};

pub use analysis_film::{FilmedMotion, analysis_gif, analysis_png};
pub use animated_gif::gif;
pub use camera::PerspectiveCamera;
pub use plate::plate;

use frame::Framing;
use ink::{Color, Inks};
use picture::{PictureRenderer, Scenery};
use scene_objects::{InkTone, SceneObject, StagePart, things};
use shadow::Shadow;

/// Image style of a run: size, theme, camera and caption.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilmStyle {
    /// Image width, pixels.
    pub width: u32,
    /// Image height, pixels.
    pub height: u32,
    /// Dark theme (slate) if true, light theme (paper) if false.
    pub dark: bool,
    /// Camera of the picture; `None` finds one that sees the whole run.
    pub camera: Option<PerspectiveCamera>,
    /// Whether a caption at the bottom shows name, time and measures.
    pub show_measures: bool,
}

impl Default for FilmStyle {
    /// 640 × 360 pixels on paper with measures, from a camera that sees the whole run.
    fn default() -> Self {
        Self { width: 640, height: 360, dark: false, camera: None, show_measures: true }
    }
}

/// Reasons why a picture or film cannot be drawn.
#[derive(Debug, Error)]
pub enum FilmError {
    /// The run has no such frame.
    #[error("the run has no frame {frame}; it has {frames} frames, counted from 0")]
    NoFrame {
        /// Requested frame.
        frame: usize,
        /// Number of frames of the run.
        frames: usize,
    },
    /// The image size is out of range.
    #[error("a picture of {width} × {height} pixels cannot be drawn; each side has to be 16 to {most} pixels")]
    Size {
        /// Requested width, pixels.
        width: u32,
        /// Requested height, pixels.
        height: u32,
        /// Largest side that is allowed, pixels.
        most: u32,
    },
    /// The frame rate of a film is out of range.
    #[error("a film cannot have {rate} frames per second; give a rate above 0 and up to {most}")]
    Rate {
        /// Requested rate, frames per second.
        rate: f64,
        /// Largest rate that is allowed, frames per second.
        most: f64,
    },
    /// The recording has no valid time between frames.
    #[error("the run has a frame time of {seconds} s; it must be a positive number")]
    FrameTime {
        /// Recorded time between frames, seconds.
        seconds: f64,
    },
    /// The PNG picture could not be encoded.
    #[error("the picture could not be encoded: {0}")]
    Png(#[from] png::EncodingError),
    /// The GIF film could not be encoded.
    #[error("the film could not be encoded: {0}")]
    Gif(#[from] gif::EncodingError),
}

/// Lengths that the sides of a picture may have, pixels.
pub const PICTURE_SIDES: RangeInclusive<u32> = 16..=MOST_PIXELS;

/// Longest side of a picture, pixels.
const MOST_PIXELS: u32 = 8192;

/// Renders one frame of a run (counted from 0) as a PNG picture. An error names the frame or size that cannot be drawn.
pub fn png(recording: &Recording, frame: usize, look: &FilmStyle) -> Result<Vec<u8>, FilmError> {
    let studio = FilmRenderer::new(recording, look)?;
    Ok(studio.draw(frame)?.png()?)
}

/// Recording, style, framing and inks that all frames of a film share.
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

    /// Renders one frame with its caption.
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

/// Things that cast a shadow: all except the person for scale and very large things, beside which the others would be
/// a few pixels of the shadow map.
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
    let fits = |side: u32| PICTURE_SIDES.contains(&side);
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
