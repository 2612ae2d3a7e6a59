//! `memref.subview`, `memref.transpose`.

use super::constraints::STRIDED;
use super::layout::{self, Strides};
use super::{canonicalize, fold, syntax};
use crate::offsets::{self, Slice};
use terrace_ir::affine::AffineMap;
use terrace_ir::constraint::{DENSE_I64, INDEX, MAP_ATTR, MEMREF};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value, op};

op! {
    /// The part of a memref that starts at `offsets`, has `sizes`, and steps by
    /// `strides`. Dimensions of size 1 may be missing from the result.
    SubViewOp = "memref.subview" {
        operands: [source: MEMREF, offsets: INDEX.variadic(), sizes: INDEX.variadic(), strides: INDEX.variadic()],
        results: [result: MEMREF],
        attrs: [static_offsets: DENSE_I64, static_sizes: DENSE_I64, static_strides: DENSE_I64],
        traits: PURE | ATTR_SIZED_OPERANDS,
        custom: (syntax::parse_subview, syntax::print_subview),
        verify: verify_subview,
        fold: fold::subview,
        canonicalize: canonicalize::subview,
        result_names: |_, _| vec![Some("subview".to_string())],
    }

    /// The same memory with its dimensions in another order.
    TransposeOp = "memref.transpose" {
        operands: [in: STRIDED],
        results: [result: STRIDED],
        attrs: [permutation: MAP_ATTR],
        traits: PURE,
        custom: (syntax::parse_transpose, syntax::print_transpose),
        verify: verify_transpose,
        fold: fold::transpose,
        result_names: |_, _| vec![Some("transpose".to_string())],
    }
}

impl SubViewOp {
    /// The memref that the view is of.
    pub fn source(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Offsets, sizes and strides; `None` only for an op that does not verify.
    pub fn slice(self, ctx: &Context) -> Option<Slice> {
        Slice::of(ctx, self.op())
    }

    /// Which dimensions of the source the result lacks.
    pub fn dropped_dims(self, ctx: &Context) -> Option<Vec<bool>> {
        let (from, to) = (self.source(ctx).ty(ctx), self.op().result(ctx, 0).ty(ctx));
        layout::dropped_dims(ctx, from, to, &self.slice(ctx)?)
    }

    /// A subview of type `ty`, see [`layout::subview_type`].
    pub fn build(b: &mut Builder, source: Value, slice: &Slice, ty: Type) -> Value {
        let mut s = b.state::<SubViewOp>().operands(&[source]).results(&[ty]);
        slice.set(b.ctx, &mut s, 1);
        b.create(s).result(b.ctx, 0)
    }
}

impl TransposeOp {
    /// Which dimension of the source stands at each place; `None` for a malformed op.
    pub fn permutation(self, ctx: &Context) -> Option<&AffineMap> {
        self.op().attr(ctx, "permutation")?.as_map(ctx)
    }
}

fn verify_subview(ctx: &Context, op: Op) -> Verified {
    let (base, view) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    let rank = base.rank(ctx).unwrap_or(0);
    offsets::verify_slice(ctx, op, [rank; 3])?;
    let fail = |m: String| Err(Invalid::plain(m));
    let text = |t| ctx.type_text(t);
    if layout::memory_space(ctx, base) != layout::memory_space(ctx, view) {
        return fail(format!(
            "different memory spaces specified for base memref type '{}' and subview memref type '{}'",
            text(base),
            text(view)
        ));
    }
    let Some(slice) = Slice::of(ctx, op) else {
        return Ok(());
    };
    let Some(expected) = layout::subview_type(ctx, base, &slice) else {
        return fail(format!("base type '{}' is not strided", text(base)));
    };
    let mismatch = |of: &str| {
        fail(format!(
            "expected result type to be '{}' or a rank-reduced version. (mismatch of result {of}), but got '{}'",
            text(expected),
            text(view)
        ))
    };
    let (have, want) = (
        view.shape(ctx).unwrap_or(&[]),
        expected.shape(ctx).unwrap_or(&[]),
    );
    if have.len() > want.len() {
        return fail(format!(
            "expected result rank to be smaller or equal to the source rank, but got '{}'",
            text(view)
        ));
    }
    if layout::is_rank_reduction(want, have).is_none() {
        return mismatch("sizes");
    }
    if expected.element(ctx) != view.element(ctx) {
        return fail(format!(
            "expected result element type to be '{}', but got '{}'",
            text(expected.element_or_self(ctx)),
            text(view)
        ));
    }
    let strides = |t| layout::strides_and_offset(ctx, t);
    let (Some(s), Some(e)) = (strides(view), strides(expected)) else {
        return mismatch("layout");
    };
    let dropped = layout::dropped_dims(ctx, expected, view, &slice);
    let kept = dropped.map(|d| {
        e.strides
            .iter()
            .zip(d)
            .filter(|(_, d)| !d)
            .map(|(s, _)| *s)
            .collect::<Vec<_>>()
    });
    if s.offset != e.offset || kept != Some(s.strides) {
        return mismatch("layout");
    }
    match offsets::check_bounds(base.shape(ctx).unwrap_or(&[]), &slice) {
        Ok(()) => Ok(()),
        Err(m) => fail(m),
    }
}

/// The type of `ty` with its dimensions permuted: result dimension `i` is dimension
/// `map(i)` of the source.
fn transposed(ctx: &Context, ty: Type, map: &AffineMap) -> Option<(Vec<i64>, Strides)> {
    let s = layout::strides_and_offset(ctx, ty)?;
    let shape = ty.shape(ctx)?;
    let (mut sizes, mut strides) = (Vec::new(), Vec::new());
    for e in map.results() {
        let terrace_ir::affine::AffineExpr::Dim(d) = e else {
            return None;
        };
        sizes.push(*shape.get(*d as usize)?);
        strides.push(*s.strides.get(*d as usize)?);
    }
    Some((
        sizes,
        Strides {
            strides,
            offset: s.offset,
        },
    ))
}

fn verify_transpose(ctx: &Context, op: Op) -> Verified {
    let (from, to) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    let Some(map) = op.attr(ctx, "permutation").and_then(|a| a.as_map(ctx)) else {
        return Ok(());
    };
    if !map.is_permutation() {
        return Err("expected a permutation map".into());
    }
    if Some(map.num_dims() as usize) != from.rank(ctx) {
        return Err("expected a permutation map of same rank as the input".into());
    }
    let Some((shape, strides)) = transposed(ctx, from, map) else {
        return Ok(());
    };
    let same = to.shape(ctx) == Some(&shape)
        && to.element(ctx) == from.element(ctx)
        && layout::memory_space(ctx, to) == layout::memory_space(ctx, from)
        && layout::strides_and_offset(ctx, to).as_ref() == Some(&strides);
    if same {
        return Ok(());
    }
    // Say it with a map, which shows where each dynamic stride comes from.
    let canonical =
        match strides.offset == 0 && strides.strides == layout::row_major_strides(&shape) {
            true => None,
            false => Some(ctx.map_attr(layout::strided_map(&strides))),
        };
    let want = layout::with_shape_and_layout(ctx, from, shape, canonical);
    Err(format!(
        "result type '{}' is not equivalent to the canonical transposed input type '{}'",
        ctx.type_text(to),
        ctx.type_text(want)
    )
    .into())
}
