//! Contact points of a running scene, for drawing.

use glam::DVec3;

use super::world::{Inner, World};

/// A contact point between two things.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactMark {
    /// Point on the surface of one of the things, meters.
    pub place: DVec3,
    /// Contact normal, towards that thing; unit length.
    pub normal: DVec3,
}

impl World {
    /// Contact points of the last substep, in the order of the solver. Herds and sleeping particles report none.
    pub fn touches(&self) -> Vec<ContactMark> {
        let mut all = Vec::new();
        if let Inner::Bodies(world) = &self.0 {
            let touching = world.bodies.contacts().iter().filter(|contact| contact.gap <= TOUCHING);
            all.extend(touching.map(|contact| ContactMark { place: contact.point, normal: contact.normal }));
        }
        let points = self.0.points().into_iter().flat_map(|world| world.particles.touches());
        all.extend(points.map(|(place, normal)| ContactMark { place, normal }));
        all
    }
}

/// Greatest gap of a touching contact of rigid bodies, meters. Speculative contacts have a greater gap.
const TOUCHING: f64 = 0.001;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Assets;
    use crate::simulation::scene::{Block, Method, Scene};

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
