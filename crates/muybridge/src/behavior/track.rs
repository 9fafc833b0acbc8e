//! Along a clip: joints are driven to its poses, a hand may lead the root; and back to it from where a ragdoll lies.
//!
//! ```text
//! target    the clip's pose at the end of the step, rate what led there within the step: no lag
//! root      a hand with the clip's place, turn and their rates; without it the figure is on its own
//! helped    the hand gives at most  b + k max_{|s| < S} (1 − |s|/S) m(t + s),  m what the clip asks for beyond what its floor can give
//! get up    posture = (1 − e) lying + e clip,  e = 6u⁵ − 15u⁴ + 10u³,  u = t/T;  the clip laid where the figure lies
//! ```
//! Specification: mathematics 8.1 (R20).

use glam::{DQuat, DVec3};

use super::action::Ease;
use super::wanted::{Lead, Wanted};
use super::{Figure, Posture, Sensed};
use crate::analysis::feasibility::Feasibility;
use crate::math::rotation::{about, log};
use crate::motion::Clip;

/// A clip to be followed.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// Of the figure's skeleton.
    pub clip: Clip,
    /// Seconds of the world at which the clip begins.
    pub begins: f64,
    /// What each joint is driven with: strengths, frequencies, limits. Turns and rates are the clip's.
    pub drive: Wanted,
    /// How a hand leads the root; `None`: not at all. Places and rates are the clip's.
    pub lead: Option<Lead>,
    /// What bounds the hand as the clip goes; `None`: the lead's own bounds.
    pub helped: Option<Helped>,
    /// Where the clip's ground lies: added to it in the world, turn first.
    pub moved: (DVec3, DQuat),
    /// From where it gets up, when that began and how long it takes, seconds; `None`: it is on the clip.
    pub from: Option<(Posture, f64, f64)>,
}

/// Bounds of a hand that gives what a clip asks for beyond what its floor can give.
#[derive(Clone, Debug, PartialEq)]
pub struct Helped {
    /// Seconds between frames.
    frame_time: f64,
    /// Greatest force (N) and moment (N m) at each frame of the clip.
    most: Vec<[f64; 2]>,
}

/// Seconds before and after a frame at which something is missing in which the hand comes and goes: what is off is brought back in that time.
const RETURN: f64 = 0.4;

impl Helped {
    /// So many times what is missing at each moment and, less and less, around it; `most` force (N) and moment (N m) besides.
    pub fn new(missing: &Feasibility, times: f64, most: [f64; 2]) -> Self {
        let reach = libm::ceil(RETURN / missing.frame_time) as usize;
        let frames = missing.missing.len();
        let at = |frame: usize| {
            let mut greatest = [0.0_f64; 2];
            for other in frame.saturating_sub(reach)..(frame + reach + 1).min(frames) {
                let fade = 1.0 - other.abs_diff(frame) as f64 * missing.frame_time / RETURN;
                let own = &missing.missing[other];
                for (greatest, size) in greatest.iter_mut().zip([own.force.length(), own.moment.length()]) {
                    *greatest = greatest.max(fade * size);
                }
            }
            [most[0] + times * greatest[0], most[1] + times * greatest[1]]
        };
        Self { frame_time: missing.frame_time, most: (0..frames).map(at).collect() }
    }

    /// A hand with the bounds of a time from the clip's first frame, seconds.
    fn bound(&self, lead: Lead, seconds: f64) -> Lead {
        let frame = libm::round(seconds / self.frame_time).max(0.0) as usize;
        let Some([most_force, most_moment]) = self.most.get(frame).or(self.most.last()).copied() else { return lead };
        Lead { most_force, most_moment, ..lead }
    }
}

impl Track {
    /// A figure on a clip from `begins` on, all joints with `strength` (0 to 1) and `frequency` (hertz), led by nobody.
    pub fn new(figure: &Figure, clip: Clip, begins: f64, strength: f64, frequency: f64) -> Self {
        let drive = Wanted::stiff(figure, strength, frequency);
        Self { clip, begins, drive, lead: None, helped: None, moved: (DVec3::ZERO, DQuat::IDENTITY), from: None }
    }

    /// Begins to get up from where the figure is now: the clip is turned and moved so that its root stands over where it lies, and
    /// the blend takes `seconds`.
    pub fn get_up(&mut self, figure: &Figure, sensed: &Sensed, seconds: f64) {
        let lying = Posture::of_pose(&figure.skeleton, &sensed.pose);
        self.begins = sensed.time + seconds;
        self.moved = (DVec3::ZERO, DQuat::IDENTITY);
        let (first, now) = (Posture::of_clip(&self.clip, 0.0), &lying);
        let turn = heading(now.rotations[0] * first.rotations[0].conjugate());
        let offset = now.translations[0] - turn * first.translations[0];
        self.moved = (DVec3::new(offset.x, 0.0, offset.z), turn);
        self.from = Some((lying, sensed.time, seconds.max(1e-9)));
    }

    /// The clip where it lies in the world.
    pub fn in_world(&self) -> Clip {
        let mut clip = self.clip.clone();
        let (offset, turn) = self.moved;
        for frame in 0..clip.frames() {
            clip.set_translation(0, frame, turn * self.clip.translation(0, frame) + offset);
            clip.set_rotation(0, frame, (turn * self.clip.rotation(0, frame)).normalize());
        }
        clip
    }

    /// The posture that is wanted at a time of the world, seconds.
    pub fn posture(&self, time: f64) -> Posture {
        let mut posture = Posture::of_clip(&self.clip, time - self.begins);
        let (offset, turn) = self.moved;
        posture.translations[0] = turn * posture.translations[0] + offset;
        posture.rotations[0] = (turn * posture.rotations[0]).normalize();
        match &self.from {
            Some((lying, began, seconds)) => lying.blended(&posture, Ease::Quintic.of((time - began) / seconds)),
            None => posture,
        }
    }

    /// What is wanted during the next step.
    pub fn decide(&self, figure: &Figure, sensed: &Sensed) -> Wanted {
        let h = sensed.step;
        let (now, next) = (self.posture(sensed.time), self.posture(sensed.time + h));
        let mut wanted = self.drive.clone();
        next.arrive(figure, (&now, h), &mut wanted);
        let lead = self.lead.map(|lead| self.helped.as_ref().map_or(lead, |helped| helped.bound(lead, sensed.time - self.begins)));
        wanted.lead = lead.map(|lead| Lead {
            position: now.translations[0],
            rotation: now.rotations[0],
            velocity: (next.translations[0] - now.translations[0]) / h,
            angular_velocity: log(next.rotations[0] * now.rotations[0].conjugate()) / h,
            ..lead
        });
        wanted
    }
}

/// The part of a turn that is about the vertical.
fn heading(turn: DQuat) -> DQuat {
    let forward = turn * DVec3::Z;
    about(DVec3::Y, libm::atan2(forward.x, forward.z))
}
