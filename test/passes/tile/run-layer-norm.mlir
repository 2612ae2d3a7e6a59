// A layer norm with a gain and a bias for each column. Both sums are of one loop, and the means are stored.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify --reassociate
// RUN: %{run} --size N=1 | FileCheck %s
// RUN: %{run} --size N=3 | FileCheck %s
// RUN: %{run} --size N=4 | FileCheck %s
// RUN: %{run} --size N=31 | FileCheck %s
// RUN: %{run} --size N=33 | FileCheck %s
// RUN: %{run} --size N=63 | FileCheck %s
// RUN: %{run} --size N=64 | FileCheck %s
// RUN: %{run} --size N=65 | FileCheck %s
// RUN: %{run} --size N=255 | FileCheck %s
// RUN: %{run} --size N=256 | FileCheck %s
// RUN: %{run} --size N=257 | FileCheck %s
// RUN: %{run} --size N=1023 | FileCheck %s
// RUN: %{run} --size N=1024 | FileCheck %s
// RUN: %{run} --size N=1025 | FileCheck %s
// RUN: %{run} --size N=4095 | FileCheck %s
// RUN: %{run} --size N=4096 | FileCheck %s
// RUN: %{run} --size N=4097 | FileCheck %s
// RUN: %{run} --size N=5000 | FileCheck %s
// RUN: %{run} --size N=260 --size M=9 | FileCheck %s
//
// CHECK: norm_kernel
// CHECK: verify passed
//
// Rows of fewer than 8 elements have a thread each; the four versions for longer ones are on tiles.
// RUN: terrace-opt %s --terrace-gpu-pipeline='last=mapping reassociate=true' | FileCheck %s --check-prefix=TILES
// RUN: %{run} --size N=5119 | FileCheck %s
// RUN: %{run} --size N=8191 | FileCheck %s
// RUN: %{run} --size N=8192 | FileCheck %s
// RUN: %{run} --size N=8193 | FileCheck %s
// TILES:         gpu.mapper = "loops"
// TILES-COUNT-4: gpu.mapper = "tile"
func.func @norm(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:3x33:1"},
    %G: memref<?xf32> {terrace.name = "G", terrace.dims = ["N"], terrace.init = "random:33:2"},
    %H: memref<?xf32> {terrace.name = "H", terrace.dims = ["N"], terrace.init = "random:33:3"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "zeros:3x33"},
    %S: memref<?xf32> {terrace.name = "S", terrace.dims = ["M"], terrace.init = "zeros:3"}) {
  %zero = arith.constant 0.0 : f32
  %small = arith.constant 0.01 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  %count = arith.index_cast %n : index to i64
  %length = arith.sitofp %count : i64 to f32
  affine.for %i = 0 to %m {
    %s:2 = affine.for %j = 0 to %n iter_args(%a = %zero, %b = %zero) -> (f32, f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %y = arith.mulf %x, %x : f32
      %t = arith.addf %a, %x : f32
      %u = arith.addf %b, %y : f32
      affine.yield %t, %u : f32, f32
    }
    %mean = arith.divf %s#0, %length : f32
    %square = arith.divf %s#1, %length : f32
    %both = arith.mulf %mean, %mean : f32
    %var = arith.subf %square, %both : f32
    %some = arith.addf %var, %small : f32
    %root = math.rsqrt %some : f32
    affine.store %mean, %S[%i] : memref<?xf32>
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %g = affine.load %G[%j] : memref<?xf32>
      %h = affine.load %H[%j] : memref<?xf32>
      %d = arith.subf %x, %mean : f32
      %e = arith.mulf %d, %root : f32
      %f = arith.mulf %e, %g : f32
      %q = arith.addf %f, %h : f32
      affine.store %q, %B[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
