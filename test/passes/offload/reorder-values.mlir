// RUN: terrace-opt %s -offload-parallelize='schedule=auto' | FileCheck %s

// LU as C has it: a variable starts as the element, is subtracted from, and is stored to it in
// the end. For another order of the loops it is the element: all updates of a step of k are
// parallel, along both loops.
// CHECK-LABEL: func.func @lu
// CHECK-NEXT: affine.for %[[K:.*]] =
// CHECK: affine.parallel
// CHECK: arith.divf
// CHECK: affine.parallel
// CHECK: affine.parallel
// CHECK: arith.subf
// CHECK: affine.store
// CHECK-NOT: iter_args
// CHECK: return
func.func @lu(%A: memref<?x?xf64>, %n: index) attributes {acc.region = {construct = "auto", noalias}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %w = affine.for %k = 0 to affine_map<(j) -> (j)>(%j) iter_args(%s = %a) -> f64 {
        %x = affine.load %A[%i, %k] : memref<?x?xf64>
        %y = affine.load %A[%k, %j] : memref<?x?xf64>
        %p = arith.mulf %x, %y : f64
        %q = arith.subf %s, %p : f64
        affine.yield %q : f64
      }
      %d = affine.load %A[%j, %j] : memref<?x?xf64>
      %r = arith.divf %w, %d : f64
      affine.store %r, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %j = affine_map<(i) -> (i)>(%i) to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %w = affine.for %k = 0 to affine_map<(i) -> (i)>(%i) iter_args(%s = %a) -> f64 {
        %x = affine.load %A[%i, %k] : memref<?x?xf64>
        %y = affine.load %A[%k, %j] : memref<?x?xf64>
        %p = arith.mulf %x, %y : f64
        %q = arith.subf %s, %p : f64
        affine.yield %q : f64
      }
      affine.store %w, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Where the element is read on the way, the variable stays.
// CHECK-LABEL: func.func @reads
// CHECK: affine.parallel {{.*}} reduce ("addf", "maximumf") -> (f64, f64)
// CHECK-NOT: memref.alloca
// CHECK: return
func.func @reads(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %n: index) attributes {acc.region = {construct = "auto", noalias}} {
  affine.for %i = 1 to %n {
    affine.for %j = 1 to %n {
      %a = affine.load %A[%i - 1, %j] : memref<?x?xf64>
      %w:2 = affine.for %k = 0 to %n iter_args(%s = %a, %m = %a) -> (f64, f64) {
        %x = affine.load %A[%i, %k] : memref<?x?xf64>
        %q = arith.subf %s, %x : f64
        %o = arith.maximumf %m, %x : f64
        affine.yield %q, %o : f64, f64
      }
      affine.store %w#0, %A[%i, %j] : memref<?x?xf64>
      affine.store %w#1, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
