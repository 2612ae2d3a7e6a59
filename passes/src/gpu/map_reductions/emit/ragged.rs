//! Loops whose bounds differ from thread to thread: a block goes along what its rows have together,
//! and each thread does what is its own of a tile.

use super::{Kernel, guarded};
use crate::gpu::map_reductions::plan::Tiled;
use crate::gpu::map_reductions::policy::THREADS;
use terrace_dialects::arith::{self, AndIOp, CmpIOp, CmpIPredicate, MaxSIOp, MinSIOp, SelectOp};
use terrace_dialects::scf;
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, OpKind, Value};

/// The bounds of a loop in a block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    /// The first iteration of all rows, and how many there are up to the last.
    pub lower: Value,
    pub length: Value,
    /// Where rows differ.
    pub ragged: Option<Ragged>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Ragged {
    /// The thread's own bounds.
    pub lower: Value,
    pub upper: Value,
    /// Iterations that all rows have.
    from: Value,
    to: Value,
}

impl Kernel<'_> {
    /// The iterations that the rows of the block have together.
    pub(super) fn range(&self, b: &mut Builder, l: &Tiled) -> Range {
        let (lower, upper) = (self.map.value(l.lower), self.map.value(l.upper));
        if l.bounds.is_none() {
            let length = b.value::<arith::SubIOp>(&[upper, lower], self.index, &[]);
            return Range {
                lower,
                length,
                ragged: None,
            };
        }
        // All threads look at all rows, so that they agree on it.
        let zero = arith::constant_index(b, 0);
        let one = arith::constant_index(b, 1);
        let rows = arith::constant_index(b, THREADS);
        // A row without iterations has no part in it. Where numbers are beyond 32 bits there are
        // more tiles than have to be.
        let high = arith::constant_index(b, i64::from(i32::MAX));
        let low = arith::constant_index(b, i64::from(i32::MIN));
        let bounds = (zero, rows, one);
        let inits = [high, low, low, high];
        let all = scf::ForOp::build_with(b, bounds, &inits, |b, r, so_far| {
            let i = self.iteration(b, r);
            let (lower, upper) = self.bounds_of(b, l, i);
            let some = CmpIOp::build(b, CmpIPredicate::Slt, lower, upper);
            let first = SelectOp::build(b, some, lower, high);
            let end = SelectOp::build(b, some, upper, low);
            vec![
                b.value::<MinSIOp>(&[so_far[0], first], self.index, &[]),
                b.value::<MaxSIOp>(&[so_far[1], end], self.index, &[]),
                b.value::<MaxSIOp>(&[so_far[2], first], self.index, &[]),
                b.value::<MinSIOp>(&[so_far[3], end], self.index, &[]),
            ]
        });
        let of_all = |i: usize| all.op().result(b.ctx, i);
        let (least, most) = (of_all(0), of_all(1));
        let ragged = Ragged {
            lower,
            upper,
            from: of_all(2),
            to: of_all(3),
        };
        let any = CmpIOp::build(b, CmpIPredicate::Slt, least, most);
        let length = b.value::<arith::SubIOp>(&[most, least], self.index, &[]);
        Range {
            lower: least,
            length: SelectOp::build(b, any, length, zero),
            ragged: Some(ragged),
        }
    }

    /// The bounds of the loop in iteration `i` of the parallel loop.
    fn bounds_of(&self, b: &mut Builder, l: &Tiled, i: Value) -> (Value, Value) {
        let mut map = IrMapping::new();
        map.map(self.plan.iv, i);
        for op in l.bounds.iter().flatten() {
            let copy = clone_op(b.ctx, *op, &mut map);
            b.insert(copy);
        }
        (map.value(l.lower), map.value(l.upper))
    }

    /// Whether all rows have all iterations of the tile that begins `start` behind the first.
    pub(super) fn all_there(&self, b: &mut Builder, range: &Range, start: Value) -> Option<Value> {
        let r = range.ragged?;
        let begin = self.add(b, range.lower, start);
        let width = arith::constant_index(b, self.plan.columns);
        let end = self.add(b, begin, width);
        let from = CmpIOp::build(b, CmpIPredicate::Sle, r.from, begin);
        let to = CmpIOp::build(b, CmpIPredicate::Sle, end, r.to);
        let ty = b.ctx.i1();
        Some(b.value::<AndIOp>(&[from, to], ty, &[]))
    }

    /// The thread's own part of columns from `from` to `to` of that tile.
    pub(super) fn own_part(
        &self,
        b: &mut Builder,
        range: &Range,
        start: Value,
        (from, to): (Value, Value),
    ) -> (Value, Value) {
        let Some(r) = range.ragged else {
            return (from, to);
        };
        let begin = self.add(b, range.lower, start);
        let first = b.value::<arith::SubIOp>(&[r.lower, begin], self.index, &[]);
        let end = b.value::<arith::SubIOp>(&[r.upper, begin], self.index, &[]);
        let from = b.value::<MaxSIOp>(&[first, from], self.index, &[]);
        (from, b.value::<MinSIOp>(&[end, to], self.index, &[]))
    }

    /// Does something where the loop has iteration `j` in iteration `i` of the parallel loop.
    pub(super) fn where_it_is(
        &self,
        b: &mut Builder,
        l: &Tiled,
        (i, j): (Value, Value),
        f: impl FnOnce(&mut Builder),
    ) {
        if l.bounds.is_none() {
            return f(b);
        }
        let (lower, upper) = self.bounds_of(b, l, i);
        let from = CmpIOp::build(b, CmpIPredicate::Sle, lower, j);
        let to = CmpIOp::build(b, CmpIPredicate::Slt, j, upper);
        let ty = b.ctx.i1();
        let is = b.value::<AndIOp>(&[from, to], ty, &[]);
        guarded(b, is, &[], |b| {
            f(b);
            Vec::new()
        });
    }

    /// Whether the thread has an iteration of its own of the loop, and of the parallel one.
    pub(super) fn has_some(&self, b: &mut Builder, range: &Range) -> Value {
        let Some(r) = range.ragged else {
            return self.active;
        };
        let some = CmpIOp::build(b, CmpIPredicate::Slt, r.lower, r.upper);
        let ty = b.ctx.i1();
        b.value::<AndIOp>(&[self.active, some], ty, &[])
    }
}
