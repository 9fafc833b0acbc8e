//! Gains α and β of an actuator: inside their stable region by construction, or from a time constant that is independent of the step.
//!
//! ```text
//! f = α (2m/h²)(x_t − x) + β (2m/h)(v_t − v)         e = x − x_t,  w = (v − v_t) h:
//! | e' |   | 1 − α    1 − β | | e |
//! | w' | = |  −2α    1 − 2β | | w |                  stable  ⇔  0 < β < 1  and  0 < α < 2β
//! α = ½, β = ¾                                       both eigenvalues 0: at the target, at rest, after two steps
//! α = β = 1                                          at the target after one step, but an eigenvalue is −1: |v| never falls
//! α = (1 − r)²/2,  β = (1 − r)(3 + r)/4,  r = e^(−h/T)      critically damped, time constant T; r = 0 is ½, ¾
//! β = (1 − r)/2                                      velocity control without a position:  Δv' = r Δv
//! ```
//! A step that gives all of its impulse before it moves (for bodies in contact; see [`crate::rigid::World`]) has `1 − cα, 1 − cβ` above, with
//! `c = 1 + 1/n` for n substeps: gains of a time constant are stable for every c up to 2. If every step is like that (Verlet, with the velocity of half a
//! substep ago), the same two eigenvalues result from
//! ```text
//! α' = α,  β' = β − α/2n         trace and determinant of the map above;      α = β = 1:  α' = β' = n/(n + 1), at the target after one step
//! ```
//! Specification: mathematics 5.4 (Z15).

use thiserror::Error;

/// Controller gains α and β, stable unless made by `Gains::one_step`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gains {
    alpha: f64,
    beta: f64,
}

/// Response of an actuator: a time constant, or fixed gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response(GainKind);

#[derive(Clone, Copy, Debug, PartialEq)]
enum GainKind {
    /// Critically damped with this time constant, seconds.
    Critical(f64),
    Fixed(Gains),
}

/// Reason why gains are rejected.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum GainError {
    /// α = β = 1 was given.
    #[error(
        "gains of α = 1 and β = 1 reach the goal in one step, but then reverse the velocity in every step and never settle; \
         take α = 0.5 and β = 0.75, which settle in two steps"
    )]
    OneStep,
    /// β lies outside of 0 to 1.
    #[error(
        "the velocity gain β is {beta}; it must be above 0 and below 1. Above, every step overshoots by more; at 0 nothing damps the velocity"
    )]
    Beta {
        /// Given value of β.
        beta: f64,
    },
    /// α lies outside of 0 to 2β.
    #[error(
        "the position gain α is {alpha} and the velocity gain β is {beta}; α must be above 0 and below 2β, here {}. Above, the error grows in every step; at 0 it stays",
        2.0 * beta
    )]
    Alpha {
        /// Given value of α.
        alpha: f64,
        /// Given value of β.
        beta: f64,
    },
    /// The time constant is negative or not finite.
    #[error("the time constant is {seconds} s; it must be a finite number of 0 or more (0 arrives in two steps)")]
    TimeConstant {
        /// Given time constant, seconds.
        seconds: f64,
    },
}

impl Gains {
    /// Creates gains from raw values. Returns an error with the reason outside 0 < β < 1, 0 < α < 2β.
    pub(crate) fn new(alpha: f64, beta: f64) -> Result<Self, GainError> {
        if alpha == 1.0 && beta == 1.0 {
            return Err(GainError::OneStep);
        }
        if !(beta > 0.0 && beta < 1.0) {
            return Err(GainError::Beta { beta });
        }
        if !(alpha > 0.0 && alpha < 2.0 * beta) {
            return Err(GainError::Alpha { alpha, beta });
        }
        Ok(Self { alpha, beta })
    }

    /// α = β = 1: arrives in one step, and oscillates forever unless the target changes. These gains are outside the stable region; use them for
    /// exactness in one step.
    pub(crate) const fn one_step() -> Self {
        Self { alpha: 1.0, beta: 1.0 }
    }

    /// Critically damped with a time constant, for steps of `step` seconds.
    pub(crate) fn critical(time_constant: f64, step: f64) -> Result<Self, GainError> {
        Response::critical(time_constant).map(|response| response.gains(step))
    }

    /// Converts the gains so that a Verlet step in `substeps` substeps has the same eigenvalues as a step of ½ (v + v') with the original gains.
    pub(crate) fn by_verlet(&self, substeps: u32) -> Self {
        let n = f64::from(substeps.max(1));
        if *self == Self::one_step() {
            return Self { alpha: n / (n + 1.0), beta: n / (n + 1.0) };
        }
        Self { beta: self.beta - 0.5 * self.alpha / n, ..*self }
    }

    /// α: share of the position error corrected per step.
    pub(crate) fn alpha(&self) -> f64 {
        self.alpha
    }

    /// β: share of the velocity error corrected per step.
    pub(crate) fn beta(&self) -> f64 {
        self.beta
    }
}

impl Response {
    /// Critically damped response: an error falls to 1/e in about this time, seconds. 0 is the fastest response: two steps.
    pub fn critical(time_constant: f64) -> Result<Self, GainError> {
        if time_constant.is_finite() && time_constant >= 0.0 {
            Ok(Self(GainKind::Critical(time_constant)))
        } else {
            Err(GainError::TimeConstant { seconds: time_constant })
        }
    }

    /// Response with fixed gains, whatever the step.
    pub const fn fixed(gains: Gains) -> Self {
        Self(GainKind::Fixed(gains))
    }

    /// Computes the gains for steps of `step` seconds.
    pub(crate) fn gains(&self, step: f64) -> Gains {
        match self.0 {
            GainKind::Fixed(gains) => gains,
            GainKind::Critical(_) => {
                let left = self.remaining_error(step);
                let gone = 1.0 - left;
                Gains { alpha: 0.5 * gone * gone, beta: 0.25 * gone * (3.0 + left) }
            }
        }
    }

    /// Gain β for a target with velocity but without position.
    pub(crate) fn velocity_gain(&self, step: f64) -> f64 {
        match self.0 {
            GainKind::Fixed(gains) => gains.beta,
            GainKind::Critical(_) => 0.5 * (1.0 - self.remaining_error(step)),
        }
    }

    /// r: share of an error that remains after a step of `step` seconds.
    fn remaining_error(&self, step: f64) -> f64 {
        match self.0 {
            GainKind::Critical(seconds) if seconds > 0.0 => libm::exp(-step / seconds),
            _ => 0.0,
        }
    }
}

impl Default for Response {
    /// Critically damped with a time constant of a tenth of a second.
    fn default() -> Self {
        Self(GainKind::Critical(0.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest magnitude of an eigenvalue of the map of a step whose impulse moves c times as far.
    fn growth(alpha: f64, beta: f64, c: f64) -> f64 {
        let [[a, b], [p, q]] = [[1.0 - c * alpha, 1.0 - c * beta], [-2.0 * alpha, 1.0 - 2.0 * beta]];
        let (trace, determinant) = (a + q, a * q - b * p);
        let inside = 0.25 * trace * trace - determinant;
        if inside >= 0.0 { (0.5 * trace).abs() + libm::sqrt(inside) } else { libm::sqrt(determinant) }
    }

    #[test]
    fn z15_gains_are_taken_iff_the_step_they_make_is_stable() {
        let mut taken = 0;
        for i in -20..=60 {
            for j in -20..=60 {
                // Skip the border of the stable region, where rounding decides.
                let (alpha, beta) = (f64::from(i) * 0.04 + 0.013, f64::from(j) * 0.025 + 0.007);
                let is_stable = growth(alpha, beta, 1.0) < 1.0;
                assert_eq!(Gains::new(alpha, beta).is_ok(), is_stable, "α {alpha} β {beta}");
                taken += i32::from(is_stable);
            }
        }
        assert!(taken > 500, "{taken}");
        for (alpha, beta) in [(f64::NAN, 0.5), (0.5, f64::NAN), (0.0, 0.5), (0.5, 0.0), (1.0, 0.5), (0.5, 1.0)] {
            assert!(Gains::new(alpha, beta).is_err(), "{alpha} {beta}");
        }
        let error = Gains::new(1.0, 1.0).unwrap_err().to_string();
        assert!(
            error.contains("reverse the velocity")
                && error.contains("never settle")
                && error.contains("α = 0.5 and β = 0.75"),
            "{error}"
        );
        let error = Gains::new(1.2, 0.5).unwrap_err().to_string();
        assert!(error.contains("α must be above 0 and below 2β, here 1."), "{error}");
    }

    #[test]
    fn z15_by_verlet_the_eigenvalues_are_the_same_in_any_number_of_substeps() {
        for i in 1..40 {
            for j in 1..40 {
                let Ok(gains) = Gains::new(f64::from(i) * 0.047, f64::from(j) * 0.025) else { continue };
                for n in [1, 2, 5, 16] {
                    let (own, c) = (gains.by_verlet(n), 1.0 + 1.0 / f64::from(n));
                    let (found, asked) = (growth(own.alpha, own.beta, c), growth(gains.alpha, gains.beta, 1.0));
                    // A double eigenvalue is accurate only to the square root of rounding.
                    assert!((found - asked).abs() < 1e-7, "{gains:?} in {n}: {found} {asked}");
                }
            }
        }
        // Both eigenvalues are 0; for α = β = 1 one is 0: c α = c β = 1, and the other is −(n − 1)/(n + 1).
        assert_eq!(Gains::new(0.5, 0.75).unwrap().by_verlet(1), Gains { alpha: 0.5, beta: 0.5 });
        let one = Gains::one_step().by_verlet(4);
        assert!((growth(one.alpha, one.beta, 1.25) - 0.6).abs() < 1e-15);
    }

    #[test]
    fn z15_a_time_constant_gives_the_pairs_of_the_specification_and_is_stable_at_any_step() {
        // r = ½.
        let gains = Gains::critical(1.0, core::f64::consts::LN_2).unwrap();
        assert!((gains.alpha() - 0.125).abs() < 1e-15 && (gains.beta() - 0.4375).abs() < 1e-15);
        assert_eq!(Gains::critical(0.0, 0.01), Gains::new(0.5, 0.75));
        for exponent in -60..=20 {
            let step = libm::pow(10.0, f64::from(exponent) / 10.0);
            let gains = Gains::critical(0.1, step).unwrap();
            for c in [1.0, 1.0625, 1.25, 1.5, 2.0] {
                let growth = growth(gains.alpha(), gains.beta(), c);
                // Below e^(−10) both gains are ½, ¾ to rounding, and c = 2 is the border.
                assert!(growth < 1.0 || step > 1.0 && c == 2.0 && growth <= 1.0 + 1e-12, "{step} {c}: {growth}");
            }
            // Critically damped: both eigenvalues are r, up to the rounding error of a double eigenvalue.
            let r = libm::exp(-step / 0.1);
            assert!((growth(gains.alpha(), gains.beta(), 1.0) - r).abs() < 1e-7, "{step}");
        }
        for seconds in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Response::critical(seconds).unwrap_err().to_string().contains("time constant"));
        }
    }
}
