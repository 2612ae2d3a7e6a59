// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

// Only the sum that goes from iteration to iteration stays in the loop that carries it.

// CHECK-LABEL: func.func @carried
// CHECK-DAG:     %[[T:.*]] = memref.alloc() : memref<64xf32>
// CHECK-DAG:     %[[U:.*]] = memref.alloc() : memref<64xf32>
// CHECK:         affine.parallel (%[[I:.*]]) = (0) to (64) {
// CHECK-NEXT:      affine.load %arg0[%[[I]]]
// CHECK-NEXT:      %[[E:.*]] = math.exp
// CHECK-NEXT:      affine.store %[[E]], %[[T]][%[[I]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = affine.for %[[J:.*]] = 0 to 64 iter_args(%[[X:.*]] = %arg2) -> (f32) {
// CHECK-NEXT:      %[[A:.*]] = affine.load %[[T]][%[[J]]]
// CHECK-NEXT:      %[[Y:.*]] = arith.addf %[[X]], %[[A]]
// CHECK-NEXT:      affine.store %[[Y]], %[[U]][%[[J]]]
// CHECK-NEXT:      affine.yield %[[Y]]
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.parallel (%[[K:.*]]) = (0) to (64) {
// CHECK-NEXT:      %[[Z:.*]] = affine.load %[[U]][%[[K]]]
// CHECK-NEXT:      %[[S:.*]] = math.sqrt %[[Z]]
// CHECK-NEXT:      affine.store %[[S]], %arg1[%[[K]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.dealloc
// CHECK-NEXT:    memref.dealloc
// CHECK-NEXT:    return %[[R]]
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p:3 = schedule.isolate %i into 3
  %a = schedule.parallel %p#0
  %b = schedule.parallel %p#2
}
func.func @carried(%A: memref<64xf32>, %B: memref<64xf32>, %x0: f32) -> f32 {
  %r = affine.for %i = 0 to 64 iter_args(%x = %x0) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %e = math.exp %a : f32
    %y = arith.addf %x, %e : f32
    %s = math.sqrt %y : f32
    affine.store %s, %B[%i] : memref<64xf32>
    affine.yield %y : f32
  }
  return %r : f32
}

// -----

// A chain through memory. The index that the store is at is computed again, and so is the
// constant; the carried value of the iteration before is kept for the last loop.

// CHECK-LABEL: func.func @memory
// CHECK:         memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK:         affine.for %[[I:.*]] = 1 to %arg3 {
// CHECK:           %[[B:.*]] = affine.load %arg1[%[[I]]]
// CHECK:           %[[C:.*]] = arith.mulf %[[B]], %{{.*}} : f32
// CHECK:           affine.store %[[C]], %[[T:.*]][%[[I]] - 1]
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %[[J:.*]] = 1 to %arg3 {
// CHECK-NEXT:      affine.load %arg0[%[[J]] - 1]
// CHECK-NEXT:      affine.load %[[T]][%[[J]] - 1]
// CHECK-NEXT:      arith.addf
// CHECK-NEXT:      affine.store %{{.*}}, %arg0[%[[J]]]
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %[[K:.*]] = 1 to %arg3 {
// CHECK-NEXT:      %[[D:.*]] = affine.load %arg0[%[[K]]]
// CHECK-NEXT:      affine.store %[[D]], %arg2[-%[[K]] + symbol(%arg3)]
// CHECK-NEXT:    }
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p:3 = schedule.isolate %i into 3
}
func.func @memory(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 1 to %n {
    %two = arith.constant 2.0 : f32
    %b = affine.load %B[%i] : memref<?xf32>
    %c = arith.mulf %b, %two : f32
    %a = affine.load %A[%i - 1] : memref<?xf32>
    %d = arith.addf %a, %c : f32
    affine.store %d, %A[%i] : memref<?xf32>
    %e = affine.load %A[%i] : memref<?xf32>
    affine.store %e, %C[-%i + symbol(%n)] : memref<?xf32>
  }
  return
}

// -----

// The value before an iteration, used behind: it too gets an array. Nothing comes before.

// CHECK-LABEL: func.func @shifted
// CHECK:         %[[U:.*]] = memref.alloc() : memref<16xi32>
// CHECK-NEXT:    %[[R:.*]] = affine.for %[[I:.*]] = 0 to 16 iter_args(%[[X:.*]] = %arg1) -> (i32) {
// CHECK-NEXT:      affine.store %[[X]], %[[U]][%[[I]]]
// CHECK-NEXT:      %[[Y:.*]] = arith.xori %[[X]], %arg2
// CHECK-NEXT:      affine.yield %[[Y]]
// CHECK-NEXT:    }
// CHECK-NEXT:    affine.for %[[J:.*]] = 0 to 16 {
// CHECK-NEXT:      %[[V:.*]] = affine.load %[[U]][%[[J]]]
// CHECK-NEXT:      affine.store %[[V]], %arg0[%[[J]]]
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %p:2 = schedule.isolate %i into 2
}
func.func @shifted(%A: memref<16xi32>, %s: i32, %k: i32) -> i32 {
  %r = affine.for %i = 0 to 16 iter_args(%x = %s) -> (i32) {
    affine.store %x, %A[%i] : memref<16xi32>
    %y = arith.xori %x, %k : i32
    affine.yield %y : i32
  }
  return %r : i32
}
