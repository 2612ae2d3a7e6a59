//! What cannot be compiled is said, all of it, where it stands.

use super::*;

#[test]
fn every_unsupported_op_is_named_with_its_line() {
    expect_errors(
        r#"gpu.func @k(%m: memref<?xf64>) kernel {
  %i = gpu.thread_id x
  %x = memref.load %m[%i] : memref<?xf64>
  %a = math.exp %x : f64
  %b = math.sin %a : f64
  %c = arith.remf %b, %x : f64
  memref.store %c, %m[%i] : memref<?xf64>
  gpu.printf "hello"
  %p = memref.alloc() : memref<4xf32>
  gpu.return
}"#,
        &[
            "5: 'math.exp' op on f64 has no GPU version",
            "6: 'math.sin' op on f64 has no GPU version",
            "7: 'arith.remf' op has no GPU version",
            "9: 'gpu.printf' op is not supported on the GPU",
            "10: 'memref.alloc' op is not supported in GPU code",
        ],
    );
}

#[test]
fn approximations_must_be_allowed() {
    expect_errors(
        "gpu.func @k(%x: f32) kernel {\n %y = math.sin %x : f32\n gpu.return\n}",
        &["3: 'math.sin' op has only an approximate GPU version, which fastmath<afn> would allow"],
    );
}

#[test]
fn types_without_registers() {
    expect_errors(
        "gpu.func @k(%x: i128, %m: memref<*xf32>, %n: memref<4xf32, #gpu.address_space<workgroup>>, %o: memref<4x4xf32, affine_map<(d0, d1) -> (d0 floordiv 2, d1)>>) kernel { gpu.return }",
        &[
            "2: parameter 0 of the kernel: type 'i128' has no registers on the GPU; integers of 1 to 64 bits",
            "ranked memrefs are",
            "2: parameter 2 of the kernel: found a memref outside global memory",
            "has no strides",
        ],
    );
}

#[test]
fn shared_memory_over_the_limit() {
    expect_errors(
        "gpu.func @big(%x: f32) workgroup(%w: memref<16384xf32, #gpu.address_space<workgroup>>) kernel { gpu.return }",
        &[
            "2: kernel 'big' needs 65536 bytes of static workgroup (shared) memory; a block on sm_90 has 49152 (232448 as dynamic shared memory)",
        ],
    );
}

#[test]
fn a_barrier_that_some_threads_miss() {
    expect_errors(
        r#"gpu.func @k(%n: index) kernel {
  %i = gpu.thread_id x
  %c = arith.cmpi slt, %i, %n : index
  scf.if %c {
    gpu.barrier
  }
  gpu.return
}"#,
        &["6: in 'k': found a barrier under a branch whose predicate depends on the thread"],
    );
}

#[test]
fn unknown_architecture_and_wrong_op() {
    let text = in_module("gpu.func @k() kernel { gpu.return }");
    let e = compile_with(&text, &options("sm_12345")).unwrap_err();
    assert!(e[0].contains("sm_12345") && e[0].contains("sm_90"), "{e:?}");
}

#[test]
fn deep_nesting_is_an_error() {
    let mut text = String::from("gpu.func @k(%c: i1) kernel {\n");
    text.push_str(&"scf.if %c {\n".repeat(150));
    text.push_str(&"}\n".repeat(150));
    text.push_str("gpu.return\n}");
    expect_errors(&text, &["is nested too deeply; 100 levels"]);
}

#[test]
fn globals_without_values() {
    expect_errors(
        "memref.global \"private\" @g : memref<4xf32>\nmemref.global @l : memref<4xf32, #gpu.address_space<private>> = uninitialized",
        &[
            "2: 'memref.global' op has no value here",
            "3: 'memref.global' op is in private memory",
        ],
    );
}

#[test]
fn calls_that_lead_nowhere() {
    expect_errors(
        "gpu.func @k() kernel {\n func.call @away() : () -> ()\n gpu.return\n}\nfunc.func private @away()",
        &["3: 'func.call' op calls 'away', which has no body in this gpu.module"],
    );
}

#[test]
fn dynamic_private_memory() {
    expect_errors(
        "gpu.func @k(%n: index) kernel {\n %a = memref.alloca(%n) : memref<?xf32>\n gpu.return\n}",
        &[
            "3: 'memref.alloca' op found type 'memref<?xf32>'; memory inside a kernel needs static sizes",
        ],
    );
}
