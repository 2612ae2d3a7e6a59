//! Whether vectors of an array lie at multiples of their size, which the program asks when
//! it runs.

use super::numbers::{constant, rem};
use terrace_dialects::arith::{self, CmpIOp, CmpIPredicate};
use terrace_dialects::memref;
use terrace_ir::{Builder, Context, Op, TypeData, Value};

/// What an `scf.if` has whose branches do the same work in two ways: it is counted of the
/// first.
pub const EITHER: &str = "gpu.either";

/// Whether all rows of an array, of elements of so many bytes, begin at multiples of a
/// vector of so many elements.
pub fn rows_aligned(b: &mut Builder, array: Value, vector: i64, bytes: i64) -> Value {
    let index = b.ctx.index();
    let address = b.value::<memref::ExtractAlignedPointerAsIndexOp>(&[array], index, &[]);
    let n = constant(b, vector * bytes);
    let mut off = rem(b, address, n);
    let rank = match array.ty(b.ctx).data(b.ctx) {
        TypeData::MemRef { shape, .. } => shape.len() as i64,
        _ => 0,
    };
    // The only row begins with the array.
    if rank > 1 {
        let last = constant(b, rank - 1);
        let pitch = memref::DimOp::build(b, array, last);
        let n = constant(b, vector);
        let odd = rem(b, pitch, n);
        off = b.value::<arith::OrIOp>(&[odd, off], index, &[]);
    }
    let zero = constant(b, 0);
    CmpIOp::build(b, CmpIPredicate::Eq, off, zero)
}

/// What is left of a number divided by `n`, at least 1, where the program says it by
/// constants, sums, differences and products.
pub fn residue(ctx: &Context, number: Value, n: i64) -> Option<i64> {
    if let Some(known) = ctx.constant_int(number) {
        return Some(known.rem_euclid(n));
    }
    let op = number.def_op()?;
    let of = |i| residue(ctx, op.operand(ctx, i), n);
    let found = match op.name(ctx) {
        "arith.addi" => of(0)? + of(1)?,
        "arith.subi" => of(0)? - of(1)?,
        "arith.muli" => match (of(0), of(1)) {
            (Some(0), _) | (_, Some(0)) => 0,
            (x, y) => x?.checked_mul(y?)?,
        },
        _ => return None,
    };
    Some(found.rem_euclid(n))
}

/// Says that an access is aligned to that many bytes.
pub fn promise(b: &mut Builder, access: Op, bytes: i64) {
    let bytes = b.ctx.i64_attr(bytes);
    access.set_attr(b.ctx, "alignment", bytes);
}
