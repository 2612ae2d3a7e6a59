//! `xfer.alloc`, `xfer.free`, `xfer.copy`.

use super::queues::{ORDER, Order};
use super::space::{BUFFER, device_number};
use crate::gpu::types::TOKEN;
use crate::memref::layout::{has_identity_layout, is_strided};
use terrace_ir::constraint::{INDEX, MEMREF};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value, op};

op! {
    /// A buffer in the memory of a device, or in memory of the host that devices copy
    /// fast (`#xfer.pinned`), its elements not set. Sizes that the type leaves open are
    /// operands, in order.
    AllocOp = "xfer.alloc" {
        operands: [dynamicSizes: INDEX.variadic()],
        results: [buffer: BUFFER],
        format: "`(` $dynamicSizes `)` attr-dict `:` type($buffer)",
        verify: verify_alloc,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Alloc, on: Some(op.result(ctx, 0)) }],
        canonicalize: super::canonicalize::alloc,
        result_names: |ctx, op| {
            let pinned = super::space::is_pinned(ctx, op.result(ctx, 0).ty(ctx));
            vec![Some(if pinned { "pinned" } else { "device" }.into())]
        },
    }

    /// Frees what `xfer.alloc` gave; nothing may use it afterwards.
    FreeOp = "xfer.free" {
        operands: [buffer: BUFFER],
        format: "$buffer attr-dict `:` type($buffer)",
        effects: |ctx, op| vec![Effect { kind: EffectKind::Free, on: Some(op.operand(ctx, 0)) }],
    }

    /// Copies the whole of `src` to `dst`, of which at least one lies on a device:
    /// the memory spaces of the two say the direction. Both may be views with strides, as
    /// of a box of an array. The copy begins when what it is ordered after is done: tokens,
    /// and with a queue what that was given before. It is done when the next op begins; with
    /// `async` when its token is, or its queue.
    CopyOp = "xfer.copy" {
        operands: [src: MEMREF, dst: MEMREF, order: ORDER.variadic()],
        results: [asyncToken: TOKEN.optional()],
        custom: (super::queues::parse_copy, super::queues::print_copy),
        verify: verify_copy,
        effects: |ctx, op| vec![
            Effect { kind: EffectKind::Read, on: Some(op.operand(ctx, 0)) },
            Effect { kind: EffectKind::Write, on: Some(op.operand(ctx, 1)) },
        ],
        canonicalize: super::canonicalize::copy,
    }
}

/// Which way a copy goes. Devices are named by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the device of this number.
    HostToDevice(u32),
    /// From the device of this number.
    DeviceToHost(u32),
    /// Between devices, or within one.
    DeviceToDevice {
        /// The device read.
        from: u32,
        /// The device written.
        to: u32,
    },
}

impl AllocOp {
    /// The memory allocated.
    pub fn buffer(self, ctx: &Context) -> Value {
        self.op().result(ctx, 0)
    }

    /// Sizes of the dimensions that are `?`, in order.
    pub fn dynamic_sizes(self, ctx: &Context) -> Vec<Value> {
        self.op().operands(ctx)
    }

    /// A buffer of memref type `ty`, which must lie on a device; see
    /// [`super::in_space`].
    pub fn build(b: &mut Builder, ty: Type, dynamic_sizes: &[Value]) -> Value {
        b.value::<AllocOp>(dynamic_sizes, ty, &[])
    }
}

impl FreeOp {
    /// The memory freed.
    pub fn buffer(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// Free memory of a device.
    pub fn build(b: &mut Builder, buffer: Value) -> Op {
        b.op::<FreeOp>(&[buffer], &[], &[])
    }
}

impl CopyOp {
    /// What is read.
    pub fn src(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// What is written.
    pub fn dst(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 1)
    }

    /// Which way it goes; `None` only for an op that does not verify.
    pub fn direction(self, ctx: &Context) -> Option<Direction> {
        let device = |v: Value| device_number(ctx, v.ty(ctx));
        match (device(self.src(ctx)), device(self.dst(ctx))) {
            (None, Some(d)) => Some(Direction::HostToDevice(d)),
            (Some(d), None) => Some(Direction::DeviceToHost(d)),
            (Some(from), Some(to)) => Some(Direction::DeviceToDevice { from, to }),
            (None, None) => None,
        }
    }

    /// Copy a memref to one of the same shape, synchronously.
    pub fn build(b: &mut Builder, src: Value, dst: Value) -> Op {
        b.op::<CopyOp>(&[src, dst], &[], &[])
    }

    /// What it is ordered after.
    pub fn order(self, ctx: &Context) -> Order {
        Order::of(ctx, self.op(), 2)
    }

    /// Makes an asynchronous copy, in order with `order`; its token.
    pub fn build_async(b: &mut Builder, src: Value, dst: Value, order: &Order) -> Value {
        let operands = [&[src, dst], &order.operands()[..]].concat();
        let token = crate::gpu::async_token(b.ctx);
        b.value::<CopyOp>(&operands, token, &[])
    }
}

fn verify_alloc(ctx: &Context, op: Op) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    let open = ty
        .shape(ctx)
        .unwrap_or(&[])
        .iter()
        .filter(|d| **d == DYNAMIC)
        .count();
    let sizes = op.num_operands(ctx);
    if sizes != open {
        return Err(format!(
            "has {sizes} sizes, but '{}' leaves {open} open",
            ctx.type_text(ty)
        )
        .into());
    }
    if !has_identity_layout(ctx, ty) {
        return Err("allocates row-major buffers only: the memref must have no layout".into());
    }
    Ok(())
}

fn verify_copy(ctx: &Context, op: Op) -> Verified {
    super::queues::verify_order(ctx, op, 2)?;
    let (s, d) = (op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx));
    let text = |t| ctx.type_text(t);
    if s.element(ctx) != d.element(ctx) {
        return Err(format!(
            "copies '{}' to '{}', whose elements differ",
            text(s),
            text(d)
        )
        .into());
    }
    if !compatible_shapes(ctx, s, d) {
        return Err(format!("copies '{}' to '{}', whose shapes differ", text(s), text(d)).into());
    }
    if device_number(ctx, s).is_none() && device_number(ctx, d).is_none() {
        return Err("copies from host to host: one side must lie in #xfer.device, and memref.copy is for the rest".into());
    }
    for (name, t) in [("source", s), ("destination", d)] {
        if !is_strided(ctx, t) {
            return Err(format!(
                "copies arrays with a stride for each dimension, but the layout of the {name} '{}' has none",
                text(t)
            )
            .into());
        }
    }
    Ok(())
}

/// Whether two shapes can be those of one array.
pub(super) fn compatible_shapes(ctx: &Context, a: Type, b: Type) -> bool {
    let (a, b) = (a.shape(ctx).unwrap_or(&[]), b.shape(ctx).unwrap_or(&[]));
    let fits = |(x, y): (&i64, &i64)| *x == DYNAMIC || *y == DYNAMIC || x == y;
    a.len() == b.len() && a.iter().zip(b).all(fits)
}
