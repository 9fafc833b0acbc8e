//! Caption of a frame: name, time with the frame in brackets, energies, momenta and constraint errors.

use muybridge::simulation::Recording;
use muybridge::simulation::recording::Measures;

use crate::draw::{Canvas, TextAnchor, Type};

use super::ground::FloorGrid;
use super::ink::Inks;

/// Font size, pixels per em, for a picture `height` pixels high.
pub(super) fn size(height: u32) -> f64 {
    (f64::from(height) / 28.0).clamp(10.0, 30.0)
}

/// Share of a picture's height that the caption takes.
pub(super) fn share(height: u32) -> f64 {
    (3.1 * size(height) / f64::from(height)).min(0.4)
}

/// Draws the caption of a frame.
pub(super) fn draw(canvas: &mut Canvas, recording: &Recording, frame: usize, inks: &Inks, ground: Option<&FloorGrid>) {
    let (width, height) = (f64::from(canvas.width()), f64::from(canvas.height()));
    let em = size(canvas.height());
    let (left, right) = (0.9 * em, width - 0.9 * em);
    let (first, second) = (height - 1.75 * em, height - 0.6 * em);
    let band = share(canvas.height()) * height;
    canvas.rectangle((0.0, height - band), (width, band), inks.palette.paper.faded(0.72));
    let bold = Type { size: em, weight: 0.03, ink: inks.palette.text, align: TextAnchor::Left };
    let time = format!("{:.2} s [{frame}]", frame as f64 * recording.frame_time);
    let name: String = recording.name.chars().filter(|character| !character.is_control()).collect();
    let name = canvas.lettering.fit(&name, em, 0.5 * width);
    let after = left + canvas.text(&name, (left, first), bold) + if name.is_empty() { 0.0 } else { 1.2 * em };
    let plain = Type { weight: 0.015, ..bold };
    let quiet = Type { size: 0.92 * em, ink: inks.palette.quiet, ..plain };
    let after = after + canvas.text(&time, (after, first), plain) + 1.4 * em;
    // The name and the time come first; the squares are told where there is room.
    let squares = ground.map(|ground| squares(ground.square));
    let squares = squares.filter(|squares| canvas.lettering.width(squares, quiet.size) < right - after);
    if let Some(squares) = &squares {
        canvas.text(squares, (right, first), Type { align: TextAnchor::Right, ..quiet });
    }
    let Some(measures) = recording.measures.get(frame) else { return };
    let room = right - after - if squares.is_some() { 8.5 * em } else { 0.0 };
    let energies = fitting(canvas, &energies(measures), (quiet.size, room));
    canvas.text(&energies, (after, first), Type { ink: inks.palette.text, ..quiet });
    let strains = fitting(canvas, &strains(measures), (quiet.size, right - left));
    canvas.text(&strains, (left, second), quiet);
}

/// Joins as many of the phrases as fit, three spaces apart.
fn fitting(canvas: &Canvas, phrases: &[String], (size, room): (f64, f64)) -> String {
    let mut line = String::new();
    for phrase in phrases {
        let longer = if line.is_empty() { phrase.clone() } else { format!("{line}   {phrase}") };
        if canvas.lettering.width(&longer, size) > room {
            break;
        }
        line = longer;
    }
    line
}

fn energies(measures: &Measures) -> Vec<String> {
    vec![
        format!("kinetic {}", amount(measures.kinetic_energy, "J")),
        format!("potential {}", amount(measures.potential_energy, "J")),
        format!("p {}", amount(measures.momentum.length(), "kg m/s")),
    ]
}

fn strains(measures: &Measures) -> Vec<String> {
    let asleep = if measures.asleep > 0.0 { format!("asleep {:.0} %", 100.0 * measures.asleep) } else { String::new() };
    let all = [
        format!("L {}", amount(measures.angular_momentum.length(), "kg m²/s")),
        format!("stretch {:.2} %", 100.0 * measures.worst_stretch),
        format!("gap {:.2} mm", 1e3 * measures.worst_gap),
        format!("limit {:.1}°", measures.worst_limit.to_degrees()),
        format!("penetration {:.1} mm", 1e3 * measures.worst_penetration),
        asleep,
    ];
    all.into_iter().filter(|phrase| !phrase.is_empty()).collect()
}

/// Formats a number with its unit, thousands as k, millions as M: "12.3 J", "25.0 kJ".
pub(super) fn amount(value: f64, unit: &str) -> String {
    let (scaled, prefix) = match value.abs() {
        size if size >= 1e6 => (1e-6 * value, "M"),
        size if size >= 1e4 => (1e-3 * value, "k"),
        _ => (value, ""),
    };
    let unit = if prefix == "k" && unit.starts_with("kg") { format!("10³ {unit}") } else { format!("{prefix}{unit}") };
    let unit = if unit.starts_with("Mkg") { format!("10⁶ {}", &unit[1..]) } else { unit };
    let digits = match scaled.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    format!("{scaled:.digits$} {unit}").replace('-', "−")
}

/// Text for the distance of the floor lines: "squares of 1 m".
pub(super) fn squares(square: f64) -> String {
    if square >= 0.995 {
        format!("squares of {square:.0} m")
    } else {
        format!("squares of {} cm", trim(100.0 * square))
    }
}

fn trim(value: f64) -> f64 {
    libm::round(value * 1e6) * 1e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_three_digits_and_a_unit() {
        assert_eq!(amount(12.345, "J"), "12.3 J");
        assert_eq!(amount(-0.5, "J"), "−0.50 J");
        assert_eq!(amount(23_456.0, "J"), "23.5 kJ");
        assert_eq!(amount(23_456.0, "kg m/s"), "23.5 10³ kg m/s");
        assert_eq!(squares(1.0), "squares of 1 m");
        assert_eq!(squares(0.1), "squares of 10 cm");
    }
}
