//! The page.
use super::statistics::Statistics;
/// What the page needs.
pub struct PageText<'a> {
    /// The link to a file.
    pub link: &'a dyn Fn(&str) -> String,
}
/// The page.
pub fn html(_statistics: &Statistics, _text: &PageText<'_>) -> String {
    String::new()
}
