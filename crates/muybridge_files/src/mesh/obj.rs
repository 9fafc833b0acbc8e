//! Wavefront OBJ: points, texture coordinates and faces; everything else is counted and ignored.
//!
//! ```text
//! v x y z …        vt u v …        f p[/t[/n]] p[/t[/n]] p[/t[/n]] …        \ at the end of a line: it goes on
//! indices count from 1, or back from the last point so far from −1; quads are cut along their shorter diagonal, larger faces become fans
//! ```
//! Source: *Object files (.obj)*, Wavefront Advanced Visualizer manual, appendix B1. A point has the texture coordinates of
//! the first face that names it.

use std::collections::BTreeMap;

use muybridge::collision::polygons;
use muybridge::glam::{DVec2, DVec3};

use super::{ImportedMesh, ReadMesh};
use crate::{Error, Location, decimal_comma};

/// Reads the text of an OBJ file. Errors name line and column.
pub(super) fn read(bytes: &[u8]) -> Result<ReadMesh, Error> {
    if bytes.contains(&0) {
        let message = format!("this is no OBJ text and no glTF; meshes are read from {}", super::known());
        return Err(Error::new(Location::File, message));
    }
    let text = String::from_utf8_lossy(bytes);
    let mut reading = Reading::default();
    for line in logical_lines(&text) {
        reading.line(&line)?;
    }
    reading.finish()
}

/// A logical line: a line joined with its continuation lines, without its comment.
struct ObjLine {
    /// Line number, from 1.
    number: usize,
    text: String,
}

fn logical_lines(text: &str) -> impl Iterator<Item = ObjLine> {
    let mut lines = text.lines().enumerate();
    std::iter::from_fn(move || {
        let (index, first) = lines.next()?;
        let mut text = without_comment(first).to_owned();
        while text.ends_with('\\') {
            text.pop();
            let Some((_, next)) = lines.next() else { break };
            text.push(' ');
            text.push_str(without_comment(next));
        }
        Some(ObjLine { number: index + 1, text })
    })
}

fn without_comment(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim_end()
}

impl ObjLine {
    fn error(&self, message: String) -> Error {
        Error::new(Location::Text { line: self.number, column: 1 }, message)
    }

    /// The first `N` numbers after the keyword; at least `least` of them are required.
    fn numbers<const N: usize>(&self, least: usize) -> Result<[f64; N], Error> {
        let mut numbers = [0.0; N];
        let mut words = self.text.split_whitespace().skip(1);
        for (index, number) in numbers.iter_mut().enumerate() {
            let Some(word) = words.next() else {
                if index >= least {
                    break;
                }
                return Err(self.error(format!("{least} numbers were expected in “{}”", shortened(&self.text))));
            };
            let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
            let wrong = || format!("“{}” is not a finite number{}", shortened(word), decimal_comma(word));
            *number = value.ok_or_else(|| self.error(wrong()))?;
        }
        Ok(numbers)
    }
}

#[derive(Default)]
struct Reading {
    points: Vec<DVec3>,
    coordinates: Vec<DVec2>,
    faces: Vec<Vec<usize>>,
    /// Texture coordinate of each point that a face gave one.
    uv: BTreeMap<usize, usize>,
    bare_corners: bool,
    /// Greatest indices so far, each with its line.
    farthest_point: (usize, usize),
    farthest_coordinate: (usize, usize),
    ignored: BTreeMap<String, usize>,
}

impl Reading {
    fn line(&mut self, line: &ObjLine) -> Result<(), Error> {
        let Some(word) = line.text.split_whitespace().next() else { return Ok(()) };
        match word {
            "v" => self.points.push(DVec3::from_array(line.numbers::<3>(3)?)),
            "vt" => self.coordinates.push(DVec2::from_array(line.numbers::<2>(1)?)),
            "f" => self.face(line)?,
            // Normals, names, groups, smoothing and materials do not affect points and triangles.
            "vn" | "vp" | "o" | "g" | "s" | "usemtl" | "mtllib" => {}
            known @ ("l" | "p" | "curv" | "curv2" | "surf" | "cstype" | "deg" | "parm" | "end" | "bmat" | "step") => {
                *self.ignored.entry(known.to_owned()).or_default() += 1;
            }
            other if self.points.is_empty() => {
                let message = format!(
                    "“{}” begins no line of an OBJ file; meshes are read from {}",
                    shortened(other),
                    super::known()
                );
                return Err(line.error(message));
            }
            _ => *self.ignored.entry("unknown lines".to_owned()).or_default() += 1,
        }
        Ok(())
    }

    fn face(&mut self, line: &ObjLine) -> Result<(), Error> {
        let corners: Result<Vec<usize>, Error> =
            line.text.split_whitespace().skip(1).map(|word| self.corner(line, word)).collect();
        let corners = corners?;
        if corners.len() < 3 {
            return Err(line.error(format!("a face needs at least three corners, this one has {}", corners.len())));
        }
        self.faces.push(corners);
        Ok(())
    }

    fn corner(&mut self, line: &ObjLine, word: &str) -> Result<usize, Error> {
        let mut parts = word.split('/');
        let point = index(line, parts.next().unwrap_or_default(), self.points.len())?;
        if point >= self.farthest_point.0 {
            self.farthest_point = (point, line.number);
        }
        match parts.next().filter(|part| !part.is_empty()) {
            Some(part) => {
                let coordinate = index(line, part, self.coordinates.len())?;
                if coordinate >= self.farthest_coordinate.0 {
                    self.farthest_coordinate = (coordinate, line.number);
                }
                self.uv.entry(point).or_insert(coordinate);
            }
            None => self.bare_corners = true,
        }
        Ok(point)
    }

    fn finish(self) -> Result<ReadMesh, Error> {
        let missing = |(farthest, line): (usize, usize), count: usize, what: &str| {
            let message = format!("the face names {what} {}, the file has {count}", farthest + 1);
            (line > 0 && farthest >= count).then(|| Error::new(Location::Text { line, column: 1 }, message))
        };
        let wrong = missing(self.farthest_point, self.points.len(), "point");
        if let Some(error) =
            wrong.or_else(|| missing(self.farthest_coordinate, self.coordinates.len(), "texture coordinate"))
        {
            return Err(error);
        }
        let with_uv = !self.bare_corners && !self.uv.is_empty();
        let uv_of = |point: usize| self.uv.get(&point).map_or(DVec2::ZERO, |&at| self.coordinates[at]);
        let uv = with_uv.then(|| (0..self.points.len()).map(uv_of).collect());
        let notes = self.ignored.iter().map(|(what, count)| format!("{count} × “{what}” were ignored")).collect();
        let triangles = self.faces.iter().flat_map(|face| polygons::cut(&self.points, face)).collect();
        Ok(ReadMesh { mesh: ImportedMesh { points: self.points, triangles, uv }, notes })
    }
}

/// Converts an index as written (from 1, or back from the end) to one from 0.
fn index(line: &ObjLine, word: &str, so_far: usize) -> Result<usize, Error> {
    let wrong = |why: &str| line.error(format!("“{}” is not an index of a face: {why}", shortened(word)));
    let number: i64 = word.parse().map_err(|_| wrong("a whole number was expected"))?;
    let found = match number {
        0 => return Err(wrong("indices count from 1")),
        1.. => usize::try_from(number - 1).ok(),
        _ => number.unsigned_abs().try_into().ok().and_then(|back: usize| so_far.checked_sub(back)),
    };
    found.ok_or_else(|| wrong("it counts back beyond the beginning"))
}

fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
