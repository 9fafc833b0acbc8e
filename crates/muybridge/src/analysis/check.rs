//! The main job: a character and a clip in, an [`Analysis`] out. The stages are the lines of [`analyze`].

use glam::DVec3;

use super::centroidal_rows::CentroidalRows;
use super::contacts::{self, ContactScale, Ground, PointTracks};
use super::cutoff;
use super::findings::{self, FindingContext};
use super::flight;
use super::momentum::BodyMotion;
use super::motion_artifacts;
use super::phases::{self, Phases};
use super::report::{Analysis, Balance, Feet, Flight, PerFrame, Span, Verdict};
use super::settings::{Actuated, Settings};
use super::support;
use super::zero_moment_point::{self, SupportPlane};
use crate::character::{Character, Role};
use crate::math::hull::ConvexPolygon;
use crate::motion::{Clip, WorldMotion};

/// Analyses a clip of `character`, both in metres and y up. Any clip of the character's skeleton is accepted: what
/// cannot be said about it is `None` in the result, never an error. Panics if the clip has another number of bones.
pub fn analyze(character: &Character, clip: &Clip, settings: &Settings) -> Analysis {
    let ClipContacts { world, scale, range, foreign, animated, raw, points, ground, touching } =
        standing(character, clip, settings);
    let bearing = contacts::find_bearing(&points, &touching, &scale, &ground, range);
    let phases = find_phases(&points, &touching, &scale, &ground, &raw, range, settings);
    let flies = !phases.flights.is_empty();
    let cutoff = cutoff::choose(&raw.mass_center[range.0..range.1], settings.cutoff, clip.frames_per_second(), flies);

    let mut analysis = empty(character, clip, settings, range);
    analysis.cutoff_hz = cutoff.hertz;
    analysis.cutoff_source = cutoff.source;
    analysis.floor = ground.floor;
    analysis.treadmill = ground.treadmill;
    analysis.flights = flights(&analysis, &animated, &raw, &phases, &scale, settings, cutoff.hertz);
    let mut actuated = settings.actuated.clone();
    actuated.resize(clip.frames(), Actuated::default());
    match cutoff.hertz {
        Some(hertz) => {
            cutoff::filter_efforts(&mut actuated[range.0..range.1], hertz, clip.frames_per_second());
            fill_rows(&mut analysis, &smooth_rows(animated, clip, settings, hertz, range), &actuated);
        }
        None => fill_rows(&mut analysis, &raw, &actuated),
    }
    let carried: Vec<usize> = actuated_frames(&raw, settings).map(|(frame, _)| frame).collect();
    let is_seen = |&&(a, b): &&(usize, usize)| (a..b).all(|frame| carried.binary_search(&frame).is_ok());
    let unseen = phases.unseen.iter().filter(|span| !is_seen(span));
    analysis.unseen_support = unseen.map(|&(a, b)| findings::span(&analysis, a, b - 1)).collect();
    judge_support(&mut analysis, &points, (&touching, &bearing), &actuated, (&scale, &ground));
    rest_on_seats(&mut analysis, character, &world, &scale);
    analysis.feet = motion_artifacts::feet(&points, &touching, &ground, range);

    let circumstances = FindingContext {
        limits: &settings.limits,
        scale,
        load: &load(&analysis),
        beside_support: &phases.beside_support,
        jitter: motion_artifacts::jitter(&world, clip.bones(), clip.frame_time, range),
        loop_seam: settings.looped.then(|| motion_artifacts::loop_seam(&world, clip.bones(), range)).flatten(),
        foreign_first_frame: foreign,
    };
    analysis.findings = findings::findings(&analysis, &circumstances);
    analysis.verdict = findings::verdict(&analysis);
    analysis
}

/// What touches the ground in a clip, and what that is judged by.
pub struct ClipContacts {
    /// World poses.
    pub world: WorldMotion,
    /// Lengths and speeds of the character.
    pub scale: ContactScale,
    /// Analysed frames `first..end`.
    pub range: (usize, usize),
    /// Whether frame 0 is a pose from somewhere else, and left out.
    pub foreign: bool,
    pub(super) animated: BodyMotion,
    pub(super) raw: CentroidalRows,
    /// The contact points of the character, frame by frame.
    pub points: PointTracks,
    /// Floor and treadmill.
    pub ground: Ground,
    /// Which points touch: `[point][frame]`.
    pub touching: Vec<Vec<bool>>,
}

impl ClipContacts {
    /// Skating, floating and penetration.
    pub fn feet(&self) -> Feet {
        motion_artifacts::feet(&self.points, &self.touching, &self.ground, self.range)
    }
}

/// The contacts of a clip of `character` as [`analyze`] finds them. Panics if the clip has another number of bones.
pub fn standing(character: &Character, clip: &Clip, settings: &Settings) -> ClipContacts {
    let world = WorldMotion::new(&character.skeleton, clip);
    let scale = ContactScale::new(character, &world, settings.gravity);
    let (range, foreign) = analysed_frames(character, clip, &world, &scale, settings);
    let animated = BodyMotion::new(character, &world);
    let raw = rows(&animated, clip, settings, range);
    let points = PointTracks::new(character, &world, clip.frame_time);
    let ground = contacts::find_ground(&points, &scale, &raw.mass_center, &raw.acceleration, range);
    let touching = contacts::find_contacts(&points, &scale, &ground, range);
    ClipContacts { world, scale, range, foreign, animated, raw, points, ground, touching }
}

/// Whether the first frame of a clip is a pose from somewhere else, such as a T-pose that an exporter put before the motion: what follows the
/// clip would be thrown by the step to the next frame. Panics if the clip has another number of bones.
pub fn begins_elsewhere(character: &Character, clip: &Clip) -> bool {
    let first = clip.cut(0, clip.frames().min(motion_artifacts::LOOKED_AT));
    let world = WorldMotion::new(&character.skeleton, &first);
    let scale = ContactScale::new(character, &world, Settings::default().gravity);
    motion_artifacts::first_frame_is_foreign(&world, character.skeleton.len(), &scale, (0, first.frames()))
}

/// The frames asked for, without a first frame that is a pose from somewhere else.
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

fn find_phases(
    points: &PointTracks,
    touching: &[Vec<bool>],
    scale: &ContactScale,
    ground: &Ground,
    rows: &CentroidalRows,
    range: (usize, usize),
    settings: &Settings,
) -> Phases {
    let frames = rows.mass_center.len();
    let any = |flags: &[Vec<bool>], frame: usize| flags.iter().any(|point| point[frame]);
    let grazing = |frame: usize| match (ground.floor, points.lowest(frame)) {
        (Some(floor), Some((height, _))) => height < floor + ground.touch(scale),
        _ => false,
    };
    let touched: Vec<bool> = (0..frames).map(|f| any(touching, f) || grazing(f)).collect();
    let still = contacts::find_standstills(points, scale, ground, range);
    let standing: Vec<bool> = (0..frames).map(|f| any(&still, f)).collect();
    let carried: Vec<(usize, usize)> =
        settings.supports.iter().copied().chain(actuated_frames(rows, settings)).collect();
    let evidence = phases::PhaseEvidence {
        range,
        has_floor: ground.floor.is_some(),
        touching: &touched,
        standing_still: &standing,
        marked_flights: &settings.flights,
        marked_supports: &carried,
    };
    phases::find_phases(&evidence, &|first, end| flight::is_ballistic(rows, first, end, scale))
}

/// Frames in which actuators do more than a hundredth of the weight.
fn actuated_frames(rows: &CentroidalRows, settings: &Settings) -> impl Iterator<Item = (usize, usize)> {
    let least = 0.01 * rows.mass * settings.gravity;
    let frames = settings.actuated.iter().take(rows.mass_center.len()).enumerate();
    frames.filter(move |(_, actuated)| actuated.force.length() > least).map(|(frame, _)| (frame, frame))
}

/// An analysis without results.
fn empty(character: &Character, clip: &Clip, settings: &Settings, range: (usize, usize)) -> Analysis {
    let frames = clip.frames();
    Analysis {
        clip: clip.name.clone(),
        frames,
        frames_per_second: clip.frames_per_second(),
        bones: character.skeleton.bones().iter().map(|b| b.name.clone()).collect(),
        roles: character.roles.iter().enumerate().filter_map(|(bone, role)| Some(((*role)?, bone))).collect(),
        gravity: settings.gravity,
        cutoff_hz: None,
        cutoff_source: String::new(),
        mass: character.mass(),
        body_source: character.body_source.clone(),
        segments: character.bodies.iter().enumerate().filter(|(_, b)| b.mass > 0.0).map(|(i, b)| (i, b.mass)).collect(),
        floor: None,
        treadmill: DVec3::ZERO,
        range,
        per_frame: PerFrame {
            time: (0..frames).map(|f| clip.time(f)).collect(),
            mass_center: vec![None; frames],
            mass_center_velocity: vec![None; frames],
            mass_center_acceleration: vec![None; frames],
            linear_momentum: vec![None; frames],
            angular_momentum: vec![None; frames],
            angular_momentum_rate: vec![None; frames],
            ground_force: vec![None; frames],
            zero_moment_point: vec![None; frames],
            support_margin: vec![None; frames],
            support_polygon: vec![Vec::new(); frames],
            contacts: vec![Vec::new(); frames],
        },
        flights: Vec::new(),
        unseen_support: Vec::new(),
        feet: Feet::default(),
        balance: Balance { normalized_distance: vec![None; frames], ..Balance::default() },
        findings: Vec::new(),
        verdict: Verdict::Undecided,
    }
}

fn fill_rows(analysis: &mut Analysis, rows: &CentroidalRows, actuated: &[Actuated]) {
    if analysis.mass <= 0.0 {
        return;
    }
    let (first, end) = analysis.range;
    let weight = DVec3::new(0.0, analysis.mass * analysis.gravity, 0.0);
    for frame in first..end {
        let per_frame = &mut analysis.per_frame;
        per_frame.mass_center[frame] = Some(rows.mass_center[frame]);
        if end - first >= 2 {
            per_frame.mass_center_velocity[frame] = Some(rows.velocity[frame]);
            per_frame.linear_momentum[frame] = Some(analysis.mass * rows.velocity[frame]);
            per_frame.angular_momentum[frame] = Some(rows.angular_momentum[frame]);
        }
        // One frame, or two, show a pose at rest: its forces are those of standing still.
        per_frame.mass_center_acceleration[frame] = Some(rows.acceleration[frame]);
        per_frame.angular_momentum_rate[frame] = Some(rows.angular_momentum_rate[frame]);
        per_frame.ground_force[frame] = Some(analysis.mass * rows.acceleration[frame] + weight - actuated[frame].force);
    }
}

/// Rows of the bodies as animated.
fn rows(bodies: &BodyMotion, clip: &Clip, settings: &Settings, range: (usize, usize)) -> CentroidalRows {
    let mut rows = CentroidalRows::zero(bodies, clip.frame_time);
    rows.take(&bodies.cut(range), settings.velocity, range.0);
    rows
}

/// Rows of the bodies filtered over the whole range.
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

/// Every flight, its momenta filtered within the flight alone. What has no mass has no mass center that could fall.
fn flights(
    analysis: &Analysis,
    animated: &BodyMotion,
    raw: &CentroidalRows,
    phases: &Phases,
    scale: &ContactScale,
    settings: &Settings,
    hertz: Option<f64>,
) -> Vec<Flight> {
    if analysis.mass <= 0.0 {
        return Vec::new();
    }
    let mut flying = CentroidalRows::zero(animated, raw.frame_time);
    let measured = phases.flights.iter().zip(&phases.marked).map(|(&(first, end), &marked)| {
        let mut bodies = animated.cut((first, end));
        if let Some(hertz) = hertz {
            cutoff::filter(bodies.to_mut(), hertz, analysis.frames_per_second, (0, end - first));
        }
        flying.take(&bodies, settings.velocity, first);
        let span = findings::span(analysis, first, end - 1);
        let mut flight = flight::measure(raw, &flying, span, marked, scale);
        flight.noticeability = findings::noticeability(&flight, &settings.limits);
        flight
    });
    measured.collect()
}

/// Contacts, support polygon, zero-moment point and balance of every frame.
fn judge_support(
    analysis: &mut Analysis,
    points: &PointTracks,
    (touching, bearing): (&[Vec<bool>], &[Vec<bool>]),
    actuated: &[Actuated],
    (scale, ground): (&ContactScale, &Ground),
) {
    let Some(floor) = ground.floor else { return };
    let in_flight = frames_of(analysis.flights.iter().map(|f| f.span), analysis.frames);
    let unseen = frames_of(analysis.unseen_support.iter().copied(), analysis.frames);
    let mut hulls = Vec::with_capacity(analysis.frames);
    for frame in 0..analysis.frames {
        analysis.per_frame.contacts[frame] = support::touching_bones(points, touching, frame);
        let hull = if in_flight[frame] || unseen[frame] {
            ConvexPolygon::default()
        } else {
            support::support_hull(points, bearing, frame)
        };
        analysis.per_frame.support_polygon[frame] = support::corners_on_floor(&hull, floor);
        if !in_flight[frame] {
            analysis.per_frame.zero_moment_point[frame] = zmp_on_floor(analysis, actuated, frame, floor);
        }
        hulls.push(hull);
    }
    let (balance, margins) = support::balance(&hulls, &analysis.per_frame.zero_moment_point, scale);
    analysis.balance = balance;
    analysis.per_frame.support_margin = margins;
}

fn zmp_on_floor(analysis: &Analysis, actuated: &[Actuated], frame: usize, floor: f64) -> Option<DVec3> {
    let per_frame = &analysis.per_frame;
    let (center, force) = (per_frame.mass_center[frame]?, per_frame.ground_force[frame]?);
    let rate = per_frame.angular_momentum_rate[frame]? - actuated[frame].moment;
    zero_moment_point::zero_moment_point(
        center,
        force,
        rate,
        analysis.mass * analysis.gravity,
        SupportPlane::level(floor),
    )
}

/// Vertical force over the weight.
fn load(analysis: &Analysis) -> Vec<Option<f64>> {
    let weight = analysis.mass * analysis.gravity;
    analysis.per_frame.ground_force.iter().map(|force| force.map(|f| f.y / weight)).collect()
}

/// A person whose hips stay low and still for half a second while what touches could not hold the body up sits, leans or
/// lies on something the clip does not show.
/// Those spans become unseen support and no longer count for the balance.
fn rest_on_seats(analysis: &mut Analysis, character: &Character, world: &WorldMotion, scale: &ContactScale) {
    let (Some(floor), Some(hips)) = (analysis.floor, character.bone_of(Role::Hips)) else { return };
    let (first, end) = analysis.range;
    let least = (0.5 * analysis.frames_per_second).ceil() as usize;
    let hip_speed = |frame: usize| {
        let (a, b) = (frame.saturating_sub(1).max(first), (frame + 1).min(end - 1));
        let seconds = (b - a) as f64 / analysis.frames_per_second;
        world.position(hips, b).distance(world.position(hips, a)) / seconds.max(1e-9)
    };
    let sits = |frame: usize| {
        frame >= first
            && frame < end
            && analysis.per_frame.support_margin[frame].is_some_and(|m| m < 0.0)
            && world.position(hips, frame).y - floor < 0.75 * scale.length
            && hip_speed(frame) < 0.5 * scale.speed
    };
    let seats: Vec<(usize, usize)> =
        contacts::runs((0..analysis.frames).map(sits)).into_iter().filter(|(a, b)| b - a >= least).collect();
    for &(a, b) in &seats {
        let seat = findings::span(analysis, a, b - 1);
        analysis.unseen_support.push(seat);
        analysis.balance.normalized_distance[a..b].fill(None);
        analysis.per_frame.support_margin[a..b].fill(None);
    }
    if !seats.is_empty() {
        analysis.unseen_support.sort_by_key(|s| s.first);
        support::refresh(&mut analysis.balance, &analysis.per_frame.support_margin);
    }
}

/// One flag per frame: whether it is in one of the spans.
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
