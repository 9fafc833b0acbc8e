//! A motion file as read: a skeleton and clips, still in the file's units and axes.

use muybridge::character::{Bone, Role, Skeleton};
use muybridge::collision::shape::PlacedShape;
use muybridge::glam::{DQuat, DVec3};
pub use muybridge::motion::Axis;
use muybridge::motion::Clip;

use crate::split_characters::FileCharacter;

/// A clock that a file states in a way that cannot be meant, such as a rate where a time belongs.
#[derive(Clone, Debug, PartialEq)]
pub struct MisreadClock {
    /// Speed of the stated clock by that of the clock that was taken.
    pub factor: f64,
    /// What the file says, and what was taken instead.
    pub sentence: String,
}

/// A motion file in memory. Lengths in file units, axes as in the file (right-handed).
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The format in words: "BVH", "glTF 2.0 binary", "FBX 7.4 binary".
    pub format: String,
    /// The skeleton.
    pub skeleton: Skeleton,
    /// Clips of the skeleton, at least one.
    pub clips: Vec<Clip>,
    /// Meters per file unit; `None` if the format does not state it.
    pub meters_per_unit: Option<f64>,
    /// The axis that points up; `None` if the format does not state it.
    pub up: Option<Axis>,
    /// Humanoid roles the file itself declares (VRM): bone and role.
    pub roles: Vec<(usize, Role)>,
    /// Solids fitted to the skin or the rigid meshes, by bone; empty if the file has none.
    pub shapes: Vec<(usize, PlacedShape)>,
    /// Candidates for contact points: skin or mesh vertices, thinned, in the frame of the bone that moves them most.
    pub skin_points: Vec<(usize, DVec3)>,
    /// The characters, if the file holds several; see [`crate::Opened::characters`].
    pub characters: Vec<FileCharacter>,
    /// The name of that one of them which this is; empty if it is the whole file.
    pub character: String,
    /// Names of the bones of the whole file, where this is one of several characters.
    pub companions: Vec<String>,
    /// What the file says of its clock, if that cannot be meant; the clips have the clock that was taken instead.
    pub misread_clock: Option<MisreadClock>,
    /// Notes on what the reader left out, one sentence each.
    pub ignored: Vec<String>,
}

/// A note that constraints of the scene do not act; `names` are those of the constraints or of the nodes they move.
pub(crate) fn unevaluated(names: &[&str], kind: &str) -> String {
    const MOST: usize = 4;
    let listed: Vec<String> = names.iter().take(MOST).map(|name| format!("“{name}”")).collect();
    let more = if names.len() > MOST { format!(" and {} more", names.len() - MOST) } else { String::new() };
    let count = if names.len() == 1 { "1 constraint is".into() } else { format!("{} constraints are", names.len()) };
    format!("{count} not evaluated ({kind}: {}{more}); bake the motion on export", listed.join(", "))
}

impl Default for Imported {
    /// One bone at the origin and a clip of one frame, in no format: what a caller changes to have an `Imported` of its own.
    fn default() -> Self {
        let (translation, rotation) = (DVec3::ZERO, DQuat::IDENTITY);
        let bone = Bone { name: "root".into(), parent: None, translation, rotation, ends: Vec::new() };
        Self {
            format: String::new(),
            skeleton: Skeleton::new(vec![bone]).expect("one bone is a skeleton"),
            clips: vec![Clip::new(1, 1, 1.0 / 30.0).expect("one frame is a clip")],
            meters_per_unit: None,
            up: None,
            roles: Vec::new(),
            shapes: Vec::new(),
            skin_points: Vec::new(),
            characters: Vec::new(),
            character: String::new(),
            companions: Vec::new(),
            misread_clock: None,
            ignored: Vec::new(),
        }
    }
}
