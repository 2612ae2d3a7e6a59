// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

// Skewed in one step: what the times do not say comes from the new variables.

schedule.sequence @s on @skewed {
  %t = schedule.find_loop {iv = "t"} : !schedule.loop
  schedule.reschedule %t to [affine_map<(t, i) -> (2 * t + i, t)>]
}
// CHECK-DAG: #[[END:.*]] = affine_map<()[s0, s1] -> (s0 * 2 + s1 - 3)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0)[s0] -> ((d0 - s0 + 2) ceildiv 2, 0)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0)[s0] -> (s0, (d0 - 1) floordiv 2 + 1)>
// CHECK-LABEL: func.func @skewed
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %[[N:.*]]: index, %[[STEPS:.*]]: index
// CHECK-NEXT: affine.for %[[W:.*]] = 1 to #[[END]]()[%[[STEPS]], %[[N]]] {
// CHECK-NEXT: affine.for %[[T:.*]] = max #[[FIRST]](%[[W]])[%[[N]]] to min #[[LAST]](%[[W]])[%[[STEPS]]] {
// CHECK-NEXT: affine.load %[[A]][%[[W]] - %[[T]] * 2 - 1]
// CHECK-NEXT: affine.load %[[A]][%[[W]] - %[[T]] * 2 + 1]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: affine.store %{{.*}}, %[[A]][%[[W]] - %[[T]] * 2]
// CHECK-NEXT: }
func.func @skewed(%A: memref<?xf32>, %n: index, %steps: index) {
  affine.for %t = 0 to %steps {
    affine.for %i = 1 to affine_map<()[n] -> (n - 1)>()[%n] {
      %a = affine.load %A[%i - 1] : memref<?xf32>
      %b = affine.load %A[%i + 1] : memref<?xf32>
      %c = arith.addf %a, %b : f32
      affine.store %c, %A[%i] : memref<?xf32>
    }
  }
  return
}

// -----

// Two loops become one, the second an iteration later: what only one of them does
// comes before.

schedule.sequence @s on @fused {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  schedule.reschedule %i, %j to [affine_map<(i) -> (i, 0)>, affine_map<(j) -> (j + 1, 1)>]
}
// CHECK-LABEL: func.func @fused
// CHECK-SAME: %[[A:.*]]: memref<100xf32>, %[[B:.*]]: memref<100xf32>, %[[C:.*]]: memref<100xf32>
// CHECK-NEXT: affine.load %[[A]][0]
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: affine.store %{{.*}}, %[[B]][0]
// CHECK-NEXT: affine.for %[[I:.*]] = 1 to 100 {
// CHECK-NEXT: affine.load %[[A]][%[[I]]]
// CHECK-NEXT: arith.mulf
// CHECK-NEXT: affine.store %{{.*}}, %[[B]][%[[I]]]
// CHECK-NEXT: affine.load %[[B]][%[[I]]]
// CHECK-NEXT: affine.store %{{.*}}, %[[C]][%[[I]] - 1]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @fused(%A: memref<100xf32>, %B: memref<100xf32>, %C: memref<100xf32>) {
  affine.for %i = 0 to 100 {
    %a = affine.load %A[%i] : memref<100xf32>
    %b = arith.mulf %a, %a : f32
    affine.store %b, %B[%i] : memref<100xf32>
  }
  affine.for %j = 0 to 99 {
    %a = affine.load %B[%j + 1] : memref<100xf32>
    affine.store %a, %C[%j] : memref<100xf32>
  }
  return
}

// -----

// Interchanged and strip-mined, two loops of the three parallel.

schedule.sequence @s on @triangle {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.reschedule %i to [affine_map<(i, j) -> (j floordiv 8, j, i)>] parallel [[0, 1]]
}
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0) -> (d0 + 1)>
// CHECK-LABEL: func.func @triangle
// CHECK-SAME: %[[A:.*]]: memref<?x?xf32>, %[[N:.*]]: index
// CHECK-NEXT: affine.parallel (%[[B:.*]]) = (0) to ((symbol(%[[N]]) - 2) floordiv 8 + 1) {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (%[[B]] * 8) to (min(%[[B]] * 8 + 8, symbol(%[[N]]) - 1)) {
// CHECK-NEXT: affine.for %[[I:.*]] = #[[FIRST]](%[[J]]) to %[[N]] {
// CHECK-NEXT: affine.load %[[A]][%[[I]] - 1, %[[J]]]
func.func @triangle(%A: memref<?x?xf32>, %n: index) {
  affine.for %i = 1 to %n {
    affine.for %j = 0 to affine_map<(i) -> (i)>(%i) {
      %a = affine.load %A[%i - 1, %j] : memref<?x?xf32>
      affine.store %a, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// Backwards, with the step and the condition that the loop has.

schedule.sequence @s on @stride {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.reschedule %i to [affine_map<(i) -> (-i)>]
}
// CHECK-LABEL: func.func @stride
// CHECK-NEXT: affine.for %[[T:.*]] = -98 to -49 step 3 {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[-%[[T]]]
func.func @stride(%A: memref<100xf32>, %x: f32) {
  affine.for %i = 2 to 100 step 3 {
    affine.if affine_set<(d) : (d - 50 >= 0)>(%i) {
      affine.store %x, %A[%i] : memref<100xf32>
    }
  }
  return
}

// -----

// In a loop that stays. Its variable is a parameter, and what it is known to be is not
// asked again.

schedule.sequence @s on @inner {
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  schedule.reschedule %j to [affine_map<(j, k) -> (k, j)>]
}
// CHECK-LABEL: func.func @inner
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to %[[N:.*]] {
// CHECK-NEXT: affine.for %[[K:.*]] = #{{.*}}(%[[I]]) to %[[N]] {
// CHECK-NEXT: affine.for %[[J:.*]] = 0 to #{{.*}}(%[[K]], %[[I]]) {
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]], %[[J]], %[[K]]]
func.func @inner(%A: memref<?x?x?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      affine.for %k = affine_map<(d, i) -> (d + i)>(%j, %i) to %n {
        affine.store %x, %A[%i, %j, %k] : memref<?x?x?xf32>
      }
    }
  }
  return
}

// -----

// A subscript that an outer loop computes goes along; so does a loop that carries a
// value, which is one statement.

schedule.sequence @s on @carried {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.reschedule %i to [affine_map<(i, j) -> (j, i)>]
}
// CHECK-LABEL: func.func @carried
// CHECK-SAME: %[[A:[^:]*]]: memref<?x?xf32>, %[[B:[^:]*]]: memref<?x?xf32>, %[[N:[^:]*]]: index
// CHECK: affine.for %[[J:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: affine.for %[[I:.*]] = 0 to %{{.*}} {
// CHECK-NEXT: %[[SUM:.*]] = affine.for %[[K:.*]] = 0 to %{{.*}} iter_args
// CHECK-NEXT: affine.load %[[A]][-%[[I]] + symbol(%[[N]]) - 1, %[[K]]]
// CHECK: affine.store %[[SUM]], %[[B]][-%[[I]] + symbol(%[[N]]) - 1, %[[J]]]
func.func @carried(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %n: index) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to %n {
    %back = affine.apply affine_map<(d)[n] -> (n - 1 - d)>(%i)[%n]
    affine.for %j = 0 to %n {
      %sum = affine.for %k = 0 to %n iter_args(%s = %zero) -> f32 {
        %a = affine.load %A[%back, %k] : memref<?x?xf32>
        %t = arith.addf %s, %a : f32
        affine.yield %t : f32
      }
      affine.store %sum, %B[%back, %j] : memref<?x?xf32>
    }
  }
  return
}

// -----

// A product of sizes as a bound.

schedule.sequence @s on @product {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  schedule.reschedule %i to [affine_map<(i) -> (i floordiv 4, i)>]
}
// CHECK-DAG: #[[PRODUCT:.*]] = affine_map<()[s0, s1] -> (s0 * s1)>
// CHECK-LABEL: func.func @product
// CHECK: %[[NM:.*]] = affine.apply #[[PRODUCT]]()[%{{.*}}, %{{.*}}]
// CHECK: affine.for %[[T:.*]] = 0 to
// CHECK-NEXT: affine.for %[[I:.*]] = #{{.*}}(%[[T]]) to min
// CHECK-NEXT: affine.store %{{.*}}, %{{.*}}[%[[I]]]
func.func @product(%A: memref<?xf32>, %n: index, %m: index, %x: f32) {
  affine.for %i = 0 to affine_map<()[n, m] -> (n * m)>()[%n, %m] {
    affine.store %x, %A[%i] : memref<?xf32>
  }
  return
}
