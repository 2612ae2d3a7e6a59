//! Patterns of expand_shape and collapse_shape.

use super::{foreign, index_constant, replace_with_cast};
use crate::memref::cast::CastOp;
use crate::memref::fold::defined_by;
use crate::memref::layout::{self, Groups};
use crate::memref::reshape::{CollapseShapeOp, ExpandShapeOp, groups};
use crate::offsets::Mixed;
use terrace_ir::rewrite::{PatternSet, Rewriter};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Context, Op, OpKind, Value};

pub(crate) fn expand_shape(p: &mut PatternSet) {
    p.add::<ExpandShapeOp>(expand_of_expand);
    p.add::<ExpandShapeOp>(expand_of_collapse);
    p.add::<ExpandShapeOp>(expand_of_cast);
}

pub(crate) fn collapse_shape(p: &mut PatternSet) {
    p.add::<CollapseShapeOp>(collapse_of_collapse);
    p.add::<CollapseShapeOp>(collapse_of_expand);
    p.add::<CollapseShapeOp>(collapse_of_cast);
}

/// The reshape of kind `K` before `op`, where all three memrefs have identity layout.
fn plain_pair<K: OpKind>(ctx: &Context, op: Op) -> Option<K> {
    let inner = defined_by::<K>(ctx, op.operand(ctx, 0))?;
    let values = [
        inner.op().operand(ctx, 0),
        op.operand(ctx, 0),
        op.result(ctx, 0),
    ];
    values
        .iter()
        .all(|v| layout::has_identity_layout(ctx, v.ty(ctx)))
        .then_some(inner)
}

fn expand_of_expand(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(inner) = plain_pair::<ExpandShapeOp>(ctx, op) else {
        return false;
    };
    let (Some(a), Some(b)) = (groups(ctx, inner.op()), groups(ctx, op)) else {
        return false;
    };
    let Some(both) = layout::compose_groups(&a, &b) else {
        return false;
    };
    let Some(shape) = ExpandShapeOp::wrap(op).output_shape(ctx) else {
        return false;
    };
    let (ty, source) = (op.result(ctx, 0).ty(ctx), inner.op().operand(ctx, 0));
    let v = ExpandShapeOp::build(rw, ty, source, &both, &shape);
    rw.replace_op(op, &[v]);
    true
}

fn collapse_of_collapse(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(inner) = plain_pair::<CollapseShapeOp>(ctx, op) else {
        return false;
    };
    let (Some(a), Some(b)) = (groups(ctx, inner.op()), groups(ctx, op)) else {
        return false;
    };
    let Some(both) = layout::compose_groups(&a, &b) else {
        return false;
    };
    let (ty, source) = (op.result(ctx, 0).ty(ctx), inner.op().operand(ctx, 0));
    let v = CollapseShapeOp::build(rw, ty, source, &both);
    rw.replace_op(op, &[v]);
    true
}

/// expand(collapse(x)) as one reshape, where the sizes leave no doubt which.
fn expand_of_collapse(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(inner) = plain_pair::<CollapseShapeOp>(ctx, op) else {
        return false;
    };
    let source = inner.op().operand(ctx, 0);
    let ty = op.result(ctx, 0).ty(ctx);
    let (from, to) = (
        source.ty(ctx).shape(ctx).unwrap_or(&[]),
        ty.shape(ctx).unwrap_or(&[]),
    );
    let (Some(a), Some(b)) = (groups(ctx, inner.op()), groups(ctx, op)) else {
        return false;
    };
    match from.len().cmp(&to.len()) {
        std::cmp::Ordering::Equal => false,
        std::cmp::Ordering::Greater => {
            let Some(both) = merge_between(&a, &b, from, to) else {
                return false;
            };
            let v = CollapseShapeOp::build(rw, ty, source, &both);
            rw.replace_op(op, &[v]);
            true
        }
        std::cmp::Ordering::Less => {
            let Some(both) = merge_between(&b, &a, to, from) else {
                return false;
            };
            let Some(shape) = ExpandShapeOp::wrap(op).output_shape(ctx) else {
                return false;
            };
            let v = ExpandShapeOp::build(rw, ty, source, &both, &shape);
            rw.replace_op(op, &[v]);
            true
        }
    }
}

/// Groups that merge `from` into `to`, given for each dimension of a common coarser
/// shape which dimensions of either make it up.
fn merge_between(a: &Groups, b: &Groups, from: &[i64], to: &[i64]) -> Option<Groups> {
    if a.is_empty() {
        return layout::find_collapse(from, to);
    }
    let mut all = Groups::new();
    for (ga, gb) in a.iter().zip(b) {
        let first = *ga.first()?;
        let part = from.get(first..first + ga.len())?;
        let other = to.get(*gb.first()?..*gb.first()? + gb.len())?;
        let dynamic = |s: &[i64]| s.iter().filter(|d| **d == DYNAMIC).count();
        if dynamic(part) >= 2 && dynamic(other) >= 2 {
            return None;
        }
        if part.len() == other.len() {
            if part != other {
                return None;
            }
            all.extend(ga.iter().map(|d| vec![*d]));
            continue;
        }
        let found = layout::find_collapse(part, other)?;
        all.extend(
            found
                .into_iter()
                .map(|g| g.into_iter().map(|d| first + d).collect()),
        );
    }
    Some(all)
}

/// collapse(expand(x)) as one reshape, where no group of one splits one of the other.
fn collapse_of_expand(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(inner) = plain_pair::<ExpandShapeOp>(ctx, op) else {
        return false;
    };
    let source = inner.op().operand(ctx, 0);
    let (from, to) = (source.ty(ctx), op.result(ctx, 0).ty(ctx));
    let (Some(rank), Some(new_rank)) = (from.rank(ctx), to.rank(ctx)) else {
        return false;
    };
    if from == to {
        return false;
    }
    let (Some(a), Some(b)) = (groups(ctx, inner.op()), groups(ctx, op)) else {
        return false;
    };
    let (fine, coarse) = if rank > new_rank { (&a, &b) } else { (&b, &a) };
    let mut next = 0;
    let mut both = Groups::new();
    for group in coarse {
        let Some(last) = group.last() else {
            return false;
        };
        let mut parts = Vec::new();
        while let Some(right) = fine.get(next).and_then(|f| f.last()) {
            if right > last {
                return false;
            }
            parts.push(next);
            next += 1;
            if right == last {
                break;
            }
        }
        both.push(parts);
    }
    match rank.cmp(&new_rank) {
        std::cmp::Ordering::Greater => {
            let v = CollapseShapeOp::build(rw, to, source, &both);
            rw.replace_op(op, &[v]);
        }
        std::cmp::Ordering::Less => {
            let Some(shape) = inner.output_shape(ctx) else {
                return false;
            };
            let Some(shape) = merged_sizes(rw, &shape, &b) else {
                return false;
            };
            let v = ExpandShapeOp::build(rw, to, source, &both, &shape);
            rw.replace_op(op, &[v]);
        }
        std::cmp::Ordering::Equal => {
            if !layout::cast_compatible(ctx, from, to) {
                return false;
            }
            replace_with_cast(rw, op, source);
        }
    }
    true
}

/// The product of the sizes in each group.
fn merged_sizes(rw: &mut Rewriter, sizes: &[Mixed], groups: &Groups) -> Option<Vec<Mixed>> {
    let several = |g: &Vec<usize>| g.len() > 1;
    if groups.iter().any(several) {
        rw.ctx
            .op_def("arith.muli")
            .and(rw.ctx.op_def("arith.constant"))?;
    }
    let index = rw.ctx.index();
    let mut merged = Vec::with_capacity(groups.len());
    for g in groups {
        let (mut known, mut product): (i64, Option<Value>) = (1, None);
        for d in g {
            let size = *sizes.get(*d)?;
            match (size.constant(rw.ctx), size) {
                (Some(c), _) => known = known.checked_mul(c)?,
                (None, Mixed::Value(v)) => {
                    product = Some(match product {
                        Some(p) => multiply(rw, p, v, index)?,
                        None => v,
                    });
                }
                (None, Mixed::Static(_)) => return None,
            }
        }
        merged.push(match product {
            None => Mixed::Static(known),
            Some(p) if known == 1 => Mixed::Value(p),
            Some(p) => {
                let c = index_constant(rw, known)?;
                Mixed::Value(multiply(rw, p, c, index)?)
            }
        });
    }
    Some(merged)
}

fn multiply(rw: &mut Rewriter, a: Value, b: Value, ty: terrace_ir::Type) -> Option<Value> {
    let state = foreign(rw, "arith.muli", &[a, b], ty)?;
    let op = rw.create(state);
    Some(op.result(rw.ctx, 0))
}

/// The memref before a cast that only forgets facts.
fn before_cast(ctx: &Context, op: Op) -> Option<Value> {
    let cast = defined_by::<CastOp>(ctx, op.operand(ctx, 0))?;
    cast.can_fold_into_consumer(ctx)
        .then(|| cast.op().operand(ctx, 0))
}

fn collapse_of_cast(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(source) = before_cast(ctx, op) else {
        return false;
    };
    let Some(groups) = groups(ctx, op) else {
        return false;
    };
    let Some(ty) = layout::collapsed_type(ctx, source.ty(ctx), &groups) else {
        return false;
    };
    if ty == op.result(ctx, 0).ty(ctx) {
        rw.set_operand(op, 0, source);
        return true;
    }
    let v = CollapseShapeOp::build(rw, ty, source, &groups);
    replace_with_cast(rw, op, v);
    true
}

fn expand_of_cast(rw: &mut Rewriter, op: Op) -> bool {
    let ctx = &*rw.ctx;
    let Some(source) = before_cast(ctx, op) else {
        return false;
    };
    let (Some(groups), Some(mut shape)) =
        (groups(ctx, op), ExpandShapeOp::wrap(op).output_shape(ctx))
    else {
        return false;
    };
    crate::offsets::fold_constants(ctx, &mut shape, true);
    let sizes: Vec<i64> = shape.iter().map(|m| m.or_dynamic()).collect();
    let from = source.ty(ctx);
    // A dynamic size can only be split into sizes of which one is dynamic, and the
    // other way round.
    let fits = groups
        .iter()
        .zip(from.shape(ctx).unwrap_or(&[]))
        .all(|(g, size)| g.iter().any(|d| sizes.get(*d) == Some(&DYNAMIC)) == (*size == DYNAMIC));
    if !fits {
        return false;
    }
    let Some(ty) = layout::expanded_type(ctx, from, &sizes, &groups) else {
        return false;
    };
    if ty == op.result(ctx, 0).ty(ctx) {
        rw.set_operand(op, 0, source);
        return true;
    }
    let v = ExpandShapeOp::build(rw, ty, source, &groups, &shape);
    replace_with_cast(rw, op, v);
    true
}
