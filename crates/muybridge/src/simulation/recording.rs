//! What a run leaves: clips of its characters, and everything else that moved, frame by frame.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::following::Following;
use super::scene::Action;
use super::shell::Shell;
use crate::behavior::action::ActionLogEntry;
use crate::character::Character;
use crate::collision::shape::PlacedShape;
use crate::motion::Clip;

/// A recorded run: frame 0 is the start, every list has the same number of frames.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Name of the scene.
    pub name: String,
    /// Seconds between frames.
    pub frame_time: f64,
    /// Number of frames.
    pub frames: usize,
    /// Characters and their motion, in the order of the scene.
    pub characters: Vec<(String, Character, Clip)>,
    /// Everything else.
    pub tracks: Vec<Track>,
    /// Measures of each frame.
    pub measures: Vec<Measures>,
    /// What actions did, in the order of the scene.
    pub exertions: Vec<ExternalForce>,
    /// How ragdolls followed their clips, in the order of the ragdolls.
    pub follows: Vec<Following>,
    /// What began and ended when and why.
    pub log: Vec<ActionLogEntry>,
    /// Height of the ground where the scene has one, metres.
    pub ground: Option<f64>,
}

/// What an action, a drag, a hit or a user's hand did to its body, or the hand of a `[[follow]]` to its ragdoll, frame by frame: forces of a
/// run that no gravity, contact or joint explains.
#[derive(Clone, Debug)]
pub struct ExternalForce {
    /// Name of the action, or `hand that leads …`, `drag of …`, `hit on …`, `user at …`.
    pub action: String,
    /// The thing or bone it acted on.
    pub on: String,
    /// Force (N) through the center and torque (N m) about it during the step that led to the frame, world axes; of an impulse its mean over
    /// the step in which it was given.
    pub efforts: Vec<(DVec3, DVec3)>,
    /// Where that center is in the frame, metres: that of the body, or the place that is dragged. None for a hand that leads and a hit on all of a
    /// thing, whose center is that of all of it.
    pub centers: Vec<DVec3>,
}

impl ExternalForce {
    /// Whether it acts on a character or a bone of it.
    pub fn is_of(&self, character: &str) -> bool {
        self.on.split('/').next() == Some(character)
    }

    /// Whether it is the hand that leads a ragdoll.
    pub(super) fn is_hand_of(&self, ragdoll: &str) -> bool {
        self.on == ragdoll && self.action == Self::of_hand(ragdoll).action
    }

    /// Of an action, without a frame yet.
    pub(super) fn of_action(action: &Action) -> Self {
        Self { action: action.name.clone(), on: action.on.0.clone(), efforts: Vec::new(), centers: Vec::new() }
    }

    /// Of a part that is dragged, hit or pulled by a user, without a frame yet.
    pub(super) fn of_part(how: &str, on: &str) -> Self {
        Self { action: format!("{how} {on}"), on: on.to_owned(), efforts: Vec::new(), centers: Vec::new() }
    }

    /// Adds a frame.
    pub(super) fn note(&mut self, (effort, center): ((DVec3, DVec3), Option<DVec3>)) {
        self.efforts.push(effort);
        self.centers.extend(center);
    }

    /// Of the hand that leads a ragdoll, without a frame yet.
    pub(super) fn of_hand(ragdoll: &str) -> Self {
        Self {
            action: format!("hand that leads {ragdoll}"),
            on: ragdoll.to_owned(),
            efforts: Vec::new(),
            centers: Vec::new(),
        }
    }
}

impl Recording {
    /// What actions and hands did to a character: force (N) on it and moment (N m) about its mass center, frame by frame. An acceleration at a
    /// frame is a difference over the step before and the step behind, so it has the mean of both.
    pub fn actuated(&self, character: &str, mass_centers: &[DVec3]) -> Vec<(DVec3, DVec3)> {
        // In the middle of a step, where a force that is constant over it has the moment it has on the whole.
        let middle =
            |places: &[DVec3], step: usize| Some((*places.get(step.checked_sub(1)?)? + *places.get(step)?) * 0.5);
        let in_step = |step: usize| {
            let about = middle(mass_centers, step).unwrap_or_default();
            let mut sum = (DVec3::ZERO, DVec3::ZERO);
            for exertion in self.exertions.iter().filter(|exertion| exertion.is_of(character)) {
                let Some((force, torque)) = exertion.efforts.get(step) else { continue };
                let center = middle(&exertion.centers, step).unwrap_or(about);
                sum.0 += *force;
                sum.1 += *torque + (center - about).cross(*force);
            }
            sum
        };
        let mean = |frame: usize| {
            let [before, behind] =
                [frame.max(1), frame + 1].map(|step| in_step(step.min(self.frames.saturating_sub(1))));
            ((before.0 + behind.0) * 0.5, (before.1 + behind.1) * 0.5)
        };
        (0..mass_centers.len()).map(mean).collect()
    }
}

/// Something that is drawn and its motion.
#[derive(Clone, Debug)]
pub struct Track {
    /// Its name in the scene.
    pub name: String,
    /// Whether it is an obstacle of the scene rather than simulated.
    pub obstacle: bool,
    /// What it looks like, and where it is in each frame (one frame only for what never moves).
    pub drawn: Drawn,
}

impl Track {
    /// Notes the pose of a rigid body in the next frame; nothing of what is none.
    pub(super) fn note(&mut self, pose: (DVec3, DQuat)) {
        if let Drawn::Body { poses, .. } = &mut self.drawn {
            poses.push(pose);
        }
    }
}

/// Shapes and where they are.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// A rigid body: what it looks like in its frame, and its pose per frame.
    Body {
        /// Solids in the frame of the body.
        shapes: Vec<PlacedShape>,
        /// What is drawn beside them: the surface of a body of triangles.
        shell: Option<Arc<Shell>>,
        /// Position (m) and orientation per frame.
        poses: Vec<(DVec3, DQuat)>,
    },
    /// Rounded lines: ropes, stalks, sticks.
    Lines {
        /// Ends of each line, indices into the points of a frame.
        segments: Vec<[usize; 2]>,
        /// Metres.
        radius: f64,
        /// Points per frame, metres.
        points: Vec<Vec<DVec3>>,
    },
    /// A triangle mesh: cloth, a skin, a hull, terrain.
    Mesh {
        /// Corners of each triangle, indices into the points of a frame.
        triangles: Vec<[usize; 3]>,
        /// Points per frame, metres.
        points: Vec<Vec<DVec3>>,
    },
}

/// What a frame measures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Kinetic energy, joules.
    pub kinetic_energy: f64,
    /// Potential energy of gravity against height 0, joules.
    pub potential_energy: f64,
    /// Linear momentum, kg m/s.
    pub momentum: DVec3,
    /// Angular momentum about the common center of mass, kg m²/s.
    pub angular_momentum: DVec3,
    /// Greatest relative error of a rigid distance.
    pub worst_stretch: f64,
    /// Greatest distance between points that should coincide, metres.
    pub worst_gap: f64,
    /// Root of the mean square of these distances, metres.
    pub rms_gap: f64,
    /// Greatest excess over a joint limit, radians.
    pub worst_limit: f64,
    /// Deepest penetration, metres.
    pub worst_penetration: f64,
    /// Share of particles or bodies that sleep.
    pub asleep: f64,
}
