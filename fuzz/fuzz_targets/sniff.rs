//! Any bytes under any name: always a kind. The name is what stands before the first NUL byte.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use muybridge_files::sniff::sniff;

fuzz_target!(|data: &[u8]| {
    let split = data.iter().position(|&byte| byte == 0).unwrap_or(0);
    let name = String::from_utf8_lossy(&data[..split]);
    sniff(Path::new(name.as_ref()), &data[split..]);
});
