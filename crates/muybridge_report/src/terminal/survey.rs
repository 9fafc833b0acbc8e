//! Terminal summary of a survey: verdicts, findings, gravities, balance, worst clips, and unreadable files.

use muybridge::analysis::GravityTable;

use super::numbers;
use super::style::{Style, TextTone, left, right, shortened, width, wrap};
use crate::survey::{BalanceCounts, Statistics};

/// Width of the names at the left of the lines, columns.
const NAME: usize = 12;

/// Largest numbers of listed clips and unreadable files; the tables and the page list more.
const WORST: usize = 8;
const UNREAD: usize = 5;

/// Width of the finding ids of a listed clip, columns.
const KINDS: usize = 31;

/// The summary of a survey, ending in a line break.
pub fn survey_summary(statistics: &Statistics, style: &Style) -> String {
    let mut lines = head(statistics, style);
    lines.push(String::new());
    lines.extend(verdicts(statistics, style));
    if !statistics.findings.is_empty() {
        lines.push(String::new());
        lines.extend(findings(statistics, style));
    }
    lines.push(String::new());
    lines.extend(gravity(statistics, style));
    for (name, balance) in
        [("walking", &statistics.walking), ("running", &statistics.running), ("other", &statistics.other)]
    {
        lines.extend(balance_lines(name, balance, style));
    }
    lines.extend(worst(statistics, style));
    lines.extend(unread(statistics, style));
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn head(statistics: &Statistics, style: &Style) -> Vec<String> {
    let items = [
        counted(statistics.clips, "clip"),
        format!("in {}", counted(statistics.files, "file")),
        counted(statistics.frames, "frame"),
        length(statistics.seconds),
        counted(statistics.characters.len() as u64, "skeleton"),
    ];
    row(&items, 9, &(style.paint(TextTone::Strong, "survey") + "   "), style)
}

/// Joins items behind `name`, which takes `indent` columns, on as many lines as needed.
fn row(items: &[String], indent: usize, name: &str, style: &Style) -> Vec<String> {
    let mut lines: Vec<(usize, String)> = vec![(indent, name.to_owned())];
    for item in items.iter().map(|item| style.plain(item)) {
        let (columns, line) = lines.last_mut().expect("never empty");
        let gap = if *columns > indent { 3 } else { 0 };
        if *columns + gap + width(&item) > style.columns() && gap > 0 {
            lines.push((indent + width(&item), " ".repeat(indent) + &item));
        } else {
            *columns += gap + width(&item);
            *line += &(" ".repeat(gap) + &item);
        }
    }
    lines.into_iter().map(|(_, line)| line).collect()
}

fn verdicts(statistics: &Statistics, style: &Style) -> Vec<String> {
    let [plausible, implausible, undecided] = statistics.verdicts;
    let counts = [
        (plausible, "plausible", TextTone::Good),
        (implausible, "implausible", TextTone::Bad),
        (undecided, "undecided", TextTone::Warning),
        (statistics.unreadable, "unreadable", TextTone::Bad),
    ];
    let bars = counts.iter().filter(|(count, ..)| *count > 0).map(|&(count, word, tone)| {
        let part = count as f64 / statistics.clips.max(1) as f64;
        let bar = (if style.unicode { "█" } else { "#" }).repeat((30.0 * part).ceil() as usize);
        begin(word, style) + &right(&grouped(count), 9) + &right(&percent(part), 9) + "  " + &style.paint(tone, &bar)
    });
    bars.collect()
}

fn findings(statistics: &Statistics, style: &Style) -> Vec<String> {
    let columns = [("clips", 11), ("errors", 11), ("warnings", 11), ("notes", 11)];
    let head: String = columns.iter().map(|&(word, columns)| right(word, columns)).collect();
    let mut lines = vec![style.paint(TextTone::Quiet, &format!("  {}{head}", left("finding", 20)))];
    let mut findings: Vec<_> = statistics.findings.iter().collect();
    findings.sort_by_key(|(_, totals)| (std::cmp::Reverse(totals.severities), std::cmp::Reverse(totals.clips)));
    for (id, totals) in findings {
        let [errors, warnings, notes] = totals.severities;
        let cells: String = [totals.clips, errors, warnings, notes]
            .iter()
            .zip(columns)
            .map(|(&count, (_, columns))| right(&if count > 0 { grouped(count) } else { "-".into() }, columns))
            .collect();
        let tone = if errors > 0 { TextTone::Bad } else { TextTone::Quiet };
        let name = left(id.name(), 20);
        lines.push(format!("  {}{cells}", if errors > 0 { style.paint(tone, &name) } else { name }));
    }
    lines
}

fn gravity(statistics: &Statistics, style: &Style) -> Vec<String> {
    let Some(table) = statistics.gravity() else {
        return vec![begin("gravity", style) + "no flights"];
    };
    let GravityTable { count, median, quartiles: [lower, upper], least, greatest, off, .. } = table;
    let one = numbers::gravity;
    let items = [
        counted(count as u64, "flight"),
        format!("median {} g", one(median)),
        format!("quartiles {}–{}", one(lower), one(upper)),
        format!("range {}–{}", one(least), one(greatest)),
        format!("{} ({}) more than 20 % off", grouped(off as u64), percent(off as f64 / count as f64)),
    ];
    row(&items, NAME + 2, &begin("gravity", style), style)
}

fn balance_lines(name: &str, balance: &BalanceCounts, style: &Style) -> Vec<String> {
    let Some(part) = balance.in_balance() else { return Vec::new() };
    let items = [
        format!("{} inside support, {} within 1", numbers::share(part.inside), numbers::share(part.within_one)),
        format!("{}, {}", counted(balance.clips, "clip"), counted(balance.frames(), "frame")),
    ];
    row(&items, NAME + 2, &begin(name, style), style)
}

fn worst(statistics: &Statistics, style: &Style) -> Vec<String> {
    let clips = statistics.worst_clips();
    if clips.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), style.paint(TextTone::Quiet, "  worst offenders")];
    for clip in clips.iter().take(WORST) {
        let gravity = clip.gravity.map_or(String::new(), |gravity| format!("{} g", numbers::gravity(gravity)));
        let kinds = clip.error_ids.replace(';', ", ");
        let room = style.columns() - 2 - 10 - 2 - KINDS;
        let name = left(&shortened(&style.plain(&clip.name), room, style), room);
        let kinds = shortened(&style.plain(&kinds), KINDS, style);
        lines.push(format!("  {name}{}  {}", right(&gravity, 10), style.paint(TextTone::Bad, &kinds)));
    }
    lines
}

fn unread(statistics: &Statistics, style: &Style) -> Vec<String> {
    if statistics.unreadable == 0 {
        return Vec::new();
    }
    let mut lines = vec![String::new(), style.paint(TextTone::Quiet, "  could not be read")];
    for file in statistics.unread().iter().take(UNREAD) {
        let name = shortened(&style.plain(&file.file), style.columns() - 4, style);
        lines.push(format!("  {name}"));
        let reason = wrap(&style.plain(&file.reason), 0, style.columns() - 8);
        lines.extend(reason.iter().map(|line| format!("      {}", style.paint(TextTone::Quiet, line))));
    }
    let rest = statistics.unreadable.saturating_sub(UNREAD as u64);
    if rest > 0 {
        lines.push(style.paint(TextTone::Quiet, &format!("  and {} more: column reason of the table", grouped(rest))));
    }
    lines
}

fn begin(name: &str, style: &Style) -> String {
    style.paint(TextTone::Quiet, &format!("  {}", left(name, NAME))) + if width(name) >= NAME { " " } else { "" }
}

/// Formats a part in percent: "12 %"; below 9.95 % with one decimal: "0.3 %".
fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent > 0.0 && percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// Formats a count with its noun: "1 clip", "12 345 clips".
fn counted(count: u64, word: &str) -> String {
    format!("{} {word}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Groups digits in threes from 10 000 on: "12 345".
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let head = digits.len() % 3;
    let mut text = digits[..head].to_owned();
    for start in (head..digits.len()).step_by(3) {
        if !text.is_empty() {
            text.push(' ');
        }
        text += &digits[start..start + 3];
    }
    text
}

/// Formats a duration: "42.1 s", "12.3 min", "4.5 h".
pub(crate) fn length(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;
    use crate::survey::{ClipRecord, FileRecord};

    fn statistics() -> Statistics {
        let mut statistics = Statistics::default();
        let sample = Sample::new();
        let folder = "a/folder/with/a/long/name/that/no/terminal/shows/as/it/is/because/it/goes/on/and/on.bvh";
        let clips = [
            ClipRecord::checked(&sample.report(), None),
            ClipRecord::unreadable(folder, None, &format!("{folder}: {}", "the file is truncated ".repeat(9))),
            ClipRecord::unreadable("b.bvh", None, "b.bvh:3:1: no such channel"),
        ];
        for (position, clip) in clips.into_iter().enumerate() {
            statistics.push(&FileRecord { position: position as u64, clips: vec![clip] });
        }
        statistics
    }

    #[test]
    fn the_summary_fits_the_width_with_and_without_unicode() {
        for unicode in [true, false] {
            let style = Style { color: false, unicode, width: 80 };
            let summary = survey_summary(&statistics(), &style);
            for line in summary.lines() {
                assert!(width(line) <= 80, "{line}");
                assert!(unicode || line.is_ascii(), "{line}");
            }
            assert!(summary.contains("flight.gravity") && summary.contains("2.20 g"), "{summary}");
            assert!(summary.contains("b.bvh\n      3:1: no such channel"), "{summary}");
        }
    }

    #[test]
    fn the_summary_of_a_million_clips_fits_the_width() {
        let mut statistics = statistics();
        statistics.clips = 1_234_567;
        (statistics.files, statistics.frames, statistics.seconds) = (1_000_000, 3_210_987_654, 5e7);
        statistics.verdicts = [1_000_000, 200_000, 34_000];
        statistics.walking.bins = vec![1_000_000_000, 900_000_000, 0, 0, 0, 0, 1];
        statistics.walking.clips = 1_000_000;
        for totals in statistics.findings.values_mut() {
            (totals.clips, totals.severities) = (1_000_000, [1_234_567, 1_234_567, 1_234_567]);
        }
        let summary = survey_summary(&statistics, &Style::default());
        assert!(summary.lines().all(|line| width(line) <= 80), "{summary}");
        assert!(summary.contains("3 210 987 654 frames"), "{summary}");
    }

    #[test]
    fn an_empty_survey_says_so() {
        let summary = survey_summary(&Statistics::default(), &Style::default());
        assert!(summary.contains("0 clips") && summary.contains("no flights"), "{summary}");
    }

    #[test]
    fn long_counts_are_read_in_threes() {
        assert_eq!([999, 9999, 10_000, 1_234_567].map(grouped), ["999", "9999", "10 000", "1 234 567"]);
    }
}
