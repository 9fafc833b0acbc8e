//! The fields of settings and of ranges, which are of several kinds.

use super::line::{Line, Wrong, choice, field, numbers, vector};
use crate::rigid::displacement::{self, Directions, Displacement, Velocities};
use crate::rigid::integrator::Integrator;
use crate::rigid::model::JointLimit;
use crate::rigid::multipliers::Feedback;
use crate::rigid::rattle::Passes;
use crate::rigid::settings::{BroadPhase, Method, NarrowPhase, Settings};

/// All fields, the method with its own behind it.
pub(super) fn settings(line: &mut impl Line, settings: &mut Settings) -> Result<(), Wrong> {
    let Settings {
        time_step,
        gravity,
        method,
        integrator,
        broad_phase,
        narrow_phase,
        substeps,
        most_turn,
        passes: Passes { most, tolerance: close, is_warm },
        iterations,
        tolerance,
        slop,
        recovery,
        fastest_recovery,
        bounce,
        rest_speed,
        rest_steps,
    } = settings;
    field(line, "time_step", time_step)?;
    vector(line, "gravity", gravity)?;
    self::method(line, method)?;
    let integrators = [
        ("euler", Integrator::ExplicitEuler),
        ("heun", Integrator::Heun),
        ("ziauddin", Integrator::Ziauddin),
        ("splitting", Integrator::Splitting),
        ("rk4", Integrator::RungeKutta4),
        ("composition4", Integrator::Composition4),
    ];
    choice(line, "integrator", &integrators, integrator)?;
    choice(
        line,
        "broad_phase",
        &[("tree", BroadPhase::Tree), ("sort_and_sweep", BroadPhase::SortAndSweep)],
        broad_phase,
    )?;
    let narrow = [
        ("manifolds", NarrowPhase::Manifolds),
        ("averaged", NarrowPhase::Averaged),
        ("points_and_edges", NarrowPhase::PointsAndEdges),
    ];
    choice(line, "narrow_phase", &narrow, narrow_phase)?;
    field(line, "substeps", substeps)?;
    field(line, "most_turn", most_turn)?;
    field(line, "passes", most)?;
    field(line, "close", close)?;
    field(line, "is_warm", is_warm)?;
    field(line, "iterations", iterations)?;
    field(line, "tolerance", tolerance)?;
    field(line, "slop", slop)?;
    field(line, "recovery", recovery)?;
    field(line, "fastest_recovery", fastest_recovery)?;
    field(line, "bounce", bounce)?;
    field(line, "rest_speed", rest_speed)?;
    field(line, "rest_steps", rest_steps)
}

fn method(line: &mut impl Line, method: &mut Method) -> Result<(), Wrong> {
    // What is read is of the kind that is named; what is written is of the kind that it is.
    let kinds = [
        ("multipliers", Method::Multipliers),
        ("displacement", Method::Displacement(displacement::Settings::default())),
        ("hennix", Method::Hennix(Feedback::default())),
    ];
    line.word("method")?;
    let kind = line.one_of(&kinds, &|kind| core::mem::discriminant(kind) == core::mem::discriminant(method))?;
    if core::mem::discriminant(&kind) != core::mem::discriminant(method) {
        *method = kind;
    }
    match method {
        Method::Multipliers => Ok(()),
        Method::Displacement(displacement::Settings { method, gap, angle, passes, velocities, directions }) => {
            let ways = [
                ("lamouret", Displacement::Lamouret),
                ("block", Displacement::Block),
                ("skeleton", Displacement::Skeleton),
            ];
            choice(line, "way", &ways, method)?;
            field(line, "gap", gap)?;
            field(line, "angle", angle)?;
            field(line, "passes", passes)?;
            let all = [("follow", Velocities::Follow), ("left_alone", Velocities::LeftAlone)];
            choice(line, "velocities", &all, velocities)?;
            choice(line, "directions", &[("at_start", Directions::AtStart), ("at_end", Directions::AtEnd)], directions)
        }
        Method::Hennix(Feedback { stiffness, damping }) => {
            field(line, "stiffness", stiffness)?;
            field(line, "damping", damping)
        }
    }
}

/// The kind, and its bounds.
pub(super) fn bounds(line: &mut impl Line, bounds: &mut JointLimit) -> Result<(), Wrong> {
    let kinds = [
        ("hinge", JointLimit::Hinge([0.0; 2])),
        ("swing_twist", JointLimit::SwingTwist { swing: [0.0; 2], twist: [0.0; 2] }),
        ("slider", JointLimit::Slider([0.0; 2])),
        ("distance", JointLimit::Distance([0.0; 2])),
    ];
    let kind = line.one_of(&kinds, &|kind| core::mem::discriminant(kind) == core::mem::discriminant(bounds))?;
    if core::mem::discriminant(&kind) != core::mem::discriminant(bounds) {
        *bounds = kind;
    }
    match bounds {
        JointLimit::Hinge(ends) | JointLimit::Slider(ends) | JointLimit::Distance(ends) => {
            numbers(line, "from_to", ends)
        }
        JointLimit::SwingTwist { swing, twist } => {
            numbers(line, "swing", swing)?;
            numbers(line, "twist", twist)
        }
    }
}
