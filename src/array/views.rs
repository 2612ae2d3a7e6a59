//! Parts of arrays, and arrays seen otherwise. They share the memory, and are read and written.
//!
//! ```
//! # use terrace::array::Context;
//! # let cx = Context::cpu();
//! let a = cx.array(&[2, 3], &[1, 2, 3, 4, 5, 6])?;
//! assert_eq!(a.transposed().to_vec()?, [1, 4, 2, 5, 3, 6]);
//! a.index_axis(0, 1).set(10 * a.index_axis(0, 0))?;
//! assert_eq!(a.to_vec()?, [1, 2, 3, 10, 20, 30]);
//! # Ok::<(), terrace::array::ArrayError>(())
//! ```
//!
//! A part that there is not is an array that means nothing: whoever computes with it gets an
//! error that names the line it was asked for in.

use super::arrays::Array;
use std::ops::Range;
use std::panic::Location;
use terrace_dsl::node::row_major;
use terrace_dsl::{Element, ExprError, Problem, View};

impl<T: Element> Array<T> {
    /// Changes a copy of the view; none where there is no such part.
    #[track_caller]
    fn seen(
        &self,
        asked: impl Fn() -> String,
        f: impl FnOnce(&mut View) -> Option<()>,
    ) -> Array<T> {
        let mut view = match self.view() {
            Ok(v) => v.clone(),
            Err(e) => return Array::poison(self.context(), e),
        };
        let sizes = view.sizes.clone();
        match f(&mut view) {
            Some(()) => Array::new(self.context(), view),
            None => {
                let problem = Problem::View {
                    asked: asked(),
                    sizes,
                };
                let at = Location::caller();
                Array::poison(self.context(), ExprError { at, problem })
            }
        }
    }

    /// The elements of a range along the outermost axis.
    #[track_caller]
    pub fn range(&self, range: Range<usize>) -> Array<T> {
        self.slice_axis(0, range)
    }

    /// The elements of a range along an axis.
    #[track_caller]
    pub fn slice_axis(&self, axis: usize, range: Range<usize>) -> Array<T> {
        let asked = || format!("the range {range:?} of axis {axis}");
        self.seen(asked, |v| {
            let size = v.sizes.get_mut(axis)?;
            if range.start > range.end || range.end > *size {
                return None;
            }
            *size = range.end - range.start;
            if *size > 0 {
                v.offset = v
                    .offset
                    .checked_add_signed(range.start as isize * v.strides[axis])?;
            }
            Some(())
        })
    }

    /// Each `step`-th element along an axis, from the first on.
    #[track_caller]
    pub fn step_axis(&self, axis: usize, step: usize) -> Array<T> {
        let asked = || format!("each element number {step} of axis {axis}");
        self.seen(asked, |v| {
            let size = v.sizes.get_mut(axis)?;
            let by = isize::try_from(step).ok().filter(|s| *s > 0)?;
            *size = size.div_ceil(step);
            v.strides[axis] = v.strides[axis].checked_mul(by)?;
            Some(())
        })
    }

    /// An axis the other way round.
    #[track_caller]
    pub fn invert_axis(&self, axis: usize) -> Array<T> {
        self.seen(
            || format!("axis {axis}"),
            |v| {
                let size = *v.sizes.get(axis)?;
                if size > 0 {
                    let last = (size as isize - 1) * v.strides[axis];
                    v.offset = v.offset.checked_add_signed(last)?;
                }
                v.strides[axis] = -v.strides[axis];
                Some(())
            },
        )
    }

    /// The elements at one place of an axis: an array without that axis.
    #[track_caller]
    pub fn index_axis(&self, axis: usize, place: usize) -> Array<T> {
        let asked = || format!("place {place} of axis {axis}");
        self.seen(asked, |v| {
            if place >= *v.sizes.get(axis)? {
                return None;
            }
            v.offset = v
                .offset
                .checked_add_signed(place as isize * v.strides[axis])?;
            v.sizes.remove(axis);
            v.strides.remove(axis);
            Some(())
        })
    }

    /// The axes in another order: axis `k` of the result is axis `order[k]` of this one.
    #[track_caller]
    pub fn permuted_axes(&self, order: &[usize]) -> Array<T> {
        let asked = || format!("the order {order:?} of axes");
        self.seen(asked, |v| {
            let mut sorted = order.to_vec();
            sorted.sort_unstable();
            if !sorted.into_iter().eq(0..v.sizes.len()) {
                return None;
            }
            v.sizes = order.iter().map(|k| v.sizes[*k]).collect();
            v.strides = order.iter().map(|k| v.strides[*k]).collect();
            Some(())
        })
    }

    /// The axes in the opposite order.
    #[track_caller]
    pub fn transposed(&self) -> Array<T> {
        let order: Vec<usize> = (0..self.shape().len()).rev().collect();
        self.permuted_axes(&order)
    }

    /// The same elements in row-major order as an array of another shape. Those of a part that
    /// does not lie in one piece have no other shape.
    #[track_caller]
    pub fn reshaped(&self, sizes: &[usize]) -> Array<T> {
        let asked = || format!("the shape {}", terrace_dsl::sizes_text(sizes));
        self.seen(asked, |v| {
            let count = sizes.iter().try_fold(1usize, |n, s| n.checked_mul(*s));
            if count != Some(v.count()) || !v.is_contiguous() {
                return None;
            }
            v.sizes = sizes.into();
            v.strides = row_major(sizes);
            Some(())
        })
    }

    /// The array repeated along axes of size 1, and along new ones in front. It can be read only.
    #[track_caller]
    pub fn broadcast(&self, sizes: &[usize]) -> Array<T> {
        let asked = || format!("repeating to the shape {}", terrace_dsl::sizes_text(sizes));
        self.seen(asked, |v| {
            let new = sizes.len().checked_sub(v.sizes.len())?;
            let mut strides = terrace_dsl::node::Strides::from_elem(0, new);
            for (k, to) in sizes[new..].iter().enumerate() {
                strides.push(match (v.sizes[k], *to) {
                    (from, to) if from == to => v.strides[k],
                    (1, _) => 0,
                    _ => return None,
                });
            }
            v.sizes = sizes.into();
            v.strides = strides;
            Some(())
        })
    }
}
