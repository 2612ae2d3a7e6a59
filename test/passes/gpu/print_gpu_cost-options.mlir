// RUN: terrace-opt --print-gpu-cost='order=1,0 block-sizes=64,2' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=ORDER
// RUN: terrace-opt --print-gpu-cost='tile=1,4 tile-kind=cyclic machine=sm_80' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=CYCLIC
// RUN: terrace-opt --print-gpu-cost='tile=1,4' %s 2>&1 >/dev/null | FileCheck %s --check-prefix=BLOCKED
// RUN: not terrace-opt --print-gpu-cost='order=0' %s 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: not terrace-opt --print-gpu-cost='sizes=N' %s 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not terrace-opt --print-gpu-cost='machine=sm_20' %s 2>&1 | FileCheck %s --check-prefix=MACHINE

// ORDER: i along x, j along y; blocks 16x512x1 of 64x2x1 threads
// ORDER-NEXT: 32 registers
// ORDER-NEXT: load A[i][j]: 32768 requests, 1048576 sectors, 1048576 lines
// CYCLIC: on sm_80 (A100 SXM4 80GB): j along x, i along y; blocks 8x128x1
// CYCLIC: load A[i][j]: 32768 requests, 131072 sectors
// BLOCKED: load A[i][j]: 32768 requests, 524288 sectors
// SHORT: the nest has 2 parallel loops, but order has 1 numbers and tile 0
// SIZES: found 'N' in sizes, expected NAME:NUMBER
// MACHINE: unknown architecture 'sm_20'; known are sm_70
func.func @copy(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>) {
  affine.parallel (%i, %j) = (0, 0) to (1024, 1024) {
    %x = affine.load %A[%i, %j] : memref<1024x1024xf32>
    affine.store %x, %B[%i, %j] : memref<1024x1024xf32>
  }
  return
}
