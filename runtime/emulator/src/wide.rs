//! Loops over lanes, compiled for the vector instructions of the host too.
//!
//! The code is the same, and so are its results: rounding and NaNs do not depend on
//! the width of registers, and `mul_add` rounds once either way.

use crate::{Row, WARP};

/// Whether the host has AVX2 and FMA.
#[inline]
fn is_wide() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// Defines a function twice, once with the features that [`is_wide`] asks for, and
/// calls the one that the host can run.
macro_rules! widened {
    ($(#[$doc:meta])* fn $name:ident $(<$f:ident: $bound:path>)? ($($arg:ident: $ty:ty),*) $(-> $out:ty)? $body:block) => {
        $(#[$doc])*
        #[inline]
        pub(crate) fn $name $(<$f: $bound>)? ($($arg: $ty),*) $(-> $out)? {
            #[inline(always)]
            fn plain $(<$f: $bound>)? ($($arg: $ty),*) $(-> $out)? $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn wide $(<$f: $bound>)? ($($arg: $ty),*) $(-> $out)? {
                    plain($($arg),*)
                }
                if is_wide() {
                    // SAFETY: the host has the features, as was just checked.
                    return unsafe { wide($($arg),*) };
                }
            }
            plain($($arg),*)
        }
    };
}

/// A function of one lane.
pub(crate) trait Unary: Fn(u64) -> u64 {}
impl<F: Fn(u64) -> u64> Unary for F {}
/// A function of one lane of two rows.
pub(crate) trait Binary: Fn(u64, u64) -> u64 {}
impl<F: Fn(u64, u64) -> u64> Binary for F {}
/// A function of one lane of three rows.
pub(crate) trait Ternary: Fn(u64, u64, u64) -> u64 {}
impl<F: Fn(u64, u64, u64) -> u64> Ternary for F {}

widened! {
    fn unary<F: Unary>(f: &F, a: &Row, out: &mut Row) {
        for i in 0..WARP {
            out[i] = f(a[i]);
        }
    }
}

widened! {
    fn binary<F: Binary>(f: &F, a: &Row, b: &Row, out: &mut Row) {
        for i in 0..WARP {
            out[i] = f(a[i], b[i]);
        }
    }
}

widened! {
    fn ternary<F: Ternary>(f: &F, a: &Row, b: &Row, c: &Row, out: &mut Row) {
        for i in 0..WARP {
            out[i] = f(a[i], b[i], c[i]);
        }
    }
}

/// How the addresses of a warp lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Spread {
    pub least: u64,
    pub most: u64,
    /// All of them or'ed: what divides this divides each.
    pub bits: u64,
    /// Each is the one before plus the bytes of the access.
    pub is_row: bool,
}

widened! {
    /// The spread of accesses of so many bytes.
    fn spread(addresses: &Row, bytes: u64) -> Spread {
        let (mut least, mut most, mut bits, mut differ) = (u64::MAX, 0, 0, 0);
        for (i, a) in addresses.iter().enumerate() {
            least = least.min(*a);
            most = most.max(*a);
            bits |= *a;
            differ |= addresses[0].wrapping_add(i as u64 * bytes) ^ *a;
        }
        Spread { least, most, bits, is_row: differ == 0 }
    }
}

widened! {
    /// Whether each lane is not zero, as a mask.
    fn nonzero(row: &Row) -> u32 {
        let mut mask = 0;
        for (lane, value) in row.iter().enumerate() {
            mask |= u32::from(*value != 0) << lane;
        }
        mask
    }
}

widened! {
    /// Replaces the lanes of a mask.
    fn blend(target: &mut Row, values: &Row, mask: u32) {
        for lane in 0..WARP {
            // All ones for a lane that is kept.
            let keep = u64::from(mask >> lane & 1).wrapping_sub(1);
            target[lane] = target[lane] & keep | values[lane] & !keep;
        }
    }
}
