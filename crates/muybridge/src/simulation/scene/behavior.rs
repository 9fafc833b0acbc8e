//! What things do by themselves: actions on them, and plans that begin and end actions.
//!
//! ```toml
//! [[action]]                             # a target and how hard; begins with the run if no plan speaks of it
//! name = "reach a"
//! kind = "move_to"
//! on = "arm/hand"
//! to = [0.4, 1.2, 0.3]
//! seconds = 1.5
//!
//! [[plan]]
//! name = "reach"
//! steps = ["reach a", { wait = 0.5 }, { parallel = ["reach b", "look"] }, { repeat = ["wave", "rest"], times = 3 }]
//! ```
//! A step that is a word is an action. Every other is a table with one word for what it is: `begin cancel wait arrival contact near condition
//! sequence parallel race repeat`. Actions are tables of their own rather than steps, because they have many keys, are used more than once, and
//! may run without a plan; steps nest within their line, because a plan is read as one sentence. Places are those of the world at the start of the
//! run, as a joint's are, so that nobody needs to know the frame of a bone.

use glam::DVec3;

use super::check_behavior::{check_action, check_plan};
use super::slot::NumberRange::{Any, NotNegative, Positive, Speed};
use super::slot::{PartPath, choice};
use super::thing::thing;
use crate::behavior::action::plan::PlanStep;
use crate::behavior::action::{self, AssumedInertia, Ease, PathOrigin};

choice! {
    /// What an action does.
    ActionKind {
        /// Brings a point to a place: [`action::MoveTo`].
        #[default]
        MoveTo = "move_to",
        /// Keeps a point at a moving place: [`action::Chase`].
        Chase = "chase",
        /// Turns a body: [`action::TurnTo`].
        TurnTo = "turn_to",
        /// Keeps a body turned as a turning target: [`action::TurnChase`].
        TurnChase = "turn_chase",
        /// Place and orientation together: [`action::Align`].
        Align = "align",
        /// Takes velocities away: [`action::Stop`].
        Stop = "stop",
    }
}

choice! {
    /// The way to a place, as [`action::Path`].
    PathWord {
        /// Straight.
        #[default]
        Line = "line",
        /// With the points of `control_points` as control points.
        Bezier = "bezier",
        /// Through them.
        CatmullRom = "catmull_rom",
        /// With them as the tangents at start and goal.
        Hermite = "hermite",
    }
}

choice! {
    impl Ease {
        None = "none",
        Cubic = "cubic",
        Quintic = "quintic",
    }
}

choice! {
    impl PathOrigin {
        FromStart = "from_start",
        FromHere = "from_here",
        Literal = "literal",
    }
}

choice! {
    impl AssumedInertia {
        Natural = "natural",
        Plain = "plain",
        Effective = "effective",
    }
}

choice! {
    /// An axis of the world.
    AxisWord {
        /// To the right.
        #[default]
        X = "x",
        /// Up.
        Y = "y",
        /// To the front.
        Z = "z",
    }
}

choice! {
    /// What ends an action.
    UntilWord {
        /// Being where it was to be.
        #[default]
        Arrived = "arrived",
        /// A plan, or the time it lasts.
        Cancelled = "cancelled",
    }
}

thing! {
    /// A target for a thing, and how hard it is pursued; see [`action`].
    Action "action" required ["name", "kind", "on"] checked by check_action {
        /// By which plans and the log speak of it.
        name: String = String::new() => Name,
        /// What it does.
        kind: ActionKind = ActionKind::MoveTo => Choice,
        /// The thing or bone it acts on.
        on: PartPath = PartPath::default() => Part,
        /// The point of it, metres in the world at the start; left out: its middle, of a rope its end.
        at: Option<DVec3> = None => Place,
        /// Where it is to be, metres; with a target a place that moves with it, in the world at the start; left out: the target's middle.
        to: Option<DVec3> = None => Place,
        /// How it is to be turned against how it stood at the start (with a target: on the target): axis times angle, radians.
        turn: DVec3 = DVec3::ZERO => Turn,
        /// What is chased: a thing or bone; left out: the place itself.
        target: PartPath = PartPath::default() => Part,
        /// Of the place, from when the action begins, metres per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Of the orientation, from when the action begins, radians per second.
        spin: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Seconds on the way; left out: as fast as the time constant has it.
        seconds: Option<f64> = None => Optional(Positive),
        /// The way, if it takes its time.
        path: PathWord = PathWord::Line => Choice,
        /// Points of the path, metres; of `hermite` its two tangents.
        control_points ("through"): Vec<DVec3> = Vec::new() => Vectors,
        /// Speed along the path over time.
        ease: Ease = Ease::None => Choice,
        /// Equal lengths of the path in equal times.
        constant_speed ("even"): bool = false => Flag,
        /// From where the way is reckoned.
        progress: PathOrigin = PathOrigin::FromStart => Choice,
        /// Critically damped: an error falls to 1/e in about so many seconds, at any time step. 0: there in two steps.
        time_constant: f64 = 0.1 => Number(NotNegative),
        /// α, share of the position error that a step takes away, instead of a time constant: 0 < α < 2β.
        position_gain ("alpha"): Option<f64> = None => Optional(Any),
        /// β, share of the velocity error that a step takes away: 0 < β < 1.
        velocity_gain ("beta"): Option<f64> = None => Optional(Any),
        /// Axes of the world along which it acts.
        axes: Vec<AxisWord> = vec![AxisWord::X, AxisWord::Y, AxisWord::Z] => Choices,
        /// Axes of the world about which it acts.
        turn_axes: Vec<AxisWord> = vec![AxisWord::X, AxisWord::Y, AxisWord::Z] => Choices,
        /// Greatest force, newtons; left out: any.
        max_force ("most_force"): Option<f64> = None => Optional(Positive),
        /// Greatest torque, newton metres; left out: any.
        max_torque ("most_torque"): Option<f64> = None => Optional(Positive),
        /// Greatest acceleration of a chase to where they meet, m/s²; left out: any.
        max_acceleration ("most_acceleration"): Option<f64> = None => Optional(Positive),
        /// What it takes as the mass of the point.
        inertia: AssumedInertia = AssumedInertia::Natural => Choice,
        /// Whether its force also carries the weight of what it acts on.
        gravity_compensation ("carries"): bool = true => Flag,
        /// Rate at which motion within what it acts on decays, per second: what swings about beside the goal.
        mechanism_damping ("calm"): f64 = 2.0 => Number(NotNegative),
        /// The joints of what it acts on bear the weight of what is beyond them, as motors do; else all but the point hangs limp.
        braced: bool = false => Flag,
        /// What ends it.
        until: UntilWord = UntilWord::Arrived => Choice,
        /// Distance to the goal below which it has arrived, metres.
        position_tolerance ("within"): f64 = 0.01 => Number(NotNegative),
        /// Angle to the goal below which it has arrived, radians.
        angle_tolerance ("within_angle"): f64 = 0.02 => Angle(NotNegative),
        /// Speed against the target below which it has arrived, metres per second.
        speed_tolerance ("slower"): f64 = 0.1 => Number(NotNegative),
        /// Angular speed against the target below which it has arrived, radians per second.
        spin_tolerance ("slower_turn"): f64 = 0.3 => Number(NotNegative),
        /// Ends after so many seconds, wherever it is; left out: never for that.
        max_duration ("lasts"): Option<f64> = None => Optional(NotNegative),
        /// Begins by itself, seconds from the start of the run; left out: at 0 if no plan speaks of it.
        time: Option<f64> = None => Optional(NotNegative),
    }
}

thing! {
    /// What is done one after the other, at the same time, again, or when something has happened.
    Plan "plan" required ["name", "steps"] checked by check_plan {
        /// By which other plans and the log speak of it.
        name: String = String::new() => Name,
        /// When it begins, seconds from the start of the run.
        time: f64 = 0.0 => Number(NotNegative),
        /// One after the other.
        steps: Vec<PlanStep> = Vec::new() => Steps,
    }
}

impl Action {
    /// Its path; `None` where the points do not fit.
    pub fn path(&self) -> Option<action::Path> {
        match self.path {
            PathWord::Line => self.control_points.is_empty().then_some(action::Path::Line),
            PathWord::Bezier => Some(action::Path::Bezier(self.control_points.clone())),
            PathWord::CatmullRom => Some(action::Path::CatmullRom(self.control_points.clone())),
            PathWord::Hermite => match self.control_points[..] {
                [leaving, arriving] => Some(action::Path::Hermite { leaving, arriving }),
                _ => None,
            },
        }
    }

    /// How fast it answers; the key that is wrong, and why.
    pub fn response(&self) -> Result<action::Response, (&'static str, String)> {
        let wrong = |error: action::GainError| match error {
            action::GainError::Beta { .. } => ("velocity_gain", format!("is outside its region: {error}")),
            action::GainError::TimeConstant { .. } => ("time_constant", format!("is none: {error}")),
            _ => ("position_gain", format!("is outside its region: {error}")),
        };
        match (self.position_gain, self.velocity_gain) {
            (None, None) => action::Response::critical(self.time_constant).map_err(wrong),
            (Some(alpha), Some(beta)) => action::Gains::new(alpha, beta).map(action::Response::fixed).map_err(wrong),
            (Some(_), None) => Err(("position_gain", "needs velocity_gain beside it".into())),
            (None, Some(_)) => Err(("velocity_gain", "needs position_gain beside it".into())),
        }
    }
}
