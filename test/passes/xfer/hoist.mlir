// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-hoist-allocations))" | FileCheck %s

// Sizes are those of an array outside: the buffer leaves both loops.

// CHECK-LABEL: func @out_of_two(
// CHECK-SAME:    %[[A:[^:]*]]: memref<?xf32>
// CHECK:         %[[N:.*]] = memref.dim %[[A]], %{{.*}}
// CHECK-NEXT:    %[[D:.*]] = xfer.alloc(%[[N]])
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      scf.for
// CHECK-NEXT:        xfer.copy %[[A]] to %[[D]]
// CHECK-NEXT:        xfer.copy %[[D]] to %[[A]]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    xfer.free %[[D]]
// CHECK-NEXT:    return
func.func @out_of_two(%A: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %s = memref.dim %A, %c0 : memref<?xf32>
      %d = xfer.alloc(%s) : memref<?xf32, #xfer.device>
      xfer.copy %A to %d : memref<?xf32> to memref<?xf32, #xfer.device>
      xfer.copy %d to %A : memref<?xf32, #xfer.device> to memref<?xf32>
      xfer.free %d : memref<?xf32, #xfer.device>
    }
  }
  return
}

// The size of an array of the host that each iteration allocates is a number that need mean
// nothing where there is no iteration.

// CHECK-LABEL: func @may_not_run(
// CHECK-SAME:    %[[N:[^:]*]]: index, %[[S:[^:]*]]: index)
// CHECK:         %[[RUNS:.*]] = arith.cmpi slt, %[[C0:.*]], %[[N]]
// CHECK:         %[[SIZE:.*]] = arith.select %[[RUNS]], %[[S]], %{{.*}}
// CHECK-NEXT:    %[[D:.*]] = xfer.alloc(%[[SIZE]])
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      %[[A:.*]] = memref.alloc(%[[S]])
// CHECK:           xfer.copy %[[A]] to %[[D]]
// CHECK-NOT:       xfer.free
// CHECK:         }
// CHECK-NEXT:    xfer.free %[[D]]
func.func @may_not_run(%n: index, %s: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %A = memref.alloc(%s) : memref<?xf32>
    %k = memref.dim %A, %c0 : memref<?xf32>
    %d = xfer.alloc(%k) : memref<?xf32, #xfer.device>
    xfer.copy %A to %d : memref<?xf32> to memref<?xf32, #xfer.device>
    xfer.copy %d to %A : memref<?xf32, #xfer.device> to memref<?xf32>
    xfer.free %d : memref<?xf32, #xfer.device>
    memref.dealloc %A : memref<?xf32>
  }
  return
}

// It runs: nothing has to be asked.

// CHECK-LABEL: func @runs(
// CHECK-NOT:     arith.select
// CHECK:         xfer.alloc
// CHECK-NEXT:    scf.for
func.func @runs(%A: memref<?xf32>, %s: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c0 to %c1000 step %c1 {
    %d = xfer.alloc(%s) : memref<?xf32, #xfer.device>
    xfer.copy %A to %d : memref<?xf32> to memref<?xf32, #xfer.device>
    xfer.copy %d to %A : memref<?xf32, #xfer.device> to memref<?xf32>
    xfer.free %d : memref<?xf32, #xfer.device>
  }
  return
}

// Sizes that change, a buffer that only some iterations have, one that is freed elsewhere,
// and one that a later iteration gets: all stay.

// CHECK-LABEL: func @stay(
// CHECK:         xfer.alloc() : memref<8xf32, #xfer.device>
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      xfer.alloc
// CHECK-NEXT:      xfer.copy
// CHECK-NEXT:      xfer.free
// CHECK-NEXT:      scf.if
// CHECK-NEXT:        xfer.alloc
// CHECK-NEXT:        xfer.copy
// CHECK-NEXT:        xfer.free
// CHECK:           xfer.alloc() : memref<4xf32, #xfer.device>
// CHECK-NEXT:      xfer.alloc() : memref<8xf32, #xfer.device>
func.func @stay(%A: memref<?xf32>, %n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = xfer.alloc() : memref<8xf32, #xfer.device>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%old = %first) -> (memref<8xf32, #xfer.device>) {
    %d = xfer.alloc(%i) : memref<?xf32, #xfer.device>
    xfer.copy %A to %d : memref<?xf32> to memref<?xf32, #xfer.device>
    xfer.free %d : memref<?xf32, #xfer.device>
    scf.if %c {
      %e = xfer.alloc(%n) : memref<?xf32, #xfer.device>
      xfer.copy %A to %e : memref<?xf32> to memref<?xf32, #xfer.device>
      xfer.free %e : memref<?xf32, #xfer.device>
    }
    %f = xfer.alloc() : memref<4xf32, #xfer.device>
    %g = xfer.alloc() : memref<8xf32, #xfer.device>
    xfer.free %old : memref<8xf32, #xfer.device>
    scf.if %c {
      xfer.free %f : memref<4xf32, #xfer.device>
    }
    scf.yield %g : memref<8xf32, #xfer.device>
  }
  xfer.free %last : memref<8xf32, #xfer.device>
  return
}

// One after the other: one buffer, also where each was in a loop. Where both are there, or
// the sizes differ, there are two.

// CHECK-LABEL: func @share(
// CHECK-SAME:    %[[A:[^:]*]]: memref<8xf32>
// CHECK-NEXT:    %[[D:.*]] = xfer.alloc() : memref<8xf32, #xfer.device>
// CHECK-NEXT:    xfer.copy %[[A]] to %[[D]]
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      xfer.copy %[[A]] to %[[D]]
// CHECK-NEXT:      xfer.copy %[[D]] to %[[A]]
// CHECK-NEXT:    }
// CHECK-NEXT:    xfer.copy %[[A]] to %[[D]]
// CHECK-NEXT:    %[[E:.*]] = xfer.alloc() : memref<8xf32, #xfer.device>
// CHECK-NEXT:    xfer.copy %[[D]] to %[[E]]
// CHECK-NEXT:    xfer.free %[[D]]
// CHECK-NEXT:    %[[F:.*]] = xfer.alloc() : memref<9xf32, #xfer.device>
// CHECK-NEXT:    xfer.copy %[[B:.*]] to %[[F]]
// CHECK-NEXT:    xfer.free %[[E]]
// CHECK-NEXT:    xfer.free %[[F]]
// CHECK-NEXT:    return
func.func @share(%A: memref<8xf32>, %B: memref<9xf32>, %l: index, %u: index, %s: index) {
  %a = xfer.alloc() : memref<8xf32, #xfer.device>
  xfer.copy %A to %a : memref<8xf32> to memref<8xf32, #xfer.device>
  xfer.free %a : memref<8xf32, #xfer.device>
  scf.for %i = %l to %u step %s {
    %b = xfer.alloc() : memref<8xf32, #xfer.device>
    xfer.copy %A to %b : memref<8xf32> to memref<8xf32, #xfer.device>
    xfer.copy %b to %A : memref<8xf32, #xfer.device> to memref<8xf32>
    xfer.free %b : memref<8xf32, #xfer.device>
  }
  %d = xfer.alloc() : memref<8xf32, #xfer.device>
  xfer.copy %A to %d : memref<8xf32> to memref<8xf32, #xfer.device>
  %e = xfer.alloc() : memref<8xf32, #xfer.device>
  xfer.copy %d to %e : memref<8xf32, #xfer.device> to memref<8xf32, #xfer.device>
  xfer.free %d : memref<8xf32, #xfer.device>
  %f = xfer.alloc() : memref<9xf32, #xfer.device>
  xfer.copy %B to %f : memref<9xf32> to memref<9xf32, #xfer.device>
  xfer.free %e : memref<8xf32, #xfer.device>
  xfer.free %f : memref<9xf32, #xfer.device>
  return
}

// What may still be going on keeps its buffer.

// CHECK-LABEL: func @asynchronous(
// CHECK:         scf.for
// CHECK-NEXT:      xfer.alloc
// CHECK-NEXT:      xfer.copy async
// CHECK:           xfer.free
func.func @asynchronous(%A: memref<8xf32>, %l: index, %u: index, %s: index) {
  scf.for %i = %l to %u step %s {
    %b = xfer.alloc() : memref<8xf32, #xfer.device>
    %t = xfer.copy async %A to %b : memref<8xf32> to memref<8xf32, #xfer.device>
    xfer.wait [%t]
    xfer.free %b : memref<8xf32, #xfer.device>
  }
  return
}

// Sizes along dimensions that are not known are two numbers, though of one array: each buffer
// has its own.

// CHECK-LABEL: func @two_dimensions(
// CHECK-COUNT-2: xfer.alloc(
// CHECK:         return
func.func @two_dimensions(%A: memref<?x?xf32>, %p: index, %q: index) {
  %s = memref.dim %A, %p : memref<?x?xf32>
  %d = xfer.alloc(%s) : memref<?xf32, #xfer.device>
  xfer.free %d : memref<?xf32, #xfer.device>
  %t = memref.dim %A, %q : memref<?x?xf32>
  %e = xfer.alloc(%t) : memref<?xf32, #xfer.device>
  xfer.free %e : memref<?xf32, #xfer.device>
  return
}
