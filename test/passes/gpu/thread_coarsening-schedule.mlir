// No step of a schedule says what `gpu-coarsen-threads` does, and the schedule that is printed is
// done again with the same result.
// RUN: terrace compile %s --print-schedule -o %t.schedule.mlir
// RUN: FileCheck %s --input-file=%t.schedule.mlir
// RUN: terrace compile %s --emit ptx -o %t.chosen.ptx
// RUN: terrace compile %s --emit ptx --schedule %t.schedule.mlir -o %t.again.ptx
// RUN: cmp %t.chosen.ptx %t.again.ptx

// CHECK-NOT: iv = "i"
// CHECK: iv = "k"
// CHECK-NOT: iv = "i"
func.func @pairs(%n: index, %a: memref<?xf32>, %b: memref<?xf32>, %c: memref<?xf32>, %d: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf32>
    %s = affine.for %j = 0 to %n iter_args(%sum = %zero) -> (f32) {
      %y = affine.load %b[%j] : memref<?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      affine.yield %1 : f32
    }
    affine.store %s, %c[%i] : memref<?xf32>
  }
  affine.for %k = 0 to %n {
    %x = affine.load %a[%k] : memref<?xf32>
    affine.store %x, %d[%k] : memref<?xf32>
  }
  return
}
