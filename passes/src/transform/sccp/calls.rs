//! Which functions are called only from places in sight.

use crate::analysis::call_graph::{CallGraph, is_callable, symbol_tables, walk_scope};
use rustc_hash::FxHashSet;
use terrace_dialects::func;
use terrace_ir::symbols::{Visibility, lookup_path, op_symbol_refs, visibility};
use terrace_ir::{Context, Op, Value};

/// The functions inside an op and how they may be called.
pub(super) struct Functions {
    graph: CallGraph,
    /// All calls of these are in sight.
    closed: FxHashSet<Op>,
}

impl Functions {
    pub fn new(ctx: &Context, root: Op) -> Self {
        let graph = CallGraph::new(ctx, root);
        let mut closed = FxHashSet::default();
        let mut open = FxHashSet::default();
        for (table, visible) in symbol_tables(ctx, root) {
            for b in table.blocks(ctx) {
                for op in b.ops(ctx) {
                    let hidden = match visibility(ctx, op) {
                        Visibility::Public => false,
                        Visibility::Nested => visible,
                        Visibility::Private => true,
                    };
                    if is_callable(ctx, op) && hidden && op.symbol_name(ctx).is_some() {
                        closed.insert(op);
                    }
                    // Whoever has the name in another way may call it from anywhere.
                    walk_scope(ctx, op, &mut |user| {
                        if user.isa::<func::CallOp>(ctx) {
                            return;
                        }
                        op_symbol_refs(ctx, user, &mut |s| {
                            let path = s.as_symbol(ctx).unwrap_or(&[]);
                            open.extend(lookup_path(ctx, table, path));
                        });
                    });
                }
            }
        }
        closed.retain(|f| !open.contains(f));
        Functions { graph, closed }
    }

    /// Whether all calls of the function `op` are in sight.
    pub fn is_closed(&self, op: Op) -> bool {
        self.closed.contains(&op)
    }

    /// The function that `call` calls, where its body is in sight and all its ends
    /// are returns.
    pub fn callee(&mut self, ctx: &Context, call: Op) -> Option<Op> {
        let f = self.graph.callee(ctx, call)?;
        let known = f.region(ctx, 0).blocks(ctx).into_iter().all(|b| {
            b.last_op(ctx).is_some_and(|t| {
                t.isa::<func::ReturnOp>(ctx) || (t.num_successors(ctx) > 0 && t.def(ctx).is_some())
            })
        });
        let fits = f.region(ctx, 0).entry(ctx)?.num_args(ctx) == call.num_operands(ctx);
        (known && fits).then_some(f)
    }
}

/// What each return of `f` returns.
pub(super) fn returns(ctx: &Context, f: Op) -> Vec<(Op, Vec<Value>)> {
    f.region(ctx, 0)
        .blocks(ctx)
        .into_iter()
        .filter_map(|b| b.last_op(ctx))
        .filter(|t| t.isa::<func::ReturnOp>(ctx))
        .map(|t| (t, t.operands(ctx)))
        .collect()
}
