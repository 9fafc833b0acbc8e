//! Arithmetic on single numbers or SIMD vectors: one trait for the constraints and the kinematics.
//!
//! Four number types are [`Arithmetic`]: `f64` and `f32`, and the native vectors of both ([`Wide`], [`Narrow`]). Every
//! operation is rounded once as in IEEE 754, so that a lane has the same bits as a single number. Constants are written
//! as `f64` and rounded to the type in use.

use core::ops::{Add, Div, Mul, Neg, Sub};

use fearless_simd::{ExtractToken, Select, Simd, SimdBase, SimdFloat, SimdFrom, SimdMask};

/// A number or SIMD vector of numbers. Operators act per lane; the right operand may be an `f64` constant for all
/// lanes.
pub trait Arithmetic:
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
    /// One truth value per lane.
    type Mask: Copy;

    /// `value` in every lane, as wide as `self`.
    fn like(self, value: f64) -> Self;
    /// Square root, correctly rounded.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Rounds down to a whole number.
    fn floor(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn with_sign_of(self, sign: Self) -> Self;
    /// Mask of the lanes in which `self < other`.
    fn is_below(self, other: Self) -> Self::Mask;
    /// Whether any lane is true.
    fn any(mask: Self::Mask) -> bool;
    /// The mask as bits: bit 0 is the first lane.
    fn bits(mask: Self::Mask) -> u64;
    /// Mask of the lanes in which both masks are true.
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Mask of the lanes in which at least one mask is true.
    fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    /// Per lane `yes` if `mask` is true, else `no`.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// Minimum per lane; `other` if `self` is NaN.
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        Self::select(self.is_below(other), self, other)
    }
    /// Maximum per lane; `other` if `self` is NaN.
    #[inline(always)]
    fn greatest(self, other: Self) -> Self {
        Self::select(other.is_below(self), self, other)
    }
}

/// Mask operations of a single number.
macro_rules! plain_masks {
    () => {
        #[inline(always)]
        fn any(mask: bool) -> bool {
            mask
        }
        #[inline(always)]
        fn bits(mask: bool) -> u64 {
            u64::from(mask)
        }
        #[inline(always)]
        fn both(a: bool, b: bool) -> bool {
            a & b
        }
        #[inline(always)]
        fn either(a: bool, b: bool) -> bool {
            a | b
        }
        #[inline(always)]
        fn select(mask: bool, yes: Self, no: Self) -> Self {
            if mask { yes } else { no }
        }
    };
}

impl Arithmetic for f64 {
    type Mask = bool;

    #[inline(always)]
    fn like(self, value: f64) -> Self {
        value
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
    plain_masks!();
}

/// One f32: a single lane of [`Narrow`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Single(pub f32);

impl Arithmetic for Single {
    type Mask = bool;

    #[inline(always)]
    fn like(self, value: f64) -> Self {
        Self(value as f32)
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
        Self(libm::floorf(self.0))
    }
    #[inline(always)]
    fn with_sign_of(self, sign: Self) -> Self {
        Self(self.0.copysign(sign.0))
    }
    #[inline(always)]
    fn is_below(self, other: Self) -> bool {
        self.0 < other.0
    }
    plain_masks!();
}

/// The native vector of f64 of an instruction set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide<S: Simd>(pub(super) S::f64s);

/// The native vector of f32 of an instruction set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Narrow<S: Simd>(pub(super) S::f32s);

macro_rules! arithmetic_of_vectors {
    ($kind:ident, $vector:ident, $rounded:expr) => {
        impl<S: Simd> Arithmetic for $kind<S> {
            type Mask = <S::$vector as SimdBase<S>>::Mask;

            #[inline(always)]
            fn like(self, value: f64) -> Self {
                Self(S::$vector::simd_from(self.0.token(), $rounded(value)))
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
            fn bits(mask: Self::Mask) -> u64 {
                mask.to_bitmask()
            }
            #[inline(always)]
            fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask {
                a & b
            }
            #[inline(always)]
            fn either(a: Self::Mask, b: Self::Mask) -> Self::Mask {
                a | b
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                Self(mask.select(yes.0, no.0))
            }
        }

        arithmetic_of_vectors!(@lane_by_lane $kind, Add::add, Sub::sub, Mul::mul, Div::div);
        arithmetic_of_vectors!(@one_number $kind, $rounded, Add::add, Sub::sub, Mul::mul);

        impl<S: Simd> Neg for $kind<S> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                Self(-self.0)
            }
        }
    };
    (@lane_by_lane $kind:ident, $($operation:ident::$method:ident),*) => {$(
        impl<S: Simd> $operation for $kind<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        }
    )*};
    (@one_number $kind:ident, $rounded:expr, $($operation:ident::$method:ident),*) => {$(
        impl<S: Simd> $operation<f64> for $kind<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, number: f64) -> Self {
                Self(self.0.$method($rounded(number)))
            }
        }
    )*};
}

#[inline(always)]
fn as_it_is(value: f64) -> f64 {
    value
}

#[inline(always)]
fn rounded(value: f64) -> f32 {
    value as f32
}

arithmetic_of_vectors!(Wide, f64s, as_it_is);
arithmetic_of_vectors!(Narrow, f32s, rounded);

macro_rules! arithmetic_of_one {
    ($($operation:ident::$method:ident),*) => {$(
        impl $operation for Single {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(self.0.$method(other.0))
            }
        }
        impl $operation<f64> for Single {
            type Output = Self;
            #[inline(always)]
            fn $method(self, number: f64) -> Self {
                Self(self.0.$method(number as f32))
            }
        }
    )*};
}
arithmetic_of_one!(Add::add, Sub::sub, Mul::mul);

impl Div for Single {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(self.0 / other.0)
    }
}

impl Neg for Single {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(-self.0)
    }
}
