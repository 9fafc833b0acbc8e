//! Settings that a solver cannot hold with the frames of its scene, and those that have no effect.

use super::check::{Names, WrongKey};
use super::slot;
use super::{Method, ParticleSolver, RigidSolver, Scene, Solver};
use crate::particles::Mode;

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

/// Notes on the keys of a scene's `[solver]` that have no effect under its method and mode. Substeps and iterations of the
/// other solver are left out, which the options `--substeps` and `--iterations` set for both.
pub(in crate::simulation) fn without_effect(scene: &Scene) -> Vec<String> {
    let (solver, usual, usual_rigid) = (&scene.solver, ParticleSolver::default(), RigidSolver::default());
    let (own, rigid, method) = (&solver.particles, &solver.rigid, solver.method);
    let is_rigid = method != Method::Particles;
    let has_particles = !(is_rigid && scene.cloths.is_empty() && scene.plants.is_empty() && scene.points.is_empty());
    let of_particles = [
        ("particles.mode", own.mode != usual.mode && !has_particles),
        ("particles.tolerance", own.tolerance != usual.tolerance && !has_particles),
        ("particles.over_relaxation", own.over_relaxation != usual.over_relaxation && !has_particles),
        ("particles.square_root", own.square_root != usual.square_root && !has_particles),
        ("particles.sleep_threshold", own.sleep_threshold != usual.sleep_threshold && !has_particles),
    ];
    let of_rigid = [
        ("rigid.sleep_threshold", rigid.sleep_threshold != usual_rigid.sleep_threshold && !is_rigid),
        ("rigid.integrator", rigid.integrator != usual_rigid.integrator && !is_rigid),
        ("rigid.broad_phase", rigid.broad_phase != usual_rigid.broad_phase && !is_rigid),
        ("rigid.narrow_phase", rigid.narrow_phase != usual_rigid.narrow_phase && !is_rigid),
        ("rigid.displacement", rigid.displacement != usual_rigid.displacement && method != Method::Displacement),
        ("rigid.k_s", rigid.k_s.is_some() && method != Method::Hennix),
        ("rigid.k_d", rigid.k_d.is_some() && method != Method::Hennix),
    ];
    let word = slot::Choice::word(&method);
    let mut notes: Vec<String> = of_particles
        .into_iter()
        .chain(of_rigid)
        .filter(|(_, is_idle)| *is_idle)
        .map(|(key, _)| format!("[solver] {key} has no effect under {word}"))
        .collect();
    let takes_one = has_particles && own.mode == Mode::Jakobsen && ![1, usual.substeps].contains(&own.substeps);
    notes.extend(
        takes_one.then(|| "[solver] particles.substeps has no effect in mode jakobsen, which takes one".to_owned()),
    );
    notes
}
