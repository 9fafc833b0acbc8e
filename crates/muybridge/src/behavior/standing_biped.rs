//! Test bed for a biped of rigid bodies on flat ground: ragdoll, drives, behavior and world in one object.

use glam::DVec3;

use super::biped::{Biped, BipedError, GaitSettings};
use super::drive::RigidDrives;
use super::{RagdollModel, Sensed};
use crate::character::Character;
use crate::collision::{Obstacle, ObstacleError};
use crate::math::input_error::InputError;
use crate::ragdoll::{RagdollError, RagdollSettings, RagdollStart, RigidRagdoll, rigid};
use crate::rigid::check::ModelError;
use crate::rigid::{Settings, World};

/// A biped ragdoll and the world in which it stands.
#[derive(Clone, Debug)]
pub struct OnFoot {
    /// Behavior of the biped.
    pub biped: Biped,
    /// Rigid ragdoll of the person.
    pub ragdoll: RigidRagdoll,
    /// Constant model of the ragdoll: skeleton, bodies and joints.
    pub figure: RagdollModel,
    /// World of the ragdoll; steps must be 1/120 s or less, or the behavior reacts too late.
    pub world: World,
    drives: RigidDrives,
}

/// Reason why a person cannot be set up.
#[derive(Clone, Debug, thiserror::Error, PartialEq)]
pub enum OnFootError {
    /// The character lacks a role or a sole.
    #[error(transparent)]
    Biped(#[from] BipedError),
    /// The character cannot become a ragdoll.
    #[error(transparent)]
    Ragdoll(#[from] RagdollError),
    /// The world rejects the model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The ground cannot be made.
    #[error(transparent)]
    Ground(#[from] ObstacleError),
}

/// Thickness of the sole boxes under the feet, meters.
const THICKNESS: f64 = 0.03;
/// Friction coefficient of ground and soles.
const FRICTION: f64 = 0.8;

impl OnFoot {
    /// Sets up a character that stands on the ground at height 0, with its soles around the origin. Its feet get flat soles.
    pub fn new(character: &Character, gait: GaitSettings, settings: Settings) -> Result<Self, OnFootError> {
        let rules = RagdollSettings { friction: FRICTION, ..RagdollSettings::default() };
        let figure =
            RagdollModel::of_rigid(character, &rigid(character, &RagdollStart::at_rest(&character.skeleton), &rules)?);
        let mut biped = Biped::new(character, &figure)?;
        biped.gait = gait;
        let mut ragdoll = rigid(character, &RagdollStart::resting(biped.standing()), &rules)?;
        for sole in biped.soles() {
            sole.put_under(&mut ragdoll, THICKNESS);
        }
        let mut model = ragdoll.model.clone();
        model.obstacles.push(Obstacle::ground(0.0)?.with_friction(FRICTION));
        let drives = RigidDrives::add(&figure, &ragdoll, &mut model, 0);
        let world = World::new(model, &ragdoll.starts, Settings { rest_steps: 0, ..settings })?;
        Ok(Self { biped, ragdoll, figure, world, drives })
    }

    /// Default settings of the world: steps of 1/240 s.
    pub fn settings() -> Settings {
        Settings { time_step: 1.0 / 240.0, substeps: 2, ..Settings::default() }
    }

    /// Senses, decides and steps the world. Returns the sensed motion.
    pub fn step(&mut self) -> Sensed {
        let sensed = Sensed::of_rigid(&self.ragdoll, &self.world);
        let wanted = self.biped.decide(&sensed);
        self.drives.apply_pose_target(&wanted, &sensed, &mut self.world);
        self.world.step();
        sensed
    }

    /// Steps for `seconds`, or until the person has fallen. Returns whether it still stands.
    pub fn go_on(&mut self, seconds: f64) -> bool {
        let steps = libm::round(seconds / self.world.settings.time_step) as usize;
        (0..steps).all(|_| {
            let sensed = self.step();
            !self.has_fallen(&sensed)
        })
    }

    /// True if the center of mass is lower than two thirds of its standing height.
    pub(crate) fn has_fallen(&self, sensed: &Sensed) -> bool {
        sensed.mass_center.y < 0.67 * self.biped.standing_height()
    }

    /// Gives a bone an impulse (N s) at its joint, at once.
    ///
    /// # Errors
    /// If there is no such bone with mass, or the impulse is not finite.
    pub fn push(&mut self, bone: usize, impulse: DVec3) -> Result<(), InputError> {
        self.ragdoll.hit(&mut self.world, bone, DVec3::ZERO, impulse)
    }
}

#[cfg(test)]
mod tests {
    use glam::DVec2;

    use super::*;
    use crate::behavior::support::above;
    use crate::character::Role;
    use crate::math::hull::ConvexPolygon;
    use crate::samples;

    fn person(velocity: DVec2) -> OnFoot {
        let gait = GaitSettings { velocity, ..GaitSettings::default() };
        OnFoot::new(&samples::humanoid(), gait, OnFoot::settings()).unwrap()
    }

    fn center(person: &OnFoot) -> DVec3 {
        Sensed::of_rigid(&person.ragdoll, &person.world).mass_center
    }

    #[test]
    fn r21_the_person_stands_for_ten_seconds_with_its_mass_center_over_its_soles() {
        let mut person = person(DVec2::ZERO);
        for _ in 0..2400 {
            let sensed = person.step();
            let corners = person.biped.soles().into_iter().flat_map(|sole| sole.corners(sensed.pose[sole.bone], 0.0));
            let support = ConvexPolygon::new(&corners.map(above).collect::<Vec<_>>());
            assert!(support.signed_distance(above(sensed.mass_center)) < -0.02, "{} s", sensed.time);
        }
        assert_eq!(person.biped.steps, 0);
    }

    #[test]
    fn r22_small_pushes_are_stood_and_larger_ones_stepped_after_in_every_direction() {
        for (impulse, steps) in [(20.0, false), (30.0, true)] {
            for turn in 0..4 {
                let mut person = person(DVec2::ZERO);
                person.biped.may_step = steps;
                assert!(person.go_on(0.5));
                let angle = core::f64::consts::FRAC_PI_2 * f64::from(turn);
                let chest = person.figure.bone_of(Role::Chest).unwrap();
                person.push(chest, DVec3::new(libm::sin(angle), 0.0, libm::cos(angle)) * impulse).unwrap();
                assert!(person.go_on(4.0), "{impulse} N s, quarter {turn}");
                let end = Sensed::of_rigid(&person.ragdoll, &person.world);
                assert!(end.velocity.length() < 0.1, "{}", end.velocity);
            }
        }
    }

    #[test]
    fn r22_fifty_newton_seconds_from_behind_and_from_the_front_are_caught_by_stepping() {
        for sign in [1.0, -1.0] {
            let mut person = person(DVec2::ZERO);
            assert!(person.go_on(0.5));
            let chest = person.figure.bone_of(Role::Chest).unwrap();
            person.push(chest, DVec3::Z * (50.0 * sign)).unwrap();
            // The person moves in the direction of the push.
            assert!(person.go_on(0.4), "{sign}");
            assert!(center(&person).z * sign > 0.1, "{}", center(&person));
            assert!(person.go_on(4.5), "{sign}");
            assert!(person.biped.steps > 0);
        }
        // Without a step it falls.
        let mut person = person(DVec2::ZERO);
        person.biped.may_step = false;
        person.go_on(0.5);
        let chest = person.figure.bone_of(Role::Chest).unwrap();
        person.push(chest, DVec3::Z * 50.0).unwrap();
        assert!(!person.go_on(5.0));
    }

    #[test]
    fn r23_the_person_walks_ten_steps_and_more_on_flat_ground_at_the_speed_it_is_asked_for() {
        for speed in [0.4, 0.8] {
            let mut person = person(DVec2::Y * speed);
            assert!(person.go_on(5.0));
            let (steps, place) = (person.biped.steps, center(&person));
            assert!(person.go_on(5.0), "{speed} m/s");
            assert!(person.biped.steps - steps >= 10, "{}", person.biped.steps);
            let found = (center(&person) - place) / 5.0;
            assert!((found.z / speed - 1.0).abs() < 0.15 && found.x.abs() < 0.1, "{found} of {speed}");
        }
    }

    #[test]
    fn x14_an_animal_is_no_biped() {
        let error = OnFoot::new(&samples::quadruped(), GaitSettings::default(), OnFoot::settings()).unwrap_err();
        assert!(error.to_string().contains("needs a"), "{error}");
    }
}
