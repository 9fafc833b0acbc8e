//! What a solver cannot hold with the frames of its scene.

use super::check::fault;
use super::{Method, Scene, SceneError, Solver};

/// The first key that makes no sense beside the others.
pub(super) fn check(scene: &Scene) -> Result<(), SceneError> {
    let (solver, setting) = (&scene.solver, &scene.setting);
    let substep = 1.0 / (setting.rate * f64::from(solver.rigid_substeps));
    let stiffest = 4.0 / (substep * substep);
    let stiffness = solver.k_s.filter(|stiffness| solver.method == Method::Hennix && *stiffness >= stiffest);
    stiffness.map_or(Ok(()), |stiffness| {
        let message = format!(
            "is {stiffness}; with substeps of {substep:.2e} s what is pulled so hard flies apart: it must be below {stiffest:.3e}, or the substeps shorter"
        );
        Err(fault::<Solver>(0, "k_s", message))
    })
}
