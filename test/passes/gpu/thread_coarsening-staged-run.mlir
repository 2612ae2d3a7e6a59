// What all threads load goes by way of workgroup memory: every sum is the same to the last
// bit, and no thread reads what another has not brought yet, which the emulator looks for.
// RUN: terrace run %s --entry rows --target interp | FileCheck %s --check-prefix=ROWS
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1' | terrace run - --entry rows --target emulator | FileCheck %s --check-prefix=ROWS
// On four multiprocessors one round of blocks of 256 takes less than two of 128.
// RUN: echo "arch = sm_90" > %t.machine
// RUN: echo "part = few" >> %t.machine
// RUN: echo "sms = 4" >> %t.machine
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1 machine-file=%t.machine' | terrace run - --entry rows --target emulator | FileCheck %s --check-prefix=ROWS
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1 iterations=3' | terrace run - --entry rows --target emulator | FileCheck %s --check-prefix=ROWS
// RUN: terrace run %s --entry two --target interp | FileCheck %s --check-prefix=TWO
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1' | terrace run - --entry two --target emulator | FileCheck %s --check-prefix=TWO
// Fewer elements than are done at a time, none at all, and too few iterations.
// RUN: terrace run %s --entry two --target interp --arg b=random:7:1 | FileCheck %s --check-prefix=FEW
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1' | terrace run - --entry two --target emulator --arg b=random:7:1 | FileCheck %s --check-prefix=FEW
// RUN: terrace run %s --entry two --target interp --arg b=random:1:1 | FileCheck %s --check-prefix=NONE
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1' | terrace run - --entry two --target emulator --arg b=random:1:1 | FileCheck %s --check-prefix=NONE
// RUN: terrace-opt %s -gpu-coarsen-threads | terrace run - --entry two --target emulator --arg b=random:7:1 | FileCheck %s --check-prefix=FEW

// 1030 iterations are blocks with two for each thread and six of another. The common loop
// is one tile, one of 16 iterations, and two more, and begins in the middle of 16 bytes.
// ROWS: array c 1030xf32 checksum sum 4.2323644939e5 weighted 2.1007103234e5
func.func @rows(
    %b: memref<2x?xf32> {terrace.name = "b", terrace.dims = ["2", "N"], terrace.init = "random:2x2069:1"},
    %c: memref<?xf32> {terrace.name = "c", terrace.dims = ["M"], terrace.init = "random:1030:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %m = memref.dim %c, %c0 : memref<?xf32>
  %n = memref.dim %b, %c1 : memref<2x?xf32>
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf32>
    %s:2 = scf.for %j = %c3 to %n step %c1 iter_args(%sum = %zero, %far = %x) -> (f32, f32) {
      %y = memref.load %b[%c0, %j] : memref<2x?xf32>
      %z = memref.load %b[%c1, %j] : memref<2x?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = math.absf %0 : f32
      %2 = math.sqrt %1 : f32
      %3 = arith.mulf %2, %z : f32
      %4 = arith.addf %sum, %3 : f32
      %5 = arith.maximumf %far, %1 : f32
      scf.yield %4, %5 : f32, f32
    }
    %r = arith.mulf %s#0, %s#1 : f32
    memref.store %r, %c[%i] : memref<?xf32>
  }
  return
}

// Two common loops, one after the other, and one element that is in no row. Between them the
// threads load what they store behind both.
// TWO: array c 37xf64 checksum sum 9.2717075093e2 weighted 6.3333696848e2
// FEW: array c 37xf64 checksum sum 2.7886370241e1 weighted 1.5966152898e1
// NONE: array c 37xf64 checksum sum 0.0000000000e0
func.func @two(
    %n: index {terrace.name = "n", terrace.init = "37"},
    %b: memref<?xf64> {terrace.name = "b", terrace.dims = ["N"], terrace.init = "random:2085:1"},
    %c: memref<?xf64> {terrace.name = "c", terrace.dims = ["M"], terrace.init = "random:37:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = memref.dim %b, %c0 : memref<?xf64>
  %half = arith.divui %m, %c2 : index
  %zero = arith.constant 0.0 : f64
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %s = scf.for %j = %c1 to %m step %c1 iter_args(%sum = %zero) -> (f64) {
      %y = memref.load %b[%j] : memref<?xf64>
      %0 = arith.subf %sum, %y : f64
      %1 = math.absf %0 : f64
      %2 = arith.addf %y, %1 : f64
      scf.yield %2 : f64
    }
    %x = memref.load %c[%i] : memref<?xf64>
    %t = scf.for %j = %c0 to %half step %c1 iter_args(%sum = %s) -> (f64) {
      %jj = arith.muli %j, %c2 : index
      %y = memref.load %b[%j] : memref<?xf64>
      %z = memref.load %b[%jj] : memref<?xf64>
      %0 = arith.subf %x, %y : f64
      %1 = arith.mulf %0, %z : f64
      %2 = arith.mulf %1, %x : f64
      %3 = arith.mulf %2, %0 : f64
      %4 = arith.addf %sum, %3 : f64
      scf.yield %4 : f64
    }
    %old = memref.load %c[%i] : memref<?xf64>
    %r = arith.mulf %t, %old : f64
    memref.store %r, %c[%i] : memref<?xf64>
  }
  return
}
