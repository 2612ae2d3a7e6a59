// RUN: terrace-opt %s -affine-parallelize="parallel-reductions=1" | FileCheck %s
// RUN: terrace-opt %s -offload-parallelize | FileCheck %s

// What the second fold takes is the result of the first, which becomes another loop before it does.
// CHECK-LABEL: func.func @fold_of_a_fold
// CHECK: affine.parallel {{.*}} reduce ("maximumf")
// CHECK: affine.parallel {{.*}} reduce ("maximumf")
func.func @fold_of_a_fold(%a: memref<?xf32>, %b: memref<f32>) {
  %c0 = arith.constant 0 : index
  %least = arith.constant -100000.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %x = affine.for %i = 0 to %n iter_args(%s = %least) -> (f32) {
    %v = affine.load %a[%i] : memref<?xf32>
    %t = arith.maximumf %s, %v : f32
    affine.yield %t : f32
  }
  %y = affine.for %i = 0 to %n iter_args(%s = %least) -> (f32) {
    %t = arith.maximumf %s, %x : f32
    affine.yield %t : f32
  }
  affine.store %y, %b[] : memref<f32>
  return
}
