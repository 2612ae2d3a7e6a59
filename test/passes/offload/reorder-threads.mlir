// RUN: terrace-opt %s -offload-parallelize="reassociate=false notes" -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: FileCheck %s < %t.out

// As written a thread has a row to itself, and goes through its columns for each k.
// NOTE: remark: schedule: the loops run in another order than written, in which 2 of 2 statements have threads along two loops or more (0 of 2 as written)
// CHECK-LABEL: @product
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK-NEXT: affine.parallel (%[[J:.*]]) =
// CHECK: arith.mulf
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK-NEXT: affine.parallel (%[[J:.*]]) =
// CHECK-NEXT: affine.for
// CHECK: arith.addf
func.func @product(%n: index {acc.name = "n"}, %b: f64, %A: memref<?x900xf64>, %B: memref<?x900xf64>, %C: memref<?x900xf64> {acc.name = "C"}) attributes {acc.region = {construct = "auto", noalias, source = "scop"}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      %0 = affine.load %C[%i, %j] : memref<?x900xf64>
      %1 = arith.mulf %0, %b : f64
      affine.store %1, %C[%i, %j] : memref<?x900xf64>
    }
    affine.for %k = 0 to %n {
      affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
        %0 = affine.load %A[%i, %k] : memref<?x900xf64>
        %1 = affine.load %B[%k, %j] : memref<?x900xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x900xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x900xf64>
      }
    }
  }
  return
}

// One loop in order on the outside leaves two parallel ones; with the parallel one outside
// there is only that.
// NOTE: remark: schedule: the loops run in another order than written, in which 1 of 1 statements have threads along two loops or more (0 of 1 as written)
// CHECK-LABEL: @triangle
// CHECK: affine.for %[[K:.*]] =
// CHECK-NEXT: affine.parallel (%[[I:.*]]) = (0) to (%[[K]])
// CHECK-NEXT: affine.parallel
// CHECK-NOT: affine.for
func.func @triangle(%n: index, %A: memref<?x900xf64>, %B: memref<?x900xf64> {acc.name = "B"}) attributes {acc.region = {construct = "kernels", noalias, source = "acc"}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
        %0 = affine.load %A[%k, %i] : memref<?x900xf64>
        %1 = affine.load %B[%k, %j] : memref<?x900xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %B[%i, %j] : memref<?x900xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %B[%i, %j] : memref<?x900xf64>
      }
    }
  }
  return
}

// The sum and the updates stand in one loop, and neither needs the other there.
// NOTE: remark: schedule: the loops run in another order than written, in which 2 of 2 statements have threads along two loops or more (0 of 2 as written)
// CHECK-LABEL: @symmetric
// CHECK: affine.parallel
// CHECK-NEXT: affine.parallel
// CHECK: %[[SUM:.*]] = affine.for
// CHECK-NOT: affine.store
// CHECK: affine.yield
// CHECK: affine.store %[[SUM]]
// CHECK: affine.parallel
// CHECK-NEXT: affine.parallel
// CHECK-NEXT: affine.for
// CHECK: affine.store
func.func @symmetric(%m: index, %n: index, %A: memref<?x900xf64>, %B: memref<?x900xf64>, %C: memref<?x900xf64> {acc.name = "C"}) attributes {acc.region = {construct = "auto", noalias, source = "scop"}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %s = affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%t = %z) -> f64 {
        %0 = affine.load %B[%i, %j] : memref<?x900xf64>
        %1 = affine.load %A[%i, %k] : memref<?x900xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%k, %j] : memref<?x900xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%k, %j] : memref<?x900xf64>
        %5 = affine.load %B[%k, %j] : memref<?x900xf64>
        %6 = arith.mulf %5, %1 : f64
        %7 = arith.addf %t, %6 : f64
        affine.yield %7 : f64
      }
      affine.store %s, %C[%i, %j] : memref<?x900xf64>
    }
  }
  return
}

// What directives say of the loops still holds then: i and j are shared out, k runs in
// order.
// NOTE: remark: schedule: the loops run in another order than written, in which 1 of 1 statements have threads along two loops or more (0 of 1 as written)
// CHECK-LABEL: @shared_out
// CHECK: affine.parallel
// CHECK-NEXT: affine.parallel
// CHECK-NEXT: affine.for
func.func @shared_out(%n: index, %A: memref<?x900xf64>, %B: memref<?x900xf64>, %C: memref<?x900xf64> {acc.name = "C"}) attributes {acc.region = {construct = "parallel", noalias, source = "acc"}} {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %A[%i, %k] : memref<?x900xf64>
        %1 = affine.load %B[%k, %j] : memref<?x900xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x900xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x900xf64>
      } {acc.loop = {vector}}
    } {acc.loop = {seq}}
  } {acc.loop = {gang}}
  return
}

// So it does beside a sum, and where iterations have values of their own.
// NOTE: remark: schedule: the loops run in another order than written, in which 1 of 1 statements have threads along two loops or more (0 of 1 as written)
// CHECK-LABEL: @beside_a_sum
// CHECK: affine.parallel
// CHECK-SAME: reduce
// CHECK: affine.parallel
// CHECK-NEXT: affine.parallel
// CHECK-NEXT: affine.for
func.func @beside_a_sum(%n: index, %s: f64, %A: memref<?x900xf64>, %B: memref<?x900xf64>, %C: memref<?x900xf64> {acc.name = "C"}) -> f64 attributes {acc.region = {construct = "kernels", noalias, source = "acc"}} {
  %sum = affine.for %i = 0 to %n iter_args(%so_far = %s) -> (f64) {
    %0 = affine.load %A[%i, 0] : memref<?x900xf64>
    %1 = arith.addf %so_far, %0 : f64
    affine.yield %1 : f64
  } {acc.loop = {independent, reduction}}
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %A[%i, %k] : memref<?x900xf64>
        %1 = affine.load %B[%k, %j] : memref<?x900xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x900xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x900xf64>
      }
    }
  } {acc.loop = {independent, private}}
  return %sum : f64
}

// A loop that has to run in order does not become parallel, and numbers of gangs are about
// the loop as it stands.
// NOTE-NOT: another order
// CHECK-LABEL: @in_order
// CHECK: affine.for
// CHECK-NEXT: affine.parallel
// CHECK-NEXT: affine.for
// CHECK-LABEL: @numbers
// CHECK: affine.parallel
// CHECK-NEXT: affine.for
// CHECK-NEXT: affine.parallel
func.func @in_order(%n: index, %A: memref<?x900xf64>, %B: memref<?x900xf64>) attributes {acc.region = {construct = "kernels", noalias, source = "acc"}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d0) -> (d0 + 1)>(%i) to %n {
        %0 = affine.load %A[%k, %i] : memref<?x900xf64>
        %1 = affine.load %B[%k, %j] : memref<?x900xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %B[%i, %j] : memref<?x900xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %B[%i, %j] : memref<?x900xf64>
      }
    } {acc.loop = {independent}}
  } {acc.loop = {seq}}
  return
}

func.func @numbers(%n: index, %A: memref<?x900xf64>, %B: memref<?x900xf64>, %C: memref<?x900xf64>) attributes {acc.region = {construct = "parallel", noalias, source = "acc"}} {
  affine.for %i = 0 to %n {
    affine.for %k = 0 to %n {
      affine.for %j = 0 to %n {
        %0 = affine.load %A[%i, %k] : memref<?x900xf64>
        %1 = affine.load %B[%k, %j] : memref<?x900xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x900xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x900xf64>
      } {acc.loop = {vector}}
    }
  } {acc.loop = {gang = 64}}
  return
}

// Each iteration over i and j fills t and reads it: with a part of it for each, whose last
// comes back, all three loops are threads.
// NOTE: remark: schedule: the loops run in another order than written, in which 3 of 4 statements have threads along two loops or more (0 of 3 as written)
// CHECK-LABEL: @rows
// CHECK: %[[T:.*]] = memref.alloc(%{{.*}}, %{{.*}}) : memref<?x?x16xf64>
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK-NEXT: affine.parallel (%[[J:.*]]) =
// CHECK-NEXT: affine.parallel (%[[K:.*]]) =
// CHECK: affine.store %{{.*}}, %[[T]][%[[I]], %[[J]], %[[K]]]
// CHECK: affine.if
// CHECK-NEXT: affine.parallel (%[[K:.*]]) =
// CHECK-NEXT: %[[LAST:.*]] = affine.load %[[T]][symbol(%{{.*}}) - 1, symbol(%{{.*}}) - 1, %[[K]]]
// CHECK-NEXT: affine.store %[[LAST]], %arg{{.*}}[%[[K]]]
// CHECK-NOT: affine.parallel
// CHECK: memref.dealloc %[[T]]
func.func @rows(%n: index, %m: index, %p: index, %t: memref<16xf64>, %A: memref<?x900x16xf64> {acc.name = "A"}, %B: memref<?x16xf64>) attributes {acc.region = {construct = "auto", noalias, source = "scop"}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.for %k = 0 to %p {
        affine.store %z, %t[%k] : memref<16xf64>
        affine.for %l = 0 to %p {
          %0 = affine.load %A[%i, %j, %l] : memref<?x900x16xf64>
          %1 = affine.load %B[%l, %k] : memref<?x16xf64>
          %2 = arith.mulf %0, %1 : f64
          %3 = affine.load %t[%k] : memref<16xf64>
          %4 = arith.addf %3, %2 : f64
          affine.store %4, %t[%k] : memref<16xf64>
        }
      }
      affine.for %k = 0 to %p {
        %0 = affine.load %t[%k] : memref<16xf64>
        affine.store %0, %A[%i, %j, %k] : memref<?x900x16xf64>
      }
    }
  }
  return
}
