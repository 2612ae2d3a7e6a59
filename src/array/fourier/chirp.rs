//! Transforms of any length, as a convolution of a length that is a power of two.
//!
//! `j k` is half of `j^2 + k^2 - (k - j)^2`. So the sum over `j` is a convolution with a chirp, of
//! numbers that are multiplied by one before and behind: L. I. Bluestein, "A linear filtering approach
//! to the computation of the discrete Fourier transform", 1970.

use super::super::arrays::Array;
use super::super::context::Context;
use super::super::error::ArrayError;
use super::factors::{What, kept, root};
use super::{FourierPart, Rows, passes, turned};
use terrace_dsl::Element;

/// Transforms an array along an axis, in place.
pub(super) fn along<T: FourierPart>(
    array: &Array<T::Complex>,
    rows: Rows,
) -> Result<(), ArrayError> {
    let cx = array.context();
    let Rows { outer, n, inner } = rows;
    let long = (2 * n - 1).next_power_of_two();
    let (chirp, filter) = (chirp::<T>(cx, n)?, filter::<T>(cx, n, long)?);
    let sizes = [outer, inner, n];
    // The axis comes last.
    let own = array.reshaped(&[outer, n, inner]).permuted_axes(&[0, 2, 1]);
    let chirp = chirp.broadcast(&sizes);
    let padded = cx.zeros::<T::Complex>(&[outer, inner, long])?;
    padded.slice_axis(2, 0..n).set(&own * &chirp)?;
    let all = Rows {
        outer: outer * inner,
        n: long,
        inner: 1,
    };
    powers::<T>(&padded, all)?;
    let filter = filter.broadcast(padded.shape());
    padded.set(turned::<T>(&(&padded * &filter)))?;
    powers::<T>(&padded, all)?;
    own.set(turned::<T>(&padded.slice_axis(2, 0..n)) * &chirp)
}

/// Transforms rows whose length is a power of two.
fn powers<T: FourierPart>(array: &Array<T::Complex>, rows: Rows) -> Result<(), ArrayError> {
    let radices = passes::radices(rows.n).unwrap_or_default();
    passes::along::<T>(array, rows, &radices)
}

/// `exp(-pi i j^2 / n)` for each `j` below `n`.
fn number(j: usize, n: usize) -> (f64, f64) {
    let square = (j as u128 * j as u128) % (2 * n as u128);
    root(square as usize, 2 * n)
}

fn chirp<T: FourierPart>(cx: &Context, n: usize) -> Result<Array<T::Complex>, ArrayError> {
    kept::<T>(cx, (What::Chirp, n), n, || {
        let number = |j: usize| {
            let (re, im) = number(j, n);
            T::complex(T::near(re), T::near(im))
        };
        cx.vector(&(0..n).map(number).collect::<Vec<_>>())
    })
}

/// The transform of the conjugate chirp, to both sides of the first place, by the length.
fn filter<T: FourierPart>(
    cx: &Context,
    n: usize,
    long: usize,
) -> Result<Array<T::Complex>, ArrayError> {
    kept::<T>(cx, (What::Filter, n), long, || {
        let mut all = vec![T::Complex::from_bits(0); long];
        let scale = 1.0 / long as f64;
        for j in 0..n {
            let (re, im) = number(j, n);
            let number = T::complex(T::near(re * scale), T::near(-im * scale));
            all[j] = number;
            all[(long - j) % long] = number;
        }
        let filter = cx.vector(&all)?;
        let rows = Rows {
            outer: 1,
            n: long,
            inner: 1,
        };
        powers::<T>(&filter, rows)?;
        Ok(filter)
    })
}
