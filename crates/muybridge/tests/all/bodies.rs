//! Tests of bodies of shared skeletons: masses against tables, centers of mass against OpenSim's.

use crate::shared_motion;
use crate::test_files::{self, here};

use muybridge::character::{Anthropometry, Assembled, BodySettings, CharacterEvidence, Role, Side, Skeleton, assemble};
use muybridge::glam::DVec3;
use muybridge::motion::{Axis, Clip, WorldMotion, conform};
use shared_motion::{bvh, gltf};

fn assembled(skeleton: &Skeleton, clip: Option<&Clip>, settings: &BodySettings) -> Assembled {
    assemble(skeleton, &CharacterEvidence { clip, ..CharacterEvidence::default() }, settings).unwrap()
}

fn mass_center(body: &Assembled, world: &WorldMotion, frame: usize) -> DVec3 {
    let bodies = body.character.bodies.iter().enumerate();
    let moment: DVec3 = bodies.map(|(bone, own)| world.point(bone, frame, own.center) * own.mass).sum();
    moment / body.character.mass()
}

#[test]
fn the_mass_center_of_a_measured_subject_is_that_of_opensim_within_25_mm() {
    for trial in here(["static1", "walking1", "DJ1"], |trial| format!("truth/opencap4_{trial}.bvh")) {
        let (skeleton, clip) = bvh(&format!("truth/opencap4_{trial}.bvh"));
        let truth = std::fs::read_to_string(test_files::path(&format!("truth/opencap4_{trial}_truth.csv"))).unwrap();
        let truth: Vec<DVec3> = truth
            .lines()
            .skip(1)
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                DVec3::new(cells[1].parse().unwrap(), cells[2].parse().unwrap(), cells[3].parse().unwrap())
            })
            .collect();
        let world = WorldMotion::new(&skeleton, &clip);
        for table in Anthropometry::ALL {
            let settings = BodySettings { anthropometry: table, ..BodySettings::default() };
            let body = assembled(&skeleton, Some(&clip), &settings);
            let errors: Vec<DVec3> =
                (0..clip.frames()).map(|frame| mass_center(&body, &world, frame) - truth[frame]).collect();
            let count = errors.len() as f64;
            let mean = errors.iter().sum::<DVec3>() / count;
            let spread = errors.iter().map(|e| (*e - mean) * (*e - mean)).sum::<DVec3>() / count;
            println!("{trial} {} mean {:.1} mm, SD {:.1} mm", table.name(), mean * 1e3, spread.map(f64::sqrt) * 1e3);
            if table != Anthropometry::Dempster {
                assert!(mean.abs().max_element() < 0.025, "{trial} {}: {mean}", table.name());
            }
            assert!(spread.max_element() < 0.010 * 0.010, "{trial} {}: {spread}", table.name());
        }
    }
}

const HUMANOIDS: [(&str, f64); 16] = [
    ("bvh/cmu_01_01_forward_hops.bvh", 0.0254 / 0.45),
    ("bvh/cmu_12_01_walk.bvh", 0.0254 / 0.45),
    ("bvh/boxing_knockdown_fall.bvh", 0.01),
    ("bvh/mass_run.bvh", 0.01),
    ("bvh/mass_cartwheel.bvh", 0.01),
    ("bvh/snu_hjump_phase.bvh", 0.01),
    ("bvh/snu_walk_phase.bvh", 0.01),
    ("bvh/games105_walk_turn_left_metres.bvh", 1.0),
    ("bvh/games105_idle_metres.bvh", 1.0),
    ("bvh/freebvh_walk_55joints.bvh", 0.01),
    ("bvh/wisc_example_2frames.bvh", 0.0254),
    ("bvh/pybvh_single_frame.bvh", 0.0254),
    ("bvh/geno_bind_all_position_channels.bvh", 0.01),
    ("truth/mj_jump_30.bvh", 1.0),
    ("truth/cmu2020_tumble_120.bvh", 1.0),
    ("truth/opencap4_DJ1.bvh", 1.0),
];

#[test]
fn s1_every_humanoid_weighs_what_it_is_told_and_carries_it_in_its_middle() {
    for (file, unit) in here(HUMANOIDS, |case| case.0.into()) {
        let (skeleton, clip) = bvh(file);
        let (skeleton, clip) = conform(&skeleton, &clip, unit, Axis::Y);
        let settings = BodySettings { mass: Some(70.0), ..BodySettings::default() };
        let body = assembled(&skeleton, Some(&clip), &settings);
        assert!((body.character.mass() - 70.0).abs() < 1e-12, "{file}: {}", body.character.mass());
        let height = body.height.unwrap();
        println!("{file}: {height:.3} m, {} contacts, {:?}", body.character.contacts.len(), body.notes);
        assert!((1.2..2.1).contains(&height), "{file}: {height} m tall");
        for (bone, own) in body.character.bodies.iter().enumerate() {
            let name = &skeleton.bones()[bone].name;
            let role = body.roles.roles[bone];
            let may = role.is_some_and(|role| !matches!(role, Role::Neck | Role::Shoulder(_) | Role::Toes(_)));
            let trunk = matches!(role, Some(Role::Spine | Role::Chest | Role::UpperChest));
            assert!(if own.mass > 0.0 { may } else { !may || trunk }, "{file}: {name} carries {}", own.mass);
            assert!(own.center.length() < 0.4 * height, "{file}: centre of {name} at {}", own.center);
            if own.mass > 0.0 {
                let [x, y, z] = [own.inertia.x_axis.x, own.inertia.y_axis.y, own.inertia.z_axis.z];
                assert!(x > 0.0 && y > 0.0 && z > 0.0 && x < y + z && y < x + z && z < x + y, "{file}: {name}");
                assert!(!own.shapes.is_empty(), "{file}: {name} has no shape");
            }
        }
        // Standing, sitting or flying, the center of mass is near the middle of the hips.
        let world = WorldMotion::new(&skeleton, &clip);
        let hips = world.position(body.roles.bone_of(Role::Hips).unwrap(), 0);
        assert!(mass_center(&body, &world, 0).distance(hips) < 0.2 * height, "{file}");
    }
}

#[test]
fn s32_a_fox_is_weighed_by_volume_and_a_prop_is_one_body() {
    let fox = gltf("gltf/Fox.glb");
    let clip = Clip::new(fox.len(), 1, 1.0).unwrap();
    let (fox, _) = conform(&fox, &clip, 0.01, Axis::Y);
    let body = assembled(&fox, None, &BodySettings::default());
    assert!(body.roles.roles.iter().all(Option::is_none));
    // A red fox weighs 3 to 14 kg; a body from bones alone is leaner.
    assert!((1.0..14.0).contains(&body.character.mass()), "{}", body.character.mass());
    for bone in ["root", "_rootJoint", "b_Root_00", "fox"] {
        assert_eq!(body.character.bodies[fox.find(bone).unwrap()].mass, 0.0, "{bone}");
    }
    let heavy = assembled(&fox, None, &BodySettings { mass: Some(8.0), ..BodySettings::default() });
    assert!((heavy.character.mass() - 8.0).abs() < 1e-12);
    assert!(!heavy.character.contacts.is_empty());
}

#[test]
fn the_soles_of_who_stands_are_level_and_on_the_floor() {
    // The force plates of the OpenCap set are at 6 mm, MuJoCo's floor is at 0; soles by proportion are accurate to 4
    // cm.
    let files = [
        ("truth/opencap4_static1.bvh", 1.0, Some(0.006)),
        ("truth/mj_sway_120.bvh", 1.0, Some(0.0)),
        ("bvh/games105_idle_metres.bvh", 1.0, None),
        ("bvh/geno_bind_all_position_channels.bvh", 0.01, None),
        ("bvh/boxing_knockdown_fall.bvh", 0.01, None),
    ];
    for (file, unit, floor) in here(files, |case| case.0.into()) {
        let (skeleton, clip) = bvh(file);
        let (skeleton, clip) = conform(&skeleton, &clip, unit, Axis::Y);
        let body = assembled(&skeleton, Some(&clip), &BodySettings::default());
        let world = WorldMotion::new(&skeleton, &clip);
        for side in [Side::Left, Side::Right] {
            let of_foot = |role: Option<Role>| [Some(Role::Foot(side)), Some(Role::Toes(side))].contains(&role);
            let sole = body.character.contacts.iter().filter(|contact| of_foot(body.roles.roles[contact.bone]));
            let heights: Vec<f64> = sole.map(|c| world.point(c.bone, clip.frames() / 2, c.position).y).collect();
            println!("{file} {heights:.3?}");
            if file.contains("boxing") {
                continue;
            }
            let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(l, h), y| (y.min(l), y.max(h)));
            assert!(high - low < 0.015, "{file}: the sole is tilted, {heights:.3?}");
            assert!(floor.is_none_or(|floor| (low - floor).abs() < 0.04), "{file}: {heights:.3?}");
        }
    }
}
