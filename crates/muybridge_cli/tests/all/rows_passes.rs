//! Rows about passes and shares of single things, by the program on scenes.

use crate::simulate_contact::Run;

const MODES: [&str; 4] = ["shake", "xpbd", "jakobsen", "rosen"];

fn cloth(keys: &str) -> String {
    format!("[[cloth]]\nname = \"t\"\ncolumns = 6\nrows = 6\npins = [\"left_back\", \"right_back\"]\n{keys}")
}

fn plant(keys: &str) -> String {
    format!("[[plant]]\nname = \"t\"\n{keys}[[wind]]\nname = \"w\"\nvelocity = [5, 0, 0]\n")
}

fn scene(solver: &str, things: &str) -> String {
    format!("[scene]\nseconds = 0.5\n[solver.particles]\n{solver}{things}")
}

#[test]
fn j38_a_thing_with_passes_of_its_own_moves_as_if_all_took_as_many() {
    let doll = |keys: &str| {
        format!(
            "[[obstacle]]\nname = \"g\"\nkind = \"half_space\"\n[[ragdoll]]\nname = \"t\"\nposition = [0, 0.2, 0]\n{keys}"
        )
    };
    let things: [&dyn Fn(&str) -> String; 3] = [&cloth, &plant, &doll];
    for thing in things {
        for mode in MODES {
            let own = Run::in_mode(&scene("", &thing("iterations = 9\n")), mode);
            let all = Run::in_mode(&scene("constraint_iterations = 9\n", &thing("")), mode);
            let one = Run::in_mode(&scene("", &thing("")), mode);
            assert_eq!(own.0["per_frame"], all.0["per_frame"], "{mode}: {}", thing(""));
            assert_ne!(own.0["per_frame"], one.0["per_frame"], "{mode}: {}", thing(""));
        }
    }
    // Beside it, another keeps its own.
    let points = "[[points]]\nname = \"u\"\npositions = [[0, 5, 0], [1, 5, 0], [2, 5, 0]]\nsticks = [[0, 1], [1, 2]]\nfixed = [0]\n";
    for mode in MODES {
        let of = |keys: &str| Run::in_mode(&scene("constraint_iterations = 2\n", &(cloth(keys) + points)), mode);
        let (own, usual) = (of("iterations = 9\n"), of(""));
        assert_eq!(own.0["poses"], usual.0["poses"], "{mode}");
        assert_ne!(own.0["per_frame"], usual.0["per_frame"], "{mode}");
    }
}

#[test]
fn half_of_a_correction_twice_as_long_is_the_correction() {
    // Without pins there are no tethers, which share nothing.
    let draped = |keys: &str| {
        let cloth = cloth(keys).replace("pins = [\"left_back\", \"right_back\"]\n", "position = [0, 0.22, 0]\n");
        cloth + "[[obstacle]]\nname = \"o\"\nkind = \"sphere\"\nradius = 0.2\n"
    };
    let things: [&dyn Fn(&str) -> String; 2] = [&draped, &plant];
    for thing in things {
        for mode in MODES {
            // Two passes: in the lanes of one there is no over-relaxation.
            let run = |share: f64, factor: f64| {
                let solver = format!("constraint_iterations = 2\nover_relaxation = {factor:?}\n");
                Run::in_mode(&scene(&solver, &thing(&format!("share = {share:?}\n"))), mode)
            };
            let (usual, both, half) = (run(1.0, 1.0), run(0.5, 2.0), run(0.5, 1.0));
            assert_eq!(both.0["per_frame"], usual.0["per_frame"], "{mode}");
            assert_ne!(half.0["per_frame"], usual.0["per_frame"], "{mode}");
        }
    }
}

#[test]
fn two_soft_sticks_in_a_row_hang_by_their_weight_but_for_what_a_pass_leaves() {
    // 10 mm/N below 2 kg and below 1 kg.
    let wanted = [2.0, 3.0].map(|kilograms| 9.81 * 0.01 * kilograms);
    let more = |mode: &str, [substeps, passes]: [u32; 2]| {
        let scene = format!(
            "[scene]\nseconds = 20.0\n[solver]\nframes_before_sleep = 0\n[solver.particles]\nsubsteps = {substeps}\n\
             constraint_iterations = {passes}\n[[points]]\nname = \"p\"\npositions = [[0, 0, 0], [0, -1, 0], [0, -2, 0]]\n\
             sticks = [[0, 1], [1, 2]]\nfixed = [0]\ncompliance = 0.01\ndamping = 2.0\n"
        );
        let run = Run::in_mode(&scene, mode);
        [1, 2].map(|point| {
            let places = run.points(&format!("p/point {point}"));
            (-places[places.len() - 1].y - point as f64) / wanted[point - 1] - 1.0
        })
    };
    // One Gauss–Seidel pass from no multipliers solves λ₁ before the second stick pulls: h² w/2α of the first sag is missing in it.
    let left = (1.0_f64 / 60.0).powi(2) / (2.0 * 0.01);
    for (mode, substeps) in [("jakobsen", 1), ("xpbd", 1), ("xpbd", 64)] {
        let [first, _] = more(mode, [substeps, 1]);
        let wanted = left / f64::from(substeps * substeps);
        assert!((first / wanted - 1.0).abs() < 0.05, "{mode}: {first}, not {wanted}");
    }
    for mode in MODES {
        for steps in [[1, 4], [64, 2]] {
            let most = more(mode, steps).into_iter().fold(0.0, |most: f64, more| most.max(more.abs()));
            assert!(most < 1e-4, "{mode}, {steps:?}: {most}");
        }
    }
}
