//! In which unit the value of a finding is kept, and in which it is shown.

use muybridge::analysis::{Analysis, Finding, Flight};

use crate::terminal::numbers;

/// The unit of a kind of findings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Measure {
    /// The unit of the value: "m", "m/s", "g", "s"; "1" for a fraction or a factor.
    pub unit: &'static str,
    shown: &'static str,
    factor: f64,
    digits: usize,
}

impl Measure {
    /// The measure of a finding of `analysis`.
    pub fn of(finding: &Finding, analysis: &Analysis) -> Self {
        let of = |unit, shown, factor, digits| Self { unit, shown, factor, digits };
        let in_meters = || {
            let (first, last) = (finding.span.first, finding.span.last);
            flight_at(analysis, (first, last)).is_some_and(|flight| flight.path_error_in_meters)
        };
        match finding.id {
            "flight.gravity" => of("g", " g", 1.0, 2),
            "flight.path" if in_meters() => of("m", " cm", 100.0, 1),
            "flight.path" | "flight.momentum" | "flight.spin" => of("1", " %", 100.0, 1),
            "feet.skate" => of("m/s", " cm/s", 100.0, 1),
            "feet.float" | "feet.penetration" => of("m", " cm", 100.0, 1),
            "clip.jitter" => of("m", " mm", 1000.0, 1),
            "clip.in_place" => of("m/s", " m/s", 1.0, 2),
            "clip.units" => of("m", " m", 1.0, 4),
            "clip.time_base" | "clip.loop_seam" => of("1", " ×", 1.0, 2),
            "support.unseen" => of("s", " s", 1.0, 2),
            _ => of("1", "", 1.0, 2),
        }
    }

    /// "2.20 g"; "12.0 %".
    pub fn text(&self, value: f64) -> String {
        match self.shown {
            " %" => numbers::percent(value),
            _ if !value.is_finite() => format!("∞{}", self.shown),
            _ => format!("{}{}", self.number(value), self.shown),
        }
    }

    /// "0.80–1.25 g"; "up to 15.0 %"; empty where there is no limit.
    pub fn limits(&self, limit: [Option<f64>; 2]) -> String {
        match limit {
            [Some(low), Some(high)] => format!("{}–{}", self.number(low), self.text(high)),
            [None, Some(high)] => format!("≤ {}", self.text(high)),
            [Some(low), None] => format!("≥ {}", self.text(low)),
            [None, None] => String::new(),
        }
    }

    fn number(&self, value: f64) -> String {
        let scaled = value * self.factor;
        let digits = if scaled.abs() < 1000.0 { self.digits } else { 0 };
        let text = format!("{scaled:.digits$}");
        // What rounds to nothing has no sign.
        if text.trim_matches(['-', '0', '.']).is_empty() { text.replace('-', "") } else { text }
    }
}

/// The flight that shares the most frames with `first..=last`.
pub(super) fn flight_at(analysis: &Analysis, (first, last): (usize, usize)) -> Option<&Flight> {
    let shared = |flight: &&Flight| overlap((flight.span.first, flight.span.last), (first, last));
    analysis.flights.iter().filter(|flight| shared(flight) > 0).max_by_key(shared)
}

/// Frames that two spans share.
pub(super) fn overlap(a: (usize, usize), b: (usize, usize)) -> usize {
    (a.1.min(b.1) + 1).saturating_sub(a.0.max(b.0))
}

/// What a finding would measure in `analysis` over these frames, whether or not it is outside its limits there.
pub(super) fn value_now(id: &str, analysis: &Analysis, span: (usize, usize)) -> Option<f64> {
    let of_flight = |value: fn(&Flight) -> f64| flight_at(analysis, span).map(value);
    match id {
        "flight.gravity" => of_flight(|flight| flight.gravity),
        "flight.path" => of_flight(|flight| flight.horizontal_path_error),
        "flight.momentum" => of_flight(|flight| flight.linear_momentum_error_norm),
        "flight.spin" => of_flight(|flight| flight.angular_momentum_error_norm),
        "feet.skate" => Some(analysis.feet.skate),
        "feet.float" => Some(analysis.feet.float),
        "feet.penetration" => Some(analysis.feet.penetration),
        _ => None,
    }
}
