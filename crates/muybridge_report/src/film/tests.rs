//! Frames and films of runs made by hand.

use super::*;
use crate::film::sample;

/// Keeps a picture to look at in the folder that `MUYBRIDGE_PICTURES` names.
fn keep(name: &str, bytes: &[u8]) {
    if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES") {
        std::fs::write(std::path::Path::new(&folder).join(name), bytes).unwrap();
    }
}

/// FNV-1a, 64 bits.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[test]
fn frames_of_every_kind_of_run_are_drawn() {
    let light = Look::default();
    let dark = Look { dark: true, ..light };
    for (recording, frame) in
        [(sample::jump(), 78), (sample::ball(), 45), (sample::sheet(32), 12), (sample::rope(), 8), (sample::crowd(8), 1)]
    {
        for (look, word) in [(&light, "light"), (&dark, "dark")] {
            let bytes = png(&recording, frame, look).unwrap();
            keep(&format!("film_{}_{word}.png", recording.name), &bytes);
            assert!(bytes.len() > 8_000, "{} {word}: {} bytes", recording.name, bytes.len());
        }
    }
}

#[test]
fn a_plate_shows_exposures_panel_and_charts() {
    for recording in [sample::jump(), sample::ball(), sample::sheet(24)] {
        let bytes = plate(&recording, &Look::default()).unwrap();
        keep(&format!("film_plate_{}.png", recording.name), &bytes);
        assert_eq!(u32::from_be_bytes(bytes[16..20].try_into().unwrap()), 2400);
    }
}
