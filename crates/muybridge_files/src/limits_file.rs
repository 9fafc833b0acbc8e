//! The limits of findings as a TOML file: names and meaning are those of [`Limits`]; what is left out keeps its default.

use muybridge::analysis::Limits;

use crate::{Error, Place};

/// Reads limits. A name that is no limit is an error that shows its line.
pub fn parse(bytes: &[u8]) -> Result<Limits, Error> {
    let text = std::str::from_utf8(bytes).map_err(|_| Error::new(Place::File, "the limits are not UTF-8 text"))?;
    toml::from_str(text).map_err(|error| {
        let place = error.span().map_or(Place::File, |span| crate::error::place_in(text, span.start));
        Error::new(place, error.message().to_string())
    })
}

/// All limits with their values, ready to be edited.
pub fn write(limits: &Limits) -> String {
    let body = toml::to_string(limits).unwrap_or_default();
    format!(
        "# Limits of muybridge check: what lies outside is a finding.\n# Pairs are warning and error; gravity_g is lowest and highest.\n{body}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s36_limits_are_written_and_read_and_wrong_names_are_shown() {
        let limits = Limits::default();
        assert_eq!(parse(write(&limits).as_bytes()).unwrap(), limits);
        let loose = parse(b"gravity_g = [0.5, 2.0]\n").unwrap();
        assert_eq!(loose, Limits { gravity_g: [0.5, 2.0], ..limits });
        let error = parse(b"# mine\ngravity = [0.5, 2.0]\n").unwrap_err();
        assert_eq!(error.place, Place::Text { line: 2, column: 1 });
        assert!(error.message.contains("gravity"), "{error}");
    }
}
