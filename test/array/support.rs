//! The context of these tests, and comparisons.

use terrace::array::{Context, Element, cpu, emulator, environment};

/// The device that the environment names, else the cores; with `TERRACE_ARRAY_ALL` all emulators
/// together. Its kernels are in memory alone.
pub fn context() -> Context {
    let set = |name| std::env::var_os(name).is_some();
    let filter = match (set("TERRACE_TARGET"), set("TERRACE_ARRAY_ALL")) {
        (_, true) => emulator(),
        (true, _) => environment(),
        _ => cpu(),
    };
    // What is kept on disk would decide what is compiled.
    let cx = Context::select(filter).unwrap_or_else(|e| panic!("{e}"));
    cx.without_disk()
}

/// Fails unless so many kernels were compiled, where there is one device.
pub fn assert_made(cx: &Context, kernels: u64) {
    if cx.devices().len() == 1 {
        assert_eq!(cx.kernels().compiled, kernels);
    }
}

/// Fails unless both have the same bits, or are both no number.
pub fn assert_same<T: Element>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        // A NaN alone differs from itself.
        #[allow(clippy::eq_op)]
        let both_nan = f != f && e != e;
        assert!(
            Element::to_bits(*f) == Element::to_bits(*e) || both_nan,
            "{what}: element {k} is {f}, expected {e}"
        );
    }
}

/// Floats with all that is special about them.
pub fn floats() -> Vec<f64> {
    let mut all = vec![
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.5,
        -2.5,
        1e300,
        -1e300,
        1e-310,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        9.007e15,
        2147483647.5,
        -2147483648.5,
        4294967295.9,
        9.3e18,
        -9.3e18,
        1.9e19,
    ];
    all.extend((0..40).map(|i| (f64::from(i) - 20.0) * 0.37));
    all
}

/// Integers with all that is special about them, as `i64`.
pub fn integers() -> Vec<i64> {
    let mut all = vec![
        0,
        1,
        -1,
        2,
        -2,
        7,
        -7,
        31,
        32,
        33,
        63,
        64,
        i64::MAX,
        i64::MIN,
        i64::from(i32::MAX),
        i64::from(i32::MIN),
        1 << 40,
        -(1 << 40),
    ];
    all.extend((0..20).map(|i| (i - 10) * 1_234_567_891));
    all
}
