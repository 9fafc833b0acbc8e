//! Any bytes as the log of a run give an error, or a log that is written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use muybridge_files::scene::{read_log, write_log};

fuzz_target!(|data: &[u8]| {
    if let Ok(log) = read_log(data) {
        let text = write_log(&log);
        assert_eq!(read_log(text.as_bytes()).as_ref(), Ok(&log));
    }
});
