//! A kind of finding explained on a terminal, and the list of all kinds.

use muybridge::analysis::{FindingFacts, FindingId};

use super::style::{Style, TextTone, left, wrap};

/// Columns of the names at the left.
const NAME: usize = 10;

/// Everything that is known of a kind of finding. `limits` are those of its limits, each with its value and meaning.
pub fn explanation(id: FindingId, limits: &[String], style: &Style) -> String {
    let facts = id.facts();
    let mut lines = vec![style.paint(TextTone::Strong, id.name()), String::new()];
    lines.extend(wrap(&style.plain(facts.meaning), 0, style.columns()));
    lines.push(String::new());
    let mut row = |name: &str, text: &str| {
        for (index, line) in wrap(&style.plain(text), 0, style.columns() - NAME).iter().enumerate() {
            let name = left(if index == 0 { name } else { "" }, NAME);
            lines.push(style.paint(TextTone::Quiet, &name) + line);
        }
    };
    row("value", &unit_words(&facts));
    row("formula", facts.formula);
    row("source", facts.source);
    for (index, limit) in limits.iter().enumerate() {
        row(if index == 0 { "limits" } else { "" }, limit);
    }
    if !limits.is_empty() {
        row("", "These are the defaults; check --print-limits writes them to be edited, --limits reads yours.");
    }
    row("severity", facts.severity);
    let tools: Vec<&str> = facts.tools.iter().map(|tool| tool.name()).collect();
    row(
        "to mend",
        &match tools.is_empty() {
            true => "No tool of muybridge fix mends it.".to_owned(),
            false => format!("muybridge fix FILE -o OUT --tools {}", tools.join(",")),
        },
    );
    row("by hand", facts.remedy);
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
    let mut lines = vec![style.paint(TextTone::Strong, "residual"), String::new()];
    let meaning = "The force and the moment about the center of mass that the motion needs and no contact of the clip gives; a motion that a body made has next to none.";
    lines.extend(wrap(&style.plain(meaning), 0, style.columns()));
    lines.push(String::new());
    for (name, text) in rows {
        for (index, line) in wrap(&style.plain(text), 0, style.columns() - NAME).iter().enumerate() {
            let name = left(if index == 0 { name } else { "" }, NAME);
            lines.push(style.paint(TextTone::Quiet, &name) + line);
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned() + "\n").collect()
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
