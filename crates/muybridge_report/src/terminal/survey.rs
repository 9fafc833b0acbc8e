//! The summary of a survey.

use super::style::Style;
use crate::survey::Statistics;

/// Everything a survey says as a whole.
pub fn survey_summary(statistics: &Statistics, _style: &Style) -> String {
    format!("{} clips\n", statistics.clips)
}
