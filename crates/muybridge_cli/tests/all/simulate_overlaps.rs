//! Scenes that begin with overlaps, or with velocities that their joints forbid: nothing in them has a source of energy.

use crate::simulate_contact::Run;
use crate::simulate_robust::greatest;

const METHODS: [&str; 5] = ["particles", "shake", "multipliers", "displacement", "hennix"];
const CLOTH: &str = "[[cloth]]\nname = \"c\"\nwidth = 1.0\ndepth = 1.0\nmass = 0.3\n";

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
