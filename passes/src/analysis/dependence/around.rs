//! Which iterations run any op, not only one that touches memory.

use terrace_dialects::affine::{ForOp, IfOp, ParallelOp};
use terrace_ir::{Context, Op, OpKind};

use super::Program;
use super::domain::Domain;
use super::values::runs_regions_once;

impl Program {
    /// The iterations in which `op`, which is inside the root, runs. Parameters that
    /// no access has mentioned are added to those of the program.
    pub fn domain_of(&mut self, ctx: &Context, op: Op) -> Domain {
        let mut around = Vec::new();
        let mut inner = op;
        while inner != self.root {
            let Some(parent) = inner.parent(ctx) else {
                break;
            };
            around.push((parent, inner));
            inner = parent;
        }
        let (params, root) = (&mut self.params, self.root);
        let mut d = Domain::everywhere();
        for (op, inner) in around.into_iter().rev() {
            d = match op.name(ctx) {
                "affine.for" => d.in_for(ctx, params, root, ForOp::wrap(op)),
                "affine.parallel" => d.in_parallel(ctx, params, root, ParallelOp::wrap(op)),
                "affine.if" => {
                    let i = IfOp::wrap(op);
                    let holds = inner.block(ctx) == Some(i.then_block(ctx));
                    d.in_if(ctx, params, root, i, holds)
                }
                "scf.if" | "scf.index_switch" => d.in_maybe(ctx, op),
                "scf.execute_region" | "memref.alloca_scope" => d,
                _ if op == root && runs_regions_once(ctx, op) => d,
                _ => d.in_opaque(ctx, op),
            };
        }
        d
    }
}
