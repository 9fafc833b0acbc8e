//! Every obstacle holds every thing under every method, or the scene is refused in a sentence.

use std::path::Path;

use muybridge::glam::DVec3;
use muybridge::simulation::assets::TriangleMesh;
use muybridge::simulation::scene::slot::Choice;
use muybridge::simulation::scene::{AttachPoint, ObstacleKind, Thing, Walker};
use muybridge::simulation::{Scene, World};
use muybridge_files::scene::{load, read};

const METHODS: [&str; 4] = ["particles", "multipliers", "displacement", "hennix"];

/// An obstacle of a kind with a level top at 0.8 m, wide enough that nothing slides off within a second.
fn obstacle(kind: &str) -> String {
    let keys = match kind {
        "half_space" => "position = [0.0, 0.8, 0.0]",
        "sphere" => "position = [0.0, -7.2, 0.0]\nradius = 8.0",
        "capsule" => "position = [0.0, -7.2, 0.0]\nradius = 8.0\nrotation = [0.0, 0.0, \"90 deg\"]",
        "box" => "position = [0.0, 0.3, 0.0]\nsize = [8.0, 1.0, 8.0]",
        "room" => "position = [0.0, 4.8, 0.0]\nsize = [8.0, 8.0, 8.0]",
        "hull" => {
            "points = [[-4, 0.8, -4], [4, 0.8, -4], [-4, 0.8, 4], [4, 0.8, 4], [-4, -1, -4], [4, -1, -4], [-4, -1, 4], [4, -1, 4]]"
        }
        "mesh" => "mesh = \"sheet.obj\"\nposition = [0.0, 0.8, 0.0]",
        "height_field" => {
            "position = [0.0, 0.8, 0.0]\nsize = [8.0, 1.0, 8.0]\ncolumns = 5\nheights = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, nan]"
        }
        "stairs" => "position = [-4.0, 0.3, 0.0]\nsize = [8.0, 0.5, 8.0]\nsteps = 1",
        _ => panic!("an obstacle of the kind {kind} is missing"),
    };
    format!("[[obstacle]]\nname = \"below\"\nkind = \"{kind}\"\n{keys}\n")
}

/// A thing of a kind that falls from a little above 0.8 m; `None` if the kind is no thing that falls.
fn falling(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "ragdoll" => "[[ragdoll]]\nname = \"a\"\nposition = [0.0, 0.85, 0.0]\n",
        "herd" => "[[herd]]\nname = \"a\"\ncount = 2\nheight = 0.85\nspacing = 1.0\n",
        "rope" => "[[rope]]\nname = \"a\"\nfrom = [-0.5, 0.9, 0.0]\nto = [0.5, 0.9, 0.1]\nsegments = 5\n",
        "flail" => {
            "[[flail]]\nname = \"a\"\nfrom = [0.0, 2.0, 0.0]\nto = [0.5, 1.0, 0.1]\nsegments = 4\nfrom_attached_to = \"hook\"\n[[ball]]\nname = \"hook\"\nposition = [0.0, 2.1, 0.0]\n"
        }
        "cloth" => "[[cloth]]\nname = \"a\"\nposition = [0.0, 0.9, 0.0]\ncolumns = 4\nrows = 4\n",
        "points" => {
            "[[points]]\nname = \"a\"\npositions = [[0.0, 0.9, 0.0], [0.4, 0.9, 0.0], [0.0, 0.9, 0.4]]\ntriangles = [[0, 1, 2]]\n"
        }
        "box" => "[[box]]\nname = \"a\"\nposition = [0.1, 1.1, 0.1]\n",
        "ball" => "[[ball]]\nname = \"a\"\nposition = [0.1, 1.1, 0.1]\n",
        "capsule" => "[[capsule]]\nname = \"a\"\nposition = [0.1, 1.2, 0.1]\n",
        "tetrahedron" => "[[tetrahedron]]\nname = \"a\"\nposition = [0.1, 1.1, 0.1]\n",
        "body" => "[[body]]\nname = \"a\"\nmesh = \"stool\"\nposition = [0.1, 0.9, 0.1]\n",
        // It stands on its root, which is fixed.
        "plant" => return None,
        _ => panic!("a falling {kind} is missing"),
    })
}

/// The part of a sentence that refuses a thing beside an obstacle under a method; empty if they run.
fn refusal(thing: &str, obstacle: &str, method: &str) -> &'static str {
    match (thing, obstacle, method) {
        ("herd", "room" | "hull" | "mesh" | "height_field", "particles") => "the herd “a” meets only",
        _ => "",
    }
}

/// Kinds of things that obstacles hold.
struct Kinds(Vec<&'static str>);

impl Walker for Kinds {
    fn one<T: Thing>(&mut self, _: &mut T) {}

    fn many<T: Thing>(&mut self, _: &mut Vec<T>) {
        if T::ATTACH_POINT > AttachPoint::Nothing || T::KIND == "herd" {
            self.0.push(T::KIND);
        }
    }
}

/// Potential energy that the scene loses in 0.6 s, joules.
fn lost(text: &str) -> Result<f64, String> {
    let scene = read(text.as_bytes()).map_err(|error| error.to_string())?;
    let (mut assets, _) = load(&Scene { obstacles: Vec::new(), ..scene.clone() }, Path::new("")).unwrap();
    let square = [[-4.0, -4.0], [-4.0, 4.0], [4.0, 4.0], [4.0, -4.0]].map(|[x, z]| DVec3::new(x, 0.0, z));
    assets
        .meshes
        .insert("sheet.obj".into(), TriangleMesh { points: square.to_vec(), triangles: vec![[0, 1, 2], [0, 2, 3]] });
    let recording = World::new(scene, &assets).map_err(|error| error.to_string())?.record();
    let energies: Vec<f64> = recording.measures.iter().map(|now| now.potential_energy).collect();
    Ok(energies[0] - energies[energies.len() - 1])
}

#[test]
fn every_obstacle_holds_every_thing_under_every_method_or_is_refused() {
    let mut kinds = Kinds(Vec::new());
    Scene::default().walk(&mut kinds);
    let mut held = 0;
    for method in METHODS {
        for (kind, thing) in kinds.0.iter().filter_map(|kind| Some((kind, falling(kind)?))) {
            let head =
                format!("[scene]\nseconds = 0.6\n[solver]\nmethod = \"{method}\"\n[solver.particles]\nsubsteps = 16\n");
            let free = lost(&format!("{head}{thing}"));
            for word in ObstacleKind::default().words() {
                let refusal = refusal(kind, word, method);
                match lost(&format!("{head}{thing}{}", obstacle(word))) {
                    Ok(lost) => {
                        let free = *free.as_ref().unwrap();
                        assert!(refusal.is_empty(), "{method}: a {kind} over a {word} runs");
                        // Without an obstacle everything falls by ½ g t² = 1.77 m.
                        assert!(lost < 0.7 * free, "{method}: a {kind} falls through a {word}: {lost} of {free} J");
                        held += 1;
                    }
                    Err(told) => {
                        assert!(
                            !refusal.is_empty() && told.contains(refusal),
                            "{method}: a {kind} over a {word}: {told}"
                        );
                    }
                }
            }
        }
    }
    // Eleven kinds of things fall, on nine kinds of obstacles, by four methods; a herd of particles is refused on four.
    assert_eq!(held, 9 * 11 * 4 - 4, "combinations that run");
}
