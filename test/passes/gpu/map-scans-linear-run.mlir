// RUN: terrace run %s --target emulator --verify --reassociate --size N=0 --size M=3 | FileCheck %s --check-prefix=SEQ
// RUN: terrace run %s --target emulator --verify --reassociate --size N=700 --size M=5 | FileCheck %s --check-prefix=WARP
// RUN: terrace run %s --target emulator --verify --reassociate --size N=2049 --size M=2 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=8193 --size M=3 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=20001 --size M=1 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size N=1100 --size M=130 | FileCheck %s

// Running values that become a * x + b: for few elements in order, a warp or a block a row, and rows
// in one pass. Integers come out to the last bit.
// SEQ: verify passed against the interpreter, largest relative error 0.00e0
// WARP: 5x1x1 32x1x1
// WARP: verify passed against the interpreter
// CHECK: verify passed against the interpreter
func.func @linear(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:2x50:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "zeros:2x50"},
    %D: memref<?x?xf64> {terrace.name = "D", terrace.dims = ["M", "N"], terrace.init = "random:2x50:2"},
    %I: memref<?x?xi32> {terrace.name = "I", terrace.dims = ["M", "N"], terrace.init = "iota:2x50"},
    %J: memref<?x?xi32> {terrace.name = "J", terrace.dims = ["M", "N"], terrace.init = "zeros:2x50"},
    %E: memref<?xf32> {terrace.name = "E", terrace.dims = ["M"], terrace.init = "zeros:2"},
    %L: memref<?xi32> {terrace.name = "L", terrace.dims = ["M"], terrace.init = "iota:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 1.5 : f32
  %half = arith.constant 0.5 : f32
  %most = arith.constant 0.75 : f64
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  // An exponential mean: each value is kept, what is added before the factor is used, too.
  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n iter_args(%s = %z) -> (f32) {
      %x = affine.load %A[%r, %i] : memref<?x?xf32>
      %t = arith.addf %s, %x : f32
      %u = arith.mulf %t, %half : f32
      %v = arith.addf %t, %u : f32
      affine.store %v, %B[%r, %i] : memref<?x?xf32>
      affine.yield %u : f32
    }
  }
  // In place, from element to element, with a sign that changes.
  affine.for %r = 0 to %m {
    affine.for %i = 1 to %n {
      %p = affine.load %D[%r, %i - 1] : memref<?x?xf64>
      %x = affine.load %D[%r, %i] : memref<?x?xf64>
      %q = arith.mulf %p, %most : f64
      %t = arith.subf %x, %q : f64
      affine.store %t, %D[%r, %i] : memref<?x?xf64>
    }
  }
  // A factor that is an element; the value before is kept.
  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n iter_args(%s = %three) -> (i32) {
      %x = affine.load %I[%r, %i] : memref<?x?xi32>
      %p = arith.muli %s, %x : i32
      %t = arith.subi %seven, %p : i32
      affine.store %s, %J[%r, %i] : memref<?x?xi32>
      affine.yield %t : i32
    }
  }
  // The last value alone, carried and in memory.
  affine.for %r = 0 to %m {
    %last = affine.for %i = 0 to %n iter_args(%s = %z) -> (f32) {
      %x = affine.load %A[%r, %i] : memref<?x?xf32>
      %p = arith.mulf %s, %x : f32
      %t = arith.addf %p, %x : f32
      affine.yield %t : f32
    }
    affine.store %last, %E[%r] : memref<?xf32>
  }
  affine.for %r = 0 to %m {
    affine.for %i = 0 to %n {
      %s = affine.load %L[%r] : memref<?xi32>
      %x = affine.load %I[%r, %i] : memref<?x?xi32>
      %p = arith.muli %s, %three : i32
      %t = arith.addi %x, %p : i32
      affine.store %t, %L[%r] : memref<?xi32>
    }
  }
  return
}
