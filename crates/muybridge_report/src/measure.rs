//! The value of a finding in the unit in which a person reads it.

use muybridge::analysis::{Finding, FindingUnit};

use crate::terminal::numbers;

/// Writes values and limits of a finding in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measure {
    /// The unit in which the value is kept and in which it is shown.
    pub unit: FindingUnit,
}

impl Measure {
    /// The unit of a finding.
    pub fn of(finding: &Finding) -> Self {
        Self { unit: finding.id.facts().unit }
    }

    /// Formats a value: "2.20 g"; "12.0 %".
    pub fn text(&self, value: f64) -> String {
        match self.unit.shown {
            "%" => numbers::percent(value),
            "" => self.number(value),
            shown => format!("{} {shown}", self.number(value)),
        }
    }

    /// "0.80–1.25 g"; "≤ 15.0 %"; empty where there is no limit.
    pub fn limits(&self, limit: [Option<f64>; 2]) -> String {
        match limit {
            [Some(low), Some(high)] => format!("{}–{}", self.number(low), self.text(high)),
            [None, Some(high)] => format!("≤ {}", self.text(high)),
            [Some(low), None] => format!("≥ {}", self.text(low)),
            [None, None] => String::new(),
        }
    }

    fn number(&self, value: f64) -> String {
        if !value.is_finite() {
            return "?".to_owned();
        }
        let scaled = value * self.unit.factor;
        let digits = if scaled.abs() < 1000.0 { self.unit.digits } else { 0 };
        let text = format!("{scaled:.digits$}");
        // A number that rounds to zero has no sign.
        if text.trim_matches(['-', '0', '.']).is_empty() { text.replace('-', "") } else { text }
    }
}
