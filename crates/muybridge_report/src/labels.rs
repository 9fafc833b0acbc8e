//! Labels of a report that do not come from the analysis.

/// File name, unit, notes and theme of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The file as the user named it.
    pub file: String,
    /// Unit of the file and its reason: "1 unit = 1 cm (height 1.71 m)"; empty for no such line.
    pub unit: String,
    /// Notes on what was assumed about the body, one sentence each.
    pub notes: Vec<String>,
    /// Dark theme (slate) if true, light theme (paper) if false.
    pub dark: bool,
}
