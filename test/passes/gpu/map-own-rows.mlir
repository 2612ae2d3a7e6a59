// Rows of a few bytes are done by a thread each.
//
// RUN: terrace-opt %s -split-input-file -gpu-map="machine=sm_90" | FileCheck %s

// The three colours of a pixel.
// CHECK-LABEL: func.func @colours
// CHECK-COUNT-2: affine.parallel
// CHECK: affine.for %[[K:.*]] = 0 to 3 {
// CHECK: affine.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}, %[[K]]]
func.func @colours(%m: index, %n: index, %A: memref<?x?x3xi8>, %W: memref<?x?xi8>, %B: memref<?x?x3xi8>) {
  affine.parallel (%i) = (0) to (symbol(%m)) {
    affine.parallel (%j) = (0) to (symbol(%n)) {
      affine.parallel (%k) = (0) to (3) {
        %w = affine.load %W[%i, %j] : memref<?x?xi8>
        %x = affine.load %A[%i, %j, %k] : memref<?x?x3xi8>
        %y = arith.addi %x, %w : i8
        affine.store %y, %B[%i, %j, %k] : memref<?x?x3xi8>
      }
    }
  }
  return
}

// -----

// What the row shares is read in front of it.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-2: affine.parallel
// CHECK-NOT: affine.parallel
// CHECK: affine.for %{{.*}} = 0 to 3 {
func.func @shared(%m: index, %n: index, %A: memref<?x?x3xi8>, %W: memref<?x?xi8>, %B: memref<?x?x3xi8>) {
  affine.parallel (%i) = (0) to (symbol(%m)) {
    affine.parallel (%j) = (0) to (symbol(%n)) {
      %w = affine.load %W[%i, %j] : memref<?x?xi8>
      affine.parallel (%k) = (0) to (3) {
        %x = affine.load %A[%i, %j, %k] : memref<?x?x3xi8>
        %y = arith.addi %x, %w : i8
        affine.store %y, %B[%i, %j, %k] : memref<?x?x3xi8>
      }
    }
  }
  return
}

// -----

// Eight doubles are two sectors, which lanes share.
// CHECK-LABEL: func.func @eight
// CHECK-NOT: affine.for %{{.*}} = 0 to 8
// CHECK: return
func.func @eight(%n: index, %A: memref<?x8xf64>, %B: memref<?x8xf64>) {
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%k) = (0) to (8) {
      %x = affine.load %A[%i, %k] : memref<?x8xf64>
      affine.store %x, %B[%i, %k] : memref<?x8xf64>
    }
  }
  return
}

// -----

// Few rows do not fill the machine.
// CHECK-LABEL: func.func @few
// CHECK-NOT: affine.for %{{.*}} = 0 to 3
// CHECK: return
func.func @few(%A: memref<1000x3xi8>, %B: memref<1000x3xi8>) {
  affine.parallel (%i) = (0) to (1000) {
    affine.parallel (%k) = (0) to (3) {
      %x = affine.load %A[%i, %k] : memref<1000x3xi8>
      affine.store %x, %B[%i, %k] : memref<1000x3xi8>
    }
  }
  return
}
