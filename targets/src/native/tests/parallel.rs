//! scf.parallel over threads.

use super::{NativeOptions, array, call, compiled_with, float, int, results};
use crate::native::ParallelBody;

/// Four threads that take turns at the iterations.
extern "C" fn threads(body: ParallelBody, env: *const u64, begin: i64, end: i64, step: i64) -> i32 {
    let env = env as usize;
    let mut status = 0;
    std::thread::scope(|s| {
        let run = |t: i64| {
            let mut first = 0;
            let mut i = begin + t * step;
            while i < end {
                let r = body(env as *const u64, i, (i + step).min(end));
                first = if first == 0 { r } else { first };
                i += 4 * step;
            }
            first
        };
        let all: Vec<_> = (0..4).map(|t| s.spawn(move || run(t))).collect();
        for t in all {
            let r = t.join().unwrap_or(-1);
            status = if status == 0 { r } else { status };
        }
    });
    status
}

fn with_threads(text: &str) -> (terrace_ir::Context, super::NativeModule) {
    let imports = [("terrace_parallel_for", threads as *const u8)];
    compiled_with(text, &NativeOptions::default(), &imports)
}

const SCALE: &str = "func.func @scale(%m: memref<?x?xf64>, %k: f64, %lo: index) {
       %c0 = arith.constant 0 : index
       %c1 = arith.constant 1 : index
       %c2 = arith.constant 2 : index
       %n = memref.dim %m, %c0 : memref<?x?xf64>
       %w = memref.dim %m, %c1 : memref<?x?xf64>
       scf.parallel (%i, %j) = (%lo, %c0) to (%n, %w) step (%c2, %c1) {
         %t = memref.alloca() : memref<1xf64>
         %v = memref.load %m[%i, %j] : memref<?x?xf64>
         %p = arith.mulf %v, %k : f64
         memref.store %p, %t[%c0] : memref<1xf64>
         scf.parallel (%z) = (%c0) to (%c1) step (%c1) {
           %q = memref.load %t[%z] : memref<1xf64>
           memref.store %q, %m[%i, %j] : memref<?x?xf64>
           scf.reduce
         }
         scf.reduce
       }
       return
     }";

#[test]
fn bodies_see_what_is_around_them() {
    for (_, m) in [
        with_threads(SCALE),
        compiled_with(SCALE, &NativeOptions::default(), &[]),
        compiled_with(
            SCALE,
            &NativeOptions {
                parallel: false,
                ..Default::default()
            },
            &[],
        ),
    ] {
        let mut v: Vec<f64> = (0..35).map(f64::from).collect();
        results(&m, "scale", &[array(&mut v, &[7, 5]), float(2.0), int(1)]);
        for (i, x) in v.iter().enumerate() {
            let by = if (i / 5) % 2 == 1 { 2.0 } else { 1.0 };
            assert_eq!(*x, i as f64 * by, "element {i}");
        }
        // An empty range.
        results(&m, "scale", &[array(&mut v, &[7, 5]), float(0.0), int(7)]);
        assert_eq!(v[34], 34.0);
    }
}

const SUM: &str = "func.func @sum(%m: memref<?xf64>, %step: index) -> (f64, f64, i64) {
       %c0 = arith.constant 0 : index
       %c1 = arith.constant 1 : index
       %c3 = arith.constant 3 : index
       %n = memref.dim %m, %c0 : memref<?xf64>
       %zero = arith.constant 100.0 : f64
       %low = arith.constant 0.5 : f64
       %none = arith.constant 0 : i64
       %one = arith.constant 1 : i64
       %r:3 = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c3) step (%step, %c1) init (%zero, %low, %none) -> (f64, f64, i64) {
         %v = memref.load %m[%i] : memref<?xf64>
         scf.reduce(%v, %v, %one : f64, f64, i64) {
         ^bb0(%a: f64, %b: f64):
           %s = arith.addf %a, %b : f64
           scf.reduce.return %s : f64
         }, {
         ^bb0(%a: f64, %b: f64):
           %s = arith.maximumf %b, %a : f64
           scf.reduce.return %s : f64
         }, {
         ^bb0(%a: i64, %b: i64):
           %s = arith.addi %a, %b : i64
           scf.reduce.return %s : i64
         }
       }
       return %r#0, %r#1, %r#2 : f64, f64, i64
     }";

#[test]
fn reductions_do_not_depend_on_threads() {
    let (_, a) = with_threads(SUM);
    let (_, b) = compiled_with(SUM, &NativeOptions::default(), &[]);
    for n in [0usize, 1, 5, 63, 64, 65, 1000] {
        for step in [1usize, 2, 7] {
            let mut v: Vec<f64> = (0..n).map(|i| 1.0 / (i as f64 + 1.0)).collect();
            let args = [array(&mut v, &[n as i64]), int(step as i128)];
            let (x, y) = (results(&a, "sum", &args), results(&b, "sum", &args));
            assert_eq!(x, y, "{n} {step}");
            let want: f64 = 100.0 + 3.0 * v.iter().step_by(step).sum::<f64>();
            let super::NativeArg::Float(sum) = x[0] else {
                panic!("not a float")
            };
            assert!((sum - want).abs() < 1e-12 * want, "{sum} {want}");
            let most = v.first().copied().unwrap_or(0.0).max(0.5);
            assert_eq!(x[1..], [float(most), int(3 * n.div_ceil(step) as i128)]);
        }
    }
}

#[test]
fn reductions_without_neutral_element_run_in_sequence() {
    let (_, m) = with_threads(
        "func.func @f(%n: index) -> i64 {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %init = arith.constant 1 : i64
           %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%init) -> i64 {
             %v = arith.index_cast %i : index to i64
             scf.reduce(%v : i64) {
             ^bb0(%a: i64, %b: i64):
               %t = arith.addi %a, %a : i64
               %s = arith.addi %t, %b : i64
               scf.reduce.return %s : i64
             }
           }
           return %r : i64
         }",
    );
    // ((1 * 2 + 0) * 2 + 1) * 2 + 2
    assert_eq!(results(&m, "f", &[int(3)]), [int(12)]);
}

#[test]
fn errors_in_threads_reach_the_caller() {
    let (ctx, m) = with_threads(
        "func.func @f(%n: index, %m: memref<?xindex>) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           scf.parallel (%i) = (%c0) to (%n) step (%c1) {
             %d = memref.load %m[%i] : memref<?xindex>
             %q = arith.divui %n, %d : index
             memref.store %q, %m[%i] : memref<?xindex>
             scf.reduce
           }
           return
         }",
    );
    let mut v = [1i64, 2, 3, 0, 5];
    let e = call(&m, "f", &[int(5), array(&mut v, &[5])]).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 6);
    assert_eq!(e.message, "'arith.divui' op division by zero");
}
