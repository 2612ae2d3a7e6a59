// Several arrays that are read along another dimension than is written: their buffers fit a block together.
//
// RUN: terrace run %s --target emulator --verify | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size M=36 | FileCheck %s
//
// CHECK: verify passed
func.func @turned(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "M"], terrace.init = "random:70x70:0"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "M"], terrace.init = "random:70x70:1"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["M", "M"], terrace.init = "random:70x70:2"},
    %D: memref<?x?xf32> {terrace.name = "D", terrace.dims = ["M", "M"], terrace.init = "random:70x70:3"},
    %E: memref<?x?xf32> {terrace.name = "E", terrace.dims = ["M", "M"], terrace.init = "random:70x70:4"}) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%j, %i] : memref<?x?xf32>
      %b = affine.load %B[%j, %i] : memref<?x?xf32>
      %c = affine.load %C[%j, %i] : memref<?x?xf32>
      %d = affine.load %D[%j, %i] : memref<?x?xf32>
      %ab = arith.addf %a, %b : f32
      %abc = arith.addf %ab, %c : f32
      %abcd = arith.addf %abc, %d : f32
      affine.store %abcd, %E[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
