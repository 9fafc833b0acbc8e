//! How a scene is stepped: the section `solver`, and the settings of both worlds that follow from it.

use super::Setting;
use super::slot::{self, NumberRange};
use super::thing::thing;
use crate::particles::{self, Mode, SquareRoot};
use crate::rigid::displacement::{self, Displacement};
use crate::rigid::integrator::Integrator;
use crate::rigid::{self, BroadPhase, NarrowPhase, multipliers::Feedback};

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

slot::choice! {
    /// How rigid bodies are moved that touch nothing, as [`Integrator`].
    IntegratorWord {
        /// [`Integrator::Splitting`].
        #[default]
        Splitting = "splitting",
        /// [`Integrator::ExplicitEuler`].
        Euler = "euler",
        /// [`Integrator::Heun`].
        Heun = "heun",
        /// [`Integrator::Ziauddin`].
        Ziauddin = "ziauddin",
        /// [`Integrator::RungeKutta4`].
        Rk4 = "rk4",
        /// [`Integrator::Composition4`].
        Composition4 = "composition4",
    }
}

slot::choice! {
    /// How displacement brings joints together, as [`Displacement`].
    DisplacementWord {
        /// [`Displacement::Block`].
        #[default]
        Block = "block",
        /// [`Displacement::Lamouret`].
        Lamouret = "lamouret",
        /// [`Displacement::Skeleton`].
        Skeleton = "skeleton",
    }
}

slot::choice! {
    /// How pairs of rigid bodies that may touch are found, as [`BroadPhase`].
    BroadPhaseWord {
        /// [`BroadPhase::Tree`].
        #[default]
        Tree = "tree",
        /// [`BroadPhase::SortAndSweep`].
        SortAndSweep = "sort_and_sweep",
    }
}

slot::choice! {
    /// Where two rigid bodies that touch do so, as [`NarrowPhase`].
    NarrowPhaseWord {
        /// [`NarrowPhase::Manifolds`].
        #[default]
        Manifolds = "manifolds",
        /// [`NarrowPhase::Averaged`].
        Averaged = "averaged",
        /// [`NarrowPhase::PointsAndEdges`].
        PointsAndEdges = "points_and_edges",
    }
}

thing! {
    /// How things are stepped. Left out: as [`particles::Settings`] and [`rigid::Settings`] have it, but for the substeps of particles.
    Solver "solver" required [] {
        /// What things are made of. Keys from `rigid_substeps` on are those of rigid bodies, the others of particles.
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
        tolerance: f64 = particles::Settings::default().tolerance => Number(NumberRange::NotNegative),
        /// Corrections are multiplied by this.
        over_relaxation: f64 = particles::Settings::default().over_relaxation => Number(NumberRange::Positive),
        /// How lengths are found.
        square_root: RootWord = RootWord::Exact => Choice,
        /// Slowest speed that is not rest, metres per second.
        rest_speed: f64 = particles::Settings::default().rest_speed => Number(NumberRange::NotNegative),
        /// Frames of 1/60 s at rest before something sleeps, as many more where frames are shorter; 0 never. Of both.
        rest_steps: u32 = particles::Settings::default().rest_steps => Count([0, 1_000_000]),
        /// Substeps per frame, at least: where something turns fast there are more.
        rigid_substeps: u32 = rigid::Settings::default().substeps => Count([1, 10_000]),
        /// Passes over contacts, ranges and motors per substep, at most.
        rigid_iterations: u32 = rigid::Settings::default().iterations => Count([1, 10_000]),
        /// Slowest speed that is not rest, metres per second; ten times as many radians per second.
        rigid_rest_speed: f64 = rigid::Settings::default().rest_speed => Number(NumberRange::NotNegative),
        /// How bodies are moved that touch nothing and are driven by nothing; of displacement, how they drift.
        integrator: IntegratorWord = IntegratorWord::Splitting => Choice,
        /// How displacement brings joints together.
        displacement: DisplacementWord = DisplacementWord::Block => Choice,
        /// How hard hennix closes a gap, 1/s²; left out: so that it fades in two substeps. Stable for substep times its root below 2.
        k_s: Option<f64> = None => Optional(NumberRange::NotNegative),
        /// How hard hennix brakes the rate of a gap, 1/s; left out: 2 √k_s, which is critical.
        k_d: Option<f64> = None => Optional(NumberRange::NotNegative),
        /// How pairs that may touch are found; what is found is the same.
        broad_phase: BroadPhaseWord = BroadPhaseWord::Tree => Choice,
        /// Where two that touch do so.
        narrow_phase: NarrowPhaseWord = NarrowPhaseWord::Manifolds => Choice,
    }
}

impl Solver {
    /// Frames of a scene at rest before something sleeps: as long as `rest_steps` last at 60 frames per second, where there are more.
    pub fn steps_at_rest(&self, setting: &Setting) -> u32 {
        libm::ceil(f64::from(self.rest_steps) * (setting.rate / 60.0).max(1.0)).min(f64::from(u32::MAX)) as u32
    }

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
            rest_steps: self.steps_at_rest(setting),
            ..particles::Settings::default()
        }
    }

    /// The settings of the rigid bodies' world, for a scene.
    pub fn rigid_settings(&self, setting: &Setting) -> rigid::Settings {
        rigid::Settings {
            time_step: 1.0 / setting.rate,
            gravity: setting.gravity,
            method: self.rigid_method(setting),
            integrator: self.integrator.integrator(),
            broad_phase: match self.broad_phase {
                BroadPhaseWord::Tree => BroadPhase::Tree,
                BroadPhaseWord::SortAndSweep => BroadPhase::SortAndSweep,
            },
            narrow_phase: match self.narrow_phase {
                NarrowPhaseWord::Manifolds => NarrowPhase::Manifolds,
                NarrowPhaseWord::Averaged => NarrowPhase::Averaged,
                NarrowPhaseWord::PointsAndEdges => NarrowPhase::PointsAndEdges,
            },
            substeps: self.rigid_substeps,
            iterations: self.rigid_iterations,
            rest_speed: self.rigid_rest_speed,
            rest_steps: self.steps_at_rest(setting),
            ..rigid::Settings::default()
        }
    }
}

impl Solver {
    fn rigid_method(&self, setting: &Setting) -> rigid::Method {
        match self.method {
            Method::Particles | Method::Multipliers => rigid::Method::Multipliers,
            Method::Displacement => {
                let method = match self.displacement {
                    DisplacementWord::Block => Displacement::Block,
                    DisplacementWord::Lamouret => Displacement::Lamouret,
                    DisplacementWord::Skeleton => Displacement::Skeleton,
                };
                rigid::Method::Displacement(displacement::Settings { method, ..displacement::Settings::tight() })
            }
            Method::Hennix => rigid::Method::Hennix(self.feedback(setting)),
        }
    }

    /// k_s and k_d, those left out by what follows from the substeps.
    pub fn feedback(&self, setting: &Setting) -> Feedback {
        // A gap fades in two substeps.
        let rate = 0.5 * setting.rate * f64::from(self.rigid_substeps);
        let stiffness = self.k_s.unwrap_or(rate * rate);
        Feedback { stiffness, damping: self.k_d.unwrap_or(2.0 * libm::sqrt(stiffness)) }
    }
}

impl IntegratorWord {
    /// The integrator.
    pub fn integrator(self) -> Integrator {
        match self {
            Self::Splitting => Integrator::Splitting,
            Self::Euler => Integrator::ExplicitEuler,
            Self::Heun => Integrator::Heun,
            Self::Ziauddin => Integrator::Ziauddin,
            Self::Rk4 => Integrator::RungeKutta4,
            Self::Composition4 => Integrator::Composition4,
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
