//! The most probable sequence of contacts: a Viterbi chain over five parts of the body that touch or do not.
//!
//! ```text
//! best_t(s) = evidence_t(s) + max over s' of best_{t−1}(s') − Σ price of each part that switches
//! ```
//! The 32 states are all sets of the parts. Prices are paid part by part, so a step costs 5 · 32 comparisons.

/// Number of parts: heel and toes of two limbs, and any other part of the body.
pub(super) const PARTS: usize = 5;
/// Bit of any part of the body other than feet.
pub(super) const OTHER: u8 = 1 << 4;

const STATES: usize = 1 << PARTS;
/// Price of a switch of each part.
const SWITCH: [f64; PARTS] = [2.0, 2.0, 2.0, 2.0, 3.0];

/// Evidence of one frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// Log odds that each part touches.
    pub parts: [f64; PARTS],
    /// Log odds of the force that the motion asks for if nothing touches.
    pub none: f64,
    /// The same if anything touches.
    pub any: f64,
}

/// The most probable set of touching parts of every frame, one bit per part.
pub(super) fn most_probable(evidence: &[Evidence]) -> Vec<u8> {
    let mut best = [0.0; STATES];
    // For each frame and part, one bit per state: whether the part switched just before the frame.
    let mut switched: Vec<[u32; PARTS]> = Vec::with_capacity(evidence.len());
    for (frame, now) in evidence.iter().enumerate() {
        let mut from = [0u32; PARTS];
        if frame > 0 {
            for (part, price) in SWITCH.into_iter().enumerate() {
                let before = best;
                for (state, best) in best.iter_mut().enumerate() {
                    let other = before[state ^ (1 << part)] - price;
                    if other > *best {
                        *best = other;
                        from[part] |= 1 << state;
                    }
                }
            }
        }
        switched.push(from);
        for (state, best) in best.iter_mut().enumerate() {
            let touching = (0..PARTS).filter(|part| state >> part & 1 == 1);
            let force = if state == 0 { now.none } else { now.any };
            *best += force + touching.map(|part| now.parts[part]).sum::<f64>();
        }
    }
    let mut state = (1..STATES).fold(0, |at, state| if best[state] > best[at] { state } else { at });
    let mut states = vec![0; evidence.len()];
    for frame in (0..evidence.len()).rev() {
        states[frame] = state as u8;
        for part in (0..PARTS).rev() {
            if switched[frame][part] >> state & 1 == 1 {
                state ^= 1 << part;
            }
        }
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// Score of a sequence by its definition.
    fn score(evidence: &[Evidence], states: &[u8]) -> f64 {
        let mut sum = 0.0;
        for (frame, (now, &state)) in evidence.iter().zip(states).enumerate() {
            sum += if state == 0 { now.none } else { now.any };
            for part in 0..PARTS {
                sum += if state >> part & 1 == 1 { now.parts[part] } else { 0.0 };
                let switches = frame > 0 && (states[frame - 1] ^ state) >> part & 1 == 1;
                sum -= if switches { SWITCH[part] } else { 0.0 };
            }
        }
        sum
    }

    #[test]
    fn the_chain_is_the_best_of_all_sequences() {
        let mut random = Random::new(3);
        for _ in 0..20 {
            let evidence: Vec<Evidence> = (0..3)
                .map(|_| Evidence {
                    parts: core::array::from_fn(|_| 3.0 * random.normal()),
                    none: 3.0 * random.normal(),
                    any: random.normal(),
                })
                .collect();
            let every =
                (0..STATES * STATES * STATES).map(|n| [n, n / STATES, n / STATES / STATES].map(|n| (n % STATES) as u8));
            let best = every.map(|states| score(&evidence, &states)).fold(f64::NEG_INFINITY, f64::max);
            assert!((score(&evidence, &most_probable(&evidence)) - best).abs() < 1e-12);
        }
    }

    #[test]
    fn one_frame_of_doubt_does_not_end_a_stance() {
        let at = |heel: f64| Evidence { parts: [heel, -9.0, -9.0, -9.0, -9.0], none: -1.0, any: 0.0 };
        let evidence: Vec<Evidence> = [3.0, 3.0, -1.0, 3.0, 3.0].map(at).to_vec();
        assert_eq!(most_probable(&evidence), [1; 5]);
    }
}
