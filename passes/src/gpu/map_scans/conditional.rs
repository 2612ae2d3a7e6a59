//! Running values that only some iterations combine with something, as places that are given out.
//!
//! ```text
//! %t = scf.if %c {                       %x = arith.select %c, %one, %zero
//!   store %v, %B[%s]                     %t = arith.addi %s, %x
//!   %u = arith.addi %s, %one             scf.if %c {
//!   scf.yield %u                  =>       store %v, %B[%s]
//! } else {                               }
//!   scf.yield %s
//! }
//! ```

use super::scan;
use crate::analysis::reduction::kind_of;
use terrace_dialects::affine::{self, ForOp};
use terrace_dialects::arith::{self, SelectOp};
use terrace_dialects::scf::{self, IfOp};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::{is_pure, only_reads};
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, Value};

/// Takes what is combined out of the conditions of loops that are scans without.
pub fn take_out(ctx: &mut Context, function: Op, reassociate: bool) {
    for l in function.find_all::<ForOp>(ctx) {
        let innermost = l.op().find_all::<ForOp>(ctx).len() == 1;
        if !innermost || found(ctx, l).is_none() || scan(ctx, l, reassociate).is_ok() {
            continue;
        }
        let copy = clone_op(ctx, l.op(), &mut IrMapping::new());
        copy.insert_before(ctx, l.op());
        let copy = ForOp::wrap(copy);
        reuse_loads(ctx, copy);
        let made = match found(ctx, copy) {
            Some(found) => found.take_out(ctx).is_some(),
            None => false,
        };
        if made && scan(ctx, copy, reassociate).is_ok() {
            let results = copy.op().results(ctx);
            l.op().replace(ctx, &results);
        } else {
            copy.op().erase(ctx);
        }
    }
}

/// Has what a condition loads, and the body has loaded before it, be that.
fn reuse_loads(ctx: &mut Context, l: ForOp) {
    let ops = l.body(ctx).ops(ctx);
    let mut known: Vec<Op> = Vec::new();
    for op in ops {
        if op.isa::<affine::LoadOp>(ctx) {
            known.push(op);
            continue;
        }
        let mut inner = Vec::new();
        op.walk(ctx, &mut |o| inner.push(o));
        // The op itself is the last or the first of them, and has regions.
        inner.retain(|o| o.num_regions(ctx) == 0);
        for o in inner {
            if !only_reads(ctx, o) && !o.isa::<scf::YieldOp>(ctx) {
                known.clear();
            }
            let alike =
                |k: &&Op| k.operands(ctx) == o.operands(ctx) && k.attrs(ctx) == o.attrs(ctx);
            let same = match o.isa::<affine::LoadOp>(ctx) && o != op {
                true => known.iter().find(alike).copied(),
                false => None,
            };
            if let Some(same) = same {
                let v = same.result(ctx, 0);
                o.replace(ctx, &[v]);
            }
        }
    }
}

/// The condition that gives the next running value.
struct Found {
    condition: IfOp,
    /// The side that combines, and whether it is the first.
    side: Block,
    first: bool,
    combiner: Op,
    contribution: Value,
}

fn found(ctx: &Context, l: ForOp) -> Option<Found> {
    let ([s], [next]) = (&l.iter_args(ctx)[..], &l.yielded(ctx)[..]) else {
        return None;
    };
    let op = next.def_op()?;
    let condition = op.cast::<IfOp>(ctx)?;
    if op.block(ctx) != Some(l.body(ctx)) || op.num_results(ctx) != 1 {
        return None;
    }
    let sides = [condition.then_block(ctx), condition.else_block(ctx)?];
    let given = |b: Block| b.last_op(ctx)?.operands(ctx).first().copied();
    let given = [given(sides[0])?, given(sides[1])?];
    let first = match (given[0] == *s, given[1] == *s) {
        (false, true) => true,
        (true, false) => false,
        _ => return None,
    };
    let (side, value) = match first {
        true => (sides[0], given[0]),
        false => (sides[1], given[1]),
    };
    let combiner = value.def_op().filter(|o| o.block(ctx) == Some(side))?;
    kind_of(combiner.name(ctx))?;
    let contribution = match combiner.operands(ctx)[..] {
        [a, b] if a == *s && b != *s => b,
        [a, b] if b == *s && a != *s => a,
        _ => return None,
    };
    Some(Found {
        condition,
        side,
        first,
        combiner,
        contribution,
    })
}

impl Found {
    /// `None`, and nothing that matters is changed, where what is combined cannot be computed in front of
    /// the condition.
    fn take_out(self, ctx: &mut Context) -> Option<()> {
        let op = self.condition.op();
        // What computes it, in reverse.
        let mut needed = vec![self.contribution];
        let mut slice = Vec::new();
        for o in self.side.ops(ctx).iter().rev() {
            if o.results(ctx).iter().any(|v| needed.contains(v)) {
                if !is_pure(ctx, *o) || o.num_regions(ctx) > 0 {
                    return None;
                }
                needed.extend(o.operands(ctx));
                slice.push(*o);
            }
        }
        let kind = kind_of(self.combiner.name(ctx))?;
        let ty = self.contribution.ty(ctx);
        let nothing = kind.identity(ctx, ty)?;
        let mut map = IrMapping::new();
        for o in slice.iter().rev() {
            let copy = clone_op(ctx, *o, &mut map);
            copy.insert_before(ctx, op);
        }
        let mut b = Builder::before(ctx, op);
        b.loc = self.combiner.loc(b.ctx);
        let nothing = arith::constant(&mut b, nothing);
        let own = map.value(self.contribution);
        let (x, y) = match self.first {
            true => (own, nothing),
            false => (nothing, own),
        };
        let condition = self.condition.condition(b.ctx);
        let combined = SelectOp::build(&mut b, condition, x, y);
        let mut map = IrMapping::new();
        map.map(self.contribution, combined);
        let next = clone_op(b.ctx, self.combiner, &mut map);
        b.insert(next);
        let next = next.result(b.ctx, 0);
        // The condition without a result.
        let has_other = self
            .condition
            .else_block(b.ctx)
            .is_some_and(|o| o.ops(b.ctx).len() > 1);
        let sides = [
            Some(self.condition.then_block(b.ctx)),
            self.condition.else_block(b.ctx),
        ];
        let (_, then, other) = IfOp::build(&mut b, condition, &[], has_other);
        for (to, from) in [Some(then), other].into_iter().zip(sides) {
            let (Some(to), Some(from)) = (to, from) else {
                continue;
            };
            let mut ops = from.ops(b.ctx);
            ops.pop();
            for o in ops {
                o.move_to_end(b.ctx, to);
            }
            b.with_point(InsertPoint::End(to), |b| {
                scf::YieldOp::build(b, &[]);
            });
        }
        let ctx = b.ctx;
        self.combiner.result(ctx, 0).replace_all_uses(ctx, next);
        op.result(ctx, 0).replace_all_uses(ctx, next);
        op.erase(ctx);
        if !self.combiner.result(ctx, 0).has_uses(ctx) {
            self.combiner.erase(ctx);
        }
        Some(())
    }
}
