//! The example, run, and what goes back and forth.

#[path = "../examples/wave.rs"]
mod wave;

/// The loop nest as Rust.
fn expected() -> Vec<f64> {
    let mut u = vec![0.0; 50];
    u[5] = 16.0;
    for t in 1..5 {
        for i in 1..9 {
            u[t * 10 + i] = 0.5 * (u[(t - 1) * 10 + i - 1] + u[(t - 1) * 10 + i + 1]);
        }
    }
    u
}

#[test]
fn wave() {
    let (said, u) = wave::run().expect("the example runs");
    assert_eq!(u, expected());
    for line in [
        "flow from affine.store to affine.load, level Some(1), exact: true",
        "iterations: { [i0, i1] : ",
        "affine.for",
        "arith.mulf",
    ] {
        assert!(said.contains(line), "{line} is not in\n{said}");
    }
    wave::main().expect("the example runs");
}
