//! Feasibility of a clip: inverse dynamics of the whole body against the friction cones at its contacts, and the force and moment the floor cannot
//! give.
//!
//! ```text
//! needed    F = M (c̈ − g) − forces of actuators,   Ḣ about the center of mass likewise         of the clip, low-passed at 6 or 10 Hz
//! given     forces in the cones at the clip's contacts, nearest to the need:                   `contact_wrench`
//! missing   needed − given;   share = ‖(F/W, Ḣ/(W L))‖,  W the weight, L the length of a leg  (0: the floor can give it)
//! ```
//! A clip whose lowest contact point lies more than [`DEEP`] L below the tested floor cannot be followed either, whatever forces would carry it: a
//! body does not go into the floor. If the clip's own floor is within 5 cm of the tested floor, depth counts from the clip's own.
//! A contact counts from [`SLACK`] seconds before its begin until [`SLACK`] seconds after its end, because neither the frames nor the filter
//! resolve the time any better. Joint moments are not tested: even a body of unlimited strength cannot give the missing wrench.
//! Specification: mathematics 6.5 (b), 6.8 (S34); Bretl, Lall 2008.

use glam::DVec3;

use super::clip_contacts::{self, ClipContacts};
use super::contact_wrench::{Demand, FrictionContact, contact_forces};
use super::contacts::{self, Ground, runs};
use super::cutoff;
use super::settings::{Actuated, Cutoff, Settings};
use crate::character::Character;
use crate::motion::Clip;

/// Floor against which a clip is tested.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    /// Height of the floor, meters; `None` uses the clip's own floor.
    pub height: Option<f64>,
    /// Coefficient of friction between the floor and the soles.
    pub friction: f64,
}

/// Force and moment that the floor cannot give at one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Missing {
    /// Missing force, newtons, world axes.
    pub force: DVec3,
    /// Missing moment about the center of mass, newton meters.
    pub moment: DVec3,
    /// Norm of missing force by weight and missing moment by weight and leg length: the distance of the needed wrench from the feasible ones.
    pub share: f64,
}

/// Wrench that a clip needs beyond the ability of its floor, frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Feasibility {
    /// Seconds between frames.
    pub frame_time: f64,
    /// Weight of the character, newtons.
    pub weight: f64,
    /// Length by which moments are divided: leg length, meters.
    pub length: f64,
    /// Height of the floor, meters; `None` if the clip has no floor.
    pub floor: Option<f64>,
    /// Missing wrench, one per frame of the clip.
    pub missing: Vec<Missing>,
    /// Depth of the lowest contact point inside the floor, meters, one per frame; 0 above the floor, and if [`Floor::height`] is `None`.
    pub inside: Vec<f64>,
}

/// Span of time in which a clip is infeasible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impossible {
    /// First and last frame.
    pub frames: (usize, usize),
    /// Begin and end of the span, seconds from the clip's first frame.
    pub seconds: (f64, f64),
    /// Missing wrench at the worst frame of the span.
    pub most: Missing,
    /// Time of the worst frame, seconds; if nothing is missing, time of the deepest penetration.
    pub at: f64,
    /// Greatest depth inside the floor, meters; 0 if the depth stays within the allowance `DEEP`.
    pub inside: f64,
}

/// Uncertainty of the begin and end of contacts, seconds.
pub(crate) const SLACK: f64 = 0.04;
/// Missing share above which a frame counts as impossible. Forces of recorded clips are known to some hundredths of the weight.
pub const LEAST_MISSING_SHARE: f64 = 0.1;
/// Depth inside the floor above which a frame counts as impossible, leg lengths: five times the height within which a point touches (ε_y of
/// [`super::contacts`]). Soles of recorded people, whose flesh gives and whose size is guessed, go up to 7 cm deep when they roll over a foot or
/// land.
pub(crate) const DEEP: f64 = 0.1;
/// Cutoff of a clip whose noise needs no filter, hertz: no real whole-body motion is faster.
const SMOOTH_HZ: f64 = 10.0;
/// Impossible spans less than this apart are joined, seconds.
const APART: f64 = 0.05;
/// A tested floor nearer than this to the clip's own counts as the clip's own, meters.
const NEAR: f64 = 0.05;

/// Tests a clip of `character` against a floor. Settings give gravity, the filter, the frames, and the forces of actuators; frames outside the
/// range miss nothing. Panics if the clip has another number of bones.
pub fn feasibility(character: &Character, clip: &Clip, settings: &Settings, floor: Floor) -> Feasibility {
    let standing = clip_contacts::standing(character, clip, settings);
    let (points, scale, range) = (&standing.points, &standing.scale, standing.range);
    let ground = ground(&standing, floor.height);
    let touching = contacts::find_contacts(points, scale, &ground, range);
    let bearing = contacts::find_bearing(points, &touching, scale, &ground, range);
    let bearing: Vec<Vec<bool>> = bearing.iter().map(|point| longer(point, SLACK / clip.frame_time)).collect();
    let flies = (range.0..range.1).any(|frame| !bearing.iter().any(|point| point[frame]));
    let chosen =
        cutoff::choose(&standing.raw.mass_center[range.0..range.1], settings.cutoff, clip.frames_per_second(), flies);
    let mut actuated = settings.actuated.clone();
    actuated.resize(clip.frames(), Actuated::default());
    let smooth = if settings.cutoff == Cutoff::Auto { chosen.hertz.or(Some(SMOOTH_HZ)) } else { chosen.hertz };
    let rows = match smooth {
        Some(hertz) => {
            cutoff::filter_efforts(&mut actuated[range.0..range.1], hertz, clip.frames_per_second());
            clip_contacts::smooth_rows(standing.animated.clone(), clip, settings, hertz, range)
        }
        None => standing.raw.clone(),
    };
    let weight = rows.mass * settings.gravity;
    let mut missing = vec![Missing::default(); clip.frames()];
    let mut inside = vec![0.0; clip.frames()];
    if let (Some(_), Some(height)) = (floor.height, ground.floor) {
        let depth = |frame: usize| points.lowest(frame).map_or(0.0, |(lowest, _)| (height - lowest).max(0.0));
        inside[range.0..range.1].iter_mut().zip(range.0..range.1).for_each(|(inside, frame)| *inside = depth(frame));
    }
    if weight > 0.0 {
        for frame in range.0..range.1 {
            let demand = Demand {
                mass_center: rows.mass_center[frame],
                force: rows.mass * rows.acceleration[frame] + weight * DVec3::Y - actuated[frame].force,
                rate: rows.angular_momentum_rate[frame] - actuated[frame].moment,
                weight,
                length: scale.length,
            };
            let bears = (0..points.len()).filter(|&point| bearing[point][frame]);
            let contact = |point: usize| {
                let spot = points.spot(point, frame);
                let position = DVec3::new(spot.x, ground.floor.unwrap_or(spot.y), spot.z);
                FrictionContact { position, normal: DVec3::Y, friction: floor.friction }
            };
            missing[frame] = missing_wrench(&bears.map(contact).collect::<Vec<_>>(), &demand);
        }
    }
    Feasibility { frame_time: clip.frame_time, weight, length: scale.length, floor: ground.floor, missing, inside }
}

/// Returns the ground of the clip, with its floor moved to `height` if that is another level.
fn ground(standing: &ClipContacts, height: Option<f64>) -> Ground {
    let own = standing.ground;
    match height {
        Some(height) if own.floor.is_none_or(|floor| (floor - height).abs() > NEAR) => {
            Ground { floor: Some(height), ..own }
        }
        _ => own,
    }
}

/// Returns the part of the demand that the nearest contact forces leave.
pub(super) fn missing_wrench(contacts: &[FrictionContact], demand: &Demand) -> Missing {
    let best = contact_forces(contacts, demand);
    let (mut force, mut moment) = (demand.force, demand.rate);
    for (contact, given) in contacts.iter().zip(&best.forces) {
        force -= *given;
        moment -= (contact.position - demand.mass_center).cross(*given);
    }
    Missing { force, moment, share: best.residual }
}

/// Extends every run of true by `frames` frames on both sides.
pub(super) fn longer(flags: &[bool], frames: f64) -> Vec<bool> {
    let by = libm::round(frames) as usize;
    let mut long = vec![false; flags.len()];
    for (first, end) in runs(flags.iter().copied()) {
        long[first.saturating_sub(by)..(end + by).min(flags.len())].fill(true);
    }
    long
}

impl Feasibility {
    /// Flags, one per frame: true outside of all impossible spans.
    pub(crate) fn feasible_frames(&self) -> Vec<bool> {
        let mut possible = vec![true; self.missing.len()];
        self.impossible().iter().for_each(|span| possible[span.frames.0..=span.frames.1].fill(false));
        possible
    }

    /// Index of the frame nearest to a time, seconds from the clip's first frame.
    pub(crate) fn frame(&self, seconds: f64) -> usize {
        let frame = libm::round(seconds / self.frame_time).max(0.0) as usize;
        frame.min(self.missing.len().saturating_sub(1))
    }

    /// True if the clip lies deeper inside the floor at a frame than [`DEEP`] allows.
    fn is_inside(&self, frame: usize) -> bool {
        self.inside[frame] > DEEP * self.length
    }

    /// Finds the spans of time in which the missing share exceeds [`LEAST_MISSING_SHARE`] or the clip is too deep inside the floor.
    pub fn impossible(&self) -> Vec<Impossible> {
        let apart = libm::round(APART / self.frame_time) as usize;
        let mut spans: Vec<(usize, usize)> = Vec::new();
        for (first, end) in runs(
            (0..self.missing.len())
                .map(|frame| self.missing[frame].share > LEAST_MISSING_SHARE || self.is_inside(frame)),
        ) {
            match spans.last_mut() {
                Some(last) if first - last.1 < apart => last.1 = end,
                _ => spans.push((first, end)),
            }
        }
        let span = |(first, end): (usize, usize)| {
            let at = (first..end).max_by(|&a, &b| self.missing[a].share.total_cmp(&self.missing[b].share));
            let deepest = (first..end).max_by(|&a, &b| self.inside[a].total_cmp(&self.inside[b]));
            let deepest = deepest.filter(|&frame| self.is_inside(frame));
            let at = at.filter(|&at| self.missing[at].share > LEAST_MISSING_SHARE).or(deepest).unwrap_or(first);
            let inside = deepest.map_or(0.0, |frame| self.inside[frame]);
            let time = |frame: usize| frame as f64 * self.frame_time;
            let seconds = (time(first), time(end - 1));
            Impossible { frames: (first, end - 1), seconds, most: self.missing[at], at: time(at), inside }
        };
        spans.into_iter().map(span).collect()
    }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DQuat};

    use super::*;
    use crate::character::{Body, Bone, Character, ContactPoint, JointRange, Skeleton};
    use crate::math::rotation::about;

    const MASS: f64 = 60.0;
    const G: f64 = 9.81;
    /// Height of the center of mass over the middle of the sole, meters, and half extents of the sole.
    const HEIGHT: f64 = 0.9;
    const HALF: [f64; 2] = [0.1, 0.15];

    /// One body on a sole of four points; its bone is in the middle of the sole.
    fn figure() -> Character {
        let (translation, rotation) = (DVec3::ZERO, DQuat::IDENTITY);
        let bone = Bone { name: "Block".into(), parent: None, translation, rotation, ends: Vec::new() };
        let inertia = DMat3::from_diagonal(DVec3::new(5.0, 1.0, 5.0));
        let contacts = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[x, z]| ContactPoint { bone: 0, position: DVec3::new(x * HALF[0], 0.0, z * HALF[1]), radius: 0.0 })
            .to_vec();
        Character {
            skeleton: Skeleton::new(vec![bone]).unwrap(),
            bodies: vec![Body { mass: MASS, center: DVec3::Y * HEIGHT, inertia, shapes: Vec::new() }],
            body_source: String::new(),
            measured_contacts: true,
            ranges: vec![JointRange::Free],
            roles: vec![None],
            contacts,
        }
    }

    /// Clip of this body, a second and a half at 120 frames per second.
    fn clip(at: impl Fn(f64) -> (DVec3, DQuat)) -> Clip {
        let mut clip = Clip::new(1, 181, 1.0 / 120.0).unwrap();
        for frame in 0..181 {
            let (place, turn) = at(frame as f64 / 120.0);
            clip.set_translation(0, frame, place);
            clip.set_rotation(0, frame, turn);
        }
        clip
    }

    fn held(clip: &Clip, friction: f64) -> Feasibility {
        let settings = Settings { cutoff: Cutoff::Off, ..Settings::default() };
        feasibility(&figure(), clip, &settings, Floor { height: Some(0.0), friction })
    }

    fn middle(found: &Feasibility) -> Missing {
        found.missing[90]
    }

    #[test]
    fn s34_what_stands_is_possible_and_so_is_what_falls_freely() {
        let standing = held(&clip(|_| (DVec3::ZERO, DQuat::IDENTITY)), 0.6);
        assert!(standing.missing.iter().all(|missing| missing.share < 1e-9));
        assert!((standing.weight - MASS * G).abs() < 1e-9 && standing.impossible().is_empty());
        // Thrown from 2 m above the floor and falling at g, turning steadily about a principal axis: the floor has to give nothing.
        let thrown = clip(|t| {
            let turn = about(DVec3::Y, 2.0 * t);
            (DVec3::new(0.8 * t, 2.0 + 7.0 * t - 0.5 * G * t * t, 0.0), turn)
        });
        let falling = held(&thrown, 0.6);
        assert!(falling.missing.iter().all(|missing| missing.share < 1e-6), "{:?}", middle(&falling));
    }

    #[test]
    fn s34_what_hovers_misses_its_weight_and_half_of_the_fall_misses_half() {
        for (rate, share) in [(0.0, 1.0), (0.5, 0.5)] {
            let found = held(&clip(|t| (DVec3::Y * (9.0 - 0.5 * rate * G * t * t), DQuat::IDENTITY)), 0.6);
            let missing = middle(&found);
            assert!((missing.force - DVec3::Y * (share * MASS * G)).length() < 1e-6 * MASS * G, "{missing:?}");
            assert!(missing.moment.length() < 1e-6 && (missing.share - share).abs() < 1e-6);
            let [only] = &found.impossible()[..] else { panic!("{:?}", found.impossible()) };
            assert_eq!(only.frames, (0, 180));
        }
    }

    #[test]
    fn s34_what_leans_beyond_its_sole_misses_the_moment_of_its_weight_about_the_edge() {
        // The center of mass is d in front of the toes. Of all forces there the nearest is W/(1 + (d/L)²): then W (d/L)²/(1 + (d/L)²) of
        // force and W d/(1 + (d/L)²) of moment are missing; if no force were given up, the missing moment would be W d.
        let beyond = 0.12;
        let mut character = figure();
        character.bodies[0].center.z = HALF[1] + beyond;
        let still = clip(|_| (DVec3::ZERO, DQuat::IDENTITY));
        let settings = Settings { cutoff: Cutoff::Off, ..Settings::default() };
        let found = feasibility(&character, &still, &settings, Floor { height: Some(0.0), friction: 0.0 });
        let (missing, ratio, weight) = (middle(&found), beyond / found.length, MASS * G);
        let given = weight / (1.0 + ratio * ratio);
        // The weight in front of the edge turns forward, about +x; the floor would have to turn it back.
        assert!((missing.moment - DVec3::NEG_X * (given * beyond)).length() < 1e-6 * weight, "{missing:?}");
        assert!((missing.force - DVec3::Y * (weight - given)).length() < 1e-6 * weight, "{missing:?}");
        // If the body leans back by less than its heel, it stands.
        character.bodies[0].center.z = beyond - HALF[1];
        let found = feasibility(&character, &still, &settings, Floor { height: Some(0.0), friction: 0.0 });
        assert!(middle(&found).share < 1e-9);
    }

    #[test]
    fn s34_a_push_beyond_friction_misses_its_distance_from_the_cone() {
        // The body is low over the floor, so that it cannot tip; its path is a parabola along x at a. Its force (m a, m g) is m (a − μ g)/√(1 + μ²)
        // from the
        // edge of the cone; m (a − μ g)/(1 + μ²) is missing along the floor, or m (a − μ g) if the floor presses with no more than the weight.
        let friction = 0.2;
        let mut character = figure();
        character.bodies[0].center = DVec3::Y * 0.005;
        let settings = Settings { cutoff: Cutoff::Off, ..Settings::default() };
        for a in [1.5, 2.5, 3.5] {
            // The motion is slow in the middle of the clip, where it counts as standing.
            let pushed = clip(|t| (DVec3::X * (0.5 * a * (t - 0.75) * (t - 0.75)), DQuat::IDENTITY));
            let floor = Floor { height: Some(0.0), friction };
            let missing = middle(&feasibility(&character, &pushed, &settings, floor));
            let over = (a - friction * G).max(0.0) * MASS;
            let distance = over / libm::sqrt(1.0 + friction * friction);
            assert!((missing.force.length() - distance).abs() < 1e-3 * MASS, "{a}: {missing:?} {distance}");
            assert!((missing.force.x - over / (1.0 + friction * friction)).abs() < 1e-3 * MASS, "{a}: {missing:?}");
        }
    }

    #[test]
    fn s34_what_stands_inside_the_floor_is_impossible_and_says_how_deep() {
        // L is half the greatest extent of a body without legs. Two hundredths of L less or more than the allowed depth: only the depth differs.
        let still = |depth: f64| held(&clip(|_| (DVec3::NEG_Y * depth, DQuat::IDENTITY)), 0.6);
        let length = still(0.0).length;
        let apart = NEAR.max(DEEP * length);
        let found = still(apart + 0.02);
        assert!(found.missing.iter().all(|missing| missing.share < 1e-9) && found.floor == Some(0.0));
        assert!(found.inside.iter().all(|inside| (inside - apart - 0.02).abs() < 1e-9));
        let [only] = &found.impossible()[..] else { panic!("{:?}", found.impossible()) };
        assert!(only.frames == (0, 180) && (only.inside - apart - 0.02).abs() < 1e-9, "{only:?}");
        assert!(found.feasible_frames().iter().all(|possible| !possible));
        // A floor within a few centimeters of the clip's own counts as the clip's own; without a given height no depth is measured.
        let near = still(NEAR - 0.01);
        assert!(near.impossible().is_empty() && near.inside.iter().all(|inside| *inside < 1e-9));
        let settings = Settings { cutoff: Cutoff::Off, ..Settings::default() };
        let deep = clip(|_| (DVec3::NEG_Y, DQuat::IDENTITY));
        let own = feasibility(&figure(), &deep, &settings, Floor { height: None, friction: 0.6 });
        assert!(own.impossible().is_empty());
    }

    #[test]
    fn s34_a_stretch_inside_the_floor_is_one_with_that_in_which_something_is_missing() {
        let missing = |share: f64| Missing { share, ..Missing::default() };
        let found = Feasibility {
            frame_time: 0.02,
            weight: 1.0,
            length: 1.0,
            floor: None,
            missing: [0.0, 0.0, 0.05, 0.2, 0.3, 0.0].map(missing).to_vec(),
            inside: vec![0.0, 0.12, 0.3, 0.15, 0.08, 0.08],
        };
        let [only] = &found.impossible()[..] else { panic!("{:?}", found.impossible()) };
        assert_eq!((only.frames, only.at, only.inside), ((1, 4), 4.0 * 0.02, 0.3));
        let inside = Feasibility { missing: vec![Missing::default(); 6], ..found };
        let [only] = &inside.impossible()[..] else { panic!("{:?}", inside.impossible()) };
        assert_eq!((only.frames, only.at, only.inside), ((1, 3), 2.0 * 0.02, 0.3));
    }

    #[test]
    fn s34_what_an_actuator_gives_is_not_asked_of_the_floor() {
        let hovering = clip(|_| (DVec3::Y * 3.0, DQuat::IDENTITY));
        let lifted = crate::analysis::Actuated { force: DVec3::Y * (MASS * G), moment: DVec3::ZERO };
        let settings = Settings { cutoff: Cutoff::Off, actuated: vec![lifted; 181], ..Settings::default() };
        let found = feasibility(&figure(), &hovering, &settings, Floor { height: Some(0.0), friction: 0.6 });
        assert!(found.missing.iter().all(|missing| missing.share < 1e-9));
    }

    #[test]
    fn stretches_that_are_next_to_each_other_are_one() {
        let missing = |share: f64| Missing { share, ..Missing::default() };
        let shares = [0.0, 0.2, 0.3, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2];
        let found = Feasibility {
            frame_time: 0.02,
            weight: 1.0,
            length: 1.0,
            floor: None,
            missing: shares.map(missing).to_vec(),
            inside: vec![0.0; 12],
        };
        let spans: Vec<_> = found.impossible().iter().map(|span| (span.frames, span.at)).collect();
        assert_eq!(spans, [((1, 4), 4.0 * 0.02), ((11, 11), 11.0 * 0.02)]);
        let possible = found.feasible_frames();
        let at = |seconds: f64| possible[found.frame(seconds)];
        // The third frame is feasible, between two that are not: it belongs to their span.
        assert!(at(0.0) && at(-1.0) && !at(0.021) && !at(0.06) && at(0.15));
        assert!(!at(9.0), "it rests as it ended");
    }
}
