//! Settings of a correction: allowed tools, frames and bones, and requests for flights.

use glam::DVec3;

use super::bounds::Bounds;
use super::spin::{Newton, SpinTarget};
use crate::analysis::Tool;
use crate::motion::TimeMap;

/// Tools that a correction may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tools {
    /// Allows moving the center of mass of a flight onto its parabola.
    pub path: bool,
    /// Allows retiming a flight to the duration of its path.
    pub time: bool,
    /// Allows rotating a flight to keep its angular momentum.
    pub spin: bool,
    /// Allows planting feet that slide, float or sink.
    pub feet: bool,
}

impl Tools {
    /// Every tool.
    pub const ALL: Self = Self { path: true, time: true, spin: true, feet: true };
    /// No tool.
    pub const NONE: Self = Self { path: false, time: false, spin: false, feet: false };

    /// These tools and no other.
    pub fn only(tools: &[Tool]) -> Self {
        let has = |tool| tools.contains(&tool);
        Self { path: has(Tool::Path), time: has(Tool::Time), spin: has(Tool::Spin), feet: has(Tool::Feet) }
    }
}

/// Settings of a correction. [`FixSettings::default`] corresponds to `muybridge fix` without options.
#[derive(Clone, Debug, PartialEq)]
pub struct FixSettings {
    /// The tools allowed.
    pub tools: Tools,
    /// Frames `first..end` in which flights and feet may change; `None` allows all.
    pub frames: Option<(usize, usize)>,
    /// Protected bones, whose keys may not change; one flag per bone, missing flags mean unprotected.
    pub protected: Vec<bool>,
    /// Strength from 0 (nothing changes) to 1. Below 1 every flight is corrected once, by that share.
    pub strength: f64,
    /// Bounds of the change; a correction that needs more is not made. Requests for flights are not bounded.
    pub bounds: Bounds,
    /// Number of frames before and after a flight over which its changes fade out; `None` changes nothing outside.
    pub blend: Option<usize>,
    /// Angular momentum requested for all flights, faulty or not; `None` for no request.
    pub momentum: Option<SpinTarget>,
    /// Requested height of the center of mass at the apex of the flights, meters above the floor; it sets their durations. `None` for no request.
    pub apex: Option<f64>,
    /// Requested duration of the flights, seconds; `None` for no request.
    pub duration: Option<f64>,
    /// Requested speed of the center of mass at the take-off of the flights, m/s; it sets their durations: of the flat and the high throw at that
    /// speed the one that lasts about as long. `None` for no request.
    pub takeoff_speed: Option<f64>,
    /// Requested velocity of the center of mass at the take-off of the flights, m/s, y up; it sets how long they last and where they land. `None` for
    /// no request.
    pub takeoff_velocity: Option<DVec3>,
    /// Requested displacements of take-off and landing of the flights, meters, y up. The motion before a flight moves with its take-off, the motion
    /// after it with its landing. `None` for no request.
    pub ends: Option<[DVec3; 2]>,
    /// Stopping rule and damping of the spin correction.
    pub newton: Newton,
}

impl Default for FixSettings {
    fn default() -> Self {
        Self {
            tools: Tools::ALL,
            frames: None,
            protected: Vec::new(),
            strength: 1.0,
            bounds: Bounds::default(),
            blend: None,
            momentum: None,
            apex: None,
            duration: None,
            takeoff_speed: None,
            takeoff_velocity: None,
            ends: None,
            newton: Newton::default(),
        }
    }
}

impl FixSettings {
    /// Protects further bones, one flag per bone.
    pub fn protect(&mut self, bones: &[bool]) {
        self.protected.resize(self.protected.len().max(bones.len()), false);
        self.protected.iter_mut().zip(bones).for_each(|(flag, more)| *flag |= more);
    }

    /// True if the settings contain a request for flights, independent of findings.
    pub fn asks(&self) -> bool {
        self.momentum.is_some() || self.sets_arcs() || self.ends.is_some()
    }

    /// True if the settings ask for a certain path of the flights.
    pub(crate) fn sets_arcs(&self) -> bool {
        self.apex.or(self.duration).or(self.takeoff_speed).is_some() || self.takeoff_velocity.is_some()
    }

    /// True if the settings move ends of flights in space.
    pub fn places_ends(&self) -> bool {
        self.ends.is_some() || self.takeoff_velocity.is_some()
    }

    /// True if the frames `first..=last` may change.
    pub(crate) fn covers(&self, first: usize, last: usize) -> bool {
        self.frames.is_none_or(|(start, end)| first >= start && last < end)
    }

    /// Maps the frames in the settings to the retimed clip.
    pub(crate) fn retimed(&self, map: &TimeMap) -> Self {
        let frames = self.frames.map(|(first, end)| {
            let (first, last) = map.span((first, end.saturating_sub(1).max(first)));
            (first, last + 1)
        });
        Self { frames, ..self.clone() }
    }
}
