//! What iterations store waits in a tile until those of the whole tile are done.

use super::tiles::Frame;
use super::{Kernel, guarded};
use crate::gpu::map_reductions::policy::STORED;
use crate::gpu::map_reductions::stores::Store;
use terrace_dialects::{arith, gpu, memref};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Value};

impl Kernel<'_> {
    /// The buffer in which tile `t` waits.
    pub(super) fn waits_in(&self, b: &mut Builder, f: &Frame, t: Value) -> Value {
        if f.l.stores.is_empty() {
            return f.zero;
        }
        let buffers = arith::constant_index(b, STORED);
        b.value::<arith::RemUIOp>(&[t, buffers], self.index, &[])
    }

    /// The threads that copy store tile `t`, which all iterations are done of.
    pub(super) fn store_tile(&self, b: &mut Builder, f: &Frame, t: Value) {
        let slot = self.waits_in(b, f, t);
        let begin = b.value::<arith::MulIOp>(&[t, f.columns], self.index, &[]);
        let start = b.value::<arith::MinSIOp>(&[begin, f.latest], self.index, &[]);
        let skip = b.value::<arith::SubIOp>(&[begin, start], self.index, &[]);
        let start = self.add(b, f.range.lower, start);
        self.each_of_rows(b, &mut |b, r, c| {
            let own = self.is_own(b, (r, c), skip);
            guarded(b, own, &[], |b| {
                let i = self.iteration(b, r);
                let j = self.add(b, start, c);
                self.where_it_is(b, f.l, (i, j), |b| {
                    for store in &f.l.stores {
                        self.store_one(b, f, store, (i, j), &[slot, r, c]);
                    }
                });
                Vec::new()
            });
        });
    }

    fn store_one(
        &self,
        b: &mut Builder,
        f: &Frame,
        store: &Store,
        (i, j): (Value, Value),
        from: &[Value],
    ) {
        let mut map = IrMapping::new();
        map.map(self.plan.iv, i);
        map.map(f.l.op.induction_var(b.ctx), j);
        for op in &store.slice {
            let copy = clone_op(b.ctx, *op, &mut map);
            b.insert(copy);
        }
        let at: Vec<Value> = store.at.iter().map(|v| map.value(*v)).collect();
        let v = memref::LoadOp::build(b, self.stored[store.tile], from);
        memref::StoreOp::build(b, v, store.memref, &at);
    }

    /// The last tile of a loop; all threads see what the loop stored behind it.
    pub(super) fn store_last_tile(&self, b: &mut Builder, f: &Frame) {
        if f.l.stores.is_empty() {
            return;
        }
        gpu::BarrierOp::build(b);
        guarded(b, self.copies, &[], |b| {
            let last = b.value::<arith::SubIOp>(&[f.tiles, f.one], self.index, &[]);
            self.store_tile(b, f, last);
            Vec::new()
        });
        gpu::BarrierOp::build(b);
    }
}
