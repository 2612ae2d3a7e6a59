// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-insert,xfer-check)" | FileCheck %s
// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-insert,xfer-optimize,xfer-check)" | FileCheck %s --check-prefix=PLACED
// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-insert{scheme=host},xfer-optimize,xfer-check)" | FileCheck %s --check-prefix=PLACED
// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-insert{scheme=mixed},xfer-optimize,xfer-check)" | FileCheck %s --check-prefix=PLACED

// Functions with kernels on their arguments are handed mirrors: the copies of a loop over
// time stand around the loop, wherever the kernels are.

!a = memref<8xf64>
!s = memref<?xf64>

// CHECK-LABEL: func @time(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>, %[[B:.*]]: memref<8xf64>,
// CHECK-DAG:     %[[DA:.*]] = xfer.create %[[A]]
// CHECK-DAG:     %[[DB:.*]] = xfer.create %[[B]]
// CHECK:         func.call @step_mirrored_0(%[[A]], %[[B]], %[[DA]], %[[DB]])
// CHECK:         func.call @step_mirrored_0(%[[B]], %[[A]], %[[DB]], %[[DA]])

// PLACED-LABEL: func @time(
// PLACED-SAME:    %[[A:.*]]: memref<8xf64>, %[[B:.*]]: memref<8xf64>,
// PLACED:         scf.if
// PLACED-DAG:       xfer.copy %[[A]] to %[[DA:.*]] :
// PLACED-DAG:       xfer.copy %[[B]] to %[[DB:.*]] :
// PLACED:           scf.for
// PLACED-NEXT:        func.call @step_mirrored_0(%[[A]], %[[B]], %[[DA]], %[[DB]])
// PLACED-NEXT:        func.call @step_mirrored_0(%[[B]], %[[A]], %[[DB]], %[[DA]])
// PLACED-NEXT:      }
// PLACED-DAG:       xfer.copy %[[DA]] to %[[A]]
// PLACED-DAG:       xfer.copy %[[DB]] to %[[B]]
func.func @time(%A: !a, %B: !a, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %t = %c0 to %n step %c1 {
    func.call @step(%A, %B) : (!a, !a) -> ()
    func.call @step(%B, %A) : (!a, !a) -> ()
  }
  return
}

// An array that is handed over twice is one argument.

// CHECK-LABEL: func @both(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>)
// CHECK:         %[[D:.*]] = xfer.create %[[A]]
// CHECK:         call @step_mirrored(%[[A]], %[[A]], %[[D]])
func.func @both(%A: !a) {
  call @step(%A, %A) : (!a, !a) -> ()
  return
}

// The function itself goes when nothing calls it any more.

// CHECK-NOT:   func.func private @step(
// CHECK:       func.func private @step_mirrored_0(%{{.*}}: memref<8xf64>, %{{.*}}: memref<8xf64>, %{{.*}}: memref<8xf64, #xfer.device> {xfer.mirror = {device = "unknown", host = "valid", needs = "host", of = 0 : index}}, %{{.*}}: memref<8xf64, #xfer.device> {xfer.mirror = {device = "unknown", host = "valid", needs = "host", of = 1 : index}})
// CHECK:       func.func private @step_mirrored(%{{.*}}: memref<8xf64>, %{{.*}}: memref<8xf64>, %[[D:.*]]: memref<8xf64, #xfer.device> {xfer.mirror = {device = "unknown", host = "valid", needs = "host", of = 0 : index}})
// CHECK:         xfer.copy %{{.*}} to %[[D]]
// CHECK:         gpu.launch
// CHECK:         xfer.copy %[[D]] to

// PLACED:       func.func private @step_mirrored_0(
// PLACED-SAME:    {xfer.mirror = {device = "valid", host = "kept", needs = "device", of = 0 : index}}
// PLACED-SAME:    {xfer.mirror = {device = "valid", host = "stale", needs = "device", of = 1 : index}}
// PLACED-NOT:     xfer.copy
// PLACED:         return
func.func private @step(%X: !a, %Y: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %X[%c0] : !a
    memref.store %x, %Y[%c1] : !a
    gpu.terminator
  }
  return
}

// A function that others may call keeps what it asks of them, and has a version for here.
// What it wants is wanted on one path only: the flags are handed on, too.

// CHECK-LABEL: func @open(
// CHECK:         xfer.create
// CHECK-LABEL: func private @open_mirrored(
// PLACED-LABEL: func @open(
// PLACED:         scf.if
// PLACED-NEXT:      xfer.copy
// PLACED-LABEL: func private @open_mirrored(
// PLACED-SAME:    %[[A:.*]]: memref<8xf64>, %{{.*}}: i1, %[[D:.*]]: memref<8xf64, #xfer.device> {xfer.mirror = {device = "unknown", flags, host = "unknown", needs = "none", of = 0 : index}})
// PLACED:         scf.if
// PLACED-NEXT:      xfer.ensure %[[A]], %[[D]] on device
// PLACED-NEXT:      gpu.launch
// PLACED:           xfer.mark_written %[[A]], %[[D]] on device
func.func @open(%A: !a, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %p {
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
               threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
      %x = memref.load %A[%c0] : !a
      memref.store %x, %A[%c1] : !a
      gpu.terminator
    }
  }
  return
}

// CHECK-LABEL: func @calls_open(
// CHECK:         call @open_mirrored(
// PLACED-LABEL: func @calls_open(
// PLACED-SAME:    %[[A:.*]]: memref<8xf64>, %{{.*}}: i1)
// PLACED:         %[[D:.*]] = xfer.create %[[A]]
// PLACED:         call @open_mirrored(%[[A]], %{{.*}}, %[[D]])
// PLACED-NEXT:    call @open_mirrored(%[[A]], %{{.*}}, %[[D]])
// PLACED-NEXT:    xfer.ensure %[[A]], %[[D]] on host
func.func @calls_open(%A: !a, %p: i1) {
  call @open(%A, %p) : (!a, i1) -> ()
  call @open(%A, %p) : (!a, i1) -> ()
  return
}

// Mirrors go through several functions, as what the arguments are.

// CHECK-LABEL: func @deep(
// CHECK:         %[[D:.*]] = xfer.create
// CHECK:         %[[E:.*]] = memref.cast %[[D]] : memref<8xf64, #xfer.device> to memref<?xf64, #xfer.device>
// CHECK:         call @outer_mirrored(%{{.*}}, %[[E]])
// CHECK-LABEL: func private @outer_mirrored(
// CHECK-SAME:    %[[A:.*]]: memref<?xf64>, %[[F:.*]]: memref<?xf64, #xfer.device>
// CHECK:         call @inner_mirrored(%[[A]], %[[F]])
func.func @deep() -> f64 {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %A = memref.alloc() : !a
  memref.store %zero, %A[%c0] : !a
  %S = memref.cast %A : !a to !s
  call @outer(%S) : (!s) -> ()
  %x = memref.load %A[%c0] : !a
  memref.dealloc %A : !a
  return %x : f64
}
func.func private @outer(%A: !s) {
  call @inner(%A) : (!s) -> ()
  return
}
func.func private @inner(%A: !s) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %A[%c0] : !s
    memref.store %x, %A[%c0] : !s
    gpu.terminator
  }
  return
}

// One that calls itself has mirrors of its own, and so has one whose argument may be any of
// several arrays or a part of one.

// CHECK-LABEL: func @recursive(
// CHECK:         call @again(
// CHECK-LABEL: func private @again(
// CHECK:         xfer.create
func.func @recursive(%A: !a, %n: index) {
  call @again(%A, %n) : (!a, index) -> ()
  return
}
func.func private @again(%A: !a, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %A[%c0] : !a
    memref.store %x, %A[%c1] : !a
    gpu.terminator
  }
  %some = arith.cmpi sgt, %n, %c0 : index
  scf.if %some {
    %m = arith.subi %n, %c1 : index
    func.call @again(%A, %m) : (!a, index) -> ()
  }
  return
}

// CHECK-LABEL: func @either(
// CHECK:         call @one(
// CHECK-LABEL: func private @one(
// CHECK:         xfer.create
func.func @either(%A: !a, %B: !a, %p: i1) {
  %C = arith.select %p, %A, %B : !a
  call @one(%C) : (!a) -> ()
  return
}
func.func private @one(%A: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %x = memref.load %A[%c0] : !a
    memref.store %x, %A[%c1] : !a
    gpu.terminator
  }
  return
}
