//! Actions on things, and plans that begin and end actions.
//!
//! ```toml
//! [[action]]                             # a target with gains; begins with the run if no plan names it
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
//! A step that is a string starts an action. Every other step is a table with one of the words `begin cancel wait arrival
//! contact near condition sequence parallel race repeat`. Actions are tables of their own rather than steps, because they
//! have many keys, are used more than once, and may run without a plan. Steps nest within their line, so a plan reads as one
//! sentence. Places are world places at the start of the run, as for joints, so that no bone frame needs to be known.

use glam::DVec3;

use super::check_behavior::{check_action, check_plan};
use super::slot::NumberRange::{Any, NotNegative, Positive, Speed};
use super::slot::{Choice, PartPath, choice};
use super::thing::thing;
use crate::behavior::action::plan::PlanStep;
use crate::behavior::action::{self, AssumedInertia, Ease, PathOrigin};

choice! {
    /// Kind of an action.
    ActionKind {
        /// Moves a point to a place: [`action::MoveTo`].
        #[default]
        MoveTo = "move_to",
        /// Keeps a point on a moving place: [`action::Chase`].
        Chase = "chase",
        /// Rotates a body: [`action::TurnTo`].
        TurnTo = "turn_to",
        /// Keeps a body's orientation on that of a rotating target: `action::TurnChase`.
        TurnChase = "turn_chase",
        /// Controls position and orientation together: `action::Align`.
        Align = "align",
        /// Brings a thing to rest: [`action::Stop`].
        Stop = "stop",
    }
}

choice! {
    /// Shape of the path to a place, as [`action::Path`].
    PathWord {
        /// A straight line.
        #[default]
        Line = "line",
        /// With the points of `control_points` as control points.
        Bezier = "bezier",
        /// A Catmull-Rom spline through the points of `through`.
        CatmullRom = "catmull_rom",
        /// A Hermite curve with the two vectors of `through` as tangents at start and goal.
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
        /// The x axis, to the right.
        #[default]
        X = "x",
        /// The y axis, up.
        Y = "y",
        /// The z axis, to the front.
        Z = "z",
    }
}

choice! {
    /// Condition that ends an action.
    UntilWord {
        /// The action ends when its goal is reached.
        #[default]
        Arrived = "arrived",
        /// Only a plan or the action's duration ends it.
        Cancelled = "cancelled",
    }
}

thing! {
    /// A target for a thing, and how strongly it is pursued; see [`action`].
    Action "action" required ["name", "kind", "on"] checked by check_action {
        /// Name of the action in plans and the log.
        name: String = String::new() => Name,
        /// Kind of the action.
        kind: ActionKind = ActionKind::MoveTo => Choice,
        /// The thing or bone it acts on.
        on: PartPath = PartPath::default() => Part,
        /// Point that is controlled, meters in the world at the start; left out: the center, of a rope its end.
        at: Option<DVec3> = None => Place,
        /// Goal, meters, world at the start; it moves with `target`, if given. Left out: the target's center.
        to: Option<DVec3> = None => Place,
        /// Goal orientation relative to the start (with a target: relative to the target): axis times angle, radians.
        turn: DVec3 = DVec3::ZERO => Turn,
        /// Thing or bone to chase; left out: the goal is fixed or moves by `velocity`.
        target: PartPath = PartPath::default() => Part,
        /// Velocity of the goal from the action's start, meters per second.
        velocity: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Angular velocity of the goal from the action's start, radians per second.
        spin: DVec3 = DVec3::ZERO => Vector(Speed),
        /// Duration of the path, seconds; left out: only the time constant sets the speed.
        seconds: Option<f64> = None => Optional(Positive),
        /// Shape of the path, if `seconds` is given.
        path: PathWord = PathWord::Line => Choice,
        /// Control points of the path, meters; for `hermite` its two tangents.
        control_points ("through"): Vec<DVec3> = Vec::new() => Vectors,
        /// Speed along the path over time.
        ease: Ease = Ease::None => Choice,
        /// Whether equal times cover equal lengths of the path (arc-length parametrization).
        constant_speed ("even"): bool = false => Flag,
        /// Origin of the path.
        progress: PathOrigin = PathOrigin::FromStart => Choice,
        /// Time constant, seconds; critically damped at any time step: an error falls to 1/e in about this time. 0: two steps.
        time_constant: f64 = 0.1 => Number(NotNegative),
        /// α, share of the position error that a step takes away, instead of a time constant: 0 < α < 2β. Particles move after the impulse of a substep: n of them take away 1 + 1/n times as much.
        position_gain ("alpha"): Option<f64> = None => Optional(Any),
        /// β, share of the velocity error that a step takes away: 0 < β < 1.
        velocity_gain ("beta"): Option<f64> = None => Optional(Any),
        /// World axes along which the action acts.
        axes: Vec<AxisWord> = vec![AxisWord::X, AxisWord::Y, AxisWord::Z] => Choices,
        /// World axes about which the action acts.
        turn_axes: Vec<AxisWord> = vec![AxisWord::X, AxisWord::Y, AxisWord::Z] => Choices,
        /// Greatest force, newtons; left out: unlimited.
        max_force ("most_force"): Option<f64> = None => Optional(Positive),
        /// Greatest torque, newton meters; left out: unlimited.
        max_torque ("most_torque"): Option<f64> = None => Optional(Positive),
        /// Greatest acceleration of a chase to the meeting point, m/s²; left out: unlimited.
        max_acceleration ("most_acceleration"): Option<f64> = None => Optional(Positive),
        /// Inertia assumed at the point.
        inertia: AssumedInertia = AssumedInertia::Natural => Choice,
        /// Whether its force also carries the weight of what it acts on.
        gravity_compensation ("carries"): bool = true => Flag,
        /// Damping of internal motion of the jointed bodies, per second.
        mechanism_damping ("calm"): f64 = 2.0 => Number(NotNegative),
        /// Whether motors in the joints carry the weight beyond them; otherwise everything but the point hangs limp.
        braced: bool = false => Flag,
        /// Condition that ends the action.
        until: UntilWord = UntilWord::Arrived => Choice,
        /// Distance to the goal below which it has arrived, meters.
        position_tolerance ("within"): f64 = 0.01 => Number(NotNegative),
        /// Angle to the goal below which it has arrived, radians.
        angle_tolerance ("within_angle"): f64 = 0.02 => Angle(NotNegative),
        /// Speed against the target below which it has arrived, meters per second.
        speed_tolerance ("slower"): f64 = 0.1 => Number(NotNegative),
        /// Angular speed against the target below which it has arrived, radians per second.
        spin_tolerance ("slower_turn"): f64 = 0.3 => Number(NotNegative),
        /// Longest duration, seconds; left out: unlimited.
        max_duration ("lasts"): Option<f64> = None => Optional(NotNegative),
        /// Start time, seconds from the start of the run; left out: 0 if no plan names the action.
        time: Option<f64> = None => Optional(NotNegative),
    }
}

thing! {
    /// Steps to do in sequence, in parallel, repeatedly, or when a condition is met.
    Plan "plan" required ["name", "steps"] checked by check_plan {
        /// Name of the plan in other plans and the log.
        name: String = String::new() => Name,
        /// Start time, seconds from the start of the run.
        time: f64 = 0.0 => Number(NotNegative),
        /// Steps, in sequence.
        steps: Vec<PlanStep> = Vec::new() => Steps,
    }
}

impl Action {
    /// Keys that are set and have no effect on an action of this kind, or beside or without another key: which, and why.
    pub(super) fn idle_keys(&self) -> impl Iterator<Item = (&'static str, String)> {
        use ActionKind::{Align, Chase, MoveTo, Stop, TurnChase, TurnTo};
        let (usual, kind, has_target) = (Self::default(), self.kind, !self.target.is_none());
        let is_curved = self.path != usual.path || !self.control_points.is_empty();
        let keys: [(_, bool, &[ActionKind]); 21] = [
            ("at", self.at.is_some(), &[MoveTo, Chase, Align, Stop]),
            ("to", self.to.is_some(), &[MoveTo, Chase, Align]),
            ("turn", self.turn != usual.turn, &[TurnTo, TurnChase, Align]),
            ("target", has_target, &[Chase, TurnChase, Align]),
            ("velocity", self.velocity != usual.velocity, &[Chase, Align]),
            ("spin", self.spin != usual.spin, &[TurnChase, Align]),
            ("seconds", self.seconds.is_some(), &[MoveTo, Chase, TurnTo, TurnChase, Align]),
            ("path", is_curved, &[MoveTo, Align]),
            ("ease", self.ease != usual.ease, &[MoveTo, TurnTo, Align]),
            ("constant_speed", self.constant_speed, &[MoveTo, Align]),
            ("progress", self.progress != usual.progress, &[MoveTo, TurnTo, Align]),
            ("axes", self.axes != usual.axes, &[MoveTo, Chase, Align, Stop]),
            ("turn_axes", self.turn_axes != usual.turn_axes, &[TurnTo, TurnChase, Align, Stop]),
            ("max_force", self.max_force.is_some(), &[MoveTo, Chase, Align, Stop]),
            ("max_torque", self.max_torque.is_some(), &[TurnTo, TurnChase, Align, Stop]),
            ("max_acceleration", self.max_acceleration.is_some(), &[Chase]),
            ("gravity_compensation", !self.gravity_compensation, &[MoveTo, Chase, Align, Stop]),
            ("position_tolerance", self.position_tolerance != usual.position_tolerance, &[MoveTo, Chase, Align]),
            ("speed_tolerance", self.speed_tolerance != usual.speed_tolerance, &[MoveTo, Chase, Align, Stop]),
            ("angle_tolerance", self.angle_tolerance != usual.angle_tolerance, &[TurnTo, TurnChase, Align]),
            ("spin_tolerance", self.spin_tolerance != usual.spin_tolerance, &[TurnTo, TurnChase, Align, Stop]),
        ];
        let word = Choice::word(&kind);
        let is_of = move |kinds: &[ActionKind]| kinds.contains(&kind);
        let of_kind = keys.into_iter().filter(move |(_, is_set, kinds)| *is_set && !is_of(kinds));
        let is_quick = self.seconds.is_none();
        let (can_be_timed, can_be_eased) = (is_of(&[MoveTo, Align]), is_of(&[MoveTo, TurnTo, Align]));
        let alone = [
            ("velocity", self.velocity != usual.velocity && has_target && is_of(&[Chase, Align]), "beside a target"),
            ("spin", self.spin != usual.spin && has_target && is_of(&[TurnChase, Align]), "beside a target"),
            ("path", is_curved && is_quick && can_be_timed, "without seconds"),
            ("ease", self.ease != usual.ease && is_quick && can_be_eased, "without seconds"),
            ("progress", self.progress != usual.progress && is_quick && can_be_eased, "without seconds"),
            ("constant_speed", self.constant_speed && is_quick && can_be_timed, "without seconds"),
            ("max_acceleration", self.max_acceleration.is_some() && !is_quick && is_of(&[Chase]), "beside seconds"),
            (
                "time_constant",
                self.time_constant != usual.time_constant && self.position_gain.is_some(),
                "beside position_gain and velocity_gain",
            ),
        ];
        let alone = alone.into_iter().filter(|(_, is_idle, _)| *is_idle).map(|(key, _, why)| (key, why.to_owned()));
        of_kind.map(move |(key, ..)| (key, format!("on an action of kind {word}"))).chain(alone)
    }

    /// Path of the action; `None` if `through` has the wrong number of points for it.
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

    /// Gains of the action. The error is the wrong key and a sentence.
    pub fn response(&self) -> Result<action::Response, (&'static str, String)> {
        let wrong = |error: action::GainError| match error {
            action::GainError::Beta { .. } => ("velocity_gain", format!("is out of range: {error}")),
            action::GainError::TimeConstant { .. } => ("time_constant", format!("is out of range: {error}")),
            _ => ("position_gain", format!("is out of range: {error}")),
        };
        match (self.position_gain, self.velocity_gain) {
            (None, None) => action::Response::critical(self.time_constant).map_err(wrong),
            (Some(alpha), Some(beta)) => action::Gains::new(alpha, beta).map(action::Response::fixed).map_err(wrong),
            (Some(_), None) => Err(("position_gain", "needs velocity_gain as well; give both or neither".into())),
            (None, Some(_)) => Err(("velocity_gain", "needs position_gain as well; give both or neither".into())),
        }
    }
}
