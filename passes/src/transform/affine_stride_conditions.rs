//! `affine-stride-conditions`: loops whose body only runs in every second iteration, or every third,
//! count by 2, or by 3.
//!
//! ```text
//! affine.for %j = 1 to %n {                       affine.for %j = (%i - 1) mod 2 + 1 to %n step 2 {
//!   affine.if ((%i + %j) mod 2 == 0) {      =>      body
//!     body                                        }
//!   }
//! }
//! ```
//!
//! Sweeps in two colours are written so. Legal because the iterations that are left out do nothing.

use terrace_dialects::affine::compose::compose;
use terrace_dialects::affine::{ForOp, IfOp, YieldOp};
use terrace_dialects::func;
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp, IntegerSet};
use terrace_ir::effects::is_pure;
use terrace_ir::pass::{Pass, PassContext, PassInfo, PassResult, StatisticInfo};
use terrace_ir::{Context, Op, OpKind};

use crate::analysis::bounds::{both, unit_and_rest};

pub static INFO: PassInfo = PassInfo {
    name: "affine-stride-conditions",
    title: "AffineStrideConditions",
    summary: "Let affine loops count by what a condition about a remainder leaves of their iterations",
    description: "An affine.for op that only has an affine.if in it, which asks for a remainder of its variable, gets the divisor as its step.",
    anchor: Some(func::FuncOp::NAME),
    statistics: &[StatisticInfo::new(
        "num-loops",
        "Number of loops that got a step",
    )],
    make: |_| Ok(Box::new(StrideConditions)),
    ..PassInfo::EMPTY
};

struct StrideConditions;

impl Pass for StrideConditions {
    fn run(&mut self, ctx: &mut PassContext, op: Op) -> PassResult {
        for l in op.find_all::<ForOp>(ctx) {
            if let Some(only) = only_condition(ctx, l)
                && stride(ctx, l, only).is_some()
            {
                ctx.count("num-loops", 1);
            }
        }
        Ok(())
    }
}

/// The condition that is all of the body of a loop which counts by 1.
fn only_condition(ctx: &Context, l: ForOp) -> Option<IfOp> {
    if l.op().num_results(ctx) > 0 || l.step(ctx) != 1 || l.lower_map(ctx).num_results() != 1 {
        return None;
    }
    let free = |op: &Op| is_pure(ctx, *op) || op.isa::<YieldOp>(ctx);
    let mut rest = l.body(ctx).ops(ctx);
    rest.retain(|op| !free(op));
    match rest[..] {
        [only] => only.cast::<IfOp>(ctx).filter(|i| {
            let runs = i.else_block(ctx).map_or(0, |b| b.ops(ctx).len());
            i.op().num_results(ctx) == 0 && runs <= 1
        }),
        _ => None,
    }
}

/// What a condition says of the remainder of an expression.
struct Remainder {
    of: AffineExpr,
    divisor: i64,
    /// From 0 to below the divisor.
    is: i64,
}

/// `e mod divisor + constant == 0`, whatever the sign.
fn remainder(e: &AffineExpr) -> Option<Remainder> {
    let (part, constant) = match e.as_binary() {
        Some((AffineOp::Add, part, c)) => (part.clone(), c.as_constant()?),
        _ => (e.clone(), 0),
    };
    let (part, sign) = match part.as_binary() {
        Some((AffineOp::Mul, part, c)) => match c.as_constant()? {
            -1 => (part.clone(), -1),
            1 => (part.clone(), 1),
            _ => return None,
        },
        _ => (part, 1),
    };
    let (AffineOp::Mod, of, divisor) = part.as_binary()? else {
        return None;
    };
    let divisor = divisor.as_constant().filter(|d| *d > 1)?;
    let is = -sign * constant;
    (0..divisor).contains(&is).then(|| Remainder {
        of: of.clone(),
        divisor,
        is,
    })
}

fn stride(ctx: &mut Context, l: ForOp, i: IfOp) -> Option<()> {
    let iv = l.iv(ctx);
    let set = i.set(ctx).clone();
    let (k, found) = set.constraints().iter().enumerate().find_map(|(k, c)| {
        let found = remainder(&c.expr).filter(|_| c.is_eq)?;
        Some((k, found))
    })?;
    // The expression and where the loop begins, over the same operands.
    let own = AffineMap::new(set.num_dims(), set.num_symbols(), vec![found.of]);
    let own = compose(ctx, &own, &i.operands(ctx));
    let lower = (l.lower_map(ctx).clone(), l.lower_operands(ctx));
    let all = both(ctx, (&own.map, &own.operands), (&lower.0, &lower.1));
    let (dims, symbols) = (all.map.num_dims(), all.map.num_symbols());
    let [of, begin] = all.map.results() else {
        return None;
    };
    let at = all.operands.iter().position(|v| *v == iv)?;
    let (sign, rest) = unit_and_rest(of, at as u32, (dims, symbols))?;
    // The first iteration is as far behind the begin as this has it.
    let ahead = match sign {
        1 => AffineExpr::constant(found.is) - rest - begin.clone(),
        _ => rest - found.is - begin.clone(),
    };
    let first = begin.clone() + ahead.modulo(found.divisor);
    let first = AffineMap::new(dims, symbols, vec![first]).simplify();
    if !first.results().iter().all(AffineExpr::within_limits) {
        return None;
    }
    // The variable is none of the operands any more.
    let first = compose(ctx, &first, &all.operands);
    l.set_lower(ctx, first.map, &first.operands);
    l.set_step(ctx, found.divisor);
    let mut others = set.constraints().to_vec();
    others.remove(k);
    if others.is_empty() {
        for op in i.then_block(ctx).ops(ctx) {
            if !op.isa::<YieldOp>(ctx) {
                op.move_before(ctx, i.op());
            }
        }
        i.op().erase(ctx);
    } else {
        let set = IntegerSet::new(set.num_dims(), set.num_symbols(), others);
        let operands = i.operands(ctx);
        i.set_condition(ctx, set, &operands);
    }
    Some(())
}
