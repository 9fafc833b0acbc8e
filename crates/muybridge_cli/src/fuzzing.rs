//! Readers of this crate for the fuzz targets; built with `--cfg fuzzing` only.

use crate::forces::parse;
use crate::survey::kept::KeptRecord;
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
    // Behind their checksums, which a fuzzer does not find.
    for kept in lines.filter_map(|line| KeptRecord::parse(line.get(9..)?)) {
        assert_eq!(KeptRecord::parse(&kept.text()).as_ref(), Some(&kept));
    }
}
