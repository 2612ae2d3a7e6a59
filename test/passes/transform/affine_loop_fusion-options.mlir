// RUN: terrace-opt %s -split-input-file -affine-loop-fusion | FileCheck %s
// RUN: terrace-opt %s -split-input-file -affine-loop-fusion=compute-tolerance=10 | FileCheck %s --check-prefix=TOLERANT
// RUN: terrace-opt %s -split-input-file -affine-loop-fusion=mode=sibling | FileCheck %s --check-prefix=SIBLING
// RUN: terrace-opt %s -split-input-file -affine-loop-fusion="fast-mem-space=5 local-buf-threshold=1" | FileCheck %s --check-prefix=FAST

// Each element would be computed three times.

// CHECK-LABEL: func.func @again
// TOLERANT-LABEL: func.func @again
// SIBLING-LABEL: func.func @again
// FAST-LABEL: func.func @again
func.func @again(%A: memref<100x100xf32>, %v: f32) {
  // CHECK: affine.for %{{.*}} = 0 to 102 {
  // CHECK: affine.for %{{.*}} = 0 to 100 {
  // TOLERANT-NOT: 102
  // TOLERANT: memref.alloc() : memref<3xf32>
  // TOLERANT-NOT: 102
  // TOLERANT: return
  %t = memref.alloc() : memref<102xf32>
  affine.for %i = 0 to 102 {
    %a = arith.mulf %v, %v : f32
    %b = arith.mulf %a, %v : f32
    affine.store %b, %t[%i] : memref<102xf32>
  }
  affine.for %i = 0 to 100 {
    %x = affine.load %t[%i] : memref<102xf32>
    %y = affine.load %t[%i + 2] : memref<102xf32>
    affine.store %x, %A[%i, 0] : memref<100x100xf32>
    affine.store %y, %A[%i, 1] : memref<100x100xf32>
  }
  return
}

// -----

// CHECK-LABEL: func.func @producer
// SIBLING-LABEL: func.func @producer
// FAST-LABEL: func.func @producer
func.func @producer(%A: memref<10xf32>, %v: f32) {
  // CHECK: memref.alloc() : memref<1xf32>
  // CHECK-COUNT-1: affine.for
  // CHECK-NOT: affine.for
  // SIBLING-COUNT-2: affine.for
  // FAST: memref.alloc() : memref<1xf32, 5>
  %t = memref.alloc() : memref<10xf32>
  affine.for %i = 0 to 10 {
    affine.store %v, %t[%i] : memref<10xf32>
  }
  affine.for %i = 0 to 10 {
    %x = affine.load %t[%i] : memref<10xf32>
    affine.store %x, %A[%i] : memref<10xf32>
  }
  return
}
