//! What the types of an op's operands and results must have in common.

use super::attrs::{i1_like, is_constant_value};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, AttrData, Context, DenseData, Op, Type, TypeData};

/// The type that the value of a constant brings; upstream's strings have `none`.
pub(super) fn value_type(ctx: &Context, value: Attr) -> Option<Type> {
    match value.data(ctx) {
        AttrData::String { ty: None, .. } | AttrData::Opaque { ty: None, .. } => {
            Some(ctx.none_type())
        }
        _ => value.typed(ctx),
    }
}

/// The value has the type of the result.
pub(super) fn constant_types(ctx: &Context, op: Op) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    match op.attr(ctx, "value") {
        Some(v) if value_type(ctx, v) != Some(ty) => {
            Err("failed to verify that all of {value, result} have same type".into())
        }
        _ => Ok(()),
    }
}

pub(super) fn constant(ctx: &Context, op: Op) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    let Some(value) = op.attr(ctx, "value") else {
        return Ok(());
    };
    if ty.is_int(ctx) && !ty.is_signless_int(ctx) {
        return Err("integer return type must be signless".into());
    }
    if !is_constant_value(ctx, value) {
        return Err("value must be an integer, float, or elements attribute".into());
    }
    let splat = matches!(
        value.data(ctx),
        AttrData::Dense {
            data: DenseData::Raw { splat: true, .. } | DenseData::Strings { splat: true, .. },
            ..
        }
    );
    if let TypeData::Vector { scalable, .. } = ty.data(ctx)
        && scalable.contains(&true)
        && !splat
    {
        // The misspelling is upstream's.
        return Err("intializing scalable vectors with elements attribute is not supported unless it's a vector splat".into());
    }
    Ok(())
}

/// Sizes that are both known are equal, ranks too; a scalar goes with a scalar.
fn compatible_shapes(ctx: &Context, a: Type, b: Type) -> bool {
    let container = |t: Type| t.element(ctx).is_some();
    if container(a) != container(b) {
        return false;
    }
    let scalable = |t: Type| match t.data(ctx) {
        TypeData::Vector { scalable, .. } if scalable.contains(&true) => scalable.clone(),
        _ => Vec::new(),
    };
    if a.is_vector(ctx) && b.is_vector(ctx) && scalable(a) != scalable(b) {
        return false;
    }
    match (a.shape(ctx), b.shape(ctx)) {
        (Some(x), Some(y)) => {
            x.len() == y.len()
                && x.iter()
                    .zip(y)
                    .all(|(x, y)| *x == DYNAMIC || *y == DYNAMIC || x == y)
        }
        _ => true,
    }
}

fn same_encoding(ctx: &Context, a: Type, b: Type) -> bool {
    match (a.data(ctx), b.data(ctx)) {
        (TypeData::Tensor { encoding: x, .. }, TypeData::Tensor { encoding: y, .. }) => x == y,
        _ => true,
    }
}

fn incompatible(ctx: &Context, op: Op) -> Invalid {
    let operands = op.operand_types(ctx);
    let many = if operands.len() == 1 { "" } else { "s" };
    format!(
        "operand type{many} {} and result type {} are cast incompatible",
        ctx.quoted_types(&operands),
        ctx.quoted_types(&op.result_types(ctx))
    )
    .into()
}

/// Tensors keep their sizes, known or not.
pub(super) fn tensor_sizes(ctx: &Context, op: Op) -> Verified {
    let (from, to) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if from.is_tensor(ctx) && to.is_tensor(ctx) && from.shape(ctx) != to.shape(ctx) {
        let m = "failed to verify that input and output have the same tensor dimensions";
        return Err(m.into());
    }
    Ok(())
}

/// Checks a cast whose element types must satisfy `elements`.
fn cast(ctx: &Context, op: Op, elements: impl Fn(Type, Type) -> bool) -> Verified {
    let (from, to) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    let ok = same_encoding(ctx, from, to)
        && compatible_shapes(ctx, from, to)
        && elements(from.element_or_self(ctx), to.element_or_self(ctx));
    if ok {
        Ok(())
    } else {
        Err(incompatible(ctx, op))
    }
}

fn widths(ctx: &Context, op: Op, wanted: fn(&u32, &u32) -> bool) -> Verified {
    cast(ctx, op, |from, to| {
        match (from.bit_width(ctx), to.bit_width(ctx)) {
            (Some(from), Some(to)) => wanted(&to, &from),
            _ => false,
        }
    })
}

pub(super) fn wider_int(ctx: &Context, op: Op) -> Verified {
    widths(ctx, op, u32::gt)
}
pub(super) fn wider_float(ctx: &Context, op: Op) -> Verified {
    widths(ctx, op, u32::gt)
}
pub(super) fn shorter_int(ctx: &Context, op: Op) -> Verified {
    widths(ctx, op, u32::lt)
}
pub(super) fn shorter_float(ctx: &Context, op: Op) -> Verified {
    widths(ctx, op, u32::lt)
}

/// A cast between integers and floats of any width.
pub(super) fn cast_shapes(ctx: &Context, op: Op) -> Verified {
    cast(ctx, op, |_, _| true)
}

/// One side is index, the other an integer.
pub(super) fn index_cast(ctx: &Context, op: Op) -> Verified {
    cast(ctx, op, |from, to| {
        (from.is_index(ctx) && to.is_signless_int(ctx))
            || (from.is_signless_int(ctx) && to.is_index(ctx))
    })
}

pub(super) fn bitcast(ctx: &Context, op: Op) -> Verified {
    cast(ctx, op, |from, to| {
        from.bit_width(ctx).is_some() && from.bit_width(ctx) == to.bit_width(ctx)
    })
}

/// A comparison has one `i1` for each pair of values.
pub(super) fn compare_types(ctx: &Context, op: Op) -> Verified {
    let want = i1_like(ctx, op.operand(ctx, 0).ty(ctx));
    if op.result(ctx, 0).ty(ctx) != want {
        return Err(
            "failed to verify that result type has i1 element type and same shape as operands"
                .into(),
        );
    }
    Ok(())
}

/// The condition of `arith.select`: one `i1`, or as many as the result has elements.
pub(super) fn select_types(ctx: &Context, op: Op) -> Verified {
    let (condition, ty) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if condition == ctx.i1() || condition.shape(ctx) == ty.shape(ctx) {
        return Ok(());
    }
    Err("failed to verify that condition is signless i1 or has matching shape".into())
}

pub(super) fn select(ctx: &Context, op: Op) -> Verified {
    let (condition, ty) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if condition == ctx.i1() {
        return Ok(());
    }
    let found = ctx.quoted_types(&[condition]);
    if !(ty.is_tensor(ctx) || ty.is_vector(ctx)) {
        return Err(format!("expected condition to be a signless i1, but got {found}").into());
    }
    let want = i1_like(ctx, ty);
    if condition != want {
        return Err(format!(
            "expected condition type to have the same shape as the result type, expected {}, but got {found}",
            ctx.quoted_types(&[want]),
        )
        .into());
    }
    Ok(())
}
