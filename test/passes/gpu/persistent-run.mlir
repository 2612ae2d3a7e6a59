// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -map-parallel-to-gpu -gpu-persistent-kernels='form=block threads=64' | terrace run - --target emulator | FileCheck %s
// RUN: terrace-opt %s -map-parallel-to-gpu -gpu-persistent-kernels='form=grid' | terrace run - --target interp | FileCheck %s
// RUN: terrace-opt %s -map-parallel-to-gpu -gpu-persistent-kernels='form=grid threads=256' | terrace run - --target emulator | FileCheck %s
// RUN: terrace-opt %s -map-parallel-to-gpu -gpu-persistent-kernels='form=grid threads=1024' | terrace run - --target emulator | FileCheck %s
// RUN: terrace run %s --target emulator | FileCheck %s

// Elimination and a sweep over lines by turns, in one kernel: sizes are multiples of nothing, and
// the emulator looks at what threads do in which order.
// CHECK: array A 37x41xf64 checksum
func.func @steps(
    %A: memref<?x?xf64> {terrace.name = "A", terrace.dims = ["N", "M"], terrace.init = "random:37x41:1"},
    %v: memref<?xf64> {terrace.name = "v", terrace.dims = ["M"], terrace.init = "random:41:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  %m = memref.dim %A, %c1 : memref<?x?xf64>
  %half = arith.constant 0.5 : f64
  scf.for %k = %c0 to %n step %c1 {
    %next = arith.addi %k, %c1 : index
    scf.parallel (%i, %j) = (%next, %next) to (%n, %m) step (%c1, %c1) {
      %a = memref.load %A[%i, %k] : memref<?x?xf64>
      %b = memref.load %A[%k, %j] : memref<?x?xf64>
      %c = memref.load %A[%i, %j] : memref<?x?xf64>
      %p = arith.mulf %a, %b : f64
      %h = arith.mulf %p, %half : f64
      %d = arith.subf %c, %h : f64
      memref.store %d, %A[%i, %j] : memref<?x?xf64>
    }
    %odd = arith.remui %k, %c2 : index
    %is_odd = arith.cmpi eq, %odd, %c1 : index
    scf.if %is_odd {
      scf.parallel (%j) = (%c0) to (%m) step (%c1) {
        %x = memref.load %v[%j] : memref<?xf64>
        %sum = scf.for %i = %c0 to %next step %c1 iter_args(%s = %x) -> (f64) {
          %y = memref.load %A[%i, %j] : memref<?x?xf64>
          %0 = arith.mulf %s, %half : f64
          %1 = arith.addf %0, %y : f64
          scf.yield %1 : f64
        }
        memref.store %sum, %v[%j] : memref<?xf64>
      }
    } else {
      scf.parallel (%j) = (%c1) to (%m) step (%c1) {
        %x = memref.load %v[%c0] : memref<?xf64>
        %y = memref.load %A[%k, %j] : memref<?x?xf64>
        %z = arith.addf %x, %y : f64
        %h = arith.mulf %z, %half : f64
        memref.store %h, %A[%k, %j] : memref<?x?xf64>
      }
    }
  }
  return
}
