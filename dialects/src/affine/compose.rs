//! Maps and sets over SSA values in canonical form: what `affine.apply` computes is
//! composed into its users, constants move into the map, and operands are listed
//! once each, dimensions first.

use super::IfOp;
use super::inverse::undo_delinearize;
use super::scope::{self, for_of_iv};
use terrace_ir::affine::{
    AffineMap, Constraint, InputFacts, IntegerSet, OperandInfo, Range, ValueMap,
    canonicalize_map_and_operands, canonicalize_set_and_operands, compose_map_operands, gcd,
    prune_min_max, simplify_with_facts,
};
use terrace_ir::{Context, Value};

fn with_info<R>(ctx: &Context, f: impl FnOnce(&OperandInfo<'_, Value>) -> R) -> R {
    f(&OperandInfo {
        is_symbol: &|v| scope::is_symbol(ctx, *v),
        is_dim: &|v| scope::is_dim(ctx, *v),
        constant_of: &|v| ctx.constant_int(*v),
    })
}

/// The map and operands behind the result of an `affine.apply`.
fn producer(ctx: &Context, v: &Value) -> Option<ValueMap<Value>> {
    let apply = scope::apply_of(ctx, *v)?;
    Some(ValueMap {
        map: apply.map(ctx).clone(),
        operands: apply.operands(ctx),
    })
}

/// Compose `map` with every `affine.apply` behind its operands, and make map and
/// operands canonical. A map that does not fit its operands stays as it is.
pub fn compose(ctx: &Context, map: &AffineMap, operands: &[Value]) -> ValueMap<Value> {
    let (mut m, mut v) = (map.clone(), operands.to_vec());
    // A sum of digits is found as it is written, before simplification distributes
    // factors over it, and again in what composition makes of the map. Each finding
    // does away with a delinearization, and there are no more than operands.
    for _ in 0..=operands.len() {
        if let Some(new) = undo_delinearize(ctx, &m, &v) {
            (m, v) = (new.map, new.operands);
        }
        // An error leaves both unchanged.
        let _ = with_info(ctx, |info| {
            if m.num_results() == 0 {
                return canonicalize_map_and_operands(&mut m, &mut v, info);
            }
            compose_map_operands(&mut m, &mut v, info, &|v| producer(ctx, v))
        });
        if undo_delinearize(ctx, &m, &v).is_none() {
            break;
        }
    }
    ValueMap {
        map: m,
        operands: v,
    }
}

/// As [`compose`], for the conditions of a set.
pub fn compose_set(
    ctx: &Context,
    set: &IntegerSet,
    operands: &[Value],
) -> (IntegerSet, Vec<Value>) {
    let (mut s, mut v) = (set.clone(), operands.to_vec());
    if v.iter().any(|v| scope::apply_of(ctx, *v).is_some()) {
        let exprs = s.constraints().iter().map(|c| c.expr.clone()).collect();
        let map = AffineMap::new(s.num_dims(), s.num_symbols(), exprs);
        let composed = compose(ctx, &map, &v);
        let constraints = composed
            .map
            .results()
            .iter()
            .zip(s.constraints())
            .map(|(e, c)| Constraint {
                expr: e.clone(),
                is_eq: c.is_eq,
            })
            .collect();
        s = IntegerSet::new(
            composed.map.num_dims(),
            composed.map.num_symbols(),
            constraints,
        );
        v = composed.operands;
    }
    let _ = with_info(ctx, |info| {
        canonicalize_set_and_operands(&mut s, &mut v, info)
    });
    (s, v)
}

/// What is known of a value: for induction variables, from the bounds and the step
/// of their loop.
pub fn facts_of(ctx: &Context, v: Value) -> InputFacts {
    let Some(f) = for_of_iv(ctx, v) else {
        return InputFacts::default();
    };
    let (lo, hi, step) = (f.constant_lower(ctx), f.constant_upper(ctx), f.step(ctx));
    let last = match (lo, hi) {
        (Some(lo), Some(hi)) if step > 0 => last_value(lo, hi, step),
        (_, Some(hi)) => hi.checked_sub(1),
        _ => None,
    };
    let of_lower = match lo {
        Some(0) => 0,
        _ => f
            .lower_map(ctx)
            .results()
            .iter()
            .map(|e| e.largest_known_divisor())
            .fold(0, gcd),
    };
    let divisor = gcd(of_lower, step).max(1);
    InputFacts {
        range: Range::new(lo, last),
        divisor,
    }
}

/// The last value of a loop from `lo` to before `hi`, if it runs; else `hi - 1`.
fn last_value(lo: i64, hi: i64, step: i64) -> Option<i64> {
    let top = hi.checked_sub(1)?;
    let span = top.checked_sub(lo)?;
    if span < 0 {
        Some(top)
    } else {
        Some(top - span % step)
    }
}

fn facts(ctx: &Context, map: &AffineMap, operands: &[Value]) -> (Vec<InputFacts>, Vec<InputFacts>) {
    let all: Vec<InputFacts> = operands.iter().map(|v| facts_of(ctx, *v)).collect();
    let (d, s) = all.split_at((map.num_dims() as usize).min(all.len()));
    (d.to_vec(), s.to_vec())
}

/// Simplify the divisions of `map`, given the ranges of the loops around.
pub(crate) fn simplify_by_ranges(ctx: &Context, map: &AffineMap, operands: &[Value]) -> AffineMap {
    if operands.is_empty() {
        return map.clone();
    }
    let (d, s) = facts(ctx, map, operands);
    let results = map
        .results()
        .iter()
        .map(|e| simplify_with_facts(e, &d, &s))
        .collect();
    AffineMap::new(map.num_dims(), map.num_symbols(), results)
}

/// Drop results that cannot be the least (or greatest), given the ranges of the
/// loops around.
pub fn prune(ctx: &Context, map: &AffineMap, operands: &[Value], is_max: bool) -> AffineMap {
    if operands.is_empty() {
        return map.clone();
    }
    let (d, s) = facts(ctx, map, operands);
    prune_min_max(map, &d, &s, is_max)
}

impl IfOp {
    /// The condition with every `affine.apply` composed into it.
    pub fn composed(self, ctx: &Context) -> (IntegerSet, Vec<Value>) {
        compose_set(ctx, self.set(ctx), &self.operands(ctx))
    }
}
