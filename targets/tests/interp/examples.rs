//! The example programs, and what MLIR prints for linalg ops, against plain loops.

use crate::common::*;
use std::path::Path;
use terrace_ir::text::parser::parse_type;
use terrace_targets::interp::{Interpreter, OpClass, Value};

fn example(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read_to_string(&root).unwrap_or_else(|e| panic!("{}: {e}", root.display()))
}

/// As `@f`, whatever the file calls its function.
fn entry(text: &str, name: &str) -> String {
    text.replace(&format!("@{name}("), "@f(")
}

/// Numbers between 0 and 1 that look random.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..n).map(|_| next()).collect()
}

#[test]
fn gemm() {
    let (m, n, k) = (7usize, 5usize, 6usize);
    let (a, b, c) = (numbers(m * k, 1), numbers(k * n, 2), numbers(m * n, 3));
    let text = entry(&example("examples/gemm.mlir"), "gemm_f64");
    let ty = "memref<?x?xf64>";
    let arrays: &[(&str, &[i64], &[f64])] = &[
        (ty, &[m as i64, k as i64], &a),
        (ty, &[k as i64, n as i64], &b),
        (ty, &[m as i64, n as i64], &c),
    ];
    let out = on_arrays(&text, &[Value::F64(1.5), Value::F64(1.2)], arrays);
    for i in 0..m {
        for j in 0..n {
            let mut dot = 0.0;
            for p in 0..k {
                dot += a[i * k + p] * b[p * n + j];
            }
            assert_eq!(out[2][i * n + j], 1.5 * dot + 1.2 * c[i * n + j]);
        }
    }
}

#[test]
fn lu() {
    let n = 9usize;
    let mut a = numbers(n * n, 1);
    for i in 0..n {
        a[i * n + i] += n as f64;
    }
    let text = entry(&example("examples/lu.mlir"), "lu_f64");
    let out = on_arrays(
        &text,
        &[],
        &[("memref<?x?xf64>", &[n as i64, n as i64], &a)],
    )
    .remove(0);
    for k in 0..n {
        for i in k + 1..n {
            a[i * n + k] /= a[k * n + k];
        }
        for i in k + 1..n {
            for j in k + 1..n {
                a[i * n + j] -= a[i * n + k] * a[k * n + j];
            }
        }
    }
    assert_eq!(out, a);
}

#[test]
fn jacobi_2d() {
    let (n, steps) = (8usize, 3);
    let (mut a, mut b) = (numbers(n * n, 1), numbers(n * n, 2));
    let text = entry(&example("examples/jacobi-2d.mlir"), "jacobi_2d_f64");
    let ty = "memref<?x?xf64>";
    let shape = [n as i64, n as i64];
    let out = on_arrays(
        &text,
        &[index(steps)],
        &[(ty, &shape, &a), (ty, &shape, &b)],
    );
    let sweep = |a: &[f64], b: &mut [f64]| {
        for i in 1..n - 1 {
            for j in 1..n - 1 {
                let at = |i: usize, j: usize| a[i * n + j];
                b[i * n + j] =
                    0.2 * (at(i, j) + at(i, j - 1) + at(i, j + 1) + at(i + 1, j) + at(i - 1, j));
            }
        }
    };
    for _ in 0..steps {
        sweep(&a, &mut b);
        sweep(&b, &mut a);
    }
    assert_eq!(out, [a, b]);
}

#[test]
fn matmul_of_mlir_at_every_level() {
    let (a, b, c) = (numbers(63, 1), numbers(77, 2), numbers(99, 3));
    let round = |v: &[f64]| v.iter().map(|x| *x as f32).collect::<Vec<f32>>();
    let (a, b, c) = (round(&a), round(&b), round(&c));
    let mut want = c.clone();
    for i in 0..9 {
        for j in 0..11 {
            for k in 0..7 {
                want[i * 11 + j] += a[i * 7 + k] * b[k * 11 + j];
            }
        }
    }
    for level in ["affine", "lowered", "parallel"] {
        let text = example(&format!("test/real/matmul-{level}.mlir"));
        let (mut ctx, module) = module(&text);
        let mut ty = |t: &str| parse_type(&mut ctx, t).unwrap();
        let types = [
            ty("memref<9x7xf32>"),
            ty("memref<7x11xf32>"),
            ty("memref<9x11xf32>"),
        ];
        let mut interp = Interpreter::new(&ctx, module);
        let args = vec![
            interp.array(types[0], &[9, 7], &bytes_f32(&a)).unwrap(),
            interp.array(types[1], &[7, 11], &bytes_f32(&b)).unwrap(),
            interp.array(types[2], &[9, 11], &bytes_f32(&c)).unwrap(),
        ];
        interp
            .call("matmul", args.clone())
            .unwrap_or_else(|e| panic!("{level}: {}", e.render(&ctx)));
        assert_eq!(
            interp.read_array(&args[2]).unwrap().bytes,
            bytes_f32(&want),
            "{level}"
        );
        assert_eq!(
            interp.counters().ops(OpClass::Arith),
            2 * 9 * 11 * 7,
            "{level}"
        );
    }
}
