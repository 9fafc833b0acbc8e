//! Contacts, ground and phases of a clip, found once for the analysis and the corrections.

use super::carriage::Carriage;
use super::centroidal_rows::CentroidalRows;
use super::contacts::{self, ContactScale, Ground, PointTracks};
use super::continuity::{Continuity, Examined};
use super::cutoff;
use super::flight;
use super::frames::Frames;
use super::momentum::BodyMotion;
use super::motion_artifacts;
use super::phases::{self, PhaseEvidence, Phases};
use super::report::Feet;
use super::settings::Settings;
use super::stance::{self, Size, Stance, rest::Rest, soles};
use crate::character::Character;
use crate::motion::{Clip, WorldMotion};

/// Contacts, ground and world poses of a whole clip, with the scales used to detect contact.
pub(crate) struct ClipContacts {
    /// World poses of all bones.
    pub world: WorldMotion,
    /// Lengths and speeds that contact detection takes from the size of the character.
    pub scale: ContactScale,
    /// Analyzed frames `first..end`.
    pub range: (usize, usize),
    /// True if frame 0 is a stray pose that the analysis leaves out.
    pub foreign: bool,
    pub(super) animated: BodyMotion,
    pub(super) raw: CentroidalRows,
    /// World tracks of the character's contact points.
    pub points: PointTracks,
    /// Estimated height of the floor and velocity of the treadmill.
    pub ground: Ground,
    /// Contact flags: `[point][frame]`, true where the point touches.
    pub touching: Vec<Vec<bool>>,
    /// Stances of the feet, and the force that carries the body.
    pub stance: Stance,
    pub(super) continuity: Continuity,
    /// How far each contact point was raised, so that the soles lie where the stances put them, meters.
    pub(super) lifts: Vec<f64>,
}

impl ClipContacts {
    /// The slowest part of the body in each frame.
    fn rest(&self, character: &Character) -> Rest {
        Rest::new(character, &self.world, &self.stance, &self.frames())
    }

    fn frames(&self) -> Frames {
        Frames { range: self.range, time: self.raw.frame_time }
    }

    /// What the phases follow from, without the supports of actuators.
    fn evidence<'a>(&'a self, character: &Character, rest: &'a Rest, settings: &'a Settings) -> PhaseEvidence<'a> {
        PhaseEvidence {
            stance: &self.stance,
            rest,
            frames: self.frames(),
            size: Size::new(character, self.scale.length),
            marked_flights: &settings.flights,
            marked_supports: &settings.supports,
        }
    }

    /// Skating, floating and penetration of the contact points themselves.
    pub(crate) fn feet_by_points(&self) -> Feet {
        motion_artifacts::feet(&self.points, &self.touching, &self.ground, self.range)
    }

    /// Skating, floating and penetration as [`analyze`](super::analyze) reports them.
    pub(crate) fn feet(&self, character: &Character, clip: &Clip, settings: &Settings) -> Feet {
        self.phases_and_carriage(character, clip, settings).1.feet(self.feet_by_points())
    }

    /// The phases of the clip.
    pub(super) fn phases(&self, character: &Character, clip: &Clip, settings: &Settings) -> Phases {
        let rest = self.rest(character);
        self.phases_by(&self.evidence(character, &rest, settings), clip, settings)
    }

    /// The phases of the clip, and how the body is carried outside its flights.
    pub(super) fn phases_and_carriage(
        &self,
        character: &Character,
        clip: &Clip,
        settings: &Settings,
    ) -> (Phases, Carriage) {
        let rest = self.rest(character);
        let evidence = self.evidence(character, &rest, settings);
        let phases = self.phases_by(&evidence, clip, settings);
        let gravity = |first, end| self.gravity(first, end, settings);
        let weight = self.raw.mass * settings.gravity;
        let carriage = Carriage::new(&evidence, (&phases, &self.continuity), (&gravity, weight), settings);
        (phases, carriage)
    }

    fn phases_by(&self, evidence: &PhaseEvidence<'_>, clip: &Clip, settings: &Settings) -> Phases {
        if let Some(phases) = settings.contacts.as_ref().and_then(|contacts| contacts.phases(clip.frames())) {
            return phases;
        }
        let carried = actuated_frames(&self.raw, settings).map(|frame| (frame, frame));
        let supports: Vec<(usize, usize)> = settings.supports.iter().copied().chain(carried).collect();
        let evidence = PhaseEvidence { marked_supports: &supports, ..*evidence };
        phases::find_phases(&evidence, &|first, end| self.gravity(first, end, settings))
    }

    /// Gravity with which the mass center falls over the frames `first..end`, in units of the true one.
    fn gravity(&self, first: usize, end: usize, settings: &Settings) -> f64 {
        flight::gravity(&self.raw, first, end, settings.gravity)
    }
}

/// Finds the contacts of a clip of `character` as [`analyze`](super::analyze) does. Panics if the clip has another number of bones.
pub(crate) fn standing(character: &Character, clip: &Clip, settings: &Settings) -> ClipContacts {
    let world = WorldMotion::new(&character.skeleton, clip);
    let scale = ContactScale::new(character, &world, settings.gravity);
    let (range, foreign) = analysed_frames(character, clip, &world, &scale, settings);
    let animated = BodyMotion::new(character, &world);
    let frame_time = clip.frame_time;
    let examine = |range: (usize, usize)| {
        let raw = rows(&animated, clip, settings, range);
        let mass_centers = &raw.mass_center;
        let of = Examined { character, world: &world, mass_centers, frame_time, scale: &scale, range };
        let continuity = Continuity::new(&of);
        (raw, continuity)
    };
    let (mut raw, mut continuity) = examine(range);
    // Every frame of a loop is played.
    let is_whole = settings.frames.is_none() && !settings.looped;
    let inner = if is_whole { continuity.without_strays(range) } else { range };
    if inner != range {
        let strays = continuity.jumps.into_iter().filter(|jump| jump.after <= inner.0 || jump.before + 1 >= inner.1);
        let strays: Vec<_> = strays.collect();
        (raw, continuity) = examine(inner);
        continuity.jumps.extend(strays);
        continuity.jumps.sort_by_key(|jump| jump.before);
    }
    let range = inner;
    let terrain = settings.terrain.as_deref();
    let mut points = PointTracks::new(character, &world, clip.frame_time, terrain);
    let frames = Frames { range, time: clip.frame_time };
    let (ground, stance, lifts, touching);
    if let Some(frozen) = settings.contacts.as_ref().filter(|frozen| frozen.fit(&points, clip.frames())) {
        let (its_ground, its_stance, its_lifts, its_touching) = frozen.parts();
        points.lift(its_lifts);
        stance = its_stance.of_motion(&world, &raw.mass_center, &frames, settings.gravity);
        (ground, lifts, touching) = (its_ground, its_lifts.to_vec(), its_touching.to_vec());
    } else {
        let size = (scale.length, settings.gravity);
        let cuts = continuity.cuts();
        let guessed = !character.measured_contacts && !character.contacts.is_empty();
        let found =
            guessed.then(|| stance::find(character, (&world, terrain), &raw.mass_center, (frames, &cuts), size));
        match found.flatten() {
            Some(mut found) => {
                let parts: Vec<usize> =
                    character.contacts.iter().map(|c| found.part_of(character, c.bone, c.position)).collect();
                let guessed = points.lifts(&found, &parts, range);
                let higher = soles::floor_of_soles(&guessed, &parts, scale.adults());
                found.floor = found.floor.map(|floor| floor + higher);
                lifts =
                    guessed.into_iter().map(|lift| if lift == 0.0 { lift } else { lift + higher }).collect::<Vec<_>>();
                points.lift(&lifts);
                let (treadmill, spread) = (found.ground_velocity, found.spread());
                let floor = found.floor.unwrap_or(0.0);
                let slip = contacts::find_slip(&points, &scale, floor, treadmill, range);
                let known = Ground { floor: found.floor, spread, slip, treadmill };
                touching = soles::touching_by_stance(&found, &points, &parts, (&scale, &known), range);
                ground = Ground { floor: settings.stated_floor().or(known.floor), ..known };
                stance = found;
            }
            None => {
                let known = contacts::find_ground(&points, &scale, &raw.mass_center, &raw.acceleration, range);
                ground = Ground { floor: settings.stated_floor().or(known.floor), ..known };
                touching = contacts::find_contacts(&points, &scale, &ground, range);
                let contacts = (&points, touching.as_slice());
                let gravity = settings.gravity;
                stance = Stance::of_contacts(contacts, (&ground, &scale), &raw.mass_center, &frames, gravity);
                lifts = vec![0.0; points.len()];
            }
        }
    }
    ClipContacts { world, scale, range, foreign, animated, raw, points, ground, touching, stance, lifts, continuity }
}

/// Returns the frames to analyze without a stray first frame, and whether there was such a frame.
fn analysed_frames(
    character: &Character,
    clip: &Clip,
    world: &WorldMotion,
    scale: &ContactScale,
    settings: &Settings,
) -> ((usize, usize), bool) {
    let (first, end) = settings.frames.unwrap_or((0, clip.frames()));
    let end = end.clamp(1, clip.frames());
    let range = (first.min(end - 1), end);
    let foreign =
        range.0 == 0 && motion_artifacts::first_frame_is_foreign(world, character.skeleton.len(), scale, range);
    (if foreign { (1, range.1) } else { range }, foreign)
}

/// Frames in which actuators push with more than a hundredth of the weight.
pub(super) fn actuated_frames(rows: &CentroidalRows, settings: &Settings) -> impl Iterator<Item = usize> {
    let least = 0.01 * rows.mass * settings.gravity;
    let frames = settings.actuated.iter().take(rows.mass_center.len()).enumerate();
    frames.filter(move |(_, actuated)| actuated.force.length() > least).map(|(frame, _)| frame)
}

/// Rows of center of mass and momenta of the bodies as animated, without a filter.
fn rows(bodies: &BodyMotion, clip: &Clip, settings: &Settings, range: (usize, usize)) -> CentroidalRows {
    let mut rows = CentroidalRows::zero(bodies, clip.frame_time);
    rows.fill(&bodies.cut(range), settings.velocity, range.0);
    rows
}

/// Rows of center of mass and momenta of the bodies after a low-pass filter over the whole range.
pub(super) fn smooth_rows(
    mut bodies: BodyMotion,
    clip: &Clip,
    settings: &Settings,
    hertz: f64,
    range: (usize, usize),
) -> CentroidalRows {
    cutoff::filter(&mut bodies, hertz, clip.frames_per_second(), range);
    rows(&bodies, clip, settings, range)
}
