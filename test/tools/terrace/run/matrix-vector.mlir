// Sizes that fill no block and no tile, and exactly one more than they hold; the emulator
// looks for races and memory that nobody wrote.

// RUN: terrace run %s --target emulator --verify --size M=1 --size N=64 2>&1 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=33 --size N=257 2>&1 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=65 --size N=95 2>&1 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=96 --size N=31 2>&1 | FileCheck %s
// RUN: terrace compile %s --emit ptx --arch sm_70 | FileCheck %s --check-prefix=SM70

// CHECK: verify passed against the interpreter, largest relative error 0.00e0

// Where the machine does not copy in the background, threads do.
// SM70-NOT: cp.async
// SM70: st.shared.b64

func.func @products(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:65x95:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["N", "M"], terrace.init = "random:95x65:2"},
    %x: memref<?xf64> {terrace.name = "x", terrace.dims = ["N"], terrace.init = "random:95:3"},
    %y: memref<?xf64> {terrace.name = "y", terrace.dims = ["M"], terrace.init = "random:65:4"},
    %z: memref<?xf64> {terrace.name = "z", terrace.dims = ["N"], terrace.init = "random:95:5"},
    %w: memref<?xf32> {terrace.name = "w", terrace.dims = ["M"], terrace.init = "random:65:6"}
) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f64
  %M = memref.dim %A, %c0 : memref<?x?xf64>
  %N = memref.dim %A, %c1 : memref<?x?xf64>
  // Rows from the second on, columns but the first; what is behind the loop uses the sum.
  affine.for %i = 1 to %M {
    affine.for %j = 1 to %N {
      %s = affine.load %y[%i] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %x[%j] : memref<?xf64>
      %p = arith.mulf %a, %b : f64
      %t = arith.addf %s, %p : f64
      affine.store %t, %y[%i] : memref<?xf64>
    }
    %s = affine.load %y[%i] : memref<?xf64>
    %h = arith.mulf %s, %half : f64
    affine.store %h, %y[%i] : memref<?xf64>
  }
  // Columns; the counter itself is used too.
  affine.for %j = 0 to %N {
    affine.for %i = 0 to %M {
      %s = affine.load %z[%j] : memref<?xf64>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %y[%i] : memref<?xf64>
      %k = arith.index_cast %i : index to i64
      %f = arith.sitofp %k : i64 to f64
      %p = arith.mulf %a, %b : f64
      %q = arith.addf %p, %f : f64
      %t = arith.addf %s, %q : f64
      affine.store %t, %z[%j] : memref<?xf64>
    }
  }
  // Two arrays along both ways in one loop, of 4 bytes and of 8; a carried value.
  affine.for %i = 0 to %M {
    %first = affine.load %w[%i] : memref<?xf32>
    %r = affine.for %j = 0 to %N iter_args(%s = %first) -> f32 {
      %b = affine.load %B[%j, %i] : memref<?x?xf32>
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %n = arith.truncf %a : f64 to f32
      %p = arith.mulf %n, %b : f32
      %t = arith.addf %s, %p : f32
      affine.yield %t : f32
    }
    affine.store %r, %w[%i] : memref<?xf32>
  }
  return
}
