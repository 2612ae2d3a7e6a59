// RUN: terrace-opt %s -tile-from-affine -canonicalize -cse | FileCheck %s

// Without the option extrema may be found in any order, and so may sums of integers.
// CHECK-LABEL: func.func @extrema
// CHECK:         %[[X:.*]] = tile.load
// CHECK-NEXT:    %[[L:.*]] = tile.reduce minnumf %[[X]], %{{.*}} axes [0]
// CHECK-NEXT:    %[[G:.*]] = tile.reduce maxnumf %[[X]], %{{.*}} axes [0]
// CHECK-NOT:     tile.load
// CHECK:         tile.store
// CHECK-NOT:     affine.for
// CHECK:       } {gpu.block = array<i64: 256, 1, 1>, gpu.mapper = "tile"}
func.func @extrema(%A: memref<70x4095xf32>, %B: memref<70x4095xf32>) {
  %least = arith.constant 0xFF800000 : f32
  %greatest = arith.constant 0x7F800000 : f32
  affine.parallel (%i) = (0) to (70) {
    %m:2 = affine.for %j = 0 to 4095 iter_args(%a = %greatest, %b = %least) -> (f32, f32) {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %t = arith.minnumf %a, %x : f32
      %u = arith.maxnumf %b, %x : f32
      affine.yield %t, %u : f32, f32
    }
    affine.parallel (%j) = (0) to (4095) {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %d = arith.subf %x, %m#0 : f32
      %w = arith.subf %m#1, %m#0 : f32
      %q = arith.divf %d, %w : f32
      affine.store %q, %B[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @integers
// CHECK:         tile.reduce addi
// CHECK-NOT:     affine.for
// CHECK:       gpu.mapper = "tile"
func.func @integers(%A: memref<70x4095xi64>, %B: memref<70x4095xi64>) {
  %zero = arith.constant 0 : i64
  affine.parallel (%i) = (0) to (70) {
    %m = affine.for %j = 0 to 4095 iter_args(%a = %zero) -> i64 {
      %x = affine.load %A[%i, %j] : memref<70x4095xi64>
      %t = arith.addi %a, %x : i64
      affine.yield %t : i64
    }
    affine.parallel (%j) = (0) to (4095) {
      %x = affine.load %A[%i, %j] : memref<70x4095xi64>
      %d = arith.subi %x, %m : i64
      affine.store %d, %B[%i, %j] : memref<70x4095xi64>
    }
  }
  return
}

// Flags of the sum itself allow it, too.
// CHECK-LABEL: func.func @flags
// CHECK:         tile.reduce addf
// CHECK-NOT:     affine.for
// CHECK:       gpu.mapper = "tile"
func.func @flags(%A: memref<70x4095xf32>, %B: memref<70x4095xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (70) {
    %m = affine.for %j = 0 to 4095 iter_args(%a = %zero) -> f32 {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %t = arith.addf %a, %x fastmath<reassoc> : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (4095) {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %d = arith.subf %x, %m : f32
      affine.store %d, %B[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// A sum of floats without either stays as it is.
// CHECK-LABEL: func.func @ordered
// CHECK-NOT:     tile.
// CHECK:         affine.for
// CHECK-NOT:     tile.
// CHECK:         return
func.func @ordered(%A: memref<70x4095xf32>, %B: memref<70x4095xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.parallel (%i) = (0) to (70) {
    %m = affine.for %j = 0 to 4095 iter_args(%a = %zero) -> f32 {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %t = arith.addf %a, %x : f32
      affine.yield %t : f32
    }
    affine.parallel (%j) = (0) to (4095) {
      %x = affine.load %A[%i, %j] : memref<70x4095xf32>
      %d = arith.subf %x, %m : f32
      affine.store %d, %B[%i, %j] : memref<70x4095xf32>
    }
  }
  return
}

// A nest that has a mapper, and one that a directive has spoken of, stay.
// CHECK-LABEL: func.func @told
// CHECK-NOT:     tile.
// CHECK:         gpu.mapper = "loops"
func.func @told(%A: memref<70x4095xf32>, %B: memref<4095x70xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (70, 4095) {
    %x = affine.load %A[%i, %j] : memref<70x4095xf32>
    affine.store %x, %B[%j, %i] : memref<4095x70xf32>
  } {gpu.mapper = "loops"}
  return
}
