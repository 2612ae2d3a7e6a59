//! Where the rows of an array lie.

use crate::memref::layout::strides_and_offset;
use terrace_ir::constraint::{AttrConstraint, AttrSyntax, I1, STRIDED_MEMREF, UNIT_ATTR};
use terrace_ir::opdef::Verified;
use terrace_ir::{Builder, Context, Op, OpKind, Value, op};

const POWER_OF_TWO: AttrConstraint = AttrConstraint::new(
    "32-bit signless integer attribute whose value is a power of two",
    |c, a| {
        let power = |v: i64| v > 0 && v & (v - 1) == 0;
        a.typed(c) == Some(c.i32()) && a.as_i64(c).is_some_and(power)
    },
)
.syntax(AttrSyntax::Typed(|c| c.i32()));

op! {
    /// Whether all rows of an array, its elements with neighbouring last subscripts, begin at
    /// multiples of so many bytes: its first element does, and what each subscript but the
    /// last moves on by is a multiple. It is asked by an op of its own, and not by arithmetic on
    /// the array's sizes, as a pass may still move the rows apart (`xfer-pad-rows`). Where it is
    /// `wanted` the kernel is faster by so much that this should be done.
    RowsAlignedOp = "gpu.rows_aligned" {
        operands: [array: STRIDED_MEMREF],
        results: [aligned: I1],
        attrs: [bytes: POWER_OF_TWO, wanted: UNIT_ATTR],
        traits: PURE,
        format: "$array `to` $bytes (`wanted` $wanted^)? attr-dict `:` type($array)",
        verify: verify,
        result_names: |_, _| vec![Some("aligned".into())],
    }
}

impl RowsAlignedOp {
    /// The array asked about.
    pub fn array(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    /// A power of two.
    pub fn bytes(self, ctx: &Context) -> i64 {
        self.op().int_attr(ctx, "bytes").unwrap_or(1)
    }

    /// Whether the rows should be moved apart so that the answer is yes.
    pub fn is_wanted(self, ctx: &Context) -> bool {
        self.op().attr(ctx, "wanted").is_some()
    }

    /// Whether the rows of `array`, a memref with strides, begin at multiples of `bytes`, a
    /// power of two.
    pub fn build(b: &mut Builder, array: Value, bytes: i32, wanted: bool) -> Value {
        let (ty, i32) = (b.ctx.i1(), b.ctx.i32());
        let mut attrs = vec![("bytes", b.ctx.int_attr(i32, i64::from(bytes)))];
        if wanted {
            attrs.push(("wanted", b.ctx.unit()));
        }
        b.value::<RowsAlignedOp>(&[array], ty, &attrs)
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let ty = op.operand(ctx, 0).ty(ctx);
    match strides_and_offset(ctx, ty) {
        Some(_) => Ok(()),
        None => Err(format!("the layout of '{}' has no strides", ctx.type_text(ty)).into()),
    }
}
