//! `func`, `cf`, `scf`, and the limits of a run.

use crate::common::*;
use terrace_ir::text::parser::parse_type;
use terrace_targets::interp::{Config, InterpError, Interpreter, OpClass, Value};

#[test]
fn calls_recursion_and_function_values() {
    let text = "
    func.func @fib(%n: i64) -> i64 {
      %c1 = arith.constant 1 : i64
      %c2 = arith.constant 2 : i64
      %small = arith.cmpi slt, %n, %c2 : i64
      cf.cond_br %small, ^done(%n : i64), ^more
    ^more:
      %a = arith.subi %n, %c1 : i64
      %b = arith.subi %n, %c2 : i64
      %x = func.call @fib(%a) : (i64) -> i64
      %y = func.call @fib(%b) : (i64) -> i64
      %s = arith.addi %x, %y : i64
      cf.br ^done(%s : i64)
    ^done(%r: i64):
      return %r : i64
    }
    func.func @swap(%a: i64, %b: i64) -> (i64, i64) { return %b, %a : i64, i64 }
    func.func @f(%n: i64) -> (i64, i64) {
      %fn = func.constant @fib : (i64) -> i64
      %x = func.call_indirect %fn(%n) : (i64) -> i64
      %r:2 = func.call @swap(%n, %x) : (i64, i64) -> (i64, i64)
      return %r#0, %r#1 : i64, i64
    }";
    assert_eq!(run(text, &[i64v(20)]), [i64v(6765), i64v(20)]);
}

#[test]
fn deep_recursion_is_refused_with_a_trace_not_a_crash() {
    let text = "func.func @f(%n: i64) -> i64 {
      %r = func.call @f(%n) : (i64) -> i64
      return %r : i64
    }";
    let (message, error) = fails_with(
        text,
        &[i64v(0)],
        Config {
            max_depth: 100_000,
            ..Config::default()
        },
    );
    assert_eq!(message, "2: calls nest deeper than 100000");
    assert_eq!(error.trace[0].1, "called from @f");
    assert!(error.trace.last().unwrap().1.starts_with("and "));
}

#[test]
fn steps_are_limited() {
    let text = "func.func @f() {
      cf.br ^loop
    ^loop:
      cf.br ^loop
    }";
    let (message, _) = fails_with(
        text,
        &[],
        Config {
            max_steps: 1000,
            ..Config::default()
        },
    );
    assert_eq!(message, "4: the limit of 1000 steps is reached");
}

#[test]
fn branches_switches_and_assertions() {
    let text = "func.func @f(%n: i32) -> i32 {
      %c7 = arith.constant 7 : i32
      cf.switch %n : i32, [
        default: ^a(%n : i32),
        -1: ^a(%c7 : i32),
        5: ^b
      ]
    ^a(%x: i32):
      return %x : i32
    ^b:
      %c0 = arith.constant 0 : i32
      %t = arith.cmpi eq, %c0, %n : i32
      cf.assert %t, \"n is zero\"
      return %c0 : i32
    }";
    assert_eq!(run(text, &[i32v(3)]), [i32v(3)]);
    assert_eq!(run(text, &[i32v(-1)]), [i32v(7)]);
    assert_eq!(fails(text, &[i32v(5)]), "13: assertion failed: n is zero");
}

#[test]
fn blocks_can_swap_their_arguments() {
    let text = "func.func @f(%n: index) -> (i32, i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %a = arith.constant 10 : i32
      %b = arith.constant 20 : i32
      cf.br ^head(%c0, %a, %b : index, i32, i32)
    ^head(%i: index, %x: i32, %y: i32):
      %go = arith.cmpi slt, %i, %n : index
      cf.cond_br %go, ^body, ^end
    ^body:
      %j = arith.addi %i, %c1 : index
      cf.br ^head(%j, %y, %x : index, i32, i32)
    ^end:
      return %x, %y : i32, i32
    }";
    assert_eq!(run(text, &[index(3)]), [i32v(20), i32v(10)]);
}

#[test]
fn loops_of_scf() {
    let text = "func.func @f(%n: index) -> (i32, i64, index) {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %z = arith.constant 0 : i32
      %sum = scf.for %i = %c0 to %n step %c2 iter_args(%s = %z) -> (i32) {
        %k = arith.index_cast %i : index to i32
        %t = arith.addi %s, %k : i32
        scf.yield %t : i32
      }
      %one = arith.constant 1 : i64
      %limit = arith.constant 100 : i64
      %w = scf.while (%v = %one) : (i64) -> i64 {
        %go = arith.cmpi slt, %v, %limit : i64
        scf.condition(%go) %v : i64
      } do {
      ^bb0(%v: i64):
        %d = arith.addi %v, %v : i64
        scf.yield %d : i64
      }
      %big = arith.cmpi sgt, %n, %c2 : index
      %r = scf.if %big -> (index) {
        scf.yield %n : index
      } else {
        scf.yield %c0 : index
      }
      return %sum, %w, %r : i32, i64, index
    }";
    assert_eq!(run(text, &[index(9)]), [i32v(20), i64v(128), index(9)]);
    assert_eq!(run(text, &[index(-9)]), [i32v(0), i64v(128), index(0)]);
    let step = "func.func @f(%s: index) {
      %c0 = arith.constant 0 : index
      scf.for %i = %c0 to %c0 step %s {
      }
      return
    }";
    assert_eq!(
        fails(step, &[index(0)]),
        "3: the step of the loop must be positive, but is 0"
    );
}

#[test]
fn loops_end_where_the_variable_would_overflow() {
    let text = "func.func @f() -> i32 {
      %a = arith.constant 120 : i8
      %b = arith.constant 127 : i8
      %s = arith.constant 5 : i8
      %z = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %n = scf.for %i = %a to %b step %s iter_args(%k = %z) -> (i32) : i8 {
        %m = arith.addi %k, %one : i32
        scf.yield %m : i32
      }
      return %n : i32
    }";
    assert_eq!(run(text, &[]), [i32v(2)]);
    let unsigned = text
        .replace("scf.for %i", "scf.for unsigned %i")
        .replace("127", "255");
    assert_eq!(run(&unsigned, &[]), [i32v(27)]);
}

#[test]
fn parallel_loops_reduce_in_order() {
    let text = "func.func @f(%n: index) -> (f64, i32) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %x = arith.constant 100.0 : f64
      %y = arith.constant 1 : i32
      %r:2 = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) init (%x, %y) -> (f64, i32) {
        %k = arith.addi %i, %j : index
        %v = arith.index_cast %k : index to i32
        %w = arith.sitofp %v : i32 to f64
        %u = arith.addi %v, %y : i32
        scf.reduce(%w, %u : f64, i32) {
        ^bb0(%a: f64, %b: f64):
          %s = arith.subf %a, %b : f64
          scf.reduce.return %s : f64
        }, {
        ^bb0(%a: i32, %b: i32):
          %s = arith.muli %a, %b : i32
          scf.reduce.return %s : i32
        }
      }
      return %r#0, %r#1 : f64, i32
    }";
    // The sum of i + j over 3x3 is 18; the product of 1 + i + j is 1*2*3 * 2*3*4 * 3*4*5.
    assert_eq!(
        run(text, &[index(3)]),
        [Value::F64(82.0), i32v(6 * 24 * 60)]
    );
    assert_eq!(run(text, &[index(0)]), [Value::F64(100.0), i32v(1)]);
}

#[test]
fn forall_index_switch_and_execute_region() {
    let text = "func.func @f(%n: index, %m: memref<2x3xindex>) -> (i32, i32) {
      scf.forall (%i, %j) in (2, 3) {
        %v = arith.muli %i, %n : index
        %w = arith.addi %v, %j : index
        memref.store %w, %m[%i, %j] : memref<2x3xindex>
      }
      %r = scf.index_switch %n -> i32
      case 2 {
        %c = arith.constant 20 : i32
        scf.yield %c : i32
      }
      case 10 {
        %c = arith.constant 100 : i32
        scf.yield %c : i32
      }
      default {
        %c = arith.constant -1 : i32
        scf.yield %c : i32
      }
      %e = scf.execute_region -> i32 {
        %c5 = arith.constant 5 : index
        %t = arith.cmpi slt, %n, %c5 : index
        cf.cond_br %t, ^a, ^b
      ^a:
        %one = arith.constant 1 : i32
        scf.yield %one : i32
      ^b:
        %two = arith.constant 2 : i32
        scf.yield %two : i32
      }
      return %r, %e : i32, i32
    }";
    let (mut ctx, module) = module(text);
    let ty = parse_type(&mut ctx, "memref<2x3xindex>").unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let m = interp.unwritten_array(ty, &[2, 3]).unwrap();
    for (n, want) in [(10, [100, 2]), (2, [20, 1]), (3, [-1, 1])] {
        assert_eq!(
            interp.call("f", vec![index(n), m.clone()]).unwrap(),
            want.map(i32v)
        );
        let out = interp.read_array(&m).unwrap();
        let got: Vec<i64> = out
            .bytes
            .chunks(8)
            .map(|b| i64::from_le_bytes(b.try_into().unwrap()))
            .collect();
        assert_eq!((got, out.unwritten), (vec![0, 1, 2, n, n + 1, n + 2], 0));
    }
}

#[test]
fn arguments_must_fit_the_function() {
    let text = "func.func @f(%n: i32) { return }";
    let (ctx, module) = module(text);
    let mut interp = Interpreter::new(&ctx, module);
    let message = |r: Result<Vec<Value>, _>| match r {
        Ok(_) => panic!("accepted"),
        Err(InterpError { message, .. }) => message,
    };
    assert_eq!(message(interp.call("g", vec![])), "there is no function @g");
    assert_eq!(
        message(interp.call("f", vec![])),
        "@f takes 1 arguments, but got 0"
    );
    assert_eq!(
        message(interp.call("f", vec![Value::F64(1.0)])),
        "argument 0 of @f is of type i32: the argument is an f64"
    );
}

#[test]
fn what_runs_is_counted() {
    let text = "func.func @f(%m: memref<4xf64>) {
      affine.for %i = 0 to 4 {
        %x = affine.load %m[%i] : memref<4xf64>
        %y = arith.addf %x, %x : f64
        affine.store %y, %m[%i] : memref<4xf64>
      }
      return
    }";
    let (mut ctx, module) = module(text);
    let ty = parse_type(&mut ctx, "memref<4xf64>").unwrap();
    let mut interp = Interpreter::new(&ctx, module);
    let m = interp.array(ty, &[4], &bytes_f64(&[1.0; 4])).unwrap();
    interp.call("f", vec![m]).unwrap();
    let c = interp.counters();
    assert_eq!(
        (
            c.loads,
            c.stores,
            c.ops(OpClass::Arith),
            c.ops(OpClass::Load)
        ),
        (4, 4, 4, 4)
    );
}

#[test]
fn declarations_and_unknown_ops_fail_where_they_are_reached() {
    let text = "func.func private @g()
    func.func @f(%c: i1) {
      scf.if %c {
        func.call @g() : () -> ()
      }
      return
    }";
    assert_eq!(run(text, &[Value::bool(false)]), []);
    assert_eq!(
        fails(text, &[Value::bool(true)]),
        "4: @g has no body that could be run"
    );
}
