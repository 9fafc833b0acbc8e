//! Scenes that begin with overlaps, or with velocities that their joints forbid: nothing in them has a source of energy.

use crate::simulate_contact::Run;
use crate::simulate_robust::greatest;

const METHODS: [&str; 5] = ["particles", "shake", "multipliers", "displacement", "hennix"];
const CLOTH: &str = "[[cloth]]\nname = \"c\"\nwidth = 1.0\ndepth = 1.0\nmass = 0.3\n";

#[test]
fn a_box_that_pierces_a_cloth_is_not_thrown() {
    // Without gravity all of it is gained: 7 and 26 J. Half a kilogram that comes out at 1 m/s has a quarter of a joule.
    for rate in [30, 60] {
        let scene = format!(
            "[scene]\nseconds = 0.3\nrate = {rate}\ngravity = [0, 0, 0]\n[[box]]\nname = \"b\"\nsize = [0.2, 0.4, 0.5]\nmass = 0.25\n\
             position = [0.2, 1.4, 0.1]\nrotation = [1.1, -0.7, 1.4]\n{CLOTH}position = [0, 1.6, 0]\n"
        );
        for method in METHODS {
            let most = greatest(&Run::of(&scene, method).energies());
            assert!(most < 0.5, "{method}, {rate}: {most} J");
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
