//! An open motion: its file, its character and clip, and its analysis.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui;
use muybridge::analysis::{Analysis, Settings};
use muybridge::glam::{DQuat, DVec3};
use muybridge::motion::{TimeMap, WorldMotion};
use muybridge::samples;
use muybridge::skinning::SkinnedMesh;
use muybridge_files::gltf;
use muybridge_files::open::{self, OpenOptions, Opened, SourceDocument};
use muybridge_files::prepare::{Preparation, Prepared, analyze, prepare, prepare_sample};

use super::correction_queue::Bench;
use crate::documents::{Documents, OnDisk, Saving, Ticket, Way};
use crate::history::History;
use crate::job::{Job, JobMode, JobProgress};
use crate::messages::Messages;
use crate::recovery::{Recovery, RecoveryKey};
use crate::timeline::Timeline;
use crate::view::OrbitCamera;
use crate::workspace::FileToOpen;

/// A motion with everything computed from it. Large parts are shared, so a clone is a cheap undo snapshot.
#[derive(Clone, Debug)]
pub struct AnalyzedMotion {
    /// Character and clip, meters, y up.
    pub prepared: Arc<Prepared>,
    /// Analysis of the motion, as from `muybridge check`.
    pub analysis: Arc<Analysis>,
    /// World positions and rotations of all bones in all frames.
    pub world: Arc<WorldMotion>,
    /// Skinned meshes of the file, meters; empty if there are none.
    pub skins: Arc<Vec<SkinnedMesh>>,
    /// File that holds the motion, ready to be written; `None` for the sample and for recorded runs.
    pub file: Option<Arc<Opened>>,
    /// Time map from the present frames to frames of the clip as it was opened.
    pub(super) map: Arc<TimeMap>,
    pub(super) extent: Option<(DVec3, DVec3)>,
}

/// An open motion.
#[derive(Debug)]
pub struct MotionDocument {
    /// Name in the tab and in messages.
    pub name: String,
    /// Path of the file it was opened from; `None` for the sample, recorded runs and recovered files.
    pub path: Option<PathBuf>,
    /// Number of the document, unique in this session.
    pub number: u64,
    /// Index of the clip in its file.
    pub clip: usize,
    /// The present motion, as it is saved.
    pub motion: AnalyzedMotion,
    /// Preview while the user drags; shown instead of the motion, never saved. `None` if nothing is dragged.
    sketch: Option<AnalyzedMotion>,
    /// Reason why the correction that is dragged for is impossible; `None` if it is possible.
    pub refusal: Option<String>,
    /// The motion as it was opened.
    pub original: AnalyzedMotion,
    /// Undo history of the motion.
    pub history: History<AnalyzedMotion>,
    /// Time line with the cursor.
    pub timeline: Timeline,
    on_disk: OnDisk,
    /// Path and revision of the last save; `None` if it was not saved yet.
    written: Option<(PathBuf, u64)>,
}

/// All open motions, and files that are being opened.
#[derive(Debug, Default)]
pub struct Motions {
    /// Open motions, in the order of their tabs.
    pub list: Vec<MotionDocument>,
    /// Index of the motion that is shown.
    pub shown: usize,
    /// Files being read and analyzed.
    pub opening: Vec<Job<Vec<MotionDocument>>>,
    /// Running and waiting corrections.
    pub bench: Bench,
    /// Counts changes of the shown motion, so that views know when to frame it.
    pub changes: u64,
    /// Number of the motion that is shown as a ghost for comparison; `None` if there is no ghost.
    pub compared: Option<u64>,
    /// Number of the motion that waits to be closed until the user decides about its unsaved changes.
    pub closing: Option<u64>,
    /// Camera and screen rectangle of the view in the last frame.
    pub eye: Option<(OrbitCamera, egui::Rect)>,
    /// Number of documents opened so far.
    count: u64,
}

impl AnalyzedMotion {
    /// Analyzes a motion as `muybridge check` does.
    pub fn new(prepared: Prepared) -> Self {
        let analysis = analyze(&prepared, &Settings::default());
        Self::found(prepared, analysis, None)
    }

    /// Makes a motion from an analysis that is already there and the file that holds it, if any.
    pub fn found(prepared: Prepared, analysis: Analysis, file: Option<Arc<Opened>>) -> Self {
        let world = WorldMotion::new(&prepared.character.skeleton, &prepared.clip);
        let extent = extent(&prepared, &analysis, &world);
        let map = Arc::new(TimeMap::identity(prepared.clip.frames()));
        Self {
            extent,
            map,
            prepared: Arc::new(prepared),
            analysis: Arc::new(analysis),
            world: Arc::new(world),
            skins: Arc::default(),
            file,
        }
    }

    /// World position and rotation of a bone at a frame.
    pub fn pose(&self, bone: usize, frame: usize) -> (DVec3, DQuat) {
        (self.world.position(bone, frame), self.world.rotation(bone, frame))
    }

    /// Bounding box of all bones over all frames: lowest and highest corner, meters. It is slightly enlarged and
    /// reaches the floor.
    pub fn extent(&self) -> Option<(DVec3, DVec3)> {
        self.extent
    }
}

fn extent(prepared: &Prepared, analysis: &Analysis, world: &WorldMotion) -> Option<(DVec3, DVec3)> {
    let bones = 0..prepared.character.skeleton.len();
    let points = bones.flat_map(|bone| (0..world.frames()).map(move |frame| (bone, frame)));
    let points = points.map(|(bone, frame)| world.position(bone, frame)).filter(|point| point.is_finite());
    let (low, high) = points.fold(None, |bounds: Option<(DVec3, DVec3)>, point| {
        let (low, high) = bounds.unwrap_or((point, point));
        Some((low.min(point), high.max(point)))
    })?;
    let floor = analysis.floor.unwrap_or(low.y).min(low.y);
    Some((low.with_y(floor) - DVec3::new(0.15, 0.0, 0.15), high + DVec3::splat(0.12)))
}

impl MotionDocument {
    /// Document of a motion that comes from no file.
    pub fn new(name: impl Into<String>, prepared: Prepared) -> Self {
        let motion = AnalyzedMotion::new(prepared);
        let clip = &motion.prepared.clip;
        let timeline = Timeline::new(clip.frames(), clip.frame_time);
        let original = motion.clone();
        let history = History::default();
        let name = name.into();
        Self {
            name,
            path: None,
            number: 0,
            clip: 0,
            motion,
            sketch: None,
            refusal: None,
            original,
            history,
            timeline,
            on_disk: OnDisk::default(),
            written: None,
        }
    }

    /// Replaces the motion and adds an undo step. `name` appears in the menu: "Match flight".
    pub fn change(&mut self, name: &str, motion: AnalyzedMotion) {
        let before = std::mem::replace(&mut self.motion, motion);
        self.history.record(name, before);
        self.follow_clip();
    }

    /// The motion to show: the preview if the user drags, otherwise the motion itself.
    pub fn shown(&self) -> &AnalyzedMotion {
        self.sketch.as_ref().unwrap_or(&self.motion)
    }

    /// Whether a preview is shown.
    pub fn is_sketched(&self) -> bool {
        self.sketch.is_some()
    }

    /// Shows a preview, or the motion itself if `None`.
    pub fn show_sketch(&mut self, sketch: Option<AnalyzedMotion>) {
        (self.sketch, self.refusal) = (sketch, None);
        self.follow_clip();
    }

    /// Path of the file that holds the motion in its present state; `None` if there is none.
    pub fn file_now(&self) -> Option<&Path> {
        let revision = self.history.revision();
        let written = self.written.as_ref().filter(|(_, own)| *own == revision);
        written.map(|(path, _)| path.as_path()).or_else(|| self.path.as_deref().filter(|_| revision == 0))
    }

    /// Whether the motion has unsaved changes.
    pub fn is_changed(&self) -> bool {
        self.on_disk.is_changed(&self.history)
    }

    /// Adapts the time line after the clip changed.
    fn follow_clip(&mut self) {
        let clip = &self.shown().prepared.clip;
        (self.timeline.frames, self.timeline.frame_time) = (clip.frames(), clip.frame_time);
        self.timeline.time = self.timeline.time.clamp(0.0, self.timeline.duration());
    }
}

impl Motions {
    /// The motion that is shown; `None` if none is open.
    pub fn current(&self) -> Option<&MotionDocument> {
        self.list.get(self.shown)
    }

    /// The motion that is shown, mutable; `None` if none is open.
    pub fn current_mut(&mut self) -> Option<&mut MotionDocument> {
        self.list.get_mut(self.shown)
    }

    /// The motion shown as a ghost for comparison; `None` if there is none.
    pub fn ghost(&self) -> Option<&MotionDocument> {
        let shown = self.current()?.number;
        self.list.iter().find(|other| Some(other.number) == self.compared && other.number != shown)
    }

    /// Adds a motion and shows it.
    pub fn show(&mut self, mut document: MotionDocument) {
        self.count += 1;
        document.number = self.count;
        self.shown = self.list.len();
        self.list.push(document);
        self.changes += 1;
    }

    /// Shows the motion of the tab at `index`.
    pub fn show_tab(&mut self, index: usize) {
        if std::mem::replace(&mut self.shown, index) != index {
            self.changes += 1;
        }
    }

    /// Closes a motion; asks the user first if it has unsaved changes.
    pub fn ask_to_close(&mut self, index: usize) {
        match self.list.get(index) {
            Some(motion) if motion.is_changed() => self.closing = Some(motion.number),
            _ => self.close(index),
        }
    }

    /// Closes a motion without asking.
    pub fn close(&mut self, index: usize) {
        if index < self.list.len() {
            self.list.remove(index);
            // If another motion was closed, the shown motion stays.
            self.shown -= usize::from(index < self.shown);
            self.shown = self.shown.min(self.list.len().saturating_sub(1));
            self.changes += 1;
        }
    }

    /// Starts reading and analyzing a file in the background.
    pub fn open(&mut self, source: FileToOpen, running: JobMode, ctx: &egui::Context) {
        let name = format!("Opening {}", source.name());
        self.opening.push(Job::start(running, ctx, name, move |progress| read(&source, progress)));
    }

    /// Starts analyzing the built-in jump, with its flight stretched in time so that it falls with little more than
    /// half of gravity.
    pub fn open_sample(&mut self, running: JobMode, ctx: &egui::Context) {
        let work = |_: &JobProgress| {
            let jump = samples::jump();
            let (first, last, intervals) = FLOATING;
            let map = TimeMap::stretched(jump.frames(), first, last, intervals).map_err(|error| error.to_string())?;
            let prepared = prepare_sample(samples::humanoid(), map.apply(&jump), &Preparation::default());
            let prepared = prepared.map_err(|error| error.to_string())?;
            Ok(vec![MotionDocument::new("floating jump", prepared)])
        };
        self.opening.push(Job::start(running, ctx, "Opening the sample", work));
    }

    /// Adds the motions whose files have been read and analyzed.
    pub fn poll(&mut self, messages: &mut Messages) {
        let mut waiting = Vec::new();
        for job in std::mem::take(&mut self.opening) {
            match job.poll() {
                None => waiting.push(job),
                Some(Err(sentence)) => messages.error(sentence),
                Some(Ok(documents)) => {
                    let first = self.list.len();
                    for document in documents {
                        let notes = &document.motion.prepared.ignored;
                        notes.iter().for_each(|note| messages.note(format!("{}: {note}", document.name)));
                        self.show(document);
                    }
                    self.shown = first.min(self.list.len().saturating_sub(1));
                }
            }
        }
        self.opening = waiting;
    }
}

impl Documents for Motions {
    fn can_save(&self) -> bool {
        self.current().is_some()
    }

    fn save(&self, _elsewhere: bool) -> Option<Saving> {
        self.whole_file(self.current()?)
    }

    fn saved(&mut self, path: &Path, tickets: &[Ticket]) {
        for ticket in tickets {
            if let Some(document) = self.list.iter_mut().find(|document| document.number == ticket.document) {
                document.on_disk.save(ticket.revision);
                document.written = Some((path.to_path_buf(), ticket.revision));
            }
        }
    }

    fn steps(&self) -> [Option<&str>; 2] {
        self.current().map_or([None; 2], |document| [document.history.undo_name(), document.history.redo_name()])
    }

    fn travel(&mut self, way: Way, _running: JobMode, _ctx: &egui::Context) {
        if let Some(document) = self.current_mut() {
            way.step(&mut document.history, &mut document.motion);
            document.show_sketch(None);
        }
    }

    fn save_recovery(&mut self, recovery: &Recovery) -> Result<(), String> {
        self.list.iter_mut().try_for_each(|document| {
            let (name, motion, title) = (document.file_name(), &document.motion, &document.name);
            let kept = RecoveryKey { number: document.number, name: &name };
            document.on_disk.save_recovery(&document.history, recovery, kept, || {
                motion.written(title, &[]).map(|written| written.bytes)
            })
        })
    }

    fn unsaved(&self) -> Vec<String> {
        self.list.iter().filter(|document| document.is_changed()).map(|document| document.name.clone()).collect()
    }
}

/// First and last frame of the sample's flight, and its new number of intervals: 0.55 instead of 0.42 s.
const FLOATING: (usize, usize, usize) = (66, 91, 33);

/// Skinned meshes of a file, in meters. They need no conversion of the up axis, as they follow bones that are
/// converted.
fn skins(opened: &Opened, prepared: &Prepared) -> Vec<SkinnedMesh> {
    let SourceDocument::Gltf(document) = &opened.document else { return Vec::new() };
    // A mesh that cannot be read is left out; the motion is shown without it.
    let meshes = gltf::skinned_meshes(document).unwrap_or_default().into_iter();
    let bones = prepared.character.skeleton.len();
    let moves = |mesh: &SkinnedMesh| mesh.skin.joints().iter().all(|joint| joint.bone < bones);
    meshes.filter(moves).map(|mesh| mesh.scaled(prepared.units.meters_per_unit)).collect()
}

/// Reads the clips of a file; each is prepared and analyzed as `muybridge check` does.
fn read(source: &FileToOpen, progress: &JobProgress) -> Result<Vec<MotionDocument>, String> {
    let told = |error: muybridge_files::Error| error.in_file(&source.path).to_string();
    let opened = open::decode(&source.path, source.read()?, &OpenOptions::default()).map_err(told)?;
    let characters: Vec<Arc<Opened>> = opened.characters().map_err(told)?.into_iter().map(Arc::new).collect();
    let clips = |opened: &Arc<Opened>| (0..opened.imported.clips.len()).map(|clip| (opened.clone(), clip)).collect();
    let all: Vec<(Arc<Opened>, usize)> = characters.iter().flat_map(clips as fn(&_) -> Vec<_>).collect();
    let mut documents = Vec::with_capacity(all.len());
    for (number, &(ref opened, clip)) in all.iter().enumerate() {
        if progress.cancelled() {
            break;
        }
        let prepared = prepare(&opened.imported, clip, &Preparation::default()).map_err(told)?;
        let parts = [prepared.clip.name.as_str(), opened.imported.character.as_str()];
        let name = match parts {
            _ if all.len() == 1 => source.name(),
            ["", ""] => format!("{} {}", source.name(), clip + 1),
            ["", part] | [part, ""] => format!("{} {part}", source.name()),
            [clip, character] => format!("{} {clip} {character}", source.name()),
        };
        let document = MotionDocument::new(name, prepared);
        let path = (!source.is_recovered).then(|| source.path.clone());
        let mut document = MotionDocument { path, clip, ..document };
        document.motion.skins = Arc::new(skins(opened, &document.motion.prepared));
        document.motion.file = Some(opened.clone());
        document.original = document.motion.clone();
        if source.is_recovered {
            document.on_disk.lose();
        }
        documents.push(document);
        progress.set((number + 1) as f64 / all.len() as f64);
    }
    Ok(documents)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files;
    use muybridge_files::Axis;

    #[test]
    fn a_mesh_goes_with_its_bones_whatever_axis_is_said_to_be_up() {
        let path = test_files::path("gltf/Fox.glb");
        let bytes = open::read(&path).unwrap();
        let opened = open::decode(&path, bytes, &OpenOptions::default()).unwrap();
        let posed = |up: Axis| {
            let preparation = Preparation { up: Some(up), ..Preparation::default() };
            let prepared = prepare(&opened.imported, 0, &preparation).unwrap();
            let skins = skins(&opened, &prepared);
            let motion = AnalyzedMotion::new(prepared);
            let pose: Vec<_> =
                (0..motion.prepared.character.skeleton.len()).map(|bone| motion.pose(bone, 20)).collect();
            let mut points = Vec::new();
            skins[0].pose_points(&pose, &mut points);
            // Compares in file units, as the assumed unit may depend on the up axis.
            points.into_iter().map(|point| point / motion.prepared.units.meters_per_unit).collect::<Vec<_>>()
        };
        let (on_y, on_z) = (posed(Axis::Y), posed(Axis::Z));
        assert_eq!(on_y.len(), 1728, "vertices of the fox");
        let turned = on_y.iter().map(|point| Axis::Z.to_y() * *point);
        let worst = turned.zip(&on_z).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{worst}");
    }
}
