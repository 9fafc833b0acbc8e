//! Options shared by every subcommand that reads clips.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use muybridge::analysis::{Cutoff, Limits, Settings, VelocityDifference};
use muybridge::character::Anthropometry;
use muybridge::motion::Axis;
use muybridge_files::prepare::{BodyFile, Preparation, axis_of_word, unit_of_word};
use muybridge_files::{AllowedFiles, OpenOptions, contacts_csv, decimal_comma, roles_file};
use muybridge_report::film::PICTURE_SIDES;

use crate::failure::Failure;

/// Options of a clip: body, file units, frames and physics.
#[derive(Args, Clone, Debug, Default)]
pub struct ClipOptions {
    /// Masses, inertias and shapes: MJCF, URDF, body CSV or character.toml (repeatable)
    #[arg(long, value_name = "FILE", help_heading = "Who moves")]
    pub body: Vec<PathBuf>,
    /// Let a model include files outside its folder, too
    #[arg(long, help_heading = "Who moves")]
    pub allow_outside: bool,
    /// Contact shapes or points of the body, as CSV
    #[arg(long, value_name = "FILE", help_heading = "Who moves")]
    pub contacts: Option<PathBuf>,
    /// Table of body segments
    #[arg(long, value_name = "TABLE", help_heading = "Who moves")]
    pub anthropometry: Option<AnthropometryArg>,
    /// Mass of the whole body, kg
    #[arg(long, value_name = "KG", value_parser = mass, allow_negative_numbers = true, help_heading = "Who moves")]
    pub mass: Option<f64>,
    /// Standing height of the person, meters: decides the unit and the assumed mass, scales nothing
    #[arg(long, value_name = "M", value_parser = height, allow_negative_numbers = true, help_heading = "Who moves")]
    pub height: Option<f64>,
    /// Bones of the humanoid roles, one `role = "bone"` a line
    #[arg(long, value_name = "FILE", help_heading = "Who moves")]
    pub roles: Option<PathBuf>,
    /// Only the character of that name: its root bone, with #2 and so on where the file holds several of that name
    #[arg(long, value_name = "NAME", help_heading = "Who moves")]
    pub character: Option<String>,
    /// Unit of the file: m, cm, mm, in, ft or meters per unit
    #[arg(long, value_parser = unit_of_word, help_heading = "The clip")]
    pub unit: Option<f64>,
    /// Axis that points up in the file: x, y or z
    #[arg(long, value_parser = axis_of_word, help_heading = "The clip")]
    pub up: Option<Axis>,
    /// Only the clip of that name
    #[arg(long, value_name = "NAME", help_heading = "The clip")]
    pub clip: Option<String>,
    /// Frames per second to sample at, instead of the file's own
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true, help_heading = "The clip")]
    pub fps: Option<f64>,
    /// Only the frames from A to B, both included, counted from 0
    #[arg(long, value_name = "A..B", value_parser = frames, help_heading = "The clip")]
    pub frames: Option<(usize, usize)>,
    /// The clip is played in a loop: check its seam too
    #[arg(long = "loop", help_heading = "The clip")]
    pub looped: bool,
    /// Frames that are a flight, whatever touches (repeatable)
    #[arg(long, value_name = "A..B", value_parser = frames, help_heading = "The clip")]
    pub flight: Vec<(usize, usize)>,
    /// Frames in which something outside the clip carries the body: a partner, a horse, a chair (repeatable)
    #[arg(long, value_name = "A..B", value_parser = frames, help_heading = "The clip")]
    pub support: Vec<(usize, usize)>,
    /// Height of the floor, meters, y up, after conversion [default: found in the clip]
    #[arg(long, value_name = "M", value_parser = finite, allow_negative_numbers = true, help_heading = "The clip")]
    pub floor: Option<f64>,
    /// Gravity, m/s² [default: 9.81]
    #[arg(long, value_name = "M/S2", value_parser = gravity, allow_negative_numbers = true, help_heading = "The physics")]
    pub gravity: Option<f64>,
    /// Cutoff of the low-pass filter in hertz, off, or auto [default: auto]
    #[arg(long, value_name = "HZ|off|auto", value_parser = cutoff, help_heading = "The physics")]
    pub cutoff: Option<CutoffArg>,
    /// Finite differences for velocities [default: central]
    #[arg(long, value_name = "SCHEME", help_heading = "The physics")]
    pub velocity_scheme: Option<VelocityArg>,
    /// Limits of the findings, a TOML file (see `muybridge check --print-limits`)
    #[arg(long, value_name = "FILE", help_heading = "The physics")]
    pub limits: Option<PathBuf>,
}

/// Names of the anthropometric tables.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum AnthropometryArg {
    /// de Leva 1996, men
    DelevaMale,
    /// de Leva 1996, women
    DelevaFemale,
    /// de Leva 1996, mean of both
    DelevaMean,
    /// Dempster 1955 after Winter
    Dempster,
}

/// Names of the velocity schemes.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum VelocityArg {
    /// From the frames before and after: second order, exact for a parabola
    Central,
    /// From the frame before, as in the original method; half a frame late
    Backward,
    /// From two frames before and two after: fourth order, for clean data
    FivePoint,
    /// Slope of the parabola nearest to five frames, its curvature for accelerations: for noisy data without a filter
    #[value(name = "savitzky-golay-5")]
    SavitzkyGolay5,
    /// The same over seven frames
    #[value(name = "savitzky-golay-7")]
    SavitzkyGolay7,
    /// The same over nine frames
    #[value(name = "savitzky-golay-9")]
    SavitzkyGolay9,
}

/// Value of `--cutoff`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutoffArg(pub Cutoff);

impl ClipOptions {
    /// The files that the options name.
    pub fn files(&self) -> Vec<PathBuf> {
        let others = [&self.contacts, &self.roles, &self.limits].into_iter().flatten();
        self.body.iter().chain(others).cloned().collect()
    }

    /// Options for opening files.
    pub fn opening(&self) -> OpenOptions {
        OpenOptions { fps: self.fps }
    }

    /// Options for preparing characters; reads the files that the options name.
    pub fn preparation(&self) -> Result<Preparation, Failure> {
        let allowed = AllowedFiles { outside: self.allow_outside, ..AllowedFiles::default() };
        let bodies = self.body.iter().map(|path| BodyFile::read_with(path, &allowed)).collect::<Result<_, _>>()?;
        let contacts = match &self.contacts {
            Some(path) => {
                let bytes = muybridge_files::open::read(path)?;
                let contacts = contacts_csv::parse(&bytes).map_err(|error| error.in_file(path))?;
                Some((path.clone(), contacts))
            }
            None => None,
        };
        let roles = match &self.roles {
            Some(path) => {
                let bytes = muybridge_files::open::read(path)?;
                roles_file::parse(&bytes).map_err(|error| error.in_file(path))?
            }
            None => Vec::new(),
        };
        Ok(Preparation {
            bodies,
            contacts,
            roles,
            unit: self.unit,
            up: self.up,
            mass: self.mass,
            height: self.height,
            anthropometry: self.anthropometry.map(AnthropometryArg::table),
        })
    }

    /// Settings of the analysis; reads the limits file.
    pub fn settings(&self) -> Result<Settings, Failure> {
        let limits = match &self.limits {
            Some(path) => read_limits(path)?,
            None => Limits::default(),
        };
        let plain = Settings::default();
        Ok(Settings {
            gravity: self.gravity.unwrap_or(plain.gravity),
            cutoff: self.cutoff.map_or(plain.cutoff, |c| c.0),
            velocity: self.velocity_scheme.map_or(plain.velocity, VelocityArg::scheme),
            frames: self.frames.map(|(first, last)| (first, last.saturating_add(1))),
            flights: self.flight.clone(),
            supports: self.support.clone(),
            floor: self.floor,
            terrain: None,
            actuated: Vec::new(),
            looped: self.looped,
            contacts: None,
            limits,
        })
    }
}

impl VelocityArg {
    fn scheme(self) -> VelocityDifference {
        match self {
            Self::Central => VelocityDifference::Central,
            Self::Backward => VelocityDifference::Backward,
            Self::FivePoint => VelocityDifference::FivePoint,
            Self::SavitzkyGolay5 => VelocityDifference::SavitzkyGolay5,
            Self::SavitzkyGolay7 => VelocityDifference::SavitzkyGolay7,
            Self::SavitzkyGolay9 => VelocityDifference::SavitzkyGolay9,
        }
    }
}

impl AnthropometryArg {
    fn table(self) -> Anthropometry {
        match self {
            Self::DelevaMale => Anthropometry::DeLevaMale,
            Self::DelevaFemale => Anthropometry::DeLevaFemale,
            Self::DelevaMean => Anthropometry::DeLevaMean,
            Self::Dempster => Anthropometry::Dempster,
        }
    }
}

fn read_limits(path: &std::path::Path) -> Result<Limits, Failure> {
    let bytes = muybridge_files::open::read(path)?;
    let (limits, notes) = muybridge_files::limits_file::parse(&bytes).map_err(|error| error.in_file(path))?;
    notes.iter().for_each(|note| say!("{}: {note}", path.display()));
    Ok(limits)
}

/// Parses a frame rate, above 0 and at most 1000 frames per second.
pub fn rate(text: &str) -> Result<f64, String> {
    positive(text)
        .ok()
        .filter(|&hertz| hertz <= 1000.0)
        .ok_or_else(|| format!("a number above 0 and up to 1000 is needed{}", decimal_comma(text)))
}

/// Smallest and greatest size of a number in an option, in any unit: physics knows none beyond, and arithmetic might
/// overflow.
const SMALLEST: f64 = 1e-9;
const GREATEST: f64 = 1e9;

/// Parses a number above 0 of a size that physics has.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (SMALLEST..=GREATEST).contains(&value) => Ok(value),
        Ok(value) if value.is_finite() && value > 0.0 => {
            Err(format!("a number from {SMALLEST:e} to {GREATEST:e} is needed"))
        }
        _ => Err(format!("a number above 0 is needed{}", decimal_comma(text))),
    }
}

/// Values of an option that make sense, the usual one, and sizes of units that are mistaken for its own.
struct Sane {
    name: &'static str,
    unit: &'static str,
    range: RangeInclusive<f64>,
    usual: f64,
    mistaken: &'static [f64],
}

const HEIGHT: Sane =
    Sane { name: "height", unit: "m", range: 0.2..=5.0, usual: 1.7, mistaken: &[0.01, 0.001, 0.0254, 0.3048] };
const MASS: Sane = Sane { name: "mass", unit: "kg", range: 0.1..=2000.0, usual: 70.0, mistaken: &[0.01, 0.001] };
const GRAVITY: Sane =
    Sane { name: "gravity", unit: "m/s²", range: 0.1..=100.0, usual: 9.81, mistaken: &[0.01, 0.001] };
const CUTOFF: Sane = Sane { name: "cutoff", unit: "Hz", range: 0.5..=500.0, usual: 6.0, mistaken: &[] };

impl Sane {
    /// The value; the error proposes what was meant.
    fn value(&self, value: f64) -> Result<f64, String> {
        let Self { name, unit, range, usual, mistaken } = self;
        if range.contains(&value) {
            return Ok(value);
        }
        let off = |meant: &f64| (meant / usual).ln().abs();
        let meant = mistaken.iter().map(|size| value * size).filter(|meant| range.contains(meant));
        Err(match meant.min_by(|a, b| off(a).total_cmp(&off(b))) {
            Some(meant) => format!("{name} {value} {unit}: did you mean {}?", (1000.0 * meant).round() / 1000.0),
            None => format!("{name} {value} {unit} is not within {} to {} {unit}", range.start(), range.end()),
        })
    }
}

/// Parses a standing height, meters.
pub fn height(text: &str) -> Result<f64, String> {
    HEIGHT.value(positive(text)?)
}

/// Parses the mass of a body, kg.
pub fn mass(text: &str) -> Result<f64, String> {
    MASS.value(positive(text)?)
}

/// Parses a gravity, m/s².
pub fn gravity(text: &str) -> Result<f64, String> {
    GRAVITY.value(positive(text)?)
}

/// Parses a number of either sign and of a size that physics has.
pub fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.abs() <= GREATEST => Ok(value),
        Ok(value) if value.is_finite() => Err(format!("a number up to {GREATEST:e} is needed")),
        _ => Err(format!("a number is needed, such as 0 or -0.1{}", decimal_comma(text))),
    }
}

fn cutoff(text: &str) -> Result<CutoffArg, String> {
    match text {
        "off" => Ok(CutoffArg(Cutoff::Off)),
        "auto" => Ok(CutoffArg(Cutoff::Auto)),
        _ => {
            let hertz = positive(text).map_err(|_| "a frequency in hertz, off, or auto")?;
            CUTOFF.value(hertz).map(|hertz| CutoffArg(Cutoff::Hertz(hertz)))
        }
    }
}

/// Parses a time, seconds, 0 or more.
pub fn time(text: &str) -> Result<f64, String> {
    let time = text.parse::<f64>().ok().filter(|time| time.is_finite() && *time >= 0.0);
    time.ok_or_else(|| format!("a number of 0 or more is needed{}", decimal_comma(text)))
}

/// Parses a size in pixels: `640x360` or `640,360`.
pub fn size(text: &str) -> Result<(u32, u32), String> {
    let wrong = || "two whole numbers such as 640x360 are needed".to_string();
    let (width, height) = text.split_once([',', 'x']).ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    let size = (number(width)?, number(height)?);
    let fits = |side: u32| PICTURE_SIDES.contains(&side);
    let range = || format!("each side has to be {} to {} pixels", PICTURE_SIDES.start(), PICTURE_SIDES.end());
    if fits(size.0) && fits(size.1) { Ok(size) } else { Err(range()) }
}

/// Parses a frame range `A..B`, both included; `A..` and `..B` are open.
pub fn frames(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "frames are given as A..B, such as 10..40, counted from 0".to_string();
    let (first, last) = text.split_once("..").ok_or_else(wrong)?;
    let number = |part: &str, open: usize| if part.is_empty() { Ok(open) } else { part.parse().map_err(|_| wrong()) };
    let (first, last) = (number(first, 0)?, number(last.trim_start_matches('='), usize::MAX - 1)?);
    if first > last {
        Err(format!("frame {first} comes after frame {last}; give the smaller one first"))
    } else {
        Ok((first, last))
    }
}
