//! Rewrites of `affine.delinearize_index` and `affine.linearize_index`.

use super::ApplyOp;
use super::index::{DelinearizeIndexOp, LinearizeIndexOp, Size};
use crate::arith::constant_index;
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::{Context, InsertPoint, Op, OpKind, Value};

pub(super) fn canonicalize_delinearize(set: &mut PatternSet) {
    set.add::<DelinearizeIndexOp>(cancel_linearize_tail);
    set.add::<DelinearizeIndexOp>(drop_unit_sizes);
    set.add::<DelinearizeIndexOp>(split_last_argument);
}

pub(super) fn canonicalize_linearize(set: &mut PatternSet) {
    set.add::<LinearizeIndexOp>(cancel_delinearize_run);
    set.add::<LinearizeIndexOp>(drop_leading_zero);
    set.add::<LinearizeIndexOp>(drop_unit_components);
}

fn constant(ctx: &Context, s: Size) -> Option<i64> {
    match s {
        Size::Const(c) => Some(c),
        Size::Value(v) => ctx.constant_int(v),
    }
}

fn linearize_behind(ctx: &Context, op: Op) -> Option<LinearizeIndexOp> {
    op.operand(ctx, 0)
        .def_op()?
        .cast::<LinearizeIndexOp>(ctx)
        .filter(|l| l.disjoint(ctx))
}

/// Digits of size 1 are 0.
fn drop_unit_sizes(rw: &mut Rewriter, op: Op) -> bool {
    let this = DelinearizeIndexOp::wrap(op);
    let basis = this.padded_basis(rw.ctx);
    let is_unit: Vec<bool> = basis
        .iter()
        .map(|s| s.and_then(|s| constant(rw.ctx, s)) == Some(1))
        .collect();
    if !is_unit.contains(&true) {
        return false;
    }
    let kept: Vec<Option<Size>> = basis
        .iter()
        .zip(&is_unit)
        .filter(|(_, u)| !**u)
        .map(|(s, _)| *s)
        .collect();
    let zero = constant_index(rw, 0);
    let mut rest = Vec::new();
    if !kept.is_empty() {
        let index = this.linear_index(rw.ctx);
        rest = DelinearizeIndexOp::build(rw, index, &kept)
            .op()
            .results(rw.ctx);
    }
    let mut rest = rest.into_iter();
    let values: Vec<Value> = is_unit
        .iter()
        .map(|u| {
            if *u {
                zero
            } else {
                rest.next().unwrap_or(zero)
            }
        })
        .collect();
    rw.replace_op(op, &values);
    true
}

/// The last digits of what was put together from digits of the same sizes are those.
fn cancel_linearize_tail(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let this = DelinearizeIndexOp::wrap(op);
    let Some(lin) = linearize_behind(ctx, op) else {
        return false;
    };
    let (from, to) = (lin.basis(ctx), this.basis(ctx));
    let same = from
        .iter()
        .rev()
        .zip(to.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    if same == 0 {
        return false;
    }
    let indices = lin.multi_index(ctx);
    if same == from.len() && same == to.len() && indices.len() == op.num_results(ctx) {
        rw.replace_op(op, &indices);
        return true;
    }
    let (padded_from, padded_to) = (lin.padded_basis(ctx), this.padded_basis(ctx));
    let (head, tail) = indices.split_at(indices.len() - same);
    let loc = lin.op().loc(ctx);
    let at = rw.loc;
    rw.loc = loc;
    let part = LinearizeIndexOp::build(rw, head, &padded_from[..head.len()], true);
    rw.loc = at;
    let digits = DelinearizeIndexOp::build(rw, part, &padded_to[..padded_to.len() - same]);
    let mut values = digits.op().results(rw.ctx);
    values.extend(tail);
    rw.replace_op(op, &values);
    true
}

/// Where the last sizes multiply to the size of the last argument put together, that
/// argument is taken apart on its own.
fn split_last_argument(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let this = DelinearizeIndexOp::wrap(op);
    let Some(lin) = linearize_behind(ctx, op) else {
        return false;
    };
    let Some(Size::Const(target)) = lin.basis(ctx).last().copied() else {
        return false;
    };
    let (mut product, mut count) = (1i64, 0usize);
    for s in this.basis(ctx).iter().rev() {
        let Size::Const(s) = s else { return false };
        let Some(p) = product.checked_mul(*s) else {
            return false;
        };
        product = p;
        count += 1;
        if product >= target {
            break;
        }
    }
    if product != target || count < 2 {
        return false;
    }
    let indices = lin.multi_index(ctx);
    let Some((last, head)) = indices.split_last() else {
        return false;
    };
    let (from, to) = (lin.padded_basis(ctx), this.padded_basis(ctx));
    let (to_head, to_tail) = to.split_at(to.len() - count);
    let part = LinearizeIndexOp::build(rw, head, &from[..head.len()], true);
    let mut values = DelinearizeIndexOp::build(rw, part, to_head)
        .op()
        .results(rw.ctx);
    values.extend(
        DelinearizeIndexOp::build(rw, *last, to_tail)
            .op()
            .results(rw.ctx),
    );
    rw.replace_op(op, &values);
    true
}

/// A first index that is 0 adds nothing, whatever its size.
fn drop_leading_zero(rw: &mut Rewriter, op: Op) -> bool {
    let this = LinearizeIndexOp::wrap(op);
    let indices = this.multi_index(rw.ctx);
    let Some((first, rest)) = indices.split_first() else {
        return false;
    };
    if rw.ctx.constant_int(*first) != Some(0) {
        return false;
    }
    if rest.is_empty() {
        rw.replace_op(op, &[*first]);
        return true;
    }
    let basis = this.padded_basis(rw.ctx);
    let disjoint = this.disjoint(rw.ctx);
    let v = LinearizeIndexOp::build(rw, rest, &basis[1..], disjoint);
    rw.replace_op(op, &[v]);
    true
}

/// An index of size 1 that is 0, known or promised, goes.
fn drop_unit_components(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let this = LinearizeIndexOp::wrap(op);
    let (indices, basis) = (this.multi_index(ctx), this.padded_basis(ctx));
    let disjoint = this.disjoint(ctx);
    let goes = |i: Value, s: Option<Size>| {
        s.and_then(|s| constant(ctx, s)) == Some(1) && (disjoint || ctx.constant_int(i) == Some(0))
    };
    let kept: Vec<(Value, Option<Size>)> = indices
        .iter()
        .copied()
        .zip(basis.iter().copied())
        .filter(|(i, s)| !goes(*i, *s))
        .collect();
    if kept.len() == indices.len() {
        return false;
    }
    let v = if kept.is_empty() {
        constant_index(rw, 0)
    } else {
        let (indices, basis): (Vec<_>, Vec<_>) = kept.into_iter().unzip();
        LinearizeIndexOp::build(rw, &indices, &basis, disjoint)
    };
    rw.replace_op(op, &[v]);
    true
}

/// Several digits of one index, put together again with the sizes they came from.
struct Run {
    from: DelinearizeIndexOp,
    /// Where it starts among the indices, and among the results of `from`.
    at: usize,
    result: usize,
    len: usize,
}

fn runs(ctx: &Context, this: LinearizeIndexOp) -> Vec<Run> {
    let (indices, basis) = (this.multi_index(ctx), this.padded_basis(ctx));
    let mut runs: Vec<Run> = Vec::new();
    let mut at = 0;
    while at < indices.len() {
        let Some(from) = indices[at]
            .def_op()
            .and_then(|d| d.cast::<DelinearizeIndexOp>(ctx))
        else {
            at += 1;
            continue;
        };
        let sizes = from.padded_basis(ctx);
        let result = indices[at].index(ctx);
        // The first digit and the first index may be of any size.
        let fits = sizes[result] == basis[at]
            || (at == 0 && result == 0)
            || (this.disjoint(ctx) && result == 0 && sizes[0].is_none());
        let more = (1..)
            .take_while(|j| {
                at + j < indices.len()
                    && result + j < sizes.len()
                    && indices[at + j] == from.op().result(ctx, result + j)
                    && basis[at + j] == sizes[result + j]
            })
            .count();
        // One run of each op at a time: its results are about to be replaced.
        if !fits || more == 0 || runs.iter().any(|r| r.from == from) {
            at += 1;
            continue;
        }
        runs.push(Run {
            from,
            at,
            result,
            len: more + 1,
        });
        at += more + 1;
    }
    runs
}

fn cancel_delinearize_run(rw: &mut Rewriter, op: Op) -> bool {
    let this = LinearizeIndexOp::wrap(op);
    let runs = runs(rw.ctx, this);
    if runs.is_empty() {
        return false;
    }
    let (indices, basis) = (this.multi_index(rw.ctx), this.padded_basis(rw.ctx));
    let disjoint = this.disjoint(rw.ctx);
    let (mut new_indices, mut new_basis) = (Vec::new(), Vec::new());
    let mut replaced: Vec<(Op, Vec<Value>)> = Vec::new();
    let mut done = 0;
    let (point, loc) = (rw.at, rw.loc);
    for r in &runs {
        new_indices.extend(&indices[done..r.at]);
        new_basis.extend(&basis[done..r.at]);
        done = r.at + r.len;
        let merged = &basis[r.at..done];
        let from = r.from.op();
        rw.at = InsertPoint::Before(from);
        let Some(size) = product(rw, merged) else {
            // Too large to merge: leave these digits as they are.
            new_indices.extend(&indices[r.at..done]);
            new_basis.extend(merged);
            continue;
        };
        let linear = r.from.linear_index(rw.ctx);
        if r.len == from.num_results(rw.ctx) {
            new_indices.push(linear);
            new_basis.push(size);
            continue;
        }
        rw.loc = from.loc(rw.ctx);
        let mut sizes = r.from.padded_basis(rw.ctx);
        sizes.splice(r.result..r.result + r.len, [size]);
        let outer = DelinearizeIndexOp::build(rw, linear, &sizes)
            .op()
            .results(rw.ctx);
        let inner = DelinearizeIndexOp::build(rw, outer[r.result], merged)
            .op()
            .results(rw.ctx);
        rw.loc = loc;
        let values = [&outer[..r.result], &inner, &outer[r.result + 1..]].concat();
        new_indices.push(outer[r.result]);
        new_basis.push(size);
        replaced.push((from, values));
    }
    (rw.at, rw.loc) = (point, loc);
    if new_indices.len() == indices.len() {
        return false;
    }
    new_indices.extend(&indices[done..]);
    new_basis.extend(&basis[done..]);
    let v = LinearizeIndexOp::build(rw, &new_indices, &new_basis, disjoint);
    rw.replace_op(op, &[v]);
    for (from, values) in replaced {
        rw.replace_op(from, &values);
    }
    true
}

/// The product of sizes: `Some(None)` where the first has none, `None` where it does
/// not fit.
#[allow(clippy::option_option)]
fn product(rw: &mut Rewriter, sizes: &[Option<Size>]) -> Option<Option<Size>> {
    let mut factor = 1i64;
    let mut values = Vec::new();
    for s in sizes {
        let Some(s) = s else { return Some(None) };
        match constant(rw.ctx, *s) {
            Some(c) => factor = factor.checked_mul(c)?,
            None => match s {
                Size::Value(v) => values.push(*v),
                Size::Const(_) => {}
            },
        }
    }
    if values.is_empty() {
        return Some(Some(Size::Const(factor)));
    }
    // In the order of the sizes, as symbols.
    let mut expr = AffineExpr::constant(1);
    let mut n = 0;
    for s in sizes.iter().flatten() {
        expr = match constant(rw.ctx, *s) {
            Some(c) => expr * AffineExpr::constant(c),
            None => {
                n += 1;
                expr * AffineExpr::symbol(n - 1)
            }
        };
    }
    Some(Some(Size::Value(ApplyOp::build(
        rw,
        AffineMap::new(0, n, vec![expr]),
        &values,
    ))))
}
