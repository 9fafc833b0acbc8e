//! Center of mass and momenta, one row per frame, computed over a range of frames (mathematics 6.1, 6.2, 6.4).

use glam::DVec3;

use super::momentum::{BodyMotion, Differences};
use super::settings::VelocityDifference;
use crate::math::{difference, savitzky_golay};

/// Center of mass, velocity, acceleration and momenta, one row per frame of the clip; zero outside the computed range.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CentroidalRows {
    /// Seconds between frames.
    pub frame_time: f64,
    /// Total mass, kg.
    pub mass: f64,
    /// Center of mass, meters.
    pub mass_center: Vec<DVec3>,
    /// Velocity of the center of mass, m/s.
    pub velocity: Vec<DVec3>,
    /// Acceleration of the center of mass, m/s².
    pub acceleration: Vec<DVec3>,
    /// Angular momentum about the center of mass, kg m²/s.
    pub angular_momentum: Vec<DVec3>,
    /// Rate of change of the angular momentum, kg m²/s².
    pub angular_momentum_rate: Vec<DVec3>,
}

impl CentroidalRows {
    /// Creates rows of zeros for `bodies`.
    pub(crate) fn zero(bodies: &BodyMotion, frame_time: f64) -> Self {
        let zero = vec![DVec3::ZERO; bodies.frames()];
        Self {
            frame_time,
            mass: bodies.masses.iter().sum(),
            mass_center: zero.clone(),
            velocity: zero.clone(),
            acceleration: zero.clone(),
            angular_momentum: zero.clone(),
            angular_momentum_rate: zero,
        }
    }

    /// Computes the rows from frame `first` on. `bodies` holds the frames of those rows and no others. Accelerations and rates are second differences
    /// and differences of half steps, those of the two ends copied from their neighbors, or by Savitzky and Golay. Central angular momenta of the ends
    /// are extrapolated from the half steps, which is second order.
    pub(crate) fn fill(&mut self, bodies: &BodyMotion, velocity: VelocityDifference, first: usize) {
        let (end, h) = (first + bodies.frames(), self.frame_time);
        let last = end - 1;
        if bodies.bodies() == 0 {
            return;
        }
        let lanes = match velocity {
            VelocityDifference::Central => Some(Differences::Central),
            VelocityDifference::Backward => Some(Differences::Backward),
            _ => None,
        };
        let motion = bodies.centroidal_rows(h, lanes.unwrap_or(Differences::Central));
        self.mass_center[first..end].copy_from_slice(&motion.mass_center);
        if last == first {
            return;
        }
        self.velocity[first..end].copy_from_slice(&difference::velocities(&motion.mass_center, h, velocity));
        self.angular_momentum[first..end].copy_from_slice(&motion.angular_momentum);
        let halves = bodies.half_step_angular_momentum_rows(h);
        let steps = halves.len();
        match velocity {
            VelocityDifference::Backward => self.angular_momentum[first] = self.angular_momentum[first + 1],
            VelocityDifference::Central => {
                self.angular_momentum[first] = extrapolate(halves[0], halves.get(1));
                let before = steps.checked_sub(2).and_then(|k| halves.get(k));
                self.angular_momentum[last] = extrapolate(halves[steps - 1], before);
            }
            _ => {
                let momenta = bodies.angular_momenta(&motion.mass_center, h, velocity);
                self.angular_momentum[first..end].copy_from_slice(&momenta);
            }
        }
        match velocity.window() {
            Some(window) => {
                let accelerations = savitzky_golay::second_derivative(&motion.mass_center, h, window);
                let rates = savitzky_golay::first_derivative(&self.angular_momentum[first..end], h, window);
                self.acceleration[first..end].copy_from_slice(&accelerations);
                self.angular_momentum_rate[first..end].copy_from_slice(&rates);
            }
            None => self.take_rates(&halves, first, last),
        }
    }

    fn take_rates(&mut self, halves: &[DVec3], first: usize, last: usize) {
        if last < first + 2 {
            return;
        }
        let h = self.frame_time;
        for frame in first + 1..last {
            let c = &self.mass_center;
            self.acceleration[frame] = (c[frame + 1] - 2.0 * c[frame] + c[frame - 1]) / (h * h);
            self.angular_momentum_rate[frame] = (halves[frame - first] - halves[frame - first - 1]) / h;
        }
        for (edge, inner) in [(first, first + 1), (last, last - 1)] {
            self.acceleration[edge] = self.acceleration[inner];
            self.angular_momentum_rate[edge] = self.angular_momentum_rate[inner];
        }
    }
}

/// Linear extrapolation half a step beyond `near`, on the line from `far` through `near`.
fn extrapolate(near: DVec3, far: Option<&DVec3>) -> DVec3 {
    far.map_or(near, |far| 1.5 * near - 0.5 * *far)
}
