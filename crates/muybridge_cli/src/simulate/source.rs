//! Source of a simulation: a scene file, a built-in scene, or a character to drop.

use std::path::{Path, PathBuf};

use muybridge::simulation::InputLog;
use muybridge::simulation::scene::slot::Choice;
use muybridge::simulation::scene::{Method, Ragdoll, Scene, SceneError, Solver, nearest};
use muybridge_files::formats::{self, CHARACTER, FileFormat, SCENE};
use muybridge_files::open;
use muybridge_files::scene::{built_in, located, notes, read, read_unchecked};
use muybridge_files::sniff::sniff;
use muybridge_files::{AllowedFiles, Error, Location};

use super::memory::MemoryRoom;
use crate::failure::Failure;

/// Height above its rest pose at which a character is dropped, meters.
const DROP: f64 = 0.5;

/// A scene and its source.
#[derive(Clone, Default)]
pub struct SceneSource {
    /// Name of the source as the user gave it.
    pub name: String,
    /// The scene.
    pub scene: Scene,
    /// Folder of the files that the scene names.
    pub folder: PathBuf,
    /// Notes on old words in its file, one sentence each.
    pub notes: Vec<String>,
    /// The files that it may name.
    pub allowed: AllowedFiles,
    /// The memory that its run may take.
    pub room: MemoryRoom,
    /// Whether the results of its run need the poses of every frame.
    pub keeps_poses: bool,
    /// Text of the scene; empty for a character.
    text: Vec<u8>,
}

impl SceneSource {
    /// Opens the named scene or character; without a name the first built-in scene.
    pub fn open(named: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = named else {
            let (name, text) = built_in::SCENES[0];
            return Self::built_in(name, text);
        };
        let name = path.to_string_lossy();
        if let Some(text) = built_in::text(&name).filter(|_| !path.exists()) {
            return Self::built_in(&name, text);
        }
        if !formats::of_path(path).any(|format| *format == SCENE) {
            return Self::character(path);
        }
        let text = open::read(path)?;
        if sniff(path, &text).is_ok_and(|format| *format == CHARACTER) {
            return Self::character(path);
        }
        // Options may mend what is wrong in it; `check` follows them.
        let scene = read_unchecked(&text).map_err(|error| error.in_file(path))?;
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let notes = noted(path, &text);
        Ok(Self { name: name.into_owned(), scene, folder, notes, text, ..Self::default() })
    }

    fn built_in(name: &str, text: &'static str) -> Result<Self, Failure> {
        let scene = read(text.as_bytes())?;
        Ok(Self { name: name.into(), scene, text: text.into(), ..Self::default() })
    }

    /// The scene that a run began as, from a log and its text; the files it names are beside the log.
    pub fn of_log(path: &Path, log: &InputLog, text: &[u8]) -> Self {
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        Self {
            name: path.display().to_string(),
            scene: log.scene.clone(),
            folder,
            notes: noted(path, text),
            ..Self::default()
        }
    }

    /// A scene that drops a character onto the ground, slightly out of balance.
    fn character(path: &Path) -> Result<Self, Failure> {
        if !path.exists() {
            let given = path.to_string_lossy();
            let near = nearest(&given, built_in::SCENES.iter().map(|(name, _)| *name));
            let hint =
                near.map_or_else(|| "--scenes lists the built-in ones".into(), |near| format!("did you mean {near}?"));
            let message = format!("there is no such file, and no built-in scene of this name; {hint}");
            return Err(Error::new(Location::File, message).in_file(path).into());
        }
        if path.is_dir() {
            let characters = formats::names(FileFormat::holds_character).join(", ");
            let message =
                format!("this is a folder; name a scene ({}) or a character ({characters}) in it", SCENE.name);
            return Err(Error::new(Location::File, message).in_file(path).into());
        }
        let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let title = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let ragdoll = Ragdoll {
            name: "character".into(),
            character: file,
            position: DROP * muybridge::glam::DVec3::Y,
            rotation: muybridge::glam::DVec3::new(0.2, 0.0, 0.1),
            ..Ragdoll::default()
        };
        let mut scene = Scene { ragdolls: vec![ragdoll], ..Scene::default() };
        (scene.setting.name, scene.setting.ground) = (title, Some(0.0));
        let allowed = AllowedFiles { outside: false, named: vec![folder.join(path.file_name().unwrap_or_default())] };
        Ok(Self { name: path.display().to_string(), scene, folder, allowed, ..Self::default() })
    }

    /// A note if it is a built-in scene that falls apart in its mode or method.
    pub fn unfit(&self) -> Option<String> {
        let Scene { solver: Solver { method, particles, .. }, .. } = &self.scene;
        let word = if *method == Method::Particles { particles.mode.word() } else { method.word() };
        let is_unfit = built_in::text(&self.name).is_some_and(|text| text.as_bytes() == self.text)
            && built_in::not_for(&self.name).contains(&word);
        is_unfit.then(|| format!("{} is not for {word}: it does not hold together there, or takes an hour", self.name))
    }

    /// Fails if options and scene do not go together.
    pub fn check(&self) -> Result<(), Failure> {
        self.scene.check().map_err(|fault| self.failure(&fault))?;
        let bare = Scene { setting: self.scene.setting.clone(), solver: self.scene.solver.clone(), ..Scene::default() };
        if self.scene == bare {
            let message = "this scene is empty; `muybridge simulate drop --print-scene` prints one to start from";
            return Err(Error::new(Location::File, message).in_file(Path::new(&self.name)).into());
        }
        Ok(())
    }

    /// Converts a scene error to an error of its file.
    pub fn failure(&self, fault: &SceneError) -> Failure {
        if self.text.is_empty() {
            return Error::new(Location::File, fault.message.clone()).in_file(Path::new(&self.name)).into();
        }
        located(&self.text, fault).in_file(Path::new(&self.name)).into()
    }
}

/// Notes on old words in a file.
fn noted(path: &Path, text: &[u8]) -> Vec<String> {
    notes(text).into_iter().map(|note| note.in_file(path).to_string()).collect()
}
