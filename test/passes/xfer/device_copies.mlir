// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-insert,xfer-optimize,xfer-check))" | FileCheck %s

// Between two kernels: nothing comes back to the host in between, and what was in A is not
// wanted on the device.

// CHECK-LABEL: func @between(
// CHECK-SAME:    %[[A:[^:]*]]: memref<8xf64>
// CHECK:         %[[A_D:.*]] = xfer.create %[[A]]
// CHECK:         %[[T_D:.*]] = xfer.create
// CHECK-NOT:     xfer.copy
// CHECK:         xfer.copy %[[A]] to %[[A_D]]
// CHECK-NEXT:    gpu.launch
// CHECK:         xfer.discard %[[A]]
// CHECK-NEXT:    xfer.copy %[[T_D]] to %[[A_D]] : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
// CHECK-NEXT:    gpu.launch
// CHECK-NOT:     xfer.copy
// CHECK:         xfer.copy %[[A_D]] to %[[A]]
// CHECK-NOT:     xfer.copy
// CHECK:         return
func.func @between(%A: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.alloc() : memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c1, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%i] : memref<8xf64>
    memref.store %v, %T[%c0] : memref<8xf64>
    gpu.terminator
  }
  memref.copy %T, %A : memref<8xf64> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%n = %c1, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%i] : memref<8xf64>
    memref.store %v, %A[%c1] : memref<8xf64>
    gpu.terminator
  }
  memref.dealloc %T : memref<8xf64>
  return
}

// In a loop: the host reads what it copied to, which is copied in place of what it was
// copied from.

// CHECK-LABEL: func @in_a_loop(
// CHECK:         scf.for
// CHECK-NOT:       xfer.copy
// CHECK:           gpu.launch
// CHECK:           xfer.copy %[[T_D:.*]] to %[[A_D:.*]] : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
// CHECK-NEXT:      xfer.copy %[[A_D]] to %{{.*}} : memref<8xf64, #xfer.device> to memref<8xf64>
// CHECK-NEXT:      memref.load
// CHECK-NOT:       xfer.copy
// CHECK:         return
func.func @in_a_loop(%A: memref<8xf64>, %log: memref<?xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.alloc() : memref<8xf64>
  scf.for %t = %c0 to %n step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
      %v = memref.load %A[%i] : memref<8xf64>
      memref.store %v, %T[%c0] : memref<8xf64>
      gpu.terminator
    }
    memref.copy %T, %A : memref<8xf64> to memref<8xf64>
    %v = memref.load %A[%c0] : memref<8xf64>
    memref.store %v, %log[%t] : memref<?xf64>
  }
  memref.dealloc %T : memref<8xf64>
  return
}

// Two in a row: the second is on the device because the first is.

// CHECK-LABEL: func @chain(
// CHECK-COUNT-2: xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @chain(%A: memref<8xf64>, %B: memref<8xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.alloc() : memref<8xf64>
  %U = memref.alloc() : memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%i] : memref<8xf64>
    memref.store %v, %T[%c0] : memref<8xf64>
    memref.store %v, %U[%c0] : memref<8xf64>
    gpu.terminator
  }
  memref.copy %T, %U : memref<8xf64> to memref<8xf64>
  memref.copy %U, %A : memref<8xf64> to memref<8xf64>
  memref.dealloc %T : memref<8xf64>
  memref.dealloc %U : memref<8xf64>
  return
}

// What stays with the host.

// CHECK-LABEL: func @on_the_host(
func.func @on_the_host(%A: memref<8xf64>, %B: memref<8xf64>, %H: memref<8xf64>, %x: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%i] : memref<8xf64>
    memref.store %v, %B[%c0] : memref<8xf64>
    gpu.terminator
  }
  // The host has written the one and reads the other.
  memref.store %x, %A[%c0] : memref<8xf64>
  // CHECK: memref.copy %{{.*}}, %{{.*}} : memref<8xf64> to memref<8xf64>
  memref.copy %A, %B : memref<8xf64> to memref<8xf64>
  %v = memref.load %B[%c1] : memref<8xf64>
  memref.store %v, %B[%c0] : memref<8xf64>
  // No kernel uses H.
  // CHECK: memref.copy %{{.*}}, %{{.*}} : memref<8xf64> to memref<8xf64>
  memref.copy %B, %H : memref<8xf64> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %w = memref.load %B[%i] : memref<8xf64>
    memref.store %w, %A[%c0] : memref<8xf64>
    gpu.terminator
  }
  // Both are the caller's: it needs the one on the host anyway.
  // CHECK: memref.copy %{{.*}}, %{{.*}} : memref<8xf64> to memref<8xf64>
  // CHECK-NOT: memref.copy
  memref.copy %A, %B : memref<8xf64> to memref<8xf64>
  return
}

// A part of an array is not an array with a mirror.

// CHECK-LABEL: func @parts(
// CHECK:         memref.copy
func.func @parts(%A: memref<8xf64>, %B: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %A[0] [4] [1] : memref<8xf64> to memref<4xf64, strided<[1]>>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %v = memref.load %A[%i] : memref<8xf64>
    memref.store %v, %A[%c0] : memref<8xf64>
    gpu.terminator
  }
  memref.copy %part, %B : memref<4xf64, strided<[1]>> to memref<4xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %v = memref.load %B[%i] : memref<4xf64>
    memref.store %v, %B[%c0] : memref<4xf64>
    gpu.terminator
  }
  return
}
