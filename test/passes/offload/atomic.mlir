// RUN: terrace-opt %s -offload-parallelize=notes -o %t.out 2>&1 | FileCheck %s --check-prefix=NOTE
// RUN: FileCheck %s < %t.out

// A sum in memory that several iterations of a loop said to be independent add to is
// updated atomically.
// NOTE: remark: the loop over i is parallel, because the directive says so; the directive was followed: independent
// NOTE: note: the sum in s[0] is updated atomically

// CHECK-LABEL: @sum
// CHECK: affine.parallel
// CHECK: memref.atomic_rmw addf %{{.*}}, %{{.*}}[%{{.*}}]
// CHECK-NOT: affine.store
func.func @sum(%n: index, %a: memref<?xf64> {acc.name = "a"}, %s: memref<?xf64> {acc.name = "s"}) attributes {acc.region = {construct = "parallel"}} {
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : memref<?xf64>
    %0 = affine.load %s[0] : memref<?xf64>
    %1 = arith.addf %0, %x : f64
    affine.store %1, %s[0] : memref<?xf64>
  } {acc.loop = {independent}}
  return
}

// Several loops that carry the same sum: one atomic op; without a directive the order
// stays.
// CHECK-LABEL: @nested
// CHECK: affine.parallel
// CHECK: affine.parallel
// CHECK: memref.atomic_rmw addi
// CHECK-NOT: memref.atomic_rmw
// CHECK: affine.for
func.func @nested(%n: index, %h: memref<?xi32> {acc.name = "h"}, %v: i32) attributes {acc.region = {construct = "parallel"}} {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %0 = affine.load %h[7] : memref<?xi32>
      %1 = arith.addi %0, %v : i32
      affine.store %1, %h[7] : memref<?xi32>
    }
  } {acc.loop = {collapse = 2 : i64}}
  affine.for %i = 0 to %n {
    %0 = affine.load %h[7] : memref<?xi32>
    %1 = arith.addi %0, %v : i32
    affine.store %1, %h[7] : memref<?xi32>
  }
  return
}
