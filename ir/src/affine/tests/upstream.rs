//! The builders, the printer and the simplifier against what `mlir-opt` 22
//! prints. Each line of `upstream.txt` is `dims symbols; input; printed;
//! simplified`: the input as text, the same after `mlir-opt`, and after
//! `mlir-opt --affine-simplify-structures`. Left out is what `mlir-opt` gets
//! wrong: sums that overflow when simplified, and `(d0 - d0 mod s0) floordiv s0`
//! simplified to 0.

use super::parse;
use crate::affine::simplify_affine_expr;

#[test]
fn prints_and_simplifies_as_upstream() {
    let mut failures = String::new();
    let mut lines = 0;
    for line in include_str!("upstream.txt").lines() {
        let fields: Vec<&str> = line.split(';').map(str::trim).collect();
        let [space, input, printed, simplified] = fields[..] else {
            panic!("malformed line '{line}'");
        };
        let (dims, symbols) = space.split_once(' ').unwrap();
        let expr = parse::expr(input);
        let found = expr.to_string();
        if found != printed {
            failures += &format!("{input}\n  prints   {found}\n  expected {printed}\n");
        }
        let simple = simplify_affine_expr(&expr, dims.parse().unwrap(), symbols.parse().unwrap());
        if simple.to_string() != simplified {
            failures +=
                &format!("{input}\n  simplifies to {simple}\n  expected      {simplified}\n");
        }
        lines += 1;
    }
    assert!(lines > 300);
    assert!(failures.is_empty(), "{failures}");
}
