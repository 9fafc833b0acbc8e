//! Characters of one or two bodies and clips of their flights, with analytic physics.
use muybridge::analysis::{Analysis, Cutoff, Settings, VelocityDifference, analyze};
use muybridge::character::{Body, Bone, Character, ContactPoint, JointRange, Skeleton};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::rotation::exp;
use muybridge::motion::Clip;

/// Gravity of every test, m/s².
pub const GRAVITY: f64 = 9.81;

/// A rigid body about its own center.
pub fn body(mass: f64, inertia: DMat3) -> Body {
    Body { mass, center: DVec3::ZERO, inertia, shapes: vec![] }
}

/// Bodies on bones that are all children of the first, at rest in one place.
pub fn character(bodies: Vec<Body>, contacts: Vec<ContactPoint>) -> Character {
    let bone = |index: usize| Bone {
        name: format!("bone {index}"),
        parent: (index > 0).then_some(0),
        translation: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        ends: vec![],
    };
    Character {
        skeleton: Skeleton::new((0..bodies.len()).map(bone).collect()).unwrap(),
        ranges: vec![JointRange::Free; bodies.len()],
        roles: vec![None; bodies.len()],
        contacts,
        body_source: "stated".into(),
        measured_contacts: true,
        bodies,
    }
}

/// A clip of one bone whose position and orientation are functions of time.
pub fn clip(frames: usize, rate: f64, at: impl Fn(f64) -> (DVec3, DQuat)) -> Clip {
    let mut clip = Clip::new(1, frames, 1.0 / rate).unwrap();
    for frame in 0..frames {
        let (position, rotation) = at(clip.time(frame));
        clip.set_translation(0, frame, position);
        clip.set_rotation(0, frame, rotation);
    }
    clip
}

/// A throw under `gravity` m/s² (downward) from `(0.3, 1, −0.2)` with `velocity`, rotating steadily at `spin` (rad/s).
pub fn throw(frames: usize, rate: f64, gravity: f64, velocity: DVec3, spin: DVec3) -> Clip {
    clip(frames, rate, |t| {
        let place = DVec3::new(0.3, 1.0, -0.2) + velocity * t - DVec3::Y * (0.5 * gravity * t * t);
        (place, exp(spin * t))
    })
}

/// Analyzes a clip without a filter.
pub fn analysis(character: &Character, clip: &Clip, velocity: VelocityDifference) -> Analysis {
    analyze(character, clip, &Settings { cutoff: Cutoff::Off, velocity, ..Settings::default() })
}
