//! Functions of `f32` in `f32`, within two units in the last place (`tan` within four),
//! for GPUs on which `f64` is slow: all but those of data centers.
//!
//! The same reductions as in `f64`, with polynomials that are minimax on their interval
//! (E. Remez's algorithm) and coefficients rounded to `f32`. Narrower floats are
//! computed so too and rounded once more.

mod exp;
mod log;
mod other;
mod trig;

use super::emit::Emit;
use terrace_ir::{Builder, Value};

/// Whether a function is computed in `f32`.
pub(super) fn has(name: &str) -> bool {
    matches!(
        name,
        "math.atan"
            | "math.cos"
            | "math.erf"
            | "math.exp"
            | "math.exp2"
            | "math.log"
            | "math.log10"
            | "math.log2"
            | "math.sin"
            | "math.sincos"
            | "math.tan"
            | "math.tanh"
    )
}

/// The results of a function of one `f32`; none for those that are computed in `f64`.
pub(super) fn expand(b: &mut Builder, name: &str, x: Value) -> Option<Vec<Value>> {
    let e = &mut Emit::single(b);
    let one = match name {
        "math.atan" => other::atan(e, x),
        "math.cos" => trig::cos(e, x),
        "math.erf" => other::erf(e, x),
        "math.exp" => exp::exp(e, x),
        "math.exp2" => exp::exp2(e, x),
        "math.log" => log::log(e, x),
        "math.log10" => log::log10(e, x),
        "math.log2" => log::log2(e, x),
        "math.sin" => trig::sin(e, x),
        "math.sincos" => {
            let (s, c) = trig::sincos(e, x);
            return Some(vec![s, c]);
        }
        "math.tan" => trig::tan(e, x),
        "math.tanh" => other::tanh(e, x),
        _ => return None,
    };
    Some(vec![one])
}
