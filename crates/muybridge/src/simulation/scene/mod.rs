//! A scene: things, their starts, and inputs to them, independent of the solver.
//!
//! A scene describes ragdolls by characters and joints by their limits, and never by particles. So the same scene runs under
//! every method and can be edited. Points, sticks and triangles by hand ([`Points`]) are one kind of thing among the others.
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
mod free_bodies;
mod obstacle;
mod order;
mod points;
pub mod slot;
mod soft;
mod solver;
pub mod thing;

use glam::DVec3;

pub use action::{Bomb, Drag, Follow, Hit, Look, Reach, Release, Stand, Wind};
pub use behavior::{Action, ActionKind, AxisWord, PathWord, Plan, UntilWord};
pub use body::{Ball, Block, Capsule, Joint, JointKind, JointLock, MeshBody, Tetrahedron};
pub use check::{SceneError, a, nearest};
pub(super) use check_solver::without_effect;
pub use figure::{EMBEDDED, Herd, Ragdoll, file_word};
pub use obstacle::{Obstacle, ObstacleKind};
pub(in crate::simulation) use order::FilePlaces;
pub use points::{Limit, LimitKind, Points};
pub use slot::{PartPath, Waypoint};
pub use soft::{CellShape, Cloth, End, Flail, Pin, Plant, Rope};
pub use solver::{FreeBodies, Method, ParticleSolver, RigidSolver, Solver, WarningLimits};
pub use thing::{AttachPoint, Thing, Visitor};

use check::{Names, WrongKey};
use slot::{MOST, NumberRange};
use thing::thing;

/// The scene and its walk, from one row for each kind of thing.
macro_rules! scene {
    ($($(#[doc = $doc:literal])* $field:ident: $kind:ident,)+) => {
        /// A complete scene, except for the files it names.
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
            /// Visits every section, in the order in which it is written.
            pub fn walk(&mut self, walker: &mut impl Walker) {
                walker.one(&mut self.setting);
                walker.one(&mut self.solver);
                $(walker.many(&mut self.$field);)+
            }
        }
    };
}

scene! {
    /// Ragdolls.
    ragdolls: Ragdoll,
    /// Herds: many ragdolls of one character.
    herds: Herd,
    /// Ropes.
    ropes: Rope,
    /// Flails: chains with a ball at the end.
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
    /// Limits of points made by hand.
    limits: Limit,
    /// Obstacles, which nothing pushes.
    obstacles: Obstacle,
    /// Wind.
    winds: Wind,
    /// Times at which ragdolls stop playing a clip and fall.
    releases: Release,
    /// Clips for ragdolls to follow.
    follows: Follow,
    /// People who stand and walk.
    stands: Stand,
    /// Places for faces to turn to.
    looks: Look,
    /// Places for hands and feet to reach.
    reaches: Reach,
    /// Impulses.
    hits: Hit,
    /// Explosions.
    explosions: Bomb,
    /// Things dragged along paths.
    pulls: Drag,
    /// Targets that things pursue by themselves.
    actions: Action,
    /// Plans that begin and end actions.
    plans: Plan,
}

thing! {
    /// The scene as a whole.
    Setting "scene" required [] checked by check_setting {
        /// Name of the scene in reports and pictures.
        name: String = String::new() => Text,
        /// Duration of the run, seconds.
        seconds: f64 = 4.0 => Number(NumberRange::Positive),
        /// Frames per second of the run and of its recording.
        rate: f64 = 60.0 => Number(NumberRange::Positive),
        /// Gravity, meters per second squared.
        gravity: DVec3 = DVec3::new(0.0, -9.81, 0.0) => Vector(NumberRange::Any),
        /// Seed of the random numbers.
        seed: u32 = 1 => Count([0, u32::MAX]),
        /// Height of the ground, meters; left out: no ground.
        ground: Option<f64> = None => Optional(NumberRange::Any),
        /// Coulomb friction of the ground.
        ground_friction: f64 = 0.6 => Number(NumberRange::NotNegative),
        /// Density of the air, kg/m³; used by the wind's pressure and drag on cloth.
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
        let message = format!(
            "gives {frames:.0} frames at this rate, but a run has at most {MOST_FRAMES:.0}; shorten it or lower rate"
        );
        return Err(("seconds", message));
    }
    let cells = names.scene.cloths.iter().map(|cloth| u64::from(cloth.columns) * u64::from(cloth.rows)).sum::<u64>();
    if names.bodies > u64::from(MOST) || cells > 1 << 24 {
        let message = format!(
            "belongs to a scene of {} bodies and {cells} cloth cells, which do not fit into memory; use fewer",
            names.bodies
        );
        return Err(("name", message));
    }
    Ok(())
}

/// Visitor of all sections of a scene.
pub trait Walker {
    /// Visits a section that exists once.
    fn one<T: Thing>(&mut self, section: &mut T);
    /// Visits all things of a kind.
    fn many<T: Thing>(&mut self, things: &mut Vec<T>);
}

impl Scene {
    /// Magnitude of gravity, m/s²; `None` unless gravity points down y.
    pub(in crate::simulation) fn falls_at(&self) -> Option<f64> {
        let gravity = self.solver.gravity(&self.setting);
        (gravity.y < 0.0 && gravity.x == 0.0 && gravity.z == 0.0).then_some(-gravity.y)
    }

    /// Number of frames after the start: the scene's seconds times its frame rate, rounded.
    pub fn steps(&self) -> usize {
        let steps = libm::round(self.setting.seconds * self.setting.rate);
        if steps < 1.0 { 1 } else { steps.min(1e9) as usize }
    }
}
