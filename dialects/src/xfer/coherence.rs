//! An array and its mirror on a device: which of the two is up to date.
//!
//! `xfer.create` makes a mirror of an array. From then on there are two copies of each
//! element, and whoever writes one makes the other stale. The rule of Allazov, Guda and
//! Morylev (2017) must hold: on every path from a write of an array in one memory to a
//! use in another lies a copy from the one to the other, before any in the opposite
//! direction. The interpreter checks it for each element as the program runs, the pass
//! `xfer-check` for all paths.

use super::ops::compatible_shapes;
use super::space::{DEVICE_BUFFER, device_number, in_space};
use crate::memref::layout::has_identity_layout;
use terrace_ir::constraint::{AttrConstraint, EnumDef, EnumStorage, MEMREF, UNIT_ATTR, enum_attr};
use terrace_ir::opdef::{Effect, EffectKind, Verified};
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value, op};

/// One memory of the two that an array and its mirror lie in, or both.
pub(crate) static SIDE: EnumDef = EnumDef {
    name: "::terrace::xfer::Side",
    cases: &[("host", 0), ("device", 1), ("both", 2)],
    bits: false,
    separator: "",
    storage: EnumStorage::I32,
};

const SIDE_ATTR: AttrConstraint = enum_attr(
    "a side: host, device or both",
    |c, a| SIDE.value(c, a).is_some(),
    &SIDE,
);

/// One of the two places where an array and its mirror lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The memory of the host.
    Host,
    /// The memory of the device.
    Device,
}

impl Side {
    /// The side that this is not.
    pub fn other(self) -> Side {
        match self {
            Side::Host => Side::Device,
            Side::Device => Side::Host,
        }
    }

    /// The keyword, which is a word of English too.
    pub fn word(self) -> &'static str {
        match self {
            Side::Host => "host",
            Side::Device => "device",
        }
    }
}

/// The attribute of an `xfer.create` whose copies stay where they are.
pub const FIXED: &str = "fixed";

op! {
    /// The mirror of a row-major array in the memory of a device: a buffer of the same
    /// shape, its elements not set. Where it is `fixed`, the author has placed the
    /// copies, and no pass moves them.
    CreateOp = "xfer.create" {
        operands: [array: MEMREF],
        results: [mirror: DEVICE_BUFFER],
        attrs: [fixed: UNIT_ATTR],
        format: "$array (`fixed` $fixed^)? attr-dict `:` type($array) `to` type($mirror)",
        verify: verify_create,
        effects: |ctx, op| vec![Effect { kind: EffectKind::Alloc, on: Some(op.result(ctx, 0)) }],
        result_names: |_, _| vec![Some("mirror".into())],
    }

    /// Says that nobody needs what is in the array now, in whichever memory: each
    /// element is written before it is read again. So no copy of it is needed either,
    /// and both sides count as valid.
    DiscardOp = "xfer.discard" {
        operands: [array: MEMREF],
        format: "$array attr-dict `:` type($array)",
        effects: |ctx, op| vec![Effect { kind: EffectKind::Write, on: Some(op.operand(ctx, 0)) }],
    }

    /// Copies the array to the `side` from the other, unless what `xfer.mark_written`,
    /// copies and discards have told says that it is valid there.
    EnsureOp = "xfer.ensure" {
        operands: [array: MEMREF, mirror: DEVICE_BUFFER],
        attrs: [side: SIDE_ATTR],
        format: "$array `,` $mirror `on` $side attr-dict `:` type($array) `,` type($mirror)",
        verify: verify_one_side,
        effects: |ctx, op| on_both(ctx, op, &[EffectKind::Read, EffectKind::Write]),
    }

    /// Says that the array was written on the `side`, so that the other is stale; for
    /// each `xfer.ensure` that may come to pass before the next copy.
    MarkWrittenOp = "xfer.mark_written" {
        operands: [array: MEMREF, mirror: DEVICE_BUFFER],
        attrs: [side: SIDE_ATTR],
        format: "$array `,` $mirror `on` $side attr-dict `:` type($array) `,` type($mirror)",
        verify: verify_one_side,
        effects: |ctx, op| on_both(ctx, op, &[EffectKind::Write]),
    }

    /// Claims that the whole array is valid on the `side`, or on both.
    AssertValidOp = "xfer.assert_valid" {
        operands: [array: MEMREF, mirror: DEVICE_BUFFER],
        attrs: [side: SIDE_ATTR],
        format: "$array `,` $mirror `on` $side attr-dict `:` type($array) `,` type($mirror)",
        verify: verify_pair,
        effects: |ctx, op| on_both(ctx, op, &[EffectKind::Read]),
    }
}

fn on_both(ctx: &Context, op: Op, kinds: &[EffectKind]) -> Vec<Effect> {
    let on = |v: Value| {
        kinds.iter().map(move |k| Effect {
            kind: *k,
            on: Some(v),
        })
    };
    on(op.operand(ctx, 0))
        .chain(on(op.operand(ctx, 1)))
        .collect()
}

impl CreateOp {
    /// The array of the host.
    pub fn array(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// The mirror made for it.
    pub fn mirror(self, ctx: &Context) -> Value {
        self.op().result(ctx, 0)
    }

    /// A mirror of `array` in the memory `space` (see [`super::device_space`]).
    pub fn build(b: &mut Builder, array: Value, space: terrace_ir::Attr) -> Value {
        let ty = array.ty(b.ctx);
        let ty = in_space(b.ctx, ty, Some(space));
        b.value::<CreateOp>(&[array], ty, &[])
    }
}

impl DiscardOp {
    /// The array of the host whose mirror goes.
    pub fn array(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// The mirror of `array` is needed no more.
    pub fn build(b: &mut Builder, array: Value) -> Op {
        b.op::<DiscardOp>(&[array], &[], &[])
    }
}

macro_rules! of_a_pair {
    ($($op:ident)*) => {$(
        impl $op {
            /// The array of the host.
            pub fn array(self, ctx: &Context) -> Value {
                self.op().operand(ctx, 0)
            }

            /// Its mirror on the device.
            pub fn mirror(self, ctx: &Context) -> Value {
                self.op().operand(ctx, 1)
            }

            /// The sides it is about.
            pub fn sides(self, ctx: &Context) -> &'static [Side] {
                let side = self.op().attr(ctx, "side").and_then(|a| SIDE.value(ctx, a));
                match side {
                    Some(0) => &[Side::Host],
                    Some(1) => &[Side::Device],
                    _ => &[Side::Host, Side::Device],
                }
            }

            /// The op for one side of a pair.
            pub fn build(b: &mut Builder, array: Value, mirror: Value, side: Side) -> Op {
                let side = SIDE.attr(b.ctx, match side {
                    Side::Host => 0,
                    Side::Device => 1,
                });
                b.op::<$op>(&[array, mirror], &[], &[("side", side)])
            }
        }
    )*};
}

of_a_pair!(EnsureOp MarkWrittenOp AssertValidOp);

fn verify_create(ctx: &Context, op: Op) -> Verified {
    let (array, mirror) = (op.operand(ctx, 0).ty(ctx), op.result(ctx, 0).ty(ctx));
    if device_number(ctx, array).is_some() {
        return Err(format!(
            "mirrors arrays of the host, but '{}' lies on a device",
            ctx.type_text(array)
        )
        .into());
    }
    verify_like(ctx, array, mirror)
}

fn verify_pair(ctx: &Context, op: Op) -> Verified {
    verify_mirror_of(ctx, op.operand(ctx, 0).ty(ctx), op.operand(ctx, 1).ty(ctx))
}

/// Whether memrefs of these types can be an array and its mirror.
pub(super) fn verify_mirror_of(ctx: &Context, array: Type, mirror: Type) -> Verified {
    if device_number(ctx, array).is_some() {
        return Err(format!(
            "takes an array of the host and its mirror, but '{}' lies on a device",
            ctx.type_text(array)
        )
        .into());
    }
    verify_like(ctx, array, mirror)
}

fn verify_one_side(ctx: &Context, op: Op) -> Verified {
    verify_pair(ctx, op)?;
    if op.attr(ctx, "side").and_then(|a| SIDE.value(ctx, a)) == Some(2) {
        return Err("is about one side, host or device, not both".into());
    }
    Ok(())
}

/// Whether a buffer can be the mirror of an array.
fn verify_like(ctx: &Context, array: Type, mirror: Type) -> Verified {
    let text = |t| ctx.type_text(t);
    if array.element(ctx) != mirror.element(ctx) || !compatible_shapes(ctx, array, mirror) {
        return Err(format!(
            "'{}' is no mirror of '{}': element type and shape must be the same",
            text(mirror),
            text(array)
        )
        .into());
    }
    for (name, t) in [("array", array), ("mirror", mirror)] {
        if !has_identity_layout(ctx, t) {
            return Err(format!(
                "mirrors row-major arrays only, but the {name} '{}' has a layout",
                text(t)
            )
            .into());
        }
    }
    Ok(())
}
