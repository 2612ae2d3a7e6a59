// Accesses whose lanes stand in another order than their elements.
//
// RUN: terrace-opt %s -affine-vectorize-innermost -split-input-file | FileCheck %s

// Backwards through both arrays: from the last lane on, the other way round.
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0) -> (-d0 + {{.*}})>
// CHECK-LABEL: func.func @backwards
// CHECK: vector.transfer_read
// CHECK: vector.shuffle {{.*}} [7, 6, 5, 4, 3, 2, 1, 0]
// CHECK: arith.mulf
// CHECK: vector.shuffle {{.*}} [7, 6, 5, 4, 3, 2, 1, 0]
// CHECK: vector.transfer_write
func.func @backwards(%a: memref<64xf32>, %b: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    %v = affine.load %a[-%i + 63] : memref<64xf32>
    %y = arith.mulf %v, %x : f32
    affine.store %y, %b[-%i + 63] : memref<64xf32>
  }
  return
}

// -----

// The three bytes of a pixel are loaded together.
// CHECK-LABEL: func.func @pixels
// CHECK: %[[ALL:.*]] = vector.transfer_read %{{.*}} : memref<192xi8>, vector<48xi8>
// CHECK: vector.shuffle %[[ALL]], %[[ALL]] [0, 3, 6, {{.*}} 45]
// CHECK: vector.shuffle %[[ALL]], %[[ALL]] [1, 4, 7, {{.*}} 46]
// CHECK: vector.shuffle %[[ALL]], %[[ALL]] [2, 5, 8, {{.*}} 47]
// CHECK-NOT: affine.load
// CHECK: vector.transfer_write
func.func @pixels(%a: memref<192xi8>, %b: memref<64xi8>) {
  affine.for %i = 0 to 64 {
    %r = affine.load %a[%i * 3] : memref<192xi8>
    %g = affine.load %a[%i * 3 + 1] : memref<192xi8>
    %c = affine.load %a[%i * 3 + 2] : memref<192xi8>
    %s = arith.addi %r, %g : i8
    %t = arith.addi %s, %c : i8
    affine.store %t, %b[%i] : memref<64xi8>
  }
  return
}

// -----

// Complex numbers, the imaginary part first in the text.
// CHECK-LABEL: func.func @complex
// CHECK: %[[ALL:.*]] = vector.transfer_read %{{.*}} : memref<128xf64>, vector<{{.*}}xf64>
// CHECK: vector.shuffle %[[ALL]], %[[ALL]] [1, 3
// CHECK: vector.shuffle %[[ALL]], %[[ALL]] [0, 2
// CHECK-NOT: affine.load
// CHECK: return
func.func @complex(%a: memref<128xf64>, %b: memref<64xf64>) {
  affine.for %i = 0 to 64 {
    %im = affine.load %a[%i * 2 + 1] : memref<128xf64>
    %re = affine.load %a[%i * 2] : memref<128xf64>
    %x = arith.mulf %im, %im : f64
    %y = arith.mulf %re, %re : f64
    %z = arith.addf %x, %y : f64
    affine.store %z, %b[%i] : memref<64xf64>
  }
  return
}

// -----

// One of two in turn is not loaded: a vector of both would end behind what the program reads.
// CHECK-LABEL: func.func @one_of_two
// CHECK-NOT: vector.shuffle
func.func @one_of_two(%a: memref<127xf32>, %b: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    %re = affine.load %a[%i * 2] : memref<127xf32>
    %y = arith.mulf %re, %re : f32
    %z = arith.divf %y, %x : f32
    affine.store %z, %b[%i] : memref<64xf32>
  }
  return
}

// -----

// A store between the two loads may be to what the second one loads.
// CHECK-LABEL: func.func @store_between
// CHECK-NOT: vector.shuffle
func.func @store_between(%a: memref<128xf64>, %b: memref<64xf64>) {
  affine.for %i = 0 to 64 {
    %re = affine.load %a[%i * 2] : memref<128xf64>
    affine.store %re, %a[%i * 2 + 1] : memref<128xf64>
    %im = affine.load %a[%i * 2 + 1] : memref<128xf64>
    %z = arith.addf %re, %im : f64
    affine.store %z, %b[%i] : memref<64xf64>
  }
  return
}
