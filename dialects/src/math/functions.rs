//! The functions of one float that ops stand for, on machine numbers: one table for
//! folding and for whatever else evaluates them.

/// A function of one float, at both precisions.
#[derive(Debug, Clone, Copy)]
pub struct Function {
    pub f32: fn(f32) -> f32,
    pub f64: fn(f64) -> f64,
}

/// The function of the op of that full name, `math.sin`; `None` for other ops.
pub fn function(op: &str) -> Option<Function> {
    // Where the standard library only approximates by a formula, or has nothing, the
    // functions come from a port of a C library.
    let (f32, f64): (fn(f32) -> f32, fn(f64) -> f64) = match op {
        "math.acos" => (f32::acos, f64::acos),
        "math.asin" => (f32::asin, f64::asin),
        "math.atan" => (f32::atan, f64::atan),
        "math.cos" => (f32::cos, f64::cos),
        "math.cosh" => (f32::cosh, f64::cosh),
        "math.sin" => (f32::sin, f64::sin),
        "math.sinh" => (f32::sinh, f64::sinh),
        "math.tan" => (f32::tan, f64::tan),
        "math.tanh" => (f32::tanh, f64::tanh),
        "math.exp" => (f32::exp, f64::exp),
        "math.exp2" => (f32::exp2, f64::exp2),
        "math.expm1" => (f32::exp_m1, f64::exp_m1),
        "math.log" => (f32::ln, f64::ln),
        "math.log10" => (f32::log10, f64::log10),
        "math.log1p" => (f32::ln_1p, f64::ln_1p),
        "math.log2" => (f32::log2, f64::log2),
        "math.cbrt" => (f32::cbrt, f64::cbrt),
        "math.sqrt" => (f32::sqrt, f64::sqrt),
        "math.absf" => (f32::abs, f64::abs),
        "math.ceil" => (f32::ceil, f64::ceil),
        "math.floor" => (f32::floor, f64::floor),
        "math.trunc" => (f32::trunc, f64::trunc),
        "math.round" => (f32::round, f64::round),
        "math.roundeven" => (f32::round_ties_even, f64::round_ties_even),
        "math.acosh" => (libm::acoshf, libm::acosh),
        "math.asinh" => (libm::asinhf, libm::asinh),
        "math.atanh" => (libm::atanhf, libm::atanh),
        "math.erf" => (libm::erff, libm::erf),
        "math.erfc" => (libm::erfcf, libm::erfc),
        "math.rsqrt" => (|x| 1.0 / x.sqrt(), |x| 1.0 / x.sqrt()),
        _ => return None,
    };
    Some(Function { f32, f64 })
}
