//! Functions of math, held against Rust's. How exact they are `docs/math.md` says.

use super::support::context;
use terrace::array::Expr;

/// The distance of two floats, in units in the last place of the second.
fn ulps(found: f64, expected: f64) -> f64 {
    if found == expected || found.is_nan() && expected.is_nan() {
        return 0.0;
    }
    let unit = f64::from_bits(expected.abs().to_bits() + 1) - expected.abs();
    (found - expected).abs() / unit
}

/// Computes a function of points in a range.
fn check(
    name: &str,
    (low, high): (f64, f64),
    most: f64,
    f: impl Fn(&Expr<f64>) -> Expr<f64>,
    expected: impl Fn(f64) -> f64,
) {
    let cx = context();
    let host: Vec<f64> = (0..500)
        .map(|i| low + (high - low) * f64::from(i) / 499.0)
        .collect();
    let x = cx.vector(&host).unwrap();
    let y = cx.zeros(&[host.len()]).unwrap();
    y.set(f(&x)).unwrap();
    for (x, y) in host.iter().zip(y.to_vec().unwrap()) {
        let e = expected(*x);
        // Rust's library is within a unit itself.
        let distance = ulps(y, e);
        assert!(distance <= most + 1.0, "{name}({x}) is {y}, expected {e}");
    }
}

macro_rules! functions {
    ($($name:ident $range:expr, $most:expr;)*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name), $range, $most, |x| x.$name(), |x| x.$name());
        }
    )*};
}

functions! {
    sqrt (-1.0, 50.0), -1.0;
    cbrt (-30.0, 30.0), 1.0;
    exp (-30.0, 30.0), 1.0;
    exp2 (-30.0, 30.0), 1.0;
    exp_m1 (-2.0, 2.0), 2.0;
    ln (-1.0, 50.0), 1.0;
    log2 (-1.0, 50.0), 1.0;
    log10 (-1.0, 50.0), 2.0;
    ln_1p (-2.0, 2.0), 2.0;
    sin (-10.0, 10.0), 2.0;
    cos (-10.0, 10.0), 2.0;
    tan (-10.0, 10.0), 4.0;
    asin (-1.1, 1.1), 3.0;
    acos (-1.1, 1.1), 3.0;
    atan (-10.0, 10.0), 2.0;
    sinh (-10.0, 10.0), 3.0;
    cosh (-10.0, 10.0), 3.0;
    tanh (-10.0, 10.0), 4.0;
    asinh (0.5, 10.0), 4.0;
    acosh (1.5, 10.0), 4.0;
    atanh (0.3, 0.9), 4.0;
    floor (-5.0, 5.0), -1.0;
    ceil (-5.0, 5.0), -1.0;
    trunc (-5.0, 5.0), -1.0;
    round (-5.0, 5.0), -1.0;
    round_ties_even (-5.0, 5.0), -1.0;
}

#[test]
fn rsqrt() {
    check("rsqrt", (0.5, 50.0), 0.0, |x| x.rsqrt(), |x| 1.0 / x.sqrt());
}

#[test]
fn powers() {
    check("powf", (0.1, 9.0), 1.0, |x| x.powf(2.5), |x| x.powf(2.5));
    check("powi", (-9.0, 9.0), -1.0, |x| x.powi(3), |x| x * (x * x));
    check("powi of 0", (-9.0, 9.0), -1.0, |x| x.powi(0), |_| 1.0);
    check(
        "powi below 0",
        (1.0, 9.0),
        -1.0,
        |x| x.powi(-2),
        |x| 1.0 / (x * x),
    );
}

#[test]
fn angles() {
    check(
        "atan2",
        (-9.0, 9.0),
        3.0,
        |x| x.atan2(-1.5),
        |x| x.atan2(-1.5),
    );
}

#[test]
fn error_functions() {
    // Values from Abramowitz and Stegun, table 7.1.
    let known: [(f64, f64); 3] = [
        (0.5, 0.520_499_877_8),
        (1.0, 0.842_700_792_9),
        (2.0, 0.995_322_265_0),
    ];
    let cx = context();
    let x = cx.vector(&known.map(|k| k.0)).unwrap();
    let (e, c) = (cx.zeros(&[3]).unwrap(), cx.zeros(&[3]).unwrap());
    cx.assign((e.to(x.erf()), c.to(x.erfc()))).unwrap();
    for ((e, c), (_, known)) in e
        .to_vec()
        .unwrap()
        .iter()
        .zip(c.to_vec().unwrap())
        .zip(known)
    {
        assert!(
            (e - known).abs() < 1e-10 && (c - (1.0 - known)).abs() < 1e-10,
            "{e} {c}"
        );
    }
}
