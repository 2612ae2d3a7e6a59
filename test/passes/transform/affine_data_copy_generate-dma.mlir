// RUN: terrace-opt %s -split-input-file -affine-data-copy-generate="generate-dma fast-mem-space=2 tag-mem-space=3 skip-non-unit-stride-loops" | FileCheck %s

// A tile of a row goes in one transfer; the write has a tag of its own.

// CHECK-DAG: #[[$MAP0_0:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$MAP1_0:.*]] = affine_map<(d0) -> (d0 + 32)>

// CHECK-LABEL: func.func @tile
func.func @tile(%A: memref<64x1024xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}
  // CHECK-NEXT:   %[[C32:.*]] = arith.constant 32 : index
  // CHECK-NEXT:   %[[C1024:.*]] = arith.constant 1024 : index
  // CHECK-NEXT:   %[[C2048:.*]] = arith.constant 2048 : index
  // CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
  // CHECK-NEXT:   %[[C320:.*]] = arith.constant 32 : index
  // CHECK-NEXT:   %[[C10241:.*]] = arith.constant 1024 : index
  // CHECK-NEXT:   %[[C20482:.*]] = arith.constant 2048 : index
  // CHECK-NEXT:   %[[C03:.*]] = arith.constant 0 : index
  // CHECK-NEXT:   affine.for %[[ARG1:.*]] = 0 to 1024 step 32 {
  // CHECK-NEXT:     %[[ALLOC:.*]] = memref.alloc() : memref<64x32xf32, 2>
  // CHECK-NEXT:     %[[ALLOC4:.*]] = memref.alloc() : memref<1xi32, 3>
  // CHECK-NEXT:     affine.dma_start %[[ARG0]][0, %[[ARG1]]], %[[ALLOC]][%[[C03]], %[[C03]]], %[[ALLOC4]][%[[C03]]], %[[C20482]], %[[C10241]], %[[C320]] : memref<64x1024xf32>, memref<64x32xf32, 2>, memref<1xi32, 3>
  // CHECK-NEXT:     affine.dma_wait %[[ALLOC4]][%[[C03]]], %[[C20482]] : memref<1xi32, 3>
  // CHECK-NEXT:     %[[ALLOC5:.*]] = memref.alloc() : memref<1xi32, 3>
  // CHECK-NEXT:     affine.for %[[ARG2:.*]] = 0 to 64 {
  // CHECK-NEXT:       affine.for %[[ARG3:.*]] = #[[$MAP0_0]](%[[ARG1]]) to #[[$MAP1_0]](%[[ARG1]]) {
  // CHECK-NEXT:         %[[V0:.*]] = affine.load %[[ALLOC]][%[[ARG2]], -%[[ARG1]] + %[[ARG3]]] : memref<64x32xf32, 2>
  // CHECK-NEXT:         affine.store %[[V0]], %[[ALLOC]][%[[ARG2]], -%[[ARG1]] + %[[ARG3]]] : memref<64x32xf32, 2>
  // CHECK-NEXT:       }
  // CHECK-NEXT:     }
  // CHECK-NEXT:     affine.dma_start %[[ALLOC]][%[[C0]], %[[C0]]], %[[ARG0]][0, %[[ARG1]]], %[[ALLOC5]][%[[C0]]], %[[C2048]], %[[C1024]], %[[C32]] : memref<64x32xf32, 2>, memref<64x1024xf32>, memref<1xi32, 3>
  // CHECK-NEXT:     affine.dma_wait %[[ALLOC5]][%[[C0]]], %[[C2048]] : memref<1xi32, 3>
  // CHECK-NEXT:     memref.dealloc %[[ALLOC5]] : memref<1xi32, 3>
  // CHECK-NEXT:     memref.dealloc %[[ALLOC4]] : memref<1xi32, 3>
  // CHECK-NEXT:     memref.dealloc %[[ALLOC]] : memref<64x32xf32, 2>
  // CHECK-NEXT:   }
  // CHECK-NEXT: return
  affine.for %i = 0 to 1024 step 32 {
    affine.for %k = 0 to 64 {
      affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0) -> (d0 + 32)>(%i) {
        %x = affine.load %A[%k, %j] : memref<64x1024xf32>
        affine.store %x, %A[%k, %j] : memref<64x1024xf32>
      }
    }
  }
  return
}

// -----

// The last tile is smaller than the others: a transfer of a whole tile would reach over
// the end.

// CHECK-DAG: #[[$MAP0_1:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$MAP1_1:.*]] = affine_map<(d0) -> (d0 + 32, 100)>

// CHECK-LABEL: func.func @partial
func.func @partial(%A: memref<100xf32>, %B: memref<32xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[C1:.*]] = arith.constant 1 : index
  // CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
  // CHECK-NEXT:   %[[C00:.*]] = arith.constant 0 : index
  // CHECK-NEXT:   %[[C11:.*]] = arith.constant 1 : index
  // CHECK-NEXT:   %[[C02:.*]] = arith.constant 0 : index
  // CHECK-NEXT:   %[[C03:.*]] = arith.constant 0 : index
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<1xf32, 2>
  // CHECK-NEXT:   %[[ALLOC4:.*]] = memref.alloc() : memref<1xi32, 3>
  // CHECK-NEXT:   affine.dma_start %[[ARG1]][%[[C03]]], %[[ALLOC]][%[[C02]]], %[[ALLOC4]][%[[C02]]], %[[C11]] : memref<32xf32>, memref<1xf32, 2>, memref<1xi32, 3>
  // CHECK-NEXT:   affine.dma_wait %[[ALLOC4]][%[[C02]]], %[[C11]] : memref<1xi32, 3>
  // CHECK-NEXT:   %[[ALLOC5:.*]] = memref.alloc() : memref<1xi32, 3>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 100 step 32 {
  // CHECK-NEXT:     affine.for %[[ARG3:.*]] = #[[$MAP0_1]](%[[ARG2]]) to min #[[$MAP1_1]](%[[ARG2]]) {
  // CHECK-NEXT:       %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG3]]] : memref<100xf32>
  // CHECK-NEXT:       affine.store %[[V0]], %[[ALLOC]][0] : memref<1xf32, 2>
  // CHECK-NEXT:     }
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.dma_start %[[ALLOC]][%[[C0]]], %[[ARG1]][%[[C00]]], %[[ALLOC5]][%[[C0]]], %[[C1]] : memref<1xf32, 2>, memref<32xf32>, memref<1xi32, 3>
  // CHECK-NEXT:   affine.dma_wait %[[ALLOC5]][%[[C0]]], %[[C1]] : memref<1xi32, 3>
  // CHECK-NEXT:   memref.dealloc %[[ALLOC5]] : memref<1xi32, 3>
  // CHECK-NEXT:   memref.dealloc %[[ALLOC4]] : memref<1xi32, 3>
  // CHECK-NEXT:   memref.dealloc %[[ALLOC]] : memref<1xf32, 2>
  // CHECK-NEXT: return
  affine.for %i = 0 to 100 step 32 {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to min affine_map<(d0) -> (d0 + 32, 100)>(%i) {
      %x = affine.load %A[%j] : memref<100xf32>
      affine.store %x, %B[0] : memref<32xf32>
    }
  }
  return
}

// -----

// Two levels of strides are more than a transfer has.

// CHECK-LABEL: func.func @strides
func.func @strides(%A: memref<64x64x64xf32>, %B: memref<1xf32>) {
  // CHECK-SAME: (%[[ARG0:.*]]: {{.*}}, %[[ARG1:.*]]: {{.*}}
  // CHECK-NEXT:   %[[C1:.*]] = arith.constant 1 : index
  // CHECK-NEXT:   %[[C0:.*]] = arith.constant 0 : index
  // CHECK-NEXT:   %[[C00:.*]] = arith.constant 0 : index
  // CHECK-NEXT:   %[[ALLOC:.*]] = memref.alloc() : memref<1xf32, 2>
  // CHECK-NEXT:   %[[ALLOC1:.*]] = memref.alloc() : memref<1xi32, 3>
  // CHECK-NEXT:   affine.for %[[ARG2:.*]] = 0 to 32 {
  // CHECK-NEXT:     affine.for %[[ARG3:.*]] = 0 to 32 {
  // CHECK-NEXT:       affine.for %[[ARG4:.*]] = 0 to 32 {
  // CHECK-NEXT:         %[[V0:.*]] = affine.load %[[ARG0]][%[[ARG2]], %[[ARG3]], %[[ARG4]]] : memref<64x64x64xf32>
  // CHECK-NEXT:         affine.store %[[V0]], %[[ALLOC]][0] : memref<1xf32, 2>
  // CHECK-NEXT:       }
  // CHECK-NEXT:     }
  // CHECK-NEXT:   }
  // CHECK-NEXT:   affine.dma_start %[[ALLOC]][%[[C0]]], %[[ARG1]][%[[C00]]], %[[ALLOC1]][%[[C0]]], %[[C1]] : memref<1xf32, 2>, memref<1xf32>, memref<1xi32, 3>
  // CHECK-NEXT:   affine.dma_wait %[[ALLOC1]][%[[C0]]], %[[C1]] : memref<1xi32, 3>
  // CHECK-NEXT:   memref.dealloc %[[ALLOC1]] : memref<1xi32, 3>
  // CHECK-NEXT:   memref.dealloc %[[ALLOC]] : memref<1xf32, 2>
  // CHECK-NEXT: return
  affine.for %i = 0 to 32 {
    affine.for %j = 0 to 32 {
      affine.for %k = 0 to 32 {
        %x = affine.load %A[%i, %j, %k] : memref<64x64x64xf32>
        affine.store %x, %B[0] : memref<1xf32>
      }
    }
  }
  return
}
