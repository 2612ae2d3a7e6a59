//! Numbers that transforms multiply by, which are computed once and kept on the device.

use super::super::arrays::Array;
use super::super::context::Context;
use super::super::error::ArrayError;
use super::super::memory::Memory;
use super::FourierPart;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use terrace_dsl::{Element, ElementType, View};

/// What numbers are kept for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// The roots of 1, for passes over so many elements.
    Roots,
    /// A chirp, for so many elements.
    Chirp,
    /// The transform of a chirp, for so many elements.
    Filter,
}

/// What is kept by what it is for, how many elements that has, and their type.
#[derive(Default)]
pub(in super::super) struct Kept(Mutex<HashMap<(What, usize, ElementType), Arc<Memory>>>);

/// More than this are not kept: then all are made anew.
const MOST: usize = 32;

/// `exp(-2 pi i k / n)`, whose parts are the nearest numbers, or beside those. An eighth of the
/// circle is computed, and the rest is the same numbers in other places.
pub(super) fn root(k: usize, n: usize) -> (f64, f64) {
    let (k, n) = (k as u128 % n.max(1) as u128, n as u128);
    // Which eighth it is in, and how far from the nearest axis.
    let eighth = 8 * k / n;
    let (axis, beside) = (eighth.div_ceil(2), eighth % 2 == 1);
    let far = match beside {
        true => axis * n - 4 * k,
        false => 4 * k - axis * n,
    };
    let angle = std::f64::consts::FRAC_PI_2 * (far as f64 / n as f64);
    let (along, across) = match 2 * far == n {
        // Both are the same, and the functions need not say so.
        true => (
            std::f64::consts::FRAC_1_SQRT_2,
            std::f64::consts::FRAC_1_SQRT_2,
        ),
        false => (angle.cos(), angle.sin()),
    };
    let across = match beside {
        true => -across,
        false => across,
    };
    // Clockwise from 1.
    match axis % 4 {
        0 => (along, -across),
        1 => (-across, -along),
        2 => (-along, across),
        _ => (across, along),
    }
}

/// The array of what is kept, which is made where there is none.
pub(super) fn kept<T: FourierPart>(
    cx: &Context,
    (what, n): (What, usize),
    count: usize,
    make: impl FnOnce() -> Result<Array<T::Complex>, ArrayError>,
) -> Result<Array<T::Complex>, ArrayError> {
    let key = (what, n, <T::Complex as Element>::TYPE);
    let all = || {
        let all = cx.inner.factors.0.lock();
        all.unwrap_or_else(PoisonError::into_inner)
    };
    // What is made takes the lock itself.
    let found = all().get(&key).cloned();
    let memory = match found {
        Some(memory) => memory,
        None => {
            let memory = super::memory_of(make()?.view()?)?;
            let mut all = all();
            if all.len() >= MOST {
                all.clear();
            }
            all.insert(key, Arc::clone(&memory));
            memory
        }
    };
    Ok(Array::new(cx, View::row_major(memory, &[count])))
}

/// The `n` roots of 1, from 1 clockwise.
///
/// # Errors
///
/// Memory is short.
pub(super) fn roots<T: FourierPart>(
    cx: &Context,
    n: usize,
) -> Result<Array<T::Complex>, ArrayError> {
    kept::<T>(cx, (What::Roots, n), n, || {
        let number = |k: usize| {
            let (re, im) = root(k, n);
            T::complex(T::near(re), T::near(im))
        };
        cx.vector(&(0..n).map(number).collect::<Vec<_>>())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_on_the_circle() {
        for n in [1usize, 2, 3, 4, 5, 7, 8, 12, 60, 1000, 1 << 20] {
            for k in (0..n).step_by(n.div_ceil(50)) {
                let (re, im) = root(k, n);
                let angle = -2.0 * std::f64::consts::PI * k as f64 / n as f64;
                assert!((re - angle.cos()).abs() < 1e-15, "{k} of {n}: {re}");
                assert!((im - angle.sin()).abs() < 1e-15, "{k} of {n}: {im}");
            }
        }
        assert_eq!(root(2, 8).0, -0.0);
        assert_eq!(root(4, 8), (-1.0, 0.0));
        assert_eq!(root(1, 8).0, -root(1, 8).1);
    }
}
