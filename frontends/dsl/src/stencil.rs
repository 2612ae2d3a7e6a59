//! Elements around the place that is computed.

use crate::element::Element;
use crate::error::{ExprError, Problem};
use crate::expr::{Expr, Operand};
use crate::node::{Graph, Kind};
use crate::op::{Edge, Part, Within};
use smallvec::SmallVec;
use std::panic::Location;

/// An expression of the elements around each place of an array. `edge` says what there is beside
/// the array.
///
/// ```
/// # use terrace_dsl::{Edge, Expr, View, stencil};
/// # let a = Expr::<f64>::array(View::row_major(std::sync::Arc::new(0u8), &[8, 8]));
/// let mean = stencil(&a, Edge::Clamp, |a| {
///     0.25 * (a.at([0, 1]) + a.at([0, -1]) + a.at([1, 0]) + a.at([-1, 0]))
/// });
/// ```
pub fn stencil<T: Element, R>(
    array: impl Operand<T>,
    edge: Edge<T>,
    f: impl FnOnce(&Neighbours<T>) -> Expr<R>,
) -> Expr<R> {
    let array = array.expr();
    f(&Neighbours { array, edge })
}

/// The elements around a place, for [`stencil`].
#[derive(Debug, Clone)]
pub struct Neighbours<T> {
    array: Expr<T>,
    edge: Edge<T>,
}

impl<T: Element> Neighbours<T> {
    /// The element so far off along each axis: `[0, 1]` is the next one along the second axis.
    #[track_caller]
    pub fn at<const N: usize>(&self, offsets: [i64; N]) -> Expr<T> {
        self.array.neighbour(offsets, self.edge)
    }
}

impl<T: Element> Expr<T> {
    /// The elements of an array of one axis at places that are computed, from 0. A place beside the
    /// array is the nearest one that there is. What is no array, has several axes or no elements
    /// means nothing.
    #[track_caller]
    pub fn gather(&self, places: impl Operand<i64>) -> Expr<T> {
        self.gathered(&places.expr(), Within::Nearest)
    }

    /// As [`Expr::gather`], of places that lie in the array: none is looked at.
    ///
    /// # Safety
    ///
    /// Whenever the expression is computed, each place is at least 0 and less than the size of the
    /// array, for all elements that it is computed for.
    #[track_caller]
    pub unsafe fn gather_unchecked(&self, places: impl Operand<i64>) -> Expr<T> {
        self.gathered(&places.expr(), Within::Sure)
    }

    #[track_caller]
    fn gathered(&self, places: &Expr<i64>, within: Within) -> Expr<T> {
        let at = Location::caller();
        let node = match self.graph() {
            Graph::Node(n) => n,
            Graph::Poison(_) => return self.clone(),
        };
        let Some(view) = node.array() else {
            let problem = Problem::NoNeighbours;
            return Expr::poison(ExprError { at, problem });
        };
        if view.sizes.len() != 1 || view.sizes[0] == 0 {
            let sizes = view.sizes.clone();
            let problem = Problem::Gather { sizes };
            return Expr::poison(ExprError { at, problem });
        }
        let part = |part: &Part| {
            let kind = Kind::Gather(view.clone(), within, *part);
            let ty = T::TYPE.part().unwrap_or(T::TYPE);
            Graph::operation(kind, ty, "gather", &[places.graph().clone()], at)
        };
        match Part::all(T::TYPE) {
            [re, im] => Expr::of(Graph::complex([part(re), part(im)], at)),
            _ => Expr::of(part(&Part::Whole)),
        }
    }

    /// Of an array the element so far off along one axis, and beside the array what `edge` says.
    /// What is no array, or has no such axis, means nothing.
    #[track_caller]
    pub fn neighbour_along(&self, axis: usize, by: i64, edge: Edge<T>) -> Expr<T> {
        let rank = match self.sizes() {
            Ok(sizes) => sizes.map_or(0, <[usize]>::len),
            Err(_) => return self.clone(),
        };
        let mut offsets: SmallVec<[i64; 4]> = SmallVec::from_elem(0, rank);
        match offsets.get_mut(axis) {
            Some(offset) => *offset = by,
            None => {
                let sizes = SmallVec::from_slice(self.sizes().ok().flatten().unwrap_or(&[]));
                let (at, problem) = (Location::caller(), Problem::Axis { axis, sizes });
                return Expr::poison(ExprError { at, problem });
            }
        }
        self.neighbours(&offsets, edge)
    }

    /// Of an array the element so far off along each axis, and beside the array what `edge` says.
    /// What is no array, or has another number of axes, means nothing.
    #[track_caller]
    pub fn neighbour<const N: usize>(&self, offsets: [i64; N], edge: Edge<T>) -> Expr<T> {
        self.neighbours(&offsets, edge)
    }

    #[track_caller]
    fn neighbours(&self, offsets: &[i64], edge: Edge<T>) -> Expr<T> {
        let node = match self.graph() {
            Graph::Node(n) => n,
            Graph::Poison(_) => return self.clone(),
        };
        let at = Location::caller();
        let fail = |problem| Expr::poison(ExprError { at, problem });
        let Some(view) = node.array() else {
            return fail(Problem::NoNeighbours);
        };
        let sizes = view.sizes.clone();
        let given = offsets.len();
        if sizes.len() != given {
            return fail(Problem::Offsets { given, sizes });
        }
        let all = offsets.iter().zip(&sizes);
        let offsets: SmallVec<[i64; 4]> = all.map(|(d, n)| within_reach(*d, *n, edge)).collect();
        let kind = |part: Part| {
            let edge = match edge {
                Edge::Clamp => Edge::Clamp,
                Edge::Wrap => Edge::Wrap,
                Edge::Constant(v) => Edge::Constant(part.bits(T::TYPE, v.to_bits())),
            };
            Kind::Neighbour(view.clone(), offsets.clone(), edge, part)
        };
        Expr::leaf(kind, Some(&sizes))
    }
}

/// The farthest that a neighbour is off: a place and this are a number of 64 bits.
const REACH: i64 = 1 << 61;

/// An offset along an axis of `size` elements that finds the same element and is not too far to be
/// added to a place.
fn within_reach<T>(offset: i64, size: usize, edge: Edge<T>) -> i64 {
    match edge {
        Edge::Wrap if offset.unsigned_abs() > REACH as u64 => {
            let size = i64::try_from(size).unwrap_or(i64::MAX);
            offset.checked_rem(size).unwrap_or(0)
        }
        _ => offset.clamp(-REACH, REACH),
    }
}
