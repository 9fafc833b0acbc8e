//! Steps of a plan as text: an action's name, or a table with one word for its kind.
//!
//! ```toml
//! steps = [
//!   "reach a",                                     # an action, until it ends
//! { begin = "hum" }, { cancel = "hum" },         # an action that runs beside the plan, until it is cancelled
//!   { wait = 0.5 }, { arrival = "hum" }, { condition = "is up" },
//!   { contact = "hand" }, { contact = "hand", with = "ball" }, { near = "hand", to = "ball", within = 0.1 },
//!   { parallel = ["reach b", "look"] }, { race = ["reach c", { wait = 3.0 }] }, { sequence = ["a", "b"] },
//! { repeat = ["wave", "rest"], times = 3 },      # times left out or 0: forever
//! ]
//! ```

use muybridge::behavior::action::{MOST_DEPTH, PlanStep, Wait};
use muybridge::simulation::scene::nearest;
use toml::de::{DeTable, DeValue};

use super::value::{Value, list, non_negative_integer, number, text, wanted};
use super::write;
use crate::error::Complaint;
use crate::xml::shorten;

/// Kinds of step tables, each with the other keys it takes.
const KINDS: [(&str, &[&str]); 11] = [
    ("begin", &[]),
    ("cancel", &[]),
    ("wait", &[]),
    ("arrival", &[]),
    ("contact", &["with"]),
    ("near", &["to", "within"]),
    ("condition", &[]),
    ("sequence", &[]),
    ("parallel", &[]),
    ("race", &[]),
    ("repeat", &["times"]),
];

/// Parses a list of steps.
pub fn steps(value: &Value<'_>) -> Result<Vec<PlanStep>, Complaint> {
    many(value, 1)
}

fn many(value: &Value<'_>, depth: usize) -> Result<Vec<PlanStep>, Complaint> {
    if depth > MOST_DEPTH {
        return Err((value.span(), format!("must be nested at most {MOST_DEPTH} levels deep")));
    }
    list(value)
        .map_err(|_| wanted(value, "a list of steps in brackets"))?
        .iter()
        .map(|item| step(item, depth))
        .collect()
}

fn step(value: &Value<'_>, depth: usize) -> Result<PlanStep, Complaint> {
    match value.get_ref() {
        DeValue::String(name) => Ok(PlanStep::Act(name.to_string())),
        DeValue::Table(table) => table_step(value, table, depth),
        _ => Err(wanted(value, "an action's name, or a table such as { wait = 0.5 }")),
    }
}

fn table_step(value: &Value<'_>, table: &DeTable<'_>, depth: usize) -> Result<PlanStep, Complaint> {
    let get = |key: &str| table.iter().find(|(name, _)| name.get_ref().as_ref() == key).map(|(_, value)| value);
    let found: Vec<_> = KINDS.iter().filter_map(|&(kind, with)| Some((kind, with, get(kind)?))).collect();
    let all = || KINDS.map(|(kind, _)| kind).join(", ");
    let &[(kind, with, main)] = &found[..] else {
        let given = table.iter().map(|(name, _)| name.get_ref().as_ref()).next().unwrap_or_default();
        let hint = nearest(given, KINDS.iter().map(|(kind, _)| *kind))
            .filter(|_| found.is_empty() && !given.is_empty())
            .map_or_else(String::new, |near| format!("; did you mean {near}?"));
        let said = if found.is_empty() { "no kind; give one of" } else { "several kinds; give only one of" };
        return Err((value.span(), format!("hold a step with {said} {}{hint}", all())));
    };
    if let Some((name, _)) = table.iter().find(|(name, _)| {
        let name = name.get_ref().as_ref();
        name != kind && !with.contains(&name)
    }) {
        let given = shorten(name.get_ref().as_ref());
        let may = if with.is_empty() { "nothing".to_owned() } else { with.join(" and ") };
        return Err((
            name.span(),
            format!("hold a step “{kind}” with the unknown key “{given}”; beside {kind} it takes {may}"),
        ));
    }
    let needed =
        |key: &str| get(key).ok_or_else(|| (value.span(), format!("hold a step “{kind}” without {key}; add it")));
    Ok(match kind {
        "begin" => PlanStep::Begin(text(main)?.into()),
        "cancel" => PlanStep::Cancel(text(main)?.into()),
        "wait" => PlanStep::Wait(Wait::Seconds(number(main)?)),
        "arrival" => PlanStep::Wait(Wait::Arrival(text(main)?.into())),
        "contact" => {
            let with = get("with").map(text).transpose()?.unwrap_or_default();
            PlanStep::Wait(Wait::Contact { of: text(main)?.into(), with: with.into() })
        }
        "near" => PlanStep::Wait(Wait::Near {
            of: text(main)?.into(),
            to: text(needed("to")?)?.into(),
            within: number(needed("within")?)?,
        }),
        "condition" => PlanStep::Wait(Wait::Condition(text(main)?.into())),
        "sequence" => PlanStep::Sequence(many(main, depth + 1)?),
        "parallel" => PlanStep::Parallel(many(main, depth + 1)?),
        "race" => PlanStep::Race(many(main, depth + 1)?),
        _ => {
            let times = get("times").map(|times| non_negative_integer(times, u32::MAX)).transpose()?.unwrap_or(0);
            let inside = match main.get_ref() {
                DeValue::Array(_) => PlanStep::Sequence(many(main, depth + 1)?),
                _ if depth < MOST_DEPTH => step(main, depth + 1)?,
                _ => return Err((main.span(), format!("must be nested at most {MOST_DEPTH} levels deep"))),
            };
            PlanStep::Repeat { times, step: Box::new(inside) }
        }
    })
}

/// Writes a list of steps as text.
pub fn in_text(steps: &[PlanStep]) -> String {
    write::listed(steps, one)
}

fn one(step: &PlanStep) -> String {
    let word = |key: &str, name: &str| format!("{{ {key} = {} }}", write::text(name));
    let inside = |key: &str, steps: &[PlanStep]| format!("{{ {key} = {} }}", in_text(steps));
    match step {
        PlanStep::Act(name) => write::text(name),
        PlanStep::Begin(name) => word("begin", name),
        PlanStep::Cancel(name) => word("cancel", name),
        PlanStep::Wait(Wait::Seconds(seconds)) => format!("{{ wait = {} }}", write::number(seconds)),
        PlanStep::Wait(Wait::Arrival(name)) => word("arrival", name),
        PlanStep::Wait(Wait::Contact { of, with }) if with.is_empty() => word("contact", of),
        PlanStep::Wait(Wait::Contact { of, with }) => {
            format!("{{ contact = {}, with = {} }}", write::text(of), write::text(with))
        }
        PlanStep::Wait(Wait::Near { of, to, within }) => {
            let (of, to) = (write::text(of), write::text(to));
            format!("{{ near = {of}, to = {to}, within = {} }}", write::number(within))
        }
        PlanStep::Wait(Wait::Condition(name)) => word("condition", name),
        PlanStep::Sequence(steps) => inside("sequence", steps),
        PlanStep::Parallel(steps) => inside("parallel", steps),
        PlanStep::Race(steps) => inside("race", steps),
        PlanStep::Repeat { times, step } => {
            let what = match &**step {
                PlanStep::Sequence(steps) => in_text(steps),
                step => one(step),
            };
            let times = if *times == 0 { String::new() } else { format!(", times = {times}") };
            format!("{{ repeat = {what}{times} }}")
        }
    }
}
