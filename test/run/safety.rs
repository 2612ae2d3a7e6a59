//! What a program is called with, and what it does to memory: whatever is wrong is an error
//! on each target, from Rust and from the command line.

use super::tools::terrace_with;
use terrace::run::bind::Value;
use terrace::run::compile;
use terrace::run::executor::{Executor, Program};
use terrace::run::options::{RunOptions, Target};
use terrace::runtime::dtype::{DType, Scalar};

const TARGETS: [Target; 3] = [Target::Interp, Target::Cpu, Target::Emulator];

const SCALE: &str = "
func.func @scale(%a: f64, %m: memref<2x?xf32> {terrace.name = \"m\"}, %k: i32) {
  %c1 = arith.constant 1 : index
  %n = memref.dim %m, %c1 : memref<2x?xf32>
  affine.parallel (%i, %j) = (0, 0) to (2, symbol(%n)) {
    %x = affine.load %m[%i, %j] : memref<2x?xf32>
    %y = arith.addf %x, %x : f32
    affine.store %y, %m[%i, %j] : memref<2x?xf32>
  }
  return
}
";

fn made(text: &str, target: Target) -> Box<dyn Executor> {
    let program = Program::new("test.mlir", text).expect("a program");
    let options = RunOptions {
        target,
        ..RunOptions::default()
    };
    compile(program, &options).expect("it compiles")
}

fn number(dtype: DType, bits: u64) -> Value {
    Value::Scalar(Scalar::from_bits(dtype, bits))
}

fn floats(shape: &[usize]) -> Value {
    let n = shape.iter().product();
    Value::array(shape, &vec![1.0f32; n]).expect("memory")
}

#[test]
fn arguments_are_checked() {
    let k = || number(DType::I32, 3);
    let doubles = Value::array(&[2, 3], &[0.0f64; 6]).expect("memory");
    let cases: Vec<(Vec<Value>, &str)> = vec![
        (vec![], "@scale takes 3 arguments, found 0"),
        (
            vec![1.0.into(), floats(&[2, 3])],
            "@scale takes 3 arguments, found 2",
        ),
        (
            vec![1.0.into(), floats(&[2, 3]), k(), k()],
            "@scale takes 3 arguments, found 4",
        ),
        (
            vec![1.0.into(), doubles, k()],
            "argument 1 (m) of @scale: found an array 2x3xf64, expected 2x?xf32",
        ),
        (
            vec![1.0.into(), floats(&[6]), k()],
            "argument 1 (m) of @scale: found an array 6xf32, expected 2x?xf32",
        ),
        (
            vec![1.0.into(), floats(&[1, 6]), k()],
            "argument 1 (m) of @scale: found an array 1x6xf32, expected 2x?xf32",
        ),
        (
            vec![1.0.into(), 1.0.into(), k()],
            "argument 1 (m) of @scale: found a number of type f64, expected an array 2x?xf32",
        ),
        (
            vec![floats(&[2, 3]), floats(&[2, 3]), k()],
            "argument 0 of @scale: found an array 2x3xf32, expected a number of type f64",
        ),
        (
            vec![number(DType::F32, 0), floats(&[2, 3]), k()],
            "argument 0 of @scale: found a number of type f32, expected f64",
        ),
        (
            vec![1.0.into(), floats(&[2, 3]), number(DType::I64, 3)],
            "argument 2 of @scale: found a number of type i64, expected i32",
        ),
    ];
    for target in TARGETS {
        let mut scale = made(SCALE, target);
        for (args, message) in &cases {
            let copies = args.iter().map(|v| v.try_clone().expect("memory"));
            let mut args: Vec<Value> = copies.collect();
            let said = scale.call(&mut args).expect_err(message);
            let said: Vec<&str> = said.iter().map(|d| &*d.message).collect();
            assert_eq!(said, [*message], "{}", target.name());
        }
        // Each wrong one is named.
        let mut args = [floats(&[2, 3]), 1.0.into(), k()];
        assert_eq!(scale.call(&mut args).expect_err("two").len(), 2);
        let mut args = [1.0.into(), floats(&[2, 3]), number(DType::U32, 3)];
        scale.call(&mut args).expect("signs are the same bits");
        assert_eq!(args[1].elements::<f32>().expect("floats"), [2.0; 6]);
        assert!(args[1].elements::<f64>().is_err());
        assert!(args[0].elements::<f64>().is_err());
    }
}

/// Bodies of `@f(%a: memref<?xf64>, %b: memref<4xf64>, %n: index, %m: index)` that use
/// memory which is not theirs where it is called with 10 elements, 12 and 3; and what is
/// said of them on the CPU.
const BODIES: &[(&str, &str)] = &[
    (
        "affine.for %i = 0 to %n { affine.store %x, %a[%i] : memref<?xf64> }",
        "index 10 of %a is out of bounds for dimension 0 of size 10",
    ),
    (
        "affine.parallel (%i) = (0) to (symbol(%n)) { affine.store %x, %a[%i] : memref<?xf64> }",
        "is out of bounds for dimension 0 of size 10",
    ),
    (
        "affine.for %i = 0 to 4 { affine.store %x, %a[%i - 1] : memref<?xf64> }",
        "index -1 of %a is out of bounds for dimension 0 of size 10",
    ),
    (
        "memref.store %x, %b[%n] : memref<4xf64>",
        "index 12 of %b is out of bounds for dimension 0 of size 4",
    ),
    (
        "%r = memref.atomic_rmw addf %x, %a[%n] : (f64, memref<?xf64>) -> f64",
        "index 12 of %a is out of bounds for dimension 0 of size 10",
    ),
    (
        "memref.copy %a, %d : memref<?xf64> to memref<?xf64>",
        "'memref.copy' op copies between arrays of different sizes",
    ),
    (
        "%v = memref.subview %a[%m] [%n] [1] : memref<?xf64> to memref<?xf64, strided<[1], offset: ?>>
         memref.store %x, %v[%c0] : memref<?xf64, strided<[1], offset: ?>>",
        "'memref.subview' op is a view of elements that its source does not have",
    ),
    (
        "%v = memref.subview %a[0] [%m] [%n] : memref<?xf64> to memref<?xf64, strided<[?]>>
         memref.store %x, %v[%c0] : memref<?xf64, strided<[?]>>",
        "'memref.subview' op is a view of elements that its source does not have",
    ),
    (
        "%v = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<?xf64> to memref<?xf64>
         memref.store %x, %v[%c11] : memref<?xf64>",
        "'memref.reinterpret_cast' op is a view of elements that its source does not have",
    ),
    (
        "%v = memref.cast %a : memref<?xf64> to memref<12xf64>
         memref.store %x, %v[%c11] : memref<12xf64>",
        "index 11 of %a is out of bounds for dimension 0 of size 10",
    ),
    (
        "%v = memref.dim %a, %n : memref<?xf64>
         memref.store %x, %a[%v] : memref<?xf64>",
        "'memref.dim' op asks for a dimension that the memref does not have",
    ),
    (
        "memref.store %x, %d[%c0] : memref<?xf64>
         %v = memref.load %d[%c0] : memref<?xf64>
         memref.store %v, %a[%c0] : memref<?xf64>
         memref.dealloc %d : memref<?xf64>
         memref.dealloc %d : memref<?xf64>",
        "'memref.dealloc' op frees memory that is not allocated",
    ),
    (
        "memref.dealloc %a : memref<?xf64>",
        "'memref.dealloc' op frees memory that is not allocated",
    ),
    (
        "%k = arith.subi %c0, %n : index
         %v = memref.alloc(%k) : memref<?xf64>
         memref.store %x, %v[%c0] : memref<?xf64>
         %w = memref.load %v[%c0] : memref<?xf64>
         memref.store %w, %a[%c0] : memref<?xf64>",
        "'memref.alloc' op size is negative or too large to allocate",
    ),
    (
        "func.call @f(%a, %b, %n, %m) : (memref<?xf64>, memref<4xf64>, index, index) -> ()",
        "'func.func' op stack overflow: too many calls are running inside one another",
    ),
    (
        "%k = arith.divsi %n, %c0 : index
         memref.store %x, %a[%k] : memref<?xf64>",
        "'arith.divsi' op division by zero",
    ),
    (
        "scf.for %i = %c0 to %n step %c0 { memref.store %x, %a[%c0] : memref<?xf64> }",
        "'scf.for' op loop step is not positive",
    ),
];

fn program(body: &str) -> String {
    format!(
        "func.func @f(%a: memref<?xf64>, %b: memref<4xf64>, %n: index, %m: index) {{
           %c0 = arith.constant 0 : index
           %c11 = arith.constant 11 : index
           %x = arith.constant 1.0 : f64
           %d = memref.alloc(%m) : memref<?xf64>
           {body}
           return
         }}"
    )
}

fn arguments() -> [Value; 4] {
    let array = |n: usize| Value::array(&[n], &vec![0.0f64; n]).expect("memory");
    let index = |n| number(DType::Index, n);
    [array(10), array(4), index(12), index(3)]
}

#[test]
fn memory_is_the_programs_own() {
    for (body, message) in BODIES {
        for target in TARGETS {
            let text = program(body);
            let mut f = made(&text, target);
            let said = f.call(&mut arguments()).expect_err(body);
            if target == Target::Cpu {
                assert!(said[0].message.contains(message), "{body}: {said:?}");
            }
        }
    }
}

/// An access that does not happen is no error, whatever the ends of its loop.
#[test]
fn what_does_not_happen_is_no_error() {
    let bodies = [
        "affine.for %i = 0 to %n { affine.if affine_set<(d0) : (9 - d0 >= 0)>(%i) { affine.store %x, %a[%i] : memref<?xf64> } }",
        "affine.for %i = 20 to %n { affine.store %x, %a[%i] : memref<?xf64> }",
        "affine.for %i = 0 to %n { %v = arith.cmpi ult, %i, %m : index
           scf.if %v { memref.store %x, %a[%i] : memref<?xf64> } }",
        "affine.for %i = 0 to %n { affine.for %j = 0 to min affine_map<(d0) -> (10 - d0, 4)>(%i) {
             affine.store %x, %a[%i + %j] : memref<?xf64> } }",
        "%v = memref.subview %a[%n] [0] [1] : memref<?xf64> to memref<0xf64, strided<[1], offset: ?>>",
    ];
    for body in bodies {
        for target in [Target::Interp, Target::Cpu] {
            let mut f = made(&program(body), target);
            if let Err(d) = f.call(&mut arguments()) {
                assert!(
                    target == Target::Interp && body.contains("subview"),
                    "{body}: {d:?}"
                );
            }
        }
    }
}

/// The error stands where the access does, and without checks nothing is said.
#[test]
fn the_command_line_can_turn_checks_off() {
    let text = "func.func @f(%a: memref<?xf64> {terrace.name = \"A\"}) -> f64 {
  %c2 = arith.constant 2 : index
  %v = memref.load %a[%c2] : memref<?xf64>
  return %v : f64
}";
    let run = terrace_with(text, &["run", "-", "--arg", "A=iota:2"]).exits(1);
    let message = "<stdin>:3:8: error: 'memref.load' op index 2 of A is out of bounds for dimension 0 of size 2";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    // Buffers are a cache line at least, so that this reads its own padding.
    let off = ["run", "-", "--arg", "A=iota:2", "--no-bounds-checks"];
    terrace_with(text, &off).exits(0);
}
