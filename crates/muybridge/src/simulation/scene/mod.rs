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
pub use behavior::{Action, ActionKind, AxisWord, EaseWord, InertiaWord, PathWord, Plan, ProgressWord, UntilWord};
pub use body::{Ball, Block, Capsule, Joint, JointKind, Limit, MeshBody, Points, Tetrahedron};
pub use check::{SceneError, a, nearest};
pub use figure::{EMBEDDED, Herd, Ragdoll, file_word};
pub use obstacle::{Obstacle, ObstacleKind};
pub use slot::{PartPath, Waypoint};
pub use soft::{Cloth, End, Flail, Pin, Plant, Rope};
pub use solver::{
    BroadPhaseWord, DisplacementWord, IntegratorWord, Method, ModeWord, NarrowPhaseWord, RootWord, Solver,
};
pub use thing::{Thing, Visitor};

use slot::NumberRange;
use thing::thing;

/// Everything a run needs but the files it names.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scene {
    /// Name, time, gravity, ground.
    pub setting: Setting,
    /// How things are stepped.
    pub solver: Solver,
    /// Characters that fall.
    pub ragdolls: Vec<Ragdoll>,
    /// Many characters of one kind.
    pub herds: Vec<Herd>,
    /// Ropes.
    pub ropes: Vec<Rope>,
    /// Chains with a ball at the end.
    pub flails: Vec<Flail>,
    /// Cloth.
    pub cloths: Vec<Cloth>,
    /// Plants.
    pub plants: Vec<Plant>,
    /// Boxes.
    pub boxes: Vec<Block>,
    /// Balls.
    pub balls: Vec<Ball>,
    /// Capsules.
    pub capsules: Vec<Capsule>,
    /// Tetrahedra.
    pub tetrahedra: Vec<Tetrahedron>,
    /// Bodies of triangle meshes.
    pub carved: Vec<MeshBody>,
    /// Points, sticks and triangles by hand.
    pub points: Vec<Points>,
    /// Joints between things.
    pub joints: Vec<Joint>,
    /// Limits of the relative orientation of triangles made by hand.
    pub limits: Vec<Limit>,
    /// What stands or moves as it is told.
    pub obstacles: Vec<Obstacle>,
    /// Wind.
    pub winds: Vec<Wind>,
    /// Clips that become ragdolls.
    pub releases: Vec<Release>,
    /// Ragdolls driven along clips.
    pub follows: Vec<Follow>,
    /// People that stand and walk.
    pub stands: Vec<Stand>,
    /// Faces turned to places.
    pub looks: Vec<Look>,
    /// Hands and feet brought to places.
    pub reaches: Vec<Reach>,
    /// Impulses.
    pub hits: Vec<Hit>,
    /// Bombs.
    pub bombs: Vec<Bomb>,
    /// Parts led along a path.
    pub drags: Vec<Drag>,
    /// What things do by themselves.
    pub actions: Vec<Action>,
    /// What begins and ends that.
    pub plans: Vec<Plan>,
}

thing! {
    /// The scene as a whole.
    Setting "scene" required [] {
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
        air: f64 = 1.2 => Number(NumberRange::NotNegative),
    }
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
    /// Goes through everything, in the order in which it is written.
    pub fn walk(&mut self, walker: &mut impl Walker) {
        walker.one(&mut self.setting);
        walker.one(&mut self.solver);
        walker.many(&mut self.ragdolls);
        walker.many(&mut self.herds);
        walker.many(&mut self.ropes);
        walker.many(&mut self.flails);
        walker.many(&mut self.cloths);
        walker.many(&mut self.plants);
        walker.many(&mut self.boxes);
        walker.many(&mut self.balls);
        walker.many(&mut self.capsules);
        walker.many(&mut self.tetrahedra);
        walker.many(&mut self.carved);
        walker.many(&mut self.points);
        walker.many(&mut self.joints);
        walker.many(&mut self.limits);
        walker.many(&mut self.obstacles);
        walker.many(&mut self.winds);
        walker.many(&mut self.releases);
        walker.many(&mut self.follows);
        walker.many(&mut self.stands);
        walker.many(&mut self.looks);
        walker.many(&mut self.reaches);
        walker.many(&mut self.hits);
        walker.many(&mut self.bombs);
        walker.many(&mut self.drags);
        walker.many(&mut self.actions);
        walker.many(&mut self.plans);
    }

    /// Frames after the start: as many steps as the seconds hold.
    pub fn steps(&self) -> usize {
        let steps = libm::round(self.setting.seconds * self.setting.rate);
        if steps < 1.0 { 1 } else { steps.min(1e9) as usize }
    }
}
