// Several loops of a thread accumulate into one element of its own; their order stays, so floats may be promoted, too.
//
// RUN: terrace-opt %s -affine-promote-accumulators='threads=true' -mlir-print-local-scope | FileCheck %s
// RUN: terrace-opt %s -affine-promote-accumulators -mlir-print-local-scope | FileCheck %s --check-prefix=WITHOUT

// CHECK-LABEL: func.func @sums
// CHECK:       affine.parallel (%[[J:.*]]) =
// CHECK:         affine.store %{{.*}}, %arg1[%[[J]]]
// CHECK:         %[[OLD:.*]] = affine.load %arg1[%[[J]]]
// CHECK:         %[[R:.*]] = affine.for {{.*}} iter_args(%[[T:.*]] = %[[OLD]]) -> (f32) {
// CHECK:           affine.for {{.*}} iter_args(%{{.*}} = %[[T]]) -> (f32) {
// CHECK:         affine.store %[[R]], %arg1[%[[J]]]
//
// WITHOUT-NOT: iter_args
func.func @sums(%a: memref<?x?x?xf32>, %s: memref<?xf32>, %n: index, %m: index) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%j) = (0) to (symbol(%n)) {
    affine.store %zero, %s[%j] : memref<?xf32>
    affine.for %i = 0 to %m {
      affine.for %k = 0 to %m {
        %x = affine.load %a[%i, %j, %k] : memref<?x?x?xf32>
        %t = affine.load %s[%j] : memref<?xf32>
        %u = arith.addf %t, %x : f32
        affine.store %u, %s[%j] : memref<?xf32>
      }
    }
  }
  return
}

// Not in a thread: the loop over j may become parallel, and wants its statements in memory.
// CHECK-LABEL: func.func @no_thread
// CHECK-NOT:   iter_args
func.func @no_thread(%a: memref<?x?x?xf32>, %s: memref<?xf32>, %n: index) {
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %n {
      affine.for %k = 0 to %n {
        %x = affine.load %a[%i, %j, %k] : memref<?x?x?xf32>
        %t = affine.load %s[%j] : memref<?xf32>
        %u = arith.addf %t, %x : f32
        affine.store %u, %s[%j] : memref<?xf32>
      }
    }
  }
  return
}
