//! As machine code of the host, on many more numbers, in each type.

use super::bounds::{bounds, within};
use super::functions::{FUNCTIONS, Function, Numbers, SPECIAL_SINGLES, Tally};
use super::programs::Native;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use terrace::runtime::dtype::{DType, Scalar};

/// Does something for each function, on all processors.
fn over_functions(f: impl Fn(&Function) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| {
                terrace::with_stack(|| {
                    while let Some(function) = FUNCTIONS.get(next.fetch_add(1, Relaxed)) {
                        f(function);
                    }
                });
            });
        }
    });
}

/// Every 4099th float, or pairs.
#[test]
fn singles_are_within_their_bounds() {
    over_functions(|f| {
        let native = Native::new(f, "f32");
        let (xs, ys): (Vec<f32>, Vec<f32>) = if f.is_binary() {
            let mut g = Numbers(3);
            let [x, y] = f.ranges;
            (0..200_000)
                .map(|_| (g.argument(x) as f32, g.argument(y) as f32))
                .unzip()
        } else {
            let floats = (0..=u32::MAX).step_by(4099).map(f32::from_bits);
            let floats = floats.chain(SPECIAL_SINGLES);
            floats.map(|x| (x, x)).unzip()
        };
        let mut got = vec![0f32; xs.len()];
        native.run(&xs, &ys, &mut got);
        let mut tally = Tally::default();
        for ((x, y), got) in xs.iter().zip(&ys).zip(got) {
            let args = (f64::from(*x), f64::from(*y));
            tally.single(args, got, f.of(args.0, args.1));
        }
        within(f, "f32", &tally, bounds(f.name).1);
    });
}

/// Of each power of two from 2^15 on the angles closest to a multiple of pi/2, where all
/// but a few bits of the turns cancel.
#[test]
fn angles_next_to_the_axes() {
    let mut angles = Vec::new();
    for exponent in 127 + 15..255u32 {
        let of_exponent = (0..1 << 23).step_by(131);
        let mut close: Vec<(f64, f32)> = of_exponent
            .map(|m| f32::from_bits(exponent << 23 | m))
            .map(|x| {
                let (sin, cos) = f64::from(x).sin_cos();
                (sin.abs().min(cos.abs()), x)
            })
            .collect();
        close.sort_by(|a, b| a.0.total_cmp(&b.0));
        angles.extend(close.iter().take(8).flat_map(|c| [c.1, -c.1]));
    }
    // Found among all floats.
    angles.extend([4.386_558e33, -4.386_558e33]);
    for f in FUNCTIONS
        .iter()
        .filter(|f| ["sin", "cos", "tan"].contains(&f.name))
    {
        let mut got = vec![0f32; angles.len()];
        Native::new(f, "f32").run(&angles, &angles, &mut got);
        let mut tally = Tally::default();
        for (x, got) in angles.iter().zip(got) {
            let x = f64::from(*x);
            tally.single((x, x), got, f.of(x, x));
        }
        within(f, "f32", &tally, bounds(f.name).1);
    }
}

#[test]
fn doubles_are_within_their_bounds() {
    over_functions(|f| {
        let native = Native::new(f, "f64");
        let mut g = Numbers(4);
        let [x, y] = f.ranges;
        let (xs, ys): (Vec<f64>, Vec<f64>) =
            (0..200_000).map(|_| (g.argument(x), g.argument(y))).unzip();
        let mut got = vec![0f64; xs.len()];
        native.run(&xs, &ys, &mut got);
        let mut tally = Tally::default();
        for ((x, y), got) in xs.iter().zip(&ys).zip(got) {
            tally.double((*x, *y), got, f.of(*x, *y));
        }
        within(f, "f64", &tally, bounds(f.name).0);
    });
}

/// All halves, of both kinds, are rounded true values or next to the middle of two.
#[test]
fn halves_are_rounded_true_values() {
    over_functions(|f| {
        for (ty, dtype) in [("f16", DType::F16), ("bf16", DType::BF16)] {
            let native = Native::new(f, ty);
            let xs: Vec<u16> = (0..=u16::MAX).collect();
            // Pairs by chance, where there are two.
            let ys: Vec<u16> = xs.iter().map(|x| x.wrapping_mul(40503)).collect();
            let mut got = vec![0u16; xs.len()];
            native.run(&xs, &ys, &mut got);
            let value = |bits: u16| Scalar::from_bits(dtype, u64::from(bits)).as_f64();
            for ((x, y), got) in xs.iter().zip(&ys).zip(got) {
                if f.name == "copysign" && value(*y).is_nan() {
                    // The sign of a NaN is lost on the way through `value`.
                    continue;
                }
                let exact = f.of(value(*x), value(*y));
                let want = Scalar::from_f64(dtype, exact).expect("a float");
                // Next to the middle between two halves the error in `f32` decides.
                let (near, middle) = (
                    (want.as_f64() - value(got)).abs(),
                    (want.as_f64() + value(got)) / 2.0,
                );
                let between = want.bits().abs_diff(u64::from(got)) == 1
                    && (exact - middle).abs() <= 0.004 * near;
                assert!(
                    want.bits() == u64::from(got)
                        || between
                        || want.as_f64().is_nan() && value(got).is_nan(),
                    "{} of {:e}, {:e} in {ty} is {:e} instead of {:e}",
                    f.name,
                    value(*x),
                    value(*y),
                    value(got),
                    want.as_f64()
                );
            }
        }
    });
}
