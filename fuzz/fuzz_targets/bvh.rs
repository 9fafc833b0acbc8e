//! Any bytes give a document or an error; a written document is read back equal, also after conversion to a clip and
//! back.

use muybridge_files::bvh;

pub fn fuzz(bytes: &[u8]) {
    let Ok(document) = bvh::parse(bytes) else { return };
    let back = bvh::parse(bvh::write(&document).as_bytes()).expect("what is written can be read");
    assert_eq!(document, back);
    let bits = |document: &bvh::BvhDocument| -> Vec<u64> {
        (0..document.frames())
            .flat_map(|frame| document.row(frame).iter().map(|v| v.to_bits()).collect::<Vec<_>>())
            .collect()
    };
    assert_eq!(bits(&document), bits(&back));
    let Ok(imported) = bvh::import(&document) else { return };
    let options = bvh::ExportOptions::default();
    if let Ok(exported) = bvh::export(&imported.skeleton, &imported.clips[0], &options) {
        assert_eq!(exported, bvh::parse(bvh::write(&exported).as_bytes()).expect("what is exported can be read"));
    }
    if let Ok(moved) = bvh::with_motion(&document, &imported.clips[0]) {
        assert_eq!((moved.joints(), moved.frame_time()), (document.joints(), document.frame_time()));
    }
}
