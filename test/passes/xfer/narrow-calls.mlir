// RUN: terrace-opt %s --pass-pipeline='builtin.module(xfer-insert,xfer-optimize,func.func(xfer-narrow),xfer-check)' | FileCheck %s

// Functions that are called touch boxes of what they are given, which bound copies as the
// accesses of the caller do.

!a = memref<64xf32>

// A version is handed the mirror: its kernel works on the elements between two arguments.

// CHECK-LABEL: func.func @handed(
// CHECK: %[[D:.*]] = xfer.create %[[A:.*]] : memref<64xf32>
// CHECK: %[[X:.*]] = memref.subview %[[A]][4] [16] [1]
// CHECK: %[[Y:.*]] = memref.subview %[[D]][4] [16] [1]
// CHECK: xfer.copy %[[X]] to %[[Y]]
// CHECK: call @span_mirrored
// CHECK: %[[X:.*]] = memref.subview %[[D]][4] [16] [1]
// CHECK: %[[Y:.*]] = memref.subview %[[A]][4] [16] [1]
// CHECK: xfer.copy %[[X]] to %[[Y]]
func.func @handed(%A: !a) {
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  call @span(%A, %c4, %c20) : (!a, index, index) -> ()
  return
}

// A call in a call; one element more at each end.

// CHECK-LABEL: func.func @nested(
// CHECK: memref.subview %{{.*}}[3] [18] [1]
// CHECK: xfer.copy
// CHECK: call @wider_mirrored
// CHECK: memref.subview %{{.*}}[3] [18] [1]
// CHECK: xfer.copy
func.func @nested(%A: !a) {
  %c4 = arith.constant 4 : index
  %c20 = arith.constant 20 : index
  call @wider(%A, %c4, %c20) : (!a, index, index) -> ()
  return
}

// What only the run knows is computed in front of the copy.

// CHECK-LABEL: func.func @known_later(
// CHECK-SAME: %[[A:.*]]: memref<64xf32>, %[[N:.*]]: index)
// CHECK: %[[LEAST:.*]] = arith.minsi %[[N]]
// CHECK: %[[SIZE:.*]] = arith.maxsi %[[LEAST]]
// CHECK: memref.subview %[[A]][0] [%[[SIZE]]] [1]
// CHECK: xfer.copy
// CHECK: call @span_mirrored
func.func @known_later(%A: !a, %n: index) {
  %c0 = arith.constant 0 : index
  call @span(%A, %c0, %n) : (!a, index, index) -> ()
  return
}

// The host's function reads one element of what a kernel wrote all of.

// CHECK-LABEL: func.func @watched(
// CHECK: gpu.launch
// CHECK: %[[X:.*]] = memref.subview %[[D:.*]][7] [1] [1]
// CHECK: %[[Y:.*]] = memref.subview %[[A:.*]][7] [1] [1]
// CHECK: xfer.copy %[[X]] to %[[Y]]
// CHECK: call @seventh(%[[A]]
func.func @watched(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %f = arith.constant 1.0 : f32
  %scratch = memref.alloc() : !a
  %sum = scf.for %t = %c0 to %n step %c1 iter_args(%s = %f) -> f32 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c64, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
      memref.store %s, %scratch[%b] : !a
      gpu.terminator
    }
    %x = func.call @seventh(%scratch) : (!a) -> f32
    scf.yield %x : f32
  }
  memref.dealloc %scratch : !a
  return %sum : f32
}

// A function that calls itself, and one that is not known, may touch all of it.

// CHECK-LABEL: func.func @anything(
// CHECK-NOT: memref.subview
// CHECK-LABEL: func.func private @span_mirrored
func.func @anything(%A: !a, %B: !a, %n: index) {
  call @again(%A, %n) : (!a, index) -> ()
  %f = call @unknown(%B) : (!a) -> f32
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c64, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
    %x = memref.load %A[%b] : !a
    memref.store %f, %A[%b] : !a
    memref.store %f, %B[%b] : !a
    gpu.terminator
  }
  call @again(%A, %n) : (!a, index) -> ()
  %g = call @unknown(%B) : (!a) -> f32
  return
}

func.func private @span(%m: !a, %from: index, %to: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %trips = arith.subi %to, %from : index
  %n = arith.maxsi %trips, %c0 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %n, %nby = %c1, %nbz = %c1)
      threads(%t, %ty, %tz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
    %i = arith.addi %b, %from : index
    %x = memref.load %m[%i] : !a
    %y = arith.addf %x, %x : f32
    memref.store %y, %m[%i] : !a
    gpu.terminator
  }
  return
}

func.func private @wider(%m: !a, %from: index, %to: index) {
  %c1 = arith.constant 1 : index
  %low = arith.subi %from, %c1 : index
  %high = arith.addi %to, %c1 : index
  call @span(%m, %low, %high) : (!a, index, index) -> ()
  return
}

func.func private @seventh(%m: !a) -> f32 {
  %c7 = arith.constant 7 : index
  %x = memref.load %m[%c7] : !a
  return %x : f32
}

func.func private @again(%m: !a, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 1.0 : f32
  %more = arith.cmpi sgt, %n, %c0 : index
  scf.if %more {
    memref.store %f, %m[%c1] : !a
    %less = arith.subi %n, %c1 : index
    func.call @again(%m, %less) : (!a, index) -> ()
  }
  return
}

func.func private @unknown(%m: !a) -> f32
