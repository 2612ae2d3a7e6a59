//! Conversions between integers, floats and index.

use super::abi::{Scalar, int_type};
use super::arith::{mask, resize, sext};
use super::float::{half_bits, half_value, round};
use super::lower::{Lower, R};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder, MemFlagsData, types};
use terrace_dialects::arith::{ExtSIOp, ExtUIOp, IndexCastOp, IndexCastUIOp, rounding_of};
use terrace_ir::num::Rounding;
use terrace_ir::{Context, Op};

pub(super) fn is_cast(name: &str) -> bool {
    matches!(
        name,
        "extui"
            | "extsi"
            | "trunci"
            | "extf"
            | "truncf"
            | "uitofp"
            | "sitofp"
            | "fptoui"
            | "fptosi"
            | "index_cast"
            | "index_castui"
            | "bitcast"
    )
}

/// An op that extends what a load gives, in a register of a core.
pub(super) struct Extension {
    pub op: Op,
    pub from: u32,
    pub to: u32,
    pub signed: bool,
}

/// The op that extends what `load` gives, where nothing else uses it: what is loaded alone is
/// extended by an instruction of its own.
pub(super) fn only_extended(ctx: &Context, load: Op, elem: Scalar) -> Option<Extension> {
    let Scalar::Int(from @ (8 | 16 | 32)) = elem else {
        return None;
    };
    let v = load.result(ctx, 0);
    let op = *v.users(ctx).first().filter(|_| v.has_one_use(ctx))?;
    let ty = op.results(ctx).first()?.ty(ctx);
    let to = match ty.is_index(ctx) {
        true => 64,
        false => ty.int_width(ctx)?,
    };
    let signed = match op.name(ctx) {
        ExtSIOp::NAME | IndexCastOp::NAME => true,
        ExtUIOp::NAME | IndexCastUIOp::NAME => false,
        _ => return None,
    };
    let same_block = op.block(ctx) == load.block(ctx);
    (same_block && from < to && matches!(to, 32 | 64)).then_some(Extension {
        op,
        from,
        to,
        signed,
    })
}

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    let v = l.one(op.operand(ctx, 0))?;
    let (from, to) = (
        l.scalar_of(op.operand(ctx, 0))?,
        l.scalar_of(op.result(ctx, 0))?,
    );
    let v = match (name, from, to) {
        ("extui" | "trunci" | "index_castui", Scalar::Int(a), Scalar::Int(b)) => {
            resize(l, v, a, b, false)
        }
        ("extsi" | "index_cast", Scalar::Int(a), Scalar::Int(b)) => resize(l, v, a, b, true),
        ("extf", ..) => match (from.clif(), to.clif()) {
            (types::F32, types::F64) => l.b.ins().fpromote(types::F64, v),
            _ => v,
        },
        ("truncf", ..) => {
            if !matches!(rounding_of(ctx, op), None | Some(Rounding::NearestEven)) {
                return Err(
                    "rounds otherwise than to nearest even, which native code cannot".into(),
                );
            }
            narrow(l, v, from, to)?
        }
        ("uitofp" | "sitofp", Scalar::Int(bits), _) => {
            int_to_float(l, v, bits, to, name == "sitofp")?
        }
        ("fptoui" | "fptosi", _, Scalar::Int(bits)) => {
            float_to_int(l, v, from, bits, name == "fptosi")?
        }
        ("bitcast", ..) => bitcast(l, v, from, to)?,
        _ => {
            return Err(format!(
                "cannot convert '{}' to '{}'",
                ctx.type_text(op.operand(ctx, 0).ty(ctx)),
                ctx.type_text(op.result(ctx, 0).ty(ctx))
            ));
        }
    };
    l.bind_one(op, v);
    Ok(())
}

/// Round to a shorter format, once.
fn narrow(l: &mut Lower, v: ir::Value, from: Scalar, to: Scalar) -> R<ir::Value> {
    match (from, to) {
        (Scalar::F64, Scalar::F32) => Ok(l.b.ins().fdemote(types::F32, v)),
        (Scalar::F64, Scalar::F16) => l.helper1("terrace_f64_to_f16", &[v], types::F32),
        (Scalar::F64, Scalar::BF16) => l.helper1("terrace_f64_to_bf16", &[v], types::F32),
        _ => round(l, v, to),
    }
}

fn int_to_float(l: &mut Lower, v: ir::Value, bits: u32, to: Scalar, signed: bool) -> R<ir::Value> {
    if to.is_half() {
        // Rounded once, also where the integer has more digits than any float.
        let wide = resize(l, v, bits, 128, signed);
        let (lo, hi) = l.b.ins().isplit(wide);
        let sign = l.iconst(types::I32, i64::from(signed));
        let name = match to {
            Scalar::F16 => "terrace_int_to_f16",
            _ => "terrace_int_to_bf16",
        };
        return l.helper1(name, &[lo, hi, sign], types::F32);
    }
    let machine = to.clif();
    let f = if bits > 64 {
        let v = match signed {
            true => sext(l, v, bits),
            false => v,
        };
        let (lo, hi) = l.b.ins().isplit(v);
        let name = match (signed, machine) {
            (true, types::F64) => "terrace_i128_to_f64",
            (true, _) => "terrace_i128_to_f32",
            (false, types::F64) => "terrace_u128_to_f64",
            (false, _) => "terrace_u128_to_f32",
        };
        l.helper1(name, &[lo, hi], machine)?
    } else {
        let wide = resize(l, v, bits, 64, signed);
        match signed || bits < 64 {
            true => l.b.ins().fcvt_from_sint(machine, wide),
            false => unsigned_to_float(l, wide, machine),
        }
    };
    Ok(f)
}

/// An unsigned integer of 64 bits as a float, rounded once.
///
/// x86-64 has no instruction for it before AVX-512, and the sequence that the code generator
/// has adds to what its register held before: conversions in a loop would wait for one another.
/// So a number of 64 digits is halved, with what is lost kept in the last digit for rounding,
/// and the result is doubled.
fn unsigned_to_float(l: &mut Lower, v: ir::Value, to: ir::Type) -> ir::Value {
    if !l.s.code.is_x86_64() {
        return l.b.ins().fcvt_from_uint(to, v);
    }
    let one = l.iconst(types::I64, 1);
    let half = l.b.ins().ushr(v, one);
    let last = l.b.ins().band(v, one);
    let half = l.b.ins().bor(half, last);
    let zero = l.iconst(types::I64, 0);
    let is_long = l.b.ins().icmp(IntCC::SignedLessThan, v, zero);
    let fits = l.b.ins().select(is_long, half, v);
    let f = l.b.ins().fcvt_from_sint(to, fits);
    // Where it was not halved, 0 is added: no choice between floats, which would be a jump.
    let all_but_sign = l.iconst(types::I64, 63);
    let sign = l.b.ins().sshr(v, all_but_sign);
    let bits = match to {
        types::F32 => l.b.ins().ireduce(types::I32, sign),
        _ => sign,
    };
    let mask = l.b.ins().bitcast(to, MemFlagsData::new(), bits);
    let again = l.b.ins().band(f, mask);
    l.b.ins().fadd(f, again)
}

/// Towards zero; a value that does not fit goes to the closest that does, NaN to 0.
fn float_to_int(
    l: &mut Lower,
    v: ir::Value,
    from: Scalar,
    bits: u32,
    signed: bool,
) -> R<ir::Value> {
    if bits > 64 {
        let v = match from.clif() {
            types::F32 => l.b.ins().fpromote(types::F64, v),
            _ => v,
        };
        let slot = l.slot(16, 4);
        let out = l.slot_addr(slot);
        let n = l.iconst(types::I32, i64::from(bits));
        let name = match signed {
            true => "terrace_f64_to_i128",
            false => "terrace_f64_to_u128",
        };
        l.helper(name, &[v, n, out], None)?;
        return Ok(l.b.ins().load(types::I128, MemFlagsData::trusted(), out, 0));
    }
    let machine = if bits > 32 { types::I64 } else { types::I32 };
    let mut i = match signed {
        true => l.b.ins().fcvt_to_sint_sat(machine, v),
        false => l.b.ins().fcvt_to_uint_sat(machine, v),
    };
    if bits != machine.bits() {
        let (least, most) = match signed {
            true => (-1i64 << (bits - 1), (1i64 << (bits - 1)) - 1),
            false => (0, ((1u64 << bits) - 1) as i64),
        };
        let most = l.iconst(machine, most);
        let cc = match signed {
            true => IntCC::SignedGreaterThan,
            false => IntCC::UnsignedGreaterThan,
        };
        let over = l.b.ins().icmp(cc, i, most);
        i = l.b.ins().select(over, most, i);
        if signed {
            let least = l.iconst(machine, least);
            let under = l.b.ins().icmp(IntCC::SignedLessThan, i, least);
            i = l.b.ins().select(under, least, i);
        }
        if int_type(bits).bits() < machine.bits() {
            i = l.b.ins().ireduce(int_type(bits), i);
        }
    }
    Ok(mask(l, i, bits))
}

fn bitcast(l: &mut Lower, v: ir::Value, from: Scalar, to: Scalar) -> R<ir::Value> {
    if from == to {
        return Ok(v);
    }
    let bits = match from.is_half() {
        true => half_bits(l, v, from)?,
        false => v,
    };
    if to.is_half() {
        return half_value(l, bits, to);
    }
    match l.b.func.dfg.value_type(bits) == to.clif() {
        true => Ok(bits),
        false => Ok(l.b.ins().bitcast(to.clif(), MemFlagsData::new(), bits)),
    }
}

/// `builtin.unrealized_conversion_cast` between types that are held alike.
pub(super) fn unrealized(l: &mut Lower, op: Op) -> R {
    let ctx = l.ctx;
    let (from, to) = (op.operands(ctx), op.results(ctx));
    let reprs = |l: &Lower, vs: &[terrace_ir::Value]| -> R<Vec<_>> {
        vs.iter().map(|v| l.repr_of(*v)).collect()
    };
    if reprs(l, &from)? != reprs(l, &to)? {
        return Err("is between types that native code holds differently; \
                    finish the conversion that made it"
            .into());
    }
    for (f, t) in from.iter().zip(to) {
        let v = l.val(*f)?;
        l.bind(t, v);
    }
    Ok(())
}
