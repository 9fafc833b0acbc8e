//! What held in the last substep holds from the start of this one: the same pair, at the same place of both.

use glam::DVec3;

use super::Other;
use super::law::ContactConstraint;
use super::response::Lever;

/// A push that held two things apart.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct WarmContact {
    /// A surface of the model.
    pub surface: usize,
    /// What it touched.
    pub other: Other,
    /// Where, on both; nothing for an obstacle.
    pub places: [Lever; 2],
    /// From the other to the surface.
    pub normal: DVec3,
    /// Multiplier along the normal, kg m.
    pub push: f64,
    /// Multiplier across it, kg m.
    pub slide: DVec3,
    /// How far the points have slid since they stuck, metres.
    pub slipped: DVec3,
    /// Multiplier of the moment against rolling, kg m².
    pub roll: DVec3,
}

impl WarmContact {
    /// The surfaces that touch: one, or two.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = usize> {
        self.other.surfaces(self.surface)
    }

    /// What orders contacts: obstacles first, then by surface and what it touches.
    pub(super) fn pair(surface: usize, other: Other) -> (bool, usize, usize) {
        match other {
            Other::Obstacle(index) => (false, surface, index),
            Other::Surface(index) => (true, surface, index),
        }
    }
}

/// Calls `again` with every contact that held in the last substep, after it has been given its push. Both lists are in the
/// order of their pairs; what held is given once.
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

/// Two lists that are in the order of their pairs as one that is.
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
