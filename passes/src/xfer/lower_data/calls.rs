//! Who calls whom, as far as the table of present arrays is concerned.

use super::super::insert::{host_memrefs, launches};
use super::is_data_op;
use rustc_hash::{FxHashMap, FxHashSet};
use terrace_dialects::func;
use terrace_dialects::func::{CallOp, FuncOp};
use terrace_dialects::xfer;
use terrace_ir::{Context, Op, OpKind};

pub struct Calls {
    /// Whether there is any data op in the module.
    pub has_data_ops: bool,
    /// Whether some op enters data without the structure of a region.
    enters: bool,
    /// The functions with bodies that each function calls.
    callees: FxHashMap<Op, FxHashSet<Op>>,
    /// Functions that look arrays up, themselves or through others; also those that
    /// launch kernels on arrays of the host, which are looked up then.
    looks: FxHashSet<Op>,
    /// Functions that may be called from inside of a data region.
    inside: FxHashSet<Op>,
}

impl Calls {
    pub fn of(ctx: &Context, module: Op) -> Calls {
        let functions: Vec<Op> = module
            .find_all::<FuncOp>(ctx)
            .into_iter()
            .map(|f| f.op())
            .collect();
        let mut calls = Calls {
            has_data_ops: false,
            enters: false,
            callees: FxHashMap::default(),
            looks: FxHashSet::default(),
            inside: FxHashSet::default(),
        };
        let mut called_inside = Vec::new();
        for f in &functions {
            let mut callees = FxHashSet::default();
            for op in f.pre_order(ctx) {
                if is_data_op(ctx, op) {
                    calls.has_data_ops = true;
                    calls.looks.insert(*f);
                    calls.enters |= op.isa::<xfer::EnterDataOp>(ctx);
                }
                if op.isa::<xfer::DataOp>(ctx) {
                    let all = op.pre_order(ctx);
                    called_inside.extend(all.into_iter().flat_map(|o| targets(ctx, o, &functions)));
                }
                callees.extend(targets(ctx, op, &functions));
            }
            let on_host = |l: &Op| !host_memrefs(ctx, *l).is_empty();
            if launches(ctx, *f).iter().any(on_host) {
                calls.looks.insert(*f);
            }
            calls.callees.insert(*f, callees);
        }
        // A caller looks up what its callees do.
        loop {
            let before = calls.looks.len();
            for f in &functions {
                if calls.callees[f].iter().any(|c| calls.looks.contains(c)) {
                    calls.looks.insert(*f);
                }
            }
            if calls.looks.len() == before {
                break;
            }
        }
        while let Some(f) = called_inside.pop() {
            if calls.inside.insert(f) {
                called_inside.extend(calls.callees.get(&f).into_iter().flatten());
            }
        }
        calls
    }

    /// Whether an array that a function shares with others may be present when the
    /// function begins, or come to be while it runs other than by its own regions.
    pub fn may_be_present(&self, function: Op) -> bool {
        self.enters || self.inside.contains(&function)
    }

    /// Whether an op calls what may look arrays up.
    pub fn call_looks(&self, ctx: &Context, op: Op) -> bool {
        match op.name(ctx) {
            func::CallIndirectOp::NAME => !self.looks.is_empty(),
            CallOp::NAME => {
                let callee = CallOp::wrap(op).function(ctx);
                callee.is_some_and(|c| self.looks.contains(&c.op()))
            }
            _ => false,
        }
    }
}

/// The functions of the module that an op may call.
fn targets(ctx: &Context, op: Op, functions: &[Op]) -> Vec<Op> {
    match op.name(ctx) {
        func::CallIndirectOp::NAME => functions.to_vec(),
        CallOp::NAME => {
            let callee = CallOp::wrap(op).function(ctx).map(|f| f.op());
            callee
                .into_iter()
                .filter(|c| functions.contains(c))
                .collect()
        }
        _ => Vec::new(),
    }
}
