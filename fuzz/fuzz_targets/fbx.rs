//! Any bytes as FBX give finite clips of the skeleton, or an error.

pub fn fuzz(data: &[u8]) {
    if let Ok(imported) = muybridge_files::fbx::read(data) {
        for clip in &imported.clips {
            assert_eq!(clip.bones(), imported.skeleton.len());
            assert!(clip.check_finite().is_ok());
        }
    }
}
