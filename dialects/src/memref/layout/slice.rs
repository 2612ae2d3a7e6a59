//! Types of subviews.

use super::{Strides, add, mul, strides_and_offset, with_strides};
use crate::offsets::Slice;
use terrace_ir::{Context, Type};

/// The type of a subview of the same rank; `None` where `source` has no strides or the
/// slice does not have one entry for each dimension.
pub fn subview_type(ctx: &Context, source: Type, slice: &Slice) -> Option<Type> {
    let s = strides_and_offset(ctx, source)?;
    let [offsets, sizes, steps] = slice.statics();
    let rank = s.strides.len();
    if [&offsets, &sizes, &steps].iter().any(|l| l.len() != rank) {
        return None;
    }
    let offset = offsets
        .iter()
        .zip(&s.strides)
        .fold(s.offset, |o, (a, b)| add(o, mul(*a, *b)));
    let strides = s
        .strides
        .iter()
        .zip(&steps)
        .map(|(a, b)| mul(*a, *b))
        .collect();
    Some(with_strides(
        ctx,
        source,
        sizes,
        Strides { strides, offset },
    ))
}

/// Whether `reduced` is `shape` with some dimensions of size 1 left out; then which,
/// leaving out as late as possible.
pub(crate) fn is_rank_reduction(shape: &[i64], reduced: &[i64]) -> Option<Vec<bool>> {
    let mut rest = reduced.iter().peekable();
    let mut dropped = Vec::with_capacity(shape.len());
    for d in shape {
        if rest.next_if(|r| *r == d).is_some() {
            dropped.push(false);
        } else if *d == 1 {
            dropped.push(true);
        } else {
            return None;
        }
    }
    rest.next().is_none().then_some(dropped)
}

/// The type of a subview that drops dimensions of size 1 to get the shape `shape`;
/// `None` where that is not possible.
pub fn rank_reduced_subview(
    ctx: &Context,
    source: Type,
    slice: &Slice,
    shape: &[i64],
) -> Option<Type> {
    let full = subview_type(ctx, source, slice)?;
    if full.rank(ctx) == Some(shape.len()) {
        return Some(full);
    }
    let dropped = is_rank_reduction(full.shape(ctx)?, shape)?;
    let s = strides_and_offset(ctx, full)?;
    let strides = s
        .strides
        .iter()
        .zip(&dropped)
        .filter(|(_, d)| !**d)
        .map(|(s, _)| *s)
        .collect();
    Some(with_strides(
        ctx,
        full,
        shape.to_vec(),
        Strides {
            strides,
            offset: s.offset,
        },
    ))
}

/// Which dimensions of `original` (one per entry of the slice) a rank-reduced type has
/// dropped, told apart by their strides where several have size 1; `None` where
/// `reduced` cannot have come from it.
pub fn dropped_dims(
    ctx: &Context,
    original: Type,
    reduced: Type,
    slice: &Slice,
) -> Option<Vec<bool>> {
    let (rank, want) = (original.rank(ctx)?, reduced.rank(ctx)?);
    let mut dropped = vec![false; rank];
    if rank == want {
        return Some(dropped);
    }
    let count = |d: &[bool]| d.iter().filter(|d| **d).count();
    for (d, size) in dropped.iter_mut().zip(&slice.sizes) {
        *d = size.or_dynamic() == 1;
    }
    if count(&dropped) + want == rank {
        return Some(dropped);
    }
    let (from, to) = (
        strides_and_offset(ctx, original)?,
        strides_and_offset(ctx, reduced)?,
    );
    let times = |v: &[i64], s: i64| v.iter().filter(|x| **x == s).count();
    let mut left: Vec<(i64, usize)> = Vec::new();
    for (i, s) in from.strides.iter().enumerate() {
        if !dropped[i] {
            continue;
        }
        let k = left.iter().position(|e| e.0 == *s).unwrap_or_else(|| {
            left.push((*s, times(&from.strides, *s)));
            left.len() - 1
        });
        match left[k].1.cmp(&times(&to.strides, *s)) {
            // One of the dimensions with this stride is gone: this one.
            std::cmp::Ordering::Greater => left[k].1 -= 1,
            std::cmp::Ordering::Equal => dropped[i] = false,
            std::cmp::Ordering::Less => return None,
        }
    }
    (count(&dropped) + want == rank).then_some(dropped)
}
