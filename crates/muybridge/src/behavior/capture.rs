//! Linear inverted pendulum: a mass at constant height over its center of pressure, and the capture point where a step stops it.
//!
//! ```text
//! c̈ = ω0² (c − p),   ω0 = √(g/h)
//! ξ = c + ċ/ω0        extrapolated center of mass, or capture point:   ξ̇ = ω0 (ξ − p),   ċ = ω0 (ξ − c)
//! p constant:   ξ(t) = p + (ξ − p) e^{ω0 t},   c(t) = p + ½ (ξ − p) e^{ω0 t} + ½ (c − ċ/ω0 − p) e^{−ω0 t}
//! p = ξ:        c → p and stops
//! walking in steps of T seconds, each by (L, ±W) from the previous:   foot = ξ(T) − b,  b = (L/(e^{ω0T} − 1), ∓W/(e^{ω0T} + 1))
//! ```
//! Hof, Gazendam, Sinke 2005; Pratt et al. 2006; Hof 2008 (constant offset). Specification: mathematics 8.2 (R22).

use glam::DVec2;

/// Linear inverted pendulum, described by its rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pendulum {
    /// ω0, per second.
    pub rate: f64,
}

/// Horizontal position and velocity of the pendulum mass.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sway {
    /// Position, x and z, meters.
    pub place: DVec2,
    /// Velocity, x and z, meters per second.
    pub velocity: DVec2,
}

impl Pendulum {
    /// Pendulum of a mass at `height` meters above its support (a centimeter at least) under `gravity` (m/s², downward).
    pub(crate) fn of_height(height: f64, gravity: f64) -> Self {
        Self { rate: libm::sqrt(gravity.max(0.0) / height.max(0.01)) }
    }

    /// Capture point ξ, meters.
    pub(crate) fn capture_point(&self, sway: &Sway) -> DVec2 {
        sway.place + if self.rate > 0.0 { sway.velocity / self.rate } else { DVec2::ZERO }
    }

    /// Capture point ξ after `seconds` with the center of pressure at `p`, meters.
    pub(crate) fn capture_point_after(&self, now: DVec2, p: DVec2, seconds: f64) -> DVec2 {
        p + (now - p) * libm::exp(self.rate * seconds)
    }

    /// Offset (meters) at which a foot is placed behind ξ and outside of it, to continue with steps of `length` (forward) and `width` (from foot to
    /// foot) meters and `seconds` each.
    pub(crate) fn offset(&self, length: f64, width: f64, seconds: f64) -> [f64; 2] {
        let grown = libm::exp(self.rate * seconds);
        [length / (grown - 1.0).max(1e-9), width / (grown + 1.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integrates `c̈ = ω0² (c − p(c, ċ))` by the fourth-order Runge–Kutta method.
    fn integrated(rate: f64, mut sway: Sway, seconds: f64, p: impl Fn(&Sway) -> DVec2) -> Sway {
        let (steps, slope) = (4000, |sway: &Sway| (sway.velocity, (sway.place - p(sway)) * (rate * rate)));
        let h = seconds / f64::from(steps);
        let moved = |sway: &Sway, by: (DVec2, DVec2), h: f64| Sway {
            place: sway.place + by.0 * h,
            velocity: sway.velocity + by.1 * h,
        };
        for _ in 0..steps {
            let a = slope(&sway);
            let b = slope(&moved(&sway, a, 0.5 * h));
            let c = slope(&moved(&sway, b, 0.5 * h));
            let d = slope(&moved(&sway, c, h));
            let mean = ((a.0 + b.0 * 2.0 + c.0 * 2.0 + d.0) / 6.0, (a.1 + b.1 * 2.0 + c.1 * 2.0 + d.1) / 6.0);
            sway = moved(&sway, mean, h);
        }
        sway
    }

    #[test]
    fn r22_a_foot_put_at_the_capture_point_brings_the_pendulum_to_rest_over_it() {
        for (height, velocity) in [(0.95, DVec2::new(0.7, -0.4)), (0.5, DVec2::new(-1.5, 0.2)), (2.0, DVec2::X)] {
            let pendulum = Pendulum::of_height(height, 9.81);
            let sway = Sway { place: DVec2::new(0.1, -0.2), velocity };
            let foot = pendulum.capture_point(&sway);
            let end = integrated(pendulum.rate, sway, 10.0 / pendulum.rate, |_| foot);
            assert!(end.velocity.length() < 1e-3, "{end:?}");
            assert!((end.place - foot).length() < 1e-3, "{end:?} {foot}");
        }
    }

    #[test]
    fn r22_beside_the_capture_point_it_falls_away_from_the_foot() {
        let pendulum = Pendulum::of_height(0.95, 9.81);
        let sway = Sway { place: DVec2::ZERO, velocity: DVec2::X };
        let ahead = pendulum.capture_point(&sway);
        for short in [-0.01, 0.01] {
            let end = integrated(pendulum.rate, sway, 3.0, |_| ahead + DVec2::X * short);
            assert!((end.place.x - ahead.x) * short < -0.1, "{end:?}");
        }
    }

    #[test]
    fn the_closed_form_is_what_integration_gives() {
        let pendulum = Pendulum::of_height(0.9, 9.81);
        let sway = Sway { place: DVec2::new(0.02, 0.05), velocity: DVec2::new(0.3, -0.1) };
        let p = DVec2::new(-0.03, 0.01);
        let expected = integrated(pendulum.rate, sway, 0.6, |_| p);
        let ahead = pendulum.capture_point_after(pendulum.capture_point(&sway), p, 0.6);
        assert!((ahead - pendulum.capture_point(&expected)).length() < 1e-9);
    }

    #[test]
    fn r23_steps_at_a_constant_offset_from_the_capture_point_become_even_from_any_start() {
        let (length, width, seconds) = (0.4, 0.2, 0.45);
        let pendulum = Pendulum::of_height(0.9, 9.81);
        let offset = pendulum.offset(length, width, seconds);
        let mut sway = Sway { place: DVec2::new(0.05, 0.0), velocity: DVec2::new(-0.1, 0.2) };
        let (mut foot, mut side, mut last) = (DVec2::new(0.0, -0.1), 1.0, DVec2::ZERO);
        for step in 0..12 {
            sway = integrated(pendulum.rate, sway, seconds, |_| foot);
            let next = pendulum.capture_point(&sway) - DVec2::new(offset[0], -side * offset[1]);
            last = next - foot;
            (foot, side) = (next, -side);
            assert!(step < 1 || (last - DVec2::new(length, -side * width)).length() < 1e-6, "{step} {last}");
        }
        assert!((last.x - length).abs() < 1e-6);
    }
}
