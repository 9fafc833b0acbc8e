//! Tests that the report on a terminal says what is so: signs, bodies that are none, and reasons for a fallback.

use crate::checking::{Folder, check, clip, shared};

/// A joint of a BVH: name, depth in the tree and offset.
type Joint = (&'static str, usize, [f64; 3]);

/// A BVH of joints, in the order of the tree, each ending 0.3 m below if it is a leaf. The root stands at `root` and the
/// last joint swings about x.
fn swinging(joints: &[Joint], root: [f64; 3]) -> String {
    let mut text = String::from("HIERARCHY\n");
    for (at, (name, depth, [x, y, z])) in joints.iter().enumerate() {
        let next = joints.get(at + 1).map_or(0, |next| next.1);
        let (word, channels) = match depth {
            0 => ("ROOT", "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"),
            _ => ("JOINT", "3 Zrotation Xrotation Yrotation"),
        };
        text += &format!("{word} {name}\n{{\nOFFSET {x} {y} {z}\nCHANNELS {channels}\n");
        if next <= *depth {
            text += "End Site\n{\nOFFSET 0 -0.3 0\n}\n";
        }
        (next..=*depth).for_each(|_| text += "}\n");
    }
    text += "MOTION\nFrames: 40\nFrame Time: 0.0333333\n";
    for frame in 0..40 {
        let turn = 5.0 * f64::from(frame).sin();
        text += &format!("{} {} {}", root[0], root[1], root[2]);
        text += &" 0 0 0".repeat(joints.len() - 1);
        text += &format!(" 0 {turn} 0\n");
    }
    text
}

/// Text without line breaks and repeated spaces.
fn flowed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const STRIP: [Joint; 3] = [("a", 0, [0.0; 3]), ("b", 1, [0.0, -0.5, 0.0]), ("c", 2, [0.0, -0.5, 0.0])];

const DOG: [Joint; 9] = [
    ("trunk", 0, [0.0; 3]),
    ("a1", 1, [0.1, 0.0, -0.3]),
    ("a2", 2, [0.0, -0.3, 0.0]),
    ("b1", 1, [-0.1, 0.0, -0.3]),
    ("b2", 2, [0.0, -0.3, 0.0]),
    ("c1", 1, [0.1, 0.0, 0.4]),
    ("c2", 2, [0.0, -0.3, 0.0]),
    ("d1", 1, [-0.1, 0.0, 0.4]),
    ("d2", 2, [0.0, -0.3, 0.0]),
];

#[test]
fn a_strip_of_bones_is_undecided_and_the_report_says_why() {
    let folder = Folder::new("strip");
    let file = folder.file("strip.bvh", swinging(&STRIP, [0.0, 1.3, 0.0]));
    let found = clip([&file, "--unit", "m"]);
    let why = found["no_body"].as_str().unwrap();
    assert!(found["verdict"] == "undecided" && why.contains("chain of 3 bones"), "{why}");
    assert!(flowed(&check([&file, "--unit", "m"]).out).contains(why));
}

#[test]
fn cubes_are_undecided_and_no_sign_says_that_they_balance() {
    let file = shared("gltf/interpolation_test.gltf");
    let ran = check([&file, "--clip", "CubicSpline Translation"]);
    let line =
        |word: &str| ran.out.lines().find(|line| line.starts_with(word)).unwrap_or_else(|| panic!("{}", ran.out));
    assert!(
        line("  balance").contains("inside support 80 %") && !line("  balance").ends_with('\u{2713}'),
        "{}",
        ran.out
    );
    assert!(flowed(&ran.out).contains("There is no body to judge: 9 solids that no bone joins."), "{}", ran.out);
    assert!(line("undecided: 0 errors").len() > 10);
}

#[test]
fn a_body_with_limbs_is_judged_and_the_report_says_why_its_masses_are_guessed() {
    let folder = Folder::new("dog");
    let file = folder.file("dog.bvh", swinging(&DOG, [0.0, 0.6, 0.0]));
    let found = clip([&file, "--unit", "m"]);
    assert!(found["no_body"].is_null() && found["verdict"] != "undecided", "{}", found["verdict"]);
    let out = flowed(&check([&file, "--unit", "m"]).out);
    assert!(out.contains("body weighed by the volume of its bones: "), "{out}");
}
