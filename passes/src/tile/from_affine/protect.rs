//! Ops that the program does for fewer elements than a tile has: beyond its limits, and where a
//! condition does not hold, an op finds operands that the program never gives it.

use super::translate::{Held, Translate};
use crate::loops::build::index::constant;
use terrace_dialects::arith;
use terrace_dialects::tile;
use terrace_ir::num::Int;
use terrace_ir::{Builder, Context, Op};

/// Attributes by which an op promises something of its operands.
const PROMISES: [&str; 3] = ["overflowFlags", "isExact", "nonNeg"];

/// Whether `op` divides integers.
pub(super) fn divides(ctx: &Context, op: Op) -> bool {
    let all = [
        arith::DivSIOp::NAME,
        arith::DivUIOp::NAME,
        arith::RemSIOp::NAME,
        arith::RemUIOp::NAME,
        arith::CeilDivSIOp::NAME,
        arith::CeilDivUIOp::NAME,
        arith::FloorDivSIOp::NAME,
    ];
    all.contains(&op.name(ctx))
}

/// A second operand by which `op` does nothing, where not all of them will do: a divisor may be 0,
/// or -1 where the least number is divided, and a shift too far.
pub(super) fn neutral(ctx: &Context, op: Op) -> Option<i64> {
    let shifts = [
        arith::ShLIOp::NAME,
        arith::ShRSIOp::NAME,
        arith::ShRUIOp::NAME,
    ];
    let known = op.operands(ctx).get(1).and_then(|v| ctx.constant_int(*v));
    if shifts.contains(&op.name(ctx)) {
        return known.is_none().then_some(0);
    }
    let safe = known.is_some_and(|n| n != 0 && n != -1);
    (divides(ctx, op) && !safe).then_some(1)
}

impl Translate<'_> {
    /// Gives `op` operands by which nothing goes wrong where the program does not do it.
    pub(super) fn protect(&mut self, b: &mut Builder, op: Op, operands: &mut [Held]) -> Option<()> {
        let Some(n) = neutral(b.ctx, op) else {
            return Some(());
        };
        let axes = operands.iter().flat_map(|o| o.axes.clone()).collect();
        let Some(runs) = self.runs(b, axes)? else {
            return Some(());
        };
        let by = operands[1].clone();
        let elem = by.value.ty(b.ctx).element_or_self(b.ctx);
        let n = match elem.is_index(b.ctx) {
            true => constant(b, n),
            false => {
                let n = Int::from_i64(elem.int_width(b.ctx)?, n);
                let n = arith::splat_int(b.ctx, elem, &n);
                b.value::<arith::ConstantOp>(&[], elem, &[("value", n)])
            }
        };
        operands[1] = self.select(b, &runs, &by, &Held::scalar(n))?;
        Some(())
    }

    /// For which elements along `axes` the program does an op; `None` within for all.
    fn runs(&mut self, b: &mut Builder, mut axes: Vec<usize>) -> Option<Option<Held>> {
        axes.sort_unstable();
        axes.dedup();
        let bounds = self.bounds(&axes);
        let exists = bounds.iter().any(|x| !x.is_none()).then(|| {
            let shape = self.shape(&axes);
            let value = tile::MaskOp::build(b, &shape, &bounds);
            self.mark(b, value, &axes);
            Held { value, axes }
        });
        let open = self.row_open.map(|(_, runs)| runs);
        let scalars = [self.when.guard, open].into_iter().flatten();
        let all = scalars.map(Held::scalar);
        let all: Vec<Held> = all.chain(self.when.mask.clone()).chain(exists).collect();
        let mut sum: Option<Held> = None;
        for own in all {
            sum = Some(match sum {
                Some(sum) => self.combined::<arith::AndIOp>(b, &sum, &own)?,
                None => own,
            });
        }
        Some(sum)
    }
}

/// Takes from `op` what it promises of its operands.
pub(super) fn forget_promises(ctx: &Context, op: Op) {
    for name in PROMISES {
        op.remove_attr(ctx, name);
    }
}
