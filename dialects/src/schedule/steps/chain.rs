//! Steps for loops of which an iteration needs a value of the one before.

use super::{at_least, changes, loops, target};
use crate::schedule::types::LOOP;
use terrace_ir::builder::OpState;
use terrace_ir::constraint::{I64_ATTR, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, OpKind, Type, op};

op! {
    /// Splits the body of a loop so that only what goes from iteration to iteration
    /// stays together: a loop over what does not depend on that, the loop with the
    /// chain, and a loop over what only uses it. Values between them are kept in arrays
    /// with an element for each iteration. Gives the loops, as many as `into` says.
    IsolateOp = "schedule.isolate" {
        operands: [target: LOOP],
        results: [parts: LOOP.variadic()],
        attrs: [count: I64_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `into` $count attr-dict",
        infer: infer_isolate,
        verify: verify_isolate,
        effects: changes,
    }

    /// Computes a first-order linear recurrence, a carried value x that becomes a * x + b,
    /// by a scan over blocks of so many iterations: what each block makes of the value, the
    /// value before each block one after another, and the iterations of each block. Gives
    /// these three loops over blocks, of which only the second has to be serial. Floats come
    /// out rounded otherwise, which `reassociate` allows.
    ScanOp = "schedule.scan" {
        operands: [target: LOOP],
        results: [blocks: LOOP, chain: LOOP, rest: LOOP],
        attrs: [size: I64_ATTR, reassociate: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `by` $size attr-dict",
        verify: |c, o| at_least(c, o, "size", "number of iterations of a block", 1),
        effects: changes,
    }
}

target!(IsolateOp ScanOp);

impl ScanOp {
    /// How many iterations a block has.
    pub fn size(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "size").unwrap_or(0)
    }

    /// Whether floats may be combined in another order than written.
    pub fn reassociate(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "reassociate").is_some()
    }
}

/// How many loops `count` asks for; none where it asks for a number that cannot be.
fn parts(count: Option<i64>) -> usize {
    count
        .and_then(|n| usize::try_from(n).ok())
        .filter(|n| (2..=3).contains(n))
        .unwrap_or(0)
}

fn infer_isolate(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    let count = s.get_attr(ctx, "count").and_then(|a| a.as_i64(ctx));
    Ok(loops(ctx, parts(count)))
}

fn verify_isolate(ctx: &Context, op: Op) -> Verified {
    let count = op.int_attr(ctx, "count");
    let want = parts(count);
    if want == 0 {
        let n = count.unwrap_or(0);
        return Err(format!("makes {n} loops, but there can only be 2 or 3").into());
    }
    match op.num_results(ctx) {
        have if have != want => Err(format!("gives {have} loops, but makes {want}").into()),
        _ => Ok(()),
    }
}
