// RUN: terrace-opt %s -gpu-temporal-blocking='steps=3' -gpu-kernel-outlining=unique-kernel-names=true -gpu-count-work -canonicalize -cse | FileCheck %s

// Three sweeps a launch, each of two sums and a product for every cell of 998 x 998, however
// often tiles that overlap compute it; of bytes one array read and one written.

// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 0x416118F880000000 : f64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 0x416E654800000000 : f64
// CHECK: xfer.note_work %{{.*}}, %[[FLOPS]], %[[BYTES]]
// CHECK: gpu.launch_func
func.func @jacobi(%A: memref<1000x1000xf64>, %B: memref<1000x1000xf64>) {
  %third = arith.constant 0.333 : f64
  affine.for %t = 0 to 30 {
    affine.for %i = 1 to 999 {
      affine.for %j = 1 to 999 {
        %0 = affine.load %A[%i, %j] : memref<1000x1000xf64>
        %1 = affine.load %A[%i, %j - 1] : memref<1000x1000xf64>
        %2 = affine.load %A[%i + 1, %j] : memref<1000x1000xf64>
        %3 = arith.addf %0, %1 : f64
        %4 = arith.addf %3, %2 : f64
        %5 = arith.mulf %4, %third : f64
        affine.store %5, %B[%i, %j] : memref<1000x1000xf64>
      }
    }
    affine.for %i = 1 to 999 {
      affine.for %j = 1 to 999 {
        %0 = affine.load %B[%i, %j] : memref<1000x1000xf64>
        %1 = affine.load %B[%i, %j - 1] : memref<1000x1000xf64>
        %2 = affine.load %B[%i + 1, %j] : memref<1000x1000xf64>
        %3 = arith.addf %0, %1 : f64
        %4 = arith.addf %3, %2 : f64
        %5 = arith.mulf %4, %third : f64
        affine.store %5, %A[%i, %j] : memref<1000x1000xf64>
      }
    }
  }
  return
}
