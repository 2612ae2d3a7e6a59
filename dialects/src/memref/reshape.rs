//! Reshapes: `memref.expand_shape`, `memref.collapse_shape`, `memref.reshape`.

use super::constraints::{MEMREF_1D_INDICES, REASSOCIATION, STRIDED};
use super::layout::{self, Groups};
use super::{canonicalize, effects, fold, syntax};
use crate::offsets::{self, Mixed};
use terrace_ir::constraint::{ANY_MEMREF, DENSE_I64, INDEX};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Builder, Context, Op, OpKind, Type, TypeData, Value, op};

op! {
    /// Splits dimensions: dimension `i` of the source becomes the dimensions of the
    /// result that `reassociation[i]` lists.
    ExpandShapeOp = "memref.expand_shape" {
        operands: [src: STRIDED, output_shape: INDEX.variadic()],
        results: [result: STRIDED],
        attrs: [reassociation: REASSOCIATION, static_output_shape: DENSE_I64],
        traits: PURE,
        custom: (syntax::parse_expand_shape, syntax::print_expand_shape),
        verify: verify_expand,
        fold: fold::expand_shape,
        canonicalize: canonicalize::expand_shape,
        result_names: |_, _| vec![Some("expand_shape".to_string())],
    }

    /// Merges dimensions: those of the source that `reassociation[i]` lists become
    /// dimension `i` of the result. They must lie contiguously.
    CollapseShapeOp = "memref.collapse_shape" {
        operands: [src: STRIDED],
        results: [result: STRIDED],
        attrs: [reassociation: REASSOCIATION],
        traits: PURE,
        format: "$src $reassociation attr-dict `:` type($src) `into` type($result)",
        verify: verify_collapse,
        fold: fold::collapse_shape,
        canonicalize: canonicalize::collapse_shape,
        result_names: |_, _| vec![Some("collapse_shape".to_string())],
    }

    /// The same elements in row-major order with the sizes that `shape` holds.
    ReshapeOp = "memref.reshape" {
        operands: [source: ANY_MEMREF, shape: MEMREF_1D_INDICES],
        results: [result: ANY_MEMREF],
        traits: SPECULATABLE,
        format: "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)",
        verify: verify_reshape,
        effects: effects::read_1,
        result_names: |_, _| vec![Some("reshape".to_string())],
    }
}

/// The `reassociation` of an op; `None` where it has none or an index is negative.
pub fn groups(ctx: &Context, op: Op) -> Option<Groups> {
    let list = op.attr(ctx, "reassociation")?.as_array(ctx)?;
    list.iter()
        .map(|g| {
            g.as_array(ctx)?
                .iter()
                .map(|a| usize::try_from(a.as_i64(ctx)?).ok())
                .collect()
        })
        .collect()
}

/// The attribute for `reassociation`.
pub(crate) fn groups_attr(ctx: &Context, groups: &Groups) -> Attr {
    let list = groups.iter().map(|g| {
        ctx.array_attr(
            g.iter()
                .map(|d| ctx.i64_attr(i64::try_from(*d).unwrap_or(i64::MAX)))
                .collect(),
        )
    });
    ctx.array_attr(list.collect())
}

impl ExpandShapeOp {
    /// The sizes of the result.
    pub fn output_shape(self, ctx: &Context) -> Option<Vec<Mixed>> {
        let op = self.op();
        let statics = op.attr(ctx, "static_output_shape")?.as_i64_array(ctx)?;
        offsets::join(&statics, &op.operand_group(ctx, "output_shape"))
    }

    pub(crate) fn build(
        b: &mut Builder,
        ty: Type,
        src: Value,
        groups: &Groups,
        shape: &[Mixed],
    ) -> Value {
        let (statics, values) = offsets::split(shape);
        let operands: Vec<Value> = [src].into_iter().chain(values).collect();
        let (groups, statics) = (groups_attr(b.ctx, groups), b.ctx.i64_array(&statics));
        let attrs = [("reassociation", groups), ("static_output_shape", statics)];
        b.value::<ExpandShapeOp>(&operands, ty, &attrs)
    }
}

impl CollapseShapeOp {
    /// `src` with each group of dimensions merged into one, as the type `ty`.
    pub fn build(b: &mut Builder, ty: Type, src: Value, groups: &Groups) -> Value {
        let groups = groups_attr(b.ctx, groups);
        b.value::<CollapseShapeOp>(&[src], ty, &[("reassociation", groups)])
    }
}

/// The rules of shapes and groups, whichever way the reshape goes.
fn verify_groups(ctx: &Context, op: Op, small: &[i64], large: &[i64]) -> Result<Groups, Invalid> {
    let Some(groups) = groups(ctx, op) else {
        return Err("reassociation indices must be contiguous".into());
    };
    if small.len() != groups.len() {
        return Err(format!(
            "invalid number of reassociation groups: found {}, expected {}",
            groups.len(),
            small.len()
        )
        .into());
    }
    let mut next = 0;
    for (i, (group, size)) in groups.iter().zip(small).enumerate() {
        let mut product = 1i64;
        for d in group {
            if *d != next {
                return Err("reassociation indices must be contiguous".into());
            }
            next += 1;
            let Some(n) = large.get(*d) else {
                return Err(format!("reassociation index {d} is out of bounds").into());
            };
            product = layout::mul(product, *n);
        }
        let dynamic = group.iter().any(|d| large[*d] == DYNAMIC);
        if (*size == DYNAMIC) != dynamic {
            return Err(format!(
                "collapsed dim ({i}) must be dynamic if and only if reassociation group is dynamic"
            )
            .into());
        }
        if !dynamic && product != *size {
            return Err(format!(
                "collapsed dim size ({size}) must equal reassociation group size ({product})"
            )
            .into());
        }
    }
    if small.is_empty() {
        if large.iter().any(|d| *d != 1) {
            return Err("rank 0 memrefs can only be extended/collapsed with/from ones".into());
        }
    } else if next != large.len() {
        return Err(format!(
            "expanded rank ({}) inconsistent with number of reassociation indices ({next})",
            large.len()
        )
        .into());
    }
    Ok(groups)
}

fn verify_expand(ctx: &Context, op: Op) -> Verified {
    let (from, to) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    let (small, large) = (from.shape(ctx).unwrap_or(&[]), to.shape(ctx).unwrap_or(&[]));
    let (r0, r1) = (small.len(), large.len());
    if r0 > r1 {
        return Err(format!(
            "has source rank {r0} and result rank {r1}. This is not an expansion ({r0} > {r1})."
        )
        .into());
    }
    let groups = verify_groups(ctx, op, small, large)?;
    let Some(want) = layout::expanded_type(ctx, from, large, &groups) else {
        return Err("invalid source layout map".into());
    };
    if want != to {
        return Err(format!(
            "expected expanded type to be '{}' but found '{}'",
            ctx.type_text(want),
            ctx.type_text(to)
        )
        .into());
    }
    let statics = op
        .attr(ctx, "static_output_shape")
        .and_then(|a| a.as_i64_array(ctx))
        .unwrap_or_default();
    if statics.len() != r1 {
        return Err(format!(
            "expected number of static shape bounds to be equal to the output rank ({r1}) but found {} inputs instead",
            statics.len()
        )
        .into());
    }
    let dynamic = statics.iter().filter(|s| **s == DYNAMIC).count();
    let values = op.num_operands(ctx) - 1;
    if values != dynamic {
        return Err(format!(
            "mismatch in dynamic dims in output_shape and static_output_shape: static_output_shape has {dynamic} dynamic dims while output_shape has {values} values"
        )
        .into());
    }
    for (i, (have, given)) in large.iter().zip(statics).enumerate() {
        if *have != DYNAMIC && *have != given {
            return Err(format!("invalid output shape provided at pos {i}").into());
        }
    }
    Ok(())
}

fn verify_collapse(ctx: &Context, op: Op) -> Verified {
    let (from, to) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    let (large, small) = (from.shape(ctx).unwrap_or(&[]), to.shape(ctx).unwrap_or(&[]));
    let (r0, r1) = (large.len(), small.len());
    if r0 < r1 {
        return Err(format!(
            "has source rank {r0} and result rank {r1}. This is not a collapse ({r0} < {r1})."
        )
        .into());
    }
    let groups = verify_groups(ctx, op, small, large)?;
    let Some(want) = layout::collapsed_type(ctx, from, &groups) else {
        return Err("invalid source layout map or collapsing non-contiguous dims".into());
    };
    if want != to {
        return Err(format!(
            "expected collapsed type to be '{}' but found '{}'",
            ctx.type_text(want),
            ctx.type_text(to)
        )
        .into());
    }
    Ok(())
}

fn verify_reshape(ctx: &Context, op: Op) -> Verified {
    let (from, to) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if from.element(ctx) != to.element(ctx) {
        return Err(
            "element types of source and destination memref types should be the same".into(),
        );
    }
    if from.is_memref(ctx) && !layout::has_identity_layout(ctx, from) {
        return Err("source memref type should have identity affine map".into());
    }
    let TypeData::MemRef { shape, .. } = to.data(ctx) else {
        return Ok(());
    };
    if !layout::has_identity_layout(ctx, to) {
        return Err("result memref type should have identity affine map".into());
    }
    let length = op
        .operand(ctx, 1)
        .ty(ctx)
        .shape(ctx)
        .and_then(|s| s.first().copied());
    if length == Some(DYNAMIC) {
        return Err("cannot use shape operand with dynamic length to reshape to statically-ranked memref type".into());
    }
    if length != i64::try_from(shape.len()).ok() {
        return Err("length of shape operand differs from the result's memref rank".into());
    }
    Ok(())
}
