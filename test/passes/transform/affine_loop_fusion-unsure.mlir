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

// -----

// A buffer of one element holds what the first nest writes, and the second reads elements
// that nobody writes: they would lie beside it.
// CHECK-LABEL: func.func @beyond_buffer
// CHECK: memref.alloc() : memref<20xf32>
// CHECK-NOT: memref<1xf32>
// CHECK: return
func.func @beyond_buffer(%A: memref<20xf32>, %B: memref<20xf32>, %x: f32) {
  %C = memref.alloc() : memref<20xf32>
  affine.for %i = 1 to 4 {
    affine.store %x, %C[%i * 2] : memref<20xf32>
  }
  affine.for %i = 0 to 4 {
    %v = affine.load %C[%i + 2] : memref<20xf32>
    %w = arith.addf %x, %v : f32
    affine.store %w, %B[%i] : memref<20xf32>
  }
  return
}

// -----

// Looking for bounds of one loop's iterations in terms of another's took turns between two
// equalities without an end.
// CHECK-LABEL: func.func @equalities_in_turn
// CHECK: affine.for %{{.*}} = 0 to 8 step 2
// CHECK: affine.for %{{.*}} = 0 to 4 step 2
// CHECK: affine.for %{{.*}} = 1 to 8
func.func @equalities_in_turn(%A: memref<20x20xf32>, %B: memref<20x20xf32>, %x: f32, %C: memref<20x20xf32>) {
  affine.for %v1 = 0 to 8 step 2 {
    %v2 = affine.load %A[%v1, %v1] : memref<20x20xf32>
    %v3 = arith.addf %x, %v2 : f32
    affine.store %v3, %A[%v1, 19 - %v1] : memref<20x20xf32>
  }
  affine.for %v4 = 0 to 4 step 2 {
    %v5 = affine.load %A[%v4, %v4 mod 4] : memref<20x20xf32>
    %v6 = arith.addf %x, %v5 : f32
    affine.store %v6, %C[%v4 + 2, %v4 floordiv 2] : memref<20x20xf32>
    %v7 = affine.load %C[%v4, %v4 + 1] : memref<20x20xf32>
    %v8 = arith.addf %x, %v7 : f32
    affine.store %v8, %C[%v4, %v4 floordiv 2] : memref<20x20xf32>
  }
  affine.for %v9 = 1 to 8 {
    %v10 = affine.load %B[%v9 floordiv 2, %v9 + 2] : memref<20x20xf32>
    %v11 = arith.addf %x, %v10 : f32
    affine.store %v11, %B[%v9, %v9] : memref<20x20xf32>
    affine.for %v12 = 0 to 8 step 2 {
      %v13 = affine.load %B[%v9, %v12] : memref<20x20xf32>
      %v14 = arith.addf %x, %v13 : f32
      affine.store %v14, %A[%v9, %v9] : memref<20x20xf32>
      %v15 = affine.load %B[%v12 + 2, 14] : memref<20x20xf32>
      %v16 = arith.addf %x, %v15 : f32
      affine.store %v16, %B[%v12 + 1, %v9 floordiv 2] : memref<20x20xf32>
    }
  }
  return
}
