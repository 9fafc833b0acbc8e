//! The step along a gradient that every angular constraint takes: a range with compliance and a multiplier.
//!
//! ```text
//! least ≤ C ≤ most,   α̃ = α/h²,   K = Σ w_i ‖∇_i C‖²
//! low  = λ + (least − C − α̃ λ)/(K + α̃),    high = λ + (most − C − α̃ λ)/(K + α̃)
//! λ'   = max(low, 0) + min(high, 0),    x_i += w_i ∇_i C (λ' − λ)
//! ```
//! Inside the range with λ = 0 nothing moves; `least = most` is an equality. λ/h² is the force (or torque) along ∇C: above 0 it
//! opens, below 0 it closes. `C` that is the same for moved and turned particles conserves linear and angular momentum,
//! because then Σ ∇_i C = 0 and Σ x_i × ∇_i C = 0. Without multipliers (modes `jakobsen` and `rosen`) give λ = 0.
//! Specification: mathematics 3.9.1 (Macklin, Müller, Chentanez 2016).

use crate::math::arithmetic::Arithmetic;
use crate::math::lane_rotation::LaneVector;

/// A quantity of `N` particles and how it grows when each is moved.
#[derive(Clone, Copy, Debug)]
pub struct Measured<V, const N: usize> {
    /// The quantity.
    pub value: V,
    /// Its gradient with respect to each particle; all zero where it has none.
    pub gradient: [LaneVector<V>; N],
}

/// What a constraint does to its `N` particles.
#[derive(Clone, Copy, Debug)]
pub struct Correction<V, const N: usize> {
    /// To be added to each position, metres (times `1/max n_i` in mode `rosen`, times the over-relaxation elsewhere).
    pub moves: [LaneVector<V>; N],
    /// The multiplier from here on.
    pub multiplier: V,
}

impl<V: Arithmetic, const N: usize> Measured<V, N> {
    /// Keeps the quantity in `range` (least, most; either may be infinite). `softness` is the compliance over the square of the
    /// substep, `multiplier` 0 in the first pass of a substep.
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

    /// `K`: how much the quantity changes per unit of the multiplier.
    #[inline(always)]
    pub fn weight(&self, inverse_masses: &[V; N]) -> V {
        let mut sum = self.value.like(0.0);
        for (gradient, inverse_mass) in self.gradient.iter().zip(inverse_masses) {
            sum = sum + *inverse_mass * gradient.dot(*gradient);
        }
        sum
    }

    /// The moves of a multiplier.
    #[inline(always)]
    pub fn moves(&self, multiplier: V, inverse_masses: &[V; N]) -> [LaneVector<V>; N] {
        let mut moves = self.gradient;
        for (particle, inverse_mass) in moves.iter_mut().zip(inverse_masses) {
            *particle = particle.scaled(*inverse_mass * multiplier);
        }
        moves
    }
}
