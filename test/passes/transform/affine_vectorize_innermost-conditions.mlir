// Conditions that differ from lane to lane.
//
// RUN: terrace-opt %s -affine-vectorize-innermost -split-input-file | FileCheck %s

// A letter becomes another one: where one lane stores, the others store what is there. Bytes stay bytes.
// CHECK-LABEL: func.func @letters
// CHECK: %[[M:.*]] = arith.andi %{{.*}}, %{{.*}} : vector<16xi1>
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %[[M]] : vector<16xi1> into i1
// CHECK: scf.if %[[ANY]] {
// CHECK: %[[OLD:.*]] = vector.transfer_read %{{.*}} : memref<64xi8>, vector<16xi8>
// CHECK: %[[NEW:.*]] = arith.select %[[M]], %{{.*}}, %[[OLD]] : vector<16xi1>, vector<16xi8>
// CHECK: vector.transfer_write %[[NEW]]
func.func @letters(%s: memref<64xi8>) {
  %a = arith.constant 97 : i32
  %z = arith.constant 122 : i32
  %up = arith.constant -32 : i32
  affine.for %i = 0 to 64 {
    %c = affine.load %s[%i] : memref<64xi8>
    %x = arith.extsi %c : i8 to i32
    %from = arith.cmpi sge, %x, %a : i32
    %to = arith.cmpi sle, %x, %z : i32
    %is = arith.andi %from, %to : i1
    scf.if %is {
      %y = arith.addi %x, %up : i32
      %d = arith.trunci %y : i32 to i8
      affine.store %d, %s[%i] : memref<64xi8>
    }
  }
  return
}

// -----

// Both ways, each for its lanes, to arrays of its own; the opposite of a comparison of floats holds of NaN.
// CHECK-LABEL: func.func @ways
// CHECK: %[[C:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: vector.reduction <or>, %[[C]]
// CHECK: scf.if
// CHECK: vector.transfer_write {{.*}} memref<64xf32>
// CHECK: %[[D:.*]] = arith.cmpf uge, %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: vector.reduction <or>, %[[D]]
// CHECK: scf.if
// CHECK: vector.transfer_write {{.*}} memref<64xf32>
func.func @ways(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    %v = affine.load %a[%i] : memref<64xf32>
    %is = arith.cmpf olt, %v, %x : f32
    %y = arith.mulf %v, %x : f32
    scf.if %is {
      affine.store %y, %b[%i] : memref<64xf32>
    } else {
      affine.store %v, %c[%i] : memref<64xf32>
    }
  }
  return
}

// -----

// One condition in another: the lanes that come to both.
// CHECK-LABEL: func.func @nested
// CHECK: %[[C:.*]] = arith.cmpf olt
// CHECK: scf.if
// CHECK: %[[D:.*]] = arith.cmpf ogt
// CHECK: %[[BOTH:.*]] = arith.andi %[[C]], %[[D]]
// CHECK: vector.reduction <or>, %[[BOTH]]
// CHECK: scf.if
// CHECK: arith.select %[[BOTH]]
func.func @nested(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    %v = affine.load %a[%i] : memref<64xf32>
    %is = arith.cmpf olt, %v, %x : f32
    scf.if %is {
      %y = arith.mulf %v, %x : f32
      affine.store %y, %b[%i] : memref<64xf32>
      %z = arith.addf %y, %x : f32
      %also = arith.cmpf ogt, %z, %x : f32
      scf.if %also {
        affine.store %z, %c[%i] : memref<64xf32>
      }
    }
  }
  return
}

// -----

// A condition that is the same for all iterations is asked once.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1)
// CHECK: affine.for
// CHECK-NOT: vector.reduction
// CHECK: scf.if %[[C]] {
// CHECK-NOT: arith.select
// CHECK: vector.transfer_write
func.func @shared(%a: memref<64xf32>, %b: memref<64xf32>, %c: i1) {
  affine.for %i = 0 to 64 {
    %v = affine.load %a[%i] : memref<64xf32>
    %y = arith.mulf %v, %v : f32
    scf.if %c {
      affine.store %y, %b[%i] : memref<64xf32>
    }
  }
  return
}

// -----

// An element that may be behind the end of its array where the condition fails.
// CHECK-LABEL: func.func @not_there
// CHECK-NOT: vector
func.func @not_there(%a: memref<64xf32>, %b: memref<?xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    %v = affine.load %a[%i] : memref<64xf32>
    %is = arith.cmpf olt, %v, %x : f32
    scf.if %is {
      %y = arith.mulf %v, %v : f32
      affine.store %y, %b[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Threads share the elements, and the program says which of them stores to one.
// CHECK-LABEL: func.func @another_thread
// CHECK-NOT: vector
func.func @another_thread(%owner: memref<64xi32>, %b: memref<64xi32>) {
  affine.parallel (%t) = (0) to (8) {
    %me = arith.index_cast %t : index to i32
    affine.for %i = 0 to 64 {
      %o = affine.load %owner[%i] : memref<64xi32>
      %mine = arith.cmpi eq, %o, %me : i32
      scf.if %mine {
        %y = arith.muli %o, %o : i32
        affine.store %y, %b[%i] : memref<64xi32>
      }
    }
  }
  return
}

// -----

// Threads with elements of their own.
// CHECK-LABEL: func.func @own_rows
// CHECK: vector.transfer_write
func.func @own_rows(%b: memref<8x64xi32>, %most: i32) {
  affine.parallel (%t) = (0) to (8) {
    affine.for %i = 0 to 64 {
      %o = affine.load %b[%t, %i] : memref<8x64xi32>
      %much = arith.cmpi sgt, %o, %most : i32
      scf.if %much {
        affine.store %most, %b[%t, %i] : memref<8x64xi32>
      }
    }
  }
  return
}

// -----

// What must not run for nothing.
// CHECK-LABEL: func.func @division
// CHECK-NOT: vector
func.func @division(%a: memref<64xi32>, %b: memref<64xi32>, %none: i32) {
  affine.for %i = 0 to 64 {
    %v = affine.load %a[%i] : memref<64xi32>
    %is = arith.cmpi ne, %v, %none : i32
    scf.if %is {
      %y = arith.divsi %none, %v : i32
      affine.store %y, %b[%i] : memref<64xi32>
    }
  }
  return
}
