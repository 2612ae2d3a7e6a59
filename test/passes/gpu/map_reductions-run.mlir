// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -gpu-map-reductions -o %t.mlir
// RUN: FileCheck %s --check-prefix=TILES < %t.mlir
// RUN: terrace run %t.mlir --target emulator | FileCheck %s

// Threads that copy tiles ahead and threads that add them up meet at barriers: the emulator
// looks at who uses workgroup memory in which order. There are more tiles than buffers, and
// the last is not full; the loops use the same buffers one after the other, and the first
// copies of the second and of the third go to where the last tile before them was.

// TILES-COUNT-6: nvgpu.device_async_wait

// CHECK: array y 70xf64 checksum sum 2.7666406190e4 weighted 1.3830900690e4
// CHECK: array z 70xf64 checksum sum 9.1212278213e3 weighted 4.5559634194e3
func.func @rows(
    %A: memref<70x530xf64> {terrace.name = "A", terrace.init = "random:70x530:1"},
    %B: memref<530x70xf64> {terrace.name = "B", terrace.init = "random:530x70:2"},
    %C: memref<70x530xf64> {terrace.name = "C", terrace.init = "random:70x530:4"},
    %x: memref<530xf64> {terrace.name = "x", terrace.init = "random:530:3"},
    %y: memref<70xf64> {terrace.name = "y", terrace.init = "zeros"},
    %z: memref<70xf64> {terrace.name = "z", terrace.init = "zeros"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c70 = arith.constant 70 : index
  %c530 = arith.constant 530 : index
  scf.parallel (%i) = (%c0) to (%c70) step (%c1) {
    scf.for %j = %c0 to %c530 step %c1 {
      %s = memref.load %y[%i] : memref<70xf64>
      %a = memref.load %A[%i, %j] : memref<70x530xf64>
      %b = memref.load %x[%j] : memref<530xf64>
      %p = arith.mulf %a, %b : f64
      %t = arith.addf %s, %p : f64
      memref.store %t, %y[%i] : memref<70xf64>
    }
    scf.for %j = %c0 to %c530 step %c1 {
      %s = memref.load %z[%i] : memref<70xf64>
      %a = memref.load %B[%j, %i] : memref<530x70xf64>
      %b = memref.load %x[%j] : memref<530xf64>
      %p = arith.mulf %a, %b : f64
      %t = arith.addf %s, %p : f64
      memref.store %t, %z[%i] : memref<70xf64>
    }
    scf.for %j = %c0 to %c530 step %c1 {
      %s = memref.load %y[%i] : memref<70xf64>
      %a = memref.load %C[%i, %j] : memref<70x530xf64>
      %t = arith.addf %s, %a : f64
      memref.store %t, %y[%i] : memref<70xf64>
    }
    scf.reduce
  }
  return
}
