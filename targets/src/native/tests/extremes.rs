//! The greater and the lesser of floats: NaNs, and zeros of either sign.

use super::vector_forms::{N, both, run};

/// The one of two that is greater or less, the number of the two, and of zeros the one whose sign
/// is in the way of the other.
fn extreme(a: f64, b: f64, greater: bool) -> f64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() { b } else { a };
    }
    match a == b {
        true if greater => f64::from_bits(a.to_bits() & b.to_bits()),
        true => f64::from_bits(a.to_bits() | b.to_bits()),
        false if (a > b) == greater => a,
        false => b,
    }
}

/// As operands on either side, and as what a comparison chose, which is known to be a number.
#[test]
fn extremes_are_numbers_and_zeros_have_an_order() {
    let some = [
        0.0,
        -0.0,
        1.5,
        -1.5,
        f64::NAN,
        f64::INFINITY,
        -f64::INFINITY,
        3.0,
    ];
    let a: Vec<f64> = (0..N).map(|i| some[i % some.len()]).collect();
    for (op, greater) in [("maxnumf", true), ("minnumf", false)] {
        for k in [0.0, -0.0, 2.0, -2.0] {
            let end = if greater {
                "0xFFF0000000000000"
            } else {
                "0x7FF0000000000000"
            };
            let asked = if greater { "ogt" } else { "olt" };
            let chosen = format!(
                "%e = arith.constant {{{end}}} : <f64>
                 %h = arith.cmpf {asked}, %x, %e : <f64>
                 %s = arith.select %h, %x, %e : <i1>, <f64>"
            );
            for (first, second, before) in
                [("%x", "%k", ""), ("%k", "%x", ""), ("%k", "%s", &chosen)]
            {
                let text = format!(
                    "%k = arith.constant {{{k:?}}} : <f64>
                     {before}
                     %y = arith.{op} {first}, {second} : <f64>"
                );
                let wanted: Vec<u64> = a
                    .iter()
                    .map(|x| extreme(*x, k, greater).to_bits())
                    .collect();
                let bits = |all: &[f64]| all.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
                for [c, d] in run::<f64, f64>(&both("f64", "f64", &text), &a) {
                    assert_eq!(bits(&c), wanted, "vectors, {op} {first} {second} {k:?}");
                    assert_eq!(bits(&d), wanted, "scalars, {op} {first} {second} {k:?}");
                }
            }
        }
    }
}
