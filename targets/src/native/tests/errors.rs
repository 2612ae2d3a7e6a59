//! What is refused, and how.

use super::{array, call, compile_errors, compiled, float, int};

#[test]
fn all_ops_without_native_code_are_named() {
    let errors = compile_errors(
        "func.func @f(%m: memref<4xf32>, %v: vector<4xf32>) {
           affine.for %i = 0 to 4 {
             %x = affine.load %m[%i] : memref<4xf32>
             affine.store %x, %m[%i] : memref<4xf32>
           }
           return
         }
         func.func @g(%m: memref<4xf32>) {
           %c = arith.constant dense<1.0> : vector<3xf32>
           %id = gpu.thread_id x
           return
         }
         func.func @h(%a: i200, %m: memref<4xf32, affine_map<(d) -> (d mod 2, d floordiv 2)>>) {
           return
         }",
    );
    let want = [
        (
            1,
            "'func.func' op takes or gives vectors; pass them in memory",
        ),
        (
            9,
            "'arith.constant' op has the type 'vector<3xf32>'; native code has vectors of 16 bytes, \
             or of several times as many up to 256; split it into such",
        ),
        (
            10,
            "'gpu.thread_id' op has no native code; it belongs into a kernel, inside a gpu.module",
        ),
        (
            13,
            "'func.func' op has the type 'i200'; native code has integers of 1 to 128 bits",
        ),
    ];
    let have: Vec<(u32, &str)> = errors.iter().map(|(l, m)| (*l, m.as_str())).collect();
    assert_eq!(have, want);
    let errors = compile_errors(
        "func.func @f(%m: memref<4xf32>) {
           affine.for %i = 0 to 4 {
             %x = affine.load %m[%i] : memref<4xf32>
             affine.store %x, %m[%i] : memref<4xf32>
           }
           return
         }",
    );
    let lines: Vec<u32> = errors.iter().map(|e| e.0).collect();
    // The implicit terminator of the loop stands where the loop does.
    assert!(lines.starts_with(&[2, 3, 4]), "{lines:?}");
    for (_, m) in &errors {
        assert!(m.ends_with("run --lower-affine first"), "{m}");
    }
}

#[test]
fn calls_of_what_is_not_there_are_errors() {
    let errors = compile_errors(
        "func.func private @g(i32)
         func.func @f(%a: i32, %m: memref<4xf32>) {
           call @g(%a) : (i32) -> ()
           gpu.wait
           return
         }",
    );
    assert_eq!(
        errors,
        [
            (
                3,
                "'func.call' op calls '@g', which has no body; give its address as an import"
                    .to_string()
            ),
            (
                4,
                "'gpu.wait' op needs the callback 'terrace_gpu_sync', which was not given"
                    .to_string()
            ),
        ]
    );
}

#[test]
fn wrong_arguments_are_errors() {
    let (_, m) = compiled("func.func @f(%a: i32, %m: memref<?x4xf32>) {\n return\n}");
    let mut v = vec![0f32; 12];
    let message = |args: &[super::NativeArg]| call(&m, "f", args).unwrap_err().message;
    assert_eq!(message(&[]), "'@f' takes 2 arguments, found 0");
    let a = array(&mut v, &[3, 4]);
    assert_eq!(
        message(&[float(1.0), a.clone()]),
        "argument 0 of '@f' is not a float"
    );
    assert_eq!(
        message(&[int(1), int(1)]),
        "argument 1 of '@f' is not an integer"
    );
    assert_eq!(
        message(&[int(1), array(&mut v, &[4, 3])]),
        "argument 1 of '@f' has in dimension 1 the size 4, found 3"
    );
    assert_eq!(
        message(&[int(1), array(&mut v, &[12])]),
        "argument 1 of '@f' is a memref of rank 2, found rank 1"
    );
    assert!(call(&m, "f", &[int(1), a]).is_ok());
    let e = call(&m, "none", &[]).unwrap_err();
    assert_eq!(e.message, "there is no function '@none' with a body");
}

#[test]
fn a_failed_assertion_is_an_error() {
    let (ctx, m) = compiled(
        "func.func @f(%a: i32) {
           %c0 = arith.constant 0 : i32
           %ok = arith.cmpi sgt, %a, %c0 : i32
           cf.assert %ok, \"must be positive\"
           return
         }",
    );
    assert!(call(&m, "f", &[int(1)]).is_ok());
    let e = call(&m, "f", &[int(0)]).unwrap_err();
    assert_eq!(super::line(&ctx, e.loc), 4);
    assert_eq!(e.message, "'cf.assert' op must be positive");
}

#[test]
fn all_divisions_check_for_zero() {
    for op in [
        "divsi",
        "divui",
        "remsi",
        "remui",
        "floordivsi",
        "ceildivsi",
        "ceildivui",
    ] {
        for ty in ["i8", "i5", "i32", "i64", "i128", "index"] {
            let (ctx, m) = compiled(&format!(
                "func.func @f(%a: {ty}, %b: {ty}) -> {ty} {{\n\n %r = arith.{op} %a, %b : {ty}\n return %r : {ty}\n}}"
            ));
            let e = call(&m, "f", &[int(3), int(0)]).unwrap_err();
            assert_eq!(super::line(&ctx, e.loc), 3);
            assert_eq!(e.message, format!("'arith.{op}' op division by zero"));
        }
    }
}

#[test]
fn listings_on_request() {
    let text = "func.func @f(%a: i32) -> i32 {\n return %a : i32\n}";
    let options = super::NativeOptions {
        listing: true,
        ..Default::default()
    };
    let (_, m) = super::compiled_with(text, &options, &[]);
    assert!(m.clif().contains("; @f\nfunction"), "{}", m.clif());
    assert!(m.asm().contains("; @f\n"), "{}", m.asm());
    let (_, m) = compiled(text);
    assert_eq!((m.clif(), m.asm()), ("", ""));
}
