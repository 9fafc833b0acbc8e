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

#[cfg(test)]
mod tests {
    use super::super::style::width;
    use super::*;

    #[test]
    fn every_finding_is_explained_within_the_width_and_in_ascii_where_that_is_all() {
        for (columns, unicode) in [(80, true), (40, true), (80, false)] {
            let style = Style { color: false, unicode, width: columns };
            for id in FindingId::ALL {
                let text = explanation(*id, &["path_error = 0.1: made up".to_owned()], &style);
                assert!(text.starts_with(id.name()) && text.contains("path_error = 0.1"), "{text}");
                for line in text.lines() {
                    assert!(width(line) <= columns && (unicode || line.is_ascii() && !line.contains('?')), "{line}");
                }
            }
            assert!(finding_list(&style).lines().all(|line| width(line) <= 80));
        }
    }
}
