//! Vectors of 16 bytes, which one register of any 64-bit machine holds.
//!
//! Ops on numbers work on all lanes at once. A vector of `i1` is a mask: lanes of all ones
//! or all zeros, as wide as those that were compared, which its number of lanes tells.

use super::abi::{Desc, Lanes, Part, Repr, Scalar};
use super::lower::{Lower, R};
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, ConstantData, InstBuilder, MemFlagsData};
use terrace_dialects::arith::{CmpFOp, CmpIOp};
use terrace_dialects::vector::{ReductionOp, TransferReadOp, TransferWriteOp};
use terrace_ir::affine::{AffineExpr, AffineMap};
use terrace_ir::{AttrData, Context, DenseData, Op, OpKind, Value};

/// Whether an op of the dialect `vector` has native code.
pub(super) fn is_supported(name: &str) -> bool {
    matches!(
        name,
        "broadcast" | "load" | "reduction" | "store" | "transfer_read" | "transfer_write"
    )
}

/// Whether an op works on vectors.
pub(super) fn has_vectors(ctx: &Context, op: Op) -> bool {
    let is_vector = |v: &Value| v.ty(ctx).is_vector(ctx);
    op.operands(ctx).iter().any(is_vector) || op.results(ctx).iter().any(is_vector)
}

/// Vectors need not be aligned.
pub(super) fn flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

pub(super) fn lower(l: &mut Lower, op: Op, dialect: &str, name: &str) -> R {
    let ctx = l.ctx;
    match (dialect, name) {
        ("vector", "load") => load(l, op, op.operand(ctx, 0), &op.operands(ctx)[1..]),
        ("vector", "store") => {
            let operands = op.operands(ctx);
            store(l, op, operands[0], operands[1], &operands[2..])
        }
        ("vector", "transfer_read") => transfer_read(l, TransferReadOp::wrap(op)),
        ("vector", "transfer_write") => transfer_write(l, TransferWriteOp::wrap(op)),
        ("vector", "broadcast") => {
            let lanes = lanes_of(l, op.result(ctx, 0))?;
            let x = l.one(op.operand(ctx, 0))?;
            if op.operand(ctx, 0).ty(ctx).is_vector(ctx) {
                l.bind_one(op, x);
                return Ok(());
            }
            if lanes.elem == Scalar::Int(1) {
                return Err("broadcasts a truth value; select between scalars instead".into());
            }
            let v = l.b.ins().splat(lanes.clif(), x);
            l.bind_one(op, v);
            Ok(())
        }
        ("vector", "reduction") => reduction(l, op),
        ("arith", "constant") => constant(l, op),
        ("arith", "cmpf" | "cmpi" | "select") => compare(l, op, name),
        ("arith" | "math", _) => {
            let lanes = lanes_of(l, op.result(ctx, 0))?;
            let args = (op.operands(ctx).into_iter())
                .map(|v| l.one(v))
                .collect::<R<Vec<_>>>()?;
            let v = elementwise(l, name, lanes, &args)
                .ok_or_else(|| super::check::no_vectors(op.name(ctx)))?;
            l.bind_one(op, v);
            Ok(())
        }
        _ => Err(super::check::no_vectors(op.name(ctx))),
    }
}

fn lanes_of(l: &Lower, v: Value) -> R<Lanes> {
    match l.repr_of(v)? {
        Repr::Vector(lanes) => Ok(lanes),
        _ => Err("needs a vector where a scalar stands".into()),
    }
}

// ---- memory ----

/// The address of the first element that a vector in memory has.
fn address(l: &mut Lower, op: Op, d: &Desc, at: &[Value], lanes: Lanes) -> R<(ir::Value, i32)> {
    if lanes.elem == Scalar::Int(1) {
        return Err("has a vector of truth values in memory".into());
    }
    let contiguous = d.strides.last().is_none_or(|s| *s == Part::Const(1));
    if !contiguous {
        return Err("needs a memref whose last subscript moves by one element".into());
    }
    l.check_bounds_along(op, d, at, i64::from(lanes.count))?;
    l.address(d, at)
}

fn load(l: &mut Lower, op: Op, memref: Value, at: &[Value]) -> R {
    let lanes = lanes_of(l, op.result(l.ctx, 0))?;
    let d = l.mem(memref)?;
    let (base, offset) = address(l, op, &d, at, lanes)?;
    let v = l.b.ins().load(lanes.clif(), flags(), base, offset);
    l.bind_one(op, v);
    Ok(())
}

fn store(l: &mut Lower, op: Op, value: Value, memref: Value, at: &[Value]) -> R {
    let lanes = lanes_of(l, value)?;
    let v = l.one(value)?;
    let d = l.mem(memref)?;
    let (base, offset) = address(l, op, &d, at, lanes)?;
    l.b.ins().store(flags(), v, base, offset);
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
            let x = super::memref::load(l, d.elem, address, offset)?;
            let v = l.b.ins().splat(lanes.clif(), x);
            l.bind_one(op, v);
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

// ---- numbers ----

fn constant(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let lanes = lanes_of(l, op.result(ctx, 0))?;
    let Some(AttrData::Dense {
        data: DenseData::Raw { splat, bytes },
        ..
    }) = op.attr(ctx, "value").map(|a| a.data(ctx))
    else {
        return Err("needs elements that are written out".into());
    };
    if lanes.elem == Scalar::Int(1) {
        return Err("has a vector of truth values; compare numbers instead".into());
    }
    let count = if *splat { lanes.count as usize } else { 1 };
    let all = bytes.repeat(count);
    if all.len() != 16 {
        return Err("has elements of another size than its type".into());
    }
    let data = l.b.func.dfg.constants.insert(ConstantData::from(&all[..]));
    let v = l.b.ins().vconst(lanes.clif(), data);
    l.bind_one(op, v);
    Ok(())
}

fn compare(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    let v = op.operands(ctx);
    if name == "select" {
        let lanes = lanes_of(l, v[1])?;
        let (c, a, b) = (l.one(v[0])?, l.one(v[1])?, l.one(v[2])?);
        let chosen = match v[0].ty(ctx).is_vector(ctx) {
            true => {
                let mask = l.b.ins().bitcast(lanes.clif(), little(), c);
                l.b.ins().bitselect(mask, a, b)
            }
            false => l.b.ins().select(c, a, b),
        };
        l.bind_one(op, chosen);
        return Ok(());
    }
    let (a, b) = (l.one(v[0])?, l.one(v[1])?);
    let mask = match name {
        "cmpf" => {
            let p = CmpFOp::wrap(op).predicate(ctx);
            let cc = p.and_then(super::compare::float_condition);
            let cc = cc.ok_or_else(|| super::check::no_vectors(op.name(ctx)))?;
            float_mask(l, cc, a, b)
        }
        _ => {
            let p = CmpIOp::wrap(op)
                .predicate(ctx)
                .ok_or("has an unknown predicate")?;
            l.b.ins().icmp(super::compare::int_condition(p), a, b)
        }
    };
    l.bind_one(op, mask);
    Ok(())
}

/// Which lanes compare so. Two conditions need two instructions.
fn float_mask(l: &mut Lower, cc: FloatCC, a: ir::Value, b: ir::Value) -> ir::Value {
    let parts = match cc {
        FloatCC::OrderedNotEqual => [FloatCC::Ordered, FloatCC::NotEqual],
        FloatCC::UnorderedOrEqual => {
            let other = float_mask(l, FloatCC::OrderedNotEqual, a, b);
            return l.b.ins().bnot(other);
        }
        _ => return l.b.ins().fcmp(cc, a, b),
    };
    let [x, y] = parts.map(|cc| l.b.ins().fcmp(cc, a, b));
    l.b.ins().band(x, y)
}

/// How bits are taken over from one type of vector to another.
fn little() -> MemFlagsData {
    MemFlagsData::new().with_endianness(ir::Endianness::Little)
}

/// An op on all lanes; `None` where the machine has none.
fn elementwise(l: &mut Lower, name: &str, lanes: Lanes, args: &[ir::Value]) -> Option<ir::Value> {
    let float = lanes.elem.is_float();
    // Masks have lanes of all ones, which sums and the like are no longer.
    let mask = lanes.elem == Scalar::Int(1);
    if mask && !matches!(name, "andi" | "ori" | "xori") {
        return None;
    }
    let wide = lanes.elem.bytes() == 8;
    Some(match (name, args.len()) {
        ("addf", 2) => l.b.ins().fadd(args[0], args[1]),
        ("subf", 2) => l.b.ins().fsub(args[0], args[1]),
        ("mulf", 2) => l.b.ins().fmul(args[0], args[1]),
        ("divf", 2) => l.b.ins().fdiv(args[0], args[1]),
        ("maximumf", 2) => l.b.ins().fmax(args[0], args[1]),
        ("minimumf", 2) => l.b.ins().fmin(args[0], args[1]),
        ("negf", 1) => l.b.ins().fneg(args[0]),
        ("sqrt", 1) if float => l.b.ins().sqrt(args[0]),
        ("absf", 1) => l.b.ins().fabs(args[0]),
        ("ceil", 1) if float => l.b.ins().ceil(args[0]),
        ("floor", 1) if float => l.b.ins().floor(args[0]),
        ("trunc", 1) if float => l.b.ins().trunc(args[0]),
        ("addi", 2) => l.b.ins().iadd(args[0], args[1]),
        ("subi", 2) => l.b.ins().isub(args[0], args[1]),
        // Lanes of bytes have no product.
        ("muli", 2) if lanes.elem.bytes() > 1 => l.b.ins().imul(args[0], args[1]),
        ("andi", 2) => l.b.ins().band(args[0], args[1]),
        ("ori", 2) => l.b.ins().bor(args[0], args[1]),
        ("xori", 2) => l.b.ins().bxor(args[0], args[1]),
        ("maxsi" | "minsi" | "maxui" | "minui", 2) => {
            let (x, y) = (args[0], args[1]);
            if wide {
                let cc = match name {
                    "maxsi" => IntCC::SignedGreaterThan,
                    "minsi" => IntCC::SignedLessThan,
                    "maxui" => IntCC::UnsignedGreaterThan,
                    _ => IntCC::UnsignedLessThan,
                };
                let c = l.b.ins().icmp(cc, x, y);
                return Some(l.b.ins().bitselect(c, x, y));
            }
            match name {
                "maxsi" => l.b.ins().smax(x, y),
                "minsi" => l.b.ins().smin(x, y),
                "maxui" => l.b.ins().umax(x, y),
                _ => l.b.ins().umin(x, y),
            }
        }
        _ => return None,
    })
}

/// All lanes of a vector combined, one after another.
fn reduction(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let lanes = lanes_of(l, op.operand(ctx, 0))?;
    if lanes.elem == Scalar::Int(1) {
        return Err(super::check::no_vectors(op.name(ctx)));
    }
    let v = l.one(op.operand(ctx, 0))?;
    let kind = ReductionOp::wrap(op).kind(ctx);
    let mut sum = match op.num_operands(ctx) {
        2 => Some(l.one(op.operand(ctx, 1))?),
        _ => None,
    };
    for lane in 0..lanes.count {
        let x = l.b.ins().extractlane(v, lane as u8);
        let Some(so_far) = sum else {
            sum = Some(x);
            continue;
        };
        let next =
            combine(l, &kind, so_far, x).ok_or_else(|| super::check::no_vectors(op.name(ctx)))?;
        sum = Some(next);
    }
    let sum = sum.ok_or("has no lanes")?;
    l.bind_one(op, sum);
    Ok(())
}

/// Two scalars combined as a reduction of this kind does.
fn combine(l: &mut Lower, kind: &str, a: ir::Value, b: ir::Value) -> Option<ir::Value> {
    let float = l.b.func.dfg.value_type(a).is_float();
    let greater = |l: &mut Lower, cc: IntCC| {
        let c = l.b.ins().icmp(cc, a, b);
        l.b.ins().select(c, a, b)
    };
    Some(match (kind, float) {
        ("add", true) => l.b.ins().fadd(a, b),
        ("mul", true) => l.b.ins().fmul(a, b),
        ("maximumf", true) => l.b.ins().fmax(a, b),
        ("minimumf", true) => l.b.ins().fmin(a, b),
        ("add", false) => l.b.ins().iadd(a, b),
        ("mul", false) => l.b.ins().imul(a, b),
        ("and", false) => l.b.ins().band(a, b),
        ("or", false) => l.b.ins().bor(a, b),
        ("xor", false) => l.b.ins().bxor(a, b),
        ("maxsi", false) => greater(l, IntCC::SignedGreaterThan),
        ("minsi", false) => greater(l, IntCC::SignedLessThan),
        ("maxui", false) => greater(l, IntCC::UnsignedGreaterThan),
        ("minui", false) => greater(l, IntCC::UnsignedLessThan),
        _ => return None,
    })
}
