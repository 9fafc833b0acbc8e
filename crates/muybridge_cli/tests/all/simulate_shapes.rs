//! One physical scene said with several shapes: a floor is a half-space, box, hull, room, height field, mesh or a fixed body; a box
//! is a box or a closed mesh. The motion is the same.

use muybridge::glam::DVec3;

use crate::program::Folder;
use crate::simulate_contact::Run;

const SOLVERS: [&str; 5] = ["particles", "shake", "multipliers", "displacement", "hennix"];

/// Closed mesh of a box between two corners.
fn cuboid([x, y, z]: [f64; 3]) -> String {
    let mut text = String::new();
    for i in 0..8 {
        let side = |bit: i32, half: f64| if i >> bit & 1 == 0 { -half } else { half };
        text += &format!("v {} {} {}\n", side(2, x / 2.0), side(1, y / 2.0), side(0, z / 2.0));
    }
    text + "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
}

/// Flat open mesh of a grid of squares of a meter, which two triangles each fill.
fn grid(count: usize) -> String {
    let mut text = String::new();
    for i in 0..=count {
        for j in 0..=count {
            text += &format!("v {} 0 {}\n", i as f64 - count as f64 / 2.0, j as f64 - count as f64 / 2.0);
        }
    }
    let corner = |i: usize, j: usize| i * (count + 1) + j + 1;
    for (i, j) in (0..count * count).map(|cell| (cell / count, cell % count)) {
        let (a, b, c, d) = (corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j));
        text += &format!("f {a} {b} {c}\nf {a} {c} {d}\n");
    }
    text
}

/// Floors at height 0 as obstacles, and last as a body that a joint holds.
fn floors(friction: f64) -> Vec<String> {
    let heights = vec!["0"; 625].join(", ");
    let shapes = [
        "kind = \"half_space\"".to_owned(),
        "kind = \"box\"\nsize = [24, 1, 24]\nposition = [0, -0.5, 0]".to_owned(),
        "kind = \"hull\"\npoints = [[-12, -1, -12], [12, -1, -12], [-12, 0, -12], [12, 0, -12], [-12, -1, 12], [12, -1, 12], [-12, 0, 12], [12, 0, 12]]".to_owned(),
        "kind = \"room\"\nsize = [24, 24, 24]\nposition = [0, 12, 0]".to_owned(),
        format!("kind = \"height_field\"\nsize = [24, 1, 24]\ncolumns = 25\nheights = [{heights}]"),
        "kind = \"mesh\"\nmesh = \"grid.obj\"".to_owned(),
        "kind = \"mesh\"\nmesh = \"slab.obj\"\nposition = [0, -0.5, 0]".to_owned(),
    ];
    let obstacle =
        |shape: &String| format!("[[obstacle]]\nname = \"f\"\n{shape}\nfriction = {friction}\nrestitution = 0\n");
    let held = format!(
        "[[box]]\nname = \"f\"\nsize = [24, 1, 24]\nposition = [0, -0.5, 0]\nmass = 1e6\nfriction = {friction}\nrestitution = 0\n\
         [[joint]]\nname = \"j\"\nkind = \"fixed\"\nof = \"f\"\nat = [0, -0.5, 0]\n"
    );
    shapes.iter().map(obstacle).chain([held]).collect()
}

#[test]
fn a_floor_is_the_same_floor_in_every_shape() {
    let folder = Folder::new();
    folder.file("grid.obj", &grid(24));
    folder.file("slab.obj", &cuboid([24.0, 1.0, 24.0]));
    folder.file("block.obj", &cuboid([0.4, 0.2, 0.3]));
    let (block, meshed) = ("[[box]]\nsize = [0.4, 0.2, 0.3]\n", "[[body]]\nmesh = \"block.obj\"\n");
    let (ball, capsule) = ("[[ball]]\nradius = 0.15\n", "[[capsule]]\nradius = 0.1\nlength = 0.4\n");
    let lying = "rotation = [0, 0, 1.5707963267948966]\n";
    let cases = [
        ("rests", &[block, meshed][..], "position = [0, 0.1, 0]\n", 0.5),
        ("falls", &[block, meshed], "position = [0.1, 0.5, 0.2]\nrestitution = 0\n", 0.5),
        ("bounces", &[block, meshed], "position = [0.1, 1.0, 0.2]\nrestitution = 0.6\n", 0.5),
        ("slides", &[block, meshed], "position = [0, 0.1, 0]\nvelocity = [2, 0, 0]\nrotation = [0, 0.3, 0]\n", 0.3),
        ("rolls", &[ball], "position = [0, 0.15, 0]\nvelocity = [2, 0, 0]\n", 0.4),
        ("spins", &[ball], "position = [0, 0.8, 0]\nvelocity = [1, 0, 0.3]\nspin = [0, 2, 5]\nrestitution = 0\n", 0.4),
        ("slides along", &[capsule], &format!("position = [0, 0.1, 0]\nvelocity = [2, 0, 0]\n{lying}"), 0.4),
        ("rolls", &[capsule], &format!("position = [0, 0.1, 0]\nvelocity = [0, 0, 2]\n{lying}"), 0.4),
    ];
    for (does, shapes, motion, friction) in cases {
        for method in SOLVERS {
            let mut first: Option<Vec<DVec3>> = None;
            let floors = floors(friction);
            for (index, floor) in floors.iter().enumerate() {
                for shape in shapes {
                    let scene = format!(
                        "[scene]\nseconds = 1.2\n{shape}name = \"b\"\nmass = 2\nfriction = {friction}\n{motion}{floor}"
                    );
                    let points = Run::beside(&folder, &scene, method).points("b");
                    let first = first.get_or_insert_with(|| points.clone());
                    let off = points.iter().zip(&*first).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
                    let is_held = index + 1 == floors.len();
                    let most = match (is_held, method) {
                        (false, "shake") => 5e-4,
                        (false, _) => 2e-4,
                        // A joint of particles gives way by millimeters while something bounces on it.
                        (true, "shake") => continue,
                        // Near joints it takes shorter substeps: it may meet the floor, at 4.2 m/s at most, and leave it with 0.6 of
                        // that a 240th of a second later.
                        (true, "hennix") => 4.2 * 1.6 / 240.0,
                        // Near joints all substeps are taken, elsewhere a calm body takes one a frame, in which friction starts by
                        // μ g h² later.
                        (true, _) => 0.5 * 9.81 / 3600.0,
                    };
                    assert!(off < most, "{method}, {shape} {does}: {off} m on {floor}");
                }
            }
        }
    }
}

#[test]
fn a_capsule_lies_in_the_gap_between_two_edges() {
    // Between edges that are d apart, the axis of a capsule of radius r lies √(r² − d²/4) above them.
    let (radius, apart) = (0.13_f64, 0.16);
    let height = (radius * radius - apart * apart / 4.0).sqrt();
    let folder = Folder::new();
    folder.file("plank.obj", &cuboid([0.7, 0.3, 1.4]));
    let place = |side: f64| side * (0.35 + 0.5 * apart);
    let hull = |side: f64| {
        let corner =
            |i: u32| [0, 1, 2].map(|bit| [-0.35, -0.15, -0.7][bit] * if i >> bit & 1 == 0 { 1.0 } else { -1.0 });
        format!(
            "kind = \"hull\"\npoints = {:?}\nposition = [{}, -0.15, 0]",
            (0..8).map(corner).collect::<Vec<_>>(),
            place(side)
        )
    };
    let solid = |side: f64| format!("kind = \"box\"\nsize = [0.7, 0.3, 1.4]\nposition = [{}, -0.15, 0]", place(side));
    let mesh = |side: f64| format!("kind = \"mesh\"\nmesh = \"plank.obj\"\nposition = [{}, -0.15, 0]", place(side));
    let pairs: [&dyn Fn(f64) -> String; 3] = [&solid, &hull, &mesh];
    for (index, edge) in pairs.iter().enumerate() {
        for yaw in [0.0, 0.01] {
            let obstacle = |side: f64| format!("[[obstacle]]\nname = \"at {side}\"\n{}\n", edge(side));
            let scene = format!(
                "[scene]\nseconds = 3.0\n[[capsule]]\nname = \"c\"\nradius = {radius}\nlength = 0.5\nposition = [0.003, 0.2, 0]\n\
                 rotation = [{}, {yaw}, 0]\nrestitution = 0\n{}{}",
                std::f64::consts::FRAC_PI_2,
                obstacle(-1.0),
                obstacle(1.0)
            );
            for method in SOLVERS.into_iter().filter(|method| *method != "shake") {
                let run = Run::beside(&folder, &scene, method);
                let at = *run.points("c").last().unwrap();
                let asleep = *run.per_frame("asleep").last().unwrap();
                let case = format!("{method}, edges {index}, turned by {yaw}");
                assert!((at.y - height).abs() < 1e-3 && asleep == 1.0, "{case}: {at}, of {height}; {asleep}");
            }
        }
    }
}

#[test]
fn a_belt_takes_along_what_lies_on_it_as_coulomb_says() {
    for (rate, speed, friction, turn) in
        [(24, 2.1, 0.3, 0.4_f64), (30, 0.85, 0.28, 2.0), (60, 3.0, 0.7, -1.1), (120, 1.2, 0.2, 0.0)]
    {
        let (x, z) = (speed * turn.cos(), speed * turn.sin());
        let scene = format!(
            "[scene]\nrate = {rate}\nseconds = 1.0\n[[obstacle]]\nname = \"belt\"\nkind = \"box\"\nsize = [60, 0.2, 60]\n\
             position = [0, -0.1, 0]\nvelocity = [{x}, 0, {z}]\nfriction = {friction}\n[[box]]\nname = \"b\"\nsize = [0.4, 0.1, 0.3]\n\
             position = [0, 0.05, 0]\nrotation = [0, 0.7, 0]\nfriction = {friction}\nrestitution = 0\n"
        );
        let slips = (speed / (friction * 9.81)).min(1.0);
        let exact = 0.5 * friction * 9.81 * slips * slips + (1.0 - slips) * speed;
        for method in ["particles", "multipliers", "displacement", "hennix"] {
            let run = Run::of(&scene, method);
            let places = run.points("b");
            let way = places[places.len() - 1] - places[0];
            let off = way.distance(DVec3::new(x, 0.0, z) * (exact / speed));
            assert!(off < 2e-3 * exact, "{method}, {rate} Hz: {way}, {exact} m");
        }
    }
}

#[test]
fn a_box_on_a_turntable_stays_on_its_circle_as_long_as_friction_holds_it() {
    for (rate, radius, friction, share) in [(30, 0.25, 0.5, 0.5), (60, 1.4, 0.8, 0.6), (120, 0.24, 0.51, 0.47)] {
        let spin = f64::sqrt(share * friction * 9.81 / radius);
        let scene = format!(
            "[scene]\nrate = {rate}\nseconds = 4.0\n[[obstacle]]\nname = \"table\"\nkind = \"box\"\nsize = [8, 0.2, 8]\n\
             position = [0, -0.1, 0]\nspin = [0, {spin}, 0]\nfriction = {friction}\n[[box]]\nname = \"b\"\nsize = [0.2, 0.1, 0.2]\n\
             position = [{radius}, 0.05, 0]\nvelocity = [0, 0, {}]\nspin = [0, {spin}, 0]\nfriction = {friction}\nrestitution = 0\n",
            -spin * radius
        );
        for method in ["particles", "multipliers", "displacement", "hennix"] {
            for place in Run::of(&scene, method).points("b") {
                let off = place.x.hypot(place.z) / radius - 1.0;
                assert!(off.abs() < 1e-3, "{method}, {rate} Hz: {off} of {radius} m");
            }
        }
    }
}

#[test]
fn things_among_sharp_peaks_and_ridges_are_told_to_be_in_nothing() {
    // What stood in front of one side of a ridge was under the ground for the other, by up to 0.7 m, and was pushed through.
    let things = [
        "[[box]]\nsize = [0.5, 0.3, 0.4]",
        "[[capsule]]\nradius = 0.1\nlength = 0.5",
        "[[box]]\nsize = [0.2, 0.6, 0.2]",
        "[[ball]]\nradius = 0.2",
    ];
    for k in 0..6 {
        let height = |cell: usize| {
            let (i, j) = (cell % 8, cell / 8);
            ["0", "2.1", "0.4", "3", "1.2"][(3 * i + (2 + k) * j + (k + 1) * i * j) % 5]
        };
        let heights: Vec<&str> = (0..64).map(height).collect();
        let mut scene = format!(
            "[scene]\nseconds = 3\n[[obstacle]]\nname = \"rocks\"\nkind = \"height_field\"\nsize = [7, 1, 7]\ncolumns = 8\nheights = [{}]\n",
            heights.join(", ")
        );
        for (i, thing) in things.into_iter().enumerate() {
            let (i, k) = (i as f64, k as f64);
            scene += &format!(
                "{thing}\nname = \"b{i}\"\nposition = [{}, 3.6, {}]\nrotation = [{}, 0.5, {}]\n",
                0.9 * i - 1.3,
                0.4 * k - 1.0 + 0.3 * i,
                0.4 * i - 0.3 * k,
                0.3 * k
            );
        }
        for method in SOLVERS {
            let depths = Run::of(&scene, method).per_frame("penetration_m");
            let deepest = depths.iter().copied().fold(0.0, f64::max);
            assert!(deepest < 0.01, "{method}: {deepest} of\n{scene}");
        }
    }
}
