//! The scene that is open, and the world it became.
//!
//! ```text
//! file or built-in text ─► scene ─► assets, world (on a thread) ─► steps, a frame of the scene each ─► looked at
//! ```
//! The scene is the document: it is edited, undone, saved. A world is built from it and thrown away when it changes. A run that has begun
//! is saved beside its scene, as the log by which it comes to stand where it was, bit for bit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui;
use muybridge::simulation::{Recording, Scene, SceneError, World, settings_of};
use muybridge_files::scene::{
    built_in, is_log, load, located, notes as old_words, read_log, read_unchecked, with_whole_paths, write, write_log,
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

/// An open scene.
#[derive(Debug)]
pub struct SceneDocument {
    /// As the bar and messages name it.
    pub name: String,
    /// Where it was read or saved; `None` for a built-in or recovered one.
    pub path: Option<PathBuf>,
    /// Where the files are that it names by less than whole paths.
    pub folder: PathBuf,
    /// What is simulated.
    pub scene: Arc<Scene>,
    /// Its things, as a list.
    pub entries: Vec<OutlineEntry>,
    /// What it was before.
    pub history: History<Arc<Scene>>,
    on_disk: OnDisk,
    /// Its world; `None` while it is built, and where it cannot be.
    pub run: Option<RunHandle>,
}

/// The scene and what is on its way.
#[derive(Debug, Default)]
pub struct OpenScene {
    /// The open scene.
    pub document: Option<SceneDocument>,
    /// A scene being read and built, or an edited one being built again.
    pub building: Option<Job<BuiltScene>>,
    /// Grows when another scene is opened: views frame it then.
    pub changes: u64,
    /// What is wrong with the scene as it is; its world is then that of the last one that could be built.
    pub fault: Option<SceneError>,
    /// What is to be opened once it is decided what becomes of an unsaved scene.
    pub asked: Option<Opening>,
    /// The last run that was recorded.
    pub recording: Option<Recording>,
    /// What is looked at in both rooms: where the eye is, and where on the screen the view was last.
    pub eye: Option<(OrbitCamera, egui::Rect)>,
    /// The scene changed while a world was built: another is built then, and goes on from the state or not.
    wanted: Option<Keep>,
    /// Whether the world that is built goes on from the state of the one there is.
    keep: Keep,
    gesture: u64,
}

/// A scene that somebody wants to open.
#[derive(Clone, Debug, PartialEq)]
pub enum Opening {
    /// A file.
    File(FileToOpen),
    /// A built-in one.
    BuiltIn(&'static str),
    /// An empty one, with a ground.
    Empty,
}

/// What a changed scene does to a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// It begins again: things start elsewhere, or are other things.
    #[default]
    Start,
    /// It goes on: what things are made of has changed.
    State,
}

/// What building gives.
#[derive(Debug)]
pub struct BuiltScene {
    document: Option<SceneDocument>,
    engine: Result<(Box<Engine>, Vec<String>), SceneError>,
    /// What is wrong with it, and where in its file.
    told: Option<String>,
}

/// Extension of the file beside a scene that holds its run.
const RUN: &str = "run.toml";

/// The scene that New begins with.
const EMPTY: &str = "[scene]\nname = \"untitled\"\nground = 0.0\n";

impl SceneDocument {
    fn new(name: String, folder: PathBuf, scene: Scene) -> Self {
        let (scene, history) = (Arc::new(scene), History::default());
        Self { name, path: None, folder, scene, entries: Vec::new(), history, on_disk: OnDisk::default(), run: None }
    }

    /// Replaces the scene by a changed one; the name is for the menu: "Add a box". [`OpenScene::edit`] also builds its world.
    pub fn change(&mut self, name: &str, scene: Scene) {
        let before = self.replace(scene);
        self.history.record(name, before);
    }

    /// The same for a change made of many: those of one gesture are taken back together.
    pub fn change_joined(&mut self, name: &str, gesture: u64, scene: Scene) {
        let before = self.replace(scene);
        self.history.record_joined(name, gesture, before);
    }

    fn replace(&mut self, scene: Scene) -> Arc<Scene> {
        self.entries = outline::entries(&scene);
        std::mem::replace(&mut self.scene, Arc::new(scene))
    }

    /// Whether there is something to save.
    pub fn is_changed(&self) -> bool {
        self.on_disk.is_changed(&self.history)
    }

    /// The file name it would have.
    pub fn file_name(&self) -> String {
        let own = self.path.as_ref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
        own.unwrap_or_else(|| format!("{}.toml", self.name.trim_end_matches(".toml")))
    }
}

impl OpenScene {
    /// Starts opening a scene; asks first where a scene would be lost.
    pub fn begin(&mut self, opening: Opening, running: JobMode, ctx: &egui::Context) {
        if self.document.as_ref().is_some_and(SceneDocument::is_changed) {
            self.asked = Some(opening);
        } else {
            self.replace(opening, running, ctx);
        }
    }

    /// Starts opening a scene in the place of the one there is.
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
                // Only a file has another beside it.
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

    /// Starts building the world of the scene as it now is; the one there was stays until then, and where the scene makes no sense.
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

    /// Changes the scene and builds its world. Changes of one gesture, if one is given, are taken back together.
    pub fn edit(&mut self, edit: SceneEdit<'_>, scene: Scene, running: JobMode, ctx: &egui::Context) {
        let Some(document) = &mut self.document else { return };
        match edit.gesture {
            Some(gesture) => document.change_joined(edit.name, gesture, scene),
            None => document.change(edit.name, scene),
        }
        self.rebuild(edit.keep, running, ctx);
    }

    /// A number that no gesture has had.
    pub fn gesture(&mut self) -> u64 {
        self.gesture += 1;
        self.gesture
    }

    /// Takes what was built, and what the run has come to.
    pub fn poll(&mut self, messages: &mut Messages, running: JobMode, ctx: &egui::Context) {
        self.hear(messages);
        let Some(answer) = self.building.as_ref().and_then(Job::poll) else { return };
        self.building = None;
        match answer {
            Err(sentence) => messages.error(sentence),
            Ok(built) => self.take(built, messages, running, ctx),
        }
        if let Some(keep) = self.wanted.take() {
            self.rebuild(keep, running, ctx);
        }
    }

    fn hear(&mut self, messages: &mut Messages) {
        let Some(run) = self.document.as_mut().and_then(|document| document.run.as_mut()) else { return };
        run.poll();
        let mut became = None;
        for told in run.told() {
            match told {
                RunMessage::Note(sentence) => messages.note(sentence),
                RunMessage::Error(sentence) => messages.error(sentence),
                RunMessage::Recorded(recording) => self.recording = Some(*recording),
                RunMessage::Became(scene) => became = Some(*scene),
            }
        }
        // No change of anybody's: it is in the log, and is not undone.
        if let (Some(scene), Some(document)) = (became, &mut self.document) {
            document.replace(scene);
        }
    }

    fn take(&mut self, built: BuiltScene, messages: &mut Messages, running: JobMode, ctx: &egui::Context) {
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
        // What was done before has its own settings.
        let is_replay = engine.status().replayed.is_some() || engine.status().steps > 0;
        match document.run.as_mut().filter(|run| !run.is_lost()) {
            Some(run) => run.replace(*engine, self.keep),
            None => document.run = Some(RunHandle::new(*engine, running, ctx)),
        }
        // Settings are taken at once, also while the world is built.
        let run = document.run.as_mut().filter(|_| !is_replay && built != settings_of(&document.scene));
        if let Some(run) = run {
            run.tune(&document.scene);
        }
    }

    /// What is wrong with the scene, naming thing and key.
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
        // A scene with a fault is not the one that runs.
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
            // Files that the scene names stay where they are.
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

    fn keep(&mut self, recovery: &Recovery) -> Result<(), String> {
        let Some(document) = &mut self.document else { return Ok(()) };
        let (name, scene, folder) = (document.file_name(), &document.scene, &document.folder);
        // Motions count from 1.
        let kept = RecoveryKey { number: 0, name: &name };
        let whole = || Some(write(&with_whole_paths(scene, folder)).into_bytes());
        document.on_disk.keep(&document.history, recovery, kept, whole)
    }

    fn unsaved(&self) -> Vec<String> {
        self.document.iter().filter(|document| document.is_changed()).map(|document| document.name.clone()).collect()
    }
}

/// A change of a scene.
#[derive(Clone, Copy, Debug)]
pub struct SceneEdit<'a> {
    /// For the menu: "Add a box".
    pub name: &'a str,
    /// Of what it is a part, if of anything.
    pub gesture: Option<u64>,
    /// What it does to the run.
    pub keep: Keep,
}

/// Whether two scenes are the same things under other settings: a run of the one goes on under those of the other.
fn differ_in_settings(one: &Scene, other: &Scene) -> bool {
    let like = Scene { setting: other.setting.clone(), solver: other.solver.clone(), ..one.clone() };
    like == *other && super::settings::is_same_world(one.solver.method, other.solver.method)
}

/// A scene from its text, and its world.
fn opened(text: &[u8], path: &Path, document: SceneDocument) -> Result<BuiltScene, String> {
    // What makes no sense as it stands is shown and told, as while it is edited: it can be mended here.
    let scene = read_unchecked(text).map_err(|error| error.in_file(path).to_string())?;
    let engine = built(&scene, &document.folder).map(|(engine, loading)| (engine, with_old_words(text, path, loading)));
    let told = engine.as_ref().err().map(|fault| located(text, fault).in_file(path).to_string());
    let entries = outline::entries(&scene);
    Ok(BuiltScene { document: Some(SceneDocument { scene: Arc::new(scene), entries, ..document }), engine, told })
}

/// Brings a scene's run to where it was when it was saved in this file, or tells why not.
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
    let bytes = std::fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
    let log = read_log(&bytes).map_err(|error| error.to_string())?;
    let whole = |scene: &Scene| with_whole_paths(scene, &document.folder);
    if whole(&log.last_scene()) != whole(&document.scene) {
        return Err("is the run of another scene, or the scene was changed since".into());
    }
    let (world, _) = world_of(&log.scene, &document.folder)
        .map_err(|fault| format!("{} {} {}", fault.kind, fault.key, fault.message))?;
    Engine::resumed(world, Arc::new(log), document.folder.clone(), |done| {
        progress.set(done);
        !progress.cancelled()
    })
}

/// The scene of a log, and its world, in which the run is done again. The files that it names are beside the log; it is in no scene file.
fn again(text: &[u8], path: &Path, document: SceneDocument) -> Result<BuiltScene, String> {
    let log = read_log(text).map_err(|error| error.in_file(path).to_string())?;
    let entries = outline::entries(&log.scene);
    if entries.is_empty() {
        return Err(format!(
            "{}: this log says what was done to a run, but not to which scene; append that scene's text to it and open it again.",
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
    let (assets, mut notes) = load(scene, folder)?;
    let world = World::new(scene.clone(), &assets)?;
    notes.extend(world.notes().iter().cloned());
    Ok((world, notes))
}

fn built(scene: &Scene, folder: &Path) -> Result<(Box<Engine>, Vec<String>), SceneError> {
    world_of(scene, folder).map(|(world, notes)| (Box::new(Engine::new(world)), notes))
}
