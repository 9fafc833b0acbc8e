//! Text as outlines of embedded fonts.
//!
//! Ubuntu Light is drawn unchanged, or with its outline stroked for a heavier weight. Coordinates of glyphs
//! are scaled by `size / units per em`; x runs right, y down, the origin on the baseline.

use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Text alignment relative to its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextAnchor {
    /// The anchor is the left end of the baseline.
    Left,
    /// The anchor is the middle of the baseline.
    Middle,
    /// The anchor is the right end of the baseline.
    Right,
}

/// The embedded fonts, parsed once.
pub struct Lettering {
    faces: [Face<'static>; 2],
}

impl Default for Lettering {
    fn default() -> Self {
        Self::new()
    }
}

impl Lettering {
    /// Parses the fonts compiled into the program.
    pub fn new() -> Self {
        let face = |bytes| Face::parse(bytes, 0).expect("the embedded fonts are well-formed");
        Self { faces: [face(epaint_default_fonts::UBUNTU_LIGHT), face(epaint_default_fonts::HACK_REGULAR)] }
    }

    /// Width of `text` in pixels at `size` pixels per em.
    pub fn width(&self, text: &str, size: f64) -> f64 {
        text.chars().map(|character| self.advance(character) * size).sum()
    }

    /// The outline of `text` with its baseline starting at (x, y); `None` if no glyph has an outline.
    pub fn outline(&self, text: &str, size: f64, (x, y): (f64, f64)) -> Option<Path> {
        let mut pen = GlyphPen { path: PathBuilder::new(), x, y, scale: 1.0 };
        for character in text.chars() {
            let (face, glyph) = self.glyph(character);
            pen.scale = size / f64::from(face.units_per_em());
            face.outline_glyph(glyph, &mut pen);
            pen.x += self.advance(character) * size;
        }
        pen.path.finish()
    }

    /// Breaks `text` at spaces into lines at most `width` pixels wide; a longer word gets its own line.
    pub fn wrap(&self, text: &str, size: f64, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            match lines.last_mut() {
                Some(line) if self.width(line, size) + self.width(" ", size) + self.width(word, size) <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        lines
    }

    /// `text`, or as much of its beginning as fits in `width` pixels followed by an ellipsis.
    pub fn fit(&self, text: &str, size: f64, width: f64) -> String {
        if self.width(text, size) <= width {
            return text.to_owned();
        }
        let mut room = width - self.width("…", size);
        let kept = text.chars().take_while(|&character| {
            room -= self.advance(character) * size;
            room >= 0.0
        });
        kept.chain(['…']).collect()
    }

    fn advance(&self, character: char) -> f64 {
        let (face, glyph) = self.glyph(character);
        f64::from(face.glyph_hor_advance(glyph).unwrap_or(0)) / f64::from(face.units_per_em())
    }

    fn glyph(&self, character: char) -> (&Face<'static>, GlyphId) {
        let found = self.faces.iter().find_map(|face| face.glyph_index(character).map(|glyph| (face, glyph)));
        found.unwrap_or_else(|| (&self.faces[0], self.faces[0].glyph_index('?').unwrap_or(GlyphId(0))))
    }
}

struct GlyphPen {
    path: PathBuilder,
    x: f64,
    y: f64,
    scale: f64,
}

impl GlyphPen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        ((self.x + self.scale * f64::from(x)) as f32, (self.y - self.scale * f64::from(y)) as f32)
    }
}

impl OutlineBuilder for GlyphPen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_of_the_pictures_has_a_glyph() {
        let lettering = Lettering::new();
        for symbol in "°²³·–±×…“”’−µ".chars() {
            assert!(lettering.faces.iter().any(|face| face.glyph_index(symbol).is_some()), "{symbol}");
        }
    }

    #[test]
    fn digits_are_equally_wide_so_that_columns_align() {
        let lettering = Lettering::new();
        let zero = lettering.width("0", 20.0);
        assert!("123456789".chars().all(|digit| lettering.width(&digit.to_string(), 20.0) == zero));
    }

    #[test]
    fn wrapped_lines_fit_and_lose_no_word() {
        let lettering = Lettering::new();
        let text = "Give the flight 6 more frames, or lower its apex by 31 cm";
        let lines = lettering.wrap(text, 22.0, 180.0);
        assert!(lines.iter().all(|line| lettering.width(line, 22.0) <= 180.0));
        assert_eq!(lines.join(" "), text);
    }
}
