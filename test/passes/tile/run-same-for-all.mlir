// What is summed up or stored may be the same for all elements of a row: a constant, a number of the row, and a sum.
//
// DEFINE: %{run} = terrace run %s --target emulator --verify --reassociate
// RUN: %{run} --size N=33 | FileCheck %s
// RUN: %{run} --size N=36 | FileCheck %s
// RUN: %{run} --size N=2100 | FileCheck %s
// RUN: %{run} --size N=5000 | FileCheck %s
//
// CHECK: verify passed
func.func @alike(
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
    %o = affine.load %S[%i] : memref<?xf32>
    %s:3 = affine.for %j = 0 to %n iter_args(%a = %zero, %b = %zero, %c = %zero) -> (f32, f32, f32) {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %e = math.exp %x : f32
      %t = arith.addf %a, %e : f32
      %u = arith.addf %b, %one : f32
      %v = arith.addf %c, %o : f32
      affine.yield %t, %u, %v : f32, f32, f32
    }
    affine.for %j = 0 to %n {
      %x = affine.load %A[%i, %j] : memref<?x?xf32>
      %q = arith.divf %x, %s#0 : f32
      affine.store %q, %B[%i, %j] : memref<?x?xf32>
    }
    %p = arith.divf %s#0, %s#1 : f32
    %q = arith.addf %p, %s#2 : f32
    affine.store %q, %S[%i] : memref<?xf32>
  }
  affine.for %i = 0 to %m {
    %s = affine.for %j = 0 to %n iter_args(%a = %zero) -> f32 {
      %x = affine.load %B[%i, %j] : memref<?x?xf32>
      %e = math.exp %x : f32
      %t = arith.addf %a, %e : f32
      affine.yield %t : f32
    }
    affine.for %j = 0 to %n {
      affine.store %s, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
