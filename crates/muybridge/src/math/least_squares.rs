//! Non-negative least squares.
//!
//! ```text
//! minimize ‖A x − b‖  with  x ≥ 0
//! ```
//! Lawson, Hanson 1974, *Solving Least Squares Problems*, chapter 23: columns enter one by one, the column of steepest
//! descent first, and leave when their coefficient would become negative. The residual decreases with each change of
//! the active set, so no set repeats. Against rounding errors the number of changes is bounded too, and the last result
//! is kept. Each set is solved by orthogonalization (Gram–Schmidt, twice), not by normal equations.

/// Coefficients and residual of a non-negative least-squares problem.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NonNegative<const ROWS: usize> {
    /// Coefficients, one per column, none negative.
    pub coefficients: Vec<f64>,
    /// Residual `b − A x`.
    pub residual: [f64; ROWS],
}

/// Relative size below which a gain is a rounding error, and a column counts as dependent on the columns before it.
const ROUNDING: f64 = 1e-12;

/// Finds the non-negative combination of `columns` nearest to `target`. At most `ROWS` coefficients differ from zero.
///
/// Columns or targets that are not finite give the zero combination.
pub(crate) fn non_negative<const ROWS: usize>(columns: &[[f64; ROWS]], target: [f64; ROWS]) -> NonNegative<ROWS> {
    let mut coefficients = vec![0.0; columns.len()];
    let mut residual = target;
    let mut active: Vec<usize> = Vec::with_capacity(ROWS);
    let mut refused = vec![false; columns.len()];
    for _ in 0..4 * (columns.len() + ROWS) {
        let entering = steepest(columns, &residual, target, |j| refused[j] || active.contains(&j));
        let Some(entering) = entering else { break };
        active.push(entering);
        if !solve_active_set(columns, target, &mut active, &mut coefficients) {
            refused[entering] = true;
            continue;
        }
        refused.fill(false);
        residual = left_over(columns, target, &active, &coefficients);
    }
    NonNegative { coefficients, residual }
}

/// Column outside the active set along which the residual decreases fastest; `None` if none decreases it.
fn steepest<const ROWS: usize>(
    columns: &[[f64; ROWS]],
    residual: &[f64; ROWS],
    target: [f64; ROWS],
    excluded: impl Fn(usize) -> bool,
) -> Option<usize> {
    let size = length(&target);
    let mut best = (ROUNDING * size, None);
    for (index, column) in columns.iter().enumerate() {
        let gain = dot(column, residual) / length(column);
        if gain > best.0 && gain.is_finite() && !excluded(index) {
            best = (gain, Some(index));
        }
    }
    best.1
}

/// Solves for the active set, whose last column is new, and removes columns that would become negative. Returns false
/// and restores the set if the new column depends on the others or gets no positive coefficient.
fn solve_active_set<const ROWS: usize>(
    columns: &[[f64; ROWS]],
    target: [f64; ROWS],
    active: &mut Vec<usize>,
    coefficients: &mut [f64],
) -> bool {
    let mut entered = true;
    while let Some(solution) = solve(columns, target, active) {
        if entered && solution.last().is_some_and(|z| *z <= 0.0) {
            break;
        }
        entered = false;
        let limit = |(&j, &z): (&usize, &f64)| (z <= 0.0).then(|| coefficients[j] / (coefficients[j] - z));
        let Some(fraction) = active.iter().zip(&solution).filter_map(limit).reduce(f64::min) else {
            active.iter().zip(&solution).for_each(|(&j, &z)| coefficients[j] = z);
            return true;
        };
        let mut leaving = Vec::new();
        for (&j, &z) in active.iter().zip(&solution) {
            let at_limit = z <= 0.0 && coefficients[j] / (coefficients[j] - z) <= fraction;
            coefficients[j] = if at_limit { 0.0 } else { coefficients[j] + fraction * (z - coefficients[j]) };
            if at_limit {
                leaving.push(j);
            }
        }
        if leaving.is_empty() {
            return true;
        }
        active.retain(|j| !leaving.contains(j));
    }
    if entered {
        active.pop();
    }
    !entered
}

/// Least-squares coefficients of the columns in the active set; `None` if the columns are dependent.
fn solve<const ROWS: usize>(columns: &[[f64; ROWS]], target: [f64; ROWS], active: &[usize]) -> Option<Vec<f64>> {
    let mut basis: Vec<[f64; ROWS]> = Vec::with_capacity(active.len());
    let mut triangle: Vec<Vec<f64>> = Vec::with_capacity(active.len());
    for &j in active {
        let (mut column, mut above) = (columns[j], vec![0.0; basis.len()]);
        for _ in 0..2 {
            for (q, entry) in basis.iter().zip(above.iter_mut()) {
                let part = dot(q, &column);
                *entry += part;
                column = core::array::from_fn(|row| column[row] - part * q[row]);
            }
        }
        let rest = length(&column);
        if basis.len() == ROWS || rest.is_nan() || rest <= ROUNDING * length(&columns[j]) {
            return None;
        }
        above.push(rest);
        basis.push(column.map(|value| value / rest));
        triangle.push(above);
    }
    let mut solution: Vec<f64> = basis.iter().map(|q| dot(q, &target)).collect();
    for k in (0..solution.len()).rev() {
        solution[k] /= triangle[k][k];
        for row in 0..k {
            solution[row] -= triangle[k][row] * solution[k];
        }
    }
    solution.iter().all(|z| z.is_finite()).then_some(solution)
}

fn left_over<const ROWS: usize>(
    columns: &[[f64; ROWS]],
    target: [f64; ROWS],
    active: &[usize],
    coefficients: &[f64],
) -> [f64; ROWS] {
    active.iter().fold(target, |rest, &j| core::array::from_fn(|row| rest[row] - coefficients[j] * columns[j][row]))
}

fn dot<const ROWS: usize>(a: &[f64; ROWS], b: &[f64; ROWS]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length<const ROWS: usize>(a: &[f64; ROWS]) -> f64 {
    libm::sqrt(dot(a, a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    fn problem(random: &mut Random, columns: usize) -> (Vec<[f64; 6]>, [f64; 6]) {
        let six = |random: &mut Random| core::array::from_fn(|_| random.signed());
        ((0..columns).map(|_| six(random)).collect(), six(random))
    }

    #[test]
    fn the_conditions_of_karush_kuhn_and_tucker_hold_for_random_problems() {
        let mut random = Random::new(61);
        for round in 0..2000 {
            let (columns, target) = problem(&mut random, 1 + round % 20);
            let answer = non_negative(&columns, target);
            for (column, x) in columns.iter().zip(&answer.coefficients) {
                let slope = dot(column, &answer.residual);
                assert!(*x >= 0.0 && slope < 1e-11, "no column would lower the residual: {slope}");
                assert!(*x == 0.0 || slope.abs() < 1e-11, "columns in use are at their best: {slope}");
            }
        }
    }

    #[test]
    fn a_target_inside_the_cone_is_met_exactly_even_if_columns_repeat() {
        let mut random = Random::new(62);
        for _ in 0..500 {
            let (mut columns, _) = problem(&mut random, 24);
            columns.extend_from_within(..8);
            let weights: Vec<f64> = columns.iter().map(|_| random.unit()).collect();
            let target =
                core::array::from_fn(|row| columns.iter().zip(&weights).map(|(column, w)| column[row] * w).sum());
            assert!(length(&non_negative(&columns, target).residual) < 1e-11);
        }
    }

    #[test]
    fn a_target_behind_all_columns_is_met_by_none() {
        let answer = non_negative(&[[1.0, 0.0], [0.0, 1.0]], [-1.0, -2.0]);
        assert_eq!((answer.coefficients, answer.residual), (vec![0.0; 2], [-1.0, -2.0]));
    }

    #[test]
    fn x14_no_columns_zero_columns_and_values_that_are_no_numbers_end() {
        assert_eq!(non_negative(&[], [1.0, 2.0]).residual, [1.0, 2.0]);
        assert_eq!(non_negative(&[[0.0; 2]; 3], [1.0, 2.0]).coefficients, [0.0; 3]);
        assert_eq!(non_negative(&[[f64::NAN; 2], [f64::INFINITY; 2]], [1.0, 2.0]).coefficients, [0.0; 2]);
        assert_eq!(non_negative(&[[1.0; 2]], [f64::NAN; 2]).coefficients, [0.0]);
    }
}
