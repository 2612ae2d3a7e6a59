//! Reductions over blocks, functions of math, divergence.

use super::{Arg, Case, Data, Numbers, f32s, i32s, int};

#[test]
fn nbody() {
    let n = 512;
    let body = Numbers(30).f32s(4 * n, 0.0, 1.0);
    let mut r = vec![0.0; 4 * n];
    let at = |i: usize, d: usize| f64::from(body[4 * i + d]);
    for i in 0..n {
        let mut sum = [0.0; 3];
        for j in 0..n {
            let d = [0, 1, 2].map(|k| at(j, k) - at(i, k));
            let square = d.iter().map(|x| x * x).sum::<f64>() + f64::from(0.01f32);
            let f = at(j, 3) / (square * square.sqrt());
            for k in 0..3 {
                sum[k] += d[k] * f;
            }
        }
        for k in 0..3 {
            r[4 * i + k] = sum[k] as f32;
        }
    }
    Case {
        expected: vec![(2, Data::F32(r))],
        args: vec![
            int(n),
            f32s(&body, &[n, 4]),
            Arg::Unwritten(16 * n, vec![n, 4]),
        ],
        tolerance: 1e-3,
        ..Case::new("nbody", [n / 256, 1, 1], [256, 1, 1])
    }
    .check();
}

#[test]
fn histogram() {
    let n = 4001;
    let x: Vec<u8> = Numbers(31)
        .i32s(n, 0, 256)
        .iter()
        .map(|v| *v as u8)
        .collect();
    let mut r = vec![0; 256];
    for v in &x {
        r[usize::from(*v)] += 1;
    }
    Case {
        expected: vec![(2, Data::I32(r))],
        args: vec![
            int(n),
            Arg::Buffer(Data::U8(x), vec![n]),
            i32s(&[0; 256], &[256]),
        ],
        ..Case::new("histogram", [3, 1, 1], [256, 1, 1])
    }
    .check();
}

#[test]
fn scan() {
    let n = 1000;
    let x = Numbers(32).i32s(n, -100, 100);
    let blocks = n.div_ceil(256);
    let sums: Vec<i32> = x.chunks(256).map(|c| c.iter().sum()).collect();
    let prefix = |c: &[i32]| -> Vec<i32> {
        let mut sum = 0;
        let add = |v: &i32| {
            sum += v;
            sum
        };
        c.iter().map(add).collect()
    };
    let r = x.chunks(256).flat_map(prefix).collect();
    Case {
        expected: vec![(2, Data::I32(r)), (3, Data::I32(sums))],
        args: vec![
            int(n),
            i32s(&x, &[n]),
            Arg::Unwritten(4 * n, vec![n]),
            Arg::Unwritten(4 * blocks, vec![blocks]),
        ],
        ..Case::new("scan", [blocks, 1, 1], [256, 1, 1])
    }
    .check();
}

#[test]
fn softmax() {
    let m = 6;
    let x = Numbers(33).f32s(m * 1024, -5.0, 5.0);
    let row = |c: &[f32]| -> Vec<f32> {
        let e: Vec<f64> = c.iter().map(|v| f64::from(*v).exp()).collect();
        let sum: f64 = e.iter().sum();
        e.iter().map(|v| (v / sum) as f32).collect()
    };
    Case {
        expected: vec![(2, Data::F32(x.chunks(1024).flat_map(row).collect()))],
        args: vec![
            int(m),
            f32s(&x, &[m, 1024]),
            Arg::Unwritten(4096 * m, vec![m, 1024]),
        ],
        tolerance: 1e-8,
        ..Case::new("softmax", [m.div_ceil(4), 1, 1], [128, 1, 1])
    }
    .check();
}

/// The error function: its series near zero, else the continued fraction of its
/// complement.
fn erf(x: f64) -> f64 {
    let a = x.abs();
    let v = if a < 3.0 {
        let (mut term, mut sum) = (a, a);
        for n in 1..80 {
            let n = f64::from(n);
            term *= -a * a / n;
            sum += term / (2.0 * n + 1.0);
        }
        sum * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        let mut f = a;
        for k in (1..60).rev() {
            f = a + f64::from(k) / 2.0 / f;
        }
        1.0 - (-a * a).exp() / f * std::f64::consts::FRAC_2_SQRT_PI / 2.0
    };
    v.copysign(x)
}

#[test]
fn blackscholes() {
    let n = 1000;
    let mut g = Numbers(34);
    let (rate, volatility) = (0.02f32, 0.3f32);
    let spot = g.f32s(n, 5.0, 30.0);
    let strike = g.f32s(n, 1.0, 100.0);
    let years = g.f32s(n, 0.25, 10.0);
    let (mut call, mut put) = (Vec::new(), Vec::new());
    for i in 0..n {
        let [s, x, y, r, v] = [spot[i], strike[i], years[i], rate, volatility].map(f64::from);
        let vr = v * y.sqrt();
        let d1 = ((s / x).ln() + (r + 0.5 * v * v) * y) / vr;
        let normal = |d: f64| 0.5 + 0.5 * erf(d * std::f64::consts::FRAC_1_SQRT_2);
        let (n1, n2) = (normal(d1), normal(d1 - vr));
        let xd = x * (-r * y).exp();
        call.push((s * n1 - xd * n2) as f32);
        put.push((xd * (1.0 - n2) - s * (1.0 - n1)) as f32);
    }
    Case {
        expected: vec![(6, Data::F32(call)), (7, Data::F32(put))],
        args: vec![
            int(n),
            Arg::Float(rate),
            Arg::Float(volatility),
            f32s(&spot, &[n]),
            f32s(&strike, &[n]),
            f32s(&years, &[n]),
            Arg::Unwritten(4 * n, vec![n]),
            Arg::Unwritten(4 * n, vec![n]),
        ],
        tolerance: 2e-5,
        ..Case::new("blackscholes", [n.div_ceil(256), 1, 1], [256, 1, 1])
    }
    .check();
}

#[test]
fn mandelbrot() {
    let (m, n) = (21, 40);
    let delta = 2.5f32 / 20.0;
    let (x0, y0) = (-2.25f32, -1.25f32);
    let r = (0..m * n).map(|at| {
        let (cx, cy) = (x0 + (at % n) as f32 * delta, y0 + (at / n) as f32 * delta);
        let (mut x, mut y, mut k) = (0.0f32, 0.0f32, 0);
        while x * x + y * y <= 4.0 && k < 1000 {
            (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
            k += 1;
        }
        k
    });
    Case {
        expected: vec![(5, Data::I32(r.collect()))],
        args: vec![
            int(m),
            int(n),
            Arg::Float(x0),
            Arg::Float(y0),
            Arg::Float(delta),
            Arg::Unwritten(4 * m * n, vec![m, n]),
        ],
        // Rounding decides when points at the border leave.
        outliers: 0.02,
        ..Case::new("mandelbrot", [n.div_ceil(32), m.div_ceil(8), 1], [32, 8, 1])
    }
    .check();
}
