//! The papers' own modes in scenes: closed forms, by the program on a file.

use crate::simulate_contact::{METHODS, OF_FREE_BODIES, Run, every};

const MODES: [&str; 4] = ["shake", "xpbd", "jakobsen", "rosen"];

#[test]
fn r15_friction_of_a_limit_takes_the_same_share_in_every_mode() {
    // A flap that turns about a fixed side: e^{-c t} of its speed is left.
    let scene = |friction: f64, passes: u32| {
        format!(
            "[scene]\nseconds = 1.0\ngravity = [0.0, 0.0, 0.0]\n[solver]\nframes_before_sleep = 0\n[solver.particles]\nsubsteps = 20\n\
             constraint_iterations = {passes}\n[[points]]\nname = \"flap\"\npositions = [[0, 0, 0], [0.6, 0, 0], [0.3, 0, 0.5], [0.3, 0, -0.4]]\n\
             velocities = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0.3, 0]]\nfixed = [0, 1, 2]\ntriangles = [[0, 1, 2], [1, 0, 3]]\n\
             damping = 0.0\n[[limit]]\nname = \"l\"\nof = \"flap\"\nfirst = 0\nsecond = 1\nmax_angle = 3.0\nfriction = {friction}\n"
        )
    };
    for mode in MODES {
        for (friction, passes) in [(1.5, 4), (1.5, 20), (0.6, 12)] {
            let (run, _) = Run::with(&scene(friction, passes), ["--particle-mode", mode]);
            let energies = run.per_frame("kinetic_energy_j");
            let ratio = (energies[60] / energies[0]).sqrt();
            let wanted = (-friction).exp();
            // A frame in one substep measures the speed half a frame ago.
            let within = if mode == "jakobsen" { 0.03 } else { 0.005 };
            assert!((ratio / wanted - 1.0).abs() < within, "{mode}, {passes} passes: {ratio} of {wanted}");
        }
    }
}

#[test]
fn compliance_acts_in_every_mode() {
    // A mass that hangs on a soft stick: m g α longer, 0.5 kg · 9.81 · 0.02.
    let scene = "[scene]\nseconds = 15.0\n[solver]\nframes_before_sleep = 0\n[solver.particles]\nsubsteps = 8\nconstraint_iterations = 8\n\
                 [[points]]\nname = \"s\"\npositions = [[0, 0, 0], [0, -0.7, 0]]\nmasses = [0.5]\nfixed = [0]\nsticks = [[0, 1]]\n\
                 compliance = 0.02\ndamping = 2.0\n";
    for mode in MODES {
        let (run, _) = Run::with(scene, ["--particle-mode", mode]);
        let heights = run.per_frame("potential_energy_j");
        let longer = -heights[heights.len() - 1] / (0.5 * 9.81) - 0.7;
        assert!((longer / 0.0981 - 1.0).abs() < 1e-3, "{mode}: {longer}");
    }
}

#[test]
fn soft_sticks_of_one_point_are_no_softer_where_proposals_are_averaged() {
    // The upper stick carries both masses: m g α.
    let longer = [(0.5 + 0.3) * 9.81 * 0.02, 0.3 * 9.81 * 0.02];
    for passes in [1, 2, 8] {
        let scene = format!(
            "[scene]\nseconds = 15.0\n[solver]\nframes_before_sleep = 0\n[solver.particles]\nconstraint_iterations = {passes}\n\
             [[points]]\nname = \"s\"\npositions = [[0, 0, 0], [0, -0.7, 0], [0, -1.1, 0]]\nmasses = [1.0, 0.5, 0.3]\nfixed = [0]\n\
             sticks = [[0, 1], [1, 2]]\ncompliance = 0.02\ndamping = 2.0\n"
        );
        let (run, said) = Run::with(&scene, ["--particle-mode", "rosen"]);
        assert!(!said.contains("softer"), "{said}");
        let [one, other] = ["s/point 1", "s/point 2"].map(|point| run.places(point).last().unwrap()[1]);
        let found = [-one - 0.7, one - other - 0.4];
        for (found, wanted) in found.into_iter().zip(longer) {
            assert!((found / wanted - 1.0).abs() < 1e-4, "{passes} passes: {found}, not {wanted}");
        }
    }
}

#[test]
fn jakobsen_takes_one_substep_and_says_so() {
    let scene = "[scene]\nseconds = 0.2\n[solver.particles]\nsubsteps = 12\n[[points]]\nname = \"s\"\npositions = [[0, 0, 0]]\n";
    let (run, said) = Run::with(scene, ["--particle-mode", "jakobsen"]);
    assert_eq!(run.0["substeps"], 1);
    assert!(said.contains("particles.substeps has no effect in mode jakobsen"), "{said}");
}

#[test]
fn keys_without_effect_are_told() {
    let scene = "[scene]\nseconds = 0.1\n[solver.rigid]\nk_s = 100.0\nintegrator = \"rk4\"\n[solver.particles]\nmode = \"xpbd\"\n[[ball]]\nname = \"b\"\n";
    let (_, said) = Run::with(scene, ["--method", "particles"]);
    assert!(said.contains("rigid.k_s has no effect under particles") && said.contains("rigid.integrator"), "{said}");
    assert!(!said.contains("particles.mode has"), "{said}");
    let (_, said) = Run::with(scene, ["--method", "displacement"]);
    assert!(said.contains("particles.mode has no effect") && said.contains("rigid.k_s has no effect"), "{said}");
    assert!(!said.contains("rigid.integrator has"), "{said}");
}

#[test]
fn z5_a_fall_with_damping_ends_at_g_over_c_under_every_method() {
    let scene =
        "[scene]\nseconds = 40.0\n[[ball]]\nname = \"b\"\nmass = 3.0\nvelocity = [2.0, 0.0, 0.0]\ndamping = 0.8\n";
    // The step of Verlet damps the way of the step before (J2): g h/(1 − exp(−c h)).
    for option in every().into_iter().filter(|option| !["jakobsen", "rosen"].contains(&option[1])) {
        let (run, _) = Run::with(scene, option);
        let places = run.places("b");
        let speed = 60.0 * (places[places.len() - 2][1] - places[places.len() - 1][1]);
        assert!((speed - 9.81 / 0.8).abs() < 1e-6, "{option:?}: {speed}");
    }
}

#[test]
fn an_explosion_gives_its_speed_at_a_meter_and_a_quarter_at_two() {
    let scene = "[scene]\nseconds = 0.5\ngravity = [0.0, 0.0, 0.0]\n[[ball]]\nname = \"near\"\nradius = 0.05\nposition = [1.0, 0.0, 0.0]\n\
                 [[ball]]\nname = \"far\"\nradius = 0.05\nposition = [0.0, 0.0, -2.0]\n[[explosion]]\nposition = [0.0, 0.0, 0.0]\n\
                 time = 0.1\nspeed = 6.0\n";
    for method in OF_FREE_BODIES {
        let run = Run::of(scene, method);
        let way = |of: &str, axis: usize| 60.0 * (run.places(of)[30][axis] - run.places(of)[29][axis]);
        let (near, far) = (way("near", 0), -way("far", 2));
        assert!((near - 6.0).abs() < 1e-4 && (far - 1.5).abs() < 1e-4, "{method}: {near} {far}");
    }
}

#[test]
fn an_inertia_that_no_body_has_is_taken_with_a_note() {
    let scene = "[scene]\nseconds = 0.5\n[[box]]\nname = \"odd\"\nsize = [1, 1, 1]\ninertia = [1, 2, 4]\nspin = [0.0, 0.0, 2.0]\n";
    for method in METHODS {
        let (_, said) = Run::with(scene, ["--method", method]);
        assert!(said.contains("odd: the inertia 1, 2, 4 is that of no real body"), "{method}: {said}");
    }
}
