//! Transforms of real numbers, of which half of the elements says all.
//!
//! Two neighbours are the parts of one complex number. The transform of those, which are half as many,
//! is taken apart into that of the elements at even places and that of those at odd ones. Lengths that
//! are odd are transformed as complex numbers.

use super::super::arrays::{Array, memory_of};
use super::super::columns::Columns;
use super::super::context::Context;
use super::super::error::ArrayError;
use super::super::memory::Memory;
use super::factors::roots;
use super::{FourierPart, along, made_apart, scaled, shape, turned};
use std::panic::Location;
use std::sync::Arc;
use terrace_dsl::{ComplexPart, Expr, ExprError, Problem, complex, constant, index, parts};

/// What is transformed, along which axes, and the last of those.
struct Whole {
    sizes: Vec<usize>,
    axes: Vec<usize>,
    last: usize,
}

impl Whole {
    fn of<T: terrace_dsl::Element>(
        e: &Expr<T>,
        axes: Option<&[usize]>,
        at: &'static Location<'static>,
    ) -> Result<Whole, ExprError> {
        let (sizes, mut axes) = shape(e, axes, at)?;
        match axes.pop() {
            Some(last) => Ok(Whole { sizes, axes, last }),
            None => {
                let problem = Problem::NoArray { operation: "rfft" };
                Err(ExprError { at, problem })
            }
        }
    }

    /// The sizes with another one of the last axis.
    fn with(&self, n: usize) -> Vec<usize> {
        let mut sizes = self.sizes.clone();
        sizes[self.last] = n;
        sizes
    }

    /// The axes in the order in which the last one of all is the one that is transformed last, and
    /// the order that turns them back.
    fn orders(&self) -> [Vec<usize>; 2] {
        let others = (0..self.sizes.len()).filter(|k| *k != self.last);
        let order: Vec<usize> = others.chain([self.last]).collect();
        let mut back = vec![0; order.len()];
        for (k, axis) in order.iter().enumerate() {
            back[*axis] = k;
        }
        [order, back]
    }

    /// How many rows there are.
    fn rows(&self) -> usize {
        let others = (0..self.sizes.len()).filter(|k| *k != self.last);
        others.map(|k| self.sizes[k]).product()
    }
}

/// See [`super::rfft_along`].
#[track_caller]
pub(super) fn transform<T: FourierPart>(e: &Expr<T>, axes: Option<&[usize]>) -> Expr<T::Complex> {
    let whole = match Whole::of(e, axes, Location::caller()) {
        Ok(whole) => whole,
        Err(e) => return Expr::poison(e),
    };
    let (n, e) = (whole.sizes[whole.last], e.clone());
    let half = n / 2 + 1;
    made_apart(&whole.with(half), move |cx| {
        let made = whole.with(half);
        let array = cx.zeros::<T>(&whole.sizes)?;
        array.set(&e)?;
        let (array, alone) = (array.moved(cx.alone())?, cx.alone());
        let [order, back] = whole.orders();
        let result = alone.zeros::<T::Complex>(&made)?;
        if n > 0 && !result.is_empty() {
            let own = contiguous(&array.permuted_axes(&order))?;
            let rows = alone.zeros::<T::Complex>(&[whole.rows(), half])?;
            forward::<T>(&own.reshaped(&[whole.rows(), n]), &rows)?;
            let permuted: Vec<usize> = order.iter().map(|k| made[*k]).collect();
            result.set(rows.reshaped(&permuted).permuted_axes(&back))?;
        }
        for axis in &whole.axes {
            along::<T>(&result, *axis)?;
        }
        memory(&result, cx)
    })
}

/// See [`super::irfft_along`].
#[track_caller]
pub(super) fn inverse<T: FourierPart>(
    e: &Expr<T::Complex>,
    n: usize,
    axes: Option<&[usize]>,
) -> Expr<T> {
    let at = Location::caller();
    let whole = match Whole::of(e, axes, at) {
        Ok(whole) => whole,
        Err(e) => return Expr::poison(e),
    };
    let half = n / 2 + 1;
    if whole.sizes[whole.last] != half {
        let problem = Problem::Shapes {
            operation: "irfft",
            left: whole.sizes.as_slice().into(),
            right: whole.with(half).as_slice().into(),
        };
        return Expr::poison(ExprError { at, problem });
    }
    let e = e.clone();
    made_apart(&whole.with(n), move |cx| {
        let made = whole.with(n);
        let others = whole.axes.iter().map(|a| made[*a] as f64);
        let scale = 1.0 / (others.product::<f64>() * n.max(1) as f64);
        let array = cx.zeros::<T::Complex>(&whole.sizes)?;
        array.set(turned::<T>(&scaled::<T, _>(&e, scale)))?;
        let (array, alone) = (array.moved(cx.alone())?, cx.alone());
        for axis in &whole.axes {
            along::<T>(&array, *axis)?;
        }
        let result = alone.zeros::<T>(&made)?;
        if !result.is_empty() {
            let [order, back] = whole.orders();
            let rows = alone.zeros::<T::Complex>(&[whole.rows(), half])?;
            let permuted: Vec<usize> = order.iter().map(|k| whole.sizes[*k]).collect();
            let place = index(whole.sizes.len() - 1);
            let [im, re] = parts::<T>(&array.permuted_axes(&order));
            // What is its own conjugate is real.
            let mut own = place.eq(constant(0));
            if n.is_multiple_of(2) {
                own = own | place.eq(half as i64 - 1);
            }
            let im = own.select(constant(T::near(0.0)), im);
            rows.reshaped(&permuted).set(complex::<T>(re, im))?;
            let real = alone.zeros::<T>(&[whole.rows(), n])?;
            back_again::<T>(&rows, &real)?;
            let permuted: Vec<usize> = order.iter().map(|k| made[*k]).collect();
            result.set(real.reshaped(&permuted).permuted_axes(&back))?;
        }
        memory(&result, cx)
    })
}

/// The memory of an array as one of a context.
fn memory<T: terrace_dsl::Element>(
    array: &Array<T>,
    cx: &Context,
) -> Result<Arc<Memory>, ArrayError> {
    memory_of(array.moved(cx)?.view()?)
}

/// An array whose elements lie in its order.
fn contiguous<T: terrace_dsl::Element>(array: &Array<T>) -> Result<Array<T>, ArrayError> {
    if array.view()?.is_contiguous() {
        return Ok(array.clone());
    }
    let copy = array.context().zeros(array.shape())?;
    copy.set(array)?;
    Ok(copy)
}

/// Half of a number.
fn halved<T: ComplexPart>(e: Expr<T>) -> Expr<T> {
    e * constant(T::near(0.5))
}

/// Transforms rows of real numbers, at least one in each.
fn forward<T: FourierPart>(x: &Array<T>, z: &Array<T::Complex>) -> Result<(), ArrayError> {
    let cx = x.context();
    #[cfg(feature = "fft")]
    if cx.first_is_host() {
        return T::forward_on_host(x, z);
    }
    let (rows, n) = (x.shape()[0], x.shape()[1]);
    let half = n / 2;
    if n % 2 == 1 {
        let whole = cx.zeros::<T::Complex>(&[rows, n])?;
        whole.set(complex::<T>(x, constant(T::near(0.0))))?;
        along::<T>(&whole, 1)?;
        return z.set(whole.slice_axis(1, 0..half + 1));
    }
    let pairs = x.reshaped(&[rows, half, 2]);
    let packed = cx.zeros::<T::Complex>(&[rows, half])?;
    packed.set(complex::<T>(pairs.index_axis(2, 0), pairs.index_axis(2, 1)))?;
    along::<T>(&packed, 1)?;
    let flat = packed.reshaped(&[rows * half]);
    let (row, k) = (index(0) * half as i64, index(1));
    let end = |k: &Expr<i64>| k.eq(half as i64).select(constant(0), k);
    // SAFETY: both places are in the row: from 0 to the one before `half`.
    let (here, there) = unsafe {
        let there = end(&(half as i64 - &k));
        (
            flat.gather_unchecked(&row + end(&k)),
            flat.gather_unchecked(row + there),
        )
    };
    let ([a, b], [c, d]) = (parts::<T>(&here), parts::<T>(&there));
    // Of the elements at even places, and of those at odd ones: half of the sum with the conjugate, and
    // half of the difference by -i.
    let even = [halved(&a + &c), halved(&b - &d)];
    let odd = [halved(b + d), halved(c - a)];
    let roots = roots::<T>(cx, n)?.range(0..half + 1);
    let [re, im] = parts::<T>(&roots.broadcast(&[rows, half + 1]));
    let turned = [&odd[0] * &re - &odd[1] * &im, &odd[0] * im + &odd[1] * re];
    let [re, im] = [&even[0] + &turned[0], &even[1] + &turned[1]];
    z.set(complex::<T>(re, im))
}

/// The inverse of it, times the length.
fn back_again<T: FourierPart>(z: &Array<T::Complex>, x: &Array<T>) -> Result<(), ArrayError> {
    let cx = x.context();
    #[cfg(feature = "fft")]
    if cx.first_is_host() {
        return T::inverse_on_host(z, x);
    }
    let (rows, n) = (x.shape()[0], x.shape()[1]);
    let half = n / 2;
    if n % 2 == 1 {
        let whole = cx.zeros::<T::Complex>(&[rows, n])?;
        whole.slice_axis(1, 0..half + 1).set(turned::<T>(z))?;
        if half > 0 {
            let rest = z.slice_axis(1, 1..half + 1).invert_axis(1);
            let [re, im] = parts::<T>(&rest);
            whole
                .slice_axis(1, half + 1..n)
                .set(complex::<T>(-im, re))?;
        }
        along::<T>(&whole, 1)?;
        let [_, re] = parts::<T>(&whole);
        return x.set(re);
    }
    let (here, there) = (
        z.slice_axis(1, 0..half),
        z.slice_axis(1, 1..half + 1).invert_axis(1),
    );
    let ([a, b], [c, d]) = (parts::<T>(&here), parts::<T>(&there));
    let even = [&a + &c, &b - &d];
    let odd = [a - c, b + d];
    let roots = roots::<T>(cx, n)?.range(0..half);
    let [re, im] = parts::<T>(&roots.broadcast(&[rows, half]));
    // By the conjugate root.
    let odd = [&odd[0] * &re + &odd[1] * &im, &odd[1] * re - &odd[0] * im];
    let packed = cx.zeros::<T::Complex>(&[rows, half])?;
    // `even + i odd`, whose parts change places.
    let [re, im] = [&even[0] - &odd[1], &even[1] + &odd[0]];
    packed.set(complex::<T>(im, re))?;
    along::<T>(&packed, 1)?;
    let [second, first] = parts::<T>(&packed);
    let pairs = x.reshaped(&[rows, half, 2]);
    cx.assign((
        pairs.index_axis(2, 0).to(first),
        pairs.index_axis(2, 1).to(second),
    ))
}
