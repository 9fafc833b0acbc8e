//! Every key of every thing acts under every method, or the scene is refused, or a note tells. Nothing is ignored.

use std::path::Path;

use muybridge::glam::DVec3;
use muybridge::simulation::scene::slot::{KeySlot, NumberRange, Waypoint};
use muybridge::simulation::scene::{Thing, Visitor, Walker};
use muybridge::simulation::{Scene, World};
use muybridge_files::scene::{load, read_unchecked};

const METHODS: [&str; 4] = ["particles", "multipliers", "displacement", "hennix"];

/// Result of a run: its state after some frames and its notes, or the sentence that refuses it.
type Shown = Result<(u64, Vec<String>), String>;

fn shown(scene: &Scene) -> Shown {
    scene.check().map_err(|error| error.to_string())?;
    let (assets, _) = load(scene, Path::new("")).map_err(|error| error.to_string())?;
    let mut world = World::new(scene.clone(), &assets).map_err(|error| error.to_string())?;
    (0..FRAMES).for_each(|_| world.step());
    Ok((world.fingerprint().0, world.notes().to_vec()))
}

const FRAMES: u32 = 20;

/// Changes one key of the first thing of a kind.
struct Change<'a> {
    kind: &'a str,
    key: &'a str,
    /// Index of the value that the key takes instead.
    choice: usize,
    is_done: bool,
}

impl Walker for Change<'_> {
    fn one<T: Thing>(&mut self, section: &mut T) {
        if T::KIND == self.kind {
            section.visit(self);
        }
    }

    fn many<T: Thing>(&mut self, things: &mut Vec<T>) {
        if T::KIND == self.kind {
            things[0].visit(self);
        }
    }
}

impl Visitor for Change<'_> {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        if key != self.key {
            return;
        }
        let other = |value: f64| if self.choice == 0 { 0.3 + 0.5 * value } else { 2.0 * value + 1.0 };
        let is_first = self.choice < 2;
        self.is_done = match slot {
            KeySlot::Name(_) => false,
            KeySlot::Text(text) => {
                let words: &[&str] = match key {
                    "character" => &["quadruped"],
                    "clip" => &["jump", "walk"],
                    "mesh" => &["stool"],
                    _ => &["cm", "z", "nothing"],
                };
                words.get(self.choice).map(|word| *text = (*word).into()).is_some()
            }
            KeySlot::Part(part) => {
                part.0 = if part.0.is_empty() { "other".into() } else { String::new() };
                is_first
            }
            KeySlot::Flag(flag) => {
                *flag = !*flag;
                is_first
            }
            KeySlot::Choice(word) => {
                word.set(self.choice);
                self.choice < word.words().len()
            }
            KeySlot::Choices(words) => {
                words.set(&[self.choice]);
                self.choice < words.words().len()
            }
            KeySlot::Count(count, [least, most]) => {
                *count = if *count < most { *count + 1 } else { least };
                is_first
            }
            KeySlot::Grid(grid) => {
                grid[0] += 1;
                is_first
            }
            KeySlot::Number(value, NumberRange::Share) => {
                *value = if *value > 0.5 { 0.2 } else { 0.9 };
                is_first
            }
            KeySlot::Number(value, _) | KeySlot::Angle(value, _) => {
                *value = other(*value);
                is_first
            }
            KeySlot::Optional(value, _) => {
                *value = if self.choice == 0 { None } else { Some(other(value.unwrap_or(0.01))) };
                is_first
            }
            KeySlot::Angles(angles) => {
                *angles = [-0.05, 0.05];
                is_first
            }
            KeySlot::Vector(value, _) | KeySlot::Turn(value) => {
                *value += 0.5;
                is_first
            }
            KeySlot::Place(place) => {
                *place = Some(place.unwrap_or_default() + 0.5);
                is_first
            }
            KeySlot::Numbers(values, _) => {
                values.iter_mut().for_each(|value| *value = other(*value));
                is_first
            }
            KeySlot::Vectors(values) => {
                if values.is_empty() {
                    values.push(DVec3::splat(0.5));
                }
                values.iter_mut().for_each(|value| *value *= other(1.0));
                is_first
            }
            KeySlot::Path(path) => {
                path.push(Waypoint { time: 9.0, ..Waypoint::default() });
                path.iter_mut().for_each(|point| point.place += 0.5);
                is_first
            }
            KeySlot::Indices(indices) => {
                indices.push(1);
                is_first
            }
            KeySlot::Pairs(pairs) => {
                pairs.pop();
                is_first
            }
            KeySlot::Triples(triples) => {
                triples.pop();
                is_first
            }
            KeySlot::Steps(steps) => {
                steps.pop();
                is_first
            }
        };
    }
}

/// Keys of all kinds.
#[derive(Default)]
struct Keys {
    kind: &'static str,
    list: Vec<(&'static str, &'static str)>,
}

impl Walker for Keys {
    fn one<T: Thing>(&mut self, section: &mut T) {
        self.kind = T::KIND;
        section.visit(self);
    }

    fn many<T: Thing>(&mut self, _: &mut Vec<T>) {
        self.kind = T::KIND;
        T::default().visit(self);
    }
}

impl Visitor for Keys {
    fn slot(&mut self, key: &'static str, slot: KeySlot<'_>) {
        if !matches!(slot, KeySlot::Name(_)) {
            self.list.push((self.kind, key));
        }
    }
}

/// Scenes in which the keys of a kind matter.
fn scenes(kind: &str) -> &'static [&'static str] {
    match kind {
        "scene" => &[
            "[[box]]\nname = \"b\"\nposition = [0.0, 0.2, 0.0]\nvelocity = [1.0, -1.0, 0.0]\n[[cloth]]\nname = \"c\"\nposition = [0.0, 3.0, 0.0]\ncolumns = 3\nrows = 3\n[[wind]]\nname = \"w\"\nvelocity = [3.0, 0.0, 0.0]\ngust_share = 0.5\n",
            "[[box]]\nname = \"b\"\nposition = [0.0, 0.2, 0.0]\nvelocity = [1.0, -1.0, 0.0]\nrandom_orientation = true\n",
        ],
        "solver" => &["[[box]]\nname = \"b\"\nposition = [0.0, 0.15, 0.0]\n"],
        "ragdoll" => &[
            "[[ragdoll]]\nname = \"r\"\nvelocity = [1.0, -1.0, 0.0]\niterations = 2\n",
            "[[ragdoll]]\nname = \"r\"\nposition = [0.0, -0.02, 0.0]\nvelocity = [1.0, -3.0, 0.0]\nspin = [0.0, 1.0, 0.0]\nrestitution = 0.1\ndamping = 0.2\nclip = \"jump\"\ntime = 0.1\n",
            "[[ragdoll]]\nname = \"r\"\nposition = [0.0, -0.02, 0.0]\nvelocity = [1.0, -3.0, 0.0]\nspin = [0.0, 1.0, 0.0]\nmass = 60.0\ngrid = [2, 1, 1]\n",
        ],
        "herd" => &[
            "[[herd]]\nname = \"h\"\ncount = 2\nheight = 0.0\nspeed = 1.0\nspin = 2.0\n",
            "[[herd]]\nname = \"h\"\ncount = 2\nheight = 0.0\nspacing = 0.1\nmax_start_delay = 0.2\n[[follow]]\nof = \"h\"\nclip = \"walk\"\n",
        ],
        "rope" => &[
            "[[rope]]\nname = \"r\"\nfrom = [0.0, 0.5, 0.0]\nto = [0.6, 0.2, 0.0]\nsegments = 6\nfixed = [\"start\"]\nstiffness = 0.1\n[[ball]]\nname = \"other\"\nposition = [0.6, 0.6, 0.0]\n",
            "[[rope]]\nname = \"r\"\nfrom = [0.0, 0.02, 0.0]\nto = [0.6, 0.01, 0.0]\nsegments = 6\nto_attached_to = \"other\"\n[[ball]]\nname = \"other\"\nposition = [0.7, 0.3, 0.0]\nvelocity = [1.0, -1.0, 0.0]\n",
            "[[rope]]\nname = \"r\"\nfrom = [0.0, 0.5, 0.0]\nto = [0.1, 0.1, 0.05]\nsegments = 12\nradius = 0.05\nfriction = 0.1\n",
        ],
        "flail" => &[
            "[[flail]]\nname = \"f\"\nfrom = [0.0, 0.5, 0.0]\nto = [0.3, 0.13, 0.0]\nsegments = 4\nvelocity = [1.0, -1.0, 0.0]\nfrom_attached_to = \"other\"\ndamping = 0.1\n[[ball]]\nname = \"other\"\nposition = [0.0, 0.6, 0.0]\n",
        ],
        "cloth" => &[
            "[[cloth]]\nname = \"c\"\nposition = [0.0, 0.02, 0.0]\nvelocity = [1.0, -1.0, 0.0]\ncolumns = 4\nrows = 4\niterations = 2\n",
            "[[cloth]]\nname = \"c\"\nposition = [0.0, 0.02, 0.0]\nvelocity = [1.0, -1.0, 0.0]\ncolumns = 4\nrows = 4\nbend_compliance = 0.1\nstretch_compliance = 0.001\n[[wind]]\nname = \"w\"\nvelocity = [3.0, 1.0, 0.0]\n",
            "[[cloth]]\nname = \"c\"\nposition = [0.0, 0.5, 0.0]\ncolumns = 4\nrows = 4\npins = [\"left_back\", \"right_back\"]\nattached_to = \"other\"\n[[box]]\nname = \"other\"\nposition = [0.0, 0.5, 0.0]\n",
            "[[cloth]]\nname = \"c\"\nposition = [0.0, 0.0, 0.0]\nrotation = [1.3, 0.0, 0.0]\ncolumns = 4\nrows = 8\npin_points = [[0.0, 0.1, 0.0]]\nthickness = 0.2\n",
        ],
        "plant" => &[
            "[[plant]]\nname = \"p\"\nsegments = 4\nbranches = 2\n[[wind]]\nname = \"w\"\nvelocity = [3.0, 0.0, 0.0]\n",
        ],
        "box" => &[
            "[[box]]\nname = \"b\"\nposition = [0.0, 0.2, 0.0]\nvelocity = [1.0, -2.0, 0.0]\nspin = [0.0, 1.0, -6.0]\nmass = 2.0\nrolling_resistance = 0.02\ndamping = 0.5\ninertia = [0.02, 0.03, 0.04]\ngrid = [2, 1, 1]\n",
        ],
        "ball" => &[
            "[[ball]]\nname = \"b\"\nposition = [0.0, 0.2, 0.0]\nvelocity = [1.0, -2.0, 0.0]\nspin = [0.0, 1.0, -6.0]\nmass = 2.0\nrolling_resistance = 0.02\ndamping = 0.5\ninertia = [0.02, 0.03, 0.04]\ngrid = [2, 1, 1]\n",
            "[[ball]]\nname = \"b\"\nposition = [0.0, 0.15, 0.0]\nvelocity = [9.0, 0.0, 0.0]\n",
        ],
        "capsule" => &[
            "[[capsule]]\nname = \"b\"\nposition = [0.0, 0.2, 0.0]\nvelocity = [1.0, -2.0, 0.0]\nspin = [0.0, 1.0, -6.0]\nmass = 2.0\nrolling_resistance = 0.02\ndamping = 0.5\ninertia = [0.02, 0.03, 0.04]\ngrid = [2, 1, 1]\n",
        ],
        "tetrahedron" => &[
            "[[tetrahedron]]\nname = \"b\"\nposition = [0.0, 0.2, 0.0]\nvelocity = [1.0, -2.0, 0.0]\nspin = [0.0, 1.0, -6.0]\nmass = 2.0\nrolling_resistance = 0.02\ndamping = 0.5\ninertia = [0.02, 0.03, 0.04]\ngrid = [2, 1, 1]\n",
            "[[tetrahedron]]\nname = \"b\"\ncorners = [[0.0, 0.3, 0.0], [0.2, 0.0, 0.0], [-0.1, 0.0, 0.2], [-0.1, 0.0, -0.2]]\nposition = [0.0, 0.2, 0.0]\n",
        ],
        "body" => &[
            "[[body]]\nname = \"b\"\nmesh = \"skittle\"\nposition = [0.0, 0.2, 0.0]\nvelocity = [1.0, -2.0, 0.0]\nspin = [0.0, 1.0, -6.0]\nmass = 2.0\nrolling_resistance = 0.02\ndamping = 0.5\ninertia = [0.02, 0.03, 0.04]\ngrid = [2, 1, 1]\n",
            "[[body]]\nname = \"b\"\nmesh = \"stool\"\nposition = [0.0, 0.2, 0.0]\nspin = [0.0, 1.0, -6.0]\n",
        ],
        "points" => &[
            "[[points]]\nname = \"p\"\npositions = [[0.0, 0.5, 0.0], [0.3, 0.5, 0.0], [0.6, 0.5, 0.0], [0.9, 0.5, 0.0]]\nvelocities = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-6.0, 0.0, 3.0]]\nsticks = [[0, 1], [1, 2], [2, 3]]\nfixed = [0]\napart = [[0, 3], [1, 3]]\napart_shares = [0.95]\niterations = 2\n",
            "[[points]]\nname = \"p\"\npositions = [[0.0, 0.3, 0.0], [0.3, 0.3, 0.0], [0.0, 0.3, 0.3], [0.0, 0.02, 0.0], [0.01, 0.31, 0.0]]\nvelocities = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, -1.0, 0.0], [0.0, 0.0, 0.0]]\nsticks = [[0, 3], [1, 3]]\nstrings = [[2, 3], [1, 2], [0, 2]]\ntriangles = [[0, 1, 2]]\nfixed = [0]\nslack = 0.9\nradius = 0.02\n",
            "[[points]]\nname = \"p\"\npositions = [[0.0, 0.3, 0.0], [0.3, 0.3, 0.0]]\nvelocities = [[3.0, 0.0, 0.0], [0.0, 0.0, 0.0]]\nstrings = [[0, 1]]\nslack = 0.9\n",
            "[[points]]\nname = \"p\"\npositions = [[0.0, 0.3, 0.0], [0.3, 0.3, 0.0], [0.0, 0.3, 0.3], [0.1, 0.33, 0.1], [0.1, 0.36, 0.1]]\ntriangles = [[0, 1, 2]]\nsticks = [[3, 4]]\nfixed = [0, 2]\nvelocities = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, -1.0, 0.0]]\n",
        ],
        "limit" => &[
            "[[points]]\nname = \"other\"\npositions = [[0.0, 1.0, 0.0], [0.3, 1.0, 0.0], [0.0, 1.0, 0.3], [0.3, 1.0, 0.3], [0.6, 1.0, 0.0]]\ntriangles = [[0, 1, 2], [1, 2, 3], [1, 3, 4]]\nfixed = [0]\n[[limit]]\nname = \"l\"\nof = \"other\"\nfirst = 0\nsecond = 1\nmax_angle = 0.05\ncompliance = 0.01\nfriction = 1.0\n",
        ],
        "joint" => &[
            "[[box]]\nname = \"b\"\nposition = [0.0, 1.0, 0.0]\n[[box]]\nname = \"other\"\nposition = [0.5, 1.0, 0.0]\n[[joint]]\nname = \"j\"\nkind = \"hinge\"\nof = \"b\"\nto = \"other\"\nat = [0.25, 1.0, 0.0]\naxis = [0.0, 0.0, 1.0]\nangle_limits = [-0.1, 0.1]\ncompliance = 0.01\nmotor_damping = 5.0\nmotor_speed = [0.0, 0.0, 5.0]\nmax_torque = 0.1\n",
            "[[box]]\nname = \"b\"\nposition = [0.0, 1.0, 0.0]\nspin = [1.0, 1.0, 1.0]\n[[box]]\nname = \"other\"\nposition = [0.5, 1.0, 0.0]\n[[joint]]\nname = \"j\"\nof = \"b\"\nto = \"other\"\nat = [0.25, 1.0, 0.0]\nfrequency = 1.0\ntarget = [0.5, 0.0, 0.0]\nfriction = 0.1\n",
            "[[box]]\nname = \"b\"\nposition = [0.0, 1.0, 0.0]\nspin = [3.0, 3.0, 3.0]\n[[joint]]\nname = \"j\"\nof = \"b\"\nat = [0.25, 1.0, 0.0]\nswing_limit = 0.3\n",
        ],
        "obstacle" => &[
            "[[obstacle]]\nname = \"o\"\nkind = \"half_space\"\nnormal = [0.1, 1.0, 0.0]\nposition = [0.0, 1.0, 0.0]\n[[box]]\nname = \"b\"\nposition = [0.0, 1.2, 0.0]\nvelocity = [1.0, -1.0, 0.0]\nrestitution = 0.0\n",
            "[[obstacle]]\nname = \"o\"\nkind = \"capsule\"\nradius = 0.3\nlength = 0.5\nrotation = [0.0, 0.0, 1.5]\nposition = [0.0, 1.0, 0.0]\nvelocity = [0.1, 0.0, 0.0]\nspin = [0.0, 0.1, 0.0]\n[[box]]\nname = \"b\"\nposition = [0.0, 1.46, 0.0]\nvelocity = [0.0, -1.0, 0.0]\n",
            "[[obstacle]]\nname = \"o\"\nkind = \"box\"\nposition = [0.0, 1.0, 0.0]\npath = [[0.0, 0.0, 1.0, 0.0], [0.2, 0.0, 1.5, 0.0]]\n[[box]]\nname = \"b\"\nposition = [0.0, 1.7, 0.0]\n",
            "[[obstacle]]\nname = \"o\"\nkind = \"hull\"\npoints = [[0.0, 0.3, 0.0], [0.2, 0.0, 0.0], [-0.1, 0.0, 0.2], [-0.1, 0.0, -0.2]]\nposition = [0.0, 1.0, 0.0]\n[[box]]\nname = \"b\"\nposition = [0.0, 1.46, 0.0]\n",
            "[[obstacle]]\nname = \"o\"\nkind = \"height_field\"\nheights = [0.0, 0.1, 0.0, 0.1, 0.2, 0.1, 0.0, 0.1, 0.0]\ncolumns = 3\nposition = [0.0, 1.0, 0.0]\n[[box]]\nname = \"b\"\nposition = [0.1, 1.32, 0.1]\n",
            "[[obstacle]]\nname = \"o\"\nkind = \"stairs\"\nsize = [0.3, 0.2, 1.0]\nsteps = 2\nposition = [0.0, 1.0, 0.0]\n[[box]]\nname = \"b\"\nposition = [0.6, 1.5, 0.0]\nvelocity = [1.0, -1.0, 0.0]\n",
            "[[obstacle]]\nname = \"o\"\nkind = \"mesh\"\nmesh = \"skittle\"\nposition = [0.0, 1.0, 0.0]\n[[box]]\nname = \"b\"\nposition = [0.0, 1.6, 0.0]\nvelocity = [1.0, -1.0, 0.0]\n",
        ],
        "wind" => &[
            "[[wind]]\nname = \"w\"\nvelocity = [5.0, 0.0, 0.0]\nbegins = 0.1\nends = 0.25\ngust_share = 0.5\n[[ball]]\nname = \"b\"\nposition = [0.0, 1.0, 0.0]\ndamping = 1.0\n",
        ],
        "release" => &[
            "[[ragdoll]]\nname = \"r\"\nclip = \"walk\"\n[[ragdoll]]\nname = \"other\"\nclip = \"walk\"\nposition = [2.0, 0.0, 0.0]\n[[release]]\nof = \"r\"\ntime = 0.1\n",
        ],
        "follow" => &[
            "[[ragdoll]]\nname = \"r\"\nclip = \"walk\"\n[[follow]]\nof = \"r\"\nclip = \"walk\"\nbegins = 0.05\nends = 0.3\nmax_torque = 50.0\nassist_time = 0.05\nmax_assist = 0.5\n",
            "[[ragdoll]]\nname = \"r\"\n[[follow]]\nof = \"r\"\nclip = \"walk\"\nget_up_time = 0.2\n",
            "[[ragdoll]]\nname = \"r\"\nclip = \"jump\"\n[[follow]]\nof = \"r\"\nclip = \"jump\"\nassist_time = 0.05\nmax_missing_assist = 0.1\n",
        ],
        "stand" => &[
            "[[ragdoll]]\nname = \"r\"\n[[stand]]\nof = \"r\"\nbegins = 0.05\nends = 0.3\nvelocity = [0.3, 0.0, 0.0]\n",
        ],
        "look" => &[
            "[[ragdoll]]\nname = \"r\"\nclip = \"walk\"\n[[follow]]\nof = \"r\"\nclip = \"walk\"\n[[look]]\nof = \"r\"\npath = [[0.0, 5.0, 1.0, 5.0], [2.0, 5.0, 3.0, 0.0]]\nbegins = 0.05\nends = 0.3\nease = 0.1\n",
        ],
        "reach" => &[
            "[[ragdoll]]\nname = \"r\"\nclip = \"walk\"\n[[follow]]\nof = \"r\"\nclip = \"walk\"\n[[reach]]\nof = \"r/LeftHand\"\npath = [[0.0, 0.5, 1.5, 0.5], [2.0, 0.5, 1.0, 0.0]]\nbegins = 0.05\nends = 0.3\nease = 0.1\n",
        ],
        "hit" => &[
            "[[ball]]\nname = \"b\"\nposition = [0.0, 1.0, 0.0]\n[[hit]]\nof = \"b\"\ntime = 0.1\nimpulse = [1.0, 0.0, 0.0]\n",
        ],
        "explosion" => &[
            "[[ball]]\nname = \"b\"\nposition = [0.5, 1.0, 0.0]\n[[explosion]]\nposition = [0.0, 1.0, 0.0]\ntime = 0.1\nspeed = 5.0\ninner_radius = 0.1\n",
            "[[ball]]\nname = \"b\"\nposition = [0.5, 1.0, 0.0]\n[[explosion]]\nposition = [0.0, 1.0, 0.0]\ntime = 0.1\nspeed = 5.0\ninner_radius = 1.0\n",
        ],
        "pull" => &[
            "[[ball]]\nname = \"b\"\nposition = [0.0, 1.0, 0.0]\n[[pull]]\nof = \"b\"\npath = [[0.0, 0.0, 1.0, 0.0], [0.2, 1.0, 1.5, 0.0]]\n",
        ],
        "action" => &[
            "[[box]]\nname = \"b\"\nposition = [0.0, 1.0, 0.0]\n[[box]]\nname = \"other\"\nposition = [2.0, 1.0, 0.0]\n[[action]]\nname = \"a\"\nkind = \"move_to\"\non = \"b\"\nto = [1.0, 2.0, 0.0]\nseconds = 0.5\nmax_force = 100.0\nmax_acceleration = 50.0\n",
        ],
        "plan" => &[
            "[[box]]\nname = \"b\"\nposition = [0.0, 1.0, 0.0]\n[[action]]\nname = \"a\"\nkind = \"move_to\"\non = \"b\"\nto = [1.0, 2.0, 0.0]\nseconds = 0.5\n[[plan]]\nname = \"p\"\ntime = 0.1\nsteps = [\"a\"]\n",
        ],
        _ => panic!("a scene that shows the keys of a {kind} is missing"),
    }
}

/// Kinds that a method refuses, all but particles.
const OF_PARTICLES: [&str; 4] = ["cloth", "plant", "points", "limit"];

/// Whether a key may show nothing in these scenes under a method, and why.
fn is_quiet(kind: &str, key: &str, method: &str) -> bool {
    let is_rigid = method != "particles";
    match (kind, key) {
        // Read by the recorder, and by wind on cloth.
        ("scene", "name" | "seconds") => true,
        ("scene", "air_density") => is_rigid,
        // Of the other family of methods, or of rest, ends of iterations and variants that find the same.
        ("solver", _) => true,
        ("herd", "sleep_threshold") => true,
        // Bounds and ends of actions: the log and tests of behaviors show them.
        ("action", _) => true,
        ("stand", "steps") => true,
        // Read where the JSON is written.
        ("points", "limbs" | "limb_axes") => true,
        _ => false,
    }
}

#[test]
fn no_key_is_ignored_under_any_method() {
    let mut keys = Keys::default();
    Scene::default().walk(&mut keys);
    let mut silent = Vec::new();
    for method in METHODS {
        let scenes = |kind: &str| -> Vec<(Scene, Shown)> {
            let stage = |text: &&str| {
                let head = format!(
                    "[scene]\nground = 0.0\n[solver]\nmethod = \"{method}\"\n[solver.particles]\nsubsteps = 8\n"
                );
                let scene = read_unchecked(format!("{head}{text}").as_bytes());
                let scene = scene.unwrap_or_else(|error| panic!("{kind}{error}\n{text}"));
                let shown = shown(&scene);
                (scene, shown)
            };
            self::scenes(kind).iter().map(stage).collect()
        };
        let mut of_kind: (&str, Vec<(Scene, Shown)>) = ("", Vec::new());
        for &(kind, key) in &keys.list {
            if of_kind.0 != kind {
                of_kind = (kind, scenes(kind));
            }
            let mut runs = of_kind.1.iter().filter(|(_, shown)| shown.is_ok()).peekable();
            if runs.peek().is_none() {
                let refused = of_kind.1.iter().find_map(|(_, shown)| shown.clone().err()).unwrap_or_default();
                let is_known = method != "particles" && OF_PARTICLES.contains(&kind) || kind == "stand";
                assert!(is_known && refused.contains(" only"), "{method}: {refused}");
                continue;
            }
            if is_quiet(kind, key, method) {
                continue;
            }
            let acts = runs.any(|(scene, before)| {
                (0..12).any(|choice| {
                    let mut changed = scene.clone();
                    let mut change = Change { kind, key, choice, is_done: false };
                    changed.walk(&mut change);
                    change.is_done && changed != *scene && shown(&changed) != *before
                })
            });
            if !acts {
                silent.push(format!("{method}: {kind} {key}"));
            }
        }
    }
    assert!(silent.is_empty(), "keys that change nothing, without a note: {silent:#?}");
}
