//! Any bytes as a file of limits give an error, or limits that are written and read back the same.

use muybridge_files::limits_file::{parse, write};

pub fn fuzz(bytes: &[u8]) {
    if let Ok((limits, _)) = parse(bytes) {
        let (again, notes) = parse(write(&limits).as_bytes()).expect("what is written can be read");
        assert_eq!((&limits, notes), (&again, Vec::new()));
    }
}
