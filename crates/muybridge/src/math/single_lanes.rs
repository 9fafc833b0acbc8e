//! SIMD vectors of f32, twice as wide as those of [`super::lanes`]. For herds and large cloth.
//!
//! A computation is a [`SingleKernel`], written once over [`SingleLanes`]; [`Width::run_single`] compiles it for one number,
//! SSE2, AVX2, AVX-512 and NEON and picks one at run time. A lane has the same bits at every width.

use fearless_simd::{Simd, SimdBase, SimdFrom};

use super::arithmetic::{Arithmetic, Narrow, Single};
use super::lanes::{Instructions, Width, on_level};
use super::large_stack::on_large_stack;

/// Largest number of f32 lanes of any instruction set.
pub(crate) const MOST_SINGLE_LANES: usize = 16;

/// A vector of f32 numbers.
pub(crate) trait SingleLanes: Arithmetic {
    /// Number of lanes: 1, 4, 8 or 16.
    const WIDTH: usize;
    /// Proof that the processor has the instruction set.
    type Token: Copy;

    /// `value` in every lane.
    fn splat(token: Self::Token, value: f32) -> Self;
    /// Loads the first `WIDTH` of `values`. Panics if there are fewer.
    fn load(token: Self::Token, values: &[f32]) -> Self;
    /// Stores into the first `WIDTH` of `values`. Panics if there are fewer.
    fn store(self, values: &mut [f32]);
}

/// A computation over [`SingleLanes`]. `run` and all functions it calls must be `#[inline(always)]`.
pub(crate) trait SingleKernel {
    /// Result of the computation.
    type Output;
    /// Runs the computation.
    fn run<V: SingleLanes>(self, token: V::Token) -> Self::Output;
}

impl Width {
    /// Runs `kernel` with this instruction set.
    pub(crate) fn run_single<K: SingleKernel + Send>(self, kernel: K) -> K::Output
    where
        K::Output: Send,
    {
        on_large_stack(|| self.run_single_here(kernel))
    }

    /// [`Self::run_single`] on the current stack, for a kernel of a few numbers.
    fn run_single_here<K: SingleKernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Instructions::Single => run_f32(kernel),
            Instructions::Vector(level) => {
                on_level!(level, simd => run_narrow(simd, kernel), else run_f32(kernel))
            }
        }
    }

    /// Runs a kernel on single numbers only: it is not compiled for vectors. AVX2 spares it most copies of registers.
    pub(crate) fn run_alone<K: SingleKernel + Send>(self, kernel: K) -> K::Output
    where
        K::Output: Send,
    {
        on_large_stack(|| {
            #[cfg(all(any(target_arch = "x86", target_arch = "x86_64"), not(feature = "single_lane")))]
            if let Instructions::Vector(level) = self.0
                && let Some(simd) = level.as_avx2()
            {
                return simd.vectorize(
                    #[inline(always)]
                    || kernel.run::<Single>(()),
                );
            }
            run_f32(kernel)
        })
    }

    /// Number of f32 lanes.
    pub fn single_lanes(self) -> usize {
        struct Count;
        impl SingleKernel for Count {
            type Output = usize;
            #[inline(always)]
            fn run<V: SingleLanes>(self, _: V::Token) -> usize {
                V::WIDTH
            }
        }
        self.run_single_here(Count)
    }
}

#[inline(always)]
fn run_narrow<S: Simd, K: SingleKernel>(simd: S, kernel: K) -> K::Output {
    kernel.run::<Narrow<S>>(simd)
}

/// Runs a kernel on single f32 numbers: compiled once, not in each place that may choose them.
#[inline(never)]
fn run_f32<K: SingleKernel>(kernel: K) -> K::Output {
    kernel.run::<Single>(())
}

impl SingleLanes for Single {
    const WIDTH: usize = 1;
    type Token = ();

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        Self(value)
    }
    #[inline(always)]
    fn load((): (), values: &[f32]) -> Self {
        Self(values[0])
    }
    #[inline(always)]
    fn store(self, values: &mut [f32]) {
        values[0] = self.0;
    }
}

impl<S: Simd> SingleLanes for Narrow<S> {
    const WIDTH: usize = <S::f32s as SimdBase<S>>::LEN;
    type Token = S;

    #[inline(always)]
    fn splat(token: S, value: f32) -> Self {
        Self(S::f32s::simd_from(token, value))
    }
    #[inline(always)]
    fn load(token: S, values: &[f32]) -> Self {
        Self(S::f32s::from_slice(token, &values[..Self::WIDTH]))
    }
    #[inline(always)]
    fn store(self, values: &mut [f32]) {
        self.0.store_slice(&mut values[..Self::WIDTH]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Everything<'a> {
        values: &'a [f32],
        out: &'a mut [f32],
    }

    impl SingleKernel for Everything<'_> {
        type Output = ();
        #[inline(always)]
        fn run<V: SingleLanes>(self, token: V::Token) {
            for (values, out) in self.values.chunks_exact(V::WIDTH).zip(self.out.chunks_exact_mut(V::WIDTH)) {
                let x = V::load(token, values);
                let y = (x * x + 1.25).sqrt() / (x - 3.0).abs() - (x * 7.0).floor() + V::splat(token, 0.1);
                let y = y.with_sign_of(-x).greatest(x * 0.25).least(x.like(40.0));
                let mask = V::either(x.is_below(x.like(0.5)), V::both(y.is_below(x), x.is_below(y)));
                V::select(mask, y, y * y * 0.3 - x).store(out);
            }
        }
    }

    #[test]
    fn a_lane_has_the_same_bits_at_every_width() {
        let values: Vec<f32> = (0..64_u8).map(|i| f32::from(i) * 0.37 - 9.1).collect();
        let run = |width: Width| {
            let mut out = vec![0.0; values.len()];
            width.run_single(Everything { values: &values, out: &mut out });
            out.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        };
        let one = run(Width::single());
        for width in Width::all() {
            assert_eq!(run(width), one, "{width}");
            assert!(width.single_lanes() <= MOST_SINGLE_LANES);
        }
    }
}
