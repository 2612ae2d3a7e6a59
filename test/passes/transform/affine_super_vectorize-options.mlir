// RUN: terrace-opt %s -affine-super-vectorize="virtual-vector-size=4 vectorize-reductions" | FileCheck %s --check-prefix=REDUCE
// RUN: terrace-opt %s -affine-super-vectorize="virtual-vector-size=4,8" | FileCheck %s --check-prefix=TWO
// RUN: terrace-opt %s -affine-super-vectorize="virtual-vector-size=4 test-fastest-varying=1" | FileCheck %s --check-prefix=COLUMN
// RUN: terrace-opt %s -affine-super-vectorize="virtual-vector-size=4 vectorize-reductions cleanup-loop" | FileCheck %s --check-prefix=CLEANUP
// RUN: not terrace-opt %s -affine-super-vectorize="virtual-vector-size=4,8 cleanup-loop" 2>&1 | FileCheck %s --check-prefix=CLEANUP-RANK
// RUN: not terrace-opt %s -affine-super-vectorize="virtual-vector-size=4,8 vectorize-reductions" 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not terrace-opt %s -affine-super-vectorize="virtual-vector-size=0" 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not terrace-opt %s -affine-super-vectorize="virtual-vector-size=4 test-fastest-varying=0,1" 2>&1 | FileCheck %s --check-prefix=PATTERN

// RANK: error: {{.*}}Vectorizing reductions is supported only for 1-D vectors.
// ZERO: error: {{.*}}Vectorization factor must be greater than zero.
// PATTERN: error: {{.*}}Fastest varying pattern specified with different size than the vector size.

// CLEANUP-RANK: error: {{.*}}'cleanup-loop' is only for 1-D vectors.

// CLEANUP-LABEL: @product
// CLEANUP: %[[Z:.*]] = arith.constant 0 : i32
// CLEANUP: %[[X:.*]] = vector.transfer_read %arg0[%{{.*}}], %[[Z]] {in_bounds = [true]}
// CLEANUP: arith.muli %{{.*}}, %[[X]]
// CLEANUP: %[[P:.*]] = vector.reduction <mul>
// CLEANUP: %[[W:.*]] = arith.muli %[[P]], %arg1
// CLEANUP: %[[R:.*]] = affine.for %{{.*}} = max {{.*}} to %arg2 iter_args(%{{.*}} = %[[W]]) -> (i32) {
// CLEANUP-NEXT: affine.load
// CLEANUP: return %[[R]]

// REDUCE-LABEL: @product
// REDUCE: %[[R:.*]] = affine.for %[[J:.*]] = 0 to %arg2 step 4 iter_args(%[[S:.*]] = %[[ONES:.*]]) -> (vector<4xi32>) {
// REDUCE: %[[M:.*]] = vector.create_mask
// REDUCE: %[[X:.*]] = vector.transfer_read
// REDUCE: %[[Y:.*]] = arith.select %[[M]], %[[X]], %[[ONES]]
// REDUCE: arith.muli %[[S]], %[[Y]]
// REDUCE: %[[P:.*]] = vector.reduction <mul>, %[[R]] : vector<4xi32> into i32
// REDUCE: %[[W:.*]] = arith.muli %[[P]], %arg1
// REDUCE: return %[[W]]
func.func @product(%a: memref<8xi32>, %init: i32, %n: index) -> i32 {
  %r = affine.for %j = 0 to %n iter_args(%s = %init) -> (i32) {
    %0 = affine.load %a[%j] : memref<8xi32>
    %1 = arith.muli %s, %0 : i32
    affine.yield %1 : i32
  }
  return %r : i32
}

// TWO-LABEL: @nest
// TWO: affine.for %[[I:.*]] = 0 to 32 step 4 {
// TWO-NEXT: affine.for %[[J:.*]] = 0 to 64 step 8 {
// TWO: vector.transfer_read %arg0[%[[I]], %[[J]]], %{{.*}} : memref<32x64xf32>, vector<4x8xf32>
// COLUMN-LABEL: @nest
// COLUMN: affine.for %{{.*}} = 0 to 32 step 4 {
// COLUMN-NEXT: affine.for %{{.*}} = 0 to 64 {
// COLUMN: vector.transfer_write
func.func @nest(%a: memref<32x64xf32>, %b: memref<32x64xf32>) {
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %a[%i, %j] : memref<32x64xf32>
      affine.store %0, %b[%i, %j] : memref<32x64xf32>
    }
  }
  return
}

// A vector of the outer loop alone would store one lane many times.
// TWO-LABEL: @store_outside_the_inner_loop
// TWO-NOT: vector.transfer
func.func @store_outside_the_inner_loop(%a: memref<32x64xf32>, %b: memref<32xf32>, %x: f32) {
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 64 {
      affine.store %x, %a[%i, %j] : memref<32x64xf32>
    }
    affine.store %x, %b[%i] : memref<32xf32>
  }
  return
}
