//! What a report says about a clip that the analysis does not know.

/// Words from the reader and the wish for light or dark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The file as the user named it.
    pub file: String,
    /// What a unit of the file is and why: "1 unit = 1 cm (height 1.71 m)"; empty where nothing is to be said.
    pub unit: String,
    /// True for pictures on slate, false on paper.
    pub dark: bool,
}
