//! List of the findings; a click moves the cursor to a finding.

use eframe::egui::{self, RichText, Ui};
use muybridge::analysis::{Analysis, Finding, Severity, Verdict};

use crate::icon::{self, Icon};
use crate::theme::Theme;

/// The finding that was clicked, and what to do with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clicked<'a> {
    /// Move the cursor to the finding with this index.
    GoTo(usize, &'a Finding),
    /// Correct the finding.
    Fix(&'a Finding),
}

/// Shows verdict and findings. The `chosen` finding gets a button if `mends` says that a tool can correct it.
pub fn list<'a>(
    ui: &mut Ui,
    analysis: &'a Analysis,
    chosen: Option<usize>,
    mends: impl Fn(&Finding) -> bool,
) -> Option<Clicked<'a>> {
    let theme = Theme::current(ui);
    let (word, color) = match analysis.verdict {
        Verdict::Plausible => ("plausible", theme.contact),
        Verdict::Implausible => ("implausible", theme.ballistic),
        Verdict::Undecided => ("undecided", theme.quiet),
    };
    let count = |severity| analysis.findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    ui.horizontal(|ui| {
        ui.label(RichText::new(word).size(17.0).color(color).strong());
        ui.weak(format!("{} · {}", counted(errors, "error"), counted(warnings, "warning")));
    });
    ui.add_space(4.0);
    let mut clicked = None;
    for (index, finding) in analysis.findings.iter().enumerate() {
        if entry(ui, &theme, finding, chosen == Some(index)) {
            clicked = Some(Clicked::GoTo(index, finding));
        }
        if chosen == Some(index) && mends(finding) {
            let fix = ui.button("Fix this").on_hover_text("Fixes this finding alone, with the tools that suit it");
            if fix.clicked() {
                clicked = Some(Clicked::Fix(finding));
            }
        }
    }
    if analysis.findings.is_empty() {
        ui.weak("Nothing found: a body of that mass could move like that.");
    }
    clicked
}

fn entry(ui: &mut Ui, theme: &Theme, finding: &Finding, chosen: bool) -> bool {
    let (sign, color) = match finding.severity {
        Severity::Error => (Icon::Cross, theme.ballistic),
        Severity::Warning => (Icon::Warning, theme.warning),
        Severity::Note => (Icon::Note, theme.quiet),
    };
    let mut text = egui::text::LayoutJob::default();
    let format =
        |size, color| egui::TextFormat { font_id: egui::FontId::proportional(size), color, ..Default::default() };
    text.append(finding.id.name(), 18.0, format(13.5, theme.text));
    text.append(&format!("   {:.2}–{:.2} s", finding.span.start, finding.span.end), 0.0, format(12.0, theme.quiet));
    text.append(&format!("\n{}", finding.message), 0.0, format(12.5, theme.quiet));
    let button = egui::Button::selectable(chosen, text).wrap().min_size(egui::vec2(ui.available_width(), 0.0));
    let response = ui.add(button);
    icon::paint(ui.painter(), sign, response.rect.left_top() + egui::vec2(15.0, 12.0), 11.0, color);
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name(finding)));
    response.on_hover_text("Moves the cursor to this finding").clicked()
}

/// Name of a finding for screen readers: "flight.gravity at 1.67 s".
pub fn name(finding: &Finding) -> String {
    format!("{} at {:.2} s", finding.id, finding.span.start)
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
