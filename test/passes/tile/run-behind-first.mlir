// Rows that begin behind their first element, in each version. A piece of a row has a lower limit, too, which is no
// multiple of what an access moves.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify --reassociate
// RUN: %{run} --size N=33 | FileCheck %s
// RUN: %{run} --size N=36 | FileCheck %s
// RUN: %{run} --size N=2100 | FileCheck %s
// RUN: %{run} --size N=4097 | FileCheck %s
// RUN: %{run} --size N=5000 | FileCheck %s
// RUN: %{run} --size N=8192 | FileCheck %s
//
// CHECK: verify passed
func.func @behind(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["M", "N"], terrace.init = "random:3x33:1"},
    %B: memref<?x?xf32> {terrace.name = "B", terrace.dims = ["M", "N"], terrace.init = "random:3x33:2"},
    %S: memref<?xf32> {terrace.name = "S", terrace.dims = ["M"], terrace.init = "random:3:3"}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  affine.for %i = 0 to %m {
    %s = affine.for %j = 1 to %n iter_args(%a = %zero) -> f32 {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %e = math.exp %x : f32
      %t = arith.addf %a, %e : f32
      affine.yield %t : f32
    }
    affine.for %j = 3 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %q = arith.divf %x, %s : f32
      affine.store %q, %B[%i, %j] : memref<?x?xf32>
    }
    affine.store %s, %S[%i] : memref<?xf32>
  }
  return
}
