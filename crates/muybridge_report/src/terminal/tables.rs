//! Terminal tables: one row per clip, bones by humanoid role, and parts of a file that a reader ignored.

use muybridge::analysis::{Analysis, Severity, Span, Verdict};
use muybridge::character::Role;

use super::numbers;
use super::style::{self, Style, TextTone, left, right, shortened, width, wrap};
use crate::labels::Labels;

/// One clip in the table over several files.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// File name, followed by the names of clip and character that tell it from others of the file.
    pub name: String,
    /// Results of the clip, or the reason why the file could not be read.
    pub outcome: Result<ClipSummary, String>,
}

/// Numbers in a row of the clip table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipSummary {
    /// Verdict of the clip.
    pub verdict: Verdict,
    /// Number of flights.
    pub flights: usize,
    /// Gravity farthest from 1 g, in g; `None` without flights.
    pub gravity: Option<f64>,
    /// Fraction of frames with the zero-moment point inside the support.
    pub inside: Option<f64>,
    /// Mean horizontal speed of planted feet (foot skating), m/s.
    pub skate: f64,
    /// Force and moment that no contact gives; `None` without mass.
    pub residual: Option<ResidualSummary>,
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
}

/// The residual of a clip in the table of residuals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResidualSummary {
    /// Mean and greatest force, body weights.
    force: [f64; 2],
    /// Mean and greatest moment, N m.
    moment: [f64; 2],
    /// The span that asks for most; `None` if the contacts give nearly everything.
    worst: Option<Span>,
}

impl SummaryRow {
    /// The row of an analyzed clip.
    pub fn new(analysis: &Analysis, labels: &Labels) -> Self {
        let count = |severity| analysis.findings.iter().filter(|finding| finding.severity == severity).count();
        let far = |gravity: f64| gravity.max(1e-6).max(1.0 / gravity.max(1e-6));
        let gravities = analysis.flights.iter().map(|flight| flight.gravity);
        let summary = ClipSummary {
            verdict: analysis.verdict,
            flights: analysis.flights.len(),
            gravity: gravities.max_by(|a, b| far(*a).total_cmp(&far(*b))),
            inside: analysis.balance.inside_fraction,
            skate: analysis.feet.skate,
            residual: analysis.residual.as_ref().map(|residual| ResidualSummary {
                force: [residual.mean_force, residual.worst_force],
                moment: [residual.mean_moment, residual.worst_moment],
                worst: residual.worst.map(|found| found.span),
            }),
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
        };
        Self { name: labels.title(&analysis.clip), outcome: Ok(summary) }
    }

    /// The row of a file that could not be read, with the reason.
    pub fn unreadable(file: &str, reason: &str) -> Self {
        Self { name: file.to_owned(), outcome: Err(reason.to_owned()) }
    }
}

/// Header and width of each number in a row: verdict, flights, gravity, inside, skate, errors, warnings.
const COLUMNS: [(&str, usize); 7] =
    [("verdict", 11), ("flights", 7), ("worst g", 7), ("inside", 6), ("skate", 8), ("err", 3), ("warn", 4)];

/// Table with one row per clip, followed by the number of clips per verdict.
pub fn summary_table(rows: &[SummaryRow], style: &Style) -> String {
    let numbers = COLUMNS.iter().map(|(_, columns)| columns + 2).sum::<usize>();
    let longest = rows.iter().map(|row| width(&style.plain(&row.name))).max().unwrap_or(0).max(4);
    let room = longest.min(style.columns().saturating_sub(numbers).max(14));
    let head = COLUMNS.iter().enumerate().map(|(index, &(word, columns))| cell(index, word, columns));
    let mut table = style.paint(TextTone::Quiet, (left("clip", room) + &head.collect::<String>()).trim_end()) + "\n";
    for row in rows {
        let name = left(&shortened(&style.plain(&row.name), room, style), room);
        let text = match &row.outcome {
            Ok(summary) => summary_cells(summary, style),
            Err(reason) => unreadable(reason, room, style),
        };
        table += &format!("{name}{text}\n");
    }
    table + &totals(rows) + "\n"
}

/// Table of the residuals, one row per clip that could be read.
pub fn residual_table(rows: &[SummaryRow], style: &Style) -> String {
    let read = rows.iter().filter_map(|row| Some((row.name.as_str(), row.outcome.as_ref().ok()?.residual)));
    let cells = |residual: Option<ResidualSummary>| match residual {
        None => ["-".to_owned(), "-".to_owned(), String::new()],
        Some(ResidualSummary { force, moment, worst }) => {
            let [mean, most] = [0, 1].map(|at| numbers::wrench(force[at], moment[at]));
            [mean, most, worst.map_or(String::new(), |span| style.plain(&numbers::times(&span)))]
        }
    };
    let head = ("residual", ["mean", "worst", "most in"].map(str::to_owned));
    let lines: Vec<(&str, [String; 3])> =
        core::iter::once(head).chain(read.map(|(name, residual)| (name, cells(residual)))).collect();
    let widest = |at: usize| lines.iter().map(|(_, cells)| width(&cells[at])).max().unwrap_or(0);
    let numbers = [0, 1, 2].map(|at| widest(at) + 2);
    let longest = lines.iter().map(|(name, _)| width(&style.plain(name))).max().unwrap_or(0);
    let room = longest.min(style.columns().saturating_sub(numbers.iter().sum()).max(14));
    let line = |(index, (name, [mean, worst, span])): (usize, &(&str, [String; 3]))| {
        let name = left(&shortened(&style.plain(name), room, style), room);
        let text = format!("{name}{}{}  {span}", right(mean, numbers[0]), right(worst, numbers[1]));
        let text = text.trim_end();
        if index == 0 { style.paint(TextTone::Quiet, text) + "\n" } else { format!("{text}\n") }
    };
    lines.iter().enumerate().map(line).collect()
}

/// Pads a cell: words align left, numbers right.
fn cell(index: usize, text: &str, columns: usize) -> String {
    format!("  {}", if index == 0 { left(text, columns) } else { right(text, columns) })
}

fn summary_cells(summary: &ClipSummary, style: &Style) -> String {
    let (verdict, tone) = style::verdict(summary.verdict);
    let texts = [
        verdict.to_owned(),
        summary.flights.to_string(),
        summary.gravity.map_or("-".to_owned(), numbers::gravity),
        summary.inside.map_or("-".to_owned(), numbers::share),
        format!("{:.1} cm/s", 100.0 * summary.skate),
        summary.errors.to_string(),
        summary.warnings.to_string(),
    ];
    let cells = texts.iter().zip(COLUMNS).enumerate().map(|(index, (text, (_, columns)))| {
        let cell = cell(index, text, columns);
        if index == 0 { style.paint(tone, &cell) } else { cell }
    });
    cells.collect::<String>().trim_end().to_owned()
}

/// Reason why a file could not be read, beside its name, with later lines indented below.
fn unreadable(reason: &str, room: usize, style: &Style) -> String {
    let columns = style.columns() - room - 2;
    let lines = wrap(&style.plain(&format!("unreadable: {reason}")), 0, columns);
    let painted = lines.iter().map(|line| style.paint(TextTone::Bad, line));
    format!("  {}", painted.collect::<Vec<_>>().join(&format!("\n{}", " ".repeat(room + 2))))
}

fn totals(rows: &[SummaryRow]) -> String {
    let count = |verdict| rows.iter().filter(|row| row.outcome.as_ref().is_ok_and(|s| s.verdict == verdict)).count();
    let unreadable = rows.iter().filter(|row| row.outcome.is_err()).count();
    let parts = [
        (count(Verdict::Plausible), "plausible"),
        (count(Verdict::Implausible), "implausible"),
        (count(Verdict::Undecided), "undecided"),
        (unreadable, "unreadable"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}"));
    format!("{}: {}", numbers::counted(rows.len(), "clip"), parts.collect::<Vec<_>>().join(", "))
}

/// Table of bones by humanoid role with their mass; bones with mass but no role follow.
pub fn roles_table(analysis: &Analysis, style: &Style) -> String {
    let mass = |bone: usize| analysis.segments.iter().find(|(index, mass)| *index == bone && *mass > 0.0);
    let bone_name = |bone: usize| analysis.bones.get(bone).map_or(String::new(), |name| style.plain(name));
    let named = analysis.roles.iter().map(|&(role, bone)| (role_name(role), bone));
    let others = analysis
        .segments
        .iter()
        .filter(|(bone, mass)| *mass > 0.0 && !analysis.roles.iter().any(|(_, played)| played == bone));
    let rows: Vec<(String, usize)> = named.chain(others.map(|&(bone, _)| ("no role".to_owned(), bone))).collect();
    if rows.is_empty() {
        return "no role was recognized and no bone carries mass\n".to_owned();
    }
    let room = style.columns() - 20 - 12;
    let longest = rows.iter().map(|&(_, bone)| width(&bone_name(bone))).max().unwrap_or(0).min(room);
    let mut table =
        style.paint(TextTone::Quiet, &format!("{}{}       mass", left("role", 18), left("bone", longest))) + "\n";
    for (role, bone) in rows {
        let name = left(&shortened(&bone_name(bone), longest, style), longest);
        let mass = mass(bone).map_or("        -".to_owned(), |(_, mass)| format!("{mass:8.2} kg"));
        table += &format!("{}{name}{mass}\n", left(&role, 18));
    }
    table
}

/// Name of a role in words: "left upper arm".
fn role_name(role: Role) -> String {
    role.name().replace('_', " ")
}

/// List of what the reader ignored, one sentence per line.
pub fn ignored_list(ignored: &[String], style: &Style) -> String {
    if ignored.is_empty() {
        return "nothing in the file was ignored\n".to_owned();
    }
    let mut list = style.paint(TextTone::Quiet, "ignored:") + "\n";
    for sentence in ignored {
        for (index, line) in wrap(&style.plain(sentence), 0, style.columns() - 4).iter().enumerate() {
            let bullet = if index == 0 { style.plain("  - ") } else { "    ".to_owned() };
            list += &format!("{bullet}{line}\n");
        }
    }
    list
}
