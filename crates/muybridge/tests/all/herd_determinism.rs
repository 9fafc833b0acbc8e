//! Tests that a herd has the same bits at every width, in every slot, far from the origin, and after saving.

use crate::workload;

use muybridge::glam::DVec3;
use muybridge::math::Width;
use muybridge::particles::herd::InstancePlacement;
use muybridge::particles::{Herd, HerdSettings, InstanceId};
use workload::{apart, herd, humanoid, model};

const RAGDOLLS: usize = 20;

fn settings(width: Width) -> HerdSettings {
    HerdSettings { width, rest_steps: 0, ..HerdSettings::default() }
}

/// Bits of the poses and velocities of all bodies of some slots, positions from `origin`.
fn bits(herd: &Herd, slots: &[InstanceId], origin: DVec3) -> Vec<u64> {
    let mut bits = Vec::new();
    for &slot in slots {
        for body in 0..herd.bodies() {
            let ((position, rotation), (speed, spin)) = (herd.pose(slot, body), herd.velocity(slot, body));
            let numbers = [position - origin, speed, spin].map(|v| v.to_array());
            bits.extend(numbers.as_flattened().iter().chain(&rotation.to_array()).map(|value| value.to_bits()));
        }
    }
    bits
}

fn run(width: Width, steps: usize) -> Vec<u64> {
    let humanoid = humanoid();
    let (mut herd, slots) = herd(&model(&humanoid, true), settings(width), &apart(&humanoid, RAGDOLLS));
    (0..steps).for_each(|_| herd.step());
    bits(&herd, &slots, DVec3::ZERO)
}

#[test]
fn x10_a_herd_has_the_same_bits_at_every_width_and_on_every_run() {
    let one = run(Width::single(), 60);
    for width in Width::all() {
        assert!(run(width, 60) == one, "{width}");
    }
    assert!(run(Width::widest(), 60) == one, "a second run");
}

#[cfg(feature = "parallel")]
#[test]
fn x10_a_herd_has_the_same_bits_with_one_thread_and_with_eight() {
    let run = |threads: usize| {
        let humanoid = humanoid();
        let (mut herd, slots) = herd(&model(&humanoid, true), settings(Width::widest()), &apart(&humanoid, 100));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a thread pool");
        pool.install(|| (0..60).for_each(|_| herd.step()));
        bits(&herd, &slots, DVec3::ZERO)
    };
    let (one, eight) = (run(1), run(8));
    assert!(one == eight);
}

#[test]
fn x10_a_ragdoll_does_not_feel_its_neighbors_in_a_block() {
    let humanoid = humanoid();
    let (model, placements) = (model(&humanoid, true), apart(&humanoid, RAGDOLLS));
    let (mut all, slots) = herd(&model, settings(Width::widest()), &placements);
    (0..60).for_each(|_| all.step());
    for index in [0, 7, 17] {
        let (mut alone, slot) = herd(&model, settings(Width::widest()), &placements[index..=index]);
        (0..60).for_each(|_| alone.step());
        let (found, expected) = (bits(&alone, &slot, DVec3::ZERO), bits(&all, &slots[index..=index], DVec3::ZERO));
        assert!(found == expected, "ragdoll {index}");
    }
}

#[test]
fn a_hundred_kilometres_away_a_ragdoll_falls_as_at_the_origin() {
    let humanoid = humanoid();
    let model = model(&humanoid, true);
    let run = |away: DVec3| {
        let placements: Vec<InstancePlacement> = apart(&humanoid, 4)
            .into_iter()
            // Positions are rounded to values that are exact at both places.
            .map(|placement| InstancePlacement {
                position: (placement.position * 1024.0).round() / 1024.0 + away,
                ..placement
            })
            .collect();
        let (mut herd, slots) = herd(&model, settings(Width::widest()), &placements);
        (0..60).for_each(|_| herd.step());
        let poses = slots.iter().flat_map(|&slot| (0..15).map(move |body| (slot, body)));
        poses.map(|(slot, body)| (herd.pose(slot, body).0 - away, herd.pose(slot, body).1)).collect::<Vec<_>>()
    };
    let at_origin = run(DVec3::ZERO);
    for away in [DVec3::new(1000.0, 0.0, -3000.0), DVec3::new(-100_000.0, 0.0, 100_000.0)] {
        for ((p, q), (r, s)) in at_origin.iter().zip(run(away)) {
            assert!(p.distance(r) < 1e-9 && *q == s, "{p} {r}");
        }
    }
}

#[test]
fn a_saved_herd_goes_on_bit_for_bit() {
    let humanoid = humanoid();
    let (model, placements) = (model(&humanoid, true), apart(&humanoid, RAGDOLLS));
    let (mut first, slots) = herd(&model, settings(Width::widest()), &placements);
    (0..40).for_each(|_| first.step());
    let saved = first.save();
    (0..20).for_each(|_| first.step());
    let (mut second, _) = herd(&model, settings(Width::widest()), &[]);
    second.restore(&saved);
    (0..20).for_each(|_| second.step());
    assert!(bits(&first, &slots, DVec3::ZERO) == bits(&second, &slots, DVec3::ZERO));
}

#[test]
fn a_free_slot_is_used_again() {
    let humanoid = humanoid();
    let placements = apart(&humanoid, RAGDOLLS);
    let (mut herd, slots) = herd(&model(&humanoid, false), settings(Width::widest()), &placements);
    herd.despawn(slots[3]).unwrap();
    let error = herd.despawn(slots[3]).unwrap_err().to_string();
    assert_eq!(error, format!("there is no ragdoll {}; there are {}", slots[3].0, RAGDOLLS - 1));
    assert_eq!(herd.len(), RAGDOLLS - 1);
    assert_eq!(herd.spawn(&placements[0]).unwrap(), slots[3]);
    assert_eq!(herd.spawn(&placements[0]).unwrap(), InstanceId(RAGDOLLS));
}
