//! Any bytes under any name have a file kind. The name is the input before the first NUL byte.

use std::path::Path;

use muybridge_files::sniff::sniff;

pub fn fuzz(data: &[u8]) {
    let split = data.iter().position(|&byte| byte == 0).unwrap_or(0);
    let name = String::from_utf8_lossy(&data[..split]);
    let _ = sniff(Path::new(name.as_ref()), &data[split..]);
}
