// RUN: terrace-opt %s -print-gpu-cost='machine=sm_90 ahead=true' -o /dev/null 2>&1 | FileCheck %s

// Rows of a matrix, a thread each: tiles are copied ahead. A has each element copied once, x
// once for each of 512 blocks.

// CHECK: on sm_90 (H200 SXM): i along x; blocks 512 of 96 threads, tiles of 32 iterations, 4 ahead
// CHECK: load A[i][j]: 8388608 requests, 67108864 sectors, 16777216 lines, 2147483648 bytes (estimate); 8.00 sectors a request
// CHECK-NEXT: load x[j]: 262144 requests, 2097152 sectors,
// CHECK: memory {{.*}} us 2147.{{[0-9]+}} MB at 4244 GB/s <- binds
// CHECK: latency {{.*}} clocks a block, 4 tiles under way; 0.78 waves of 5 blocks an SM (shared memory)
func.func @rows(%A: memref<16384x16384xf64>, %x: memref<16384xf64>, %y: memref<16384xf64>) {
  affine.parallel (%i) = (0) to (16384) {
    affine.for %j = 0 to 16384 {
      %a = affine.load %A[%i, %j] : memref<16384x16384xf64>
      %b = affine.load %x[%j] : memref<16384xf64>
      %s = affine.load %y[%i] : memref<16384xf64>
      %0 = arith.mulf %a, %b : f64
      %1 = arith.addf %s, %0 : f64
      affine.store %1, %y[%i] : memref<16384xf64>
    }
  }
  return
}

// What no tile is of use for stays as it is.

// CHECK: on sm_90 (H200 SXM): i along x; blocks 4x1x1 of 256x1x1 threads
func.func @plain(%x: memref<1024xf64>) {
  affine.parallel (%i) = (0) to (1024) {
    %a = affine.load %x[%i] : memref<1024xf64>
    affine.store %a, %x[%i] : memref<1024xf64>
  }
  return
}
