//! Prepares an opened file for analysis: a character and a clip in meters, y up, with units, roles, masses and contacts.
//!
//! A user's corrections are in [`Preparation`]; everything else is inferred, and the reasons are kept for the report.

use std::path::{Path, PathBuf};

use muybridge::analysis::Span;
use muybridge::analysis::{Analysis, Finding, FindingId, Settings, Severity};
use muybridge::character::units::{self, Stated, Units};
use muybridge::character::{
    Anthropometry, Body, BodySettings, Character, CharacterEvidence, Role, assemble, declared, overridden,
    roles_in_motion,
};
use muybridge::collision::shape::PlacedShape;
use muybridge::motion::{Axis, Clip, conform};

use crate::body_csv::{self, BodyTable};
use crate::contacts_csv::{self, NamedContact};
use crate::formats::{self, FileFormat, listed};
use crate::imported::MisreadClock;
use crate::magnitude;
use crate::model::{self, Model};
use crate::sniff::sniff;
use crate::{AllowedFiles, Error, Imported, Location, character_toml, open};

/// A user's knowledge about the character; empty fields are inferred.
#[derive(Clone, Debug, Default)]
pub struct Preparation {
    /// Files of masses; later files override earlier ones.
    pub bodies: Vec<BodyFile>,
    /// Contact points that override those of the body files, and their file.
    pub contacts: Option<(PathBuf, Vec<NamedContact>)>,
    /// Roles by bone name; they override inferred roles.
    pub roles: Vec<(Role, String)>,
    /// Meters per file unit; `None` is as stated in the file or inferred.
    pub unit: Option<f64>,
    /// The axis that points up; `None` is as stated in the file or inferred.
    pub up: Option<Axis>,
    /// Mass of the whole body, kg; also scales masses from files. `None` keeps them.
    pub mass: Option<f64>,
    /// Standing height, meters; `None` is inferred.
    pub height: Option<f64>,
    /// Table of body segments; `None` is the mean of de Leva.
    pub anthropometry: Option<Anthropometry>,
}

impl Preparation {
    /// The same for one character of several: without the roles of bones that another character has.
    pub fn of_character(&self, imported: &Imported) -> Self {
        let mut own = self.clone();
        own.roles.retain(|(_, bone)| imported.skeleton.find(bone).is_some() || !imported.companions.contains(bone));
        own
    }
}

/// A file of masses in memory.
#[derive(Clone, Debug)]
pub struct BodyFile {
    /// Path of the file.
    pub path: PathBuf,
    content: BodyContent,
}

/// The document of a file of masses.
#[derive(Clone, Debug)]
pub(crate) enum BodyContent {
    /// A tree of bodies with joints.
    Model(Model),
    /// A mass for each bone.
    Table(BodyTable),
    /// A character file.
    Character(character_toml::CharacterDocument),
}

impl BodyFile {
    /// Reads a file of masses; its content tells the format. A model includes files of its own folder only.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::read_with(path, &AllowedFiles::default())
    }

    /// As [`BodyFile::read`], where a model may also include the files that `allowed` names.
    pub fn read_with(path: &Path, allowed: &AllowedFiles) -> Result<Self, Error> {
        let bytes = open::read(path)?;
        let refused = |sentence: String| Error::new(Location::File, sentence);
        let format = sniff(path, &bytes).map_err(refused);
        let content = format.and_then(|format| match (format.body, format.motion) {
            (Some(read), _) => read(path, &bytes, allowed),
            (None, Err(sentence)) => Err(refused(sentence.into())),
            (None, Ok(_)) => {
                let needed = listed(&formats::names(FileFormat::holds_masses), "or");
                Err(refused(format!("a motion is no file of masses; give {needed}")))
            }
        });
        Ok(Self { path: path.to_path_buf(), content: content.map_err(|error| error.in_file(path))? })
    }

    fn name(&self) -> String {
        self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    }
}

/// A clip ready for analysis.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The character, in meters, y up.
    pub character: Character,
    /// The clip, in meters, y up.
    pub clip: Clip,
    /// Name of the character: that of its root bone, with `#2` and so on where characters of the file have the same.
    pub character_name: String,
    /// Whether the file holds other characters.
    pub has_companions: bool,
    /// Unit and up axis of the file, with their sources.
    pub units: Units,
    /// What the file says of its clock, if that cannot be meant.
    pub misread_clock: Option<MisreadClock>,
    /// Notes on what was left out or assumed, one sentence each.
    pub ignored: Vec<String>,
    /// Those of the notes that say what was assumed about the body, beyond the source of its masses.
    pub body_notes: Vec<String>,
}

impl Prepared {
    /// Describes the unit: "1 unit = 1 cm (inferred: height 1.71 m)".
    pub fn unit_in_words(&self) -> String {
        unit_in_words(&self.units)
    }
}

/// A unit from a word or a number, as meters per unit.
pub fn unit_of_word(text: &str) -> Result<f64, String> {
    match text {
        "m" => Ok(1.0),
        "cm" => Ok(0.01),
        "mm" => Ok(0.001),
        "in" => Ok(0.0254),
        "ft" => Ok(0.3048),
        _ => text
            .parse()
            .ok()
            .filter(|meters| magnitude::is_within(*meters, magnitude::UNITS_OF_OPTIONS))
            .ok_or_else(|| "m, cm, mm, in, ft, or the length of a unit in meters, such as 0.0564".into()),
    }
}

/// An axis from its letter.
pub fn axis_of_word(text: &str) -> Result<Axis, String> {
    match text {
        "x" | "X" => Ok(Axis::X),
        "y" | "Y" => Ok(Axis::Y),
        "z" | "Z" => Ok(Axis::Z),
        _ => Err("x, y or z".into()),
    }
}

/// Describes the unit: "1 unit = 1 cm (inferred: height 1.71 m)".
pub fn unit_in_words(units: &Units) -> String {
    let metres = units.meters_per_unit;
    let known = [(1.0, "1 m"), (0.1, "1 dm"), (0.01, "1 cm"), (0.001, "1 mm"), (0.0254, "1 in"), (0.3048, "1 ft")];
    let size = known
        .iter()
        .find(|(value, _)| (metres / value - 1.0).abs() < 1e-6)
        .map_or_else(|| format!("{metres:.4} m"), |(_, name)| (*name).to_string());
    format!("1 unit = {size} ({})", units.unit_source)
}

/// Prepares clip `index` of a file with a user's corrections. Errors name the body file or bone.
pub fn prepare(imported: &Imported, index: usize, preparation: &Preparation) -> Result<Prepared, Error> {
    let raw = &imported.clips[index];
    magnitude::check_clip(raw)?;
    let found = if imported.roles.is_empty() {
        roles_in_motion(&imported.skeleton, Some(raw))
    } else {
        declared(&imported.skeleton, &imported.roles)
    };
    let roles = overridden(&imported.skeleton, &found, &preparation.roles)
        .map_err(|error| Error::new(Location::File, error.to_string()))?;
    let stated = Stated {
        format: imported.meters_per_unit,
        format_up: imported.up,
        unit: preparation.unit,
        up: preparation.up,
        height: preparation.height,
    };
    let units = units::infer(&imported.skeleton, raw, &roles, &stated);
    magnitude::check_unit(units.meters_per_unit)?;
    let (skeleton, clip) = conform(&imported.skeleton, raw, units.meters_per_unit, units.up);
    magnitude::check_motion(&skeleton, &clip)?;
    // A number in a mesh that no body has makes no motion unreadable.
    let shapes = imported.shapes.iter().map(|(bone, shape)| (*bone, shape.scaled(units.meters_per_unit)));
    let shapes: Vec<(usize, PlacedShape)> = shapes.filter(|(_, shape)| magnitude::is_small(shape)).collect();
    let skin_points = imported.skin_points.iter().map(|&(bone, point)| (bone, point * units.meters_per_unit));
    let skin_points: Vec<_> = skin_points.filter(|(_, point)| magnitude::is_of_a_body(*point)).collect();
    let left_out = imported.shapes.len() + imported.skin_points.len() - shapes.len() - skin_points.len();
    let evidence = CharacterEvidence {
        clip: Some(&clip),
        declared_roles: &imported.roles,
        shapes: &shapes,
        skin_points: &skin_points,
    };
    let settings = BodySettings {
        anthropometry: preparation.anthropometry.unwrap_or_default(),
        mass: preparation.mass,
        height: preparation.height,
        roles: preparation.roles.clone(),
    };
    let assembled =
        assemble(&skeleton, &evidence, &settings).map_err(|error| Error::new(Location::File, error.to_string()))?;
    let mut ignored = imported.ignored.clone();
    if left_out > 0 {
        ignored.push(format!(
            "{left_out} shapes or points of meshes are as far away as no body reaches; they are left out"
        ));
    }
    if imported.character.is_empty() && !imported.characters.is_empty() {
        let names: Vec<String> = imported.characters.iter().map(|one| format!("“{}”", one.name)).collect();
        ignored.push(format!("the characters {} are taken as one body", names.join(", ")));
    }
    let mut character = assembled.character;
    let own_masses = !preparation.bodies.is_empty();
    let body_notes =
        assembled.notes.iter().filter(|note| !own_masses && **note != character.body_source).cloned().collect();
    ignored.extend(assembled.notes);
    apply_body_files(&mut character, preparation, &mut ignored)?;
    magnitude::check_character(&character)?;
    let (character_name, has_companions) = (imported.character_name().to_owned(), !imported.character.is_empty());
    let misread_clock = imported.misread_clock.clone();
    Ok(Prepared { character, clip, character_name, has_companions, units, misread_clock, ignored, body_notes })
}

/// Analyzes a prepared clip. A doubt about the unit is added to the findings as a note, a clock that the file states wrongly
/// as a warning.
pub fn analyze(prepared: &Prepared, settings: &Settings) -> Analysis {
    let mut analysis = muybridge::analysis::analyze(&prepared.character, &prepared.clip, settings);
    let span = Span::of_frames(&analysis.per_frame.time, analysis.range.0, analysis.range.1 - 1);
    let mut add = |id: FindingId, severity: Severity, value: f64, message: &str| {
        let message = message.to_owned();
        analysis.findings.push(Finding { id, severity, span, value, limit: [None, None], message });
    };
    if let Some(clock) = &prepared.misread_clock {
        add(FindingId::ClipTimeBase, Severity::Warning, clock.factor, &clock.sentence);
    }
    if let Some(doubt) = &prepared.units.suspicious {
        add(FindingId::ClipUnits, Severity::Note, prepared.units.meters_per_unit, doubt);
    }
    analysis.findings.sort_by_key(|finding| (finding.severity, finding.span.first, finding.id));
    analysis
}

/// Prepares the built-in sample with the same options; a body file that does not fit is an error, as for any clip.
pub fn prepare_sample(mut character: Character, clip: Clip, preparation: &Preparation) -> Result<Prepared, Error> {
    let (mut clip, mut ignored) = (clip, Vec::new());
    clip.name.clear();
    apply_body_files(&mut character, preparation, &mut ignored)?;
    if preparation.bodies.is_empty() {
        scale_mass(&mut character, preparation.mass);
    }
    magnitude::check_character(&character)?;
    let units = Units {
        meters_per_unit: 1.0,
        unit_source: "built in".into(),
        up: Axis::Y,
        up_source: "built in".into(),
        suspicious: None,
    };
    let (character_name, has_companions) = (character.skeleton.bones()[0].name.clone(), false);
    let (misread_clock, body_notes) = (None, Vec::new());
    Ok(Prepared { character, clip, character_name, has_companions, units, misread_clock, ignored, body_notes })
}

/// Applies the body files and contact tables to the character.
fn apply_body_files(
    character: &mut Character,
    preparation: &Preparation,
    ignored: &mut Vec<String>,
) -> Result<(), Error> {
    for (position, file) in preparation.bodies.iter().enumerate() {
        if position == 0 {
            character.bodies.fill(Body::none());
            character.body_source.clear();
        }
        apply_body_file(character, file, ignored).map_err(|error| error.in_file(&file.path))?;
        let separator = if character.body_source.is_empty() { "" } else { ", " };
        character.body_source = format!("{}{separator}{}", character.body_source, file.name());
    }
    if !preparation.bodies.is_empty() {
        scale_mass(character, preparation.mass);
    }
    if let Some((path, contacts)) = &preparation.contacts {
        let placed = contacts_csv::match_bones(contacts, &character.skeleton).map_err(|error| error.in_file(path))?;
        character.contacts = placed.points;
        character.measured_contacts = true;
        for (bone, _) in &placed.shapes {
            character.bodies[*bone].shapes.clear();
        }
        for (bone, shape) in placed.shapes {
            character.bodies[bone].shapes.push(shape);
        }
    }
    Ok(())
}

/// Applies one body file; bones that it does not name keep their properties.
fn apply_body_file(character: &mut Character, file: &BodyFile, ignored: &mut Vec<String>) -> Result<(), Error> {
    let skeleton = &character.skeleton.clone();
    match &file.content {
        BodyContent::Table(table) => {
            let placed = body_csv::match_bones(&table.bodies, skeleton)?;
            replace_bodies(&mut character.bodies, placed);
            ignored.extend(table.notes.iter().cloned());
        }
        BodyContent::Model(model) => {
            let fitted = model::fit(model, skeleton, 1.0)?;
            replace_bodies(&mut character.bodies, fitted.bodies);
            // A model's joint ranges count from the model's own rest pose.
            character.skeleton = character.skeleton.resting(&fitted.rest);
            character.ranges = fitted.ranges;
            if !fitted.contacts.is_empty() {
                character.contacts = fitted.contacts;
                character.measured_contacts = true;
            }
            ignored.extend(model.ignored.iter().cloned().chain(fitted.notes));
        }
        BodyContent::Character(document) => {
            let whole = document.fit(skeleton)?;
            replace_bodies(&mut character.bodies, whole.bodies);
            character.ranges = whole.ranges;
            if whole.roles.iter().any(Option::is_some) {
                character.roles = whole.roles;
            }
            if !whole.contacts.is_empty() {
                character.contacts = whole.contacts;
                character.measured_contacts = true;
            }
        }
    }
    Ok(())
}

fn replace_bodies(bodies: &mut [Body], placed: Vec<Body>) {
    for (body, new) in bodies.iter_mut().zip(placed) {
        if new.mass > 0.0 || !new.shapes.is_empty() {
            *body = new;
        }
    }
}

fn scale_mass(character: &mut Character, mass: Option<f64>) {
    let total = character.mass();
    let Some(mass) = mass.filter(|_| total > 0.0) else { return };
    for body in &mut character.bodies {
        body.mass *= mass / total;
        body.inertia *= mass / total;
    }
    character.body_source += &format!(", scaled to {mass} kg");
}
