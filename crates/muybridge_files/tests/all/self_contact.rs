//! Ropes and cloths with self-contact: no energy gain, and no passing through themselves.

use std::path::Path;

use muybridge::collision::simplex::{Simplex, closest};
use muybridge::particles::Core;
use muybridge::simulation::World;
use muybridge_files::scene::{load, read};

fn world(text: &str) -> World {
    let scene = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    let (assets, _) = load(&scene, Path::new("")).unwrap();
    World::new(scene, &assets).unwrap()
}

/// Energy of the world, joules.
fn energy(world: &World) -> f64 {
    world.particles().unwrap().energy()
}

/// Cores of the surfaces, each with its particles.
fn cores(world: &World) -> Vec<(Simplex, Vec<usize>)> {
    let particles = world.particles().unwrap();
    let positions = &particles.state.positions;
    let core = |core: &Core| match *core {
        Core::Ball(a) => (Simplex::point(a.position(positions)), vec![a.particles[0]]),
        Core::Segment(ends) => {
            (Simplex::segment(ends.map(|end| end.position(positions))), ends.map(|end| end.particles[0]).to_vec())
        }
        Core::Triangle(corners) => (
            Simplex::triangle(corners.map(|corner| corner.position(positions))),
            corners.map(|corner| corner.particles[0]).to_vec(),
        ),
        Core::Solid { .. } => panic!("no cloth or rope has one"),
    };
    particles.model().surfaces.iter().map(|surface| core(&surface.core)).collect()
}

/// Pairs of surfaces that were farther apart than a distance at the start.
struct Nearest {
    pairs: Vec<[usize; 2]>,
}

impl Nearest {
    fn new(world: &World, beyond: f64) -> Self {
        let cores = cores(world);
        let all = (0..cores.len()).flat_map(|a| (0..a).map(move |b| [a, b]));
        let pairs = all.filter(|&[a, b]| {
            let shared = cores[a].1.iter().any(|particle| cores[b].1.contains(particle));
            !shared && closest(&cores[a].0, &cores[b].0).distance() > beyond
        });
        Self { pairs: pairs.collect() }
    }

    fn now(&self, world: &World) -> f64 {
        let cores = cores(world);
        let apart = |&[a, b]: &[usize; 2]| closest(&cores[a].0, &cores[b].0).distance();
        self.pairs.iter().map(apart).fold(f64::INFINITY, f64::min)
    }
}

/// Steps for `seconds`. The energy must not grow, and pairs that were apart must stay `least` apart. Returns the least distance.
fn run(world: &mut World, seconds: f64, beyond: f64, least: f64) -> f64 {
    let (start, watched) = (energy(world), Nearest::new(world, beyond));
    let mut nearest = f64::INFINITY;
    while world.time() < seconds {
        world.step();
        assert!(energy(world) <= start * 1.001, "{:.3} J of {start:.3} J at {:.2} s", energy(world), world.time());
        let now = watched.now(world);
        assert!(now >= least, "{:.1} mm apart at {:.2} s", 1e3 * now, world.time());
        nearest = nearest.min(now);
    }
    assert!(energy(world) < 0.5 * start, "it came down");
    nearest
}

#[test]
fn j31_a_rope_of_segments_shorter_than_it_is_thick_coils_on_the_ground_without_gaining_energy() {
    let mut world = world(
        "[scene]\nground = 0.0\n[[rope]]\nname = \"rope\"\nfrom = [0.0, 0.3, 0.0]\nto = [0.03, 2.3, 0.02]\n\
         segments = 60\nradius = 0.02\nself_collision = true\n",
    );
    let nearest = run(&mut world, 2.0, 0.045, 0.038);
    assert!(nearest < 0.0405, "it lies on itself: {nearest}");
}

#[test]
fn j31_a_cloth_folds_on_the_ground_without_passing_through_itself_or_gaining_energy() {
    for (thickness, beyond) in [(0.01, 0.011), (0.06, 0.061)] {
        let mut world = world(&format!(
            "[scene]\nground = 0.0\n[[cloth]]\nname = \"cloth\"\nwidth = 0.4\ndepth = 0.8\ncolumns = 8\nrows = 16\n\
             position = [0.0, 0.45, 0.0]\nrotation = [\"-88 deg\", 0, 0]\nthickness = {thickness}\nself_collision = true\n",
        ));
        let nearest = run(&mut world, 1.0, beyond, thickness - 0.002);
        assert!(nearest < thickness + 0.0005, "it lies on itself: {nearest}");
    }
}
