//! Keys of the whole and of the solver: which are shown for which kind of world, and what a world that runs does with a change.

use muybridge::simulation::scene::Method;

/// Who a setting is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    Whole,
    Particles,
    Bodies,
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
const SETTINGS: [(&str, Of, Taken); 20] = [
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
    ("rest_steps", Of::Solver, Taken::Rebuilt),
];

/// Keys of the whole.
pub fn of_whole() -> Vec<&'static str> {
    keys(|of| of == Of::Whole)
}

/// Keys of the solver that a method has.
pub fn of_solver(method: Method) -> Vec<&'static str> {
    let own = if method == Method::Particles { Of::Particles } else { Of::Bodies };
    keys(|of| of == own || of == Of::Solver)
}

/// What a running world does with a change of a setting.
pub fn taken(key: &str) -> Taken {
    SETTINGS.iter().find(|(own, ..)| *own == key).map_or(Taken::Restarted, |(_, _, taken)| *taken)
}

fn keys(is_shown: impl Fn(Of) -> bool) -> Vec<&'static str> {
    SETTINGS.iter().filter(|(_, of, _)| is_shown(*of)).map(|(key, ..)| *key).collect()
}
