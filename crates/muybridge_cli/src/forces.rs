//! Reads the actuator forces of a recorded run from the JSON that `simulate --json` writes.

use std::path::{Path, PathBuf};

use muybridge::analysis::Actuated;
use muybridge::glam::DVec3;
use muybridge::motion::Clip;
use muybridge_files::{Error, Location};
use serde_json::Value;

use crate::failure::Failure;

/// Actuator forces of a recorded run, with the file they were read from.
#[derive(Debug)]
pub struct ForcesFile {
    path: PathBuf,
    run: RunForces,
}

/// Forces of a run, without the file.
#[derive(Debug)]
pub(crate) struct RunForces {
    scene: String,
    frames: usize,
    /// Frame rate, frames per second.
    rate: f64,
    /// The characters, in file order.
    pub(crate) characters: Vec<ActuatedCharacter>,
}

/// A character of a recorded run, and the actuators that acted on it.
#[derive(Debug)]
pub struct ActuatedCharacter {
    name: String,
    /// Mass of the body, kg.
    pub mass_kg: f64,
    /// Total force and moment of the actuators in each frame; empty where the run had none.
    pub per_frame: Vec<Actuated>,
}

/// Reads a run's JSON.
pub fn read(path: &Path) -> Result<ForcesFile, Failure> {
    let bytes = muybridge_files::open::read(path)?;
    let run = parse(&bytes).map_err(|sentence| Error::new(Location::File, sentence).in_file(path))?;
    Ok(ForcesFile { path: path.to_path_buf(), run })
}

impl ForcesFile {
    /// The only character of the run, or the one with the name of the character or of the clip. Returns an error where
    /// the clip does not belong to the run: name, frames or rate differ. `character` is empty where the file holds one.
    /// `named` says whether files of the clip's format name their clips; a run with one character ignores the name
    /// otherwise.
    pub fn of(&self, clip: &Clip, character: &str, named: bool) -> Result<&ActuatedCharacter, Error> {
        let RunForces { scene, frames, rate, characters } = &self.run;
        let fault = |sentence: String| {
            let what = "give the clip that this run wrote, or the JSON of the run that wrote the clip";
            Err(Error::new(Location::File, format!("{sentence}; {what}")).in_file(&self.path))
        };
        let name = if character.is_empty() { clip.name.as_str() } else { character };
        let found = match &characters[..] {
            [only] => {
                let fits = !named || name.is_empty() || scene.is_empty() || name == only.name || name == scene;
                if !fits {
                    return fault(format!("tells of “{}” in “{scene}”, and the clip is “{name}”", only.name));
                }
                Some(only)
            }
            several => several.iter().find(|character| character.name == name),
        };
        let Some(character) = found else {
            let mut names: Vec<String> =
                characters.iter().take(MOST_NAMES).map(|own| format!("“{}”", own.name)).collect();
            if characters.len() > MOST_NAMES {
                names.push(format!("{} more", characters.len() - MOST_NAMES));
            }
            let there =
                if names.is_empty() { "has no character".into() } else { format!("tells of {}", names.join(", ")) };
            return fault(format!("{there}, and the clip is “{name}”"));
        };
        let who = if name.is_empty() { "the clip".to_owned() } else { format!("the clip “{name}”") };
        if clip.frames() != *frames {
            return fault(format!("tells of {frames} frames, and {who} has {}", clip.frames()));
        }
        if (clip.frames_per_second() / rate - 1.0).abs() > SAME_RATE {
            let own = clip.frames_per_second();
            return fault(format!("tells of {rate} frames per second, and {who} has {own:.2}"));
        }
        Ok(character)
    }
}

/// Largest number of names listed in an error message.
const MOST_NAMES: usize = 8;
/// Relative tolerance between frame rates, because files round the frame time.
const SAME_RATE: f64 = 1e-3;

/// Reads the JSON of a run. The error is a sentence that the name of the file can precede.
pub(crate) fn parse(bytes: &[u8]) -> Result<RunForces, String> {
    let document: Value = serde_json::from_slice(bytes).map_err(|error| format!("is not valid JSON: {error}"))?;
    let run = || {
        let characters = document["characters"].as_array()?;
        let frames = usize::try_from(document["frames"].as_u64()?).ok()?;
        Some((characters, frames, document["rate_hz"].as_f64()?))
    };
    let (characters, frames, rate) =
        run().ok_or("is not the JSON of a run; write one with muybridge simulate SCENE --json=RUN.json")?;
    let characters = characters.iter().map(character).collect::<Result<_, _>>()?;
    Ok(RunForces { scene: document["scene"].as_str().unwrap_or_default().to_owned(), frames, rate, characters })
}

fn character(own: &Value) -> Result<ActuatedCharacter, String> {
    let name = own["name"].as_str().unwrap_or_default().to_owned();
    let mass_kg = own["mass_kg"]
        .as_f64()
        .filter(|&mass| mass > 0.0)
        .ok_or("/characters/…/mass_kg is not a positive number; give the mass in kg")?;
    let actuated = &own["actuated"];
    if actuated.is_null() {
        return Ok(ActuatedCharacter { name, mass_kg, per_frame: Vec::new() });
    }
    let list = |key: &str| {
        let vectors = actuated[key].as_array().map(|all| all.iter().map(vector).collect::<Option<Vec<DVec3>>>());
        vectors.flatten().ok_or_else(|| format!("/characters/…/actuated/{key} is not a list of vectors [x, y, z]"))
    };
    let (forces, moments) = (list("force_n")?, list("moment_nm")?);
    if forces.len() != moments.len() {
        return Err(
            "/characters/…/actuated has different numbers of forces and moments; give one of each for every frame"
                .into(),
        );
    }
    let per_frame = forces.into_iter().zip(moments).map(|(force, moment)| Actuated { force, moment }).collect();
    Ok(ActuatedCharacter { name, mass_kg, per_frame })
}

fn vector(value: &Value) -> Option<DVec3> {
    let [x, y, z] = value.as_array()?.as_slice() else { return None };
    Some(DVec3::new(x.as_f64()?, y.as_f64()?, z.as_f64()?))
}
