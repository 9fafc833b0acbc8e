//! Vectors of f64 that do the same thing to several frames at once, in the widest form the processor has.
//!
//! A computation is a [`Kernel`], written once over [`Lanes`]; [`Width::run`] compiles it for single numbers, SSE2,
//! AVX2, AVX-512 and NEON and picks one at run time. Every operation here is rounded once as IEEE 754 says: there is
//! no fused multiply-add, no estimate of a reciprocal or a square root and no sum across lanes, so a lane has the same
//! bits at every width, width 1 included. (Rust never contracts `a * b + c` by itself.)
//!
//! Functions that a kernel calls must be `#[inline(always)]`: what is not inlined into the kernel is compiled for the
//! oldest processor of the platform and loses a factor of ten.

use core::ops::{Add, Div, Mul, Neg, Sub};

use fearless_simd::{ExtractToken, Level, Select, Simd, SimdBase, SimdFloat, SimdFrom, SimdMask, dispatch};

/// One f64 per lane; arithmetic is lane by lane, with one number on the right for constants.
pub trait Lanes:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
{
    /// Number of lanes.
    const WIDTH: usize;
    /// Proof that the processor has the instructions.
    type Token: Copy;
    /// One truth value per lane.
    type Mask: Copy;

    /// `value` in every lane.
    fn splat(token: Self::Token, value: f64) -> Self;
    /// `value` in every lane, as wide as `self`.
    fn like(self, value: f64) -> Self;
    /// The first `WIDTH` of `values`. Panics if there are fewer.
    fn load(token: Self::Token, values: &[f64]) -> Self;
    /// Into the first `WIDTH` of `values`. Panics if there are fewer.
    fn store(self, values: &mut [f64]);
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Largest whole number not above.
    fn floor(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn with_sign_of(self, sign: Self) -> Self;
    /// Where `self < other`.
    fn is_below(self, other: Self) -> Self::Mask;
    /// Whether any lane is true.
    fn any(mask: Self::Mask) -> bool;
    /// `yes` where `mask` is true, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
}

/// A computation over [`Lanes`]. `run` must be `#[inline(always)]`, and so must all it calls.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// The computation.
    fn run<V: Lanes>(self, token: V::Token) -> Self::Output;
}

/// How many frames are computed at once. The choice changes the time a result takes, never its bits.
#[derive(Clone, Copy, Debug)]
pub struct Width(Instructions);

#[derive(Clone, Copy, Debug)]
enum Instructions {
    Single,
    Vector(Level),
}

impl Width {
    /// The widest this processor has.
    pub fn widest() -> Self {
        Self(Instructions::Vector(Level::new()))
    }

    /// One number at a time.
    pub fn single() -> Self {
        Self(Instructions::Single)
    }

    /// Every width this processor has, narrowest first.
    pub fn all() -> Vec<Self> {
        let mut widths = vec![Self::single()];
        let level = Level::new();
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            let levels = [
                level.as_sse2().map(Level::Sse2),
                level.as_sse4_2().map(Level::Sse4_2),
                level.as_avx2().map(Level::Avx2),
                level.as_avx512().map(Level::Avx512),
            ];
            widths.extend(levels.into_iter().flatten().map(|level| Self(Instructions::Vector(level))));
        }
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        widths.push(Self(Instructions::Vector(level)));
        widths
    }

    /// Number of lanes.
    pub fn lanes(self) -> usize {
        struct Count;
        impl Kernel for Count {
            type Output = usize;
            #[inline(always)]
            fn run<V: Lanes>(self, _: V::Token) -> usize {
                V::WIDTH
            }
        }
        self.run(Count)
    }

    /// This width, or single numbers where there are fewer than `frames` lanes' worth of frames.
    pub fn at_most(self, frames: usize) -> Self {
        if self.lanes() <= frames { self } else { Self::single() }
    }

    /// Runs `kernel` with these instructions.
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Instructions::Single => kernel.run::<f64>(()),
            Instructions::Vector(level) => dispatch!(level, simd => run_wide(simd, kernel)),
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

impl Lanes for f64 {
    const WIDTH: usize = 1;
    type Token = ();
    type Mask = bool;

    #[inline(always)]
    fn splat((): (), value: f64) -> Self {
        value
    }
    #[inline(always)]
    fn like(self, value: f64) -> Self {
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
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        libm::floor(self)
    }
    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        f64::copysign(self, sign)
    }
    #[inline(always)]
    fn is_below(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
}

/// The native vector of an instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Wide<S: Simd>(S::f64s);

impl<S: Simd> Lanes for Wide<S> {
    const WIDTH: usize = <S::f64s as SimdBase<S>>::LEN;
    type Token = S;
    type Mask = <S::f64s as SimdBase<S>>::Mask;

    #[inline(always)]
    fn splat(token: S, value: f64) -> Self {
        Self(S::f64s::simd_from(token, value))
    }
    #[inline(always)]
    fn like(self, value: f64) -> Self {
        Self::splat(self.0.token(), value)
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
    fn sqrt(self) -> Self {
        Self(self.0.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0.abs())
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Self(self.0.floor())
    }
    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        Self(self.0.copysign(sign.0))
    }
    #[inline(always)]
    fn is_below(self, other: Self) -> Self::Mask {
        self.0.simd_lt(other.0)
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask.any_true()
    }
    #[inline(always)]
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
        Self(mask.select(yes.0, no.0))
    }
}

macro_rules! lane_by_lane {
    ($($operation:ident::$method:ident),*) => {$(
        impl<S: Simd> $operation for Wide<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        }
    )*};
}
lane_by_lane!(Add::add, Sub::sub, Mul::mul, Div::div);

macro_rules! with_one_number {
    ($($operation:ident::$method:ident),*) => {$(
        impl<S: Simd> $operation<f64> for Wide<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, number: f64) -> Self {
                Self(self.0.$method(number))
            }
        }
    )*};
}
with_one_number!(Add::add, Sub::sub, Mul::mul);

impl<S: Simd> Neg for Wide<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every operation once, on `WIDTH` numbers at a time.
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
