//! The limits of findings as a TOML file: names and meaning are those of [`Limits`]; what is left out keeps its default.

use muybridge::analysis::Limits;

use crate::{Error, Location};

/// Reads limits. A name that is no limit is an error that shows its line.
pub fn parse(bytes: &[u8]) -> Result<Limits, Error> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::new(Location::File, "the limits are not UTF-8 text"))?;
    toml::from_str(text).map_err(|error| {
        let place = error.span().map_or(Location::File, |span| crate::error::place_in(text, span.start));
        Error::new(place, error.message().to_string())
    })
}

/// Meaning of each limit, for the one who edits it.
const MEANINGS: [(&str, &str); 17] = [
    ("gravity_g", "gravity of a flight in g: lowest and highest; outside is an error"),
    ("position_error_m", "what a skeleton gets wrong, metres: widens the above for short flights"),
    ("path_error", "sideways drift of a flight by its length: warning"),
    ("momentum_error", "change of the horizontal speed in the air by its mean: warning, error"),
    ("momentum_floor_mps", "changes of speed below this are never a finding, m/s"),
    ("spin_error", "change of the angular momentum in the air by its mean: warning, error"),
    ("spin_floor", "the same by M L sqrt(g L), L the leg; below these it is never a finding: warning, error"),
    ("balance_distance", "zero-moment point outside the support, in mean radii of it: warning, error"),
    ("balance_seconds", "and for at least as long, seconds"),
    ("skate_mps", "mean speed of what should be planted, m/s: warning, error"),
    ("float_m", "gap under what stands, metres: warning from the first"),
    ("penetration_m", "depth under the floor, metres: warning from the first"),
    ("jitter_m", "tremble of the joints from frame to frame, metres: warning, error"),
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
    /// The key with its value: "path_error = 0.1".
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

/// All limits with their values and meanings, ready to be edited.
pub fn write(limits: &Limits) -> String {
    let mut text = "# Limits of muybridge check: what lies outside is a finding.\n".to_string();
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
        assert_eq!(parse(write(&limits).as_bytes()).unwrap(), limits);
        for (key, _) in MEANINGS {
            assert!(write(&limits).contains(&format!("\n{key} = ")), "{key} is no limit");
        }
        assert!(lines(&limits).iter().all(|line| !line.meaning.is_empty()), "every limit has a meaning");
        let loose = parse(b"gravity_g = [0.5, 2.0]\n").unwrap();
        assert_eq!(loose, Limits { gravity_g: [0.5, 2.0], ..limits });
        let error = parse(b"# mine\ngravity = [0.5, 2.0]\n").unwrap_err();
        assert_eq!(error.place, Location::Text { line: 2, column: 1 });
        assert!(error.message.contains("gravity"), "{error}");
    }
}
