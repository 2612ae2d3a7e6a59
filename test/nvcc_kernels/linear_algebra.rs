//! Vectors and matrices.

use super::{Arg, Case, Data, Numbers, f32s, f64s, i32s, int, size};

#[test]
fn axpy() {
    let n = 1000;
    let mut g = Numbers(1);
    let (x, y) = (g.f32s(n, -1.0, 1.0), g.f32s(n, -1.0, 1.0));
    let r = x.iter().zip(&y).map(|(x, y)| 1.5f32.mul_add(*x, *y));
    Case {
        expected: vec![(3, Data::F32(r.collect()))],
        args: vec![int(n), Arg::Float(1.5), f32s(&x, &[n]), f32s(&y, &[n])],
        ..Case::new("axpy", [n.div_ceil(256), 1, 1], [256, 1, 1])
    }
    .check();
}

#[test]
fn triad() {
    let n = size("triad", "N");
    let mut g = Numbers(2);
    let (b, c) = (g.f32s(n, -1.0, 1.0), g.f32s(n, -1.0, 1.0));
    let r = b.iter().zip(&c).map(|(b, c)| 1.5f32.mul_add(*c, *b));
    Case {
        expected: vec![(1, Data::F32(r.collect()))],
        args: vec![
            Arg::Float(1.5),
            Arg::Unwritten(4 * n, vec![n]),
            f32s(&b, &[n]),
            f32s(&c, &[n]),
        ],
        ..Case::new("triad", [n / 1024, 1, 1], [256, 1, 1])
    }
    .check();
}

#[test]
fn dot() {
    let n = 5003;
    let mut g = Numbers(3);
    let (x, y) = (g.f32s(n, 0.0, 1.0), g.f32s(n, 0.0, 1.0));
    let r: f64 = x
        .iter()
        .zip(&y)
        .map(|(x, y)| f64::from(*x) * f64::from(*y))
        .sum();
    Case {
        expected: vec![(3, Data::F32(vec![r as f32]))],
        args: vec![int(n), f32s(&x, &[n]), f32s(&y, &[n]), f32s(&[0.0], &[1])],
        tolerance: 1e-6,
        any_order: true,
        ..Case::new("dot", [3, 1, 1], [256, 1, 1])
    }
    .check();
}

#[test]
fn rowsum() {
    let (m, n) = (13, 203);
    let a = Numbers(4).f32s(m * n, -1.0, 1.0);
    let r = a
        .chunks(n)
        .map(|row| row.iter().map(|v| f64::from(*v)).sum::<f64>() as f32);
    Case {
        expected: vec![(3, Data::F32(r.collect()))],
        args: vec![
            int(m),
            int(n),
            f32s(&a, &[m, n]),
            Arg::Unwritten(4 * m, vec![m]),
        ],
        tolerance: 1e-5,
        ..Case::new("rowsum", [m.div_ceil(8), 1, 1], [256, 1, 1])
    }
    .check();
}

#[test]
fn gemv() {
    let (m, n) = (300, 150);
    let mut g = Numbers(5);
    let (a, x) = (g.f32s(m * n, -1.0, 1.0), g.f32s(m, -1.0, 1.0));
    let r = (0..n).map(|j| {
        (0..m)
            .map(|i| f64::from(a[i * n + j]) * f64::from(x[i]))
            .sum::<f64>() as f32
    });
    Case {
        expected: vec![(4, Data::F32(r.collect()))],
        args: vec![
            int(m),
            int(n),
            f32s(&a, &[m, n]),
            f32s(&x, &[m]),
            f32s(&vec![0.0; n], &[n]),
        ],
        tolerance: 1e-5,
        any_order: true,
        ..Case::new("gemv", [n.div_ceil(128), m.div_ceil(128), 1], [128, 1, 1])
    }
    .check();
}

/// The product of an `m` x `l` and an `l` x `n` matrix.
fn product(a: &[f64], b: &[f64], m: usize, n: usize, l: usize) -> Vec<f64> {
    let mut c = vec![0.0; m * n];
    for i in 0..m {
        for k in 0..l {
            for j in 0..n {
                c[i * n + j] += a[i * l + k] * b[k * n + j];
            }
        }
    }
    c
}

fn wide(v: &[f32]) -> Vec<f64> {
    v.iter().map(|x| f64::from(*x)).collect()
}

fn narrow(v: &[f64]) -> Data {
    Data::F32(v.iter().map(|x| *x as f32).collect())
}

#[test]
fn gemm_naive() {
    let (m, n, l) = (19, 45, 37);
    let mut g = Numbers(6);
    let (a, b) = (g.f32s(m * l, -1.0, 1.0), g.f32s(l * n, -1.0, 1.0));
    Case {
        expected: vec![(5, narrow(&product(&wide(&a), &wide(&b), m, n, l)))],
        args: vec![
            int(m),
            int(n),
            int(l),
            f32s(&a, &[m, l]),
            f32s(&b, &[l, n]),
            Arg::Unwritten(4 * m * n, vec![m, n]),
        ],
        tolerance: 1e-5,
        ..Case::new("gemm_naive", [n.div_ceil(32), m.div_ceil(8), 1], [32, 8, 1])
    }
    .check();
}

fn square(name: &'static str, tile: usize, block: [u32; 3]) {
    let n = size(name, "N");
    let mut g = Numbers(7);
    let (a, b) = (g.f32s(n * n, -1.0, 1.0), g.f32s(n * n, -1.0, 1.0));
    Case {
        expected: vec![(2, narrow(&product(&wide(&a), &wide(&b), n, n, n)))],
        args: vec![
            f32s(&a, &[n, n]),
            f32s(&b, &[n, n]),
            Arg::Unwritten(4 * n * n, vec![n, n]),
        ],
        tolerance: 1e-5,
        ..Case::new(name, [n / tile, n / tile, 1], block)
    }
    .check();
}

#[test]
fn gemm_tiled() {
    square("gemm_tiled", 32, [32, 32, 1]);
}

#[test]
fn gemm_block() {
    square("gemm_block", 128, [256, 1, 1]);
}

#[test]
fn gemm_f64() {
    let (m, n, l) = (128, 64, 48);
    let mut g = Numbers(8);
    let (a, b) = (g.f64s(m * l, -1.0, 1.0), g.f64s(l * n, -1.0, 1.0));
    Case {
        expected: vec![(4, Data::F64(product(&a, &b, m, n, l)))],
        args: vec![
            int(n),
            int(l),
            f64s(&a, &[m, l]),
            f64s(&b, &[l, n]),
            Arg::Unwritten(8 * m * n, vec![m, n]),
        ],
        tolerance: 1e-14,
        ..Case::new("gemm_f64", [n / 64, m / 64, 1], [16, 16, 1])
    }
    .check();
}

/// The bits of a half from a single that is one.
fn half(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = (bits >> 16) as u16 & 0x8000;
    match x == 0.0 {
        true => sign,
        false => sign | (((bits & 0x7fff_ffff) - ((127 - 15) << 23)) >> 13) as u16,
    }
}

#[test]
fn gemm_f16() {
    let n = size("gemm_f16", "N");
    let mut g = Numbers(12);
    // Quarters: no sum is rounded.
    let mut quarters = || -> Vec<f32> {
        g.i32s(n * n, -7, 8)
            .iter()
            .map(|v| *v as f32 / 4.0)
            .collect()
    };
    let (a, b) = (quarters(), quarters());
    let halves = |v: &[f32]| Data::F16(v.iter().map(|x| half(*x)).collect());
    Case {
        expected: vec![(2, narrow(&product(&wide(&a), &wide(&b), n, n, n)))],
        args: vec![
            Arg::Buffer(halves(&a), vec![n, n]),
            Arg::Buffer(halves(&b), vec![n, n]),
            Arg::Unwritten(4 * n * n, vec![n, n]),
        ],
        ..Case::new("gemm_f16", [n / 64, n / 64, 1], [128, 1, 1])
    }
    .check();
}

#[test]
fn gemm_f64_mma() {
    let n = size("gemm_f64_mma", "N");
    let mut g = Numbers(13);
    let (a, b) = (g.f64s(n * n, -1.0, 1.0), g.f64s(n * n, -1.0, 1.0));
    Case {
        expected: vec![(2, Data::F64(product(&a, &b, n, n, n)))],
        args: vec![
            f64s(&a, &[n, n]),
            f64s(&b, &[n, n]),
            Arg::Unwritten(8 * n * n, vec![n, n]),
        ],
        tolerance: 1e-13,
        ..Case::new("gemm_f64_mma", [n / 32, n / 64, 1], [128, 1, 1])
    }
    .check();
}

#[test]
fn transpose() {
    let (m, n) = (45, 70);
    let a = Numbers(9).f32s(m * n, -1.0, 1.0);
    let r = (0..n * m).map(|at| a[(at % m) * n + at / m]).collect();
    Case {
        expected: vec![(3, Data::F32(r))],
        args: vec![
            int(m),
            int(n),
            f32s(&a, &[m, n]),
            Arg::Unwritten(4 * m * n, vec![n, m]),
        ],
        ..Case::new("transpose", [n.div_ceil(32), m.div_ceil(32), 1], [32, 8, 1])
    }
    .check();
}

#[test]
fn lu_update() {
    let (n, k) = (50, 7);
    let a = Numbers(10).f64s(n * n, -1.0, 1.0);
    let mut r = a.clone();
    for i in k + 1..n {
        for j in k + 1..n {
            r[i * n + j] = (-a[i * n + k]).mul_add(a[k * n + j], a[i * n + j]);
        }
    }
    let left = n - k - 1;
    Case {
        expected: vec![(2, Data::F64(r))],
        args: vec![int(n), int(k), f64s(&a, &[n, n])],
        ..Case::new(
            "lu_update",
            [left.div_ceil(32), left.div_ceil(8), 1],
            [32, 8, 1],
        )
    }
    .check();
}

#[test]
fn spmv() {
    let n = 300;
    let mut g = Numbers(11);
    let lengths = g.i32s(n, 0, 12);
    let mut start = vec![0];
    for l in &lengths {
        start.push(start[start.len() - 1] + l);
    }
    let count = start[n] as usize;
    let column = g.i32s(count, 0, n as i32);
    let (value, x) = (g.f32s(count, -1.0, 1.0), g.f32s(n, -1.0, 1.0));
    let r = (0..n).map(|i| {
        let row = start[i] as usize..start[i + 1] as usize;
        row.map(|k| f64::from(value[k]) * f64::from(x[column[k] as usize]))
            .sum::<f64>() as f32
    });
    Case {
        expected: vec![(5, Data::F32(r.collect()))],
        args: vec![
            int(n),
            i32s(&start, &[n + 1]),
            i32s(&column, &[count]),
            f32s(&value, &[count]),
            f32s(&x, &[n]),
            Arg::Unwritten(4 * n, vec![n]),
        ],
        tolerance: 1e-5,
        ..Case::new("spmv", [n.div_ceil(128), 1, 1], [128, 1, 1])
    }
    .check();
}
