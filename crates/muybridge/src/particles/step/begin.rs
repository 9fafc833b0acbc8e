//! Start of a step: inverse masses, start positions, broad phase, waking; then the number of substeps, and damping.

use glam::DVec3;

use super::Fixed;
use crate::collision::Obstacle;
use crate::collision::simplex_contact::bounds;
use crate::collision::sweep::MOST_WAY;
use crate::particles::chains;
use crate::particles::contact::{Ahead, Contacts, ParticleMotion};
use crate::particles::sleep;
use crate::particles::state::State;
use crate::particles::verlet::Damping;
use crate::particles::world::{PreparedModel, Scratch};

/// Returns the number of substeps.
pub(super) fn begin(
    fixed: Fixed,
    obstacles: &[Obstacle],
    state: &mut State,
    scratch: &mut Scratch,
    seconds: f64,
) -> u32 {
    let Fixed { model, constants, settings } = fixed;
    scratch.starts.copy_from_slice(&state.positions);
    constants.cloths.begin(state, &mut scratch.asked);
    for obstacle in obstacles.iter().filter(|obstacle| obstacle.velocity != DVec3::ZERO || obstacle.spin != DVec3::ZERO)
    {
        wake_near(fixed, obstacle, state, scratch, seconds);
    }
    for (drag, pulled) in state.drags.iter().zip(&mut scratch.drags) {
        *pulled = [drag.point.position(&state.positions), DVec3::ZERO, DVec3::ZERO];
    }
    // Woken islands may meet other sleepers: repeats until none wakes.
    loop {
        scratch.sheets.offer(fixed, obstacles, state, &mut scratch.in_lanes, seconds);
        let has_sheets = !scratch.sheets.is_empty();
        if !has_sheets {
            scratch.ragdolls.choose(fixed, obstacles, state, &mut scratch.in_lanes, seconds);
        }
        loop {
            weigh(fixed, state, scratch);
            find(fixed, obstacles, state, scratch, seconds);
            let Scratch { contacts, inverse_masses, in_lanes, sheets, asked, .. } = &mut *scratch;
            let (near, moved) = ((&*contacts, obstacles), (&*state, &inverse_masses[..]));
            if !has_sheets || !sheets.settle(fixed, near, moved, (in_lanes, asked), seconds) {
                break;
            }
        }
        // Sheets look for the colliders of ragdolls, which are left out of the contacts once lanes step them.
        if has_sheets && scratch.ragdolls.choose(fixed, obstacles, state, &mut scratch.in_lanes, seconds) {
            weigh(fixed, state, scratch);
            find(fixed, obstacles, state, scratch, seconds);
        }
        if !model.proxies.is_empty() {
            let Scratch { contacts, proxies, inverse_masses, in_lanes, .. } = &mut *scratch;
            if proxies.choose(model, inverse_masses, may_meet(fixed, contacts), in_lanes) {
                weigh(fixed, state, scratch);
                find(fixed, obstacles, state, scratch, seconds);
            }
        }
        let Scratch { contacts, islands, restless, sheets, ragdolls, .. } = &mut *scratch;
        for [a, b] in sheets.may_meet(constants).chain(ragdolls.may_meet()) {
            islands.join(a, b);
        }
        let meeting = sleep::IslandMeeting { things: &constants.islands, islands };
        let pairs = may_meet(fixed, contacts).chain(sheets.may_meet(constants)).chain(ragdolls.may_meet());
        if !sleep::wake_by_the_restless(meeting, pairs, settings, state, restless) {
            break;
        }
    }
    let Scratch { contacts, islands, free_cloths, inverse_masses, .. } = &mut *scratch;
    free_cloths.choose(fixed, islands, contacts, inverse_masses);
    scratch.is_free = is_free(fixed, state, scratch);
    let usual = settings.substeps_taken();
    let of_chains = chains::substeps(fixed, state, &scratch.inverse_masses, seconds);
    let calm = of_chains.unwrap_or(if scratch.is_free { settings.free_substeps(seconds) } else { usual });
    let at_thin = at_thin(fixed, obstacles, state, scratch, seconds);
    let substeps = calm.max(for_blows(fixed, state, scratch, seconds)).max(at_thin);
    scratch.asked.iter().zip(&mut state.blows).for_each(|(asked, blow)| asked.keep(blow, seconds));
    let h = seconds / f64::from(substeps);
    let held = (&state.pins[..], &scratch.in_lanes[..]);
    if !super::is_at_rest(state, scratch) && scratch.prepared.is_outdated(model, held, h) {
        scratch.prepared = PreparedModel::of(model, &constants.islands, held, h);
    }
    let damping = if settings.mode.has_multipliers() { Damping::new } else { Damping::of_sources };
    for object in &model.objects {
        scratch.damping[object.particles.clone()].fill(damping(object.drag, h));
    }
    for (drive, driven) in model.drives.iter().zip(&mut scratch.driven) {
        *driven = drive.of_step(h, settings.substeps, &state.positions);
    }
    substeps
}

/// Substeps of a step in which bodies run into cloth; 0 if none does.
fn for_blows(Fixed { constants, settings, .. }: Fixed, state: &State, scratch: &mut Scratch, seconds: f64) -> u32 {
    if !settings.mode.has_multipliers() {
        return 0;
    }
    let (usual, of_surfaces) = (f64::from(settings.substeps_taken()), &constants.of_surfaces);
    let Scratch { contacts, inverse_masses, in_lanes, asked, .. } = scratch;
    let moves = |surface: usize| of_surfaces[surface].is_some_and(|it| inverse_masses[it] > 0.0);
    let pairs = contacts.may_meet().filter(|pair| pair.iter().all(|&it| moves(it)));
    let needed = constants.cloths.ask(state, pairs, in_lanes, asked) * seconds * (usual / USUAL_SUBSTEPS);
    libm::ceil(needed.min(MOST_TIMES * usual)) as u32
}

/// Substeps of a step in which bodies may meet thin obstacles; 0 if none may.
fn at_thin(fixed: Fixed, obstacles: &[Obstacle], state: &State, scratch: &Scratch, seconds: f64) -> u32 {
    let motion = motion(state, &scratch.inverse_masses);
    let way = scratch.contacts.way_at_thin(obstacles, &motion, &ahead(fixed, state, seconds));
    let most = MOST_TIMES * f64::from(fixed.settings.substeps_taken());
    libm::ceil((way / MOST_WAY).min(most)) as u32
}

/// Substeps for which the need of blows is known, and the greatest number, in those of the settings.
const USUAL_SUBSTEPS: f64 = 64.0;
const MOST_TIMES: f64 = 24.0;

/// Whether only free bodies move in this step, and nothing but gravity drives them; see [`Settings::lanes`].
///
/// [`Settings::lanes`]: crate::particles::Settings::lanes
fn is_free(Fixed { constants, settings, .. }: Fixed, state: &State, scratch: &Scratch) -> bool {
    let moves = |particle: &usize| scratch.inverse_masses[*particle] > 0.0;
    let is_free = |particle: usize| constants.is_free[particle] && state.forces[particle] == DVec3::ZERO;
    let mut moving = (0..state.positions.len()).filter(moves).peekable();
    settings.lanes && state.drags.is_empty() && moving.peek().is_some() && moving.all(is_free)
}

/// Inverse masses in this step: 0 for what is pinned, asleep or in lanes.
fn weigh(Fixed { constants, settings, .. }: Fixed, state: &State, scratch: &mut Scratch) {
    let steps = settings.steps_to_rest();
    for (particle, weight) in scratch.inverse_masses.iter_mut().enumerate() {
        let held = scratch.in_lanes[particle]
            || state.pins[particle].is_some()
            || sleep::is_long(state.rested[particle], steps);
        *weight = if held { 0.0 } else { constants.inverse_masses[particle] };
    }
}

/// Wakes the islands that a moving obstacle may come near during the step.
fn wake_near(fixed: Fixed, obstacle: &Obstacle, state: &mut State, scratch: &mut Scratch, seconds: f64) {
    let size = bounds(&obstacle.shape).map(|bounds| bounds.least.abs().max(bounds.most.abs()).length());
    let reach = size.unwrap_or(f64::INFINITY) + obstacle.velocity.length() * seconds + FARTHEST_SKIN;
    let islands = &fixed.constants.islands;
    scratch.restless.fill(false);
    for (particle, position) in state.positions.iter().enumerate() {
        let near = position.distance_squared(obstacle.position) <= reach * reach;
        scratch.restless[islands.island(particle)] |= near;
    }
    for (particle, rested) in state.rested.iter_mut().enumerate() {
        if scratch.restless[islands.island(particle)] {
            *rested = 0;
        }
    }
}

/// Distance of a collider's skin from its nearest particle that is rarely exceeded, meters.
const FARTHEST_SKIN: f64 = 0.5;

/// Runs the broad phase and joins the islands of colliders that may meet in this step.
fn find(fixed: Fixed, obstacles: &[Obstacle], state: &State, scratch: &mut Scratch, seconds: f64) {
    let Scratch { contacts, islands, inverse_masses, in_lanes, .. } = scratch;
    contacts.find(obstacles, &motion(state, inverse_masses), &ahead(fixed, state, seconds), in_lanes);
    islands.copy_from(&fixed.constants.islands);
    for [a, b] in may_meet(fixed, contacts) {
        islands.join(a, b);
    }
}

fn motion<'a>(state: &'a State, inverse_masses: &'a [f64]) -> ParticleMotion<'a> {
    ParticleMotion { positions: &state.positions, previous: &state.previous, inverse_masses }
}

fn ahead(fixed: Fixed, state: &State, seconds: f64) -> Ahead {
    Ahead { seconds, last_substep: state.last_substep, gravity: fixed.settings.acceleration() }
}

/// Pairs of movable particles of colliders that may meet in this step.
fn may_meet(fixed: Fixed, contacts: &Contacts) -> impl Iterator<Item = [usize; 2]> {
    let of_surfaces = &fixed.constants.of_surfaces;
    contacts.may_meet().filter_map(|[a, b]| Some([of_surfaces[a]?, of_surfaces[b]?]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::Obstacle;
    use crate::particles::objects::Box3;
    use crate::particles::{Model, Placement, Settings, World};
    use glam::DQuat;

    #[test]
    fn j42_what_hits_a_sleeper_gives_it_its_share_and_no_wall_takes_the_rest() {
        // 20 kg at 6 m/s on ice against a row of two boxes of 2 kg that have slept for a second.
        let mut model = Model::default();
        for (x, mass, speed) in [(-8.0, 20.0, 6.0), (0.0, 2.0, 0.0), (0.301, 2.0, 0.0)] {
            let place = Placement::at(DVec3::new(x, 0.15, 0.0), DQuat::IDENTITY);
            let placement = Placement { velocity: DVec3::X * speed, ..place };
            let mut one = Box3 { mass, ..Box3::new(DVec3::splat(0.3), placement) };
            one.traits.friction = 0.0;
            one.add_to(&mut model).expect("a box");
        }
        let mut world = World::new(model, Settings::default()).expect("a model");
        world.obstacles.push(Obstacle::ground(0.0).expect("a height").with_friction(0.0));
        let mut slept = false;
        for step in 0..120 {
            slept |= world.is_asleep(4) && world.is_asleep(8);
            world.step();
            assert!((world.momentum().x - 120.0).abs() < 1e-6, "step {step}: {}", world.momentum());
            let energy = |particle: usize| 0.5 * world.model().masses[particle] * world.velocity(particle).x.powi(2);
            let all: f64 = (0..12).map(energy).sum();
            assert!(all <= 360.0 + 1e-3, "step {step}: {all} J");
        }
        assert!(slept);
        // A sleeper treated as immovable would throw the box back; a light pair leaves a heavy box nearly as fast as
        // before.
        let speeds = [0, 4, 8].map(|first| world.velocity(first).x);
        assert!(speeds[0] > 4.0 && speeds[0] <= speeds[1] && speeds[1] <= speeds[2], "{speeds:?}");
    }
}
