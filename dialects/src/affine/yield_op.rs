//! `affine.yield`.

use terrace_ir::constraint::ANY;
use terrace_ir::opdef::Verified;
use terrace_ir::{Context, Op, op};

op! {
    /// The end of the body of an affine op, with the values it gives to it: results
    /// of a condition, what a loop carries into the next iteration, what a parallel
    /// loop reduces. Left unwritten where there are none.
    YieldOp = "affine.yield" {
        operands: [operands: ANY.variadic()],
        traits: PURE | TERMINATOR | RETURN_LIKE,
        format: "attr-dict ($operands^ `:` type($operands))?",
        verify: verify,
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let Some(parent) = op.parent(ctx) else {
        return Ok(());
    };
    if !matches!(
        parent.name(ctx),
        "affine.for" | "affine.if" | "affine.parallel" | "affine.scope"
    ) {
        return Err("only terminates affine.if/for/parallel regions".into());
    }
    let (want, have) = (parent.result_types(ctx), op.operand_types(ctx));
    if want.len() != have.len() {
        return Err(
            "parent of yield must have same number of results as the yield operands".into(),
        );
    }
    if want != have {
        return Err("types mismatch between yield op and its parent".into());
    }
    Ok(())
}
