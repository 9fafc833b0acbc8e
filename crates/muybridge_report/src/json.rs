//! Analyses as JSON, schema 1: a contract that other programs read. Keys keep their order and are never missing.
//!
//! Vectors are in meters, kilograms, seconds, y up; row k of a list is frame k. Undefined, infinite and left-out values
//! are
//! `null`. Numbers are the shortest decimals that read back as the same bits. Fields may be added, none taken away.

mod document;
pub(crate) mod list;
mod rows;

pub use crate::fix::{FIX_SCHEMA, FixWriter, fix_document, fix_json, unfixed_json};
pub(crate) use document::FeetDocument;
pub use document::{severity_name, verdict_name};

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::{ClipReport, UnreadClip};
use document::{ClipDocument, UnreadDocument};
use list::{ListWriter, tree};

/// Number of the schema; it changes when a field is renamed, removed or changes its meaning.
pub const SCHEMA: u64 = 1;

/// An analyzed clip as an entry of `clips`.
pub fn clip_json(report: &ClipReport) -> Value {
    tree(&ClipDocument::new(report))
}

/// A file that could not be read as an entry of `clips`: the same keys, `error` is a sentence, the rest is empty.
pub fn unread_json(unread: &UnreadClip) -> Value {
    tree(&UnreadDocument::new(unread))
}

/// The whole document from its entries. [`AnalysisWriter`] writes the same document without holding all entries in memory.
pub fn document(clips: Vec<Value>) -> Value {
    json!({ "schema": SCHEMA, "clips": clips })
}

/// Writes a document clip by clip, so that only one clip is in memory at a time.
#[derive(Debug)]
pub struct AnalysisWriter<W: Write>(ListWriter<W>);

impl<W: Write> AnalysisWriter<W> {
    /// Opens the document. Call [`AnalysisWriter::finish`] to close it.
    pub fn new(out: W) -> io::Result<Self> {
        ListWriter::new(out, SCHEMA, "clips").map(Self)
    }

    /// Appends an analyzed clip without building its JSON tree in memory.
    pub fn clip(&mut self, report: &ClipReport) -> io::Result<()> {
        self.0.entry(&ClipDocument::new(report))
    }

    /// Appends a file that could not be read.
    pub fn unread(&mut self, unread: &UnreadClip) -> io::Result<()> {
        self.0.entry(&UnreadDocument::new(unread))
    }

    /// Appends an entry made by [`clip_json`] or [`unread_json`].
    pub fn value(&mut self, entry: &Value) -> io::Result<()> {
        self.0.entry(entry)
    }

    /// Closes the document with a line break and returns the flushed stream.
    pub fn finish(self) -> io::Result<W> {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    /// Example of schema 1 with every key.
    const CONTRACT: &str = r#"{
      "file": "jump.bvh", "name": "", "character": "Hips", "error": null, "frames": 120, "fps": 30.0, "bones": 18,
      "meters_per_unit": 0.01, "unit_source": "inferred: height 1.71 m", "up": "y", "gravity_mps2": 9.81, "cutoff_hz": null,
      "body": {"mass_kg": 70.0, "source": "de Leva 1996 male", "segments": [{"bone": "Hips", "mass_kg": 7.8}]},
      "floor_m": 0.0, "treadmill_mps": [0, 0, 0],
      "per_frame": {"time_s": [], "mass_center_m": [], "mass_center_velocity_mps": [], "mass_center_acceleration_mps2": [],
        "linear_momentum_kgmps": [], "angular_momentum_kgm2ps": [], "angular_momentum_rate_kgm2ps2": [],
        "ground_force_n": [], "zmp_m": [], "support_margin_m": [], "support_polygon_m": [], "support_area_m2": [], "residual_force_n": [], "residual_moment_nm": [],
        "contacts": []},
      "flights": [{"start_s": 0.9, "end_s": 1.37, "gravity_g": 0.94, "gravity_se_g": 0.01, "size_factor": 1.06,
        "horizontal_path_error": 0.01, "linear_momentum_error": [], "angular_momentum_error": [], "frames_to_add": 0}],
      "feet": {"skate_mps": 0.0, "float_m": 0.0, "penetration_m": 0.0},
      "balance": {"inside_fraction": 0.87, "normalized_distance": []},
      "residual": {"mean_force_bw": 0.0, "worst_force_bw": 0.0, "mean_moment_nm": 0.0, "worst_moment_nm": 0.0,
        "spans": [{"start_s": 0, "end_s": 0, "first_frame": 0, "last_frame": 0, "force_bw": 0, "moment_nm": 0, "at_s": 0}]},
      "findings": [{"id": "", "severity": "", "start_s": 0, "end_s": 0, "value": 0, "limit": [], "message": ""}],
      "ignored": [], "verdict": "plausible"}"#;

    /// Asserts that every key of `wanted` is in `found` in the same order. The first entry of a list stands for all.
    fn assert_has_keys(wanted: &Value, found: &Value, path: &str) {
        match (wanted, found) {
            (Value::Object(wanted), Value::Object(found)) => {
                let order: Vec<&String> = found.keys().filter(|key| wanted.contains_key(*key)).collect();
                assert_eq!(order, wanted.keys().collect::<Vec<_>>(), "keys of {path}");
                for (key, value) in wanted {
                    assert_has_keys(value, &found[key], &format!("{path}.{key}"));
                }
            }
            (Value::Array(wanted), Value::Array(found)) => {
                if let (Some(wanted), Some(found)) = (wanted.first(), found.first()) {
                    assert_has_keys(wanted, found, &format!("{path}[0]"));
                }
            }
            (Value::Object(_) | Value::Array(_), other) => panic!("{path} is {other}"),
            _ => {}
        }
    }

    #[test]
    fn every_key_of_schema_1_is_there_in_order() {
        let contract: Value = serde_json::from_str(CONTRACT).unwrap();
        let sample = Sample::new();
        assert_has_keys(&contract, &clip_json(&sample.report()), "clip");
        let unread = unread_json(&UnreadClip { file: "a.bvh", error: "a.bvh:3:1: no such channel" });
        assert_has_keys(&contract, &unread, "unread");
        assert_eq!(unread["error"], "a.bvh:3:1: no such channel");
    }

    #[test]
    fn row_k_is_frame_k_and_what_is_left_out_is_null() {
        let sample = Sample::new();
        let clip = clip_json(&sample.report());
        let frames = sample.analysis.frames;
        for (name, rows) in clip["per_frame"].as_object().unwrap() {
            assert_eq!(rows.as_array().unwrap().len(), frames, "{name}");
        }
        assert!(sample.analysis.range.0 > 0, "the sample leaves a T-pose out");
        assert_eq!(clip["per_frame"]["mass_center_m"][0], Value::Null);
        assert_eq!(clip["per_frame"]["contacts"][0], Value::Null);
        assert_eq!(clip["per_frame"]["contacts"][1], json!(["LeftFoot", "RightFoot"]));
        let flight = &sample.analysis.flights[0];
        assert_eq!(clip["per_frame"]["zmp_m"][flight.span.first], Value::Null);
        assert_eq!(clip["per_frame"]["contacts"][flight.span.first], json!([]));
    }

    #[test]
    fn s23_a_flight_holds_its_errors_frame_by_frame() {
        let sample = Sample::new();
        let flight = &clip_json(&sample.report())["flights"][0];
        let span = sample.analysis.flights[0].span;
        for list in ["horizontal_path_error", "linear_momentum_error", "angular_momentum_error"] {
            assert_eq!(flight["per_frame"][list].as_array().unwrap().len(), span.last - span.first + 1, "{list}");
        }
        assert_eq!(flight["linear_momentum_error"][1], Value::Null);
    }

    #[test]
    fn what_is_not_a_finite_number_is_null() {
        let mut sample = Sample::new();
        sample.analysis.flights[0].linear_momentum_error[0] = Some(f64::INFINITY);
        sample.analysis.flights[0].gravity_standard_error = f64::NAN;
        sample.analysis.per_frame.ground_force[5] = Some(muybridge::glam::DVec3::new(0.0, f64::NAN, 0.0));
        let clip = clip_json(&sample.report());
        assert_eq!(clip["flights"][0]["linear_momentum_error"][0], Value::Null);
        assert_eq!(clip["flights"][0]["gravity_se_g"], Value::Null);
        assert_eq!(clip["per_frame"]["ground_force_n"][5], Value::Null);
    }

    #[test]
    fn numbers_read_back_as_the_same_bits() {
        let mut sample = Sample::new();
        sample.analysis.feet.skate = 0.1 + 0.2;
        let text = serde_json::to_string(&clip_json(&sample.report())).unwrap();
        assert!(text.contains("\"skate_mps\":0.30000000000000004"));
        let back: Value = serde_json::from_str(&text).unwrap();
        let rows = back["per_frame"]["mass_center_m"].as_array().unwrap();
        for (row, center) in rows.iter().zip(&sample.analysis.per_frame.mass_center) {
            let read = row.as_array().map(|row| [0, 1, 2].map(|axis| row[axis].as_f64().unwrap()));
            assert_eq!(read, center.map(|center| center.to_array()));
        }
    }

    #[test]
    fn clips_written_one_by_one_are_the_document_written_at_once() {
        let sample = Sample::new();
        let unread = UnreadClip { file: "b.bvh", error: "empty" };
        let mut writer = AnalysisWriter::new(Vec::new()).unwrap();
        writer.clip(&sample.report()).unwrap();
        writer.unread(&unread).unwrap();
        writer.value(&unread_json(&unread)).unwrap();
        let bytes = writer.finish().unwrap();
        let at_once = document(vec![clip_json(&sample.report()), unread_json(&unread), unread_json(&unread)]);
        assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), at_once);
        let none = AnalysisWriter::new(Vec::new()).unwrap().finish().unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&none).unwrap(), document(vec![]));
    }
}
