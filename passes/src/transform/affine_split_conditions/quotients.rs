//! Subscripts that start again: `(i + 1) % 200` is another linear form from one iteration on.
//!
//! ```text
//! affine.for %i = 0 to 200 {                 affine.for %i = 0 to 199 {
//!   affine.load %a[(%i + 1) mod 200]    =>     affine.load %a[%i + 1]
//! }                                          }
//!                                            affine.for %i = 199 to 200 {
//!                                              affine.load %a[%i - 199]
//!                                            }
//! ```

use crate::analysis::linear::Linear;
use crate::analysis::ranges::Ranges;
use terrace_dialects::affine::compose::facts_of;
use terrace_dialects::affine::{Access, ForOp};
use terrace_ir::affine::{
    AffineExpr, AffineMap, AffineOp, InputFacts, ValueMap, simplify_with_facts,
};
use terrace_ir::{Context, OpKind, Value};

/// Whether subscripts in the loop divide.
pub fn are_asked(ctx: &Context, l: ForOp) -> bool {
    let mut all = Access::all(ctx, l.op()).into_iter();
    all.any(|a| !divisions(&a.composed(ctx).map).is_empty())
}

/// What is divided, and by what, in quotients and remainders of a map.
fn divisions(map: &AffineMap) -> Vec<(AffineExpr, i64)> {
    let mut found = Vec::new();
    for e in map.results() {
        e.walk(|e| {
            if let Some((AffineOp::FloorDiv | AffineOp::Mod, by, what)) = e
                .as_binary()
                .map(|(op, lhs, rhs)| (op, rhs.as_constant(), lhs))
                && let Some(by) = by.filter(|by| *by > 0)
            {
                found.push((what.clone(), by));
            }
        });
    }
    found
}

/// Values of the loop's variable from which on a quotient in a subscript is another, of those
/// that are two numbers in the whole loop. More would make the loop many.
pub fn changes(ctx: &Context, l: ForOp) -> Vec<Linear> {
    let mut found: Vec<Linear> = Vec::new();
    for access in Access::all(ctx, l.op()) {
        let c = access.composed(ctx);
        for (what, by) in divisions(&c.map) {
            if let Some(at) = change(ctx, l, &c, &what, by)
                && !found.contains(&at)
            {
                found.push(at);
            }
        }
    }
    found
}

fn change(
    ctx: &Context,
    l: ForOp,
    of: &ValueMap<Value>,
    what: &AffineExpr,
    by: i64,
) -> Option<Linear> {
    let map = AffineMap::new(of.map.num_dims(), of.map.num_symbols(), vec![what.clone()]);
    let form = Linear::of_map(&map, &of.operands)?.pop()?;
    // What else moves it, a loop around for one, would move the place to split at, and nobody
    // would see that the quotient is one number on either side.
    let [(iv, 1)] = form.terms[..] else {
        return None;
    };
    let range = Ranges::default()
        .of_results(ctx, &map, &of.operands)
        .pop()?;
    let (first, last) = (range.lo?.div_euclid(by), range.hi?.div_euclid(by));
    if iv != l.iv(ctx) || first.checked_add(1)? != last {
        return None;
    }
    let at = last.checked_mul(by)?.checked_sub(form.constant)?;
    Some(Linear::constant(at))
}

/// Makes subscripts in a part of a loop what they are there.
pub fn settle(ctx: &mut Context, part: ForOp) {
    for access in Access::all(ctx, part.op()) {
        let c = access.composed(ctx);
        if divisions(&c.map).is_empty() {
            continue;
        }
        let facts: Vec<InputFacts> = c.operands.iter().map(|v| facts_of(ctx, *v)).collect();
        let (dims, symbols) = facts.split_at((c.map.num_dims() as usize).min(facts.len()));
        let results = c.map.results().iter();
        let results = results.map(|e| simplify_with_facts(e, dims, symbols));
        let map = AffineMap::new(c.map.num_dims(), c.map.num_symbols(), results.collect());
        if map != c.map {
            Access::set_subscripts(ctx, access.op, map, &c.operands);
        }
    }
}
