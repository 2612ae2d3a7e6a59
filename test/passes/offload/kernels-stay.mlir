// RUN: terrace-opt %s --pass-pipeline="builtin.module(func.func(offload-parallelize))" | FileCheck %s

// Loops in kernels are run by threads, and loops around launches by the host.

// CHECK-LABEL: func @launches(
// CHECK-NOT:     parallel
// CHECK:         scf.for
// CHECK:           gpu.launch
// CHECK:             scf.for
// CHECK-NOT:     parallel
// CHECK:         return
func.func @launches(%A: memref<64x64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %c0 to %c64 step %c1 {
    gpu.launch blocks(%b, %by, %bz) in (%nb = %c1, %nby = %c1, %nbz = %c1)
        threads(%t, %ty, %tz) in (%nt = %c64, %nty = %c1, %ntz = %c1) {
      scf.for %j = %c0 to %c64 step %c1 {
        memref.store %one, %A[%i, %t, %j] : memref<64x64x64xf32>
      }
      gpu.terminator
    }
  }
  return
}
