//! Loads and stores of vectors, whose elements lie one behind the other.

use super::{lanes_of, splat};
use crate::native::abi::{Desc, Lanes, Part, Scalar};
use crate::native::lower::{Lower, R};
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData};
use terrace_dialects::vector::{TransferReadOp, TransferWriteOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{Op, OpKind, Value};

/// Vectors need not be aligned.
pub(in crate::native) fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    match name {
        "load" => load(l, op, op.operand(ctx, 0), &op.operands(ctx)[1..]),
        "store" => {
            let operands = op.operands(ctx);
            store(l, op, operands[0], operands[1], &operands[2..])
        }
        "transfer_read" => transfer_read(l, TransferReadOp::wrap(op)),
        "transfer_write" => transfer_write(l, TransferWriteOp::wrap(op)),
        _ => Err(super::unsupported(l, op)),
    }
}

/// The address of the first element that a vector in memory has, with room for the offsets
/// of its other registers.
fn address(l: &mut Lower, op: Op, d: &Desc, at: &[Value], lanes: Lanes) -> R<(ir::Value, i32)> {
    if lanes.elem == Scalar::Int(1) {
        return Err("has a vector of truth values in memory".into());
    }
    let contiguous = d.strides.last().is_none_or(|s| *s == Part::Const(1));
    if !contiguous {
        return Err("needs a memref whose last subscript moves by one element".into());
    }
    l.check_bounds_along(op, d, at, i64::from(lanes.count))?;
    let (base, offset) = l.address(d, at)?;
    Ok(match offset < i32::MAX / 2 {
        true => (base, offset),
        false => (l.b.ins().iadd_imm_s(base, i64::from(offset)), 0),
    })
}

/// The offset of each register of a vector at `offset`.
fn offsets(lanes: Lanes, offset: i32) -> impl Iterator<Item = i32> {
    (0..lanes.registers()).map(move |i| offset + (i as u32 * lanes.register) as i32)
}

fn load(l: &mut Lower, op: Op, memref: Value, at: &[Value]) -> R {
    let lanes = lanes_of(l, op.result(l.ctx, 0))?;
    let d = l.mem(memref)?;
    let (base, offset) = address(l, op, &d, at, lanes)?;
    let all = offsets(lanes, offset)
        .map(|offset| l.b.ins().load(lanes.clif(), flags(), base, offset))
        .collect();
    l.bind_many(op, all);
    Ok(())
}

fn store(l: &mut Lower, op: Op, value: Value, memref: Value, at: &[Value]) -> R {
    let lanes = lanes_of(l, value)?;
    let all = l.many(value)?;
    let d = l.mem(memref)?;
    let (base, offset) = address(l, op, &d, at, lanes)?;
    for (v, offset) in all.iter().zip(offsets(lanes, offset)) {
        l.b.ins().store(flags(), *v, base, offset);
    }
    Ok(())
}

/// Where a transfer goes: along the last subscript, or to one element for all lanes.
enum Along {
    Last,
    None,
}

fn along(map: Option<&AffineMap>, rank: usize, in_bounds: &[bool], masked: bool) -> R<Along> {
    let result = map.filter(|m| m.num_results() == 1 && !masked && in_bounds == [true]);
    match result.and_then(|m| m.result(0)) {
        Some(AffineExpr::Dim(i)) if *i as usize + 1 == rank => Ok(Along::Last),
        Some(AffineExpr::Constant(0)) => Ok(Along::None),
        _ => Err(
            "has no native code; it needs bounds that are kept, no mask, and lanes along the last \
             subscript"
                .into(),
        ),
    }
}

fn transfer_read(l: &mut Lower, read: TransferReadOp) -> R {
    let (ctx, op) = (l.ctx, read.op());
    let base = read.base(ctx).ok_or("has no memref")?;
    let at = read.indices(ctx);
    let masked = read.mask(ctx).is_some();
    let kept = read.in_bounds(ctx);
    match along(read.permutation_map(ctx), at.len(), &kept, masked)? {
        Along::Last => load(l, op, base, &at),
        Along::None => {
            let lanes = lanes_of(l, op.result(ctx, 0))?;
            let d = l.mem(base)?;
            l.check_bounds(op, &d, &at)?;
            let (address, offset) = l.address(&d, &at)?;
            let x = crate::native::memref::load(l, d.elem, address, offset)?;
            let all = splat(l, lanes, x);
            l.bind_many(op, all);
            Ok(())
        }
    }
}

fn transfer_write(l: &mut Lower, write: TransferWriteOp) -> R {
    let (ctx, op) = (l.ctx, write.op());
    let base = write.base(ctx).ok_or("has no memref")?;
    let at = write.indices(ctx);
    let masked = write.mask(ctx).is_some();
    let kept = write.in_bounds(ctx);
    match along(write.permutation_map(ctx), at.len(), &kept, masked)? {
        Along::Last => store(l, op, write.value(ctx), base, &at),
        Along::None => Err("stores all lanes to one element".into()),
    }
}
