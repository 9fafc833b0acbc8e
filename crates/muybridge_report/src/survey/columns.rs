//! Columns of the two survey tables: name with unit, description, and getter.

use super::row::{CheckedClip, ClipRow, FlightRow};

/// A column of a table whose rows are `R`.
pub struct TableColumn<R> {
    /// Name of the column, which ends in the unit.
    pub name: &'static str,
    /// Description in a few words.
    pub about: &'static str,
    /// Type of the column and getter of its value.
    pub read: ColumnReader<R>,
}

/// Type of a column and getter of its value; a getter returns `None` for an empty cell.
pub enum ColumnReader<R> {
    /// Column of text.
    Text(fn(&R) -> Option<&str>),
    /// Column of whole numbers.
    Whole(fn(&R) -> Option<i64>),
    /// Column of numbers, always finite.
    Number(fn(&R) -> Option<f64>),
    /// Column of true or false.
    Flag(fn(&R) -> Option<bool>),
}

const fn column<R>(name: &'static str, about: &'static str, read: ColumnReader<R>) -> TableColumn<R> {
    TableColumn { name, about, read }
}

/// A count as a signed integer; no clip has 2⁶³ frames.
fn whole(row: &ClipRow, value: fn(&CheckedClip) -> u64) -> Option<i64> {
    row.found().map(|found| value(found) as i64)
}

fn number(row: &ClipRow, value: fn(&CheckedClip) -> Option<f64>) -> Option<f64> {
    row.found().and_then(value)
}

fn text(row: &ClipRow, value: fn(&CheckedClip) -> &str) -> Option<&str> {
    row.found().map(value)
}

/// The columns of the table of clips, one row per clip, in the order of the list.
pub const CLIP_COLUMNS: &[TableColumn<ClipRow>] = &[
    column("file", "the file as the survey was given it", ColumnReader::Text(|row| Some(&row.file))),
    column("clip", "name of the clip in the file; empty where it has none", ColumnReader::Text(|row| Some(&row.clip))),
    column(
        "character",
        "root bone of the character; empty where the file holds one",
        ColumnReader::Text(|row| Some(&row.character)),
    ),
    column("status", "checked, or unreadable", ColumnReader::Text(|row| Some(status(row)))),
    column(
        "reason",
        "why it could not be read",
        ColumnReader::Text(|row| row.outcome.as_ref().err().map(String::as_str)),
    ),
    column("bytes", "size of the file", ColumnReader::Whole(|row| row.bytes.map(|bytes| bytes as i64))),
    column("frames", "frames of the clip", ColumnReader::Whole(|row| whole(row, |clip| clip.frames))),
    column("first_frame", "first frame judged, from 0", ColumnReader::Whole(|row| whole(row, |clip| clip.first_frame))),
    column("last_frame", "last frame judged", ColumnReader::Whole(|row| whole(row, |clip| clip.last_frame))),
    column("fps", "frames per second", ColumnReader::Number(|row| number(row, |clip| Some(clip.fps)))),
    column("seconds", "from first to last frame", ColumnReader::Number(|row| number(row, |clip| Some(clip.seconds)))),
    column("bones", "number of bones", ColumnReader::Whole(|row| whole(row, |clip| clip.bones))),
    column(
        "skeleton",
        "the same for the same bones: one character",
        ColumnReader::Text(|row| text(row, |clip| &clip.skeleton)),
    ),
    column("mass_kg", "mass of the body", ColumnReader::Number(|row| number(row, |clip| Some(clip.mass)))),
    column("body_source", "where the masses are from", ColumnReader::Text(|row| text(row, |clip| &clip.body_source))),
    column(
        "meters_per_unit",
        "what a unit of the file is",
        ColumnReader::Number(|row| number(row, |clip| Some(clip.meters_per_unit))),
    ),
    column("unit_source", "why that unit", ColumnReader::Text(|row| text(row, |clip| &clip.unit_source))),
    column("up", "axis of the file that points up", ColumnReader::Text(|row| text(row, |clip| &clip.up))),
    column(
        "floor_m",
        "height of the floor; empty without one",
        ColumnReader::Number(|row| number(row, |clip| clip.floor)),
    ),
    column(
        "cutoff_hz",
        "low-pass filter; empty without one",
        ColumnReader::Number(|row| number(row, |clip| clip.cutoff)),
    ),
    column("gait", "walk, run, or empty", ColumnReader::Text(|row| row.found().and_then(|clip| clip.gait.as_deref()))),
    column(
        "speed_mps",
        "mean horizontal speed of the mass center against the ground",
        ColumnReader::Number(|row| number(row, |clip| clip.speed)),
    ),
    column("verdict", "plausible, implausible or undecided", ColumnReader::Text(|row| text(row, |clip| &clip.verdict))),
    column("errors", "number of errors", ColumnReader::Whole(|row| whole(row, |clip| clip.severities[0]))),
    column("warnings", "number of warnings", ColumnReader::Whole(|row| whole(row, |clip| clip.severities[1]))),
    column("notes", "number of notes", ColumnReader::Whole(|row| whole(row, |clip| clip.severities[2]))),
    column(
        "error_ids",
        "ids of the errors, each once, with ; between",
        ColumnReader::Text(|row| text(row, |clip| &clip.ids[0])),
    ),
    column("warning_ids", "ids of the warnings", ColumnReader::Text(|row| text(row, |clip| &clip.ids[1]))),
    column("note_ids", "ids of the notes", ColumnReader::Text(|row| text(row, |clip| &clip.ids[2]))),
    column("flights", "number of flights", ColumnReader::Whole(|row| whole(row, |clip| clip.flights))),
    column("flight_frames", "frames in flight", ColumnReader::Whole(|row| whole(row, |clip| clip.flight_frames))),
    column(
        "gravity_median_g",
        "median gravity of the flights",
        ColumnReader::Number(|row| number(row, |clip| clip.gravity_median)),
    ),
    column(
        "gravity_worst_g",
        "gravity farthest from 1 by ratio",
        ColumnReader::Number(|row| number(row, |clip| clip.gravity_worst)),
    ),
    column(
        "noticeability",
        "how soon a viewer notices the worst flight: 1 is a change of horizontal velocity by a fifth",
        ColumnReader::Number(|row| number(row, |clip| clip.noticeability)),
    ),
    column(
        "balance_frames",
        "frames with a zero-moment point and a support",
        ColumnReader::Whole(|row| whole(row, |clip| clip.balance_frames)),
    ),
    column(
        "inside_fraction",
        "of those, the part with the point inside the support",
        ColumnReader::Number(|row| number(row, |clip| clip.inside_fraction)),
    ),
    column(
        "within_one_fraction",
        "of those, the part with it inside or within one mean radius",
        ColumnReader::Number(|row| number(row, |clip| clip.within_one_fraction)),
    ),
    column(
        "balance_worst_m",
        "farthest it gets outside",
        ColumnReader::Number(|row| number(row, |clip| clip.balance_worst)),
    ),
    column("skate_mps", "mean speed of planted contacts", ColumnReader::Number(|row| number(row, |clip| clip.skate))),
    column(
        "float_m",
        "largest gap under a body that must be carried",
        ColumnReader::Number(|row| number(row, |clip| clip.float)),
    ),
    column(
        "penetration_m",
        "greatest depth under the floor",
        ColumnReader::Number(|row| number(row, |clip| clip.penetration)),
    ),
    column(
        "unseen_support_s",
        "time carried by something the clip does not show",
        ColumnReader::Number(|row| number(row, |clip| Some(clip.unseen_support))),
    ),
];

/// The columns of the table of flights, one row per flight, in the order of the clips.
pub const FLIGHT_COLUMNS: &[TableColumn<FlightRow>] = &[
    column("file", "the file as the survey was given it", ColumnReader::Text(|row| Some(&row.file))),
    column("clip", "name of the clip in the file", ColumnReader::Text(|row| Some(&row.clip))),
    column("character", "root bone of the character", ColumnReader::Text(|row| Some(&row.character))),
    column("flight", "number of the flight in the clip, from 0", ColumnReader::Whole(|row| Some(row.flight as i64))),
    column("first_frame", "first airborne frame", ColumnReader::Whole(|row| Some(row.first_frame as i64))),
    column("last_frame", "last airborne frame", ColumnReader::Whole(|row| Some(row.last_frame as i64))),
    column("frames", "airborne frames", ColumnReader::Whole(|row| Some((row.last_frame - row.first_frame + 1) as i64))),
    column("start_s", "time of the first airborne frame", ColumnReader::Number(|row| Some(row.start))),
    column("end_s", "time of the last airborne frame", ColumnReader::Number(|row| Some(row.end))),
    column("gravity_g", "gravity the mass center falls with", ColumnReader::Number(|row| row.gravity)),
    column("gravity_se_g", "its standard error", ColumnReader::Number(|row| row.gravity_standard_error)),
    column("size_factor", "times as large the character would be right", ColumnReader::Number(|row| row.size_factor)),
    column(
        "frames_to_add",
        "frames the flight should have more; negative: fewer",
        ColumnReader::Whole(|row| Some(row.frames_to_add)),
    ),
    column(
        "path_error",
        "largest horizontal distance from the straight way, by its length (see path_error_unit)",
        ColumnReader::Number(|row| row.path_error),
    ),
    column(
        "path_error_unit",
        "1 for a part of the way's length; m where the way is shorter than 5 cm",
        ColumnReader::Text(|row| Some(if row.path_error_in_meters { "m" } else { "1" })),
    ),
    column(
        "linear_momentum_error_x",
        "largest error of the linear momentum by its mean, along x; empty where the mean is zero",
        ColumnReader::Number(|row| row.linear_momentum_error[0]),
    ),
    column("linear_momentum_error_z", "along z", ColumnReader::Number(|row| row.linear_momentum_error[2])),
    column(
        "linear_momentum_error_norm",
        "the stable reading: length of the error by length of the mean, horizontal",
        ColumnReader::Number(|row| row.linear_momentum_error_norm),
    ),
    column(
        "linear_momentum_change_kgmps",
        "largest change, horizontal",
        ColumnReader::Number(|row| row.linear_momentum_change),
    ),
    column(
        "angular_momentum_error_x",
        "largest error of the angular momentum by its mean, about x; empty where the mean is zero",
        ColumnReader::Number(|row| row.angular_momentum_error[0]),
    ),
    column("angular_momentum_error_y", "about y", ColumnReader::Number(|row| row.angular_momentum_error[1])),
    column("angular_momentum_error_z", "about z", ColumnReader::Number(|row| row.angular_momentum_error[2])),
    column(
        "angular_momentum_error_norm",
        "the stable reading: length of the error by length of the mean",
        ColumnReader::Number(|row| row.angular_momentum_error_norm),
    ),
    column("angular_momentum_change_kgm2ps", "largest change", ColumnReader::Number(|row| row.angular_momentum_change)),
    column(
        "noticeability",
        "how soon a viewer notices: 1 is a change of horizontal velocity by a fifth",
        ColumnReader::Number(|row| row.noticeability),
    ),
    column("marked", "true where --flight marked it", ColumnReader::Flag(|row| Some(row.marked))),
];

fn status(row: &ClipRow) -> &str {
    if row.outcome.is_ok() { "checked" } else { "unreadable" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_names<R>(columns: &[TableColumn<R>]) {
        let mut names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        assert!(
            names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'))
        );
        assert!(columns.iter().all(|column| !column.about.is_empty()));
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "a name stands for one column");
    }

    #[test]
    fn every_column_has_a_name_of_its_own_that_any_program_can_read() {
        assert_names(CLIP_COLUMNS);
        assert_names(FLIGHT_COLUMNS);
    }
}
