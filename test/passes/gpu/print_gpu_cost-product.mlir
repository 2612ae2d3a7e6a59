// RUN: terrace-opt %s -gpu-map-contractions=arch=sm_90 -print-gpu-cost='machine=sm_90 sizes=n:4096,m:4096' -o /dev/null 2>&1 | FileCheck %s
// RUN: terrace-opt %s -gpu-map-contractions=arch=sm_90 -print-gpu-cost='machine=sm_90 sizes=n:1536,m:4096' -o /dev/null 2>&1 | FileCheck %s --check-prefix=SMALLER
// RUN: not terrace-opt %s -gpu-map-contractions=arch=sm_90 -print-gpu-cost='machine=sm_90 sizes=n:4096' -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: terrace-opt %s -gpu-map-contractions=arch=sm_90 | FileCheck %s --check-prefix=NOTE

// A triangle: 528 of 1024 blocks have something to do. The other kernel is run in its place
// where that costs less, as it does at both sizes.

// CHECK: on sm_90 (H200 SXM): tiles of 128x128 of i and j, 32x32 of them, by 256 threads each; 16 of k at a time, 4 slabs
// CHECK: load A[i][k]: 4325376 requests
// CHECK-NEXT: load A[j][k]:
// CHECK-NEXT: load C[i][j]:
// CHECK-NEXT: store C[i][j]: 262208 requests, 4195328 sectors
// CHECK: matrix units {{.*}} 0.0709 TFLOP at 66.7 TFLOP/s
// CHECK: blocks {{.*}} 1024 blocks, of which 496 end at once
// CHECK: not run at these sizes: blocks of 64 x 96 take less time
// CHECK: on sm_90 (H200 SXM): tiles of 64x96 of i and j, 64x43 of them, by 128 threads each; 16 of k at a time, 3 slabs
// CHECK-NOT: not run

// SMALLER: tiles of 128x128 of i and j, 12x12 of them
// SMALLER: tiles of 64x96 of i and j, 24x16 of them

// UNKNOWN: error: the value of 'm' is not known; give it with sizes=m:NUMBER

// NOTE: gpu.product = {
// NOTE-SAME: names = ["i", "j", "k"]
// NOTE-SAME: unit = "f64"
func.func @triangle(%A: memref<?x4096xf64>, %C: memref<?x4096xf64>, %n: index, %m: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0 + 1)>(%i) {
      affine.for %k = 0 to %m {
        %0 = affine.load %A[%i, %k] : memref<?x4096xf64>
        %1 = affine.load %A[%j, %k] : memref<?x4096xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %C[%i, %j] : memref<?x4096xf64>
        %4 = arith.addf %3, %2 : f64
        affine.store %4, %C[%i, %j] : memref<?x4096xf64>
      }
    }
  }
  return
}
