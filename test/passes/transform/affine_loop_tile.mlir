// RUN: terrace-opt %s --affine-loop-tile=tile-size=32 | FileCheck %s
// RUN: terrace-opt %s --affine-loop-tile=tile-sizes=8 | FileCheck %s --check-prefix=SIZES
// RUN: terrace-opt %s --affine-loop-tile=cache-size=1 | FileCheck %s --check-prefix=CACHE
// RUN: terrace-opt %s --affine-loop-tile="tile-size=32 separate" | FileCheck %s --check-prefix=SEPARATE
// RUN: not terrace-opt %s --affine-loop-tile=tile-sizes=8,0 2>&1 | FileCheck %s --check-prefix=ZERO

// ZERO: tile-sizes has a size of 0, expected at least 1

// CHECK-DAG: #[[$ID:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[$FULL:.*]] = affine_map<(d0) -> (d0 + 32)>
// CHECK-DAG: #[[$PART:.*]] = affine_map<(d0)[s0] -> (d0 + 32, s0)>
// CHECK-DAG: #[[$SHORT:.*]] = affine_map<(d0) -> (d0 + 20)>
// SEPARATE-DAG: #[[$COND:.*]] = affine_set<(d0)[s0] : (-d0 + s0 - 32 >= 0)>

// The tiles along %i are all full, those along %j may not be.
// CHECK-LABEL: func.func @copy
// CHECK-SAME: (%[[A:.*]]: memref<64x?xf32>, %[[B:.*]]: memref<64x?xf32>, %[[N:.*]]: index)
// SIZES-LABEL: func.func @copy
// SEPARATE-LABEL: func.func @copy
func.func @copy(%a: memref<64x?xf32>, %b: memref<64x?xf32>, %n: index) {
  // CHECK: affine.for %[[IT:.*]] = 0 to 64 step 32 {
  // CHECK-NEXT: affine.for %[[JT:.*]] = 0 to %[[N]] step 32 {
  // CHECK-NEXT: affine.for %[[I:.*]] = #[[$ID]](%[[IT]]) to #[[$FULL]](%[[IT]]) {
  // CHECK-NEXT: affine.for %[[J:.*]] = #[[$ID]](%[[JT]]) to min #[[$PART]](%[[JT]])[%[[N]]] {
  // CHECK-NEXT: affine.load %[[A]][%[[I]], %[[J]]]
  // The sizes that are not given are 4.
  // SIZES: affine.for %{{.*}} = 0 to 64 step 8 {
  // SIZES-NEXT: affine.for %{{.*}} = 0 to %{{.*}} step 4 {
  // SEPARATE: affine.for
  // SEPARATE-NEXT: affine.for %[[JT:.*]] = 0
  // SEPARATE-NEXT: affine.if #[[$COND]](%[[JT]])[%arg2] {
  // SEPARATE-NEXT: affine.for
  // SEPARATE-NEXT: affine.for %{{.*}} = #{{.*}}(%[[JT]]) to #{{.*}}(%[[JT]]) {
  // SEPARATE: } else {
  // SEPARATE-NEXT: affine.for
  // SEPARATE-NEXT: affine.for %{{.*}} = #{{.*}}(%[[JT]]) to min
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to %n {
      %0 = affine.load %a[%i, %j] : memref<64x?xf32>
      affine.store %0, %b[%i, %j] : memref<64x?xf32>
    }
  }
  return
}

// Fewer iterations than a tile has, and a step.
// CHECK-LABEL: func.func @short
// SEPARATE-LABEL: func.func @short
func.func @short(%a: memref<64xf32>, %x: f32) {
  // CHECK: affine.for %[[T:.*]] = 0 to 20 step 160 {
  // CHECK-NEXT: affine.for %{{.*}} = #[[$ID]](%[[T]]) to #[[$SHORT]](%[[T]]) step 5 {
  // SEPARATE-NOT: affine.if
  affine.for %i = 0 to 20 step 5 {
    affine.store %x, %a[%i] : memref<64xf32>
  }
  // SEPARATE: return
  return
}

// 64 x 64 floats twice are 32 times the cache: 5 x 6 points, made divisors of 64.
// CACHE-LABEL: func.func @by_cache
func.func @by_cache(%a: memref<64x64xf32>, %b: memref<64x64xf32>) {
  // CACHE: affine.for %{{.*}} = 0 to 64 step 4 {
  // CACHE-NEXT: affine.for %{{.*}} = 0 to 64 step 4 {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %a[%i, %j] : memref<64x64xf32>
      affine.store %0, %b[%j, %i] : memref<64x64xf32>
    }
  }
  return
}

// What is written at (i, j) is read at (i + 1, j - 1): along j it goes backwards.
// CHECK-LABEL: func.func @backward
func.func @backward(%a: memref<66x66xf32>) {
  // CHECK: affine.for %{{.*}} = 1 to 65 {
  // CHECK-NEXT: affine.for %{{.*}} = 1 to 65 {
  // CHECK-NEXT: affine.load
  affine.for %i = 1 to 65 {
    affine.for %j = 1 to 65 {
      %0 = affine.load %a[%i - 1, %j + 1] : memref<66x66xf32>
      affine.store %0, %a[%i, %j] : memref<66x66xf32>
    }
  }
  return
}

// The same forwards along both.
// CHECK-LABEL: func.func @forward
func.func @forward(%a: memref<66x66xf32>) {
  // CHECK: affine.for %{{.*}} = 1 to 65 step 32 {
  // CHECK-NEXT: affine.for %{{.*}} = 1 to 65 step 32 {
  affine.for %i = 1 to 65 {
    affine.for %j = 1 to 65 {
      %0 = affine.load %a[%i - 1, %j - 1] : memref<66x66xf32>
      affine.store %0, %a[%i, %j] : memref<66x66xf32>
    }
  }
  return
}

// The sum over k stays in order for each element.
// CHECK-LABEL: func.func @gemm
func.func @gemm(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %c: memref<64x64xf32>) {
  // CHECK-COUNT-3: affine.for %{{.*}} = 0 to 64 step 32 {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %0 = affine.load %a[%i, %k] : memref<64x64xf32>
        %1 = affine.load %b[%k, %j] : memref<64x64xf32>
        %2 = affine.load %c[%i, %j] : memref<64x64xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %c[%i, %j] : memref<64x64xf32>
      }
    }
  }
  return
}

func.func private @effect()

// Nobody knows what a call does; it keeps its order. One loop keeps it anyway.
// CHECK-LABEL: func.func @calls
func.func @calls() {
  // CHECK: affine.for %{{.*}} = 0 to 64 {
  // CHECK-NEXT: affine.for %{{.*}} = 0 to 64 {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      func.call @effect() : () -> ()
    }
  }
  // CHECK: affine.for %{{.*}} = 0 to 64 step 32 {
  affine.for %i = 0 to 64 {
    func.call @effect() : () -> ()
  }
  return
}

// A view that moves with the loop: its elements are not those of its subscripts.
// CHECK-LABEL: func.func @moving_view
func.func @moving_view(%a: memref<128xf32>, %x: f32) {
  // CHECK: affine.for %{{.*}} = 0 to 64 {
  // CHECK-NEXT: affine.for %{{.*}} = 0 to 64 {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      %v = memref.subview %a[%i] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: ?>>
      affine.store %x, %v[%j] : memref<64xf32, strided<[1], offset: ?>>
    }
  }
  return
}

// CHECK-LABEL: func.func @triangle
func.func @triangle(%a: memref<64x64xf32>, %x: f32) {
  // CHECK: affine.for %[[I:.*]] = 0 to 64 {
  // CHECK-NEXT: affine.for %{{.*}} = 0 to #{{.*}}(%[[I]]) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.store %x, %a[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @carried
func.func @carried(%a: memref<64xf32>, %x: f32) -> f32 {
  // CHECK: affine.for %{{.*}} = 0 to 64 iter_args
  %r = affine.for %i = 0 to 64 iter_args(%s = %x) -> (f32) {
    %0 = affine.load %a[%i] : memref<64xf32>
    %1 = arith.addf %s, %0 : f32
    affine.yield %1 : f32
  }
  return %r : f32
}
