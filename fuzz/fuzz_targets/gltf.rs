//! Any bytes as glTF: no panic, no hang, the same result twice; a file that was read can be written and read again.

use muybridge_files::gltf::{self, ExportOptions, ImportOptions};
use muybridge_files::output::SideFile;
use muybridge_files::{Error, Imported};

fn read(bytes: &[u8]) -> Result<(gltf::GltfDocument, Imported), Error> {
    // Files beside the input are the first bytes of the input itself.
    let document = gltf::parse(bytes, &mut |_| Some(bytes[..bytes.len().min(256)].to_vec()))?;
    let file = gltf::import(&document, &ImportOptions::default())?;
    Ok((document, file))
}

pub fn fuzz(bytes: &[u8]) {
    let first = read(bytes);
    assert_eq!(first, read(bytes));
    let Ok((document, file)) = first else { return };
    assert!(!file.clips.is_empty());
    for (bone, _) in &file.skin_points {
        assert!(*bone < file.skeleton.len());
    }
    for clip in &file.clips {
        clip.check_finite().expect("a clip that was read is finite");
    }
    if let Ok(written) = gltf::with_motion(&document, 0, &file.skeleton, &file.clips[0]) {
        let beside = |name: &str| SideFile::find(&written.beside, name);
        let external = |name: &str| beside(name).or_else(|| Some(bytes[..bytes.len().min(256)].to_vec()));
        gltf::parse(&written.file, &mut |name| external(name)).expect("what was written can be read");
    }
    if let Ok(new) = gltf::export(&file.skeleton, &file.clips, ExportOptions { binary: true }) {
        gltf::parse(&new, &mut |_| None).expect("what was exported can be read");
    }
}
