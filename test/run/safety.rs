//! What a program is called with, and what it does to memory: whatever is wrong is an error
//! on each target, from Rust and from the command line. Valgrind looks at the tests of native
//! code again, so that what is said to be an error, or right, is not also done to memory that
//! is not the program's.

use super::tools::{scratch, terrace_with};
use terrace::run::bind::Value;
use terrace::run::executor::{Executor, Program};
use terrace::run::options::{BoundsChecks, RunOptions, Target};
use terrace::run::source::ProgramText;
use terrace::run::{compile, run};
use terrace::runtime::argspec::{ArgSpec, OutSpec};
use terrace::runtime::dtype::{DType, Scalar};
use terrace_lit::feature::{MEMORY_ERROR, valgrind};

/// Which targets the tests here are about, where not about all: `cpu`, where valgrind looks
/// at them.
const ONLY: &str = "TERRACE_TEST_SAFETY_ONLY";

fn targets() -> Vec<Target> {
    let only = std::env::var(ONLY).ok();
    let all = [Target::Interp, Target::Cpu, Target::Emulator];
    let found = |t: &Target| only.as_ref().is_none_or(|only| t.name() == only);
    let targets: Vec<Target> = all.into_iter().filter(found).collect();
    assert!(!targets.is_empty(), "{ONLY} names no target: {only:?}");
    targets
}

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
    for target in targets() {
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
        for target in targets() {
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
        for target in targets() {
            if target == Target::Emulator {
                continue;
            }
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

/// Bodies as those above that use all of their arrays, which are called with as many elements
/// as fill their memory: 8 of `%a`, 4 of `%b`, 8 and 3.
const RIGHT: &[&str] = &[
    "affine.for %i = 0 to %n { affine.store %x, %a[%n - %i - 1] : memref<?xf64> }",
    "affine.parallel (%i) = (0) to (symbol(%n)) {
       %v = affine.load %a[%i] : memref<?xf64>
       %w = arith.addf %v, %x : f64
       affine.store %w, %a[%i] : memref<?xf64>
     }",
    "affine.parallel (%i, %j) = (0, 0) to (2, 4) {
       %v = affine.load %b[%j] : memref<4xf64>
       %w = arith.addf %v, %x : f64
       affine.store %w, %a[4 * %i + %j] : memref<?xf64>
     }",
    "affine.for %i = 0 to %n step 3 {
       affine.for %j = 0 to min affine_map<(d0)[s0] -> (3, s0 - d0)>(%i)[%n] {
         affine.store %x, %a[%i + %j] : memref<?xf64>
       }
     }",
    "%e = memref.alloc(%n) : memref<?xf64>
     affine.for %i = 0 to %n { affine.store %x, %e[%i] : memref<?xf64> }
     memref.copy %e, %a : memref<?xf64> to memref<?xf64>
     memref.dealloc %e : memref<?xf64>
     memref.dealloc %d : memref<?xf64>",
    "%v = memref.subview %a[4] [4] [1] : memref<?xf64> to memref<4xf64, strided<[1], offset: 4>>
     affine.for %i = 0 to 4 { affine.store %x, %v[%i] : memref<4xf64, strided<[1], offset: 4>> }",
    "%r = memref.reinterpret_cast %a to offset: [0], sizes: [2, 4], strides: [4, 1] : memref<?xf64> to memref<2x4xf64>
     affine.for %i = 0 to 2 { affine.for %j = 0 to 4 { affine.store %x, %r[%i, %j] : memref<2x4xf64> } }",
    "affine.for %i = 0 to %n {
       %r = memref.atomic_rmw addf %x, %a[%i] : (f64, memref<?xf64>) -> f64
     }",
    "scf.while (%i = %c0) : (index) -> index {
       %more = arith.cmpi slt, %i, %n : index
       scf.condition(%more) %i : index
     } do {
     ^bb0(%i: index):
       memref.store %x, %a[%i] : memref<?xf64>
       %c1 = arith.constant 1 : index
       %next = arith.addi %i, %c1 : index
       scf.yield %next : index
     }",
    "%s = memref.alloca() : memref<8xf64>
     affine.for %i = 0 to 8 { affine.store %x, %s[%i] : memref<8xf64> }
     affine.for %i = 0 to 8 {
       %v = affine.load %s[7 - %i] : memref<8xf64>
       affine.store %v, %a[%i] : memref<?xf64>
     }",
];

/// What stays within its arrays runs, with checks and without, and does the same everywhere.
#[test]
fn all_of_an_array_may_be_used() {
    for body in RIGHT {
        let called = |target, checks| {
            let program = Program::new("test.mlir", &program(body)).expect("a program");
            let options = RunOptions {
                target,
                checks,
                ..RunOptions::default()
            };
            let mut f = compile(program, &options).expect("it compiles");
            let array = |n: usize| Value::array(&[n], &vec![0.5f64; n]).expect("memory");
            let index = |n| number(DType::Index, n);
            let mut args = [array(8), array(4), index(8), index(3)];
            f.call(&mut args)
                .unwrap_or_else(|d| panic!("{body}: {d:?}"));
            args[0].elements::<f64>().expect("floats").to_vec()
        };
        let expected = called(Target::Interp, BoundsChecks::default());
        assert_ne!(expected[7], 0.5, "{body}: {expected:?}");
        for target in targets() {
            assert_eq!(called(target, BoundsChecks::default()), expected, "{body}");
            // SAFETY: the interpreter has found that the program stays within its arrays.
            let off = unsafe { BoundsChecks::off() };
            assert_eq!(called(target, off), expected, "{body}");
        }
    }
}

/// A file as `numpy.save` writes it.
fn npy(head: &str, bytes: usize) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    let head = format!("{{{head}, }}");
    let length = (head.len() + 1 + 10).next_multiple_of(64) - 10;
    file.extend((length as u16).to_le_bytes());
    file.extend(format!("{head:<width$}\n", width = length - 1).bytes());
    file.extend(std::iter::repeat_n(0, bytes));
    file
}

/// What `terrace run` is told of arguments: numbers, fills and files.
#[test]
fn command_lines_are_checked() {
    let folder = scratch("safety-arguments");
    let file = |name: &str, contents: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, contents).expect("the test folder is writable");
        format!("m=@{}", path.display())
    };
    let f4 = |shape: &str| format!("'descr': '<f4', 'fortran_order': False, 'shape': {shape}");
    let right = file("right.npy", &npy(&f4("(2, 8)"), 64));
    let short = file("short.npy", &npy(&f4("(2, 8)"), 60));
    let huge = "(4611686018427387904, 8)";
    let huge = file("huge.npy", &npy(&f4(huge), 64));
    let negative = file("negative.npy", &npy(&f4("(2, -8)"), 64));
    let flat = file("flat.npy", &npy(&f4("(16,)"), 64));
    let rows = file("rows.npy", &npy(&f4("(3, 8)"), 96));
    let doubles = f4("(2, 8)").replace("<f4", "<f8");
    let doubles = file("doubles.npy", &npy(&doubles, 128));
    let empty = file("empty.npy", b"");
    let wrong: &[(&[&str], &str)] = &[
        (&["0=1", "k=3"], "parameter m"),
        (&["0=1", "m=iota:2x8"], "parameter k"),
        (&["0=1", "m=iota:2x8", "k=3", "x=3"], "no parameter `x`"),
        (&["0=1", "m=iota:2x8", "k=3", "3=3"], "no parameter `3`"),
        (&["0=iota:4", "m=iota:2x8", "k=3"], "parameter 0"),
        (&["0=1", "m=5", "k=3"], "parameter m"),
        (&["0=1", "m=iota:2x8", "k=1.5"], "parameter k"),
        (&["0=1", "m=iota:2x8", "k=4294967296"], "parameter k"),
        (&["0=1", "m=iota:16", "k=3"], "parameter m"),
        (&["0=1", "m=iota:3x8", "k=3"], "parameter m"),
        (&["0=1", &flat, "k=3"], "parameter m"),
        (&["0=1", &rows, "k=3"], "parameter m"),
        (&["0=1", &doubles, "k=3"], "parameter m"),
        (&["0=1", &short, "k=3"], "short.npy"),
        (&["0=1", &huge, "k=3"], "huge.npy"),
        (&["0=1", &negative, "k=3"], "negative.npy"),
        (&["0=1", &empty, "k=3"], "empty.npy"),
    ];
    let text = SCALE.replace("%k: i32", "%k: i32 {terrace.name = \"k\"}");
    let source = ProgramText::mlir("test.mlir", &text);
    for target in targets() {
        let out = folder.join(format!("{}.npy", target.name()));
        let called = |args: &[&str]| {
            let parsed = args.iter().map(|a| ArgSpec::parse(a).expect("an argument"));
            let outs = OutSpec::parse(&format!("m={}", out.display()));
            let options = RunOptions {
                target,
                args: parsed.collect(),
                outs: vec![outs.expect("a file")],
                repeat: 2,
                ..RunOptions::default()
            };
            run(&source, &options)
        };
        for (args, said) in wrong {
            let found = called(args);
            assert_ne!(found.code, 0, "{args:?}");
            assert!(found.stderr.contains(said), "{args:?}: {}", found.stderr);
        }
        for args in [["0=1", &right, "k=3"], ["0=1", "m=iota:2x8", "k=-3"]] {
            let found = called(&args);
            assert_eq!(found.code, 0, "{args:?}: {}", found.stderr);
            assert!(out.exists());
        }
    }
}

/// The tests above, but for those that start programs.
#[test]
fn native_code_keeps_to_its_memory() {
    let Some(mut command) = valgrind("the tests of native code's safety") else {
        return;
    };
    let tests = [
        "safety::arguments_are_checked",
        "safety::memory_is_the_programs_own",
        "safety::what_does_not_happen_is_no_error",
        "safety::all_of_an_array_may_be_used",
        "safety::command_lines_are_checked",
    ];
    let looked_at = command
        .arg(std::env::current_exe().expect("the tests have a file"))
        .args(["--test-threads=1", "--exact"])
        .args(tests)
        .env(ONLY, Target::Cpu.name())
        .output()
        .expect("valgrind starts");
    let said = String::from_utf8_lossy(&looked_at.stdout);
    let found = String::from_utf8_lossy(&looked_at.stderr);
    assert_eq!(looked_at.status.code(), Some(0), "{said}{found}");
    let all = format!("test result: ok. {} passed", tests.len());
    assert!(said.contains(&all), "{said}{found}");
}

/// Without checks valgrind finds what the checks would have, so that it would find it too
/// where a check is missing.
#[test]
fn valgrind_sees_what_native_code_does() {
    let Some(mut command) = valgrind("whether valgrind sees native code") else {
        return;
    };
    let text = "func.func @f(%a: memref<?xf64> {terrace.name = \"A\"}) {
  %c8 = arith.constant 8 : index
  %x = arith.constant 1.0 : f64
  memref.store %x, %a[%c8] : memref<?xf64>
  return
}";
    let file = scratch("safety-valgrind").join("beyond.mlir");
    std::fs::write(&file, text).expect("the test folder is writable");
    let looked_at = command
        .arg(env!("CARGO_BIN_EXE_terrace"))
        .arg("run")
        .arg(&file)
        .args(["--arg", "A=iota:8", "--no-bounds-checks"])
        .output()
        .expect("valgrind starts");
    let found = String::from_utf8_lossy(&looked_at.stderr);
    assert_eq!(looked_at.status.code(), Some(MEMORY_ERROR), "{found}");
    assert!(found.contains("Invalid write of size 8"), "{found}");
    assert!(
        found.contains("0 bytes after a block of size 64"),
        "{found}"
    );
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
