//! Views that reinterpret the same elements: `memref.cast`, `memory_space_cast`,
//! `assume_alignment`, `distinct_objects`, `reinterpret_cast`, `view`.

use super::alloc::verify_dynamic_count;
use super::constraints::{MEMREF_1D_I8, POSITIVE_I32, STRIDED};
use super::{canonicalize, fold, layout, syntax};
use crate::arith;
use terrace_ir::constraint::{ANY_MEMREF, DENSE_I64, INDEX, MEMREF};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Attr, Builder, Context, Op, OpKind, Type, TypeData, Value, op};

use crate::offsets::{self, Mixed, Slice};

op! {
    /// The same memory with less or more known about shape and layout.
    CastOp = "memref.cast" {
        operands: [source: ANY_MEMREF],
        results: [dest: ANY_MEMREF],
        traits: PURE | SAME_OPERANDS_AND_RESULT_SHAPE,
        format: "$source attr-dict `:` type($source) `to` type($dest)",
        verify: verify_cast,
        fold: fold::cast,
        result_names: |_, _| vec![Some("cast".to_string())],
    }

    /// The same memory seen in another memory space.
    MemorySpaceCastOp = "memref.memory_space_cast" {
        operands: [source: ANY_MEMREF],
        results: [dest: ANY_MEMREF],
        traits: PURE | SAME_OPERANDS_AND_RESULT_ELEMENT_TYPE | SAME_OPERANDS_AND_RESULT_SHAPE,
        format: "$source attr-dict `:` type($source) `to` type($dest)",
        verify: verify_memory_space_cast,
        fold: fold::memory_space_cast,
        result_names: |_, _| vec![Some("memspacecast".to_string())],
    }

    /// The same memory, whose address is promised to be a multiple of `alignment`
    /// bytes.
    AssumeAlignmentOp = "memref.assume_alignment" {
        operands: [memref: MEMREF],
        results: [result: MEMREF],
        attrs: [alignment: POSITIVE_I32],
        traits: PURE | SAME_OPERANDS_AND_RESULT_TYPE,
        format: "$memref `,` $alignment attr-dict `:` type($memref)",
        verify: verify_assume_alignment,
        fold: fold::assume_alignment,
        result_names: |_, _| vec![Some("assume_align".to_string())],
    }

    /// The same memrefs, promised not to overlap one another.
    DistinctObjectsOp = "memref.distinct_objects" {
        operands: [operands: MEMREF.variadic()],
        results: [results: MEMREF.variadic()],
        traits: PURE,
        format: "$operands attr-dict `:` type($operands)",
        verify: verify_distinct_objects,
        infer: |ctx, s| Ok(s.operands.iter().map(|v| v.ty(ctx)).collect()),
    }

    /// A memref of the given offset, sizes and strides at the base address of another,
    /// whatever that one's shape and layout.
    ReinterpretCastOp = "memref.reinterpret_cast" {
        operands: [source: ANY_MEMREF, offsets: INDEX.variadic(), sizes: INDEX.variadic(), strides: INDEX.variadic()],
        results: [result: STRIDED],
        attrs: [static_offsets: DENSE_I64, static_sizes: DENSE_I64, static_strides: DENSE_I64],
        traits: PURE | ATTR_SIZED_OPERANDS,
        custom: (syntax::parse_reinterpret_cast, syntax::print_reinterpret_cast),
        verify: verify_reinterpret_cast,
        fold: fold::reinterpret_cast,
        canonicalize: canonicalize::reinterpret_cast,
        result_names: |_, _| vec![Some("reinterpret_cast".to_string())],
    }

    /// A memref of any element type inside a buffer of bytes, `byte_shift` bytes in.
    ViewOp = "memref.view" {
        operands: [source: MEMREF_1D_I8, byte_shift: INDEX, sizes: INDEX.variadic()],
        results: [result: MEMREF],
        traits: PURE,
        format: "$source `[` $byte_shift `]` `` `[` $sizes `]` attr-dict `:` type($source) `to` type(results)",
        verify: verify_view,
        fold: fold::view,
        canonicalize: canonicalize::view,
        result_names: |_, _| vec![Some("view".to_string())],
    }
}

impl CastOp {
    /// `source` as the type `ty`, which must be compatible.
    pub fn build(b: &mut Builder, source: Value, ty: Type) -> Value {
        b.value::<CastOp>(&[source], ty, &[])
    }

    /// Whether users of the result can use the source instead.
    pub(crate) fn can_fold_into_consumer(self, ctx: &Context) -> bool {
        let op = self.op();
        layout::cast_forgets(ctx, op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx))
    }
}

impl ReinterpretCastOp {
    /// The one offset, and the sizes and strides.
    pub fn slice(self, ctx: &Context) -> Option<Slice> {
        Slice::of(ctx, self.op())
    }

    /// The elements of `source`, which has one dimension, from its start as rows one behind the other:
    /// a memref of these sizes, the outermost first. It has no layout if those have none between them,
    /// and else their stride.
    pub fn build_row_major(b: &mut Builder, source: Value, sizes: &[Mixed]) -> Value {
        let unit = layout::even_stride(b.ctx, source.ty(b.ctx)).unwrap_or(1);
        let mut strides = vec![Mixed::Static(unit)];
        for size in sizes.iter().skip(1).rev() {
            let inner = strides[strides.len() - 1];
            strides.push(match (*size, inner) {
                (m, Mixed::Static(1)) => m,
                (Mixed::Static(x), Mixed::Static(y)) if x.checked_mul(y).is_some() => {
                    Mixed::Static(x * y)
                }
                (x, y) => {
                    let [x, y] = [x, y].map(|m| match m {
                        Mixed::Value(v) => v,
                        Mixed::Static(n) => arith::constant_index(b, n),
                    });
                    let index = b.ctx.index();
                    Mixed::Value(b.value::<arith::MulIOp>(&[x, y], index, &[]))
                }
            });
        }
        strides.reverse();
        let slice = Slice {
            offsets: vec![Mixed::Static(0)],
            sizes: sizes.to_vec(),
            strides,
        };
        match unit {
            1 => Self::create(b, source, &slice, None),
            _ => Self::build(b, source, &slice),
        }
    }

    /// Whether the sizes and strides are those of rows of the source's elements one behind the other,
    /// from its start: no two subscripts within the sizes name one element.
    pub fn is_row_major(self, ctx: &Context) -> bool {
        let Some(slice) = self.slice(ctx) else {
            return false;
        };
        let constant = |m: &Mixed| m.constant(ctx);
        let starts = slice.offsets.iter().all(|o| constant(o) == Some(0));
        let of_source = layout::even_stride(ctx, self.op().operand(ctx, 0).ty(ctx));
        let unit = slice.strides.last().and_then(constant) == Some(of_source.unwrap_or(1));
        let inner = slice.strides.windows(2).zip(slice.sizes.iter().skip(1));
        starts
            && unit
            && inner
                .into_iter()
                .all(|(s, size)| is_product(ctx, s[0], *size, s[1]))
    }

    /// A reinterpret_cast to exactly what the slice says.
    pub(crate) fn build(b: &mut Builder, source: Value, slice: &Slice) -> Value {
        let [offsets, _, strides] = slice.statics();
        let offset = offsets.first().copied().unwrap_or(0);
        let layout = b
            .ctx
            .attr(terrace_ir::AttrData::Strided { strides, offset });
        Self::create(b, source, slice, Some(layout))
    }

    fn create(b: &mut Builder, source: Value, slice: &Slice, layout: Option<Attr>) -> Value {
        let from = source.ty(b.ctx);
        let [_, shape, _] = slice.statics();
        let elem = from.element_or_self(b.ctx);
        let space = layout::memory_space(b.ctx, from);
        let ty = b.ctx.ty(TypeData::MemRef {
            shape,
            elem,
            layout,
            space,
        });
        let mut s = b
            .state::<ReinterpretCastOp>()
            .operands(&[source])
            .results(&[ty]);
        slice.set(b.ctx, &mut s, 1);
        b.create(s).result(b.ctx, 0)
    }
}

/// Whether `product` is `x * y`, by numbers or because an op multiplies these.
fn is_product(ctx: &Context, product: Mixed, x: Mixed, y: Mixed) -> bool {
    let same = |a: Mixed, b: Mixed| match (a.constant(ctx), b.constant(ctx)) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    };
    if let [Some(p), Some(x), Some(y)] = [product, x, y].map(|m| m.constant(ctx)) {
        return x.checked_mul(y) == Some(p);
    }
    if y.constant(ctx) == Some(1) {
        return same(product, x);
    }
    let Mixed::Value(v) = product else {
        return false;
    };
    let op = v.def_op().filter(|o| o.isa::<arith::MulIOp>(ctx));
    op.is_some_and(|o| {
        let [a, b] = [0, 1].map(|i| Mixed::Value(o.operand(ctx, i)));
        (same(a, x) && same(b, y)) || (same(a, y) && same(b, x))
    })
}

impl ViewOp {
    /// Sizes of the dimensions that are `?`, in order.
    pub fn sizes(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "sizes")
    }

    pub(crate) fn byte_shift(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }
}

fn incompatible(ctx: &Context, a: Type, b: Type) -> Verified {
    Err(format!(
        "operand type '{}' and result type '{}' are cast incompatible",
        ctx.type_text(a),
        ctx.type_text(b)
    )
    .into())
}

fn verify_cast(ctx: &Context, op: Op) -> Verified {
    let (a, b) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if layout::cast_compatible(ctx, a, b) {
        Ok(())
    } else {
        incompatible(ctx, a, b)
    }
}

fn verify_memory_space_cast(ctx: &Context, op: Op) -> Verified {
    let (a, b) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    let same = match (a.data(ctx), b.data(ctx)) {
        (
            TypeData::MemRef {
                shape: sa,
                elem: ea,
                layout: la,
                ..
            },
            TypeData::MemRef {
                shape: sb,
                elem: eb,
                layout: lb,
                ..
            },
        ) => sa == sb && ea == eb && la == lb,
        (TypeData::UnrankedMemRef { elem: ea, .. }, TypeData::UnrankedMemRef { elem: eb, .. }) => {
            ea == eb
        }
        _ => false,
    };
    if same {
        Ok(())
    } else {
        incompatible(ctx, a, b)
    }
}

fn verify_assume_alignment(ctx: &Context, op: Op) -> Verified {
    match op.int_attr(ctx, "alignment") {
        Some(a) if a & (a - 1) != 0 => Err("alignment must be power of 2".into()),
        _ => Ok(()),
    }
}

fn verify_distinct_objects(ctx: &Context, op: Op) -> Verified {
    if op.operand_types(ctx) != op.result_types(ctx) {
        return Err("operand types and result types must match".into());
    }
    if op.num_operands(ctx) == 0 {
        return Err("expected at least one operand".into());
    }
    Ok(())
}

fn verify_reinterpret_cast(ctx: &Context, op: Op) -> Verified {
    let (source, result) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    let shape = result.shape(ctx).unwrap_or(&[]);
    offsets::verify_slice(ctx, op, [1, shape.len(), shape.len()])?;
    let fail = |m: String| Err(Invalid::plain(m));
    let both = || {
        format!(
            "specified for source type '{}' and result memref type '{}'",
            ctx.type_text(source),
            ctx.type_text(result)
        )
    };
    if layout::memory_space(ctx, source) != layout::memory_space(ctx, result) {
        return fail(format!("different memory spaces {}", both()));
    }
    if source.element(ctx) != result.element(ctx) {
        return fail(format!("different element types {}", both()));
    }
    let (Some(slice), Some(have)) = (Slice::of(ctx, op), layout::strides_and_offset(ctx, result))
    else {
        let text = ctx.type_text(result);
        return fail(format!(
            "expected result type to have strided layout but found '{text}'"
        ));
    };
    let [offsets, sizes, strides] = slice.statics();
    let text = |v: i64| {
        if v == DYNAMIC {
            "dynamic".to_string()
        } else {
            v.to_string()
        }
    };
    let differs = |have: i64, want: i64| have != DYNAMIC && have != want;
    for (i, (have, want)) in shape.iter().zip(sizes).enumerate() {
        if differs(*have, want) {
            return fail(format!(
                "expected result type with size = {} instead of {have} in dim = {i}",
                text(want)
            ));
        }
    }
    if differs(have.offset, offsets[0]) {
        return fail(format!(
            "expected result type with offset = {} instead of {}",
            text(offsets[0]),
            have.offset
        ));
    }
    for (i, (have, want)) in have.strides.iter().zip(strides).enumerate() {
        if differs(*have, want) {
            return fail(format!(
                "expected result type with stride = {} instead of {have} in dim = {i}",
                text(want)
            ));
        }
    }
    Ok(())
}

fn verify_view(ctx: &Context, op: Op) -> Verified {
    let (base, view) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    for (t, what) in [(base, "base"), (view, "result")] {
        if !layout::has_identity_layout(ctx, t) {
            let text = ctx.type_text(t);
            return Err(Invalid::plain(format!(
                "unsupported map for {what} memref type '{text}'"
            )));
        }
    }
    if layout::memory_space(ctx, base) != layout::memory_space(ctx, view) {
        return Err(Invalid::plain(format!(
            "different memory spaces specified for base memref type '{}' and view memref type '{}'",
            ctx.type_text(base),
            ctx.type_text(view)
        )));
    }
    verify_dynamic_count(ctx, view, op.operand_group(ctx, "sizes").len())
}
