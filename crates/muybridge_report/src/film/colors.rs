//! Color palette of a GIF film: median cut over the colors of some of its frames, in integers.
//!
//! Boxes of colors are halved at the median of their longest side until there are enough (P. Heckbert, *Color image
//! quantization for frame buffer display*, SIGGRAPH 1982); the box that is halved next is the one with the most pixels times
//! extent, so that smooth shading keeps its steps.

/// Palette entries and a lookup table of the entry nearest to every 15-bit color.
pub(super) struct Colors {
    /// Red, green and blue of each entry.
    pub entries: Vec<[u8; 3]>,
    nearest: Vec<u8>,
}

/// Bits per channel of the lookup table.
const BITS: usize = 5;

/// A color and its number of pixels.
type Counted = ([u8; 3], u32);

impl Colors {
    /// Builds at most `count` (up to 255) colors that represent the pixels of `frames` (red, green, blue, …).
    pub(super) fn of(frames: &[Vec<u8>], count: usize) -> Self {
        let mut boxes = vec![histogram(frames)];
        while boxes.len() < count {
            let worth = |colors: &Vec<Counted>| {
                let pixels: u64 = colors.iter().map(|(_, count)| u64::from(*count)).sum();
                let extent = u64::from(longest(colors).1);
                // The square root keeps large flat areas from taking every entry.
                pixels.isqrt() * extent
            };
            let Some(next) = (0..boxes.len()).max_by_key(|&i| (worth(&boxes[i]), usize::MAX - i)) else { break };
            if longest(&boxes[next]).1 == 0 {
                break;
            }
            let (low, high) = halved(std::mem::take(&mut boxes[next]));
            boxes[next] = low;
            boxes.push(high);
        }
        let entries: Vec<[u8; 3]> =
            boxes.iter().filter(|colors| !colors.is_empty()).map(|colors| mean(colors)).collect();
        let nearest = (0..1 << (3 * BITS)).map(|index| nearest_to(&entries, color_of(index))).collect();
        Self { entries, nearest }
    }

    /// Palette entry of a color.
    pub(super) fn entry(&self, color: [u8; 3]) -> u8 {
        let bits = color.map(|channel| usize::from(channel) >> (8 - BITS));
        self.nearest[(bits[0] << (2 * BITS)) | (bits[1] << BITS) | bits[2]]
    }
}

/// Middle of the colors that share their leading bits.
fn color_of(index: usize) -> [u8; 3] {
    let mask = (1 << BITS) - 1;
    [index >> (2 * BITS), index >> BITS, index].map(|bits| ((bits & mask) << (8 - BITS)) as u8 + (1 << (7 - BITS)))
}

fn nearest_to(entries: &[[u8; 3]], color: [u8; 3]) -> u8 {
    let distance = |entry: &[u8; 3]| {
        let apart = [0, 1, 2].map(|channel| i32::from(entry[channel]) - i32::from(color[channel]));
        // The eye weighs green most and blue least.
        3 * apart[0] * apart[0] + 4 * apart[1] * apart[1] + 2 * apart[2] * apart[2]
    };
    (0..entries.len()).min_by_key(|&i| distance(&entries[i])).unwrap_or(0) as u8
}

/// Each color that occurs, with its pixel count, in order.
fn histogram(frames: &[Vec<u8>]) -> Vec<Counted> {
    let mut counts = vec![(0_u32, [0_u64; 3]); 1 << (3 * 6)];
    for pixel in frames.iter().flat_map(|frame| frame.chunks_exact(3)) {
        let at = [0, 1, 2].iter().fold(0, |at, &channel| (at << 6) | (usize::from(pixel[channel]) >> 2));
        counts[at].0 = counts[at].0.saturating_add(1);
        for channel in 0..3 {
            counts[at].1[channel] += u64::from(pixel[channel]);
        }
    }
    let seen = counts.into_iter().filter(|(count, _)| *count > 0);
    seen.map(|(count, sums)| (sums.map(|sum| (sum / u64::from(count)) as u8), count)).collect()
}

/// Channel in which the colors differ most, and the difference.
fn longest(colors: &[Counted]) -> (usize, u8) {
    let extent = |channel: usize| {
        let values = || colors.iter().map(|(color, _)| color[channel]);
        values().max().unwrap_or(0) - values().min().unwrap_or(0)
    };
    (0..3)
        .map(|channel| (channel, extent(channel)))
        .max_by_key(|&(channel, extent)| (extent, 3 - channel))
        .unwrap_or((0, 0))
}

/// Splits a box into two with half of the pixels each, none empty.
fn halved(mut colors: Vec<Counted>) -> (Vec<Counted>, Vec<Counted>) {
    let (channel, _) = longest(&colors);
    colors.sort_by_key(|(color, _)| (color[channel], *color));
    let all: u64 = colors.iter().map(|(_, count)| u64::from(*count)).sum();
    let mut sum = 0;
    let middle = colors.iter().position(|(_, count)| {
        sum += u64::from(*count);
        2 * sum >= all
    });
    let cut = (middle.unwrap_or(0) + 1).min(colors.len() - 1).max(1);
    let high = colors.split_off(cut);
    (colors, high)
}

fn mean(colors: &[Counted]) -> [u8; 3] {
    let all: u64 = colors.iter().map(|(_, count)| u64::from(*count)).sum();
    let sum =
        |channel: usize| colors.iter().map(|(color, count)| u64::from(color[channel]) * u64::from(*count)).sum::<u64>();
    [0, 1, 2].map(|channel| ((sum(channel) + all / 2) / all.max(1)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_of_few_colors_keeps_each_of_them() {
        let frame: Vec<u8> = [[0, 0, 0], [255, 255, 255], [200, 40, 40], [40, 200, 40]].concat().repeat(50);
        let colors = Colors::of(std::slice::from_ref(&frame), 255);
        assert_eq!(colors.entries.len(), 4);
        for pixel in frame.chunks_exact(3) {
            assert_eq!(colors.entries[usize::from(colors.entry([pixel[0], pixel[1], pixel[2]]))], pixel);
        }
    }

    #[test]
    fn a_gray_ramp_is_never_far_from_its_entry() {
        let frame: Vec<u8> = (0..=255_u8).flat_map(|value| [value; 3]).collect();
        let colors = Colors::of(&[frame], 64);
        assert!(colors.entries.len() <= 64);
        for value in 0..=255_u8 {
            let entry = colors.entries[usize::from(colors.entry([value; 3]))];
            assert!(entry[0].abs_diff(value) <= 6, "{value}: {entry:?}");
        }
    }
}
