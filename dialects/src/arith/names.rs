//! Names that the printer gives to results.

use terrace_ir::{AttrData, Context, Op};

/// `%c4`, `%c4_i32`, `%true`, `%cst`.
pub(super) fn constant(ctx: &Context, op: Op) -> Vec<Option<String>> {
    let name = match op.attr(ctx, "value").map(|a| a.data(ctx)) {
        Some(AttrData::Integer { ty, value }) if *ty == ctx.i1() => {
            if value.is_zero() { "false" } else { "true" }.to_string()
        }
        Some(AttrData::Integer { ty, value }) => {
            let v = value.to_string_signed();
            if ty.is_index(ctx) {
                format!("c{v}")
            } else {
                format!("c{v}_{}", ctx.type_text(*ty))
            }
        }
        _ => "cst".to_string(),
    };
    vec![Some(name)]
}

/// `%c4_vscale` for a multiple of the scalable vector length.
pub(super) fn vscale(ctx: &Context, op: Op) -> Vec<Option<String>> {
    let is_vscale = |i: usize| {
        op.operand(ctx, i)
            .def_op()
            .is_some_and(|d| d.name(ctx) == "vector.vscale")
    };
    if !op.result(ctx, 0).ty(ctx).is_index(ctx) {
        return vec![None];
    }
    for (constant, other) in [(0, 1), (1, 0)] {
        if is_vscale(other)
            && let Some(v) = ctx.constant_of(op.operand(ctx, constant))
            && let Some(v) = v.as_int(ctx)
        {
            return vec![Some(format!("c{}_vscale", v.to_string_signed()))];
        }
    }
    vec![None]
}
