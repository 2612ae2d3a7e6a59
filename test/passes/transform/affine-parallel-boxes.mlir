// RUN: terrace-opt %s -affine-parallel-boxes -split-input-file | FileCheck %s
// RUN: terrace-opt %s -affine-parallel-boxes -split-input-file -o /dev/null --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT: 9 num-loops
// A triangle: the box of both loops, and what the bound said as a condition.
// CHECK: [[SET:#.*]] = affine_set<(d0, d1) : (d1 - d0 >= 0)>
// CHECK-LABEL: func.func @triangle
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (symbol(%arg1)) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (0) to (symbol(%arg1)) {
// CHECK-NEXT: affine.if [[SET]](%[[I]], %[[J]]) {
// CHECK-NEXT: affine.store %{{.*}}, %arg0[%[[I]], %[[J]]]
func.func @triangle(%a: memref<?x?xf64>, %n: index) {
  %0 = arith.constant 0.0 : f64
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (symbol(%n)) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  return
}

// -----

// As LU updates a matrix: bounds that name the loop outside stay, which is no parallel one.
// CHECK: [[SET:#.*]] = affine_set<(d0, d1) : (d0 - d1 - 1 >= 0)>
// CHECK-LABEL: func.func @below
// CHECK: affine.for %[[K:.*]] = 0
// CHECK: affine.parallel (%[[I:.*]]) = (%[[K]] + 2) to (symbol(%arg1)) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (%[[K]] + 1) to (symbol(%arg1) - 1) {
// CHECK-NEXT: affine.if [[SET]](%[[I]], %[[J]]) {
func.func @below(%a: memref<?x?xf64>, %n: index) {
  %0 = arith.constant 0.0 : f64
  affine.for %k = 0 to %n {
    affine.parallel (%i) = (%k + 2) to (symbol(%n)) {
      affine.parallel (%j) = (%k + 1) to (%i) {
        affine.store %0, %a[%i, %j] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// Three loops, each from the one before on: one condition for all, in the innermost. A bound
// that falls with a counter is furthest out where that begins.
// CHECK: [[SET:#.*]] = affine_set<(d0, d1, d2) : (d1 - d0 >= 0, d2 - d1 >= 0)>
// CHECK: [[FALLS:#.*]] = affine_set<(d0, d1)[s0] : (d0 * -2 + s0 - d1 - 1 >= 0)>
// CHECK-LABEL: func.func @three
// CHECK-COUNT-3: affine.parallel (%{{.*}}) = (0) to (symbol(%arg1)) {
// CHECK: affine.if [[SET]]
// CHECK: affine.parallel (%[[I:.*]]) = (3) to (symbol(%arg1)) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (5) to (symbol(%arg1) - 6) step (2) {
// CHECK-NEXT: affine.if [[FALLS]](%[[I]], %[[J]])[%arg1] {
func.func @three(%a: memref<?x?x?xf64>, %n: index) {
  %0 = arith.constant 0.0 : f64
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (symbol(%n)) {
      affine.parallel (%k) = (%j) to (symbol(%n)) {
        affine.store %0, %a[%i, %j, %k] : memref<?x?x?xf64>
      }
    }
  }
  affine.parallel (%i) = (3) to (symbol(%n)) {
    affine.parallel (%j) = (5) to (-2 * %i + symbol(%n)) step (2) {
      affine.store %0, %a[%i, %j, 0] : memref<?x?x?xf64>
    }
  }
  return
}

// -----

// One of several bounds moves: that alone is a condition. A loop of the same op as another,
// which does not move, stays.
// CHECK: [[SET:#.*]] = affine_set<(d0, d1) : (d1 - (d0 + 2) >= 0)>
// CHECK-LABEL: func.func @several
// CHECK: affine.parallel (%[[I:.*]]) = (0) to (10) {
// CHECK-NEXT: affine.parallel (%{{.*}}, %[[J:.*]]) = (7, max(4, 2)) to (9, 10) {
// CHECK-NEXT: affine.if [[SET]](%[[I]], %[[J]]) {
func.func @several(%a: memref<10x10x12xf64>) {
  %0 = arith.constant 0.0 : f64
  affine.parallel (%i) = (0) to (10) {
    affine.parallel (%k, %j) = (7, max(4, %i + 2)) to (9, 10) {
      affine.store %0, %a[%i, %k, %j] : memref<10x10x12xf64>
    }
  }
  return
}

// -----

// A band, of which both bounds move, as a wavefront over time steps and rows has them: it is half
// as wide as what the bounds that stay leave, and these are the box. Divisions become factors.
// CHECK: [[SET:#.*]] = affine_set<(d0, d1, d2)[s0] : (d1 * 2 - (d2 - d0 * 4 - s0 + 2) >= 0, d2 - d0 * 4 - d1 * 2 - 1 >= 0)>
// CHECK-LABEL: func.func @band
// CHECK: affine.for %[[C:.*]] = 0
// CHECK: affine.parallel (%[[T:.*]]) = (0) to (20) {
// CHECK-NEXT: affine.parallel (%[[I:.*]]) = (1) to (symbol(%arg1) - 1) {
// CHECK-NEXT: affine.if [[SET]](%[[T]], %[[I]], %[[C]])[%arg1] {
func.func @band(%a: memref<?x?xf64>, %n: index) {
  %0 = arith.constant 0.0 : f64
  affine.for %c = 0 to %n {
    affine.parallel (%t) = (0) to (20) {
      affine.parallel (%i) = (max((%c - %t * 4 - symbol(%n) + 2) ceildiv 2, 1)) to (min((%c - %t * 4 - 1) floordiv 2 + 1, symbol(%n) - 1)) {
        affine.store %0, %a[%i, %c - %t * 4 - %i * 2] : memref<?x?xf64>
      }
    }
  }
  return
}

// -----

// The other roundings; of a bound that is divided the end of the loop around counts as of others.
// CHECK: [[SET:#.*]] = affine_set<(d0, d1) : (d1 * 3 - d0 + 2 >= 0, d0 - d1 * 3 + 59 >= 0)>
// CHECK: [[ONE:#.*]] = affine_set<(d0, d1)[s0] : (d1 * 2 - (-d0 + s0) >= 0)>
// CHECK-LABEL: func.func @divided
// CHECK: affine.parallel (%[[T:.*]]) = (0) to (40) {
// CHECK-NEXT: affine.parallel (%[[I:.*]]) = (0) to (34) {
// CHECK-NEXT: affine.if [[SET]](%[[T]], %[[I]]) {
// CHECK: affine.parallel (%[[T:.*]]) = (0) to (symbol(%arg1)) {
// CHECK-NEXT: affine.parallel (%[[I:.*]]) = (1) to (symbol(%arg1)) {
// CHECK-NEXT: affine.if [[ONE]](%[[T]], %[[I]])
func.func @divided(%a: memref<?x?xf64>, %n: index) {
  %0 = arith.constant 0.0 : f64
  affine.parallel (%t) = (0) to (40) {
    affine.parallel (%i) = (max(%t floordiv 3, 0)) to (min((%t + 60) ceildiv 3, 34)) {
      affine.store %0, %a[%i, %t] : memref<?x?xf64>
    }
  }
  affine.parallel (%t) = (0) to (symbol(%n)) {
    affine.parallel (%i) = ((symbol(%n) - %t) ceildiv 2) to (symbol(%n)) {
      affine.store %0, %a[%i, %t] : memref<?x?xf64>
    }
  }
  return
}

// -----

// Along a diagonal the box has any number of iterations more, also between bounds that stay, and
// how wide it is may not be known; a step of two does not begin where the box does; the loop
// around has two ends; the bound is no multiple of the counter;
// a loop with a store beside it is no perfect nest, and the one in it runs in a thread, as all
// of a kernel do; a sum over threads is no nest of a grid.
// CHECK-LABEL: func.func @stay
// CHECK-NOT: affine.if
func.func @stay(%a: memref<?x?xf64>, %n: index, %m: index) -> f64 {
  %0 = arith.constant 0.0 : f64
  %1 = arith.constant 1 : index
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (%i + 3) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (max(%i - 3, 0)) to (min(%i + 3, symbol(%n))) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (max(%i floordiv 4611686018427387904, 0)) to (min((%i + symbol(%n)) ceildiv 4611686018427387904, symbol(%n))) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (symbol(%n)) step (2) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  affine.parallel (%i) = (0) to (min(symbol(%n), symbol(%m))) {
    affine.parallel (%j) = (0) to (%i) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (0) to (%i mod 7) {
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
  }
  affine.parallel (%i) = (0) to (symbol(%n)) {
    affine.parallel (%j) = (%i) to (symbol(%n)) {
      affine.parallel (%k) = (%j) to (symbol(%n)) {
        affine.store %0, %a[%i, %j] : memref<?x?xf64>
      }
      affine.store %0, %a[%i, %j] : memref<?x?xf64>
    }
    affine.store %0, %a[%i, 0] : memref<?x?xf64>
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %1, %gy = %1, %gz = %1)
             threads(%x, %y, %z) in (%sx = %1, %sy = %1, %sz = %1) {
    affine.parallel (%i) = (0) to (10) {
      affine.parallel (%j) = (%i) to (10) {
        affine.store %0, %a[%i, %j] : memref<?x?xf64>
      }
    }
    gpu.terminator
  }
  %sum = affine.parallel (%i) = (0) to (symbol(%n)) reduce ("addf") -> (f64) {
    %row = affine.parallel (%j) = (%i) to (symbol(%n)) reduce ("addf") -> (f64) {
      %v = affine.load %a[%i, %j] : memref<?x?xf64>
      affine.yield %v : f64
    }
    affine.yield %row : f64
  }
  return %sum : f64
}

// What the outer loop adds up stays in it.
// CHECK-LABEL: func.func @summed(
func.func @summed(%A: memref<?x4xi32>, %n: index) -> i32 {
  // CHECK: affine.parallel (%[[I:.*]]) = (0) to (symbol(%{{.*}})) reduce ("addi") -> (i32) {
  // CHECK-NEXT: %[[X:.*]] = arith.index_cast %[[I]]
  // CHECK-NEXT: affine.parallel
  %s = affine.parallel (%i) = (0) to (symbol(%n)) reduce ("addi") -> (i32) {
    %x = arith.index_cast %i : index to i32
    affine.parallel (%j) = (0) to (4) {
      affine.store %x, %A[%i, %j] : memref<?x4xi32>
    }
    // CHECK: affine.yield %[[X]]
    affine.yield %x : i32
  }
  return %s : i32
}
