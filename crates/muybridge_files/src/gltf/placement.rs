//! Converts node transforms with any scale to rigid bone frames, and back.
//!
//! ```text
//! M = M_parent · T · R · S              world matrix of a node, scales and shears included
//! M = Q P, Q orthogonal, P symmetric    polar form: Q is the rotation nearest to M (Higham 1986)
//! X ← ½ (γ X + X⁻ᵀ/γ),  γ² = ‖X⁻¹‖/‖X‖  Newton's iteration for Q
//! ```
//! The bone's frame is at the node's world position and has rotation Q, so that world positions are exact and the offsets of
//! children contain the scales of their parents. A mirrored matrix (det < 0) gives Q · diag(−1, 1, 1). If all scales above are
//! uniform, Q is the product of the quaternions, without iteration.

use muybridge::glam::{DMat3, DQuat, DVec3};

/// Local node transform: translation, rotation and scale, or a matrix with shear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NodeLocal {
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
    /// Linear matrix that replaces rotation and scale if the node's matrix has shear; otherwise `None`.
    pub shear: Option<DMat3>,
}

/// World transform of a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeWorld {
    pub position: DVec3,
    /// The rotation nearest to the world matrix.
    pub rotation: DQuat,
    /// Linear part of the world matrix: rotation, scale and shear.
    pub linear: DMat3,
    /// The world scale; `None` unless this scale and all above are uniform and positive.
    pub uniform: Option<f64>,
    /// Handedness of the world matrix.
    pub kind: Handedness,
}

/// Handedness of a world matrix, which decides how a bone's rotation is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handedness {
    /// A rotation with positive scales.
    Proper,
    /// A mirror image.
    Mirrored,
    /// Flattened in some direction.
    Collapsed,
}

impl NodeLocal {
    /// The identity transform.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE, shear: None };

    /// Converts a node's matrix: splits its linear part into rotation and scale if it has no shear.
    pub fn from_matrix(linear: DMat3, translation: DVec3) -> Self {
        let sheared = Self { translation, rotation: DQuat::IDENTITY, scale: DVec3::ONE, shear: Some(linear) };
        let Some(q) = orthogonal_factor(linear).filter(|q| q.determinant() > 0.0) else { return sheared };
        let stretch = q.transpose() * linear;
        let scale = DVec3::new(stretch.x_axis.x, stretch.y_axis.y, stretch.z_axis.z);
        let rest = stretch - DMat3::from_diagonal(scale);
        if largest(rest) > 1e-12 * scale.abs().max_element() {
            return sheared;
        }
        Self { translation, rotation: DQuat::from_mat3(&q).normalize(), scale, shear: None }
    }

    /// Rotation, scale and shear as one matrix.
    pub fn linear(&self) -> DMat3 {
        self.shear.unwrap_or_else(|| DMat3::from_quat(self.rotation) * DMat3::from_diagonal(self.scale))
    }

    fn uniform_scale(&self) -> Option<f64> {
        let s = self.scale;
        (self.shear.is_none() && s.x == s.y && s.y == s.z && s.x > 0.0).then_some(s.x)
    }
}

impl NodeWorld {
    /// The world frame, parent of the roots of a scene.
    pub const ORIGIN: Self = Self {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        linear: DMat3::IDENTITY,
        uniform: Some(1.0),
        kind: Handedness::Proper,
    };

    /// World transform of a child of this node.
    pub fn child(&self, local: &NodeLocal) -> Self {
        let position = self.position + self.carry(local.translation);
        if let (Some(scale), Some(own)) = (self.uniform, local.uniform_scale()) {
            let (rotation, scale) = ((self.rotation * local.rotation).normalize(), scale * own);
            let linear = DMat3::from_quat(rotation) * scale;
            return Self { position, rotation, linear, uniform: Some(scale), kind: Handedness::Proper };
        }
        let linear = self.linear * local.linear();
        let (rotation, kind) = match nearest_rotation(linear) {
            Some((rotation, false)) => (rotation, Handedness::Proper),
            Some((rotation, true)) => (rotation, Handedness::Mirrored),
            None => ((self.rotation * local.rotation).normalize(), Handedness::Collapsed),
        };
        Self { position, rotation, linear, uniform: None, kind }
    }

    /// Transforms a point from this node's frame to the world.
    pub fn point(&self, in_node: DVec3) -> DVec3 {
        self.position + self.linear * in_node
    }

    /// Rotation and translation of the rigid frame of child `local` against the rigid frame of this node.
    pub fn rigid_child(&self, local: &NodeLocal, child: &NodeWorld) -> (DQuat, DVec3) {
        if let Some(scale) = self.uniform {
            let rotation = if child.uniform.is_some() {
                local.rotation
            } else {
                (self.rotation.conjugate() * child.rotation).normalize()
            };
            return (rotation, local.translation * scale);
        }
        let turned_back = self.rotation.conjugate();
        ((turned_back * child.rotation).normalize(), turned_back * (child.position - self.position))
    }

    /// Local transform, with the scale of `like`, of a child at world `position` with world `rotation`.
    ///
    /// `None` if this node is flattened, so that no translation reaches the position.
    pub fn placing(&self, like: &NodeLocal, position: DVec3, rotation: DQuat) -> Option<NodeLocal> {
        let mut local = *like;
        let offset = position - self.position;
        if let (Some(scale), Some(_)) = (self.uniform, like.uniform_scale()) {
            local.translation = self.rotation.conjugate() * offset / scale;
            local.rotation = (self.rotation.conjugate() * rotation).normalize();
            return Some(local);
        }
        if self.kind == Handedness::Collapsed {
            return None;
        }
        local.translation = self.linear.inverse() * offset;
        for _ in 0..50 {
            let error = self.child(&local).rotation.conjugate() * rotation;
            let error = if error.w < 0.0 { -error } else { error };
            // F R F for the mirror F = diag(−1, 1, 1), if the node's parent is mirrored.
            let mirrored = DQuat::from_xyzw(error.x, -error.y, -error.z, error.w);
            local.turn(if self.kind == Handedness::Mirrored { mirrored } else { error });
            if DVec3::new(error.x, error.y, error.z).length_squared() < 1e-30 {
                break;
            }
        }
        local.is_finite().then_some(local)
    }

    fn carry(&self, offset: DVec3) -> DVec3 {
        match self.uniform {
            Some(scale) => self.rotation * (offset * scale),
            None => self.linear * offset,
        }
    }
}

impl NodeLocal {
    fn turn(&mut self, by: DQuat) {
        match &mut self.shear {
            Some(linear) => *linear *= DMat3::from_quat(by),
            None => self.rotation = (self.rotation * by).normalize(),
        }
    }

    fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite()
    }
}

/// The rotation nearest to a matrix, and whether the matrix mirrors; `None` if the matrix is singular.
fn nearest_rotation(linear: DMat3) -> Option<(DQuat, bool)> {
    let q = orthogonal_factor(linear)?;
    let mirrored = q.determinant() < 0.0;
    let q = if mirrored { q * DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0)) } else { q };
    Some((DQuat::from_mat3(&q).normalize(), mirrored))
}

/// The orthogonal factor of the polar form; `None` if the matrix is singular or not finite.
fn orthogonal_factor(linear: DMat3) -> Option<DMat3> {
    let size = largest(linear);
    if !(size.is_finite() && size > 0.0) {
        return None;
    }
    let mut x = linear * (1.0 / size);
    if x.determinant().abs() < 1e-12 {
        return None;
    }
    for _ in 0..40 {
        let inverse_transpose = x.inverse().transpose();
        let gamma = libm::sqrt(norm(inverse_transpose) / norm(x));
        let next = (x * gamma + inverse_transpose * (1.0 / gamma)) * 0.5;
        let step = norm(next - x);
        x = next;
        if step < 1e-15 {
            break;
        }
    }
    Some(x)
}

fn norm(m: DMat3) -> f64 {
    libm::sqrt(m.to_cols_array().iter().map(|x| x * x).sum())
}

fn largest(m: DMat3) -> f64 {
    m.to_cols_array().iter().fold(0.0, |a, x| if x.is_nan() { f64::NAN } else { x.abs().max(a) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::math::rotation::exp;

    fn local(rotation: DQuat, scale: DVec3) -> NodeLocal {
        NodeLocal { translation: DVec3::new(0.1, 0.2, 0.3), rotation, scale, shear: None }
    }

    #[test]
    fn a_rotation_under_any_scale_is_found_again() {
        let turn = exp(DVec3::new(0.4, -1.1, 2.0));
        let (found, mirrored) =
            nearest_rotation(DMat3::from_quat(turn) * DMat3::from_diagonal(DVec3::new(100.0, 0.2, 3.0))).unwrap();
        assert!(!mirrored);
        assert!(found.dot(turn).abs() > 1.0 - 1e-14);
    }

    #[test]
    fn a_mirrored_node_turns_with_the_same_angular_velocity() {
        let rate = DVec3::new(0.3, 1.0, -0.5);
        let mirror = DMat3::from_diagonal(DVec3::new(-1.0, 1.0, 1.0));
        let base = DMat3::from_quat(exp(DVec3::new(1.0, 0.2, 0.1))) * mirror * DMat3::from_quat(exp(DVec3::X));
        let (before, mirrored) = nearest_rotation(base).unwrap();
        let (after, _) = nearest_rotation(DMat3::from_quat(exp(rate * 0.01)) * base).unwrap();
        assert!(mirrored);
        assert!((muybridge::math::rotation::angular_velocity(before, after, 0.01) - rate).length() < 1e-9);
    }

    #[test]
    fn a_node_under_sheared_parents_is_placed_where_it_is_told() {
        let parent = NodeWorld::ORIGIN
            .child(&local(exp(DVec3::new(0.3, 0.1, 0.0)), DVec3::new(1.0, 2.0, 0.5)))
            .child(&local(exp(DVec3::new(0.0, 0.7, 0.2)), DVec3::new(1.5, 1.0, 1.0)));
        let (position, rotation) = (DVec3::new(4.0, 5.0, 6.0), exp(DVec3::new(0.2, 0.9, -0.4)));
        let placed = parent.placing(&local(DQuat::IDENTITY, DVec3::new(1.0, 1.2, 0.9)), position, rotation).unwrap();
        let child = parent.child(&placed);
        assert!((child.position - position).length() < 1e-12);
        assert!(child.rotation.dot(rotation).abs() > 1.0 - 1e-12);
    }

    #[test]
    fn a_flattened_node_keeps_the_product_of_the_rotations() {
        let turn = exp(DVec3::new(0.0, 0.5, 0.0));
        let flat = NodeWorld::ORIGIN.child(&local(turn, DVec3::ZERO));
        assert_eq!(flat.kind, Handedness::Collapsed);
        assert!(flat.rotation.dot(turn) > 1.0 - 1e-15);
    }
}
