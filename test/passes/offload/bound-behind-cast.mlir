// RUN: terrace-opt %s -offload-parallelize | FileCheck %s

// The loop's bound is an index, of which analyses see the 64-bit integer behind the cast.
// The loops that it is split into have the index again.

// CHECK-LABEL: func.func @split
// CHECK: %[[N:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK-NEXT: affine.parallel (%{{.*}}) = (0) to (symbol(%[[N]]))
// CHECK: affine.for %{{.*}} = 0 to %[[N]]
func.func @split(%n: i64, %x: memref<?xi32>, %sum: memref<?xi64>) attributes {acc.region = {construct = "kernels", source = "acc"}} {
  %c1_i32 = arith.constant 1 : i32
  %c1_i64 = arith.constant 1 : i64
  %bound = arith.index_cast %n : i64 to index
  affine.for %i = 0 to %bound {
    %1 = affine.load %x[%i * 3 + 12] : memref<?xi32>
    %2 = arith.addi %1, %c1_i32 : i32
    affine.store %2, %x[%i * 3 + 12] : memref<?xi32>
    %3 = affine.load %sum[38] : memref<?xi64>
    %4 = arith.subi %3, %c1_i64 : i64
    affine.store %4, %sum[38] : memref<?xi64>
  }
  return
}
