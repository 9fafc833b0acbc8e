//! Dynamic similarity: scaling laws between size, time and gravity, and the size or duration at which a flight would fall at 1 g.
//!
//! ```text
//! G* → 1:  as large  1/G*            at the animated times                                      (S25)
//!           as long   √G*             on the animated path;  Δ = round((√G* − 1)(N − 1)) frames   (S35)
//! sizes in the ratio s, Froude number v²/(gL) equal:  lengths s, times √s …                      (S29)
//! fall from height h:  t = √(2h/g0)                                                              (S30)
//! ```
//! Specification: mathematics 6.7, 6.9, 6.11; Hodgins, Pollard 1997. For s = 10, times grow by √10 = 3.1623 (the 3.19 of Shapiro, Lee 2011 is a
//! whole-frame rounding).

/// Size factor at which a flight would fall right at its animated times: `1/G*`; infinite if the body does not fall.
pub(crate) fn size_factor(gravity_ratio: f64) -> f64 {
    if gravity_ratio > 0.0 { 1.0 / gravity_ratio } else { f64::INFINITY }
}

/// Duration factor at which a flight would fall right on its animated path: `√G*`.
pub(crate) fn duration_factor(gravity_ratio: f64) -> f64 {
    libm::sqrt(gravity_ratio.max(0.0))
}

/// Number of frames to add to a flight of `frames` frames (to remove if negative) so that its unchanged path falls at 1 g.
pub(crate) fn frames_to_add(gravity_ratio: f64, frames: usize) -> i64 {
    libm::round((duration_factor(gravity_ratio) - 1.0) * frames.saturating_sub(1) as f64) as i64
}

/// Time to fall from, or rise to, `height` meters, seconds.
pub(crate) fn fall_time(height: f64, gravity: f64) -> f64 {
    libm::sqrt(2.0 * height / gravity)
}

/// A mechanical quantity that scales with the size of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaledQuantity {
    /// Length, meters.
    Length,
    /// Time, seconds.
    Time,
    /// Velocity, m/s.
    Velocity,
    /// Acceleration, m/s².
    Acceleration,
    /// Angular velocity, rad/s.
    AngularVelocity,
    /// Mass, kg.
    Mass,
    /// Force, N.
    Force,
    /// Moment, N m.
    Moment,
    /// Moment of inertia, kg m².
    Inertia,
    /// Angular stiffness, N m/rad.
    AngularStiffness,
    /// Angular damping, N m s/rad.
    AngularDamping,
    /// Linear momentum, kg m/s.
    Momentum,
    /// Angular momentum, kg m²/s.
    AngularMomentum,
}

impl ScaledQuantity {
    /// Power of the size ratio by which the quantity scales between dynamically similar bodies of equal density.
    fn exponent(self) -> f64 {
        match self {
            Self::AngularVelocity => -0.5,
            Self::Acceleration => 0.0,
            Self::Time | Self::Velocity => 0.5,
            Self::Length => 1.0,
            Self::Mass | Self::Force => 3.0,
            Self::Momentum => 3.5,
            Self::Moment | Self::AngularStiffness => 4.0,
            Self::AngularMomentum | Self::AngularDamping => 4.5,
            Self::Inertia => 5.0,
        }
    }

    /// Factor by which the quantity grows for a body `size_ratio` times as large.
    pub fn scale(self, size_ratio: f64) -> f64 {
        libm::pow(size_ratio, self.exponent())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s25_gravity_of_0_43_asks_for_2_33_times_the_size_and_3_35_for_0_30() {
        assert!((size_factor(0.43) - 2.33).abs() < 0.005);
        assert!((size_factor(3.35) - 0.30).abs() < 0.005);
        assert_eq!(size_factor(0.0), f64::INFINITY);
        assert_eq!(size_factor(-0.5), f64::INFINITY);
    }

    #[test]
    fn s29_a_giant_of_ten_times_the_size_takes_3_162278_times_as_long() {
        assert!((ScaledQuantity::Time.scale(10.0) - 3.162_278).abs() < 5e-7);
    }

    #[test]
    fn s29_the_exponents_follow_from_mass_length_and_time() {
        let (mass, length, time) = (3.0, 1.0, 0.5);
        for (quantity, exponent) in [
            (ScaledQuantity::Velocity, length - time),
            (ScaledQuantity::Acceleration, length - 2.0 * time),
            (ScaledQuantity::AngularVelocity, -time),
            (ScaledQuantity::Force, mass + length - 2.0 * time),
            (ScaledQuantity::Moment, mass + 2.0 * length - 2.0 * time),
            (ScaledQuantity::Inertia, mass + 2.0 * length),
            (ScaledQuantity::AngularStiffness, mass + 2.0 * length - 2.0 * time),
            (ScaledQuantity::AngularDamping, mass + 2.0 * length - time),
            (ScaledQuantity::Momentum, mass + length - time),
            (ScaledQuantity::AngularMomentum, mass + 2.0 * length - time),
        ] {
            assert_eq!(quantity.exponent(), exponent, "{quantity:?}");
        }
    }

    #[test]
    fn s30_a_fall_of_one_meter_takes_0_451524_s() {
        assert!((fall_time(1.0, 9.81) - 0.451_524).abs() < 5e-7);
    }

    #[test]
    fn s35_thirteen_frames_at_2_2_g_should_have_six_more() {
        assert_eq!(frames_to_add(2.2, 13), 6);
        assert!((12.0 * duration_factor(2.2) - 17.799).abs() < 5e-4);
        assert_eq!(frames_to_add(1.0, 13), 0);
        assert_eq!(frames_to_add(0.25, 13), -6);
    }

    #[test]
    fn x14_flights_without_frames_or_gravity_have_an_answer() {
        assert_eq!(frames_to_add(2.2, 0), 0);
        assert_eq!(frames_to_add(-1.0, 5), -4);
        assert_eq!(frames_to_add(f64::NAN, 5), -4);
    }
}
