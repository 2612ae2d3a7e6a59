//! Steps that change what an iteration is made of.

use super::{at_least, changes, list, loops, target};
use crate::schedule::types::LOOP;
use terrace_ir::builder::OpState;
use terrace_ir::constraint::{DENSE_I64, I64_ATTR, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, OpKind, Type, op};

op! {
    /// Repeats the loop's body: `by` a number of times, where the loop that is left
    /// is given, or in `full`, where none is left.
    UnrollOp = "schedule.unroll" {
        operands: [target: LOOP],
        results: [unrolled: LOOP.optional()],
        attrs: [factor: I64_ATTR.optional(), full: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target (`by` $factor^)? (`full` $full^)? attr-dict",
        infer: infer_unroll,
        verify: verify_unroll,
        effects: changes,
    }
}

op! {
    /// Lets one iteration do the work of several, in the loops inside too: the copies
    /// run in the same inner loops. Gives the loop that is left; a remainder of
    /// iterations has no handle. With `reductions`, a sum or the like that the loop
    /// carries is made for each copy by itself.
    UnrollJamOp = "schedule.unroll_jam" {
        operands: [target: LOOP],
        results: [jammed: LOOP],
        attrs: [factor: I64_ATTR, reductions: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `by` $factor (`reductions` $reductions^)? attr-dict",
        verify: |c, o| at_least(c, o, "factor", "factor", 1),
        effects: changes,
    }
}

op! {
    /// Makes one loop of two of which the second stands right behind the first. Where
    /// their variables are the same number, or with `aligned` first with first and so
    /// on, iterations come together; what only one of them runs stays in loops without
    /// handles before and behind. Gives the loop over the common iterations.
    FuseOp = "schedule.fuse" {
        operands: [first: LOOP, second: LOOP],
        results: [fused: LOOP],
        attrs: [aligned: UNIT_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$first `,` $second (`aligned` $aligned^)? attr-dict",
        effects: changes,
    }

    /// Makes several loops of one, each with a part of its body: a new one begins `at`
    /// these statements, counted from 0, or there are as many as can be, which must be
    /// the number behind `into`. Gives the loops in their order.
    DistributeOp = "schedule.distribute" {
        operands: [target: LOOP],
        results: [parts: LOOP.variadic()],
        attrs: [cuts: DENSE_I64.optional(), count: I64_ATTR.optional(), force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target (`at` $cuts^)? (`into` $count^)? attr-dict",
        infer: infer_distribute,
        verify: verify_distribute,
        effects: changes,
    }

    /// Takes off the first or last iterations, or the last ones that make up no
    /// multiple of a number. Gives the loop that is left and the one over what was
    /// taken off.
    PeelOp = "schedule.peel" {
        operands: [target: LOOP],
        results: [rest: LOOP, peeled: LOOP],
        attrs: [
            front: I64_ATTR.optional(),
            back: I64_ATTR.optional(),
            remainder: I64_ATTR.optional(),
            force: UNIT_ATTR,
        ],
        parents: ["schedule.sequence"],
        format: "$target (`front` $front^)? (`back` $back^)? (`remainder` $remainder^)? attr-dict",
        verify: verify_peel,
        effects: changes,
    }

    /// Splits the iterations of the loop at a number: those whose variable is less are
    /// in the first loop, the others in the second. Gives both.
    SplitOp = "schedule.split" {
        operands: [target: LOOP],
        results: [below: LOOP, above: LOOP],
        attrs: [point: I64_ATTR, force: UNIT_ATTR],
        parents: ["schedule.sequence"],
        format: "$target `at` $point attr-dict",
        effects: changes,
    }
}

target!(UnrollOp UnrollJamOp DistributeOp PeelOp SplitOp);

impl FuseOp {
    /// Whether the first iterations come together, whatever their numbers are.
    pub fn aligned(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "aligned").is_some()
    }
}

impl DistributeOp {
    /// The statements at which parts begin, but for the first; `None` for as many parts
    /// as can be.
    pub fn cuts(self, ctx: &Context) -> Option<Vec<i64>> {
        self.op().attr(ctx, "cuts")?.as_i64_array(ctx)
    }
}

/// Which iterations are peeled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Peel {
    /// So many at the front.
    Front(i64),
    /// So many at the back.
    Back(i64),
    /// Those at the back that make up no multiple of this.
    Remainder(i64),
}

impl PeelOp {
    /// Which iterations are taken off; `None` in an op that does not verify.
    pub fn what(self, ctx: &Context) -> Option<Peel> {
        let n = |name| self.op().int_attr(ctx, name);
        n("front")
            .map(Peel::Front)
            .or(n("back").map(Peel::Back))
            .or(n("remainder").map(Peel::Remainder))
    }
}

impl SplitOp {
    /// The first value of the variable in the second loop.
    pub fn point(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "point").unwrap_or(0)
    }
}

impl UnrollJamOp {
    /// How many copies of the body.
    pub fn factor(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "factor").unwrap_or(0)
    }

    /// Whether carried values may be combined in another order than written.
    pub fn reductions(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "reductions").is_some()
    }
}

impl UnrollOp {
    /// How many copies of the body; `None` for all iterations.
    pub fn factor(self, ctx: &Context) -> Option<i64> {
        self.op().int_attr(ctx, "factor")
    }
}

fn infer_unroll(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    Ok(loops(ctx, usize::from(s.get_attr(ctx, "full").is_none())))
}

fn verify_unroll(ctx: &Context, op: Op) -> Verified {
    let full = op.attr(ctx, "full").is_some();
    if UnrollOp::wrap(op).factor(ctx).is_none() {
        if !full {
            return Err("needs 'by' a factor, or 'full'".into());
        }
        if op.num_results(ctx) != 0 {
            return Err("gives a loop, but unrolled in full none is left".into());
        }
        return Ok(());
    }
    if full {
        return Err("cannot unroll both by a factor and in full".into());
    }
    at_least(ctx, op, "factor", "factor", 1)?;
    if op.num_results(ctx) != 1 {
        return Err("must give the loop that is left".into());
    }
    Ok(())
}

/// The most parts that a loop may be distributed into by name.
const MAX_PARTS: usize = 1 << 16;

fn parts(cuts: Option<usize>, count: Option<i64>) -> usize {
    match (cuts, count) {
        (Some(n), _) => n + 1,
        (None, Some(n)) => usize::try_from(n).map_or(0, |n| n.min(MAX_PARTS)),
        (None, None) => 0,
    }
}

fn infer_distribute(ctx: &Context, s: &OpState) -> Result<Vec<Type>, String> {
    let cuts = s.get_attr(ctx, "cuts").map(|_| list(ctx, s, "cuts").len());
    let count = s.get_attr(ctx, "count").and_then(|a| a.as_i64(ctx));
    Ok(loops(ctx, parts(cuts, count)))
}

fn verify_distribute(ctx: &Context, op: Op) -> Verified {
    let cuts = DistributeOp::wrap(op).cuts(ctx);
    let count = op.int_attr(ctx, "count");
    match (&cuts, count) {
        (Some(_), Some(_)) => {
            return Err(
                "cannot cut both at given statements and into as many parts as can be".into(),
            );
        }
        (None, None) => {
            return Err("needs the statements 'at' which to cut, or 'into' how many parts".into());
        }
        (Some(c), None) if c.is_empty() || c[0] < 1 || c.windows(2).any(|w| w[0] >= w[1]) => {
            return Err(format!("has the cuts {c:?}, but they must be 1 or more and rise").into());
        }
        (None, Some(n)) if !(1..=MAX_PARTS as i64).contains(&n) => {
            return Err(format!("makes {n} parts, but there must be 1 to {MAX_PARTS}").into());
        }
        _ => {}
    }
    let (have, want) = (op.num_results(ctx), parts(cuts.map(|c| c.len()), count));
    if have != want {
        return Err(format!("gives {have} loops, but makes {want} parts").into());
    }
    Ok(())
}

fn verify_peel(ctx: &Context, op: Op) -> Verified {
    let names = ["front", "back", "remainder"];
    let given: Vec<&str> = names
        .into_iter()
        .filter(|n| op.attr(ctx, n).is_some())
        .collect();
    match given[..] {
        [one] => at_least(ctx, op, one, "number of iterations", 1),
        [] => Err("needs one of 'front', 'back' and 'remainder' to know what to take off".into()),
        _ => Err(format!("has {}, but only one can be", given.join(" and ")).into()),
    }
}
