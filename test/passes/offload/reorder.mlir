// RUN: terrace-opt %s -offload-parallelize=notes -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: FileCheck %s < %t.out
// RUN: terrace-opt %s -offload-parallelize="schedule=none" | FileCheck %s --check-prefix=KEPT

// The two sums want different outer loops: distributed, and one of them interchanged.
// The notes are about the loops as written.
// NOTE: remark: the loop over i runs in order: every iteration updates y[j] from what the one before left there
// NOTE: remark: the loop over j runs in order: every iteration updates tmp[i] from what the one before left there
// NOTE: remark: the loop over j is parallel
// NOTE: remark: schedule: the loops run in another order than written, in which 3 of 3 statements are in outermost parallel loops (0 of 3 as written)
// CHECK-LABEL: @atax
// CHECK: affine.parallel
// CHECK: affine.parallel
// CHECK-NEXT: affine.for
// CHECK: affine.parallel
// CHECK-NEXT: affine.for
// CHECK-NOT: affine.for
// KEPT-LABEL: @atax
// KEPT: affine.for
// KEPT: affine.for
// KEPT: affine.parallel
func.func @atax(%A: memref<200x210xf64> {acc.name = "A"}, %x: memref<210xf64> {acc.name = "x"}, %y: memref<210xf64> {acc.name = "y"}, %tmp: memref<200xf64> {acc.name = "tmp"}) attributes {acc.region = {construct = "auto"}} {
  %z = arith.constant 0.0 : f64
  affine.for %i = 0 to 200 {
    affine.store %z, %tmp[%i] : memref<200xf64>
    affine.for %j = 0 to 210 {
      %0 = affine.load %tmp[%i] : memref<200xf64>
      %1 = affine.load %A[%i, %j] : memref<200x210xf64>
      %2 = affine.load %x[%j] : memref<210xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      affine.store %4, %tmp[%i] : memref<200xf64>
    }
    affine.for %j = 0 to 210 {
      %0 = affine.load %y[%j] : memref<210xf64>
      %1 = affine.load %A[%i, %j] : memref<200x210xf64>
      %2 = affine.load %tmp[%i] : memref<200xf64>
      %3 = arith.mulf %1, %2 : f64
      %4 = arith.addf %0, %3 : f64
      affine.store %4, %y[%j] : memref<210xf64>
    }
  }
  return
}

// A directive on a loop keeps the order as written.
// CHECK-LABEL: @directed
// CHECK: affine.for
// CHECK-NEXT: affine.parallel
func.func @directed(%a: memref<100x100xf64>) attributes {acc.region = {construct = "auto"}} {
  affine.for %i = 1 to 100 {
    affine.for %j = 0 to 100 {
      %0 = affine.load %a[%i - 1, %j] : memref<100x100xf64>
      affine.store %0, %a[%i, %j] : memref<100x100xf64>
    } {acc.loop = {vector}}
  }
  return
}

// CHECK-LABEL: @interchanged
// CHECK: affine.parallel
// CHECK-NEXT: affine.for
func.func @interchanged(%a: memref<100x100xf64>) attributes {acc.region = {construct = "auto"}} {
  affine.for %i = 1 to 100 {
    affine.for %j = 0 to 100 {
      %0 = affine.load %a[%i - 1, %j] : memref<100x100xf64>
      affine.store %0, %a[%i, %j] : memref<100x100xf64>
    }
  }
  return
}
