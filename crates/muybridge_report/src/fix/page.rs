//! The page of a correction.

use super::FixReport;

/// Both motions on one offline page.
pub fn fix_html(report: &FixReport) -> String {
    crate::page::html(&report.after)
}
