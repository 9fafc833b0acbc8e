//! Projection of a constraint with a range, compliance and a multiplier, used by all angular constraints.
//!
//! ```text
//! least ≤ C ≤ most,   α̃ = α/h²,   K = Σ w_i ‖∇_i C‖²
//! low  = λ + (least − C − α̃ λ)/(K + α̃),    high = λ + (most − C − α̃ λ)/(K + α̃)
//! λ'   = max(low, 0) + min(high, 0),    x_i += w_i ∇_i C (λ' − λ)
//! ```
//! Inside the range with λ = 0 nothing moves; `least = most` is an equality. λ/h² is the force (or torque) along ∇C:
//! positive increases C, negative decreases it. A `C` that is invariant under translation and rotation conserves linear
//! and angular momentum, because then Σ ∇_i C = 0 and Σ x_i × ∇_i C = 0. Modes without multipliers (`jakobsen` and
//! `rosen`) pass λ = 0.
//! Specification: mathematics 3.9.1 (Macklin, Müller, Chentanez 2016).

use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// A constraint function of `N` particles with its gradient.
#[derive(Clone, Copy, Debug)]
pub struct Measured<V, const N: usize> {
    /// Value of the constraint function.
    pub value: V,
    /// Gradient with respect to each particle; all zero if it is undefined.
    pub gradient: [LaneVector<V>; N],
}

/// Correction of a constraint's `N` particles.
#[derive(Clone, Copy, Debug)]
pub struct Correction<V, const N: usize> {
    /// Displacement of each particle, meters (times `1/max n_i` in mode `rosen`, times the over-relaxation elsewhere).
    pub moves: [LaneVector<V>; N],
    /// The new multiplier.
    pub multiplier: V,
}

impl<V: Arithmetic, const N: usize> Measured<V, N> {
    /// Correction that keeps the value in `range` (least, most; either may be infinite). `softness` is the compliance
    /// over the square of the substep, `multiplier` is 0 in the first pass of a substep.
    #[inline(always)]
    pub fn kept_in(&self, range: [V; 2], inverse_masses: [V; N], softness: V, multiplier: V) -> Correction<V, N> {
        let zero = self.value.like(0.0);
        let stiffness = self.weight(&inverse_masses) + softness;
        let can_move = zero.is_below(stiffness);
        let safe = V::select(can_move, stiffness, zero.like(1.0));
        let now = self.value + softness * multiplier;
        let low = multiplier + (range[0] - now) / safe;
        let high = multiplier + (range[1] - now) / safe;
        let wanted = low.greatest(zero) + high.least(zero);
        let kept = V::select(can_move, wanted, multiplier);
        Correction { moves: self.moves(kept - multiplier, &inverse_masses), multiplier: kept }
    }

    /// `K`: change of the value per unit of the multiplier.
    #[inline(always)]
    pub fn weight(&self, inverse_masses: &[V; N]) -> V {
        let mut sum = self.value.like(0.0);
        for (gradient, inverse_mass) in self.gradient.iter().zip(inverse_masses) {
            sum = sum + *inverse_mass * gradient.dot(*gradient);
        }
        sum
    }

    /// Displacements of the particles by a multiplier.
    #[inline(always)]
    pub fn moves(&self, multiplier: V, inverse_masses: &[V; N]) -> [LaneVector<V>; N] {
        let mut moves = self.gradient;
        for (particle, inverse_mass) in moves.iter_mut().zip(inverse_masses) {
            *particle = particle.scaled(*inverse_mass * multiplier);
        }
        moves
    }
}
