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
mod figure;
mod obstacle;
pub mod slot;
mod soft;
pub mod thing;

use glam::DVec3;

pub use action::{Bomb, Drag, Follow, Hit, Look, Reach, Release, Stand, Wind};
pub use behavior::{Action, ActionKind, AxisWord, EaseWord, InertiaWord, PathWord, Plan, ProgressWord, UntilWord};
pub use body::{Ball, Block, Capsule, Joint, JointKind, Limit, Points, Tetrahedron};
pub use check::{Fault, nearest};
pub use figure::{Herd, Ragdoll};
pub use obstacle::{Obstacle, ObstacleKind};
pub use slot::{Part, Waypoint};
pub use soft::{Cloth, End, Flail, Pin, Plant, Rope};
pub use thing::{Thing, Visitor};

use crate::particles::{self, Mode, SquareRoot};
use crate::rigid::{self, multipliers::Feedback};
use slot::Bound;
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
        seconds: f64 = 4.0 => Number(Bound::Positive),
        /// Frames per second of the run and of what is recorded.
        rate: f64 = 60.0 => Number(Bound::Positive),
        /// Metres per second squared.
        gravity: DVec3 = DVec3::new(0.0, -9.81, 0.0) => Vector(Bound::Any),
        /// What chance follows from.
        seed: u32 = 1 => Count([0, u32::MAX]),
        /// Height of the ground, metres; left out: there is none.
        ground: Option<f64> = None => Optional(Bound::Any),
        /// Coulomb friction of the ground.
        ground_friction: f64 = 0.6 => Number(Bound::NotNegative),
        /// Density of the air, kg/m³: what wind presses on cloth with, and what brakes cloth between gusts.
        air: f64 = 1.2 => Number(Bound::NotNegative),
    }
}

slot::choice! {
    /// What things are made of while they are simulated.
    Method {
        /// Points held together by distances, as [`particles`] has them.
        #[default]
        Particles = "particles",
        /// Rigid bodies, their joints solved at once by Lagrange multipliers, as [`rigid`] has them.
        Multipliers = "multipliers",
        /// Rigid bodies that drift and are moved back by what their joints are apart.
        Displacement = "displacement",
        /// Rigid bodies whose joints are solved from one dense matrix, with feedback on their gaps (Hennix et al.).
        Hennix = "hennix",
    }
}

slot::choice! {
    /// The order and kind of projection, as [`Mode`].
    ModeWord {
        /// [`Mode::Shake`].
        #[default]
        Shake = "shake",
        /// [`Mode::Xpbd`].
        Xpbd = "xpbd",
        /// [`Mode::Jakobsen`].
        Jakobsen = "jakobsen",
        /// [`Mode::Rosen`].
        Rosen = "rosen",
    }
}

slot::choice! {
    /// The root of a distance, as [`SquareRoot`].
    RootWord {
        /// [`SquareRoot::Exact`].
        #[default]
        Exact = "exact",
        /// [`SquareRoot::Taylor`].
        Taylor = "taylor",
    }
}

thing! {
    /// How things are stepped. Left out: as [`particles::Settings`] and [`rigid::Settings`] have it, but for the substeps of particles.
    Solver "solver" required [] {
        /// What things are made of. Keys that begin with `rigid` are those of rigid bodies, the others of particles.
        method: Method = Method::Particles => Choice,
        /// Solver.
        mode: ModeWord = ModeWord::Shake => Choice,
        /// Substeps per frame.
        ///
        /// A ragdoll that lands on its feet stretches by 16 % and exceeds its limits by 33° with 16, by 2.4 % and 0.5° with 64.
        substeps: u32 = 64 => Count([1, 10_000]),
        /// Passes over the constraints per substep. Four times the substeps do more than four passes, for the same time.
        iterations: u32 = particles::Settings::default().iterations => Count([1, 10_000]),
        /// Passes end early where the worst relative error is below this; 0 never.
        tolerance: f64 = particles::Settings::default().tolerance => Number(Bound::NotNegative),
        /// Corrections are multiplied by this.
        over_relaxation: f64 = particles::Settings::default().over_relaxation => Number(Bound::Positive),
        /// How lengths are found.
        square_root: RootWord = RootWord::Exact => Choice,
        /// Slowest speed that is not rest, metres per second.
        rest_speed: f64 = particles::Settings::default().rest_speed => Number(Bound::NotNegative),
        /// Frames at rest before something sleeps; 0 never. Of both.
        rest_steps: u32 = particles::Settings::default().rest_steps => Count([0, 1_000_000]),
        /// Substeps per frame, at least: where something turns fast there are more.
        rigid_substeps: u32 = rigid::Settings::default().substeps => Count([1, 10_000]),
        /// Passes over contacts, ranges and motors per substep, at most.
        rigid_iterations: u32 = rigid::Settings::default().iterations => Count([1, 10_000]),
        /// Slowest speed that is not rest, metres per second; ten times as many radians per second.
        rigid_rest_speed: f64 = rigid::Settings::default().rest_speed => Number(Bound::NotNegative),
    }
}

impl Solver {
    /// The settings of the particles' world, for a scene.
    pub fn settings(&self, setting: &Setting) -> particles::Settings {
        particles::Settings {
            time_step: 1.0 / setting.rate,
            gravity: setting.gravity,
            mode: self.mode.mode(),
            substeps: self.substeps,
            iterations: self.iterations,
            tolerance: self.tolerance,
            over_relaxation: self.over_relaxation,
            square_root: match self.square_root {
                RootWord::Exact => SquareRoot::Exact,
                RootWord::Taylor => SquareRoot::Taylor,
            },
            rest_speed: self.rest_speed,
            rest_steps: self.rest_steps,
            ..particles::Settings::default()
        }
    }

    /// The settings of the rigid bodies' world, for a scene.
    pub fn rigid_settings(&self, setting: &Setting) -> rigid::Settings {
        rigid::Settings {
            time_step: 1.0 / setting.rate,
            gravity: setting.gravity,
            method: self.rigid_method(setting),
            substeps: self.rigid_substeps,
            iterations: self.rigid_iterations,
            rest_speed: self.rigid_rest_speed,
            rest_steps: self.rest_steps,
            ..rigid::Settings::default()
        }
    }
}

impl Solver {
    fn rigid_method(&self, setting: &Setting) -> rigid::Method {
        match self.method {
            Method::Particles | Method::Multipliers => rigid::Method::Multipliers,
            Method::Displacement => rigid::Method::Displacement(rigid::displacement::Settings::tight()),
            Method::Hennix => {
                // A gap fades in two substeps.
                let rate = 0.5 * setting.rate * f64::from(self.rigid_substeps);
                rigid::Method::Hennix(Feedback { stiffness: rate * rate, damping: 2.0 * rate })
            }
        }
    }
}

impl ModeWord {
    /// The mode of the solver.
    pub fn mode(self) -> Mode {
        match self {
            Self::Shake => Mode::Shake,
            Self::Xpbd => Mode::Xpbd,
            Self::Jakobsen => Mode::Jakobsen,
            Self::Rosen => Mode::Rosen,
        }
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
