//! Expressions over arrays beside plain Rust loops: a row for each work and size, each the median
//! of many calls after a warm-up. The results are compared. `benches/array/run.sh` builds and
//! runs it.

use std::hint::black_box;
use std::time::{Duration, Instant};
use terrace::array::{ArrayError, Context, iterate, max, min, sum};

/// The median time of a call, in seconds, of at least 15 calls and half a second of them.
fn median(mut f: impl FnMut()) -> f64 {
    f();
    let begun = Instant::now();
    let mut times = Vec::new();
    while times.len() < 15 || begun.elapsed() < Duration::from_millis(500) && times.len() < 100_000
    {
        let start = Instant::now();
        f();
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn row(work: &str, n: usize, ours: f64, rust: f64, bytes: usize) {
    let rate = |s: f64| bytes as f64 / s * 1e-9;
    println!(
        "| {work} | {n} | {:.2} | {:.1} | {:.2} | {:.1} | {:.2} |",
        ours * 1e6,
        rate(ours),
        rust * 1e6,
        rate(rust),
        rust / ours
    );
}

fn sample(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i % 1000) as f64 * 0.01 + 0.5).collect()
}

/// Fails where results are further apart than sums in another order explain.
fn agree(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-12 * a.abs().max(b.abs()), "{a} {b}");
}

fn elementwise(cx: &Context, n: usize) -> Result<(), ArrayError> {
    let (host, other) = (sample(n), sample(n));
    let (x, z) = (cx.vector(&host)?, cx.vector(&other)?);
    let y = cx.zeros(&[n])?;
    let mut out = vec![0.0; n];
    let ours = median(|| y.set(2.0 * &x - x.sin()).expect("it ran before"));
    let rust = median(|| {
        for (o, x) in out.iter_mut().zip(black_box(&host)) {
            *o = 2.0 * x - x.sin();
        }
        black_box(&mut out);
    });
    for (a, b) in y.to_vec()?.iter().zip(&out) {
        assert!((a - b).abs() <= 1e-14, "{a} {b}");
    }
    row("2x - sin x", n, ours, rust, 16 * n);
    let ours = median(|| y.set(2.0 * &x + 3.0 * &z).expect("it ran before"));
    let rust = median(|| {
        for ((o, x), z) in out.iter_mut().zip(black_box(&host)).zip(black_box(&other)) {
            *o = 2.0 * x + 3.0 * z;
        }
        black_box(&mut out);
    });
    assert_eq!(y.to_vec()?, out);
    row("ax + bz", n, ours, rust, 24 * n);
    Ok(())
}

fn reductions(cx: &Context, n: usize) -> Result<(), ArrayError> {
    let (host, other) = (sample(n), sample(n));
    let (x, z) = (cx.vector(&host)?, cx.vector(&other)?);
    let mut ours_result = (0.0, 0.0, 0.0);
    let ours = median(|| {
        ours_result = (cx.reduce((sum(&x * &z), min(&x), max(&x)))).expect("it ran before");
    });
    let mut result = (0.0, f64::INFINITY, f64::NEG_INFINITY);
    let rust = median(|| {
        result = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        for (x, z) in black_box(&host).iter().zip(black_box(&other)) {
            result = (result.0 + x * z, result.1.min(*x), result.2.max(*x));
        }
        black_box(&mut result);
    });
    agree(ours_result.0, result.0);
    assert_eq!((ours_result.1, ours_result.2), (result.1, result.2));
    row("dot, min and max", n, ours, rust, 16 * n);
    Ok(())
}

/// An ensemble of Lorenz systems by Euler's method, all steps in one kernel.
fn ensemble(cx: &Context, n: usize, steps: u64) -> Result<(), ArrayError> {
    let host = sample(n);
    let r: Vec<f64> = (0..n).map(|i| 0.5 + (i % 100) as f64 * 0.2).collect();
    let s = [cx.vector(&host)?, cx.vector(&host)?, cx.vector(&host)?];
    let big_r = cx.vector(&r)?;
    let out = [cx.zeros(&[n])?, cx.zeros(&[n])?, cx.zeros(&[n])?];
    let h = 1e-3;
    let ours = median(|| {
        let [u, v, w] = iterate(steps, s.each_ref(), |[x, y, z]| {
            [
                &x + h * (10.0 * (&y - &x)),
                &y + h * (&x * (&big_r - &z) - &y),
                &z + h * (&x * &y - (8.0 / 3.0) * &z),
            ]
        });
        let all = (out[0].to(u), out[1].to(v), out[2].to(w));
        cx.assign(all).expect("it ran before");
    });
    let mut result = vec![[0.0; 3]; n];
    let rust = median(|| {
        for ((q, x), r) in result.iter_mut().zip(black_box(&host)).zip(&r) {
            let (mut x, mut y, mut z) = (*x, *x, *x);
            for _ in 0..steps {
                let dx = h * (10.0 * (y - x));
                let dy = h * (x * (r - z) - y);
                let dz = h * (x * y - (8.0 / 3.0) * z);
                (x, y, z) = (x + dx, y + dy, z + dz);
            }
            *q = [x, y, z];
        }
        black_box(&mut result);
    });
    let found = out.each_ref().map(|a| a.to_vec());
    for (k, f) in found.into_iter().enumerate() {
        for (a, q) in f?.iter().zip(&result) {
            assert_eq!(a.to_bits(), q[k].to_bits());
        }
    }
    let work = format!("Lorenz, {steps} steps");
    row(&work, n, ours, rust, 56 * n);
    Ok(())
}

fn main() -> Result<(), ArrayError> {
    let cx = Context::from_environment()?;
    println!("on {}\n", cx.place());
    println!("| work, f64 | n | us | GB/s | Rust loop, us | GB/s | Rust / ours |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for n in [1, 1 << 10, 1 << 16, 1 << 20, 1 << 23] {
        elementwise(&cx, n)?;
        reductions(&cx, n)?;
    }
    ensemble(&cx, 1 << 10, 1000)?;
    let begun = Instant::now();
    let fresh = cx.without_disk();
    let x = fresh.vector(&[1.0f64])?;
    x.set(2.0 * &x - x.sin())?;
    println!(
        "\na first call, with passes and code: {:.2} ms",
        begun.elapsed().as_secs_f64() * 1e3
    );
    println!("{:?}", cx.kernels());
    Ok(())
}
