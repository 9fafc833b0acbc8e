//! The report on a terminal: a block per clip, a table over clips, the table of roles.
//!
//! The last line of a block is the verdict, the line before it gives advice. All lines fit the terminal's width, by
//! default 80 columns. The text says the same without color and without Unicode.

pub(crate) mod block;
mod explanation;
pub(crate) mod numbers;
pub(crate) mod style;
mod survey;
mod tables;
#[cfg(test)]
mod tests;

pub use crate::fix::{FixRow, FixSummary, fix_block, fix_table};
pub use block::{clip_block, residual_list};
pub use explanation::{explanation, finding_list, residual_explanation, residual_line};
pub use style::{Style, visible};
pub use survey::survey_summary;
pub(crate) use survey::{grouped, length};
pub use tables::{SummaryRow, ignored_list, residual_table, roles_table, summary_table};
