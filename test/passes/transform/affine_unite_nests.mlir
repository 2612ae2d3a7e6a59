// RUN: terrace-opt %s -affine-unite-nests -cse | FileCheck %s

// The two triangles of a square, as they come from LU.
// CHECK-LABEL: func.func @square
// CHECK: affine.for %[[K:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: affine.parallel (%[[I:.*]]) = (%[[K]] + 1) to (symbol(%{{.*}})) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (%[[K]] + 1) to (symbol(%{{.*}})) {
// CHECK-NEXT: affine.load %arg0[%[[I]], %[[J]]]
// CHECK: affine.store %{{.*}}, %arg0[%[[I]], %[[J]]]
// CHECK-NOT: affine.parallel
func.func @square(%A: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %k = 0 to %n {
    affine.parallel (%i) = (%k + 2) to (symbol(%n)) {
      affine.parallel (%j) = (%k + 1) to (%i) {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %b = affine.load %A[%i, %k] : memref<?x?xf64>
        %c = affine.load %A[%k, %j] : memref<?x?xf64>
        %0 = arith.mulf %b, %c : f64
        %1 = arith.subf %a, %0 : f64
        affine.store %1, %A[%i, %j] : memref<?x?xf64>
      }
    }
    affine.parallel (%i) = (%k + 1) to (symbol(%n)) {
      affine.parallel (%j) = (%i) to (symbol(%n)) {
        %a = affine.load %A[%i, %j] : memref<?x?xf64>
        %b = affine.load %A[%i, %k] : memref<?x?xf64>
        %c = affine.load %A[%k, %j] : memref<?x?xf64>
        %0 = arith.mulf %b, %c : f64
        %1 = arith.subf %a, %0 : f64
        affine.store %1, %A[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// A triangle and its diagonal, which loads one element where the other loads two, as they
// come from Cholesky. The second is written in front of the first.
// CHECK-LABEL: func.func @diagonal
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (symbol(%{{.*}})) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (0) to (%[[I]] + 1) {
// CHECK-NEXT: affine.load %arg0[%[[I]], %[[J]]]
// CHECK-NEXT: affine.load %arg1[%[[I]]]
// CHECK-NEXT: affine.load %arg1[%[[J]]]
// CHECK-NOT: affine.parallel
func.func @diagonal(%A: memref<?x?xf64>, %b: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  affine.parallel (%i) = (0) to (symbol(%n)) {
    %a = affine.load %A[%i, %i] : memref<?x?xf64>
    %x = affine.load %b[%i] : memref<?xf64>
    %0 = arith.mulf %x, %x : f64
    %1 = arith.subf %a, %0 : f64
    affine.store %1, %A[%i, %i] : memref<?x?xf64>
  }
  affine.parallel (%i, %j) = (0, 0) to (symbol(%n), symbol(%n)) {
    affine.if affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>(%i, %j) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %x = affine.load %b[%i] : memref<?xf64>
      %y = affine.load %b[%j] : memref<?xf64>
      %0 = arith.mulf %x, %y : f64
      %1 = arith.subf %a, %0 : f64
      affine.store %1, %A[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// Three parts of a line, one of them counted from 0, and even and odd numbers.
// CHECK-LABEL: func.func @three
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (30) {
// CHECK: affine.parallel (%[[J:.*]]) = (0) to (31) {
// CHECK-NEXT: arith.constant
// CHECK-NEXT: affine.store %{{.*}}, %arg1[%[[J]]]
// CHECK-NOT: affine.parallel
func.func @three(%a: memref<30xf32>, %b: memref<31xi32>) {
  affine.parallel (%i) = (0) to (10) {
    %x = arith.constant 1.0 : f32
    affine.store %x, %a[%i] : memref<30xf32>
  }
  affine.parallel (%i) = (10) to (20) {
    %x = arith.constant 1.0 : f32
    affine.store %x, %a[%i] : memref<30xf32>
  }
  affine.parallel (%i) = (0) to (10) {
    %x = arith.constant 1.0 : f32
    affine.store %x, %a[%i + 20] : memref<30xf32>
  }
  affine.parallel (%i) = (0) to (31) step (2) {
    %x = arith.constant 1 : i32
    affine.store %x, %b[%i] : memref<31xi32>
  }
  affine.parallel (%i) = (1) to (31) step (2) {
    %x = arith.constant 1 : i32
    affine.store %x, %b[%i] : memref<31xi32>
  }
  return
}

// Not united: what lies between them would be done too, the second reads what the first
// writes, they compute something else, they store to another array, something is in between.
// CHECK-LABEL: func.func @not
// CHECK-COUNT-12: affine.parallel
func.func @not(%a: memref<40xf32>, %b: memref<40xf32>, %c: memref<40xf32>, %v: f32) {
  affine.parallel (%i) = (0) to (10) {
    %x = affine.load %b[%i] : memref<40xf32>
    affine.store %x, %a[%i] : memref<40xf32>
  }
  affine.parallel (%i) = (11) to (20) {
    %x = affine.load %b[%i] : memref<40xf32>
    affine.store %x, %a[%i] : memref<40xf32>
  }
  affine.store %v, %c[0] : memref<40xf32>
  affine.parallel (%i) = (10) to (20) {
    %x = affine.load %a[%i - 10] : memref<40xf32>
    affine.store %x, %a[%i] : memref<40xf32>
  }
  affine.parallel (%i) = (20) to (30) {
    %x = affine.load %a[%i - 10] : memref<40xf32>
    affine.store %x, %a[%i] : memref<40xf32>
  }
  affine.store %v, %c[0] : memref<40xf32>
  affine.parallel (%i) = (0) to (10) {
    %x = affine.load %a[%i] : memref<40xf32>
    affine.store %x, %a[%i] : memref<40xf32>
  }
  affine.parallel (%i) = (10) to (20) {
    %x = affine.load %a[%i + 10] : memref<40xf32>
    affine.store %x, %a[%i + 10] : memref<40xf32>
  }
  affine.store %v, %c[0] : memref<40xf32>
  affine.parallel (%i) = (0) to (10) {
    %x = affine.load %a[%i] : memref<40xf32>
    %y = arith.addf %x, %v : f32
    affine.store %y, %b[%i] : memref<40xf32>
  }
  affine.parallel (%i) = (10) to (20) {
    %x = affine.load %a[%i] : memref<40xf32>
    %y = arith.addf %v, %x : f32
    affine.store %y, %b[%i] : memref<40xf32>
  }
  affine.store %v, %c[0] : memref<40xf32>
  affine.parallel (%i) = (0) to (10) {
    affine.store %v, %a[%i] : memref<40xf32>
  }
  affine.parallel (%i) = (10) to (20) {
    affine.store %v, %b[%i] : memref<40xf32>
  }
  affine.store %v, %c[0] : memref<40xf32>
  affine.parallel (%i) = (0) to (10) {
    affine.store %v, %a[%i] : memref<40xf32>
  }
  affine.store %v, %a[5] : memref<40xf32>
  affine.parallel (%i) = (10) to (20) {
    affine.store %v, %a[%i] : memref<40xf32>
  }
  return
}
