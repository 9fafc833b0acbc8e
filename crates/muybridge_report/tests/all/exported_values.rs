//! Exported values equal the analysis: JSON and CSV to the last bit, the page to half a unit of its last digit (S31),
//! and the same report gives the same bytes (S33).

use muybridge::analysis::{Analysis, Settings, analyze};
use muybridge::character::Character;
use muybridge::glam::DVec3;
use muybridge::motion::Clip;
use muybridge::samples;
use muybridge_report::{ClipReport, Labels, UnreadClip, csv, json, page, plate};
use serde_json::Value;

/// The built-in jump with a frame left out at either end, so that some rows are empty.
struct Leap {
    character: Character,
    clip: Clip,
    analysis: Analysis,
    ignored: Vec<String>,
}

impl Leap {
    fn new() -> Self {
        let (character, clip) = (samples::humanoid(), samples::jump());
        let settings = Settings { frames: Some((1, 150)), ..Settings::default() };
        let analysis = analyze(&character, &clip, &settings);
        assert_eq!(analysis.flights.len(), 1);
        Self { character, clip, analysis, ignored: vec!["nothing".into()] }
    }

    fn report(&self) -> ClipReport<'_> {
        ClipReport {
            file: "jump.bvh",
            meters_per_unit: 1.0,
            unit_source: "stated",
            up: "y",
            analysis: &self.analysis,
            ignored: &self.ignored,
            character_name: "Hips",
            has_companions: false,
            character: &self.character,
            clip: &self.clip,
            ground: None,
        }
    }

    /// Vector lists of the analysis with their names in JSON, in CSV and on the page.
    fn vectors(&self) -> [(&'static str, &'static str, &'static str, &Vec<Option<DVec3>>); 8] {
        let rows = &self.analysis.per_frame;
        [
            ("mass_center_m", "mass_center", "mass_center", &rows.mass_center),
            ("mass_center_velocity_mps", "mass_center_velocity", "", &rows.mass_center_velocity),
            ("mass_center_acceleration_mps2", "mass_center_acceleration", "", &rows.mass_center_acceleration),
            ("linear_momentum_kgmps", "linear_momentum", "linear_momentum", &rows.linear_momentum),
            ("angular_momentum_kgm2ps", "angular_momentum", "angular_momentum", &rows.angular_momentum),
            ("angular_momentum_rate_kgm2ps2", "angular_momentum_rate", "", &rows.angular_momentum_rate),
            ("ground_force_n", "ground_force", "ground_force", &rows.ground_force),
            ("zmp_m", "zmp", "zero_moment_point", &rows.zero_moment_point),
        ]
    }
}

/// The clip's entry in the written JSON document, read back from its text.
fn written(leap: &Leap) -> Value {
    let mut writer = json::AnalysisWriter::new(Vec::new()).unwrap();
    writer.clip(&leap.report()).unwrap();
    let document: Value = serde_json::from_slice(&writer.finish().unwrap()).unwrap();
    document["clips"][0].clone()
}

fn vector(value: &Value) -> Option<DVec3> {
    let row = value.as_array()?;
    Some(DVec3::from_array([0, 1, 2].map(|axis| row[axis].as_f64().unwrap())))
}

fn bits(row: Option<DVec3>) -> Option<[u64; 3]> {
    row.map(|row| row.to_array().map(f64::to_bits))
}

#[test]
fn s31_the_curves_in_json_are_those_of_the_analysis_to_the_last_bit() {
    let leap = Leap::new();
    let clip = written(&leap);
    for (name, _, _, truth) in leap.vectors() {
        let rows = clip["per_frame"][name].as_array().unwrap();
        assert_eq!(rows.len(), truth.len(), "{name}");
        for (frame, (row, truth)) in rows.iter().zip(truth).enumerate() {
            assert_eq!(bits(vector(row)), bits(*truth), "{name} frame {frame}");
        }
    }
    let numbers = |list: &Value| list.as_array().unwrap().iter().map(Value::as_f64).collect::<Vec<Option<f64>>>();
    assert_eq!(numbers(&clip["per_frame"]["support_margin_m"]), leap.analysis.per_frame.support_margin);
    assert_eq!(numbers(&clip["balance"]["normalized_distance"]), leap.analysis.balance.normalized_distance);
    let times: Vec<f64> = numbers(&clip["per_frame"]["time_s"]).into_iter().flatten().collect();
    assert_eq!(times, leap.analysis.per_frame.time);
    for (frame, touching) in leap.analysis.per_frame.contacts.iter().enumerate() {
        let names: Option<Vec<&str>> = clip["per_frame"]["contacts"][frame]
            .as_array()
            .map(|names| names.iter().map(|name| name.as_str().unwrap()).collect());
        let truth: Vec<&str> = touching.iter().map(|&bone| leap.analysis.bones[bone].as_str()).collect();
        assert_eq!(names, (1..150).contains(&frame).then_some(truth), "frame {frame}");
    }
}

#[test]
fn s31_a_flight_in_json_is_the_flight_and_its_path_is_7_1() {
    let leap = Leap::new();
    let clip = written(&leap);
    let (flight, truth) = (&clip["flights"][0], &leap.analysis.flights[0]);
    for (name, value) in [
        ("start_s", truth.span.start),
        ("end_s", truth.span.end),
        ("gravity_g", truth.gravity),
        ("gravity_se_g", truth.gravity_standard_error),
        ("size_factor", truth.size_factor),
        ("horizontal_path_error", truth.horizontal_path_error),
    ] {
        assert_eq!(flight[name].as_f64().unwrap().to_bits(), value.to_bits(), "{name}");
    }
    assert_eq!(flight["frames_to_add"].as_i64(), Some(truth.frames_to_add));
    for axis in 0..3 {
        assert_eq!(
            flight["linear_momentum_error"][axis].as_f64(),
            truth.linear_momentum_error[axis].filter(|e| e.is_finite())
        );
        assert_eq!(
            flight["angular_momentum_error"][axis].as_f64(),
            truth.angular_momentum_error[axis].filter(|e| e.is_finite())
        );
    }
    // Equation 7.1: from the animated center of mass at the first frame to that at the last, in the time of the flight.
    let rows = &leap.analysis.per_frame.mass_center;
    let (start, end) = (rows[truth.span.first].unwrap(), rows[truth.span.last].unwrap());
    let (duration, gravity) = (truth.span.end - truth.span.start, DVec3::new(0.0, -9.81, 0.0));
    let velocity = (end - start) / duration - 0.5 * duration * gravity;
    let path = flight["ballistic_path_m"].as_array().unwrap();
    assert_eq!(path.len(), truth.span.last - truth.span.first + 1);
    for (n, place) in path.iter().enumerate() {
        assert_eq!(bits(vector(place)), bits(Some(truth.ballistic_path[n])));
        let t = n as f64 * leap.clip.frame_time;
        let expected = start + t * velocity + 0.5 * t * t * gravity;
        assert!((vector(place).unwrap() - expected).length() <= 1e-12, "frame {n}");
    }
}

#[test]
fn s31_the_cells_of_the_table_are_the_values_to_the_last_bit() {
    let leap = Leap::new();
    let text = csv::csv(&leap.analysis);
    let table: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let column = |start: &str| table[0].iter().position(|cell| cell.starts_with(start)).unwrap();
    assert_eq!(table.len(), leap.analysis.frames + 1);
    for (_, name, _, truth) in leap.vectors() {
        for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
            let at = column(&format!("{name}_{letter} ["));
            for (frame, truth) in truth.iter().enumerate() {
                let cell = table[frame + 1][at];
                let value = (!cell.is_empty()).then(|| cell.parse::<f64>().unwrap().to_bits());
                assert_eq!(value, truth.map(|row| row[axis].to_bits()), "{name}_{letter} frame {frame}: “{cell}”");
            }
        }
    }
    let margin = column("support_margin");
    for (frame, truth) in leap.analysis.per_frame.support_margin.iter().enumerate() {
        assert_eq!(table[frame + 1][margin].parse::<f64>().ok(), *truth, "frame {frame}");
    }
}

#[test]
fn s31_the_curves_of_the_page_are_the_values_to_half_a_unit_of_five_digits() {
    let leap = Leap::new();
    let html = page::html(&leap.report());
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let page: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    let motion = &page["motions"][0];
    let series: Vec<(&str, Vec<Option<f64>>)> = leap
        .vectors()
        .into_iter()
        .filter(|(_, _, name, _)| !name.is_empty())
        .map(|(_, _, name, rows)| {
            (name, rows.iter().flat_map(|row| [0, 1, 2].map(|axis| row.map(|r| r[axis]))).collect())
        })
        .chain([("support_margin", leap.analysis.per_frame.support_margin.clone())])
        .collect();
    for (name, truth) in series {
        let unit = motion["series"][name]["unit"].as_f64().unwrap();
        let largest = truth.iter().flatten().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        assert!(unit <= 1e-5 * largest, "{name}: units of {unit} for values up to {largest}");
        let values = motion["series"][name]["values"].as_array().unwrap();
        assert_eq!(values.len(), truth.len(), "{name}");
        for (value, truth) in values.iter().zip(truth) {
            assert_eq!(value.is_null(), truth.is_none(), "{name}");
            let Some(truth) = truth else { continue };
            assert!(
                (value.as_i64().unwrap() as f64 * unit - truth).abs() <= 0.500001 * unit,
                "{name}: {value} for {truth}"
            );
        }
    }
    let flight = &motion["flights"][0];
    assert_eq!(flight["gravity"].as_f64(), Some(leap.analysis.flights[0].gravity));
    for (place, truth) in flight["path"].as_array().unwrap().iter().zip(&leap.analysis.flights[0].ballistic_path) {
        assert!((vector(place).unwrap() - *truth).abs().max_element() <= 0.500001e-4);
    }
    assert_eq!(motion["findings"].as_array().unwrap().len(), leap.analysis.findings.len());
}

#[test]
fn s33_the_same_clip_gives_the_same_bytes_in_every_form_with_one_thread_and_two() {
    let forms = || {
        let leap = Leap::new();
        let labels = Labels { file: "jump.bvh".into(), unit: "1 unit = 1 m".into(), ..Labels::default() };
        let mut writer = json::AnalysisWriter::new(Vec::new()).unwrap();
        writer.clip(&leap.report()).unwrap();
        [
            writer.finish().unwrap(),
            csv::csv(&leap.analysis).into_bytes(),
            page::html(&leap.report()).into_bytes(),
            plate::plate(&leap.character, &leap.clip, &leap.analysis, &labels).unwrap(),
        ]
    };
    let threads = |count: usize| rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
    let one = threads(1).install(forms);
    assert!(threads(2).install(forms) == one);
    assert!(forms() == one);
}

#[test]
fn s33_a_document_has_one_entry_per_scene_in_their_order() {
    let leap = Leap::new();
    let mut writer = json::AnalysisWriter::new(Vec::new()).unwrap();
    for file in ["a.bvh", "b.bvh", "c.bvh"] {
        if file == "b.bvh" {
            writer.unread(&UnreadClip { file, error: "b.bvh: empty" }).unwrap();
        } else {
            writer.clip(&ClipReport { file, ..leap.report() }).unwrap();
        }
    }
    let document: Value = serde_json::from_slice(&writer.finish().unwrap()).unwrap();
    let files: Vec<&str> = document["clips"].as_array().unwrap().iter().map(|c| c["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["a.bvh", "b.bvh", "c.bvh"]);
}
