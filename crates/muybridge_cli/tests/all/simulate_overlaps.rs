//! Scenes that begin with overlaps, or with velocities that their joints forbid: nothing in them has a source of energy.

use crate::simulate_contact::Run;
use crate::simulate_robust::greatest;

const METHODS: [&str; 5] = ["particles", "shake", "multipliers", "displacement", "hennix"];
const CLOTH: &str = "[[cloth]]\nname = \"c\"\nwidth = 1.0\ndepth = 1.0\nmass = 0.3\n";

#[test]
fn a_box_that_pierces_a_cloth_is_not_thrown() {
    // Without gravity all of it is gained: 7 and 26 J. Half a kilogram that comes out at 1 m/s has a quarter of a joule.
    for (rate, turn) in [(30, 1.1), (60, 1.1), (60, 0.4)] {
        let scene = format!(
            "[scene]\nseconds = 0.3\nrate = {rate}\ngravity = [0, 0, 0]\n[[box]]\nname = \"b\"\nsize = [0.2, 0.4, 0.5]\nmass = 0.25\n\
             position = [0.2, 1.4, 0.1]\nrotation = [{turn}, -0.7, 1.4]\n{CLOTH}position = [0, 1.6, 0]\n"
        );
        for method in METHODS {
            let most = greatest(&Run::of(&scene, method).energies());
            assert!(most < 0.5, "{method}, {rate}, {turn}: {most} J");
        }
    }
}

#[test]
fn a_cloth_that_begins_in_something_comes_out_without_being_thrown() {
    // Sticks pull it back as often as it is pushed out: 1.7 to 15 kJ. At the 2 m/s of a push, 0.3 kg have 0.6 J, 1.3 kg 2.6 J.
    let head = "[scene]\nseconds = 0.2\ngravity = [0, 0, 0]\n";
    let solids = [
        ("sphere", "ball", "radius = 0.23"),
        ("capsule", "capsule", "radius = 0.15\nlength = 0.3"),
        ("box", "box", "size = [0.4, 0.3, 0.35]"),
    ];
    for (kind, thing, size) in solids {
        let place = "position = [0.05, 0.3, -0.02]\n";
        let obstacle = format!("[[obstacle]]\nname = \"o\"\nkind = \"{kind}\"\n{size}\n{place}");
        let body = format!("[[{thing}]]\nname = \"o\"\nmass = 1.0\n{size}\n{place}");
        // A free capsule stays across the cloth, which it stretches, and gains up to 5 J: not mended. A free box takes ten seconds.
        let both = [(obstacle, 0.6), (body, 2.6)];
        for (solid, bound) in both.into_iter().take(if kind == "sphere" { 2 } else { 1 }) {
            let scene = format!("{head}{solid}{CLOTH}position = [0, 0.36, 0]\n");
            for method in ["particles", "multipliers", "displacement", "hennix"] {
                let most = greatest(&Run::of(&scene, method).energies());
                assert!(most < bound, "{method}: {most} J of\n{scene}");
            }
        }
    }
}

#[test]
fn a_box_in_the_ground_comes_out_without_speed() {
    // It was told to move with 1 m/s, the half of the speed at which it is lifted: 100 J.
    let scene = format!(
        "[scene]\nseconds = 0.3\ngravity = [0, 0, 0]\nground = 0.0\n[[box]]\nname = \"b\"\nsize = [0.3, 0.6, 0.3]\nmass = 200.0\n\
         position = [0, 0.1, 0]\n{CLOTH}position = [0, 5, 0]\n"
    );
    for method in METHODS {
        let run = Run::of(&scene, method);
        let (most, places) = (greatest(&run.energies()), run.points("b"));
        assert!(most < 1e-3, "{method}: {most} J");
        assert!(places[places.len() - 1].y > 0.29, "{method}: {places:?}");
    }
}

#[test]
fn what_begins_in_an_obstacle_and_rests_is_told_to_rest() {
    // What pushes it out does no work: without gravity the energy stays 0. 15 J were told of the ball between sphere and ground,
    // which comes out of one into the other, and 7 J of the capsule. 9 kg at 0.2 m/s have 0.18 J.
    let head = "[scene]\nseconds = 0.4\nrate = 60\nground = 0.0\ngravity = [0, 0, 0]\n";
    let sphere = "[[obstacle]]\nname = \"o\"\nkind = \"sphere\"\n";
    let ball = format!(
        "{head}{sphere}radius = 0.25\nposition = [0.1, 0.5, 0.05]\n[[ball]]\nname = \"b\"\nradius = 0.2\nmass = 9.0\n\
         position = [0, 0.12, 0]\n"
    );
    let capsule = format!(
        "{head}{sphere}radius = 0.35\nposition = [0, 0.6, 0]\n[[capsule]]\nname = \"b\"\nradius = 0.12\nlength = 0.5\n\
         mass = 40.0\nposition = [0.08, 0.6, 0.15]\n"
    );
    for scene in [ball, capsule] {
        for method in METHODS {
            let energies = Run::of(&scene, method).energies();
            assert!(greatest(&energies) < 0.18, "{method}: {energies:?}");
        }
    }
}

#[test]
fn joints_take_what_they_forbid_of_the_velocities_of_the_start() {
    // A cube of edge a, its pivot at d beside it, thrown across: the momentum m v d about the pivot stays, so that of
    // ½ m v² there remains d²/(d² + a²/6).
    let (mass, edge, away, speed) = (4.0, 0.3, 0.45, 6.0);
    let kept = 0.5 * mass * speed * speed * away * away / (away * away + edge * edge / 6.0);
    for kind in ["ball", "hinge", "fixed"] {
        let axis = if kind == "hinge" { "axis = [0, 0, 1]\n" } else { "" };
        let scene = format!(
            "[scene]\nseconds = 0.5\ngravity = [0, 0, 0]\n[[box]]\nname = \"b\"\nsize = [{edge}, {edge}, {edge}]\nmass = {mass:?}\n\
             position = [{away}, 0, 0]\nvelocity = [0, {speed:?}, 0]\n[[joint]]\nname = \"j\"\nkind = \"{kind}\"\nof = \"b\"\n\
             at = [0, 0, 0]\n{axis}"
        );
        let wanted = if kind == "fixed" { 0.0 } else { kept };
        for method in ["multipliers", "hennix"] {
            let run = Run::of(&scene, method);
            let gap = greatest(&run.per_frame("gap_m"));
            assert!(gap < 1e-4, "{method}, {kind}: {gap} m");
            for now in &run.energies()[1..] {
                assert!((now - wanted).abs() < 2e-4 * kept, "{method}, {kind}: {now} J, not {wanted} J");
            }
        }
    }
}

#[test]
fn a_body_whose_joint_is_far_from_it_gains_nothing_from_a_velocity_that_the_joint_forbids() {
    // A cloth elsewhere makes particles of the body. The joint takes a part of the velocity; 10371 J became 20831 J.
    let scene = format!(
        "[scene]\nseconds = 0.2\n[[box]]\nname = \"b\"\nsize = [0.428, 0.453, 0.07]\nmass = 316.0\nposition = [0.13, 1.29, -0.1]\n\
         rotation = [0.979, 0.985, -1.27]\nvelocity = [3.49, 3.42, -4.05]\n[[joint]]\nname = \"j\"\nkind = \"ball\"\nof = \"b\"\n\
         at = [-0.3, 0.41, 0.1]\n{CLOTH}position = [0, 5, 0]\n"
    );
    for method in METHODS {
        let energies = Run::of(&scene, method).energies();
        assert!(greatest(&energies) < energies[0] + 1.0, "{method}: {energies:?}");
    }
}
