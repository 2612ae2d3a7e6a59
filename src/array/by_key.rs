//! Scans and reductions of elements whose keys are equal.
//!
//! ```
//! # use terrace::array::{Context, max, sum};
//! # let cx = Context::cpu();
//! let keys = cx.vector(&[7, 7, 3, 3, 3, 7])?;
//! let x = cx.vector(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
//! let y = cx.zeros(&[6])?;
//! y.set_scan_by_key(&keys, sum(&x), 0)?;
//! assert_eq!(y.to_vec()?, [1.0, 3.0, 3.0, 7.0, 12.0, 6.0]);
//! let (k, (s, m)) = cx.reduce_by_key(&keys, (sum(&x), max(&x)))?;
//! assert_eq!(k.to_vec()?, [7, 3, 7]);
//! assert_eq!((s.to_vec()?, m.to_vec()?), (vec![3.0, 12.0, 6.0], vec![2.0, 5.0, 6.0]));
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! Elements belong together whose keys are equal and side by side. What is not in order is sorted
//! first, or combined at places.

use super::arrays::Array;
use super::assign::Assignment;
use super::context::Context;
use super::error::ArrayError;
use super::reduce::{Reduction, sum};
use std::panic::Location;
use terrace_dsl::{Edge, Element, Expr, ExprError, Integer, Kept, Operand, Problem, index};

/// Keys that are an array, since they are compared with their neighbours.
fn keys_of<K: Element>(cx: &Context, keys: &Expr<K>) -> Result<Expr<K>, ArrayError> {
    let node = keys.graph().node()?;
    match (node.array(), &node.sizes) {
        (Some(_), _) | (_, None) => Ok(keys.clone()),
        (_, Some(sizes)) => {
            let array = cx.zeros(sizes)?;
            array.set(keys)?;
            Ok(array.expr())
        }
    }
}

/// Whether a key differs from the one before, or is the first.
#[track_caller]
fn begins<K: Element>(keys: &Expr<K>, axis: usize) -> Expr<bool> {
    // What there is before the first one does not matter.
    let before = keys.neighbour_along(axis, -1, Edge::Constant(K::from_bits(0)));
    index(axis).eq(0) | keys.ne(before)
}

impl<T: Element> Array<T> {
    /// Sets it to the reductions of the elements up to each place along an axis that have its key:
    /// with `sum`, to running sums that begin anew where the key differs from the one before. Keys
    /// have the shape of the expression. A NaN is no other's key.
    ///
    /// # Errors
    ///
    /// As [`Array::set_scan`].
    #[track_caller]
    pub fn set_scan_by_key<K: Element>(
        &self,
        keys: impl Operand<K>,
        value: Reduction<T>,
        axis: usize,
    ) -> Result<(), ArrayError> {
        self.scanned_by_key(&keys.expr(), &value, axis, Kept::Inclusive)
    }

    /// The same without the element at the place itself: the first one with its key is that of no
    /// elements.
    ///
    /// # Errors
    ///
    /// As [`Array::set_scan`].
    #[track_caller]
    pub fn set_exclusive_scan_by_key<K: Element>(
        &self,
        keys: impl Operand<K>,
        value: Reduction<T>,
        axis: usize,
    ) -> Result<(), ArrayError> {
        self.scanned_by_key(&keys.expr(), &value, axis, Kept::Exclusive)
    }

    fn scanned_by_key<K: Element>(
        &self,
        keys: &Expr<K>,
        value: &Reduction<T>,
        axis: usize,
        kept: Kept,
    ) -> Result<(), ArrayError> {
        let keys = keys_of(self.context(), keys)?;
        let anew = begins(&keys, axis);
        self.folded(value, kept, &[axis], Some(anew.graph()))
    }
}

/// The number of the run that each of `n` elements is in, from 1, and how many runs there are.
fn numbered<N: Integer>(
    cx: &Context,
    anew: &Expr<bool>,
    n: usize,
) -> Result<(Expr<i64>, usize), ArrayError> {
    let number = cx.zeros::<N>(&[n])?;
    number.set_scan(sum(anew.cast::<N>()), 0)?;
    let last = number.range(n.saturating_sub(1)..n).to_vec()?;
    // Sums of ones are positive.
    let count = last.first().map_or(0, |v| v.to_bits() as usize);
    Ok((number.cast(), count))
}

/// Reductions of elements with equal keys: one, or a tuple of up to four.
pub trait ReductionsByKey {
    /// An array for each.
    type Output;

    /// Computes them. `last` is true of the last element of each key, and `place` says which key
    /// that is, of `count`. What puts results to their places is added to a list.
    ///
    /// # Errors
    ///
    /// As [`Array::set_scan`].
    #[doc(hidden)]
    fn reduced(
        self,
        cx: &Context,
        anew: &Expr<bool>,
        to: &Compact,
        all: &mut Vec<Assignment>,
    ) -> Result<Self::Output, ArrayError>;
}

/// Where the results of keys go.
#[doc(hidden)]
pub struct Compact {
    n: usize,
    count: usize,
    place: Expr<i64>,
    last: Expr<bool>,
    /// Elements are combined where they go, one after the other, as cores do.
    in_place: bool,
}

impl Compact {
    /// An array of the elements that are the last with their keys.
    fn of<T: Element>(
        &self,
        cx: &Context,
        value: &Expr<T>,
        all: &mut Vec<Assignment>,
    ) -> Result<Array<T>, ArrayError> {
        let array = cx.zeros(&[self.count])?;
        let at = array.at(&self.place);
        // One after the other the last one stays.
        all.push(match self.in_place {
            true => at.to_unique(value),
            false => at.when(&self.last).to_unique(value),
        });
        Ok(array)
    }
}

impl<T: Element> ReductionsByKey for Reduction<T> {
    type Output = Array<T>;

    fn reduced(
        self,
        cx: &Context,
        anew: &Expr<bool>,
        to: &Compact,
        all: &mut Vec<Assignment>,
    ) -> Result<Array<T>, ArrayError> {
        self.check_length(to.n)?;
        if to.in_place {
            let array = cx.zeros(&[to.count])?;
            array.fill(self.of_nothing())?;
            all.push(array.at(&to.place).to_folded(self));
            return Ok(array);
        }
        let running = cx.zeros::<T>(&[to.n])?;
        running.folded(&self, Kept::Inclusive, &[0], Some(anew.graph()))?;
        to.of(cx, &running, all)
    }
}

macro_rules! tuples {
    ($($name:ident $n:tt),*) => {
        impl<$($name: ReductionsByKey),*> ReductionsByKey for ($($name,)*) {
            type Output = ($($name::Output,)*);

            fn reduced(
                self,
                cx: &Context,
                anew: &Expr<bool>,
                to: &Compact,
                all: &mut Vec<Assignment>,
            ) -> Result<Self::Output, ArrayError> {
                Ok(($(self.$n.reduced(cx, anew, to, all)?,)*))
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);

impl Context {
    /// Reduces the elements of each run of equal keys to one. The result is an array of the keys
    /// of runs, in their order, and one of the results, or a tuple of those. Keys and expressions
    /// have one axis. A NaN is a run by itself.
    ///
    /// # Errors
    ///
    /// Keys have several axes, or an expression has another length. As [`Array::set_scan`] besides.
    #[track_caller]
    pub fn reduce_by_key<K: Element, R: ReductionsByKey>(
        &self,
        keys: impl Operand<K>,
        values: R,
    ) -> Result<(Array<K>, R::Output), ArrayError> {
        let keys = keys_of(self, &keys.expr())?;
        let at = Location::caller();
        let n = match keys.sizes()? {
            Some([n]) => *n,
            None => {
                let operation = "reduce_by_key";
                let problem = Problem::NoArray { operation };
                return Err(ExprError { at, problem }.into());
            }
            Some(sizes) => {
                let sizes = sizes.into();
                let problem = Problem::Keyed { sizes };
                return Err(ExprError { at, problem }.into());
            }
        };
        let anew = begins(&keys, 0);
        let (number, count) = match u32::try_from(n) {
            Ok(_) => numbered::<u32>(self, &anew, n)?,
            Err(_) => numbered::<i64>(self, &anew, n)?,
        };
        let next = keys.neighbour_along(0, 1, Edge::Constant(K::from_bits(0)));
        let to = Compact {
            n,
            count,
            place: number - 1,
            last: index(0).eq(n as i64 - 1) | keys.ne(next),
            in_place: self.first_is_host(),
        };
        let mut all = Vec::new();
        let results = values.reduced(self, &anew, &to, &mut all)?;
        let found = to.of(self, &keys, &mut all)?;
        self.assign(all)?;
        Ok((found, results))
    }
}
