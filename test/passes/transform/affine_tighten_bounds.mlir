// RUN: terrace-opt %s -affine-tighten-bounds -mlir-pass-statistics 2>&1 | FileCheck %s

// Rows behind the last column have no elements.
// CHECK-DAG: #[[END:.*]] = affine_map<()[s0, s1] -> (s0, s1 - 1)>
// CHECK-LABEL: func.func @upper_triangle
// CHECK-SAME: %[[A:.*]]: memref<?x?xf32>, %[[N:.*]]: index, %[[M:.*]]: index
// CHECK: affine.for %[[I:.*]] = 0 to min #[[END]]()[%[[N]], %[[M]]] {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[I]]) to %[[M]] {
func.func @upper_triangle(%a: memref<?x?xf32>, %n: index, %m: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
      affine.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// A bound that another one of the loop implies is not added, one that implies another takes its place.
// CHECK-LABEL: func.func @known
// CHECK: affine.for %{{.*}} = 0 to 9 {
// CHECK-NEXT: affine.for
// CHECK: affine.for %{{.*}} = 4 to 20 {
// CHECK-NEXT: affine.for
func.func @known(%a: memref<20x20xf32>) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to 20 {
    affine.for %j = max affine_map<(d0) -> (3, d0 + 1)>(%i) to min affine_map<(d0) -> (d0 + 9, 10)>(%i) {
      affine.store %x, %a[%i, %j] : memref<20x20xf32>
    }
  }
  affine.for %i = 0 to 20 {
    affine.for %j = 3 to min affine_map<(d0) -> (d0, 10)>(%i) {
      affine.store %x, %a[%i, %j] : memref<20x20xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @rectangle
// CHECK: affine.for %{{.*}} = 0 to %{{.*}} {
// CHECK-NEXT: affine.for %{{.*}} = 0 to %{{.*}} {
func.func @rectangle(%a: memref<?x?xf32>, %n: index, %m: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      affine.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// What else an iteration does is done for empty rows, too.
// CHECK-LABEL: func.func @more
// CHECK: affine.for %{{.*}} = 0 to %{{.*}} {
func.func @more(%a: memref<?x?xf32>, %n: index, %m: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.store %x, %a[%i, 0] : memref<?x?xf32>
    affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to %m {
      affine.store %x, %a[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// A chunk begins at 2 or later, and no chunk of 8 ends behind the 64th element.
// CHECK-LABEL: func.func @needless
// CHECK: affine.parallel (%[[C:.*]]) = (0) to (8) {
// CHECK-NEXT: affine.for %{{.*}} = #{{.*}}(%[[C]]) to #{{.*}}(%[[C]]) {
func.func @needless(%a: memref<?xf32>) {
  %x = arith.constant 1.0 : f32
  affine.parallel (%c) = (0) to (8) {
    affine.for %i = max affine_map<(d0) -> (d0 * 8 + 2, 2)>(%c) to min affine_map<(d0) -> (d0 * 8 + 8, 64)>(%c) {
      affine.store %x, %a[%i] : memref<?xf32>
    }
  }
  return
}

// Of two bounds that are the same one stays.
// CHECK-LABEL: func.func @same
// CHECK: affine.for %{{.*}} = 0 to %{{[a-z0-9]+}} {
func.func @same(%a: memref<?xf32>, %n: index) {
  %x = arith.constant 1.0 : f32
  affine.for %i = 0 to min affine_map<()[s0] -> (s0, s0)>()[%n] {
    affine.store %x, %a[%i] : memref<?xf32>
  }
  return
}
