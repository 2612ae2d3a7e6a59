//! `affine`.

use crate::common::*;
use terrace_ir::text::parser::parse_type;
use terrace_targets::interp::{Interpreter, Value};

#[test]
fn loops_with_bounds_steps_and_carried_values() {
    let text = "func.func @f(%n: index, %k: index) -> (index, index) {
      %z = arith.constant 0 : index
      %s = affine.for %i = max affine_map<(d0) -> (d0 - 2, 1)>(%k) to min affine_map<()[s0] -> (s0, 20)>()[%n] step 3 iter_args(%a = %z) -> (index) {
        %b = arith.addi %a, %i : index
        affine.yield %b : index
      }
      %t = affine.for %i = 0 to 4 iter_args(%a = %z) -> (index) {
        %u = affine.for %j = affine_map<(d0) -> (d0)>(%i) to 4 iter_args(%b = %a) -> (index) {
          %c = affine.apply affine_map<(d0, d1)[s0] -> (d0 * 10 + d1 + s0 floordiv 2)>(%i, %j)[%k]
          %d = arith.addi %b, %c : index
          affine.yield %d : index
        }
        affine.yield %u : index
      }
      return %s, %t : index, index
    }";
    // 3 + 6 + 9; and over i <= j < 4: 10i + j + 2.
    let t: i64 = (0..4)
        .flat_map(|i| (i..4).map(move |j| 10 * i + j + 2))
        .sum();
    assert_eq!(
        run(text, &[index(12), index(5)]),
        [index(3 + 6 + 9), index(t)]
    );
}

#[test]
fn divisions_round_as_affine_ones_do() {
    let text = "func.func @f(%n: index) -> (index, index, index, index, index) {
      %a = affine.apply affine_map<(d0) -> (d0 floordiv 3)>(%n)
      %b = affine.apply affine_map<(d0) -> (d0 ceildiv 3)>(%n)
      %c = affine.apply affine_map<(d0) -> (d0 mod 3)>(%n)
      %d = affine.min affine_map<(d0) -> (d0, 5, d0 * 2)>(%n)
      %e = affine.max affine_map<(d0) -> (d0, 5, d0 * 2)>(%n)
      return %a, %b, %c, %d, %e : index, index, index, index, index
    }";
    assert_eq!(run(text, &[index(-7)]), [-3, -2, 2, -14, 5].map(index));
    assert_eq!(run(text, &[index(7)]), [2, 3, 1, 5, 14].map(index));
    let overflow = "func.func @f(%n: index) -> index {
      %a = affine.apply affine_map<(d0) -> (d0 * 4 + 1)>(%n)
      return %a : index
    }";
    assert_eq!(
        fails(overflow, &[index(i64::MAX / 2)]),
        "2: an affine expression overflows 64 bits"
    );
    let zero = "func.func @f(%n: index) -> index {
      %a = affine.apply affine_map<()[s0] -> (10 floordiv s0)>()[%n]
      return %a : index
    }";
    assert_eq!(
        fails(zero, &[index(0)]),
        "2: '10 floordiv s0' has no value here: it overflows, divides by zero, or takes a remainder by what is not positive"
    );
}

#[test]
fn conditions() {
    let text = "func.func @f(%i: index, %n: index) -> i32 {
      %r = affine.if affine_set<(d0)[s0] : (d0 - 2 >= 0, s0 - d0 == 0)>(%i)[%n] -> i32 {
        %a = arith.constant 1 : i32
        affine.yield %a : i32
      } else {
        %a = arith.constant 2 : i32
        affine.yield %a : i32
      }
      affine.if affine_set<(d0) : (d0 - 100 >= 0)>(%i) {
        %f = arith.constant false
        cf.assert %f, \"reached\"
      }
      return %r : i32
    }";
    assert_eq!(run(text, &[index(3), index(3)]), [i32v(1)]);
    assert_eq!(run(text, &[index(1), index(1)]), [i32v(2)]);
    assert_eq!(run(text, &[index(3), index(4)]), [i32v(2)]);
    assert!(fails(text, &[index(100), index(4)]).ends_with("assertion failed: reached"));
}

#[test]
fn scopes() {
    let text = "func.func @f(%m: index) -> index {
      %zero = arith.constant 0 : index
      %0 = affine.for %i = 0 to %m iter_args(%s = %zero) -> index {
        %n = arith.muli %i, %i : index
        %1 = affine.scope -> index {
          %2 = affine.for %j = 0 to %n iter_args(%t = %s) -> index {
            %3 = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%j)[%n]
            %4 = arith.addi %t, %3 : index
            affine.yield %4 : index
          }
          affine.yield %2 : index
        }
        affine.yield %1 : index
      }
      return %0 : index
    }";
    // One iteration with 1, and 4 to 7 in four.
    assert_eq!(run(text, &[index(3)]), [index(23)]);
    assert_eq!(run(text, &[index(0)]), [index(0)]);
}

#[test]
fn parallel_loops_with_reductions() {
    let text = "func.func @f(%n: index) -> (f64, i32, f64) {
      %r:3 = affine.parallel (%i, %j) = (0, 1) to (min(%n, 4), 6) step (1, 2) reduce (\"addf\", \"addi\", \"maximumf\") -> (f64, i32, f64) {
        %k = affine.apply affine_map<(d0, d1) -> (d0 * 10 + d1)>(%i, %j)
        %v = arith.index_cast %k : index to i32
        %w = arith.sitofp %v : i32 to f64
        affine.yield %w, %v, %w : f64, i32, f64
      }
      return %r#0, %r#1, %r#2 : f64, i32, f64
    }";
    let sum: i64 = (0..4).flat_map(|i| [1, 3, 5].map(|j| 10 * i + j)).sum();
    assert_eq!(
        run(text, &[index(9)]),
        [Value::F64(sum as f64), i32v(sum as i32), Value::F64(35.0)]
    );
    assert_eq!(
        run(text, &[index(0)]),
        [Value::F64(0.0), i32v(0), Value::F64(f64::NEG_INFINITY)]
    );
}

#[test]
fn accesses_vectors_and_transfers() {
    let text = "func.func @f(%m: memref<4x8xf64>, %out: memref<4x8xf64>) {
      affine.for %i = 0 to 4 {
        %v = affine.vector_load %m[%i, 4] : memref<4x8xf64>, vector<4xf64>
        %w = arith.addf %v, %v : vector<4xf64>
        affine.vector_store %w, %out[%i, 0] : memref<4x8xf64>, vector<4xf64>
        affine.for %j = 4 to 8 {
          affine.prefetch %m[%i, %j], read, locality<3>, data : memref<4x8xf64>
          %x = affine.load %m[-%i + 3, %j] : memref<4x8xf64>
          affine.store %x, %out[%i, -%j + 11] : memref<4x8xf64>
        }
      }
      return
    }";
    let data: Vec<f64> = (0..32).map(f64::from).collect();
    let arrays: &[(&str, &[i64], &[f64])] = &[
        ("memref<4x8xf64>", &[4, 8], &data),
        ("memref<4x8xf64>", &[4, 8], &[0.0; 32]),
    ];
    let out = &on_arrays(text, &[], arrays)[1];
    for i in 0..4 {
        for j in 0..4 {
            assert_eq!(out[i * 8 + j], 2.0 * (i * 8 + 4 + j) as f64);
            assert_eq!(out[i * 8 + 7 - j], ((3 - i) * 8 + 4 + j) as f64);
        }
    }
    let outside = "func.func @f(%i: index) {
      %m = memref.alloc() : memref<4x8xf64>
      %x = affine.load %m[symbol(%i), 7] : memref<4x8xf64>
      return
    }";
    assert_eq!(
        fails(outside, &[index(4)]),
        "3: index 4 is out of bounds for dimension 0 of size 4"
    );
}

#[test]
fn linear_indices() {
    let text = "func.func @f(%i: index, %n: index) -> (index, index, index, index, index) {
      %r:3 = affine.delinearize_index %i into (2, %n, 5) : index, index, index
      %q:2 = affine.delinearize_index %i into (5) : index, index
      %l = affine.linearize_index [%r#0, %r#1, %r#2] by (2, %n, 5) : index
      return %r#0, %r#1, %r#2, %q#0, %l : index, index, index, index, index
    }";
    assert_eq!(
        run(text, &[index(38), index(4)]),
        [1, 3, 3, 7, 38].map(index)
    );
    let disjoint = "func.func @f(%i: index) -> index {
      %l = affine.linearize_index disjoint [%i, %i] by (9, 5) : index
      return %l : index
    }";
    assert_eq!(run(disjoint, &[index(4)]), [index(24)]);
    assert_eq!(
        fails(disjoint, &[index(7)]),
        "2: index 7 is not below 5, which the op promises (disjoint)"
    );
}

#[test]
fn deep_nests_do_not_use_native_stack() {
    let depth = 200;
    let mut text =
        String::from("func.func @f(%m: memref<i64>) -> i64 {\n%one = arith.constant 1 : i64\n");
    for d in 0..depth {
        text.push_str(&format!(
            "affine.for %i{d} = 0 to {} {{\n",
            if d % 20 == 0 { 2 } else { 1 }
        ));
    }
    text.push_str("%x = affine.load %m[] : memref<i64>\n%y = arith.addi %x, %one : i64\naffine.store %y, %m[] : memref<i64>\n");
    text.push_str(&"}\n".repeat(depth));
    text.push_str("%r = affine.load %m[] : memref<i64>\nreturn %r : i64\n}");
    let (mut ctx, module) = module(&text);
    let ty = parse_type(&mut ctx, "memref<i64>").unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let m = interp.array(ty, &[], &[0; 8]).unwrap();
    assert_eq!(interp.call("f", vec![m]), Ok(vec![i64v(1024)]));
}
