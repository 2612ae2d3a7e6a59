// RUN: terrace run %s --target emulator --verify --reassociate --size N=0 --size M=3 | FileCheck %s --check-prefix=SEQ
// RUN: terrace run %s --target emulator --verify --reassociate --size N=700 --size M=5 | FileCheck %s --check-prefix=WARP
// RUN: terrace run %s --target emulator --verify --reassociate --size N=2049 --size M=2 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=8193 --size M=3 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=20001 --size M=1 | FileCheck %s

// Running values that a condition starts again, sums of segments: for few elements in order, a warp or a block
// a row, and rows in one pass.
// SEQ: verify passed against the interpreter, largest relative error 0.00e0
// WARP: 5x1x1 32x1x1
// WARP: verify passed against the interpreter
// CHECK: verify passed against the interpreter
func.func @segmented(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:2x50:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "zeros:2x50"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "zeros:2x50"},
    %I: memref<?x?xi32> {terrace.name = "I", terrace.dims = ["M", "N"], terrace.init = "iota:2x50"},
    %J: memref<?x?xi32> {terrace.name = "J", terrace.dims = ["M", "N"], terrace.init = "zeros:2x50"},
    %K: memref<?x?xi32> {terrace.name = "K", terrace.dims = ["M", "N"], terrace.init = "zeros:2x50"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 1.5 : f32
  %infinite = arith.constant 0x7F800000 : f32
  %c36 = arith.constant 36 : i32
  %c37 = arith.constant 37 : i32
  %i0 = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  // Sums of floats from one head to the next.

  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n iter_args(%s = %z) -> (f32) {
      %h = affine.load %I[%r, %i] : memref<?x?xi32>
      %k = arith.remsi %h, %c37 : i32
      %first = arith.cmpi eq, %k, %i0 : i32
      %t = scf.if %first -> f32 {
        %x = affine.load %A[%r, %i] : memref<?x?xf32>
        scf.yield %x : f32
      } else {
        %x = affine.load %A[%r, %i] : memref<?x?xf32>
        %y = arith.addf %s, %x : f32
        scf.yield %y : f32
      }
      affine.store %t, %B[%r, %i] : memref<?x?xf32>
      affine.yield %t : f32
    }
  }
  // Values in front of a head are infinite, and nothing of them is left behind it.
  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n iter_args(%s = %z) -> (f32) {
      %h = affine.load %I[%r, %i] : memref<?x?xi32>
      %k = arith.remsi %h, %c37 : i32
      %first = arith.cmpi eq, %k, %i0 : i32
      %last = arith.cmpi eq, %k, %c36 : i32
      %x = affine.load %A[%r, %i] : memref<?x?xf32>
      %y = arith.addf %s, %x : f32
      %w = arith.select %last, %infinite, %y : f32
      %t = arith.select %first, %x, %w : f32
      affine.store %t, %C[%r, %i] : memref<?x?xf32>
      affine.yield %t : f32
    }
  }
  // Integers, set back in front of the sum.
  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n iter_args(%s = %three) -> (i32) {
      %h = affine.load %I[%r, %i] : memref<?x?xi32>
      %k = arith.remsi %h, %c37 : i32
      %first = arith.cmpi eq, %k, %three : i32
      %from = scf.if %first -> i32 {
        scf.yield %i0 : i32
      } else {
        scf.yield %s : i32
      }
      %t = arith.addi %from, %h : i32
      affine.store %t, %J[%r, %i] : memref<?x?xi32>
      affine.yield %t : i32
    }
  }
  // A select, and a factor of its own in either way.
  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n iter_args(%s = %three) -> (i32) {
      %h = affine.load %I[%r, %i] : memref<?x?xi32>
      %k = arith.remsi %h, %three : i32
      %even = arith.cmpi eq, %k, %i0 : i32
      %p = arith.muli %s, %h : i32
      %q = arith.addi %s, %k : i32
      %t = arith.select %even, %p, %q : i32
      affine.store %t, %K[%r, %i] : memref<?x?xi32>
      affine.yield %t : i32
    }
  }
  return
}
