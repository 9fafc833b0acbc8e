//! Warnings of a run: what did not converge, with the name of the thing.
//!
//! ```text
//! stretch      a rigid distance is off by more than the limit; at the end of the run by more than a tenth of it, but in cloth
//! gap          the two sides of a joint are farther apart than the limit
//! limit        a joint is beyond its range by more than the limit
//! penetration  things overlap by more than the limit
//! energy       a scene that nothing gives energy has more than before: by a share of its greatest kinetic energy
//! lean         a box that stood level at the start, held by nothing, is tilted at the end by more than the limit
//! ```
//! The limits are keys of `[solver]`, beginning with `warnings.`.

use glam::{DQuat, DVec3};

use super::recording::{Drawn, ExternalForce, Measures, Track};
use super::scene::{Joint, Scene, WarningLimits};
use crate::collision::shape::Shape;

/// Something that did not converge.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// What is wrong.
    pub kind: WarningKind,
    /// Name of the thing, with the bone after a slash; empty if it is that of no single thing.
    pub of: String,
    /// Greatest error: a share for stretch, meters for gap and penetration, radians for limit and lean, joules for energy.
    pub value: f64,
    /// Time of the greatest error, seconds from the start of the recording.
    pub time: f64,
    /// Error in the last frame, in the same unit.
    pub at_end: f64,
}

/// Kind of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningKind {
    /// Stretch of a rigid distance.
    Stretch,
    /// Gap of a joint.
    Gap,
    /// Excess over the range of a joint.
    Limit,
    /// Overlap.
    Penetration,
    /// Energy from nothing.
    Energy,
    /// Tilt of a box that stood level.
    Lean,
}

impl WarningKind {
    /// Its word in the JSON, which is also that of its key.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stretch => "stretch",
            Self::Gap => "gap",
            Self::Limit => "limit",
            Self::Penetration => "penetration",
            Self::Energy => "energy",
            Self::Lean => "lean",
        }
    }
}

impl WarningLimits {
    fn of(&self, kind: WarningKind) -> f64 {
        match kind {
            WarningKind::Stretch => self.stretch,
            WarningKind::Gap => self.gap,
            WarningKind::Limit => self.limit,
            WarningKind::Penetration => self.penetration,
            WarningKind::Energy => self.energy,
            WarningKind::Lean => self.lean,
        }
    }

    /// Error from which one is noted: what remains at the end counts sooner than what passes.
    fn least(&self, kind: WarningKind) -> f64 {
        if kind == WarningKind::Stretch { LASTING * self.stretch } else { self.of(kind) }
    }
}

impl core::fmt::Display for Warning {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let of = if self.of.is_empty() { "the scene" } else { &self.of };
        let Self { value, time, at_end, .. } = *self;
        let unit = |value: f64| match self.kind {
            WarningKind::Stretch => format!("{:.1} %", 100.0 * value),
            WarningKind::Energy if value == 0.0 || value >= 0.1 => format!("{value:.3} J"),
            WarningKind::Energy if value >= 1e-4 => format!("{:.3} mJ", 1e3 * value),
            WarningKind::Energy => format!("{:.3} µJ", 1e6 * value),
            WarningKind::Gap | WarningKind::Penetration => format!("{:.1} mm", 1e3 * value),
            WarningKind::Limit | WarningKind::Lean => format!("{:.1}°", value.to_degrees()),
        };
        let (most, end) = (unit(value), unit(at_end));
        let by = format!("by {most} at {time:.2} s, by {end} at the end");
        match self.kind {
            WarningKind::Stretch => write!(f, "{of}: stretched {by}")?,
            WarningKind::Gap => write!(f, "{of}: a joint gapes {by}")?,
            WarningKind::Limit => write!(f, "{of}: beyond its limits {by}")?,
            WarningKind::Penetration => write!(f, "{of}: inside something {by}")?,
            WarningKind::Energy => {
                write!(f, "the energy grows by {most} until {time:.2} s, {end} remain at the end")?;
                if !self.of.is_empty() {
                    write!(f, "; {of} was fastest then")?;
                }
            }
            WarningKind::Lean => write!(f, "{of}: stood level and leans by {most} at the end")?,
        }
        write!(f, "; more substeps or iterations may help (limit: warnings.{})", self.kind.word())
    }
}

/// Share of the limit of stretch that may remain at the end.
const LASTING: f64 = 0.1;

/// Errors above their limits, collected frame by frame.
pub(super) struct Watch {
    limits: WarningLimits,
    found: Vec<Warning>,
    energy: Energies,
    /// Poses of the tracks in the first frame; none of lines and meshes.
    first: Vec<Option<(DVec3, DQuat)>>,
    frames: usize,
}

/// Energies of a run so far, joules.
#[derive(Default)]
struct Energies {
    /// Whether something gives the scene energy, or keeps energy that is not measured.
    is_worked_on: bool,
    first: f64,
    last: f64,
    greatest: f64,
    /// Frame of the greatest energy, and the track that was fastest then.
    at: (usize, Option<usize>),
    greatest_kinetic: f64,
    greatest_potential: f64,
    greatest_mass: f64,
}

impl Watch {
    pub fn new(scene: &Scene) -> Self {
        let energy = Energies { is_worked_on: is_worked_on(scene), ..Energies::default() };
        Self { limits: scene.solver.warnings.clone(), found: Vec::new(), energy, first: Vec::new(), frames: 0 }
    }

    /// Takes a frame: its measures, the moving things up to it, and the forces on them.
    pub fn take<'a>(
        &mut self,
        measures: &Measures,
        tracks: &[Track],
        mut exertions: impl Iterator<Item = &'a ExternalForce>,
    ) {
        if self.frames == 0 {
            self.first = tracks.iter().map(|track| track.poses()?.last().copied()).collect();
        }
        let works =
            |own: &ExternalForce| own.efforts.last().is_some_and(|&effort| effort != (DVec3::ZERO, DVec3::ZERO));
        let (now, own) = (measures.kinetic_energy + measures.potential_energy, &mut self.energy);
        own.is_worked_on = own.is_worked_on || exertions.any(works);
        own.greatest_kinetic = own.greatest_kinetic.max(measures.kinetic_energy);
        own.greatest_potential = own.greatest_potential.max(measures.potential_energy.abs());
        own.greatest_mass = own.greatest_mass.max(measures.mass);
        own.last = now;
        if self.frames == 0 {
            own.first = now;
        }
        if self.frames == 0 || now.total_cmp(&own.greatest).is_ge() {
            own.greatest = now;
            let fastest = || (0..tracks.len()).max_by(|&a, &b| way(&tracks[a]).total_cmp(&way(&tracks[b])));
            own.at = (self.frames, if own.is_worked_on { None } else { fastest() });
        }
        self.frames += 1;
    }

    /// Whether a frame has an error to be noted.
    pub fn wants(&self, measures: &Measures) -> bool {
        worst(measures).into_iter().any(|(kind, value)| value > self.limits.least(kind))
    }

    /// Notes the greatest errors of a thing whose single errors are not told.
    pub fn note_all(&mut self, measures: &Measures, time: f64, name: &str) {
        worst(measures).into_iter().for_each(|error| self.note(error, time, || name.to_owned()));
    }

    /// Forgets the errors of the last frame.
    pub fn next(&mut self) {
        self.found.iter_mut().for_each(|own| own.at_end = 0.0);
    }

    /// Notes an error of the frame at `time`. `name` is asked only if it is one.
    pub fn note(&mut self, (kind, value): (WarningKind, f64), time: f64, name: impl FnOnce() -> String) {
        // NaN is no error here: such a run diverges.
        if value <= self.limits.least(kind) || value.is_nan() {
            return;
        }
        let of = name();
        let own = match self.found.iter().position(|own| own.kind == kind && own.of == of) {
            Some(place) => &mut self.found[place],
            None => {
                self.found.push(Warning { kind, of, value: 0.0, time, at_end: 0.0 });
                let last = self.found.len() - 1;
                &mut self.found[last]
            }
        };
        own.at_end = own.at_end.max(value);
        if value > own.value {
            (own.value, own.time) = (value, time);
        }
    }

    /// The warnings of a finished run, whose things moved as `tracks`.
    pub fn finish(mut self, tracks: &[Track], frame_time: f64, scene: &Scene) -> Vec<Warning> {
        let limits = self.limits.clone();
        // A pass over a cloth leaves a stretch by its weight, which nobody sees; a rope that stays long is seen.
        let is_cloth = |name: &str| scene.cloths.iter().any(|cloth| cloth.name == name);
        let lasting = |own: &Warning| own.at_end > limits.least(own.kind) && !is_cloth(&own.of);
        self.found.retain(|own| own.value > limits.of(own.kind) || lasting(own));
        let weight = self.energy.greatest_mass * scene.solver.gravity(&scene.setting).length();
        self.found.extend(self.energy.warning(tracks, frame_time, limits.energy, weight));
        if self.frames > 2 {
            let time = (self.frames - 1) as f64 * frame_time;
            let standing = tracks.iter().zip(&self.first).filter(|(track, _)| !is_tied(scene, &track.name));
            let tilt = |(track, first): (&Track, &Option<_>)| {
                let at_end = tilt_at_end(track, (*first)?, frame_time, scene.solver.gravity(&scene.setting))?;
                let (kind, of) = (WarningKind::Lean, track.name.clone());
                Some(Warning { kind, of, value: at_end, time, at_end }).filter(|own| own.value > limits.lean)
            };
            self.found.extend(standing.filter_map(tilt));
        }
        self.found
    }
}

fn worst(measures: &Measures) -> [(WarningKind, f64); 4] {
    [
        (WarningKind::Stretch, measures.worst_stretch),
        (WarningKind::Gap, measures.worst_gap),
        (WarningKind::Limit, measures.worst_limit),
        (WarningKind::Penetration, measures.worst_penetration),
    ]
}

impl Energies {
    /// Energy gained by a scene in which nothing works, if it is more than a share of its greatest kinetic energy. It names the
    /// body that is fastest then. `weight` is that of all, newtons.
    fn warning(&self, tracks: &[Track], frame_time: f64, most_share: f64, weight: f64) -> Option<Warning> {
        // Where all things rest, what is left of their motion is rounding, wherever the height of zero is.
        let (moving, lifted) = (self.greatest_kinetic, self.greatest_potential.max(weight * LIFT));
        let value = self.greatest - self.first;
        if self.is_worked_on || value <= (most_share * moving).max(LEAST_ENERGY * lifted.max(moving)) {
            return None;
        }
        let (frame, fastest) = self.at;
        let of = fastest.map_or_else(String::new, |track| tracks[track].name.clone());
        let (time, at_end) = (frame as f64 * frame_time, (self.last - self.first).max(0.0));
        Some(Warning { kind: WarningKind::Energy, of, value, time, at_end })
    }
}

/// Least height by which the weight of a scene counts for that, meters.
const LIFT: f64 = 1.0;

/// Gain of energy that rounding and the order of the integrator explain, as a share.
const LEAST_ENERGY: f64 = 1e-4;

/// Whether something gives a scene energy, or keeps energy that is not measured.
fn is_worked_on(scene: &Scene) -> bool {
    let acts = [
        scene.winds.len(),
        scene.explosions.len(),
        scene.hits.len(),
        scene.releases.len(),
        scene.follows.len(),
        scene.stands.len(),
        scene.looks.len(),
        scene.reaches.len(),
        scene.actions.len(),
        scene.plans.len(),
        scene.herds.len(),
        scene.plants.len(),
    ];
    let is_spring = |joint: &Joint| joint.frequency > 0.0 || joint.motor_damping > 0.0 || joint.compliance > 0.0;
    acts.into_iter().any(|count| count > 0)
        || scene.obstacles.iter().any(super::scene::Obstacle::moves)
        || scene.joints.iter().any(is_spring)
        || scene.points.iter().any(|own| own.compliance > 0.0)
        || scene.cloths.iter().any(|own| own.stretch_compliance > 0.0)
        || scene.limits.iter().any(|own| own.compliance > 0.0)
        || scene.ropes.iter().any(|own| own.stiffness > 0.0)
}

/// Way of a body in the last step, meters.
fn way(track: &Track) -> f64 {
    match track.poses() {
        Some([.., before, now]) => now.0.distance(before.0),
        _ => 0.0,
    }
}

/// Whether a joint, rope or cloth holds a thing.
fn is_tied(scene: &Scene, name: &str) -> bool {
    let joints = scene.joints.iter().flat_map(|joint| [&joint.of, &joint.to]);
    let ropes = scene.ropes.iter().flat_map(|rope| [&rope.from_attached_to, &rope.to_attached_to]);
    let cloths = scene.cloths.iter().map(|cloth| &cloth.attached_to);
    let flails = scene.flails.iter().map(|flail| &flail.from_attached_to);
    joints.chain(ropes).chain(cloths).chain(flails).any(|part| part.thing() == name)
}

/// Tilt at the end of a box that was level at the start and rests near its first place, radians.
fn tilt_at_end(track: &Track, first: (DVec3, DQuat), frame_time: f64, gravity: DVec3) -> Option<f64> {
    let Drawn::Body { shapes, poses, .. } = &track.drawn else { return None };
    let ([placed], [.., before, last]) = (&shapes[..], &poses[..]) else { return None };
    let (Shape::Box { half_extents }, Some(up)) = (&placed.shape, (-gravity).try_normalize()) else { return None };
    let tilt = |pose: &(DVec3, DQuat)| {
        let up = (pose.1 * placed.rotation).conjugate() * up;
        let most = up.abs().max_element().min(1.0);
        libm::acos(most)
    };
    let stays = first.0.distance(last.0) < half_extents.min_element();
    let rests = before.0.distance(last.0) < SLOW * frame_time;
    (tilt(&first) < LEVEL && stays && rests).then(|| tilt(last))
}

/// Greatest tilt of a box that stands level, radians.
const LEVEL: f64 = 2e-3;

/// Greatest speed of a box that rests, m/s.
const SLOW: f64 = 0.02;
