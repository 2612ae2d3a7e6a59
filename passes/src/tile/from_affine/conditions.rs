//! Conditions in a nest: those that only choose between values become selects, and those that
//! all elements see alike become limits of what is loaded and stored.

use super::translate::{Held, Translate};
use crate::lower::expand::expand_set;
use terrace_dialects::affine::IfOp;
use terrace_dialects::{arith, scf};
use terrace_ir::effects::is_pure;
use terrace_ir::{Block, Builder, Context, Op, OpKind, Value};

/// Whether a nest has conditions that hand values on.
pub(super) fn any(ctx: &Context, root: Op) -> bool {
    (root.pre_order(ctx).iter()).any(|o| o.isa::<scf::IfOp>(ctx) && o.num_results(ctx) > 0)
}

/// Makes selects of the conditions in a nest whose ways hold nothing but what computes without
/// memory and cannot go wrong.
pub(super) fn select(ctx: &mut Context, root: Op) {
    let mut all: Vec<Op> = root.pre_order(ctx);
    all.retain(|o| o.isa::<scf::IfOp>(ctx) && o.num_results(ctx) > 0);
    // Those inside come first.
    for op in all.into_iter().rev() {
        let blocks = op.blocks(ctx);
        let [then, other] = blocks[..] else { continue };
        let simple = |b: &Block| {
            super::find::statements(ctx, *b)
                .iter()
                .all(|o| may_run(ctx, *o))
        };
        if ![then, other].iter().all(simple) {
            continue;
        }
        let mut ways = Vec::new();
        for block in [then, other] {
            for o in super::find::statements(ctx, block) {
                o.move_before(ctx, op);
            }
            let end = block.last_op(ctx);
            ways.push(end.map(|e| e.operands(ctx)).unwrap_or_default());
        }
        let condition = op.operand(ctx, 0);
        let b = &mut Builder::before(ctx, op);
        let values: Vec<Value> = (ways[0].iter().zip(&ways[1]))
            .map(|(x, y)| {
                let ty = x.ty(b.ctx);
                b.value::<arith::SelectOp>(&[condition, *x, *y], ty, &[])
            })
            .collect();
        op.replace(b.ctx, &values);
    }
}

/// Whether an op may run where the program does not run it.
fn may_run(ctx: &Context, op: Op) -> bool {
    op.num_regions(ctx) == 0 && is_pure(ctx, op)
}

impl Translate<'_> {
    /// An `affine.if` whose condition all elements share.
    pub(super) fn condition(&mut self, b: &mut Builder, op: Op) -> Option<()> {
        let c = IfOp::wrap(op);
        let (set, operands) = c.composed(b.ctx);
        let operands: Option<Vec<Value>> = (operands.iter())
            .map(|v| {
                let h = self.data(b, *v)?;
                h.axes.is_empty().then_some(h.value)
            })
            .collect();
        let holds = expand_set(b, &set, &operands?).ok()?;
        let i1 = b.ctx.i1();
        let yes = arith::constant_bool(b, true);
        let fails = b.value::<arith::XOrIOp>(&[holds, yes], i1, &[]);
        let around = self.guard;
        let mut ways: Vec<Vec<Held>> = Vec::new();
        let blocks = op.blocks(b.ctx);
        for (block, own) in blocks.into_iter().zip([holds, fails]) {
            let guard = match around {
                Some(g) => b.value::<arith::AndIOp>(&[g, own], i1, &[]),
                None => own,
            };
            self.guard = Some(guard);
            for o in super::find::statements(b.ctx, block) {
                self.op(b, o)?;
            }
            let end = block
                .last_op(b.ctx)
                .map(|e| e.operands(b.ctx))
                .unwrap_or_default();
            let held: Option<Vec<Held>> = end.into_iter().map(|v| self.data(b, v)).collect();
            ways.push(held?);
        }
        self.guard = around;
        for (i, result) in op.results(b.ctx).into_iter().enumerate() {
            let (x, y) = (ways.first()?.get(i)?, ways.get(1)?.get(i)?);
            let axes = super::translate::union(&x.axes, &y.axes);
            let (x, y) = (self.spread(b, x, &axes)?, self.spread(b, y, &axes)?);
            let ty = x.ty(b.ctx);
            let value = b.value::<arith::SelectOp>(&[holds, x, y], ty, &[]);
            self.values.insert(result, Held { value, axes });
        }
        Some(())
    }
}
