//! Dense Cholesky factorization and solution of symmetric positive definite systems of any size.

/// Factors a matrix of `count` rows into its lower half. Squares on the diagonal are at least `least`, so that every
/// matrix has a factor.
pub(crate) fn factor(matrix: &mut [f64], count: usize, least: f64) {
    for i in 0..count {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| matrix[i * count + k] * matrix[j * count + k]).sum();
            let value = matrix[i * count + j] - known;
            matrix[i * count + j] = if i == j { libm::sqrt(value.max(least)) } else { value / matrix[j * count + j] };
        }
    }
}

/// Solves with a factor. `right` is the right-hand side and receives the solution.
pub(crate) fn solve(factor: &[f64], right: &mut [f64]) {
    let count = right.len();
    for i in 0..count {
        let known: f64 = (0..i).map(|k| factor[i * count + k] * right[k]).sum();
        right[i] = (right[i] - known) / factor[i * count + i];
    }
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count).map(|k| factor[k * count + i] * right[k]).sum();
        right[i] = (right[i] - known) / factor[i * count + i];
    }
}
