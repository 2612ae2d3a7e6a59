//! `affine.scope`.

use super::yield_op::YieldOp;
use crate::region_text::parse;
use terrace_ir::constraint::ANY;
use terrace_ir::text::printer::Printer;
use terrace_ir::{Block, Builder, Context, InsertPoint, Op, OpKind, op};

op! {
    /// Runs its region once. Each index from around it is a symbol in it, whatever it was
    /// computed by: what a loop around carries or has loaded does not change while the region
    /// runs.
    ScopeOp = "affine.scope" {
        results: [results: ANY.variadic()],
        regions: [region: OneBlock],
        traits: AFFINE_SCOPE | RECURSIVE_EFFECTS | RECURSIVELY_SPECULATABLE | SINGLE_BLOCK | NO_REGION_ARGUMENTS,
        implicit_terminator: "affine.yield",
        custom: (parse, print),
    }
}

impl ScopeOp {
    /// What runs.
    pub fn body(self, ctx: &Context) -> Block {
        self.op().body(ctx, 0)
    }

    /// A scope in whose place `op` stood, with only that op in it.
    pub fn around(b: &mut Builder, op: Op) -> ScopeOp {
        let types = op.result_types(b.ctx);
        b.at = InsertPoint::Before(op);
        let s = b.state::<ScopeOp>().results(&types).regions(1);
        let scope = b.create(s);
        let block = scope.region(b.ctx, 0).add_block(b.ctx, &[]);
        let results = op.results(b.ctx);
        for (old, new) in results.iter().zip(scope.results(b.ctx)) {
            old.replace_all_uses(b.ctx, new);
        }
        op.move_to_end(b.ctx, block);
        b.with_point(InsertPoint::End(block), |b| {
            b.op::<YieldOp>(&results, &[], &[]);
        });
        ScopeOp::wrap(scope)
    }
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.optional_arrow_types(&op.result_types(ctx));
    p.write(" ");
    p.region(op.region(ctx, 0), false, op.num_results(ctx) > 0);
    p.attr_dict(op, &[], false);
}
