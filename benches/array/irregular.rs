//! Scatters, sparse products, sorts and folds by key beside plain Rust loops and, where Python has
//! them, numpy and scipy: a row for each work and size, each the median of many calls after a
//! warm-up. The results are compared. `benches/array/run.sh` builds and runs it.

mod five_points;

use five_points::{Rows, five_points};
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};
use terrace::array::{ArrayError, Context, constant, sum};

/// The median time of a call, in seconds, of at least 7 calls and half a second of them. `before`
/// is not counted.
fn median(mut before: impl FnMut(), mut f: impl FnMut()) -> f64 {
    before();
    f();
    let begun = Instant::now();
    let mut times = Vec::new();
    while times.len() < 7 || begun.elapsed() < Duration::from_millis(500) && times.len() < 100_000 {
        before();
        let start = Instant::now();
        f();
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// What numpy or scipy takes for a work, in seconds, and the sum that its results have.
fn python(work: &str, n: usize) -> Option<(f64, f64)> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_string());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/array/peers.py");
    let mut child = Command::new(python);
    let out = child
        .arg(script)
        .arg(work)
        .arg(n.to_string())
        .output()
        .ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    let mut words = text.split_whitespace().map(str::parse::<f64>);
    match (words.next(), words.next()) {
        (Some(Ok(seconds)), Some(Ok(sum))) => Some((seconds, sum)),
        _ => None,
    }
}

/// Prints a row. `check` is what the sum of the results is, each times its place in 0 to 6.
fn row(work: &str, name: &str, n: usize, ours: f64, rust: f64, check: f64) {
    let theirs = match python(name, n) {
        Some((seconds, sum)) => {
            let near = (sum - check).abs() <= 1e-9 * sum.abs().max(check.abs());
            assert!(near, "{name} of {n}: {check}, and Python has {sum}");
            format!("{:.0} | {:.2}", seconds * 1e6, seconds / ours)
        }
        None => " | ".to_string(),
    };
    println!(
        "| {work} | {n} | {:.0} | {:.0} | {:.2} | {theirs} |",
        ours * 1e6,
        rust * 1e6,
        rust / ours
    );
}

fn checked(all: impl IntoIterator<Item = f64>) -> f64 {
    all.into_iter()
        .zip(0u32..)
        .map(|(v, i)| v * f64::from(i % 7))
        .sum()
}

/// Numbers without an order, as the peers make them.
fn mixed(i: usize) -> u32 {
    (i as u32).wrapping_mul(2_654_435_769)
}

fn floats(n: usize) -> Vec<f64> {
    (0..n).map(|i| f64::from(mixed(i)) * 1e-3 - 1e6).collect()
}

/// A permutation of as many places as a power of two has.
fn places(n: usize) -> Vec<i64> {
    let place = |i: usize| i.wrapping_mul(0x9e37_79b1) & (n - 1);
    (0..n).map(|i| place(i) as i64).collect()
}

fn scatters(cx: &Context, n: usize) -> Result<(), ArrayError> {
    let (x, p) = (floats(n), places(n));
    let (v, at, z) = (cx.vector(&x)?, cx.vector(&p)?, cx.zeros::<f64>(&[n])?);
    let ours = median(|| (), || z.at(&at).set_unique(&v).expect("it ran before"));
    let mut out = vec![0.0; n];
    let rust = median(
        || (),
        || {
            for (p, x) in black_box(&p).iter().zip(black_box(&x)) {
                out[*p as usize] = *x;
            }
            black_box(&mut out);
        },
    );
    assert_eq!(z.to_vec()?, out);
    row("z[p] = x, f64", "scatter", n, ours, rust, checked(out));

    let keys: Vec<u32> = (0..n).map(|i| mixed(i) >> 24).collect();
    let (k, counts) = (cx.vector(&keys)?, cx.zeros::<i32>(&[256])?);
    let bins = k.cast::<i64>();
    let ours = median(
        || counts.fill(0).expect("it ran before"),
        || counts.at(&bins).add(constant(1)).expect("it ran before"),
    );
    let mut out = vec![0i32; 256];
    let rust = median(
        || (),
        || {
            out.fill(0);
            for k in black_box(&keys) {
                out[*k as usize] += 1;
            }
            black_box(&mut out);
        },
    );
    assert_eq!(counts.to_vec()?, out);
    let check = checked(out.iter().map(|v| f64::from(*v)));
    row("histogram of 256", "histogram", n, ours, rust, check);
    Ok(())
}

/// Rows of which the longest have thousands of elements and most have few.
fn power_law(n: usize) -> Rows {
    let (mut offsets, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        let length = 2 + n / 16 / (1 + mixed(i) as usize % n);
        for k in 0..length.min(n) {
            columns.push((mixed(i + 31 * k) as usize % n) as u32);
            values.push(1.0 + (k % 5) as f64 * 0.25);
        }
        offsets.push(columns.len());
    }
    (offsets, columns, values)
}

fn sparse(cx: &Context, what: &str, name: &str, rows: &Rows, n: usize) -> Result<(), ArrayError> {
    let (offsets, columns, values) = rows;
    let x: Vec<f64> = (0..offsets.len() - 1)
        .map(|i| (i % 100) as f64 * 0.5)
        .collect();
    let size = x.len();
    let a = cx.csr([size, size], offsets, columns, values)?;
    let (v, y) = (cx.vector(&x)?, cx.zeros::<f64>(&[size])?);
    let ours = median(|| (), || y.set(a.mul(&v)).expect("it ran before"));
    let mut out = vec![0.0; size];
    let rust = median(
        || (),
        || {
            for (o, ends) in out.iter_mut().zip(black_box(offsets).windows(2)) {
                let row = ends[0]..ends[1];
                let mut s = 0.0;
                for (c, v) in columns[row.clone()].iter().zip(&values[row]) {
                    s += v * x[*c as usize];
                }
                *o = s;
            }
            black_box(&mut out);
        },
    );
    assert_eq!(y.to_vec()?, out);
    row(what, name, n, ours, rust, checked(out));
    Ok(())
}

fn sorts(cx: &Context, n: usize) -> Result<(), ArrayError> {
    let keys: Vec<u32> = (0..n).map(mixed).collect();
    let (source, k) = (cx.vector(&keys)?, cx.zeros::<u32>(&[n])?);
    let refill = || k.set(&source).expect("it ran before");
    let ours = median(refill, || k.sort().expect("it ran before"));
    let mut out = keys.clone();
    let rust = median(
        || (),
        || {
            out.copy_from_slice(&keys);
            out.sort_unstable();
        },
    );
    assert_eq!(k.to_vec()?, out);
    let check = checked(out.iter().map(|v| f64::from(*v)));
    row("sort, u32", "sort_u32", n, ours, rust, check);

    let x = floats(n);
    let (source, v) = (cx.vector(&x)?, cx.zeros::<f64>(&[n])?);
    let refill = || v.set(&source).expect("it ran before");
    let ours = median(refill, || v.sort().expect("it ran before"));
    let mut out = x.clone();
    let rust = median(
        || (),
        || {
            out.copy_from_slice(&x);
            out.sort_unstable_by(f64::total_cmp);
        },
    );
    assert_eq!(v.to_vec()?, out);
    row("sort, f64", "sort_f64", n, ours, rust, checked(out));

    let mut order = None;
    let ours = median(
        || (),
        || order = Some(source.argsort().expect("it ran before")),
    );
    let mut out: Vec<u32> = Vec::new();
    let rust = median(
        || (),
        || {
            out = (0..n as u32).collect();
            out.sort_by(|a, b| x[*a as usize].total_cmp(&x[*b as usize]));
        },
    );
    let found = order.map_or(Ok(Vec::new()), |o| o.to_vec())?;
    assert!(found.iter().map(|p| *p as u32).eq(out.iter().copied()));
    let check = checked(out.iter().map(|v| f64::from(*v)));
    row("argsort, f64, stable", "argsort_f64", n, ours, rust, check);
    let ours = median(
        || (),
        || {
            cx.argsort_by(&source, |l, r| l.lt(r))
                .expect("it ran before");
        },
    );
    row(
        "the same by a function",
        "argsort_f64",
        n,
        ours,
        rust,
        check,
    );
    Ok(())
}

fn by_key(cx: &Context, n: usize) -> Result<(), ArrayError> {
    let keys: Vec<u32> = (0..n).map(|i| (i / 10) as u32).collect();
    let x = floats(n);
    let (k, v, y) = (cx.vector(&keys)?, cx.vector(&x)?, cx.zeros::<f64>(&[n])?);
    let ours = median(
        || (),
        || {
            y.set_scan_by_key(&k, sum(&v), 0).expect("it ran before");
        },
    );
    let mut out = vec![0.0; n];
    let rust = median(
        || (),
        || {
            let (mut s, mut last) = (0.0, 0);
            for ((o, k), x) in out.iter_mut().zip(black_box(&keys)).zip(&x) {
                s = if *k == last { s + x } else { *x };
                (last, *o) = (*k, s);
            }
            black_box(&mut out);
        },
    );
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1e6);
    assert!(y.to_vec()?.iter().zip(&out).all(|(a, b)| near(*a, *b)));
    row("scan by key, f64", "none", n, ours, rust, 0.0);

    let mut found = None;
    let ours = median(
        || (),
        || {
            found = Some(cx.reduce_by_key(&k, sum(&v)).expect("it ran before"));
        },
    );
    let mut sums = Vec::new();
    let rust = median(
        || (),
        || {
            sums.clear();
            let mut last = None;
            for (k, x) in black_box(&keys).iter().zip(&x) {
                match sums.last_mut() {
                    Some(s) if last == Some(*k) => *s += x,
                    _ => sums.push(*x),
                }
                last = Some(*k);
            }
            black_box(&mut sums);
        },
    );
    let found = found.map_or(Ok(Vec::new()), |(_, s)| s.to_vec())?;
    assert!(found.iter().zip(&sums).all(|(a, b)| near(*a, *b)));
    row(
        "sums by key, f64",
        "reduce_by_key",
        n,
        ours,
        rust,
        checked(found),
    );
    Ok(())
}

fn main() -> Result<(), ArrayError> {
    let cx = Context::from_environment()?;
    println!("on {}\n", cx.place());
    if python("there", 1).is_none() {
        println!("Python has no numpy and scipy here, so that there are no figures of them\n");
    }
    println!("| work | n | us | Rust loop, us | Rust / ours | numpy, scipy, us | numpy / ours |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for n in [1 << 16, 1 << 20, 1 << 22] {
        scatters(&cx, n)?;
        sorts(&cx, n)?;
        by_key(&cx, n)?;
    }
    for side in [256, 1024, 2048] {
        let rows = five_points(side);
        sparse(
            &cx,
            "5 points of a square, rows",
            "five_points",
            &rows,
            side * side,
        )?;
    }
    for n in [1 << 16, 1 << 20] {
        sparse(
            &cx,
            "rows by a power law, rows",
            "power_law",
            &power_law(n),
            n,
        )?;
    }
    Ok(())
}
