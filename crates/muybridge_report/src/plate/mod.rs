//! The plate of a clip: a row of exposures against a grid wall, and below it the same figures at their places in the
//! world.
//!
//! After E. Muybridge, *Animal Locomotion* (1887): evenly spaced exposures from the side, from the front as well when
//! the motion leaves the plane, on squares of 5 cm, with frame numbers. The wide panel adds the path of the center of
//! mass, the ballistic path, contacts, and lines that connect the two paths.

mod caption;
mod column;
mod exposures;
mod grid;
mod headline;
mod marks;
mod panel;
mod strip;
mod subject;

use muybridge::analysis::Analysis;
use muybridge::character::Character;
use muybridge::glam::DVec3;
use muybridge::motion::Clip;
use thiserror::Error;

use crate::draw::{Canvas, Palette};
use crate::labels::Labels;

use grid::SheetRect;
use panel::WidePanel;
use strip::Strip;
use subject::PlateSubject;

/// Reasons why a plate cannot be drawn.
#[derive(Debug, Error)]
pub enum PlateError {
    /// Character, clip and analysis do not belong together.
    #[error(
        "the clip has {clip_frames} frames and {clip_bones} bones, the analysis {frames} frames and the character {bones} bones; draw a plate from the clip that was analyzed"
    )]
    Mismatch {
        /// Frames of the clip.
        clip_frames: usize,
        /// Bones of the clip.
        clip_bones: usize,
        /// Frames of the analysis.
        frames: usize,
        /// Bones of the character.
        bones: usize,
    },
    /// The picture is too large for memory.
    #[error("a picture of {width} × {height} pixels does not fit into memory")]
    TooLarge {
        /// Width of the picture, pixels.
        width: u32,
        /// Height of the picture, pixels.
        height: u32,
    },
    /// The PNG picture could not be encoded.
    #[error("the picture could not be encoded: {0}")]
    Encoding(#[from] png::EncodingError),
}

/// Width of a plate, pixels.
const WIDTH: u32 = 2400;

/// Margins at the sides, pixels.
const MARGIN: f64 = 108.0;

/// The plate of a clip as a PNG picture, 2400 pixels wide.
pub fn plate(character: &Character, clip: &Clip, analysis: &Analysis, labels: &Labels) -> Result<Vec<u8>, PlateError> {
    let canvas = draw(character, clip, analysis, labels)?;
    Ok(canvas.png()?)
}

/// Draws the plate.
fn draw(character: &Character, clip: &Clip, analysis: &Analysis, labels: &Labels) -> Result<Canvas, PlateError> {
    let bones = character.skeleton.len();
    if clip.frames() != analysis.frames || clip.bones() != bones || character.bodies.len() != bones {
        let (clip_frames, clip_bones) = (clip.frames(), clip.bones());
        return Err(PlateError::Mismatch { clip_frames, clip_bones, frames: analysis.frames, bones });
    }
    let palette = Palette::of(labels.dark);
    let mut subject = PlateSubject::new(character, clip, analysis, labels);
    let layout = PlateLayout::new(&mut subject);
    let (width, height) = (WIDTH, layout.height);
    let mut canvas = Canvas::new(width, height, palette.paper).ok_or(PlateError::TooLarge { width, height })?;
    let scale = layout.strips.first().map_or(1.0, |strip| strip.scale);
    caption::title(&mut canvas, &subject, layout.title, scale, palette);
    for strip in &layout.strips {
        strip.draw(&mut canvas, &subject, palette);
    }
    if let Some(strip) = layout.strips.last() {
        strip.draw_labels(&mut canvas, &subject, palette);
    }
    layout.panel.draw(&mut canvas, &subject, palette);
    column::draw(&mut canvas, &subject, layout.column, &layout.panel, palette);
    Ok(canvas)
}

/// Rectangles of the plate's parts.
struct PlateLayout {
    title: SheetRect,
    strips: Vec<Strip>,
    panel: WidePanel,
    column: SheetRect,
    height: u32,
}

impl PlateLayout {
    /// Chooses the number of exposures and places title, rows, panel and column.
    fn new(subject: &mut PlateSubject) -> Self {
        let width = f64::from(WIDTH) - 2.0 * MARGIN;
        let title = SheetRect { left: MARGIN, top: 62.0, width, height: 120.0 };
        let room = if subject.leaves_plane { 320.0 } else { 400.0 };
        let rights: Vec<DVec3> = if subject.leaves_plane {
            vec![subject.forward, DVec3::Y.cross(subject.forward)]
        } else {
            vec![subject.forward]
        };
        choose_count(subject, &rights, (width, room));
        let count = subject.frames.len();
        let scale = rights.iter().map(|&right| strip::scale(subject, right, (width, room), count));
        let scale = scale.fold(f64::INFINITY, f64::min);
        let mut top = title.bottom() + 30.0;
        let mut strips = Vec::new();
        for right in rights {
            let strip = Strip { right, left: MARGIN, width, top, scale };
            top += strip.height(subject) + 2.0 * strip::GAP;
            strips.push(strip);
        }
        let top = top + 92.0;
        let column = 450.0;
        let panel = WidePanel::new(subject, (MARGIN, top), (width - column - 56.0, 720.0));
        let bottom = panel.frame.bottom().max(top + 560.0);
        let column = SheetRect { left: f64::from(WIDTH) - MARGIN - column, top, width: column, height: bottom - top };
        Self { title, strips, panel, column, height: (bottom + 76.0) as u32 }
    }
}

/// Chooses the largest number of exposures, 6 to 12, whose figures are nearly as large as with 6.
fn choose_count(subject: &mut PlateSubject, rights: &[DVec3], room: (f64, f64)) {
    let scale = |subject: &mut PlateSubject, count: usize| {
        subject.expose(count);
        let count = subject.frames.len();
        rights.iter().map(|&right| strip::scale(subject, right, room, count)).fold(f64::INFINITY, f64::min)
    };
    let largest = scale(subject, 6);
    for count in (6..=12).rev() {
        if scale(subject, count) >= 0.72 * largest {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
