// A chain of bias, maximum and scale by way of an array that the caller sees: one kernel, which
// loads the input and the bias and stores two arrays. Sectors are those of the emulator.
// RUN: env TERRACE_EMULATOR=counts terrace run %s --target emulator --verify 2>&1 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size N=7 --size M=45 | FileCheck %s --check-prefix=SMALL
// RUN: terrace run %s --target emulator --verify --size N=0 --size M=5 | FileCheck %s --check-prefix=SMALL

// CHECK: emulator: chain_kernel:
// CHECK: global loads: 9600 requests, 38400 sectors
// CHECK: global stores: 9600 requests, 38400 sectors
// CHECK-NOT: emulator:
// CHECK: passed against the interpreter
// SMALL: passed against the interpreter
func.func @chain(
    %A: memref<?x?xf32> {terrace.name = "A", terrace.dims = ["N", "M"], terrace.init = "random:300x512:1"},
    %bias: memref<?xf32> {terrace.name = "bias", terrace.dims = ["M"], terrace.init = "random:512:2"},
    %T: memref<?x?xf32> {terrace.name = "T", terrace.dims = ["N", "M"], terrace.init = "zeros:300x512"},
    %C: memref<?x?xf32> {terrace.name = "C", terrace.dims = ["N", "M"], terrace.init = "zeros:300x512"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      %b = affine.load %bias[%j] : memref<?xf32>
      %s = arith.addf %a, %b : f32
      affine.store %s, %T[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %t = affine.load %T[%i, %j] : memref<?x?xf32>
      %z = arith.maximumf %t, %zero : f32
      affine.store %z, %T[%i, %j] : memref<?x?xf32>
    }
  }
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %t = affine.load %T[%i, %j] : memref<?x?xf32>
      %z = arith.mulf %t, %scale : f32
      affine.store %z, %C[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
