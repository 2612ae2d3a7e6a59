// Transfers are from what a cast only made less known, and within it where that is sure.
//
// RUN: terrace-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @bounds(
// CHECK-SAME: %[[A:.*]]: memref<4x8xf32>, %[[I:.*]]: index)
func.func @bounds(%a: memref<4x8xf32>, %i: index) -> (vector<4x8xf32>, vector<2x8xf32>, vector<4xf32>, vector<[4]xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f0 = arith.constant 0.0 : f32
  %0 = memref.cast %a : memref<4x8xf32> to memref<?x?xf32>
  // CHECK: vector.transfer_read %[[A]][%{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true, true]} : memref<4x8xf32>, vector<4x8xf32>
  %1 = vector.transfer_read %0[%c0, %c0], %f0 : memref<?x?xf32>, vector<4x8xf32>
  // CHECK: vector.transfer_read %[[A]][%[[I]], %{{.*}}], %{{.*}} : memref<4x8xf32>, vector<2x8xf32>
  %2 = vector.transfer_read %0[%i, %c1], %f0 : memref<?x?xf32>, vector<2x8xf32>
  // CHECK: vector.transfer_read %[[A]][%{{.*}}, %{{.*}}], %{{.*}} {in_bounds = [true]} : memref<4x8xf32>, vector<4xf32>
  %3 = vector.transfer_read %0[%i, %c1], %f0 : memref<?x?xf32>, vector<4xf32>
  // CHECK: vector.transfer_read %[[A]][%{{.*}}, %{{.*}}], %{{.*}} : memref<4x8xf32>, vector<[4]xf32>
  %4 = vector.transfer_read %0[%c0, %c0], %f0 : memref<?x?xf32>, vector<[4]xf32>
  // CHECK: vector.transfer_write %{{.*}}, %[[A]][%{{.*}}, %{{.*}}] {in_bounds = [true, true]} : vector<4x8xf32>, memref<4x8xf32>
  vector.transfer_write %1, %0[%c0, %c0] : vector<4x8xf32>, memref<?x?xf32>
  return %1, %2, %3, %4 : vector<4x8xf32>, vector<2x8xf32>, vector<4xf32>, vector<[4]xf32>
}
