//! Functions of which one polynomial does the smaller arguments and an exponential or
//! the inverse argument the larger ones.

use super::super::emit::Emit;
use super::exp::exp;
use terrace_ir::Value;

/// `(tanh x - x) / x^3` in `x^2`, `x <= 0.5625`.
const TANH: [f64; 5] = [
    -0.3333333134651184,
    0.133330836892128,
    -0.0539032481610775,
    0.021270887926220894,
    -0.006537454668432474,
];

/// `erf x / x - 1` in `x^2`, `x <= 0.95`.
const ERF_NEAR: [f64; 7] = [
    0.12837916709551256,
    -0.37612631916999817,
    0.11283672600984573,
    -0.026858104392886162,
    0.0051977974362671375,
    -0.0008105968008749187,
    8.215433626901358e-05,
];

/// `log(erfc x)`, `0.92 <= x <= 3.95`, so that the error in `erfc x` is even.
const ERF_FAR: [f64; 9] = [
    0.00030289762071333826,
    -1.1301677227020264,
    -0.6319314241409302,
    -0.10998743772506714,
    0.026372134685516357,
    -0.004743603989481926,
    0.0005936542875133455,
    -4.5714616135228425e-05,
    1.6212784430535976e-06,
];

/// `(atan t - t) / t^3` in `t^2`, `t <= 1`.
pub(super) const ATAN: [f64; 9] = [
    -0.3333333134651184,
    0.1999979019165039,
    -0.14279615879058838,
    0.11042037606239319,
    -0.08689054101705551,
    0.06318241357803345,
    -0.036670539528131485,
    0.013996642082929611,
    -0.0025086163077503443,
];

/// `1 - 2 / (e^2x + 1)` for larger arguments. Within 1.5 units.
pub(super) fn tanh(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let z = e.mul(a, a);
    let q = e.polynomial(z, &TANH);
    let cube = e.mul(a, z);
    let near = e.fma(cube, q, a);
    // From 10 on the result is one.
    let b = e.bounded(a, 0.0, 10.0);
    let twice = e.add(b, b);
    let power = exp(e, twice);
    let (one, minus_two) = (e.c(1.0), e.c(-2.0));
    let sum = e.add(power, one);
    let part = e.div(minus_two, sum);
    let far = e.add(one, part);
    let small = e.is_less(a, 0.5625);
    let v = e.select(small, near, far);
    e.copysign(v, x)
}

/// `1 - e^(log erfc x)` for larger arguments. Within 1.5 units.
pub(super) fn erf(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let z = e.mul(a, a);
    let q = e.polynomial(z, &ERF_NEAR);
    let near = e.fma(a, q, a);
    // From 3.92 on the result is one.
    let b = e.bounded(a, 0.0, 3.95);
    let logarithm = e.polynomial(b, &ERF_FAR);
    let power = exp(e, logarithm);
    let one = e.c(1.0);
    let far = e.sub(one, power);
    let small = e.is_less(a, 0.92);
    let v = e.select(small, near, far);
    e.copysign(v, x)
}

/// `pi/2 - atan(1/x)` for arguments above one. Within 1.6 units.
pub(super) fn atan(e: &mut Emit, x: Value) -> Value {
    let a = e.abs(x);
    let one = e.c(1.0);
    let inverse = e.div(one, a);
    let large = e.lt(one, a);
    let t = e.select(large, inverse, a);
    let z = e.mul(t, t);
    let q = e.polynomial(z, &ATAN);
    let cube = e.mul(t, z);
    let p = e.fma(cube, q, t);
    // pi/2 in two parts.
    let (high, low) = (e.c(1.570_796_370_506_286_6), e.c(-4.371139000186243e-8));
    let rest = e.sub(low, p);
    let turned = e.add(high, rest);
    let v = e.select(large, turned, p);
    e.copysign(v, x)
}
