// RUN: terrace-opt %s --split-input-file --apply-schedule | FileCheck %s

// A scalar that every iteration writes before it reads it gets an entry for each, and the
// loop is parallel then.

// CHECK-LABEL: func.func @scalar
// CHECK:         %[[T:.*]] = memref.alloc() : memref<64xf32>
// CHECK-NEXT:    affine.parallel (%[[I:.*]]) = (0) to (64) {
// CHECK:           affine.store %{{.*}}, %[[T]][%[[I]]] : memref<64xf32>
// CHECK:           affine.load %[[T]][%[[I]]] : memref<64xf32>
// CHECK:         }
// CHECK-NEXT:    memref.dealloc %[[T]] : memref<64xf32>
// CHECK-NEXT:    return
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %e = schedule.expand %i array "t"
  %p = schedule.parallel %e
}
func.func @scalar(%A: memref<64xf32>, %B: memref<64xf32>) {
  %t = memref.alloc() : memref<f32>
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf32>
    %b = arith.mulf %a, %a : f32
    affine.store %b, %t[] : memref<f32>
    %c = affine.load %t[] : memref<f32>
    affine.store %c, %B[%i] : memref<64xf32>
  }
  memref.dealloc %t : memref<f32>
  return
}

// -----

// A row, a loop that counts from elsewhere and by 3, and as many entries as it runs times.

// CHECK-LABEL: func.func @row
// CHECK:         %[[N:.*]] = affine.max
// CHECK:         %[[T:.*]] = memref.alloc(%[[N]], %arg4) : memref<?x?xf32>
// CHECK-NEXT:    affine.for %[[I:.*]] = %arg2 to %arg3 step 3 {
// CHECK:           affine.for %[[J:.*]] = 0 to %arg4 {
// CHECK:             affine.store %{{.*}}, %[[T]][(%[[I]] - symbol(%arg2)) floordiv 3, %[[J]]]
// CHECK:           affine.for %[[K:.*]] = 0 to %arg4 {
// CHECK:             affine.load %[[T]][(%[[I]] - symbol(%arg2)) floordiv 3, -%[[K]] + symbol(%arg4) - 1]
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %e = schedule.expand %i array "t"
}
func.func @row(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %lo: index, %hi: index, %m: index) {
  %t = memref.alloc(%m) : memref<?xf32>
  affine.for %i = %lo to %hi step 3 {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<?x?xf32>
      affine.store %a, %t[%j] : memref<?xf32>
    }
    affine.for %k = 0 to %m {
      %b = affine.load %t[-%k + symbol(%m) - 1] : memref<?xf32>
      affine.store %b, %B[%i, %k] : memref<?x?xf32>
    }
  }
  memref.dealloc %t : memref<?xf32>
  return
}

// -----

// Private: memory of the iteration.

// CHECK-LABEL: func.func @private
// CHECK-NEXT:    affine.parallel (%[[I:.*]]) = (0) to (64) {
// CHECK-NEXT:      %[[T:.*]] = memref.alloc() : memref<8xf32>
// CHECK:           affine.store %{{.*}}, %[[T]][%{{.*}}]
// CHECK:           affine.load %[[T]][
// CHECK:           memref.dealloc %[[T]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %e = schedule.expand %i array "t" private
  %p = schedule.parallel %e
}
func.func @private(%A: memref<64x8xf32>, %B: memref<64x8xf32>) {
  %t = memref.alloc() : memref<8xf32>
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 8 {
      %a = affine.load %A[%i, %j] : memref<64x8xf32>
      affine.store %a, %t[%j] : memref<8xf32>
    }
    affine.for %k = 0 to 8 {
      %b = affine.load %t[7 - %k] : memref<8xf32>
      affine.store %b, %B[%i, %k] : memref<64x8xf32>
    }
  }
  memref.dealloc %t : memref<8xf32>
  return
}

// -----

// What the last iteration wrote is copied back, where there was one.

// CHECK-LABEL: func.func @live_out
// CHECK:         affine.for
// CHECK:         affine.if #{{.*}}()[%arg2] {
// CHECK-NEXT:      affine.for %[[J:.*]] = 0 to 4 {
// CHECK-NEXT:        %[[V:.*]] = affine.load %[[T:.*]][symbol(%arg2) - 1, %[[J]]] : memref<?x4xf32>
// CHECK-NEXT:        affine.store %[[V]], %arg1[%[[J]]] : memref<4xf32>
// CHECK:         memref.dealloc %[[T]]
schedule.sequence @s {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %e = schedule.expand %i array "t"
}
func.func @live_out(%A: memref<?x4xf32>, %t: memref<4xf32>, %n: index) {
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[%i, %j] : memref<?x4xf32>
      affine.store %a, %t[%j] : memref<4xf32>
    }
    affine.for %k = 0 to 4 {
      %b = affine.load %t[3 - %k] : memref<4xf32>
      affine.store %b, %A[%i, %k] : memref<?x4xf32>
    }
  }
  return
}

// -----

// A temporary in the way of parallel iterations, and of their distribution.

schedule.sequence @s on @expand {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %e = schedule.expand %i array "T"
  %d:2 = schedule.distribute %e into 2
  %p = schedule.parallel %d#0
  %q = schedule.parallel %d#1
}
// CHECK-LABEL: func.func @expand
// CHECK: %[[N:.*]] = affine.max #{{.*}}()[%{{.*}}]
// CHECK: %[[T:.*]] = memref.alloc(%[[N]]) : memref<?x4xf32>
// CHECK: affine.parallel (%[[I:.*]]) =
// CHECK: affine.store %{{.*}}, %[[T]][%[[I]], %{{.*}}]
// CHECK: affine.parallel (%[[J:.*]]) =
// CHECK: affine.load %[[T]][%[[J]], {{.*}}]
// CHECK: memref.dealloc %[[T]]
func.func @expand(%A: memref<?x4xf32>, %B: memref<?x4xf32>, %n: index) {
  %T = memref.alloc() : memref<4xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 4 {
      %a = affine.load %A[%i, %j] : memref<?x4xf32>
      affine.store %a, %T[%j] : memref<4xf32>
    }
    affine.for %k = 0 to 4 {
      %t = affine.load %T[-%k + 3] : memref<4xf32>
      affine.store %t, %B[%i, %k] : memref<?x4xf32>
    }
  }
  memref.dealloc %T : memref<4xf32>
  return
}

// -----

schedule.sequence @s on @vectorize {
  %i = schedule.find_loop {iv = "i"} : !schedule.loop
  %v = schedule.vectorize %i by 4
}
// CHECK-LABEL: func.func @vectorize
// CHECK: affine.for %{{.*}} step 4 {
// CHECK: vector<4xf32>
func.func @vectorize(%A: memref<64xf32>, %B: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %a = affine.load %A[%i] : memref<64xf32>
    %b = arith.addf %a, %a : f32
    affine.store %b, %B[%i] : memref<64xf32>
  }
  return
}
