//! Random throws of single ragdolls of particles: nothing breaks or gains energy; ragdolls that come to rest are
//! counted.
//!
//! As in [`rigid_throws`](crate::rigid_throws): masses of every body times a factor from 1/√ratio to √ratio, narrowed
//! ranges, random orientation with up to 30 rad/s, ground with friction.

use std::env;
use std::ops::Range;

use muybridge::collision::Obstacle;
use muybridge::glam::{DVec2, DVec3};
use muybridge::math::Random;
use muybridge::particles::{Settings, World};
use muybridge::ragdoll::{RagdollSettings, RagdollStart, particles};
use muybridge::samples;

use crate::rigid_throws::{narrowed, within};

/// Seconds after which a ragdoll should be at rest.
const REST: f64 = 10.0;

/// Results of a number of throws.
#[derive(Debug, Default)]
struct Throws {
    /// Number of throws with a NaN.
    broken: usize,
    /// Number of throws in which a broken island was restored.
    torn: usize,
    /// Number of throws whose energy was ever more than 0.1 % above the initial energy, and the largest ratio.
    gained: usize,
    most: f64,
    /// Largest relative error of a rigid distance.
    stretch: f64,
    /// Largest gap of a joint, meters.
    gap: f64,
    /// Number awake 10 s after landing and sliding to a halt.
    awake: usize,
}

/// The ragdoll of a seed 4 m above its ground, with masses of `ratio` to 1 and up to `speed` (m/s), and the friction
/// coefficient.
fn thrown(seed: u64, (ratio, speed): (f64, f64)) -> (World, f64) {
    let mut random = Random::new(seed);
    let samples = [samples::humanoid, samples::mannequin, samples::quadruped];
    let mut character = samples[(seed % 3) as usize]();
    narrowed(&mut character, &mut random);
    let (turn, velocity, spin) = (random.rotation(), within(&mut random, speed), within(&mut random, 30.0));
    let start = RagdollStart::at_rest(&character.skeleton).moved(DVec3::Y * 4.0, turn).with_velocity(velocity, spin);
    let [skin, ground] = [0, 1].map(|_| 0.4 + 0.6 * random.unit());
    let settings = RagdollSettings { friction: skin, ..RagdollSettings::default() };
    let mut ragdoll = particles(&character, &start, &settings).expect("it has mass");
    for masses in ragdoll.model.masses.chunks_mut(4) {
        let factor = ratio.powf(0.5 * random.signed());
        masses.iter_mut().for_each(|mass| *mass *= factor);
    }
    let mut world = World::new(ragdoll.model, Settings::default()).expect("a sound model");
    world.obstacles.push(Obstacle::ground(0.0).expect("a height").with_friction(ground));
    (world, (skin * ground).sqrt())
}

/// Adds a throw that is observed for `seconds` after landing.
fn throw(seed: u64, wild: (f64, f64), watched: f64, all: &mut Throws) {
    let (mut world, friction) = thrown(seed, wild);
    let (first, mass) = (world.energy(), world.model().masses.iter().sum::<f64>());
    let (mut most, mut landed, mut until, mut is_asleep) = (1.0_f64, None, f64::INFINITY, false);
    let torn_before = all.torn;
    // The highest throw flies for 11 s.
    for step in 0..3600 {
        let falling = world.momentum() / mass;
        world.step();
        let time = f64::from(step) * world.settings.time_step;
        if landed.is_none() && world.touches().any(|(place, _)| place.y < 0.1) {
            landed = Some(time);
            until = time + watched.min(REST + DVec2::new(falling.x, falling.z).length() / (friction * 9.81));
        }
        all.torn = all.torn.max(torn_before + usize::from(world.report().put_back > 0));
        let energy = world.energy();
        if !energy.is_finite() {
            all.broken += 1;
            println!("seed {seed}: no number at {time} s");
            return;
        }
        most = most.max(energy / first);
        all.stretch = all.stretch.max(world.worst_deformation());
        all.gap = all.gap.max(world.worst_gap());
        is_asleep = (0..world.model().positions.len()).all(|particle| world.is_asleep(particle));
        if is_asleep || time > until {
            break;
        }
    }
    all.awake += usize::from(!is_asleep);
    all.gained += usize::from(most > 1.001);
    all.most = all.most.max(most);
    if most > 1.001 || all.torn > torn_before || !is_asleep && watched > REST {
        println!("seed {seed}: {most} of its energy, torn: {}, asleep: {is_asleep}", all.torn > torn_before);
    }
}

fn throws(seeds: Range<u64>, wild: (f64, f64), watched: f64) -> Throws {
    let mut all = Throws::default();
    seeds.for_each(|seed| throw(seed, wild, watched, &mut all));
    println!("{all:?}");
    all
}

#[test]
fn thirty_ragdolls_of_particles_land_and_gain_nothing() {
    let all = throws(0..30, (10.0, 50.0), 0.25);
    assert!(all.broken == 0 && all.torn == 0 && all.gained == 0 && all.gap < 1e-6, "{all:?}");
}

/// `MUYBRIDGE_THROWS` throws from number `MUYBRIDGE_FIRST_THROW` on, with masses of `MUYBRIDGE_RATIO` to 1, at up to
/// `MUYBRIDGE_SPEED` m/s.
#[test]
#[ignore = "10,000 throws: hours"]
fn ten_thousand_ragdolls_of_particles_land_and_gain_nothing() {
    let number = |name: &str, default: u64| env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let first = number("MUYBRIDGE_FIRST_THROW", 0);
    let [ratio, speed] = [number("MUYBRIDGE_RATIO", 1000), number("MUYBRIDGE_SPEED", 50)].map(|number| number as f64);
    let all = throws(first..first + number("MUYBRIDGE_THROWS", 10_000), (ratio, speed), f64::INFINITY);
    assert!(all.broken == 0 && all.gained == 0, "{all:?}");
}
