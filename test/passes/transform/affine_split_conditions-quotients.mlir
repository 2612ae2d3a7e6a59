// RUN: terrace-opt %s -affine-split-conditions -mlir-pass-statistics 2>&1 | FileCheck %s

// Neighbours on a ring: one remainder starts again at the second iteration, the other at the last.
// CHECK-LABEL: func.func @ring
// CHECK-SAME: (%[[A:.*]]: memref<200xf64>, %{{.*}}: memref<200xf64>)
// CHECK: affine.for %[[F:.*]] = 0 to 1 {
// CHECK-NEXT: affine.load %[[A]][%[[F]] + 1]
// CHECK-NEXT: affine.load %[[A]][%[[F]] + 199]
// CHECK: affine.for %[[I:.*]] = 1 to 199 {
// CHECK-NEXT: affine.load %[[A]][%[[I]] + 1]
// CHECK-NEXT: affine.load %[[A]][%[[I]] - 1]
// CHECK: affine.for %[[L:.*]] = 199 to 200 {
// CHECK-NEXT: affine.load %[[A]][%[[L]] - 199]
// CHECK-NEXT: affine.load %[[A]][%[[L]] - 1]
func.func @ring(%a: memref<200xf64>, %b: memref<200xf64>) {
  affine.for %i = 0 to 200 {
    %x = affine.load %a[(%i + 1) mod 200] : memref<200xf64>
    %y = affine.load %a[(%i + 199) mod 200] : memref<200xf64>
    %z = arith.addf %x, %y : f64
    affine.store %z, %b[%i] : memref<200xf64>
  }
  return
}

// It starts again many times, or at a place that a loop around moves, or never.
// CHECK-LABEL: func.func @whole
// CHECK: affine.for %{{.*}} = 0 to 200
// CHECK-NOT: affine.for %{{.*}} = {{[1-9]}}
// CHECK: affine.for %{{.*}} = 0 to 16
// CHECK: affine.for %{{.*}} = 0 to 200
// CHECK-NOT: affine.for %{{.*}} = {{[1-9]}}
// CHECK: affine.for %{{.*}} = 0 to 99
// CHECK-NOT: affine.for
// CHECK: return
func.func @whole(%a: memref<200xf64>, %b: memref<200xf64>) {
  affine.for %i = 0 to 200 {
    %x = affine.load %a[%i mod 50] : memref<200xf64>
    affine.store %x, %b[%i] : memref<200xf64>
  }
  affine.for %k = 0 to 16 {
    affine.for %i = 0 to 200 {
      %x = affine.load %a[(%i + %k) mod 200] : memref<200xf64>
      affine.store %x, %b[%i] : memref<200xf64>
    }
  }
  affine.for %i = 0 to 99 {
    %x = affine.load %a[(%i + 1) mod 100] : memref<200xf64>
    affine.store %x, %b[%i] : memref<200xf64>
  }
  return
}
// CHECK: 1 num-loops
