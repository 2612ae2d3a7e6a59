// RUN: terrace-opt %s --gpu-kernel-outlining | FileCheck %s

// A launch keeps its tokens.

func.func @f(%t: !gpu.async.token, %m: memref<4xf32, #xfer.device>) {
  %c1 = arith.constant 1 : index
  %k = gpu.launch async [%t] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = arith.constant 1.0 : f32
    memref.store %x, %m[%tx] : memref<4xf32, #xfer.device>
    gpu.terminator
  }
  gpu.wait [%k]
  return
}

// CHECK: func.func @f(%[[T:.*]]: !gpu.async.token
// CHECK: %[[K:.*]] = gpu.launch_func async [%[[T]]] @f_kernel::@f_kernel
// CHECK: gpu.wait [%[[K]]]
