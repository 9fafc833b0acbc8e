//! What meets in a substep, and when.
//!
//! ```text
//! share τ    gap / way: the share of the substep after which two sides meet
//! later      one of them meets another thing before, which pushes it the same way: no hit, but it may not enter
//! closing    −τ times the impulses of the hits: until they meet, bodies move as before
//! ```
//! Impulses are given as a substep begins. All rows of an island pass on its hits, so all wait for them alike: what is between two
//! bodies would else get more from one than from the other, and be flung by the difference. Specification: mathematics 4.10
//! (H18, H24).

use glam::DVec3;

use super::Scratch;
use super::impulses::faces;
use crate::rigid::forest::Forest;
use crate::rigid::rattle::Mechanism;
use crate::rigid::row::{Contact, Of, Rules};

/// When two bodies meet in a substep.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Share of the substep after which the nearest point of the face meets.
    share: f64,
    /// Way that the two would come nearer in the substep, meters.
    way: f64,
    /// Whether one of them meets something else before, which stops it.
    is_later: bool,
}

/// Meetings of a substep.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    of_contacts: Vec<Option<Meeting>>,
    /// Mean share of the hits of each island by their impulses, and the sum of these.
    of_islands: Vec<[f64; 2]>,
}

impl Scratch {
    /// Finds the impulses without which bodies that meet in this substep come together. What is swept loses its speed at once, but
    /// moves as before the hit until it meets. A body without joints turns as after the hit: only what turns freely keeps its
    /// energy. Rows of such hits are given the gap as what they may close. Returns whether there are any.
    pub(super) fn find_closing(&mut self, mechanism: Mechanism<'_>, rules: &Rules) -> bool {
        let Self { contacts, solver, closing, meetings, .. } = self;
        let Meetings { of_contacts, of_islands } = meetings;
        let forest = mechanism.forest;
        closing.fill([0.0; 6]);
        let share = |contact: usize| {
            let meeting = of_contacts[contact].filter(|meeting| !meeting.is_later)?;
            contacts[contact].comes_together().then_some(meeting.share)
        };
        if !(0..contacts.len()).any(|contact| share(contact).is_some()) {
            return false;
        }
        of_islands.clear();
        of_islands.resize(solver.islands(), [0.0; 2]);
        for (index, row) in solver.rows.iter().enumerate().filter(|(_, row)| row.impulse > 0.0) {
            let Of::Contact(contact) = row.of else { continue };
            if let (Some(share), Some(island)) = (share(contact), solver.island(forest, index)) {
                let [mean, sum] = &mut of_islands[island];
                *sum += row.impulse;
                *mean += (share - *mean) * (row.impulse / *sum);
            }
        }
        let mut own = None;
        for index in 0..solver.rows.len() {
            let of_island = solver.island(forest, index).map_or(0.0, |island| of_islands[island][0]);
            let row = &mut solver.rows[index];
            own = match row.of {
                Of::Contact(index) => share(index).inspect(|_| {
                    let contact = &contacts[index];
                    row.target = contact.velocity.dot(contact.normal) - contact.gap.max(0.0) / rules.step;
                }),
                Of::Tangent => own,
                _ => None,
            };
            let late = own.unwrap_or(of_island) * row.impulse;
            for (body, by) in row.bodies.iter().zip(&row.by) {
                let Some(body) = *body else { continue };
                let parts = if forest.is_single(body) { 3 } else { 6 };
                closing[body].iter_mut().zip(by).take(parts).for_each(|(sum, by)| *sum -= by * late);
            }
        }
        of_islands.iter().any(|[mean, _]| *mean > 0.0)
    }
}

impl Meetings {
    /// Whether a contact is met after another that stops its bodies.
    pub(super) fn is_later(&self, contact: usize) -> bool {
        self.of_contacts[contact].is_some_and(|meeting| meeting.is_later)
    }

    /// Finds which contacts that bounce or are swept meet, at separation speeds `speeds`.
    pub(super) fn find(&mut self, (contacts, speeds): (&[Contact], &[f64]), forest: &Forest, rules: &Rules) {
        let meetings = &mut self.of_contacts;
        let (h, slow) = (rules.step, rules.bounce + rules.kick.length());
        meetings.clear();
        for face in faces(contacts) {
            let speeds = &speeds[meetings.len()..];
            let meeting = |(contact, speed): (&Contact, &f64)| {
                let way = (contact.velocity.dot(contact.normal) - speed) * h;
                let is_hit = contact.spread != DVec3::ZERO || contact.restitution > 0.0 && way > slow * h;
                (is_hit && way > contact.gap).then(|| Meeting {
                    share: contact.gap.max(0.0) / way,
                    way,
                    is_later: false,
                })
            };
            let first = face.iter().zip(speeds).filter_map(meeting).min_by(|a, b| a.share.total_cmp(&b.share));
            meetings.resize(meetings.len() + face.len(), first);
        }
        for later in 0..contacts.len() {
            let Some(own) = meetings[later] else { continue };
            let stops = |(contact, meeting): (&Contact, &Option<Meeting>)| {
                meeting.is_some_and(|meeting| meeting.share < own.share && meeting.way > 0.5 * own.way)
                    && stops_before(contact, &contacts[later], forest)
            };
            let is_later = contacts.iter().zip(&*meetings).any(stops);
            meetings[later] = Some(Meeting { is_later, ..own });
        }
    }
}

/// Whether a contact pushes a body that it shares with another one the same way.
fn stops_before(contact: &Contact, other: &Contact, forest: &Forest) -> bool {
    let sides = |contact: &Contact| [(contact.bodies[0], contact.normal), (contact.bodies[1], -contact.normal)];
    contact.bodies != other.bodies
        && sides(contact).into_iter().any(|(body, normal)| {
            body.is_some_and(|body| forest.has(body))
                && sides(other).iter().any(|&(of, along)| of == body && along.dot(normal) > ALONG)
        })
}

/// Cosine of the angle of two normals above which a body that the first stops no longer comes nearer along the second.
const ALONG: f64 = 0.7;
