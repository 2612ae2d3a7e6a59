// A region of two constructs, of which the first has a directive on its loop, and the second, of `kernels`, none. Its
// nest was left to the compiler: the parallel loop stands outside, so that it is one kernel. The nest under a directive
// keeps its order.
//
// RUN: terrace-opt %s -offload-parallelize='reductions=outermost' | FileCheck %s

// CHECK-LABEL: func.func @columns
// CHECK:       affine.parallel (%{{.*}}) = (0) to (symbol(%{{.*}})) {
// CHECK-NEXT:    affine.store
// CHECK:       affine.parallel (%[[J:.*]]) = (0) to (symbol(%{{.*}})) {
// CHECK:         affine.for %[[I:.*]] = 0 to
// CHECK:           affine.load %{{.*}}[%[[I]], %[[J]]]
func.func @columns(%m: index, %n: index, %a: memref<?x?xf64>, %s: memref<?xf64>)
    attributes {acc.region = {construct = "kernels", noalias, source = "acc"}} {
  %zero = arith.constant 0.0 : f64
  affine.for %j = 0 to %n {
    affine.store %zero, %s[%j] : memref<?xf64>
  } {acc.loop = {independent}}
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %t = affine.load %s[%j] : memref<?xf64>
      %u = arith.addf %t, %x : f64
      affine.store %u, %s[%j] : memref<?xf64>
    }
  }
  return
}

// CHECK-LABEL: func.func @directed
// CHECK:       affine.for %[[I:.*]] = 0 to
// CHECK:         affine.parallel (%[[J:.*]]) = (0) to (symbol(%{{.*}})) {
func.func @directed(%m: index, %n: index, %a: memref<?x?xf64>, %s: memref<?xf64>)
    attributes {acc.region = {construct = "kernels", noalias, source = "acc"}} {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf64>
      %t = affine.load %s[%j] : memref<?xf64>
      %u = arith.addf %t, %x : f64
      affine.store %u, %s[%j] : memref<?xf64>
    } {acc.loop = {independent}}
  }
  return
}
