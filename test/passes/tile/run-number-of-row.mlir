// A number of a row that is loaded and stored: threads that hold copies of it must not load what one of them has
// stored. The emulator looks at who touches which element in which order.
//
// RUN: terrace run %s --target emulator --verify --reassociate | FileCheck %s
//
// CHECK: verify passed
func.func @f(%A: memref<70x1000xf32> {terrace.name = "A", terrace.init = "random:70x1000:1"}, %B: memref<70x1000xf32> {terrace.name = "B", terrace.init = "zeros:70x1000"}, %S: memref<70xf32> {terrace.name = "S", terrace.init = "random:70:2"}) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 70 {
    %y = affine.load %S[%i] : memref<70xf32>
    %z = arith.addf %y, %y : f32
    affine.store %z, %S[%i] : memref<70xf32>
    affine.for %j = 0 to 1000 {
      %x = affine.load %A[%i, %j] : memref<70x1000xf32>
      %e = math.exp %x : f32
      %q = arith.mulf %e, %y : f32
      affine.store %q, %B[%i, %j] : memref<70x1000xf32>
    }
    %s = affine.for %j = 0 to 1000 iter_args(%a = %zero) -> f32 {
      %x = affine.load %B[%i, %j] : memref<70x1000xf32>
      %t = arith.addf %a, %x : f32
      affine.yield %t : f32
    }
    affine.for %j = 0 to 1000 {
      %x = affine.load %B[%i, %j] : memref<70x1000xf32>
      %q = arith.subf %x, %s : f32
      affine.store %q, %B[%i, %j] : memref<70x1000xf32>
    }
  }
  return
}
