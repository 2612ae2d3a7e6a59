//! Running values that a condition replaces: `if (x > s) s = x`.
//!
//! Of integers that is the greatest or the least. Of floats the order counts: of zeros with
//! different signs the first or the last stays, and a first value that is no number stays in any
//! case. So steps keep their order, and the result is the loop's to the last bit. A value that is no
//! number replaces nothing, as if it were the one that changes nothing; where the program writes the
//! condition so that it does replace, there is no scan.

use super::shape::Combining;
use crate::analysis::accumulate::{Ties, compared};
use terrace_dialects::affine::ForOp;
use terrace_dialects::arith::{AtomicRmwKind as K, CmpFPredicate as F, SelectOp};
use terrace_dialects::scf;
use terrace_ir::effects::{is_pure, only_reads};
use terrace_ir::{Block, Context, Op, Value};

/// What `chooser` makes of the running value `s` of `l`, where that is a choice between it and
/// another one by comparing them.
pub fn choice(ctx: &Context, l: ForOp, s: Value, chooser: Op) -> Option<Combining> {
    let (condition, then, other) = ways(ctx, chooser)?;
    let compare = condition.def_op()?;
    let ops = l.body(ctx).ops(ctx);
    // What is computed twice is the same as long as nothing writes.
    let mut before = ops.iter().take_while(|o| **o != chooser);
    if compare.block(ctx) != Some(l.body(ctx)) || !before.all(|o| only_reads(ctx, *o)) {
        return None;
    }
    let sides: Vec<Value> = compare.operands(ctx);
    let (x, s_first) = match sides[..] {
        [p, q] if p == s => (q, true),
        [p, q] if q == s => (p, false),
        _ => return None,
    };
    let replaces = match (then == s, other == s) {
        (false, true) if same(ctx, then, x) => true,
        (true, false) if same(ctx, other, x) => false,
        _ => return None,
    };
    Some(match compared(ctx, compare, s_first, replaces)? {
        (kind, None) => Combining::Op(kind, x),
        (_, Some(c)) if c.nan_replaces => return None,
        (kind, Some(c)) => {
            let p = match (kind == K::MaxNumF, c.ties?) {
                (true, Ties::First) => F::Ogt,
                (true, Ties::Last) => F::Oge,
                (false, Ties::First) => F::Olt,
                (false, Ties::Last) => F::Ole,
            };
            Combining::Choice(p, x)
        }
    })
}

/// The condition of a choice, and what it gives either way.
fn ways(ctx: &Context, op: Op) -> Option<(Value, Value, Value)> {
    if op.isa::<SelectOp>(ctx) {
        return Some((op.operand(ctx, 0), op.operand(ctx, 1), op.operand(ctx, 2)));
    }
    let i = op.cast::<scf::IfOp>(ctx)?;
    let yielded = |block: Block| {
        let last = block.last_op(ctx)?;
        match last.operands(ctx)[..] {
            [one] => Some(one),
            _ => None,
        }
    };
    let (then, other) = (i.then_block(ctx), i.else_block(ctx)?);
    let all = [then, other].map(|b| b.ops(ctx)).concat();
    let harmless = |o: &Op| o.isa::<scf::YieldOp>(ctx) || only_reads(ctx, *o);
    all.iter()
        .all(harmless)
        .then_some((i.condition(ctx), yielded(then)?, yielded(other)?))
}

/// Whether two values are computed alike from the same, where nothing writes in between.
fn same(ctx: &Context, x: Value, y: Value) -> bool {
    if x == y {
        return true;
    }
    let (Some(p), Some(q)) = (x.def_op(), y.def_op()) else {
        return false;
    };
    let alike = |o: Op| is_pure(ctx, o) || only_reads(ctx, o);
    let (a, b) = (p.operands(ctx), q.operands(ctx));
    p.name(ctx) == q.name(ctx)
        && p.num_results(ctx) == 1
        && p.num_regions(ctx) == 0
        && q.num_regions(ctx) == 0
        && x.ty(ctx) == y.ty(ctx)
        && p.attrs(ctx) == q.attrs(ctx)
        && alike(p)
        && a.len() == b.len()
        && a.iter().zip(&b).all(|(x, y)| same(ctx, *x, *y))
}

/// The number that replaces none and that all others replace.
pub fn nothing(predicate: F) -> f64 {
    match predicate {
        F::Olt | F::Ole => f64::INFINITY,
        _ => f64::NEG_INFINITY,
    }
}
