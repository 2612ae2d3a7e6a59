// The PTX after each pass that changed something: on standard error, or in a folder as
// modules that are complete.
//
// RUN: terrace compile %s --emit ptx --dump-passes 2>&1 >/dev/null | FileCheck %s
// RUN: terrace compile %s --emit ptx --dump-passes 2>/dev/null | FileCheck %s --check-prefix=RESULT
// RUN: terrace compile %s --emit ptx --dump-passes=%t -o %t.ptx 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t/scale_kernel/00-before.ptx
// RUN: FileCheck %s --check-prefix=FILE --input-file=%t/scale_kernel/01-cleanup.ptx

// CHECK: // -----// PTX Dump Before Passes (kernel: scale_kernel) //----- //
// CHECK-NEXT: .visible .entry scale_kernel(
// CHECK: }
// CHECK: // -----// PTX Dump After cleanup (kernel: scale_kernel, {{[0-9]+}} changes) //----- //
// CHECK-NEXT: .visible .entry scale_kernel(
// CHECK: ret;

// RESULT-NOT: PTX Dump
// RESULT: .visible .entry scale_kernel(

// FILE: .version
// FILE: .target sm_90
// FILE: .file 1 "{{.*}}dump-passes.mlir"
// FILE: .visible .entry scale_kernel(
// FILE: ret;

func.func @scale(%a: memref<?xf32>, %n: index) {
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %y = arith.mulf %x, %two : f32
    affine.store %y, %a[%i] : memref<?xf32>
  }
  return
}
