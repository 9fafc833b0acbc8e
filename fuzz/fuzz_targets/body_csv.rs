//! Any bytes give a table of finite masses or an error.

use muybridge_files::body_csv;

pub fn fuzz(bytes: &[u8]) {
    let Ok(table) = body_csv::parse(bytes) else { return };
    let lines = bytes.iter().filter(|byte| b"\r\n".contains(byte)).count() + 1;
    for named in &table.bodies {
        assert!(!named.name.is_empty() && (1..=lines).contains(&named.line));
        assert!(named.body.mass >= 0.0 && named.body.mass.is_finite());
        assert!(named.body.center.is_finite() && named.body.inertia.is_finite());
    }
}
