//! Matrices spread over a subgroup: `!gpu.mma_matrix`.

use super::enums::MMA_ELEMENTWISE_ATTR;
use super::types::{INT_OR_FLOAT, MMA, MMA_FACTOR, MMA_MEMREF, MMA_STORED, MMA_SUM, MmaMatrix};
use crate::vector::last_dim_unit_stride;
use terrace_ir::constraint::{INDEX, INDEX_ATTR, TypeConstraint, UNIT_ATTR};
use terrace_ir::opdef::{Effect, EffectKind, Invalid, Verified};
use terrace_ir::text::TokenKind as T;
use terrace_ir::text::parser::{OpParser, PResult};
use terrace_ir::text::printer::Printer;
use terrace_ir::types::Signedness;
use terrace_ir::{Context, Op, OpState, Type, TypeData, op};

const FILL: TypeConstraint = TypeConstraint::new(
    "8-bit signed integer or 8-bit unsigned integer or 32-bit signless integer or 16-bit float or 32-bit float",
    |c, t| match t.data(c) {
        TypeData::Integer { width: 8, sign } => *sign != Signedness::Signless,
        _ => t == c.i32() || t == c.f32() || t == c.float(terrace_ir::num::FloatKind::F16),
    },
);

op! {
    /// Loads a matrix; rows lie `leadDimension` elements apart.
    SubgroupMmaLoadMatrixOp = "gpu.subgroup_mma_load_matrix" {
        operands: [srcMemref: MMA_MEMREF, indices: INDEX.variadic()],
        results: [res: MMA],
        attrs: [leadDimension: INDEX_ATTR, transpose: UNIT_ATTR],
        format: "$srcMemref `` `[` $indices `]` attr-dict `:` type($srcMemref) `->` type($res)",
        verify: verify_load,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Read, on: Some(op.operand(ctx, 0)) }],
    }

    /// Stores a matrix; rows lie `leadDimension` elements apart.
    SubgroupMmaStoreMatrixOp = "gpu.subgroup_mma_store_matrix" {
        operands: [src: MMA_STORED, dstMemref: MMA_MEMREF, indices: INDEX.variadic()],
        attrs: [leadDimension: INDEX_ATTR, transpose: UNIT_ATTR],
        format: "$src `,` $dstMemref `` `[` $indices `]` attr-dict `:` type($src) `,` type($dstMemref)",
        verify: verify_store,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Write, on: Some(op.operand(ctx, 1)) }],
    }

    /// `opA * opB + opC`.
    SubgroupMmaComputeOp = "gpu.subgroup_mma_compute" {
        operands: [opA: MMA_FACTOR, opB: MMA_FACTOR, opC: MMA_SUM],
        results: [res: MMA],
        attrs: [a_transpose: UNIT_ATTR, b_transpose: UNIT_ATTR],
        traits: PURE,
        same_type: [[opC, res]],
        format: "$opA `,` $opB `,` $opC attr-dict `:` type($opA) `,` type($opB) `->` type($res)",
        verify: verify_compute,
    }

    /// A matrix whose elements all are `value`.
    SubgroupMmaConstantMatrixOp = "gpu.subgroup_mma_constant_matrix" {
        operands: [value: FILL],
        results: [res: MMA],
        traits: PURE,
        custom: (parse_constant, print_constant),
        verify: verify_constant,
    }

    /// One of the elements that a thread holds.
    SubgroupMmaExtractThreadLocalOp = "gpu.subgroup_mma_extract_thread_local" {
        operands: [matrix: MMA, indices: INDEX.variadic()],
        results: [res: INT_OR_FLOAT],
        traits: PURE,
        format: "$matrix `` `[` $indices `]` attr-dict `:` type($matrix) `->` type($res)",
        verify: |ctx, op| same_element(ctx, op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx)),
    }

    /// A matrix with one of the elements that a thread holds replaced.
    SubgroupMmaInsertThreadLocalOp = "gpu.subgroup_mma_insert_thread_local" {
        operands: [value: INT_OR_FLOAT, matrix: MMA, indices: INDEX.variadic()],
        results: [res: MMA],
        traits: PURE,
        format: "$value `,` $matrix `` `[` $indices `]` attr-dict `:` type($value) `,` type($matrix) `->` type($res)",
        verify: |ctx, op| same_element(ctx, op.operand(ctx, 1).ty(ctx), op.operand(ctx, 0).ty(ctx)),
    }

    /// An operation on each element of matrices of one shape.
    SubgroupMmaElementwiseOp = "gpu.subgroup_mma_elementwise" {
        operands: [args: MMA.variadic()],
        results: [res: MMA],
        attrs: [opType: MMA_ELEMENTWISE_ATTR],
        traits: PURE,
        format: "$opType $args attr-dict `:` functional-type($args, $res)",
    }
}

fn verify_load(ctx: &Context, op: Op) -> Verified {
    if !last_dim_unit_stride(ctx, op.operand(ctx, 0).ty(ctx)) {
        return Err(Invalid::plain(
            "expected source memref most minor dim must have unit stride",
        ));
    }
    Ok(())
}

fn verify_store(ctx: &Context, op: Op) -> Verified {
    if !last_dim_unit_stride(ctx, op.operand(ctx, 1).ty(ctx)) {
        return Err(Invalid::plain(
            "expected destination memref most minor dim must have unit stride",
        ));
    }
    if MmaMatrix::of(ctx, op.operand(ctx, 0).ty(ctx)).is_none_or(|m| m.operand != "COp") {
        return Err(Invalid::plain(
            "expected the operand matrix being stored to have 'COp' operand type",
        ));
    }
    Ok(())
}

fn verify_compute(ctx: &Context, op: Op) -> Verified {
    let of = |i: usize| MmaMatrix::of(ctx, op.operand(ctx, i).ty(ctx));
    let (Some(a), Some(b), Some(c)) = (of(0), of(1), of(2)) else {
        return Ok(());
    };
    if a.operand != "AOp" || b.operand != "BOp" || c.operand != "COp" {
        return Err(Invalid::plain(
            "operands must be in the order AOp, BOp, COp",
        ));
    }
    if a.shape[1] != b.shape[0] || a.shape[0] != c.shape[0] || b.shape[1] != c.shape[1] {
        return Err(Invalid::plain(
            "operand shapes do not satisfy matmul constraints",
        ));
    }
    Ok(())
}

fn same_element(ctx: &Context, matrix: Type, value: Type) -> Verified {
    match MmaMatrix::of(ctx, matrix) {
        Some(m) if m.elem == value => Ok(()),
        _ => Err("failed to verify that value type matches element type of mma_matrix".into()),
    }
}

/// The value's type is that of the matrix's elements.
fn parse_constant(p: &mut OpParser, state: &mut OpState) -> PResult<()> {
    let v = p.parse_operand()?;
    p.parse_optional_attr_dict(state)?;
    p.expect(T::Colon)?;
    let pos = p.pos();
    let ty = p.parse_type()?;
    let Some(m) = MmaMatrix::of(p.ctx, ty) else {
        let found = p.ctx.type_text(ty);
        return Err(p.op_error(
            pos,
            format!("expected an MMAMatrix type, but got '{found}'"),
        ));
    };
    let v = p.resolve(v, m.elem)?;
    state.operands.push(v);
    state.result_types.push(ty);
    Ok(())
}

fn print_constant(p: &mut Printer, op: Op) {
    p.write(" ");
    p.value(op.operand(p.ctx, 0));
    p.attr_dict(op, &[], false);
    p.write(" : ");
    p.ty(op.result(p.ctx, 0).ty(p.ctx));
}

fn verify_constant(ctx: &Context, op: Op) -> Verified {
    same_element(ctx, op.result(ctx, 0).ty(ctx), op.operand(ctx, 0).ty(ctx))
}
