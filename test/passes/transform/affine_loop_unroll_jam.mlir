// RUN: terrace-opt %s -affine-loop-unroll-jam=unroll-jam-factor=2 -split-input-file -allow-unregistered-dialect | FileCheck %s

// The stretches around and in the inner loop are repeated, the loop is not.
// CHECK: #[[NEXT:.*]] = affine_map<(d0) -> (d0 + 1)>
// CHECK-LABEL: @nest
// CHECK: affine.for %[[I:.*]] = 0 to 10 step 2 {
// CHECK-NEXT: "a"(%[[I]])
// CHECK-NEXT: %[[J:.*]] = affine.apply #[[NEXT]](%[[I]])
// CHECK-NEXT: "a"(%[[J]])
// CHECK-NEXT: affine.for %[[K:.*]] = 0 to %arg0 {
// CHECK-NEXT: "b"(%[[I]], %[[K]])
// CHECK-NEXT: affine.apply
// CHECK-NEXT: "b"(%{{.*}}, %[[K]])
// CHECK-NEXT: }
// CHECK: "a"(%c10)
func.func @nest(%n: index) {
  affine.for %i = 0 to 11 {
    "a"(%i) : (index) -> ()
    affine.for %k = 0 to %n {
      "b"(%i, %k) : (index, index) -> ()
    }
  }
  return
}

// -----

// Bounds may depend on loops that are jammed too.
// CHECK-LABEL: @triangle_inside
// CHECK: affine.for %{{.*}} = 0 to 10 step 2
func.func @triangle_inside() {
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 8 {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        "b"(%i, %k) : (index, index) -> ()
      }
    }
  }
  return
}

// -----

// Bounds may depend on the loop that is unrolled: what an iteration has alone it does alone. The
// first one has nothing here, the second one iteration.
// CHECK-LABEL: @triangle
// CHECK: affine.for %[[I:.*]] = 0 to 10 step 2 {
// CHECK-NEXT: affine.for %[[K:.*]] = 0 to #{{.*}}(%[[I]]) {
// CHECK-NEXT: "b"(%[[I]], %[[K]])
// CHECK-NEXT: %[[J:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK-NEXT: "b"(%[[J]], %[[K]])
// CHECK-NEXT: }
// CHECK-NEXT: %[[J:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK-NEXT: "b"(%[[J]], %[[I]])
// CHECK-NEXT: }
func.func @triangle() {
  affine.for %i = 0 to 10 {
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      "b"(%i, %k) : (index, index) -> ()
    }
  }
  return
}

// -----

// Far apart nearly everything would be done alone; with a step nobody knows where that begins;
// both results of a bound move.
// CHECK-LABEL: @other_shapes
// CHECK-COUNT-3: affine.for %{{.*}} = 0 to 10 {
func.func @other_shapes() {
  affine.for %i = 0 to 10 {
    affine.for %k = 0 to affine_map<(d0) -> (50 * d0)>(%i) {
      "b"(%i, %k) : (index, index) -> ()
    }
  }
  affine.for %i = 0 to 10 {
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) step 2 {
      "b"(%i, %k) : (index, index) -> ()
    }
  }
  affine.for %i = 0 to 10 {
    affine.for %k = 0 to min affine_map<(d0) -> (d0, 10 - d0)>(%i) {
      "b"(%i, %k) : (index, index) -> ()
    }
  }
  return
}

// -----

// The loop inside is in another one, and begins later in each iteration around.
// CHECK-LABEL: @begins_later
// CHECK: affine.for %[[I:.*]] = 0 to 10 step 2 {
// CHECK-NEXT: affine.for %[[K:.*]] = 0 to 5 {
// CHECK-NEXT: "b"(%[[I]], %[[I]])
// CHECK: affine.for %[[J:.*]] = #{{.*}}(%[[I]]) to 20 {
// CHECK-NEXT: "b"(%[[I]], %[[J]])
// CHECK-NEXT: %[[L:.*]] = affine.apply
// CHECK-NEXT: "b"(%[[L]], %[[J]])
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: }
func.func @begins_later() {
  affine.for %i = 0 to 10 {
    affine.for %k = 0 to 5 {
      affine.for %j = affine_map<(d0) -> (d0)>(%i) to 20 {
        "b"(%i, %j) : (index, index) -> ()
      }
    }
  }
  return
}

// -----

// Iteration (i, k) is read in (i + 1, k - 1), which would now come before it.
// CHECK-LABEL: @backward
// CHECK: affine.for %{{.*}} = 1 to 9 {
func.func @backward(%m: memref<10x10xf32>) {
  affine.for %i = 1 to 9 {
    affine.for %k = 0 to 9 {
      %0 = affine.load %m[%i - 1, %k + 1] : memref<10x10xf32>
      affine.store %0, %m[%i, %k] : memref<10x10xf32>
    }
  }
  return
}

// -----

// As above, two iterations apart: a factor of two jams none of them.
// CHECK-LABEL: @backward_further
// CHECK: affine.for %{{.*}} = 2 to 10 step 2 {
func.func @backward_further(%m: memref<10x10xf32>) {
  affine.for %i = 2 to 10 {
    affine.for %k = 0 to 9 {
      %0 = affine.load %m[%i - 2, %k + 1] : memref<10x10xf32>
      affine.store %0, %m[%i, %k] : memref<10x10xf32>
    }
  }
  return
}

// -----

// What follows the loop in one iteration is read in the loop in the next.
// CHECK-LABEL: @through_a_stretch
// CHECK: affine.for %{{.*}} = 0 to 10 {
func.func @through_a_stretch(%m: memref<1xf32>, %a: memref<10xf32>) {
  affine.for %i = 0 to 10 {
    affine.for %k = 0 to 10 {
      %0 = affine.load %m[0] : memref<1xf32>
      affine.store %0, %a[%k] : memref<10xf32>
    }
    %1 = affine.load %a[%i] : memref<10xf32>
    affine.store %1, %m[0] : memref<1xf32>
  }
  return
}

// -----

// CHECK-LABEL: @unknown_effect
// CHECK: affine.for %{{.*}} = 0 to 10 {
func.func @unknown_effect(%m: memref<1xf32>) {
  affine.for %i = 0 to 10 {
    affine.for %k = 0 to 10 {
      "b"(%m) : (memref<1xf32>) -> ()
    }
  }
  return
}

// -----

// The copies of a reduction start with what changes nothing.
// CHECK-LABEL: @reduction
// CHECK-SAME: %[[M:.*]]: memref<10xi32>, %[[INIT:.*]]: i32
// CHECK: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: %[[R:.*]]:2 = affine.for %{{.*}} = 0 to 10 step 2 iter_args(%[[A:.*]] = %[[INIT]], %[[B:.*]] = %[[ONE]])
// CHECK: %[[X:.*]] = arith.muli %[[A]]
// CHECK: %[[Y:.*]] = arith.muli %[[B]]
// CHECK: affine.yield %[[X]], %[[Y]]
// CHECK: %[[WHOLE:.*]] = arith.muli %[[R]]#0, %[[R]]#1
// CHECK: return %[[WHOLE]]
func.func @reduction(%m: memref<10xi32>, %init: i32) -> i32 {
  %r = affine.for %i = 0 to 10 iter_args(%a = %init) -> (i32) {
    %0 = affine.load %m[%i] : memref<10xi32>
    %1 = arith.muli %a, %0 : i32
    affine.yield %1 : i32
  }
  return %r : i32
}

// -----

// CHECK-LABEL: @no_reduction
// CHECK: affine.for %{{.*}} = 0 to 10 iter_args
func.func @no_reduction(%m: memref<10xi32>, %init: i32) -> i32 {
  %r = affine.for %i = 0 to 10 iter_args(%a = %init) -> (i32) {
    %0 = affine.load %m[%i] : memref<10xi32>
    %1 = arith.subi %a, %0 : i32
    affine.yield %1 : i32
  }
  return %r : i32
}

// -----

// Values carried by loops inside are carried once for each copy.
// CHECK-LABEL: @carried_inside
// CHECK: affine.for %[[I:.*]] = 0 to 10 step 2 {
// CHECK: %[[R:.*]]:2 = affine.for %{{.*}} = 0 to 5 iter_args(%[[A:.*]] = %[[V:.*]], %[[B:.*]] = %[[V]])
// CHECK: affine.store %[[R]]#0, %{{.*}}[%[[I]]]
// CHECK: affine.store %[[R]]#1
func.func @carried_inside(%m: memref<10xf32>, %v: f32) {
  affine.for %i = 0 to 10 {
    %r = affine.for %k = 0 to 5 iter_args(%a = %v) -> (f32) {
      %0 = arith.mulf %a, %v : f32
      affine.yield %0 : f32
    }
    affine.store %r, %m[%i] : memref<10xf32>
  }
  return
}
