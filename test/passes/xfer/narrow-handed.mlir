// RUN: terrace-opt %s --pass-pipeline='builtin.module(xfer-insert,xfer-optimize,func.func(xfer-narrow),xfer-check)' | FileCheck %s

// Copies in a function of an array that it is handed with its mirror.

!a = memref<64xf32>

func.func @main(%A: !a, %B: !a) -> f32 {
  %x = call @watched(%A) : (!a) -> f32
  %y = call @left(%B) : (!a) -> f32
  %sum = arith.addf %x, %y : f32
  return %sum : f32
}

// The host reads one element in each step, and what it has is stale behind the last.

// CHECK-LABEL: func.func private @watched_mirrored(
// CHECK:         scf.for
// CHECK:           gpu.launch
// CHECK:           %[[X:.*]] = memref.subview %arg1[7] [1] [1]
// CHECK:           %[[Y:.*]] = memref.subview %arg0[7] [1] [1]
// CHECK:           xfer.copy %[[X]] to %[[Y]]
// CHECK:           memref.load %arg0
// CHECK:           gpu.launch
func.func private @watched(%A: !a) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %t = %c0 to %c8 step %c1 iter_args(%s = %zero) -> f32 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c64, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
      %x = memref.load %A[%b] : !a
      %y = arith.addf %x, %x : f32
      memref.store %y, %A[%b] : !a
      gpu.terminator
    }
    %x = memref.load %A[%c7] : !a
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c64, %nby = %c1, %nbz = %c1)
        threads(%i, %iy, %iz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
      %z = memref.load %A[%b] : !a
      %y = arith.addf %x, %z : f32
      memref.store %y, %A[%b] : !a
      gpu.terminator
    }
    %more = arith.addf %s, %x : f32
    scf.yield %more : f32
  }
  return %sum : f32
}

// What the host has is valid behind this one, as it says, and so all of it comes back.

// CHECK-LABEL: func.func private @left_mirrored(
// CHECK-SAME:    host = "valid"
// CHECK-NOT:     memref.subview
// CHECK:         xfer.copy %arg1 to %arg0
// CHECK-NEXT:    memref.load %arg0
func.func private @left(%A: !a) -> f32 {
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%b, %by, %bz) in (%nb = %c64, %nby = %c1, %nbz = %c1)
      threads(%i, %iy, %iz) in (%nt = %c1, %nty = %c1, %ntz = %c1) {
    %z = memref.load %A[%b] : !a
    %y = arith.addf %z, %z : f32
    memref.store %y, %A[%b] : !a
    gpu.terminator
  }
  %x = memref.load %A[%c7] : !a
  return %x : f32
}
