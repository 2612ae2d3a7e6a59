//! Numbers that a loop of the host carries and that only the device knows.
//!
//! Each lies in device memory of one element, which an iteration's last kernel overwrites, so
//! that the host does not wait for it in each iteration.
//!
//! ```text
//!                                          store %0, %b[0]
//! %r = scf.for ... iter_args(%s = %0) {    scf.for ... {
//!   gpu.launch ... { use(%s) }        =>     gpu.launch ... { use(load %b[0]) }
//!   %n = memref.load ...                     %n = memref.load ...
//!   scf.yield %n                             store %n, %b[0]
//! }                                        }
//! ```
//!
//! Legal because launches run in the order of the program. The stores stand together at the end
//! of an iteration: one kernel reads all that they store before it writes.

use super::Mapper;
use super::walk::{floats, in_launch};
use rustc_hash::FxHashSet;
use terrace_dialects::{arith, gpu, memref, scf};
use terrace_ir::{Builder, Context, InsertPoint, OpKind, Value};

/// Operands of an `scf.for` in front of what it carries.
const FIRST_INIT: usize = 3;

impl Mapper<'_> {
    /// Brings to device memory what loops with launches carry and the device computes.
    pub(super) fn carried_numbers(&mut self) {
        while let Some((l, i)) = self.carried() {
            self.bring_to_device(l, i);
        }
    }

    /// A number that is to be brought there.
    fn carried(&self) -> Option<(scf::ForOp, usize)> {
        let ctx = &*self.ctx;
        let loops = self.function.find_all::<scf::ForOp>(ctx);
        loops.into_iter().find_map(|l| {
            let launches = !l.op().find_all::<gpu::LaunchOp>(ctx).is_empty();
            if !launches || in_launch(ctx, l.op()) {
                return None;
            }
            let (inits, yielded) = (l.init_args(ctx), l.yielded(ctx));
            (0..inits.len()).find_map(|i| {
                let ty = inits[i].ty(ctx);
                let number = ty.is_int_or_index(ctx) || ty.is_float(ctx);
                let known = |v: Value| !is_of_device(ctx, v);
                (number && !(known(inits[i]) && known(yielded[i]))).then_some((l, i))
            })
        })
    }

    fn bring_to_device(&mut self, l: scf::ForOp, i: usize) {
        let (init, next) = (l.init_args(self.ctx)[i], l.yielded(self.ctx)[i]);
        let buffer = self.number(init.ty(self.ctx));
        let loc = l.op().loc(self.ctx);
        let mut b = Builder::before(self.ctx, l.op());
        let zero = arith::constant_index(&mut b, 0);
        memref::StoreOp::build(&mut b, init, buffer, &[zero]);
        // Behind these stand what the host sees of it, where it does.
        let body = l.body(b.ctx);
        b.at = InsertPoint::Start(body);
        let start = arith::constant_index(&mut b, 0);
        let end = body.last_op(b.ctx).unwrap_or(l.op());
        let mut b = Builder::before(b.ctx, end);
        b.loc = loc;
        memref::StoreOp::build(&mut b, next, buffer, &[zero]);
        if let Some(first) = start.def_op() {
            let now = self.fetch(first, buffer);
            (l.iter_args(self.ctx)[i]).replace_all_uses(self.ctx, now);
        }
        let last = self.fetch(l.op(), buffer);
        l.op().result(self.ctx, i).replace_all_uses(self.ctx, last);
        // Nothing uses it any more: it goes round until `canonicalize` drops it.
        let mut b = Builder::before(self.ctx, l.op());
        if let Some(zero) = b.ctx.zero_attr(init.ty(b.ctx)) {
            let zero = arith::constant(&mut b, zero);
            l.op().set_operand(b.ctx, FIRST_INIT + i, zero);
        }
        let own = l.iter_args(self.ctx)[i];
        l.yield_op(self.ctx).set_operand(self.ctx, i, own);
    }
}

/// Whether the host cannot compute `v` without asking the device.
fn is_of_device(ctx: &Context, v: Value) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![v];
    while let Some(v) = todo.pop() {
        if !seen.insert(v) {
            continue;
        }
        match v.def_op() {
            Some(op) if floats(ctx, op) => todo.extend(op.operands(ctx)),
            // What a loop of the host hands on is looked at there.
            Some(op) if op.isa::<scf::ForOp>(ctx) => {
                let l = scf::ForOp::wrap(op);
                let i = v.index(ctx);
                todo.extend([l.init_args(ctx)[i], l.yielded(ctx)[i]]);
            }
            Some(_) => return true,
            None => {}
        }
    }
    false
}
