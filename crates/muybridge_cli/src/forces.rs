//! What actuators did in a recorded run, out of the JSON that `simulate --json` writes.

use std::path::Path;

use muybridge::analysis::Actuated;
use muybridge::glam::DVec3;
use muybridge_files::{Error, Place};
use serde_json::Value;

use crate::failure::Failure;

/// Kilograms of the one character of a run, or of the one with the name, and forces and moments on it.
pub fn read(path: &Path, character: Option<&str>) -> Result<(f64, Vec<Actuated>), Failure> {
    let bytes = muybridge_files::open::read(path)?;
    parse(&bytes, character).map_err(|sentence| Error::new(Place::File, sentence).in_file(path).into())
}

fn parse(bytes: &[u8], character: Option<&str>) -> Result<(f64, Vec<Actuated>), String> {
    let document: Value = serde_json::from_slice(bytes).map_err(|error| format!("is no JSON: {error}"))?;
    let characters = document["characters"].as_array().filter(|_| document["rate_hz"].is_number());
    let characters = characters.ok_or("is no JSON of a run; write one with simulate --json=RUN.json")?;
    let name = |character: &Value| character["name"].as_str().unwrap_or_default().to_owned();
    let chosen: Vec<&Value> =
        characters.iter().filter(|own| character.is_none_or(|wanted| name(own) == wanted)).collect();
    let [chosen] = chosen[..] else {
        let names: Vec<String> = characters.iter().map(|own| format!("“{}”", name(own))).collect();
        return Err(format!("must have one character that is meant; it has {}: choose with --clip", names.join(", ")));
    };
    let mass = chosen["mass_kg"].as_f64().filter(|&mass| mass > 0.0).ok_or("/characters/…/mass_kg is no mass")?;
    let actuated = &chosen["actuated"];
    if actuated.is_null() {
        return Ok((mass, Vec::new()));
    }
    let list = |key: &str| {
        let vectors = actuated[key].as_array().map(|all| all.iter().map(vector).collect::<Option<Vec<DVec3>>>());
        vectors.flatten().ok_or_else(|| format!("/characters/…/actuated/{key} is no list of vectors"))
    };
    let (forces, moments) = (list("force_n")?, list("moment_nm")?);
    if forces.len() != moments.len() {
        return Err("/characters/…/actuated has more frames of force than of moment, or fewer".into());
    }
    Ok((mass, forces.into_iter().zip(moments).map(|(force, moment)| Actuated { force, moment }).collect()))
}

fn vector(value: &Value) -> Option<DVec3> {
    let [x, y, z] = value.as_array()?.as_slice() else { return None };
    Some(DVec3::new(x.as_f64()?, y.as_f64()?, z.as_f64()?))
}
