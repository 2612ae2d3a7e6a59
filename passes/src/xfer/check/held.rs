//! Clauses of `xfer.enter_data` that find their array present on every path, forwards: how
//! often each array is held at least, by regions and by `xfer.enter_data`, at each point.

use super::effects::is_data_op;
use super::pairs::may_share;
use crate::analysis::memory::base;
use rustc_hash::FxHashSet;
use terrace_dialects::func::CallOp;
use terrace_dialects::xfer::{EnterDataOp, ExitDataOp};
use terrace_dialects::{func, xfer};
use terrace_ir::{Context, Op, OpKind, Region, Value};

/// Clauses: the op, and the number of the operand.
pub(super) type FoundClauses = FxHashSet<(Op, usize)>;

/// Arrays with how often they are held at least: by regions, and otherwise.
type Held = Vec<(Value, [u32; 2])>;

/// The clauses of a function that surely find their array.
pub(super) fn of_function(ctx: &Context, function: Op) -> FoundClauses {
    let mut all = FoundClauses::default();
    // What an op finds in a later round of a loop it may not have found in the first.
    let mut missed = FoundClauses::default();
    region(
        ctx,
        function.region(ctx, 0),
        Held::new(),
        &mut all,
        &mut missed,
    );
    all.retain(|c| !missed.contains(c));
    all
}

/// What is held at the end of a region that is entered so.
fn region(
    ctx: &Context,
    r: Region,
    start: Held,
    found: &mut FoundClauses,
    missed: &mut FoundClauses,
) -> Held {
    let blocks = r.blocks(ctx);
    let mut end = Held::new();
    for block in &blocks {
        // Where blocks branch to each other nothing is known at the beginning of any.
        let mut held = match blocks.len() {
            1 => start.clone(),
            _ => Held::new(),
        };
        held.retain(|h| !block.args(ctx).contains(&h.0));
        for op in block.ops(ctx) {
            step(ctx, op, &mut held, found, missed);
        }
        end = held;
    }
    match blocks.len() {
        1 => end,
        0 => start,
        _ => Held::new(),
    }
}

fn step(
    ctx: &Context,
    op: Op,
    held: &mut Held,
    found: &mut FoundClauses,
    missed: &mut FoundClauses,
) {
    // A value that is made anew is another array.
    let made = op.results(ctx);
    held.retain(|h| !made.contains(&h.0));
    if let Some(enter) = op.cast::<EnterDataOp>(ctx) {
        let kind = usize::from(!enter.is_structured(ctx));
        for (i, v) in op.operands(ctx).into_iter().enumerate() {
            let known = held.iter_mut().find(|h| h.0 == v);
            let is_held = known.as_ref().is_some_and(|h| h.1 != [0, 0]);
            match is_held {
                true => found.insert((op, i)),
                false => missed.insert((op, i)),
            };
            match known {
                Some(h) => h.1[kind] = h.1[kind].saturating_add(1),
                None => {
                    let mut counts = [0, 0];
                    counts[kind] = 1;
                    held.push((v, counts));
                }
            }
        }
    } else if let Some(exit) = op.cast::<ExitDataOp>(ctx) {
        let kind = usize::from(!exit.is_structured(ctx));
        for v in op.operands(ctx) {
            for (array, counts) in held.iter_mut() {
                if *array == v {
                    counts[kind] = counts[kind].saturating_sub(1);
                    if exit.is_final(ctx) {
                        counts[1] = 0;
                    }
                } else if may_share(ctx, base(ctx, *array), base(ctx, v)) {
                    *counts = [0, 0];
                }
            }
        }
    } else if op.name(ctx) == xfer::DataOp::NAME || may_change_the_table(ctx, op, &mut Vec::new()) {
        held.clear();
    } else if op.num_regions(ctx) > 0 {
        regions(ctx, op, held, found, missed);
    }
}

/// An op with regions, which may be entered once, several times or not at all, each behind
/// any other.
fn regions(
    ctx: &Context,
    op: Op,
    held: &mut Held,
    found: &mut FoundClauses,
    missed: &mut FoundClauses,
) {
    loop {
        let before = held.clone();
        for r in op.regions(ctx) {
            let end = region(ctx, r, before.clone(), found, missed);
            for (v, counts) in held.iter_mut() {
                let there = end.iter().find(|h| h.0 == *v);
                let there = there.map_or([0, 0], |h| h.1);
                *counts = [counts[0].min(there[0]), counts[1].min(there[1])];
            }
        }
        // Once more from what is left, until that is held at each beginning.
        if *held == before {
            return;
        }
    }
}

/// Whether an op by itself calls what may enter or leave arrays.
fn may_change_the_table(ctx: &Context, op: Op, calls: &mut Vec<Op>) -> bool {
    if op.name(ctx) == func::CallIndirectOp::NAME || !op.is_registered(ctx) {
        return true;
    }
    let Some(call) = op.cast::<CallOp>(ctx) else {
        return false;
    };
    let Some(callee) = call.function(ctx).map(|f| f.op()) else {
        return true;
    };
    if callee.num_regions(ctx) == 0 || callee.region(ctx, 0).is_empty(ctx) {
        return true;
    }
    if calls.contains(&callee) {
        return false;
    }
    calls.push(callee);
    callee
        .pre_order(ctx)
        .into_iter()
        .any(|o| is_data_op(ctx, o) || may_change_the_table(ctx, o, calls))
}
