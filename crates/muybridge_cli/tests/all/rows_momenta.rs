//! Rows S1 to S5, S28 and S37: mass center, momenta, velocities and support of a weight on a table, by `check` on files.

use muybridge::glam::DVec3;
use muybridge::math::Random;
use serde_json::Value;

use crate::program::Folder;
use crate::rows_shapiro::{G, HEAD, bvh, check, checked, file, moving, numbers, vectors};

/// Places (meters) and turns (degrees about z, x and y) of a weight in each frame, beside a table that stands still.
type Weight = [f64; 6];

const CHANNELS: &str = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n";

/// A table of 0.4 m on the floor, and a weight that moves.
fn table_and_weight(rows: &[Weight], rate: f64) -> String {
    let hierarchy = format!(
        "ROOT Table\n{{\nOFFSET 0 0 0\n{CHANNELS}JOINT Weight\n{{\nOFFSET 0 0 0\n{CHANNELS}End Site\n{{\nOFFSET 0 0.1 0\n}}\n}}\n}}\n"
    );
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| [[0.0; 6], *row].concat()).collect();
    bvh(&hierarchy, &rows, rate)
}

/// What `check` says of the weight of 6 kg on a table of `table` kg with contact points at `corners`.
fn weighed(rows: &[Weight], rate: f64, table: f64, corners: &[[f64; 2]]) -> Value {
    let folder = Folder::new();
    let row = |(index, [x, z]): (usize, &[f64; 2])| format!("Table,p{index},{x},0,{z}\n");
    let corners: String = corners.iter().enumerate().map(row).collect();
    let contacts = file(&folder, "contacts.csv", &format!("joint,point,x,y,z\n{corners}"));
    let moment = 1e-3 * table;
    let body = format!("Table,{table},0,0,0,{moment},{moment},{moment}\nWeight,6,0,0,0,0.1,0.2,0.15\n");
    check(&table_and_weight(rows, rate), &body, &["--contacts", &contacts])
}

const SQUARE: [[f64; 2]; 4] = [[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.2, 0.2]];

fn of_frames(clip: &Value, key: &str) -> Vec<DVec3> {
    vectors(&clip["per_frame"][key])
}

#[test]
fn s1_the_mass_center_of_two_bodies_is_exact() {
    // (2·0 + 6·x)/8; all numbers are sums of few powers of two.
    let found = weighed(&[[0.5, 1.0, -0.25, 0.0, 0.0, 0.0]; 8], 32.0, 2.0, &SQUARE);
    assert_eq!(found["body"]["mass_kg"], 8.0);
    assert!(of_frames(&found, "mass_center_m").iter().all(|center| *center == DVec3::new(0.375, 0.75, -0.1875)));
}

/// A person in T-pose, symmetric about x = 0: bone, parent and offset of each bone.
pub const PERSON: [(&str, &str, [f64; 3]); 19] = [
    ("Hips", "", [0.0, 0.95, 0.0]),
    ("Spine", "Hips", [0.0, 0.12, -0.01]),
    ("Chest", "Spine", [0.0, 0.2, -0.01]),
    ("Neck", "Chest", [0.0, 0.22, 0.01]),
    ("Head", "Neck", [0.0, 0.1, 0.02]),
    ("LeftShoulder", "Chest", [0.03, 0.17, 0.0]),
    ("LeftArm", "LeftShoulder", [0.14, 0.0, 0.0]),
    ("LeftForeArm", "LeftArm", [0.28, 0.0, 0.0]),
    ("LeftHand", "LeftForeArm", [0.26, 0.0, 0.0]),
    ("RightShoulder", "Chest", [-0.03, 0.17, 0.0]),
    ("RightArm", "RightShoulder", [-0.14, 0.0, 0.0]),
    ("RightForeArm", "RightArm", [-0.28, 0.0, 0.0]),
    ("RightHand", "RightForeArm", [-0.26, 0.0, 0.0]),
    ("LeftUpLeg", "Hips", [0.09, -0.05, 0.0]),
    ("LeftLeg", "LeftUpLeg", [0.0, -0.42, 0.01]),
    ("LeftFoot", "LeftLeg", [0.0, -0.4, -0.02]),
    ("RightUpLeg", "Hips", [-0.09, -0.05, 0.0]),
    ("RightLeg", "RightUpLeg", [0.0, -0.42, 0.01]),
    ("RightFoot", "RightLeg", [0.0, -0.4, -0.02]),
];

/// The bone and all below it as a BVH hierarchy.
pub fn hierarchy(bone: &str) -> String {
    let (name, parent, [x, y, z]) = PERSON.into_iter().find(|(name, ..)| *name == bone).expect("a bone");
    let (word, channels) =
        if parent.is_empty() { ("ROOT", CHANNELS) } else { ("JOINT", "CHANNELS 3 Zrotation Xrotation Yrotation\n") };
    let below: String =
        PERSON.iter().filter(|(_, parent, _)| *parent == bone).map(|(name, ..)| hierarchy(name)).collect();
    let end = match bone {
        "LeftFoot" | "RightFoot" => "End Site\n{\nOFFSET 0 -0.07 0.18\n}\n",
        "LeftHand" => "End Site\n{\nOFFSET 0.18 0 0\n}\n",
        "RightHand" => "End Site\n{\nOFFSET -0.18 0 0\n}\n",
        "Head" => "End Site\n{\nOFFSET 0 0.2 0\n}\n",
        _ => "",
    };
    format!("{word} {name}\n{{\nOFFSET {x} {y} {z}\n{channels}{below}{end}}}\n")
}

#[test]
fn s1_the_segments_of_a_man_weigh_what_he_weighs_and_in_t_pose_he_is_symmetric() {
    let folder = Folder::new();
    let row = [vec![0.0, 0.95, 0.0], vec![0.0; 57]].concat();
    let clip = file(&folder, "man.bvh", &bvh(&hierarchy("Hips"), &vec![row; 10], 30.0));
    let found = checked(&[&clip, "--unit", "m", "--anthropometry", "deleva-male", "--mass", "100"]).remove(0);
    let segments = found["body"]["segments"].as_array().expect("segments");
    let sum: f64 = segments.iter().map(|segment| segment["mass_kg"].as_f64().expect("a mass")).sum();
    assert!((sum / 100.0 - 1.0).abs() < 1e-12, "{sum} kg");
    // De Leva 1996, men, table 4: thighs 14.16 % each, head 6.94 %.
    let mass_of = |bone: &str| segments.iter().find(|s| s["bone"] == bone).expect("a segment")["mass_kg"].as_f64();
    assert!(
        (mass_of("LeftUpLeg").expect("a mass") - 14.16).abs() < 0.01 && mass_of("LeftUpLeg") == mass_of("RightUpLeg")
    );
    assert!((mass_of("Head").expect("a mass") - 6.94).abs() < 0.01);
    assert!(of_frames(&found, "mass_center_m").iter().all(|center| center.x.abs() < 1e-12));
}

#[test]
fn s2_the_momentum_is_the_mass_times_the_velocity_of_the_mass_center() {
    // Central differences of a parabola are exact: v = v_0 + a t.
    let (off, pull) = (DVec3::new(0.3, -0.1, 0.2), DVec3::new(-0.4, 0.25, 0.1));
    let row = |frame: u32| {
        let time = f64::from(frame) / 64.0;
        let place = DVec3::new(0.0, 0.8, 0.0) + off * time + 0.5 * time * time * pull;
        [place.x, place.y, place.z, 0.0, 0.0, 0.0]
    };
    let rows: Vec<Weight> = (0..33).map(row).collect();
    let found = weighed(&rows, 64.0, 2.0, &SQUARE);
    let [momenta, velocities] = ["linear_momentum_kgmps", "mass_center_velocity_mps"].map(|key| of_frames(&found, key));
    for frame in 1..32 {
        let truth = 6.0 * (off + frame as f64 / 64.0 * pull);
        assert!(momenta[frame].distance(8.0 * velocities[frame]) < 1e-12, "frame {frame}");
        assert!(momenta[frame].distance(truth) < 1e-12, "frame {frame}: {}, not {truth}", momenta[frame]);
    }
}

#[test]
fn s3_a_spinning_box_has_the_angular_momentum_of_its_tensor_wherever_it_goes() {
    let body = "Crate,5,0,0,0,0.02,0.05,0.04\n";
    // It turns evenly about its z axis, which lies across: log velocities are exact.
    let rows = |place: DVec3, velocity: DVec3| -> Vec<[f64; 6]> {
        let row = |frame: u32| {
            let at = place + f64::from(frame) / 60.0 * velocity;
            [at.x, at.y, at.z, 7.0 * f64::from(frame), 0.0, 0.0]
        };
        (0..20).map(row).collect()
    };
    let truth = DVec3::Z * 0.04 * (7.0_f64.to_radians() * 60.0);
    let moves = [
        (DVec3::ZERO, DVec3::ZERO),
        (DVec3::new(3.0, 40.0, -25.0), DVec3::ZERO),
        (DVec3::Y, DVec3::new(2.0, 0.5, -4.0)),
    ];
    for (place, velocity) in moves {
        let found = check(&moving(&rows(place, velocity), 60.0), body, &[]);
        for (frame, momentum) in of_frames(&found, "angular_momentum_kgm2ps").into_iter().enumerate() {
            assert!(momentum.distance(truth) < 1e-12, "{place} {velocity} frame {frame}: {momentum}, not {truth}");
        }
    }
}

#[test]
fn s4_the_zero_moment_point_is_below_what_rests_and_behind_what_is_accelerated() {
    let still = weighed(&[[0.07, 0.8, -0.04, 0.0, 0.0, 0.0]; 20], 30.0, 2.0, &SQUARE);
    for (point, center) in of_frames(&still, "zmp_m").iter().zip(of_frames(&still, "mass_center_m")) {
        assert!(point.distance(DVec3::new(center.x, 0.0, center.z)) < 1e-12, "{point} below {center}");
    }
    // At constant height: c − (h/g) c̈. The second difference of a wave is the wave times (2 cos ωh − 2)/h²; a table of next to
    // no mass has no momentum.
    let wave = |frame: u32| (2.0 * f64::from(frame) / 30.0).sin_cos();
    let row = |frame: u32| {
        let (sin, cos) = wave(frame);
        [0.03 * sin, 0.8, 0.02 * cos, 0.0, 3.0 * f64::from(frame), 0.0]
    };
    let rows: Vec<Weight> = (0..60).map(row).collect();
    let points = of_frames(&weighed(&rows, 30.0, 1e-12, &SQUARE), "zmp_m");
    let pull = (2.0 * (2.0_f64 / 30.0).cos() - 2.0) * 900.0;
    for frame in 2..58 {
        let (sin, cos) = wave(frame as u32);
        let truth = DVec3::new(0.03 * sin, 0.0, 0.02 * cos) * (1.0 - 0.8 / G * pull);
        assert!(points[frame].distance(truth) < 1e-12, "frame {frame}: {}, not {truth}", points[frame]);
    }
}

#[test]
fn s4_at_the_zero_moment_point_the_ground_exerts_no_tangential_moment() {
    let row = |frame: u32| {
        let time = f64::from(frame) / 120.0;
        let wave = (3.0 * time).sin();
        [0.03 * wave, 0.8 + 0.02 * wave, 0.02 * (2.0 * time).cos(), 20.0 * wave, 30.0 * (2.5 * time).cos(), 0.0]
    };
    let rows: Vec<Weight> = (0..120).map(row).collect();
    let found = weighed(&rows, 120.0, 2.0, &SQUARE);
    let keys = ["zmp_m", "mass_center_m", "ground_force_n", "angular_momentum_rate_kgm2ps2"];
    let [points, centers, forces, rates] = keys.map(|key| of_frames(&found, key));
    let mut greatest = 0.0_f64;
    for frame in 2..118 {
        let moment = rates[frame] + (centers[frame] - points[frame]).cross(forces[frame]);
        let tangential = DVec3::new(moment.x, 0.0, moment.z).length() / (8.0 * G);
        assert!(tangential <= 1e-12, "frame {frame}: {tangential} m");
        greatest = greatest.max(rates[frame].length());
    }
    assert!(greatest > 0.1, "its momentum changes: {greatest}");
}

/// Corners of the convex hull by definition: points that lie in no triangle of others.
fn brute_force(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let side = |a: [f64; 2], b: [f64; 2], p: [f64; 2]| (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]);
    let is_inside = |p: &[f64; 2]| {
        let others: Vec<[f64; 2]> = points.iter().copied().filter(|other| other != p).collect();
        let count = others.len();
        (0..count * count * count).any(|index| {
            let [a, b, c] = [index / count / count, index / count % count, index % count].map(|at| others[at]);
            side(a, b, *p) > 0.0 && side(b, c, *p) > 0.0 && side(c, a, *p) > 0.0
        })
    };
    points.iter().copied().filter(|point| !is_inside(point)).collect()
}

#[test]
fn s5_the_support_polygon_is_the_convex_hull_of_the_contacts() {
    let mut random = Random::new(5);
    let still = [[0.0, 0.8, 0.0, 0.0, 0.0, 0.0]; 12];
    let corners_of = |found: &Value| vectors(&found["per_frame"]["support_polygon_m"][5]);
    let area_of = |found: &Value| found["per_frame"]["support_area_m2"][5].as_f64().expect("an area");
    for _ in 0..6 {
        let points: Vec<[f64; 2]> = (0..12).map(|_| [0.3 * random.signed(), 0.2 * random.signed()]).collect();
        let found = weighed(&still, 30.0, 2.0, &points);
        let (corners, area) = (corners_of(&found), area_of(&found));
        // Triangles from the first corner on.
        let triangle = |two: &[DVec3]| 0.5 * (two[0] - corners[0]).cross(two[1] - corners[0]).y;
        let truth: f64 = corners.windows(2).map(triangle).sum();
        assert!((area - truth).abs() < 1e-12, "{area}, not {truth}");
        let mut found: Vec<[f64; 2]> = corners.iter().map(|corner| [corner.x, corner.z]).collect();
        let mut truth = brute_force(&points);
        for corners in [&mut found, &mut truth] {
            corners.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        }
        let off = found.iter().zip(&truth).map(|(a, b)| (a[0] - b[0]).hypot(a[1] - b[1])).fold(0.0, f64::max);
        assert!(found.len() == truth.len() && off < 1e-12, "{found:?}, not {truth:?}");
    }
    let unit = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]];
    let found = weighed(&still, 30.0, 2.0, &unit);
    let corners = corners_of(&found);
    let next = |index: usize| corners[(index + 1) % corners.len()];
    let perimeter: f64 = (0..corners.len()).map(|index| corners[index].distance(next(index))).sum();
    let area = area_of(&found);
    assert!((area / perimeter - 0.25).abs() < 1e-12 && (area - 1.0).abs() < 1e-12, "{area} of {corners:?}");
}

#[test]
fn s28_the_fractions_of_balance_are_those_of_the_frames() {
    // The zero-moment point is below the weight while it stands; a mean radius of the square is 1.6/2π = 0.2546 m. The weight
    // stands for 64 frames inside, for 32 within a radius of the edge and for 32 beyond, and is told apart by the marked frames.
    let place = |frame: u32| {
        if frame < 64 {
            0.1
        } else if frame < 96 {
            0.3
        } else {
            0.8
        }
    };
    let rows: Vec<Weight> = (0..128).map(|frame| [place(frame), 0.8, 0.0, 0.0, 0.0, 0.0]).collect();
    let found = weighed(&rows, 32.0, 1e-6, &SQUARE);
    let distances = numbers(&found["balance"]["normalized_distance"]);
    assert_eq!(distances.len(), 128);
    // The frames on both sides of a jump are accelerated and count as they are.
    for frame in (0..128_u32).filter(|frame| ![63, 64, 95, 96].contains(frame)) {
        let (distance, radius) = (place(frame) - 0.2, 1.6 / std::f64::consts::TAU);
        let off = distances[frame as usize] - distance / radius;
        assert!(off.abs() < 1e-5, "frame {frame}: {}", distances[frame as usize]);
    }
    let share = |most: f64| distances.iter().filter(|distance| **distance <= most).count() as f64 / 128.0;
    assert_eq!(found["balance"]["inside_fraction"], share(0.0));
    assert_eq!(found["balance"]["within_one_fraction"], share(1.0));
    assert!((share(0.0) - 0.5).abs() <= 2.0 / 128.0 && (share(1.0) - 0.75).abs() <= 4.0 / 128.0);
}

/// Schemes of velocities but the backward one.
const SCHEMES: [&str; 5] = ["central", "five-point", "savitzky-golay-5", "savitzky-golay-7", "savitzky-golay-9"];

#[test]
fn s37_parabolas_and_steady_turns_are_exact_by_every_scheme_and_late_by_the_backward_one() {
    let (body, rate) = ("Crate,5,0,0,0,0.02,0.05,0.04\n", 60.0);
    let (off, pull) = (DVec3::new(1.5, 3.0, -0.5), DVec3::new(0.0, -9.81, 0.0));
    let row = |frame: u32| {
        let time = f64::from(frame) / rate;
        let place = DVec3::Y * 2.0 + off * time + 0.5 * time * time * pull;
        [place.x, place.y, place.z, 7.0 * f64::from(frame), 0.0, 0.0]
    };
    let clip = moving(&(0..25).map(row).collect::<Vec<_>>(), rate);
    let spin = DVec3::Z * 0.04 * (7.0_f64.to_radians() * rate);
    for (scheme, lag) in SCHEMES.map(|scheme| (scheme, 0.0)).into_iter().chain([("backward", 0.5)]) {
        let found = check(&clip, body, &["--velocity-scheme", scheme]);
        let velocities = of_frames(&found, "mass_center_velocity_mps");
        for frame in usize::from(lag > 0.0)..25 {
            let truth = off + pull * ((frame as f64 - lag) / rate);
            assert!(velocities[frame].distance(truth) < 1e-10, "{scheme}, frame {frame}: {}", velocities[frame]);
        }
        for momentum in of_frames(&found, "angular_momentum_kgm2ps") {
            assert!(momentum.distance(spin) < 1e-12, "{scheme}: {momentum}, not {spin}");
        }
        for acceleration in of_frames(&found, "mass_center_acceleration_mps2") {
            assert!(acceleration.distance(pull) < 1e-9, "{scheme}: {acceleration}");
        }
    }
}

/// Weights of the frames of a window, and the number to divide them by.
type Weights = (&'static [f64], f64);

/// Weights of a scheme for velocities and for accelerations.
struct Table {
    scheme: &'static str,
    first: Weights,
    second: Weights,
}

#[test]
fn s37_five_points_are_exact_for_a_quartic_and_the_weights_of_savitzky_and_golay_are_those_of_their_tables() {
    // The velocities around a frame that stands out by 1/8 m are the weights of that frame.
    let (rate, middle) = (32.0, 20);
    let rows: Vec<Weight> =
        (0..41).map(|frame| [if frame == middle { 0.125 } else { 0.0 }, 0.8, 0.0, 0.0, 0.0, 0.0]).collect();
    let table = |scheme, first: &'static [f64], of_first, second: &'static [f64], of_second| Table {
        scheme,
        first: (first, of_first),
        second: (second, of_second),
    };
    let tables = [
        table("five-point", &[1.0, -8.0, 0.0, 8.0, -1.0], 12.0, &[0.0, 1.0, -2.0, 1.0, 0.0], 1.0),
        table("savitzky-golay-5", &[-2.0, -1.0, 0.0, 1.0, 2.0], 10.0, &[2.0, -1.0, -2.0, -1.0, 2.0], 7.0),
        table(
            "savitzky-golay-7",
            &[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0],
            28.0,
            &[5.0, 0.0, -3.0, -4.0, -3.0, 0.0, 5.0],
            42.0,
        ),
        table(
            "savitzky-golay-9",
            &[-4.0, -3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0, 4.0],
            60.0,
            &[28.0, 7.0, -8.0, -17.0, -20.0, -17.0, -8.0, 7.0, 28.0],
            462.0,
        ),
    ];
    for Table { scheme, first: (first, of_first), second: (second, of_second) } in tables {
        let folder = Folder::new();
        let files = [
            file(&folder, "clip.bvh", &table_and_weight(&rows, rate)),
            file(&folder, "body.csv", &format!("{HEAD}Weight,6,0,0,0,0.1,0.2,0.15\n")),
        ];
        let options = ["--unit", "m", "--cutoff", "off", "--velocity-scheme", scheme];
        let found = checked(&[&[files[0].as_str(), "--body", &files[1]], &options[..]].concat()).remove(0);
        let [velocities, accelerations] =
            ["mass_center_velocity_mps", "mass_center_acceleration_mps2"].map(|key| of_frames(&found, key));
        let width = first.len();
        for place in 0..width {
            // The window of this frame holds the one that stands out at the other end.
            let frame = middle + width / 2 - place;
            let velocity = first[place] / of_first * 0.125 * rate;
            let acceleration = second[place] / of_second * 0.125 * rate * rate;
            assert!((velocities[frame].x - velocity).abs() < 1e-12, "{scheme}, {frame}: {}", velocities[frame]);
            assert!(
                (accelerations[frame].x - acceleration).abs() < 1e-10,
                "{scheme}, {frame}: {}",
                accelerations[frame]
            );
        }
    }
    let at = |time: f64| 1.0 + time * (-1.0 + time * (2.0 + time * (-3.0 + 0.5 * time)));
    let slope = |time: f64| -1.0 + time * (4.0 + time * (-9.0 + 2.0 * time));
    let rows: Vec<[f64; 6]> = (0..33).map(|frame| [0.0, at(f64::from(frame) / rate), 0.0, 0.0, 0.0, 0.0]).collect();
    let found = check(&moving(&rows, rate), "Crate,5,0,0,0,0.02,0.05,0.04\n", &["--velocity-scheme", "five-point"]);
    for (frame, velocity) in (0..).zip(of_frames(&found, "mass_center_velocity_mps")) {
        let truth = slope(f64::from(frame) / rate);
        assert!((velocity.y - truth).abs() < 1e-11, "frame {frame}: {}, not {truth}", velocity.y);
    }
}
