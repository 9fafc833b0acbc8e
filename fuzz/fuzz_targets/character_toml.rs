//! Any bytes as a character file give an error, or a character that is written and read back the same.

use muybridge_files::character_toml::{read, write};

pub fn fuzz(data: &[u8]) {
    if let Ok(character) = read(data).and_then(|document| document.character()) {
        let again = read(write(&character).as_bytes()).and_then(|document| document.character());
        assert_eq!(again.as_ref(), Ok(&character));
    }
}
