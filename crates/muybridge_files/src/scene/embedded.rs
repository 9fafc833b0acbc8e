//! Files embedded in a scene, as `data:` URIs with their names (RFC 2397).
//!
//! ```toml
//! [[ragdoll]]
//! name = "doll"
//! character = "data:;name=jump.glb;base64,Z2xURgIAAAA…"
//! ```
//! A motion without a file travels with the scene: it is the same wherever the scene is written, and on a web page.

use std::path::PathBuf;

use muybridge::simulation::scene::{EMBEDDED, file_word};

use crate::gltf::{decode_data_uri, encode_base64};

/// The word by which a scene embeds a file of this name and content.
pub fn embedded(name: &str, bytes: &[u8]) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    format!("{EMBEDDED};name={name};base64,{}", encode_base64(bytes))
}

/// Name and content of an embedded file; `None` if the word names a file outside.
///
/// # Errors
/// A sentence, if the data is cut off or mistyped.
pub(super) fn decoded(word: &str) -> Option<Result<(PathBuf, Vec<u8>), String>> {
    word.strip_prefix(EMBEDDED)?;
    let bytes = decode_data_uri(word).ok_or_else(|| {
        format!(
            "{} is embedded in the scene, but its base64 data is damaged; save the scene again, or name a file",
            file_word(word)
        )
    });
    Some(bytes.map(|bytes| (PathBuf::from(file_word(word)), bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_embedded_comes_out_as_it_was_under_its_name() {
        let all: Vec<u8> = (0..=255).collect();
        let word = embedded("a jump;1.bvh", &all);
        assert_eq!(decoded(&word), Some(Ok((PathBuf::from("a_jump_1.bvh"), all))));
        assert_eq!(decoded("jump.bvh"), None);
        let cut = &word[..word.len() - 3];
        assert!(
            decoded(cut)
                .unwrap()
                .unwrap_err()
                .starts_with("a_jump_1.bvh is embedded in the scene, but its base64 data is damaged")
        );
    }
}
