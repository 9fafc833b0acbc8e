//! Table of the gravities of many flights: median, quartiles, extremes, and the number of values more than 20 % from 1 g.
//!
//! Specification: mathematics 6.7 (S24). The thirteen values of Shapiro, Lee 2011, Table 1 have the median 1.02, not
//! the 0.95 of their text.

/// Statistics of a list of flight gravities, in units of true gravity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GravityTable {
    /// Number of values.
    pub count: usize,
    /// Median; if the number of values is even, the mean of the two middle ones.
    pub median: f64,
    /// Lower and upper quartile, by linear interpolation between ranks.
    pub quartiles: [f64; 2],
    /// Least value.
    pub least: f64,
    /// Greatest value.
    pub greatest: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Number of values further than 20 % from 1.
    pub off: usize,
}

/// Computes the statistics of the finite values; `None` if there are none.
pub fn gravity_table(ratios: &[f64]) -> Option<GravityTable> {
    let mut sorted: Vec<f64> = ratios.iter().copied().filter(|ratio| ratio.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let (&least, &greatest) = (sorted.first()?, sorted.last()?);
    Some(GravityTable {
        count: sorted.len(),
        median: quantile(&sorted, 0.5),
        quartiles: [quantile(&sorted, 0.25), quantile(&sorted, 0.75)],
        least,
        greatest,
        mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
        off: sorted.iter().filter(|ratio| (*ratio - 1.0).abs() > 0.2 + 1e-12).count(),
    })
}

/// Quantile: the value below which `fraction` of the sorted values lie, by linear interpolation between ranks.
///
/// The values must be sorted and not empty; `fraction` lies in 0..=1.
pub(crate) fn quantile(sorted: &[f64], fraction: f64) -> f64 {
    let rank = fraction * (sorted.len() - 1) as f64;
    let below = (rank as usize).min(sorted.len() - 1);
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (rank - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s24_the_thirteen_gravities_of_the_paper_have_the_median_1_02() {
        let paper = [1.02, 0.89, 2.20, 0.47, 0.50, 1.52, 1.41, 0.77, 3.35, 1.81, 0.43, 0.56, 2.51];
        let table = gravity_table(&paper).unwrap();
        assert_eq!((table.count, table.median, table.least, table.greatest), (13, 1.02, 0.43, 3.35));
        assert!((table.mean - 1.34).abs() < 0.005);
        assert_eq!(table.quartiles, [0.56, 1.81]);
        assert_eq!(table.off, 11);
    }

    #[test]
    fn s24_the_median_of_an_even_number_lies_between_the_middle_two() {
        assert_eq!(gravity_table(&[4.0, 1.0, 3.0, 2.0]).unwrap().median, 2.5);
    }

    #[test]
    fn s24_twenty_percent_is_not_off_and_more_is() {
        assert_eq!(gravity_table(&[0.8, 1.2, 0.79, 1.21]).unwrap().off, 2);
    }

    #[test]
    fn x14_no_values_have_no_table_and_values_that_are_no_numbers_do_not_count() {
        assert_eq!(gravity_table(&[]), None);
        assert_eq!(gravity_table(&[f64::NAN, f64::INFINITY]), None);
        assert_eq!(gravity_table(&[f64::NAN, 1.5]).unwrap().median, 1.5);
    }
}
