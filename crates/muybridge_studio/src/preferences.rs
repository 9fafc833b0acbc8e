//! Preferences that are kept between sessions, and the folder they are stored in.

use std::path::{Path, PathBuf};

use muybridge_files::open;
use serde::{Deserialize, Serialize};

/// Preferences of the user and the list of recent files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// Whether the dark theme ("Slate") is used instead of the light one ("Paper").
    pub dark: bool,
    /// Files opened or saved, latest first.
    pub recent: Vec<PathBuf>,
}

/// Greatest number of recent files.
const MOST_RECENT: usize = 12;

impl Default for Preferences {
    fn default() -> Self {
        Self { dark: true, recent: Vec::new() }
    }
}

impl Preferences {
    /// Reads the preferences from the folder; the defaults if there are none or they cannot be read.
    pub fn load(folder: Option<&Path>) -> Self {
        let text = folder.and_then(|folder| open::read(&folder.join(FILE)).ok());
        text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
    }

    /// Writes the preferences into the folder; does nothing if `folder` is `None`.
    ///
    /// # Errors
    /// Returns a message that names the file.
    pub fn save(&self, folder: Option<&Path>) -> Result<(), String> {
        let Some(folder) = folder else { return Ok(()) };
        let path = folder.join(FILE);
        let told = |error: &dyn std::fmt::Display| {
            format!("The preferences could not be saved to {}: {error}", path.display())
        };
        let text = serde_json::to_vec_pretty(self).map_err(|error| told(&error))?;
        std::fs::create_dir_all(folder).map_err(|error| told(&error))?;
        std::fs::write(&path, text).map_err(|error| told(&error))
    }

    /// Puts a file at the head of the recent files.
    pub fn remember(&mut self, path: &Path) {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        self.recent.retain(|known| *known != path);
        self.recent.insert(0, path);
        self.recent.truncate(MOST_RECENT);
    }
}

const FILE: &str = "studio.json";

/// Data folder of the studio: `MUYBRIDGE_STUDIO_FOLDER`, or the user's data folder of the operating system. `None` on
/// the web and if there is no home folder.
pub fn folder() -> Option<PathBuf> {
    if cfg!(target_arch = "wasm32") {
        return None;
    }
    let named = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || named("HOME");
    let base = if cfg!(windows) {
        named("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Application Support"))
    } else {
        named("XDG_DATA_HOME").or_else(|| home().map(|home| home.join(".local/share")))
    };
    named("MUYBRIDGE_STUDIO_FOLDER").or_else(|| base.map(|base| base.join("muybridge-studio")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_opened_again_moves_to_the_head() {
        let mut preferences = Preferences::default();
        for name in ["/a", "/b", "/a"] {
            preferences.remember(Path::new(name));
        }
        assert_eq!(preferences.recent, [PathBuf::from("/a"), PathBuf::from("/b")]);
    }

    #[test]
    fn preferences_come_back_as_they_were_kept() {
        let folder = std::env::temp_dir().join(format!("muybridge-preferences-{}", std::process::id()));
        let kept = Preferences { dark: false, recent: vec!["/a".into()] };
        kept.save(Some(&folder)).unwrap();
        assert_eq!(Preferences::load(Some(&folder)), kept);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
