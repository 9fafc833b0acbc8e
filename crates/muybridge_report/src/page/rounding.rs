//! Numbers rounded to integers of a decimal unit: short text with a known rounding error.
//!
//! Positions are multiples of 0.1 mm, quaternions of 1e-4, written as steps from frame to frame (small numbers, short
//! text); other series are multiples of the power of ten that keeps five digits of their largest value.

use muybridge::glam::DVec3;
use serde::Serialize;

/// Tracks one after another, delta encoded in units of `unit`. The first step of a track is its first value.
#[derive(Serialize)]
pub struct DeltaTracks {
    unit: f64,
    steps: Vec<i64>,
}

impl DeltaTracks {
    /// Rounds and delta encodes tracks of one value per frame.
    pub fn new(unit: f64, tracks: impl Iterator<Item = Vec<f64>>) -> Self {
        let mut steps = Vec::new();
        for track in tracks {
            let mut before = 0;
            for value in track {
                let now = units(value, unit);
                steps.push(now - before);
                before = now;
            }
        }
        Self { unit, steps }
    }
}

/// Values in units of `unit`, frame after frame, three per frame for vectors; `null` if undefined.
#[derive(Serialize)]
pub struct Series {
    unit: f64,
    values: Vec<Option<i64>>,
}

impl Series {
    /// Rounds one optional vector per frame.
    pub fn of_vectors(rows: &[Option<DVec3>]) -> Self {
        let components = |row: &Option<DVec3>| [0, 1, 2].map(|axis| row.map(|vector| vector[axis]));
        Self::new(&rows.iter().flat_map(components).collect::<Vec<_>>())
    }

    /// Rounds one optional value per frame. The largest value keeps five digits.
    pub fn new(values: &[Option<f64>]) -> Self {
        let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
        let largest = values.iter().filter_map(finite).fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let unit = (-9..5).map(power_of_ten).rfind(|unit| unit * 1e5 <= largest).unwrap_or(1e-9);
        Self { unit, values: values.iter().map(|value| finite(value).map(|value| units(value, unit))).collect() }
    }
}

/// A vector rounded to 0.1 mm.
pub fn millimeters(vector: DVec3) -> [f64; 3] {
    vector.to_array().map(|value| rounded(value, 1e-4))
}

/// The multiple of `unit` nearest to a value; `1 / unit` must be a whole number.
pub fn rounded(value: f64, unit: f64) -> f64 {
    units(value, unit) as f64 / (1.0 / unit).round()
}

/// Numbers of JavaScript are whole up to here, and so are differences of two of them in 64 bits.
const MOST_UNITS: f64 = (1_i64 << 53) as f64;

/// A value in units of `unit`, rounded to the nearest integer.
pub fn units(value: f64, unit: f64) -> i64 {
    (value / unit).round().clamp(-MOST_UNITS, MOST_UNITS) as i64
}

/// Power of ten, exact to the last bit because a decimal literal is parsed.
fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a decimal literal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_keeps_five_digits_of_its_largest_value() {
        for largest in [3.0e-4, 0.7, 1.0, 9.81, 1234.5, 2.0e7] {
            let series = Series::new(&[Some(largest), None, Some(f64::NAN), Some(-largest / 3.0)]);
            assert_eq!(series.values[1..3], [None, None]);
            for (value, truth) in [(series.values[0], largest), (series.values[3], -largest / 3.0)] {
                let error = (value.unwrap() as f64 * series.unit - truth).abs();
                assert!(error <= 0.5001e-5 * largest.max(1e-4), "{truth}: {error}");
            }
        }
        assert_eq!(Series::new(&[Some(0.0)]).values, [Some(0)]);
    }

    #[test]
    fn a_track_from_one_end_of_all_numbers_to_the_other_has_steps() {
        let far = DeltaTracks::new(1e-4, [vec![-1e300, 1e300, 0.0]].into_iter());
        assert_eq!(far.steps, [-(1 << 53), 1 << 54, -(1 << 53)]);
    }
}
