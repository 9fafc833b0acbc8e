//! SIMD vectors of f64 for several frames at once, as wide as the processor allows.
//!
//! A computation is a [`Kernel`], written once over [`Lanes`]; [`Width::run`] compiles it for single numbers, SSE2,
//! AVX2, AVX-512 and NEON and picks one at run time. (Processors between SSE2 and AVX2 run SSE2: SSE4.2 only adds a
//! faster `floor`, and every instruction set costs half a minute of compilation.) Every operation is rounded once as in
//! IEEE 754: there is no fused multiply-add, no estimate of a reciprocal or a square root and no sum across lanes, so a
//! lane has the same bits at every width, width 1 included. (Rust never contracts `a * b + c` by itself.)
//!
//! Functions that a kernel calls must be `#[inline(always)]`: a function that is not inlined into the kernel is
//! compiled for the oldest processor of the platform and is ten times slower. A large function with several callers
//! works in [`Lanes::within`] and is then compiled once for each width.

use fearless_simd::{ExtractToken, Level, Simd, SimdBase, SimdFrom};

use super::arithmetic::Arithmetic;
pub(crate) use super::arithmetic::Wide;
use super::arithmetic::{Narrow, Single};
use super::large_stack::on_large_stack;
use super::single_lanes::MOST_SINGLE_LANES;

/// A vector of numbers: f64 (at most 8 lanes), or f32 (at most 16 lanes) that is loaded and stored as f64.
pub trait Lanes: Arithmetic + Send + Sync + 'static {
    /// Number of lanes.
    const WIDTH: usize;
    /// Proof that the processor has the instruction set.
    type Token: Copy;

    /// `value` in every lane.
    fn splat(token: Self::Token, value: f64) -> Self;
    /// Loads the first `WIDTH` of `values`. Panics if there are fewer.
    fn load(token: Self::Token, values: &[f64]) -> Self;
    /// Stores into the first `WIDTH` of `values`. Panics if there are fewer.
    fn store(self, values: &mut [f64]);
    /// Runs `work`, an `#[inline(always)]` closure, with the instructions of these lanes.
    fn within<R>(self, work: impl FnOnce() -> R) -> R;
}

/// A computation over [`Lanes`]. `run` and all functions it calls must be `#[inline(always)]`.
pub trait Kernel {
    /// Result of the computation.
    type Output;
    /// Runs the computation.
    fn run<V: Lanes>(self, token: V::Token) -> Self::Output;
}

/// Runs `$call`, compiled for the best instruction set of `$level` with its token `$simd`; `$single` without SIMD.
macro_rules! on_level {
    ($level:expr, $simd:ident => $call:expr, else $single:expr) => {{
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            use fearless_simd::Simd as _;
            // The condition is a constant, so other branches are not compiled.
            if cfg!(feature = "single_lane") {
                $single
            } else if let Some($simd) = $level.as_avx512() {
                $simd.vectorize(
                    #[inline(always)]
                    || $call,
                )
            } else if let Some($simd) = $level.as_avx2() {
                $simd.vectorize(
                    #[inline(always)]
                    || $call,
                )
            } else if let Some($simd) = $level.as_sse2() {
                $simd.vectorize(
                    #[inline(always)]
                    || $call,
                )
            } else {
                $single
            }
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        {
            fearless_simd::dispatch!($level, $simd => $call)
        }
    }};
}
pub(super) use on_level;

/// Number of frames computed at once. The width changes the time of a result, never its bits.
#[derive(Clone, Copy, Debug)]
pub struct Width(pub(super) Instructions);

#[derive(Clone, Copy, Debug)]
pub(super) enum Instructions {
    Single,
    Vector(Level),
}

impl Width {
    /// The widest vectors of this processor.
    pub fn widest() -> Self {
        Self(Instructions::Vector(Level::new()))
    }

    /// Single numbers.
    pub fn single() -> Self {
        Self(Instructions::Single)
    }

    /// The narrowest instruction set with at least `count` f32 lanes: wide vectors divide no faster when partly empty.
    /// The bits are the same.
    pub(crate) fn for_singles(self, count: usize) -> Self {
        if count <= 1 {
            return Self::single();
        }
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        if let Instructions::Vector(level) = self.0 {
            let narrower = match count {
                2..=4 => level.as_sse2().map(Level::Sse2),
                5..=8 => level.as_avx2().map(Level::Avx2),
                _ => None,
            };
            return narrower.map_or(self, |level| Self(Instructions::Vector(level)));
        }
        self
    }

    /// All widths of this processor, narrowest first.
    pub fn all() -> Vec<Self> {
        let mut widths = vec![Self::single()];
        let level = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            let levels = [
                level.as_sse2().map(Level::Sse2),
                level.as_avx2().map(Level::Avx2),
                level.as_avx512().map(Level::Avx512),
            ];
            widths.extend(levels.into_iter().flatten().map(|level| Self(Instructions::Vector(level))));
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        widths.push(Self(Instructions::Vector(level)));
        widths
    }

    /// Number of f64 lanes.
    pub(crate) fn lanes(self) -> usize {
        struct Count;
        impl Kernel for Count {
            type Output = usize;
            #[inline(always)]
            fn run<V: Lanes>(self, _: V::Token) -> usize {
                V::WIDTH
            }
        }
        self.run_here(Count)
    }

    /// This width, or single numbers for fewer `frames` than lanes.
    pub(crate) fn at_most(self, frames: usize) -> Self {
        if self.lanes() <= frames { self } else { Self::single() }
    }

    /// Runs `kernel` in f32 lanes, twice as many as f64 lanes.
    pub(crate) fn run_narrow<K: Kernel + Send>(self, kernel: K) -> K::Output
    where
        K::Output: Send,
    {
        on_large_stack(|| match self.0 {
            Instructions::Single => run_f32(kernel),
            Instructions::Vector(level) => {
                on_level!(level, simd => run_narrow(simd, kernel), else run_f32(kernel))
            }
        })
    }

    /// Runs `kernel` with this instruction set.
    pub fn run<K: Kernel + Send>(self, kernel: K) -> K::Output
    where
        K::Output: Send,
    {
        on_large_stack(|| self.run_here(kernel))
    }

    /// [`Self::run`] on the current stack, for a kernel of a few numbers.
    fn run_here<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Instructions::Single => run_f64(kernel),
            Instructions::Vector(level) => {
                on_level!(level, simd => run_wide(simd, kernel), else run_f64(kernel))
            }
        }
    }
}

impl core::fmt::Display for Width {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let name = match self.0 {
            Instructions::Single => "single".to_owned(),
            Instructions::Vector(level) => format!("{level:?}").split('(').next().unwrap_or("vector").to_owned(),
        };
        formatter.pad(&format!("{name} × {}", self.lanes()))
    }
}

#[inline(always)]
fn run_wide<S: Simd, K: Kernel>(simd: S, kernel: K) -> K::Output {
    kernel.run::<Wide<S>>(simd)
}

#[inline(always)]
fn run_narrow<S: Simd, K: Kernel>(simd: S, kernel: K) -> K::Output {
    kernel.run::<Narrow<S>>(simd)
}

/// Runs a kernel on single f64 numbers: compiled once, not in each place that may choose them.
#[inline(never)]
fn run_f64<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<f64>(())
}

/// Runs a kernel on single f32 numbers: compiled once, not in each place that may choose them.
#[inline(never)]
fn run_f32<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Single>(())
}

/// Calls `work` as a function of its own, as [`Simd::vectorize`] does: inlined, the scalar kernels would grow into every
/// caller, which doubles the time of building the library.
#[inline(never)]
fn call<R>(work: impl FnOnce() -> R) -> R {
    work()
}

impl Lanes for f64 {
    const WIDTH: usize = 1;
    type Token = ();

    #[inline(always)]
    fn splat((): (), value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn load((): (), values: &[f64]) -> Self {
        values[0]
    }
    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        values[0] = self;
    }
    #[inline(always)]
    fn within<R>(self, work: impl FnOnce() -> R) -> R {
        call(work)
    }
}

impl<S: Simd> Lanes for Wide<S> {
    const WIDTH: usize = <S::f64s as SimdBase<S>>::LEN;
    type Token = S;

    #[inline(always)]
    fn splat(token: S, value: f64) -> Self {
        Self(S::f64s::simd_from(token, value))
    }
    #[inline(always)]
    fn load(token: S, values: &[f64]) -> Self {
        Self(S::f64s::from_slice(token, &values[..Self::WIDTH]))
    }
    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        self.0.store_slice(&mut values[..Self::WIDTH]);
    }
    #[inline(always)]
    fn within<R>(self, work: impl FnOnce() -> R) -> R {
        self.0.token().vectorize(work)
    }
}

impl Lanes for Single {
    const WIDTH: usize = 1;
    type Token = ();

    #[inline(always)]
    fn splat((): (), value: f64) -> Self {
        Self(value as f32)
    }
    #[inline(always)]
    fn load((): (), values: &[f64]) -> Self {
        Self(values[0] as f32)
    }
    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        values[0] = f64::from(self.0);
    }
    #[inline(always)]
    fn within<R>(self, work: impl FnOnce() -> R) -> R {
        call(work)
    }
}

impl<S: Simd> Lanes for Narrow<S> {
    const WIDTH: usize = <S::f32s as SimdBase<S>>::LEN;
    type Token = S;

    #[inline(always)]
    fn splat(token: S, value: f64) -> Self {
        Self(S::f32s::simd_from(token, value as f32))
    }
    #[inline(always)]
    fn load(token: S, values: &[f64]) -> Self {
        let mut rounded = [0.0; MOST_SINGLE_LANES];
        for (rounded, &value) in rounded[..Self::WIDTH].iter_mut().zip(&values[..Self::WIDTH]) {
            *rounded = value as f32;
        }
        Self(S::f32s::from_slice(token, &rounded[..Self::WIDTH]))
    }
    #[inline(always)]
    fn store(self, values: &mut [f64]) {
        let mut rounded = [0.0; MOST_SINGLE_LANES];
        self.0.store_slice(&mut rounded[..Self::WIDTH]);
        for (value, &rounded) in values[..Self::WIDTH].iter_mut().zip(&rounded) {
            *value = f64::from(rounded);
        }
    }
    #[inline(always)]
    fn within<R>(self, work: impl FnOnce() -> R) -> R {
        self.0.token().vectorize(work)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel that applies every operation once, to `WIDTH` numbers at a time.
    struct Everything<'a> {
        values: &'a [f64],
        out: &'a mut [f64],
    }

    impl Kernel for Everything<'_> {
        type Output = ();
        #[inline(always)]
        fn run<V: Lanes>(self, token: V::Token) {
            for (values, out) in self.values.chunks_exact(V::WIDTH).zip(self.out.chunks_exact_mut(V::WIDTH)) {
                let x = V::load(token, values);
                let y = (x * x + 1.25).sqrt() / (x - 3.0).abs() - (x * 7.0).floor() + V::splat(token, 0.1);
                let y = y.with_sign_of(-x);
                V::select(x.is_below(x.like(0.5)), y, y * y * 0.3 - x).store(out);
            }
        }
    }

    #[test]
    fn a_lane_has_the_same_bits_at_every_width() {
        let values: Vec<f64> = (0..64).map(|i| f64::from(i) * 0.37 - 9.1).collect();
        let run = |width: Width| {
            let mut out = vec![0.0; values.len()];
            width.run(Everything { values: &values, out: &mut out });
            out.into_iter().map(f64::to_bits).collect::<Vec<_>>()
        };
        let single = run(Width::single());
        for width in Width::all() {
            assert_eq!(run(width), single, "{width}");
        }
    }

    #[test]
    fn a_vector_is_never_wider_than_the_frames_there_are() {
        for width in Width::all() {
            for frames in 1..20 {
                assert!(width.at_most(frames).lanes() <= frames);
            }
            assert_eq!(width.at_most(8).lanes(), width.lanes());
        }
    }
}
