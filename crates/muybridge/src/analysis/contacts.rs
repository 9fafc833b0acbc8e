//! Contacts by two thresholds: which points touch the ground in each frame, and the height of the ground. So a body is judged whose contact points
//! were given, or which has no feet, or never stands on them; [`super::stance`] finds the contacts of all others.
//!
//! Nothing is assumed about the floor. The floor is the lowest level at which the lowest point of the body dwells while something must carry the
//! body. Where nothing dwells, it is the height at which the body is pushed up by more than 1.3 times its weight; without such a push there is
//! none (mathematics 6.6). In a clip that runs on the spot the ground moves: its velocity is that of the lowest points within a tenth of the leg
//! of the floor. A point touches (6.5) for two frames or more if
//! ```text
//! h < ε_y and ‖v‖ < ε_v,  released at 1.5 times either,         ε_y = 0.02 L,  ε_v = 0.1 √(g L),  L = leg length
//! h < ε_0 and ‖v_horizontal‖ < 4 ε_v,  whatever its fall,       ε_0 = 0.005 L
//! ```
//! The second line lets a foot that lands at speed touch in the frame in which it lands; a swinging foot that grazes the floor does not. `v` is
//! relative to the ground. [`Ground`] widens ε_y and ε_v where a clip shows its floor less precisely, or where standing feet slide. Where nothing
//! touches, a point that stands still within a tenth of the leg above the floor does: then the clip floats.

use glam::DVec3;

use super::frames::Frames;
use super::stance::quantile;
use super::terrain::Terrain;
use crate::character::{Character, Role, Side};
use crate::motion::WorldMotion;

/// World tracks of the contact points: the lowest spot of each point in every frame.
#[derive(Clone, Debug)]
pub(crate) struct PointTracks {
    pub(super) frames: usize,
    frame_time: f64,
    /// Bone of each point.
    pub bones: Vec<usize>,
    /// Whether each point is on a foot.
    feet: Vec<bool>,
    /// The lowest spots; over uneven ground their heights are those over the ground.
    pub(super) spots: Vec<Vec<DVec3>>,
    /// Height of uneven ground under each spot, meters; empty on a level floor.
    below: Vec<Vec<f64>>,
}

impl PointTracks {
    /// Computes the world tracks of the contact points of `character` through `world`.
    pub(crate) fn new(character: &Character, world: &WorldMotion, frame_time: f64, terrain: Option<&Terrain>) -> Self {
        let frames = world.frames();
        let mut tracks = vec![0.0; 3 * frames];
        let follow = |contact: &crate::character::ContactPoint| {
            world.point_track(contact.bone, contact.position, &mut tracks);
            let at = |frame: usize| DVec3::new(tracks[frame], tracks[frames + frame], tracks[2 * frames + frame]);
            let down = |center: DVec3| terrain.map_or(DVec3::Y, |terrain| terrain.normal(center));
            (0..frames).map(|frame| at(frame) - contact.radius * down(at(frame))).collect()
        };
        let mut spots: Vec<Vec<DVec3>> = character.contacts.iter().map(follow).collect();
        let mut below = Vec::new();
        if let Some(terrain) = terrain {
            below = spots.iter().map(|spots| spots.iter().map(|spot| terrain.height(*spot)).collect()).collect();
            spots.iter_mut().for_each(|spots| terrain.lower(spots));
        }
        Self {
            frames,
            frame_time,
            bones: character.contacts.iter().map(|c| c.bone).collect(),
            feet: character.contacts.iter().map(|c| is_foot(character.roles[c.bone])).collect(),
            spots,
            below,
        }
    }

    /// Number of contact points.
    pub(crate) fn len(&self) -> usize {
        self.bones.len()
    }

    /// True if the character has no contact points.
    pub(crate) fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// Frames per second of the clip.
    pub(crate) fn frames_per_second(&self) -> f64 {
        1.0 / self.frame_time
    }

    /// World position of the lowest spot of a point in a frame, whatever the ground, meters.
    pub(crate) fn place(&self, point: usize, frame: usize) -> DVec3 {
        let below = self.below.get(point).map_or(0.0, |heights| heights[frame]);
        self.spots[point][frame] + below * DVec3::Y
    }

    /// Position of the lowest spot of a point in a frame, meters; its height is that over uneven ground.
    pub(crate) fn spot(&self, point: usize, frame: usize) -> DVec3 {
        self.spots[point][frame]
    }

    /// Velocity of the lowest spot of a point, by central differences inside `range`, m/s.
    pub(crate) fn velocity(&self, point: usize, frame: usize, range: (usize, usize)) -> DVec3 {
        Frames { range, time: self.frame_time }.velocity(|frame| self.spots[point][frame], frame, 1)
    }

    /// Height of the lowest foot point in a frame, meters; `None` if no point is on a foot.
    fn lowest_of_feet(&self, frame: usize) -> Option<f64> {
        (0..self.len()).filter(|&p| self.feet[p]).map(|p| self.spots[p][frame].y).min_by(f64::total_cmp)
    }

    /// Height in meters and index of the lowest point in a frame; `None` without points.
    pub(crate) fn lowest(&self, frame: usize) -> Option<(f64, usize)> {
        (0..self.len()).map(|point| (self.spots[point][frame].y, point)).min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

fn is_foot(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Foot(_) | Role::Toes(_)))
}

/// Lengths and speeds that decide about contact, derived from the size of the character and gravity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactScale {
    /// Leg length L, or half the greatest extent of a body without legs, meters.
    pub length: f64,
    /// ε_y: height below which a resting point touches, meters.
    pub height: f64,
    /// ε_0: height below which a fast falling point touches, meters.
    pub touch: f64,
    /// ε_v: speed below which a point rests, m/s.
    pub speed: f64,
    /// Gravity, m/s².
    pub gravity: f64,
}

impl ContactScale {
    /// Scale of a character under gravity of `gravity` m/s². `world` gives the size of characters without legs.
    pub(crate) fn new(character: &Character, world: &WorldMotion, gravity: f64) -> Self {
        let length = leg_length(character, world).unwrap_or_else(|| 0.5 * median_extent(character, world)).max(1e-3);
        Self { length, height: 0.02 * length, touch: 0.005 * length, speed: 0.1 * (gravity * length).sqrt(), gravity }
    }

    /// Length of the body in those of an adult: lengths of an adult times this are those of the body.
    pub(crate) fn adults(&self) -> f64 {
        self.length / ADULT_LEG
    }
}

/// Leg of the adult to whom limits and lengths refer, meters: others have lengths in proportion.
pub(crate) const ADULT_LEG: f64 = 0.9;

/// Leg length from hip to knee to ankle in the first frame, meters.
fn leg_length(character: &Character, world: &WorldMotion) -> Option<f64> {
    let joint = |role| character.bone_of(role).map(|bone| world.position(bone, 0));
    [Side::Left, Side::Right].into_iter().find_map(|side| {
        let (hip, knee, ankle) = (joint(Role::UpperLeg(side))?, joint(Role::LowerLeg(side))?, joint(Role::Foot(side))?);
        Some(hip.distance(knee) + knee.distance(ankle))
    })
}

/// Median over frames of the diagonal of the box around all joints and contact points, meters.
fn median_extent(character: &Character, world: &WorldMotion) -> f64 {
    let diagonal = |frame: usize| {
        let joints = (0..character.skeleton.len()).map(|bone| world.position(bone, frame));
        let points = character.contacts.iter().map(|c| world.point(c.bone, frame, c.position));
        let (low, high) = joints
            .chain(points)
            .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)));
        let radius = character.contacts.iter().map(|c| c.radius).fold(0.0, f64::max);
        (high - low).length() + 2.0 * radius
    };
    median((0..world.frames()).map(diagonal).collect()).unwrap_or(1.0)
}

/// Estimated height and velocity of the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ground {
    /// Height of the floor, meters; `None` if nothing ever rests.
    pub floor: Option<f64>,
    /// Standard deviation of the heights at which points rest on the floor, meters: how precisely the clip shows its floor.
    pub spread: f64,
    /// Typical speed of standing points relative to the ground, m/s: how well feet stand still in the clip.
    pub slip: f64,
    /// Velocity of the ground, m/s; zero unless the clip runs on the spot.
    pub treadmill: DVec3,
}

/// Estimates floor height and treadmill velocity from the frames `range` of the points.
///
/// `accelerations` are those of the center of mass (m/s², one per frame of the clip), `mass_centers` its positions (meters).
pub(crate) fn find_ground(
    points: &PointTracks,
    scale: &ContactScale,
    mass_centers: &[DVec3],
    accelerations: &[DVec3],
    range: (usize, usize),
) -> Ground {
    let Some((floor, spread)) = find_floor(points, scale, accelerations, range) else { return Ground::default() };
    let treadmill = find_treadmill(points, scale, mass_centers, floor, range);
    Ground { floor: Some(floor), spread, slip: find_slip(points, scale, floor, treadmill, range), treadmill }
}

/// Span of time in which the lowest point of the body keeps its height.
struct Dwell {
    height: f64,
    frames: usize,
}

/// Levels no farther apart than this are one floor, in leg lengths.
const NEAR: f64 = 0.1;

/// Returns the height of the floor and the spread of points that rest on it, meters. The floor comes from the feet if they dwell for a quarter of
/// the frames (a cape may hang lower), else from the lowest point of all.
fn find_floor(
    points: &PointTracks,
    scale: &ContactScale,
    accelerations: &[DVec3],
    range: (usize, usize),
) -> Option<(f64, f64)> {
    if points.is_empty() {
        return None;
    }
    let lowest: Vec<f64> = (range.0..range.1).map(|frame| points.lowest(frame).map_or(0.0, |l| l.0)).collect();
    if lowest.len() < 4 {
        return lowest.iter().copied().min_by(f64::total_cmp).map(|floor| (floor, 0.0));
    }
    let accelerations = &accelerations[range.0..range.1];
    let of = |dwells: &[Dwell]| dwells.iter().map(|d| d.frames).sum::<usize>();
    let soles: Vec<f64> = (range.0..range.1).filter_map(|frame| points.lowest_of_feet(frame)).collect();
    let standing = find_dwells(&soles, points.frame_time, scale, &accelerations[..soles.len()]);
    let dwells = find_dwells(&lowest, points.frame_time, scale, accelerations);
    let floor = if 4 * of(&standing) >= lowest.len() {
        level(&standing, scale)?
    } else if of(&dwells) > 0 {
        level(&dwells, scale)?
    } else {
        return loaded_level(&lowest, points.frame_time, scale, accelerations).map(|floor| (floor, 0.0));
    };
    Some((floor, spread(&dwells, floor, scale).max(spread(&standing, floor, scale))))
}

/// Robust standard deviation of the heights of dwells near the floor, meters.
fn spread(dwells: &[Dwell], floor: f64, scale: &ContactScale) -> f64 {
    let distances = dwells.iter().flat_map(|d| std::iter::repeat_n((d.height - floor).abs(), d.frames));
    1.4826 * median(distances.filter(|distance| *distance <= 2.0 * scale.height).collect()).unwrap_or(0.0)
}

/// Chooses the floor height among the heights of dwells, sorted by height; `None` without dwells.
fn level(dwells: &[Dwell], scale: &ContactScale) -> Option<f64> {
    // Frames of all dwells below each one.
    let below: Vec<usize> = std::iter::once(0)
        .chain(dwells.iter().scan(0, |sum, dwell| {
            *sum += dwell.frames;
            Some(*sum)
        }))
        .collect();
    let total = below[dwells.len()];
    // Take the lowest level that holds a fair share of the dwelling: neither a foot that dips under the floor for a few
    // frames nor a box to stand on moves this level. Near it, take the narrow band with most dwelling, because a lying body
    // sinks deeper into the floor than a standing one.
    let share = (total / 10).max(1);
    let range = |level: f64, width: f64| {
        let first = dwells.partition_point(|d| d.height < level);
        first..dwells.partition_point(|d| d.height <= level + width).max(first)
    };
    let within = |level: f64, width: f64| dwells[range(level, width)].iter();
    let held = |level: f64, width: f64| below[range(level, width).end] - below[range(level, width).start];
    let lowest = dwells.iter().map(|d| d.height).find(|&level| held(level, 2.0 * scale.height) >= share)?;
    let densest = within(lowest, NEAR * scale.length)
        .map(|d| d.height)
        .max_by(|&a, &b| held(a, scale.height).cmp(&held(b, scale.height)).then(b.total_cmp(&a)))?;
    median(within(densest, scale.height).flat_map(|d| std::iter::repeat_n(d.height, d.frames)).collect())
}

/// Finds dwells: runs of at least 0.06 s and three frames in which the lowest point moves slower than half ε_v vertically and the body does not
/// fall freely. Sorted by height.
fn find_dwells(lowest: &[f64], frame_time: f64, scale: &ContactScale, accelerations: &[DVec3]) -> Vec<Dwell> {
    let still = |frame: usize| {
        let before = frame.saturating_sub(1);
        let after = (frame + 1).min(lowest.len() - 1);
        let slope = (lowest[after] - lowest[before]) / ((after - before) as f64 * frame_time);
        slope.abs() < 0.5 * scale.speed
    };
    let least = (0.06 / frame_time).ceil().max(3.0) as usize;
    let mut dwells = Vec::new();
    for (first, end) in runs((0..lowest.len()).map(still)) {
        let mean_fall = accelerations[first..end].iter().map(|a| -a.y).sum::<f64>() / (end - first) as f64;
        if end - first >= least && mean_fall < 0.7 * scale.gravity {
            // Cut a long dwell into short pieces, so that a slow rise does not count as one level.
            dwells.extend(
                lowest[first..end]
                    .chunks(least)
                    .filter_map(|part| Some(Dwell { height: median(part.to_vec())?, frames: part.len() })),
            );
        }
    }
    dwells.sort_by(|a, b| a.height.total_cmp(&b.height));
    dwells
}

/// Floor height of a clip without dwells (a run, a bouncing ball): the median height of the lowest point in frames in which the body is pushed
/// up by more than 1.3 times its weight, which only the ground can do. The frames beside a bounce of a single frame fall freely and do not
/// count. `None` if no frame qualifies.
fn loaded_level(lowest: &[f64], frame_time: f64, scale: &ContactScale, accelerations: &[DVec3]) -> Option<f64> {
    let half = (0.025 / frame_time).floor() as usize;
    let pushed = |frame: usize| {
        let near = &accelerations[frame.saturating_sub(half)..(frame + half + 1).min(accelerations.len())];
        let push = 0.3 * scale.gravity;
        accelerations[frame].y > push && near.iter().map(|a| a.y).sum::<f64>() > push * near.len() as f64
    };
    median((0..lowest.len()).filter(|&frame| pushed(frame)).map(|frame| lowest[frame]).collect())
}

/// Estimates the velocity of the ground under a body without feet that moves on the spot, from its lowest points near the floor.
fn find_treadmill(
    points: &PointTracks,
    scale: &ContactScale,
    mass_centers: &[DVec3],
    floor: f64,
    range: (usize, usize),
) -> DVec3 {
    let low = (range.0..range.1).filter_map(|frame| {
        let (height, point) = points.lowest(frame)?;
        (height < floor + NEAR * scale.length).then(|| points.velocity(point, frame, range))
    });
    let low: Vec<DVec3> = low.collect();
    let seconds = (range.1 - 1 - range.0) as f64 * points.frame_time;
    let travel = (mass_centers[range.1 - 1] - mass_centers[range.0]) / seconds;
    let ground = moving_ground(low.clone(), travel, range.1 - range.0, scale.speed);
    let way = ground.normalize_or_zero();
    let along = low.iter().map(|velocity| velocity.dot(way)).filter(|speed| *speed > 0.4 * ground.length());
    way * quantile(along.collect(), LAGGING).unwrap_or(0.0)
}

/// Share of the frames with a stance in which what stands lags behind the ground: it lands or leaves, or slides.
pub(super) const LAGGING: f64 = 0.8;

/// Velocity of the ground from the velocities of the lowest points near the floor, m/s; zero for a body that travels.
///
/// The points must all go one way, faster than `least`, and the body must not travel with a quarter of their speed. A foot that swings
/// forward low over the ground goes the other way and is left out. `travel` is the mean velocity of the body.
pub(super) fn moving_ground(low: Vec<DVec3>, travel: DVec3, frames: usize, least: f64) -> DVec3 {
    let horizontal = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
    let along = |v: &DVec3| v.y.abs() < 0.5 * v.length().max(least);
    let stance: Vec<DVec3> = low.into_iter().filter(along).map(horizontal).collect();
    if stance.len() < 4 || 4 * stance.len() < frames {
        return DVec3::ZERO;
    }
    // Keep the direction in which most points go; points that go against it swing.
    let way = stance.iter().sum::<DVec3>().normalize_or_zero();
    let with: Vec<DVec3> = stance.iter().copied().filter(|v| v.dot(way) > 0.0).collect();
    let middle = |component: usize| median(with.iter().map(|v| v[component]).collect()).unwrap_or(0.0);
    let ground = DVec3::new(middle(0), 0.0, middle(2));
    let one_way = with.iter().sum::<DVec3>().length() > 0.8 * with.iter().map(|v| v.length()).sum::<f64>();
    let most = 3 * with.len() > 2 * stance.len();
    // A character that steps aside once rests most of the time; a treadmill never stops.
    let resting = stance.iter().filter(|v| v.length() < 0.4 * ground.length()).count();
    let moving = 4 * resting < stance.len();
    let stays = horizontal(travel).length() < 0.25 * ground.length();
    if ground.length() > least && stays && one_way && most && moving { ground } else { DVec3::ZERO }
}

/// Median over the frames of the speed of the slowest point within ε_y of the floor, m/s.
pub(super) fn find_slip(
    points: &PointTracks,
    scale: &ContactScale,
    floor: f64,
    treadmill: DVec3,
    range: (usize, usize),
) -> f64 {
    let slowest = |frame: usize| {
        (0..points.len())
            .filter(|&point| points.spot(point, frame).y < floor + scale.height)
            .map(|point| (points.velocity(point, frame, range) - treadmill).length())
            .min_by(f64::total_cmp)
    };
    median((range.0..range.1).filter_map(slowest).collect()).unwrap_or(0.0)
}

impl Ground {
    /// Speed below which a point rests, m/s: ε_v, or more if standing feet slide in the clip.
    pub(crate) fn rest_speed(&self, scale: &ContactScale) -> f64 {
        (2.5 * self.slip).clamp(scale.speed, 3.0 * scale.speed)
    }

    /// Height above the floor up to which a point touches whatever its vertical speed, meters: ε_0, or more if the clip shows its floor less
    /// precisely.
    pub(crate) fn touch_height(&self, scale: &ContactScale) -> f64 {
        (2.5 * self.spread).clamp(scale.touch, 1.5 * scale.height)
    }

    /// Height above the floor up to which a resting point touches, meters: ε_y, or more if the clip shows its floor less precisely.
    pub(crate) fn rest_height(&self, scale: &ContactScale) -> f64 {
        (2.5 * self.spread).clamp(scale.height, 2.0 * scale.height)
    }
}

/// Finds the points that touch the ground: `[point][frame]`, false outside `range`.
pub(crate) fn find_contacts(
    points: &PointTracks,
    scale: &ContactScale,
    ground: &Ground,
    range: (usize, usize),
) -> Vec<Vec<bool>> {
    let Some(floor) = ground.floor else { return vec![vec![false; points.frames]; points.len()] };
    let mut touching: Vec<Vec<bool>> = (0..points.len())
        .map(|point| {
            let mut touching = vec![false; points.frames];
            let mut held = false;
            for frame in range.0..range.1 {
                let height = points.spot(point, frame).y - floor;
                let velocity = points.velocity(point, frame, range) - ground.treadmill;
                let slack = if held { 1.5 } else { 1.0 };
                let resting =
                    height < slack * ground.rest_height(scale) && velocity.length() < slack * ground.rest_speed(scale);
                let striking =
                    height < scale.touch && DVec3::new(velocity.x, 0.0, velocity.z).length() < 4.0 * scale.speed;
                held = resting || striking;
                touching[frame] = held;
            }
            drop_single_frames(&mut touching);
            touching
        })
        .collect();
    stand_on_air(&mut touching, points, scale, ground, range);
    touching
}

/// Adds contacts for a floating clip: in frames without contact, points that stand still a little above the floor count as touching.
fn stand_on_air(
    touching: &mut [Vec<bool>],
    points: &PointTracks,
    scale: &ContactScale,
    ground: &Ground,
    range: (usize, usize),
) {
    let Some(floor) = ground.floor else { return };
    let standing = find_standstills(points, scale, ground, range);
    for frame in range.0..range.1 {
        if touching.iter().any(|point| point[frame]) {
            continue;
        }
        for point in 0..points.len() {
            touching[point][frame] =
                standing[point][frame] && points.spot(point, frame).y < floor + NEAR * scale.length;
        }
    }
}

/// Finds the points that carry load: the touching points, and in the same frame the others that are nearly as low and as slow. A sole is soft and
/// its points are known to a centimeter at best, so a foot that touches with one corner stands on more points.
pub(crate) fn find_bearing(
    points: &PointTracks,
    touching: &[Vec<bool>],
    scale: &ContactScale,
    ground: &Ground,
    range: (usize, usize),
) -> Vec<Vec<bool>> {
    let Some(floor) = ground.floor else { return touching.to_vec() };
    let mut bearing = touching.to_vec();
    for frame in range.0..range.1 {
        if !touching.iter().any(|point| point[frame]) {
            continue;
        }
        for point in 0..points.len() {
            let low = points.spot(point, frame).y < floor + 2.0 * ground.rest_height(scale);
            let slow =
                (points.velocity(point, frame, range) - ground.treadmill).length() < 1.5 * ground.rest_speed(scale);
            bearing[point][frame] |= low && slow;
        }
    }
    bearing
}

/// Removes contacts of a single frame: a contact lasts two frames at least (6.5).
fn drop_single_frames(touching: &mut [bool]) {
    for (first, end) in runs(touching.iter().copied()) {
        if end - first < 2 && first > 0 && end < touching.len() {
            touching[first..end].fill(false);
        }
    }
}

/// Finds points that stand still in the world above the floor for at least 0.15 s: they rest on something that is not in the clip.
pub(crate) fn find_standstills(
    points: &PointTracks,
    scale: &ContactScale,
    ground: &Ground,
    range: (usize, usize),
) -> Vec<Vec<bool>> {
    let floor = ground.floor.unwrap_or(f64::NEG_INFINITY);
    let least = (0.15 / points.frame_time).ceil().max(4.0) as usize;
    (0..points.len())
        .map(|point| {
            let mut still = vec![false; points.frames];
            let mut held = false;
            for frame in range.0..range.1 {
                let speed = (points.velocity(point, frame, range) - ground.treadmill).length();
                held = speed < if held { 1.5 } else { 1.0 } * scale.speed
                    && points.spot(point, frame).y > floor + scale.height;
                still[frame] = held;
            }
            for (first, end) in runs(still.clone().into_iter()) {
                if end - first < least {
                    still[first..end].fill(false);
                }
            }
            still
        })
        .collect()
}

/// Returns maximal runs of `true` as half-open ranges `first..end`.
pub fn runs(flags: impl Iterator<Item = bool>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    let mut length = 0;
    for (index, flag) in flags.enumerate() {
        length = index + 1;
        match (flag, start) {
            (true, None) => start = Some(index),
            (false, Some(first)) => {
                found.push((first, index));
                start = None;
            }
            _ => {}
        }
    }
    if let Some(first) = start {
        found.push((first, length));
    }
    found
}

/// Median of the values (the upper of the two middle ones if the count is even); `None` of an empty list.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let middle = values.len() / 2;
    Some(*values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_maximal_and_half_open() {
        let flags = [true, true, false, true, false, false, true];
        assert_eq!(runs(flags.into_iter()), vec![(0, 2), (3, 4), (6, 7)]);
        assert_eq!(runs(std::iter::empty()), vec![]);
    }

    /// Tracks of one contact point with the given positions.
    fn track(spots: Vec<DVec3>) -> PointTracks {
        PointTracks {
            frames: spots.len(),
            frame_time: 0.01,
            bones: vec![0],
            feet: vec![false],
            spots: vec![spots],
            below: vec![],
        }
    }

    fn scale() -> ContactScale {
        ContactScale { length: 0.9, height: 0.018, touch: 0.0045, speed: 0.3, gravity: 9.81 }
    }

    #[test]
    fn a_floor_is_where_something_dwells_and_not_zero() {
        let spots: Vec<DVec3> = (0..100)
            .map(|k| {
                let time = (k as f64 - 50.0) * 0.01;
                DVec3::new(0.0, 0.25 + (0.3 - 4.905 * time * time).max(0.0), 0.0)
            })
            .collect();
        let accelerations: Vec<DVec3> = spots.iter().map(|s| DVec3::Y * if s.y > 0.25 { -9.81 } else { 0.0 }).collect();
        let points = track(spots.clone());
        let ground = find_ground(&points, &scale(), &spots, &accelerations, (0, 100));
        assert_eq!(ground.floor, Some(0.25));
        let touching = &find_contacts(&points, &scale(), &ground, (0, 100))[0];
        let airborne: Vec<usize> = (0..100).filter(|&k| !touching[k]).collect();
        // √(0.3/4.905) = 0.247 s to either side of the apex at frame 50.
        assert!(airborne[0].abs_diff(26) <= 1 && airborne.last().unwrap().abs_diff(74) <= 1, "{airborne:?}");
    }

    #[test]
    fn s26_a_thrown_point_has_no_floor() {
        let spots: Vec<DVec3> = (0..100)
            .map(|k| {
                let time = f64::from(k) * 0.01;
                DVec3::new(time, 1.0 + 5.0 * time - 4.905 * time * time, 0.0)
            })
            .collect();
        let ground = find_ground(&track(spots.clone()), &scale(), &spots, &[DVec3::Y * -9.81; 100], (0, 100));
        assert_eq!(ground, Ground::default());
    }

    #[test]
    fn feet_that_slide_back_under_a_body_that_stays_run_on_a_treadmill() {
        let spots: Vec<DVec3> = (0..100).map(|k| DVec3::new(0.0, 0.0, -2.0 * f64::from(k % 20) * 0.01)).collect();
        let ground = find_ground(&track(spots), &scale(), &[DVec3::Y; 100], &[DVec3::ZERO; 100], (0, 20));
        assert!((ground.treadmill - DVec3::new(0.0, 0.0, -2.0)).length() < 1e-9, "{ground:?}");
    }
}
