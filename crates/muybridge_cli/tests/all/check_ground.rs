//! `check --ground`: slopes, blocks and steps, each with a level floor for comparison (S34).

use muybridge::glam::{DQuat, DVec3, EulerRot};
use serde_json::Value;

use crate::program::{Folder, muybridge};
use crate::rows_momenta::{PERSON, hierarchy};
use crate::rows_shapiro::{G, HEAD, bvh, checked, file, vectors};

const CHANNELS: &str = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n";

/// A mesh of quads, each of four corners.
fn mesh(quads: &[[[f64; 3]; 4]]) -> String {
    let point = |[x, y, z]: &[f64; 3]| format!("v {x} {y} {z}\n");
    let points: String = quads.iter().flatten().map(point).collect();
    let face = |quad: usize| format!("f {} {} {} {}\n", 4 * quad + 1, 4 * quad + 2, 4 * quad + 3, 4 * quad + 4);
    points + &(0..quads.len()).map(face).collect::<String>()
}

/// A level square about a place.
fn level([x, y, z]: [f64; 3], half: f64) -> [[f64; 3]; 4] {
    [[x - half, y, z - half], [x - half, y, z + half], [x + half, y, z + half], [x + half, y, z - half]]
}

/// What `check` says of a clip on a ground, or on a level floor; contacts are the corners of squares of 0.2 m under bones.
fn check(clip: &str, masses: &str, squares: &[&str], ground: Option<&str>) -> Value {
    let folder = Folder::new();
    let corner = |bone: &str, x: f64, z: f64| format!("{bone},{x}/{z},{x},0,{z}\n");
    let corners: String = squares
        .iter()
        .flat_map(|bone| [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]].map(|[x, z]| corner(bone, x, z)))
        .collect();
    let contacts = file(&folder, "contacts.csv", &format!("joint,point,x,y,z\n{corners}"));
    let body = file(&folder, "body.csv", &format!("{HEAD}{masses}"));
    let clip = file(&folder, "clip.bvh", clip);
    let ground = ground.map(|text| file(&folder, "ground.obj", text));
    let options = ["--body", &body, "--contacts", &contacts, "--unit", "m", "--up", "y", "--cutoff", "off"];
    let ground: Vec<&str> = ground.iter().flat_map(|path| ["--ground", path]).collect();
    checked(&[&[clip.as_str()], &options[..], &ground].concat()).remove(0)
}

fn finding<'a>(clip: &'a Value, id: &str) -> Option<&'a Value> {
    clip["findings"].as_array().expect("findings").iter().find(|finding| finding["id"] == id)
}

#[test]
fn s34_on_a_slope_the_zero_moment_point_lies_on_it_and_has_no_tangential_moment() {
    // A tilted table on a slope of 1 : 4, and a weight that sways over it.
    let angle = 0.25_f64.atan();
    let up = DQuat::from_rotation_z(angle) * DVec3::Y;
    let hierarchy = format!(
        "ROOT Table\n{{\nOFFSET 0 0 0\n{CHANNELS}JOINT Weight\n{{\nOFFSET 0 0 0\n{CHANNELS}End Site\n{{\nOFFSET 0 0.1 0\n}}\n}}\n}}\n"
    );
    let row = |frame: u32| {
        let time = f64::from(frame) / 60.0;
        let sway =
            [0.15 + 0.03 * (2.0 * time).sin(), 0.6, 0.02 * (3.0 * time).cos(), 0.0, 10.0 * (2.5 * time).cos(), 0.0];
        [[3.0, 0.75, 1.0, angle.to_degrees(), 0.0, 0.0], sway].concat()
    };
    let clip = bvh(&hierarchy, &(0..60).map(row).collect::<Vec<_>>(), 60.0);
    let masses = "Table,2,0,0.05,0,0.01,0.01,0.01\nWeight,6,0,0,0,0.1,0.2,0.15\n";
    let slope = mesh(&[[[-2.0, -0.5, -4.0], [-2.0, -0.5, 4.0], [6.0, 1.5, 4.0], [6.0, 1.5, -4.0]]]);
    let found = check(&clip, masses, &["Table"], Some(&slope));
    let keys = ["zmp_m", "mass_center_m", "ground_force_n", "angular_momentum_rate_kgm2ps2"];
    let [points, centers, forces, rates] = keys.map(|key| vectors(&found["per_frame"][key]));
    assert_eq!(points.len(), 60);
    for frame in 2..58 {
        assert!((points[frame].y - 0.25 * points[frame].x).abs() < 1e-12, "frame {frame}: {}", points[frame]);
        let moment = rates[frame] + (centers[frame] - points[frame]).cross(forces[frame]);
        let tangential = (moment - moment.dot(up) * up).length() / (8.0 * G);
        assert!(tangential <= 1e-12, "frame {frame}: {tangential} m");
        let corners = vectors(&found["per_frame"]["support_polygon_m"][frame]);
        assert_eq!(corners.len(), 4);
        assert!(corners.iter().all(|corner| (corner.y - 0.25 * corner.x).abs() < 1e-12), "{corners:?}");
    }
    assert!(found["feet"]["penetration_m"].as_f64() < Some(1e-9) && found["feet"]["float_m"].as_f64() < Some(1e-9));
    assert_eq!(found["balance"]["inside_fraction"], 1.0);
    // A level floor touches the lower corners alone, and the weight is not over them.
    let flat = check(&clip, masses, &["Table"], None);
    assert!(flat["balance"]["inside_fraction"].as_f64() < Some(0.5), "{}", flat["balance"]);
}

#[test]
fn s34_two_blocks_carry_what_stands_between_them_and_not_what_is_outside() {
    let foot =
        |name: &str| format!("JOINT {name}\n{{\nOFFSET 0 0 0\n{CHANNELS}End Site\n{{\nOFFSET 0 0.05 0\n}}\n}}\n");
    let hierarchy = format!("ROOT Body\n{{\nOFFSET 0 0 0\n{CHANNELS}{}{}}}\n", foot("L"), foot("R"));
    let ground = mesh(&[level([0.0, 0.0, 0.0], 5.0), level([-0.3, 0.2, 0.0], 0.15), level([0.3, 0.5, 0.1], 0.15)]);
    // Feet stand on the blocks wherever the body is.
    let stands = |x: f64| {
        let feet = [[-0.3 - x, 0.2 - 1.2, 0.0], [0.3 - x, 0.5 - 1.2, 0.1]];
        let row = [&[x, 1.2, 0.05, 0.0, 0.0, 0.0][..], &feet[0], &[0.0; 3], &feet[1], &[0.0; 3]].concat();
        let masses = "Body,30,0,0,0,1,1,1\nL,0.001,0,0.01,0,1e-6,1e-6,1e-6\nR,0.001,0,0.01,0,1e-6,1e-6,1e-6\n";
        (bvh(&hierarchy, &vec![row; 40], 30.0), masses)
    };
    for (x, is_carried) in [(-0.3, true), (0.0, true), (0.25, true), (0.6, false), (-0.55, false)] {
        let (clip, masses) = stands(x);
        let found = check(&clip, masses, &["L", "R"], Some(&ground));
        let contacts = found["per_frame"]["contacts"][20].as_array().expect("contacts");
        assert_eq!(contacts, &[Value::from("L"), Value::from("R")], "x = {x}");
        let worst = found["residual"]["worst_force_bw"].as_f64().expect("a residual");
        let moment = found["residual"]["worst_moment_nm"].as_f64().expect("a residual") / (30.0 * G);
        let residual = worst.hypot(moment);
        assert!(if is_carried { residual < 1e-6 } else { residual > 0.02 }, "x = {x}: {residual}");
        assert!(found["feet"]["penetration_m"].as_f64() < Some(1e-9), "{}", found["feet"]);
    }
}

/// A person who stands with the left foot `up` meters higher than the right one.
fn on_a_step(up: f64) -> String {
    bvh(&hierarchy("Hips"), &vec![on_a_step_row(up); 60], 30.0)
}

fn on_a_step_row(up: f64) -> Vec<f64> {
    // Thigh and shank of 0.42 and 0.4 m over a distance that is shorter by `up`; the sole stays level.
    let (thigh, shank, reach) = (0.42_f64, 0.4_f64, 0.82 - up);
    let angle = |a: f64, b: f64, c: f64| ((a * a + b * b - c * c) / (2.0 * a * b)).clamp(-1.0, 1.0).acos().to_degrees();
    let (raised, bent) = (angle(thigh, reach, shank), 180.0 - angle(thigh, shank, reach));
    let turn = |bone: &str| match bone {
        "LeftUpLeg" => -raised,
        "LeftLeg" => bent,
        "LeftFoot" => raised - bent,
        _ => 0.0,
    };
    fn order<'a>(bone: &'a str, all: &mut Vec<&'a str>) {
        all.push(bone);
        PERSON.iter().filter(|(_, parent, _)| *parent == bone).for_each(|(name, ..)| order(name, all));
    }
    let mut bones = Vec::new();
    order("Hips", &mut bones);
    let mut row = vec![0.0, 0.95, 0.0];
    bones.iter().for_each(|bone| row.extend([0.0, turn(bone), 0.0]));
    row
}

/// Slopes along x, along z and between.
const SLOPES: [[f64; 2]; 7] =
    [[0.0, 0.0], [0.25, 0.0], [-0.5, 0.0], [0.0, 0.25], [0.0, -0.25], [0.2, 0.2], [-0.25, 0.25]];

/// Ground y = a x + b z + c.
fn slope([a, b]: [f64; 2], c: f64) -> String {
    let corner = |x: f64, z: f64| [x, a * x + b * z + c, z];
    mesh(&[[corner(-5.0, -5.0), corner(-5.0, 5.0), corner(5.0, 5.0), corner(5.0, -5.0)]])
}

#[test]
fn s34_level_soles_are_as_deep_in_a_slope_as_their_deepest_edge() {
    let folder = Folder::new();
    let clip = file(&folder, "clip.bvh", &on_a_step(0.0));
    // Where the edges of the soles are, a level floor shows: it carries the person by all of them.
    let level = checked(&[&clip, "--unit", "m"]).remove(0);
    let floor = level["floor_m"].as_f64().expect("a floor");
    let edges = vectors(&level["per_frame"]["support_polygon_m"][30]);
    assert!(edges.len() > 4, "{edges:?}");
    for [a, b] in SLOPES {
        let deepest = edges.iter().map(|edge| a * edge.x + b * edge.z).fold(0.0, f64::max);
        for sunk in [0.02, 0.06] {
            // The deepest edge is `deepest` under a slope through the floor below the hips.
            let ground = file(&folder, "ground.obj", &slope([a, b], floor + sunk));
            let found = checked(&[&clip, "--unit", "m", "--ground", &ground]).remove(0);
            let (depth, wanted) = (found["feet"]["penetration_m"].as_f64().expect("a depth"), deepest + sunk);
            assert!((depth - wanted).abs() < 0.01, "{a}, {b}, {sunk}: {depth} m, not {wanted}");
            let is_told = finding(&found, "feet.penetration").is_some();
            assert!(is_told || wanted < 0.045, "{a}, {b}, {sunk}: {wanted} m deep and not told");
        }
    }
}

#[test]
fn s34_soles_that_lie_on_a_slope_are_in_order() {
    let folder = Folder::new();
    let still = file(&folder, "still.bvh", &on_a_step(0.0));
    let floor = checked(&[&still, "--unit", "m"]).remove(0)["floor_m"].as_f64().expect("a floor");
    for [a, b] in SLOPES {
        // The whole person is turned from the level floor to the slope.
        let turn = DQuat::from_rotation_arc(DVec3::Y, DVec3::new(-a, 1.0, -b).normalize());
        let mut row = on_a_step_row(0.0);
        let hips = turn * DVec3::new(0.0, row[1] - floor, 0.0);
        let (z, x, y) = turn.to_euler(EulerRot::ZXY);
        row[..3].copy_from_slice(&hips.to_array());
        row[3..6].copy_from_slice(&[z, x, y].map(f64::to_degrees));
        let clip = file(&folder, "clip.bvh", &bvh(&hierarchy("Hips"), &vec![row; 60], 30.0));
        for sunk in [0.0, 0.06] {
            let ground = file(&folder, "ground.obj", &slope([a, b], sunk));
            let found = checked(&[&clip, "--unit", "m", "--ground", &ground]).remove(0);
            let depth = found["feet"]["penetration_m"].as_f64().expect("a depth");
            assert!((depth - sunk).abs() < 0.015, "{a}, {b}, {sunk}: {depth} m");
            assert_eq!(finding(&found, "feet.penetration").is_some(), sunk > 0.0, "{a}, {b}: {depth} m");
        }
    }
}

#[test]
fn s34_a_person_with_one_foot_on_a_step_stands_on_both() {
    let folder = Folder::new();
    let clip = file(&folder, "clip.bvh", &on_a_step(0.2));
    // The soles are at the height that a level stance has: of the person with both feet on the floor.
    let both = file(&folder, "both.bvh", &on_a_step(0.0));
    let floor = checked(&[&both, "--unit", "m"]).remove(0)["floor_m"].as_f64().expect("a floor");
    let ground = mesh(&[level([0.0, floor, 0.0], 5.0), level([0.25, floor + 0.2, 0.1], 0.24)]);
    let ground = file(&folder, "ground.obj", &ground);
    let [found, flat] = [&["--ground", ground.as_str()][..], &[]].map(|options| {
        let clips = checked(&[&[clip.as_str(), "--unit", "m"], options].concat());
        clips.into_iter().next().expect("a clip")
    });
    let touching = |clip: &Value| {
        let bones = clip["per_frame"]["contacts"][30].as_array().expect("contacts").clone();
        ["Left", "Right"].map(|side| bones.iter().any(|bone| bone.as_str().is_some_and(|bone| bone.starts_with(side))))
    };
    assert_eq!((touching(&found), touching(&flat)), ([true, true], [false, true]));
    assert_eq!(found["balance"]["inside_fraction"], 1.0);
    assert!(
        finding(&found, "feet.float").is_none() && finding(&found, "feet.penetration").is_none(),
        "{}",
        found["findings"]
    );
    let flat_margin = flat["per_frame"]["support_margin_m"][30].as_f64().expect("a margin");
    assert!(flat_margin < 0.0, "over one foot alone the person would fall: {flat_margin} m");
}

#[test]
fn s34_what_sinks_into_a_slope_is_told_and_wrong_grounds_are_refused() {
    let hierarchy = format!("ROOT Crate\n{{\nOFFSET 0 0 0\n{CHANNELS}End Site\n{{\nOFFSET 0 0.4 0\n}}\n}}\n");
    let still = |sunk: f64| bvh(&hierarchy, &vec![[2.0, 0.5 - sunk, 0.0, 0.0, 0.0, 0.0]; 30], 30.0);
    let masses = "Crate,6,0,0.2,0,0.1,0.1,0.1\n";
    let slope = mesh(&[[[-2.0, 0.5, -4.0], [-2.0, 0.5, 4.0], [6.0, 0.5, 4.0], [6.0, 0.5, -4.0]]]);
    let depth = |sunk: f64| {
        let found = check(&still(sunk), masses, &["Crate"], Some(&slope));
        found["feet"]["penetration_m"].as_f64().expect("a depth")
    };
    assert!(depth(0.0).abs() < 1e-12 && (depth(0.04) - 0.04).abs() < 1e-12, "{}", depth(0.04));
    let folder = Folder::new();
    let clip = folder.file("clip.bvh", &still(0.0)).display().to_string();
    let wall = folder.file("wall.obj", "v 0 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n").display().to_string();
    for (options, wanted) in [
        (vec!["--ground", &wall], "steeper than 80°"),
        (vec!["--ground", &clip], "begins no line of an OBJ file"),
        (vec!["--ground", "no.obj"], "no.obj"),
        (vec!["--ground", &wall, "--floor", "0"], "cannot be used with"),
    ] {
        let said = muybridge([&["check", &clip], &options[..]].concat());
        assert!(said.code == Some(2) && said.err.contains(wanted), "{options:?}: {}", said.err);
    }
    let said = muybridge(["fix", &clip, "--dry-run", "--ground", &wall]);
    assert!(said.code == Some(2) && said.err.contains("fix knows level floors only"), "{}", said.err);
}

#[test]
fn page_and_film_show_the_ground_of_the_motion() {
    let folder = Folder::new();
    let clip = folder.file("clip.bvh", &on_a_step(0.2));
    let clip = clip.display().to_string();
    // A step beside the person, and one that is a mile away.
    let ground = mesh(&[level([0.0, 0.0, 0.0], 3.0), level([0.2, 0.2, 0.0], 0.15), level([1600.0, 0.0, 0.0], 1.0)]);
    let ground = file(&folder, "ground.obj", &ground);
    let reports = ["page.html", "film.gif", "picture.png"].map(|name| folder.path(name).display().to_string());
    let [page, film, picture] = &reports;
    let write = |ground: &[&str]| {
        let options = [
            "--unit", "m", "--up", "y", "--html", page, "--gif", film, "--png", picture, "--size", "240x135", "--force",
        ];
        let said = muybridge([&["check", &clip], &options[..], ground].concat());
        assert!(said.code.is_some_and(|code| code < 2), "{}", said.err);
        let text = std::fs::read_to_string(page).expect("a page");
        let triangles =
            text.split("\"terrain\":").nth(1).expect("a list").split("]],").next().expect("its end").to_owned();
        (triangles, std::fs::read(film).expect("a film"), std::fs::read(picture).expect("a picture"))
    };
    let (uneven, level) = (write(&["--ground", &ground]), write(&[]));
    assert_eq!(uneven.0.matches('[').count(), 1 + 4, "two squares of two triangles: {}", uneven.0);
    assert!(uneven.0.contains("[0.05,0.2,-0.15,0.05,0.2,0.15,0.35,0.2,0.15]"), "{}", uneven.0);
    assert!(level.0.starts_with("[]"), "{}", level.0);
    assert!(uneven.1 != level.1 && uneven.2 != level.2);
}
