//! The bytes that a kernel must at least move.

use rustc_hash::FxHashSet;
use terrace_dialects::{gpu, nvgpu};
use terrace_ir::{Context, Op, Value};

use super::count::{Access, Around, Counter, ONE, ZERO};
use super::form::Axis;
use crate::analysis::memory::base;
use crate::analysis::memref_region::element_bytes;
use crate::loops::build::float::F;

impl Counter<'_, '_, '_> {
    /// A copy to memory of the block: as many elements as copies, once for all blocks where
    /// they copy the same.
    pub(super) fn copied(&mut self, copy: nvgpu::DeviceAsyncCopyOp, around: &Around) {
        let ctx = self.f.ctx();
        let Some(array) = copy.src(ctx).map(|v| base(ctx, v)) else {
            return;
        };
        if !self.f.is_passed(array) {
            return;
        }
        let each = copy.dst_elements(ctx) as f64;
        let of_block = depends_on_block(ctx, copy.src_indices(ctx));
        let mut all = self.executions(around);
        if !of_block {
            for grid in self.f.grid {
                let Some(blocks) = self.f.float(grid) else {
                    return;
                };
                let some = self.f.n.max(blocks, ONE);
                all = self.f.n.div(all, some);
            }
        }
        let elements = self.f.n.mul(all, F::Known(each));
        // What goes to one buffer is copied in parts.
        let to = copy.dst(self.f.ctx()).unwrap_or(array);
        match self.copies.iter_mut().find(|c| c.0 == array && c.1 == to) {
            Some(c) => c.2 = self.f.n.add(c.2, elements),
            None => self.copies.push((array, to, elements)),
        }
    }

    /// The elements that subscripts surely reach: of each a sum of `k` counters takes as many
    /// values as all of these together, but for `k - 1`; a counter is free in one subscript.
    pub(super) fn elements(&mut self, at: &[Value], around: &Around) -> F {
        let mut product = ONE;
        let mut seen: Vec<Axis> = Vec::new();
        for v in at {
            let Some(form) = self.f.form(*v) else {
                continue;
            };
            let mut values = ONE;
            for (axis, _) in &form.terms {
                let Some(range) = around.ranges.get(axis).filter(|_| !seen.contains(axis)) else {
                    continue;
                };
                seen.push(*axis);
                let further = self.f.n.sub(range.count, ONE);
                values = self.f.n.add(values, further);
            }
            product = self.f.n.mul(product, values);
        }
        // Not more than there are accesses, of which there may be none.
        let all = self.executions(around);
        self.f.n.min(product, all)
    }

    /// The bytes of all arrays, once for each way.
    pub(super) fn bytes(&mut self) -> F {
        let copies = std::mem::take(&mut self.copies);
        self.accesses
            .extend(copies.into_iter().map(|(array, _, n)| (array, n, false)));
        let mut most: Vec<Access> = Vec::new();
        for (array, n, writes) in std::mem::take(&mut self.accesses) {
            match most.iter_mut().find(|a| a.0 == array && a.2 == writes) {
                Some(a) => a.1 = self.f.n.max(a.1, n),
                None => most.push((array, n, writes)),
            }
        }
        let mut sum = ZERO;
        for (array, n, _) in most {
            let ctx = self.f.ctx();
            let element = array.ty(ctx).element(ctx);
            let size = element.and_then(|t| element_bytes(ctx, t)).unwrap_or(1) as f64;
            let bytes = self.f.n.mul(n, F::Known(size));
            sum = self.f.n.add(sum, bytes);
        }
        sum
    }
}

/// Whether values are computed from the number of the block.
fn depends_on_block(ctx: &Context, values: Vec<Value>) -> bool {
    let mut seen: FxHashSet<Op> = FxHashSet::default();
    let mut work = values;
    while let Some(v) = work.pop() {
        let Some(op) = v.def_op().filter(|o| seen.insert(*o)) else {
            continue;
        };
        if op.isa::<gpu::BlockIdOp>(ctx) {
            return true;
        }
        work.extend(op.operands(ctx));
    }
    false
}
