//! What the types of an op's operands and results must have in common.

use super::attrs::{i1_like, is_constant_value};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{AttrData, Context, DenseData, Op, Type, TypeData};

pub(super) fn constant(ctx: &Context, op: Op) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    let Some(value) = op.attr(ctx, "value") else {
        return Ok(());
    };
    if value.typed(ctx) != Some(ty) {
        return Err("failed to verify that all of {value, result} have same type".into());
    }
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

/// Checks a cast whose element types must satisfy `elements`.
fn cast(ctx: &Context, op: Op, elements: impl Fn(Type, Type) -> bool) -> Verified {
    let (from, to) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if from.is_tensor(ctx) && to.is_tensor(ctx) && from.shape(ctx) != to.shape(ctx) {
        let m = "failed to verify that input and output have the same tensor dimensions";
        return Err(m.into());
    }
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

pub(super) fn compare(ctx: &Context, op: Op) -> Verified {
    let want = i1_like(ctx, op.operand(ctx, 0).ty(ctx));
    if op.result(ctx, 0).ty(ctx) != want {
        return Err(
            "failed to verify that result type has i1 element type and same shape as operands"
                .into(),
        );
    }
    Ok(())
}

pub(super) fn select(ctx: &Context, op: Op) -> Verified {
    let (condition, ty) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if condition == ctx.i1() {
        return Ok(());
    }
    if condition.shape(ctx) != ty.shape(ctx) {
        let m = "failed to verify that condition is signless i1 or has matching shape";
        return Err(m.into());
    }
    // What is left of wrong kinds of types is for the rules of elementwise ops to say.
    let same_kind = (ty.is_tensor(ctx) && condition.is_tensor(ctx))
        || (ty.is_vector(ctx) && condition.is_vector(ctx));
    if !same_kind {
        return Ok(());
    }
    let want = i1_like(ctx, ty);
    if condition != want {
        return Err(format!(
            "expected condition type to have the same shape as the result type, expected {}, but got {}",
            ctx.quoted_types(&[want]),
            ctx.quoted_types(&[condition])
        )
        .into());
    }
    Ok(())
}
