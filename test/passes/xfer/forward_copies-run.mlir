// Arrays copied as a whole between kernels, as bufferized programs do: the copies are on the device, and
// left out where one buffer serves for both. What moves between host and device is A and B in and out.
// RUN: terrace run %s --target emulator --verify --size N=9 --size M=33 | FileCheck %s
// RUN: terrace run %s --target emulator --verify --size N=0 --size M=5 | FileCheck %s --check-prefix=PASSED
// RUN: terrace run %s --target emulator --verify --size N=1 --size M=1 | FileCheck %s --check-prefix=PASSED

// A as it comes in is read by the first kernel, so it needs a buffer of its own; that of %T
// becomes the one of A, in which the second kernel works. That of %U, which the third
// one starts from, has to be another, since A and B both go back.

// CHECK:     steps_kernel gpu
// CHECK:     steps_kernel_0
// CHECK:     steps_kernel_1
// CHECK-NOT: kernel_2
// CHECK:     host to device 4752 2
// CHECK:     device to host 4752 2
// CHECK:     on device 2376 1
// CHECK:     passed against the interpreter
// PASSED: passed against the interpreter
func.func @steps(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "M"], terrace.init = "random:9x33:1"},
    %B: memref<?x?xf64> {terrace.name = "B", terrace.dims = ["N", "M"], terrace.init = "random:9x33:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  %m = memref.dim %A, %c1 : memref<?x?xf64>
  %T = memref.alloc(%n, %m) : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[symbol(%n) - 1 - %i, symbol(%m) - 1 - %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %v = arith.mulf %a, %b : f64
      affine.store %v, %T[%i, %j] : memref<?x?xf64>
    }
  }
  memref.copy %T, %A : memref<?x?xf64> to memref<?x?xf64>
  memref.dealloc %T : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[symbol(%n) - 1 - %i, symbol(%m) - 1 - %j] : memref<?x?xf64>
      %v = arith.addf %a, %b : f64
      affine.store %v, %A[%i, %j] : memref<?x?xf64>
    }
  }
  %U = memref.alloc(%n, %m) : memref<?x?xf64>
  memref.copy %A, %U : memref<?x?xf64> to memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %u = affine.load %U[%i, %j] : memref<?x?xf64>
      %b = affine.load %B[%i, %j] : memref<?x?xf64>
      %v = arith.subf %u, %b : f64
      affine.store %v, %U[%i, %j] : memref<?x?xf64>
    }
  }
  memref.copy %U, %B : memref<?x?xf64> to memref<?x?xf64>
  memref.dealloc %U : memref<?x?xf64>
  return
}
