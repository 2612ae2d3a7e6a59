// RUN: terrace-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// CHECK-DAG: #[[$SUM:.*]] = affine_map<()[s0, s1] -> (s0 * 2 + s1 + 1)>
// CHECK-DAG: #[[$THREE:.*]] = affine_map<()[s0, s1] -> (4, s1 + 8, s0)>
// CHECK-DAG: #[[$SET:.*]] = affine_set<(d0)[s0] : (-d0 + s0 >= 0)>

// CHECK-LABEL: func.func @compose_apply
// CHECK-SAME: (%[[I:.*]]: index, %[[N:.*]]: index)
func.func @compose_apply(%i: index, %n: index) -> index {
  %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)
  // CHECK-NEXT: %[[R:.*]] = affine.apply #[[$SUM]]()[%[[N]], %[[I]]]
  %1 = affine.apply affine_map<(d0)[s0] -> (d0 + s0 * 2)>(%0)[%n]
  // CHECK-NEXT: return %[[R]]
  return %1 : index
}

// CHECK-LABEL: func.func @compose_access
// CHECK-SAME: (%[[A:.*]]: memref<100xf32>, %[[N:.*]]: index)
func.func @compose_access(%a: memref<100xf32>, %n: index) {
  affine.for %i = 0 to 10 {
    %0 = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%i)[%n]
    // CHECK: %[[V:.*]] = affine.load %[[A]][%[[I:.*]] * 2 + symbol(%[[N]]) + 1]
    %v = affine.load %a[%0 + 1] : memref<100xf32>
    // CHECK-NEXT: affine.store %[[V]], %[[A]][%[[I]] * 2 + symbol(%[[N]])]
    affine.store %v, %a[%0] : memref<100xf32>
    // CHECK-NEXT: affine.prefetch %[[A]][%[[I]] * 2 + symbol(%[[N]])]
    affine.prefetch %a[%0], read, locality<1>, data : memref<100xf32>
    // CHECK-NEXT: %[[W:.*]] = affine.vector_load %[[A]][%[[I]] * 2 + symbol(%[[N]])]
    %w = affine.vector_load %a[%0] : memref<100xf32>, vector<4xf32>
    // CHECK-NEXT: affine.vector_store %[[W]], %[[A]][%[[I]] * 2 + symbol(%[[N]])]
    affine.vector_store %w, %a[%0] : memref<100xf32>, vector<4xf32>
  }
  return
}

// CHECK-LABEL: func.func @known_range
func.func @known_range(%a: memref<100xf32>) {
  affine.for %i = 0 to 16 step 4 {
    affine.for %j = 0 to 4 {
      // CHECK: affine.load %{{.*}}[%[[J:.*]]]
      %0 = affine.load %a[(%i + %j) mod 4] : memref<100xf32>
      // CHECK: affine.load %{{.*}}[%[[I:.*]] floordiv 4]
      %1 = affine.load %a[(%i + %j) floordiv 4] : memref<100xf32>
      // CHECK: affine.load %{{.*}}[0]
      %2 = affine.load %a[%j floordiv 4] : memref<100xf32>
      "test.use"(%0, %1, %2) : (f32, f32, f32) -> ()
    }
  }
  return
}

// CHECK-LABEL: func.func @pruned_bounds
func.func @pruned_bounds(%a: memref<?xf32>, %x: f32) {
  affine.for %i = 0 to 8 {
    // CHECK: affine.for %{{.*}} = 0 to 20 {
    affine.for %j = max affine_map<(d0) -> (d0 - 8, 0)>(%i)
        to min affine_map<(d0) -> (d0 + 20, 20)>(%i) {
      affine.store %x, %a[%j] : memref<?xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @min_of_min
// CHECK-SAME: (%[[N:.*]]: index, %[[M:.*]]: index)
func.func @min_of_min(%n: index, %m: index) -> (index, index) {
  %0 = affine.min affine_map<()[s0] -> (s0 + 8, 4, 4)>()[%n]
  // CHECK-NEXT: %[[R:.*]] = affine.min #[[$THREE]]()[%[[M]], %[[N]]]
  %1 = affine.min affine_map<()[s0, s1] -> (s0, s1)>()[%0, %m]
  // One result is that result.
  %2 = affine.max affine_map<()[s0] -> (s0, s0)>()[%n]
  // CHECK-NEXT: return %[[R]], %[[N]]
  return %1, %2 : index, index
}

// CHECK-LABEL: func.func @conditions
func.func @conditions(%n: index) {
  // CHECK-NEXT: "test.always"
  affine.if affine_set<(d0) : (0 == 0)>(%n) {
    "test.always"() : () -> ()
  }
  // CHECK-NEXT: "test.else"
  affine.if affine_set<(d0) : (1 == 0)>(%n) {
    "test.never"() : () -> ()
  } else {
    "test.else"() : () -> ()
  }
  affine.if affine_set<(d0) : (1 == 0)>(%n) {
    "test.never"() : () -> ()
  }
  // CHECK-NEXT: affine.for %[[I:.*]] =
  affine.for %i = 0 to 10 {
    %0 = affine.apply affine_map<(d0) -> (-d0)>(%i)
    // CHECK-NEXT: affine.if #[[$SET]](%[[I]])[%{{.*}}] {
    // CHECK-NEXT: "test.maybe"
    // CHECK-NEXT: }
    // CHECK-NEXT: }
    affine.if affine_set<(d0, d1) : (d0 + d1 >= 0)>(%0, %n) {
      "test.maybe"() : () -> ()
    } else {
    }
  }
  return
}

// CHECK-LABEL: func.func @parallel_bounds
// CHECK-SAME: (%[[N:.*]]: index)
func.func @parallel_bounds(%n: index) {
  %0 = affine.apply affine_map<(d0) -> (d0 + 4)>(%n)
  // CHECK-NEXT: affine.parallel (%{{.*}}) = (symbol(%[[N]]) + 4) to (symbol(%[[N]]) + 20) {
  affine.parallel (%i) = (%0) to (%0 + 16) {
    "test.body"() : () -> ()
  }
  return
}

// CHECK-LABEL: func.func @digits
// CHECK-SAME: (%[[X:.*]]: index, %[[Y:.*]]: index)
func.func @digits(%x: index, %y: index) -> (index, index, index, index, index) {
  %c0 = arith.constant 0 : index
  // A size of 1 has digit 0.
  // CHECK: %[[D:.*]]:2 = affine.delinearize_index %[[X]] into (4, 8) : index, index
  %0:3 = affine.delinearize_index %x into (4, 1, 8) : index, index, index
  // Taking apart what was put together.
  %1 = affine.linearize_index disjoint [%x, %y] by (4, 8) : index
  %2:2 = affine.delinearize_index %1 into (4, 8) : index, index
  // A leading zero adds nothing.
  %3 = affine.linearize_index [%c0, %y] by (4, 8) : index
  // Putting together what was taken apart.
  %4:2 = affine.delinearize_index %x into (4, 8) : index, index
  %5 = affine.linearize_index [%4#0, %4#1] by (4, 8) : index
  // CHECK: return %[[D]]#0, %{{.*}}, %[[X]], %[[Y]], %[[X]]
  return %0#0, %0#1, %2#0, %3, %5 : index, index, index, index, index
}

// CHECK-LABEL: func.func @inverse_subscript
// CHECK-SAME: (%[[A:.*]]: memref<?xf32>, %[[X:.*]]: index)
func.func @inverse_subscript(%a: memref<?xf32>, %x: index) -> f32 {
  %0:2 = affine.delinearize_index %x into (8) : index, index
  // CHECK-NEXT: affine.load %[[A]][symbol(%[[X]]) + 1]
  %i = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1 + 1)>(%0#0, %0#1)
  %1 = affine.load %a[%i] : memref<?xf32>
  return %1 : f32
}
