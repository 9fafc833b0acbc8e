//! The old names of options do what the new ones do, and say so once.

use crate::checking::thrown_bvh;
use crate::program::{Folder, muybridge};

#[test]
fn an_old_name_means_the_new_one_and_is_told_once() {
    let folder = Folder::new();
    let throw = folder.file("throw.bvh", &thrown_bvh(61, 60.0, 4.0));
    let throw = throw.to_string_lossy();
    let scene = ["simulate", "throw", "--seconds", "0.1", "--print-scene"];
    let fix = ["fix", &*throw, "--dry-run", "--json"];
    let cases: [(&[&str], &str, &str, &str); 5] = [
        (&["check", "--json"], "--velocity", "--velocity-scheme", "backward"),
        (&fix, "--velocity", "--velocity-scheme", "backward"),
        (&fix, "--only", "--tools", "feet"),
        (&scene, "--mode", "--particle-mode", "xpbd"),
        (&scene, "--rate", "--fps", "30"),
    ];
    for (call, old, new, value) in cases {
        let run = |option: &str| muybridge(call.iter().copied().chain([option, value]));
        let (before, after, plain) = (run(old), run(new), muybridge(call));
        assert_eq!((before.code, &before.out), (after.code, &after.out), "{old}");
        assert_ne!(before.out, plain.out, "{old} has no effect");
        let note = format!("{old} is now called {new}");
        assert_eq!((before.err.matches(&note).count(), after.err.matches(&note).count()), (1, 0), "{}", before.err);
    }
    for (verb, old) in [("check", "--velocity"), ("fix", "--only"), ("simulate", "--rate")] {
        let help = muybridge([verb, "--help"]).out;
        assert!(!help.contains(&format!("{old} ")), "the help of {verb} shows {old}");
    }
}
