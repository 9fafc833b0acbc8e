//! `scene.toml`: things and inputs, as a person writes them.
//!
//! ```toml
//! [scene]                                # all keys have defaults; SI units, radians or "30 deg", y up
//! name = "a man on a rope"
//! ground = 0.0
//!
//! [[ragdoll]]                            # things: a table for each, with a name of its own
//! name = "man"
//! character = "humanoid"                 # or a file beside the scene: .bvh .glb .fbx character.toml
//! position = [0.0, 1.0, 0.0]
//!
//! [[rope]]
//! name = "rope"
//! from = [0.0, 4.0, 0.0]
//! to = [0.0, 1.6, 0.0]
//! fixed = ["start"]
//! to_attached_to = "man/LeftHand"        # a bone of a thing
//!
//! [[hit]]                                # inputs at given times
//! of = "man/Chest"
//! time = 1.0
//! impulse = [40.0, 0.0, 0.0]
//!
//! [[action]]                             # actions that things perform …
//! name = "reach up"
//! kind = "move_to"                       # or chase turn_to turn_chase align stop
//! on = "man/RightHand"
//! to = [0.3, 2.0, 0.2]
//! seconds = 1.0
//!
//! [[plan]]                               # … and plans that begin and end actions
//! name = "plan"
//! steps = [{ wait = 0.5 }, "reach up", { contact = "man/RightHand", with = "rope" }]
//! ```
//! Which keys a thing has, their defaults, units and bounds stand in [`muybridge::simulation::scene`]. Things: `ragdoll herd
//! rope flail cloth plant box ball capsule tetrahedron body points joint limit obstacle`; air and what is done to things: `wind release hit explosion pull`; what they do
//! themselves: `action plan` ([`muybridge::simulation::scene::Action`]).
//!
//! TOML, because scenes are written and compared by hand and kept in version control: it has comments, numbers that are not
//! strings, headed tables instead of nesting, and one obvious way to write each value. JSON has no comments and no infinity,
//! YAML reads `no` as false, RON and KDL are known to few editors, and a binary format cannot be read. The project's character
//! files are TOML too.
//!
//! An input log is a file of its own that holds the scene and the inputs to its run: [`read_log`], [`write_log`].
//!
//! A kind or key that got a better word is still read under its old one, with a note ([`notes`]); the new word is written.
//!
//! A written scene is read back to the last bit (R26): numbers are the shortest decimals that read back the same, and keys at
//! their defaults are left out.

mod assets;
pub mod built_in;
mod embedded;
mod input_log;
mod plan;
mod read;
mod recorded;
mod value;
mod write;

pub use assets::{Skins, load, load_with, skins, with_whole_paths};
pub use embedded::embedded;
pub use input_log::{is_log, read_log, write_log};
pub use read::{located, notes, read, read_unchecked};
pub use recorded::export;
pub use write::write;

#[cfg(test)]
mod tests;
