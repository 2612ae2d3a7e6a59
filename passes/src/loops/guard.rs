//! Ops that run only where affine conditions hold.

use terrace_dialects::affine::IfOp;
use terrace_dialects::affine::compose::compose_set;
use terrace_ir::affine::{AffineExpr, Constraint, IntegerSet};
use terrace_ir::{Builder, Context, Loc, Op, Value};

/// Puts neighbouring ops without results that others use under an `affine.if`: they run where all of
/// `conditions` are at least 0. Nothing is done where there is no op or no condition.
pub(crate) fn guard(
    ctx: &mut Context,
    ops: &[Op],
    conditions: Vec<AffineExpr>,
    [dims, symbols]: [&[Value]; 2],
    loc: Loc,
) -> Option<IfOp> {
    let first = *ops.first()?;
    if conditions.is_empty() {
        return None;
    }
    let at_least_0 = |expr| Constraint { expr, is_eq: false };
    let all = conditions.into_iter().map(at_least_0).collect();
    let set = IntegerSet::new(dims.len() as u32, symbols.len() as u32, all);
    let (set, operands) = compose_set(ctx, &set, &[dims, symbols].concat());
    let mut b = Builder::before(ctx, first);
    b.loc = loc;
    let guard = IfOp::build(&mut b, set, &operands, &[], |_| Vec::new(), None);
    if let Some(last) = guard.then_block(ctx).last_op(ctx) {
        for op in ops {
            op.move_before(ctx, last);
        }
    }
    Some(guard)
}
