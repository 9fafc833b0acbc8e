//! Any bytes that are a motion are corrected or give an error; the written file is read again with as many frames.

use std::path::Path;

use muybridge::correction::FixSettings;
use muybridge_files::fix::fix_clip;
use muybridge_files::{OpenOptions, open, rewrite};

pub fn fuzz(bytes: &[u8]) {
    let Ok(opened) = open::decode(Path::new(""), bytes.to_vec(), &OpenOptions::default()) else { return };
    let Ok((mut opened, _)) = rewrite::writable(opened, false, "clip") else { return };
    let small = |clip: &muybridge::motion::Clip| clip.frames() * clip.bones() < 4000;
    if opened.imported.clips.is_empty() || !small(&opened.imported.clips[0]) {
        return;
    }
    for blend in [None, Some(3)] {
        let fix = FixSettings { blend, ..FixSettings::default() };
        let Ok(fixed) = fix_clip(&mut opened, 0, &Default::default(), &Default::default(), &fix) else { continue };
        let written = rewrite::bytes(&opened).file;
        if opened.extension() == "bvh" {
            let again = open::decode(Path::new("a.bvh"), written, &OpenOptions::default())
                .expect("what is written can be read");
            assert_eq!(again.imported.clips[0].frames(), fixed.after.clip.frames());
        }
    }
}
