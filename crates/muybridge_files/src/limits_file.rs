//! The limits of findings as a TOML file. Keys are the fields of [`Limits`]; a key left out keeps its default.

use std::borrow::Cow;
use std::ops::Range;

use muybridge::analysis::Limits;
use serde::Deserialize;
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

use crate::{Error, Location};

/// Earlier names of limits, which files may still use, and the names they have now.
const RENAMED: [(&str, &str); 6] = [
    ("position_error_m", "skeleton_error_m"),
    ("momentum_floor_mps", "ignore_speed_change_mps"),
    ("spin_error", "angular_momentum_error"),
    ("spin_floor", "angular_momentum_floor"),
    ("balance_distance", "zmp_distance"),
    ("balance_seconds", "zmp_seconds"),
];

/// Limits that are no more, and what to do about them.
const GONE: [(&str, &str); 1] = [(
    "path_error",
    "path_error is no limit any more: path_m judges the way of a flight, in meters; remove path_error, or give path_m",
)];

/// Reads limits. Returns them with a note for every earlier name that the file uses.
///
/// # Errors
/// Show the line: of a name that is no limit, of a value of the wrong kind or that is not finite, of a pair whose first number
/// is the greater one, and of a limit that is given by both of its names.
pub fn parse(bytes: &[u8]) -> Result<(Limits, Vec<String>), Error> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::new(Location::File, "the limits file is not UTF-8 text; save it as UTF-8"))?;
    let at = |span: Option<Range<usize>>, message: String| {
        Error::new(span.map_or(Location::File, |span| crate::error::place_in(text, span.start)), message)
    };
    let refused = |error: toml::de::Error| at(error.span(), error.message().to_string());
    let mut document = DeTable::parse(text).map_err(refused)?;
    let (table, mut notes) = (document.get_mut(), Vec::new());
    for (earlier, name) in RENAMED {
        let Some((key, value)) = table.remove_entry(earlier) else { continue };
        if table.contains_key(name) {
            let message = format!("{earlier} is the old name of {name}, and the file gives both; remove one");
            return Err(at(Some(key.span()), message));
        }
        notes.push(format!("the limit {earlier} is now called {name}"));
        table.insert(Spanned::new(key.span(), Cow::Borrowed(name)), value);
    }
    for (earlier, message) in GONE {
        if let Some((key, _)) = table.get_key_value(earlier) {
            return Err(at(Some(key.span()), message.to_owned()));
        }
    }
    let spans: Vec<(String, Range<usize>)> =
        table.iter().map(|(key, value)| (key.get_ref().to_string(), value.span())).collect();
    let limits = Limits::deserialize(Deserializer::from(document)).map_err(refused)?;
    match senseless(&limits) {
        None => Ok((limits, notes)),
        Some((key, message)) => {
            let span = spans.into_iter().find(|(name, _)| *name == key).map(|(_, span)| span);
            Err(at(span, message))
        }
    }
}

/// Greatest number of a limit, in any unit.
const GREATEST: f64 = 1e9;

/// The first limit that is no number of a size that physics has, or whose two numbers are exchanged, and a sentence about
/// it.
fn senseless(limits: &Limits) -> Option<(String, String)> {
    let table = toml::Table::try_from(limits).unwrap_or_default();
    table.into_iter().find_map(|(key, value)| {
        let numbers: Vec<f64> = match &value {
            toml::Value::Array(pair) => pair.iter().filter_map(toml::Value::as_float).collect(),
            one => one.as_float().into_iter().collect(),
        };
        let message = if !numbers.iter().all(|number| number.abs() <= GREATEST) {
            format!("{key} holds no number of a limit: give one up to {GREATEST:e}")
        } else if numbers.windows(2).any(|pair| pair[0] > pair[1]) {
            format!(
                "the limits of {key} are exchanged: {value} begins with the greater one; write the smaller one first"
            )
        } else {
            return None;
        };
        Some((key, message))
    })
}

/// Meaning of each limit, for the one who edits it.
const MEANINGS: [(&str, &str); 20] = [
    ("gravity_g", "gravity of a flight in g: lowest and highest"),
    (
        "skeleton_error_m",
        "error of positions on a skeleton, meters of an adult: widens the limits above for short flights",
    ),
    ("path_m", "sideways error of a flight, meters of an adult: warning, error"),
    ("shape_m", "vertical distance of a flight from its parabola, meters of an adult: warning, error"),
    (
        "momentum_error",
        "change of the horizontal speed in the air by its mean, where path_m is exceeded: warning, error",
    ),
    (
        "ignore_speed_change_mps",
        "changes of speed below this are never a finding, below twice this never an error, m/s",
    ),
    ("angular_momentum_error", "change of the angular momentum in the air by its mean: warning, error"),
    (
        "angular_momentum_floor",
        "the same by M L sqrt(g L), L the leg: warning, error; the milder of the two grades counts",
    ),
    ("zmp_distance", "zero-moment point outside the support, in mean radii of it: warning, error"),
    ("zmp_seconds", "how long zmp_distance must be exceeded to count, seconds; an error takes twice as long"),
    ("skate_mps", "speed of what is planted, m/s: warning (a body without feet: from 2.3 times as much), error"),
    ("float_m", "gap between a standing body and the floor, meters of an adult: warning from the first"),
    (
        "penetration_m",
        "depth under the floor, meters of an adult: warning; error for a human that rests so deep for long",
    ),
    ("drift_m", "rise or fall of what carries the body, meters of an adult: warning, error"),
    ("ground_force_weights", "force of the ground by the weight: an error below the first and above the second"),
    ("jitter_m", "tremble of the joints from frame to frame, meters of an adult: warning, error"),
    ("loop_seam", "jump from the last frame to the first by a usual step (with --loop): warning from the first"),
    (
        "horizontal_weight",
        "how much sooner viewers notice an error of horizontal speed than of vertical (in noticeability)",
    ),
    ("acceleration_weight", "how much sooner they notice too strong a gravity than too weak a one (in noticeability)"),
    ("distance_weight", "cost, in muybridge fix, of moving a body by a tenth of its leg, against a fifth of its speed"),
];

/// A limit as the file shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitLine {
    /// Key in the file.
    pub key: String,
    /// The key with its value: "zmp_seconds = 0.2".
    pub assignment: String,
    /// Meaning of the limit, for the one who edits it; empty where none is known.
    pub meaning: &'static str,
}

/// All limits in the order of the file.
pub fn lines(limits: &Limits) -> Vec<LimitLine> {
    let described = |line: &str| {
        let key = line.split(" =").next().unwrap_or_default();
        let meaning = MEANINGS.iter().find(|(name, _)| *name == key).map_or("", |(_, meaning)| meaning);
        LimitLine { key: key.to_owned(), assignment: line.to_owned(), meaning }
    };
    toml::to_string(limits).unwrap_or_default().lines().map(described).collect()
}

/// Writes all limits with their values and meanings, ready to edit.
pub fn write(limits: &Limits) -> String {
    let mut text = "# Limits of muybridge check: what lies outside is a finding. Lengths of an adult are for a leg of 0.9 m, and grow with it.\n\
        # \"muybridge explain flight.gravity\" says all that a finding asks for.\n"
        .to_string();
    for LimitLine { assignment, meaning, .. } in lines(limits) {
        text += &format!("\n# {meaning}\n{assignment}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use muybridge::analysis::FindingId;

    use super::*;

    #[test]
    fn every_limit_is_that_of_a_finding_and_every_finding_names_limits_there_are() {
        let known: Vec<String> = lines(&Limits::default()).into_iter().map(|line| line.key).collect();
        let named: Vec<&str> = FindingId::ALL.iter().flat_map(|id| id.facts().limits).copied().collect();
        for name in &named {
            assert!(known.iter().any(|key| key == name), "{name} is no limit");
        }
        // Weights decide no finding.
        for key in known.iter().filter(|key| !key.ends_with("_weight")) {
            assert!(named.contains(&key.as_str()), "no finding names the limit {key}");
        }
    }

    #[test]
    fn s36_limits_are_written_and_read_and_wrong_names_are_shown() {
        let limits = Limits::default();
        assert_eq!(parse(write(&limits).as_bytes()).unwrap(), (limits.clone(), Vec::new()));
        for (key, _) in MEANINGS {
            assert!(write(&limits).contains(&format!("\n{key} = ")), "{key} is no limit");
        }
        assert!(lines(&limits).iter().all(|line| !line.meaning.is_empty()), "every limit has a meaning");
        let (loose, _) = parse(b"gravity_g = [0.5, 2.0]\n").unwrap();
        assert_eq!(loose, Limits { gravity_g: [0.5, 2.0], ..limits });
        let error = parse(b"# mine\ngravity = [0.5, 2.0]\n").unwrap_err();
        assert_eq!(error.place, Location::Text { line: 2, column: 1 });
        assert!(error.message.contains("gravity"), "{error}");
        for (earlier, name) in RENAMED {
            assert!(write(&limits).contains(&format!("\n{name} = ")), "{earlier} became {name}, which is no limit");
        }
        let error = parse(b"zmp_seconds = 0.3\npath_error = 0.1\n").unwrap_err();
        assert_eq!(error.place, Location::Text { line: 2, column: 1 });
        assert!(error.message.contains("path_m") && !error.message.contains("expected"), "{error}");
        let error = parse(b"\nspin_floor = 3\n").unwrap_err();
        assert_eq!(error.place, Location::Text { line: 2, column: 14 }, "the place of a value under an earlier name");
    }
}
