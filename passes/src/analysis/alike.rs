//! Values that are computed alike: by the same op, of operands that may be others.

use terrace_ir::{Context, Value};

/// The operands of the ops that make two values, if these are the same ops but for what they take.
pub(crate) fn alike(ctx: &Context, a: Value, b: Value) -> Option<Vec<(Value, Value)>> {
    let (x, y) = (a.def_op()?, b.def_op()?);
    let same = x.name(ctx) == y.name(ctx)
        && x.attrs(ctx) == y.attrs(ctx)
        && x.num_regions(ctx) == 0
        && a.index(ctx) == b.index(ctx)
        && a.ty(ctx) == b.ty(ctx)
        && x.num_operands(ctx) == y.num_operands(ctx);
    same.then(|| x.operands(ctx).into_iter().zip(y.operands(ctx)).collect())
}
