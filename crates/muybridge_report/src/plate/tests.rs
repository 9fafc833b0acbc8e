use super::*;
use crate::leap;

/// Writes plates to look at into the folder that `MUYBRIDGE_PICTURES` names.
fn keep(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join(name), bytes).unwrap();
    }
}

#[test]
fn looks() {
    for (name, gravity, distance, dark) in
        [("long", 2.2, 1.9, false), ("dark", 2.2, 1.9, true), ("place", 1.0, 0.0, false)]
    {
        let (character, clip, analysis) = leap::leap(gravity, distance);
        let labels = Labels { dark, ..leap::labels("jump.bvh") };
        let bytes = plate(&character, &clip, &analysis, &labels).unwrap();
        keep(&format!("{name}.png"), &bytes);
    }
}
