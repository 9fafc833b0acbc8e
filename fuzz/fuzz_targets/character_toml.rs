//! Any bytes as a character file give an error, or a character that is written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use muybridge_files::character_toml::{read, write};

fuzz_target!(|data: &[u8]| {
    if let Ok(character) = read(data).and_then(|document| document.character()) {
        let again = read(write(&character).as_bytes()).and_then(|document| document.character());
        assert_eq!(again.as_ref(), Ok(&character));
    }
});
