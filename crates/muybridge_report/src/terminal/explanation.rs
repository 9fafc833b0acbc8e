//! A kind of finding explained on a terminal, and the list of all kinds.

use muybridge::analysis::{FindingFacts, FindingId};

use super::style::{Style, TextTone, left, wrap};

/// Columns of the names at the left.
const NAME: usize = 10;

/// Everything that is known of a kind of finding. `limits` are those of its limits, each with its value and meaning.
pub fn explanation(id: FindingId, limits: &[String], style: &Style) -> String {
    let facts = id.facts();
    let value = unit_words(&facts);
    let tools: Vec<&str> = facts.tools.iter().map(|tool| tool.name()).collect();
    let mend = match tools.is_empty() {
        true => "No tool of muybridge fix mends it.".to_owned(),
        false => format!("muybridge fix FILE -o OUT --tools {}", tools.join(",")),
    };
    let mut rows = vec![("value", value.as_str()), ("formula", facts.formula), ("source", facts.source)];
    rows.extend(limits.iter().enumerate().map(|(at, limit)| (if at == 0 { "limits" } else { "" }, limit.as_str())));
    if !limits.is_empty() {
        rows.push(("", "These are the defaults; check --print-limits writes them to be edited, --limits reads yours."));
    }
    rows.extend([("severity", facts.severity), ("to mend", &mend), ("by hand", facts.remedy)]);
    laid_out(id.name(), facts.meaning, &rows, style)
}

/// A name, its meaning, and rows of a word and a text, wrapped to the width of the terminal.
fn laid_out(name: &str, meaning: &str, rows: &[(&str, &str)], style: &Style) -> String {
    let mut lines = vec![style.paint(TextTone::Strong, name), String::new()];
    lines.extend(wrap(&style.plain(meaning), 0, style.columns()));
    lines.push(String::new());
    for (word, text) in rows {
        for (index, line) in wrap(&style.plain(text), 0, style.columns() - NAME).iter().enumerate() {
            let word = left(if index == 0 { word } else { "" }, NAME);
            lines.push(style.paint(TextTone::Quiet, &word) + line);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// Quantity and unit: "gap between the body and the floor, in m (shown in cm)".
fn unit_words(facts: &FindingFacts) -> String {
    let unit = facts.unit;
    let quantity = facts.quantity;
    match (unit.kept, unit.shown) {
        ("1", "") => format!("{quantity}, a number"),
        ("1", shown) => format!("{quantity}, a number (shown in {shown})"),
        (kept, shown) if kept == shown => format!("{quantity}, in {kept}"),
        (kept, shown) => format!("{quantity}, in {kept} (shown in {shown})"),
    }
}

/// One line for each kind of finding.
pub fn finding_list(style: &Style) -> String {
    let width = FindingId::ALL.iter().map(|id| id.name().len()).max().unwrap_or(0) + 2;
    let line = |id: &FindingId| left(id.name(), width) + &style.plain(id.facts().quantity) + "\n";
    FindingId::ALL.iter().map(line).collect()
}

/// The line of the residual below the kinds of findings.
pub fn residual_line(style: &Style) -> String {
    let width = FindingId::ALL.iter().map(|id| id.name().len()).max().unwrap_or(0) + 2;
    left("residual", width) + &style.plain("force and moment that no contact gives; no finding") + "\n"
}

/// The residual explained: what it is, its formula and source.
pub fn residual_explanation(style: &Style) -> String {
    let rows = [
        ("value", "mean and greatest force in body weights (BW) and moment in N m, over all frames that are judged"),
        (
            "formula",
            "F = m (a - g) and dH/dt, less the forces of actuators, less the nearest forces in friction cones of 0.9 at the corners of the support polygon. Near means the least norm of (force / weight, moment / (weight × leg length)). A contact counts 0.04 s longer on both sides.",
        ),
        ("source", "contact wrench cones after Bretl and Lall (2008): S34; mathematics 6.5 (b) and 6.8"),
        ("spans", "Frames in which that norm is above 0.1; spans less than 0.05 s apart are one."),
        (
            "by hand",
            "Start at the span that asks for most. In the air, mend the path; on the ground, shift the hips over what touches or slow the motion down. If something that the clip does not show carries the body, say so with --support A..B.",
        ),
    ];
    let meaning = "The force and the moment about the center of mass that the motion needs and no contact of the clip gives; a motion that a body made has next to none.";
    laid_out("residual", meaning, &rows, style)
}

#[cfg(test)]
mod tests {
    use super::super::style::width;
    use super::*;

    #[test]
    fn every_finding_is_explained_within_the_width_and_in_ascii_where_that_is_all() {
        for (columns, unicode) in [(80, true), (40, true), (80, false)] {
            let style = Style { color: false, unicode, width: columns };
            for id in FindingId::ALL {
                let text = explanation(*id, &["made_up = 0.1: a limit".to_owned()], &style);
                assert!(text.starts_with(id.name()) && text.contains("made_up = 0.1"), "{text}");
                for line in text.lines() {
                    assert!(width(line) <= columns && (unicode || line.is_ascii() && !line.contains('?')), "{line}");
                }
            }
            assert!(finding_list(&style).lines().all(|line| width(line) <= 80));
        }
    }
}
