//! Tests of poses and work in `simulate --json`: closed forms of free bodies, the clips that the same run writes, and counts
//! that follow from the scene.

use std::path::Path;

use muybridge::motion::WorldMotion;
use muybridge_files::open::{OpenOptions, open};
use muybridge_files::prepare::{Preparation, prepare};
use serde_json::Value;

use crate::program::{Folder, muybridge};

const METHODS: [&str; 4] = ["particles", "multipliers", "displacement", "hennix"];

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

fn run(arguments: &[&str]) -> Value {
    let said = muybridge([&["simulate", "--json"], arguments].concat());
    assert_eq!(said.code, Some(0), "{}", said.err);
    serde_json::from_str(&said.out).unwrap()
}

/// Rows of numbers of the pose of a body or bone.
fn rows(document: &Value, of: &str, key: &str) -> Vec<Vec<f64>> {
    let poses = document["poses"].as_array().unwrap();
    let pose = poses.iter().find(|pose| pose["of"] == of).unwrap_or_else(|| panic!("no pose of {of}"));
    let row = |row: &Value| row.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect();
    pose[key].as_array().unwrap().iter().map(row).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// Angle between two orientations, radians.
fn turn(a: &[f64], b: &[f64]) -> f64 {
    let negative: Vec<f64> = b.iter().map(|b| -b).collect();
    2.0 * distance(a, b).min(distance(a, &negative))
}

#[test]
fn a_free_body_flies_along_its_parabola_and_turns_at_a_constant_rate() {
    // p = p₀ + v t + g t²/2, and half the angle ω t about a principal axis.
    let folder = Folder::new();
    let scene = "[scene]\nseconds = 0.5\nrate = 100.0\ngravity = [0.0, -10.0, 0.0]\n\
                 [[box]]\nname = \"crate\"\nsize = [0.2, 0.4, 0.6]\nposition = [1.0, 5.0, -2.0]\nvelocity = [1.0, 2.0, 0.5]\nspin = [0.0, 3.0, 0.0]\n\
                 [[ball]]\nname = \"ball\"\nposition = [-3.0, 5.0, 0.0]\nvelocity = [0.0, 1.0, 0.0]\ngrid = [2, 1, 1]\nspacing = [-2.0, 0.0, 0.0]\n";
    let file = folder.file("free.toml", scene);
    for method in METHODS {
        let document = run(&[text(&file), "--method", method]);
        let crates = rows(&document, "crate", "position_m");
        assert_eq!(crates.len(), 51);
        let (balls, turns) = (rows(&document, "ball 2", "position_m"), rows(&document, "crate", "rotation_xyzw"));
        for frame in 0..51 {
            let t = 0.01 * frame as f64;
            let fall = |height: f64, speed: f64| height + speed * t - 5.0 * t * t;
            let along = distance(&crates[frame], &[1.0 + t, fall(5.0, 2.0), -2.0 + 0.5 * t]);
            assert!(along < 1e-9, "{method}, frame {frame}: {along}");
            assert!(distance(&balls[frame], &[-4.0, fall(5.0, 1.0), 0.0]) < 1e-9, "{method}, frame {frame}");
            let (sine, cosine) = (1.5 * t).sin_cos();
            let off = turn(&turns[frame], &[0.0, sine, 0.0, cosine]);
            assert!(off < 1e-5, "{method}, frame {frame}: {off}");
        }
    }
}

#[test]
fn each_link_of_a_chain_of_rigid_bodies_falls_freely_and_points_along_the_chain() {
    let folder = Folder::new();
    let scene = "[scene]\nseconds = 0.3\nrate = 100.0\ngravity = [0.0, -10.0, 0.0]\n[solver]\nmethod = \"multipliers\"\n\
                 [[rope]]\nname = \"chain\"\nfrom = [0.0, 3.0, 0.0]\nto = [2.0, 3.0, 0.0]\nsegments = 4\nmass = 1.0\ndamping = 0.0\n";
    let file = folder.file("chain.toml", scene);
    let document = run(&[text(&file)]);
    assert_eq!(document["poses"].as_array().unwrap().len(), 4);
    for link in 0..4 {
        let name = format!("chain/{}", link + 1);
        let (places, turns) = (rows(&document, &name, "position_m"), rows(&document, &name, "rotation_xyzw"));
        for (frame, (place, rotation)) in places.iter().zip(&turns).enumerate() {
            let t = 0.01 * frame as f64;
            let wanted = [0.25 + 0.5 * f64::from(link), 3.0 - 5.0 * t * t, 0.0];
            assert!(distance(place, &wanted) < 1e-9, "{name}, frame {frame}: {place:?}");
            // From y, the axis of a link, to x: a quarter turn about −z.
            let quarter = 0.5_f64.sqrt();
            assert!(turn(rotation, &[0.0, 0.0, -quarter, quarter]) < 1e-9, "{name}, frame {frame}: {rotation:?}");
        }
    }
}

#[test]
fn bones_stand_where_the_clips_of_the_same_run_have_them() {
    let folder = Folder::new();
    for (method, extension) in
        [("particles", "glb"), ("particles", "bvh"), ("multipliers", "glb"), ("displacement", "bvh")]
    {
        let clip = folder.path(&format!("{method}.{extension}"));
        let document = run(&["drop", "--seconds", "0.8", "--method", method, "-o", text(&clip)]);
        let opened = open(&clip, &OpenOptions::default()).unwrap();
        let read = prepare(&opened.imported, 0, &Preparation::default()).unwrap();
        let (skeleton, world) = (&read.character.skeleton, WorldMotion::new(&read.character.skeleton, &read.clip));
        let bones: Vec<&str> = skeleton.bones().iter().map(|bone| bone.name.as_str()).collect();
        assert_eq!(document["characters"][0]["bones"], bones.len());
        let mut swung = 0.0_f64;
        for (bone, name) in bones.iter().enumerate() {
            let part = format!("person/{name}");
            let (places, turns) = (rows(&document, &part, "position_m"), rows(&document, &part, "rotation_xyzw"));
            assert_eq!(places.len(), read.clip.frames());
            for frame in 0..places.len() {
                // The numbers of a GLB have 24 bits, those of a BVH some digits.
                let apart = distance(&places[frame], &world.position(bone, frame).to_array());
                assert!(apart < 2e-5, "{method} {extension}, {part}, frame {frame}: {apart} m");
                let off = turn(&turns[frame], &world.rotation(bone, frame).to_array());
                assert!(extension == "bvh" || off < 1e-5, "{method}, {part}, frame {frame}: {off} rad");
                swung = swung.max(turn(&turns[frame], &turns[0]));
            }
        }
        assert!(swung > 0.2, "{method}: it turns by {swung}");
    }
}

#[test]
fn a_small_herd_has_poses_and_a_large_one_a_note() {
    let folder = Folder::new();
    let scene = "[scene]\nseconds = 0.1\nground = 0.0\n[[herd]]\nname = \"few\"\ncount = 3\nspacing = 2.0\n";
    let file = folder.file("few.toml", scene);
    for method in ["particles", "multipliers"] {
        let document = run(&[text(&file), "--method", method]);
        let bones = document["characters"][0]["bones"].as_u64().unwrap() as usize;
        assert_eq!(document["poses"].as_array().unwrap().len(), 3 * bones);
        assert!(rows(&document, "few 3/Hips", "position_m").iter().all(|place| place[1] > 0.5));
    }
    let document = run(&["herd", "--seconds", "0.5"]);
    assert_eq!(document["poses"].as_array().map(Vec::len), Some(0));
    assert!(document["notes"].to_string().contains("poses are left out of the JSON"), "{}", document["notes"]);
}

#[test]
fn the_work_of_the_solver_is_counted_by_frame() {
    let folder = Folder::new();
    let scene = |substeps: u32, height: f64| {
        format!(
            "[scene]\nseconds = 0.1\nground = 0.0\n[solver]\nframes_before_sleep = 0\n[solver.particles]\nsubsteps = {substeps}\n\
             [solver.rigid]\nsubsteps = {substeps}\n[[box]]\nname = \"crate\"\nsize = [0.2, 0.2, 0.2]\nposition = [0.0, {height}, 0.0]\n"
        )
    };
    let counts = |document: &Value, count: &str| -> Vec<u64> {
        let rows = document["work"][count]["per_frame"].as_array().unwrap();
        let rows: Vec<u64> = rows.iter().map(|row| row.as_u64().unwrap()).collect();
        assert_eq!(document["work"][count]["total"], rows.iter().sum::<u64>());
        rows[1..].to_vec()
    };
    // A box that rests on the ground: one pair, four corners, in each substep. One tree, factored at the start and after each.
    let resting = folder.file("resting.toml", &scene(5, 0.1));
    let document = run(&[text(&resting), "--method", "multipliers"]);
    for (count, wanted) in [("substeps", 5), ("pairs", 5), ("contacts", 20), ("factorizations", 6)] {
        assert_eq!(counts(&document, count), [wanted; 6], "{count}");
    }
    assert!(counts(&document, "corrections").iter().all(|&contacts| contacts >= 20));
    assert!(document["work"]["contact_corrections"].is_null());
    // A box that falls from ten meters meets nothing.
    let falling = folder.file("falling.toml", &scene(8, 10.0));
    for method in METHODS {
        let document = run(&[text(&falling), "--method", method]);
        for (count, wanted) in [("substeps", 8), ("contacts", 0)] {
            assert_eq!(counts(&document, count), [wanted; 6], "{method}, {count}");
        }
    }
    let document = run(&[text(&falling), "--method", "particles"]);
    for (count, wanted) in [("pairs", 0), ("passes", 8), ("corrections", 8), ("contact_corrections", 0)] {
        assert_eq!(counts(&document, count), [wanted; 6], "{count}");
    }
    assert!(document["work"]["factorizations"].is_null());
    let told = muybridge(["simulate", text(&resting), "--method", "multipliers"]).out;
    assert!(told.contains("work         5 substeps, 5 pairs, 20 contacts, "), "{told}");
}
