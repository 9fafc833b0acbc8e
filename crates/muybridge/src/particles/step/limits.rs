//! Stage of joint limits: what a joint bends beyond its range comes back.
//!
//! ```text
//! C > C°          C° what is left of an older violation, which comes back slowly
//! moment          Λ = −(C − C°)/(n·(I_a⁻¹ + I_b⁻¹) n − d·K⁻¹ d),   ∓Λ n on parent and child
//! at the joint    J = −K⁻¹ d Λ,   d = I_a⁻¹n × r_a + I_b⁻¹n × r_b,   K the mobility of the pivot on both bodies
//! ```
//! With the impulse `J` the pivot stays where it is, so that one correction ends the swing: by a moment alone, the joint would
//! undo most of it, and the violation would push back for many substeps. Bodies turn about where they were at the start of
//! the substep, which keeps their angular momentum. Limits of other things, and soft ones, move single particles
//! ([`AxesOfParticles`]). Specification: mathematics 3.13, 4.7.
//!
//! [`AxesOfParticles`]: crate::particles::axes::AxesOfParticles

use glam::{DMat3, DVec3};

use super::bodies::in_own_numbers;
use super::substep::Substep;
use crate::particles::axes::{Axes, Excess};
use crate::particles::contact::TetrahedronInertia;
use crate::particles::distance::lanes;
use crate::particles::model::{Anchor, Model};
use crate::particles::point::{Direction, Point};
use crate::particles::swing_twist::SwingOrTwist;

/// The rigid bodies of a limited joint.
#[derive(Clone, Debug)]
pub(crate) struct LimitedPair {
    /// Axes of parent and child.
    axes: [[Direction; 3]; 2],
    /// Particles of parent and child.
    bodies: [[usize; 4]; 2],
    /// A point of the joint that both bodies share.
    pivot: Option<Point>,
}

/// Greatest correction at once, radians.
const MOST: f64 = 0.3;

impl LimitedPair {
    /// The bodies of a joint with these axes; `None` if a side is neither a rigid body nor immovable.
    pub fn of(model: &Model, axes: [&[Direction; 3]; 2]) -> Option<Self> {
        let side = |axes: &[Direction; 3]| {
            let used = axes.iter().flat_map(|it| it.particles.iter().zip(it.weights));
            let used = used.filter(|(_, weight)| *weight != 0.0).map(|(&particle, _)| particle);
            let is_fixed = used.clone().all(|it| model.masses[it].is_infinite());
            let mut bodies = model.tetrahedra.iter().map(|body| body.particles);
            let body = bodies.find(|own| used.clone().all(|it| own.contains(&it)));
            body.or(is_fixed.then_some(axes[0].particles))
        };
        let bodies = [side(axes[0])?, side(axes[1])?];
        let on = |point: &Point| bodies.iter().position(|own| point.particles.iter().all(|it| own.contains(it)));
        let is_between = |[a, b]: [usize; 2]| a != b;
        let pivot = model.attachments.iter().filter(|joint| joint.compliance == 0.0).find(|joint| match &joint.b {
            Anchor::Point(b) => on(&joint.a).zip(on(b)).is_some_and(|(a, b)| is_between([a, b])),
            Anchor::Place(_) => on(&joint.a).is_some_and(|a| model.masses[bodies[1 - a][0]].is_infinite()),
        });
        Some(Self { axes: axes.map(|it| *it), bodies, pivot: pivot.map(|joint| joint.a) })
    }

    fn axes(&self, positions: &[DVec3]) -> Axes<f64> {
        self.axes.map(|side| side.map(|axis| lanes(axis.vector(positions))))
    }

    /// Corrects an excess. The bodies turn about where they are at the start of the substep, or about where they are now.
    /// Returns whether they respond as rigid bodies.
    fn correct(&self, (excess, axes): (&Excess<f64>, &Axes<f64>), from_start: bool, substep: &mut Substep) -> bool {
        let at = if from_start { substep.previous } else { &*substep.positions };
        let weights = substep.inverse_masses;
        let inertias = self.bodies.map(|own| TetrahedronInertia::of(own, at, weights));
        let is_held = |side: usize| inertias[side].is_none() && self.bodies[side].iter().any(|&it| weights[it] > 0.0);
        if is_held(0) || is_held(1) {
            return false;
        }
        let motion = |side: usize, wrench: [DVec3; 2]| inertias[side].as_ref().map(|it| it.velocities(wrench));
        let normal = excess.turning(axes);
        let turns = [0, 1].map(|side| motion(side, [DVec3::ZERO, normal]).map_or(DVec3::ZERO, |[_, turn]| turn));
        let alone = normal.dot(turns[0] + turns[1]);
        let (mut gained, mut pull) = (alone, DVec3::ZERO);
        let place = self.pivot.map_or(DVec3::ZERO, |pivot| pivot.position(at));
        let arms = inertias.each_ref().map(|it| it.as_ref().map_or(DVec3::ZERO, |it| place - it.center(at)));
        if self.pivot.is_some() {
            let parted = turns[0].cross(arms[0]) + turns[1].cross(arms[1]);
            let moved = |side: usize, axis: DVec3| {
                let moved = motion(side, [axis, arms[side].cross(axis)]);
                moved.map_or(DVec3::ZERO, |[shift, turn]| shift + turn.cross(arms[side]))
            };
            let mobility = DVec3::AXES.map(|axis| moved(0, axis) + moved(1, axis));
            let [x, y, z] = mobility;
            pull = -(DMat3::from_cols(x, y, z).inverse() * parted);
            gained += parted.dot(pull);
        }
        // NaN compares false.
        let turns = gained > LEAST_SHARE * alone;
        if !turns {
            (gained, pull) = (alone, DVec3::ZERO);
        }
        let multiplier = -excess.angle.min(MOST) / gained;
        if !multiplier.is_finite() {
            return true;
        }
        let moves = [(0, -multiplier), (1, multiplier)].map(|(side, multiplier)| {
            let impulse = pull * multiplier;
            motion(side, [impulse, normal * multiplier + arms[side].cross(impulse)])
        });
        for (inertia, moves) in inertias.iter().zip(moves) {
            if let (Some(inertia), Some([shift, turn])) = (inertia, moves) {
                let at = from_start.then_some(substep.previous);
                inertia.displace_about(at, (shift, turn), substep.positions);
            }
        }
        true
    }
}

/// Share of the mobility of the free bodies below which the pivot leaves no turn.
const LEAST_SHARE: f64 = 1e-3;

/// Applies swing, twist and hinge limits.
pub(crate) fn limits(substep: &mut Substep) {
    limits_of(substep, true, |_| true);
}

/// Applies the limits of selected islands, `slowly` if old violations are to give no speed; `is_wanted` gets one of their
/// particles.
pub(super) fn limits_of(substep: &mut Substep, slowly: bool, is_wanted: impl Fn(usize) -> bool) {
    let (prepared, seconds) = (substep.prepared, substep.seconds);
    for (limit, pair) in prepared.swing_twists.iter().filter(|(limit, _)| is_wanted(limit.particles[0])) {
        for of in [SwingOrTwist::Swing, SwingOrTwist::Twist] {
            let excess = |axes: &Axes<f64>| limit.it.excess(of, axes);
            if !is_rigid(substep, slowly, (&limit.particles, pair.as_ref()), excess) {
                in_own_numbers(substep, limit, |places, _| limit.it.correct(of, seconds, places));
            }
        }
    }
    for (limit, pair) in prepared.hinges.iter().filter(|(limit, _)| is_wanted(limit.particles[0])) {
        let excess = |axes: &Axes<f64>| limit.it.excess(axes);
        if !is_rigid(substep, slowly, (&limit.particles, pair.as_ref()), excess) {
            in_own_numbers(substep, limit, |places, _| limit.it.correct(seconds, places));
        }
    }
}

/// Corrects the excess of a limit between rigid bodies; returns whether there is nothing else to do.
fn is_rigid(
    substep: &mut Substep,
    slowly: bool,
    (particles, pair): (&[usize], Option<&LimitedPair>),
    excess: impl Fn(&Axes<f64>) -> Option<Excess<f64>>,
) -> bool {
    let Some(pair) = pair else { return false };
    if !substep.takes_part(particles) {
        return true;
    }
    let axes = pair.axes(substep.positions);
    let Some(mut found) = excess(&axes) else { return true };
    if slowly && let Some(before) = excess(&pair.axes(substep.previous)) {
        found = found.beyond(before.angle);
    }
    *substep.work += 1;
    found.angle <= 0.0 || pair.correct((&found, &axes), slowly, substep)
}
