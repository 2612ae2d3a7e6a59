// A transpose and a norm of rows that are so small that they stay on the host.
//
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
//
// CHECK: verify passed
func.func @small(
    %A: memref<16x16xf32> {terrace.name = "A", terrace.init = "random:16x16:1"},
    %B: memref<16x16xf32> {terrace.name = "B", terrace.init = "zeros:16x16"}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 16 {
    affine.for %j = 0 to 16 {
      %x = affine.load %A[%j, %i] : memref<16x16xf32>
      affine.store %x, %B[%i, %j] : memref<16x16xf32>
    }
  }
  affine.for %i = 0 to 16 {
    %s = affine.for %j = 0 to 16 iter_args(%a = %zero) -> f32 {
      %x = affine.load %B[%i, %j] : memref<16x16xf32>
      %t = arith.addf %a, %x : f32
      affine.yield %t : f32
    }
    affine.for %j = 0 to 16 {
      %x = affine.load %B[%i, %j] : memref<16x16xf32>
      %q = arith.divf %x, %s : f32
      affine.store %q, %B[%i, %j] : memref<16x16xf32>
    }
  }
  return
}
