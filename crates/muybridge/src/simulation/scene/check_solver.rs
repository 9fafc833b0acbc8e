//! Settings that a solver cannot hold with the frames of its scene.

use super::check::{Names, WrongKey};
use super::{Method, Solver};

pub(super) fn check(solver: &Solver, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    let substep = 1.0 / (names.scene.setting.rate * f64::from(solver.rigid.substeps));
    let stiffest = 4.0 / (substep * substep);
    let stiffness = solver.rigid.k_s.filter(|stiffness| solver.method == Method::Hennix && *stiffness >= stiffest);
    stiffness.map_or(Ok(()), |stiffness| {
        let message = format!(
            "is {stiffness}, which is too stiff for substeps of {substep:.2e} s: the run would diverge. It must be below {stiffest:.3e}; lower it, or use shorter substeps"
        );
        Err(("rigid.k_s", message))
    })
}
