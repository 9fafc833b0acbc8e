//! Any bytes give a table of finite contacts or an error.

use muybridge_files::contacts_csv;

pub fn fuzz(bytes: &[u8]) {
    let Ok(contacts) = contacts_csv::parse(bytes) else { return };
    for contact in &contacts {
        assert!(!contact.bone.is_empty() && !contact.points.is_empty());
        assert!(contact.points.iter().all(|(position, radius)| position.is_finite() && *radius >= 0.0));
        assert!(contact.shape.iter().all(|shape| shape.position.is_finite() && shape.rotation.is_normalized()));
    }
}
