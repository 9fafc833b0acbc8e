//! Settings that a solver cannot hold with the frames of its scene, and those that have no effect.

use core::f64::consts::TAU;

use glam::DVec3;

use super::check::{Names, WrongKey};
use super::slot;
use super::{Cloth, FreeBodies, Method, PartPath, ParticleSolver, Points, RigidSolver, Scene, Setting, Solver};
use crate::particles::objects::{Plant, Rope, Traits};
use crate::particles::{Drive, Mode, Solve};

pub(super) fn check(solver: &Solver, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    let substep = solver.rigid.longest_substep(&names.scene.setting);
    let stiffest = 4.0 / (substep * substep);
    let stiffness = solver.rigid.k_s.filter(|stiffness| solver.method == Method::Hennix && *stiffness >= stiffest);
    if let Some(stiffness) = stiffness {
        let message = format!(
            "is {stiffness}, which is too stiff for substeps of {substep:.2e} s: the run would diverge. It must be below {stiffest:.3e}; lower it, or use shorter substeps"
        );
        return Err(("rigid.k_s", message));
    }
    let own = &solver.particles;
    let at_once = own.solves_at_once();
    let rigid = names.scene.cloths.iter().find(|cloth| at_once && cloth.stretch_compliance < LEAST_AT_ONCE);
    rigid.map_or(Ok(()), |cloth| {
        let message = format!(
            "is conjugate_gradients, which cannot hold the rigid sticks of “{}” together, for they contradict each other: the run would diverge. Set its stretch_compliance to 1e-6 (at least {LEAST_AT_ONCE:.0e}), or take one_by_one",
            cloth.name
        );
        Err(("particles.solve", message))
    })
}

/// Least compliance of cloth whose sticks are solved at once, meters per newton. With less, an equation that the others contradict
/// moves points far along directions that change its length little.
const LEAST_AT_ONCE: f64 = 1e-9;

/// Notes on the keys of a scene's `[solver]` that have no effect under its method and mode, and on springs that are too stiff
/// for it. The options `--substeps` and `--iterations` set a key of both solvers: one that both have set is not told.
pub(in crate::simulation) fn without_effect(scene: &Scene) -> Vec<String> {
    let (solver, usual, usual_rigid) = (&scene.solver, ParticleSolver::default(), RigidSolver::default());
    let (own, rigid, method) = (&solver.particles, &solver.rigid, solver.method);
    let bodies = scene.body_method();
    let is_rigid = bodies != Method::Particles;
    let has_particles = !(is_rigid && scene.cloths.is_empty() && scene.plants.is_empty() && scene.points.is_empty());
    let changed = changed(solver);
    // Substeps and iterations, of particles and of rigid bodies: those that are set alone.
    let substeps = set_alone([own.substeps, rigid.substeps], [usual.substeps, usual_rigid.substeps]);
    let iterations = set_alone(
        [own.constraint_iterations, rigid.contact_iterations],
        [usual.constraint_iterations, usual_rigid.contact_iterations],
    );
    let is_told = |key: &str| match key {
        "particles.substeps" => substeps == Some(0),
        "particles.constraint_iterations" => iterations == Some(0),
        "rigid.substeps" => substeps == Some(1),
        "rigid.contact_iterations" => iterations == Some(1),
        _ => changed.contains(&key),
    };
    // Keys, and whether nothing reads them.
    let groups = [
        (
            &[
                "particles.mode",
                "particles.tolerance",
                "particles.over_relaxation",
                "particles.square_root",
                "particles.solve",
                "particles.substeps",
                "particles.constraint_iterations",
            ][..],
            !has_particles,
        ),
        (&["rigid.substeps", "rigid.contact_iterations"], !is_rigid),
        (&["particles.gravity_is"], is_rigid),
        (&["particles.sleep_threshold"], !has_particles && method != Method::Particles),
        (&["particles.free_bodies"], method != Method::Particles),
        (&["rigid.sleep_threshold"], method == Method::Particles),
        (
            &["rigid.most_turn", "rigid.step_tolerance", "rigid.integrator", "rigid.broad_phase", "rigid.narrow_phase"],
            !is_rigid,
        ),
        (&["rigid.joint_tolerance"], bodies != Method::Multipliers),
        (&["rigid.displacement", "rigid.displacement_tolerance"], method != Method::Displacement),
        (&["rigid.k_s", "rigid.k_d"], method != Method::Hennix),
    ];
    let word = slot::Choice::word(&method);
    let idle: Vec<_> = groups.into_iter().filter(|(_, is_idle)| *is_idle).flat_map(|(keys, _)| keys).collect();
    let told = idle.iter().filter(|key| is_told(key));
    let mut notes: Vec<String> = told.map(|key| format!("[solver] {key} has no effect under {word}")).collect();
    if is_rigid && !scene.has_bodies() {
        let of_bodies = changed.iter().filter(|key| key.starts_with("rigid.") && is_told(key) && !idle.contains(key));
        let told = of_bodies.chain((substeps == Some(1)).then_some(&"rigid.substeps"));
        notes.extend(told.map(|key| format!("[solver] {key} has no effect in a scene without bodies")));
    }
    notes.extend(
        (method == Method::Particles && own.free_bodies == FreeBodies::Particles && !scene.may_be_rigid())
            .then(|| "[solver] particles.free_bodies has no effect here, where all is particles anyway".to_owned()),
    );
    let set = scene.ragdolls.iter().filter(|ragdoll| is_rigid && ragdoll.iterations > 0);
    notes.extend(set.map(|ragdoll| format!("{}: iterations has no effect on rigid bodies", ragdoll.name)));
    notes.extend(of_air(scene));
    let taken = solver.settings(&scene.setting).substeps_taken();
    let takes_one = has_particles && own.substeps != usual.substeps && own.substeps != taken;
    notes.extend(
        takes_one.then(|| "[solver] particles.substeps has no effect in mode jakobsen, which takes one".to_owned()),
    );
    notes.extend((has_particles && own.solve != usual.solve && !own.mode.has_multipliers()).then(|| {
        format!(
            "[solver] particles.solve has no effect in mode {}, only in shake and xpbd",
            slot::Choice::word(&own.mode)
        )
    }));
    if has_particles {
        notes.extend(of_distances(scene));
    }
    if !is_rigid {
        notes.extend(too_stiff(scene));
    }
    for points in &scene.points {
        notes.extend(points.idle_keys().map(|key| format!("{}: {key} has no effect here", points.name)));
    }
    for limit in &scene.limits {
        let kind = slot::Choice::word(&limit.kind);
        notes.extend(
            limit.idle_keys().map(|key| format!("{}: {key} has no effect on a limit of kind {kind}", limit.name)),
        );
    }
    for joint in &scene.joints {
        notes.extend(joint.idle_keys().map(|(key, why)| format!("{}: {key} has no effect {why}", joint.name)));
    }
    for obstacle in &scene.obstacles {
        let (name, kind) = (&obstacle.name, slot::Choice::word(&obstacle.kind));
        notes.extend(
            obstacle.idle_keys().map(|key| format!("{name}: {key} has no effect on an obstacle of kind {kind}")),
        );
    }
    for action in &scene.actions {
        notes.extend(action.idle_keys().map(|(key, why)| format!("{}: {key} has no effect {why}", action.name)));
    }
    for follow in scene.follows.iter().filter(|follow| follow.own_feet) {
        let idle = follow.idle_on_own_feet();
        notes.extend(idle.map(|key| format!("{}: {key} has no effect with own_feet", follow.of.0)));
    }
    notes.extend(of_herds(scene));
    notes
}

/// Notes on keys of the air that have no effect, because nothing blows or nothing feels it.
fn of_air(scene: &Scene) -> Vec<String> {
    let (density, usual) = (scene.setting.air_density, (Setting::default(), Cloth::default()));
    let why = if scene.winds.is_empty() {
        "in a scene without wind"
    } else if scene.cloths.is_empty() {
        "in a scene without cloth"
    } else if density == 0.0 {
        "without air_density"
    } else {
        return Vec::new();
    };
    let is_set = density > 0.0 && density != usual.0.air_density;
    let mut notes = Vec::from_iter(is_set.then(|| format!("[scene] air_density has no effect {why}")));
    for cloth in &scene.cloths {
        let keys = [("air_drag", cloth.air_drag != usual.1.air_drag), ("air_lift", cloth.air_lift != usual.1.air_lift)];
        let set = keys.into_iter().filter(|(_, is_set)| *is_set);
        notes.extend(set.map(|(key, _)| format!("{}: {key} has no effect {why}", cloth.name)));
    }
    notes
}

/// Keys of `[solver]` that differ from their defaults.
fn changed(solver: &Solver) -> Vec<&'static str> {
    let usual = Solver::default();
    let ([own, usual_own], [rigid, usual_rigid]) =
        ([&solver.particles, &usual.particles], [&solver.rigid, &usual.rigid]);
    let keys = [
        ("frames_before_sleep", solver.frames_before_sleep != usual.frames_before_sleep),
        ("particles.mode", own.mode != usual_own.mode),
        ("particles.substeps", own.substeps != usual_own.substeps),
        ("particles.constraint_iterations", own.constraint_iterations != usual_own.constraint_iterations),
        ("particles.tolerance", own.tolerance != usual_own.tolerance),
        ("particles.over_relaxation", own.over_relaxation != usual_own.over_relaxation),
        ("particles.square_root", own.square_root != usual_own.square_root),
        ("particles.solve", own.solve != usual_own.solve),
        ("particles.gravity_is", own.gravity_is != usual_own.gravity_is),
        ("particles.sleep_threshold", own.sleep_threshold != usual_own.sleep_threshold),
        ("particles.free_bodies", own.free_bodies != usual_own.free_bodies),
        ("rigid.contact_iterations", rigid.contact_iterations != usual_rigid.contact_iterations),
        ("rigid.sleep_threshold", rigid.sleep_threshold != usual_rigid.sleep_threshold),
        ("rigid.most_turn", rigid.most_turn != usual_rigid.most_turn),
        ("rigid.step_tolerance", rigid.step_tolerance.is_some()),
        ("rigid.integrator", rigid.integrator != usual_rigid.integrator),
        ("rigid.broad_phase", rigid.broad_phase != usual_rigid.broad_phase),
        ("rigid.narrow_phase", rigid.narrow_phase != usual_rigid.narrow_phase),
        ("rigid.joint_tolerance", rigid.joint_tolerance != usual_rigid.joint_tolerance),
        ("rigid.displacement", rigid.displacement != usual_rigid.displacement),
        ("rigid.displacement_tolerance", rigid.displacement_tolerance != usual_rigid.displacement_tolerance),
        ("rigid.k_s", rigid.k_s.is_some()),
        ("rigid.k_d", rigid.k_d.is_some()),
    ];
    keys.into_iter().filter(|(_, is_changed)| *is_changed).map(|(key, _)| key).collect()
}

/// Notes on keys that have no effect on herds in lanes, which have substeps and a mode of their own.
fn of_herds(scene: &Scene) -> Vec<String> {
    let changed = changed(&scene.solver);
    let of_particles =
        ["particles.mode", "particles.substeps", "particles.constraint_iterations", "particles.sleep_threshold"];
    let of_rigid = [
        "frames_before_sleep",
        "rigid.contact_iterations",
        "rigid.sleep_threshold",
        "rigid.most_turn",
        "rigid.step_tolerance",
        "rigid.joint_tolerance",
        "rigid.integrator",
        "rigid.narrow_phase",
    ];
    let mut notes = Vec::new();
    for herd in &scene.herds {
        let keys = match scene.solver.method {
            Method::Particles => &of_particles[..],
            Method::Multipliers if herd.alone => &of_rigid[..],
            _ => &[],
        };
        let idle = keys.iter().filter(|key| changed.contains(key));
        let name = &herd.name;
        notes.extend(idle.map(|key| format!("{name}: runs in lanes, and [solver] {key} has no effect on it")));
        let follows = scene.follows.iter().any(|follow| follow.of.thing() == herd.name);
        notes.extend(
            (herd.max_start_delay > 0.0 && !follows)
                .then(|| format!("{name}: max_start_delay has no effect without a follow of the herd")),
        );
    }
    notes
}

/// Which of a pair of values differs from its default, if only one does, and is not that of the other.
fn set_alone(values: [u32; 2], usual: [u32; 2]) -> Option<usize> {
    let is_set = [0, 1].map(|of| values[of] != usual[of]);
    (values[0] != values[1] && is_set[0] != is_set[1]).then_some(usize::from(is_set[1]))
}

/// Notes on springs and motors of joints that are slower than asked for, because particles take too long substeps for them.
fn too_stiff(scene: &Scene) -> Vec<String> {
    let substep = scene.solver.settings(&scene.setting).substep();
    let most = Drive::greatest_rate(substep);
    let mut notes = Vec::new();
    for joint in &scene.joints {
        let name = &joint.name;
        if TAU * joint.frequency > most {
            let (asked, taken) = (joint.frequency, most / TAU);
            notes.push(format!("{name}: frequency of {asked} Hz acts as {taken:.2} Hz in substeps of {substep:.2e} s; shorter ones hold it"));
        }
        if joint.motor_damping > most {
            let asked = joint.motor_damping;
            notes.push(format!("{name}: motor_damping of {asked} /s acts as {most:.1} /s in substeps of {substep:.2e} s; shorter ones hold it"));
        }
    }
    // Herds have substeps of their own.
    let is_of_herd = |of: &PartPath| scene.herds.iter().any(|herd| herd.name == of.thing());
    let follows = scene.follows.iter().filter(|follow| TAU * follow.frequency > most && !is_of_herd(&follow.of));
    notes.extend(follows.map(|follow| {
        let (of, asked, taken) = (&follow.of.0, follow.frequency, most / TAU);
        format!(
            "{of}: frequency of {asked} Hz acts as {taken:.2} Hz in substeps of {substep:.2e} s; shorter ones hold it"
        )
    }));
    notes
}

/// Notes on keys of distances between particles that have no effect in this scene or mode, with this solver or number of passes.
fn of_distances(scene: &Scene) -> Vec<String> {
    let own = &scene.solver.particles;
    let at_once = own.solves_at_once();
    let idle = idle_of_distances(own, scene);
    let mut notes: Vec<String> =
        idle.map(|(key, why)| format!("[solver] particles.{key} has no effect {why}")).collect();
    let shared = scene.points.iter().filter(|points| at_once && points.share < 1.0 && points.compliance == 0.0);
    let sticks = shared.filter(|points| !points.sticks.is_empty() || !points.triangles.is_empty());
    notes.extend(sticks.map(|points| format!("{}: share has no effect {SOLVED}", points.name)));
    let of_plants = scene.plants.iter().filter(|plant| at_once && plant.share != 1.0);
    notes.extend(of_plants.map(|plant| format!("{}: share has no effect {SOLVED}", plant.name)));
    let is_soft = |cloth: &Cloth| cloth.stretch_compliance > 0.0 && cloth.bend_compliance != Some(0.0);
    let soft = scene.cloths.iter().filter(|cloth| cloth.share != 1.0 && is_soft(cloth));
    notes.extend(soft.map(|cloth| format!("{}: share has no effect with stretch_compliance", cloth.name)));
    notes
}

const SOLVED: &str = "on distances that particles.solve = \"conjugate_gradients\" solves at once";

/// Keys of distances that are set and have no effect in a scene, and why.
fn idle_of_distances(own: &ParticleSolver, scene: &Scene) -> impl Iterator<Item = (&'static str, &'static str)> {
    let (usual, at_once) = (ParticleSolver::default(), own.solves_at_once());
    // Where and why each key does nothing, the widest first.
    let of_mode = (own.mode == Mode::Shake).then_some("in mode shake, only in the others");
    let of_scene = (!has_distances(scene, |compliance| compliance == 0.0))
        .then_some("in a scene without rigid sticks, strings, ropes, cloth or plants");
    let of_nothing =
        (!has_distances(scene, |_| true)).then_some("in a scene without sticks, strings, ropes, cloth or plants");
    let of_solve = at_once.then_some(SOLVED);
    let of_passes = (most_passes(own, scene) == 1).then_some("with one of constraint_iterations");
    let keys = [
        ("square_root", own.square_root != usual.square_root, of_mode.or(of_scene).or(of_solve)),
        ("over_relaxation", own.over_relaxation != usual.over_relaxation, of_scene.or(of_solve)),
        ("tolerance", own.tolerance != usual.tolerance, of_passes),
        ("solve", at_once, of_nothing),
    ];
    keys.into_iter().filter_map(|(key, is_set, why)| is_set.then_some(key).zip(why))
}

/// Most passes that something of a scene takes.
fn most_passes(own: &ParticleSolver, scene: &Scene) -> u32 {
    let least = |has: bool, traits: Traits| if has && own.mode.has_multipliers() { traits.least_iterations } else { 1 };
    let of_ropes = least(has_ropes(scene), Rope::new(DVec3::ZERO, DVec3::Y).traits);
    let of_plants = least(scene.plants.iter().any(|plant| plant.iterations == 0), Plant::new(DVec3::ZERO).traits);
    let most = own.constraint_iterations.max(of_ropes).max(of_plants);
    let own = scene.points.iter().map(|points| points.iterations);
    let own = own.chain(scene.cloths.iter().map(|cloth| cloth.iterations));
    let own = own.chain(scene.plants.iter().map(|plant| plant.iterations));
    own.chain(scene.ragdolls.iter().map(|ragdoll| ragdoll.iterations)).fold(most, u32::max)
}

impl ParticleSolver {
    /// Whether all distances are solved at once.
    fn solves_at_once(&self) -> bool {
        self.solve == Solve::ConjugateGradients && self.mode.has_multipliers()
    }
}

impl Solver {
    /// The same without the keys of particles that have no effect in a scene: these change no bit of it.
    pub(in crate::simulation) fn in_effect(&self, scene: &Scene) -> Self {
        let (mut solver, usual) = (self.clone(), ParticleSolver::default());
        let own = &mut solver.particles;
        own.gravity_is = self.gravity_unit();
        for (key, _) in idle_of_distances(&self.particles, scene) {
            match key {
                "square_root" => own.square_root = usual.square_root,
                "over_relaxation" => own.over_relaxation = usual.over_relaxation,
                "tolerance" => own.tolerance = usual.tolerance,
                _ => own.solve = usual.solve,
            }
        }
        solver
    }
}

/// Whether something of the scene is held together by distances of a compliance that counts, meters per newton.
fn has_distances(scene: &Scene, counts: impl Fn(f64) -> bool) -> bool {
    let has_pairs = |points: &&Points| {
        let Points { sticks, strings, apart, triangles, .. } = points;
        !(sticks.is_empty() && strings.is_empty() && apart.is_empty() && triangles.is_empty())
    };
    let of_points = scene.points.iter().filter(has_pairs).any(|points| counts(points.compliance));
    let of_cloth = scene.cloths.iter().any(|cloth| counts(cloth.stretch_compliance));
    of_points || of_cloth || has_ropes(scene) || !scene.plants.is_empty()
}

/// Whether there are ropes or flails of particles.
fn has_ropes(scene: &Scene) -> bool {
    scene.solver.method == Method::Particles && !(scene.ropes.is_empty() && scene.flails.is_empty())
}
