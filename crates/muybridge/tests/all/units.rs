//! Unit and up axis of every shared clip, compared with its source.

use crate::shared_motion;
use crate::test_files::here;

use muybridge::character::units::{Stated, infer};
use muybridge::character::{Skeleton, roles};
use muybridge::motion::{Axis, Clip};
use shared_motion::{bvh, gltf};

const CMU: f64 = 0.0254 / 0.45;

#[test]
fn every_shared_bvh_is_in_the_unit_and_the_axes_its_readme_says() {
    let files = [
        ("bvh/cmu_01_01_forward_hops.bvh", CMU, Axis::Y),
        ("bvh/cmu_12_01_walk.bvh", CMU, Axis::Y),
        ("bvh/boxing_knockdown_fall.bvh", 0.01, Axis::Y),
        ("bvh/mass_run.bvh", 0.01, Axis::Y),
        ("bvh/mass_cartwheel.bvh", 0.01, Axis::Y),
        ("bvh/mass_backflip_fast.bvh", 0.01, Axis::Y),
        ("bvh/snu_hjump_phase.bvh", 0.01, Axis::Y),
        ("bvh/snu_ljump_phase.bvh", 0.01, Axis::Y),
        ("bvh/snu_walk_phase.bvh", 0.01, Axis::Y),
        ("bvh/games105_walk_turn_left_metres.bvh", 1.0, Axis::Y),
        ("bvh/games105_idle_metres.bvh", 1.0, Axis::Y),
        ("bvh/freebvh_walk_55joints.bvh", 0.01, Axis::Y),
        ("bvh/wisc_example_2frames.bvh", 0.0254, Axis::Y),
        ("bvh/pybvh_mixed_orders_zup.bvh", 0.0254, Axis::Z),
        ("bvh/geno_bind_all_position_channels.bvh", 0.01, Axis::Y),
        ("truth/cmu2020_tumble_120.bvh", 1.0, Axis::Y),
        ("truth/mj_drop_120.bvh", 1.0, Axis::Y),
        ("truth/mj_jump_120.bvh", 1.0, Axis::Y),
        ("truth/mj_squat_120.bvh", 1.0, Axis::Y),
        ("truth/mj_sway_120.bvh", 1.0, Axis::Y),
        ("truth/mj_tumble_120.bvh", 1.0, Axis::Y),
        ("truth/mj_tumble_30.bvh", 1.0, Axis::Y),
        ("truth/mj_tumble_speed1p5_120.bvh", 1.0, Axis::Y),
        ("truth/mj_tumble_zerog_120.bvh", 1.0, Axis::Y),
        ("truth/opencap4_DJ1.bvh", 1.0, Axis::Y),
        ("truth/opencap4_static1.bvh", 1.0, Axis::Y),
        ("truth/opencap4_walking1.bvh", 1.0, Axis::Y),
    ];
    for (file, unit, up) in here(files, |case| case.0.into()) {
        let (skeleton, clip) = bvh(file);
        let found = infer(&skeleton, &clip, &roles(&skeleton), &Stated::default());
        println!("{file}: {found:?}");
        assert!((found.meters_per_unit - unit).abs() < 1e-12, "{file}: {found:?}");
        assert_eq!(found.up, up, "{file}: {found:?}");
        assert_eq!(found.suspicious, None, "{file}");
    }
}

#[test]
fn gltf_is_in_metres_unless_that_makes_a_fox_79_m_tall() {
    let stated = Stated { format: Some(1.0), format_up: Some(Axis::Y), ..Stated::default() };
    let files = [
        ("gltf/Fox.glb", 0.01),
        ("gltf/RobotExpressive.glb", 1.0),
        ("gltf/kaykit_rogue.glb", 1.0),
        ("gltf/cesium_man.gltf", 1.0),
        ("gltf/kenney_platformer_character.glb", 1.0),
        ("vrm/test.vrma", 1.0),
    ];
    for (file, unit) in here(files, |case| case.0.into()) {
        let skeleton = gltf(file);
        let found = infer(&skeleton, &at_rest(&skeleton), &roles(&skeleton), &stated);
        println!("{file}: {found:?}");
        assert_eq!(found.meters_per_unit, unit, "{file}: {found:?}");
        assert_eq!(found.suspicious.is_some(), unit != 1.0, "{file}: {found:?}");
    }
}

fn at_rest(skeleton: &Skeleton) -> Clip {
    let mut clip = Clip::new(skeleton.len(), 1, 1.0).unwrap();
    for (index, bone) in skeleton.bones().iter().enumerate() {
        clip.set_translation(index, 0, bone.translation);
        clip.set_rotation(index, 0, bone.rotation);
    }
    clip
}
