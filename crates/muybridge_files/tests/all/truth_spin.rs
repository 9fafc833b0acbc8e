//! The angular-momentum tool compared with a simulator: a wobble is added to a tumble from MuJoCo, and the corrected motion is
//! compared with the simulator's orientations and its constant momentum (S16, S18, S22).

use crate::test_files::{self, here};

use muybridge::analysis::BodyMotion;
use muybridge::analysis::{momentum_error, momentum_error_norm};
use muybridge::character::{Character, JointRange};
use muybridge::correction::{RootBone, Scope, SpinSettings, SpinTarget, spin_flight};
use muybridge::glam::DVec3;
use muybridge::math::rotation::{exp, log};
use muybridge::motion::{Clip, WorldMotion};
use muybridge_files::{body_csv, bvh};

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(test_files::path(&format!("truth/{name}"))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn tumble(name: &str) -> (Character, Clip) {
    let imported = bvh::import(&bvh::parse(&bytes(&format!("{name}.bvh"))).unwrap()).unwrap();
    let skeleton = imported.skeleton;
    let table = body_csv::parse(&bytes(&format!("{name}_body.csv"))).unwrap();
    let character = Character {
        bodies: body_csv::match_bones(&table.bodies, &skeleton).unwrap(),
        ranges: vec![JointRange::Free; skeleton.len()],
        roles: vec![None; skeleton.len()],
        contacts: vec![],
        body_source: "table".into(),
        measured_contacts: true,
        skeleton,
    };
    (character, imported.clips.into_iter().next().unwrap())
}

fn bodies(character: &Character, clip: &Clip) -> BodyMotion {
    BodyMotion::new(character, &WorldMotion::new(&character.skeleton, clip))
}

/// Angular momentum of the simulator, constant over its tumble.
fn simulated_momentum(name: &str) -> DVec3 {
    let text = String::from_utf8(bytes(&format!("{name}_truth.csv"))).unwrap();
    let mut lines = text.lines();
    let head: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row: Vec<&str> = lines.next().unwrap().split(',').collect();
    let cell = |column: &str| row[head.iter().position(|name| *name == column).unwrap()].parse().unwrap();
    DVec3::new(cell("H_x"), cell("H_y"), cell("H_z"))
}

/// Angular momentum of each step, by backward differences.
fn momenta(character: &Character, clip: &Clip) -> Vec<DVec3> {
    let bodies = bodies(character, clip);
    (1..clip.frames()).map(|n| bodies.angular_momentum(n - 1, n, n, clip.frame_time)).collect()
}

/// The greatest angle between the root orientations of two clips, radians.
fn apart(a: &Clip, b: &Clip) -> f64 {
    let angle = |frame| log(a.rotation(0, frame) * b.rotation(0, frame).conjugate()).length();
    (0..a.frames()).map(angle).fold(0.0, f64::max)
}

fn relative(rows: &[DVec3]) -> f64 {
    momentum_error_norm(rows, 0.0).into_iter().fold(0.0, f64::max)
}

#[test]
fn s22_a_wobble_planted_in_a_simulated_tumble_is_taken_out_and_the_momentum_is_the_simulators() {
    let clips = [("mj_tumble_120", 0.001, 0.003), ("mj_tumble_30", 0.006, 0.01), ("cmu2020_tumble_120", 0.002, 0.005)];
    for (name, momentum_limit, angle_limit) in here(clips, |case| format!("truth/{}.bvh", case.0)) {
        let (character, truth) = tumble(name);
        let carrier = RootBone::of(&character, &truth).unwrap();
        let (mut clip, frames) = (truth.clone(), truth.frames());
        let center = bodies(&character, &truth);
        for frame in 1..frames - 1 {
            let part = (std::f64::consts::PI * frame as f64 / (frames - 1) as f64).sin().powi(2);
            let wobble = exp(DVec3::new(0.4, -0.3, 0.5) * part);
            carrier.turn(&character.skeleton, &mut clip, frame, center.mass_center(frame), wobble);
        }
        let planted = relative(&momenta(&character, &clip));
        assert!(planted > 0.1, "{name}: {planted}");
        let mut fixed = clip.clone();
        let settings = SpinSettings { momentum: SpinTarget::Landing, ..SpinSettings::default() };
        let report = spin_flight(&character, &mut fixed, 0..=frames - 1, &settings, &Scope::all(0..frames)).unwrap();
        let rows = momenta(&character, &fixed);
        assert!(relative(&rows) <= 1e-9, "{name}: {}", relative(&rows));
        assert!(momentum_error(&rows, 0.0).iter().all(|error| error.max_element() <= 1e-9), "{name}");
        let simulated = simulated_momentum(name);
        let off = report.momentum.distance(simulated) / simulated.length();
        assert!(off < momentum_limit, "{name}: {} and not {simulated}", report.momentum);
        assert!(apart(&fixed, &truth) < angle_limit, "{name}: {} rad", apart(&fixed, &truth));
        assert!(
            report.drift < 1e-14 && report.landing_error <= 1e-10,
            "{name}: {} {}",
            report.drift,
            report.landing_error
        );
        for bone in (0..clip.bones()).filter(|bone| !carrier.bones().contains(bone)) {
            for frame in 0..frames {
                assert_eq!(fixed.rotation(bone, frame), clip.rotation(bone, frame));
                assert_eq!(fixed.translation(bone, frame), clip.translation(bone, frame));
            }
        }
    }
}
