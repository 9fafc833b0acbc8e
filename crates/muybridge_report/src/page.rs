//! The report as one HTML file that needs no network: a 3D view, a time line, charts under one cursor, and the
//! findings.
//!
//! Script and style of this crate are written into the file; the clip is embedded as rounded integers (see `rounding`).
//! The same report gives the same bytes. Colors and shapes are the same as in every other picture of the project.

mod motion;
mod rounding;

pub use crate::fix::fix_html;

use serde::Serialize;

use crate::ClipReport;
use crate::fix::CorrectionRecord;
use crate::labels;
use crate::terminal::style::is_hidden;
use crate::terminal::visible;
use motion::MotionRecord;

/// The HTML page of one clip.
pub fn html(report: &ClipReport) -> String {
    page(&[report], None)
}

/// The page of a clip, or of a corrected clip followed by its original. The last clip gives the title.
pub(crate) fn page(reports: &[&ClipReport], correction: Option<CorrectionRecord>) -> String {
    let motions = reports.iter().map(|report| MotionRecord::new(report)).collect();
    let report = reports[reports.len() - 1];
    let title = labels::title(&[report.file_name(), &report.analysis.clip, report.one_of_several()]);
    fill(
        include_str!("page/page.html"),
        &[
            ("title", &escaped(&title)),
            ("style", include_str!("page/page.css")),
            ("data", &embedded(&PageRecord { motions, correction })),
            ("script", SCRIPT),
        ],
    )
}

/// Parts of the script, in order of dependency; a closure around them keeps their names out of the global scope.
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("page/motion.js"),
    include_str!("page/pairing.js"),
    include_str!("page/camera.js"),
    include_str!("page/picture.js"),
    include_str!("page/floor.js"),
    include_str!("page/overlays.js"),
    include_str!("page/solid.js"),
    include_str!("page/scene.js"),
    include_str!("page/timeline.js"),
    include_str!("page/charts.js"),
    include_str!("page/side.js"),
    include_str!("page/correction.js"),
    include_str!("page/controls.js"),
    "})();\n",
);

/// Data of the script. The first motion is the one that is judged; after a corrected motion comes its original.
#[derive(Serialize)]
struct PageRecord {
    motions: Vec<MotionRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correction: Option<CorrectionRecord>,
}

/// JSON for a script element: escapes `<`, so that no tag or comment can open, and shows hidden characters as escapes.
fn embedded(record: &PageRecord) -> String {
    let json = serde_json::to_string(record).expect("the record has string keys only and serializes without error");
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' => safe.push_str("\\u003c"),
            _ if is_hidden(character) => {
                safe.push('\\');
                safe.extend(character.escape_unicode());
            }
            _ => safe.push(character),
        }
    }
    safe
}

/// Escapes text for use inside an HTML element.
pub(crate) fn escaped(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Replaces each `{{name}}` in the template by its value. Values are not searched for further names.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut page = String::with_capacity(template.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    let mut rest = template;
    while let Some(open) = rest.find("{{") {
        let close = open + rest[open..].find("}}").expect("the template closes what it opens");
        let name = &rest[open + 2..close];
        page.push_str(&rest[..open]);
        page.push_str(values.iter().find(|(known, _)| *known == name).expect("the template asks for known names").1);
        rest = &rest[close + 2..];
    }
    page.push_str(rest);
    page
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::sample::Sample;

    fn data(page: &str) -> Value {
        let start = page.find("<script type=\"application/json\" id=\"data\">").unwrap();
        let start = start + page[start..].find('>').unwrap() + 1;
        let end = start + page[start..].find("</script>").unwrap();
        serde_json::from_str(&page[start..end]).unwrap()
    }

    #[test]
    fn the_same_report_gives_the_same_bytes() {
        assert_eq!(html(&Sample::new().report()), html(&Sample::new().report()));
    }

    #[test]
    fn the_page_asks_the_network_for_nothing() {
        let page = html(&Sample::new().report());
        assert!(page.contains("default-src 'none'"), "the browser itself refuses to fetch");
        for address in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(address), "{address}");
        }
    }

    #[test]
    fn the_page_without_its_data_is_far_under_a_megabyte() {
        let page = html(&Sample::new().report());
        assert!(page.len() < 400_000, "{} bytes", page.len());
    }

    #[test]
    fn no_name_or_message_can_close_the_data_or_open_a_tag() {
        let sample = Sample::new();
        let page = html(&sample.report());
        assert!(sample.analysis.findings.iter().any(|finding| finding.message.contains("</script><b>")));
        assert!(!page.contains("</script><b>") && !page.contains("jump <made up>"));
        let data = data(&page);
        assert_eq!(data["motions"][0]["file"], "jump <made up>.bvh");
        assert_eq!(data["motions"][0]["findings"][2]["message"], sample.analysis.findings[2].message);
    }

    #[test]
    fn embedded_positions_are_those_of_the_bones_to_a_tenth_of_a_millimeter() {
        let sample = Sample::new();
        let data = data(&html(&sample.report()));
        let positions = &data["motions"][0]["positions"];
        let world = muybridge::motion::WorldMotion::new(&sample.character.skeleton, &sample.clip);
        let (unit, frames) = (positions["unit"].as_f64().unwrap(), sample.clip.frames());
        let steps: Vec<i64> = positions["steps"].as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect();
        assert_eq!(steps.len(), sample.character.skeleton.len() * 3 * frames);
        for (track, steps) in steps.chunks_exact(frames).enumerate() {
            let mut value = 0;
            for (frame, step) in steps.iter().enumerate() {
                value += step;
                let truth = world.position(track / 3, frame)[track % 3];
                assert!((value as f64 * unit - truth).abs() <= 0.5001e-4, "track {track} frame {frame}");
            }
        }
    }

    #[test]
    fn a_clip_of_one_frame_and_nothing_to_say_makes_a_page() {
        use muybridge::analysis::{Balance, PerFrame};
        let mut sample = Sample::new();
        sample.clip = sample.clip.cut(0, 1);
        let analysis = &mut sample.analysis;
        (analysis.frames, analysis.range, analysis.floor) = (1, (0, 1), None);
        (analysis.per_frame, analysis.balance) = (PerFrame::default(), Balance::default());
        (analysis.flights, analysis.findings, analysis.unseen_support) = (vec![], vec![], vec![]);
        assert_eq!(data(&html(&sample.report()))["motions"][0]["frames"], 1);
    }

    #[test]
    #[ignore = "writes MUYBRIDGE_PAGE, for .ci/browser_test.mjs and for the eye"]
    fn the_sample_page_is_written() {
        let file = std::env::var_os("MUYBRIDGE_PAGE").expect("set MUYBRIDGE_PAGE to the file to write");
        std::fs::write(file, html(&Sample::new().report())).unwrap();
    }
}
