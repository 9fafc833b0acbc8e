//! Any bytes as an MJCF model give a model with finite masses or an error.

use muybridge_files::mjcf;

pub fn fuzz(data: &[u8]) {
    let mut open = |name: &str| match name {
        "part.xml" => Ok(b"<mujocoinclude><body name='part'><geom size='.1'/></body></mujocoinclude>".to_vec()),
        _ => mjcf::alone(name),
    };
    if let Ok(model) = mjcf::read(data, &mut open) {
        assert!(model.bodies.iter().all(|body| body.body.mass >= 0.0 && body.body.center.is_finite()));
        assert!(model.bodies.iter().enumerate().all(|(index, body)| body.parent.is_none_or(|parent| parent < index)));
    }
}
