//! Contact between ragdolls of a herd: no tunneling, momentum conservation, identical bits, and heaps that come to
//! rest.

use crate::workload;

use muybridge::glam::{DQuat, DVec3};
use muybridge::math::Width;
use muybridge::particles::herd::{HerdObstacle, InstancePlacement};
use muybridge::particles::{Herd, HerdSettings, InstanceId};
use workload::{Humanoid, Quality, heap, herd, humanoid, model, overlap};

fn settings() -> HerdSettings {
    HerdSettings { rest_steps: 0, touch_each_other: true, ..HerdSettings::default() }
}

/// Momentum, and angular momentum about the origin.
fn momenta(humanoid: &Humanoid, herd: &Herd, slots: &[InstanceId]) -> [DVec3; 2] {
    let mut sums = [DVec3::ZERO; 2];
    for &slot in slots {
        for (index, body) in humanoid.bodies.iter().enumerate() {
            let ((position, rotation), (speed, spin)) = (herd.pose(slot, index), herd.velocity(slot, index));
            sums[0] += speed * body.mass;
            sums[1] += rotation * (body.inertia() * (rotation.inverse() * spin)) + position.cross(speed * body.mass);
        }
    }
    sums
}

fn bits(herd: &Herd, slots: &[InstanceId]) -> Vec<u64> {
    let mut bits = Vec::new();
    for &slot in slots {
        for body in 0..herd.bodies() {
            let ((position, rotation), (speed, spin)) = (herd.pose(slot, body), herd.velocity(slot, body));
            let numbers = [position, speed, spin].map(|v| v.to_array());
            bits.extend(numbers.as_flattened().iter().chain(&rotation.to_array()).map(|value| value.to_bits()));
        }
    }
    bits
}

/// One ragdoll lies face down on the ground, the other falls on it crosswise.
fn one_on_another() -> [InstancePlacement; 2] {
    let face_down = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let across = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2) * face_down;
    let middle = DVec3::new(0.0, 0.98, 0.0);
    [(face_down, 0.2), (across, 1.5)].map(|(rotation, height)| InstancePlacement {
        position: DVec3::Y * height - rotation * middle,
        rotation,
        ..InstancePlacement::default()
    })
}

#[test]
fn a_ragdoll_that_falls_on_another_does_not_pass_through() {
    let humanoid = humanoid();
    let model = model(&humanoid, true);
    let run = |touch_each_other: bool| {
        let (mut herd, slots) = herd(&model, HerdSettings { touch_each_other, ..settings() }, &one_on_another());
        let mut deepest = 0.0_f64;
        for _ in 0..240 {
            herd.step();
            deepest = deepest.max(overlap(&humanoid, &herd, &slots));
        }
        let heights = slots.map_heights(&humanoid, &herd);
        (deepest, heights)
    };
    let (deepest, [lower, upper]) = run(true);
    println!("deepest {deepest}, heights {lower} {upper}");
    assert!(upper > lower + 0.08, "it lies on the other: {upper} {lower}");
    assert!(deepest < 0.02, "overlap {deepest} m");
    let (_, [lower, upper]) = run(false);
    assert!(upper < lower + 0.08, "without contact it falls through: {upper} {lower}");
}

/// Mean heights of the trunks (pelvis and chest) of two ragdolls.
trait Heights {
    fn map_heights(&self, humanoid: &Humanoid, herd: &Herd) -> [f64; 2];
}

impl Heights for Vec<InstanceId> {
    fn map_heights(&self, _: &Humanoid, herd: &Herd) -> [f64; 2] {
        [0, 1].map(|index| 0.5 * (herd.pose(self[index], 0).0.y + herd.pose(self[index], 1).0.y))
    }
}

#[test]
fn two_ragdolls_that_collide_in_free_flight_keep_both_momenta() {
    let humanoid = humanoid();
    // Two ragdolls in different blocks, far from the origin of the world, one of them far from its start.
    let mut herd =
        Herd::new(&model(&humanoid, true), HerdSettings { gravity: DVec3::ZERO, ..settings() }).expect("a herd");
    let at = |x: f64| DVec3::new(x, 0.0, 0.05 * x);
    let first = InstancePlacement {
        position: at(-1.5),
        velocity: DVec3::X * 4.0,
        spin: DVec3::Y,
        ..InstancePlacement::default()
    };
    let first = herd.spawn(&first).unwrap();
    let fill: Vec<InstanceId> = (0..15)
        .map(|i| {
            herd.spawn(&InstancePlacement {
                position: DVec3::Y * (100.0 + 5.0 * f64::from(i)),
                ..InstancePlacement::default()
            })
            .unwrap()
        })
        .collect();
    let second = InstancePlacement {
        position: at(1.5),
        rotation: DQuat::from_rotation_y(2.0),
        velocity: DVec3::new(-4.0, 0.3, 0.0),
        spin: DVec3::new(0.5, -1.0, 1.0),
    };
    let slots = [first, herd.spawn(&second).unwrap()];
    assert!(fill.len() == 15 && slots[1] == InstanceId(16));
    let [linear, angular] = momenta(&humanoid, &herd, &slots);
    let alone = momenta(&humanoid, &herd, &slots[..1])[0];
    for _ in 0..60 {
        herd.step();
    }
    let [linear_after, angular_after] = momenta(&humanoid, &herd, &slots);
    let alone_after = momenta(&humanoid, &herd, &slots[..1])[0];
    let given = (alone_after - alone).length();
    println!("given {given}, lost {} {}", (linear_after - linear).length(), (angular_after - angular).length());
    assert!(given > 100.0, "they hit each other: {given} kg m/s");
    assert!((linear_after - linear).length() < 1e-4 * given, "{linear} {linear_after}");
    assert!((angular_after - angular).length() < 2e-3 * given, "{angular} {angular_after}");
}

fn heaped(width: Width, steps: usize) -> (Herd, Vec<InstanceId>) {
    let humanoid = humanoid();
    let (mut herd, slots) = herd(&model(&humanoid, true), HerdSettings { width, ..settings() }, &heap(&humanoid));
    (0..steps).for_each(|_| herd.step());
    (herd, slots)
}

#[test]
fn x10_a_heap_has_the_same_bits_at_every_width() {
    let (herd, slots) = heaped(Width::single(), 60);
    let one = bits(&herd, &slots);
    for width in Width::all().into_iter().skip(1) {
        let (herd, slots) = heaped(width, 60);
        assert!(bits(&herd, &slots) == one, "{width}");
    }
}

#[cfg(feature = "parallel")]
#[test]
fn x10_a_heap_has_the_same_bits_with_any_number_of_threads() {
    let (serial, slots) = heaped(Width::widest(), 60);
    let serial = bits(&serial, &slots);
    for threads in [1, 3] {
        let (mut herd, slots) = heaped(Width::widest(), 0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        pool.install(|| (0..60).for_each(|_| herd.step()));
        assert!(bits(&herd, &slots) == serial, "{threads} threads");
    }
}

#[test]
fn a_saved_heap_goes_on_bit_for_bit() {
    let (mut first, slots) = heaped(Width::widest(), 30);
    let saved = first.save();
    let (mut second, _) = heaped(Width::widest(), 10);
    second.restore(&saved);
    for herd in [&mut first, &mut second] {
        (0..30).for_each(|_| herd.step());
    }
    assert!(bits(&first, &slots) == bits(&second, &slots));
}

#[test]
fn r17_a_heap_comes_to_rest_and_wakes_when_it_is_hit() {
    let humanoid = humanoid();
    let model = model(&humanoid, true);
    let (mut herd, slots) =
        herd(&model, HerdSettings { touch_each_other: true, ..HerdSettings::default() }, &heap(&humanoid));
    let mut quality = Quality::default();
    for step in 0..600 {
        herd.step();
        quality.add(&humanoid, &model, &herd, &slots, step == 599);
        if step % 60 == 59 {
            let asleep = slots.iter().filter(|&&slot| herd.is_asleep(slot)).count();
            println!("{} s: {asleep} asleep, overlap {:.4}", (step + 1) / 60, overlap(&humanoid, &herd, &slots));
        }
    }
    let row = quality.row();
    println!("{row}");
    assert!(!quality.is_broken && quality.penetration < 10e-3 && quality.penetration_at_end < 1e-3, "{row}");
    let asleep: Vec<InstanceId> = slots.iter().copied().filter(|&slot| herd.is_asleep(slot)).collect();
    assert!(asleep.len() >= 60, "{} of 64 asleep after 10 s", asleep.len());
    let top =
        slots.iter().copied().max_by(|&a, &b| herd.pose(a, 0).0.y.total_cmp(&herd.pose(b, 0).0.y)).expect("64 slots");
    let at = herd.pose(top, 0).0;
    herd.spawn(&InstancePlacement {
        position: at + DVec3::Y * 0.6,
        velocity: DVec3::NEG_Y * 3.0,
        ..InstancePlacement::default()
    })
    .unwrap();
    let mut wakes = false;
    for _ in 0..60 {
        herd.step();
        wakes |= !herd.is_asleep(top);
    }
    assert!(wakes, "what is run into wakes");
}

#[test]
fn a_ragdoll_that_meets_nobody_has_the_bits_of_a_herd_without_contact() {
    let humanoid = humanoid();
    let (model, placements) = (model(&humanoid, true), workload::apart(&humanoid, 20));
    let run = |touch_each_other: bool| {
        let (mut herd, slots) = herd(&model, HerdSettings { touch_each_other, ..settings() }, &placements);
        herd.set_obstacles(&[HerdObstacle::HalfSpace { normal: DVec3::Y, offset: 0.0 }]);
        (0..90).for_each(|_| herd.step());
        bits(&herd, &slots)
    };
    assert!(run(true) == run(false));
}
