//! How the warps that copy share a tile along rows.

use super::Kernel;
use crate::gpu::map_reductions::policy::{COPIERS, LEAST_COLUMNS, THREADS, UNROLL};
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::scf;
use terrace_ir::{Builder, Value};

impl Kernel<'_> {
    /// Does something with each element of a tile: with its row and its column. A warp has a row of
    /// 32 columns at once, or two of 16, where a tile is no multiple of 32 wide.
    pub(super) fn each_of_rows(
        &self,
        b: &mut Builder,
        f: &mut dyn FnMut(&mut Builder, Value, Value),
    ) {
        let width = match self.plan.columns % THREADS {
            0 => THREADS,
            _ => LEAST_COLUMNS,
        };
        let zero = arith::constant_index(b, 0);
        let share = THREADS / (COPIERS / THREADS);
        let rows = arith::constant_index(b, share);
        let from = b.value::<arith::MulIOp>(&[self.warp, rows], self.index, &[]);
        let (from, column) = match width {
            THREADS => (from, self.lane),
            _ => {
                let width = arith::constant_index(b, width);
                let row = b.value::<arith::DivUIOp>(&[self.lane, width], self.index, &[]);
                let column = b.value::<arith::RemUIOp>(&[self.lane, width], self.index, &[]);
                (self.add(b, from, row), column)
            }
        };
        let at_once = THREADS / width;
        let by = (UNROLL * at_once).min(share);
        let columns: Vec<Value> = (0..self.plan.columns)
            .step_by(width as usize)
            .map(|o| {
                let o = arith::constant_index(b, o);
                self.add(b, column, o)
            })
            .collect();
        let step = arith::constant_index(b, by);
        scf::ForOp::build_with(b, (zero, rows, step), &[], |b, r, _| {
            let r = self.add(b, from, r);
            for u in (0..by).step_by(at_once as usize) {
                let u = arith::constant_index(b, u);
                let r = self.add(b, r, u);
                for c in &columns {
                    f(b, r, *c);
                }
            }
            Vec::new()
        });
    }

    /// Whether row `r` of a tile is no other block's, and column `c` none of the tile before, which
    /// has the first `skip` of it.
    pub(super) fn is_own(&self, b: &mut Builder, (r, c): (Value, Value), skip: Value) -> Value {
        let ty = b.ctx.i1();
        let number = b.value::<arith::AddIOp>(&[self.first, r], self.index, &[]);
        let row = arith::CmpIOp::build(b, CmpIPredicate::Sge, number, self.own);
        let column = arith::CmpIOp::build(b, CmpIPredicate::Sge, c, skip);
        b.value::<arith::AndIOp>(&[row, column], ty, &[])
    }
}
