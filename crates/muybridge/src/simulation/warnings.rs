//! Warnings of a run: what did not converge, with the name of the thing.
//!
//! ```text
//! stretch      a rigid distance is off by more than the limit; at the end of the run by more than a tenth of it
//! gap          the two sides of a joint are farther apart than the limit
//! limit        a joint is beyond its range by more than the limit
//! penetration  things overlap by more than the limit
//! energy       a scene that nothing gives energy has more than before: by a share of its greatest kinetic energy
//! lean         a box that stood level at the start, held by nothing, is tilted at the end by more than the limit
//! ```
//! The limits are keys of `[solver]`, beginning with `warnings.`.

use glam::{DQuat, DVec3};

use super::recording::{Drawn, Measures, Recording, Track};
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
            WarningKind::Energy => format!("{value:.3} J"),
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
}

impl Watch {
    pub fn new(scene: &Scene) -> Self {
        Self { limits: scene.solver.warnings.clone(), found: Vec::new() }
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

    /// The warnings of a finished recording.
    pub fn finish(mut self, recording: &Recording, scene: &Scene) -> Vec<Warning> {
        let limits = self.limits.clone();
        self.found.retain(|own| own.value > limits.of(own.kind) || own.at_end > limits.least(own.kind));
        self.found.extend(energy(recording, scene, limits.energy));
        let standing = recording.tracks.iter().filter(|track| !track.obstacle && !is_tied(scene, &track.name));
        let leans =
            standing.filter_map(|track| leans(track, recording.frame_time, scene.solver.gravity(&scene.setting)));
        self.found.extend(leans.filter(|own| own.value > limits.lean));
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

/// Energy gained by a scene in which nothing works, if it is more than a share of its greatest kinetic energy. It names the
/// body that is fastest then.
fn energy(recording: &Recording, scene: &Scene, most_share: f64) -> Option<Warning> {
    if is_worked_on(scene, recording) {
        return None;
    }
    let of = |own: &Measures| own.kinetic_energy + own.potential_energy;
    let (first, last) = (recording.measures.first()?, recording.measures.last()?);
    let all = || recording.measures.iter().enumerate();
    let (frame, most) = all().max_by(|(_, a), (_, b)| of(a).total_cmp(&of(b)))?;
    let moving = all().map(|(_, own)| own.kinetic_energy).fold(0.0, f64::max);
    // Where all things rest, what is left of their motion is rounding.
    let weight = all().map(|(_, own)| own.potential_energy.abs()).fold(0.0, f64::max);
    let value = of(most) - of(first);
    if value <= (most_share * moving).max(LEAST_ENERGY * weight.max(moving)) {
        return None;
    }
    let bodies = recording.tracks.iter().filter(|track| !track.obstacle);
    let fastest = bodies.max_by(|a, b| way(a, frame).total_cmp(&way(b, frame)));
    let name = fastest.map_or_else(String::new, |track| track.name.clone());
    let (time, at_end) = (frame as f64 * recording.frame_time, (of(last) - of(first)).max(0.0));
    Some(Warning { kind: WarningKind::Energy, of: name, value, time, at_end })
}

/// Gain of energy that rounding and the order of the integrator explain, as a share.
const LEAST_ENERGY: f64 = 1e-4;

/// Whether something gives a scene energy, or keeps energy that is not measured.
fn is_worked_on(scene: &Scene, recording: &Recording) -> bool {
    let mut efforts = recording.exertions.iter().flat_map(|own| &own.efforts);
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
        || efforts.any(|&(force, moment)| force != DVec3::ZERO || moment != DVec3::ZERO)
        || scene.obstacles.iter().any(super::scene::Obstacle::moves)
        || scene.joints.iter().any(is_spring)
        || scene.points.iter().any(|own| own.compliance > 0.0)
        || scene.cloths.iter().any(|own| own.stretch_compliance > 0.0)
        || scene.limits.iter().any(|own| own.compliance > 0.0)
        || scene.ropes.iter().any(|own| own.stiffness > 0.0)
}

/// Way of a body in the step before a frame, meters.
fn way(track: &Track, frame: usize) -> f64 {
    let Drawn::Body { poses, .. } = &track.drawn else { return 0.0 };
    match (poses.get(frame), frame.checked_sub(1).and_then(|before| poses.get(before))) {
        (Some(now), Some(before)) => now.0.distance(before.0),
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

/// Tilt at the end of a box that was level at the start and rests near its first place.
fn leans(track: &Track, frame_time: f64, gravity: DVec3) -> Option<Warning> {
    let Drawn::Body { shapes, poses, .. } = &track.drawn else { return None };
    let [placed] = &shapes[..] else { return None };
    let (Shape::Box { half_extents }, Some(up)) = (&placed.shape, (-gravity).try_normalize()) else { return None };
    let tilt = |pose: &(DVec3, DQuat)| {
        let up = (pose.1 * placed.rotation).conjugate() * up;
        let most = up.abs().max_element().min(1.0);
        libm::acos(most)
    };
    let (first, last) = (poses.first()?, poses.last()?);
    let stays = first.0.distance(last.0) < half_extents.min_element();
    let rests = poses.len() > 2 && poses[poses.len() - 2].0.distance(last.0) < SLOW * frame_time;
    if !(tilt(first) < LEVEL && stays && rests) {
        return None;
    }
    let at_end = tilt(last);
    Some(Warning {
        kind: WarningKind::Lean,
        of: track.name.clone(),
        value: at_end,
        time: (poses.len() - 1) as f64 * frame_time,
        at_end,
    })
}

/// Greatest tilt of a box that stands level, radians.
const LEVEL: f64 = 2e-3;

/// Greatest speed of a box that rests, m/s.
const SLOW: f64 = 0.02;
