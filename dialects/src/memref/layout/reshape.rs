//! Types of memrefs whose dimensions are split or merged.

use super::{
    Strides, has_identity_layout, mul, strides_and_offset, with_shape_and_layout, with_strides,
};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Type};

/// For each dimension of the smaller side, the dimensions of the larger side that make
/// it up: contiguous, in order, together all of them.
pub type Groups = Vec<Vec<usize>>;

/// The type of `source` with its dimensions split into `shape`; `None` where `source`
/// is not strided or the groups do not fit.
pub(crate) fn expanded_type(
    ctx: &Context,
    source: Type,
    shape: &[i64],
    groups: &Groups,
) -> Option<Type> {
    if has_identity_layout(ctx, source) {
        return Some(with_shape_and_layout(ctx, source, shape.to_vec(), None));
    }
    let s = strides_and_offset(ctx, source)?;
    if s.strides.len() != groups.len() {
        return None;
    }
    // The innermost of a group steps as the whole did, the others over those within.
    let mut strides = vec![1; shape.len()];
    for (group, stride) in groups.iter().zip(&s.strides) {
        let mut step = *stride;
        for d in group.iter().rev() {
            *strides.get_mut(*d)? = step;
            step = mul(step, *shape.get(*d)?);
        }
    }
    Some(with_strides(
        ctx,
        source,
        shape.to_vec(),
        Strides {
            strides,
            offset: s.offset,
        },
    ))
}

/// The strides after merging groups of dimensions. Merged dimensions must lie
/// contiguously; where that cannot be seen from the type it is assumed, or refused if
/// `strict`.
fn collapsed_strides(
    ctx: &Context,
    source: Type,
    groups: &Groups,
    strict: bool,
) -> Option<Strides> {
    let s = strides_and_offset(ctx, source)?;
    let shape = source.shape(ctx)?;
    let mut strides = Vec::with_capacity(groups.len());
    for group in groups {
        // The stride of a dimension of size 1 means nothing.
        let mut inner = group.len().checked_sub(1)?;
        while inner > 0 && *shape.get(group[inner])? == 1 {
            inner -= 1;
        }
        let d = group[inner];
        let known = inner == 0 || *shape.get(d)? != DYNAMIC;
        strides.push(if known { *s.strides.get(d)? } else { DYNAMIC });
    }
    for (group, stride) in groups.iter().zip(&strides) {
        let mut step = *stride;
        for d in group[1..].iter().rev() {
            step = mul(step, *shape.get(*d)?);
            let outer = d.checked_sub(1)?;
            if *shape.get(outer)? == 1 {
                continue;
            }
            let have = *s.strides.get(outer)?;
            let unknown = step == DYNAMIC || have == DYNAMIC;
            if (unknown && strict) || (!unknown && step != have) {
                return None;
            }
        }
    }
    Some(Strides {
        strides,
        offset: s.offset,
    })
}

/// The type of `source` with groups of dimensions merged; `None` where those cannot be
/// merged because they are known not to lie contiguously.
pub(crate) fn collapsed_type(ctx: &Context, source: Type, groups: &Groups) -> Option<Type> {
    let shape = source.shape(ctx)?;
    let sizes: Option<Vec<i64>> = groups
        .iter()
        .map(|g| g.iter().try_fold(1, |n, d| Some(mul(n, *shape.get(*d)?))))
        .collect();
    if has_identity_layout(ctx, source) {
        return Some(with_shape_and_layout(ctx, source, sizes?, None));
    }
    let s = collapsed_strides(ctx, source, groups, false)?;
    Some(with_strides(ctx, source, sizes?, s))
}

/// The groups of two reshapes in the same direction done as one; `None` where they do
/// not fit together.
pub(crate) fn compose_groups<'g>(a: &'g Groups, b: &'g Groups) -> Option<Groups> {
    let (fine, coarse) = match a.len().cmp(&b.len()) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Less => (b, a),
        std::cmp::Ordering::Greater => (a, b),
    };
    if coarse.is_empty() {
        return Some(Vec::new());
    }
    if coarse.iter().map(Vec::len).sum::<usize>() != fine.len() {
        return None;
    }
    let merged = coarse.iter().map(|g| {
        let parts: Option<Vec<&Vec<usize>>> = g.iter().map(|d| fine.get(*d)).collect();
        Some(parts?.into_iter().flatten().copied().collect())
    });
    merged.collect()
}

/// Groups that merge `from` into `to`, found from the sizes alone; `None` where there
/// are none or where dimensions other than of size 1 could go either way.
pub(crate) fn find_collapse(from: &[i64], to: &[i64]) -> Option<Groups> {
    if from.len() <= to.len() {
        return None;
    }
    if to.is_empty() {
        return from.iter().all(|d| *d == 1 || *d == DYNAMIC).then(Vec::new);
    }
    let forward = scan(from, to)?;
    let reversed = |v: &[i64]| v.iter().rev().copied().collect::<Vec<_>>();
    let n = from.len();
    let mut backward: Vec<(usize, usize)> = scan(&reversed(from), &reversed(to))?
        .iter()
        .map(|(l, r)| (n - r, n - l))
        .collect();
    backward.reverse();
    for (a, b) in forward.iter().zip(&backward) {
        let either = a.0.min(b.0)..a.1.max(b.1);
        for d in either {
            let both = (a.0..a.1).contains(&d) && (b.0..b.1).contains(&d);
            if !both && from[d] != 1 {
                return None;
            }
        }
    }
    Some(forward.into_iter().map(|(l, r)| (l..r).collect()).collect())
}

/// Ranges of `from`, one for each size of `to`, each as short as possible from the left
/// but the last.
fn scan(from: &[i64], to: &[i64]) -> Option<Vec<(usize, usize)>> {
    let mut ranges: Vec<(usize, usize)> = Vec::with_capacity(to.len());
    for (t, size) in to.iter().enumerate() {
        let start = ranges.last().map_or(0, |r| r.1);
        let (left, mut right) = match *size {
            DYNAMIC => (
                start,
                start + from[start..].iter().position(|d| *d == DYNAMIC)? + 1,
            ),
            size => find_product(from, start, size)?,
        };
        if t + 1 == to.len() {
            right = match *size {
                DYNAMIC => from.len(),
                _ => right + from[right..].iter().take_while(|d| **d == 1).count(),
            };
        }
        if left > start {
            // What was passed over can only belong to a dynamic size before.
            let before = ranges
                .last_mut()
                .filter(|_| t > 0 && to[t - 1] == DYNAMIC)?;
            before.1 = left;
        }
        ranges.push((left, right));
    }
    ranges
        .last()
        .is_some_and(|r| r.1 == from.len())
        .then_some(ranges)
}

/// The first run of static sizes at or after `start` whose product is `size`.
fn find_product(from: &[i64], start: usize, size: i64) -> Option<(usize, usize)> {
    let (mut left, mut right, mut product) = (start, start, 1i64);
    while right < from.len() {
        let d = from[right];
        right += 1;
        if d == DYNAMIC {
            (left, product) = (right, 1);
            continue;
        }
        product = product.checked_mul(d)?;
        while product > size && right - left > 1 {
            // Sizes of 0 keep the product at 0, which exceeds no size.
            product = product.checked_div(from[left])?;
            left += 1;
        }
        if product == size {
            return Some((left, right));
        }
    }
    None
}
