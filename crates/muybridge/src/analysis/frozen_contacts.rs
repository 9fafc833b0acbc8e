//! Contacts that an analysis takes from an earlier one instead of finding them.
//!
//! A correction moves feet and flights. If contacts were found again afterwards, a motion could pass only because its contacts vanished. Frozen
//! contacts keep the flags of every point and frame, the ground and the phases of the motion before; a retimed clip takes them through its time
//! map: a frame has the contacts of the frame that it shows.

use super::clip_contacts::{self, ClipContacts};
use super::contacts::{Ground, PointTracks};
use super::phases::Phases;
use super::settings::Settings;
use super::stance::Stance;
use crate::character::Character;
use crate::motion::{Clip, TimeMap};

/// Contacts, ground and phases of a motion, one flag per contact point and frame.
#[derive(Clone, Debug, PartialEq)]
pub struct FrozenContacts {
    /// Bone of each contact point: contacts of another character are not used.
    bones: Vec<usize>,
    /// Frames of the clip.
    frames: usize,
    ground: Ground,
    stance: Stance,
    /// How far each contact point is raised, meters.
    lifts: Vec<f64>,
    /// Whether a point touches: `[point][frame]`.
    touching: Vec<Vec<bool>>,
    phases: Phases,
}

impl FrozenContacts {
    /// The contacts that [`analyze`](super::analyze) finds in a clip of `character`. Panics if the clip has another number of bones.
    pub fn of(character: &Character, clip: &Clip, settings: &Settings) -> Self {
        let found = clip_contacts::standing(character, clip, settings);
        let phases = found.phases(character, clip, settings);
        let ClipContacts { points, ground, stance, lifts, touching, .. } = found;
        Self { bones: points.bones, frames: clip.frames(), ground, stance, lifts, touching, phases }
    }

    /// The contacts of the retimed clip: every frame has those of the nearest frame that it shows.
    pub(crate) fn retimed(&self, map: &TimeMap) -> Self {
        let source = |frame: usize| (libm::round(map.source(frame)) as usize).min(self.frames.saturating_sub(1));
        let flags = |old: &[bool]| -> Vec<bool> { (0..map.frames()).map(|frame| old[source(frame)]).collect() };
        let span = |&(first, end): &(usize, usize)| {
            let (first, last) = map.span((first, end.saturating_sub(1).max(first)));
            (first, last + 1)
        };
        let stance = self.stance.retimed(map.frames(), &source);
        let spans = |old: &[(usize, usize)]| -> Vec<(usize, usize)> { old.iter().map(span).collect() };
        let mut touching: Vec<Vec<bool>> = self.touching.iter().map(|point| flags(point)).collect();
        let phases = Phases {
            flights: spans(&self.phases.flights),
            unseen: spans(&self.phases.unseen),
            above_floor: spans(&self.phases.above_floor),
            ..self.phases.clone()
        };
        // Rounding must not put a contact into the air: the ends of a flight belong to it.
        for &(first, end) in &phases.flights {
            touching.iter_mut().for_each(|point| point[first..end.min(map.frames())].fill(false));
        }
        Self { frames: map.frames(), stance, touching, phases, ..self.clone() }
    }

    /// Whether these are contacts of a clip of `frames` frames with these points.
    pub(super) fn fit(&self, points: &PointTracks, frames: usize) -> bool {
        self.bones == points.bones && self.frames == frames
    }

    /// Ground, stances, lifts of the points, and contact flags.
    pub(super) fn parts(&self) -> (Ground, &Stance, &[f64], &[Vec<bool>]) {
        (self.ground, &self.stance, &self.lifts, &self.touching)
    }

    /// The phases of a clip of `frames` frames; `None` if these are of another clip.
    pub(super) fn phases(&self, frames: usize) -> Option<Phases> {
        (self.frames == frames).then(|| self.phases.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use glam::DVec3;

    use super::*;
    use crate::analysis::{FindingId, analyze};
    use crate::samples;

    /// Settings that judge by the contacts of `clip`.
    fn frozen(character: &Character, clip: &Clip) -> Settings {
        let settings = Settings::default();
        let contacts = FrozenContacts::of(character, clip, &settings);
        Settings { contacts: Some(Arc::new(contacts)), ..settings }
    }

    #[test]
    fn a_motion_is_judged_by_its_own_frozen_contacts_as_without_them() {
        for (character, clip) in [(samples::humanoid(), samples::walk()), (samples::humanoid(), samples::jump())] {
            let found = analyze(&character, &clip, &Settings::default());
            assert_eq!(analyze(&character, &clip, &frozen(&character, &clip)), found);
        }
    }

    #[test]
    fn a_body_that_is_lifted_out_of_its_contacts_floats_and_does_not_fly() {
        let (character, walk) = (samples::humanoid(), samples::walk());
        let settings = frozen(&character, &walk);
        let mut lifted = walk.clone();
        for frame in 100..160 {
            lifted.set_translation(0, frame, walk.translation(0, frame) + 0.3 * DVec3::Y);
        }
        let found = analyze(&character, &lifted, &settings);
        assert!((found.feet.float - 0.3).abs() < 0.01 && found.flights.is_empty(), "{:?}", found.feet);
        assert!(found.findings.iter().any(|finding| finding.id == FindingId::FeetFloat));
    }

    #[test]
    fn the_ground_behind_a_jump_in_time_stays_where_it_is_when_time_is_stretched() {
        let character = Character { measured_contacts: false, ..samples::humanoid() };
        let mut higher = samples::walk();
        for frame in 100..higher.frames() {
            higher.set_translation(0, frame, higher.translation(0, frame) + DVec3::Y);
        }
        let settings = frozen(&character, &higher);
        let map = TimeMap::stretched(higher.frames(), 20, 40, 30).unwrap();
        let contacts = settings.contacts.as_ref().unwrap().retimed(&map);
        let settings = Settings { contacts: Some(Arc::new(contacts)), ..settings };
        let found = analyze(&character, &map.apply(&higher), &settings);
        assert!(found.feet.float < 0.03, "{:?}", found.feet);
    }

    #[test]
    fn a_retimed_flight_keeps_its_ends() {
        let (character, jump) = (samples::humanoid(), samples::jump());
        let settings = Settings::default();
        let flight = analyze(&character, &jump, &settings).flights[0].span;
        let map = TimeMap::stretched(jump.frames(), flight.first, flight.last, 40).unwrap();
        let contacts = FrozenContacts::of(&character, &jump, &settings).retimed(&map);
        let settings = Settings { contacts: Some(Arc::new(contacts)), ..settings };
        let slow = analyze(&character, &map.apply(&jump), &settings);
        assert_eq!((slow.flights[0].span.first, slow.flights[0].span.last), (flight.first, flight.first + 40));
    }
}
