//! What a function that is called does to the arrays it is handed.

use super::arrays::{Side, for_each_effect, roots};
use crate::analysis::memory::side_of;
use crate::analysis::memory::{base, is_root};
use rustc_hash::FxHashMap;
use terrace_dialects::{func, gpu};
use terrace_dialects::{memref, xfer};
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Context, Op, Value, symbols};

/// What a call does to memory of its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// For each parameter, whether what it points to is read and written, on the side
    /// where that lies.
    pub params: Vec<(bool, bool)>,
    /// Whether globals, or memory of the host that is not known, are touched.
    pub elsewhere: bool,
}

impl Summary {
    fn add(&mut self, param: usize, kind: EffectKind) {
        match kind {
            EffectKind::Read => self.params[param].0 = true,
            _ => self.params[param].1 = true,
        }
    }

    /// A use of the memref `v` of a device: of buffers that the function is handed, or of
    /// its own, which are nothing to its caller.
    fn add_on_device(&mut self, ctx: &Context, args: &[Value], v: Value, kind: EffectKind) {
        for root in roots(ctx, v) {
            match args.iter().position(|a| *a == root) {
                Some(i) => self.add(i, kind),
                None if is_own(ctx, root) => {}
                // Any of those that it is handed.
                None => {
                    for (i, a) in args.iter().enumerate() {
                        if a.ty(ctx).is_memref(ctx) && side_of(ctx, *a) == Side::Device {
                            self.add(i, kind);
                        }
                    }
                }
            }
        }
    }
}

/// Whether a memref of a device is memory that the function around it made, or the
/// memory of a block or a thread of a launch in it.
fn is_own(ctx: &Context, root: Value) -> bool {
    match root.def_op() {
        Some(op) => is_root(ctx, root) || op.name(ctx) == gpu::DynamicSharedMemoryOp::NAME,
        None => {
            let around = root.arg_block().and_then(|b| b.parent_op(ctx));
            around.is_some_and(|o| o.isa::<gpu::LaunchOp>(ctx))
        }
    }
}

/// Summaries of functions, made when they are asked for.
#[derive(Default)]
pub struct Summaries {
    known: FxHashMap<Op, Option<Summary>>,
}

impl Summaries {
    /// What a `func.call` does; `None` where that is not known: the function is
    /// elsewhere, or calls itself.
    pub fn of_call(&mut self, ctx: &Context, call: Op) -> Option<Summary> {
        let callee = symbols::lookup(ctx, call, call.attr(ctx, "callee")?)?;
        if !callee.isa::<func::FuncOp>(ctx) || callee.region(ctx, 0).is_empty(ctx) {
            return None;
        }
        if let Some(known) = self.known.get(&callee) {
            return known.clone();
        }
        // A function that is met again while it is looked at calls itself.
        self.known.insert(callee, None);
        let summary = self.of_function(ctx, callee);
        self.known.insert(callee, summary.clone());
        summary
    }

    fn of_function(&mut self, ctx: &Context, callee: Op) -> Option<Summary> {
        let args = callee.body(ctx, 0).args(ctx);
        let mut summary = Summary {
            params: vec![(false, false); args.len()],
            elsewhere: false,
        };
        for o in callee.pre_order(ctx).into_iter().skip(1) {
            for_each_effect(ctx, self, o, &mut |kind, on, side| {
                if side == Side::Device {
                    if let Some(v) = on {
                        summary.add_on_device(ctx, &args, v, kind);
                    }
                    return;
                }
                let root = on.map(|v| base(ctx, v));
                let of_its_own = root.and_then(|r| r.def_op()).is_some_and(|d| {
                    matches!(
                        d.name(ctx),
                        memref::AllocOp::NAME | memref::AllocaOp::NAME | xfer::AllocOp::NAME
                    )
                });
                let param = root.and_then(|r| args.iter().position(|a| *a == r));
                match param {
                    Some(i) => summary.add(i, kind),
                    None if of_its_own => {}
                    None => summary.elsewhere = true,
                }
            });
        }
        Some(summary)
    }
}
