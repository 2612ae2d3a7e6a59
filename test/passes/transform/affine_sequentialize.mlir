// RUN: terrace-opt %s -affine-sequentialize -mlir-pass-statistics 2>&1 | FileCheck %s

// Threads share out the rows; each goes along its own.
// CHECK-LABEL: func.func @rows
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (100) {
// CHECK-NEXT: affine.for %[[J:.*]] = #{{.*}}(%[[I]]) to 100 step 2 {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @rows(%m: memref<100x100xf32>, %v: f32) {
  affine.parallel (%i) = (0) to (100) {
    affine.parallel (%j) = (%i) to (100) step (2) {
      affine.store %v, %m[%i, %j] : memref<100x100xf32>
    }
  }
  return
}

// Two loops in one become two, also inside those of other dialects.
// CHECK-LABEL: func.func @inside
// CHECK: scf.parallel
// CHECK-NEXT: affine.for %{{.*}} = 0 to 10 {
// CHECK-NEXT: affine.for %{{.*}} = 0 to 20 {
func.func @inside(%m: memref<10x20xf32>, %v: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    affine.parallel (%j, %k) = (0, 0) to (10, 20) {
      affine.store %v, %m[%j, %k] : memref<10x20xf32>
    }
  }
  return
}

// Loops beside one another stay. A sum inside is carried, and may be made in any order.
// CHECK-LABEL: func.func @sums
// CHECK: affine.parallel (%{{.*}}) = (0) to (100) {
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant {{.*}} : f32
// CHECK-NEXT: %{{.*}} = affine.for %{{.*}} = 0 to 100 iter_args(%[[SUM:.*]] = %[[ZERO]]) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = affine.load
// CHECK-NEXT: %[[NEXT:.*]] = arith.addf %[[SUM]], %[[X]] fastmath<reassoc> : f32
// CHECK-NEXT: affine.yield %[[NEXT]] : f32
// CHECK: affine.parallel (%{{.*}}) = (0) to (50)
func.func @sums(%m: memref<100x100xf32>, %s: memref<100xf32>, %v: f32) {
  affine.parallel (%i) = (0) to (100) {
    %sum = affine.parallel (%j) = (0) to (100) reduce ("addf") -> (f32) {
      %x = affine.load %m[%i, %j] : memref<100x100xf32>
      affine.yield %x : f32
    }
    affine.store %sum, %s[%i] : memref<100xf32>
  }
  affine.parallel (%i) = (0) to (50) {
    affine.store %v, %s[%i] : memref<100xf32>
  }
  return
}

// Beside a sum that waits for itself, with iterations around that can be jammed then.
// CHECK-LABEL: func.func @beside_a_chain
// CHECK-NOT: affine.parallel
// CHECK: return
func.func @beside_a_chain(%a: memref<100x100xf64>, %x: memref<100xf64>, %y: memref<100xf64>, %zero: f64) {
  affine.for %i = 0 to 100 {
    %s = affine.for %j = 0 to 100 iter_args(%u = %zero) -> (f64) {
      %0 = affine.load %a[%i, %j] : memref<100x100xf64>
      %1 = affine.load %x[%j] : memref<100xf64>
      %2 = arith.mulf %0, %1 : f64
      %3 = arith.addf %u, %2 : f64
      affine.yield %3 : f64
    }
    affine.parallel (%j) = (0) to (100) {
      %0 = affine.load %a[%i, %j] : memref<100x100xf64>
      %1 = affine.load %y[%j] : memref<100xf64>
      %2 = arith.mulf %0, %s : f64
      %3 = arith.addf %1, %2 : f64
      affine.store %3, %y[%j] : memref<100xf64>
    }
  }
  return
}

// The sums read what the rows write: iterations around keep their order, and threads have the rows.
// CHECK-LABEL: func.func @cannot_be_jammed
// CHECK: affine.parallel
func.func @cannot_be_jammed(%a: memref<100x100xf64>, %y: memref<100xf64>, %zero: f64) {
  affine.for %i = 0 to 100 {
    %s = affine.for %j = 0 to 100 iter_args(%u = %zero) -> (f64) {
      %0 = affine.load %a[%i, %j] : memref<100x100xf64>
      %1 = affine.load %y[%j] : memref<100xf64>
      %2 = arith.mulf %0, %1 : f64
      %3 = arith.addf %u, %2 : f64
      affine.yield %3 : f64
    }
    affine.parallel (%j) = (0) to (100) {
      %1 = affine.load %y[%j] : memref<100xf64>
      %3 = arith.addf %1, %s : f64
      affine.store %3, %y[%j] : memref<100xf64>
    }
  }
  return
}

// No loop beside it waits.
// CHECK-LABEL: func.func @no_chain
// CHECK: affine.parallel
func.func @no_chain(%a: memref<100x100xi32>, %y: memref<100xi32>) {
  affine.for %i = 0 to 100 {
    affine.for %j = 0 to 100 {
      %0 = affine.load %a[%i, %j] : memref<100x100xi32>
      affine.store %0, %a[%j, %i] : memref<100x100xi32>
    }
    affine.parallel (%j) = (0) to (100) {
      %1 = affine.load %y[%j] : memref<100xi32>
      %3 = arith.addi %1, %1 : i32
      affine.store %3, %y[%j] : memref<100xi32>
    }
  }
  return
}
// CHECK: 4 num-loops
