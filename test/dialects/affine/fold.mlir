// RUN: terrace-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @apply_constant
func.func @apply_constant() -> index {
  %c3 = arith.constant 3 : index
  // CHECK: %[[C:.*]] = arith.constant 11 : index
  // CHECK-NEXT: return %[[C]]
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 * 3 + s0 - 1)>(%c3)[%c3]
  return %0 : index
}

// CHECK-LABEL: func.func @apply_identity
// CHECK-SAME: (%[[I:.*]]: index)
func.func @apply_identity(%i: index) -> index {
  // CHECK-NEXT: return %[[I]]
  %0 = affine.apply affine_map<(d0) -> (d0)>(%i)
  return %0 : index
}

// CHECK-LABEL: func.func @min_max_constant
func.func @min_max_constant() -> (index, index) {
  %c3 = arith.constant 3 : index
  // CHECK-DAG: %[[MIN:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[MAX:.*]] = arith.constant 7 : index
  // CHECK: return %[[MIN]], %[[MAX]]
  %0 = affine.min affine_map<(d0) -> (d0 - 1, d0 + 4)>(%c3)
  %1 = affine.max affine_map<(d0) -> (d0 - 1, d0 + 4)>(%c3)
  return %0, %1 : index, index
}

// CHECK-LABEL: func.func @bounds
func.func @bounds(%a: memref<?xf32>, %n: index, %x: f32) {
  %c2 = arith.constant 2 : index
  %m = affine.apply affine_map<()[s0] -> (s0 + 1)>()[%n]
  // CHECK: affine.for %{{.*}} = 6 to #{{.*}}()[%{{.*}}] {
  affine.for %i = affine_map<()[s0] -> (s0 * 3)>()[%c2] to %m {
    affine.store %x, %a[%i] : memref<?xf32>
  }
  // CHECK: affine.for %{{.*}} = 0 to 8 {
  affine.for %i = 0 to min affine_map<() -> (8, 12)>() {
    affine.store %x, %a[%i] : memref<?xf32>
  }
  return
}

// CHECK-LABEL: func.func @never_runs
// CHECK-SAME: (%[[X:.*]]: f32)
func.func @never_runs(%x: f32) -> f32 {
  // CHECK-NEXT: return %[[X]]
  %0 = affine.for %i = 5 to 5 iter_args(%a = %x) -> (f32) {
    %1 = arith.addf %a, %a : f32
    affine.yield %1 : f32
  }
  return %0 : f32
}

// CHECK-LABEL: func.func @empty_body
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[N:.*]]: index)
func.func @empty_body(%x: f32, %y: f32, %n: index) -> (f32, f32, f32) {
  // Carried unchanged, however often it runs.
  %0 = affine.for %i = 0 to %n iter_args(%a = %x) -> (f32) {
    affine.yield %a : f32
  }
  // Swapped once.
  %1:2 = affine.for %i = 0 to 1 iter_args(%a = %x, %b = %y) -> (f32, f32) {
    affine.yield %b, %a : f32, f32
  }
  // Not known whether it runs at all.
  // CHECK-NEXT: %[[R:.*]] = affine.for
  %2 = affine.for %i = 0 to %n iter_args(%a = %x) -> (f32) {
    affine.yield %y : f32
  }
  // CHECK: return %[[X]], %[[Y]], %[[R]]
  return %0, %1#0, %2 : f32, f32, f32
}

// CHECK-LABEL: func.func @digits
func.func @digits() -> (index, index, index, index) {
  %c = arith.constant -22 : index
  // -22 is -1 * 24 + 0 * 8 + 2
  // CHECK-DAG: %[[A:.*]] = arith.constant -1 : index
  // CHECK-DAG: %[[B:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C:.*]] = arith.constant 2 : index
  // CHECK-DAG: %[[D:.*]] = arith.constant -22 : index
  %0:3 = affine.delinearize_index %c into (3, 8) : index, index, index
  %1 = affine.linearize_index [%0#0, %0#1, %0#2] by (3, 8) : index
  // CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
  return %0#0, %0#1, %0#2, %1 : index, index, index, index
}

// CHECK-LABEL: func.func @through_cast
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>
func.func @through_cast(%a: memref<4xf32>, %i: index) -> f32 {
  %0 = memref.cast %a : memref<4xf32> to memref<?xf32>
  // CHECK-NEXT: affine.load %[[A]][symbol(%{{.*}})] : memref<4xf32>
  %1 = affine.load %0[%i] : memref<?xf32>
  // CHECK-NEXT: affine.store %{{.*}}, %[[A]][symbol(%{{.*}}) + 1] : memref<4xf32>
  affine.store %1, %0[%i + 1] : memref<?xf32>
  return %1 : f32
}

memref.global "private" constant @table : memref<2x2xi32> = dense<[[1, 2], [3, 4]]>
memref.global "private" constant @halves : memref<8xf32> = dense<0.5>

// CHECK-LABEL: func.func @from_global
func.func @from_global(%i: index) -> (i32, f32) {
  %0 = memref.get_global @table : memref<2x2xi32>
  %1 = memref.get_global @halves : memref<8xf32>
  // CHECK-DAG: %[[T:.*]] = arith.constant 3 : i32
  // CHECK-DAG: %[[H:.*]] = arith.constant 5.000000e-01 : f32
  %2 = affine.load %0[1, 0] : memref<2x2xi32>
  %3 = affine.load %1[%i] : memref<8xf32>
  // CHECK: return %[[T]], %[[H]]
  return %2, %3 : i32, f32
}
