//! An analysis as a CSV table: one row per frame, units in the header, empty cells for undefined values.

use std::io::{self, Write};

use muybridge::analysis::Analysis;
use muybridge::analysis::PerFrame;
use muybridge::glam::DVec3;

/// Writes the table. Rows end in a line feed, contacts are joined with `;`, numbers are the shortest decimals that
/// read back as the same bits.
pub fn write(analysis: &Analysis, mut out: impl Write) -> io::Result<()> {
    writeln!(out, "{}", header())?;
    for frame in 0..analysis.frames {
        writeln!(out, "{}", row(analysis, frame))?;
    }
    out.flush()
}

/// The table as text; [`write`](fn@write) writes the same table to a stream.
pub fn csv(analysis: &Analysis) -> String {
    let mut text = header();
    text.push('\n');
    for frame in 0..analysis.frames {
        text.push_str(&row(analysis, frame));
        text.push('\n');
    }
    text
}

type Vectors = fn(&PerFrame) -> &[Option<DVec3>];

/// The vector columns: name, unit and getter.
const VECTORS: [(&str, &str, Vectors); 10] = [
    ("mass_center", "m", |rows| &rows.mass_center),
    ("mass_center_velocity", "m/s", |rows| &rows.mass_center_velocity),
    ("mass_center_acceleration", "m/s2", |rows| &rows.mass_center_acceleration),
    ("linear_momentum", "kg m/s", |rows| &rows.linear_momentum),
    ("angular_momentum", "kg m2/s", |rows| &rows.angular_momentum),
    ("angular_momentum_rate", "kg m2/s2", |rows| &rows.angular_momentum_rate),
    ("ground_force", "N", |rows| &rows.ground_force),
    ("zmp", "m", |rows| &rows.zero_moment_point),
    ("residual_force", "N", |rows| &rows.residual_force),
    ("residual_moment", "N m", |rows| &rows.residual_moment),
];

fn header() -> String {
    let mut cells = vec!["frame".to_string(), "time [s]".to_string()];
    for (name, unit, _) in VECTORS {
        cells.extend(["x", "y", "z"].map(|axis| format!("{name}_{axis} [{unit}]")));
    }
    cells.extend(["support_margin [m]".to_string(), "contacts".to_string()]);
    cells.join(",")
}

fn row(analysis: &Analysis, frame: usize) -> String {
    let rows = &analysis.per_frame;
    let mut cells = vec![frame.to_string(), number(rows.time.get(frame).copied())];
    for (_, _, column) in VECTORS {
        let vector = column(rows).get(frame).copied().flatten().filter(|vector| vector.is_finite());
        cells.extend([0, 1, 2].map(|axis| number(vector.map(|vector| vector[axis]))));
    }
    cells.push(number(rows.support_margin.get(frame).copied().flatten()));
    let touching = rows.contacts.get(frame).map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = touching.iter().map(|&bone| analysis.bones[bone].as_str()).collect();
    cells.push(quoted(&names.join(";")));
    cells.join(",")
}

fn number(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
}

/// Text as one CSV cell: quoted if it holds a comma, a quote or a line break. What a spreadsheet would take for a formula gets an
/// apostrophe before it, which says that it is text.
pub(crate) fn quoted(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        return quoted(&format!("'{text}"));
    }
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    fn table(analysis: &Analysis) -> Vec<Vec<String>> {
        csv(analysis).lines().map(|line| line.split(',').map(String::from).collect()).collect()
    }

    #[test]
    fn row_k_is_frame_k_and_every_row_has_the_columns_of_the_header() {
        let sample = Sample::new();
        let table = table(&sample.analysis);
        assert_eq!(table.len(), sample.analysis.frames + 1);
        assert!(table.iter().all(|row| row.len() == table[0].len()));
        for (frame, row) in table[1..].iter().enumerate() {
            assert_eq!(row[0], frame.to_string());
            assert_eq!(row[1].parse::<f64>().unwrap(), sample.analysis.per_frame.time[frame]);
        }
    }

    #[test]
    fn values_stand_under_their_names_and_nothing_is_an_empty_cell() {
        let sample = Sample::new();
        let table = table(&sample.analysis);
        let column = |name: &str| table[0].iter().position(|cell| cell == name).unwrap();
        let (height, zmp) = (column("mass_center_y [m]"), column("zmp_x [m]"));
        assert_eq!(table[1][height], "", "frame 0 is left out");
        let center = sample.analysis.per_frame.mass_center[7].unwrap();
        assert_eq!(table[8][height].parse::<f64>().unwrap(), center.y);
        assert_eq!(table[sample.analysis.flights[0].span.first + 1][zmp], "", "no zero-moment point in flight");
        assert_eq!(table[2][column("contacts")], "LeftFoot;RightFoot");
    }

    #[test]
    fn a_name_with_a_comma_stays_one_cell() {
        assert_eq!(quoted("Foot, \"left\""), "\"Foot, \"\"left\"\"\"");
    }

    #[test]
    fn a_name_is_no_formula() {
        assert_eq!(quoted("=HYPERLINK(\"x\",1)"), "\"'=HYPERLINK(\"\"x\"\",1)\"");
        for text in ["+1", "-1", "@SUM", "\tx"] {
            assert_eq!(quoted(text), format!("'{text}"));
        }
        assert_eq!(quoted("a=1"), "a=1");
    }

    #[test]
    fn a_stream_gets_the_same_bytes() {
        let sample = Sample::new();
        let mut bytes = Vec::new();
        write(&sample.analysis, &mut bytes).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), csv(&sample.analysis));
    }
}
