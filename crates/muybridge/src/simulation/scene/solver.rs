//! The section `solver` of a scene, and the settings of both worlds that follow from it.

use glam::DVec3;

use super::slot::{NumberRange, choice};
use super::thing::thing;
use super::{Setting, check_solver};
use crate::particles::{self, GravityIs, Mode, Solve, SquareRoot};
use crate::rigid::displacement::{self, Displacement};
use crate::rigid::integrator::{Integrator, StepControl};
use crate::rigid::{self, BroadPhase, NarrowPhase, multipliers::Feedback};

choice! {
    /// Simulation method.
    Method {
        /// Points held together by distance constraints: [`particles`].
        #[default]
        Particles = "particles",
        /// Rigid bodies; Lagrange multipliers solve all joints at once: [`rigid`].
        Multipliers = "multipliers",
        /// Rigid bodies that drift freely; then joint errors are projected out.
        Displacement = "displacement",
        /// Rigid bodies; one sparse matrix solves all joints, with feedback on their gaps (Hennix et al.).
        Hennix = "hennix",
    }
}

choice! {
    /// Kind of the boxes, balls and other solids of a scene of particles.
    FreeBodies {
        /// Rigid bodies, as under multipliers.
        #[default]
        Rigid = "rigid",
        /// Four particles each.
        Particles = "particles",
    }
}

choice! {
    impl Mode {
        Shake = "shake",
        Xpbd = "xpbd",
        Jakobsen = "jakobsen",
        Rosen = "rosen",
    }
}

choice! {
    impl SquareRoot {
        Exact = "exact",
        Taylor = "taylor",
    }
}

choice! {
    impl Solve {
        OneByOne = "one_by_one",
        ConjugateGradients = "conjugate_gradients",
    }
}

choice! {
    impl GravityIs {
        Acceleration = "acceleration",
        DisplacementPerStep = "displacement_per_frame",
    }
}

choice! {
    impl Integrator {
        Splitting = "splitting",
        ExplicitEuler = "euler",
        Heun = "heun",
        Ziauddin = "ziauddin",
        RungeKutta4 = "rk4",
        Composition4 = "composition4",
    }
}

choice! {
    impl Displacement {
        Block = "block",
        Lamouret = "lamouret",
        Skeleton = "skeleton",
    }
}

choice! {
    impl BroadPhase {
        Tree = "tree",
        SortAndSweep = "sort_and_sweep",
    }
}

choice! {
    impl NarrowPhase {
        Manifolds = "manifolds",
        Averaged = "averaged",
        PointsAndEdges = "points_and_edges",
    }
}

thing! {
    /// Method and settings of the solvers. Left out: as [`particles::Settings`] and [`rigid::Settings`] have it, but for the substeps of particles.
    Solver "solver" required [] checked by check_solver::check {
        /// Solver, and so what things are made of.
        method: Method = Method::Particles => Choice,
        /// Frames of 1/60 s at rest before something sleeps, as many more where frames are shorter; 0 never. Of all methods.
        frames_before_sleep ("rest_steps"): u32 = particles::Settings::default().rest_steps => Count([0, 1_000_000]),
    }
    /// Settings of the particle solver.
    particles: ParticleSolver {
        /// Order and kind of projection.
        mode ("mode"): Mode = Mode::Shake => Choice,
        /// Substeps per frame. Cloth in lanes takes three eighths of them, and a coarse one that falls or lies down to a third of those.
        ///
        /// A ragdoll that lands on its feet stretches by 16 % and exceeds its limits by 33° with 16, by 2.4 % and 0.5° with 64. With
        /// the defaults of this group a ragdoll that nothing but planes can touch, and that nothing drives, takes as many as it needs, and
        /// so do ropes while nothing else moves.
        substeps ("substeps"): u32 = 64 => Count([1, 10_000]),
        /// Constraint iterations per substep. Four times the substeps do more than four iterations, for the same time.
        constraint_iterations ("iterations"): u32 = particles::Settings::default().iterations => Count([1, 10_000]),
        /// Iterations end early if the worst relative error is below this; 0: never.
        tolerance ("tolerance"): f64 = particles::Settings::default().tolerance => Number(NumberRange::NotNegative),
        /// Over-relaxation: factor of the corrections.
        over_relaxation ("over_relaxation"): f64 = particles::Settings::default().over_relaxation => Number(NumberRange::Positive),
        /// Square root by which lengths are found.
        square_root ("square_root"): SquareRoot = SquareRoot::Exact => Choice,
        /// Solver of the distances of a pass: one after the other, or all at once. Modes shake and xpbd.
        solve: Solve = Solve::OneByOne => Choice,
        /// Unit of the gravity of the scene: an acceleration, or a displacement that each frame adds to that of the frame before, as in Rosen.
        gravity_is: GravityIs = GravityIs::Acceleration => Choice,
        /// Speed below which something counts as at rest, meters per second.
        sleep_threshold ("rest_speed"): f64 = particles::Settings::default().rest_speed => Number(NumberRange::NotNegative),
        /// Kind of boxes, balls and other solids, and of ragdolls beside them, ropes, joints or obstacles that are neither half-spaces nor
        /// boxes that stand still and are four meters wide and long. They are rigid bodies only where this group has its defaults, but for `sleep_threshold`, where the scene has no herds, where no solid is
        /// lighter than cloth, plants and points together, of which there are none beside ragdolls, and where joints are balls, hinges
        /// and fixed ones without compliance, which close 16 loops at most. Ropes and flails are chains of rigid bodies then.
        free_bodies: FreeBodies = FreeBodies::Rigid => Choice,
    }
    /// Settings of the solvers of rigid bodies.
    rigid: RigidSolver {
        /// Substeps per frame, at least. Fast rotation adds more; of the default a half or a quarter is taken while nothing moves much.
        substeps ("rigid_substeps"): u32 = rigid::Settings::default().substeps => Count([1, 10_000]),
        /// Greatest rotation of a body in a substep, radians, of displacement half of it: there are up to sixteen times the substeps that it may turn no more.
        most_turn: f64 = rigid::Settings::default().most_turn => Angle(NumberRange::Positive),
        /// Error of a variable step, meters or radians: each substep is as long as Euler and Heun differ by that much, from 0.0001 to 0.03 s. The first of a frame is no longer than one of `substeps`. Left out: substeps of a frame are equal.
        step_tolerance: Option<f64> = None => Optional(NumberRange::Positive),
        /// Passes over contacts, joint limits and motors per substep, at most.
        contact_iterations ("rigid_iterations"): u32 = rigid::Settings::default().iterations => Count([1, 10_000]),
        /// Speed below which something counts as at rest, meters per second; ten times as many radians per second.
        sleep_threshold ("rigid_rest_speed"): f64 = rigid::Settings::default().rest_speed => Number(NumberRange::NotNegative),
        /// Gap of a joint, meters or radians, at which multipliers end the at most three corrections of a substep.
        joint_tolerance: f64 = rigid::Settings::default().passes.tolerance => Number(NumberRange::Positive),
        /// Integrator of bodies that touch nothing and are driven by nothing; of displacement, how they drift.
        integrator ("integrator"): Integrator = Integrator::Splitting => Choice,
        /// Variant of displacement that brings joints together.
        displacement ("displacement"): Displacement = Displacement::Block => Choice,
        /// Gap of a joint, meters, that displacement leaves; ten times as many radians.
        displacement_tolerance: f64 = displacement::Settings::tight().gap => Number(NumberRange::Positive),
        /// Stiffness with which hennix closes a gap, 1/s²; left out: so that it fades in two substeps. Stable for substep times its root below 2.
        k_s ("k_s"): Option<f64> = None => Optional(NumberRange::NotNegative),
        /// Damping with which hennix brakes the rate of a gap, 1/s; left out: 2 √k_s, which is critical.
        k_d ("k_d"): Option<f64> = None => Optional(NumberRange::NotNegative),
        /// Broad phase: how pairs that may touch are found. All find the same.
        broad_phase ("broad_phase"): BroadPhase = BroadPhase::Tree => Choice,
        /// Narrow phase: how contact points are found.
        narrow_phase ("narrow_phase"): NarrowPhase = NarrowPhase::Manifolds => Choice,
    }
    /// Errors above which a run warns. A run that warns ends as any other.
    warnings: WarningLimits {
        /// Stretch of a rigid distance, as a share of its length; at the end of the run a tenth of it, but in cloth.
        stretch: f64 = 0.1 => Number(NumberRange::NotNegative),
        /// Distance between the two sides of a joint, meters.
        gap: f64 = 0.005 => Number(NumberRange::NotNegative),
        /// Excess over a joint's range, radians.
        limit: f64 = 0.09 => Number(NumberRange::NotNegative),
        /// Overlap, meters.
        penetration: f64 = 0.02 => Number(NumberRange::NotNegative),
        /// Energy gained where nothing gives any, as a share of the greatest kinetic energy.
        energy: f64 = 0.05 => Number(NumberRange::NotNegative),
        /// Tilt of a box that stood level at the start, radians.
        lean: f64 = 0.02 => Number(NumberRange::NotNegative),
    }
}

impl ParticleSolver {
    /// Whether the keys that say how particles are stepped have their defaults.
    pub(super) fn is_usual(&self) -> bool {
        let usual = Self::default();
        let (sleep_threshold, free_bodies) = (usual.sleep_threshold, usual.free_bodies);
        Self { sleep_threshold, free_bodies, ..self.clone() } == usual
    }

    /// Greatest number of substeps of cloth in lanes: 24 where everything else takes 64, which leaves less stretch than 64 of the others.
    fn cloth_substeps(&self) -> u32 {
        (3 * self.substeps).div_ceil(8)
    }
}

impl RigidSolver {
    /// The keys that a method reads, without `sleep_threshold`; the others have their defaults.
    fn of_method(&self, method: Method) -> Self {
        let (mut own, usual) = (self.clone(), Self::default());
        own.sleep_threshold = usual.sleep_threshold;
        if method != Method::Displacement {
            (own.displacement, own.displacement_tolerance) = (usual.displacement, usual.displacement_tolerance);
        }
        if !matches!(method, Method::Multipliers | Method::Particles) {
            own.joint_tolerance = usual.joint_tolerance;
        }
        if method != Method::Hennix {
            (own.k_s, own.k_d) = (usual.k_s, usual.k_d);
        }
        own
    }

    /// Length of a substep of a scene in which nothing turns fast, seconds.
    pub(super) fn longest_substep(&self, setting: &Setting) -> f64 {
        let frame = 1.0 / setting.rate;
        self.step_tolerance.map_or(frame / f64::from(self.substeps), |_| frame.min(StepControl::BOUNDS[1]))
    }
}

impl Solver {
    /// Frames of a scene at rest before something sleeps: as long as `frames_before_sleep` last at 60 frames per second, where there are more.
    pub fn steps_at_rest(&self, setting: &Setting) -> u32 {
        let steps = f64::from(self.frames_before_sleep) * (setting.rate / 60.0).max(1.0);
        libm::ceil(steps).min(f64::from(u32::MAX)) as u32
    }

    /// Unit of the gravity of a scene. Rigid methods have one for all that is in it.
    pub(super) fn gravity_unit(&self) -> GravityIs {
        if self.method == Method::Particles { self.particles.gravity_is } else { GravityIs::Acceleration }
    }

    /// Gravitational acceleration of a scene, m/s².
    pub fn gravity(&self, setting: &Setting) -> DVec3 {
        self.gravity_unit().acceleration(setting.gravity, 1.0 / setting.rate)
    }

    /// Settings of a world of particles for a scene.
    pub fn settings(&self, setting: &Setting) -> particles::Settings {
        let own = &self.particles;
        particles::Settings {
            time_step: 1.0 / setting.rate,
            gravity: setting.gravity,
            gravity_is: self.gravity_unit(),
            mode: own.mode,
            substeps: own.substeps,
            cloth_substeps: own.cloth_substeps(),
            iterations: own.constraint_iterations,
            tolerance: own.tolerance,
            over_relaxation: own.over_relaxation,
            square_root: own.square_root,
            solve: own.solve,
            rest_speed: own.sleep_threshold,
            rest_steps: self.steps_at_rest(setting),
            lanes: own.is_usual(),
        }
    }

    /// Settings of a world of rigid bodies for a scene.
    pub fn rigid_settings(&self, setting: &Setting) -> rigid::Settings {
        let (own, usual) = (self.rigid.of_method(self.method), RigidSolver::default());
        let mut passes = rigid::Settings::default().passes;
        passes.tolerance = own.joint_tolerance;
        rigid::Settings {
            passes,
            time_step: 1.0 / setting.rate,
            gravity: setting.gravity,
            method: self.rigid_method(setting),
            integrator: own.integrator,
            broad_phase: own.broad_phase,
            narrow_phase: own.narrow_phase,
            substeps: own.substeps,
            most_turn: own.most_turn,
            step_tolerance: own.step_tolerance,
            iterations: own.contact_iterations,
            rest_speed: match self.method {
                Method::Particles => self.particles.sleep_threshold,
                _ => self.rigid.sleep_threshold,
            },
            rest_steps: self.steps_at_rest(setting),
            lanes: own == usual,
            ..rigid::Settings::default()
        }
    }

    fn rigid_method(&self, setting: &Setting) -> rigid::Method {
        match self.method {
            Method::Particles | Method::Multipliers => rigid::Method::Multipliers,
            Method::Displacement => {
                let (method, gap) = (self.rigid.displacement, self.rigid.displacement_tolerance);
                let tight = displacement::Settings::tight();
                rigid::Method::Displacement(displacement::Settings { method, gap, angle: 10.0 * gap, ..tight })
            }
            Method::Hennix => rigid::Method::Hennix(self.feedback(setting)),
        }
    }

    /// k_s and k_d; one that is left out follows from the substeps.
    pub fn feedback(&self, setting: &Setting) -> Feedback {
        let own = &self.rigid;
        // A gap fades in two substeps.
        let rate = 0.5 / own.longest_substep(setting);
        let stiffness = own.k_s.unwrap_or(rate * rate);
        Feedback { stiffness, damping: own.k_d.unwrap_or(2.0 * libm::sqrt(stiffness)) }
    }
}
