//! Subscripts that put the digits of an `affine.delinearize_index` together again.
//!
//! `s0 * 12 + s1 * 4 + s2` over the three results of a delinearization by
//! `(_, 3, 4)` is the index that was taken apart. After upstream's
//! `replaceAffineDelinearizeIndexInverseExpression`; sizes must be static.

use super::{DelinearizeIndexOp, Size};
use terrace_ir::affine::{AffineExpr, AffineMap, AffineOp, ValueMap};
use terrace_ir::{Context, OpKind, Value};

/// `map` with one such sum replaced, over the operands and the index behind it;
/// `None` where there is none.
pub(super) fn undo_delinearize(
    ctx: &Context,
    map: &AffineMap,
    operands: &[Value],
) -> Option<ValueMap<Value>> {
    operands.iter().find_map(|v| {
        let from = v.def_op()?.cast::<DelinearizeIndexOp>(ctx)?;
        let results = from.op().results(ctx);
        // Each op is looked at once, for its last result.
        (results.last() == Some(v)).then_some(())?;
        replace_digits(
            map,
            operands,
            &results,
            &digits_of(ctx, from)?,
            from.linear_index(ctx),
        )
    })
}

/// The weight of each digit; `None` where one is not known or does not fit.
fn digits_of(ctx: &Context, from: DelinearizeIndexOp) -> Option<Vec<i64>> {
    let mut weights = Vec::new();
    let mut weight = Some(1i64);
    for size in from.padded_basis(ctx).into_iter().rev() {
        weights.push(weight?);
        weight = match size {
            Some(Size::Const(c)) => weight?.checked_mul(c),
            Some(Size::Value(_)) => return None,
            None => None,
        };
    }
    weights.reverse();
    Some(weights)
}

fn replace_digits(
    map: &AffineMap,
    operands: &[Value],
    digits: &[Value],
    weights: &[i64],
    whole: Value,
) -> Option<ValueMap<Value>> {
    let (dims, symbols) = operands.split_at_checked(map.num_dims() as usize)?;
    let mut terms = Vec::new();
    let mut all_dims = true;
    for (digit, weight) in digits.iter().zip(weights) {
        let leaf = match dims.iter().position(|d| d == digit) {
            Some(i) => AffineExpr::dim(i as u32),
            None => {
                all_dims = false;
                AffineExpr::symbol(symbols.iter().position(|s| s == digit)? as u32)
            }
        };
        terms.push(leaf * AffineExpr::constant(*weight));
    }
    let (mut nd, mut ns) = (map.num_dims(), map.num_symbols());
    let new = if all_dims {
        AffineExpr::dim(nd)
    } else {
        AffineExpr::symbol(ns)
    };
    let results: Vec<Option<AffineExpr>> = map
        .results()
        .iter()
        .map(|e| shorten(e, &terms, &new))
        .collect();
    if results.iter().all(Option::is_none) {
        return None;
    }
    let results = results
        .into_iter()
        .zip(map.results())
        .map(|(n, e)| n.unwrap_or_else(|| e.clone()));
    let results = results.collect();
    let mut values = operands.to_vec();
    if all_dims {
        values.insert(nd as usize, whole);
        nd += 1;
    } else {
        values.push(whole);
        ns += 1;
    }
    Some(ValueMap {
        map: AffineMap::new(nd, ns, results),
        operands: values,
    })
}

/// `e` with every sum that has all of `terms` among its own shortened by them, plus
/// `new`; `None` where there is no such sum.
fn shorten(e: &AffineExpr, terms: &[AffineExpr], new: &AffineExpr) -> Option<AffineExpr> {
    let (op, lhs, rhs) = e.as_binary()?;
    if op != AffineOp::Add {
        let (l, r) = (shorten(lhs, terms, new), shorten(rhs, terms, new));
        if l.is_none() && r.is_none() {
            return None;
        }
        let (l, r) = (
            l.unwrap_or_else(|| lhs.clone()),
            r.unwrap_or_else(|| rhs.clone()),
        );
        return Some(AffineExpr::binary(op, l, r));
    }
    // The terms of the sum, the last first.
    let mut sum = vec![rhs];
    let mut rest = lhs;
    while let Some((AffineOp::Add, l, r)) = rest.as_binary() {
        sum.push(r);
        rest = l;
    }
    sum.push(rest);
    let mut missing = terms.to_vec();
    let mut kept = Vec::new();
    for t in sum.iter().rev() {
        match missing.iter().position(|m| m == *t) {
            Some(i) => {
                missing.swap_remove(i);
            }
            None => kept.push(*t),
        }
    }
    if missing.is_empty() {
        return Some(kept.into_iter().fold(new.clone(), |s, t| s + t.clone()));
    }
    let parts: Vec<Option<AffineExpr>> = sum.iter().rev().map(|t| shorten(t, terms, new)).collect();
    if parts.iter().all(Option::is_none) {
        return None;
    }
    let parts = parts.into_iter().zip(sum.iter().rev());
    parts
        .map(|(n, t)| n.unwrap_or_else(|| (*t).clone()))
        .reduce(|a, b| a + b)
}
