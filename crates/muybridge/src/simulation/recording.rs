//! Recording of a run: clips of its characters, and the motion of everything else, frame by frame.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::following::Following;
use super::scene::Action;
use super::shell::Shell;
use super::warnings::Warning;
use crate::behavior::action::ActionLogEntry;
use crate::character::Character;
use crate::collision::shape::PlacedShape;
use crate::motion::{Clip, ClipError};
use crate::particles;
use crate::rigid;

/// A recorded run: frame 0 is the start, every list has the same number of frames.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Name of the scene.
    pub name: String,
    /// Seconds between frames.
    pub frame_time: f64,
    /// Number of frames.
    pub frames: usize,
    /// Characters and their motion, in the order of the scene.
    pub characters: Vec<(String, Character, Clip)>,
    /// Motion of everything else that is drawn.
    pub tracks: Vec<Track>,
    /// Motion of the links of ropes and flails that are chains of rigid bodies.
    pub chains: Vec<ChainTrack>,
    /// Energies, momenta and errors of each frame.
    pub measures: Vec<Measures>,
    /// External forces, first those of actions in the order of the scene.
    pub exertions: Vec<ExternalForce>,
    /// Tracking error of ragdolls that follow clips, in the order of the ragdolls.
    pub follows: Vec<Following>,
    /// Log of actions and plans: when each began and ended, and why.
    pub log: Vec<ActionLogEntry>,
    /// What did not converge.
    pub warnings: Vec<Warning>,
    /// Height of the ground, meters; `None` if the scene has none.
    pub ground: Option<f64>,
}

/// External force of an action, a drag, a hit, a user's hand, or the root assist of a `[[follow]]`, frame by frame: all
/// forces of a run besides gravity, contacts and joints.
#[derive(Clone, Debug)]
pub struct ExternalForce {
    /// Name of the action, or `hand that leads …`, `drag of …`, `hit on …`, `user at …`.
    pub action: String,
    /// Name of the thing or bone that the force acts on.
    pub on: String,
    /// Force (N) through the center and torque (N m) about it during the step that led to the frame, world axes. An impulse is
    /// noted as its mean over its step.
    pub efforts: Vec<(DVec3, DVec3)>,
    /// Center of the force in each frame, meters: of the body, or the dragged point. Empty for a root assist and a hit on a
    /// whole thing, whose center is the center of mass of all its bodies.
    pub centers: Vec<DVec3>,
}

impl ExternalForce {
    /// Whether the force acts on a character or one of its bones.
    pub fn is_of(&self, character: &str) -> bool {
        self.on.split('/').next() == Some(character)
    }

    /// Whether the force is the root assist of a ragdoll.
    pub(super) fn is_hand_of(&self, ragdoll: &str) -> bool {
        self.on == ragdoll && self.action == Self::of_hand(ragdoll).action
    }

    /// External force of an action, without a frame yet.
    pub(super) fn of_action(action: &Action) -> Self {
        Self { action: action.name.clone(), on: action.on.0.clone(), efforts: Vec::new(), centers: Vec::new() }
    }

    /// External force of a drag, a hit or a user on a part, without a frame yet.
    pub(super) fn of_part(how: &str, on: &str) -> Self {
        Self { action: format!("{how} {on}"), on: on.to_owned(), efforts: Vec::new(), centers: Vec::new() }
    }

    /// Adds the force and center of one frame.
    pub(super) fn note(&mut self, (effort, center): ((DVec3, DVec3), Option<DVec3>)) {
        self.efforts.push(effort);
        self.centers.extend(center);
    }

    /// Forgets all frames.
    pub(super) fn clear(&mut self) {
        self.efforts.clear();
        self.centers.clear();
    }

    /// Root assist of a ragdoll, without a frame yet.
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
    /// First frame with a number that is not finite; `None` unless the run diverged.
    pub fn diverged_at(&self) -> Option<usize> {
        let in_measures = self.measures.iter().position(|measures| !measures.is_finite());
        let in_clips = self.characters.iter().filter_map(|(_, _, clip)| match clip.check_finite() {
            Err(ClipError::NotFinite { frame, .. }) => Some(frame),
            _ => None,
        });
        let is_wrong = |points: &Vec<DVec3>| !points.iter().all(|point| point.is_finite());
        let in_tracks = self.tracks.iter().filter_map(|track| match &track.drawn {
            Drawn::Body { poses, .. } => {
                poses.iter().position(|(place, turn)| !(place.is_finite() && turn.is_finite()))
            }
            Drawn::Lines { points, .. } | Drawn::Mesh { points, .. } => points.iter().position(is_wrong),
        });
        in_measures.into_iter().chain(in_clips).chain(in_tracks).min()
    }

    /// External forces on a character: force (N) and moment (N m) about its center of mass, frame by frame. A frame gets the
    /// mean of the steps before and after it, because its acceleration is a difference over both.
    pub fn actuated(&self, character: &str, mass_centers: &[DVec3]) -> Vec<(DVec3, DVec3)> {
        // At the middle of a step, a force that is constant over the step has its mean moment.
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

/// A drawn thing and its motion.
#[derive(Clone, Debug)]
pub struct Track {
    /// Name of the thing in the scene.
    pub name: String,
    /// Whether the thing is an obstacle of the scene rather than simulated.
    pub obstacle: bool,
    /// Appearance and pose in each frame; things that never move have one frame.
    pub drawn: Drawn,
}

impl Track {
    /// The poses of a rigid body; `None` for lines and meshes.
    pub(super) fn poses(&self) -> Option<&[(DVec3, DQuat)]> {
        match &self.drawn {
            Drawn::Body { poses, .. } => Some(poses),
            Drawn::Lines { .. } | Drawn::Mesh { .. } => None,
        }
    }

    /// Forgets all frames but the last.
    pub(super) fn forget(&mut self) {
        match &mut self.drawn {
            Drawn::Body { poses, .. } => forget(poses),
            Drawn::Lines { points, .. } | Drawn::Mesh { points, .. } => forget(points),
        }
    }

    /// Adds the pose of a rigid body as the next frame; lines and meshes stay as they are.
    pub(super) fn note(&mut self, pose: (DVec3, DQuat)) {
        if let Drawn::Body { poses, .. } = &mut self.drawn {
            poses.push(pose);
        }
    }
}

/// Forgets all frames but the last.
fn forget<T>(frames: &mut Vec<T>) {
    frames.drain(..frames.len().saturating_sub(1));
}

/// Motion of the links of a rope or flail of rigid bodies, which is drawn as lines.
#[derive(Clone, Debug)]
pub struct ChainTrack {
    /// Name of the rope or flail in the scene.
    pub name: String,
    /// Position (m) of the center and orientation of each link, from the start of the chain, in each frame. A link lies
    /// along its y axis.
    pub poses: Vec<Vec<(DVec3, DQuat)>>,
}

/// Shapes of a drawn thing, with their poses or points.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// A rigid body: its shapes, and its pose per frame.
    Body {
        /// Shapes in the frame of the body.
        shapes: Vec<PlacedShape>,
        /// Triangle mesh drawn besides the shapes; `None` if the body has none.
        shell: Option<Arc<Shell>>,
        /// Position (m) and orientation of the body in each frame.
        poses: Vec<(DVec3, DQuat)>,
    },
    /// Rounded lines: ropes, stalks, sticks.
    Lines {
        /// Ends of each line, indices into the points of a frame.
        segments: Vec<[usize; 2]>,
        /// Radius of the lines, meters.
        radius: f64,
        /// Points of each frame, meters.
        points: Vec<Vec<DVec3>>,
    },
    /// A triangle mesh: cloth, a skin, a hull, terrain.
    Mesh {
        /// Corners of each triangle, indices into the points of a frame.
        triangles: Vec<[usize; 3]>,
        /// Points of each frame, meters.
        points: Vec<Vec<DVec3>>,
    },
}

/// Energies, momenta and errors of one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measures {
    /// Kinetic energy, joules.
    pub kinetic_energy: f64,
    /// Mass of what moves, kilograms.
    pub mass: f64,
    /// Potential energy of gravity against height 0, joules.
    pub potential_energy: f64,
    /// Linear momentum, kg m/s.
    pub momentum: DVec3,
    /// Angular momentum about the common center of mass, kg m²/s.
    pub angular_momentum: DVec3,
    /// Greatest relative error of a rigid distance.
    pub worst_stretch: f64,
    /// Greatest distance between points that should coincide, meters.
    pub worst_gap: f64,
    /// Root mean square of the distances between points that should coincide, meters.
    pub rms_gap: f64,
    /// Greatest distance by which a body was moved to close the joints of the clips, meters. Mass centers stay, and the other
    /// measures are those before.
    pub read_out: f64,
    /// Greatest excess over a joint limit, radians.
    pub worst_limit: f64,
    /// Deepest penetration, meters.
    pub worst_penetration: f64,
    /// Share of particles or bodies that sleep.
    pub asleep: f64,
    /// Work of the solver in the step that led to the frame.
    pub work: Work,
}

/// Work of the solver in one step, all substeps together. Herds in lanes are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Number of substeps; 0 while everything sleeps under rigid methods.
    pub substeps: u64,
    /// Pairs of shapes that were looked at for contacts.
    pub pairs: u64,
    /// Contact points.
    pub contacts: u64,
    /// Passes: over all constraints of particles, or over the contacts of the rigid island that takes most and, under
    /// displacement, over its joints where one moved.
    pub passes: u64,
    /// Corrections of single constraints of particles, without contacts; under rigid methods of single contacts, joint
    /// limits and motors.
    pub corrections: u64,
    /// Corrections of single contacts of particles; `None` under rigid methods.
    pub contact_corrections: Option<u64>,
    /// Number of awake particles that were stepped in lanes of f32; `None` under rigid methods.
    pub in_lanes: Option<u64>,
    /// Trees of joints that were factored; `None` under particles.
    pub factorizations: Option<u64>,
    /// Solutions of factored trees of joints; `None` under particles.
    pub tree_solves: Option<u64>,
}

impl From<particles::Report> for Work {
    fn from(report: particles::Report) -> Self {
        Self {
            substeps: report.substeps.into(),
            pairs: report.pairs,
            contacts: report.contacts,
            passes: report.passes.into(),
            corrections: report.corrections,
            contact_corrections: Some(report.contact_corrections),
            in_lanes: Some(report.in_lanes),
            factorizations: None,
            tree_solves: None,
        }
    }
}

impl From<rigid::Report> for Work {
    fn from(report: rigid::Report) -> Self {
        Self {
            substeps: report.substeps.into(),
            pairs: report.pairs,
            contacts: report.contacts,
            passes: report.passes.into(),
            corrections: report.corrections,
            contact_corrections: None,
            in_lanes: None,
            factorizations: Some(report.factorizations),
            tree_solves: Some(report.tree_solves),
        }
    }
}

impl Measures {
    fn is_finite(&self) -> bool {
        let Self { kinetic_energy, potential_energy, momentum, angular_momentum, .. } = *self;
        let Self { worst_stretch, worst_gap, rms_gap, read_out, worst_limit, worst_penetration, asleep, .. } = *self;
        let errors = [worst_stretch, worst_gap, rms_gap, read_out, worst_limit, worst_penetration, asleep];
        momentum.is_finite()
            && angular_momentum.is_finite()
            && [kinetic_energy, potential_energy].iter().chain(&errors).all(|measure| measure.is_finite())
    }
}
