//! Loads and stores of vectors.

use super::attrs::ALIGNMENT;
use super::types::{
    ANY_RANK, FIXED_MASK, INDICES, MASK, RANKED, TENSOR, TENSOR_OR_MEMREF, scalable, shape,
};
use terrace_ir::constraint::{BOOL_ATTR, INDEX, MEMREF};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value, op};

op! {
    /// Reads a vector whose elements follow each other in memory.
    LoadOp = "vector.load" {
        operands: [base: MEMREF, indices: INDEX.variadic()],
        results: [result: ANY_RANK],
        attrs: [nontemporal: BOOL_ATTR.default(|c| c.bool_attr(false)), alignment: ALIGNMENT],
        format: "$base `[` $indices `]` attr-dict `:` type($base) `,` type($result)",
        verify: |ctx, op| verify_access(ctx, op, op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx), &LOAD),
        effects: |ctx, op| vec![Effect { kind: EffectKind::Read, on: Some(op.operand(ctx, 0)) }],
    }

    /// Writes a vector to memory, its elements following each other.
    StoreOp = "vector.store" {
        operands: [valueToStore: ANY_RANK, base: MEMREF, indices: INDEX.variadic()],
        attrs: [nontemporal: BOOL_ATTR.default(|c| c.bool_attr(false)), alignment: ALIGNMENT],
        format: "$valueToStore `,` $base `[` $indices `]` attr-dict `:` type($base) `,` type($valueToStore)",
        verify: |ctx, op| verify_access(ctx, op, op.operand(ctx, 1).ty(ctx), op.operand(ctx, 0).ty(ctx), &STORE),
        effects: |ctx, op| vec![Effect { kind: EffectKind::Write, on: Some(op.operand(ctx, 1)) }],
    }

    /// Reads where the mask is set, and takes `pass_thru` elsewhere.
    MaskedLoadOp = "vector.maskedload" {
        operands: [base: MEMREF, indices: INDEX.variadic(), mask: MASK, pass_thru: RANKED],
        results: [result: RANKED],
        attrs: [alignment: ALIGNMENT],
        format: "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` type($mask) `,` type($pass_thru) `into` type($result)",
        verify: |ctx, op| verify_masked_load(ctx, op, "expected result shape to match mask shape"),
        effects: read_base,
    }

    /// Writes where the mask is set.
    MaskedStoreOp = "vector.maskedstore" {
        operands: [base: MEMREF, indices: INDEX.variadic(), mask: MASK, valueToStore: RANKED],
        attrs: [alignment: ALIGNMENT],
        format: "$base `[` $indices `]` `,` $mask `,` $valueToStore attr-dict `:` type($base) `,` type($mask) `,` type($valueToStore)",
        verify: |ctx, op| verify_masked_store(ctx, op, "expected valueToStore shape to match mask shape"),
        effects: write_base,
    }

    /// Reads successive elements for those places where the mask is set.
    ExpandLoadOp = "vector.expandload" {
        operands: [base: MEMREF, indices: INDEX.variadic(), mask: FIXED_MASK, pass_thru: RANKED],
        results: [result: RANKED],
        attrs: [alignment: ALIGNMENT],
        format: "$base `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` type($mask) `,` type($pass_thru) `into` type($result)",
        verify: |ctx, op| verify_masked_load(ctx, op, "expected result dim to match mask dim"),
        effects: read_base,
    }

    /// Writes the elements where the mask is set one after another.
    CompressStoreOp = "vector.compressstore" {
        operands: [base: MEMREF, indices: INDEX.variadic(), mask: FIXED_MASK, valueToStore: RANKED],
        attrs: [alignment: ALIGNMENT],
        format: "$base `[` $indices `]` `,` $mask `,` $valueToStore attr-dict `:` type($base) `,` type($mask) `,` type($valueToStore)",
        verify: |ctx, op| verify_masked_store(ctx, op, "expected valueToStore dim to match mask dim"),
        effects: write_base,
    }

    /// Reads elements at places that a vector gives, where the mask is set.
    GatherOp = "vector.gather" {
        operands: [base: TENSOR_OR_MEMREF, offsets: INDEX.variadic(), indices: INDICES, mask: MASK, pass_thru: RANKED],
        results: [result: RANKED],
        attrs: [alignment: ALIGNMENT],
        format: "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $pass_thru attr-dict `:` type($base) `,` type($indices) `,` type($mask) `,` type($pass_thru) `into` type($result)",
        verify: verify_gather,
        effects: |ctx, op| on_memref(ctx, op, EffectKind::Read),
    }

    /// Writes elements to places that a vector gives, where the mask is set.
    ScatterOp = "vector.scatter" {
        operands: [base: TENSOR_OR_MEMREF, offsets: INDEX.variadic(), indices: INDICES, mask: MASK, valueToStore: RANKED],
        results: [result: TENSOR.optional()],
        attrs: [alignment: ALIGNMENT],
        format: "$base `[` $offsets `]` `[` $indices `]` `,` $mask `,` $valueToStore attr-dict `:` type($base) `,` type($indices) `,` type($mask) `,` type($valueToStore) (`->` type($result)^)?",
        verify: verify_scatter,
        effects: |ctx, op| on_memref(ctx, op, EffectKind::Write),
    }
}

impl LoadOp {
    /// The memref read.
    pub fn base(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Subscripts of the first element.
    pub fn indices(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx)[1..].to_vec()
    }

    /// Load a vector of type `ty` that begins at `indices`.
    pub fn build(b: &mut Builder, ty: Type, base: Value, indices: &[Value]) -> Value {
        let operands = [&[base], indices].concat();
        b.value::<LoadOp>(&operands, ty, &[])
    }
}

impl StoreOp {
    /// The vector stored.
    pub fn value(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// The memref written.
    pub fn base(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }

    /// Subscripts of the first element.
    pub fn indices(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx)[2..].to_vec()
    }

    /// Store a vector that begins at `indices`.
    pub fn build(b: &mut Builder, value: Value, base: Value, indices: &[Value]) -> Op {
        let operands = [&[value, base], indices].concat();
        b.op::<StoreOp>(&operands, &[], &[])
    }
}

fn read_base(ctx: &Context, op: Op) -> Vec<Effect> {
    vec![Effect {
        kind: EffectKind::Read,
        on: Some(op.operand(ctx, 0)),
    }]
}

fn write_base(ctx: &Context, op: Op) -> Vec<Effect> {
    vec![Effect {
        kind: EffectKind::Write,
        on: Some(op.operand(ctx, 0)),
    }]
}

/// A tensor is a value: reading and "writing" it touches no memory.
fn on_memref(ctx: &Context, op: Op, kind: EffectKind) -> Vec<Effect> {
    let base = op.operand(ctx, 0);
    if base.ty(ctx).is_memref(ctx) {
        vec![Effect {
            kind,
            on: Some(base),
        }]
    } else {
        Vec::new()
    }
}

/// The words in which loads and stores differ.
struct Words {
    rank: &'static str,
    vector: &'static str,
    element: &'static str,
}

const LOAD: Words = Words {
    rank: "destination memref has lower rank than the result vector",
    vector: "base memref and result vector types should match",
    element: "base and result element types should match",
};
const STORE: Words = Words {
    rank: "source memref has lower rank than the vector to store",
    vector: "base memref and valueToStore vector types should match",
    element: "base and valueToStore element type should match",
};

fn num_indices(ctx: &Context, op: Op, name: &str, base: Type) -> Verified {
    let rank = base.rank(ctx).unwrap_or(0);
    if op.operand_group(ctx, name).len() != rank {
        return Err(format!("requires {rank} indices").into());
    }
    Ok(())
}

fn verify_access(ctx: &Context, op: Op, base: Type, vec: Type, words: &Words) -> Verified {
    let one = !scalable(ctx, vec).contains(&true) && vec.num_elements(ctx) == Some(1);
    if !one && !last_dim_unit_stride(ctx, base) {
        return Err("most minor memref dim must have unit stride".into());
    }
    if base.rank(ctx) < vec.rank(ctx) {
        return Err(words.rank.into());
    }
    let mut elem = base.element_or_self(ctx);
    if elem.is_vector(ctx) {
        if elem != vec {
            return Err(words.vector.into());
        }
        elem = elem.element_or_self(ctx);
    }
    if vec.element(ctx) != Some(elem) {
        return Err(words.element.into());
    }
    num_indices(ctx, op, "indices", base)
}

/// Whether elements along the last dimension follow each other.
pub(crate) fn last_dim_unit_stride(ctx: &Context, t: Type) -> bool {
    let s = crate::memref::layout::strides_and_offset(ctx, t);
    s.is_some_and(|s| s.strides.last().is_none_or(|s| *s == 1))
}

fn types(ctx: &Context, op: Op, mask: &str, value: &str) -> Option<(Type, Type, Type)> {
    let one = |n| op.operand_group(ctx, n).first().map(|v| v.ty(ctx));
    Some((one("base")?, one(mask)?, one(value)?))
}

fn verify_masked_load(ctx: &Context, op: Op, shapes: &str) -> Verified {
    let Some((base, mask, pass)) = types(ctx, op, "mask", "pass_thru") else {
        return Ok(());
    };
    let r = op.result(ctx, 0).ty(ctx);
    if r.element(ctx) != base.element(ctx) {
        return Err("base and result element type should match".into());
    }
    num_indices(ctx, op, "indices", base)?;
    if shape(ctx, r) != shape(ctx, mask) {
        return Err(shapes.into());
    }
    if r != pass {
        return Err("expected pass_thru of same type as result type".into());
    }
    Ok(())
}

fn verify_masked_store(ctx: &Context, op: Op, shapes: &str) -> Verified {
    let Some((base, mask, value)) = types(ctx, op, "mask", "valueToStore") else {
        return Ok(());
    };
    if value.element(ctx) != base.element(ctx) {
        return Err("base and valueToStore element type should match".into());
    }
    num_indices(ctx, op, "indices", base)?;
    if shape(ctx, value) != shape(ctx, mask) {
        return Err(shapes.into());
    }
    Ok(())
}

fn verify_gather(ctx: &Context, op: Op) -> Verified {
    let Some((base, mask, pass)) = types(ctx, op, "mask", "pass_thru") else {
        return Ok(());
    };
    let Some((_, indices, _)) = types(ctx, op, "indices", "mask") else {
        return Ok(());
    };
    let r = op.result(ctx, 0).ty(ctx);
    if base.rank(ctx).is_none() {
        return Err("requires base to be a memref or ranked tensor type".into());
    }
    if r.element(ctx) != base.element(ctx) {
        return Err("base and result element type should match".into());
    }
    num_indices(ctx, op, "offsets", base)?;
    if shape(ctx, r) != shape(ctx, indices) {
        return Err("expected result dim to match indices dim".into());
    }
    if shape(ctx, r) != shape(ctx, mask) {
        return Err("expected result dim to match mask dim".into());
    }
    if r != pass {
        return Err("expected pass_thru of same type as result type".into());
    }
    Ok(())
}

fn verify_scatter(ctx: &Context, op: Op) -> Verified {
    let Some((base, mask, value)) = types(ctx, op, "mask", "valueToStore") else {
        return Ok(());
    };
    let Some((_, indices, _)) = types(ctx, op, "indices", "mask") else {
        return Ok(());
    };
    if base.rank(ctx).is_none() {
        return Err("requires base to be a memref or ranked tensor type".into());
    }
    if value.element(ctx) != base.element(ctx) {
        return Err("base and valueToStore element type should match".into());
    }
    num_indices(ctx, op, "offsets", base)?;
    if shape(ctx, value) != shape(ctx, indices) {
        return Err("expected valueToStore dim to match indices dim".into());
    }
    if shape(ctx, value) != shape(ctx, mask) {
        return Err("expected valueToStore dim to match mask dim".into());
    }
    Ok(())
}
