//! Questions about a memref: `memref.dim`, `rank`, `extract_strided_metadata`,
//! `extract_aligned_pointer_as_index`.

use super::constraints::{NON_0_RANKED, STRIDED, STRIDED_0D};
use super::{canonicalize, fold, layout};
use terrace_ir::constraint::{ANY_MEMREF, INDEX};
use terrace_ir::opdef::Verified;
use terrace_ir::{Builder, Context, Op, OpKind, Type, TypeData, Value, op};

op! {
    /// The size of a dimension. The index must be less than the rank.
    DimOp = "memref.dim" {
        operands: [source: NON_0_RANKED, index: INDEX],
        results: [result: INDEX],
        traits: NO_EFFECT,
        format: "attr-dict $source `,` $index `:` type($source)",
        speculatable: dim_exists,
        fold: fold::dim,
        canonicalize: canonicalize::dim,
        result_names: |_, _| vec![Some("dim".to_string())],
    }

    /// The number of dimensions.
    RankOp = "memref.rank" {
        operands: [memref: ANY_MEMREF],
        results: [result: INDEX],
        traits: PURE,
        format: "$memref attr-dict `:` type($memref)",
        fold: fold::rank,
    }

    /// A memref taken apart: its memory as a memref of rank 0, offset, sizes and
    /// strides.
    ExtractStridedMetadataOp = "memref.extract_strided_metadata" {
        operands: [source: STRIDED],
        results: [base_buffer: STRIDED_0D, offset: INDEX, sizes: INDEX.variadic(), strides: INDEX.variadic()],
        traits: PURE,
        format: "$source `:` type($source) `->` type(results) attr-dict",
        verify: verify_metadata,
        canonicalize: canonicalize::metadata,
        result_names: metadata_names,
    }

    /// The address of a memref's memory as a number.
    ExtractAlignedPointerAsIndexOp = "memref.extract_aligned_pointer_as_index" {
        operands: [source: ANY_MEMREF],
        results: [aligned_pointer: INDEX],
        traits: PURE,
        format: "$source `:` type($source) `->` type(results) attr-dict",
        result_names: |_, _| vec![Some("intptr".to_string())],
    }
}

/// A dimension that is not there has no size, and asking for it no meaning.
fn dim_exists(ctx: &Context, op: Op) -> bool {
    let shape = op.operand(ctx, 0).ty(ctx).shape(ctx);
    let index = ctx.constant_int(op.operand(ctx, 1));
    match (shape, index.map(usize::try_from)) {
        (Some(shape), Some(Ok(index))) => index < shape.len(),
        _ => false,
    }
}

impl DimOp {
    /// The size of dimension `index` (a value of type index) of `source`.
    pub fn build(b: &mut Builder, source: Value, index: Value) -> Value {
        let ty = b.ctx.index();
        b.value::<DimOp>(&[source, index], ty, &[])
    }

    /// The memref asked about.
    pub fn source(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Which dimension, counted from 0.
    pub fn index(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }
}

/// The result types of taking apart a memref of type `source`.
pub(crate) fn metadata_types(ctx: &Context, source: Type) -> Option<Vec<Type>> {
    let TypeData::MemRef {
        shape, elem, space, ..
    } = source.data(ctx)
    else {
        return None;
    };
    let base = ctx.memref_in(&[], *elem, *space);
    let mut types = vec![base];
    types.resize(2 + 2 * shape.len(), ctx.index());
    Some(types)
}

impl ExtractStridedMetadataOp {
    /// What the type of the source says of the results after the first: offset, sizes,
    /// strides.
    pub(crate) fn static_values(self, ctx: &Context) -> Option<Vec<i64>> {
        let ty = self.op().operand(ctx, 0).ty(ctx);
        let s = layout::strides_and_offset(ctx, ty)?;
        let mut v = vec![s.offset];
        v.extend(ty.shape(ctx)?);
        v.extend(s.strides);
        Some(v)
    }
}

fn verify_metadata(ctx: &Context, op: Op) -> Verified {
    let have = op.result_types(ctx);
    let want = metadata_types(ctx, op.operand(ctx, 0).ty(ctx)).unwrap_or_default();
    if have == want {
        return Ok(());
    }
    Err(format!(
        "inferred type(s) {} are incompatible with return type(s) of operation {}",
        ctx.quoted_types(&want),
        ctx.quoted_types(&have)
    )
    .into())
}

fn metadata_names(ctx: &Context, op: Op) -> Vec<Option<String>> {
    let mut names = vec![None; op.num_results(ctx)];
    let rank = names.len().saturating_sub(2) / 2;
    let places = [
        (0, "base_buffer"),
        (1, "offset"),
        (2, "sizes"),
        (2 + rank, "strides"),
    ];
    for (i, name) in places {
        if let Some(n) = names.get_mut(i) {
            *n = Some(name.to_string());
        }
    }
    names
}
