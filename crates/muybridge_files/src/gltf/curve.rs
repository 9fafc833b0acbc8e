//! The keys of a sampler: evaluates the curve at a time, and inserts keys on the curve.
//!
//! An inserted key does not change the curve: a straight segment becomes two, an arc on the sphere two arcs, and a cubic two
//! parts of the same cubic, whose slope at the cut is the tangent on both sides:
//!
//! ```text
//! dv/dt = [(6u² − 6u) v_k + d (3u² − 4u + 1) b_k + (6u − 6u²) v_{k+1} + d (3u² − 2u) a_{k+1}] / d
//! ```
//! Source: derivative of the spline of the Khronos glTF 2.0 specification, appendix C. Splines of rotations are scaled to
//! length 1 between keys, so that their parts agree at the cut in value and slope.

use muybridge::glam::DQuat;

use super::accessor::Accessors;
use super::track::{Interpolation, slerp};
use super::tree::JsonNode;
use crate::Error;

/// A curve with keys of any number of components.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct KeyCurve {
    pub interpolation: Interpolation,
    /// Whether values are quaternions.
    pub turns: bool,
    /// Number of components of a value.
    pub width: usize,
    /// Key times, seconds, strictly increasing.
    pub times: Vec<f64>,
    /// One value per key; for splines, in-tangent, value and out-tangent.
    pub values: Vec<f64>,
}

/// Parts of a spline key: in-tangent, value, out-tangent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SplinePart {
    Arriving,
    Value,
    Leaving,
}

impl KeyCurve {
    /// Reads the curve of a sampler; `None` if its numbers make no keys. Of several keys at one time, the last is used.
    pub fn read(sampler: &JsonNode, accessors: &Accessors, turns: bool) -> Result<Option<Self>, Error> {
        let interpolation = Interpolation::of(sampler)?;
        let times = accessors.numbers(sampler.need("input")?.non_negative_integer()?)?;
        let numbers = accessors.numbers(sampler.need("output")?.non_negative_integer()?)?;
        let parts = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        let ordered = times.windows(2).all(|t| t[1] >= t[0]) && times.iter().chain(&*numbers).all(|n| n.is_finite());
        if times.is_empty() || numbers.is_empty() || !numbers.len().is_multiple_of(parts * times.len()) || !ordered {
            return Ok(None);
        }
        let stride = numbers.len() / times.len();
        let mut curve = Self {
            interpolation,
            turns,
            width: stride / parts,
            times: Vec::new(),
            values: Vec::with_capacity(numbers.len()),
        };
        for (key, &time) in times.iter().enumerate().filter(|&(key, time)| times.get(key + 1) != Some(time)) {
            curve.times.push(time);
            curve.values.extend_from_slice(&numbers[key * stride..][..stride]);
        }
        Ok(Some(curve))
    }

    /// A constant curve with linear interpolation and keys at these times.
    pub fn constant(times: Vec<f64>, value: &[f64], turns: bool) -> Self {
        let values = times.iter().flat_map(|_| value.iter().copied()).collect();
        Self { interpolation: Interpolation::Linear, turns, width: value.len(), times, values }
    }

    /// Number of numbers per key.
    pub fn stride(&self) -> usize {
        if self.interpolation == Interpolation::CubicSpline { 3 * self.width } else { self.width }
    }

    /// A part of a key; its value if the key has no tangents.
    pub fn part(&self, key: usize, part: SplinePart) -> &[f64] {
        let start = self.start_of(key, part);
        &self.values[start..start + self.width]
    }

    /// Write access to a part of a key.
    pub fn part_mut(&mut self, key: usize, part: SplinePart) -> &mut [f64] {
        let start = self.start_of(key, part);
        &mut self.values[start..start + self.width]
    }

    fn start_of(&self, key: usize, part: SplinePart) -> usize {
        let splines = self.interpolation == Interpolation::CubicSpline;
        key * self.stride() + if splines { part as usize * self.width } else { 0 }
    }

    /// The key nearest to a time, at most `near` away; `None` if there is none.
    pub fn key_at(&self, seconds: f64, near: f64) -> Option<usize> {
        let after = self.times.partition_point(|&time| time < seconds);
        let close = |key: &usize| self.times.get(*key).is_some_and(|time| (time - seconds).abs() <= near);
        [after, after.wrapping_sub(1)].into_iter().filter(close).min_by(|&a, &b| {
            let off = |key: usize| (self.times[key] - seconds).abs();
            off(a).total_cmp(&off(b))
        })
    }

    /// The value at a time; a key within `near` is taken unchanged. Rotations have length 1.
    pub fn at(&self, seconds: f64, near: f64) -> Vec<f64> {
        let held = |key: usize| self.unit(self.part(key, SplinePart::Value).to_vec());
        if let Some(key) = self.key_at(seconds, near) {
            return held(key);
        }
        let Some((k, u, gap)) = self.segment(seconds) else {
            return held(if seconds < self.times[0] { 0 } else { self.times.len() - 1 });
        };
        let (a, b) = (self.part(k, SplinePart::Value), self.part(k + 1, SplinePart::Value));
        match self.interpolation {
            Interpolation::Step => held(k),
            Interpolation::Linear if self.turns => {
                let end = |v: &[f64]| DQuat::from_xyzw(v[0], v[1], v[2], v[3]).normalize();
                slerp(end(a), end(b), u).to_array().to_vec()
            }
            Interpolation::Linear => a.iter().zip(b).map(|(a, b)| a + u * (b - a)).collect(),
            Interpolation::CubicSpline => self.unit(self.spline(k, value_weights(u, gap))),
        }
    }

    /// The slope of a spline at a time between two keys, per second.
    pub fn slope(&self, seconds: f64) -> Vec<f64> {
        let Some((k, u, gap)) = self.segment(seconds) else { return vec![0.0; self.width] };
        let slope = self.spline(k, slope_weights(u, gap));
        if !self.turns {
            return slope;
        }
        // d(v/|v|) = (v' − n (n · v'))/|v| with n = v/|v|.
        let value = self.spline(k, value_weights(u, gap));
        let length = libm::sqrt(value.iter().map(|x| x * x).sum::<f64>()).max(1e-9);
        let along = value.iter().zip(&slope).map(|(v, s)| v * s).sum::<f64>() / length;
        value.iter().zip(&slope).map(|(v, s)| (s - v / length * along) / length).collect()
    }

    /// Inserts a key on the curve at a time, unless one is within `near`, and returns the key.
    pub fn insert(&mut self, seconds: f64, near: f64) -> usize {
        if let Some(key) = self.key_at(seconds, near) {
            return key;
        }
        let (key, last) = (self.times.partition_point(|&time| time < seconds), self.times.len() - 1);
        let mut numbers = self.at(seconds, 0.0);
        if self.interpolation == Interpolation::CubicSpline {
            // A curve is constant beyond its ends.
            if seconds < self.times[0] {
                self.part_mut(0, SplinePart::Arriving).fill(0.0);
            } else if seconds > self.times[last] {
                self.part_mut(last, SplinePart::Leaving).fill(0.0);
            }
            let slope = self.slope(seconds);
            numbers = [slope.clone(), numbers, slope].concat();
        }
        self.times.insert(key, seconds);
        let at = key * self.stride();
        self.values.splice(at..at, numbers);
        key
    }

    /// Removes a key.
    pub fn remove(&mut self, key: usize) {
        let (at, stride) = (key * self.stride(), self.stride());
        self.times.remove(key);
        self.values.drain(at..at + stride);
    }

    /// The key before a time between two keys, the share of the way to the next key, and the seconds between both.
    fn segment(&self, seconds: f64) -> Option<(usize, f64, f64)> {
        let after = self.times.partition_point(|&time| time <= seconds);
        if after == 0 || after == self.times.len() {
            return None;
        }
        let gap = self.times[after] - self.times[after - 1];
        Some((after - 1, (seconds - self.times[after - 1]) / gap, gap))
    }

    fn spline(&self, k: usize, weights: [f64; 4]) -> Vec<f64> {
        let parts = [
            self.part(k, SplinePart::Value),
            self.part(k, SplinePart::Leaving),
            self.part(k + 1, SplinePart::Value),
            self.part(k + 1, SplinePart::Arriving),
        ];
        (0..self.width).map(|i| parts.iter().zip(weights).map(|(part, weight)| weight * part[i]).sum()).collect()
    }

    fn unit(&self, value: Vec<f64>) -> Vec<f64> {
        if !self.turns {
            return value;
        }
        let length = libm::sqrt(value.iter().map(|x| x * x).sum::<f64>());
        if length > 1e-9 { value.into_iter().map(|x| x / length).collect() } else { value }
    }
}

/// Weights of a value, its out-tangent, the next value and its in-tangent.
fn value_weights(u: f64, d: f64) -> [f64; 4] {
    let (u2, u3) = (u * u, u * u * u);
    [2.0 * u3 - 3.0 * u2 + 1.0, d * (u3 - 2.0 * u2 + u), 3.0 * u2 - 2.0 * u3, d * (u3 - u2)]
}

/// Derivatives of these weights with respect to time.
fn slope_weights(u: f64, d: f64) -> [f64; 4] {
    let u2 = u * u;
    [(6.0 * u2 - 6.0 * u) / d, 3.0 * u2 - 4.0 * u + 1.0, (6.0 * u - 6.0 * u2) / d, 3.0 * u2 - 2.0 * u]
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::glam::DVec3;
    use muybridge::math::rotation::about;

    fn cubic() -> KeyCurve {
        // v(t) = t³ − t on [0, 2], constant after: tangents are v' = 3t² − 1.
        let key = |t: f64| [3.0 * t * t - 1.0, t * t * t - t, 3.0 * t * t - 1.0];
        KeyCurve {
            interpolation: Interpolation::CubicSpline,
            turns: false,
            width: 1,
            times: vec![0.0, 2.0],
            values: [key(0.0), key(2.0)].concat(),
        }
    }

    #[test]
    fn a_key_put_on_a_cubic_leaves_it_the_cubic_it_was() {
        let mut cut = cubic();
        assert_eq!(cut.insert(0.75, 0.0), 1);
        assert_eq!(cut.insert(3.0, 0.0), 3);
        for t in [0.1, 0.5, 0.75, 1.2, 1.9] {
            assert!((cut.at(t, 0.0)[0] - (t * t * t - t)).abs() < 1e-14, "{t}");
        }
        assert!((cut.slope(1.2)[0] - (3.0 * 1.44 - 1.0)).abs() < 1e-13);
        assert_eq!((cut.at(2.5, 0.0)[0], cut.at(9.0, 0.0)[0]), (6.0, 6.0));
    }

    #[test]
    fn a_key_put_on_an_arc_leaves_it_the_arc_it_was() {
        let ends = [about(DVec3::X, 0.2), -about(DVec3::X, 1.4)];
        let mut arc = KeyCurve {
            interpolation: Interpolation::Linear,
            turns: true,
            width: 4,
            times: vec![1.0, 4.0],
            values: ends.iter().flat_map(|q| q.to_array()).collect(),
        };
        arc.insert(2.0, 0.0);
        for t in [1.5, 2.0, 3.25] {
            let expected = about(DVec3::X, 0.2 + (t - 1.0) * 0.4);
            let found = DQuat::from_slice(&arc.at(t, 0.0));
            assert!(found.dot(expected).abs() > 1.0 - 1e-15, "{t}");
        }
        arc.remove(1);
        assert_eq!(arc.times, [1.0, 4.0]);
        assert_eq!(arc.key_at(1.01, 0.02), Some(0));
        assert_eq!(arc.key_at(1.05, 0.02), None);
    }
}
