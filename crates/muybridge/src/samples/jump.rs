//! A physically correct vertical jump: in flight the center of mass follows its parabola to the last bit.
//!
//! ```text
//! stand, crouch, push:  y(t) quintic between (y, ẏ, ÿ), so that ÿ is continuous and −g at take-off
//! flight:               y = y₀ + v t − ½ g t²,  v = g T/2,  T = 25 frames;  no angular momentum
//! landing, stand:       quintic from (y₀, −v, −g)
//! ```
//! The hips are placed in every frame so that the center of mass has its planned position. Feet are planted by inverse
//! kinematics while they carry weight. The trunk's lean in flight, at take-off and at landing keeps the angular
//! momentum zero.

use glam::DVec3;

use super::figures::{HALF_HIPS, LEG, humanoid};
use super::stance::{Leg, Person, Posed, SampleStance, ease, quintic};
use crate::motion::Clip;

const FRAMES_PER_SECOND: f64 = 60.0;
const FRAMES: usize = 151;
const GRAVITY: f64 = 9.81;
/// First frame without ground support and first frame with it again.
pub(crate) const TAKE_OFF: usize = 66;
pub(crate) const LANDING: usize = 91;
const CROUCH: usize = 48;
const LANDED: usize = 110;
const RISEN: usize = 146;
/// Depth of the ankles, meters; the center of mass is above the middle of the feet.
const ANKLE_DEPTH: f64 = -0.05;
/// Depth by which the center of mass sinks in the crouch and after landing, and below standing height at take-off,
/// meters.
const SINK: f64 = 0.26;
const LEAVE: f64 = 0.045;

/// The jump of [`humanoid`]: 2.5 s at 60 frames per second, flight from frame 66 to 91, rise 0.21 m.
pub fn jump() -> Clip {
    let character = humanoid();
    let person = Person::new(&character);
    let mut clip = Clip::new(character.skeleton.len(), FRAMES, 1.0 / FRAMES_PER_SECOND).expect("a frame time");
    clip.name = "jump".into();
    for (frame, posed) in JumpPlan::of(&person).poses().iter().enumerate() {
        person.write(posed, &mut clip, frame);
    }
    clip
}

/// Plan of the jump, with unknowns that depend on the flight.
struct JumpPlan<'a> {
    person: &'a Person<'a>,
    /// Height of the standing center of mass, meters.
    height: f64,
    /// Rates of the lean at take-off and landing that give zero angular momentum, rad/s.
    rates: [f64; 2],
    /// Lean at landing in addition to the plan, radians.
    settle: f64,
}

impl<'a> JumpPlan<'a> {
    fn of(person: &'a Person<'a>) -> Self {
        let upright = SampleStance { lean: LEANS[0].1, arms: arms(0), legs: PLANTED, feet: [0.0; 2] };
        let standing = person.posed(&upright, DVec3::new(0.0, LEG.iter().sum::<f64>() - 0.012, 0.0));
        let mut motion = Self { person, height: person.center(&standing).y, rates: [0.0; 2], settle: 0.0 };
        // The flight ends in the first pose of the landing, whose lean is only known after the flight: iterate.
        for _ in 0..8 {
            for (at, frames) in [[TAKE_OFF - 1, TAKE_OFF], [LANDING, LANDING + 1]].into_iter().enumerate() {
                motion.rates[at] = root(motion.rates[at], |rate| {
                    let mut trial = Self { rates: motion.rates, ..motion };
                    trial.rates[at] = rate;
                    trial.person.turning(&trial.grounded(frames[0]), &trial.grounded(frames[1]))
                });
            }
            let (_, last) = motion.flight().pop().expect("the flight has frames");
            motion.settle =
                root(motion.settle, |settle| person.turning(&last, &Self { settle, ..motion }.grounded(LANDING)));
        }
        motion
    }

    fn poses(&self) -> Vec<Posed> {
        let mut poses: Vec<Posed> = (0..=TAKE_OFF).map(|frame| self.grounded(frame)).collect();
        poses.extend(self.flight().into_iter().map(|(_, posed)| posed));
        poses.extend((LANDING..FRAMES).map(|frame| self.grounded(frame)));
        poses
    }

    /// Pose with both feet planted.
    fn grounded(&self, frame: usize) -> Posed {
        let stance = SampleStance { lean: self.lean(frame), arms: arms(frame), legs: PLANTED, feet: [0.0; 2] };
        self.person.balanced(&stance, self.mass_center(frame))
    }

    /// Lean and pose of the airborne frames; the lean keeps the angular momentum zero.
    fn flight(&self) -> Vec<(f64, Posed)> {
        let (start, end) = (self.grounded(TAKE_OFF), self.grounded(LANDING));
        let legs = [&start, &end].map(|posed| self.person.hang(posed, 0));
        let mut lean = self.lean(TAKE_OFF);
        let mut before = start;
        let mut flight = Vec::new();
        for frame in TAKE_OFF + 1..LANDING {
            let pose = |lean: f64| self.person.balanced(&flying(frame, lean, legs), self.mass_center(frame));
            lean = root(lean, |lean| self.person.turning(&before, &pose(lean)));
            before = pose(lean);
            flight.push((lean, before.clone()));
        }
        flight
    }

    fn mass_center(&self, frame: usize) -> DVec3 {
        mass_center(frame, self.height)
    }

    /// Planned lean on the ground, radians.
    fn lean(&self, frame: usize) -> f64 {
        let at = LEANS.iter().rposition(|(start, _)| *start <= frame).unwrap_or(0);
        let state = |key: usize| {
            let (value, rate) = match key {
                2 => (LEANS[2].1, self.rates[0]),
                3 => (LEANS[3].1 + self.settle, self.rates[1]),
                _ => (LEANS[key].1, 0.0),
            };
            [value, rate, 0.0]
        };
        let (Some(&(end, _)), start) = (LEANS.get(at + 1), LEANS[at].0) else { return LEANS[at].1 };
        let seconds = |frames: usize| frames as f64 / FRAMES_PER_SECOND;
        if frame <= start {
            state(at)[0]
        } else {
            quintic(state(at), state(at + 1), seconds(end - start), seconds(frame - start))
        }
    }
}

/// Lean of the trunk at key frames, radians.
const LEANS: [(usize, f64); 6] =
    [(18, 0.03), (CROUCH, 0.55), (TAKE_OFF, 0.15), (LANDING, 0.15), (LANDED, 0.5), (RISEN, 0.03)];

const PLANTED: [Leg; 2] =
    [Leg::Ankle(DVec3::new(HALF_HIPS, LEG[2], ANKLE_DEPTH)), Leg::Ankle(DVec3::new(-HALF_HIPS, LEG[2], ANKLE_DEPTH))];

/// Root of a nearly linear function by the secant method.
fn root(start: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (start, start + 0.01);
    let mut at_a = function(a);
    for _ in 0..10 {
        let at_b = function(b);
        if at_b == at_a || at_b == 0.0 {
            break;
        }
        (a, b, at_a) = (b, b - at_b * (b - a) / (at_b - at_a), at_b);
        // The remaining error is about the product of the last two steps.
        if (b - a).abs() < 1e-10 {
            break;
        }
    }
    b
}

/// Planned center of mass at a frame, meters.
fn mass_center(frame: usize, height: f64) -> DVec3 {
    let seconds = |from: usize, to: usize| (to as f64 - from as f64) / FRAMES_PER_SECOND;
    let speed = 0.5 * GRAVITY * seconds(TAKE_OFF, LANDING);
    let leave = height - LEAVE;
    let keys = [
        (18, [height, 0.0, 0.0]),
        (CROUCH, [height - SINK, 0.0, 8.0]),
        (TAKE_OFF, [leave, speed, -GRAVITY]),
        (LANDING, [leave, -speed, -GRAVITY]),
        (LANDED, [height - SINK, 0.0, 8.0]),
        (RISEN, [height, 0.0, 0.0]),
    ];
    let t = |from: usize| seconds(from, frame);
    let y = match keys.iter().rposition(|(start, _)| *start <= frame) {
        None | Some(5) => height,
        Some(2) => leave + speed * t(TAKE_OFF) - 0.5 * GRAVITY * t(TAKE_OFF) * t(TAKE_OFF),
        Some(at) => {
            let ((start, from), (end, to)) = (keys[at], keys[at + 1]);
            quintic(from, to, seconds(start, end), t(start))
        }
    };
    DVec3::new(0.0, y, 0.0)
}

fn arms(frame: usize) -> [f64; 2] {
    [stepped(frame, &[(18, 0.05), (CROUCH, 0.7), (TAKE_OFF, -0.5), (LANDING, -0.35), (LANDED, 0.2), (RISEN, 0.05)]); 2]
}

/// Interpolates values between key frames with easing.
fn stepped(frame: usize, keys: &[(usize, f64)]) -> f64 {
    let Some(at) = keys.iter().rposition(|(start, _)| *start <= frame) else { return keys[0].1 };
    let (start, from) = keys[at];
    let Some(&(end, to)) = keys.get(at + 1) else { return from };
    from + (to - from) * ease((frame - start) as f64 / (end - start) as f64)
}

/// Pose in flight: legs stretch after take-off and are drawn in before landing. `legs` are reach and angle at both
/// ends.
fn flying(frame: usize, lean: f64, legs: [(f64, f64); 2]) -> SampleStance {
    let span = (LANDING - TAKE_OFF) as f64;
    let at = (frame - TAKE_OFF) as f64;
    let rest = LEG[0] + LEG[1] - 0.008;
    let share = ease(at / span);
    let between = |a: f64, b: f64| a + (b - a) * share;
    let stretch = |frames: f64| {
        let left = (1.0 - frames / 4.0).max(0.0);
        1.0 - left * left * left
    };
    let base = between(legs[0].0, legs[1].0);
    let reach = base + (rest - base) * stretch(at) * stretch(span - at);
    let hang = Leg::Hang { reach, angle: between(legs[0].1, legs[1].1) };
    let point = 4.0 * ease(at / span) * (1.0 - ease(at / span));
    SampleStance { lean, arms: arms(frame), legs: [hang; 2], feet: [0.35 * point; 2] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::{Character, Role, Side};
    use crate::motion::WorldMotion;

    fn mass_centers(character: &Character, world: &WorldMotion) -> Vec<DVec3> {
        let at = |frame: usize| -> DVec3 {
            let bodies = character.bodies.iter().enumerate();
            bodies.map(|(bone, body)| world.point(bone, frame, body.center) * body.mass).sum()
        };
        (0..world.frames()).map(|frame| at(frame) / character.mass()).collect()
    }

    #[test]
    fn the_mass_center_falls_with_one_g_and_nothing_else_in_flight() {
        let (character, clip) = (humanoid(), jump());
        let centers = mass_centers(&character, &WorldMotion::new(&character.skeleton, &clip));
        let second = |frame: usize| {
            (centers[frame + 1] - centers[frame] * 2.0 + centers[frame - 1]) * FRAMES_PER_SECOND * FRAMES_PER_SECOND
        };
        for frame in TAKE_OFF + 1..LANDING {
            assert!((second(frame) + DVec3::Y * GRAVITY).length() < 1e-9, "frame {frame}: {}", second(frame));
        }
        for frame in (1..TAKE_OFF).chain(LANDING + 1..FRAMES - 1) {
            assert!(second(frame).y > -GRAVITY - 0.2, "the ground does not pull: frame {frame}, {}", second(frame));
        }
        let rise = centers.iter().map(|c| c.y).fold(0.0, f64::max) - centers[TAKE_OFF].y;
        let time: f64 = (LANDING - TAKE_OFF) as f64 / FRAMES_PER_SECOND;
        assert!((rise - GRAVITY * time * time / 8.0).abs() < 1e-3, "{rise}");
    }

    #[test]
    fn feet_stay_planted_while_they_bear_and_clear_the_floor_in_flight() {
        let (character, clip) = (humanoid(), jump());
        let world = WorldMotion::new(&character.skeleton, &clip);
        for side in [Side::Left, Side::Right] {
            let foot = character.bone_of(Role::Foot(side)).unwrap();
            let start = world.position(foot, 0);
            for frame in (0..=TAKE_OFF).chain(LANDING..FRAMES) {
                assert!(world.position(foot, frame).distance(start) < 1e-3, "frame {frame}");
                assert!((world.rotation(foot, frame) * DVec3::Y - DVec3::Y).length() < 1e-9);
            }
            assert!(world.position(foot, (TAKE_OFF + LANDING) / 2).y - start.y > 0.1);
        }
    }

    #[test]
    fn angular_momentum_is_constant_in_flight() {
        let character = humanoid();
        let person = Person::new(&character);
        let poses = JumpPlan::of(&person).poses();
        let turning = |frame: usize| person.turning(&poses[frame], &poses[frame + 1]) * FRAMES_PER_SECOND;
        for frame in TAKE_OFF - 1..LANDING - 1 {
            assert!(turning(frame).abs() < 1e-9, "frame {frame}: {}", turning(frame));
        }
        for frame in TAKE_OFF - 3..LANDING + 3 {
            println!("{frame} {:.3}", turning(frame));
            assert!(turning(frame).abs() < 4.0, "no jolt at either end: frame {frame}, {}", turning(frame));
        }
    }
}
