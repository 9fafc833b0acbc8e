//! Characters in a scene: ragdolls, heaps of them, herds.

use glam::DVec3;

use super::slot::MOST;
use super::slot::NumberRange::{Any, NotNegative, Positive, Share, Speed};
use super::thing::thing;
use crate::particles::herd::HerdSettings;

/// Prefix of a word that holds the file itself instead of its name: `data:;name=jump.glb;base64,…` (RFC 2397).
pub const EMBEDDED: &str = "data:";

/// The file name for messages, from its word in a scene; also for a file that the scene embeds.
pub fn file_word(word: &str) -> &str {
    let Some(rest) = word.strip_prefix(EMBEDDED) else { return word };
    let head = rest.split(',').next().unwrap_or_default();
    head.split(';').find_map(|part| part.strip_prefix("name=")).unwrap_or("a file without a name")
}

thing! {
    /// A character whose bones are rigid bodies with joints; with a grid, many copies.
    ///
    /// Copies of a grid are named by name and number: `"heap 1"`, `"heap 2"` …, x first, then z, then y.
    Ragdoll "ragdoll" of Bodies required ["name"] {
        /// Name of the ragdoll.
        name: String = String::new() => Name,
        /// Character: `humanoid`, `quadruped`, or a motion or character file, relative to the scene; or an embedded file,
        /// `data:;name=FILE;base64,…`.
        character: String = "humanoid".into() => Text,
        /// Unit of the file: `m`, `cm`, `mm`, `in`, `ft` or meters per unit; empty: as the file says, or inferred.
        unit: String = String::new() => Text,
        /// Axis that points up in the file: `x`, `y` or `z`; empty: as the file says, or inferred.
        up: String = String::new() => Text,
        /// File of masses, inertias and shapes (MJCF, URDF, body CSV or `character.toml`), relative to the scene; empty: from tables.
        body: String = String::new() => Text,
        /// Motion to start from: `jump`, `walk`, or a clip of the character's file; empty: the rest pose.
        clip: String = String::new() => Text,
        /// Start time in the clip, seconds; the ragdoll starts with the clip's velocity.
        time: f64 = 0.0 => Number(NotNegative),
        /// Offset from the place of the rest pose or clip, meters.
        position: DVec3 = DVec3::ZERO => Vector(Any),
        /// Rotation of the ragdoll about its root: axis times angle, radians.
        rotation: DVec3 = DVec3::ZERO => Turn,
        /// Whether it starts at rest in balance: the least change of the pose with which the feet stay and the center of mass is over the
        /// line between them. Joint limits are not heeded.
        balanced: bool = false => Flag,
        /// Velocity added to the start, meters per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Angular velocity about the center of mass added to the start, radians per second.
        spin: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Number of copies along x, y and z.
        grid: [u32; 3] = [1; 3] => Grid,
        /// Distance between copies, meters.
        spacing: DVec3 = DVec3::new(1.0, 1.0, 1.0) => Vector(Any),
        /// Gives each of a grid a random orientation.
        random_orientation ("tumble"): bool = false => Flag,
        /// Total mass, kilograms; left out: the character's own.
        mass: Option<f64> = None => Optional(Positive),
        /// Coulomb friction.
        friction: f64 = 0.6 => Number(NotNegative),
        /// Restitution: share of the normal speed that an impact returns.
        restitution: f64 = 0.0 => Number(Share),
        /// Damping: rate at which velocities decay, per second.
        damping ("drag"): f64 = 0.0 => Number(NotNegative),
        /// Whether its limbs collide with each other.
        self_collision ("touches_itself"): bool = true => Flag,
        /// Joint damping: rate at which relative rotation of bones decays, per second; under particles, only at joints with limits.
        joint_friction: f64 = 10.0 => Number(NotNegative),
        /// Rolling resistance of the skin against obstacles, meters; limbs of particles do not roll.
        rolling_resistance ("rolling"): f64 = 0.01 => Number(NotNegative),
        /// Iterations over a ragdoll of particles per substep; 0: `constraint_iterations` of the solver.
        iterations: u32 = 0 => Count([0, 1000]),
        /// Whether joints keep to their limits.
        joint_limits ("ranges"): bool = true => Flag,
        /// Whether knees and elbows are hinges; a clip that bends them otherwise is followed exactly only without.
        hinges: bool = true => Flag,
    }
}

thing! {
    /// Thousands of ragdolls of one character. Particles simulate each in a lane; rigid bodies one by one, or in lanes if `alone`.
    Herd "herd" required ["name"] {
        /// Name of the herd.
        name: String = String::new() => Name,
        /// Character, as for a ragdoll.
        character: String = "humanoid".into() => Text,
        /// Number of ragdolls.
        count: u32 = 1024 => Count([1, MOST]),
        /// Distance between neighbors on the ground, meters.
        spacing: f64 = 1.5 => Number(Positive),
        /// Height from which they fall, meters.
        height: f64 = 1.0 => Number(Any),
        /// Greatest speed at the start, in a random direction, meters per second.
        speed: f64 = 0.0 => Number(NotNegative),
        /// Greatest angular speed at the start, radians per second.
        spin: f64 = 0.0 => Number(NotNegative),
        /// Gives each a random orientation.
        random_orientation ("tumble"): bool = true => Flag,
        /// Greatest delay, seconds, with which one of them begins a clip that they follow; each has a random one.
        max_start_delay ("stagger"): f64 = 0.0 => Number(NotNegative),
        /// Coulomb friction.
        friction: f64 = 0.6 => Number(NotNegative),
        /// Each ragdoll collides with obstacles, but not with others or itself, and its joints have no friction. Under `multipliers`
        /// such a herd runs in lanes, collides only with half-spaces that stand still, and follows no clip.
        alone: bool = false => Flag,
        /// Substeps per frame under particles, independent of the solver's; a step that fails is repeated with more.
        substeps: u32 = HerdSettings::default().substeps => Count([1, 10_000]),
        /// Speed below which it counts as at rest, meters per second.
        sleep_threshold ("rest_speed"): f64 = HerdSettings::default().rest_speed => Number(NotNegative),
    }
}
