//! Tiles of arrays, which other threads copy to workgroup memory in the background.

use super::tiles::Frame;
use super::{Kernel, guarded};
use crate::gpu::map_reductions::plan::{Load, Way};
use crate::gpu::map_reductions::policy::{COPIERS, THREADS, UNROLL};
use terrace_dialects::arith::{self, CmpIPredicate};
use terrace_dialects::{gpu, nvgpu, scf};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::{Builder, Value};

pub(super) fn create_group(b: &mut Builder) -> Value {
    let token = nvgpu::token(b.ctx);
    b.value::<nvgpu::DeviceAsyncCreateGroupOp>(&[], token, &[])
}

impl Kernel<'_> {
    /// Wait for the oldest tile that is under way, of all threads, and for the threads
    /// that still read the one before it.
    pub(super) fn wait(&self, b: &mut Builder, group: Value) {
        let groups = b.ctx.int_attr(b.ctx.i32(), self.plan.stages - 2);
        guarded(b, self.copies, &[], |b| {
            b.op::<nvgpu::DeviceAsyncWaitOp>(&[group], &[], &[("numGroups", groups)]);
            Vec::new()
        });
        gpu::BarrierOp::build(b);
    }

    /// Begin the copies of a tile, if there is such a one, and put them into a group.
    pub(super) fn begin(&self, b: &mut Builder, f: &Frame, slot: Value, tile: Value) {
        let some = arith::CmpIOp::build(b, CmpIPredicate::Slt, tile, f.tiles);
        guarded(b, some, &[], |b| {
            let begin = b.value::<arith::MulIOp>(&[tile, f.columns], self.index, &[]);
            let start = b.value::<arith::MinSIOp>(&[begin, f.latest], self.index, &[]);
            // Elements that are stored meanwhile, by this block or another one, are left out.
            let skip =
                (f.l.in_place).then(|| b.value::<arith::SubIOp>(&[begin, start], self.index, &[]));
            let start = self.add(b, f.range.lower, start);
            for load in &f.l.loads {
                self.copy(b, f, load, slot, (start, skip));
            }
            Vec::new()
        });
        create_group(b);
    }

    /// Copy a tile's part of an array: the warps that copy share its rows, of arrays along
    /// columns its columns.
    fn copy(
        &self,
        b: &mut Builder,
        f: &Frame,
        load: &Load,
        slot: Value,
        (start, skip): (Value, Option<Value>),
    ) {
        let zero = arith::constant_index(b, 0);
        let by = arith::constant_index(b, UNROLL);
        let warps = COPIERS / THREADS;
        let own_i = self.map.value(self.plan.iv);
        match load.way {
            Way::Vector => {
                for o in (0..self.plan.columns).step_by(COPIERS as usize) {
                    let o = arith::constant_index(b, o);
                    let c = self.add(b, self.copier, o);
                    let inside = arith::CmpIOp::build(b, CmpIPredicate::Slt, c, f.columns);
                    guarded(b, inside, &[], |b| {
                        let j = self.add(b, start, c);
                        self.copy_one(b, f, load, (own_i, j), &[slot, c]);
                        Vec::new()
                    });
                }
            }
            Way::Columns => {
                let share = arith::constant_index(b, self.plan.columns / warps);
                let from = b.value::<arith::MulIOp>(&[self.warp, share], self.index, &[]);
                scf::ForOp::build_with(b, (zero, share, by), &[], |b, c, _| {
                    let c = self.add(b, from, c);
                    for u in 0..UNROLL {
                        let u = arith::constant_index(b, u);
                        let c = self.add(b, c, u);
                        let j = self.add(b, start, c);
                        let to = [slot, c, self.lane];
                        self.where_it_is(b, f.l, (own_i, j), |b| {
                            self.copy_one(b, f, load, (own_i, j), &to);
                        });
                    }
                    Vec::new()
                });
            }
            Way::Rows => {
                self.each_of_rows(b, &mut |b, r, c| {
                    let one = |b: &mut Builder| {
                        let i = self.iteration(b, r);
                        let j = self.add(b, start, c);
                        self.where_it_is(b, f.l, (i, j), |b| {
                            self.copy_one(b, f, load, (i, j), &[slot, r, c]);
                        });
                        Vec::new()
                    };
                    match skip {
                        Some(skip) => {
                            let own = self.is_own(b, (r, c), skip);
                            guarded(b, own, &[], one);
                        }
                        None => {
                            one(b);
                        }
                    }
                });
            }
        }
    }

    fn copy_one(
        &self,
        b: &mut Builder,
        f: &Frame,
        load: &Load,
        (i, j): (Value, Value),
        to: &[Value],
    ) {
        let mut map = IrMapping::new();
        map.map(self.plan.iv, i);
        map.map(f.l.op.induction_var(b.ctx), j);
        for op in &load.slice {
            let copy = clone_op(b.ctx, *op, &mut map);
            b.insert(copy);
        }
        let mut operands = vec![self.buffers[load.tile]];
        operands.extend_from_slice(to);
        operands.push(load.memref);
        operands.extend(load.at.iter().map(|v| map.value(*v)));
        let groups = [1, to.len() as i32, 1, load.at.len() as i32, 0];
        let token = nvgpu::token(b.ctx);
        let state = b
            .state::<nvgpu::DeviceAsyncCopyOp>()
            .operands(&operands)
            .results(&[token])
            .attr(b.ctx, "dstElements", b.ctx.index_attr(1))
            .attr(b.ctx, "operandSegmentSizes", b.ctx.i32_array(&groups));
        b.create(state);
    }
}
