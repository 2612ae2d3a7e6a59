// RUN: terrace run %s --target emulator --verify --size N=700 | FileCheck %s --check-prefix=WARP
// RUN: terrace run %s --target emulator --verify --size N=2500 | FileCheck %s --check-prefix=BLOCK
// RUN: terrace run %s --target emulator --verify --size N=20001 | FileCheck %s --check-prefix=ONCE

// A condition that replaces a running value: the same numbers as of the loops, to the last bit, in
// whichever order sums may be.
// WARP-COUNT-3: 5x1x1 32x1x1
// WARP: verify passed against the interpreter, largest relative error 0.00e0
// BLOCK-COUNT-3: 5x1x1 256x1x1
// BLOCK: verify passed against the interpreter, largest relative error 0.00e0
// ONCE-COUNT-6: x1x1 256x1x1
// ONCE: verify passed against the interpreter, largest relative error 0.00e0
func.func @choice(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["", "N"], terrace.init = "random:5x50:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["", "N"], terrace.init = "zeros:5x50"},
    %D: memref<?x?xf64> {terrace.name = "D", terrace.dims = ["", "N"], terrace.init = "random:5x50:2"},
    %I: memref<?x?xi32> {terrace.name = "I", terrace.dims = ["", "N"], terrace.init = "iota:5x50"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %zeros = arith.constant -0.0 : f32
  %one = arith.constant 1.0 : f64
  %most = arith.constant 100000 : i32
  %seven = arith.constant 7 : i32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  // Some are zeros of either sign, and some 0 / 0.
  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n iter_args(%s = %zeros) -> (f32) {
      %x = affine.load %A[%r, %i] : memref<?x?xf32>
      %few = arith.cmpf olt, %x, %z : f32
      %y = scf.if %few -> (f32) {
        %q = arith.divf %z, %z : f32
        scf.yield %q : f32
      } else {
        %q = arith.mulf %x, %z : f32
        scf.yield %q : f32
      }
      %more = arith.cmpf oge, %y, %s : f32
      %t = arith.select %more, %y, %s : f32
      %u = math.copysign %x, %t : f32
      affine.store %u, %B[%r, %i] : memref<?x?xf32>
      affine.yield %t : f32
    }
  }
  // In place; what is compared is read again where it replaces.
  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n iter_args(%s = %one) -> (f64) {
      %x = affine.load %D[%r, %i] : memref<?x?xf64>
      %less = arith.cmpf ogt, %s, %x : f64
      %t = scf.if %less -> (f64) {
        %y = affine.load %D[%r, %i] : memref<?x?xf64>
        scf.yield %y : f64
      } else {
        scf.yield %s : f64
      }
      affine.store %t, %D[%r, %i] : memref<?x?xf64>
      affine.yield %t : f64
    }
  }
  // Integers, the value before.
  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n iter_args(%s = %most) -> (i32) {
      %x = affine.load %I[%r, %i] : memref<?x?xi32>
      %y = arith.remsi %x, %seven : i32
      %less = arith.cmpi slt, %s, %y : i32
      %t = scf.if %less -> (i32) {
        scf.yield %s : i32
      } else {
        %v = arith.remsi %x, %seven : i32
        scf.yield %v : i32
      }
      affine.store %s, %I[%r, %i] : memref<?x?xi32>
      affine.yield %t : i32
    }
  }
  return
}
