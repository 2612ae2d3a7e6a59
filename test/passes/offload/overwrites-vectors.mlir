// RUN: terrace-opt %s -pass-pipeline="builtin.module(offload-extents)" | FileCheck %s

// Which rows a vector goes to is not asked: behind the extents there is nothing that says
// whether all of the array is overwritten.
// CHECK-LABEL: func.func @vectors.extents(
// CHECK-SAME: -> (index, index, index, index) {
func.func @vectors(%n: index, %a: memref<?x4xf64>, %v: vector<2xf64>) attributes {acc.region = {}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      affine.store %z, %a[%i, %j] : memref<?x4xf64>
    }
    affine.vector_store %v, %a[%i + 3, 0] : memref<?x4xf64>, vector<2xf64>
  }
  return
}
