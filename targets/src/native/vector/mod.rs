//! Vectors of one dimension, in as many registers of 16 bytes as their lanes need.
//!
//! ```text
//! %x = vector.load %a[%i] : memref<?xf64>, vector<4xf64>     two loads of two lanes
//! %y = arith.mulf %x, %s : vector<4xf64>                     two products
//! ```
//!
//! Ops on numbers work on all lanes of a register at once. Conversions between widths take
//! registers apart or put them together, so that values of all widths in a loop can have one
//! number of lanes. A vector of `i1` is a mask; see `masks`.

mod convert;
mod divide;
mod elementwise;
mod masks;
mod memory;
mod reduce;
mod shuffle;

use super::abi::{Lanes, Repr, Scalar};
use super::lower::{Lower, R};
use cranelift_codegen::ir::{self, ConstantData, InstBuilder, MemFlagsData, types};
use terrace_dialects::arith::ConstantOp;
use terrace_ir::{AttrData, Context, DenseData, Op, OpKind, Value};

pub(super) use memory::flags;

/// Whether an op of the dialect `vector` has native code.
pub(super) fn is_supported(name: &str) -> bool {
    matches!(
        name,
        "broadcast"
            | "extract"
            | "from_elements"
            | "load"
            | "reduction"
            | "shuffle"
            | "store"
            | "transfer_read"
            | "transfer_write"
    )
}

/// Whether an op works on vectors.
pub(super) fn has_vectors(ctx: &Context, op: Op) -> bool {
    let is_vector = |v: &Value| v.ty(ctx).is_vector(ctx);
    op.operands(ctx).iter().any(is_vector) || op.results(ctx).iter().any(is_vector)
}

pub(super) fn lower(l: &mut Lower, op: Op, dialect: &str, name: &str) -> R {
    if l.register > Lanes::BYTES && !has_long_form(l, op, dialect, name)? {
        return Err("has no form on long registers".into());
    }
    match (dialect, name) {
        ("vector", "broadcast") => broadcast(l, op),
        ("vector", "extract") => extract(l, op),
        ("vector", "from_elements") => from_elements(l, op),
        ("vector", "reduction") => reduce::lower(l, op),
        ("vector", "shuffle") => shuffle::lower(l, op),
        ("vector", _) => memory::lower(l, op, name),
        ("arith", "constant") => constant(l, op),
        ("arith", "cmpf" | "cmpi" | "select") => masks::lower(l, op, name),
        ("arith", _) if super::cast::is_cast(name) => convert::lower(l, op, name),
        _ => elementwise::lower(l, op, name),
    }
}

/// Whether an op has a form on registers of more than 16 bytes: all but those that reorder lanes, or
/// whose lanes have several widths.
fn has_long_form(l: &Lower, op: Op, dialect: &str, name: &str) -> R<bool> {
    let ctx = l.ctx;
    let all = op.operands(ctx).into_iter().chain(op.results(ctx));
    let vectors: Vec<Value> = all.filter(|v| v.ty(ctx).is_vector(ctx)).collect();
    let mut width = None;
    for v in vectors {
        let lanes = lanes_of(l, v)?;
        if lanes.elem == Scalar::Int(1) {
            continue;
        }
        let of = (lanes.elem.bytes(), lanes.register);
        if width.is_some_and(|w| w != of) {
            return Ok(false);
        }
        width = Some(of);
    }
    Ok(match (dialect, name) {
        ("vector", "shuffle") => false,
        ("vector", "reduction") => width.is_some(),
        ("arith", "muli") => width.is_some_and(|(bytes, _)| bytes > 1),
        ("arith", "divsi" | "divui" | "remsi" | "remui") => false,
        ("arith", _) => !super::cast::is_cast(name),
        ("math", _) => terrace_dialects::math::library_function(name).is_none(),
        _ => true,
    })
}

/// The rest of the sentence about an op without a form on vectors.
fn unsupported(l: &Lower, op: Op) -> String {
    super::check::no_vectors(op.name(l.ctx))
}

fn lanes_of(l: &Lower, v: Value) -> R<Lanes> {
    match l.repr_of(v)? {
        Repr::Vector(lanes) => Ok(lanes),
        _ => Err("needs a vector where a scalar stands".into()),
    }
}

/// How bits are taken over from one type of vector to another.
fn little() -> MemFlagsData {
    MemFlagsData::new().with_endianness(ir::Endianness::Little)
}

/// The bits of a register as lanes of another type.
fn as_type(l: &mut Lower, ty: ir::Type, v: ir::Value) -> ir::Value {
    match l.b.func.dfg.value_type(v) == ty {
        true => v,
        false => l.b.ins().bitcast(ty, little(), v),
    }
}

/// A register of the bytes `at` of `a` and, from 16 on, of `b`.
fn shuffle(l: &mut Lower, a: ir::Value, b: ir::Value, at: [u8; 16]) -> ir::Value {
    let ty = l.b.func.dfg.value_type(a);
    let (a, b) = (as_type(l, types::I8X16, a), as_type(l, types::I8X16, b));
    let at = l.b.func.dfg.immediates.push(ConstantData::from(&at[..]));
    let v = l.b.ins().shuffle(a, b, at);
    as_type(l, ty, v)
}

/// The upper half of a register in its lower half.
fn high_half(l: &mut Lower, v: ir::Value) -> ir::Value {
    let at = std::array::from_fn(|i| 8 + i as u8 % 8);
    shuffle(l, v, v, at)
}

/// The lower halves of two registers in one.
fn low_halves(l: &mut Lower, a: ir::Value, b: ir::Value) -> ir::Value {
    let at = std::array::from_fn(|i| i as u8 + if i < 8 { 0 } else { 8 });
    shuffle(l, a, b, at)
}

/// Registers all of whose lanes are `x`.
fn splat(l: &mut Lower, lanes: Lanes, x: ir::Value) -> Vec<ir::Value> {
    let v = l.b.ins().splat(lanes.clif(), x);
    vec![v; lanes.registers()]
}

/// The lanes of a vector as scalars.
fn apart(l: &mut Lower, lanes: Lanes, all: &[ir::Value]) -> Vec<ir::Value> {
    let per = lanes.clif().lane_count();
    let mut out = Vec::new();
    for v in all {
        out.extend((0..per).map(|i| l.b.ins().extractlane(*v, i as u8)));
    }
    out
}

/// The inverse of [`apart`].
fn together(l: &mut Lower, lanes: Lanes, scalars: &[ir::Value]) -> Vec<ir::Value> {
    let ty = lanes.clif();
    let registers = scalars.chunks(ty.lane_count() as usize);
    let one = |part: &[ir::Value]| {
        let mut v = l.b.ins().splat(ty, part[0]);
        for (i, x) in part.iter().enumerate().skip(1) {
            v = l.b.ins().insertlane(v, *x, i as u8);
        }
        v
    };
    registers.map(one).collect()
}

fn broadcast(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let lanes = lanes_of(l, op.result(ctx, 0))?;
    let source = op.operand(ctx, 0);
    if source.ty(ctx).is_vector(ctx) {
        let all = l.many(source)?;
        l.bind_many(op, all.to_vec());
        return Ok(());
    }
    if lanes.elem == Scalar::Int(1) {
        return Err("broadcasts a truth value; select between scalars instead".into());
    }
    let x = l.one(source)?;
    let all = splat(l, lanes, x);
    l.bind_many(op, all);
    Ok(())
}

fn extract(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let source = op.operand(ctx, 0);
    let lanes = lanes_of(l, source)?;
    let at = terrace_dialects::vector::ExtractOp::wrap(op).static_position(ctx);
    let lane = match at[..] {
        [i] if (0..i64::from(lanes.count)).contains(&i) => i as u32,
        _ => return Err("has no native code; it needs the number of a lane".into()),
    };
    if lanes.elem == Scalar::Int(1) {
        return Err(unsupported(l, op));
    }
    let per = lanes.clif().lane_count();
    let all = l.many(source)?;
    let register = all[(lane / per) as usize];
    let x = l.b.ins().extractlane(register, (lane % per) as u8);
    l.bind_one(op, x);
    Ok(())
}

fn from_elements(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let lanes = lanes_of(l, op.result(ctx, 0))?;
    if lanes.elem == Scalar::Int(1) {
        return Err(unsupported(l, op));
    }
    let elements = op.operands(ctx).into_iter();
    let elements = elements.map(|v| l.one(v)).collect::<R<Vec<_>>>()?;
    let all = together(l, lanes, &elements);
    l.bind_many(op, all);
    Ok(())
}

/// The bytes of each lane of a constant whose lanes are all the same.
fn splat_bytes(ctx: &Context, v: Value) -> Option<Vec<u8>> {
    let def = v.def_op().filter(|op| op.isa::<ConstantOp>(ctx))?;
    match def.attr(ctx, "value")?.data(ctx) {
        AttrData::Dense {
            data: DenseData::Raw { splat: true, bytes },
            ..
        } => Some(bytes.to_vec()),
        _ => None,
    }
}

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
    let registers = all.chunks_exact(lanes.register as usize);
    if registers.len() != lanes.registers() || !registers.remainder().is_empty() {
        return Err("has elements of another size than its type".into());
    }
    let one = |bytes: &[u8]| {
        let data = l.b.func.dfg.constants.insert(ConstantData::from(bytes));
        l.b.ins().vconst(lanes.clif(), data)
    };
    let all = registers.map(one).collect();
    l.bind_many(op, all);
    Ok(())
}
