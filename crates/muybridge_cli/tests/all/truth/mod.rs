//! A truth clip: motion, masses, contacts, and the results of an independent simulator.

use crate::test_files;

use muybridge::analysis::{Analysis, Cutoff, Settings, analyze};
use muybridge::character::{Character, JointRange};
use muybridge::glam::DVec3;
use muybridge_files::{body_csv, bvh, contacts_csv};

/// A table with named columns and numbers as cells; an empty cell is `None`.
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<Option<f64>>>,
}

impl Table {
    pub fn read(name: &str) -> Self {
        let text = String::from_utf8(bytes(name)).expect("the truth table");
        let mut lines = text.lines();
        let head = lines.next().expect("a header").split(',').map(String::from).collect();
        let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().ok()).collect()).collect();
        Self { head, rows }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn get(&self, row: usize, column: &str) -> Option<f64> {
        let at = self.head.iter().position(|h| h == column)?;
        self.rows[row][at]
    }

    pub fn vector(&self, row: usize, name: &str) -> Option<DVec3> {
        let component = |axis: &str| self.get(row, &format!("{name}_{axis}"));
        Some(DVec3::new(component("x")?, component("y")?, component("z")?))
    }

    /// Maximal runs of rows in which `column` is 1, as first and last row.
    pub fn runs(&self, column: &str) -> Vec<(usize, usize)> {
        let flags = (0..self.len()).map(|row| self.get(row, column) == Some(1.0));
        muybridge::analysis::runs(flags).into_iter().map(|(first, end)| (first, end - 1)).collect()
    }
}

/// Clips that are there.
pub fn clips(names: impl IntoIterator<Item = &'static str>) -> Vec<&'static str> {
    test_files::here(names, |name| format!("truth/{name}.bvh"))
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(test_files::path(&format!("truth/{name}"))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Analyzes a truth clip with its own masses and contact shapes.
pub fn analysis(clip: &str, cutoff: Cutoff) -> Analysis {
    let imported = bvh::import(&bvh::parse(&bytes(&format!("{clip}.bvh"))).unwrap()).unwrap();
    let skeleton = imported.skeleton;
    let table = body_csv::parse(&bytes(&format!("{clip}_body.csv"))).unwrap();
    let shapes = match clip.split('_').next().unwrap() {
        "mj" => Some("mj_geoms.csv"),
        "opencap4" => Some("opencap4_contacts.csv"),
        _ => None,
    };
    let contacts = shapes.map_or(vec![], |name| {
        contacts_csv::match_bones(&contacts_csv::parse(&bytes(name)).unwrap(), &skeleton).unwrap().points
    });
    let character = Character {
        bodies: body_csv::match_bones(&table.bodies, &skeleton).unwrap(),
        ranges: vec![JointRange::Free; skeleton.len()],
        roles: vec![None; skeleton.len()],
        contacts,
        body_source: "table".into(),
        measured_contacts: true,
        skeleton,
    };
    analyze(&character, &imported.clips[0], &Settings { cutoff, ..Settings::default() })
}

/// Root mean square of the values.
pub fn rms(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for value in values {
        sum += value * value;
        count += 1;
    }
    assert!(count > 0, "nothing to average");
    (sum / f64::from(count)).sqrt()
}
