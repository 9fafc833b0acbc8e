//! A made-up jump for the tests of this crate: a figure of nineteen bones that leaves the floor under 2.2 g.
//!
//! The legs are two equal links, `height of the hips = ankle + 2 L cos α` with thigh at α, shank at −α and a level foot.

use muybridge::analysis::FindingId;
use muybridge::analysis::{Analysis, Balance, Feet, Finding, Flight, FlightErrors, PerFrame, Severity, Span, Verdict};
use muybridge::analysis::{Residual, ResidualSpan, YawChange};
use muybridge::character::{Body, Bone, Character, ContactPoint, JointRange, Role, Side, Skeleton};
use muybridge::collision::shape::{PlacedShape, Shape};
use muybridge::glam::{DMat3, DQuat, DVec3};
use muybridge::math::rotation::about;
use muybridge::motion::{Clip, WorldMotion};

use crate::ClipReport;

const FRAMES: usize = 96;
const FPS: f64 = 30.0;
const TAKEOFF: usize = 27;
const LANDING: usize = 41;
const GRAVITY: f64 = 9.81;
const LEG: f64 = 0.42;
const ANKLE: f64 = 0.08;

/// Owner of all data that a report borrows.
pub struct Sample {
    pub character: Character,
    pub clip: Clip,
    pub analysis: Analysis,
    pub ignored: Vec<String>,
}

impl Sample {
    pub fn new() -> Self {
        let character = character();
        let clip = clip(&character);
        let analysis = analysis(&character, &clip);
        Self { character, clip, analysis, ignored: vec!["the skin: 2 meshes".into()] }
    }

    pub fn report(&self) -> ClipReport<'_> {
        ClipReport {
            file: "jump <made up>.bvh",
            meters_per_unit: 0.01,
            unit_source: "inferred: height 1.71 m",
            up: "y",
            analysis: &self.analysis,
            ignored: &self.ignored,
            character_name: "Hips",
            has_companions: false,
            character: &self.character,
            clip: &self.clip,
            ground: None,
        }
    }
}

/// Bone name, parent, offset, role, mass, shape and center of the shape.
type SamplePart = (&'static str, Option<usize>, [f64; 3], Role, f64, Shape, [f64; 3]);

fn parts() -> Vec<SamplePart> {
    let capsule = |radius, half_length| Shape::Capsule { radius, half_length };
    let mut parts: Vec<SamplePart> = vec![
        ("Hips", None, [0.0, 0.92, 0.0], Role::Hips, 8.0, capsule(0.12, 0.05), [0.0, 0.03, 0.0]),
        ("Spine", Some(0), [0.0, 0.12, 0.0], Role::Spine, 11.0, capsule(0.115, 0.06), [0.0, 0.08, 0.0]),
        ("Chest", Some(1), [0.0, 0.2, 0.0], Role::Chest, 14.0, capsule(0.14, 0.07), [0.0, 0.1, 0.0]),
        ("Neck", Some(2), [0.0, 0.26, 0.0], Role::Neck, 1.0, capsule(0.05, 0.04), [0.0, 0.03, 0.0]),
        (
            "Head",
            Some(3),
            [0.0, 0.08, 0.01],
            Role::Head,
            5.0,
            Shape::Ellipsoid { semi_axes: DVec3::new(0.08, 0.12, 0.1) },
            [0.0, 0.1, 0.02],
        ),
    ];
    for (side, x) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
        let name = |left, right| if side == Side::Left { left } else { right };
        let base = parts.len();
        let foot = Shape::Box { half_extents: DVec3::new(0.045, 0.035, 0.08) };
        let toes = Shape::Box { half_extents: DVec3::new(0.045, 0.02, 0.035) };
        let hand = Shape::Ellipsoid { semi_axes: DVec3::new(0.025, 0.085, 0.045) };
        parts.extend([
            (
                name("LeftUpperArm", "RightUpperArm"),
                Some(2),
                [0.19 * x, 0.2, 0.0],
                Role::UpperArm(side),
                2.0,
                capsule(0.047, 0.12),
                [0.0, -0.14, 0.0],
            ),
            (
                name("LeftLowerArm", "RightLowerArm"),
                Some(base),
                [0.0, -0.29, 0.0],
                Role::LowerArm(side),
                1.1,
                capsule(0.038, 0.1),
                [0.0, -0.12, 0.0],
            ),
            (
                name("LeftHand", "RightHand"),
                Some(base + 1),
                [0.0, -0.25, 0.0],
                Role::Hand(side),
                0.4,
                hand,
                [0.0, -0.08, 0.0],
            ),
            (
                name("LeftUpperLeg", "RightUpperLeg"),
                Some(0),
                [0.09 * x, 0.0, 0.0],
                Role::UpperLeg(side),
                9.0,
                capsule(0.07, 0.15),
                [0.0, -0.2, 0.0],
            ),
            (
                name("LeftLowerLeg", "RightLowerLeg"),
                Some(base + 3),
                [0.0, -LEG, 0.0],
                Role::LowerLeg(side),
                3.0,
                capsule(0.052, 0.15),
                [0.0, -0.2, 0.0],
            ),
            (
                name("LeftFoot", "RightFoot"),
                Some(base + 4),
                [0.0, -LEG, 0.0],
                Role::Foot(side),
                0.8,
                foot,
                [0.0, -0.045, 0.05],
            ),
            (
                name("LeftToes", "RightToes"),
                Some(base + 5),
                [0.0, -0.06, 0.13],
                Role::Toes(side),
                0.2,
                toes,
                [0.0, 0.0, 0.03],
            ),
        ]);
    }
    parts
}

fn character() -> Character {
    let parts = parts();
    let bones = parts.iter().map(|&(name, parent, offset, ..)| Bone {
        name: name.into(),
        parent,
        translation: DVec3::from_array(offset),
        rotation: DQuat::IDENTITY,
        ends: if name.ends_with("Toes") { vec![DVec3::new(0.0, 0.0, 0.07)] } else { Vec::new() },
    });
    let skeleton = Skeleton::new(bones.collect()).unwrap();
    let bodies = parts.iter().map(|(.., mass, shape, center)| {
        let position = DVec3::from_array(*center);
        let placed = PlacedShape { shape: shape.clone(), position, rotation: DQuat::IDENTITY };
        Body { mass: *mass, center: position, inertia: DMat3::IDENTITY * 0.01, shapes: vec![placed] }
    });
    let sole = |bone: usize, x: f64, y: f64, z: f64| ContactPoint { bone, position: DVec3::new(x, y, z), radius: 0.0 };
    let contacts = [10, 17].into_iter().flat_map(|foot| {
        let corners = [(-0.04, -0.03), (0.04, -0.03)].map(|(x, z)| sole(foot, x, -ANKLE, z));
        corners.into_iter().chain([(-0.04, 0.06), (0.04, 0.06)].map(|(x, z)| sole(foot + 1, x, -0.02, z)))
    });
    Character {
        ranges: vec![JointRange::Free; skeleton.len()],
        roles: parts.iter().map(|part| Some(part.3)).collect(),
        bodies: bodies.collect(),
        contacts: contacts.collect(),
        body_source: "made up".into(),
        measured_contacts: true,
        skeleton,
    }
}

/// Half the knee angle over time, radians: a crouch, a straight take-off, tucked knees, a soft landing.
fn bend(time: f64) -> f64 {
    let bump = |middle: f64, width: f64, height: f64| {
        let x = (time - middle) / width;
        height * libm::exp(-x * x)
    };
    0.12 + bump(0.62, 0.2, 0.75) + bump(1.15, 0.12, 0.5) + bump(1.62, 0.2, 0.65)
}

fn clip(character: &Character) -> Clip {
    let mut clip = Clip::new(character.skeleton.len(), FRAMES, 1.0 / FPS).unwrap();
    let hips = |alpha: f64| ANKLE + 2.0 * LEG * libm::cos(alpha);
    let (takeoff, landing) = (TAKEOFF as f64 / FPS, LANDING as f64 / FPS);
    for frame in 0..FRAMES {
        for (index, bone) in character.skeleton.bones().iter().enumerate() {
            clip.set_translation(index, frame, bone.translation);
        }
        if frame == 0 {
            continue;
        }
        let time = clip.time(frame);
        let alpha = bend(time);
        let airborne = ((time - takeoff) / (landing - takeoff)).clamp(0.0, 1.0);
        let rise = 0.5 * 2.2 * GRAVITY * (time - takeoff).max(0.0) * (landing - time).max(0.0);
        let line = hips(bend(takeoff)) * (1.0 - airborne) + hips(bend(landing)) * airborne;
        let height = if airborne > 0.0 && airborne < 1.0 { line + rise } else { hips(alpha) };
        let swing = 1.1 * libm::sin(4.0 * (time - 0.45)) * libm::exp(-(time - 1.0) * (time - 1.0) / 0.4);
        clip.set_translation(0, frame, DVec3::new(0.0, height, -0.6 + 1.2 * airborne));
        clip.set_rotation(1, frame, about(DVec3::X, 0.35 * alpha));
        clip.set_rotation(2, frame, about(DVec3::X, 0.25 * alpha));
        for side in [5, 12] {
            let out = if side == 5 { 0.2 } else { -0.2 };
            clip.set_rotation(side, frame, about(DVec3::Z, out) * about(DVec3::X, -swing - 0.5 * alpha));
            clip.set_rotation(side + 1, frame, about(DVec3::X, -0.5 - 0.4 * alpha));
            clip.set_rotation(side + 3, frame, about(DVec3::X, -alpha));
            clip.set_rotation(side + 4, frame, about(DVec3::X, 2.0 * alpha));
            clip.set_rotation(side + 5, frame, about(DVec3::X, -alpha));
        }
    }
    clip
}

fn analysis(character: &Character, clip: &Clip) -> Analysis {
    let world = WorldMotion::new(&character.skeleton, clip);
    let range = (1, FRAMES);
    let per_frame = per_frame(character, clip, &world, range);
    let flights = vec![flight(clip, &per_frame)];
    let findings = findings(clip);
    let mass = character.mass();
    let outside: Vec<Option<f64>> = per_frame.support_margin.iter().map(|m| m.map(|m| -m / 0.15)).collect();
    Analysis {
        clip: String::new(),
        frames: FRAMES,
        frames_per_second: FPS,
        bones: character.skeleton.bones().iter().map(|bone| bone.name.clone()).collect(),
        roles: character.roles.iter().enumerate().map(|(bone, role)| (role.unwrap(), bone)).collect(),
        gravity: GRAVITY,
        cutoff_hz: None,
        cutoff_source: "no noise to filter".into(),
        mass,
        body_source: character.body_source.clone(),
        no_body: None,
        segments: character.bodies.iter().enumerate().map(|(bone, body)| (bone, body.mass)).collect(),
        floor: Some(0.0),
        treadmill: DVec3::ZERO,
        range,
        per_frame,
        flights,
        unseen_support: vec![span(clip, 78, 92)],
        feet: Feet { skate: 0.023, float: 0.0, penetration: 0.011 },
        balance: Balance {
            inside_fraction: Some(0.87),
            within_one_fraction: Some(0.95),
            normalized_distance: outside,
            worst: Some((0.061, 22)),
        },
        residual: Some(residual(clip)),
        findings,
        verdict: Verdict::Implausible,
    }
}

fn residual(clip: &Clip) -> Residual {
    let span = span(clip, TAKEOFF, LANDING);
    let worst = ResidualSpan { span, force: 1.2, moment: 14.0, share: 1.2, at: span.start };
    Residual {
        mean_force: 0.31,
        worst_force: 1.2,
        mean_moment: 4.0,
        worst_moment: 14.0,
        spans: vec![worst],
        worst: Some(worst),
    }
}

fn span(clip: &Clip, first: usize, last: usize) -> Span {
    Span { first, last, start: clip.time(first), end: clip.time(last) }
}

fn per_frame(character: &Character, clip: &Clip, world: &WorldMotion, range: (usize, usize)) -> PerFrame {
    let mass = character.mass();
    let masses = |frame: usize| {
        let place = move |(bone, body): (usize, &Body)| (body.mass, world.point(bone, frame, body.center));
        character.bodies.iter().enumerate().map(place).collect::<Vec<_>>()
    };
    let center = |frame: usize| masses(frame).into_iter().map(|(m, x)| m * x).sum::<DVec3>() / mass;
    let around = |frame: usize| (frame.max(range.0 + 1) - 1, frame.min(range.1 - 2) + 1);
    let mut rows = PerFrame { time: (0..FRAMES).map(|frame| clip.time(frame)).collect(), ..PerFrame::default() };
    for frame in 0..FRAMES {
        let seen = (range.0..range.1).contains(&frame);
        let (before, after) = around(frame);
        let step = (after - before) as f64 / FPS;
        let velocity = (center(after) - center(before)) / step;
        let acceleration = (center(after) - 2.0 * center(frame) + center(before)) * FPS * FPS;
        let force = mass * (acceleration + DVec3::Y * GRAVITY);
        let momentum = masses(before)
            .into_iter()
            .zip(masses(after))
            .map(|((m, from), (_, to))| (0.5 * (from + to) - center(frame)).cross(m * ((to - from) / step - velocity)));
        let airborne = (TAKEOFF..=LANDING).contains(&frame);
        let x = center(frame);
        let zmp = DVec3::new(x.x, 0.0, x.z - (x.y * force.z / force.y.max(100.0)).clamp(-0.12, 0.12));
        let foot = world.position(10, frame);
        let margin = (0.11 - (zmp.z - foot.z - 0.08).abs()).min(0.09);
        let corners = [(0.13, -0.03), (0.13, 0.19), (-0.13, 0.19), (-0.13, -0.03)];
        rows.mass_center.push(seen.then_some(x));
        rows.mass_center_velocity.push(seen.then_some(velocity));
        rows.mass_center_acceleration.push(seen.then_some(acceleration));
        rows.linear_momentum.push(seen.then_some(mass * velocity));
        rows.angular_momentum.push(seen.then(|| momentum.sum()));
        rows.angular_momentum_rate.push(seen.then_some(DVec3::ZERO));
        rows.ground_force.push(seen.then_some(force));
        rows.zero_moment_point.push((seen && !airborne).then_some(zmp));
        rows.support_margin.push((seen && !airborne).then_some(margin));
        let missing = if airborne { force } else { DVec3::ZERO };
        rows.residual_force.push(seen.then_some(missing));
        rows.residual_moment.push(seen.then_some(DVec3::ZERO));
        let touches = seen && !airborne;
        let polygon = corners.map(|(x, z)| DVec3::new(x, 0.0, foot.z + z));
        rows.support_polygon.push(if touches { polygon.to_vec() } else { Vec::new() });
        rows.support_area.push(touches.then_some(0.26 * 0.22));
        rows.contacts.push(if touches { vec![10, 17] } else { Vec::new() });
    }
    rows
}

fn flight(clip: &Clip, rows: &PerFrame) -> Flight {
    let span = span(clip, TAKEOFF, LANDING);
    let (start, end) = (rows.mass_center[span.first].unwrap(), rows.mass_center[span.last].unwrap());
    let duration = span.end - span.start;
    let velocity = (end - start) / duration + DVec3::Y * (0.5 * GRAVITY * duration);
    let path = (span.first..=span.last).map(|frame| {
        let t = clip.time(frame) - span.start;
        start + velocity * t - DVec3::Y * (0.5 * GRAVITY * t * t)
    });
    let frames = span.last - span.first + 1;
    Flight {
        span,
        gravity: 2.2,
        gravity_standard_error: 0.03,
        size_factor: 0.45,
        frames_to_add: 6,
        shape_error: 0.002,
        sideways_error: 0.004,
        yaw_change: YawChange::default(),
        horizontal_path_error: 0.012,
        path_error_in_meters: false,
        linear_momentum_error: [Some(0.0), None, Some(0.031)],
        angular_momentum_error: [Some(0.12), Some(0.02), Some(0.0)],
        linear_momentum_error_norm: 0.031,
        linear_momentum_change: 0.4,
        angular_momentum_error_norm: 0.12,
        angular_momentum_change: 1.4,
        per_frame: FlightErrors {
            horizontal_path: vec![0.01; frames],
            linear_momentum: vec![[Some(0.0), None, Some(0.03)]; frames],
            angular_momentum: vec![[Some(0.1), Some(0.02), Some(0.0)]; frames],
        },
        fit_position: start,
        fit_velocity: velocity,
        ballistic_path: path.collect(),
        noticeability: 0.0,
        marked: false,
    }
}

fn findings(clip: &Clip) -> Vec<Finding> {
    let finding = |id, severity, (first, last), value, limit, message: &str| Finding {
        id,
        severity,
        span: span(clip, first, last),
        value,
        limit,
        message: message.into(),
    };
    vec![
        finding(
            FindingId::FlightGravity,
            Severity::Error,
            (TAKEOFF, LANDING),
            2.2,
            [Some(0.8), Some(1.25)],
            "2.20 g is outside 0.80–1.25 g. The body falls as if it were 0.45 times its size. Give the flight 6 more \
             frames, or lower its apex by 31 cm.",
        ),
        finding(
            FindingId::BalanceZmp,
            Severity::Warning,
            (20, 24),
            0.061,
            [None, Some(0.05)],
            "The zero-moment point leaves the feet by 6.1 cm; a body would tip. Shift the hips over the feet.",
        ),
        finding(
            FindingId::SupportUnseen,
            Severity::Note,
            (78, 92),
            0.47,
            [None, None],
            "Something the clip does not show carries the body here: a chair, a box, a hand. </script><b>",
        ),
    ]
}
