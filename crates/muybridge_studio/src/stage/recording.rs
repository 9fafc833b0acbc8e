//! A recording in progress: collects frames of a run, including the effects of the mouse.

use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::Clip;
use muybridge::simulation::Recording;
use muybridge::simulation::recording::Drawn;
use muybridge_files::prepare::{Preparation, Prepared, prepare_sample};

/// Frames recorded so far.
#[derive(Clone, Debug)]
pub struct Take {
    whole: Recording,
    /// Length of a frame, seconds; fixed by the first frame.
    time_step: f64,
    /// Translation and rotation of each bone relative to its parent, frame by frame, for each character.
    poses: Vec<Vec<(DVec3, DQuat)>>,
}

impl Take {
    /// Starts a recording with the present frame of a run with steps of `time_step` seconds.
    pub fn begin(seen: &Recording, time_step: f64) -> Self {
        let mut take = Self { whole: seen.clone(), time_step, poses: vec![Vec::new(); seen.characters.len()] };
        take.poses(seen);
        take
    }

    /// Number of frames recorded.
    pub fn frames(&self) -> usize {
        self.whole.frames
    }

    /// Length of a frame, seconds; steps of another length are not recorded.
    pub fn time_step(&self) -> f64 {
        self.time_step
    }

    /// Adds the frame after a step of `time_step` seconds, of the same world.
    pub fn add(&mut self, seen: &Recording, time_step: f64) {
        if time_step != self.time_step {
            return;
        }
        if seen.characters.len() != self.poses.len() || seen.tracks.len() != self.whole.tracks.len() {
            return;
        }
        self.poses(seen);
        for (track, now) in self.whole.tracks.iter_mut().zip(&seen.tracks) {
            match (&mut track.drawn, &now.drawn) {
                (Drawn::Body { poses, .. }, Drawn::Body { poses: now, .. }) => poses.extend(now.last()),
                (Drawn::Lines { points, .. }, Drawn::Lines { points: now, .. })
                | (Drawn::Mesh { points, .. }, Drawn::Mesh { points: now, .. }) => points.extend(now.last().cloned()),
                _ => {}
            }
        }
        for (chain, now) in self.whole.chains.iter_mut().zip(&seen.chains) {
            chain.poses.extend(now.poses.last().cloned());
        }
        for (exertion, now) in self.whole.exertions.iter_mut().zip(&seen.exertions) {
            exertion.efforts.extend(now.efforts.last());
            exertion.centers.extend(now.centers.last());
        }
        self.whole.measures.extend(seen.measures.last());
        self.whole.log.clone_from(&seen.log);
        self.whole.frames += 1;
    }

    /// Finishes the recording.
    ///
    /// # Errors
    /// Returns a message if no clip can have this frame time.
    pub fn finish(mut self) -> Result<Recording, String> {
        let frame_time = self.time_step;
        self.whole.frame_time = frame_time;
        for ((name, character, clip), poses) in self.whole.characters.iter_mut().zip(&self.poses) {
            let bones = character.skeleton.len();
            let mut made = Clip::new(bones, self.whole.frames, frame_time).map_err(|error| error.to_string())?;
            made.name.clone_from(name);
            for (index, &(translation, rotation)) in poses.iter().enumerate() {
                made.set_translation(index % bones, index / bones, translation);
                made.set_rotation(index % bones, index / bones, rotation);
            }
            *clip = made;
        }
        Ok(self.whole)
    }

    fn poses(&mut self, seen: &Recording) {
        for ((_, _, clip), poses) in seen.characters.iter().zip(&mut self.poses) {
            poses.extend((0..clip.bones()).map(|bone| (clip.translation(bone, 0), clip.rotation(bone, 0))));
        }
    }
}

/// Makes a motion of a recorded character: of the one named `wanted`, else of the first.
///
/// # Errors
/// Returns a message if the recording has no character.
pub fn motion(recording: &Recording, wanted: Option<&str>) -> Result<(String, Prepared), String> {
    let named = |wanted: &str| recording.characters.iter().find(|(name, ..)| super::world_drawing::is_of(name, wanted));
    let found = wanted.and_then(named).or_else(|| recording.characters.first());
    let Some((name, character, clip)) = found else {
        return Err("The run has no ragdoll, so there is no motion to show; add a ragdoll and record again.".into());
    };
    let prepared = prepare_sample(character.clone(), clip.clone(), &Preparation::default());
    let title = if recording.name.is_empty() { name.clone() } else { format!("{}: {name}", recording.name) };
    Ok((title, prepared.map_err(|error| error.to_string())?))
}
