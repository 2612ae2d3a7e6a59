// RUN: terrace-opt %s -affine-unroll-small | FileCheck %s

// Four iterations share what the loop costs.
// CHECK-LABEL: func.func @prefix
// CHECK: affine.for %{{.*}} = 0 to #{{.*}}()[%{{.*}}] step 4 iter_args
// CHECK-COUNT-4: arith.addf
// CHECK: affine.for
// CHECK-COUNT-1: arith.addf
func.func @prefix(%a: memref<?xf64>, %n: index, %zero: f64) -> f64 {
  %s = affine.for %i = 0 to %n iter_args(%t = %zero) -> (f64) {
    %x = affine.load %a[%i] : memref<?xf64>
    %u = arith.addf %t, %x : f64
    affine.store %u, %a[%i] : memref<?xf64>
    affine.yield %u : f64
  }
  return %s : f64
}

// Not what vectors have left over, not loops in vectors, and not those that run a few times.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: step 4
// CHECK: return
func.func @stay(%a: memref<?xf64>, %v: f64, %n: index) {
  affine.for %i = 0 to %n {
    affine.store %v, %a[%i] : memref<?xf64>
  } {loop.left_over}
  affine.for %i = 0 to 7 {
    affine.store %v, %a[%i] : memref<?xf64>
  }
  affine.for %i = 0 to %n step 2 {
    %x = vector.broadcast %v : f64 to vector<2xf64>
    affine.vector_store %x, %a[%i] : memref<?xf64>, vector<2xf64>
  }
  return
}
