// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-forward-copies))" | FileCheck %s

// What a kernel computes goes to the host from where the kernel has put it. The buffer is freed
// behind that.

// CHECK-LABEL: func @doitgen(
// CHECK-SAME:    %[[A:[^:]*]]: memref<8xf64>
// CHECK:         %[[D:.*]] = xfer.alloc()
// CHECK:         %[[T:.*]] = xfer.alloc()
// CHECK:         xfer.copy %[[A]] to %[[D]]
// CHECK-NEXT:    gpu.launch
// CHECK-NOT:     xfer.copy
// CHECK:         xfer.copy %[[T]] to %[[A]]
// CHECK-NEXT:    xfer.free %[[D]]
// CHECK-NEXT:    xfer.free %[[T]]
// CHECK-NEXT:    return
func.func @doitgen(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.copy %A to %d : memref<8xf64> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %r0 = memref.load %ds[%i] : memref<8xf64>
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// Kernels behind the copy use the other buffer by a view, which gets a twin; the buffer is not
// needed at all.

// CHECK-LABEL: func @written_again(
// CHECK-SAME:    %[[A:[^:]*]]: memref<8xf64>
// CHECK-NOT:     xfer.copy
// CHECK:         %[[T:.*]] = xfer.alloc()
// CHECK-NOT:     xfer.alloc
// CHECK:         %[[TWIN:.*]] = memref.memory_space_cast %[[T]]
// CHECK-NEXT:    %[[SEEN:.*]] = memref.memory_space_cast %[[T]]
// CHECK:         gpu.launch
// CHECK:           memref.store %{{.*}}, %[[SEEN]]
// CHECK:         gpu.launch
// CHECK:           memref.load %[[TWIN]]
// CHECK-NEXT:      memref.store %{{.*}}, %[[TWIN]]
// CHECK:         xfer.copy %[[T]] to %[[A]]
// CHECK-NEXT:    xfer.free %[[T]]
// CHECK-NEXT:    return
func.func @written_again(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %r0 = memref.load %ds[%i] : memref<8xf64>
    memref.store %x, %ds[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// Both are only read.

// CHECK-LABEL: func @both_read(
// CHECK-NOT:     xfer.copy {{.*}}#xfer.device> to memref<8xf64, #xfer.device>
// CHECK:         return
func.func @both_read(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %r0 = memref.load %ds[%i] : memref<8xf64>
    gpu.terminator
  }
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %r0 = memref.load %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %r0 = memref.load %ds[%i] : memref<8xf64>
    %r1 = memref.load %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// A copy to work on, and back: neither is needed.

// CHECK-LABEL: func @there_and_back(
// CHECK-SAME:    %[[A:[^:]*]]: memref<8xf64>
// CHECK:         %[[D:.*]] = xfer.alloc()
// CHECK-NOT:     xfer.alloc
// CHECK:         xfer.copy %[[A]] to %[[D]]
// CHECK-NEXT:    gpu.launch
// CHECK-NOT:     xfer.copy
// CHECK:         xfer.copy %[[D]] to %[[A]]
// CHECK-NEXT:    xfer.free %[[D]]
// CHECK-NEXT:    return
func.func @there_and_back(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.copy %A to %d : memref<8xf64> to memref<8xf64, #xfer.device>
  xfer.copy %d to %t : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %r0 = memref.load %ts[%i] : memref<8xf64>
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ds[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// Through a third.

// CHECK-LABEL: func @chain(
// CHECK-NOT:     xfer.copy {{.*}}#xfer.device> to memref<8xf64, #xfer.device>
// CHECK:         return
func.func @chain(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  %u = xfer.alloc() : memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %u : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  xfer.copy %u to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  xfer.free %u : memref<8xf64, #xfer.device>
  return
}

// What is behind the copy may be in branches and loops.

// CHECK-LABEL: func @in_branches(
// CHECK-NOT:     xfer.copy {{.*}}#xfer.device> to memref<8xf64, #xfer.device>
// CHECK:         return
func.func @in_branches(%A: memref<8xf64>, %x: f64, %c: i1) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  scf.if %c {
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ds[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  }
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %r0 = memref.load %ds[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// A box of it goes to the host.

// CHECK-LABEL: func @boxes(
// CHECK:         %[[T:.*]] = xfer.alloc()
// CHECK-NOT:     xfer.alloc
// CHECK:         %[[BOX:.*]] = memref.subview %[[T]][2] [4] [1]
// CHECK:         xfer.copy %[[BOX]] to
// CHECK-NEXT:    xfer.free %[[T]]
// CHECK-NEXT:    return
func.func @boxes(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  %db = memref.subview %d[2] [4] [1] : memref<8xf64, #xfer.device> to memref<4xf64, strided<[1], offset: 2>, #xfer.device>
  %ab = memref.subview %A[2] [4] [1] : memref<8xf64> to memref<4xf64, strided<[1], offset: 2>>
  xfer.copy %db to %ab : memref<4xf64, strided<[1], offset: 2>, #xfer.device> to memref<4xf64, strided<[1], offset: 2>>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// Sizes are those that the arrays of the host were allocated with.

// CHECK-LABEL: func @dynamic(
// CHECK-NOT:     xfer.copy {{.*}}#xfer.device> to memref<?xf64, #xfer.device>
// CHECK:         return
func.func @dynamic(%A: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf64>
  %p = arith.maxsi %n, %c0 : index
  %T = memref.alloc(%p) : memref<?xf64>
  %k = memref.dim %T, %c0 : memref<?xf64>
  %d = xfer.alloc(%n) : memref<?xf64, #xfer.device>
  %t = xfer.alloc(%k) : memref<?xf64, #xfer.device>
  xfer.copy %A to %t : memref<?xf64> to memref<?xf64, #xfer.device>
  xfer.copy %t to %d : memref<?xf64, #xfer.device> to memref<?xf64, #xfer.device>
  xfer.copy %d to %A : memref<?xf64, #xfer.device> to memref<?xf64>
  xfer.free %t : memref<?xf64, #xfer.device>
  xfer.free %d : memref<?xf64, #xfer.device>
  memref.dealloc %T : memref<?xf64>
  return
}

// Refused, each for one reason.

// What was copied is wanted after the first has changed.

// CHECK-LABEL: func @other_written(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
func.func @other_written(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// What it was copied from is wanted after the second has changed.

// CHECK-LABEL: func @wanted_unchanged(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
func.func @wanted_unchanged(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ds[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// A kernel writes the one while it reads the other.

// CHECK-LABEL: func @at_once(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
func.func @at_once(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %r0 = memref.load %ts[%i] : memref<8xf64>
    memref.store %x, %ds[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// The loop comes around to the read.

// CHECK-LABEL: func @in_a_loop(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
func.func @in_a_loop(%A: memref<8xf64>, %x: f64, %n: index) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  scf.for %k = %c1 to %n step %c1 {
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    %r0 = memref.load %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ds[%i] : memref<8xf64>
    gpu.terminator
  }
  }
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// The copy may not have been made.

// CHECK-LABEL: func @in_another_block(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
func.func @in_another_block(%A: memref<8xf64>, %x: f64, %c: i1) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  scf.if %c {
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  }
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// A copy brings back what a kernel has overwritten: only the second is left out.

// CHECK-LABEL: func @old_to_new(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
// CHECK-NOT:     xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
// CHECK:         return
func.func @old_to_new(%A: memref<8xf64>, %x: f64) {
  %c1 = arith.constant 1 : index
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %ds = memref.memory_space_cast %d : memref<8xf64, #xfer.device> to memref<8xf64>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  %ts = memref.memory_space_cast %t : memref<8xf64, #xfer.device> to memref<8xf64>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ts[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%m = %c1, %ny = %c1, %nz = %c1) {
    memref.store %x, %ds[%i] : memref<8xf64>
    gpu.terminator
  }
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// The sizes may differ: the run would stop at the copy.

// CHECK-LABEL: func @sizes(
// CHECK:         xfer.copy {{.*}}#xfer.device> to memref<?xf64, #xfer.device>
func.func @sizes(%A: memref<?xf64>, %B: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf64>
  %m = memref.dim %B, %c0 : memref<?xf64>
  %d = xfer.alloc(%n) : memref<?xf64, #xfer.device>
  %t = xfer.alloc(%m) : memref<?xf64, #xfer.device>
  xfer.copy %t to %d : memref<?xf64, #xfer.device> to memref<?xf64, #xfer.device>
  xfer.copy %d to %A : memref<?xf64, #xfer.device> to memref<?xf64>
  xfer.free %t : memref<?xf64, #xfer.device>
  xfer.free %d : memref<?xf64, #xfer.device>
  return
}

// Two devices.

// CHECK-LABEL: func @devices(
// CHECK:         xfer.copy {{.*}}#xfer.device> to memref<8xf64, #xfer.device<1>>
func.func @devices(%A: memref<8xf64>) {
  %d = xfer.alloc() : memref<8xf64, #xfer.device<1>>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device<1>>
  xfer.copy %d to %A : memref<8xf64, #xfer.device<1>> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device<1>>
  return
}

// Nothing is known of the function that has the buffer.

func.func private @unknown(memref<8xf64, #xfer.device>)

// CHECK-LABEL: func @called(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
func.func @called(%A: memref<8xf64>) {
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  func.call @unknown(%d) : (memref<8xf64, #xfer.device>) -> ()
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// Another name of the buffer.

// CHECK-LABEL: func @selected(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
func.func @selected(%A: memref<8xf64>, %c: i1) {
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  %e = arith.select %c, %d, %t : memref<8xf64, #xfer.device>
  xfer.copy %e to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// A buffer of the caller.

// CHECK-LABEL: func @handed(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
func.func @handed(%A: memref<8xf64>, %t: memref<8xf64, #xfer.device>) {
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  xfer.copy %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}

// What goes on at the same time is in an order of its own.

// CHECK-LABEL: func @asynchronous(
// CHECK:         xfer.copy {{.*}} : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
func.func @asynchronous(%A: memref<8xf64>) {
  %d = xfer.alloc() : memref<8xf64, #xfer.device>
  %t = xfer.alloc() : memref<8xf64, #xfer.device>
  xfer.copy %t to %d : memref<8xf64, #xfer.device> to memref<8xf64, #xfer.device>
  %k = xfer.copy async %d to %A : memref<8xf64, #xfer.device> to memref<8xf64>
  xfer.wait [%k]
  xfer.free %t : memref<8xf64, #xfer.device>
  xfer.free %d : memref<8xf64, #xfer.device>
  return
}
