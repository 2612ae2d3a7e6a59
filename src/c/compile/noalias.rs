//! Which arrays of a region's kernels are reached through one parameter alone.
//!
//! C promises it of some (`acc.region` has `noalias`, or an argument no `acc.overlaps`). Of
//! others the call of a region finds it out before: it looks whether arrays overlap, and
//! runs the C statement if so. Nothing is known where one has no known end, and where two
//! may be the same memory from the first byte to the last, because that does the loops no
//! harm.

use super::Extent;
use crate::dialects::attributes::{ACC_ANYWHERE, ACC_NAME, ACC_OVERLAPS, LLVM_NOALIAS};
use crate::dialects::function::{arg_attr, arg_attrs};
use crate::ir::{Context, Op};
use crate::passes::analysis::memory::argument_has;
use crate::passes::region::notes::RegionNotes;

/// Mark the arguments of a region's function that are reached in no other way with
/// `llvm.noalias`.
pub(super) fn mark(ctx: &mut Context, function: Op, notes: &RegionNotes, extents: &[Extent]) {
    let Some(entry) = function.region(ctx, 0).entry(ctx) else {
        return;
    };
    let args = entry.args(ctx);
    // A function of C has them, or promises it of all arrays.
    let overlaps = |i: usize| arg_attr(ctx, function, i, ACC_OVERLAPS);
    if !(0..args.len()).any(|i| overlaps(i).is_some()) {
        return;
    }
    let name = |i: usize| arg_attr(ctx, function, i, ACC_NAME)?.as_str(ctx);
    let may_coincide = |i: usize, j: usize| {
        let pair = (name(i).unwrap_or_default(), name(j).unwrap_or_default());
        let mut all = notes.may_coincide.iter();
        all.any(|(a, b)| pair == (a, b) || pair == (b, a))
    };
    // What has no known end is not compared, if no clause says it.
    let is_compared = |i: usize| matches!(extents.get(i), Some(Extent::Known | Extent::Computed));
    let is_alone = |i: usize| {
        let others = overlaps(i)
            .and_then(|a| a.as_i64_array(ctx))
            .unwrap_or_default();
        let mut others = others.iter().filter_map(|j| usize::try_from(*j).ok());
        others.all(|j| {
            let anywhere = args
                .get(j)
                .is_none_or(|v| argument_has(ctx, *v, ACC_ANYWHERE));
            !anywhere && is_compared(i) && is_compared(j) && !may_coincide(i, j)
        })
    };
    let alone: Vec<bool> = (0..args.len())
        .map(|i| args[i].ty(ctx).is_memref(ctx) && is_alone(i))
        .collect();
    let dicts = (alone.iter().enumerate())
        .map(|(i, alone)| {
            let mut entries = arg_attrs(ctx, function, i).to_vec();
            if *alone && arg_attr(ctx, function, i, LLVM_NOALIAS).is_none() {
                entries.push((ctx.intern(LLVM_NOALIAS), ctx.unit()));
            }
            ctx.dict_attr(entries)
        })
        .collect();
    let list = ctx.array_attr(dicts);
    function.set_attr(ctx, "arg_attrs", list);
}
