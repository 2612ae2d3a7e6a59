// RUN: terrace-opt %s -test-affine-data-copy=memref-filter | FileCheck %s
// RUN: terrace-opt %s -test-affine-data-copy=for-memref-region | FileCheck %s --check-prefix=REGION
// RUN: terrace-opt %s -test-affine-data-copy | FileCheck %s --check-prefix=ALL

// CHECK-LABEL: func.func @rows
// REGION-LABEL: func.func @rows
// ALL-LABEL: func.func @rows
func.func @rows(%A: memref<8x16xf32>, %B: memref<8x16xf32>) {
  // Only the first memref that is loaded, for each row.
  // CHECK: affine.for
  // CHECK-NEXT: memref.alloc() : memref<1x16xf32>
  // CHECK-NOT: memref.alloc
  // CHECK: memref.dealloc
  // For the loop as a whole.
  // REGION-NEXT: memref.alloc() : memref<8x16xf32>
  // REGION-NOT: memref.alloc
  // REGION: memref.dealloc
  // Both memrefs.
  // ALL: affine.for
  // ALL-COUNT-2: memref.alloc() : memref<1x16xf32>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 16 {
      %x = affine.load %A[%i, %j] : memref<8x16xf32>
      %y = affine.load %B[%i, %j] : memref<8x16xf32>
    }
  }
  return
}
