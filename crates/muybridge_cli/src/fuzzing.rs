//! Readers of this crate for the fuzz targets; built with `--cfg fuzzing` only.

use muybridge_report::survey::FileRecord;

use crate::forces::parse;
use crate::survey::plan::SurveyPlan;

/// Gives bytes to the reader of a run's forces; panics where it lets a mass or force through that is none.
pub fn forces(bytes: &[u8]) {
    for character in parse(bytes).into_iter().flat_map(|run| run.characters) {
        assert!(character.mass_kg > 0.0 && character.mass_kg.is_finite());
        assert!(character.per_frame.iter().all(|actuated| actuated.force.is_finite() && actuated.moment.is_finite()));
    }
}

/// Gives bytes to the readers of a survey's part: plan, then records.
pub fn survey_part(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    if let Some(plan) = lines.next().and_then(SurveyPlan::parse) {
        assert_eq!(SurveyPlan::parse(&plan.line()).as_ref(), Some(&plan));
        assert!(plan.own_positions().take(9).all(|position| position < plan.files));
    }
    for record in lines.filter_map(|line| FileRecord::parse(line).ok()) {
        assert_eq!(FileRecord::parse(&record.line()).ok().as_ref(), Some(&record));
    }
}
