//! Editor for the steps of a plan: kind, names, order and nesting.

use eframe::egui::{self, ComboBox, DragValue, Id, Ui};
use muybridge::behavior::action::{PlanStep, Wait};

use crate::icon::Labelled;

/// Kinds of steps, as in scene files, with their descriptions.
const KINDS: [(&str, &str); 12] = [
    ("do", "An action, until it ends"),
    ("begin", "An action that goes on beside the plan"),
    ("cancel", "Ends an action or plan"),
    ("wait", "So many seconds"),
    ("arrival", "Until an action is where it was to be"),
    ("contact", "Until a thing touches another, or anything"),
    ("near", "Until two things are so near"),
    ("condition", "Until a condition of a program holds"),
    ("sequence", "One after the other"),
    ("parallel", "All at the same time, until all are done"),
    ("race", "All at the same time, until the first is done"),
    ("repeat", "Again and again, so many times; 0: for ever"),
];

/// Names that steps can refer to.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Names of things, and of bones of ragdolls.
    pub parts: &'a [String],
    /// Names of actions and plans.
    pub doings: &'a [String],
}

/// Shows the list of steps; returns whether any changed.
pub fn show(ui: &mut Ui, steps: &mut Vec<PlanStep>, known: Known<'_>) -> bool {
    ui.vertical(|ui| list(ui, steps, known, Id::unique("steps"))).inner
}

fn list(ui: &mut Ui, steps: &mut Vec<PlanStep>, known: Known<'_>, id: Id) -> bool {
    let (mut changed, mut gone, mut swapped) = (false, None, None);
    let count = steps.len();
    for (index, step) in steps.iter_mut().enumerate() {
        let id = id.with(index);
        ui.horizontal(|ui| {
            ui.weak(format!("{}", index + 1));
            changed |= kind(ui, step, known, id);
            changed |= value(ui, step, known, id);
            let number = index + 1;
            let up = ui.add_enabled(index > 0, egui::Button::new("up").small());
            if up.labelled(&format!("Move step {number} up")).clicked() {
                swapped = Some((index - 1, index));
            }
            let down = ui.add_enabled(index + 1 < count, egui::Button::new("down").small());
            if down.labelled(&format!("Move step {number} down")).clicked() {
                swapped = Some((index, index + 1));
            }
            let out = ui.small_button("-").on_hover_text("Take this step out");
            if out.labelled(&format!("Take step {number} out")).clicked() {
                gone = Some(index);
            }
        });
        if let Some(inner) = inside(step) {
            changed |= ui.indent(id, |ui| list(ui, inner, known, id)).inner;
        }
    }
    if let Some((a, b)) = swapped {
        steps.swap(a, b);
    }
    if let Some(index) = gone {
        steps.remove(index);
    }
    if ui.small_button("+ step").on_hover_text("One more step").clicked() {
        steps.push(PlanStep::Act(known.doings.first().cloned().unwrap_or_default()));
        changed = true;
    }
    changed || swapped.is_some() || gone.is_some()
}

fn kind(ui: &mut Ui, step: &mut PlanStep, known: Known<'_>, id: Id) -> bool {
    let now = kind_of(step);
    let mut wanted = now;
    ComboBox::from_id_salt(id.with("kind")).width(78.0).selected_text(KINDS[now].0).show_ui(ui, |ui| {
        for (index, (word, about)) in KINDS.iter().enumerate() {
            ui.selectable_value(&mut wanted, index, *word).on_hover_text(*about);
        }
    });
    if wanted != now {
        *step = made(wanted, known);
    }
    wanted != now
}

fn kind_of(step: &PlanStep) -> usize {
    match step {
        PlanStep::Act(_) => 0,
        PlanStep::Begin(_) => 1,
        PlanStep::Cancel(_) => 2,
        PlanStep::Wait(Wait::Seconds(_)) => 3,
        PlanStep::Wait(Wait::Arrival(_)) => 4,
        PlanStep::Wait(Wait::Contact { .. }) => 5,
        PlanStep::Wait(Wait::Near { .. }) => 6,
        PlanStep::Wait(Wait::Condition(_)) => 7,
        PlanStep::Sequence(_) => 8,
        PlanStep::Parallel(_) => 9,
        PlanStep::Race(_) => 10,
        PlanStep::Repeat { .. } => 11,
    }
}

/// New step of this kind, referring to the first known name.
fn made(kind: usize, known: Known<'_>) -> PlanStep {
    let doing = || known.doings.first().cloned().unwrap_or_default();
    let part = || known.parts.first().cloned().unwrap_or_default();
    let one = || vec![PlanStep::Act(doing())];
    match kind {
        0 => PlanStep::Act(doing()),
        1 => PlanStep::Begin(doing()),
        2 => PlanStep::Cancel(doing()),
        3 => PlanStep::Wait(Wait::Seconds(0.5)),
        4 => PlanStep::Wait(Wait::Arrival(doing())),
        5 => PlanStep::Wait(Wait::Contact { of: part(), with: String::new() }),
        6 => PlanStep::Wait(Wait::Near { of: part(), to: part(), within: 0.1 }),
        7 => PlanStep::Wait(Wait::Condition(String::new())),
        8 => PlanStep::Sequence(one()),
        9 => PlanStep::Parallel(one()),
        10 => PlanStep::Race(one()),
        _ => PlanStep::Repeat { times: 2, step: Box::new(PlanStep::Sequence(one())) },
    }
}

fn value(ui: &mut Ui, step: &mut PlanStep, known: Known<'_>, id: Id) -> bool {
    match step {
        PlanStep::Act(name) | PlanStep::Begin(name) | PlanStep::Cancel(name) | PlanStep::Wait(Wait::Arrival(name)) => {
            word(ui, name, known.doings, id.with("doing"))
        }
        PlanStep::Wait(Wait::Seconds(seconds)) => {
            ui.add(DragValue::new(seconds).range(0.0..=1e6).speed(0.02).suffix(" s")).changed()
        }
        PlanStep::Wait(Wait::Contact { of, with }) => {
            word(ui, of, known.parts, id.with("of")) | word(ui, with, known.parts, id.with("with"))
        }
        PlanStep::Wait(Wait::Near { of, to, within }) => {
            word(ui, of, known.parts, id.with("of"))
                | word(ui, to, known.parts, id.with("to"))
                | ui.add(DragValue::new(within).range(0.0..=1e6).speed(0.01).suffix(" m")).changed()
        }
        PlanStep::Wait(Wait::Condition(name)) => ui.text_edit_singleline(name).changed(),
        PlanStep::Repeat { times, .. } => ui.add(DragValue::new(times).speed(0.05).suffix(" times")).changed(),
        PlanStep::Sequence(_) | PlanStep::Parallel(_) | PlanStep::Race(_) => false,
    }
}

fn word(ui: &mut Ui, word: &mut String, known: &[String], id: Id) -> bool {
    let shown = if word.is_empty() { "anything".to_owned() } else { word.clone() };
    let list = ComboBox::from_id_salt(id).width(104.0).truncate().selected_text(shown);
    let answer = list.show_ui(ui, |ui| {
        known.iter().fold(false, |changed, name| changed | ui.selectable_value(word, name.clone(), name).changed())
    });
    answer.inner.unwrap_or(false)
}

/// Steps nested in a step; `None` if its kind has none.
fn inside(step: &mut PlanStep) -> Option<&mut Vec<PlanStep>> {
    match step {
        PlanStep::Sequence(steps) | PlanStep::Parallel(steps) | PlanStep::Race(steps) => Some(steps),
        PlanStep::Repeat { step, .. } => {
            if !matches!(**step, PlanStep::Sequence(_)) {
                let only = std::mem::replace(&mut **step, PlanStep::Sequence(Vec::new()));
                **step = PlanStep::Sequence(vec![only]);
            }
            match &mut **step {
                PlanStep::Sequence(steps) => Some(steps),
                _ => None,
            }
        }
        _ => None,
    }
}
