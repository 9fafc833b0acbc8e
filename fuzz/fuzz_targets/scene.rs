//! Any bytes as a scene give an error, or a scene that is written and read back the same.

use muybridge_files::scene::{read, write};

pub fn fuzz(data: &[u8]) {
    if let Ok(scene) = read(data) {
        let text = write(&scene);
        assert_eq!(read(text.as_bytes()).as_ref(), Ok(&scene));
    }
}
