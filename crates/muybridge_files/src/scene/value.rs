//! Stores a TOML value in a scene key, or says in a sentence why it does not fit.

use muybridge::glam::DVec3;
use muybridge::simulation::scene::nearest;
use muybridge::simulation::scene::slot::{KeySlot, NumberRange, PartPath, Waypoint};
use toml::Spanned;
use toml::de::DeValue;

use super::plan::steps;
use crate::error::Complaint;
use crate::xml::shorten;

/// A TOML value with its span in the file.
pub type Value<'a> = Spanned<DeValue<'a>>;

/// Stores a TOML value in a scene key.
pub fn fill(slot: KeySlot<'_>, value: &Value<'_>) -> Result<(), Complaint> {
    match slot {
        KeySlot::Name(place) | KeySlot::Text(place) => *place = text(value)?.into(),
        KeySlot::Part(place) => *place = PartPath(text(value)?.into()),
        KeySlot::Flag(place) => {
            *place = value.get_ref().as_bool().ok_or_else(|| wanted(value, "true or false"))?;
        }
        KeySlot::Choice(place) => place.set(word(value, place.words())?),
        KeySlot::Choices(place) => {
            let words = place.words();
            let indices: Result<Vec<usize>, Complaint> = list(value)?.iter().map(|item| word(item, words)).collect();
            place.set(&indices?);
        }
        KeySlot::Count(place, [_, most]) => *place = non_negative_integer(value, most)?,
        KeySlot::Grid(place) => *place = array(value, |item| non_negative_integer(item, u32::MAX))?,
        KeySlot::Number(place, _) => *place = number(value)?,
        KeySlot::Optional(place, _) => *place = Some(number(value)?),
        KeySlot::Angle(place, _) => *place = angle(value)?,
        KeySlot::Angles(place) => *place = array(value, angle)?,
        KeySlot::Vector(place, _) => *place = vector(value)?,
        KeySlot::Place(place) => *place = Some(vector(value)?),
        KeySlot::Steps(place) => *place = steps(value)?,
        KeySlot::Turn(place) => *place = DVec3::from_array(array(value, angle)?),
        KeySlot::Numbers(place, NumberRange::HeightOrHole) => {
            // One number for every hole, so that a scene equals itself.
            let height = |value| number(value).map(|height| if height.is_nan() { f64::NEG_INFINITY } else { height });
            *place = list(value)?.iter().map(height).collect::<Result<_, _>>()?;
        }
        KeySlot::Numbers(place, _) => *place = list(value)?.iter().map(number).collect::<Result<_, _>>()?,
        KeySlot::Vectors(place) => *place = list(value)?.iter().map(vector).collect::<Result<_, _>>()?,
        KeySlot::Path(place) => *place = list(value)?.iter().map(waypoint).collect::<Result<_, _>>()?,
        KeySlot::Indices(place) => *place = list(value)?.iter().map(index).collect::<Result<_, _>>()?,
        KeySlot::Pairs(place) => {
            *place = list(value)?.iter().map(|item| array(item, index)).collect::<Result<_, _>>()?;
        }
        KeySlot::Triples(place) => {
            *place = list(value)?.iter().map(|item| array(item, index)).collect::<Result<_, _>>()?;
        }
    }
    Ok(())
}

pub(super) fn wanted(value: &Value<'_>, what: &str) -> Complaint {
    (value.span(), format!("must be {what}, not {}", in_words(value.get_ref())))
}

fn in_words(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("the text \"{}\"", shorten(text)),
        DeValue::Integer(number) => shorten(number.as_str()),
        DeValue::Float(number) => shorten(number.as_str()),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".into(),
        DeValue::Array(items) => format!("a list of {}", items.len()),
        DeValue::Table(_) => "a table".into(),
    }
}

pub(super) fn text<'a>(value: &'a Value<'_>) -> Result<&'a str, Complaint> {
    value.get_ref().as_str().ok_or_else(|| wanted(value, "a text in quotes"))
}

fn word(value: &Value<'_>, words: &'static [&'static str]) -> Result<usize, Complaint> {
    let given = text(value)?;
    words.iter().position(|word| *word == given).ok_or_else(|| {
        let hint = nearest(given, words.iter().copied())
            .map_or_else(String::new, |near| format!("; did you mean \"{near}\"?"));
        (value.span(), format!("must be one of {}, not \"{}\"{hint}", words.join(", "), shorten(given)))
    })
}

pub(super) fn list<'a, 'b>(value: &'a Value<'b>) -> Result<&'a [Value<'b>], Complaint> {
    let items = value.get_ref().as_array().ok_or_else(|| wanted(value, "a list in brackets"))?;
    Ok(items)
}

fn array<T: Copy + Default, const N: usize>(
    value: &Value<'_>,
    item: impl Fn(&Value<'_>) -> Result<T, Complaint>,
) -> Result<[T; N], Complaint> {
    let items = list(value).map_err(|_| wanted(value, &format!("{N} numbers in brackets")))?;
    if items.len() != N {
        return Err(wanted(value, &format!("{N} numbers in brackets")));
    }
    let mut all = [T::default(); N];
    for (place, value) in all.iter_mut().zip(items) {
        *place = item(value)?;
    }
    Ok(all)
}

fn vector(value: &Value<'_>) -> Result<DVec3, Complaint> {
    Ok(DVec3::from_array(array(value, number)?))
}

fn waypoint(value: &Value<'_>) -> Result<Waypoint, Complaint> {
    let [time, x, y, z] = array(value, number)?;
    Ok(Waypoint { time, place: DVec3::new(x, y, z) })
}

fn index(value: &Value<'_>) -> Result<u32, Complaint> {
    non_negative_integer(value, u32::MAX)
}

pub(super) fn non_negative_integer(value: &Value<'_>, most: u32) -> Result<u32, Complaint> {
    let complain = || wanted(value, &format!("a whole number from 0 to {most}"));
    let integer = value.get_ref().as_integer().ok_or_else(complain)?;
    u32::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| complain())
}

pub(super) fn number(value: &Value<'_>) -> Result<f64, Complaint> {
    let complain = || wanted(value, "a number");
    match value.get_ref() {
        DeValue::Float(float) => float.as_str().parse().map_err(|_| complain()),
        // Via i64, so that no digit of a whole number is lost silently.
        DeValue::Integer(integer) => {
            let whole = i64::from_str_radix(integer.as_str(), integer.radix()).map_err(|_| complain())?;
            let number = whole as f64;
            if number as i128 == i128::from(whole) {
                Ok(number)
            } else {
                Err(wanted(value, "a number of at most 53 bits"))
            }
        }
        DeValue::String(text) => {
            let message = format!("must be a number in SI units without quotes or a unit, not \"{}\"", shorten(text));
            Err((value.span(), message))
        }
        _ => Err(complain()),
    }
}

/// Parses an angle: radians, or degrees as text, `"30 deg"`, `"30°"`.
fn angle(value: &Value<'_>) -> Result<f64, Complaint> {
    let DeValue::String(text) = value.get_ref() else { return number(value) };
    let degrees = text.strip_suffix("deg").or_else(|| text.strip_suffix('°'));
    let degrees = degrees.and_then(|number| number.trim().parse::<f64>().ok());
    degrees.map(f64::to_radians).ok_or_else(|| wanted(value, "an angle: radians as a number, or degrees as \"30 deg\""))
}
