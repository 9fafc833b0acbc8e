//! What actuators did in a recorded run, out of the JSON that `simulate --json` writes.

use std::path::{Path, PathBuf};

use muybridge::analysis::Actuated;
use muybridge::glam::DVec3;
use muybridge_files::{Error, Place};
use serde_json::Value;

use crate::failure::Failure;

/// The characters of a run: name, kilograms, forces and moments on it.
#[derive(Debug)]
pub struct Forces {
    path: PathBuf,
    characters: Vec<(String, f64, Vec<Actuated>)>,
}

/// Reads them.
pub fn read(path: &Path) -> Result<Forces, Failure> {
    let bytes = muybridge_files::open::read(path)?;
    let characters = parse(&bytes).map_err(|sentence| Error::new(Place::File, sentence).in_file(path))?;
    Ok(Forces { path: path.to_path_buf(), characters })
}

impl Forces {
    /// Kilograms of the one character, or of the one that is called as the clip is, and what actuators did to it.
    pub fn of(&self, clip: &str) -> Result<(f64, Vec<Actuated>), Error> {
        let found = match &self.characters[..] {
            [only] => Some(only),
            several => several.iter().find(|(name, ..)| name == clip),
        };
        let Some((_, mass, actuated)) = found else {
            let names: Vec<String> = self.characters.iter().map(|(name, ..)| format!("“{name}”")).collect();
            let there =
                if names.is_empty() { "has no character".into() } else { format!("tells of {}", names.join(", ")) };
            let sentence = format!("{there}, and the clip is “{clip}”; give the file that this run wrote");
            return Err(Error::new(Place::File, sentence).in_file(&self.path));
        };
        Ok((*mass, actuated.clone()))
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<(String, f64, Vec<Actuated>)>, String> {
    let document: Value = serde_json::from_slice(bytes).map_err(|error| format!("is no JSON: {error}"))?;
    let characters = document["characters"].as_array().filter(|_| document["rate_hz"].is_number());
    let characters = characters.ok_or("is no JSON of a run; write one with simulate --json=RUN.json")?;
    characters.iter().map(character).collect()
}

fn character(own: &Value) -> Result<(String, f64, Vec<Actuated>), String> {
    let name = own["name"].as_str().unwrap_or_default().to_owned();
    let mass = own["mass_kg"].as_f64().filter(|&mass| mass > 0.0).ok_or("/characters/…/mass_kg is no mass")?;
    let actuated = &own["actuated"];
    if actuated.is_null() {
        return Ok((name, mass, Vec::new()));
    }
    let list = |key: &str| {
        let vectors = actuated[key].as_array().map(|all| all.iter().map(vector).collect::<Option<Vec<DVec3>>>());
        vectors.flatten().ok_or_else(|| format!("/characters/…/actuated/{key} is no list of vectors"))
    };
    let (forces, moments) = (list("force_n")?, list("moment_nm")?);
    if forces.len() != moments.len() {
        return Err("/characters/…/actuated has more frames of force than of moment, or fewer".into());
    }
    let actuated = forces.into_iter().zip(moments).map(|(force, moment)| Actuated { force, moment });
    Ok((name, mass, actuated.collect()))
}

fn vector(value: &Value) -> Option<DVec3> {
    let [x, y, z] = value.as_array()?.as_slice() else { return None };
    Some(DVec3::new(x.as_f64()?, y.as_f64()?, z.as_f64()?))
}
