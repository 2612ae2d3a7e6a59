//! func, scf and cf.

use super::{array, call, compiled, compiled_with, float, int, results};

#[test]
fn loops_carry_values() {
    let (_, m) = compiled(
        "func.func @sum(%n: index) -> (index, index) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c3 = arith.constant 3 : index
           %a, %b = scf.for %i = %c0 to %n step %c3 iter_args(%x = %c0, %y = %c1) -> (index, index) {
             %s = arith.addi %x, %i : index
             scf.yield %s, %x : index, index
           }
           return %a, %b : index, index
         }
         func.func @edge(%lo: i8, %hi: i8, %step: i8) -> i32 {
           %c0 = arith.constant 0 : i32
           %c1 = arith.constant 1 : i32
           %r = scf.for %i = %lo to %hi step %step iter_args(%x = %c0) -> (i32) : i8 {
             %s = arith.addi %x, %c1 : i32
             scf.yield %s : i32
           }
           return %r : i32
         }
         func.func @unsigned(%lo: i8, %hi: i8) -> i32 {
           %c0 = arith.constant 0 : i32
           %c1 = arith.constant 1 : i32
           %one = arith.constant 1 : i8
           %r = scf.for unsigned %i = %lo to %hi step %one iter_args(%x = %c0) -> (i32) : i8 {
             %s = arith.addi %x, %c1 : i32
             scf.yield %s : i32
           }
           return %r : i32
         }
         func.func @odd(%lo: i5, %hi: i5, %step: i5) -> i5 {
           %c0 = arith.constant 0 : i5
           %r = scf.for %i = %lo to %hi step %step iter_args(%x = %c0) -> (i5) : i5 {
             scf.yield %i : i5
           }
           return %r : i5
         }",
    );
    // 0 + 3 + 6 + 9
    assert_eq!(results(&m, "sum", &[int(10)]), [int(18), int(9)]);
    assert_eq!(results(&m, "sum", &[int(0)]), [int(0), int(1)]);
    assert_eq!(results(&m, "sum", &[int(-5)]), [int(0), int(1)]);
    // The index would pass 127.
    assert_eq!(results(&m, "edge", &[int(0), int(127), int(100)]), [int(2)]);
    assert_eq!(
        results(&m, "edge", &[int(-128), int(127), int(127)]),
        [int(3)]
    );
    assert_eq!(results(&m, "unsigned", &[int(120), int(-120)]), [int(16)]);
    // -16, -9, -2, 5, 12
    assert_eq!(results(&m, "odd", &[int(-16), int(15), int(7)]), [int(12)]);
}

#[test]
fn a_step_of_zero_is_an_error() {
    let (ctx, m) = compiled(
        "func.func @f(%step: index) {
           %c0 = arith.constant 0 : index
           %c9 = arith.constant 9 : index
           scf.for %i = %c0 to %c9 step %step {
           }
           return
         }",
    );
    assert!(call(&m, "f", &[int(2)]).is_ok());
    let e = call(&m, "f", &[int(0)]).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 4);
    assert_eq!(e.message, "'scf.for' op loop step is not positive");
}

#[test]
fn branches_and_while() {
    let (_, m) = compiled(
        "func.func @if(%c: i1, %a: f64, %b: f64) -> f64 {
           %r = scf.if %c -> (f64) {
             %x = arith.addf %a, %b : f64
             scf.yield %x : f64
           } else {
             scf.yield %b : f64
           }
           return %r : f64
         }
         func.func @collatz(%n: i64) -> i64 {
           %c0 = arith.constant 0 : i64
           %c1 = arith.constant 1 : i64
           %c2 = arith.constant 2 : i64
           %c3 = arith.constant 3 : i64
           %r:2 = scf.while (%x = %n, %k = %c0) : (i64, i64) -> (i64, i64) {
             %go = arith.cmpi ne, %x, %c1 : i64
             scf.condition(%go) %k, %x : i64, i64
           } do {
           ^bb0(%k: i64, %x: i64):
             %bit = arith.remui %x, %c2 : i64
             %odd = arith.cmpi eq, %bit, %c1 : i64
             %next = scf.if %odd -> (i64) {
               %t = arith.muli %x, %c3 : i64
               %u = arith.addi %t, %c1 : i64
               scf.yield %u : i64
             } else {
               %h = arith.divui %x, %c2 : i64
               scf.yield %h : i64
             }
             %k1 = arith.addi %k, %c1 : i64
             scf.yield %next, %k1 : i64, i64
           }
           return %r#0 : i64
         }
         func.func @switch(%i: index) -> i32 {
           %r = scf.index_switch %i -> i32
           case -2 {
             %c = arith.constant 10 : i32
             scf.yield %c : i32
           }
           case 5 {
             %c = arith.constant 20 : i32
             scf.yield %c : i32
           }
           default {
             %c = arith.constant 30 : i32
             scf.yield %c : i32
           }
           return %r : i32
         }
         func.func @region(%c: i1) -> i32 {
           %r = scf.execute_region -> i32 {
             cf.cond_br %c, ^a, ^b
           ^a:
             %x = arith.constant 1 : i32
             scf.yield %x : i32
           ^b:
             %y = arith.constant 2 : i32
             scf.yield %y : i32
           }
           return %r : i32
         }",
    );
    assert_eq!(
        results(&m, "if", &[int(1), float(1.0), float(2.0)]),
        [float(3.0)]
    );
    assert_eq!(
        results(&m, "if", &[int(0), float(1.0), float(2.0)]),
        [float(2.0)]
    );
    assert_eq!(results(&m, "collatz", &[int(27)]), [int(111)]);
    let s = |i| results(&m, "switch", &[int(i)]);
    assert_eq!([s(-2), s(5), s(0)], [[int(10)], [int(20)], [int(30)]]);
    assert_eq!(results(&m, "region", &[int(1)]), [int(1)]);
    assert_eq!(results(&m, "region", &[int(0)]), [int(2)]);
}

#[test]
fn blocks_out_of_order() {
    let (_, m) = compiled(
        "func.func @gcd(%a: i32, %b: i32) -> i32 {
           %zero = arith.constant 0 : i32
           cf.br ^head(%a, %b : i32, i32)
         ^body:
           %r = arith.remui %x, %y : i32
           cf.br ^head(%y, %r : i32, i32)
         ^head(%x: i32, %y: i32):
           %done = arith.cmpi eq, %y, %zero : i32
           cf.cond_br %done, ^exit(%x : i32), ^body
         ^exit(%v: i32):
           return %v : i32
         }
         func.func @switch(%f: i32) -> i32 {
           %a = arith.constant 7 : i32
           %b = arith.constant 8 : i32
           cf.switch %f : i32, [
             default: ^join(%a : i32),
             3: ^join(%b : i32),
             -1: ^join(%f : i32)
           ]
         ^join(%v: i32):
           return %v : i32
         }",
    );
    assert_eq!(results(&m, "gcd", &[int(48), int(36)]), [int(12)]);
    let s = |i| results(&m, "switch", &[int(i)]);
    assert_eq!([s(3), s(-1), s(0)], [[int(8)], [int(-1)], [int(7)]]);
}

#[test]
fn calls() {
    extern "C" fn twice(x: u32, out: *mut u64) -> i32 {
        // SAFETY: the program hands over room for one result.
        unsafe { out.write(u64::from(x.wrapping_mul(2))) };
        i32::from(x == 13)
    }
    let (ctx, m) = compiled_with(
        "func.func private @twice(i32) -> i32
         func.func private @never(i32)
         func.func @fib(%n: i64) -> i64 {
           %c2 = arith.constant 2 : i64
           %small = arith.cmpi slt, %n, %c2 : i64
           %r = scf.if %small -> (i64) {
             scf.yield %n : i64
           } else {
             %c1 = arith.constant 1 : i64
             %a = arith.subi %n, %c1 : i64
             %b = arith.subi %n, %c2 : i64
             %x = func.call @fib(%a) : (i64) -> i64
             %y = func.call @fib(%b) : (i64) -> i64
             %s = arith.addi %x, %y : i64
             scf.yield %s : i64
           }
           return %r : i64
         }
         func.func @div(%a: i32, %b: i32) -> i32 {
           %q = arith.divsi %a, %b : i32
           return %q : i32
         }
         func.func @outer(%a: i32, %b: i32) -> (i32, i32) {
           %q = call @div(%a, %b) : (i32, i32) -> i32
           %t = call @twice(%q) : (i32) -> i32
           return %q, %t : i32, i32
         }
         func.func @indirect(%c: i1, %a: i32, %b: i32) -> i32 {
           %f = func.constant @div : (i32, i32) -> i32
           %r = func.call_indirect %f(%a, %b) : (i32, i32) -> i32
           return %r : i32
         }",
        &Default::default(),
        &[("twice", twice as *const u8)],
    );
    assert_eq!(results(&m, "fib", &[int(15)]), [int(610)]);
    assert_eq!(
        results(&m, "outer", &[int(40), int(-4)]),
        [int(-10), int(-20)]
    );
    assert_eq!(
        results(&m, "indirect", &[int(1), int(40), int(4)]),
        [int(10)]
    );
    // An error goes up through the calls, with the place it came from.
    let e = call(&m, "outer", &[int(1), int(0)]).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 20);
    assert_eq!(e.message, "'arith.divsi' op division by zero");
    let e = call(&m, "indirect", &[int(1), int(1), int(0)]).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 20);
    let e = call(&m, "outer", &[int(13), int(1)]).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 25);
    assert_eq!(
        e.message,
        "'func.call' op the external function returned an error"
    );
}

#[test]
fn gemm() {
    let text = "func.func @gemm(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %n = memref.dim %A, %c0 : memref<?x?xf64>
           %l = memref.dim %A, %c1 : memref<?x?xf64>
           %m = memref.dim %B, %c1 : memref<?x?xf64>
           scf.for %i = %c0 to %n step %c1 {
             scf.for %j = %c0 to %m step %c1 {
               scf.for %k = %c0 to %l step %c1 {
                 %a = memref.load %A[%i, %k] : memref<?x?xf64>
                 %b = memref.load %B[%k, %j] : memref<?x?xf64>
                 %c = memref.load %C[%i, %j] : memref<?x?xf64>
                 %p = arith.mulf %a, %b : f64
                 %s = arith.addf %c, %p : f64
                 memref.store %s, %C[%i, %j] : memref<?x?xf64>
               }
             }
           }
           return
         }";
    for options in super::all_options() {
        let (_, m) = compiled_with(text, &options, &[]);
        let (n, l, k) = (5, 7, 3);
        let mut a: Vec<f64> = (0..n * k).map(f64::from).collect();
        let mut b: Vec<f64> = (0..k * l).map(|x| f64::from(x) - 4.0).collect();
        let mut c = vec![1.0; (n * l) as usize];
        let args = [
            array(&mut a, &[n.into(), k.into()]),
            array(&mut b, &[k.into(), l.into()]),
            array(&mut c, &[n.into(), l.into()]),
        ];
        results(&m, "gemm", &args);
        for i in 0..n {
            for j in 0..l {
                let at = |v: &[f64], i: i32, j: i32, w: i32| v[(i * w + j) as usize];
                let want: f64 = 1.0
                    + (0..k)
                        .map(|x| at(&a, i, x, k) * at(&b, x, j, l))
                        .sum::<f64>();
                assert_eq!(at(&c, i, j, l), want);
            }
        }
    }
}
