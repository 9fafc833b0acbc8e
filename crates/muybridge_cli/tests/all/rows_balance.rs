//! Rows R20 to R22: poses of people, balance and recovery, by the program on a person made here.

use muybridge::glam::{DQuat, DVec3};
use serde_json::Value;

use crate::program::{Folder, muybridge};
use crate::rows_momenta::{PERSON, hierarchy};
use crate::rows_shapiro::{HEAD, bvh, modes};

/// Turns of bones about z, x and y, degrees; all others are 0.
type Pose<'a> = &'a [(&'a str, [f64; 3])];

/// A person who leans forward and aside, with bent knees and feet aslant.
const LEANING: Pose = &[
    ("Hips", [6.0, 8.0, -10.0]),
    ("Spine", [4.0, 15.0, 5.0]),
    ("LeftArm", [-50.0, 10.0, 20.0]),
    ("RightArm", [70.0, -20.0, 0.0]),
    ("LeftUpLeg", [5.0, -40.0, 0.0]),
    ("LeftLeg", [0.0, 35.0, 0.0]),
    ("RightUpLeg", [-12.0, -10.0, 8.0]),
    ("RightLeg", [0.0, 20.0, 0.0]),
];

/// Frames in a pose, as a BVH of the person.
fn clip(pose: Pose<'_>, frames: usize) -> String {
    // In the order of the file: each bone, then all below it.
    fn order(bone: &str, all: &mut Vec<String>) {
        all.push(bone.to_owned());
        PERSON.iter().filter(|(_, parent, _)| *parent == bone).for_each(|(name, ..)| order(name, all));
    }
    let mut bones = Vec::new();
    order("Hips", &mut bones);
    let mut row = vec![0.0, 0.95, 0.0];
    for bone in bones {
        row.extend(pose.iter().find(|(name, _)| *name == bone).map_or([0.0; 3], |(_, turn)| *turn));
    }
    bvh(&hierarchy("Hips"), &vec![row; frames], 30.0)
}

/// Mass and mass center in the bone of each of the person's bones.
fn body(index: usize) -> (f64, DVec3) {
    let index = index as f64;
    (2.0 + 0.5 * index, DVec3::new(0.01 * (index - 9.0), 0.03, 0.002 * index))
}

fn masses() -> String {
    let row = |(index, (name, ..)): (usize, &(&str, &str, [f64; 3]))| {
        let (mass, DVec3 { x, y, z }) = body(index);
        format!("{name},{mass},{x},{y},{z},0.05,0.05,0.05\n")
    };
    HEAD.to_owned() + &PERSON.iter().enumerate().map(row).collect::<String>()
}

/// A run of a scene in which `[[ragdoll]]` is the person in a pose.
fn run(scene: &str, pose: Pose<'_>, mode: [&str; 2]) -> Value {
    let folder = Folder::new();
    folder.file("man.bvh", &clip(pose, 200));
    folder.file("body.csv", &masses());
    let scene = folder.file("scene.toml", scene).display().to_string();
    let said = muybridge(["simulate", &scene, "--json", mode[0], mode[1]]);
    assert_eq!(said.code, Some(0), "{mode:?}: {}", said.err);
    serde_json::from_str(&said.out).expect("JSON")
}

/// Place and orientation of a bone in a frame.
fn pose(run: &Value, bone: &str, frame: usize) -> (DVec3, DQuat) {
    let of = format!("man/{bone}");
    let entry = run["poses"].as_array().expect("poses").iter().find(|entry| entry["of"] == *of).expect("a bone");
    let numbers = |key: &str| -> Vec<f64> {
        entry[key][frame].as_array().expect("numbers").iter().map(|number| number.as_f64().expect("a number")).collect()
    };
    (DVec3::from_slice(&numbers("position_m")), DQuat::from_slice(&numbers("rotation_xyzw")))
}

/// Center of mass in a frame: the mean over the bodies.
fn mass_center(run: &Value, frame: usize) -> DVec3 {
    let part = |(index, (name, ..)): (usize, &(&str, &str, [f64; 3]))| {
        let ((mass, center), (place, turn)) = (body(index), pose(run, name, frame));
        (mass * (place + turn * center), mass)
    };
    let (sum, mass) =
        PERSON.iter().enumerate().map(part).fold((DVec3::ZERO, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    sum / mass
}

/// Horizontal distance of a place from the line between two others, meters.
fn off_line(place: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let flat = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
    let along = flat(b - a);
    let share = (flat(place - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    flat(place - a - share * along).length()
}

#[test]
fn r21_a_balanced_start_has_its_mass_center_over_the_line_between_feet_that_stay() {
    let scene = |key: &str| {
        format!(
            "[scene]\nseconds = 0.05\nrate = 60\n[[ragdoll]]\nname = \"man\"\ncharacter = \"man.bvh\"\nunit = \"m\"\n\
             body = \"body.csv\"\nclip = \"man\"\ntime = 1.0\nposition = [1.0, 0.3, -2.0]\nrotation = [0.0, 0.7, 0.0]\n{key}\n"
        )
    };
    for mode in modes() {
        let [leaning, balanced] = ["", "balanced = true"].map(|key| run(&scene(key), LEANING, mode));
        let feet = |run: &Value| ["LeftFoot", "RightFoot"].map(|bone| pose(run, bone, 0));
        let off = |run: &Value| off_line(mass_center(run, 0), feet(run).map(|foot| foot.0));
        assert!(off(&leaning) > 0.05, "{mode:?}: {} m", off(&leaning));
        assert!(off(&balanced) < 1e-3, "{mode:?}: {} m", off(&balanced));
        for (before, after) in feet(&leaning).into_iter().zip(feet(&balanced)) {
            assert!(before.0.distance(after.0) < 1e-6 && before.1.angle_between(after.1) < 1e-6, "{mode:?}");
        }
    }
    let fail = |scene: &str| {
        let folder = Folder::new();
        folder.file("man.bvh", &clip(LEANING, 200));
        folder.file("body.csv", &masses());
        let said = muybridge(["simulate".into(), folder.file("scene.toml", scene)]);
        assert_eq!(said.code, Some(2));
        said.err
    };
    let crate_alone = "[[ragdoll]]\nname = \"beast\"\ncharacter = \"quadruped\"\nbalanced = true\n";
    assert!(fail(crate_alone).contains("it has no bones with the roles of both feet"), "{}", fail(crate_alone));
    let released = scene("balanced = true") + "[[release]]\nof = \"man\"\ntime = 0.01\n";
    assert!(fail(&released).contains("starts at rest in balance"), "{}", fail(&released));
}

/// Another pose than the T-pose in which the person starts, in degrees.
const REACHED: Pose = &[
    ("Spine", [1.0, 5.0, 2.0]),
    ("LeftArm", [-15.0, 3.0, 6.0]),
    ("RightArm", [20.0, -6.0, 0.0]),
    ("LeftForeArm", [0.0, 0.0, -12.0]),
    ("LeftUpLeg", [2.0, -12.0, 0.0]),
    ("LeftLeg", [0.0, 10.0, 0.0]),
    ("RightLeg", [0.0, 6.0, 0.0]),
];

#[test]
fn r20_without_gravity_a_pose_is_reached_within_a_tenth_of_a_degree() {
    // Five periods of the frequency of a joint whose neighbors are locked; together joints are slower and less damped. The one step
    // of jakobsen is short here, since it lags by its length.
    let scene = |rate: u32| {
        format!(
            "[scene]\nseconds = 1.25\nrate = {rate}\ngravity = [0.0, 0.0, 0.0]\n[solver]\nframes_before_sleep = 0\n[[ragdoll]]\n\
             name = \"man\"\ncharacter = \"man.bvh\"\nunit = \"m\"\nself_collision = false\njoint_limits = false\n\
             hinges = false\njoint_friction = 0.0\n[[follow]]\nof = \"man\"\nclip = \"man\"\nfrequency = 4.0\ndamping = 1.5\n"
        )
    };
    for mode in modes() {
        let run = run(&scene(if mode[1] == "jakobsen" { 960 } else { 60 }), REACHED, mode);
        let last = run["frames"].as_u64().expect("a number") as usize - 1;
        for (name, parent, _) in PERSON.into_iter().filter(|(_, parent, _)| !parent.is_empty()) {
            let [z, x, y] = REACHED.iter().find(|(bone, _)| *bone == name).map_or([0.0; 3], |(_, turn)| *turn);
            let [z, x, y] = [z, x, y].map(f64::to_radians);
            let truth = DQuat::from_rotation_z(z) * DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y);
            let turn = |frame: usize| pose(&run, parent, frame).1.conjugate() * pose(&run, name, frame).1;
            let off = turn(last).angle_between(truth).to_degrees();
            assert!(off < 0.1, "{mode:?} {name}: {off}°, at the start {}°", turn(0).angle_between(truth).to_degrees());
        }
    }
}

#[test]
fn r22_a_person_who_is_pushed_steps_and_comes_to_rest_over_its_feet() {
    let scene = |push: DVec3, steps: bool| {
        format!(
            "[scene]\nseconds = 6.2\nrate = 480\nground = 0.0\n[solver]\nframes_before_sleep = 0\n[[ragdoll]]\nname = \"man\"\n\
             [[stand]]\nof = \"man\"\nsteps = {steps}\n[[hit]]\nof = \"man/Chest\"\ntime = 0.5\nimpulse = {:?}\n",
            push.to_array()
        )
    };
    // From the front, from behind, from both sides: a person faces along z.
    let pushes = [DVec3::Z * -50.0, DVec3::Z * 40.0, DVec3::X * 25.0, DVec3::X * -25.0];
    for (push, method) in pushes.into_iter().flat_map(|push| [(push, "multipliers"), (push, "displacement")]) {
        let found = run(&scene(push, true), LEANING, ["--method", method]);
        let last = found["frames"].as_u64().expect("a number") as usize - 1;
        let feet = |frame: usize| ["LeftFoot", "RightFoot"].map(|bone| pose(&found, bone, frame).0);
        let moves = |frame: usize| (0..2).any(|foot| feet(frame)[foot].distance(feet(frame - 1)[foot]) > 1e-4);
        let landed = (1..last).rev().find(|&frame| moves(frame)).expect("a step");
        assert!(
            (0..2).any(|foot| feet(last)[foot].distance(feet(0)[foot]) > 0.3),
            "{push}, {method}: a foot was moved"
        );
        // Ten times 1/ω_0 = √(h/g) after the foot is down, with the height of the mass center over the ground at most 1 m.
        let rest = landed + (480.0 * 10.0 * (1.0_f64 / 9.81).sqrt()).ceil() as usize;
        assert!(rest < last, "{push}, {method}: the last step ended at {} s", landed as f64 / 480.0);
        let speed = |frame: usize| {
            let momentum = &found["per_frame"]["momentum_kgmps"][frame];
            let [x, z] = [0, 2].map(|axis| momentum[axis].as_f64().expect("a number"));
            x.hypot(z) / found["characters"][0]["mass_kg"].as_f64().expect("a mass")
        };
        assert!((rest..last).all(|frame| speed(frame) < 1e-3), "{push}, {method}: {} m/s", speed(rest));
        let hips = pose(&found, "Hips", last).0.y;
        assert!(hips > 0.8, "{push}, {method}: the hips are at {hips} m");
    }
    let fallen = run(&scene(pushes[0], false), LEANING, ["--method", "multipliers"]);
    let hips = pose(&fallen, "Hips", fallen["frames"].as_u64().expect("a number") as usize - 1).0.y;
    assert!(hips < 0.5, "without steps the hips are at {hips} m");
}
