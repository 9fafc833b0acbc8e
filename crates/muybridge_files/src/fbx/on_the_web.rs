//! FBX on a web page: not available, because the library that reads FBX is written in C.

use muybridge::skinning::SkinnedMesh;

use crate::{Error, Imported, Location};

/// Refuses FBX and names the desktop program, which reads it.
///
/// # Errors
/// Always fails, with a sentence.
pub fn read(_bytes: &[u8]) -> Result<Imported, Error> {
    let sentence = "FBX is opened by the desktop program only, not on a web page; open it there, or export the motion as GLB or BVH";
    Err(Error::new(Location::File, sentence))
}

/// Refuses FBX, as [`read`] does.
///
/// # Errors
/// Always fails, with a sentence.
pub fn meshes(bytes: &[u8]) -> Result<(Vec<SkinnedMesh>, Vec<String>), Error> {
    read(bytes).map(|_| Default::default())
}
