//! Any bytes as a URDF model give a model with parents before their children, or an error.

pub fn fuzz(data: &[u8]) {
    if let Ok(model) = muybridge_files::urdf::read(data) {
        assert!(model.bodies.iter().all(|body| body.body.mass >= 0.0 && body.body.center.is_finite()));
        assert!(model.bodies.iter().enumerate().all(|(index, body)| body.parent.is_none_or(|parent| parent < index)));
    }
}
