// RUN: terrace-opt %s -affine-super-vectorize=virtual-vector-size=4 -split-input-file -allow-unregistered-dialect -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @add
// CHECK: %[[X:.*]] = vector.broadcast %arg2 : f32 to vector<4xf32>
// CHECK: affine.for %[[I:.*]] = 0 to 64 step 4 {
// CHECK-NEXT: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<4xf32>
// CHECK-NEXT: %[[P:.*]] = ub.poison : f32
// CHECK-NEXT: %[[A:.*]] = vector.transfer_read %arg0[%[[I]]], %[[P]] : memref<64xf32>, vector<4xf32>
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[X]] : vector<4xf32>
// CHECK-NEXT: %[[C:.*]] = arith.mulf %[[B]], %[[ONE]] : vector<4xf32>
// CHECK-NEXT: vector.transfer_write %[[C]], %arg1[%[[I]]] : vector<4xf32>, memref<64xf32>
func.func @add(%a: memref<64xf32>, %b: memref<64xf32>, %x: f32) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<64xf32>
    %1 = arith.addf %0, %x : f32
    %2 = arith.mulf %1, %one : f32
    affine.store %2, %b[%i] : memref<64xf32>
  }
  return
}

// -----

// The loop ends with the memref: what is past it is out of bounds.
// CHECK-LABEL: @ends_with_memref
// CHECK: vector.transfer_write %{{.*}}, %arg1[%{{.*}}] :
func.func @ends_with_memref(%a: memref<63xf32>, %b: memref<63xf32>) {
  affine.for %i = 0 to 63 {
    %0 = affine.load %a[%i] : memref<63xf32>
    affine.store %0, %b[%i] : memref<63xf32>
  }
  return
}

// -----

// Here it does not, and lanes past its end must not store.
// CHECK-LABEL: @ends_before
// CHECK: affine.for %[[I:.*]] = 0 to %arg2 step 4 {
// CHECK: %[[N:.*]] = affine.apply affine_map<(d0)[s0] -> (-d0 + s0)>(%[[I]])[%arg2]
// CHECK: %[[M:.*]] = vector.create_mask %[[N]] : vector<4xi1>
// CHECK: vector.transfer_write %{{.*}}, %arg1[%[[I]]], %[[M]]
func.func @ends_before(%a: memref<64xf32>, %b: memref<64xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %a[%i] : memref<64xf32>
    affine.store %0, %b[%i] : memref<64xf32>
  }
  return
}

// -----

// CHECK-LABEL: @division_past_the_end
// CHECK-NOT: vector
// CHECK-LABEL: @division
// CHECK: arith.divsi %{{.*}} : vector<4xi32>
func.func @division_past_the_end(%a: memref<64xi32>, %b: memref<64xi32>) {
  affine.for %i = 0 to 63 {
    %0 = affine.load %a[%i] : memref<64xi32>
    %1 = affine.load %b[%i] : memref<64xi32>
    %2 = arith.divsi %0, %1 : i32
    affine.store %2, %b[%i] : memref<64xi32>
  }
  return
}
func.func @division(%a: memref<64xi32>, %b: memref<64xi32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<64xi32>
    %1 = affine.load %b[%i] : memref<64xi32>
    %2 = arith.divsi %0, %1 : i32
    affine.store %2, %b[%i] : memref<64xi32>
  }
  return
}

// -----

// Elements that are not one behind the other.
// CHECK-LABEL: @stride
// CHECK-NOT: vector
// CHECK-LABEL: @backwards
// CHECK-NOT: vector
// CHECK-LABEL: @step
// CHECK-NOT: vector
// CHECK-LABEL: @diagonal
// CHECK-NOT: vector
func.func @stride(%a: memref<64xf32>, %b: memref<32xf32>) {
  affine.for %i = 0 to 32 {
    %0 = affine.load %a[%i * 2] : memref<64xf32>
    affine.store %0, %b[%i] : memref<32xf32>
  }
  return
}
func.func @backwards(%a: memref<32xf32>, %b: memref<32xf32>) {
  affine.for %i = 0 to 32 {
    %0 = affine.load %a[-%i + 31] : memref<32xf32>
    affine.store %0, %b[%i] : memref<32xf32>
  }
  return
}
func.func @step(%a: memref<32xf32>, %b: memref<32xf32>) {
  affine.for %i = 0 to 32 step 2 {
    %0 = affine.load %a[%i] : memref<32xf32>
    affine.store %0, %b[%i] : memref<32xf32>
  }
  return
}
func.func @diagonal(%a: memref<32x32xf32>, %b: memref<32xf32>) {
  affine.for %i = 0 to 32 {
    %0 = affine.load %a[%i, %i] : memref<32x32xf32>
    affine.store %0, %b[%i] : memref<32xf32>
  }
  return
}

// -----

// A period that whole vectors fit in, and one that they do not.
// CHECK-LABEL: @period
// CHECK: vector.transfer_read %arg0
// CHECK-LABEL: @broken_period
// CHECK-NOT: vector
func.func @period(%a: memref<8xf32>, %b: memref<32xf32>) {
  affine.for %i = 0 to 32 {
    %0 = affine.load %a[%i mod 8] : memref<8xf32>
    affine.store %0, %b[%i] : memref<32xf32>
  }
  return
}
func.func @broken_period(%a: memref<8xf32>, %b: memref<32xf32>) {
  affine.for %i = 0 to 32 {
    %0 = affine.load %a[%i mod 6] : memref<8xf32>
    affine.store %0, %b[%i] : memref<32xf32>
  }
  return
}

// -----

// CHECK-LABEL: @dependence
// CHECK-NOT: vector
func.func @dependence(%a: memref<65xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %a[%i] : memref<65xf32>
    affine.store %0, %a[%i + 1] : memref<65xf32>
  }
  return
}

// -----

// The outer loop runs in vectors; the inner one carries them.
// CHECK-LABEL: @carried_inside
// CHECK: affine.for %[[I:.*]] = 0 to 8 step 4 {
// CHECK: %[[R:.*]] = affine.for %{{.*}} = 0 to 16 iter_args(%{{.*}} = %{{.*}}) -> (vector<4xf32>) {
// CHECK: vector.transfer_write %[[R]], %arg1[%[[I]]]
func.func @carried_inside(%a: memref<16x8xf32>, %b: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    %r = affine.for %j = 0 to 16 iter_args(%s = %zero) -> (f32) {
      %0 = affine.load %a[%j, %i] : memref<16x8xf32>
      %1 = arith.addf %s, %0 : f32
      affine.yield %1 : f32
    }
    affine.store %r, %b[%i] : memref<8xf32>
  }
  return
}

// -----

// Lanes would run different iterations of the inner loop.
// CHECK-LABEL: @bounds_differ
// CHECK-NOT: vector
func.func @bounds_differ(%a: memref<16x8xf32>, %b: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 8 {
    %r = affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%s = %zero) -> (f32) {
      %0 = affine.load %a[%j, %i] : memref<16x8xf32>
      %1 = arith.addf %s, %0 : f32
      affine.yield %1 : f32
    }
    affine.store %r, %b[%i] : memref<8xf32>
  }
  return
}

// -----

// CHECK-LABEL: @reduction_not_asked_for
// CHECK-NOT: vector
func.func @reduction_not_asked_for(%a: memref<8xf32>, %init: f32) -> f32 {
  %r = affine.for %j = 0 to 8 iter_args(%s = %init) -> (f32) {
    %0 = affine.load %a[%j] : memref<8xf32>
    %1 = arith.addf %s, %0 : f32
    affine.yield %1 : f32
  }
  return %r : f32
}
