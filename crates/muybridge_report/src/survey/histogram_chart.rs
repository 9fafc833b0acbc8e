//! SVG chart of a histogram: percent of the values per bin, labeled like figures 6 and 7 of the paper.

use std::fmt::Write;

use muybridge::analysis::{Bins, percent};

/// Size of the drawing and margins around the bars, pixels.
const WIDTH: f64 = 380.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 36.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 28.0;

/// The histogram as SVG; `what` is its text for screen readers, `ink` is the CSS class of the bars.
pub fn histogram(counts: &[u64], bins: Bins, what: &str, ink: &str) -> String {
    let number = bins.edges().len() + 1;
    let percents = percent(counts);
    let most = percents.iter().copied().fold(0.0, f64::max);
    let top = if most > 50.0 { 100.0 } else { 50.0 };
    let (step, scale) = ((WIDTH - LEFT - RIGHT) / number as f64, (HEIGHT - TOP - BOTTOM) / top);
    let floor = HEIGHT - BOTTOM;
    let mut svg =
        format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{what}\" class=\"histogram\">");
    for tick in 0..=4 {
        let value = top * f64::from(tick) / 4.0;
        let y = floor - value * scale;
        let (x, text) = (LEFT - 5.0, y + 3.5);
        let _ = write!(svg, "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{}\"/>", WIDTH - RIGHT);
        let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{text:.1}\" class=\"end\">{value}</text>");
    }
    for (bin, (&percent, &count)) in percents.iter().zip(counts).enumerate() {
        let (x, height) = (LEFT + step * bin as f64, percent * scale);
        let (y, wide) = (floor - height, step - 2.0);
        let name = bin_name(bins, bin);
        let _ = write!(
            svg,
            "<rect class=\"{ink}\" x=\"{:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{height:.1}\">\
             <title>{name}: {percent:.2} % ({count})</title></rect>",
            x + 1.0
        );
        if percent >= 0.5 {
            let _ = write!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{percent:.0}</text>", x + step / 2.0, y - 3.5);
        }
    }
    let _ = write!(svg, "<path class=\"axis\" d=\"M{LEFT} {floor}H{}\"/>", WIDTH - RIGHT);
    for (at, label) in labels(bins) {
        let (x, y) = (LEFT + step * at, floor + 13.0);
        let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\">{label}</text>");
    }
    svg + "</svg>"
}

/// Name of a bin: "0.05–0.1", "inside", "∞".
fn bin_name(bins: Bins, bin: usize) -> String {
    let edges = bins.edges();
    let below = if bin == 0 { 0.0 } else { edges[bin - 1] };
    match (bins, edges.get(bin)) {
        (Bins::ZeroMomentDistance, _) if bin == 0 => "inside".into(),
        (Bins::MomentumError | Bins::ZeroMomentDistance, None) => format!("above {below}, or infinite"),
        (Bins::PathError, None) => format!("above {below}"),
        (_, Some(edge)) => format!("{below}–{edge}"),
    }
}

/// Labels below the axis and their positions, in bins from its left end.
fn labels(bins: Bins) -> Vec<(f64, String)> {
    let edges = bins.edges();
    let last = edges.len() as f64;
    let mut labels: Vec<(f64, String)> = match bins {
        Bins::ZeroMomentDistance => (0..edges.len()).map(|bin| (bin as f64 + 0.5, bin_name(bins, bin))).collect(),
        Bins::PathError | Bins::MomentumError => {
            let every = if bins == Bins::MomentumError { 5 } else { 1 };
            let inner = edges.iter().enumerate().filter(|(index, _)| (index + 1) % every == 0);
            std::iter::once((0.0, "0".into()))
                .chain(inner.map(|(index, edge)| (index as f64 + 1.0, edge.to_string())))
                .collect()
        }
    };
    labels.push((last + 0.5, if bins == Bins::PathError { "more".into() } else { "∞".into() }));
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s23_a_bar_for_every_bin_with_its_share() {
        let svg = histogram(&[6, 0, 0, 2, 0, 0, 0, 0], Bins::PathError, "path", "path");
        assert_eq!(svg.matches("<rect").count(), 8);
        assert!(svg.contains("0–0.05: 75.00 % (6)") && svg.contains("0.15–0.2: 25.00 % (2)"), "{svg}");
        let svg = histogram(&[0; 16], Bins::MomentumError, "momentum", "linear");
        assert!(svg.contains("above 3, or infinite: 0.00 % (0)"));
        assert!(histogram(&[1; 7], Bins::ZeroMomentDistance, "", "zmp").contains("inside: 14.29 % (1)"));
    }
}
