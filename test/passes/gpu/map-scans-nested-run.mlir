// RUN: terrace run %s --target emulator --verify --reassociate --size N=7 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=150 | FileCheck %s --check-prefixes=CHECK,ONCE

// Values that two loops carry together, for few elements and for several tiles: a running sum, and
// the last value of a recurrence.
// ONCE-COUNT-4: x1x1 256x1x1
// CHECK: verify passed against the interpreter
func.func @nested(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["N", ""], terrace.init = "random:150x213:1"},
    %I: memref<150x213xi32> {terrace.name = "I", terrace.init = "iota:150x213"}) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %none = arith.constant 0 : i32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %last = affine.for %i = 0 to %m iter_args(%s = %z) -> (f32) {
    %r = affine.for %j = 0 to %n iter_args(%t = %s) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %u = arith.addf %t, %x : f32
      %v = arith.mulf %u, %half : f32
      affine.yield %v : f32
    }
    affine.yield %r : f32
  }
  affine.for %i = 0 to 150 iter_args(%s = %none) -> (i32) {
    %r = affine.for %j = 0 to 213 iter_args(%t = %s) -> (i32) {
      %x = affine.load %I[%i, %j] : memref<150x213xi32>
      %u = arith.addi %t, %x : i32
      affine.store %u, %I[%i, %j] : memref<150x213xi32>
      affine.yield %u : i32
    }
    affine.yield %r : i32
  }
  return %last : f32
}
