//! Keys of the scene and solver settings: which are shown for which solver, and whether a change restarts the run.

use muybridge::simulation::Scene;
use muybridge::simulation::scene::Method;

/// Solver that a setting belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SettingScope {
    Whole,
    Particles,
    Bodies,
    /// One method of rigid bodies only.
    Only(Method),
    Solver,
}

/// Effect of a changed setting on the running world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The world accepts the change at once.
    AtOnce,
    /// The world is rebuilt, and the run continues from its state.
    Rebuilt,
    /// The run restarts.
    Restarted,
}

/// All settings in display order: key, solver it belongs to, effect of a change.
const SETTINGS: [(&str, SettingScope, Taken); 27] = [
    ("gravity", SettingScope::Whole, Taken::AtOnce),
    ("rate", SettingScope::Whole, Taken::AtOnce),
    ("seconds", SettingScope::Whole, Taken::AtOnce),
    ("ground", SettingScope::Whole, Taken::Restarted),
    ("ground_friction", SettingScope::Whole, Taken::Rebuilt),
    ("air_density", SettingScope::Whole, Taken::Rebuilt),
    ("seed", SettingScope::Whole, Taken::Restarted),
    ("name", SettingScope::Whole, Taken::AtOnce),
    ("method", SettingScope::Solver, Taken::Restarted),
    ("particles.mode", SettingScope::Particles, Taken::AtOnce),
    ("particles.substeps", SettingScope::Particles, Taken::AtOnce),
    ("particles.constraint_iterations", SettingScope::Particles, Taken::AtOnce),
    ("particles.tolerance", SettingScope::Particles, Taken::AtOnce),
    ("particles.over_relaxation", SettingScope::Particles, Taken::AtOnce),
    ("particles.square_root", SettingScope::Particles, Taken::AtOnce),
    ("particles.sleep_threshold", SettingScope::Particles, Taken::AtOnce),
    ("particles.free_bodies", SettingScope::Particles, Taken::Restarted),
    ("rigid.substeps", SettingScope::Bodies, Taken::AtOnce),
    ("rigid.contact_iterations", SettingScope::Bodies, Taken::AtOnce),
    ("rigid.sleep_threshold", SettingScope::Bodies, Taken::AtOnce),
    ("rigid.integrator", SettingScope::Bodies, Taken::AtOnce),
    ("rigid.displacement", SettingScope::Only(Method::Displacement), Taken::AtOnce),
    ("rigid.k_s", SettingScope::Only(Method::Hennix), Taken::AtOnce),
    ("rigid.k_d", SettingScope::Only(Method::Hennix), Taken::AtOnce),
    ("rigid.broad_phase", SettingScope::Bodies, Taken::AtOnce),
    ("rigid.narrow_phase", SettingScope::Bodies, Taken::AtOnce),
    ("frames_before_sleep", SettingScope::Solver, Taken::Rebuilt),
];

/// Keys of the scene settings that belong to no solver.
pub fn of_whole() -> Vec<&'static str> {
    keys(|of| of == SettingScope::Whole)
}

/// Keys of the solver settings that apply to a method.
pub fn of_solver(method: Method) -> Vec<&'static str> {
    let own = if method == Method::Particles { SettingScope::Particles } else { SettingScope::Bodies };
    keys(|of| of == own || of == SettingScope::Only(method) || of == SettingScope::Solver)
}

/// Whether a run of one scene can continue under the solver of another: methods that step bodies can replace each other,
/// particles cannot replace bodies.
pub fn is_same_world(one: &Scene, other: &Scene) -> bool {
    (one.body_method() == Method::Particles) == (other.body_method() == Method::Particles)
}

/// Effect of a changed setting on the running world, given the scenes before and after.
pub fn taken_between(key: &str, before: &Scene, after: &Scene) -> Taken {
    match key {
        _ if !is_same_world(before, after) => Taken::Restarted,
        "method" => Taken::AtOnce,
        _ => effect_on_world(key),
    }
}

/// Starts a setting that is newly given at its default value, so that giving it changes nothing.
pub fn begin(key: &str, before: &Scene, after: &mut Scene) {
    let feedback = before.solver.feedback(&before.setting);
    let (was, is) = (&before.solver.rigid, &mut after.solver.rigid);
    match key {
        "rigid.k_s" if was.k_s.is_none() => is.k_s = is.k_s.map(|_| feedback.stiffness),
        "rigid.k_d" if was.k_d.is_none() => is.k_d = is.k_d.map(|_| feedback.damping),
        _ => {}
    }
}

/// Effect of a changed setting on the running world.
pub fn effect_on_world(key: &str) -> Taken {
    SETTINGS.iter().find(|(own, ..)| *own == key).map_or(Taken::Restarted, |(_, _, taken)| *taken)
}

fn keys(is_shown: impl Fn(SettingScope) -> bool) -> Vec<&'static str> {
    SETTINGS.iter().filter(|(_, of, _)| is_shown(*of)).map(|(key, ..)| *key).collect()
}
