// RUN: terrace-opt %s -offload-parallelize="reassociate=false notes" -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: FileCheck %s < %t.out

// Every order has a loop that runs in order. As written it is i, inside which nothing but
// the last loop is parallel; with k outside all other loops are.
// NOTE: remark: schedule: the loops run in another order than written, in which 3 of 3 statements are in parallel loops (1 of 3 as written)
// CHECK-LABEL: @lu
// CHECK: affine.for %[[K:.*]] =
// CHECK-NEXT: affine.parallel (%[[I:.*]]) =
// CHECK: arith.divf
// CHECK: affine.parallel
// CHECK-NEXT: affine.parallel
// CHECK: arith.subf
// CHECK: affine.parallel
// CHECK-NEXT: affine.parallel
// CHECK: arith.subf
func.func @lu(%n: index {acc.name = "n"}, %A: memref<?x2000xf64> {acc.name = "A"}) attributes {acc.region = {construct = "kernels", source = "acc"}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %0 = affine.load %A[%i, %k] : memref<?x2000xf64>
        %1 = affine.load %A[%k, %j] : memref<?x2000xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %A[%i, %j] : memref<?x2000xf64>
        %4 = arith.subf %3, %2 : f64
        affine.store %4, %A[%i, %j] : memref<?x2000xf64>
      }
      %5 = affine.load %A[%j, %j] : memref<?x2000xf64>
      %6 = affine.load %A[%i, %j] : memref<?x2000xf64>
      %7 = arith.divf %6, %5 : f64
      affine.store %7, %A[%i, %j] : memref<?x2000xf64>
    }
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
        %0 = affine.load %A[%i, %k] : memref<?x2000xf64>
        %1 = affine.load %A[%k, %j] : memref<?x2000xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %A[%i, %j] : memref<?x2000xf64>
        %4 = arith.subf %3, %2 : f64
        affine.store %4, %A[%i, %j] : memref<?x2000xf64>
      }
    }
  }
  return
}

// Nothing is parallel but along diagonals. A sum with a value of its own goes with its
// statement.
// NOTE: remark: schedule: the loops run in another order than written, in which 1 of 1 statements are in parallel loops (0 of 1 as written)
// CHECK-LABEL: @diagonals
// CHECK: affine.for %[[D:.*]] =
// CHECK-NEXT: affine.parallel
// CHECK: affine.for {{.*}} iter_args
func.func @diagonals(%A: memref<2000x2000xf64> {acc.name = "A"}) attributes {acc.region = {construct = "auto", source = "scop"}} {
  affine.for %i = 1 to 2000 {
    affine.for %j = 1 to 2000 {
      %w = affine.load %A[%i, %j] : memref<2000x2000xf64>
      %s = affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) iter_args(%a = %w) -> f64 {
        %0 = affine.load %A[%i, %k] : memref<2000x2000xf64>
        %1 = affine.load %A[%i - 1, %j] : memref<2000x2000xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = arith.addf %a, %2 : f64
        affine.yield %3 : f64
      }
      affine.store %s, %A[%i, %j] : memref<2000x2000xf64>
    }
  }
  return
}

// So little on each diagonal that launching a kernel for it takes longer than the host
// does: the order as written is kept where the choice is the compiler's.
// NOTE-NOT: another order
// CHECK-LABEL: @short
// CHECK: affine.for
// CHECK-NEXT: affine.for
// CHECK-NOT: affine.parallel
func.func @short(%A: memref<20000x200xf64> {acc.name = "A"}) attributes {acc.region = {construct = "auto", source = "scop"}} {
  affine.for %i = 1 to 20000 {
    affine.for %j = 1 to 200 {
      %0 = affine.load %A[%i - 1, %j] : memref<20000x200xf64>
      %1 = affine.load %A[%i, %j - 1] : memref<20000x200xf64>
      %2 = arith.addf %0, %1 : f64
      affine.store %2, %A[%i, %j] : memref<20000x200xf64>
    }
  }
  return
}

// A directive on a loop, and constructs that say that loops are parallel, keep the order.
// CHECK-LABEL: @directed
// CHECK: affine.for
// CHECK-NEXT: affine.parallel
// CHECK-LABEL: @construct
// CHECK: affine.for
// CHECK-NEXT: affine.parallel
func.func @directed(%a: memref<2000x2000xf64>) attributes {acc.region = {construct = "kernels"}} {
  affine.for %i = 1 to 2000 {
    affine.for %j = 0 to 2000 {
      %0 = affine.load %a[%i - 1, %j] : memref<2000x2000xf64>
      affine.store %0, %a[%i, %j] : memref<2000x2000xf64>
    } {acc.loop = {independent}}
  }
  return
}

func.func @construct(%a: memref<2000x2000xf64>) attributes {acc.region = {construct = "parallel"}} {
  affine.for %i = 1 to 2000 {
    affine.for %j = 0 to 2000 {
      %0 = affine.load %a[%i - 1, %j] : memref<2000x2000xf64>
      affine.store %0, %a[%i, %j] : memref<2000x2000xf64>
    }
  }
  return
}
