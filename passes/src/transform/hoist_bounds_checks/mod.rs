//! `memref-hoist-bounds-checks`: bounds of accesses are checked before the loops around
//! them, where that can be.
//!
//! An access whose subscripts are sums of loop counters and numbers from outside the loops
//! is within its array in all iterations if it is at the ends of the counters' ranges. What
//! these tests compare is built once in front of the outermost loop; where a test's answer
//! is known already it is not built. If all hold the loops run without checks. Otherwise a
//! copy of them runs that checks each access: the ends of a range need not be reached, so
//! that a test that fails says nothing, and an error belongs where the access happens.
//!
//! ```text
//! scf.for %i = %c0 to %n {            %ok = n - 1 < dim(%a, 0) and n is no huge number
//!   memref.load %a[%i]                scf.if %ok {
//! }                             =>      scf.for { memref.load %a[%i] {terrace.in_bounds} }
//!                                     } else {
//!                                       scf.for { memref.load %a[%i] }
//!                                     }
//! ```
//!
//! The mark `terrace.in_bounds` is for a target that checks bounds: there is nothing to
//! check. Marks that the program came with are taken off first.

mod emit;
mod form;
mod nest;

use form::Form;
use nest::CheckedNest;
use terrace_dialects::attributes::TERRACE_IN_BOUNDS;
use terrace_dialects::func;
use terrace_dialects::memref::{LoadOp, StoreOp};
use terrace_dialects::scf::{ForOp, IfOp, ParallelOp, YieldOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Builder, Context, Op, OpKind, Value};

/// Loops of more ops are not copied; their accesses are checked where they stand.
const MAX_COPIED: usize = 1 << 14;

pub static INFO: PassInfo = PassInfo {
    name: "memref-hoist-bounds-checks",
    title: "MemrefHoistBoundsChecks",
    summary: "Check the bounds of accesses before the loops around them",
    description: "Marks accesses that are within their arrays with terrace.in_bounds, and gives loops a copy for where a test in front of them does not hold.",
    anchor: Some(func::FuncOp::NAME),
    make: |_| Ok(Box::new(Hoist)),
    ..PassInfo::EMPTY
};

struct Hoist;

impl Pass for Hoist {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        let mut roots = Vec::new();
        for o in op.pre_order(ctx) {
            if access(ctx, o).is_some() {
                o.remove_attr(ctx, TERRACE_IN_BOUNDS);
            }
            let inside = |r: &Op| r.is_ancestor_of(ctx, o);
            if is_loop(ctx, o) && !roots.last().is_some_and(inside) {
                roots.push(o);
            }
        }
        for root in roots {
            hoist(ctx, root);
        }
        Ok(())
    }
}

fn is_loop(ctx: &Context, op: Op) -> bool {
    op.isa::<ForOp>(ctx) || op.isa::<ParallelOp>(ctx)
}

/// What an access asks for: of each row of forms one is not negative.
struct Wants {
    access: Op,
    any: Vec<Vec<Form>>,
    /// A sum that its forms stand for might wrap where numbers are huge.
    guarded: bool,
}

/// Checks what can be checked in front of `root`.
fn hoist(ctx: &mut Context, root: Op) {
    let mut nest = CheckedNest::new(ctx, root);
    let mut open = Vec::new();
    for op in root.pre_order(ctx) {
        let Some((array, subscripts)) = access(ctx, op) else {
            continue;
        };
        let Some(wants) = nest.wants(ctx, op, array, &subscripts) else {
            continue;
        };
        if wants.any.is_empty() && !wants.guarded {
            op.set_attr(ctx, TERRACE_IN_BOUNDS, ctx.unit());
        } else {
            open.push(wants);
        }
    }
    if open.is_empty() || root.pre_order(ctx).len() > MAX_COPIED {
        return;
    }
    let types = root.result_types(ctx);
    let mut b = Builder::before(ctx, root);
    b.loc = root.loc(b.ctx);
    let holds = emit::conjunction(&mut b, &nest, &open);
    let (choice, fast, slow) = IfOp::build(&mut b, holds, &types, true);
    let Some(slow) = slow else { return };
    let copy = clone_op(ctx, root, &mut IrMapping::new());
    slow.push_back(ctx, copy);
    let results = choice.op().results(ctx);
    for (old, new) in root.results(ctx).into_iter().zip(results) {
        old.replace_all_uses(ctx, new);
    }
    root.move_to_end(ctx, fast);
    for (block, op) in [(fast, root), (slow, copy)] {
        let values = op.results(ctx);
        let mut b = Builder::at_end(ctx, block, op.loc(ctx));
        b.op::<YieldOp>(&values, &[], &[]);
    }
    for wants in open {
        let mark = ctx.unit();
        wants.access.set_attr(ctx, TERRACE_IN_BOUNDS, mark);
    }
}

/// The array and the subscripts of an access.
fn access(ctx: &Context, op: Op) -> Option<(Value, Vec<Value>)> {
    let first = match op {
        _ if op.isa::<LoadOp>(ctx) => 0,
        _ if op.isa::<StoreOp>(ctx) => 1,
        _ => return None,
    };
    let operands = op.operands(ctx);
    Some((operands[first], operands[first + 1..].to_vec()))
}
