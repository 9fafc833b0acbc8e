//! Tests of the terminal report, on analyses made by hand.

use muybridge::analysis::{Analysis, Finding, FindingId, Severity, Verdict};
use muybridge::analysis::{Balance, Span};
use muybridge::glam::DVec3;

use super::*;
use crate::labels::Labels;
use crate::leap;

fn analysis(gravity: f64) -> Analysis {
    leap::leap(gravity, 1.2).2
}

fn fits(text: &str, columns: usize) {
    for line in text.lines() {
        assert!(style::width(line) <= columns, "{} columns: {line}\n{text}", style::width(line));
        assert_eq!(line, line.trim_end());
    }
}

fn finding(id: FindingId, severity: Severity, message: &str) -> Finding {
    let span = Span { first: 0, last: 57, start: 0.0, end: 1.9 };
    Finding { id, severity, span, value: 0.0, limit: [None, None], message: message.into() }
}

#[test]
fn a_block_says_everything_in_80_columns() {
    let block = clip_block(&analysis(2.2), &leap::labels("jump.bvh"), &Style::default());
    println!("{block}");
    fits(&block, 80);
    for piece in [
        "jump.bvh   58 frames, 30 fps, 1.9 s   17 bones   1 unit = 1 cm (height 1.71 m)",
        "de Leva 1996 male   floor 0.0 cm   cut-off none",
        "0.90–1.37 s  (27–41)   gravity 2.20 ± 0.03 g   7 frames too few",
        "path 1.2 %   momentum 3.1 %   spin 12.0 %",
        "zero-moment point inside support 87 %; worst 6.1 cm out at 0.43 s",
        "skate 2.3 cm/s   float 0.0 cm   penetration 1.1 cm",
        "  ✗ flight.gravity  0.90–1.37 s  2.20 g is outside 0.80–1.25 g.",
    ] {
        assert!(block.contains(piece), "{piece}\n{block}");
    }
    assert_eq!(block.lines().last(), Some("implausible: 1 error, 0 warnings"));
    assert!(block.lines().rev().nth(1).is_some_and(|line| line.contains("--html FILE or --plate FILE")));
}

#[test]
fn the_marks_say_which_line_is_wrong() {
    let block = clip_block(&analysis(2.2), &leap::labels("jump.bvh"), &Style::default());
    let mark = |word: &str| block.lines().find(|line| line.contains(word)).and_then(|line| line.chars().last());
    assert_eq!(mark("frames too few"), Some('✗'));
    assert_eq!((mark("momentum"), mark("balance"), mark("skate")), (Some('✓'), Some('✓'), Some('✓')));
}

#[test]
fn color_adds_codes_and_nothing_else() {
    let labels = leap::labels("jump.bvh");
    let plain = clip_block(&analysis(2.2), &labels, &Style::default());
    assert!(!plain.contains('\u{1b}'));
    let colored = clip_block(&analysis(2.2), &labels, &Style { color: true, ..Style::default() });
    let mut bare = colored.clone();
    for code in ["0", "1", "2", "31", "32", "33"] {
        bare = bare.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_ne!(colored, plain);
    assert_eq!(bare, plain);
}

#[test]
fn without_unicode_the_block_is_ascii_and_fits() {
    let style = Style { unicode: false, ..Style::default() };
    let labels = leap::labels("Sprünge – ein Test.bvh");
    for gravity in [1.0, 2.2] {
        let block = clip_block(&analysis(gravity), &labels, &style);
        println!("{block}");
        assert!(block.is_ascii(), "{block}");
        fits(&block, 80);
    }
    assert!(clip_block(&analysis(1.0), &labels, &style).contains("gravity 1.00 +- 0.03 g"));
}

#[test]
fn long_names_narrow_terminals_and_empty_clips_read_well() {
    let mut still = analysis(1.0);
    still.flights.clear();
    still.floor = None;
    still.clip = "Armature|mixamo.com|Layer0 a rather long name for a clip".into();
    still.balance = Balance::default();
    still.verdict = Verdict::Undecided;
    still.unseen_support = vec![Span { first: 10, last: 44, start: 0.33, end: 1.47 }];
    still.treadmill = DVec3::new(0.0, 0.0, -1.42);
    still.cutoff_hz = Some(7.5);
    still.cutoff_source = "residual analysis".into();
    still.findings = vec![
        finding(
            FindingId::SupportUnseen,
            Severity::Note,
            "Nothing in the clip carries the body; a chair or a box is not shown.",
        ),
        finding(
            FindingId::ClipUnits,
            Severity::Warning,
            "A_single_word_that_is_much_longer_than_any_line_of_a_narrow_terminal_could_ever_be.",
        ),
    ];
    let labels = Labels { file: "captures/2024-11-03/subject_12/sitting_down_take_007.bvh".into(), ..leap::labels("") };
    for width in [0, 40, 60, 80, 120] {
        let block = clip_block(&still, &labels, &Style { width, ..Style::default() });
        println!("{block}");
        fits(&block, width.max(40));
        assert_eq!(block.lines().last(), Some("undecided: 0 errors, 1 warning"));
    }
    let block = clip_block(&still, &labels, &Style::default());
    for piece in [
        "flight   none seen",
        "balance  no frame with a support polygon",
        "ground   moves 1.42 m/s",
        "support  unseen  0.33–1.47 s  (10–44)",
        "no floor: nothing ever rests",
        "cut-off 7.5 Hz (residual analysis)",
        "--support 10..44",
    ] {
        assert!(block.contains(piece), "{piece}\n{block}");
    }
}

#[test]
fn several_flights_align_on_the_decimal_point() {
    let mut hops = analysis(2.2);
    let first = hops.flights[0].clone();
    for index in 1..12 {
        let mut flight = first.clone();
        let later = 120 * index;
        flight.span.first += later;
        flight.span.last += later;
        flight.span.start += later as f64 / 30.0;
        flight.span.end += later as f64 / 30.0;
        flight.gravity = 1.0 + index as f64;
        flight.angular_momentum_error_norm = f64::INFINITY;
        hops.flights.push(flight);
    }
    let block = clip_block(&hops, &leap::labels("hops.bvh"), &Style::default());
    println!("{block}");
    fits(&block, 80);
    let points: Vec<usize> = block
        .lines()
        .filter_map(|line| line.split_once("gravity ").filter(|(_, rest)| rest.contains('±')))
        .map(|(before, rest)| style::width(before) + rest.find('.').unwrap_or(0))
        .collect();
    assert_eq!(points.len(), 8);
    assert!(points.iter().all(|point| *point == points[0]), "{points:?}");
    assert!(block.contains("12 flights; these are the 8 worst"));
}

#[test]
fn the_summary_has_a_row_per_clip_and_fits() {
    let long = "captures/2024-11-03/subject_12/backflip_take_007_final_really_final.bvh";
    let mut still = analysis(1.0);
    still.flights.clear();
    still.balance.inside_fraction = None;
    let rows = [
        SummaryRow::new(&analysis(2.2), &leap::labels("jump.bvh")),
        SummaryRow::new(&analysis(1.0), &leap::labels(long)),
        SummaryRow::new(&still, &leap::labels("跳躍.bvh")),
        SummaryRow::unreadable(
            "broken.bvh",
            "broken.bvh:12:5: expected OFFSET, found “OFSET”; the file is damaged or not a BVH",
        ),
    ];
    for style in [Style::default(), Style { unicode: false, ..Style::default() }] {
        let table = summary_table(&rows, &style);
        println!("{table}");
        fits(&table, 80);
        assert!(table.contains("  2.20  ") && table.contains("87 %") && table.contains("unreadable: broken.bvh:12:5"));
        assert_eq!(table.lines().last(), Some("4 clips: 2 plausible, 1 implausible, 1 unreadable"));
    }
}

#[test]
fn the_role_table_says_what_was_taken_for_what() {
    let table = roles_table(&analysis(1.0), &Style::default());
    println!("{table}");
    fits(&table, 80);
    let row = table.lines().find(|line| line.starts_with("left upper arm")).unwrap();
    assert!(row.contains("LeftUpperArm") && row.ends_with("1.89 kg"), "{row}");
    let list = ignored_list(
        &["The file’s IK target “hand_ik” carries no motion and was left out of the character entirely.".into()],
        &Style::default(),
    );
    fits(&list, 80);
    assert!(list.contains("hand_ik"));
}
