// RUN: terrace-opt %s --affine-loop-unroll=unroll-factor=4 | FileCheck %s
// RUN: terrace-opt %s --affine-loop-unroll=unroll-factor=-1 | FileCheck %s --check-prefix=FULL
// RUN: terrace-opt %s --affine-loop-unroll="unroll-factor=-1 unroll-full-threshold=3" | FileCheck %s --check-prefix=SHORT
// RUN: terrace-opt %s --affine-loop-unroll="unroll-factor=16 unroll-up-to-factor" | FileCheck %s --check-prefix=UPTO
// RUN: terrace-opt %s --affine-loop-unroll="unroll-factor=4 cleanup-unroll" | FileCheck %s --check-prefix=CLEANUP
// RUN: terrace-opt %s --affine-loop-unroll="unroll-factor=2 unroll-num-reps=2" | FileCheck %s --check-prefix=TWICE
// RUN: not terrace-opt %s --affine-loop-unroll=unroll-factor=0 2>&1 | FileCheck %s --check-prefix=ZERO

// ZERO: Invalid option: 'unroll-factor' should be greater than 0 or equal to -1

// CHECK-DAG: #[[$P1:.*]] = affine_map<(d0) -> (d0 + 1)>
// CHECK-DAG: #[[$P3:.*]] = affine_map<(d0) -> (d0 + 3)>
// CHECK-DAG: #[[$FROM:.*]] = affine_map<()[s0] -> (0, (s0 floordiv 4) * 4)>
// CHECK-DAG: #[[$WHOLE:.*]] = affine_map<()[s0] -> ((s0 floordiv 4) * 4)>

// Nine iterations: two of four, and one left over, which needs no loop.
// CHECK-LABEL: func.func @remainder_of_one
// FULL-LABEL: func.func @remainder_of_one
// SHORT-LABEL: func.func @remainder_of_one
// UPTO-LABEL: func.func @remainder_of_one
// CLEANUP-LABEL: func.func @remainder_of_one
func.func @remainder_of_one() {
  // CHECK: %[[C8:.*]] = arith.constant 8 : index
  // CHECK: affine.for %[[I:.*]] = 0 to 8 step 4 {
  // CHECK-NEXT: vector.print %[[I]]
  // CHECK-NEXT: %[[I1:.*]] = affine.apply #[[$P1]](%[[I]])
  // CHECK-NEXT: vector.print %[[I1]]
  // CHECK-NEXT: affine.apply
  // CHECK-NEXT: vector.print
  // CHECK-NEXT: %[[I3:.*]] = affine.apply #[[$P3]](%[[I]])
  // CHECK-NEXT: vector.print %[[I3]]
  // CHECK-NEXT: }
  // CHECK-NEXT: vector.print %[[C8]]
  // CHECK-NEXT: return
  // FULL-NOT: affine.for
  // FULL-COUNT-9: vector.print
  // SHORT: affine.for %{{.*}} = 0 to 9 {
  // UPTO-NOT: affine.for
  // CLEANUP-NOT: affine.for
  // CLEANUP-COUNT-9: vector.print
  affine.for %i = 0 to 9 {
    vector.print %i : index
  }
  // FULL: return
  // UPTO: return
  // CLEANUP: return
  return
}

// %n may be below 0, where the iterations left over must not start before 0.
// CHECK-LABEL: func.func @unknown_trip_count
// CHECK-SAME: (%[[N:.*]]: index)
// FULL-LABEL: func.func @unknown_trip_count
func.func @unknown_trip_count(%n: index) {
  // CHECK: affine.for %{{.*}} = 0 to #[[$WHOLE]]()[%[[N]]] step 4 {
  // CHECK: affine.for %[[I:.*]] = max #[[$FROM]]()[%[[N]]] to %[[N]] {
  // CHECK-NEXT: vector.print %[[I]]
  // FULL: affine.for %{{.*}} = 0 to %{{.*}} {
  affine.for %i = 0 to %n {
    vector.print %i : index
  }
  return
}

// The size of a memref is not below 0.
// CHECK-LABEL: func.func @size
func.func @size(%m: memref<?xf32>) {
  // CHECK: %[[N:.*]] = memref.dim
  %c0 = arith.constant 0 : index
  %n = memref.dim %m, %c0 : memref<?xf32>
  // CHECK: affine.for %{{.*}} = 0 to #[[$WHOLE]]()[%[[N]]] step 4 {
  // CHECK: affine.for %{{.*}} = #[[$WHOLE]]()[%[[N]]] to %[[N]] {
  affine.for %i = 0 to %n {
    vector.print %i : index
  }
  return
}

// A triangle without its tip: the inner loop ends before it starts for %i < 5.
// CHECK-LABEL: func.func @triangle
func.func @triangle() {
  // CHECK: affine.for %[[I:.*]] = 0 to 20 {
  // CHECK-NEXT: affine.for %{{.*}} = 0 to #[[$CUT:.*]](%[[I]]) step 4 {
  // CHECK: affine.for %{{.*}} = max #{{.*}}(%[[I]]) to #{{.*}}(%[[I]]) {
  affine.for %i = 0 to 20 {
    affine.for %j = 0 to affine_map<(d0) -> (d0 - 5)>(%i) {
      vector.print %j : index
    }
  }
  return
}

// The trip count is a multiple of four whatever %n is: nothing is left over.
// CHECK-LABEL: func.func @known_multiple
func.func @known_multiple(%n: index) {
  // CHECK: affine.for %{{.*}} = 0 to #{{.*}}()[%{{.*}}] step 4 {
  // CHECK-NOT: affine.for
  affine.for %i = 0 to affine_map<()[s0] -> (s0 * 8)>()[%n] {
    vector.print %i : index
  }
  // CHECK: return
  return
}

// Where a minimum leaves iterations over, they begin elsewhere for each of its ends: one loop for
// each, of which at most one runs.
// CHECK-LABEL: func.func @minimum
func.func @minimum(%n: index) {
  // CHECK: affine.for %{{.*}} = 0 to min #{{.*}}()[%{{.*}}] step 4 {
  // CHECK-COUNT-4: vector.print
  // CHECK-NEXT: }
  // CHECK-NEXT: affine.for %{{.*}} = max #{{.*}}()[%{{.*}}] to min #{{.*}}()[%{{.*}}] {
  // CHECK-NEXT: vector.print
  // CHECK-NEXT: }
  // CHECK-NEXT: affine.for %{{.*}} = max #{{.*}}() to min #{{.*}}()[%{{.*}}] {
  // CHECK-NEXT: vector.print
  // CHECK-NEXT: }
  affine.for %i = 0 to min affine_map<()[s0] -> (s0, 10)>()[%n] {
    vector.print %i : index
  }
  return
}

// Values go from copy to copy, and from the loop to what is left over.
// CHECK-LABEL: func.func @carried
// CHECK-SAME: (%[[X:.*]]: f32, %[[Y:.*]]: f32)
func.func @carried(%x: f32, %y: f32) -> (f32, f32) {
  // CHECK: %[[R:.*]]:2 = affine.for %{{.*}} = 0 to 8 step 4 iter_args(%[[A:.*]] = %[[X]], %[[B:.*]] = %[[Y]])
  // CHECK-NEXT: %[[S1:.*]] = arith.addf %[[A]], %[[B]]
  // CHECK-NEXT: %[[S2:.*]] = arith.addf %[[B]], %[[S1]]
  // CHECK-NEXT: %[[S3:.*]] = arith.addf %[[S1]], %[[S2]]
  // CHECK-NEXT: %[[S4:.*]] = arith.addf %[[S2]], %[[S3]]
  // CHECK-NEXT: affine.yield %[[S3]], %[[S4]]
  // CHECK: %[[T:.*]]:2 = affine.for %{{.*}} = 8 to 10 iter_args(%{{.*}} = %[[R]]#0, %{{.*}} = %[[R]]#1)
  // CHECK: return %[[T]]#0, %[[T]]#1
  %r:2 = affine.for %i = 0 to 10 iter_args(%a = %x, %b = %y) -> (f32, f32) {
    %s = arith.addf %a, %b : f32
    affine.yield %b, %s : f32, f32
  }
  return %r#0, %r#1 : f32, f32
}

// Only the innermost loop is unrolled, but all short ones with a threshold.
// CHECK-LABEL: func.func @nest
// SHORT-LABEL: func.func @nest
func.func @nest() {
  // CHECK: affine.for %{{.*}} = 0 to 2 {
  // CHECK-NEXT: affine.for %{{.*}} = 0 to 8 step 4 {
  // SHORT-COUNT-2: affine.for %{{.*}} = 0 to 8 {
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 8 {
      vector.print %j : index
    }
  }
  // SHORT: return
  return
}

// A second time, what is left of the loop is unrolled again.
// TWICE-LABEL: func.func @twice
func.func @twice() {
  // TWICE: affine.for %{{.*}} = 0 to 16 step 4 {
  // TWICE-COUNT-4: vector.print
  // TWICE-NEXT: }
  affine.for %i = 0 to 16 {
    vector.print %i : index
  }
  return
}

// Loops that do not run, and too many iterations to write down.
// FULL-LABEL: func.func @extremes
func.func @extremes() {
  // FULL: affine.for %{{.*}} = 0 to 0 {
  affine.for %i = 0 to 0 {
    vector.print %i : index
  }
  // FULL: affine.for %{{.*}} = 0 to 9223372036854775807 {
  affine.for %i = 0 to 9223372036854775807 {
    vector.print %i : index
  }
  return
}
