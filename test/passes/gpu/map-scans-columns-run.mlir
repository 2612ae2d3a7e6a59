// RUN: terrace run %s --target emulator --verify --reassociate --size M=700 --size N=5 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=1025 --size N=16 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=512 --size N=75 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --reassociate --size M=33 --size N=40 | FileCheck %s

// Scans down columns, in tiles of 8 and of 32 of them: sums from a first value, in place, the greatest so
// far in front of each element, and a filter; along the middle of three axes.

// CHECK: verify passed
func.func @columns(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:700x5:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "random:700x5:2"},
    %C: memref<?x?xi32> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "random:700x5:3"},
    %D: memref<?x?xi32> {terrace.name = "D", terrace.dims = ["M", "N"], terrace.init = "random:700x5:4"},
    %E: memref<3x?x?xf64> {terrace.name = "E", terrace.dims = ["3", "M", "N"], terrace.init = "random:3x700x5:5"},
    %F: memref<3x?x?xf64> {terrace.name = "F", terrace.dims = ["3", "M", "N"], terrace.init = "random:3x700x5:6"},
    %first: memref<?xf32> {terrace.name = "first", terrace.dims = ["N"], terrace.init = "random:5:7"},
    %last: memref<?xf32> {terrace.name = "last", terrace.dims = ["N"], terrace.init = "random:5:8"}
) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %least = arith.constant -2147483648 : i32
  %zero = arith.constant 0.0 : f64
  %keeps = arith.constant 0.75 : f64
  affine.for %j = 0 to %n {
    %z = affine.load %first[%j] : memref<?xf32>
    %r = affine.for %i = 0 to %m iter_args(%s = %z) -> (f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %t = arith.addf %s, %x : f32
      affine.store %t, %B[%i, %j] : memref<?x?xf32>
      affine.yield %t : f32
    }
    affine.store %r, %last[%j] : memref<?xf32>
  }
  affine.for %j = 0 to %n {
    affine.for %i = 1 to %m {
      %s = affine.load %A[%i - 1, %j] : memref<?x?xf32>
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %t = arith.addf %s, %x : f32
      affine.store %t, %A[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %j = 0 to %n {
    affine.for %i = 0 to %m iter_args(%s = %least) -> (i32) {
      %x = affine.load %C[%i, %j] : memref<?x?xi32>
      %t = arith.maxsi %s, %x : i32
      affine.store %s, %D[%i, %j] : memref<?x?xi32>
      affine.yield %t : i32
    }
  }
  affine.for %k = 0 to 3 {
    affine.for %j = 0 to %n {
      affine.for %i = 0 to %m iter_args(%s = %zero) -> (f64) {
        %x = affine.load %E[%k, %i, %j] : memref<3x?x?xf64>
        %y = arith.mulf %s, %keeps : f64
        %t = arith.addf %y, %x : f64
        affine.store %t, %F[%k, %i, %j] : memref<3x?x?xf64>
        affine.yield %t : f64
      }
    }
  }
  return
}
