// RUN: terrace-opt %s -gpu-coarsen-threads -gpu-kernel-outlining -gpu-count-work -canonicalize -cse | FileCheck %s

// Tiles of a loop together are the loop: two operations for each of 131072 iterations and
// 2051 elements, which are two tiles and three more: 537657344.
// Of bytes those of c, read and written, and of b, which all threads bring together, once.
// CHECK-DAG: %[[FLOPS:.*]] = arith.constant 0x41C0060000000000 : f64
// CHECK-DAG: %[[BYTES:.*]] = arith.constant 1.056780e+06 : f64
// CHECK: xfer.note_work %[[FLOPS]], %{{.*}}, %[[BYTES]]
func.func @pairs(%b: memref<2051xf32>, %c: memref<131072xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.constant 2051 : index
  %n = arith.constant 131072 : index
  %one = arith.constant 1.0 : f32
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %x = memref.load %c[%i] : memref<131072xf32>
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%sum = %one) -> (f32) {
      %y = memref.load %b[%j] : memref<2051xf32>
      %0 = arith.subf %x, %y : f32
      %1 = arith.addf %sum, %0 : f32
      scf.yield %1 : f32
    }
    memref.store %s, %c[%i] : memref<131072xf32>
  }
  return
}
