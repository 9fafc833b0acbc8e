//! Rows about displacement constraints and steps that vary, by the program on a scene.

use muybridge::glam::{DQuat, DVec3};

use crate::simulate_contact::Run;

const VARIANTS: [&str; 3] = ["block", "lamouret", "skeleton"];

/// The beginning of a scene without gravity in which a frame is one substep.
fn head([rate, seconds]: [f64; 2], keys: &str) -> String {
    format!(
        "[scene]\nrate = {rate:?}\nseconds = {seconds:?}\ngravity = [0, 0, 0]\n[solver]\nframes_before_sleep = 0\n\
         [solver.rigid]\nsubsteps = 1\nmost_turn = 12.0\n{keys}\n"
    )
}

/// Vectors from −1 to 1, spread evenly.
fn spread(n: u32) -> DVec3 {
    DVec3::new(0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9).map(|a| 2.0 * (f64::from(n + 1) * a).fract() - 1.0)
}

/// A rod of 1 m and 1 kg along x from a place, joined to the one before.
fn rod(name: &str, from: DVec3, [velocity, spin]: [DVec3; 2], to: &str) -> String {
    let center = from + 0.5 * DVec3::X;
    let joint = format!("[[joint]]\nname = \"j {name}\"\nof = \"{name}\"\nat = {from}\n{to}");
    format!(
        "[[box]]\nname = \"{name}\"\nsize = [1, 0.05, 0.05]\nmass = 1.0\nposition = {center}\nvelocity = {velocity}\n\
         spin = {spin}\n{}",
        if to == "free" { String::new() } else { joint }
    )
}

/// Twelve chains of six rods; the first of every other hangs from the world.
fn chains(speed: f64, spin: f64) -> String {
    let mut scene = String::new();
    for chain in 0..12_u32 {
        for link in 0..6_u32 {
            let from = DVec3::new(f64::from(link), 3.0 * f64::from(chain), 0.0);
            let seed = 100 * chain + 7 * link;
            let moves = [spread(seed).normalize() * speed, spread(seed + 3).normalize() * spin];
            let to = match (link, chain % 2) {
                (0, 0) => String::new(),
                (0, _) => "free".into(),
                _ => format!("to = \"{chain} {}\"\n", link - 1),
            };
            scene += &rod(&format!("{chain} {link}"), from, moves, &to);
        }
    }
    scene
}

#[test]
fn z17_a_pair_is_satisfied_in_one_pass_and_arms_in_two() {
    // A gap of 1 cm: by translation alone it is closed at once.
    let [u, v] = [spread(1), spread(2)];
    let ball = |name: &str, velocity: DVec3, mass: f64| {
        format!(
            "[[ball]]\nname = \"{name}\"\nradius = 0.1\nmass = {mass:?}\nposition = [0.1, 0.2, 0.3]\nvelocity = {velocity}\n"
        )
    };
    let pair = ball("a", u, 1.0)
        + &ball("b", v, 3.0)
        + "[[joint]]\nname = \"j\"\nof = \"a\"\nto = \"b\"\nat = [0.1, 0.2, 0.3]\n";
    for variant in ["block", "lamouret"] {
        let keys = format!("displacement = \"{variant}\"\ndisplacement_tolerance = 1e-12\n");
        let run = Run::of(&(head([60.0, 0.05], &keys) + &pair), "displacement");
        assert_eq!(run.work("passes")[1], 1, "{variant}");
        assert!(run.per_frame("gap_m").into_iter().all(|gap| gap <= 1e-15), "{variant}: {:?}", run.per_frame("gap_m"));
    }
    // Two rods that part by 1 cm where they are joined, askew to both.
    let away = DVec3::new(0.5, 0.3, 0.2).normalize() * 0.6;
    let rods =
        rod("a", DVec3::NEG_X, [DVec3::ZERO; 2], "free") + &rod("b", DVec3::ZERO, [away, DVec3::ZERO], "to = \"a\"\n");
    for (tolerance, passes, most) in [(1e-4, 1, 2e-5), (1e-7, 2, 1e-10)] {
        let keys = format!("displacement_tolerance = {tolerance:?}\n");
        let run = Run::of(&(head([60.0, 0.02], &keys) + &rods), "displacement");
        assert_eq!(run.work("passes")[1], passes);
        let gap = run.per_frame("gap_m")[1];
        assert!(gap <= most && gap > 0.0, "{passes} passes: {gap} m");
        let momenta = run.vectors("momentum_kgmps");
        assert!(momenta[1].distance(momenta[0]) < 1e-12, "{momenta:?}");
    }
}

#[test]
fn z19_an_orientation_is_met_in_one_step_and_the_place_stays() {
    for n in 0..8 {
        let scene = head([60.0, 0.02], "")
            + &format!(
                "[[box]]\nname = \"b\"\nsize = [0.3, 0.4, 0.5]\nposition = [0.3, 0.2, 0.1]\nrotation = {}\nspin = {}\n\
                 [[joint]]\nname = \"j\"\nkind = \"generic\"\nof = \"b\"\nat = [0.3, 0.2, 0.1]\n\
                 locked = [\"turn_x\", \"turn_y\", \"turn_z\"]\n",
                spread(n),
                5.0 * spread(n + 20)
            );
        // A body that displacement turns in its first pass needs none after it.
        for method in ["multipliers", "displacement"] {
            let run = Run::of(&scene, method);
            let turns = run.turns("b");
            let left = 2.0 * (turns[1] * turns[0].conjugate()).xyz().length();
            assert!(left <= 1e-12, "{method}, {n}: {left} rad");
            assert_eq!(run.points("b")[1], run.points("b")[0], "{method}, {n}");
            assert!(method != "displacement" || run.work("passes")[1] == 1, "{n}: {:?}", run.work("passes"));
        }
    }
}

#[test]
fn z22_a_disturbed_chain_of_six_rods_is_closed_within_100_60_and_3_passes() {
    // In the first frame every rod goes 5 mm and turns by 0.05 rad as it likes.
    for (variant, most) in [("lamouret", 100), ("block", 60), ("skeleton", 3)] {
        let keys = format!("displacement = \"{variant}\"\ndisplacement_tolerance = 1e-4\n");
        let run = Run::of(&(head([60.0, 0.02], &keys) + &chains(0.3, 3.0)), "displacement");
        let (passes, gap) = (run.work("passes")[1], run.per_frame("gap_m")[1]);
        assert!((1..=most).contains(&passes), "{variant}: {passes} passes");
        assert!(gap > 0.0 && gap <= 1e-4, "{variant}: {gap} m");
    }
}

#[test]
fn z23_joints_that_hold_are_left_as_they_are_to_the_bit() {
    for variant in VARIANTS {
        // Damping of 1000 1/s leaves nothing of any velocity.
        let keys = format!("displacement = \"{variant}\"\n");
        let scene = head([60.0, 1.5], &keys) + &chains(0.3, 3.0).replace("mass = 1.0", "mass = 1.0\ndamping = 1000.0");
        let run = Run::of(&scene, "displacement");
        let passes = run.work("passes");
        assert!(passes[1] > 0 && passes[60..].iter().all(|passes| *passes == 0), "{variant}: {passes:?}");
        for chain in 0..12 {
            for link in 0..6 {
                let (places, turns) = (run.places(&format!("{chain} {link}")), run.turns(&format!("{chain} {link}")));
                assert!(places[60..].windows(2).all(|two| two[0] == two[1]), "{variant}: {chain} {link} moves");
                assert!(turns[60..].windows(2).all(|two| two[0] == two[1]), "{variant}: {chain} {link} turns");
            }
        }
    }
}

/// Slopes of the outer and inner of four rods between two points 3 m apart, radians. The inner rods carry half a weight at
/// the middle, the outer three halves, and all share the horizontal pull H: tan θ = W/2H and 3W/2H, cos θ1 + cos θ2 = 3/2.
fn slopes() -> [f64; 2] {
    let width = |pull: f64| [1.5 / pull, 0.5 / pull].map(|t: f64| 1.0 / (1.0 + t * t).sqrt()).iter().sum::<f64>();
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if width(middle) < 1.5 { low = middle } else { high = middle }
    }
    [1.5 / low, 0.5 / low].map(f64::atan)
}

#[test]
fn z25_displacement_multipliers_and_the_closed_form_hang_a_chain_the_same_way() {
    // The rods begin with equal slopes.
    let slope = 0.75_f64.acos();
    let (mut bodies, mut from) = (String::new(), DVec3::ZERO);
    for (index, angle) in [-slope, -slope, slope, slope].into_iter().enumerate() {
        let along = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let to = if index == 0 { String::new() } else { format!("to = \"{}\"\n", index - 1) };
        bodies += &format!(
            "[[box]]\nname = \"{index}\"\nsize = [1, 0.05, 0.05]\nposition = {}\nrotation = [0, 0, {angle:?}]\ndamping = 3.0\n\
             [[joint]]\nname = \"j{index}\"\nof = \"{index}\"\nat = {from}\n{to}",
            from + 0.5 * along
        );
        from += along;
    }
    bodies += &format!("[[joint]]\nname = \"end\"\nof = \"3\"\nat = {from}\n");
    let scene = head([50.0, 40.0], "displacement_tolerance = 1e-12\njoint_tolerance = 1e-12\n")
        .replace("[0, 0, 0]", "[0, -9.81, 0]")
        + &bodies;
    let [outer, inner] = slopes();
    let (mut wanted, mut from) = (Vec::new(), DVec3::ZERO);
    for angle in [-outer, -inner, inner, outer] {
        let along = DVec3::new(angle.cos(), angle.sin(), 0.0);
        wanted.push(from + 0.5 * along);
        from += along;
    }
    let ends = |scene: &str, method: &str| -> Vec<DVec3> {
        let run = Run::of(scene, method);
        (0..4).map(|index| run.points(&index.to_string()).pop().unwrap()).collect()
    };
    let apart = |a: &[DVec3], b: &[DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let [multipliers, hennix] = ["multipliers", "hennix"].map(|method| ends(&scene, method));
    for variant in ["block", "skeleton"] {
        let scene = scene.replace("displacement_tol", &format!("displacement = \"{variant}\"\ndisplacement_tol"));
        let displaced = ends(&scene, "displacement");
        for (found, name) in [(&displaced, variant), (&multipliers, "multipliers"), (&hennix, "hennix")] {
            assert!(apart(found, &wanted) < 1e-6, "{name}: {} m beside the closed form", apart(found, &wanted));
        }
        assert!(apart(&displaced, &multipliers) < 1e-12, "{variant}: {} m apart", apart(&displaced, &multipliers));
    }
}

/// A box with its own moments, at a place of its own.
fn brick(n: u32, keys: &str) -> String {
    format!(
        "[[box]]\nname = \"{n}\"\nsize = [0.3, 0.4, 0.5]\nmass = 2.0\nposition = [{:?}, 0, 0]\nrotation = {}\n{keys}\n",
        4.0 * f64::from(n),
        spread(n)
    )
}

fn action(n: u32, kind: &str, [alpha, beta]: [f64; 2], keys: &str) -> String {
    format!(
        "[[action]]\nname = \"{kind} {n}\"\nkind = \"{kind}\"\non = \"{n}\"\nposition_gain = {alpha:?}\n\
         velocity_gain = {beta:?}\nuntil = \"cancelled\"\n{keys}\n"
    )
}

/// Angle between two orientations, radians.
fn between(a: DQuat, b: DQuat) -> f64 {
    2.0 * (a * b.conjugate()).xyz().length()
}

const SOURCE: &str = "integrator = \"ziauddin\"\n";

#[test]
fn z9_any_orientation_is_reached_in_one_step_about_any_axis() {
    let turn = |n: u32| 2.0 * spread(n + 30);
    let mut scene = head([60.0, 0.02], SOURCE);
    for n in 0..8 {
        let spin = format!("spin = {}", 3.0 * spread(n + 60));
        let one = [1.0, 1.0 - 0.5 * f64::EPSILON];
        scene += &(brick(n, &spin) + &action(n, "turn_to", one, &format!("turn = {}", turn(n))));
    }
    for method in ["multipliers", "displacement", "hennix"] {
        let run = Run::of(&scene, method);
        for n in 0..8 {
            let turns = run.turns(&n.to_string());
            let left = between(DQuat::from_scaled_axis(turn(n)) * turns[0], turns[1]);
            assert!(left < 1e-12, "{method}, {n}: {left} rad");
        }
    }
}

#[test]
fn z11_place_and_orientation_are_met_together() {
    // At rest, and all about one axis: two steps. Otherwise 32.
    let mut scene = head([60.0, 0.6], SOURCE);
    let goal = |n: u32| [DVec3::X * (4.0 * f64::from(n)) + spread(n + 10), 0.8 * spread(n + 30)];
    for n in 0..8 {
        let moves = if n < 4 {
            String::new()
        } else {
            format!("velocity = {}\nspin = {}", spread(n + 60), 2.0 * spread(n + 70))
        };
        let [to, turn] = goal(n);
        scene += &(brick(n, &moves) + &action(n, "align", [0.5, 0.75], &format!("to = {to}\nturn = {turn}")));
    }
    for method in ["multipliers", "displacement", "hennix"] {
        let run = Run::of(&scene, method);
        for n in 0..8 {
            let (turns, places) = (run.turns(&n.to_string()), run.points(&n.to_string()));
            let [to, turn] = goal(n);
            for frame in (if n < 4 { 2 } else { 32 })..turns.len() {
                let left = between(DQuat::from_scaled_axis(turn) * turns[0], turns[frame]);
                let off = places[frame].distance(to);
                assert!(left < 1e-9 && off < 1e-9, "{method}, {n}, {frame}: {left} rad, {off} m");
            }
        }
    }
}

#[test]
fn h21_a_variable_step_is_as_long_as_its_tolerance_says() {
    // Euler and Heun differ by ½ h² g in a fall: h = 0.9 √(2 tolerance/g), between 0.0001 and 0.03 s.
    let velocity = DVec3::new(3.0, 8.0, -1.0);
    let start = format!("velocity = {velocity}\nspin = [0.01, 0, 0]");
    for (tolerance, step) in
        [(1e-4, 0.9 * (2e-4_f64 / 9.81).sqrt()), (1e-3, 0.9 * (2e-3_f64 / 9.81).sqrt()), (1.0, 0.03), (1e-12, 1e-4)]
    {
        let scene = head([5.0, 1.6], &format!("step_tolerance = {tolerance:?}\n"))
            .replace("[0, 0, 0]", "[0, -9.81, 0]")
            + &brick(0, &start);
        for method in ["multipliers", "displacement", "hennix"] {
            let run = Run::of(&scene, method);
            for (place, frame) in run.points("0").into_iter().zip(0..) {
                let time = f64::from(frame) / 5.0;
                let off = place.distance(velocity * time - DVec3::Y * (0.5 * 9.81 * time * time));
                assert!(off < 1e-9, "{method}, {tolerance}, {time} s: {off} m");
            }
            let (substeps, wanted) = (run.work("substeps")[2] as f64, (0.2 / step).ceil());
            assert!((substeps - wanted).abs() <= 1.0, "{method}, {tolerance}: {substeps}, not {wanted}");
        }
    }
    // They are shorter where it turns fast.
    let count = |spin: f64, tolerance: f64| {
        let keys = format!("step_tolerance = {tolerance:?}\n");
        let scene =
            head([5.0, 1.0], &keys).replace("substeps = 1", "substeps = 200").replace("[0, 0, 0]", "[0, -9.81, 0]")
                + &brick(0, &format!("spin = [0, {spin:?}, {spin:?}]"));
        Run::of(&scene, "multipliers").work("substeps")[3]
    };
    let (calm, fast) = (count(0.0, 1e-3), count(20.0, 1e-3));
    assert!((15..=22).contains(&calm) && fast > 2 * calm, "{calm} and {fast} substeps");
}
