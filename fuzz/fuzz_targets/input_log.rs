//! Any bytes as the log of a run give an error, or a log that is written and read back the same.

use muybridge_files::scene::{read_log, write_log};

pub fn fuzz(data: &[u8]) {
    if let Ok(log) = read_log(data) {
        let text = write_log(&log);
        assert_eq!(read_log(text.as_bytes()).as_ref(), Ok(&log));
    }
}
