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
use terrace_ir::{Builder, Value};

/// The results of a function of `f32`, `fpowi` with an exponent of `i32`; none if it is
/// no function.
pub(super) fn expand(b: &mut Builder, name: &str, args: &[Value]) -> Option<Vec<Value>> {
    let x = *args.first()?;
    let y = args.get(1).copied().unwrap_or(x);
    let e = &mut Emit::single(b);
    let one = match name {
        "arith.remf" => remf(e, x, y),
        "math.acos" => arc::acos(e, x),
        "math.acosh" => log1p::acosh(e, x),
        "math.asin" => arc::asin(e, x),
        "math.asinh" => log1p::asinh(e, x),
        "math.atan" => other::atan(e, x),
        "math.atan2" => arc::atan2(e, x, y),
        "math.atanh" => log1p::atanh(e, x),
        "math.cbrt" => cbrt::cbrt(e, x),
        "math.cos" => trig::cos(e, x),
        "math.cosh" => hyperbolic::cosh(e, x),
        "math.erf" => other::erf(e, x),
        "math.erfc" => erfc::erfc(e, x),
        "math.exp" => exp::exp(e, x),
        "math.exp2" => exp::exp2(e, x),
        "math.expm1" => hyperbolic::expm1(e, x),
        "math.fpowi" => pow::powi(e, x, y),
        "math.log" => log::log(e, x),
        "math.log10" => log::log10(e, x),
        "math.log1p" => log1p::log1p(e, x),
        "math.log2" => log::log2(e, x),
        "math.powf" => pow::pow(e, x, y),
        "math.sin" => trig::sin(e, x),
        "math.sincos" => {
            let (s, c) = trig::sincos(e, x);
            return Some(vec![s, c]);
        }
        "math.sinh" => hyperbolic::sinh(e, x),
        "math.tan" => trig::tan(e, x),
        "math.tanh" => other::tanh(e, x),
        _ => return None,
    };
    Some(vec![one])
}
