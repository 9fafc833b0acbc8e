//! Keys of the whole and of the solver: which are shown for which kind of world, and what a world that runs does with a change.

use muybridge::simulation::Scene;
use muybridge::simulation::scene::Method;

/// Who a setting is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SettingScope {
    Whole,
    Particles,
    Bodies,
    /// Of one method of rigid bodies.
    Only(Method),
    Solver,
}

/// What a running world does with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It takes it as it is.
    AtOnce,
    /// It is built again and goes on from where it was.
    Rebuilt,
    /// It begins again.
    Restarted,
}

/// All settings, in the order they are shown.
const SETTINGS: [(&str, SettingScope, Taken); 26] = [
    ("gravity", SettingScope::Whole, Taken::AtOnce),
    ("rate", SettingScope::Whole, Taken::AtOnce),
    ("seconds", SettingScope::Whole, Taken::AtOnce),
    ("ground", SettingScope::Whole, Taken::Restarted),
    ("ground_friction", SettingScope::Whole, Taken::Rebuilt),
    ("air", SettingScope::Whole, Taken::Rebuilt),
    ("seed", SettingScope::Whole, Taken::Restarted),
    ("name", SettingScope::Whole, Taken::AtOnce),
    ("method", SettingScope::Solver, Taken::Restarted),
    ("mode", SettingScope::Particles, Taken::AtOnce),
    ("substeps", SettingScope::Particles, Taken::AtOnce),
    ("iterations", SettingScope::Particles, Taken::AtOnce),
    ("tolerance", SettingScope::Particles, Taken::AtOnce),
    ("over_relaxation", SettingScope::Particles, Taken::AtOnce),
    ("square_root", SettingScope::Particles, Taken::AtOnce),
    ("rest_speed", SettingScope::Particles, Taken::AtOnce),
    ("rigid_substeps", SettingScope::Bodies, Taken::AtOnce),
    ("rigid_iterations", SettingScope::Bodies, Taken::AtOnce),
    ("rigid_rest_speed", SettingScope::Bodies, Taken::AtOnce),
    ("integrator", SettingScope::Bodies, Taken::AtOnce),
    ("displacement", SettingScope::Only(Method::Displacement), Taken::AtOnce),
    ("k_s", SettingScope::Only(Method::Hennix), Taken::AtOnce),
    ("k_d", SettingScope::Only(Method::Hennix), Taken::AtOnce),
    ("broad_phase", SettingScope::Bodies, Taken::AtOnce),
    ("narrow_phase", SettingScope::Bodies, Taken::AtOnce),
    ("rest_steps", SettingScope::Solver, Taken::Rebuilt),
];

/// Keys of the whole.
pub fn of_whole() -> Vec<&'static str> {
    keys(|of| of == SettingScope::Whole)
}

/// Keys of the solver that a method has.
pub fn of_solver(method: Method) -> Vec<&'static str> {
    let own = if method == Method::Particles { SettingScope::Particles } else { SettingScope::Bodies };
    keys(|of| of == own || of == SettingScope::Only(method) || of == SettingScope::Solver)
}

/// Whether a world of one method goes on under another: bodies do, particles are another world.
pub fn is_same_world(one: Method, other: Method) -> bool {
    (one == Method::Particles) == (other == Method::Particles)
}

/// What a running world does with a change of a setting that made one scene the other.
pub fn taken_between(key: &str, before: &Scene, after: &Scene) -> Taken {
    match key {
        "method" if is_same_world(before.solver.method, after.solver.method) => Taken::AtOnce,
        _ => effect_on_world(key),
    }
}

/// A setting that was left out before and is given now begins at what it was without being given.
pub fn begin(key: &str, before: &Scene, after: &mut Scene) {
    let feedback = before.solver.feedback(&before.setting);
    match key {
        "k_s" if before.solver.k_s.is_none() => after.solver.k_s = after.solver.k_s.map(|_| feedback.stiffness),
        "k_d" if before.solver.k_d.is_none() => after.solver.k_d = after.solver.k_d.map(|_| feedback.damping),
        _ => {}
    }
}

/// What a running world does with a change of a setting.
pub fn effect_on_world(key: &str) -> Taken {
    SETTINGS.iter().find(|(own, ..)| *own == key).map_or(Taken::Restarted, |(_, _, taken)| *taken)
}

fn keys(is_shown: impl Fn(SettingScope) -> bool) -> Vec<&'static str> {
    SETTINGS.iter().filter(|(_, of, _)| is_shown(*of)).map(|(key, ..)| *key).collect()
}
