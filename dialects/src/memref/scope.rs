//! `memref.alloca_scope` and its terminator.

use super::canonicalize;
use crate::region_text::parse;
use terrace_ir::constraint::ANY;
use terrace_ir::text::printer::Printer;
use terrace_ir::{Op, op};

op! {
    /// A region at whose end the stack memory allocated in it is freed.
    AllocaScopeOp = "memref.alloca_scope" {
        results: [results: ANY.variadic()],
        regions: [bodyRegion: OneBlock],
        traits: ALLOCATION_SCOPE | RECURSIVE_EFFECTS | SINGLE_BLOCK | NO_REGION_ARGUMENTS,
        implicit_terminator: "memref.alloca_scope.return",
        custom: (parse, print),
        canonicalize: canonicalize::alloca_scope,
    }

    /// The results of a `memref.alloca_scope`.
    AllocaScopeReturnOp = "memref.alloca_scope.return" {
        operands: [results: ANY.variadic()],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        parents: ["memref.alloca_scope"],
        format: "attr-dict ($results^ `:` type($results))?",
    }
}

fn print(p: &mut Printer, op: Op) {
    let ctx = p.ctx;
    p.write(" ");
    let results = op.result_types(ctx);
    if !results.is_empty() {
        p.write(" -> (");
        p.types(&results);
        p.write(")");
    }
    p.write(" ");
    p.region(op.region(ctx, 0), false, !results.is_empty());
    p.attr_dict(op, &[], false);
}
