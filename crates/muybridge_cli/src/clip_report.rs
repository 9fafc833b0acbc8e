//! Builds the input of the reports from a prepared clip and its analysis.

use muybridge::analysis::Analysis;
use muybridge_files::prepare::Prepared;
use muybridge_report::ClipReport;

/// Input of every report of a clip; `file` is the file as the user named it.
pub fn clip_report<'a>(file: &'a str, prepared: &'a Prepared, analysis: &'a Analysis) -> ClipReport<'a> {
    ClipReport {
        file,
        meters_per_unit: prepared.units.meters_per_unit,
        unit_source: &prepared.units.unit_source,
        up: prepared.units.up.name(),
        analysis,
        ignored: &prepared.ignored,
        character_name: &prepared.character_name,
        has_companions: prepared.has_companions,
        character: &prepared.character,
        clip: &prepared.clip,
        ground: None,
    }
}
