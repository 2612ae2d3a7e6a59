// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(xfer-optimize),xfer-check)" | FileCheck %s
// RUN: terrace-opt %s --pass-pipeline="builtin.module(xfer-optimize,xfer-check)" | FileCheck %s

// Functions that are handed a mirror as a buffer, without a word of whose it is: what
// they do to it is done to the array's copy on the device.

!a = memref<8xf64>
!d = memref<8xf64, #xfer.device>

module attributes {gpu.container_module} {

func.func private @twice(%b: !d) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c8, %sy = %c1, %sz = %c1) {
    %x = memref.load %b[%tx] : !d
    %y = arith.addf %x, %x : f64
    memref.store %y, %b[%tx] : !d
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @both_ways(
// CHECK:         %[[D:.*]] = xfer.create %arg0
// CHECK-NEXT:    xfer.copy %arg0 to %[[D]]
// CHECK-NEXT:    call @twice(%[[D]])
// CHECK-NEXT:    xfer.copy %[[D]] to %arg0
// CHECK-NEXT:    xfer.free %[[D]]
func.func @both_ways(%A: !a) {
  %d = xfer.create %A : !a to !d
  xfer.copy %A to %d : !a to !d
  call @twice(%d) : (!d) -> ()
  xfer.copy %d to %A : !d to !a
  xfer.free %d : !d
  return
}

// Through another function, in a loop: the copies leave it as they do for a launch.

func.func private @some(%b: !d, %n: index) {
  call @twice(%b) : (!d) -> ()
  return
}

// CHECK-LABEL: func @steps(
// CHECK:         xfer.copy %arg0 to %[[D:.*]] :
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      call @some(%[[D]]
// CHECK-NEXT:    }
// CHECK-NEXT:    xfer.copy %[[D]] to %arg0
func.func @steps(%A: !a) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %d = xfer.create %A : !a to !d
  scf.for %t = %c0 to %c8 step %c1 {
    xfer.copy %A to %d : !a to !d
    func.call @some(%d, %t) : (!d, index) -> ()
    xfer.copy %d to %A : !d to !a
  }
  xfer.free %d : !d
  return
}

// One of two, as the function chooses: either may be it.

func.func private @one_of(%b: !d, %c: !d, %which: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  %chosen = arith.select %which, %b, %c : !d
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
             threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    memref.store %x, %chosen[%c0] : !d
    gpu.terminator
  }
  return
}

// CHECK-LABEL: func @chosen(
// CHECK-DAG:     xfer.copy %arg0 to %[[A:.*]] :
// CHECK-DAG:     xfer.copy %arg1 to %[[B:.*]] :
// CHECK:         call @one_of(
// CHECK-DAG:     xfer.copy %[[A]] to %arg0
// CHECK-DAG:     xfer.copy %[[B]] to %arg1
// CHECK:         return
func.func @chosen(%A: !a, %B: !a, %which: i1) {
  %a = xfer.create %A : !a to !d
  %b = xfer.create %B : !a to !d
  xfer.copy %A to %a : !a to !d
  xfer.copy %B to %b : !a to !d
  call @one_of(%a, %b, %which) : (!d, !d, i1) -> ()
  xfer.copy %a to %A : !d to !a
  xfer.copy %b to %B : !d to !a
  xfer.free %b : !d
  xfer.free %a : !d
  return
}

// A buffer that the function makes is nothing to its caller: the mirror stays as it was.

func.func private @own(%b: !d) {
  %e = xfer.alloc() : !d
  xfer.copy %b to %e : !d to !d
  call @twice(%e) : (!d) -> ()
  xfer.free %e : !d
  return
}

// CHECK-LABEL: func @reads(
// CHECK:         xfer.copy %arg0 to %[[D:.*]] :
// CHECK-NEXT:    call @own(%[[D]])
// CHECK-NEXT:    xfer.free %[[D]]
func.func @reads(%A: !a) {
  %d = xfer.create %A : !a to !d
  xfer.copy %A to %d : !a to !d
  call @own(%d) : (!d) -> ()
  xfer.copy %d to %A : !d to !a
  xfer.free %d : !d
  return
}

// The same choice in a kernel that is launched by name.

gpu.module @kernels {
  gpu.func @fill(%b: !d, %c: !d, %which: i1, %x: f64) kernel {
    %i = gpu.thread_id x
    %chosen = arith.select %which, %b, %c : !d
    memref.store %x, %chosen[%i] : !d
    gpu.return
  }
}
// CHECK-LABEL: func @by_name(
// CHECK:         gpu.launch_func
// CHECK-DAG:     xfer.copy %{{.*}} to %arg0
// CHECK-DAG:     xfer.copy %{{.*}} to %arg1
// CHECK:         return
func.func @by_name(%A: !a, %B: !a, %which: i1, %x: f64) {
  %c1 = arith.constant 1 : index
  %a = xfer.create %A : !a to !d
  %b = xfer.create %B : !a to !d
  xfer.copy %A to %a : !a to !d
  xfer.copy %B to %b : !a to !d
  gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : !d, %b : !d, %which : i1, %x : f64)
  xfer.copy %a to %A : !d to !a
  xfer.copy %b to %B : !d to !a
  xfer.free %b : !d
  xfer.free %a : !d
  return
}
}
