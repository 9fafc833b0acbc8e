//! Walking or running: a body that travels on two feet which take turns.
//!
//! ```text
//! step      a foot comes down; steps in a row are by the other foot
//! travels   mean ‖v_horizontal − v_ground‖ of the mass center > 0.3 √(g h),  h its mean height above the floor
//! run       most steps come down out of the air: no foot touches in the frame before; walk otherwise
//! ```
//! The speed by √(g h) is the root of a Froude number: people change from walking to running near 0.7 and do not
//! call it walking much below 0.3 (Alexander 1989). What else touches the ground (hands, knees), or a stay in the air
//! longer than a stride of a run, is neither.

use super::report::Analysis;
use crate::character::{Role, Side};

/// How a body on two feet travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gait {
    /// A foot is always on the ground.
    Walk,
    /// Between the steps no foot is.
    Run,
}

/// Least speed by √(g h).
const LEAST_SPEED: f64 = 0.3;

/// Fewest steps: two, so that one foot has followed the other.
const LEAST_STEPS: usize = 2;

/// Least part of the steps that must be by the other foot than the step before.
const ALTERNATING: f64 = 0.75;

/// Longest time in the air between two steps of a run, by √(h/g): 0.45 s for a person.
const LONGEST_AIR: f64 = 1.4;

/// Largest part of the frames in which something other than the feet touches.
const OTHER_CONTACT: f64 = 0.05;

/// A foot comes down.
struct Step {
    side: Side,
    /// Frames without any foot on the ground just before.
    air: usize,
}

/// Whether the clip as a whole is a walk or a run; `None` for everything else and where left and right foot, floor or
/// mass are unknown.
pub fn gait(analysis: &Analysis) -> Option<Gait> {
    let height = mean_height(analysis)?;
    let speed = horizontal_speed(analysis)?;
    if speed <= LEAST_SPEED * libm::sqrt(analysis.gravity * height) {
        return None;
    }
    let (first, end) = analysis.range;
    let mut steps: Vec<Step> = Vec::new();
    let (mut before, mut air, mut others) = (None, 0, 0);
    for contacts in &analysis.per_frame.contacts[first..end] {
        let feet = [Side::Left, Side::Right].map(|side| contacts.iter().any(|&bone| is_foot(analysis, bone, side)));
        others += usize::from(contacts.iter().any(|&bone| side_of(analysis, bone).is_none()));
        if let Some(before) = before {
            steps.extend(steps_down(before, feet, air));
        }
        air = if feet == [false, false] { air + 1 } else { 0 };
        before = Some(feet);
    }
    let turns = steps.windows(2).filter(|pair| pair[0].side != pair[1].side).count();
    let longest = LONGEST_AIR * libm::sqrt(height / analysis.gravity) * analysis.frames_per_second;
    let is_gait = steps.len() >= LEAST_STEPS
        && turns as f64 >= ALTERNATING * (steps.len() - 1) as f64
        && others as f64 <= OTHER_CONTACT * (end - first) as f64
        && steps.iter().all(|step| step.air as f64 <= longest);
    let airborne = steps.iter().filter(|step| step.air > 0).count();
    is_gait.then_some(if 2 * airborne > steps.len() { Gait::Run } else { Gait::Walk })
}

/// Mean speed of the mass center along the ground and against it, m/s, over the frames that have one.
pub fn horizontal_speed(analysis: &Analysis) -> Option<f64> {
    let speeds = analysis.per_frame.mass_center_velocity.iter().flatten().map(|velocity| {
        let along = *velocity - analysis.treadmill;
        libm::sqrt(along.x * along.x + along.z * along.z)
    });
    mean(speeds)
}

/// Mean height of the mass center above the floor, metres.
fn mean_height(analysis: &Analysis) -> Option<f64> {
    let floor = analysis.floor?;
    mean(analysis.per_frame.mass_center.iter().flatten().map(|center| center.y - floor)).filter(|&height| height > 0.0)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (count, sum) = values.fold((0_usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    (count > 0).then(|| sum / count as f64)
}

/// The feet that touch now and did not before. Both at once are a landing on two feet, which is no step.
fn steps_down(before: [bool; 2], now: [bool; 2], air: usize) -> Option<Step> {
    match [0, 1].map(|foot| now[foot] && !before[foot]) {
        [true, false] => Some(Step { side: Side::Left, air }),
        [false, true] => Some(Step { side: Side::Right, air }),
        _ => None,
    }
}

fn is_foot(analysis: &Analysis, bone: usize, side: Side) -> bool {
    side_of(analysis, bone) == Some(side)
}

/// The side of a foot or its toes; `None` for every other bone.
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

    /// The sample's analysis with its feet, speed and floor as given: 30 fps, `steps` by foot ("L", "R", "-" for none,
    /// "B" for both), each lasting `hold` frames.
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
    }

    #[test]
    fn s28_feet_that_take_turns_out_of_the_air_run() {
        assert_eq!(gait(&made("L-R-L-R", 3, 3.0)), Some(Gait::Run));
    }

    #[test]
    fn s28_stepping_on_the_spot_hopping_and_leaping_are_neither() {
        // 0.3 √(9.81 · 1) = 0.94 m/s.
        assert_eq!(gait(&made("LLBRRBLLBRR", 3, 0.9)), None, "too slow");
        assert_eq!(gait(&made("L-L-L-L-L", 3, 2.0)), None, "on one leg");
        assert_eq!(gait(&made("B-B-B-B", 3, 2.0)), None, "on both");
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
