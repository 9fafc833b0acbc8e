//! FBX on a web page: the library that reads it is written in C, so that only the desktop has it.

use crate::{Error, Imported, Location};

/// Says where FBX can be read.
///
/// # Errors
/// Always, in a sentence.
pub fn read(_bytes: &[u8]) -> Result<Imported, Error> {
    let sentence = "FBX is opened by the desktop program only, not on a web page; open it there, or export the motion as GLB or BVH";
    Err(Error::new(Location::File, sentence))
}
