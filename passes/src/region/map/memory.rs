//! Arrays that are local to the region, and copies of whole arrays.

use super::Mapper;
use crate::gpu::map_parallel::{Options, map_nest};
use crate::xfer::fragments::group::Member;
use terrace_dialects::{arith, gpu, memref, scf};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, InsertPoint, Op, OpKind, Value};

/// Bytes of an array that each thread may have for itself.
const MAX_PRIVATE_BYTES: i64 = 512 * 1024;

impl Mapper<'_> {
    /// An allocation in host code, or its end: kernels share the array, so it is device
    /// memory.
    pub(super) fn local_array(&mut self, op: Op) {
        let name = op.name(self.ctx).to_string();
        if name == memref::ReallocOp::NAME {
            self.fail(
                op,
                "cannot be offloaded; allocate an array of the largest size",
            );
            return;
        }
        if name == memref::DeallocOp::NAME {
            let v = op.operand(self.ctx, 0);
            let mut b = Builder::before(self.ctx, op);
            gpu::DeallocOp::build(&mut b, v);
            op.erase(self.ctx);
            return;
        }
        if !op.operand_group(self.ctx, "symbolOperands").is_empty() {
            self.fail(
                op,
                "has a layout with symbols, which device memory cannot have",
            );
            return;
        }
        let old = op.result(self.ctx, 0);
        let ty = old.ty(self.ctx);
        let sizes = op.operand_group(self.ctx, "dynamicSizes");
        let freed = old
            .users(self.ctx)
            .iter()
            .any(|u| u.isa::<memref::DeallocOp>(self.ctx));
        if sizes.is_empty() && !freed {
            // One piece of memory serves each time that the allocation is reached.
            let new = self.owned_buffer(ty);
            op.replace(self.ctx, &[new]);
            return;
        }
        let end = op.block(self.ctx).and_then(|b| b.last_op(self.ctx));
        let mut b = Builder::before(self.ctx, op);
        let new = gpu::AllocOp::build(&mut b, ty, &sizes);
        op.replace(self.ctx, &[new]);
        if let Some(end) = end.filter(|_| !freed) {
            if end.operands(self.ctx).contains(&new) {
                self.fail(end, "hands on a local array, which ends here");
                return;
            }
            let mut b = Builder::before(self.ctx, end);
            gpu::DeallocOp::build(&mut b, new);
        }
    }

    /// `memref.copy` in host code.
    pub(super) fn copy_array(&mut self, copy: Option<memref::CopyOp>, op: Op) {
        let Some(copy) = copy else { return };
        let (from, to) = (op.operand(self.ctx, 0), op.operand(self.ctx, 1));
        let row_major = |v: Value| memref::layout::has_identity_layout(self.ctx, v.ty(self.ctx));
        if row_major(from) && row_major(to) {
            let mut b = Builder::before(self.ctx, op);
            gpu::MemcpyOp::build(&mut b, to, from);
            op.erase(self.ctx);
            return;
        }
        if let Some(p) = self.copy_loop(copy.op(), from, to) {
            let options = Options {
                notes: true,
                ..Options::default()
            };
            for launch in map_nest(self.ctx, self.function, p, &options) {
                self.given(launch);
            }
        } else {
            self.serial(vec![Member { op, copied: false }]);
        }
    }

    /// The copy as a parallel loop over the elements; none for one element.
    fn copy_loop(&mut self, op: Op, from: Value, to: Value) -> Option<scf::ParallelOp> {
        let shape = from.ty(self.ctx).shape(self.ctx)?.to_vec();
        if shape.is_empty() {
            return None;
        }
        let mut b = Builder::before(self.ctx, op);
        let zero = arith::constant_index(&mut b, 0);
        let one = arith::constant_index(&mut b, 1);
        let index = b.ctx.index();
        let mut sizes = Vec::new();
        for (d, n) in shape.iter().enumerate() {
            let n = if *n == DYNAMIC {
                let at = arith::constant_index(&mut b, d as i64);
                b.value::<memref::DimOp>(&[from, at], index, &[])
            } else {
                arith::constant_index(&mut b, *n)
            };
            sizes.push(n);
        }
        let (lower, steps) = (vec![zero; sizes.len()], vec![one; sizes.len()]);
        let (p, body) = scf::ParallelOp::build(&mut b, &lower, &sizes, &steps, &[]);
        b.at = InsertPoint::End(body);
        let ivs = body.args(b.ctx);
        let v = memref::LoadOp::build(&mut b, from, &ivs);
        memref::StoreOp::build(&mut b, v, to, &ivs);
        scf::ReduceOp::build(&mut b, &[]);
        op.erase(self.ctx);
        Some(p)
    }

    /// Arrays that are made in a kernel are private to the thread.
    pub(super) fn private_arrays(&mut self, launch: gpu::LaunchOp) {
        let mut made = launch.op().pre_order(self.ctx);
        made.retain(|o| {
            matches!(
                o.name(self.ctx),
                memref::AllocOp::NAME | memref::AllocaOp::NAME
            )
        });
        for op in made {
            let v = op.result(self.ctx, 0);
            let ty = v.ty(self.ctx);
            let bits = ty
                .element(self.ctx)
                .and_then(|e| e.bit_width(self.ctx))
                .unwrap_or(64);
            let bytes = ty
                .num_elements(self.ctx)
                .map(|n| n.saturating_mul(i64::from(bits.div_ceil(8))));
            match bytes {
                Some(n) if n <= MAX_PRIVATE_BYTES => {}
                Some(n) => {
                    let m = format!(
                        "is an array of {n} bytes for each iteration of a parallel loop; at most {MAX_PRIVATE_BYTES} fit a thread of the GPU"
                    );
                    self.fail(op, &m);
                    continue;
                }
                None => {
                    self.fail(op, "is an array of its own for each iteration of a parallel loop, and its size is not a constant; the GPU has such arrays only with constant sizes");
                    continue;
                }
            }
            if op.name(self.ctx) == memref::AllocaOp::NAME {
                continue;
            }
            for u in v.users(self.ctx) {
                if u.isa::<memref::DeallocOp>(self.ctx) {
                    u.erase(self.ctx);
                }
            }
            let mut b = Builder::before(self.ctx, op);
            let new = memref::AllocaOp::build(&mut b, ty, &[]);
            op.replace(self.ctx, &[new]);
        }
    }
}
