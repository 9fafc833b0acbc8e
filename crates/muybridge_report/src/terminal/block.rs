//! The terminal report of one clip: a block of lines.

use std::collections::BTreeMap;

use muybridge::analysis::{Analysis, Finding, FindingId, FindingSection, Flight, Severity, Verdict};
use muybridge::analysis::{Balance, Limits, Residual, Span};

use super::numbers;
use super::style::{self, Style, TextTone, left, right, shortened, width, wrap};
use crate::labels::Labels;

/// Width of the names at the left of the lines, columns.
const NAME: usize = 9;

/// Largest numbers of listed flights and findings; the other reports list all.
const FLIGHTS: usize = 8;
const FINDINGS: usize = 16;

/// The report block of one clip, ending in its verdict and a line break.
pub fn clip_block(analysis: &Analysis, labels: &Labels, style: &Style) -> String {
    let mut lines = header(analysis, labels, style);
    lines.push(String::new());
    body(labels, style, &mut lines);
    flights(analysis, style, &mut lines);
    balance(analysis, style, &mut lines);
    feet(analysis, style, &mut lines);
    residual(analysis, style, &mut lines);
    ground(analysis, style, &mut lines);
    lines.push(String::new());
    let groups = grouped(&analysis.findings);
    for group in groups.iter().take(FINDINGS) {
        lines.extend(finding_lines(analysis, group, style));
    }
    if groups.len() > FINDINGS {
        let rest = groups[FINDINGS..].iter().map(|group| group.len()).sum::<usize>();
        lines.push(style.paint(TextTone::Quiet, &style.plain(&format!("    and {rest} more in --json"))));
    }
    if !analysis.findings.is_empty() {
        lines.push(String::new());
    }
    lines.extend(advice(analysis, style));
    lines.push(verdict(analysis, style));
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Name and facts of a clip; the facts are beside the name, or below a long name.
pub(crate) fn header(analysis: &Analysis, labels: &Labels, style: &Style) -> Vec<String> {
    let duration = (analysis.frames.saturating_sub(1)) as f64 / analysis.frames_per_second;
    let rate = libm::round(analysis.frames_per_second * 100.0) / 100.0;
    let floor = match analysis.floor {
        Some(height) => format!("floor {:.1} cm", 100.0 * height),
        None => "no floor: nothing ever rests".to_owned(),
    };
    let cutoff = match analysis.cutoff_hz {
        Some(frequency) => format!("cut-off {frequency:.1} Hz ({})", analysis.cutoff_source),
        None => "cut-off none".to_owned(),
    };
    let judged = match analysis.range {
        (0, end) if end == analysis.frames => String::new(),
        (first, end) => format!(" (judged: {first}–{})", end - 1),
    };
    let motion = vec![
        format!("{}, {rate} fps, {duration:.1} s{judged}", numbers::counted(analysis.frames, "frame")),
        numbers::counted(analysis.bones.len(), "bone"),
        labels.unit.clone(),
    ];
    let gravity = match analysis.gravity {
        9.81 => String::new(),
        other => format!("1 g = {other} m/s²"),
    };
    let mut body = vec![format!("{:.1} kg, {}", analysis.mass, analysis.body_source), floor, cutoff];
    body.extend(Some(gravity).filter(|text| !text.is_empty()));
    let name = shortened(&style.plain(&labels.title(&analysis.clip)), style.columns(), style);
    let beside = width(&name) <= 18;
    let indent = if beside { width(&name) + 3 } else { 4 };
    let facts = [motion, body].into_iter().flat_map(|facts| flow(&facts, style.columns() - indent, style));
    let mut lines: Vec<String> = facts.map(|line| " ".repeat(indent) + &line).collect();
    if beside {
        lines[0] = style.paint(TextTone::Strong, &name) + &lines[0][width(&name)..];
    } else {
        lines.insert(0, style.paint(TextTone::Strong, &name));
    }
    lines
}

/// Joins items three spaces apart, on as many lines as needed.
fn flow(items: &[String], columns: usize, style: &Style) -> Vec<String> {
    let mut lines = vec![String::new()];
    for item in items.iter().map(|item| style.plain(item)).filter(|item| !item.is_empty()) {
        let line = lines.last_mut().expect("never empty");
        if line.is_empty() {
            *line = item;
        } else if width(line) + 3 + width(&item) <= columns {
            line.push_str("   ");
            line.push_str(&item);
        } else {
            lines.push(item);
        }
    }
    lines.iter().flat_map(|line| wrap_keeping_gaps(line, columns)).collect()
}

/// Returns a fitting line unchanged and wraps a longer one.
fn wrap_keeping_gaps(line: &str, columns: usize) -> Vec<String> {
    if width(line) <= columns { vec![line.to_owned()] } else { wrap(line, 0, columns) }
}

/// A line of the table: name, cells, and a mark at the right edge.
pub(crate) fn row(name: &str, cells: &[String], mark: Option<LimitMark>, style: &Style) -> Vec<String> {
    let mut texts = flow(cells, text_columns(style), style);
    let last = texts.pop().unwrap_or_default();
    let mut lines: Vec<String> = Vec::new();
    for text in texts {
        lines.push(begin(if lines.is_empty() { name } else { "" }, style) + &text);
    }
    let begun = begin(if lines.is_empty() { name } else { "" }, style);
    let sign = mark.map_or(String::new(), |mark| mark.painted(style));
    lines.push(begun + &left(&last, text_columns(style) + 1) + &sign);
    lines
}

/// Width of the text between the names and the marks, columns.
pub(crate) fn text_columns(style: &Style) -> usize {
    style.columns() - 2 - NAME - 3
}

fn begin(name: &str, style: &Style) -> String {
    style.paint(TextTone::Quiet, &format!("  {}", left(name, NAME)))
}

/// Mark at the end of a line: within its limits, doubtful or outside.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LimitMark {
    Right,
    Doubtful,
    Wrong,
}

impl LimitMark {
    /// The mark of the gravest finding of a wanted kind that touches `span`, anywhere in the clip if that is `None`. Without
    /// one a line is right only if its own numbers are `sound`; otherwise it has no mark.
    fn of(
        analysis: &Analysis,
        is_wanted: impl Fn(FindingId) -> bool,
        span: Option<&Span>,
        sound: bool,
    ) -> Option<Self> {
        let touches = |finding: &&Finding| {
            let within = span.is_none_or(|span| finding.span.first <= span.last && finding.span.last >= span.first);
            within && is_wanted(finding.id)
        };
        match analysis.findings.iter().filter(touches).map(|finding| finding.severity).min() {
            Some(Severity::Error) => Some(Self::Wrong),
            Some(Severity::Warning) => Some(Self::Doubtful),
            _ => sound.then_some(Self::Right),
        }
    }

    pub(crate) fn painted(self, style: &Style) -> String {
        match self {
            Self::Right => style.paint(TextTone::Good, &style.plain("✓")),
            Self::Doubtful => style.paint(TextTone::Warning, "!"),
            Self::Wrong => style.paint(TextTone::Bad, &style.plain("✗")),
        }
    }
}

/// Adds what was assumed about the body, beyond what the header says.
fn body(labels: &Labels, style: &Style, lines: &mut Vec<String>) {
    for (index, note) in labels.notes.iter().enumerate() {
        lines.extend(row(if index == 0 { "body" } else { "" }, std::slice::from_ref(note), None, style));
    }
}

/// Adds two lines per flight, with equal quantities below each other.
fn flights(analysis: &Analysis, style: &Style, lines: &mut Vec<String>) {
    if analysis.flights.is_empty() {
        let text = if analysis.unseen_support.is_empty() { "none: something always touches" } else { "none seen" };
        lines.extend(row("flight", &[text.to_owned()], None, style));
    }
    let chosen = worst_flights(analysis);
    let (mut first_cell, mut second_cell) =
        (numbers::span as fn(&Span) -> String, (|_| String::new()) as fn(&Span) -> String);
    let mut spans = columns(chosen.iter().map(|flight| first_cell(&flight.span)));
    let gravities = columns(chosen.iter().map(|flight| numbers::gravity(flight.gravity)));
    let words = columns(chosen.iter().map(|flight| numbers::frames_to_add(flight.frames_to_add)));
    let paths = columns(chosen.iter().map(|flight| path(flight)));
    let momenta = columns(chosen.iter().map(|flight| momentum(flight, analysis)));
    let spins = columns(chosen.iter().map(|flight| spin(flight)));
    let gravity = |flight: &Flight| {
        let value = right(&numbers::gravity(flight.gravity), gravities);
        format!("gravity {value} ± {} g", numbers::gravity(flight.gravity_standard_error))
    };
    let widest = columns(chosen.iter().map(|flight| style.plain(&gravity(flight)))) + words;
    let second = momenta + paths + spins + "path momentum spin   ".len() + 3;
    if spans + 3 + (widest + 3).max(second) > text_columns(style) {
        (first_cell, second_cell) = (numbers::times, numbers::frames);
        spans = columns(chosen.iter().flat_map(|flight| [first_cell(&flight.span), second_cell(&flight.span)]));
    }
    for flight in &chosen {
        let span = right(&first_cell(&flight.span), spans);
        let gravity = gravity(flight);
        let frames = left(&numbers::frames_to_add(flight.frames_to_add), words);
        let name = if flight.marked { "flight *" } else { "flight" };
        let mark =
            LimitMark::of(analysis, |id| id == FindingId::FlightGravity, Some(&flight.span), tells_one_g(flight));
        lines.extend(row(name, &[span, gravity, frames], mark, style));
        let rest = [
            right(&second_cell(&flight.span), spans),
            format!("path {}", right(&path(flight), paths)),
            format!("momentum {}", right(&momentum(flight, analysis), momenta)),
            format!("spin {}", right(&spin(flight), spins)),
        ];
        let of_rest = |id: FindingId| id.section() == FindingSection::Flight && id != FindingId::FlightGravity;
        let mark = LimitMark::of(analysis, of_rest, Some(&flight.span), keeps_its_way(flight));
        lines.extend(row("", &rest, mark, style));
    }
    if analysis.flights.len() > chosen.len() {
        let text =
            format!("{} flights; these are the {} worst, all are in --json", analysis.flights.len(), chosen.len());
        lines.extend(row("", &[text], None, style));
    }
    if chosen.iter().any(|flight| flight.marked) {
        lines.extend(row("", &["* marked by you".to_owned()], None, style));
    }
}

/// Whether a flight is long and clear enough to tell its gravity, and that is within the usual limits.
fn tells_one_g(flight: &Flight) -> bool {
    let [low, high] = Limits::default().gravity_g;
    let is_clear = flight.tells_gravity() && flight.gravity_standard_error < 0.25 * flight.gravity;
    is_clear && (low..=high).contains(&flight.gravity)
}

/// Whether a flight keeps its way within the usual limit: one that is not judged, beside a jump in time, may not.
fn keeps_its_way(flight: &Flight) -> bool {
    let is_known = flight.horizontal_path_error.is_finite() && flight.linear_momentum_change.is_finite();
    is_known && flight.sideways_error <= Limits::default().path_m[0]
}

/// Whether the zero-moment point lies mostly inside the support, nearly always within its mean radius of it, and never beyond
/// the limit of an error.
fn is_balanced(balance: &Balance) -> bool {
    let [_, most] = Limits::default().zmp_distance;
    let share = |share: Option<f64>, least: f64| share.is_some_and(|share| share >= least);
    share(balance.inside_fraction, 0.5)
        && share(balance.within_one_fraction, 0.9)
        && balance.normalized_distance.iter().flatten().all(|distance| *distance <= most)
}

/// Whether anything touches, and skates, floats and sinks within the usual limits.
fn stands_well(analysis: &Analysis) -> bool {
    let (feet, limits) = (&analysis.feet, Limits::default());
    let touches = analysis.per_frame.contacts.iter().any(|touching| !touching.is_empty());
    touches
        && feet.skate <= limits.skate_mps[0]
        && feet.float <= limits.float_m[0]
        && feet.penetration <= limits.penetration_m[0]
}

/// Width of the widest text, columns.
fn columns(texts: impl Iterator<Item = String>) -> usize {
    texts.map(|text| width(&text)).max().unwrap_or(0)
}

fn path(flight: &Flight) -> String {
    if flight.path_error_in_meters {
        format!("{:.1} cm", 100.0 * flight.horizontal_path_error)
    } else {
        numbers::percent(flight.horizontal_path_error)
    }
}

/// The flights with gravity farthest from 1 g, in order of time.
fn worst_flights(analysis: &Analysis) -> Vec<&Flight> {
    let badness = |flight: &Flight| flight.gravity.max(1e-6).max(1.0 / flight.gravity.max(1e-6));
    let mut flights: Vec<&Flight> = analysis.flights.iter().collect();
    flights.sort_by(|a, b| badness(b).total_cmp(&badness(a)));
    flights.truncate(FLIGHTS);
    flights.sort_by_key(|flight| flight.span.first);
    flights
}

fn balance(analysis: &Analysis, style: &Style, lines: &mut Vec<String>) {
    let Some(inside) = analysis.balance.inside_fraction else {
        lines.extend(row("balance", &["no frame with a support polygon".to_owned()], None, style));
        return;
    };
    let worst = match analysis.balance.worst {
        Some((distance, frame)) if distance > 0.0 => {
            let time = analysis.per_frame.time.get(frame).map_or(String::new(), |time| format!(" at {time:.2} s"));
            format!("; worst {} out{time}", numbers::distance(distance))
        }
        _ => String::new(),
    };
    let text = format!("zero-moment point inside support {}{worst}", numbers::share(inside));
    let of_balance = |id: FindingId| id.section() == FindingSection::Balance;
    let mark = LimitMark::of(analysis, of_balance, None, is_balanced(&analysis.balance));
    lines.extend(row("balance", &[text], mark, style));
}

fn feet(analysis: &Analysis, style: &Style, lines: &mut Vec<String>) {
    let cells = [
        format!("skate {:.1} cm/s", 100.0 * analysis.feet.skate),
        format!("float {:.1} cm", 100.0 * analysis.feet.float),
        format!("penetration {:.1} cm", 100.0 * analysis.feet.penetration),
    ];
    let mark = LimitMark::of(analysis, |id| id.section() == FindingSection::Feet, None, stands_well(analysis));
    lines.extend(row("feet", &cells, mark, style));
}

/// Adds the force and moment that no contact gives, with the span that asks for most.
fn residual(analysis: &Analysis, style: &Style, lines: &mut Vec<String>) {
    let Some(residual) = &analysis.residual else { return };
    let [mean, worst] = residual_words(residual);
    let worst = match residual.worst {
        Some(found) => format!("{worst} in {}", numbers::times(&found.span)),
        None => worst,
    };
    let mark = residual.spans.is_empty().then_some(LimitMark::Right);
    lines.extend(row("residual", &[mean, worst], mark, style));
}

/// Mean and worst residual: "mean 0.02 BW, 3 N m"; "worst 1.20 BW, 14 N m".
fn residual_words(residual: &Residual) -> [String; 2] {
    let Residual { mean_force, mean_moment, worst_force, worst_moment, .. } = residual;
    [("mean", mean_force, mean_moment), ("worst", worst_force, worst_moment)]
        .map(|(word, force, moment)| format!("{word} {}", numbers::wrench(*force, *moment)))
}

/// The residual with every span in which the contacts cannot give what the motion asks for, ending in a line break.
pub fn residual_list(analysis: &Analysis, style: &Style) -> String {
    let text = match &analysis.residual {
        None => "residual: unknown, for the body has no mass or no frame is judged".to_owned(),
        Some(residual) => format!("residual: {}", residual_words(residual).join("; ")),
    };
    let mut lines = wrap(&style.plain(&text), 0, style.columns());
    let spans = analysis.residual.as_ref().map_or(&[][..], |residual| &residual.spans);
    let times = columns(spans.iter().map(|found| numbers::span(&found.span)));
    let wrenches = columns(spans.iter().map(|found| numbers::wrench(found.force, found.moment)));
    for found in spans {
        let span = left(&numbers::span(&found.span), times);
        let wrench = right(&numbers::wrench(found.force, found.moment), wrenches);
        lines.push(style.plain(&format!("  {span}   {wrench}   at {:.2} s", found.at)));
    }
    if spans.is_empty() && analysis.residual.is_some() {
        lines.push("  its contacts give all but a tenth of the weight in every frame".to_owned());
    }
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Adds lines about unseen support and a treadmill ground.
fn ground(analysis: &Analysis, style: &Style, lines: &mut Vec<String>) {
    let speed = analysis.treadmill.length();
    if speed > 0.0 {
        let text = format!("moves {speed:.2} m/s under a clip that stays in place");
        lines.extend(row("ground", &[text], None, style));
    }
    for (index, span) in analysis.unseen_support.iter().take(4).enumerate() {
        let name = if index == 0 { "support" } else { "" };
        lines.extend(row(name, &[format!("unseen  {}", numbers::span(span))], None, style));
    }
    if analysis.unseen_support.len() > 4 {
        let text = format!("and {} more spans of unseen support", analysis.unseen_support.len() - 4);
        lines.extend(row("", &[text], None, style));
    }
}

/// Groups findings with the same id, severity and message.
fn grouped(findings: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    let mut places = BTreeMap::new();
    for finding in findings {
        let place = *places.entry((finding.id, finding.severity, &finding.message)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups
}

/// Sign, id, spans and message of a group of findings; later lines are indented below the id.
fn finding_lines(analysis: &Analysis, group: &[&Finding], style: &Style) -> Vec<String> {
    let finding = group[0];
    let (sign, tone) = match finding.severity {
        Severity::Error => ("✗", TextTone::Bad),
        Severity::Warning => ("!", TextTone::Warning),
        Severity::Note => ("·", TextTone::Quiet),
    };
    let sign = left(&style.plain(sign), 1);
    let everywhere = finding.span.first == 0 && finding.span.last + 1 >= analysis.frames;
    let span = match everywhere {
        _ if group.len() > 1 => format!("{} times, first at {:.2} s  ", group.len(), finding.span.start),
        true => String::new(),
        false if finding.span.first == finding.span.last => format!("{:.2} s  ", finding.span.start),
        false => format!("{:.2}–{:.2} s  ", finding.span.start, finding.span.end),
    };
    let head = format!("{}  {}", finding.id, style.plain(&span));
    let columns = style.columns() - 4;
    let head_width = width(&head).min(columns);
    let mut texts = wrap(&style.plain(&finding.message), head_width, columns).into_iter();
    let first = texts.next().unwrap_or_default();
    let id = style.paint(tone, &format!("  {sign} {}", finding.id));
    let mut lines = vec![format!("{id}{}{first}", &head[finding.id.name().len()..])];
    lines.extend(texts.map(|text| format!("    {text}")));
    lines
}

/// Change of the horizontal momentum relative to its mean; as a velocity if the mean is nearly zero.
fn momentum(flight: &Flight, analysis: &Analysis) -> String {
    if flight.linear_momentum_error_norm <= 0.5 {
        numbers::percent(flight.linear_momentum_error_norm)
    } else {
        format!("{:.2} m/s", flight.linear_momentum_change / analysis.mass)
    }
}

/// Change of the angular momentum relative to its mean; in kg m²/s if the mean is nearly zero.
fn spin(flight: &Flight) -> String {
    if flight.angular_momentum_error_norm <= 0.5 {
        numbers::percent(flight.angular_momentum_error_norm)
    } else {
        format!("{:.1} kg m²/s", flight.angular_momentum_change)
    }
}

/// Advice on what to do next, in one sentence.
fn advice(analysis: &Analysis, style: &Style) -> Vec<String> {
    let quiet = analysis.findings.iter().all(|finding| finding.severity == Severity::Note);
    let text = match (analysis.verdict, analysis.unseen_support.first()) {
        (Verdict::Undecided, _) if analysis.no_body.is_some() => analysis.no_body.clone().unwrap_or_default(),
        (Verdict::Undecided, Some(span)) => format!(
            "Say what happens there: --support {0}..{1} if something carries the body, --flight {0}..{1} if nothing does.",
            span.first, span.last
        ),
        (Verdict::Undecided, None) => match analysis.range.1 - analysis.range.0 {
            judged @ 0..4 => format!("{} to judge: a motion needs at least 4.", numbers::counted(judged, "frame")),
            _ => {
                "The clip does not show enough to decide: nothing rests, nothing flies, or nothing has mass.".to_owned()
            }
        },
        (Verdict::Plausible, _) if quiet => "Nothing to change.".to_owned(),
        _ if mends(analysis) => {
            "See where: --html FILE or --plate FILE. Put it right: muybridge fix FILE -o OUT.".to_owned()
        }
        _ => "See where: the same command with --html FILE or --plate FILE.".to_owned(),
    };
    wrap(&style.plain(&text), 0, style.columns())
}

/// Whether any error or warning is of a kind that `fix` can correct.
fn mends(analysis: &Analysis) -> bool {
    let has_tool = |id: FindingId| !id.facts().tools.is_empty();
    analysis.findings.iter().any(|finding| finding.severity < Severity::Note && has_tool(finding.id))
}

fn verdict(analysis: &Analysis, style: &Style) -> String {
    let count = |severity| analysis.findings.iter().filter(|finding| finding.severity == severity).count();
    let (word, tone) = style::verdict(analysis.verdict);
    let errors = numbers::counted(count(Severity::Error), "error");
    let warnings = numbers::counted(count(Severity::Warning), "warning");
    format!("{}: {errors}, {warnings}", style.paint(tone, word))
}
