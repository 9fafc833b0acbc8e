//! Poses of bodies and bones in the JSON of a run, in world axes.
//!
//! ```text
//! "of"              "crate 2" a body │ "chain/3" the third link of a chain of rigid bodies │ "man/Hips" a bone
//!                   "doll/point 3" │ "doll/triangle 1" │ "doll/limb 0 upper", "doll/limb 0 lower": of [[points]], counted from 0
//! "position_m"      origin of the body or bone: of a box, ball, capsule or link its center, of a triangle its first corner,
//!                   of a limb's bone its middle
//! "rotation_xyzw"   unit quaternion, from the axes of the body or bone to those of the world
//! ```
//! Bones are those of the clip that `-o` writes: joints are closed, and `gap_m` tells how far they were apart. A ball that
//! is one particle does not turn, nor does a point. The y axis of a triangle runs from its first corner to its second; z is
//! its normal, on the side from which its corners run clockwise. The y axis of a limb's bone runs along it; x is the axis
//! about which the lower one bends. Obstacles and cloth are left out, and with a note a herd, or points by hand, of more than
//! half a million poses.

use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::WorldMotion;
use muybridge::particles::bone_frame::LimbFrames;
use muybridge::particles::frame::TriangleFrame;
use muybridge::simulation::recording::{Drawn, Recording, Track};
use muybridge::simulation::scene::{Herd, Points};
use serde::{Serialize, Serializer};

use super::SimulatedRun;

/// Greatest number of poses of a herd, or of points by hand, that are written: about 70 MB.
const MOST_OF_A_THING: usize = 500_000;

/// Poses of a run. They are computed while they are written, one character after the other.
pub struct Poses<'a>(pub &'a SimulatedRun);

#[derive(Serialize)]
struct PoseEntry {
    of: String,
    position_m: Vec<[f64; 3]>,
    rotation_xyzw: Vec<[f64; 4]>,
}

impl PoseEntry {
    fn new(of: String, poses: impl Iterator<Item = (DVec3, DQuat)>) -> Self {
        let (position_m, rotation_xyzw) = poses.map(|(at, turn)| (at.to_array(), turn.to_array())).unzip();
        Self { of, position_m, rotation_xyzw }
    }
}

impl Serialize for Poses<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Recording { tracks, chains, characters, .. } = &self.0.recording;
        let bodies = tracks.iter().filter(|track| !track.obstacle).filter_map(|track| match &track.drawn {
            Drawn::Body { poses, .. } => Some(PoseEntry::new(track.name.clone(), poses.iter().copied())),
            _ => None,
        });
        let links = chains.iter().flat_map(|chain| {
            let count = chain.poses.first().map_or(0, Vec::len);
            let of_link = |link: usize| chain.poses.iter().map(move |links| links[link]);
            (0..count).map(move |link| PoseEntry::new(format!("{}/{}", chain.name, link + 1), of_link(link)))
        });
        let small = self.0.scene.points.iter().filter(|points| poses_of(points, self.0) <= MOST_OF_A_THING);
        let by_hand = small.flat_map(|points| of_points(points, tracks));
        let large = large_herds(self.0);
        let is_written = |name: &str| !large.iter().any(|(herd, _)| is_of(herd, name));
        let written = characters.iter().filter(|(name, ..)| is_written(name));
        let bones = written.flat_map(|(name, character, clip)| {
            let world = WorldMotion::new(&character.skeleton, clip);
            let frames = clip.frames();
            character.skeleton.bones().iter().enumerate().map(move |(bone, of)| {
                let pose = |frame: usize| (world.position(bone, frame), world.rotation(bone, frame));
                PoseEntry::new(format!("{name}/{}", of.name), (0..frames).map(pose))
            })
        });
        serializer.collect_seq(bodies.chain(links).chain(by_hand).chain(bones))
    }
}

/// Poses of points, triangles and limbs made by hand; none of points without sticks and triangles, which are balls.
fn of_points(of: &Points, tracks: &[Track]) -> Vec<PoseEntry> {
    let places = tracks.iter().find_map(|track| match &track.drawn {
        Drawn::Lines { points, .. } | Drawn::Mesh { points, .. } if track.name == of.name => Some(points),
        _ => None,
    });
    let Some(places) = places else { return Vec::new() };
    let at = |frame: &[DVec3], corners: [u32; 3]| corners.map(|corner| frame[corner as usize]);
    let points = (0..of.positions.len()).map(|index| {
        let poses = places.iter().map(|frame| (frame[index], DQuat::IDENTITY));
        PoseEntry::new(format!("{}/point {index}", of.name), poses)
    });
    let triangles = of.triangles.iter().enumerate().map(|(index, &corners)| {
        let pose = |frame: &Vec<DVec3>| {
            let corners = at(frame, corners);
            (corners[0], TriangleFrame::at(corners).rotation())
        };
        PoseEntry::new(format!("{}/triangle {index}", of.name), places.iter().map(pose))
    });
    let limbs = of.limbs.iter().enumerate().flat_map(|(index, &corners)| {
        let axis = of.limb_axes[if of.limb_axes.len() == 1 { 0 } else { index }];
        let mut last: Option<LimbFrames> = None;
        let follow = |frame: &Vec<DVec3>| {
            let corners = at(frame, corners);
            let frames = last.map_or_else(|| LimbFrames::start(corners, axis), |last| last.follow(corners));
            last = Some(frames);
            [frames.upper, frames.lower].map(|bone| (bone.origin, DQuat::from_mat3(&bone.axes).normalize()))
        };
        let frames: Vec<_> = places.iter().map(follow).collect();
        ["upper", "lower"]
            .into_iter()
            .enumerate()
            .map(move |(bone, word)| {
                PoseEntry::new(format!("{}/limb {index} {word}", of.name), frames.iter().map(|frame| frame[bone]))
            })
            .collect::<Vec<_>>()
    });
    points.chain(triangles).chain(limbs).collect()
}

/// A note for each herd, and for points by hand, whose poses are not written.
pub fn notes(run: &SimulatedRun) -> Vec<String> {
    let note = |(name, poses): (&String, usize)| {
        format!(
            "{name}: its {poses} poses are left out of the JSON, which holds at most {MOST_OF_A_THING} of a thing; -o writes them"
        )
    };
    let points = run.scene.points.iter().map(|points| (&points.name, poses_of(points, run)));
    let large = large_herds(run).into_iter().map(|(herd, poses)| (&herd.name, poses));
    large.chain(points.filter(|(_, poses)| *poses > MOST_OF_A_THING)).map(note).collect()
}

/// Number of poses of points by hand.
fn poses_of(points: &Points, run: &SimulatedRun) -> usize {
    let Points { positions, triangles, limbs, .. } = points;
    (positions.len() + triangles.len() + 2 * limbs.len()) * run.recording.frames
}

/// Herds with too many poses to write, and their numbers.
fn large_herds(run: &SimulatedRun) -> Vec<(&Herd, usize)> {
    let poses = |herd: &Herd| {
        let members = run.recording.characters.iter().filter(|(name, ..)| is_of(herd, name));
        members.map(|(_, character, clip)| character.skeleton.len() * clip.frames()).sum()
    };
    run.scene.herds.iter().map(|herd| (herd, poses(herd))).filter(|(_, poses)| *poses > MOST_OF_A_THING).collect()
}

/// Whether a character is a ragdoll of a herd.
fn is_of(herd: &Herd, character: &str) -> bool {
    let number = character.strip_prefix(&herd.name).and_then(|rest| rest.strip_prefix(' '));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}
