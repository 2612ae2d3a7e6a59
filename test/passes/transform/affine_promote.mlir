// RUN: terrace-opt %s -affine-promote -split-input-file -allow-unregistered-dialect -mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @sum
// CHECK: %[[V:.*]] = affine.load %arg0[%[[I:.*]]]
// CHECK: %[[R:.*]] = affine.for %{{.*}} = 0 to 8 iter_args(%[[A:.*]] = %[[V]]) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = affine.load %arg1
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[X]]
// CHECK-NEXT: affine.yield %[[B]]
// CHECK: affine.store %[[R]], %arg0[%[[I]]]
func.func @sum(%m: memref<10xf32>, %n: memref<10x8xf32>) {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 8 {
      %0 = affine.load %m[%i] : memref<10xf32>
      %1 = affine.load %n[%i, %j] : memref<10x8xf32>
      %2 = arith.addf %0, %1 : f32
      affine.store %2, %m[%i] : memref<10xf32>
    }
  }
  return
}

// -----

// Where the loop does not run, nothing may be touched.
// CHECK-LABEL: @perhaps_no_iteration
// CHECK: %[[V:.*]] = affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%arg1] -> f32 {
// CHECK-NEXT: affine.load
// CHECK: } else {
// CHECK: affine.for %{{.*}} iter_args(%{{.*}} = %[[V]])
// CHECK: affine.if affine_set<()[s0] : (s0 - 1 >= 0)>()[%arg1] {
// CHECK-NEXT: affine.store
func.func @perhaps_no_iteration(%m: memref<?xf32>, %n: index, %x: f32) {
  affine.for %j = 0 to %n {
    %0 = affine.load %m[3] : memref<?xf32>
    %1 = arith.mulf %0, %x : f32
    affine.store %1, %m[3] : memref<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: @another_may_be_it
// CHECK-NOT: iter_args
func.func @another_may_be_it(%m: memref<10xf32>, %x: f32) {
  affine.for %j = 0 to 10 {
    %0 = affine.load %m[3] : memref<10xf32>
    %1 = arith.mulf %0, %x : f32
    affine.store %1, %m[3] : memref<10xf32>
    affine.store %x, %m[%j] : memref<10xf32>
  }
  return
}

// -----

// CHECK-LABEL: @stencil
// CHECK-SAME: %[[M:.*]]: memref<10xf32>, %[[N:.*]]: memref<10xf32>
// CHECK: %[[V:.*]] = affine.load %[[M]][0]
// CHECK: %[[W:.*]] = affine.load %[[M]][1]
// CHECK: affine.for %[[I:.*]] = 1 to 9 iter_args(%[[A:.*]] = %[[V]], %[[B:.*]] = %[[W]]) -> (f32, f32) {
// CHECK-NEXT: %[[C:.*]] = affine.load %[[M]][%[[I]] + 1]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]]
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[S]], %[[C]]
// CHECK-NEXT: affine.store %[[T]], %[[N]][%[[I]]]
// CHECK-NEXT: affine.yield %[[B]], %[[C]]
func.func @stencil(%m: memref<10xf32>, %n: memref<10xf32>) {
  affine.for %i = 1 to 9 {
    %0 = affine.load %m[%i - 1] : memref<10xf32>
    %1 = affine.load %m[%i] : memref<10xf32>
    %2 = affine.load %m[%i + 1] : memref<10xf32>
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %3, %2 : f32
    affine.store %4, %n[%i] : memref<10xf32>
  }
  return
}

// -----

// What is stored is handed on; the store stays.
// CHECK-LABEL: @recurrence
// CHECK: %[[V:.*]] = affine.load %arg0[0]
// CHECK: affine.for %[[I:.*]] = 1 to 10 iter_args(%[[A:.*]] = %[[V]])
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[A]]
// CHECK-NEXT: affine.store %[[B]], %arg0[%[[I]]]
// CHECK-NEXT: affine.yield %[[B]]
func.func @recurrence(%m: memref<10xf32>) {
  affine.for %i = 1 to 10 {
    %0 = affine.load %m[%i - 1] : memref<10xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %m[%i] : memref<10xf32>
  }
  return
}

// -----

// Backwards along the array, in steps of two.
// CHECK-LABEL: @backwards
// CHECK: affine.load %arg0[22]
// CHECK: affine.for %[[I:.*]] = 0 to 20 step 2 iter_args
// CHECK: affine.load %arg0[-%[[I]] + 20]
// CHECK-NOT: affine.load
func.func @backwards(%m: memref<30xf32>, %n: memref<30xf32>) {
  affine.for %i = 0 to 20 step 2 {
    %0 = affine.load %m[-%i + 22] : memref<30xf32>
    %1 = affine.load %m[-%i + 20] : memref<30xf32>
    %2 = arith.addf %0, %1 : f32
    affine.store %2, %n[%i] : memref<30xf32>
  }
  return
}

// -----

// Element 1 is used by the second iteration first, and there may be none.
// CHECK-LABEL: @perhaps_not_there
// CHECK-NOT: iter_args
func.func @perhaps_not_there(%m: memref<?xf32>, %k: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %m[%i] : memref<?xf32>
    %1 = affine.load %m[%i + 2] : memref<?xf32>
    %2 = arith.addf %0, %1 : f32
    affine.store %2, %k[%i] : memref<?xf32>
  }
  return
}

// -----

// CHECK-LABEL: @unknown_op
// CHECK-NOT: iter_args
func.func @unknown_op(%m: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    %0 = affine.load %m[3] : memref<10xf32>
    "use"(%0) : (f32) -> ()
  }
  return
}

// -----

// The element is stored to in front of the loop, so it is there whether the loop runs or not.
// CHECK-LABEL: @stored_before
// CHECK: affine.store
// CHECK-NEXT: %[[V:.*]] = affine.load %arg1[%{{.*}}]
// CHECK-NEXT: %[[R:.*]] = affine.for %{{.*}} = 0 to %arg2 iter_args(%{{.*}} = %[[V]]) -> (f32) {
// CHECK: affine.store %[[R]], %arg1
// CHECK-LABEL: @stored_behind_or_perhaps
// CHECK: affine.if
// CHECK: affine.for
func.func @stored_before(%a: memref<?x?xf32>, %s: memref<?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.store %zero, %s[%i] : memref<?xf32>
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %t = affine.load %s[%i] : memref<?xf32>
      %u = arith.addf %t, %x : f32
      affine.store %u, %s[%i] : memref<?xf32>
    }
  }
  return
}

func.func @stored_behind_or_perhaps(%a: memref<?x?xf32>, %s: memref<?xf32>, %n: index, %c: i1) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (symbol(%n)) {
    scf.if %c {
      affine.store %zero, %s[%i] : memref<?xf32>
    }
    affine.for %j = 0 to %n {
      %x = affine.load %a[%i, %j] : memref<?x?xf32>
      %t = affine.load %s[%i] : memref<?xf32>
      %u = arith.addf %t, %x : f32
      affine.store %u, %s[%i] : memref<?xf32>
    }
    affine.store %zero, %s[%i] : memref<?xf32>
  }
  return
}

// -----

// What was stored in front of the loop stays if the loop does not run, though each iteration stores before it loads.
// CHECK-LABEL: @stored_before_and_in
// CHECK: affine.store %{{.*}}, %arg1
// CHECK-NEXT: %[[V:.*]] = affine.load %arg1[%{{.*}}]
// CHECK-NEXT: affine.for {{.*}} iter_args(%{{.*}} = %[[V]])
func.func @stored_before_and_in(%a: memref<?xf32>, %s: memref<?xf32>, %b: memref<?xf32>, %n: index, %m: index) {
  %v = arith.constant 3.0 : f32
  affine.for %i = 0 to %m {
    affine.store %v, %s[%i] : memref<?xf32>
    affine.for %j = 0 to %n {
      %x = affine.load %a[%j] : memref<?xf32>
      affine.store %x, %s[%i] : memref<?xf32>
      %y = affine.load %s[%i] : memref<?xf32>
      affine.store %y, %b[%j] : memref<?xf32>
    }
  }
  return
}

// -----

// Loops around that do nothing but this one are left out, too, where it does not run. Its bounds may be
// extrema.
// CHECK-LABEL: @asked_in_front
// CHECK: affine.if affine_set<()[s0, s1] : ({{.*}})>()[%{{.*}}] {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to 40
// CHECK-NEXT: %[[A:.*]] = affine.load %arg0[%[[I]]]
// CHECK-NEXT: %[[B:.*]] = affine.load %arg1[%[[I]]]
// CHECK-NEXT: %[[R:.*]]:2 = affine.for %{{.*}} = max {{.*}} to min {{.*}} iter_args(%{{.*}} = %[[A]], %{{.*}} = %[[B]])
// CHECK-NOT: affine.if
// CHECK: return
func.func @asked_in_front(%x: memref<40xf64>, %y: memref<40xf64>, %from: index, %to: index) {
  affine.for %i = 0 to 40 {
    affine.for %t = max affine_map<()[s0] -> (0, s0)>()[%from] to min affine_map<()[s0] -> (9, s0)>()[%to] {
      %a = affine.load %x[%i] : memref<40xf64>
      %b = affine.load %y[%i] : memref<40xf64>
      %c = arith.addf %a, %b : f64
      %d = arith.mulf %a, %b : f64
      affine.store %c, %x[%i] : memref<40xf64>
      affine.store %d, %y[%i] : memref<40xf64>
    }
  }
  return
}
