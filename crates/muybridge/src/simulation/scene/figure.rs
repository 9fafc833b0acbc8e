//! Characters in a scene: ragdolls, heaps of them, herds.

use glam::DVec3;

use super::slot::MOST;
use super::slot::NumberRange::{Any, NotNegative, Positive, Share, Speed};
use super::thing::thing;
use crate::particles::herd::HerdSettings;

/// How a word begins that holds a file itself instead of naming one: `data:;name=jump.glb;base64,…` (RFC 2397).
pub const EMBEDDED: &str = "data:";

/// The name of a file by its word in a scene, also of one that the scene holds itself: what a sentence says of it.
pub fn file_word(word: &str) -> &str {
    let Some(rest) = word.strip_prefix(EMBEDDED) else { return word };
    let head = rest.split(',').next().unwrap_or_default();
    head.split(';').find_map(|part| part.strip_prefix("name=")).unwrap_or("a file without a name")
}

thing! {
    /// A character whose bones are rigid bodies with joints between them; with a grid a heap of it.
    ///
    /// Those of a grid are called by name and number: `"heap 1"`, `"heap 2"` …, x first, then z, then y.
    Ragdoll "ragdoll" of Bodies required ["name"] {
        /// By which others speak of it.
        name: String = String::new() => Name,
        /// `humanoid`, `quadruped`, or a motion or character file, relative to the scene; or such a file itself, `data:;name=FILE;base64,…`.
        character: String = "humanoid".into() => Text,
        /// A motion to start from: `jump`, `walk`, or the name of a clip of the character's file; empty: the rest pose.
        clip: String = String::new() => Text,
        /// Where in the clip the run starts, seconds; its velocity is inherited.
        time: f64 = 0.0 => Number(NotNegative),
        /// Added to where rest pose or clip stands, metres.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Turns all of it about its root: axis times angle, radians.
        rotation: DVec3 = DVec3::ZERO => Turn,
        /// Added to its velocity, metres per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Added to its rotation about its mass center, radians per second.
        spin: DVec3 = DVec3::ZERO => Vector(Speed),
        /// How many along x, y and z.
        grid: [u32; 3] = [1; 3] => Grid,
        /// Metres between those of a grid.
        spacing: DVec3 = DVec3::new(1.0, 1.0, 1.0) => Vector(Any),
        /// Gives each of a grid a random orientation.
        random_orientation ("tumble"): bool = false => Flag,
        /// Total mass, kilograms; left out: the character's own.
        mass: Option<f64> = None => Optional(Positive),
        /// Coulomb friction.
        friction: f64 = 0.6 => Number(NotNegative),
        /// Share of the normal speed that comes back at a hit.
        restitution: f64 = 0.0 => Number(Share),
        /// Rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.0 => Number(NotNegative),
        /// Whether its limbs touch each other.
        self_collision ("touches_itself"): bool = true => Flag,
        /// Rate at which bones stop turning against each other, per second; of particles, at joints that have a range.
        joint_friction: f64 = 10.0 => Number(NotNegative),
        /// Rolling resistance of its skin against obstacles, metres; limbs of particles do not roll.
        rolling_resistance ("rolling"): f64 = 0.01 => Number(NotNegative),
        /// Whether joints keep to their limits.
        joint_limits ("ranges"): bool = true => Flag,
        /// Whether knees and elbows turn about one axis alone; a clip that turns them otherwise is followed exactly without.
        hinges: bool = true => Flag,
    }
}

thing! {
    /// Thousands of ragdolls of one character: of particles each in a lane of its own, of rigid bodies as single ones, or in lanes if `alone`.
    Herd "herd" required ["name"] {
        /// By which others speak of it.
        name: String = String::new() => Name,
        /// As of a ragdoll.
        character: String = "humanoid".into() => Text,
        /// How many.
        count: u32 = 1024 => Count([1, MOST]),
        /// Metres between neighbors on the ground.
        spacing: f64 = 1.5 => Number(Positive),
        /// Height they fall from, metres.
        height: f64 = 1.0 => Number(Any),
        /// Greatest speed at the start, in a direction of chance, metres per second.
        speed: f64 = 0.0 => Number(NotNegative),
        /// Greatest rate of rotation at the start, radians per second.
        spin: f64 = 0.0 => Number(NotNegative),
        /// Gives each a random orientation.
        random_orientation ("tumble"): bool = true => Flag,
        /// Greatest delay, seconds, with which one of them begins a clip that they follow; each has a random one.
        max_start_delay ("stagger"): f64 = 0.0 => Number(NotNegative),
        /// Coulomb friction.
        friction: f64 = 0.6 => Number(NotNegative),
        /// Each touches what stands, but neither another nor itself, and its joints have no friction. Under `multipliers` such a herd runs
        /// in lanes, which meet only half-spaces that stand still, and follows nothing.
        alone: bool = false => Flag,
        /// Substeps per frame of particles; a step that goes wrong is taken again with more: a herd has its own, whatever the solver of the other things takes.
        substeps: u32 = HerdSettings::default().substeps => Count([1, 10_000]),
        /// Speed below which it counts as at rest, metres per second.
        sleep_threshold ("rest_speed"): f64 = HerdSettings::default().rest_speed => Number(NotNegative),
    }
}
