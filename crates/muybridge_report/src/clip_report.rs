//! Input of every report of one clip: the clip, its character and its analysis.

use muybridge::analysis::Analysis;
use muybridge::character::Character;
use muybridge::glam::DVec3;
use muybridge::motion::Clip;

/// Input of all reports about one analyzed clip.
#[derive(Clone, Copy, Debug)]
pub struct ClipReport<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Meters per unit of length of the file.
    pub meters_per_unit: f64,
    /// Reason for the unit, in words: "inferred: height 1.71 m".
    pub unit_source: &'a str,
    /// Up axis of the file: "x", "y" or "z".
    pub up: &'a str,
    /// Analysis of the clip.
    pub analysis: &'a Analysis,
    /// Messages of the reader about parts of the file that were skipped, one sentence each.
    pub ignored: &'a [String],
    /// Name of the character: that of its root bone, with `#2` and so on where characters of the file have the same.
    pub character_name: &'a str,
    /// Whether the file holds other characters.
    pub has_companions: bool,
    /// The character, in meters, y up.
    pub character: &'a Character,
    /// The motion, in meters, y up.
    pub clip: &'a Clip,
    /// Triangles of the uneven ground that the motion was judged against, meters; none where the floor is level.
    pub ground: &'a [[DVec3; 3]],
}

impl ClipReport<'_> {
    /// Height of the ground under a place, meters: of the highest triangle there that is no higher than half a meter over it, else of the
    /// level floor.
    pub(crate) fn ground_under(&self, place: DVec3) -> Option<f64> {
        const ABOVE: f64 = 0.5;
        if self.ground.is_empty() {
            return self.analysis.floor;
        }
        let heights = self.ground.iter().filter_map(|corners| height_in(corners, place));
        heights.filter(|height| *height <= place.y + ABOVE).reduce(f64::max)
    }
}

/// Height of a triangle over or under a place; `None` beside it.
fn height_in(&[a, b, c]: &[DVec3; 3], place: DVec3) -> Option<f64> {
    let area = |p: DVec3, q: DVec3, r: DVec3| (q.x - p.x) * (r.z - p.z) - (q.z - p.z) * (r.x - p.x);
    let whole = area(a, b, c);
    let shares = [area(place, b, c), area(place, c, a), area(place, a, b)].map(|part| part / whole);
    // An upright triangle has no shares that are numbers.
    shares.iter().all(|share| *share >= -1e-9).then(|| shares[0] * a.y + shares[1] * b.y + shares[2] * c.y)
}

/// A file that could not be read. Reports list it among the analyzed clips.
#[derive(Clone, Copy, Debug)]
pub struct UnreadClip<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    /// Error message of the reader, one sentence.
    pub error: &'a str,
}

impl ClipReport<'_> {
    /// Name of the character where the file holds several; else empty.
    pub fn one_of_several(&self) -> &str {
        if self.has_companions { self.character_name } else { "" }
    }

    /// File name without its folders.
    pub fn file_name(&self) -> &str {
        self.file.rsplit(['/', '\\']).next().unwrap_or(self.file)
    }
}
