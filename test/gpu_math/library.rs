//! In `f64` and `f32` against the C library, in the interpreter and on the emulator.

use super::bounds::{bounds, ulps, within};
use super::functions::{FUNCTIONS, SPECIAL_SINGLES, Tally};
use super::run::expanded;
use super::samples::{SPECIAL, pairs, samples};
use terrace::dialects::math::function;

#[track_caller]
fn check(op: &str, low: f64, high: f64) {
    let (double, single) = bounds(op.trim_start_matches("math."));
    let bound = double as u64;
    let library = function(op).expect("a function of one float").f64;
    // The port of acosh gives numbers where there is no cosine.
    let reference = |x: f64| match op == "math.acosh" && x < 1.0 {
        true => f64::NAN,
        false => library(x),
    };
    let xs = samples(low, high);
    let pairs: Vec<(f64, f64)> = xs.iter().map(|x| (*x, 0.0)).collect();
    let mut worst = (0, 0.0);
    for (x, got) in xs.iter().zip(expanded(op, "f64", &pairs)) {
        let want = reference(*x);
        let d = ulps(got, want);
        if d > worst.0 {
            worst = (d, *x);
        }
        let zero = want == 0.0 && got == 0.0 && want.is_sign_negative() != got.is_sign_negative();
        assert!(
            d <= bound && !zero,
            "{op}({x:e}) is {got:e} instead of {want:e}: {d} ulp"
        );
    }
    println!("{op}: at most {} ulp, at {:e}", worst.0, worst.1);
    // Narrower floats are rounded once more.
    let pairs: Vec<(f64, f64)> = xs.iter().map(|x| (f64::from(*x as f32), 0.0)).collect();
    for ((x, _), got) in pairs.iter().zip(expanded(op, "f32", &pairs)) {
        let want = reference(*x) as f32;
        let same = got as f32 == want || (got.is_nan() && want.is_nan());
        let units = single.ceil() as u32;
        let near = ((got as f32).to_bits() as i32).abs_diff(want.to_bits() as i32) <= units;
        assert!(
            same || near,
            "{op}({x:e}) on f32 is {got:e} instead of {want:e}"
        );
    }
}

macro_rules! functions {
    ($($name:ident: $op:literal, $low:expr, $high:expr;)*) => { $(
        #[test]
        fn $name() {
            check($op, $low, $high);
        }
    )* };
}

functions! {
    exp: "math.exp", -750.0, 715.0;
    exp2: "math.exp2", -1080.0, 1030.0;
    expm1: "math.expm1", -45.0, 40.0;
    log: "math.log", 0.0, 1000.0;
    log2: "math.log2", 0.0, 1000.0;
    log10: "math.log10", 0.0, 1000.0;
    log1p: "math.log1p", -1.0, 100.0;
    sin: "math.sin", -100.0, 100.0;
    sin_far: "math.sin", -1e15, 1e15;
    cos: "math.cos", -100.0, 100.0;
    cos_far: "math.cos", 1e9, 1e200;
    tan: "math.tan", -100.0, 100.0;
    atan: "math.atan", -20.0, 20.0;
    asin: "math.asin", -1.0, 1.0;
    acos: "math.acos", -1.0, 1.0;
    sinh: "math.sinh", -711.0, 711.0;
    cosh: "math.cosh", -711.0, 711.0;
    tanh: "math.tanh", -22.0, 22.0;
    asinh: "math.asinh", -100.0, 100.0;
    acosh: "math.acosh", 1.0, 100.0;
    atanh: "math.atanh", -1.0, 1.0;
    cbrt: "math.cbrt", -1000.0, 1000.0;
    erf: "math.erf", -6.5, 6.5;
    erfc: "math.erfc", -6.0, 27.5;
    rsqrt: "math.rsqrt", 0.0, 1e6;
}

#[track_caller]
fn check_two(op: &str, pairs: Vec<(f64, f64)>, reference: fn(f64, f64) -> f64) {
    let bound = bounds(op.trim_start_matches("math.")).0 as u64;
    let mut pairs = pairs;
    for x in SPECIAL {
        pairs.extend(SPECIAL.map(|y| (x, y)));
    }
    let mut worst = 0;
    for ((x, y), got) in pairs.iter().zip(expanded(op, "f64", &pairs)) {
        let want = reference(*x, *y);
        let d = ulps(got, want);
        worst = worst.max(d);
        let zero = want == 0.0 && got == 0.0 && want.is_sign_negative() != got.is_sign_negative();
        assert!(
            d <= bound && !zero,
            "{op}({x:e}, {y:e}) is {got:e} instead of {want:e}: {d} ulp"
        );
    }
    println!("{op}: at most {worst} ulp");
    // In f32 special pairs are exact, and all the same bits in kernels.
    let narrow = |v: f64| f64::from(v as f32);
    let mut pairs: Vec<_> = pairs.iter().map(|p| (narrow(p.0), narrow(p.1))).collect();
    pairs.extend(
        SPECIAL_SINGLES
            .iter()
            .flat_map(|x| SPECIAL_SINGLES.map(|y| (f64::from(*x), f64::from(y)))),
    );
    let mut tally = Tally::default();
    for ((x, y), got) in pairs.iter().zip(expanded(op, "f32", &pairs)) {
        tally.single((*x, *y), got as f32, reference(*x, *y));
    }
    let f = FUNCTIONS.iter().find(|f| f.op() == op).expect("a function");
    within(f, "f32", &tally, bounds(f.name).1);
}

#[test]
fn powf() {
    let mut all = pairs((0.0, -300.0), (10.0, 300.0));
    all.extend(pairs((0.9, -6000.0), (1.1, 6000.0)));
    all.extend(
        pairs((-50.0, -3.0), (50.0, 9.0))
            .iter()
            .map(|p| (p.0, p.1.round())),
    );
    check_two("math.powf", all, f64::powf);
}

#[test]
fn atan2() {
    let mut all = pairs((-3.0, -3.0), (3.0, 3.0));
    all.extend(pairs((-1e-3, -1e9), (1e-3, 1e9)));
    check_two("math.atan2", all, f64::atan2);
}

#[test]
fn remf() {
    let mut all = pairs((-1e6, -10.0), (1e6, 10.0));
    all.extend(pairs((-1e300, -1e-300), (1e300, 1e-300)));
    all.extend(pairs((-1.0, -5.0), (1.0, 5.0)));
    check_two("arith.remf", all, |x, y| x % y);
}
