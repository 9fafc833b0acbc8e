//! The palette: a thing of each kind to add to a scene, ready to run, with an unused name.

use muybridge::glam::DVec3;
use muybridge::simulation::scene::slot::{PartPath, Waypoint};
use muybridge::simulation::scene::{
    Ball, Block, Bomb, Capsule, Cloth, Drag, End, Flail, Follow, Herd, Hit, Joint, Limit, Look, MeshBody, Obstacle,
    ObstacleKind, Pin, Plant, Points, Ragdoll, Reach, Release, Rope, Scene, Stand, Tetrahedron, Thing, Wind,
};

use crate::stage::outline::{self, ThingRef};

/// Palette entry: a thing that can be added to a scene.
pub struct Item {
    /// Name in the palette.
    pub name: &'static str,
    /// Heading of its group.
    pub group: &'static str,
    /// Description, one sentence.
    pub about: &'static str,
    put: fn(&mut Scene, &InsertPoint) -> ThingRef,
}

/// Position and target of a new thing.
#[derive(Clone, Debug, Default)]
pub struct InsertPoint {
    /// Point on the ground under the camera's target, meters.
    pub place: DVec3,
    /// Name of the selected thing; empty if nothing is selected.
    pub on: String,
    /// Position of the selected thing, meters; `None` if it has none.
    pub at: Option<DVec3>,
}

/// Adds a thing to the scene and returns a reference to it.
pub fn put(item: &Item, scene: &mut Scene, spot: &InsertPoint) -> ThingRef {
    (item.put)(scene, spot)
}

/// Appends a thing to a list and returns a reference to it.
fn add<T: Thing>(list: &mut Vec<T>, thing: T) -> ThingRef {
    list.push(thing);
    ThingRef { kind: T::KIND, index: list.len() - 1 }
}

fn named(scene: &Scene, word: &str) -> String {
    outline::free_name(scene, word)
}

fn up(spot: &InsertPoint, height: f64) -> DVec3 {
    spot.place + DVec3::Y * height
}

/// All palette entries, grouped.
pub const ITEMS: [Item; 28] = [
    Item {
        name: "Ball",
        group: "Bodies",
        about: "A rigid ball.",
        put: |scene, spot| {
            let ball = Ball { name: named(scene, "ball"), position: up(spot, 1.0), ..Ball::default() };
            add(&mut scene.balls, ball)
        },
    },
    Item {
        name: "Box",
        group: "Bodies",
        about: "A rigid box.",
        put: |scene, spot| {
            let block = Block { name: named(scene, "box"), position: up(spot, 1.0), ..Block::default() };
            add(&mut scene.boxes, block)
        },
    },
    Item {
        name: "Capsule",
        group: "Bodies",
        about: "A rigid capsule.",
        put: |scene, spot| {
            let capsule = Capsule { name: named(scene, "capsule"), position: up(spot, 1.0), ..Capsule::default() };
            add(&mut scene.capsules, capsule)
        },
    },
    Item {
        name: "Tetrahedron",
        group: "Bodies",
        about: "A rigid tetrahedron.",
        put: |scene, spot| {
            let solid =
                Tetrahedron { name: named(scene, "tetrahedron"), position: up(spot, 1.0), ..Tetrahedron::default() };
            add(&mut scene.tetrahedra, solid)
        },
    },
    Item {
        name: "Skittle",
        group: "Bodies",
        about: "A rigid body of a triangle mesh. Its key mesh can name another: stool, or a file.",
        put: |scene, spot| {
            let body = MeshBody { name: named(scene, "skittle"), position: up(spot, 0.0), ..MeshBody::default() };
            add(&mut scene.carved, body)
        },
    },
    Item {
        name: "Ragdoll",
        group: "Figures",
        about: "A person whose bones are bodies with joints between them.",
        put: |scene, spot| {
            let doll = Ragdoll {
                name: named(scene, "ragdoll"),
                position: up(spot, 0.5),
                rotation: DVec3::new(0.2, 0.0, 0.1),
                ..Ragdoll::default()
            };
            add(&mut scene.ragdolls, doll)
        },
    },
    Item {
        name: "Heap of ragdolls",
        group: "Figures",
        about: "Twelve ragdolls that fall on each other.",
        put: |scene, spot| {
            let heap = Ragdoll {
                name: named(scene, "heap"),
                character: "mannequin".into(),
                position: up(spot, 0.8),
                grid: [2, 3, 2],
                spacing: DVec3::new(0.7, 1.2, 0.7),
                random_orientation: true,
                ..Ragdoll::default()
            };
            add(&mut scene.ragdolls, heap)
        },
    },
    Item {
        name: "Heap of two hundred",
        group: "Figures",
        about: "Two hundred ragdolls that fall on each other in three layers. They are a herd, because as many single ragdolls would run slower than real time.",
        put: |scene, spot| {
            let name = named(scene, "heap");
            let height = spot.place.y + 1.0;
            let herd =
                Herd { name, character: "mannequin".into(), count: 200, spacing: 0.6, height, ..Herd::default() };
            add(&mut scene.herds, herd)
        },
    },
    Item {
        name: "Herd",
        group: "Figures",
        about: "Many ragdolls simulated as a batch. They touch each other and fixed obstacles, but the mouse cannot hold them.",
        put: |scene, _| {
            let herd = Herd { name: named(scene, "herd"), count: 64, ..Herd::default() };
            add(&mut scene.herds, herd)
        },
    },
    Item {
        name: "Rope",
        group: "Soft",
        about: "A rope that hangs by one end.",
        put: |scene, spot| {
            let (from, to) = (up(spot, 2.5), up(spot, 2.5) + DVec3::X * 1.2);
            let rope = Rope { name: named(scene, "rope"), from, to, fixed: vec![End::Start], ..Rope::default() };
            add(&mut scene.ropes, rope)
        },
    },
    Item {
        name: "Flail",
        group: "Soft",
        about: "A chain with a ball at its end.",
        put: |scene, spot| {
            let (from, to) = (up(spot, 2.5), up(spot, 2.5) + DVec3::X * 1.2);
            let flail = Flail { name: named(scene, "flail"), from, to, ..Flail::default() };
            add(&mut scene.flails, flail)
        },
    },
    Item {
        name: "Cloth",
        group: "Soft",
        about: "A cloth that hangs by two corners.",
        put: |scene, spot| {
            let pins = vec![Pin::LeftBack, Pin::RightBack];
            let cloth = Cloth { name: named(scene, "cloth"), position: up(spot, 1.8), pins, ..Cloth::default() };
            add(&mut scene.cloths, cloth)
        },
    },
    Item {
        name: "Plant",
        group: "Soft",
        about: "A stalk with branches, rooted in the ground.",
        put: |scene, spot| {
            let plant = Plant { name: named(scene, "plant"), position: spot.place, ..Plant::default() };
            add(&mut scene.plants, plant)
        },
    },
    Item {
        name: "Points and sticks",
        group: "By hand",
        about: "A tetrahedron of six sticks; change it by hand with Draw.",
        put: |scene, spot| {
            let corners = [[-0.3, 0.4, -0.2], [0.3, 0.4, -0.2], [0.0, 0.4, 0.35], [0.0, 0.9, 0.0]];
            let positions = corners.map(|corner| spot.place + DVec3::from_array(corner)).to_vec();
            let sticks = vec![[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
            let points = Points { name: named(scene, "points"), positions, sticks, ..Points::default() };
            add(&mut scene.points, points)
        },
    },
    Item {
        name: "Limit of triangles",
        group: "By hand",
        about: "Limits how far two triangles of the chosen points turn against each other.",
        put: |scene, spot| {
            let limit = Limit { name: named(scene, "limit"), of: PartPath(spot.on.clone()), ..Limit::default() };
            add(&mut scene.limits, limit)
        },
    },
    Item {
        name: "Ball joint",
        group: "Joints",
        about: "Fixes the chosen thing to its place by a ball joint.",
        put: |scene, spot| {
            let at = spot.at.unwrap_or(up(spot, 1.0)) + DVec3::Y * 0.2;
            let joint = Joint { name: named(scene, "joint"), of: PartPath(spot.on.clone()), at, ..Joint::default() };
            add(&mut scene.joints, joint)
        },
    },
    Item {
        name: "Box obstacle",
        group: "Obstacles",
        about: "A fixed box that things collide with.",
        put: |scene, spot| {
            let (kind, size) = (ObstacleKind::Box, DVec3::new(0.8, 0.5, 0.8));
            let name = named(scene, "block");
            add(&mut scene.obstacles, Obstacle { name, kind, size, position: up(spot, 0.25), ..Obstacle::default() })
        },
    },
    Item {
        name: "Ball obstacle",
        group: "Obstacles",
        about: "A fixed ball that things collide with.",
        put: |scene, spot| {
            let (kind, name) = (ObstacleKind::Sphere, named(scene, "globe"));
            add(&mut scene.obstacles, Obstacle { name, kind, position: up(spot, 0.5), ..Obstacle::default() })
        },
    },
    Item {
        name: "Stairs",
        group: "Obstacles",
        about: "Ten steps that go up along x.",
        put: |scene, spot| {
            let (kind, size) = (ObstacleKind::Stairs, DVec3::new(0.3, 0.17, 1.2));
            let name = named(scene, "stairs");
            add(&mut scene.obstacles, Obstacle { name, kind, size, position: spot.place, ..Obstacle::default() })
        },
    },
    Item {
        name: "Slope",
        group: "Obstacles",
        about: "A plane that slopes down along x; everything below it is solid.",
        put: |scene, spot| {
            let (normal, name) = (DVec3::new(0.35, 1.0, 0.0), named(scene, "slope"));
            add(&mut scene.obstacles, Obstacle { name, normal, position: spot.place, ..Obstacle::default() })
        },
    },
    Item {
        name: "Wind",
        group: "What happens",
        about: "Air that moves along x.",
        put: |scene, _| {
            let (velocity, name) = (DVec3::X * 5.0, named(scene, "wind"));
            add(&mut scene.winds, Wind { name, velocity, gust_share: 0.3, ..Wind::default() })
        },
    },
    Item {
        name: "Hit",
        group: "What happens",
        about: "An impulse on the chosen thing after half a second.",
        put: |scene, spot| {
            let (of, impulse) = (PartPath(spot.on.clone()), DVec3::new(0.0, 2.0, 5.0));
            add(&mut scene.hits, Hit { of, time: 0.5, impulse })
        },
    },
    Item {
        name: "Explosion",
        group: "What happens",
        about: "An explosion after half a second.",
        put: |scene, spot| add(&mut scene.explosions, Bomb { position: up(spot, 0.1), time: 0.5, ..Bomb::default() }),
    },
    Item {
        name: "Pull",
        group: "What happens",
        about: "Pulls the chosen thing up and back.",
        put: |scene, spot| {
            let point = |time, height| Waypoint { time, place: DVec3::Y * height };
            let path = vec![point(0.0, 0.0), point(1.0, 1.0), point(2.0, 0.0)];
            add(&mut scene.pulls, Drag { of: PartPath(spot.on.clone()), path, relative: true })
        },
    },
    Item {
        name: "Follow a clip",
        group: "What happens",
        about: "Drives the chosen ragdoll to the pose it starts in, or along a clip.",
        put: |scene, spot| add(&mut scene.follows, Follow { of: PartPath(spot.on.clone()), ..Follow::default() }),
    },
    Item {
        name: "Stand and walk",
        group: "What happens",
        about: "The chosen ragdoll stands on its feet; this needs a solver method for rigid bodies.",
        put: |scene, spot| add(&mut scene.stands, Stand { of: PartPath(spot.on.clone()), ..Stand::default() }),
    },
    Item {
        name: "Look at a place",
        group: "What happens",
        about: "The chosen ragdoll turns its face to a place; this drives its joints.",
        put: |scene, spot| {
            drive(scene, &spot.on);
            let path = vec![Waypoint { time: 0.0, place: up(spot, 1.5) + DVec3::new(1.0, 0.0, 2.0) }];
            add(&mut scene.looks, Look { of: PartPath(spot.on.clone()), path, ..Look::default() })
        },
    },
    Item {
        name: "Reach for a place",
        group: "What happens",
        about: "The left hand of the chosen ragdoll reaches for a place; this drives its joints.",
        put: |scene, spot| {
            drive(scene, &spot.on);
            let path = vec![Waypoint { time: 0.0, place: up(spot, 1.2) + DVec3::new(0.3, 0.0, 0.4) }];
            let of = PartPath(format!("{}/LeftHand", PartPath(spot.on.clone()).thing()));
            add(&mut scene.reaches, Reach { of, path, ..Reach::default() })
        },
    },
];

/// Adds a controller that drives a ragdoll to its starting pose, unless one drives it already.
fn drive(scene: &mut Scene, ragdoll: &str) {
    let mut of = scene.follows.iter().map(|follow| &follow.of).chain(scene.stands.iter().map(|stand| &stand.of));
    if !of.any(|of| of.0 == ragdoll) {
        scene.follows.push(Follow { of: ragdoll.into(), ..Follow::default() });
    }
}

/// Lets a ragdoll play its clip until `time`, seconds, and then releases it.
pub fn release(scene: &mut Scene, ragdoll: &str, time: f64) {
    scene.releases.push(Release { of: ragdoll.into(), time });
}

#[cfg(test)]
mod tests {
    use super::*;
    use muybridge::simulation::World;
    use muybridge_files::scene::{load, read, write};

    #[test]
    fn everything_of_the_palette_runs_as_it_is_put_and_is_written_and_read_back() {
        for item in &ITEMS {
            let mut scene = Scene::default();
            scene.setting.ground = Some(0.0);
            if item.name == "Stand and walk" {
                scene.solver.method = muybridge::simulation::scene::Method::Multipliers;
            }
            if item.name == "Limit of triangles" {
                let positions = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE].to_vec();
                let triangles = vec![[0, 1, 2], [1, 2, 3]];
                let name = "ragdoll".to_owned();
                scene.points.push(Points { name, positions, triangles, ..Points::default() });
            } else if item.group == "What happens" || item.group == "Joints" {
                scene.ragdolls.push(Ragdoll { name: "ragdoll".into(), position: DVec3::Y * 0.2, ..Ragdoll::default() });
            }
            let spot = InsertPoint { on: "ragdoll".into(), ..InsertPoint::default() };
            let chosen = put(item, &mut scene, &spot);
            assert!(outline::entries(&scene).iter().any(|entry| entry.chosen == chosen), "{}", item.name);
            assert_eq!(scene.check(), Ok(()), "{}", item.name);
            assert_eq!(read(write(&scene).as_bytes()).unwrap(), scene, "{}", item.name);
            if item.name != "Herd" && item.name != "Heap of two hundred" {
                let (assets, _) = load(&scene, std::path::Path::new("")).unwrap();
                let mut world = World::new(scene, &assets).unwrap_or_else(|fault| panic!("{}: {fault}", item.name));
                world.step();
            }
        }
    }
}
