//! Bodies of triangle meshes, and rolling bodies, under every method.

use std::path::Path;

use muybridge::collision::polyhedron::of_mesh;
use muybridge::glam::{DQuat, DVec3};
use muybridge::samples::stool;
use muybridge::simulation::recording::Drawn;
use muybridge::simulation::{Recording, World};
use muybridge_files::recording_gltf::{RecordingOptions, export};
use muybridge_files::scene::{Skins, load, located, read};

const METHODS: [&str; 3] = ["particles", "multipliers", "displacement"];

fn run(text: &str, method: &str) -> Recording {
    let scene = read(format!("{text}\n[solver]\nmethod = \"{method}\"\n").as_bytes()).unwrap();
    let (assets, _) = load(&scene, Path::new("")).unwrap();
    World::new(scene, &assets).unwrap().record()
}

fn poses<'a>(recording: &'a Recording, name: &str) -> &'a [(DVec3, DQuat)] {
    let track = recording.tracks.iter().find(|track| track.name == name).expect(name);
    let Drawn::Body { poses, .. } = &track.drawn else { panic!("{name} is a body") };
    poses
}

#[test]
fn z26_a_thrown_stool_turns_about_its_center_of_mass_which_falls_as_a_point() {
    let text = "[scene]\nseconds = 1.0\n[[body]]\nname = \"stool\"\nmesh = \"stool\"\nmass = 3.0\nposition = [1.0, 2.0, 0.0]\n\
        velocity = [1.0, 3.0, -2.0]\nspin = [2.0, 5.0, 1.0]\n";
    let (points, triangles) = stool();
    let center = of_mesh(&points, &triangles, 1.0).unwrap().center;
    for method in METHODS {
        let recording = run(text, method);
        let first = recording.measures[2].angular_momentum;
        for (frame, &(place, turn)) in poses(&recording, "stool").iter().enumerate() {
            let t = frame as f64 / 60.0;
            let fallen = DVec3::new(1.0, 3.0, -2.0) * t - DVec3::Y * (0.5 * 9.81 * t * t);
            let off = place + turn * center - (DVec3::new(1.0, 2.0, 0.0) + center + fallen);
            assert!(off.length() < 1e-9, "{method} frame {frame}: {off}");
        }
        for measures in &recording.measures[2..] {
            let drift = (measures.angular_momentum - first).length() / first.length();
            assert!(drift < 1e-8, "{method}: {drift}");
        }
    }
}

#[test]
fn a_stool_stands_over_a_ball_that_lies_between_its_legs() {
    let text = "[scene]\nseconds = 2.0\nground = 0.0\n[[body]]\nname = \"stool\"\nmesh = \"stool\"\nmass = 3.0\n\
        position = [0.0, 0.01, 0.0]\n[[ball]]\nname = \"ball\"\nradius = 0.08\nposition = [0.0, 0.08, 0.0]\n";
    for method in METHODS {
        let recording = run(text, method);
        let (place, turn) = *poses(&recording, "stool").last().unwrap();
        assert!(place.length() < 0.002, "{method}: {place}");
        assert!((turn * DVec3::Y).angle_between(DVec3::Y) < 0.01, "{method}: {turn}");
        let ball = poses(&recording, "ball").last().unwrap().0;
        assert!(ball.distance(DVec3::Y * 0.08) < 0.002, "{method}: {ball}");
        assert_eq!(recording.measures.last().unwrap().asleep, 1.0, "{method}");
    }
}

#[test]
fn j36_a_ball_that_slides_ends_up_rolling_at_five_sevenths_of_its_speed() {
    let text = "[scene]\nseconds = 1.5\nground = 0.0\nground_friction = 0.5\n[[ball]]\nname = \"ball\"\nradius = 0.1\nfriction = 0.5\n\
        position = [0.0, 0.1, 0.0]\nvelocity = [2.0, 0.0, 0.0]\nrestitution = 0.0\n";
    for method in METHODS {
        let recording = run(text, method);
        let poses = poses(&recording, "ball");
        // The body slides for 2 v/(7 μ g) = 0.116 s, then rolls.
        let slid = 2.0 * 2.0 / (7.0 * 0.5 * 9.81);
        let [before, last] = [poses[poses.len() - 2], poses[poses.len() - 1]];
        let speed = (last.0.x - before.0.x) * 60.0;
        assert!((speed / (2.0 * 5.0 / 7.0) - 1.0).abs() < 2e-3, "{method}: {speed} m/s");
        let turn = last.1 * before.1.inverse();
        let turned = if turn.w < 0.0 { -turn } else { turn }.to_scaled_axis() * 60.0;
        assert!((turned - DVec3::NEG_Z * (speed / 0.1)).length() < 0.01 * speed / 0.1, "{method}: {turned}");
        let way = 2.0 * slid - 0.25 * 9.81 * slid * slid + (1.5 - slid) * 10.0 / 7.0;
        assert!((last.0.x - way).abs() < 0.005, "{method}: {} {way}", last.0.x);
    }
}

#[test]
fn equal_bodies_share_a_mesh_in_the_file() {
    let text = "[scene]\nseconds = 0.1\n[[body]]\nname = \"row\"\nmesh = \"skittle\"\ngrid = [3, 1, 2]\n[[body]]\nname = \"one\"\n\
        mesh = \"stool\"\n";
    let recording = run(text, "particles");
    let options = RecordingOptions { binary: false, ..RecordingOptions::default() };
    let written = export(&recording, &Skins::default(), &options).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&written.file).unwrap();
    assert_eq!((json["meshes"].as_array().unwrap().len(), json["nodes"].as_array().unwrap().len()), (2, 7));
}

#[test]
fn meshes_that_are_no_bodies_are_refused_by_key_and_line() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mesh_bodies");
    std::fs::create_dir_all(&folder).unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    std::fs::write(folder.join("open.obj"), format!("{corners}f 1 3 2\nf 1 2 4\nf 1 4 3\n")).unwrap();
    std::fs::write(folder.join("turned.obj"), format!("{corners}f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n")).unwrap();
    std::fs::write(folder.join("flat.obj"), "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n").unwrap();
    let built = |mesh: &str, more: &str| {
        let text = format!("[[body]]\nname = \"b\"\n{more}mesh = \"{mesh}\"\n");
        let scene = read(text.as_bytes()).unwrap();
        let (assets, _) = load(&scene, &folder).map_err(|fault| located(text.as_bytes(), &fault).to_string())?;
        World::new(scene, &assets).map_err(|fault| located(text.as_bytes(), &fault).to_string())
    };
    for (mesh, more, said) in [
        ("open.obj", "", "mass_from_hull"),
        ("flat.obj", "", "flat in all its pieces"),
        ("skitle", "", "did you mean “skittle”?"),
        ("none.obj", "", "is neither skittle, stool nor a file"),
    ] {
        let told = built(mesh, more).map(|_| ()).unwrap_err();
        assert!(told.contains(said) && told.contains(":3:"), "{told}");
    }
    assert!(read(b"[[body]]\nname = \"b\"\n").unwrap_err().to_string().contains("mesh"));
    // A tetrahedron of 1/6 m³, once by its hull and once with its triangles turned inward.
    for (mesh, more) in [("open.obj", "mass_from_hull = true\n"), ("turned.obj", "")] {
        let world = built(mesh, more).unwrap_or_else(|told| panic!("{mesh}: {told}"));
        assert_eq!(world.mass(), 1.0, "{mesh}");
    }
}

#[test]
fn a_ball_with_rolling_resistance_stops_where_its_work_is_done() {
    // A moment ρ m g about the contact brakes rolling: m v dv/ds (1 + 2/5) = −ρ m g / r.
    let text = "[scene]\nseconds = 4.0\nground = 0.0\nground_friction = 1.0\n[[ball]]\nname = \"ball\"\nradius = 0.1\nfriction = 1.0\n\
        position = [0.0, 0.1, 0.0]\nvelocity = [1.0, 0.0, 0.0]\nspin = [0.0, 0.0, -10.0]\nrestitution = 0.0\nrolling = 0.005\n";
    for (method, within) in [("particles", 0.01), ("multipliers", 0.05), ("displacement", 0.05)] {
        let recording = run(text, method);
        let way = poses(&recording, "ball").last().unwrap().0.x;
        let expected = 0.7 * 0.1 / (0.005 * 9.81);
        assert!((way / expected - 1.0).abs() < within, "{method}: {way} {expected}");
        assert_eq!(recording.measures.last().unwrap().asleep, 1.0, "{method}");
    }
}
