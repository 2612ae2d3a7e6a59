//! `xfer.at_address`: memory that a pointer in memory points to.

use crate::memref::layout::strides_and_offset;
use terrace_ir::constraint::{I64, MEMREF};
use terrace_ir::opdef::{Invalid, Verified};
use terrace_ir::types::DYNAMIC;
use terrace_ir::{Builder, Context, Op, OpKind, Type, Value, op};

op! {
    /// The memory at an address of the place that the op runs on: a pointer that was
    /// loaded, such as a row of `double **`. How many elements there are is not known,
    /// so the outermost size is left open; all other numbers are in the type. Any other
    /// memref may be the same memory.
    AtAddressOp = "xfer.at_address" {
        operands: [address: I64],
        results: [memory: MEMREF],
        traits: PURE,
        format: "$address attr-dict `:` type($memory)",
        verify: verify,
        result_names: |_, _| vec![Some("row".into())],
    }
}

impl AtAddressOp {
    pub fn address(self, ctx: &Context) -> Value {
        self.op().operand(ctx, 0)
    }

    pub fn memory(self, ctx: &Context) -> Value {
        self.op().result(ctx, 0)
    }

    pub fn build(b: &mut Builder, address: Value, ty: Type) -> Value {
        b.value::<AtAddressOp>(&[address], ty, &[])
    }
}

fn verify(ctx: &Context, op: Op) -> Verified {
    let ty = op.result(ctx, 0).ty(ctx);
    let shape = ty.shape(ctx).unwrap_or(&[]);
    let open_outermost = shape.first() == Some(&DYNAMIC);
    let rest_known = shape.iter().skip(1).all(|n| *n != DYNAMIC);
    let strides_known = strides_and_offset(ctx, ty)
        .is_some_and(|l| l.offset != DYNAMIC && l.strides.iter().all(|n| *n != DYNAMIC));
    match open_outermost && rest_known && strides_known {
        true => Ok(()),
        false => Err(Invalid::from(format!(
            "needs a memref of which the outermost size alone is open, found '{}'",
            ctx.type_text(ty)
        ))),
    }
}
