//! Tests of correction reports on shared clips: terminal block, document and page.

use std::path::PathBuf;

use crate::test_files::path as data;
use muybridge::analysis::Settings;
use muybridge::correction::{Bounds, CorrectedClip, FixSettings, Largest, RootBone, fix, largest_changes};
use muybridge_files::prepare::{BodyFile, Preparation, Prepared, prepare};
use muybridge_files::{OpenOptions, open};
use muybridge_report::terminal::{Style, fix_block};
use muybridge_report::{ClipReport, FixReport, Labels, json, page};
use serde_json::Value;

/// Every change is allowed, and no flight is doubted.
const UNBOUNDED: Bounds = Bounds { shift: f64::INFINITY, turn: f64::INFINITY, least_gravity: f64::NEG_INFINITY };

/// A clip and its correction.
struct Corrected {
    name: String,
    prepared: Prepared,
    fixed: CorrectedClip,
    largest: Largest,
}

impl Corrected {
    fn new(name: &str, body: Option<&str>) -> Self {
        let imported = open::open(&data(name), &OpenOptions::default()).unwrap().imported;
        let mut preparation = Preparation::default();
        preparation.bodies.extend(body.map(|body| BodyFile::read(&data(body)).unwrap()));
        let prepared = prepare(&imported, 0, &preparation).unwrap();
        let (character, clip) = (&prepared.character, &prepared.clip);
        let asked = FixSettings { bounds: UNBOUNDED, ..FixSettings::default() };
        let fixed = fix(character, clip, &Settings::default(), &asked);
        let roots = RootBone::of(character, clip).map_or(Vec::new(), |carrier| carrier.bones().to_vec());
        let largest = largest_changes(&character.skeleton, (clip, &fixed.clip), &fixed.map, &roots);
        Self { name: name.into(), prepared, fixed, largest }
    }

    fn with<T>(&self, tell: impl Fn(&FixReport) -> T) -> T {
        let (prepared, fixed) = (&self.prepared, &self.fixed);
        let before = ClipReport {
            file: &self.name,
            meters_per_unit: prepared.units.meters_per_unit,
            unit_source: &prepared.units.unit_source,
            up: prepared.units.up.name(),
            analysis: &fixed.before,
            ignored: &prepared.ignored,
            character_name: "Hips",
            has_companions: false,
            character: &prepared.character,
            clip: &prepared.clip,
            ground: None,
        };
        let after = ClipReport { analysis: &fixed.after, character: &fixed.character, clip: &fixed.clip, ..before };
        tell(&FixReport {
            before,
            after,
            output: None,
            steps: &fixed.steps,
            left: &fixed.left,
            map: &fixed.map,
            largest: &self.largest,
            bounds: Default::default(),
            curves: None,
            looped: false,
            notes: &[],
        })
    }

    /// Returns the JSON document. Writes page and document to the folder that `MUYBRIDGE_PICTURES` names, if set.
    fn show(&self) -> Value {
        let labels = Labels { file: self.name.clone(), unit: self.prepared.unit_in_words(), ..Labels::default() };
        let block = self.with(|report| fix_block(report, &labels, &Style::default()));
        println!("{block}");
        assert!(block.lines().all(|line| line.chars().count() <= 80), "{block}");
        let document = self.with(json::fix_json);
        if let Some(folder) = std::env::var_os("MUYBRIDGE_PICTURES") {
            let stem = self.name.rsplit('/').next().unwrap().replace(".bvh", "");
            let to = |extension: &str| PathBuf::from(&folder).join(format!("fix_{stem}.{extension}"));
            std::fs::write(to("html"), self.with(page::fix_html)).unwrap();
            let whole = json::fix_document(vec![document.clone()]);
            std::fs::write(to("json"), serde_json::to_string_pretty(&whole).unwrap()).unwrap();
        }
        document
    }
}

fn gravities(document: &Value, side: &str) -> Vec<f64> {
    document[side]["flights"].as_array().unwrap().iter().map(|flight| flight["gravity_g"].as_f64().unwrap()).collect()
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn the_story_of_the_fast_back_flip_adds_up() {
    let document = Corrected::new("bvh/mass_backflip_fast.bvh", None).show();
    let steps = document["steps"].as_array().unwrap();
    let flights: Vec<&Value> = steps.iter().flat_map(|step| step["flights"].as_array().unwrap()).collect();
    let intervals = |key: &str| flights.iter().map(|flight| flight[key].as_u64().unwrap()).sum::<u64>();
    let frames = |side: &str| document[side]["frames"].as_u64().unwrap();
    assert_eq!(frames("after") - frames("before"), intervals("new_intervals") - intervals("intervals"));
    let added = document["time_map"].as_array().unwrap().iter().map(|span| {
        let of = |key: &str| span[key].as_f64().unwrap();
        of("new_last_frame") - of("new_first_frame") - (of("last_frame") - of("first_frame"))
    });
    assert_eq!(added.sum::<f64>() as u64, frames("after") - frames("before"));
    assert!(gravities(&document, "before").iter().any(|&gravity| gravity > 1.25));
}

#[test]
#[cfg_attr(not(muybridge_data), ignore = "set MUYBRIDGE_DATA to the shared data folder")]
fn a_tumble_at_zero_g_is_told_as_one_that_falls() {
    let document = Corrected::new("truth/mj_tumble_zerog_120.bvh", Some("truth/mj_tumble_zerog_120_body.csv")).show();
    assert!(gravities(&document, "before").iter().all(|&gravity| gravity.abs() < 0.05));
    assert!(gravities(&document, "after").iter().all(|&gravity| (gravity - 1.0).abs() < 0.005));
    assert_eq!(document["steps"][0]["flights"][0]["tool"], "path");
}
