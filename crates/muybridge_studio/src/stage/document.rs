//! The open scene and the simulation world built from it.
//!
//! ```text
//! file or built-in text ─► scene ─► assets, world (on a thread) ─► steps, one frame drawn at a time
//! ```
//! The scene is the document: it is edited, undone and saved. A world is built from it and rebuilt when it changes. A
//! run that has begun is saved beside its scene as an input log that reproduces its state bit for bit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui;
use muybridge::simulation::{Recording, Scene, SceneError, World, settings_of};
use muybridge_files::AllowedFiles;
use muybridge_files::scene::{
    built_in, is_log, load_with, located, notes as old_words, read_log, read_unchecked, with_whole_paths, write,
    write_log,
};

use super::engine::{Engine, RunMessage, Status};
use super::outline::{self, OutlineEntry};
use super::run::RunHandle;
use crate::documents::{Beside, Documents, OnDisk, Saving, Ticket, Way};
use crate::history::History;
use crate::job::{Job, JobMode, JobProgress};
use crate::messages::Messages;
use crate::recovery::{Recovery, RecoveryKey};
use crate::view::OrbitCamera;
use crate::workspace::FileToOpen;

/// An open scene with its run.
#[derive(Debug)]
pub struct SceneDocument {
    /// Name in the window and in messages.
    pub name: String,
    /// Path it was read from or saved to; `None` for a built-in or recovered scene.
    pub path: Option<PathBuf>,
    /// Folder that relative paths in the scene refer to.
    pub folder: PathBuf,
    /// The scene that is simulated.
    pub scene: Arc<Scene>,
    /// Things of the scene, as a list for the outline.
    pub entries: Vec<OutlineEntry>,
    /// Undo history of the scene.
    pub history: History<Arc<Scene>>,
    on_disk: OnDisk,
    /// The run of the scene's world; `None` while it is first built, or if it cannot be built.
    pub run: Option<RunHandle>,
}

/// The open scene and work in progress on it.
#[derive(Debug, Default)]
pub struct OpenScene {
    /// The open scene; `None` if there is none.
    pub document: Option<SceneDocument>,
    /// A scene being read and built, or an edited scene being rebuilt; `None` if nothing is being built.
    pub building: Option<Job<BuiltScene>>,
    /// Counts the scenes opened, so that views know when to frame a new one.
    pub changes: u64,
    /// Error in the present scene; `None` if it is valid. The world is then that of the last valid scene.
    pub fault: Option<SceneError>,
    /// Scene that waits to be opened until the user decides about unsaved changes.
    pub asked: Option<Opening>,
    /// The last recorded run; `None` if nothing was recorded.
    pub recording: Option<Recording>,
    /// Camera and screen rectangle of the view in the last frame, shared by both rooms.
    pub eye: Option<(OrbitCamera, egui::Rect)>,
    /// Set if the scene changed during a build: another build follows, which restarts or continues the run.
    wanted: Option<Keep>,
    /// Whether the world being built restarts or continues the present run.
    keep: Keep,
    gesture: u64,
}

/// A scene to open.
#[derive(Clone, Debug, PartialEq)]
pub enum Opening {
    /// A scene file.
    File(FileToOpen),
    /// A built-in scene, by name.
    BuiltIn(&'static str),
    /// An empty scene with a ground.
    Empty,
}

/// Whether a change of the scene restarts or continues its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Restarts the run: things begin in other places or are other things.
    #[default]
    Start,
    /// Continues the run from its state: only properties of things changed.
    State,
}

/// Result of a build: scene, engine or error.
#[derive(Debug)]
pub struct BuiltScene {
    document: Option<SceneDocument>,
    engine: Result<(Box<Engine>, Vec<String>), SceneError>,
    /// Message about an error in the scene with its position in the file; `None` if there is none.
    told: Option<String>,
}

/// Extension of the file beside a scene that holds the input log of its run.
const RUN: &str = "run.toml";

/// Text of the scene that New creates.
const EMPTY: &str = "[scene]\nname = \"untitled\"\nground = 0.0\n";

impl SceneDocument {
    fn new(name: String, folder: PathBuf, scene: Scene) -> Self {
        let (scene, history) = (Arc::new(scene), History::default());
        Self { name, path: None, folder, scene, entries: Vec::new(), history, on_disk: OnDisk::default(), run: None }
    }

    /// Replaces the scene and adds an undo step. `name` appears in the menu: "Add a box". [`OpenScene::edit`] also
    /// rebuilds the world.
    pub fn change(&mut self, name: &str, scene: Scene) {
        let before = self.replace(scene);
        self.history.record(name, before);
    }

    /// Replaces the scene as part of a longer change; changes of the same gesture become one undo step.
    pub fn change_joined(&mut self, name: &str, gesture: u64, scene: Scene) {
        let before = self.replace(scene);
        self.history.record_joined(name, gesture, before);
    }

    fn replace(&mut self, scene: Scene) -> Arc<Scene> {
        self.entries = outline::entries(&scene);
        std::mem::replace(&mut self.scene, Arc::new(scene))
    }

    /// Whether the scene has unsaved changes.
    pub fn is_changed(&self) -> bool {
        self.on_disk.is_changed(&self.history)
    }

    /// File name that is proposed for saving.
    pub fn file_name(&self) -> String {
        let own = self.path.as_ref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
        own.unwrap_or_else(|| format!("{}.toml", self.name.trim_end_matches(".toml")))
    }
}

impl OpenScene {
    /// Starts opening a scene; asks the user first if the open scene has unsaved changes.
    pub fn begin(&mut self, opening: Opening, running: JobMode, ctx: &egui::Context) {
        if self.document.as_ref().is_some_and(SceneDocument::is_changed) {
            self.asked = Some(opening);
        } else {
            self.replace(opening, running, ctx);
        }
    }

    /// Starts opening a scene in place of the open one.
    pub fn replace(&mut self, opening: Opening, running: JobMode, ctx: &egui::Context) {
        (self.asked, self.wanted, self.keep) = (None, None, Keep::Start);
        let name = match &opening {
            Opening::File(source) => format!("Opening {}", source.name()),
            Opening::BuiltIn(name) => format!("Building {name}"),
            Opening::Empty => "Building a scene".into(),
        };
        let work = move |progress: &JobProgress| match opening {
            Opening::File(source) => {
                let text = source.read()?;
                let folder = source.path.parent().unwrap_or(Path::new("")).to_path_buf();
                let path = source.bytes.is_none().then(|| source.path.clone());
                let mut document = SceneDocument::new(source.name(), folder, Scene::default());
                if source.is_recovered {
                    document.on_disk.lose();
                }
                if is_log(&text) {
                    return again(&text, &source.path, document);
                }
                // Only a scene from a file can have an input log beside it.
                let run = path.as_ref().map(|path| path.with_extension(RUN)).filter(|path| path.is_file());
                let mut built = opened(&text, &source.path, SceneDocument { path, ..document })?;
                if let Some(run) = run {
                    go_on(&mut built, &run, progress);
                }
                Ok(built)
            }
            Opening::BuiltIn(name) => {
                let text = built_in::text(name).ok_or_else(|| format!("There is no built-in scene {name}."))?;
                let document = SceneDocument::new(name.into(), PathBuf::new(), Scene::default());
                opened(text.as_bytes(), Path::new(name), document)
            }
            Opening::Empty => {
                let document = SceneDocument::new("untitled".into(), PathBuf::new(), Scene::default());
                opened(EMPTY.as_bytes(), Path::new("untitled"), document)
            }
        };
        self.building = Some(Job::start(running, ctx, name, work));
    }

    /// Starts rebuilding the world after a change. The old world stays until the new one is ready, or if the scene has
    /// an error.
    pub fn rebuild(&mut self, keep: Keep, running: JobMode, ctx: &egui::Context) {
        let Some(document) = &self.document else { return };
        self.fault = document.scene.check().err();
        if self.fault.is_some() {
            return;
        }
        if self.building.is_some() {
            let soft = keep == Keep::State && self.wanted != Some(Keep::Start);
            self.wanted = Some(if soft { Keep::State } else { Keep::Start });
            return;
        }
        self.keep = keep;
        let (scene, folder, name) = (document.scene.clone(), document.folder.clone(), document.name.clone());
        let work = move |_: &JobProgress| Ok(BuiltScene { document: None, engine: built(&scene, &folder), told: None });
        self.building = Some(Job::start(running, ctx, format!("Building {name}"), work));
    }

    /// Changes the scene and rebuilds its world. Changes of the same gesture, if one is given, become one undo step.
    pub fn edit(&mut self, edit: SceneEdit<'_>, scene: Scene, running: JobMode, ctx: &egui::Context) {
        let Some(document) = &mut self.document else { return };
        match edit.gesture {
            Some(gesture) => document.change_joined(edit.name, gesture, scene),
            None => document.change(edit.name, scene),
        }
        self.rebuild(edit.keep, running, ctx);
    }

    /// Returns a new gesture number.
    pub fn gesture(&mut self) -> u64 {
        self.gesture += 1;
        self.gesture
    }

    /// Takes a finished build, and the events and frames of the run.
    pub fn poll(&mut self, messages: &mut Messages, running: JobMode, ctx: &egui::Context) {
        self.poll_result(messages);
        let Some(answer) = self.building.as_ref().and_then(Job::poll) else { return };
        self.building = None;
        match answer {
            Err(sentence) => messages.error(sentence),
            Ok(built) => self.accept_result(built, messages, running, ctx),
        }
        if let Some(keep) = self.wanted.take() {
            self.rebuild(keep, running, ctx);
        }
    }

    fn poll_result(&mut self, messages: &mut Messages) {
        let Some(run) = self.document.as_mut().and_then(|document| document.run.as_mut()) else { return };
        run.poll();
        let mut became = None;
        for told in run.drain_messages() {
            match told {
                RunMessage::Note(sentence) => messages.note(sentence),
                RunMessage::Error(sentence) => messages.error(sentence),
                RunMessage::Recorded(recording) => self.recording = Some(*recording),
                RunMessage::Became(scene) => became = Some(*scene),
            }
        }
        // This change of scene comes from the input log, so it is no undo step.
        if let (Some(scene), Some(document)) = (became, &mut self.document) {
            document.replace(scene);
        }
    }

    fn accept_result(&mut self, built: BuiltScene, messages: &mut Messages, running: JobMode, ctx: &egui::Context) {
        built.told.into_iter().for_each(|sentence| messages.error(sentence));
        if built.document.is_some() {
            self.document = built.document;
            self.changes += 1;
        }
        let Some(document) = &mut self.document else { return };
        let (engine, notes) = match built.engine {
            Err(fault) => return self.fault = Some(fault),
            Ok(built) => built,
        };
        notes.into_iter().for_each(|note| messages.note(note));
        self.fault = None;
        let built = settings_of(engine.recorded().world().scene());
        // A replayed or resumed run has its own settings.
        let is_replay = engine.status().replayed.is_some() || engine.status().steps > 0;
        match document.run.as_mut().filter(|run| !run.is_lost()) {
            Some(run) => run.replace(*engine, self.keep),
            None => document.run = Some(RunHandle::new(*engine, running, ctx)),
        }
        // Applies settings that changed while the world was being built.
        let run = document.run.as_mut().filter(|_| !is_replay && built != settings_of(&document.scene));
        if let Some(run) = run {
            run.tune(&document.scene);
        }
    }

    /// Message about the error in the scene, naming thing and key; `None` if the scene is valid.
    pub fn fault_sentence(&self) -> Option<String> {
        let (fault, document) = (self.fault.as_ref()?, self.document.as_ref()?);
        let own = |entry: &&OutlineEntry| entry.chosen.kind == fault.kind && entry.chosen.index == fault.index;
        let thing = document.entries.iter().find(own).map_or(String::new(), |entry| format!(" “{}”", entry.name));
        Some(format!("{}{thing}: {} {}.", fault.kind, fault.key.replace('_', " "), fault.message))
    }
}

impl Documents for OpenScene {
    fn can_save(&self) -> bool {
        self.document.is_some()
    }

    fn save(&self, elsewhere: bool) -> Option<Saving> {
        let document = self.document.as_ref()?;
        let beside = document.path.as_ref().filter(|path| !elsewhere && path.parent() == Some(&document.folder));
        let named = |scene: &Scene| match beside {
            Some(_) => scene.clone(),
            None => with_whole_paths(scene, &document.folder),
        };
        let bytes = write(&named(&document.scene)).into_bytes();
        let tickets = vec![Ticket { document: self.changes, revision: document.history.revision() }];
        // A scene with an error differs from the scene that runs.
        let log = document.run.as_ref().and_then(RunHandle::log).filter(|log| log.last_scene() == *document.scene);
        let beside = log.map(|log| {
            let is_empty = log.last_step() == 0;
            Beside { extension: RUN, bytes: write_log(&log.with_scenes(named)).into_bytes(), is_empty }
        });
        let (name, path) = (document.file_name(), document.path.clone());
        Some(Saving { name, path, bytes, tickets, notes: Vec::new(), beside })
    }

    fn saved(&mut self, path: &Path, tickets: &[Ticket]) {
        let ticket = tickets.iter().find(|ticket| ticket.document == self.changes);
        if let (Some(document), Some(ticket)) = (&mut self.document, ticket) {
            document.on_disk.save(ticket.revision);
            document.path = Some(path.to_path_buf());
            // If the scene names files by relative paths, those files stay in the old folder.
            if with_whole_paths(&document.scene, &document.folder) == *document.scene {
                document.folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
            }
            document.name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        }
    }

    fn steps(&self) -> [Option<&str>; 2] {
        let history = self.document.as_ref().map(|document| &document.history);
        history.map_or([None; 2], |history| [history.undo_name(), history.redo_name()])
    }

    fn travel(&mut self, way: Way, running: JobMode, ctx: &egui::Context) {
        let Some(document) = &mut self.document else { return };
        let before = document.scene.clone();
        if way.step(&mut document.history, &mut document.scene) {
            document.entries = outline::entries(&document.scene);
            let keep = if differ_in_settings(&before, &document.scene) { Keep::State } else { Keep::Start };
            self.rebuild(keep, running, ctx);
        }
    }

    fn save_recovery(&mut self, recovery: &Recovery) -> Result<(), String> {
        let Some(document) = &mut self.document else { return Ok(()) };
        let (name, scene, folder) = (document.file_name(), &document.scene, &document.folder);
        // Motions have numbers from 1.
        let kept = RecoveryKey { number: 0, name: &name };
        let whole = || Some(write(&with_whole_paths(scene, folder)).into_bytes());
        document.on_disk.save_recovery(&document.history, recovery, kept, whole)
    }

    fn unsaved(&self) -> Vec<String> {
        self.document.iter().filter(|document| document.is_changed()).map(|document| document.name.clone()).collect()
    }
}

/// A named, undoable change of a scene.
#[derive(Clone, Copy, Debug)]
pub struct SceneEdit<'a> {
    /// Name in the menu: "Add a box".
    pub name: &'a str,
    /// Gesture that the change is part of; `None` for a change of its own.
    pub gesture: Option<u64>,
    /// Whether the run restarts or continues.
    pub keep: Keep,
}

/// Whether two scenes differ at most in their settings, so that a run of one can continue with those of the other.
fn differ_in_settings(one: &Scene, other: &Scene) -> bool {
    let like = Scene { setting: other.setting.clone(), solver: other.solver.clone(), ..one.clone() };
    like == *other && super::settings::is_same_world(one, other)
}

/// Reads a scene from its text and builds its world.
fn opened(text: &[u8], path: &Path, document: SceneDocument) -> Result<BuiltScene, String> {
    // An invalid scene is opened with its error shown, as during editing, so that it can be repaired here.
    let scene = read_unchecked(text).map_err(|error| error.in_file(path).to_string())?;
    let engine = built(&scene, &document.folder).map(|(engine, loading)| (engine, with_old_words(text, path, loading)));
    let told = engine.as_ref().err().map(|fault| located(text, fault).in_file(path).to_string());
    let entries = outline::entries(&scene);
    Ok(BuiltScene { document: Some(SceneDocument { scene: Arc::new(scene), entries, ..document }), engine, told })
}

/// Brings the run of a scene to the state saved in this input log, or adds a note about why that fails.
fn go_on(built: &mut BuiltScene, path: &Path, progress: &JobProgress) {
    let (Some(document), Ok((engine, notes))) = (&built.document, &mut built.engine) else { return };
    match resumed(document, path, progress) {
        Ok(resumed) => {
            let Status { steps, clock, .. } = *resumed.status();
            if steps > 0 {
                notes.push(format!(
                    "The run stands at {clock:.3} s, step {steps}, as it was saved; Reset begins it again."
                ));
            }
            **engine = resumed;
        }
        Err(why) => notes.push(format!("{}: {why}. The run begins at its start.", path.display())),
    }
}

fn resumed(document: &SceneDocument, path: &Path, progress: &JobProgress) -> Result<Engine, String> {
    let bytes = muybridge_files::open::read(path).map_err(|error| error.message)?;
    let log = read_log(&bytes).map_err(|error| error.to_string())?;
    let whole = |scene: &Scene| with_whole_paths(scene, &document.folder);
    if whole(&log.last_scene()) != whole(&document.scene) {
        return Err("belongs to another scene, or the scene has changed since".into());
    }
    let (world, _) = world_of(&log.scene, &document.folder)
        .map_err(|fault| format!("{} {} {}", fault.kind, fault.key, fault.message))?;
    Engine::resumed(world, Arc::new(log), document.folder.clone(), |done| {
        progress.set(done);
        !progress.cancelled()
    })
}

/// Opens the scene of an input log and replays the run in its world. Files that the scene names are beside the log.
/// The scene has no file of its own.
fn again(text: &[u8], path: &Path, document: SceneDocument) -> Result<BuiltScene, String> {
    let log = read_log(text).map_err(|error| error.in_file(path).to_string())?;
    let entries = outline::entries(&log.scene);
    if entries.is_empty() {
        return Err(format!(
            "{}: this log holds the inputs of a run, but not its scene; append the text of the scene to it and open it again.",
            path.display()
        ));
    }
    let name = format!("{}_scene.toml", document.name.trim_end_matches(".toml"));
    let scene = Arc::new(log.scene.clone());
    let engine = world_of(&scene, &document.folder).map(|(world, notes)| {
        let engine = Engine::again(world, Arc::new(log), document.folder.clone());
        (Box::new(engine), with_old_words(text, path, notes))
    });
    let told = engine.as_ref().err().map(|fault| located(text, fault).in_file(path).to_string());
    Ok(BuiltScene { document: Some(SceneDocument { name, scene, entries, ..document }), engine, told })
}

/// Notes on old words in the text of a scene or log, before those of building it.
fn with_old_words(text: &[u8], path: &Path, rest: Vec<String>) -> Vec<String> {
    let old = old_words(text).into_iter().map(|note| note.in_file(path).to_string());
    old.chain(rest).collect()
}

fn world_of(scene: &Scene, folder: &Path) -> Result<(World, Vec<String>), SceneError> {
    scene.check()?;
    let (assets, mut notes) = load_with(scene, folder, &AllowedFiles::everywhere())?;
    let world = World::new(scene.clone(), &assets)?;
    notes.extend(world.notes().iter().cloned());
    Ok((world, notes))
}

fn built(scene: &Scene, folder: &Path) -> Result<(Box<Engine>, Vec<String>), SceneError> {
    world_of(scene, folder).map(|(world, notes)| (Box::new(Engine::new(world)), notes))
}
