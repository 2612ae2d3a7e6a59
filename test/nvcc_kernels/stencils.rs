//! Stencils.

use super::{Arg, Case, Data, Numbers, f32s, f64s, int, size};

#[test]
fn jacobi2d() {
    let n = 43;
    let a = Numbers(20).f64s(n * n, -1.0, 1.0);
    let mut r = vec![0.0; n * n];
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            let at = i * n + j;
            r[at] = 0.2 * (a[at] + a[at - 1] + a[at + 1] + a[at + n] + a[at - n]);
        }
    }
    Case {
        expected: vec![(2, Data::F64(r))],
        args: vec![int(n), f64s(&a, &[n, n]), f64s(&vec![0.0; n * n], &[n, n])],
        ..Case::new(
            "jacobi2d",
            [(n - 2).div_ceil(32), (n - 2).div_ceil(8), 1],
            [32, 8, 1],
        )
    }
    .check();
}

#[test]
fn stencil_shared() {
    let (n, m) = (size("stencil_shared", "N"), size("stencil_shared", "M"));
    let a = Numbers(21).f32s(m * m, -1.0, 1.0);
    let mut r = vec![0.0; m * m];
    for i in 1..=n {
        for j in 1..=n {
            let at = i * m + j;
            let v = f64::from(a[at]);
            let sum: f64 = [at - m, at + m, at - 1, at + 1]
                .iter()
                .map(|i| f64::from(a[*i]))
                .sum();
            r[at] = (v + f64::from(0.1f32) * (sum - 4.0 * v)) as f32;
        }
    }
    Case {
        expected: vec![(1, Data::F32(r))],
        args: vec![f32s(&a, &[m, m]), f32s(&vec![0.0; m * m], &[m, m])],
        tolerance: 1e-6,
        ..Case::new("stencil_shared", [n / 32, n / 8, 1], [32, 8, 1])
    }
    .check();
}

#[test]
fn heat3d() {
    let n = 21;
    let a = Numbers(22).f64s(n * n * n, -1.0, 1.0);
    let mut r = vec![0.0; n * n * n];
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            for k in 1..n - 1 {
                let at = (i * n + j) * n + k;
                let along = |step: usize| 0.125 * (a[at + step] - 2.0 * a[at] + a[at - step]);
                r[at] = along(n * n) + along(n) + along(1) + a[at];
            }
        }
    }
    let inner = n - 2;
    Case {
        expected: vec![(2, Data::F64(r))],
        args: vec![
            int(n),
            f64s(&a, &[n, n, n]),
            f64s(&vec![0.0; n * n * n], &[n, n, n]),
        ],
        tolerance: 1e-15,
        ..Case::new(
            "heat3d",
            [inner.div_ceil(32), inner.div_ceil(4), inner.div_ceil(2)],
            [32, 4, 2],
        )
    }
    .check();
}

#[test]
fn himeno() {
    let [ni, nj, nk] = ["I", "J", "K"].map(|s| size("himeno", s));
    let points = ni * nj * nk;
    let mut g = Numbers(23);
    let p = g.f32s(points, 0.0, 1.0);
    let (a, b) = (g.f32s(4 * points, 0.0, 1.0), g.f32s(3 * points, 0.0, 1.0));
    let (c, w) = (g.f32s(3 * points, 0.0, 1.0), g.f32s(points, 0.0, 1.0));
    let bound = g.f32s(points, 0.0, 1.0);
    let mut r = vec![0.0; points];
    for i in 1..ni - 1 {
        for j in 1..nj - 1 {
            for k in 1..nk - 1 {
                let at = |i: usize, j: usize, k: usize| (i * nj + j) * nk + k;
                let p = |i, j, k| f64::from(p[at(i, j, k)]);
                let here = at(i, j, k);
                let of = |v: &[f32], n: usize| f64::from(v[n * points + here]);
                let mixed = |a: f64, b: f64, c: f64, d: f64| a - b - c + d;
                let s = of(&a, 0) * p(i + 1, j, k)
                    + of(&a, 1) * p(i, j + 1, k)
                    + of(&a, 2) * p(i, j, k + 1)
                    + of(&b, 0)
                        * mixed(
                            p(i + 1, j + 1, k),
                            p(i + 1, j - 1, k),
                            p(i - 1, j + 1, k),
                            p(i - 1, j - 1, k),
                        )
                    + of(&b, 1)
                        * mixed(
                            p(i, j + 1, k + 1),
                            p(i, j - 1, k + 1),
                            p(i, j + 1, k - 1),
                            p(i, j - 1, k - 1),
                        )
                    + of(&b, 2)
                        * mixed(
                            p(i + 1, j, k + 1),
                            p(i - 1, j, k + 1),
                            p(i + 1, j, k - 1),
                            p(i - 1, j, k - 1),
                        )
                    + of(&c, 0) * p(i - 1, j, k)
                    + of(&c, 1) * p(i, j - 1, k)
                    + of(&c, 2) * p(i, j, k - 1)
                    + of(&w, 0);
                let ss = (s * of(&a, 3) - p(i, j, k)) * of(&bound, 0);
                r[here] = (p(i, j, k) + f64::from(0.8f32) * ss) as f32;
            }
        }
    }
    let sizes = [ni, nj, nk];
    let many = |n| [n, ni, nj, nk];
    Case {
        expected: vec![(6, Data::F32(r))],
        args: vec![
            f32s(&p, &sizes),
            f32s(&a, &many(4)),
            f32s(&b, &many(3)),
            f32s(&c, &many(3)),
            f32s(&w, &sizes),
            f32s(&bound, &sizes),
            f32s(&vec![0.0; points], &sizes),
        ],
        tolerance: 1e-5,
        ..Case::new(
            "himeno",
            [(nk - 2).div_ceil(64), (nj - 2).div_ceil(4), ni - 2],
            [64, 4, 1],
        )
    }
    .check();
}

#[test]
fn conv5x5() {
    let (m, n) = (21, 37);
    let mut g = Numbers(24);
    let image = g.f32s((m + 4) * (n + 4), -1.0, 1.0);
    let w = g.f32s(25, -1.0, 1.0);
    let r = (0..m * n).map(|at| {
        let (i, j) = (at / n, at % n);
        let one = |t: usize| f64::from(image[(i + t / 5) * (n + 4) + j + t % 5]) * f64::from(w[t]);
        (0..25).map(one).sum::<f64>() as f32
    });
    Case {
        expected: vec![(4, Data::F32(r.collect()))],
        args: vec![
            int(m),
            int(n),
            f32s(&image, &[m + 4, n + 4]),
            f32s(&w, &[5, 5]),
            Arg::Unwritten(4 * m * n, vec![m, n]),
        ],
        tolerance: 1e-5,
        ..Case::new("conv5x5", [n.div_ceil(32), m.div_ceil(8), 1], [32, 8, 1])
    }
    .check();
}
