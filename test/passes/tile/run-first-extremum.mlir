// The first greatest element of each row, and of each column: by rows side by side, by pieces,
// and by parts that several blocks share.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --size M=1 --size N=1 | FileCheck %s
// RUN: %{run} --size M=600 --size N=3 | FileCheck %s
// RUN: %{run} --size M=600 --size N=40 | FileCheck %s
// RUN: %{run} --size M=33 --size N=257 | FileCheck %s
// RUN: %{run} --size M=3 --size N=5000 | FileCheck %s
// RUN: %{run} --size M=5000 --size N=5 | FileCheck %s
// RUN: %{run} --size M=2500 --size N=9 | FileCheck %s
// RUN: %{run} --size M=700 --size N=16 | FileCheck %s
// RUN: %{run} --size M=700 --size N=17 | FileCheck %s
// RUN: %{run} --size M=300 --size N=132 | FileCheck %s
//
// CHECK: verify   passed
func.func @first(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:7x9:1"},
    %R: memref<?xi32> {terrace.name = "R", terrace.dims = ["M"], terrace.init = "zeros:7"},
    %T: memref<?xf32> {terrace.name = "T", terrace.dims = ["M"], terrace.init = "zeros:7"},
    %C: memref<?xi32> {terrace.name = "C", terrace.dims = ["N"], terrace.init = "zeros:9"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  affine.parallel (%i) = (0) to (symbol(%m)) {
    %first = affine.load %A[%i, 0] : memref<?x?xf32>
    %top, %place = affine.for %j = 1 to %n iter_args(%t = %first, %p = %none) -> (f32, i32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %k = arith.index_cast %j : index to i32
      %c = arith.cmpf ogt, %x, %t : f32
      %u = arith.select %c, %x, %t : f32
      %q = arith.select %c, %k, %p : i32
      affine.yield %u, %q : f32, i32
    }
    affine.store %place, %R[%i] : memref<?xi32>
    affine.store %top, %T[%i] : memref<?xf32>
  }
  affine.parallel (%j) = (0) to (symbol(%n)) {
    %first = affine.load %A[0, %j] : memref<?x?xf32>
    %least, %place = affine.for %i = 1 to %m iter_args(%t = %first, %p = %none) -> (f32, i32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %k = arith.index_cast %i : index to i32
      %c = arith.cmpf olt, %x, %t : f32
      %u = arith.select %c, %x, %t : f32
      %q = arith.select %c, %k, %p : i32
      affine.yield %u, %q : f32, i32
    }
    affine.store %place, %C[%j] : memref<?xi32>
  }
  return
}
