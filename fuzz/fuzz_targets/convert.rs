//! Any bytes that are a motion are converted to every format that is written, or give an error. What is written is read
//! again, with as many frames.

use std::path::Path;

use muybridge_files::convert::{Conversion, convert};
use muybridge_files::formats::{BVH, GLB, GLTF, VRMA};
use muybridge_files::output::SideFile;
use muybridge_files::{OpenOptions, gltf, open};

pub fn fuzz(bytes: &[u8]) {
    let Ok(opened) = open::decode(Path::new(""), bytes.to_vec(), &OpenOptions::default()) else { return };
    let imported = &opened.imported;
    if imported.clips.is_empty() || imported.clips[0].frames() * imported.skeleton.len() > 4000 {
        return;
    }
    for format in [&BVH, &GLB, &GLTF, &VRMA] {
        let Ok(conversions) = convert(&opened, format, &Conversion::default()) else { continue };
        for converted in conversions.files {
            if std::ptr::eq(format, &BVH) {
                let again = open::decode(Path::new("a.bvh"), converted.file, &OpenOptions::default())
                    .expect("what is written can be read");
                assert!(imported.clips.iter().any(|clip| clip.frames() == again.imported.clips[0].frames()));
            } else {
                gltf::parse(&converted.file, &mut |name| SideFile::find(&converted.beside, name))
                    .expect("what is written can be read");
            }
        }
    }
}
