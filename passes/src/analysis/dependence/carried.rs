//! Values that loops carry from iteration to iteration in SSA form.

use std::rc::Rc;

use terrace_dialects::affine::ForOp;
use terrace_ir::{Context, Op, OpKind, Value};

use super::{Domain, LoopDim, Program};
use crate::analysis::reduction::{Reduction, of_iter_arg};

/// One value that an `affine.for` carries: each iteration depends on the one before.
#[derive(Debug, Clone)]
pub struct CarriedValue {
    /// Which of the loop's carried values it is.
    pub index: usize,
    /// As the body sees it.
    pub value: Value,
    /// What the body hands on is computed by this op; the end of the body where it is
    /// computed outside or handed on as it is.
    pub source: Op,
    /// The first op of the body that uses it, or holds one that does.
    pub sink: Op,
    /// What it is, where the order of the iterations does not matter for it.
    pub reduction: Option<Reduction>,
    /// The iterations of the body.
    pub domain: Rc<Domain>,
}

impl CarriedValue {
    /// The loop that carries it: the innermost of the domain.
    pub(crate) fn carrying_loop(&self) -> Option<LoopDim> {
        self.domain.loops.last().copied()
    }
}

/// The values that the loops in a program carry and use.
pub(super) fn find(ctx: &Context, program: &Program) -> Vec<CarriedValue> {
    let root = program.root;
    let mut found = Vec::new();
    for op in root.find_all::<ForOp>(ctx) {
        let args = op.iter_args(ctx);
        let yielded = op.yielded(ctx);
        let body = op.body(ctx);
        let Some(end) = body.last_op(ctx).filter(|_| !args.is_empty()) else {
            continue;
        };
        let Some(domain) = program.bodies.get(&op.op()) else {
            continue;
        };
        for (index, value) in args.into_iter().enumerate() {
            let users = value.users(ctx);
            let users: Vec<Op> = users
                .into_iter()
                .filter_map(|u| u.ancestor_in(ctx, body))
                .collect();
            let mut at = body.first_op(ctx);
            while let Some(o) = at.filter(|o| !users.contains(o)) {
                at = o.next(ctx);
            }
            let Some(sink) = at else { continue };
            let source = yielded
                .get(index)
                .and_then(|v| v.def_op())
                .filter(|o| o.block(ctx) == Some(body));
            found.push(CarriedValue {
                index,
                value,
                source: source.unwrap_or(end),
                sink,
                reduction: of_iter_arg(ctx, op, index),
                domain: domain.clone(),
            });
        }
    }
    found
}
