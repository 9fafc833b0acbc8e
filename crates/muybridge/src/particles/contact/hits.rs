//! Hits between bodies without joints, one after the other in the order of time, before all other contacts of a substep.
//!
//! ```text
//! first touch   τ of each pair on its way, by conservative advancement (J37); the earliest is next
//! impulse       v⁺_i ≥ −e v⁻_i,  λ_i ≥ 0,  one or the other zero, of all points that touch at τ;   ‖λ_t‖ ≤ μ λ
//! after it      both go on from there, and may meet others, or each other, until the substep ends
//! ```
//! A contact that is solved at the end of a substep has the normal of bodies that have gone through each other: two balls that meet
//! off-center would part in a wrong direction, and a row of balls would not pass a hit on. What rests on something that holds it against
//! the hit is left to the other contacts, which push everything together. A hit with friction whose points turn into each other
//! could gain energy; its impulse is scaled to what was there.
//! Specification: mathematics 3.3, 3.4, 3.16 (J37), 4.10 (H18).

use glam::DVec3;

use super::flight::{Flight, FlyingBody, Ways};
use super::kept::PairMemory;
use super::law::ContactConstraint;
use super::room::{ContactCapacity, make_room};
use super::surfaces::Surfaces;
use crate::collision::swept::{Swept, meeting};
use crate::collision::{Manifold, manifold::ManifoldPoint};

/// Hits of bodies without joints in a substep.
#[derive(Clone, Debug, Default)]
pub(super) struct FreeHits {
    flights: Vec<Flight>,
    /// Index into `flights` for each body of the model; [`ABSENT`] if it has none, [`FIXED`] if it does not fly.
    of_bodies: Vec<u32>,
    /// Time of the last hit of each body in this substep.
    last: Vec<Option<f64>>,
    /// Pairs of colliders that have hit each other in this step.
    pub met: Vec<[usize; 2]>,
    pairs: Vec<FlyingPair>,
    rests: Vec<Rest>,
    /// Whether something that does not fly holds up the flight of that index.
    is_held: Vec<bool>,
}

/// Two colliders of bodies in flight.
#[derive(Clone, Copy, Debug)]
struct FlyingPair {
    /// Index of the pair.
    index: usize,
    surfaces: [usize; 2],
    flights: [usize; 2],
    /// Hits that are still allowed in this substep, and the least approach of the next, meters.
    left: u32,
    slow: f64,
    /// Whether one pushed the other in the last substep.
    rests: bool,
    /// Time of the next hit, and its points.
    next: Option<(f64, Manifold)>,
}

/// Something that pushed a body in the last substep.
#[derive(Clone, Copy, Debug)]
struct Rest {
    flight: usize,
    /// What pushed it; `None` for what does not fly.
    on: Option<usize>,
    /// Where, meters, and in which direction.
    place: DVec3,
    normal: DVec3,
}

/// World of a substep in which bodies fly.
#[derive(Clone, Copy)]
pub(in crate::particles) struct FlightScene<'a> {
    /// Whether a particle has no constraint but those of its rigid body.
    pub is_free: &'a [bool],
    pub inverse_masses: &'a [f64],
    /// Acceleration of gravity times the square of the substep, meters.
    pub fall: DVec3,
}

const ABSENT: u32 = u32::MAX;
const FIXED: u32 = u32::MAX - 1;

/// Most hits of a pair in a substep.
const MOST_HITS: u32 = 16;

/// Rounds over the points of a hit, and the change of an impulse at which they end, as a share of the greatest.
const ROUNDS: u32 = 200;
const EXACT: f64 = 1e-14;

/// Least approach in a substep that is a hit without gravity, as a share of the smaller reach.
const STILL: f64 = 1e-9;

/// Least approach in a substep of what touches already, as a share of the smaller reach: it slides or rolls rather than hits. In a
/// heap, what lies on it may push as much.
const SLIDES: f64 = 1e-3;
const SLIDES_HELD: f64 = 2e-2;

/// Least approach of a pair that hits again, as a share of the last: less is the turning of the two within the substep.
const AGAIN: f64 = 1e-2;

/// Share of its motion that a hit may give a point into what it rests on.
const HELD: f64 = 0.3;

impl FreeHits {
    pub fn reserve(&mut self, room: &ContactCapacity, bodies: usize) {
        make_room(&mut self.flights, bodies);
        make_room(&mut self.of_bodies, bodies);
        make_room(&mut self.last, bodies);
        make_room(&mut self.met, room.pairs);
        make_room(&mut self.pairs, room.pairs);
        make_room(&mut self.rests, 2 * room.contacts);
        make_room(&mut self.is_held, bodies);
    }

    /// Begins a substep of `bodies` bodies.
    pub fn begin(&mut self, bodies: usize) {
        self.last.clear();
        self.last.resize(bodies, None);
    }

    /// Lets the bodies of these pairs of colliders hit each other. `contacts` are those of the last substep. Returns the number of hits.
    pub fn apply(
        &mut self,
        (surfaces, pairs, memory): (&Surfaces, &[[u32; 2]], &mut [PairMemory]),
        contacts: &[ContactConstraint],
        ways: &mut Ways,
        scene: FlightScene,
    ) -> u64 {
        self.start((surfaces, pairs), ways, scene);
        memory.iter_mut().for_each(|pair| pair.has_hit = false);
        if self.pairs.is_empty() {
            return 0;
        }
        self.find_rests(surfaces, contacts, ways.previous);
        for index in 0..self.pairs.len() {
            self.look(index, (surfaces, ways));
        }
        let mut count = 0;
        while let Some((index, (time, manifold))) = self.next() {
            let pair = &mut self.pairs[index];
            (pair.left, pair.next) = (pair.left - 1, None);
            let flights = pair.flights;
            let skins = pair.surfaces.map(|surface| &surfaces.list[surface]);
            let bodies = flights.map(|flight| self.flights[flight].at(time));
            let after = hit(bodies, &manifold, surfaces.between(skins));
            count += 1;
            let pair = &mut self.pairs[index];
            pair.slow = pair.slow.max(AGAIN * approach(&bodies, &manifold));
            if self.pushes_back(flights, &bodies, &after) {
                self.pairs[index].left = 0;
                continue;
            }
            let met = self.pairs[index].surfaces;
            if !self.met.contains(&met) {
                self.met.push(met);
            }
            for (flight, after) in flights.into_iter().zip(&after) {
                self.flights[flight].go_on(time, after, ways, scene.inverse_masses);
            }
            skins.iter().filter_map(|skin| skin.body).for_each(|body| self.last[body] = Some(time));
            for other in 0..self.pairs.len() {
                if self.pairs[other].flights.iter().any(|flight| flights.contains(flight)) {
                    self.look(other, (surfaces, ways));
                }
            }
        }
        for pair in self.pairs.iter().filter(|pair| pair.left > 0) {
            let mut surfaces_hit = pair.surfaces.iter().filter_map(|&surface| self.last_hit(surfaces, surface));
            let is_hit = pair.left < MOST_HITS || (!pair.rests && surfaces_hit.next().is_some());
            memory[pair.index].has_hit = is_hit;
        }
        count
    }

    /// Collects what may hit something.
    fn start(&mut self, (surfaces, pairs): (&Surfaces, &[[u32; 2]]), ways: &Ways, scene: FlightScene) {
        self.flights.clear();
        self.pairs.clear();
        self.of_bodies.clear();
        self.of_bodies.resize(surfaces.bodies.len(), ABSENT);
        let slow = 2.0 * scene.fall.length();
        for (index, pair) in pairs.iter().enumerate() {
            let pair = pair.map(|surface| surface as usize);
            let [Some(first), Some(second)] = pair.map(|surface| self.flight(surfaces, surface, ways, scene)) else {
                continue;
            };
            self.pairs.push(FlyingPair {
                index,
                surfaces: pair,
                flights: [first, second],
                left: MOST_HITS,
                slow,
                rests: false,
                next: None,
            });
        }
    }

    /// Index of the flight of the body of a collider; `None` if it does not fly freely.
    fn flight(&mut self, surfaces: &Surfaces, surface: usize, ways: &Ways, scene: FlightScene) -> Option<usize> {
        let skin = &surfaces.list[surface];
        let body = skin.body.filter(|_| surfaces.convex[surface].is_some() && !skin.is_proxy)?;
        let place = &mut self.of_bodies[body];
        if *place == ABSENT {
            let particles = surfaces.bodies[body];
            let is_free = particles.iter().all(|&it| scene.is_free[it] && scene.inverse_masses[it] > 0.0);
            let flight = if is_free { Flight::new(particles, ways, scene.inverse_masses) } else { None };
            *place = flight.map_or(FIXED, |flight| {
                self.flights.push(flight);
                self.flights.len() as u32 - 1
            });
        }
        (*place != FIXED).then_some(*place as usize)
    }

    /// Finds the next hit of a pair.
    fn look(&mut self, index: usize, (surfaces, ways): (&Surfaces, &Ways)) {
        let pair = self.pairs[index];
        if pair.left == 0 {
            return;
        }
        let time = pair.surfaces.iter().filter_map(|&surface| self.last_hit(surfaces, surface)).fold(0.0, f64::max);
        let of = |side: usize| surfaces.swept(pair.surfaces[side], &self.flights[pair.flights[side]], ways.previous);
        self.pairs[index].next = match [of(0), of(1)] {
            [Some(a), Some(b)] => {
                let slides = |(t, met): &(f64, Manifold)| {
                    let bodies = pair.flights.map(|flight| self.flights[flight].at(*t));
                    let is_held = pair.flights.iter().any(|&flight| self.is_held[flight]);
                    let most = if is_held { SLIDES_HELD } else { SLIDES } * a.reach.min(b.reach);
                    *t == 0.0 && (pair.rests || approach(&bodies, met) <= most)
                };
                let least = STILL * a.reach.min(b.reach);
                meeting([&a, &b], [time, 1.0], pair.slow.max(least)).filter(|next| !slides(next))
            }
            _ => None,
        };
    }

    /// The earliest hit.
    fn next(&self) -> Option<(usize, (f64, Manifold))> {
        let mut first: Option<(usize, (f64, Manifold))> = None;
        for (index, pair) in self.pairs.iter().enumerate() {
            if let Some(next) = pair.next
                && first.is_none_or(|(_, (time, _))| next.0 < time)
            {
                first = Some((index, next));
            }
        }
        first
    }

    /// Finds what holds bodies up: what does not fly, and what that holds up.
    fn find_rests(&mut self, surfaces: &Surfaces, contacts: &[ContactConstraint], previous: &[DVec3]) {
        let Self { flights, of_bodies, pairs, rests, is_held, .. } = self;
        let flight = |surface: usize| {
            let flight = surfaces.list[surface].body.map_or(ABSENT, |body| of_bodies[body]);
            (flight < FIXED).then_some(flight as usize)
        };
        rests.clear();
        for contact in contacts.iter().filter(|contact| contact.lasts()) {
            let mut sides = contact.surfaces();
            let surfaces = [sides.next(), sides.next()];
            if let [Some(a), Some(b)] = surfaces
                && let Ok(index) = pairs.binary_search_by_key(&[a, b], |pair| pair.surfaces)
            {
                pairs[index].rests = true;
            }
            let both = surfaces.map(|surface| surface.and_then(flight));
            for (side, normal) in [(0, contact.normal()), (1, -contact.normal())] {
                let place = contact.side(side).lever.position(previous);
                rests.extend(both[side].map(|flight| Rest { flight, on: both[1 - side], place, normal }));
            }
        }
        is_held.clear();
        is_held.resize(flights.len(), false);
        let mut more = true;
        while core::mem::take(&mut more) {
            for rest in rests.iter() {
                if rest.on.is_none_or(|on| is_held[on]) {
                    more |= !core::mem::replace(&mut is_held[rest.flight], true);
                }
            }
        }
        rests.retain(|rest| rest.on.is_none_or(|on| is_held[on]));
    }

    /// When the body of a collider was last hit in this substep.
    pub fn last_hit(&self, surfaces: &Surfaces, surface: usize) -> Option<f64> {
        surfaces.list[surface].body.and_then(|body| *self.last.get(body)?)
    }

    /// Whether something that holds one of two bodies up pushes back at once.
    fn pushes_back(&self, flights: [usize; 2], before: &[FlyingBody; 2], after: &[FlyingBody; 2]) -> bool {
        self.rests.iter().any(|rest| {
            flights.iter().zip(before.iter().zip(after)).filter(|(flight, _)| **flight == rest.flight).any(
                |(_, (before, after))| {
                    let arm = rest.place - before.center;
                    let gained = after.moved(arm) - before.moved(arm);
                    gained.dot(rest.normal) < -HELD * gained.length()
                },
            )
        })
    }
}

impl Surfaces {
    /// A collider on its way within a substep.
    fn swept(&self, surface: usize, flight: &Flight, previous: &[DVec3]) -> Option<Swept<'_>> {
        let (shape, skin) = (self.convex[surface].as_ref()?, &self.list[surface]);
        let (pose, reach) = flight.posed(skin, self.solid(surface), previous);
        let velocities = (flight.shift, flight.turn);
        let skin = if skin.solid.is_some() { skin.radius } else { 0.0 };
        Some(Swept { shape, pose, center: flight.center, velocities, reach, skin })
    }
}

/// Greatest approach of two bodies at points of a hit, in a substep, meters.
fn approach(bodies: &[FlyingBody; 2], manifold: &Manifold) -> f64 {
    let of = |point: &ManifoldPoint| -apart(bodies, arms(bodies, point)).dot(manifold.normal);
    manifold.points().iter().map(of).fold(0.0, f64::max)
}

/// Vectors from the centers of two bodies to a point where they hit each other, meters.
fn arms(bodies: &[FlyingBody; 2], point: &ManifoldPoint) -> [DVec3; 2] {
    bodies.map(|body| 0.5 * (point.on_a + point.on_b) - body.center)
}

/// Displacement of the first from the second at a point, in a substep, meters.
fn apart(bodies: &[FlyingBody; 2], arms: [DVec3; 2]) -> DVec3 {
    bodies[0].moved(arms[0]) - bodies[1].moved(arms[1])
}

/// Two bodies after a hit with this friction and restitution at these points.
fn hit(before: [FlyingBody; 2], manifold: &Manifold, (friction, restitution): (f64, f64)) -> [FlyingBody; 2] {
    let (points, normal) = (manifold.points(), manifold.normal);
    let mobility =
        |arms: [DVec3; 2], along: DVec3| before[0].mobility(arms[0], along) + before[1].mobility(arms[1], along);
    let (mut bodies, mut pushes, mut slides) = (before, [0.0_f64; 4], [DVec3::ZERO; 4]);
    for _ in 0..ROUNDS {
        let (mut change, mut greatest) = (0.0_f64, 0.0_f64);
        for (i, point) in points.iter().enumerate() {
            let arms = arms(&before, point);
            let mut push = |bodies: &mut [FlyingBody; 2], impulse: DVec3| {
                bodies[0].push(arms[0], impulse);
                bodies[1].push(arms[1], -impulse);
                change = change.max(impulse.length());
            };
            let wanted = restitution * (-apart(&before, arms).dot(normal)).max(0.0);
            let lacks = wanted - apart(&bodies, arms).dot(normal);
            let more = (lacks / mobility(arms, normal)).max(-pushes[i]);
            pushes[i] += more;
            push(&mut bodies, normal * more);
            let slip = apart(&bodies, arms).reject_from_normalized(normal);
            if friction > 0.0 && slip != DVec3::ZERO {
                let held = slides[i] - slip / mobility(arms, slip.normalize());
                let slide = held.clamp_length_max(friction * pushes[i]);
                push(&mut bodies, slide - slides[i]);
                slides[i] = slide;
            }
            greatest = greatest.max(pushes[i]);
        }
        if change <= EXACT * greatest {
            break;
        }
    }
    scaled(&before, bodies)
}

/// The bodies with the share of the impulse with which they have no more energy than before.
fn scaled(before: &[FlyingBody; 2], after: [FlyingBody; 2]) -> [FlyingBody; 2] {
    let energy = |bodies: &[FlyingBody; 2]| bodies[0].energy() + bodies[1].energy();
    let gained: [[DVec3; 2]; 2] =
        [0, 1].map(|side: usize| [0, 1].map(|part: usize| after[side].momenta[part] - before[side].momenta[part]));
    let part = |share: f64| {
        let mut bodies = *before;
        for (body, gained) in bodies.iter_mut().zip(&gained) {
            body.momenta.iter_mut().zip(gained).for_each(|(momentum, gained)| *momentum += *gained * share);
        }
        bodies
    };
    let (least, most) = (energy(before), energy(&after));
    // T(s) = T + s a + s² b, with b from the impulse alone.
    let square = 0.5 * (most + energy(&part(-1.0))) - least;
    let share = (square - (most - least)) / square;
    if most > least && (0.0..1.0).contains(&share) { part(share) } else { after }
}
