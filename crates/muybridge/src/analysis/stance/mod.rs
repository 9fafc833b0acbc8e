//! Stances of a clip: the level at which each foot dwells, the floor, and the parts of the body that touch in each frame.
//!
//! Two fixed thresholds cannot tell a stance: soles are known to centimeters, feet slide and roll, and runners' feet are
//! never still. Here the height of a joint over its own dwelling level (`levels`), its speed, its duration, what else
//! the pose could rest on, and whether the force that the motion asks for fits, are weighed together (`chain`).
//! Lengths scale with the leg, speeds with the square root of the leg's length.

mod chain;
pub(crate) mod drift;
mod edges;
mod levels;
pub(crate) mod planted;
mod points;
pub(crate) mod rest;
pub(super) mod soles;

use glam::DVec3;

use super::contacts::{self, ContactScale, Ground, PointTracks, runs};
use super::frames::Frames;
use super::terrain::Terrain;
use crate::character::{Character, Role, Side};
use crate::motion::WorldMotion;
use chain::{Evidence, PARTS};
use levels::Levels;
use points::{PointKind, StandingPoint};

/// Height of a foot over its level above which it does not stand, in legs over 0.9: no force can talk a hover into a stance.
const HIGHEST_STANCE: f64 = 0.065;
/// Part of the body that is no foot.
pub(super) const OTHER_PART: usize = PARTS - 1;
/// Log odds of a contact that cannot be.
const NEVER: f64 = -20.0;

/// Lengths and speeds of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    /// Length of a leg, or half the extent of a body without legs, meters.
    pub leg: f64,
    /// Leg length over that of an adult: lengths of an adult times this are those of the body.
    pub scale: f64,
    /// Root of `scale`: speeds of an adult times this are those of the body.
    pub pace: f64,
    /// Whether the body has two legs with roles.
    pub is_human: bool,
}

impl Size {
    pub(super) fn new(character: &Character, leg: f64) -> Self {
        let has = |role| character.bone_of(role).is_some();
        let is_human = has(Role::UpperLeg(Side::Left)) && has(Role::LowerLeg(Side::Left));
        let scale = leg / contacts::ADULT_LEG;
        Self { leg, scale, pace: scale.sqrt(), is_human }
    }

    pub(super) fn stature(&self) -> f64 {
        1.9 * self.leg
    }

    /// Height of a standing point over the sole and its standard deviation, meters.
    fn over_sole(&self, kind: PointKind) -> (f64, f64) {
        match (self.is_human, kind.over_sole()) {
            (true, (over, spread)) => (over * self.stature(), spread * self.stature()),
            (false, _) => (0.0, 0.03 * self.leg),
        }
    }
}

/// Where and when a body stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stance {
    /// Parts that touch, one bit per part (heel and toes of the left, then of the right limb, then any other part), per frame of the clip.
    pub parts: Vec<u8>,
    /// Vertical force that the motion asks for over the weight, per frame, from parabolas through 0.1 s.
    pub carried: Vec<f64>,
    /// Least height of a standing point over its level, meters, per frame.
    pub clearance: Vec<f64>,
    /// The same without the tips of toes, whose end in the file may be anywhere.
    pub clearance_of_feet: Vec<f64>,
    /// Height of the lowest edge of the soles over uneven ground, meters, per frame; empty over a level floor.
    pub edges: Vec<f64>,
    /// Height of the floor, meters; `None` if nothing ever rests.
    pub floor: Option<f64>,
    /// The same by the joints alone, of whatever height most clips have their ground.
    own_floor: f64,
    /// Velocity of the ground under a clip that runs on the spot, m/s; zero for a clip that travels.
    pub ground_velocity: DVec3,
    is_human: bool,
    points: Vec<StandingPoint>,
    /// Levels of the standing points in the stretches between jumps in time, by time: frames `first..end`.
    levels: Vec<((usize, usize), Levels)>,
}

/// Finds the stances of a clip; `None` for a body without feet, or that never stands. The levels of the feet are found anew after each jump in
/// time: `cuts` are the first frames after them, ascending.
/// `terrain` is the ground where it is uneven. `mass_centers` are the centers of mass per frame (meters), `leg` the leg length (meters), `gravity` in m/s².
pub(super) fn find(
    character: &Character,
    (world, terrain): (&WorldMotion, Option<&Terrain>),
    mass_centers: &[DVec3],
    (frames, cuts): (Frames, &[usize]),
    (leg, gravity): (f64, f64),
) -> Option<Stance> {
    let size = Size::new(character, leg);
    if frames.all().len() < 4 {
        return None;
    }
    let mut points = points::standing_points(character, world, &frames, &size);
    // Over uneven ground heights are those over it: of the points at their own places, of bones at theirs.
    let in_world = world;
    let lowered = terrain.map(|terrain| {
        points.iter_mut().for_each(|point| terrain.lower(&mut point.track));
        terrain.lowered(world)
    });
    let world = lowered.as_ref().unwrap_or(world);
    let ground_velocity = match keeps_heading(character, world, &frames) {
        true => treadmill(&points, mass_centers, &frames, &size, gravity),
        false => DVec3::ZERO,
    };
    let search = Search { world, others: Others::new(character, size), mass_centers, gravity, size };
    let mut stance = search.on_ground(points, (&frames, cuts), ground_velocity)?;
    if ground_velocity != DVec3::ZERO {
        // The stances themselves show the speed of their ground better than the low points.
        let slip = planted::slip(&stance, &frames, frames.within(0.017), 0.08);
        // Feet that keep no common speed, or that touch once, are on no treadmill.
        let is_even = slip.stances > 1 && slip.uncertainty < 0.1 * stance.ground_velocity.length();
        let better = if is_even { stance.ground_velocity + slip.velocity } else { DVec3::ZERO };
        stance = search.on_ground(stance.points, (&frames, cuts), better)?;
        if is_even {
            let better = planted::ground_under(&stance, world, &frames, &size);
            stance = search.on_ground(stance.points, (&frames, cuts), better)?;
        }
    }
    if let Some(terrain) = terrain.filter(|_| size.is_human) {
        stance.edges = edges::clearance(character, (in_world, terrain), &stance, stance.own_floor, (&frames, &size));
    }
    Some(stance)
}

/// What a search for stances needs, whatever the ground does.
struct Search<'a> {
    world: &'a WorldMotion,
    others: Others,
    mass_centers: &'a [DVec3],
    gravity: f64,
    size: Size,
}

impl Search<'_> {
    /// Finds the stances on a ground that moves.
    fn on_ground(
        &self,
        points: Vec<StandingPoint>,
        (frames, cuts): (&Frames, &[usize]),
        ground_velocity: DVec3,
    ) -> Option<Stance> {
        let count = self.world.frames();
        let mut stance = Stance {
            parts: vec![0; count],
            carried: vec![1.0; count],
            clearance: Vec::new(),
            clearance_of_feet: Vec::new(),
            edges: Vec::new(),
            floor: None,
            own_floor: 0.0,
            ground_velocity,
            is_human: self.size.is_human,
            points,
            levels: Vec::new(),
        };
        let (first, end) = frames.range;
        let starts = core::iter::once(first).chain(cuts.iter().copied().filter(|&cut| cut > first && cut < end));
        let ends = cuts.iter().copied().filter(|&cut| cut > first && cut < end).chain([end]);
        let mut longest = 0;
        for range in starts.zip(ends) {
            let stretch = Frames { range, ..*frames };
            let found = self.add_stretch(&mut stance, &stretch).filter(|_| stretch.all().len() > longest);
            if let Some((floor, own_floor)) = found {
                longest = stretch.all().len();
                (stance.floor, stance.own_floor) = (Some(floor), own_floor);
            }
        }
        stance.floor?;
        stance.measure_heights(frames);
        Some(stance)
    }

    /// Finds the stances of a stretch without jumps, and returns the height of its floor, and that by the joints alone.
    fn add_stretch(&self, stance: &mut Stance, frames: &Frames) -> Option<(f64, f64)> {
        let Self { world, others, mass_centers, gravity, size } = self;
        if frames.all().len() < 4 {
            return None;
        }
        carried(mass_centers, frames, *gravity, &mut stance.carried);
        let reach = frames.within(0.017);
        let ground = stance.ground_velocity;
        let points = &stance.points;
        let speeds: Vec<Vec<f64>> = points.iter().map(|point| frames.speeds(&point.track, reach, ground)).collect();
        let mut levels = levels::find(points, &speeds, &stance.carried, frames, size)?;
        let below = lying(world, others, points, &levels, &stance.carried, (frames, size));
        levels.shift(below.unwrap_or(0.0));
        let carried = &stance.carried;
        let of_frame = |f| evidence(f, world, (points, &speeds, &levels), others, carried[f], (frames, size));
        let evidence: Vec<Evidence> = frames.all().map(of_frame).collect();
        stance.parts[frames.range.0..frames.range.1].copy_from_slice(&chain::most_probable(&evidence));
        let known = below.is_some() || !size.is_human;
        let floor = if known { levels.floor } else { levels::drawn_to_zero(levels.floor, size) };
        let own_floor = levels.floor;
        stance.levels.push((frames.range, levels));
        Some((floor, own_floor))
    }
}

/// Whether the hips face about the same way all the time, as on a treadmill. Who spins or rolls on the spot is on none.
fn keeps_heading(character: &Character, world: &WorldMotion, frames: &Frames) -> bool {
    let hips = [Side::Left, Side::Right].map(|side| character.bone_of(Role::UpperLeg(side)));
    let [Some(left), Some(right)] = hips else { return true };
    let across = |frame: usize| {
        let across = world.position(left, frame) - world.position(right, frame);
        DVec3::new(across.x, 0.0, across.z).normalize_or_zero()
    };
    let mean = frames.all().map(across).sum::<DVec3>().normalize_or_zero();
    let facing = frames.all().filter(|&frame| across(frame).dot(mean) > 0.5).count();
    facing as f64 > 0.9 * frames.all().len() as f64
}

/// Velocity of the ground under feet that slide back while the body stays, m/s; zero for a body that travels.
fn treadmill(points: &[StandingPoint], mass_centers: &[DVec3], frames: &Frames, size: &Size, gravity: f64) -> DVec3 {
    let reach = frames.within(0.017);
    let low = |frame: usize| {
        let height = |point: &StandingPoint| point.track[frame].y - size.over_sole(point.kind).0;
        points.iter().map(|point| (height(point), point)).min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let Some(floor) = quantile(frames.all().filter_map(|f| Some(low(f)?.0)).collect(), 0.05) else {
        return DVec3::ZERO;
    };
    let near = frames.all().filter_map(|frame| {
        let (height, point) = low(frame)?;
        (height < floor + 0.1 * size.leg).then(|| frames.velocity(|f| point.track[f], frame, reach))
    });
    let travel = mass_centers[frames.range.1 - 1] - mass_centers[frames.range.0];
    let seconds = (frames.all().len() - 1) as f64 * frames.time;
    let least = 0.1 * (gravity * size.leg).sqrt();
    contacts::moving_ground(near.collect(), travel / seconds, frames.all().len(), least)
}

impl Stance {
    /// Whether the body has feet, so that its stances were found by their levels.
    pub(super) fn has_feet(&self) -> bool {
        !self.points.is_empty()
    }

    /// The stance of a body without feet, by the contacts of its points.
    pub(super) fn of_contacts(
        (points, touching): (&PointTracks, &[Vec<bool>]),
        (ground, scale): (&Ground, &ContactScale),
        mass_centers: &[DVec3],
        frames: &Frames,
        gravity: f64,
    ) -> Self {
        let count = mass_centers.len();
        // A point that grazes the floor at speed is no stance, but ends a flight.
        let grazes = |frame: usize| match (ground.floor, points.lowest(frame)) {
            (Some(floor), Some((height, _))) => height < floor + ground.touch_height(scale),
            _ => false,
        };
        let touches = |frame: usize| {
            frames.all().contains(&frame) && (touching.iter().any(|point| point[frame]) || grazes(frame))
        };
        let height = |frame: usize| Some(points.lowest(frame)?.0 - ground.floor?);
        let is_analyzed = |frame: &usize| frames.all().contains(frame);
        let clearance = |frame: usize| Some(frame).filter(is_analyzed).and_then(height).unwrap_or(f64::INFINITY);
        let mut force = vec![1.0; count];
        carried(mass_centers, frames, gravity, &mut force);
        Self {
            parts: (0..count).map(|frame| u8::from(touches(frame))).collect(),
            carried: force,
            clearance: (0..count).map(clearance).collect(),
            clearance_of_feet: (0..count).map(clearance).collect(),
            edges: Vec::new(),
            floor: ground.floor,
            own_floor: ground.floor.unwrap_or(0.0),
            ground_velocity: ground.treadmill,
            is_human: false,
            points: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// The same stances for another motion of the body: the levels, and which parts touch when, stay as they are.
    pub(super) fn of_motion(&self, world: &WorldMotion, mass_centers: &[DVec3], frames: &Frames, gravity: f64) -> Self {
        let mut stance = self.clone();
        stance.carried = vec![1.0; world.frames()];
        carried(mass_centers, frames, gravity, &mut stance.carried);
        for point in &mut stance.points {
            point.track = points::track(world, point.bone, point.offset);
        }
        if self.has_feet() {
            stance.measure_heights(frames);
        }
        stance
    }

    /// Height of each standing point over its level, and the least of them.
    fn measure_heights(&mut self, frames: &Frames) {
        let count = self.parts.len();
        self.clearance = vec![f64::INFINITY; count];
        self.clearance_of_feet = vec![f64::INFINITY; count];
        for (at, point) in self.points.iter_mut().enumerate() {
            point.height = vec![f64::INFINITY; count];
            for (range, levels) in &self.levels {
                for frame in range.0.max(frames.range.0)..range.1.min(frames.range.1) {
                    point.height[frame] = point.track[frame].y - levels.heights[at];
                }
            }
        }
        for frame in frames.all() {
            let height = |side: usize, kind: PointKind| {
                let of = |point: &&StandingPoint| point.part / 2 == side && point.kind == kind;
                self.points.iter().find(of).map_or(f64::INFINITY, |point| point.height[frame])
            };
            for side in 0..2 {
                let [ankle, ball, tip] = PointKind::ALL.map(|kind| height(side, kind));
                // An ankle under its level over a ball that stands is a foot that stands flat at last.
                let ankle = if self.is_human && ball.is_finite() { ankle.max(ball.min(0.0)) } else { ankle };
                self.clearance_of_feet[frame] = self.clearance_of_feet[frame].min(ankle).min(ball);
                self.clearance[frame] = self.clearance_of_feet[frame].min(self.clearance[frame]).min(tip);
            }
        }
    }

    /// The stances of a retimed motion of `frames` frames, each of which shows the frame `source`.
    pub(super) fn retimed(&self, frames: usize, source: &dyn Fn(usize) -> usize) -> Self {
        let parts = (0..frames).map(|frame| self.parts[source(frame)]).collect();
        let heights = |old: &[f64]| (0..frames).map(|frame| old[source(frame)]).collect();
        let at = |old: usize| (0..frames).find(|&frame| source(frame) >= old).unwrap_or(frames);
        let last = self.levels.len().saturating_sub(1);
        let stretch = |(index, ((first, end), levels)): (usize, &((usize, usize), Levels))| {
            let first = if index == 0 { 0 } else { at(*first) };
            let end = if index == last { frames } else { at(*end) };
            ((first, end), levels.clone())
        };
        Self {
            parts,
            clearance: heights(&self.clearance),
            clearance_of_feet: heights(&self.clearance_of_feet),
            levels: self.levels.iter().enumerate().map(stretch).collect(),
            ..self.clone()
        }
    }

    /// Standard deviation of the heights at which the feet stand, meters.
    pub(super) fn spread(&self) -> f64 {
        self.levels.iter().flat_map(|(_, levels)| &levels.spreads).copied().fold(0.0, f64::max)
    }

    /// Whether a part touches in a frame.
    pub(super) fn touches(&self, part: usize, frame: usize) -> bool {
        self.parts[frame] >> part & 1 == 1
    }

    /// The part of the body to which a point fixed to a bone belongs: heel or toe of a foot, else [`OTHER_PART`].
    pub(super) fn part_of(&self, character: &Character, bone: usize, position: DVec3) -> usize {
        let bones = character.skeleton.bones();
        let in_bone = |point: &StandingPoint| {
            if point.bone == bone {
                return Some(point.offset);
            }
            let is_child = bones[point.bone].parent == Some(bone) && point.kind != PointKind::Ankle;
            is_child.then(|| bones[point.bone].translation)
        };
        let near = self.points.iter().filter_map(|point| Some((in_bone(point)?.distance(position), point.part)));
        near.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(OTHER_PART, |(_, part)| part)
    }
}

/// Vertical force that the motion asks for over the weight, from a parabola through the mass centers within 50 ms of each frame.
fn carried(mass_centers: &[DVec3], frames: &Frames, gravity: f64, carried: &mut [f64]) {
    let (first, end) = frames.range;
    let half = frames.within(0.05).min((end - first).saturating_sub(1) / 2);
    if half == 0 {
        return;
    }
    let middle = (half * (half + 1)) as f64 / 3.0;
    let weights: Vec<f64> = (0..=2 * half).map(|k| (k as f64 - half as f64).powi(2) - middle).collect();
    let norm: f64 = weights.iter().map(|q| q * (q + middle)).sum();
    for frame in first + half..end - half {
        let rows = mass_centers[frame - half..=frame + half].iter();
        let bend: f64 = rows.zip(&weights).map(|(center, q)| q * (center.y - mass_centers[frame].y)).sum();
        carried[frame] = 1.0 + 2.0 * bend / (norm * frames.time * frames.time * gravity);
    }
    let (head, tail) = (carried[first + half], carried[end - half - 1]);
    carried[first..first + half].fill(head);
    carried[end - half..end].fill(tail);
}

/// Bones other than feet on which a human can rest, with the height of the joint below which it may, meters.
struct Others {
    bones: Vec<(usize, f64)>,
    /// Hands, likewise, of a body whose head is under its hips: it stands on the tips of its fingers too.
    hands: Vec<(usize, f64)>,
    head_and_hips: Option<(usize, usize)>,
}

impl Others {
    fn new(character: &Character, size: Size) -> Self {
        let of = |role: Role, height: f64| Some((character.bone_of(role)?, height * size.scale));
        let sides = |role: fn(Side) -> Role, height: f64| [of(role(Side::Left), height), of(role(Side::Right), height)];
        let trunk = [Role::Hips, Role::Spine, Role::Chest, Role::UpperChest].map(|role| of(role, 0.22));
        let limbs = [
            sides(Role::Hand, 0.14),
            sides(Role::LowerLeg, 0.13),
            sides(Role::LowerArm, 0.12),
            sides(Role::UpperArm, 0.20),
        ];
        let all = limbs.into_iter().flatten().chain(trunk).chain([of(Role::Head, 0.20)]);
        if !size.is_human {
            return Self { bones: Vec::new(), hands: Vec::new(), head_and_hips: None };
        }
        let hands = sides(Role::Hand, 0.24).into_iter().flatten().collect();
        let head_and_hips = character.bone_of(Role::Head).zip(character.bone_of(Role::Hips));
        Self { bones: all.flatten().collect(), hands, head_and_hips }
    }

    /// The bones on which the body can rest in a frame.
    fn in_frame(&self, world: &WorldMotion, frame: usize) -> impl Iterator<Item = (usize, f64)> {
        let height = |bone: usize| world.position(bone, frame).y;
        let is_upside_down = self.head_and_hips.is_some_and(|(head, hips)| height(head) < height(hips));
        let hands: &[(usize, f64)] = if is_upside_down { &self.hands } else { &[] };
        self.bones.iter().chain(hands).copied()
    }
}

/// Log odds of the contacts of one frame.
fn evidence(
    frame: usize,
    world: &WorldMotion,
    (points, speeds, levels): (&[StandingPoint], &[Vec<f64>], &Levels),
    others: &Others,
    carried: f64,
    (frames, size): (&Frames, &Size),
) -> Evidence {
    let mut parts = [NEVER; PARTS];
    for (at, point) in points.iter().enumerate() {
        let height = (point.track[frame].y - levels.heights[at]).max(0.0);
        if height > HIGHEST_STANCE * size.scale {
            continue;
        }
        let spread = levels.spreads[at].max(0.008 * size.scale);
        let quick = ((speeds[at][frame] - 0.15 * size.pace).max(0.0) / (0.22 * size.pace)).min(9.0);
        let odds = 3.0 - 0.5 * (height / (1.3 * spread)).powi(2) - quick;
        parts[point.part] = f64::max(parts[point.part], odds);
    }
    for (bone, top) in others.in_frame(world, frame) {
        let height = world.position(bone, frame).y - levels.floor;
        if height <= top {
            let speed = frames.velocity(|f| world.position(bone, f), frame, frames.within(0.017)).length();
            let odds = 1.5
                - (height - 0.7 * top).max(0.0) / (0.1 * top)
                - (speed - 0.4 * size.pace).max(0.0) / (0.3 * size.pace);
            parts[PARTS - 1] = f64::max(parts[PARTS - 1], odds);
        }
    }
    Evidence {
        parts: parts.map(|odds| odds.max(NEVER)),
        none: -(0.5 * ((carried - 0.15).max(0.0) / 0.3).powi(2)).min(5.0),
        any: -(0.5 * ((0.25 - carried).max(0.0) / 0.25).powi(2)).min(1.5),
    }
}

/// How far the floor of a body that hardly ever stands on its feet lies under that of its feet, meters: where its lowest joints rest.
fn lying(
    world: &WorldMotion,
    others: &Others,
    points: &[StandingPoint],
    levels: &Levels,
    carried: &[f64],
    (frames, size): (&Frames, &Size),
) -> Option<f64> {
    let is_carried = |frame: &usize| carried[*frame] > 0.6;
    let stands = |frame: &usize| {
        let height = |(point, level): (&StandingPoint, &f64)| point.track[*frame].y - level;
        points.iter().zip(&levels.heights).map(height).fold(f64::INFINITY, f64::min).abs() < 0.04 * size.leg
    };
    let all = frames.all().filter(is_carried).count();
    let standing = frames.all().filter(is_carried).filter(stands).count();
    if !size.is_human || all == 0 || standing as f64 >= 0.3 * all as f64 {
        return None;
    }
    let bones: Vec<usize> = others.bones.iter().map(|(bone, _)| *bone).chain(points.iter().map(|p| p.bone)).collect();
    let reach = frames.within(0.017);
    let rests = |frame: &usize| {
        let speeds =
            bones.iter().map(|&bone| frames.velocity(|f| world.position(bone, f), *frame, reach).length()).collect();
        quantile(speeds, 0.5).is_some_and(|speed| speed < 0.3 * size.pace)
    };
    let lowest = |frame: usize| bones.iter().map(|&bone| world.position(bone, frame).y).fold(f64::INFINITY, f64::min);
    let resting: Vec<f64> = frames.all().filter(is_carried).filter(rests).map(lowest).collect();
    if (resting.len() as f64) * frames.time < 0.15 {
        return None;
    }
    let floor = quantile(resting, 0.15)? - 0.02 * size.leg;
    (floor < levels.floor - 0.06 * size.leg).then_some(floor - levels.floor)
}

/// The value below which a share of the values lies; `None` of an empty list.
pub(super) fn quantile(mut values: Vec<f64>, share: f64) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    let at = (share * (values.len() - 1) as f64) as usize;
    Some(*values.select_nth_unstable_by(at, f64::total_cmp).1)
}

/// The value below which a share of the weights lies; `None` of an empty list.
pub(super) fn weighted_quantile(mut values: Vec<(f64, f64)>, share: f64) -> Option<f64> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let reached = |(_, weight): &&(f64, f64)| {
        sum += weight;
        sum >= share * total
    };
    values.iter().find(reached).or(values.last()).map(|(value, _)| *value)
}
