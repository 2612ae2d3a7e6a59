// The variance of rows of f64, whose mean is found first: two sums, of which the second needs the first.
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
//
// CHECK: variance_kernel
// CHECK: verify passed
//
// Rows of fewer than 8 elements have a thread each; the four versions for longer ones are on tiles.
// RUN: terrace-opt %s --terrace-gpu-pipeline='last=mapping reassociate=true' | FileCheck %s --check-prefix=TILES
// TILES:         gpu.mapper = "loops"
// TILES-COUNT-4: gpu.mapper = "tile"
func.func @variance(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:5x33:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "zeros:5x33"},
    %V: memref<?xf64> {terrace.name = "V", terrace.dims = ["M"], terrace.init = "zeros:5"}) {
  %zero = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf64>
  %n = memref.dim %A, %c1 : memref<?x?xf64>
  %count = arith.index_cast %n : index to i64
  %length = arith.sitofp %count : i64 to f64
  affine.for %i = 0 to %m {
    %sum = affine.for %j = 0 to %n iter_args(%a = %zero) -> f64 {
      %x = affine.load %A[%i, %j] : memref<?x?xf64>
      %t = arith.addf %a, %x : f64
      affine.yield %t : f64
    }
    %mean = arith.divf %sum, %length : f64
    %squares = affine.for %j = 0 to %n iter_args(%a = %zero) -> f64 {
      %x = affine.load %A[%i, %j] : memref<?x?xf64>
      %d = arith.subf %x, %mean : f64
      %e = arith.mulf %d, %d : f64
      %t = arith.addf %a, %e : f64
      affine.yield %t : f64
    }
    %var = arith.divf %squares, %length : f64
    affine.store %var, %V[%i] : memref<?xf64>
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xf64>
      %d = arith.subf %x, %mean : f64
      affine.store %d, %B[%i, %j] : memref<?x?xf64>
    }
  }
  return
}
