//! Checks along the edges of structured control flow: what one end hands over, the
//! other takes.

use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::{Context, Op, OpKind, Region, Type, Value};

use super::YieldOp;

/// Types of values.
pub(super) fn types_of(ctx: &Context, values: &[Value]) -> Vec<Type> {
    values.iter().map(|v| v.ty(ctx)).collect()
}

/// The values `from` hands over, of types `have`, go to `to`, which takes `want`.
/// `from` is a terminator, or absent for the op itself.
pub(super) fn check_edge(
    ctx: &Context,
    from: Option<Op>,
    to: &str,
    have: &[Type],
    want: &[Type],
) -> Verified {
    let start = match from {
        Some(t) => format!("Operation {}", t.name(ctx)),
        None => "parent".to_string(),
    };
    let fail = |what: String| {
        let e = Invalid::from(format!(
            "along control flow edge from {start} to {to}: {what}"
        ));
        Err(match from {
            Some(t) => e.note(t.loc(ctx), "region branch point"),
            None => e,
        })
    };
    if have.len() != want.len() {
        return fail(format!(
            "region branch point has {} operands, but region successor needs {} inputs",
            have.len(),
            want.len()
        ));
    }
    for (i, (h, w)) in have.iter().zip(want).enumerate() {
        if h != w {
            return fail(format!(
                "successor operand type #{i} '{}' should match successor input type #{i} '{}'",
                ctx.type_text(*h),
                ctx.type_text(*w)
            ));
        }
    }
    Ok(())
}

/// Every `scf.yield` that ends a block of `region` yields the results of its op.
pub(super) fn check_yields(ctx: &Context, op: Op, region: Region) -> Verified {
    let want = op.result_types(ctx);
    for block in region.blocks(ctx) {
        let Some(y) = block.last_op(ctx).filter(|t| t.isa::<YieldOp>(ctx)) else {
            continue;
        };
        check_edge(ctx, Some(y), "parent", &y.operand_types(ctx), &want)?;
    }
    Ok(())
}

/// The terminator of the only block of `region`, which must be a `K`.
pub(super) fn terminator_of<K: OpKind>(
    ctx: &Context,
    region: Region,
    message: &str,
) -> Result<K, Invalid> {
    let last = region.entry(ctx).and_then(|b| b.last_op(ctx));
    match last {
        Some(t) => match t.cast::<K>(ctx) {
            Some(k) => Ok(k),
            None => Err(Invalid::from(message).note(t.loc(ctx), "terminator here")),
        },
        None => Err(message.into()),
    }
}
