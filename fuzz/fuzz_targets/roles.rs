//! Any bytes as a file of roles give names of bones or an error. Inferred roles take them, or refuse with a sentence.

use muybridge_files::roles_file;

pub fn fuzz(bytes: &[u8]) {
    let Ok(roles) = roles_file::parse(bytes) else { return };
    for (index, (role, _)) in roles.iter().enumerate() {
        assert!(roles[..index].iter().all(|(other, _)| other != role), "{} is given twice", role.name());
    }
}
