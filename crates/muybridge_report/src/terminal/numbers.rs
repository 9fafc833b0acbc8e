//! Formats numbers and spans for the reports; equal quantities align on the decimal point.

use muybridge::analysis::Span;

/// Formats times and frames of a span: "0.90–1.37 s  (27–41)".
pub(crate) fn span(span: &Span) -> String {
    if span.first == span.last {
        return format!("{:.2} s  ({})", span.start, span.first);
    }
    format!("{:.2}–{:.2} s  ({}–{})", span.start, span.end, span.first, span.last)
}

/// Formats the times of a span: "0.90–1.37 s".
pub(crate) fn times(span: &Span) -> String {
    format!("{:.2}–{:.2} s", span.start, span.end)
}

/// Formats the frames of a span: "(27–41)".
pub(crate) fn frames(span: &Span) -> String {
    format!("({}–{})", span.first, span.last)
}

/// Formats a number of missing frames: "6 frames too few"; "frames right".
pub(crate) fn frames_to_add(count: i64) -> String {
    let plural = if count.abs() == 1 { "" } else { "s" };
    match count {
        0 => "frames right".to_owned(),
        1.. => format!("{count} frame{plural} too few"),
        _ => format!("{} frame{plural} too many", count.unsigned_abs()),
    }
}

/// Formats a fraction in percent: "1.2 %"; "?" if it is unknown.
pub(crate) fn percent(fraction: f64) -> String {
    if !fraction.is_finite() {
        return "?".to_owned();
    }
    if fraction.abs() >= 99.95 { "> 9999 %".to_owned() } else { format!("{:.1} %", 100.0 * fraction) }
}

/// Formats a count with its noun: "3 errors"; "1 warning".
pub(crate) fn counted(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// Formats a gravity in g with two decimals; from 1000 g in scientific notation; "?" if it is unknown.
pub(crate) fn gravity(value: f64) -> String {
    match value.abs() {
        0.0..1000.0 => format!("{value:.2}"),
        size if size.is_finite() => format!("{value:.0e}"),
        _ => "?".to_owned(),
    }
}

/// Formats a length: "6.1 cm"; "1.28 m" from one meter.
pub(crate) fn distance(meters: f64) -> String {
    if meters.abs() < 0.9995 { format!("{:.1} cm", 100.0 * meters) } else { format!("{meters:.2} m") }
}

/// Formats a force in body weights with a moment: "0.12 BW, 9 N m".
pub(crate) fn wrench(weights: f64, moment: f64) -> String {
    let weights = if weights < 1000.0 { format!("{weights:.2}") } else { format!("{weights:.0e}") };
    let moment = if moment < 1e6 { format!("{moment:.0}") } else { format!("{moment:.0e}") };
    format!("{weights} BW, {moment} N m")
}

/// Formats a share of frames: "12 %", rounded down so that 100 % means all frames.
pub(crate) fn share(fraction: f64) -> String {
    format!("{:.0} %", libm::floor(100.0 * fraction + 1e-9))
}
