// RUN: terrace-opt %s -auto-schedule="tile-size=3 apply" | FileCheck %s
// RUN: terrace-opt %s -offload-parallelize | FileCheck %s

// A step that puts one nest in order also takes away what nobody reads, here a load and
// its subscript, which was a parameter of the program that the step is checked against.
// The check must not ask for it.
// CHECK-LABEL: @unread
// CHECK: affine.store
// CHECK: affine.if
// CHECK: affine.store
func.func @unread(%n: index, %x: f64, %a: memref<f64>, %b: memref<5xf32>) {
  affine.for %i = 0 to %n {
    affine.store %x, %a[] : memref<f64>
  }
  affine.if affine_set<()[s0] : (s0 - 6 >= 0)>()[%n] {
    %c5 = arith.constant 5 : index
    %r = arith.remui %n, %c5 : index
    %v = memref.load %b[%r] : memref<5xf32>
  }
  affine.for %i = 3 to affine_map<()[s0] -> (s0 + 4)>()[%n] {
    %zero = arith.constant 0.0 : f64
    %last = affine.for %j = affine_map<()[s0] -> (s0 - 5)>()[%n] to 5 iter_args(%v = %zero) -> (f64) {
      affine.yield %x : f64
    }
    affine.store %last, %a[] : memref<f64>
  }
  return
}
