//! Allocation: `memref.alloc`, `alloca`, `realloc`, `dealloc`.

use super::constraints::{ALIGNMENT, MEMREF_1D};
use super::{canonicalize, effects, fold, layout};
use terrace_ir::constraint::{ANY_MEMREF, INDEX, MEMREF};
use terrace_ir::opdef::{Invalid, Verified, traits};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, Type, TypeData, Value, op};

op! {
    /// Allocates memory on the heap. `dynamicSizes` are the sizes of the dynamic
    /// dimensions in order, `symbolOperands` the values of the layout's symbols.
    AllocOp = "memref.alloc" {
        operands: [dynamicSizes: INDEX.variadic(), symbolOperands: INDEX.variadic()],
        results: [memref: MEMREF],
        attrs: [alignment: ALIGNMENT],
        traits: ATTR_SIZED_OPERANDS,
        format: "`(`$dynamicSizes`)` (`` `[` $symbolOperands^ `]`)? attr-dict `:` type($memref)",
        verify: verify_alloc_like,
        canonicalize: canonicalize::alloc,
        effects: effects::alloc_result,
        result_names: |_, _| vec![Some("alloc".to_string())],
    }

    /// Allocates memory on the stack, freed at the end of the closest enclosing op
    /// that is an allocation scope.
    AllocaOp = "memref.alloca" {
        operands: [dynamicSizes: INDEX.variadic(), symbolOperands: INDEX.variadic()],
        results: [memref: MEMREF],
        attrs: [alignment: ALIGNMENT],
        traits: ATTR_SIZED_OPERANDS,
        format: "`(`$dynamicSizes`)` (`` `[` $symbolOperands^ `]`)? attr-dict `:` type($memref)",
        verify: verify_alloca,
        canonicalize: canonicalize::alloca,
        effects: effects::alloc_result,
        result_names: |_, _| vec![Some("alloca".to_string())],
    }

    /// Changes the size of a one-dimensional allocation, possibly moving it; what fits
    /// of its content is kept. The old memref must not be used afterwards.
    ReallocOp = "memref.realloc" {
        operands: [source: MEMREF_1D, dynamicResultSize: INDEX.optional()],
        results: [result: MEMREF_1D],
        attrs: [alignment: ALIGNMENT],
        format: "$source (`(` $dynamicResultSize^ `)`)? attr-dict `:` type($source) `to` type(results)",
        verify: verify_realloc,
        canonicalize: canonicalize::realloc,
        effects: effects::realloc,
    }

    /// Frees memory that `memref.alloc` made.
    DeallocOp = "memref.dealloc" {
        operands: [memref: ANY_MEMREF],
        format: "$memref attr-dict `:` type($memref)",
        fold: fold::dealloc,
        effects: effects::free_0,
    }
}

impl AllocOp {
    /// Allocate a memref of type `ty`, with one value per dynamic dimension.
    pub fn build(b: &mut Builder, ty: Type, sizes: &[Value]) -> Value {
        build_alloc_like::<AllocOp>(b, ty, sizes)
    }

    /// Sizes of the dimensions that are `?`, in order.
    pub fn dynamic_sizes(self, ctx: &Context) -> Vec<Value> {
        terrace_ir::OpKind::op(self).operand_group(ctx, "dynamicSizes")
    }
}

impl AllocaOp {
    /// Allocate a memref of type `ty`, with one value per dynamic dimension.
    pub fn build(b: &mut Builder, ty: Type, sizes: &[Value]) -> Value {
        build_alloc_like::<AllocaOp>(b, ty, sizes)
    }

    /// Sizes of the dimensions that are `?`, in order.
    pub fn dynamic_sizes(self, ctx: &Context) -> Vec<Value> {
        terrace_ir::OpKind::op(self).operand_group(ctx, "dynamicSizes")
    }
}

impl DeallocOp {
    /// Free the memory of `memref`.
    pub fn build(b: &mut Builder, memref: Value) -> Op {
        b.op::<DeallocOp>(&[memref], &[], &[])
    }
}

fn build_alloc_like<K: terrace_ir::OpKind>(b: &mut Builder, ty: Type, sizes: &[Value]) -> Value {
    let segments = b
        .ctx
        .i32_array(&[i32::try_from(sizes.len()).unwrap_or(i32::MAX), 0]);
    b.value::<K>(sizes, ty, &[("operandSegmentSizes", segments)])
}

/// How many dimensions of a shape are dynamic.
pub(super) fn num_dynamic(shape: &[i64]) -> usize {
    shape.iter().filter(|d| **d == DYNAMIC).count()
}

/// The operands that hold the sizes of dynamic dimensions must be as many as those.
pub(super) fn verify_dynamic_count(ctx: &Context, ty: Type, have: usize) -> Verified {
    let want = num_dynamic(ty.shape(ctx).unwrap_or(&[]));
    if have != want {
        return Err(
            format!("incorrect number of dynamic sizes, has {have}, expected {want}").into(),
        );
    }
    Ok(())
}

fn verify_alloc_like(ctx: &Context, op: Op) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    if !ty.is_memref(ctx) {
        return Err("result must be a memref".into());
    }
    verify_dynamic_count(ctx, ty, op.operand_group(ctx, "dynamicSizes").len())?;
    let want = match layout::has_identity_layout(ctx, ty) {
        true => 0,
        false => layout::num_symbols(ctx, ty),
    };
    let have = op.operand_group(ctx, "symbolOperands").len();
    if have != want {
        return Err(format!(
            "symbol operand count does not equal memref symbol count: expected {want}, got {have}"
        )
        .into());
    }
    Ok(())
}

fn verify_alloca(ctx: &Context, op: Op) -> Verified {
    let mut p = op.parent(ctx);
    while let Some(o) = p {
        if o.has_trait(ctx, traits::ALLOCATION_SCOPE) {
            return verify_alloc_like(ctx, op);
        }
        p = o.parent(ctx);
    }
    Err("requires an ancestor op with AutomaticAllocationScope trait".into())
}

fn verify_realloc(ctx: &Context, op: Op) -> Verified {
    let (source, result) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    let text = |t| ctx.type_text(t);
    let fail = |m: String| Err(Invalid::plain(m));
    for (t, what) in [(source, "source"), (result, "result")] {
        if !layout::has_identity_layout(ctx, t) {
            return fail(format!(
                "unsupported layout for {what} memref type '{}'",
                text(t)
            ));
        }
    }
    let both = format!(
        "source memref type '{}' and result memref type '{}'",
        text(source),
        text(result)
    );
    let space = |t: Type| t.memref_parts(ctx).and_then(|p| p.1);
    if space(source) != space(result) {
        return fail(format!("different memory spaces specified for {both}"));
    }
    if source.element(ctx) != result.element(ctx) {
        return fail(format!("different element types specified for {both}"));
    }
    let dynamic =
        matches!(result.data(ctx), TypeData::MemRef { shape, .. } if shape.contains(&DYNAMIC));
    match (dynamic, op.num_operands(ctx) > 1) {
        (true, false) => fail(format!(
            "missing dimension operand for result type '{}'",
            text(result)
        )),
        (false, true) => fail(format!(
            "unnecessary dimension operand for result type '{}'",
            text(result)
        )),
        _ => Ok(()),
    }
}
