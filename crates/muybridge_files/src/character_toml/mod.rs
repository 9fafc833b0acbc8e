//! `character.toml`, the project's own file of a whole character.
//!
//! ```toml
//! format = "muybridge character"         # these two lines first
//! version = 1
//! units = "m"                            # meters, kilograms, radians, right-handed
//! name = "measured, 3 March"             # where the masses are from, for the report
//!
//! [[bone]]                               # parents first; one for each bone that carries anything
//! name = "LeftLeg"
//! role = "left_lower_leg"
//! mass = 3.2                             # kg; with it center and inertia
//! center = [0.0, -0.17, 0.0]             # in the bone's frame
//! inertia = [0.05, 0.006, 0.05, 0.0, 0.0, 0.0]   # xx yy zz xy xz yz about the center, tensor elements
//! shapes = [
//!   { kind = "capsule", radius = 0.05, half_length = 0.15, position = [0.0, -0.17, 0.0], rotation = [0.0, 0.0, 0.0, 1.0] },
//! ]
//! range = { kind = "hinge", axis = [1.0, 0.0, 0.0], lower = 0.0, upper = 2.4 }
//! parent = "LeftUpLeg"                   # parent, position, rotation and ends only if the file holds the skeleton too
//! position = [0.0, -0.4, 0.0]
//! rotation = [0.0, 0.0, 0.0, 1.0]        # x y z w
//! ends = [[0.0, -0.4, 0.0]]
//!
//! [[contact]]                            # spheres that may touch
//! bone = "LeftLeg"
//! position = [0.0, -0.4, 0.05]
//! radius = 0.02
//! ```
//! Shapes: `sphere` (radius), `capsule` and `cylinder` (radius, half_length; along y), `box` (half_extents), `ellipsoid`
//! (semi_axes). Ranges: `free`, `fixed`, `hinge` (axis, lower, upper), `swing_twist` (frame, swing_x, swing_z, twist).
//! Roles: `hips spine chest upper_chest neck head`, and with `left_` or `right_`: `shoulder upper_arm lower_arm hand
//! upper_leg lower_leg foot toes`. What is written is read back to the last bit.

mod read;
mod write;

use muybridge::character::{Role, Side};
use muybridge::glam::{DQuat, DVec3};
use serde::Deserialize;
use toml::Spanned;

pub use read::read;
pub use write::write;

const FORMAT: &str = "muybridge character";
const VERSION: i64 = 1;

/// A character file in memory, checked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CharacterDocument {
    format: Spanned<String>,
    version: Spanned<i64>,
    units: Spanned<String>,
    name: Option<String>,
    #[serde(default, rename = "bone")]
    bones: Vec<BoneEntry>,
    #[serde(default, rename = "contact")]
    contacts: Vec<ContactEntry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BoneEntry {
    name: Spanned<String>,
    parent: Option<Spanned<String>>,
    position: Option<DVec3>,
    rotation: Option<DQuat>,
    #[serde(default)]
    ends: Vec<DVec3>,
    role: Option<Spanned<String>>,
    #[serde(default)]
    mass: f64,
    #[serde(default)]
    center: DVec3,
    #[serde(default)]
    inertia: [f64; 6],
    #[serde(default)]
    shapes: Vec<ShapeEntry>,
    range: Option<RangeEntry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ContactEntry {
    bone: Spanned<String>,
    position: DVec3,
    #[serde(default)]
    radius: f64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
enum ShapeEntry {
    Sphere { radius: f64, position: DVec3, rotation: DQuat },
    Capsule { radius: f64, half_length: f64, position: DVec3, rotation: DQuat },
    Cylinder { radius: f64, half_length: f64, position: DVec3, rotation: DQuat },
    Box { half_extents: DVec3, position: DVec3, rotation: DQuat },
    Ellipsoid { semi_axes: DVec3, position: DVec3, rotation: DQuat },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "snake_case")]
enum RangeEntry {
    Free,
    Fixed,
    Hinge { axis: DVec3, lower: f64, upper: f64 },
    SwingTwist { frame: DQuat, swing_x: [f64; 2], swing_z: [f64; 2], twist: [f64; 2] },
}

/// All roles, with their words in the file.
fn role_words() -> impl Iterator<Item = (String, Role)> {
    let middle = [
        ("hips", Role::Hips),
        ("spine", Role::Spine),
        ("chest", Role::Chest),
        ("upper_chest", Role::UpperChest),
        ("neck", Role::Neck),
        ("head", Role::Head),
    ];
    type OfSide = fn(Side) -> Role;
    let paired = [
        ("shoulder", Role::Shoulder as OfSide),
        ("upper_arm", Role::UpperArm),
        ("lower_arm", Role::LowerArm),
        ("hand", Role::Hand),
        ("upper_leg", Role::UpperLeg),
        ("lower_leg", Role::LowerLeg),
        ("foot", Role::Foot),
        ("toes", Role::Toes),
    ];
    let sides = [("left", Side::Left), ("right", Side::Right)];
    let paired = paired
        .into_iter()
        .flat_map(move |(word, role)| sides.map(|(side_word, side)| (format!("{side_word}_{word}"), role(side))));
    middle.into_iter().map(|(word, role)| (word.to_owned(), role)).chain(paired)
}

#[cfg(test)]
mod tests;
