//! Functions of `f32` in `f32`, within two units in the last place (`erfc` and `tan`
//! within four), for GPUs on which `f64` is slow: all but those of data centers.
//!
//! The same reductions as in `f64`, with polynomials that are minimax on their interval
//! (E. Remez's algorithm) and coefficients rounded to `f32`, in most files one after
//! another, with those that follow fitted again. Narrower floats are
//! computed so too and rounded once more.

mod arc;
mod cbrt;
mod erfc;
mod exp;
mod far_angle;
mod hyperbolic;
mod log;
mod log1p;
mod other;
mod pow;
mod quotient;
mod trig;

use super::emit::Emit;
use super::remainder::remf;
use terrace_dialects::arith;
use terrace_dialects::math;
use terrace_ir::{Builder, Value};

/// The results of a function of `f32`, `fpowi` with an exponent of `i32`; none if it is
/// no function.
pub(super) fn expand(b: &mut Builder, name: &str, args: &[Value]) -> Option<Vec<Value>> {
    let x = *args.first()?;
    let y = args.get(1).copied().unwrap_or(x);
    let e = &mut Emit::single(b);
    let one = match name {
        arith::RemFOp::NAME => remf(e, x, y),
        math::AcosOp::NAME => arc::acos(e, x),
        math::AcoshOp::NAME => log1p::acosh(e, x),
        math::AsinOp::NAME => arc::asin(e, x),
        math::AsinhOp::NAME => log1p::asinh(e, x),
        math::AtanOp::NAME => other::atan(e, x),
        math::Atan2Op::NAME => arc::atan2(e, x, y),
        math::AtanhOp::NAME => log1p::atanh(e, x),
        math::CbrtOp::NAME => cbrt::cbrt(e, x),
        math::CosOp::NAME => trig::cos(e, x),
        math::CoshOp::NAME => hyperbolic::cosh(e, x),
        math::ErfOp::NAME => other::erf(e, x),
        math::ErfcOp::NAME => erfc::erfc(e, x),
        math::ExpOp::NAME => exp::exp(e, x),
        math::Exp2Op::NAME => exp::exp2(e, x),
        math::ExpM1Op::NAME => hyperbolic::expm1(e, x),
        math::FPowIOp::NAME => pow::powi(e, x, y),
        math::LogOp::NAME => log::log(e, x),
        math::Log10Op::NAME => log::log10(e, x),
        math::Log1pOp::NAME => log1p::log1p(e, x),
        math::Log2Op::NAME => log::log2(e, x),
        math::PowFOp::NAME => pow::pow(e, x, y),
        math::SinOp::NAME => trig::sin(e, x),
        math::SincosOp::NAME => {
            let (s, c) = trig::sincos(e, x);
            return Some(vec![s, c]);
        }
        math::SinhOp::NAME => hyperbolic::sinh(e, x),
        math::TanOp::NAME => trig::tan(e, x),
        math::TanhOp::NAME => other::tanh(e, x),
        _ => return None,
    };
    Some(vec![one])
}
