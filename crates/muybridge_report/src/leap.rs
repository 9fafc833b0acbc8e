//! A test fixture: a person who jumps, with the analysis of the clip, for tables and pictures.
//!
//! Feet are planted until frame 26 and from frame 42; between, the center of mass falls with the given gravity.

use muybridge::analysis::{Analysis, Finding, FindingId, Flight, Severity, Verdict};
use muybridge::analysis::{Balance, Feet, PerFrame, Residual, Span, YawChange};
use muybridge::character::{Body, Bone, Character, ContactPoint, JointRange, Role, Side, Skeleton};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::rotation;
use muybridge::motion::{Clip, WorldMotion};

use crate::labels::Labels;

const FRAMES: usize = 58;
const FRAME_TIME: f64 = 1.0 / 30.0;
/// Last frame before and first frame after the flight.
const TAKE_OFF: usize = 26;
const LANDING: usize = 42;
const GRAVITY: f64 = 9.81;

/// Bone name, parent, offset from the parent, share of the mass, radius and end of the capsule.
type Row = (&'static str, Option<usize>, [f64; 3], f64, f64, [f64; 3]);

const ROWS: [Row; 16] = [
    ("Hips", None, [0.0, 0.0, 0.0], 0.112, 0.105, [0.0, 0.06, 0.0]),
    ("Spine", Some(0), [0.0, 0.11, 0.0], 0.163, 0.108, [0.0, 0.14, 0.0]),
    ("Chest", Some(1), [0.0, 0.19, 0.0], 0.16, 0.118, [0.0, 0.13, 0.0]),
    ("Neck", Some(2), [0.0, 0.25, 0.0], 0.01, 0.052, [0.0, 0.09, 0.01]),
    ("Head", Some(3), [0.0, 0.10, 0.01], 0.069, 0.088, [0.0, 0.13, 0.02]),
    ("LeftUpperArm", Some(2), [0.19, 0.18, 0.0], 0.027, 0.046, [0.02, -0.27, 0.0]),
    ("LeftLowerArm", Some(5), [0.02, -0.28, 0.0], 0.016, 0.036, [0.0, -0.23, 0.0]),
    ("LeftHand", Some(6), [0.0, -0.25, 0.0], 0.006, 0.033, [0.0, -0.13, 0.01]),
    ("RightUpperArm", Some(2), [-0.19, 0.18, 0.0], 0.027, 0.046, [-0.02, -0.27, 0.0]),
    ("RightLowerArm", Some(8), [-0.02, -0.28, 0.0], 0.016, 0.036, [0.0, -0.23, 0.0]),
    ("RightHand", Some(9), [0.0, -0.25, 0.0], 0.006, 0.033, [0.0, -0.13, 0.01]),
    ("LeftUpperLeg", Some(0), [0.09, -0.03, 0.0], 0.142, 0.076, [0.0, -0.40, 0.0]),
    ("LeftLowerLeg", Some(11), [0.0, -0.43, 0.0], 0.043, 0.052, [0.0, -0.38, 0.0]),
    ("LeftFoot", Some(12), [0.0, -0.42, 0.0], 0.014, 0.036, [0.0, -0.045, 0.17]),
    ("RightUpperLeg", Some(0), [-0.09, -0.03, 0.0], 0.142, 0.076, [0.0, -0.40, 0.0]),
    ("RightLowerLeg", Some(14), [0.0, -0.43, 0.0], 0.043, 0.052, [0.0, -0.38, 0.0]),
];

/// Time in seconds, then angles in radians: trunk, thigh, knee, arm, elbow.
const KEYS: [[f64; 6]; 8] = [
    [0.00, 0.06, 0.10, 0.18, 0.05, 0.15],
    [0.25, 0.10, 0.15, 0.25, 0.40, 0.20],
    [0.62, 0.95, 1.25, 1.75, -1.05, 0.15],
    [0.88, 0.30, -0.15, 0.12, 2.55, 0.25],
    [1.12, 0.35, 0.95, 1.35, 2.05, 0.45],
    [1.40, 0.30, 0.65, 0.35, 1.35, 0.40],
    [1.62, 0.75, 1.20, 1.65, 0.45, 0.35],
    [1.92, 0.10, 0.15, 0.30, 0.10, 0.20],
];

/// A jump `distance` meters forward (along z) in which the center of mass falls with `gravity` g.
pub(crate) fn leap(gravity: f64, distance: f64) -> (Character, Clip, Analysis) {
    let character = character();
    let clip = clip(&character, gravity, distance);
    let analysis = analysis(&character, &clip, gravity);
    (character, clip, analysis)
}

/// Labels for a file with the given name.
pub(crate) fn labels(file: &str) -> Labels {
    Labels { file: file.into(), unit: "1 unit = 1 cm (height 1.71 m)".into(), ..Labels::default() }
}

fn character() -> Character {
    let mut rows: Vec<Row> = ROWS.to_vec();
    rows.push(("RightFoot", Some(15), [0.0, -0.42, 0.0], 0.014, 0.036, [0.0, -0.045, 0.17]));
    let bone = |row: &Row| Bone {
        name: row.0.into(),
        parent: row.1,
        translation: DVec3::from(row.2),
        rotation: DQuat::IDENTITY,
        ends: vec![],
    };
    let body = |row: &Row| {
        let (from, to) = (foot_start(row.0), DVec3::from(row.5));
        Body {
            mass: 70.0 * row.3,
            center: 0.5 * (from + to),
            inertia: DMat3::IDENTITY,
            shapes: vec![capsule(from, to, row.4)],
        }
    };
    let contacts = [13, 16].into_iter().flat_map(|bone| {
        [[0.0, -0.045, -0.03], [0.0, -0.045, 0.17]].map(|at| ContactPoint {
            bone,
            position: DVec3::from(at),
            radius: 0.036,
        })
    });
    Character {
        skeleton: Skeleton::new(rows.iter().map(bone).collect()).unwrap(),
        bodies: rows.iter().map(body).collect(),
        ranges: vec![JointRange::Free; rows.len()],
        roles: rows.iter().map(|row| role(row.0)).collect(),
        contacts: contacts.collect(),
        body_source: "de Leva 1996 male".into(),
        measured_contacts: true,
    }
}

fn foot_start(name: &str) -> DVec3 {
    if name.ends_with("Foot") { DVec3::new(0.0, -0.035, -0.03) } else { DVec3::ZERO }
}

fn role(name: &str) -> Option<Role> {
    let (side, part) = match (name.strip_prefix("Left"), name.strip_prefix("Right")) {
        (Some(part), _) => (Side::Left, part),
        (_, Some(part)) => (Side::Right, part),
        _ => (Side::Left, name),
    };
    Some(match part {
        "Hips" => Role::Hips,
        "Spine" => Role::Spine,
        "Chest" => Role::Chest,
        "Neck" => Role::Neck,
        "Head" => Role::Head,
        "UpperArm" => Role::UpperArm(side),
        "LowerArm" => Role::LowerArm(side),
        "Hand" => Role::Hand(side),
        "UpperLeg" => Role::UpperLeg(side),
        "LowerLeg" => Role::LowerLeg(side),
        "Foot" => Role::Foot(side),
        _ => return None,
    })
}

fn capsule(from: DVec3, to: DVec3, radius: f64) -> PlacedShape {
    let solid = crate::draw::capsule_between(from, to, radius);
    let half_length = 0.5 * from.distance(to);
    PlacedShape { shape: Shape::Capsule { radius, half_length }, position: solid.position, rotation: solid.rotation }
}

/// Joint angles at a time, interpolated smoothly between the keys.
fn angles(time: f64) -> [f64; 5] {
    let next = KEYS.iter().position(|key| key[0] > time).unwrap_or(KEYS.len() - 1).max(1);
    let (from, to) = (KEYS[next - 1], KEYS[next]);
    let t = ((time - from[0]) / (to[0] - from[0])).clamp(0.0, 1.0);
    let t = t * t * (3.0 - 2.0 * t);
    std::array::from_fn(|index| from[index + 1] + (to[index + 1] - from[index + 1]) * t)
}

fn clip(character: &Character, gravity: f64, distance: f64) -> Clip {
    let mut clip = Clip::new(character.skeleton.len(), FRAMES, FRAME_TIME).unwrap();
    for frame in 0..FRAMES {
        pose(character, &mut clip, frame);
    }
    let world = WorldMotion::new(&character.skeleton, &clip);
    let planted = |frame: usize, along: f64| {
        DVec3::new(0.0, 0.081, along) - 0.5 * (world.position(13, frame) + world.position(16, frame))
    };
    let start = planted(TAKE_OFF, 0.0) + mass_center(character, &world, TAKE_OFF);
    let end = planted(LANDING, distance) + mass_center(character, &world, LANDING);
    for frame in 0..FRAMES {
        let root = if frame <= TAKE_OFF {
            planted(frame, 0.0)
        } else if frame >= LANDING {
            planted(frame, distance)
        } else {
            let span = (LANDING - TAKE_OFF) as f64 * FRAME_TIME;
            let time = (frame - TAKE_OFF) as f64 * FRAME_TIME;
            let chord = start + (end - start) * (time / span);
            chord + DVec3::Y * (0.5 * gravity * GRAVITY * time * (span - time)) - mass_center(character, &world, frame)
        };
        clip.set_translation(0, frame, root);
    }
    clip
}

/// Sets the rotations of a frame, with the root at the origin.
fn pose(character: &Character, clip: &mut Clip, frame: usize) {
    let [lean, thigh, knee, arm, elbow] = angles(clip.time(frame));
    let turn = |radians: f64| rotation::about(DVec3::X, radians);
    for (index, bone) in character.skeleton.bones().iter().enumerate() {
        clip.set_translation(index, frame, bone.translation);
        // The two sides differ a little, as in a real person.
        let right = if bone.name.starts_with("Right") { 1.0 } else { -1.0 };
        let airborne = (TAKE_OFF + 1..LANDING).contains(&frame);
        let angle = match bone.name.trim_start_matches("Left").trim_start_matches("Right") {
            "Hips" => 0.55 * lean,
            "Spine" | "Chest" => 0.25 * lean,
            "Neck" => -0.3 * lean,
            "Head" => -0.35 * lean,
            "UpperArm" => -arm - lean + 0.12 * right,
            "LowerArm" => -elbow - 0.1 * right,
            "UpperLeg" => -thigh - 0.55 * lean,
            "LowerLeg" => knee,
            "Foot" => thigh - knee + if airborne { 0.45 } else { 0.0 },
            _ => 0.0,
        };
        clip.set_rotation(index, frame, turn(angle));
    }
    clip.set_translation(0, frame, DVec3::ZERO);
}

fn mass_center(character: &Character, world: &WorldMotion, frame: usize) -> DVec3 {
    let bodies = character.bodies.iter().enumerate();
    bodies.map(|(bone, body)| world.point(bone, frame, body.center) * body.mass).sum::<DVec3>() / character.mass()
}

fn span(first: usize, last: usize) -> Span {
    Span { first, last, start: first as f64 * FRAME_TIME, end: last as f64 * FRAME_TIME }
}

fn analysis(character: &Character, clip: &Clip, gravity: f64) -> Analysis {
    let world = WorldMotion::new(&character.skeleton, clip);
    let centers: Vec<DVec3> = (0..FRAMES).map(|frame| mass_center(character, &world, frame)).collect();
    let airborne = |frame: usize| (TAKE_OFF + 1..LANDING).contains(&frame);
    let flight = flight(&centers, gravity);
    let right = (0.8..=1.25).contains(&gravity);
    let message = format!(
        "{gravity:.2} g is outside 0.80–1.25 g. The body falls as if it were {:.2} times its size. Give the flight {} more frames, or lower its apex.",
        1.0 / gravity,
        flight.frames_to_add
    );
    let found = Finding {
        id: FindingId::FlightGravity,
        severity: Severity::Error,
        span: flight.span,
        value: gravity,
        limit: [Some(0.8), Some(1.25)],
        message,
    };
    Analysis {
        clip: String::new(),
        frames: FRAMES,
        frames_per_second: 30.0,
        bones: character.skeleton.bones().iter().map(|bone| bone.name.clone()).collect(),
        roles: character.roles.iter().enumerate().filter_map(|(bone, role)| role.map(|role| (role, bone))).collect(),
        gravity: GRAVITY,
        cutoff_hz: None,
        cutoff_source: "keys are smooth".into(),
        mass: character.mass(),
        body_source: character.body_source.clone(),
        no_body: None,
        segments: character.bodies.iter().map(|body| body.mass).enumerate().collect(),
        floor: Some(0.0),
        treadmill: DVec3::ZERO,
        range: (0, FRAMES),
        per_frame: PerFrame {
            time: (0..FRAMES).map(|frame| clip.time(frame)).collect(),
            mass_center: centers.iter().copied().map(Some).collect(),
            contacts: (0..FRAMES).map(|frame| if airborne(frame) { vec![] } else { vec![13, 16] }).collect(),
            ..PerFrame::default()
        },
        flights: vec![flight],
        unseen_support: vec![],
        feet: Feet { skate: 0.023, float: 0.0, penetration: 0.011 },
        balance: Balance {
            inside_fraction: Some(0.87),
            within_one_fraction: Some(0.97),
            normalized_distance: vec![],
            worst: Some((0.061, 13)),
        },
        residual: Some(Residual {
            mean_force: 0.021,
            worst_force: 0.08,
            mean_moment: 3.4,
            worst_moment: 21.6,
            spans: vec![],
            worst: None,
        }),
        findings: if right { vec![] } else { vec![found] },
        verdict: if right { Verdict::Plausible } else { Verdict::Implausible },
    }
}

fn flight(centers: &[DVec3], gravity: f64) -> Flight {
    let span = span(TAKE_OFF + 1, LANDING - 1);
    let seconds = span.end - span.start;
    let (from, to) = (centers[span.first], centers[span.last]);
    let path = (span.first..=span.last).map(|frame| {
        let time = (frame - span.first) as f64 * FRAME_TIME;
        from + (to - from) * (time / seconds) + DVec3::Y * (0.5 * GRAVITY * time * (seconds - time))
    });
    let frames = (span.last - span.first) as f64;
    Flight {
        span,
        gravity,
        gravity_standard_error: 0.03,
        size_factor: 1.0 / gravity,
        frames_to_add: libm::round(frames * (gravity.sqrt() - 1.0)) as i64,
        shape_error: 0.002,
        sideways_error: 0.004,
        yaw_change: YawChange::default(),
        horizontal_path_error: 0.012,
        path_error_in_meters: false,
        linear_momentum_error: [Some(0.01), None, Some(0.031)],
        angular_momentum_error: [Some(0.12), Some(0.02), Some(0.01)],
        linear_momentum_error_norm: 0.031,
        linear_momentum_change: 2.1,
        angular_momentum_error_norm: 0.12,
        angular_momentum_change: 1.4,
        per_frame: Default::default(),
        fit_position: from,
        fit_velocity: DVec3::ZERO,
        ballistic_path: path.collect(),
        noticeability: 0.0,
        marked: false,
    }
}
