//! Tracking test: how well a driven rigid ragdoll follows a clip. Measures position and angle errors, the wrench of the root assist, and recovery
//! from pushes.
//!
//! ```text
//! place      √mean ‖x − x_clip‖²  over bones with mass and frames, in the world and relative to the root bone's pose
//! angle      √mean ‖log(turn turn_clip⁻¹)‖²  over joints and frames
//! hand       √mean ‖force‖² by the weight, √mean ‖moment‖²:  residual wrench of the root assist
//! possible   place and angle over the frames in which a floor could give the wrench of the clip:  `analysis::feasibility`
//! ```
//! Specification: mathematics 8.1.

use glam::{DQuat, DVec3};

use super::clip_tracker::{ClipTracker, Helped};
use super::drive::RigidDrives;
use super::pose_target::{PoseTarget, RootAssist};
use super::posture::{Posture, WorldPose};
use super::whole_body::OwnFeet;
use super::{RagdollModel, Sensed};
use crate::analysis::feasibility::{Feasibility, Floor, feasibility};
use crate::character::Character;
use crate::collision::Obstacle;
use crate::math::rotation::log;
use crate::motion::Clip;
use crate::ragdoll::{Inherited, RagdollError, RagdollSettings, RagdollStart, rigid};
use crate::rigid::{Settings, World};

/// Settings of a tracking test.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackingSettings {
    /// Duration of a step, seconds.
    pub time_step: f64,
    /// Number of substeps in a step.
    pub substeps: u32,
    /// Spring frequency of all joints, hertz.
    pub frequency: f64,
    /// Root assist; `None` leaves the root free.
    pub lead: Option<RootAssist>,
    /// Limits the root assist to this multiple of the wrench that the clip needs beyond the ability of the ground; the limits of `lead` are then
    /// its reserve after a push, see [`Helped`]. `None` uses the limits of `lead` alone.
    pub missing: Option<f64>,
    /// Whether whole-body control (`OwnFeet`) follows the clip instead of joint drives alone. The feet then get flat soles.
    pub on_own_feet: bool,
    /// Height of the ground, meters; `None` for no ground.
    pub ground: Option<f64>,
    /// Impulse applied during the run; `None` for none.
    pub push: Option<Push>,
}

/// Thickness of the sole boxes under the feet, meters.
const THICKNESS: f64 = 0.03;
/// Friction coefficient of the ragdoll, and of the ground for whole-body control.
const FRICTION: f64 = 0.9;

/// Impulse on a bone at a given time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Time from the beginning of the clip, seconds.
    pub time: f64,
    /// Impulse, newton seconds.
    pub impulse: DVec3,
    /// Bone that is hit at its center of mass.
    pub bone: usize,
}

/// Result of a tracking test.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Followed {
    /// Root mean square distance of the bones from the clip's, meters.
    pub place: f64,
    /// Root mean square distance of the bones from the clip's, relative to the root bone, meters.
    pub relative: f64,
    /// Root mean square angle of the joints from the clip's, radians.
    pub angle: f64,
    /// Time of the greatest deviation, seconds, and root mean square distance of the bones then, meters.
    pub worst: (f64, f64),
    /// Root mean square force of the root assist, in weights of the figure.
    pub force: f64,
    /// Root mean square moment of the root assist, newton meters.
    pub moment: f64,
    /// Time at which the root was first more than half a meter from the clip's, seconds; `None` if never.
    pub lost: Option<f64>,
    /// Time from the push until the bones stayed within 5 cm (root mean square) of the clip, seconds; `None` without a push or without return.
    pub returned: Option<f64>,
    /// Errors over the times at which the clip is feasible; `None` without ground or without such times.
    pub possible: Option<Possible>,
    /// Greatest force of the root assist, in weights of the figure.
    pub most_force: f64,
}

/// Tracking errors over the times at which a clip is feasible.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Possible {
    /// Root mean square distance of the bones from the clip's, meters.
    pub place: f64,
    /// Root mean square angle of the joints from the clip's, radians.
    pub angle: f64,
    /// Share of the time at which the clip is feasible.
    pub share: f64,
}

/// Mean square errors between a pose and a posture of its clip.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct PoseDistance {
    /// Mean square distance of the bones with mass, m².
    pub place: f64,
    /// Mean square distance of the bones with mass, relative to the root bone, m².
    pub relative: f64,
    /// Mean square angle of the joints, rad².
    pub angle: f64,
}

/// Computes the errors between a world pose of a figure and a posture.
pub(crate) fn pose_distance(figure: &RagdollModel, pose: &WorldPose, clip: &Posture) -> PoseDistance {
    let wanted: WorldPose = clip.world(&figure.skeleton);
    let against = |pose: &WorldPose, bone: usize| pose[0].1.conjugate() * (pose[bone].0 - pose[0].0);
    let (mut place, mut relative) = (0.0, 0.0);
    for part in &figure.bodies {
        place += pose[part.bone].0.distance_squared(wanted[part.bone].0);
        relative += against(pose, part.bone).distance_squared(against(&wanted, part.bone));
    }
    let count = figure.bodies.len().max(1) as f64;
    let mut found = PoseTarget::nothing(figure);
    let mut expected = PoseTarget::nothing(figure);
    Posture::of_pose(&figure.skeleton, pose).aim(figure, None, &mut found);
    clip.aim(figure, None, &mut expected);
    let turns = found.aims.iter().zip(&expected.aims).map(|(a, b)| log(a.turn * b.turn.conjugate()).length_squared());
    let angle = turns.sum::<f64>() / figure.links.len().max(1) as f64;
    PoseDistance { place: place / count, relative: relative / count, angle }
}

/// Root assist without limits that corrects errors with the time constant `time_constant`, seconds.
pub fn hand(time_constant: f64) -> RootAssist {
    RootAssist {
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        time_constant,
        most_force: f64::INFINITY,
        most_moment: f64::INFINITY,
    }
}

/// Follows the clip from its first frame to its last.
///
/// # Errors
/// Those of the ragdoll, and a push on a bone without mass or with a number that is not finite.
pub fn run_tracking(character: &Character, clip: &Clip, trial: &TrackingSettings) -> Result<Followed, RagdollError> {
    let start = RagdollStart::from_clip(&character.skeleton, clip, 0, Inherited::Central)?;
    let settings = RagdollSettings {
        touches_itself: false,
        limits: false,
        hinges: false,
        friction: FRICTION,
        ..Default::default()
    };
    let mut ragdoll = rigid(character, &start, &settings)?;
    let figure = RagdollModel::of_rigid(character, &ragdoll);
    let mut track = ClipTracker::new(&figure, clip.clone(), 0.0, 1.0, trial.frequency);
    track.lead = trial.lead;
    let rules = Settings { time_step: trial.time_step, substeps: trial.substeps, rest_steps: 0, ..Settings::default() };
    let judged = trial.ground.map(|height| clip_feasibility(character, clip, height, rules.gravity.length()));
    if let (Some(times), Some(judged), Some(lead)) = (trial.missing, &judged, &trial.lead) {
        track.helped = Some(Helped::new(judged, times, [lead.most_force, lead.most_moment]));
    }
    let mut own = trial.on_own_feet.then(|| {
        let ground = trial.ground.unwrap_or(f64::NEG_INFINITY);
        OwnFeet::new(character, &ragdoll, track.clone(), ground)
    });
    for sole in own.iter().flat_map(OwnFeet::soles) {
        sole.put_under(&mut ragdoll, THICKNESS);
    }
    let mut model = ragdoll.model.clone();
    let ground = trial.ground.and_then(|height| Obstacle::ground(height).ok());
    model.obstacles.extend(ground.map(|ground| if own.is_some() { ground.with_friction(FRICTION) } else { ground }));
    let drives = RigidDrives::add(&figure, &ragdoll, &mut model, 0);
    let Ok(mut world) = World::new(model, &ragdoll.starts, rules) else { return Ok(Followed::default()) };
    let possible_at = judged.as_ref().map(Feasibility::feasible_frames).unwrap_or_default();
    let (mut sums, mut taken) = (TrackingSums::default(), 0);
    let steps = libm::floor(clip.duration() / trial.time_step + 1e-6) as usize;
    for step in 0..=steps {
        let mut sensed = Sensed::of_rigid(&ragdoll, &world);
        let is_possible = judged.as_ref().is_some_and(|judged| possible_at[judged.frame(sensed.time)]);
        sums.add(&figure, &sensed, &track.posture(sensed.time), is_possible);
        taken = step;
        // Under whole-body control a figure that has lost the clip lies on the ground; its further errors mean nothing.
        if step == steps || own.is_some() && sums.lost.is_some() {
            break;
        }
        if let Some(push) = trial.push.filter(|push| (sensed.time - push.time).abs() <= 0.5 * trial.time_step) {
            let center = figure.body_of[push.bone].map_or(DVec3::ZERO, |body| figure.bodies[body].center);
            ragdoll.hit(&mut world, push.bone, center, push.impulse).map_err(RagdollError::Input)?;
            sensed = Sensed::of_rigid(&ragdoll, &world);
        }
        let wanted = match &mut own {
            Some(own) => own.decide(&sensed),
            None => track.decide(&figure, &sensed),
        };
        let led = drives.apply_pose_target(&wanted, &sensed, &mut world);
        sums.force += led.force.length_squared();
        sums.most_force = sums.most_force.max(led.force.length());
        sums.moment += led.moment.length_squared();
        world.step();
    }
    let weight = figure.mass * rules.gravity.length();
    Ok(sums.followed(taken, weight, trial.push.map(|push| push.time)))
}

/// Tests where a clip is feasible on ground with the friction of the trial.
fn clip_feasibility(character: &Character, clip: &Clip, height: f64, gravity: f64) -> Feasibility {
    let settings = crate::analysis::Settings { gravity, ..crate::analysis::Settings::default() };
    feasibility(character, clip, &settings, Floor { height: Some(height), friction: FRICTION })
}

#[derive(Default)]
struct TrackingSums {
    all: PoseDistance,
    possible: (PoseDistance, usize),
    force: f64,
    most_force: f64,
    moment: f64,
    worst: (f64, f64),
    lost: Option<f64>,
    last_far: f64,
    end: f64,
}

impl TrackingSums {
    fn add(&mut self, figure: &RagdollModel, sensed: &Sensed, clip: &Posture, possible: bool) {
        let now = pose_distance(figure, &sensed.pose, clip);
        let sum = |sum: &mut PoseDistance| {
            sum.place += now.place;
            sum.relative += now.relative;
            sum.angle += now.angle;
        };
        sum(&mut self.all);
        if possible {
            sum(&mut self.possible.0);
            self.possible.1 += 1;
        }
        let far = libm::sqrt(now.place);
        if far > self.worst.1 {
            self.worst = (sensed.time, far);
        }
        if far > 0.05 {
            self.last_far = sensed.time;
        }
        self.end = sensed.time;
        if self.lost.is_none() && sensed.pose[0].0.distance(clip.translations[0]) > 0.5 {
            self.lost = Some(sensed.time);
        }
    }

    fn followed(&self, steps: usize, weight: f64, pushed: Option<f64>) -> Followed {
        let mean = |sum: f64, count: usize| libm::sqrt(sum / count.max(1) as f64);
        let (possible, times) = self.possible;
        Followed {
            place: mean(self.all.place, steps + 1),
            relative: mean(self.all.relative, steps + 1),
            angle: mean(self.all.angle, steps + 1),
            worst: self.worst,
            force: mean(self.force, steps) / weight,
            moment: mean(self.moment, steps),
            lost: self.lost,
            returned: pushed.filter(|_| self.last_far < self.end).map(|time| (self.last_far - time).max(0.0)),
            possible: (times > 0).then(|| Possible {
                place: mean(possible.place, times),
                angle: mean(possible.angle, times),
                share: times as f64 / (steps + 1) as f64,
            }),
            most_force: self.most_force / weight,
        }
    }
}
