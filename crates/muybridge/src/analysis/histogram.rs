//! Histograms of flight errors and of balance, in percent of frames, with the bins of the paper.
//!
//! ```text
//! path error      0 … 0.30 in steps of 0.05, then to 1.00, then open
//! momentum error  0 … 3.0 in steps of 0.2, then "Infinity"
//! ZMP distance    0 (inside), then 0 … 5 in steps of 1, then "Infinity"
//! ```
//! Specification: mathematics 6.6 (S23, S28); Shapiro, Lee 2011, figures 6 and 7.

/// Bins of one of the paper's histograms. Bin k ends below edge k, the last bin is open upward. The bins of the ZMP distance include their upper
/// edge, so that 0 counts as inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bins {
    /// Horizontal path error (S20): eight bins.
    PathError,
    /// Momentum errors (S21 and S22): sixteen bins.
    MomentumError,
    /// Distance of the zero-moment point from the support (S27): seven bins, the first of which is "inside".
    ZeroMomentDistance,
}

impl Bins {
    /// Upper edges of all bins except the last, which is open.
    pub fn edges(self) -> Vec<f64> {
        match self {
            Self::PathError => (1..=6).map(|k| f64::from(k) / 20.0).chain([1.0]).collect(),
            Self::MomentumError => (1..=15).map(|k| f64::from(k) / 5.0).collect(),
            Self::ZeroMomentDistance => (0..=5).map(f64::from).collect(),
        }
    }

    fn holds(self, value: f64, edge: f64) -> bool {
        if self == Self::ZeroMomentDistance { value <= edge } else { value < edge }
    }
}

/// Number of values in each bin; infinite and undefined values count in the last bin.
pub fn counts(values: impl IntoIterator<Item = f64>, bins: Bins) -> Vec<u64> {
    let edges = bins.edges();
    let mut counts = vec![0_u64; edges.len() + 1];
    for value in values {
        counts[edges.iter().position(|&edge| bins.holds(value, edge)).unwrap_or(edges.len())] += 1;
    }
    counts
}

/// Converts counts to percent of their sum; all are 0 if the sum is 0.
pub fn percent(counts: &[u64]) -> Vec<f64> {
    let percent = 100.0 / counts.iter().sum::<u64>().max(1) as f64;
    counts.iter().map(|&count| count as f64 * percent).collect()
}

/// Fractions of frames in which the body is in balance (S28).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InBalance {
    /// Fraction of frames with the zero-moment point inside the support polygon, edge included.
    pub inside: f64,
    /// Fraction of frames with the zero-moment point inside or at a normalized distance of at most 1.
    pub within_one: f64,
}

/// Computes the fractions over the frames that have a normalized distance (negative inside); `None` if no frame has.
pub(crate) fn in_balance(normalized_distances: &[Option<f64>]) -> Option<InBalance> {
    let count = normalized_distances.iter().flatten().count();
    let within = |limit: f64| normalized_distances.iter().flatten().filter(|d| **d <= limit).count() as f64;
    (count > 0).then(|| InBalance { inside: within(0.0) / count as f64, within_one: within(1.0) / count as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percentages(values: &[f64], bins: Bins) -> Vec<f64> {
        percent(&counts(values.iter().copied(), bins))
    }

    #[test]
    fn s23_percentages_add_up_to_100_and_infinities_are_in_the_last_bin() {
        let values = [0.0, 0.04, 0.31, 0.05, 0.9, 1.7, 42.0, f64::INFINITY, 0.11];
        for (bins, count) in [(Bins::PathError, 8), (Bins::MomentumError, 16), (Bins::ZeroMomentDistance, 7)] {
            let percent = percentages(&values, bins);
            assert_eq!(percent.len(), count);
            assert!((percent.iter().sum::<f64>() - 100.0).abs() < 1e-12);
            assert!(*percent.last().unwrap() >= 100.0 / 9.0);
            let infinite = percentages(&[f64::INFINITY; 3], bins);
            assert!((infinite.last().unwrap() - 100.0).abs() < 1e-12);
        }
    }

    #[test]
    fn s23_path_errors_fall_into_steps_of_0_05_then_to_1_then_beyond() {
        let values = [0.01, 0.06, 0.07, 0.26, 0.3, 0.999, 1.0, 7.0, 0.12, 0.17];
        assert_eq!(percentages(&values, Bins::PathError), [10.0, 20.0, 10.0, 10.0, 0.0, 10.0, 20.0, 20.0]);
    }

    #[test]
    fn s23_a_zero_moment_point_inside_or_on_the_edge_is_in_the_first_bin() {
        let values = [-2.0, 0.0, 0.5, 4.9, 5.1];
        assert_eq!(percentages(&values, Bins::ZeroMomentDistance), [40.0, 20.0, 0.0, 0.0, 0.0, 20.0, 20.0]);
    }

    #[test]
    fn s28_two_of_eight_inside_and_five_within_one_are_a_quarter_and_five_eighths() {
        let distances = [-0.3, 0.0, 0.2, 1.0, 0.7, 1.1, 4.0, f64::INFINITY].map(Some);
        let frames: Vec<Option<f64>> = distances.into_iter().chain([None, None]).collect();
        assert_eq!(in_balance(&frames), Some(InBalance { inside: 0.25, within_one: 0.625 }));
    }

    #[test]
    fn x14_no_values_fill_no_bin_and_have_no_balance() {
        assert!(percentages(&[], Bins::PathError).iter().all(|p| *p == 0.0));
        assert_eq!(percentages(&[f64::NAN], Bins::PathError).last(), Some(&100.0));
        assert_eq!(in_balance(&[None]), None);
    }
}
