//! Vectors: every op gives in each lane what it gives on scalars.

use super::{all_options, array, call, compile_errors, compiled_with, int, results};
use crate::native::NativeOptions;

/// Numbers with all there is to get wrong: signs, infinities, NaN, values that wrap.
fn floats() -> Vec<f64> {
    let mut all = vec![
        0.0,
        -0.0,
        1.5,
        -2.25,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-310,
    ];
    all.extend((0..24).map(|i| f64::from(i * i) / 7.0 - 11.0));
    all
}

/// `op` over two arrays of 32 elements, by vectors of so many lanes and one by one.
fn both(op: &str, ty: &str, lanes: usize) -> String {
    let unary = matches!(
        op,
        "arith.negf"
            | "math.sqrt"
            | "math.absf"
            | "math.absi"
            | "math.floor"
            | "math.ceil"
            | "math.trunc"
    );
    let operands = |x: &str, y: &str| {
        if unary {
            x.to_string()
        } else {
            format!("{x}, {y}")
        }
    };
    let (by_vector, by_scalar) = (operands("%x", "%y"), operands("%s", "%t"));
    format!(
        "func.func @f(%a: memref<32x{ty}>, %b: memref<32x{ty}>, %c: memref<32x{ty}>, %d: memref<32x{ty}>) {{
           %c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %n = arith.constant 32 : index
           %step = arith.constant {lanes} : index
           scf.for %i = %c0 to %n step %step {{
             %x = vector.load %a[%i] : memref<32x{ty}>, vector<{lanes}x{ty}>
             %y = vector.load %b[%i] : memref<32x{ty}>, vector<{lanes}x{ty}>
             %z = {op} {by_vector} : vector<{lanes}x{ty}>
             vector.store %z, %c[%i] : memref<32x{ty}>, vector<{lanes}x{ty}>
           }}
           scf.for %i = %c0 to %n step %c1 {{
             %s = memref.load %a[%i] : memref<32x{ty}>
             %t = memref.load %b[%i] : memref<32x{ty}>
             %u = {op} {by_scalar} : {ty}
             memref.store %u, %d[%i] : memref<32x{ty}>
           }}
           return
         }}"
    )
}

/// Runs `text` on two arrays under all options; the two results that it leaves.
fn run<T: Copy + Default + PartialEq + std::fmt::Debug>(
    text: &str,
    a: &[T],
    b: &[T],
) -> Vec<[Vec<T>; 2]> {
    let each = |o: NativeOptions| {
        let (_, m) = compiled_with(text, &o, &[]);
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        let (mut c, mut d) = (vec![T::default(); a.len()], vec![T::default(); a.len()]);
        let n = [a.len() as i64];
        let args = [
            array(&mut a, &n),
            array(&mut b, &n),
            array(&mut c, &n),
            array(&mut d, &n),
        ];
        results(&m, "f", &args);
        [c, d]
    };
    all_options().into_iter().map(each).collect()
}

const FLOAT_OPS: [&str; 14] = [
    "arith.maxnumf",
    "arith.minnumf",
    "arith.addf",
    "arith.subf",
    "arith.mulf",
    "arith.divf",
    "arith.negf",
    "arith.maximumf",
    "arith.minimumf",
    "math.sqrt",
    "math.absf",
    "math.floor",
    "math.ceil",
    "math.trunc",
];

const INT_OPS: [&str; 11] = [
    "math.absi",
    "arith.addi",
    "arith.subi",
    "arith.muli",
    "arith.andi",
    "arith.ori",
    "arith.xori",
    "arith.maxsi",
    "arith.minsi",
    "arith.maxui",
    "arith.minui",
];

#[test]
fn floats_by_lanes_are_those_one_by_one() {
    let a = floats();
    let b: Vec<f64> = a.iter().rev().copied().collect();
    for op in FLOAT_OPS {
        let in_all = [2, 4, 8].map(|lanes| run(&both(op, "f64", lanes), &a, &b));
        for [c, d] in in_all.into_iter().flatten() {
            for (x, y) in c.iter().zip(&d) {
                assert!(
                    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(),
                    "{op}: {c:?} {d:?}"
                );
            }
        }
        let narrow = |v: &[f64]| -> Vec<f32> { v.iter().map(|x| *x as f32).collect() };
        let in_all = [4, 16].map(|lanes| run(&both(op, "f32", lanes), &narrow(&a), &narrow(&b)));
        for [c, d] in in_all.into_iter().flatten() {
            for (x, y) in c.iter().zip(&d) {
                assert!(
                    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan(),
                    "{op}: {c:?} {d:?}"
                );
            }
        }
    }
}

#[test]
fn integers_by_lanes_are_those_one_by_one() {
    // Multiples of a large odd number have all bits.
    let a: Vec<i64> = (0..32)
        .map(|i: i64| i.wrapping_mul(0x9E37_79B9_7F4A_7C15u64 as i64))
        .collect();
    let b: Vec<i64> = a.iter().rev().map(|x| x.wrapping_mul(31)).collect();
    macro_rules! check {
        ($ty:ty, $text:literal, $lanes:literal) => {
            let narrow = |v: &[i64]| -> Vec<$ty> { v.iter().map(|x| (*x >> 5) as $ty).collect() };
            for op in INT_OPS {
                for lanes in [$lanes, 2 * $lanes] {
                    for [c, d] in run(&both(op, $text, lanes), &narrow(&a), &narrow(&b)) {
                        assert_eq!(c, d, "{op} of {lanes} {}", $text);
                    }
                }
            }
        };
    }
    check!(i64, "i64", 2);
    check!(i32, "i32", 4);
    check!(i16, "i16", 8);
    check!(i8, "i8", 16);
}

#[test]
fn comparisons_choose_by_lane() {
    let a = floats();
    let b: Vec<f64> = a.iter().rev().copied().collect();
    for p in [
        "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une",
        "uno",
    ] {
        let text = both("arith.addf", "f64", 2)
            .replace(
                "%z = arith.addf %x, %y : vector<2xf64>",
                &format!(
                    "%m = arith.cmpf {p}, %x, %y : vector<2xf64>
                 %z = arith.select %m, %x, %y : vector<2xi1>, vector<2xf64>"
                ),
            )
            .replace(
                "%u = arith.addf %s, %t : f64",
                &format!(
                    "%m = arith.cmpf {p}, %s, %t : f64
                 %u = arith.select %m, %s, %t : f64"
                ),
            );
        for [c, d] in run(&text, &a, &b) {
            let bits = |v: &[f64]| -> Vec<u64> { v.iter().map(|x| x.to_bits()).collect() };
            assert_eq!(bits(&c), bits(&d), "{p}");
        }
    }
    let a: Vec<i32> = (0..32).map(|i| (i * 7919) % 23 - 11).collect();
    let b: Vec<i32> = a.iter().rev().copied().collect();
    for p in [
        "eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
    ] {
        let text = both("arith.addi", "i32", 4)
            .replace(
                "%z = arith.addi %x, %y : vector<4xi32>",
                &format!(
                    "%m = arith.cmpi {p}, %x, %y : vector<4xi32>
                 %z = arith.select %m, %x, %y : vector<4xi1>, vector<4xi32>"
                ),
            )
            .replace(
                "%u = arith.addi %s, %t : i32",
                &format!(
                    "%m = arith.cmpi {p}, %s, %t : i32
                 %u = arith.select %m, %s, %t : i32"
                ),
            );
        for [c, d] in run(&text, &a, &b) {
            assert_eq!(c, d, "{p}");
        }
    }
}

/// A sum by lanes, carried by a loop, which threads share; a broadcast from outside; constants.
#[test]
fn vectors_are_carried_broadcast_and_captured() {
    let text = "func.func @f(%a: memref<8x32xf32>, %s: f32, %out: memref<8xf32>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c8 = arith.constant 8 : index
        %n = arith.constant 32 : index
        %zero = arith.constant dense<0.0> : vector<4xf32>
        %ramp = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
        %scale = vector.broadcast %s : f32 to vector<4xf32>
        %first = arith.constant 0.5 : f32
        %pad = arith.constant 0.0 : f32
        scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
          %sum = scf.for %j = %c0 to %n step %c4 iter_args(%acc = %zero) -> (vector<4xf32>) {
            %x = vector.transfer_read %a[%i, %j], %pad {in_bounds = [true]} : memref<8x32xf32>, vector<4xf32>
            %y = arith.mulf %x, %scale : vector<4xf32>
            %z = arith.mulf %y, %ramp : vector<4xf32>
            %next = arith.addf %acc, %z : vector<4xf32>
            scf.yield %next : vector<4xf32>
          }
          %total = vector.reduction <add>, %sum, %first : vector<4xf32> into f32
          memref.store %total, %out[%i] : memref<8xf32>
        }
        return
      }";
    for o in all_options() {
        let (_, m) = compiled_with(text, &o, &[]);
        let mut a: Vec<f32> = (0..256).map(|i| (i % 17) as f32).collect();
        let mut out = vec![0.0f32; 8];
        let want: Vec<f32> = a
            .chunks(32)
            .map(|row| {
                0.5 + row
                    .iter()
                    .enumerate()
                    .map(|(j, x)| 2.0 * x * (j % 4 + 1) as f32)
                    .sum::<f32>()
            })
            .collect();
        let args = [
            array(&mut a, &[8, 32]),
            super::float(2.0),
            array(&mut out, &[8]),
        ];
        results(&m, "f", &args);
        assert_eq!(out, want);
    }
}

#[test]
fn a_vector_past_the_end_of_an_array_stops_the_program() {
    let text = "func.func @f(%a: memref<?xf64>, %i: index) {
        %x = vector.load %a[%i] : memref<?xf64>, vector<2xf64>
        vector.store %x, %a[%i] : memref<?xf64>, vector<2xf64>
        return
      }";
    let o = NativeOptions {
        bounds_checks: true,
        ..NativeOptions::default()
    };
    let (_, m) = compiled_with(text, &o, &[]);
    let mut a = [1.0f64, 2.0, 3.0];
    for (i, fits) in [(-1, false), (0, true), (1, true), (2, false), (3, false)] {
        let done = call(&m, "f", &[array(&mut a, &[3]), int(i)]);
        assert_eq!(done.is_ok(), fits, "{i}: {done:?}");
    }
}

#[test]
fn what_registers_do_not_hold_is_refused() {
    let one = |body: &str| {
        let text =
            format!("func.func @f(%a: memref<64xf32>, %i: index, %c: i1) {{\n{body}\nreturn\n}}");
        let errors = compile_errors(&text);
        assert!(!errors.is_empty(), "{body}");
        errors[0].1.clone()
    };
    for (body, want) in [
        (
            "%x = vector.load %a[%i] : memref<64xf32>, vector<6xf32>",
            "'vector.load' op has the type 'vector<6xf32>'; native code has vectors of 16 bytes, \
             or of several times as many up to 256; split it into such",
        ),
        (
            "%x = arith.constant dense<1.0> : vector<2x2xf32>",
            "'arith.constant' op has the type 'vector<2x2xf32>'; native code has vectors of one \
             dimension and a fixed size",
        ),
        (
            "%x = vector.load %a[%i] : memref<64xf32>, vector<128xf32>",
            "'vector.load' op has the type 'vector<128xf32>'; native code has vectors of 16 \
             bytes, or of several times as many up to 256; split it into such",
        ),
        (
            "%x = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>\n\
             %y = arith.shli %x, %x : vector<4xi32>",
            "'arith.shli' op shifts each lane by another number; lower vector ops to scalar ones \
             first",
        ),
        (
            "%x = arith.constant dense<1> : vector<4xi32>\n\
             %m = arith.cmpi eq, %x, %x : vector<4xi32>\n\
             %y = scf.if %c -> (vector<4xi1>) {\nscf.yield %m : vector<4xi1>\n} else {\n\
             scf.yield %m : vector<4xi1>\n}",
            "'scf.if' op carries a vector of truth values, which does not leave its block; carry \
             numbers and compare them there",
        ),
        (
            "%x = arith.constant dense<1> : vector<4xi32>\n\
             %m = arith.cmpi eq, %x, %x : vector<4xi32>\n\
             cf.br ^end(%m : vector<4xi1>)\n^end(%n: vector<4xi1>):",
            "'func.func' op carries a vector of truth values, which does not leave its block; \
             carry numbers and compare them there",
        ),
        (
            "%x = arith.constant dense<1> : vector<4xi32>\n%y = arith.divsi %x, %x : vector<4xi32>",
            "'arith.divsi' op has no native code on vectors; lower vector ops to scalar ones first",
        ),
        (
            "%x = arith.constant dense<1> : vector<4xi32>\n\
             %m = arith.cmpi eq, %x, %x : vector<4xi32>\n\
             %y = arith.addi %m, %m : vector<4xi1>",
            "'arith.addi' op has no native code on vectors; lower vector ops to scalar ones first",
        ),
        (
            "%x = arith.constant dense<1> : vector<4xi32>\n\
             %m = arith.cmpi eq, %x, %x : vector<4xi32>\n\
             %y = vector.reduction <xor>, %m : vector<4xi1> into i1",
            "'vector.reduction' op has no native code; lower vector ops to scalar ones first",
        ),
        (
            "%x = arith.constant dense<1> : vector<4xi32>\n%y = vector.shape_cast %x : vector<4xi32> to vector<2x2xi32>",
            "'vector.shape_cast' op has no native code; lower vector ops to scalar ones first",
        ),
    ] {
        assert_eq!(one(body), want);
    }
}
