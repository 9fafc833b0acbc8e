//! The survey tables hold the values of the analysis in every format, and read back as written.

use std::collections::BTreeMap;

use muybridge::analysis::{Analysis, Settings, analyze};
use muybridge::samples;
use muybridge_report::ClipReport;
use muybridge_report::survey::{ClipRecord, FileRecord, TableFormat, Tables};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::Value;

fn records(analysis: &Analysis) -> Vec<FileRecord> {
    let (character, clip) = (samples::humanoid(), samples::jump());
    let report = ClipReport {
        file: "jump, \"high\".bvh",
        meters_per_unit: 0.01,
        unit_source: "inferred: height 1.71 m",
        up: "y",
        analysis,
        ignored: &[],
        character_name: "Hips",
        has_companions: false,
        character: &character,
        clip: &clip,
        ground: None,
    };
    let checked = ClipRecord::checked(&report, Some(4711));
    let unreadable = ClipRecord::unreadable("b.bvh", None, "b.bvh:3:1: no such\nchannel");
    vec![
        FileRecord { position: 0, clips: vec![checked.clone(), checked] },
        FileRecord { position: 1, clips: vec![unreadable] },
    ]
}

fn written(format: TableFormat, records: &[FileRecord]) -> (Vec<u8>, Vec<u8>) {
    let mut tables = Tables::new(format, Vec::new(), Some(Vec::new())).unwrap();
    records.iter().for_each(|record| tables.push(record).unwrap());
    let (clips, flights) = tables.finish().unwrap();
    (clips, flights.unwrap_or_default())
}

fn analysis() -> Analysis {
    analyze(&samples::humanoid(), &samples::jump(), &Settings::default())
}

/// Rows as JSON objects; empty cells are `null`.
fn parquet_rows(bytes: Vec<u8>) -> Vec<BTreeMap<String, Value>> {
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let cell = |field: &Field| match field {
        Field::Null => Value::Null,
        Field::Bool(value) => (*value).into(),
        Field::Long(value) => (*value).into(),
        Field::Double(value) => (*value).into(),
        Field::Str(value) => value.as_str().into(),
        other => panic!("{other:?}"),
    };
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| row.unwrap().get_column_iter().map(|(name, field)| (name.clone(), cell(field))).collect()).collect()
}

fn json_rows(bytes: &[u8], kind: &str) -> Vec<BTreeMap<String, Value>> {
    let text = std::str::from_utf8(bytes).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<BTreeMap<String, Value>>(line).unwrap());
    rows.filter(|row| row["kind"] == kind)
        .map(|mut row| {
            row.remove("kind");
            row
        })
        .collect()
}

#[test]
fn s31_a_parquet_table_reads_back_as_the_rows_of_the_other_formats() {
    let records = records(&analysis());
    let (clips, flights) = written(TableFormat::Parquet, &records);
    let (lines, none) = written(TableFormat::JsonLines, &records);
    assert!(none.is_empty(), "JSON Lines holds both kinds in one stream");
    assert_eq!(parquet_rows(clips), json_rows(&lines, "clip"));
    let rows = parquet_rows(flights);
    assert_eq!(rows.len(), 2);
    assert_eq!(rows, json_rows(&lines, "flight"));
    let (csv, csv_flights) = written(TableFormat::Csv, &records);
    let header = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().next().unwrap().split(',').count();
    assert_eq!(header(&csv), json_rows(&lines, "clip")[0].len());
    assert_eq!(header(&csv_flights), rows[0].len());
}

#[test]
fn s31_the_rows_are_the_analysis_bit_for_bit() {
    let analysis = analysis();
    let (lines, _) = written(TableFormat::JsonLines, &records(&analysis));
    let (clip, flight) = (&json_rows(&lines, "clip")[0], &json_rows(&lines, "flight")[0]);
    let same = |row: &BTreeMap<String, Value>, name: &str, value: f64| {
        assert_eq!(row[name].as_f64().map(f64::to_bits), Some(value.to_bits()), "{name}");
    };
    same(clip, "mass_kg", analysis.mass);
    same(clip, "floor_m", analysis.floor.unwrap());
    same(clip, "skate_mps", analysis.feet.skate);
    same(clip, "float_m", analysis.feet.float);
    same(clip, "penetration_m", analysis.feet.penetration);
    same(clip, "inside_fraction", analysis.balance.inside_fraction.unwrap());
    same(clip, "within_one_fraction", analysis.balance.within_one_fraction.unwrap());
    same(clip, "gravity_median_g", analysis.flights[0].gravity);
    assert_eq!(clip["cutoff_hz"], Value::Null, "nothing was filtered");
    assert_eq!((&clip["frames"], &clip["bytes"]), (&151.into(), &4711.into()));
    let measured = &analysis.flights[0];
    same(flight, "gravity_g", measured.gravity);
    same(flight, "gravity_se_g", measured.gravity_standard_error);
    same(flight, "start_s", measured.span.start);
    same(flight, "end_s", measured.span.end);
    same(flight, "path_error", measured.horizontal_path_error);
    same(flight, "linear_momentum_error_norm", measured.linear_momentum_error_norm);
    same(flight, "angular_momentum_change_kgm2ps", measured.angular_momentum_change);
    same(flight, "noticeability", measured.noticeability);
    assert_eq!(flight["frames_to_add"], measured.frames_to_add);
}

#[test]
fn an_unreadable_file_is_a_row_with_its_reason_and_nothing_else() {
    let (clips, _) = written(TableFormat::Parquet, &records(&analysis()));
    let rows = parquet_rows(clips);
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[2]["status"], "unreadable");
    assert_eq!(rows[2]["reason"], "b.bvh:3:1: no such\nchannel");
    let told = ["file", "clip", "character", "status", "reason"];
    assert!(rows[2].iter().all(|(name, value)| told.contains(&name.as_str()) || value.is_null()), "{:?}", rows[2]);
}

#[test]
fn s33_groups_of_rows_do_not_depend_on_how_the_rows_arrive() {
    let one = records(&analysis());
    let alone: Vec<FileRecord> =
        one[0].clips.iter().map(|clip| FileRecord { position: 0, clips: vec![clip.clone()] }).collect();
    let many = |records: &[FileRecord]| {
        let repeated: Vec<FileRecord> = records.iter().cycle().take(5000 * records.len()).cloned().collect();
        written(TableFormat::Parquet, &repeated).0
    };
    assert!(many(&one[..1]) == many(&alone), "10 000 rows, more than a group");
}
