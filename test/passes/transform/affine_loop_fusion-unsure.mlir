// RUN: terrace-opt %s -split-input-file -affine-loop-fusion | FileCheck %s
// RUN: terrace-opt %s -split-input-file -affine-loop-fusion=compute-tolerance=10 | FileCheck %s --check-prefix=TOLERANT

// The second nest reads elements that the first does not write: a loop over those would run
// iterations that the first does not have.
// CHECK-LABEL: func.func @fewer
// CHECK-NEXT: affine.for %{{.*}} = 1 to 3
// CHECK-NEXT: affine.load
// CHECK: affine.for %{{.*}} = 0 to 6
func.func @fewer(%A: memref<20xf32>, %B: memref<20xf32>, %x: f32, %C: memref<20xf32>) {
  affine.for %i = 1 to 3 {
    %0 = affine.load %A[%i * 2] : memref<20xf32>
    %1 = arith.addf %x, %0 : f32
    affine.store %1, %C[%i] : memref<20xf32>
  }
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 6 {
      %0 = affine.load %C[%j] : memref<20xf32>
      %1 = arith.addf %x, %0 : f32
      affine.store %1, %A[%j] : memref<20xf32>
      %2 = affine.load %C[%j] : memref<20xf32>
      %3 = arith.addf %x, %2 : f32
      %4 = affine.load %B[%i] : memref<20xf32>
      %5 = arith.addf %3, %4 : f32
      affine.store %5, %B[19 - %j] : memref<20xf32>
    }
  }
  return
}

// -----

// The first nest reads elements that others of its iterations write.
// TOLERANT-LABEL: func.func @other_elements
// TOLERANT-NEXT: memref.alloc() : memref<20x20xf32>
// TOLERANT-NEXT: affine.for %{{.*}} = 0 to 8
// TOLERANT: affine.for %{{.*}} = 0 to 7
// TOLERANT-NEXT: affine.for %{{.*}} = 1 to 8
// TOLERANT-NEXT: affine.load
func.func @other_elements(%A: memref<20x20xf32>, %B: memref<20x20xf32>, %x: f32) {
  %C = memref.alloc() : memref<20x20xf32>
  affine.for %i = 0 to 8 {
    affine.store %x, %C[%i * 2, %i] : memref<20x20xf32>
    affine.for %j = 0 to 8 {
      %0 = affine.load %C[%j, 2] : memref<20x20xf32>
      affine.store %0, %B[%i, %i] : memref<20x20xf32>
    }
  }
  affine.for %i = 0 to 7 {
    affine.for %j = 1 to 8 {
      %0 = affine.load %C[%j + 1, %j] : memref<20x20xf32>
      affine.store %0, %A[%i + 2, %i] : memref<20x20xf32>
    }
  }
  return
}
