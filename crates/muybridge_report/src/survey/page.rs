//! A survey as one HTML file that needs no network: counts, histograms, the table of gravities, the worst clips.
//!
//! The charts are drawn here. The script only sorts tables and switches between light and dark, so the page is complete
//! without it. The same statistics and links give the same bytes.

use std::fmt::Write;

use muybridge::analysis::Bins;
use muybridge::analysis::GravityTable;

use super::histogram_chart::histogram;
use super::statistics::{BalanceCounts, Statistics, VERDICTS};
use super::worst::WorstFlight;
use crate::page::{escaped, fill};
use crate::terminal::{grouped, length};

/// Largest number of listed characters; those with the most clips are listed.
const CHARACTERS: usize = 40;

/// Input of the page that the statistics do not contain.
pub struct PageText<'a> {
    /// Maps a file of the survey to a link from the page.
    pub link: &'a dyn Fn(&str) -> String,
}

/// The HTML page of a survey.
pub fn html(statistics: &Statistics, text: &PageText<'_>) -> String {
    let title = format!("Survey of {}", counted(statistics.clips, "clip"));
    fill(
        include_str!("page/survey.html"),
        &[
            ("title", &escaped(&title)),
            ("style", include_str!("page/survey.css")),
            ("script", include_str!("page/survey.js")),
            ("facts", &facts(statistics)),
            ("verdicts", &verdicts(statistics)),
            ("findings", &findings(statistics)),
            ("path", &path(statistics)),
            ("linear", &momenta(&statistics.histograms.linear, ["along x", "along z"], "linear")),
            ("angular", &momenta(&statistics.histograms.angular, ["about x", "about y", "about z"], "angular")),
            ("walking", &balance(&statistics.walking, "walking")),
            ("running", &balance(&statistics.running, "running")),
            ("other", &balance(&statistics.other, "everything else")),
            ("gravity", &gravity(statistics)),
            ("flights", &flights(statistics, text)),
            ("worst", &worst(statistics, text)),
            ("characters", &characters(statistics, text)),
            ("unread", &unread(statistics, text)),
        ],
    )
}

fn facts(statistics: &Statistics) -> String {
    let facts = [
        ("files", grouped(statistics.files)),
        ("frames", grouped(statistics.frames)),
        ("length", length(statistics.seconds)),
        ("skeletons", grouped(statistics.characters.len() as u64)),
        ("flights", grouped(statistics.flights)),
    ];
    facts.iter().map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>")).collect()
}

fn verdicts(statistics: &Statistics) -> String {
    let counts = VERDICTS.iter().copied().zip(statistics.verdicts);
    let all: Vec<(&str, u64)> = counts.chain([("unreadable", statistics.unreadable)]).filter(|(_, n)| *n > 0).collect();
    let mut html = String::from("<div class=\"bar\" aria-hidden=\"true\">");
    for (name, count) in &all {
        let _ = write!(html, "<span class=\"{name}\" style=\"flex:{count}\"></span>");
    }
    html += "</div><ul class=\"legend\">";
    for (name, count) in all {
        let (count, part) = (grouped(count), percent(count, statistics.clips));
        let _ = write!(html, "<li class=\"{name}\"><b>{count}</b> {name} <small>{part}</small></li>");
    }
    html + "</ul>"
}

fn findings(statistics: &Statistics) -> String {
    if statistics.findings.is_empty() {
        return "<p class=\"none\">Nothing was found.</p>".into();
    }
    let most = statistics.findings.values().map(|totals| totals.clips).max().unwrap_or(1);
    let mut rows: Vec<_> = statistics.findings.iter().collect();
    rows.sort_by_key(|(_, totals)| (std::cmp::Reverse(totals.severities), std::cmp::Reverse(totals.clips)));
    let mut html = String::from(
        "<table class=\"sortable\"><thead><tr><th>finding<th>clips<th>errors<th>warnings<th>notes<th class=\"wide\"></thead><tbody>",
    );
    for (id, totals) in rows {
        let [errors, warnings, notes] = totals.severities;
        let kind = if errors > 0 {
            "error"
        } else if warnings > 0 {
            "warning"
        } else {
            "note"
        };
        let wide = 100.0 * totals.clips as f64 / most as f64;
        let _ = write!(
            html,
            "<tr><td>{}<td>{}<td{}>{}<td>{}<td>{}<td class=\"wide\"><span class=\"meter {kind}\" style=\"width:{wide:.1}%\"></span>",
            id.name(),
            grouped(totals.clips),
            if errors > 0 { " class=\"out\"" } else { "" },
            none_or(errors),
            none_or(warnings),
            none_or(notes),
        );
    }
    html + "</tbody></table>"
}

fn path(statistics: &Statistics) -> String {
    let histograms = &statistics.histograms;
    let mut html = histogram(&filled(&histograms.path, 8), Bins::PathError, "path error", "path");
    if histograms.path_in_meters > 0 {
        let frames = counted(histograms.path_in_meters, "frame");
        let _ = write!(html, "<p class=\"note\">Not among them: {frames} of flights that go less than 5 cm.</p>");
    }
    html
}

/// A histogram for each axis of a momentum.
fn momenta<const AXES: usize>(counts: &[Vec<u64>; AXES], axes: [&str; AXES], kind: &str) -> String {
    let drawing = |(counts, axis): (&Vec<u64>, &str)| {
        let what = format!("{kind} momentum error {axis}");
        let drawing = histogram(&filled(counts, 16), Bins::MomentumError, &what, kind);
        format!("<figure><figcaption>{what}</figcaption>{drawing}</figure>")
    };
    counts.iter().zip(axes).map(drawing).collect()
}

fn balance(balance: &BalanceCounts, name: &str) -> String {
    let drawing = histogram(&filled(&balance.bins, 7), Bins::ZeroMomentDistance, &format!("balance, {name}"), "zmp");
    let (clips, frames) = (counted(balance.clips, "clip"), counted(balance.frames(), "frame"));
    let said = balance.in_balance().map_or("no frames with support".to_owned(), |part| {
        format!(
            "<b>{:.1} %</b> inside, <b>{:.1} %</b> inside or within 1",
            100.0 * part.inside,
            100.0 * part.within_one
        )
    });
    format!("<h3>{name}</h3><p>{said} <small>{clips}, {frames}</small></p>{drawing}")
}

fn gravity(statistics: &Statistics) -> String {
    let Some(table) = statistics.gravity() else { return "<p class=\"none\">No flights.</p>".into() };
    let GravityTable { count, median, quartiles: [lower, upper], least, greatest, mean, off } = table;
    let part = percent(off as u64, count as u64);
    let cells = [
        ("flights", grouped(count as u64)),
        ("median", two(median)),
        ("quartiles", format!("{}–{}", two(lower), two(upper))),
        ("range", format!("{}–{}", two(least), two(greatest))),
        ("mean", two(mean)),
        ("more than 20 % off", format!("{} <small>{part}</small>", grouped(off as u64))),
    ];
    let cells: String =
        cells.iter().map(|(name, value)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>")).collect();
    format!("<dl class=\"figures\">{cells}</dl>")
}

/// Table with one row per flight; if there are too many, those farthest from 1 g.
fn flights(statistics: &Statistics, text: &PageText<'_>) -> String {
    let mut kept: Vec<&WorstFlight> = statistics.farthest_flights().iter().collect();
    if kept.is_empty() {
        return String::new();
    }
    let all = kept.len() as u64 == statistics.flights;
    if all {
        kept.sort_by_key(|flight| flight.position);
    }
    let caption = if all {
        "All flights.".to_owned()
    } else {
        format!("The {} of {} flights that are farthest from 1 g.", kept.len(), grouped(statistics.flights))
    };
    let mut html = format!(
        "<p class=\"note\">{caption}</p><div class=\"scroll\"><table class=\"sortable\"><thead><tr><th>scene<th>time, s<th>frames\
         <th>gravity, g<th>± g<th>frames to add<th>size</thead><tbody>"
    );
    for flight in kept {
        let row = &flight.row;
        let out = row.gravity.is_some_and(|gravity| (gravity - 1.0).abs() > 0.2);
        let _ = write!(
            html,
            "<tr><td>{}<td>{:.2}–{:.2}<td>{}–{}<td{}>{}<td>{}<td>{}<td>{}",
            linked(&row.file, &flight.name(), text),
            row.start,
            row.end,
            row.first_frame,
            row.last_frame,
            if out { " class=\"out\"" } else { "" },
            row.gravity.map_or("–".into(), two),
            row.gravity_standard_error.map_or("–".into(), two),
            signed(row.frames_to_add),
            row.size_factor.filter(|size| *size > 0.0).map_or("–".into(), |size| format!("× {}", two(size))),
        );
    }
    html + "</tbody></table></div>"
}

fn worst(statistics: &Statistics, text: &PageText<'_>) -> String {
    if statistics.worst_clips().is_empty() {
        return "<p class=\"none\">No clip has errors.</p>".into();
    }
    let mut html = String::from(
        "<table class=\"sortable\"><thead><tr><th>clip<th>errors<th>warnings<th title=\"of the flight that is noticed soonest\">gravity, g<th title=\"1 is a change of the horizontal velocity by a fifth\">noticed<th class=\"words\">errors in</thead><tbody>",
    );
    for clip in statistics.worst_clips() {
        let _ = write!(
            html,
            "<tr><td>{}<td class=\"out\">{}<td>{}<td>{}<td>{}<td class=\"words\">{}",
            linked(&clip.file, &clip.name, text),
            clip.severities[0],
            none_or(clip.severities[1]),
            clip.gravity.map_or("–".into(), two),
            if clip.noticeability > 0.0 { format!("{:.1}", clip.noticeability) } else { "–".into() },
            escaped(&clip.error_ids.replace(';', ", ")),
        );
    }
    html + "</tbody></table>"
}

fn characters(statistics: &Statistics, text: &PageText<'_>) -> String {
    let mut rows: Vec<_> = statistics.characters.iter().collect();
    rows.sort_by_key(|(_, character)| std::cmp::Reverse(character.clips));
    let mut html = String::from(
        "<div class=\"scroll\"><table class=\"sortable\"><thead><tr><th>skeleton, for example in<th>bones<th>clips<th>plausible<th>implausible<th>undecided<th>flights</thead><tbody>",
    );
    for (key, character) in rows.iter().take(CHARACTERS) {
        let [plausible, implausible, undecided] = character.verdicts;
        let name = if key.is_empty() { "others".into() } else { linked(&character.example, &character.example, text) };
        let _ = write!(
            html,
            "<tr><td>{name}<td>{}<td>{}<td>{}<td{}>{}<td>{}<td>{}",
            character.bones,
            grouped(character.clips),
            none_or(plausible),
            if implausible > 0 { " class=\"out\"" } else { "" },
            none_or(implausible),
            none_or(undecided),
            none_or(character.flights),
        );
    }
    html += "</tbody></table></div>";
    if rows.len() > CHARACTERS {
        let _ = write!(html, "<p class=\"note\">And {} more.</p>", rows.len() - CHARACTERS);
    }
    html
}

fn unread(statistics: &Statistics, text: &PageText<'_>) -> String {
    if statistics.unreadable == 0 {
        return "<p class=\"none\">Every file could be read.</p>".into();
    }
    let mut html = String::from("<div class=\"scroll\"><table><tbody>");
    for file in statistics.unread() {
        let name = linked(&file.file, &file.file, text);
        let _ = write!(html, "<tr><td>{name}<td class=\"words\">{}", escaped(&file.reason));
    }
    html += "</tbody></table></div>";
    let rest = statistics.unreadable.saturating_sub(statistics.unread().len() as u64);
    if rest > 0 {
        let _ = write!(html, "<p class=\"note\">And {} more, in the table.</p>", grouped(rest));
    }
    html
}

fn linked(file: &str, name: &str, text: &PageText<'_>) -> String {
    let link = escaped(&(text.link)(file)).replace('"', "&quot;");
    format!("<a href=\"{link}\">{}</a>", escaped(name))
}

/// Counts per bin, or zeros for all bins if nothing was counted.
fn filled(counts: &[u64], bins: usize) -> Vec<u64> {
    if counts.is_empty() { vec![0; bins] } else { counts.to_vec() }
}

fn two(value: f64) -> String {
    format!("{value:.2}").replace('-', "−")
}

/// Formats a number with its sign: "+6", "−3", "0".
fn signed(count: i64) -> String {
    if count == 0 { "0".into() } else { format!("{count:+}").replace('-', "−") }
}

fn none_or(count: u64) -> String {
    if count > 0 { grouped(count) } else { "–".into() }
}

fn percent(count: u64, of: u64) -> String {
    format!("{:.1} %", 100.0 * count as f64 / of.max(1) as f64)
}

fn counted(count: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use crate::survey::{ClipRecord, FileRecord};

    fn page() -> String {
        let mut statistics = Statistics::default();
        let sample = Sample::new();
        let bad = "x\"><script>.bvh";
        let clips = [
            ClipRecord::checked(&sample.report(), None),
            ClipRecord::unreadable(bad, None, &format!("{bad}: is <b>bad</b>")),
        ];
        for (position, clip) in clips.into_iter().enumerate() {
            statistics.push(&FileRecord { position: position as u64, clips: vec![clip] });
        }
        html(&statistics, &PageText { link: &|file| format!("../{file}") })
    }

    #[test]
    fn s33_the_same_survey_gives_the_same_bytes_with_one_row_per_scene() {
        assert_eq!(page(), page());
        let flights = Sample::new().analysis.flights.len();
        let scenes = page()
            .split("id=\"flights\"")
            .nth(1)
            .unwrap()
            .split("</section>")
            .next()
            .unwrap()
            .matches("<tr><td>")
            .count();
        assert_eq!(scenes, flights);
        assert!(page().contains("2.20"), "the gravity of the sample's flight with two decimals");
    }

    #[test]
    fn the_page_asks_the_network_for_nothing() {
        let page = page();
        assert!(page.contains("default-src 'none'"), "the browser itself refuses to fetch");
        for address in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(address), "{address}");
        }
    }

    #[test]
    fn no_name_or_reason_can_open_a_tag_or_leave_an_attribute() {
        let page = page();
        assert!(!page.contains("<b>bad</b>") && !page.contains("><script>.bvh"));
        assert!(page.contains("x\"&gt;&lt;script&gt;.bvh</a>") && page.contains("../x&quot;&gt;"));
    }

    #[test]
    fn an_empty_survey_is_a_page() {
        let page = html(&Statistics::default(), &PageText { link: &str::to_owned });
        assert!(page.contains("No flights.") && !page.split("<script>").next().unwrap().contains("NaN"));
    }
}
