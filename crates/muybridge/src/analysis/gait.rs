//! Gait detection: tells whether a body that travels on two alternating feet walks or runs.
//!
//! ```text
//! stance    a foot or its toes stay on the ground; stances in a row are by the other foot
//! travels   mean ‖v_horizontal − v_ground‖ of the center of mass > 0.25 √(g h),  h its mean height above the floor
//! run       between most stances no foot is on the ground; walk otherwise
//! ```
//! The speed over √(g h) is the root of a Froude number: people change from walking to running near 0.7 (Alexander 1989), a slow walk is 0.3. With
//! h about 1.2 leg lengths, 0.25 √(g h) is 0.27 √(g L). Neither walk nor run: hands and knees on the ground, hops on one foot or on both, and air
//! times longer than those of a run.

use super::contacts::runs;
use super::report::Analysis;
use crate::character::{Role, Side};

/// Gait of a body that travels on two feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gait {
    /// Some foot is on the ground at all times.
    Walk,
    /// No foot is on the ground between most stances.
    Run,
}

/// Least travel speed, as a multiple of √(g h).
const LEAST_SPEED: f64 = 0.25;

/// Least fraction of stance changes that must be to the other foot.
const ALTERNATING: f64 = 0.75;

/// If two stances overlap by more than this fraction of the shorter one, they are one stand on two feet; in a slow walk the overlap is 0.4.
const TOGETHER: f64 = 0.6;

/// Longest time in the air between two stances, as a multiple of √(h/g): 0.45 s for a person.
const LONGEST_AIR: f64 = 1.4;

/// Gaps in the contact of a foot shorter than this are ignored, seconds.
const FLICKER: f64 = 0.05;

/// Largest fraction of frames in which a bone other than the feet may touch.
const OTHER_CONTACT: f64 = 0.05;

/// Frames `first..end` in which a foot is on the ground.
#[derive(Clone, Copy)]
struct StanceSpan {
    side: Side,
    first: usize,
    end: usize,
}

/// Tells whether the clip as a whole is a walk or a run. `None` for every other motion, and if left and right foot, floor or mass are unknown.
pub fn gait(analysis: &Analysis) -> Option<Gait> {
    let height = mean_height(analysis)?;
    let (first, end) = analysis.range;
    let contacts = &analysis.per_frame.contacts[first..end];
    let on_others = |bones: &&Vec<usize>| bones.iter().any(|&bone| side_of(analysis, bone).is_none());
    let others = contacts.iter().filter(on_others).count();
    if horizontal_speed(analysis)? <= LEAST_SPEED * libm::sqrt(analysis.gravity * height)
        || others as f64 > OTHER_CONTACT * (end - first) as f64
    {
        return None;
    }
    let stances = stances(analysis, contacts);
    let changes: Vec<(StanceSpan, StanceSpan)> = stances.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let turns = changes.iter().filter(|(a, b)| a.side != b.side && !together(a, b)).count();
    let air = |(a, b): &(StanceSpan, StanceSpan)| b.first.saturating_sub(a.end);
    let longest = LONGEST_AIR * libm::sqrt(height / analysis.gravity) * analysis.frames_per_second;
    let takes_turns = !changes.is_empty()
        && turns as f64 >= ALTERNATING * changes.len() as f64
        && changes.iter().all(|change| air(change) as f64 <= longest);
    let airborne = changes.iter().filter(|change| air(change) > 0).count();
    takes_turns.then_some(if 2 * airborne > changes.len() { Gait::Run } else { Gait::Walk })
}

/// Lists the stances of both feet in the order of their middles. A stance that the clip cuts off is left out if it is only the rest of a stand on
/// both feet.
fn stances(analysis: &Analysis, contacts: &[Vec<usize>]) -> Vec<StanceSpan> {
    let flicker = FLICKER * analysis.frames_per_second;
    let mut stances: Vec<StanceSpan> = Vec::new();
    for side in [Side::Left, Side::Right] {
        let touches = |bones: &Vec<usize>| bones.iter().any(|&bone| side_of(analysis, bone) == Some(side));
        for (first, end) in runs(contacts.iter().map(touches)) {
            match stances.last_mut().filter(|last| last.side == side && ((first - last.end) as f64) < flicker) {
                Some(last) => last.end = end,
                None => stances.push(StanceSpan { side, first, end }),
            }
        }
    }
    stances.sort_by_key(|stance| (stance.first + stance.end, stance.side));
    let is_rest = |index: usize| {
        let stance = &stances[index];
        let cut = stance.first == 0 || stance.end == contacts.len();
        // Of two equally long stances the first is dropped.
        let outlasts = |at: usize, other: &StanceSpan| {
            (other.end - other.first, at) > (stance.end - stance.first, index) && other.side != stance.side
        };
        cut && stances.iter().enumerate().any(|(at, other)| outlasts(at, other) && together(stance, other))
    };
    (0..stances.len()).filter(|&index| !is_rest(index)).map(|index| stances[index]).collect()
}

fn together(a: &StanceSpan, b: &StanceSpan) -> bool {
    let shared = a.end.min(b.end).saturating_sub(a.first.max(b.first));
    shared as f64 > TOGETHER * (a.end - a.first).min(b.end - b.first) as f64
}

/// Mean horizontal speed of the center of mass relative to the ground, m/s, over the frames that have a velocity; `None` if no frame has.
pub fn horizontal_speed(analysis: &Analysis) -> Option<f64> {
    let speeds = analysis.per_frame.mass_center_velocity.iter().flatten().map(|velocity| {
        let along = *velocity - analysis.treadmill;
        libm::sqrt(along.x * along.x + along.z * along.z)
    });
    mean(speeds)
}

/// Mean height of the center of mass above the floor, meters; `None` without floor, or if the height is not positive.
fn mean_height(analysis: &Analysis) -> Option<f64> {
    let floor = analysis.floor?;
    mean(analysis.per_frame.mass_center.iter().flatten().map(|center| center.y - floor)).filter(|&height| height > 0.0)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}

/// Side of a foot or toe bone; `None` for every other bone.
fn side_of(analysis: &Analysis, bone: usize) -> Option<Side> {
    analysis.roles.iter().find(|(_, played_by)| *played_by == bone).and_then(|(role, _)| match role {
        Role::Foot(side) | Role::Toes(side) => Some(*side),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Settings, analyze};
    use crate::samples;

    /// Analysis of the sample with given feet, speed and floor: 30 fps, `pattern` by foot ("L", "R", "-" for none, "B" for both), each letter
    /// lasting `hold` frames.
    fn made(pattern: &str, hold: usize, speed: f64) -> Analysis {
        let mut analysis = analyze(&samples::humanoid(), &samples::jump(), &Settings::default());
        let foot = |side| analysis.roles.iter().find(|(role, _)| *role == Role::Foot(side)).unwrap().1;
        let (left, right) = (foot(Side::Left), foot(Side::Right));
        let frames: Vec<Vec<usize>> = pattern
            .chars()
            .flat_map(|letter| std::iter::repeat_n(letter, hold))
            .map(|letter| match letter {
                'L' => vec![left],
                'R' => vec![right],
                'B' => vec![left, right],
                _ => Vec::new(),
            })
            .collect();
        analysis.frames = frames.len();
        analysis.frames_per_second = 30.0;
        analysis.range = (0, frames.len());
        let center = analysis.floor.unwrap() * glam::DVec3::Y + glam::DVec3::Y;
        analysis.per_frame.mass_center = vec![Some(center); frames.len()];
        analysis.per_frame.mass_center_velocity = vec![Some(speed * glam::DVec3::X); frames.len()];
        analysis.per_frame.contacts = frames;
        analysis
    }

    #[test]
    fn s28_feet_that_take_turns_on_the_ground_walk() {
        assert_eq!(gait(&made("LLBRRBLLBRR", 3, 1.3)), Some(Gait::Walk));
        assert_eq!(gait(&made("BRRRBLLLB", 3, 1.3)), Some(Gait::Walk), "cut in the middle of a stand");
    }

    #[test]
    fn s28_feet_that_take_turns_out_of_the_air_run() {
        assert_eq!(gait(&made("L-R-L-R", 3, 3.0)), Some(Gait::Run));
        assert_eq!(gait(&made("LL-RR-", 3, 3.0)), Some(Gait::Run), "one cycle");
    }

    #[test]
    fn s28_stepping_on_the_spot_hopping_and_leaping_are_neither() {
        // 0.25 √(9.81 · 1) = 0.783 m/s.
        assert_eq!(gait(&made("LLBRRBLLBRR", 3, 0.78)), None, "too slow");
        assert_eq!(gait(&made("L-L-L-L-L", 3, 2.0)), None, "on one leg");
        assert_eq!(gait(&made("B-B-B-B", 3, 2.0)), None, "on both");
        assert_eq!(gait(&made("BBB---", 3, 2.0)), None, "off from both");
        // 1.4 √(1/9.81) = 0.447 s; five letters of three frames are 0.5 s.
        assert_eq!(gait(&made("L-----R-----L", 3, 3.0)), None, "too long in the air");
    }

    #[test]
    fn s28_what_walks_on_a_moving_ground_walks() {
        let mut analysis = made("LLBRRBLLBRR", 3, 0.0);
        analysis.treadmill = -1.3 * glam::DVec3::X;
        assert_eq!(gait(&analysis), Some(Gait::Walk));
    }

    #[test]
    fn x14_without_floor_or_feet_there_is_no_gait() {
        let mut analysis = made("LLBRRBLLBRR", 3, 1.3);
        analysis.floor = None;
        assert_eq!(gait(&analysis), None);
        let mut analysis = made("LLBRRBLLBRR", 3, 1.3);
        analysis.roles.clear();
        assert_eq!(gait(&analysis), None);
    }
}
