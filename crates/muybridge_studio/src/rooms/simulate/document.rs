//! The scene that is open, and the world it became.
//!
//! ```text
//! file or built-in text ─► scene ─► assets, world (on a thread) ─► steps, a frame of the scene each ─► looked at
//! ```
//! The scene is the document: it is edited, undone, saved. A world is built from it and thrown away when it changes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use eframe::egui;
use muybridge::simulation::{Recording, Scene, World, WorldState};
use muybridge_files::scene::{built_in, load, located, read, write};

use crate::history::History;
use crate::job::{Job, Progress, Running};
use crate::messages::Messages;
use crate::recovery::Recovery;
use crate::workspace::Source;

/// An open scene.
#[derive(Debug)]
pub struct SceneDocument {
    /// As the bar and messages name it.
    pub name: String,
    /// Where it was read or saved; `None` for a built-in or recovered one.
    pub path: Option<PathBuf>,
    /// Where the files it names are.
    pub folder: PathBuf,
    /// What is simulated.
    pub scene: Arc<Scene>,
    /// What it was before.
    pub history: History<Arc<Scene>>,
    /// The revision that is on disk.
    saved: u64,
    /// The revision that is kept for recovery.
    kept: u64,
    /// Its world; `None` while it is built, and where it cannot be.
    pub run: Option<Run>,
}

/// A world and how it runs.
#[derive(Debug)]
pub struct Run {
    /// The world.
    pub world: World,
    /// As it was built.
    start: WorldState,
    /// As it is now, to be drawn: a recording of one frame.
    pub seen: Recording,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// Seconds of the clock that the world is behind.
    owed: f64,
}

/// The scene and what is on its way.
#[derive(Debug, Default)]
pub struct Stage {
    /// The open scene.
    pub document: Option<SceneDocument>,
    /// A scene being read and built, or an edited one being built again.
    pub building: Option<Job<Built>>,
    /// Grows when another scene is opened: views frame it then.
    pub changes: u64,
}

/// What building gives.
#[derive(Debug)]
pub struct Built {
    document: Option<SceneDocument>,
    run: Run,
    notes: Vec<String>,
}

/// Steps that are made up for at most in a frame of the window: a world that is too slow runs slower, it does not freeze.
const MOST_STEPS: usize = 2;

impl Run {
    fn new(world: World) -> Self {
        Self { start: world.save(), seen: world.look(), world, playing: false, owed: 0.0 }
    }

    /// Goes on by a frame of the scene.
    pub fn step(&mut self) {
        self.world.step();
        self.seen = self.world.look();
    }

    /// Goes on by so many seconds of the clock, if it plays.
    pub fn advance(&mut self, seconds: f64) {
        if !self.playing {
            return;
        }
        self.owed += seconds;
        let frame_time = self.seen.frame_time;
        let steps = ((self.owed / frame_time) as usize).min(MOST_STEPS);
        (0..steps).for_each(|_| self.world.step());
        self.owed = (self.owed - steps as f64 * frame_time).min(frame_time);
        if steps > 0 {
            self.seen = self.world.look();
        }
    }

    /// Puts everything back to where it began, and pauses.
    pub fn reset(&mut self) {
        // The state is of this world, so it fits.
        if self.world.restore(self.start.clone()).is_ok() {
            (self.playing, self.owed, self.seen) = (false, 0.0, self.world.look());
        }
    }
}

impl SceneDocument {
    fn new(name: String, folder: PathBuf, scene: Scene) -> Self {
        let (scene, history) = (Arc::new(scene), History::default());
        Self { name, path: None, folder, scene, history, saved: 0, kept: 0, run: None }
    }

    /// Replaces the scene by a changed one; the name is for the menu: "Add a box". Call [`Stage::rebuild`] then.
    pub fn change(&mut self, name: &str, scene: Scene) {
        let before = std::mem::replace(&mut self.scene, Arc::new(scene));
        self.history.record(name, before);
    }

    /// Whether there is something to save.
    pub fn is_changed(&self) -> bool {
        self.history.revision() != self.saved
    }

    /// The file name it would have.
    pub fn file_name(&self) -> String {
        let own = self.path.as_ref().and_then(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
        own.unwrap_or_else(|| format!("{}.toml", self.name.trim_end_matches(".toml")))
    }
}

impl Stage {
    /// Starts reading and building a scene file.
    pub fn open(&mut self, source: Source, running: Running, ctx: &egui::Context) {
        self.building = Some(Job::start(running, ctx, format!("Opening {}", source.name()), move |_: &Progress| {
            let text = source.read()?;
            let folder = source.path.parent().unwrap_or(Path::new("")).to_path_buf();
            let path = source.bytes.is_none().then(|| source.path.clone());
            opened(
                &text,
                &source.path,
                SceneDocument { path, ..SceneDocument::new(source.name(), folder, Scene::default()) },
            )
        }));
    }

    /// Starts building a built-in scene.
    pub fn open_built_in(&mut self, name: &'static str, running: Running, ctx: &egui::Context) {
        self.building = Some(Job::start(running, ctx, format!("Building {name}"), move |_: &Progress| {
            let text = built_in::text(name).ok_or_else(|| format!("There is no built-in scene {name}."))?;
            opened(text.as_bytes(), Path::new(name), SceneDocument::new(name.into(), PathBuf::new(), Scene::default()))
        }));
    }

    /// Starts building the world of the scene as it now is; the one there was stays until then.
    pub fn rebuild(&mut self, running: Running, ctx: &egui::Context) {
        let Some(document) = &self.document else { return };
        let (scene, folder, name) = (document.scene.clone(), document.folder.clone(), document.name.clone());
        self.building = Some(Job::start(running, ctx, format!("Building {name}"), move |_: &Progress| {
            let (run, notes) = built(&scene, &folder).map_err(|fault| format!("{name}: {}", fault.message))?;
            Ok(Built { document: None, run, notes })
        }));
    }

    /// Takes what was built.
    pub fn poll(&mut self, messages: &mut Messages) {
        let Some(answer) = self.building.as_ref().and_then(Job::poll) else { return };
        self.building = None;
        match answer {
            Err(sentence) => messages.error(sentence),
            Ok(built) => {
                built.notes.into_iter().for_each(|note| messages.note(note));
                if built.document.is_some() {
                    self.document = built.document;
                    self.changes += 1;
                }
                if let Some(document) = &mut self.document {
                    document.run = Some(built.run);
                }
            }
        }
    }

    /// Takes the last change back, or makes it again.
    pub fn travel(&mut self, back: bool, running: Running, ctx: &egui::Context) {
        if let Some(document) = &mut self.document {
            let travel = if back { History::undo } else { History::redo };
            if travel(&mut document.history, &mut document.scene) {
                self.rebuild(running, ctx);
            }
        }
    }

    /// Says that the scene is on disk.
    pub fn saved(&mut self, path: &Path) {
        if let Some(document) = &mut self.document {
            document.saved = document.history.revision();
            document.path = Some(path.to_path_buf());
            document.folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
            document.name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        }
    }

    /// Keeps a changed scene for recovery.
    ///
    /// # Errors
    /// A sentence that names the file.
    pub fn keep(&mut self, recovery: &Recovery) -> Result<(), String> {
        let Some(document) = &mut self.document else { return Ok(()) };
        let (revision, name) = (document.history.revision(), document.file_name());
        if !document.is_changed() {
            recovery.forget(&name);
        } else if document.kept != revision {
            recovery.keep(&name, write(&document.scene).as_bytes())?;
            document.kept = revision;
        }
        Ok(())
    }
}

/// A scene from its text, and its world.
fn opened(text: &[u8], path: &Path, document: SceneDocument) -> Result<Built, String> {
    let scene = read(text).map_err(|error| error.in_file(path).to_string())?;
    let (run, notes) =
        built(&scene, &document.folder).map_err(|fault| located(text, &fault).in_file(path).to_string())?;
    Ok(Built { document: Some(SceneDocument { scene: Arc::new(scene), ..document }), run, notes })
}

fn built(scene: &Scene, folder: &Path) -> Result<(Run, Vec<String>), muybridge::simulation::Fault> {
    scene.check()?;
    let (assets, mut notes) = load(scene, folder)?;
    let world = World::new(scene.clone(), &assets)?;
    notes.extend(world.notes().iter().cloned());
    Ok((Run::new(world), notes))
}
