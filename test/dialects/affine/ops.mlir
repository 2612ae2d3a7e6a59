// RUN: terrace-opt %s -allow-unregistered-dialect | FileCheck %s

// CHECK-DAG: #[[$DIAG:.*]] = affine_map<(d0) -> (d0, d0 + 8)>
// CHECK-DAG: #[[$CAP:.*]] = affine_map<(d0)[s0] -> (s0, d0 + 16)>
// CHECK-DAG: #[[$SET:.*]] = affine_set<(d0)[s0] : (d0 - 4 >= 0, -d0 + s0 - 1 >= 0)>

// CHECK-LABEL: func.func @loops
// CHECK-SAME: (%[[A:.*]]: memref<?xf32>, %[[N:.*]]: index)
func.func @loops(%a: memref<?xf32>, %n: index) -> f32 {
  %zero = arith.constant 0.0 : f32
  // CHECK: affine.for %[[I:.*]] = 0 to %[[N]] step 4 {
  affine.for %i = 0 to %n step 4 {
    // CHECK-NEXT: affine.for %[[J:.*]] = max #[[$DIAG]](%[[I]]) to min #[[$CAP]](%[[I]])[%[[N]]] {
    affine.for %j = max affine_map<(d0) -> (d0, d0 + 8)>(%i)
        to min affine_map<(d0)[s0] -> (s0, d0 + 16)>(%i)[%n] {
      // CHECK-NEXT: %[[V:.*]] = affine.load %[[A]][%[[J]] + symbol(%[[N]]) floordiv 2] : memref<?xf32>
      %v = affine.load %a[%j + symbol(%n) floordiv 2] : memref<?xf32>
      // CHECK-NEXT: affine.store %[[V]], %[[A]][%[[I]] + %[[J]] * 2 + 1] {tag} : memref<?xf32>
      affine.store %v, %a[%i + %j * 2 + 1] {tag} : memref<?xf32>
    }
    // CHECK-NEXT: }
  // CHECK-NEXT: } {name = "outer"}
  } {name = "outer"}
  // CHECK: %[[S:.*]] = affine.for %[[I:.*]] = -3 to 10 iter_args(%[[ACC:.*]] = %{{.*}}) -> (f32) {
  %s = affine.for %i = -3 to 10 iter_args(%acc = %zero) -> (f32) {
    %v = affine.load %a[%i] : memref<?xf32>
    %t = arith.addf %acc, %v : f32
    // CHECK: affine.yield %{{.*}} : f32
    affine.yield %t : f32
  }
  return %s : f32
}

// CHECK-LABEL: func.func @conditions
func.func @conditions(%n: index, %x: f32, %y: f32) -> f32 {
  affine.for %i = 0 to %n {
    // CHECK: affine.if #[[$SET]](%{{.*}})[%{{.*}}] {
    // CHECK-NEXT: } else {
    // CHECK-NEXT: "test.else"
    affine.if affine_set<(d0)[s0] : (d0 - 4 >= 0, s0 - d0 - 1 >= 0)>(%i)[%n] {
    } else {
      "test.else"() : () -> ()
    }
  }
  // CHECK: affine.if #{{.*}}()[%{{.*}}] -> f32 {
  // CHECK-NEXT: affine.yield %{{.*}} : f32
  // CHECK-NEXT: } else {
  %r = affine.if affine_set<()[s0] : (s0 - 1 == 0)>()[%n] -> f32 {
    affine.yield %x : f32
  } else {
    affine.yield %y : f32
  }
  return %r : f32
}

// CHECK-LABEL: func.func @values
func.func @values(%a: index, %n: index) -> index {
  // CHECK: affine.apply #{{.*}}(%{{.*}})[%{{.*}}]
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 * 2 + s0)>(%a)[%n]
  // CHECK: affine.min #{{.*}}(%{{.*}}) {hint = 1 : i64}
  %1 = affine.min affine_map<(d0) -> (d0, 8)>(%0) {hint = 1 : i64}
  // CHECK: affine.max #{{.*}}(%{{.*}})[%{{.*}}]
  %2 = affine.max affine_map<(d0)[s0] -> (d0, s0)>(%1)[%n]
  // CHECK: %{{.*}}:2 = affine.delinearize_index %{{.*}} into (8) : index, index
  %3:2 = affine.delinearize_index %2 into (8) : index, index
  // CHECK: %{{.*}}:3 = affine.delinearize_index %{{.*}} into (2, %{{.*}}, 4) : index, index, index
  %4:3 = affine.delinearize_index %2 into (2, %n, 4) : index, index, index
  // CHECK: affine.linearize_index [%{{.*}}, %{{.*}}] by (8) : index
  %5 = affine.linearize_index [%3#0, %4#1] by (8) : index
  // CHECK: affine.linearize_index disjoint [%{{.*}}, %{{.*}}] by (%{{.*}}, 4) : index
  %6 = affine.linearize_index disjoint [%5, %4#2] by (%n, 4) : index
  return %6 : index
}

// CHECK-LABEL: func.func @parallel
func.func @parallel(%a: memref<100x100xf32>, %n: index, %m: index) -> (f32, f32) {
  // CHECK: affine.parallel (%{{.*}}, %{{.*}}) = (0, max(%{{.*}}, %{{.*}} + 1)) to (%{{.*}}, min(%{{.*}}, 100)) step (1, 32) {
  affine.parallel (%i, %j) = (0, max(%n, %m + 1)) to (%n, min(%m, 100)) step (1, 32) {
  }
  // CHECK: %{{.*}}:2 = affine.parallel (%{{.*}}, %{{.*}}) = (0, 0) to (100, 100) reduce ("addf", "maximumf") -> (f32, f32) {
  %0:2 = affine.parallel (%i, %j) = (0, 0) to (100, 100) reduce ("addf", "maximumf") -> (f32, f32) {
    %v = affine.load %a[%i, %j] : memref<100x100xf32>
    affine.yield %v, %v : f32, f32
  }
  // CHECK: affine.parallel () = () to () {
  affine.parallel () = () to () {
  }
  return %0#0, %0#1 : f32, f32
}

// CHECK-LABEL: func.func @memory
func.func @memory(%a: memref<100xf32>, %t: memref<1xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  affine.for %i = 0 to 10 {
    // CHECK: affine.vector_load %{{.*}}[%{{.*}} * 8] : memref<100xf32>, vector<8xf32>
    %v = affine.vector_load %a[%i * 8] : memref<100xf32>, vector<8xf32>
    // CHECK: affine.vector_store %{{.*}}, %{{.*}}[%{{.*}} + 3] : memref<100xf32>, vector<8xf32>
    affine.vector_store %v, %a[%i + 3] : memref<100xf32>, vector<8xf32>
    // CHECK: affine.prefetch %{{.*}}[%{{.*}} + 4], write, locality<3>, data : memref<100xf32>
    affine.prefetch %a[%i + 4], write, locality<3>, data : memref<100xf32>
    // CHECK: affine.prefetch %{{.*}}[%{{.*}}], read, locality<0>, instr : memref<100xf32>
    affine.prefetch %a[%i], read, locality<0>, instr : memref<100xf32>
    // CHECK: affine.dma_start %{{.*}}[%{{.*}} + 1], %{{.*}}[symbol(%{{.*}})], %{{.*}}[%{{.*}}], %{{.*}} : memref<100xf32>, memref<100xf32>, memref<1xi32>
    affine.dma_start %a[%i + 1], %a[symbol(%n)], %t[%c0], %n : memref<100xf32>, memref<100xf32>, memref<1xi32>
    // CHECK: affine.dma_start %{{.*}}[%{{.*}}], %{{.*}}[%{{.*}}], %{{.*}}[0], %{{.*}}, %{{.*}}, %{{.*}} : memref<100xf32>, memref<100xf32>, memref<1xi32>
    affine.dma_start %a[%i], %a[%i], %t[0], %n, %n, %n : memref<100xf32>, memref<100xf32>, memref<1xi32>
    // CHECK: affine.dma_wait %{{.*}}[%{{.*}}], %{{.*}} : memref<1xi32>
    affine.dma_wait %t[%c0], %n : memref<1xi32>
  }
  return
}

// What is loaded in a loop is a symbol in a scope inside it.
// CHECK-LABEL: func.func @scope
func.func @scope(%a: memref<?xf32>, %w: memref<?xindex>) -> f32 {
  %zero = arith.constant 0.0 : f32
  // CHECK: affine.for %[[I:.*]] = 0 to 8
  %0 = affine.for %i = 0 to 8 iter_args(%s = %zero) -> f32 {
    // CHECK: %[[N:.*]] = affine.load
    %n = affine.load %w[%i] : memref<?xindex>
    // CHECK: affine.scope -> f32 {
    %1 = affine.scope -> f32 {
      // CHECK-NEXT: affine.for %[[J:.*]] = 0 to %[[N]]
      %2 = affine.for %j = 0 to %n iter_args(%t = %s) -> f32 {
        // CHECK-NEXT: affine.load %{{.*}}[%[[J]] + symbol(%[[N]])]
        %v = affine.load %a[%j + symbol(%n)] : memref<?xf32>
        %3 = arith.addf %t, %v : f32
        affine.yield %3 : f32
      }
      affine.yield %2 : f32
    }
    // CHECK: affine.scope {
    // CHECK-NEXT: }
    affine.scope {
    }
    affine.yield %1 : f32
  }
  return %0 : f32
}
