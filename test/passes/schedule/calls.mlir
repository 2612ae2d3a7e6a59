// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

// Calls in a loop, one in the function called: with them inlined the loop can be
// reasoned about, and is found to be parallel. Loops of functions keep their names.

schedule.sequence @s on @inline {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %l = schedule.inline %i
  %k = schedule.find_loop in %l {iv = "k"} : !schedule.loop
  schedule.unroll %k full
  %p = schedule.parallel %l
}
// CHECK-LABEL: func.func private @twice
// CHECK-LABEL: func.func @row
// CHECK: call @twice
// CHECK-LABEL: func.func @inline
// CHECK-SAME: (%[[A:.*]]: memref<?x2xf32>, %[[N:.*]]: index)
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK-NOT: call
// CHECK: %[[X:.*]] = affine.load %[[A]][%[[I]], {{.*}}] : memref<?x2xf32>
// CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
// CHECK: affine.store %[[Y]], %[[A]][%[[I]], {{.*}}] : memref<?x2xf32>
// CHECK: affine.load %[[A]][%[[I]], {{.*}}] : memref<?x2xf32>
// CHECK: affine.store %{{.*}}, %[[A]][%[[I]], {{.*}}] : memref<?x2xf32>
// CHECK-NOT: call
// CHECK: return
func.func private @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
func.func @row(%A: memref<?x2xf32>, %r: index) {
  affine.for %k = 0 to 2 {
    %x = affine.load %A[%r, %k] : memref<?x2xf32>
    %y = func.call @twice(%x) : (f32) -> f32
    affine.store %y, %A[%r, %k] : memref<?x2xf32>
  }
  return
}
func.func @inline(%A: memref<?x2xf32>, %n: index) {
  affine.for %i = 0 to %n {
    func.call @row(%A, %i) : (memref<?x2xf32>, index) -> ()
  }
  return
}

// -----

// In a condition, beside accesses that keep their order, and with a result that the
// loop carries.

schedule.sequence @s on @carried {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %l = schedule.inline %i
}
// CHECK-LABEL: func.func @carried
// CHECK: affine.for %[[I:.*]] = 1 to 9 iter_args(%[[S:.*]] = %{{.*}}) -> (f32) {
// CHECK-NEXT: %[[X:.*]] = affine.load %{{.*}}[%[[I]] - 1]
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[S]], %[[X]]
// CHECK-NEXT: affine.if
// CHECK-NEXT: affine.store %[[Y]], %{{.*}}[%[[I]]]
// CHECK-NEXT: }
// CHECK-NEXT: affine.store %[[X]], %{{.*}}[%[[I]]]
// CHECK-NEXT: affine.yield %[[Y]]
func.func private @add(%a: f32, %b: f32) -> f32 {
  %c = arith.addf %a, %b : f32
  return %c : f32
}
func.func private @set(%A: memref<10xf32>, %j: index, %x: f32) {
  affine.store %x, %A[%j] : memref<10xf32>
  return
}
func.func @carried(%A: memref<10xf32>, %B: memref<10xf32>, %z: f32) -> f32 {
  %s = affine.for %i = 1 to 9 iter_args(%sum = %z) -> (f32) {
    %x = affine.load %A[%i - 1] : memref<10xf32>
    %y = func.call @add(%sum, %x) : (f32, f32) -> f32
    affine.if affine_set<(d0) : (d0 - 4 >= 0)>(%i) {
      func.call @set(%A, %i, %y) : (memref<10xf32>, index, f32) -> ()
    }
    affine.store %x, %B[%i] : memref<10xf32>
    affine.yield %y : f32
  }
  return %s : f32
}

// -----

// What the loop uses comes as arguments, constants are made anew, and what it carries
// is returned. The next schedule is for the new function.

schedule.sequence @out on @outline {
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  schedule.outline %j to @inner
}
schedule.sequence @in on @inner {
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %u = schedule.unroll %j by 2
}
// CHECK-LABEL: func.func @outline
// CHECK-SAME: (%[[A:.*]]: memref<?x8xf32>, %[[N:.*]]: index, %[[Z:.*]]: f32)
// CHECK: affine.for %[[I:.*]] = 0 to %[[N]] {
// CHECK-NEXT: %[[R:.*]] = func.call @inner(%[[Z]], %[[A]], %[[I]]) : (f32, memref<?x8xf32>, index) -> f32
// CHECK-NEXT: affine.store %[[R]], %[[A]][%[[I]], 0]
// CHECK-NEXT: }
// CHECK-LABEL: func.func private @inner
// CHECK-SAME: (%[[Z:.*]]: f32, %[[A:.*]]: memref<?x8xf32>, %[[I:.*]]: index) -> f32 {
// CHECK-NEXT: %[[C:.*]] = arith.constant 2.000000e+00 : f32
// CHECK-NEXT: %[[S:.*]] = affine.for %[[J:.*]] = 0 to 8 step 2 iter_args(%{{.*}} = %[[Z]]) -> (f32) {
// CHECK-NEXT: affine.load %[[A]][%[[I]], %[[J]]]
// CHECK-NEXT: arith.mulf %{{.*}}, %[[C]]
// CHECK: affine.load %[[A]][%[[I]],
// CHECK: return %[[S]] : f32
// CHECK-NOT: schedule.instance
func.func @outline(%A: memref<?x8xf32>, %n: index, %z: f32) {
  %two = arith.constant 2.0 : f32
  affine.for %i = 0 to %n {
    %r = affine.for %j = 0 to 8 iter_args(%s = %z) -> (f32) {
      %a = affine.load %A[%i, %j] : memref<?x8xf32>
      %b = arith.mulf %a, %two : f32
      %t = arith.addf %s, %b : f32
      affine.yield %t : f32
    }
    affine.store %r, %A[%i, 0] : memref<?x8xf32>
  }
  return
}

// -----

// A parallel loop with bounds from outside; inlined again, it is what it was.

schedule.sequence @s on @back {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %j = schedule.find_loop {iv = "j"} : !schedule.loop
  %p = schedule.parallel %j
  schedule.outline %p to @kernel
  %l = schedule.inline %i
}
// CHECK-LABEL: func.func @back
// CHECK-SAME: (%[[A:.*]]: memref<?x?xf32>, %[[N:.*]]: index, %[[X:.*]]: f32)
// CHECK: affine.for %[[I:.*]] = 0 to %[[N]] {
// CHECK-NEXT: affine.parallel (%[[J:.*]]) = (%[[I]]) to (symbol(%[[N]])) {
// CHECK-NEXT: affine.store %[[X]], %[[A]][%[[I]], %[[J]]]
// CHECK-LABEL: func.func private @kernel
// CHECK: affine.parallel
func.func @back(%A: memref<?x?xf32>, %n: index, %x: f32) {
  affine.for %i = 0 to %n {
    affine.for %j = affine_map<(d0) -> (d0)>(%i) to %n {
      affine.store %x, %A[%i, %j] : memref<?x?xf32>
    }
  }
  return
}
