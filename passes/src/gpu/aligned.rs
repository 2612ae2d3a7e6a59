//! Whether vectors of an array lie at multiples of their size, which the program asks when
//! it runs.

use terrace_dialects::arith;
use terrace_dialects::gpu;
use terrace_ir::{Builder, Context, Op, Value};

/// Whether all rows of an array, of elements of so many bytes, begin at multiples of a
/// vector of so many elements; `wanted` where it should be seen to that they do.
pub(crate) fn rows_aligned(
    b: &mut Builder,
    array: Value,
    vector: i64,
    bytes: i64,
    wanted: bool,
) -> Value {
    gpu::RowsAlignedOp::build(b, array, (vector * bytes) as i32, wanted)
}

/// What is left of a number divided by `n`, at least 1, where the program says it by
/// constants, sums, differences and products.
pub(crate) fn residue(ctx: &Context, number: Value, n: i64) -> Option<i64> {
    if let Some(known) = ctx.constant_int(number) {
        return Some(known.rem_euclid(n));
    }
    let op = number.def_op()?;
    let of = |i| residue(ctx, op.operand(ctx, i), n);
    let found = match op.name(ctx) {
        arith::AddIOp::NAME => of(0)? + of(1)?,
        arith::SubIOp::NAME => of(0)? - of(1)?,
        arith::MulIOp::NAME => match (of(0), of(1)) {
            (Some(0), _) | (_, Some(0)) => 0,
            (x, y) => x?.checked_mul(y?)?,
        },
        _ => return None,
    };
    Some(found.rem_euclid(n))
}

/// Says that an access is aligned to that many bytes.
pub(crate) fn promise(b: &mut Builder, access: Op, bytes: i64) {
    let bytes = b.ctx.i64_attr(bytes);
    access.set_attr(b.ctx, "alignment", bytes);
}
