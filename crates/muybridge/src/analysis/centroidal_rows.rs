//! The mass centre and its momenta, one row per frame, taken over a range of frames (mathematics 6.1, 6.2, 6.4).

use glam::DVec3;

use super::momentum::{BodyMotion, Differences};
use super::settings::Velocity;

/// One row per frame of the clip; zero outside the range the rows were taken over.
#[derive(Clone, Debug, PartialEq)]
pub struct CentroidalRows {
    /// Seconds between frames.
    pub frame_time: f64,
    /// Total mass, kg.
    pub mass: f64,
    /// Centre of mass, metres.
    pub mass_center: Vec<DVec3>,
    /// m/s.
    pub velocity: Vec<DVec3>,
    /// m/s².
    pub acceleration: Vec<DVec3>,
    /// About the centre of mass, kg m²/s.
    pub angular_momentum: Vec<DVec3>,
    /// kg m²/s².
    pub angular_momentum_rate: Vec<DVec3>,
}

impl CentroidalRows {
    /// Rows of zeros for `bodies`.
    pub fn zero(bodies: &BodyMotion, frame_time: f64) -> Self {
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

    /// Fills the rows from `first` on from `bodies`, which hold the frames of those rows and no others. Accelerations and
    /// rates at the two ends are their neighbors'; momenta there are extrapolated from the half steps, which is second
    /// order.
    pub fn take(&mut self, bodies: &BodyMotion, velocity: Velocity, first: usize) {
        let (end, h) = (first + bodies.frames(), self.frame_time);
        let last = end - 1;
        if bodies.bodies() == 0 {
            return;
        }
        let differences = match velocity {
            Velocity::Central => Differences::Central,
            Velocity::Backward => Differences::Backward,
        };
        let motion = bodies.centroidal_rows(h, differences);
        self.mass_center[first..end].copy_from_slice(&motion.mass_center);
        if last == first {
            return;
        }
        for frame in first..end {
            self.velocity[frame] = self.velocity_at(frame, first, last, velocity);
        }
        self.angular_momentum[first..end].copy_from_slice(&motion.angular_momentum);
        let halves = bodies.half_step_angular_momentum_rows(h);
        let steps = halves.len();
        match velocity {
            Velocity::Backward => self.angular_momentum[first] = self.angular_momentum[first + 1],
            Velocity::Central => {
                self.angular_momentum[first] = extrapolate(halves[0], halves.get(1));
                let before = steps.checked_sub(2).and_then(|k| halves.get(k));
                self.angular_momentum[last] = extrapolate(halves[steps - 1], before);
            }
        }
        self.take_rates(&halves, first, last);
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

    /// Central differences with one-sided ones of second order at the ends, or backward ones.
    fn velocity_at(&self, frame: usize, first: usize, last: usize, velocity: Velocity) -> DVec3 {
        let (c, h) = (&self.mass_center, self.frame_time);
        if velocity == Velocity::Backward {
            let frame = frame.max(first + 1);
            return (c[frame] - c[frame - 1]) / h;
        }
        if last < first + 2 {
            return (c[last] - c[first]) / h;
        }
        if frame == first {
            (-3.0 * c[first] + 4.0 * c[first + 1] - c[first + 2]) / (2.0 * h)
        } else if frame == last {
            (3.0 * c[last] - 4.0 * c[last - 1] + c[last - 2]) / (2.0 * h)
        } else {
            (c[frame + 1] - c[frame - 1]) / (2.0 * h)
        }
    }
}

/// The value half a step beyond `near`, on the line from `far` through it.
fn extrapolate(near: DVec3, far: Option<&DVec3>) -> DVec3 {
    far.map_or(near, |far| 1.5 * near - 0.5 * *far)
}
