//! `gpu-launch-sink-index-computations`: cheap computations whose results a launch
//! uses move into it, so that they need not be passed.
//!
//! Legal for ops without side effects. Views of memrefs sink too: what is passed is
//! then the memory itself; but not those with sizes or strides that only the run knows, which
//! would be passed beside it. So do addresses of constant variables of up to 64 KiB, of which
//! a kernel has a copy.
//!
//! ```text
//! %c4 = arith.constant 4 : index          gpu.launch ... {
//! gpu.launch ... { use(%c4) }       =>      %c4 = arith.constant 4 : index
//!                                           use(%c4)
//!                                         }
//! ```

use crate::analysis::captured::captured;
use crate::analysis::memory::is_view;
use rustc_hash::FxHashSet;
use terrace_dialects::arith;
use terrace_dialects::{gpu, memref};
use terrace_ir::clone::{IrMapping, clone_op};
use terrace_ir::effects::is_memory_effect_free;
use terrace_ir::opdef::traits;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult};
use terrace_ir::{Context, Op, OpKind};

pub static INFO: PassInfo = PassInfo {
    name: "gpu-launch-sink-index-computations",
    title: "GpuLaunchSinkIndexComputations",
    summary: "Sink index computations into gpu.launch body",
    description: "Copies constants, sizes, comparisons, selections and views of memrefs that a launch uses into its body.",
    make: |_| Ok(Box::new(Sink)),
    ..PassInfo::EMPTY
};

struct Sink;

impl Pass for Sink {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        for l in op.find_all::<gpu::LaunchOp>(ctx) {
            sink_into(ctx, l);
        }
        Ok(())
    }
}

/// Whether computing it again costs no more than passing it.
fn worth_sinking(ctx: &Context, op: Op) -> bool {
    if let Some(get) = op.cast::<memref::GetGlobalOp>(ctx) {
        return get.global(ctx).is_some_and(|g| is_table(ctx, g));
    }
    let cheap = op.has_trait(ctx, traits::CONSTANT_LIKE)
        || matches!(
            op.name(ctx),
            memref::DimOp::NAME | arith::SelectOp::NAME | arith::CmpIOp::NAME
        )
        || is_view(ctx, op) && has_known_shape(ctx, op);
    cheap && op.num_regions(ctx) == 0 && is_memory_effect_free(ctx, op)
}

/// Whether a view takes no numbers but constants.
fn has_known_shape(ctx: &Context, view: Op) -> bool {
    let numbers = &view.operands(ctx)[1..];
    numbers.iter().all(|v| ctx.constant_int(*v).is_some())
}

/// Bytes of constant memory that a kernel can have.
const CONSTANT: i64 = 1 << 16;

/// Whether a variable is a table that a kernel can have for itself.
pub(crate) fn is_table(ctx: &Context, g: memref::GlobalOp) -> bool {
    let bytes = g.ty(ctx).and_then(|t| {
        let each = i64::from(t.element(ctx)?.bit_width(ctx)?.div_ceil(8));
        t.num_elements(ctx)?.checked_mul(each)
    });
    let small = bytes.is_some_and(|n| n <= CONSTANT);
    g.is_constant(ctx) && g.initial_elements(ctx).is_some() && small
}

/// Copy into `l` what it captures and is cheap, and what those copies need that is.
pub fn sink_into(ctx: &mut Context, l: gpu::LaunchOp) {
    let body = l.body(ctx);
    let mut map = IrMapping::new();
    let mut done = FxHashSet::default();
    // Post-order over the definitions: an op is copied behind those it uses.
    fn collect(ctx: &Context, op: Op, done: &mut FxHashSet<Op>, order: &mut Vec<Op>) {
        if !worth_sinking(ctx, op) || !done.insert(op) {
            return;
        }
        for v in op.operands(ctx) {
            if let Some(d) = v.def_op() {
                collect(ctx, d, done, order);
            }
        }
        order.push(op);
    }
    let mut order = Vec::new();
    for v in captured(ctx, l.op()) {
        if let Some(op) = v.def_op() {
            collect(ctx, op, &mut done, &mut order);
        }
    }
    let mut last: Option<Op> = None;
    for op in order {
        let copy = clone_op(ctx, op, &mut map);
        match last {
            Some(m) => copy.insert_after(ctx, m),
            None => body.push_front(ctx, copy),
        }
        last = Some(copy);
        for (old, new) in op.results(ctx).into_iter().zip(copy.results(ctx)) {
            let inside = |o: Op| o != l.op() && l.op().is_ancestor_of(ctx, o);
            old.replace_uses_if(ctx, new, |u| inside(u.op));
        }
    }
}
