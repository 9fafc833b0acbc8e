//! Wind: carries things with drag along, and presses on each triangle of cloth by its angle to the wind.
//!
//! ```text
//! with drag       F = k m u                               k: its rate of drag; with the decay −k m v of the step it ends at u
//! a triangle      w = u − v,  cos θ = |n·ŵ|,  n turned to lee, v: velocity of its center
//!                 D = ½ ρ C_D A cos θ |w|² ŵ              along the wind, on the area the wind sees
//!                 L = ½ ρ C_L A cos θ |w|² (n − ŵ cos θ)  across it, to the side on which lee lies
//! a third of D + L at each corner, but no more than would stop the air past it within a frame h:  |D + L| ≤ m |w|/h
//! ```
//! A triangle edge on to the wind feels no force; a triangle that faces the wind feels ½ ρ C_D A |w|². (Keckeisen, Kimmerle,
//! Thomaszewski, Wacker 2004, *Modelling effects of wind fields in cloth animations*.) The force is held for a whole frame.
//! The bound keeps a light sheet in a strong wind from overtaking it; it applies only if ½ ρ C |w| h exceeds the mass per
//! area. A scene without wind has no air: only drag slows its cloth.

use core::f64::consts::TAU;

use glam::DVec3;

use super::build::Sail;
use super::by_particles::World;
use super::scene::Wind;
use crate::particles::Model;

/// Particles and triangles that wind acts on.
#[derive(Clone, Debug)]
pub(super) struct Exposed {
    /// Particles of objects with drag, and mass times drag rate of each.
    carried: Vec<(usize, f64)>,
    sails: Vec<Sail>,
}

impl Exposed {
    /// Collects the exposed parts of a model and the triangles of its cloth.
    pub fn new(model: &Model, sails: Vec<Sail>) -> Self {
        let dragged = model.objects.iter().filter(|object| object.drag > 0.0);
        let all = dragged.flat_map(|object| object.particles.clone().map(move |particle| (particle, object.drag)));
        let weighed = all.map(|(particle, drag)| (particle, drag * model.masses[particle]));
        Self { carried: weighed.filter(|(_, rate)| rate.is_finite()).collect(), sails }
    }
}

/// Applies the wind of the coming step.
pub(super) fn blow(world: &mut World) {
    let Some(air) = air(&world.scene.winds, world.time()) else { return };
    let World { particles, exposed, .. } = world;
    if air != DVec3::ZERO {
        exposed.carried.iter().for_each(|&(particle, rate)| particles.add_force(particle, air * rate));
    }
    let (density, frame) = (world.scene.setting.air_density, particles.settings.time_step);
    for sail in &exposed.sails {
        let corners = sail.corners;
        if air == DVec3::ZERO && corners.iter().all(|&corner| particles.is_asleep(corner)) {
            continue;
        }
        let places = corners.map(|corner| particles.state.positions[corner]);
        let moving = corners.iter().map(|&corner| particles.velocity(corner)).sum::<DVec3>() / 3.0;
        let force = sail.force(places, (air - moving, density), frame) / 3.0;
        if air == DVec3::ZERO {
            // Still air brakes without keeping resting cloth awake.
            corners.iter().for_each(|&corner| particles.state.forces[corner] += force);
        } else {
            corners.iter().for_each(|&corner| particles.add_force(corner, force));
        }
    }
}

impl Sail {
    /// Force (N) of a relative wind (m/s) in air of `density` (kg/m³), bounded because it is held for `frame` seconds.
    fn force(&self, [a, b, c]: [DVec3; 3], (wind, density): (DVec3, f64), frame: f64) -> DVec3 {
        let twice = (b - a).cross(c - a);
        let (Some(across), Some(along)) = (twice.try_normalize(), wind.try_normalize()) else { return DVec3::ZERO };
        let (area, speed) = (0.5 * twice.length(), wind.length());
        let lee = across * across.dot(along).signum();
        let facing = lee.dot(along);
        let pressure = 0.5 * density * area * facing * speed * speed;
        let force = (along * self.drag + (lee - along * facing) * self.lift) * pressure;
        // If the force overflows, the sheet is brought to the velocity of the air.
        let most = self.mass * speed / frame;
        if force.is_finite() { force.clamp_length_max(most) } else { along * most }
    }
}

/// Velocity of the air at a time, the sum of all winds, m/s; `None` if the scene has no wind.
pub(super) fn air(winds: &[Wind], time: f64) -> Option<DVec3> {
    winds.iter().map(|wind| velocity(wind, time)).reduce(|a, b| a + b)
}

/// Velocity of one wind at a time, m/s; gusts vary as a sine around the mean.
fn velocity(wind: &Wind, time: f64) -> DVec3 {
    if time < wind.begins || wind.ends.is_some_and(|end| time >= end) {
        return DVec3::ZERO;
    }
    wind.velocity * (1.0 + wind.gust_share * libm::sin(TAU * (time - wind.begins) / wind.period))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Assets;
    use crate::simulation::backend::Backend;
    use crate::simulation::scene::{Cloth, Scene};

    const DENSITY: f64 = 1.2;

    #[test]
    fn gusts_come_and_go_around_the_wind() {
        let wind = Wind { velocity: DVec3::X * 4.0, gust_share: 0.5, period: 2.0, ends: Some(10.0), ..Wind::default() };
        assert!((velocity(&wind, 0.5).x - 6.0).abs() < 1e-12 && (velocity(&wind, 1.5).x - 2.0).abs() < 1e-12);
        assert_eq!(velocity(&wind, 10.0), DVec3::ZERO);
    }

    /// Force of a wind of 5 m/s along x on a heavy triangle of 2 m² whose normal is at an angle to the wind, about z.
    fn force_at(angle: f64) -> DVec3 {
        let sail = Sail { corners: [0, 1, 2], mass: 1e12, drag: 1.17, lift: 0.8 };
        let (sine, cosine) = libm::sincos(angle);
        let corners = [DVec3::ZERO, DVec3::new(-sine, cosine, 0.0) * 2.0, DVec3::Z * 2.0];
        sail.force(corners, (DVec3::X * 5.0, DENSITY), 1.0 / 60.0)
    }

    #[test]
    fn a_triangle_across_the_wind_feels_the_pressure_on_its_area_and_one_along_it_nothing() {
        let across = force_at(0.0);
        let expected = 0.5 * DENSITY * 2.0 * 1.17 * 25.0;
        assert!((across - DVec3::X * expected).length() < 1e-9 * expected, "{across}");
        assert!(force_at(core::f64::consts::FRAC_PI_2).length() < 1e-9 * expected);
    }

    #[test]
    fn a_slanting_triangle_is_dragged_by_what_the_wind_sees_and_lifted_to_lee_whichever_side_it_shows() {
        for degrees in [10.0_f64, 30.0, 45.0, 70.0, 110.0, 200.0, 300.0] {
            let angle = degrees.to_radians();
            let (sine, cosine) = (angle.sin(), angle.cos());
            let pressure = 0.5 * DENSITY * 2.0 * 25.0 * cosine.abs();
            // The normal that points down the wind is (|cos|, sin·sgn cos, 0).
            let expected = DVec3::new(1.17 * pressure, 0.8 * pressure * sine * cosine.signum(), 0.0);
            assert!((force_at(angle) - expected).length() < 1e-9, "{degrees}°: {} for {expected}", force_at(angle));
        }
    }

    /// A free sheet of 1 m² and 0.2 kg in a wind without gravity, run for `seconds` at `rate` frames per second.
    fn sheet(wind: DVec3, cloth: Cloth, [seconds, rate]: [f64; 2]) -> World {
        let mut scene = Scene::default();
        scene.setting.gravity = DVec3::ZERO;
        (scene.setting.rate, scene.setting.air_density) = (rate, DENSITY);
        scene.solver.frames_before_sleep = 0;
        scene.cloths.push(Cloth { name: "sheet".into(), columns: 6, rows: 6, mass: 0.2, ..cloth });
        scene.winds.push(Wind { name: "wind".into(), velocity: wind, ..Wind::default() });
        let mut world = World::new(scene, &Assets::default()).expect("a scene");
        (0..(seconds * rate) as usize).for_each(|_| world.step());
        world
    }

    fn mean_velocity(world: &World) -> DVec3 {
        world.particles.momentum() / 0.2
    }

    #[test]
    fn a_free_sheet_across_the_wind_takes_up_its_speed_as_quadratic_drag_says() {
        // w' = −a w², a = ½ ρ C_D/σ: w = w₀/(1 + a w₀ t).
        let cloth = Cloth { damping: 0.0, air_drag: 1.17, ..Cloth::default() };
        let velocity = mean_velocity(&sheet(DVec3::Y * 2.0, cloth, [0.5, 600.0]));
        let expected = 2.0 - 2.0 / (1.0 + 0.5 * DENSITY * 1.17 / 0.2 * 2.0 * 0.5);
        assert!((velocity - DVec3::Y * expected).length() < 0.01 * expected, "{velocity} for {expected}");
    }

    #[test]
    fn a_light_sheet_in_a_storm_takes_up_its_speed_and_never_overtakes_it() {
        // ½ ρ C |w| h is 7 times the mass per area.
        let cloth = || Cloth { damping: 0.0, ..Cloth::default() };
        for frames in 1..10 {
            let speed = mean_velocity(&sheet(DVec3::Y * 40.0, cloth(), [f64::from(frames) / 20.0, 20.0])).y;
            assert!((30.0..=40.0 + 1e-9).contains(&speed), "{speed} m/s after {frames} frames");
        }
    }

    #[test]
    fn a_sheet_along_the_wind_feels_only_what_its_drag_carries() {
        let still = sheet(DVec3::X * 10.0, Cloth { damping: 0.0, ..Cloth::default() }, [1.0, 30.0]);
        assert!(mean_velocity(&still).length() < 1e-9, "{}", mean_velocity(&still));
        // v' = k (u − v).
        let carried = mean_velocity(&sheet(DVec3::X * 10.0, Cloth { damping: 0.5, ..Cloth::default() }, [1.0, 30.0]));
        let expected = 10.0 * (1.0 - libm::exp(-0.5));
        assert!((carried - DVec3::X * expected).length() < 0.01 * expected, "{carried} for {expected}");
    }

    #[test]
    fn a_sheet_that_falls_through_still_air_ends_at_the_speed_at_which_the_air_carries_its_weight() {
        // ½ ρ C_D v² = σ g.
        let mut scene = Scene::default();
        (scene.setting.air_density, scene.solver.frames_before_sleep) = (DENSITY, 0);
        let cloth = Cloth { name: "sheet".into(), columns: 4, rows: 4, mass: 0.2, damping: 0.0, ..Cloth::default() };
        let drag = cloth.air_drag;
        scene.cloths.push(cloth);
        scene.winds.push(Wind { name: "calm".into(), ..Wind::default() });
        let mut world = World::new(scene, &Assets::default()).expect("a scene");
        (0..180).for_each(|_| world.step());
        let expected = libm::sqrt(2.0 * 0.2 * 9.81 / (DENSITY * drag));
        let velocity = mean_velocity(&world);
        assert!((velocity + DVec3::Y * expected).length() < 0.02 * expected, "{velocity} for {expected}");
    }
}
