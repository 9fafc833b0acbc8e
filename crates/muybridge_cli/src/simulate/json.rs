//! A run as JSON, schema 1 of `simulate`: a contract that other programs read.
//!
//! ```text
//! {"schema": 1, "scene": …, "source": …, "method": …, "mode": …, "integrator": …, "substeps": …, "iterations": …,
//!  "seconds": …, "rate_hz": …, "frames": …, "particles": …, "bodies": …,
//!  "characters": [{"name", "bones", "mass_kg", "actuated": null, or {"force_n", "moment_nm": a list with an entry per frame each}}], "tracks": [{"name", "kind", "obstacle"}],
//!  "worst": {"stretch", "gap_m", "limit_rad", "penetration_m", "read_out_m": each {"value", "time_s"}},
//!  "energy_j": {"start", "greatest", "end"}, "asleep": …, "step_us": {"mean", "slowest"},
//!  "per_frame": {"time_s", "kinetic_energy_j", "potential_energy_j", "momentum_kgmps", "angular_momentum_kgm2ps",
//!                "stretch", "gap_m", "gap_rms_m", "limit_rad", "penetration_m", "asleep", "read_out_m": a list with an entry per frame each},
//!  "actions": [{"name", "on", "force_n", "torque_nm": a list with an entry per frame each}],
//!  "follows": [{"of", "ragdolls", "clip", "begins_s", "ends_s", "off": {"frames", "place_m", "angle_rad"}, "off_where_possible": null or the same,
//!               "hand": {"mean_weights", "most_weights", "most_moment_nm"}, "possible": null, or {"weight_n", "leg_m", "floor_m", "frame_time_s",
//!               "missing_force_n", "missing_moment_nm", "missing_share", "inside_m": a list with an entry per frame of the clip each,
//!               "impossible": [{"begins_s", "ends_s", "most_at_s", "force_n", "moment_nm", "share", "inside_m"}]}}],
//!  "log": [{"time_s", "kind", "name", "event", "why"}], "files": […], "notes": […],
//!  "replay": null, or of a log that was done again {"inputs", "steps", "compared": fingerprints, "difference": a sentence, or null where there is none},
//!  "work": {"substeps", "pairs", "contacts", "passes", "corrections", "contact_corrections", "in_lanes", "factorizations",
//!           "tree_solves": each {"total", "most", "per_frame": a list with an entry per frame}, or null where the method has none},
//!  "warnings": [{"kind": stretch, gap, limit, penetration, energy or lean, "of", "value", "time_s", "at_end", "message"}],
//!  "poses": [{"of", "position_m", "rotation_xyzw": a list with an entry per frame each}]}
//! ```
//! `mode`, `substeps` and `iterations` are those of the bodies where there are any: `method` is particles there, too, where
//! things of a scene of particles are rigid bodies.
//! `warnings` lists what did not converge, above the limits `warnings.stretch` … `warnings.lean` of the scene's `[solver]`: a share for
//! stretch, meters for gap and penetration, radians for limit and lean, joules for energy.
//! `read_out_m` is how far the body that moved farthest was moved to close the joints of the clip, with mass centers kept; gaps,
//! limits and depths are those before.
//! `work` counts what the solver did in the step that led to each frame, all substeps together: pairs of shapes looked at,
//! contact points, passes over the constraints (under rigid methods over the contacts of the island that takes most),
//! corrections of single constraints (under rigid methods of contacts, limits and motors), trees of joints factored and
//! solved; `in_lanes` is the number of awake particles that were stepped in lanes of f32. Of herds only that is counted. `poses` is described in `poses.rs`.
//! Each ragdoll of a herd is an entry of `characters`, named by the herd and a number; in `follows` a herd is one entry
//! with a number of `ragdolls`. `actions` also lists root assists, drags, hits and user input. In `follows`, times in
//! `feasibility_entry` count from the clip's first frame, all others from the start of the run. `share` is the missing wrench:
//! forces divided by the weight, moments by weight times leg length. `inside_m` is the depth of the clip's lowest
//! contact point inside the floor (in `impossible` the largest depth), 0 within the tolerance. Frame 0 is the start.
//! Angular momentum is about the common center of mass. Undefined numbers are `null`; keys are never missing, keep
//! their order, may be added and are never taken away. `step_us` is the only entry that differs between two runs.

use std::io::Write;
use std::path::PathBuf;

use muybridge::analysis::BodyMotion;
use muybridge::analysis::Feasibility;
use muybridge::behavior::action::ActionLogEntry;
use muybridge::glam::DVec3;
use muybridge::motion::{Clip, WorldMotion};
use muybridge::simulation::following::{Following, Hand, Off};
use muybridge::simulation::recording::{Drawn, ExternalForce, Measures, Track};
use muybridge::simulation::scene::slot::Choice;
use muybridge::simulation::scene::{Method, Scene};
use muybridge::simulation::{Recording, Warning};
use serde::Serialize;

use super::SimulatedRun;
use super::poses::Poses;
use super::summary::{RunSummary, Worst};
use super::work::WorkEntry;

/// Number of the schema; it changes when a field is renamed, removed or changes its meaning.
pub const SCHEMA: u64 = 1;

#[derive(Serialize)]
struct RunDocument<'a> {
    schema: u64,
    scene: &'a str,
    source: &'a str,
    method: &'static str,
    mode: &'static str,
    integrator: Option<&'static str>,
    substeps: u32,
    iterations: u32,
    seconds: f64,
    rate_hz: f64,
    frames: usize,
    particles: usize,
    bodies: usize,
    characters: Vec<CharacterEntry<'a>>,
    tracks: Vec<TrackEntry<'a>>,
    worst: WorstEntries,
    energy_j: EnergyEntry,
    asleep: f64,
    step_us: StepTimeEntry,
    per_frame: PerFrameEntry,
    actions: Vec<ActionEntry<'a>>,
    follows: Vec<FollowEntry<'a>>,
    log: Vec<LogEntry>,
    files: Vec<String>,
    notes: &'a [String],
    replay: Option<ReplayEntry<'a>>,
    work: WorkEntry,
    warnings: Vec<WarningEntry<'a>>,
    poses: Poses<'a>,
}

/// JSON of something that did not converge.
#[derive(Serialize)]
pub(super) struct WarningEntry<'a> {
    kind: &'static str,
    of: &'a str,
    value: f64,
    time_s: f64,
    at_end: f64,
    message: String,
}

impl<'a> WarningEntry<'a> {
    fn of(warning: &'a Warning) -> Self {
        Self {
            kind: warning.kind.word(),
            of: &warning.of,
            value: warning.value,
            time_s: warning.time,
            at_end: warning.at_end,
            message: warning.to_string(),
        }
    }
}

#[derive(Serialize)]
struct ReplayEntry<'a> {
    inputs: usize,
    steps: u64,
    compared: usize,
    difference: Option<&'a str>,
}

#[derive(Serialize)]
struct CharacterEntry<'a> {
    name: &'a str,
    bones: usize,
    mass_kg: f64,
    actuated: Option<ActuatedEntry>,
}

/// JSON of the wrench of actions and root assists on a character per frame, about its center of mass, for `check
/// --forces`.
#[derive(Serialize)]
struct ActuatedEntry {
    force_n: Vec<[f64; 3]>,
    moment_nm: Vec<[f64; 3]>,
}

#[derive(Serialize)]
struct TrackEntry<'a> {
    name: &'a str,
    kind: &'static str,
    obstacle: bool,
}

/// JSON of an action's wrench in the step before each frame, through and about the center of mass of its body.
#[derive(Serialize)]
struct ActionEntry<'a> {
    name: &'a str,
    on: &'a str,
    force_n: Vec<[f64; 3]>,
    torque_nm: Vec<[f64; 3]>,
}

/// JSON of how closely a ragdoll followed a clip.
#[derive(Serialize)]
struct FollowEntry<'a> {
    of: &'a str,
    ragdolls: usize,
    clip: &'a str,
    begins_s: f64,
    ends_s: f64,
    off: OffEntry,
    off_where_possible: Option<OffEntry>,
    hand: HandEntry,
    possible: Option<PossibleEntry<'a>>,
}

#[derive(Serialize)]
struct OffEntry {
    frames: usize,
    place_m: f64,
    angle_rad: f64,
}

#[derive(Serialize)]
struct HandEntry {
    mean_weights: f64,
    most_weights: f64,
    most_moment_nm: f64,
}

/// JSON of the wrench that a clip needs beyond the contact forces of the floor.
#[derive(Serialize)]
struct PossibleEntry<'a> {
    weight_n: f64,
    leg_m: f64,
    floor_m: Option<f64>,
    frame_time_s: f64,
    missing_force_n: Vec<[f64; 3]>,
    missing_moment_nm: Vec<[f64; 3]>,
    missing_share: Vec<f64>,
    inside_m: &'a [f64],
    impossible: Vec<ImpossibleEntry>,
}

#[derive(Serialize)]
struct ImpossibleEntry {
    begins_s: f64,
    ends_s: f64,
    most_at_s: f64,
    force_n: [f64; 3],
    moment_nm: [f64; 3],
    share: f64,
    inside_m: f64,
}

/// JSON of the begin or end of an action, plan or wait.
#[derive(Serialize)]
pub(super) struct LogEntry {
    time_s: f64,
    pub kind: &'static str,
    pub name: String,
    pub event: &'static str,
    why: String,
}

#[derive(Serialize)]
struct WorstEntries {
    stretch: WorstEntry,
    gap_m: WorstEntry,
    limit_rad: WorstEntry,
    penetration_m: WorstEntry,
    read_out_m: WorstEntry,
}

#[derive(Serialize)]
struct WorstEntry {
    value: f64,
    time_s: f64,
}

#[derive(Serialize)]
struct EnergyEntry {
    start: f64,
    greatest: f64,
    end: f64,
}

#[derive(Serialize)]
struct StepTimeEntry {
    mean: f64,
    slowest: f64,
}

#[derive(Serialize)]
struct PerFrameEntry {
    time_s: Vec<f64>,
    kinetic_energy_j: Vec<f64>,
    potential_energy_j: Vec<f64>,
    momentum_kgmps: Vec<[f64; 3]>,
    angular_momentum_kgm2ps: Vec<[f64; 3]>,
    stretch: Vec<f64>,
    gap_m: Vec<f64>,
    gap_rms_m: Vec<f64>,
    limit_rad: Vec<f64>,
    penetration_m: Vec<f64>,
    asleep: Vec<f64>,
    read_out_m: Vec<f64>,
}

/// Writes the document, ending in a line break.
pub fn write(run: &SimulatedRun, summary: &RunSummary, files: &[PathBuf], out: &mut dyn Write) -> std::io::Result<()> {
    let (recording, solver) = (&run.recording, &run.scene.solver);
    let characters = recording.characters.iter().map(|(name, character, clip)| CharacterEntry {
        name,
        bones: character.skeleton.len(),
        mass_kg: character.mass(),
        actuated: actuated(recording, name, (character, clip)),
    });
    let [start, greatest, end] = summary.energy;
    let [mean, slowest] = summary.step_us;
    let (mode, [substeps, iterations]) = how(&run.scene);
    let is_rigid = run.scene.body_method() != Method::Particles;
    let document = RunDocument {
        schema: SCHEMA,
        scene: &recording.name,
        source: &run.source,
        method: solver.method.word(),
        mode,
        integrator: is_rigid.then(|| solver.rigid.integrator.word()),
        substeps,
        iterations,
        seconds: run.scene.setting.seconds,
        rate_hz: run.scene.setting.rate,
        frames: recording.frames,
        particles: run.count.particles,
        bodies: run.count.bodies,
        characters: characters.collect(),
        tracks: recording.tracks.iter().map(track).collect(),
        worst: WorstEntries {
            stretch: worst(summary.stretch),
            gap_m: worst(summary.gap),
            limit_rad: worst(summary.limit),
            penetration_m: worst(summary.penetration),
            read_out_m: worst(summary.read_out),
        },
        energy_j: EnergyEntry { start, greatest, end },
        asleep: summary.asleep,
        step_us: StepTimeEntry { mean, slowest },
        per_frame: per_frame(&recording.measures, recording.frame_time),
        actions: recording.exertions.iter().map(action).collect(),
        follows: recording.follows.iter().map(follow_entry).collect(),
        log: recording.log.iter().map(LogEntry::of).collect(),
        files: files.iter().map(|file| file.display().to_string()).collect(),
        notes: &run.notes,
        replay: run.replayed.as_ref().map(|replayed| ReplayEntry {
            inputs: replayed.inputs,
            steps: replayed.steps,
            compared: replayed.compared,
            difference: replayed.difference.as_deref(),
        }),
        work: WorkEntry::new(&recording.measures),
        warnings: recording.warnings.iter().map(WarningEntry::of).collect(),
        poses: Poses(run),
    };
    serde_json::to_writer(&mut *out, &document)?;
    out.write_all(b"\n")
}

fn actuated(
    recording: &Recording,
    name: &str,
    (character, clip): (&muybridge::character::Character, &Clip),
) -> Option<ActuatedEntry> {
    recording.exertions.iter().find(|exertion| exertion.is_of(name))?;
    let motion = BodyMotion::new(character, &WorldMotion::new(&character.skeleton, clip));
    let centers: Vec<DVec3> = (0..clip.frames()).map(|frame| motion.mass_center(frame)).collect();
    let (force_n, moment_nm) = recording
        .actuated(name, &centers)
        .into_iter()
        .map(|(force, moment)| (force.to_array(), moment.to_array()))
        .unzip();
    Some(ActuatedEntry { force_n, moment_nm })
}

/// Name of the solver of a method, its substeps and its iterations.
pub fn how(scene: &Scene) -> (&'static str, [u32; 2]) {
    let Scene { setting, solver, .. } = scene;
    match scene.body_method() {
        Method::Particles => {
            let substeps = solver.settings(setting).substeps_taken();
            (solver.particles.mode.word(), [substeps, solver.particles.constraint_iterations])
        }
        Method::Multipliers => ("rattle", [solver.rigid.substeps, solver.rigid.contact_iterations]),
        Method::Hennix => ("cholesky", [solver.rigid.substeps, solver.rigid.contact_iterations]),
        Method::Displacement => {
            (solver.rigid.displacement.word(), [solver.rigid.substeps, solver.rigid.contact_iterations])
        }
    }
}

fn track(track: &Track) -> TrackEntry<'_> {
    let kind = match track.drawn {
        Drawn::Body { .. } => "body",
        Drawn::Lines { .. } => "lines",
        Drawn::Mesh { .. } => "mesh",
    };
    TrackEntry { name: &track.name, kind, obstacle: track.obstacle }
}

fn action(exertion: &ExternalForce) -> ActionEntry<'_> {
    ActionEntry {
        name: &exertion.action,
        on: &exertion.on,
        force_n: exertion.efforts.iter().map(|(force, _)| force.to_array()).collect(),
        torque_nm: exertion.efforts.iter().map(|(_, torque)| torque.to_array()).collect(),
    }
}

fn follow_entry(own: &Following) -> FollowEntry<'_> {
    let off = |off: &Off| OffEntry { frames: off.frames, place_m: off.place, angle_rad: off.angle };
    let Hand { mean, most, most_moment } = own.hand;
    FollowEntry {
        of: &own.of,
        ragdolls: own.ragdolls,
        clip: &own.clip,
        begins_s: own.span[0],
        ends_s: own.span[1],
        off: off(&own.all),
        off_where_possible: own.possible.as_ref().map(off),
        hand: HandEntry { mean_weights: mean, most_weights: most, most_moment_nm: most_moment },
        possible: own.feasibility.as_ref().map(feasibility_entry),
    }
}

fn feasibility_entry(own: &Feasibility) -> PossibleEntry<'_> {
    let impossible = own.impossible().into_iter().map(|span| ImpossibleEntry {
        begins_s: span.seconds.0,
        ends_s: span.seconds.1,
        most_at_s: span.at,
        force_n: span.most.force.to_array(),
        moment_nm: span.most.moment.to_array(),
        share: span.most.share,
        inside_m: span.inside,
    });
    PossibleEntry {
        weight_n: own.weight,
        leg_m: own.length,
        floor_m: own.floor.filter(|height| height.is_finite()),
        frame_time_s: own.frame_time,
        missing_force_n: own.missing.iter().map(|missing| missing.force.to_array()).collect(),
        missing_moment_nm: own.missing.iter().map(|missing| missing.moment.to_array()).collect(),
        missing_share: own.missing.iter().map(|missing| missing.share).collect(),
        inside_m: &own.inside,
        impossible: impossible.collect(),
    }
}

impl LogEntry {
    pub fn of(entry: &ActionLogEntry) -> Self {
        let event = if entry.began { "begins" } else { "ends" };
        Self { time_s: entry.time, kind: entry.kind, name: entry.name.clone(), event, why: entry.why.clone() }
    }
}

fn worst(worst: Worst) -> WorstEntry {
    WorstEntry { value: worst.value, time_s: worst.time }
}

fn per_frame(measures: &[Measures], frame_time: f64) -> PerFrameEntry {
    let numbers = |of: fn(&Measures) -> f64| measures.iter().map(of).collect();
    let vectors = |of: fn(&Measures) -> DVec3| measures.iter().map(|m| of(m).to_array()).collect();
    PerFrameEntry {
        time_s: (0..measures.len()).map(|frame| frame as f64 * frame_time).collect(),
        kinetic_energy_j: numbers(|m| m.kinetic_energy),
        potential_energy_j: numbers(|m| m.potential_energy),
        momentum_kgmps: vectors(|m| m.momentum),
        angular_momentum_kgm2ps: vectors(|m| m.angular_momentum),
        stretch: numbers(|m| m.worst_stretch),
        gap_m: numbers(|m| m.worst_gap),
        gap_rms_m: numbers(|m| m.rms_gap),
        limit_rad: numbers(|m| m.worst_limit),
        penetration_m: numbers(|m| m.worst_penetration),
        asleep: numbers(|m| m.asleep),
        read_out_m: numbers(|m| m.read_out),
    }
}
