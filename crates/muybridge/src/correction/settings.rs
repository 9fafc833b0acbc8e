//! What an artist allows a correction to do.

use glam::DVec3;

use super::spin::SpinTarget;
use crate::analysis::Tool;
use crate::motion::TimeMap;

/// The tools a correction may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tools {
    /// Put the center of mass of a flight on its parabola.
    pub path: bool,
    /// Give a flight the number of frames its path takes.
    pub time: bool,
    /// Keep the angular momentum of a flight.
    pub spin: bool,
    /// Plant feet that slide, float or sink.
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

/// Everything a caller may choose. [`FixSettings::default`] is what `muybridge fix` does without options.
#[derive(Clone, Debug, PartialEq)]
pub struct FixSettings {
    /// The tools allowed.
    pub tools: Tools,
    /// Only flights and feet within the frames `first..end`.
    pub frames: Option<(usize, usize)>,
    /// Bones whose keys stay, one flag per bone; shorter lists protect nothing more.
    pub protected: Vec<bool>,
    /// From 0 (nothing changes) to 1. Below 1 every flight is corrected once, by that part of the way.
    pub strength: f64,
    /// Frames over which the changes of a flight fade out before and after it; `None` leaves what is outside alone.
    pub blend: Option<usize>,
    /// Angular momentum of the flights, given to every one of them, found faulty or not.
    pub momentum: Option<SpinTarget>,
    /// Height of the center of mass at the top of the flights, metres above the floor: sets their durations.
    pub apex: Option<f64>,
    /// Duration of the flights, seconds.
    pub duration: Option<f64>,
    /// Ways of the take-off and of the landing of the flights, metres, y up. What comes before a flight goes with the one, what
    /// comes after with the other.
    pub ends: Option<[DVec3; 2]>,
}

impl Default for FixSettings {
    fn default() -> Self {
        Self {
            tools: Tools::ALL,
            frames: None,
            protected: Vec::new(),
            strength: 1.0,
            blend: None,
            momentum: None,
            apex: None,
            duration: None,
            ends: None,
        }
    }
}

impl FixSettings {
    /// Protects these bones, one flag per bone, as well.
    pub fn protect(&mut self, bones: &[bool]) {
        self.protected.resize(self.protected.len().max(bones.len()), false);
        self.protected.iter_mut().zip(bones).for_each(|(flag, more)| *flag |= more);
    }

    /// True if the artist says what the flights should be, whatever is found about them.
    pub fn asks(&self) -> bool {
        self.momentum.is_some() || self.apex.is_some() || self.duration.is_some() || self.ends.is_some()
    }

    /// Whether the frames `first..=last` may change.
    pub fn covers(&self, first: usize, last: usize) -> bool {
        self.frames.is_none_or(|(start, end)| first >= start && last < end)
    }

    /// The same for the retimed clip.
    pub fn retimed(&self, map: &TimeMap) -> Self {
        let frames = self.frames.map(|(first, end)| {
            let (first, last) = map.span((first, end.saturating_sub(1).max(first)));
            (first, last + 1)
        });
        Self { frames, ..self.clone() }
    }
}
