//! Contact points of a running scene, for drawing.

use glam::DVec3;

/// A contact point between two things.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMark {
    /// Point on the surface of one of the things, meters.
    pub place: DVec3,
    /// Contact normal, towards that thing; unit length.
    pub normal: DVec3,
}

/// Greatest gap of a touching contact of rigid bodies, meters. Speculative contacts have a greater gap.
pub(super) const TOUCHING: f64 = 0.001;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::scene::{Block, Method, Scene};
    use crate::simulation::{Assets, World};

    #[test]
    fn a_box_at_rest_touches_the_ground_with_the_corners_of_its_lower_face() {
        for method in [Method::Particles, Method::Multipliers, Method::Displacement, Method::Hennix] {
            let mut scene = Scene::default();
            (scene.solver.method, scene.solver.frames_before_sleep, scene.setting.ground) = (method, 0, Some(0.25));
            let (size, position) = (DVec3::new(0.4, 0.2, 0.6), DVec3::new(1.0, 0.36, -2.0));
            scene.boxes.push(Block { name: "box".into(), size, position, ..Block::default() });
            let mut world = World::new(scene, &Assets::default()).unwrap();
            assert_eq!(world.touches(), [], "{method:?}");
            (0..60).for_each(|_| world.step());
            let touches = world.touches();
            for corner in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
                let place = DVec3::new(1.0 + 0.5 * size.x * corner[0], 0.25, -2.0 + 0.5 * size.z * corner[1]);
                // Boxes of particles are rounded by a centimeter.
                let near = touches.iter().filter(|touch| touch.place.distance(place) < 0.02);
                assert!(near.count() > 0, "{method:?}: {touches:?}");
            }
            assert!(touches.iter().all(|touch| touch.normal.distance(DVec3::Y) < 1e-3), "{method:?}: {touches:?}");
        }
    }
}
