// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-insert))" | FileCheck %s --check-prefix=KERNEL
// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-insert{scheme=host}))" | FileCheck %s --check-prefix=HOST
// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-insert{scheme=mixed}))" | FileCheck %s --check-prefix=MIXED

// An array of the caller: the kernel writes it in a loop, the host reads it in between.

// KERNEL-LABEL: func @in_a_loop(
// KERNEL-SAME:    %[[A:.*]]: memref<8xf64>
// KERNEL:         %[[D:.*]] = xfer.create %[[A]]
// KERNEL:         %[[SEEN:.*]] = memref.memory_space_cast %[[D]] : memref<8xf64, #xfer.device> to memref<8xf64>
// KERNEL-NOT:     xfer.copy
// KERNEL:         scf.for
// KERNEL-NEXT:      xfer.copy %[[A]] to %[[D]]
// KERNEL-NEXT:      gpu.launch
// KERNEL:             memref.load %[[SEEN]]
// KERNEL:             memref.store %{{.*}}, %[[SEEN]]
// KERNEL:           xfer.copy %[[D]] to %[[A]]
// KERNEL-NEXT:      memref.load %[[A]]
// KERNEL-NOT:     xfer.copy
// KERNEL:         xfer.free %[[D]]
// KERNEL-NEXT:    return

// HOST-LABEL: func @in_a_loop(
// HOST:         xfer.create
// HOST-NEXT:    xfer.copy %{{.*}} : memref<8xf64> to
// HOST:         scf.for
// HOST-NEXT:      gpu.launch
// HOST:           xfer.copy %{{.*}} : memref<8xf64, #xfer.device> to
// HOST-NEXT:      memref.load
// HOST:         xfer.copy %{{.*}} : memref<8xf64, #xfer.device> to
// HOST-NEXT:    xfer.free

// MIXED-LABEL: func @in_a_loop(
// MIXED:         xfer.create
// MIXED-NEXT:    xfer.copy %{{.*}} : memref<8xf64> to
// MIXED:         scf.for
// MIXED-NEXT:      gpu.launch
// MIXED:           xfer.copy %{{.*}} : memref<8xf64, #xfer.device> to
// MIXED-NEXT:      memref.load
// MIXED-NOT:     xfer.copy
// MIXED:         xfer.free
func.func @in_a_loop(%A: memref<8xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %A[%c0] : memref<8xf64>
      memref.store %x, %A[%c1] : memref<8xf64>
      gpu.terminator
    }
    %y = memref.load %A[%c1] : memref<8xf64>
  }
  return
}

// An allocation holds nothing at first. Its mirror ends before it does; a view of it
// is a view of the mirror.

// KERNEL-LABEL: func @own(
// KERNEL:         %[[L:.*]] = memref.alloc()
// KERNEL-NEXT:    %[[D:.*]] = xfer.create %[[L]]
// KERNEL-NEXT:    xfer.discard %[[L]]
// KERNEL-NEXT:    %[[SEEN:.*]] = memref.memory_space_cast %[[D]]
// KERNEL:         memref.subview %[[L]]
// KERNEL:         %[[PART:.*]] = memref.subview %[[SEEN]][2] [4] [1]
// KERNEL:         gpu.launch
// KERNEL:           memref.store %{{.*}}, %[[PART]]
// KERNEL:         xfer.free %[[D]]
// KERNEL-NEXT:    memref.dealloc %[[L]]
func.func @own(%v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = memref.alloc() : memref<8xf64>
  %part = memref.subview %l[2] [4] [1] : memref<8xf64> to memref<4xf64, strided<[1], offset: 2>>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %v, %part[%c0] : memref<4xf64, strided<[1], offset: 2>>
    gpu.terminator
  }
  memref.dealloc %l : memref<8xf64>
  return
}

// A memref that may be either array is copied around the launch.

// KERNEL-LABEL: func @either(
// KERNEL:         %[[E:.*]] = arith.select
// KERNEL-NEXT:    %[[D:.*]] = xfer.create %[[E]]
// KERNEL-NEXT:    xfer.copy %[[E]] to %[[D]]
// KERNEL:         gpu.launch
// KERNEL:         xfer.copy %[[D]] to %[[E]]
// KERNEL-NEXT:    xfer.free %[[D]]
func.func @either(%a: memref<8xf64>, %b: memref<8xf64>, %c: i1, %v: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = arith.select %c, %a, %b : memref<8xf64>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %v, %e[%c0] : memref<8xf64>
    gpu.terminator
  }
  return
}
