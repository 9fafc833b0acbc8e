//! Poses of bodies and bones in the JSON of a run, in world axes.
//!
//! ```text
//! "of"              "crate 2" a body │ "chain/3" the third link of a chain of rigid bodies │ "man/Hips" a bone
//! "position_m"      origin of the body or bone: of a box, ball, capsule or link its center
//! "rotation_xyzw"   unit quaternion, from the axes of the body or bone to those of the world
//! ```
//! Bones are those of the clip that `-o` writes: joints are closed, and `gap_m` tells how far they were apart. A ball that
//! is one particle does not turn. Obstacles, cloth and points are left out, and so is a herd of more than half a million poses,
//! with a note.

use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::WorldMotion;
use muybridge::simulation::recording::{Drawn, Recording};
use muybridge::simulation::scene::Herd;
use serde::{Serialize, Serializer};

use super::SimulatedRun;

/// Greatest number of poses of a herd that are written: about 70 MB.
const MOST_OF_A_HERD: usize = 500_000;

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
        serializer.collect_seq(bodies.chain(links).chain(bones))
    }
}

/// A note for each herd whose poses are not written.
pub fn notes(run: &SimulatedRun) -> Vec<String> {
    let note = |(herd, poses): (&Herd, usize)| {
        format!(
            "{}: its {poses} poses are left out of the JSON, which holds at most {MOST_OF_A_HERD} of a herd; -o writes them",
            herd.name
        )
    };
    large_herds(run).into_iter().map(note).collect()
}

/// Herds with too many poses to write, and their numbers.
fn large_herds(run: &SimulatedRun) -> Vec<(&Herd, usize)> {
    let poses = |herd: &Herd| {
        let members = run.recording.characters.iter().filter(|(name, ..)| is_of(herd, name));
        members.map(|(_, character, clip)| character.skeleton.len() * clip.frames()).sum()
    };
    run.scene.herds.iter().map(|herd| (herd, poses(herd))).filter(|(_, poses)| *poses > MOST_OF_A_HERD).collect()
}

/// Whether a character is a ragdoll of a herd.
fn is_of(herd: &Herd, character: &str) -> bool {
    let number = character.strip_prefix(&herd.name).and_then(|rest| rest.strip_prefix(' '));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}
