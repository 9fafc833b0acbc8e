//! Entry point of the analysis: takes a character and a clip, returns an [`Analysis`]. The lines of [`analyze`] are its stages.

use glam::DVec3;

use super::centroidal_rows::CentroidalRows;
use super::clip_contacts::{ClipContacts, actuated_frames, smooth_rows, standing};
use super::contact_wrench::Demand;
use super::contacts::{self, ContactScale, Ground, PointTracks};
use super::continuity::{self, Examined};
use super::cutoff;
use super::feasibility::Missing;
use super::findings::{self, FindingContext};
use super::flight;
use super::frames::Frames;
use super::momentum::BodyMotion;
use super::phases::Phases;
use super::report::{Analysis, Balance, Flight, PerFrame, Span, Verdict};
use super::residual::{self, Bearing};
use super::settings::{Actuated, Settings};
use super::support;
use super::terrain::Terrain;
use super::zero_moment_point::{self, SupportPlane};
use super::{motion_artifacts, no_body, overflow};
use crate::character::{Character, Role};
use crate::math::hull::ConvexPolygon;
use crate::motion::{Clip, WorldMotion};

/// Analyzes a clip of `character`, both in meters and y up. Any clip of the character's skeleton is accepted: a quantity
/// that cannot be known is `None` in the result, never an error. Panics if the clip has another number of bones.
pub fn analyze(character: &Character, clip: &Clip, settings: &Settings) -> Analysis {
    let found = standing(character, clip, settings);
    let (phases, carriage) = found.phases_and_carriage(character, clip, settings);
    let ClipContacts {
        world, scale, range, foreign, animated, raw, points, ground, touching, stance, continuity, ..
    } = found;
    let bearing = contacts::find_bearing(&points, &touching, &scale, &ground, range);
    let touches = Touches {
        points: &points,
        touching: &touching,
        bearing: &bearing,
        scale: &scale,
        ground: &ground,
        terrain: settings.terrain.as_deref(),
    };
    let subject = Subject::new(character, clip, settings, range);

    let flies = !phases.flights.is_empty();
    let cutoff = cutoff::choose(&raw.mass_center[range.0..range.1], settings.cutoff, clip.frames_per_second(), flies);
    let flights = flights(&subject, &phases, &animated, &raw, (&scale, cutoff.hertz));
    let actuated = efforts(&subject, cutoff.hertz);
    let smooth = cutoff.hertz.map(|hertz| smooth_rows(animated, clip, settings, hertz, range));
    let demands = demands(&subject, smooth.as_ref().unwrap_or(&raw), &actuated);
    let unseen = unseen_support(&subject, &phases, &raw);
    let support =
        judge_support(&subject, &touches, &demands, &actuated, Uncarried { flights: &flights, unseen: &unseen });
    let seats = seats(&subject, character, &world, &touches, &support);
    let unseen_support = with_seats(&subject, unseen, &seats);
    let support = support.without(&seats);

    let (mass_centers, frame_time) = (&raw.mass_center, clip.frame_time);
    let examined = Examined { character, world: &world, mass_centers, frame_time, scale: &scale, range };
    let missing = residuals(&subject, &touches, &demands, &actuated);

    let circumstances = FindingContext {
        limits: &settings.limits,
        scale,
        carriage: &carriage,
        load: &demands.load(subject.weight()),
        beside_support: &phases.beside_support,
        jitter: continuity::jitter(&examined),
        rounding: continuity::rounding(&examined, ROUNDING_BY_NOISE * settings.limits.jitter_m[0] * scale.adults()),
        continuity: &continuity,
        stance: &stance,
        loop_seam: settings.looped.then(|| motion_artifacts::loop_seam(&world, clip.bones(), range)).flatten(),
        foreign_first_frame: foreign,
    };
    let mut analysis = Analysis {
        clip: clip.name.clone(),
        frames: clip.frames(),
        frames_per_second: clip.frames_per_second(),
        bones: character.skeleton.bones().iter().map(|b| b.name.clone()).collect(),
        roles: character.roles.iter().enumerate().filter_map(|(bone, role)| Some(((*role)?, bone))).collect(),
        gravity: settings.gravity,
        cutoff_hz: cutoff.hertz,
        cutoff_source: cutoff.source,
        mass: subject.mass,
        body_source: character.body_source.clone(),
        no_body: no_body::why_no_body(character, clip, range),
        segments: character.bodies.iter().enumerate().filter(|(_, b)| b.mass > 0.0).map(|(i, b)| (i, b.mass)).collect(),
        floor: touches.floor(),
        treadmill: ground.treadmill,
        range,
        residual: residual::summary(&missing, subject.weight(), scale.length, &subject.time),
        per_frame: PerFrame {
            time: subject.time,
            mass_center: demands.mass_center,
            mass_center_velocity: demands.velocity,
            mass_center_acceleration: demands.acceleration,
            linear_momentum: demands.linear_momentum,
            angular_momentum: demands.angular_momentum,
            angular_momentum_rate: demands.angular_momentum_rate,
            ground_force: demands.ground_force,
            zero_moment_point: support.zero_moment_point,
            support_margin: support.margin,
            support_area: support.area,
            residual_force: missing.iter().map(|one| one.map(|one| one.force)).collect(),
            residual_moment: missing.iter().map(|one| one.map(|one| one.moment)).collect(),
            support_polygon: support.polygon,
            contacts: support.contacts,
        },
        flights,
        unseen_support,
        feet: carriage.feet(motion_artifacts::feet(&points, &touching, &ground, range)),
        balance: support.balance,
        findings: Vec::new(),
        verdict: Verdict::Undecided,
    };
    analysis.findings = findings::findings(&analysis, &circumstances);
    analysis.verdict = findings::verdict(&analysis);
    overflow::without_overflow(analysis)
}

/// Length to which positions are rounded over the deviation of that rounding: √12.
const ROUNDING_BY_NOISE: f64 = 3.464_101_615_137_754_6;

/// The clip and the settings that every stage of [`analyze`] is given.
struct Subject<'a> {
    clip: &'a Clip,
    settings: &'a Settings,
    /// Total mass of the character, kg.
    mass: f64,
    /// Time of each frame, seconds.
    time: Vec<f64>,
    /// Analyzed frames `first..end`.
    range: (usize, usize),
}

impl<'a> Subject<'a> {
    fn new(character: &Character, clip: &'a Clip, settings: &'a Settings, range: (usize, usize)) -> Self {
        let time = (0..clip.frames()).map(|frame| clip.time(frame)).collect();
        Self { clip, settings, mass: character.mass(), time, range }
    }

    /// Weight of the character, newtons.
    fn weight(&self) -> f64 {
        self.mass * self.settings.gravity
    }

    fn span(&self, first: usize, last: usize) -> Span {
        Span::of_frames(&self.time, first, last)
    }
}

/// The contact points of the character, and which of them touch and bear the body.
struct Touches<'a> {
    points: &'a PointTracks,
    /// Whether a point touches: `[point][frame]`.
    touching: &'a [Vec<bool>],
    /// Whether a point carries weight: `[point][frame]`.
    bearing: &'a [Vec<bool>],
    scale: &'a ContactScale,
    ground: &'a Ground,
    /// The ground where it is uneven: then heights of spots and of the floor are those over it.
    terrain: Option<&'a Terrain>,
}

impl Touches<'_> {
    /// Places of the points that bear the body in a frame, meters.
    fn bearing_places(&self, frame: usize) -> impl Iterator<Item = DVec3> {
        let bears = (0..self.points.len()).filter(move |&point| self.bearing[point][frame]);
        bears.map(move |point| self.points.place(point, frame))
    }

    /// The plane on which the body stands in a frame: the level floor, or that of the places that bear it.
    fn plane(&self, frame: usize, floor: f64, center: DVec3) -> SupportPlane {
        let Some(terrain) = self.terrain else { return SupportPlane::level(floor) };
        terrain.plane(&self.bearing_places(frame).collect::<Vec<_>>(), center)
    }

    /// Height of the floor, meters; of uneven ground the middle height of the places that bear the body. `None` where nothing rests.
    fn floor(&self) -> Option<f64> {
        if self.terrain.is_none() {
            return self.ground.floor;
        }
        let frames = 0..self.bearing.first().map_or(0, Vec::len);
        contacts::median(frames.flat_map(|frame| self.bearing_places(frame)).map(|place| place.y).collect())
    }
}

/// The motion of the mass center and the forces that it needs, one entry per frame of the clip; `None` outside the analyzed frames.
struct Demands {
    /// Meters.
    mass_center: Vec<Option<DVec3>>,
    /// m/s.
    velocity: Vec<Option<DVec3>>,
    /// m/s².
    acceleration: Vec<Option<DVec3>>,
    /// kg m/s.
    linear_momentum: Vec<Option<DVec3>>,
    /// About the mass center, kg m²/s.
    angular_momentum: Vec<Option<DVec3>>,
    /// kg m²/s².
    angular_momentum_rate: Vec<Option<DVec3>>,
    /// Force of the ground on the body, newtons.
    ground_force: Vec<Option<DVec3>>,
}

/// Spans in which no ground carries the body, or not the ground that the clip shows.
struct Uncarried<'a> {
    flights: &'a [Flight],
    unseen: &'a [Span],
}

/// Contacts, support polygon and zero-moment point, one entry per frame of the clip.
struct Support {
    /// Indices of the bones that touch, ascending.
    contacts: Vec<Vec<usize>>,
    /// Corners of the support polygon on the floor, meters; empty without contact.
    polygon: Vec<Vec<DVec3>>,
    /// On the floor, meters; `None` in flight.
    zero_moment_point: Vec<Option<DVec3>>,
    /// Distance of the zero-moment point to the edge of the polygon, meters, positive inside; `None` where either is missing.
    margin: Vec<Option<f64>>,
    area: Vec<Option<f64>>,
    balance: Balance,
}

/// True if the first frame of a clip is a stray pose, such as a T-pose that an exporter put before the motion. A ragdoll that follows the clip
/// would be thrown by the step to the next frame. Panics if the clip has another number of bones.
pub fn begins_elsewhere(character: &Character, clip: &Clip) -> bool {
    let first = clip.cut(0, clip.frames().min(motion_artifacts::LOOKED_AT));
    let world = WorldMotion::new(&character.skeleton, &first);
    let scale = ContactScale::new(character, &world, Settings::default().gravity);
    motion_artifacts::first_frame_is_foreign(&world, character.skeleton.len(), &scale, (0, first.frames()))
}

/// Forces and moments of the actuators by frame of the clip, filtered like the motion.
fn efforts(subject: &Subject<'_>, hertz: Option<f64>) -> Vec<Actuated> {
    let mut actuated = subject.settings.actuated.clone();
    actuated.resize(subject.clip.frames(), Actuated::default());
    if let Some(hertz) = hertz {
        let (first, end) = subject.range;
        cutoff::filter_efforts(&mut actuated[first..end], hertz, subject.clip.frames_per_second());
    }
    actuated
}

/// Newton's and Euler's equations, frame by frame. A character without mass has no mass center and needs no force.
fn demands(subject: &Subject<'_>, rows: &CentroidalRows, actuated: &[Actuated]) -> Demands {
    let (first, end) = subject.range;
    let mass = subject.mass;
    let weight = DVec3::new(0.0, subject.weight(), 0.0);
    let of = |has_value: bool, value: &dyn Fn(usize) -> DVec3| -> Vec<Option<DVec3>> {
        let is_known = |frame: &usize| has_value && mass > 0.0 && (first..end).contains(frame);
        (0..subject.clip.frames()).map(|frame| Some(frame).filter(is_known).map(value)).collect()
    };
    let has_velocity = end - first >= 2;
    Demands {
        mass_center: of(true, &|frame| rows.mass_center[frame]),
        velocity: of(has_velocity, &|frame| rows.velocity[frame]),
        linear_momentum: of(has_velocity, &|frame| mass * rows.velocity[frame]),
        angular_momentum: of(has_velocity, &|frame| rows.angular_momentum[frame]),
        // The forces of a clip of one or two frames are those of a pose that stands still.
        acceleration: of(true, &|frame| rows.acceleration[frame]),
        angular_momentum_rate: of(true, &|frame| rows.angular_momentum_rate[frame]),
        ground_force: of(true, &|frame| mass * rows.acceleration[frame] + weight - actuated[frame].force),
    }
}

impl Demands {
    /// Vertical ground force by the weight (N).
    fn load(&self, weight: f64) -> Vec<Option<f64>> {
        self.ground_force.iter().map(|force| force.map(|f| f.y / weight)).collect()
    }

    /// The zero-moment point in one frame, meters, on the plane that `plane` makes of the mass center.
    fn zero_moment_point(
        &self,
        frame: usize,
        actuated: &Actuated,
        weight: f64,
        plane: impl Fn(DVec3) -> SupportPlane,
    ) -> Option<DVec3> {
        let (center, force) = (self.mass_center[frame]?, self.ground_force[frame]?);
        let rate = self.angular_momentum_rate[frame]? - actuated.moment;
        zero_moment_point::zero_moment_point(center, force, rate, weight, plane(center))
    }
}

/// Force and moment that no contact gives, one per frame of the clip; `None` where the user says that something carries the body.
fn residuals(
    subject: &Subject<'_>,
    touches: &Touches<'_>,
    demands: &Demands,
    actuated: &[Actuated],
) -> Vec<Option<Missing>> {
    let &Touches { points, bearing, scale, ground, terrain, .. } = touches;
    let (frames, supports) = (subject.clip.frames(), &subject.settings.supports);
    let demand = |frame: usize| {
        let is_marked = supports.iter().any(|&(first, last)| (first..=last).contains(&frame));
        let rate = demands.angular_momentum_rate[frame]? - actuated[frame].moment;
        let (mass_center, force) = (demands.mass_center[frame]?, demands.ground_force[frame]?);
        (!is_marked).then_some(Demand { mass_center, force, rate, weight: subject.weight(), length: scale.length })
    };
    residual::residuals(
        frames,
        subject.clip.frame_time,
        &Bearing { points, bearing, floor: ground.floor, terrain },
        demand,
    )
}

/// Every flight, its momenta filtered within the flight alone. A character without mass has no mass center that could fall.
fn flights(
    subject: &Subject<'_>,
    phases: &Phases,
    animated: &BodyMotion,
    raw: &CentroidalRows,
    (scale, hertz): (&ContactScale, Option<f64>),
) -> Vec<Flight> {
    if subject.mass <= 0.0 {
        return Vec::new();
    }
    let mut flying = CentroidalRows::zero(animated, raw.frame_time);
    let measured = phases.flights.iter().zip(&phases.marked).map(|(&(first, end), &marked)| {
        let mut bodies = animated.cut((first, end));
        if let Some(hertz) = hertz {
            cutoff::filter(bodies.to_mut(), hertz, subject.clip.frames_per_second(), (0, end - first));
        }
        flying.fill(&bodies, subject.settings.velocity, first);
        let mut flight = flight::measure(raw, &flying, subject.span(first, end - 1), marked, scale);
        flight.noticeability = findings::noticeability(&flight, &subject.settings.limits);
        flight
    });
    measured.collect()
}

/// Phases in which neither the ground nor an actuator is seen to carry the body.
fn unseen_support(subject: &Subject<'_>, phases: &Phases, raw: &CentroidalRows) -> Vec<Span> {
    let carried: Vec<usize> = actuated_frames(raw, subject.settings).collect();
    let is_seen = |&&(a, b): &&(usize, usize)| (a..b).all(|frame| carried.binary_search(&frame).is_ok());
    let unseen = phases.unseen.iter().filter(|span| !is_seen(span));
    unseen.map(|&(a, b)| subject.span(a, b - 1)).collect()
}

/// Contacts, support polygon, zero-moment point and balance of every frame; nothing where there is no floor.
fn judge_support(
    subject: &Subject<'_>,
    touches: &Touches<'_>,
    demands: &Demands,
    actuated: &[Actuated],
    uncarried: Uncarried<'_>,
) -> Support {
    let frames = subject.clip.frames();
    let Some(floor) = touches.ground.floor else { return Support::none(frames) };
    let in_flight = frames_of(uncarried.flights.iter().map(|f| f.span), frames);
    let unseen = frames_of(uncarried.unseen.iter().copied(), frames);
    let hull = |frame: usize| match in_flight[frame] || unseen[frame] {
        true => ConvexPolygon::default(),
        false => support::support_hull(touches.points, touches.bearing, frame),
    };
    let hulls: Vec<ConvexPolygon> = (0..frames).map(hull).collect();
    let zero_moment_point = |frame: usize| match in_flight[frame] {
        true => None,
        false => {
            let plane = |center: DVec3| touches.plane(frame, floor, center);
            demands.zero_moment_point(frame, &actuated[frame], subject.weight(), plane)
        }
    };
    let zero_moment_point: Vec<Option<DVec3>> = (0..frames).map(zero_moment_point).collect();
    let (balance, margin) = support::balance(&hulls, &zero_moment_point, touches.scale);
    let corners = |frame: usize, hull: &ConvexPolygon| match touches.terrain {
        None => support::corners_on_floor(hull, floor),
        Some(_) => support::corners_on_places(hull, touches.bearing_places(frame)),
    };
    Support {
        contacts: (0..frames).map(|f| support::touching_bones(touches.points, touches.touching, f)).collect(),
        polygon: hulls.iter().enumerate().map(|(frame, hull)| corners(frame, hull)).collect(),
        area: hulls.iter().map(|hull| (!hull.is_empty()).then(|| hull.area())).collect(),
        zero_moment_point,
        margin,
        balance,
    }
}

impl Support {
    fn none(frames: usize) -> Self {
        Self {
            contacts: vec![Vec::new(); frames],
            polygon: vec![Vec::new(); frames],
            zero_moment_point: vec![None; frames],
            margin: vec![None; frames],
            area: vec![None; frames],
            balance: Balance { normalized_distance: vec![None; frames], ..Balance::default() },
        }
    }

    /// The support with the frames `first..end` of some runs taken out of the balance.
    fn without(mut self, runs: &[(usize, usize)]) -> Self {
        for &(first, end) in runs {
            self.balance.normalized_distance[first..end].fill(None);
            self.margin[first..end].fill(None);
        }
        if !runs.is_empty() {
            support::refresh(&mut self.balance, &self.margin);
        }
        self
    }
}

/// Runs of frames `first..end` in which a person sits, leans or lies on something that the clip does not show: the hips stay low
/// and still for half a second while the contacts could not hold the body up.
fn seats(
    subject: &Subject<'_>,
    character: &Character,
    world: &WorldMotion,
    touches: &Touches<'_>,
    support: &Support,
) -> Vec<(usize, usize)> {
    let (Some(floor), Some(hips)) = (touches.ground.floor, character.bone_of(Role::Hips)) else { return Vec::new() };
    let (first, end) = subject.range;
    let least = (0.5 * subject.clip.frames_per_second()).ceil() as usize;
    let frames = Frames { range: subject.range, time: subject.clip.frame_time };
    let above = |place: DVec3| place.y - floor - touches.terrain.map_or(0.0, |terrain| terrain.height(place));
    let hip_speed = |frame: usize| frames.velocity(|frame| world.position(hips, frame), frame, 1).length();
    let sits = |frame: usize| {
        frame >= first
            && frame < end
            && support.margin[frame].is_some_and(|m| m < 0.0)
            && above(world.position(hips, frame)) < 0.75 * touches.scale.length
            && hip_speed(frame) < 0.5 * touches.scale.speed
    };
    contacts::runs((0..subject.clip.frames()).map(sits)).into_iter().filter(|(a, b)| b - a >= least).collect()
}

/// Spans of unseen support and of seats, by time.
fn with_seats(subject: &Subject<'_>, mut unseen: Vec<Span>, seats: &[(usize, usize)]) -> Vec<Span> {
    unseen.extend(seats.iter().map(|&(first, end)| subject.span(first, end - 1)));
    if !seats.is_empty() {
        unseen.sort_by_key(|span| span.first);
    }
    unseen
}

/// Returns one flag per frame: true if one of the spans contains the frame.
fn frames_of(spans: impl Iterator<Item = Span>, frames: usize) -> Vec<bool> {
    let mut flags = vec![false; frames];
    for span in spans {
        flags[span.first..=span.last].fill(true);
    }
    flags
}

#[cfg(test)]
mod tests {
    use glam::{DQuat, DVec3};

    use super::*;
    use crate::samples;

    #[test]
    fn a_pose_before_a_walk_is_from_elsewhere_and_the_walk_is_not() {
        let (character, walk) = (samples::humanoid(), samples::walk());
        assert!(!begins_elsewhere(&character, &walk));
        let mut posed = walk.clone();
        for bone in 0..posed.bones() {
            posed.set_rotation(bone, 0, DQuat::IDENTITY);
        }
        posed.set_translation(0, 0, walk.translation(0, 0) + DVec3::new(1.0, 0.0, -1.0));
        assert!(begins_elsewhere(&character, &posed));
        assert!(!begins_elsewhere(&character, &posed.cut(1, posed.frames())));
    }
}
