//! A small random number generator with the same numbers on every machine.
//!
//! SplitMix64 (Steele, Lea, Flood 2014) and the polar method of Marsaglia for normal deviates.

use glam::{DQuat, DVec3};

/// State of the generator.
pub struct Random(u64);

impl Random {
    /// A generator with the given seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform in 0..1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in −1..1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Normal deviate with mean 0 and standard deviation 1.
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (self.signed(), self.signed());
            let s = u * u + v * v;
            if s > 0.0 && s < 1.0 {
                return u * libm::sqrt(-2.0 * libm::log(s) / s);
            }
        }
    }

    /// A vector with uniform components in −1..1.
    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    /// A uniformly distributed orientation.
    pub fn rotation(&mut self) -> DQuat {
        DQuat::from_xyzw(self.normal(), self.normal(), self.normal(), self.normal()).normalize()
    }
}
