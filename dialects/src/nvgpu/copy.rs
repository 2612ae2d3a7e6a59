//! Copies from the memory of the device to that of a block, in the background.

use super::{SHARED, TOKEN, element_bits, is_shared};
use crate::vector::last_dim_unit_stride;
use terrace_ir::constraint::{I32_ATTR, INDEX, INDEX_ATTR, MEMREF, UNIT_ATTR};
use terrace_ir::opdef::{Effect, EffectKind, Invalid, Verified};
use terrace_ir::{Context, Op, OpKind, Type, Value, op};

op! {
    /// Begins a copy of `dstElements` elements (4, 8 or 16 bytes) by this thread. Of
    /// these, `srcElements` are read where that is given; the rest becomes zero.
    DeviceAsyncCopyOp = "nvgpu.device_async_copy" {
        operands: [
            dst: MEMREF,
            dstIndices: INDEX.variadic(),
            src: MEMREF,
            srcIndices: INDEX.variadic(),
            srcElements: INDEX.optional(),
        ],
        results: [asyncToken: TOKEN],
        attrs: [dstElements: INDEX_ATTR, bypassL1: UNIT_ATTR],
        traits: ATTR_SIZED_OPERANDS,
        format: "$src `` `[` $srcIndices `]` `,` $dst `` `[` $dstIndices `]` `,` $dstElements (`,` $srcElements^)? attr-dict `:` type($src) `to` type($dst)",
        verify: verify,
        effects: |ctx, op| {
            let on = |name| op.operand_group(ctx, name).first().copied();
            vec![
                Effect { kind: EffectKind::Write, on: on("dst") },
                Effect { kind: EffectKind::Read, on: on("src") },
            ]
        },
    }

    /// Puts the copies that this thread has begun since the last group into a group.
    DeviceAsyncCreateGroupOp = "nvgpu.device_async_create_group" {
        operands: [inputTokens: TOKEN.variadic()],
        results: [asyncToken: TOKEN],
        format: "$inputTokens attr-dict",
    }

    /// Waits until of this thread's groups at most `numGroups` are under way.
    DeviceAsyncWaitOp = "nvgpu.device_async_wait" {
        operands: [asyncDependencies: TOKEN],
        attrs: [numGroups: I32_ATTR.optional()],
        format: "$asyncDependencies attr-dict",
    }
}

impl DeviceAsyncCopyOp {
    fn one(self, ctx: &Context, group: &str) -> Option<Value> {
        self.op().operand_group(ctx, group).first().copied()
    }

    /// The shared memory written; `None` for a malformed op.
    pub fn dst(self, ctx: &Context) -> Option<Value> {
        self.one(ctx, "dst")
    }

    /// Subscripts of the first element written.
    pub fn dst_indices(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "dstIndices")
    }

    /// The global memory read; `None` for a malformed op.
    pub fn src(self, ctx: &Context) -> Option<Value> {
        self.one(ctx, "src")
    }

    /// Subscripts of the first element read.
    pub fn src_indices(self, ctx: &Context) -> Vec<Value> {
        self.op().operand_group(ctx, "srcIndices")
    }

    /// How many elements are read, the rest becomes zero; `None` for all.
    pub fn src_elements(self, ctx: &Context) -> Option<Value> {
        self.one(ctx, "srcElements")
    }

    /// How many elements are written.
    pub fn dst_elements(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "dstElements").unwrap_or(0)
    }

    /// Whether the copy leaves the first-level cache alone.
    pub fn bypasses_l1(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "bypassL1").is_some()
    }
}

impl DeviceAsyncWaitOp {
    /// How many groups may still be under way.
    pub fn num_groups(self, ctx: &Context) -> Option<i64> {
        self.op().int_attr(ctx, "numGroups")
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let Some(copy) = op.cast::<DeviceAsyncCopyOp>(ctx) else {
        return Ok(());
    };
    let (Some(src), Some(dst)) = (copy.src(ctx), copy.dst(ctx)) else {
        return Ok(());
    };
    let (src, dst) = (src.ty(ctx), dst.ty(ctx));
    for (ty, what) in [(src, "source"), (dst, "destination")] {
        if !last_dim_unit_stride(ctx, ty) {
            return Err(Invalid::plain(format!(
                "{what} memref most minor dim must have unit stride"
            )));
        }
    }
    if !is_shared(ctx, dst.memref_parts(ctx).and_then(|m| m.1)) {
        return Err(Invalid::plain(format!(
            "destination memref must have a memory space attribute of IntegerAttr({SHARED}) or gpu::AddressSpaceAttr(Workgroup)"
        )));
    }
    if src.element(ctx) != dst.element(ctx) {
        return Err(Invalid::plain(
            "source and destination must have the same element type",
        ));
    }
    let indices = [
        (src, copy.src_indices(ctx).len(), "source"),
        (dst, copy.dst_indices(ctx).len(), "destination"),
    ];
    for (ty, found, what) in indices {
        let rank = ty.shape(ctx).map_or(0, <[i64]>::len);
        if rank != found {
            return Err(format!("expected {rank} {what} indices, got {found}").into());
        }
    }
    verify_size(ctx, copy, dst)
}

fn verify_size(ctx: &Context, copy: DeviceAsyncCopyOp, dst: Type) -> Verified {
    let Some(bits) = element_bits(ctx, dst) else {
        return Err("expected elements that are integers or floats".into());
    };
    let elements = copy.dst_elements(ctx);
    let bytes = bits.wrapping_mul(elements) / 8;
    if ![4, 8, 16].contains(&bytes) {
        let mut message = format!(
            "Requested copy elements is {elements} with width {bits}. But copy elements could be one of "
        );
        for (size, end) in [(32, ", "), (64, ", "), (128, ".")] {
            if size / bits > 0 {
                message += &format!("{}{end}", size / bits);
            }
        }
        return Err(Invalid::plain(message));
    }
    if copy.bypasses_l1(ctx) && bytes != 16 {
        return Err(format!(
            "bypassL1 does not satify alignment for '{}' with destination element {elements}. Unset bypassL1, or set destination element to {}",
            ctx.type_text(dst),
            128 / bits
        )
        .into());
    }
    Ok(())
}
