//! The small set of files in `tests/data`.

use std::path::{Path, PathBuf};

use crate::program::files_below;
use crate::test_files;

fn small_set() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data")
}

#[test]
fn the_small_set_stays_below_a_megabyte() {
    let bytes: u64 = files_below(&small_set()).iter().map(|path| path.metadata().unwrap().len()).sum();
    assert!(bytes < 1_000_000, "{bytes} bytes in tests/data");
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn a_file_of_the_small_set_is_that_of_the_shared_data_byte_for_byte() {
    let set = small_set();
    let own =
        |name: &Path| name.starts_with("LICENSES") || [".gitattributes", "README.md"].map(Path::new).contains(&name);
    for path in files_below(&set) {
        let name = path.strip_prefix(&set).unwrap();
        let same = || std::fs::read(&path).unwrap() == std::fs::read(test_files::path("").join(name)).unwrap();
        assert!(own(name) || same(), "{} differs", name.display());
    }
}
