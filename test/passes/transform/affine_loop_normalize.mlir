// RUN: terrace-opt %s --affine-loop-normalize | FileCheck %s
// RUN: terrace-opt %s --affine-loop-normalize=promote-single-iter=1 | FileCheck %s --check-prefix=PROMOTE
// RUN: terrace-opt %s --affine-loop-normalize=steps=1 | FileCheck %s --check-prefix=STEPS

// CHECK-DAG: #[[$BY3:.*]] = affine_map<(d0) -> (d0 * 3 + 5)>
// CHECK-DAG: #[[$TRIPS:.*]] = affine_map<()[s0] -> ((s0 - 5) ceildiv 3)>
// CHECK-DAG: #[[$MIN:.*]] = affine_map<()[s0, s1] -> (-s1 + 12, s0 - s1)>
// CHECK-DAG: #[[$FROM:.*]] = affine_map<(d0)[s0] -> (d0 + s0)>
// CHECK-DAG: #[[$BY4:.*]] = affine_map<(d0) -> (d0 * 4 + 2)>

// The last iteration is not a whole step before the end: the count is rounded up.
// CHECK-LABEL: func.func @constant_bounds
func.func @constant_bounds() {
  // CHECK: affine.for %[[K:.*]] = 0 to 4 {
  // CHECK-NEXT: %[[I:.*]] = affine.apply #[[$BY3]](%[[K]])
  // CHECK-NEXT: vector.print %[[I]]
  affine.for %i = 5 to 15 step 3 {
    vector.print %i : index
  }
  return
}

// CHECK-LABEL: func.func @symbolic_bound
// CHECK-SAME: (%[[N:.*]]: index)
func.func @symbolic_bound(%n: index) {
  // CHECK: affine.for %[[K:.*]] = 0 to #[[$TRIPS]]()[%[[N]]] {
  // CHECK-NEXT: affine.apply #[[$BY3]](%[[K]])
  affine.for %i = 5 to %n step 3 {
    vector.print %i : index
  }
  return
}

// CHECK-LABEL: func.func @minimum
// CHECK-SAME: (%[[L:.*]]: index, %[[N:.*]]: index)
func.func @minimum(%l: index, %n: index) {
  // CHECK: affine.for %[[K:.*]] = 0 to min #[[$MIN]]()[%[[N]], %[[L]]] {
  // CHECK-NEXT: affine.apply #[[$FROM]](%[[K]])[%[[L]]]
  affine.for %i = %l to min affine_map<()[s0] -> (12, s0)>()[%n] {
    vector.print %i : index
  }
  return
}

// A maximum as lower bound has no one value to subtract.
// CHECK-LABEL: func.func @maximum_stays
func.func @maximum_stays(%l: index, %n: index) {
  // CHECK: affine.for %{{.*}} = max
  // CHECK-NOT: affine.apply
  affine.for %i = max affine_map<()[s0] -> (2, s0)>()[%l] to %n {
    vector.print %i : index
  }
  // CHECK: return
  return
}

// Carried values are not touched.
// CHECK-LABEL: func.func @carried
func.func @carried(%x: f32) -> f32 {
  // CHECK: %[[R:.*]] = affine.for %[[K:.*]] = 0 to 2 iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
  %r = affine.for %i = 2 to 10 step 4 iter_args(%s = %x) -> (f32) {
    // CHECK-NEXT: affine.apply #[[$BY4]](%[[K]])
    vector.print %i : index
    // CHECK: arith.addf %[[S]], %[[S]]
    %t = arith.addf %s, %s : f32
    affine.yield %t : f32
  }
  // CHECK: return %[[R]]
  return %r : f32
}

// CHECK-LABEL: func.func @parallel
func.func @parallel() {
  // CHECK: affine.parallel (%[[A:.*]], %[[B:.*]]) = (0, 0) to (3, 4) {
  // CHECK-NEXT: %[[I:.*]] = affine.apply #[[$BY4]](%[[A]])
  // CHECK-NEXT: %[[J:.*]] = affine.apply #{{.*}}(%[[B]])
  // CHECK-NEXT: vector.print %[[I]]
  // CHECK-NEXT: vector.print %[[J]]
  affine.parallel (%i, %j) = (2, 0) to (11, 7) step (4, 2) {
    vector.print %i : index
    vector.print %j : index
  }
  return
}

// CHECK-LABEL: func.func @single_iteration
// PROMOTE-LABEL: func.func @single_iteration
func.func @single_iteration(%x: f32, %n: index) -> f32 {
  // CHECK: affine.for
  // PROMOTE-NOT: affine.for
  // PROMOTE: vector.print %arg1 : index
  // PROMOTE-NEXT: %[[S:.*]] = arith.addf %arg0, %arg0
  // PROMOTE-NEXT: return %[[S]]
  %r = affine.for %i = %n to affine_map<(d0) -> (d0 + 1)>(%n) iter_args(%s = %x) -> (f32) {
    vector.print %i : index
    %t = arith.addf %s, %s : f32
    affine.yield %t : f32
  }
  return %r : f32
}

// With `steps`, only a loop whose subscripts are even where it counts by 1.
// STEPS-LABEL: func.func @every_second
// STEPS: affine.for %[[K:.*]] = 0 to 20 {
// STEPS: affine.for %{{.*}} = 1 to 41 step 2 {
// STEPS: affine.for %{{.*}} = 1 to 41 {
// STEPS: affine.for %{{.*}} = 1 to 41 step 2 {
func.func @every_second(%a: memref<50xf32>, %b: memref<50xf32>) {
  affine.for %i = 1 to 41 step 2 {
    %x = affine.load %a[%i floordiv 2] : memref<50xf32>
    affine.store %x, %b[%i] : memref<50xf32>
  }
  affine.for %i = 1 to 41 step 2 {
    %x = affine.load %a[%i] : memref<50xf32>
    affine.store %x, %b[%i] : memref<50xf32>
  }
  affine.for %i = 1 to 41 {
    %x = affine.load %a[%i floordiv 2] : memref<50xf32>
    affine.store %x, %b[%i] : memref<50xf32>
  }
  affine.for %i = 1 to 41 step 2 {
    affine.for %j = 0 to 2 {
      %x = affine.load %a[%i floordiv 2] : memref<50xf32>
      affine.store %x, %b[%i + %j] : memref<50xf32>
    }
  }
  return
}
