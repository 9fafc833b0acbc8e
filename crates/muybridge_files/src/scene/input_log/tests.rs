//! Input logs written and read back, and errors of invalid logs.

use muybridge::simulation::input_log::{Fingerprint, settings_of};
use muybridge::simulation::scene::Method;

use super::*;
use crate::Location;
use crate::scene::{built_in, read};

/// A log with one input of every kind, with numbers that need all their digits.
fn log() -> InputLog {
    let mut scene = read(built_in::SCENES[0].1.as_bytes()).unwrap();
    let part = PartPath::from("man/LeftHand \"é\"");
    let place = DVec3::new(0.1 + 0.2, -0.0, 1.0 / 3.0);
    let before = scene.clone();
    (scene.solver.method, scene.setting.gravity.y) = (Method::Hennix, -1.0 / 7.0);
    (scene.solver.rigid.k_s, scene.solver.rigid.k_d) = (Some(1e5 / 3.0), Some(0.1));
    let inputs = vec![
        (0, Input::Hold { part: part.clone(), place }),
        (0, Input::Pull { to: place * 3.0, most_force: f64::INFINITY }),
        (7, Input::Pull { to: place * 7.0, most_force: 2500.0 }),
        (7, Input::LetGo),
        (9, Input::Push { part, place, impulse: -place }),
        (12, Input::Tune(Box::new(settings_of(&scene)))),
        (12, Input::Tune(Box::new(settings_of(&before)))),
        (30, Input::Change(Box::new(scene))),
    ];
    let marks = vec![(10, Fingerprint(0)), (20, Fingerprint(u64::MAX))];
    InputLog { scene: before, inputs, marks, end: Some((31, Fingerprint(0x0123_4567_89ab_cdef))) }
}

#[test]
fn h22_a_log_is_read_back_the_same() {
    let log = log();
    let text = write_log(&log);
    assert!(is_log(text.as_bytes()));
    assert_eq!(read_log(text.as_bytes()).unwrap(), log, "{text}");
    let cut = InputLog { end: None, marks: Vec::new(), ..log };
    assert_eq!(read_log(write_log(&cut).as_bytes()).unwrap(), cut);
}

#[test]
fn what_is_wrong_with_a_log_is_said_with_its_place() {
    let head = "[input_log]\nversion = 3\n";
    let cases = [
        ("[input_log]\nversion = 2\n", 2, "an earlier version of muybridge"),
        ("[input_log]\nversion = 4\n", 2, "[input_log] version is 4, but only version 3 can be read; update muybridge"),
        ("[input_log]\nversion = 3\nend = 3\nsum = \"xyz\"\n", 4, "sixteen hexadecimal digits"),
        ("[input_log]\nversion = 3\nbegin = 3\n", 3, "no key “begin”"),
        (&format!("{head}[[input]]\nstep = 1\n"), 3, "[[input]] needs kind"),
        (&format!("{head}[[input]]\nstep = 1\nkind = \"pul\"\n"), 5, "pull"),
        (&format!("{head}[[input]]\nstep = 1\nkind = \"hold\"\n"), 3, "name the thing or bone that is held or pushed"),
        (&format!("{head}[[input]]\nstep = 1\nkind = \"pull\"\nforce = 0\n"), 6, "above 0"),
        (
            &format!("{head}[[input]]\nstep = 1\nkind = \"push\"\nof = \"a\"\nimpulse = [nan, 0, 0]\n"),
            7,
            "must be a finite number",
        ),
        (&format!("{head}[[input]]\nstep = 4\nkind = \"let_go\"\n[[input]]\nstep = 3\nkind = \"let_go\"\n"), 7, "is 3"),
        (
            &format!("{head}[[input]]\nstep = 4\nkind = \"tune\"\nscene = \"[scen]\"\n"),
            6,
            "does not hold a valid scene",
        ),
        (&format!("{head}[[mark]]\nstep = 4\nsum = \"12\"\n[[mark]]\nstep = 2\nsum = \"12\"\n"), 7, "is 2"),
        (&format!("{head}[scene]\nrate = -1.0\n"), 4, "rate"),
        (&format!("{head}[[bal]]\n"), 3, "did you mean ball?"),
    ];
    for (text, line, words) in cases {
        let error = read_log(text.as_bytes()).unwrap_err();
        assert!(matches!(error.place, Location::Text { line: found, .. } if found == line), "{error}\n{text}");
        assert!(error.to_string().contains(words), "“{words}” expected in {error}");
    }
    let error = read(write_log(&log()).as_bytes()).unwrap_err().to_string();
    assert!(error.contains("--replay"), "{error}");
}
