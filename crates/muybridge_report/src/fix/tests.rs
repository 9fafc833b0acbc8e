//! Tests of reports of corrections: words, document and page agree with the correction of made-up faults.

use muybridge::analysis::{Analysis, Finding, FindingId, Settings, Severity};
use muybridge::character::Character;
use muybridge::correction::{CorrectedClip, FixSettings, Largest, RootBone, SpinReport, Tool, fix, largest_changes};
use muybridge::motion::{Clip, TimeMap};
use muybridge::samples;
use serde_json::Value;

use super::*;
use crate::labels::Labels;
use crate::terminal::Style;
use crate::{ClipReport, UnreadClip};

/// A clip and its correction.
struct Corrected {
    character: Character,
    clip: Clip,
    fixed: CorrectedClip,
    largest: Largest,
}

impl Corrected {
    fn new(clip: Clip) -> Self {
        let character = samples::humanoid();
        let fixed = fix(&character, &clip, &Settings::default(), &FixSettings::default());
        let roots = RootBone::of(&character, &clip).map_or(Vec::new(), |carrier| carrier.bones().to_vec());
        let largest = largest_changes(&character.skeleton, (&clip, &fixed.clip), &fixed.map, &roots);
        Self { character, clip, fixed, largest }
    }

    /// The built-in jump whose 25 intervals of flight were squeezed into 17: 2.16 g.
    fn hurried() -> Self {
        Self::new(TimeMap::stretched(151, 66, 91, 17).unwrap().apply(&samples::jump()))
    }

    fn side<'a>(&'a self, clip: &'a Clip, analysis: &'a Analysis) -> ClipReport<'a> {
        ClipReport {
            file: "clips/jump.bvh",
            meters_per_unit: 1.0,
            unit_source: "stated",
            up: "y",
            analysis,
            ignored: &[],
            character_name: "Hips",
            has_companions: false,
            character: &self.character,
            clip,
            ground: None,
        }
    }

    fn report(&self) -> FixReport<'_> {
        FixReport {
            before: self.side(&self.clip, &self.fixed.before),
            after: self.side(&self.fixed.clip, &self.fixed.after),
            output: Some("out/jump.bvh"),
            steps: &self.fixed.steps,
            left: &self.fixed.left,
            map: &self.fixed.map,
            largest: &self.largest,
            bounds: Default::default(),
            curves: None,
            looped: false,
            notes: &[],
        }
    }
}

fn labels() -> Labels {
    Labels { file: "clips/jump.bvh".into(), unit: "1 unit = 1 m (stated)".into(), ..Labels::default() }
}

fn fits(text: &str, columns: usize) {
    for line in text.lines() {
        let wide = crate::terminal::style::width(line);
        assert!(wide <= columns, "{wide} columns: {line}\n{text}");
        assert_eq!(line, line.trim_end());
    }
}

#[test]
fn the_block_of_a_retimed_flight_says_everything_in_80_columns() {
    let corrected = Corrected::hurried();
    let block = fix_block(&corrected.report(), &labels(), &Style::default());
    println!("{block}");
    fits(&block, 80);
}

#[test]
fn the_block_gives_numbers_of_the_analyses_before_and_after() {
    let corrected = Corrected::hurried();
    let (report, fixed) = (corrected.report(), &corrected.fixed);
    let block = fix_block(&report, &labels(), &Style::default());
    let (old, new) = (&fixed.before.flights[0], &fixed.after.flights[0]);
    let flight = &fixed.steps[0].plan.flights[0];
    for piece in [
        format!(
            "({}–{})   {} → {} frames",
            old.span.first,
            old.span.last,
            flight.last - flight.first + 1,
            flight.intervals + 1
        ),
        format!("{:.2} g  → {:.2} g, gone  0.80–1.25 g  ✓", old.gravity, new.gravity),
        format!(
            "{} → {} ({:+})",
            corrected.clip.frames(),
            fixed.clip.frames(),
            fixed.clip.frames() - corrected.clip.frames()
        ),
        "no joint turned".into(),
        format!("moved {:.1} mm (frame {})", 1000.0 * corrected.largest.root_moved.0, corrected.largest.root_moved.1),
        "Written to out/jump.bvh".into(),
    ] {
        assert!(block.contains(&piece), "{piece}\n{block}");
    }
    // The pace changes at the ends of the retimed flight at once, which shows as two jumps of 2 cm.
    assert_eq!(block.lines().last(), Some("implausible → plausible: 1 → 0 errors, 0 → 2 warnings"));
    let dry = fix_block(&FixReport { output: None, looped: true, ..report }, &labels(), &Style::default());
    assert!(dry.contains("a dry run") && dry.contains("loop     2.367 → 2.483 s"), "{dry}");
}

#[test]
fn a_clip_that_needs_nothing_says_so() {
    let corrected = Corrected::new(samples::jump());
    let block = fix_block(&corrected.report(), &labels(), &Style::default());
    assert!(block.contains("nothing to correct") && block.contains("151 as before, 2.50 s"), "{block}");
    assert_eq!(block.lines().last(), Some("plausible → plausible: 0 → 0 errors, 0 → 0 warnings"));
    let document = fix_json(&corrected.report());
    for empty in ["findings", "steps", "left", "time_map"] {
        assert_eq!(document[empty], serde_json::json!([]), "{empty}");
    }
    assert_eq!(document["largest"]["joint"], Value::Null);
}

#[test]
fn without_unicode_it_is_ascii_and_color_adds_codes_and_nothing_else() {
    let corrected = Corrected::hurried();
    let plain = fix_block(&corrected.report(), &labels(), &Style::default());
    let ascii = fix_block(&corrected.report(), &labels(), &Style { unicode: false, ..Style::default() });
    assert!(ascii.is_ascii() && ascii.contains("2.16 g  -> 1.00 g, gone"), "{ascii}");
    fits(&ascii, 80);
    let colored = fix_block(&corrected.report(), &labels(), &Style { color: true, ..Style::default() });
    let bare = ["0", "1", "2", "31", "32", "33"]
        .iter()
        .fold(colored.clone(), |text, code| text.replace(&format!("\u{1b}[{code}m"), ""));
    assert_ne!(colored, plain);
    assert_eq!(bare, plain);
    for width in [60, 120] {
        let block = fix_block(&corrected.report(), &labels(), &Style { width, ..Style::default() });
        assert!(block.lines().all(|line| crate::terminal::style::width(line) <= width), "{block}");
    }
}

/// Analyses before and after with made-up findings that stay, go, appear, and move with the retimed flight.
fn mixed(corrected: &Corrected) -> (Analysis, Analysis) {
    let finding = |id, severity, (first, last): (usize, usize), value| {
        let span = muybridge::analysis::Span { first, last, start: first as f64 / 60.0, end: last as f64 / 60.0 };
        Finding { id, severity, span, value, limit: [None, Some(0.05)], message: "made up".into() }
    };
    let (mut before, mut after) = (corrected.fixed.before.clone(), corrected.fixed.after.clone());
    before.findings.extend([
        finding(FindingId::BalanceZmp, Severity::Warning, (20, 24), 0.5),
        finding(FindingId::BalanceZmp, Severity::Error, (100, 120), 1.5),
        finding(FindingId::ClipLoopSeam, Severity::Note, (0, 142), 3.0),
    ]);
    after.findings.extend([
        finding(FindingId::BalanceZmp, Severity::Warning, (106, 126), 1.25),
        finding(FindingId::FeetPenetration, Severity::Warning, (0, 149), 0.081),
    ]);
    (before, after)
}

#[test]
fn findings_are_matched_by_name_and_by_where_their_frames_went() {
    let corrected = Corrected::hurried();
    let (before, after) = mixed(&corrected);
    let mut report = corrected.report();
    (report.before.analysis, report.after.analysis) = (&before, &after);
    let found = fix_json(&report)["findings"].clone();
    let rows = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| !["flight.gravity", "clip.time_base", "clip.jump"].contains(&row["id"].as_str().unwrap()));
    let rows: Vec<&Value> = rows.collect();
    let row = |index: usize| {
        let of = |key: &str| rows[index][key].clone();
        serde_json::json!([
            of("id"),
            of("value"),
            of("new_value"),
            of("severity"),
            of("new_severity"),
            of("new_first_frame")
        ])
    };
    assert_eq!(row(0), serde_json::json!(["balance.zmp", 0.5, null, "warning", null, null]));
    assert_eq!(row(1), serde_json::json!(["balance.zmp", 1.5, 1.25, "error", "warning", 106]));
    assert_eq!(row(2), serde_json::json!(["clip.loop_seam", 3.0, null, "note", null, null]));
    assert_eq!(row(3), serde_json::json!(["feet.penetration", null, 0.081, null, "warning", 0]));
    assert_eq!(rows.len(), 4);
    let block = fix_block(&report, &labels(), &Style::default());
    println!("{block}");
    fits(&block, 80);
    let line = |part: &str| block.lines().find(|line| line.contains(part)).unwrap_or_else(|| panic!("{part}\n{block}"));
    assert!(line("(20–24)").contains("→ gone") && line("(20–24)").ends_with('✓'));
    assert!(line("(100–120)").contains("1.50  → 1.25") && line("(100–120)").ends_with('!'));
    assert!(line("feet.penetration").contains("none  → 8.1 cm") && line("feet.penetration").contains("whole clip"));
    assert!(!block.contains("loop_seam"), "notes are left to the document");
}

#[test]
fn a_change_too_small_to_be_a_finding_is_not_said_to_be_within_its_limit() {
    let corrected = Corrected::hurried();
    let (mut before, mut after) = (corrected.fixed.before.clone(), corrected.fixed.after.clone());
    let (old, limit) = (before.flights[0].span, [None, Some(0.2)]);
    let message = "made up".to_owned();
    let severity = Severity::Error;
    before.findings.push(Finding { id: FindingId::FlightMomentum, severity, span: old, value: 0.71, limit, message });
    for (value, word, mark, within) in [(0.222, "22.2 %, too small", false, false), (0.18, "18.0 %, gone", true, true)]
    {
        after.flights[0].linear_momentum_error_norm = value;
        let mut report = corrected.report();
        (report.before.analysis, report.after.analysis) = (&before, &after);
        let block = fix_block(&report, &labels(), &Style::default());
        println!("{block}");
        fits(&block, 80);
        let line = block.lines().find(|line| line.contains("flight.momentum")).unwrap();
        assert!(line.contains(&format!("71.0 %  → {word}")) && line.contains("≤ 20.0 %"), "{line}");
        assert_eq!((line.ends_with('✓'), block.contains("never a finding")), (mark, !within), "{block}");
        let row =
            |rows: &Value| rows.as_array().unwrap().iter().find(|row| row["id"] == "flight.momentum").unwrap().clone();
        assert_eq!(row(&fix_json(&report)["findings"])["new_within_limit"], within);
        let shown = row(&record(&fix_html(&report))["correction"]["findings"]);
        let words = if within { "18.0 %" } else { "22.2 %, too small to matter" };
        assert_eq!((&shown["after"], &shown["outside"]), (&Value::from(words), &Value::from(!within)));
    }
}

#[test]
fn a_landing_that_is_not_met_and_a_flight_that_cannot_be_turned_are_told() {
    let mut corrected = Corrected::hurried();
    let spin = SpinReport {
        momentum: muybridge::glam::DVec3::ZERO,
        angles: vec![0.0, 37.9_f64.to_radians()],
        largest_angle: 37.9_f64.to_radians(),
        landing_error: 37.9_f64.to_radians(),
        iterations: 1,
        residual: 0.0,
        drift: 0.0,
        unchanged: None,
    };
    let told = |corrected: &Corrected| {
        let (report, flight) = (corrected.report(), |json: Value| json["steps"][0]["flights"][0].clone());
        let block = fix_block(&report, &labels(), &Style::default());
        println!("{block}");
        fits(&block, 80);
        let words = block.split_whitespace().collect::<Vec<_>>().join(" ");
        let page = record(&fix_html(&report))["correction"]["steps"][0]["moved"].as_str().unwrap().to_owned();
        (words, page, flight(fix_json(&report)))
    };
    corrected.fixed.steps[0].plan.flights[0].tool = Tool::Spin;
    corrected.fixed.steps[0].applied.flights[0].spin = Some(Ok(spin.clone()));
    let sentence = "the landing jumps by 37.9°; --blend fades it out, --momentum landing meets it";
    let (block, page, flight) = told(&corrected);
    assert!(block.contains(sentence) && page.contains(sentence), "{page}");
    assert!((flight["landing_error_deg"].as_f64().unwrap() - 37.9).abs() < 1e-9);
    assert_eq!(flight["not_turned"], Value::Null);

    let met = SpinReport { landing_error: 1e-12, ..spin };
    corrected.fixed.steps[0].applied.flights[0].spin = Some(Ok(met));
    let (block, page, _) = told(&corrected);
    assert!(!block.contains("the landing jumps") && !page.contains("the landing jumps"));

    corrected.fixed.steps[0].applied.flights[0].spin = Some(Err("the body has no mass".into()));
    let (block, page, flight) = told(&corrected);
    let sentence = "could not be turned: the body has no mass";
    assert!(block.contains(sentence) && page.contains(sentence), "{page}");
    assert_eq!((&flight["not_turned"], &flight["landing_error_deg"]), (&"the body has no mass".into(), &Value::Null));
}

#[test]
fn what_rounds_to_nothing_did_not_move() {
    let mut corrected = Corrected::hurried();
    corrected.largest.root_moved.0 = 0.000_049;
    corrected.largest.root_turned.0 = 0.049_f64.to_radians();
    let block = fix_block(&corrected.report(), &labels(), &Style::default());
    assert!(
        block.contains("root     not moved") && block.contains("not turned") && !block.contains("0.0 mm"),
        "{block}"
    );
    let facts = record(&fix_html(&corrected.report()))["correction"]["facts"].to_string();
    assert!(facts.contains("root not moved") && facts.contains("root not turned"), "{facts}");
    (corrected.largest.root_moved.0, corrected.largest.root_turned.0) = (0.000_051, 0.051_f64.to_radians());
    let block = fix_block(&corrected.report(), &labels(), &Style::default());
    assert!(block.contains("moved 0.1 mm") && block.contains("turned 0.1°"), "{block}");
}

/// Example of the schema with every key.
const CONTRACT: &str = r#"{"file": "", "name": "", "error": null, "output": null,
  "before": {"verdict": "", "frames": 0, "seconds": 0, "floor_m": 0, "flights": [{"first_frame": 0, "last_frame": 0, "start_s": 0,
    "end_s": 0, "gravity_g": 0, "gravity_se_g": 0, "frames_to_add": 0, "horizontal_path_error": 0,
    "horizontal_path_error_unit": "1", "linear_momentum_error_norm": 0, "angular_momentum_error_norm": 0,
    "angular_momentum_change_kgm2ps": 0}], "contacts": [{"bone": "", "spans": [[0, 1]]}],
    "feet": {"skate_mps": 0, "float_m": 0, "penetration_m": 0}, "findings": [{"id": "", "severity": "", "first_frame": 0,
    "last_frame": 0, "start_s": 0, "end_s": 0, "value": 0, "limit": [], "message": ""}]},
  "after": {"verdict": "", "frames": 0, "seconds": 0, "floor_m": 0, "flights": [], "contacts": [], "feet": {}, "findings": []},
  "findings": [{"id": "", "unit": "", "first_frame": 0, "last_frame": 0, "new_first_frame": 0, "new_last_frame": 0,
    "severity": "", "value": 0, "limit": [], "new_severity": "", "new_value": 0,
    "new_within_limit": null}],
  "steps": [{"flights": [{"first_frame": 0, "last_frame": 0, "new_first_frame": 0, "new_last_frame": 0, "intervals": 0,
    "new_intervals": 0, "tool": "", "reason": "", "choices": [{"tool": "", "cost": 0, "better": [], "left": [], "worse": [],
      "beyond": null}],
    "moved_m": 0, "turned_deg": null, "landing_error_deg": null, "not_turned": null, "blend": null}], "feet": false, "planted": null}],
  "left": [{"new_first_frame": 0, "new_last_frame": 0, "start_s": 0, "end_s": 0, "why": ""}],
  "time_map": [{"first_frame": 0, "last_frame": 0, "new_first_frame": 0, "new_last_frame": 0}], "loop_s": null,
  "largest": {"joint_deg": 0, "joint": "", "joint_new_frame": 0, "root_mm": 0, "root_mm_new_frame": 0, "root_deg": 0,
    "root_deg_new_frame": 0}, "bounds": {"root_mm": 0, "joint_deg": 0, "gravity_g": 0}, "notes": []}"#;

/// Asserts that every key of `wanted` is in `found` in the same order; the first entry of a list stands for all.
fn assert_has_keys(wanted: &Value, found: &Value, path: &str) {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            let order: Vec<&String> = found.keys().filter(|key| wanted.contains_key(*key)).collect();
            assert_eq!(order, wanted.keys().collect::<Vec<_>>(), "keys of {path}");
            wanted.iter().for_each(|(key, value)| assert_has_keys(value, &found[key], &format!("{path}.{key}")));
        }
        (Value::Array(wanted), Value::Array(found)) => {
            if let (Some(wanted), Some(found)) = (wanted.first(), found.first()) {
                assert_has_keys(wanted, found, &format!("{path}[0]"));
            }
        }
        (Value::Object(_) | Value::Array(_), other) => assert_eq!(*other, Value::Null, "{path}"),
        _ => {}
    }
}

#[test]
fn every_key_of_the_schema_of_fix_is_there_in_order() {
    let corrected = Corrected::hurried();
    let left = [Unfixed { first: 3, last: 9, why: "made up".into() }];
    let contract: Value = serde_json::from_str(CONTRACT).unwrap();
    let document = fix_json(&FixReport { left: &left, ..corrected.report() });
    assert_has_keys(&contract, &document, "fix");
    let unfixed = unfixed_json(&UnreadClip { file: "a.bvh", error: "a.bvh:3:1: no such channel" });
    assert_has_keys(&contract, &unfixed, "unfixed");
    assert_eq!(unfixed["error"], "a.bvh:3:1: no such channel");
    assert_eq!(unfixed["before"], Value::Null);
}

#[test]
fn s12_the_document_says_which_frames_went_where() {
    let corrected = Corrected::hurried();
    let document = fix_json(&corrected.report());
    let (plan, flight) = (&corrected.fixed.steps[0].plan.flights[0], &document["steps"][0]["flights"][0]);
    let added = plan.intervals - (plan.last - plan.first);
    assert_eq!((corrected.clip.frames() + added) as u64, document["after"]["frames"].as_u64().unwrap());
    let span = serde_json::json!({"first_frame": plan.first as f64, "last_frame": plan.last as f64,
        "new_first_frame": plan.first, "new_last_frame": plan.last + added});
    assert_eq!(document["time_map"], serde_json::json!([span]));
    assert_eq!(flight["new_last_frame"].as_u64(), Some((plan.last + added) as u64));
    assert_eq!(flight["tool"], "time");
    assert!(flight["choices"].as_array().unwrap().len() >= 2, "what was tried and not taken is said, too");
    let landed = |side: &str| document[side]["contacts"][0]["spans"][1][0].as_u64().unwrap();
    assert_eq!(landed("after") - landed("before"), added as u64, "contacts after the flight come later");
}

#[test]
fn what_is_not_a_finite_number_is_null_and_clips_written_one_by_one_are_the_document() {
    let mut corrected = Corrected::hurried();
    corrected.fixed.before.flights[0].angular_momentum_error_norm = f64::INFINITY;
    corrected.largest.root_turned.0 = f64::NAN;
    let entry = fix_json(&corrected.report());
    assert_eq!(entry["before"]["flights"][0]["angular_momentum_error_norm"], Value::Null);
    assert_eq!(entry["largest"]["root_deg"], Value::Null);
    let unread = UnreadClip { file: "b.bvh", error: "empty" };
    let mut writer = FixWriter::new(Vec::new()).unwrap();
    writer.clip(&corrected.report()).unwrap();
    writer.unfixed(&unread).unwrap();
    writer.value(&unfixed_json(&unread)).unwrap();
    let bytes = writer.finish().unwrap();
    let at_once = fix_document(vec![entry, unfixed_json(&unread), unfixed_json(&unread)]);
    assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), at_once);
}

#[test]
fn the_table_has_a_row_per_clip_and_fits() {
    let (hurried, fine) = (Corrected::hurried(), Corrected::new(samples::jump()));
    let long = Labels { file: "captures/2024-11-03/subject_12/backflip_take_007_really_final.bvh".into(), ..labels() };
    let rows = [
        FixRow::new(&hurried.report(), &long),
        FixRow::new(&fine.report(), &labels()),
        FixRow::unfixed(
            "broken.bvh",
            "broken.bvh:12:5: expected OFFSET, found “OFSET”; the file is damaged or not a BVH",
        ),
    ];
    for style in [Style::default(), Style { unicode: false, ..Style::default() }] {
        let table = fix_table(&rows, &style);
        println!("{table}");
        fits(&table, 80);
        let arrow = if style.unicode { "→" } else { "->" };
        assert!(
            table.contains(&format!("143{arrow}150")) && table.contains("not corrected: broken.bvh:12:5"),
            "{table}"
        );
        let last = format!("3 clips: 1 changed, 1 not corrected; plausible 1 {arrow} 2");
        assert_eq!(table.lines().last(), Some(last.replace("->", " -> ").replace("  ", " ").as_str()));
    }
}

/// The data record that the script of a page reads.
fn record(page: &str) -> Value {
    let mark = "<script type=\"application/json\" id=\"data\">";
    let start = page.find(mark).unwrap() + mark.len();
    let end = start + page[start..].find("</script>").unwrap();
    serde_json::from_str(&page[start..end]).unwrap()
}

#[test]
fn the_page_holds_both_motions_and_which_frame_is_which() {
    let corrected = Corrected::hurried();
    let page = fix_html(&corrected.report());
    let record = record(&page);
    let frames = |motion: usize| record["motions"][motion]["frames"].as_u64().unwrap() as usize;
    assert_eq!((frames(0), frames(1)), (corrected.fixed.clip.frames(), corrected.clip.frames()));
    let knots: Vec<(usize, f64)> = serde_json::from_value(record["correction"]["knots"].clone()).unwrap();
    for (frame, source) in knots {
        assert!((corrected.fixed.map.source(frame) - source).abs() < 1e-9);
    }
    let finding = &record["correction"]["findings"][0];
    assert_eq!((finding["before"].as_str(), finding["after"].as_str()), (Some("2.16 g"), Some("1.00 g")));
    assert!(page.contains("default-src 'none'") && !page.contains("http://") && !page.contains("https://"));
    assert_eq!(page, fix_html(&corrected.report()), "the same report gives the same bytes");
}

#[test]
fn no_name_or_reason_can_close_the_data_or_open_a_tag() {
    let mut corrected = Corrected::hurried();
    corrected.fixed.steps[0].plan.flights[0].reason = "</script><b>".into();
    let notes = ["<note made up>".to_owned()];
    let page = fix_html(&FixReport { output: Some("</script><u>"), notes: &notes, ..corrected.report() });
    assert!(!page.contains("</script><b>") && !page.contains("<note made up>") && !page.contains("</script><u>"));
    assert_eq!(record(&page)["correction"]["steps"][0]["reason"], "</script><b>");
}
