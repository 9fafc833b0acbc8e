//! Rows about cloth and plants, by the program on a scene.

use muybridge::glam::DVec3;

use crate::simulate_contact::Run;

const G: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// The beginning of a scene of particles in which nothing sleeps.
fn setting([rate, seconds]: [f64; 2], gravity: DVec3, [substeps, iterations]: [u32; 2]) -> String {
    format!(
        "[scene]\nrate = {rate:?}\nseconds = {seconds:?}\ngravity = {gravity}\n[solver]\nframes_before_sleep = 0\n\
         [solver.particles]\nsubsteps = {substeps}\nconstraint_iterations = {iterations}\n"
    )
}

#[test]
fn j11_a_cloth_of_sticks_hangs_from_two_corners_and_comes_to_rest() {
    // 20 × 20 points of a square meter, sticks along the edges and both diagonals of its cells, 0.2 kg. Substeps are those
    // of 60 Hz × 8, in frames of a fifth of a second.
    let (count, at) = (20_usize, |column: usize, row: usize| row * 20 + column);
    let places: Vec<[f64; 3]> =
        (0..400).map(|index| [(index % 20) as f64 / 19.0, 0.0, (index / 20) as f64 / 19.0]).collect();
    let mut sticks = Vec::new();
    for (row, column) in (0..count).flat_map(|row| (0..count).map(move |column| (row, column))) {
        let (right, below) = (column + 1 < count, row + 1 < count);
        sticks.extend(right.then(|| [at(column, row), at(column + 1, row)]));
        sticks.extend(below.then(|| [at(column, row), at(column, row + 1)]));
        let crossed = [[at(column, row), at(column + 1, row + 1)], [at(column + 1, row), at(column, row + 1)]];
        sticks.extend(crossed.into_iter().filter(|_| right && below));
    }
    let scene = setting([5.0, 30.0], G, [96, 1])
        + &format!(
            "[[points]]\nname = \"c\"\npositions = {places:?}\nmasses = [0.0005]\nfixed = [0, 19]\nsticks = {sticks:?}\n\
             damping = 1.0\nradius = 0.001\n"
        );
    for mode in ["shake", "xpbd"] {
        let run = Run::in_mode(&scene, mode);
        let ends: Vec<DVec3> = (0..400).map(|index| run.points(&format!("c/point {index}")).pop().unwrap()).collect();
        let length = |places: &[DVec3], [a, b]: [usize; 2]| places[a].distance(places[b]);
        let start: Vec<DVec3> = places.iter().map(|place| DVec3::from_array(*place)).collect();
        let strains: Vec<f64> =
            sticks.iter().map(|&stick| (length(&ends, stick) / length(&start, stick) - 1.0).abs()).collect();
        let (worst, mean) =
            (strains.iter().copied().fold(0.0, f64::max), strains.iter().sum::<f64>() / strains.len() as f64);
        assert!(worst <= 0.12 && mean <= 0.005, "{mode}: a strain of {worst}, of {mean} in the mean");
        // All of the energy in one point would be its speed.
        let speed = (2.0 * run.per_frame("kinetic_energy_j").pop().unwrap() / 0.0005).sqrt();
        assert!(speed < 1e-3, "{mode}: {speed} m/s");
    }
}

#[test]
fn j11_a_cloth_of_the_scene_hangs_from_two_corners_and_its_energy_is_that_of_rest() {
    // Substeps are those of the row. The kinetic energy is as if all of it moved at less than its speed.
    let shake = [[2, 19], [4, 12], [8, 19], [12, 19]].map(|case| ("shake", [60.0, 30.0], 1.0, case));
    let xpbd = ("xpbd", [60.0, 30.0], 1.0, [8, 19]);
    // Jakobsen takes one step a frame, and here a swing has the e⁻¹⁵ of its speed that the others have, in a third of the time.
    let jakobsen = ("jakobsen", [480.0, 10.0], 3.0, [1, 19]);
    for (mode, time, damping, [substeps, cells]) in shake.into_iter().chain([xpbd, jakobsen]) {
        let cloth = format!(
            "[[cloth]]\nname = \"c\"\ncolumns = {cells}\nrows = {cells}\nwidth = 1.0\ndepth = 1.0\nmass = 0.2\n\
             damping = {damping:?}\npins = [\"left_back\", \"right_back\"]\n"
        );
        let run = Run::in_mode(&(setting(time, G, [substeps, 1]) + &cloth), mode);
        let speed = (2.0 * run.per_frame("kinetic_energy_j").pop().unwrap() / 0.2).sqrt();
        let stretch = run.per_frame("stretch").pop().unwrap();
        assert!(speed < 1e-3 && stretch <= 0.12, "{mode}, {substeps}: {speed} m/s, a strain of {stretch}");
    }
}

#[test]
fn a_cloth_that_hangs_is_still_at_every_rate() {
    let cloth = |pins: &str| {
        format!(
            "[[cloth]]\nname = \"c\"\ncolumns = 19\nrows = 19\nwidth = 1.0\ndepth = 1.0\nmass = 0.2\ndamping = 2.0\n\
             pins = [{pins}]\n"
        )
    };
    let corners = "\"left_back\", \"right_back\"";
    for (rate, pins) in [(24.0, corners), (60.0, corners), (60.0, "\"back\""), (240.0, corners)] {
        // At rest there is no kinetic energy, and a swing has e⁻¹² of its speed by then.
        let run = Run::of(&(setting([rate, 12.0], G, [8, 1]) + &cloth(pins)), "particles");
        let speed = (2.0 * run.per_frame("kinetic_energy_j").pop().unwrap() / 0.2).sqrt();
        assert!(speed < 1e-3, "{rate} Hz, {pins}: {speed} m/s");
    }
}

#[test]
fn a_cloth_that_falls_over_a_ball_stretches_by_a_tenth_at_most() {
    // It turns around the ball at 4 m/s: four times its weight pulls at it.
    for aside in [0.0, 0.02, 0.04] {
        let scene = format!(
            "[scene]\nseconds = 0.75\nground = 0.0\n[[cloth]]\nname = \"cloth\"\nwidth = 1.6\ndepth = 1.6\ncolumns = 32\n\
             rows = 32\nposition = [{aside:?}, 1.35, 0.0]\nmass = 0.5\nthickness = 0.012\n[[obstacle]]\nname = \"ball\"\n\
             kind = \"sphere\"\nposition = [0.0, 0.6, 0.0]\nradius = 0.45\nfriction = 0.5\n"
        );
        let most = Run::of(&scene, "particles").most("stretch");
        assert!(most < 0.1, "{aside} m aside: {most}");
    }
}

#[test]
fn a_cloth_that_falls_on_anything_stretches_by_a_tenth_at_most_at_every_rate() {
    let cloth = |[width, depth]: [f64; 2], [columns, rows]: [u32; 2], mass: f64, height: f64| {
        format!(
            "[[cloth]]\nname = \"c\"\nwidth = {width:?}\ndepth = {depth:?}\ncolumns = {columns}\nrows = {rows}\nmass = {mass:?}\n\
             position = [0.03, {height:?}, -0.05]\nrotation = [0.12, 0.7, -0.2]\n"
        )
    };
    let ball = |radius: f64| format!("kind = \"sphere\"\nradius = {radius:?}\nposition = [0.0, {radius:?}, 0.0]\n");
    let capsule =
        "kind = \"capsule\"\nradius = 0.3\nlength = 1.2\nposition = [0.0, 0.6, 0.0]\nrotation = [0, 0.9, 0.9]\n";
    let cube = "kind = \"box\"\nsize = [0.6, 0.6, 0.6]\nposition = [0.0, 0.3, 0.0]\nrotation = [0, -0.8, 0]\n";
    let cases = [
        // The first lies on a ball and the ground within one frame, the second hangs over a small ball and stands on folds.
        (24.0, cloth([0.7, 0.7], [20, 20], 0.07, 0.9), ball(0.05)),
        (60.0, cloth([1.2, 1.2], [28, 28], 1.2, 0.8), ball(0.16)),
        (240.0, cloth([0.6, 0.6], [32, 32], 2.0, 0.5), ball(0.1)),
        // These slide off and meet the ground edge first.
        (50.0, cloth([0.6, 0.5], [26, 30], 0.13, 1.5), capsule.to_owned()),
        (120.0, cloth([0.7, 0.5], [24, 20], 0.05, 1.7), capsule.to_owned()),
        (90.0, cloth([1.4, 1.2], [28, 24], 0.5, 1.3), cube.to_owned()),
    ];
    for (rate, cloth, obstacle) in cases {
        let start = format!("[scene]\nseconds = 2.0\nrate = {rate:?}\nground = 0.0\n");
        let run = Run::of(&format!("{start}{cloth}[[obstacle]]\nname = \"o\"\n{obstacle}"), "particles");
        let (most, energies) = (run.most("stretch"), run.energies());
        assert!(most < 0.1, "{rate} Hz, {obstacle}: {most}");
        let gained = energies.iter().fold(0.0, |most: f64, energy| most.max(energy - energies[0]));
        assert!(gained <= 1e-6 * energies[0], "{rate} Hz, {obstacle}: {gained} J for nothing");
    }
}

#[test]
fn a_cloth_that_falls_has_the_speed_and_energy_of_a_fall() {
    let cloth = "[[cloth]]\nname = \"c\"\nmass = 0.2\ndamping = 0.0\npins = []\nvelocity = [1, 0, 0]\n";
    for substeps in [1_u32, 4, 8, 32] {
        let run = Run::in_mode(&(setting([60.0, 2.0], G, [substeps, 1]) + cloth), "shake");
        let h = 1.0 / 60.0 / f64::from(substeps);
        for (frame, momentum) in run.vectors("momentum_kgmps").iter().enumerate().skip(1) {
            // Half a substep ago.
            let exact = 0.2 * (DVec3::X + G * (frame as f64 / 60.0 - 0.5 * h));
            let error = momentum.distance(exact) / exact.length();
            assert!(error < 1e-5, "{substeps}, frame {frame}: {momentum} for {exact}, {error:e}");
        }
        let energies = run.energies();
        let error = energies.iter().map(|energy| (energy - energies[0]).abs()).fold(0.0, f64::max);
        // (g h)² m/8 of second order.
        assert!(error < 0.2 * (9.81 * h).powi(2) + 1e-5 * 39.0, "{substeps}: {error} J");
    }
}

#[test]
fn j14_support_sticks_stiffen_a_plant() {
    let sags = |support: u32| {
        // A weight to the side, whose work tells how far the plant gives way.
        let scene = setting([60.0, 5.0], DVec3::X * 0.5, [8, 1])
            + &format!(
                "[[plant]]\nname = \"p\"\nbranches = 0\nsupport = {support}\nbend_compliance = 0.05\ndamping = 4.0\n"
            );
        let energies = Run::in_mode(&scene, "shake").per_frame("potential_energy_j");
        energies[0] - energies[300]
    };
    let work: Vec<f64> = (3..=6).map(sags).collect();
    assert!(work.windows(2).all(|two| two[1] < 0.9 * two[0]) && work[3] > 0.0, "{work:?} J");
}

#[test]
fn j14_a_plant_takes_the_passes_of_its_scene_and_stands_by_four_of_jakobsen() {
    // In still air, with supports over the whole stalk. More passes leave less stretch.
    let run = |passes: u32| {
        let plant =
            "[[plant]]\nname = \"p\"\nheight = 0.7\nsegments = 5\nbranches = 4\nbranch = 0.3\nsupport = 6\nbend = 0\n";
        Run::in_mode(&(setting([120.0, 3.0], G, [64, passes]) + plant), "jakobsen")
    };
    let runs = [1, 2, 4].map(run);
    let stretch = runs.each_ref().map(|run| run.0["worst"]["stretch"]["value"].as_f64().unwrap());
    assert!(stretch.is_sorted_by(|a, b| a > b), "{stretch:?}");
    let heights = runs[2].per_frame("potential_energy_j");
    let least = heights.iter().copied().fold(f64::INFINITY, f64::min) / heights[0];
    assert!(least > 0.97, "{least} of its height is left");
    assert_eq!(runs[2].0["substeps"], 1);
}

#[test]
fn hexagons_have_six_neighbors_and_hang_from_their_corners() {
    let scene = |cells: &str, pins: &str| {
        setting([60.0, 0.5], G, [8, 2])
            + &format!(
                "[[cloth]]\nname = \"c\"\ncolumns = 6\nrows = 7\ndepth = 1.01\ncells = \"{cells}\"\npins = {pins}\n"
            )
    };
    // Rows of 7 points, every other with 6.
    for (cells, points) in [("squares", 7 * 8), ("hexagons", 4 * 7 + 4 * 6)] {
        let run = Run::in_mode(&scene(cells, "[\"right_back\", \"left_front\"]"), "shake");
        assert_eq!(run.0["particles"], points, "{cells}");
    }
    // Held along every edge, in weightlessness for what is inside, nothing moves.
    let held = scene("hexagons", "[\"left\", \"right\", \"back\", \"front\"]")
        .replace(&format!("gravity = {G}"), "gravity = [0, 0, 0]");
    let run = Run::in_mode(&held, "shake");
    assert!(run.per_frame("stretch").into_iter().all(|stretch| stretch < 1e-12));
}

#[test]
fn a_strip_that_stretches_hangs_as_far_as_its_threads_give_way() {
    // Rigid tethers to its pins held it, sticks across two low rows were taken for diagonals, and it fell asleep as it swung.
    // Two threads of n parts carry T_i = m g (n − i + ½)/n, so that the mass center falls by Σ α T_i²/(2 m g); diagonals of cells
    // as low as these carry a fiftieth.
    let (mass, rows) = (2.0, 10);
    let tension = |row: u32| mass * 9.81 * (f64::from(rows - row) + 0.5) / f64::from(rows);
    for compliance in [1e-3, 2.5e-4] {
        let fall = (1..=rows).map(|row| compliance * tension(row).powi(2) / (2.0 * mass * 9.81)).sum::<f64>();
        let scene = format!(
            "[scene]\nseconds = 10\n[[cloth]]\nname = \"strip\"\nwidth = 1.0\ndepth = 1.5\ncolumns = 1\nrows = {rows}\nmass = {mass}\n\
             damping = 1.5\nstretch_compliance = {compliance}\nrotation = [{}, 0, 0]\npins = [\"back\"]\n",
            std::f64::consts::FRAC_PI_2
        );
        let methods = ["particles", "multipliers", "displacement", "hennix"].map(|method| ["--method", method]);
        for option in methods.into_iter().chain([["--particle-mode", "shake"], ["--particle-mode", "xpbd"]]) {
            let heights = Run::with(&scene, option).0.per_frame("potential_energy_j");
            let fallen = (heights[0] - heights[heights.len() - 1]) / (mass * 9.81);
            assert!((fallen / fall - 1.0).abs() < 0.03, "{option:?}, {compliance} m/N: {fallen} for {fall} m");
        }
    }
}
