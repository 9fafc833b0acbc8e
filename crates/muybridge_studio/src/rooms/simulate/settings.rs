//! Keys of the whole and of the solver: which are shown for which kind of world, and what a world that runs does with a change.

use muybridge::simulation::Scene;
use muybridge::simulation::scene::Method;

/// Who a setting is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
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
const SETTINGS: [(&str, Of, Taken); 26] = [
    ("gravity", Of::Whole, Taken::AtOnce),
    ("rate", Of::Whole, Taken::AtOnce),
    ("seconds", Of::Whole, Taken::AtOnce),
    ("ground", Of::Whole, Taken::Restarted),
    ("ground_friction", Of::Whole, Taken::Rebuilt),
    ("air", Of::Whole, Taken::Rebuilt),
    ("seed", Of::Whole, Taken::Restarted),
    ("name", Of::Whole, Taken::AtOnce),
    ("method", Of::Solver, Taken::Restarted),
    ("mode", Of::Particles, Taken::AtOnce),
    ("substeps", Of::Particles, Taken::AtOnce),
    ("iterations", Of::Particles, Taken::AtOnce),
    ("tolerance", Of::Particles, Taken::AtOnce),
    ("over_relaxation", Of::Particles, Taken::AtOnce),
    ("square_root", Of::Particles, Taken::AtOnce),
    ("rest_speed", Of::Particles, Taken::AtOnce),
    ("rigid_substeps", Of::Bodies, Taken::AtOnce),
    ("rigid_iterations", Of::Bodies, Taken::AtOnce),
    ("rigid_rest_speed", Of::Bodies, Taken::AtOnce),
    ("integrator", Of::Bodies, Taken::AtOnce),
    ("displacement", Of::Only(Method::Displacement), Taken::AtOnce),
    ("k_s", Of::Only(Method::Hennix), Taken::AtOnce),
    ("k_d", Of::Only(Method::Hennix), Taken::AtOnce),
    ("broad_phase", Of::Bodies, Taken::AtOnce),
    ("narrow_phase", Of::Bodies, Taken::AtOnce),
    ("rest_steps", Of::Solver, Taken::Rebuilt),
];

/// Keys of the whole.
pub fn of_whole() -> Vec<&'static str> {
    keys(|of| of == Of::Whole)
}

/// Keys of the solver that a method has.
pub fn of_solver(method: Method) -> Vec<&'static str> {
    let own = if method == Method::Particles { Of::Particles } else { Of::Bodies };
    keys(|of| of == own || of == Of::Only(method) || of == Of::Solver)
}

/// Whether a world of one method goes on under another: bodies do, particles are another world.
pub fn is_same_world(one: Method, other: Method) -> bool {
    (one == Method::Particles) == (other == Method::Particles)
}

/// What a running world does with a change of a setting that made one scene the other.
pub fn taken_between(key: &str, before: &Scene, after: &Scene) -> Taken {
    match key {
        "method" if is_same_world(before.solver.method, after.solver.method) => Taken::AtOnce,
        _ => taken(key),
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
pub fn taken(key: &str) -> Taken {
    SETTINGS.iter().find(|(own, ..)| *own == key).map_or(Taken::Restarted, |(_, _, taken)| *taken)
}

fn keys(is_shown: impl Fn(Of) -> bool) -> Vec<&'static str> {
    SETTINGS.iter().filter(|(_, of, _)| is_shown(*of)).map(|(key, ..)| *key).collect()
}
