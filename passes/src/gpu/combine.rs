//! Values that all threads of a block combine, in an order that depends on nothing but how many
//! threads there are: by shuffles within a warp, then the warps one after another. All threads
//! get the result.

use crate::loops::build::index::constant;
use terrace_dialects::arith::{self, AtomicRmwKind, CmpIOp, CmpIPredicate};
use terrace_dialects::{gpu, memref, scf};
use terrace_ir::{Builder, InsertPoint, Type, Value};

/// Lanes of a warp.
pub(crate) const LANES: i64 = 32;

/// The place of a thread in its block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub lane: Value,
    pub warp: Value,
    /// Warps of the block.
    pub warps: i64,
}

/// Combines `own` of all threads by way of `buffer`, which has an element for each warp and
/// which no thread may still be using.
pub(crate) fn combine_in_block(
    b: &mut Builder,
    place: Place,
    kind: AtomicRmwKind,
    own: Value,
    buffer: Value,
) -> Value {
    let ty = own.ty(b.ctx);
    let mut v = own;
    for distance in [16, 8, 4, 2, 1] {
        let other = shuffle(b, "xor", v, distance);
        v = kind.combine(b, v, other, ty);
    }
    if place.warps == 1 {
        return v;
    }
    let zero = constant(b, 0);
    let is_first = CmpIOp::build(b, CmpIPredicate::Eq, place.lane, zero);
    let (_, then, _) = scf::IfOp::build(b, is_first, &[], false);
    b.with_point(InsertPoint::End(then), |b| {
        memref::StoreOp::build(b, v, buffer, &[place.warp]);
        scf::YieldOp::build(b, &[]);
    });
    gpu::BarrierOp::build(b);
    let mut sum = memref::LoadOp::build(b, buffer, &[zero]);
    for w in 1..place.warps {
        let w = constant(b, w);
        let next = memref::LoadOp::build(b, buffer, &[w]);
        sum = kind.combine(b, sum, next, ty);
    }
    sum
}

/// The value of the lane `by` further `up` or `down`, of lane `by` (`idx`), or of that whose
/// number differs by it (`xor`). Indices travel as integers.
pub(crate) fn shuffle(b: &mut Builder, mode: &str, v: Value, by: i64) -> Value {
    let (ty, int, i32) = (v.ty(b.ctx), b.ctx.i64(), b.ctx.i32());
    let by = arith::constant_int(b, by, i32);
    let width = arith::constant_int(b, LANES, i32);
    if !ty.is_index(b.ctx) {
        return gpu::ShuffleOp::build(b, mode, v, by, width).result(b.ctx, 0);
    }
    let v = b.value::<arith::IndexCastOp>(&[v], int, &[]);
    let v = gpu::ShuffleOp::build(b, mode, v, by, width).result(b.ctx, 0);
    b.value::<arith::IndexCastOp>(&[v], ty, &[])
}

/// Whether values of a type can go from lane to lane.
pub(crate) fn travels(ctx: &terrace_ir::Context, ty: Type) -> bool {
    let width = |w: u32| matches!(w, 32 | 64);
    ty.is_index(ctx)
        || ty.int_width(ctx).is_some_and(width)
        || ty.float_kind(ctx).is_some_and(|k| width(k.width()))
}
