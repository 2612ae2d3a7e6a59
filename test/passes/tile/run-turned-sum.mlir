// An array and another one transposed: one load changes threads, and one does not. What is counted along both
// dimensions is computed.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify
// RUN: %{run} --size M=1 --size N=1 | FileCheck %s
// RUN: %{run} --size M=3 --size N=31 | FileCheck %s
// RUN: %{run} --size M=33 --size N=4 | FileCheck %s
// RUN: %{run} --size M=64 --size N=128 | FileCheck %s
// RUN: %{run} --size M=65 --size N=129 | FileCheck %s
// RUN: %{run} --size M=257 --size N=36 | FileCheck %s
//
// CHECK: verify passed
func.func @sum(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:5x7:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["N", "M"], terrace.init = "random:7x5:2"},
    %S: memref<?xf32> {terrace.name = "S", terrace.dims = ["M"], terrace.init = "random:5:3"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["M", "N"], terrace.init = "zeros:5x7"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %B[%j, %i] : memref<?x?xf32>
      %s = affine.load %S[%i] : memref<?xf32>
      %k = affine.apply affine_map<(d0, d1) -> (d0 * 2 - d1)>(%i, %j)
      %l = arith.index_cast %k : index to i32
      %f = arith.sitofp %l : i32 to f32
      %x = arith.addf %a, %b : f32
      %y = arith.mulf %x, %s : f32
      %z = arith.addf %y, %f : f32
      affine.store %z, %C[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
