//! Motions of the sample's character encoded as files.

use muybridge::motion::Clip;
use muybridge::samples;
use muybridge_files::Imported;
use muybridge_files::convert::{self, Conversion};
use muybridge_files::formats::{BVH, FileFormat, GLB};

/// Encodes a clip of the built-in humanoid as a BVH.
pub fn bvh(clip: Clip) -> Vec<u8> {
    written(vec![clip], &BVH)
}

/// Encodes clips of the built-in humanoid as one GLB.
pub fn glb(clips: Vec<Clip>) -> Vec<u8> {
    written(clips, &GLB)
}

fn written(clips: Vec<Clip>, format: &FileFormat) -> Vec<u8> {
    let imported = Imported {
        format: "BVH".into(),
        skeleton: samples::humanoid().skeleton,
        clips,
        meters_per_unit: Some(1.0),
        ..Imported::default()
    };
    let written = convert::write(&imported, format, &Conversion::default()).expect("a file");
    written.files.into_iter().next().expect("a file").file
}
