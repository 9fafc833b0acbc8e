//! Draggable handles of a flight in the view: its two ends, its apex, and the tip of its angular momentum arrow.
//!
//! ```text
//! handle + ray under the pointer ─► goal for the flight ─► settings of a correction
//! ```

use muybridge::analysis::Flight;
use muybridge::correction::{FixSettings, SpinTarget};
use muybridge::glam::DVec3;

use crate::motions::AnalyzedMotion;
use crate::theme::Theme;
use crate::view::{Drawing, Ray, Sign};

/// A draggable handle of a flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// Apex of the path: sets the height, and so the duration.
    Top,
    /// Start of the path, the take-off.
    TakeOff,
    /// End of the path, the landing.
    Landing,
    /// Tip of the angular momentum arrow.
    Spin,
}

/// Goal that a flight is to be corrected to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wish {
    /// Duration of the flight, seconds.
    Duration(f64),
    /// Height of the center of mass at the apex, meters above the floor.
    Apex(f64),
    /// Displacements of take-off and landing, meters.
    Ends([DVec3; 2]),
    /// Angular momentum, kg m²/s.
    Spin(DVec3),
}

/// Scale of the angular momentum arrow, meters per kg m²/s, and height of its foot above the apex, meters.
const METERS_PER_SPIN: f64 = 0.03;
const ABOVE: f64 = 0.3;

/// Range of apex heights that can be asked for, meters above the floor.
pub const APEX: std::ops::RangeInclusive<f64> = 0.3..=4.0;

impl Handle {
    const ALL: [Self; 4] = [Self::Top, Self::TakeOff, Self::Landing, Self::Spin];

    /// Handles of a flight with their positions; the angular momentum handle only if `with_spin`.
    pub fn of(motion: &AnalyzedMotion, flight: &Flight, with_spin: bool) -> Vec<(Self, DVec3)> {
        let wanted = Self::ALL.into_iter().filter(|handle| with_spin || *handle != Self::Spin);
        wanted.filter_map(|handle| Some((handle, handle.position(motion, flight)?))).collect()
    }

    /// Position of the handle, meters; `None` if the flight has no path.
    pub fn position(self, motion: &AnalyzedMotion, flight: &Flight) -> Option<DVec3> {
        let path = &flight.ballistic_path;
        match self {
            Self::Top => top(flight),
            Self::TakeOff => path.first().copied(),
            Self::Landing => path.last().copied(),
            Self::Spin => Some(spin_foot(flight)? + mean_spin(motion, flight) * METERS_PER_SPIN),
        }
    }

    /// Goal for the flight if this handle is dragged to the ray. Ends move along the floor, or vertically if
    /// `upright`; the angular momentum moves in the plane that faces the camera.
    pub fn wish(self, motion: &AnalyzedMotion, flight: &Flight, ray: &Ray, upright: bool) -> Option<Wish> {
        let place = self.position(motion, flight)?;
        // The vertical plane through the handle that faces the camera.
        let facing = ray.direction.with_y(0.0).normalize_or(DVec3::Z);
        let way = |way: DVec3| if self == Self::TakeOff { [way, DVec3::ZERO] } else { [DVec3::ZERO, way] };
        match self {
            Self::Top => {
                let floor = motion.analysis.floor.unwrap_or(0.0);
                let height = ray.meets_plane(place, facing)?.y - floor;
                Some(Wish::Apex(height.clamp(*APEX.start(), *APEX.end())))
            }
            Self::TakeOff | Self::Landing if upright => {
                Some(Wish::Ends(way(DVec3::Y * (ray.meets_plane(place, facing)?.y - place.y))))
            }
            Self::TakeOff | Self::Landing => Some(Wish::Ends(way(ray.meets_plane(place, DVec3::Y)? - place))),
            Self::Spin => {
                let tip = ray.meets_plane(place, ray.direction)?;
                Some(Wish::Spin((tip - spin_foot(flight)?) / METERS_PER_SPIN))
            }
        }
    }

    /// Position of the handle for a goal, so that it stays under the pointer while the correction is computed.
    pub fn wished(self, motion: &AnalyzedMotion, flight: &Flight, wish: Wish) -> Option<DVec3> {
        let place = self.position(motion, flight)?;
        match (self, wish) {
            (Self::Top, Wish::Apex(height)) => Some(place.with_y(motion.analysis.floor.unwrap_or(0.0) + height)),
            (Self::TakeOff, Wish::Ends([way, _])) | (Self::Landing, Wish::Ends([_, way])) => Some(place + way),
            (Self::Spin, Wish::Spin(spin)) => Some(spin_foot(flight)? + spin * METERS_PER_SPIN),
            _ => None,
        }
    }

    /// Tooltip of the handle.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Top => "Height of the flight",
            Self::TakeOff => "Where the flight begins; Shift: up and down. What comes before goes along",
            Self::Landing => "Where the flight ends; Shift: up and down. What comes after goes along",
            Self::Spin => "The angular momentum of the flight",
        }
    }

    /// Adds the handle's sign to the drawing.
    pub fn draw(self, at: DVec3, is_held: bool, drawing: &mut Drawing, theme: &Theme) {
        let (sign, color) = match self {
            Self::Top => (Sign::Square, theme.ballistic),
            Self::TakeOff | Self::Landing => (Sign::Square, theme.accent),
            Self::Spin => (Sign::Disc, theme.angular_momentum),
        };
        drawing.handle(sign, at, if is_held { 17.0 } else { 13.0 }, color);
    }
}

impl Wish {
    /// Name of the change for the menu.
    pub fn name(self) -> &'static str {
        match self {
            Self::Duration(_) => "Duration of a flight",
            Self::Apex(_) => "Height of a flight",
            Self::Ends(_) => "Ends of a flight",
            Self::Spin(_) => "Spin of a flight",
        }
    }

    /// Adds the goal to correction settings.
    pub fn among(self, fix: FixSettings) -> FixSettings {
        match self {
            Self::Duration(seconds) => FixSettings { duration: Some(seconds), ..fix },
            Self::Apex(height) => FixSettings { apex: Some(height), ..fix },
            Self::Ends(ways) => FixSettings { ends: Some(ways), ..fix },
            Self::Spin(momentum) => FixSettings { momentum: Some(SpinTarget::Given(momentum)), ..fix },
        }
    }
}

/// Highest point of the flight's path.
fn top(flight: &Flight) -> Option<DVec3> {
    flight.ballistic_path.iter().copied().max_by(|a, b| a.y.total_cmp(&b.y))
}

/// Foot of the angular momentum arrow, meters.
pub fn spin_foot(flight: &Flight) -> Option<DVec3> {
    Some(top(flight)? + ABOVE * DVec3::Y)
}

/// Mean angular momentum of a flight, kg m²/s.
fn mean_spin(motion: &AnalyzedMotion, flight: &Flight) -> DVec3 {
    let rows = motion.analysis.per_frame.angular_momentum.get(flight.span.first..=flight.span.last);
    let rows: Vec<DVec3> = rows.unwrap_or_default().iter().copied().flatten().collect();
    rows.iter().sum::<DVec3>() / (rows.len() as f64).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::samples;
    use muybridge_files::prepare::{Preparation, prepare_sample};

    #[test]
    fn s19_a_handle_is_wished_for_where_the_ray_under_the_hand_goes_through() {
        let prepared = prepare_sample(samples::humanoid(), samples::jump(), &Preparation::default()).unwrap();
        let motion = AnalyzedMotion::new(prepared);
        let flight = &motion.analysis.flights[0];
        for handle in Handle::ALL {
            for upright in [false, true] {
                let place = handle.position(&motion, flight).unwrap();
                let eye = place + DVec3::new(2.0, 1.5, 3.0);
                let toward = place + DVec3::new(0.1, 0.2, -0.1);
                let ray = Ray { origin: eye, direction: (toward - eye).normalize() };
                let wish = handle.wish(&motion, flight, &ray, upright).unwrap();
                let there = handle.wished(&motion, flight, wish).unwrap();
                let off = (there - ray.origin).reject_from(ray.direction).length();
                // The apex and an upright end move vertically: they reach the height at which the ray meets the
                // upright plane.
                let along_one = handle == Handle::Top || (upright && handle != Handle::Spin);
                let high = ray.meets_plane(place, ray.direction.with_y(0.0).normalize()).unwrap().y;
                let off = if along_one { (there.y - high).abs() } else { off };
                assert!(off < 1e-9, "{handle:?} {upright}: {off} m");
            }
        }
    }
}
