//! The math dialect: instructions where the machine has them, the C library else.

use super::abi::{Scalar, Val, int_type};
use super::arith::{mask, resize, sext};
use super::float::round;
use super::lower::{Lower, R};
use super::trap::Trap;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{self, InstBuilder, types};
use terrace_dialects::math::library_function;
use terrace_ir::Op;

pub(super) fn is_supported(name: &str) -> bool {
    library_function(name).is_some()
        || matches!(
            name,
            "absf"
                | "absi"
                | "ceil"
                | "clampf"
                | "copysign"
                | "ctlz"
                | "ctpop"
                | "cttz"
                | "floor"
                | "fma"
                | "fpowi"
                | "ipowi"
                | "isfinite"
                | "isinf"
                | "isnan"
                | "isnormal"
                | "roundeven"
                | "rsqrt"
                | "sincos"
                | "sqrt"
                | "trunc"
        )
}

/// Call the library's `name` on floats of type `kind`.
pub(super) fn call(l: &mut Lower, name: &str, args: &[ir::Value], kind: Scalar) -> R<ir::Value> {
    let v = match kind {
        Scalar::F64 => l.helper1(name, args, types::F64)?,
        _ => l.helper1(&format!("{name}f"), args, types::F32)?,
    };
    round(l, v, kind)
}

pub(super) fn lower(l: &mut Lower, op: Op, name: &str) -> R {
    let ctx = l.ctx;
    let args = op
        .operands(ctx)
        .into_iter()
        .map(|v| l.one(v))
        .collect::<R<Vec<_>>>()?;
    let kind = l.scalar_of(op.operand(ctx, 0))?;
    let a = args[0];
    if let Scalar::Int(bits) = kind {
        let v = integer(l, op, name, &args, bits)?;
        l.bind_one(op, v);
        return Ok(());
    }
    if let Some(f) = library_function(name) {
        let v = call(l, f, &args, kind)?;
        l.bind_one(op, v);
        return Ok(());
    }
    let v = match name {
        "absf" => l.b.ins().fabs(a),
        "ceil" => l.b.ins().ceil(a),
        "floor" => l.b.ins().floor(a),
        "trunc" => l.b.ins().trunc(a),
        "roundeven" => l.b.ins().nearest(a),
        "sqrt" => {
            let v = l.b.ins().sqrt(a);
            round(l, v, kind)?
        }
        "rsqrt" => {
            let root = l.b.ins().sqrt(a);
            let one = super::constant::float_const(l, 1.0, kind);
            let v = l.b.ins().fdiv(one, root);
            round(l, v, kind)?
        }
        "copysign" => l.b.ins().fcopysign(a, args[1]),
        "clampf" => {
            let v = l.b.ins().fmax(a, args[1]);
            l.b.ins().fmin(v, args[2])
        }
        "fma" if kind.is_half() => {
            // The product is exact in f64, the sum nearly always.
            let wide: Vec<_> = args
                .iter()
                .map(|v| l.b.ins().fpromote(types::F64, *v))
                .collect();
            let v = l.helper1("fma", &wide, types::F64)?;
            let to = match kind {
                Scalar::F16 => "terrace_f64_to_f16",
                _ => "terrace_f64_to_bf16",
            };
            l.helper1(to, &[v], types::F32)?
        }
        "fma" => l.b.ins().fma(a, args[1], args[2]),
        "fpowi" => {
            let Scalar::Int(bits) = l.scalar_of(op.operand(ctx, 1))? else {
                return Err("needs an integer exponent".into());
            };
            let n = resize(l, args[1], bits, 64, true);
            let f = match kind {
                Scalar::F64 => "terrace_powi_f64",
                _ => "terrace_powi_f32",
            };
            let v = l.helper1(f, &[a, n], kind.clif())?;
            round(l, v, kind)?
        }
        "sincos" => {
            let s = call(l, "sin", &[a], kind)?;
            let c = call(l, "cos", &[a], kind)?;
            l.bind(op.result(ctx, 0), Val::One(s));
            l.bind(op.result(ctx, 1), Val::One(c));
            return Ok(());
        }
        "isnan" => l.b.ins().fcmp(FloatCC::Unordered, a, a),
        "isinf" | "isfinite" => {
            let abs = l.b.ins().fabs(a);
            let inf = super::constant::float_const(l, f64::INFINITY, kind);
            let cc = match name {
                "isinf" => FloatCC::Equal,
                _ => FloatCC::LessThan,
            };
            l.b.ins().fcmp(cc, abs, inf)
        }
        "isnormal" => {
            let least = match kind {
                Scalar::F64 => f64::MIN_POSITIVE,
                Scalar::F16 => 2f64.powi(-14),
                _ => f64::from(f32::MIN_POSITIVE),
            };
            let abs = l.b.ins().fabs(a);
            let inf = super::constant::float_const(l, f64::INFINITY, kind);
            let least = super::constant::float_const(l, least, kind);
            let below = l.b.ins().fcmp(FloatCC::LessThan, abs, inf);
            let above = l.b.ins().fcmp(FloatCC::GreaterThanOrEqual, abs, least);
            l.b.ins().band(below, above)
        }
        _ => return Err(super::check::advice(op.name(ctx))),
    };
    l.bind_one(op, v);
    Ok(())
}

fn integer(l: &mut Lower, op: Op, name: &str, args: &[ir::Value], bits: u32) -> R<ir::Value> {
    let a = args[0];
    let ty = int_type(bits);
    Ok(match name {
        "absi" => {
            let s = sext(l, a, bits);
            let neg = l.b.ins().ineg(s);
            let zero = l.iconst(ty, 0);
            let is = l.b.ins().icmp(IntCC::SignedLessThan, s, zero);
            let v = l.b.ins().select(is, neg, s);
            mask(l, v, bits)
        }
        "ctpop" => l.b.ins().popcnt(a),
        "ctlz" => {
            // The machine type counts the zeros above the value too.
            let n = l.b.ins().clz(a);
            let above = l.iconst(ty, i64::from(ty.bits() - bits));
            l.b.ins().isub(n, above)
        }
        "cttz" => {
            let n = l.b.ins().ctz(a);
            let most = l.iconst(ty, i64::from(bits));
            let over = l.b.ins().icmp(IntCC::UnsignedGreaterThan, n, most);
            l.b.ins().select(over, most, n)
        }
        "ipowi" if bits <= 64 => {
            let (base, n) = (
                resize(l, a, bits, 64, true),
                resize(l, args[1], bits, 64, true),
            );
            let zero = l.i64(0);
            let no_base = l.b.ins().icmp(IntCC::Equal, base, zero);
            let negative = l.b.ins().icmp(IntCC::SignedLessThan, n, zero);
            let bad = l.b.ins().band(no_base, negative);
            l.trap_if(bad, Trap::NegativePower, op)?;
            let v = l.helper1("terrace_ipow", &[base, n], types::I64)?;
            let v = match ty {
                types::I64 => v,
                _ => l.b.ins().ireduce(ty, v),
            };
            mask(l, v, bits)
        }
        "ipowi" => return Err("is of more than 64 bits, which native code cannot".into()),
        _ => return Err(super::check::advice(op.name(l.ctx))),
    })
}
