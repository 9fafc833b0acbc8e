//! Labels of a report that do not come from the analysis.

/// File name, unit, notes and theme of a report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// The file as the user named it.
    pub file: String,
    /// Name of the character; empty if the file holds one.
    pub character: String,
    /// Unit of the file and its reason: "1 unit = 1 cm (height 1.71 m)"; empty for no such line.
    pub unit: String,
    /// Notes on what was assumed about the body, one sentence each.
    pub notes: Vec<String>,
    /// Dark theme (slate) if true, light theme (paper) if false.
    pub dark: bool,
}

impl Labels {
    /// File, clip and character: "duel.glb · strike · Hips#2".
    pub fn title(&self, clip: &str) -> String {
        title(&[&self.file, clip, &self.character])
    }
}

/// The parts that are not empty, with a dot between.
pub(crate) fn title(parts: &[&str]) -> String {
    parts.iter().copied().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}
