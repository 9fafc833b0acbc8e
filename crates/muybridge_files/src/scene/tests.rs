//! Scenes written and read back, and errors of invalid scenes.

use muybridge::behavior::action::{PlanStep, Wait};
use muybridge::glam::DVec3;
use muybridge::math::Random;
use muybridge::simulation::Scene;
use muybridge::simulation::scene::slot::{KeySlot, PartPath, Waypoint};
use muybridge::simulation::scene::{Thing, Visitor, Walker};

use super::read::parse;
use super::write::TomlLines;
use super::{built_in, notes, read, write};

/// Fills every key with random values: any finite bits, any text.
struct Chance(Random);

impl Chance {
    fn number(&mut self) -> f64 {
        // All exponents are equally likely.
        loop {
            let bits = (self.below(1 << 32) as u64) << 32 | self.below(1 << 32) as u64;
            let number = f64::from_bits(bits);
            if number.is_finite() {
                return number;
            }
        }
    }

    fn below(&mut self, end: usize) -> usize {
        (self.0.unit() * end as f64) as usize
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    fn index(&mut self) -> u32 {
        self.below(1 << 32) as u32
    }

    fn text(&mut self) -> String {
        const LETTERS: [char; 14] = ['a', 'Z', '9', ' ', '"', '\\', '\n', '\t', '\'', '#', 'é', '骨', '🦴', '\u{1}'];
        (0..self.below(8)).map(|_| LETTERS[self.below(LETTERS.len())]).collect()
    }

    fn many<T>(&mut self, make: impl Fn(&mut Self) -> T) -> Vec<T> {
        (0..self.below(4)).map(|_| make(self)).collect()
    }
}

impl Chance {
    fn step(&mut self, depth: usize) -> PlanStep {
        let kinds = if depth > 0 { 13 } else { 8 };
        let steps = |chance: &mut Self| chance.many(|chance| chance.step(depth - 1));
        match self.below(kinds) {
            0 => PlanStep::Act(self.text()),
            1 => PlanStep::Begin(self.text()),
            2 => PlanStep::Cancel(self.text()),
            3 => PlanStep::Wait(Wait::Seconds(self.number())),
            4 => PlanStep::Wait(Wait::Arrival(self.text())),
            5 => PlanStep::Wait(Wait::Contact { of: self.text(), with: self.text() }),
            6 => PlanStep::Wait(Wait::Near { of: self.text(), to: self.text(), within: self.number() }),
            7 => PlanStep::Wait(Wait::Condition(self.text())),
            8 => PlanStep::Sequence(steps(self)),
            9 => PlanStep::Parallel(steps(self)),
            10 => PlanStep::Race(steps(self)),
            11 => PlanStep::Repeat { times: self.index(), step: Box::new(PlanStep::Sequence(steps(self))) },
            _ => PlanStep::Repeat { times: self.index(), step: Box::new(self.step(depth - 1)) },
        }
    }
}

impl Visitor for Chance {
    fn slot(&mut self, _: &'static str, slot: KeySlot<'_>) {
        match slot {
            KeySlot::Name(place) | KeySlot::Text(place) => *place = self.text(),
            KeySlot::Part(place) => *place = PartPath(self.text()),
            KeySlot::Flag(place) => *place = self.below(2) == 1,
            KeySlot::Choice(place) => place.set(self.below(place.words().len())),
            KeySlot::Choices(place) => {
                let words = place.words().len();
                place.set(&self.many(|chance| chance.below(words)));
            }
            KeySlot::Count(place, _) => *place = self.index(),
            KeySlot::Grid(place) => *place = [self.index(), self.index(), self.index()],
            KeySlot::Number(place, _) | KeySlot::Angle(place, _) => *place = self.number(),
            KeySlot::Optional(place, _) => *place = (self.below(2) == 1).then(|| self.number()),
            KeySlot::Angles(place) => *place = [self.number(), self.number()],
            KeySlot::Vector(place, _) | KeySlot::Turn(place) => *place = self.vector(),
            KeySlot::Numbers(place, _) => *place = self.many(Self::number),
            KeySlot::Place(place) => *place = (self.below(2) == 1).then(|| self.vector()),
            KeySlot::Steps(place) => *place = self.many(|chance| chance.step(3)),
            KeySlot::Vectors(place) => *place = self.many(Self::vector),
            KeySlot::Path(place) => {
                *place = self.many(|chance| Waypoint { time: chance.number(), place: chance.vector() });
            }
            KeySlot::Indices(place) => *place = self.many(Self::index),
            KeySlot::Pairs(place) => *place = self.many(|chance| [chance.index(), chance.index()]),
            KeySlot::Triples(place) => *place = self.many(|chance| [chance.index(), chance.index(), chance.index()]),
        }
    }
}

impl Walker for Chance {
    fn one<T: Thing>(&mut self, section: &mut T) {
        section.visit(self);
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        for _ in 0..self.below(3) {
            let mut thing = T::default();
            if self.below(4) > 0 {
                thing.visit(self);
            }
            things.push(thing);
        }
    }
}

/// Text of a scene that has the bits of every number, so that −0 differs from 0.
fn bits(scene: &Scene) -> String {
    write(scene)
}

#[test]
fn r26_a_random_scene_is_read_back_to_the_last_bit() {
    let mut chance = Chance(Random::new(26));
    let mut longest = 0;
    for _ in 0..400 {
        let mut scene = Scene::default();
        scene.walk(&mut chance);
        let text = write(&scene);
        let (again, _) = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again, scene, "{text}");
        assert_eq!(bits(&again), bits(&scene));
        longest = longest.max(text.len());
    }
    assert!(longest > 5000, "the scenes hold something");
}

#[test]
fn what_is_left_out_is_at_its_default_and_is_not_written() {
    assert_eq!(write(&Scene::default()), "");
    assert_eq!(read(b"").unwrap(), Scene::default());
    let text = "[scene]\nground = 0\n\n[[ball]]\nname = \"a\"\nmass = 2\n";
    let scene = read(text.as_bytes()).unwrap();
    assert_eq!((scene.setting.ground, scene.balls[0].mass, scene.balls[0].radius), (Some(0.0), 2.0, 0.15));
    assert_eq!(write(&scene), text.replace("= 0\n", "= 0.0\n").replace("= 2\n", "= 2.0\n"));
}

#[test]
fn angles_may_be_given_in_degrees() {
    let scene = read("[[box]]\nname = \"b\"\nrotation = [0, \"180 deg\", \"-90°\"]".as_bytes()).unwrap();
    let pi = core::f64::consts::PI;
    assert_eq!(scene.boxes[0].rotation, DVec3::new(0.0, pi, -0.5 * pi));
    assert_eq!(read(write(&scene).as_bytes()).unwrap(), scene);
}

/// Invalid scenes, each with the place and words of its error.
const BAD: &[(&str, &str, &str)] = &[
    ("[scene", ":1:7", "]"),
    ("[scene]\nseconds = 1\nseconds = 2", ":3:1", "duplicate key"),
    ("[scene]\nsecnds = 1", ":2:1", "a scene has no key “secnds”; did you mean seconds?"),
    ("[scene]\nseconds = \"2 s\"", ":2:11", "[scene] seconds must be a number in SI units"),
    ("[scene]\nseconds = -1", ":2:11", "seconds must be a finite number above 0, not -1"),
    ("[scene]\nseconds = 1e9", ":2:11", "frames"),
    ("[scene]\nseconds = nan", ":2:11", "not NaN"),
    (
        "[scene]\nground = 0.0\n[solver]\nmethod = \"multipliers\"\n[[ragdoll]]\nname = \"a\"\n[[stand]]\nof = \"a/Hips\"",
        ":8:6",
        "but the whole ragdoll stands",
    ),
    (
        "[solver]\nmethod = \"multipliers\"\n[[ragdoll]]\nname = \"a\"\n[[stand]]\nof = \"a\"",
        ":6:6",
        "has nothing to stand on",
    ),
    (
        "[scene]\nground = 0.0\n[solver]\nmethod = \"multipliers\"\n[[ragdoll]]\nname = \"a\"\n[[stand]]\nof = \"a\"\n[[follow]]\nof = \"a\"",
        ":8:6",
        "cannot stand on its own at the same time",
    ),
    (
        "[[ragdoll]]\nname = \"a\"\n[[follow]]\nof = \"a\"\nbegins = 2\nends = 1",
        ":6:8",
        "give a later time, or leave ends out",
    ),
    (
        "[[ragdoll]]\nname = \"a\"\n[[follow]]\nof = \"a\"\n[[follow]]\nof = \"a\"",
        ":6:6",
        "has two entries that begin at 0 s",
    ),
    (
        "[scene]\n[solver]\nmethod = \"hennix\"\nrigid.k_s = 1e9\n[[ball]]\nname = \"b\"",
        ":4:13",
        "the run would diverge. It must be below 2.304e5",
    ),
    ("[scene]\ngravity = [0, -9.81]", ":2:11", "gravity must be 3 numbers in brackets, not a list of 2"),
    ("[scene]\ngravity = -9.81", ":2:11", "3 numbers"),
    ("[scene]\nseed = 1.5", ":2:8", "whole number"),
    ("[scene]\nseed = -1", ":2:8", "whole number"),
    ("[[scene]]", ":1:1", "in single brackets"),
    ("[ball]\nname = \"a\"", ":1:1", "[[ball]] in double brackets"),
    ("ball = 3", ":1:8", "[[ball]]"),
    ("ball = [3]", ":1:9", "ball must be a table"),
    ("[[bal]]\nname = \"a\"", ":1:3", "“bal” is not a section of a scene; did you mean ball?"),
    ("[[unicorn]]\nname = \"a\"", ":1:3", "not a section of a scene; there are scene, solver, ragdoll"),
    ("[[ball]]\nradius = 1", ":1:1", "[[ball]] needs name"),
    ("[[ball]]\nname = \"\"", ":2:8", "name must not be empty"),
    ("[[ball]]\nname = \"a/b\"", ":2:8", "no slash"),
    ("[[ball]]\nname = \"a\"\n[[box]]\nname = \"a\"", ":2:8", "is already the name of a box"),
    ("[[ball]]\nname = \"a\"\nmass = 0", ":3:8", "[ball] mass must be a finite number above 0, not 0"),
    ("[[ball]]\nname = \"a\"\nmass = inf", ":3:8", "mass must be a finite number above 0, not inf"),
    ("[[ball]]\nname = \"a\"\nmass = \"2 kg\"", ":3:8", "without quotes or a unit"),
    ("[[ball]]\nname = \"a\"\nmass = 9007199254740993", ":3:8", "53 bits"),
    ("[[ball]]\nname = \"a\"\nrestitution = 2", ":3:15", "from 0 to 1"),
    ("[[ball]]\nname = \"a\"\nposition = [0, nan, 0]", ":3:12", "position must be a finite number"),
    ("[[ball]]\nname = \"a\"\nrotation = [0, 90, 0]", ":3:12", "radians"),
    ("[[ball]]\nname = \"a\"\nrotation = [0, \"90 degrees\", 0]", ":3:16", "an angle"),
    ("[[ball]]\nname = \"a\"\ngrid = [0, 1, 1]", ":3:8", "above 0"),
    ("[[ball]]\nname = \"a\"\ngrid = [100000, 100000, 1]", ":3:8", "at most 1048576"),
    ("[[box]]\nname = \"a\"\ninertia = [1, 1]", ":3:11", "three principal moments above 0"),
    ("[[box]]\nname = \"a\"\nsize = [1, 0, 1]", ":3:8", "above 0"),
    ("[[tetrahedron]]\nname = \"a\"\ncorners = [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]", ":3:11", "one plane"),
    ("[[rope]]\nname = \"r\"\nfrom = [0,0,0]", ":1:1", "[[rope]] needs to"),
    ("[[rope]]\nname = \"r\"\nfrom = [0,0,0]\nto = [0,0,0]", ":4:6", "needs a length"),
    ("[[rope]]\nname = \"r\"\nfrom = [0,0,0]\nto = [1,0,0]\nfixed = [\"begin\"]", ":5:10", "one of start, end"),
    (
        "[[rope]]\nname = \"r\"\nfrom = [0,0,0]\nto = [1,0,0]\nto_attached_to = \"man/Hand\"",
        ":5:18",
        "“man” is not in this scene",
    ),
    (
        "[[rope]]\nname = \"r\"\nfrom = [0,0,0]\nto = [1,0,0]\nto_attached_to = \"r\"",
        ":5:18",
        "is a rope, but this key takes a ragdoll",
    ),
    ("[[cloth]]\nname = \"c\"\nmesh = \"a.obj\"\npins = [\"left\"]", ":4:8", "pin_points"),
    ("[[joint]]\nname = \"j\"\nat = [0,0,0]\nof = \"bo\"\n[[box]]\nname = \"box\"", ":4:6", "did you mean “box”?"),
    (
        "[[joint]]\nname = \"j\"\nat = [0,0,0]\nof = \"b\"\nangle_limits = [-90, 90]\n[[box]]\nname = \"b\"",
        ":5:16",
        "deg",
    ),
    ("[[joint]]\nname = \"j\"\nat = [0,0,0]\nof = \"b\"\nkind = \"hing\"\n[[box]]\nname = \"b\"", ":5:8", "\"hinge\"?"),
    ("[[obstacle]]\nname = \"o\"\nkind = \"hull\"\npoints = [[0,0,0]]", ":4:10", "four or more corners"),
    ("[[obstacle]]\nname = \"o\"\nkind = \"mesh\"", ":1:1", "mesh must name a file"),
    ("[[obstacle]]\nname = \"o\"\nkind = \"height_field\"\nheights = [0,0,0]", ":4:11", "rows of 2 numbers"),
    (
        "[[points]]\nname = \"p\"\npositions = [[0,0,0]]\nsticks = [[0,1]]",
        ":4:10",
        "names point 1, but there are 1 points",
    ),
    ("[[points]]\nname = \"p\"\npositions = [[0,0,0]]\nmasses = [1,2]", ":4:10", "one for all or one for each"),
    ("[[points]]\nname = \"p\"\npositions = [[0,0,0],[0,0,0]]\nsticks = [[0,1]]", ":4:10", "of length zero"),
    ("[[points]]\nname = \"p\"\npositions = [[0,0,0],[0,0,0]]\nsticks = [[1,1]]", ":4:10", "to itself"),
    ("[[release]]\nof = \"man\"\ntime = 1\n[[ragdoll]]\nname = \"man\"", ":2:6", "plays no clip"),
    ("[[pull]]\nof = \"b\"\npath = [[1,0,0,0],[1,0,0,0]]\n[[box]]\nname = \"b\"", ":3:8", "forward in time"),
    ("[[pull]]\nof = \"b\"\npath = [[1,0,0]]\n[[box]]\nname = \"b\"", ":3:9", "4 numbers"),
    (
        "[[hit]]\nof = \"h\"\ntime = 1\nimpulse = [0,0,0]\n[[herd]]\nname = \"h\"",
        ":2:6",
        "is a herd, but this key takes a ragdoll",
    ),
    ("[scene]\nrate = 1e-300", ":2:8", "at least 1e-12"),
    ("[scene]\nrate = 1e-3", ":2:8", "0.1 to 100000 frames per second"),
    ("[[hit]]\nof = \"b/Hand\"\ntime = 1\nimpulse = [0,0,0]\n[[box]]\nname = \"b\"", ":2:6", "has no bone"),
];

#[test]
fn a_bad_scene_is_answered_with_line_column_and_key() {
    for (text, place, words) in BAD {
        let error = read(text.as_bytes()).expect_err(text).to_string();
        assert!(error.starts_with(&format!("{place}: ")), "{place} expected for\n{text}\n{error}");
        assert!(error.contains(words), "“{words}” expected for\n{text}\n{error}");
        assert!(!error.contains('\n'), "one sentence: {error}");
    }
}

#[test]
fn bytes_that_are_no_text_are_an_error_with_their_place() {
    let error = read(b"[scene]\n\xff").unwrap_err().to_string();
    assert!(error.contains("byte 8") && error.contains("UTF-8"), "{error}");
}

/// Reads every old word in place of the present one, in a thing of each kind that is filled by chance.
struct OldWords {
    chance: Chance,
    read: usize,
}

impl OldWords {
    fn kind<T: Thing>(&mut self, brackets: [&str; 2]) {
        for &(old, new) in T::OLD_KEYS {
            let lines = self.lines::<T>(new);
            let text = |kind: &str, key: &str| {
                let key = |own: &'static str| if own == new { key.to_owned() } else { own.to_owned() };
                let lines: String = lines.iter().map(|(own, value)| format!("{} = {value}\n", key(own))).collect();
                format!("{}{kind}{}\n{lines}", brackets[0], brackets[1])
            };
            let parsed = |text: &str| {
                let (scene, read) = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                (bits(&scene), read.notes.into_iter().map(|note| note.message).collect::<Vec<String>>())
            };
            let (expected, silent) = parsed(&text(T::KIND, new));
            assert!(silent.is_empty() && !expected.is_empty(), "{silent:?}");
            let note = format!("[{}] {old} is called {new} now", T::KIND);
            assert_eq!(parsed(&text(T::KIND, old)), (expected.clone(), vec![note]));
            if let Some(kind) = T::OLD_KIND {
                assert_eq!(parsed(&text(kind, new)), (expected, vec![format!("{kind} is called {} now", T::KIND)]));
            }
            let value = &lines.iter().find(|(key, _)| *key == new).unwrap().1;
            let both = format!("{}{old} = {value}\n", text(T::KIND, new));
            let said = parse(&both).err().expect("both words are given").message;
            assert!(said.contains(&format!("{old} is the old word for {new}, which is given, too")), "{said}");
            self.read += 1;
        }
    }

    /// Keys of a thing by chance as text, with one that is given.
    fn lines<T: Thing>(&mut self, given: &str) -> Vec<(&'static str, String)> {
        loop {
            let (mut thing, mut lines) = (T::default(), TomlLines::default());
            thing.visit(&mut self.chance);
            thing.visit(&mut lines);
            lines.0.retain(|(_, value)| !value.is_empty());
            if lines.0.iter().any(|(key, _)| *key == given) {
                return lines.0;
            }
        }
    }
}

impl Walker for OldWords {
    fn one<T: Thing>(&mut self, _section: &mut T) {
        self.kind::<T>(["[", "]"]);
    }

    fn many<T: Thing>(&mut self, _things: &mut Vec<T>) {
        self.kind::<T>(["[[", "]]"]);
    }
}

#[test]
fn every_old_word_is_read_as_the_present_one_with_a_note_and_not_beside_it() {
    let mut walker = OldWords { chance: Chance(Random::new(31)), read: 0 };
    Scene::default().walk(&mut walker);
    assert!(walker.read > 80, "{} old words", walker.read);
}

#[test]
fn an_old_kind_is_read_with_a_note_and_a_hint_offers_the_present_word() {
    let ball = "[[ball]]\nname = \"b\"\n";
    let text =
        format!("{ball}drag = 1.0\n[[drag]]\nof = \"b\"\npath = [[0, 0, 1, 0]]\n[[ball]]\nname = \"c\"\ndrag = 2.0\n");
    let scene = read(text.as_bytes()).unwrap();
    assert_eq!((scene.balls[0].damping, scene.balls[1].damping, scene.pulls.len()), (1.0, 2.0, 1));
    let said: Vec<String> = notes(text.as_bytes()).iter().map(ToString::to_string).collect();
    assert_eq!(said, [":3:1: [ball] drag is called damping now", ":4:3: drag is called pull now"]);
    let wrong = |text: &str| read(text.as_bytes()).unwrap_err().to_string();
    assert!(wrong(&format!("{ball}dragg = 1.0")).contains("did you mean damping?"));
    assert!(wrong("[[bomp]]\nposition = [0, 0, 0]\ntime = 1").contains("did you mean explosion?"));
    assert!(wrong("[solver]\nrest_step = 1").contains("did you mean frames_before_sleep?"));
    assert!(wrong("[solver.particles]\niterations = 1").starts_with(
        ":2:1: a solver has no key “particles.iterations”; did you mean particles.constraint_iterations?"
    ));
    assert!(wrong("[solver.rigid]\nsub_steps = 1").contains("did you mean rigid.substeps?"));
    assert!(wrong("[solver]\nparticles = 3").contains("particles must be a table"));
    assert!(
        wrong("[[bomb]]\nposition = [0, 0, 0]\ntime = 1\n[[explosion]]\nposition = [0, 0, 0]\ntime = 1")
            .contains("old word for explosion")
    );
    let both = wrong("[solver]\nsubsteps = 3\nparticles.substeps = 4");
    assert!(both.starts_with(":2:1: [solver] substeps is the old word for particles.substeps"), "{both}");
}

#[test]
fn settings_of_the_solvers_are_written_as_sub_tables() {
    let text = "[solver]\nmethod = \"hennix\"\n\n[solver.particles]\nsubsteps = 3\n\n[solver.rigid]\nk_s = 2.5\n";
    let flat = "[solver]\nk_s = 2.5\nsubsteps = 3\nmethod = \"hennix\"\n";
    for given in [text, flat] {
        assert_eq!(write(&read(given.as_bytes()).unwrap()), text);
    }
}

#[test]
fn built_in_scenes_use_the_present_words() {
    for (name, text) in built_in::SCENES {
        assert_eq!(notes(text.as_bytes()), [], "{name}");
    }
}
