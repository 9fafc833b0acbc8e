//! Warm start: contact impulses of the previous substep carry over to the same pair at the same place.

use glam::DVec3;

use super::Other;
use super::law::ContactConstraint;
use super::response::Lever;

/// Impulses of a contact, kept for the warm start.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WarmContact {
    /// Index of a collider of the model.
    pub surface: usize,
    /// The other collider or obstacle.
    pub other: Other,
    /// Contact points on both sides as weights of particles; empty for an obstacle.
    pub places: [Lever; 2],
    /// Unit normal from the other to the collider.
    pub normal: DVec3,
    /// Multiplier along the normal, kg m.
    pub push: f64,
    /// Friction multiplier across the normal, kg m.
    pub slide: DVec3,
    /// Accumulated slip of the points while the contact sticks, meters.
    pub slipped: DVec3,
    /// Multiplier of the rolling resistance, kg m².
    pub roll: DVec3,
}

impl WarmContact {
    /// Colliders of the model in this contact: one or two.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = usize> {
        self.other.surfaces(self.surface)
    }

    /// Multiplies the multipliers by `ratio`.
    pub(super) fn rescale(&mut self, ratio: f64) {
        self.push *= ratio;
        self.slide *= ratio;
        self.roll *= ratio;
    }

    /// Sort key of contacts: obstacles first, then by collider and the other's index.
    pub(super) fn pair(surface: usize, other: Other) -> (bool, usize, usize) {
        match other {
            Other::Obstacle(index) => (false, surface, index),
            Other::Surface(index) => (true, surface, index),
        }
    }
}

/// Gives every contact that matches a saved one its impulse, then calls `again` with it. Both lists are sorted by pair.
/// A saved impulse is used once.
pub(super) fn remember(
    contacts: &mut [ContactConstraint],
    held: &mut [WarmContact],
    mut again: impl FnMut(&mut ContactConstraint),
) {
    let mut start = 0;
    for contact in contacts {
        let pair = contact.pair();
        while start < held.len() && WarmContact::pair(held[start].surface, held[start].other) < pair {
            start += 1;
        }
        let mut same = held[start..].iter_mut().take_while(|old| WarmContact::pair(old.surface, old.other) == pair);
        if let Some(old) = same.find(|old| old.push > 0.0 && contact.is_where(old)) {
            contact.take_over(old);
            old.push = 0.0;
            again(contact);
        }
    }
}

/// Merges two lists sorted by pair.
pub(super) fn in_order(
    one: impl Iterator<Item = WarmContact>,
    two: impl Iterator<Item = WarmContact>,
) -> impl Iterator<Item = WarmContact> {
    let (mut one, mut two) = (one.peekable(), two.peekable());
    core::iter::from_fn(move || {
        let pair = |held: &WarmContact| WarmContact::pair(held.surface, held.other);
        match (one.peek(), two.peek()) {
            (Some(a), Some(b)) if pair(b) < pair(a) => two.next(),
            (Some(_), _) => one.next(),
            (None, _) => two.next(),
        }
    })
}
