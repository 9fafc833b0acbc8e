//! Any bytes that are a motion are prepared and analyzed, or give an error. The mass of the body is finite and not negative,
//! and so is every gravity.

use std::path::Path;

use muybridge_files::prepare::analyze;
use muybridge_files::{OpenOptions, Preparation, open, prepare};

pub fn fuzz(bytes: &[u8]) {
    let Ok(opened) = open::decode(Path::new(""), bytes.to_vec(), &OpenOptions::default()) else { return };
    let imported = &opened.imported;
    if imported.clips.is_empty() || imported.clips[0].frames() * imported.skeleton.len() > 4000 {
        return;
    }
    let Ok(prepared) = prepare(imported, 0, &Preparation::default()) else { return };
    let analysis = analyze(&prepared, &Default::default());
    assert!(analysis.mass >= 0.0 && analysis.mass.is_finite());
    for flight in &analysis.flights {
        assert!(flight.gravity.is_finite() && flight.span.first <= flight.span.last);
    }
}
