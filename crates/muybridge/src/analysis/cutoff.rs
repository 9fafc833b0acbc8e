//! Low-pass filter of a clip: decides whether a clip needs one, chooses the cutoff frequency, and applies the filter (mathematics 6.8).
//!
//! A clip is filtered only if its noise would show in the accelerations: fourth differences of the center of mass give the noise σ, second
//! differences amplify it to `σ √6 / h²`. Below 0.5 m/s² nothing is filtered unless the body is so quiet that the noise is more than a third of
//! all that its acceleration shows along some axis: 0.5 m/s² are 5 cm of the zero-moment point, and a standing person sways by less. Below
//! 0.03 m/s² (3 mm) nothing is filtered at all. The cutoff is the usual one of gait laboratories: 6 Hz for clips that stay on the ground, 10 Hz
//! for clips with flights.
//! Residual analysis of the path (Winter 2009) is not used: it weighs the loss in positions, and lets noise pass that ruins
//! forces.

use glam::{DQuat, DVec3};

use super::contacts::median;
use super::momentum::BodyMotion;
use super::settings::{Actuated, Cutoff};
use crate::math::filter::{self, Butterworth};

/// Noise of the acceleration below which a clip counts as clean, m/s².
const CLEAN_MPS2: f64 = 0.5;

/// The same for a body that is so quiet that the noise covers its motion, m/s².
const QUIET_MPS2: f64 = 0.03;

/// The chosen cutoff frequency and the reason for the choice.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CutoffChoice {
    /// Cutoff in hertz; `None` if no filter is applied.
    pub hertz: Option<f64>,
    /// Reason for the choice, in words.
    pub source: String,
}

/// Frames per second below which fast motion can look like noise to fourth differences, so that the track must also be rough.
const LEAST_RATE_HZ: f64 = 50.0;

/// Ratio of fourth to second differences above which a track is rough: white noise has √(70/6) = 3.4, a swing of 5 Hz at 30 frames per second 1.1.
const ROUGH: f64 = 1.2;

/// Cutoff of a noisy clip without flights, hertz.
const GROUNDED_HZ: f64 = 6.0;

/// Cutoff of a noisy clip with flights, hertz.
const FLYING_HZ: f64 = 10.0;

/// Chooses the cutoff for a path of the center of mass sampled at `sample_hz`; `flies` is true if the clip has flights.
pub(crate) fn choose(mass_centers: &[DVec3], setting: Cutoff, sample_hz: f64, flies: bool) -> CutoffChoice {
    match setting {
        Cutoff::Off => without("asked for"),
        Cutoff::Hertz(hertz) if hertz < 0.5 * sample_hz && hertz > 0.0 => {
            CutoffChoice { hertz: Some(hertz), source: "asked for".into() }
        }
        Cutoff::Hertz(_) => without("asked for one above half the frame rate"),
        Cutoff::Auto => choose_by_noise(mass_centers, sample_hz, flies),
    }
}

/// Roughness of a track: median fourth difference divided by median second difference.
fn roughness(track: &[f64]) -> f64 {
    let second: Vec<f64> = track.windows(3).map(|x| x[0] - 2.0 * x[1] + x[2]).collect();
    let fourth = second.windows(3).map(|x| (x[0] - 2.0 * x[1] + x[2]).abs()).collect();
    let (fourth, second) = (median(fourth), median(second.iter().map(|x| x.abs()).collect()));
    fourth.zip(second).map_or(0.0, |(fourth, second)| if second > 0.0 { fourth / second } else { 0.0 })
}

fn without(source: &str) -> CutoffChoice {
    CutoffChoice { hertz: None, source: source.into() }
}

fn choose_by_noise(mass_centers: &[DVec3], sample_hz: f64, flies: bool) -> CutoffChoice {
    // Noise of the acceleration along each axis, and whether the track is rough: an axis without motion is, but has no noise.
    let axis = |axis: usize| {
        let track: Vec<f64> = mass_centers.iter().map(|center| center[axis]).collect();
        (filter::noise(&track) * 6f64.sqrt() * sample_hz * sample_hz, roughness(&track) >= ROUGH)
    };
    let axes = [0, 1, 2].map(axis);
    let acceleration = axes.iter().map(|(noise, _)| *noise).fold(0.0, f64::max);
    let is_noise = |least: f64| axes.iter().any(|(noise, rough)| *noise >= least && *rough);
    let hertz = if flies { FLYING_HZ } else { GROUNDED_HZ };
    if acceleration < CLEAN_MPS2 {
        if flies || sample_hz < LEAST_RATE_HZ || !is_noise(QUIET_MPS2) {
            return CutoffChoice { hertz: None, source: format!("clean: acceleration noise {acceleration:.2} m/s²") };
        }
        let source = format!("quiet: acceleration noise {acceleration:.2} m/s² covers the motion");
        return CutoffChoice { hertz: Some(hertz), source };
    }
    if sample_hz < LEAST_RATE_HZ && !is_noise(CLEAN_MPS2) {
        return without("at so few frames per second, fast motion rather than noise");
    }
    let kind = if flies { "leaves the ground" } else { "stays on the ground" };
    CutoffChoice { hertz: Some(hertz), source: format!("{kind}; acceleration noise {acceleration:.1} m/s²") }
}

/// Applies a low-pass filter to the frames `range` of every body, in place.
pub(crate) fn filter(bodies: &mut BodyMotion, hertz: f64, sample_hz: f64, range: (usize, usize)) {
    let Some(low_pass) = Butterworth::low_pass(hertz, sample_hz) else { return };
    let frames = bodies.frames();
    let mut scratch = Vec::new();
    for track in bodies.position_tracks_mut() {
        low_pass.filter(&mut track[range.0..range.1], &mut scratch);
    }
    let mut quaternions: Vec<DQuat> = Vec::new();
    let mut scratch = Vec::new();
    for tracks in bodies.rotation_tracks_mut() {
        let at = |component: usize, frame: usize| component * frames + frame;
        quaternions.clear();
        quaternions.extend(
            (range.0..range.1)
                .map(|f| DQuat::from_xyzw(tracks[at(0, f)], tracks[at(1, f)], tracks[at(2, f)], tracks[at(3, f)])),
        );
        low_pass.filter_rotations(&mut quaternions, &mut scratch);
        for (frame, rotation) in (range.0..range.1).zip(&quaternions) {
            for (component, value) in rotation.to_array().into_iter().enumerate() {
                tracks[at(component, frame)] = value;
            }
        }
    }
}

/// Applies to actuator forces and moments the same low-pass filter as to bodies.
pub(crate) fn filter_efforts(actuated: &mut [Actuated], hertz: f64, sample_hz: f64) {
    let Some(low_pass) = Butterworth::low_pass(hertz, sample_hz) else { return };
    let (mut forces, mut moments): (Vec<DVec3>, Vec<DVec3>) =
        actuated.iter().map(|actuated| (actuated.force, actuated.moment)).unzip();
    let mut scratch = Vec::new();
    low_pass.filter(&mut forces, &mut scratch);
    low_pass.filter(&mut moments, &mut scratch);
    for ((actuated, force), moment) in actuated.iter_mut().zip(forces).zip(moments) {
        *actuated = Actuated { force, moment };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// A person who sways by 1 cm at 0.3 Hz, sampled 100 times a second with noise of `noise` meters.
    fn standing(noise: f64) -> Vec<DVec3> {
        let mut random = Random::new(3);
        let sway = |frame: usize| 0.01 * libm::sin(0.6 * core::f64::consts::PI * frame as f64 / 100.0);
        let mut at = |frame| DVec3::new(sway(frame) + noise * random.normal(), 0.9, noise * random.normal());
        (0..500).map(&mut at).collect()
    }

    #[test]
    fn s4_noise_that_covers_the_sway_of_a_standing_person_is_filtered() {
        // 0.01 mm at 100 Hz: 0.24 m/s², or 22 mm of the zero-moment point at 0.9 m; the sway itself has 0.036 m/s².
        let cutoff = choose(&standing(1e-5), Cutoff::Auto, 100.0, false);
        assert_eq!(cutoff.hertz, Some(GROUNDED_HZ), "{}", cutoff.source);
        for clean in [0.0, 1e-7] {
            assert_eq!(choose(&standing(clean), Cutoff::Auto, 100.0, false).hertz, None, "{clean}");
        }
    }

    #[test]
    fn the_same_noise_does_not_blur_a_body_that_moves() {
        // A nod of 5 cm at 2 Hz has 7.9 m/s².
        let nod = |frame: usize| 0.05 * libm::sin(4.0 * core::f64::consts::PI * frame as f64 / 100.0);
        let moving: Vec<DVec3> = standing(1e-5).iter().enumerate().map(|(f, c)| *c + DVec3::ONE * nod(f)).collect();
        assert_eq!(choose(&moving, Cutoff::Auto, 100.0, false).hertz, None);
    }
}
