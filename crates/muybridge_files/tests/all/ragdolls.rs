//! Every character of the shared files as a ragdoll; skins that follow bones; joint limits of models.

use std::path::Path;

use crate::test_files::{here, in_folder, path as data, whole};

use muybridge::character::JointRange;
use muybridge::glam::DVec3;
use muybridge::math::rotation::log;
use muybridge::motion::WorldMotion;
use muybridge::particles::model::Plane;
use muybridge::particles::{Settings, World};
use muybridge::ragdoll::{self, Inherited, RagdollSettings, RagdollStart};
use muybridge_files::gltf;
use muybridge_files::open::{OpenOptions, open};
use muybridge_files::prepare::{BodyFile, Preparation, Prepared, prepare};

/// Greatest relative error of an edge of a body: in flight, and two seconds after the start of a fall.
const FLIGHT: f64 = 0.1;
const LANDED: f64 = 0.05;

fn prepared(path: &Path, preparation: &Preparation) -> Option<Prepared> {
    let opened = open(path, &OpenOptions::default()).ok()?;
    prepare(&opened.imported, 0, preparation).ok()
}

/// Simulates a flight of one second from the middle of a clip, and a fall of two seconds onto a floor half a meter below that holds
/// the four particles of each body. Joints stay closed, nothing is lost, and edges bent by the impact are straight at the end.
fn falls(name: &str, prepared: &Prepared) {
    let (character, clip) = (&prepared.character, &prepared.clip);
    let start = RagdollStart::from_clip(&character.skeleton, clip, clip.frames() / 2, Inherited::Central);
    let mut ragdoll = match ragdoll::particles(character, &start.unwrap(), &RagdollSettings::default()) {
        Ok(ragdoll) => ragdoll,
        Err(error) => panic!("{name}: {error}"),
    };
    let extent = ragdoll.model.positions.iter().fold((DVec3::MAX, DVec3::MIN), |(l, h), x| (l.min(*x), h.max(*x)));
    let size = (extent.1 - extent.0).max_element();
    let new = |ragdoll: &ragdoll::Ragdoll| {
        World::new(ragdoll.model.clone(), Settings::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (mut world, mut gap, mut in_flight, mut at_impact) = (new(&ragdoll), 0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..60 {
        world.step();
        in_flight = in_flight.max(world.worst_deformation());
        gap = gap.max(world.worst_gap());
    }
    let ground = |particle| Plane { particle, normal: DVec3::Y, offset: extent.0.y - 0.5, both_sides: false };
    ragdoll.model.planes = (0..ragdoll.model.positions.len()).map(ground).collect();
    world = new(&ragdoll);
    let mut put_back = 0;
    for step in 0..120 {
        world.step();
        assert!(world.state.positions.iter().all(|x| x.is_finite()), "{name}, step {step}");
        gap = gap.max(world.worst_gap());
        at_impact = at_impact.max(world.worst_deformation());
        put_back += world.report().put_back;
        assert!(world.report().put_back == 0 || step < 100, "{name}, step {step}: held fast");
    }
    let at_end = world.worst_deformation();
    let is_mirrored = |particles: [usize; 4]| {
        let [a, b, c, d] = particles.map(|particle| world.state.positions[particle]);
        (b - a).dot((c - a).cross(d - a)) <= 0.0
    };
    let mirrored = ragdoll.model.tetrahedra.iter().filter(|body| is_mirrored(body.particles)).count();
    println!(
        "{name}: {mirrored} mirrored of {} bodies, gap {gap:.1e}, stretch {in_flight:.1e} {at_impact:.1e} {at_end:.1e}, {put_back} put back, {:?}",
        ragdoll.bodies.len(),
        ragdoll.notes
    );
    assert!(gap < 1e-9 * size.max(1.0), "{name}: gap {gap}");
    assert!(in_flight < FLIGHT && at_end < LANDED, "{name}: stretch {in_flight} in flight, {at_end} landed");
    let pose = ragdoll.pose(&world.state.positions);
    assert!(pose.iter().all(|(position, rotation)| position.is_finite() && rotation.is_normalized()), "{name}");
    let back = ragdoll.clip(std::slice::from_ref(&world.state.positions), 1.0 / 60.0).unwrap();
    let found = WorldMotion::new(&character.skeleton, &back);
    for (bone, (position, _)) in pose.iter().enumerate() {
        let error = (found.position(bone, 0) - *position).length();
        // Distances cannot tell a body from its mirror image, into which a hit on a single particle may turn the body.
        assert!(mirrored > 0 || error < 0.02 * size, "{name}, bone {bone}: {error}");
    }
}

#[test]
fn every_character_of_the_shared_files_falls_for_two_seconds() {
    let mut count = 0;
    for folder in ["bvh", "gltf", "fbx", "vrm", "truth"] {
        for path in in_folder(folder) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let Some(prepared) = prepared(&path, &Preparation::default()) else { continue };
            falls(&name, &prepared);
            count += 1;
        }
    }
    assert!(count >= if whole() { 30 } else { 10 }, "{count}");
}

#[test]
fn ranges_of_a_model_count_from_its_own_rest_pose() {
    let cases = [
        ("truth/mj_jump_120.bvh", "models/mjcf/mujoco_humanoid.xml", 0.01),
        ("truth/mj_jump_30.bvh", "models/mjcf/mujoco_humanoid.xml", 0.01),
        ("truth/cmu2020_tumble_120.bvh", "models/mjcf/dm_humanoid_CMU_V2020.xml", 0.1),
    ];
    for (clip, model, most) in here(cases, |case| case.0.into()) {
        let body = BodyFile::read(&data(model)).unwrap();
        let prepared = prepared(&data(clip), &Preparation { bodies: vec![body], ..Default::default() }).unwrap();
        let (character, clip) = (&prepared.character, &prepared.clip);
        let mut hinges = 0;
        for (bone, range) in character.ranges.iter().enumerate() {
            let JointRange::Hinge { axis, lower, upper } = *range else { continue };
            let own = &character.skeleton.bones()[bone];
            for frame in 0..clip.frames() {
                let turn = log(own.rotation.conjugate() * clip.rotation(bone, frame));
                let angle = turn.dot(axis);
                assert!((turn - axis * angle).length() < 1e-5, "{}: {turn} about {axis}", own.name);
                let middle = 0.5 * (lower + upper);
                let angle = angle + ((middle - angle) / std::f64::consts::TAU).round() * std::f64::consts::TAU;
                let heavy = character.bodies[bone].mass > 0.3;
                assert!(!heavy || (lower - angle).max(angle - upper) < most, "{}: {angle}", own.name);
            }
            hinges += 1;
        }
        assert!(hinges >= 4, "{hinges}");
        falls(model, &prepared);
    }
}

#[test]
fn r25_the_skin_of_a_file_stands_around_its_bones_and_moves_with_them() {
    let files = [("gltf/RobotExpressive.glb", 1000), ("gltf/cesium_man.gltf", 3000), ("gltf/Fox.glb", 1000)];
    for (name, fewest) in here(files, |case| case.0.into()) {
        let path = data(name);
        let document = gltf::parse(&std::fs::read(&path).unwrap(), &mut |_| None).unwrap();
        let imported = gltf::import(&document, &gltf::ImportOptions::default()).unwrap();
        let meshes = gltf::skinned_meshes(&document).unwrap();
        let vertices: usize = meshes.iter().map(|mesh| mesh.points.len()).sum();
        assert!(vertices >= fewest, "{name}: {vertices}");
        let rest = imported.skeleton.rest_pose();
        let low = rest.iter().fold(DVec3::MAX, |low, (p, _)| low.min(*p));
        let high = rest.iter().fold(DVec3::MIN, |high, (p, _)| high.max(*p));
        let size = (high - low).length();
        let moved: Vec<_> = rest.iter().map(|(p, q)| (*p + DVec3::new(1.0, 2.0, 3.0) * size, *q)).collect();
        for mesh in &meshes {
            assert!(!mesh.triangles.is_empty() && mesh.triangles.iter().flatten().all(|&i| i < mesh.points.len()));
            let (mut before, mut after) = (Vec::new(), Vec::new());
            mesh.pose_points(&rest, &mut before);
            mesh.pose_points(&moved, &mut after);
            for (vertex, (from, to)) in before.iter().zip(&after).enumerate() {
                assert!((*to - *from - DVec3::new(1.0, 2.0, 3.0) * size).length() < 1e-9 * size, "{name}");
                let heaviest = mesh.skin.influences(vertex).iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
                let bone = mesh.skin.joints()[heaviest.0].bone;
                assert!((*from - rest[bone].0).length() < 0.8 * size, "{name}: vertex {vertex} is far from its bone");
            }
        }
    }
}
