//! Frames of limbs from two points per bone, on shared clips: exact along the bone, orthonormal, without jumps.

use crate::shared_motion;
use crate::test_files::here;

use muybridge::character::{Role, Side, roles};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::rotation::log;
use muybridge::motion::WorldMotion;
use muybridge::particles::bone_frame::LimbFrames;
use shared_motion::bvh;

/// The three points of a limb at every frame.
fn limb(file: &str, roles_of_limb: [Role; 3]) -> Vec<[DVec3; 3]> {
    let (skeleton, clip) = bvh(file);
    let map = roles(&skeleton);
    let world = WorldMotion::new(&skeleton, &clip);
    let bones = roles_of_limb.map(|role| map.bone_of(role).expect("a bone of that role"));
    (0..world.frames()).map(|frame| bones.map(|bone| world.position(bone, frame))).collect()
}

fn degrees_apart(a: &DMat3, b: &DMat3) -> f64 {
    log(DQuat::from_mat3(&(*a * b.transpose())).normalize()).length().to_degrees()
}

/// Largest rotation of a frame in a step, and largest rotation beyond that of its bone, degrees. The limb starts with
/// the hinge axis of its most bent pose.
fn worst_steps(points: &[[DVec3; 3]]) -> [f64; 2] {
    let bend = |p: &[DVec3; 3]| (p[1] - p[0]).cross(p[2] - p[1]);
    let side = points.iter().map(bend).max_by(|a, b| a.length().total_cmp(&b.length())).unwrap();
    let mut last = LimbFrames::start(points[0], side);
    let mut worst = [0.0_f64; 2];
    for points in &points[1..] {
        let now = last.follow(*points);
        for (bone, (a, b)) in [(now.upper, last.upper), (now.lower, last.lower)].into_iter().enumerate() {
            let along = (points[bone + 1] - points[bone]).normalize();
            assert!(a.axes.y_axis == along, "the axis is exact");
            assert!((a.axes.transpose() * a.axes).abs_diff_eq(DMat3::IDENTITY, 1e-14));
            let turned = degrees_apart(&a.axes, &b.axes);
            let own = a.axes.y_axis.angle_between(b.axes.y_axis).to_degrees();
            worst = [worst[0].max(turned), worst[1].max(turned - own)];
        }
        last = now;
    }
    worst
}

#[test]
fn r29_j30_frames_of_limbs_follow_a_walk_without_a_jump() {
    let files = [
        ("truth/opencap4_walking1.bvh", 0, 5.0, 5.0),
        ("truth/mj_jump_120.bvh", 0, 5.0, 5.0),
        // Fast limbs rotate further in a step, and a frame exceeds the rotation of its bone by no more than this.
        ("bvh/cmu_12_01_walk.bvh", 1, 6.0, 5.0),
        ("bvh/mass_run.bvh", 0, 8.0, 5.0),
        ("bvh/cmu_01_01_forward_hops.bvh", 1, 11.0, 8.0),
    ];
    for (file, first, most, most_beyond) in here(files, |case| case.0.into()) {
        for side in [Side::Left, Side::Right] {
            let leg = [Role::UpperLeg(side), Role::LowerLeg(side), Role::Foot(side)];
            let arm = [Role::UpperArm(side), Role::LowerArm(side), Role::Hand(side)];
            for (name, roles_of_limb) in [("leg", leg), ("arm", arm)] {
                let [turned, beyond] = worst_steps(&limb(file, roles_of_limb)[first..]);
                println!("{file} {side:?} {name}: {turned:.2} {beyond:.2}");
                assert!(turned <= most && beyond <= most_beyond, "{file} {side:?} {name}: {turned} {beyond}");
            }
        }
    }
}
