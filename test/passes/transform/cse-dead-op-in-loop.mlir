// An op that nothing uses goes, and the ops around it are still asked for their
// effects: random programs found that the dead load stood there without operands.

// RUN: terrace-opt %s --cse | FileCheck %s

// CHECK-LABEL: func.func @dead_load_in_a_loop_with_results
func.func @dead_load_in_a_loop_with_results(%m: memref<4xf32>, %x: f32) -> f32 {
  // CHECK-NOT: affine.load
  // CHECK: affine.store
  %r = affine.for %i = 0 to 4 iter_args(%a = %x) -> (f32) {
    affine.for %j = 0 to 4 {
      %dead = affine.load %m[%j] : memref<4xf32>
      affine.store %x, %m[%i] : memref<4xf32>
    }
    affine.yield %x : f32
  }
  return %r : f32
}
