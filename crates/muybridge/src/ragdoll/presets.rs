//! Ragdolls without a character: of sticks (Jakobsen) and of triangles (Rosen), connected by shared particles.
//!
//! Both figures are 1.7 m tall, weigh 70 kg and stand with arms out, with feet at the height of `at`, facing +z.
//! Specification: mathematics 3.7, 3.13, 3.14, 8.4 (R8, R9, R27, R28, J25).

use glam::DVec3;

use crate::particles::{Core, Distance, Model, Object, Orientation, Point, Surface};

/// Particles of the stick figure: position for `at` = 0 in meters, and mass in kilograms. Left limbs come before right
/// ones.
const STICK_FIGURE: [([f64; 3], f64); 16] = [
    ([0.0, 1.62, 0.02], 5.0),
    ([0.0, 1.45, -0.03], 3.0),
    ([0.18, 1.40, 0.0], 6.0),
    ([-0.18, 1.40, 0.0], 6.0),
    ([0.46, 1.40, -0.02], 1.6),
    ([-0.46, 1.40, -0.02], 1.6),
    ([0.72, 1.40, 0.0], 1.1),
    ([-0.72, 1.40, 0.0], 1.1),
    ([0.0, 1.12, 0.09], 8.0),
    ([0.10, 0.90, 0.0], 9.2),
    ([-0.10, 0.90, 0.0], 9.2),
    ([0.11, 0.48, 0.02], 5.0),
    ([-0.11, 0.48, 0.02], 5.0),
    ([0.11, 0.06, 0.0], 2.6),
    ([-0.11, 0.06, 0.0], 2.6),
    ([0.0, 1.15, -0.10], 3.0),
];

/// Sticks that are drawn and collide, with their radius, meters.
const BONES: [(usize, usize, f64); 12] = [
    (0, 1, 0.09),
    (2, 3, 0.10),
    (2, 4, 0.045),
    (3, 5, 0.045),
    (4, 6, 0.04),
    (5, 7, 0.04),
    (8, 15, 0.10),
    (9, 10, 0.10),
    (9, 11, 0.07),
    (10, 12, 0.07),
    (11, 13, 0.05),
    (12, 14, 0.05),
];

/// Sticks that brace the trunk.
const BRACES: [(usize, usize); 22] = [
    (1, 2),
    (1, 3),
    (1, 8),
    (1, 15),
    (2, 8),
    (3, 8),
    (2, 15),
    (3, 15),
    (2, 9),
    (3, 10),
    (2, 10),
    (3, 9),
    (8, 9),
    (8, 10),
    (15, 9),
    (15, 10),
    (0, 2),
    (0, 3),
    (1, 9),
    (1, 10),
    (0, 8),
    (0, 15),
];

/// Pairs with a least distance, as a share of their built distance: knees and elbows that do not fold flat, legs and
/// arms that do not pass through each other or the trunk (R28).
const APART: [(usize, usize, f64); 12] = [
    (9, 13, 0.35),
    (10, 14, 0.35),
    (2, 6, 0.30),
    (3, 7, 0.30),
    (11, 12, 0.60),
    (13, 14, 0.60),
    (8, 11, 0.45),
    (8, 12, 0.45),
    (15, 11, 0.75),
    (15, 12, 0.75),
    (0, 4, 0.45),
    (0, 5, 0.45),
];

/// Jakobsen's ragdoll: particles and sticks, a braced trunk, and pairs with a least distance.
#[cfg_attr(not(test), expect(dead_code, reason = "J30: no scene holds the stick figure yet"))]
pub(crate) fn of_sticks(at: DVec3) -> Model {
    let mut model = Model::default();
    for (place, mass) in STICK_FIGURE {
        add(&mut model, at + DVec3::from_array(place), mass);
    }
    for (a, b, radius) in BONES {
        stick(&mut model, a, b);
        cover(&mut model, a, b, radius);
    }
    BRACES.iter().for_each(|&(a, b)| stick(&mut model, a, b));
    for (a, b, share) in APART {
        let length = model.positions[a].distance(model.positions[b]);
        model.distances.push(Distance {
            least: share * length,
            most: f64::INFINITY,
            ..Distance::rigid([a, b], length)
        });
    }
    finish(model)
}

/// Particles of the triangle figure, position and mass as in [`STICK_FIGURE`]: waist, shoulders, neck; hips; crown,
/// nose; then for each side elbow and the point beside it, hand, knee and the point beside it, heel and toe.
const TRIANGLE_FIGURE: [([f64; 3], f64); 22] = [
    ([0.0, 1.05, 0.0], 11.6),
    ([0.18, 1.42, 0.0], 6.0),
    ([-0.18, 1.42, 0.0], 6.0),
    ([0.0, 1.46, 0.06], 4.0),
    ([0.11, 0.90, 0.0], 7.8),
    ([-0.11, 0.90, 0.0], 7.8),
    ([0.0, 1.70, 0.0], 2.0),
    ([0.0, 1.58, 0.12], 2.0),
    ([0.46, 1.42, -0.02], 0.8),
    ([0.46, 1.36, -0.02], 0.8),
    ([0.72, 1.41, 0.0], 1.0),
    ([0.13, 0.50, 0.02], 2.9),
    ([0.06, 0.50, 0.02], 2.9),
    ([0.10, 0.08, 0.0], 2.6),
    ([0.10, 0.03, 0.18], 0.4),
    ([-0.46, 1.42, -0.02], 0.8),
    ([-0.46, 1.36, -0.02], 0.8),
    ([-0.72, 1.41, 0.0], 1.0),
    ([-0.13, 0.50, 0.02], 2.9),
    ([-0.06, 0.50, 0.02], 2.9),
    ([-0.10, 0.08, 0.0], 2.6),
    ([-0.10, 0.03, 0.18], 0.4),
];

/// Triangles: chest (twice, for the neck), pelvis, head; upper arm, forearm, thigh, shin, left before right. Triangles
/// that share two particles are hinges, those that share one are ball joints.
const TRIANGLES: [[usize; 3]; 12] = [
    [0, 1, 2],
    [1, 2, 3],
    [0, 4, 5],
    [3, 6, 7],
    [1, 8, 9],
    [8, 9, 10],
    [4, 11, 12],
    [11, 12, 13],
    [2, 15, 16],
    [15, 16, 17],
    [5, 18, 19],
    [18, 19, 20],
];

/// Pairs of triangles with a limited change of relative orientation, degrees.
const TURNS: [(usize, usize, f64); 11] = [
    (0, 1, 5.0),
    (0, 2, 40.0),
    (1, 3, 45.0),
    (0, 4, 80.0),
    (4, 5, 75.0),
    (2, 6, 60.0),
    (6, 7, 70.0),
    (0, 8, 80.0),
    (8, 9, 75.0),
    (2, 10, 60.0),
    (10, 11, 70.0),
];

/// Sticks that are not sides of a triangle: neck to waist, feet.
const MORE_STICKS: [(usize, usize); 7] = [(0, 3), (13, 14), (11, 14), (12, 14), (20, 21), (18, 21), (19, 21)];

/// Rosen's ragdoll: triangles that share corners, with limits on their relative orientation.
#[cfg_attr(not(test), expect(dead_code, reason = "R27: no scene holds the triangle figure yet"))]
pub(crate) fn of_triangles(at: DVec3) -> Model {
    let mut model = Model::default();
    for (place, mass) in TRIANGLE_FIGURE {
        add(&mut model, at + DVec3::from_array(place), mass);
    }
    let mut sides: Vec<(usize, usize)> = TRIANGLES.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (a, c)]).collect();
    sides.extend(MORE_STICKS);
    sides.sort_unstable();
    sides.dedup();
    sides.iter().for_each(|&(a, b)| stick(&mut model, a, b));
    for (first, second, degrees) in TURNS {
        let captured = Orientation::captured(TRIANGLES[first], TRIANGLES[second], &model.positions);
        let most = f64::to_radians(degrees);
        model.orientations.extend(captured.map(|orientation| Orientation { most, ..orientation }));
    }
    for (part, corners) in TRIANGLES.into_iter().enumerate() {
        let core = Core::Triangle(corners.map(Point::at));
        model.surfaces.push(Surface { core, radius: 0.04, object: 0, part });
    }
    let mut model = finish(model);
    // Narrow triangles need more iterations than sticks.
    model.objects.iter_mut().for_each(|object| object.iterations = Some(4));
    model
}

fn add(model: &mut Model, place: DVec3, mass: f64) {
    model.positions.push(place);
    model.velocities.push(DVec3::ZERO);
    model.masses.push(mass);
}

fn stick(model: &mut Model, a: usize, b: usize) {
    let length = model.positions[a].distance(model.positions[b]);
    model.distances.push(Distance::rigid([a, b], length));
}

fn cover(model: &mut Model, a: usize, b: usize, radius: f64) {
    let part = model.surfaces.len();
    model.surfaces.push(Surface { core: Core::Segment([a, b].map(Point::at)), radius, object: 0, part });
}

fn finish(mut model: Model) -> Model {
    model.objects.push(Object {
        particles: 0..model.positions.len(),
        iterations: None,
        touches_itself: false,
        friction: 0.6,
        restitution: 0.0,
        drag: 0.1,
        rolling: 0.0,
    });
    model
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::model::Plane;
    use crate::particles::{Settings, World};

    /// Runs a minute in the default mode: the figure falls on its feet from half a meter, is picked up by `hand` after
    /// 20 s and released after 40 s. Particles stay above the ground. Returns the greatest stretch.
    fn a_minute(mut model: Model, hand: usize) -> f64 {
        let up = DVec3::Y;
        let above = |particle| Plane { particle, normal: up, offset: 0.0, both_sides: false };
        model.planes = (0..model.positions.len()).map(above).collect();
        let mut world = World::new(model, Settings::default()).unwrap();
        let mut worst = 0.0_f64;
        for step in 0..3600 {
            if (1200..2400).contains(&step) {
                let lift = (f64::from(step - 1200) / 300.0).min(1.0);
                let from = world.state.positions[hand];
                let to = DVec3::new(0.7, 2.0, 0.0);
                world.pin(hand, from + (to - from) * (0.02 * lift)).unwrap();
            } else if step == 2400 {
                world.unpin(hand).unwrap();
            }
            world.step();
            assert!(world.state.positions.iter().all(|x| x.is_finite()), "step {step}");
            worst = worst.max(world.worst_stretch());
        }
        worst
    }

    #[test]
    fn r27_a_ragdoll_of_sticks_lasts_a_minute_and_stretches_by_less_than_2_percent() {
        let model = of_sticks(DVec3::Y * 0.5);
        assert!((model.masses.iter().sum::<f64>() - 70.0).abs() < 1e-12);
        let worst = a_minute(model, 6);
        assert!(worst < 0.02, "{worst}");
    }

    #[test]
    fn r27_a_ragdoll_of_triangles_lasts_a_minute_and_stretches_by_less_than_2_percent() {
        let model = of_triangles(DVec3::Y * 0.5);
        assert_eq!((model.orientations.len(), TRIANGLES.len()), (11, 12));
        assert!((model.masses.iter().sum::<f64>() - 70.0).abs() < 1e-12, "{}", model.masses.iter().sum::<f64>());
        let worst = a_minute(model, 10);
        assert!(worst < 0.02, "{worst}");
    }
}
