// RUN: terrace-opt %s -split-input-file -affine-data-copy-generate="fast-mem-capacity=1" | FileCheck %s

// A kilobyte does not hold the memref, but does a row of it.

// CHECK-LABEL: func.func @rows
func.func @rows(%A: memref<64x64xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}
  // CHECK-NEXT:   affine.for %[[ARG1:.*]] = 0 to 64 {
  // CHECK-NEXT:     %[[ALLOC:.*]] = memref.alloc() : memref<1x64xf32, 1>
  // CHECK-NEXT:     affine.for %[[ARG2:.*]] = 0 to 64 {
  // CHECK-NEXT:       %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG1]], %[[ARG2]]] : memref<64x64xf32>
  // CHECK-NEXT:       affine.store %[[V0]], %[[ALLOC]][0, %[[ARG2]]] : memref<1x64xf32, 1>
  // CHECK-NEXT:     }
  // CHECK-NEXT:     affine.for %[[ARG2]] = 0 to 64 {
  // CHECK-NEXT:       %[[V0]] = affine.load %[[ALLOC]][0, %[[ARG2]]] : memref<1x64xf32, 1>
  // CHECK-NEXT:       %[[V1:.*]] = arith.addf %[[V0]], %[[V0]] : f32
  // CHECK-NEXT:       affine.store %[[V1]], %[[ALLOC]][0, %[[ARG2]]] : memref<1x64xf32, 1>
  // CHECK-NEXT:     }
  // CHECK-NEXT:     affine.for %[[ARG2]] = 0 to 64 {
  // CHECK-NEXT:       %[[V0]] = affine.load %[[ALLOC]][0, %[[ARG2]]] : memref<1x64xf32, 1>
  // CHECK-NEXT:       affine.store %[[V0]], %[[ARG0]][%[[ARG1]], %[[ARG2]]] : memref<64x64xf32>
  // CHECK-NEXT:     }
  // CHECK-NEXT:     memref.dealloc %[[ALLOC]] : memref<1x64xf32, 1>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %x = affine.load %A[%i, %j] : memref<64x64xf32>
      %y = arith.addf %x, %x : f32
      affine.store %y, %A[%i, %j] : memref<64x64xf32>
    }
  }
  return
}
