//! A curve of an animation: key times, key values, and interpolation between them.
//!
//! ```text
//! u = (t − t_k)/d,  d = t_{k+1} − t_k
//! STEP         v_k
//! LINEAR       (1 − u) v_k + u v_{k+1};  rotations: slerp on the nearer hemisphere
//! CUBICSPLINE  (2u³ − 3u² + 1) v_k + d (u³ − 2u² + u) b_k + (3u² − 2u³) v_{k+1} + d (u³ − u²) a_{k+1};  rotations: scaled to 1
//! ```
//! Source: Khronos glTF 2.0 specification, section 3.11 and appendix C. Outside its keys a curve holds its end values.

use std::rc::Rc;

use muybridge::glam::DQuat;

use super::accessor::Accessors;
use super::layout::AccessorType;
use super::tree::JsonNode;
use crate::Error;

/// Property that a curve moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Property {
    Translation,
    Rotation,
    Scale,
}

/// Interpolation between keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    Step,
    Linear,
    CubicSpline,
}

impl Interpolation {
    /// Name of the interpolation in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "STEP",
            Self::Linear => "LINEAR",
            Self::CubicSpline => "CUBICSPLINE",
        }
    }

    /// Reads the interpolation of a sampler.
    pub fn of(sampler: &JsonNode) -> Result<Self, Error> {
        match sampler.get("interpolation").map(|i| i.text()).transpose()? {
            None | Some("LINEAR") => Ok(Self::Linear),
            Some("STEP") => Ok(Self::Step),
            Some("CUBICSPLINE") => Ok(Self::CubicSpline),
            Some(other) => Err(sampler.error(format!("“{other}” is not a way to interpolate in glTF 2.0"))),
        }
    }
}

/// A curve of one property of one bone.
#[derive(Clone, Debug)]
pub(super) struct KeyTrack {
    pub bone: usize,
    pub property: Property,
    pub interpolation: Interpolation,
    /// Key times, seconds, strictly increasing.
    pub times: Rc<Vec<f64>>,
    /// Key values, `width` numbers per key; for splines, in-tangent, value and out-tangent.
    values: Rc<Vec<f64>>,
}

impl KeyTrack {
    /// Reads the curve of `sampler` for `property` of `bone`.
    pub fn new(
        bone: usize,
        property: Property,
        sampler: &JsonNode,
        accessors: &Accessors,
        notes: &mut Vec<String>,
    ) -> Result<Self, Error> {
        let interpolation = Interpolation::of(sampler)?;
        let (input, output) = (sampler.need("input")?, sampler.need("output")?);
        let layout = accessors.layout(output.non_negative_integer()?)?;
        let kind = if property == Property::Rotation { AccessorType::Vec4 } else { AccessorType::Vec3 };
        if layout.kind != kind {
            let (curve, numbers) = match property {
                Property::Rotation => ("rotation", "VEC4"),
                Property::Translation => ("translation", "VEC3"),
                Property::Scale => ("scale", "VEC3"),
            };
            return Err(
                output.error(format!("the accessor of a {curve} curve must hold {numbers} values; this one does not"))
            );
        }
        let times = accessors.numbers(input.non_negative_integer()?)?;
        let values = accessors.numbers(output.non_negative_integer()?)?;
        let mut track = Self { bone, property, interpolation, times, values };
        track.check(&input, &output)?;
        if track.drop_repeated_times(&input, accessors)? {
            notes.push("a curve has several keys at one time; the last of each was taken".into());
        }
        if track.make_unit(&output, accessors)? {
            notes.push("a curve of rotations has keys that are not unit quaternions; they were scaled to 1".into());
        }
        Ok(track)
    }

    /// Numbers per key, and components per value.
    fn stride(&self) -> (usize, usize) {
        let width = if self.property == Property::Rotation { 4 } else { 3 };
        (if self.interpolation == Interpolation::CubicSpline { 3 * width } else { width }, width)
    }

    /// Whether any key differs from the first by more than the rounding of 32-bit floats.
    pub fn varies(&self) -> bool {
        let (stride, _) = self.stride();
        let rounding = 1e-9 + 1e-6 * self.values.iter().fold(0.0, |largest: f64, v| largest.max(v.abs()));
        let differs = |key: &[f64]| key.iter().zip(&self.values[..]).any(|(a, b)| (a - b).abs() > rounding);
        self.values.chunks_exact(stride).any(differs)
    }

    fn check(&self, input: &JsonNode, output: &JsonNode) -> Result<(), Error> {
        let (stride, _) = self.stride();
        if self.times.is_empty() {
            return Err(input.error("the curve has no keys"));
        }
        if self.values.len() != self.times.len() * stride {
            let message = format!("{} numbers for {} keys of {stride} numbers", self.values.len(), self.times.len());
            return Err(output.error(message));
        }
        if let Some(bad) = self.times.iter().position(|t| !t.is_finite()) {
            return Err(input.error(format!("the time of key {bad} is not a finite number")));
        }
        if let Some(bad) = self.values.iter().position(|v| !v.is_finite()) {
            return Err(output.error(format!("key {} holds a value that is not a finite number", bad / stride)));
        }
        if let Some(k) = self.times.windows(2).position(|t| t[1] < t[0]) {
            let message =
                format!("key {} at {} s stands after key {k} at {} s", k + 1, self.times[k + 1], self.times[k]);
            return Err(input.error(message));
        }
        Ok(())
    }

    fn drop_repeated_times(&mut self, input: &JsonNode, accessors: &Accessors) -> Result<bool, Error> {
        if self.times.windows(2).all(|t| t[1] > t[0]) {
            return Ok(false);
        }
        accessors.spend(8 * (self.times.len() + self.values.len()), input)?;
        let (stride, _) = self.stride();
        let (mut times, mut values) = (Vec::new(), Vec::new());
        for (k, &time) in self.times.iter().enumerate() {
            if self.times.get(k + 1) != Some(&time) {
                times.push(time);
                values.extend_from_slice(&self.values[k * stride..][..stride]);
            }
        }
        (self.times, self.values) = (Rc::new(times), Rc::new(values));
        Ok(true)
    }

    /// Scales rotation keys to unit length. Returns true if one was far from it.
    fn make_unit(&mut self, output: &JsonNode, accessors: &Accessors) -> Result<bool, Error> {
        if self.property != Property::Rotation {
            return Ok(false);
        }
        accessors.spend(8 * self.values.len(), output)?;
        let (stride, width) = self.stride();
        let skip = if stride > width { width } else { 0 };
        let mut values = self.values.to_vec();
        let mut far = false;
        for (k, key) in values.chunks_exact_mut(stride).enumerate() {
            let value = &mut key[skip..skip + 4];
            let length = libm::sqrt(value.iter().map(|x| x * x).sum());
            if !(length.is_finite() && length > 1e-6) {
                return Err(output.error(format!("key {k} is no rotation: its four numbers are zero or huge")));
            }
            far |= (length - 1.0).abs() > 0.01;
            value.iter_mut().for_each(|x| *x /= length);
        }
        self.values = Rc::new(values);
        Ok(far)
    }

    /// The value at a time. A key within `snap` of the gap to its neighbor is taken unchanged. `cursor` remembers the last key;
    /// it requires times that do not decrease.
    pub fn at(&self, seconds: f64, snap: f64, cursor: &mut usize) -> [f64; 4] {
        let last = self.times.len() - 1;
        while *cursor < last && self.times[*cursor + 1] <= seconds {
            *cursor += 1;
        }
        let k = *cursor;
        if k == last || seconds <= self.times[k] {
            return self.value(k);
        }
        let gap = self.times[k + 1] - self.times[k];
        let (before, after) = (seconds - self.times[k], self.times[k + 1] - seconds);
        let near = snap.min(0.02 * gap);
        if before <= near {
            return self.value(k);
        }
        if after <= near {
            return self.value(k + 1);
        }
        match self.interpolation {
            Interpolation::Step => self.value(k),
            Interpolation::Linear => self.linear(k, before / gap),
            Interpolation::CubicSpline => self.spline(k, before / gap, gap),
        }
    }

    fn value(&self, key: usize) -> [f64; 4] {
        let (stride, width) = self.stride();
        self.quadruple(key * stride + if stride > width { width } else { 0 })
    }

    fn quadruple(&self, at: usize) -> [f64; 4] {
        let (_, width) = self.stride();
        let mut four = [0.0; 4];
        four[..width].copy_from_slice(&self.values[at..at + width]);
        four
    }

    fn linear(&self, k: usize, u: f64) -> [f64; 4] {
        let (a, b) = (self.value(k), self.value(k + 1));
        if self.property == Property::Rotation {
            return slerp(DQuat::from_array(a), DQuat::from_array(b), u).to_array();
        }
        std::array::from_fn(|i| a[i] + u * (b[i] - a[i]))
    }

    fn spline(&self, k: usize, u: f64, gap: f64) -> [f64; 4] {
        let (stride, width) = self.stride();
        let (a, b) = (self.value(k), self.value(k + 1));
        let (leaving, arriving) = (self.quadruple(k * stride + 2 * width), self.quadruple((k + 1) * stride));
        let (u2, u3) = (u * u, u * u * u);
        let v: [f64; 4] = std::array::from_fn(|i| {
            (2.0 * u3 - 3.0 * u2 + 1.0) * a[i]
                + gap * (u3 - 2.0 * u2 + u) * leaving[i]
                + (3.0 * u2 - 2.0 * u3) * b[i]
                + gap * (u3 - u2) * arriving[i]
        });
        if self.property != Property::Rotation {
            return v;
        }
        let length = libm::sqrt(v.iter().map(|x| x * x).sum());
        if length > 1e-9 { v.map(|x| x / length) } else { a }
    }
}

/// Spherical interpolation from `a` by `u` of the shorter arc to `b`; `a` itself, bit for bit, if both are equal.
pub(super) fn slerp(a: DQuat, b: DQuat, u: f64) -> DQuat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    if a == b {
        return a;
    }
    let (sum, difference) = (a + b, b - a);
    let half = libm::atan2(difference.length(), sum.length());
    let sine = libm::sin(2.0 * half);
    if sine < 1e-9 {
        return (a * (1.0 - u) + b * u).normalize();
    }
    (a * (libm::sin((1.0 - u) * 2.0 * half) / sine) + b * (libm::sin(u * 2.0 * half) / sine)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::glam::DVec3;
    use muybridge::math::rotation::{about, exp};

    fn track(property: Property, interpolation: Interpolation, times: &[f64], values: &[f64]) -> KeyTrack {
        KeyTrack { bone: 0, property, interpolation, times: Rc::new(times.to_vec()), values: Rc::new(values.to_vec()) }
    }

    #[test]
    fn slerp_turns_at_a_constant_rate_the_short_way() {
        let (a, b) = (about(DVec3::X, 0.3), about(DVec3::X, 1.5));
        let expected = about(DVec3::X, 0.3 + 0.25 * 1.2);
        assert!(slerp(a, b, 0.25).dot(expected) > 1.0 - 1e-15);
        assert!(slerp(a, -b, 0.25).dot(expected) > 1.0 - 1e-15);
        assert_eq!((slerp(a, a, 0.3), slerp(a, -a, 0.7)), (a, a));
        let tiny = exp(DVec3::new(0.0, 1e-9, 0.0));
        assert!((slerp(DQuat::IDENTITY, tiny, 0.5).y - 0.25e-9).abs() < 1e-22);
    }

    #[test]
    fn a_spline_with_the_tangents_of_a_cubic_is_that_cubic() {
        // v(t) = t³ − t on [0, 2]: tangents are v' = 3t² − 1.
        let key = |t: f64| [3.0 * t * t - 1.0, 0.0, 0.0, t * t * t - t, 0.0, 0.0, 3.0 * t * t - 1.0, 0.0, 0.0];
        let values = [key(0.0), key(2.0)].concat();
        let track = track(Property::Translation, Interpolation::CubicSpline, &[0.0, 2.0], &values);
        for t in [0.3, 1.0, 1.7] {
            assert!((track.at(t, 0.0, &mut 0)[0] - (t * t * t - t)).abs() < 1e-14);
        }
    }

    #[test]
    fn curves_hold_their_ends_and_steps_jump_at_the_key() {
        let values = [1.0, 0.0, 0.0, 2.0, 0.0, 0.0];
        let step = track(Property::Translation, Interpolation::Step, &[1.0, 2.0], &values);
        let at = |t| step.at(t, 0.0, &mut 0)[0];
        assert_eq!([at(0.0), at(1.0), at(1.9), at(2.0), at(9.0)], [1.0, 1.0, 1.0, 2.0, 2.0]);
    }
}
