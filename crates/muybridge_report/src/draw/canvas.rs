//! A canvas for rectangles, lines, circles and text in pixels, x right, y down.

use tiny_skia::{
    Color, FillRule, LineCap, LineJoin, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform,
};

use super::palette::Ink;
use super::text::{Lettering, TextAnchor};

/// Stroke style of a line: color, width and dashes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pen {
    /// Color of the line.
    pub ink: Ink,
    /// Width of the line, pixels.
    pub width: f64,
    /// Lengths of dash and gap, pixels; `None` draws a solid line.
    pub dash: Option<(f64, f64)>,
}

impl Pen {
    /// A pen for a solid line.
    pub fn new(ink: Ink, width: f64) -> Self {
        Self { ink, width, dash: None }
    }

    /// The same pen with dashes, lengths in pixels.
    pub fn dashed(self, dash: f64, gap: f64) -> Self {
        Self { dash: Some((dash, gap)), ..self }
    }
}

/// Text style: size, weight, color and alignment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Type {
    /// Font size, pixels per em.
    pub size: f64,
    /// Width of an additional outline stroke as a share of the font size; 0 is the light cut.
    pub weight: f64,
    /// Color of the text.
    pub ink: Ink,
    /// Position of the text relative to its anchor.
    pub align: TextAnchor,
}

/// An opaque picture being drawn.
pub struct Canvas {
    pixmap: Pixmap,
    /// The embedded fonts.
    pub lettering: Lettering,
}

impl Canvas {
    /// A canvas of one color; `None` if a side is 0 or the picture would not fit in memory.
    pub fn new(width: u32, height: u32, paper: Ink) -> Option<Self> {
        let mut pixmap = Pixmap::new(width, height)?;
        pixmap.fill(color(paper.faded(1.0)));
        Some(Self { pixmap, lettering: Lettering::new() })
    }

    /// Width of the canvas, pixels.
    pub fn width(&self) -> u32 {
        self.pixmap.width()
    }

    /// Height of the canvas, pixels.
    pub fn height(&self) -> u32 {
        self.pixmap.height()
    }

    /// Red, green and blue of every pixel, row by row.
    pub fn rgb(&self) -> Vec<u8> {
        self.pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    }

    /// The canvas as an 8-bit RGB PNG.
    ///
    /// # Errors
    /// Fails if the PNG encoder fails.
    pub fn png(&self) -> Result<Vec<u8>, png::EncodingError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width(), self.height());
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.rgb())?;
        writer.finish()?;
        Ok(bytes)
    }

    /// The color of a pixel; `None` outside the canvas.
    pub fn pixel(&self, x: u32, y: u32) -> Option<Ink> {
        let pixel = self.pixmap.pixel(x, y)?;
        Some(Ink { red: pixel.red(), green: pixel.green(), blue: pixel.blue(), alpha: 255 })
    }

    /// Blends `ink` over one pixel with `coverage` 0 to 1; pixels outside the canvas are ignored.
    pub fn blend(&mut self, x: u32, y: u32, ink: Ink, coverage: f64) {
        if x >= self.width() || y >= self.height() {
            return;
        }
        let at = 4 * (y as usize * self.width() as usize + x as usize);
        let under = &mut self.pixmap.data_mut()[at..at + 3];
        for (below, above) in under.iter_mut().zip([ink.red, ink.green, ink.blue]) {
            *below = (f64::from(*below) + (f64::from(above) - f64::from(*below)) * coverage + 0.5) as u8;
        }
    }

    /// Copies another canvas to a place; the parts of it outside this canvas are left out.
    pub fn paste(&mut self, other: &Self, (left, top): (u32, u32)) {
        let columns = other.width().min(self.width().saturating_sub(left)) as usize;
        let rows = other.height().min(self.height().saturating_sub(top));
        let (wide, its) = (self.width() as usize, other.width() as usize);
        for row in 0..rows as usize {
            let (to, from) = (4 * ((top as usize + row) * wide + left as usize), 4 * row * its);
            let pixels = &other.pixmap.data()[from..from + 4 * columns];
            self.pixmap.data_mut()[to..to + 4 * columns].copy_from_slice(pixels);
        }
    }

    /// Fills a rectangle given by its top left corner and size.
    pub fn rectangle(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), ink: Ink) {
        if let Some(rect) = Rect::from_xywh(x as f32, y as f32, width as f32, height as f32) {
            self.pixmap.fill_rect(rect, &paint(ink), Transform::identity(), None);
        }
    }

    /// Fills a rectangle with a vertical color gradient from `top` to `foot`.
    pub fn gradient(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), (top, foot): (Ink, Ink)) {
        let rows = height.max(0.0) as u32;
        for row in 0..rows {
            let amount = f64::from(row) / f64::from(rows.max(2) - 1);
            self.rectangle((x, y + f64::from(row)), (width, 1.0), top.toward(foot, amount));
        }
    }

    /// Draws a straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), pen: Pen) {
        self.polyline(&[from, to], pen);
    }

    /// Draws a polyline with round joins and ends.
    pub fn polyline(&mut self, points: &[(f64, f64)], pen: Pen) {
        if let Some(path) = through(points).finish() {
            self.stroke(&path, pen);
        }
    }

    /// Fills a polygon.
    pub fn polygon(&mut self, points: &[(f64, f64)], ink: Ink) {
        let mut path = through(points);
        path.close();
        if let Some(path) = path.finish() {
            self.pixmap.fill_path(&path, &paint(ink), FillRule::Winding, Transform::identity(), None);
        }
    }

    /// Fills a circle.
    pub fn disc(&mut self, (x, y): (f64, f64), radius: f64, ink: Ink) {
        if let Some(path) = PathBuilder::from_circle(x as f32, y as f32, radius as f32) {
            self.pixmap.fill_path(&path, &paint(ink), FillRule::Winding, Transform::identity(), None);
        }
    }

    /// Draws the outline of a circle.
    pub fn ring(&mut self, (x, y): (f64, f64), radius: f64, pen: Pen) {
        if let Some(path) = PathBuilder::from_circle(x as f32, y as f32, radius as f32) {
            self.stroke(&path, pen);
        }
    }

    /// Draws one line of text with its baseline at `y`. Returns its width in pixels.
    pub fn text(&mut self, text: &str, (x, y): (f64, f64), style: Type) -> f64 {
        let width = self.lettering.width(text, style.size);
        let left = match style.align {
            TextAnchor::Left => x,
            TextAnchor::Middle => x - 0.5 * width,
            TextAnchor::Right => x - width,
        };
        if let Some(path) = self.lettering.outline(text, style.size, (left, y)) {
            self.pixmap.fill_path(&path, &paint(style.ink), FillRule::Winding, Transform::identity(), None);
            if style.weight > 0.0 {
                self.stroke(&path, Pen::new(style.ink, style.weight * style.size));
            }
        }
        width
    }

    fn stroke(&mut self, path: &Path, pen: Pen) {
        let stroke = Stroke {
            width: pen.width as f32,
            line_cap: LineCap::Round,
            line_join: LineJoin::Round,
            dash: pen.dash.and_then(|(dash, gap)| StrokeDash::new(vec![dash as f32, gap as f32], 0.0)),
            ..Stroke::default()
        };
        self.pixmap.stroke_path(path, &paint(pen.ink), &stroke, Transform::identity(), None);
    }
}

fn color(ink: Ink) -> Color {
    Color::from_rgba8(ink.red, ink.green, ink.blue, ink.alpha)
}

fn paint(ink: Ink) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(color(ink));
    paint.anti_alias = true;
    paint
}
/// A path of straight lines through points.
fn through(points: &[(f64, f64)]) -> PathBuilder {
    let mut path = PathBuilder::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        if index == 0 {
            path.move_to(x as f32, y as f32);
        } else {
            path.line_to(x as f32, y as f32);
        }
    }
    path
}
