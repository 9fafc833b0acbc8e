//! A scene: what things are, where they start, what is done to them. Not how they are simulated.
//!
//! A ragdoll is a character, a joint says what it joins and how far it may turn: nothing speaks of particles, so the same
//! scene runs under every method and can be edited. Points, sticks and triangles by hand ([`Points`]) are one kind of thing
//! among the others.
//!
//! Every kind lists its keys once, with default, bounds and unit ([`Thing::visit`]); the reader, the writer and
//! [`Scene::check`] walk that list, so that they cannot disagree. Angles are radians, everything else SI.

mod action;
mod behavior;
mod body;
mod check;
mod check_behavior;
mod check_own_feet;
mod check_solver;
mod check_stand;
mod figure;
mod obstacle;
pub mod slot;
mod soft;
mod solver;
pub mod thing;

use glam::DVec3;

pub use action::{Bomb, Drag, Follow, Hit, Look, Reach, Release, Stand, Wind};
pub use behavior::{Action, ActionKind, AxisWord, PathWord, Plan, UntilWord};
pub use body::{Ball, Block, Capsule, Joint, JointKind, Limit, MeshBody, Points, Tetrahedron};
pub use check::{SceneError, a, nearest};
pub use figure::{EMBEDDED, Herd, Ragdoll, file_word};
pub use obstacle::{Obstacle, ObstacleKind};
pub use slot::{PartPath, Waypoint};
pub use soft::{Cloth, End, Flail, Pin, Plant, Rope};
pub use solver::{Method, ParticleSolver, RigidSolver, Solver};
pub use thing::{AttachPoint, Thing, Visitor};

use check::{Names, WrongKey};
use slot::{MOST, NumberRange};
use thing::thing;

/// The scene and its walk, from one row for each kind of thing.
macro_rules! scene {
    ($($(#[doc = $doc:literal])* $field:ident: $kind:ident,)+) => {
        /// Everything a run needs but the files it names.
        #[derive(Clone, Debug, Default, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct Scene {
            /// Name, time, gravity, ground.
            pub setting: Setting,
            /// Method and settings of the solvers.
            pub solver: Solver,
            $($(#[doc = $doc])* pub $field: Vec<$kind>,)+
        }

        impl Scene {
            /// Goes through everything, in the order in which it is written.
            pub fn walk(&mut self, walker: &mut impl Walker) {
                walker.one(&mut self.setting);
                walker.one(&mut self.solver);
                $(walker.many(&mut self.$field);)+
            }
        }
    };
}

scene! {
    /// Characters that fall.
    ragdolls: Ragdoll,
    /// Many characters of one kind.
    herds: Herd,
    /// Ropes.
    ropes: Rope,
    /// Chains with a ball at the end.
    flails: Flail,
    /// Cloth.
    cloths: Cloth,
    /// Plants.
    plants: Plant,
    /// Boxes.
    boxes: Block,
    /// Balls.
    balls: Ball,
    /// Capsules.
    capsules: Capsule,
    /// Tetrahedra.
    tetrahedra: Tetrahedron,
    /// Bodies of triangle meshes.
    carved: MeshBody,
    /// Points, sticks and triangles by hand.
    points: Points,
    /// Joints between things.
    joints: Joint,
    /// Limits of the relative orientation of triangles made by hand.
    limits: Limit,
    /// Obstacles, which nothing pushes.
    obstacles: Obstacle,
    /// Wind.
    winds: Wind,
    /// Clips that become ragdolls.
    releases: Release,
    /// Ragdolls driven along clips.
    follows: Follow,
    /// People that stand and walk.
    stands: Stand,
    /// Faces turned to places.
    looks: Look,
    /// Hands and feet brought to places.
    reaches: Reach,
    /// Impulses.
    hits: Hit,
    /// Explosions.
    explosions: Bomb,
    /// Parts led along a path.
    pulls: Drag,
    /// Targets that things pursue by themselves.
    actions: Action,
    /// Plans that begin and end actions.
    plans: Plan,
}

thing! {
    /// The scene as a whole.
    Setting "scene" required [] checked by check_setting {
        /// For reports and pictures.
        name: String = String::new() => Text,
        /// How long it runs, seconds.
        seconds: f64 = 4.0 => Number(NumberRange::Positive),
        /// Frames per second of the run and of what is recorded.
        rate: f64 = 60.0 => Number(NumberRange::Positive),
        /// Metres per second squared.
        gravity: DVec3 = DVec3::new(0.0, -9.81, 0.0) => Vector(NumberRange::Any),
        /// What chance follows from.
        seed: u32 = 1 => Count([0, u32::MAX]),
        /// Height of the ground, metres; left out: there is none.
        ground: Option<f64> = None => Optional(NumberRange::Any),
        /// Coulomb friction of the ground.
        ground_friction: f64 = 0.6 => Number(NumberRange::NotNegative),
        /// Density of the air, kg/m³: what wind presses on cloth with, and what brakes cloth between gusts.
        air_density ("air"): f64 = 1.2 => Number(NumberRange::NotNegative),
    }
}

/// The most frames of a run.
const MOST_FRAMES: f64 = 1e7;

/// Frames per second that a run can have.
const RATES: [f64; 2] = [0.1, 1e5];

fn check_setting(setting: &Setting, _: usize, names: &Names<'_>) -> Result<(), WrongKey> {
    let rate = setting.rate;
    if !(RATES[0]..=RATES[1]).contains(&rate) {
        return Err(("rate", format!("must be {} to {:.0} frames per second, not {rate:e}", RATES[0], RATES[1])));
    }
    let frames = setting.seconds * rate;
    if frames > MOST_FRAMES {
        let message = format!("makes {frames:.0} frames at this rate; at most {MOST_FRAMES:.0} are run at once");
        return Err(("seconds", message));
    }
    let cells = names.scene.cloths.iter().map(|cloth| u64::from(cloth.columns) * u64::from(cloth.rows)).sum::<u64>();
    if names.bodies > u64::from(MOST) || cells > 1 << 24 {
        let message = format!("holds {} bodies and {cells} cells of cloth, more than memory does", names.bodies);
        return Err(("name", message));
    }
    Ok(())
}

impl Setting {
    /// Magnitude of gravity, m/s², where it points down y.
    pub(in crate::simulation) fn falls_at(&self) -> Option<f64> {
        let gravity = self.gravity;
        (gravity.y < 0.0 && gravity.x == 0.0 && gravity.z == 0.0).then_some(-gravity.y)
    }
}

/// What goes through a scene section by section.
pub trait Walker {
    /// The one section of its kind.
    fn one<T: Thing>(&mut self, section: &mut T);
    /// All things of a kind.
    fn many<T: Thing>(&mut self, things: &mut Vec<T>);
}

impl Scene {
    /// Frames after the start: as many steps as the seconds hold.
    pub fn steps(&self) -> usize {
        let steps = libm::round(self.setting.seconds * self.setting.rate);
        if steps < 1.0 { 1 } else { steps.min(1e9) as usize }
    }
}
