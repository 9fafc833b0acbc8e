//! Resampling of a clip to another frame rate.
//!
//! Frames that coincide with original frames are copied bit for bit. Between them positions and orientations follow
//! Catmull–Rom splines (orientations by the components of the unwrapped quaternions, normalized), so that neither
//! velocity nor angular velocity jumps at a key: linear interpolation would cause an impact in every frame.

use glam::{DQuat, DVec3};

use super::Clip;

/// `clip` at `frames_per_second`, from its first frame to the last multiple of the new frame time inside it.
///
/// For a rate that is not a positive number returns the clip unchanged.
pub fn resample(clip: &Clip, frames_per_second: f64) -> Clip {
    if !(frames_per_second.is_finite() && frames_per_second > 0.0) {
        return clip.clone();
    }
    let frame_time = 1.0 / frames_per_second;
    let steps = (clip.duration() / frame_time + 1e-6).floor().min(1e7);
    let Ok(mut sampled) = Clip::new(clip.bones(), steps as usize + 1, frame_time) else { return clip.clone() };
    sampled.name.clone_from(&clip.name);
    sampled.start_time = clip.start_time;
    for frame in 0..sampled.frames() {
        let at = frame as f64 * frame_time / clip.frame_time;
        for bone in 0..clip.bones() {
            sampled.set_rotation(bone, frame, rotation_at(clip, bone, at));
            sampled.set_translation(bone, frame, translation_at(clip, bone, at));
        }
    }
    sampled
}

/// Local position of `bone` in its parent's frame, at `at` frames from the start.
pub fn translation_at(clip: &Clip, bone: usize, at: f64) -> DVec3 {
    let Some(spline) = spline(clip.frames(), at) else { return clip.translation(bone, nearest(clip, at)) };
    spline.into_iter().map(|(frame, weight)| weight * clip.translation(bone, frame)).sum()
}

/// Local rotation of `bone` relative to its parent, at `at` frames from the start.
pub fn rotation_at(clip: &Clip, bone: usize, at: f64) -> DQuat {
    let Some(spline) = spline(clip.frames(), at) else { return clip.rotation(bone, nearest(clip, at)) };
    let reference = clip.rotation(bone, spline[1].0);
    let blended = spline.into_iter().fold(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), |sum, (frame, weight)| {
        let rotation = clip.rotation(bone, frame);
        sum + rotation * if rotation.dot(reference) < 0.0 { -weight } else { weight }
    });
    if blended.length_squared() > 1e-12 { blended.normalize() } else { reference }
}

fn nearest(clip: &Clip, at: f64) -> usize {
    (at.round().max(0.0) as usize).min(clip.frames() - 1)
}

/// The four frames around `at` in a clip of `frames`, with their weights on a Catmull–Rom spline. Returns `None` on a
/// frame and outside the clip. The second and third frame are those before and after `at`. A frame beyond an end is
/// extrapolated with the second difference beside it, so that parabolas are exact up to the ends.
pub fn spline(frames: usize, at: f64) -> Option<[(usize, f64); 4]> {
    let last = frames.checked_sub(1)?;
    if (at - at.round()).abs() < 1e-6 || at <= 0.0 || at >= last as f64 {
        return None;
    }
    let second = at.floor() as usize;
    let mut weights = catmull_rom(at - second as f64);
    if second == 0 {
        share(&mut weights, [0, 1, 2, 3], last > 1);
    }
    if second + 1 == last {
        share(&mut weights, [3, 2, 1, 0], last > 1);
    }
    let numbers = [second.saturating_sub(1), second, second + 1, (second + 2).min(last)];
    Some(core::array::from_fn(|k| (numbers[k], weights[k])))
}

/// Moves the weight of a missing frame to its neighbors: `3 p1 − 3 p2 + p3`, or `2 p1 − p2` if there are only two.
fn share(weights: &mut [f64; 4], [missing, one, two, three]: [usize; 4], by_parabola: bool) {
    let weight = core::mem::take(&mut weights[missing]);
    let [a, b, c] = if by_parabola { [3.0, -3.0, 1.0] } else { [2.0, -1.0, 0.0] };
    weights[one] += a * weight;
    weights[two] += b * weight;
    weights[three] += c * weight;
}

/// Catmull–Rom weights of four evenly spaced values at `t` (0 to 1) between the second and the third.
fn catmull_rom(t: f64) -> [f64; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [0.5 * (-t + 2.0 * t2 - t3), 0.5 * (2.0 - 5.0 * t2 + 3.0 * t3), 0.5 * (t + 4.0 * t2 - 3.0 * t3), 0.5 * (t3 - t2)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation;

    fn fall() -> Clip {
        let mut clip = Clip::new(1, 31, 1.0 / 30.0).unwrap();
        for frame in 0..31 {
            let time = clip.time(frame);
            clip.set_translation(0, frame, DVec3::new(time, 1.0 - 4.905 * time * time, 0.0));
            clip.set_rotation(0, frame, rotation::exp(DVec3::new(0.0, 2.0 * time, 0.0)));
        }
        clip
    }

    #[test]
    fn frames_that_coincide_are_taken_over_bit_for_bit() {
        let (clip, half) = (fall(), resample(&fall(), 15.0));
        assert_eq!(half.frames(), 16);
        for frame in 0..16 {
            assert_eq!(half.translation(0, frame), clip.translation(0, 2 * frame));
            assert_eq!(half.rotation(0, frame), clip.rotation(0, 2 * frame));
        }
    }

    #[test]
    fn a_fall_sampled_twice_as_often_is_still_a_parabola() {
        let fine = resample(&fall(), 60.0);
        // A Catmull–Rom spline reproduces a parabola exactly, and so do the extrapolated ends.
        for frame in 0..fine.frames() {
            let time = fine.time(frame);
            assert!((fine.translation(0, frame).y - (1.0 - 4.905 * time * time)).abs() < 1e-12);
            let turn = rotation::log(fine.rotation(0, frame)).y;
            assert!((turn - 2.0 * time).abs() < 1e-5, "{turn} {time}");
        }
    }
}
