//! Encodes a run as an animated GIF: one palette, only changed pixels per frame, endless loop.

use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use muybridge::simulation::Recording;
use rayon::prelude::*;

use crate::draw::Canvas;

use super::colors::Colors;
use super::frame::spread;
use super::{FilmError, FilmRenderer, FilmStyle};

/// Largest frame rate, frames per second: viewers slow faster films down.
const MOST_RATE: f64 = 50.0;

/// Number of frames whose colors make the palette.
const SAMPLES: usize = 6;

/// Entries of the palette; the last of 256 marks unchanged pixels.
const ENTRIES: usize = 255;
const UNCHANGED: u8 = 255;

/// The run as an endless GIF film in real time, `rate` frames per second (0 to 50). `progress` receives the number of
/// finished frames and of all frames. Frames are drawn in parallel; the bytes do not depend on the number of threads.
pub fn gif(
    recording: &Recording,
    look: &FilmStyle,
    rate: f64,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<u8>, FilmError> {
    let studio = FilmRenderer::new(recording, look)?;
    let seconds = (recording.frames - 1) as f64 * recording.frame_time;
    let reel = Reel::new(seconds, rate, recording.frames.saturating_mul(50))?;
    let frame = |index: usize| libm::round(reel.time(index) / recording.frame_time) as usize;
    reel.encode(&|index| studio.draw(frame(index).min(recording.frames - 1)), progress)
}

/// The pictures of a film: how many and how fast.
pub(super) struct Reel {
    count: usize,
    rate: f64,
}

impl Reel {
    /// A film of `seconds` seconds with `rate` frames per second, and at most `most` frames.
    pub(super) fn new(seconds: f64, rate: f64, most: usize) -> Result<Self, FilmError> {
        if !(rate > 0.0 && rate <= MOST_RATE) {
            return Err(FilmError::Rate { rate, most: MOST_RATE });
        }
        let count = libm::floor(seconds * rate + 1e-6) as usize + 1;
        Ok(Self { count: count.min(most), rate })
    }

    /// Time of a picture since the start of the film, seconds.
    pub(super) fn time(&self, index: usize) -> f64 {
        index as f64 / self.rate
    }

    /// Draws all pictures, which are of one size, in parallel and encodes them as an endless GIF.
    pub(super) fn encode(&self, draw: &Draw<'_>, progress: &mut dyn FnMut(usize, usize)) -> Result<Vec<u8>, FilmError> {
        let samples = pictures(draw, &spread(self.count, SAMPLES))?;
        let (width, height) = samples.first().map_or((1, 1), |canvas| (canvas.width(), canvas.height()));
        let samples: Vec<Vec<u8>> = samples.iter().map(Canvas::rgb).collect();
        let colors = Colors::of(&samples, ENTRIES);
        let mut palette: Vec<u8> = colors.entries.concat();
        palette.resize(3 * 256, 0);
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, width as u16, height as u16, &palette)?;
        encoder.set_repeat(Repeat::Infinite)?;
        let mut shown: Vec<u8> = Vec::new();
        let side_by_side = rayon::current_num_threads().clamp(1, 64);
        let all: Vec<usize> = (0..self.count).collect();
        for some in all.chunks(side_by_side) {
            for (&index, picture) in some.iter().zip(pictures(draw, some)?) {
                let pixels = picture.rgb();
                let now: Vec<u8> =
                    pixels.chunks_exact(3).map(|pixel| colors.entry([pixel[0], pixel[1], pixel[2]])).collect();
                encoder.write_frame(&changes(&shown, &now, (width, delay(index, self.rate))))?;
                shown = now;
                progress(index + 1, self.count);
            }
        }
        drop(encoder);
        Ok(bytes)
    }
}

/// Draws the picture of an index.
pub(super) type Draw<'a> = dyn Fn(usize) -> Result<Canvas, FilmError> + Sync + 'a;

fn pictures(draw: &Draw<'_>, indices: &[usize]) -> Result<Vec<Canvas>, FilmError> {
    indices.par_iter().map(|&index| draw(index)).collect()
}

/// Display time of film frame `index` in hundredths of a second, chosen so that rounding errors do not add up.
fn delay(index: usize, rate: f64) -> u16 {
    let until = |index: usize| libm::round(100.0 * index as f64 / rate);
    (until(index + 1) - until(index)).clamp(2.0, 65_535.0) as u16
}

/// Encodes the smallest rectangle that holds every changed pixel; unchanged pixels in it are transparent.
fn changes(shown: &[u8], now: &[u8], (width, delay): (u32, u16)) -> Frame<'static> {
    let width = width as usize;
    let frame = Frame { delay, dispose: DisposalMethod::Keep, ..Frame::default() };
    if shown.is_empty() {
        let (width, height) = (width as u16, (now.len() / width) as u16);
        return Frame { width, height, buffer: Cow::Owned(now.to_vec()), ..frame };
    }
    let (mut left, mut right, mut top, mut bottom) = (width, 0, usize::MAX, 0);
    for (at, _) in shown.iter().zip(now).enumerate().filter(|(_, (was, is))| was != is) {
        let (x, y) = (at % width, at / width);
        (left, right, top, bottom) = (left.min(x), right.max(x + 1), top.min(y), bottom.max(y + 1));
    }
    if left >= right {
        (left, right, top, bottom) = (0, 1, 0, 1);
    }
    let row = |y: usize| y * width + left..y * width + right;
    let keep = |at: usize| if shown[at] == now[at] { UNCHANGED } else { now[at] };
    let buffer: Vec<u8> = (top..bottom).flat_map(|y| row(y).map(keep)).collect();
    Frame {
        left: left as u16,
        top: top as u16,
        width: (right - left) as u16,
        height: (bottom - top) as u16,
        transparent: Some(UNCHANGED),
        buffer: Cow::Owned(buffer),
        ..frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_add_up_to_the_time_that_has_gone_by() {
        for rate in [30.0, 24.0, 12.5, 50.0] {
            let total: u32 = (0..300).map(|index| u32::from(delay(index, rate))).sum();
            assert!((f64::from(total) / 100.0 - 300.0 / rate).abs() < 0.006, "{rate}: {total}");
        }
    }

    #[test]
    fn only_what_changes_is_written() {
        let shown = vec![1; 50];
        let mut now = shown.clone();
        (now[23], now[34]) = (7, 8);
        let frame = changes(&shown, &now, (10, 4));
        assert_eq!((frame.left, frame.top, frame.width, frame.height), (3, 2, 2, 2));
        assert_eq!(*frame.buffer, [7, UNCHANGED, UNCHANGED, 8]);
        assert_eq!(changes(&now, &now, (10, 4)).buffer.len(), 1, "a frame has at least a pixel");
    }
}
