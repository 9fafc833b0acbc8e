//! What a stride of some batches has beside contacts with planes and joint limits.

use super::Settings;
use super::block::LanesOf;
use super::pace::Pace;
use super::touch::LaneContactSolver;
use crate::math::lanes::Lanes;
use crate::rigid::rattle::{Mechanism, Rattle};

/// Additions to a stride.
pub(super) trait Extras<V> {
    /// Adds contacts between bodies, after the contacts with planes were found.
    fn touch(
        &mut self,
        touch: &mut LaneContactSolver<V>,
        at: (&Rattle<V>, &LanesOf<V>),
        at_pace: (&Settings, &Pace<V>),
    );

    /// Projects the momenta onto the joints at the end of the stride, with what acts in the joints.
    fn project(
        &mut self,
        touch: &mut LaneContactSolver<V>,
        by: (&mut Rattle<V>, Mechanism<'_>),
        lanes: &mut LanesOf<V>,
        at_pace: (&Settings, &Pace<V>),
    );
}

/// No additions: joints only.
pub(super) struct Plain;

impl<V: Lanes> Extras<V> for Plain {
    #[inline(always)]
    fn touch(&mut self, _: &mut LaneContactSolver<V>, _: (&Rattle<V>, &LanesOf<V>), _: (&Settings, &Pace<V>)) {}

    #[inline(always)]
    fn project(
        &mut self,
        _: &mut LaneContactSolver<V>,
        (rattle, mechanism): (&mut Rattle<V>, Mechanism<'_>),
        lanes: &mut LanesOf<V>,
        _: (&Settings, &Pace<V>),
    ) {
        rattle.project(mechanism, &mut lanes.momenta);
    }
}
