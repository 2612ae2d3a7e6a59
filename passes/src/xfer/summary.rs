//! What a function that is called does to the arrays it is handed.

use super::arrays::{Side, for_each_effect};
use crate::analysis::memory::base;
use rustc_hash::FxHashMap;
use terrace_dialects::func;
use terrace_ir::opdef::EffectKind;
use terrace_ir::{Context, Op, symbols};

/// What a call does to memory of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// For each parameter, whether what it points to is read and written.
    pub params: Vec<(bool, bool)>,
    /// Whether globals, or memory that is not known, are touched.
    pub elsewhere: bool,
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
                // What the callee does on the device it does to mirrors of its own.
                if side == Side::Device {
                    return;
                }
                let root = on.map(|v| base(ctx, v));
                let of_its_own = root.and_then(|r| r.def_op()).is_some_and(|d| {
                    matches!(d.name(ctx), "memref.alloc" | "memref.alloca" | "xfer.alloc")
                });
                let param = root.and_then(|r| args.iter().position(|a| *a == r));
                match param {
                    Some(i) => match kind {
                        EffectKind::Read => summary.params[i].0 = true,
                        _ => summary.params[i].1 = true,
                    },
                    None if of_its_own => {}
                    None => summary.elsewhere = true,
                }
            });
        }
        Some(summary)
    }
}
