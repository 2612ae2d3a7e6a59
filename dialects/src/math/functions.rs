//! The functions of one float that ops stand for, on machine numbers: one table for
//! folding and for whatever else evaluates them.

use super::float::{
    CosOp, Exp2Op, ExpOp, Log2Op, Log10Op, LogOp, PowFOp, RsqrtOp, SinOp, TanOp, TanhOp,
};

/// A function of one float, at both precisions.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    /// On numbers of single precision.
    pub f32: fn(f32) -> f32,
    /// On numbers of double precision.
    pub f64: fn(f64) -> f64,
}

/// The function of the op of that full name, `math.sin`; `None` for other ops.
pub fn function(op: &str) -> Option<Function> {
    // Where the standard library only approximates by a formula, or has nothing, the
    // functions come from a port of a C library.
    let of = |f32: fn(f32) -> f32, f64: fn(f64) -> f64| Function { f32, f64 };
    Some(match op {
        "math.acos" => of(f32::acos, f64::acos),
        "math.asin" => of(f32::asin, f64::asin),
        "math.atan" => of(f32::atan, f64::atan),
        "math.cos" => of(f32::cos, f64::cos),
        "math.cosh" => of(f32::cosh, f64::cosh),
        "math.sin" => of(f32::sin, f64::sin),
        "math.sinh" => of(f32::sinh, f64::sinh),
        "math.tan" => of(f32::tan, f64::tan),
        "math.tanh" => of(f32::tanh, f64::tanh),
        "math.exp" => of(f32::exp, f64::exp),
        "math.exp2" => of(f32::exp2, f64::exp2),
        "math.expm1" => of(f32::exp_m1, f64::exp_m1),
        "math.log" => of(f32::ln, f64::ln),
        "math.log10" => of(f32::log10, f64::log10),
        "math.log1p" => of(f32::ln_1p, f64::ln_1p),
        "math.log2" => of(f32::log2, f64::log2),
        "math.cbrt" => of(f32::cbrt, f64::cbrt),
        "math.sqrt" => of(f32::sqrt, f64::sqrt),
        "math.absf" => of(f32::abs, f64::abs),
        "math.ceil" => of(f32::ceil, f64::ceil),
        "math.floor" => of(f32::floor, f64::floor),
        "math.trunc" => of(f32::trunc, f64::trunc),
        "math.round" => of(f32::round, f64::round),
        "math.roundeven" => of(f32::round_ties_even, f64::round_ties_even),
        "math.acosh" => of(libm::acoshf, libm::acosh),
        "math.asinh" => of(libm::asinhf, libm::asinh),
        "math.atanh" => of(libm::atanhf, libm::atanh),
        "math.erf" => of(libm::erff, libm::erf),
        "math.erfc" => of(libm::erfcf, libm::erfc),
        "math.rsqrt" => of(|x| 1.0 / x.sqrt(), |x| 1.0 / x.sqrt()),
        _ => return None,
    })
}

/// The C library's function for the op `math.NAME` of one or two floats, for `f64`; that for
/// `f32` has an `f` behind it. `None` for ops that machines have instructions for.
pub fn library_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "acos" => "acos",
        "acosh" => "acosh",
        "asin" => "asin",
        "asinh" => "asinh",
        "atan" => "atan",
        "atanh" => "atanh",
        "atan2" => "atan2",
        "cbrt" => "cbrt",
        "cos" => "cos",
        "cosh" => "cosh",
        "erf" => "erf",
        "erfc" => "erfc",
        "exp" => "exp",
        "exp2" => "exp2",
        "expm1" => "expm1",
        "log" => "log",
        "log10" => "log10",
        "log1p" => "log1p",
        "log2" => "log2",
        "powf" => "pow",
        "round" => "round",
        "sin" => "sin",
        "sinh" => "sinh",
        "tan" => "tan",
        "tanh" => "tanh",
        _ => return None,
    })
}

/// Whether an op of a name may be approximated on floats: where its flags let it, a GPU has short instructions for it.
pub fn has_approximation(name: &str) -> bool {
    matches!(
        name,
        ExpOp::NAME
            | Exp2Op::NAME
            | LogOp::NAME
            | Log2Op::NAME
            | Log10Op::NAME
            | PowFOp::NAME
            | SinOp::NAME
            | CosOp::NAME
            | TanOp::NAME
            | TanhOp::NAME
            | RsqrtOp::NAME
    )
}
