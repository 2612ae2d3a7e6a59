// RUN: terrace run %s --target interp | FileCheck %s
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1 iterations=4 stage=false' | terrace run - --target emulator | FileCheck %s
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1 iterations=3 stage=false' | terrace run - --target emulator | FileCheck %s
// Fewer elements than are loaded at a time, and as many: nothing is loaded ahead then.
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1 stage=false' | terrace run - --target emulator --arg b=random:7:1 --verify | FileCheck %s --check-prefix=FEW
// RUN: terrace-opt %s -gpu-coarsen-threads='least-threads=1 stage=false' | terrace run - --target emulator --arg b=random:8:1 --verify | FileCheck %s --check-prefix=FEW
// FEW: verify passed

// Sums keep their order, so that they are the same to the last bit. Three, and four, do not
// divide the number of iterations.
// CHECK: array c 37xf32 checksum sum 5.5276517677e2 weighted 3.1060348483e2
func.func @pairs(
    %n: index {terrace.name = "n", terrace.init = "37"},
    %b: memref<?xf32> {terrace.name = "b", terrace.dims = ["N"], terrace.init = "random:41:1"},
    %c: memref<?xf32> {terrace.name = "c", terrace.dims = ["M"], terrace.init = "random:37:2"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %b, %c0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %c[%i] : memref<?xf32>
    %s:2 = scf.for %j = %c0 to %m step %c1 iter_args(%sum = %zero, %far = %x) -> (f32, f32) {
      %y = memref.load %b[%j] : memref<?xf32>
      %0 = arith.subf %x, %y : f32
      %1 = math.absf %0 : f32
      %2 = math.sqrt %1 : f32
      %3 = arith.addf %sum, %2 : f32
      %4 = arith.maximumf %far, %1 : f32
      scf.yield %3, %4 : f32, f32
    }
    %r = arith.mulf %s#0, %s#1 : f32
    memref.store %r, %c[%i] : memref<?xf32>
  }
  return
}
