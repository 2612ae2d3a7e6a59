// What nothing here knows does not matter where the function that is called does not reach it.
//
// RUN: terrace run %s --entry doubled --arg 0=iota --target interp | FileCheck %s --check-prefix=RESULT
// RUN: terrace run %s --entry doubled --arg 0=iota --target cpu --verify | FileCheck %s --check-prefix=RESULT
// RUN: terrace run %s --entry doubled --arg 0=iota --target emulator --verify | FileCheck %s --check-prefix=RESULT
// RESULT: array    0        4xf32                checksum sum 1.2000000000e1

// Where it does, the place is said. The first public function is called without --entry.
// RUN: not terrace run %s --arg 0=iota 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not terrace run %s --entry hint --arg 0=iota 2>&1 | FileCheck %s --check-prefix=HINT
// RUN: not terrace run %s --entry caller --arg 0=iota 2>&1 | FileCheck %s --check-prefix=HINT
// RUN: not terrace run %s --entry pointer --arg 0=1 2>&1 | FileCheck %s --check-prefix=POINTER
// RUN: not terrace run %s --entry product 2>&1 | FileCheck %s --check-prefix=PRODUCT
// RUN: not terrace run %s --entry tensor --arg 0=iota 2>&1 | FileCheck %s --check-prefix=TENSOR
// RUN: not terrace compile %s --emit ptx 2>&1 | FileCheck %s --check-prefixes=FIRST,HINT,POINTER,PRODUCT,TENSOR
// FIRST: foreign-dialects.mlir:[[@LINE+17]]:10: error: 'llvm.load' op cannot run: nothing here knows its dialect; it is what mlir-opt's conversions make of programs
// HINT: foreign-dialects.mlir:{{.*}}: error: 'foo.hint' op cannot run: nothing here knows its dialect
// POINTER: foreign-dialects.mlir:{{.*}}: error: 'func.func' op cannot run: nothing here knows the dialect of the type '!foo.pointer'
// PRODUCT: foreign-dialects.mlir:{{.*}}: error: 'linalg.matmul' op cannot run as it is; --mlir-import brings it down, or by hand: mlir-opt --convert-linalg-to-affine-loops makes loops of it
// TENSOR: foreign-dialects.mlir:{{.*}}: error: 'tensor.empty' op cannot run as it is; --mlir-import brings it down, or by hand: mlir-opt --one-shot-bufferize

// An op that a dialect of terrace's has not is wrong wherever it stands.
// RUN: split-file %S/Inputs/misspelt.mlir %t
// RUN: not terrace run %t/op.mlir --entry f --arg 0=iota 2>&1 | FileCheck %s --check-prefix=MISSPELT
// MISSPELT: op.mlir:{{.*}}: error: 'arith.addd' op is no op of the dialect 'arith'

module attributes {foo.version = #foo.version<[1, "a", {b = 2}]>, transform.with_named_sequence} {
  "llvm.mlir.global"() <{global_type = !llvm.array<3 x i8>, linkage = #llvm.linkage<internal>, sym_name = "format", value = "%d\0A"}> ({
  }) : () -> ()
  "llvm.func"() <{function_type = !llvm.func<i32 (ptr, ...)>, linkage = #llvm.linkage<external>, sym_name = "printf"}> ({
  }) : () -> ()
  func.func @first(%p: memref<4xf32>) {
    %0 = "llvm.load"(%p) : (memref<4xf32>) -> i32
    return
  }
  func.func @doubled(%a: memref<4xf32> {foo.restrict}) attributes {foo.kind = !foo.kind<3>} {
    affine.for %i = 0 to 4 {
      %0 = affine.load %a[%i] {foo.cached = 3} : memref<4xf32>
      %1 = arith.addf %0, %0 : f32
      affine.store %1, %a[%i] : memref<4xf32>
    } {foo.loop}
    return
  }
  func.func @hint(%a: memref<4xf32>) {
    "foo.hint"(%a) ({
    ^bb0(%b: i32):
      "foo.end"() : () -> ()
    }) : (memref<4xf32>) -> ()
    return
  }
  func.func @caller(%a: memref<4xf32>) {
    call @hint(%a) : (memref<4xf32>) -> ()
    return
  }
  func.func @pointer(%p: !foo.pointer) -> !foo.pointer {
    return %p : !foo.pointer
  }
  func.func @product(%a: memref<4x6xf32>, %b: memref<6x5xf32>, %c: memref<4x5xf32>) {
    linalg.matmul ins(%a, %b : memref<4x6xf32>, memref<6x5xf32>) outs(%c : memref<4x5xf32>)
    return
  }
  func.func @tensor(%c: memref<4xf32>) {
    %0 = tensor.empty() : tensor<4xf32>
    return
  }
  transform.named_sequence @script(%root: !transform.any_op {transform.readonly}) {
    transform.yield
  }
}
