//! Rows about triangles, limbs and angles made by hand, by the program on a scene.

use std::fmt::Write as _;

use muybridge::glam::{DMat3, DQuat, DVec3};

use crate::program::{Folder, muybridge};
use crate::simulate_contact::Run;

const MODES: [&str; 4] = ["shake", "xpbd", "jakobsen", "rosen"];
const G: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// The beginning of a scene of particles in which nothing sleeps.
fn setting([rate, seconds]: [f64; 2], gravity: DVec3, [substeps, iterations]: [u32; 2]) -> String {
    format!(
        "[scene]\nrate = {rate:?}\nseconds = {seconds:?}\ngravity = {gravity}\n[solver]\nframes_before_sleep = 0\n\
         [solver.particles]\nsubsteps = {substeps}\nconstraint_iterations = {iterations}\n"
    )
}

fn lists(vectors: &[DVec3]) -> String {
    format!("{:?}", vectors.iter().map(|vector| vector.to_array()).collect::<Vec<_>>())
}

/// Velocities of points that turn about their mass center.
fn turning(places: &[DVec3], masses: &[f64], spin: DVec3) -> Vec<DVec3> {
    let mass: f64 = masses.iter().sum();
    let center = places.iter().zip(masses).map(|(place, mass)| *place * *mass).sum::<DVec3>() / mass;
    places.iter().map(|place| spin.cross(*place - center)).collect()
}

/// Deviation of a matrix from a rotation: of its determinant from 1, and of its product with its transpose from the unit.
fn off_rotation(matrix: DMat3) -> f64 {
    let product = (matrix.transpose() * matrix - DMat3::IDENTITY).to_cols_array();
    product.into_iter().map(f64::abs).fold((matrix.determinant() - 1.0).abs(), f64::max)
}

/// Angle of a rotation, radians.
fn angle(turn: DQuat) -> f64 {
    2.0 * turn.xyz().length().atan2(turn.w.abs())
}

#[test]
fn r2_gravity_as_a_displacement_per_frame_is_another_acceleration_at_every_rate() {
    for rate in [30.0, 60.0, 120.0] {
        let scene = setting([rate, 20.0 / rate], DVec3::NEG_Y * 0.01, [1, 1])
            + "gravity_is = \"displacement_per_frame\"\n[[points]]\nname = \"p\"\npositions = [[0, 0, 0]]\n";
        for mode in MODES {
            let run = Run::in_mode(&scene, mode);
            for three in run.points("p").windows(3) {
                let bend = three[2].y - 2.0 * three[1].y + three[0].y;
                assert!((bend + 0.01).abs() < 1e-13, "{mode}, {rate} Hz: {bend}");
            }
            // At 60 Hz 36 units/s²: the energy of a kilogram that has fallen by y is −36 y.
            let energies = run.per_frame("potential_energy_j");
            let wanted = 0.01 * rate * rate * run.points("p")[9].y;
            assert!((energies[10] - wanted).abs() < 1e-9, "{mode}, {rate} Hz: {} J, not {wanted}", energies[10]);
        }
    }
}

#[test]
fn r7_a_triangle_of_three_points_has_a_full_orientation() {
    let places = [DVec3::ZERO, DVec3::new(0.6, 0.1, 0.0), DVec3::new(0.2, 0.5, 0.3)];
    let masses = [1.0, 2.0, 0.5];
    let scene = setting([60.0, 1.0], DVec3::ZERO, [4, 4])
        + &format!(
            "[[points]]\nname = \"t\"\npositions = {}\nvelocities = {}\nmasses = {masses:?}\ntriangles = [[0, 1, 2]]\n",
            lists(&places),
            lists(&turning(&places, &masses, DVec3::new(1.0, 2.0, -1.5)))
        );
    for mode in MODES {
        let run = Run::in_mode(&scene, mode);
        let corners = [0, 1, 2].map(|index| run.points(&format!("t/point {index}")));
        let turns = run.turns("t/triangle 0");
        for (frame, turn) in turns.iter().enumerate() {
            let matrix = DMat3::from_quat(*turn);
            assert!(off_rotation(matrix) < 1e-14, "{mode}, {frame}: {matrix}");
            let [edge, side] = [1, 2].map(|corner: usize| corners[corner][frame] - corners[0][frame]);
            let normal = side.cross(edge).normalize();
            let off = (matrix.y_axis - edge.normalize()).length().max((matrix.z_axis - normal).length());
            assert!(off < 1e-14, "{mode}, {frame}: {off}");
        }
        assert!(angle(turns[60] * turns[0].conjugate()) > 1.0, "{mode}: it turns");
    }
}

#[test]
fn r12_a_share_of_the_excess_leaves_the_rest() {
    // A triangle that turns about a fixed side of another by 1e-3 rad in the first frame. Whatever the rest of a pass does
    // to it, it does to all.
    let bent = |mode: &str, share: f64| {
        let scene = setting([60.0, 0.05], DVec3::ZERO, [1, 1])
            + "[[points]]\nname = \"p\"\npositions = [[0, 0, 0], [0.6, 0, 0], [0.3, 0, 0.5], [0.3, 0, -0.4]]\n\
               velocities = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0.024, 0]]\nfixed = [0, 1, 2]\n\
               triangles = [[0, 1, 2], [1, 0, 3]]\n"
            + &format!("[[limit]]\nname = \"l\"\nof = \"p\"\nmax_angle = 0.0\nshare = {share:?}\n");
        let apex = Run::in_mode(&scene, mode).points("p/point 3")[1];
        apex.y.atan2(-apex.z)
    };
    // Rosen's averages take a part of every share.
    for mode in ["shake", "xpbd", "jakobsen"] {
        let whole = bent(mode, 0.0);
        assert!((whole - 1e-3).abs() < 1e-6, "{mode}: {whole}");
        for share in [0.25, 0.5, 0.9, 1.0] {
            let left = bent(mode, share);
            assert!((left - whole * (1.0 - share)).abs() < 1e-9, "{mode}: {left} of {whole} at a share of {share}");
        }
    }
}

/// A leg: hip, knee, ankle, and a point before the knee that is fixed to the thigh. Velocities are those of knee and ankle.
fn leg(lower: DVec3, [knee_moves, ankle_moves]: [DVec3; 2], keys: &str) -> String {
    let knee = DVec3::new(0.0, 0.55, 0.0);
    format!(
        "[[points]]\nname = \"leg\"\npositions = {}\nvelocities = {}\nmasses = [1, 3, 2, 0.5]\nfixed = [0]\n\
         sticks = [[0, 1], [1, 2], [0, 3], [1, 3]]\nlimbs = [[0, 1, 2]]\ndamping = 0.2\n{keys}",
        lists(&[DVec3::Y, knee, knee + lower, knee + DVec3::Z * 0.3]),
        lists(&[DVec3::ZERO, knee_moves, ankle_moves, knee_moves * DVec3::Z])
    )
}

#[test]
fn r29_the_frames_of_a_limb_follow_its_bones_without_a_jump() {
    // The lower bone swings through the straight leg, out of the plane too.
    let moves = [DVec3::new(0.15, 0.0, -1.0), DVec3::Z * 1.5];
    let scene = setting([240.0, 2.0], G, [2, 8]) + &leg(DVec3::NEG_Y * 0.45, moves, "");
    for mode in MODES {
        let run = Run::in_mode(&scene, mode);
        let points = [0, 1, 2].map(|index| run.points(&format!("leg/point {index}")));
        let mut bends = [0.0_f64; 2];
        for (bone, word) in ["upper", "lower"].into_iter().enumerate() {
            let name = format!("leg/limb 0 {word}");
            let (turns, places) = (run.turns(&name), run.points(&name));
            for (frame, turn) in turns.iter().enumerate() {
                let matrix = DMat3::from_quat(*turn);
                assert!(off_rotation(matrix) < 1e-14, "{mode}, {word}, {frame}: {matrix}");
                let [start, end] = [bone, bone + 1].map(|point| points[point][frame]);
                let off = (matrix.y_axis - (end - start).normalize()).length();
                assert!(off < 1e-14 && places[frame].distance(0.5 * (start + end)) < 1e-15, "{mode}, {frame}: {off}");
                if bone == 1 {
                    let side = run.turns("leg/limb 0 upper")[frame] * DVec3::Z;
                    let bend = matrix.y_axis.dot(side);
                    bends = [bends[0].min(bend), bends[1].max(bend)];
                }
            }
            let jump = turns.windows(2).map(|two| angle(two[1] * two[0].conjugate())).fold(0.0, f64::max);
            assert!(jump < 5.0_f64.to_radians(), "{mode}, {word}: {} degrees in a frame", jump.to_degrees());
        }
        assert!(bends[0] < -0.2 && bends[1] > 0.2, "{mode}: it swings through, {bends:?}");
    }
}

#[test]
fn j28_j30_a_knee_bends_to_its_own_side_alone() {
    // The lower bone is never nearer to the point before the knee than at a right angle. Planes keep all in one.
    let limits = "[[limit]]\nname = \"knee\"\nof = \"leg\"\nkind = \"angle\"\npoints = [1, 3, 2]\n\
                  angle_limits = [\"90 deg\", \"180 deg\"]\n[[limit]]\nname = \"sagittal\"\nof = \"leg\"\nkind = \"plane\"\n\
                  points = [0, 1, 2, 3]\nnormal = [2, 0, 0]\nboth_sides = true\n";
    // It begins bent by 60° and swings forward.
    let scene = setting([480.0, 1.0], G, [1, 10]) + &leg(DVec3::new(0.0, -0.225, -0.39), [DVec3::ZERO; 2], limits);
    for mode in ["shake", "xpbd", "jakobsen"] {
        let run = Run::in_mode(&scene, mode);
        let [upper, lower] = ["upper", "lower"].map(|word| run.turns(&format!("leg/limb 0 {word}")));
        let mut straight = 0;
        for (frame, (upper, lower)) in upper.iter().zip(&lower).enumerate() {
            let along = upper.conjugate() * (*lower * DVec3::Y);
            assert!(along.x.abs() < 1e-12, "{mode}, {frame}: out of its plane, {along}");
            // A tenth of a degree.
            assert!(along.z > -0.1_f64.to_radians().sin(), "{mode}, {frame}: {along}");
            straight += u32::from(along.z < 0.01);
        }
        assert!(straight > 10, "{mode}: it comes to its limit in {straight} frames");
    }
}

#[test]
fn j24_three_lengths_and_three_right_angles_are_a_rigid_body() {
    let places = [DVec3::ZERO, DVec3::X * 0.3, DVec3::Y * 0.4, DVec3::Z * 0.5];
    let masses = [1.0, 2.0, 0.5, 1.5];
    let mut scene = setting([60.0, 1.0], G, [1, 20])
        + &format!(
            "[[points]]\nname = \"b\"\npositions = {}\nvelocities = {}\nmasses = {masses:?}\nsticks = [[0, 1], [0, 2], [0, 3]]\n",
            lists(&places),
            lists(&turning(&places, &masses, DVec3::new(1.0, -2.0, 1.5)))
        );
    for [a, b] in [[1, 2], [2, 3], [3, 1]] {
        let _ = write!(
            scene,
            "[[limit]]\nname = \"{a}{b}\"\nof = \"b\"\nkind = \"angle\"\npoints = [0, {a}, {b}]\n\
             angle_limits = [\"90 deg\", \"90 deg\"]\n"
        );
    }
    for mode in ["shake", "xpbd", "jakobsen"] {
        let run = Run::in_mode(&scene, mode);
        let points = [0, 1, 2, 3].map(|index| run.points(&format!("b/point {index}")));
        for frame in 0..=60 {
            let arms = [1, 2, 3].map(|end: usize| points[end][frame] - points[0][frame]);
            let lengths = [0, 1, 2].map(|arm| arms[arm].length() - [0.3, 0.4, 0.5][arm]);
            let products = [[0, 1], [1, 2], [2, 0]].map(|[a, b]: [usize; 2]| arms[a].dot(arms[b]));
            let off = lengths.into_iter().chain(products).map(f64::abs).fold(0.0, f64::max);
            assert!(off < 1e-6, "{mode}, {frame}: {off}");
        }
    }
}

#[test]
fn j40_conjugate_gradients_solve_a_chain_in_one_pass() {
    // In a straight chain from a fixed point the sticks take every velocity along it away at once.
    let places: Vec<DVec3> = (0..21).map(|index| DVec3::X * (0.1 * f64::from(index))).collect();
    let speeds: Vec<DVec3> = (0..21).map(|index| DVec3::X * (0.7 * f64::from(index)).sin()).collect();
    let sticks: Vec<[u32; 2]> = (0..20).map(|index| [index, index + 1]).collect();
    let scene = |solve: &str| {
        setting([60.0, 0.05], DVec3::ZERO, [1, 1])
            + &format!(
                "solve = \"{solve}\"\n[[points]]\nname = \"c\"\npositions = {}\nvelocities = {}\nfixed = [0]\n\
                 sticks = {sticks:?}\nradius = 0.001\n",
                lists(&places),
                lists(&speeds)
            )
    };
    // Shake takes Newton's step for squares of lengths, which is another.
    let mode = "xpbd";
    let off = |solve: &str| {
        let run = Run::in_mode(&scene(solve), mode);
        let of = |(index, place): (usize, &DVec3)| run.points(&format!("c/point {index}"))[1].distance(*place);
        places.iter().enumerate().map(of).fold(0.0, f64::max)
    };
    let (together, in_turn) = (off("conjugate_gradients"), off("one_by_one"));
    assert!(together < 1e-10 && in_turn > 1e-3, "{mode}: {together} m, one by one {in_turn} m");
}

#[test]
fn keys_without_effect_are_told_and_wrong_ones_refused() {
    let points = "[[points]]\nname = \"p\"\npositions = [[0, 0, 0], [1, 0, 0], [0, 0, 1]]\nsticks = [[0, 1], [0, 2]]\n";
    let limit = |keys: &str| format!("{points}[[limit]]\nname = \"l\"\nof = \"p\"\n{keys}");
    let note =
        |scene: String, option: [&str; 2]| Run::with(&("[scene]\nseconds = 0.02\n".to_owned() + &scene), option).1;
    let told = [
        (
            limit("kind = \"angle\"\npoints = [0, 1, 2]\nmax_angle = 1.0\nfriction = 1.0\n"),
            "shake",
            "l: max_angle has no effect on a limit of kind angle",
        ),
        (
            limit("kind = \"plane\"\npoints = [0]\ncompliance = 1.0\n"),
            "shake",
            "l: compliance has no effect on a limit of kind plane",
        ),
        (points.replace("sticks", "compliance = 1e-3\nshare = 0.5\nsticks"), "shake", "p: share has no effect here"),
        (
            "[solver.particles]\nsolve = \"conjugate_gradients\"\n".to_owned() + points,
            "rosen",
            "particles.solve has no effect in mode rosen",
        ),
        (
            "[solver.particles]\nsolve = \"conjugate_gradients\"\nover_relaxation = 1.2\n".to_owned() + points,
            "xpbd",
            "particles.over_relaxation has no effect on distances that particles.solve",
        ),
        (
            "[solver.particles]\nsolve = \"conjugate_gradients\"\nsquare_root = \"taylor\"\n".to_owned() + points,
            "xpbd",
            "particles.square_root has no effect on distances that particles.solve",
        ),
        (
            "[solver.particles]\nsolve = \"conjugate_gradients\"\n".to_owned()
                + &points.replace("sticks", "share = 0.5\nsticks"),
            "shake",
            "p: share has no effect on distances that particles.solve",
        ),
        (
            "[solver.particles]\nsquare_root = \"taylor\"\n".to_owned() + points,
            "shake",
            "particles.square_root has no effect in mode shake",
        ),
        (
            "[solver.particles]\nover_relaxation = 1.2\n[[ball]]\nname = \"b\"\n".to_owned(),
            "xpbd",
            "particles.over_relaxation has no effect in a scene without rigid sticks",
        ),
        (
            "[solver.particles]\ntolerance = 1e-6\n".to_owned() + points,
            "xpbd",
            "particles.tolerance has no effect with one of constraint_iterations",
        ),
        (
            "[solver.rigid]\nmost_turn = 0.1\nstep_tolerance = 0.001\n".to_owned() + points,
            "shake",
            "rigid.step_tolerance has no effect under particles",
        ),
    ];
    for (scene, mode, wanted) in told {
        let said = note(scene, ["--particle-mode", mode]);
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    let ball = "[[ball]]\nname = \"b\"\n".to_owned();
    let said = note(
        "[solver.particles]\ngravity_is = \"displacement_per_frame\"\n".to_owned() + &ball,
        ["--method", "multipliers"],
    );
    assert!(said.contains("particles.gravity_is has no effect under multipliers"), "{said}");
    let wrong = [
        ("kind = \"angle\"\npoints = [0, 1]\n", "must be three of an angle, the corner first, not 2"),
        ("kind = \"angle\"\npoints = [0, 1, 7]\n", "names point 7, but “p” has 3 points"),
        ("kind = \"angle\"\npoints = [0, 1, 2]\nangle_limits = [-0.5, 1.0]\n", "from 0 to 180 degrees"),
        ("kind = \"plane\"\nnormal = [0, 0, 0]\npoints = [0]\n", "must not be the zero vector"),
        ("kind = \"plane\"\n", "names none"),
        ("", "names triangle 0, but “p” has 0 triangles"),
    ];
    let folder = Folder::new();
    for (keys, wanted) in wrong {
        let file = folder.file("scene.toml", &limit(keys));
        let said = muybridge(["simulate", file.to_str().unwrap()]);
        assert!(said.code == Some(2) && said.err.contains(wanted), "{keys}: {}", said.err);
    }
}
