//! Energy limit: caps the kinetic energy of a ragdoll after a substep with contact to static obstacles, so that
//! unconverged passes add no energy.
//!
//! ```text
//! E° = ½ Σ m ‖Δx°‖², P° = Σ m Δx°                as predicted, times the square of the substep
//! E ≤ E° − ‖P − P°‖²/2M                          else Δx = s Δx,  s² = (E° − ‖P − P°‖²/2M)/E, at least 0
//! ```
//! A hit loses the energy of the lost velocity (Carnot's theorem), and the share of the center of mass in it is known.
//! Rigid bodies, joints, limits and static obstacles do no work, and friction dissipates: an exact solution never
//! exceeds the limit. Restitution is applied afterwards. A light limb between the ground and a heavy body, whose length
//! errors would lift that body, gives back no more than the hit left, and resting ragdolls do not rattle.
//!
//! The limit applies to islands of jointed rigid bodies without compliance, while they are not pinned, dragged or
//! driven and touch nothing that moves: all these may add energy. Specification: mathematics 3.2, 3.3.

use glam::DVec3;

use super::Fixed;
use crate::collision::Obstacle;
use crate::particles::contact::Other;
use crate::particles::model::{Anchor, Model};
use crate::particles::sleep::Islands;
use crate::particles::state::State;
use crate::particles::world::Scratch;

/// The islands that consist of jointed rigid bodies only.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ragdolls {
    list: Vec<LimitedRagdoll>,
    /// Index in `list` for each particle; `None` if its island is no ragdoll.
    of_particles: Vec<Option<usize>>,
}

#[derive(Clone, Debug)]
struct LimitedRagdoll {
    particles: Vec<usize>,
    drives: Vec<usize>,
    mass: f64,
}

/// Predicted motion of a ragdoll, and its contacts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Predicted {
    /// Momentum times the substep, kg m.
    momentum: DVec3,
    /// Kinetic energy times the square of the substep, kg m².
    energy: f64,
    /// Whether the ragdoll touches something that is not itself.
    touches: bool,
    /// Whether the ragdoll touches something that moves and is not itself.
    meets: bool,
}

impl Ragdolls {
    /// Finds the ragdolls of a model.
    pub fn of(model: &Model, islands: &Islands) -> Self {
        let count = model.positions.len();
        let mut is_other = vec![false; count];
        let mut is_jointed = vec![false; count];
        let mut is_rigid = vec![false; count];
        for body in &model.tetrahedra {
            body.particles.iter().for_each(|&particle| is_rigid[particle] = true);
        }
        for particle in (0..count).filter(|&particle| !is_rigid[particle] || model.masses[particle].is_infinite()) {
            is_other[islands.island(particle)] = true;
        }
        let distances = model.distances.iter().map(|it| it.particles[0]);
        let angles = model.angles.iter().map(|it| it.particles[0]);
        let bends = model.bends.iter().map(|it| it.particles[0]);
        let volumes = model.volumes.iter().map(|it| it.particles[0]);
        let orientations = model.orientations.iter().map(|it| it.first[0]);
        let balls = model.swing_twists.iter().filter(|it| it.compliance > 0.0).map(|it| it.a[0].particles[0]);
        let hinges = model.hinges.iter().filter(|it| it.compliance > 0.0).map(|it| it.a[0].particles[0]);
        let constraints = distances.chain(angles).chain(bends).chain(volumes).chain(orientations);
        constraints.chain(balls).chain(hinges).for_each(|particle| is_other[islands.island(particle)] = true);
        for attachment in &model.attachments {
            let is_between = matches!(attachment.b, Anchor::Point(_)) && attachment.compliance == 0.0;
            let list = if is_between { &mut is_jointed } else { &mut is_other };
            list[islands.island(attachment.a.particles[0])] = true;
        }
        let mut all = Self { list: Vec::new(), of_particles: vec![None; count] };
        for particle in 0..count {
            let island = islands.island(particle);
            if !is_jointed[island] || is_other[island] {
                continue;
            }
            if island == particle {
                all.of_particles[island] = Some(all.list.len());
                all.list.push(LimitedRagdoll { particles: Vec::new(), drives: Vec::new(), mass: 0.0 });
            }
            all.of_particles[particle] = all.of_particles[island];
            if let Some(ragdoll) = all.of_particles[island].map(|place| &mut all.list[place]) {
                ragdoll.particles.push(particle);
                ragdoll.mass += model.masses[particle];
            }
        }
        for (index, drive) in model.drives.iter().enumerate() {
            if let Some(place) = all.of_particles[drive.a[0].particles[0]] {
                all.list[place].drives.push(index);
            }
        }
        all
    }

    /// Number of ragdolls.
    pub fn len(&self) -> usize {
        self.list.len()
    }
}

/// Records the predicted momentum and energy of all ragdolls.
pub(super) fn predicted(fixed: Fixed, state: &State, scratch: &mut Scratch) {
    if !fixed.settings.mode.has_multipliers() {
        return;
    }
    for (ragdoll, predicted) in fixed.constants.ragdolls.list.iter().zip(&mut scratch.predicted) {
        let (momentum, energy) = motion(fixed.model, ragdoll, state);
        *predicted = Predicted { momentum, energy, ..Predicted::default() };
    }
}

/// Scales down the motion of ragdolls that touch static obstacles and exceed the energy limit.
pub(super) fn keep_below(fixed: Fixed, obstacles: &[Obstacle], state: &mut State, scratch: &mut Scratch) {
    let Fixed { model, constants, settings } = fixed;
    if constants.ragdolls.list.is_empty() || !settings.mode.has_multipliers() {
        return;
    }
    find_touching(fixed, obstacles, scratch);
    for (place, (ragdoll, predicted)) in constants.ragdolls.list.iter().zip(&scratch.predicted).enumerate() {
        if !predicted.touches || predicted.meets || is_worked_on(fixed, (place, ragdoll), state, scratch) {
            continue;
        }
        let (momentum, energy) = motion(model, ragdoll, state);
        let stopped = (momentum - predicted.momentum).length_squared() / (2.0 * ragdoll.mass);
        let most = (predicted.energy - stopped).max(0.0);
        if energy > most {
            let share = (most / energy).sqrt();
            for &particle in &ragdoll.particles {
                let moved = state.positions[particle] - state.previous[particle];
                state.previous[particle] = state.positions[particle] - moved * share;
            }
        }
    }
}

/// Records which ragdolls touch something, and which touch something that moves.
fn find_touching(fixed: Fixed, obstacles: &[Obstacle], scratch: &mut Scratch) {
    let constants = fixed.constants;
    let ragdoll_of = |surface: usize| {
        let particle = constants.of_surfaces.get(surface).copied().flatten()?;
        constants.ragdolls.of_particles[particle]
    };
    let stands = |it: &Obstacle| it.velocity == DVec3::ZERO && it.spin == DVec3::ZERO;
    for touching in scratch.contacts.touching() {
        let own = ragdoll_of(touching.surface);
        let (other, moves) = match touching.other {
            Other::Surface(surface) => (ragdoll_of(surface), true),
            Other::Obstacle(index) => (None, !obstacles.get(index).is_some_and(stands)),
        };
        for place in [own, other].into_iter().flatten() {
            // Limbs of one ragdoll that touch each other take nothing from the momentum of the whole.
            if own != other {
                scratch.predicted[place].touches = true;
                scratch.predicted[place].meets |= moves;
            }
        }
    }
}

/// Whether a ragdoll is pinned, dragged, driven or asleep.
fn is_worked_on(fixed: Fixed, (place, ragdoll): (usize, &LimitedRagdoll), state: &State, scratch: &Scratch) -> bool {
    let is_held = |&particle: &usize| scratch.inverse_masses[particle] <= 0.0;
    let is_on = |&drive: &usize| fixed.model.drives[drive].is_on();
    let is_own = |&particle: &usize| fixed.constants.ragdolls.of_particles[particle] == Some(place);
    let is_dragged = state.drags.iter().any(|drag| drag.point.particles.iter().any(is_own));
    is_dragged || ragdoll.particles.iter().any(is_held) || ragdoll.drives.iter().any(is_on)
}

/// Momentum times the substep, and kinetic energy times its square.
fn motion(model: &Model, ragdoll: &LimitedRagdoll, state: &State) -> (DVec3, f64) {
    ragdoll.particles.iter().fold((DVec3::ZERO, 0.0), |(momentum, energy), &particle| {
        let (moved, mass) = (state.positions[particle] - state.previous[particle], model.masses[particle]);
        (momentum + moved * mass, energy + 0.5 * mass * moved.length_squared())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::body::weights_in;
    use crate::particles::objects::Box3;
    use crate::particles::{BallJoint, Placement, Point, Settings, World};
    use glam::DQuat;

    /// Two boxes of 1 and 3 kg joined at a corner, the first on the ground.
    fn pair() -> World {
        let mut model = Model::default();
        for (height, mass) in [(0.1, 1.0), (0.3, 3.0)] {
            let placement = Placement::at(DVec3::Y * height, DQuat::IDENTITY);
            Box3 { mass, ..Box3::new(DVec3::splat(0.2), placement) }.add_to(&mut model).expect("a box");
        }
        let corners = [4, 5, 6, 7].map(|particle| model.positions[particle]);
        let weights = weights_in(&corners, model.positions[0]).expect("a body");
        let b = Anchor::Point(Point { particles: [4, 5, 6, 7], weights });
        model.attachments.push(BallJoint { a: Point::at(0), b, compliance: 0.0 });
        let mut world = World::new(model, Settings::default()).expect("a model");
        world.obstacles.push(Obstacle::ground(0.0).expect("a height"));
        for _ in 0..5 {
            world.step();
        }
        world
    }

    /// Displacement (meters per substep) that remains of `after` if `before` was predicted, the same for all particles.
    fn left(world: &mut World, before: DVec3, after: DVec3) -> DVec3 {
        let World { model, constants, settings, obstacles, state, scratch } = world;
        let fixed = Fixed { model, constants, settings };
        let go = |state: &mut State, by: DVec3| {
            state.previous = state.positions.iter().map(|&position| position - by).collect();
        };
        go(state, before);
        predicted(fixed, state, scratch);
        go(state, after);
        keep_below(fixed, obstacles, state, scratch);
        state.positions[0] - state.previous[0]
    }

    #[test]
    fn what_a_hit_stops_does_not_come_back() {
        let mut world = pair();
        let (down, up) = (DVec3::NEG_Y * 0.02, DVec3::Y * 0.02);
        assert!(left(&mut world, down, up).length() < 1e-15, "thrown back as fast as it came");
        // s² = (1 − (1 + k)²)/k², below 0 for every k > 0; a motion along the ground keeps ½ v² − ½ (v_y)².
        assert!(left(&mut world, down, up * 0.1).length() < 1e-15);
        let (oblique, along) = (DVec3::new(0.03, -0.04, 0.0), DVec3::X * 0.03);
        assert!((left(&mut world, oblique, along) - along).length() < 1e-15, "stopped along the normal and no more");
        let faster = left(&mut world, oblique, along * 1.2);
        let most: f64 = 0.03 * 0.03 + 0.04 * 0.04 - (0.006 * 0.006 + 0.04 * 0.04);
        assert!((faster.length() - most.sqrt()).abs() < 1e-12, "{faster}");
    }

    #[test]
    fn what_flies_or_is_pulled_is_let_be() {
        let (down, up) = (DVec3::NEG_Y * 0.02, DVec3::Y * 0.02);
        let mut world = pair();
        world.scratch.contacts.forget();
        assert_eq!(left(&mut world, down, up), world.state.positions[0] - (world.state.positions[0] - up));
        let mut world = pair();
        world.obstacles[0].velocity = DVec3::Y;
        assert!(left(&mut world, down, up).y > 0.019, "what moves may throw");
        let mut world = pair();
        world.pin(7, DVec3::Y).unwrap();
        world.step();
        assert!(left(&mut world, down, up).y > 0.019, "what is held is pulled");
    }
}
