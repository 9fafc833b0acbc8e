//! Roles of bones given by hand: a TOML file of lines `left_upper_arm = "Bone"`. Other roles stay as inferred.

use muybridge::character::Role;

use crate::{Error, Location};

/// Reads roles and bone names, in file order. An unknown role is an error that shows its line and lists the roles.
pub fn parse(bytes: &[u8]) -> Result<Vec<(Role, String)>, Error> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Error::new(Location::File, "the roles file is not UTF-8 text; save it as UTF-8"))?;
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let place = error.span().map_or(Location::File, |span| crate::error::place_in(text, span.start));
        Error::new(place, format!("{}; a role is given as: left_foot = \"Foot_L\"", error.message()))
    })?;
    let line_of = |key: &str| {
        let at = text.lines().scan(0, |start, line| {
            let here = *start;
            *start += line.len() + 1;
            Some((here, line))
        });
        let found = at.into_iter().find(|(_, line)| line.trim_start().trim_start_matches('"').starts_with(key));
        found.map_or(Location::File, |(start, _)| crate::error::place_in(text, start))
    };
    table
        .iter()
        .map(|(key, value)| {
            let role = Role::from_name(key).ok_or_else(|| {
                Error::new(line_of(key), format!("“{key}” is not a role; the roles are {}", role_names().join(", ")))
            })?;
            let bone = value.as_str().ok_or_else(|| {
                Error::new(line_of(key), format!("the bone name of {key} must be in quotes: {key} = \"Bone\""))
            })?;
            Ok((role, bone.to_string()))
        })
        .collect()
}

fn role_names() -> Vec<&'static str> {
    Role::ALL.into_iter().map(Role::name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::character::Side;

    #[test]
    fn roles_are_read_by_name_and_wrong_ones_shown_with_their_line() {
        let roles = parse(b"hips = \"pelvis\"\nleft_foot = 'ankle.L'\n").unwrap();
        assert_eq!(roles, [(Role::Hips, "pelvis".to_string()), (Role::Foot(Side::Left), "ankle.L".to_string())]);
        let error = parse(b"hips = \"pelvis\"\nleft_fot = \"x\"\n").unwrap_err();
        assert_eq!(error.place, Location::Text { line: 2, column: 1 });
        assert!(error.message.contains("left_foot"), "{error}");
    }
}
